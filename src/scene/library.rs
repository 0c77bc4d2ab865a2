//! Library of materials, and its pages.

use super::document::Document;
use super::fault::Fault;
use super::friction::{Given, Pair};
use super::keys::{Choice, Context, Keys, Shelf, Shelves, section};
use super::kinds::tables;
use super::material::{Entry, Material};
use super::named::{Published, Shelved};
use super::permeability;
use super::solid::{self, Solid};
use super::unit::number;
use crate::force::bending::Bending;
use crate::force::curve::Curve;
use crate::force::dahl::{Dahl, Form};
use crate::force::internal_friction::InternalFriction;
use crate::force::membrane::{Isotropic, Membrane, Progressive, StretchTable};
use std::fmt::Write;
use std::sync::OnceLock;

/// Files of the library, with their text.
const FILES: [(&str, &str); 7] = [
    ("materials/fabrics.toml", include_str!("../../materials/fabrics.toml")),
    ("materials/miguel2013.toml", include_str!("../../materials/miguel2013.toml")),
    ("materials/wang2011.toml", include_str!("../../materials/wang2011.toml")),
    ("materials/garments.toml", include_str!("../../materials/garments.toml")),
    ("materials/solids.toml", include_str!("../../materials/solids.toml")),
    ("materials/friction.toml", include_str!("../../materials/friction.toml")),
    ("materials/permeability.toml", include_str!("../../materials/permeability.toml")),
];

section! {
    /// A file of materials.
    struct Volume {
        /// Materials of cloths.
        material: Vec<Entry> = tables(),
        /// Materials of bodies.
        solid: Vec<solid::Entry> = tables(),
        /// Friction of pairs.
        pair: Vec<Pair> = tables(),
        /// Permeabilities to air.
        permeability: Vec<permeability::Entry> = tables(),
    }
}

/// Contents of the library, known without a scene.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// Materials of cloths.
    pub materials: Shelf<Material>,
    /// Materials of bodies.
    pub solids: Shelf<Solid>,
    /// Friction of pairs of surfaces.
    pub pairs: Vec<Pair>,
    /// Permeabilities of cloths to air.
    pub permeabilities: Vec<permeability::Entry>,
}

/// Returns the library and its faults.
fn shelves() -> &'static (Library, Vec<Fault>) {
    static SHELVES: OnceLock<(Library, Vec<Fault>)> = OnceLock::new();
    SHELVES.get_or_init(|| {
        let mut cx = Context::default();
        let (mut pairs, mut permeabilities, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for (file, text) in FILES {
            let document = Document::new(file, text.as_bytes());
            let start = super::document::Origin::Text(0);
            let volume: Option<Volume> = Keys::section(&mut cx, "", start, &document.root);
            if let Some(volume) = volume {
                pairs.extend(volume.pair);
                permeabilities.extend(volume.permeability);
            }
            faults.extend(super::gather(&document, std::mem::take(&mut cx.faults), &[]));
        }
        let (materials, solids) = (std::mem::take(cx.shelves.of()), std::mem::take(cx.shelves.of()));
        (Library { materials, solids, pairs, permeabilities }, faults)
    })
}

/// Returns the faults of materials in the text of a scene, as messages.
pub fn faults_of_materials(text: &str) -> Vec<String> {
    of_text(text).1
}

/// Returns the last material of a text of materials.
///
/// # Errors
/// Faults of the text, as messages.
pub fn material_of(text: &str) -> Result<Material, Vec<String>> {
    let (materials, faults) = of_text(text);
    let own = materials.all.get(library().materials.all.len()..).unwrap_or_default();
    match own.last() {
        _ if !faults.is_empty() => Err(faults),
        Some(material) => Ok(material.clone()),
        None => Err(vec!["it has no [[material]]".to_string()]),
    }
}

