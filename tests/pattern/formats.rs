//! The T-shirt in three formats: as drawn, as apparel programs write it, and as GarmentCode does.

use super::shirt::loaded;
use percale::linalg::Vec2;
use percale::pattern::{Panel, Pattern};
use percale::scene::sweep;
use std::path::{Path, PathBuf};

/// Largest distance of two outlines, and of the ends of their edges [m].
const NEAR: f64 = 1e-4;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Reads the shirt, with the stitches of its case of `scenes/walk-patterns-sweep.toml`.
fn shirt(extension: &str) -> Pattern {
    let text = std::fs::read_to_string(root().join(format!("meshes/t-shirt.{extension}"))).unwrap();
    let mut pattern = loaded(extension, &text).unwrap();
    let sweep = sweep::read(&root().join("scenes/walk-patterns-sweep.toml")).unwrap();
    let named = |values: &&Vec<String>| values.contains(&format!("\"../meshes/t-shirt.{extension}\""));
    let case = sweep.cases.iter().find(named).unwrap();
    let table: toml::Table = format!("stitch = {}", case[2]).parse().unwrap();
    for stitch in table["stitch"].as_array().unwrap() {
        let edges = [0, 1].map(|k| stitch["edges"][k].as_str().unwrap());
        pattern.sew(edges, stitch["name"].as_str()).unwrap();
    }
    pattern
}

/// Returns the middle of a panel's bounding box [m].
fn middle(panel: &Panel) -> Vec2 {
    let [low, high] = panel.bounds();
    0.5 * (low + high)
}

/// Returns points on the outline, 2 mm apart, relative to the panel's middle.
fn points(panel: &Panel) -> Vec<Vec2> {
    let on = |curve: &percale::pattern::Curve| {
        let parts = (curve.length() / 2e-3).ceil();
        (0..=parts as usize).map(|k| curve.at(curve.length() * k as f64 / parts)).collect::<Vec<_>>()
    };
    panel.outline.iter().flat_map(|edge| on(&edge.curve)).map(|p| p - middle(panel)).collect()
}

/// Returns the largest distance of a panel's outline from that of another [m].
fn apart(panel: &Panel, other: &Panel) -> f64 {
    let nearest = |p: &Vec2| {
        let p = p + middle(other);
        other.outline.iter().map(|edge| edge.curve.nearest(p).1).fold(f64::INFINITY, f64::min)
    };
    points(panel).iter().map(nearest).fold(0.0, f64::max)
}

/// Returns each seam as the panels and the ends of its edges, in an order that does not hang on the file.
fn seams(pattern: &Pattern) -> Vec<[(String, [Vec2; 2]); 2]> {
    let side = |side: &percale::pattern::Side| {
        let panel = &pattern.panels[side.panel];
        let curve = &pattern.edge(*side).unwrap().curve;
        (panel.name.clone(), [curve.start(), curve.end()].map(|p| p - middle(panel)))
    };
    let all = pattern.stitches.iter().map(|stitch| {
        assert!(!stitch.starts_meet);
        [side(&stitch.sides[0]), side(&stitch.sides[1])]
    });
    all.collect()
}

/// Outlines are within a tenth of a millimetre of the drawing, and the same edges are sewn together.
#[test]
fn three_formats_give_the_same_shirt() {
    let drawn = shirt("svg");
    assert_eq!((drawn.panels.len(), drawn.stitches.len()), (4, 10));
    for extension in ["dxf", "json"] {
        let other = shirt(extension);
        assert_eq!(other.panels.len(), 4);
        for (a, b) in drawn.panels.iter().zip(&other.panels) {
            let far = apart(a, b).max(apart(b, a));
            println!("{extension} {}: {:.4} mm from the drawing", a.name, 1e3 * far);
            assert!(a.name == b.name && far < NEAR, "{extension} {}: {far}", a.name);
            assert!((a.grain - b.grain).norm() < 1e-6, "{extension} {}", a.name);
        }
        let same = |a: &(String, [Vec2; 2]), b: &(String, [Vec2; 2])| {
            a.0 == b.0 && (0..2).all(|k| (a.1[k] - b.1[k]).norm() < NEAR)
        };
        let (wanted, found) = (seams(&drawn), seams(&other));
        assert_eq!(found.len(), wanted.len());
        for [a, b] in &wanted {
            let is = |[c, d]: &&[(String, [Vec2; 2]); 2]| (same(a, c) && same(b, d)) || (same(a, d) && same(b, c));
            assert_eq!(found.iter().filter(is).count(), 1, "{extension}: {a:?} {b:?}");
        }
    }
}
