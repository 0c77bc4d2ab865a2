//! Eight-wide hierarchy for rays that only ask whether anything is in their way.
//!
//! A ray tests the eight boxes of a branch, or the eight triangles of a leaf, at once. The rays of a packet descend
//! together: a child is visited by the rays that enter its box and are still free.

use super::build::{DEPTH, Node};
use super::packet::{LANES, NONE, Packet, WIDEN};
use crate::linalg::f32x8;
use std::ops::Range;

/// Children of a branch, and triangles of a leaf.
const WIDTH: usize = 8;
/// Marks the number of a leaf.
const LEAF: u32 = 1 << 31;
/// Most entries of the stack: each level leaves seven siblings behind.
const STACK: usize = 7 * DEPTH + 1;

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
    /// Joins the nodes of a binary hierarchy. `triangle` returns the number of the triangle at a place of the leaves, its
    /// corners and its normal.
    pub fn new(nodes: &[Node], triangle: impl Fn(usize) -> (u32, [[f32; 3]; 4])) -> Eight {
        let mut eight = Eight::default();
        if nodes.is_empty() {
            return eight;
        }
        let ranges = ranges(nodes);
        let fits = |k: u32| ranges[k as usize][1] as usize <= WIDTH;
        eight.branches.push(Branch::EMPTY);
        let mut open = vec![(0u32, 0usize)];
        while let Some((node, at)) = open.pop() {
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
                    open.push((k, eight.branches.len() - 1));
                    (eight.branches.len() - 1) as u32
                };
                eight.branches[at].put(lane, &nodes[k as usize], number);
            }
        }
        eight
    }

    /// Finds out whether anything lies within reach of the lanes. `hit` becomes some triangle or [`NONE`].
    pub fn blocked(&self, packet: &mut Packet) {
        if self.branches.is_empty() {
            return;
        }
        let rays = Ray::of(packet);
        let mut free = (0..LANES).filter(|l| packet.reach[*l] > 0.0).fold(0u32, |free, l| free | 1 << l);
        let mut stack = [(0u32, 0u32); STACK];
        stack[0].1 = free;
        let mut top = 1;
        while top > 0 && free != 0 {
            top -= 1;
            let (at, mut active) = stack[top];
            active &= free;
            if at & LEAF != 0 {
                let leaf = &self.leaves[(at ^ LEAF) as usize];
                while active != 0 {
                    let l = active.trailing_zeros() as usize % LANES;
                    active &= active - 1;
                    let hit = leaf.hit(&rays[l]);
                    if hit != NONE {
                        packet.hit[l] = hit;
                        packet.reach[l] = -1.0;
                        free &= !(1 << l);
                    }
                }
                continue;
            }
            let branch = &self.branches[at as usize];
            let mut visits = [0u32; WIDTH];
            while active != 0 {
                let l = active.trailing_zeros() as usize % LANES;
                active &= active - 1;
                let mut entered = branch.entered(&rays[l]);
                while entered != 0 {
                    visits[entered.trailing_zeros() as usize % WIDTH] |= 1 << l;
                    entered &= entered - 1;
                }
            }
            for (child, visits) in branch.child.iter().zip(visits) {
                if visits != 0 {
                    stack[top] = (*child, visits);
                    top += 1;
                }
            }
        }
    }
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
    fn of(packet: &Packet) -> [Ray; LANES] {
        let inverse = packet.inverse();
        std::array::from_fn(|l| {
            let lane = |of: &[[f32; LANES]; 3]| [of[0][l], of[1][l], of[2][l]];
            let inverse = lane(&inverse);
            Ray {
                origin: lane(&packet.origin),
                direction: lane(&packet.direction),
                inverse,
                enters: inverse.map(|i| usize::from(i < 0.0)),
                reach: packet.reach[l],
            }
        })
    }
}
