//! Soft handles as links: springs to scripted targets, and constant forces; pointers that hold a vertex; pinned vertices that gave way.

use super::yields;
use crate::force::links::{Couples, Link};
use crate::linalg::{Mat3, Vec3};
use crate::world::step::Step;
use crate::world::{Handle, Pull, State, World};

/// What the open handles, then the pointers that hold a vertex, do in a step.
#[derive(Clone, Debug, Default)]
pub struct Pulls(Vec<Pulled>);

/// What a handle does to one vertex.
#[derive(Clone, Copy, Debug)]
struct Pulled {
    vertex: u32,
    /// At the end of free flight [N].
    force: Vec3,
    /// How much it falls from there [N/m].
    stiffness: f64,
}

impl Pulls {
    /// Finds the vertices that are pulled.
    pub fn find(&mut self, world: &World, state: &State, step: &Step) {
        self.0.clear();
        let pulled = |vertex: u32| Pulled { vertex, force: Vec3::zeros(), stiffness: 0.0 };
        for (_, Handle { pin, .. }, _) in open(world, state) {
            self.0.extend(pin.vertices.iter().map(|v| pulled(*v)));
        }
        self.0.extend(world.grips(state).map(|(_, _, vertex, _)| pulled(vertex)));
        self.0.extend(step.pulled.iter().map(|(vertex, ..)| pulled(*vertex)));
    }

    /// Pulls at the end of free flight.
    pub fn pull(&mut self, world: &World, state: &State, step: &Step) {
        let mut all = self.0.iter_mut();
        for (_, Handle { pin, pull }, anchors) in open(world, state) {
            let share = 1.0 / pin.vertices.len().max(1) as f64;
            let carry = pin.carry(step.end);
            for (k, (anchor, Pulled { vertex, force, stiffness })) in anchors.iter().zip(&mut all).enumerate() {
                let v = *vertex as usize;
                (*force, *stiffness) = match *pull {
                    Pull::Force(force) => (force * share, 0.0),
                    Pull::Spring { stiffness, most } => {
                        spring(carry.apply(k, anchor) - state.x[v] - step.moved[v], stiffness, most)
                    }
                };
            }
        }
        for ((_, pick, _, press), Pulled { force, .. }) in world.grips(state).zip(all.by_ref()) {
            *force = pick.force(step.end, press);
        }
        for ((_, path, own), Pulled { vertex, force, stiffness }) in step.pulled.iter().zip(all) {
            let v = *vertex as usize;
            (*force, *stiffness) = spring(path - state.x[v] - step.moved[v], *own, own * yields::STRETCH);
        }
    }

    /// Gives `f` the handle (pointers count on from the last), the vertex and the force of each pull that the step used [N].
    pub fn each_force(&self, world: &World, state: &State, step: &Step, mut f: impl FnMut(usize, usize, Vec3)) {
        let mut all = self.0.iter();
        for (k, Handle { pin, .. }, _) in open(world, state) {
            for Pulled { vertex, force, stiffness } in all.by_ref().take(pin.vertices.len()) {
                f(k, *vertex as usize, force - step.solved(*vertex) * *stiffness);
            }
        }
        for ((k, ..), Pulled { vertex, force, .. }) in world.grips(state).zip(all) {
            f(world.handles.len() + k, *vertex as usize, *force);
        }
    }

    /// Gives `f` each pinned vertex that gave way and the force that pulls it [N].
    pub fn each_slack(&self, step: &Step, mut f: impl FnMut(usize, Vec3)) {
        let from = self.0.len() - step.pulled.len();
        for Pulled { vertex, force, stiffness } in &self.0[from..] {
            f(*vertex as usize, force - step.solved(*vertex) * *stiffness);
        }
    }
}

/// Force of a spring over this way, no more than `most`, and how much it falls from there [N, N/m].
fn spring(away: Vec3, stiffness: f64, most: f64) -> (Vec3, f64) {
    let stiffness = stiffness.min(most / away.norm().max(f64::MIN_POSITIVE));
    (away * stiffness, stiffness)
}

/// Numbers of the handles whose window is open, these, and where their vertices were when it opened.
fn open<'a>(world: &'a World, state: &'a State) -> impl Iterator<Item = (usize, &'a Handle, &'a [Vec3])> {
    let anchors = state.anchors.get(world.pins.len()..).unwrap_or_default();
    let all = world.handles.iter().zip(anchors).enumerate();
    all.filter_map(|(k, (handle, anchors))| Some((k, handle, anchors.as_deref()?)))
}

impl Couples for Pulls {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn corners(&self, out: &mut [([u32; 4], [f64; 4])]) {
        out.iter_mut().zip(&self.0).for_each(|(out, pulled)| *out = ([pulled.vertex, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]));
    }

    fn links(&self, out: &mut [Link]) {
        for (out, Pulled { force, stiffness, .. }) in out.iter_mut().zip(&self.0) {
            let weights = [1.0, 0.0, 0.0, 0.0];
            *out = Link { weights, force: *force, stiffness: Mat3::from_diagonal_element(*stiffness) };
        }
    }
}
