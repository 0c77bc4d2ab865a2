//! Contact within a step: candidate pairs, contacts predicted from them, their part of the system, and the proof that the end
//! positions crossed nothing.
//!
//! Candidates hold every pair that may come to act within the displacements that are expected; where a step turns out otherwise
//! by so much that others might meet, these are looked at as well.

mod proof;

use super::coupling::Coupling;
use super::feature::{Flat, from_first, minimum, remember};
use super::ignore::ignores;
use super::turn::Turns;
use super::{Step, impulse};
use crate::collision::candidates::{Candidates, List, Near, fit};
use crate::collision::certificate::{Pair, Separation};
use crate::force::assembly::{Assembly, pick};
use crate::force::contact::{Bristle, Contact, Friction, Linear, Setting, Share};
use crate::linalg::matrix::Real;
use crate::linalg::{Vec3, par};
use crate::world::{Kind, State, World};

/// Hard minimum of a distance: far above the rounding of `f32` files for coordinates up to 40 m [m].
pub(super) const LEAST: f64 = 1e-5;
/// Lists of candidates per block of a parallel loop.
const LISTS: usize = 32;
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
    /// Relative displacement of free flight without what both sides turn as one, which is none along the normal.
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

/// A candidate pair that may come within the activation distance in this step.
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
    /// Key, part and place there of each contact, sorted.
    order: Vec<(u64, u32, u32)>,
    /// Share with which each of the first, of vertices and faces, acts.
    shares: Vec<Share>,
    contacts: Vec<Element>,
    flat: Flat,
    turns: Turns,
    coupling: Coupling,
    setting: Setting,
    /// Keys of contacts that act whatever their features say, sorted.
    kept: Vec<u64>,
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
            shares: Vec::new(),
            contacts: Vec::new(),
            flat: Flat::new(world),
            turns: Turns::default(),
            coupling: Coupling::new(&world.starts),
            setting: Setting { stiffness: world.contact.stiffness, h: largest, largest },
            kept: Vec::new(),
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
        self.setting.h = step.h;
        step.touched.fill(false);
        if !world.contact.enabled {
            return;
        }
        self.kept.clear();
        self.kept.extend(state.bristles.iter().filter(|(_, b)| b.kept).map(|(key, _)| *key));
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
        self.sort(world, state, &parts);
        self.parts = parts;
        for v in self.contacts.iter().flat_map(|c| c.vertices) {
            if let Some(touched) = step.touched.get_mut(v as usize) {
                *touched = true;
            }
        }
    }

    /// Brings the contacts of all parts in order of their keys, without those of vertices and faces that are no nearest points.
    fn sort(&mut self, world: &World, state: &State, parts: &[Part]) {
        let Touch { order, shares, contacts, .. } = self;
        order.clear();
        for (k, part) in parts.iter().enumerate() {
            order.extend(part.contacts.iter().enumerate().map(|(i, c)| (c.key, k as u32, i as u32)));
        }
        par::sort(order);
        let at = |(_, part, k): &(u64, u32, u32)| &parts[*part as usize].contacts[*k as usize];
        let faces = &order[..order.partition_point(|(key, ..)| *key < EDGES)];
        shares.resize(faces.len(), Share::NONE);
        par::fill(shares, |i| {
            let of = |other: &&(u64, u32, u32)| other.0 >> SECOND == faces[i].0 >> SECOND;
            let first = i - faces[..i].iter().rev().take_while(of).count();
            minimum(world, &state.x, at(&faces[i]), i - first, faces[first..].iter().take_while(of).map(at))
        });
        let mut all = shares.iter();
        order.retain(|_| all.next().is_none_or(|share| share.part > 0.0));
        shares.retain(|share| share.part > 0.0);
        let Some(any) = order.first() else { return contacts.clear() };
        contacts.resize(order.len(), *at(any));
        par::blocks_mut(contacts, par::BLOCK, |first, block| {
            // Both ascend by key.
            let mut bristles = &state.bristles[..];
            for (c, i) in block.iter_mut().zip(first..) {
                *c = *at(&order[i]);
                bristles = from_first(bristles, c.key, i == first);
                c.contact.bristle = remember(world, bristles, c.key);
                c.contact.share = shares.get(i).copied().unwrap_or(c.contact.share);
            }
        });
    }

    /// Brakes what closes too fast by inelastic impulses on free flight, then linearises all contacts.
    pub fn linearise(&mut self, world: &World, state: &State, step: &mut Step) {
        impulse::brake(&self.contacts, world, step);
        let Touch { contacts, turns, setting, predicted, .. } = self;
        turns.begin(&world.surface, &state.x, contacts.iter().map(|c| c.vertices));
        turns.follow(&world.surface, &state.x, predicted);
        par::each_mut(contacts, |_, c| {
            c.free = (0..4).map(|k| step.moved[c.vertices[k] as usize] * c.weights[k]).sum::<Vec3>()
                - turns.turned(&state.x, &c.vertices, &c.weights);
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
                    let Some(mut contact) = self.contact(world, step, w, &separation, Share::WHOLE) else { continue };
                    contact.kept = true;
                    let bristles = from_first(&state.bristles, contact.key, true);
                    contact.contact.bristle = remember(world, bristles, contact.key);
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

    /// Notes the pair if it may come near, and the contact if it acts.
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
        let away = distance - (thickness(world, &vertices, &weights) + world.contact.distance);
        if away > 0.0 && pair.closer(&pick(&self.predicted, &vertices)) < away {
            return;
        }
        let watched = Watched { pair, features: [near.a, near.b], vertices, distance, patches };
        out.watched.push(watched);
        let closing = normal.dot(&(0..4).map(|k| self.predicted[vertices[k] as usize] * weights[k]).sum()).min(0.0);
        if away + closing >= 0.0 {
            return;
        }
        let share = match pair {
            Pair::VertexFace => {
                if self.flat.vertex_counts(near.a) {
                    Share::WHOLE
                } else {
                    Share::NONE
                }
            }
            Pair::EdgeEdge => self.flat.edges_share(&world.surface, &state.x, [near.a, near.b], &normal, &weights),
        };
        if let Some(c) = self.contact(world, step, &watched, &separation, share)
            && distance + closing < distance - c.contact.gap + c.contact.reach
        {
            out.contacts.push(c);
        }
    }

    /// The pair as a contact that acts with `share`, or in full if it had to be stopped before; none where nothing can move.
    fn contact(
        &self,
        world: &World,
        step: &Step,
        w: &Watched,
        separation: &Separation,
        share: Share,
    ) -> Option<Element> {
        let Watched { pair, features, vertices, .. } = *w;
        let Separation { distance, normal, weights } = *separation;
        let key = key(pair, features);
        let kept = !self.kept.is_empty() && self.kept.binary_search(&key).is_ok();
        let share = if kept { Share::WHOLE } else { share };
        if share.part == 0.0 || distance == 0.0 {
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
            bristle: None,
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

    /// Advances the friction memory over the accepted step.
    pub fn advance_bristles(&mut self, world: &World, state: &mut State, step: &Step) {
        let Touch { contacts, turns, setting, .. } = self;
        turns.follow(&world.surface, &state.x, &step.moved);
        let bristles: Vec<(u64, Bristle)> = par::map(contacts.len(), |k| {
            let c = &contacts[k];
            let moved: Vec3 = (0..4).map(|k| step.moved[c.vertices[k] as usize] * c.weights[k]).sum();
            let normal = c.contact.normal_force(&c.linear, &moved, &c.free);
            let slid = moved - turns.turned(&state.x, &c.vertices, &c.weights);
            (c.key, Bristle { kept: c.kept, ..c.contact.advance(&c.linear, &slid, normal, setting) })
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
