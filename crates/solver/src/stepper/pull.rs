//! Handles as links: springs to scripted targets, and constant forces. Also pinned vertices that gave way, pulled
//! toward their path.

use super::yields;
use crate::linalg::Vec3;
use crate::world::effect::Forces;
use crate::world::step::{Step, Tug};
use crate::world::{Handle, Pull, Pulled, State, World};

/// Pulls of a step: first of open handles, then of pinned vertices that gave way.
#[derive(Clone, Debug, Default)]
pub(super) struct Pulls(pub Vec<Pulled>);

impl Pulls {
    /// Finds the vertices that are pulled.
    pub(super) fn find(&mut self, world: &World, state: &State, step: &Step) {
        self.0.clear();
        for (_, Handle { pin, .. }, _) in open(world, state) {
            self.0.extend(pin.vertices.iter().map(|v| Pulled::at(*v)));
        }
        self.0.extend(step.pulled.iter().map(|tug| Pulled::at(tug.vertex)));
    }

    /// Computes the pulls at the end of free flight.
    pub(super) fn pull(&mut self, world: &World, state: &State, step: &Step) {
        let mut all = self.0.iter_mut();
        for (_, handle, anchors) in open(world, state) {
            let Handle { pin, pull, .. } = handle;
            let share = 1.0 / pin.vertices.len().max(1) as f64;
            let [before, carry] = [pin.carry(step.begin), pin.carry(step.end)];
            for (k, (anchor, pulled)) in anchors.iter().zip(&mut all).enumerate() {
                let v = pulled.vertex as usize;
                match *pull {
                    Pull::Force(force) => (pulled.force, pulled.stiffness) = (force * share, 0.0),
                    Pull::Spring { stiffness, most } => {
                        pulled.spring(carry.apply(k, anchor) - state.x[v] - step.displacement[v], stiffness, most);
                    }
                    Pull::Held => {
                        let ([stiffness, damping], target) = (handle.held(k, step.mass[v]), carry.apply(k, anchor));
                        pulled.spring(target - state.x[v] - step.displacement[v], stiffness, f64::INFINITY);
                        let lags = target - before.apply(k, anchor) - step.displacement[v];
                        pulled.damp(lags, damping, f64::INFINITY, step.h);
                    }
                }
            }
        }
        for (Tug { path, way, stiffness, .. }, pulled) in step.pulled.iter().zip(all) {
            let v = pulled.vertex as usize;
            let most = stiffness * yields::STRETCH;
            pulled.spring(path - state.x[v] - step.displacement[v], *stiffness, most);
            pulled.damp(way - step.displacement[v], 2.0 * (pulled.stiffness * step.mass[v]).sqrt(), most, step.h);
        }
    }

    /// Calls `add` with each vertex of a handle and the upper bound of the work on it in the step [J].
    pub(super) fn each_work(&self, world: &World, state: &State, step: &Step, mut add: impl FnMut(usize, f64)) {
        for (_, Handle { pin, pull, .. }, _) in open(world, state) {
            let most = match *pull {
                Pull::Force(force) => force.norm() / pin.vertices.len().max(1) as f64,
                Pull::Spring { most, .. } => most,
                Pull::Held => f64::INFINITY,
            };
            pin.vertices.iter().for_each(|v| add(*v as usize, most * step.displacement[*v as usize].norm()));
        }
    }

    /// Reports to `forces` each pull of a handle in the step [N].
    pub(super) fn each_force(&self, world: &World, state: &State, step: &Step, forces: &mut dyn Forces) {
        let mut all = self.0.iter();
        for (k, Handle { pin, .. }, _) in open(world, state) {
            for pulled in all.by_ref().take(pin.vertices.len()) {
                forces.from(k, pulled.vertex, pulled.used(step));
            }
        }
    }

    /// Calls `f` with each pinned vertex that gave way and the force on it [N].
    pub(super) fn each_slack(&self, step: &Step, mut f: impl FnMut(usize, Vec3)) {
        let from = self.0.len() - step.pulled.len();
        self.0[from..].iter().for_each(|pulled| f(pulled.vertex as usize, pulled.used(step)));
    }
}

/// Iterates over handles with an open window: index, handle, and the positions of its vertices at the opening.
fn open<'a>(world: &'a World, state: &'a State) -> impl Iterator<Item = (usize, &'a Handle, &'a [Vec3])> {
    let anchors = state.anchors.get(world.pins.len()..).unwrap_or_default();
    let all = world.handles.iter().zip(anchors).enumerate();
    all.filter_map(|(k, (handle, anchors))| Some((k, handle, anchors.as_deref()?)))
}
