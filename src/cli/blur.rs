//! Motion blur: averages pictures at moments while the shutter is open.

use super::picture::{Seen, picture};
use crate::render::Picture;
use crate::scene::Scene;
use crate::sequence::{Run as Record, Shape, Snapshot};

/// Number of moments averaged.
const MOMENTS: u32 = 8;

/// Objects at a frame and at its neighbour frames, where these exist.
pub(super) struct Around {
    /// Objects at the frame.
    pub now: Vec<(Shape, Snapshot)>,
    /// Objects at the previous frame.
    pub before: Option<Vec<(Shape, Snapshot)>>,
    /// Objects at the next frame.
    pub after: Option<Vec<(Shape, Snapshot)>>,
}

impl Around {
    /// Interpolates the objects linearly, `frames` from this one (-1 to 1). Objects absent at the other frame stay.
    fn at(&self, frames: f64) -> Vec<(Shape, Snapshot)> {
        let other = if frames < 0.0 { &self.before } else { &self.after };
        let towards = |(shape, at): &(Shape, Snapshot)| {
            let to = other.iter().flatten().find(|(other, _)| other.name == shape.name).map(|(_, to)| &to.positions);
            let mut moved = at.clone();
            if let Some(to) = to.filter(|to| to.len() == moved.positions.len()) {
                moved.positions.iter_mut().zip(to).for_each(|(p, to)| *p = p.lerp(to, frames.abs()));
            }
            (shape.clone(), moved)
        };
        self.now.iter().map(towards).collect()
    }

    /// Draws the frame with a shutter that is open for `shutter` frames, centred on it.
    ///
    /// # Errors
    /// Errors of [`picture`].
    pub(super) fn draw(&self, scene: &Scene, record: &Record, shutter: f64, size: [u32; 2]) -> Result<Picture, String> {
        let mut mean: Option<Picture> = None;
        for k in 0..MOMENTS {
            let objects = self.at(shutter * ((f64::from(k) + 0.5) / f64::from(MOMENTS) - 0.5));
            let objects: Vec<(&Shape, &Snapshot)> = objects.iter().map(|(shape, at)| (shape, at)).collect();
            let drawn = picture(scene, Seen { objects: &objects, flow: None, live: false }, record, size)?;
            match &mut mean {
                None => mean = Some(drawn),
                Some(mean) => {
                    for (sum, own) in mean.colour.iter_mut().zip(&drawn.colour) {
                        sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
                    }
                }
            }
        }
        let mut mean = mean.ok_or("no picture was drawn")?;
        mean.colour.iter_mut().flatten().for_each(|c| *c /= MOMENTS as f32);
        Ok(mean)
    }
}
