//! Real size of a drawing: width, height and view box.

use super::super::model::short;
use super::Place;
use crate::mesh::MeshError;
use crate::mesh::number_text::rounded;
use kurbo::Affine;
use roxmltree::Node;
use std::str::FromStr;
use svgtypes::{AspectRatio, Length, LengthUnit, ViewBox};

/// Resolutions of programs that draw in pixels [1/inch].
const DOTS: [(f64, &str); 3] = [(96.0, "Inkscape, browsers"), (90.0, "Inkscape before 0.92"), (72.0, "Illustrator")];

/// Returns a length in metres, or `None` if its unit is none of length.
pub(super) fn metres(length: Length) -> Option<f64> {
    let unit = match length.unit {
        LengthUnit::In => 0.0254,
        LengthUnit::Cm => 1e-2,
        LengthUnit::Mm => 1e-3,
        LengthUnit::Pt => 0.0254 / 72.0,
        LengthUnit::Pc => 0.0254 / 6.0,
        _ => return None,
    };
    Some(length.number * unit)
}

/// Returns the map from user units to metres with y upwards.
///
/// # Errors
/// Fails if the drawing has no real size and `unit`, the length of a user unit [m], is not given.
pub(super) fn real(root: &Node, unit: Option<f64>, place: &Place) -> Result<Affine, MeshError> {
    let flip = |scale: f64| Affine::new([scale, 0.0, 0.0, -scale, 0.0, 0.0]);
    if let Some(unit) = unit {
        return Ok(flip(unit));
    }
    let size = |name: &str| -> Result<Option<f64>, MeshError> {
        let Some(text) = root.attribute(name) else { return Ok(None) };
        match Length::from_str(text.trim()) {
            Ok(length) => Ok(metres(length).filter(|m| m.is_finite() && *m > 0.0)),
            Err(_) => Err(place.fault(root, format!("{name}=\"{}\" is no length", short(text)))),
        }
    };
    let (width, height) = (size("width")?, size("height")?);
    let (Some(width), Some(height)) = (width, height) else { return Err(unitless(root, place)) };
    let Some(text) = root.attribute("viewBox") else {
        // Without a view box a user unit is a pixel, of which CSS has 96 in an inch.
        return Ok(flip(0.0254 / 96.0));
    };
    let view = ViewBox::from_str(text).ok().filter(|v| v.w > 0.0 && v.h > 0.0);
    let Some(view) = view else {
        return Err(
            place.fault(root, format!("viewBox=\"{}\" is wrong; four numbers, the last two above 0", short(text)))
        );
    };
    let (x, y) = (width / view.w, height / view.h);
    let aspect = root.attribute("preserveAspectRatio").and_then(|a| AspectRatio::from_str(a).ok());
    let skewed = (x / y - 1.0).abs() > 1e-3;
    match aspect {
        Some(aspect) if skewed && aspect.align == svgtypes::Align::None => {
            let what = "width, height and viewBox stretch the drawing by different factors; give them the same ratio";
            Err(place.fault(root, what))
        }
        Some(aspect) if aspect.slice => Ok(flip(x.max(y))),
        _ => Ok(flip(x.min(y))),
    }
}

/// Returns the fault of a drawing without a real size, with the sizes that it may have.
fn unitless(root: &Node, place: &Place) -> MeshError {
    let number = |name: &str| Length::from_str(root.attribute(name)?.trim()).ok().map(|l| l.number);
    let view = root.attribute("viewBox").and_then(|text| ViewBox::from_str(text).ok());
    let user = view.map(|v| v.w).or_else(|| number("width")).unwrap_or(100.0);
    let sizes = DOTS.map(|(dots, who)| {
        let unit = 25.4 / dots;
        format!("{unit:.6} mm ({dots} to an inch, {who}): {} cm wide", rounded(0.1 * unit * user))
    });
    place.fault(
        root,
        format!(
            "the drawing has no real size: give width and height in mm, cm or in, or the length of a unit with 'unit'; of {} units, unit = {}",
            rounded(user),
            sizes.join("; ")
        ),
    )
}
