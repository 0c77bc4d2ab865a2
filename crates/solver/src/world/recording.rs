//! Recorded shapes of an obstacle, with linear interpolation in time. At most [`KEPT`] bytes of shapes are kept in
//! memory. Longer recordings go to an anonymous temporary file, which is deleted with the run.

use crate::linalg::Vec3;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest size of shapes kept in memory [bytes].
pub const KEPT: usize = 256 << 20;
/// Size of a position [bytes].
const WIDTH: usize = 24;

/// Times of the shapes.
#[derive(Clone, Debug, PartialEq)]
pub enum Clock {
    /// Equal intervals.
    Even {
        /// Time of the first shape [s].
        start: f64,
        /// Interval between shapes [s].
        interval: f64,
    },
    /// Time of each shape, ascending [s].
    Times(Vec<f64>),
}

impl Clock {
    /// Returns the time of shape `k`, counted from 0 [s].
    fn time(&self, k: usize) -> f64 {
        match self {
            Clock::Even { start, interval } => start + k as f64 * interval,
            Clock::Times(times) => times[k],
        }
    }
}

/// Shapes in temporal order.
#[derive(Clone, Debug)]
pub struct Recording {
    shapes: Arc<Shapes>,
    /// Number of shapes in use.
    count: usize,
    /// Times of the shapes.
    pub clock: Clock,
    /// Playback repeats. The last interval leads from the last shape to the first. Requires an even clock.
    pub repeat: bool,
    /// Offset subtracted from all positions [m].
    origin: Vec3,
    /// Hash of all shapes and times up to each shape, to compare recordings.
    marks: Vec<u64>,
}

#[derive(Debug)]
enum Shapes {
    Memory(Vec<Arc<[Vec3]>>),
    File(Mutex<Drawer>),
}

/// Shapes in a file, with the last two shapes read and the first read error.
#[derive(Debug)]
struct Drawer {
    file: File,
    vertices: usize,
    at_hand: [(usize, Arc<[Vec3]>); 2],
    fault: Option<String>,
}

/// Builder of a recording. Shapes are added one by one.
#[derive(Debug)]
pub struct Recorder {
    memory: Vec<Arc<[Vec3]>>,
    file: Option<BufWriter<File>>,
    vertices: usize,
    count: usize,
    kept: usize,
    marks: Vec<u64>,
}

/// Initial value of a hash.
const BLANK: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a number to a hash (FNV-1a, by words).
fn marked(mark: u64, number: f64) -> u64 {
    (mark ^ number.to_bits()).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
}

impl Default for Recorder {
    fn default() -> Recorder {
        Recorder::keeping(KEPT)
    }
}

impl Recorder {
    /// Creates a recorder that keeps at most `kept` bytes in memory.
    pub fn keeping(kept: usize) -> Recorder {
        Recorder { memory: Vec::new(), file: None, vertices: 0, count: 0, kept, marks: Vec::new() }
    }

    /// Adds a shape. All shapes must have as many vertices as the first.
    ///
    /// # Errors
    /// The folder of temporary files is full or cannot be written.
    pub fn add(&mut self, shape: &[Vec3]) -> io::Result<()> {
        if self.count == 0 {
            self.vertices = shape.len();
        }
        self.count += 1;
        let before = self.marks.last().copied().unwrap_or(BLANK);
        self.marks.push(shape.iter().flatten().fold(before, |mark, c| marked(mark, *c)));
        if self.file.is_none() && self.count * self.vertices * WIDTH > self.kept {
            let mut file = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
            self.memory.drain(..).try_for_each(|shape| put(&mut file, &shape))?;
            self.file = Some(file);
        }
        match &mut self.file {
            Some(file) => put(file, shape),
            None => {
                self.memory.push(shape.into());
                Ok(())
            }
        }
    }

    /// Finishes the recording, with the given times.
    ///
    /// # Errors
    /// As [`add`](Recorder::add).
    pub fn finish(self, clock: Clock, repeat: bool) -> io::Result<Recording> {
        let shapes = match self.file {
            None => Shapes::Memory(self.memory),
            Some(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                let none = || (usize::MAX, Arc::from(Vec::new()));
                Shapes::File(Mutex::new(Drawer {
                    file,
                    vertices: self.vertices,
                    at_hand: [none(), none()],
                    fault: None,
                }))
            }
        };
        let mut timed = BLANK;
        let mut marks = self.marks;
        for (k, mark) in marks.iter_mut().enumerate() {
            timed = marked(timed, clock.time(k));
            *mark ^= timed;
        }
        Ok(Recording { shapes: Arc::new(shapes), count: self.count, clock, repeat, origin: Vec3::zeros(), marks })
    }
}

