//! `[[material]]`: material of a cloth, from the library, the scene, or both.

use super::document::{Node, Value};
use super::drape::Drape;
use super::fold::{Plastic, Yields};
use super::internal_friction::{BendStiffening, Stiffening, Words};
use super::json::Json;
use super::keys::{Context, Field, Keys, Kind, at_most_one, described, one_of, section};
use super::kinds::{Quantity, flag, list, quantity, real, table, text};
use super::named::{known, new_name};
use super::rigidity::Directions;
use super::unit::Unit;
use crate::force::bending::Bending;
use crate::force::contact::Friction;
use crate::force::internal_friction::InternalFriction;
use crate::force::membrane::{Isotropic, Membrane, Progressive, StretchTable};

/// Material of a cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// Source of the numbers.
    pub source: String,
    /// Whether the numbers are general knowledge, not measurements of one fabric.
    pub illustrative: bool,
    /// Mass per area [kg/m^2].
    pub density: f64,
    /// Thickness [m].
    pub thickness: f64,
    /// In-plane law.
    pub membrane: Membrane,
    /// Bending rigidity.
    pub bending: Bending,
    /// Internal friction.
    pub internal_friction: InternalFriction,
    /// Yielding of bending and of stretch.
    pub plastic: Yields,
    /// Stiffness-proportional damping time [s].
    pub damping: f64,
    /// Damping time of bending, if it has its own [s].
    pub bending_damping: Option<f64>,
    /// Static Coulomb coefficient.
    pub friction_static: f64,
    /// Dynamic Coulomb coefficient, while sliding.
    pub friction_dynamic: f64,
    /// How it drapes, if it was tried.
    pub drape: Option<Drape>,
}

/// Range of area densities [kg/m^2].
pub const DENSITY: std::ops::RangeInclusive<f64> = 1e-3..=100.0;
/// Range of thicknesses [m].
pub const THICKNESS: std::ops::RangeInclusive<f64> = 0.0..=0.1;
/// Range of activation distances of contact [m].
pub const DISTANCE: std::ops::RangeInclusive<f64> = 2e-5..=0.1;
/// Poisson's ratio where none is given.
const POISSON: f64 = 0.25;

one_of! {
    /// In-plane stiffness.
    pub enum Sheet {
        /// Young's modulus times thickness, the same in every direction.
        Young(f64) = "young": quantity(Unit::Stiffness, 1e-2..=1e7),
        /// Measured table of Wang, O'Brien & Ramamoorthi 2011: 6 rows (zero strain; stretched at 0, 22.5, 45, 67.5, 90
        /// degrees from warp) of c11, c12, c22, c33, in the published figures (half of N/m; negative ones count as 0).
        Table(StretchTable) = "stretch_table": StretchFigures,
        /// Grows with strain along warp and weft (Miguel et al. 2013).
        Progressive(Stiffening) = "young_progressive": table(),
    }
}

one_of! {
    /// Bending stiffness.
    pub enum Plate {
        /// Bending rigidity per width, the same in every direction.
        Constant(f64) = "rigidity": quantity(Unit::Rigidity, 0.0..=1e3),
        /// Bending rigidity per width along warp, along weft and at 45 degrees, at every curvature.
        Orthotropic(Directions) = "rigidity_orthotropic": table(),
        /// Measured table of Wang, O'Brien & Ramamoorthi 2011: 3 rows (edge at 0, 45, 90 degrees from warp) of 5 values
        /// (curvature 0, 10, 20, 30, 40 1/m), in the published figures (four times the rigidity in N m).
        Table([[f64; 5]; 3]) = "bend_table": BendFigures,
        /// Grows with curvature (Miguel et al. 2013).
        Progressive(BendStiffening) = "rigidity_progressive": table(),
    }
}

/// Kind of a table with R rows of C numbers.
struct Grid<const R: usize, const C: usize>(Quantity);

impl<const R: usize, const C: usize> Kind for Grid<R, C> {
    type Value = [[f64; C]; R];

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<[[f64; C]; R]> {
        let fits = |row: &Node| matches!(&row.value, Value::List(numbers) if numbers.len() == C);
        if !matches!(&node.value, Value::List(rows) if rows.len() == R && rows.iter().all(fits)) {
            self.refuse(cx, path, node);
            return None;
        }
        let rows = list(list(self.0.clone(), C..=C), R..=R).read(cx, path, node)?;
        let rows: Option<Vec<[f64; C]>> = rows.into_iter().map(|row| row.try_into().ok()).collect();
        rows?.try_into().ok()
    }

