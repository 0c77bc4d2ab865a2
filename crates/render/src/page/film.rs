//! Film of a run: positions and fields of a mesh over frames, as small as a page needs them.
//!
//! A code is a 16-bit whole number of quanta. Its change since the last frame is predicted by the mean change of the
//! vertices before it that share a triangle with it. The remainders, modulo 2^16, go into two streams of zlib: low
//! bytes and high bytes, frame after frame, axis after axis. `viewer/film.js` reads them.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

/// Largest code of a value; 255 stands for a value that is not there.
const LEVELS: f64 = 254.0;

/// Code of a value that is not there.
pub const NOTHING: u8 = 255;

/// Grid of positions: a code stands for `low + code * step`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Lower corner [m].
    pub low: [f64; 3],
    /// Quantum [m].
    pub step: f64,
}

impl Grid {
    /// Returns the grid of a box with codes of so many bits, at most 16, along its longest side.
    pub fn over(low: [f64; 3], high: [f64; 3], bits: u32) -> Grid {
        let longest = low.iter().zip(high).map(|(low, high)| high - low).fold(0.0, f64::max);
        let most = f64::from((1u32 << bits.min(16)) - 1);
        Grid { low, step: if longest > 0.0 { longest / most } else { 1.0 } }
    }

    /// Returns the codes of a position, which are off by at most half a quantum inside the box.
    pub fn codes(&self, position: [f64; 3]) -> [u16; 3] {
        [0, 1, 2].map(|axis| ((position[axis] - self.low[axis]) / self.step).round() as u16)
    }

    /// Returns the position of codes [m].
    pub fn position(&self, codes: [u16; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.low[axis] + f64::from(codes[axis]) * self.step)
    }
}

/// Returns the code of a field's value between two bounds, beyond which it is cut. NaN has [`NOTHING`].
pub fn level(value: f64, [low, high]: [f64; 2]) -> u8 {
    if value.is_nan() { NOTHING } else { (LEVELS * ((value - low) / (high - low)).clamp(0.0, 1.0)).round() as u8 }
}

/// Vertices before each vertex that share a triangle with it, which predict it.
#[derive(Clone, Debug, Default)]
pub struct Before {
    starts: Vec<u32>,
    vertices: Vec<u32>,
}

impl Before {
    /// Finds them. Indices beyond the vertices are left out.
    pub fn of(vertices: usize, triangles: &[[u32; 3]]) -> Before {
        let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(3 * triangles.len());
        for [a, b, c] in triangles {
            let sides = [[a, b], [b, c], [c, a]].map(|[a, b]| [*a.max(b), *a.min(b)]);
            pairs.extend(sides.into_iter().filter(|[high, low]| high > low && (*high as usize) < vertices));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let starts = (0..=vertices).map(|v| pairs.partition_point(|[high, _]| (*high as usize) < v) as u32).collect();
        Before { starts, vertices: pairs.into_iter().map(|[_, low]| low).collect() }
    }

    /// Returns the mean of the values of the vertices before a vertex, rounded; zero without any.
    fn mean(&self, v: usize, values: &[i32]) -> i32 {
        let before = &self.vertices[self.starts[v] as usize..self.starts[v + 1] as usize];
        let count = before.len() as i32;
        if count == 0 {
            return 0;
        }
        let sum: i32 = before.iter().map(|b| values[*b as usize]).sum();
        (2 * sum + count).div_euclid(2 * count)
    }
}

/// Stream of zlib, in memory.
struct Stream(ZlibEncoder<Vec<u8>>);

impl Stream {
    fn new() -> Stream {
        Stream(ZlibEncoder::new(Vec::new(), Compression::best()))
    }

    /// Adds bytes. Writing to memory does not fail.
    fn add(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes);
    }

    fn bytes(self) -> Vec<u8> {
        self.0.finish().unwrap_or_default()
    }
}

/// Returns bytes compressed by zlib.
pub fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut stream = Stream::new();
    stream.add(bytes);
    stream.bytes()
}

