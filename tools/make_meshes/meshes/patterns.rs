//! The T-shirt's pattern in the other formats that are read: DXF of apparel programs, and JSON of GarmentCode.

use percale::linalg::Vec2;
use percale::pattern::{Curve, Edge, Options, Panel, Pattern, check, read};
use std::fmt::{Display, Write};

/// The pattern as it was drawn.
const DRAWN: &str = include_str!("../../../meshes/t-shirt.svg");
/// Distance of points on curves in DXF [m]. A spline through them is nearer to the curve than a tenth of a millimetre.
const SPACING: f64 = 5e-3;
/// Seam allowance of the cut lines in DXF [m].
const ALLOWANCE: f64 = 0.01;
/// Translation [cm] and rotation [deg] of each panel in JSON, as `scenes/walk.toml` places them.
const PLACES: [(&str, [f64; 3], [f64; 3]); 4] = [
    ("front", [0.0, 114.0, 24.0], [0.0, 0.0, 0.0]),
    ("back", [0.0, 114.0, -24.0], [0.0, 180.0, 0.0]),
    ("sleeve-left", [31.6, 131.3, -0.8], [0.0, 90.0, 38.0]),
    ("sleeve-right", [-31.6, 131.3, -0.8], [0.0, -90.0, -38.0]),
];

/// Returns the name and the text of every pattern that is made.
pub fn patterns() -> Vec<(&'static str, String)> {
    let mut drawn = read("svg", DRAWN.as_bytes(), &Options::default()).expect("the drawing is a pattern");
    check(&mut drawn).expect("the drawing is sound");
    vec![("t-shirt.dxf", dxf(&drawn)), ("t-shirt.json", json(&drawn))]
}

/// Returns the middle of a panel's bounding box [m].
fn middle(panel: &Panel) -> Vec2 {
    let [low, high] = panel.bounds();
    0.5 * (low + high)
}

/// Adds a group code and its value.
fn pair(out: &mut String, code: u8, value: impl Display) {
    let _ = writeln!(out, "{code}\n{value}");
}

/// Adds a point in millimetres.
fn point(out: &mut String, codes: [u8; 2], p: Vec2) {
    for (code, x) in codes.into_iter().zip([p.x, p.y]) {
        // Adding zero removes its sign.
        pair(out, code, format!("{:.2}", (1e5 * x).round() / 100.0 + 0.0));
    }
}

/// Adds the beginning of an entity on a layer.
fn entity(out: &mut String, kind: &str, layer: &str) {
    pair(out, 0, kind);
    pair(out, 8, layer);
}

fn words(out: &mut String, text: &str) {
    entity(out, "TEXT", "1");
    point(out, [10, 20], Vec2::zeros());
    pair(out, 40, "5.00");
    pair(out, 1, text);
}

/// Writes DXF of ASTM D6673: cut line, sew line, turn points, curve points and grain of each piece.
fn dxf(pattern: &Pattern) -> String {
    let mut out = String::new();
    for section in ["HEADER", "BLOCKS"] {
        pair(&mut out, 0, "SECTION");
        pair(&mut out, 2, section);
        if section == "BLOCKS" {
            pattern.panels.iter().for_each(|panel| block(&mut out, panel));
        }
        pair(&mut out, 0, "ENDSEC");
    }
    pair(&mut out, 0, "SECTION");
    pair(&mut out, 2, "ENTITIES");
    ["ASTM/D13 Proposal 1 Version: D6673-04", "Style Name: T-SHIRT", "Sample Size: M", "Units: METRIC"]
        .iter()
        .for_each(|text| words(&mut out, text));
    for panel in &pattern.panels {
        entity(&mut out, "INSERT", "1");
        pair(&mut out, 2, &panel.name);
        point(&mut out, [10, 20], Vec2::zeros());
    }
    pair(&mut out, 0, "ENDSEC");
    pair(&mut out, 0, "EOF");
    out
}

fn block(out: &mut String, panel: &Panel) {
    let around = middle(panel);
    pair(out, 0, "BLOCK");
    pair(out, 8, "1");
    pair(out, 2, &panel.name);
    pair(out, 70, 64);
    point(out, [10, 20], Vec2::zeros());
    words(out, &format!("Piece Name: {}", panel.name));
    words(out, "Size: M");
    words(out, "Quantity: 1");
    let sampled: Vec<Vec<Vec2>> = panel.outline.iter().map(|edge| sampled(edge, around)).collect();
    let corner: Vec<bool> = sampled.iter().flat_map(|edge| (0..edge.len()).map(|k| k == 0)).collect();
    let sewn = sampled.concat();
    for (layer, line) in [("1", offset(&sewn, ALLOWANCE)), ("14", sewn)] {
        entity(out, "POLYLINE", layer);
        pair(out, 66, 1);
        pair(out, 70, 1);
        for p in &line {
            entity(out, "VERTEX", layer);
            point(out, [10, 20], *p);
        }
        entity(out, "SEQEND", layer);
        for (p, corner) in line.iter().zip(&corner) {
            entity(out, "POINT", if *corner { "2" } else { "3" });
            point(out, [10, 20], *p);
        }
    }
    entity(out, "LINE", "7");
    point(out, [10, 20], -0.05 * panel.grain);
    point(out, [11, 21], 0.05 * panel.grain);
    pair(out, 0, "ENDBLK");
    pair(out, 8, "1");
}

