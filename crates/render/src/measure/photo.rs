//! Dark shapes of a photograph on a light ground.

use crate::linalg::Vec2;
use crate::render::Image;
use std::f64::consts::PI;

/// Photograph as the darkness of its pixels, by which uneven light is divided out.
#[derive(Clone, Debug)]
pub struct Photo {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Darkness of each pixel: 0 on the ground, 1 in a dark shape, between on its border.
    pub dark: Vec<f32>,
}

/// Connected dark pixels.
#[derive(Clone, Debug)]
pub struct Spot {
    /// Pixels that are more than half dark.
    pub pixels: Vec<u32>,
    /// Area, with its border by darkness [pixels].
    pub area: f64,
    /// Centre of area [pixels], from the centre of the upper left pixel, x to the right and y down.
    pub centre: Vec2,
    /// Second moments of its area about its centre: of x, of x and y, of y [square pixels].
    pub moments: [f64; 3],
    /// Whether it is an ellipse with axes of nearly equal length.
    pub round: bool,
}

/// Cells across the picture by which the light is measured.
const CELLS: usize = 24;
/// Share of a cell's pixels that are darker than its light.
const LIGHT: f64 = 0.9;
/// Least difference of ground and dark shapes, as part of the light.
const CONTRAST: f64 = 0.25;
/// Smallest spot that counts [pixels].
const SMALLEST: usize = 40;
/// Difference between the area of a spot and of the ellipse of its moments, below which it is an ellipse.
const ELLIPSE: f64 = 0.06;
/// Largest ratio of the axes of a round spot; a circle seen at 45 degrees has 1.41.
const ROUND: f64 = 1.5;
/// Bins of the histogram of darkness.
const BINS: usize = 256;

impl Photo {
    /// Measures the darkness of an image.
    ///
    /// # Errors
    /// The image has no dark shapes on a light ground.
    pub fn new(image: &Image) -> Result<Photo, String> {
        let (width, height) = (image.width, image.height);
        if width < 64 || height < 64 {
            return Err(format!("{width} x {height} pixels are too few, at least 64 are needed"));
        }
        let bright: Vec<f32> = image.pixels.iter().map(|[r, g, b]| 0.2126 * r + 0.7152 * g + 0.0722 * b).collect();
        let light = Light::new(&bright, width, height);
        let ratio: Vec<f32> = bright
            .iter()
            .enumerate()
            .map(|(k, bright)| (bright / light.at(k % width, k / width).max(1e-6)).clamp(0.0, 1.25))
            .collect();
        let [dark, ground] = levels(&ratio);
        if ground - dark < CONTRAST {
            return Err("no dark shapes on a light ground".to_string());
        }
        let span = (ground - dark) as f32;
        let dark = ratio.iter().map(|r| ((ground as f32 - r) / span).clamp(0.0, 1.0)).collect();
        Ok(Photo { width, height, dark })
    }

    /// Returns the darkness of a pixel; 0 outside the picture.
    pub fn at(&self, x: i64, y: i64) -> f64 {
        let inside = x >= 0 && y >= 0 && x < self.width as i64 && y < self.height as i64;
        if inside { f64::from(self.dark[y as usize * self.width + x as usize]) } else { 0.0 }
    }

    /// Returns a pixel's place.
    pub fn place(&self, pixel: u32) -> [i64; 2] {
        [i64::from(pixel) % self.width as i64, i64::from(pixel) / self.width as i64]
    }

    /// Returns the spots, largest first.
    pub fn spots(&self) -> Vec<Spot> {
        let mut seen = vec![false; self.dark.len()];
        let mut spots = Vec::new();
        for start in 0..self.dark.len() {
            if seen[start] || self.dark[start] <= 0.5 {
                continue;
            }
            seen[start] = true;
            let (mut pixels, mut next) = (vec![start as u32], 0);
            while let Some(pixel) = pixels.get(next).copied() {
                next += 1;
                let [x, y] = self.place(pixel);
                for (x, y) in around(x, y).filter(|(x, y)| self.at(*x, *y) > 0.5) {
                    let k = y as usize * self.width + x as usize;
                    if !std::mem::replace(&mut seen[k], true) {
                        pixels.push(k as u32);
                    }
                }
            }
            if pixels.len() >= SMALLEST {
                spots.push(self.spot(pixels));
            }
        }
        spots.sort_by(|a, b| b.area.total_cmp(&a.area));
        spots
    }

