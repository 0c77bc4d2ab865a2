//! `fit drape`: drape of a fabric over a disc (BS 5058; Cusick 1968), and the rigidity that gives a measured one.
//!
//! A disc of 30 cm hangs over a support of 18 cm. The drape coefficient is the part of the overhanging ring that its
//! shadow covers: `(A - A_support)/(A_specimen - A_support)`. Meshes follow the bending length `c = (B/(W g))^(1/3)`,
//! with `B` the rigidity of a flat sheet, the mean of warp and weft, and `W` the mass per area.
//!
//! A clamp of bending elements acts in the middle of their last row within it: hinges over the last pinned vertices
//! stand for half a row to each side. So the last pinned vertices stand half a row outside of the support.

use crate::linalg::{Vec2, Vec3};
use crate::measure::Shadow;
use crate::mesh::{MeshError, TriMesh};
use crate::pattern::garment::make;
use crate::pattern::{self, Options};
use crate::scene::Material;
use crate::scene::csv::units::GRAVITY;
use std::f64::consts::{FRAC_PI_2, PI};

/// Radius of the specimen [m].
pub const SPECIMEN: f64 = 0.15;
/// Radius of the support [m].
pub const SUPPORT: f64 = 0.09;
/// Name of the mesh of the specimen.
pub const MESH: &str = "disc";
/// Speed below which the specimen is at rest [m/s]. At this speed it moves by a hundredth of the ring in a second.
pub const REST: f64 = 1e-3;
/// Bending lengths in an edge, on three meshes.
const MESHES: [f64; 3] = [2.0, 3.0, 4.0];
/// Shortest and longest edge of the meshes [m].
const EDGES: [f64; 2] = [1.5e-3, 15e-3];
/// Half the height of a row of triangles in edges, by which the pinned vertices stand outside of the support.
const CLAMP: f64 = 0.433;
/// Turn of the warp from one laying to the next [rad].
const TURN: f64 = 0.7;
/// Change of the edge length by which another laying has another mesh.
const VARIES: f64 = 0.01;
/// Edge of the cells of the shadow [m]: the ring is 170 of them wide.
const CELL: f64 = 0.35e-3;
/// Coefficient by which a factor of two in rigidity changes a drape of a half, from which a search starts.
const SLOPE: f64 = 0.2;
/// Bounds of that change between two drapes.
const SLOPES: [f64; 2] = [0.04, 0.6];
/// Doublings of the rigidity below which two drapes differ by chance of their folds.
const APART: f64 = 0.1;
/// Largest number of drapes that a search makes.
const MOST: usize = 8;

/// Drape of a specimen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Draped {
    /// Drape coefficient, 0 to 1.
    pub coefficient: f64,
    /// Number of folds of the rim.
    pub nodes: usize,
}

