//! Centreline of a band in a photograph: a strip of cloth seen along its width.

use super::photo::{Photo, around};
use crate::linalg::Vec2;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Band of dark pixels, measured along its middle.
#[derive(Clone, Debug)]
pub struct Band {
    /// Points of the centreline from end to end [pixels].
    pub line: Vec<Vec2>,
    /// Mean thickness [pixels].
    pub thickness: f64,
    /// Place where it is much thicker than elsewhere: it touches itself or something else there [pixels].
    pub thick: Option<Vec2>,
}

/// Cost of a step to a neighbour along a row or column, and along a diagonal (Borgefors 1986).
const COSTS: [u32; 2] = [5, 7];
/// Length of a piece of the band that makes a point, as part of its thickness.
const PIECE: f64 = 0.5;
/// Least length of a piece [pixels].
const SHORTEST: f64 = 2.0;
/// Thickness of a piece, as multiple of the median, above which the band is not single there.
const THICK: f64 = 1.8;
/// Area of a piece, as part of the median, above which it is full; and as much below its double.
const FULL: f64 = 0.85;
/// Number of pieces between the points by which a line goes on beyond its full pieces.
const REACH: usize = 3;
/// Rounds in which pixels are assigned anew to the nearest place of the line.
const ROUNDS: usize = 2;
/// Half width of the mean over points that smooths the line between rounds.
const SMOOTH: usize = 2;

impl Band {
    /// Measures a band of the given pixels. Returns `None` if it is shorter than five times its thickness.
    pub fn new(photo: &Photo, pixels: &[u32]) -> Option<Band> {
        let pixels = photo.with_border(pixels);
        let inside: HashMap<u32, usize> = pixels.iter().enumerate().map(|(k, pixel)| (*pixel, k)).collect();
        let place = |k: usize| {
            let [x, y] = photo.place(pixels[k]);
            Vec2::new(x as f64, y as f64)
        };
        let weight = |k: usize| {
            let [x, y] = photo.place(pixels[k]);
            photo.at(x, y)
        };
        let first = farthest(&distances(photo, &pixels, &inside, 0));
        let along = distances(photo, &pixels, &inside, first);
        let length = f64::from(along[farthest(&along)]) / f64::from(COSTS[0]);
        let area: f64 = (0..pixels.len()).map(weight).sum();
        let thickness = area / length.max(1.0);
        if length < 5.0 * thickness {
            return None;
        }
        let piece = (PIECE * thickness).max(SHORTEST);
        let mut places: Vec<f64> = along.iter().map(|d| f64::from(*d) / f64::from(COSTS[0])).collect();
        let mut pieces = gather(&places, &weight, &place, piece);
        for _ in 0..ROUNDS {
            let line = smooth(&pieces);
            places = (0..pixels.len()).map(|k| nearest(&line, &place(k), places[k] / piece, piece)).collect();
            pieces = gather(&places, &weight, &place, piece);
        }
        let line: Vec<Vec2> = pieces.iter().map(|(centre, _)| *centre).collect();
        let mut areas: Vec<f64> = pieces.iter().map(|(_, area)| *area).collect();
        let thick = (1..pieces.len() - 1).max_by(|a, b| areas[*a].total_cmp(&areas[*b]))?;
        let most = areas[thick];
        areas.sort_by(f64::total_cmp);
        let median = areas[areas.len() / 2];
        let thickness = area / length_of(&line).max(1.0);
        let thick = (most > THICK * median).then(|| line[thick]);
        Some(Band { line: with_ends(&pieces, median), thickness, thick })
    }

    /// Returns the length of the centreline [pixels].
    pub fn length(&self) -> f64 {
        length_of(&self.line)
    }
}

fn length_of(line: &[Vec2]) -> f64 {
    line.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum()
}

fn farthest(along: &[u32]) -> usize {
    (0..along.len()).max_by_key(|k| if along[*k] == u32::MAX { 0 } else { along[*k] }).unwrap_or(0)
}

/// Returns the way from a pixel to all others within the band, in steps of [`COSTS`].
fn distances(photo: &Photo, pixels: &[u32], inside: &HashMap<u32, usize>, from: usize) -> Vec<u32> {
    let mut along = vec![u32::MAX; pixels.len()];
    let mut queue = BinaryHeap::from([Reverse((0, from))]);
    along[from] = 0;
    while let Some(Reverse((way, k))) = queue.pop() {
        if way > along[k] {
            continue;
        }
        let [x, y] = photo.place(pixels[k]);
        for (i, j) in around(x, y) {
            if i < 0 || j < 0 || i >= photo.width as i64 {
                continue;
            }
            let Some(next) = u32::try_from(j * photo.width as i64 + i).ok().and_then(|pixel| inside.get(&pixel)) else {
                continue;
            };
            let way = way + COSTS[usize::from(i != x && j != y)];
            if way < along[*next] {
                along[*next] = way;
                queue.push(Reverse((way, *next)));
            }
        }
    }
    along
}

