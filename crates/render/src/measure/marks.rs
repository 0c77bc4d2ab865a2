//! Marks at known distances, which bring a photograph to scale and take its tilt away.

use super::photo::Spot;
use crate::linalg::Vec2;
use crate::linalg::least::linear;

/// Printed chart: eight round marks, at the corners of a rectangle and in the middle of its sides. The mark of the
/// upper left corner is larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chart {
    /// Distance of the marks across [m].
    pub width: f64,
    /// Distance of the marks down [m].
    pub height: f64,
}

/// Marks of a chart found in a photograph.
#[derive(Clone, Debug)]
pub struct Marks {
    /// Projective map from pixels to the plane of the chart, by rows; its last coefficient is 1.
    map: [f64; 8],
    /// Middle and size of the photograph [pixels], by which coordinates are scaled.
    scale: (Vec2, f64),
    /// Spots that are marks, by their place in the list.
    pub spots: Vec<usize>,
    /// Root mean square distance of the marks from where the map has them [m].
    pub residual: f64,
    /// Size of a pixel in the middle of the chart [m].
    pub pixel: f64,
}

/// Diameter of a mark, as part of the smaller side of the chart.
pub const MARK: f64 = 0.05;
/// Diameter of the mark of the upper left corner, as a multiple of that of the others.
pub(super) const LARGER: f64 = 1.6;
/// Most round spots among which marks are looked for.
const MOST: usize = 28;
/// Distance of a mark from its expected place, as part of the smaller side, up to which it is taken.
const NEAR: f64 = 0.03;
/// Largest ratio of the axes of a mark on the plane of the chart, in the mean of all. On a chart of other proportions,
/// or in a mirror, round marks become ellipses.
const STRETCHED: f64 = 1.08;
/// Largest residual, as part of the smaller side.
const RESIDUAL: f64 = 0.01;

impl Chart {
    /// Returns the places of the marks on the plane, x to the right and y up from the lower left one [m]: the four
    /// corners clockwise from the upper left, then the middles of the sides clockwise from the upper.
    pub fn places(&self) -> [Vec2; 8] {
        let (w, h) = (self.width, self.height);
        [[0.0, h], [w, h], [w, 0.0], [0.0, 0.0], [0.5 * w, h], [w, 0.5 * h], [0.5 * w, 0.0], [0.0, 0.5 * h]]
            .map(|[x, y]| Vec2::new(x, y))
    }

    /// Returns the diameter of each mark [m].
    pub fn diameters(&self) -> [f64; 8] {
        let one = MARK * self.width.min(self.height);
        std::array::from_fn(|k| if k == 0 { LARGER * one } else { one })
    }
}

impl Marks {
    /// Finds the marks of a chart among spots.
    ///
    /// # Errors
    /// The marks are not there, or not at their distances: the chart is bent, or the lens distorts.
    pub fn find(chart: &Chart, spots: &[Spot]) -> Result<Marks, String> {
        let round: Vec<usize> = (0..spots.len()).filter(|k| spots[*k].round).take(MOST).collect();
        let mut best: Option<Marks> = None;
        for corners in quadrilaterals(&round, spots) {
            let Some(marks) = Marks::of(chart, spots, &round, corners) else { continue };
            if best.as_ref().is_none_or(|known| marks.residual < known.residual) {
                best = Some(marks);
            }
        }
        let best = best.ok_or_else(|| {
            format!("the eight marks of the chart were not found among {} round dark spots: are all in the picture, is it of \
                 these proportions, or is the picture mirrored or too tilted?",
                round.len()
            )
        })?;
        if best.residual > RESIDUAL * chart.width.min(chart.height) {
            let off = 1e3 * best.residual;
            return Err(format!("the marks are {off:.2} mm off their places: is the chart flat, and of that size?"));
        }
        Ok(best)
    }

    /// Returns the place of a pixel on the plane of the chart [m].
    pub fn place(&self, pixel: &Vec2) -> Vec2 {
        let (middle, size) = self.scale;
        apply(&self.map, &((pixel - middle) / size))
    }

