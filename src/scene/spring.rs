//! `[cloth.springs]`: springs in place of finite elements.

use super::keys::{Keys, Kind, choices, section};
use super::kinds::{choice, flag, quantity};
use super::material::Material;
use super::unit::Unit;
use crate::force::membrane::Membrane;
use crate::force::spring;
use crate::force::spring_mesh::{Flexion, Network, Stretch};

choices! {
    /// Elastic model of a cloth.
    pub enum Model {
        /// Finite elements: St. Venant-Kirchhoff or measured membrane, hinge bending.
        Fem = "fem",
        /// Linear springs (Provot 1995): structural, shear and flexion.
        Springs = "springs",
        /// Springs that resist stretching alone, and beams that buckle (Choi & Ko 2002).
        ChoiKo = "choi-ko",
    }
}

/// Springs of a cloth, with the settings that they depend on.
pub(super) struct Sprung<'a> {
    pub springs: &'a Springs,
    pub model: Model,
    pub material: &'a Material,
    pub strain_limit: Option<f64>,
}

choices! {
    /// Stiffness matrix of linear springs.
    pub enum Jacobian {
        /// Stiffness along the spring and across it.
        Full = "full",
        /// As k I (Desbrun et al. 1999; Horiba et al. 2007): it resists turning as well, which takes away angular
        /// momentum.
        Isotropic = "isotropic",
    }
}

section! {
    /// Springs of a cloth whose model is "springs" or "choi-ko".
    pub struct Springs {
        /// Model "springs": stiffness of the springs along rows and columns of a lattice, or along the edges of another
        /// mesh.
        pub structural: Option<f64> = quantity(Unit::Stiffness, 1e-6..=1e9).optional(),
        /// Stiffness of the springs over the diagonals of a lattice; that of the others if absent.
        pub shear: Option<f64> = quantity(Unit::Stiffness, 0.0..=1e9).optional(),
        /// Model "springs": stiffness of the springs between vertices at distance two, which have no rigidity while the
        /// cloth is nearly flat.
        pub flexion: Option<f64> = quantity(Unit::Stiffness, 0.0..=1e9).optional(),
        /// Model "springs": damping of structural and shear springs; with `from_material` that of the material if
        /// absent, else none.
        pub damping: Option<f64> = quantity(Unit::Damping, 0.0..=1e6).optional(),
        /// Model "springs": how their stiffness enters the system; "full" if absent.
        pub jacobian: Option<Jacobian> = choice().optional(),
        /// Model "choi-ko": stiffness of the springs of the first type, which resist stretching alone.
        pub ks: Option<f64> = quantity(Unit::Stiffness, 1e-6..=1e9).optional(),
        /// Model "choi-ko": rigidity of the springs of the second type, beams between vertices at distance two that
        /// buckle.
        pub kb: Option<f64> = quantity(Unit::BeamRigidity, 0.0..=1e3).optional(),
        /// Model "choi-ko": damping of the springs of the first type; as `damping` if absent.
        pub kd: Option<f64> = quantity(Unit::Damping, 0.0..=1e6).optional(),
        /// Model "choi-ko": force per shortening of a beam before it buckles; the stiffness of the first type if
        /// absent.
        pub cb: Option<f64> = quantity(Unit::Stiffness, 1e-9..=1e9).optional(),
        /// Model "choi-ko": beams buckle at Euler's load, pi^2/12 of that of the arc.
        pub euler: Option<bool> = flag().optional(),
        /// Stiffness, rigidity and damping are those of the material; of bending it is the plate that finite elements
        /// have.
        pub from_material: bool = flag().or(false),
        /// How much longer than at rest structural and shear springs get; no bound if absent.
        pub stretch_limit: Option<f64> = quantity(Unit::Ratio, 0.001..=10.0).optional(),
        /// How much shorter than at rest they get, as far as 200 sweeps bring it; no bound if absent.
        pub squeeze_limit: Option<f64> = quantity(Unit::Ratio, 0.001..=0.99).optional(),
    }
}

impl Springs {
    /// Lists the given keys with the model that uses them, or `None` if both models do.
    fn given(&self) -> impl Iterator<Item = (&'static str, Option<Model>)> {
        let (provot, choi_ko) = (Some(Model::Springs), Some(Model::ChoiKo));
        let all = [
            ("structural", provot, self.structural.is_some()),
            ("flexion", provot, self.flexion.is_some()),
            ("damping", provot, self.damping.is_some()),
            ("jacobian", provot, self.jacobian.is_some()),
            ("ks", choi_ko, self.ks.is_some()),
            ("kb", choi_ko, self.kb.is_some()),
            ("kd", choi_ko, self.kd.is_some()),
            ("cb", choi_ko, self.cb.is_some()),
            ("euler", choi_ko, self.euler.is_some()),
            ("shear", None, self.shear.is_some()),
            ("from_material", None, self.from_material),
            ("stretch_limit", None, self.stretch_limit.is_some()),
            ("squeeze_limit", None, self.squeeze_limit.is_some()),
        ];
        all.into_iter().filter(|(.., given)| *given).map(|(name, model, _)| (name, model))
    }
}

