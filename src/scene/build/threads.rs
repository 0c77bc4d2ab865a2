//! Meshes on which rigidities by direction are not reached.

use super::faults::Faults;
use crate::force::bending::Bending;
use crate::mesh::TriMesh;
use crate::world::build::ClothInput;

/// Ratio of the rigidities of warp and weft, times the mean of both over that of twist, up to which a grid of
/// alternating diagonals is a plate within 5 %. Measured: 3 gives 0.96 of the stiffer one, 4 0.87, 8 0.64; other meshes
/// 1.00.
const UNEVEN: f64 = 3.2;
/// Part of the vertices with four triangles, and with eight, from which on diagonals alternate.
const ALTERNATING: f64 = 0.3;

/// Warns of rigidities by direction that a grid of alternating diagonals does not have.
pub(super) fn tell(input: &ClothInput, key: &str, faults: &mut Faults) {
    let Bending::Orthotropic([warp, weft, twist]) = input.law.bending else { return };
    let uneven = warp.max(weft) / warp.min(weft) * (warp * weft).sqrt() / twist;
    if uneven > UNEVEN && alternates(&input.mesh) {
        let message = "rigidities by direction that differ so much are not reached on a grid whose diagonals alternate: the \
                       stiffer one is a tenth and more too soft; take aligned diagonals, or an irregular mesh such as that \
                       of a pattern";
        faults.warn(&format!("{key}.material"), message.to_string());
    }
}

/// Returns whether vertices with four and with eight triangles alternate.
fn alternates(mesh: &TriMesh) -> bool {
    let mut around = vec![0; mesh.positions.len()];
    mesh.triangles.iter().flatten().for_each(|v| around[*v as usize] += 1);
    let part = |count: i32| around.iter().filter(|own| **own == count).count() as f64 / around.len() as f64;
    part(4) > ALTERNATING && part(8) > ALTERNATING
}
