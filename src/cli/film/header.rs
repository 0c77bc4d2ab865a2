//! Header of a film, as JSON: frames, camera, lights, objects and fields.

use super::{Objects, Source, is_still};
use crate::cli::picture::{Stand, is_ground, look_of};
use crate::effect::channels;
use crate::linalg::Vec3;
use crate::render::{Camera, Lights};
use crate::scene::json::Json;
use crate::sequence::Entry;
use crate::world::Kind;
use crate::world::quantity::Channel;

/// Share of a field's values that its colours need not reach, at each end.
const BEYOND: f64 = 1e-3;
/// Most values of a field from which its range is taken.
const LOOKED: usize = 2_000_000;

/// A field, and the values at the ends of its colours.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Quantity.
    pub channel: &'static Channel,
    /// Values at the first and the last colour.
    pub range: [f64; 2],
    /// Whether the viewer derives it from positions, since it is not in the files.
    pub derived: bool,
}

/// Values of the fields of some frames, from which ranges are taken.
pub(crate) struct Values {
    /// Most values of a frame.
    most: usize,
    all: Vec<(&'static Channel, bool, Vec<f64>)>,
}

impl Values {
    /// Begins, with so many frames to come.
    pub(crate) fn of(frames: usize) -> Values {
        Values { most: (LOOKED / frames.max(1)).max(1), all: Vec::new() }
    }

    fn add(&mut self, channel: &'static Channel, derived: bool, values: impl ExactSizeIterator<Item = f64>) {
        let every = values.len().div_ceil(self.most).max(1);
        let some = values.step_by(every).filter(|value| value.is_finite());
        match self.all.iter_mut().find(|(known, ..)| *known == channel) {
            Some((_, _, all)) => all.extend(some),
            None => self.all.push((channel, derived, some.collect())),
        }
    }

    /// Adds the values of a frame. Speeds come from velocities where the files have no field of them.
    pub(crate) fn look(&mut self, objects: &Objects) {
        for (_, at) in objects.iter().flatten().filter(|(shape, _)| shape.kind == Kind::Cloth) {
            for channel in channels() {
                if let Some(values) = at.field(channel.word) {
                    self.add(channel, false, values.iter().copied());
                } else if channel.word == "speed"
                    && let Some(velocities) = &at.velocities
                {
                    self.add(channel, true, velocities.iter().map(Vec3::norm));
                }
            }
        }
    }

