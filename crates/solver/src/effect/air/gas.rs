//! Air inside a closed cloth.
//!
//! The pressure `P` is uniform, since sound crosses a balloon within a step. The energy is `Q = P V`, mass times the
//! square of the isothermal speed of sound, in the volume `V` that the triangles enclose. Air leaks through the cloth,
//! of the area `A` at rest, at the speed `w` driven by the excess `p = P - P_atm` (`effect::permeability`). The supply
//! lets air in:
//!
//! `dQ/dt = -A P_atm w(p) + source`, by backward Euler `V p + h A P_atm w(p) = Q - P_atm V + h source`.
//!
//! The motion treats it as an air layer (`equation`). The excess is predicted for free flight. There a growing volume
//! has its new size; a shrinking one keeps its size and gets the energy of the compression. The force is `p grad V`.
//! Its change by a deviation of the volume from free flight is the rank-one stiffness `k grad V grad V^T`,
//! `k = P/(V + h g)`, with `g = A P_atm dw/dp`. This is the full derivative of the prediction, so nothing is to be
//! added as in `stiffness`. Where the volume grows more than expected, the true response is smaller by the growth of
//! `V`. After the step the pressure follows from the final volume. Sealed air is conserved to rounding.
//!
//! The rotation of `grad V` with the surface beyond free flight, `p` times the second derivative of `V`, is left out.
//! This term is indefinite, and of the order of `p` times an edge. The tension `p R/2` that the pressure causes in the
//! cloth is in the matrix.

use crate::effect::permeability::PermeabilityLaw;
use crate::linalg::{Vec3, par};

/// Lower bound of the mean thickness of the air in a balloon [m]. A flat balloon would have no volume.
const LEAST: f64 = 1e-4;
/// Largest supply beside leakage, as a multiple of the rate of uniform filling.
const HASTE: f64 = 2.0;

/// Source of the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Supply {
    /// No supply: the air is that of the start.
    None,
    /// Excess over atmospheric pressure that rises to `excess` [Pa] in `duration` [s] and is then held.
    Held {
        /// Excess over atmospheric pressure [Pa].
        excess: f64,
        /// Duration of the rise [s].
        duration: f64,
    },
    /// Supply that makes the volume grow uniformly to `times` the initial volume in `duration` [s]. Then the valve
    /// closes.
    Filled {
        /// Volume over the initial volume, at least 1.
        times: f64,
        /// Duration of the growth [s].
        duration: f64,
    },
}

/// Constants of a balloon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chamber {
    /// Atmospheric pressure [Pa].
    pub atmosphere: f64,
    /// Permeability of the cloth.
    pub through: PermeabilityLaw,
    /// Source of the air.
    pub supply: Supply,
    /// Area of the cloth at rest [m^2].
    pub area: f64,
    /// Volume at the start [m^3].
    pub start: f64,
}

/// State of the air of a balloon.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inside {
    /// Pressure times volume [J].
    pub energy: f64,
    /// Excess over atmospheric pressure [Pa].
    pub excess: f64,
}

/// Prediction for free flight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// Excess over atmospheric pressure [Pa].
    pub excess: f64,
    /// Decrease of the pressure with the volume [Pa/m^3].
    pub stiffness: f64,
}

impl Chamber {
    fn counts(&self, volume: f64) -> f64 {
        volume.max(0.5 * self.area * LEAST)
    }

    /// Returns the excess over atmospheric pressure that is held at a time [Pa]. `None` without a held pressure.
    pub fn held(&self, time: f64) -> Option<f64> {
        match self.supply {
            Supply::Held { excess, duration } => Some(excess * (time / duration).min(1.0)),
            _ => None,
        }
    }

    /// Returns still air at atmospheric pressure in a volume [m^3].
    pub fn still(&self, volume: f64) -> Inside {
        Inside { energy: self.atmosphere * self.counts(volume), ..Inside::default() }
    }

    /// Returns the energy of the air let in during a step of size `h` [s] to the time `end` [s] [J]. `volume` is that
    /// at the start of the step [m^3]. The supply covers the missing volume and the leakage. Only the part of the step
    /// before the valve closes counts.
    pub fn source(&self, inside: &Inside, volume: f64, end: f64, h: f64) -> f64 {
        let Supply::Filled { times, duration } = self.supply else { return 0.0 };
        let open = (duration - (end - h)).min(h);
        if open <= 0.0 {
            return 0.0;
        }
        let grows = (times - 1.0) * self.counts(self.start);
        let wanted = self.counts(self.start) + grows * (end / duration).min(1.0);
        let missing = (wanted - self.counts(volume)) * (self.atmosphere + inside.excess).max(0.0);
        let most = HASTE * grows * open / duration * self.atmosphere;
        let leaks = open * self.area * self.atmosphere * self.through.secant(inside.excess) * inside.excess;
        (missing.min(most) + leaks).max(0.0)
    }