/// Reads a text of materials. Returns the materials of the library and of the text, and faults.
fn of_text(text: &str) -> (Shelf<Material>, Vec<String>) {
    let document = Document::new("", text.as_bytes());
    let mut cx = Context { shelves: library().shelves(), ..Context::default() };
    let _: Option<Volume> = Keys::section(&mut cx, "", super::document::Origin::Text(0), &document.root);
    let materials = std::mem::take(cx.shelves.of());
    let faults = super::gather(&document, cx.faults, &[]);
    (materials, faults.into_iter().map(|fault| format!("{}: {}", fault.key, fault.message)).collect())
}

impl Library {
    /// Copies the shelves of materials, for a scene to add its own.
    pub fn shelves(&self) -> Shelves {
        Shelves::default().with(self.materials.clone()).with(self.solids.clone())
    }
}

impl Shelved for Material {
    const SORT: &'static str = "material";

    fn library() -> &'static Shelf<Material> {
        &library().materials
    }
}

impl Shelved for Solid {
    const SORT: &'static str = "solid";

    fn library() -> &'static Shelf<Solid> {
        &library().solids
    }
}

impl Published for Pair {
    fn all() -> &'static [Pair] {
        &library().pairs
    }
}

impl Published for permeability::Entry {
    fn all() -> &'static [permeability::Entry] {
        &library().permeabilities
    }
}

/// Returns the library.
pub fn library() -> &'static Library {
    &shelves().0
}

/// Returns the faults of the library's files. A test checks that there are none.
pub(super) fn faults() -> &'static [Fault] {
    &shelves().1
}

/// Returns a table of the library, with a line for each entry.
pub fn materials_table() -> String {
    let mut out = String::new();
    put_fabrics(&mut out);
    put_solids(&mut out);
    put_pairs(&mut out);
    put_permeabilities(&mut out);
    out.push_str(
        "* illustrative: general knowledge, not measurements of one fabric. `percale materials NAME` for sources.\n",
    );
    out
}

fn put_fabrics(out: &mut String) {
    out.push_str(
        "material             density   stretch         bending      drape  friction  description\n\
         \x20                    [g/m2]    [N/m]           [uN m]       [%]    [-]\n",
    );
    for m in &library().materials.all {
        let stretch = match &m.membrane {
            Membrane::Isotropic(Isotropic { young, .. }) => format!("{young:.0}"),
            Membrane::Table(StretchTable([rest, ..])) => format!("{:.0} x {:.0}", rest[0], rest[2]),
            Membrane::Progressive(Progressive { young: [[k1, k2], _], .. }) => format!("{k1:.0} + {k2:.0} E"),
        };
        let bending = match &m.bending {
            Bending::Constant(b) => format!("{:.1}", b * 1e6),
            Bending::Orthotropic([warp, weft, _]) => format!("{:.1} x {:.1}", warp * 1e6, weft * 1e6),
            Bending::Progressive([k1, _]) => format!("{:.1} -", 3.0 * k1 * 1e6),
            Bending::Table(rows) => {
                let all = rows.iter().flatten();
                let (low, high) = all.fold((f64::MAX, 0.0f64), |(l, h), b| (l.min(*b), h.max(*b)));
                format!("{:.1} - {:.1}", low * 1e6, high * 1e6)
            }
        };
        let mark = if m.illustrative { "* " } else { "" };
        let finest = m.drape.as_ref().and_then(|drape| drape.simulated.as_ref()?.last());
        let drape = finest.map_or(String::new(), |coefficient| format!("{:.0}", 100.0 * coefficient));
        let _ = writeln!(
            out,
            "{:<20} {:>7.0}   {stretch:<14}  {bending:<11}  {drape:<5}  {:<8}  {mark}{}",
            m.name,
            m.density * 1e3,
            number(m.friction_dynamic),
            m.description,
        );
    }
}

fn put_solids(out: &mut String) {
    out.push_str(
        "\nsolid                density   Young's      Poisson's    friction  description\n\
         \x20                    [kg/m3]   [kPa]        ratio        [-]\n",
    );
    for s in &library().solids.all {
        let mark = if s.illustrative { "* " } else { "" };
        let (density, young, poisson) = (number(s.density), number(s.young / 1e3), number(s.poisson));
        let (friction, about) = (number(s.friction.sliding), &s.description);
        let _ = writeln!(out, "{:<20} {density:>7}   {young:<11}  {poisson:<11}  {friction:<8}  {mark}{about}", s.name);
    }
}

