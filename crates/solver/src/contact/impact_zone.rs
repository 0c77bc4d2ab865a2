//! Impact zones: vertices that move as one rigid body for the rest of a step.
//!
//! Impulses may find no motion that is proven free of crossings. Then the vertices of an unproven pair get a common
//! motion `a + w x (x - c)` with their momentum and angular momentum. These are the rigid impact zones of Provot 1997
//! and Bridson, Fedkiw & Anderson 2002. With `W` the matrix of `w x`, `|(I + t W) d|^2 = |d|^2 + t^2 |W d|^2`. So no
//! two points come nearer to each other at any time of the step, and a zone cannot cross itself. A zone grows while
//! pairs with other vertices stay unproven. This always ends, at the latest with all vertices in one zone. Prescribed
//! vertices impose their motion on a zone. If they move rigidly, by a rotation `R`, so does the zone. Then
//! `I + t (R - I)` causes no crossing either.

use super::element::Watched;
use crate::linalg::{Mat3, Rotation, Vec3};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};
use std::collections::{BTreeMap, BTreeSet};

/// Iterations for the rotation of prescribed vertices. Each squares the error.
const TURNS: usize = 4;
/// Largest deviation of prescribed vertices from a rigid motion [m]: rounding.
const RIGID: f64 = 1e-12;

/// Impact zones of one step.
#[derive(Clone, Debug, Default)]
pub(super) struct ImpactZones {
    /// Zone of each vertex in a zone.
    zone_of: BTreeMap<u32, usize>,
    /// Vertices of each zone; empty after a merge into another zone.
    members: Vec<Vec<u32>>,
    /// Prescribed vertices of the zone do not move rigidly.
    torn: Vec<bool>,
}

impl ImpactZones {
    /// Merges the vertices of each pair into zones, then gives each changed zone a rigid motion. Returns the vertices
    /// whose motion has changed.
    ///
    /// # Errors
    /// A pair within one zone stays unproven, because prescribed vertices of the zone move differently.
    pub(super) fn join(
        &mut self,
        world: &World,
        state: &State,
        step: &mut Step,
        pairs: &[Watched],
    ) -> Result<Vec<u32>, StepError> {
        let mut changed = BTreeSet::new();
        for w in pairs {
            let known = w.vertices.map(|v| self.zone_of.get(&v));
            if known[0].is_some() && known.iter().all(|zone| *zone == known[0]) {
                if changed.contains(known[0].unwrap_or(&0)) {
                    continue;
                }
                step.pinched = self.pinched(world, step, w);
                return Err(self.pinch(world, step, w));
            }
            let zone = self.members.len();
            let mut vertices = Vec::new();
            for v in w.vertices {
                match self.zone_of.get(&v) {
                    Some(old) => vertices.append(&mut self.members[*old]),
                    None => vertices.push(v),
                }
            }
            vertices.sort_unstable();
            vertices.dedup();
            vertices.iter().for_each(|v| {
                self.zone_of.insert(*v, zone);
            });
            self.members.push(vertices);
            changed.insert(zone);
        }
        self.torn.resize(self.members.len(), false);
        let mut moved = Vec::new();
        for zone in changed {
            self.torn[zone] = unite(world, state, step, &self.members[zone], &mut moved);
        }
        Ok(moved)
    }

    /// Returns the error of an unproven pair in one zone: the prescribed vertices that close on it.
    fn pinch(&self, world: &World, step: &Step, w: &Watched) -> StepError {
        let members = self.zone_of.get(&w.vertices[0]).map_or(&[][..], |zone| &self.members[*zone]);
        let mut forced = members.iter().copied().filter(|v| prescribed(world, step, *v));
        let Some(first) = forced.next() else { return StepError::Crossing(w.vertices) };
        let against = |v: &u32| (step.displacement[*v as usize] - step.displacement[first as usize]).norm();
        match forced.max_by(|a, b| against(a).total_cmp(&against(b))) {
            Some(second) => StepError::Pinched { pair: w.vertices, between: [first, second] },
            None => StepError::Crossing(w.vertices),
        }
    }

    /// Returns the prescribed vertices of the pair's zone, and of each zone whose prescribed vertices do not move
    /// rigidly.
    fn pinched(&self, world: &World, step: &Step, w: &Watched) -> Vec<Vec<u32>> {
        let own = self.zone_of.get(&w.vertices[0]);
        let torn = |zone: usize| own == Some(&zone) || self.torn.get(zone) == Some(&true);
        let zones = self.members.iter().enumerate().filter(|(zone, _)| torn(*zone)).map(|(_, members)| members);
        zones.map(|members| members.iter().copied().filter(|v| prescribed(world, step, *v)).collect()).collect()
    }

