//! Contact within a step: candidate pairs, contacts predicted from them, their part of the system, and the proof that the end
//! positions crossed nothing.
//!
//! Candidates hold every pair that may come to act within the displacements that are expected; where a step turns out otherwise
//! by so much that others might meet, these are looked at as well.

mod force;
mod proof;
mod stop;

use super::bearing::bearing;
use super::corotation::CoRotation;
use super::element::{EDGES, Element, Moment, SECOND, Watched, key, shape_room, thickness};
use super::feasible::{Flat, from_first, minimum, remember};
use super::found::Found;
use super::friction_frame::FrictionFrames;
use super::ignore::ignores;
use super::impulse;
use super::persistent::Persistent;
use crate::collision::candidates::{Candidates, List, Near, fit};
use crate::collision::certificate::{Pair, Separation, Separations};
use crate::force::contact::{Bristle, Setting, Share};
use crate::linalg::four::{Four, fours};
use crate::linalg::{Vec3, f64x4, par};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Lists of candidates per block of a parallel loop.
const LISTS: usize = 32;
/// Both kinds of pairs.
const PAIRS: [Pair; 2] = [Pair::VertexFace, Pair::EdgeEdge];
/// Sweeps of correction before pairs move as one.
const SWEEPS: usize = 6;

/// What some lists of candidates give.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Of vertices and faces, and of edges.
    watched: [Vec<Watched>; 2],
    found: Vec<Found>,
    /// Pairs of a list that may be near.
    near: Vec<Near>,
}

impl Part {
    fn watched(&self) -> impl Iterator<Item = &Watched> {
        self.watched.iter().flatten()
    }
}

/// Storage of contact.
pub struct ActiveSet {
    candidates: Candidates,
    /// Expected displacement of every vertex in this step [m].
    predicted: Vec<Vec3>,
    parts: Vec<Part>,
    /// Key, part and place there of each contact, sorted.
    order: Vec<(u64, u32, u32)>,
    /// Share with which each of the first, of vertices and faces, acts.
    shares: Vec<Share>,
    contacts: Vec<Element>,
    /// Smallest gap [m].
    least: f64,
    /// Vertices of contacts, while these are made.
    marks: par::Marks,
    flat: Flat,
    turns: CoRotation,
    frames: FrictionFrames,
    blows: Vec<impulse::Blow>,
    /// What they pushed in the step; empty where nobody asks [m].
    pushes: Vec<Vec3>,
    /// Somebody asks.
    probed: bool,
    setting: Setting,
    /// Storage for the memory of contacts.
    bristles: Vec<(u64, Bristle)>,
    /// Contacts that act whatever their features say.
    kept: Persistent,
    /// Pairs whose separation over the step was not proven when last looked at.
    unproven: Vec<Watched>,
    /// Vertices whose displacement has changed since then.
    changed: Vec<bool>,
    /// Vertices of all pairs that were corrected in the step.
    corrected: Vec<[u32; 4]>,
}

impl ActiveSet {
    /// Storage for a world; `largest` is the largest step [s].
    pub fn new(world: &World, largest: f64) -> ActiveSet {
        let (thickness, distance) = (&world.half_thickness, world.contact.distance);
        ActiveSet {
            candidates: Candidates::new(&world.rest, &world.surface, thickness, distance, |i, j| world.meet(i, j))
                .with_rest(&world.rest),
            predicted: vec![Vec3::zeros(); world.rest.len()],
            parts: Vec::new(),
            order: Vec::new(),
            shares: Vec::new(),
            contacts: Vec::new(),
            least: f64::INFINITY,
            marks: par::Marks::new(world.rest.len()),
            flat: Flat::new(world),
            turns: CoRotation::default(),
            frames: FrictionFrames::new(world),
            blows: Vec::new(),
            pushes: Vec::new(),
            probed: world.probes_forces(),
            setting: Setting::new(world.component_mass.iter().sum(), world.contact.stiffness, largest),
            bristles: Vec::new(),
            kept: Persistent::default(),
            unproven: Vec::new(),
            changed: vec![false; world.rest.len()],
            corrected: Vec::new(),
        }
    }

