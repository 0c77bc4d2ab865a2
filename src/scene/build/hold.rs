//! Groups, pins and handles of a cloth or a body.

use super::faults::Faults;
use super::recorded::{self, Led};
use super::select::{self, Groups, Refusal};
use crate::linalg::Vec3;
use crate::scene::cloth::{self, Pull, Weight};
use crate::scene::obstacle::Cache;
use crate::scene::place::Group;
use crate::world::motion::Motion;
use crate::world::{self, Handle, Pin};
use std::collections::BTreeMap;

/// Returns the groups of the mesh file and those of the object at `key` in the scene.
pub(super) fn groups(own: &[Group], file: &Groups, x: &[Vec3], key: &str, faults: &mut Faults) -> Groups {
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
pub(super) fn refuse(faults: &mut Faults, key: &str, table: &str, k: usize, (below, message): Refusal) {
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

/// Pins of an object, and a handle for each that does not hold all its vertices exactly.
pub(super) type Held = (Vec<Pin>, Vec<Handle>);

/// Returns the weight of each vertex that a pin selects.
fn weights(
    weight: &Weight,
    vertices: &[u32],
    channels: Option<&BTreeMap<String, Vec<f64>>>,
) -> Result<Vec<f64>, Refusal> {
    let name = match weight {
        Weight::Same(weight) => return Ok(vec![*weight; vertices.len()]),
        Weight::Channel(name) => name,
    };
    let Some(channels) = channels else {
        return Err(("weight_channel", "is of cloths; give the same 'weight' to all vertices of a body".to_string()));
    };
    let all = channels.get(name).ok_or_else(|| ("weight_channel", select::no_channel(name, channels)))?;
    let own: Vec<f64> = vertices.iter().map(|v| all.get(*v as usize).copied().unwrap_or(f64::NAN)).collect();
    match own.iter().position(|weight| !(0.0..=1.0).contains(weight)) {
        Some(k) => Err(("weight_channel", format!("is {} at vertex {}; weights are 0 to 1", own[k], vertices[k]))),
        None => Ok(own),
    }
}

/// Creates the pins of the object at `key`. Their vertices are numbered as in the file.
pub(super) fn pins(
    pins: &[cloth::Pin],
    (x, led): (&[Vec3], Led),
    groups: &Groups,
    channels: Option<&BTreeMap<String, Vec<f64>>>,
    key: &str,
    faults: &mut Faults,
) -> Held {
    let (mut held, mut soft) = (Vec::with_capacity(pins.len()), Vec::new());
    for (k, pin) in pins.iter().enumerate() {
        let selected = select::vertices(&pin.selector, x, groups)
            .and_then(|vertices| weights(&pin.weight, &vertices, channels).map(|weights| (vertices, weights)));
        let (vertices, weights) = match selected {
            Ok(selected) => selected,
            Err(refusal) => {
                refuse(faults, key, "pin", k, refusal);
                continue;
            }
        };
        let (way, at) = ((&pin.motion, pin.cache.as_ref()), format!("{key}.pin[{k}]"));
        let mut of = |holds: fn(f64) -> bool| {
            let own = || vertices.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| holds(*weight));
            let vertices: Vec<u32> = own().map(|(v, _)| v).collect();
            let motion = motion(way, (&vertices, x.len()), led, &at, faults)?;
            let pin = Pin { vertices, motion, from: pin.from, until: pin.until, slack: pin.slack };
            Some((pin, own().map(|(_, weight)| weight).collect::<Vec<f64>>()))
        };
        let Some((own, _)) = of(|weight| weight == 1.0) else { continue };
        held.push(own);
        if pin.weight != Weight::Same(1.0)
            && let Some((pin, weights)) = of(|weight| weight > 0.0 && weight < 1.0)
        {
            soft.push(Handle { pin, pull: world::Pull::Held, weights });
        }
    }
    (held, soft)
}

/// Creates the handles of the object at `key`. Their vertices are numbered as in the file.
pub(super) fn handles(
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
                pulled.push(Handle::new(pin, pull));
            }
            Err(refusal) => refuse(faults, key, "handle", k, refusal),
        }
    }
    pulled
}
