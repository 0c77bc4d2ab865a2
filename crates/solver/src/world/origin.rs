//! Local origin of scenes far from (0, 0, 0). Such a scene is solved and written relative to a nearby point. Otherwise
//! the single precision of files would be visible, which has a spacing of half a millimetre at 5 km.

use super::build::Input;
use super::motion::Motion;
use super::{Course, Pin};
use crate::linalg::Vec3;

/// Distance along an axis [m], of the centre of simulated objects from (0, 0, 0), beyond which a local origin is used.
/// The spacing of single precision is 8 micrometres there.
const FAR: f64 = 128.0;
/// Grid spacing of local origins [m]. They are multiples of it, so that they are exact and do not change with small
/// edits of the scene.
const GRID: f64 = 16.0;

impl Input {
    /// Returns the local origin for the simulated objects: zero unless they are far from (0, 0, 0).
    pub fn origin(&self) -> Vec3 {
        let positions =
            self.cloths.iter().map(|c| &c.mesh.positions).chain(self.bodies.iter().map(|b| &b.mesh.positions));
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for p in positions.flatten() {
            (low, high) = (low.inf(p), high.sup(p));
        }
        let middle = 0.5 * (low + high);
        if middle.iter().all(|c| c.is_finite()) && middle.amax() > FAR {
            middle.map(|c| (c / GRID).round() * GRID)
        } else {
            Vec3::zeros()
        }
    }

    /// Moves everything so that `origin` becomes (0, 0, 0).
    pub fn about(&mut self, origin: &Vec3) {
        let shift = |x: &mut [Vec3]| x.iter_mut().for_each(|p| *p -= origin);
        for cloth in &mut self.cloths {
            shift(&mut cloth.mesh.positions);
            held(&mut cloth.pins, origin);
            cloth.handles.iter_mut().for_each(|handle| turned(&mut handle.pin.motion, origin));
        }
        for body in &mut self.bodies {
            shift(&mut body.mesh.positions);
            held(&mut body.pins, origin);
            body.handles.iter_mut().for_each(|handle| turned(&mut handle.pin.motion, origin));
        }
        for obstacle in &mut self.obstacles {
            shift(&mut obstacle.mesh.positions);
            match &mut obstacle.course {
                Course::Rigid(motion) => turned(motion, origin),
                Course::Recorded(recording) => recording.shift(origin),
                // Targets are set after the world is built.
                Course::Glide(_) => {}
            }
        }
    }
}

fn held(pins: &mut [Pin], origin: &Vec3) {
    pins.iter_mut().for_each(|pin| turned(&mut pin.motion, origin));
}

/// Moves the centres of rotation. Everything else in a motion is relative.
fn turned(motion: &mut Motion, origin: &Vec3) {
    match motion {
        Motion::Fixed | Motion::Path(_) | Motion::Recorded(_) | Motion::Glide(_) => {}
        Motion::Rotation { origin: centre, .. } => *centre -= origin,
        Motion::Keyframes(keys) => {
            // Without rotation the centre has no effect, and a far one would cost digits.
            if keys.iter().any(|key| key.turn != Vec3::zeros()) {
                keys.iter_mut().for_each(|key| key.origin -= origin);
            }
        }
    }
}
