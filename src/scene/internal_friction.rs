//! `internal_friction` of a material, and laws whose stiffness grows with strain.

use super::keys::{Keys, Kind, choices, section};
use super::kinds::{choice, list, quantity, real, table};
use super::unit::Unit;
use crate::force::bending::Bending;
use crate::force::dahl::{Dahl, Form};
use crate::force::internal_friction::InternalFriction;
use crate::force::membrane::{Membrane, Progressive};
use crate::force::plate::STRAIN;

choices! {
    /// Closed form of the friction stress along a strain path.
    pub enum FormWord {
        /// Solves the differential equation.
        Exact = "exact",
        /// Eq. 3 of Miguel et al. 2013, with which their tables were fitted.
        Fitted = "fitted",
    }
}

section! {
    /// Friction of stretch or shear, by Green strain: a, b and tau, or the strain that stays.
    pub struct StretchFriction {
        /// Largest stress at no strain.
        a: Option<f64> = quantity(Unit::Stiffness, 0.0..=1e7).optional(),
        /// How much it grows by strain; 0 if absent.
        b: Option<f64> = quantity(Unit::Stiffness, 0.0..=1e7).optional(),
        /// Strain within which the stress follows a turn.
        tau: Option<f64> = quantity(Unit::Ratio, 1e-9..=100.0).optional(),
        /// Instead of these: largest strain that stays after a load.
        persistent: Option<f64> = quantity(Unit::Ratio, 1e-9..=100.0).optional(),
        /// Strain from which on `persistent` stays; more than it.
        saturation: Option<f64> = quantity(Unit::Ratio, 1e-9..=100.0).optional(),
    }
    check stretch_is_told_once;
}

section! {
    /// Friction of bending: a, b and tau by three times the curvature, or the curvature that stays.
    pub struct BendFriction {
        /// Largest moment per width at no curvature.
        a: Option<f64> = quantity(Unit::Force, 0.0..=1e3).optional(),
        /// How much it grows by strain; 0 if absent.
        b: Option<f64> = quantity(Unit::Rigidity, 0.0..=1e3).optional(),
        /// Three times the curvature within which the moment follows a turn.
        tau: Option<f64> = quantity(Unit::Curvature, 1e-6..=1e6).optional(),
        /// Instead of these: largest curvature that stays after a load.
        persistent: Option<f64> = quantity(Unit::Curvature, 1e-6..=1e6).optional(),
        /// Curvature from which on `persistent` stays; more than it.
        saturation: Option<f64> = quantity(Unit::Curvature, 1e-6..=1e6).optional(),
    }
    check bend_is_told_once;
}

section! {
    /// Internal friction of a material (Miguel et al. 2013).
    pub struct Words {
        /// Friction of stretch along warp; along weft too unless that has its own.
        stretch: Option<StretchFriction> = table().optional(),
        /// Friction of stretch along weft.
        weft: Option<StretchFriction> = table().optional(),
        /// Friction of shear; none if absent.
        shear: Option<StretchFriction> = table().optional(),
        /// Friction of bending, along warp; along weft too unless that has its own.
        bend: Option<BendFriction> = table().optional(),
        /// Friction of bending along weft.
        bend_weft: Option<BendFriction> = table().optional(),
        /// Closed form of the stress.
        form: FormWord = choice().or(FormWord::Exact),
        /// Exponent of Dahl's law, where no largest stress grows by strain (Eq. 1).
        gamma: Option<f64> = real(0.1..=10.0).optional(),
    }
    check gamma_has_no_growth;
}

section! {
    /// In-plane stiffness that grows with strain: `k1 + k2 |E|`.
    pub struct Stiffening {
        /// k1 and k2 along warp.
        warp: Vec<f64> = list(quantity(Unit::Stiffness, 0.0..=1e7), 2..=2).required(),
        /// k1 and k2 along weft; as warp if absent.
        weft: Option<Vec<f64>> = list(quantity(Unit::Stiffness, 0.0..=1e7), 2..=2).optional(),
        /// Shear modulus; that of an isotropic sheet of the mean k1 if absent.
        shear: Option<f64> = quantity(Unit::Stiffness, 0.0..=1e7).optional(),
    }
    check stiffens_from_something;
}

