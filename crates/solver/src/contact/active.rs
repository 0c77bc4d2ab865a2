//! Contact within a step: candidate pairs, contacts predicted from them, their part of the linear system, and the
//! certificates of all pairs.
//!
//! Candidates include every pair that may act within the expected displacements. If a step deviates so much that other
//! pairs might meet, these are checked as well.

mod force;
mod proof;
mod penalty;

use super::bearing::bearing;
use super::corotation::CoRotation;
use super::element::{Element, Moment, Watched, shape_room, thickness};
use super::feasible::{Flat, from_first, minimum, remember};
use super::friction_frame::FrictionFrames;
use super::ignore::ignores;
use super::impulse;
use super::narrow_result::NarrowResult;
use super::persistent::Persistent;
use crate::collision::candidates::{Candidates, List, Near, fit};
use crate::collision::certificate::{Pair, Separation, Separations};
use crate::collision::key::{EDGES, SECOND, key};
use crate::force::contact::{Bristle, Setting, Share};
use crate::linalg::four::{Four, fours};
use crate::linalg::{Vec3, f64x4, par};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Candidate lists per block of a parallel loop.
const LISTS: usize = 32;
/// Both kinds of pairs.
const PAIRS: [Pair; 2] = [Pair::VertexFace, Pair::EdgeEdge];
/// Correction sweeps before the remaining pairs become impact zones.
const SWEEPS: usize = 6;

/// Pairs found in some candidate lists.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Watched pairs: vertex-face, and edge-edge.
    watched: [Vec<Watched>; 2],
    found: Vec<NarrowResult>,
    /// Pairs of a list that may come near.
    near: Vec<Near>,
}

impl Part {
    fn watched(&self) -> impl Iterator<Item = &Watched> {
        self.watched.iter().flatten()
    }
}

/// Active set of contacts, with its storage.
pub struct ActiveSet {
    candidates: Candidates,
    /// Expected displacement of every vertex in this step [m].
    estimated: Vec<Vec3>,
    parts: Vec<Part>,
    /// Key, index of the part and index in the part of each contact, sorted.
    order: Vec<(u64, u32, u32)>,
    /// Activation weights of the vertex-face contacts, which come first.
    shares: Vec<Share>,
    contacts: Vec<Element>,
    /// Smallest gap [m].
    least: f64,
    /// Vertices of the contacts, marked during their construction.
    marks: par::Marks,
    flat: Flat,
    turns: CoRotation,
    frames: FrictionFrames,
    blows: Vec<impulse::Blow>,
    /// Displacement by the impulses of each contact in the step [m]; empty unless probes need forces.
    pushes: Vec<Vec3>,
    /// Probes need forces.
    probed: bool,
    setting: Setting,
    /// Storage for the friction memory.
    bristles: Vec<(u64, Bristle)>,
    /// Contacts that act regardless of the feasible regions of their features.
    kept: Persistent,
    /// Pairs without a certificate at the last check.
    unproven: Vec<Watched>,
    /// Vertices whose displacement has changed since the last check.
    changed: Vec<bool>,
    /// Vertices of all pairs that were corrected in the step.
    corrected: Vec<[u32; 4]>,
}

