//! Fold lines: edges along which cloth rests at an angle of its own, which may grow in time. Beside them, angles at
//! which cloth rests where its bending has yielded, and rest shapes where its stretch has.

use super::keyed::{Of, Ramp};
use super::{State, World};
use crate::force::plate::yielding::MOST;
use crate::force::term::Law;
use crate::linalg::Vec3;

/// Fold line of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// Cloth, by its object.
    pub object: usize,
    /// Hinges along the line.
    pub hinges: Vec<u32>,
    /// Rest angle of the whole fold; positive where the front of the cloth is on the outside [rad].
    pub angle: f64,
    /// Time in which it sets in. Keys of the cloth take its place.
    pub ramp: Ramp,
}

impl World {
    /// Computes the rest angle of each hinge beyond that of its rest shape, for a step between two times [rad]. The
    /// list stays empty where no cloth has fold lines or yields.
    pub fn turn(&self, state: &State, times: [f64; 2], turned: &mut Vec<f64>) {
        turned.clear();
        let yieldings = self.elements.yieldings();
        if self.folds.is_empty() && yieldings.list.is_empty() {
            return;
        }
        turned.resize(self.elements.hinges.len(), 0.0);
        yieldings.turn(state.memory.of(yieldings.name()), turned);
        for fold in &self.folds {
            let keys = self.keyed.get(Of::Fold, Some(fold.object));
            let part = keys.map_or_else(|| fold.ramp.part(times[1]), |keys| keys.of_step(times[0], times[1]));
            fold.hinges.iter().for_each(|h| turned[*h as usize] += fold.angle * part);
        }
        turned.iter_mut().for_each(|angle| *angle = angle.clamp(-MOST, MOST));
    }

    /// Computes the strain by which the rest shape of each triangle that yields has grown. The list stays empty where
    /// none does.
    pub fn grow(&self, state: &State, grown: &mut Vec<Vec3>) {
        let stretchings = self.elements.stretchings();
        stretchings.plastic(state.memory.of(stretchings.name()), grown);
    }
}
