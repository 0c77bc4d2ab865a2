//! Hinges and patches from the mesh of a cloth.

use super::bending::{Bending, Hinge, fold};
use super::calibrate::{self, FlatHinge};
use super::elements::Elements;
use super::homogenize;
use super::plate::yielding::{Yield, Yielding};
use super::plate::{Crease, FORGETS, FlatPatch, NONE, Patch};
use crate::linalg::{Mat3, Vec2};
use crate::mesh::TriMesh;
use crate::mesh::topology::{self, Topology};
use std::collections::BTreeMap;

fn area(points: &[Vec2; 3]) -> f64 {
    (points[1] - points[0]).perp(&(points[2] - points[0])).abs() / 2.0
}

/// Returns the four vertices of a hinge in the frame of its first triangle. The second triangle is unfolded to the
/// other side of the edge. Each triangle is edge, edge, opposite vertex.
fn unfold([p0, p1, p2]: [Vec2; 3], [q0, q1, q2]: [Vec2; 3]) -> [Vec2; 4] {
    let (e, f) = (p1 - p0, q1 - q0);
    let along = (q2 - q0).dot(&f) / f.norm_squared();
    let height = (q2 - q0).perp(&f).abs() / f.norm();
    let mut across = Vec2::new(-e.y, e.x) / e.norm();
    if across.dot(&(p2 - p0)) > 0.0 {
        across = -across;
    }
    [p0, p1, p2, p0 + e * along + across * height]
}

/// Cloth for which hinges are made.
#[derive(Clone, Copy, Debug)]
pub struct Bent<'a> {
    /// Mesh of the cloth.
    pub mesh: &'a TriMesh,
    /// Topology of the mesh.
    pub topology: &'a Topology,
    /// Material coordinates of each triangle's vertices [m].
    pub material: &'a [[Vec2; 3]],
    /// World vertex of each mesh vertex.
    pub place: &'a [u32],
    /// Bending law.
    pub bending: Bending,
    /// Whether bending has internal friction.
    pub rubs: bool,
    /// Yielding of bending, if it yields.
    pub yields: Option<Yield>,
    /// Edges of fold lines, lower vertex first, with the factors of their stiffness.
    pub folded: &'a BTreeMap<[u32; 2], f64>,
    /// Rigidity factor of each vertex; 1 where absent.
    pub weights: &'a [f64],
    /// Damping factor of each vertex; 1 where absent.
    pub damping: &'a [f64],
    /// Whether the rest shape is flat, even if the mesh is bent.
    pub flat: bool,
    /// Index of the cloth's laws.
    pub cloth: u32,
}

/// Mesh laid flat.
struct Laid<'a> {
    /// Hinges with area.
    hinges: Vec<FlatHinge>,
    /// Corresponding hinges of the mesh.
    kept: Vec<&'a topology::Hinge>,
    /// Triangles with at least one of these hinges.
    patches: Vec<FlatPatch>,
}

impl Bent<'_> {
    /// Returns whether curvature has a stress in addition to the plate.
    fn creased(&self) -> bool {
        self.rubs || matches!(self.bending, Bending::Progressive(_))
    }

    /// Returns the factor of the stiffness of a hinge on a fold line.
    fn folded(&self, hinge: &topology::Hinge) -> Option<f64> {
        let [a, b, ..] = hinge.vertices;
        self.folded.get(&[a.min(b), a.max(b)]).copied()
    }

    /// Returns the yielding of a triangle. `free` has zeros for hinges that do not yield.
    fn yielding(&self, flat: &FlatPatch, law: Yield, free: Mat3) -> Yielding {
        Yielding {
            vertices: flat.vertices.map(|v| self.place[v as usize]),
            hinges: flat.hinges,
            curvature: flat.curvature_per_angle() * free,
            angles: free * flat.turns(),
            stiffness: self.bending.plate().unwrap_or_else(|| self.bending.rigidity(0.0, 0.0)) * flat.area,
            law,
        }
    }
}

/// Lays each hinge flat, and each triangle with its hinges.
fn lay<'a>(bent: &Bent<'a>) -> Laid<'a> {
    let mut flat = Vec::new();
    let mut kept = Vec::new();
    let Bent { mesh, topology, material, .. } = *bent;
    let blank =
        |t: usize| FlatPatch { by_edges: bent.creased(), ..FlatPatch::new(mesh.triangles[t], area(&material[t])) };
    let mut patches: Vec<FlatPatch> = (0..mesh.triangles.len()).map(blank).collect();
    for hinge in &topology.hinges {
        let [a, b, c, d] = hinge.vertices;
        let [s, t] = hinge.triangles.map(|t| t as usize);
        let corner = |t: usize, v: u32| mesh.triangles[t].iter().position(|w| *w == v);
        let at = |t: usize, v: u32| corner(t, v).map(|k| material[t][k]);
        let corners = (at(s, a), at(s, b), at(s, c), at(t, a), at(t, b), at(t, d));
        let (Some(p0), Some(p1), Some(p2), Some(q0), Some(q1), Some(q2)) = corners else { continue };
        let (Some(k), Some(l)) = (corner(s, c), corner(t, d)) else { continue };
        let area = area(&material[s]) + area(&material[t]);
        let unfolded = FlatHinge {
            vertices: hinge.vertices,
            points: unfold([p0, p1, p2], [q0, q1, q2]),
            area,
            inner: [!topology.boundary[a as usize], !topology.boundary[b as usize]],
        };
        let other = FlatHinge { points: unfold([q0, q1, q2], [p0, p1, p2]), ..unfolded };
        if !(area > 0.0 && [unfolded, other].iter().flat_map(|h| h.points).all(|p| p.x.is_finite() && p.y.is_finite()))
        {
            continue;
        }
        for (t, k, flat_hinge) in [(s, k, &unfolded), (t, l, &other)] {
            let patch = &mut patches[t];
            patch.hinges[k] = flat.len() as u32;
            patch.angles[k] = flat_hinge.angles();
            patch.curvature[k] = (p1 - p0).norm() / area;
            let (sin, cos) = flat_hinge.direction().sin_cos();
            patch.normals[k] = [sin, -cos];
            patch.against[k] = mesh.triangles[t][(k + 1) % 3] != if t == s { a } else { b };
        }
        flat.push(unfolded);
        kept.push(hinge);
    }
    patches.retain(|p| p.hinges != [NONE; 3]);
    Laid { hinges: flat, kept, patches }
}

