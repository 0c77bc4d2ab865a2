//! Objects of a scene as read, and the worlds built from them. Joining seams builds another world.

use super::faults::Faults;
use super::plug::{Later, Then};
use super::probe;
use crate::contact::ignore::excuses;
use crate::contact::offset_ramp::ramp_offset;
use crate::effect::seam::{Closings, Seams};
use crate::linalg::Vec3;
use crate::linalg::sets::Sets;
use crate::mesh::TriMesh;
use crate::mesh::topology::Topology;
use crate::scene::{EFFECTS, LAWS, Scene};
use crate::world::build::{ClothInput, Input};
use crate::world::carry::Carried;
use crate::world::{self, State, World};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Laws and effects of a scene.
pub struct Plugs {
    laws: Vec<Later>,
    effects: Vec<Then>,
}

impl Plugs {
    /// Reads laws and effects.
    pub fn of(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Plugs {
        Plugs {
            laws: LAWS.iter().filter_map(|law| law(scene, cloths, faults)).collect(),
            effects: EFFECTS.iter().filter_map(|effect| effect(scene, cloths, faults)).collect(),
        }
    }
}

/// Objects of a scene as read.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Path of the scene.
    pub file: PathBuf,
    /// Objects, about `origin`.
    pub input: Input,
    /// Origin of all positions, in the space of the scene [m].
    pub origin: Vec3,
    /// Vertices that each probe selects.
    pub selected: Vec<[Vec<u32>; 2]>,
}

impl Parts {
    /// Builds the world and its initial state. `begin` checks the initial state. Returns also what it returned.
    pub fn assemble<T>(
        self,
        scene: &Scene,
        plugs: Plugs,
        faults: &mut Faults,
        begin: impl FnOnce(&World, &mut State, &mut Faults) -> T,
    ) -> (World, State, T) {
        let Parts { input, origin, selected, .. } = self;
        let (mut world, mut state) = world::build::build(input);
        world.origin = origin;
        world.shot = scene.time.shot();
        world.set_distances(scene.distances());
        for law in plugs.laws {
            let term = law(&world);
            world.add(term);
        }
        let reported = begin(&world, &mut state, faults);
        state.memory = world.elements.memory(&state.x);
        for effect in plugs.effects {
            effect(scene, &mut world, &mut state, faults);
        }
        let probes = probe::probes(scene, selected, &world);
        world.probe(probes, &mut state);
        (world, state, reported)
    }

    /// Builds the world in which the pairs of seams with these indices are joined, with rest shapes of a time after the
    /// start of the run, and its initial state.
    pub fn joined(&self, scene: &Scene, joined: &[bool], shaped: f64) -> (World, State) {
        let mut parts = self.clone();
        parts.input.shaped = shaped;
        let mut all = joined.iter();
        for cloth in &mut parts.input.cloths {
            let pairs = cloth.seams.iter().flat_map(|seam| &seam.pairs);
            let own: Vec<[u32; 2]> =
                pairs.zip(&mut all).filter(|(_, joined)| **joined).map(|(pair, _)| *pair).collect();
            if !own.is_empty() {
                cloth.mesh.joined = merged(&cloth.mesh, &own);
            }
        }
        // Faults and warnings of the scene are known since its first world.
        let mut faults = Faults::new(scene, &self.file);
        let mut read = parts.input.cloths.clone();
        read.iter_mut().flat_map(|cloth| &mut cloth.mesh.positions).for_each(|p| *p += self.origin);
        let plugs = Plugs::of(scene, &read, &mut faults);
        let (world, state, ()) = parts.assemble(scene, plugs, &mut faults, |_, _, _| ());
        (world, state)
    }

    /// Returns the world that fits a state in which seams are joined or rest shapes have changed, and its start.
    /// `None` if nothing has, or if the state is that of another scene.
    pub fn fitting(&self, scene: &Scene, state: &State) -> Option<(World, State)> {
        let joined = state.effects.get::<Closings>().map(Closings::joined).unwrap_or_default();
        let pairs = self.input.cloths.iter().flat_map(|cloth| &cloth.seams).map(|seam| seam.pairs.len());
        let [shaped, _] = scene.time.changes(scene.step(), state.time);
        let is_new = joined.contains(&true) || self.changes([0.0, shaped]);
        (is_new && joined.len() == pairs.sum::<usize>()).then(|| self.joined(scene, &joined, shaped))
    }

    /// Returns that no pair of seams is joined.
    pub fn apart(&self) -> Vec<bool> {
        let pairs = self.input.cloths.iter().flat_map(|cloth| &cloth.seams).map(|seam| seam.pairs.len());
        vec![false; pairs.sum()]
    }

    /// Returns whether rest shapes differ at two times.
    fn changes(&self, times: [f64; 2]) -> bool {
        self.input.cloths.iter().any(|cloth| cloth.changes(times))
    }

    /// Renews the world at the end of a frame: joins seams that have closed, and changes rest shapes. Returns the world
    /// and the state thereafter, or `None` if nothing changes.
    pub fn renew(&self, scene: &Scene, world: &World, state: &State) -> Option<(World, State)> {
        let [shaped, _] = scene.time.changes(scene.step(), state.time);
        self.join(scene, world, state, shaped).or_else(|| self.reshape(scene, world, state))
    }

