//! Figures of the air scenes, from run folders: `cargo run --release --example air_figures`.
//!
//! `docs/pillow-volume.svg`: volume inside the cover of `out/pillow` and `out/pillow-cloth` over time.
//! `docs/wind-pillow.png`: height of the cover of `out/wind-pillow` along its middle (from left to right) over time
//! (downwards), red above its mean and blue below.

use percale::linalg::Vec3;
use percale::render::{Image, Map};
use percale::sequence::Folder;
use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// Number of points along the middle.
const POINTS: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    volumes(&["pillow", "pillow-cloth"])?;
    kymograph("wind-pillow")
}

/// Returns the triangles of the cover of a run, and its vertices by frame [m].
#[expect(clippy::type_complexity)]
fn cover(run: &str) -> Result<(Vec<[u32; 3]>, Vec<Vec<Vec3>>), Box<dyn Error>> {
    let folder = Folder::new(&Path::new("out").join(run));
    let record = folder.read_run().map_err(|e| e.to_string())?;
    let entry = record.objects.iter().find(|o| o.name == "cover").ok_or("no cover")?;
    let (mut triangles, mut frames) = (Vec::new(), Vec::new());
    for frame in 1..=record.done {
        let (shape, at) = folder.read_mesh(entry, frame).map_err(|e| e.to_string())?.ok_or("no mesh")?;
        triangles = shape.triangles.clone();
        frames.push(at.positions);
    }
    Ok((triangles, frames))
}

fn volumes(runs: &[&str]) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new("docs/pillow-volume.svg", (640, 320)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..1.4, 11.0..15.0)?;
    chart.configure_mesh().x_desc("time [s]").y_desc("volume [l]").draw()?;
    for (run, colour) in runs.iter().zip([RED, BLACK]) {
        let (triangles, frames) = cover(run)?;
        let volume = |x: &[Vec3]| {
            let corners = triangles.iter().map(|t| t.map(|v| x[v as usize]));
            1e3 * corners.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum::<f64>()
        };
        let line = frames.iter().enumerate().map(|(k, x)| (k as f64 / 30.0, volume(x)));
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 20, y)], colour);
        chart.draw_series(LineSeries::new(line, &colour))?.label(*run).legend(legend);
    }
    chart.configure_series_labels().background_style(WHITE).border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}

fn kymograph(run: &str) -> Result<(), Box<dyn Error>> {
    let (_, frames) = cover(run)?;
    let start = &frames[0];
    let top = start.iter().map(|p| p.y).sum::<f64>() / start.len() as f64;
    let mut middle: Vec<usize> = (0..start.len()).filter(|v| start[*v].z.abs() < 0.008 && start[*v].y > top).collect();
    middle.sort_by(|a, b| start[*a].x.total_cmp(&start[*b].x));
    let (first, last) = (start[middle[0]].x, start[middle[middle.len() - 1]].x);
    let height = |x: &[Vec3], k: usize| {
        let at = first + (last - first) * k as f64 / (POINTS - 1) as f64;
        let right = middle.partition_point(|v| start[*v].x < at).clamp(1, middle.len() - 1);
        let [a, b] = [middle[right - 1], middle[right]];
        let part = (at - start[a].x) / (start[b].x - start[a].x);
        x[a].y + part * (x[b].y - x[a].y)
    };
    // The first quarter of the frames is left out, until the initial motion has decayed.
    let frames = &frames[frames.len() / 4..];
    let heights: Vec<Vec<f64>> = frames.iter().map(|x| (0..POINTS).map(|k| height(x, k)).collect()).collect();
    let mean = |k: usize| heights.iter().map(|row| row[k]).sum::<f64>() / heights.len() as f64;
    let means: Vec<f64> = (0..POINTS).map(mean).collect();
    let away = |row: &[f64], k: usize| row[k] - means[k];
    let most = heights.iter().flat_map(|row| (0..POINTS).map(|k| away(row, k).abs())).fold(0.0, f64::max);
    println!("{run}: {:.1} mm from the mean at most", 1e3 * most);
    let (width, height) = (600, 450);
    let mut image = Image::filled(width, height, [0.0; 3]);
    for (pixel, colour) in image.pixels.iter_mut().enumerate() {
        // Bilinear interpolation between the four nearest samples.
        let place = |at: usize, of: usize, last: usize| at as f64 / (of - 1) as f64 * last as f64;
        let (x, y) = (place(pixel % width, width, POINTS - 1), place(pixel / width, height, heights.len() - 1));
        let along = |row: &[f64]| {
            let k = (x as usize).min(POINTS - 2);
            away(row, k) + (x - k as f64) * (away(row, k + 1) - away(row, k))
        };
        let k = y as usize;
        let [above, below] = [k, (k + 1).min(heights.len() - 1)].map(|k| along(&heights[k]));
        let value = above + (y - k as f64) * (below - above);
        *colour = Map::Diverging.colour(0.5 + 0.5 * value / most).map(|c| c as f32);
    }
    std::fs::write(Path::new("docs").join("wind-pillow.png"), image.png()?)?;
    Ok(())
}
