//! Rolled strips, and sleeves.

use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use percale::mesh::generate::{Diagonals, sheet};
use std::f64::consts::{PI, TAU};

/// Makes a strip of `length` x `width` [m], rolled about z from `radius` outwards, with turns `pitch` apart. The outer
/// end lies at the top and points to +x. The chart is the flat strip, from the inner end on.
pub fn rolled(length: f64, width: f64, edge: f64, radius: f64, pitch: f64) -> TriMesh {
    // The length of the spiral from its inner end is r phi + pitch phi^2/(4 pi), up to terms of second order in pitch
    // over radius.
    let angle = |s: f64| (radius - (radius * radius + pitch * s / PI).sqrt()) * -TAU / pitch;
    let last = angle(length);
    let cells = |size: f64| (size / edge).round() as usize + 1;
    sheet(cells(length), cells(width), length, width, Diagonals::Alternating, |m| {
        let turn = 0.5 * PI + last - angle(m.x);
        let out = radius + pitch * angle(m.x) / TAU;
        Vec3::new(out * turn.cos(), out * turn.sin(), m.y - 0.5 * width)
    })
}

/// Makes a tube of `radius` and `height` [m] about y, from y = 0 up, its normals outwards; `around` x `along` cells; no
/// chart.
pub fn tube(radius: f64, height: f64, around: usize, along: usize) -> TriMesh {
    let mut mesh = TriMesh::default();
    for row in 0..=along {
        for column in 0..around {
            let (sin, cos) = (TAU * column as f64 / around as f64).sin_cos();
            mesh.positions.push(Vec3::new(radius * sin, height * row as f64 / along as f64, radius * cos));
        }
    }
    for row in 0..along {
        for column in 0..around {
            let place = |column: usize, row: usize| (row * around + column % around) as u32;
            let [a, b, c, d] =
                [place(column, row), place(column + 1, row), place(column + 1, row + 1), place(column, row + 1)];
            if (row + column) % 2 == 0 {
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                mesh.triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    mesh
}
