//! Sewing patterns: flat panels with named edges, notches and lines, stitches between edges, and places in space. Read
//! from JSON of GarmentCode, SVG, and DXF of apparel programs; made into a mesh with a chart.

mod check;
/// Plane curves.
pub mod curve;
mod dxf;
/// Mesh of all panels.
pub mod garment;
mod garmentcode;
mod girth;
mod json;
mod model;
mod outline;
mod sample;
mod smooth;
mod svg;
mod triangulate;

pub use check::check;
pub use curve::Curve;
pub use girth::Girth;
pub use model::{Edge, Internal, Notch, Panel, Pattern, Placement, Side, Stitch, Wrap};

use crate::mesh::{MeshError, text};

/// Extensions of files of patterns.
pub const EXTENSIONS: &[&str] = &["json", "svg", "dxf"];

/// Largest size of a file of a pattern [bytes].
const LARGEST: usize = 64 << 20;

/// Settings for readers, for what a file may leave open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Length of a unit of the file [m], where the file does not say it or says it wrongly.
    pub unit: Option<f64>,
    /// Size, of a file with several.
    pub size: Option<String>,
}

/// Reads a pattern from the bytes of a file whose name ends in `extension` (any case).
///
/// # Errors
/// Fails for an unknown extension, and at the first place that cannot be read. [`check`] finds other faults.
pub fn read(extension: &str, bytes: &[u8], options: &Options) -> Result<Pattern, MeshError> {
    let bytes = text::there(bytes)?;
    if bytes.len() > LARGEST {
        return Err(MeshError::new("larger than 64 MiB; this is no pattern of a garment"));
    }
    let pattern = match extension.to_ascii_lowercase().as_str() {
        "json" => garmentcode::read(bytes, options)?,
        "svg" => svg::read(bytes, options)?,
        "dxf" => dxf::read(bytes, options)?,
        other => {
            return Err(MeshError::new(format!("unknown kind of pattern '.{other}'; .json, .svg and .dxf are read")));
        }
    };
    Ok(pattern)
}