    /// Expects each vertex to go on as it does, and brings the lists to cover that. Gives the number of lists built.
    ///
    /// # Errors
    /// There would be more pairs than memory is given for.
    pub fn update_candidates(&mut self, world: &World, state: &State, step: &Step) -> Result<u64, StepError> {
        if !world.contact.proven() {
            return Ok(0);
        }
        par::fill(&mut self.predicted, |v| {
            if v < world.moving && !step.fixed[v] { state.v[v] * step.h } else { step.moved[v] }
        });
        self.candidates.leave_out(|object| !world.there(object, step.begin));
        let builds = self.candidates.update(&state.x, &world.surface, &self.predicted);
        self.room(step).map(|()| builds)
    }

    /// All candidates have room.
    ///
    /// # Errors
    /// There would be more pairs than memory is given for.
    pub fn room(&self, step: &Step) -> Result<(), StepError> {
        if !self.candidates.crowded() {
            return Ok(());
        }
        let way = |v: usize| self.predicted[v].norm().max(step.moved[v].norm());
        let farthest = (0..self.predicted.len()).max_by(|a, b| way(*a).total_cmp(&way(*b))).unwrap_or(0);
        Err(StepError::Crowded { vertex: farthest as u32, way: way(farthest) })
    }

    /// Number of candidate pairs.
    pub fn candidate_count(&self) -> usize {
        self.candidates.count()
    }

    fn of(list: &List, pair: Pair) -> &[Near] {
        match pair {
            Pair::VertexFace => &list.vertex_face,
            Pair::EdgeEdge => &list.edge_edge,
        }
    }

    /// Looks at every pair that may act in this step, keeps those that do and tells which vertices they have.
    pub fn find_contacts(&mut self, world: &World, state: &State, step: &mut Step) {
        (self.setting.h, self.setting.waits) = (step.h, step.held > 0.0);
        if !world.contact.proven() {
            return;
        }
        self.kept.take(&state.bristles);
        let mut parts = std::mem::take(&mut self.parts);
        let at = Moment { world, state, step };
        parts.resize(self.candidates.lists.len().div_ceil(LISTS), Part::default());
        par::each_heavy(&mut parts, |k, part| {
            part.watched.iter_mut().for_each(Vec::clear);
            part.found.clear();
            let lists = self.candidates.lists[k * LISTS..].iter().take(LISTS);
            for list in lists.filter(|list| !self.candidates.of(list, state.released)) {
                for pair in PAIRS {
                    let limit = |near: &Near| list.reach.min(f64::from(near.reach)) + list.approach;
                    let within = |near: &&Near| f64::from(near.distance) < limit(near) && !ignores(state, pair, near);
                    let mut near = std::mem::take(&mut part.near);
                    near.clear();
                    near.extend(Self::of(list, pair).iter().filter(within));
                    fours(&near).for_each(|four| self.look(&at, pair, four, list, part));
                    part.near = near;
                }
            }
            part.watched.iter_mut().for_each(fit);
            fit(&mut part.found);
        });
        self.sort(world, state, &parts, &step.roughness);
        self.marks.take(&mut step.touched);
        self.parts = parts;
        if self.frames.acts() {
            self.frames.begin(world, &state.x, &mut self.contacts, &step.touched);
        }
    }

    /// Brings the contacts of all parts in order of their keys, without those of vertices and faces that are no nearest points.
    fn sort(&mut self, world: &World, state: &State, parts: &[Part], roughness: &[f64]) {
        let ActiveSet { order, shares, contacts, marks, .. } = self;
        order.clear();
        for (k, part) in parts.iter().enumerate() {
            order.extend(part.found.iter().enumerate().map(|(i, c)| (c.key, k as u32, i as u32)));
        }
        par::sort(order);
        let at = |(_, part, k): &(u64, u32, u32)| &parts[*part as usize].found[*k as usize];
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
        contacts.resize(order.len(), at(any).contact(world, roughness));
        par::blocks_mut(contacts, par::BLOCK, |first, block| {
            // Both ascend by key.
            let mut bristles = &state.bristles[..];
            for (c, i) in block.iter_mut().zip(first..) {
                *c = at(&order[i]).contact(world, roughness);
                bristles = from_first(bristles, c.key, i == first);
                c.contact.bristle = remember(world, bristles, c.key);
                c.contact.share = shares.get(i).copied().unwrap_or(c.contact.share);
                c.vertices.iter().for_each(|v| marks.raise(*v as usize));
            }
        });
    }

