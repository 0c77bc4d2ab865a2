//! Bounding-box tree with eight children per node: fixed shape, boxes refitted as items move.
//!
//! Items are ordered once. Any eight consecutive items, any eight groups of eight, and so on, are close together. The
//! tree is then implicit. The boxes of a group are in eight lanes. One test in vector instructions compares a box with
//! a whole group. Boxes are `f32`, rounded outward.

use crate::linalg::{Vec3, f32x8, par};

/// Number of children of a node, and of items of a leaf.
pub const WIDTH: usize = 8;
/// Number of leaves per block of a parallel refit.
const BLOCK: usize = 64;

/// Axis-aligned box, rounded outward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box3 {
    /// Lower corner.
    pub low: [f32; 3],
    /// Upper corner.
    pub high: [f32; 3],
}

/// Number of items above which two halves are ordered in parallel.
const ALONE: usize = 4096;
/// Relative widening that exceeds one rounding to `f32`.
const WIDEN: f64 = 1.2e-7;
/// Absolute widening that exceeds a rounding among subnormal numbers.
const TINY: f64 = 1e-37;
const LARGEST: f64 = f32::MAX as f64;

impl Box3 {
    /// Empty box.
    pub const EMPTY: Box3 = Box3 { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };

    /// Returns the smallest box around points, enlarged by `margin` on all sides.
    #[inline]
    pub fn around<const N: usize>(points: [&Vec3; N], margin: f64) -> Box3 {
        let mut b = Box3::EMPTY;
        for k in 0..3 {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for p in points {
                low = if p[k] < low { p[k] } else { low };
                high = if p[k] > high { p[k] } else { high };
            }
            let (low, high) = (low - margin, high + margin);
            b.low[k] = (low - low.abs() * WIDEN - TINY).min(LARGEST) as f32;
            b.high[k] = (high + high.abs() * WIDEN + TINY).max(-LARGEST) as f32;
        }
        b
    }

    /// Returns the box around all positions of this box as it moves `along` [m].
    #[inline]
    pub fn swept(mut self, along: &Vec3) -> Box3 {
        if *along == Vec3::zeros() {
            return self;
        }
        for k in 0..3 {
            let far = |from: f32| f64::from(from) + along[k];
            let (low, high) = (far(self.low[k]), far(self.high[k]));
            self.low[k] = self.low[k].min((low - low.abs() * WIDEN - TINY) as f32);
            self.high[k] = self.high[k].max((high + high.abs() * WIDEN + TINY) as f32);
        }
        self
    }

    /// Returns whether the two boxes are within the margin (see [`margin2`]) of each other.
    pub fn within(&self, other: &Box3, margin2: f32) -> bool {
        let gap = |k: usize| (self.low[k] - other.high[k]).max(other.low[k] - self.high[k]).max(0.0);
        (0..3).map(|k| gap(k) * gap(k)).sum::<f32>() <= margin2
    }
}

/// Eight boxes in lanes.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Lanes {
    low: [[f32; WIDTH]; 3],
    high: [[f32; WIDTH]; 3],
}

impl Lanes {
    /// Eight empty boxes.
    pub const EMPTY: Lanes = Lanes { low: [[f32::INFINITY; WIDTH]; 3], high: [[f32::NEG_INFINITY; WIDTH]; 3] };

    /// Packs at most eight boxes into lanes; unused lanes are empty.
    pub fn new(boxes: impl Iterator<Item = Box3>) -> Lanes {
        let (mut low, mut high) = ([[f32::INFINITY; WIDTH]; 3], [[f32::NEG_INFINITY; WIDTH]; 3]);
        for (k, b) in boxes.take(WIDTH).enumerate() {
            for axis in 0..3 {
                low[axis][k] = b.low[axis];
                high[axis][k] = b.high[axis];
            }
        }
        Lanes { low, high }
    }

    /// Returns a mask whose bit k is set when box k is within the margin (see [`margin2`]) of `query`.
    #[inline]
    pub fn within(&self, query: &Box3, margin2: f32) -> u32 {
        let gap2 = |axis: usize| {
            let after = f32x8::new(self.low[axis]) - f32x8::splat(query.high[axis]);
            let before = f32x8::splat(query.low[axis]) - f32x8::new(self.high[axis]);
            let gap = after.fast_max(before).fast_max(f32x8::ZERO);
            gap * gap
        };
        (gap2(0) + gap2(1) + gap2(2)).simd_le(f32x8::splat(margin2)).to_bitmask()
    }

