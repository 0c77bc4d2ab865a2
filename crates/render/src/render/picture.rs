//! Finished picture and its EXR file.

use super::legend::{self, Legend};
use super::raster::Image;
use super::sheet::resize;
use exr::prelude::{
    AnyChannel, AnyChannels, AttributeValue, Compression, Encoding, FlatSamples, IntegerBounds, Layer, LayerAttributes,
    LineOrder, ReadChannels, ReadLayers, Text, WritableImage, f16, read,
};
use std::io::Cursor;

/// Rays sent for a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rays {
    /// Rays from the camera.
    pub camera: u64,
    /// Rays towards the key light.
    pub shadow: u64,
    /// Rays towards the sky.
    pub sky: u64,
}

impl Rays {
    /// Returns the number of all rays.
    pub fn total(&self) -> u64 {
        self.camera + self.shadow + self.sky
    }
}

/// Drawn picture, rows from the upper left. Colour is filtered over each pixel. Depth, normal and object belong to the
/// pixel's centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Linear RGB, without legends.
    pub colour: Vec<[f32; 3]>,
    /// Depth along the axis of view [m]; infinite for background.
    pub depth: Vec<f32>,
    /// Unit normal in world space on the viewer's side; zero for background.
    pub normal: Vec<[f32; 3]>,
    /// Object number: 0 for background, `i + 1` for object `i`, one more than the number of objects for the ground.
    pub object: Vec<u32>,
    /// Names of the objects.
    pub objects: Vec<String>,
    /// Legends of the field colourings.
    pub legends: Vec<Legend>,
    /// Note in the upper left corner, if any.
    pub note: Option<&'static str>,
    /// Numbers of rays sent.
    pub rays: Rays,
}

impl Image {
    /// Reads colour, `R G B` or `Y`, of the first layer of an EXR file. Absent channels are 0.
    ///
    /// # Errors
    /// The bytes are no EXR file, cannot be decoded, or have no colour.
    pub fn from_exr(file: &[u8]) -> Result<Image, String> {
        let reader =
            read().no_deep_data().largest_resolution_level().all_channels().first_valid_layer().all_attributes();
        let decoded = reader.non_parallel().from_buffered(Cursor::new(file)).map_err(|e| format!("EXR: {e}"))?;
        let (width, height) = (decoded.layer_data.size.width(), decoded.layer_data.size.height());
        let channels = &decoded.layer_data.channel_data.list;
        let plane = |name: &str| -> Option<Vec<f32>> {
            let channel = channels.iter().find(|c| c.name.eq(name))?;
            Some(channel.sample_data.values_as_f32().collect())
        };
        let grey = plane("Y");
        let planes = ["R", "G", "B"].map(|name| plane(name).or_else(|| grey.clone()));
        if planes.iter().all(Option::is_none) {
            return Err("EXR: no channel R, G, B or Y".to_string());
        }
        let value = |c: usize, i: usize| planes[c].as_ref().and_then(|p| p.get(i)).copied().unwrap_or(0.0);
        let pixels = (0..width * height).map(|i| [0, 1, 2].map(|c| value(c, i))).collect();
        Ok(Image { width, height, pixels })
    }
}

impl Picture {
    /// Returns the colour as an image, with legends and note drawn in.
    pub fn image(&self) -> Image {
        self.annotate(Image { width: self.width, height: self.height, pixels: self.colour.clone() })
    }

    /// Returns a reduced image by averages over each new pixel's area. Legends and note are drawn at the new size.
    pub fn smaller(&self, width: usize, height: usize) -> Image {
        let whole = Image { width: self.width, height: self.height, pixels: self.colour.clone() };
        self.annotate(resize(&whole, width.max(1), height.max(1)))
    }

    /// Draws legends and note into an image.
    fn annotate(&self, mut image: Image) -> Image {
        for (place, legend) in self.legends.iter().enumerate() {
            legend.draw(&mut image, place);
        }
        if let Some(note) = self.note {
            legend::note(&mut image, note);
        }
        image
    }

    /// Encodes the image with legends and note as an 8-bit sRGB PNG file.
    ///
    /// # Errors
    /// The errors of [`Image::png`].
    pub fn png(&self) -> Result<Vec<u8>, String> {
        self.image().png()
    }

    /// Encodes the picture as a linear EXR file, ZIP compressed. Colour `R G B` (without legends) and normal
    /// `N.X N.Y N.Z` are in half precision. Depth `Z` [m] is in single precision, object number `id` unsigned. The
    /// header's `objects` lists the objects' names in order.
    ///
    /// # Errors
    /// The picture is empty, its planes differ in size, or the encoder fails.
    pub fn exr(&self) -> Result<Vec<u8>, String> {
        let n = self.width * self.height;
        if n == 0 || [self.colour.len(), self.depth.len(), self.normal.len(), self.object.len()] != [n; 4] {
            return Err(format!("EXR: the planes do not make a picture of {} x {}", self.width, self.height));
        }
        let plane = |from: &[[f32; 3]], c: usize| FlatSamples::F16(from.iter().map(|p| f16::from_f32(p[c])).collect());
        let channels = [
            AnyChannel::new("R", plane(&self.colour, 0)),
            AnyChannel::new("G", plane(&self.colour, 1)),
            AnyChannel::new("B", plane(&self.colour, 2)),
            AnyChannel::new("Z", FlatSamples::F32(self.depth.clone())),
            AnyChannel::new("N.X", plane(&self.normal, 0)),
            AnyChannel::new("N.Y", plane(&self.normal, 1)),
            AnyChannel::new("N.Z", plane(&self.normal, 2)),
            AnyChannel::new("id", FlatSamples::U32(self.object.clone())),
        ];
        let mut attributes = LayerAttributes { software_name: Text::new_or_none("percale"), ..Default::default() };
        // Only a single attribute: the package keeps attributes in a hash map and writes them in any order.
        if let Some(key) = Text::new_or_none("objects") {
            let names = self.objects.iter().filter_map(|n| Text::new_or_none(n.escape_default().to_string())).collect();
            attributes.other.insert(key, AttributeValue::TextVector(names));
        }
        let encoding =
            Encoding { compression: Compression::ZIP16, line_order: LineOrder::Increasing, ..Encoding::default() };
        let size = (self.width, self.height);
        let layer = Layer::new(size, attributes, encoding, AnyChannels::sort(channels.into_iter().collect()));
        let mut image = exr::image::Image::from_layer(layer);
        image.attributes.display_window = IntegerBounds::from_dimensions(size);
        let mut file = Cursor::new(Vec::new());
        image.write().non_parallel().to_buffered(&mut file).map_err(|e| format!("EXR: {e}"))?;
        Ok(file.into_inner())
    }
}