    /// Brakes what closes too fast by inelastic impulses on free flight, then linearises all contacts. Meanwhile does what is to be done
    /// `beside` it, with the contacts and the moving vertices that are prescribed.
    pub fn linearise(
        &mut self,
        world: &World,
        state: &State,
        step: &mut Step,
        beside: impl FnOnce(&Vec<Element>, &[bool]) + Send,
    ) {
        let ActiveSet { contacts, turns, frames, blows, pushes, probed, setting, predicted, least, .. } = self;
        impulse::gather(contacts, blows, world, step);
        pushes.clear();
        pushes.resize(if *probed { blows.len() } else { 0 }, Vec3::zeros());
        let Step { moved, rate, flight, betas, fixed, touched, .. } = step;
        // As it was; free flight is what impulses make of it.
        par::fill(flight, |v| moved[v]);
        // Impulses act one after the other and leave threads free.
        let rubs = frames.rubs(world);
        let (braked, ()) = par::join(
            || impulse::brake(blows, moved, setting, &rubs, pushes),
            || {
                turns.begin(&world.surface, &state.x, touched);
                turns.follow(&world.surface, &state.x, predicted, touched);
                *least = contacts.iter().fold(f64::INFINITY, |m, c| m.min(c.contact.gap));
                beside(contacts, fixed);
            },
        );
        if braked {
            par::each_mut(rate, |v, rate| *rate += (moved[v] - flight[v]) / betas[v]);
        }
        par::each_mut(contacts, |k, c| {
            c.braked = blows[k].braked;
            c.free = c.moved(step) - turns.turned(&state.x, &c.vertices, &c.weights);
            let guess = |k: usize| match step.guess.get(c.vertices[k] as usize) {
                Some(guess) => guess * (step.betas[c.vertices[k] as usize].powi(2) * c.weights[k]),
                None => Vec3::zeros(),
            };
            c.contact.expected = c.free + (0..4).map(guess).sum::<Vec3>();
            if !frames.acts() {
                c.linear = c.contact.linearise(&c.free, c.stops, setting, &frames.rubs(world));
            }
        });
        if frames.acts() {
            frames.press(world, contacts, |c| c.contact.pressing(&c.free, c.stops, setting));
            let rubs = frames.rubs(world);
            par::each_mut(contacts, |_, c| c.linear = c.contact.linearise(&c.free, c.stops, setting, &rubs));
        }
    }

    /// Vertices of the pairs that were corrected in the step.
    pub fn corrected(&self) -> &[[u32; 4]] {
        &self.corrected
    }

