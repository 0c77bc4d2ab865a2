//! Motion blur: a picture as the mean of pictures within the time that a shutter is open.

use super::picture::{Seen, picture};
use crate::render::Picture;
use crate::scene::Scene;
use crate::sequence::{Run as Record, Shape, Snapshot};

/// Pictures that make one.
const MOMENTS: u32 = 8;

/// The objects at a frame and at those before and after it, where these are.
pub struct Around {
    /// At the frame.
    pub now: Vec<(Shape, Snapshot)>,
    /// At the one before it.
    pub before: Option<Vec<(Shape, Snapshot)>>,
    /// At the one after it.
    pub after: Option<Vec<(Shape, Snapshot)>>,
}

impl Around {
    /// The objects so many frames from this one, at most one: straight to the next frame or the one before. What is not there then
    /// stays.
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

    /// Draws the frame with a shutter that is open for so many frames around it.
    ///
    /// # Errors
    /// As [`picture`].
    pub fn draw(&self, scene: &Scene, record: &Record, shutter: f64, size: [u32; 2]) -> Result<Picture, String> {
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