    fn wanted(&self) -> String {
        format!("{R} rows of {C} numbers")
    }

    fn schema(&self) -> Json {
        list(list(self.0.clone(), C..=C), R..=R).schema()
    }
}

/// Kind of the published stretching figures, in half N/m. Negative figures count as 0.
struct StretchFigures;
const STRETCH: Grid<6, 4> = Grid(Quantity { unit: Unit::One, range: -1e6..=1e6 });

impl Kind for StretchFigures {
    type Value = StretchTable;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<StretchTable> {
        let rows = STRETCH.read(cx, path, node)?;
        if let Some(row) = rows.iter().position(|[c11, _, c22, _]| *c11 <= 0.0 || *c22 <= 0.0) {
            cx.fault(node.origin, path, format!("row {row}: c11 and c22 (first and third) must be larger than 0"));
            return None;
        }
        Some(StretchTable(rows.map(|row| row.map(|c| 2.0 * c.max(0.0)))))
    }

    fn wanted(&self) -> String {
        STRETCH.wanted()
    }

    fn schema(&self) -> Json {
        STRETCH.schema()
    }
}

/// Kind of the published bending figures, in four times the rigidity [N m].
struct BendFigures;
const BEND: Grid<3, 5> = Grid(Quantity { unit: Unit::One, range: 0.0..=1e3 });

impl Kind for BendFigures {
    type Value = [[f64; 5]; 3];

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<[[f64; 5]; 3]> {
        BEND.read(cx, path, node).map(|rows| rows.map(|row| row.map(|k| k / 4.0)))
    }

    fn wanted(&self) -> String {
        BEND.wanted()
    }

    fn schema(&self) -> Json {
        BEND.schema()
    }
}

/// Field of friction that may be absent.
pub struct OpenFriction;
/// Field of friction with a default for both coefficients.
pub struct FrictionOr(f64);

/// Returns the field for `friction`, or `friction_static` and `friction_dynamic`, or none.
pub fn open_friction() -> OpenFriction {
    OpenFriction
}

/// Returns the field for `friction`, or `friction_static` and `friction_dynamic`. The default sets both coefficients.
pub fn friction_or(default: f64) -> FrictionOr {
    FrictionOr(default)
}

impl Field for OpenFriction {
    type Value = Option<Friction>;

    fn take(&self, keys: &mut Keys, _name: &'static str, doc: &str) -> Option<Option<Friction>> {
        take_friction(keys, doc, None)
    }
}

impl Field for FrictionOr {
    type Value = Friction;

    fn take(&self, keys: &mut Keys, _name: &'static str, doc: &str) -> Option<Friction> {
        let read = take_friction(keys, doc, Some(self.0))?;
        Some(read.unwrap_or(Friction { fixed: self.0, sliding: self.0 }))
    }
}

fn take_friction(keys: &mut Keys, doc: &str, default: Option<f64>) -> Option<Option<Friction>> {
    let coefficient = real(0.0..=10.0);
    keys.declare("friction", false, || {
        let schema = described(&coefficient, &format!("{} Both coefficients at once.", doc.trim()));
        default.map_or(schema.clone(), |value| schema.with("default", Json::Number(value)))
    });
    let held = "Coulomb coefficient that holds; the dynamic one if absent.";
    keys.declare("friction_static", false, || described(&coefficient, held));
    let slid = "Coulomb coefficient while sliding; the static one if absent.";
    keys.declare("friction_dynamic", false, || described(&coefficient, slid));
    let both = keys.read("friction", &coefficient);
    let fixed = keys.read("friction_static", &coefficient);
    let sliding = keys.read("friction_dynamic", &coefficient);
    let second = ["friction_static", "friction_dynamic"].into_iter().find(|name| keys.find(name).is_some());
    if let (Some(_), Some(name)) = (both, second) {
        keys.fault(name, "conflicts with 'friction', which sets both coefficients; give one or the other");
        return None;
    }
    let (fixed, sliding) = match (both, fixed, sliding) {
        (None, None, None) => return Some(None),
        (Some(both), ..) => (both?, both?),
        (None, Some(fixed), Some(sliding)) => (fixed?, sliding?),
        (None, Some(one), None) | (None, None, Some(one)) => (one?, one?),
    };
    if sliding > fixed {
        keys.fault("friction_dynamic", "larger than friction_static; give at most friction_static");
        return None;
    }
    Some(Some(Friction { fixed, sliding }))
}

