//! How each component turns as a whole.
//!
//! Forces are linear in a step. A turn by `p` has no linear strain, so a step linearised at its start ends with a false stretch of `p^2/2`,
//! whose stress resists the next turn. So laws are linearised where the component will have turned to, by the rotation `Q` of its angular
//! velocity `w` over the step: `x* = x + (Q - 1) r`, `y* = y - (x* - x)`, with `r` from the centre of mass. Laws do not see a rotation of the
//! whole, so the matrix is the one at `x`, turned; so is the guess, the accelerations of the last step. (Stiffness warping, Mueller et al.
//! 2002, of whole components and known before the step.)
//!
//! A component that a clamp bends does not turn as a whole, and is linearised where it is: only where all that is prescribed of it goes along
//! with the turn, as a hinge does, is it turned.
//!
//! Vertices that go by backward Euler would lose `p^2` of their turning in each step. They go by it in the frame that turns with the component:
//! with `V` the mean velocity, `u = v - V - w x r`, `e = Q (r + h u)` and what keeps a free vertex on its line,
//! `d = -w x (w x e) - 2 w x Q u`, free flight is `v~ = V + w x e + Q u + h (g + d)`, `y = h V + e - r + h^2 (g + d)`.
//!
//! Angular momentum that the residual of the linear solve, corrections and pairs of schemes of different order take, sets that nothing
//! holds get back at the end of the step, about their centre, as `free` gives back momentum.

use super::free::Free;
use crate::linalg::{Mat3, Rotation, Vec3, par};
use crate::world::step::Step;
use crate::world::{State, World};

/// A turn below this is none [rad]: what does not turn keeps its digits.
const LEAST: f64 = 1e-9;
/// A step that turns a component by more than this knows its motion badly; it is left as it is [rad].
const MOST: f64 = 0.5;
/// Part of the speed of turning by which what is prescribed may go otherwise, where a component still turns as a whole: a hinge does not
/// bend it, a clamp does, and then parts turn and others do not.
const BENT: f64 = 0.1;
/// Part of the largest principal inertia below which one is none: vertices on a line, or one alone.
const FLAT: f64 = 1e-9;
/// Components of an angular velocity below this part of the largest are rounding, which would fill the matrix with subnormal numbers.
const ROUNDING: f64 = 1e-12;

/// The rigid motion nearest to that of some vertices.
#[derive(Clone, Copy, Debug, Default)]
struct Rigid {
    mass: f64,
    centre: Vec3,
    velocity: Vec3,
    /// Angular momentum about the centre [kg m^2/s].
    momentum: Vec3,
    inertia: Mat3,
}

/// How a component turns in a step.
#[derive(Clone, Copy, Debug)]
struct Turn {
    centre: Vec3,
    velocity: Vec3,
    /// Angular velocity [rad/s].
    spin: Vec3,
    /// Turn in the step.
    by: Rotation,
    /// Turn of what goes straight on in the step at that angular velocity.
    straight: Rotation,
}

/// How the components turn in a step; none of those that hardly do, or whose laws resist it.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Laws resist its turning, by component.
    resisted: Vec<bool>,
    rigid: Vec<Rigid>,
    turns: Vec<Option<Turn>>,
}

impl Turns {
    /// For the components of a world.
    pub fn new(world: &World) -> Turns {
        let count = world.component_mass.len();
        let mut resisted = vec![false; count];
        world.elements.each_term(|term| term.resists(&mut |v| resisted[world.component[v as usize] as usize] = true));
        Turns { resisted, rigid: Vec::new(), turns: vec![None; count] }
    }

