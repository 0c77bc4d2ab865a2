//! `[[cloth.fold]]`: lines along which cloth rests folded; bending and stretch that yield.

use super::keys::{Keys, Kind, section};
use super::kinds::{list, quantity, real, text};
use super::unit::{Unit, number};
use crate::force::membrane::yielding as stretch;
use crate::force::plate::yielding::{MOST, Yield};

section! {
    /// Fold lines: creases and pleats that cloth has at rest.
    pub struct Fold {
        /// Lines: inner lines of a pattern (`front.pleat-1`), or groups of the mesh file or of the cloth. Edges of the
        /// mesh fold whose both ends are in one of them. `*` stands for any characters (`front.pleat-*`).
        pub groups: Vec<String> = list(text(), 1..=10_000).required(),
        /// Angle by which the cloth is folded at rest, 0 where flat, up to 170 degrees. Positive with the front on the
        /// outside, a ridge seen from the front; negative with the front on the inside. The front is the side from
        /// which triangles, and panels of a pattern, run anticlockwise.
        pub angle: f64 = quantity(Unit::Angle, -1e4..=1e4).required(),
        /// Factor of the bending stiffness across the lines: less than 1 for creases that are worn.
        pub stiffness: f64 = real(0.0..=1e3).or(1.0),
        /// Start at which the angle grows.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// Time in which the angle grows.
        pub over: f64 = quantity(Unit::Time, 0.0..=1e6).or(1.0),
    }
    check is_a_fold;
}

/// Refuses angles near half a turn, from where the shortest way back would be through the cloth.
fn is_a_fold(fold: Fold, keys: &mut Keys) -> Option<Fold> {
    if fold.angle.abs() > MOST * (1.0 + 1e-12) {
        let degrees = number(fold.angle.to_degrees());
        keys.fault("angle", format!("{degrees} degrees; a fold has at most 170 to either side: write \"170 deg\""));
        return None;
    }
    if fold.angle == 0.0 && fold.stiffness == 1.0 {
        keys.warn("angle", "nothing is folded by 0; give an angle, or leave the fold out");
    }
    Some(fold)
}

section! {
    /// Deformation that stays: cloth that is bent or stretched beyond a bound keeps a part of it.
    pub struct Plastic {
        /// Curvature up to which cloth springs back; it always does if absent.
        pub bend: Option<f64> = quantity(Unit::Curvature, 1e-3..=1e6).optional(),
        /// Stiffness beyond it that resists further yielding, in units of the rigidity. Of a curvature k there stays
        /// (k - bend)/(1 + hardening).
        pub hardening: f64 = real(0.0..=1e3).or(0.0),
        /// Strain up to which cloth springs back, in whatever direction it is pulled; it always does if absent.
        pub stretch: Option<f64> = quantity(Unit::Ratio, 1e-4..=10.0).optional(),
        /// Stiffness beyond it that resists further yielding, in units of that of the cloth. Of a strain e there stays
        /// (e - stretch)/(1 + stretch_hardening).
        pub stretch_hardening: f64 = real(0.0..=1e3).or(0.0),
    }
    check yields_somehow;
}

/// Yielding of a cloth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Yields {
    /// Yielding of bending.
    pub bend: Option<Yield>,
    /// Yielding of stretch.
    pub stretch: Option<stretch::Yield>,
}

impl Plastic {
    /// Returns the laws.
    pub fn law(&self) -> Yields {
        Yields {
            bend: self.bend.map(|curvature| Yield { curvature, hardening: self.hardening }),
            stretch: self.stretch.map(|strain| stretch::Yield { strain, hardening: self.stretch_hardening }),
        }
    }
}

/// Refuses hardening of what does not yield. An empty table removes the yielding of the base.
fn yields_somehow(plastic: Plastic, keys: &mut Keys) -> Option<Plastic> {
    let own = [("hardening", "bend", plastic.bend), ("stretch_hardening", "stretch", plastic.stretch)];
    let mut sound = true;
    for (key, of, bound) in own {
        if bound.is_none() && keys.find(key).is_some() {
            keys.fault(key, format!("goes with '{of}'; give where it yields, or leave this out"));
            sound = false;
        }
    }
    sound.then_some(plastic)
}
