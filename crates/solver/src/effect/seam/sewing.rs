//! Law of a seam: closing by a bounded force, then holding.

use crate::linalg::{Mat3, Vec3};

/// Stiffness of a seam per length [N/m^2]. It is that of cloth of 300 N/m and a centimetre.
pub const HELD: f64 = 3e4;

/// Tolerance of times [s].
pub(super) const SAME: f64 = 1e-9;
/// Part of its time by which a seam may be late.
const LATE: f64 = 0.25;

/// Way in which a seam holds once it has closed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Hold {
    /// Both sides become one row of vertices.
    #[default]
    Joined,
    /// Both sides stay apart, and are drawn together.
    Elastic {
        /// Force per length of the seam and opening [N/m^2].
        stiffness: f64,
        /// Force per length at which a pair breaks [N/m]; infinite if it never does.
        strength: f64,
    },
}

/// Seam in the making.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sewing {
    /// Name.
    pub name: String,
    /// Number among all seams.
    pub number: usize,
    /// Vertices of the world that meet. Both are the same once they are joined.
    pub pairs: Vec<[u32; 2]>,
    /// Length of the seam that belongs to each pair [m].
    pub lengths: Vec<f64>,
    /// Distance of each pair at the start [m].
    pub starts: Vec<f64>,
    /// Start after the start of the run [s].
    pub from: f64,
    /// Time in which the seam closes [s].
    pub over: f64,
    /// Largest force per length while it closes [N/m].
    pub force: f64,
    /// Way in which it holds.
    pub hold: Hold,
}

/// Phase of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Drawn to a rest length [m].
    Closing(f64),
    /// Held without a bound of the force.
    Held,
}

impl Hold {
    /// Returns the force per length and opening [N/m^2].
    pub fn stiffness(self) -> f64 {
        match self {
            Hold::Joined => HELD,
            Hold::Elastic { stiffness, .. } => stiffness,
        }
    }

    /// Returns the force per length at which a held pair breaks [N/m].
    pub fn strength(self) -> f64 {
        match self {
            Hold::Joined => f64::INFINITY,
            Hold::Elastic { strength, .. } => strength,
        }
    }
}

impl Sewing {
    /// Returns the part of the initial distance that is left at a time after the start of the run.
    pub fn left(&self, time: f64) -> f64 {
        let part = ((time - self.from) / self.over.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        1.0 - part * part * (3.0 - 2.0 * part)
    }

    /// Returns whether the seam has had its time, and a quarter of it.
    pub fn is_late(&self, time: f64) -> bool {
        time + SAME >= self.from + (1.0 + LATE) * self.over
    }

    /// Returns the force on the first vertex of a pair [N] and its stiffness [N/m], for the vector `d` from the second
    /// to the first vertex and a seam of this `length` [m].
    pub fn tie(&self, d: Vec3, length: f64, phase: Phase) -> (Vec3, Mat3) {
        let gap = d.norm();
        let rest = if let Phase::Closing(rest) = phase { rest } else { 0.0 };
        if gap <= rest {
            return (Vec3::zeros(), Mat3::zeros());
        }
        let stiffness = self.hold.stiffness() * length;
        let along = d / gap;
        let beyond = stiffness * (gap - rest);
        let force = if phase == Phase::Held { beyond } else { beyond.min(self.force * length) };
        // Across the tie a force turns with it. Along the tie a bounded force does not grow. It vanishes at the rest
        // length, so that its secant lets no step draw light vertices far beyond.
        let (across, own) = (force / gap, if force < beyond { force / (gap - rest) } else { stiffness });
        let outer = along * along.transpose();
        (along * -force, (Mat3::identity() - outer) * across + outer * own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seam() -> Sewing {
        Sewing { from: 0.2, over: 1.0, force: 5.0, ..Sewing::default() }
    }

    #[test]
    fn the_distance_falls_from_the_start_to_zero() {
        let left = [0.0, 0.2, 0.7, 1.2, 2.0].map(|t| seam().left(t));
        assert!(left.iter().zip([1.0, 1.0, 0.5, 0.0, 0.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{left:?}");
    }

    /// The force is bounded until the pair is held. Its derivative is the negative stiffness; along the tie a bounded
    /// force has the secant that vanishes at the rest length.
    #[test]
    fn a_tie_pulls_with_a_bounded_force() {
        let (length, d) = (0.01, Vec3::new(0.03, 0.0, 0.04));
        let (force, stiffness) = seam().tie(d, length, Phase::Closing(0.02));
        assert!((force + d / 0.05 * 5.0 * length).norm() < 1e-12);
        assert!((force + stiffness * (d / 0.05 * 0.03)).norm() < 1e-12, "{force} {stiffness}");
        assert_eq!(seam().tie(d, length, Phase::Closing(0.06)).0, Vec3::zeros());
        let along = d * d.transpose() / 0.05f64.powi(2);
        for (phase, secant) in
            [(Phase::Held, 0.0), (Phase::Closing(0.05 - 1e-5), 0.0), (Phase::Closing(0.02), 5.0 * length / 0.03)]
        {
            let (force, stiffness) = seam().tie(d, length, phase);
            let tangent = stiffness - along * secant;
            for k in 0..3 {
                let mut by = Vec3::zeros();
                by[k] = 1e-8;
                let change = (seam().tie(d + by, length, phase).0 - force) / 1e-8;
                let bound = 1e-5 * (stiffness.norm() + 1.0);
                assert!((change + tangent.column(k)).norm() < bound, "{phase:?}: {change} {tangent}");
            }
        }
    }

    /// An elastic seam opens by its load over its stiffness.
    #[test]
    fn an_elastic_seam_has_its_own_stiffness() {
        let seam = Sewing { hold: Hold::Elastic { stiffness: 1e4, strength: 50.0 }, ..seam() };
        let (force, _) = seam.tie(Vec3::x() * 2e-3, 0.01, Phase::Held);
        assert!((force.x + 1e4 * 0.01 * 2e-3).abs() < 1e-12, "{force}");
    }
}
