//! Air that flows in a box around cloths: what is constant of it.

use super::resistance::Resistance;
use super::solver::Fluid;
use super::solver::bounds::{Inlet, Side};
use super::solver::grid::Grid;
use super::solver::solid::Solids;
use crate::force::drag::{Drag, Sail};
use crate::linalg::Vec3;
use crate::mesh::topology::Topology;
use crate::world::envelope::Envelope;
use crate::world::{Kind, Object, State, World};

/// Everything about the flow that is constant in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Airflow {
    /// Its box.
    pub grid: Grid,
    /// What the sides of the box do: twice the axis, and one more at the end with large coordinates.
    pub sides: [Side; 6],
    /// What the air is like.
    pub fluid: Fluid,
    /// Where it is blown in.
    pub inlets: Vec<Blower>,
    /// How it pushes cloth.
    pub resistance: Resistance,
    /// Cloth pushes it as well.
    pub answers: bool,
    /// Obstacles and bodies that it flows around: numbers of objects that are closed.
    pub solids: Vec<usize>,
}

/// An inlet and what blows through it.
#[derive(Clone, Debug, PartialEq)]
pub struct Blower {
    /// Its faces.
    pub inlet: Inlet,
    /// How fast.
    pub blow: Blow,
}

/// Speed of the air into the box, as a function of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Blow {
    /// Always the same [m/s], from one time until another [s].
    Steady(f64, [f64; 2]),
    /// As loud as a recording that begins at a time, until another [s].
    Recorded(Envelope, [f64; 2]),
}

impl Blow {
    /// At time `t` [m/s].
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Blow::Steady(speed, [from, until]) if (*from..*until).contains(&t) => *speed,
            Blow::Recorded(envelope, [from, until]) if (*from..*until).contains(&t) => envelope.at(t - from),
            Blow::Steady(..) | Blow::Recorded(..) => 0.0,
        }
    }
}

/// Every edge of the object is between two triangles: it has an inside.
pub fn closed(object: &Object) -> bool {
    Topology::new(object.place.len(), &object.triangles).edge_valence.iter().all(|triangles| *triangles == 2)
}

impl Airflow {
    /// Lets air flow in a world: around obstacles and bodies that are closed, past all cloths. The air in `state` is still.
    pub fn blow(mut self, world: &mut World, state: &mut State) {
        let solid = |object: &Object| object.kind != Kind::Cloth && closed(object);
        self.solids = (0..world.objects.len()).filter(|k| solid(&world.objects[*k])).collect();
        for object in world.objects.iter().filter(|object| object.kind == Kind::Cloth) {
            if world.elements.sails.iter().all(|sail| sail.vertices != object.vertices) {
                let faces = object.triangles.iter().map(|t| t.map(|v| object.place[v as usize])).collect();
                world.elements.sails.push(Sail { vertices: object.vertices.clone(), faces, drag: Drag::default() });
            }
        }
        world.plug(self, state);
    }

    /// Cells inside the obstacles and bodies that air flows around, with vertices at `x` [m] at a time of prescribed motion [s]; `v` gives
    /// their velocities [m/s].
    pub fn find_solids(&self, world: &World, (x, time): (&[Vec3], f64), v: impl Fn(u32) -> Vec3, solids: &mut Solids) {
        solids.clear(&self.grid);
        for object in self.solids.iter().filter(|k| world.there(**k, time)).map(|k| &world.objects[*k]) {
            let triangles = object.triangles.iter().map(|t| t.map(|v| object.place[v as usize]));
            solids.add(&self.grid, triangles, |v| x[v as usize], &v);
        }
    }
}
