//! The air inside a closed cloth.
//!
//! It has one pressure `P` everywhere, for sound crosses a balloon within a step; its energy is `Q = P V` (mass times the square of the
//! isothermal speed of sound) in the volume `V` that the triangles enclose. Air goes through the cloth, of the area `A` at rest, at the
//! speed `w` that the excess `p = P - P_atm` drives (`effect::permeability`), and is let in by what fills the balloon:
//!
//! `dQ/dt = -A P_atm w(p) + source`, by backward Euler `V p + h A P_atm w(p) = Q - P_atm V + h source`.
//!
//! The motion sees it as a layer of air (`field::air`): the excess is foreseen for free flight, where a volume that grows has its new
//! size and one that shrinks keeps the old and gets the air that is squeezed; it pushes by `p grad V`, and what it changes by when the
//! volume does otherwise is the stiffness `k grad V grad V^T`, `k = P/(V + h g)`, of rank one, with `g = A P_atm dw/dp`. That is all of
//! what the next step will foresee, not a part, so `field::stiffness` has nothing to add: where the volume grows more than expected the
//! answer is less than this by the growth of `V`. After the step the pressure is found from the volume that came out, and sealed air is
//! kept to the last digit.
//!
//! Left out is how `grad V` turns with the surface beyond free flight, `p` times the second derivative of `V`: it is not positive, and of
//! the order of `p` times an edge, where the tension `p R/2` that the pressure makes in the cloth is in the matrix.

use crate::effect::permeability::Through;
use crate::linalg::{Vec3, par};

/// Least thickness of the air between both sides of a balloon that counts, on average [m]: of a flat one the volume would be none.
const LEAST: f64 = 1e-4;
/// Most air that is let in beside what leaks, as a multiple of what would fill the balloon evenly.
const HASTE: f64 = 2.0;

/// Where air comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Supply {
    /// Nowhere: it is what was there at the start.
    None,
    /// Its pressure above that of the atmosphere rises to `excess` [Pa] in `duration` [s] and is held there.
    Held {
        /// Pressure above that of the atmosphere [Pa].
        excess: f64,
        /// Time in which it is reached [s].
        duration: f64,
    },
    /// Air is let in so that the volume grows evenly to `times` that at the start in `duration` [s]; then the valve is shut.
    Filled {
        /// Volume over that at the start, at least 1.
        times: f64,
        /// Time in which it is reached [s].
        duration: f64,
    },
}

/// What is constant of a balloon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chamber {
    /// Pressure of the atmosphere [Pa].
    pub atmosphere: f64,
    /// How air goes through the cloth.
    pub through: Through,
    /// Where air comes from.
    pub supply: Supply,
    /// Area of the cloth at rest [m^2].
    pub area: f64,
    /// Volume at the start [m^3].
    pub start: f64,
}

/// The air of a balloon at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inside {
    /// Pressure times volume [J].
    pub energy: f64,
    /// Pressure above that of the atmosphere [Pa].
    pub excess: f64,
}

/// What is foreseen for free flight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Push {
    /// Pressure above that of the atmosphere [Pa].
    pub excess: f64,
    /// What it falls by as the volume grows [Pa/m^3].
    pub stiffness: f64,
}

impl Chamber {
    fn counts(&self, volume: f64) -> f64 {
        volume.max(0.5 * self.area * LEAST)
    }

    /// Pressure above that of the atmosphere at which it is held at a time [Pa]; none where it is not.
    pub fn held(&self, time: f64) -> Option<f64> {
        match self.supply {
            Supply::Held { excess, duration } => Some(excess * (time / duration).min(1.0)),
            _ => None,
        }
    }

    /// Still, at the pressure of the atmosphere, in a volume [m^3].
    pub fn still(&self, volume: f64) -> Inside {
        Inside { energy: self.atmosphere * self.counts(volume), ..Inside::default() }
    }

    /// Air let in in a step of size `h` [s] that ends at the time `end` [s], from a volume [m^3] [J]: what is missing of the volume
    /// that is wanted, and what leaks meanwhile. Of the step counts what is left until the valve is shut.
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

    /// The volume over that asked for, where the valve is shut in a step of size `h` [s] to the time `end` [s] [-].
    pub fn reached(&self, volume: f64, end: f64, h: f64) -> Option<f64> {
        let Supply::Filled { times, duration } = self.supply else { return None };
        (end - h < duration && duration <= end).then(|| self.counts(volume) / (times * self.counts(self.start)))
    }

    /// What is foreseen where the volume is `now` and `flight` after free flight [m^3], and `source` [J] comes in.
    pub fn foresee(&self, inside: &Inside, [now, flight]: [f64; 2], source: f64, end: f64, h: f64) -> Push {
        if let Some(excess) = self.held(end) {
            return Push { excess, stiffness: 0.0 };
        }
        let Chamber { atmosphere, through, area, .. } = *self;
        let before = (atmosphere + inside.excess).max(0.0);
        let (now, flight) = (self.counts(now), self.counts(flight));
        let volume = now.max(flight);
        let energy = inside.energy + source + before * (volume - flight);
        // The tangent of what goes through the cloth, and what it has beside that.
        let tangent = through.tangent(inside.excess);
        let beside = (through.secant(inside.excess) - tangent) * inside.excess;
        let holds = volume + h * area * atmosphere * tangent;
        let excess = (energy - atmosphere * volume - h * area * atmosphere * beside) / holds;
        Push { excess, stiffness: before.max(atmosphere + excess) / holds }
    }

