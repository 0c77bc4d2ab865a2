//! Membrane: St. Venant-Kirchhoff triangle, isotropic or with measured orthotropic moduli.
//!
//! With the deformation gradient `F = [F1 F2]` (columns: images of warp and weft), Green strain `E = (F^T F - I)/2` and
//! strain vector `e = (E11, E22, 2 E12)`, the energy of a triangle of rest area `A` is `A e^T C e / 2`. Its stress is
//! `S = C e`, and its force on vertex `a` with material gradient `g_a` is `-A F S g_a`. Moduli [N/m]:
//! - isotropic: `C = Y/(1 - nu^2) [[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu)/2]]`;
//! - measured: by direction and size of the largest stretch (Wang, O'Brien & Ramamoorthi 2011, section 4), with `C`
//!   frozen at the current strain;
//! - progressive: `S = (k1 + k2 |E|) E` along warp and weft (Miguel et al. 2013, section 4.2), with `C` the tangent.
//!
//! Internal friction adds its stress to `S` and its slopes to the diagonal of `C`, but not to damping. The stiffness is
//! `A (B^T C B + G S+ G^T)` with `S+` the positive part of `S`, positive semidefinite by construction.

pub mod rows;
pub mod yielding;

use super::area_barrier::{self, Edges};
use crate::linalg::matrix::Real;
use crate::linalg::{Vec2, Vec3};
use std::array::from_fn;

/// Isotropic St. Venant-Kirchhoff membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Isotropic {
    /// Young's modulus times thickness [N/m].
    pub young: f64,
    /// Poisson's ratio, in (-1, 1).
    pub poisson: f64,
}

/// Measured orthotropic table of Wang, O'Brien & Ramamoorthi 2011, in N/m for Green strain `E = (F^T F - I)/2`.
///
/// Row 0 at zero strain, rows 1..5 with the major principal stretch at 0, 22.5, 45, 67.5, 90 degrees from warp;
/// columns c11, c12, c22, c33 of the energy density `(c11 E11^2 + 2 c12 E11 E22 + c22 E22^2 + c33 E12^2)/2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchTable(pub [[f64; 4]; 6]);

/// Membrane that stiffens with strain along warp and weft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progressive {
    /// `k1` and `k2` of warp, then of weft [N/m].
    pub young: [[f64; 2]; 2],
    /// Shear modulus [N/m].
    pub shear: f64,
    /// Poisson's ratio at zero strain.
    pub poisson: f64,
}

/// Membrane law of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Membrane {
    /// Isotropic law.
    Isotropic(Isotropic),
    /// Measured law, by direction and strain.
    Table(StretchTable),
    /// Law whose stiffness increases with strain.
    Progressive(Progressive),
}

/// Moduli `[C11, C12, C22, C33]` for the strain vector `(E11, E22, 2 E12)` [N/m].
pub type Moduli = [f64; 4];

impl Membrane {
    /// Returns the moduli at a strain vector; for a progressive law, the tangent.
    #[inline]
    pub fn moduli(&self, strain: &Vec3) -> Moduli {
        match self {
            Membrane::Isotropic(Isotropic { young, poisson }) => {
                let c = young / (1.0 - poisson * poisson);
                [c, c * poisson, c, c * (1.0 - poisson) / 2.0]
            }
            Membrane::Table(table) => table.moduli(strain),
            Membrane::Progressive(law) => law.moduli(2.0, strain),
        }
    }

    /// Returns the stress less moduli times strain [N/m].
    #[inline]
    pub fn beyond(&self, e: &Vec3) -> Vec3 {
        let Membrane::Progressive(law) = self else { return Vec3::zeros() };
        let [warp, weft] = law.growths();
        -Vec3::new(warp * e.x * e.x.abs(), weft * e.y * e.y.abs(), 0.0)
    }

    /// Returns the stress at the strain `e` [N/m], of uniaxial tension along warp (0) or weft (1), or of shear (2).
    pub fn pulled(&self, way: usize, e: f64) -> f64 {
        match (self, way) {
            (Membrane::Isotropic(Isotropic { young, .. }), 0 | 1) => young * e,
            (Membrane::Progressive(Progressive { young, .. }), 0 | 1) => (young[way][0] + young[way][1] * e.abs()) * e,
            _ => {
                let mut strain = Vec3::zeros();
                strain[way] = e;
                let [warp, both, weft, shear] = self.moduli(&strain);
                [warp - both * both / weft, weft - both * both / warp, shear][way] * e
            }
        }
    }

    /// Returns the coupling by Poisson's ratio: the part of a stress along weft that acts on tension along warp, then
    /// the reverse.
    pub fn crosswise(&self) -> [f64; 2] {
        let [warp, both, weft, _] = self.moduli(&Vec3::zeros());
        [both / weft, both / warp]
    }

