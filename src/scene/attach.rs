//! `[[attach]]`: vertices of a cloth held at a surface.

use super::Scene;
use super::build::faults::Faults;
use super::build::plug::Then;
use super::build::select;
use super::glue::Named;
use super::keys::{Keys, Kind, exactly_one, section};
use super::kinds::{direction, name, quantity, text};
use super::place::Selector;
use super::unit::Unit;
use crate::effect::attach::{self, Attaches};
use crate::linalg::{UnitVec3, Vec3};
use crate::world::build::ClothInput;
use crate::world::window::Window;
use crate::world::{State, World};
use std::collections::BTreeSet;

section! {
    /// Vertices of a cloth attached to a cloth, a body or an obstacle, each to the point of its surface next to it:
    /// buttons, hooks, straps, belts.
    pub struct Attach {
        /// Name for messages.
        pub name: Option<String> = name().optional(),
        /// Name of the cloth.
        pub cloth: String = Named(&["cloth"]).required(),
        /// Vertices of the cloth that are attached.
        pub selector: Selector = exactly_one(),
        /// Name of the cloth, body or obstacle that holds them; it may be the same cloth.
        pub to: String = Named(&["cloth", "body", "obstacle"]).required(),
        /// Group of a cloth whose triangles alone hold them: all with a vertex of the group.
        pub to_group: Option<String> = text().optional(),
        /// Distance beyond which a vertex stays free.
        pub within: f64 = quantity(Unit::Length, 0.0..=1e3).or(0.05),
        /// Distance from the surface to which they are drawn; as far as they are if absent.
        pub gap: Option<f64> = quantity(Unit::Length, 0.0..=1.0).optional(),
        /// Time in which they are drawn.
        pub over: f64 = quantity(Unit::Time, 1e-3..=1e4).or(0.5),
        /// Force per deviation, of each vertex.
        pub stiffness: f64 = quantity(Unit::Stiffness, 1e-3..=1e7).or(1000.0),
        /// Force at which a vertex comes off; it never does if absent.
        pub strength: Option<f64> = quantity(Unit::Force, 1e-9..=1e6).optional(),
        /// Time at which they are attached.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// Time from the first vertex to the last where they are attached one after the other, as by a zip.
        pub spread: f64 = quantity(Unit::Time, 0.0..=1e4).or(0.0),
        /// Direction in which they follow one another, by their places at the start; up if absent.
        pub along: Option<UnitVec3> = direction().optional(),
        /// Time at which they are let go; never if absent.
        pub until: f64 = quantity(Unit::Time, 0.0..=1e6).or(f64::INFINITY),
    }
    check attach_has_time;
}

fn attach_has_time(attach: Attach, keys: &mut Keys) -> Option<Attach> {
    if attach.to_group.is_none() && attach.to == attach.cloth {
        keys.fault("to", "is the cloth itself: name the group of it that holds them as 'to_group'");
        return None;
    }
    if attach.along.is_some() && attach.spread == 0.0 {
        keys.fault("along", "they are attached all at once; give 'spread' too, or leave this out");
        return None;
    }
    super::motion::window(attach.from, attach.until, keys).map(|()| attach)
}

/// Attachment whose vertices are file vertices of the cloth.
struct Read {
    /// Attachment of the scene.
    attach: Attach,
    /// Vertices that are attached.
    vertices: Vec<u32>,
    /// Part of `spread` after which each of them is attached.
    parts: Vec<f64>,
    /// Vertices of the group that holds them; `None` for the whole surface.
    group: Option<BTreeSet<u32>>,
    /// Number in the scene.
    number: usize,
}