impl ActiveSet {
    /// Creates the storage for a world; `largest` is the largest step [s].
    pub fn new(world: &World, largest: f64) -> ActiveSet {
        let (thickness, distance) = (&world.half_thickness, world.contact.distance);
        ActiveSet {
            candidates: Candidates::new(&world.rest, &world.surface, thickness, distance, |i, j| world.meet(i, j))
                .with_rest(&world.rest),
            estimated: vec![Vec3::zeros(); world.rest.len()],
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

    /// Predicts that each unconstrained vertex keeps its velocity, and updates the candidate lists to cover this
    /// motion. Returns the number of lists built.
    ///
    /// # Errors
    /// The candidate pairs would exceed the memory limit.
    pub fn update_candidates(&mut self, world: &World, state: &State, step: &Step) -> Result<u64, StepError> {
        if !world.contact.proven() {
            return Ok(0);
        }
        par::fill(&mut self.estimated, |v| {
            if v < world.moving && !step.fixed[v] { state.v[v] * step.h } else { step.displacement[v] }
        });
        self.candidates.leave_out(|object| !world.there(object, step.begin));
        let builds = self.candidates.update(&state.x, &world.surface, &self.estimated);
        self.room(step).map(|()| builds)
    }

    /// Checks that all candidates fit into the memory limit.
    ///
    /// # Errors
    /// The candidate pairs would exceed the memory limit.
    pub fn room(&self, step: &Step) -> Result<(), StepError> {
        if !self.candidates.crowded() {
            return Ok(());
        }
        let way = |v: usize| self.estimated[v].norm().max(step.displacement[v].norm());
        let farthest = (0..self.estimated.len()).max_by(|a, b| way(*a).total_cmp(&way(*b))).unwrap_or(0);
        Err(StepError::Crowded { vertex: farthest as u32, way: way(farthest) })
    }

    /// Returns the number of candidate pairs.
    pub fn candidate_count(&self) -> usize {
        self.candidates.count()
    }

    fn of(list: &List, pair: Pair) -> &[Near] {
        match pair {
            Pair::VertexFace => &list.vertex_face,
            Pair::EdgeEdge => &list.edge_edge,
        }
    }

    /// Finds the contacts of this step among the candidates, and marks their vertices in `step`.
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
                    let within = |near: &&Near| {
                        f64::from(near.distance) < limit(near) && !ignores(world, state, pair, [near.a, near.b])
                    };
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
        self.sort(world, state, &parts, step);
        self.marks.take(&mut step.touched);
        self.parts = parts;
        if self.frames.acts() {
            self.frames.begin(world, &state.x, &mut self.contacts, step);
        }
    }

    /// Gathers the contacts of all parts in order of their keys. Omits vertex-face pairs that are not closest points of
    /// the surfaces.
    fn sort(&mut self, world: &World, state: &State, parts: &[Part], step: &Step) {
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
        contacts.resize(order.len(), at(any).contact(world, step));
        par::blocks_mut(contacts, par::BLOCK, |first, block| {
            // Contacts and bristles are sorted by key.
            let mut bristles = &state.bristles[..];
            for (c, i) in block.iter_mut().zip(first..) {
                *c = at(&order[i]).contact(world, step);
                bristles = from_first(bristles, c.key, i == first);
                c.contact.bristle = remember(world, bristles, c.key);
                c.contact.share = shares.get(i).copied().unwrap_or(c.contact.share);
                c.vertices.iter().for_each(|v| marks.raise(*v as usize));
            }
        });
    }

    /// Applies inelastic impulses to the free flight of contacts that close too fast, then linearises all contacts.
    /// Runs `beside` in parallel with the impulses, with the contacts and the flags of prescribed vertices.
    pub fn linearise(
        &mut self,
        world: &World,
        state: &State,
        step: &mut Step,
        beside: impl FnOnce(&Vec<Element>, &[bool]) + Send,
    ) {
        let ActiveSet { contacts, turns, frames, blows, pushes, probed, setting, estimated, least, .. } = self;
        impulse::gather(contacts, blows, world, step);
        pushes.clear();
        pushes.resize(if *probed { blows.len() } else { 0 }, Vec3::zeros());
        let Step { displacement, velocity, predicted, effective_dt, fixed, touched, .. } = step;
        // Keeps the free flight before impulses. The difference changes the velocity below.
        par::fill(predicted, |v| displacement[v]);
        // Impulses run serially, which leaves threads free.
        let rubs = frames.rubs(world);
        let (braked, ()) = par::join(
            || impulse::apply_impulses(blows, displacement, setting, &rubs, pushes),
            || {
                turns.begin(&world.surface, &state.x, touched);
                turns.follow(&world.surface, &state.x, estimated, touched);
                *least = contacts.iter().fold(f64::INFINITY, |m, c| m.min(c.contact.gap));
                beside(contacts, fixed);
            },
        );
        if braked {
            par::each_mut(velocity, |v, velocity| *velocity += (displacement[v] - predicted[v]) / effective_dt[v]);
        }
        par::each_mut(contacts, |k, c| {
            c.braked = blows[k].braked;
            c.free = c.displacement(step) - turns.turned(&state.x, &c.vertices, &c.weights);
            let guess = |k: usize| match step.guess.get(c.vertices[k] as usize) {
                Some(guess) => guess * (step.effective_dt[c.vertices[k] as usize].powi(2) * c.weights[k]),
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

    /// Returns the vertices of the pairs that were corrected in the step.
    pub fn corrected(&self) -> &[[u32; 4]] {
        &self.corrected
    }

    /// Adds those of four pairs that may come near to the watched pairs, and those that act to the contacts found.
    // Forced inlining, because the compiler's choice depends on distant code. A call takes a fifth longer.
    #[inline(always)]
    fn look(&self, at: &Moment, pair: Pair, (four, count): ([Near; 4], usize), list: &List, out: &mut Part) {
        let Moment { world, state, .. } = *at;
        let patches = list.patches;
        let corners: [[u32; 4]; 4] = std::array::from_fn(|k| world.surface.corners(pair, [four[k].a, four[k].b]));
        let found = pair.separations(&corners, &state.x);
        let Separations { distance, normal, weights } = found;
        let displacement: [Four; 4] =
            std::array::from_fn(|c| Four::from_fn(|k| &self.estimated[corners[k][c] as usize]));
        let half = |c: usize| f64x4::new(std::array::from_fn(|k| world.half_thickness[corners[k][c] as usize]));
        let thick = half(0) * weights[0].abs()
            + half(1) * weights[1].abs()
            + half(2) * weights[2].abs()
            + half(3) * weights[3].abs();
        // Neighbours act below half their rest distance (see `shape_room`).
        let wanted = f64x4::new(four.map(|near| f64::from(near.reach)));
        let away = distance - (thick + f64x4::splat(world.contact.distance)).fast_min(wanted);
        let zero = f64x4::splat(0.0);
        // The result must not depend on when the list was built. The list may lack pairs beyond this distance.
        let beyond = distance.simd_ge(f64x4::splat(list.reach).fast_min(wanted) + f64x4::splat(list.rate));
        let far = beyond | away.simd_gt(zero) & pair.closer(&displacement).simd_lt(away);
        let travel = displacement[0] * weights[0]
            + displacement[1] * weights[1]
            + displacement[2] * weights[2]
            + displacement[3] * weights[3];
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
            if distance + closing[k] < (thick[k] + world.contact.distance) * found.offset_scale {
                out.found.push(found);
            }
        }
    }

    /// Creates a contact with activation weight `share`, or with full weight if it needed a penalty before. Returns
    /// `None` if its weight or distance is zero, or if no vertex can move.
    fn found(
        &self,
        at: &Moment,
        (pair, features): (Pair, [u32; 2]),
        vertices: &[u32; 4],
        separation: &Separation,
        share: Share,
    ) -> Option<NarrowResult> {
        let Moment { world, state, step } = *at;
        let key = key(pair, features);
        let kept = self.kept.has(key);
        let share = if kept { Share::WHOLE } else { share };
        if share.part == 0.0 || separation.distance == 0.0 {
            return None;
        }
        let mass = 1.0 / impulse::mobility(world, step, vertices, &separation.weights)?;
        let mut offset_scale = shape_room(world, pair, vertices, thickness(world, vertices, &separation.weights));
        if !state.offset_scale.is_empty() {
            offset_scale =
                vertices.iter().fold(offset_scale, |offset_scale, v| offset_scale.min(state.offset_scale[*v as usize]));
        }
        let bears = bearing(world, step, pair, vertices, &separation.weights, mass);
        Some(NarrowResult { key, vertices: *vertices, separation: *separation, share, offset_scale, mass, bears, kept })
    }

    /// Returns the contacts of this step.
    pub fn contacts(&self) -> &Vec<Element> {
        &self.contacts
    }

    /// Returns the number of contacts and the smallest gap.
    pub fn summary(&self) -> (usize, f64) {
        (self.contacts.len(), self.least)
    }

    /// Advances the friction memory over the accepted step.
    pub fn advance_bristles(&mut self, world: &World, state: &mut State, step: &Step) {
        let ActiveSet { contacts, turns, frames, setting, bristles, .. } = self;
        turns.follow(&world.surface, &state.x, &step.displacement, &step.touched);
        let normal = |c: &Element| c.contact.normal_force(&c.linear, &c.displacement(step), &c.free);
        if frames.acts() {
            frames.press(world, contacts, normal);
        }
        let rubs = &frames.rubs(world);
        bristles.resize(contacts.len(), (0, Bristle::default()));
        par::fill(bristles, |k| {
            let c = &contacts[k];
            let slid = c.displacement(step) - turns.turned(&state.x, &c.vertices, &c.weights);
            (c.key, Bristle { kept: c.kept, ..c.contact.advance(&c.linear, &slid, normal(c), setting, rubs) })
        });
        std::mem::swap(&mut state.bristles, bristles);
    }
}
