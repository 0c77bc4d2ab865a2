//! Solid: linear tetrahedra, co-rotational or stable neo-Hookean.
//!
//! With the deformation gradient `F`, the first Piola stress `P = dW/dF`, the rest volume `V` and the material gradient
//! `g_a` of the shape function of vertex `a`, the force on the vertex is `-V P g_a`. The stiffness between two vertices
//! is `V dP/dF : g_a g_b`.
//!
//! - Co-rotational (Mueller et al. 2002, "Stable Real-Time Deformations"): linear elasticity of `R^T F`, where `R` is
//!   the rotation in `F`: `P = R (mu (S + S^T - 2 I) + lambda tr(S - I) I)`, `S = R^T F`. The stiffness omits the
//!   change of `R`, so it is positive semidefinite: with `h_a = R g_a` its blocks are
//!   `V (mu (h_a . h_b) I + mu h_b h_a^T + lambda h_a h_b^T)`.
//! - Stable neo-Hookean (Smith, de Goes & Kim 2019, "Analytic Eigensystems for Isotropic Distortion Energies"):
//!   `W = mu/2 (|F|^2 - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2`, which is linear elasticity of `mu`, `lambda` at
//!   rest. The eigenvalues of `dP/dF` are known in closed form except for a 3 x 3 matrix; negative ones are set to
//!   zero. The part of a positive `lambda` acts on vertex rings, not on elements (see [`rings`]).
//!
//! Damping acts on rates of strain. The neo-Hookean law damps the rates of Green's strain, `(F^T F - I)/2`, and of `J`,
//! whatever the stress. With `h_a = F g_a`, `c_a = dJ/dF g_a` and `B = F F^T` its blocks are
//! `V (mu ((g_a . g_b) B + h_b h_a^T) + lambda c_a c_b^T)`. This is the stiffness at rest, and zero for any rotation at
//! any strain.
//!
//! Both laws are finite for inverted elements and push them back. `R` is a rotation, never a reflection; in an inverted
//! element the smallest principal stretch is negative (Irving, Teran & Fedkiw 2004).

pub mod four;
pub mod rings;
mod rows;

use crate::force::term::UPPER;
use crate::linalg::{Mat3, Vec3};
pub use rows::{Cells, Solids};
use std::array::from_fn;

/// Elastic law of a solid, by Lame's parameters [Pa].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// Law that is linear in strain; cheap, soft under large compression.
    Corotational(Lame),
    /// Law that resists loss of volume at any strain.
    NeoHookean(Lame),
}

/// Lame's parameters [Pa].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// Shear modulus.
    pub mu: f64,
    /// First parameter.
    pub lambda: f64,
}

impl Lame {
    /// Converts Young's modulus [Pa] and Poisson's ratio, in (-1, 0.5).
    pub fn new(young: f64, poisson: f64) -> Lame {
        Lame {
            mu: young / (2.0 * (1.0 + poisson)),
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
        }
    }
}

/// Rest shape of one tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tetrahedron {
    /// Vertices.
    pub vertices: [u32; 4],
    /// Material gradients of the shape functions of vertices 1, 2 and 3 [1/m]; vertex 0 has minus their sum.
    pub gradients: [Vec3; 3],
    /// Rest volume [m^3].
    pub volume: f64,
    /// Index of the body's laws.
    pub body: u32,
}

/// Laws of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Elasticity.
    pub solid: Solid,
    /// Damping time `tau` of the stiffness [s].
    pub damping: f64,
}

/// Principal stretches of an element: `F = U diag(stretches) V^T` with two rotations. The last stretch is negative if
/// the element is inverted.
struct Stretched {
    u: Mat3,
    stretches: Vec3,
    v: Mat3,
}

/// Forces and stiffness of an element in a step.
#[derive(Clone, Copy, Debug)]
pub struct Strained {
    /// Force on each vertex [N].
    pub forces: [Vec3; 4],
    /// Blocks of vertices (a, b), a <= b, in order of rows, positive semidefinite as a whole [N/m].
    pub blocks: [Mat3; 10],
}