    /// Returns the energy per area [J/m^2].
    fn density(&self, e: &Vec3) -> f64 {
        let quadratic = |c: &Moduli| 0.5 * e.dot(&stress(c, e));
        match self {
            Membrane::Progressive(law) => {
                let [warp, weft] = law.growths();
                quadratic(&law.moduli(0.0, e)) + (warp * e.x.abs().powi(3) + weft * e.y.abs().powi(3)) / 3.0
            }
            _ => quadratic(&self.moduli(e)),
        }
    }

    /// Returns the largest entry of the moduli over all strains [N/m]. It bounds the speed of waves.
    pub fn stiffest(&self) -> f64 {
        match self {
            Membrane::Isotropic(_) => self.moduli(&Vec3::zeros())[0],
            Membrane::Table(StretchTable(rows)) => rows.iter().flatten().fold(0.0, |a, b| a.max(*b)),
            // Strain 1, at 1.7 times the rest length.
            Membrane::Progressive(_) => {
                let [warp, _, weft, _] = self.moduli(&Vec3::new(1.0, 1.0, 0.0));
                warp.max(weft)
            }
        }
    }
}

impl Progressive {
    /// Returns the moduli with `growth` times their increase by strain; 2 gives the tangent.
    fn moduli(&self, growth: f64, e: &Vec3) -> Moduli {
        let Progressive { young: [[warp, _], [weft, _]], shear, poisson } = self;
        let [more, across] = self.growths();
        let free = 1.0 - poisson * poisson;
        [
            warp / free + growth * more * e.x.abs(),
            poisson * (warp * weft).sqrt() / free,
            weft / free + growth * across * e.y.abs(),
            *shear,
        ]
    }

    /// Returns the increase of the moduli of warp and weft by strain [N/m].
    fn growths(&self) -> [f64; 2] {
        self.young.map(|[_, growth]| growth / (1.0 - self.poisson * self.poisson))
    }
}

impl StretchTable {
    fn moduli(&self, e: &Vec3) -> Moduli {
        let rows = &self.0;
        // Largest principal strain and its direction.
        let (mean, half, shear) = ((e.x + e.y) / 2.0, (e.x - e.y) / 2.0, e.z / 2.0);
        let largest = mean + half.hypot(shear);
        let weight = if largest > 0.0 { (6.0 * ((1.0 + 2.0 * largest).sqrt() - 1.0)).min(1.0) } else { 0.0 };
        let mut c = rows[0];
        if weight > 0.0 {
            let angle = (0.5 * shear.atan2(half)).abs().to_degrees().min(90.0) / 22.5;
            let low = (angle as usize).min(3);
            let f = angle - low as f64;
            for k in 0..4 {
                let strained = rows[1 + low][k] * (1.0 - f) + rows[2 + low][k] * f;
                c[k] = c[k] * (1.0 - weight) + strained * weight;
            }
        }
        // The measured coupling can exceed the bound of an elastic sheet.
        let bound = 0.95 * (c[0] * c[2]).sqrt();
        [c[0], c[1].clamp(-bound, bound), c[2], c[3] / 4.0]
    }
}

/// Index of a triangle that does not yield.
pub const NONE: u32 = u32::MAX;

/// Rest shape of one triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Vertices.
    pub vertices: [u32; 3],
    /// Material gradients of the shape functions of vertices 1 and 2 [1/m]; vertex 0 has minus their sum.
    pub gradients: [Vec2; 2],
    /// Rest area times the weight map's factor of stiffness [m^2].
    pub area: f64,
    /// Weight map's factor of damping [-].
    pub damping: f64,
    /// Index of the cloth's laws.
    pub cloth: u32,
}

impl Triangle {
    /// Makes a triangle from material coordinates (warp, weft) of its vertices [m]; `None` if they span no area.
    pub fn new(vertices: [u32; 3], material: [Vec2; 3], stiffness: f64, cloth: u32) -> Option<Triangle> {
        let (p, q) = (material[1] - material[0], material[2] - material[0]);
        let det = p.x * q.y - p.y * q.x;
        let gradients = [Vec2::new(q.y, -q.x) / det, Vec2::new(-p.y, p.x) / det];
        (det != 0.0 && gradients.iter().all(|g| g.x.is_finite() && g.y.is_finite())).then_some(Triangle {
            vertices,
            gradients,
            area: det.abs() / 2.0 * stiffness,
            damping: 1.0,
            cloth,
        })
    }