section! {
    /// A material: new, or a variation of another.
    pub struct Entry {
        /// The material of which this is a variation: of the library, or earlier in the scene.
        base: Option<Material> = known().optional(),
        /// Name; no other material may have it.
        name: String = new_name::<Material>().required(),
        /// Description.
        description: Option<String> = text().optional(),
        /// Where its numbers come from.
        source: Option<String> = text().optional(),
        /// Its numbers are general knowledge, not measurements of one fabric.
        illustrative: Option<bool> = flag().optional(),
        /// Mass per area; required without a base.
        density: Option<f64> = quantity(Unit::AreaDensity, DENSITY).optional(),
        /// Thickness; 0.5 mm without a base.
        thickness: Option<f64> = quantity(Unit::Length, THICKNESS).optional(),
        /// In-plane stiffness; required without a base.
        sheet: Option<Sheet> = at_most_one(),
        /// Poisson's ratio beside `young`, 0.25 if absent, or beside `young_progressive`, 0 if absent.
        poisson: Option<f64> = real(-0.9..=0.95).optional(),
        /// Bending stiffness; required without a base.
        plate: Option<Plate> = at_most_one(),
        /// Internal friction: hysteresis and wrinkles that remember; none if neither this nor the base gives it.
        internal_friction: Option<Words> = table().optional(),
        /// Yielding: bends and stretches beyond which a part stays; none if neither this nor the base gives it.
        plastic: Option<Plastic> = table().optional(),
        /// Stiffness-proportional damping time, of bending too unless that has its own; 0.5 ms without a base.
        damping: Option<f64> = quantity(Unit::Time, 0.0..=1.0).optional(),
        /// Damping time of bending; as `damping` if neither this nor the base gives it. A fabric's loss factor in
        /// bending, near 0.3, over the angular frequency of the swing: 24 ms at 2 Hz.
        bending_damping: Option<f64> = quantity(Unit::Time, 0.0..=1.0).optional(),
        /// Friction; 0.3 without a base.
        friction: Option<Friction> = open_friction(),
        /// How it drapes, for lists; not taken from a base.
        drape: Option<Drape> = table().optional(),
    }
    check resolve;
}

/// Returns the in-plane law: that of the entry, or that of its base with the entry's Poisson's ratio.
fn membrane(entry: &Entry) -> Option<Membrane> {
    let base = entry.base.as_ref();
    match (&entry.sheet, base.map(|b| b.membrane)) {
        (Some(Sheet::Young(young)), base) => {
            let known = match base {
                Some(Membrane::Isotropic(isotropic)) => isotropic.poisson,
                _ => POISSON,
            };
            Some(Membrane::Isotropic(Isotropic { young: *young, poisson: entry.poisson.unwrap_or(known) }))
        }
        (Some(Sheet::Table(table)), _) => Some(Membrane::Table(*table)),
        (Some(Sheet::Progressive(own)), _) => Some(Membrane::Progressive(own.law(entry.poisson.unwrap_or_default()))),
        (None, Some(Membrane::Progressive(own))) => {
            let poisson = entry.poisson.unwrap_or(own.poisson);
            Some(Membrane::Progressive(Progressive { poisson, ..own }))
        }
        (None, Some(Membrane::Isotropic(isotropic))) => {
            let poisson = entry.poisson.unwrap_or(isotropic.poisson);
            Some(Membrane::Isotropic(Isotropic { poisson, ..isotropic }))
        }
        (None, base) => base,
    }
}

/// Returns the bending law of an entry: its own, or that of its base.
fn bending(entry: &Entry) -> Option<Bending> {
    match &entry.plate {
        Some(Plate::Constant(rigidity)) => Some(Bending::Constant(*rigidity)),
        Some(Plate::Orthotropic(directions)) => Some(directions.law()),
        Some(Plate::Table(rows)) => Some(Bending::Table(*rows)),
        Some(Plate::Progressive(BendStiffening { k1, k2 })) => Some(Bending::Progressive([*k1, *k2])),
        None => entry.base.as_ref().map(|b| b.bending),
    }
}