    /// Returns the volume over the target volume [-]. `None` unless the valve closes in the step of size `h` [s] to the
    /// time `end` [s].
    pub fn reached(&self, volume: f64, end: f64, h: f64) -> Option<f64> {
        let Supply::Filled { times, duration } = self.supply else { return None };
        (end - h < duration && duration <= end).then(|| self.counts(volume) / (times * self.counts(self.start)))
    }

    /// Predicts the pressure for the volume `now` and that after free flight, `predicted` [m^3], with the supply
    /// `source` [J] and the excess that is `held`, if any [Pa].
    pub fn foresee(&self, inside: &Inside, [now, predicted]: [f64; 2], source: f64, held: Option<f64>, h: f64) -> Push {
        if let Some(excess) = held {
            return Push { excess, stiffness: 0.0 };
        }
        let Chamber { atmosphere, through, area, .. } = *self;
        let before = (atmosphere + inside.excess).max(0.0);
        let (now, predicted) = (self.counts(now), self.counts(predicted));
        let volume = now.max(predicted);
        let energy = inside.energy + source + before * (volume - predicted);
        // Linear part of the leak through the cloth, and its remainder.
        let tangent = through.tangent(inside.excess);
        let beside = (through.secant(inside.excess) - tangent) * inside.excess;
        let holds = volume + h * area * atmosphere * tangent;
        let excess = (energy - atmosphere * volume - h * area * atmosphere * beside) / holds;
        Push { excess, stiffness: before.max(atmosphere + excess) / holds }
    }

    /// Advances the air by a step of size `h` [s]. `volume` is that at the end [m^3], `source` the supply [J], `held`
    /// the excess that is held, if any [Pa].
    pub fn advance(&self, inside: &mut Inside, volume: f64, source: f64, held: Option<f64>, h: f64) {
        let Chamber { atmosphere, through, area, .. } = *self;
        let counts = self.counts(volume);
        if let Some(excess) = held {
            *inside = Inside { energy: (atmosphere + excess) * counts, excess };
            return;
        }
        inside.energy += source;
        let surplus = inside.energy - atmosphere * counts;
        if through.permeance == 0.0 {
            inside.excess = surplus / counts;
        } else {
            let flow = h * area * atmosphere;
            inside.excess = through.balance(counts, flow, surplus);
            inside.energy -= flow * through.secant(inside.excess) * inside.excess;
        }
    }
}

/// Returns the volume enclosed by triangles [m^3]. Positive if they are counterclockwise seen from outside.
pub fn volume(triangles: &[[u32; 3]], at: impl Fn(usize) -> Vec3 + Sync) -> f64 {
    // Relative to a point near by, to avoid cancellation far from the origin.
    let Some(first) = triangles.first().map(|t| at(t[0] as usize)) else { return 0.0 };
    par::sum(triangles.len(), |t| {
        let [a, b, c] = triangles[t].map(|v| at(v as usize) - first);
        a.dot(&b.cross(&c)) / 6.0
    })
}

