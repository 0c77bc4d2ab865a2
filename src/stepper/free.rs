//! What nothing holds: the residual of the linear solve is no force on it.
//!
//! All that acts inside a component, or between components that touch or are glued, sums to zero, in the matrix as well. So the sum of
//! the exact solution is known: `sum m z / beta^2 = sum f` over all components that touch each other and nothing else. The solution
//! is shifted as a whole until that holds; the residual of the solve, and the rounding of a matrix in single precision, would drive
//! what is free, and for good where the next step begins from them.

use super::Step;
use super::touch::Element;
use crate::force::drag::Drag;
use crate::linalg::sets::Sets;
use crate::linalg::{Vec3, par};
use crate::world::World;

/// Components that are free in a step.
#[derive(Clone, Debug)]
pub struct Free {
    /// Components, the first number being all that is prescribed: joined by what acts between them in every step.
    always: Sets,
    /// Joined by contact as well.
    now: Sets,
    /// Effective mass `sum m / beta^2` [kg/s^2] and what is missing of the force [N], by the first component of each set.
    lack: Vec<(f64, Vec3)>,
}

impl Free {
    /// For the components of a world.
    pub fn new(world: &World) -> Free {
        let mut always = Sets::new(world.component_mass.len() + 1);
        let mut hold = |object: usize| {
            for v in world.objects[object].vertices.clone().filter(|v| *v < world.moving) {
                always.join(0, world.component[v] + 1);
            }
        };
        // Forces that the motion changes, and that nothing answers.
        world.cloths.iter().filter(|c| c.drag != Drag::default()).for_each(|c| hold(c.object));
        world.bodies.iter().filter(|b| b.drag > 0.0).for_each(|b| hold(b.object));
        world.airs.iter().flat_map(|air| air.objects).for_each(&mut hold);
        for v in world.handles.iter().flat_map(|handle| &handle.pin.vertices) {
            always.join(0, world.component[*v as usize] + 1);
        }
        for bond in &world.elements.bonds {
            let [first, others @ ..] = bond.vertices.map(|v| world.component[v as usize] + 1);
            others.into_iter().for_each(|other| always.join(first, other));
        }
        let lack = vec![(0.0, Vec3::zeros()); world.component_mass.len() + 1];
        Free { now: always.clone(), always, lack }
    }

    /// Joins what pins hold and what the contacts of the step couple.
    pub fn begin(&mut self, world: &World, step: &Step, contacts: &[Element]) {
        let Free { always, now, .. } = self;
        now.clone_from(always);
        let number = |v: u32| match step.fixed.get(v as usize) {
            Some(false) => world.component[v as usize] + 1,
            _ => 0,
        };
        for v in world.pins.iter().flat_map(|pin| &pin.vertices).filter(|v| step.fixed[**v as usize]) {
            now.join(0, world.component[*v as usize] + 1);
        }
        for contact in contacts {
            if now.count() == 1 {
                break;
            }
            let mut before = None;
            for (v, weight) in contact.vertices.iter().zip(contact.weights) {
                if weight != 0.0 {
                    let number = number(*v);
                    now.join(before.unwrap_or(number), number);
                    before = Some(number);
                }
            }
        }
    }

    /// Shifts what is free until the sum of `force` moves it.
    pub fn balance(&mut self, world: &World, step: &mut Step, force: &[Vec3]) {
        let Free { now, lack, .. } = self;
        if now.count() == 1 {
            return;
        }
        let places = &world.component;
        let Step { z, betas, fixed, .. } = step;
        lack.fill((0.0, Vec3::zeros()));
        for v in (0..world.moving).filter(|v| !fixed[*v]) {
            let (inertia, missing) = &mut lack[places[v] as usize + 1];
            let own = world.mass[v] / (betas[v] * betas[v]);
            *inertia += own;
            *missing += force[v] - z[v] * own;
        }
        for k in 1..lack.len() {
            let first = now.first(k as u32) as usize;
            if first != k {
                let (inertia, missing) = lack[k];
                lack[first].0 += inertia;
                lack[first].1 += missing;
            }
        }
        let lack = &*lack;
        par::each_mut(z, |v, z| {
            let first = now.first(places[v] + 1);
            let (inertia, missing) = lack[first as usize];
            if first != 0 && inertia > 0.0 && !fixed[v] {
                *z += missing / inertia;
            }
        });
    }
}
