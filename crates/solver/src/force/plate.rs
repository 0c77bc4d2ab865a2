//! Bending of a plate: the curvature of a triangle from the angles of its three hinges.
//!
//! A triangle and its neighbours, laid flat, have six vertices. On a surface of constant curvature
//! `kappa = (xx, yy, xy)` the hinges of the triangle turn by `theta = Theta kappa`, a linear map that the rest shape
//! gives. Its inverse is exact on quadratic surfaces, so the energy `A kappa^T D kappa/2` of the triangle is
//! `theta^T C theta/2` with `C = A (Theta D^-1 Theta^T)^-1`. This also holds on the border: among all curvatures that
//! agree with the angles of the existing hinges, it selects the one with the least energy. Angles are those of the bent
//! mesh, less those at rest, so rotations may be large. `D` is that of the plate, `B (xx^2 + yy^2 + 2 xy^2)` for
//! Poisson's ratio 0 or [`super::bending::Bending::Orthotropic`], fitted to the mesh (see [`super::homogenize`]).
//!
//! If the six vertices lie near a conic section, the hinge angles do not determine the curvature. The hinges then store
//! energy by themselves, as in [`super::bending`].

mod crease;
mod rows;
pub mod yielding;

use super::bending::PLATE;
use crate::linalg::{Mat3, Vec3};
pub use crease::{Crease, Creases, FORGETS, STRAIN};
pub use rows::{Hinges, Plates};

/// Hinge index on a side of a triangle without a hinge.
pub const NONE: u32 = u32::MAX;

/// Least eigenvalue of `Theta D^-1 Theta^T`, with angles scaled to curvatures, above which the angles determine the
/// curvature. An equilateral triangle has 2/3.
const APART: f64 = 0.1;

/// Bending element of one triangle, made of its hinges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Hinges by index; [`NONE`] on the border.
    pub hinges: [u32; 3],
    /// Stiffness `C` per rigidity [-]; zero where there is no hinge.
    pub stiffness: Mat3,
    /// Index of the cloth's laws.
    pub cloth: u32,
}

impl Patch {
    /// Returns the energy [J] at angles less the rest angles [rad].
    pub fn energy(&self, rigidity: f64, away: impl Fn(u32) -> f64) -> f64 {
        let away = Vec3::from(self.hinges.map(|h| if h == NONE { 0.0 } else { away(h) }));
        0.5 * rigidity * away.dot(&(self.stiffness * away))
    }

    /// Returns a stiffness for each hinge by itself. Together they are at least as stiff as the patch: row sums of
    /// `|C|`, after `C` is scaled to equal diagonals.
    pub fn bounds(&self) -> [f64; 3] {
        let c = &self.stiffness;
        std::array::from_fn(|i| (0..3).map(|j| c[(i, j)].abs() * over(c[(i, i)], c[(j, j)]).sqrt()).sum())
    }
}

