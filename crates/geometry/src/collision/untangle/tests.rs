use super::*;
use crate::mesh::TriMesh;
use crate::mesh::generate::{Diagonals, plane, sheet, sphere};
use crate::mesh::read;

/// Target gap: half of the default contact distance [m].
const GAP: f64 = 5e-4;

/// Untangles cloths among obstacles. Returns whether crossings are resolved, the largest displacement, the initial
/// number of crossings and the largest strain of an edge.
fn untangled(cloths: &[TriMesh], obstacles: &[TriMesh], show: &str) -> (bool, f64, usize, f64) {
    let mut x: Vec<Vec3> = Vec::new();
    let mut parts = Vec::new();
    for mesh in cloths.iter().chain(obstacles) {
        let first = x.len();
        x.extend(&mesh.positions);
        parts.push((first..x.len(), mesh.triangles.iter().map(|t| t.map(|v| v + first as u32)).collect()));
    }
    let surface = Surface::new(&parts);
    let tangle = Tangle {
        surface: &surface,
        moving: cloths.iter().map(|c| c.positions.len()).sum(),
        thickness: &vec![0.0; x.len()],
        gap: GAP,
        meet: |i: usize, j: usize| i < cloths.len() || j < cloths.len(),
        may: &|_, _| false,
    };
    let before = x.clone();
    let crossed = tangle.crossing(&x).len();
    let clock = std::time::Instant::now();
    let done = tangle.resolve(&mut x);
    assert_eq!(done, tangle.crossing(&x).is_empty());
    assert_eq!(before[tangle.moving..], x[tangle.moving..]);
    let most = (0..x.len()).map(|v| (x[v] - before[v]).norm()).fold(0.0, f64::max);
    let length = |x: &[Vec3], [a, b]: &[u32; 2]| (x[*a as usize] - x[*b as usize]).norm();
    let moving = surface.edges.iter().filter(|e| (e[1] as usize) < tangle.moving);
    let strain = moving.map(|e| (length(&x, e) / length(&before, e) - 1.0).abs()).fold(0.0, f64::max);
    println!(
        "{show}: {crossed} pairs crossed, {done}, moved {:.2} mm, strained {:.1} %, {:.2} s",
        most * 1e3,
        strain * 1e2,
        clock.elapsed().as_secs_f64()
    );
    (done, most, crossed, strain)
}

/// Reads a mesh that percale ships.
fn shipped(name: &str) -> TriMesh {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes").join(name);
    let (_, ending) = name.split_once('.').unwrap();
    read(ending, &std::fs::read(path).unwrap()).unwrap()
}

/// Builds a horizontal sheet of 1 m at this height.
fn lying(cells: usize, height: f64) -> TriMesh {
    sheet(cells + 1, cells + 1, 1.0, 1.0, Diagonals::Alternating, |p| Vec3::new(p.x - 0.51, height, 0.503 - p.y))
}

#[test]
fn a_sphere_that_pokes_into_a_sheet() {
    for (cells, edge) in [(25, 0.04), (50, 0.02), (50, 0.08), (100, 0.02)] {
        for depth in [1e-3, 5e-3, 1e-2] {
            let ball = sphere(Vec3::zeros(), 0.25, edge);
            let top = ball.positions.iter().map(|p| p.y).fold(0.0, f64::max);
            let show = format!("{cells} cells, edges of {edge} m, {depth} m deep");
            let (done, most, crossed, strain) = untangled(&[lying(cells, top - depth)], &[ball], &show);
            assert!(done && crossed > 0, "{show}");
            // The deepest vertex must move by the depth and the gap. Rounds may overshoot by their nudges, a few 0.02
            // of an edge. Triangles deviate from a sphere by edge^2/(6 r).
            let cell = 1.0 / cells as f64;
            let flat = (cell * cell + edge * edge) / (6.0 * 0.25);
            assert!(most < 2.0 * (depth + GAP + flat) + 0.1 * cell, "{show}: {most}");
            assert!(strain < 0.1, "{show}: {strain}");
        }
    }
}

