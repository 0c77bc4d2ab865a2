//! Candidate pairs: every vertex-face and edge-edge pair without a common vertex that may come within reach.
//!
//! Surfaces are cut into patches. Two patches whose boxes, swept over the step, are within reach have a list of the pairs of
//! their features; it holds all pairs within the reach plus some room and stays good while the two patches cannot have come
//! nearer to each other than that room, so that only the lists of parts that move against each other are built anew. Parts that move
//! so fast that no list would last two steps have brief ones, built in each step, of the pairs that come within reach in this step alone.
//! What a list gives beside the pairs that are wanted depends on when it was built: who reads it must look, and leave out what is
//! farther than what is wanted and the list's `rate`, for that may be missing. What is left depends on no step before.
//! Neighbours of one surface are near to each other for good; given its rest shape, they are wanted from half their distance there on.

mod find;

use super::patch::Patch;
use super::surface::Surface;
use super::tree::{Tree, margin2};
use crate::linalg::{Vec3, par};
use find::{Apart, Find, Gathered};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps a list is meant to last at the present speed, and those below which it is brief.
const LAST: (f64, f64) = (8.0, 2.0);
/// Least and largest room of a list, the first in units of the reach, the second of the edge length.
const ROOM: (f64, f64) = (0.25, 0.3);
/// Reach in units of the edge length from which on neighbours may be within it for good.
const NEIGHBOUR: f64 = 0.25;
/// Lists that are kept for their storage.
const SPARE: usize = 64;
/// Most pairs of all lists, for each vertex, edge and triangle and beside; and most lists, for each patch and beside.
const MOST: ([usize; 2], [usize; 2]) = ([64, 1 << 24], [512, 100_000]);
/// Leaves of the tree over patches, or lists, in a block of a parallel loop.
const BLOCK: usize = 4;

/// Two features and their distance when the list was built.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Near {
    /// Vertex, or first edge.
    pub a: u32,
    /// Triangle, or second edge, which has the higher index.
    pub b: u32,
    /// Distance at build, rounded down [m].
    pub distance: f32,
    /// Distance at which it is wanted, where that is less than the list's [m].
    pub reach: f32,
}

/// The pairs between two patches, or within one.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The patches, the lower index first.
    pub patches: [u32; 2],
    /// Vertex and triangle.
    pub vertex_face: Vec<Near>,
    /// Edge and edge; the first has the lower index.
    pub edge_edge: Vec<Near>,
    /// How much nearer than at the build the pairs can have come by now [m].
    pub passed: f64,
    /// The same until the end of the step [m].
    pub approach: f64,
    /// How much nearer than now, whenever it was built [m].
    pub rate: f64,
    /// Distance at which pairs are wanted [m].
    pub reach: f64,
    /// Largest `approach` for which the list is complete [m]; no approach is before it is built.
    room: f64,
    /// It is to be built.
    fresh: bool,
    /// It has only what comes within reach by the displacements that were covered when it was built.
    brief: bool,
    /// How much nearer to each other than by those the patches can come by the displacements that are covered now [m].
    strayed: f64,
    /// When `passed` was last none: difference of the patches' means and sum of their drifts [m].
    built: (Vec3, f64),
}

/// The lists, with the patches they are between and storage kept between builds.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Lists in order of their patches.
    pub lists: Vec<List>,
    patches: Vec<Patch>,
    /// Tree over the patches.
    tops: Tree,
    /// Positions in the last update [m].
    seen: Vec<Vec3>,
    /// Displacements from there that the lists cover, brief ones but for what they have strayed [m].
    covered: Vec<Vec3>,
    /// Reach beyond half thicknesses [m].
    distance: f64,
    /// Positions at rest of what has neighbours; empty where these are as all others [m].
    rest: Vec<Vec3>,
    /// Objects whose pairs are wanted, `objects x objects`.
    meet: Vec<bool>,
    objects: usize,
    /// Objects whose pairs are not wanted for now.
    absent: Vec<bool>,
    spare: Vec<List>,
    /// Most pairs and lists there may be.
    most: (usize, usize),
    /// There would have been more, and there are none.
    crowded: bool,
}

impl Candidates {
    /// Cuts the surfaces at positions `x`, for any later positions. Wanted are pairs of objects that `meet`, within
    /// `distance` beyond the largest half `thickness` (by vertex) of their patches [m].
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

    /// Pairs of one object are wanted up to half their distance in its rest shape, or the distance beyond the thickness: nearer they act, or may
    /// cross. What is thicker than its cells are wide has few then.
    pub fn with_rest(self, rest: &[Vec3]) -> Candidates {
        Candidates { rest: rest.to_vec(), ..self }
    }

    /// From the next update on no pairs of `absent` objects are wanted.
    pub fn leave_out(&mut self, absent: impl Fn(usize) -> bool) {
        self.absent.iter_mut().enumerate().for_each(|(object, left_out)| *left_out = absent(object));
    }

