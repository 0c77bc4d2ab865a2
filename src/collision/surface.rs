//! All surfaces of a scene in one vertex array.

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
            surface.edges.extend(edges_of(triangles));
            surface.edge_ranges.push(first..surface.edges.len());
        }
        surface
    }

    /// Number of objects.
    pub fn objects(&self) -> usize {
        self.vertex_ranges.len()
    }

    /// Vertices of object `k` that some triangle uses, ascending. The others touch nothing.
    pub fn used_vertices(&self, k: usize) -> Vec<u32> {
        let range = &self.vertex_ranges[k];
        let mut used = vec![false; range.len()];
        for v in self.triangles[self.triangle_ranges[k].clone()].iter().flatten() {
            used[*v as usize - range.start] = true;
        }
        range.clone().filter(|v| used[v - range.start]).map(|v| v as u32).collect()
    }
}

/// Sides of triangles, each once, lower index first, sorted.
fn edges_of(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [*a.min(b), *a.max(b)])
        .filter(|[a, b]| a != b)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
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
        assert_eq!(s.used_vertices(0), [0, 1, 2, 3]);
    }
}
