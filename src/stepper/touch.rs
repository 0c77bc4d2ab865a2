//! Contact within a step: candidate pairs, contacts predicted from them, their part of the system, and the proof that the end
//! positions crossed nothing.
//!
//! The candidate list holds every pair within a reach; it stays valid while no vertex has travelled more than its share of
//! that reach since the list was built (see [`super::travel`]).

use super::travel::Travel;
use super::zone::Zones;
use super::{Step, Stuck, impulse};
use crate::collision::candidates::{Candidates, Near, Reach};
use crate::collision::certificate::{Pair, Separation};
use crate::force::assembly::{Assembly, pick};
use crate::force::contact::{Bristle, Contact, Friction, Linear, Setting};
use crate::linalg::matrix::{Entry, Real};
use crate::linalg::{Mat3, Vec3, par};
use crate::world::{Kind, State, World};

/// Hard minimum of a distance: far above the rounding of `f32` files for coordinates up to 40 m [m].
pub(super) const LEAST: f64 = 1e-5;
/// Steps a candidate list is meant to last at the present speed.
const LAST: f64 = 4.0;
/// Pairs per block of a parallel loop.
const BLOCK: usize = 1024;
/// Sweeps of correction before pairs move as one.
pub(super) const SWEEPS: usize = 6;

/// A solution may miss a contact's goal by this part of the activation distance.
const STRAY: f64 = 0.05;

/// A contact and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub key: u64,
    pub vertices: [u32; 4],
    pub weights: [f64; 4],
    pub distance: f64,
    pub contact: Contact,
    /// Relative displacement of free flight.
    pub free: Vec3,
    pub linear: Linear,
    /// The first solve closed it too fast.
    pub stop: bool,
}

/// A candidate pair that was looked at in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    pub pair: Pair,
    pub vertices: [u32; 4],
    pub distance: f64,
}

/// Storage of contact.
pub struct Touch {
    candidates: Candidates,
    reach: Reach,
    /// Largest half thickness by object [m].
    thickness: Vec<f64>,
    /// Positions when the list was built; empty before.
    built: Vec<Vec3>,
    /// Travel of each vertex in its object's frame that the list allows [m].
    margin: Vec<f64>,
    /// Expected displacement of every vertex in this step [m].
    predicted: Vec<Vec3>,
    /// Expected travel from `built` to the end of the step.
    travel: Travel,
    /// Actual travel from `built` to the end of the step.
    actual: Travel,
    watched: Vec<Watched>,
    contacts: Vec<Element>,
    setting: Setting,
}

impl Touch {
    /// Storage for a world; `largest` is the largest step [s].
    pub fn new(world: &World, largest: f64) -> Touch {
        let most =
            |o: &crate::world::Object| world.half_thickness[o.vertices.clone()].iter().fold(0.0f64, |m, t| m.max(*t));
        Touch {
            candidates: Candidates::new(&world.rest, &world.surface),
            reach: Reach::default(),
            thickness: world.objects.iter().map(most).collect(),
            built: Vec::new(),
            margin: vec![0.0; world.rest.len()],
            predicted: vec![Vec3::zeros(); world.rest.len()],
            travel: Travel::default(),
            actual: Travel::default(),
            watched: Vec::new(),
            contacts: Vec::new(),
            setting: Setting { stiffness: world.contact.stiffness, h: largest, largest },
        }
    }

    /// Distance at which two objects begin to act on each other, thickness included.
    fn activation(&self, world: &World, i: usize, j: usize) -> f64 {
        world.contact.distance + self.thickness[i] + self.thickness[j]
    }

