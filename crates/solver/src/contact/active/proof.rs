//! Proof that no pair crosses in a step, and correction of pairs without a certificate.

use super::super::element::{LEAST, Moment, Watched};
use super::super::ignore::ignores;
use super::super::impact_zone::ImpactZones;
use super::super::impulse;
use super::{ActiveSet, LISTS, PAIRS, Part, SWEEPS};
use crate::collision::candidates::{List, Near};
use crate::collision::certificate::Pair;
use crate::collision::key::key;
use crate::force::scheme::pick;
use crate::linalg::four::{Four, fours};
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};
use std::collections::BTreeSet;

/// Fractions of the way to the displacement before the impact zone, tried in this order.
const LOOSEN: [f64; 3] = [1.0, 0.5, 0.25];
/// Fraction of a distance below the hard minimum that a step must keep; less than 1 for rounding only.
const SAME: f64 = 1.0 - 1e-9;

/// Counts of corrected vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Corrected {
    /// Vertices whose end positions were corrected.
    pub vertices: u64,
    /// Corrected vertices that are truncated, because no other motion is proven.
    pub truncated: u64,
}

impl ActiveSet {
    /// Proves that no pair crosses on the way to the end positions. Pairs without a certificate are pushed apart by
    /// inelastic impulses. Pairs still unproven after that become impact zones (see `impact_zone`). Returns the counts
    /// of corrected vertices. `displacement`: displacements have changed since the last check.
    ///
    /// # Errors
    /// Both sides of a pair are prescribed and move differently.
    pub(crate) fn check(
        &mut self,
        world: &World,
        state: &State,
        step: &mut Step,
        displacement: bool,
    ) -> Result<Corrected, StepError> {
        self.corrected.clear();
        if displacement {
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
                wanted = step.displacement[..world.moving].iter().copied().zip(step.velocity.iter().copied()).collect();
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

    /// Moves zone vertices one by one toward their displacement before the zones, as far as all their pairs stay
    /// proven. A zone also holds vertices that would separate. Returns the number of vertices that do not reach that
    /// displacement.
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
            members.iter().map(|v| (step.displacement[*v as usize], step.velocity[*v as usize])).collect();
        let mut loose = vec![false; members.len()];
        let mut held = members.len() as u64;
        for (k, v) in members.iter().map(|v| *v as usize).enumerate() {
            let (displacement, velocity) = before[k];
            loose[k] = true;
            let fits = LOOSEN.iter().any(|part| {
                step.displacement[v] = displacement + (wanted[v].0 - displacement) * *part;
                let one =
                    |w: &Watched| zones.one(&w.vertices) && w.vertices.iter().filter_map(place).all(|k| !loose[k]);
                pairs[k].iter().all(|w| one(w) || proven(w, state, step))
            });
            if fits {
                step.velocity[v] = velocity + (step.displacement[v] - displacement) / step.effective_dt[v];
                held -= u64::from(step.displacement[v] == wanted[v].0);
            } else {
                loose[k] = false;
                step.displacement[v] = displacement;
            }
        }
        // Unwatched pairs may have come near.
        self.prove(world, state, step, true);
        let one = |w: &Watched| zones.one(&w.vertices) && w.vertices.iter().filter_map(place).all(|k| !loose[k]);
        if self.unproven.iter().all(one) {
            // Restores the momentum of zones without prescribed vertices, because vertices that left a zone took
            // momentum with them.
            for zone in zones.free(world, step) {
                let mass = |v: &u32| step.mass[*v as usize];
                let lost: Vec3 =
                    zone.iter().map(|v| (wanted[*v as usize].1 - step.velocity[*v as usize]) * mass(v)).sum();
                let whole: f64 = zone.iter().map(mass).sum();
                zone.iter().for_each(|v| step.velocity[*v as usize] += lost / whole);
            }
            return held;
        }
        for (v, (displacement, velocity)) in members.iter().map(|v| *v as usize).zip(before) {
            step.displacement[v] = displacement;
            step.velocity[v] = velocity;
        }
        members.len() as u64
    }

    /// Finds the pairs without a certificate over the step, sorted by key. Checks all pairs, or only those whose
    /// vertices have changed. In the second case, other pairs that were unproven stay so.
    pub(crate) fn prove(&mut self, world: &World, state: &State, step: &Step, all: bool) {
        if !world.contact.proven() {
            return;
        }
        // Unwatched pairs were predicted to stay farther apart than the activation distance.
        let spare = world.contact.distance - LEAST;
        let astray = 2.0 * self.candidates.compare(&self.estimated, &step.displacement) > spare;
        if astray {
            self.candidates.cover(&state.x, &world.surface, &step.displacement, spare);
        }
        let ActiveSet { candidates, parts, changed, .. } = &*self;
        let proven = |w: &Watched| proven(w, state, step);
        let touched = |w: &Watched| all || w.vertices.iter().any(|v| changed[*v as usize]);
        let mut unproven = par::gather(parts.len(), 1, |range, out| {
            // Pairs of a list are contiguous.
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

    /// Returns the pairs of a list that satisfy `wanted` and may reach the hard minimum in the step. `near` is
    /// temporary storage.
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
            let within = |near: &&Near| left(near) - closing <= LEAST && !ignores(world, state, pair, [near.a, near.b]);
            near.clear();
            near.extend(Self::of(list, pair).iter().filter(within));
            for (four, count) in fours(near) {
                let features = four.map(|near| [near.a, near.b]);
                let corners = features.map(|features| world.surface.corners(pair, features));
                // The relative motion of most pairs is less than the bound from their patches.
                let displacement = |c: usize| Four::from_fn(|k| &step.displacement[corners[k][c] as usize]);
                let closer = pair.closer(&std::array::from_fn(displacement)).to_array();
                let watched = |k: usize| {
                    let (features, vertices, patches) = (features[k], corners[k], list.patches);
                    Watched { pair, features, vertices, distance: 0.0, patches }
                };
                let closes = |k: &usize| left(&four[*k]) - closer[*k] <= LEAST;
                found.extend((0..count).filter(closes).map(watched).filter(&wanted));
            }
        }
        // The result must not depend on when the list was built.
        found.into_iter().filter_map(move |w| {
            let distance = w.pair.separation(&pick(&state.x, &w.vertices)).distance;
            (distance - closing <= LEAST).then_some(Watched { distance, ..w })
        })
    }
}

/// Returns true if the pair is certified to keep the hard minimum over the step. A pair that starts closer must keep
/// its distance.
fn proven(w: &Watched, state: &State, step: &Step) -> bool {
    let displacement = pick(&step.displacement, &w.vertices);
    if w.distance - closer(w.pair, &displacement) > LEAST {
        return true;
    }
    let start = pick(&state.x, &w.vertices);
    let end: [Vec3; 4] = std::array::from_fn(|k| start[k] + displacement[k]);
    w.pair.separated(&start, &end, LEAST.min(SAME * w.distance))
}

/// Computes a bound of how much closer the features of a pair can come by the displacements of their vertices [m].
fn closer(pair: Pair, displacement: &[Vec3; 4]) -> f64 {
    pair.closer(&std::array::from_fn(|c| Four::from_fn(|_| &displacement[c]))).to_array()[0]
}
