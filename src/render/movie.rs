//! Movies: animated PNG.

use super::raster::Image;
use super::sheet::resize;
use png::{BitDepth, ColorType, Compression, Encoder};
use std::io::Write;

/// Resizes an image by a factor.
pub fn scaled(image: Image, scale: f64) -> Image {
    let [width, height] = [image.width, image.height].map(|n| ((n as f64 * scale).round() as usize).max(1));
    if [width, height] == [image.width, image.height] { image } else { resize(&image, width, height) }
}

/// Animated PNG file being written. Viewers without animation show its first picture.
pub struct Animation<W: Write> {
    writer: png::Writer<W>,
    size: [usize; 2],
    /// Number of pictures still to be added.
    left: usize,
}

impl<W: Write> Animation<W> {
    /// Begins an animation of `frames` pictures of width and height `size` [pixels]. The animation repeats forever.
    ///
    /// # Errors
    /// The format cannot hold the size or the number of pictures, or the file cannot be written.
    pub fn new(file: W, size: [usize; 2], frames: usize, fps: f64) -> Result<Animation<W>, String> {
        let told = |error: png::EncodingError| format!("PNG: {error}");
        let whole = |n: usize| u32::try_from(n).map_err(|_| format!("PNG: {n} is too many"));
        let mut encoder = Encoder::new(file, whole(size[0])?, whole(size[1])?);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.set_animated(whole(frames)?, 0).map_err(told)?;
        let [numerator, denominator] = delay(fps);
        encoder.set_frame_delay(numerator, denominator).map_err(told)?;
        Ok(Animation { writer: encoder.write_header().map_err(told)?, size, left: frames })
    }

    /// Adds a picture of the movie's size.
    ///
    /// # Errors
    /// The picture has another size, exceeds the announced number, or cannot be written.
    pub fn add(&mut self, image: &Image) -> Result<(), String> {
        if [image.width, image.height] != self.size {
            let [w, h] = self.size;
            return Err(format!("a picture of {} x {} in a movie of {w} x {h}", image.width, image.height));
        }
        self.left = self.left.checked_sub(1).ok_or("more pictures than the movie has")?;
        self.writer.write_image_data(&image.bytes()).map_err(|error| format!("PNG: {error}"))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// There are fewer pictures than announced, or the file cannot be written.
    pub fn finish(self) -> Result<(), String> {
        if self.left > 0 {
            return Err(format!("the movie lacks {} pictures", self.left));
        }
        self.writer.finish().map_err(|error| format!("PNG: {error}"))
    }
}

/// Returns the display time of a picture [s], as a fraction of 16-bit numbers.
fn delay(fps: f64) -> [u16; 2] {
    match (1000.0 * fps).round() {
        thousand if thousand <= 65535.0 => [1000, (thousand as u16).max(1)],
        _ => [1, fps.round().min(65535.0) as u16],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_animation_reads_back() {
        let pictures: Vec<Image> = (0..3).map(|k| Image::filled(5, 4, [k as f32 / 4.0, 0.5, 1.0])).collect();
        let mut file = Vec::new();
        let mut movie = Animation::new(&mut file, [5, 4], 3, 24000.0 / 1001.0).unwrap();
        pictures.iter().for_each(|picture| movie.add(picture).unwrap());
        assert!(movie.add(&Image::filled(4, 4, [0.0; 3])).is_err());
        movie.finish().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&file)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().map(|c| (c.num_frames, c.num_plays)), Some((3, 0)));
        let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
        for picture in &pictures {
            reader.next_frame(&mut buffer).unwrap();
            assert_eq!(buffer, picture.bytes());
            let shown = reader.info().frame_control().map(|c| (c.delay_num, c.delay_den));
            assert_eq!(shown, Some((1000, 23976)));
        }
    }

    #[test]
    fn a_movie_that_lacks_pictures_is_refused() {
        let mut file = Vec::new();
        let mut movie = Animation::new(&mut file, [2, 2], 2, 30.0).unwrap();
        movie.add(&Image::filled(2, 2, [0.5; 3])).unwrap();
        assert!(movie.finish().is_err());
        assert_eq!((delay(120.0), delay(24.0)), ([1, 120], [1000, 24000]));
        assert_eq!(scaled(Image::filled(10, 6, [1.0; 3]), 0.5).pixels.len(), 15);
    }
}