impl Tetrahedron {
    /// Makes an element from rest positions [m]; `None` if they span no volume or the element is inverted.
    pub fn new(vertices: [u32; 4], rest: &[Vec3; 4], body: u32) -> Option<Tetrahedron> {
        let edges = Mat3::from_columns(&[rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]]);
        let volume = edges.determinant() / 6.0;
        let inverse = edges.try_inverse().filter(|_| volume > 0.0)?;
        let gradients: [Vec3; 3] = from_fn(|k| inverse.row(k).transpose());
        let finite = gradients.iter().all(|g| g.iter().all(|c| c.is_finite()));
        finite.then_some(Tetrahedron { vertices, gradients, volume, body })
    }

    /// Returns this element with its vertices in another order.
    pub fn reordered(&self, order: [usize; 4]) -> Tetrahedron {
        let all = self.all();
        Tetrahedron { vertices: order.map(|k| self.vertices[k]), gradients: from_fn(|k| all[order[k + 1]]), ..*self }
    }

    /// Returns the material gradients of all vertices [1/m].
    fn all(&self) -> [Vec3; 4] {
        let [p, q, r] = self.gradients;
        [-(p + q + r), p, q, r]
    }

    /// Returns the deformation gradient.
    pub fn deformation(&self, x: &[Vec3; 4]) -> Mat3 {
        (0..3).map(|k| (x[k + 1] - x[0]) * self.gradients[k].transpose()).sum()
    }

    /// Returns the change of volume per rest volume.
    pub fn swell(&self, x: &[Vec3; 4]) -> f64 {
        self.deformation(x).determinant() - 1.0
    }

    /// Returns the gradients of the change of volume per rest volume by each vertex [1/m].
    pub fn swelling(&self, x: &[Vec3; 4]) -> [Vec3; 4] {
        let cofactor = cofactor(&self.deformation(x));
        self.all().map(|g| cofactor * g)
    }

    /// Returns the elastic energy of a single element, without vertex rings [J].
    pub fn energy(&self, law: &Solid, x: &[Vec3; 4]) -> f64 {
        self.volume * law.density(&self.deformation(x))
    }

    /// Returns forces and stiffness of a single element at positions `x` [m].
    pub fn strain(&self, law: &Solid, x: &[Vec3; 4]) -> Strained {
        self.strain_in(law, x, self.swell(x))
    }

    /// Returns forces and stiffness if `lambda` acts on the change of volume `swell` of the element's rings, per rest
    /// volume.
    pub fn strain_in(&self, law: &Solid, x: &[Vec3; 4], swell: f64) -> Strained {
        let f = self.deformation(x);
        let stretched = Stretched::new(&f);
        let gradients = self.all();
        let stress = law.stress(&f, &stretched, swell) * self.volume;
        let forces = gradients.map(|g| -stress * g);
        let mut blocks = [Mat3::zeros(); 10];
        let pairs = (0..4).flat_map(|a| (a..4).map(move |b| (a, b)));
        match law {
            Solid::Corotational(Lame { mu, lambda }) => {
                let turned = gradients.map(|g| stretched.rotation() * g);
                for (block, (a, b)) in blocks.iter_mut().zip(pairs) {
                    let (h, k) = (&turned[a], &turned[b]);
                    let shear = Mat3::from_diagonal_element(h.dot(k)) + k * h.transpose();
                    *block = (shear * *mu + h * k.transpose() * *lambda) * self.volume;
                }
            }
            Solid::NeoHookean(lame) => {
                for (value, matrix) in stretched.modes(lame, swell) {
                    let rows = gradients.map(|g| matrix * g);
                    for (block, (a, b)) in blocks.iter_mut().zip(pairs.clone()) {
                        *block += rows[a] * rows[b].transpose() * (self.volume * value);
                    }
                }
            }
        }
        Strained { forces, blocks }
    }

    /// Returns the blocks of neo-Hookean damping at positions `x` [m], per damping time, in the order of [`Strained`]
    /// [N/m].
    pub fn viscosity(&self, law: &Lame, x: &[Vec3; 4]) -> [Mat3; 10] {
        let f = self.deformation(x);
        let (spread, cofactor, g) = (f * f.transpose() * (law.mu * self.volume), cofactor(&f), self.all());
        let (h, c) = (g.map(|g| f * g), g.map(|g| cofactor * g));
        UPPER.map(|[a, b]| {
            let leans = (h[b] * law.mu) * h[a].transpose() + (c[a] * law.lambda) * c[b].transpose();
            spread * g[a].dot(&g[b]) + leans * self.volume
        })
    }
}

/// Multiplies an element's blocks by a vector at each vertex.
pub fn product(blocks: &[Mat3; 10], by: &[Vec3; 4]) -> [Vec3; 4] {
    let mut found = [Vec3::zeros(); 4];
    for ([a, b], block) in UPPER.iter().zip(blocks) {
        found[*a] += block * by[*b];
        if a != b {
            found[*b] += block.tr_mul(&by[*a]);
        }
    }
    found
}