    /// Fits the map to four corners, clockwise, looks for the other marks by it, and fits it to all eight.
    fn of(chart: &Chart, spots: &[Spot], round: &[usize], corners: [usize; 4]) -> Option<Marks> {
        let places = chart.places();
        let middle = corners.iter().map(|k| spots[*k].centre).sum::<Vec2>() / 4.0;
        let size = corners.iter().map(|k| (spots[*k].centre - middle).norm()).fold(0.0, f64::max);
        let seen = |k: usize| (spots[k].centre - middle) / size;
        let map = projective(&corners.map(seen), &places[..4])?;
        let near = NEAR * chart.width.min(chart.height);
        let mut all = corners.to_vec();
        for place in &places[4..] {
            let off = |k: &usize| (apply(&map, &seen(*k)) - place).norm();
            let mark = round.iter().copied().min_by(|a, b| off(a).total_cmp(&off(b)))?;
            if off(&mark) > near || all.contains(&mark) {
                return None;
            }
            all.push(mark);
        }
        let pixels: Vec<Vec2> = all.iter().map(|k| seen(*k)).collect();
        let map = projective(&pixels, &places)?;
        let squares = pixels.iter().zip(&places).map(|(pixel, place)| (apply(&map, pixel) - place).norm_squared());
        let residual = (squares.sum::<f64>() / 8.0).sqrt();
        let axes = all.iter().map(|k| stretched(&map, &seen(*k), &spots[*k].moments)).sum::<f64>() / 8.0;
        if axes > STRETCHED {
            return None;
        }
        let step = 1.0 / size;
        let [from, to] = [0.0, step].map(|x| apply(&map, &Vec2::new(x, 0.0)));
        Some(Marks { map, scale: (middle, size), spots: all, residual, pixel: (to - from).norm() })
    }
}

/// Returns fours of spots that stand as the corners of a chart, clockwise from the larger one.
fn quadrilaterals(round: &[usize], spots: &[Spot]) -> Vec<[usize; 4]> {
    let mut found = Vec::new();
    let cross = |a: &Vec2, b: &Vec2, c: &Vec2| (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
    for first in round {
        let larger = |k: &&usize| {
            let ratio = (spots[*first].area / spots[**k].area).sqrt();
            (1.3..2.0).contains(&ratio)
        };
        let others: Vec<usize> = round.iter().filter(larger).copied().collect();
        for a in &others {
            for b in others.iter().filter(|b| *b != a) {
                for c in others.iter().filter(|c| *c != a && *c != b) {
                    let p = [*first, *a, *b, *c].map(|k| spots[k].centre);
                    // With y down, clockwise turns are positive.
                    let clockwise = (0..4).all(|k| cross(&p[k], &p[(k + 1) % 4], &p[(k + 2) % 4]) > 0.0);
                    if clockwise {
                        found.push([*first, *a, *b, *c]);
                    }
                }
            }
        }
    }
    found
}

fn apply(map: &[f64; 8], p: &Vec2) -> Vec2 {
    let under = map[6] * p.x + map[7] * p.y + 1.0;
    Vec2::new(map[0] * p.x + map[1] * p.y + map[2], map[3] * p.x + map[4] * p.y + map[5]) / under
}

/// Returns the ratio of the axes that a spot with these second moments has on the plane.
fn stretched(map: &[f64; 8], at: &Vec2, [a, b, c]: &[f64; 3]) -> f64 {
    let step = 1e-6;
    let slope = |way: Vec2| (apply(map, &(at + way * step)) - apply(map, &(at - way * step))) / (2.0 * step);
    let [u, v] = [slope(Vec2::x()), slope(Vec2::y())];
    let of = |i: usize, j: usize| u[i] * u[j] * a + (u[i] * v[j] + v[i] * u[j]) * b + v[i] * v[j] * c;
    let (mean, half) = (0.5 * (of(0, 0) + of(1, 1)), (0.25 * (of(0, 0) - of(1, 1)).powi(2) + of(0, 1).powi(2)).sqrt());
    ((mean + half) / (mean - half).max(1e-9 * mean)).sqrt()
}

/// Returns the projective map that takes pixels to places, by linear least squares.
fn projective(pixels: &[Vec2], places: &[Vec2]) -> Option<[f64; 8]> {
    let (mut rows, mut right) = (Vec::new(), Vec::new());
    for (p, q) in pixels.iter().zip(places) {
        rows.push(vec![p.x, p.y, 1.0, 0.0, 0.0, 0.0, -q.x * p.x, -q.x * p.y]);
        right.push([q.x]);
        rows.push(vec![0.0, 0.0, 0.0, p.x, p.y, 1.0, -q.y * p.x, -q.y * p.y]);
        right.push([q.y]);
    }
    let solved = linear(&rows, &right)?;
    solved.into_iter().map(|[x]| x).collect::<Vec<f64>>().try_into().ok()
}