/// Checks that a cloth gives only springs of its model, and all that the model needs.
pub(super) fn fit(cloth: &Sprung, keys: &mut Keys) -> Option<()> {
    let (springs, model) = (cloth.springs, cloth.model);
    let fault = if let Some((name, _)) = springs.given().find(|(_, of)| of.is_some_and(|of| of != model)) {
        let (own, instead) = match model {
            Model::Fem => ("fem", "leave it out, or give model = \"springs\" or \"choi-ko\""),
            Model::Springs => ("springs", "it has structural, shear, flexion, damping and jacobian"),
            Model::ChoiKo => ("choi-ko", "it has ks, kb, kd, cb, euler and shear"),
        };
        Some((name, format!("goes with another model than \"{own}\"; {instead}")))
    } else if let (Model::Fem, Some((name, _))) = (model, springs.given().next()) {
        Some((name, "goes with model = \"springs\" or \"choi-ko\"".to_string()))
    } else if springs.stretch_limit.is_some() && cloth.strain_limit.is_some() {
        Some(("stretch_limit", "conflicts with 'strain_limit', which is the same; leave one out".to_string()))
    } else if springs.from_material && !matches!(cloth.material.membrane, Membrane::Isotropic(_)) {
        let message = format!(
            "the stretch of material '{}' is not told by Young's modulus: no springs come of it",
            cloth.material.name
        );
        Some(("from_material", message))
    } else if springs.from_material {
        let own = ["structural", "shear", "ks", "kb", "cb", "euler"];
        let twice = springs.given().find(|(name, _)| own.contains(name));
        twice.map(|(name, _)| (name, "conflicts with 'from_material'; leave one out".to_string()))
    } else {
        let wanted: &[(&str, bool)] = match model {
            Model::Fem => &[],
            Model::Springs => &[("structural", springs.structural.is_some())],
            Model::ChoiKo => &[("ks", springs.ks.is_some()), ("kb", springs.kb.is_some())],
        };
        let missing = wanted.iter().find(|(_, given)| !given);
        missing.map(|(name, _)| (*name, "missing; give it, or from_material = true".to_string()))
    };
    if springs.from_material && model == Model::ChoiKo {
        let message = "springs of tension alone give way to what presses them, the more the finer the mesh: the cloth hangs lower than its \
                       material. Give model = \"springs\", or \"fem\"";
        keys.warn("springs", message);
    }
    match fault {
        None => Some(()),
        Some((name, message)) => {
            keys.fault_below("springs", name, message);
            None
        }
    }
}

/// Returns the springs of a cloth, or `None` for finite elements.
pub(super) fn network(cloth: &Sprung) -> Option<Network> {
    let (springs, material) = (cloth.springs, cloth.material);
    let law = match material.membrane {
        Membrane::Isotropic(law) if springs.from_material => Some(law),
        _ => None,
    };
    let given = springs.structural.or(springs.ks).unwrap_or_default();
    let stretch = law.map_or(Stretch::Given([given, springs.shear.unwrap_or(given)]), Stretch::Material);
    let euler = if springs.euler == Some(true) { std::f64::consts::PI.powi(2) / 12.0 } else { 1.0 };
    let flexion = match (cloth.model, springs.flexion) {
        (Model::Fem, _) => return None,
        (_, None) if springs.from_material => Flexion::Sheet,
        (Model::Springs, flexion) => Flexion::Linear(flexion.unwrap_or_default()),
        (Model::ChoiKo, _) => {
            Flexion::Buckling { rigidity: springs.kb.unwrap_or_default() * euler, ramp: springs.cb.unwrap_or(given) }
        }
    };
    let damping = springs.damping.or(springs.kd);
    Some(Network {
        stretch,
        taut: cloth.model == Model::ChoiKo,
        damping: damping.unwrap_or_default(),
        damping_time: if damping.is_none() && law.is_some() { material.damping } else { 0.0 },
        flexion,
        jacobian: match springs.jacobian {
            Some(Jacobian::Isotropic) => spring::Jacobian::Isotropic,
            _ => spring::Jacobian::Full,
        },
        bounds: [
            springs.squeeze_limit.unwrap_or(1.0),
            springs.stretch_limit.or(cloth.strain_limit).unwrap_or(f64::INFINITY),
        ],
    })
}
