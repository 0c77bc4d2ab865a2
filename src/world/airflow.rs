//! Air that flows in a box around cloths: what is constant of it.

use super::envelope::Envelope;
use super::{Kind, Object, State, World};
use crate::field::flow::bounds::{Inlet, Side};
use crate::field::flow::grid::Grid;
use crate::field::flow::solid::Solids;
use crate::field::flow::{Flow, Fluid};
use crate::force::drag::{Drag, Sail};
use crate::force::resistance::Resistance;
use crate::linalg::Vec3;
use crate::mesh::topology::Topology;

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

impl World {
    /// Lets air flow: around obstacles and bodies that are closed, past all cloths. Sets what is constant, and still air in `state`.
    pub fn blow(&mut self, mut airflow: Airflow, state: &mut State) {
        let solid = |object: &Object| object.kind != Kind::Cloth && closed(object);
        airflow.solids = (0..self.objects.len()).filter(|k| solid(&self.objects[*k])).collect();
        for object in self.objects.iter().filter(|object| object.kind == Kind::Cloth) {
            if self.elements.sails.iter().all(|sail| sail.vertices != object.vertices) {
                let faces = object.triangles.iter().map(|t| t.map(|v| object.place[v as usize])).collect();
                self.elements.sails.push(Sail { vertices: object.vertices.clone(), faces, drag: Drag::default() });
            }
        }
        state.flow = Flow::still(&airflow.grid);
        if airflow.answers {
            state.flow.answer(&airflow.grid, self.moving);
        }
        self.airflow = Some(airflow);
    }

    /// Cells inside the obstacles and bodies that air flows around, with vertices at `x` [m] at a time of prescribed motion [s]; `v` gives
    /// their velocities [m/s].
    pub fn find_solids(
        &self,
        airflow: &Airflow,
        (x, time): (&[Vec3], f64),
        v: impl Fn(u32) -> Vec3,
        solids: &mut Solids,
    ) {
        solids.clear(&airflow.grid);
        for object in airflow.solids.iter().filter(|k| self.there(**k, time)).map(|k| &self.objects[*k]) {
            let triangles = object.triangles.iter().map(|t| t.map(|v| object.place[v as usize]));
            solids.add(&airflow.grid, triangles, |v| x[v as usize], &v);
        }
    }

    /// Fastest of the wind, or of the flow, at time `t` [m/s].
    pub fn breeze(&self, state: &State, t: f64) -> f64 {
        self.wind.at(t).norm().max(state.flow.fastest())
    }
}