    /// Returns this element with its vertices in another order.
    pub fn reordered(&self, order: [usize; 3]) -> Triangle {
        let [g, h] = self.gradients;
        let all = [-(g + h), g, h];
        Triangle { vertices: order.map(|k| self.vertices[k]), gradients: [all[order[1]], all[order[2]]], ..*self }
    }

    /// Returns the rest lengths of the edges 01, 12, 20 [m].
    pub fn edges(&self) -> [f64; 3] {
        let [g, h] = &self.gradients;
        let det = g.perp(h);
        let (p, q) = (Vec2::new(h.y, -h.x) / det, Vec2::new(-g.y, g.x) / det);
        [p.norm(), (q - p).norm(), q.norm()]
    }

    /// Returns this element after warp and weft coordinates were multiplied by `I + p`, for a strain `p` xx, yy, xy.
    #[inline]
    pub fn grown(&self, p: &Vec3) -> Triangle {
        let (warp, weft) = (1.0 + p.x, 1.0 + p.y);
        let det = warp * weft - p.z * p.z;
        let gradients = self.gradients.map(|g| Vec2::new(weft * g.x - p.z * g.y, warp * g.y - p.z * g.x) / det);
        Triangle { gradients, area: self.area * det, ..*self }
    }

    /// Returns the strain of lengths `U - I` xx, yy, xy, with the stretch `U = (F^T F)^(1/2)`.
    pub fn lengthening(&self, x: &[Vec3; 3]) -> Vec3 {
        let (f1, f2) = images(&self.gradients, &[x[1] - x[0], x[2] - x[0]]);
        let (warp, weft, both) = (f1.norm_squared(), f2.norm_squared(), f1.dot(&f2));
        // The root of a matrix C of two rows is (C + d I)/(tr C + 2 d)^(1/2), with d the root of its determinant.
        let root = f1.cross(&f2).norm();
        let trace = (warp + weft + 2.0 * root).sqrt();
        Vec3::new((warp + root) / trace - 1.0, (weft + root) / trace - 1.0, both / trace)
    }

    /// Returns the strain vector `(E11, E22, 2 E12)`.
    #[inline]
    pub fn strain(&self, x: &[Vec3; 3]) -> Vec3 {
        let (f1, f2) = images(&self.gradients, &[x[1] - x[0], x[2] - x[0]]);
        strain(&f1, &f2)
    }

    /// Returns the energy [J], with the moduli at the current strain.
    pub fn energy(&self, law: &Membrane, x: &[Vec3; 3]) -> f64 {
        let e = self.strain(x);
        let c = law.moduli(&e);
        let part = (x[1] - x[0]).cross(&(x[2] - x[0])).norm() * self.gradients[0].perp(&self.gradients[1]).abs();
        self.area * (law.density(&e) + area_barrier::energy(c[0].max(c[2]), part))
    }

    /// Returns the force on each vertex and the stiffness (see [`Response`]). They are linearised at `x` with moduli
    /// `c`, and the force is evaluated at the displacement `y`. A viscous stress is proportional to the strain rate of
    /// `y + w`. With `APART`, a stress and its slopes are added to the moduli. The code has no branch, so that loops
    /// over triangles vectorise.
    #[inline(always)]
    pub fn respond<T: Real, const APART: bool>(
        gradients: &[Vec2; 2],
        area: f64,
        (c, beyond): (&Moduli, &Beyond),
        [x, y, w]: [Edges; 3],
        damping: f64,
    ) -> Response<T> {
        let (f1, f2) = images(gradients, &x);
        let e = strain(&f1, &f2);
        let mut s = stress(c, &e);
        if APART {
            s += beyond.stress;
        }
        let plus = positive_part(&s);
        let (y1, y2) = images(gradients, &y);
        let (w1, w2) = images(gradients, &w);
        let (u1, u2) = (y1 + w1, y2 + w2);
        let change = |y1: &Vec3, y2: &Vec3| Vec3::new(f1.dot(y1), f2.dot(y2), f1.dot(y2) + f2.dot(y1));
        let mut t = s + stress(c, &change(&u1, &u2));
        if APART {
            t += beyond.slopes.component_mul(&change(&y1, &y2));
        }
        // First Piola-Kirchhoff stress, columns: F S + geometric part of the displacement.
        let p1 = (f1 * t.x + f2 * t.z + y1 * plus.x + y2 * plus.z) * area;
        let p2 = (f1 * t.z + f2 * t.y + y1 * plus.z + y2 * plus.y) * area;
        let [g, h] = gradients;
        let force_1 = -(p1 * g.x + p2 * g.y);
        let force_2 = -(p1 * h.x + p2 * h.y);

        let a = area * damping;
        let (l1, l2) = (rounded::<T>(&f1), rounded::<T>(&f2));
        let block = |g: &Vec2, h: &Vec2| -> [T; 9] {
            let geometric = T::of(area * (g.x * (plus.x * h.x + plus.z * h.y) + g.y * (plus.z * h.x + plus.y * h.y)));
            let [m11, m22] = [c[0] * g.x * h.x + c[3] * g.y * h.y, c[2] * g.y * h.y + c[3] * g.x * h.x];
            let [m12, m21] = [c[1] * g.x * h.y + c[3] * g.y * h.x, c[1] * g.y * h.x + c[3] * g.x * h.y];
            let mut m = [a * m11, a * m22, a * m12, a * m21];
            if APART {
                let k = beyond.slopes * area;
                m[0] += k.x * g.x * h.x + k.z * g.y * h.y;
                m[1] += k.y * g.y * h.y + k.z * g.x * h.x;
                m[2] += k.z * g.y * h.x;
                m[3] += k.z * g.x * h.y;
            }
            let [m11, m22, m12, m21] = m.map(T::of);
            let mut k = [T::default(); 9];
            for c in 0..3 {
                let (p, q) = (l1[c] * m11 + l2[c] * m12, l1[c] * m21 + l2[c] * m22);
                for r in 0..3 {
                    k[3 * c + r] = l1[r] * p + l2[r] * q;
                }
                k[4 * c] += geometric;
            }
            k
        };
        let (k11, k12, k22) = (block(g, g), block(g, h), block(h, h));
        // Rows and columns sum to zero.
        let k01: [T; 9] = from_fn(|k| -(k11[k] + k12[k % 3 * 3 + k / 3]));
        let k02: [T; 9] = from_fn(|k| -(k12[k] + k22[k]));
        let k00: [T; 9] = from_fn(|k| -(k01[k] + k02[k]));
        Response { force: [-(force_1 + force_2), force_1, force_2], stiffness: [k00, k01, k02, k11, k12, k22] }
    }
}