#[test]
fn a_sheet_that_hangs_through_a_floor() {
    // The middle of the sheet is under the floor, which is open. Cloth belongs where most of it is.
    let cloth = sheet(41, 41, 1.0, 1.0, Diagonals::Alternating, |p| {
        let r = (p - crate::linalg::Vec2::new(0.5, 0.5)).norm();
        Vec3::new(p.x - 0.5, 0.05 * (r - 0.1), p.y - 0.5)
    });
    let floor = plane(Vec3::zeros(), Vec3::y(), 2.0, 0.1);
    let (done, most, ..) = untangled(&[cloth], &[floor], "floor");
    assert!(done && most < 2.0 * (5e-3 + GAP) + 0.1 * 0.025, "{most}");
}

#[test]
fn a_shirt_too_narrow_for_its_wearer() {
    let body = shipped("mannequin.ply");
    let solid = {
        let surface = Surface::new(&[(0..body.positions.len(), body.triangles.clone())]);
        Solid::new(&body.positions, &surface, 0, 0..0, false)
    };
    for scale in [0.97, 0.96, 0.95] {
        let mut shirt = shipped("tshirt.obj");
        let count = shirt.positions.len() as f64;
        let centre = shirt.positions.iter().sum::<Vec3>() / count;
        for p in &mut shirt.positions {
            p.x = centre.x + (p.x - centre.x) * scale;
            p.z = centre.z + (p.z - centre.z) * scale;
        }
        let depth = |p: &Vec3| solid.place(p, 0.1).map_or(0.0, |place| -place.distance);
        let deepest = shirt.positions.iter().map(depth).fold(0.0, f64::max);
        let show = format!("shirt at {scale}, {:.2} mm deep", deepest * 1e3);
        let (done, most, crossed, strain) = untangled(&[shirt], std::slice::from_ref(&body), &show);
        assert!(done && crossed > 0 && strain < 0.1 && most < 2.0 * (deepest + GAP) + 2e-3, "{scale}: {most}");
    }
}

#[test]
fn two_sheets_that_cross_at_a_fold() {
    // The lower sheet is folded upwards along a line: a roof whose ridge pokes through the upper one.
    for depth in [2e-3, 5e-3] {
        for cells in [26, 50] {
            let roof = sheet(cells + 1, cells + 1, 1.0, 1.0, Diagonals::Alternating, |p| {
                Vec3::new(p.x - 0.507, depth - 0.3 * (p.x - 0.5).abs(), p.y - 0.5)
            });
            let (done, most, crossed, strain) =
                untangled(&[lying(cells, 0.0), roof], &[], &format!("fold, {cells} cells, {depth} m deep"));
            assert!(done && crossed > 0 && most < 3.0 * (depth + GAP) + 0.1 / cells as f64, "{most}");
            assert!(strain < 0.1, "{strain}");
        }
    }
}

#[test]
fn a_sheet_that_crosses_itself() {
    // Strip bent to a loop of 1.03 turns. Where it ends it is 5 mm wider, but on one side narrower by 10 mm.
    let radius = 1.0 / (2.0 * std::f64::consts::PI);
    let strip = sheet(101, 21, 1.0, 0.2, Diagonals::Alternating, |p| {
        let turn = p.x / radius * 1.03;
        let r = radius * (1.0 + 0.03 * turn / 6.0) - 0.009 * (turn / 6.4).powi(8) * (p.y / 0.2);
        Vec3::new(r * turn.cos(), r * turn.sin(), p.y)
    });
    let (done, most, crossed, strain) = untangled(&[strip], &[], "loop");
    assert!(done && crossed > 0, "{crossed}");
    assert!(most < 0.02 && strain < 0.1, "{most} {strain}");
}

#[test]
fn what_is_deep_is_left_as_it_was() {
    // A sheet through the middle of a ball.
    let ball = sphere(Vec3::zeros(), 0.4, 0.05);
    let cloth = lying(25, 0.0);
    let (done, most, ..) = untangled(&[cloth], &[ball], "deep");
    assert!(!done && most == 0.0);
}

#[test]
fn what_does_not_cross_stays() {
    let (done, most, crossed, _) = untangled(&[lying(25, 0.3)], &[sphere(Vec3::zeros(), 0.25, 0.05)], "clean");
    assert!(done && most == 0.0 && crossed == 0);
}