/// Returns points on an edge without its end, relative to a point; of a straight one its start.
fn sampled(edge: &Edge, around: Vec2) -> Vec<Vec2> {
    let Edge { curve, .. } = edge;
    let parts = if curve.is_straight() { 1 } else { (curve.length() / SPACING).ceil() as usize };
    (0..parts).map(|k| curve.at(curve.length() * k as f64 / parts as f64) - around).collect()
}

/// Returns an anticlockwise polygon that is larger by a distance on all sides, with mitred corners.
fn offset(polygon: &[Vec2], by: f64) -> Vec<Vec2> {
    let count = polygon.len();
    let normal = |k: usize| {
        let along = (polygon[(k + 1) % count] - polygon[k % count]).normalize();
        Vec2::new(along.y, -along.x)
    };
    (0..count)
        .map(|k| {
            let [before, after] = [normal(k + count - 1), normal(k)];
            polygon[k] + (before + after) * (by / (1.0 + before.dot(&after)))
        })
        .collect()
}

/// Writes a specification of GarmentCode in centimetres. Edges of several cubic curves become as many edges.
fn json(pattern: &Pattern) -> String {
    let mut firsts = Vec::new();
    let mut panels = Vec::new();
    for panel in &pattern.panels {
        let (text, first) = specified(panel);
        panels.push(text);
        firsts.push(first);
    }
    let stitch = |stitch: &percale::pattern::Stitch| {
        let sides = stitch.sides.map(|side| {
            let first = &firsts[side.panel];
            assert_eq!(first[side.edge] + 1, first[side.edge + 1], "stitches join whole edges");
            format!("{{ \"panel\": \"{}\", \"edge\": {} }}", pattern.panels[side.panel].name, first[side.edge])
        });
        assert!(!stitch.starts_meet, "fronts are on the same side");
        format!("      [{}, {}]", sides[0], sides[1])
    };
    let stitches: Vec<String> = pattern.stitches.iter().map(stitch).collect();
    let order: Vec<String> = pattern.panels.iter().map(|panel| format!("\"{}\"", panel.name)).collect();
    format!(
        "{{\n  \"pattern\": {{\n    \"panels\": {{\n{}\n    }},\n    \"stitches\": [\n{}\n    ],\n    \"panel_order\": [{}]\n  }},\n  \
         \"parameters\": {{}},\n  \"parameter_order\": [],\n  \"properties\": {{ \"curvature_coords\": \"relative\", \
         \"normalize_panel_translation\": false, \"normalized_edge_loops\": true, \"units_in_meter\": 100 }}\n}}\n",
        panels.join(",\n"),
        stitches.join(",\n"),
        order.join(", ")
    )
}

/// Returns the text of a panel, and the number of each edge's first part, with that after the last.
fn specified(panel: &Panel) -> (String, Vec<usize>) {
    let around = middle(panel);
    let (mut vertices, mut edges, mut first) = (Vec::new(), Vec::new(), vec![0]);
    let parts: Vec<(&Edge, Vec<[Vec2; 4]>)> = panel.outline.iter().map(|edge| (edge, parts(&edge.curve))).collect();
    let count: usize = parts.iter().map(|(_, parts)| parts.len()).sum();
    for (edge, parts) in &parts {
        for [from, a, b, to] in parts {
            let k = vertices.len();
            let corner: Vec2 = (from - around) * 100.0;
            vertices.push(format!("[{}, {}]", rounded(corner.x), rounded(corner.y)));
            let along = to - from;
            let across = Vec2::new(-along.y, along.x);
            let relative = |p: &Vec2| {
                let [x, y] = [along, across].map(|axis| axis.dot(&(p - from)) / along.norm_squared());
                format!("[{}, {}]", rounded(x), rounded(y))
            };
            let bend = if edge.curve.is_straight() {
                String::new()
            } else {
                format!(", \"curvature\": {{ \"type\": \"cubic\", \"params\": [{}, {}] }}", relative(a), relative(b))
            };
            let named = edge.name.parse::<usize>().is_err();
            let label = if named { format!(", \"label\": \"{}\"", edge.name) } else { String::new() };
            edges.push(format!("          {{ \"endpoints\": [{k}, {}]{bend}{label} }}", (k + 1) % count));
        }
        first.push(vertices.len());
    }
    let (_, shift, turn) = PLACES.iter().find(|(name, ..)| *name == panel.name).expect("each panel has a place");
    let text = format!(
        "      \"{}\": {{\n        \"translation\": {shift:?},\n        \"rotation\": {turn:?},\n        \"vertices\": [{}],\n        \
         \"edges\": [\n{}\n        ]\n      }}",
        panel.name,
        vertices.join(", "),
        edges.join(",\n")
    );
    (text, first)
}

/// Returns ends and control points of the cubic curves of an edge; a straight one is one of them.
fn parts(curve: &Curve) -> Vec<[Vec2; 4]> {
    if curve.is_straight() { vec![[curve.start(), curve.start(), curve.end(), curve.end()]] } else { curve.cubics() }
}

/// Rounds to six decimals, without a sign of zero.
fn rounded(x: f64) -> f64 {
    (1e6 * x).round() / 1e6 + 0.0
}