/// Returns the derivative of the determinant.
fn cofactor(f: &Mat3) -> Mat3 {
    let [a, b, c] = [f.column(0), f.column(1), f.column(2)];
    Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}

impl Solid {
    /// Returns the part of the bulk modulus that acts on the volume of vertex rings [Pa].
    pub fn bulk_of_rings(&self) -> Option<f64> {
        match self {
            Solid::NeoHookean(Lame { lambda, .. }) if *lambda > 0.0 => Some(*lambda),
            _ => None,
        }
    }

    /// Returns the energy density [J/m^3].
    fn density(&self, f: &Mat3) -> f64 {
        match self {
            Solid::Corotational(Lame { mu, lambda }) => {
                let strain = Stretched::new(f).stretches.add_scalar(-1.0);
                mu * strain.norm_squared() + lambda / 2.0 * strain.sum().powi(2)
            }
            Solid::NeoHookean(Lame { mu, lambda }) => {
                let lost = f.determinant() - 1.0;
                mu / 2.0 * (f.norm_squared() - 3.0) - mu * lost + (lambda + mu) / 2.0 * lost * lost
            }
        }
    }

    /// Returns the first Piola stress [Pa]; `swell` as in [`Tetrahedron::strain_in`].
    fn stress(&self, f: &Mat3, stretched: &Stretched, swell: f64) -> Mat3 {
        match self {
            Solid::Corotational(Lame { mu, lambda }) => {
                let strain = stretched.stretches.add_scalar(-1.0);
                let principal = strain * (2.0 * mu) + Vec3::from_element(lambda * strain.sum());
                stretched.u * Mat3::from_diagonal(&principal) * stretched.v.transpose()
            }
            Solid::NeoHookean(Lame { mu, lambda }) => {
                f * *mu + cofactor(f) * (lambda * swell + mu * (f.determinant() - 1.0) - mu)
            }
        }
    }
}

impl Stretched {
    fn new(f: &Mat3) -> Stretched {
        let mut svd = f.svd(true, true);
        svd.sort_by_singular_values();
        let (mut u, mut v) = (svd.u.unwrap_or_default(), svd.v_t.unwrap_or_default().transpose());
        let mut stretches = svd.singular_values;
        for side in [&mut u, &mut v] {
            if side.determinant() < 0.0 {
                let turned = -side.column(2);
                side.set_column(2, &turned);
                stretches[2] = -stretches[2];
            }
        }
        Stretched { u, stretches, v }
    }

    fn rotation(&self) -> Mat3 {
        self.u * self.v.transpose()
    }

