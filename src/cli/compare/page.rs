//! Report of a comparison.

use super::{Compared, Pair, Row, What, at, read_image, read_mesh};
use crate::linalg::Vec3;
use crate::measure::{self, PIXELS_PER_DEGREE, flip};
use crate::mesh::TriMesh;
use crate::page::{Cell, Line, Plot, document, heading, number, paragraph, picture, slider, table};
use crate::render::{Camera, Image, Map, Object, Paint, Settings, Shading, draw};
use crate::scene;
use crate::sequence::{Folder, read};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most frames of a series that are shown.
const SHOWN: usize = 8;
/// Size of the pictures of meshes [pixels].
const SIZE: [usize; 2] = [640, 400];

/// Returns the report as HTML.
///
/// # Errors
/// A picture cannot be made or read.
pub(super) fn page(sides: [&Path; 2], all: &[Compared], faults: &[String]) -> Result<String, String> {
    let [a, b] = sides.map(|side| side.display().to_string());
    let mut body = table(
        &["", "path"],
        &[vec![Cell::Text("A".into()), Cell::Text(a)], vec![Cell::Text("B".into()), Cell::Text(b)]],
    );
    if !faults.is_empty() {
        body.push_str(&heading("Cannot be compared"));
        faults.iter().for_each(|fault| body.push_str(&paragraph(fault)));
    }
    for compared in all.iter().filter(|c| !c.rows.is_empty()) {
        body.push_str(&heading(&compared.pair.name));
        body.push_str(&rows(compared));
        body.push_str(&plots(compared));
        if compared.pair.what == What::Images {
            for frame in shown(&compared.rows) {
                body.push_str(&images(&compared.pair, frame)?);
            }
        }
    }
    let meshes: Vec<&Compared> = all.iter().filter(|c| c.pair.what == What::Meshes && !c.rows.is_empty()).collect();
    let frames: BTreeSet<i32> = meshes.iter().flat_map(|c| shown(&c.rows)).collect();
    // Static meshes are shown together with moving ones.
    let alone = frames.len() == 1;
    for frame in frames.into_iter().filter(|frame| alone || *frame >= 0).take(2 * SHOWN) {
        body.push_str(&shapes(&meshes, frame, up(sides[0]))?);
    }
    Ok(document("Comparison", &body))
}

/// Returns the upward direction: that of the run's scene, else y.
fn up(side: &Path) -> Vec3 {
    let path = Folder::new(side).scene();
    let scene = read(&path).ok().and_then(|bytes| scene::read_recorded(&path, &bytes, &[]).ok());
    scene.map_or(Vec3::y(), |scene| scene.upwards())
}

/// Selects frames to show: the worst, and some evenly spaced from the first to the last.
fn shown(rows: &[Row]) -> BTreeSet<i32> {
    let worst = |of: &dyn Fn(&Row) -> f64| rows.iter().max_by(|a, b| of(a).total_cmp(&of(b))).map(|r| r.frame);
    let mut frames: BTreeSet<i32> = [worst(&|r| r.most), worst(&|r| r.bad)].into_iter().flatten().collect();
    let last = rows.len().saturating_sub(1);
    let spread = (0..SHOWN - 2).map(|k| k * last / (SHOWN - 3));
    frames.extend(spread.filter_map(|k| rows.get(k)).map(|r| r.frame));
    frames
}

fn rows(compared: &Compared) -> String {
    let unit = if compared.pair.what == What::Meshes { " [m]" } else { "" };
    let (rms, most) = (format!("RMSE{unit}"), format!("largest{unit}"));
    let gates = &compared.gates;
    let beyond = |bad: bool, text: String| if bad { Cell::Bad(text) } else { Cell::Number(text) };
    let mut heads = vec!["frame"];
    if compared.pair.what == What::Images {
        heads.extend(["FLIP mean", "FLIP 99 %", "FLIP largest"]);
    }
    heads.extend([rms.as_str(), most.as_str(), "bad [%]", ""]);
    let frames = shown(&compared.rows);
    let reported = compared.rows.iter().filter(|r| !r.pass || frames.contains(&r.frame));
    let cells = reported.map(|r| {
        let mut cells = vec![Cell::Number(if r.frame < 0 { String::new() } else { r.frame.to_string() })];
        cells.extend(r.flip.into_iter().flatten().map(|f| Cell::Number(number(f))));
        cells.push(Cell::Number(number(r.rms)));
        cells.push(beyond(r.most.is_nan() || r.most > gates.most, number(r.most)));
        cells.push(beyond(r.bad > gates.share, number(100.0 * r.bad)));
        cells.push(if r.pass { Cell::Good("same".into()) } else { Cell::Bad("differs".into()) });
        cells
    });
    let thing = if compared.pair.what == What::Meshes { "vertices" } else { "pixels" };
    let mut out = paragraph(&format!(
        "Gates: at most {} % of {thing} off by more than {}, none by more than {}. {} frames compared.",
        number(100.0 * gates.share),
        number(gates.threshold),
        number(gates.most),
        compared.rows.len()
    ));
    out.push_str(&table(&heads, &cells.collect::<Vec<_>>()));
    out
}

