//! Momentum correction of unconstrained components: the residual of the linear solve must not act as a force on them.
//!
//! Forces inside a component, or between components in contact or glued, sum to zero, in the matrix too. The sum over
//! the exact solution is therefore known: `sum m dx / beta^2 = sum f` over each set of components that are coupled only
//! to each other. The solution is shifted as a whole until that holds. Otherwise the residual, and the rounding of a
//! single-precision matrix, would accelerate unconstrained sets. The next step starts from the result, so the error
//! would be permanent.
//!
//! Velocities at the end of the step are shifted likewise. Two causes change their momentum: forces between vertices
//! with integrators of different order, and corrections of unproven pairs. The exact change is that of gravity.

use crate::contact::element::Element;
use crate::effect::Running;
use crate::linalg::sets::Sets;
use crate::linalg::{Vec3, par};
use crate::world::step::{Step, Tug};
use crate::world::{State, World};

/// Components, their couplings in a step, and their constraints.
#[derive(Clone, Debug)]
pub(super) struct FreeComponents {
    /// Sets of components coupled in every step.
    always: Sets,
    /// Sets with the couplings of this step.
    now: Sets,
    /// Smallest component of each component's set.
    sets: Vec<u32>,
    /// True if a constraint or external force acts on the component, in every step and in this one.
    held: [Vec<bool>; 2],
    /// True if external work on the component is unknown, in every step and in this one. Static constraints and still
    /// air do no work.
    fed: [Vec<bool>; 2],
    /// True if laws without a reaction act on the component; moving air does unknown work by them.
    blown: Vec<bool>,
    /// Effective mass `sum m / beta^2` [kg/s^2] and missing force [N], by set.
    lack: Vec<(f64, Vec3)>,
}

impl FreeComponents {
    /// Creates the sets of the components of a world.
    pub(super) fn new(world: &World) -> FreeComponents {
        let count = world.component_mass.len();
        let (mut always, mut blown) = (Sets::new(count), vec![false; count]);
        let mark = |of: &mut Vec<bool>, v: usize| {
            if let Some(component) = world.component.get(v) {
                of[*component as usize] = true;
            }
        };
        // Forces that depend on the motion and have no reaction.
        world.elements.each_term(|term| term.holds(&mut |v| mark(&mut blown, v as usize)));
        let mut fed = vec![false; count];
        world.effects.all().for_each(|effect| effect.feeds(world, &mut |v| mark(&mut fed, v)));
        world.handles.iter().flat_map(|h| &h.pin.vertices).for_each(|v| mark(&mut fed, *v as usize));
        let held: Vec<bool> = fed.iter().zip(&blown).map(|(fed, blown)| *fed || *blown).collect();
        world.effects.all().for_each(|effect| effect.stores(world, &mut |v| mark(&mut fed, v)));
        // Effects may change all masses, and laws with memory release unknown energy. Neither is a constraint.
        if world.effects.all().any(|effect| effect.feeds_all()) || !world.elements.memory(&world.rest).0.is_empty() {
            fed.fill(true);
        }
        let mut join = |vertices: &mut dyn Iterator<Item = usize>| {
            let mut components = vertices.filter_map(|v| world.component.get(v));
            if let Some(first) = components.next() {
                components.for_each(|other| always.join(*first, *other));
            }
        };
        world.elements.each_term(|term| {
            if !term.joins() {
                term.pairs(&mut |a, b| join(&mut [a as usize, b as usize].into_iter()));
            }
        });
        world.effects.all().for_each(|effect| effect.joins(world, &mut join));
        FreeComponents {
            now: always.clone(),
            always,
            sets: vec![0; count],
            held: [held.clone(), held],
            fed: [fed.clone(), fed],
            blown,
            lack: vec![(0.0, Vec3::zeros()); count],
        }
    }

    /// Joins components that contacts and effects of the step couple, and marks those with constraints.
    pub(super) fn begin(&mut self, world: &World, step: &Step, contacts: &[Element], effects: &Running) {
        let FreeComponents { always, now, held: [always_held, held], fed: [always_fed, fed], blown, .. } = self;
        now.clone_from(always);
        held.clone_from(always_held);
        fed.clone_from(always_fed);
        if step.air_speed > 0.0 {
            fed.iter_mut().zip(blown).for_each(|(fed, blown)| *fed |= *blown);
        }
        for v in world.pins.iter().flat_map(|pin| &pin.vertices).map(|v| *v as usize).filter(|v| step.fixed[*v]) {
            held[world.component[v] as usize] = true;
            fed[world.component[v] as usize] |= step.displacement[v] != Vec3::zeros();
        }
        for Tug { vertex: v, .. } in &step.pulled {
            held[world.component[*v as usize] as usize] = true;
            fed[world.component[*v as usize] as usize] = true;
        }
        for contact in contacts {
            let acting = contact.vertices.iter().zip(contact.weights).filter(|(_, weight)| *weight != 0.0);
            couple(world, step, (now, held, fed), acting.map(|(v, _)| *v));
        }
        effects.each_coupled(world, &mut |vertices| couple(world, step, (now, held, fed), vertices));
        self.spread();
    }