    /// Returns pixels with the border of half-dark pixels around them.
    pub fn with_border(&self, pixels: &[u32]) -> Vec<u32> {
        let mut all = pixels.to_vec();
        for pixel in pixels {
            let [x, y] = self.place(*pixel);
            let pale = around(x, y).filter(|(x, y)| (0.02..=0.5).contains(&self.at(*x, *y)));
            all.extend(pale.map(|(x, y)| (y as usize * self.width + x as usize) as u32));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn spot(&self, pixels: Vec<u32>) -> Spot {
        let (mut area, mut first, mut second) = (0.0, Vec2::zeros(), [0.0; 3]);
        for pixel in self.with_border(&pixels) {
            let [x, y] = self.place(pixel);
            let (weight, p) = (self.at(x, y), Vec2::new(x as f64, y as f64));
            area += weight;
            first += p * weight;
            second = [second[0] + weight * p.x * p.x, second[1] + weight * p.x * p.y, second[2] + weight * p.y * p.y];
        }
        let centre = first / area;
        let [a, b, c] = [
            second[0] / area - centre.x * centre.x,
            second[1] / area - centre.x * centre.y,
            second[2] / area - centre.y * centre.y,
        ];
        let (mean, half) = (0.5 * (a + c), (0.25 * (a - c).powi(2) + b * b).sqrt());
        let [most, least] = [mean + half, (mean - half).max(1e-9)];
        let ellipse = 4.0 * PI * (most * least).sqrt();
        let round = (area / ellipse - 1.0).abs() < ELLIPSE && most < ROUND * ROUND * least;
        Spot { pixels, area, centre, moments: [a, b, c], round }
    }
}

/// Returns the eight neighbours of a pixel.
pub(super) fn around(x: i64, y: i64) -> impl Iterator<Item = (i64, i64)> {
    (-1..=1).flat_map(move |j| (-1..=1).map(move |i| (x + i, y + j))).filter(move |at| *at != (x, y))
}

/// Light of the ground, by cells.
struct Light {
    cells: Vec<f32>,
    across: usize,
    down: usize,
    size: usize,
}

impl Light {
    /// Measures the light of each cell, and takes that of its brightest neighbour: a dark shape may cover a cell.
    fn new(bright: &[f32], width: usize, height: usize) -> Light {
        let size = (width.max(height) / CELLS).max(8);
        let (across, down) = (width.div_ceil(size), height.div_ceil(size));
        let mut own = Vec::with_capacity(across * down);
        for k in 0..across * down {
            let (x0, y0) = (k % across * size, k / across * size);
            let rows = y0..(y0 + size).min(height);
            let mut all: Vec<f32> =
                rows.flat_map(|y| &bright[y * width + x0..y * width + (x0 + size).min(width)]).copied().collect();
            let place = ((all.len() - 1) as f64 * LIGHT) as usize;
            own.push(*all.select_nth_unstable_by(place, f32::total_cmp).1);
        }
        let near = |k: usize, reach: i64| {
            let (x, y) = ((k % across) as i64, (k / across) as i64);
            let inside = move |(i, j): (i64, i64)| {
                let there = i >= 0 && j >= 0 && i < across as i64 && j < down as i64;
                there.then(|| j as usize * across + i as usize)
            };
            (-reach..=reach).flat_map(move |j| (-reach..=reach).map(move |i| (x + i, y + j))).filter_map(inside)
        };
        let brightest: Vec<f32> = (0..own.len()).map(|k| near(k, 2).map(|n| own[n]).fold(0.0, f32::max)).collect();
        let mean = |k: usize| {
            let (sum, count) = near(k, 1).fold((0.0, 0.0), |(sum, count), n| (sum + brightest[n], count + 1.0));
            sum / count
        };
        Light { cells: (0..own.len()).map(mean).collect(), across, down, size }
    }

    /// Returns the light at a pixel, linear between the centres of cells.
    fn at(&self, x: usize, y: usize) -> f32 {
        let part = |at: usize, count: usize| {
            let place = ((at as f32 + 0.5) / self.size as f32 - 0.5).clamp(0.0, (count - 1) as f32);
            let first = (place as usize).min(count.saturating_sub(2));
            (first, place - first as f32)
        };
        let ((i, u), (j, v)) = (part(x, self.across), part(y, self.down));
        let cell = |i: usize, j: usize| self.cells[j.min(self.down - 1) * self.across + i.min(self.across - 1)];
        let row = |j: usize| cell(i, j) * (1.0 - u) + cell(i + 1, j) * u;
        row(j) * (1.0 - v) + row(j + 1) * v
    }
}

/// Returns the mean darkness of dark shapes and of the ground, divided where their variance between is largest
/// (Otsu 1979).
fn levels(ratio: &[f32]) -> [f64; 2] {
    let mut bins = [0.0f64; BINS];
    let value = |bin: usize| (bin as f64 + 0.5) * 1.25 / BINS as f64;
    ratio.iter().for_each(|r| bins[((r / 1.25 * BINS as f32) as usize).min(BINS - 1)] += 1.0);
    let all: f64 = bins.iter().sum();
    let moment: f64 = bins.iter().enumerate().map(|(bin, count)| value(bin) * count).sum();
    let (mut below, mut first, mut best) = (0.0, 0.0, (0.0, [0.0, 0.0]));
    for (bin, count) in bins.iter().enumerate() {
        below += count;
        first += value(bin) * count;
        let above = all - below;
        if below > 0.0 && above > 0.0 {
            let means = [first / below, (moment - first) / above];
            let between = below * above * (means[1] - means[0]).powi(2);
            if between > best.0 {
                best = (between, means);
            }
        }
    }
    best.1
}
