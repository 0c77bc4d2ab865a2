//! The proof that a step crosses nothing, and what is done where there is none.

use super::super::element::{LEAST, Moment, Watched, key};
use super::super::ignore::ignores;
use super::super::impact_zone::ImpactZones;
use super::super::impulse;
use super::{ActiveSet, LISTS, PAIRS, Part, SWEEPS};
use crate::collision::candidates::{List, Near};
use crate::collision::certificate::Pair;
use crate::force::scheme::pick;
use crate::linalg::four::{Four, fours};
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};
use std::collections::BTreeSet;

/// Parts of the way to where a vertex of a zone wanted, tried in turn.
const LOOSEN: [f64; 3] = [1.0, 0.5, 0.25];
/// Part of a distance below the hard minimum that a step must leave: rounding only.
const SAME: f64 = 1.0 - 1e-9;

/// What a proof took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corrected {
    /// Vertices whose end positions were corrected.
    pub vertices: u64,
    /// Those of them that were held where no other motion was proven.
    pub truncated: u64,
}

impl ActiveSet {
    /// Proves that no pair crosses on the way to the end positions. Pairs without proof are pushed apart, inelastically; what
    /// stays unproven then moves as one (see `impact_zone`). Gives what was corrected.
    /// `moved`: displacements have changed since the last solution was looked at.
    ///
    /// # Errors
    /// A pair whose sides are both prescribed, in different ways.
    pub(crate) fn check(
        &mut self,
        world: &World,
        state: &State,
        step: &mut Step,
        moved: bool,
    ) -> Result<Corrected, StepError> {
        self.corrected.clear();
        if moved {
            self.prove(world, state, step, true);
        }
        if self.unproven.is_empty() {
            return Ok(Corrected::default());
        }
        let mut corrected = BTreeSet::new();
        let mut zones = ImpactZones::default();
        let mut wanted = Vec::new();
        for sweep in 0.. {
            if self.unproven.is_empty() {
                break;
            }
            self.changed.fill(false);
            self.corrected.extend(self.unproven.iter().map(|w| w.vertices));
            if sweep == SWEEPS {
                wanted = step.moved[..world.moving].iter().copied().zip(step.rate.iter().copied()).collect();
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
        let truncated = if zones.is_empty() { 0 } else { self.loosen(world, state, step, &zones, &wanted) };
        Ok(Corrected { vertices: corrected.len() as u64, truncated })
    }

    /// Lets vertices of zones go where they wanted, one after the other, as far as all their pairs stay proven: a zone also holds
    /// what would part. Gives the number of vertices that do not get there.
    fn loosen(
        &mut self,
        world: &World,
        state: &State,
        step: &mut Step,
        zones: &ImpactZones,
        wanted: &[(Vec3, Vec3)],
    ) -> u64 {
        let members: Vec<u32> = zones.moved(world, step).collect();
        let place = |v: &u32| members.binary_search(v).ok();
        let mut pairs: Vec<Vec<Watched>> = vec![Vec::new(); members.len()];
        for w in self.parts.iter().flat_map(Part::watched) {
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
                step.moved[v] = moved + (wanted[v].0 - moved) * *part;
                let one =
                    |w: &Watched| zones.one(&w.vertices) && w.vertices.iter().filter_map(place).all(|k| !loose[k]);
                pairs[k].iter().all(|w| one(w) || proven(w, state, step))
            });
            if fits {
                step.rate[v] = rate + (step.moved[v] - moved) / step.betas[v];
                held -= u64::from(step.moved[v] == wanted[v].0);
            } else {
                loose[k] = false;
                step.moved[v] = moved;
            }
        }
        // Pairs that were not watched may have come near.
        self.prove(world, state, step, true);
        let one = |w: &Watched| zones.one(&w.vertices) && w.vertices.iter().filter_map(place).all(|k| !loose[k]);
        if self.unproven.iter().all(one) {
            // What has left a zone took momentum with it.
            for zone in zones.free(world, step) {
                let mass = |v: &u32| step.mass[*v as usize];
                let lost: Vec3 = zone.iter().map(|v| (wanted[*v as usize].1 - step.rate[*v as usize]) * mass(v)).sum();
                let whole: f64 = zone.iter().map(mass).sum();
                zone.iter().for_each(|v| step.rate[*v as usize] += lost / whole);
            }
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
    pub(crate) fn prove(&mut self, world: &World, state: &State, step: &Step, all: bool) {
        if !world.contact.proven() {
            return;
        }
        // Pairs not watched were to stay farther apart than the activation distance.
        let spare = world.contact.distance - LEAST;
        let astray = 2.0 * self.candidates.compare(&self.predicted, &step.moved) > spare;
        if astray {
            self.candidates.cover(&state.x, &world.surface, &step.moved, spare);
        }
        let ActiveSet { candidates, parts, changed, .. } = &*self;
        let proven = |w: &Watched| proven(w, state, step);
        let touched = |w: &Watched| all || w.vertices.iter().any(|v| changed[*v as usize]);
        let mut unproven = par::gather(parts.len(), 1, |range, out| {
            // Pairs of a list stand together.
            let (mut patches, mut pace, mut expected) = ([u32::MAX; 2], 0.0, true);
            for w in parts[range].iter().flat_map(Part::watched).filter(|w| touched(w)) {
                if w.patches != patches {
                    patches = w.patches;
                    pace = candidates.pace(&patches);
                    expected = !astray || candidates.deviation(&patches) <= spare;
                }
                if expected && w.distance - pace <= LEAST && !proven(w) {
                    out.push(*w);
                }
            }
        });
        if astray {
            let lists = &candidates.lists;
            unproven.extend(par::gather(lists.len(), LISTS, |range, out| {
                let astray = |list: &&List| candidates.deviation(&list.patches) > spare;
                let mut near: Vec<Near> = Vec::new();
                for list in lists[range].iter().filter(astray).filter(|l| !candidates.of(l, state.released)) {
                    let at = Moment { world, state, step };
                    out.extend(self.near(&at, list, &mut near, touched).filter(|w| !proven(w)));
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

    /// Those pairs of a list that are `wanted` and may come to the hard minimum in the step, with `near` as storage.
    fn near(
        &self,
        at: &Moment,
        list: &List,
        near: &mut Vec<Near>,
        wanted: impl Fn(&Watched) -> bool,
    ) -> impl Iterator<Item = Watched> {
        let Moment { world, state, step } = *at;
        let closing = self.candidates.closing(list);
        let mut found = Vec::new();
        for pair in PAIRS {
            let left = |near: &Near| f64::from(near.distance) - list.passed;
            let within = |near: &&Near| left(near) - closing <= LEAST && !ignores(state, pair, near);
            near.clear();
            near.extend(Self::of(list, pair).iter().filter(within));
            for (four, count) in fours(near) {
                let features = four.map(|near| [near.a, near.b]);
                let corners = features.map(|features| world.surface.corners(pair, features));
                // Most pairs move less against each other than their patches may.
                let moved = |c: usize| Four::from_fn(|k| &step.moved[corners[k][c] as usize]);
                let closer = pair.closer(&std::array::from_fn(moved)).to_array();
                let watched = |k: usize| {
                    let (features, vertices, patches) = (features[k], corners[k], list.patches);
                    Watched { pair, features, vertices, distance: 0.0, patches }
                };
                let closes = |k: &usize| left(&four[*k]) - closer[*k] <= LEAST;
                found.extend((0..count).filter(closes).map(watched).filter(&wanted));
            }
        }
        // The same whenever the list was built.
        found.into_iter().filter_map(move |w| {
            let distance = w.pair.separation(&pick(&state.x, &w.vertices)).distance;
            (distance - closing <= LEAST).then_some(Watched { distance, ..w })
        })
    }
}

/// The pair stays apart over the step, and no nearer than the hard minimum or, where it is nearer already, than it is.
fn proven(w: &Watched, state: &State, step: &Step) -> bool {
    let moved = pick(&step.moved, &w.vertices);
    if w.distance - closer(w.pair, &moved) > LEAST {
        return true;
    }
    let start = pick(&state.x, &w.vertices);
    let end: [Vec3; 4] = std::array::from_fn(|k| start[k] + moved[k]);
    w.pair.separated(&start, &end, LEAST.min(SAME * w.distance))
}

/// How much nearer the features of a pair can come by the displacements of their vertices [m].
fn closer(pair: Pair, moved: &[Vec3; 4]) -> f64 {
    pair.closer(&std::array::from_fn(|c| Four::from_fn(|_| &moved[c]))).to_array()[0]
}
