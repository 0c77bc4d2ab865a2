use super::*;
use crate::linalg::{Rotation, Vec2};
use crate::mesh::TriMesh;
use crate::mesh::generate::{Diagonals, random_sheet, sheet, sphere};
use std::f64::consts::{PI, SQRT_2};

/// Builds a sheet of 0.4 m by 0.4 m with waves along x of amplitude `a` and length `l` [m], `n` cells a side.
fn waves(n: usize, a: f64, l: f64) -> TriMesh {
    let wave = |m: Vec2| Vec3::new(m.x, a * (2.0 * PI * m.x / l).sin(), m.y);
    sheet(n + 1, n + 1, 0.4, 0.4, Diagonals::Alternating, wave)
}

fn of(mesh: &TriMesh) -> Relief<'_> {
    Relief::new(&mesh.positions, &mesh.triangles)
}

/// The mean of `sin(k (x + .))` over a disc of radius R is `2 J1(kR)/(kR)` times the value at its centre. A tilt of the
/// disc's mean plane does not show at the centre. Waves of amplitude `a` therefore leave
/// `a/2^(1/2) (1 - 2 J1(kR)/(kR))`. At `kR = pi` J1 is 0.284615. Cells of a twentieth of the radius cause errors of
/// some percent. A single plane over whole waves leaves their full height. The trapezoidal rule is exact there except
/// at the ends.
#[test]
fn waves_are_as_rough_as_they_are_high() {
    let (a, l) = (1e-3, 0.08);
    let mesh = waves(200, a, l);
    let local = of(&mesh).roughness(0.5 * l);
    let wanted = a / SQRT_2 * (1.0 - 2.0 * 0.284_615 / PI);
    assert!((local / wanted - 1.0).abs() < 0.03, "{local}, not {wanted}");
    // A window much shorter than a wave.
    let short = of(&mesh).roughness(0.1 * l);
    assert!(short < 0.1 * local, "{short} {local}");
    let all = of(&mesh).roughness(f64::INFINITY);
    // Slopes of 2 pi a/l stretch the area by half their square, 0.3 %.
    assert!((all / (a / SQRT_2) - 1.0).abs() < 0.02, "{all}");
    assert!(of(&waves(40, a, l)).roughness(1.0).is_nan());
}

/// Spheres have `H = 1/R` and `K = 1/R^2`. Cylinders have `H = 1/(2R)` and `K = 0`. Waves have `H = a k^2 sin/2`, up to
/// the square of their slope. The relative error of a quadric is the square of its reach, two edges, over the radius.
/// That error is four times as large at waves 16 edges long.
#[test]
fn curvatures_are_those_of_spheres_cylinders_and_waves() {
    let radius = 0.2;
    let [mean, gaussian] = of(&sphere(Vec3::new(1.0, 2.0, 3.0), radius, 0.02)).curvature();
    assert!((mean * radius - 1.0).abs() < 0.02, "{mean}");
    assert!((gaussian * radius * radius - 1.0).abs() < 0.04, "{gaussian}");
    let bent = |m: Vec2| Vec3::new(radius * (m.x / radius).sin(), radius * (m.x / radius).cos(), m.y);
    let [mean, gaussian] = of(&random_sheet(41, 41, 0.4, 0.4, 3, bent)).curvature();
    assert!((2.0 * mean * radius - 1.0).abs() < 0.02, "{mean}");
    assert!(gaussian * radius * radius < 0.02, "{gaussian}");
    let (a, l) = (1e-3, 0.08);
    let [mean, gaussian] = of(&waves(80, a, l)).curvature();
    let wanted = a * (2.0 * PI / l).powi(2) / 2.0 / SQRT_2;
    assert!((mean / wanted - 1.0).abs() < 0.06, "{mean}, not {wanted}");
    assert!(gaussian < 0.05 * wanted * wanted, "{gaussian}");
}

/// A bump of `exp(-((x - x0)/w)^2)` over a sheet has its crest at `x0`. A parabola through three strips `d` apart errs
/// by less than `d (d/w)^2`. The rows of vertices that a strip contains shift the result by up to half a row.
#[test]
fn a_crest_is_where_the_bump_is() {
    let w = 0.05;
    for x0 in [0.13, 0.2017, 0.31] {
        let bump = |m: Vec2| Vec3::new(m.x, 0.01 * (-((m.x - x0) / w).powi(2)).exp(), m.y);
        let mesh = random_sheet(81, 81, 0.4, 0.4, 5, bump);
        let found = of(&mesh).crest(&Vec3::y_axis(), &Vec3::x_axis());
        let d = of(&mesh).edge();
        assert!((found - x0).abs() < d * (d / w).powi(2) + 0.5 * d, "{found}, not {x0}");
    }
}

/// Waves `a sin` over a plane `a` below their middle are nearer than `a` over half of the area. Their mean distance is
/// `a`.
#[test]
fn nearness_is_a_share_of_the_area() {
    let a = 1e-3;
    let upper = waves(200, a, 0.08);
    let lower = sheet(2, 2, 1.0, 1.0, Diagonals::Aligned, |m| Vec3::new(m.x - 0.3, -a, m.y - 0.3));
    let [share, mean] = of(&upper).nearness(&of(&lower), a);
    // Tolerance for a row of vertices on either side.
    assert!((share - 0.5).abs() < 0.06 && (mean / a - 1.0).abs() < 1e-2, "{share} {mean}");
    assert_eq!(of(&upper).nearness(&of(&lower), 0.1)[0], 1.0);
}

/// Two sines with phase difference `p` have the correlation `cos p`.
#[test]
fn alike_is_what_has_one_phase() {
    let wave = |phase: f64| {
        let of = move |m: Vec2| Vec3::new(m.x, 1e-3 * (2.0 * PI * m.x / 0.08 + phase).sin(), m.y);
        sheet(201, 3, 0.4, 0.4, Diagonals::Aligned, of)
    };
    let first = wave(0.0);
    for phase in [0.0, 1.0, 0.5 * PI, PI] {
        let found = of(&first).correlation(&of(&wave(phase)), &Vec3::y_axis());
        assert!((found - phase.cos()).abs() < 0.01, "{phase}: {found}");
    }
}

/// A rigid motion yields its own rotation and translation, up to rounding.
#[test]
fn a_rigid_motion_is_found() {
    let mesh = waves(20, 0.01, 0.1);
    for (axis, angle) in [(Vec3::y_axis(), 0.7), (UnitVec3::new_normalize(Vec3::new(1.0, 2.0, -0.5)), -2.9)] {
        let mut later = mesh.clone();
        let (turn, shift) = (Rotation::from_axis_angle(&axis, angle), Vec3::new(0.1, -0.2, 0.05));
        let flat = of(&mesh);
        let area: f64 = flat.areas().iter().sum();
        let centre: Vec3 = mesh.positions.iter().zip(flat.areas()).map(|(x, area)| x * *area).sum::<Vec3>() / area;
        later.positions.iter_mut().for_each(|p| *p = turn * (*p - centre) + centre + shift);
        let (moved, turned) = flat.motion(&of(&later), &axis);
        assert!((moved - shift).norm() < 1e-14 && (turned - angle).abs() < 1e-12, "{moved:?} {turned}");
    }
}