fn over(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// Triangle in the flat rest shape.
#[derive(Clone, Copy, Debug)]
pub struct FlatPatch {
    /// Vertices.
    pub vertices: [u32; 3],
    /// Hinges by index; [`NONE`] on the border.
    pub hinges: [u32; 3],
    /// Angle of each hinge per curvature xx, yy, xy [m]; zero on the border.
    pub angles: [[f64; 3]; 3],
    /// Curvature per angle of each single hinge [1/m]; zero on the border.
    pub curvature: [f64; 3],
    /// Direction across each edge, by warp and weft; zero on the border.
    pub normals: [[f64; 2]; 3],
    /// Whether the curvature is the sum of its edges' curvatures, as for a [`Crease`].
    pub by_edges: bool,
    /// Whether each hinge is oriented against the winding of the triangle, so that its angle has the opposite sign.
    pub against: [bool; 3],
    /// Rest area [m^2].
    pub area: f64,
}

impl FlatPatch {
    /// Makes a triangle whose sides are all on the border.
    pub fn new(vertices: [u32; 3], area: f64) -> FlatPatch {
        FlatPatch {
            vertices,
            hinges: [NONE; 3],
            angles: [[0.0; 3]; 3],
            curvature: [0.0; 3],
            normals: [[0.0; 2]; 3],
            by_edges: false,
            against: [false; 3],
            area,
        }
    }

    /// Returns `Theta`, with rows of zeros on the border.
    pub fn theta(&self) -> Mat3 {
        Mat3::from_fn(|i, k| self.angles[i][k])
    }

    /// Returns whether the angles of its hinges determine the curvature.
    pub fn is_apart(&self) -> bool {
        self.form(&PLATE).symmetric_eigenvalues().min() > APART
    }

    /// Returns `C` for the diagonal of `D`, which is `scale` times that of the `plate`; see the head of this file.
    /// Unless `apart`, the hinges store energy by themselves.
    pub fn stiffness(&self, plate: &[f64; 3], scale: &[f64; 3], apart: bool) -> Mat3 {
        let rigidity = &[0, 1, 2].map(|k| scale[k] * plate[k]);
        if self.by_edges {
            let measured = Mat3::from_fn(|i, k| {
                let [p, q] = self.normals[k];
                self.curvature[k] * [p * p, q * q, p * q][i]
            });
            return measured.transpose() * Mat3::from_diagonal(&(*rigidity).into()) * measured * self.area;
        }
        let inverse = self.form(rigidity).try_inverse().filter(|_| apart);
        let scale = self.scale();
        scale * (inverse.unwrap_or_else(|| self.alone(plate)) - self.missing()) * scale * self.area
    }

    /// Returns the rigidity of each hinge by itself, relative to the plate's; 1 on the border.
    fn alone(&self, plate: &[f64; 3]) -> Mat3 {
        if *plate == PLATE {
            return Mat3::identity();
        }
        let across = |[p, q]: [f64; 2]| plate[0] * p.powi(4) + plate[1] * q.powi(4) + plate[2] * (p * q).powi(2);
        let own = |k: usize| if self.hinges[k] == NONE { 1.0 } else { across(self.normals[k]) };
        Mat3::from_diagonal(&[own(0), own(1), own(2)].into())
    }

    /// Returns a diagonal matrix with one where there is no hinge.
    fn missing(&self) -> Mat3 {
        Mat3::from_diagonal(&self.hinges.map(|h| if h == NONE { 1.0 } else { 0.0 }).into())
    }

    /// Returns the scale from angles to curvatures, which makes the form of order one.
    fn scale(&self) -> Mat3 {
        Mat3::from_diagonal(&self.curvature.into())
    }

    /// Returns `Theta D^-1 Theta^T` with angles scaled to curvatures.
    fn form(&self, d: &[f64; 3]) -> Mat3 {
        let rows = self.scale() * self.theta();
        rows * Mat3::from_diagonal(&d.map(|d| 1.0 / d).into()) * rows.transpose() + self.missing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::bending::Hinge;
    use crate::force::calibrate::FlatHinge;
    use crate::linalg::random::Random;
    use crate::linalg::{Rotation, Vec2};

    /// Hinges of the triangle 0, 1, 2 with neighbours that reach to 3, 4, 5.
    const HINGES: [[u32; 4]; 3] = [[1, 2, 0, 3], [2, 0, 1, 4], [0, 1, 2, 5]];

    /// Six vertices [m]: an equilateral triangle of 1 cm and its neighbours, each moved by up to `shake` along both
    /// axes.
    fn shaken(random: &mut Random, shake: f64) -> [Vec2; 6] {
        std::array::from_fn(|k| {
            let angle = (k as f64 * 2.0 + if k < 3 { 0.0 } else { 3.0 }) * std::f64::consts::FRAC_PI_3;
            let radius = if k < 3 { 1.0 } else { 2.0 } * 0.01 / 3f64.sqrt();
            Vec2::new(angle.cos(), angle.sin()) * radius + Vec2::new(random.signed(), random.signed()) * shake
        })
    }

    /// Lays a patch of six vertices flat. Hinges of which `kept` is false are on the border.
    fn lay(points: &[Vec2; 6], kept: [bool; 3]) -> FlatPatch {
        let area = |a: Vec2, b: Vec2, c: Vec2| (b - a).perp(&(c - a)).abs() / 2.0;
        let own = area(points[0], points[1], points[2]);
        let mut patch = FlatPatch::new([0, 1, 2], own);
        for k in (0..3).filter(|k| kept[*k]) {
            let corners = HINGES[k].map(|v| points[v as usize]);
            let both = own + area(corners[0], corners[1], corners[3]);
            let flat = FlatHinge { vertices: HINGES[k], points: corners, area: both, inner: [true; 2] };
            patch.hinges[k] = k as u32;
            patch.angles[k] = flat.angles();
            patch.curvature[k] = (corners[1] - corners[0]).norm() / both;
        }
        patch
    }

    /// Returns the energy of the plate [J] for a rigidity of one.
    fn plate(patch: &FlatPatch, kappa: &Vec3) -> f64 {
        0.5 * patch.area * (0..3).map(|k| PLATE[k] * kappa[k] * kappa[k]).sum::<f64>()
    }

    #[test]
    fn energy_is_that_of_a_plate_on_cylinders_saddles_and_twists() {
        let mut random = Random::new(1);
        let slanted = (0..8).map(|k| {
            let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_8).sin_cos();
            (Vec3::new(cos * cos, sin * sin, cos * sin), 1.0)
        });
        // Energy per area over `B k^2/2`.
        let others = [(Vec3::new(1.0, -1.0, 0.0), 2.0), (Vec3::z(), 2.0), (Vec3::new(1.0, 1.0, 0.0), 2.0)];
        for (kappa, expected) in slanted.chain(others) {
            for _ in 0..20 {
                let points = shaken(&mut random, 1e-3);
                let flat = lay(&points, [true; 3]);
                let patch = Patch {
                    hinges: flat.hinges,
                    stiffness: flat.stiffness(&PLATE, &[1.0; 3], flat.is_apart()),
                    cloth: 0,
                };
                let turn = Rotation::from_scaled_axis(random.vector());
                let bent = |k: f64| -> [Vec3; 6] {
                    points.map(|p| {
                        let height = 0.5 * kappa.x * p.x * p.x + 0.5 * kappa.y * p.y * p.y + kappa.z * p.x * p.y;
                        turn * Vec3::new(p.x, p.y, k * height) + Vec3::new(1.0, 2.0, 3.0)
                    })
                };
                let energy = |x: &[Vec3; 6]| {
                    patch.energy(2.3e-6, |h| {
                        let vertices = HINGES[h as usize];
                        let hinge = Hinge {
                            vertices,
                            shape: 0.0,
                            curvature: 0.0,
                            direction: 0.0,
                            rest: 0.0,
                            damping: 1.0,
                            cloth: 0,
                        };
                        hinge.away(&vertices.map(|v| x[v as usize]))
                    })
                };
                // Slopes of a few 1e-4: angles are linear within 1e-7, and positions near 3 m are rounded to 1e-7 of
                // the heights.
                let k = 0.03;
                let ratio = energy(&bent(k)) / (0.5 * 2.3e-6 * k * k * flat.area);
                assert!((ratio - expected).abs() < 1e-5, "{kappa}: {ratio} instead of {expected}");
                assert!(energy(&bent(0.0)) < 1e-12 * energy(&bent(k)));
            }
        }
    }

    /// Curvature and angles of yielding triangles are each other's inverse where angles determine the curvature,
    /// whatever the orientation of the hinges.
    #[test]
    fn angles_tell_the_curvature() {
        let mut random = Random::new(4);
        for round in 0..100 {
            let mut flat = lay(&shaken(&mut random, 1e-3), [true; 3]);
            flat.against = [round % 2 == 0, round % 3 == 0, false];
            assert!(flat.is_apart() && (flat.curvature_per_angle() * flat.turns() - Mat3::identity()).norm() < 1e-9);
        }
    }

    #[test]
    fn on_the_border_it_is_the_least_of_all_curvatures() {
        let mut random = Random::new(2);
        for kept in
            [[false, true, true], [true, false, true], [true, true, false], [false, false, true], [true, false, false]]
        {
            for _ in 0..50 {
                let flat = lay(&shaken(&mut random, 1e-3), kept);
                let (theta, stiffness) = (flat.theta(), flat.stiffness(&PLATE, &[1.0; 3], flat.is_apart()));
                let patch = Patch { hinges: flat.hinges, stiffness, cloth: 0 };
                let energy = |kappa: &Vec3| patch.energy(1.0, |h| (theta * kappa)[h as usize]);
                // Moments m on the existing hinges bend the plate by D^-1 Theta^T m. No other curvature with these
                // angles has less energy.
                let least = (theta.transpose() * random.vector()).component_div(&Vec3::from(PLATE));
                assert!((energy(&least) / plate(&flat, &least) - 1.0).abs() < 1e-10);
                let other = random.vector();
                assert!(energy(&other) < plate(&flat, &other) * (1.0 - 1e-9));
            }
        }
    }

    #[test]
    fn hinges_by_themselves_are_at_least_as_stiff() {
        let mut random = Random::new(3);
        let mut coupled = 0;
        for round in 0..600 {
            let kept = [round % 3 != 0, round % 5 != 0, true];
            // Some of these are near a conic section.
            let flat = lay(&shaken(&mut random, 2.5e-3), kept);
            let rigidity = PLATE.map(|d| d * (1.0 + 0.6 * random.signed()));
            let stiffness = flat.stiffness(&rigidity, &[1.0; 3], flat.is_apart());
            let patch = Patch { hinges: flat.hinges, stiffness, cloth: 0 };
            let size = stiffness.norm();
            assert!((stiffness - stiffness.transpose()).norm() < 1e-9 * size);
            assert!(stiffness.symmetric_eigenvalues().min() > -1e-9 * size, "{stiffness}");
            let bound = Mat3::from_diagonal(&patch.bounds().into());
            assert!((bound - stiffness).symmetric_eigenvalues().min() > -1e-9 * size, "{stiffness} {bound}");
            for k in (0..3).filter(|k| !kept[*k]) {
                assert!(stiffness.row(k).norm() == 0.0 && stiffness.column(k).norm() == 0.0);
            }
            coupled += usize::from(stiffness[(0, 1)] != 0.0);
        }
        assert!(coupled > 100, "{coupled}");
    }

    /// On a circle the surface `x^2 + y^2` lifts all six vertices equally and turns no hinge.
    #[test]
    fn six_vertices_on_a_circle_are_hinges_by_themselves() {
        let points = [0.0, 2.0, 4.0, 3.0, 5.0, 1.0].map(|k| {
            let (sin, cos) = (k * std::f64::consts::FRAC_PI_3).sin_cos();
            Vec2::new(cos, sin) * 0.01
        });
        let flat = lay(&points, [true; 3]);
        assert!((flat.theta() * Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-15);
        let expected = Mat3::from_diagonal(&flat.curvature.map(|c| c * c * flat.area).into());
        assert!((flat.stiffness(&PLATE, &[1.0; 3], flat.is_apart()) - expected).norm() < 1e-12 * expected.norm());
    }
}
