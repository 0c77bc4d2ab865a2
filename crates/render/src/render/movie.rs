//! Movies: animated PNG, GIF and WebP.

mod gif_file;
mod webp_file;

use super::raster::Image;
use super::sheet::resize;
use png::{BitDepth, ColorType, Compression, Encoder};
use std::io::Write;
use std::ops::Range;

/// Movie file being written, picture by picture.
pub trait Film {
    /// Adds a picture of the movie's size.
    ///
    /// # Errors
    /// The picture has another size, exceeds the announced number, or cannot be written.
    fn add(&mut self, image: &Image) -> Result<(), String>;

    /// Ends the file.
    ///
    /// # Errors
    /// There are fewer pictures than announced, or the file cannot be written.
    fn finish(self: Box<Self>) -> Result<(), String>;
}

/// Format of a movie file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Animated PNG, without loss.
    Png,
    /// GIF, of 256 colours a picture.
    Gif,
    /// Animated WebP, without loss.
    WebP,
}

impl Format {
    /// Begins a movie of `frames` pictures of width and height `size` [pixels]. The movie repeats forever.
    ///
    /// # Errors
    /// The format cannot hold the size or the number of pictures.
    pub fn begin<'a>(
        self,
        file: &'a mut Vec<u8>,
        size: [usize; 2],
        frames: usize,
        fps: f64,
    ) -> Result<Box<dyn Film + 'a>, String> {
        Ok(match self {
            Format::Png => Box::new(Animation::new(file, size, frames, fps)?),
            Format::Gif => Box::new(gif_file::Gif::new(file, size, frames, fps)?),
            Format::WebP => Box::new(webp_file::WebP::new(file, size, frames, fps)?),
        })
    }
}

/// Checks that a picture has the size of the movie, and that the movie has room for it.
fn fits(image: &Image, size: [usize; 2], added: usize, frames: usize) -> Result<(), String> {
    if [image.width, image.height] != size {
        let [w, h] = size;
        return Err(format!("a picture of {} x {} in a movie of {w} x {h}", image.width, image.height));
    }
    if added < frames { Ok(()) } else { Err("more pictures than the movie has".to_string()) }
}

/// Returns the time for which pictures are shown, in whole units, for `each` units a picture. Times add up without
/// drift.
fn shown(pictures: Range<usize>, each: f64) -> usize {
    let [begin, end] = [pictures.start, pictures.end].map(|k| (k as f64 * each).round() as usize);
    end - begin
}

impl<W: Write> Film for Animation<W> {
    fn add(&mut self, image: &Image) -> Result<(), String> {
        Animation::add(self, image)
    }

    fn finish(self: Box<Self>) -> Result<(), String> {
        Animation::finish(*self)
    }
}

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
        let describe = |error: png::EncodingError| format!("PNG: {error}");
        let whole = |n: usize| u32::try_from(n).map_err(|_| format!("PNG: {n} is too many"));
        let mut encoder = Encoder::new(file, whole(size[0])?, whole(size[1])?);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.set_animated(whole(frames)?, 0).map_err(describe)?;
        let [numerator, denominator] = delay(fps);
        encoder.set_frame_delay(numerator, denominator).map_err(describe)?;
        Ok(Animation { writer: encoder.write_header().map_err(describe)?, size, left: frames })
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

    /// Pictures of few colours read back exactly, and their times add up to those of the frame rate.
    #[test]
    fn gif_and_webp_read_back() {
        let pictures: Vec<Image> = (0..7).map(|k| Image::filled(6, 4, [k as f32 / 7.0, 0.5, 1.0])).collect();
        let made = |format: Format, fps: f64| {
            let mut file = Vec::new();
            let mut film = format.begin(&mut file, [6, 4], pictures.len(), fps).unwrap();
            pictures.iter().for_each(|picture| film.add(picture).unwrap());
            assert!(film.add(&pictures[0]).is_err());
            film.finish().unwrap();
            file
        };
        let read_gif = |file: &[u8]| {
            let mut options = gif::DecodeOptions::new();
            options.set_color_output(gif::ColorOutput::RGBA);
            let mut decoder = options.read_info(file).unwrap();
            let mut all = Vec::new();
            while let Some(frame) = decoder.read_next_frame().unwrap() {
                let rgb: Vec<u8> = frame.buffer.chunks(4).flat_map(|p| p[..3].to_vec()).collect();
                all.push((usize::from(frame.delay), rgb));
            }
            all
        };
        let all = read_gif(&made(Format::Gif, 24.0));
        assert!(all.iter().zip(&pictures).all(|((_, rgb), picture)| *rgb == picture.bytes()));
        assert_eq!(all.iter().map(|(delay, _)| *delay).collect::<Vec<_>>(), [4, 4, 5, 4, 4, 4, 4]);
        // Faster films than viewers show have every other picture.
        let all = read_gif(&made(Format::Gif, 100.0));
        assert_eq!(all.iter().map(|(delay, _)| *delay).collect::<Vec<_>>(), [2, 2, 2, 1]);
        assert_eq!(all[1].1, pictures[2].bytes());

        let file = made(Format::WebP, 24.0);
        let mut decoder = image_webp::WebPDecoder::new(std::io::Cursor::new(&file)).unwrap();
        assert!(decoder.is_animated() && decoder.dimensions() == (6, 4) && decoder.num_frames() == 7);
        assert_eq!((decoder.loop_count(), decoder.loop_duration()), (image_webp::LoopCount::Forever, 292));
        let mut buffer = vec![0; decoder.output_buffer_size().unwrap()];
        for picture in &pictures {
            let time = decoder.read_frame(&mut buffer).unwrap();
            assert!((41..=42).contains(&time), "{time}");
            let rgb: Vec<u8> = if decoder.has_alpha() {
                buffer.chunks(4).flat_map(|p| p[..3].to_vec()).collect()
            } else {
                buffer.clone()
            };
            assert_eq!(rgb, picture.bytes());
        }
        for format in [Format::Gif, Format::WebP] {
            let mut file = Vec::new();
            let mut film = format.begin(&mut file, [6, 4], 2, 24.0).unwrap();
            assert!(film.add(&Image::filled(4, 6, [0.0; 3])).is_err());
            film.add(&pictures[0]).unwrap();
            assert!(film.finish().unwrap_err().contains("lacks 1 pictures"));
            assert!(format.begin(&mut file, [70_000, 4], 1, 24.0).is_err());
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
