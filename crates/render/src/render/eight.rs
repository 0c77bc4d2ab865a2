//! Eight-wide hierarchy for rays that only ask whether anything is in their way.
//!
//! A ray tests the eight boxes of a branch, or the eight triangles of a leaf, at once. The rays of a packet descend
//! together: a child is visited by the rays that enter its box and are still free.

use super::build::Node;
use super::packet::{LANES, NONE, Packet, WIDEN};
use crate::linalg::f32x8;
use std::ops::Range;

/// Children of a branch, and triangles of a leaf.
const WIDTH: usize = 8;
/// Marks the number of a leaf.
const LEAF: u32 = 1 << 31;
/// Entries of a stack that nearly every hierarchy gets by with.
const STACK: usize = 120;

/// Boxes of eight children. Absent ones are empty.
#[derive(Clone, Debug)]
struct Branch {
    /// Lower and upper bounds, for each axis.
    bounds: [[f32x8; 2]; 3],
    child: [u32; WIDTH],
}

/// Eight triangles. Absent ones are points, which no ray hits.
#[derive(Clone, Debug)]
struct Leaf {
    corners: [[f32x8; 3]; 3],
    normal: [f32x8; 3],
    index: [u32; WIDTH],
}

/// Hierarchy of branches and leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct Eight {
    branches: Vec<Branch>,
    leaves: Vec<Leaf>,
    /// Box around all.
    lo: [f32; 3],
    hi: [f32; 3],
    /// Most entries that a stack can have: each level leaves seven siblings behind.
    stack: usize,
}

/// Ray of a packet, with the bounds at which it enters and leaves a box.
#[derive(Clone, Copy, Default)]
struct Ray {
    origin: [f32; 3],
    direction: [f32; 3],
    inverse: [f32; 3],
    enters: [usize; 3],
    reach: f32,
}

impl Eight {
    /// Joins the nodes of a binary hierarchy. `triangle` returns the number, corners and normal of the triangle at a
    /// place of the leaves.
    pub(super) fn new(nodes: &[Node], triangle: impl Fn(usize) -> (u32, [[f32; 3]; 4])) -> Eight {
        let mut eight = Eight::default();
        if nodes.is_empty() {
            return eight;
        }
        (eight.lo, eight.hi) = (nodes[0].lo, nodes[0].hi);
        let ranges = ranges(nodes);
        let fits = |k: u32| ranges[k as usize][1] as usize <= WIDTH;
        eight.branches.push(Branch::EMPTY);
        let mut open = vec![(0u32, 0usize, 1usize)];
        while let Some((node, at, depth)) = open.pop() {
            eight.stack = eight.stack.max(WIDTH * depth);
            let mut children = vec![node];
            while children.len() < WIDTH {
                let area = |k: &u32| nodes[*k as usize].half_area();
                let inner = (0..children.len()).filter(|c| !fits(children[*c]));
                let Some(widest) = inner.max_by(|a, b| area(&children[*a]).total_cmp(&area(&children[*b]))) else {
                    break;
                };
                let first = nodes[children[widest] as usize].first;
                children[widest] = first;
                children.push(first + 1);
            }
            // The last child is visited first. Leaves find hits soonest.
            children.sort_by_key(|k| fits(*k));
            for (lane, k) in children.into_iter().enumerate() {
                let number = if fits(k) {
                    let [first, count] = ranges[k as usize].map(|n| n as usize);
                    eight.leaves.push(Leaf::new(first..first + count, &triangle));
                    (eight.leaves.len() - 1) as u32 | LEAF
                } else {
                    eight.branches.push(Branch::EMPTY);
                    open.push((k, eight.branches.len() - 1, depth + 1));
                    (eight.branches.len() - 1) as u32
                };
                eight.branches[at].put(lane, &nodes[k as usize], number);
            }
        }
        eight
    }

    /// Finds out whether anything lies within reach of the lanes. `hit` becomes some triangle or [`NONE`].
    pub(super) fn blocked(&self, packet: &mut Packet) {
        let free = if self.branches.is_empty() { 0 } else { packet.entering(self.lo, self.hi) };
        if free == 0 {
            return;
        }
        if self.stack <= STACK {
            self.descend(packet, free, &mut [(0, 0); STACK]);
        } else {
            self.descend(packet, free, &mut vec![(0, 0); self.stack]);
        }
    }

    fn descend(&self, packet: &mut Packet, mut free: u32, stack: &mut [(u32, u32)]) {
        let rays = Ray::of(packet, free);
        stack[0] = (0, free);
        let mut top = 1;
        while top > 0 && free != 0 {
            top -= 1;
            let (at, active) = stack[top];
            if at & LEAF != 0 {
                let leaf = &self.leaves[(at ^ LEAF) as usize];
                for l in bits(active & free) {
                    let hit = leaf.hit(&rays[l % LANES]);
                    if hit != NONE {
                        packet.hit[l % LANES] = hit;
                        packet.reach[l % LANES] = -1.0;
                        free &= !(1 << l);
                    }
                }
                continue;
            }
            let branch = &self.branches[at as usize];
            // Byte l has the children that ray l enters.
            let mut entered = [0u8; LANES];
            for l in bits(active & free) {
                entered[l % LANES] = branch.entered(&rays[l % LANES]) as u8;
            }
            let [low, high] = [&entered[..8], &entered[8..]].map(|half| transposed(std::array::from_fn(|k| half[k])));
            for (k, child) in branch.child.iter().enumerate() {
                let visits = u32::from(low[k]) | u32::from(high[k]) << 8;
                if visits != 0 {
                    stack[top] = (*child, visits);
                    top += 1;
                }
            }
        }
    }
}