/// Stress and stiffness in addition to the moduli, for the strains E11, E22, 2 E12.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beyond {
    /// Stress at the strain [N/m].
    pub stress: Vec3,
    /// Increase of the stress with each strain over the step [N/m].
    pub slopes: Vec3,
}

/// Returns the images of warp and weft under the linear map of the edges.
#[inline(always)]
fn images([g, h]: &[Vec2; 2], [p, q]: &Edges) -> (Vec3, Vec3) {
    (p * g.x + q * h.x, p * g.y + q * h.y)
}

#[inline(always)]
fn rounded<T: Real>(v: &Vec3) -> [T; 3] {
    [T::of(v.x), T::of(v.y), T::of(v.z)]
}

/// Force and stiffness of one triangle.
///
/// The force on vertex `a` is `f_a(x) - (K y)_a - (K_material w)_a`. The blocks are those of
/// `damping K_material + K_geometric`, with `damping = 1 + tau/beta` for a damping time `tau` and a scheme in which the
/// velocity is `v~ + dx/beta`; `w = tau v~`. The viscous part acts on strain rate alone, so it exerts no net force and
/// no torque.
#[derive(Clone, Copy, Debug)]
pub struct Response<T> {
    /// Forces on the three vertices [N].
    pub force: [Vec3; 3],
    /// Stiffness of the vertex pairs (0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2) in column order [N/m].
    pub stiffness: [[T; 9]; 6],
}

#[inline(always)]
fn strain(f1: &Vec3, f2: &Vec3) -> Vec3 {
    Vec3::new((f1.dot(f1) - 1.0) / 2.0, (f2.dot(f2) - 1.0) / 2.0, f1.dot(f2))
}

#[inline(always)]
fn stress(c: &Moduli, e: &Vec3) -> Vec3 {
    Vec3::new(c[0] * e.x + c[1] * e.y, c[1] * e.x + c[2] * e.y, c[3] * e.z)
}

/// Returns the positive semidefinite part of the symmetric matrix `[[s.x, s.z], [s.z, s.y]]`, in the same form.
#[inline(always)]
fn positive_part(s: &Vec3) -> Vec3 {
    let (mean, half) = ((s.x + s.y) / 2.0, (s.x - s.y) / 2.0);
    let radius = (half * half + s.z * s.z).sqrt();
    let (low, high) = (mean - radius, mean + radius);
    // high n n^T with n the eigenvector of the larger eigenvalue. If both are positive, the matrix itself; if none is,
    // zero.
    let f = if low < 0.0 && high > 0.0 { high / (2.0 * radius) } else { 0.0 };
    let all = if low >= 0.0 { 1.0 } else { 0.0 };
    Vec3::new(f * (radius + half) + all * s.x, f * (radius - half) + all * s.y, f * s.z + all * s.z)
}
