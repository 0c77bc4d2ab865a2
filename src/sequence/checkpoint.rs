//! Checkpoints: all data that a run needs to continue as if it had not stopped.
//!
//! A file is a line that names the format, the length of a heading (8 bytes), the heading as JSON, the state
//! (`world::snapshot`), and the CRC-32 of all of that. The checksum rejects truncated or changed files.

use super::stats::FrameStats;
use crate::world::recording::Recording;
use crate::world::snapshot::{self, Unread};
use crate::world::{Course, Object, State, World};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// First line. The number changes with the format.
const MAGIC: &[u8; 21] = b"percale checkpoint 3\n";
/// First bytes of a checkpoint of any format version.
const ANY: &[u8] = b"percale checkpoint ";
/// Largest size of a heading [bytes]. The heading holds the scene and the names of objects.
const LARGEST_HEAD: u64 = 256 << 20;
/// Largest size of a state per vertex [bytes]. A state has less than 300 bytes a vertex, and 100 a contact.
const LARGEST_VERTEX: u64 = 16 << 10;

/// Checksums that identify an object's mesh and recorded motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Name of the object.
    pub name: String,
    /// Checksum of the kind, the triangles and the indices of vertices. A state fits only if it is equal.
    pub topology: u32,
    /// Checksum of the rest positions.
    pub shape: u32,
    /// Recorded motion: number of shapes, and the hashes of all shapes but the last and of all shapes.
    pub motion: Option<(usize, [u64; 2])>,
}

/// Point at which a run can continue.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Version of the program.
    pub version: String,
    /// Number of the last frame written.
    pub frame: u32,
    /// Counters of the steps since then, if there are any.
    pub partial: Option<FrameStats>,
    /// Wall time so far [s].
    pub wall: f64,
    /// The scene file as run.
    pub scene: String,
    /// Objects of the world.
    pub objects: Vec<Mark>,
    /// Checksum of the state that the run continues.
    pub continued: Option<u32>,
    /// The state.
    pub state: State,
}

/// Computes the marks of all objects of a world.
pub fn marks(world: &World) -> Vec<Mark> {
    let mark = |object: &Object| {
        let mut topology = crc32fast::Hasher::new();
        topology.update(object.kind.name().as_bytes());
        object.place.iter().chain(object.triangles.iter().flatten()).for_each(|n| topology.update(&n.to_le_bytes()));
        let mut shape = crc32fast::Hasher::new();
        let rest = object.place.iter().filter_map(|v| world.rest.get(*v as usize));
        rest.flat_map(|p| p.iter()).for_each(|c| shape.update(&c.to_le_bytes()));
        let motion = recording(world, &object.name).and_then(|recording| {
            let count = recording.count();
            Some((count, [recording.mark(count.saturating_sub(1))?, recording.mark(count)?]))
        });
        Mark { name: object.name.clone(), topology: topology.finalize(), shape: shape.finalize(), motion }
    };
    world.objects.iter().map(mark).collect()
}

fn recording<'a>(world: &'a World, name: &str) -> Option<&'a Recording> {
    let obstacle = world.obstacles.iter().find(|o| world.objects[o.object].name == name)?;
    match &obstacle.course {
        Course::Rigid(_) | Course::Glide(_) => None,
        Course::Recorded(recording) => Some(recording),
    }
}

impl Mark {
    /// Returns whether the recorded motion in `world` differs from the marked one, over the shapes that both have read.
    /// A longer run reads more shapes. The last shape of a run is beyond its end.
    pub fn moves_otherwise(&self, world: &World) -> bool {
        match (self.motion, recording(world, &self.name)) {
            (None, None) => false,
            (Some((count, [most, all])), Some(now)) if now.count() == count => {
                now.mark(count) != Some(all) || now.mark(count.saturating_sub(1)) != Some(most)
            }
            // A shorter recording has too few shapes for the comparison, so that it counts as equal.
            (Some((count, [most, _])), Some(now)) => now.mark(count.saturating_sub(1)).is_some_and(|now| now != most),
            _ => true,
        }
    }
}

