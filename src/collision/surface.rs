//! All surfaces of a scene in one vertex array.

use crate::linalg::Vec3;
use crate::mesh::topology::Topology;
use std::ops::Range;

/// Triangles and edges of all objects; each object owns a range of vertices, triangles and edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of each edge.
    pub edges: Vec<[u32; 2]>,
    /// Object of each vertex.
    pub object: Vec<u16>,
    /// Triangles of each object.
    pub triangle_ranges: Vec<Range<usize>>,
    /// Per edge: the corners opposite to it in the one or two triangles on it; its own first end where there is none.
    pub wings: Vec<[u32; 2]>,
    /// Per triangle: the corners (bits 0 to 2) and edges this triangle owns, so that each vertex and edge has one owner.
    pub owned_corners: Vec<u8>,
    /// Per triangle: the edges it owns, first `owned_edges[t].1` of the array.
    pub owned_edges: Vec<([u32; 3], u8)>,
}

impl Surface {
    /// From each object's vertex range and triangles (world vertices).
    pub fn new(objects: &[(Range<usize>, Vec<[u32; 3]>)]) -> Surface {
        let mut surface = Surface::default();
        for (k, (vertices, triangles)) in objects.iter().enumerate() {
            surface.object.resize(vertices.end, k as u16);
            let first = vertices.start as u32;
            let local: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v - first)).collect();
            let topology = Topology::new(vertices.len(), &local);
            let base = surface.edges.len() as u32;
            surface.edges.extend(topology.edges.iter().map(|e| e.map(|v| v + first)));
            surface.wings.extend(topology.edges.iter().zip(&topology.edge_triangles).map(|(edge, sides)| {
                sides.map(|t| {
                    let corners = local.get(t as usize).into_iter().flatten();
                    first + corners.copied().find(|v| !edge.contains(v)).unwrap_or(edge[0])
                })
            }));
            let mut vertex_taken = vec![false; vertices.len()];
            let mut edge_taken = vec![false; topology.edges.len()];
            let start = surface.triangles.len();
            for (t, corners) in local.iter().enumerate() {
                let mut owned = 0;
                for (c, v) in corners.iter().enumerate() {
                    if !std::mem::replace(&mut vertex_taken[*v as usize], true) {
                        owned |= 1 << c;
                    }
                }
                let (mut edges, mut count) = ([0; 3], 0);
                for e in topology.triangle_edges[t] {
                    if !std::mem::replace(&mut edge_taken[e as usize], true) {
                        edges[count] = base + e;
                        count += 1;
                    }
                }
                surface.owned_corners.push(owned);
                surface.owned_edges.push((edges, count as u8));
                surface.triangles.push(triangles[t]);
            }
            surface.triangle_ranges.push(start..surface.triangles.len());
        }
        surface
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
}
