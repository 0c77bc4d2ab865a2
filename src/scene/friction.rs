//! `[[friction]]`: friction of a pair of objects or materials, by coefficients or measured curves. Also the pairs of
//! the library.

use super::document::{Node, Value};
use super::fault::meant;
use super::json::Json;
use super::keys::{Context, Field, Keys, Kind, choices, described, exactly_one, one_of, section};
use super::kinds::{choice, flag, list, name, quantity, real, text};
use super::named::Published;
use super::table::TableKind;
use super::unit::{Unit, short};
use crate::force::contact::Friction as Coulomb;
use crate::force::friction::{Flow, Ground};

choices! {
    /// Direction of friction.
    pub enum Law {
        /// Against the sliding (Chen, Feng & Wang 2013).
        Antiparallel = "antiparallel",
        /// Such that it dissipates the most: an elliptic cone, the sliding normal to it.
        Associated = "associated",
    }
}

choices! {
    /// Surface whose warp defines the directions of measured curves.
    pub enum Warp {
        /// That of the first of the two.
        First = "first",
        /// That of the second.
        Second = "second",
        /// Both: the mean of two tensors acts.
        Both = "both",
    }
}

one_of! {
    /// How large friction is (a coefficient, a pair of the library, or measured curves).
    enum Size {
        /// Coulomb coefficient, at rest and sliding.
        Coefficient(f64) = "coefficient": real(0.0..=10.0),
        /// Coulomb coefficient that holds; `dynamic` is beside it.
        Static(f64) = "static": real(0.0..=10.0),
        /// A pair of the library; `percale materials` lists them.
        Pair(Given) = "pair": KnownPair,
        /// Measured forces over loads: a CSV file with a heading, or the same columns here.
        Curves(Box<Ground>) = "curves": TableKind,
    }
}

/// Friction of two surfaces.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Coulomb coefficients.
    Coulomb(Coulomb),
    /// Measured curves.
    Measured(Box<Curves>),
}

/// Measured friction of two surfaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// Direction of friction.
    pub law: Law,
    /// Area of the sled [m^2].
    pub area: Option<f64>,
    /// Surface whose warp defines the directions of the curves. If absent, the cloth's, or both of two cloths'.
    pub warp: Option<Warp>,
    /// Curves by the warp of the first surface.
    pub first: Ground,
    /// Curves by the warp of the second surface, if they differ.
    pub second: Option<Ground>,
}

section! {
    /// Friction of two objects with each other, in place of that of their materials.
    pub struct Friction {
        /// Names of two objects, or of materials for all that is made of them; one twice is friction on itself.
        pub between: Vec<String> = list(Surface, 2..=2).required(),
        /// Friction.
        pub given: Given = GivenField,
    }
    check two_sides;
}

/// Rejects second curves, and a `warp` other than `both`, for a surface paired with itself. The two surfaces have no
/// order.
fn two_sides(friction: Friction, keys: &mut Keys) -> Option<Friction> {
    let alike = matches!(friction.between.as_slice(), [a, b] if a == b);
    if let (true, Given::Measured(curves)) = (alike, &friction.given) {
        let key = if curves.second.is_some() { "second_curves" } else { "warp" };
        if curves.second.is_some() || curves.warp.is_some_and(|warp| warp != Warp::Both) {
            keys.fault(key, "both surfaces are the same, none is the first; leave it out");
            return None;
        }
    }
    Some(friction)
}

section! {
    /// A pair of surfaces in the library.
    pub struct Pair {
        /// Name.
        pub name: String = name().required(),
        /// Description.
        pub description: String = text().required(),
        /// Source of the numbers.
        pub source: String = text().required(),
        /// Whether the numbers are general knowledge, not measurements.
        pub illustrative: bool = flag().or(false),
        /// Friction.
        pub given: Given = GivenField,
    }
}

/// Name of an object or a material.
struct Surface;

impl Kind for Surface {
    type Value = String;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<String> {
        let Value::Text(name) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        if cx.objects.contains_key(name) || cx.shelves.has(name) {
            return Some(name.clone());
        }
        let objects = cx.objects.keys().map(String::as_str);
        let known = objects.chain(cx.shelves.names());
        let hint = meant(name, known);
        cx.fault(node.origin, path, format!("no object or material is named '{}'{hint}", short(name)));
        None
    }

    fn wanted(&self) -> String {
        "the name of an object or a material".to_string()
    }

    fn plural(&self) -> String {
        "two names of objects or materials".to_string()
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string"))])
    }
}

/// Name of a pair of the library.
struct KnownPair;

impl Kind for KnownPair {
    type Value = Given;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Given> {
        let Value::Text(name) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let found = Pair::all().iter().find(|pair| pair.name == *name);
        if found.is_none() {
            let hint = meant(name, Pair::all().iter().map(|pair| pair.name.as_str()));
            let hint = if hint.is_empty() { "; `percale materials` lists them".to_string() } else { hint };
            cx.fault(node.origin, path, format!("no pair of the library is named '{}'{hint}", short(name)));
        }
        found.map(|pair| pair.given.clone())
    }

    fn wanted(&self) -> String {
        "the name of a pair of the library".to_string()
    }

    fn schema(&self) -> Json {
        let names = Pair::all().iter().map(|pair| pair.name.as_str());
        Json::map([("type", Json::text("string")), ("examples", Json::texts(names))])
    }
}

