//! ImpactZones of vertices that move as one for the rest of a step.
//!
//! Where impulses do not find motions that are proven free of crossings, the vertices of an unproven pair take a common motion
//! `a + w x (x - c)` of the momentum and the angular momentum they had (the rigid impact zones of Provot 1997 and Bridson, Fedkiw
//! & Anderson 2002). With `W` the matrix of `w x`, `|(I + t W) d|^2 = |d|^2 + t^2 |W d|^2`: no two points come nearer to each other at any
//! time of the step, so what moves as one cannot cross itself. A zone grows while pairs with others stay unproven, at most to
//! everything, so this always ends. Prescribed vertices impose their motion on a zone; where they move as one, by a turn `R`, so does the
//! zone, and `I + t (R - I)` lets nothing cross either.

use super::element::Watched;
use crate::linalg::{Mat3, Rotation, Vec3};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};
use std::collections::{BTreeMap, BTreeSet};

/// Passes that find the turn of prescribed vertices; each squares its error.
const TURNS: usize = 4;
/// Prescribed vertices that are off a rigid motion by no more move as one: rounding [m].
const RIGID: f64 = 1e-12;

/// ImpactZones of one step.
#[derive(Clone, Debug, Default)]
pub struct ImpactZones {
    /// Zone of each vertex that is in one.
    zone_of: BTreeMap<u32, usize>,
    /// Vertices of each zone; empty once joined to another.
    members: Vec<Vec<u32>>,
    /// Prescribed vertices of the zone move otherwise than it does.
    torn: Vec<bool>,
}

impl ImpactZones {
    /// Joins the vertices of each pair, then lets every changed zone move as one. Gives the vertices whose motion has changed.
    ///
    /// # Errors
    /// A pair within one zone: vertices prescribed to move differently are on both its sides.
    pub fn join(
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

    /// Why a pair in one zone cannot be held apart: which prescribed vertices close on it.
    fn pinch(&self, world: &World, step: &Step, w: &Watched) -> StepError {
        let members = self.zone_of.get(&w.vertices[0]).map_or(&[][..], |zone| &self.members[*zone]);
        let mut forced = members.iter().copied().filter(|v| prescribed(world, step, *v));
        let Some(first) = forced.next() else { return StepError::Crossing(w.vertices) };
        let against = |v: &u32| (step.moved[*v as usize] - step.moved[first as usize]).norm();
        match forced.max_by(|a, b| against(a).total_cmp(&against(b))) {
            Some(second) => StepError::Pinched { pair: w.vertices, between: [first, second] },
            None => StepError::Crossing(w.vertices),
        }
    }

    /// Prescribed vertices of the pair's zone, and of all whose prescribed vertices do not move as one.
    fn pinched(&self, world: &World, step: &Step, w: &Watched) -> Vec<Vec<u32>> {
        let own = self.zone_of.get(&w.vertices[0]);
        let torn = |zone: usize| own == Some(&zone) || self.torn.get(zone) == Some(&true);
        let zones = self.members.iter().enumerate().filter(|(zone, _)| torn(*zone)).map(|(_, members)| members);
        zones.map(|members| members.iter().copied().filter(|v| prescribed(world, step, *v)).collect()).collect()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The vertices move as one.
    pub fn one(&self, vertices: &[u32; 4]) -> bool {
        let zone = vertices.map(|v| self.zone_of.get(&v));
        zone[0].is_some_and(|z| !self.torn[*z]) && zone.iter().all(|z| *z == zone[0])
    }

    /// The zones without prescribed vertices.
    pub fn free(&self, world: &World, step: &Step) -> Vec<&[u32]> {
        let free = |zone: &&[u32]| zone.iter().all(|v| !prescribed(world, step, *v));
        self.members.iter().map(Vec::as_slice).filter(free).collect()
    }

    /// The vertices in zones that are not prescribed.
    pub fn moved(&self, world: &World, step: &Step) -> impl Iterator<Item = u32> {
        self.zone_of.keys().copied().filter(|v| !prescribed(world, step, *v))
    }
}

fn prescribed(world: &World, step: &Step, v: u32) -> bool {
    v as usize >= world.moving || step.fixed[v as usize]
}

/// How some vertices move as one: mass, centre and mean displacement [kg, m, m].
struct Common {
    mass: f64,
    centre: Vec3,
    mean: Vec3,
}

impl Common {
    fn of(points: &[(f64, Vec3, Vec3)]) -> Common {
        let mass: f64 = points.iter().map(|(m, ..)| m).sum();
        let centre = points.iter().map(|(m, x, _)| x * *m).sum::<Vec3>() / mass;
        let mean = points.iter().map(|(m, _, moved)| moved * *m).sum::<Vec3>() / mass;
        Common { mass, centre, mean }
    }

    /// Turn that takes `points`, turned by `turned` about their centre already, on by the angular momentum of what is left.
    fn turn(&self, points: &[(f64, Vec3, Vec3)], turned: &Rotation) -> Vec3 {
        let (mut inertia, mut momentum) = (Mat3::zeros(), Vec3::zeros());
        for (mass, x, moved) in points {
            let arm = turned * (x - self.centre);
            inertia += (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * *mass;
            momentum += arm.cross(&(x - self.centre + moved - self.mean - arm)) * *mass;
        }
        // Vertices on a line have no inertia about it, and nothing turns them about it. A second pass takes out what is added.
        let added = Mat3::identity() * (1e-9 * inertia.trace()).max(f64::MIN_POSITIVE * self.mass);
        (inertia + added).try_inverse().map_or(Vec3::zeros(), |inverse| {
            let turn = inverse * momentum;
            turn + inverse * (momentum - inertia * turn)
        })
    }
}

/// Gives all vertices that are not prescribed the common motion: that of the prescribed ones, or of the momentum of all. True when
/// prescribed vertices do not move as one.
fn unite(world: &World, state: &State, step: &mut Step, members: &[u32], changed: &mut Vec<u32>) -> bool {
    let (forced, free): (Vec<u32>, Vec<u32>) = members.iter().partition(|v| prescribed(world, step, **v));
    let point = |v: &u32| {
        let v = *v as usize;
        (if forced.is_empty() { step.mass[v] } else { 1.0 }, state.x[v], step.moved[v])
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
        let off = |(_, x, moved): &(f64, Vec3, Vec3)| {
            (turned * (x - common.centre) - (x - common.centre) + common.mean - moved).norm()
        };
        torn = points.iter().map(off).fold(0.0, f64::max) > RIGID;
    }
    for v in free.iter().map(|v| *v as usize) {
        let arm = state.x[v] - common.centre;
        let moved = common.mean + if forced.is_empty() { turn.cross(&arm) } else { turned * arm - arm };
        step.rate[v] += (moved - step.moved[v]) / step.betas[v];
        step.moved[v] = moved;
        changed.push(v as u32);
    }
    torn
}

#[cfg(test)]
mod tests;
