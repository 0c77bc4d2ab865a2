//! Rotation of each component as a whole.
//!
//! Forces are linear in a step. A rotation by `p` has no linear strain. A step linearised at its start therefore ends
//! with a false stretch of `p^2/2`, whose stress resists further rotation. To avoid it, laws are linearised at
//! positions rotated by the angular velocity `w` of the component over the step, `Q`: `x* = x + (Q - 1) r`,
//! `y* = y - (x* - x)`, with `r` from the centre of mass. Laws are invariant to rotation, so the matrix is the rotated
//! one at `x`. The guess, the accelerations of the last step, is rotated too. (Stiffness warping, Mueller et al. 2002,
//! of whole components and known before the step.)
//!
//! A component bent by a clamp does not rotate as a whole, and is linearised at its positions. A component is rotated
//! only if all of its prescribed vertices follow the rotation, as at a hinge.
//!
//! In each step of backward Euler, vertices would lose `p^2` of their rotation. They are integrated in the rotating
//! frame of their component instead. With the mean velocity `V`, `u = v - V - w x r`, `e = Q (r + h u)` and the
//! fictitious acceleration `d = -w x (w x e) - 2 w x Q u`, free flight is `v~ = V + w x e + Q u + h (g + d)`,
//! `y = h V + e - r + h^2 (g + d)`.
//!
//! Residuals of the linear solve, corrections, and pairs with integrators of different order change the angular
//! momentum. Unconstrained sets get it back at the end of the step, about their centre, as `free` restores momentum.

use super::free::FreeComponents;
use crate::linalg::{Mat3, Rotation, Vec3, par};
use crate::world::step::Step;
use crate::world::{State, World};

/// Angle below which a rotation is zero [rad], so that components without rotation keep all digits.
const LEAST: f64 = 1e-9;
/// Largest rotation of a component in a step [rad]. Beyond it the motion is poorly known, and the component is not
/// rotated.
const MOST: f64 = 0.5;
/// Largest deviation of prescribed vertices from the rotation, relative to its speed. A hinge does not bend a
/// component; a clamp does, and only some parts rotate.
const BENT: f64 = 0.1;
/// Relative size of a principal inertia below which it is zero: vertices on a line, or a single one.
const FLAT: f64 = 1e-9;
/// Relative size of components of an angular velocity below which they are rounding. They would fill the matrix with
/// subnormal numbers.
const ROUNDING: f64 = 1e-12;

/// Rigid motion fitted to that of a group of vertices.
#[derive(Clone, Copy, Debug, Default)]
struct Rigid {
    mass: f64,
    centre: Vec3,
    velocity: Vec3,
    /// Angular momentum about the centre [kg m^2/s].
    momentum: Vec3,
    inertia: Mat3,
}

/// Rotation of a component in a step.
#[derive(Clone, Copy, Debug)]
struct Turn {
    centre: Vec3,
    velocity: Vec3,
    /// Angular velocity [rad/s].
    spin: Vec3,
    /// Rotation in the step.
    by: Rotation,
    /// Rotation in the step of points that continue straight at that angular velocity.
    straight: Rotation,
}

/// Rotations of the components in a step. `None` if the rotation is negligible or too large, or if laws resist it.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    /// True if laws resist the rotation, by component.
    resisted: Vec<bool>,
    rigid: Vec<Rigid>,
    turns: Vec<Option<Turn>>,
}

impl Turns {
    /// Creates the storage for the components of a world.
    pub(super) fn new(world: &World) -> Turns {
        let count = world.component_mass.len();
        let mut resisted = vec![false; count];
        world.elements.each_term(|term| term.resists(&mut |v| resisted[world.component[v as usize] as usize] = true));
        Turns { resisted, rigid: Vec::new(), turns: vec![None; count] }
    }

    /// Computes the rotations in the step from the velocities before it, and rotates the guess.
    pub(super) fn find(&mut self, world: &World, state: &State, step: &mut Step) {
        let Turns { resisted, rigid, turns } = self;
        let group = |v: usize| Some(world.component[v] as usize);
        fit(rigid, turns.len(), &step.mass, group, |v| (state.x[v], state.v[v]));
        for ((turn, rigid), resisted) in turns.iter_mut().zip(&*rigid).zip(resisted) {
            let spin = rigid.spin();
            let angle = spin.norm() * step.h;
            *turn = (!*resisted && angle > LEAST && angle < MOST).then(|| Turn {
                centre: rigid.centre,
                velocity: rigid.velocity,
                spin,
                by: Rotation::from_scaled_axis(spin * step.h),
                straight: Rotation::from_scaled_axis(spin * (step.h * angle.atan() / angle)),
            });
        }
        for v in (0..world.moving).filter(|v| step.fixed[*v] && world.mass[*v] > 0.0) {
            let k = world.component[v] as usize;
            let Some(turn) = &turns[k] else { continue };
            let beside = turn.velocity + turn.spin.cross(&(state.x[v] - turn.centre)) - state.v[v];
            let radius = (rigid[k].inertia.trace() / rigid[k].mass).sqrt();
            if beside.norm() > BENT * turn.spin.norm() * radius {
                turns[k] = None;
            }
        }
        let turn = |v: usize| turns[world.component[v] as usize].as_ref();
        par::fill(&mut step.guess, |v| turn(v).map_or(state.guess[v], |turn| turn.straight * state.guess[v]));
    }

    fn of(&self, world: &World, v: usize) -> Option<&Turn> {
        self.turns[world.component[v] as usize].as_ref()
    }

