//! Force of air that flows past cloth (Horiba et al. 2007, Eq. 6, and better laws).
//!
//! With the velocity `U` of the air relative to a vertex, the vertex's area `A` and unit normal `n`, `Un = (n.U) n` and
//! `Ut = U - Un`:
//! - split: `F = rho A/2 (Cn |Un| Un + Ct |Ut| Ut)`, the pressure drag of a plate and the friction along it;
//! - screen: `F = A (a + b |Un|) Un`, the pressure that drives air through a cloth (`effect::permeability`), along the
//!   normal alone;
//! - seed: the paper's `F = C1 A (n.W) W`, as printed, for the velocity `W = -U` of the cloth relative to the air. With
//!   `C1 < 0` it resists only where `n.W > 0`; elsewhere it adds energy;
//! - fixed seed: the same with `|n.W|`, which always resists.
//!
//! Each law is `F = C U`, with `C` evaluated at the start of the step. The force is implicit in the velocity of the
//! cloth as far as `C` is positive semidefinite.

use crate::force::drag::Drag;
use crate::force::scheme::Exchange;
use crate::linalg::{Mat3, Vec3};

/// Law of the force of air on cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resistance {
    /// Linear drag of each cloth ([`Drag`]).
    Linear,
    /// Quadratic drag along the normal and along the surface.
    Split {
        /// Coefficient `Cn`.
        normal: f64,
        /// Coefficient `Ct`.
        tangent: f64,
    },
    /// Permeable cloth.
    Screen {
        /// Friction `a` [Pa s/m].
        friction: f64,
        /// Inertial coefficient `b` [Pa s^2/m^2].
        inertia: f64,
    },
    /// Law as the paper prints it, with `C1` [kg/m^3].
    AsPrinted(f64),
    /// Law of the paper with `|n.W|`, which never adds energy, with `C1` [kg/m^3].
    Dissipative(f64),
}

/// Cloth vertex exposed to the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exposed {
    /// Third of the area vectors of its triangles [m^2].
    pub area: Vec3,
    /// Velocity at the start of the step [m/s].
    pub velocity: Vec3,
    /// Velocity of the air at the vertex [m/s].
    pub air: Vec3,
    /// Mass of the air that reacts [kg]. Infinite if the air does not react.
    pub mass: f64,
    /// Force of the last step [N]. The air has already received its reaction.
    pub before: Vec3,
}

impl Resistance {
    /// Returns force over relative velocity along the normal and along the surface [N s/m]. `density` is that of the
    /// air [kg/m^3].
    pub fn factors(&self, drag: &Drag, area: &Vec3, relative: &Vec3, density: f64) -> [f64; 2] {
        let size = area.norm();
        if size == 0.0 {
            return [0.0; 2];
        }
        let normal = area / size;
        let along = normal.dot(relative);
        let across = (relative - normal * along).norm();
        match *self {
            Resistance::Linear => [size * drag.normal, size * drag.tangent],
            Resistance::Split { normal, tangent } => {
                let half = 0.5 * density * size;
                [half * normal * along.abs(), half * tangent * across]
            }
            Resistance::Screen { friction, inertia } => [size * (friction + inertia * along.abs()), 0.0],
            // F = C1 A (n.W) W = C1 A (n.U) U.
            Resistance::AsPrinted(constant) => [constant * size * along; 2],
            Resistance::Dissipative(constant) => [(constant * size * along).abs(); 2],
        }
    }

