//! Conversion of prescribed motion from shot time to run time.

use super::Course;
use super::build::Input;
use super::shot::Shot;

impl Input {
    /// Converts the times of all prescribed motion, wind and windows from shot time to run time.
    pub fn retime(&mut self, shot: &Shot) {
        if *shot == Shot::default() {
            return;
        }
        self.wind.window = shot.window(self.wind.window);
        let cloths = self.cloths.iter_mut().map(|c| (&mut c.pins, &mut c.handles));
        for (pins, handles) in cloths.chain(self.bodies.iter_mut().map(|b| (&mut b.pins, &mut b.handles))) {
            pins.iter_mut().chain(handles.iter_mut().map(|handle| &mut handle.pin)).for_each(|pin| shot.pin(pin));
        }
        for obstacle in &mut self.obstacles {
            let window = &mut obstacle.window;
            [window.from, window.until] = shot.window([window.from, window.until]);
            match &mut obstacle.course {
                Course::Rigid(motion) => shot.motion(motion),
                Course::Recorded(recording) => shot.clock(&mut recording.clock),
                Course::Glide(_) => (),
            }
        }
    }
}