    /// Returns the fields with their ranges: that of the scene's pictures, or almost all values.
    pub(crate) fn fields(self, source: &Source) -> Vec<Field> {
        let preview = &source.scene.preview;
        let field = |(channel, derived, mut values): (&'static Channel, bool, Vec<f64>)| {
            values.sort_by(f64::total_cmp);
            let at = |share: f64| values.get((share * values.len().saturating_sub(1) as f64).round() as usize);
            let [low, high] = [BEYOND, 1.0 - BEYOND].map(|share| at(share).copied().unwrap_or(0.0));
            let most = high.max(-low);
            let range = match preview.field_range.filter(|_| preview.field == Some(channel)) {
                Some(range) => range,
                None if channel.diverging => [-most.max(1e-6), most.max(1e-6)],
                None if low < high => [low, high],
                None => [low, low + 1e-6],
            };
            Field { channel, range, derived }
        };
        self.all.into_iter().map(field).collect()
    }
}

fn numbers(numbers: impl IntoIterator<Item = f64>) -> Json {
    let finite = |x: f64| if x.is_finite() { f64::from(x as f32) } else { 0.0 };
    Json::List(numbers.into_iter().map(|x| Json::Number(finite(x))).collect())
}

fn hex(colour: [f64; 3]) -> Json {
    let bytes = colour.map(|c| (255.0 * c.clamp(0.0, 1.0)).round() as u8);
    Json::text(format!("#{:02x}{:02x}{:02x}", bytes[0], bytes[1], bytes[2]))
}

/// Returns camera and ground of a frame: position, target, and the height of the ground if it is drawn.
fn pose(stand: &Stand) -> Json {
    let Camera { position, target, .. } = stand.camera;
    numbers(position.iter().chain(&target).copied().chain(stand.ground))
}

fn object(
    source: &Source,
    entry: &Entry,
    first: Option<&(crate::sequence::Shape, crate::sequence::Snapshot)>,
    stand: &Stand,
) -> Json {
    let look = look_of(&source.scene, entry.kind, &entry.name);
    let up = source.scene.upwards();
    let ground = look.as_ref().zip(first).is_some_and(|(look, (_, at))| is_ground(look, at, &up, stand.ground));
    let object = Json::map([
        ("name", Json::text(&entry.name)),
        ("kind", Json::text(entry.kind.name())),
        ("colour", hex(look.as_ref().map_or([0.5; 3], |look| look.colour))),
        ("shown", Json::Bool(look.is_some() && !ground)),
        ("smooth", Json::Bool(entry.kind == Kind::Cloth)),
        ("still", Json::Bool(is_still(entry))),
        ("vertices", Json::Number(entry.vertices as f64)),
        ("triangles", Json::Number(entry.triangles as f64)),
    ]);
    match &entry.frames {
        Some(there) => {
            let ends = [there.start, there.end].map(|frame| Json::Number(f64::from(frame)));
            object.with("there", Json::List(ends.into()))
        }
        None => object,
    }
}

/// Returns the header of a film of some frames of a run, `stands` for each. `first` are the objects of its first frame.
pub(crate) fn header(
    source: &Source,
    title: &str,
    frames: &[u32],
    first: &Objects,
    stands: &[Stand],
    fields: &[Field],
) -> Json {
    let Source { record, scene, .. } = source;
    let up = scene.upwards();
    let one = stands.windows(2).all(|two| two[0] == two[1]);
    let stands = if one { stands.get(..1).unwrap_or_default() } else { stands };
    let direction = stands.first().map_or(Vec3::z(), |stand| stand.camera.direction());
    let light = scene.preview.key.direction.map_or(Lights::studio(direction, up).key.direction, |d| d.into_inner());
    let field = |Field { channel, range, derived }: &Field| {
        let label = channel.label.unwrap_or(channel.word);
        Json::map([
            ("word", Json::text(channel.word)),
            ("label", Json::text(if *derived { "speed between frames" } else { label })),
            ("unit", Json::text(channel.unit)),
            ("diverging", Json::Bool(channel.diverging)),
            ("derived", Json::Bool(*derived)),
            ("low", Json::Number(range[0])),
            ("high", Json::Number(range[1])),
        ])
    };
    let objects = source.entries().into_iter().zip(first);
    let every = frames.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(1);
    let mut all = Json::map([
        ("title", Json::text(title)),
        ("status", Json::text(record.status.name())),
        ("fps", Json::Number(record.fps)),
        ("first", Json::Number(f64::from(record.first))),
        ("every", Json::Number(f64::from(every))),
        ("frames", Json::List(frames.iter().map(|frame| Json::Number(f64::from(*frame))).collect())),
        ("up", numbers(up.iter().copied())),
        ("view", Json::List(record.view.iter().map(|corner| numbers(corner.iter().copied())).collect())),
        ("aspect", Json::Number(source.aspect())),
        ("fov", Json::Number(scene.preview.camera.fov)),
        ("stage", Json::List(stands.iter().map(pose).collect())),
        ("light", numbers(light.iter().copied())),
        ("wireframe", Json::Bool(scene.preview.wireframe)),
        ("fields", Json::List(fields.iter().map(field).collect())),
        ("objects", Json::List(objects.map(|(entry, at)| object(source, entry, at.as_ref(), &stands[0])).collect())),
    ]);
    if let Some(field) = scene.preview.field {
        all = all.with("field", Json::text(field.word));
    }
    if let Some(colour) = scene.preview.background {
        all = all.with("background", hex(colour));
    }
    all
}