    /// Returns the force in a step of size `h` [s]. Air that reacts is slowed as the cloth is pushed. With `k = h C/m`
    /// and the force `G` that the air has already received, `F = C (U - h/m (F - G))`, that is
    /// `F = (C U + k G)/(1 + k)`. In a steady flow `F = G = C U`.
    pub fn exchange(&self, drag: &Drag, exposed: &Exposed, density: f64, h: f64) -> Exchange {
        let Exposed { area, velocity, air, mass, before } = exposed;
        let relative = air - velocity;
        let [normal, tangent] = self.factors(drag, area, &relative, density);
        let Some(n) = area.try_normalize(0.0) else { return Exchange::default() };
        let along = n * n.transpose();
        let mut exchange = Exchange::default();
        for (factor, part) in [(normal, along), (tangent, Mat3::identity() - along)] {
            if factor < 0.0 {
                exchange.force += part * relative * factor;
                continue;
            }
            let k = h * factor / mass;
            let softened = factor / (1.0 + k);
            exchange.force += part * (air * softened + before * (k / (1.0 + k)));
            exchange.matrix += part * softened;
        }
        exchange
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random::Random;

    const LAWS: [Resistance; 5] = [
        Resistance::Linear,
        Resistance::Split { normal: 1.2, tangent: 0.02 },
        Resistance::Screen { friction: 80.0, inertia: 30.0 },
        Resistance::AsPrinted(-30.0),
        Resistance::Dissipative(-30.0),
    ];
    const DRAG: Drag = Drag { normal: 3.0, tangent: 0.5 };

    fn exposed(random: &mut Random, mass: f64) -> Exposed {
        Exposed {
            area: random.vector() * 1e-3,
            velocity: random.vector() * 2.0,
            air: Vec3::zeros(),
            mass,
            before: Vec3::zeros(),
        }
    }

    /// In still air only the printed law adds energy, in one of the two orientations.
    #[test]
    fn only_the_printed_law_feeds_energy() {
        let mut random = Random::new(3);
        let mut fed = [0; LAWS.len()];
        for _ in 0..200 {
            let one = exposed(&mut random, f64::INFINITY);
            for (law, fed) in LAWS.iter().zip(&mut fed) {
                let powers = [one.area, -one.area].map(|area| {
                    let exchange = law.exchange(&DRAG, &Exposed { area, ..one }, 1.2, 1e-3);
                    (exchange.force - exchange.matrix * one.velocity).dot(&one.velocity)
                });
                *fed += powers.iter().filter(|power| **power > 1e-18).count();
                let alike = (powers[0] - powers[1]).abs() <= 1e-12 * powers[0].abs();
                assert!(alike || matches!(law, Resistance::AsPrinted(_)), "{law:?} sees which side is which");
            }
        }
        assert_eq!(fed, [0, 0, 0, 200, 0]);
    }

    /// The force on a plate across the wind is the textbook value `rho A Cn U^2/2`.
    #[test]
    fn a_plate_across_the_wind() {
        let area = Vec3::new(0.0, 0.0, 0.02);
        let wind = Vec3::new(0.0, 0.0, 5.0);
        let one = Exposed { area, velocity: Vec3::zeros(), air: wind, mass: f64::INFINITY, before: Vec3::zeros() };
        let force = LAWS[1].exchange(&DRAG, &one, 1.2, 1e-3).force;
        assert!((force - Vec3::new(0.0, 0.0, 0.5 * 1.2 * 0.02 * 1.2 * 25.0)).norm() < 1e-15);
        let screen = LAWS[2].exchange(&DRAG, &one, 1.2, 1e-3).force.z;
        assert!((screen / 0.02 - (80.0 * 5.0 + 30.0 * 25.0)).abs() < 1e-9);
    }

    /// Coupled air and cloth reach a common velocity for any factor and step, and conserve momentum. With a prescribed
    /// air velocity, the force converges to that of the law, whatever the mass.
    #[test]
    fn what_answers_is_stable_and_right_in_the_end() {
        for factor in [1e-3, 1.0, 1e6] {
            let law = Resistance::Screen { friction: factor, inertia: 0.0 };
            let (mass, own, h) = (2e-3, 1e-3, 1e-2);
            let (mut air, mut v) = (Vec3::z() * 3.0, Vec3::zeros());
            let mut before = Vec3::zeros();
            let mut kick = Vec3::zeros();
            for _ in 0..2000 {
                // Velocity of the air after the reaction of the last force and the remaining kick.
                let seen = air + kick - before * (h / mass);
                let one = Exposed { area: Vec3::z(), velocity: v, air: seen, mass, before };
                let exchange = law.exchange(&DRAG, &one, 1.2, h);
                // (own/h + matrix) v' = own/h v + force.
                let end = (own / h * v.z + exchange.force.z) / (own / h + exchange.matrix[(2, 2)]);
                v = Vec3::z() * end;
                let force = exchange.force - exchange.matrix * v;
                kick = -(force - before) * (h / mass);
                (air, before) = (seen, force);
                let momentum = mass * (air + kick).z + own * v.z;
                assert!((momentum - 3.0 * mass).abs() < 1e-12 && end <= 3.0 + 1e-9, "{factor}: {momentum}, {end}");
            }
            if factor >= 1.0 {
                assert!((v.z - 2.0).abs() < 1e-6, "{factor}: {}", v.z);
            }
            let mut before = Vec3::zeros();
            for _ in 0..200_000 {
                let one = Exposed { area: Vec3::z(), velocity: Vec3::zeros(), air: Vec3::z(), mass, before };
                before = law.exchange(&DRAG, &one, 1.2, h).force;
            }
            assert!(
                (before.z / factor - 1.0).abs() < 1e-3 || factor == 1e6 && before.z > 1e4,
                "{factor}: {}",
                before.z
            );
        }
    }
}
