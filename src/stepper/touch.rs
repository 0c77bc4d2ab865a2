//! Contact within a step: candidate pairs, contacts predicted from them, their part of the system, and the proof that the end
//! positions crossed nothing.
//!
//! Candidates hold every pair that may come to act within the displacements that are expected; where a step turns out otherwise
//! by so much that others might meet, these are looked at as well.

use super::coupling::Coupling;
use super::feature::{Flat, keep_local_minima, remember};
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
    /// The first solve closed it too fast.
    pub stop: bool,
}

/// A candidate pair that was looked at in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    pub pair: Pair,
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
            for list in self.candidates.lists[k * LISTS..].iter().take(LISTS) {
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
            c.linear = c.contact.linearise(&c.free, c.stop, setting);
        });
        self.coupling.place(&self.contacts, step);
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
        let objects = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize] as usize);
        let Separation { distance, normal, weights } = pair.separation(&pick(&state.x, &vertices));
        out.watched.push(Watched { pair, vertices, distance, patches });
        let sum = |values: &[Vec3]| -> Vec3 { (0..4).map(|k| values[vertices[k] as usize] * weights[k]).sum() };
        let mut thickness: f64 = (0..4).map(|k| world.half_thickness[vertices[k] as usize] * weights[k].abs()).sum();
        let mut reach = world.contact.distance;
        let predicted = sum(&self.predicted);
        let closing = normal.dot(&predicted).min(0.0);
        if distance + closing >= thickness + reach || distance == 0.0 {
            return;
        }
        let share = match pair {
            Pair::VertexFace => f64::from(u8::from(self.flat.vertex_counts(near.a))),
            Pair::EdgeEdge => self.flat.edges_share(world, &state.x, [near.a, near.b], &normal, &weights),
        };
        if share == 0.0 {
            return;
        }
        if objects[0] == objects[1] {
            // Neighbours of the rest shape must not push each other apart there.
            let room = 0.5 * pair.separation(&pick(&world.rest, &vertices)).distance / (thickness + reach);
            if room < 1.0 {
                thickness *= room;
                reach *= room;
                if distance + closing >= thickness + reach {
                    return;
                }
            }
        }
        let free = |v: u32| (v as usize) < world.moving && !step.fixed[v as usize];
        let mobility: f64 = (0..4)
            .filter(|k| free(vertices[*k]))
            .map(|k| weights[k] * weights[k] / world.mass[vertices[k] as usize])
            .sum();
        if mobility == 0.0 {
            return;
        }
        let key = (u64::from(pair == Pair::EdgeEdge) * EDGES) | (u64::from(near.a) << SECOND) | u64::from(near.b);
        let memory = remember(world, &state.bristles, key);
        let contact = Contact {
            normal,
            gap: distance - thickness,
            reach,
            mass: 1.0 / mobility,
            friction: Friction::between(world.objects[objects[0]].friction, world.objects[objects[1]].friction),
            bristle: memory,
            share,
            expected: Vec3::zeros(),
        };
        let (free, linear, stop) = (Vec3::zeros(), Linear::default(), false);
        out.contacts.push(Element { key, vertices, weights, contact, free, linear, stop });
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
    /// that moved as one.
    ///
    /// # Errors
    /// A pair whose sides are both prescribed, in different ways.
    pub fn check(&mut self, world: &World, state: &State, step: &mut Step) -> Result<(u64, u64), Stuck> {
        let mut corrected = BTreeSet::new();
        let mut zones = Zones::default();
        for sweep in 0.. {
            let unproven = if world.contact.enabled { self.unproven(world, state, step) } else { Vec::new() };
            if unproven.is_empty() {
                break;
            }
            if sweep < SWEEPS {
                for w in &unproven {
                    corrected.extend(impulse::push_apart(world, state, step, w));
                }
            } else {
                zones.join(world, step, unproven.iter().map(|w| w.vertices))?;
            }
        }
        corrected.extend(zones.moved(world, step));
        Ok((corrected.len() as u64, zones.moved(world, step).count() as u64))
    }

    /// Pairs whose separation over the step is not proven, in order of their vertices.
    fn unproven(&mut self, world: &World, state: &State, step: &Step) -> Vec<Watched> {
        // Pairs not looked at were to stay farther apart than the activation distance.
        let spare = world.contact.distance - LEAST;
        let astray = 2.0 * self.candidates.compare(&self.predicted, &step.moved) > spare;
        if astray {
            self.candidates.update(&state.x, &world.surface, &step.moved);
        }
        let (candidates, parts) = (&self.candidates, &self.parts);
        let proven = |w: &Watched| {
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
            w.pair.separated(&start, &end, LEAST.min(0.5 * w.distance))
        };
        let mut unproven = par::gather(parts.len(), 1, |range, out| {
            let expected = |w: &&Watched| !astray || candidates.deviation(&w.patches) <= spare;
            out.extend(parts[range].iter().flat_map(|p| &p.watched).filter(expected).filter(|w| !proven(w)));
        });
        if astray {
            let lists = &candidates.lists;
            unproven.extend(par::gather(lists.len(), LISTS, |range, out| {
                for list in lists[range].iter().filter(|list| candidates.deviation(&list.patches) > spare) {
                    for pair in [Pair::VertexFace, Pair::EdgeEdge] {
                        for near in Self::of(list, pair) {
                            if f64::from(near.distance) - list.approach > LEAST || ignores(state, pair, near) {
                                continue;
                            }
                            let vertices = Self::vertices(world, pair, near);
                            let distance = pair.separation(&pick(&state.x, &vertices)).distance;
                            let watched = Watched { pair, vertices, distance, patches: list.patches };
                            if !proven(&watched) {
                                out.push(watched);
                            }
                        }
                    }
                }
            }));
        }
        unproven.sort_unstable_by_key(|w| (w.pair == Pair::EdgeEdge, w.vertices));
        unproven
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
