//! Springs between two vertices: linear (Provot 1995; Park & Byun; Horiba et al. 2007, Eq. 1), tension-only, and
//! buckling (Choi & Ko 2002, sections 4.1 and 4.2; Prince & Bigham 2004).
//!
//! With the length `l`, the rest length `L` and `u` the unit vector from the first vertex to the second, the force on
//! the first is `T(l) u`:
//! - linear: `T = k (l - L) + c l'`;
//! - tension: as linear if `l > L`, else zero;
//! - buckling: if `l < L`, the force of a beam of length `L` bent to an arc whose chord is `l`:
//!   `T = 4 kb a^2/(L^2 (cos a - sin a/a))`, `sin a/a = l/L`, with the energy `2 kb a^2/L`. The limit of a straight
//!   beam is 12 kb/L^2, so `T` is not below `cb (l - L)`. Beyond `L` the force is zero.
//!
//! `T` is evaluated at the length that the spring will have at the end of the step at the present velocities. A change
//! between slack, ramp and beam within the step is thus anticipated. Changes of the velocities meet the largest `T'`
//! that may occur: `k`, or that of the ramp. The stiffness is `(T' + c/beta) u u^T + max(0, T/l) (I - u u^T)`, positive
//! semidefinite: a compressed spring has no transverse part. A spring of zero length has no direction and no force.
//!
//! The stiffness of a linear spring may be `k I` instead (Desbrun et al. 1999; Horiba et al. 2007, Eq. 1 to 4). Then
//! `T` is that of the present length, and `k` resists the relative displacement of the ends, rotation included. This
//! stiffness does not depend on the positions. It removes angular momentum and damps all motion except translation.

use super::scheme::{Scheme, Shape, StiffnessScales, pick};
use super::term::{Law, Name, Own, Rows, couple_all};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Mat3, Vec3, par};
use std::f64::consts::PI;

/// Length, in units of the rest length, below which a spring has no direction.
const POINT: f64 = 1e-9;

/// Stiffness matrix of a linear spring in the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Jacobian {
    /// Derivative of the force, along and across the spring.
    #[default]
    Full,
    /// Matrix `k I`, which resists rotation as it resists stretch.
    Isotropic,
}

/// Force law of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tension {
    /// Force in tension and in compression.
    Linear {
        /// Force per elongation [N/m].
        stiffness: f64,
        /// Force per speed of elongation [N s/m].
        damping: f64,
        /// Stiffness matrix in the system.
        jacobian: Jacobian,
    },
    /// Force in tension only.
    Taut {
        /// Force per elongation [N/m].
        stiffness: f64,
        /// Force per speed of elongation [N s/m].
        damping: f64,
    },
    /// Force in compression only: a beam that has buckled.
    Buckling {
        /// Bending rigidity of the beam [N m^2].
        rigidity: f64,
        /// Force per shortening before the beam buckles [N/m].
        ramp: f64,
        /// Part of the rest length at which the beam buckles.
        straight: f64,
    },
}

/// Place of a spring in a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Edge of the mesh, which resists stretch or shear.
    Edge,
    /// Other diagonal of a lattice cell, which resists shear.
    Diagonal,
    /// Connection of vertices at distance two, which resists bending.
    Flexion,
    /// Part of an elastic band.
    Band,
}

/// Spring between two vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Ends of the spring.
    pub vertices: [u32; 2],
    /// Rest length [m].
    pub rest: f64,
    /// Force law.
    pub tension: Tension,
    /// Place in the cloth.
    pub role: Role,
    /// Index of the cloth.
    pub cloth: u32,
}

/// Returns half the angle `a` of an arc, in (0, pi). Its chord is `part` of its length: `sin a/a = part`, to rounding.
fn half_angle(part: f64) -> f64 {
    // Initial value from the series 1 - a^2/6 + a^4/120. Newton's method converges from there for all parts.
    let mut a = (6.0 * (1.0 - part)).sqrt();
    if a < 1e-3 {
        return a * (1.0 + a * a / 40.0);
    }
    for _ in 0..5 {
        let (sin, cos) = a.sin_cos();
        a = (a - a * (sin - part * a) / (a * cos - sin)).clamp(1e-3, PI);
    }
    a
}

/// Returns `cos a - sin a/a`, which is not positive.
fn arch(a: f64) -> f64 {
    if a < 1e-2 { -a * a / 3.0 * (1.0 - a * a / 10.0) } else { a.cos() - a.sin() / a }
}

