//! `[[cloth]]` as a world takes it.

use super::faults::Faults;
use super::files;
use super::select::{self, Groups, Refusal};
use crate::force::contact::Friction;
use crate::force::drag::Drag;
use crate::force::sheet::{Damping, Sheet};
use crate::mesh::TriMesh;
use crate::scene::Scene;
use crate::scene::cloth::{self, Cloth, Map, MapSource, Mapped, Pull, RestAngles};
use crate::scene::fault::meant;
use crate::world;
use crate::world::build::{ClothInput, Rest, Weights};
use crate::world::{Handle, Pin};
use std::path::Path;

/// A cloth with its mesh in the world; `key` is its path in the scene.
pub fn input(scene: &Scene, cloth: &Cloth, key: &str, faults: &mut Faults) -> Option<ClothInput> {
    let mesh = files::placed(&cloth.mesh, &cloth.transform, faults)?;
    if cloth.rest == cloth::Rest::Chart {
        check_chart(&cloth.mesh, &mesh, key, faults);
    }
    let groups = groups(cloth, &mesh, key, faults);
    let mut told = |below: String, refusal: Refusal| {
        faults.fault(&format!("{key}.{below}.{}", refusal.0), refusal.1);
    };
    let mut pins = Vec::new();
    for (k, pin) in cloth.pins.iter().enumerate() {
        match select::vertices(&pin.selector, &mesh, &groups) {
            Ok(vertices) => pins.push(Pin { vertices, motion: pin.motion.clone(), from: pin.from, until: pin.until }),
            Err(refusal) => told(format!("pin[{k}]"), refusal),
        }
    }
    let mut handles = Vec::new();
    for (k, handle) in cloth.handles.iter().enumerate() {
        match select::vertices(&handle.selector, &mesh, &groups) {
            Ok(vertices) => handles.push(pulled(handle, vertices)),
            Err(refusal) => told(format!("handle[{k}]"), refusal),
        }
    }
    let mut weights = Weights::default();
    for (k, map) in cloth.maps.iter().enumerate() {
        if let Err(refusal) = scale(&mut weights, map, &mesh, &groups) {
            told(format!("map[{k}]"), refusal);
        }
    }
    let free = unused(&mesh);
    if !free.is_empty() {
        // Vertices of no triangle have no mass: they stay where they are.
        pins.push(Pin::fixed(free));
    }
    let material = &cloth.material;
    Some(ClothInput {
        name: cloth.name.clone(),
        sheet: Sheet {
            membrane: material.membrane,
            bending: material.bending,
            damping: Damping { stretch: material.damping, bend: material.bending_damping.unwrap_or(material.damping) },
        },
        density: material.density,
        thickness: material.thickness,
        friction: Friction { fixed: material.friction_static, sliding: material.friction_dynamic },
        drag: Drag { normal: cloth.air_drag, tangent: cloth.air_drag_tangent },
        warp: cloth.transform.rotation() * cloth.warp.into_inner(),
        rest: match cloth.rest {
            cloth::Rest::Mesh => Rest::Mesh,
            cloth::Rest::Chart => Rest::Chart,
        },
        flat: cloth.rest_angles == RestAngles::Flat,
        limit: cloth.strain_limit,
        velocity: cloth.velocity,
        self_contact: cloth.self_contact && scene.contact.self_contact,
        weights,
        pins,
        handles,
        mesh,
    })
}

/// A chart that is to be the rest shape covers every triangle, and is of the mesh's size.
fn check_chart(file: &Path, mesh: &TriMesh, key: &str, faults: &mut Faults) {
    if mesh.uv_triangles.len() != mesh.triangles.len() {
        faults.fault(&format!("{key}.rest"), "the mesh has no chart (UV); give it one, or rest = \"mesh\"");
        return;
    }
    let area = |uv: &[u32; 3]| {
        let [a, b, c] = uv.map(|k| mesh.uv.get(k as usize).copied().unwrap_or_default());
        (b - a).perp(&(c - a)).abs() / 2.0
    };
    if let Some(t) = mesh.uv_triangles.iter().position(|uv| !(area(uv).is_normal())) {
        faults.fault(&format!("{key}.rest"), format!("triangle {t} has no area in the mesh's chart"));
        return;
    }
    let chart: f64 = mesh.uv_triangles.iter().map(area).sum();
    let corner = |v: u32| mesh.positions[v as usize];
    let faces = mesh.triangles.iter().map(|t| t.map(corner));
    let placed: f64 = faces.map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum();
    if !(0.5..=2.0).contains(&(chart / placed)) {
        let message =
            format!("its chart has {chart:.4} m2, the mesh as placed {placed:.4} m2; is the chart in metres?");
        faults.warn_in_file(file, message);
    }
}

