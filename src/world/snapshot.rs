//! A state as bytes and back, bit for bit: little endian, lists with their length before them.

use super::State;
use crate::collision::certificate::Pair;
use crate::field::air::Air;
use crate::field::balloon::Inside;
use crate::force::contact::Bristle;
use crate::linalg::Vec3;

/// The state as bytes.
pub fn write(state: &State) -> Vec<u8> {
    let mut out = Vec::new();
    state.put(&mut out);
    out
}

/// The state that [`write`] made these bytes of; `None` where they are no state.
pub fn read(mut bytes: &[u8]) -> Option<State> {
    let state = State::take(&mut bytes)?;
    bytes.is_empty().then_some(state)
}

/// So many bytes of a state tell [`vertices`].
pub const FIRST: usize = 40;

/// How many vertices a state has, from its first bytes.
pub fn vertices(mut bytes: &[u8]) -> Option<u64> {
    // Time, lag, what is held back, step; then the places with their number before them.
    for _ in 0..4 {
        u64::take(&mut bytes)?;
    }
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
    State {
        time, lag, held, step, x, v, x_before, v_before, last, target, clean, guess, bristles, ignored, released, airs, balloons,
        room, anchors
    }
    Bristle { deflection, sliding, kept }
    Air { energy, flux, excess, before, free }
    Inside { energy, excess, shut }
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
            guess: vec![v(4); 3],
            bristles: vec![(1 << 62, Bristle { deflection: v(0), sliding: true, kept: false })],
            ignored: vec![(Pair::EdgeEdge, [3, 4]), (Pair::VertexFace, [0, u32::MAX])],
            released: Some(2),
            airs: vec![Air {
                energy: vec![1.0],
                flux: odd.to_vec(),
                excess: vec![-0.0],
                before: Vec::new(),
                free: vec![0.5],
            }],
            balloons: vec![Inside { energy: 0.3, excess: -2.0, shut: true }],
            room: vec![0.3, -0.0],
            anchors: vec![None, Some(vec![v(1), v(2)]), Some(Vec::new())],
        };
        let bytes = write(&state);
        let back = read(&bytes).unwrap();
        assert_eq!(back, state);
        // `==` takes -0.0 for 0.0; bytes do not.
        assert_eq!(write(&back), bytes);
        for length in 0..bytes.len() {
            assert_eq!(read(&bytes[..length]), None, "{length} of {} bytes", bytes.len());
        }
        assert_eq!(read(&[&bytes[..], &[0]].concat()), None);
    }
}
