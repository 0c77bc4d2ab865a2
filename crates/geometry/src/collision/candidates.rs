//! Candidate pairs: every vertex-face and edge-edge pair without a common vertex that may come within reach.
//!
//! Surfaces are cut into patches. Two patches have a candidate list if their boxes, swept over the step, are within
//! reach. The list holds all pairs of their features within the reach plus a margin. It stays valid until the patches
//! may have come nearer to each other than the margin. Lists are thus rebuilt only between parts that move against each
//! other. Where no list would last two steps, brief lists are built in each step. They hold only pairs that come within
//! reach in this step.
//!
//! The additional pairs of a list depend on when it was built. A reader must compute distances and ignore pairs beyond
//! the reach plus the list's `rate`. Such pairs may be missing. The remaining pairs depend on no earlier step.
//!
//! Neighbours of one surface are always near each other. Given the rest shape, they are candidates only below half
//! their rest distance.

mod find;

use super::patch::Patch;
use super::surface::Surface;
use super::tree::{Tree, margin2};
use crate::linalg::{Vec3, par};
use find::{Apart, Find, Gathered};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of steps that a list should last at the present speed, and number below which it is brief.
const LAST: (f64, f64) = (8.0, 2.0);
/// Smallest margin of a list, relative to the reach, and largest margin, relative to the edge length.
const ROOM: (f64, f64) = (0.25, 0.3);
/// Reach, relative to the edge length, above which neighbours may always be within it.
const NEIGHBOUR: f64 = 0.25;
/// Maximum number of unused lists that are kept for their storage.
const SPARE: usize = 64;
/// Bounds of the number of pairs (per vertex, edge and triangle, and a constant) and of lists (per patch, and a
/// constant).
const MOST: ([usize; 2], [usize; 2]) = ([64, 1 << 24], [512, 100_000]);
/// Number of leaves of the tree over patches in a block of a parallel loop.
const BLOCK: usize = 4;

/// Candidate pair and its distance when the list was built.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Near {
    /// Vertex, or first edge.
    pub a: u32,
    /// Triangle, or second edge, which has the higher index.
    pub b: u32,
    /// Distance at the build, rounded down [m].
    pub distance: f32,
    /// Distance up to which the pair is a candidate, if less than that of the list [m].
    pub reach: f32,
}

/// Candidate list: the pairs between two patches, or within one.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// Indices of the patches, the lower first.
    pub patches: [u32; 2],
    /// Vertex-triangle pairs.
    pub vertex_face: Vec<Near>,
    /// Edge-edge pairs; the first edge has the lower index.
    pub edge_edge: Vec<Near>,
    /// Bound of the approach of the pairs since the build [m].
    pub passed: f64,
    /// Bound of the approach from the build to the end of the step [m].
    pub approach: f64,
    /// Bound of the approach from now to the end of the step, independent of the build [m].
    pub rate: f64,
    /// Distance up to which pairs are candidates [m].
    pub reach: f64,
    /// Margin: largest `approach` for which the list is complete; negative infinity before the build [m].
    room: f64,
    /// Whether the list is to be built.
    fresh: bool,
    /// Whether the list holds only pairs that come within reach by the displacements covered at its build.
    brief: bool,
    /// Bound of the approach by the displacements covered now, beyond that by the displacements at the build [m].
    strayed: f64,
    /// At the build: difference of the mean displacements of both patches, and sum of their drifts [m].
    built: (Vec3, f64),
}

/// Candidate lists between patches, with storage kept between builds.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Lists, sorted by patches.
    pub lists: Vec<List>,
    patches: Vec<Patch>,
    /// Tree over the patches.
    tops: Tree,
    /// Positions at the last update [m].
    seen: Vec<Vec3>,
    /// Displacements from `seen` that the lists cover; brief lists may miss an approach of `strayed` [m].
    covered: Vec<Vec3>,
    /// Reach beyond the half thicknesses [m].
    distance: f64,
    /// Rest positions, to filter neighbours; empty without a filter [m].
    rest: Vec<Vec3>,
    /// Whether pairs of two objects are candidates, `objects x objects`.
    meet: Vec<bool>,
    objects: usize,
    /// Whether the pairs of an object are left out for now.
    absent: Vec<bool>,
    spare: Vec<List>,
    /// Maximum numbers of pairs and of lists.
    most: (usize, usize),
    /// Whether a maximum was exceeded, so that there are no lists.
    crowded: bool,
}