/// Returns a triangle's part of the volume gradient at each of its vertices [m^2]: a third of its area vector. The sum
/// is the gradient if all triangles around the vertex take part.
pub fn third([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a)) / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::sphere;

    #[test]
    fn the_gradient_is_that_of_the_volume_and_pushes_nothing_as_a_whole() {
        let mut mesh = sphere(Vec3::new(300.0, -20.0, 5.0), 0.1, 0.03);
        mesh.positions.iter_mut().for_each(|p| p.y += 0.3 * p.x * p.z / 300.0);
        let x = &mesh.positions;
        let mut gradient = vec![Vec3::zeros(); x.len()];
        for t in &mesh.triangles {
            let part = third(t.map(|v| x[v as usize]));
            t.iter().for_each(|v| gradient[*v as usize] += part);
        }
        let by = |v: usize| Vec3::new((v as f64).sin(), (3.0 * v as f64).cos(), (7.0 * v as f64).sin()) * 1e-5;
        let volume_at = |s: f64| volume(&mesh.triangles, |v| x[v] + by(v) * s);
        let slope: f64 = gradient.iter().enumerate().map(|(v, g)| g.dot(&by(v))).sum();
        assert!(((volume_at(1.0) - volume_at(-1.0)) / 2.0 / slope - 1.0).abs() < 1e-6);
        let (all, each): (Vec3, f64) = (gradient.iter().sum(), gradient.iter().map(Vec3::norm).sum());
        assert!(all.norm() < 1e-13 * each, "{all}");
    }

    fn chamber(through: PermeabilityLaw, supply: Supply) -> Chamber {
        Chamber { atmosphere: 101_325.0, through, supply, area: 0.12, start: 4e-3 }
    }

    /// The stiffness is no less than the derivative of the predicted excess, at any change of volume, step and
    /// permeability.
    #[test]
    fn its_stiffness_is_no_less_than_what_is_stable() {
        for (permeance, inertia) in [(0.0, 0.0), (1e-6, 0.0), (1e-3, 0.0), (1e-4, 1e4), (f64::INFINITY, 1e3)] {
            let chamber = chamber(PermeabilityLaw { permeance, inertia }, Supply::None);
            for (h, excess) in [(1e-4, 0.0), (2e-3, 2e3), (1e-2, -500.0)] {
                let inside = Inside { energy: (101_325.0 + excess) * 4e-3, excess };
                for part in [-2.0, -0.5, -1e-3, 1e-3, 0.5, 2.0] {
                    let at = |part: f64| chamber.foresee(&inside, [4e-3, 4e-3 * (1.0 + part)], 0.0, None, h);
                    let (push, step) = (at(part), 1e-6);
                    let slope = (at(part - step).excess - at(part + step).excess) / (2.0 * step * 4e-3);
                    assert!(push.stiffness > 0.999 * slope && slope >= 0.0, "{part}: {push:?}, {slope}");
                    // The prediction equals the result up to second order: the change of the excess over the pressure,
                    // 2 % at most.
                    if part.abs() == 1e-3 && inertia == 0.0 {
                        let mut after = inside;
                        chamber.advance(&mut after, 4e-3 * (1.0 + part), 0.0, None, h);
                        assert!((after.excess - push.excess).abs() < 0.02 * 1e-3 * 101_325.0, "{after:?} {push:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_leaves_is_missing_and_what_is_held_is_there() {
        let leaky = chamber(PermeabilityLaw { permeance: 1e-4, inertia: 1e5 }, Supply::None);
        let mut inside = Inside { energy: 102_325.0 * 4e-3, excess: 1000.0 };
        for _ in 0..50 {
            leaky.advance(&mut inside, 4e-3, 0.0, None, 1e-3);
            assert!((inside.energy / ((101_325.0 + inside.excess) * 4e-3) - 1.0).abs() < 1e-12, "{inside:?}");
        }
        assert!(inside.excess > 0.0 && inside.excess < 200.0, "{inside:?}");
        let held = chamber(PermeabilityLaw::darcy(1.0, 200.0), Supply::Held { excess: 2e3, duration: 0.5 });
        for (end, excess) in [(0.25, 1e3), (0.5, 2e3), (3.0, 2e3)] {
            assert_eq!(held.foresee(&inside, [4e-3, 5e-3], 0.0, held.held(end), 1e-3), Push { excess, stiffness: 0.0 });
            held.advance(&mut inside, 5e-3, 0.0, held.held(end), 1e-3);
            assert_eq!((inside.excess, inside.energy), (excess, (101_325.0 + excess) * 5e-3));
        }
    }

    /// The supply has the requested rate, at most twice that rate beside leakage. It ends when the valve closes, at any
    /// volume.
    #[test]
    fn air_is_let_in_until_the_valve_is_shut() {
        let filled = chamber(PermeabilityLaw::darcy(0.0, 200.0), Supply::Filled { times: 1.5, duration: 1.0 });
        let mut inside = filled.still(4e-3);
        assert!((filled.source(&inside, 4e-3, 0.01, 0.01) / (2e-5 * 101_325.0) - 1.0).abs() < 1e-9);
        assert!((filled.source(&inside, 4e-3, 0.9, 0.01) / (4e-5 * 101_325.0) - 1.0).abs() < 1e-9);
        assert_eq!(filled.source(&inside, 5.5e-3, 0.7, 0.01), 0.0);
        assert!(filled.source(&inside, 5.9e-3, 1.0, 0.01) > 0.0);
        assert_eq!(filled.source(&inside, 5.9e-3, 1.01, 0.01), 0.0);
        // A step with the valve open for a fourth of it lets in a fourth.
        assert!((filled.source(&inside, 4e-3, 1.0075, 0.01) / (1e-5 * 101_325.0) - 1.0).abs() < 1e-9);
        let leaky = chamber(PermeabilityLaw::darcy(1e-3, 200.0), filled.supply);
        inside.excess = 400.0;
        let leaks = 0.12 * 101_325.0 * 2e-3 * 0.01;
        assert!((leaky.source(&inside, 6e-3, 1.0, 0.01) / leaks - 1.0).abs() < 1e-9);
        assert_eq!(
            [0.99, 1.0, 1.004, 1.02].map(|end| leaky.reached(5.7e-3, end, 0.01).is_some()),
            [false, true, true, false]
        );
        assert!(leaky.reached(5.7e-3, 1.0, 0.01).is_some_and(|part| (part - 0.95).abs() < 1e-12));
    }
}
