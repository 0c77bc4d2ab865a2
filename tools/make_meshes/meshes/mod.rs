//! Meshes that are shipped with the project.

mod cushion;
mod dragon;
mod fields;
mod funnel;
mod furniture;
mod garment;
mod hull;
mod mannequin;
mod pants;
mod patterns;
mod pillow;
mod plump;
mod pointed;
mod relax;
mod rolled;
mod rounded;
mod skirt;
mod surface;
mod tshirt;
mod vest;

#[cfg(test)]
mod tests;

use cushion::cushion;
use dragon::dragon;
use funnel::funnel;
use furniture::{bed, sofa, table};
use hull::hull;
use mannequin::mannequin;
use pants::pants;
pub use patterns::patterns;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use percale::mesh::generate::{Diagonals, cuboid, hanging, lying, sheet, sphere};
use pillow::pillow;
use plump::plump;
use pointed::{needles, spike, wedge};
use rolled::{rolled, tube};
use skirt::skirt;
use tshirt::tshirt;
use vest::vest;

/// Edge length of the mannequin [m].
const MANNEQUIN: f64 = 0.016;

/// Returns the name and the mesh of every file of `meshes/`.
pub fn shipped() -> Vec<(&'static str, TriMesh)> {
    let square = |n| sheet(n, n, 1.0, 1.0, Diagonals::Alternating, lying(1.0, 1.0));
    // Sheet with the given numbers of columns and rows of vertices, 1 cm apart.
    let lattice = |columns: usize, rows: usize| {
        let [width, depth] = [columns, rows].map(|count| 0.01 * (count - 1) as f64);
        sheet(columns, rows, width, depth, Diagonals::Alternating, lying(width, depth))
    };
    vec![
        ("sheet_1m_25.ply", square(25)),
        ("sheet_1m_50.ply", square(50)),
        ("sheet_1m_100.ply", square(100)),
        ("sheet_1m_200.ply", square(200)),
        ("sheet_60x60.ply", lattice(60, 60)),
        ("sheet_50x50.ply", lattice(50, 50)),
        ("sheet_40x40.ply", lattice(40, 40)),
        ("sheet_20x40.ply", lattice(20, 40)),
        ("sheet_10x10.ply", lattice(10, 10)),
        ("curtain.ply", sheet(61, 61, 2.0, 2.0, Diagonals::Alternating, hanging())),
        ("flag.ply", sheet(61, 41, 1.5, 1.0, Diagonals::Alternating, hanging())),
        ("mannequin.ply", mannequin(MANNEQUIN)),
        ("skirt.obj", skirt(96, 38)),
        ("tshirt.obj", tshirt(0.0)),
        ("tshirt_over.obj", tshirt(0.008)),
        ("vest.obj", vest()),
        ("hull.ply", hull(0.07)),
        ("pillow.ply", pillow(0.5, 0.04, 30)),
        ("funnel.ply", funnel(0.5, 0.12, 0.35, 0.25, 0.01, 0.025)),
        ("needles.ply", needles(6, 0.15, 0.01, 0.2)),
        ("spike.ply", spike(0.03, 0.12, 4)),
        ("wedge.ply", wedge(0.3, 0.06, 0.06, 12)),
        ("ball.ply", sphere(Vec3::zeros(), 0.1, 0.012)),
        ("block.ply", cuboid(Vec3::new(-0.15, -0.05, -0.1), Vec3::new(0.15, 0.05, 0.1), 0.05)),
        ("cushion.ply", cushion(0.4, 0.12, 0.012)),
        ("cushion_9mm.ply", cushion(0.4, 0.12, 0.009)),
        ("comforter.ply", cushion(1.5, 0.12, 0.027)),
        ("sheet_1m_71.ply", square(71)),
        ("dragon.ply", dragon(0.005)),
        ("strip.ply", sheet(81, 21, 0.1, 0.025, Diagonals::Alternating, |m| Vec3::new(m.x, 0.0, 0.0125 - m.y))),
        ("strip_4mm.ply", rolled(0.1, 0.025, 1.25e-3, 0.004, 6e-4)),
        ("strip_7mm.ply", rolled(0.1, 0.025, 1.25e-3, 0.0075, 6e-4)),
        ("strip_23mm.ply", rolled(0.1, 0.025, 1.25e-3, 0.023, 6e-4)),
        ("pants.obj", pants(0.011)),
        ("sleeve.ply", tube(0.05, 0.25, 96, 76)),
        ("bed.obj", bed()),
        ("table.obj", table()),
        ("sofa.obj", sofa()),
        ("bed_pillow.ply", plump(Vec3::new(0.7, 0.18, 0.48), 0.0165)),
        ("sofa_pillow.ply", plump(Vec3::new(0.45, 0.17, 0.45), 0.017)),
    ]
}