    /// Marks whole sets if any of their components is marked.
    fn spread(&mut self) {
        let FreeComponents { now, sets, held: [_, held], fed: [_, fed], .. } = self;
        for (k, set) in sets.iter_mut().enumerate() {
            *set = now.first(k as u32);
            held[*set as usize] |= held[k];
            fed[*set as usize] |= fed[k];
        }
    }

    /// Returns the smallest component of each component's set. The system couples no two sets.
    pub(super) fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// Checks whether any set has neither a constraint nor unknown work.
    pub(super) fn any_left_alone(&self) -> bool {
        let FreeComponents { sets, held: [_, held], fed: [_, fed], .. } = self;
        sets.iter().any(|set| !held[*set as usize] && !fed[*set as usize])
    }

    /// Checks whether the component's set has a constraint.
    pub(super) fn held(&self, component: usize) -> bool {
        self.held[1][self.sets[component] as usize]
    }

    /// Sums energies of components over their sets. `None` for sets with unknown work.
    pub(super) fn together<const N: usize>(&self, of: impl Iterator<Item = [f64; N]>) -> Vec<Option<[f64; N]>> {
        let FreeComponents { sets, fed: [_, fed], .. } = self;
        let mut sums = vec![[0.0; N]; sets.len()];
        for (own, set) in of.zip(sets) {
            sums[*set as usize].iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        sets.iter().map(|set| *set as usize).map(|set| (!fed[set]).then_some(sums[set])).collect()
    }

    /// Shifts the solution of unconstrained sets so that its momentum is that of `force`.
    pub(super) fn balance(&mut self, world: &World, step: &mut Step, force: &[Vec3]) {
        let Step { dx, effective_dt, .. } = step;
        let own = |v: usize| {
            let inertia = step.mass[v] / (effective_dt[v] * effective_dt[v]);
            let force = if step.extended.is_empty() { force[v] } else { force[v] - step.extended[v] };
            (inertia, force - dx[v] * inertia)
        };
        if self.lacks(world, &step.fixed, own) {
            self.shift(world, &step.fixed, dx);
        }
    }

    /// Joins the components of pairs that were corrected in the step.
    pub(super) fn join(&mut self, world: &World, step: &Step, corrected: &[[u32; 4]]) {
        let FreeComponents { now, held: [_, held], fed: [_, fed], .. } = self;
        corrected.iter().for_each(|vertices| couple(world, step, (now, held, fed), vertices.iter().copied()));
        self.spread();
    }

    /// Shifts velocities of unconstrained sets at the end of the step, so that only gravity has changed their momentum.
    pub(super) fn settle(&mut self, world: &World, state: &State, step: &mut Step) {
        let fall = world.gravity * step.h;
        let velocity = &step.velocity;
        let own = |v: usize| (step.mass[v], (state.v[v] + fall - velocity[v]) * step.mass[v]);
        if self.lacks(world, &step.fixed, own) {
            self.shift(world, &step.fixed, &mut step.velocity);
        }
    }

    /// Sums inertia and missing force or momentum over unconstrained sets, from the values `own` of each vertex.
    /// Returns false if there are no such sets.
    fn lacks(&mut self, world: &World, fixed: &[bool], own: impl Fn(usize) -> (f64, Vec3) + Sync) -> bool {
        let FreeComponents { sets, held: [_, held], lack, .. } = self;
        if sets.iter().all(|set| held[*set as usize]) {
            return false;
        }
        lack.fill((0.0, Vec3::zeros()));
        let (sets, held) = (&*sets, &*held);
        let free = |v: usize| {
            let set = sets[world.component[v] as usize] as usize;
            (!fixed[v] && !held[set]).then_some(set)
        };
        let sums = par::runs(world.moving, free, |sum: &mut (f64, Vec3), v| {
            let (inertia, missing) = own(v);
            sum.0 += inertia;
            sum.1 += missing;
        });
        for (set, sum) in sums {
            lack[set].0 += sum.0;
            lack[set].1 += sum.1;
        }
        true
    }

    /// Shifts the vertices of unconstrained sets by the missing sum over the inertia.
    fn shift(&self, world: &World, fixed: &[bool], of: &mut [Vec3]) {
        let FreeComponents { sets, held: [_, held], lack, .. } = self;
        par::each_mut(of, |v, of| {
            let set = sets[world.component[v] as usize] as usize;
            if !fixed[v] && !held[set] {
                *of += lack[set].1 / lack[set].0;
            }
        });
    }
}

/// Joins the components of interacting moving vertices. A prescribed vertex among them marks them as constrained, and a
/// moving one as having unknown work.
fn couple(
    world: &World,
    step: &Step,
    (sets, held, fed): (&mut Sets, &mut [bool], &mut [bool]),
    vertices: impl Iterator<Item = u32>,
) {
    let (mut first, mut holds, mut feeds) = (None, false, false);
    for v in vertices.map(|v| v as usize) {
        match (step.fixed.get(v), first) {
            (Some(false), None) => first = Some(world.component[v] as usize),
            (Some(false), Some(first)) => sets.join(first as u32, world.component[v]),
            _ => {
                holds = true;
                feeds |= step.displacement[v] != Vec3::zeros();
            }
        }
    }
    if let Some(first) = first {
        held[first] |= holds;
        fed[first] |= feeds;
    }
}
