//! Closed cloths with air inside.

use super::gas::{self, Chamber, Inside, Supply};
use crate::effect::permeability::PermeabilityLaw;
use crate::linalg::Vec3;
use crate::mesh::topology::{NONE, Topology};
use crate::world::World;
use crate::world::keyed::Of;
use std::f64::consts::PI;

/// Balloon in the scene description.
#[derive(Clone, Debug, PartialEq)]
pub struct BalloonInput {
    /// Name of the closed cloth.
    pub cloth: String,
    /// Atmospheric pressure [Pa].
    pub atmosphere: f64,
    /// Permeability of the cloth.
    pub through: PermeabilityLaw,
    /// Source of the air.
    pub supply: Supply,
}

/// Balloon in the world: a closed shell of a cloth, with the oppositely oriented shells inside it.
#[derive(Clone, Debug)]
pub struct Balloon {
    /// Index of the cloth's object.
    pub cloth: usize,
    /// Constants of the air inside.
    pub chamber: Chamber,
    /// Its vertices in the world, in ascending order.
    vertices: Vec<u32>,
    /// Triangles of world vertices, counterclockwise seen from outside.
    triangles: Vec<[u32; 3]>,
    /// Topology of its own vertices, for the triangles around each.
    topology: Topology,
}

impl Balloon {
    /// Creates the balloons of a cloth, one for each enclosed region. The list is empty if the cloth is missing.
    pub fn all(input: &BalloonInput, world: &World) -> Vec<Balloon> {
        let Some(cloth) = world.objects.iter().position(|object| object.name == input.cloth) else { return Vec::new() };
        let object = &world.objects[cloth];
        let triangles: Vec<[u32; 3]> = object.triangles.iter().map(|t| t.map(|v| object.place[v as usize])).collect();
        let at = |v: u32| world.rest[v as usize];
        // Nested shells without air between them have been rejected before. Here each has its own air.
        let rooms = rooms(&triangles, at).unwrap_or_else(|_| shells(&triangles));
        let own = |room: &Vec<usize>| room.iter().map(|t| triangles[*t]).collect();
        rooms.iter().map(|room| Balloon::new(input, world, cloth, own(room))).collect()
    }

    fn new(input: &BalloonInput, world: &World, cloth: usize, mut triangles: Vec<[u32; 3]>) -> Balloon {
        let at = |v: usize| world.rest[v];
        let mut start = gas::volume(&triangles, at);
        if start < 0.0 {
            start = -start;
            triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let area = triangles.iter().map(|t| 3.0 * gas::third(t.map(|v| at(v as usize))).norm()).sum();
        let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let number = |v: u32| vertices.partition_point(|w| *w < v) as u32;
        let local: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(number)).collect();
        let BalloonInput { atmosphere, through, supply, .. } = *input;
        Balloon {
            cloth,
            chamber: Chamber { atmosphere, through, supply, area, start },
            topology: Topology::new(vertices.len(), &local),
            vertices,
            triangles,
        }
    }

    /// Returns its vertices in the world, in ascending order.
    pub fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// Returns the enclosed volume with the world's vertices at `at` [m^3].
    pub fn volume(&self, at: impl Fn(usize) -> Vec3 + Sync) -> f64 {
        gas::volume(&self.triangles, at)
    }

    /// Returns the gradient of the volume by the position of its vertex `k` [m^2].
    pub fn gradient(&self, k: usize, at: impl Fn(usize) -> Vec3) -> Vec3 {
        let around = self.topology.vertex_triangles(k).iter();
        around.map(|t| gas::third(self.triangles[*t as usize].map(|v| at(v as usize)))).sum()
    }

    /// Returns the excess over atmospheric pressure that is held in a step between two times [Pa]; `None` if there is
    /// none.
    pub fn held(&self, world: &World, times: [f64; 2]) -> Option<f64> {
        let held = self.chamber.held(times[1])?;
        Some(held * world.keyed.of_step(Of::Pressure, Some(self.cloth), times))
    }

    /// Returns still air at atmospheric pressure, with all vertices at `x` [m].
    pub fn still(&self, x: &[Vec3]) -> Inside {
        self.chamber.still(self.volume(|v| x[v]))
    }
}

/// Returns the triangles of each connected component by edges, in order of the first triangle.
pub fn shells(triangles: &[[u32; 3]]) -> Vec<Vec<usize>> {
    let count = triangles.iter().flatten().max().map_or(0, |v| *v as usize + 1);
    let topology = Topology::new(count, triangles);
    // All pairs of edge and adjacent triangle.
    let mut sides: Vec<(u32, usize)> =
        topology.triangle_edges.iter().enumerate().flat_map(|(t, edges)| edges.map(|e| (e, t))).collect();
    sides.retain(|(e, _)| *e != NONE);
    sides.sort_unstable();
    let mut seen = vec![false; triangles.len()];
    let mut shells = Vec::new();
    for start in 0..triangles.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let (mut shell, mut next) = (vec![start], 0);
        while let Some(&t) = shell.get(next) {
            next += 1;
            for e in topology.triangle_edges[t] {
                let from = sides.partition_point(|s| s.0 < e);
                for (_, other) in sides[from..].iter().take_while(|s| s.0 == e) {
                    if !std::mem::replace(&mut seen[*other], true) {
                        shell.push(*other);
                    }
                }
            }
        }
        shell.sort_unstable();
        shells.push(shell);
    }
    shells
}

