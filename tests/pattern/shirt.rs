//! Patterns made by the tests, and measures of what comes of them.

use percale::linalg::Vec2;
use percale::mesh::{MeshError, TriMesh};
use percale::pattern::garment::{Garment, make};
use percale::pattern::{Options, Pattern, check, read};

/// A top of two panels, in centimetres: front and back mirror each other. The seams are shoulders and sides.
pub const TOP: &str = include_str!("../data/pattern/top.json");

/// Reads and checks a pattern.
pub fn loaded(extension: &str, text: &str) -> Result<Pattern, MeshError> {
    let mut pattern = read(extension, text.as_bytes(), &Options::default())?;
    check(&mut pattern).map(|()| pattern)
}

/// Reads a specification.
pub fn json(text: &str) -> Pattern {
    loaded("json", text).unwrap()
}

/// Returns the message of a specification that is refused.
pub fn refused(text: &str) -> String {
    loaded("json", text).unwrap_err().to_string()
}

/// Makes a mesh of a specification.
pub fn sewn(text: &str, h: f64) -> Garment {
    make(&json(text), h).unwrap()
}

/// Returns the coordinates of a triangle in the chart.
pub fn chart(mesh: &TriMesh, t: usize) -> [Vec2; 3] {
    mesh.uv_triangles[t].map(|v| mesh.uv[v as usize])
}

/// Returns the signed area of the chart [m^2].
pub fn area(mesh: &TriMesh) -> f64 {
    let of = |t: usize| {
        let [a, b, c] = chart(mesh, t);
        0.5 * (b - a).perp(&(c - a))
    };
    (0..mesh.triangles.len()).map(of).sum()
}

/// Returns the angles of all triangles [deg].
pub fn angles(mesh: &TriMesh) -> Vec<f64> {
    let of = |t: usize| {
        let p = chart(mesh, t);
        (0..3).map(move |k| {
            let (a, b) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
            a.perp(&b).atan2(a.dot(&b)).to_degrees()
        })
    };
    (0..mesh.triangles.len()).flat_map(of).collect()
}