    /// Returns box `k`.
    #[inline]
    pub fn get(&self, k: usize) -> Box3 {
        Box3 { low: self.low.map(|lane| lane[k]), high: self.high.map(|lane| lane[k]) }
    }

    /// Returns the smallest box around all lanes.
    #[inline]
    pub fn whole(&self) -> Box3 {
        let least = |lane: [f32; WIDTH]| lane.into_iter().reduce(|a, b| if b < a { b } else { a });
        let greatest = |lane: [f32; WIDTH]| lane.into_iter().reduce(|a, b| if b > a { b } else { a });
        Box3 {
            low: self.low.map(|lane| least(lane).unwrap_or(f32::INFINITY)),
            high: self.high.map(|lane| greatest(lane).unwrap_or(f32::NEG_INFINITY)),
        }
    }
}

/// Bounding-box tree.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Items in order of leaves; leaf `l` has items `8 l .. 8 l + 8`.
    pub items: Vec<u32>,
    /// Boxes of the items, then of groups of eight, and so on up to one group.
    levels: Vec<Vec<Lanes>>,
}

/// Iterates over the set bits of a mask, lowest first.
pub fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let k = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            k
        })
    })
}

impl Tree {
    /// Orders `items` by their centres (`centres[i]` belongs to `items[i]`), by halving along the longest extent.
    pub fn new(items: &[u32], centres: &[Vec3]) -> Tree {
        let mut order: Vec<(Vec3, u32)> = centres.iter().copied().zip(items.iter().copied()).collect();
        split(&mut order);
        Tree { items: order.into_iter().map(|(_, item)| item).collect(), ..Tree::over(items.len()) }
    }

    /// Builds a tree over `count` items that are already in the order of a tree.
    pub fn over(count: usize) -> Tree {
        let mut levels = Vec::new();
        let mut left = count;
        while left > 0 {
            let groups = left.div_ceil(WIDTH);
            levels.push(vec![Lanes::new(std::iter::empty()); groups]);
            left = if groups > 1 { groups } else { 0 };
        }
        Tree { items: (0..count as u32).collect(), levels }
    }

