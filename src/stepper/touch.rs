//! Contact within a step: candidate pairs, contacts predicted from them, their part of the system, and the proof that the end
//! positions crossed nothing.
//!
//! Candidates hold every pair that may come to act within the displacements that are expected; where a step turns out otherwise
//! by so much that others might meet, these are looked at as well.

use super::coupling::Coupling;
use super::feature::{Flat, keep_local_minima, recall, remember};
use super::ignore::ignores;
use super::zone::Zones;
use super::{Step, Stuck, impulse};
use crate::collision::candidates::{Candidates, List, Near, fit};
use crate::collision::certificate::{Pair, Separation};
use crate::force::assembly::{Assembly, pick};
use crate::force::contact::{Bristle, Contact, Friction, Linear, Setting};
use crate::linalg::matrix::Real;
use crate::linalg::{Vec3, par};
use crate::world::{Kind, State, World};
use std::collections::BTreeSet;

/// Hard minimum of a distance: far above the rounding of `f32` files for coordinates up to 40 m [m].
pub(super) const LEAST: f64 = 1e-5;
/// Parts of the way to where a vertex of a zone wanted, tried in turn.
const LOOSEN: [f64; 3] = [1.0, 0.5, 0.25];
/// Part of a distance below the hard minimum that a step must leave: rounding only.
const SAME: f64 = 1.0 - 1e-9;
/// Lists of candidates per block of a parallel loop.
const LISTS: usize = 8;
/// Keys of contacts between edges begin here, those of vertices and faces are below.
pub(super) const EDGES: u64 = 1 << 62;
/// Bits of a key that say the second feature.
pub(super) const SECOND: u32 = 31;
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
    pub contact: Contact,
    /// Relative displacement of free flight.
    pub free: Vec3,
    pub linear: Linear,
    /// Solutions that closed it too fast.
    pub stops: i32,
    /// It was or is no contact by its features, but had to be stopped.
    pub kept: bool,
}

impl Element {
    fn stop(&mut self, setting: &Setting) {
        self.stops += 1;
        self.linear = self.contact.linearise(&self.free, self.stops, setting);
    }
}

/// A candidate pair that was looked at in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    pub pair: Pair,
    /// Vertex and triangle, or both edges.
    pub features: [u32; 2],
    pub vertices: [u32; 4],
    pub distance: f64,
    /// Patches of the candidate list it is in.
    pub patches: [u32; 2],
}

/// What some lists of candidates give.
#[derive(Clone, Debug, Default)]
struct Part {
    watched: Vec<Watched>,
    contacts: Vec<Element>,
}

/// Storage of contact.
pub struct Touch {
    candidates: Candidates,
    /// Expected displacement of every vertex in this step [m].
    predicted: Vec<Vec3>,
    parts: Vec<Part>,
    /// Key, part and place there of each contact.
    order: Vec<(u64, u32, u32)>,
    contacts: Vec<Element>,
    flat: Flat,
    coupling: Coupling,
    setting: Setting,
    /// Pairs whose separation over the step was not proven when last looked at.
    unproven: Vec<Watched>,
    /// Vertices whose displacement has changed since then.
    changed: Vec<bool>,
}

impl Touch {
    /// Storage for a world; `largest` is the largest step [s].
    pub fn new(world: &World, largest: f64) -> Touch {
        let meet = |i: usize, j: usize| {
            let (a, b) = (&world.objects[i], &world.objects[j]);
            if i == j { a.self_contact } else { a.kind == Kind::Cloth || b.kind == Kind::Cloth }
        };
        let (thickness, distance) = (&world.half_thickness, world.contact.distance);
        Touch {
            candidates: Candidates::new(&world.rest, &world.surface, thickness, distance, meet),
            predicted: vec![Vec3::zeros(); world.rest.len()],
            parts: Vec::new(),
            order: Vec::new(),
            contacts: Vec::new(),
            flat: Flat::new(world),
            coupling: Coupling::new(&world.starts),
            setting: Setting { stiffness: world.contact.stiffness, h: largest, largest },
            unproven: Vec::new(),
            changed: vec![false; world.rest.len()],
        }
    }