impl Candidates {
    /// Cuts the surfaces into patches at positions `x`, for any later positions. Candidates are pairs of objects that
    /// `meet`, within `distance` beyond the largest half `thickness` (by vertex) of their patches [m].
    pub fn new(
        x: &[Vec3],
        surface: &Surface,
        thickness: &[f64],
        distance: f64,
        meet: impl Fn(usize, usize) -> bool,
    ) -> Candidates {
        let patches = Patch::cut(x, surface, thickness);
        let ids: Vec<u32> = (0..patches.len() as u32).collect();
        let centres: Vec<Vec3> = patches.iter().map(|p| p.mean).collect();
        let objects = surface.objects();
        let features = surface.vertices + surface.edges.len() + surface.triangles.len();
        let most = |[each, beside]: [usize; 2], count: usize| each * count + beside;
        Candidates {
            most: (most(MOST.0, features), most(MOST.1, patches.len())),
            tops: Tree::new(&ids, &centres),
            patches,
            seen: x.to_vec(),
            covered: vec![Vec3::zeros(); x.len()],
            distance,
            meet: (0..objects * objects).map(|k| meet(k / objects, k % objects)).collect(),
            objects,
            absent: vec![false; objects],
            ..Candidates::default()
        }
    }

    /// Limits pairs of one object to half their rest distance, or to the distance beyond the thickness. Nearer pairs
    /// act or may cross. Cloth thicker than its cells are wide then has few pairs.
    pub fn with_rest(self, rest: &[Vec3]) -> Candidates {
        Candidates { rest: rest.to_vec(), ..self }
    }

    /// Leaves out the pairs of `absent` objects from the next update on.
    pub fn leave_out(&mut self, absent: impl Fn(usize) -> bool) {
        self.absent.iter_mut().enumerate().for_each(|(object, left_out)| *left_out = absent(object));
    }

    /// Updates the lists to hold every pair that comes within reach while the vertices move linearly from `x` by
    /// `moved` [m]. Returns the number of lists built.
    pub fn update(&mut self, x: &[Vec3], surface: &Surface, moved: &[Vec3]) -> u64 {
        self.renew(x, surface, moved, None)
    }

    /// Updates the lists for other displacements `moved` from the positions of the last update. For patches that
    /// deviate by more than `spare`, they then hold every pair that comes nearer than the reach less `spare`. Lists are
    /// kept if the displacements hardly differ from the covered ones. [`Candidates::compare`] must just have been
    /// called with `moved`. Returns the number of lists built.
    pub fn cover(&mut self, x: &[Vec3], surface: &Surface, moved: &[Vec3], spare: f64) -> u64 {
        let Candidates { patches, covered, .. } = self;
        par::each_heavy(patches, |_, patch| patch.stray = patch.differ(covered, moved));
        let most = self.patches.iter().fold(0.0, |m: f64, p| m.max(p.stray));
        let asked = self.lists.iter().filter(|list| list.strayed > 0.0 && self.deviation(&list.patches) > spare);
        let strayed = asked.fold(0.0, |m: f64, list| m.max(list.strayed));
        if 2.0 * most + strayed > spare { self.renew(x, surface, moved, Some(spare)) } else { 0 }
    }

    /// Updates the lists as [`Candidates::update`] does. With `spare`, brief lists of the same step are kept.
    /// Exceptions are lists that have strayed by more than half of `spare` and whose patches deviate by more than
    /// `spare`.
    fn renew(&mut self, x: &[Vec3], surface: &Surface, moved: &[Vec3], spare: Option<f64>) -> u64 {
        let Candidates { seen, covered, patches, .. } = self;
        par::each_heavy(patches, |_, patch| patch.follow(seen, x, covered, moved));
        par::each_pair_mut(seen, covered, |v, seen, covered| (*seen, *covered) = (x[v], moved[v]));
        self.meet_lists();
        let patches = &self.patches;
        par::each_mut(&mut self.lists, |_, list| list.expect(list.patches.map(|p| &patches[p as usize]), spare));
        let mut builds = 0;
        for list in self.lists.iter().filter(|list| list.fresh) {
            builds += 1;
            list.patches.iter().for_each(|p| self.patches[*p as usize].wanted = true);
        }
        par::each_heavy(&mut self.patches, |_, patch| patch.fit(x, surface, moved));
        let Candidates { lists, patches, rest, distance, most: (most, _), .. } = &mut *self;
        let (patches, apart, most) = (&*patches, (&rest[..], *distance), *most);
        // Building stops once there are too many pairs.
        let old = lists.iter().filter(|list| !list.fresh).map(List::count).sum();
        let count = AtomicUsize::new(old);
        par::each_heavy(lists, |_, list| {
            if list.fresh && count.load(Ordering::Relaxed) <= most {
                list.build(x, surface, patches, moved, apart);
                count.fetch_add(list.count(), Ordering::Relaxed);
            }
        });
        if count.into_inner() > most {
            self.give_up();
        }
        builds
    }