fn put(file: &mut impl Write, shape: &[Vec3]) -> io::Result<()> {
    shape.iter().flatten().try_for_each(|c| file.write_all(&c.to_le_bytes()))
}

impl PartialEq for Recording {
    fn eq(&self, other: &Recording) -> bool {
        let of = |r: &Recording| (r.clock.clone(), r.count, r.repeat, r.origin);
        of(self) == of(other) && (0..self.count).all(|k| self.shape(k) == other.shape(k))
    }
}

impl Recording {
    /// Returns the number of shapes.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns shape `k`, counted from 0; `None` if the file cannot be read, with the reason in
    /// [`fault`](Recording::fault).
    pub fn shape(&self, k: usize) -> Option<Arc<[Vec3]>> {
        match &*self.shapes {
            Shapes::Memory(all) => all.get(k).cloned(),
            Shapes::File(drawer) => drawer.lock().unwrap_or_else(PoisonError::into_inner).shape(k),
        }
    }

    /// Returns the reason why a shape could not be read, if any.
    pub fn fault(&self) -> Option<String> {
        match &*self.shapes {
            Shapes::Memory(_) => None,
            Shapes::File(drawer) => drawer.lock().unwrap_or_else(PoisonError::into_inner).fault.clone(),
        }
    }

    /// Returns the time of shape `k`, counted from 0 [s].
    pub fn time(&self, k: usize) -> f64 {
        self.clock.time(k)
    }

    /// Returns a hash of the first `count` shapes and their times; `None` if there are fewer shapes.
    pub fn mark(&self, count: usize) -> Option<u64> {
        match count.checked_sub(1) {
            None => Some(BLANK),
            Some(last) => self.marks.get(last).copied(),
        }
    }

    /// Computes the largest vertex displacement from each shape to the next, and from the last to the first if playback
    /// repeats [m].
    pub fn ways(&self) -> Vec<f64> {
        let to = |k: usize| if k < self.count { k } else { 0 };
        let pairs = if self.count < 2 { 0 } else { self.count - usize::from(!self.repeat) };
        (0..pairs).map(|k| self.way(k, to(k + 1))).collect()
    }

    /// Computes the largest vertex displacement between two shapes [m].
    pub fn way(&self, from: usize, to: usize) -> f64 {
        let Some((a, b)) = self.shape(from).zip(self.shape(to)) else { return 0.0 };
        a.iter().zip(&*b).map(|(a, b)| (b - a).norm()).fold(0.0, f64::max)
    }

    /// Returns the first shape.
    pub fn start(&self) -> Vec<Vec3> {
        self.shape(0).map(|shape| shape.iter().map(|p| p - self.origin).collect()).unwrap_or_default()
    }

    /// Removes the last shape.
    pub fn leave_out_last(&mut self) {
        self.count -= 1;
    }

    /// Subtracts `origin` from all positions.
    pub fn shift(&mut self, origin: &Vec3) {
        self.origin += origin;
    }

    /// Interpolates the position of each vertex at time `t` [s]. Positions stay unchanged if a shape cannot be read.
    pub fn place(&self, t: f64, out: &mut [Vec3]) {
        let last = self.count - 1;
        let (low, high, f) = match &self.clock {
            Clock::Even { start, interval } => {
                let mut at = ((t - start) / interval).max(0.0);
                if self.repeat {
                    at = at.rem_euclid(self.count as f64);
                }
                let low = (at as usize).min(last);
                let high = if self.repeat && low == last { 0 } else { (low + 1).min(last) };
                (low, high, (at - low as f64).min(1.0))
            }
            Clock::Times(times) => bracket(self.count, |k| times[k], t).unwrap_or_default(),
        };
        let Some((low, high)) = self.shape(low).zip(self.shape(high)) else { return };
        for ((out, low), high) in out.iter_mut().zip(&*low).zip(&*high) {
            *out = (low - self.origin).lerp(&(high - self.origin), f);
        }
    }
}

