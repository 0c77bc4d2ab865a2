//! Legend of a field colouring: a bar of the colour map between two values, with label and unit.

use super::colormap::Map;
use super::font::{self, Style};
use super::raster::Image;
use super::settings::{Object, Paint};

/// Legend of a coloured field.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Name of the field, with its unit.
    pub title: String,
    /// Value at the first colour.
    pub min: f64,
    /// Value at the last colour.
    pub max: f64,
    /// Colour map.
    pub map: Map,
}

/// Returns a legend for each distinct field among the objects.
pub(super) fn of(objects: &[Object]) -> Vec<Legend> {
    let mut all: Vec<Legend> = Vec::new();
    for object in objects {
        if let Paint::Field { min, max, map, label, unit, .. } = object.paint {
            let title = if unit.is_empty() { label.to_string() } else { format!("{label} [{unit}]") };
            let legend = Legend { title, min, max, map };
            if !all.contains(&legend) {
                all.push(legend);
            }
        }
    }
    all
}

/// Formats a number with three significant digits.
fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".to_string()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{x:.2e}")
    } else {
        let digits = (2 - size.log10().floor() as i32).max(0) as usize;
        let text = format!("{x:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    }
}

/// Returns the text style for an image of `height` pixels.
fn style(height: usize) -> Style {
    Style { size: (height as f64 / 45.0).max(7.0), colour: [0.9, 0.92, 0.95], rim: [0.03, 0.035, 0.045] }
}

/// Writes a note into the upper left corner.
pub(super) fn note(image: &mut Image, text: &str) {
    let style = style(image.height);
    font::write(image, 1.6 * style.size, 1.6 * style.size, text, &style);
}

impl Legend {
    /// Draws the legend at the lower right, as number `place` upwards from the lowest legend.
    pub(super) fn draw(&self, image: &mut Image, place: usize) {
        let style = style(image.height);
        let size = style.size;
        let margin = 1.6 * size;
        let (length, thick) = (14.0 * size, 0.9 * size);
        let left = image.width as f64 - margin - length;
        let bottom = image.height as f64 - margin - place as f64 * 5.2 * size;
        let bar = bottom - 1.5 * size - thick;
        let rim = (0.1 * size).ceil().max(1.0) as i64;
        let (x0, y0) = (left.round() as i64, bar.round() as i64);
        let (across, down) = (length.round() as i64, thick.round().max(1.0) as i64);
        for y in -rim..down + rim {
            for x in -rim..across + rim {
                let inside = (0..across).contains(&x) && (0..down).contains(&y);
                let t = (x as f64 + 0.5) / across as f64;
                let colour = if inside { self.map.colour(t).map(|c| c as f32) } else { style.rim };
                image.blend(x0 + x, y0 + y, colour, if inside { 1.0 } else { 0.6 });
            }
        }
        font::write(image, left, bar - 1.7 * size, &self.title, &style);
        let (low, high) = (number(self.min), number(self.max));
        let below = bar + thick + 0.5 * size;
        font::write(image, left, below, &low, &style);
        font::write(image, left + length - font::width(&high, size), below, &high, &style);
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (0.05, "0.05"),
            (-0.12345, "-0.123"),
            (12.5, "12.5"),
            (1234.0, "1234"),
            (2.5e-6, "2.50e-6"),
            (100.0, "100"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
    }
}