    /// Notes which of four pairs may come near, and which of them act.
    // The compiler's choice hangs on code far from here, and a call takes a fifth longer.
    #[inline(always)]
    fn look(&self, at: &Moment, pair: Pair, (four, count): ([Near; 4], usize), list: &List, out: &mut Part) {
        let Moment { world, state, .. } = *at;
        let patches = list.patches;
        let corners: [[u32; 4]; 4] = std::array::from_fn(|k| world.surface.corners(pair, [four[k].a, four[k].b]));
        let found = pair.separations(&corners, &state.x);
        let Separations { distance, normal, weights } = found;
        let moved: [Four; 4] = std::array::from_fn(|c| Four::from_fn(|k| &self.predicted[corners[k][c] as usize]));
        let half = |c: usize| f64x4::new(std::array::from_fn(|k| world.half_thickness[corners[k][c] as usize]));
        let thick = half(0) * weights[0].abs()
            + half(1) * weights[1].abs()
            + half(2) * weights[2].abs()
            + half(3) * weights[3].abs();
        // Neighbours act from half their distance at rest on: see `shape_room`.
        let wanted = f64x4::new(four.map(|near| f64::from(near.reach)));
        let away = distance - (thick + f64x4::splat(world.contact.distance)).fast_min(wanted);
        let zero = f64x4::splat(0.0);
        // The same whenever the list was built: it may lack what is beyond.
        let beyond = distance.simd_ge(f64x4::splat(list.reach).fast_min(wanted) + f64x4::splat(list.rate));
        let far = beyond | away.simd_gt(zero) & pair.closer(&moved).simd_lt(away);
        let travel = moved[0] * weights[0] + moved[1] * weights[1] + moved[2] * weights[2] + moved[3] * weights[3];
        let closing = normal.dot(&travel).fast_min(zero);
        let acts = (away + closing).simd_lt(zero);
        let (far, acts) = (far.to_bitmask(), acts.to_bitmask());
        let bit = |mask: u32, k: usize| mask >> k & 1 == 1;
        let distance = distance.to_array();
        for k in (0..count).filter(|k| !bit(far, *k)) {
            let (features, vertices, distance) = ([four[k].a, four[k].b], corners[k], distance[k]);
            out.watched[pair as usize].push(Watched { pair, features, vertices, distance, patches });
        }
        if far | !acts & 15 == 15 {
            return;
        }
        let (separations, thick, closing) = (found.to_array(), thick.to_array(), closing.to_array());
        for k in (0..count).filter(|k| !bit(far, *k) && bit(acts, *k)) {
            let (features, vertices, separation) = ([four[k].a, four[k].b], corners[k], &separations[k]);
            let Separation { distance, normal, weights } = separation;
            let share = match pair {
                Pair::VertexFace if self.flat.vertex_counts(four[k].a) => Share::WHOLE,
                Pair::VertexFace => Share::NONE,
                Pair::EdgeEdge => self.flat.edges_share(&world.surface, &state.x, features, normal, weights),
            };
            let Some(found) = self.found(at, (pair, features), &vertices, separation, share) else {
                continue;
            };
            if distance + closing[k] < (thick[k] + world.contact.distance) * found.room {
                out.found.push(found);
            }
        }
    }

    /// A pair that acts with `share`, or in full if it had to be stopped before; none where nothing can move.
    fn found(
        &self,
        at: &Moment,
        (pair, features): (Pair, [u32; 2]),
        vertices: &[u32; 4],
        separation: &Separation,
        share: Share,
    ) -> Option<Found> {
        let Moment { world, state, step } = *at;
        let key = key(pair, features);
        let kept = self.kept.has(key);
        let share = if kept { Share::WHOLE } else { share };
        if share.part == 0.0 || separation.distance == 0.0 {
            return None;
        }
        let mass = 1.0 / impulse::mobility(world, step, vertices, &separation.weights)?;
        let mut room = shape_room(world, pair, vertices, thickness(world, vertices, &separation.weights));
        if !state.room.is_empty() {
            room = vertices.iter().fold(room, |room, v| room.min(state.room[*v as usize]));
        }
        let bears = bearing(world, step, pair, vertices, &separation.weights, mass);
        Some(Found { key, vertices: *vertices, separation: *separation, share, room, mass, bears, kept })
    }

    /// What acts in this step.
    pub fn contacts(&self) -> &Vec<Element> {
        &self.contacts
    }

    /// Number of contacts and the smallest gap.
    pub fn summary(&self) -> (usize, f64) {
        (self.contacts.len(), self.least)
    }

    /// Advances the friction memory over the accepted step.
    pub fn advance_bristles(&mut self, world: &World, state: &mut State, step: &Step) {
        let ActiveSet { contacts, turns, frames, setting, bristles, .. } = self;
        turns.follow(&world.surface, &state.x, &step.moved, &step.touched);
        let normal = |c: &Element| c.contact.normal_force(&c.linear, &c.moved(step), &c.free);
        if frames.acts() {
            frames.press(world, contacts, normal);
        }
        let rubs = &frames.rubs(world);
        bristles.resize(contacts.len(), (0, Bristle::default()));
        par::fill(bristles, |k| {
            let c = &contacts[k];
            let slid = c.moved(step) - turns.turned(&state.x, &c.vertices, &c.weights);
            (c.key, Bristle { kept: c.kept, ..c.contact.advance(&c.linear, &slid, normal(c), setting, rubs) })
        });
        std::mem::swap(&mut state.bristles, bristles);
    }
}