    /// Recomputes all boxes; `bounds` returns the box of an item.
    pub fn refit(&mut self, bounds: impl Fn(u32) -> Box3 + Sync) {
        let items = &self.items;
        if let Some(leaves) = self.levels.first_mut() {
            par::blocks_mut(leaves, BLOCK, |first, block| {
                for (k, lanes) in block.iter_mut().enumerate() {
                    let slot = (first + k) * WIDTH;
                    *lanes = Lanes::new(items[slot..].iter().take(WIDTH).map(|item| bounds(*item)));
                }
            });
        }
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            let below = &below[level - 1];
            par::blocks_mut(&mut above[0], BLOCK, |first, block| {
                for (k, lanes) in block.iter_mut().enumerate() {
                    let group = (first + k) * WIDTH;
                    *lanes = Lanes::new(below[group..].iter().take(WIDTH).map(Lanes::whole));
                }
            });
        }
    }

    /// Returns the number of leaves.
    pub fn leaves(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// Returns the box around all items.
    pub fn whole(&self) -> Box3 {
        self.levels.last().map_or(Box3::EMPTY, |top| top[0].whole())
    }

    /// Calls `found(leaf)` in order for every leaf from `from` on whose box is within the margin of `query` (see
    /// [`margin2`]).
    #[inline]
    pub fn query(&self, query: &Box3, margin2: f32, from: usize, mut found: impl FnMut(usize)) {
        match self.levels.len() {
            0 => {}
            1 if from == 0 => found(0),
            1 => {}
            top => self.descend(top - 1, 0, (query, margin2), from, &mut found),
        }
    }

    fn descend(&self, level: usize, group: usize, query: (&Box3, f32), from: usize, found: &mut impl FnMut(usize)) {
        for k in bits(self.levels[level][group].within(query.0, query.1)) {
            let child = group * WIDTH + k;
            // The child covers leaves up to (child + 1) * 8^(level - 1), exclusive.
            if (child + 1) << (3 * (level - 1)) <= from || child >= self.levels[level - 1].len() {
                continue;
            }
            if level == 1 {
                found(child);
            } else {
                self.descend(level - 1, child, query, from, found);
            }
        }
    }

    /// Returns a leaf not far from `p`, by descent to the nearest box of each level.
    pub fn toward(&self, p: &Vec3) -> usize {
        let p = p.map(|c| c as f32);
        let gap2 = |b: Box3| (0..3).map(|k| (b.low[k] - p[k]).max(p[k] - b.high[k]).max(0.0).powi(2)).sum::<f32>();
        let mut group = 0;
        for level in (1..self.levels.len()).rev() {
            let count = (self.levels[level - 1].len() - group * WIDTH).min(WIDTH);
            let near = |k: &usize| gap2(self.levels[level][group].get(*k));
            let nearest = (0..count).min_by(|a, b| near(a).total_cmp(&near(b))).unwrap_or(0);
            group = group * WIDTH + nearest;
        }
        group
    }

    /// Calls `found(item)` for every item of `leaf` whose box is within the margin (see [`margin2`]) of `query`.
    #[inline]
    pub fn within(&self, leaf: usize, query: &Box3, margin2: f32, mut found: impl FnMut(u32)) {
        for k in bits(self.levels[0][leaf].within(query, margin2)) {
            let Some(item) = self.items.get(leaf * WIDTH + k) else { break };
            found(*item);
        }
    }

    /// Returns the box of item `slot` in the order of the leaves.
    #[inline]
    pub fn item(&self, slot: usize) -> Box3 {
        self.levels[0][slot / WIDTH].get(slot % WIDTH)
    }

    /// Returns the box around a leaf.
    #[inline]
    pub fn around(&self, leaf: usize) -> Box3 {
        self.levels.get(1).map_or_else(|| self.whole(), |groups| groups[leaf / WIDTH].get(leaf % WIDTH))
    }

    /// Calls `found(item, other)` for items of `leaf` and of leaf `at` of the tree `others` with boxes within the
    /// margin. A leaf against itself gives each pair of its items once.
    #[inline]
    pub fn pairs(&self, leaf: usize, others: &Tree, at: usize, margin2: f32, found: impl FnMut(u32, u32)) {
        self.pairs_of(leaf, (others, at), margin2, [|b| b; 2], found);
    }

    /// Calls `found` as [`Tree::pairs`] does, while the items of this tree move `along` and the others stay [m].
    #[inline]
    pub fn pairs_along(
        &self,
        leaf: usize,
        (others, at): (&Tree, usize),
        margin2: f32,
        along: &Vec3,
        found: impl FnMut(u32, u32),
    ) {
        let swept = |along: Vec3| move |b: Box3| b.swept(&along);
        self.pairs_of(leaf, (others, at), margin2, [swept(-along), swept(*along)], found);
    }

    /// Calls `found` as [`Tree::pairs`] does. `whole` is applied to the box of leaf `at`, `each` to the boxes of
    /// `leaf`.
    #[inline(always)]
    fn pairs_of(
        &self,
        leaf: usize,
        (others, at): (&Tree, usize),
        margin2: f32,
        [whole, each]: [impl Fn(Box3) -> Box3; 2],
        mut found: impl FnMut(u32, u32),
    ) {
        let (asking, asked) = (&self.levels[0][leaf], &others.levels[0][at]);
        let itself = std::ptr::eq(asking, asked);
        for k in bits(asking.within(&whole(others.around(at)), margin2)) {
            let Some(item) = self.items.get(leaf * WIDTH + k) else { break };
            let lanes = if itself { !1 << k } else { !0 };
            for m in bits(asked.within(&each(asking.get(k)), margin2) & lanes) {
                if let Some(other) = others.items.get(at * WIDTH + m) {
                    found(*item, *other);
                }
            }
        }
    }
}

/// Returns the square of a margin, rounded up. Boxes around all pairs up to `reach` apart are within it.
pub fn margin2(reach: f64) -> f32 {
    (reach * reach * (1.0 + 1e-6)) as f32 + f32::MIN_POSITIVE
}