/// Keys beside the size of friction.
struct Beside {
    dynamic: Option<f64>,
    second: Option<Box<Ground>>,
    area: Option<f64>,
    law: Option<Law>,
    warp: Option<Warp>,
}

impl Beside {
    fn read(keys: &mut Keys) -> Option<Beside> {
        let dynamic = real(0.0..=10.0);
        keys.declare("dynamic", false, || {
            described(&dynamic, "Coulomb coefficient while sliding, beside `static`; the same if absent.")
        });
        let dynamic = keys.read("dynamic", &dynamic);
        let second = optional(
            keys,
            "second_curves",
            &TableKind,
            "Curves by the warp of the second; those of the first if absent.",
        );
        let area = quantity(Unit::Area, 1e-6..=10.0);
        let area = optional(
            keys,
            "area",
            &area,
            "Area of the sled with which the curves were measured: they are then of pressures, and \
             how fine a mesh is does not matter; without it the load is that of one contact.",
        );
        let law = optional(keys, "law", &choice::<Law>(), "Where friction points; \"antiparallel\" if absent.");
        let warp = optional(
            keys,
            "warp",
            &choice::<Warp>(),
            "By whose warp the curves are; the cloth's if absent, and both of two cloths'.",
        );
        let dynamic = dynamic.map_or(Some(None), |d| d.map(Some))?;
        Some(Beside { dynamic, second: second?, area: area?, law: law?, warp: warp? })
    }
}

/// Field of friction: coefficients, a pair of the library, or curves with their settings.
struct GivenField;

impl Field for GivenField {
    type Value = Given;

    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<Given> {
        let size = exactly_one::<Size>().take(keys, name, doc);
        let beside = Beside::read(keys);
        let (size, Beside { dynamic, second, area, law, warp }) = (size?, beside?);
        let mut goes = |there: bool, name: &str, with: &str| {
            if there {
                keys.fault(name, format!("goes with {with}; leave it out"));
            }
            !there
        };
        let curves = matches!(size, Size::Curves(_));
        let measured = curves || matches!(size, Size::Pair(Given::Measured(_)));
        let fits = [
            goes(dynamic.is_some() && !matches!(size, Size::Static(_)), "dynamic", "'static'"),
            goes(second.is_some() && !curves, "second_curves", "'curves'"),
            goes(area.is_some() && !curves, "area", "'curves'"),
            goes(law.is_some() && !measured, "law", "curves"),
            goes(warp.is_some() && !measured, "warp", "curves"),
        ];
        if fits.contains(&false) {
            return None;
        }
        let given = match size {
            Size::Coefficient(mu) => Given::Coulomb(Coulomb { fixed: mu, sliding: mu }),
            Size::Static(fixed) => {
                let sliding = dynamic.unwrap_or(fixed);
                if sliding > fixed {
                    keys.fault("dynamic", "larger than static; give at most static");
                    return None;
                }
                Given::Coulomb(Coulomb { fixed, sliding })
            }
            Size::Pair(Given::Coulomb(coulomb)) => Given::Coulomb(coulomb),
            Size::Pair(Given::Measured(pair)) => {
                let (law, warp) = (law.unwrap_or(pair.law), warp.or(pair.warp));
                Given::Measured(Box::new(Curves { law, warp, ..*pair }))
            }
            Size::Curves(first) => {
                let (law, second) = (law.unwrap_or(Law::Antiparallel), second.map(|second| *second));
                Given::Measured(Box::new(Curves { law, area, warp, first: *first, second }))
            }
        };
        consistent(given, keys)
    }
}

fn optional<K: Kind>(keys: &mut Keys, name: &'static str, kind: &K, doc: &str) -> Option<Option<K::Value>> {
    keys.declare(name, false, || described(kind, doc));
    keys.read(name, kind).map_or(Some(None), |read| read.map(Some))
}

/// Rejects combinations of curves, warp and law that contradict each other or have no friction cone.
fn consistent(given: Given, keys: &mut Keys) -> Option<Given> {
    let Given::Measured(curves) = &given else { return Some(given) };
    if curves.second.is_some() && curves.warp.is_some_and(|w| w != Warp::Both) {
        keys.fault(
            "warp",
            "'second_curves' are by the warp of the second, 'curves' by that of the first; leave 'warp' out",
        );
        return None;
    }
    let of = |ground: &Ground| [ground.peak.clone(), ground.plateau.clone()];
    let mut all = std::iter::once(&curves.first).chain(&curves.second).flat_map(of);
    let skew = all.clone().any(|c| c.is_one_way() && c.between.is_some());
    if curves.law == Law::Associated && skew {
        keys.fault(
            "law",
            "curves against the warp or the weft and at 45 degrees have no common cone; \
             leave f45 out, or give \"antiparallel\"",
        );
        return None;
    }
    let both = curves.second.is_some() || curves.warp == Some(Warp::Both);
    if curves.law == Law::Associated && both && all.any(|c| c.is_one_way()) {
        keys.fault(
            "law",
            "curves against the warp or the weft of both have no common cone; \
             give warp = \"first\", or \"antiparallel\"",
        );
        return None;
    }
    Some(given)
}

impl Curves {
    /// Returns the direction of friction as the contact law uses it.
    pub fn flow(&self) -> Flow {
        match self.law {
            Law::Antiparallel => Flow::Antiparallel,
            Law::Associated => Flow::Associated,
        }
    }
}