/// Returns the centre and the area of the pixels in each piece of the band, of those that are not empty.
fn gather(
    places: &[f64],
    weight: &impl Fn(usize) -> f64,
    place: &impl Fn(usize) -> Vec2,
    piece: f64,
) -> Vec<(Vec2, f64)> {
    let count = places.iter().copied().fold(0.0, f64::max) / piece;
    let mut pieces = vec![(Vec2::zeros(), 0.0); count as usize + 1];
    for (k, at) in places.iter().enumerate().filter(|(_, at)| at.is_finite()) {
        let (sum, area) = &mut pieces[(at / piece).max(0.0) as usize];
        *sum += place(k) * weight(k);
        *area += weight(k);
    }
    pieces.retain(|(_, area)| *area > 0.5);
    pieces.into_iter().map(|(sum, area)| (sum / area, area)).collect()
}

fn smooth(pieces: &[(Vec2, f64)]) -> Vec<Vec2> {
    let mean = |k: usize| {
        let reach = SMOOTH.min(k).min(pieces.len() - 1 - k);
        let own = &pieces[k - reach..=k + reach];
        own.iter().map(|(centre, _)| *centre).sum::<Vec2>() / own.len() as f64
    };
    (0..pieces.len()).map(mean).collect()
}

/// Returns the arc length at which a line is nearest to a point, near a number of its points. Both ends go on straight.
fn nearest(line: &[Vec2], point: &Vec2, near: f64, piece: f64) -> f64 {
    let last = line.len() - 2;
    let reach = (8.0 / piece).ceil() as usize + 4;
    let middle = (near as usize).min(last);
    let mut best = (f64::INFINITY, 0.0);
    for k in middle.saturating_sub(reach)..=(middle + reach).min(last) {
        let way = line[k + 1] - line[k];
        let part = (point - line[k]).dot(&way) / way.norm_squared().max(1e-12);
        let part = part.clamp(if k == 0 { -4.0 } else { 0.0 }, if k == last { 4.0 } else { 1.0 });
        let off = (line[k] + way * part - point).norm_squared();
        if off < best.0 {
            best = (off, (k as f64 + 0.5 + part) * piece);
        }
    }
    best.1
}

/// Returns the line up to both ends. Pieces at an end that are not full are left out, and the line goes on by their
/// area, as straight or as curved as before.
fn with_ends(pieces: &[(Vec2, f64)], median: f64) -> Vec<Vec2> {
    let full = |(_, area): &(Vec2, f64)| *area > FULL * median && *area < (2.0 - FULL) * median;
    let first = pieces.iter().position(full).unwrap_or(0);
    let last = pieces.iter().rposition(full).unwrap_or(pieces.len() - 1);
    let area = |some: &[(Vec2, f64)]| some.iter().map(|(_, area)| area).sum::<f64>();
    let mean = area(&pieces[first..=last]) / (last - first + 1) as f64;
    let part = |left_out: &[(Vec2, f64)]| area(left_out) / mean + 0.5;
    let mut line: Vec<Vec2> = pieces[first..=last].iter().map(|(centre, _)| *centre).collect();
    // Ways along pixels are longer than the line, by which pieces are shorter than they were asked to be.
    let piece = length_of(&line) / (line.len() - 1).max(1) as f64;
    let [before, after] = [part(&pieces[..first]), part(&pieces[last + 1..])].map(|part| part * piece);
    if line.len() > 2 * REACH {
        let count = line.len();
        let end = beyond([line[0], line[REACH], line[2 * REACH]], before);
        line.push(beyond([line[count - 1], line[count - 1 - REACH], line[count - 1 - 2 * REACH]], after));
        line.insert(0, end);
    }
    line
}

/// Continues the circle through three points beyond the first by a length.
fn beyond([end, inner, inmost]: [Vec2; 3], length: f64) -> Vec2 {
    let [out, before] = [end - inner, inner - inmost];
    let turn = before.perp(&out).atan2(before.dot(&out));
    // Heading at the middle of the way beyond, from that at the middle of the last chord.
    let angle = turn * (0.5 * out.norm() + 0.5 * length) / out.norm().max(1e-9);
    let way = out / out.norm().max(1e-9);
    end + Vec2::new(way.x * angle.cos() - way.y * angle.sin(), way.x * angle.sin() + way.y * angle.cos()) * length
}