    /// The air after a step of size `h` [s] to the time `end` [s] and a volume [m^3], in which `source` [J] came in.
    pub fn advance(&self, inside: &mut Inside, volume: f64, source: f64, end: f64, h: f64) {
        let Chamber { atmosphere, through, area, .. } = *self;
        let counts = self.counts(volume);
        if let Some(excess) = self.held(end) {
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

/// Volume that triangles enclose, positive where they are seen counterclockwise from outside [m^3].
pub fn volume(triangles: &[[u32; 3]], at: impl Fn(usize) -> Vec3 + Sync) -> f64 {
    // From a point near by, so that no digits are lost far from the origin.
    let Some(first) = triangles.first().map(|t| at(t[0] as usize)) else { return 0.0 };
    par::sum(triangles.len(), |t| {
        let [a, b, c] = triangles[t].map(|v| at(v as usize) - first);
        a.dot(&b.cross(&c)) / 6.0
    })
}

/// Part of the volume's gradient that a triangle gives to each of its vertices, a third of its area along its normal, where all around the
/// vertex are there [m^2].
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
        let moved = |s: f64| volume(&mesh.triangles, |v| x[v] + by(v) * s);
        let slope: f64 = gradient.iter().enumerate().map(|(v, g)| g.dot(&by(v))).sum();
        assert!(((moved(1.0) - moved(-1.0)) / 2.0 / slope - 1.0).abs() < 1e-6);
        let (all, each): (Vec3, f64) = (gradient.iter().sum(), gradient.iter().map(Vec3::norm).sum());
        assert!(all.norm() < 1e-13 * each, "{all}");
    }

    fn chamber(through: Through, supply: Supply) -> Chamber {
        Chamber { atmosphere: 101_325.0, through, supply, area: 0.12, start: 4e-3 }
    }

    /// `K'` is no less than what the excess foreseen falls by, at any change of volume, step and permeability.
    #[test]
    fn its_stiffness_is_no_less_than_what_is_stable() {
        for (permeance, inertia) in [(0.0, 0.0), (1e-6, 0.0), (1e-3, 0.0), (1e-4, 1e4), (f64::INFINITY, 1e3)] {
            let chamber = chamber(Through { permeance, inertia }, Supply::None);
            for (h, excess) in [(1e-4, 0.0), (2e-3, 2e3), (1e-2, -500.0)] {
                let inside = Inside { energy: (101_325.0 + excess) * 4e-3, excess };
                for part in [-2.0, -0.5, -1e-3, 1e-3, 0.5, 2.0] {
                    let at = |part: f64| chamber.foresee(&inside, [4e-3, 4e-3 * (1.0 + part)], 0.0, h, h);
                    let (push, step) = (at(part), 1e-6);
                    let slope = (at(part - step).excess - at(part + step).excess) / (2.0 * step * 4e-3);
                    assert!(push.stiffness > 0.999 * slope && slope >= 0.0, "{part}: {push:?}, {slope}");
                    // It is what comes out but for the second order: the change of the excess over the pressure, 2 % at most.
                    if part.abs() == 1e-3 && inertia == 0.0 {
                        let mut after = inside;
                        chamber.advance(&mut after, 4e-3 * (1.0 + part), 0.0, h, h);
                        assert!((after.excess - push.excess).abs() < 0.02 * 1e-3 * 101_325.0, "{after:?} {push:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_leaves_is_missing_and_what_is_held_is_there() {
        let leaky = chamber(Through { permeance: 1e-4, inertia: 1e5 }, Supply::None);
        let mut inside = Inside { energy: 102_325.0 * 4e-3, excess: 1000.0 };
        for _ in 0..50 {
            leaky.advance(&mut inside, 4e-3, 0.0, 0.0, 1e-3);
            assert!((inside.energy / ((101_325.0 + inside.excess) * 4e-3) - 1.0).abs() < 1e-12, "{inside:?}");
        }
        assert!(inside.excess > 0.0 && inside.excess < 200.0, "{inside:?}");
        let held = chamber(Through::darcy(1.0, 200.0), Supply::Held { excess: 2e3, duration: 0.5 });
        for (end, excess) in [(0.25, 1e3), (0.5, 2e3), (3.0, 2e3)] {
            assert_eq!(held.foresee(&inside, [4e-3, 5e-3], 0.0, end, 1e-3), Push { excess, stiffness: 0.0 });
            held.advance(&mut inside, 5e-3, 0.0, end, 1e-3);
            assert_eq!((inside.excess, inside.energy), (excess, (101_325.0 + excess) * 5e-3));
        }
    }

    /// As fast as asked, at most twice as fast beside what leaks, and never after the valve is shut, of whatever volume.
    #[test]
    fn air_is_let_in_until_the_valve_is_shut() {
        let filled = chamber(Through::darcy(0.0, 200.0), Supply::Filled { times: 1.5, duration: 1.0 });
        let mut inside = filled.still(4e-3);
        assert!((filled.source(&inside, 4e-3, 0.01, 0.01) / (2e-5 * 101_325.0) - 1.0).abs() < 1e-9);
        assert!((filled.source(&inside, 4e-3, 0.9, 0.01) / (4e-5 * 101_325.0) - 1.0).abs() < 1e-9);
        assert_eq!(filled.source(&inside, 5.5e-3, 0.7, 0.01), 0.0);
        assert!(filled.source(&inside, 5.9e-3, 1.0, 0.01) > 0.0);
        assert_eq!(filled.source(&inside, 5.9e-3, 1.01, 0.01), 0.0);
        // A fourth of a step with the valve open lets in a fourth.
        assert!((filled.source(&inside, 4e-3, 1.0075, 0.01) / (1e-5 * 101_325.0) - 1.0).abs() < 1e-9);
        let leaky = chamber(Through::darcy(1e-3, 200.0), filled.supply);
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
