//! Drawing of a sewing pattern as SVG, in real size: panels beside each other, with names and arrows.

use crate::linalg::Vec2;
use crate::page::escape;
use crate::pattern::{Curve, Panel, Pattern, Side};
use std::fmt::Write;

/// Width of a row of panels [m].
const WIDTH: f64 = 1.5;
/// Room around each panel [m].
const GAP: f64 = 0.1;
/// Distance of chords from curves [m].
const CHORD: f64 = 1e-4;
/// Colours of seams, by their number.
const COLOURS: [&str; 8] = ["#1f6fb4", "#d1342c", "#2a9134", "#8a4fb8", "#c77800", "#138d90", "#b8336a", "#6b6b00"];

/// Draws all panels.
pub(super) fn drawing(pattern: &Pattern) -> String {
    let (places, size) = layout(pattern);
    let mut svg = String::new();
    let [w, h] = [1e3 * size.x, 1e3 * size.y];
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.1}mm\" height=\"{h:.1}mm\" viewBox=\"0 0 {w:.1} {h:.1}\" \
         font-family=\"sans-serif\" font-size=\"10\" fill=\"none\" stroke-width=\"1\" stroke=\"#444\">"
    );
    let _ = writeln!(svg, "<rect width=\"{w:.1}\" height=\"{h:.1}\" fill=\"#fff\" stroke=\"none\"/>");
    for (k, (panel, shift)) in pattern.panels.iter().zip(&places).enumerate() {
        draw(&mut svg, pattern, (k, panel), *shift);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns the shift of each panel, and the size of the sheet [m].
fn layout(pattern: &Pattern) -> (Vec<Vec2>, Vec2) {
    let mut at = Vec2::repeat(GAP);
    let (mut row, mut size) = (0.0_f64, Vec2::zeros());
    let places = pattern.panels.iter().map(|panel| {
        let [low, high] = panel.bounds();
        let extent = high - low;
        if at.x > GAP && at.x + extent.x > WIDTH {
            at = Vec2::new(GAP, at.y + row + GAP);
            row = 0.0;
        }
        // The picture has y downwards, so its top is the panel's highest point.
        let place = Vec2::new(at.x - low.x, at.y + high.y);
        at.x += extent.x + GAP;
        row = row.max(extent.y);
        size = size.sup(&Vec2::new(at.x, at.y + row + GAP));
        place
    });
    let places = places.collect();
    (places, size)
}

/// Formats a point in millimetres of the picture.
fn mm(p: Vec2, shift: Vec2) -> String {
    format!("{:.2},{:.2}", 1e3 * (p.x + shift.x), 1e3 * (shift.y - p.y))
}

fn points(curve: &Curve, shift: Vec2) -> String {
    curve.flattened(CHORD).into_iter().map(|p| mm(p, shift)).collect::<Vec<_>>().join(" ")
}

fn text(svg: &mut String, at: String, attributes: &str, words: &str) {
    let (x, y) = at.split_once(',').unwrap_or_default();
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" stroke=\"none\" dominant-baseline=\"middle\" {attributes}>{}</text>",
        escape(words)
    );
}

/// Draws a panel: its area, edges with names and arrows, notches, lines, grain and name.
fn draw(svg: &mut String, pattern: &Pattern, (k, panel): (usize, &Panel), shift: Vec2) {
    let rings = std::iter::once(&panel.outline).chain(&panel.holes);
    let path: String = rings
        .map(|edges| {
            let all = edges.iter().map(|e| points(&e.curve, shift)).collect::<Vec<_>>().join(" ");
            format!("M {all} Z ")
        })
        .collect();
    let _ = writeln!(svg, "<path d=\"{path}\" fill=\"#eef1f5\" fill-rule=\"evenodd\" stroke=\"none\"/>");
    let [low, high] = panel.bounds();
    let letter = (60.0 * (high - low).amin()).clamp(4.0, 12.0);
    for edge in 0..panel.edges().count() {
        draw_edge(svg, pattern, Side { panel: k, edge }, (shift, letter));
    }
    for notch in &panel.notches {
        let at = mm(notch.at, shift);
        let (x, y) = at.split_once(',').unwrap_or_default();
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3\" fill=\"#d1342c\" stroke=\"none\"/>");
    }
    for line in &panel.lines {
        let dashes = "stroke=\"#888\" stroke-dasharray=\"4 3\"";
        let _ = writeln!(svg, "<polyline points=\"{}\" {dashes}/>", points(&line.curve, shift));
        let at = mm(line.curve.at(line.curve.length() / 2.0), shift);
        text(svg, at, "fill=\"#888\" font-size=\"8\" text-anchor=\"middle\"", &line.name);
    }
    named(svg, panel, shift, 2.0 * letter);
}

