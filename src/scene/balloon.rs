//! `[[balloon]]`: closed cloths with air inside.

use super::glue::Named;
use super::keys::{Keys, Kind, section};
use super::kinds::{quantity, real};
use super::permeability::{self, Given, Permeability};
use super::unit::Unit;
use crate::field::air::Gas;
use crate::field::balloon::Supply;
use crate::field::through::Through;

section! {
    /// A closed cloth with air inside, which at the start has the pressure of the atmosphere: it is squeezed, and pushes back. With a
    /// pressure or a volume it is inflated.
    pub struct Balloon {
        /// Name of the cloth; it has no border.
        pub cloth: String = Named(&["cloth"]).required(),
        /// Inflate it to this pressure above that of the atmosphere and hold it, whatever the volume.
        pub pressure: Option<f64> = quantity(Unit::Pressure, 0.0..=1e7).optional(),
        /// Let air in so that the volume grows to so many times that at the start, in `duration`, then shut the valve: what happens
        /// to it afterwards changes its pressure.
        pub volume: Option<f64> = real(1.0..=1e4).optional(),
        /// Time in which the pressure or the volume is reached, from the start on.
        pub duration: f64 = quantity(Unit::Time, 1e-3..=1e4).or(1.0),
        /// How easily air goes through the cloth: its speed under the test pressure, 0 where it is sealed; or a permeability of the
        /// library, which `percale materials` lists; or two measurements, `[{ speed, pressure }, { speed, pressure }]`.
        pub permeability: Given = Permeability.or(Given::Speed(0.0)),
        /// Pressure across the cloth at which the speed was measured.
        pub test_pressure: f64 = permeability::pressure().or(200.0),
        /// Pressure of the atmosphere.
        pub atmosphere: f64 = quantity(Unit::Pressure, 1.0..=1e7).or(Gas::default().pressure),
    }
    check one_supply;
}

fn one_supply(balloon: Balloon, keys: &mut Keys) -> Option<Balloon> {
    if balloon.pressure.is_some() && balloon.volume.is_some() {
        keys.fault("volume", "goes without a pressure; give one of both");
        return None;
    }
    if balloon.pressure.is_none() && balloon.volume.is_none() && keys.find("duration").is_some() {
        keys.fault("duration", "goes with a pressure or a volume; leave it out");
        return None;
    }
    balloon.permeability.pressure_once(keys).then_some(balloon)
}

impl Balloon {
    /// How air goes through the cloth.
    pub fn through(&self) -> Through {
        self.permeability.through(self.test_pressure)
    }

    /// Where air comes from.
    pub fn supply(&self) -> Supply {
        let duration = self.duration;
        match (self.pressure, self.volume) {
            (Some(excess), _) => Supply::Held { excess, duration },
            (None, Some(times)) => Supply::Filled { times, duration },
            (None, None) => Supply::None,
        }
    }
}
