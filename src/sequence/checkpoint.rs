//! A checkpoint: all that a run needs to go on as if it had not stopped.
//!
//! A file is a line that names the format, the length of a heading (8 bytes), the heading as JSON, the state
//! (`world::snapshot`), and the CRC-32 of all that. What is cut short or changed is no checkpoint.

use super::stats::FrameStats;
use crate::world::{Object, State, World, snapshot};
use serde_json::{Value, json};

/// First line; the number changes with the format.
const MAGIC: &[u8] = b"percale checkpoint 2\n";

/// What an object was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Its name.
    pub name: String,
    /// Sum of its kind, its triangles and the places of its vertices: where it differs, no state fits.
    pub topology: u32,
    /// Sum of its rest positions.
    pub shape: u32,
}

/// Where a run can go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Version of the program.
    pub version: String,
    /// Frames written.
    pub frame: u32,
    /// What the steps since then have counted, where there are any.
    pub partial: Option<FrameStats>,
    /// Wall time so far [s].
    pub wall: f64,
    /// The scene file as run.
    pub scene: String,
    /// Objects of the world.
    pub objects: Vec<Mark>,
    /// The state.
    pub state: State,
}

/// Marks of all objects of a world.
pub fn marks(world: &World) -> Vec<Mark> {
    let mark = |object: &Object| {
        let mut topology = crc32fast::Hasher::new();
        topology.update(object.kind.word().as_bytes());
        object.place.iter().chain(object.triangles.iter().flatten()).for_each(|n| topology.update(&n.to_le_bytes()));
        let mut shape = crc32fast::Hasher::new();
        let rest = object.place.iter().filter_map(|v| world.rest.get(*v as usize));
        rest.flat_map(|p| p.iter()).for_each(|c| shape.update(&c.to_le_bytes()));
        Mark { name: object.name.clone(), topology: topology.finalize(), shape: shape.finalize() }
    };
    world.objects.iter().map(mark).collect()
}

impl Checkpoint {
    /// The bytes of its file.
    pub fn bytes(&self) -> Vec<u8> {
        let Checkpoint { version, frame, partial, wall, scene, objects, state } = self;
        let mark = |m: &Mark| json!({ "name": m.name, "topology": m.topology, "shape": m.shape });
        let head = json!({
            "version": version,
            "frame": frame,
            "time": state.time,
            "step": state.step,
            "partial": partial.as_ref().map(FrameStats::line),
            "wall_seconds": wall,
            "objects": objects.iter().map(mark).collect::<Vec<_>>(),
            "scene": scene,
        })
        .to_string();
        let mut out = MAGIC.to_vec();
        out.extend((head.len() as u64).to_le_bytes());
        out.extend(head.as_bytes());
        out.extend(snapshot::write(state));
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// From the bytes of its file.
    ///
    /// # Errors
    /// Why it is no whole checkpoint.
    pub fn parse(bytes: &[u8]) -> Result<Checkpoint, String> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err("no checkpoint of this version of percale".to_string());
        };
        let damaged = || "damaged: its checksum does not fit".to_string();
        let (rest, sum) = rest.split_last_chunk().ok_or_else(damaged)?;
        if crc32fast::hash(&bytes[..bytes.len() - sum.len()]) != u32::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (head, state) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let head: Value = serde_json::from_slice(head).map_err(|_| damaged())?;
        let state = snapshot::read(state).ok_or_else(damaged)?;
        let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_string);
        let whole = |of: &Value, key: &str| of.get(key).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let mark = |m: &Value| {
            Some(Mark { name: text(m, "name")?, topology: whole(m, "topology")?, shape: whole(m, "shape")? })
        };
        let read = || {
            Some(Checkpoint {
                version: text(&head, "version")?,
                frame: whole(&head, "frame")?,
                partial: match text(&head, "partial") {
                    Some(line) => Some(FrameStats::parse(&line)?),
                    None => None,
                },
                wall: head.get("wall_seconds").and_then(Value::as_f64)?,
                scene: text(&head, "scene")?,
                objects: head.get("objects")?.as_array()?.iter().map(mark).collect::<Option<_>>()?,
                state,
            })
        };
        read().ok_or_else(damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec3;

    #[test]
    fn a_checkpoint_reads_back_whole_or_not_at_all() {
        let checkpoint = Checkpoint {
            version: "1.2.3".into(),
            frame: 12,
            partial: Some(FrameStats { frame: 13, steps: 7, ..FrameStats::default() }),
            wall: 1.5,
            scene: "[time]\nframes = 3 # \"so\"\n".into(),
            objects: vec![Mark { name: "sheet".into(), topology: 1, shape: u32::MAX }],
            state: State { time: 0.1, step: 40, x: vec![Vec3::repeat(0.3); 5], ..State::default() },
        };
        let bytes = checkpoint.bytes();
        assert_eq!(Checkpoint::parse(&bytes), Ok(checkpoint));
        for length in 0..bytes.len() {
            assert!(Checkpoint::parse(&bytes[..length]).is_err(), "{length} bytes");
        }
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 4;
            assert!(Checkpoint::parse(&other).is_err(), "byte {at}");
        }
    }
}