/// Returns the force of a buckled beam of rigidity and length 1 with the chord `part`, and the derivative by `part`.
fn buckled(part: f64) -> (f64, f64) {
    let a = half_angle(part);
    if a < 1e-2 {
        // 4 a^2/(cos a - sin a/a) = -12 (1 + a^2/10 + ...), part = 1 - a^2/6 + ...
        return (-12.0 * (1.0 + a * a / 10.0), 7.2);
    }
    let g = arch(a);
    let force = 4.0 * a * a / g;
    // g' = -sin a - (cos a - sin a/a)/a, part' = g/a.
    let slope = 8.0 * a / g - 4.0 * a * a * (-a.sin() - g / a) / (g * g);
    (force, (slope * a / g).max(0.0))
}

impl Tension {
    /// Returns the law of a beam of rest length `rest` [m] and rigidity [N m^2], with a ramp [N/m].
    pub fn beam(rest: f64, rigidity: f64, ramp: f64) -> Tension {
        Tension::Buckling { rigidity, ramp, straight: gives_way(rigidity / rest.powi(3), ramp) }
    }

    /// Returns force [N], its derivative by the length, and damping of a spring of rest length `rest` and length
    /// `length` [m].
    #[inline]
    pub fn at(&self, rest: f64, length: f64) -> [f64; 3] {
        let beyond = length - rest;
        match *self {
            Tension::Linear { stiffness, damping, .. } => [stiffness * beyond, stiffness, damping],
            Tension::Taut { stiffness, damping } if beyond > 0.0 => [stiffness * beyond, stiffness, damping],
            Tension::Buckling { ramp, straight, .. } if beyond < 0.0 && length >= straight * rest => {
                [ramp * beyond, ramp, 0.0]
            }
            Tension::Buckling { rigidity, .. } if beyond < 0.0 => {
                let (force, slope) = buckled(length / rest);
                [force * rigidity / (rest * rest), slope * rigidity / rest.powi(3), 0.0]
            }
            Tension::Taut { .. } | Tension::Buckling { .. } => [0.0; 3],
        }
    }

    /// Returns the largest stiffness without the geometric part; for a beam, its rigidity.
    pub fn stiffest(&self) -> f64 {
        match *self {
            Tension::Linear { stiffness, .. } | Tension::Taut { stiffness, .. } => stiffness,
            Tension::Buckling { rigidity, .. } => rigidity,
        }
    }

    /// Returns the largest slope of the force that may occur in a step [N/m]. `slope` is the present one.
    #[inline]
    fn steepest(&self, slope: f64) -> f64 {
        match *self {
            Tension::Linear { stiffness, .. } | Tension::Taut { stiffness, .. } => stiffness,
            Tension::Buckling { ramp, .. } => ramp.max(slope),
        }
    }

    /// Returns the energy of a spring of rest length `rest` and length `length` [J].
    fn energy(&self, rest: f64, length: f64) -> f64 {
        let beyond = length - rest;
        match *self {
            Tension::Linear { stiffness, .. } => 0.5 * stiffness * beyond * beyond,
            Tension::Taut { stiffness, .. } => 0.5 * stiffness * beyond.max(0.0).powi(2),
            Tension::Buckling { .. } if beyond >= 0.0 => 0.0,
            Tension::Buckling { ramp, straight, .. } if length >= straight * rest => 0.5 * ramp * beyond * beyond,
            Tension::Buckling { rigidity, ramp, straight } => {
                let arc = |part: f64| 2.0 * rigidity * half_angle(part).powi(2) / rest;
                0.5 * ramp * (rest * (1.0 - straight)).powi(2) + arc(length / rest) - arc(straight)
            }
        }
    }
}

/// Returns the part of its rest length at which a beam of `stiffness` kb/L^3 buckles: its force is no more than the
/// ramp's.
fn gives_way(stiffness: f64, ramp: f64) -> f64 {
    let ramps = |part: f64| buckled(part).0 * stiffness <= ramp * (part - 1.0);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        *if ramps(middle) { &mut high } else { &mut low } = middle;
    }
    high
}

/// Force and stiffness of a spring at its first vertex in a step. The second vertex has the opposite force.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pull {
    /// Force at the expected length, damping included [N].
    pub force: Vec3,
    /// Stiffness along the spring, for displacements beyond the expected ones [N/m].
    pub along: Mat3,
    /// Stiffness across the spring, for all displacements of its ends [N/m].
    pub across: Mat3,
    /// Stiffness of damping, along the spring [N/m].
    pub damping: Mat3,
}

