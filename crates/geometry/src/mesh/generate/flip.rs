//! Edge flips towards a Delaunay triangulation.

use crate::linalg::Vec3;
use crate::mesh::topology::{Hinge, Topology};

/// Flips every edge whose opposite angles sum to more than a half turn, unless that would fold the surface or double an
/// edge. A flipped edge is locally Delaunay. Makes one sweep over edges that share no triangle, and returns the number
/// of flips.
pub fn flip_edges(positions: &[Vec3], triangles: &mut [[u32; 3]]) -> usize {
    let topology = Topology::new(positions.len(), triangles);
    let mut touched = vec![false; triangles.len()];
    let mut flips = 0;
    let mut made: Vec<[u32; 2]> = Vec::new();
    for &Hinge { vertices: [a, b, c, d], triangles: [s, t], .. } in &topology.hinges {
        let (s, t) = (s as usize, t as usize);
        if touched[s] || touched[t] {
            continue;
        }
        let [pa, pb, pc, pd] = [a, b, c, d].map(|v| positions[v as usize]);
        let opposite = (pa - pc).angle(&(pb - pc)) + (pa - pd).angle(&(pb - pd));
        if opposite <= std::f64::consts::PI + 1e-6 {
            continue;
        }
        // Normals before and after must agree. A flip across a crease would change the shape.
        let normal = |p: Vec3, q: Vec3, r: Vec3| (q - p).cross(&(r - p));
        let mean = normal(pa, pb, pc) + normal(pb, pa, pd);
        let after = [normal(pa, pd, pc), normal(pd, pb, pc)];
        if after.iter().any(|n| n.dot(&mean) <= 0.5 * n.norm() * mean.norm()) {
            continue;
        }
        let new = [c.min(d), c.max(d)];
        if topology.edges.binary_search(&new).is_ok() || made.contains(&new) {
            continue;
        }
        triangles[s] = [a, d, c];
        triangles[t] = [d, b, c];
        touched[s] = true;
        touched[t] = true;
        made.push(new);
        flips += 1;
    }
    flips
}