/// Draws an edge: coloured by its seam, with an arrow, its name, and the number of the seam.
fn draw_edge(svg: &mut String, pattern: &Pattern, side: Side, (shift, letter): (Vec2, f64)) {
    let Some((panel, edge)) = pattern.panels.get(side.panel).zip(pattern.edge(side)) else { return };
    let outwards = if panel.is_anticlockwise() { -1.0 } else { 1.0 };
    let seam = pattern.stitches.iter().position(|s| s.sides.contains(&side));
    let colour = seam.map_or("#444", |s| COLOURS[s % COLOURS.len()]);
    let width = if seam.is_some() { 2.0 } else { 1.0 };
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
        points(&edge.curve, shift)
    );
    let length = edge.curve.length();
    let middle = edge.curve.at(length / 2.0);
    let along = edge.curve.at(0.52 * length) - edge.curve.at(0.48 * length);
    let along = along.try_normalize(1e-9).unwrap_or_default();
    let out = Vec2::new(-along.y, along.x) * outwards;
    arrow(svg, (middle, along), shift, colour);
    let dot = mm(edge.curve.start(), shift);
    let (x, y) = dot.split_once(',').unwrap_or_default();
    let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"1.5\" fill=\"#444\" stroke=\"none\"/>");
    // Short edges have small letters, so that names do not lie over each other.
    let label = edge.label.as_ref().map(|l| format!(" {l}")).unwrap_or_default();
    let seam = seam.map(|s| format!(" ({})", s + 1)).unwrap_or_default();
    let words = format!("{}{label}{seam}", edge.name);
    let room = 1.6e3 * length / words.chars().count() as f64;
    let own = letter.min(room.max(3.0)).min(400.0 * length).max(2.5);
    let at = mm(middle + out * (1.1e-3 * own + 2e-3), shift);
    let anchor = ["end", "middle", "start"][(1.0 + (2.0 * out.x).trunc().clamp(-1.0, 1.0)) as usize];
    let attributes = format!("fill=\"{colour}\" font-size=\"{own:.1}\" text-anchor=\"{anchor}\"");
    text(svg, at, &attributes, &words);
}

/// Draws the head of an arrow at a point.
fn arrow(svg: &mut String, (at, along): (Vec2, Vec2), shift: Vec2, colour: &str) {
    let across = Vec2::new(-along.y, along.x);
    let corners = [at + along * 6e-3, at - along * 4e-3 + across * 4e-3, at - along * 4e-3 - across * 4e-3];
    let corners = corners.map(|p| mm(p, shift)).join(" ");
    let _ = writeln!(svg, "<polygon points=\"{corners}\" fill=\"{colour}\" stroke=\"none\"/>");
}

/// Draws the name of a panel and its grain line at the middle of its bounding box.
fn named(svg: &mut String, panel: &Panel, shift: Vec2, letter: f64) {
    let [low, high] = panel.bounds();
    let middle = 0.5 * (low + high);
    let reach = 0.3 * (high - low).amin();
    let grain = Curve::line(middle - panel.grain * reach, middle + panel.grain * reach);
    let _ = writeln!(svg, "<polyline points=\"{}\" stroke=\"#999\"/>", points(&grain, shift));
    arrow(svg, (grain.end(), panel.grain), shift, "#999");
    arrow(svg, (grain.start(), -panel.grain), shift, "#999");
    let room = (1.6e3 * (high - low).x / panel.name.chars().count().max(1) as f64).max(3.0);
    let attributes = format!("fill=\"#222\" font-size=\"{:.1}\" text-anchor=\"middle\"", letter.min(room));
    text(svg, mm(middle, shift), &attributes, &panel.name);
}
