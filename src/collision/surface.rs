//! All surfaces of a scene in one vertex array.

use crate::linalg::Vec3;
use crate::mesh::topology::Topology;
use std::ops::Range;

/// Triangles and edges of all objects; each object owns a range of vertices, of triangles and of edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Number of vertices.
    pub vertices: usize,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of each edge, lower index first; sorted within an object. A side with two equal ends is no edge.
    pub edges: Vec<[u32; 2]>,
    /// Object of each vertex.
    pub object: Vec<u16>,
    /// Vertices of each object.
    pub vertex_ranges: Vec<Range<usize>>,
    /// Triangles of each object.
    pub triangle_ranges: Vec<Range<usize>>,
    /// Edges of each object.
    pub edge_ranges: Vec<Range<usize>>,
    /// Per edge: the corners opposite to it in the one or two triangles on it; its own first end where there is none.
    pub wings: Vec<[u32; 2]>,
}

impl Surface {
    /// From each object's vertex range and triangles (world vertices), ranges ascending.
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
        surface
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

    /// The unit direction `d` away from an edge leads away from the triangles on it (within 6 degrees): what is nearest to the
    /// edge along `d` is not nearer to one of the triangles' insides.
    #[inline]
    pub fn faces_away(&self, x: &[Vec3], edge: usize, d: &Vec3) -> bool {
        let [a, b] = self.edges[edge].map(|v| &x[v as usize]);
        let u = b - a;
        self.wings[edge].iter().all(|w| {
            let p = x[*w as usize] - a;
            let inward = p - u * (p.dot(&u) / u.norm_squared());
            d.dot(&inward) <= 0.1 * inward.norm()
        })
    }

    /// Number of objects.
    pub fn objects(&self) -> usize {
        self.vertex_ranges.len()
    }

    /// The edges of triangle `t` of object `k`; a side with two equal ends is none.
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
        assert_eq!(s.wings[..5], [[2, 0], [1, 0], [0, 3], [2, 1], [1, 2]]);
    }

    #[test]
    fn an_edge_faces_away_from_its_triangles() {
        // A roof with its ridge along x.
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, -1.0, 1.0], [0.5, -1.0, -1.0]].map(Vec3::from);
        let s = Surface::new(&[(0..4, vec![[0, 1, 2], [1, 0, 3]])]);
        assert!(s.faces_away(&x, 0, &Vec3::y()) && !s.faces_away(&x, 0, &-Vec3::y()));
        assert!(s.faces_away(&x, 0, &Vec3::new(0.0, 1.0, 1.0).normalize()));
        assert!(!s.faces_away(&x, 0, &Vec3::new(0.0, -0.5, 1.0).normalize()));
    }
}
