//! Gravity that changes in time: the force beyond the constant one of the world.

use super::order;
use crate::linalg::{Vec3, par};
use crate::world::effect::{At, Effect, Remember, Tallies};
use crate::world::keyed::Of;
use crate::world::step::Step;
use crate::world::{State, World};

/// Gravity by the factor that the world has for it.
#[derive(Clone, Debug, Default)]
pub struct Gravity;

/// Gravity remembers nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Nothing;

impl Remember for Nothing {
    const SECTIONS: &'static [(&'static str, u32)] = &[];

    fn put(&self, _: usize, _: &mut Vec<u8>) {}

    fn take(&mut self, _: usize, _: &mut &[u8]) -> Option<()> {
        None
    }
}

impl Effect for Gravity {
    type Memory = Nothing;
    /// Force on each moving vertex beyond its weight [N].
    type Work = Vec<Vec3>;
    const ORDER: u32 = order::GRAVITY;

    fn start(&self, _: &World, _: &State) -> Nothing {
        Nothing
    }

    fn work(&self, world: &World) -> Vec<Vec3> {
        vec![Vec3::zeros(); world.moving]
    }

    /// The balances of momentum and energy know the constant gravity alone.
    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        (0..world.moving).for_each(feed);
    }

    fn update(&self, At { world, state }: At, _: &Nothing, work: &mut Vec<Vec3>, step: &Step, _: &mut Tallies) {
        let more = world.gravity * (world.keyed.of_step(Of::Gravity, None, [state.time, state.time + step.h]) - 1.0);
        par::fill(work, |v| more * step.mass[v]);
    }

    fn push(&self, work: &Vec<Vec3>, force: &mut [Vec3]) {
        force.iter_mut().zip(work).for_each(|(force, own)| *force += own);
    }

    fn each_work(&self, _: At, _: &Nothing, work: &Vec<Vec3>, step: &Step, add: &mut dyn FnMut(usize, f64)) {
        work.iter().enumerate().for_each(|(v, force)| add(v, force.dot(&step.displacement[v]).max(0.0)));
    }
}
