//! Element response of each internal force law, and one test for all of them.
//!
//! A law of internal force gives the energy, force and stiffness of one element at given positions. [`tests`] checks
//! for every entry:
//! - force is minus the gradient of the energy, and stiffness its derivative (where the law is exact);
//! - stiffness is symmetric and has no negative eigenvalue;
//! - net force and net torque vanish;
//! - energy and force vanish at rest and under rigid motion.

use super::bending::{Bending, Hinge, fold};
use super::membrane::{Beyond, Membrane, Triangle};
use super::plate::Patch;
use super::spring::Spring;
use crate::linalg::{Mat3, Vec3};

/// Energy, forces and stiffness blocks (row by row) of one element at positions `x`.
pub struct Local {
    /// Energy [J].
    pub energy: f64,
    /// Force per vertex [N].
    pub force: Vec<Vec3>,
    /// Stiffness blocks, vertex by vertex [N/m].
    pub stiffness: Vec<Mat3>,
}

/// Evaluates one membrane element.
pub fn membrane(t: &Triangle, law: &Membrane, x: &[Vec3; 3]) -> Local {
    let (edges, still) = ([x[1] - x[0], x[2] - x[0]], [Vec3::zeros(); 2]);
    let e = t.strain(x);
    let beyond = Beyond { stress: law.beyond(&e), slopes: Vec3::zeros() };
    let moduli = (&law.moduli(&e), &beyond);
    let r = Triangle::respond::<f64, true>(&t.gradients, t.area, moduli, [edges, still, still], 1.0);
    let [k00, k01, k02, k11, k12, k22] = r.stiffness.map(|k| Mat3::from_column_slice(&k));
    Local {
        energy: t.energy(law, x),
        force: r.force.to_vec(),
        stiffness: vec![k00, k01, k02, k01.transpose(), k11, k12, k02.transpose(), k12.transpose(), k22],
    }
}

/// Evaluates one triangle of a plate, with its three hinges on its six vertices.
pub fn plate(patch: &Patch, hinges: &[Hinge; 3], rigidity: f64, x: &[Vec3; 6]) -> Local {
    let at = |h: &Hinge| h.vertices.map(|v| x[v as usize]);
    let away = hinges.map(|h| h.away(&at(&h)));
    // Gradient of each angle by all six vertices.
    let gradients = hinges.map(|h| {
        let corners = at(&h);
        let mut gradient = [Vec3::zeros(); 6];
        for (v, g) in h.vertices.iter().zip(fold([1, 2, 3].map(|k| corners[k] - corners[0])).gradient) {
            gradient[*v as usize] = g;
        }
        gradient
    });
    let c = patch.stiffness * rigidity;
    let moments = c * Vec3::from(away);
    let force = |a: usize| -> Vec3 { (0..3).map(|i| gradients[i][a] * -moments[i]).sum() };
    let block = |a: usize, b: usize| -> Mat3 {
        let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        pairs.map(|(i, j)| gradients[i][a] * c[(i, j)] * gradients[j][b].transpose()).sum()
    };
    Local {
        energy: patch.energy(rigidity, |h| away[h as usize]),
        force: (0..6).map(force).collect(),
        stiffness: (0..36).map(|p| block(p / 6, p % 6)).collect(),
    }
}

/// Evaluates one hinge.
pub fn bending(h: &Hinge, law: &Bending, x: &[Vec3; 4]) -> Local {
    let bent = fold([1, 2, 3].map(|k| x[k] - x[0]));
    let (away, k) = h.state(law, bent.angle(), 0.0);
    let g = bent.gradient;
    Local {
        energy: h.energy(law, x, 0.0),
        force: g.iter().map(|g| g * (-k * away)).collect(),
        stiffness: (0..16).map(|p| g[p / 4] * k * g[p % 4].transpose()).collect(),
    }
}

