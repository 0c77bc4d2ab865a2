//! Contact sheet: many frames in one picture.

use super::font::{self, Style};
use super::raster::Image;

/// Frame of a contact sheet.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// Label at the lower left; may be empty.
    pub label: &'a str,
    /// Image of the frame.
    pub image: &'a Image,
}

/// Least legible height of a capital [pixels].
const LEAST: f64 = 5.5;

/// Sets frames side by side, `columns` in a row, each `width` pixels wide. Heights follow the first frame's shape.
/// Frames are reduced by averaging linear light over each new pixel's area.
pub fn contact_sheet(cells: &[Cell], columns: usize, width: usize) -> Image {
    let (columns, width) = (columns.clamp(1, cells.len().max(1)), width.max(1));
    let shape = cells.first().map_or((1, 1), |c| (c.image.width.max(1), c.image.height.max(1)));
    let height = (width * shape.1).div_ceil(shape.0).max(1);
    let gap = (width / 120).max(2);
    let rows = cells.len().div_ceil(columns);
    let paper = [0.9f32; 3];
    let mut sheet = Image::filled(columns * (width + gap) + gap, rows.max(1) * (height + gap) + gap, paper);
    let size = (width as f64 / 32.0).max(7.0);
    // All labels have the same size, so small that the longest fits, but legible. Longer labels are cut.
    let room = width as f64 - 2.0 * size;
    let longest = cells.iter().map(|cell| font::width(cell.label, size)).fold(0.0, f64::max);
    let size = if longest > room { (size * room / longest).max(LEAST) } else { size };
    let style = Style { size, colour: [0.95; 3], rim: [0.03, 0.035, 0.045] };
    for (k, cell) in cells.iter().enumerate() {
        let (x0, y0) = (gap + k % columns * (width + gap), gap + k / columns * (height + gap));
        let small = resize(cell.image, width, height);
        for (row, line) in small.pixels.chunks(width).enumerate() {
            for (x, p) in line.iter().enumerate() {
                sheet.blend((x0 + x) as i64, (y0 + row) as i64, *p, 1.0);
            }
        }
        let (x, y) = (x0 as f64 + size, (y0 + height) as f64 - 1.9 * size);
        let letters: Vec<char> = cell.label.chars().collect();
        let fits = (0..=letters.len()).rev().find(|n| font::width(&cut(&letters, *n), size) <= room).unwrap_or(0);
        font::write(&mut sheet, x, y, &cut(&letters, fits), &style);
    }
    sheet
}

impl Image {
    /// Returns the image at most `width` pixels wide, reduced by area averages.
    pub fn narrowed(&self, width: usize) -> Image {
        if self.width <= width {
            return self.clone();
        }
        resize(self, width.max(1), (width * self.height).div_ceil(self.width.max(1)).max(1))
    }
}

/// Returns the first `count` letters of a label, followed by dots if the label is longer.
fn cut(letters: &[char], count: usize) -> String {
    if count == letters.len() {
        return letters.iter().collect();
    }
    letters.iter().take(count).collect::<String>() + "..."
}

/// Returns the source pixels under each of `count` new pixels, with their shares of its area.
fn shares(source: usize, count: usize) -> Vec<Vec<(usize, f32)>> {
    let ratio = source as f64 / count as f64;
    let one = |i: usize| {
        let (a, b) = (i as f64 * ratio, (i + 1) as f64 * ratio);
        let last = (b.ceil() as usize).min(source);
        let part = |j: usize| (j, ((b.min(j as f64 + 1.0) - a.max(j as f64)).max(0.0) / ratio) as f32);
        (a.floor() as usize..last).map(part).collect()
    };
    (0..count).map(one).collect()
}

/// Resizes an image by area averages in linear light.
pub(super) fn resize(image: &Image, width: usize, height: usize) -> Image {
    if image.width == 0 || image.height == 0 || image.pixels.len() != image.width * image.height {
        return Image::filled(width, height, [0.0; 3]);
    }
    let across = shares(image.width, width);
    let mut narrow = Vec::with_capacity(width * image.height);
    for row in image.pixels.chunks(image.width) {
        for part in &across {
            narrow.push(part.iter().fold([0f32; 3], |s, (j, w)| [0, 1, 2].map(|c| s[c] + row[*j][c] * w)));
        }
    }
    let mut small = Image::filled(width, height, [0.0; 3]);
    for (line, part) in small.pixels.chunks_mut(width).zip(shares(image.height, height)) {
        for (j, w) in part {
            for (out, p) in line.iter_mut().zip(&narrow[j * width..]) {
                *out = [0, 1, 2].map(|c| out[c] + p[c] * w);
            }
        }
    }
    small
}
