//! `[[probe]]`: conversion from names and places to numbers of pins, handles, objects and vertices.

use super::faults::Faults;
use super::select::{self, Groups};
use crate::linalg::Vec3;
use crate::scene::Scene;
use crate::scene::cloth::{Handle, Pin, Weight};
use crate::scene::probe::{self, Points, Source, Worker};
use crate::world::World;
use crate::world::build::{BodyInput, ClothInput, ObstacleInput};
use crate::world::probe::{Every, Measure, Probe, Source as Acting};

/// Objects that were read.
pub(super) struct Read<'a> {
    /// Cloths.
    pub cloths: &'a [ClothInput],
    /// Bodies.
    pub bodies: &'a [BodyInput],
    /// Obstacles.
    pub obstacles: &'a [ObstacleInput],
}

impl Read<'_> {
    /// Returns the positions and groups of an object, or `None` if it could not be read. That error is reported
    /// already.
    fn find(&self, name: &str) -> Option<(&[Vec3], &Groups)> {
        let cloths = self.cloths.iter().map(|c| (&c.name, &c.mesh.positions, &c.mesh.groups));
        let bodies = self.bodies.iter().map(|b| (&b.name, &b.mesh.positions, &b.mesh.groups));
        let obstacles = self.obstacles.iter().map(|o| (&o.name, &o.mesh.positions, &o.mesh.groups));
        let mut all = cloths.chain(bodies).chain(obstacles);
        all.find(|(own, ..)| *own == name).map(|(_, x, groups)| (&x[..], groups))
    }

    /// Returns the file vertices of a selector. Reports a faulty selector and returns no vertices for it.
    fn vertices(&self, points: &Points, key: &str, faults: &mut Faults) -> Vec<u32> {
        let Some((x, groups)) = self.find(&points.of) else { return Vec::new() };
        select::vertices(&points.selector, x, groups).unwrap_or_else(|(below, message)| {
            faults.fault(&format!("{key}.{below}"), message);
            Vec::new()
        })
    }
}

/// Returns the file vertices that each probe selects. Both lists are empty for probes without places.
pub(super) fn selected(scene: &Scene, read: &Read, faults: &mut Faults) -> Vec<[Vec<u32>; 2]> {
    let one = |(k, probe): (usize, &probe::Probe)| match &probe.measure {
        probe::Measure::Length(length) => [("from", &length.from), ("to", &length.to)]
            .map(|(end, points)| read.vertices(points, &format!("probe[{k}].length.{end}"), faults)),
        probe::Measure::Position(points) => {
            [read.vertices(points, &format!("probe[{k}].position"), faults), Vec::new()]
        }
        _ => Default::default(),
    };
    scene.probes.iter().enumerate().map(one).collect()
}

/// Creates the probes of a scene in its world.
pub(super) fn probes(scene: &Scene, selected: Vec<[Vec<u32>; 2]>, world: &World) -> Vec<Probe> {
    let object = |name: &str| world.objects.iter().position(|object| object.name == name).unwrap_or(usize::MAX);
    let placed = |points: &Points, vertices: &[u32]| -> Vec<u32> {
        let Some(object) = world.objects.get(object(&points.of)) else { return Vec::new() };
        vertices.iter().map(|v| object.place[*v as usize]).collect()
    };
    let measure = |probe: &probe::Probe, [first, second]: [Vec<u32>; 2]| match &probe.measure {
        probe::Measure::Force(force) => Measure::Force(match &force.source {
            Source::Pin(name) => pins(scene, name),
            Source::Handle(name) => handles(scene, name),
            Source::Object(name) => Acting::Object { object: object(name), from: force.from.as_deref().map(object) },
            Source::Everything => Acting::Everything,
        }),
        probe::Measure::Work(work) => Measure::Work(match &work.worker {
            Worker::Pin(name) => pins(scene, name),
            Worker::Handle(name) => handles(scene, name),
            Worker::Obstacle(name) => Acting::Object { object: object(name), from: None },
            Worker::Everything => Acting::Everything,
        }),
        probe::Measure::Length(length) => Measure::Length([placed(&length.from, &first), placed(&length.to, &second)]),
        probe::Measure::Position(points) => Measure::Position(placed(points, &first)),
    };
    let one = |(probe, selected): (&probe::Probe, [Vec<u32>; 2])| Probe {
        name: probe.name.clone(),
        every: match probe.every {
            probe::Every::Frame => Every::Frame,
            probe::Every::Step => Every::Step,
        },
        measure: measure(probe, selected),
    };
    scene.probes.iter().zip(selected).map(one).collect()
}

/// Returns the numbers of all pins or handles of a name. A world has those of all cloths, then those of all bodies.
fn numbers<'a>(names: impl Iterator<Item = &'a Option<String>>, name: &str) -> Vec<usize> {
    names.enumerate().filter(|(_, own)| own.as_deref() == Some(name)).map(|(k, _)| k).collect()
}

fn pins(scene: &Scene, name: &str) -> Acting {
    let all = scene.cloths.iter().flat_map(|c| &c.pins).chain(scene.bodies.iter().flat_map(|b| &b.pins));
    Acting::Pins(numbers(all.map(|pin| &pin.name), name))
}

fn handles<'a>(scene: &'a Scene, name: &str) -> Acting {
    // After the handles of each object come those of its pins that do not hold exactly.
    let own = |handles: &'a [Handle], pins: &'a [Pin]| {
        let soft = pins.iter().filter(|pin| pin.weight != Weight::Same(1.0)).map(|_| &None);
        handles.iter().map(|handle| &handle.name).chain(soft)
    };
    let cloths = scene.cloths.iter().flat_map(|cloth| own(&cloth.handles, &cloth.pins));
    let bodies = scene.bodies.iter().flat_map(|body| own(&body.handles, &body.pins));
    Acting::Handles(numbers(cloths.chain(bodies), name))
}
