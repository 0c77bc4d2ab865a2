//! Warnings about internal friction, and springs before buckling, that are too steep for the time step.

use super::faults::Faults;
use crate::force::cloth_law::ClothLaw;
use crate::linalg::Vec3;
use crate::scene::Scene;
use crate::scene::unit::{number, rounded};
use crate::world::build::ClothInput;

/// Computes the mean mass of a vertex [kg].
fn mass(cloth: &ClothInput) -> f64 {
    let at = |v: u32| cloth.mesh.positions.get(v as usize).copied().unwrap_or_default();
    let twice = |[a, b, c]: [Vec3; 3]| (b - a).cross(&(c - a)).norm();
    let area: f64 = cloth.mesh.triangles.iter().map(|t| 0.5 * twice(t.map(at))).sum();
    cloth.vertex_mass.unwrap_or(cloth.density * area / cloth.mesh.positions.len().max(1) as f64)
}

/// Rounds a number down to two digits, or to an integer from 10 on.
fn floored(value: f64) -> f64 {
    let tens = value.log10().floor() as i32 - 1;
    if tens < 0 { (value * 10f64.powi(-tens)).floor() / 10f64.powi(-tens) } else { value.floor() }
}

/// Ratio of the ramp `cb` to the spring stiffness `ks` above which buckling springs snap.
const STEEP: f64 = 10.0;

/// Warns about ramps of Choi and Ko's springs that add energy at the scene's time step. No energy gain was observed for
/// ramps of at most ten times `ks`. Steeper ramps gain none if the time step resolves their oscillation.
fn tell_of_ramps(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) {
    for (k, (own, cloth)) in scene.cloths.iter().zip(cloths).enumerate() {
        let (Some(stiffness), Some(ramp)) = (own.springs.ks, own.springs.cb) else { continue };
        let most = (mass(cloth) / ramp).sqrt();
        if ramp > STEEP * stiffness && scene.step() > most {
            let message = format!(
                "springs that buckle snap, and make energy, in steps of {} ms: give at most ten times ks, {}, or time.step = \"{} ms\" or less",
                rounded(1e3 * scene.step()),
                rounded(STEEP * stiffness),
                number(floored(1e3 * most))
            );
            faults.warn(&format!("cloth[{k}].springs.cb"), message);
        }
    }
}

/// Warns about stretch friction and ramps that add energy at the scene's time step.
pub(super) fn tell(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) {
    tell_of_ramps(scene, cloths, faults);
    for (k, cloth) in cloths.iter().enumerate() {
        let ClothLaw { inner, membrane, .. } = &cloth.law;
        let [warp, _, weft, shear] = membrane.moduli(&Vec3::zeros());
        let mass = mass(cloth);
        let ways = [("stretch", warp), ("weft", weft), ("shear", shear)].into_iter().zip(&inner.stretch);
        let steps = ways.filter_map(|((way, k), law)| Some((way, law.as_ref()?, law.as_ref()?.longest_step(mass, k))));
        let Some((way, law, most)) = steps.min_by(|a, b| a.2.total_cmp(&b.2)) else { continue };
        if scene.step() > most {
            let message = format!(
                "friction of {way} is so steep that steps of {} ms make energy where a strain changes by ten tau, {}, in one; where motion is so \
                 quick give time.step = \"{} ms\" or less, more tau, or a coarser mesh",
                rounded(1e3 * scene.step()),
                rounded(10.0 * law.tau),
                number(floored(1e3 * most))
            );
            faults.warn(&format!("cloth[{k}].material"), message);
        }
    }
}