/// Returns bytes as base64.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns indices of triangles, compressed: remainders after the same corner of the triangle before, as four planes of
/// bytes from the lowest.
pub fn triangles(triangles: &[[u32; 3]]) -> Vec<u8> {
    let mut last = [0i32; 3];
    let mut codes = Vec::with_capacity(3 * triangles.len());
    for triangle in triangles {
        for (last, index) in last.iter_mut().zip(triangle.map(|index| index as i32)) {
            let change = index.wrapping_sub(*last);
            codes.push(((change << 1) ^ (change >> 31)) as u32);
            *last = index;
        }
    }
    let planes: Vec<u8> = (0..4).flat_map(|k| codes.iter().map(move |code| (code >> (8 * k)) as u8)).collect();
    deflated(&planes)
}

/// Encoder of the codes of one mesh, frame after frame.
pub struct Coder<'a> {
    before: &'a Before,
    last: Vec<i32>,
    planes: [Stream; 2],
}

impl<'a> Coder<'a> {
    /// Begins with so many numbers at each vertex.
    pub fn new(before: &'a Before, numbers: usize) -> Coder<'a> {
        let vertices = before.starts.len().saturating_sub(1);
        Coder { before, last: vec![0; numbers * vertices], planes: [Stream::new(), Stream::new()] }
    }

    /// Adds a frame: the codes of all vertices for the first number, then for the next.
    pub fn add(&mut self, codes: &[u16]) {
        let vertices = self.before.starts.len().saturating_sub(1).max(1);
        let mut change = vec![0; vertices];
        let mut bytes = [Vec::with_capacity(codes.len()), Vec::with_capacity(codes.len())];
        for (last, codes) in self.last.chunks_mut(vertices).zip(codes.chunks(vertices)) {
            for (v, (last, code)) in last.iter_mut().zip(codes).enumerate() {
                change[v] = i32::from(*code) - *last;
                *last = i32::from(*code);
                let rest = (change[v] - self.before.mean(v, &change)) as u16 as i16;
                let folded = ((rest << 1) ^ (rest >> 15)) as u16;
                for (bytes, byte) in bytes.iter_mut().zip(folded.to_le_bytes()) {
                    bytes.push(byte);
                }
            }
        }
        for (plane, bytes) in self.planes.iter_mut().zip(bytes) {
            plane.add(&bytes);
        }
    }

    /// Returns the two streams: low bytes, high bytes.
    pub fn streams(self) -> [Vec<u8>; 2] {
        self.planes.map(Stream::bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::ZlibDecoder;
    use std::io::Read;

    /// Quads of a grid, `n` by `n` vertices.
    fn grid(n: u32) -> Vec<[u32; 3]> {
        let cells = (0..n - 1).flat_map(|j| (0..n - 1).map(move |i| j * n + i));
        cells.flat_map(|a| [[a, a + 1, a + n], [a + 1, a + n + 1, a + n]]).collect()
    }

    fn inflated(bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        ZlibDecoder::new(bytes).read_to_end(&mut out).unwrap();
        out
    }

    /// Decodes the streams of a coder, as the viewer does.
    fn decoded(before: &Before, numbers: usize, streams: &[Vec<u8>; 2]) -> Vec<Vec<u16>> {
        let vertices = before.starts.len() - 1;
        let [low, high] = [inflated(&streams[0]), inflated(&streams[1])];
        let mut last = vec![0u16; numbers * vertices];
        let mut frames = Vec::new();
        for (low, high) in low.chunks(last.len()).zip(high.chunks(last.len())) {
            for number in 0..numbers {
                let mut change = vec![0; vertices];
                for v in 0..vertices {
                    let k = number * vertices + v;
                    let folded = u16::from_le_bytes([low[k], high[k]]);
                    let rest = (folded >> 1) as i32 ^ -i32::from(folded & 1);
                    let code = (i32::from(last[k]) + before.mean(v, &change) + rest) as u16;
                    change[v] = i32::from(code) - i32::from(last[k]);
                    last[k] = code;
                }
            }
            frames.push(last.clone());
        }
        frames
    }

    /// A sheet that swings, with waves, and jumps by its whole size in the last frame.
    fn swinging(n: u32, frame: u32) -> Vec<[f64; 3]> {
        let t = f64::from(frame) / 30.0;
        let place = |k: u32| {
            let [x, z] = [k % n, k / n].map(|i| f64::from(i) / f64::from(n - 1));
            let y = 0.1 * (9.0 * x + 4.0 * t).sin() * (7.0 * z - 3.0 * t).cos() - 0.3 * t;
            if frame == 9 { [1.0 - x, -y, 1.0 - z] } else { [x + 0.02 * (8.0 * t).sin(), y, z] }
        };
        (0..n * n).map(place).collect()
    }

    #[test]
    fn positions_come_back_within_half_a_quantum() {
        let (n, before) = (21, Before::of(21 * 21, &grid(21)));
        let frames: Vec<Vec<[f64; 3]>> = (0..10).map(|frame| swinging(n, frame)).collect();
        let all = || frames.iter().flatten();
        let low = [0, 1, 2].map(|axis| all().map(|p| p[axis]).fold(f64::INFINITY, f64::min));
        let high = [0, 1, 2].map(|axis| all().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max));
        for bits in [16, 12] {
            let grid = Grid::over(low, high, bits);
            let mut coder = Coder::new(&before, 3);
            for frame in &frames {
                let codes: Vec<[u16; 3]> = frame.iter().map(|p| grid.codes(*p)).collect();
                coder.add(&(0..3).flat_map(|axis| codes.iter().map(move |c| c[axis])).collect::<Vec<u16>>());
            }
            let back = decoded(&before, 3, &coder.streams());
            assert_eq!(back.len(), frames.len());
            let mut worst: f64 = 0.0;
            for (frame, codes) in frames.iter().zip(&back) {
                for (v, p) in frame.iter().enumerate() {
                    let seen = grid.position([0, 1, 2].map(|axis| codes[axis * frame.len() + v]));
                    worst = (0..3).map(|axis| (seen[axis] - p[axis]).abs()).fold(worst, f64::max);
                }
            }
            assert!(worst <= 0.5001 * grid.step && worst > 0.4 * grid.step, "{bits} bits: {worst} of {}", grid.step);
        }
    }

    #[test]
    fn codes_at_both_ends_come_back() {
        let before = Before::of(4, &[[0, 1, 2], [2, 1, 3], [2, 9, 3]]);
        let frames = [[0, 65535, 0, 65535], [65535, 0, 65535, 0], [1, 2, 3, 4], [32768, 32767, 0, 65535]];
        let mut coder = Coder::new(&before, 1);
        frames.iter().for_each(|frame| coder.add(frame));
        let back = decoded(&before, 1, &coder.streams());
        assert_eq!(back, frames.map(|frame| frame.to_vec()));
    }

    #[test]
    fn a_point_has_a_grid_and_values_have_levels() {
        let grid = Grid::over([1.0; 3], [1.0; 3], 16);
        assert_eq!(grid.position(grid.codes([1.0; 3])), [1.0; 3]);
        let levels = [f64::NAN, -1.0, 0.0, 1.0, 2.0, 9.0].map(|value| level(value, [0.0, 2.0]));
        assert_eq!(levels, [NOTHING, 0, 0, 127, 254, 254]);
    }

    #[test]
    fn triangles_come_back() {
        let mut all = grid(40);
        all.push([1_000_000, 0, 3]);
        let bytes = triangles(&all);
        assert!(bytes.len() < all.len(), "{} bytes for {} triangles", bytes.len(), all.len());
        let planes = inflated(&bytes);
        let count = planes.len() / 4;
        let mut last = [0i32; 3];
        let mut back = Vec::new();
        for k in 0..count {
            let code = u32::from_le_bytes([0, 1, 2, 3].map(|plane| planes[plane * count + k]));
            last[k % 3] = last[k % 3].wrapping_add((code >> 1) as i32 ^ -((code & 1) as i32));
            back.push(last[k % 3] as u32);
        }
        assert_eq!(back.as_chunks().0, all);
    }
}
