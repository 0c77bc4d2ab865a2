//! Measurements from photographs: profiles of curled strips and lengths of stretched samples, in front of a chart.
//!
//! The chart has eight marks at known distances ([`Chart`]). A projective map takes pixels to its plane, which removes
//! tilt of the camera, but not distortion of its lens. The sample lies in the plane of the chart.

use crate::linalg::Vec2;
use crate::measure::{Band, Chart, MARK, Marks, Photo, Spot};
use crate::render::Image;
use std::fmt::Write;

/// Direction in the chart from a sample's middle to the end that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// Upwards.
    Top,
    /// Downwards.
    Bottom,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// Scale of a photograph, for words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Size of a pixel in the middle of the chart [m].
    pub pixel: f64,
    /// Root mean square distance of the marks from their places [m].
    pub residual: f64,
}

/// Most points of a profile.
const POINTS: usize = 120;
/// Area of another shape, as part of the strip's, above which it is not dirt.
const OTHER: f64 = 0.05;
/// Margin around the marks on the printed chart, as part of its smaller side.
const MARGIN: f64 = 0.12;
/// Millimetres in a metre.
const MM: f64 = 1e3;

/// Finds the chart in a photograph and the spots inside it.
fn open(image: &Image, chart: &Chart) -> Result<(Photo, Marks, Vec<Spot>), String> {
    let photo = Photo::new(image)?;
    let spots = photo.spots();
    let marks = Marks::find(chart, &spots)?;
    let inside = |spot: &Spot| {
        let [x, y] = marks.place(&spot.centre).into();
        (0.0..chart.width).contains(&x) && (0.0..chart.height).contains(&y)
    };
    let own = spots.iter().enumerate().filter(|(k, spot)| !marks.spots.contains(k) && inside(spot));
    let own = own.map(|(_, spot)| spot.clone()).collect();
    Ok((photo, marks, own))
}

/// Returns the profile of a strip seen along its width, from the free end [m]: x to the right and y up in the chart.
///
/// # Errors
/// The photograph has no chart, or no single strip inside it.
pub fn profile(image: &Image, chart: &Chart, held: Held) -> Result<(Vec<Vec2>, Scale), String> {
    let (photo, marks, spots) = open(image, chart)?;
    let spot = spots.first().ok_or("there is no strip between the marks")?;
    if spots.get(1).is_some_and(|other| other.area > OTHER * spot.area) {
        return Err("there is more than one dark shape between the marks; cover all but the strip".to_string());
    }
    let band =
        Band::new(&photo, &spot.pixels).ok_or("what lies between the marks is no strip, seen along its width")?;
    if let Some(place) = band.thick {
        let [x, y]: [f64; 2] = marks.place(&place).into();
        let (x, y) = (MM * x, MM * y);
        return Err(format!(
            "the strip touches itself or something dark {x:.0} mm right and {y:.0} mm up of the lower left mark"
        ));
    }
    let mut line: Vec<Vec2> = band.line.iter().map(|p| marks.place(p)).collect();
    let way = line[line.len() - 1] - line[0];
    let last_is_held = match held {
        Held::Top => way.y > 0.0,
        Held::Bottom => way.y < 0.0,
        Held::Left => way.x < 0.0,
        Held::Right => way.x > 0.0,
    };
    if !last_is_held {
        line.reverse();
    }
    let every = line.len().div_ceil(POINTS).max(1);
    let last = line.len() - 1;
    let some = line.iter().enumerate().filter(|(k, _)| k % every == 0 && k + every / 2 < last || *k == last);
    Ok((some.map(|(_, p)| *p).collect(), Scale { pixel: marks.pixel, residual: marks.residual }))
}

/// Returns the distance of two round dots on a sample [m].
///
/// # Errors
/// The photograph has no chart, or not two dots inside it.
pub fn distance(image: &Image, chart: &Chart) -> Result<(f64, Scale), String> {
    let (_, marks, spots) = open(image, chart)?;
    let dots: Vec<&Spot> = spots.iter().filter(|spot| spot.round).collect();
    let [a, b] = dots[..] else {
        return Err(format!("there are {} round dots between the marks; draw two on the sample", dots.len()));
    };
    let [a, b] = [a, b].map(|dot| marks.place(&dot.centre));
    Ok(((b - a).norm(), Scale { pixel: marks.pixel, residual: marks.residual }))
}

/// Writes profiles as the table that `fit bending` reads, each with its radius [m] and number.
pub fn profiles_text(profiles: &[(f64, Vec<Vec2>)]) -> String {
    let mut text = String::from("radius [mm],repeat,x [mm],y [mm]\n");
    for (number, (radius, points)) in profiles.iter().enumerate() {
        for p in points {
            let _ = writeln!(text, "{:.6},{},{:.4},{:.4}", MM * radius, number + 1, MM * p.x, MM * p.y);
        }
    }
    text
}

/// Writes lengths as the table that `fit stretch` reads, in their order, each with its force [N] and length [m].
pub fn lengths_text(lengths: &[(f64, f64)]) -> String {
    let mut text = String::from("order,force [N],length [mm]\n");
    for (order, (force, length)) in lengths.iter().enumerate() {
        let _ = writeln!(text, "{},{force},{:.5}", order + 1, MM * length);
    }
    text
}

/// Draws the chart as SVG, to print at its true size.
pub fn chart_svg(chart: &Chart) -> String {
    let margin = MARGIN * chart.width.min(chart.height);
    let [w, h] = [chart.width, chart.height].map(|side| MM * (side + 2.0 * margin));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.3}mm\" height=\"{h:.3}mm\" viewBox=\"0 0 {w:.3} {h:.3}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (place, diameter) in chart.places().iter().zip(chart.diameters()) {
        let (x, y, r) = (MM * (place.x + margin), MM * (chart.height - place.y + margin), 0.5 * MM * diameter);
        let _ = writeln!(svg, "<circle cx=\"{x:.3}\" cy=\"{y:.3}\" r=\"{r:.3}\"/>");
    }
    let size = MM * MARK * chart.width.min(chart.height) * 0.6;
    let _ = writeln!(
        svg,
        "<text x=\"{:.3}\" y=\"{:.3}\" font-family=\"sans-serif\" font-size=\"{size:.2}\" fill=\"#999\">{} x {} mm \
         between the centres of the corner marks</text>\n</svg>",
        MM * margin,
        h - 0.25 * MM * margin,
        MM * chart.width,
        MM * chart.height
    );
    svg
}
