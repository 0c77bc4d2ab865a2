//! Zones of vertices that move as one for the rest of a step.
//!
//! Where impulses do not find motions that are proven free of crossings, the vertices of an unproven pair take their common
//! translation, which conserves momentum; what moves as one cannot cross itself. A zone grows while pairs with others stay
//! unproven, at most to everything, so this always ends (the translational part of the rigid impact zones of Provot 1997 and
//! Bridson, Fedkiw & Anderson 2002). Prescribed vertices impose their own motion on a zone.

use super::{Step, Stuck};
use crate::linalg::Vec3;
use crate::world::World;
use std::collections::BTreeMap;

/// Zones of one step.
#[derive(Clone, Debug, Default)]
pub struct Zones {
    /// Zone of each vertex that is in one.
    zone_of: BTreeMap<u32, usize>,
    /// Vertices of each zone; empty once joined to another.
    members: Vec<Vec<u32>>,
}

impl Zones {
    /// Joins the vertices of each pair, then lets every changed zone move as one.
    ///
    /// # Errors
    /// A pair that would join vertices prescribed to move differently.
    pub fn join(&mut self, world: &World, step: &mut Step, pairs: impl Iterator<Item = [u32; 4]>) -> Result<(), Stuck> {
        let mut changed = Vec::new();
        for pair in pairs {
            let zone = self.members.len();
            let mut vertices = Vec::new();
            for v in pair {
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
            changed.push((zone, pair));
        }
        for (zone, pair) in changed {
            unite(world, step, &self.members[zone]).ok_or(Stuck::Crossing(pair))?;
        }
        Ok(())
    }

    /// The vertices in zones that are not prescribed.
    pub fn moved(&self, world: &World, step: &Step) -> impl Iterator<Item = u32> {
        self.zone_of.keys().copied().filter(|v| !prescribed(world, step, *v))
    }
}

fn prescribed(world: &World, step: &Step, v: u32) -> bool {
    v as usize >= world.moving || step.fixed[v as usize]
}

/// Gives all vertices the displacement of the prescribed ones, or their mean by mass; `None` when two prescribed ones differ.
fn unite(world: &World, step: &mut Step, members: &[u32]) -> Option<()> {
    let mut forced: Option<Vec3> = None;
    let (mut momentum, mut mass) = (Vec3::zeros(), 0.0);
    for v in members {
        let moved = step.moved[*v as usize];
        if !prescribed(world, step, *v) {
            momentum += moved * world.mass[*v as usize];
            mass += world.mass[*v as usize];
        } else if forced.is_some_and(|f| (f - moved).norm() > 1e-9 * (f.norm() + moved.norm())) {
            return None;
        } else {
            forced = Some(moved);
        }
    }
    let common = forced.unwrap_or(momentum / mass.max(f64::MIN_POSITIVE));
    let free: Vec<usize> = members.iter().filter(|v| !prescribed(world, step, **v)).map(|v| *v as usize).collect();
    for v in free {
        step.rate[v] += (common - step.moved[v]) / step.betas[v];
        step.moved[v] = common;
    }
    Some(())
}
