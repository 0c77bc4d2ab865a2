//! Groups, pins and handles of a cloth or a body.

use super::faults::Faults;
use super::recorded::{self, Led};
use super::select::{self, Groups, Refusal};
use crate::linalg::Vec3;
use crate::scene::cloth::{self, Pull};
use crate::scene::obstacle::Cache;
use crate::scene::place::Group;
use crate::world::motion::Motion;
use crate::world::{self, Handle, Pin};

/// Returns the groups of the mesh file and those of the object at `key` in the scene.
pub fn groups(own: &[Group], file: &Groups, x: &[Vec3], key: &str, faults: &mut Faults) -> Groups {
    let mut groups = file.clone();
    for (k, group) in own.iter().enumerate() {
        if file.contains_key(&group.name) {
            let message = format!("the mesh file has a group '{}' already; give another name", group.name);
            faults.fault(&format!("{key}.group[{k}].name"), message);
            continue;
        }
        match select::members(group, x) {
            Ok(members) => {
                groups.insert(group.name.clone(), members);
            }
            Err((below, message)) => {
                faults.fault(&format!("{key}.group[{k}].{below}"), message);
                // A placeholder avoids further errors at the users of the group.
                groups.insert(group.name.clone(), vec![0]);
            }
        }
    }
    groups
}

/// Reports an error below a table of the object at `key`.
pub fn refuse(faults: &mut Faults, key: &str, table: &str, k: usize, (below, message): Refusal) {
    faults.fault(&format!("{key}.{table}[{k}].{below}"), message);
}

/// Returns the motion of a pin or handle: its own, or that of its vertices in a file. The file must have as many
/// vertices as the mesh.
fn motion(
    (own, cache): (&Motion, Option<&Cache>),
    selected: (&[u32], usize),
    led: Led,
    key: &str,
    faults: &mut Faults,
) -> Option<Motion> {
    let Some(cache) = cache else { return Some(own.clone()) };
    recorded::guide(cache, selected, led, key, faults).map(Motion::Recorded)
}

/// Creates the pins of the object at `key`. Their vertices are numbered as in the file.
pub fn pins(
    pins: &[cloth::Pin],
    (x, led): (&[Vec3], Led),
    groups: &Groups,
    key: &str,
    faults: &mut Faults,
) -> Vec<Pin> {
    let mut held = Vec::with_capacity(pins.len());
    for (k, pin) in pins.iter().enumerate() {
        match select::vertices(&pin.selector, x, groups) {
            Ok(vertices) => {
                let (way, at) = ((&pin.motion, pin.cache.as_ref()), format!("{key}.pin[{k}]"));
                let Some(motion) = motion(way, (&vertices, x.len()), led, &at, faults) else { continue };
                held.push(Pin { vertices, motion, from: pin.from, until: pin.until, slack: pin.slack });
            }
            Err(refusal) => refuse(faults, key, "pin", k, refusal),
        }
    }
    held
}

/// Creates the handles of the object at `key`. Their vertices are numbered as in the file.
pub fn handles(
    handles: &[cloth::Handle],
    (x, led): (&[Vec3], Led),
    groups: &Groups,
    key: &str,
    faults: &mut Faults,
) -> Vec<Handle> {
    let mut pulled = Vec::with_capacity(handles.len());
    for (k, handle) in handles.iter().enumerate() {
        let pull = match handle.pull {
            Pull::Spring(stiffness) => world::Pull::Spring { stiffness, most: handle.max_force },
            Pull::Force(force) => world::Pull::Force(force),
        };
        match select::vertices(&handle.selector, x, groups) {
            Ok(vertices) => {
                let (way, at) = ((&handle.motion, handle.cache.as_ref()), format!("{key}.handle[{k}]"));
                let Some(motion) = motion(way, (&vertices, x.len()), led, &at, faults) else { continue };
                let pin = Pin { motion, from: handle.from, until: handle.until, ..Pin::fixed(vertices) };
                pulled.push(Handle { pin, pull });
            }
            Err(refusal) => refuse(faults, key, "handle", k, refusal),
        }
    }
    pulled
}
