//! PC2 and MDD point caches: vertex positions, sample by sample, of a mesh in another file.
//!
//! PC2 is little endian: `POINTCACHE2\0`, version 1, number of vertices, first frame, frames per sample, number of
//! samples, then positions. MDD is big endian: number of samples, number of vertices, the time of each sample, then
//! positions. All numbers have 32 bits.

use crate::linalg::Vec3;

/// Positions at a sequence of samples.
#[derive(Clone, Debug, PartialEq)]
pub struct PointCache {
    /// Positions of all vertices, by sample.
    pub frames: Vec<Vec<Vec3>>,
    /// Times of the samples.
    pub clock: Clock,
}

/// Times of the samples of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Clock {
    /// PC2: number of the first frame, and frames from one sample to the next.
    Frames {
        /// Number of the first frame.
        first: f64,
        /// Frames from one sample to the next.
        rate: f64,
    },
    /// MDD: the time of each sample [s].
    Times(Vec<f64>),
}

impl Clock {
    /// Returns the mean time between samples at so many frames per second [s]; none if it is not positive.
    pub fn interval(&self, fps: f64) -> Option<f64> {
        let mean = match self {
            Clock::Frames { rate, .. } => rate / fps,
            Clock::Times(times) => (times.last()? - times.first()?) / (times.len() - 1).max(1) as f64,
        };
        (mean > 0.0 && mean.is_finite()).then_some(mean)
    }

    /// Returns the number of the first frame at so many frames per second.
    pub fn first(&self, fps: f64) -> f64 {
        match self {
            Clock::Frames { first, .. } => *first,
            Clock::Times(times) => fps * times.first().copied().unwrap_or_default(),
        }
    }

    /// Returns the shortest and longest time between samples [s] if they differ by more than 2 % of the longest and
    /// rounding to 32 bits.
    pub fn uneven(&self) -> Option<[f64; 2]> {
        let Clock::Times(times) = self else { return None };
        let ways = times.windows(2).map(|pair| pair[1] - pair[0]);
        let [least, most] = ways.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, m], w| [l.min(w), m.max(w)]);
        let rounding = times.iter().fold(0.0, |most: f64, t| most.max(t.abs())) * f64::from(f32::EPSILON);
        (most - least > 0.02 * most.abs() + 2.0 * rounding || times.iter().any(|t| !t.is_finite()))
            .then_some([least, most])
    }
}

/// Reader of numbers from bytes.
struct Reader<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl Reader<'_> {
    fn four(&mut self) -> Option<[u8; 4]> {
        let (own, rest) = self.bytes.split_first_chunk::<4>()?;
        self.bytes = rest;
        let mut own = *own;
        if self.big {
            own.reverse();
        }
        Some(own)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(i32::from_le_bytes(self.four()?)).ok()
    }

    fn real(&mut self) -> Option<f64> {
        Some(f64::from(f32::from_le_bytes(self.four()?)))
    }
}

const MAGIC: &[u8] = b"POINTCACHE2\0";