    /// Changes rest shapes to those of the present time. Returns the world and the state thereafter, or `None` if
    /// nothing changes.
    pub fn reshape(&self, scene: &Scene, world: &World, state: &State) -> Option<(World, State)> {
        let [shaped, _] = scene.time.changes(scene.step(), state.time);
        self.changes([world.shaped, shaped]).then(|| {
            let joined = state.effects.get::<Closings>().map(Closings::joined).unwrap_or_default();
            let (to, start) = self.joined(scene, &joined, shaped);
            let after = Carried::new(world, &to).state(state, start);
            (to, after)
        })
    }

    /// Returns the next time up to `until` at which rest shapes change [s].
    pub fn next_change(&self, scene: &Scene, time: f64, until: f64) -> f64 {
        let [_, next] = scene.time.changes(scene.step(), time);
        if next < until && self.changes([time, until]) { next } else { until }
    }

    /// Joins the pairs of seams that have closed. Returns the world and the state thereafter, or `None` if there are no
    /// such pairs. Pairs at triangles that would be joined wrongly or cross are left as they are.
    fn join(&self, scene: &Scene, world: &World, state: &State, shaped: f64) -> Option<(World, State)> {
        let (seams, memory) = (world.effects.get::<Seams>()?, state.effects.get::<Closings>()?);
        let mut pairs = seams.closed(state, memory);
        while !pairs.is_empty() {
            let mut memory = memory.clone();
            memory.join(&pairs);
            let joined = memory.joined();
            let mut wrong = self.wrong(&joined);
            if wrong.is_empty() {
                let (to, start) = self.joined(scene, &joined, shaped);
                let mut after = Carried::new(world, &to).state(state, start);
                if let Some(own) = after.effects.get_mut::<Closings>() {
                    *own = memory;
                }
                wrong = crossing(&to, &after);
                if wrong.is_empty() {
                    let now = after.now();
                    ramp_offset(&to, &mut after, |i, j| to.meet_at(i, j, now), |v| to.is_joined(v));
                    return Some((to, after));
                }
            }
            let count = pairs.len();
            pairs.retain(|k| !wrong.contains(k));
            if pairs.len() == count {
                return None;
            }
        }
        None
    }

    /// Returns the pairs at triangles that would not be those of a surface: with a vertex twice, or more than two at an
    /// edge.
    fn wrong(&self, joined: &[bool]) -> BTreeSet<usize> {
        let (mut wrong, mut first) = (BTreeSet::new(), 0);
        for cloth in &self.input.cloths {
            let pairs: Vec<[u32; 2]> = cloth.seams.iter().flat_map(|seam| seam.pairs.iter().copied()).collect();
            let own: Vec<[u32; 2]> =
                pairs.iter().zip(&joined[first..]).filter(|(_, joined)| **joined).map(|(pair, _)| *pair).collect();
            if !own.is_empty() {
                let map = merged(&cloth.mesh, &own);
                let at: BTreeSet<u32> = faulty(&cloth.mesh, &map);
                let all = (first..).zip(&pairs).filter(|(_, [a, _])| at.contains(&map[*a as usize]));
                wrong.extend(all.map(|(k, _)| k));
            }
            first += pairs.len();
        }
        wrong
    }
}

/// Returns the representative of each vertex of a mesh once these pairs are joined too.
fn merged(mesh: &TriMesh, pairs: &[[u32; 2]]) -> Vec<u32> {
    let mut sets = Sets::new(mesh.positions.len());
    mesh.joined.iter().zip(0..).for_each(|(first, v)| sets.join(*first, v));
    pairs.iter().for_each(|[a, b]| sets.join(*a, *b));
    (0..mesh.positions.len() as u32).map(|v| sets.first(v)).collect()
}

/// Returns the representatives at triangles that are not those of a surface.
fn faulty(mesh: &TriMesh, map: &[u32]) -> BTreeSet<u32> {
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| map[v as usize])).collect();
    let mut at = BTreeSet::new();
    let mut known = BTreeSet::new();
    for t in &triangles {
        let mut sorted = *t;
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        if a == b || b == c || !known.insert(sorted) {
            at.extend(t);
        }
    }
    let topology = Topology::new(map.len(), &triangles);
    let crowded = topology.edges.iter().zip(&topology.edge_valence).filter(|(_, count)| **count > 2);
    at.extend(crowded.flat_map(|(edge, _)| edge));
    at
}

/// Returns the pairs of seams at triangles that cross.
fn crossing(world: &World, state: &State) -> BTreeSet<usize> {
    let crossings = world.crossings(&mut world.test(), &state.x, state.now());
    let pairs = crossings.iter().flat_map(|crossing| &crossing.pairs);
    let pairs = pairs.filter(|pair| !excuses(world, state, **pair));
    let at: BTreeSet<u32> = pairs.flatten().flat_map(|t| world.surface.triangles[*t as usize]).collect();
    let Some(seams) = world.effects.get::<Seams>().filter(|_| !at.is_empty()) else { return BTreeSet::new() };
    let all = seams.sewing.iter().flat_map(|sewing| &sewing.pairs).zip(0..);
    all.filter(|([a, _], _)| at.contains(a)).map(|(_, k)| k).collect()
}
