//! A local origin: what is far from (0, 0, 0) is solved and written about a point near it, for the single precision of files would
//! else show: at 5 km it has steps of half a millimetre.

use super::build::Input;
use super::motion::Motion;
use super::{Course, Pin};
use crate::linalg::Vec3;

/// Distance of the middle of what is simulated along an axis from which on it is far [m]: steps of single precision have
/// 8 micrometres there.
const FAR: f64 = 128.0;
/// Local origins are whole numbers of these [m], so that they are the same for a scene that is changed a little, and exact.
const GRID: f64 = 16.0;

impl Input {
    /// The origin that suits what is simulated: zero unless that is far.
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

    /// Moves everything so that `origin` comes to (0, 0, 0).
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
            }
        }
    }
}

fn held(pins: &mut [Pin], origin: &Vec3) {
    pins.iter_mut().for_each(|pin| turned(&mut pin.motion, origin));
}

/// Moves the centres of turns; all else of a motion is relative.
fn turned(motion: &mut Motion, origin: &Vec3) {
    match motion {
        Motion::Fixed | Motion::Path(_) | Motion::Recorded(_) => {}
        Motion::Rotation { origin: centre, .. } => *centre -= origin,
        Motion::Keyframes(keys) => {
            // Without a turn the centre does not matter, and a far one would cost digits.
            if keys.iter().any(|key| key.turn != Vec3::zeros()) {
                keys.iter_mut().for_each(|key| key.origin -= origin);
            }
        }
    }
}
