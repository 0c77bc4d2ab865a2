//! Animated WebP without loss: a container (RIFF) of pictures that are coded one by one (VP8L).
//!
//! The file is a heading (VP8X), the number of repeats (ANIM), and a chunk for each picture (ANMF) with its place, size
//! and time in milliseconds (Google, "WebP Container Specification").

use super::super::raster::Image;
use super::{Film, fits, shown};
use image_webp::{ColorType, WebPEncoder};

/// Units of time in a second.
const UNITS: f64 = 1000.0;
/// Most pixels across or down.
const MOST: usize = 1 << 14;
/// Length of the headings RIFF and WEBP before the first chunk [bytes].
const HEAD: usize = 12;
/// Flag of an animation in VP8X.
const ANIMATED: u8 = 0x02;
/// Flag of a picture that replaces the pixels below it.
const REPLACES: u8 = 0x02;

/// WebP file being written.
pub(super) struct WebP<'a> {
    file: &'a mut Vec<u8>,
    chunks: Vec<u8>,
    size: [usize; 2],
    fps: f64,
    /// Number of pictures announced.
    frames: usize,
    /// Number of pictures added.
    added: usize,
}

/// Appends a chunk: name, length, content, padding to an even length.
fn put(out: &mut Vec<u8>, name: &[u8; 4], content: &[u8]) -> Result<(), String> {
    let length = u32::try_from(content.len()).map_err(|_| "WebP: a picture is too large".to_string())?;
    out.extend(name);
    out.extend(length.to_le_bytes());
    out.extend(content);
    out.extend(std::iter::repeat_n(0, content.len() % 2));
    Ok(())
}

/// Returns the three bytes of a number.
fn three(number: usize) -> [u8; 3] {
    let [a, b, c, ..] = (number as u32).to_le_bytes();
    [a, b, c]
}

impl<'a> WebP<'a> {
    /// Begins an animation that repeats forever.
    ///
    /// # Errors
    /// The format cannot hold the size.
    pub(super) fn new(file: &'a mut Vec<u8>, size: [usize; 2], frames: usize, fps: f64) -> Result<WebP<'a>, String> {
        if size.iter().any(|n| *n == 0 || *n > MOST) {
            let [width, height] = size;
            return Err(format!(
                "WebP: {width} x {height} pixels; it has at most {MOST} each way, give a smaller --scale"
            ));
        }
        let mut chunks = Vec::new();
        let head = [&[ANIMATED, 0, 0, 0][..], &three(size[0] - 1), &three(size[1] - 1)].concat();
        put(&mut chunks, b"VP8X", &head)?;
        // Background colour, and no bound of the repeats.
        put(&mut chunks, b"ANIM", &[0; 6])?;
        Ok(WebP { file, chunks, size, fps, frames, added: 0 })
    }
}

impl Film for WebP<'_> {
    fn add(&mut self, image: &Image) -> Result<(), String> {
        fits(image, self.size, self.added, self.frames)?;
        let time = shown(self.added..self.added + 1, UNITS / self.fps);
        self.added += 1;
        let [width, height] = self.size.map(|n| n as u32);
        let mut coded = Vec::new();
        let encoded = WebPEncoder::new(&mut coded).encode(&image.bytes(), width, height, ColorType::Rgb8);
        encoded.map_err(|error| format!("WebP: {error}"))?;
        let [across, down] = self.size.map(|n| three(n - 1));
        let place = [0; 6];
        let head = [&place[..], &across, &down, &three(time.min(0xff_ffff)), &[REPLACES]].concat();
        put(&mut self.chunks, b"ANMF", &[&head, coded.get(HEAD..).unwrap_or_default()].concat())
    }

    fn finish(self: Box<Self>) -> Result<(), String> {
        if self.added < self.frames {
            return Err(format!("the movie lacks {} pictures", self.frames - self.added));
        }
        put(self.file, b"RIFF", &[b"WEBP", &self.chunks[..]].concat())
    }
}