    /// Iterates over the positive eigenvalues and their eigenmatrices of the neo-Hookean `dP/dF`.
    fn modes(&self, lame: &Lame, swell: f64) -> impl Iterator<Item = (f64, Mat3)> {
        let Lame { mu, lambda } = *lame;
        let s = &self.stretches;
        let (volume, bulk) = (s.x * s.y * s.z, lambda + mu);
        let pressure = lambda * swell + mu * (volume - 1.0) - mu;
        let scaling = Mat3::from_fn(|i, j| {
            if i == j {
                let face = s[(i + 1) % 3] * s[(i + 2) % 3];
                mu + bulk * face * face
            } else {
                s[3 - i - j] * (pressure + bulk * volume)
            }
        })
        .symmetric_eigen();
        let half = 0.5f64.sqrt();
        let local = (0..9).map(move |k| {
            if k < 3 {
                return (scaling.eigenvalues[k], Mat3::from_diagonal(&scaling.eigenvectors.column(k).into_owned()));
            }
            // Plane normal to axis `k % 3`: both axes rotate against each other, or both shear toward each other.
            let (axis, sign) = (k % 3, if k < 6 { 1.0 } else { -1.0 });
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut matrix = Mat3::zeros();
            matrix[(i, j)] = -sign * half;
            matrix[(j, i)] = half;
            (mu + sign * pressure * s[axis], matrix)
        });
        let (u, v) = (self.u, self.v.transpose());
        local.filter(|(value, _)| *value > 0.0).map(move |(value, matrix)| (value, u * matrix * v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Rotation;
    use crate::linalg::random::Random;

    pub(super) const LAME: Lame = Lame { mu: 400.0, lambda: 900.0 };
    const LAWS: [Solid; 2] = [Solid::Corotational(LAME), Solid::NeoHookean(LAME)];

    /// Makes an element of about 10 cm, with rest positions and positions that differ by `by` of its size, in any
    /// rotation.
    pub(super) fn element(random: &mut Random, by: f64) -> (Tetrahedron, [Vec3; 4], [Vec3; 4]) {
        loop {
            let rest: [Vec3; 4] = from_fn(|_| random.vector() * 0.1);
            let Some(tet) = Tetrahedron::new([0, 1, 2, 3], &rest, 0).filter(|t| t.volume > 1e-4) else { continue };
            let turn = Rotation::from_scaled_axis(random.vector() * 3.0);
            return (tet, rest, rest.map(|p| turn * (p + random.vector() * (0.1 * by))));
        }
    }

    fn matrix(blocks: &[Mat3; 10]) -> nalgebra::SMatrix<f64, 12, 12> {
        let mut all = nalgebra::SMatrix::<f64, 12, 12>::zeros();
        let pairs = (0..4).flat_map(|a| (a..4).map(move |b| (a, b)));
        for (block, (a, b)) in blocks.iter().zip(pairs) {
            all.fixed_view_mut::<3, 3>(3 * a, 3 * b).copy_from(block);
            all.fixed_view_mut::<3, 3>(3 * b, 3 * a).copy_from(&block.transpose());
        }
        all
    }

    /// Central differences of step `h` have an error of `h^2` times a third derivative: 1e-8 for `h = 1e-4` of the
    /// size. Rounding is 1e-16/1e-4.
    #[test]
    fn force_is_minus_the_gradient_of_energy() {
        let mut random = Random::new(1);
        for (k, law) in (0..400).flat_map(|k| LAWS.map(|law| (k, law))) {
            let (tet, _, x) = element(&mut random, [0.01, 0.3, 3.0][k % 3]);
            let found = tet.strain(&law, &x);
            let scale = found.forces.iter().map(|f| f.norm()).fold(1e-3, f64::max);
            for (a, l) in (0..4).flat_map(|a| (0..3).map(move |l| (a, l))) {
                let h = 1e-5;
                let at = |by: f64| {
                    let mut y = x;
                    y[a][l] += by;
                    tet.energy(&law, &y)
                };
                let force = (at(-h) - at(h)) / (2.0 * h);
                let near = Stretched::new(&tet.deformation(&x)).stretches;
                // The co-rotational energy has a kink where the two least stretches change places in an inverted
                // element.
                if matches!(law, Solid::Corotational(_)) && near.y + near.z < 0.05 {
                    continue;
                }
                assert!(
                    (force - found.forces[a][l]).abs() < 1e-5 * scale,
                    "{k} {law:?}: {force} {}",
                    found.forces[a][l]
                );
            }
        }
    }

    #[test]
    fn neo_hookean_stiffness_is_the_derivative_where_it_is_positive() {
        let mut random = Random::new(2);
        let mut whole = 0;
        for k in 0..600 {
            let law = LAWS[1];
            let (tet, _, x) = element(&mut random, [0.01, 0.1, 0.5][k % 3]);
            let stretched = Stretched::new(&tet.deformation(&x));
            if stretched.modes(&LAME, tet.swell(&x)).count() < 9 {
                continue;
            }
            whole += 1;
            let stiffness = matrix(&tet.strain(&law, &x).blocks);
            for (a, l) in (0..4).flat_map(|a| (0..3).map(move |l| (a, l))) {
                let h = 1e-6;
                let at = |by: f64| {
                    let mut y = x;
                    y[a][l] += by;
                    tet.strain(&law, &y).forces
                };
                let (before, after) = (at(-h), at(h));
                for (b, m) in (0..4).flat_map(|b| (0..3).map(move |m| (b, m))) {
                    let slope = (before[b][m] - after[b][m]) / (2.0 * h);
                    let found = stiffness[(3 * b + m, 3 * a + l)];
                    assert!((slope - found).abs() < 1e-5 * stiffness.norm(), "{k}: {slope} {found}");
                }
            }
        }
        assert!(whole > 100, "{whole}");
    }

    #[test]
    fn stiffness_is_positive_and_lets_go_of_translation() {
        let mut random = Random::new(3);
        for (k, law) in (0..300).flat_map(|k| LAWS.map(|law| (k, law))) {
            let (tet, _, x) = element(&mut random, [0.01, 0.5, 4.0][k % 3]);
            let stiffness = matrix(&tet.strain(&law, &x).blocks);
            let values = stiffness.symmetric_eigenvalues();
            assert!(values.min() > -1e-10 * values.max(), "{k} {law:?}: {values}");
            let shift = nalgebra::SVector::<f64, 12>::from_fn(|i, _| f64::from(u8::from(i % 3 == k % 3)));
            assert!((stiffness * shift).norm() < 1e-10 * values.max());
        }
    }

    /// Rotations are not damped at any strain. Every other rate loses energy, in inverted elements as well.
    #[test]
    fn neo_hookean_damping_is_of_strain_rates() {
        let mut random = Random::new(6);
        for k in 0..300 {
            let (tet, rest, x) = element(&mut random, [0.01, 0.5, 4.0][k % 3]);
            let blocks = tet.viscosity(&LAME, &x);
            let values = matrix(&blocks).symmetric_eigenvalues();
            assert!(values.min() > -1e-12 * values.max(), "{k}: {values}");
            // Six strain rates lose energy, three translations and three rotations do not.
            assert_eq!(values.iter().filter(|v| **v > 1e-9 * values.max()).count(), 6, "{k}: {values}");
            let spin = random.vector();
            let kept = product(&blocks, &x.map(|p| spin.cross(&p)));
            assert!(kept.iter().all(|f| f.norm() < 1e-13 * values.max()), "{k}: {kept:?}");
            let turn = Rotation::from_scaled_axis(random.vector() * 3.0);
            let turned = rest.map(|p| turn * p);
            let stiffness = matrix(&tet.strain(&LAWS[1], &turned).blocks);
            let miss = (matrix(&tet.viscosity(&LAME, &turned)) - stiffness).norm();
            assert!(miss < 1e-10 * stiffness.norm(), "{k}: {miss}");
        }
    }

    /// A rigidly rotated element has no force. Under small strain both laws are linearly elastic, rotated or not.
    #[test]
    fn small_strains_are_linear_elasticity() {
        let mut random = Random::new(4);
        for law in [LAWS; 50].into_iter().flatten() {
            let (tet, rest, _) = element(&mut random, 0.0);
            let turn = Rotation::from_scaled_axis(random.vector() * 3.0);
            let turned = rest.map(|p| turn * p);
            let stiffness = tet.strain(&law, &turned);
            let scale = stiffness.blocks[4].norm();
            assert!(stiffness.forces.iter().all(|f| f.norm() < 1e-12 * scale * 0.1));
            let size = 1e-6;
            let gradient = Mat3::from_fn(|_, _| size * random.signed());
            let x = rest.map(|p| turn * (p + gradient * p));
            let strain = (gradient + gradient.transpose()) / 2.0;
            let stress = strain * (2.0 * LAME.mu) + Mat3::from_diagonal_element(LAME.lambda * strain.trace());
            for (g, found) in tet.all().iter().zip(tet.strain(&law, &x).forces) {
                let expected = turn * (stress * g * -tet.volume);
                assert!((found - expected).norm() < 20.0 * size * size * scale, "{law:?}: {found} {expected}");
            }
        }
    }

    /// The forces of an inverted element alone restore its shape.
    #[test]
    fn what_is_inside_out_comes_back() {
        let mut random = Random::new(5);
        for (k, law) in (0..20).flat_map(|k| LAWS.map(|law| (k, law))) {
            let (tet, rest, _) = element(&mut random, 0.0);
            let mut x = rest;
            // Vertex 0 passes through the opposite face.
            let centre = (rest[1] + rest[2] + rest[3]) / 3.0;
            x[0] = centre + (centre - rest[0]) * 0.5 + random.vector() * 1e-3;
            assert!(tet.deformation(&x).determinant() < 0.0);
            for _ in 0..4000 {
                // Implicit steps of an overdamped motion.
                let found = tet.strain(&law, &x);
                let mut system = matrix(&found.blocks);
                let drag = 0.05 * system.norm();
                (0..12).for_each(|i| system[(i, i)] += drag);
                let force = nalgebra::SVector::<f64, 12>::from_fn(|i, _| found.forces[i / 3][i % 3]);
                let Some(z) = system.cholesky().map(|c| c.solve(&force)) else { panic!("not positive") };
                (0..12).for_each(|i| x[i / 3][i % 3] += z[i]);
            }
            let found = Stretched::new(&tet.deformation(&x)).stretches;
            assert!(found.add_scalar(-1.0).norm() < 1e-6, "{k} {law:?}: stretches {found}");
        }
    }
}