impl Drawer {
    fn shape(&mut self, k: usize) -> Option<Arc<[Vec3]>> {
        if let Some((_, shape)) = self.at_hand.iter().find(|(own, _)| *own == k) {
            return Some(shape.clone());
        }
        match self.read(k) {
            Ok(shape) => {
                self.at_hand.swap(0, 1);
                self.at_hand[1] = (k, shape.clone());
                Some(shape)
            }
            Err(error) => {
                self.fault.get_or_insert(error.to_string());
                None
            }
        }
    }

    fn read(&mut self, k: usize) -> io::Result<Arc<[Vec3]>> {
        let mut bytes = vec![0; self.vertices * WIDTH];
        self.file.seek(SeekFrom::Start((k * bytes.len()) as u64))?;
        self.file.read_exact(&mut bytes)?;
        let real = |b: &[u8]| f64::from_le_bytes(std::array::from_fn(|k| b[k]));
        Ok(bytes.chunks_exact(WIDTH).map(|b| Vec3::new(real(b), real(&b[8..]), real(&b[16..]))).collect())
    }
}

/// Finds the two samples around `t` and the fraction between them; `None` without samples.
pub fn bracket(count: usize, time: impl Fn(usize) -> f64, t: f64) -> Option<(usize, usize, f64)> {
    let last = count.checked_sub(1)?;
    let mut next = 0;
    while next < count && time(next) <= t {
        next += 1;
    }
    if next == 0 {
        return Some((0, 0, 0.0));
    }
    if next > last {
        return Some((last, last, 0.0));
    }
    let (a, b) = (time(next - 1), time(next));
    Some((next - 1, next, (t - a) / (b - a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(kept: usize, clock: Clock, repeat: bool) -> Recording {
        let mut recorder = Recorder::keeping(kept);
        for k in 0..5 {
            let x = f64::from(k);
            recorder.add(&[Vec3::new(x * x, 0.1, -x), Vec3::new(0.3, x, 1.0)]).unwrap();
        }
        recorder.finish(clock, repeat).unwrap()
    }

    #[test]
    fn shapes_in_a_file_are_those_in_memory() {
        let clocks = [
            (Clock::Even { start: -0.3, interval: 0.7 }, false),
            (Clock::Even { start: 0.1, interval: 0.7 }, true),
            (Clock::Times(vec![0.0, 0.1, 0.5, 2.0, 2.5]), false),
        ];
        for (clock, repeat) in clocks {
            let [mut memory, mut file] = [KEPT, 100].map(|kept| recorded(kept, clock.clone(), repeat));
            assert!(matches!((&*memory.shapes, &*file.shapes), (Shapes::Memory(_), Shapes::File(_))));
            for origin in [Vec3::zeros(), Vec3::new(0.1, 7.0, -3.0)] {
                memory.shift(&origin);
                file.shift(&origin);
                for k in -10..60 {
                    let (mut a, mut b) = ([Vec3::zeros(); 2], [Vec3::repeat(1.0); 2]);
                    memory.place(f64::from(k) * 0.1, &mut a);
                    file.place(f64::from(k) * 0.1, &mut b);
                    assert_eq!(a, b, "{k}");
                }
            }
            assert_eq!(file.fault(), None);
        }
    }

    #[test]
    fn times_need_not_be_even() {
        let recording = recorded(KEPT, Clock::Times(vec![0.0, 0.1, 0.5, 2.0, 2.5]), false);
        let at = |t: f64| {
            let mut out = [Vec3::zeros(); 2];
            recording.place(t, &mut out);
            out[0].x
        };
        assert_eq!([-1.0, 0.0, 0.1, 2.5, 9.0].map(at), [0.0, 0.0, 1.0, 16.0, 16.0]);
        assert!((at(0.3) - 2.5).abs() < 1e-14 && (at(1.25) - 6.5).abs() < 1e-14);
    }

    #[test]
    fn what_cannot_be_read_is_told_and_nothing_moves() {
        let recording = recorded(100, Clock::Even { start: 0.0, interval: 1.0 }, false);
        if let Shapes::File(drawer) = &*recording.shapes {
            drawer.lock().unwrap().file.set_len(100).unwrap();
        }
        let mut out = [Vec3::repeat(7.0); 2];
        recording.place(3.5, &mut out);
        assert_eq!(out, [Vec3::repeat(7.0); 2]);
        assert!(recording.fault().is_some());
    }
}