    /// Returns true if there are no zones.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns true if the vertices belong to one zone that moves rigidly.
    pub(super) fn one(&self, vertices: &[u32; 4]) -> bool {
        let zone = vertices.map(|v| self.zone_of.get(&v));
        zone[0].is_some_and(|z| !self.torn[*z]) && zone.iter().all(|z| *z == zone[0])
    }

    /// Returns the zones without prescribed vertices.
    pub(super) fn free(&self, world: &World, step: &Step) -> Vec<&[u32]> {
        let free = |zone: &&[u32]| zone.iter().all(|v| !prescribed(world, step, *v));
        self.members.iter().map(Vec::as_slice).filter(free).collect()
    }

    /// Returns the vertices in zones that are not prescribed.
    pub(super) fn moved(&self, world: &World, step: &Step) -> impl Iterator<Item = u32> {
        self.zone_of.keys().copied().filter(|v| !prescribed(world, step, *v))
    }
}

fn prescribed(world: &World, step: &Step, v: u32) -> bool {
    v as usize >= world.moving || step.fixed[v as usize]
}

/// Rigid motion of some vertices: mass [kg], centre [m] and mean displacement [m].
struct Common {
    mass: f64,
    centre: Vec3,
    mean: Vec3,
}

impl Common {
    fn of(points: &[(f64, Vec3, Vec3)]) -> Common {
        let mass: f64 = points.iter().map(|(m, ..)| m).sum();
        let centre = points.iter().map(|(m, x, _)| x * *m).sum::<Vec3>() / mass;
        let mean = points.iter().map(|(m, _, displacement)| displacement * *m).sum::<Vec3>() / mass;
        Common { mass, centre, mean }
    }

    /// Computes a further rotation of `points`, already rotated by `turned` about their centre, from the remaining
    /// angular momentum.
    fn turn(&self, points: &[(f64, Vec3, Vec3)], turned: &Rotation) -> Vec3 {
        let (mut inertia, mut momentum) = (Mat3::zeros(), Vec3::zeros());
        for (mass, x, displacement) in points {
            let arm = turned * (x - self.centre);
            inertia += (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * *mass;
            momentum += arm.cross(&(x - self.centre + displacement - self.mean - arm)) * *mass;
        }
        // Collinear vertices have no inertia about their line, and no torque about it. The second pass corrects for the
        // added inertia.
        let added = Mat3::identity() * (1e-9 * inertia.trace()).max(f64::MIN_POSITIVE * self.mass);
        (inertia + added).try_inverse().map_or(Vec3::zeros(), |inverse| {
            let turn = inverse * momentum;
            turn + inverse * (momentum - inertia * turn)
        })
    }
}

/// Moves all vertices that are not prescribed rigidly: with the prescribed vertices, or with the momentum of all.
/// Returns true if the prescribed vertices do not move rigidly.
fn unite(world: &World, state: &State, step: &mut Step, members: &[u32], changed: &mut Vec<u32>) -> bool {
    let (forced, free): (Vec<u32>, Vec<u32>) = members.iter().partition(|v| prescribed(world, step, **v));
    let point = |v: &u32| {
        let v = *v as usize;
        (if forced.is_empty() { step.mass[v] } else { 1.0 }, state.x[v], step.displacement[v])
    };
    let points: Vec<_> = if forced.is_empty() { &free } else { &forced }.iter().map(point).collect();
    if points.is_empty() {
        return false;
    }
    let common = Common::of(&points);
    let mut turned = Rotation::identity();
    let mut torn = false;
    let turn = common.turn(&points, &turned);
    if !forced.is_empty() {
        for _ in 0..TURNS {
            turned = Rotation::from_scaled_axis(common.turn(&points, &turned)) * turned;
        }
        let off = |(_, x, displacement): &(f64, Vec3, Vec3)| {
            (turned * (x - common.centre) - (x - common.centre) + common.mean - displacement).norm()
        };
        torn = points.iter().map(off).fold(0.0, f64::max) > RIGID;
    }
    for v in free.iter().map(|v| *v as usize) {
        let arm = state.x[v] - common.centre;
        let displacement = common.mean + if forced.is_empty() { turn.cross(&arm) } else { turned * arm - arm };
        step.velocity[v] += (displacement - step.displacement[v]) / step.effective_dt[v];
        step.displacement[v] = displacement;
        changed.push(v as u32);
    }
    torn
}

#[cfg(test)]
mod tests;
