//! Constants of the airflow in a box around cloths.

use super::resistance::Resistance;
use super::solver::Fluid;
use super::solver::bounds::{Inlet, Side};
use super::solver::grid::Grid;
use super::solver::solid::Solids;
use crate::force::drag::{AeroSurface, Drag};
use crate::linalg::Vec3;
use crate::mesh::topology::Topology;
use crate::world::envelope::Envelope;
use crate::world::{Kind, Object, State, World};

/// Constants of the airflow in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Airflow {
    /// Grid of the box.
    pub grid: Grid,
    /// Boundary condition of each side. Side number: twice the axis, plus 1 at the end with large coordinates.
    pub sides: [Side; 6],
    /// Properties of the air.
    pub fluid: Fluid,
    /// Inlets and their speeds.
    pub inlets: Vec<Blower>,
    /// Law of the force on cloth.
    pub resistance: Resistance,
    /// True if cloth pushes the air too.
    pub two_way: bool,
    /// Indices of closed obstacles and bodies, around which the air flows.
    pub solids: Vec<usize>,
}

/// Inlet and the speed of air through it.
#[derive(Clone, Debug, PartialEq)]
pub struct Blower {
    /// Faces of the inlet.
    pub inlet: Inlet,
    /// Speed as a function of time.
    pub blow: Blow,
}

/// Speed of the air into the box as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Blow {
    /// Constant speed [m/s] from one time until another [s].
    Steady(f64, [f64; 2]),
    /// Speed that follows the envelope of a recording, from one time until another [s]. The recording begins at the
    /// first.
    Recorded(Envelope, [f64; 2]),
}

impl Blow {
    /// Returns the speed at time `t` [m/s].
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Blow::Steady(speed, [from, until]) if (*from..*until).contains(&t) => *speed,
            Blow::Recorded(envelope, [from, until]) if (*from..*until).contains(&t) => envelope.at(t - from),
            Blow::Steady(..) | Blow::Recorded(..) => 0.0,
        }
    }
}

/// Checks that each edge of the object is shared by two triangles. Only a closed object has an inside.
pub fn closed(object: &Object) -> bool {
    Topology::new(object.place.len(), &object.triangles).edge_valence.iter().all(|triangles| *triangles == 2)
}

impl Airflow {
    /// Adds the airflow to a world: around closed obstacles and bodies, past all cloths. The air in `state` is at rest.
    pub fn blow(mut self, world: &mut World, state: &mut State) {
        let solid = |object: &Object| object.kind != Kind::Cloth && closed(object);
        self.solids = (0..world.objects.len()).filter(|k| solid(&world.objects[*k])).collect();
        for object in world.objects.iter().filter(|object| object.kind == Kind::Cloth) {
            if world.elements.aero_surfaces.iter().all(|surface| surface.vertices != object.vertices) {
                let faces = object.triangles.iter().map(|t| t.map(|v| object.place[v as usize])).collect();
                world.elements.aero_surfaces.push(AeroSurface {
                    vertices: object.vertices.clone(),
                    faces,
                    drag: Drag::default(),
                });
            }
        }
        world.plug(self, state);
    }

    /// Finds the cells inside obstacles and bodies at a time of prescribed motion [s]. `x` are positions of vertices
    /// [m], `v` returns their velocities [m/s].
    pub fn find_solids(&self, world: &World, (x, time): (&[Vec3], f64), v: impl Fn(u32) -> Vec3, solids: &mut Solids) {
        solids.clear(&self.grid);
        for object in self.solids.iter().filter(|k| world.there(**k, time)).map(|k| &world.objects[*k]) {
            let triangles = object.triangles.iter().map(|t| t.map(|v| object.place[v as usize]));
            solids.add(&self.grid, triangles, |v| x[v as usize], &v);
        }
    }
}
