//! Films that are part of a page: every n-th frame, so that the page stays small.

use super::header::{Field, Values};
use super::{Objects, Source, header, is_still};
use crate::cli::picture::Stand;
use crate::page::film::{Before, Coder, Grid, NOTHING, base64, level, triangles};
use crate::scene::json::Json;
use crate::sequence::{DiskError, Shape, Snapshot};
use std::ops::Range;

/// Bits of a position, then fewer before frames are left out.
const BITS: [u32; 2] = [16, 14];
/// Bits that a number of a position and of a field takes at least, compressed. Hardly any run needs so few.
const LEAST: [f64; 2] = [1.5, 0.5];
/// Times by which the smallest film may exceed what is granted.
const EXCESS: usize = 3;

/// Film of a run for a page.
pub(crate) enum Film {
    /// Header with frames, as JSON.
    Whole(String),
    /// Reason why there is none.
    None(&'static str),
}

/// Most frames of a film.
const FRAMES: u32 = 4000;

/// An object at a frame, in the precision of files.
struct Kept {
    positions: Vec<[f32; 3]>,
    fields: Vec<(String, Vec<f32>)>,
}

/// An object over the frames in which it is there. A still one is in the first alone.
#[derive(Default)]
struct Track {
    triangles: Vec<[u32; 3]>,
    frames: Vec<Kept>,
}

/// Frames in memory.
struct Frames {
    numbers: Vec<u32>,
    stands: Vec<Stand>,
    fields: Vec<Field>,
    first: Objects,
    tracks: Vec<Track>,
}

impl Track {
    fn add(&mut self, shape: &Shape, at: &Snapshot) {
        if self.frames.is_empty() {
            self.triangles.clone_from(&shape.triangles);
        }
        let single = |values: &[f64]| values.iter().map(|x| *x as f32).collect();
        let fields = at.fields.iter().map(|(word, values)| (word.clone(), single(values))).collect();
        let positions = at.positions.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
        self.frames.push(Kept { positions, fields });
    }

    /// Returns the grid of all finite positions.
    fn grid(&self, bits: u32) -> Grid {
        let all = self.frames.iter().flat_map(|frame| &frame.positions).map(|p| p.map(f64::from));
        let bounds = all.filter(|p| p.iter().all(|c| c.is_finite())).fold(None, |bounds, p| {
            let [low, high] = bounds.unwrap_or([p, p]);
            Some([0, 1].map(|side| [0, 1, 2].map(|c| if side == 0 { p[c].min(low[c]) } else { p[c].max(high[c]) })))
        });
        let [low, high]: [[f64; 3]; 2] = bounds.unwrap_or_default();
        Grid::over(low, high, bits)
    }

    /// Adds the streams of the object to its header.
    fn with(&self, header: Json, fields: &[Field], bits: u32) -> Json {
        let streams = |streams: [Vec<u8>; 2]| Json::List(streams.map(|stream| Json::text(base64(&stream))).into());
        let vertices = self.frames.first().map_or(0, |frame| frame.positions.len());
        let before = Before::of(vertices, &self.triangles);
        let grid = self.grid(bits);
        let mut coder = Coder::new(&before, 3);
        for frame in &self.frames {
            let codes: Vec<[u16; 3]> = frame.positions.iter().map(|p| grid.codes(p.map(f64::from))).collect();
            coder.add(&(0..3).flat_map(|axis| codes.iter().map(move |codes| codes[axis])).collect::<Vec<u16>>());
        }
        let of = |frame: &Kept, field: &Field| -> Option<Vec<u16>> {
            let (_, values) = frame.fields.iter().find(|(word, _)| word == field.channel.word)?;
            Some(values.iter().map(|value| u16::from(level(f64::from(*value), field.range))).collect())
        };
        let recorded = fields.iter().filter(|field| !field.derived);
        let values = recorded.filter(|field| self.frames.iter().any(|frame| of(frame, field).is_some())).map(|field| {
            let mut coder = Coder::new(&before, 1);
            let nothing = || vec![u16::from(NOTHING); vertices];
            self.frames.iter().for_each(|frame| coder.add(&of(frame, field).unwrap_or_else(nothing)));
            (field.channel.word.to_string(), streams(coder.streams()))
        });
        let values = Json::Map(values.collect());
        header
            .with("vertices", Json::Number(vertices as f64))
            .with("triangles", Json::text(base64(&triangles(&self.triangles))))
            .with("positions", streams(coder.streams()))
            .with("grid", Json::List(grid.low.into_iter().chain([grid.step]).map(Json::Number).collect()))
            .with("values", values)
    }
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

/// Reads frames of a run; `None` without any.
fn read(source: &Source, numbers: Vec<u32>) -> Result<Option<Frames>, DiskError> {
    let mut values = Values::of(numbers.len());
    let mut tracks: Vec<Track> = source.entries().iter().map(|_| Track::default()).collect();
    let mut stands = Vec::with_capacity(numbers.len());
    let mut first: Option<Objects> = None;
    for frame in &numbers {
        let once = |entry| first.is_some() && is_still(entry);
        let read = |entry| if once(entry) { Ok(None) } else { source.object(entry, *frame) };
        let objects: Objects = source.entries().into_iter().map(read).collect::<Result<_, DiskError>>()?;
        values.look(&objects);
        for (track, (shape, at)) in
            tracks.iter_mut().zip(&objects).filter_map(|(track, at)| Some((track, at.as_ref()?)))
        {
            track.add(shape, at);
        }
        stands.push(source.stand(&objects, first.as_ref().unwrap_or(&objects)));
        first.get_or_insert(objects);
    }
    let fields = values.fields(source);
    Ok(first.map(|first| Frames { numbers, stands, fields, first, tracks }))
}

impl Frames {
    /// Returns the film, with positions of so many bits, as JSON.
    fn film(&self, source: &Source, title: &str, bits: u32) -> String {
        let Frames { numbers, stands, fields, first, tracks } = self;
        let header = header(source, title, numbers, first, stands, fields);
        let objects = match header.get("objects") {
            Some(Json::List(objects)) => objects.clone(),
            _ => Vec::new(),
        };
        let objects = tracks.iter().zip(objects).map(|(track, object)| track.with(object, fields, bits)).collect();
        header.with("objects", Json::List(objects)).to_string()
    }
}

/// Returns the film of a run in at most `most` characters, if that is possible: every n-th frame of a long one.
///
/// # Errors
/// A mesh cannot be read.
pub(crate) fn film(source: &Source, title: &str, most: usize) -> Result<Film, DiskError> {
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
    let mut every =
        ((f64::from(count) * least / most as f64).ceil() as u32).max(count.div_ceil(FRAMES)).clamp(1, count);
    let mut bits = BITS.as_slice();
    loop {
        let Some(frames) = read(source, chosen(source.record.there(), every))? else {
            return Ok(Film::None("there is no frame yet"));
        };
        let mut film = frames.film(source, title, bits[0]);
        while film.len() > most && bits.len() > 1 {
            bits = &bits[1..];
            film = frames.film(source, title, bits[0]);
        }
        if film.len() <= most || frames.numbers.len() <= 2 && film.len() <= EXCESS * most {
            return Ok(Film::Whole(film));
        }
        if frames.numbers.len() <= 2 {
            return Ok(Film::None("its meshes are too large for a page; percale view shows it"));
        }
        let more = (f64::from(every) * film.len() as f64 / most as f64).ceil() as u32;
        every = more.clamp(every + 1, count.max(every + 1));
    }
}
