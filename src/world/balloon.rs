//! Closed cloths with air inside.

use super::World;
use crate::field::balloon::{self, Chamber, Inside, Supply};
use crate::field::through::Through;
use crate::linalg::Vec3;
use crate::mesh::topology::Topology;

/// A balloon as the scene describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct BalloonInput {
    /// Name of the cloth, which is closed.
    pub cloth: String,
    /// Pressure of the atmosphere [Pa].
    pub atmosphere: f64,
    /// How air goes through the cloth.
    pub through: Through,
    /// Where air comes from.
    pub supply: Supply,
}

/// A balloon in the world.
#[derive(Clone, Debug)]
pub struct Balloon {
    /// Object of the cloth.
    pub cloth: usize,
    /// The air inside.
    pub chamber: Chamber,
    /// First vertex of the cloth.
    first: usize,
    /// Triangles of world vertices, counterclockwise seen from outside.
    triangles: Vec<[u32; 3]>,
    /// Which triangles are around a vertex of the cloth.
    topology: Topology,
}

impl Balloon {
    /// In a world that has the cloth; `None` where it is missing.
    pub fn new(input: &BalloonInput, world: &World) -> Option<Balloon> {
        let cloth = world.objects.iter().position(|object| object.name == input.cloth)?;
        let object = &world.objects[cloth];
        let first = object.vertices.start;
        let mut triangles: Vec<[u32; 3]> =
            object.triangles.iter().map(|t| t.map(|v| object.place[v as usize])).collect();
        let at = |v: usize| world.rest[v];
        let mut start = balloon::volume(&triangles, at);
        if start < 0.0 {
            start = -start;
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let area = triangles.iter().map(|t| 3.0 * balloon::third(t.map(|v| at(v as usize))).norm()).sum();
        let local: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v - first as u32)).collect();
        let BalloonInput { atmosphere, through, supply, .. } = *input;
        Some(Balloon {
            cloth,
            chamber: Chamber { atmosphere, through, supply, area, start },
            first,
            topology: Topology::new(object.vertices.len(), &local),
            triangles,
        })
    }

    /// Number of vertices of the cloth.
    pub fn size(&self) -> usize {
        self.topology.boundary.len()
    }

    /// First vertex of the cloth in the world.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Volume where the world's vertices are `at` [m^3].
    pub fn volume(&self, at: impl Fn(usize) -> Vec3 + Sync) -> f64 {
        balloon::volume(&self.triangles, at)
    }

    /// How fast the volume grows with vertex `v` of the cloth [m^2].
    pub fn gradient(&self, v: usize, at: impl Fn(usize) -> Vec3) -> Vec3 {
        let around = self.topology.vertex_triangles(v).iter();
        around.map(|t| balloon::third(self.triangles[*t as usize].map(|v| at(v as usize)))).sum()
    }

    /// Still air at the pressure of the atmosphere, with all vertices at `x` [m].
    pub fn still(&self, x: &[Vec3]) -> Inside {
        self.chamber.still(self.volume(|v| x[v]))
    }
}