/// Returns the mean of coefficients, and their standard deviation; 0 for a single one.
pub fn mean(all: &[f64]) -> [f64; 2] {
    let count = all.len().max(1) as f64;
    let mean = all.iter().sum::<f64>() / count;
    let square = all.iter().map(|c| (c - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    [mean, square.sqrt()]
}

/// Returns the rigidity of a flat sheet, the mean of warp and weft [N m].
pub fn rigidity(material: &Material) -> f64 {
    0.5 * (material.bending.rigidity(0.0, 0.0) + material.bending.rigidity(FRAC_PI_2, 0.0))
}

/// Returns the bending length [m].
pub fn bending_length(material: &Material) -> f64 {
    (rigidity(material) / (material.density * GRAVITY)).cbrt()
}

/// Returns the edge lengths of the three meshes [m]: a half, a third and a quarter of the bending length.
pub fn edges(material: &Material) -> [f64; 3] {
    MESHES.map(|part| (bending_length(material) / part).clamp(EDGES[0], EDGES[1]))
}

/// Returns the drape of a specimen around the vertical axis through the origin. `x` are its vertices [m].
pub fn draped(x: &[Vec3], triangles: &[[u32; 3]]) -> Draped {
    let flat: Vec<Vec2> = x.iter().map(|p| Vec2::new(p.x, p.z)).collect();
    let shadow = Shadow::new(&flat, triangles, CELL);
    let [support, specimen] = [SUPPORT, SPECIMEN].map(|r| PI * r * r);
    Draped { coefficient: (shadow.area() - support) / (specimen - support), nodes: shadow.folds(Vec2::zeros()) }
}

/// Returns the radius of the last pinned vertices [m] at an edge length [m].
pub fn rim(edge: f64) -> f64 {
    SUPPORT + CLAMP * edge
}

/// Makes the mesh of a flat specimen around the origin, normal +y. `edge` is its edge length [m]. The warp is turned by
/// [`TURN`] from one `laying` to the next, and edges are longer or shorter by a hundredth or more. So each has a mesh
/// of its own.
///
/// # Errors
/// Fails for an edge length at which the disc has no or too many triangles.
pub fn specimen(edge: f64, laying: usize) -> Result<TriMesh, MeshError> {
    let away = VARIES * laying.div_ceil(2) as f64;
    let own = edge * if laying.is_multiple_of(2) { 1.0 + away } else { 1.0 - away };
    let [outer, inner] = [SPECIMEN, rim(edge)].map(|r| 1e3 * r);
    let svg = format!(
        "<svg width=\"320mm\" height=\"320mm\" viewBox=\"0 0 320 320\"><g id=\"disc\">\
         <circle cx=\"160\" cy=\"160\" r=\"{outer}\"/>\
         <circle id=\"rim\" class=\"internal\" cx=\"160\" cy=\"160\" r=\"{inner}\"/></g></svg>"
    );
    let pattern = pattern::read("svg", svg.as_bytes(), &Options::default())?;
    let mut mesh = make(&pattern, own)?.mesh;
    let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let (low, high) = mesh.positions.iter().fold(start, |(l, h), p| (l.inf(p), h.sup(p)));
    let middle = 0.5 * (low + high);
    mesh.positions.iter_mut().for_each(|p| *p = Vec3::new(p.x - middle.x, 0.0, middle.y - p.y));
    let (sin, cos) = (TURN * laying as f64).sin_cos();
    mesh.uv.iter_mut().for_each(|p| *p = Vec2::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y));
    Ok(mesh)
}

/// Returns the text of a scene in which a specimen falls from flat and comes to rest, for `frames` tenths of a second.
/// `head` are tables of materials, one of which is named `material`. The mesh is [`MESH`], in memory, with edges of
/// `edge` [m].
pub fn scene(head: &str, material: &str, frames: usize, edge: f64) -> String {
    // The rim falls at about 0.4 m/s: there the drag of air, 0.7 v^2 [N/m2], is as this linear one.
    format!(
        "[scene]\nname = \"drape\"\n\n{head}\n\
         [time]\nfps = 10\nframes = {}\n\n\
         [[cloth]]\nname = \"specimen\"\nmesh = \"memory:{MESH}\"\nmaterial = {}\nrest = \"chart\"\nair_drag = 0.3\n\n\
         [[cloth.pin]]\nsphere = {{ center = [0, 0, 0], radius = {:e} }}\n",
        frames + 1,
        super::outcome::quoted(material),
        rim(edge) + 1e-4
    )
}

/// Rigidity that gives a drape.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Rigidity [N m].
    pub rigidity: f64,
    /// Change of the coefficient per doubling of the rigidity.
    pub slope: f64,
    /// Rigidities that were tried, with their coefficients.
    pub tried: Vec<[f64; 2]>,
}

