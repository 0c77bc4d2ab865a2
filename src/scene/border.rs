//! `[[cloth.seam]]`: seams between borders of a mesh.

use super::keys::{Keys, Kind, exactly_one, one_of, section};
use super::kinds::{flag, integer, list, text, yes};

one_of! {
    /// Sides of a seam.
    pub enum Sides {
        /// Two groups, each of whose border edges are one piece. Their vertices are paired by arc length.
        Groups(Vec<String>) = "groups": list(text(), 2..=2),
        /// Pairs of vertices by index, from 0, of the file or of its `object`, in order along the seam.
        Pairs(Vec<Vec<u32>>) = "pairs": list(list(integer(0..=u32::MAX.into()), 2..=2), 1..=usize::MAX),
        /// All border vertices that coincide.
        Coincident = "coincident": yes(),
    }
}

section! {
    /// A seam between borders of a mesh.
    pub struct Border {
        /// Name, for `sew` and messages; no other seam of the cloth may have it.
        pub name: String = text().required(),
        /// Sides of the seam.
        pub sides: Sides = exactly_one(),
        /// Pairs groups in the other direction: the front of one side continues in the back of the other.
        pub flip: bool = flag().or(false),
    }
    check is_meant;
}

/// Refuses an empty name, and `flip` beside pairs, which have an order of their own.
fn is_meant(border: Border, keys: &mut Keys) -> Option<Border> {
    if border.name.trim().is_empty() {
        keys.fault("name", "is empty; give one");
        return None;
    }
    if border.flip && !matches!(border.sides, Sides::Groups(_)) {
        keys.fault("flip", "goes with 'groups'; pairs are as they are given");
        return None;
    }
    Some(border)
}