section! {
    /// Bending rigidity that grows with curvature: `3 (k1 + 3 k2 |kappa|)`.
    pub struct BendStiffening {
        /// A third of the rigidity at no curvature.
        pub k1: f64 = quantity(Unit::Rigidity, 0.0..=1e3).required(),
        /// A ninth of its growth by curvature.
        pub k2: f64 = quantity(Unit::BeamRigidity, 0.0..=1e3).or(0.0),
    }
}

/// Checks that either `a` and `tau` (`b` is optional) or `persistent` and `saturation` are given, and not both.
fn given_once(given: [Option<f64>; 5], keys: &mut Keys) -> Option<()> {
    let names = ["a", "b", "tau", "persistent", "saturation"];
    let [a, _, tau, persistent, saturation] = given;
    let (by_law, by_rest) = (&given[..3], &given[3..]);
    let is = |one: &Option<f64>| one.is_some();
    let (name, message) = match (by_law.iter().position(is), by_rest.iter().position(is)) {
        (Some(_), Some(k)) => (names[3 + k], "conflicts with 'a', 'b' and 'tau'; give those or what stays".to_string()),
        (_, Some(_)) if persistent.is_none() || saturation.is_none() => {
            (names[if persistent.is_none() { 3 } else { 4 }], "missing; what stays is told by both".to_string())
        }
        (_, Some(_)) if saturation <= persistent => ("saturation", "not more than 'persistent'".to_string()),
        (_, Some(_)) => return Some(()),
        (_, None) if a.is_none() => ("a", "missing; give a and tau, or persistent and saturation".to_string()),
        (_, None) if tau.is_none() => ("tau", "missing; give a and tau, or persistent and saturation".to_string()),
        (_, None) => return Some(()),
    };
    if keys.find(name).is_some() {
        keys.fault(name, &message)
    } else {
        keys.lacks(format!("'{name}': {message}"))
    }
    None
}

fn stretch_is_told_once(own: StretchFriction, keys: &mut Keys) -> Option<StretchFriction> {
    given_once([own.a, own.b, own.tau, own.persistent, own.saturation], keys).map(|()| own)
}

fn bend_is_told_once(own: BendFriction, keys: &mut Keys) -> Option<BendFriction> {
    given_once([own.a, own.b, own.tau, own.persistent, own.saturation], keys).map(|()| own)
}

fn gamma_has_no_growth(words: Words, keys: &mut Keys) -> Option<Words> {
    let stretch = [&words.stretch, &words.weft, &words.shear].map(|own| own.as_ref().and_then(|own| own.b));
    let bend = [&words.bend, &words.bend_weft].map(|own| own.as_ref().and_then(|own| own.b));
    if words.gamma.is_some() && stretch.into_iter().chain(bend).flatten().any(|b| b > 0.0) {
        keys.fault("gamma", "goes with a constant largest stress; leave out b");
        return None;
    }
    if words.gamma.is_some() && keys.find("form").is_some() {
        keys.fault("form", "conflicts with 'gamma', which has a form of its own; leave one out");
        return None;
    }
    Some(words)
}

fn stiffens_from_something(own: Stiffening, keys: &mut Keys) -> Option<Stiffening> {
    for (name, pair) in [("warp", Some(&own.warp)), ("weft", own.weft.as_ref())] {
        if pair.is_some_and(|pair| pair[0] <= 0.0) {
            keys.fault(name, "the first number, the stiffness at no strain, must be larger than 0");
            return None;
        }
    }
    Some(own)
}

impl Stiffening {
    /// Returns the law with this Poisson's ratio.
    pub fn law(&self, poisson: f64) -> Progressive {
        let pair = |pair: &[f64]| [pair[0], pair[1]];
        let warp = pair(&self.warp);
        let weft = self.weft.as_ref().map_or(warp, |weft| pair(weft));
        let shear = self.shear.unwrap_or(0.5 * (warp[0] + weft[0]) / (2.0 * (1.0 + poisson)));
        Progressive { young: [warp, weft], shear, poisson }
    }
}