    /// Returns whether the last displacements gave too many pairs or too many near patches. There are then no lists.
    pub fn crowded(&self) -> bool {
        self.crowded
    }

    fn give_up(&mut self) {
        self.crowded = true;
        self.lists = Vec::new();
        self.spare = Vec::new();
    }

    /// Returns whether two patches may have candidates and their swept boxes are within reach.
    fn is_near(&self, i: u32, j: u32) -> bool {
        let [a, b] = [i, j].map(|p| &self.patches[p as usize]);
        let reach = margin2(self.distance + a.thickness + b.thickness);
        let wanted = self.meet[a.object * self.objects + b.object] && !self.absent[a.object] && !self.absent[b.object];
        wanted && a.swept.within(&b.swept, reach)
    }

    /// Returns all pairs of patches whose swept boxes are within reach, or `None` if there are too many.
    fn near(&self) -> Option<Vec<[u32; 2]>> {
        let tops = &self.tops;
        let thickest = self.patches.iter().fold(0.0, |m: f64, p| m.max(p.thickness));
        let most = margin2(self.distance + 2.0 * thickest);
        let (count, (_, allowed)) = (AtomicUsize::new(0), self.most);
        let near = par::gather(tops.leaves(), BLOCK, |leaves, out| {
            for leaf in leaves {
                if count.load(Ordering::Relaxed) > allowed {
                    return;
                }
                let before = out.len();
                let mut keep = |i: u32, j: u32| {
                    let [i, j] = [i.min(j), i.max(j)];
                    if self.is_near(i, j) {
                        out.push([i, j]);
                    }
                };
                let around = tops.around(leaf);
                tops.query(&around, most, leaf, |other| tops.pairs(leaf, tops, other, most, &mut keep));
                count.fetch_add(out.len() - before, Ordering::Relaxed);
            }
        });
        (count.into_inner() <= allowed).then_some(near)
    }

    /// Keeps a list for every two patches whose swept boxes are within reach.
    fn meet_lists(&mut self) {
        self.crowded = false;
        let Candidates { patches, tops, .. } = self;
        tops.refit(|p| patches[p as usize].swept);
        let Some(mut near) = self.near() else {
            self.give_up();
            return;
        };
        let Candidates { lists, patches, distance, meet, objects, spare, .. } = self;
        near.extend((0..patches.len() as u32).map(|p| [p, p]).filter(|[p, _]| {
            let object = patches[*p as usize].object;
            meet[object * *objects + object]
        }));
        par::sort(&mut near);
        if lists.iter().map(|list| list.patches).eq(near.iter().copied()) {
            return;
        }
        let mut old = std::mem::take(lists).into_iter().peekable();
        lists.reserve(near.len());
        for pair in near {
            while let Some(gone) = old.next_if(|list| list.patches < pair) {
                spare.push(gone);
            }
            let list = old.next_if(|list| list.patches == pair).unwrap_or_else(|| {
                let [a, b] = pair.map(|p| patches[p as usize].thickness);
                List {
                    patches: pair,
                    reach: *distance + a + b,
                    room: f64::NEG_INFINITY,
                    brief: false,
                    ..spare.pop().unwrap_or_default()
                }
            });
            lists.push(list);
        }
        spare.extend(old);
        spare.truncate(SPARE);
    }

    /// Compares displacements with the expected ones and returns the largest difference. See [`Candidates::deviation`].
    pub fn compare(&mut self, expected: &[Vec3], moved: &[Vec3]) -> f64 {
        par::each_heavy(&mut self.patches, |_, patch| patch.compare(expected, moved));
        self.patches.iter().fold(0.0, |m: f64, p| m.max(p.deviation))
    }

    /// Returns a bound of how much nearer than expected two patches come by the displacements last compared [m].
    #[inline]
    pub fn deviation(&self, patches: &[u32; 2]) -> f64 {
        let [a, b] = patches.map(|p| self.patches[p as usize].deviation);
        a + b
    }

    /// Returns a bound of the approach of two patches' features by the displacements last compared [m].
    #[inline]
    pub fn pace(&self, patches: &[u32; 2]) -> f64 {
        let [a, b] = patches.map(|p| &self.patches[p as usize].pace);
        (a.0 - b.0).norm() + a.1 + b.1
    }