/// Returns the factor of a vertex; 1 where absent.
fn factor(map: &[f64], v: u32) -> f64 {
    map.get(v as usize).copied().unwrap_or(1.0)
}

/// Returns the shape of each hinge that bends by itself. `folds` has the factors on fold lines.
fn hinge_shapes(bent: &Bent, flat: &[FlatHinge], folds: &[Option<f64>]) -> Vec<f64> {
    let mut shapes = vec![0.0; flat.len()];
    let coefficients = calibrate::coefficients(flat, bent.mesh.positions.len());
    for ((shape, hinge), c) in shapes.iter_mut().zip(flat).zip(coefficients) {
        let [a, b] = [hinge.vertices[0], hinge.vertices[1]].map(|v| factor(bent.weights, v));
        *shape = c * (hinge.points[1] - hinge.points[0]).norm_squared() / hinge.area * (a + b) / 2.0;
    }
    shapes.iter_mut().zip(folds).for_each(|(shape, fold)| *shape *= fold.unwrap_or(1.0));
    shapes
}

/// Appends the hinges of a cloth, the patches of a plate, and the creases if curvature has an additional stress.
pub fn add(bent: &Bent, elements: &mut Elements) {
    let Bent { mesh, place, bending, rubs, weights, damping, flat: is_flat, cloth, .. } = *bent;
    let Elements { hinges, patches: all_patches, creases, yieldings, .. } = elements;
    let Laid { hinges: flat, kept, patches } = lay(bent);

    let first = hinges.len() as u32;
    let folds: Vec<Option<f64>> = kept.iter().map(|hinge| bent.folded(hinge)).collect();
    let line = |h: u32| folds.get(h as usize).copied().flatten();
    let mean = |patch: &FlatPatch| patch.vertices.iter().map(|v| factor(weights, *v)).sum::<f64>() / 3.0;
    let placed = |hinges: [u32; 3]| hinges.map(|h| if h == NONE { NONE } else { first + h });
    let shapes = if bending.plate().is_none() {
        hinge_shapes(bent, &flat, &folds)
    } else {
        let mut shapes = vec![0.0; flat.len()];
        let stiffnesses = homogenize::stiffnesses(&bending.form(), &flat, &patches, mesh.positions.len());
        for (flat, stiffness) in patches.iter().zip(stiffnesses) {
            let sign = Mat3::from_diagonal(&flat.against.map(|a| if a { -1.0 } else { 1.0 }).into());
            // A fold line of a factor has its root on both sides, which leaves the form positive.
            let sign = sign * Mat3::from_diagonal(&flat.hinges.map(|h| line(h).unwrap_or(1.0).sqrt()).into());
            let stiffness = sign * stiffness * sign * mean(flat);
            let patch = Patch { hinges: flat.hinges, stiffness, cloth };
            for (h, bound) in flat.hinges.iter().zip(patch.bounds()).filter(|(h, _)| **h != NONE) {
                shapes[*h as usize] += bound;
            }
            all_patches.push(Patch { hinges: placed(flat.hinges), ..patch });
        }
        shapes
    };
    if bent.creased() {
        let remembering = creases.iter().filter(|crease| crease.memory != FORGETS).count();
        for (k, flat) in patches.iter().enumerate() {
            creases.push(Crease {
                hinges: placed(flat.hinges),
                curvature: flat.curvatures(),
                area: flat.area * mean(flat),
                memory: if rubs { (remembering + k) as u32 } else { FORGETS },
                cloth,
            });
        }
    }
    if let Some(law) = bent.yields {
        for flat in &patches {
            let free = flat.hinges.map(|h| if line(h).is_some() { 0.0 } else { 1.0 });
            let own = bent.yielding(flat, law, Mat3::from_diagonal(&free.into()));
            yieldings.push(Yielding { hinges: placed(flat.hinges), stiffness: own.stiffness * mean(flat), ..own });
        }
    }
    for ((hinge, flat), shape) in kept.iter().zip(&flat).zip(shapes) {
        let corners = hinge.vertices.map(|v| mesh.positions[v as usize]);
        hinges.push(Hinge {
            vertices: hinge.vertices.map(|v| place[v as usize]),
            shape,
            curvature: (flat.points[1] - flat.points[0]).norm() / flat.area,
            direction: flat.direction(),
            rest: if is_flat { 0.0 } else { fold([1, 2, 3].map(|k| corners[k] - corners[0])).angle() },
            damping: 0.5 * hinge.vertices[..2].iter().map(|v| factor(damping, *v)).sum::<f64>(),
            cloth,
        });
    }
}
