//! Velocities in files agree with the motion between frames.

use super::{Done, Frame};
use percale::linalg::Vec3;
use percale::world::Kind;
use std::ops::Range;

/// Relative change of an object's motion between frames up to which it is smooth, and relative tolerance of its
/// velocity.
const PART: f64 = 0.2;
/// Absolute bounds [m/s]: change of velocity of a scene at rest, and additional tolerance of velocities.
const REST: (f64, f64) = (2e-3, 5e-3);

/// Scenes with motion that frames do not resolve. A vibrating hanging sheet and a dragged towel agree at 480 frames per
/// second. Falling napkins and a folded towel have impacts from step to step.
const WITHIN: [&str; 4] = ["pinch", "wet-drag", "stack", "towel"];

fn rms(values: impl Iterator<Item = Vec3>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), v| (sum + v.norm_squared(), count + 1));
    (sum / f64::from(count.max(1))).sqrt()
}

/// Returns frames, from 1, in which the vertices `own` move smoothly while their velocities disagree with the motion.
/// Each has the root mean squares of the velocity between the previous and the next frame, and of the velocity error
/// [m/s]. The error is the smaller of two. The velocity of the frame is right after an impact; Simpson's mean of three
/// errs by 5 % for an oscillation of four frames.
fn astray(frames: &[Frame], times: &[f64], own: Range<usize>) -> Vec<(usize, [f64; 2])> {
    let between = |k: usize, v: usize| (frames[k + 1].x[v] - frames[k].x[v]) / (times[k + 1] - times[k]);
    let look = |k: usize| {
        let mean = |v: usize| (between(k - 1, v) + between(k, v)) / 2.0;
        let speed = rms(own.clone().map(mean));
        let changes = rms(own.clone().map(|v| between(k, v) - between(k - 1, v)));
        let told = |v: usize| (frames[k - 1].v[v] + frames[k].v[v] * 4.0 + frames[k + 1].v[v]) / 6.0;
        let [own_misses, mean_misses] =
            [rms(own.clone().map(|v| frames[k].v[v] - mean(v))), rms(own.clone().map(|v| told(v) - mean(v)))];
        let misses = own_misses.min(mean_misses);
        (changes < PART * speed + REST.0 && misses > PART * speed + REST.1).then_some((k + 1, [speed, misses]))
    };
    (1..frames.len().saturating_sub(1)).filter_map(look).collect()
}

impl Done {
    /// Returns frames and objects whose velocities disagree with the motion.
    pub fn velocities(&self) -> Vec<String> {
        if WITHIN.contains(&self.name.as_str()) {
            return Vec::new();
        }
        let times: Vec<f64> = self.stats.iter().map(|stats| stats.time).collect();
        let mut faults = Vec::new();
        for (kind, frames) in [(Kind::Cloth, &self.frames), (Kind::Body, &self.bodies)] {
            let mut first = 0;
            for entry in self.record.objects.iter().filter(|entry| entry.kind == kind) {
                let own = first..first + entry.vertices;
                first = own.end;
                faults.extend(astray(frames, &times, own).iter().map(|(frame, [speed, misses])| {
                    let name = &entry.name;
                    format!(
                        "frame {frame}: '{name}' moves at {speed:.4} m/s, its velocities miss that by {misses:.4} m/s"
                    )
                }));
            }
        }
        faults
    }
}

/// Two vertices with uniform rotation and acceleration pass. They fail with other velocities, or at rest with nonzero
/// velocities.
#[test]
fn velocities_of_another_motion_are_found() {
    let times: Vec<f64> = (0..6).map(|k| f64::from(k) / 30.0).collect();
    let found = |speed: f64, factor: f64, own: f64| {
        let frame = |t: &f64| {
            let angle = 2.0 * t;
            let at = |sign: f64| Vec3::new(sign * angle.cos(), sign * angle.sin(), t * t) * speed;
            let rate = |sign: f64| Vec3::new(-2.0 * sign * angle.sin(), 2.0 * sign * angle.cos(), 2.0 * t) * speed;
            let v = [1.0, -1.0].map(|sign| rate(sign) * factor + Vec3::x() * (sign * own)).to_vec();
            Frame { x: [1.0, -1.0].map(at).to_vec(), v, triangles: Vec::new() }
        };
        let frames: Vec<Frame> = times.iter().map(frame).collect();
        astray(&frames, &times, 0..2).len()
    };
    assert_eq!([found(1.0, 1.0, 0.0), found(0.0, 1.0, 0.004), found(1.0, 1.1, 0.0)], [0; 3]);
    assert_eq!([found(1.0, 1.3, 0.0), found(1.0, 0.0, 0.0), found(0.0, 1.0, 0.013)], [4; 3]);
}