fn plots(compared: &Compared) -> String {
    if compared.rows.len() < 2 {
        return String::new();
    }
    let line = |name: &str, of: &dyn Fn(&Row) -> f64| Line {
        name: name.to_string(),
        points: compared.rows.iter().map(|r| [f64::from(r.frame), of(r)]).collect(),
    };
    let plot = |title: &str, lines: Vec<Line>| Plot { title: title.into(), axis: "frame".into(), lines }.svg();
    let unit = if compared.pair.what == What::Meshes { " [m]" } else { "" };
    let mut out = String::from("<div class=\"grid\">\n");
    if compared.pair.what == What::Images {
        let of = |k: usize| move |r: &Row| r.flip.map_or(f64::NAN, |f| f[k]);
        out.push_str(&plot("FLIP", vec![line("mean", &of(0)), line("99 %", &of(1)), line("largest", &of(2))]));
    }
    let rms_and_most = vec![line("RMSE", &|r| r.rms), line("largest", &|r| r.most)];
    out.push_str(&plot(&format!("difference{unit}"), rms_and_most));
    out.push_str(&plot("bad [%]", vec![line("", &|r| 100.0 * r.bad)]));
    out.push_str("</div>\n");
    out
}

/// Shows two pictures under a slider, and FLIP at each pixel.
fn images(pair: &Pair, frame: i32) -> Result<String, String> {
    let Some([a, b]) = pair.frames.get(&frame) else { return Ok(String::new()) };
    let (a, b) = (read_image(a)?, read_image(b)?);
    let error = flip(&a, &b, PIXELS_PER_DEGREE)?;
    let pixels = error.iter().map(|e| Map::Sequential.colour(*e).map(|c| c as f32)).collect();
    let error = Image { width: a.width, height: a.height, pixels };
    let name = format!("{}{}", pair.name, at(frame));
    triple(&name, "FLIP, from 0 (dark) to 1 (yellow)", [&a, &b, &error])
}

fn triple(name: &str, difference: &str, [a, b, error]: [&Image; 3]) -> Result<String, String> {
    let slide = slider(&format!("{name}: A left of the line, B right of it"), &a.png()?, &b.png()?);
    Ok(format!("<div class=\"grid\">\n{slide}{}</div>\n", picture(&format!("{name}: {difference}"), &error.png()?)))
}

/// Reads the meshes of a frame. Static objects have a mesh without number.
fn meshes_of(all: &[&Compared], frame: i32, side: usize) -> Result<Vec<TriMesh>, String> {
    let file = |c: &&Compared| -> Option<PathBuf> {
        let files = c.pair.frames.get(&frame).or_else(|| c.pair.frames.get(&-1))?;
        files.get(side).cloned()
    };
    all.iter().filter_map(file).map(|path| read_mesh(&path)).collect()
}

/// Shows the meshes of both sides under a slider, and their distance on the second.
fn shapes(all: &[&Compared], frame: i32, up: Vec3) -> Result<String, String> {
    let (a, b) = (meshes_of(all, frame, 0)?, meshes_of(all, frame, 1)?);
    let mut distances = Vec::new();
    for (a, b) in a.iter().zip(&b) {
        distances.push(measure::vertices(&a.positions, &b.positions).map(|d| d.values).unwrap_or_default());
    }
    let most = distances.iter().flatten().filter(|d| d.is_finite()).fold(1e-12, |m: f64, d| m.max(*d));
    let points = || a.iter().chain(&b).flat_map(|m| &m.positions).filter(|p| p.iter().all(|c| c.is_finite()));
    let low = points().fold(Vec3::repeat(f64::INFINITY), |l, p| l.inf(p));
    let high = points().fold(Vec3::repeat(f64::NEG_INFINITY), |h, p| h.sup(p));
    let aspect = SIZE[0] as f64 / SIZE[1] as f64;
    let towards = if up == Vec3::y() { Vec3::new(0.6, 0.5, 1.0) } else { Vec3::new(0.6, -1.0, 0.5) };
    let camera = Camera::fit((low, high), towards, 0.6, aspect, up);
    let mut settings = Settings::new(SIZE[0], SIZE[1], camera, up);
    settings.samples = 4;
    let drawn = |meshes: &[TriMesh], field: bool| {
        let objects: Vec<Object> = meshes
            .iter()
            .zip(&distances)
            .map(|(mesh, values)| Object {
                name: "",
                positions: &mesh.positions,
                triangles: &mesh.triangles,
                uv: &[],
                uv_triangles: &[],
                paint: if field {
                    Paint::Field { values, min: 0.0, max: most, map: Map::Sequential, label: "distance", unit: "m" }
                } else {
                    Paint::Colour([0.55, 0.5, 0.42])
                },
                shading: Shading::Lambert,
                wet: &[],
                crease: std::f64::consts::FRAC_PI_3,
            })
            .collect();
        draw(&objects, up, &settings).image()
    };
    let what = format!("way of each vertex, largest {} m", number(most));
    triple(&format!("meshes{}", at(frame)), &what, [&drawn(&a, false), &drawn(&b, false), &drawn(&b, true)])
}