impl Spring {
    /// Returns the pull on the first end. Relative to it, the second end is at `d`, moves by `expected` in the step
    /// [m], and has the velocity `rate` [m/s]. `beta` is the effective step [s].
    #[inline]
    pub fn pull(&self, d: &Vec3, expected: &Vec3, rate: &Vec3, beta: f64) -> Pull {
        let length = d.norm();
        if length <= POINT * self.rest {
            return Pull::default();
        }
        let along = d / length;
        let axis = along * along.transpose();
        if let Tension::Linear { stiffness, damping, jacobian: Jacobian::Isotropic } = self.tension {
            return Pull {
                force: along * (stiffness * (length - self.rest) + damping * along.dot(rate)),
                along: Mat3::zeros(),
                across: Mat3::from_diagonal_element(stiffness),
                damping: axis * (damping / beta),
            };
        }
        let [tension, slope, damping] = self.tension.at(self.rest, (length + along.dot(expected)).max(0.0));
        Pull {
            force: along * (tension + damping * along.dot(rate)),
            along: axis * self.tension.steepest(slope),
            across: (Mat3::identity() - axis) * (tension / length).max(0.0),
            damping: axis * (damping / beta),
        }
    }

    /// Returns the energy with the ends at `x` [J].
    pub fn energy(&self, x: &[Vec3; 2]) -> f64 {
        self.tension.energy(self.rest, (x[1] - x[0]).norm())
    }

    /// Returns the stiffness factor by its role. Bands have a stiffness of their own, which no key changes.
    fn stiffness_scale(&self, stiffness_scale: &StiffnessScales) -> f64 {
        match self.role {
            Role::Flexion => stiffness_scale.bend(&self.vertices),
            Role::Band => stiffness_scale.by_water(&self.vertices),
            _ => stiffness_scale.stretch(&self.vertices),
        }
    }

    /// Returns the energy in a shape.
    fn energy_in(&self, shape: &Shape) -> f64 {
        self.stiffness_scale(&shape.stiffness_scale) * self.energy(&pick(shape.x, &self.vertices))
    }
}

/// All springs.
#[derive(Clone, Copy, Debug)]
pub struct Springs<'a>(pub &'a [Spring]);

impl Springs<'_> {
    /// Returns the energy of the springs with `wanted` roles [J].
    pub fn energy(&self, shape: &Shape, wanted: impl Fn(Role) -> bool + Sync) -> f64 {
        let energy = |spring: &Spring| if wanted(spring.role) { spring.energy_in(shape) } else { 0.0 };
        par::sum(self.0.len(), |k| energy(&self.0[k]))
    }
}

impl Law for Springs<'_> {
    type Rows<T: Real> = Strung;

    fn name(&self) -> Name {
        Name::first("springs")
    }

    fn pairs(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.0.iter().for_each(|spring| couple_all(&spring.vertices, couple));
    }

    fn resists(&self, mark: &mut dyn FnMut(u32)) {
        let isotropic = |s: &&Spring| matches!(s.tension, Tension::Linear { jacobian: Jacobian::Isotropic, .. });
        self.0.iter().filter(isotropic).flat_map(|spring| spring.vertices).for_each(mark);
    }

    fn rows<T: Real>(&self, domain: &Domain<T>) -> Strung {
        let own = Own::of(domain);
        let held = |k: u32| {
            let spring = self.0[k as usize];
            let [a, b] = own.order(&spring.vertices).map(|k| spring.vertices[k]);
            let [v, w] = [a, b].map(|v| v as usize);
            let places = [[v, v], [v, w], [w, w]].map(|[a, b]| domain.place(a, b));
            Held { spring: Spring { vertices: [a, b], ..spring }, places }
        };
        Strung(own.near(self.0.len(), |k| self.0[k].vertices).into_iter().map(held).collect())
    }

    fn each_energy(&self, shape: &Shape, _memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        self.0.iter().for_each(|spring| add(spring.vertices[0], spring.energy_in(shape)));
    }
}

/// Springs that touch a subdomain.
pub struct Strung(Vec<Held>);

/// Spring in one subdomain. Its first end belongs to the subdomain.
struct Held {
    spring: Spring,
    /// Places of the blocks first-first, first-second, second-second.
    places: [u32; 3],
}