/// Returns the builder of all attachments, or `None` if there are none.
pub fn effect(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Option<Then> {
    let mut all = Vec::new();
    for (number, attach) in scene.attaches.iter().enumerate() {
        // Faults of cloths that could not be read are already recorded.
        let Some(cloth) = cloths.iter().find(|cloth| cloth.name == attach.cloth) else { continue };
        let key = |below: &str| format!("attach[{number}].{below}");
        let group = match &attach.to_group {
            None => None,
            Some(group) => match cloths.iter().find(|cloth| cloth.name == attach.to) {
                None => {
                    faults.fault(&key("to_group"), "is of cloths; bodies and obstacles hold with all of their surface");
                    continue;
                }
                Some(to) => match select::named(group, &to.mesh.groups) {
                    Ok(members) => Some(members.into_iter().collect()),
                    Err(message) => {
                        faults.fault(&key("to_group"), message);
                        continue;
                    }
                },
            },
        };
        match select::vertices(&attach.selector, &cloth.mesh.positions, &cloth.mesh.groups) {
            Ok(vertices) => {
                let along = attach.along.map_or(scene.upwards(), |along| along.into_inner());
                let parts = parts(&vertices, &cloth.mesh.positions, &along);
                all.push(Read { attach: attach.clone(), vertices, parts, group, number });
            }
            Err((below, message)) => faults.fault(&key(below), message),
        }
    }
    if all.is_empty() {
        None
    } else {
        Some(Box::new(move |scene, world, state, faults| plug(all, scene, world, state, faults)))
    }
}

/// Returns how far each vertex is along a direction, from the first at 0 to the last at 1.
fn parts(vertices: &[u32], x: &[Vec3], along: &Vec3) -> Vec<f64> {
    let heights: Vec<f64> = vertices.iter().map(|v| x[*v as usize].dot(along)).collect();
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let whole = heights.iter().copied().fold(low, f64::max) - low;
    heights.iter().map(|height| if whole > 0.0 { (height - low) / whole } else { 0.0 }).collect()
}

/// Adds the attachments. Warns of those at the start that bind nothing.
fn plug(all: Vec<Read>, scene: &Scene, world: &mut World, state: &mut State, faults: &mut Faults) {
    let mut attaches = Attaches::default();
    for Read { attach, vertices, parts, group, number } in all {
        let object = |name: &str| world.objects.iter().position(|object| object.name == name);
        let (Some(cloth), Some(to)) = (object(&attach.cloth), object(&attach.to)) else { continue };
        // Vertices that are joined have one bond.
        let mut known = BTreeSet::new();
        let place = |(v, part): (&u32, f64)| {
            Some((world.objects[cloth].place[*v as usize], part)).filter(|(v, _)| known.insert(*v))
        };
        let (vertices, parts): (Vec<u32>, Vec<f64>) = vertices.iter().zip(parts).filter_map(place).unzip();
        let first = world.surface.triangle_ranges[to].start as u32;
        let holds = |t: &[u32; 3]| group.as_ref().is_none_or(|group| t.iter().any(|v| group.contains(v)));
        let held = (first..).zip(&world.surface.triangles[world.surface.triangle_ranges[to].clone()]);
        let triangles = match world.objects[to].kind {
            crate::world::Kind::Cloth => {
                (first..).zip(&world.objects[to].triangles).filter(|(_, t)| holds(t)).map(|(t, _)| t).collect()
            }
            _ => held.map(|(t, _)| t).collect(),
        };
        let [mut from, until] = scene.time.shot().window([attach.from, attach.until]);
        if scene.onward.is_some() && from <= 0.0 {
            // The vertices have been drawn to their height in the run that is continued.
            from = -attach.over - attach.spread;
        }
        let span = |time: f64| scene.time.shot().run(time) - scene.time.shot().run(0.0);
        let spread = span(attach.spread);
        attaches.0.push(attach::Attach {
            name: attach.name.unwrap_or_else(|| format!("attach[{number}]")),
            vertices,
            delays: parts.iter().map(|part| part * spread).collect(),
            to,
            triangles,
            window: Window { from, until },
            within: attach.within,
            gap: attach.gap,
            over: span(attach.over),
            stiffness: attach.stiffness,
            strength: attach.strength.unwrap_or(f64::INFINITY),
        });
        let own = attaches.0.last();
        if scene.onward.is_none()
            && let Some(free) = own.and_then(|own| own.free_at_the_start(world, state))
        {
            faults.warn(&format!("attach[{number}]"), free);
        }
    }
    world.plug(attaches, state);
}