/// Evaluates one spring at zero velocity.
pub fn spring(s: &Spring, x: &[Vec3; 2]) -> Local {
    let d = x[1] - x[0];
    let length = d.norm();
    let along = d / length;
    let axis = along * along.transpose();
    let [tension, slope, _] = s.tension.at(s.rest, length);
    let (force, k) = (along * tension, axis * slope + (Mat3::identity() - axis) * (tension / length).max(0.0));
    Local { energy: s.energy(x), force: vec![force, -force], stiffness: vec![k, -k, -k, k] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::membrane::{Isotropic, Progressive, StretchTable};
    use crate::force::spring::{Jacobian, Role, Tension};
    use crate::linalg::Vec2;
    use crate::linalg::random::Random;

    type Response = dyn Fn(&[Vec3]) -> Local;

    /// A law on one element: rest positions and response.
    struct Case {
        name: &'static str,
        rest: Vec<Vec3>,
        /// Whether derivatives of the energy are exact (not frozen moduli).
        exact: bool,
        local: Box<Response>,
    }

    impl Case {
        /// Returns the response with component `d` of vertex `v` displaced from `x` by `by`.
        fn moved(&self, x: &[Vec3], v: usize, d: usize, by: f64) -> Local {
            let mut x = x.to_vec();
            x[v][d] += by;
            (self.local)(&x)
        }
    }

    /// Iterates over all pairs of vertex and component.
    fn components(vertices: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..vertices).flat_map(|v| (0..3).map(move |d| (v, d)))
    }

    fn denim() -> StretchTable {
        let raw = [
            [205.352005, 10.234077, 1013.88629, 53.387184],
            [232.027634, 40.646339, 1052.84289, 64.980499],
            [224.592209, 40.384563, 1054.43444, 67.184807],
            [225.95105, 62.095657, 1059.59741, 83.99202],
            [226.039566, 40.502792, 1058.27771, 75.118423],
            [225.767487, 40.917892, 1051.55712, 71.810631],
        ];
        StretchTable(raw.map(|r| r.map(|v| 2.0 * v)))
    }

    /// Returns a triangle of a plate with three hinges: one over `rest4`, like `hinge`, and those at two more vertices.
    fn plate_case(rest4: [Vec3; 4], hinge: Hinge) -> Case {
        let rest6: Vec<Vec3> =
            rest4.into_iter().chain([Vec3::new(0.012, 0.001, 0.009), Vec3::new(-0.005, 0.0005, 0.006)]).collect();
        let hinges = [[0, 1, 2, 3], [1, 2, 0, 4], [2, 0, 1, 5]].map(|vertices: [u32; 4]| {
            let rest = Hinge { vertices, rest: 0.0, ..hinge }.away(&vertices.map(|v| rest6[v as usize]));
            Hinge { vertices, rest, ..hinge }
        });
        let stiffness = Mat3::new(1.3, 0.3, -0.2, 0.3, 1.1, 0.4, -0.2, 0.4, 0.9);
        let patch = Patch { hinges: [0, 1, 2], stiffness, cloth: 0 };
        Case {
            name: "plate",
            rest: rest6,
            exact: true,
            local: Box::new(move |x: &[Vec3]| plate(&patch, &hinges, 2.3e-6, &[x[0], x[1], x[2], x[3], x[4], x[5]])),
        }
    }

    fn cases() -> Vec<Case> {
        let flat = [Vec2::new(0.0, 0.0), Vec2::new(0.01, 0.001), Vec2::new(0.002, 0.008)];
        let triangle = Triangle::new([0, 1, 2], flat, 1.0, 0).unwrap();
        let lift = |p: &Vec2| Vec3::new(p.x, 0.0, p.y);
        let rest3: Vec<Vec3> = flat.iter().map(lift).collect();
        let sheet = |name, law: Membrane, exact| Case {
            name,
            rest: rest3.clone(),
            exact,
            local: Box::new(move |x: &[Vec3]| membrane(&triangle, &law, &[x[0], x[1], x[2]])),
        };
        let rest4 = [
            Vec3::new(0.0, 0.0, 0.0),
            Vec3::new(0.01, 0.0, 0.0),
            Vec3::new(0.004, 0.0, 0.007),
            Vec3::new(0.006, 0.001, -0.008),
        ];
        let hinge = Hinge {
            vertices: [0, 1, 2, 3],
            shape: 1.3,
            curvature: 120.0,
            direction: 0.4,
            rest: fold([1, 2, 3].map(|k: usize| rest4[k] - rest4[0])).angle(),
            damping: 1.0,
            cloth: 0,
        };
        let fold = |name, law: Bending, exact| Case {
            name,
            rest: rest4.to_vec(),
            exact,
            local: Box::new(move |x: &[Vec3]| bending(&hinge, &law, &[x[0], x[1], x[2], x[3]])),
        };
        let rest2 = [Vec3::zeros(), Vec3::new(0.008, 0.003, -0.005)];
        let string = |name, tension: Tension| {
            let (rest, vertices) = ((rest2[1] - rest2[0]).norm(), [0, 1]);
            let spring = super::Spring { vertices, rest, tension, role: Role::Edge, cloth: 0 };
            let local = move |x: &[Vec3]| self::spring(&spring, &[x[0], x[1]]);
            Case { name, rest: rest2.to_vec(), exact: true, local: Box::new(local) }
        };
        let progressive = Progressive { young: [[135.6, 64.03], [80.0, 300.0]], shear: 40.0, poisson: 0.2 };
        let table = [[6.4e-5, 6.0e-5, 6.1e-5, 6.2e-5, 2.0e-5]; 3].map(|r| r.map(|k| k / 4.0));
        vec![
            sheet("isotropic membrane", Membrane::Isotropic(Isotropic { young: 261.0, poisson: 0.243 }), true),
            sheet("measured membrane", Membrane::Table(denim()), false),
            sheet("progressive membrane", Membrane::Progressive(progressive), true),
            fold("hinge", Bending::Constant(2.3e-6), true),
            plate_case(rest4, hinge),
            fold("orthotropic bending", Bending::Orthotropic([3e-6, 1e-6, 2e-6]), true),
            fold("measured bending", Bending::Table(table), false),
            string("linear spring", Tension::Linear { stiffness: 20.0, damping: 0.3, jacobian: Jacobian::Full }),
            string("taut spring", Tension::Taut { stiffness: 20.0, damping: 0.3 }),
            string("buckling spring", Tension::beam((rest2[1] - rest2[0]).norm(), 1e-7, 15.0)),
        ]
    }

    fn shaken(rest: &[Vec3], size: f64, random: &mut Random) -> Vec<Vec3> {
        rest.iter().map(|p| p + random.vector() * size).collect()
    }

    #[test]
    fn force_is_minus_the_gradient_of_the_energy() {
        let mut random = Random::new(1);
        for case in cases().iter().filter(|c| c.exact) {
            for _ in 0..50 {
                let x = shaken(&case.rest, 1e-3, &mut random);
                let local = (case.local)(&x);
                let size = local.force.iter().map(|f| f.norm()).fold(0.0, f64::max);
                // Central differences: error O(step^2) of a force that varies on the scale of the element.
                let step = 1e-7;
                for (a, d) in components(x.len()) {
                    let [minus, plus] = [-step, step].map(|by| case.moved(&x, a, d, by).energy);
                    let (slope, force) = ((plus - minus) / (2.0 * step), local.force[a][d]);
                    assert!((slope + force).abs() <= 1e-5 * size, "{}: {slope} {force}", case.name);
                }
            }
        }
    }

    #[test]
    fn stiffness_is_the_derivative_of_the_force_under_tension() {
        // Under tension no term is clipped. Bending is linearised at its rest angle, where Gauss-Newton is exact.
        let mut random = Random::new(2);
        for case in cases().iter().filter(|c| c.exact) {
            let stretched = case.rest.len() < 4;
            let stretch = if stretched { 1.2 } else { 1.0 };
            let x: Vec<Vec3> = case.rest.iter().map(|p| p * stretch).collect();
            let x = if stretched { shaken(&x, 1e-4, &mut random) } else { x };
            let local = (case.local)(&x);
            let n = x.len();
            let size = local.stiffness.iter().map(|k| k.norm()).fold(0.0, f64::max);
            let step = 1e-8;
            for (b, d) in components(n) {
                let [minus, plus] = [-step, step].map(|by| case.moved(&x, b, d, by).force);
                for a in 0..n {
                    let slope = (plus[a] - minus[a]) / (2.0 * step);
                    let column = local.stiffness[a * n + b].column(d).into_owned();
                    assert!((slope + column).norm() <= 1e-5 * size, "{}: {slope} {column}", case.name);
                }
            }
        }
    }

    #[test]
    fn no_net_force_no_net_torque_symmetric_and_positive() {
        let mut random = Random::new(3);
        for case in cases() {
            for _ in 0..200 {
                let x = shaken(&case.rest, 3e-3, &mut random);
                let local = (case.local)(&x);
                let n = x.len();
                let size: f64 = local.force.iter().map(|f| f.norm()).sum::<f64>() + 1e-300;
                let net: Vec3 = local.force.iter().sum();
                let torque: Vec3 = x.iter().zip(&local.force).map(|(x, f)| x.cross(f)).sum();
                assert!(net.norm() <= 1e-12 * size, "{}", case.name);
                assert!(torque.norm() < 1e-12 * size * 0.02 + 1e-20, "{}: {}", case.name, torque.norm() / size);
                let pairs = || (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
                for (a, b) in pairs() {
                    let (k, t) = (local.stiffness[a * n + b], local.stiffness[b * n + a].transpose());
                    assert!((k - t).norm() <= 1e-12 * (1.0 + k.norm()), "{}", case.name);
                }
                for _ in 0..20 {
                    let v = shaken(&vec![Vec3::zeros(); n], 1.0, &mut random);
                    let mut form = 0.0;
                    let mut bound = 0.0;
                    for (a, b) in pairs() {
                        form += v[a].dot(&(local.stiffness[a * n + b] * v[b]));
                        bound += local.stiffness[a * n + b].norm();
                    }
                    assert!(form >= -1e-12 * bound, "{}: {form}", case.name);
                }
            }
        }
    }

    #[test]
    fn nothing_at_rest_and_under_rigid_motion() {
        for case in cases() {
            let turn = crate::linalg::Rotation::from_scaled_axis(Vec3::new(0.3, -1.1, 0.7));
            for x in [case.rest.clone(), case.rest.iter().map(|p| turn * p + Vec3::new(1.0, 2.0, 3.0)).collect()] {
                let local = (case.local)(&x);
                // Positions near 3 m are rounded to 4e-16 m, a relative strain of 1e-13 for an element of 1 cm.
                let scale = local.stiffness.iter().map(|k| k.norm()).fold(0.0, f64::max);
                assert!(local.force.iter().all(|f| f.norm() <= 1e-14 * scale), "{}", case.name);
                assert!(local.energy < 1e-20, "{}", case.name);
            }
        }
    }

    #[test]
    fn measured_moduli_are_continuous() {
        let law = denim();
        let table = Membrane::Table(law);
        let mut random = Random::new(5);
        for _ in 0..20_000 {
            let e = random.vector() * 0.2;
            let d = random.vector() * 1e-7;
            // The direction of the largest strain turns fast only where the two principal strains agree.
            let radius = ((e.x - e.y) / 2.0).hypot(e.z / 2.0);
            let (a, b) = (table.moduli(&e), table.moduli(&(e + d)));
            for k in 0..4 {
                assert!((a[k] - b[k]).abs() < 3e4 * 1e-7 * (1.0 + 0.1 / radius), "{e} {a:?} {b:?}");
            }
        }
    }
}
