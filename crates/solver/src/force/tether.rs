//! Tethers: elastic cords from vertices to fixed points, which pull and never push.
//!
//! `E = k/2 (l - l0)^2` where the cord is longer than `l0 = r + s (m - r)`, else zero. The cord has length `l`, initial
//! length `r`, and longest length so far `m >= r`. The permanent set `s` is the part of its stretch that stays (0:
//! none). With `d` the unit vector to the vertex, the force is `-k (l - l0) d`. The stiffness is
//! `k (d d^T + (1 - l0/l) (I - d d^T))`, positive semidefinite. Memory is `m`, which changes at the end of a step.

use super::scheme::{Scheme, Shape};
use super::term::{Channel, Law, Name, Own, Rows, Shown};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Mat3, Vec3};

/// Entry of tethers in statistics, files and pictures.
pub const SHOWN: Shown = Shown {
    name: Name::first("tether"),
    energy: "Of tethers.",
    channels: &[Channel {
        word: "tether_stretch",
        label: "tether",
        unit: "",
        sentence: "Largest stretch that the vertex's tethers have had, as a part of their lengths.",
    }],
};

/// A cord.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cord {
    /// Vertex that the cord pulls.
    pub vertex: u32,
    /// Fixed end [m].
    pub point: Vec3,
    /// Initial length [m].
    pub length: f64,
    /// Force per stretch [N/m].
    pub stiffness: f64,
    /// Part of the longest stretch that stays, 0 to 1.
    pub set: f64,
}

impl Cord {
    /// Returns the length above which the cord pulls, after it has been `longest` long [m].
    fn slack(&self, longest: f64) -> f64 {
        self.length + self.set * (longest - self.length).max(0.0)
    }

    /// Returns the energy with the vertex at `x` [J].
    pub fn energy(&self, x: &Vec3, longest: f64) -> f64 {
        0.5 * self.stiffness * ((x - self.point).norm() - self.slack(longest)).max(0.0).powi(2)
    }

    /// Returns force on the vertex at `x` [N] and stiffness [N/m]; `None` if the cord is slack.
    pub fn pull(&self, x: &Vec3, longest: f64) -> Option<(Vec3, Mat3)> {
        let (away, slack) = (x - self.point, self.slack(longest));
        let length = away.norm();
        (length > slack && length > 0.0).then(|| {
            let along = away / length;
            let across = Mat3::identity() - along * along.transpose();
            let stiffness = (along * along.transpose() + across * (1.0 - slack / length)) * self.stiffness;
            (-along * (self.stiffness * (length - slack)), stiffness)
        })
    }
}

/// All tethers. The memory is the longest length of each so far [m].
#[derive(Clone, Debug, PartialEq)]
pub struct Tethers(pub Vec<Cord>);

impl Law for Tethers {
    type Rows<T: Real> = Tethered;

    fn name(&self) -> Name {
        SHOWN.name
    }

    fn holds(&self, hold: &mut dyn FnMut(u32)) {
        self.0.iter().for_each(|cord| hold(cord.vertex));
    }

    fn rows<T: Real>(&self, domain: &Domain<T>) -> Tethered {
        let own = Own::of(domain);
        Tethered(self.0.iter().copied().enumerate().filter(|(_, cord)| own.touches(&[cord.vertex])).collect())
    }

    fn each_energy(&self, shape: &Shape, memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        for (cord, longest) in self.0.iter().zip(memory) {
            add(cord.vertex, cord.energy(&shape.x[cord.vertex as usize], *longest));
        }
    }

    fn memory(&self, x: &[Vec3]) -> Vec<f64> {
        let mut memory: Vec<f64> = self.0.iter().map(|cord| cord.length).collect();
        self.commit(x, &mut memory);
        memory
    }

    fn commit(&self, x: &[Vec3], memory: &mut [f64]) {
        for (cord, longest) in self.0.iter().zip(memory) {
            *longest = longest.max((x[cord.vertex as usize] - cord.point).norm());
        }
    }

    fn channel(&self, _word: &str, _x: &[Vec3], memory: &[f64], values: &mut [f64]) {
        for (cord, longest) in self.0.iter().zip(memory) {
            let value = &mut values[cord.vertex as usize];
            *value = value.max(longest / cord.length - 1.0);
        }
    }
}

/// Tethers of a subdomain's vertices, with their indices among all tethers.
pub struct Tethered(Vec<(usize, Cord)>);

impl<T: Real> Rows<T> for Tethered {
    fn add(&mut self, scheme: &Scheme, memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        for (k, cord) in &self.0 {
            let v = cord.vertex as usize;
            if let Some((pull, stiffness)) = cord.pull(&scheme.x[v], memory[*k]) {
                let row = v - domain.first;
                force[row] += pull - stiffness * scheme.y[v];
                domain.add(row as u32, &stiffness);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central differences over 1e-5 of the length are of second order: 1e-9 of the force. A slack cord exerts no
    /// force.
    #[test]
    fn the_force_is_minus_the_gradient_of_the_energy() {
        let cord = Cord { vertex: 0, point: Vec3::new(0.1, 0.2, -0.1), length: 0.5, stiffness: 30.0, set: 0.4 };
        for (x, longest) in [(Vec3::new(0.7, 0.9, 0.2), 0.5), (Vec3::new(0.9, -0.4, 0.4), 0.9)] {
            let (force, stiffness) = cord.pull(&x, longest).unwrap();
            let h = 5e-6;
            for a in 0..3 {
                let step = Vec3::from_fn(|i, _| if i == a { h } else { 0.0 });
                let slope = (cord.energy(&(x + step), longest) - cord.energy(&(x - step), longest)) / (2.0 * h);
                assert!((force[a] + slope).abs() < 1e-8 * force.norm(), "{a}: {} {slope}", force[a]);
                let change = cord.pull(&(x + step), longest).unwrap().0 - cord.pull(&(x - step), longest).unwrap().0;
                assert!((change / (2.0 * h) + stiffness.column(a)).norm() < 1e-6 * cord.stiffness);
            }
        }
        assert_eq!(cord.pull(&Vec3::new(0.1, 0.6, -0.1), 0.5), None);
        // A stretch by 0.5 leaves a set of 0.2, so the cord is slack at 0.69.
        assert_eq!(cord.pull(&Vec3::new(0.1, 0.89, -0.1), 1.0), None);
    }
}