/// Orders items so that every aligned group of a power of eight is compact. Ties are broken by item, so the order is
/// unique.
fn split(items: &mut [(Vec3, u32)]) {
    if items.len() <= WIDTH {
        return;
    }
    let mut group = WIDTH;
    while group * WIDTH < items.len() {
        group *= WIDTH;
    }
    let middle = items.len().div_ceil(group) / 2 * group;
    let (mut low, mut high) = (items[0].0, items[0].0);
    for (centre, _) in items.iter() {
        low = low.inf(centre);
        high = high.sup(centre);
    }
    let axis = (high - low).imax();
    items.select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    let (a, b) = items.split_at_mut(middle);
    if a.len() > ALONE {
        par::join(|| split(a), || split(b));
    } else {
        split(a);
        split(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random::Random;

    #[test]
    fn queries_find_what_meets() {
        let mut random = Random::new(5);
        for n in [0usize, 1, 7, 8, 9, 64, 65, 500, 5000] {
            let x: Vec<Vec3> = (0..n).map(|_| random.vector()).collect();
            let items: Vec<u32> = (0..n as u32).collect();
            let mut tree = Tree::new(&items, &x);
            let moved: Vec<Vec3> = x.iter().map(|p| p * 2.0 + Vec3::new(0.1 * random.signed(), 0.0, 0.0)).collect();
            tree.refit(|i| Box3::around([&moved[i as usize]], 0.0));
            for _ in 0..50 {
                let corner = random.vector() * 2.0;
                let far = corner + Vec3::repeat(0.2);
                let query = Box3::around([&corner, &far], 0.0);
                let mut found = Vec::new();
                let mut asking = Tree::new(&[7], &[corner]);
                asking.refit(|_| query);
                tree.query(&query, margin2(0.15), 0, |leaf| {
                    asking.pairs(0, &tree, leaf, margin2(0.15), |_, item| found.push(item));
                });
                found.sort_unstable();
                let distance = |p: &Vec3| (p - p.sup(&corner).inf(&far)).norm();
                let wanted: Vec<u32> =
                    items.iter().copied().filter(|i| distance(&moved[*i as usize]) <= 0.15).collect();
                assert_eq!(found, wanted);
            }
            let all = tree.whole();
            for from in [0, 1, 3, tree.leaves() / 2] {
                let mut found = Vec::new();
                tree.query(&all, 1.0, from, |leaf| found.push(leaf));
                assert_eq!(found, (from..tree.leaves()).collect::<Vec<_>>());
            }
        }
    }

    /// A swept box contains all positions on the way, and rounding hardly enlarges it.
    #[test]
    fn a_swept_box_is_around_its_way() {
        let mut random = Random::new(8);
        let mut point = |size: f64| random.vector() * size;
        for k in 0..2000 {
            let offset = point([0.0, 1.0, 40.0][k % 3]);
            let (from, along) = (offset + point(0.1), point([0.0, 1e-9, 0.01, 0.3][k % 4]));
            let swept = Box3::around([&from, &(from + point(0.02))], 0.0).swept(&along);
            for part in [0.0, 0.25, 0.5, 1.0] {
                let at = from + along * part;
                assert!((0..3).all(|l| f64::from(swept.low[l]) <= at[l] && at[l] <= f64::from(swept.high[l])));
            }
            let still = Box3::around([&from], 0.0);
            let size = |b: &Box3, l: usize| f64::from(b.high[l]) - f64::from(b.low[l]);
            let swept = still.swept(&along);
            assert!((0..3).all(|l| size(&swept, l) < size(&still, l) + along[l].abs() + 5e-7 * (from[l].abs() + 1.0)));
        }
        assert_eq!(Box3::EMPTY.swept(&Vec3::x()).low, Box3::EMPTY.low);
    }

    #[test]
    fn boxes_are_rounded_outward() {
        for v in [0.1, -0.1, 1e-50, -1e-50, 1e300, 123_456.789, 0.0] {
            let b = Box3::around([&Vec3::repeat(v)], 0.0);
            assert!(f64::from(b.low[0]) <= v && f64::from(b.high[0]) >= v);
        }
    }
}
