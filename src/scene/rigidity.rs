//! Bending rigidity by direction.

use super::keys::{Keys, Kind, section};
use super::kinds::quantity;
use super::unit::Unit;
use crate::force::bending::Bending;

section! {
    /// Bending rigidity of an orthotropic plate.
    pub struct Directions {
        /// Rigidity of bending along warp, which the axis of a strip cut along warp has.
        pub warp: f64 = quantity(Unit::Rigidity, 1e-12..=1e3).required(),
        /// Rigidity of bending along weft.
        pub weft: f64 = quantity(Unit::Rigidity, 1e-12..=1e3).required(),
        /// Rigidity of bending to a cylinder at 45 degrees to warp; the square of the mean root of both if absent.
        pub bias: Option<f64> = quantity(Unit::Rigidity, 1e-12..=1e3).optional(),
    }
    check bends_at_45_degrees;
}

/// Checks that the sheet resists twist.
fn bends_at_45_degrees(own: Directions, keys: &mut Keys) -> Option<Directions> {
    let least = 0.25 * (own.warp + own.weft);
    if own.bias.is_some_and(|bias| bias <= least) {
        let message = format!(
            "not more than a quarter of warp and weft together, {:.3} uN m; the sheet would twist by itself",
            1e6 * least
        );
        keys.fault("bias", message);
        return None;
    }
    Some(own)
}

impl Directions {
    /// Returns the law.
    pub fn law(&self) -> Bending {
        let Directions { warp, weft, bias } = *self;
        let bias = bias.unwrap_or_else(|| (0.5 * (warp.sqrt() + weft.sqrt())).powi(2));
        Bending::Orthotropic([warp, weft, Bending::twist(warp, weft, bias)])
    }
}
