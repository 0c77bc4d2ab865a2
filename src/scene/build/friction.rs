//! `[[friction]]`: conversion from names to pairs of objects.

use super::faults::Faults;
use crate::force::friction::Measured;
use crate::scene::Scene;
use crate::scene::friction::{Curves, Given, Warp};
use crate::world::Kind;
use crate::world::build::ObstacleInput;
use crate::world::friction::{Between, Law};
use std::collections::BTreeMap;

/// Candidate object of a friction pair.
struct Known<'a> {
    name: &'a str,
    kind: Kind,
    /// Name of the material. Obstacles have none.
    material: Option<&'a str>,
    /// Whether the warp direction is known, from a chart or from the scene.
    warp: bool,
}

/// Returns all objects of a scene, in order.
fn objects<'a>(scene: &'a Scene, obstacles: &'a [ObstacleInput]) -> Vec<Known<'a>> {
    let known = |name, kind, material, warp| Known { name, kind, material, warp };
    let cloths = scene.cloths.iter().map(|c| known(&c.name, Kind::Cloth, Some(c.material.name.as_str()), true));
    let bodies = scene.bodies.iter().map(|b| known(&b.name, Kind::Body, Some(b.material.name.as_str()), false));
    let charted = |o: &ObstacleInput| o.mesh.uv_triangles.len() == o.mesh.triangles.len();
    let obstacles = obstacles.iter().map(|o| known(&o.name, Kind::Obstacle, None, charted(o)));
    cloths.chain(bodies).chain(obstacles).collect()
}

/// Returns the friction of all pairs of objects that the scene names. If several entries match a pair, the entry that
/// names more objects applies.
pub(super) fn pairs(scene: &Scene, obstacles: &[ObstacleInput], faults: &mut Faults) -> Vec<Between> {
    let objects = objects(scene, obstacles);
    // Per pair of objects: number of them named as objects, index of the entry, and their order there.
    let mut found: BTreeMap<[usize; 2], (usize, usize, [usize; 2])> = BTreeMap::new();
    for (k, friction) in scene.frictions.iter().enumerate() {
        let key = format!("friction[{k}].between");
        let [a, b] = friction.between.as_slice() else { continue };
        let named = |name: &str| objects.iter().any(|o| o.name == name);
        let are = |name: &String| -> Vec<usize> {
            let object = named(name);
            let is = |o: &Known| if object { o.name == name } else { o.material == Some(name.as_str()) };
            objects.iter().enumerate().filter(|(_, o)| is(o)).map(|(i, _)| i).collect()
        };
        let (first, second) = (are(a), are(b));
        for name in [(&first, a), (&second, b)].iter().filter(|(are, _)| are.is_empty()).map(|(_, name)| name) {
            faults.warn(&key, format!("nothing is made of '{name}', so this friction is nowhere"));
        }
        let rank = usize::from(named(a)) + usize::from(named(b));
        let mut meet = first.is_empty() || second.is_empty();
        for (i, j) in first.iter().flat_map(|i| second.iter().map(move |j| (*i, *j))) {
            if ![i, j].iter().any(|k| objects[*k].kind.simulated()) {
                continue;
            }
            meet = true;
            let pair = [i.min(j), i.max(j)];
            match found.get(&pair) {
                Some((_, other, _)) if *other == k => (),
                Some((known, ..)) if *known > rank => (),
                Some((known, other, _)) if *known == rank => {
                    let names = [i, j].map(|k| objects[k].name);
                    let message = format!("friction[{other}] is for '{}' and '{}' already", names[0], names[1]);
                    faults.fault(&key, message);
                }
                _ => {
                    found.insert(pair, (rank, k, [i, j]));
                }
            }
        }
        if !meet {
            faults.fault(&key, format!("'{a}' and '{b}' never touch: neither is a cloth or a body"));
        }
    }
    let mut out = Vec::new();
    for (_, k, [i, j]) in found.into_values() {
        let names = [i, j].map(|k| objects[k].name.to_string());
        match law(&scene.frictions[k].given, i == j, [&objects[i], &objects[j]]) {
            Ok(law) => out.push(Between { names, law }),
            Err((below, message)) => faults.fault(&format!("friction[{k}].{below}"), message),
        }
    }
    out
}

/// Creates the law of two objects, or of an object with itself if `alone`. Fails with the key that does not fit them,
/// and the reason.
fn law(given: &Given, alone: bool, objects: [&Known; 2]) -> Result<Law, (&'static str, String)> {
    match given {
        Given::Coulomb(friction) => Ok(Law::Coulomb(*friction)),
        Given::Measured(curves)
            if alone && (curves.second.is_some() || curves.warp.is_some_and(|w| w != Warp::Both)) =>
        {
            let name = objects[0].name;
            Err(("between", format!("'{name}' is both surfaces, none is the first; leave out warp and second_curves")))
        }
        Given::Measured(curves) => Ok(Law::Measured(Box::new(measured(curves, objects)?))),
    }
}

/// Creates the measured law of two objects. Fails with the key that does not fit them, and the reason.
fn measured(curves: &Curves, objects: [&Known; 2]) -> Result<Measured, (&'static str, String)> {
    let Curves { area, first, second, .. } = curves;
    let law = |grounds| Measured { flow: curves.flow(), area: *area, grounds };
    let even = law([Some(first.clone()), second.clone()]);
    if even.is_even() {
        return Ok(even);
    }
    let cloth = objects.map(|o| o.kind == Kind::Cloth);
    let warp = match curves.warp {
        Some(warp) => warp,
        None if second.is_some() || cloth == [true; 2] => Warp::Both,
        None if cloth[0] => Warp::First,
        None => Warp::Second,
    };
    let by = [warp != Warp::Second, warp != Warp::First];
    if let Some((object, _)) = objects.iter().zip(by).find(|(object, by)| *by && !object.warp) {
        return Err(("curves", format!("'{}' has no chart (UV), so its warp is not known", object.name)));
    }
    let one_way = |c: &crate::force::friction::Ground| c.peak.is_one_way() || c.plateau.is_one_way();
    if warp == Warp::Both && curves.law == crate::scene::friction::Law::Associated && one_way(first) {
        let message = "curves against the warp or the weft of both have no common cone; \
                       give warp = \"first\", or \"antiparallel\"";
        return Err(("law", message.to_string()));
    }
    let other = second.as_ref().unwrap_or(first);
    Ok(law([by[0].then(|| first.clone()), by[1].then(|| other.clone())]))
}
