//! The meshes that come with the project.

use super::{Diagonals, hanging, hull, lying, mannequin, pillow, sheet, skirt, tshirt};
use crate::mesh::TriMesh;

/// Edge length of the mannequin [m].
pub(super) const MANNEQUIN: f64 = 0.016;

/// Every file of `meshes/` by name and what it holds.
pub fn shipped() -> Vec<(&'static str, TriMesh)> {
    let square = |n| sheet(n, n, 1.0, 1.0, Diagonals::Alternating, lying(1.0, 1.0));
    vec![
        ("sheet_1m_25.ply", square(25)),
        ("sheet_1m_50.ply", square(50)),
        ("sheet_1m_100.ply", square(100)),
        ("sheet_1m_200.ply", square(200)),
        ("curtain.ply", sheet(61, 61, 2.0, 2.0, Diagonals::Alternating, hanging())),
        ("flag.ply", sheet(61, 41, 1.5, 1.0, Diagonals::Alternating, hanging())),
        ("mannequin.ply", mannequin(MANNEQUIN)),
        ("skirt.obj", skirt(96, 38)),
        ("tshirt.obj", tshirt()),
        ("hull.ply", hull(0.07)),
        ("pillow.ply", pillow(0.5, 0.04, 30)),
    ]
}