/// Groups of the mesh file and of the cloth.
fn groups(cloth: &Cloth, mesh: &TriMesh, key: &str, faults: &mut Faults) -> Groups {
    let mut groups = mesh.groups.clone();
    for (k, group) in cloth.groups.iter().enumerate() {
        if mesh.groups.contains_key(&group.name) {
            let message = format!("the mesh file has a group '{}' already; give another name", group.name);
            faults.fault(&format!("{key}.group[{k}].name"), message);
            continue;
        }
        match select::members(group, mesh) {
            Ok(members) => {
                groups.insert(group.name.clone(), members);
            }
            Err((below, message)) => {
                faults.fault(&format!("{key}.group[{k}].{below}"), message);
                // Known all the same: its users are not to blame.
                groups.insert(group.name.clone(), vec![0]);
            }
        }
    }
    groups
}

fn pulled(handle: &cloth::Handle, vertices: Vec<u32>) -> Handle {
    let pull = match handle.pull {
        Pull::Spring(stiffness) => world::Pull::Spring { stiffness, most: handle.max_force },
        Pull::Force(force) => world::Pull::Force(force),
    };
    Handle { pin: Pin { vertices, motion: handle.motion.clone(), from: handle.from, until: handle.until }, pull }
}

/// Multiplies a map into the weights.
fn scale(weights: &mut Weights, map: &Map, mesh: &TriMesh, groups: &Groups) -> Result<(), Refusal> {
    let count = mesh.positions.len();
    let (below, factors) = match &map.source {
        MapSource::Channel(name) => match mesh.channels.get(name) {
            Some(values) => ("channel", values.iter().map(|v| v * map.factor).collect::<Vec<f64>>()),
            None => {
                let names = || mesh.channels.keys().map(String::as_str);
                let known = names().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", ");
                let has = if known.is_empty() { "has none".to_string() } else { format!("has {known}") };
                let message = format!("the mesh has no channel '{name}', it {has}{}", meant(name, names()));
                return Err(("channel", message));
            }
        },
        MapSource::Group(name) => {
            let members = select::named(name, groups).map_err(|message| ("group", message))?;
            let mut factors = vec![map.outside; count];
            for v in members {
                if let Some(factor) = factors.get_mut(v as usize) {
                    *factor = map.factor;
                }
            }
            ("group", factors)
        }
    };
    let positive = map.of == Mapped::Mass;
    let wrong = |f: &f64| !f.is_finite() || *f < 0.0 || positive && *f == 0.0;
    if let Some(v) = factors.iter().position(wrong) {
        let value = factors.get(v).copied().unwrap_or_default();
        let least = if positive { "larger than 0" } else { "at least 0" };
        return Err((below, format!("the factor at vertex {v} is {value}; factors of this map must be {least}")));
    }
    let whole = match map.of {
        Mapped::Stretch => &mut weights.stretch,
        Mapped::Bend => &mut weights.bend,
        Mapped::Thickness => &mut weights.thickness,
        Mapped::Mass => &mut weights.mass,
    };
    whole.resize(count, 1.0);
    for (all, factor) in whole.iter_mut().zip(factors) {
        *all *= factor;
    }
    Ok(())
}

/// Vertices of no triangle.
fn unused(mesh: &TriMesh) -> Vec<u32> {
    let mut used = vec![false; mesh.positions.len()];
    for v in mesh.triangles.iter().flatten() {
        if let Some(used) = used.get_mut(*v as usize) {
            *used = true;
        }
    }
    (0..).zip(&used).filter(|(_, used)| !**used).map(|(v, _)| v).collect()
}
