//! Zones of vertices that move as one for the rest of a step.
//!
//! Where impulses do not find motions that are proven free of crossings, the vertices of an unproven pair take a common motion
//! `a + w x (x - c)` of the momentum and the angular momentum they had (the rigid impact zones of Provot 1997 and Bridson, Fedkiw
//! & Anderson 2002). With `W` the matrix of `w x`, `|(I + t W) d|^2 = |d|^2 + t^2 |W d|^2`: no two points come nearer to each other at any
//! time of the step, so what moves as one cannot cross itself. A zone grows while pairs with others stay unproven, at most to
//! everything, so this always ends. Prescribed vertices impose their motion on a zone and keep it themselves.

use super::touch::Watched;
use super::{Step, Stuck};
use crate::linalg::{Mat3, Vec3};
use crate::world::{State, World};
use std::collections::{BTreeMap, BTreeSet};

/// Zones of one step.
#[derive(Clone, Debug, Default)]
pub struct Zones {
    /// Zone of each vertex that is in one.
    zone_of: BTreeMap<u32, usize>,
    /// Vertices of each zone; empty once joined to another.
    members: Vec<Vec<u32>>,
    /// Prescribed vertices of the zone move otherwise than it does.
    torn: Vec<bool>,
}

impl Zones {
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
    ) -> Result<Vec<u32>, Stuck> {
        let mut changed = BTreeSet::new();
        for w in pairs {
            let known = w.vertices.map(|v| self.zone_of.get(&v));
            if known[0].is_some() && known.iter().all(|zone| *zone == known[0]) {
                if changed.contains(known[0].unwrap_or(&0)) {
                    continue;
                }
                return Err(Stuck::Crossing(w.vertices));
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

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The vertices move as one.
    pub fn one(&self, vertices: &[u32; 4]) -> bool {
        let zone = vertices.map(|v| self.zone_of.get(&v));
        zone[0].is_some_and(|z| !self.torn[*z]) && zone.iter().all(|z| *z == zone[0])
    }

    /// The vertices in zones that are not prescribed.
    pub fn moved(&self, world: &World, step: &Step) -> impl Iterator<Item = u32> {
        self.zone_of.keys().copied().filter(|v| !prescribed(world, step, *v))
    }
}

fn prescribed(world: &World, step: &Step, v: u32) -> bool {
    v as usize >= world.moving || step.fixed[v as usize]
}

/// Gives all vertices that are not prescribed the common motion: that of the prescribed ones, or of the momentum of all. True when
/// prescribed vertices move otherwise.
fn unite(world: &World, state: &State, step: &mut Step, members: &[u32], changed: &mut Vec<u32>) -> bool {
    let (forced, free): (Vec<u32>, Vec<u32>) = members.iter().partition(|v| prescribed(world, step, **v));
    let source = if forced.is_empty() { &free } else { &forced };
    let mass = |v: usize| if forced.is_empty() { world.mass[v] } else { 1.0 };
    let (mut total, mut centre, mut mean) = (0.0, Vec3::zeros(), Vec3::zeros());
    for v in source.iter().map(|v| *v as usize) {
        total += mass(v);
        centre += state.x[v] * mass(v);
        mean += step.moved[v] * mass(v);
    }
    centre /= total;
    mean /= total;
    let (mut inertia, mut turning) = (Mat3::zeros(), Vec3::zeros());
    for v in source.iter().map(|v| *v as usize) {
        let arm = state.x[v] - centre;
        inertia += (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * mass(v);
        turning += arm.cross(&(step.moved[v] - mean)) * mass(v);
    }
    // Vertices on a line have no inertia about it, and nothing turns them about it.
    inertia += Mat3::identity() * (1e-9 * inertia.trace()).max(f64::MIN_POSITIVE);
    let turn = inertia.try_inverse().map_or(Vec3::zeros(), |inverse| inverse * turning);
    let motion = |v: usize| mean + turn.cross(&(state.x[v] - centre));
    for v in free.iter().map(|v| *v as usize) {
        let common = motion(v);
        step.rate[v] += (common - step.moved[v]) / step.betas[v];
        step.moved[v] = common;
        changed.push(v as u32);
    }
    forced.iter().map(|v| *v as usize).any(|v| step.moved[v] != motion(v))
}