    /// Returns a bound of the approach of a list's pairs from now on [m]. The displacements must have been both
    /// compared and covered. The bound does not exceed `rate` plus the patches' `stray`, because pairs farther apart
    /// may be missing.
    pub fn closing(&self, list: &List) -> f64 {
        let [a, b] = list.patches.map(|p| self.patches[p as usize].stray);
        self.pace(&list.patches).min(list.rate + a + b)
    }

    /// Returns whether the list has a patch of the object.
    pub fn of(&self, list: &List, object: Option<usize>) -> bool {
        object.is_some() && list.patches.iter().any(|p| Some(self.patches[*p as usize].object) == object)
    }

    /// Returns the number of pairs in all lists.
    pub fn count(&self) -> usize {
        self.lists.iter().map(List::count).sum()
    }
}

impl List {
    /// Returns the number of pairs.
    fn count(&self) -> usize {
        self.vertex_face.len() + self.edge_edge.len()
    }

    fn place(a: &Patch, b: &Patch) -> (Vec3, f64) {
        (a.mean - b.mean, a.drift + b.drift)
    }

    /// Sets `approach` and `rate` for the expected displacements. Marks the list for building if it does not cover
    /// them.
    fn expect(&mut self, [a, b]: [&Patch; 2], spare: Option<f64>) {
        let (between, drift) = List::place(a, b);
        self.rate = (a.step - b.step).norm() + a.own + b.own;
        let most = (ROOM.1 * a.edge.min(b.edge)).max(ROOM.0 * self.reach);
        if LAST.1 * self.rate > most {
            self.strayed += a.stray + b.stray;
            let stays = |spare: f64| a.deviation + b.deviation <= spare || self.strayed <= 0.5 * spare;
            self.fresh = !self.brief || !spare.is_some_and(stays);
            (self.brief, self.room) = (true, f64::NEG_INFINITY);
        } else {
            // `approach` is at least `passed` plus `rate`. A pair beyond `reach + approach` at the build is thus beyond
            // `reach + rate` now.
            self.passed = (between - self.built.0).norm() + (drift - self.built.1);
            self.approach = self.passed + self.rate;
            self.fresh = self.approach > self.room;
            (self.brief, self.strayed) = (false, 0.0);
            if self.fresh {
                self.room = (LAST.0 * self.rate).clamp(ROOM.0 * self.reach, most);
            }
        }
        if self.brief || self.fresh {
            (self.passed, self.approach) = (0.0, self.rate);
            self.built = (between, drift);
        }
        if self.fresh {
            self.strayed = 0.0;
            self.vertex_face.clear();
            self.edge_edge.clear();
        }
    }

    /// Builds the list if it is marked. `rest` is the rest shape, if given; `distance` is that up to which every pair
    /// is a candidate [m].
    fn build(
        &mut self,
        x: &[Vec3],
        surface: &Surface,
        patches: &[Patch],
        moved: &[Vec3],
        (rest, distance): (&[Vec3], f64),
    ) {
        if !std::mem::take(&mut self.fresh) {
            return;
        }
        let [a, b] = self.patches.map(|p| &patches[p as usize]);
        let same = self.patches[0] == self.patches[1];
        // The boxes of a patch cover its motion relative to its mean displacement.
        let (near, along) =
            if self.brief { (self.reach, a.step - b.step) } else { (self.reach + self.room, Vec3::zeros()) };
        // Features of one surface without a common vertex are hardly nearer to each other than half an edge.
        let neighbours = !rest.is_empty() && a.object == b.object && self.reach > NEIGHBOUR * a.edge.min(b.edge);
        let apart = neighbours.then_some(Apart { rest, distance, beyond: near - self.reach });
        let gathered = Gathered::new();
        let mut find = Find { x, surface, near, moved: self.brief.then_some(moved), apart, gathered };
        find.vertex_face((&a.vertices, &b.triangles), &along, &mut self.vertex_face);
        if !same {
            find.vertex_face((&b.vertices, &a.triangles), &-along, &mut self.vertex_face);
        }
        find.edge_edges((&a.edges, &b.edges), same, &along, &mut self.edge_edge);
        fit(&mut self.vertex_face);
        fit(&mut self.edge_edge);
    }
}

/// Shrinks storage that is much larger than its content.
pub fn fit<T>(list: &mut Vec<T>) {
    if list.capacity() > 4 * list.len() + 64 {
        list.shrink_to(2 * list.len());
    }
}

#[cfg(test)]
mod tests;
