//! Glue: bonds between cloth vertices and the closest triangles of a body.

use super::World;
use crate::collision::traversal::Traversal;
use crate::force::glue::Bond;
use crate::linalg::Vec3;
use crate::mesh::tet::TetMesh;
use std::collections::BTreeSet;

/// Cloth vertices that are glued to a body at their initial positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Glue {
    /// Names of the cloth and the body.
    pub names: [String; 2],
    /// Stiffness of the film per area [N/m^3].
    pub stiffness: f64,
    /// File vertices of the cloth.
    pub vertices: Vec<u32>,
    /// Closest boundary triangle of the body for each vertex, in file vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Distance of each vertex to its triangle [m].
    pub distances: Vec<f64>,
}

impl Glue {
    /// Finds the closest boundary triangle of a body for each of `vertices` of a cloth; no bonds if the body has none.
    /// Both are given by their names and their positions or mesh.
    pub fn new(
        (cloth, positions): (&str, &[Vec3]),
        (body, mesh): (&str, &TetMesh),
        vertices: Vec<u32>,
        stiffness: f64,
    ) -> Glue {
        let (boundary, x) = (mesh.boundary(), &mesh.positions);
        let mut traversal = Traversal::new(&boundary, x, vertices.len());
        traversal.update(x, |k| positions[vertices[k] as usize]);
        let names = [cloth, body].map(str::to_string);
        let mut glue = Glue { names, stiffness, vertices: Vec::new(), triangles: Vec::new(), distances: Vec::new() };
        for (k, v) in vertices.into_iter().enumerate() {
            let closest = traversal.closest(k);
            if let Some(triangle) = boundary.get(closest.triangle as usize) {
                glue.vertices.push(v);
                glue.triangles.push(*triangle);
                glue.distances.push(closest.distance.abs());
            }
        }
        glue
    }

    /// Adds the bonds to a world that has the cloth and the body. The area of a vertex is a third of its triangles'
    /// area.
    pub fn add(&self, world: &mut World) {
        let object = |name: &String| world.objects.iter().find(|o| o.name == *name);
        let (Some(cloth), Some(body)) = (object(&self.names[0]), object(&self.names[1])) else { return };
        let x = &world.rest;
        let place = |v: u32| cloth.place[v as usize];
        let mut areas = vec![0.0; cloth.vertices.end];
        for t in &cloth.triangles {
            let [a, b, c] = t.map(|v| x[place(v) as usize]);
            let third = (b - a).cross(&(c - a)).norm() / 6.0;
            t.iter().for_each(|v| areas[place(*v) as usize] += third);
        }
        // Vertices joined by a seam get one bond.
        let mut known = BTreeSet::new();
        let bonds: Vec<Bond> = (self.vertices.iter().zip(&self.triangles))
            .filter(|(v, _)| areas[place(**v) as usize] > 0.0 && known.insert(place(**v)))
            .filter_map(|(v, [a, b, c])| {
                let corner = |v: &u32| body.place[*v as usize];
                let all = [place(*v), corner(a), corner(b), corner(c)];
                let at: [Vec3; 4] = all.map(|v| x[v as usize]);
                Bond::new(all, &at, areas[place(*v) as usize], self.stiffness)
            })
            .collect();
        world.elements.bonds.extend(bonds);
    }
}
