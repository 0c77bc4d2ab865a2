//! All surfaces of a scene in one vertex array.

use super::certificate::Pair;
use crate::linalg::Vec3;
use crate::mesh::topology::Topology;
use std::ops::Range;

/// Triangles and edges of all objects. Each object owns a range of vertices, of triangles and of edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Number of vertices.
    pub vertices: usize,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of each edge, lower index first; sorted within an object. A side with two equal ends is not an edge.
    pub edges: Vec<[u32; 2]>,
    /// Object of each vertex.
    pub object: Vec<u16>,
    /// Vertices of each object.
    pub vertex_ranges: Vec<Range<usize>>,
    /// Triangles of each object.
    pub triangle_ranges: Vec<Range<usize>>,
    /// Edges of each object.
    pub edge_ranges: Vec<Range<usize>>,
    /// Opposite corners of each edge in its one or two triangles. The edge's first end stands for a missing triangle.
    pub wings: Vec<[u32; 2]>,
    /// Whether each vertex is at a border.
    border: Vec<bool>,
    /// Neighbours of each vertex along edges, vertex by vertex.
    around: Vec<u32>,
    /// Offset of each vertex in `around`, with one entry more.
    around_starts: Vec<u32>,
    /// Other two corners, in order, of the triangles at each vertex, vertex by vertex.
    corners: Vec<[u32; 2]>,
    /// Offset of each vertex in `corners`, with one entry more.
    corner_starts: Vec<u32>,
}

/// Inclination of the triangles on an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Sum of the sines by which the triangles fall away, with one for a border. Positive for a ridge, zero where flat.
    pub fall: f64,
    /// Smaller of the two sines, negative where the triangle rises; infinite for a loose edge.
    pub least: f64,
    /// Altitude vector of that triangle over the edge; zero for a loose edge [m].
    pub higher: Vec3,
    /// Sine of the other triangle; one for a border.
    pub most: f64,
    /// Altitude vector of the other triangle; zero for a border [m].
    pub lower: Vec3,
}

impl Surface {
    /// Builds the surface from each object's vertex range and triangles (world vertices), with ranges ascending.
    pub fn new(objects: &[(Range<usize>, Vec<[u32; 3]>)]) -> Surface {
        let mut surface = Surface::default();
        for (k, (vertices, triangles)) in objects.iter().enumerate() {
            surface.vertices = vertices.end;
            surface.object.resize(vertices.end, k as u16);
            surface.vertex_ranges.push(vertices.clone());
            let first = surface.triangles.len();
            surface.triangles.extend(triangles);
            surface.triangle_ranges.push(first..surface.triangles.len());
            let first = surface.edges.len();
            surface.add_edges(vertices, triangles);
            surface.edge_ranges.push(first..surface.edges.len());
        }
        surface.link();
        surface.border.resize(surface.vertices, false);
        let at_border = surface.edges.iter().zip(&surface.wings).filter(|(edge, wings)| wings.contains(&edge[0]));
        for (edge, _) in at_border {
            edge.iter().for_each(|v| surface.border[*v as usize] = true);
        }
        surface
    }

    fn link(&mut self) {
        let mut ends: Vec<[u32; 2]> = self.edges.iter().flat_map(|[a, b]| [[*a, *b], [*b, *a]]).collect();
        ends.sort_unstable();
        self.around = ends.iter().map(|[_, b]| *b).collect();
        self.around_starts = (0..=self.vertices as u32).map(|v| ends.partition_point(|e| e[0] < v) as u32).collect();
        let mut corners: Vec<[u32; 3]> =
            self.triangles.iter().flat_map(|[a, b, c]| [[*a, *b, *c], [*b, *c, *a], [*c, *a, *b]]).collect();
        corners.sort_unstable();
        self.corners = corners.iter().map(|[_, b, c]| [*b, *c]).collect();
        self.corner_starts = (0..=self.vertices as u32).map(|v| corners.partition_point(|c| c[0] < v) as u32).collect();
    }

    /// Returns the neighbours of a vertex along edges.
    #[inline]
    pub fn around(&self, v: usize) -> &[u32] {
        &self.around[self.around_starts[v] as usize..self.around_starts[v + 1] as usize]
    }

