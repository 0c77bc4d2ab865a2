//! Seams of patterns and meshes: from a scene to the effect that closes them.

use super::Scene;
use super::build::faults::Faults;
use super::build::plug::Then;
use super::cloth::{Cloth, Source};
use super::fault::meant;
use super::pattern::{self, Sew};
use crate::effect::seam::{HELD, Hold, Seams, Sewing, Weightless};
use crate::linalg::Vec3;
use crate::mesh::number_text::rounded;
use crate::mesh::seam::Seam;
use crate::world::build::{ClothInput, Gather};
use crate::world::keyed::Ramp;
use crate::world::{State, World};

/// Cloth with seams.
struct Garment {
    /// Name of the cloth.
    name: String,
    /// Seams, each with how it closes.
    seams: Vec<(Seam, Sew)>,
    /// Distances of the pairs of each seam [m].
    starts: Vec<Vec<f64>>,
    /// Time from which it has weight [s].
    weight_from: f64,
    /// Its borders stay two rows of vertices, since an air layer remembers them.
    keeps_rows: bool,
}

/// Returns the builder of the seams of all cloths, or `None` if there are none.
pub fn effect(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Option<Then> {
    let mut sewn = Vec::new();
    for (k, cloth) in scene.cloths.iter().enumerate() {
        let Some(input) = cloths.iter().find(|input| input.name == cloth.name) else { continue };
        let (key, sewing, given) = match &cloth.source {
            Source::Pattern(pattern) => (format!("cloth[{k}].pattern"), &pattern.sewing, pattern.weight_from),
            // Cloth that is no pattern has its weight.
            Source::Mesh(_) => (format!("cloth[{k}]"), &cloth.sewing, Some(0.0)),
        };
        if matches!(cloth.source, Source::Mesh(_)) && cloth.borders.is_empty() {
            continue;
        }
        check_tables(sewing, &input.seams, &key, faults);
        let mut seams: Vec<(Seam, Sew)> =
            input.seams.iter().map(|seam| (seam.clone(), table_of(sewing, seam))).collect();
        let last = seams.iter().map(|(_, sew)| sew.from + 1.25 * sew.over).fold(0.0, f64::max);
        let mut weight_from = given.unwrap_or(last);
        if scene.onward.is_some() {
            // Their time has passed in the run that is continued.
            seams.iter_mut().for_each(|(_, sew)| sew.from = -2.0 * sew.over);
            weight_from = 0.0;
        } else {
            tell_what_never_is(scene, sewing, (given, weight_from), &key, faults);
        }
        let keeps_rows = has_air(scene, &cloth.name);
        if keeps_rows && seams.iter().any(|(_, sew)| sew.hold == pattern::Hold::Joined) {
            let message = "seams of a cloth with an air layer are held, but its borders stay two rows";
            faults.warn(&key, message);
        }
        let x = &input.mesh.positions;
        let apart = |[a, b]: &[u32; 2]| (x[*a as usize] - x[*b as usize]).norm();
        let starts = input.seams.iter().map(|seam| seam.pairs.iter().map(apart).collect()).collect();
        sewn.push(Garment { name: cloth.name.clone(), seams, starts, weight_from, keeps_rows });
    }
    if sewn.is_empty() { None } else { Some(Box::new(move |_, world, state, _| plug(sewn, world, state))) }
}

/// Warns of seams that do not close within the run, and of cloth that never gets its weight.
fn tell_what_never_is(
    scene: &Scene,
    sewing: &[Sew],
    (given, weight_from): (Option<f64>, f64),
    key: &str,
    faults: &mut Faults,
) {
    let whole = scene.time.run(scene.time.last_frame());
    for (n, sew) in sewing.iter().enumerate().filter(|(_, sew)| sew.from + sew.over > whole) {
        let message =
            format!("these seams close until {} s, the run ends at {} s", sew.from + sew.over, rounded(whole));
        faults.warn(&format!("{key}.sew[{n}]"), &message);
    }
    if weight_from > whole {
        let message = format!("the cloth has no weight before {} s, the run ends at {} s", weight_from, rounded(whole));
        let at = if given.is_some() { format!("{key}.weight_from") } else { key.to_string() };
        faults.warn(&at, &message);
    }
}

/// Looks for tables of seams that do not exist, and for strengths that do not hold.
fn check_tables(sewing: &[Sew], seams: &[Seam], key: &str, faults: &mut Faults) {
    let names = || seams.iter().map(|seam| seam.name.as_str());
    for (n, sew) in sewing.iter().enumerate() {
        if sew.strength.is_some_and(|strength| strength < sew.force) {
            let message = "is less than the force that closes the seam, which it then does not hold";
            faults.warn(&format!("{key}.sew[{n}].strength"), message);
        }
    }
    for (n, sew) in sewing.iter().enumerate() {
        for name in sew.seams.iter().flatten().filter(|name| names().all(|own| own != *name)) {
            let (meant, known) = (meant(name, names()), names().collect::<Vec<_>>().join("', '"));
            faults.fault(&format!("{key}.sew[{n}].seams"), format!("no seam '{name}', there are '{known}'{meant}"));
        }
    }
}

/// Returns the table of a seam.
fn table_of(sewing: &[Sew], seam: &Seam) -> Sew {
    let own = sewing.iter().find(|sew| sew.seams.iter().flatten().any(|name| *name == seam.name));
    let others = || sewing.iter().find(|sew| sew.seams.is_none());
    let plain = Sew {
        seams: None,
        from: 0.0,
        over: 1.0,
        force: 5.0,
        gather: None,
        hold: pattern::Hold::Joined,
        stiffness: None,
        strength: None,
    };
    own.or_else(others).cloned().unwrap_or(plain)
}

/// Least ease of a seam that is gathered, relative to its shorter side. Cloth takes less as strain.
const GATHERED: f64 = 0.05;
/// Width of a gathered strip in edges of the mesh.
const STRIP: f64 = 6.0;

/// Returns the gathers of a cloth. They grow in the first half of the time in which their seams close.
pub fn gathers(scene: &Scene, cloth: &Cloth, input: &ClothInput) -> Vec<Gather> {
    let sewing = match &cloth.source {
        Source::Pattern(pattern) => &pattern.sewing,
        Source::Mesh(_) => &cloth.sewing,
    };
    let tables = input.seams.iter().map(|seam| table_of(sewing, seam));
    let eased = |seam: &Seam| {
        let [a, b] = seam.lengths;
        a.max(b) > (1.0 + GATHERED) * a.min(b) && a.min(b) > 0.0
    };
    let gathered = input.seams.iter().zip(tables).filter(|(seam, sew)| eased(seam) && sew.gather != Some(0.0));
    gathered
        .map(|(seam, sew)| {
            let edge = seam.lengths[0].max(seam.lengths[1]) / (seam.pairs.len().max(2) - 1) as f64;
            let from = if scene.onward.is_some() { -2.0 * sew.over } else { sew.from };
            Gather::new(input, seam, sew.gather.unwrap_or(STRIP * edge), Ramp { from, over: 0.5 * sew.over })
        })
        .collect()
}

/// Returns whether a cloth has an air layer or is a balloon.
fn has_air(scene: &Scene, cloth: &str) -> bool {
    let layers = scene.airs.iter().map(|layer| &layer.cloth);
    layers.chain(scene.balloons.iter().map(|balloon| &balloon.cloth)).any(|own| own == cloth)
}

/// Returns how a closed seam holds.
fn held(sew: &Sew, keeps_rows: bool) -> Hold {
    match sew.hold {
        pattern::Hold::Joined if !keeps_rows => Hold::Joined,
        _ => {
            Hold::Elastic { stiffness: sew.stiffness.unwrap_or(HELD), strength: sew.strength.unwrap_or(f64::INFINITY) }
        }
    }
}

/// Adds the seams of garments.
fn plug(sewn: Vec<Garment>, world: &mut World, state: &mut State) {
    let mut all = Seams::default();
    for Garment { name, seams, starts, weight_from, keeps_rows } in sewn {
        let Some(object) = world.objects.iter().position(|object| object.name == name) else { continue };
        let place = |v: u32| world.objects[object].place[v as usize];
        for ((seam, sew), starts) in seams.into_iter().zip(starts) {
            let (hold, Sew { from, over, force, .. }) = (held(&sew, keeps_rows), sew);
            // Each pair has the way to the middle of its neighbours on either side; at the ends half of it.
            let count = seam.pairs.len().max(1);
            let each = 0.5 * (seam.lengths[0] + seam.lengths[1]) / (count.max(2) - 1) as f64;
            let length = |k: usize| if count > 1 && (k == 0 || k + 1 == count) { 0.5 * each } else { each };
            all.sewing.push(Sewing {
                name: seam.name,
                number: all.sewing.len(),
                lengths: (0..seam.pairs.len()).map(length).collect(),
                pairs: seam.pairs.iter().map(|pair| pair.map(place)).collect(),
                starts,
                from,
                over,
                force,
                hold,
            });
        }
        if weight_from > 0.0 && world.gravity != Vec3::zeros() {
            all.weightless.push(Weightless { object, until: weight_from });
        }
    }
    world.plug(all, state);
}
