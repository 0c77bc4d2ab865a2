//! `percale pattern`: lists the panels of a sewing pattern, and draws them.

use super::drawing::drawing;
use super::failure::Failure;
use super::fitted::length;
use super::text::count;
use super::{say, warn};
use crate::mesh::MeshError;
use crate::mesh::number_text::rounded;
use crate::pattern::garment::{self, Garment};
use crate::pattern::{self, EXTENSIONS, Options, Panel, Side, check};
use crate::sequence::{read, write};
use clap::Args;
use std::path::PathBuf;

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Pattern {
    /// File of a pattern: JSON of GarmentCode, SVG, or DXF of an apparel program
    file: PathBuf,
    /// Length of the edges of its mesh, such as "1 cm"
    #[arg(long, value_name = "LENGTH", value_parser = length, default_value = "1 cm")]
    edge_length: f64,
    /// Length of a unit of the file, where it does not say it or says it wrongly, such as "1 mm"
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    unit: Option<f64>,
    /// Size, of a DXF file with several
    #[arg(long, value_name = "NAME")]
    size: Option<String>,
    /// Draw the panels, with names and arrows
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

impl Pattern {
    /// Prints panels, edges, notches and seams, and what mesh comes of them.
    ///
    /// # Errors
    /// The file cannot be read, or no mesh can be made of it.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let bytes = read(&self.file)?;
        let extension = self.file.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        if !EXTENSIONS.contains(&extension.as_str()) {
            let all = EXTENSIONS.join(", .");
            return Err(Failure::input(format!("{}: no pattern by its name; .{all} are read", self.file.display())));
        }
        let options = Options { unit: self.unit, size: self.size.clone() };
        let mut pattern = pattern::read(&extension, &bytes, &options).map_err(|error| self.wrong(&error))?;
        // Drawn although it may be faulty, since the picture shows the fault.
        let checked = check(&mut pattern);
        if let Some(file) = &self.svg {
            write(file, drawing(&pattern).as_bytes())?;
        }
        pattern.notes.iter().for_each(|note| self.warned(note));
        checked.map_err(|error| self.wrong(&error))?;
        for (k, panel) in pattern.panels.iter().enumerate() {
            describe(&pattern, k, panel);
        }
        seams(&pattern);
        let garment = garment::make(&pattern, self.edge_length).map_err(|error| self.wrong(&error))?;
        garment.notes.iter().for_each(|note| self.warned(note));
        say(&summary(&garment, self.edge_length));
        Ok(())
    }

    fn place(&self, error: &MeshError) -> String {
        let colon = if error.line.is_some() { "" } else { " " };
        format!("{}:{colon}{error}", self.file.display())
    }

    fn wrong(&self, error: &MeshError) -> Failure {
        Failure::input(self.place(error))
    }

    fn warned(&self, note: &MeshError) {
        warn(&format!("warning: {}", self.place(note)));
    }
}

/// Formats a length in centimetres.
fn cm(length: f64) -> String {
    format!("{:.1} cm", 100.0 * length)
}

/// Lists a panel and its edges.
fn describe(pattern: &pattern::Pattern, k: usize, panel: &Panel) {
    let [low, high] = panel.bounds();
    let size = 100.0 * (high - low);
    let place = match &panel.placement {
        Some(place) => {
            let [x, y, z] = place.translation.map(|c| (1000.0 * c).round() / 1000.0).into();
            let turned = place.rotation.angle().to_degrees();
            let turn = if turned > 0.05 { format!(", turned by {turned:.0} degrees") } else { String::new() };
            format!("at ({x}, {y}, {z}) m{turn}")
        }
        None => "not placed".to_string(),
    };
    let grain = panel.grain.y.atan2(panel.grain.x).to_degrees();
    let area = 1e4 * panel.area();
    say(&format!(
        "panel '{}': {:.1} x {:.1} cm, {area:.0} cm2, {}, warp at {grain:.0} degrees, {place}",
        panel.name,
        size.x,
        size.y,
        count(panel.edges().count(), "edge")
    ));
    for (e, edge) in panel.edges().enumerate() {
        let side = Side { panel: k, edge: e };
        let label = edge.label.as_ref().map(|l| format!(" '{l}'")).unwrap_or_default();
        let shape = if edge.curve.is_straight() { "" } else { ", curved" };
        let hole = if e >= panel.outline.len() { ", of a hole" } else { "" };
        let sewn = pattern.stitches.iter().find(|s| s.sides.contains(&side)).map(|s| {
            let other = if s.sides[0] == side { s.sides[1] } else { s.sides[0] };
            format!(", sewn to {}", pattern.name_of(other))
        });
        say(&format!(
            "  {}{label}: {}{shape}{hole}{}",
            pattern.name_of(side),
            cm(edge.curve.length()),
            sewn.unwrap_or_default()
        ));
    }
    for notch in &panel.notches {
        let near = panel.outline.iter().map(|e| (e, e.curve.nearest(notch.at)));
        if let Some((edge, (along, _))) = near.min_by(|a, b| a.1.1.total_cmp(&b.1.1)) {
            say(&format!("  notch on {}.{}, {} from its start", panel.name, edge.name, cm(along)));
        }
    }
    for line in &panel.lines {
        say(&format!("  line {}.{}: {}", panel.name, line.name, cm(line.curve.length())));
    }
}

/// Lists the seams, with the ease of those whose sides differ.
fn seams(pattern: &pattern::Pattern) {
    for (k, stitch) in pattern.stitches.iter().enumerate() {
        let [a, b] = stitch.sides.map(|side| pattern.edge(side).map_or(0.0, |e| e.curve.length()));
        let [first, second] = stitch.sides.map(|side| pattern.name_of(side));
        let ease = 100.0 * (a.max(b) / a.min(b) - 1.0);
        let longer = if a > b { &first } else { &second };
        let ease = if ease >= 0.05 { format!(", ease {ease:.1} % of {longer}") } else { String::new() };
        let meet = if stitch.starts_meet { ", starts meet" } else { "" };
        let name = if stitch.name == format!("{first}+{second}") { "" } else { &format!(" '{}'", stitch.name) };
        say(&format!("seam {}{name}: {first} {} to {second} {}{ease}{meet}", k + 1, cm(a), cm(b)));
    }
}

/// Describes the mesh.
fn summary(garment: &Garment, h: f64) -> String {
    let mesh = &garment.mesh;
    let corner = |v: u32| mesh.uv.get(v as usize).copied().unwrap_or_default();
    let angles = mesh.uv_triangles.iter().flat_map(|t| {
        let p = t.map(corner);
        [[0, 1, 2], [1, 2, 0], [2, 0, 1]].map(|[a, b, c]| {
            let (u, v) = (p[b] - p[a], p[c] - p[a]);
            u.perp(&v).atan2(u.dot(&v)).to_degrees()
        })
    });
    let mut angles: Vec<f64> = angles.collect();
    angles.sort_by(f64::total_cmp);
    let [least, hundredth] = [0, angles.len() / 100].map(|k| angles.get(k).copied().unwrap_or_default());
    let pairs = garment.seams.iter().map(|s| s.pairs.len()).sum::<usize>();
    format!(
        "mesh at {} mm: {}, {}, {}; smallest angle {least:.1} degrees, of 99 % above {hundredth:.0}",
        rounded(1e3 * h),
        count(mesh.positions.len(), "vertex"),
        count(mesh.triangles.len(), "triangle"),
        count(pairs, "pair") + " of vertices to sew"
    )
}
