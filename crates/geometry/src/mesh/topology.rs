//! Adjacency in a triangle mesh: edges, hinges, boundary, triangles around a vertex.

use crate::linalg::Vec3;

/// Index of a missing triangle on a side of an edge.
pub const NONE: u32 = u32::MAX;

/// Pair of triangles over a shared edge.
///
/// The first triangle is `(v0, v1, v2)`, the second `(v1, v0, v3)` if the winding is consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinge {
    /// Ends of the shared edge in the direction of the first triangle, then the opposite vertices in the first and in
    /// the second triangle.
    pub vertices: [u32; 4],
    /// Index into [`Topology::edges`].
    pub edge: u32,
    /// Both triangles, lower index first.
    pub triangles: [u32; 2],
}

/// Adjacency of a triangle mesh, built by sorting. All orders depend on the triangles alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Vertices of each edge, lower index first; edges sorted.
    pub edges: Vec<[u32; 2]>,
    /// Triangles on both sides of each edge in order of index; [`NONE`] for a missing one. A non-manifold edge has its
    /// first two.
    pub edge_triangles: Vec<[u32; 2]>,
    /// Number of triangles at each edge: 1 boundary, 2 interior, more: non-manifold.
    pub edge_valence: Vec<u32>,
    /// Edges of each triangle; edge `k` is opposite to vertex `k`.
    pub triangle_edges: Vec<[u32; 3]>,
    /// Hinges, one for each edge with exactly two triangles, in order of edges.
    pub hinges: Vec<Hinge>,
    /// Set for each vertex on an edge with one triangle.
    pub boundary: Vec<bool>,
    /// Start of each vertex's triangles in `vertex_triangle_list`; one entry more than vertices.
    pub vertex_triangle_start: Vec<u32>,
    /// Triangles by vertex, ascending within a vertex.
    pub vertex_triangle_list: Vec<u32>,
}

impl Topology {
    /// Computes areas of vertices and shape factors of edges, for the triangles of this topology with corners at `x`
    /// [m]. The area of a vertex is a third of the areas around it [m^2]. The factor of an edge is half the sum of the
    /// opposite cotangents: width over length of the flow along the edge.
    pub fn areas_and_shapes(&self, x: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<f64>, Vec<f64>) {
        let (mut areas, mut shapes) = (vec![0.0; x.len()], vec![0.0; self.edges.len()]);
        for (t, edges) in triangles.iter().zip(&self.triangle_edges) {
            let at = t.map(|v| x[v as usize]);
            for k in 0..3 {
                let (u, v) = (at[(k + 1) % 3] - at[k], at[(k + 2) % 3] - at[k]);
                let double = u.cross(&v).norm();
                areas[t[k] as usize] += double / 6.0;
                if double > 0.0 {
                    shapes[edges[k] as usize] += 0.5 * u.dot(&v) / double;
                }
            }
        }
        (areas, shapes)
    }