/// Searches the rigidity whose coefficient is within `near` of `wanted`, from `start` [N m]. `drape` returns the
/// coefficient at a rigidity. Secants in the logarithm are used, since the coefficient is nearly linear in it. Returns
/// the rigidities that were tried, with their coefficients, if none from a thousandth to a thousand times `start` fits.
///
/// # Errors
/// The errors of `drape`.
pub fn search<E>(
    start: f64,
    wanted: f64,
    near: f64,
    mut drape: impl FnMut(f64) -> Result<f64, E>,
) -> Result<Result<Found, Vec<[f64; 2]>>, E> {
    let (mut tried, mut slope, mut at) = (Vec::<[f64; 2]>::new(), SLOPE, 0.0f64);
    // Doublings of the start, and the coefficient there.
    let mut before: Option<[f64; 2]> = None;
    while tried.len() < MOST {
        let rigidity = start * at.exp2();
        let coefficient = drape(rigidity)?;
        tried.push([rigidity, coefficient]);
        if let Some(before) = before.filter(|before| (at - before[0]).abs() > APART) {
            slope = ((coefficient - before[1]) / (at - before[0])).clamp(SLOPES[0], SLOPES[1]);
        }
        if (coefficient - wanted).abs() <= near {
            return Ok(Ok(Found { rigidity, slope, tried }));
        }
        before = Some([at, coefficient]);
        at += ((wanted - coefficient) / slope).clamp(-2.0, 2.0);
        if at.abs() > 10.0 {
            break;
        }
    }
    Ok(Err(tried))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::library;

    #[test]
    fn a_flat_disc_has_a_coefficient_of_one_and_a_cylinder_none() {
        let n = 360u32;
        let ring = |r: f64, y: f64| {
            (0..n).map(move |k| {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(n);
                Vec3::new(r * angle.cos(), y, r * angle.sin())
            })
        };
        let mesh = |outer: f64, y: f64| {
            let x: Vec<Vec3> = std::iter::once(Vec3::zeros()).chain(ring(SUPPORT, 0.0)).chain(ring(outer, y)).collect();
            let next = |k: u32| (k + 1) % n;
            let fan = (0..n).map(|k| [0, 1 + k, 1 + next(k)]);
            let band =
                (0..n).flat_map(|k| [[1 + k, 1 + n + k, 1 + n + next(k)], [1 + k, 1 + n + next(k), 1 + next(k)]]);
            draped(&x, &fan.chain(band).collect::<Vec<_>>())
        };
        // A polygon of 360 corners has 5e-5 less area than its circle, the ring two thirds of the disc's.
        let flat = mesh(SPECIMEN, 0.0);
        assert!((flat.coefficient - 1.0).abs() < 1e-3 && flat.nodes == 0, "{flat:?}");
        let hanging = mesh(SUPPORT, -0.06);
        assert!(hanging.coefficient.abs() < 1e-3, "{hanging:?}");
    }

    #[test]
    fn the_search_finds_a_rigidity() {
        let drape = |b: f64| Ok::<f64, ()>(1.0 / (1.0 + (6e-6 / b).powf(0.8)));
        let found = search(40e-6, 0.4, 1e-3, drape).unwrap().unwrap();
        let exact = 6e-6 * (0.4f64 / 0.6).powf(1.0 / 0.8);
        assert!((found.rigidity / exact - 1.0).abs() < 0.01, "{found:?}");
        // d/dlog2 B of the logistic: 0.8 c (1 - c) ln 2.
        assert!((found.slope / (0.8 * 0.24 * 2f64.ln()) - 1.0).abs() < 0.15, "{found:?}");
        assert!(search(1e-6, 0.5, 1e-3, |_| Ok::<f64, ()>(0.9)).unwrap().is_err());
    }

    #[test]
    fn meshes_follow_the_bending_length() {
        let silk = library().materials.find("silk").unwrap();
        // 2 uN m over 60 g/m2.
        let c = (2e-6 / (0.06 * 9.81f64)).cbrt();
        assert!((bending_length(silk) / c - 1.0).abs() < 1e-3);
        assert!((edges(silk)[2] / (c / 4.0) - 1.0).abs() < 1e-3);
    }
}
