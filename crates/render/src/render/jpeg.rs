//! Photographs as JPEG files.

use super::raster::{Image, linear_from_srgb};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Largest width and height of a photograph [pixels].
const LARGEST: usize = 16_384;

impl Image {
    /// Reads a JPEG file as sRGB. Turns and flips that its EXIF data ask for are left out.
    ///
    /// # Errors
    /// The bytes are no JPEG file, or cannot be decoded.
    pub fn from_jpeg(file: &[u8]) -> Result<Image, String> {
        let describe = |error: zune_jpeg::errors::DecodeErrors| format!("JPEG: {error}");
        let options = DecoderOptions::default()
            .set_max_width(LARGEST)
            .set_max_height(LARGEST)
            .jpeg_set_out_colorspace(ColorSpace::RGB);
        let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
        let bytes = decoder.decode().map_err(describe)?;
        let (width, height) = decoder.dimensions().ok_or("JPEG: it has no size")?;
        let decode: [f32; 256] = std::array::from_fn(|i| linear_from_srgb(i as f64 / 255.0) as f32);
        let pixels: Vec<[f32; 3]> =
            bytes.as_chunks::<3>().0.iter().map(|rgb| rgb.map(|c| decode[usize::from(c)])).collect();
        if pixels.len() != width * height {
            return Err(format!("JPEG: {} pixels, not {width} x {height}", pixels.len()));
        }
        Ok(Image { width, height, pixels })
    }

    /// Reads a PNG or JPEG file, by its first bytes.
    ///
    /// # Errors
    /// The file is neither, or cannot be decoded.
    pub fn read(file: &[u8]) -> Result<Image, String> {
        match file {
            [0x89, b'P', b'N', b'G', ..] => Image::from_png(file),
            [0xff, 0xd8, 0xff, ..] => Image::from_jpeg(file),
            _ => Err("neither a PNG nor a JPEG file".to_string()),
        }
    }
}