    /// Brings the lists to hold every pair that comes within reach while the vertices move linearly from `x` by `moved` [m].
    /// Gives the number of lists that were built.
    pub fn update(&mut self, x: &[Vec3], surface: &Surface, moved: &[Vec3]) -> u64 {
        self.renew(x, surface, moved, None)
    }

    /// Brings the lists to hold every pair that comes nearer than the reach less `spare` by other displacements `moved` from the positions of the
    /// last update, of patches that deviate by more than `spare`: as they are where these differ so little from what is covered. Gives the
    /// number of lists that were built. The displacements have just been compared ([`Candidates::compare`]).
    pub fn cover(&mut self, x: &[Vec3], surface: &Surface, moved: &[Vec3], spare: f64) -> u64 {
        let Candidates { patches, covered, .. } = self;
        par::each_heavy(patches, |_, patch| patch.stray = patch.differ(covered, moved));
        let most = self.patches.iter().fold(0.0, |m: f64, p| m.max(p.stray));
        let asked = self.lists.iter().filter(|list| list.strayed > 0.0 && self.deviation(&list.patches) > spare);
        let strayed = asked.fold(0.0, |m: f64, list| m.max(list.strayed));
        if 2.0 * most + strayed > spare { self.renew(x, surface, moved, Some(spare)) } else { 0 }
    }

    /// As [`Candidates::update`]; brief lists of the same step stay as they are but where patches deviate by more than `spare` and the list has
    /// strayed by half of it.
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
        // What would be too much is not built to its end.
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

    /// There were too many pairs, or patches too near each other, for the last displacements: there are none, and nothing is known.
    pub fn crowded(&self) -> bool {
        self.crowded
    }

    fn give_up(&mut self) {
        self.crowded = true;
        self.lists = Vec::new();
        self.spare = Vec::new();
    }

    /// Two patches that are to be looked at where their swept boxes are within reach.
    fn is_near(&self, i: u32, j: u32) -> bool {
        let [a, b] = [i, j].map(|p| &self.patches[p as usize]);
        let reach = margin2(self.distance + a.thickness + b.thickness);
        let wanted = self.meet[a.object * self.objects + b.object] && !self.absent[a.object] && !self.absent[b.object];
        wanted && a.swept.within(&b.swept, reach)
    }

    /// Every two patches whose swept boxes are within reach; none where there are too many.
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

    /// Compares displacements with the expected ones and gives the largest difference; see [`Candidates::deviation`].
    pub fn compare(&mut self, expected: &[Vec3], moved: &[Vec3]) -> f64 {
        par::each_heavy(&mut self.patches, |_, patch| patch.compare(expected, moved));
        self.patches.iter().fold(0.0, |m: f64, p| m.max(p.deviation))
    }

    /// How much nearer than expected two patches can come by the displacements last compared [m].
    #[inline]
    pub fn deviation(&self, patches: &[u32; 2]) -> f64 {
        let [a, b] = patches.map(|p| self.patches[p as usize].deviation);
        a + b
    }

    /// How much nearer to each other features of two patches can come by the displacements last compared [m].
    #[inline]
    pub fn pace(&self, patches: &[u32; 2]) -> f64 {
        let [a, b] = patches.map(|p| &self.patches[p as usize].pace);
        (a.0 - b.0).norm() + a.1 + b.1
    }

    /// How much nearer than now the pairs of a list can come by displacements that were both compared and covered, but no more than the list
    /// covers and they stray from it: what is farther may be missing [m].
    pub fn closing(&self, list: &List) -> f64 {
        let [a, b] = list.patches.map(|p| self.patches[p as usize].stray);
        self.pace(&list.patches).min(list.rate + a + b)
    }

    /// The list has a patch of the object.
    pub fn of(&self, list: &List, object: Option<usize>) -> bool {
        object.is_some() && list.patches.iter().any(|p| Some(self.patches[*p as usize].object) == object)
    }

    /// Number of pairs in all lists.
    pub fn count(&self) -> usize {
        self.lists.iter().map(List::count).sum()
    }
}

impl List {
    /// Number of pairs.
    fn count(&self) -> usize {
        self.vertex_face.len() + self.edge_edge.len()
    }

    fn place(a: &Patch, b: &Patch) -> (Vec3, f64) {
        (a.mean - b.mean, a.drift + b.drift)
    }

    /// Sets `approach` and `rate` for the expected displacements; what the list does not cover any more is to be built.
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
            // No less than what it was nearer to now and the rate: what `approach` puts aside, `rate` does by the distance now.
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

    /// `rest` has the rest shape, if that is given, and the distance up to which every pair is wanted [m].
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
        // The boxes of a patch cover what it does beside its mean displacement.
        let (near, along) =
            if self.brief { (self.reach, a.step - b.step) } else { (self.reach + self.room, Vec3::zeros()) };
        // No two features of one surface without a common vertex are much nearer to each other than half an edge.
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

/// Gives back storage that a fuller moment has left behind.
pub fn fit<T>(list: &mut Vec<T>) {
    if list.capacity() > 4 * list.len() + 64 {
        list.shrink_to(2 * list.len());
    }
}

#[cfg(test)]
mod tests;