    /// Objects that may touch.
    fn pairs(world: &World) -> impl Iterator<Item = (usize, usize)> + '_ {
        let n = if world.contact.enabled { world.objects.len() } else { 0 };
        (0..n).flat_map(move |i| (i..n).map(move |j| (i, j))).filter(|(i, j)| {
            let (a, b) = (&world.objects[*i], &world.objects[*j]);
            if i == j { a.self_contact } else { a.kind == Kind::Cloth || b.kind == Kind::Cloth }
        })
    }

    /// The list holds every pair that can come to act within the travel, or that can touch within it and `spare`.
    fn covers(&self, world: &World, travel: &Travel, spare: f64) -> bool {
        !self.built.is_empty()
            && Self::pairs(world).all(|(i, j)| travel.between(i, j) <= self.room(world, i, j) + spare)
            && par::max(self.margin.len(), |v| travel.own[v] - self.margin[v]) <= spare
    }

    /// Part of the reach that is left to the mean travel of two objects.
    fn room(&self, world: &World, i: usize, j: usize) -> f64 {
        self.reach.of(i, j) - self.activation(world, i, j)
    }

    /// Expects each vertex to go on as it does, and rebuilds the list when it no longer covers that. True when it was rebuilt.
    pub fn update_candidates(&mut self, world: &World, state: &State, step: &Step) -> bool {
        par::fill(&mut self.predicted, |v| {
            if v < world.moving && !step.fixed[v] { state.v[v] * step.h } else { step.moved[v] }
        });
        if !world.contact.enabled {
            return false;
        }
        if !self.built.is_empty() {
            let (predicted, built) = (&self.predicted, &self.built);
            self.travel.measure(world, |v| state.x[v] + predicted[v] - built[v]);
        }
        if self.covers(world, &self.travel, 0.0) {
            return false;
        }
        self.rebuild(world, state, None);
        true
    }

    /// Builds the list for the displacement `moved`, or the predicted one.
    fn rebuild(&mut self, world: &World, state: &State, moved: Option<&[Vec3]>) {
        let displacement = moved.unwrap_or(&self.predicted);
        self.travel.measure(world, |v| displacement[v]);
        // A list that lasts, but not one that holds all neighbours.
        let shortest = 0.25 * world.contact.distance;
        let room = |travel: f64, longest: f64| (LAST * travel).min(longest).max(shortest).max(1.05 * travel);
        for object in &world.objects {
            let own = &self.travel.own[object.vertices.clone()];
            par::fill(&mut self.margin[object.vertices.clone()], |v| room(own[v], 0.15 * object.edge));
        }
        self.reach = Reach::never(world.objects.len());
        for (i, j) in Self::pairs(world) {
            let edge = world.objects[i].edge.min(world.objects[j].edge);
            let mean = if i == j { 0.0 } else { room(self.travel.between(i, j), 0.5 * edge) };
            self.reach.set(i, j, self.activation(world, i, j) + mean);
        }
        self.candidates.build(&state.x, &world.surface, &self.reach, &self.margin);
        self.built.clone_from(&state.x);
    }

    /// Number of candidate pairs.
    pub fn candidate_count(&self) -> usize {
        self.candidates.vertex_face.len() + self.candidates.edge_edge.len()
    }

    fn vertices(world: &World, pair: Pair, near: &Near) -> [u32; 4] {
        match pair {
            Pair::VertexFace => {
                let [a, b, c] = world.surface.triangles[near.b as usize];
                [near.a, a, b, c]
            }
            Pair::EdgeEdge => {
                let ([a, b], [c, d]) = (world.surface.edges[near.a as usize], world.surface.edges[near.b as usize]);
                [a, b, c, d]
            }
        }
    }

    fn between(world: &World, travel: &Travel, vertices: &[u32; 4]) -> f64 {
        let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize] as usize);
        travel.between(a, b)
    }

    /// Looks at every pair that may act in this step, keeps those that do and marks their vertices.
    pub fn find_contacts(&mut self, world: &World, state: &State, step: &mut Step) {
        self.contacts.clear();
        self.watched.clear();
        self.setting.h = step.h;
        step.touched.fill(false);
        if !world.contact.enabled {
            return;
        }
        for (pair, list) in
            [(Pair::VertexFace, &self.candidates.vertex_face), (Pair::EdgeEdge, &self.candidates.edge_edge)]
        {
            let found = par::gather(list.len(), BLOCK, |range, out: &mut Vec<(Watched, Option<Element>)>| {
                for near in &list[range] {
                    let vertices = Self::vertices(world, pair, near);
                    let objects = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize] as usize);
                    let bound = self.travel.bound(pair, &vertices, self.travel.between(objects[0], objects[1]));
                    if f64::from(near.distance) - bound < self.activation(world, objects[0], objects[1]) {
                        out.push(self.look(world, state, step, pair, near));
                    }
                }
            });
            let first = self.contacts.len();
            self.watched.extend(found.iter().map(|(watched, _)| *watched));
            self.contacts.extend(found.into_iter().filter_map(|(_, element)| element));
            self.contacts[first..].sort_unstable_by_key(|c| c.key);
            if pair == Pair::VertexFace {
                super::feature::keep_local_minima(&mut self.contacts, first);
            }
        }
        for v in self.contacts.iter().flat_map(|c| c.vertices) {
            if let Some(touched) = step.touched.get_mut(v as usize) {
                *touched = true;
            }
        }
    }

    /// Brakes what closes too fast by inelastic impulses on free flight, then linearises all contacts.
    pub fn linearise(&mut self, world: &World, step: &mut Step) {
        impulse::brake(&self.contacts, world, step);
        let setting = &self.setting;
        par::each_mut(&mut self.contacts, |_, c| {
            c.free = (0..4).map(|k| step.moved[c.vertices[k] as usize] * c.weights[k]).sum();
            c.linear = c.contact.linearise(&c.free, c.stop, setting);
        });
    }

    /// Finds contacts that the solution `z` closes too fast, and linearises them anew with a stop. True when there are any.
    pub fn stop(&mut self, world: &World, step: &Step) -> bool {
        let setting = &self.setting;
        par::each_mut(&mut self.contacts, |_, c| {
            let end = |k: usize| {
                let v = c.vertices[k] as usize;
                step.moved[v] + if v < world.moving { step.z[v] } else { Vec3::zeros() }
            };
            let moved: Vec3 = (0..4).map(|k| end(k) * c.weights[k]).sum();
            if c.contact.gap + c.contact.normal.dot(&moved) < c.contact.goal() - STRAY * c.contact.reach {
                c.stop = true;
                c.linear = c.contact.linearise(&c.free, true, setting);
            }
        });
        self.contacts.iter().any(|c| c.stop)
    }

    /// The pair as it is, and as a contact if it acts.
    fn look(&self, world: &World, state: &State, step: &Step, pair: Pair, near: &Near) -> (Watched, Option<Element>) {
        let vertices = Self::vertices(world, pair, near);
        let objects = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize] as usize);
        let Separation { distance, normal, weights } = pair.separation(&pick(&state.x, &vertices));
        let watched = Watched { pair, vertices, distance };
        let sum = |values: &[Vec3]| -> Vec3 { (0..4).map(|k| values[vertices[k] as usize] * weights[k]).sum() };
        let mut thickness: f64 = (0..4).map(|k| world.half_thickness[vertices[k] as usize] * weights[k].abs()).sum();
        let mut reach = world.contact.distance;
        let predicted = sum(&self.predicted);
        let closing = normal.dot(&predicted).min(0.0);
        if distance + closing >= thickness + reach || distance == 0.0 {
            return (watched, None);
        }
        if pair == Pair::EdgeEdge
            && (weights.contains(&0.0)
                || !world.surface.faces_away(&state.x, near.a as usize, &-normal)
                || !world.surface.faces_away(&state.x, near.b as usize, &normal))
        {
            return (watched, None);
        }
        if objects[0] == objects[1] {
            // Neighbours of the rest shape must not push each other apart there.
            let room = 0.5 * pair.separation(&pick(&world.rest, &vertices)).distance / (thickness + reach);
            if room < 1.0 {
                thickness *= room;
                reach *= room;
                if distance + closing >= thickness + reach {
                    return (watched, None);
                }
            }
        }
        let free = |v: u32| (v as usize) < world.moving && !step.fixed[v as usize];
        let mobility: f64 = (0..4)
            .filter(|k| free(vertices[*k]))
            .map(|k| weights[k] * weights[k] / world.mass[vertices[k] as usize])
            .sum();
        if mobility == 0.0 {
            return (watched, None);
        }
        let key = u64::from(pair == Pair::EdgeEdge) << 62 | u64::from(near.a) << 31 | u64::from(near.b);
        let memory =
            state.bristles.binary_search_by_key(&key, |b| b.0).map_or(Bristle::default(), |k| state.bristles[k].1);
        let contact = Contact {
            normal,
            gap: distance - thickness,
            reach,
            mass: 1.0 / mobility,
            friction: Friction::between(world.objects[objects[0]].friction, world.objects[objects[1]].friction),
            bristle: memory,
            expected: predicted,
        };
        let (free, linear, stop) = (Vec3::zeros(), Linear::default(), false);
        (watched, Some(Element { key, vertices, weights, distance, contact, free, linear, stop }))
    }

    /// Number of contacts and the smallest gap.
    pub fn summary(&self) -> (usize, f64) {
        (self.contacts.len(), self.contacts.iter().fold(f64::INFINITY, |m, c| m.min(c.contact.gap)))
    }

    /// Adds contact forces and stiffness to the system.
    pub fn add<T: Real>(&self, world: &World, step: &Step, assembly: &mut Assembly<T>) {
        let free = |v: u32| (v as usize) < world.moving && !step.fixed[v as usize];
        for c in &self.contacts {
            for k in 0..4 {
                if c.weights[k] != 0.0 && free(c.vertices[k]) {
                    let v = c.vertices[k] as usize;
                    assembly.force[v] += c.linear.force * c.weights[k];
                    assembly.add_diagonal(v, &(c.linear.stiffness * (c.weights[k] * c.weights[k])));
                }
            }
        }
        let contacts = &self.contacts;
        let mut entries = par::gather(contacts.len(), BLOCK, |range, out| {
            for c in &contacts[range] {
                for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).filter(|(i, j)| i != j) {
                    let weight = c.weights[i] * c.weights[j];
                    if weight != 0.0 && free(c.vertices[i]) && free(c.vertices[j]) {
                        let block: Mat3 = c.linear.stiffness * weight;
                        let mut values = [T::default(); 10];
                        for (value, entry) in values.iter_mut().zip(block.as_slice()) {
                            *value = T::of(*entry);
                        }
                        out.push(Entry { row: c.vertices[i], column: c.vertices[j], block: values });
                    }
                }
            }
        });
        par::sort_by_key(&mut entries, |e| u64::from(e.row) << 32 | u64::from(e.column));
        assembly.matrix.entries = entries;
    }

    /// Proves that no pair crosses on the way to the end positions. Pairs without proof are pushed apart, inelastically; what
    /// stays unproven then moves as one (see [`super::zone`]). Gives the number of both corrections.
    ///
    /// # Errors
    /// A pair whose sides are both prescribed, in different ways.
    pub fn check(&mut self, world: &World, state: &State, step: &mut Step) -> Result<(u64, u64), Stuck> {
        let (mut pushed, mut joined) = (0, 0);
        if !world.contact.enabled {
            return Ok((pushed, joined));
        }
        let mut zones = Zones::default();
        for sweep in 0.. {
            let unproven = self.unproven(world, state, step);
            if unproven.is_empty() {
                break;
            }
            if sweep < SWEEPS {
                unproven.iter().for_each(|w| impulse::push_apart(world, state, step, w));
                pushed += unproven.len() as u64;
            } else {
                joined += zones.join(world, step, unproven.iter().map(|w| w.vertices))?;
            }
        }
        Ok((pushed, joined))
    }

    /// Pairs whose separation over the step is not proven.
    fn unproven(&mut self, world: &World, state: &State, step: &Step) -> Vec<Watched> {
        let built = &self.built;
        self.actual.measure(world, |v| state.x[v] + step.moved[v] - built[v]);
        let rebuilt = !self.covers(world, &self.actual, 0.25 * world.contact.distance);
        if rebuilt {
            self.rebuild(world, state, Some(&step.moved));
            self.actual.measure(world, |v| step.moved[v]);
        }
        let test = |w: &Watched| {
            let start = pick(&state.x, &w.vertices);
            let moved = pick(&step.moved, &w.vertices);
            let end: [Vec3; 4] = std::array::from_fn(|k| start[k] + moved[k]);
            !w.pair.separated(&start, &end, LEAST.min(0.5 * w.distance))
        };
        // Pairs not looked at were farther than their expected travel by the activation distance.
        let own = par::max(self.margin.len(), |v| self.actual.own[v] - self.travel.own[v]);
        let mean =
            Self::pairs(world).map(|(i, j)| self.actual.between(i, j) - self.travel.between(i, j)).fold(0.0, f64::max);
        if !rebuilt && 2.0 * own.max(0.0) + mean + LEAST <= world.contact.distance {
            let mut steps = Travel::default();
            steps.measure(world, |v| step.moved[v]);
            let watched = &self.watched;
            return par::gather(watched.len(), BLOCK, |range, out| {
                out.extend(watched[range].iter().filter(|w| {
                    let travel = steps.bound(w.pair, &w.vertices, Self::between(world, &steps, &w.vertices));
                    w.distance - travel <= LEAST && test(w)
                }));
            });
        }
        let mut all = Vec::new();
        for (pair, list) in
            [(Pair::VertexFace, &self.candidates.vertex_face), (Pair::EdgeEdge, &self.candidates.edge_edge)]
        {
            all.extend(par::gather(list.len(), BLOCK, |range, out| {
                for near in &list[range] {
                    let vertices = Self::vertices(world, pair, near);
                    let travel = self.actual.bound(pair, &vertices, Self::between(world, &self.actual, &vertices));
                    if f64::from(near.distance) - travel > LEAST {
                        continue;
                    }
                    let distance = pair.separation(&pick(&state.x, &vertices)).distance;
                    let watched = Watched { pair, vertices, distance };
                    if test(&watched) {
                        out.push(watched);
                    }
                }
            }));
        }
        all
    }

    /// Advances the friction memory over the accepted step.
    pub fn advance_bristles(&self, state: &mut State, step: &Step) {
        let contacts = &self.contacts;
        let bristles: Vec<(u64, Bristle)> = par::map(contacts.len(), |k| {
            let c = &contacts[k];
            let moved: Vec3 = (0..4).map(|k| step.moved[c.vertices[k] as usize] * c.weights[k]).sum();
            let normal = c.contact.normal_force(&c.linear, &moved, &c.free);
            (c.key, c.contact.advance(&c.linear, &moved, normal, &self.setting))
        });
        state.bristles = bristles;
    }
}