/// Corrects the friction of warp and weft for Poisson's effect, where persistent strain defines it (`told`). Stretching
/// one direction narrows the other, whose friction then also holds strain in the first. The stress of the persistent
/// strain is therefore `a1 + nu a2`.
fn beside(own: [Option<Dahl>; 2], reported: [bool; 2], nu: [f64; 2]) -> [Option<Dahl>; 2] {
    let [a, b] = own.map(|own| own.map_or(0.0, |own| own.a));
    let most = match reported {
        [true, true] => [(a - nu[0] * b) / (1.0 - nu[0] * nu[1]), (b - nu[1] * a) / (1.0 - nu[0] * nu[1])],
        [true, false] => [a - nu[0] * b, b],
        [false, true] => [a, b - nu[1] * a],
        [false, false] => [a, b],
    };
    let with =
        |k: usize| own[k].map(|own| Dahl { a: most[k].max(0.0), ..own }).filter(|own| own.a > 0.0 || own.b > 0.0);
    [with(0), with(1)]
}

impl Words {
    /// Returns whether friction of any strain is given.
    pub fn rubs(&self) -> bool {
        let stretch = [&self.stretch, &self.weft, &self.shear].into_iter().any(Option::is_some);
        stretch || self.bend.is_some() || self.bend_weft.is_some()
    }

    /// Returns whether the form of the friction is given.
    pub fn shapes(&self) -> bool {
        self.gamma.is_some() || self.form != FormWord::Exact
    }

    /// Returns the internal friction of a sheet with these laws.
    pub fn law(&self, membrane: &Membrane, bending: &Bending) -> InternalFriction {
        let form = match (self.gamma, self.form) {
            (Some(gamma), _) => Form::Power(gamma),
            (None, FormWord::Exact) => Form::Exact,
            (None, FormWord::Fitted) => Form::Fitted,
        };
        // `elastic` is the elastic stress at a strain, `scale` the strain per unit of the given value.
        let dahl = |[a, b, tau, persistent, saturation]: [Option<f64>; 5], scale: f64, elastic: &dyn Fn(f64) -> f64| {
            let law = match (a, tau, persistent, saturation) {
                (Some(a), Some(tau), ..) => Dahl { a, b: b.unwrap_or_default(), tau, form },
                (.., Some(stays), Some(full)) => {
                    Dahl { form, ..Dahl::tuned(elastic(scale * stays), scale * (full - stays)) }
                }
                _ => return None,
            };
            (law.a > 0.0 || law.b > 0.0).then_some(law)
        };
        let stretch = |own: &Option<StretchFriction>, way: usize| {
            let own = own.as_ref()?;
            let elastic = |e| membrane.pulled(way, e);
            dahl([own.a, own.b, own.tau, own.persistent, own.saturation], 1.0, &elastic)
        };
        let bend = |own: &Option<BendFriction>, way: usize| {
            let own = own.as_ref()?;
            let elastic = |e| bending.moment(way, e / STRAIN);
            dahl([own.a, own.b, own.tau, own.persistent, own.saturation], STRAIN, &elastic)
        };
        let shear = stretch(&self.shear, 2);
        let weft = if self.weft.is_some() { &self.weft } else { &self.stretch };
        let bend_weft = if self.bend_weft.is_some() { &self.bend_weft } else { &self.bend };
        let reported = [&self.stretch, weft].map(|own| own.as_ref().is_some_and(|own| own.persistent.is_some()));
        let [along, across] = beside([stretch(&self.stretch, 0), stretch(weft, 1)], reported, membrane.crosswise());
        InternalFriction {
            stretch: [along, across, shear],
            bend: [bend(&self.bend, 0), bend(bend_weft, 1)],
            ..InternalFriction::default()
        }
    }
}