    /// Builds the adjacency of `triangles` over `vertex_count` vertices, in O(T log T).
    ///
    /// Vertex indices must be below `vertex_count`, as the readers ensure. Higher ones are left out of the per-vertex
    /// tables.
    pub fn new(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        // Each triangle side has a record: edge key, then triangle and side. Equal edges are therefore in order of
        // triangles.
        let mut sides: Vec<(u64, u32)> = Vec::with_capacity(3 * triangles.len());
        for (t, tri) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (tri[(k + 1) % 3], tri[(k + 2) % 3]);
                let key = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
                sides.push((key, (3 * t + k) as u32));
            }
        }
        sides.sort_unstable();

        let mut topology = Self {
            triangle_edges: vec![[NONE; 3]; triangles.len()],
            boundary: vec![false; vertex_count],
            ..Self::default()
        };
        for run in sides.chunk_by(|a, b| a.0 == b.0) {
            topology.push_edge(run, triangles);
        }
        topology.list_vertex_triangles(vertex_count, triangles);
        topology
    }

    /// Returns the triangles around a vertex, ascending; none for an index out of range.
    pub fn vertex_triangles(&self, vertex: usize) -> &[u32] {
        match (self.vertex_triangle_start.get(vertex), self.vertex_triangle_start.get(vertex + 1)) {
            (Some(&from), Some(&to)) => &self.vertex_triangle_list[from as usize..to as usize],
            _ => &[],
        }
    }

    fn push_edge(&mut self, run: &[(u64, u32)], triangles: &[[u32; 3]]) {
        let edge = self.edges.len() as u32;
        let key = run[0].0;
        let ends = [(key >> 32) as u32, key as u32];
        let mut both = [NONE; 2];
        for (slot, &(_, side)) in both.iter_mut().zip(run) {
            *slot = side / 3;
        }
        for &(_, side) in run {
            self.triangle_edges[side as usize / 3][side as usize % 3] = edge;
        }
        if run.len() == 1 {
            for end in ends {
                if let Some(flag) = self.boundary.get_mut(end as usize) {
                    *flag = true;
                }
            }
        }
        if run.len() == 2 {
            let (t0, k0) = (run[0].1 as usize / 3, run[0].1 as usize % 3);
            let (t1, k1) = (run[1].1 as usize / 3, run[1].1 as usize % 3);
            if t0 != t1 {
                let first = triangles[t0];
                self.hinges.push(Hinge {
                    vertices: [first[(k0 + 1) % 3], first[(k0 + 2) % 3], first[k0], triangles[t1][k1]],
                    edge,
                    triangles: both,
                });
            }
        }
        self.edges.push(ends);
        self.edge_triangles.push(both);
        self.edge_valence.push(run.len() as u32);
    }

    fn list_vertex_triangles(&mut self, vertex_count: usize, triangles: &[[u32; 3]]) {
        let mut start = vec![0u32; vertex_count + 1];
        let corners = || triangles.iter().enumerate().flat_map(|(t, tri)| distinct(tri).map(move |v| (t as u32, v)));
        for (_, v) in corners() {
            if let Some(count) = start.get_mut(v as usize + 1) {
                *count += 1;
            }
        }
        for v in 0..vertex_count {
            start[v + 1] += start[v];
        }
        let mut next = start.clone();
        let mut list = vec![0u32; start[vertex_count] as usize];
        for (t, v) in corners() {
            if (v as usize) < vertex_count {
                let slot = &mut next[v as usize];
                list[*slot as usize] = t;
                *slot += 1;
            }
        }
        self.vertex_triangle_start = start;
        self.vertex_triangle_list = list;
    }
}

/// Returns the vertices of a triangle, each once.
fn distinct(tri: &[u32; 3]) -> impl Iterator<Item = u32> + '_ {
    (0..3).filter(|&k| !tri[..k].contains(&tri[k])).map(|k| tri[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];

    #[test]
    fn a_tetrahedron_is_closed() {
        let t = Topology::new(4, &TETRAHEDRON);
        assert_eq!(t.edges, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(t.hinges.len(), 6);
        assert!(t.boundary.iter().all(|b| !b));
        assert_eq!(t.vertex_triangles(3), [1, 2, 3]);
        assert!(t.vertex_triangles(4).is_empty());
        for hinge in &t.hinges {
            let [a, b, c, d] = hinge.vertices;
            let first = TETRAHEDRON[hinge.triangles[0] as usize];
            let second = TETRAHEDRON[hinge.triangles[1] as usize];
            let turned = |tri: [u32; 3]| [tri, [tri[1], tri[2], tri[0]], [tri[2], tri[0], tri[1]]];
            assert!(turned(first).contains(&[a, b, c]) && turned(second).contains(&[b, a, d]));
        }
    }

    #[test]
    fn edges_are_opposite_their_vertices() {
        let triangles = [[0, 1, 2], [2, 1, 3]];
        let t = Topology::new(5, &triangles);
        for (tri, edges) in triangles.iter().zip(&t.triangle_edges) {
            for k in 0..3 {
                let [a, b] = t.edges[edges[k] as usize];
                let (p, q) = (tri[(k + 1) % 3], tri[(k + 2) % 3]);
                assert_eq!([a, b], [p.min(q), p.max(q)]);
            }
        }
        assert_eq!(t.hinges.len(), 1);
        assert_eq!(t.hinges[0].vertices, [1, 2, 0, 3]);
        assert_eq!(t.boundary, [true, true, true, true, false]);
        assert_eq!(t.edge_triangles.iter().filter(|e| e[1] == NONE).count(), 4);
    }

    #[test]
    fn three_triangles_at_an_edge_make_no_hinge() {
        let t = Topology::new(5, &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
        assert!(t.hinges.is_empty());
        assert_eq!(t.edge_valence[0], 3);
        assert_eq!(t.edge_triangles[0], [0, 1]);
    }

    #[test]
    fn repeated_and_foreign_vertices_are_survived() {
        let t = Topology::new(2, &[[0, 0, 0], [1, 1, 0], [7, 8, 9]]);
        assert_eq!(t.vertex_triangles(0), [0, 1]);
        assert_eq!(t.triangle_edges.len(), 3);
    }
}