impl<T: Real> Rows<T> for Strung {
    fn add(&mut self, scheme: &Scheme, _memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        for Held { spring, places } in &self.0 {
            let [a, b] = spring.vertices.map(|v| v as usize);
            let between = |of: &dyn Fn(usize) -> Vec3| of(b) - of(a);
            let displacement = between(&|v| scheme.y[v]);
            let change = between(&|v| (scheme.velocity[v] - scheme.v[v]) * scheme.effective_dt[v]);
            let rate = between(&|v| scheme.damped(v));
            let pulled = spring.pull(&between(&|v| scheme.x[v]), &(displacement - change), &rate, scheme.beta);
            let stiffness_scale = spring.stiffness_scale(&scheme.stiffness_scale);
            let resistance = (pulled.along + pulled.across + pulled.damping) * stiffness_scale;
            let pull = (pulled.force + pulled.along * change + pulled.across * displacement) * stiffness_scale;
            force[a - domain.first] += pull;
            if let Some(force) = force.get_mut(b.wrapping_sub(domain.first)) {
                *force -= pull;
            }
            domain.add(places[0], &resistance);
            domain.add(places[1], &-resistance);
            domain.add(places[2], &resistance);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chords of arcs by their definition, from nearly straight to closed.
    #[test]
    fn an_arc_has_its_chord() {
        for a in [1e-6, 9e-4, 1.1e-3, 0.01, 0.3, 1.0, 2.0, 3.0, 3.13] {
            let chord = f64::sin(a) / a;
            let found = half_angle(chord);
            // Rounding of the chord is rounding of a^2/6.
            assert!((found - a).abs() < 4e-15 + 3.0 * f64::EPSILON / a, "{a}: {found}");
        }
        assert!((half_angle(0.0) - PI).abs() < 1e-14);
    }

    /// 12 kb/L^2 if straight, 4 pi^2 kb/L^2 if the ends meet. There is no jump where the series takes over.
    #[test]
    fn a_beam_has_its_closed_forms() {
        assert!((buckled(1.0 - 1e-12).0 + 12.0).abs() < 1e-10);
        assert!((buckled(0.0).0 + 4.0 * PI * PI).abs() < 1e-12);
        let at = f64::sin(1e-2) / 1e-2;
        let [below, above] = [at - 1e-9, at + 1e-9].map(buckled);
        // The series omits the fourth power of 0.01; 7.2 is the slope of a straight beam, to the second power.
        assert!((below.0 - above.0).abs() < 3e-8, "{below:?} {above:?}");
        assert!((below.1 - above.1).abs() < 3e-4 * above.1, "{below:?} {above:?}");
    }

    /// A compressed spring has the derivative of its force along itself, on and beyond the ramp, and zero across.
    #[test]
    fn a_beam_is_as_stiff_as_its_force_says() {
        let tension = Tension::beam(0.01, 1e-7, 15.0);
        let spring = Spring { vertices: [0, 1], rest: 0.01, tension, role: Role::Flexion, cloth: 0 };
        let along = Vec3::new(0.36, 0.48, 0.8);
        for length in [2e-4, 0.003, 0.007, 0.0098, 0.0099995] {
            let pull = |by: f64| tension.at(0.01, length + by);
            let slope = (pull(1e-8)[0] - pull(-1e-8)[0]) / 2e-8;
            assert!((slope - pull(0.0)[1]).abs() < 1e-6 * slope, "{length}: {slope} {:?}", pull(0.0));
            let pulled = spring.pull(&(along * length), &Vec3::zeros(), &Vec3::zeros(), 1.0);
            assert_eq!(pulled.across, Mat3::zeros());
            assert!((along.dot(&pulled.force) - pull(0.0)[0]).abs() < 1e-9 * pull(0.0)[0].abs());
            let energy = |by: f64| tension.energy(0.01, length + by);
            let force = (energy(1e-8) - energy(-1e-8)) / 2e-8;
            // Energies near 1e-5 J differ by 1e-8 m times the force: rounding leaves 1e-6 of it.
            assert!((force - pull(0.0)[0]).abs() < 1e-5 * force.abs(), "{length}: {force}");
        }
    }

    /// The ramp meets the beam at the buckling length. Force and energy are continuous there.
    #[test]
    fn a_ramp_ends_where_the_beam_gives_way() {
        let (rest, rigidity, ramp) = (0.02f64, 3e-8, 0.7);
        let tension = Tension::beam(rest, rigidity, ramp);
        let gives = gives_way(rigidity / rest.powi(3), ramp) * rest;
        assert!((tension.at(rest, gives)[0] - ramp * (gives - rest)).abs() < 1e-12 * rigidity / (rest * rest));
        let [low, high] = [-1e-9, 1e-9].map(|by| tension.energy(rest, gives + by));
        let slope = (high - low) / 2e-9;
        assert!((slope - tension.at(rest, gives)[0]).abs() < 1e-5 * slope.abs(), "{slope}");
    }
}
