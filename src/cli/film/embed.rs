//! Films that are part of a page: every n-th frame, so that the page stays small.

use super::header::{Field, Values};
use super::{Objects, Source, header, is_still};
use crate::linalg::Vec3;
use crate::page::film::{Before, Coder, Grid, base64, level, triangles};
use crate::scene::json::Json;
use crate::sequence::DiskError;
use std::ops::Range;

/// Bits of a position, then fewer before frames are left out.
const BITS: [u32; 2] = [16, 14];
/// Bits that a number of a position and of a field takes at least, compressed. Hardly any run needs so few.
const LEAST: [f64; 2] = [1.5, 0.5];
/// Times by which the smallest film may exceed what is granted.
const EXCESS: usize = 3;

/// Film of a run for a page.
pub enum Film {
    /// Header with frames, as JSON.
    Whole(String),
    /// Reason why there is none.
    None(&'static str),
}

/// Frames in memory. A still object is in the first one alone.
struct Frames {
    numbers: Vec<u32>,
    objects: Vec<Objects>,
}

/// Returns every n-th frame, and the last one.
fn chosen(there: Range<u32>, every: u32) -> Vec<u32> {
    let last = there.end.saturating_sub(1);
    let mut frames: Vec<u32> = there.step_by(every as usize).collect();
    if frames.last().is_some_and(|frame| *frame < last) {
        frames.push(last);
    }
    frames
}

/// Reads frames of a run.
fn read(source: &Source, numbers: Vec<u32>) -> Result<Frames, DiskError> {
    let mut objects: Vec<Objects> = Vec::with_capacity(numbers.len());
    for (k, frame) in numbers.iter().enumerate() {
        let once = |entry| k > 0 && is_still(entry);
        let read = |entry| if once(entry) { Ok(None) } else { source.object(entry, *frame) };
        objects.push(source.entries().into_iter().map(read).collect::<Result<_, DiskError>>()?);
    }
    Ok(Frames { numbers, objects })
}

/// Encodes a film.
struct Encoder<'a> {
    frames: &'a Frames,
    fields: &'a [Field],
    bits: u32,
}

impl Encoder<'_> {
    fn streams(streams: [Vec<u8>; 2]) -> Json {
        Json::List(streams.iter().map(|stream| Json::text(base64(stream))).collect())
    }

    /// Adds the streams of an object to its header.
    fn object(&self, k: usize, header: Json) -> Json {
        let all = || self.frames.objects.iter().filter_map(|objects| objects[k].as_ref());
        let Some((shape, _)) = all().next() else {
            let none =
                || Self::streams([Vec::new(), Vec::new()].map(|bytes: Vec<u8>| crate::page::film::deflated(&bytes)));
            let empty = Json::Map(Vec::new());
            return header
                .with("vertices", Json::Number(0.0))
                .with("triangles", Json::text(base64(&triangles(&[]))))
                .with("positions", none())
                .with("grid", Json::List(vec![Json::Number(0.0); 4]))
                .with("values", empty);
        };
        let points = || all().flat_map(|(_, at)| &at.positions).filter(|p| p.iter().all(|c| c.is_finite()));
        let (low, high) =
            points().fold((Vec3::repeat(f64::MAX), Vec3::repeat(f64::MIN)), |(l, h), p| (l.inf(p), h.sup(p)));
        let grid = if low.x <= high.x {
            Grid::over(low.into(), high.into(), self.bits)
        } else {
            Grid::over([0.0; 3], [0.0; 3], self.bits)
        };
        let before = Before::of(shape.vertices, &shape.triangles);
        let mut coder = Coder::new(&before, 3);
        for (_, at) in all() {
            let codes: Vec<[u16; 3]> = at.positions.iter().map(|p| grid.codes((*p).into())).collect();
            coder.add(&(0..3).flat_map(|axis| codes.iter().map(move |codes| codes[axis])).collect::<Vec<u16>>());
        }
        let recorded = self
            .fields
            .iter()
            .filter(|field| !field.derived && all().any(|(_, at)| at.field(field.channel.word).is_some()));
        let values = recorded.map(|field| {
            let mut coder = Coder::new(&before, 1);
            for (_, at) in all() {
                let values = at.field(field.channel.word).unwrap_or_default().iter();
                let levels = values.map(|value| u16::from(level(*value, field.range)));
                coder.add(
                    &levels
                        .chain(std::iter::repeat(u16::from(crate::page::film::NOTHING)))
                        .take(shape.vertices)
                        .collect::<Vec<u16>>(),
                );
            }
            (field.channel.word.to_string(), Self::streams(coder.streams()))
        });
        let values = Json::Map(values.collect());
        let corners = grid.low.into_iter().chain([grid.step]).map(Json::Number).collect();
        header
            .with("triangles", Json::text(base64(&triangles(&shape.triangles))))
            .with("positions", Self::streams(coder.streams()))
            .with("grid", Json::List(corners))
            .with("values", values)
    }

    /// Returns the film with all streams, as JSON.
    fn film(&self, header: &Json) -> String {
        let Some(Json::List(objects)) = header.get("objects") else { return header.to_string() };
        let objects = objects.iter().enumerate().map(|(k, object)| self.object(k, object.clone())).collect();
        header.clone().with("objects", Json::List(objects)).to_string()
    }
}

/// Returns the film of a run in at most `most` characters, if that is possible: every n-th frame of a long one.
///
/// # Errors
/// A mesh cannot be read.
pub fn film(source: &Source, title: &str, most: usize) -> Result<Film, DiskError> {
    let entries = source.entries();
    let moving = || entries.iter().filter(|entry| !is_still(entry));
    if source.record.done == 0 {
        return Ok(Film::None("there is no frame yet"));
    }
    if !entries.iter().any(|entry| entry.kind.simulated()) {
        return Ok(Film::None("its meshes were not written; see output.meshes"));
    }
    let count = source.record.done;
    let vertices: usize = moving().map(|entry| entry.vertices).sum();
    let fields = source.scene.output.fields.len() as f64;
    let least = vertices as f64 * (3.0 * LEAST[0] + fields * LEAST[1]) / 6.0;
    let mut every = ((f64::from(count) * least / most as f64).ceil() as u32).clamp(1, count);
    let mut bits = 0;
    loop {
        let frames = read(source, chosen(source.record.there(), every))?;
        let mut values = Values::default();
        frames.objects.iter().for_each(|objects| values.look(objects));
        let fields = values.fields(source);
        let Some(first) = frames.objects.first() else { return Ok(Film::None("there is no frame yet")) };
        let stands: Vec<_> = frames.objects.iter().map(|objects| source.stand(objects, first)).collect();
        let header = header(source, title, &frames.numbers, first, &stands, &fields);
        let mut film = Encoder { frames: &frames, fields: &fields, bits: BITS[bits] }.film(&header);
        while film.len() > most && bits + 1 < BITS.len() {
            bits += 1;
            film = Encoder { frames: &frames, fields: &fields, bits: BITS[bits] }.film(&header);
        }
        if film.len() <= most {
            return Ok(Film::Whole(film));
        }
        if frames.numbers.len() <= 2 {
            let fits = film.len() <= EXCESS * most;
            return Ok(if fits {
                Film::Whole(film)
            } else {
                Film::None("its meshes are too large for a page; percale view shows it")
            });
        }
        let more = (f64::from(every) * film.len() as f64 / most as f64).ceil() as u32;
        every = more.clamp(every + 1, count.max(every + 1));
    }
}
