//! Bounding volume hierarchy over triangles, traversed by packets of rays.
//!
//! The rays of a pixel have nearly the same direction, so that sixteen of them share a traversal. Every box and
//! triangle test is a straight loop over lanes, which the compiler vectorises.

use std::ops::Range;

/// Rays per packet.
pub const LANES: usize = 16;
/// Marks a lane without a hit.
pub const NONE: u32 = u32::MAX;

const BINS: usize = 16;
const LEAF: usize = 4;
/// Depth from which ranges are halved instead of split by the surface area heuristic. Halving bounds the depth, so that
/// the traversal stack cannot overflow.
const HEURISTIC_DEPTH: usize = 40;
const STACK: usize = HEURISTIC_DEPTH + 34;
/// Cost of a triangle test relative to a box test.
const TRIANGLE_COST: f32 = 2.0;
/// Factor `1 + 2 gamma_3` of exit distances, for the rounding error of the slab test (Ize, "Robust BVH Ray Traversal",
/// JCGT 2013).
const WIDEN: f32 = 1.0 + 6.0 * f32::EPSILON;

type Lane = [f32; LANES];

/// Packet of sixteen rays `origin + t direction`, `0 < t < reach`.
#[derive(Clone, Debug)]
pub struct Packet {
    origin: [Lane; 3],
    direction: [Lane; 3],
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
    fn inverse(&self) -> [Lane; 3] {
        self.direction.map(|lane| {
            let mut inverse = lane;
            for d in &mut inverse {
                let size = if d.abs() > 1e-20 { d.abs() } else { 1e-20 };
                *d = if *d < 0.0 { -1.0 } else { 1.0 } / size;
            }
            inverse
        })
    }

    fn farthest(&self) -> f32 {
        -least(self.reach.map(|r| -r))
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    lo: [f32; 3],
    hi: [f32; 3],
    /// First triangle of a leaf, or first of two neighbouring children.
    first: u32,
    /// Triangles of a leaf; 0 for an inner node.
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct Corner {
    p: [[f32; 3]; 3],
    normal: [f32; 3],
    index: u32,
}

/// Hierarchy built by the binned surface area heuristic (Wald, "On fast Construction of SAH-based Bounding Volume
/// Hierarchies", 2007).
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    corners: Vec<Corner>,
}

#[derive(Clone, Copy)]
struct Bounds {
    lo: [f32; 3],
    hi: [f32; 3],
}

impl Bounds {
    const EMPTY: Bounds = Bounds { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    fn add(&mut self, other: &Bounds) {
        for a in 0..3 {
            self.lo[a] = self.lo[a].min(other.lo[a]);
            self.hi[a] = self.hi[a].max(other.hi[a]);
        }
    }

    fn centre(&self, axis: usize) -> f32 {
        0.5 * (self.lo[axis] + self.hi[axis])
    }

    fn half_area(&self) -> f32 {
        let [x, y, z] = [0, 1, 2].map(|a| (self.hi[a] - self.lo[a]).max(0.0));
        x * y + y * z + z * x
    }
}

impl Tree {
    /// Builds the hierarchy over corner positions. Hits give the index of a triangle in `triangles`. Coordinates must
    /// be finite.
    pub fn new(triangles: &[[[f32; 3]; 3]]) -> Tree {
        let boxes: Vec<Bounds> = triangles
            .iter()
            .map(|t| {
                let mut b = Bounds::EMPTY;
                t.iter().for_each(|p| b.add(&Bounds { lo: *p, hi: *p }));
                b
            })
            .collect();
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut nodes = Vec::with_capacity(triangles.len());
        if triangles.is_empty() {
            return Tree::default();
        }
        nodes.push(Node { lo: [0.0; 3], hi: [0.0; 3], first: 0, count: 0 });
        let mut open = vec![(0usize, 0..triangles.len(), 0usize)];
        while let Some((node, range, depth)) = open.pop() {
            let mut bounds = Bounds::EMPTY;
            order[range.clone()].iter().for_each(|i| bounds.add(&boxes[*i as usize]));
            nodes[node] = Node { lo: bounds.lo, hi: bounds.hi, first: range.start as u32, count: range.len() as u32 };
            let Some(middle) = split(&boxes, &mut order, range.clone(), &bounds, depth) else { continue };
            let first = nodes.len();
            nodes[node].first = first as u32;
            nodes[node].count = 0;
            let blank = nodes[node];
            nodes.extend([blank, blank]);
            open.push((first + 1, middle..range.end, depth + 1));
            open.push((first, range.start..middle, depth + 1));
        }
        let corners = order.iter().map(|i| Corner::new(&triangles[*i as usize], *i)).collect();
        Tree { nodes, corners }
    }

