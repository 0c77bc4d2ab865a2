//! The library of materials, and its pages.

use super::document::Document;
use super::fault::Fault;
use super::keys::{Context, Keys, section};
use super::kinds::tables;
use super::material::{Entry, Material};
use super::unit::number;
use crate::force::bending::Bending;
use crate::force::membrane::{Isotropic, Membrane, StretchTable};
use std::fmt::Write;
use std::sync::OnceLock;

/// Files of the library.
const FILES: [(&str, &str); 2] = [
    ("materials/fabrics.toml", include_str!("../../materials/fabrics.toml")),
    ("materials/wang2011.toml", include_str!("../../materials/wang2011.toml")),
];

section! {
    /// A file of materials.
    struct Shelf {
        /// Materials.
        material: Vec<Entry> = tables(),
    }
}

/// Materials and faults of the library.
fn shelves() -> &'static (Vec<Material>, Vec<Fault>) {
    static SHELVES: OnceLock<(Vec<Material>, Vec<Fault>)> = OnceLock::new();
    SHELVES.get_or_init(|| {
        let mut cx = Context::default();
        let mut faults = Vec::new();
        for (file, text) in FILES {
            let document = Document::new(file, text.as_bytes());
            let start = super::document::Origin::Text(0);
            let _: Option<Shelf> = Keys::section(&mut cx, "", start, &document.root);
            faults.extend(super::gather(&document, std::mem::take(&mut cx.faults), &[]));
        }
        (cx.materials, faults)
    })
}

/// The materials of the library.
pub fn library() -> &'static [Material] {
    &shelves().0
}

/// Faults of the library's files: none, held by a test.
pub fn faults() -> &'static [Fault] {
    &shelves().1
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
        "* illustrative: general knowledge, not measurements of one fabric. `percale materials NAME` for sources.\n",
    );
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
