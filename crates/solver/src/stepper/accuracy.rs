//! Step size by the estimated error of a step.
//!
//! Within a step of `h`, the acceleration is taken as uniform. Where it changes by `a` from one step to the next, a
//! position errs by the order of `h^2 a`. An impact counts as such a change, and so do sliding over an edge and the
//! onset of a fold. The estimate is the root mean square over the mass of an object. A single vertex that strikes thus
//! does not shorten the step of a whole sheet.

use super::{Settings, displacement_bound};
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Largest error of a body relative to its size. Compressed bodies store energy, so a small body needs short steps to
/// rebound.
const BODY: f64 = 3e-4;
/// Error relative to the aim above which a step is repeated.
const COARSE: f64 = 4.0;
/// Safety factor of the next step.
const SAFE: f64 = 0.9;
/// Smallest and largest ratio of the next target to the present one. Small ratios keep BDF2 accurate.
const CHANGE: (f64, f64) = (0.25, 1.25);
/// Ratio of the largest step to the shortest one for the sake of accuracy.
const FINEST: f64 = 32.0;
/// Largest aim for the change of a solution by a linearisation [m].
const USUAL: f64 = 3e-4;
/// Number of steps without a repeat before the target grows.
const CLEAN: u32 = 10;

/// Error aims by object.
#[derive(Clone, Debug)]
pub(super) struct Accuracy {
    /// Aim of each simulated object [m].
    aims: Vec<f64>,
}

impl Accuracy {
    /// Computes the aims for the objects of a world. `accuracy` is the largest error [m].
    pub(super) fn new(world: &World, accuracy: f64) -> Accuracy {
        let aims = world.objects[..world.simulated()].iter().enumerate().map(|(k, object)| {
            if k < world.cloths.len() { accuracy } else { accuracy.min(BODY * displacement_bound::size(world, object)) }
        });
        Accuracy { aims: aims.collect() }
    }

    /// Estimates the error of a step about to be committed, relative to its aim: the largest over all objects. Pinned
    /// vertices count, since they are released with the velocity of the scheme.
    pub(super) fn error(&self, world: &World, state: &State, step: &Step) -> f64 {
        let before = |v: usize| {
            if state.last > 0.0 { (state.v[v] - state.v_before[v]) / state.last } else { world.gravity }
        };
        let change = |v: usize| (step.velocity[v] - state.v[v]) / step.h - before(v);
        self.largest(world, step, change, |acceleration, aim| acceleration * step.h * step.h / aim)
    }

    /// Returns how far the last linearisation moved the vertices, relative to the aim: the largest over all objects.
    /// Aims above [`USUAL`] count as that.
    pub(super) fn change(&self, world: &World, step: &Step) -> f64 {
        self.largest(world, step, |v| step.solved(v as u32) - step.found[v], |change, aim| change / aim.min(USUAL))
    }

    /// Returns the largest value over all objects: `error` of the root mean square of `of` and the aim.
    fn largest(
        &self,
        world: &World,
        step: &Step,
        of: impl Fn(usize) -> Vec3 + Sync,
        error: impl Fn(f64, f64) -> f64,
    ) -> f64 {
        let object = |(object, aim): (&crate::world::Object, &f64)| {
            let first = object.vertices.start;
            let mass = par::sum(object.vertices.len(), |k| step.mass[first + k]);
            if mass == 0.0 {
                return 0.0;
            }
            let squares = par::sum(object.vertices.len(), |k| step.mass[first + k] * of(first + k).norm_squared());
            error((squares / mass).sqrt(), *aim)
        };
        world.objects.iter().zip(&self.aims).map(object).fold(0.0, f64::max)
    }

    /// Checks the error of a step.
    ///
    /// # Errors
    /// Returns the error relative to the aim if it is far too large and the step can be shorter.
    pub(super) fn check(&self, error: f64, step: &Step, settings: &Settings) -> Result<(), StepError> {
        if error > COARSE && step.h > least(settings) * (1.0 + 1e-5) { Err(StepError::Coarse(error)) } else { Ok(()) }
    }
}

/// Returns the shortest step for the sake of accuracy [s].
fn least(settings: &Settings) -> f64 {
    (settings.step / FINEST).max(settings.min_step)
}

/// Returns the target of the next step [s] after one of `h` with the target `target`, for an error relative to the aim.
/// `clean` counts the steps since the last repeat.
pub(super) fn next(settings: &Settings, error: f64, h: f64, target: f64, clean: u32) -> f64 {
    let most = if clean >= CLEAN { CHANGE.1 * target } else { target };
    let wanted = (SAFE * h / error.sqrt()).max(CHANGE.0 * target).max(least(settings).min(target));
    wanted.min(most).min(settings.step)
}

#[cfg(test)]
mod tests {
    use super::super::tests::tethered;
    use super::*;

    /// A uniform acceleration has no error, a change of acceleration by `a` has `h^2 a`.
    #[test]
    fn a_change_of_acceleration_is_an_error() {
        let (world, mut state, stepper) = tethered(1.0);
        let (h, aim, change) = (2e-3, 1e-4, Vec3::new(3.0, 0.0, 4.0));
        state.last = 1e-3;
        state.v_before = state.v.iter().map(|v| v - world.gravity * state.last).collect();
        let mut step = Step { h, mass: world.mass.clone(), ..stepper.now.clone() };
        let accuracy = Accuracy::new(&world, aim);
        for (part, wanted) in [(0.0, 0.0), (1.0, h * h * 5.0 / aim)] {
            step.velocity = state.v.iter().map(|v| v + (world.gravity + change * part) * h).collect();
            let error = accuracy.error(&world, &state, &step);
            assert!((error - wanted).abs() < 1e-9, "{error}, not {wanted}");
        }
    }

    /// At four times the aim the next step is half as long, at a small error a quarter longer, within bounds.
    #[test]
    fn the_next_step_aims_at_the_error() {
        let (_, _, stepper) = tethered(1.0);
        let settings = Settings { step: 8e-3, min_step: 1e-5, ..stepper.settings };
        let next = |error: f64, target: f64, clean: u32| super::next(&settings, error, target, target, clean);
        assert!((next(4.0, 4e-3, 9) - SAFE * 2e-3).abs() < 1e-12);
        assert_eq!(next(0.0, 4e-3, CLEAN), CHANGE.1 * 4e-3);
        assert_eq!(next(0.0, 4e-3, CLEAN - 1), 4e-3);
        assert_eq!(next(0.0, 8e-3, 9), 8e-3);
        assert_eq!(next(1e9, 3e-4, 9), 8e-3 / FINEST);
        assert_eq!(next(1e9, 1e-4, 9), 1e-4);
        assert!(next(f64::NAN, 4e-3, 9) > 0.0);
    }
}
