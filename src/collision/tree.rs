//! Bounding-box tree over triangles: fixed shape, boxes refitted as vertices move.
//!
//! Nodes are stored in depth-first order with a skip index, so a query is one loop without a stack. Boxes are `f32`, rounded
//! outward.

use crate::linalg::{Vec3, par};

/// Triangles in a leaf.
const LEAF: usize = 4;

/// Axis-aligned box, rounded outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box3 {
    /// Least corner.
    pub low: [f32; 3],
    /// Greatest corner.
    pub high: [f32; 3],
}

impl Box3 {
    /// Contains nothing.
    pub const EMPTY: Box3 = Box3 { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// Around points, enlarged by `margin`.
    #[inline]
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Vec3>, margin: f64) -> Box3 {
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for p in points {
            low = low.inf(p);
            high = high.sup(p);
        }
        // One rounding to f32 errs by less than 6e-8 of the value: widen by 2e-7.
        Box3 {
            low: std::array::from_fn(|k| (low[k] - margin - 2e-7 * low[k].abs()) as f32),
            high: std::array::from_fn(|k| (high[k] + margin + 2e-7 * high[k].abs()) as f32),
        }
    }

    /// The two boxes share a point.
    #[inline]
    pub fn meets(&self, other: &Box3) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
    }

    /// Smallest box around both.
    #[inline]
    pub fn join(&self, other: &Box3) -> Box3 {
        Box3 {
            low: std::array::from_fn(|k| self.low[k].min(other.low[k])),
            high: std::array::from_fn(|k| self.high[k].max(other.high[k])),
        }
    }
}

/// A node: box, first leaf slot, end of its leaf slots, next node when it is passed over.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Box3,
    first: u32,
    last: u32,
    skip: u32,
}

/// The tree.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Item of each leaf slot.
    pub items: Vec<u32>,
    /// Box of each leaf slot.
    pub bounds: Vec<Box3>,
}

impl Tree {
    /// Median splits along the longest extent of the centres.
    pub fn new(centres: &[Vec3]) -> Tree {
        let mut items: Vec<u32> = (0..centres.len() as u32).collect();
        let mut tree = Tree { nodes: Vec::new(), items: Vec::new(), bounds: vec![Box3::EMPTY; centres.len()] };
        if !items.is_empty() {
            tree.split(centres, &mut items, 0);
        }
        tree.items = items;
        tree
    }

    fn split(&mut self, centres: &[Vec3], items: &mut [u32], first: usize) {
        let node = self.nodes.len();
        let (first_slot, last) = (first as u32, (first + items.len()) as u32);
        self.nodes.push(Node { bounds: Box3::EMPTY, first: first_slot, last, skip: 0 });
        if items.len() > LEAF {
            let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
            for i in items.iter() {
                low = low.inf(&centres[*i as usize]);
                high = high.sup(&centres[*i as usize]);
            }
            let axis = (high - low).imax();
            let middle = items.len() / 2;
            items.select_nth_unstable_by(middle, |a, b| {
                centres[*a as usize][axis].total_cmp(&centres[*b as usize][axis]).then(a.cmp(b))
            });
            let (a, b) = items.split_at_mut(middle);
            self.split(centres, a, first);
            self.split(centres, b, first + middle);
        }
        self.nodes[node].skip = self.nodes.len() as u32;
    }

    /// Recomputes all boxes; `bounds` gives the box of an item.
    pub fn refit(&mut self, bounds: impl Fn(usize) -> Box3 + Sync) {
        let items = &self.items;
        par::fill(&mut self.bounds, |slot| bounds(items[slot] as usize));
        for k in (0..self.nodes.len()).rev() {
            let Node { first, last, skip, .. } = self.nodes[k];
            self.nodes[k].bounds = if (last - first) as usize > LEAF {
                let right = self.nodes[k + 1].skip as usize;
                debug_assert!(right < skip as usize);
                self.nodes[k + 1].bounds.join(&self.nodes[right].bounds)
            } else {
                self.bounds[first as usize..last as usize].iter().fold(Box3::EMPTY, |a, b| a.join(b))
            };
        }
    }

    /// Box of everything.
    pub fn whole(&self) -> Box3 {
        self.nodes.first().map_or(Box3::EMPTY, |n| n.bounds)
    }

    /// Calls `found(slot)` for every leaf slot from `from` on whose box meets `query`, in order of slots.
    #[inline]
    pub fn query(&self, query: &Box3, from: usize, mut found: impl FnMut(usize)) {
        let mut k = 0;
        while k < self.nodes.len() {
            let node = &self.nodes[k];
            if node.last as usize <= from || !node.bounds.meets(query) {
                k = node.skip as usize;
                continue;
            }
            if (node.last - node.first) as usize <= LEAF {
                for slot in (node.first as usize).max(from)..node.last as usize {
                    if self.bounds[slot].meets(query) {
                        found(slot);
                    }
                }
            }
            k += 1;
        }
    }
}
