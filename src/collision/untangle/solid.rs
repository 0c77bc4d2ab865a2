//! Surfaces that cloth is taken out of: on which side of them a point is, and how deep.
//!
//! The side follows from the nearest point: of a face by its normal, of an edge by the sum of its faces' unit normals, of a vertex
//! by their sum weighted with angles (Baerentzen & Aanaes 2005, "Signed distance computation using the angle weighted
//! pseudonormal"), which is exact for closed surfaces.

use crate::collision::closest::{Feature, point_triangle};
use crate::collision::surface::Surface;
use crate::collision::tree::{Box3, Tree, WIDTH, margin2};
use crate::linalg::{Vec3, par};
use crate::mesh::topology::Topology;
use std::ops::Range;

/// Of a cloth on a clear side three quarters are there, one on the other.
const CLEAR: f64 = 0.5;
/// Doublings of a search that begins within an edge.
const FAR: usize = 40;

/// The surface of one object.
pub struct Solid {
    tree: Tree,
    /// Corners of each triangle [m].
    corners: Vec<[Vec3; 3]>,
    /// Unit normals of triangles, then sums at edges and at vertices.
    faces: Vec<Vec3>,
    edges: Vec<Vec3>,
    vertices: Vec<Vec3>,
    /// Edges and vertices of each triangle; edge `k` is opposite to vertex `k`.
    parts: Vec<([u32; 3], [u32; 3])>,
    /// 1 where cloth belongs on the side that the normals point to, else -1.
    side: f64,
    /// How much more of the cloth is there than on the other side, as a part of it.
    clarity: f64,
}

/// Where a point is to a surface.
pub struct Place {
    /// Distance, negative on the wrong side [m].
    pub distance: f64,
    /// Unit direction in which the distance grows.
    pub outward: Vec3,
}

impl Solid {
    /// Object `k` at positions `x`, against a cloth with these vertices: it belongs outside of a closed surface, but of an open one,
    /// or of `any`, on the side where most of it is.
    pub fn new(x: &[Vec3], surface: &Surface, k: usize, cloth: Range<usize>, any: bool) -> Solid {
        let first = surface.vertex_ranges[k].start as u32;
        let triangles = &surface.triangles[surface.triangle_ranges[k].clone()];
        let local: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v - first)).collect();
        let topology = Topology::new(surface.vertex_ranges[k].len(), &local);
        let items: Vec<u32> = (0..triangles.len() as u32).collect();
        let corners: Vec<[Vec3; 3]> = triangles.iter().map(|t| t.map(|v| x[v as usize])).collect();
        let centres: Vec<Vec3> = corners.iter().map(|c| c.iter().sum::<Vec3>() / 3.0).collect();
        let mut solid = Solid {
            tree: Tree::new(&items, &centres),
            corners,
            faces: Vec::new(),
            edges: vec![Vec3::zeros(); topology.edges.len()],
            vertices: vec![Vec3::zeros(); surface.vertex_ranges[k].len()],
            parts: topology.triangle_edges.into_iter().zip(local).collect(),
            side: 1.0,
            clarity: 1.0,
        };
        solid.follow(x, surface, k);
        if !any && topology.edge_valence.iter().all(|n| *n == 2) {
            solid.side = solid.corners.iter().map(|[a, b, c]| a.dot(&b.cross(c))).sum::<f64>().signum();
        } else {
            let sum = par::sum(cloth.len(), |v| solid.sign(&x[cloth.start + v]));
            solid.side = if sum < 0.0 { -1.0 } else { 1.0 };
            solid.clarity = sum.abs() / cloth.len().max(1) as f64;
        }
        solid
    }

    /// Takes the present positions.
    pub fn follow(&mut self, x: &[Vec3], surface: &Surface, k: usize) {
        let Solid { tree, corners, faces, edges, vertices, parts, .. } = self;
        let triangles = &surface.triangles[surface.triangle_ranges[k].clone()];
        *corners = triangles.iter().map(|t| t.map(|v| x[v as usize])).collect();
        tree.refit(|t| Box3::around(corners[t as usize].each_ref(), 0.0));
        let unit = |v: Vec3| v.try_normalize(0.0).unwrap_or_default();
        *faces = corners.iter().map(|[a, b, c]| unit((b - a).cross(&(c - a)))).collect();
        edges.fill(Vec3::zeros());
        vertices.fill(Vec3::zeros());
        for (t, (sides, triangle)) in parts.iter().enumerate() {
            for i in 0..3 {
                edges[sides[i] as usize] += faces[t];
                let [p, q, r] = [0, 1, 2].map(|j| corners[t][(i + j) % 3]);
                vertices[triangle[i] as usize] += faces[t] * (q - p).angle(&(r - p));
            }
        }
    }

    /// Sign of the distance of a point that may be far, for side 1.
    fn sign(&self, p: &Vec3) -> f64 {
        let mut reach = self.corners.first().map_or(1.0, |c| (c[0] - c[1]).norm());
        for _ in 0..FAR {
            if let Some(place) = self.place(p, reach) {
                return place.distance.signum();
            }
            reach *= 2.0;
        }
        0.0
    }

    /// Nearly all of the cloth is on one side.
    pub fn clear(&self) -> bool {
        self.clarity >= CLEAR
    }

    /// Unit normal of its triangle `t` toward the side where cloth belongs.
    pub fn normal(&self, t: usize) -> Vec3 {
        self.faces[t] * self.side
    }

    /// Where a point is; `None` farther than `reach` from the surface [m].
    pub fn place(&self, p: &Vec3, reach: f64) -> Option<Place> {
        let mut nearest = reach * reach;
        let mut found = None;
        self.tree.query(&Box3::around([p], 0.0), margin2(reach), 0, |leaf| {
            for t in self.tree.items[leaf * WIDTH..].iter().take(WIDTH).map(|t| *t as usize) {
                let [a, b, c] = &self.corners[t];
                let closest = point_triangle(p, a, b, c);
                if closest.distance2 < nearest {
                    nearest = closest.distance2;
                    found = Some((t, closest));
                }
            }
        });
        let (t, closest) = found?;
        let (edges, vertices) = &self.parts[t];
        let normal = match closest.feature() {
            Feature::Face => self.faces[t],
            Feature::Edge(k) => self.edges[edges[k as usize] as usize],
            Feature::Vertex(k) => self.vertices[vertices[k as usize] as usize],
        } * self.side;
        let away = p - self.corners[t].iter().zip(closest.weights).map(|(c, w)| c * w).sum::<Vec3>();
        let sign = if away.dot(&normal) < 0.0 { -1.0 } else { 1.0 };
        let outward = (away * sign).try_normalize(1e-9).or(normal.try_normalize(0.0)).unwrap_or_default();
        Some(Place { distance: sign * nearest.sqrt(), outward })
    }
}
