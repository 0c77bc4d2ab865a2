//! Side and depth of points relative to a surface that cloth is taken out of.
//!
//! The side follows from the normal at the nearest point. The normal of a face is its own, that of an edge is the sum
//! of its faces' unit normals. That of a vertex is their angle-weighted sum (Baerentzen & Aanaes 2005, "Signed distance
//! computation using the angle weighted pseudonormal"), which is exact for closed surfaces.

use crate::collision::closest::{Feature, point_triangle};
use crate::collision::surface::Surface;
use crate::collision::tree::{Box3, Tree, WIDTH, margin2};
use crate::linalg::{Vec3, par};
use crate::mesh::topology::Topology;
use std::ops::Range;

/// Smallest `clarity` of a clear side: three quarters of the cloth on one side, one quarter on the other.
const CLEAR: f64 = 0.5;
/// Maximum number of doublings of the search distance, which begins with an edge length.
const FAR: usize = 40;

/// Surface of one object.
pub(super) struct Solid {
    tree: Tree,
    /// Corners of each triangle [m].
    corners: Vec<[Vec3; 3]>,
    /// Unit normals of triangles, and their sums at edges and, weighted by angle, at vertices.
    faces: Vec<Vec3>,
    edges: Vec<Vec3>,
    vertices: Vec<Vec3>,
    /// Edges and vertices of each triangle; edge `k` is opposite to vertex `k`.
    parts: Vec<([u32; 3], [u32; 3])>,
    /// Sign of the side where cloth belongs: 1 where the normals point, else -1.
    side: f64,
    /// Fraction of the cloth on that side less the fraction on the other side.
    clarity: f64,
}

/// Position of a point relative to a surface.
pub(super) struct Place {
    /// Distance, negative on the wrong side [m].
    pub distance: f64,
    /// Unit direction in which the distance grows.
    pub outward: Vec3,
}

impl Solid {
    /// Builds the surface of object `k` at positions `x`, against a cloth with these vertices. Cloth belongs outside of
    /// a closed surface. At an open surface, or with `any`, cloth belongs on the side where most of it is.
    pub(super) fn new(x: &[Vec3], surface: &Surface, k: usize, cloth: Range<usize>, any: bool) -> Solid {
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

    /// Updates the surface to the present positions.
    pub(super) fn follow(&mut self, x: &[Vec3], surface: &Surface, k: usize) {
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

    /// Returns the sign of the distance of a point that may be far, for `side` 1.
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

    /// Returns whether nearly all of the cloth is on one side.
    pub(super) fn clear(&self) -> bool {
        self.clarity >= CLEAR
    }

    /// Returns the unit normal of triangle `t`, toward the side where cloth belongs.
    pub(super) fn normal(&self, t: usize) -> Vec3 {
        self.faces[t] * self.side
    }

    /// Returns the position of a point relative to the surface, or `None` farther than `reach` from it [m].
    pub(super) fn place(&self, p: &Vec3, reach: f64) -> Option<Place> {
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