fn put_pairs(out: &mut String) {
    out.push_str(
        "\npair                              friction     description; source\n                                  [-]\n",
    );
    for pair in &library().pairs {
        let mark = if pair.illustrative { "* " } else { "" };
        let _ = writeln!(out, "{:<32}  {:<11}  {mark}{}; {}", pair.name, spread(pair), pair.description, pair.source);
    }
}

fn put_permeabilities(out: &mut String) {
    out.push_str(
        "\npermeability         speed     pressure       description\n\
         \x20                    [mm/s]    [Pa]\n",
    );
    for p in &library().permeabilities {
        let mark = if p.illustrative { "* " } else { "" };
        let (speed, pressure) = (number(p.speed * 1e3), number(p.pressure));
        let _ = writeln!(out, "{:<20} {speed:>6}    {pressure:<13}  {mark}{}", p.name, p.description);
    }
}

/// Returns the pages of a material, a pair and a permeability with this name, or `None` if there is none.
pub fn materials_page(name: &str) -> Option<String> {
    let Library { materials, solids, pairs, permeabilities } = library();
    let known = materials.find(name).map(material_page).or_else(|| solids.find(name).map(solid_page));
    let rubbed = pairs.iter().filter(|pair| pair.name == name).map(pair_page);
    let airy = permeabilities.iter().filter(|permeability| permeability.name == name).map(permeability_page);
    let pages: Vec<String> = known.into_iter().chain(rubbed).chain(airy).collect();
    (!pages.is_empty()).then(|| pages.join("\n"))
}

fn permeability_page(p: &permeability::Entry) -> String {
    let lines = [
        ("description", p.description.clone()),
        ("source", p.source.clone()),
        ("kind", if p.illustrative { "illustrative" } else { "measured or defined by the source" }.to_string()),
        ("permeability", format!("{} m/s at {} Pa", number(p.speed), number(p.pressure))),
    ];
    lines.iter().fold(format!("{}\n", p.name), |page, (key, value)| format!("{page}  {key:<18}{value}\n"))
}

fn solid_page(s: &Solid) -> String {
    let law = match s.law {
        solid::Law::Corotational => "co-rotational (Mueller et al. 2002)",
        solid::Law::NeoHookean => "stable neo-Hookean (Smith, de Goes & Kim 2019)",
    };
    let lines = [
        ("description", s.description.clone()),
        ("source", s.source.clone()),
        ("kind", if s.illustrative { "illustrative" } else { "measured or defined by the source" }.to_string()),
        ("density", format!("{} kg/m3", number(s.density))),
        ("law", law.to_string()),
        ("young", format!("{} Pa", number(s.young))),
        ("poisson", number(s.poisson)),
        ("damping", format!("{} s", number(s.damping))),
        ("drag", format!("{} 1/s", number(s.drag))),
        ("friction_static", number(s.friction.fixed)),
        ("friction_dynamic", number(s.friction.sliding)),
    ];
    lines.iter().fold(format!("{}\n", s.name), |page, (key, value)| format!("{page}  {key:<18}{value}\n"))
}

/// Formats the sliding coefficient of a pair: a number, or the range of its curves.
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

