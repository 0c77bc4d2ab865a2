//! Packets of sixteen rays.

/// Rays per packet.
pub const LANES: usize = 16;
/// Marks a lane without a hit.
pub const NONE: u32 = u32::MAX;
/// Factor `1 + 2 gamma_3` of exit distances, for the rounding error of the slab test (Ize, "Robust BVH Ray Traversal",
/// JCGT 2013).
pub(super) const WIDEN: f32 = 1.0 + 6.0 * f32::EPSILON;

pub(super) type Lane = [f32; LANES];

/// Packet of sixteen rays `origin + t direction`, `0 < t < reach`.
#[derive(Clone, Debug)]
pub struct Packet {
    pub(super) origin: [Lane; 3],
    pub(super) direction: [Lane; 3],
    /// Largest distance of interest, shortened by hits; negative in unused lanes.
    pub reach: Lane,
    /// Index of the triangle hit, or [`NONE`].
    pub hit: [u32; LANES],
}

impl Default for Packet {
    fn default() -> Self {
        let one = [0.0; LANES];
        Packet { origin: [one; 3], direction: [one; 3], reach: [-1.0; LANES], hit: [NONE; LANES] }
    }
}

impl Packet {
    /// Puts a ray into lane `lane` (taken modulo [`LANES`]).
    pub fn set(&mut self, lane: usize, origin: [f32; 3], direction: [f32; 3], reach: f32) {
        let lane = lane % LANES;
        for axis in 0..3 {
            self.origin[axis][lane] = origin[axis];
            self.direction[axis][lane] = direction[axis];
        }
        self.reach[lane] = reach;
        self.hit[lane] = NONE;
    }

    /// Returns reciprocal directions. A zero component becomes tiny, so that no product is `0 * infinity`.
    pub(super) fn inverse(&self) -> [Lane; 3] {
        self.direction.map(|lane| {
            let mut inverse = lane;
            for d in &mut inverse {
                let size = if d.abs() > 1e-20 { d.abs() } else { 1e-20 };
                *d = if *d < 0.0 { -1.0 } else { 1.0 } / size;
            }
            inverse
        })
    }

    /// Returns a mask of the lanes that enter a box within their reach.
    pub(super) fn entering(&self, lo: [f32; 3], hi: [f32; 3]) -> u32 {
        let near = self.entries(&self.inverse(), lo, hi);
        (0..LANES).fold(0, |mask, l| mask | u32::from(near[l] < f32::INFINITY) << l)
    }

    /// Returns the distance at which each lane enters a box within its reach, or infinity.
    #[inline(always)]
    pub(super) fn entries(&self, inverse: &[Lane; 3], lo: [f32; 3], hi: [f32; 3]) -> Lane {
        let mut near: Lane = [0.0; LANES];
        let mut far = self.reach;
        for (axis, inv) in inverse.iter().enumerate() {
            let o = &self.origin[axis];
            let (lo, hi) = (lo[axis], hi[axis]);
            for l in 0..LANES {
                let (a, b) = ((lo - o[l]) * inv[l], (hi - o[l]) * inv[l]);
                let (first, last) = (if a < b { a } else { b }, (if a < b { b } else { a }) * WIDEN);
                near[l] = if first > near[l] { first } else { near[l] };
                far[l] = if last < far[l] { last } else { far[l] };
            }
        }
        for l in 0..LANES {
            near[l] = if near[l] <= far[l] { near[l] } else { f32::INFINITY };
        }
        near
    }

    pub(super) fn farthest(&self) -> f32 {
        -least(self.reach.map(|r| -r))
    }
}

/// Returns the smallest of the lanes, by halves.
#[inline(always)]
pub(super) fn least(mut lanes: Lane) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            lanes[l] = if lanes[l + width] < lanes[l] { lanes[l + width] } else { lanes[l] };
        }
        width /= 2;
    }
    lanes[0]
}