/// Returns the triangles of each region with its own air. Each shell encloses a region. A shell inside exactly one
/// other of opposite orientation is a wall of that region. `at` returns positions of vertices.
///
/// # Errors
/// Returns a shell inside others that is no such wall, and a shell around it.
pub fn rooms(triangles: &[[u32; 3]], at: impl Fn(u32) -> Vec3 + Sync) -> Result<Vec<Vec<usize>>, [Vec<usize>; 2]> {
    let shells = shells(triangles);
    let of = |shell: &Vec<usize>| -> Vec<[u32; 3]> { shell.iter().map(|t| triangles[*t]).collect() };
    let bounds = |shell: &Vec<usize>| {
        let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        let corners = shell.iter().flat_map(|t| triangles[*t]).map(&at);
        corners.fold(start, |(low, high), p| (low.inf(&p), high.sup(&p)))
    };
    let boxes: Vec<(Vec3, Vec3)> = shells.iter().map(bounds).collect();
    let within = |i: usize, j: usize| {
        let ((low, high), (least, most)) = (boxes[i], boxes[j]);
        let inside = (0..3).all(|k| low[k] >= least[k] && high[k] <= most[k]);
        inside && turns(&shells[j], triangles, &at, at(triangles[shells[i][0]][0])).abs() > 0.5
    };
    let outward = |k: usize| gas::volume(&of(&shells[k]), |v| at(v as u32)) > 0.0;
    let mut rooms = shells.clone();
    let mut wall = vec![false; shells.len()];
    for i in 0..shells.len() {
        let around: Vec<usize> = (0..shells.len()).filter(|j| *j != i && within(i, *j)).collect();
        match around[..] {
            [] => {}
            [j] if outward(i) != outward(j) => {
                rooms[j].extend(&shells[i]);
                wall[i] = true;
            }
            [j, ..] => return Err([shells[i].clone(), shells[j].clone()]),
        }
    }
    let mut own = wall.iter().map(|wall| !wall);
    rooms.retain(|_| own.next().unwrap_or(true));
    Ok(rooms)
}

/// Returns the winding number of a shell around a point: the solid angle (van Oosterom and Strackee 1983) over that of
/// a sphere.
fn turns(shell: &[usize], triangles: &[[u32; 3]], at: &impl Fn(u32) -> Vec3, p: Vec3) -> f64 {
    let angle = |t: &usize| {
        let [a, b, c] = triangles[*t].map(|v| at(v) - p);
        let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
        let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        2.0 * a.dot(&b.cross(&c)).atan2(below)
    };
    shell.iter().map(angle).sum::<f64>() / (4.0 * PI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::sphere;

    /// Creates spheres from centres on the x axis and radii. A negative radius turns the sphere inside out.
    fn balls(all: &[(f64, f64)]) -> (Vec<[u32; 3]>, Vec<Vec3>) {
        let (mut triangles, mut x) = (Vec::new(), Vec::new());
        for (place, radius) in all {
            let ball = sphere(Vec3::x() * *place, radius.abs(), radius.abs() / 4.0);
            let first = x.len() as u32;
            let turned = |t: [u32; 3]| if *radius < 0.0 { [t[0], t[2], t[1]] } else { t };
            triangles.extend(ball.triangles.iter().map(|t| turned(t.map(|v| v + first))));
            x.extend(ball.positions);
        }
        (triangles, x)
    }

    fn volumes(all: &[(f64, f64)]) -> Option<Vec<f64>> {
        let (triangles, x) = balls(all);
        let of = |room: &Vec<usize>| room.iter().map(|t| triangles[*t]).collect::<Vec<_>>();
        let volume = |room| gas::volume(&of(room), |v| x[v]).abs() / (4.0 / 3.0 * PI);
        Some(rooms(&triangles, |v| x[v as usize]).ok()?.iter().map(volume).collect())
    }

    #[test]
    fn each_shell_has_its_own_air() {
        let close = |all: &[(f64, f64)], wanted: &[f64]| {
            let found = volumes(all).unwrap();
            let near = found.iter().zip(wanted).all(|(a, b)| (a / b - 1.0).abs() < 0.1);
            assert!(near && found.len() == wanted.len(), "{found:?}");
        };
        close(&[(0.0, 1.0)], &[1.0]);
        close(&[(0.0, 1.0), (3.0, 0.5), (-4.0, -2.0)], &[1.0, 0.125, 8.0]);
        // A wall around a hollow, in either orientation, and a separate shell.
        close(&[(0.0, -0.8), (0.0, 1.0), (3.0, 0.5)], &[1.0 - 0.512, 0.125]);
        close(&[(0.0, -1.0), (0.1, 0.6), (-0.5, 0.2)], &[1.0 - 0.216 - 0.008]);
        // Shells with overlapping bounding boxes are not necessarily nested.
        close(&[(0.0, 1.0), (1.2, 0.25)], &[1.0, 0.015625]);
        assert_eq!(volumes(&[(0.0, 1.0), (0.0, 0.5)]), None);
        assert_eq!(volumes(&[(0.0, 1.0), (0.0, -0.8), (0.0, 0.5)]), None);
    }
}
