//! Raster image and its conversion to and from PNG.

use png::{BitDepth, ColorType, Compression, Decoder, Encoder, Filter, Limits, Transformations};
use std::io::Cursor;

/// Most memory that reading a file may take [bytes].
const LARGEST: usize = 512 << 20;

/// Linear RGB pixels, row by row from the upper left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// `width * height` pixels.
    pub pixels: Vec<[f32; 3]>,
}

/// Encodes a linear value in 0..1 by the sRGB transfer function (IEC 61966-2-1).
pub fn srgb_from_linear(x: f64) -> f64 {
    if x <= 0.0031308 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 }
}

/// Decodes an sRGB value; inverse of [`srgb_from_linear`].
pub fn linear_from_srgb(x: f64) -> f64 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

impl Image {
    /// Returns an image of uniform colour.
    pub fn filled(width: usize, height: usize, colour: [f32; 3]) -> Image {
        Image { width, height, pixels: vec![colour; width * height] }
    }

    /// Mixes `colour` over a pixel. Pixels outside the image are ignored.
    pub fn blend(&mut self, x: i64, y: i64, colour: [f32; 3], opacity: f32) {
        if x < 0 || y < 0 || x >= self.width as i64 || y >= self.height as i64 || opacity <= 0.0 {
            return;
        }
        if let Some(p) = self.pixels.get_mut(y as usize * self.width + x as usize) {
            for (old, new) in p.iter_mut().zip(colour) {
                *old += (new - *old) * opacity.min(1.0);
            }
        }
    }

    /// Returns 8-bit sRGB pixels, three bytes each, row by row from the upper left.
    pub fn bytes(&self) -> Vec<u8> {
        // Least linear values that are encoded as 1 to 255. A search among them is faster than a power.
        let least: [f64; 255] = std::array::from_fn(|i| linear_from_srgb((i as f64 + 0.5) / 255.0));
        let encode = |x: &f32| least.partition_point(|least| *least <= f64::from(*x)) as u8;
        self.pixels.iter().flatten().map(encode).collect()
    }

    /// Encodes the image as an 8-bit sRGB PNG file.
    ///
    /// # Errors
    /// The image is empty or too large for the format, or its pixels do not match its size.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        if self.width == 0 || self.height == 0 || self.pixels.len() != self.width * self.height {
            let (w, h, n) = (self.width, self.height, self.pixels.len());
            return Err(format!("PNG: {n} pixels do not make an image of {w} x {h}"));
        }
        let size = |n: usize| u32::try_from(n).map_err(|_| format!("PNG: {n} pixels are too many"));
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, size(self.width)?, size(self.height)?);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder.set_filter(Filter::Adaptive);
        let mut writer = encoder.write_header().map_err(|e| format!("PNG: {e}"))?;
        writer.write_image_data(&self.bytes()).and_then(|()| writer.finish()).map_err(|e| format!("PNG: {e}"))?;
        Ok(file)
    }

    /// Reads a PNG file as sRGB and drops transparency.
    ///
    /// # Errors
    /// The bytes are no PNG file, or cannot be decoded.
    pub fn from_png(file: &[u8]) -> Result<Image, String> {
        let describe = |e: png::DecodingError| format!("PNG: {e}");
        let mut decoder = Decoder::new_with_limits(Cursor::new(file), Limits { bytes: LARGEST });
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(describe)?;
        let size = reader.output_buffer_size().filter(|bytes| *bytes <= LARGEST).ok_or("PNG: too many pixels")?;
        let mut bytes = vec![0; size];
        let frame = reader.next_frame(&mut bytes).map_err(describe)?;
        let linear: Vec<f32> = if frame.bit_depth == BitDepth::Sixteen {
            let decode = |c: [u8; 2]| linear_from_srgb(f64::from(u16::from_be_bytes(c)) / 65535.0) as f32;
            bytes.as_chunks().0.iter().map(|c| decode(*c)).collect()
        } else {
            let decode: [f32; 256] = std::array::from_fn(|i| linear_from_srgb(i as f64 / 255.0) as f32);
            bytes.iter().map(|c| decode[usize::from(*c)]).collect()
        };
        let colour = |samples: &[f32]| match *samples {
            [r, g, b, ..] => [r, g, b],
            [grey, ..] => [grey; 3],
            [] => [0.0; 3],
        };
        let pixels = linear.chunks_exact(frame.color_type.samples()).map(colour).collect();
        Ok(Image { width: frame.width as usize, height: frame.height as usize, pixels })
    }
}