/// Returns the numbers of the bits that are set, in ascending order.
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        bit
    })
}

/// Transposes an 8x8 matrix of bits: bit j of byte i becomes bit i of byte j (Warren, "Hacker's Delight", 2013).
fn transposed(rows: [u8; 8]) -> [u8; 8] {
    let mut x = u64::from_le_bytes(rows);
    for (shift, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)] {
        let t = (x ^ (x >> shift)) & mask;
        x ^= t ^ (t << shift);
    }
    x.to_le_bytes()
}

/// Returns the first triangle of each node's subtree, and their number.
fn ranges(nodes: &[Node]) -> Vec<[u32; 2]> {
    let mut ranges: Vec<[u32; 2]> = nodes.iter().map(|node| [node.first, node.count]).collect();
    for k in (0..nodes.len()).rev().filter(|k| nodes[*k].count == 0) {
        let [a, b] = [0, 1].map(|side| ranges[nodes[k].first as usize + side]);
        ranges[k] = [a[0].min(b[0]), a[1] + b[1]];
    }
    ranges
}

impl Branch {
    const EMPTY: Branch =
        Branch { bounds: [[f32x8::splat(f32::INFINITY), f32x8::splat(f32::NEG_INFINITY)]; 3], child: [0; WIDTH] };

    fn put(&mut self, lane: usize, node: &Node, child: u32) {
        for (bounds, new) in self.bounds.iter_mut().zip(node.lo.into_iter().zip(node.hi)) {
            bounds[0].as_mut_array()[lane] = new.0;
            bounds[1].as_mut_array()[lane] = new.1;
        }
        self.child[lane] = child;
    }

    /// Returns a mask of the children whose boxes the ray enters within its reach.
    #[inline(always)]
    fn entered(&self, ray: &Ray) -> u32 {
        let (mut near, mut far) = (f32x8::ZERO, f32x8::splat(ray.reach));
        for axis in 0..3 {
            let (origin, inverse) = (f32x8::splat(ray.origin[axis]), f32x8::splat(ray.inverse[axis]));
            let enters = ray.enters[axis] & 1;
            near = near.fast_max((self.bounds[axis][enters] - origin) * inverse);
            far = far.fast_min((self.bounds[axis][1 - enters] - origin) * inverse * f32x8::splat(WIDEN));
        }
        near.simd_le(far).to_bitmask()
    }
}

impl Leaf {
    fn new(places: Range<usize>, triangle: impl Fn(usize) -> (u32, [[f32; 3]; 4])) -> Leaf {
        let mut rows = [[[0f32; WIDTH]; 3]; 4];
        let mut index = [NONE; WIDTH];
        for (lane, place) in places.enumerate() {
            let (number, vectors) = triangle(place);
            index[lane] = number;
            for (row, vector) in rows.iter_mut().zip(vectors) {
                (0..3).for_each(|axis| row[axis][lane] = vector[axis]);
            }
        }
        let [a, b, c, normal] = rows.map(|row| row.map(f32x8::new));
        Leaf { corners: [a, b, c], normal, index }
    }

    /// Returns a triangle that the ray hits, or [`NONE`]. The operations are those of the nearest hit, lane by lane.
    #[inline(always)]
    fn hit(&self, ray: &Ray) -> u32 {
        let o = ray.origin.map(f32x8::splat);
        let d = ray.direction.map(f32x8::splat);
        let from = |p: &[f32x8; 3]| [p[0] - o[0], p[1] - o[1], p[2] - o[2]];
        let edge = |a: &[f32x8; 3], b: &[f32x8; 3]| {
            d[0] * (a[1] * b[2] - a[2] * b[1]) + d[1] * (a[2] * b[0] - a[0] * b[2]) + d[2] * (a[0] * b[1] - a[1] * b[0])
        };
        let [a, b, c] = [0, 1, 2].map(|k| from(&self.corners[k]));
        let (u, v, w) = (edge(&b, &c), edge(&c, &a), edge(&a, &b));
        let least = u.fast_min(v).fast_min(w);
        let most = u.fast_max(v).fast_max(w);
        let zero = f32x8::ZERO;
        let inside = least.simd_ge(zero) | most.simd_le(zero);
        if inside.to_bitmask() == 0 {
            return NONE;
        }
        let n = &self.normal;
        let t = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]);
        let hits = inside & (u + v + w).simd_ne(zero) & t.simd_gt(zero) & t.simd_lt(f32x8::splat(ray.reach));
        match hits.to_bitmask() {
            0 => NONE,
            mask => self.index[mask.trailing_zeros() as usize % WIDTH],
        }
    }
}

impl Ray {
    /// Returns the rays of the lanes that a mask names.
    fn of(packet: &Packet, mask: u32) -> [Ray; LANES] {
        let inverse = packet.inverse();
        let mut rays = [Ray::default(); LANES];
        for l in bits(mask).map(|l| l % LANES) {
            let lane = |of: &[[f32; LANES]; 3]| [of[0][l], of[1][l], of[2][l]];
            let inverse = lane(&inverse);
            rays[l] = Ray {
                origin: lane(&packet.origin),
                direction: lane(&packet.direction),
                inverse,
                enters: inverse.map(|i| usize::from(i < 0.0)),
                reach: packet.reach[l],
            };
        }
        rays
    }
}
