//! Serialisation of a state, bit for bit: little endian, lists with their length before them.
//!
//! The bytes are the number of vertices, then sections: name, version, length and content. A section equal to that of a
//! new state is left out. So a run without an effect does not depend on its section. An unknown name or version is an
//! error that names the section.

use super::State;
use super::effects::{Memories, RawSection};
use crate::collision::certificate::Pair;
use crate::force::contact::Bristle;
use crate::force::term::Section;
use crate::linalg::Vec3;
use crate::world::yields::{Dent, Slack};
use std::fmt;

/// Prefix of the section name of a law's memory.
const LAW: &str = "law ";
/// Error for bytes that end early or are left over.
const DAMAGED: Unread = Unread::Damaged("the state in it is damaged");

/// Reason why bytes give no state or checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The bytes are damaged.
    Damaged(&'static str),
    /// The disk refuses, or the size is impossible.
    Impossible(String),
    /// Another version of the program has written them.
    Version(String),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unread::Damaged(why) => write!(f, "{why}"),
            Unread::Impossible(why) => write!(f, "{why}"),
            Unread::Version(why) => write!(f, "of another version of percale: {why}"),
        }
    }
}

/// Declares the sections of a state: name, version and fields. A missing field is a compile error.
macro_rules! sections {
    ($($name:literal $version:literal { $($field:ident),* })*) => {
        /// Writes the state as bytes.
        pub fn write(state: &State) -> Vec<u8> {
            let State { memory, effects, $($($field,)*)* } = state;
            let blank = State::default();
            let mut out = Vec::new();
            state.x.len().put(&mut out);
            $(
                let (mut own, mut none) = (Vec::new(), Vec::new());
                $($field.put(&mut own); blank.$field.put(&mut none);)*
                if own != none {
                    put_section(&mut out, $name, $version, &own);
                }
            )*
            put_effects(&mut out, effects);
            for Section { word, version, values } in &memory.0 {
                let mut own = Vec::new();
                values.put(&mut own);
                put_section(&mut out, &format!("{LAW}{word}"), *version, &own);
            }
            out
        }

        /// Reads the content of a section into the state.
        fn read_section(state: &mut State, name: &str, version: u32, content: &[u8]) -> Result<(), Unread> {
            let from = &mut &*content;
            let (known, whole) = match name {
                $($name => {
                    // A section of another version is not read.
                    let read = version == $version && (|| {
                        $(state.$field = Piece::take(from)?;)*
                        Some(())
                    })().is_some();
                    ($version, read)
                })*
                _ => match name.strip_prefix(LAW) {
                    Some(word) => {
                        let values = Piece::take(from);
                        let whole = values.is_some();
                        state.memory.0.push(Section { word: word.to_string(), version, values: values.unwrap_or_default() });
                        (version, whole)
                    }
                    None => {
                        // Effects of the scene read their sections later.
                        state.effects.unread.push(RawSection { name: name.to_string(), version, bytes: content.to_vec() });
                        return Ok(());
                    }
                },
            };
            match () {
                () if version != known => Err(Unread::Version(format!("its '{name}' is of version {version}, not {known}"))),
                () if whole && from.is_empty() => Ok(()),
                () => Err(DAMAGED),
            }
        }
    };
}

sections! {
    "time" 1 { time, lag, held, step, last, target, clean }
    "short" 1 { short }
    "motion" 1 { x, v, x_before, v_before, guess }
    "friction" 2 { bristles }
    "crossings" 1 { ignored, released }
    "caught" 1 { passing }
    "yielding" 1 { slack, dents, calm }
    "room" 1 { offset_scale }
    "anchors" 1 { anchors }
    "probes" 1 { work }
    "energy" 1 { energy_drift }
    "driven" 3 { driven }
}

/// Writes the sections of effects that differ from those of a new memory, and sections not assigned to an effect.
fn put_effects(out: &mut Vec<u8>, effects: &Memories) {
    for memory in effects.all() {
        let blank = memory.blank();
        for (section, (name, version)) in memory.sections().iter().enumerate() {
            let (mut own, mut none) = (Vec::new(), Vec::new());
            memory.put(section, &mut own);
            blank.put(section, &mut none);
            if own != none {
                put_section(out, name, *version, &own);
            }
        }
    }
    for RawSection { name, version, bytes } in &effects.unread {
        put_section(out, name, *version, bytes);
    }
}

