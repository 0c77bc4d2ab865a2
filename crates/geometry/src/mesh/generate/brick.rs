//! Tetrahedral mesh of a block.

use crate::linalg::Vec3;
use crate::mesh::TetMesh;

/// Makes a block from the origin along the axes, of `cells` with edges `edge` [m]. Each cell is cut into six tetrahedra
/// around its diagonal (H. Freudenthal 1942, H. W. Kuhn 1960), which conform to those of its neighbours. In cubes they
/// have the quality 0.66 and dihedral angles from 45 to 90 degrees.
pub fn brick(cells: [usize; 3], edge: Vec3) -> TetMesh {
    let [p, q, r] = cells.map(|n| n + 1);
    let at = |k: usize| Vec3::new((k / (q * r)) as f64, (k / r % q) as f64, (k % r) as f64);
    let positions = (0..p * q * r).map(|k| at(k).component_mul(&edge)).collect();
    let mut tets = Vec::new();
    let [nx, ny, nz] = cells;
    for (i, j, k) in (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k)))) {
        // Each path along three edges from a corner to the opposite one gives a tetrahedron.
        for way in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]] {
            let mut at = [i, j, k];
            let vertex = |at: [usize; 3]| ((at[0] * q + at[1]) * r + at[2]) as u32;
            let mut tet = [vertex(at); 4];
            for (step, axis) in way.into_iter().enumerate() {
                at[axis] += 1;
                tet[step + 1] = vertex(at);
            }
            if way[1] != (way[0] + 1) % 3 {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    TetMesh { positions, tets, ..TetMesh::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::check::tet::check;
    use crate::mesh::tet::volume;

    #[test]
    fn a_brick_is_whole() {
        let mesh = brick([4, 3, 2], Vec3::new(0.5, 0.5, 0.5));
        assert!(check(&mesh).is_empty() && mesh.tets.len() == 24 * 6 && mesh.boundary().len() == 2 * 2 * (12 + 8 + 6));
        assert!(mesh.tets.iter().all(|t| (volume(&mesh.corners(t).unwrap()) - 0.125 / 6.0).abs() < 1e-15));
        let (quality, [sharp, blunt]) = (mesh.quality().unwrap(), mesh.dihedral_angles().unwrap());
        assert!((quality.smallest - 2f64.sqrt() / (10.0f64 / 6.0).powf(1.5)).abs() < 1e-14);
        assert!((sharp - 45.0).abs() < 1e-9 && (blunt - 90.0).abs() < 1e-9, "{sharp} {blunt}");
    }
}
