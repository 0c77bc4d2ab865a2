//! `[[solid]]`: material of a body, from the library, the scene, or both.

use super::keys::{Keys, Kind, choices, section};
use super::kinds::{choice, flag, quantity, real, text};
use super::material::open_friction;
use super::named::{known, new_name};
use super::unit::Unit;
use crate::force::contact::Friction;
use crate::force::solid::{self, Lame};

choices! {
    /// Constitutive law of a solid.
    pub enum Law {
        /// Linear in strain that turns with the material (Mueller et al. 2002): cheap, soft under strong compression.
        Corotational = "corotational",
        /// Stable neo-Hookean (Smith, de Goes & Kim 2019): keeps its volume under any load.
        NeoHookean = "neo-hookean",
    }
}

/// Material of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Source of the numbers.
    pub source: String,
    /// Whether the numbers are general knowledge, not measurements.
    pub illustrative: bool,
    /// Mass per volume [kg/m^3].
    pub density: f64,
    /// Constitutive law.
    pub law: Law,
    /// Young's modulus at small strain [Pa].
    pub young: f64,
    /// Poisson's ratio at small strain.
    pub poisson: f64,
    /// Stiffness-proportional damping time [s].
    pub damping: f64,
    /// Mass-proportional damping: relative rate of speed loss [1/s].
    pub drag: f64,
    /// Coulomb friction of the surface.
    pub friction: Friction,
}

impl Solid {
    /// Returns the material in the form that the elements use.
    pub fn elastic(&self) -> solid::Body {
        let lame = Lame::new(self.young, self.poisson);
        let solid = match self.law {
            Law::Corotational => solid::Solid::Corotational(lame),
            Law::NeoHookean => solid::Solid::NeoHookean(lame),
        };
        solid::Body { solid, damping: self.damping }
    }
}

section! {
    /// A material of bodies: new, or a variation of another.
    pub struct Entry {
        /// The solid of which this is a variation: of the library, or earlier in the scene.
        base: Option<Solid> = known().optional(),
        /// Name; no other material may have it.
        name: String = new_name::<Solid>().required(),
        /// Description.
        description: Option<String> = text().optional(),
        /// Where its numbers come from.
        source: Option<String> = text().optional(),
        /// Its numbers are general knowledge, not measurements.
        illustrative: Option<bool> = flag().optional(),
        /// Mass per volume; required without a base.
        density: Option<f64> = quantity(Unit::Density, 0.1..=1e5).optional(),
        /// How it resists; co-rotational without a base.
        law: Option<Law> = choice().optional(),
        /// Young's modulus at small strain; required without a base.
        young: Option<f64> = quantity(Unit::Pressure, 1.0..=1e12).optional(),
        /// Poisson's ratio at small strain; 0.3 without a base.
        poisson: Option<f64> = real(-0.9..=0.4999).optional(),
        /// Stiffness-proportional damping time; 2 ms without a base.
        damping: Option<f64> = quantity(Unit::Time, 0.0..=1.0).optional(),
        /// Rate at which it loses its speed, in proportion to its mass; 0 without a base.
        drag: Option<f64> = quantity(Unit::Frequency, 0.0..=1e4).optional(),
        /// Friction; 0.4 without a base.
        friction: Option<Friction> = open_friction(),
    }
    check resolve;
}

/// Completes the entry from its base and adds the solid to the known materials.
fn resolve(entry: Entry, keys: &mut Keys) -> Option<Entry> {
    let base = entry.base.as_ref();
    let density = entry.density.or(base.map(|b| b.density));
    let young = entry.young.or(base.map(|b| b.young));
    let (Some(density), Some(young)) = (density, young) else {
        let absent = [("density", density), ("young", young)].into_iter().filter(|(_, value)| value.is_none());
        let lacking = absent.map(|(key, _)| key).collect::<Vec<_>>().join(", ");
        keys.lacks(format!("missing: {lacking}; give it, or a base to take it from"));
        return None;
    };
    let text = |own: &Option<String>, base: Option<&String>| own.as_ref().or(base).cloned().unwrap_or_default();
    let solid = Solid {
        name: entry.name.clone(),
        description: text(&entry.description, base.map(|b| &b.description)),
        source: text(&entry.source, base.map(|b| &b.source)),
        illustrative: entry.illustrative.or(base.map(|b| b.illustrative)).unwrap_or(false),
        density,
        law: entry.law.or(base.map(|b| b.law)).unwrap_or(Law::Corotational),
        young,
        poisson: entry.poisson.or(base.map(|b| b.poisson)).unwrap_or(0.3),
        damping: entry.damping.or(base.map(|b| b.damping)).unwrap_or(2e-3),
        drag: entry.drag.or(base.map(|b| b.drag)).unwrap_or(0.0),
        friction: entry.friction.or(base.map(|b| b.friction)).unwrap_or(Friction { fixed: 0.4, sliding: 0.4 }),
    };
    keys.cx.shelves.of().add(&entry.name, solid);
    Some(entry)
}
