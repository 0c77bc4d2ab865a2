//! Balloons in a step. The excess predicted for free flight acts along the gradient of the volume. Its change by a
//! deviation of the volume is a rank-one part of the linear system (`gas`). Over a closed surface the gradient sums to
//! zero, so momentum is conserved. Where free flight rotates the balloon, the force rotates with it.

use super::balloon::Balloon;
use super::gas::{Inside, Push};
use crate::linalg::{Vec3, par};
use crate::world::effect::At;
use crate::world::step::Step;

/// Storage of a balloon.
#[derive(Default)]
pub(super) struct Inflation {
    /// Gradient of the volume after free flight, by vertex of the balloon [m^2].
    gradient: Vec<Vec3>,
    push: Push,
    /// Energy of the air let in during the step [J].
    source: f64,
    /// Excess that is held in the step [Pa].
    held: Option<f64>,
}

impl Inflation {
    /// Predicts the pressure at the end of the step and linearises it. Adds the low-rank entries of one more sum, and
    /// its subtrahend of zero.
    pub(super) fn press(
        &mut self,
        balloon: &Balloon,
        inside: &Inside,
        At { world, state }: At,
        step: &Step,
        (entries, less): (&mut Vec<(u32, u32, Vec3)>, &mut Vec<f64>),
    ) {
        let Inflation { gradient, push, source, held } = self;
        let chamber = &balloon.chamber;
        let predicted = |v: usize| state.x[v] + step.displacement[v];
        let volumes = [balloon.volume(|v| state.x[v]), balloon.volume(predicted)];
        let end = state.time + step.h;
        *source = chamber.source(inside, volumes[0], end, step.h);
        *held = balloon.held(world, [state.time, end]);
        *push = chamber.foresee(inside, volumes, *source, *held, step.h);
        gradient.resize(balloon.vertices().len(), Vec3::zeros());
        par::fill(gradient, |k| balloon.gradient(k, predicted));

        let (sum, root) = (less.len() as u32, push.stiffness.sqrt());
        let free = balloon.vertices().iter().zip(&*gradient).filter(|(v, _)| !step.fixed[**v as usize]);
        entries.extend(free.map(|(v, gradient)| (*v, sum, gradient * root)));
        less.push(0.0);
    }

    /// Adds the force on the cloth in free flight [N].
    pub(super) fn add(&self, balloon: &Balloon, force: &mut [Vec3]) {
        for (v, gradient) in balloon.vertices().iter().zip(&self.gradient) {
            force[*v as usize] += gradient * self.push.excess;
        }
    }

    /// Calls `f` with each vertex and the change of its force since free flight [N]. `fall` is the sum of the
    /// displacements along the gradient, times the square root of the stiffness.
    pub(super) fn each_fall(&self, balloon: &Balloon, fall: f64, mut f: impl FnMut(u32, Vec3)) {
        let root = self.push.stiffness.sqrt() * fall;
        balloon.vertices().iter().zip(&self.gradient).for_each(|(v, gradient)| f(*v, gradient * -root));
    }

    /// Updates the air at the end of the step with positions `x`. Returns the volume over the target volume if the
    /// valve closes in it.
    pub(super) fn commit(&self, balloon: &Balloon, inside: &mut Inside, x: &[Vec3], end: f64, h: f64) -> Option<f64> {
        let volume = balloon.volume(|v| x[v]);
        balloon.chamber.advance(inside, volume, self.source, self.held, h);
        balloon.chamber.reached(volume, end, h)
    }
}