    /// Returns whether the vertex is at a border.
    #[inline]
    pub fn is_border(&self, vertex: usize) -> bool {
        self.border[vertex]
    }

    /// Returns the unit normal at a vertex, the mean of its triangles by area; zero if undefined.
    #[inline]
    pub fn normal(&self, vertex: usize, at: impl Fn(usize) -> Vec3) -> Vec3 {
        let range = self.corner_starts[vertex] as usize..self.corner_starts[vertex + 1] as usize;
        let here = at(vertex);
        let side = |v: &u32| at(*v as usize) - here;
        let normal: Vec3 = self.corners[range].iter().map(|[a, b]| side(a).cross(&side(b))).sum();
        let length = normal.norm();
        if length > 0.0 { normal / length } else { Vec3::zeros() }
    }

    fn add_edges(&mut self, vertices: &Range<usize>, triangles: &[[u32; 3]]) {
        let first = vertices.start as u32;
        let local: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v - first)).collect();
        let topology = Topology::new(vertices.len(), &local);
        for (edge, sides) in topology.edges.iter().zip(&topology.edge_triangles).filter(|(e, _)| e[0] != e[1]) {
            self.edges.push(edge.map(|v| v + first));
            self.wings.push(sides.map(|t| {
                let corners = local.get(t as usize).into_iter().flatten();
                first + corners.copied().find(|v| !edge.contains(v)).unwrap_or(edge[0])
            }));
        }
    }

    /// Returns the bend of an edge as seen along the unit direction `d` away from it. Returns `None` where a triangle
    /// on it rises by more than 6 degrees. A point nearest to the edge along `d` is then nearer to the inside of that
    /// triangle.
    #[inline]
    pub fn bend(&self, x: &[Vec3], edge: usize, d: &Vec3) -> Option<Bend> {
        let [a, b] = self.edges[edge];
        let (from, u) = (&x[a as usize], x[b as usize] - x[a as usize]);
        let mut bend = Bend { fall: 0.0, least: f64::INFINITY, higher: Vec3::zeros(), most: 1.0, lower: Vec3::zeros() };
        for w in self.wings[edge] {
            if w == a {
                bend.fall += 1.0;
                continue;
            }
            let p = x[w as usize] - from;
            let inward = p - u * (p.dot(&u) / u.norm_squared());
            let width = inward.norm();
            let fall = -d.dot(&inward) / width;
            if fall.is_nan() || fall < -0.1 {
                return None;
            }
            bend.fall += fall;
            if fall < bend.least {
                if bend.least.is_finite() {
                    (bend.most, bend.lower) = (bend.least, bend.higher);
                }
                (bend.least, bend.higher) = (fall, inward);
            } else {
                (bend.most, bend.lower) = (fall, inward);
            }
        }
        Some(bend)
    }

    /// Returns how far the unit direction `d` away from a vertex leans to one side. The lean is the smaller of the
    /// largest sines by which edges there rise and fall. At a border it is the rise, since half of the surroundings has
    /// no edges that could fall. A point nearest to a vertex that leans is nearer to the edges. The second value is the
    /// decrease of the lean as the vertex moves along `d` [1/m], zero where the lean grows.
    #[inline]
    pub fn lean(&self, x: &[Vec3], vertex: usize, d: &Vec3) -> (f64, f64) {
        let (mut rise, mut fall, mut length) = (0.0f64, 0.0f64, f64::INFINITY);
        for w in self.around(vertex) {
            let edge = x[*w as usize] - x[vertex];
            let norm = edge.norm();
            let sine = d.dot(&edge) / norm;
            if sine > rise {
                (rise, length) = (sine, norm);
            }
            fall = fall.max(-sine);
        }
        if rise < fall || self.is_border(vertex) { (rise, 1.0 / length) } else { (fall, 0.0) }
    }

    /// Returns whether the triangles on an edge are coplanar within `tolerance` [rad].
    pub fn is_flat(&self, x: &[Vec3], edge: usize, tolerance: f64) -> bool {
        let [a, b] = self.edges[edge];
        let u = x[b as usize] - x[a as usize];
        let inward = self.wings[edge].map(|w| {
            let p = x[w as usize] - x[a as usize];
            (p - u * (p.dot(&u) / u.norm_squared())).normalize()
        });
        (inward[0] + inward[1]).norm() <= tolerance
    }

    /// Returns the four vertices of a pair: of a vertex and a triangle, or of two edges.
    #[inline]
    pub fn corners(&self, pair: Pair, [first, second]: [u32; 2]) -> [u32; 4] {
        match pair {
            Pair::VertexFace => {
                let [a, b, c] = self.triangles[second as usize];
                [first, a, b, c]
            }
            Pair::EdgeEdge => {
                let ([a, b], [c, d]) = (self.edges[first as usize], self.edges[second as usize]);
                [a, b, c, d]
            }
        }
    }

    /// Returns the number of objects.
    pub fn objects(&self) -> usize {
        self.vertex_ranges.len()
    }

    /// Returns the edges of triangle `t` of object `k`. A side with two equal ends is not an edge.
    pub fn sides(&self, k: usize, t: u32) -> [Option<u32>; 3] {
        let range = self.edge_ranges[k].clone();
        let [a, b, c] = self.triangles[t as usize];
        [[a, b], [b, c], [c, a]].map(|[a, b]| {
            let found = self.edges[range.clone()].binary_search(&[a.min(b), a.max(b)]);
            found.ok().map(|e| (range.start + e) as u32)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_own_ranges() {
        let s = Surface::new(&[(0..5, vec![[0, 1, 2], [2, 1, 3]]), (5..8, vec![[5, 6, 7], [5, 5, 6]])]);
        assert_eq!(s.edges[..5], [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(s.edges[5..], [[5, 6], [5, 7], [6, 7]]);
        assert_eq!((s.vertices, s.objects(), s.edge_ranges[1].clone()), (8, 2, 5..8));
        assert_eq!(s.triangle_ranges, [0..2, 2..4]);
        assert_eq!(s.object, [0, 0, 0, 0, 0, 1, 1, 1]);
        assert_eq!((s.sides(0, 1), s.sides(1, 3)), ([Some(2), Some(3), Some(4)], [None, Some(5), Some(5)]));
        assert_eq!((s.around(1), s.around(4), s.around(6)), (&[0, 2, 3][..], &[][..], &[5, 7][..]));
        assert_eq!(s.wings[..5], [[2, 0], [1, 0], [0, 3], [2, 1], [1, 2]]);
    }

    #[test]
    fn an_edge_faces_away_from_its_triangles() {
        // Roof with its ridge along x.
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, -1.0, 1.0], [0.5, -1.0, -1.0]].map(Vec3::from);
        let s = Surface::new(&[(0..4, vec![[0, 1, 2], [1, 0, 3]])]);
        let close = |d: Vec3, expected: f64| (s.bend(&x, 0, &d).unwrap().fall - expected).abs() < 1e-15;
        assert!(close(Vec3::y(), 2f64.sqrt()) && close(Vec3::new(0.0, 1.0, 1.0).normalize(), 1.0));
        assert_eq!(s.bend(&x, 0, &-Vec3::y()), None);
        assert_eq!(s.bend(&x, 0, &Vec3::new(0.0, -0.5, 1.0).normalize()), None);
        assert!(!s.is_flat(&x, 0, 0.5) && !s.is_flat(&x, 1, 0.5));
        let leans = |sign: f64| s.lean(&x, 0, &Vec3::new(sign, 1.0, 0.0).normalize()).0;
        assert!(leans(1.0) > 0.1 && leans(-1.0) == 0.0);
        // At the border of a sheet only the rise counts.
        let sheet = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]].map(Vec3::from);
        let s_sheet = Surface::new(&[(0..4, vec![[0, 1, 2], [0, 2, 3]])]);
        let leans = |d: [f64; 3]| s_sheet.lean(&sheet, 0, &Vec3::from(d)).0;
        assert_eq!([leans([0.0, 0.8, 0.6]), leans([0.0, -0.8, 0.6]), leans([0.0, 0.0, 1.0])], [0.8, 0.0, 0.0]);
        // Border edge.
        assert!((s.bend(&x, 1, &Vec3::new(-4.0, -1.0, 1.0).normalize()).unwrap().fall - 2.0).abs() < 1e-15);
    }
}