/// Warns of an internal friction table without effect. An empty table removes the friction of the base.
fn empty_words(entry: &Entry, friction: &InternalFriction, keys: &mut Keys) {
    let Some(words) = entry.internal_friction.as_ref().filter(|words| !words.rubs()) else { return };
    let before = entry.base.as_ref().map(|base| base.internal_friction);
    if words.shapes() || before.is_none_or(|before| before == *friction) {
        let message = "gives no internal friction; give stretch, weft, shear, bend or bend_weft in it, or leave it out";
        keys.warn("internal_friction", message);
    }
}

/// Returns internal friction and yielding: those of the entry, or of its base.
fn memories(
    entry: &Entry,
    membrane: &Membrane,
    bending: &Bending,
    keys: &mut Keys,
) -> Option<(InternalFriction, Yields)> {
    let base = entry.base.as_ref();
    let internal_friction = match &entry.internal_friction {
        Some(words) => words.law(membrane, bending),
        None => base.map(|b| b.internal_friction).unwrap_or_default(),
    };
    empty_words(entry, &internal_friction, keys);
    if internal_friction.bends() && bending.rigidity(0.0, 0.0) == 0.0 {
        keys.fault(
            "internal_friction",
            "friction of bending without rigidity has nothing to turn it back; give a rigidity",
        );
        return None;
    }
    let plastic = entry.plastic.as_ref().map(Plastic::law).or(base.map(|b| b.plastic)).unwrap_or_default();
    if entry.plastic.is_some() && plastic == Yields::default() && base.is_none_or(|b| b.plastic == plastic) {
        keys.warn("plastic", "nothing yields; give bend or stretch in it, or leave it out");
    }
    if plastic.stretch.is_some() && internal_friction.stretches() {
        let message =
            "stretch has internal friction, beside which it does not yield; leave one out (internal_friction = {})";
        keys.fault(if entry.plastic.is_some() { "plastic" } else { "internal_friction" }, message);
        return None;
    }
    Some((internal_friction, plastic))
}

/// Completes the entry from its base and adds the material to the known materials.
fn resolve(entry: Entry, keys: &mut Keys) -> Option<Entry> {
    let base = entry.base.as_ref();
    let mut lacking = Vec::new();
    let density = entry.density.or(base.map(|b| b.density));
    if density.is_none() {
        lacking.push("density");
    }
    let membrane = membrane(&entry);
    if membrane.is_none() {
        lacking.push("young, stretch_table or young_progressive");
    }
    if entry.poisson.is_some() && matches!(membrane, Some(Membrane::Table(_))) {
        keys.fault("poisson", "a stretch table has no Poisson's ratio; give young, or leave poisson out");
        return None;
    }
    let bending = bending(&entry);
    if bending.is_none() {
        lacking.push("rigidity, rigidity_orthotropic, bend_table or rigidity_progressive");
    }
    let (Some(density), Some(membrane), Some(bending)) = (density, membrane, bending) else {
        keys.lacks(format!("missing: {}; give it, or a base to take it from", lacking.join(", ")));
        return None;
    };
    let (internal_friction, plastic) = memories(&entry, &membrane, &bending, keys)?;
    let text = |own: &Option<String>, base: Option<&String>| own.as_ref().or(base).cloned().unwrap_or_default();
    let friction = entry.friction.or(base.map(|b| Friction { fixed: b.friction_static, sliding: b.friction_dynamic }));
    let friction = friction.unwrap_or(Friction { fixed: 0.3, sliding: 0.3 });
    let material = Material {
        name: entry.name.clone(),
        description: text(&entry.description, base.map(|b| &b.description)),
        source: text(&entry.source, base.map(|b| &b.source)),
        illustrative: entry.illustrative.or(base.map(|b| b.illustrative)).unwrap_or(false),
        density,
        thickness: entry.thickness.or(base.map(|b| b.thickness)).unwrap_or(5e-4),
        membrane,
        bending,
        internal_friction,
        plastic,
        damping: entry.damping.or(base.map(|b| b.damping)).unwrap_or(5e-4),
        bending_damping: entry.bending_damping.or(base.and_then(|b| b.bending_damping)),
        friction_static: friction.fixed,
        friction_dynamic: friction.sliding,
        drape: entry.drape.clone(),
    };
    keys.cx.shelves.of().add(&entry.name, material);
    Some(entry)
}