fn put_section(out: &mut Vec<u8>, name: &str, version: u32, content: &[u8]) {
    name.as_bytes().to_vec().put(out);
    version.put(out);
    content.len().put(out);
    out.extend(content);
}

/// Reads a state from the bytes of [`write`].
///
/// # Errors
/// The bytes are damaged, or a section has another version; the message names it.
pub fn read(mut bytes: &[u8]) -> Result<State, Unread> {
    let mut state = State::default();
    let vertices = usize::take(&mut bytes).ok_or(DAMAGED)?;
    while !bytes.is_empty() {
        let mut head = || {
            let name = String::from_utf8(Piece::take(&mut bytes)?).ok()?;
            let (version, length) = (u32::take(&mut bytes)?, usize::take(&mut bytes)?);
            let (content, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            Some((name, version, content))
        };
        let (name, version, content) = head().ok_or(DAMAGED)?;
        read_section(&mut state, &name, version, content)?;
    }
    if state.x.len() == vertices { Ok(state) } else { Err(DAMAGED) }
}

/// Number of leading bytes that [`vertices`] needs.
pub const FIRST: usize = 8;

/// Reads the number of vertices of a state from its first bytes.
pub fn vertices(mut bytes: &[u8]) -> Option<u64> {
    u64::take(&mut bytes)
}

/// Value in the bytes of a state.
pub trait Piece: Sized {
    /// Appends the bytes of the value.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads the value from the first bytes; `None` if they are damaged.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// Implements [`Piece`] for numbers.
macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Piece for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                let (own, rest) = from.split_first_chunk()?;
                *from = rest;
                Some(<$number>::from_le_bytes(*own))
            }
        }
    )*};
}

numbers!(u8 u32 u64 f64);

/// Implements [`Piece`] for structs, field by field. A missing field is a compile error.
macro_rules! pieces {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl $crate::world::snapshot::Piece for $name {
            fn put(&self, out: &mut Vec<u8>) {
                let $name { $($field),* } = self;
                $($crate::world::snapshot::Piece::put($field, out);)*
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                $(let $field = $crate::world::snapshot::Piece::take(from)?;)*
                Some($name { $($field),* })
            }
        }
    )*};
}

pub(crate) use pieces;

pieces! {
    Bristle { deflection, sliding, kept, load }
    Slack { pin, place, stiffness, back, calm, off }
    Dent { vertex, depth, was, calm, tight, meet }
}

impl Piece for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }
    fn take(from: &mut &[u8]) -> Option<bool> {
        match u8::take(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Piece for usize {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }
    fn take(from: &mut &[u8]) -> Option<usize> {
        usize::try_from(u64::take(from)?).ok()
    }
}

impl Piece for Vec3 {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|c| c.put(out));
    }
    fn take(from: &mut &[u8]) -> Option<Vec3> {
        Some(Vec3::new(f64::take(from)?, f64::take(from)?, f64::take(from)?))
    }
}

impl Piece for Pair {
    fn put(&self, out: &mut Vec<u8>) {
        (*self == Pair::EdgeEdge).put(out);
    }
    fn take(from: &mut &[u8]) -> Option<Pair> {
        Some(if bool::take(from)? { Pair::EdgeEdge } else { Pair::VertexFace })
    }
}

impl Piece for [f64; 4] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|x| x.put(out));
    }
    fn take(from: &mut &[u8]) -> Option<Self> {
        Some([f64::take(from)?, f64::take(from)?, f64::take(from)?, f64::take(from)?])
    }
}

impl Piece for [u32; 2] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|n| n.put(out));
    }
    fn take(from: &mut &[u8]) -> Option<[u32; 2]> {
        Some([u32::take(from)?, u32::take(from)?])
    }
}

impl Piece for [Vec<f64>; 3] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|own| own.put(out));
    }
    fn take(from: &mut &[u8]) -> Option<[Vec<f64>; 3]> {
        Some([Vec::take(from)?, Vec::take(from)?, Vec::take(from)?])
    }
}

impl<A: Piece, B: Piece> Piece for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn take(from: &mut &[u8]) -> Option<(A, B)> {
        Some((A::take(from)?, B::take(from)?))
    }
}

impl<T: Piece> Piece for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|value| value.put(out));
    }
    fn take(from: &mut &[u8]) -> Option<Option<T>> {
        if bool::take(from)? { Some(Some(T::take(from)?)) } else { Some(None) }
    }
}