    /// Finds how all turn in the step, from their velocities before it; turns the guess.
    pub fn find(&mut self, world: &World, state: &State, step: &mut Step) {
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

    /// Sets the positions at which laws are linearised, and what is left from there of free flight.
    pub fn ahead(&self, world: &World, state: &State, step: &mut Step) {
        let Step { ahead, left, moved, .. } = step;
        par::each_pair_mut(ahead, left, |v, ahead, left| {
            let by = self.of(world, v).map_or(Vec3::zeros(), |turn| {
                let r = state.x[v] - turn.centre;
                turn.straight * r - r
            });
            (*ahead, *left) = (state.x[v] + by, moved[v] - by);
        });
    }

    /// Displacement and velocity of free flight of a vertex by backward Euler.
    pub fn flight(&self, world: &World, state: &State, h: f64, v: usize) -> (Vec3, Vec3) {
        let Some(Turn { centre, velocity, spin, by, .. }) = self.of(world, v) else {
            let rate = state.v[v] + world.gravity * h;
            return (rate * h, rate);
        };
        let r = state.x[v] - centre;
        let own = state.v[v] - velocity - spin.cross(&r);
        let (end, turned) = (by * (r + own * h), by * own);
        let acts = world.gravity - spin.cross(&(spin.cross(&end) + turned * 2.0));
        (velocity * h + end - r + acts * (h * h), velocity + spin.cross(&end) + turned + acts * h)
    }

    /// Acceleration of a vertex by the turning of its component before the step [m/s^2].
    pub fn acceleration(&self, world: &World, state: &State, v: usize) -> Vec3 {
        self.of(world, v).map_or(Vec3::zeros(), |turn| turn.spin.cross(&turn.spin.cross(&(state.x[v] - turn.centre))))
    }

    /// Turns the velocities at the end of the step of what is free, until its angular momentum is the one before.
    pub fn settle(&mut self, world: &World, state: &State, step: &mut Step, free: &Free) {
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
        fit(rigid, count, &step.mass, group, |v| (state.x[v] + step.moved[v], step.rate[v]));
        for (rigid, before) in rigid.iter_mut().zip(before) {
            rigid.momentum = before - rigid.momentum;
            rigid.velocity = rigid.spin();
        }
        let Step { rate, moved, fixed, .. } = step;
        par::each_mut(rate, |v, rate| {
            if let Some(set) = group(v).filter(|_| !fixed[v]) {
                *rate += rigid[set].velocity.cross(&(state.x[v] + moved[v] - rigid[set].centre));
            }
        });
    }
}

impl Rigid {
    /// Angular velocity [rad/s].
    fn spin(&self) -> Vec3 {
        let Rigid { momentum, inertia, .. } = self;
        let most = inertia.trace();
        if most <= 0.0 || *momentum == Vec3::zeros() {
            return Vec3::zeros();
        }
        // Exact zeros stay, which the eigenvectors of a flat sheet would not leave.
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

/// Fits rigid motions to positions and velocities of groups of vertices, those that have one, in the order of the vertices.
fn fit(
    rigid: &mut Vec<Rigid>,
    count: usize,
    mass: &[f64],
    group: impl Fn(usize) -> Option<usize>,
    motion: impl Fn(usize) -> (Vec3, Vec3),
) {
    rigid.clear();
    rigid.resize(count, Rigid::default());
    let all = || (0..mass.len()).filter_map(|v| group(v).map(|k| (v, k, mass[v])));
    for (v, k, mass) in all() {
        let ((x, velocity), rigid) = (motion(v), &mut rigid[k]);
        rigid.mass += mass;
        rigid.centre += x * mass;
        rigid.velocity += velocity * mass;
    }
    for rigid in rigid.iter_mut().filter(|rigid| rigid.mass > 0.0) {
        rigid.centre /= rigid.mass;
        rigid.velocity /= rigid.mass;
    }
    for (v, k, mass) in all() {
        let ((x, velocity), rigid) = (motion(v), &mut rigid[k]);
        let r = x - rigid.centre;
        rigid.momentum += r.cross(&(velocity - rigid.velocity)) * mass;
        rigid.inertia += (Mat3::from_diagonal_element(r.norm_squared()) - r * r.transpose()) * mass;
    }
}
