//! Where there is air: between a cloth and what is below it.

use super::equation::{Air, Gas, Layer, Method};
use crate::collision::traversal::Traversal;
use crate::linalg::Vec3;
use crate::world::{Kind, Object, World};
use std::f64::consts::PI;

/// Along what the pressure pushes the cloth and what is below it apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// The line between both points: no momentum is lost.
    #[default]
    Gap,
    /// The normal of the cloth (Chen, Feng & Wang 2013, Eq. 3): the pair of forces turns both, and angular momentum is lost.
    Normal,
}

/// A layer of air as the scene describes it; vertices are file vertices of the cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct AirInput {
    /// Names of the cloth and of the body, obstacle or other cloth below it.
    pub names: [String; 2],
    /// The gas.
    pub gas: Gas,
    /// How the air of a step is found.
    pub method: Method,
    /// Along what it pushes.
    pub along: Along,
    /// Speed of air through the cloth over the pressure across it, without what inertia takes [m/(s Pa)].
    pub permeance: f64,
    /// Pressure that the inertia of the air takes over the speed squared [Pa s^2/m^2].
    pub inertia: f64,
    /// Pressure of what lies on the cloth under which half as much air goes through [Pa]; infinite: it does not matter.
    pub blockage: f64,
    /// Vertices where the layer is open to the atmosphere.
    pub open: Vec<u32>,
    /// Where air is blown in or drawn out.
    pub vents: Vec<Vent>,
}

/// A place of a cloth through which air is blown in or drawn out.
#[derive(Clone, Debug, PartialEq)]
pub struct Vent {
    /// Its vertices.
    pub vertices: Vec<u32>,
    /// Pressure outside above that of the atmosphere, the most of it where it has a period [Pa].
    pub pressure: f64,
    /// Time from one blow to the next, `pressure sin^2(pi t/period)` [s]; 0: it blows all the time.
    pub period: f64,
    /// Speed of air through it over the pressure across it [m/(s Pa)].
    pub permeance: f64,
}

/// A layer of air; vertices are those of the cloth in the order of the world.
#[derive(Clone, Debug)]
pub struct AirLayer {
    /// Objects of the cloth and of what is below.
    pub objects: [usize; 2],
    /// Triangles of what is below, of world vertices.
    pub below: Vec<[u32; 3]>,
    /// Triangles of the cloth, of world vertices, where the pressure pushes along its normals; else none.
    pub normal_triangles: Vec<[u32; 3]>,
    /// What is below has two sides: the gap is a distance, on whichever side the cloth is.
    two_sided: bool,
    /// The gas.
    pub gas: Gas,
    /// The layer.
    pub layer: Layer,
    /// Pressure of what lies on the cloth under which half as much air goes through [Pa].
    pub blockage: f64,
    /// Where air is blown in or drawn out.
    pub vents: Vec<Vent>,
}

impl AirLayer {
    /// In a world that has both objects; `None` where one is missing.
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

    /// Height of the gap at a signed distance from what is below [m].
    pub fn gap(&self, distance: f64) -> f64 {
        if self.two_sided { distance.abs() } else { distance }
    }

    /// Pressure outside above that of the atmosphere at a time [s], by vertex [Pa].
    pub fn outside(&self, time: f64, outside: &mut Vec<f64>) {
        outside.clear();
        outside.resize(self.layer.size(), 0.0);
        for Vent { vertices, pressure, period, .. } in &self.vents {
            let blow = if *period > 0.0 { (PI * time / period).sin().powi(2) } else { 1.0 };
            vertices.iter().for_each(|v| outside[*v as usize] = pressure * blow);
        }
    }

    /// Part of the cloth's permeability that is left at a vertex which what lies on it loads by `load` [N].
    pub fn free(&self, v: usize, load: f64) -> f64 {
        let area = self.layer.areas[v];
        if area > 0.0 { 1.0 / (1.0 + load / (area * self.blockage)) } else { 1.0 }
    }

    /// Still air at the pressure of the atmosphere, with all vertices at `x` [m].
    pub fn still(&self, world: &World, x: &[Vec3]) -> Air {
        let first = world.objects[self.objects[0]].vertices.start;
        let mut below = Traversal::new(&self.below, x, self.layer.size());
        below.update(x, |v| x[first + v]);
        let gaps: Vec<f64> = (0..self.layer.size()).map(|v| self.gap(below.closest(v).distance)).collect();
        Air::still(&self.layer, &self.gas, &gaps)
    }
}