/// Returns the page of a pair.
fn pair_page(pair: &Pair) -> String {
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
            line("law", curves.law.name().to_string());
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

fn stretch_lines(m: &Material, line: &mut impl FnMut(&str, String)) {
    match &m.membrane {
        Membrane::Isotropic(Isotropic { young, poisson }) => {
            line("young", format!("{} N/m (times thickness)", number(*young)));
            line("poisson", number(*poisson));
        }
        Membrane::Progressive(Progressive { young, shear, poisson }) => {
            for (way, [k1, k2]) in ["warp", "weft"].iter().zip(young) {
                line(way, format!("{} + {} |E| N/m for Green strain", number(*k1), number(*k2)));
            }
            line("shear", format!("{} N/m", number(*shear)));
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
}

fn bending_lines(m: &Material, line: &mut impl FnMut(&str, String)) {
    match &m.bending {
        Bending::Constant(b) => line("rigidity", format!("{} N m", number(*b))),
        Bending::Orthotropic([warp, weft, _]) => {
            line("rigidity", format!("warp {} N m", number(*warp)));
            line("", format!("weft {} N m", number(*weft)));
            line("", format!("bias {} N m", number(m.bending.rigidity(std::f64::consts::FRAC_PI_4, 0.0))));
        }
        Bending::Progressive([k1, k2]) => {
            line("rigidity", format!("3 ({} + 3 {} |kappa|) N m", number(*k1), number(*k2)));
        }
        Bending::Table(rows) => {
            line("rigidity", "[uN m] at curvature 0, 10, 20, 30, 40 1/m".to_string());
            for (head, row) in ["edge 0 deg", "45 deg", "90 deg"].iter().zip(rows) {
                line(&format!("  {head}"), row.map(|b| format!("{:>7.2}", b * 1e6)).join(" "));
            }
        }
    }
}

fn internal_friction_lines(m: &Material, line: &mut impl FnMut(&str, String)) {
    let InternalFriction { stretch: [warp, weft, shear], bend: [along, across], .. } = &m.internal_friction;
    let laws = [("warp", warp, "N/m"), ("weft", weft, "N/m"), ("shear", shear, "N/m")];
    for (way, law, unit) in laws.into_iter().chain([("bending", along, "N"), ("bend weft", across, "N")]) {
        let Some(Dahl { a, b, tau, form }) = law else { continue };
        let strain = if unit == "N" { " 1/m of 3 kappa" } else { "" };
        let form = match form {
            Form::Exact => "exact".to_string(),
            Form::Fitted => "fitted (Eq. 3 of Miguel et al. 2013)".to_string(),
            Form::Power(gamma) => format!("power {}", number(*gamma)),
        };
        let most = format!("{} + {} |e| {unit}", number(*a), number(*b));
        line(&format!("friction, {way}"), format!("{most}, tau {}{strain}, {form}", number(*tau)));
    }
}

fn drape_lines(m: &Material, line: &mut impl FnMut(&str, String)) {
    if let Some(drape) = &m.drape {
        let percent = |all: &[f64]| all.iter().map(|c| format!("{:.0}", 100.0 * c)).collect::<Vec<_>>();
        if let Some(simulated) = &drape.simulated {
            let errors = drape.error.iter().flatten().map(|e| format!(" +- {:.1}", 100.0 * e));
            let errors = errors.chain(std::iter::repeat(String::new()));
            let means = percent(simulated).into_iter().zip(errors).map(|(mean, error)| mean + &error);
            let meshes = "with edges of 1/2, 1/3, 1/4 of the bending length";
            line("drape", format!("{} % {meshes}", means.collect::<Vec<_>>().join(", ")));
        }
        if let Some(nodes) = &drape.nodes {
            line("  folds", nodes.iter().map(|n| number(*n)).collect::<Vec<_>>().join(", "));
        }
        if let Some(band) = &drape.band {
            let source = drape.source.as_deref().unwrap_or_default();
            line("  published", format!("{} %; {source}", percent(band).join(" to ")));
        }
    }
}

fn material_page(m: &Material) -> String {
    let mut out = format!("{}\n", m.name);
    let mut line = |key: &str, value: String| {
        let _ = writeln!(out, "  {key:<18}{value}");
    };
    line("description", m.description.clone());
    line("source", m.source.clone());
    line("kind", if m.illustrative { "illustrative" } else { "measured or defined by the source" }.to_string());
    line("density", format!("{} kg/m2", number(m.density)));
    line("thickness", format!("{} m", number(m.thickness)));
    stretch_lines(m, &mut line);
    bending_lines(m, &mut line);
    internal_friction_lines(m, &mut line);
    line("damping", format!("{} s", number(m.damping)));
    if let Some(damping) = m.bending_damping {
        line("bending_damping", format!("{} s", number(damping)));
    }
    line("friction_static", number(m.friction_static));
    line("friction_dynamic", number(m.friction_dynamic));
    drape_lines(m, &mut line);
    out
}