impl Checkpoint {
    /// Returns the bytes of the file.
    pub fn bytes(&self) -> Vec<u8> {
        let Checkpoint { version, frame, partial, wall, scene, objects, continued, state } = self;
        let mark = |m: &Mark| json!({ "name": m.name, "topology": m.topology, "shape": m.shape, "motion": m.motion });
        let mut head = json!({
            "version": version,
            "frame": frame,
            "time": state.time,
            "step": state.step,
            "partial": partial.as_ref().map(FrameStats::line),
            "wall_seconds": wall,
            "objects": objects.iter().map(mark).collect::<Vec<_>>(),
            "scene": scene,
        });
        if let Some(continued) = continued {
            head["continued"] = json!(continued);
        }
        let head = head.to_string();
        let mut out = MAGIC.to_vec();
        out.extend((head.len() as u64).to_le_bytes());
        out.extend(head.as_bytes());
        out.extend(snapshot::write(state));
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// Reads a checkpoint file.
    ///
    /// # Errors
    /// Says why the file cannot be read or is no complete checkpoint. A file larger than memory is not read.
    pub fn read(path: &Path) -> Result<Checkpoint, Unread> {
        let refused = |error: std::io::Error| Unread::Impossible(error.to_string());
        let mut file = File::open(path).map_err(refused)?;
        let size = file.metadata().map_err(refused)?.len();
        let impossible = || Unread::Impossible(format!("{size} bytes, which no checkpoint of its objects has"));
        // The heading and the number of vertices are read first. A file of impossible size is not read further.
        let mut first = [0; MAGIC.len() + 8];
        if file.read_exact(&mut first).is_err() || !first.starts_with(MAGIC) {
            return Err(unknown(&first));
        }
        let head = first.last_chunk().map_or(0, |length| u64::from_le_bytes(*length));
        let begin = (first.len() as u64).checked_add(head).filter(|begin| *begin < size).ok_or_else(impossible)?;
        let mut state = [0; snapshot::FIRST];
        file.seek(SeekFrom::Start(begin)).and_then(|_| file.read_exact(&mut state)).map_err(|_| impossible())?;
        let vertices = snapshot::vertices(&state).ok_or_else(impossible)?;
        let most = LARGEST_HEAD.saturating_add(vertices.saturating_mul(LARGEST_VERTEX));
        if head > LARGEST_HEAD || size > most || size / 24 < vertices {
            return Err(impossible());
        }
        file.rewind().map_err(refused)?;
        let mut bytes = Vec::new();
        let room = usize::try_from(size).ok().and_then(|size| bytes.try_reserve_exact(size).ok());
        room.ok_or_else(|| Unread::Impossible(format!("{size} bytes, more than there is memory for")))?;
        file.take(size).read_to_end(&mut bytes).map_err(refused)?;
        Checkpoint::parse(&bytes)
    }

    /// Parses the bytes of a file.
    ///
    /// # Errors
    /// Says why the bytes are no complete checkpoint.
    pub fn parse(bytes: &[u8]) -> Result<Checkpoint, Unread> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(unknown(bytes));
        };
        let damaged = || Unread::Damaged("damaged: its checksum does not fit");
        let (rest, sum) = rest.split_last_chunk().ok_or_else(damaged)?;
        if crc32fast::hash(&bytes[..bytes.len() - sum.len()]) != u32::from_le_bytes(*sum) {
            return Err(damaged());
        }
        let (length, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (head, state) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let head: Value = serde_json::from_slice(head).map_err(|_| damaged())?;
        let state = snapshot::read(state)?;
        let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_string);
        let whole = |of: &Value, key: &str| of.get(key).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        let mark = |m: &Value| {
            let motion = serde_json::from_value(m.get("motion").cloned().unwrap_or_default()).ok()?;
            Some(Mark { name: text(m, "name")?, topology: whole(m, "topology")?, shape: whole(m, "shape")?, motion })
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
                continued: whole(&head, "continued"),
                state,
            })
        };
        // The checksum matches, so the file is as it was written.
        read().ok_or_else(|| Unread::Version("its heading lacks what this version has".to_string()))
    }
}

/// Says why a file with these first bytes is no checkpoint of this version.
fn unknown(first: &[u8]) -> Unread {
    let digits = first.strip_prefix(ANY).and_then(|rest| rest.split(|b| *b == b'\n').next());
    match digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse::<u32>().ok()) {
        Some(format) if !first.starts_with(MAGIC) => Unread::Version(format!("its format is {format}, not 3")),
        _ => Unread::Damaged("damaged, or no checkpoint"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec3;

    #[test]
    fn a_file_of_impossible_size_is_not_read() {
        let path = std::env::temp_dir().join(format!("percale-size-{}.ckpt", std::process::id()));
        let state = State { x: vec![Vec3::zeros(); 5], ..State::default() };
        let checkpoint = Checkpoint {
            version: "1".into(),
            frame: 1,
            partial: None,
            wall: 0.0,
            scene: String::new(),
            objects: Vec::new(),
            continued: None,
            state,
        };
        let bytes = checkpoint.bytes();
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(Checkpoint::read(&path), Ok(checkpoint));
        // A sparse file of a terabyte.
        File::options().write(true).open(&path).and_then(|file| file.set_len(1 << 40)).unwrap();
        assert!(
            Checkpoint::read(&path).unwrap_err().to_string().starts_with("1099511627776 bytes, which no checkpoint")
        );
        // A heading length, or a number of vertices, beyond the end of the file.
        let head = u64::from_le_bytes(bytes[21..29].try_into().unwrap()) as usize;
        for (at, count) in [(21, u64::MAX), (21, 1 << 50), (29 + head, 1 << 60), (29 + head, 1 << 20)] {
            let mut other = bytes.clone();
            other[at..at + 8].copy_from_slice(&count.to_le_bytes());
            std::fs::write(&path, other).unwrap();
            assert!(Checkpoint::read(&path).unwrap_err().to_string().contains("which no checkpoint"), "{at}");
        }
        for cut in [0, 10, 25, 29 + head + 10, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(Checkpoint::read(&path).is_err(), "{cut} bytes");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_checkpoint_reads_back_whole_or_not_at_all() {
        let checkpoint = Checkpoint {
            version: "1.2.3".into(),
            frame: 12,
            partial: Some(FrameStats { frame: 13, steps: 7, ..FrameStats::default() }),
            wall: 1.5,
            scene: "[time]\nframes = 3 # \"so\"\n".into(),
            objects: vec![Mark {
                name: "sheet".into(),
                topology: 1,
                shape: u32::MAX,
                motion: Some((3, [1, u64::MAX])),
            }],
            continued: Some(u32::MAX - 1),
            state: State { time: 0.1, step: 40, x: vec![Vec3::repeat(0.3); 5], ..State::default() },
        };
        let bytes = checkpoint.bytes();
        assert_eq!(Checkpoint::parse(&bytes), Ok(checkpoint));
        // Another format version is reported as such, not as damage. A truncated or changed file is refused.
        for (from, to) in [("checkpoint 3", "checkpoint 2"), ("checkpoint 3", "checkpoint 4")] {
            let other = String::from_utf8_lossy(&bytes[..21]).replace(from, to);
            let other = [other.as_bytes(), &bytes[21..]].concat();
            let reported = Checkpoint::parse(&other).unwrap_err().to_string();
            assert!(reported.starts_with("of another version of percale: its format is "), "{reported}");
        }
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