impl<T: Piece> Piece for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|value| value.put(out));
    }
    fn take(from: &mut &[u8]) -> Option<Vec<T>> {
        let count = usize::take(from)?;
        // The capacity is bounded by the remaining bytes, because a damaged length may be arbitrarily large.
        let mut all = Vec::with_capacity(count.min(from.len() / size_of::<T>().max(1) + 1));
        for _ in 0..count {
            all.push(T::take(from)?);
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::term::Memory;
    use crate::world::driven::{Driven, Factor};
    use crate::world::glide::Glide;
    use crate::world::keyed::Of;

    #[test]
    fn every_bit_comes_back_and_nothing_else_is_taken() {
        let odd = [0.1, -0.0, f64::MIN_POSITIVE / 8.0, 1e300, f64::NEG_INFINITY];
        let v = |k: usize| Vec3::new(odd[k % 5], odd[(k + 1) % 5], odd[(k + 3) % 5]);
        let mut effects = Memories::default();
        effects.unread.push(RawSection { name: "tide".into(), version: 2, bytes: vec![7, 8] });
        let state = State {
            effects,
            time: 0.1 + 0.2,
            lag: 1e-17,
            held: 1.0,
            step: u64::MAX,
            x: (0..7).map(v).collect(),
            v: (1..8).map(v).collect(),
            x_before: vec![v(2)],
            v_before: Vec::new(),
            last: 1e-3,
            target: 2e-3,
            clean: 9,
            short: 11,
            guess: vec![v(4); 3],
            bristles: vec![(1 << 62, Bristle { deflection: v(0), sliding: true, kept: false, load: 0.3 })],
            ignored: vec![(Pair::EdgeEdge, [3, 4]), (Pair::VertexFace, [0, u32::MAX])],
            released: Some(2),
            passing: vec![0, 1 << 63, 5],
            slack: vec![Slack { pin: 2, place: 7, stiffness: 0.1, back: true, calm: 3, off: v(1) }],
            dents: vec![Dent { vertex: 9, depth: 1e-3, was: 2e-3, calm: 2, tight: true, meet: v(3) }],
            calm: 4,
            offset_scale: vec![0.3, -0.0],
            memory: Memory(vec![Section { word: "cord".into(), version: 3, values: odd.to_vec() }]),
            anchors: vec![None, Some(vec![v(1), v(2)]), Some(Vec::new())],
            work: vec![-0.0, 0.1],
            energy_drift: vec![0.25, -0.5],
            driven: Driven {
                wind: Some(v(3)),
                factors: vec![Factor { of: Of::Bend, object: Some(1), factor: -0.0 }],
                pressures: vec![(2, 1e3)],
                pins: vec![(1, Glide { from: 0.1, until: 0.2, start: vec![v(0)], end: vec![v(2)] })],
                pointers: vec![(1, vec![[0.1, 0.2, 0.3, 1.0]])],
                handles: vec![(0, Glide { from: 0.3, until: 0.4, start: vec![v(1)], end: vec![v(4)] })],
                ..Driven::default()
            },
        };
        let bytes = write(&state);
        let back = read(&bytes).unwrap();
        assert_eq!(back, state);
        // `==` treats -0.0 and 0.0 as equal; bytes do not.
        assert_eq!(write(&back), bytes);
        for length in 0..bytes.len() {
            let cut = read(&bytes[..length]);
            // A cut between two sections leaves readable bytes of another state.
            assert!(cut.is_err() || cut.is_ok_and(|cut| cut != state), "{length} of {} bytes", bytes.len());
        }
        assert_eq!(read(&[&bytes[..], &[0]].concat()), Err(DAMAGED));
    }

    /// A run without an effect writes no section of it. An unknown section is reported by name.
    #[test]
    fn sections_are_told_by_name() {
        let state = State { x: vec![Vec3::x()], time: 1.0, ..State::default() };
        let bytes = write(&state);
        assert!(["balloons", "probes"].iter().all(|effect| !String::from_utf8_lossy(&bytes).contains(effect)));
        let mut strange = bytes.clone();
        put_section(&mut strange, "magnetism", 1, &[1, 2]);
        let mut read_back = read(&strange).unwrap();
        assert_eq!(write(&read_back), strange);
        assert!(read_back.effects.settle(&Memories::default()).unwrap_err().contains("'magnetism'"));
        assert_eq!(read(&bytes), Ok(state));
    }
}
