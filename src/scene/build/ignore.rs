//! `[[ignore]]`: conversion from names to vertices.

use super::faults::Faults;
use super::select::{self, Groups};
use crate::scene::Scene;
use crate::scene::ignore;
use crate::world::Kind;
use crate::world::build::{BodyInput, ClothInput, ObstacleInput};
use crate::world::left_out::{Apart, MOST, Part};
use std::collections::BTreeMap;

/// Object that a part may be of.
struct Known<'a> {
    kind: Kind,
    self_contact: bool,
    groups: &'a Groups,
}

/// Returns the parts that contact leaves out. An object that could not be read is reported already.
pub(super) fn apart(
    scene: &Scene,
    (cloths, bodies, obstacles): (&[ClothInput], &[BodyInput], &[ObstacleInput]),
    faults: &mut Faults,
) -> Vec<Apart> {
    let mut objects: BTreeMap<&str, Known> = BTreeMap::new();
    let known = |kind, self_contact, groups| Known { kind, self_contact, groups };
    objects.extend(cloths.iter().map(|c| (&*c.name, known(Kind::Cloth, c.self_contact, &c.mesh.groups))));
    objects.extend(bodies.iter().map(|b| (&*b.name, known(Kind::Body, b.self_contact, &b.mesh.groups))));
    objects.extend(obstacles.iter().map(|o| (&*o.name, known(Kind::Obstacle, false, &o.mesh.groups))));
    let mut all: Vec<Apart> = Vec::with_capacity(scene.ignores.len());
    for (k, entry) in scene.ignores.iter().enumerate() {
        let key = format!("ignore[{k}].between");
        let mut parts = Vec::with_capacity(2);
        for (side, part) in entry.between.iter().enumerate() {
            let Some(object) = objects.get(&*part.object) else { continue };
            match chosen(part, object) {
                Ok(part) => parts.push((part, object)),
                Err(message) => faults.fault(&format!("{key}[{side}]"), message),
            }
        }
        if parts.len() < entry.between.len() {
            continue;
        }
        let reported: Vec<String> = entry.between.iter().map(|part| format!("'{}'", part.describe())).collect();
        let name = if let [one] = reported.as_slice() { format!("{one} and itself") } else { reported.join(" and ") };
        let (Some((first, a)), Some((second, _))) = (parts.first(), parts.last()) else { continue };
        let apart = Apart { name, parts: [first.clone(), second.clone()] };
        let twice = all.iter().any(|other| same(&other.parts, &apart.parts));
        let message = if k >= MOST {
            Some(format!("more than {MOST} entries; make groups of more vertices"))
        } else if twice {
            Some("is in another entry already; leave one out".to_string())
        } else if first == second && !a.kind.simulated() {
            Some(format!(
                "obstacles have no contact with themselves, so {} alone is no pair; name the cloth that is to ignore it, \
                 or two obstacles or groups that cross and catch cloth",
                reported[0]
            ))
        } else {
            None
        };
        if let Some(message) = message {
            faults.fault(&key, message);
            continue;
        }
        if first.object == second.object && a.kind.simulated() && !a.self_contact {
            faults.warn(&key, format!("does nothing: '{}' has no contact with itself (self_contact)", first.object));
        }
        all.push(apart);
    }
    tell(scene, &objects, &all, faults);
    all
}

/// Returns whether two pairs of parts are the same, in any order.
fn same(pair: &[Part; 2], other: &[Part; 2]) -> bool {
    pair == other || pair[0] == other[1] && pair[1] == other[0]
}

/// Returns the vertices of a part.
fn chosen(part: &ignore::Part, object: &Known) -> Result<Part, String> {
    let vertices = match &part.group {
        None => None,
        Some(group) => Some(select::named(group, object.groups)?),
    };
    Ok(Part { object: part.object.clone(), vertices })
}

/// Reports entries without contact, and contact that has nothing left.
fn tell(scene: &Scene, objects: &BTreeMap<&str, Known>, all: &[Apart], faults: &mut Faults) {
    if all.is_empty() {
        return;
    }
    if !scene.contact.enabled {
        return faults.warn("ignore[0]", "does nothing without contact (contact.enabled)");
    }
    let pairs = objects.iter().enumerate().flat_map(|(k, a)| objects.iter().skip(k).map(move |b| [a, b]));
    let mut meeting = pairs.filter(|[(a, of), (b, other)]| match a == b {
        true => of.self_contact,
        false => of.kind.simulated() || other.kind.simulated(),
    });
    let is_whole = |pair: [(&&str, &Known); 2]| {
        let parts = pair.map(|(name, _)| Part { object: name.to_string(), vertices: None });
        all.iter().any(|apart| same(&apart.parts, &parts))
    };
    if meeting.all(is_whole) {
        faults
            .fault("ignore[0]", "nothing is left that may touch; write contact.enabled = false in place of [[ignore]]");
    }
}
