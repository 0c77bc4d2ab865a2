//! `pattern` of a cloth: a file of flat panels, its edge length, further stitches, and places of panels.

use super::around::Around;
use super::keys::{Keys, Kind, choices, section};
use super::kinds::{choice, file, list, name, quantity, table, tables, text};
use super::place::{Turn, point, turns};
use super::unit::Unit;
use crate::linalg::Vec3;
use crate::pattern::EXTENSIONS;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

section! {
    /// Two edges of panels that are sewn together, beside those of the file.
    pub struct Stitch {
        /// Name of the seam; that of both edges if absent.
        pub name: Option<String> = name().optional(),
        /// Edges: each the name of its panel, a point, and its own name. The start of one meets the end of the other.
        pub edges: Vec<String> = list(text(), 2..=2).required(),
    }
}

section! {
    /// Place of a panel at the start, instead of that of the file.
    pub struct Place {
        /// Name of the panel.
        pub name: String = text().required(),
        /// Turns about the middle of its bounding box; before them x points to the right and y upwards as the panel is
        /// drawn, z toward who looks at its front.
        pub rotate: Vec<Turn> = turns().or(Vec::new()),
        /// Radius of a cylinder on which it is bent before its turns, around the y axis, with its middle in front.
        pub wrap: Option<f64> = quantity(Unit::Length, 0.01..=100.0).optional(),
        /// Place of the middle of its bounding box in the space of the cloth.
        pub translate: Vec3 = point().or(Vec3::zeros()),
        /// Limb on which it is bent, in place of turns and shift.
        pub around: Option<Around> = table::<Around>().optional(),
    }
    check around_is_a_place;
}

choices! {
    /// Way in which a closed seam holds.
    pub enum Hold {
        /// Both sides become one row of vertices at the end of a frame.
        Joined = "joined",
        /// Both sides are drawn together by a force in proportion to the opening.
        Elastic = "elastic",
    }
}

section! {
    /// How seams close.
    pub struct Sew {
        /// Names of the seams; all that no other table names if absent.
        pub seams: Option<Vec<String>> = list(text(), 1..=usize::MAX).optional(),
        /// Start, after the start of the run.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e4).or(0.0),
        /// Time in which the borders come together.
        pub over: f64 = quantity(Unit::Time, 1e-3..=1e4).or(1.0),
        /// Largest force per length of the seam while it closes.
        pub force: f64 = quantity(Unit::Stiffness, 1e-3..=1e4).or(5.0),
        /// Width of the strip of the longer side in which ease above 5 % becomes folds finer than the mesh; six edges
        /// of the mesh if absent, 0: none.
        pub gather: Option<f64> = quantity(Unit::Length, 0.0..=10.0).optional(),
        /// How a closed seam holds.
        pub hold: Hold = choice().or(Hold::Joined),
        /// Force per length and opening of an elastic seam, 30 kPa if absent.
        pub stiffness: Option<f64> = quantity(Unit::Pressure, 1.0..=1e7).optional(),
        /// Force per length at which an elastic seam breaks; it never does if absent.
        pub strength: Option<f64> = quantity(Unit::Stiffness, 1e-3..=1e6).optional(),
    }
    check only_elastic_seams_give;
}

section! {
    /// A sewing pattern as the shape of a cloth.
    pub struct Pattern {
        /// File: JSON of GarmentCode, SVG, or DXF of an apparel program (ASTM, AAMA).
        pub file: PathBuf = file(EXTENSIONS).required(),
        /// Length of the edges of the mesh. Edges that are sewn together get the same number of vertices.
        pub edge_length: f64 = quantity(Unit::Length, 1e-4..=1.0).or(0.01),
        /// Length of a unit of the file, where it does not say it or says it wrongly.
        pub unit: Option<f64> = quantity(Unit::Length, 1e-6..=1e3).optional(),
        /// Size, of a DXF file with several.
        pub size: Option<String> = text().optional(),
        /// Stitches beside those of the file.
        pub stitches as "stitch": Vec<Stitch> = tables(),
        /// Places of panels.
        pub panels as "panel": Vec<Place> = tables(),
        /// How seams close. Seams that no table names close within a second.
        pub sewing as "sew": Vec<Sew> = tables(),
        /// Time after the start of the run from which the cloth has weight, which grows within 0.2 s. If absent, when
        /// the last seam has had its time and a quarter of it; 0: from the start.
        pub weight_from: Option<f64> = quantity(Unit::Time, 0.0..=1e6).optional(),
    }
    check each_is_told_once;
}

/// Refuses another place beside `around`.
fn around_is_a_place(place: Place, keys: &mut Keys) -> Option<Place> {
    let other = ["rotate", "wrap", "translate"].into_iter().find(|key| keys.find(key).is_some());
    match other.filter(|_| place.around.is_some()) {
        Some(key) => {
            keys.fault(key, "conflicts with 'around', which places the panel; leave one out");
            None
        }
        None => Some(place),
    }
}

/// Refuses stiffness and strength of seams that are joined.
fn only_elastic_seams_give(sew: Sew, keys: &mut Keys) -> Option<Sew> {
    let given = [("stiffness", sew.stiffness), ("strength", sew.strength)];
    match given.into_iter().find(|(_, value)| value.is_some() && sew.hold == Hold::Joined) {
        Some((key, _)) => {
            keys.fault(key, "is of elastic seams; give hold = \"elastic\" too");
            None
        }
        None => Some(sew),
    }
}

/// Refuses a second place of a panel, and a second table for a seam.
fn each_is_told_once(pattern: Pattern, keys: &mut Keys) -> Option<Pattern> {
    let mut seen = BTreeSet::new();
    if let Some(k) = pattern.panels.iter().position(|place| !seen.insert(&place.name)) {
        keys.fault_in("panel", k, "name", "has a place already; give one for each panel");
        return None;
    }
    each_seam_closes_in_one_way(&pattern.sewing, keys)?;
    Some(pattern)
}

/// Refuses a second table for a seam.
pub fn each_seam_closes_in_one_way(sewing: &[Sew], keys: &mut Keys) -> Option<()> {
    let mut seams: BTreeMap<Option<&String>, usize> = BTreeMap::new();
    for (k, sew) in sewing.iter().enumerate() {
        let names: Vec<Option<&String>> =
            sew.seams.as_ref().map_or(vec![None], |names| names.iter().map(Some).collect());
        for name in names {
            if let Some(first) = seams.insert(name, k) {
                let message = match name {
                    Some(name) => format!("'{name}' is in sew[{first}] already; name each seam once"),
                    None => format!("sew[{first}] is for all seams that no table names; give 'seams' in one of them"),
                };
                keys.fault_in("sew", k, "seams", &message);
                return None;
            }
        }
    }
    Some(())
}
