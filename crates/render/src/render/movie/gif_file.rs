//! Animated GIF: 256 colours for each picture, and times of hundredths of a second.

use super::super::raster::Image;
use super::{Film, fits, shown};
use gif::{Encoder, Frame, Repeat};

/// Units of time in a second.
const UNITS: f64 = 100.0;
/// Most pictures a second. Browsers show faster films at a tenth of that.
const MOST: f64 = 50.0;
/// Effort for the choice of colours: 1 is the best, 30 the fastest.
const SPEED: i32 = 10;

/// GIF file being written.
pub(super) struct Gif<'a> {
    encoder: Encoder<&'a mut Vec<u8>>,
    size: [usize; 2],
    fps: f64,
    /// Number of pictures announced.
    frames: usize,
    /// Number of pictures added.
    added: usize,
    /// Every so many pictures are in the file.
    every: usize,
}

impl<'a> Gif<'a> {
    /// Begins an animation that repeats forever.
    ///
    /// # Errors
    /// The format cannot hold the size.
    pub(super) fn new(file: &'a mut Vec<u8>, size: [usize; 2], frames: usize, fps: f64) -> Result<Gif<'a>, String> {
        let [Ok(width), Ok(height)] = size.map(u16::try_from) else {
            return Err(format!("GIF: {} x {} pixels are too many; give a smaller --scale", size[0], size[1]));
        };
        let mut encoder = Encoder::new(file, width, height, &[]).map_err(|error| format!("GIF: {error}"))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|error| format!("GIF: {error}"))?;
        let every = ((fps / MOST - 1e-9).ceil() as usize).max(1);
        Ok(Gif { encoder, size, fps, frames, added: 0, every })
    }
}

impl Film for Gif<'_> {
    fn add(&mut self, image: &Image) -> Result<(), String> {
        fits(image, self.size, self.added, self.frames)?;
        let first = self.added;
        self.added += 1;
        if !first.is_multiple_of(self.every) {
            return Ok(());
        }
        let [width, height] = self.size.map(|n| n as u16);
        let mut frame = Frame::from_rgb_speed(width, height, &image.bytes(), SPEED);
        let delay = shown(first..(first + self.every).min(self.frames), UNITS / self.fps);
        frame.delay = u16::try_from(delay).unwrap_or(u16::MAX);
        self.encoder.write_frame(&frame).map_err(|error| format!("GIF: {error}"))
    }

    fn finish(self: Box<Self>) -> Result<(), String> {
        if self.added < self.frames {
            return Err(format!("the movie lacks {} pictures", self.frames - self.added));
        }
        self.encoder.into_inner().map(drop).map_err(|error| format!("GIF: {error}"))
    }
}