    /// Computes the positions at which laws are linearised, and the remaining displacement of free flight.
    pub(super) fn ahead(&self, world: &World, state: &State, step: &mut Step) {
        let Step { ahead, left, displacement, .. } = step;
        par::each_pair_mut(ahead, left, |v, ahead, left| {
            let by = self.of(world, v).map_or(Vec3::zeros(), |turn| {
                let r = state.x[v] - turn.centre;
                turn.straight * r - r
            });
            (*ahead, *left) = (state.x[v] + by, displacement[v] - by);
        });
    }

    /// Returns displacement and velocity of free flight of a vertex by backward Euler.
    pub(super) fn predict(&self, world: &World, state: &State, h: f64, v: usize) -> (Vec3, Vec3) {
        let Some(Turn { centre, velocity, spin, by, .. }) = self.of(world, v) else {
            let velocity = state.v[v] + world.gravity * h;
            return (velocity * h, velocity);
        };
        let r = state.x[v] - centre;
        let own = state.v[v] - velocity - spin.cross(&r);
        let (end, turned) = (by * (r + own * h), by * own);
        let acts = world.gravity - spin.cross(&(spin.cross(&end) + turned * 2.0));
        (velocity * h + end - r + acts * (h * h), velocity + spin.cross(&end) + turned + acts * h)
    }

    /// Returns the acceleration of a vertex by the rotation of its component before the step [m/s^2].
    pub(super) fn acceleration(&self, world: &World, state: &State, v: usize) -> Vec3 {
        self.of(world, v).map_or(Vec3::zeros(), |turn| turn.spin.cross(&turn.spin.cross(&(state.x[v] - turn.centre))))
    }

    /// Rotates the velocities of unconstrained sets at the end of the step, so that their angular momentum is the
    /// previous one.
    pub(super) fn settle(&mut self, world: &World, state: &State, step: &mut Step, free: &FreeComponents) {
        let Turns { resisted, rigid, .. } = self;
        let count = resisted.len();
        let sets = free.sets();
        let mut kept: Vec<bool> = sets.iter().map(|set| !free.held(*set as usize)).collect();
        resisted.iter().zip(sets).filter(|(resisted, _)| **resisted).for_each(|(_, set)| kept[*set as usize] = false);
        let group = |v: usize| Some(sets[world.component[v] as usize] as usize).filter(|set| kept[*set]);
        if !sets.iter().any(|set| kept[*set as usize]) {
            return;
        }
        fit(rigid, count, &step.mass, group, |v| (state.x[v], state.v[v]));
        let before: Vec<Vec3> = rigid.iter().map(|rigid| rigid.momentum).collect();
        fit(rigid, count, &step.mass, group, |v| (state.x[v] + step.displacement[v], step.velocity[v]));
        for (rigid, before) in rigid.iter_mut().zip(before) {
            rigid.momentum = before - rigid.momentum;
            rigid.velocity = rigid.spin();
        }
        let Step { velocity, displacement, fixed, .. } = step;
        par::each_mut(velocity, |v, velocity| {
            if let Some(set) = group(v).filter(|_| !fixed[v]) {
                *velocity += rigid[set].velocity.cross(&(state.x[v] + displacement[v] - rigid[set].centre));
            }
        });
    }
}

impl Rigid {
    /// Returns the angular velocity [rad/s].
    fn spin(&self) -> Vec3 {
        let Rigid { momentum, inertia, .. } = self;
        let most = inertia.trace();
        if most <= 0.0 || *momentum == Vec3::zeros() {
            return Vec3::zeros();
        }
        // The inverse keeps exact zeros; the eigenvectors of a flat sheet would not.
        let whole = inertia.determinant() > FLAT * most.powi(3);
        let spin = match inertia.try_inverse().filter(|_| whole) {
            Some(inverse) => inverse * momentum,
            None => {
                let eigen = inertia.symmetric_eigen();
                let part = |k: usize| {
                    let (value, axis) = (eigen.eigenvalues[k], eigen.eigenvectors.column(k));
                    if value > FLAT * most { axis * (axis.dot(momentum) / value) } else { Vec3::zeros() }
                };
                (0..3).map(part).sum()
            }
        };
        let least = ROUNDING * spin.amax();
        spin.map(|s| if s.abs() < least { 0.0 } else { s })
    }
}

/// Fits rigid motions to positions and velocities of groups of vertices, in the order of the vertices. Vertices without
/// a group are skipped.
fn fit(
    rigid: &mut Vec<Rigid>,
    count: usize,
    mass: &[f64],
    group: impl Fn(usize) -> Option<usize> + Sync,
    motion: impl Fn(usize) -> (Vec3, Vec3) + Sync,
) {
    rigid.clear();
    rigid.resize(count, Rigid::default());
    let moving = par::runs(mass.len(), &group, |run: &mut Rigid, v| {
        let (x, velocity) = motion(v);
        run.mass += mass[v];
        run.centre += x * mass[v];
        run.velocity += velocity * mass[v];
    });
    for (k, run) in moving {
        rigid[k].mass += run.mass;
        rigid[k].centre += run.centre;
        rigid[k].velocity += run.velocity;
    }
    for rigid in rigid.iter_mut().filter(|rigid| rigid.mass > 0.0) {
        rigid.centre /= rigid.mass;
        rigid.velocity /= rigid.mass;
    }
    let fitted = &*rigid;
    let turning = par::runs(mass.len(), &group, |run: &mut Rigid, v| {
        let ((x, velocity), rigid) = (motion(v), &fitted[group(v).expect("only vertices of a group are folded")]);
        let r = x - rigid.centre;
        run.momentum += r.cross(&(velocity - rigid.velocity)) * mass[v];
        run.inertia += (Mat3::from_diagonal_element(r.norm_squared()) - r * r.transpose()) * mass[v];
    });
    for (k, run) in turning {
        rigid[k].momentum += run.momentum;
        rigid[k].inertia += run.inertia;
    }
}