/// Reads a file of either format, recognised by its first bytes.
///
/// # Errors
/// Fails if the file has neither format, ends early, has no sample or no vertex, or has a number that is not finite.
/// The message is worded to follow the file name.
pub fn read(bytes: &[u8]) -> Result<PointCache, String> {
    let head = || "is no point cache: neither PC2 nor MDD".to_string();
    let mut from = Reader { bytes, big: !bytes.starts_with(MAGIC) };
    let (vertices, samples, clock) = if from.big {
        let (samples, vertices) = (from.count().ok_or_else(head)?, from.count().ok_or_else(head)?);
        if samples.checked_mul(4).is_none_or(|size| size > from.bytes.len()) {
            return Err(head());
        }
        let times: Option<Vec<f64>> = (0..samples).map(|_| from.real()).collect();
        (vertices, samples, Clock::Times(times.ok_or_else(head)?))
    } else {
        from.bytes = &bytes[MAGIC.len()..];
        let version = from.count().ok_or_else(head)?;
        if version != 1 {
            return Err(format!("is PC2 of version {version}; version 1 is known"));
        }
        let vertices = from.count().ok_or_else(head)?;
        let [first, rate] = [from.real().ok_or_else(head)?, from.real().ok_or_else(head)?];
        (vertices, from.count().ok_or_else(head)?, Clock::Frames { first, rate })
    };
    let wanted = samples.checked_mul(vertices).and_then(|n| n.checked_mul(12));
    if wanted.is_none_or(|wanted| wanted > from.bytes.len()) {
        let held = if vertices == 0 { 0 } else { from.bytes.len() / (12 * vertices) };
        return Err(format!("ends early: it says {samples} frames of {vertices} vertices and holds {held} whole ones"));
    }
    if samples == 0 || vertices == 0 {
        return Err("has no frame or no vertex".to_string());
    }
    let mut frames = Vec::with_capacity(samples);
    for frame in 0..samples {
        let mut positions = Vec::with_capacity(vertices);
        for vertex in 0..vertices {
            let p = Vec3::from_fn(|_, _| from.real().unwrap_or(f64::NAN));
            if !p.iter().all(|c| c.is_finite()) {
                return Err(format!("has a coordinate that is no finite number: vertex {vertex} of frame {frame}"));
            }
            positions.push(p);
        }
        frames.push(positions);
    }
    Ok(PointCache { frames, clock })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pc2(vertices: i32, samples: i32, numbers: &[f32]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, vertices].iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend([1f32, 1.0].iter().flat_map(|n| n.to_le_bytes()));
        bytes.extend(samples.to_le_bytes());
        bytes.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        bytes
    }

    fn mdd(vertices: i32, times: &[f32], numbers: &[f32]) -> Vec<u8> {
        let mut bytes: Vec<u8> = [times.len() as i32, vertices].iter().flat_map(|n| n.to_be_bytes()).collect();
        bytes.extend(times.iter().chain(numbers).flat_map(|n| n.to_be_bytes()));
        bytes
    }

    const NUMBERS: [f32; 12] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0];

    #[test]
    fn both_forms_hold_the_same() {
        let (little, big) = (read(&pc2(2, 2, &NUMBERS)).unwrap(), read(&mdd(2, &[0.0, 0.25], &NUMBERS)).unwrap());
        assert_eq!(little.frames, big.frames);
        assert_eq!(little.clock, Clock::Frames { first: 1.0, rate: 1.0 });
        assert_eq!((little.clock.interval(25.0), little.clock.first(25.0)), (Some(0.04), 1.0));
        assert_eq!((big.clock.interval(25.0), big.clock.first(25.0)), (Some(0.25), 0.0));
        assert_eq!(little.frames[1][0], Vec3::new(6.0, 7.0, 8.0));
    }

    #[test]
    fn times_may_be_uneven() {
        let even: Vec<f64> = (0..500).map(|k| f64::from((40.0 + f64::from(k) / 30.0) as f32)).collect();
        assert_eq!(Clock::Times(even).uneven(), None);
        let clock = Clock::Times(vec![1.0, 1.25, 2.0]);
        assert_eq!((clock.uneven(), clock.interval(30.0), clock.first(30.0)), (Some([0.25, 0.75]), Some(0.5), 30.0));
        let back = Clock::Times(vec![1.0, 1.25, 0.5]);
        assert_eq!((back.uneven(), back.interval(30.0)), (Some([-0.75, 0.25]), None));
        assert_eq!((Clock::Times(vec![0.0]).interval(30.0), Clock::Times(vec![0.0]).uneven()), (None, None));
        assert_eq!(Clock::Frames { first: 0.0, rate: 0.0 }.interval(30.0), None);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let whole = pc2(2, 2, &NUMBERS);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length}");
        }
        assert!(
            read(&whole[..60]).unwrap_err().contains("ends early: it says 2 frames of 2 vertices and holds 1 whole")
        );
        let whole = mdd(2, &[0.0, 0.1], &NUMBERS);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length}");
        }
        assert!(read(b"ply\nformat ascii 1.0\n").unwrap_err().contains("neither PC2 nor MDD"));
        assert!(read(&pc2(0, 2, &[])).is_err() && read(&pc2(2, 0, &[])).is_err() && read(&pc2(-1, 1, &[])).is_err());
        assert!(read(&pc2(i32::MAX, i32::MAX, &NUMBERS)).unwrap_err().contains("ends early"));
        let mut odd = NUMBERS;
        odd[8] = f32::NAN;
        assert!(read(&pc2(2, 2, &odd)).unwrap_err().ends_with("vertex 0 of frame 1"), "{:?}", read(&pc2(2, 2, &odd)));
    }
}