    /// Finds the nearest hit of every lane. `reach` becomes its distance (in lengths of `direction`), `hit` its
    /// triangle.
    pub fn nearest(&self, packet: &mut Packet) {
        self.walk::<false>(packet);
    }

    /// Finds out whether anything lies within reach. `hit` becomes some triangle or [`NONE`].
    pub fn blocked(&self, packet: &mut Packet) {
        self.walk::<true>(packet);
    }

    fn walk<const ANY: bool>(&self, packet: &mut Packet) {
        let inverse = packet.inverse();
        let mut farthest = packet.farthest();
        let mut stack = [(0u32, 0f32); STACK];
        let mut top = 0;
        match self.nodes.first() {
            Some(root) if root.entry(packet, &inverse) < f32::INFINITY => {}
            _ => return,
        }
        let mut at = 0u32;
        loop {
            let node = &self.nodes[at as usize];
            if node.count > 0 {
                let first = node.first as usize;
                for corner in &self.corners[first..first + node.count as usize] {
                    corner.test::<ANY>(packet);
                }
                farthest = packet.farthest();
                if farthest < 0.0 {
                    return;
                }
            } else {
                let (a, b) = (node.first, node.first + 1);
                let ta = self.nodes[a as usize].entry(packet, &inverse);
                let tb = self.nodes[b as usize].entry(packet, &inverse);
                let ((near, tn), (far, tf)) = if ta <= tb { ((a, ta), (b, tb)) } else { ((b, tb), (a, ta)) };
                if tn < f32::INFINITY {
                    if tf < f32::INFINITY {
                        stack[top] = (far, tf);
                        top += 1;
                    }
                    at = near;
                    continue;
                }
            }
            loop {
                if top == 0 {
                    return;
                }
                top -= 1;
                if stack[top].1 <= farthest {
                    at = stack[top].0;
                    break;
                }
            }
        }
    }
}

/// Partitions `order[range]` and returns where the second part begins. `None` makes a leaf.
fn split(boxes: &[Bounds], order: &mut [u32], range: Range<usize>, bounds: &Bounds, depth: usize) -> Option<usize> {
    let count = range.len();
    if count <= LEAF {
        return None;
    }
    let part = &mut order[range.clone()];
    let mut centres = Bounds::EMPTY;
    for i in part.iter() {
        let c = [0, 1, 2].map(|a| boxes[*i as usize].centre(a));
        centres.add(&Bounds { lo: c, hi: c });
    }
    let bin = |axis: usize, b: &Bounds| {
        let width = centres.hi[axis] - centres.lo[axis];
        (((b.centre(axis) - centres.lo[axis]) / width * BINS as f32) as usize).min(BINS - 1)
    };
    let mut best = (TRIANGLE_COST * count as f32 * bounds.half_area(), 0, 0);
    for axis in (0..3).filter(|a| centres.hi[*a] > centres.lo[*a]) {
        let mut bins = [(Bounds::EMPTY, 0usize); BINS];
        for i in part.iter() {
            let b = &boxes[*i as usize];
            let slot = &mut bins[bin(axis, b)];
            slot.0.add(b);
            slot.1 += 1;
        }
        let mut right = [0f32; BINS];
        let (mut all, mut n) = (Bounds::EMPTY, 0);
        for k in (1..BINS).rev() {
            all.add(&bins[k].0);
            n += bins[k].1;
            right[k] = n as f32 * all.half_area();
        }
        let (mut all, mut n) = (Bounds::EMPTY, 0);
        for k in 1..BINS {
            all.add(&bins[k - 1].0);
            n += bins[k - 1].1;
            let cost = 2.0 * bounds.half_area() + TRIANGLE_COST * (n as f32 * all.half_area() + right[k]);
            if n > 0 && n < count && cost < best.0 {
                best = (cost, axis, k);
            }
        }
    }
    let (_, axis, k) = best;
    if k == 0 || depth >= HEURISTIC_DEPTH {
        return (count > 4 * LEAF || depth >= HEURISTIC_DEPTH).then_some(range.start + count / 2);
    }
    let mut middle = 0;
    for j in 0..count {
        if bin(axis, &boxes[part[j] as usize]) < k {
            part.swap(j, middle);
            middle += 1;
        }
    }
    Some(range.start + middle)
}

/// Returns the smallest of the lanes, by halves.
#[inline(always)]
fn least(mut lanes: Lane) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            lanes[l] = if lanes[l + width] < lanes[l] { lanes[l + width] } else { lanes[l] };
        }
        width /= 2;
    }
    lanes[0]
}

