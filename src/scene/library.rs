//! The library of materials, and its pages.

use super::document::Document;
use super::fault::Fault;
use super::friction::{Given, Pair};
use super::keys::{Choice, Context, Keys, section};
use super::kinds::tables;
use super::material::{Entry, Material};
use super::unit::number;
use crate::force::bending::Bending;
use crate::force::curve::Curve;
use crate::force::membrane::{Isotropic, Membrane, StretchTable};
use std::fmt::Write;
use std::sync::OnceLock;

/// Files of the library.
const FILES: [(&str, &str); 3] = [
    ("materials/fabrics.toml", include_str!("../../materials/fabrics.toml")),
    ("materials/wang2011.toml", include_str!("../../materials/wang2011.toml")),
    ("materials/friction.toml", include_str!("../../materials/friction.toml")),
];

section! {
    /// A file of materials.
    struct Shelf {
        /// Materials.
        material: Vec<Entry> = tables(),
        /// Friction of pairs.
        pair: Vec<Pair> = tables(),
    }
}

/// All that the library has.
struct Library {
    materials: Vec<Material>,
    pairs: Vec<Pair>,
    faults: Vec<Fault>,
}

fn shelves() -> &'static Library {
    static SHELVES: OnceLock<Library> = OnceLock::new();
    SHELVES.get_or_init(|| {
        let mut cx = Context::default();
        let (mut pairs, mut faults) = (Vec::new(), Vec::new());
        for (file, text) in FILES {
            let document = Document::new(file, text.as_bytes());
            let start = super::document::Origin::Text(0);
            let shelf: Option<Shelf> = Keys::section(&mut cx, "", start, &document.root);
            pairs.extend(shelf.into_iter().flat_map(|shelf| shelf.pair));
            faults.extend(super::gather(&document, std::mem::take(&mut cx.faults), &[]));
        }
        Library { materials: cx.materials, pairs, faults }
    })
}

/// The materials of the library.
pub fn library() -> &'static [Material] {
    &shelves().materials
}

/// The pairs of surfaces of the library.
pub fn pairs() -> &'static [Pair] {
    &shelves().pairs
}

/// Faults of the library's files: none, held by a test.
pub fn faults() -> &'static [Fault] {
    &shelves().faults
}

/// Names of the library.
pub fn names() -> impl Iterator<Item = &'static str> {
    library().iter().map(|m| m.name.as_str())
}

/// One line a material.
pub fn materials_table() -> String {
    let mut out = String::from(
        "material             density   stretch        bending      friction  description\n\
         \x20                    [g/m2]    [N/m]          [uN m]       [-]\n",
    );
    for m in library() {
        let stretch = match &m.membrane {
            Membrane::Isotropic(Isotropic { young, .. }) => format!("{young:.0}"),
            Membrane::Table(StretchTable([rest, ..])) => format!("{:.0} x {:.0}", rest[0], rest[2]),
        };
        let bending = match &m.bending {
            Bending::Constant(b) => format!("{:.1}", b * 1e6),
            Bending::Table(rows) => {
                let all = rows.iter().flatten();
                let (low, high) = all.fold((f64::MAX, 0.0f64), |(l, h), b| (l.min(*b), h.max(*b)));
                format!("{:.1} - {:.1}", low * 1e6, high * 1e6)
            }
        };
        let mark = if m.illustrative { "* " } else { "" };
        let _ = writeln!(
            out,
            "{:<20} {:>7.0}   {stretch:<13}  {bending:<11}  {:<8}  {mark}{}",
            m.name,
            m.density * 1e3,
            number(m.friction_dynamic),
            m.description,
        );
    }
    out.push_str(
        "\npair                              friction     description; source\n                                  [-]\n",
    );
    for pair in pairs() {
        let mark = if pair.illustrative { "* " } else { "" };
        let _ = writeln!(out, "{:<32}  {:<11}  {mark}{}; {}", pair.name, spread(pair), pair.description, pair.source);
    }
    out.push_str(
        "* illustrative: general knowledge, not measurements of one fabric. `percale materials NAME` for sources.\n",
    );
    out
}

