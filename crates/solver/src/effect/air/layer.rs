//! Air layers between a cloth and the object below it.

use super::equation::{Air, Gas, Layer, Method};
use crate::collision::traversal::Traversal;
use crate::linalg::Vec3;
use crate::world::{Kind, Object, World};
use std::f64::consts::PI;

/// Direction in which the pressure pushes the cloth and the object below apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// Line between both points. Linear and angular momentum are conserved.
    #[default]
    Gap,
    /// Normal of the cloth (Chen, Feng & Wang 2013, Eq. 3). The pair of forces rotates both objects, so angular
    /// momentum is not conserved.
    Normal,
}

/// Air layer in the scene description. Vertices are file vertices of the cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct AirInput {
    /// Names of the cloth and of the body, obstacle or other cloth below it.
    pub names: [String; 2],
    /// Properties of the gas.
    pub gas: Gas,
    /// Formulation of the air's equation in a step.
    pub method: Method,
    /// Direction of the force.
    pub along: Along,
    /// Speed of air through the cloth over the pressure difference, without inertia [m/(s Pa)].
    pub permeance: f64,
    /// Inertial pressure over the speed squared [Pa s^2/m^2].
    pub inertia: f64,
    /// Contact pressure on the cloth that halves its permeability [Pa]. Infinite if contact has no effect.
    pub blockage: f64,
    /// Vertices where the layer is open to the atmosphere.
    pub open: Vec<u32>,
    /// Vents, where air is blown in or drawn out.
    pub vents: Vec<Vent>,
}

/// Vent: a place of a cloth through which air is blown in or drawn out.
#[derive(Clone, Debug, PartialEq)]
pub struct Vent {
    /// Vertices of the vent.
    pub vertices: Vec<u32>,
    /// Outside excess over atmospheric pressure, its amplitude if there is a period [Pa].
    pub pressure: f64,
    /// Period of the pressure `pressure sin^2(pi t/period)` [s]. 0 for a constant pressure.
    pub period: f64,
    /// Speed of air through the vent over the pressure difference [m/(s Pa)].
    pub permeance: f64,
}

/// Air layer in the world. Vertices are those of the cloth, in the order of the world.
#[derive(Clone, Debug)]
pub struct AirLayer {
    /// Indices of the cloth and of the object below.
    pub objects: [usize; 2],
    /// Triangles of the object below, by world vertices.
    pub below: Vec<[u32; 3]>,
    /// Triangles of the cloth, by world vertices, if the pressure acts along its normals. Empty otherwise.
    pub normal_triangles: Vec<[u32; 3]>,
    /// True if the object below is a cloth. The gap is then an unsigned distance.
    two_sided: bool,
    /// Properties of the gas.
    pub gas: Gas,
    /// Constants of the layer.
    pub layer: Layer,
    /// Contact pressure on the cloth that halves its permeability [Pa].
    pub blockage: f64,
    /// Vents, where air is blown in or drawn out.
    pub vents: Vec<Vent>,
}

impl AirLayer {
    /// Creates the layer in a world. Returns `None` if an object is missing.
    pub fn new(input: &AirInput, world: &World) -> Option<AirLayer> {
        let object = |name: &String| world.objects.iter().position(|o| o.name == *name);
        let (cloth, below) = (object(&input.names[0])?, object(&input.names[1])?);
        let triangles = |object: &Object, first: u32| -> Vec<[u32; 3]> {
            object.triangles.iter().map(|t| t.map(|v| object.place[v as usize] - first)).collect()
        };
        let of = &world.objects[cloth];
        let first = of.vertices.start as u32;
        let mut layer = Layer::new(&world.rest[of.vertices.clone()], &triangles(of, first), input.permeance);
        layer.method = input.method;
        layer.inertia.fill(input.inertia);
        for v in &input.open {
            layer.open[(of.place[*v as usize] - first) as usize] = true;
        }
        let mut vents = input.vents.clone();
        for Vent { vertices, permeance, .. } in &mut vents {
            for v in vertices {
                *v = of.place[*v as usize] - first;
                (layer.permeance[*v as usize], layer.inertia[*v as usize]) = (*permeance, 0.0);
            }
        }
        let two_sided = world.objects[below].kind == Kind::Cloth;
        let (objects, below) = ([cloth, below], triangles(&world.objects[below], 0));
        let normal_triangles = if input.along == Along::Normal { triangles(of, 0) } else { Vec::new() };
        Some(AirLayer {
            objects,
            below,
            normal_triangles,
            two_sided,
            gas: input.gas,
            layer,
            blockage: input.blockage,
            vents,
        })
    }

    /// Returns the height of the gap at a signed distance from the object below [m].
    pub fn gap(&self, distance: f64) -> f64 {
        if self.two_sided { distance.abs() } else { distance }
    }

    /// Computes the outside excess over atmospheric pressure at a time [s], by vertex [Pa].
    pub fn outside(&self, time: f64, outside: &mut Vec<f64>) {
        outside.clear();
        outside.resize(self.layer.size(), 0.0);
        for Vent { vertices, pressure, period, .. } in &self.vents {
            let blow = if *period > 0.0 { (PI * time / period).sin().powi(2) } else { 1.0 };
            vertices.iter().for_each(|v| outside[*v as usize] = pressure * blow);
        }
    }

    /// Returns the remaining part of the cloth's permeability at a vertex with the contact load `load` [N].
    pub fn free(&self, v: usize, load: f64) -> f64 {
        let area = self.layer.areas[v];
        if area > 0.0 { 1.0 / (1.0 + load / (area * self.blockage)) } else { 1.0 }
    }

    /// Returns still air at atmospheric pressure, with all vertices at `x` [m].
    pub fn still(&self, world: &World, x: &[Vec3]) -> Air {
        let first = world.objects[self.objects[0]].vertices.start;
        let mut below = Traversal::new(&self.below, x, self.layer.size());
        below.update(x, |v| x[first + v]);
        let gaps: Vec<f64> = (0..self.layer.size()).map(|v| self.gap(below.closest(v).distance)).collect();
        Air::still(&self.layer, &self.gas, &gaps)
    }
}
