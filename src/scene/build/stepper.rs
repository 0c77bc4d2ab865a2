//! Time stepper with the settings of a scene.

use crate::scene::settings::Precision;
use crate::scene::{Scene, time};
use crate::stepper::{self, Advance, Integrator, Settings};
use crate::world::World;

/// Creates the time stepper of a scene's world.
pub fn stepper(scene: &Scene, world: &World) -> Box<dyn Advance> {
    let time = &scene.time;
    let settings = Settings {
        integrator: match time.integrator {
            time::Integrator::Bdf2 => Integrator::Bdf2,
            time::Integrator::BackwardEuler => Integrator::BackwardEuler,
        },
        step: scene.step(),
        min_step: if time.adaptive { time.min_step } else { scene.step() },
        accuracy: if time.adaptive { time.accuracy } else { f64::INFINITY },
        tolerance: scene.solver.tolerance,
        iterations: scene.solver.max_iterations as usize,
    };
    stepper::stepper(world, settings, scene.solver.precision == Precision::F64)
}