/// Coefficients of a pair while sliding: one, or the least and the greatest of its curves.
fn spread(pair: &Pair) -> String {
    let two = |x: f64| number((x * 100.0).round() / 100.0);
    match &pair.given {
        Given::Coulomb(friction) => two(friction.sliding),
        Given::Measured(curves) => {
            let all = std::iter::once(&curves.first).chain(&curves.second).flat_map(|g| g.plateau.coefficients());
            let (low, high) = all.fold((f64::MAX, 0.0f64), |(low, high), f| (low.min(f), high.max(f)));
            format!("{} - {}", two(low), two(high))
        }
    }
}

/// All of one pair.
pub fn pair_page(pair: &Pair) -> String {
    let mut out = format!("{}\n", pair.name);
    let mut line = |key: &str, value: String| {
        let _ = writeln!(out, "  {key:<18}{value}");
    };
    line("description", pair.description.clone());
    line("source", pair.source.clone());
    line("kind", if pair.illustrative { "illustrative" } else { "measured" }.to_string());
    match &pair.given {
        Given::Coulomb(friction) => {
            line("static", number(friction.fixed));
            line("dynamic", number(friction.sliding));
        }
        Given::Measured(curves) => {
            line("law", curves.law.word().to_string());
            if let Some(area) = curves.area {
                line("area", format!("{} m2", number(area)));
            }
            let (peak, plateau) = (&curves.first.peak, &curves.first.plateau);
            line("force", "sliding (peak) at 0 and 90 degrees to the warp [N]".to_string());
            for load in plateau.warp.loads() {
                let force = |curve: &Curve| format!("{:.3}", load * curve.coefficient(*load));
                let both = |along: &Curve, peak: &Curve| format!("{} ({})", force(along), force(peak));
                let across = match (&plateau.weft, &peak.weft) {
                    (Some(weft), Some(peak)) => format!("  {}", both(weft, peak)),
                    _ => String::new(),
                };
                line(&format!("  at {} N", number(*load)), format!("{}{across}", both(&plateau.warp, &peak.warp)));
            }
        }
    }
    out
}

/// All of one material.
pub fn material_page(m: &Material) -> String {
    let mut out = format!("{}\n", m.name);
    let mut line = |key: &str, value: String| {
        let _ = writeln!(out, "  {key:<18}{value}");
    };
    line("description", m.description.clone());
    line("source", m.source.clone());
    line("kind", if m.illustrative { "illustrative" } else { "measured or defined by the source" }.to_string());
    line("density", format!("{} kg/m2", number(m.density)));
    line("thickness", format!("{} m", number(m.thickness)));
    match &m.membrane {
        Membrane::Isotropic(Isotropic { young, poisson }) => {
            line("young", format!("{} N/m (times thickness)", number(*young)));
            line("poisson", number(*poisson));
        }
        Membrane::Table(StretchTable(rows)) => {
            line("stretch", "c11, c12, c22, c33 [N/m] for Green strain".to_string());
            let heads = ["at rest", "0 deg", "22.5 deg", "45 deg", "67.5 deg", "90 deg"];
            for (head, row) in heads.iter().zip(rows) {
                line(&format!("  {head}"), row.map(|c| format!("{c:>9.2}")).join(" "));
            }
        }
    }
    match &m.bending {
        Bending::Constant(b) => line("rigidity", format!("{} N m", number(*b))),
        Bending::Table(rows) => {
            line("rigidity", "[uN m] at curvature 0, 10, 20, 30, 40 1/m".to_string());
            for (head, row) in ["edge 0 deg", "45 deg", "90 deg"].iter().zip(rows) {
                line(&format!("  {head}"), row.map(|b| format!("{:>7.2}", b * 1e6)).join(" "));
            }
        }
    }
    line("damping", format!("{} s", number(m.damping)));
    if let Some(damping) = m.bending_damping {
        line("bending_damping", format!("{} s", number(damping)));
    }
    line("friction_static", number(m.friction_static));
    line("friction_dynamic", number(m.friction_dynamic));
    out
}