    /// Expects each vertex to go on as it does, and brings the lists to cover that. Gives the number of lists built.
    pub fn update_candidates(&mut self, world: &World, state: &State, step: &Step) -> u64 {
        if !world.contact.enabled {
            return 0;
        }
        par::fill(&mut self.predicted, |v| {
            if v < world.moving && !step.fixed[v] { state.v[v] * step.h } else { step.moved[v] }
        });
        self.candidates.update(&state.x, &world.surface, &self.predicted)
    }

    /// Number of candidate pairs.
    pub fn candidate_count(&self) -> usize {
        self.candidates.count()
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

    fn of(list: &List, pair: Pair) -> &[Near] {
        match pair {
            Pair::VertexFace => &list.vertex_face,
            Pair::EdgeEdge => &list.edge_edge,
        }
    }

    /// Looks at every pair that may act in this step, keeps those that do and marks their vertices.
    pub fn find_contacts(&mut self, world: &World, state: &State, step: &mut Step) {
        self.contacts.clear();
        self.setting.h = step.h;
        step.touched.fill(false);
        if !world.contact.enabled {
            return;
        }
        let mut parts = std::mem::take(&mut self.parts);
        parts.resize(self.candidates.lists.len().div_ceil(LISTS), Part::default());
        par::each_heavy(&mut parts, |k, part| {
            part.watched.clear();
            part.contacts.clear();
            let lists = self.candidates.lists[k * LISTS..].iter().take(LISTS);
            for list in lists.filter(|list| !self.candidates.of(list, state.released)) {
                let limit = list.reach + list.approach;
                for pair in [Pair::VertexFace, Pair::EdgeEdge] {
                    let within = |near: &&Near| f64::from(near.distance) < limit && !ignores(state, pair, near);
                    for near in Self::of(list, pair).iter().filter(within) {
                        self.look(world, state, step, (pair, near), list.patches, part);
                    }
                }
            }
            fit(&mut part.watched);
            fit(&mut part.contacts);
        });
        self.order.clear();
        for (k, part) in parts.iter().enumerate() {
            self.order.extend(part.contacts.iter().enumerate().map(|(i, c)| (c.key, k as u32, i as u32)));
        }
        self.order.sort_unstable();
        let (faces, edges) = self.order.split_at(self.order.partition_point(|(key, ..)| *key < EDGES));
        let at = |(_, part, k): &(u64, u32, u32)| parts[*part as usize].contacts[*k as usize];
        self.contacts.extend(faces.iter().map(at));
        keep_local_minima(&mut self.contacts, world, &state.x);
        self.contacts.extend(edges.iter().map(at));
        self.parts = parts;
        for v in self.contacts.iter().flat_map(|c| c.vertices) {
            if let Some(touched) = step.touched.get_mut(v as usize) {
                *touched = true;
            }
        }
    }

    /// Brakes what closes too fast by inelastic impulses on free flight, then linearises all contacts.
    pub fn linearise(&mut self, world: &World, state: &State, step: &mut Step) {
        impulse::brake(&self.contacts, world, step);
        let setting = &self.setting;
        par::each_mut(&mut self.contacts, |_, c| {
            c.free = (0..4).map(|k| step.moved[c.vertices[k] as usize] * c.weights[k]).sum();
            let guess = |k: usize| match state.guess.get(c.vertices[k] as usize) {
                Some(guess) => guess * (step.betas[c.vertices[k] as usize].powi(2) * c.weights[k]),
                None => Vec3::zeros(),
            };
            c.contact.expected = c.free + (0..4).map(guess).sum::<Vec3>();
            c.linear = c.contact.linearise(&c.free, c.stops, setting);
        });
        self.coupling.place(&self.contacts, step);
    }

    /// Finds what the displacements close too fast and linearises it anew with a stop: in the `first` round contacts that miss
    /// their goals, then pairs whose separation is not proven, which become contacts if they were none. True when there are any.
    pub fn stop(&mut self, world: &World, state: &State, step: &Step, first: bool) -> bool {
        let setting = self.setting;
        let setting = &setting;
        if first {
            par::each_mut(&mut self.contacts, |_, c| {
                let moved: Vec3 = (0..4).map(|k| step.moved[c.vertices[k] as usize] * c.weights[k]).sum();
                if c.contact.gap + c.contact.normal.dot(&moved) < c.contact.goal() - STRAY * c.contact.reach {
                    c.stop(setting);
                }
            });
            if self.contacts.iter().any(|c| c.stops > 0) {
                return true;
            }
        }
        self.prove(world, state, step, true);
        let known = self.contacts.len();
        let mut any = false;
        for w in &self.unproven {
            match self.contacts[..known].binary_search_by_key(&key(w.pair, w.features), |c| c.key) {
                Ok(k) => {
                    any = true;
                    self.contacts[k].stop(setting);
                }
                Err(_) => {
                    let separation = w.pair.separation(&pick(&state.x, &w.vertices));
                    let Some(mut contact) = self.contact(world, state, step, w, &separation, 1.0) else { continue };
                    contact.kept = true;
                    contact.free = (0..4).map(|k| step.flight(w.vertices[k]) * contact.weights[k]).sum();
                    contact.contact.expected = contact.free;
                    contact.stop(setting);
                    any = true;
                    self.contacts.push(contact);
                }
            }
        }
        if self.contacts.len() > known {
            self.contacts.sort_unstable_by_key(|c| c.key);
            self.coupling.place(&self.contacts, step);
        }
        any
    }

    /// Notes the pair, and the contact if it acts.
    fn look(
        &self,
        world: &World,
        state: &State,
        step: &Step,
        (pair, near): (Pair, &Near),
        patches: [u32; 2],
        out: &mut Part,
    ) {
        let vertices = Self::vertices(world, pair, near);
        let separation = pair.separation(&pick(&state.x, &vertices));
        let Separation { distance, normal, weights } = separation;
        let watched = Watched { pair, features: [near.a, near.b], vertices, distance, patches };
        out.watched.push(watched);
        let closing = normal.dot(&(0..4).map(|k| self.predicted[vertices[k] as usize] * weights[k]).sum()).min(0.0);
        if distance + closing >= thickness(world, &vertices, &weights) + world.contact.distance {
            return;
        }
        let share = match pair {
            Pair::VertexFace => f64::from(u8::from(self.flat.vertex_counts(near.a))),
            Pair::EdgeEdge => self.flat.edges_share(world, &state.x, [near.a, near.b], &normal, &weights),
        };
        if let Some(c) = self.contact(world, state, step, &watched, &separation, share)
            && distance + closing < distance - c.contact.gap + c.contact.reach
        {
            out.contacts.push(c);
        }
    }

    /// The pair as a contact that acts with `share`, or in full if it had to be stopped before; none where nothing can move.
    fn contact(
        &self,
        world: &World,
        state: &State,
        step: &Step,
        w: &Watched,
        separation: &Separation,
        share: f64,
    ) -> Option<Element> {
        let Watched { pair, features, vertices, .. } = *w;
        let Separation { distance, normal, weights } = *separation;
        let key = key(pair, features);
        let bristle = if share == 0.0 { recall(&state.bristles, key) } else { remember(world, &state.bristles, key) };
        let kept = bristle.is_some_and(|b| b.kept);
        let share = if kept { 1.0 } else { share };
        if share == 0.0 || distance == 0.0 {
            return None;
        }
        let objects = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize] as usize);
        let mut thickness = thickness(world, &vertices, &weights);
        let mut reach = world.contact.distance;
        if objects[0] == objects[1] {
            // Neighbours of the rest shape must not push each other apart there.
            let room = 0.5 * pair.separation(&pick(&world.rest, &vertices)).distance / (thickness + reach);
            if room < 1.0 {
                thickness *= room;
                reach *= room;
            }
        }
        let mobility = impulse::mobility(world, step, &vertices, &weights)?;
        let contact = Contact {
            normal,
            gap: distance - thickness,
            reach,
            mass: 1.0 / mobility,
            friction: Friction::between(world.objects[objects[0]].friction, world.objects[objects[1]].friction),
            bristle,
            share,
            expected: Vec3::zeros(),
        };
        let (free, linear, stops) = (Vec3::zeros(), Linear::default(), 0);
        Some(Element { key, vertices, weights, contact, free, linear, stops, kept })
    }

    /// Number of contacts and the smallest gap.
    pub fn summary(&self) -> (usize, f64) {
        (self.contacts.len(), self.contacts.iter().fold(f64::INFINITY, |m, c| m.min(c.contact.gap)))
    }

    /// Adds contact forces and stiffness to the system.
    pub fn add<T: Real>(&mut self, assembly: &mut Assembly<T>) {
        self.coupling.add(&self.contacts, assembly);
    }

    /// Proves that no pair crosses on the way to the end positions. Pairs without proof are pushed apart, inelastically; what
    /// stays unproven then moves as one (see [`super::zone`]). Gives the number of vertices that were corrected, and of those
    /// that moved as one. `moved`: displacements have changed since the last solution was looked at.
    ///
    /// # Errors
    /// A pair whose sides are both prescribed, in different ways.
    pub fn check(&mut self, world: &World, state: &State, step: &mut Step, moved: bool) -> Result<(u64, u64), Stuck> {
        if moved {
            self.prove(world, state, step, true);
        }
        let mut corrected = BTreeSet::new();
        let mut zones = Zones::default();
        let mut wanted = Vec::new();
        for sweep in 0.. {
            if self.unproven.is_empty() {
                break;
            }
            self.changed.fill(false);
            if sweep == SWEEPS {
                wanted = step.moved[..world.moving].to_vec();
            }
            let changed = if sweep < SWEEPS {
                self.unproven.iter().flat_map(|w| impulse::push_apart(world, state, step, w)).collect()
            } else {
                zones.join(world, state, step, &self.unproven)?
            };
            for v in changed {
                self.changed[v as usize] = true;
                corrected.insert(v);
            }
            self.prove(world, state, step, false);
            self.unproven.retain(|w| !zones.one(&w.vertices));
        }
        if zones.is_empty() {
            return Ok((corrected.len() as u64, 0));
        }
        let held = self.loosen(world, state, step, &zones, &wanted);
        Ok((corrected.len() as u64, held))
    }

    /// Lets vertices of zones go where they wanted, one after the other, as far as all their pairs stay proven: a zone also holds
    /// what would part. Gives the number of vertices that do not get there.
    fn loosen(&mut self, world: &World, state: &State, step: &mut Step, zones: &Zones, wanted: &[Vec3]) -> u64 {
        let members: Vec<u32> = zones.moved(world, step).collect();
        let place = |v: &u32| members.binary_search(v).ok();
        let mut pairs: Vec<Vec<Watched>> = vec![Vec::new(); members.len()];
        for w in self.parts.iter().flat_map(|p| &p.watched) {
            w.vertices.iter().filter_map(place).for_each(|k| pairs[k].push(*w));
        }
        let before: Vec<(Vec3, Vec3)> =
            members.iter().map(|v| (step.moved[*v as usize], step.rate[*v as usize])).collect();
        let mut loose = vec![false; members.len()];
        let mut held = members.len() as u64;
        for (k, v) in members.iter().map(|v| *v as usize).enumerate() {
            let (moved, rate) = before[k];
            loose[k] = true;
            let fits = LOOSEN.iter().any(|part| {
                step.moved[v] = moved + (wanted[v] - moved) * *part;
                let one = |w: &Watched| zones.one(&w.vertices) && w.vertices.iter().filter_map(place).all(|k| !loose[k]);
                pairs[k].iter().all(|w| one(w) || proven(w, state, step))
            });
            if fits {
                step.rate[v] = rate + (step.moved[v] - moved) / step.betas[v];
                held -= u64::from(step.moved[v] == wanted[v]);
            } else {
                loose[k] = false;
                step.moved[v] = moved;
            }
        }
        // Pairs that were not looked at may have come near.
        self.prove(world, state, step, true);
        let one = |w: &Watched| zones.one(&w.vertices) && w.vertices.iter().filter_map(place).all(|k| !loose[k]);
        if self.unproven.iter().all(one) {
            return held;
        }
        for (v, (moved, rate)) in members.iter().map(|v| *v as usize).zip(before) {
            step.moved[v] = moved;
            step.rate[v] = rate;
        }
        members.len() as u64
    }

    /// Finds the pairs whose separation over the step is not proven, in order of their vertices: among all, or among those whose
    /// vertices have changed and those that were not before.
    fn prove(&mut self, world: &World, state: &State, step: &Step, all: bool) {
        if !world.contact.enabled {
            return;
        }
        // Pairs not looked at were to stay farther apart than the activation distance.
        let spare = world.contact.distance - LEAST;
        let astray = 2.0 * self.candidates.compare(&self.predicted, &step.moved) > spare;
        if astray {
            self.candidates.update(&state.x, &world.surface, &step.moved);
        }
        let Touch { candidates, parts, changed, .. } = &*self;
        let proven = |w: &Watched| proven(w, state, step);
        let touched = |w: &Watched| all || w.vertices.iter().any(|v| changed[*v as usize]);
        let mut unproven = par::gather(parts.len(), 1, |range, out| {
            let expected = |w: &&Watched| !astray || candidates.deviation(&w.patches) <= spare;
            let watched = parts[range].iter().flat_map(|p| &p.watched);
            out.extend(watched.filter(|w| touched(w)).filter(expected).filter(|w| !proven(w)));
        });
        if astray {
            let lists = &candidates.lists;
            unproven.extend(par::gather(lists.len(), LISTS, |range, out| {
                let astray = |list: &&List| candidates.deviation(&list.patches) > spare;
                for list in lists[range].iter().filter(astray).filter(|l| !candidates.of(l, state.released)) {
                    for pair in [Pair::VertexFace, Pair::EdgeEdge] {
                        for near in Self::of(list, pair) {
                            if f64::from(near.distance) - list.approach > LEAST || ignores(state, pair, near) {
                                continue;
                            }
                            let vertices = Self::vertices(world, pair, near);
                            let (features, patches) = ([near.a, near.b], list.patches);
                            let mut w = Watched { pair, features, vertices, distance: 0.0, patches };
                            if touched(&w) {
                                w.distance = pair.separation(&pick(&state.x, &vertices)).distance;
                                if !proven(&w) {
                                    out.push(w);
                                }
                            }
                        }
                    }
                }
            }));
        }
        if !all {
            unproven.extend(self.unproven.iter().filter(|w| !touched(w)));
        }
        unproven.sort_unstable_by_key(|w| key(w.pair, w.features));
        unproven.dedup_by_key(|w| key(w.pair, w.features));
        self.unproven = unproven;
    }

    /// Advances the friction memory over the accepted step.
    pub fn advance_bristles(&self, state: &mut State, step: &Step) {
        let contacts = &self.contacts;
        let bristles: Vec<(u64, Bristle)> = par::map(contacts.len(), |k| {
            let c = &contacts[k];
            let moved: Vec3 = (0..4).map(|k| step.moved[c.vertices[k] as usize] * c.weights[k]).sum();
            let normal = c.contact.normal_force(&c.linear, &moved, &c.free);
            let kept = c.kept || c.contact.bristle.is_some_and(|b| b.kept);
            (c.key, Bristle { kept, ..c.contact.advance(&c.linear, &moved, normal, &self.setting) })
        });
        state.bristles = bristles;
    }
}

/// Key of a pair among contacts.
fn key(pair: Pair, features: [u32; 2]) -> u64 {
    let [a, b] = features.map(u64::from);
    (u64::from(pair == Pair::EdgeEdge) * EDGES) | (a << SECOND) | b
}

/// Distance at which the surfaces of two features meet [m].
fn thickness(world: &World, vertices: &[u32; 4], weights: &[f64; 4]) -> f64 {
    (0..4).map(|k| world.half_thickness[vertices[k] as usize] * weights[k].abs()).sum()
}

/// The pair stays apart over the step, and no nearer than the hard minimum or, where it is nearer already, than it is.
fn proven(w: &Watched, state: &State, step: &Step) -> bool {
    let moved = pick(&step.moved, &w.vertices);
    let [_, a, b, c] = moved.map(|m| (m - moved[0]).norm());
    let closer = match w.pair {
        Pair::VertexFace => a.max(b).max(c),
        Pair::EdgeEdge => a + b.max(c),
    };
    if w.distance - closer > LEAST {
        return true;
    }
    let start = pick(&state.x, &w.vertices);
    let end: [Vec3; 4] = std::array::from_fn(|k| start[k] + moved[k]);
    w.pair.separated(&start, &end, LEAST.min(SAME * w.distance))
}
