//! Prescribed motion as a function of time alone: keyframes, rotation about an axis, recorded paths.

use super::glide::Glide;
use super::recording::{Recording, bracket};
use crate::linalg::{Rotation, UnitVec3, Vec3};

/// A rigid displacement `p -> rotation (p - origin) + origin + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    /// Rotation about `origin`.
    pub rotation: Rotation,
    /// Centre of the rotation [m].
    pub origin: Vec3,
    /// Translation after the rotation [m].
    pub translation: Vec3,
}

impl Rigid {
    /// Returns the zero displacement.
    pub fn identity() -> Rigid {
        Rigid { rotation: Rotation::identity(), origin: Vec3::zeros(), translation: Vec3::zeros() }
    }

    /// Returns the displaced point.
    pub fn apply(&self, p: &Vec3) -> Vec3 {
        self.rotation * (p - self.origin) + self.origin + self.translation
    }

    /// Returns the point that `apply` maps to `p`.
    pub fn invert(&self, p: &Vec3) -> Vec3 {
        self.rotation.inverse() * (p - self.origin - self.translation) + self.origin
    }
}

/// Pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// Time [s].
    pub time: f64,
    /// Rotation vector about `origin`: axis times angle [rad].
    pub turn: Vec3,
    /// Centre of the rotation [m].
    pub origin: Vec3,
    /// Translation after the rotation [m].
    pub translation: Vec3,
}

/// Prescribed motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// No motion.
    Fixed,
    /// Poses at ascending times, with linear interpolation of rotation vector and translation. The first and last pose
    /// hold outside their times.
    Keyframes(Vec<Keyframe>),
    /// Rotation at constant speed.
    Rotation {
        /// Axis through `origin`.
        axis: UnitVec3,
        /// Point on the axis [m].
        origin: Vec3,
        /// Angular speed [rad/s].
        speed: f64,
        /// Start of the rotation [s].
        from: f64,
        /// End of the rotation [s].
        until: f64,
    },
    /// Recorded path of a point: displacement from its first sample, linear between samples.
    Path(Vec<(f64, Vec3)>),
    /// Recorded positions of each vertex of a pin, used as displacement since the window opened.
    Recorded(Recording),
    /// Way to a target that is set.
    Glide(Glide),
}

/// Displacement of points between two times.
#[derive(Clone, Debug, PartialEq)]
pub enum Carry {
    /// No displacement.
    Still,
    /// Rigid displacement from one pose to another.
    Rigid(Rigid, Rigid),
    /// Displacement of each point [m].
    Each(Vec<Vec3>),
    /// Place of each point, from wherever it was [m].
    To(Vec<Vec3>),
}

impl Carry {
    /// Returns the new position of point number `k`, from `p`.
    pub fn apply(&self, k: usize, p: &Vec3) -> Vec3 {
        match self {
            Carry::Still => *p,
            Carry::Rigid(from, to) => to.apply(&from.invert(p)),
            Carry::Each(shifts) => p + shifts.get(k).copied().unwrap_or_default(),
            Carry::To(places) => places.get(k).copied().unwrap_or(*p),
        }
    }
}

impl Motion {
    /// Returns the displacement from the start pose at time `t` [s]; identity if each vertex has its own motion.
    pub fn at(&self, t: f64) -> Rigid {
        match self {
            Motion::Fixed | Motion::Recorded(_) | Motion::Glide(_) => Rigid::identity(),
            Motion::Keyframes(keys) => {
                let (a, b, f) = match bracket(keys.len(), |k| keys[k].time, t) {
                    Some((a, b, f)) => (&keys[a], &keys[b], f),
                    None => return Rigid::identity(),
                };
                Rigid {
                    rotation: Rotation::from_scaled_axis(a.turn.lerp(&b.turn, f)),
                    origin: a.origin.lerp(&b.origin, f),
                    translation: a.translation.lerp(&b.translation, f),
                }
            }
            Motion::Rotation { axis, origin, speed, from, until } => {
                let angle = speed * (t.min(*until) - from).max(0.0);
                let rotation = Rotation::from_axis_angle(axis, angle);
                Rigid { rotation, origin: *origin, translation: Vec3::zeros() }
            }
            Motion::Path(samples) => {
                let Some((a, b, f)) = bracket(samples.len(), |k| samples[k].0, t) else { return Rigid::identity() };
                let point = samples[a].1.lerp(&samples[b].1, f);
                Rigid { translation: point - samples[0].1, ..Rigid::identity() }
            }
        }
    }

    /// Returns the displacement from positions at time `from` to those at time `to` [s].
    pub fn carry(&self, from: f64, to: f64) -> Carry {
        match self {
            Motion::Fixed => Carry::Still,
            Motion::Glide(glide) => Carry::To(glide.places(to)),
            Motion::Recorded(recording) => {
                let [mut before, mut after] = [recording.start(), recording.start()];
                recording.place(from, &mut before);
                recording.place(to, &mut after);
                Carry::Each(before.iter().zip(after).map(|(before, after)| after - before).collect())
            }
            _ => Carry::Rigid(self.at(from), self.at(to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyframes_hold_at_the_ends_and_are_linear_between() {
        let key = |time: f64, x: f64, angle: f64| Keyframe {
            time,
            turn: Vec3::y() * angle,
            origin: Vec3::x(),
            translation: Vec3::new(x, 0.0, 0.0),
        };
        let motion = Motion::Keyframes(vec![key(1.0, 0.0, 0.0), key(2.0, 4.0, 1.0)]);
        assert_eq!(motion.at(0.0).translation.x, 0.0);
        assert_eq!(motion.at(9.0).translation.x, 4.0);
        let half = motion.at(1.5);
        assert!((half.translation.x - 2.0).abs() < 1e-15 && (half.rotation.angle() - 0.5).abs() < 1e-15);
        let p = Vec3::new(3.0, 1.0, 2.0);
        assert!((half.invert(&half.apply(&p)) - p).norm() < 1e-14);
    }

    #[test]
    fn rotation_starts_and_ends_in_its_window() {
        let motion =
            Motion::Rotation { axis: Vec3::y_axis(), origin: Vec3::zeros(), speed: 2.0, from: 1.0, until: 2.0 };
        assert_eq!(motion.at(0.5).rotation.angle(), 0.0);
        assert!((motion.at(1.5).rotation.angle() - 1.0).abs() < 1e-15);
        assert!((motion.at(7.0).rotation.angle() - 2.0).abs() < 1e-15);
        let p = motion.carry(0.0, 1.25).apply(0, &Vec3::x());
        assert!((p - Vec3::new(0.5f64.cos(), 0.0, -(0.5f64.sin()))).norm() < 1e-15);
    }

    #[test]
    fn a_path_is_relative_to_its_first_point() {
        let motion = Motion::Path(vec![(0.0, Vec3::repeat(1.0)), (1.0, Vec3::new(3.0, 1.0, 1.0))]);
        assert!((motion.at(0.25).apply(&Vec3::zeros()) - Vec3::new(0.5, 0.0, 0.0)).norm() < 1e-15);
    }
}
