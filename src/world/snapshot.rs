//! A state as bytes and back, bit for bit: little endian, lists with their length before them.
//!
//! The bytes are the number of vertices, then sections: name, version, length and content. A section that says no more than a new state
//! is left out, so runs without an effect do not know of its section. One with an unknown name or version is told by name.

use super::State;
use crate::collision::certificate::Pair;
use crate::field::air::Air;
use crate::field::balloon::Inside;
use crate::field::flow::Flow;
use crate::field::water::Water;
use crate::force::bridge::Bridge;
use crate::force::contact::Bristle;
use crate::force::term::Section;
use crate::linalg::Vec3;
use crate::world::pick::Grip;
use crate::world::yields::{Dent, Slack};
use std::fmt;

/// Begins the name of a section that is a law's memory.
const LAW: &str = "law ";
/// What is said of bytes that end early, or go on.
const DAMAGED: Unread = Unread::Damaged("the state in it is damaged");

/// Why bytes give no state or checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// They are not as they were written.
    Damaged(&'static str),
    /// The disk refuses, or their number is impossible.
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

/// Sections of a state with their versions, and the fields in each: one that is forgotten here does not compile.
macro_rules! sections {
    ($($name:literal $version:literal { $($field:ident),* })*) => {
        /// The state as bytes.
        pub fn write(state: &State) -> Vec<u8> {
            let State { memory, $($($field,)*)* } = state;
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
                    // Of another version nothing is read.
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
                    None => return Err(Unread::Version(format!("it has '{name}', which is not known here"))),
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
    "yielding" 1 { slack, dents, calm }
    "air" 1 { airs }
    "balloons" 2 { balloons }
    "water" 1 { water }
    "bridges" 1 { bridges }
    "flow" 1 { flow }
    "room" 1 { room }
    "anchors" 1 { anchors }
    "pointers" 1 { picks }
    "probes" 1 { work }
    "energy" 1 { owed }
}

fn put_section(out: &mut Vec<u8>, name: &str, version: u32, content: &[u8]) {
    name.as_bytes().to_vec().put(out);
    version.put(out);
    content.len().put(out);
    out.extend(content);
}

/// The state that [`write`] made these bytes of.
///
/// # Errors
/// The bytes are no state, or have a section that is not known, by its name.
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

/// So many bytes of a state tell [`vertices`].
pub const FIRST: usize = 8;

/// How many vertices a state has, from its first bytes.
pub fn vertices(mut bytes: &[u8]) -> Option<u64> {
    u64::take(&mut bytes)
}

/// Something that is part of a state.
trait Piece: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// Numbers.
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

/// Structures, by all of their fields: one that is forgotten here does not compile.
macro_rules! pieces {
    ($($name:ident { $($field:ident),* })*) => {$(
        impl Piece for $name {
            fn put(&self, out: &mut Vec<u8>) {
                let $name { $($field),* } = self;
                $($field.put(out);)*
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                $(let $field = Piece::take(from)?;)*
                Some($name { $($field),* })
            }
        }
    )*};
}

pieces! {
    Bristle { deflection, sliding, kept, load }
    Air { energy, flux, excess, before, free }
    Inside { energy, excess }
    Water { absorbed, film, bridged, joined, dried }
    Bridge { vertex, side, triangle, volume, height }
    Flow { velocity, pressure, kick, force }
    Grip { press, vertex }
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
        // What claims to be longer than what is left ends there, whatever it says.
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

    #[test]
    fn every_bit_comes_back_and_nothing_else_is_taken() {
        let odd = [0.1, -0.0, f64::MIN_POSITIVE / 8.0, 1e300, f64::NEG_INFINITY];
        let v = |k: usize| Vec3::new(odd[k % 5], odd[(k + 1) % 5], odd[(k + 3) % 5]);
        let state = State {
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
            slack: vec![Slack { pin: 2, place: 7, stiffness: 0.1, back: true, calm: 3, off: v(1) }],
            dents: vec![Dent { vertex: 9, depth: 1e-3, was: 2e-3, calm: 2, tight: true, meet: v(3) }],
            calm: 4,
            airs: vec![Air {
                energy: vec![1.0],
                flux: odd.to_vec(),
                excess: vec![-0.0],
                before: Vec::new(),
                free: vec![0.5],
            }],
            balloons: vec![Inside { energy: 0.3, excess: -2.0 }],
            water: Water {
                absorbed: odd.to_vec(),
                film: vec![0.1, -0.0],
                bridged: vec![0.2],
                joined: 0.7,
                dried: -0.0,
            },
            bridges: vec![Bridge { vertex: 3, side: 1, triangle: u32::MAX, volume: 1e-9, height: 0.1 }],
            flow: Flow {
                velocity: [vec![0.1], odd.to_vec(), Vec::new()],
                pressure: vec![-0.0, 0.3],
                kick: [Vec::new(), vec![1.0], vec![-0.0]],
                force: vec![v(2)],
            },
            room: vec![0.3, -0.0],
            memory: Memory(vec![Section { word: "cord".into(), version: 3, values: odd.to_vec() }]),
            anchors: vec![None, Some(vec![v(1), v(2)]), Some(Vec::new())],
            picks: vec![Grip { press: Some(3), vertex: None }, Grip::default()],
            work: vec![-0.0, 0.1],
            owed: vec![0.25, -0.5],
        };
        let bytes = write(&state);
        let back = read(&bytes).unwrap();
        assert_eq!(back, state);
        // `==` takes -0.0 for 0.0; bytes do not.
        assert_eq!(write(&back), bytes);
        for length in 0..bytes.len() {
            let cut = read(&bytes[..length]);
            // Where a section ends the rest may be of effects that are not there.
            assert!(cut.is_err() || cut.is_ok_and(|cut| cut != state), "{length} of {} bytes", bytes.len());
        }
        assert_eq!(read(&[&bytes[..], &[0]].concat()), Err(DAMAGED));
    }

    /// A state of a run without an effect has no section of it; one that is not known is told by name.
    #[test]
    fn sections_are_told_by_name() {
        let state = State { x: vec![Vec3::x()], time: 1.0, ..State::default() };
        let bytes = write(&state);
        assert!(["balloons", "probes"].iter().all(|effect| !String::from_utf8_lossy(&bytes).contains(effect)));
        let mut strange = bytes.clone();
        put_section(&mut strange, "magnetism", 1, &[1, 2]);
        assert!(read(&strange).unwrap_err().to_string().contains("'magnetism'"));
        let mut newer = bytes.clone();
        put_section(&mut newer, "air", 2, &[1, 2]);
        assert!(
            read(&newer)
                .unwrap_err()
                .to_string()
                .contains("of another version of percale: its 'air' is of version 2, not 1")
        );
        assert_eq!(read(&bytes), Ok(state));
    }
}
