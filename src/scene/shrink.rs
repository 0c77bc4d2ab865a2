//! `[[cloth.shrink]]` and `[[cloth.band]]`: rest shapes that change.

use super::keys::{Keys, Kind, at_most_one, section};
use super::kinds::{quantity, real, text};
use super::place::MapSource;
use super::unit::Unit;

section! {
    /// Lengths at rest that change: shrinkage, growth.
    pub struct Shrink {
        /// Factor of the lengths along the warp.
        pub warp: f64 = real(0.05..=20.0).or(1.0),
        /// Factor of the lengths along the weft.
        pub weft: f64 = real(0.05..=20.0).or(1.0),
        /// Where it changes, or which part of the change each vertex takes, 0 to 1; everywhere if absent.
        pub source: Option<MapSource> = at_most_one(),
        /// Start of the change.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// Time in which it grows.
        pub over: f64 = quantity(Unit::Time, 0.0..=1e6).or(1.0),
    }
    check something_changes;
}

section! {
    /// Elastic band along the edges of the mesh whose both ends are in a group: waistbands, cuffs, ribs.
    pub struct Band {
        /// Group of the mesh file or of the cloth.
        pub group: String = text().required(),
        /// Length at rest in units of that of the cloth.
        pub factor: f64 = real(0.05..=20.0).required(),
        /// Force of the band at double its length.
        pub stiffness: f64 = quantity(Unit::Force, 1e-6..=1e6).required(),
        /// Start at which its length at rest changes.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// Time in which its length at rest changes.
        pub over: f64 = quantity(Unit::Time, 0.0..=1e6).or(1.0),
    }
}

fn something_changes(shrink: Shrink, keys: &mut Keys) -> Option<Shrink> {
    if shrink.warp == 1.0 && shrink.weft == 1.0 {
        keys.warn("warp", "nothing shrinks by a factor of 1; give 'warp' or 'weft'");
    }
    Some(shrink)
}
