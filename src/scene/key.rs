//! `[[key]]`: quantities that change in time.

use super::Scene;
use super::build::faults::Faults;
use super::build::plug::Then;
use super::keys::{Keys, Kind, choices, section};
use super::kinds::{choice, list, quantity, real};
use super::unit::Unit;
use crate::effect::gravity::Gravity;
use crate::world::build::ClothInput;
use crate::world::keyed::Keyed;

choices! {
    /// Quantity that changes in time.
    pub enum Of {
        /// Gravity of the scene.
        Gravity = "gravity",
        /// Velocity and gusts of `[wind]`.
        Wind = "wind",
    }
}

section! {
    /// A quantity of the scene that changes in time: a factor by keys, linear between them, constant before the first
    /// and after the last.
    pub struct Key {
        /// Quantity that it scales.
        pub of: Of = choice().required(),
        /// Times, ascending; the same time twice is a jump, exact where a frame ends.
        pub times: Vec<f64> = list(quantity(Unit::Time, 0.0..=1e6), 1..=usize::MAX).required(),
        /// Factor at each time.
        pub factors: Vec<f64> = list(real(-1e6..=1e6), 1..=usize::MAX).required(),
    }
    check has_as_many_factors;
}

fn has_as_many_factors(key: Key, keys: &mut Keys) -> Option<Key> {
    if key.times.len() != key.factors.len() {
        keys.fault(
            "factors",
            format!("{} factors for {} times; give one for each", key.factors.len(), key.times.len()),
        );
        return None;
    }
    if key.times.windows(2).any(|pair| pair[1] < pair[0]) || key.times.windows(3).any(|three| three[2] == three[0]) {
        keys.fault("times", "must ascend; the same time twice, not more often, is a jump");
        return None;
    }
    Some(key)
}

impl Scene {
    /// Returns the factor of a quantity, in time after the start of the run.
    pub(super) fn keyed(&self, of: Of) -> Keyed {
        let shot = self.time.shot();
        let own = self.keyed.iter().find(|key| key.of == of);
        own.map_or_else(Keyed::default, |key| Keyed {
            times: key.times.iter().map(|t| shot.run(*t)).collect(),
            factors: key.factors.clone(),
        })
    }
}

/// Returns the builder of gravity by keys, or `None` if there are none.
pub fn effect(scene: &Scene, _: &[ClothInput], faults: &mut Faults) -> Option<Then> {
    for (k, key) in scene.keyed.iter().enumerate() {
        if scene.keyed[..k].iter().any(|other| other.of == key.of) {
            faults.fault(&format!("key[{k}].of"), "has keys already; put them into one list");
        }
    }
    let factor = scene.keyed(Of::Gravity);
    if factor == Keyed::default() {
        return None;
    }
    Some(Box::new(move |_, world, state, _| world.plug(Gravity { factor }, state)))
}
