//! Construction of a binary hierarchy over boxes.

use std::ops::Range;

const BINS: usize = 16;
const LEAF: usize = 4;
/// Depth from which ranges are halved instead of split by the surface area heuristic. Halving bounds the depth, so that
/// no traversal stack can overflow.
const HEURISTIC_DEPTH: usize = 40;
/// Greatest depth.
pub(super) const DEPTH: usize = HEURISTIC_DEPTH + 33;
/// Cost of a triangle test relative to a box test.
const TRIANGLE_COST: f32 = 2.0;

/// Box around some of the triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
    /// First triangle of a leaf, or first of two neighbouring children.
    pub first: u32,
    /// Triangles of a leaf, at most eight; 0 for an inner node.
    pub count: u32,
}

impl Node {
    /// Returns half the area of the box.
    pub(super) fn half_area(&self) -> f32 {
        Bounds { lo: self.lo, hi: self.hi }.half_area()
    }
}

/// Axis-aligned box.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub lo: [f32; 3],
    pub hi: [f32; 3],
}

impl Bounds {
    /// Returns the box around points.
    pub(super) fn around(points: &[[f32; 3]; 3]) -> Bounds {
        let mut all = Bounds::EMPTY;
        points.iter().for_each(|p| all.add(&Bounds { lo: *p, hi: *p }));
        all
    }

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

/// Builds a hierarchy by the binned surface area heuristic (Wald, "On fast Construction of SAH-based Bounding Volume
/// Hierarchies", 2007). Returns its nodes, parents first, and the boxes' numbers in the order of the leaves.
pub(super) fn build(boxes: &[Bounds]) -> (Vec<Node>, Vec<u32>) {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut nodes = Vec::with_capacity(boxes.len());
    if boxes.is_empty() {
        return (nodes, order);
    }
    nodes.push(Node { lo: [0.0; 3], hi: [0.0; 3], first: 0, count: 0 });
    let mut open = vec![(0usize, 0..boxes.len(), 0usize)];
    while let Some((node, range, depth)) = open.pop() {
        let mut bounds = Bounds::EMPTY;
        order[range.clone()].iter().for_each(|i| bounds.add(&boxes[*i as usize]));
        nodes[node] = Node { lo: bounds.lo, hi: bounds.hi, first: range.start as u32, count: range.len() as u32 };
        let Some(middle) = split(boxes, &mut order, range.clone(), &bounds, depth) else { continue };
        let first = nodes.len();
        nodes[node].first = first as u32;
        nodes[node].count = 0;
        let blank = nodes[node];
        nodes.extend([blank, blank]);
        open.push((first + 1, middle..range.end, depth + 1));
        open.push((first, range.start..middle, depth + 1));
    }
    (nodes, order)
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
        return (count > 2 * LEAF || depth >= HEURISTIC_DEPTH).then_some(range.start + count / 2);
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
