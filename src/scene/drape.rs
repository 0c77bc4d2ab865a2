//! `drape` of a material: how it drapes over a disc, for lists. No law reads it.

use super::keys::{Kind, section};
use super::kinds::{list, real, text};

section! {
    /// How a fabric drapes: coefficients of a disc of 30 cm on a support of 18 cm (BS 5058; Cusick 1968).
    pub struct Drape {
        /// Simulated coefficients, with edges of a half, a third and a quarter of the bending length, as `percale fit
        /// drape` tells them.
        pub simulated: Option<Vec<f64>> = list(real(0.0..=1.0), 3..=3).optional(),
        /// Standard errors of these coefficients, which are means over specimens.
        pub error: Option<Vec<f64>> = list(real(0.0..=1.0), 3..=3).optional(),
        /// Simulated numbers of folds, means on the same meshes.
        pub nodes: Option<Vec<f64>> = list(real(0.0..=100.0), 3..=3).optional(),
        /// Smallest and largest coefficient published for fabrics of its kind.
        pub band: Option<Vec<f64>> = list(real(0.0..=1.0), 2..=2).optional(),
        /// Where the band comes from.
        pub source: Option<String> = text().optional(),
    }
}