impl Node {
    /// Returns the smallest distance at which a lane enters the box within its reach, or infinity if none does.
    #[inline(always)]
    fn entry(&self, packet: &Packet, inverse: &[Lane; 3]) -> f32 {
        let mut near: Lane = [0.0; LANES];
        let mut far = packet.reach;
        for (axis, inv) in inverse.iter().enumerate() {
            let o = &packet.origin[axis];
            let (lo, hi) = (self.lo[axis], self.hi[axis]);
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
        least(near)
    }
}

impl Corner {
    fn new(p: &[[f32; 3]; 3], index: u32) -> Corner {
        let e = |i: usize| [0, 1, 2].map(|a| p[i][a] - p[0][a]);
        let (u, v) = (e(1), e(2));
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        Corner { p: *p, normal, index }
    }

    /// Intersects the triangle by edge functions `d . (a x b)` from the ray's origin. Reversing an edge exactly changes
    /// the sign of its function, so that no ray slips between two triangles that share it.
    #[inline(always)]
    fn test<const ANY: bool>(&self, packet: &mut Packet) {
        let ([ox, oy, oz], [dx, dy, dz]) = (&packet.origin, &packet.direction);
        let (reach, hit) = (&mut packet.reach, &mut packet.hit);
        let n = self.normal;
        for l in 0..LANES {
            let from = |p: &[f32; 3]| [p[0] - ox[l], p[1] - oy[l], p[2] - oz[l]];
            let edge = |a: &[f32; 3], b: &[f32; 3]| {
                dx[l] * (a[1] * b[2] - a[2] * b[1])
                    + dy[l] * (a[2] * b[0] - a[0] * b[2])
                    + dz[l] * (a[0] * b[1] - a[1] * b[0])
            };
            let (a, b, c) = (from(&self.p[0]), from(&self.p[1]), from(&self.p[2]));
            let (u, v, w) = (edge(&b, &c), edge(&c, &a), edge(&a, &b));
            let least = if u < v { u } else { v };
            let least = if w < least { w } else { least };
            let most = if u > v { u } else { v };
            let most = if w > most { w } else { most };
            // Edge functions give the side exactly, but their sum is inaccurate for a small, distant triangle. The
            // distance comes from the plane, so that surfaces half a millimetre apart keep their order.
            let slope = n[0] * dx[l] + n[1] * dy[l] + n[2] * dz[l];
            let t = (n[0] * a[0] + n[1] * a[1] + n[2] * a[2]) / slope;
            let inside = ((least >= 0.0) | (most <= 0.0)) & (u + v + w != 0.0) & (t > 0.0) & (t < reach[l]);
            reach[l] = if inside { if ANY { -1.0 } else { t } } else { reach[l] };
            hit[l] = if inside { self.index } else { hit[l] };
        }
    }
}
