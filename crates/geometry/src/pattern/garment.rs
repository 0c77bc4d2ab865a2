//! Mesh of a pattern: all panels in one, with chart, groups and the pairs of vertices that seams join.

use super::check::{of_panel, place};
use super::sample::{Border, sample};
use super::smooth::Flat;
use super::triangulate::triangulate;
use super::{Panel, Pattern};
use crate::linalg::Vec2;
use crate::mesh::number_text::rounded;
use crate::mesh::seam::Seam;
use crate::mesh::{MeshError, TriMesh};

/// Gap between the charts of two panels [m].
const GAP: f64 = 0.02;
/// Largest number of triangles.
const MOST: f64 = 8e6;

/// Mesh of a pattern.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Garment {
    /// All panels at their places: vertices of a panel are contiguous, those of its outline first. The chart is the
    /// pattern in metres, with the warp along u. Triangles are wound anticlockwise seen from the front. Groups are
    /// panels (`panel`), edges and inner lines (`panel.edge`), and labels.
    pub mesh: TriMesh,
    /// Seams, in the order of the stitches. Collapsed edges have a single pair.
    pub seams: Vec<Seam>,
    /// Warnings.
    pub notes: Vec<MeshError>,
}

/// Makes a mesh of all panels at an edge length `h` [m].
///
/// # Errors
/// Fails if a panel is too small for the edge length, touches itself at it, or if there would be too many triangles.
pub fn make(pattern: &Pattern, h: f64) -> Result<Garment, MeshError> {
    let area: f64 = pattern.panels.iter().map(Panel::area).sum();
    let count = 2.0 * area / (h * h);
    if count.is_nan() || count > MOST {
        let what = format!(
            "{} m2 at an edge length of {} mm would have {count:.1e} triangles; at most {MOST:.0e}, give a longer one",
            rounded(area),
            rounded(1e3 * h)
        );
        return Err(MeshError::new(what));
    }
    let mut garment = Garment::default();
    let borders = sample(pattern, h, &mut garment.notes)?;
    let mut firsts = Vec::with_capacity(borders.len());
    let mut high = 0.0;
    for (panel, border) in pattern.panels.iter().zip(&borders) {
        let flat = triangulate(border, h).map_err(|at| touching(panel, border, &at))?;
        if flat.lost > 0 {
            garment.notes.push(of_panel(
                panel,
                None,
                &format!("{} pieces of inner lines cross others; left out", flat.lost),
            ));
        }
        if flat.triangles.is_empty() {
            return Err(of_panel(panel, None, "no triangle fits into it; give a shorter edge length"));
        }
        firsts.push(garment.mesh.positions.len() as u32);
        high = add(&mut garment.mesh, panel, (border, &flat), high);
    }
    for stitch in &pattern.stitches {
        let side = |k: usize| {
            let side = stitch.sides[k];
            let vertices = borders.get(side.panel).and_then(|b| b.edges.get(side.edge)).cloned().unwrap_or_default();
            let first = firsts.get(side.panel).copied().unwrap_or_default();
            vertices.into_iter().map(move |v| first + v).collect::<Vec<u32>>()
        };
        let (a, mut b) = (side(0), side(1));
        if !stitch.starts_meet {
            b.reverse();
        }
        let pairs = a.into_iter().zip(b).filter(|(a, b)| a != b).map(|(a, b)| [a, b]);
        let pairs: Vec<[u32; 2]> = pairs.collect();
        let lengths = stitch.sides.map(|s| pattern.edge(s).map_or(0.0, |e| e.curve.length()));
        garment.seams.push(Seam { name: stitch.name.clone(), pairs, lengths });
    }
    Ok(garment)
}

/// Returns the fault of a border that touches itself at the given vertices.
fn touching(panel: &Panel, border: &Border, at: &[u32]) -> MeshError {
    let points: Vec<Vec2> = at.iter().filter_map(|v| border.points.get(*v as usize)).copied().collect();
    let middle = points.iter().sum::<Vec2>() / points.len().max(1) as f64;
    let edges = panel.edges().zip(&border.edges).filter(|(_, vertices)| at.iter().all(|v| vertices.contains(v)));
    let edge = edges.map(|(e, _)| format!(" of edge '{}'", e.name)).next().unwrap_or_default();
    let what = format!(
        "its outline touches itself at {}{edge}; part the edges there, or give a shorter edge length",
        place(middle)
    );
    of_panel(panel, None, &what)
}

/// Adds a panel to a mesh. Charts are beside each other along v, from `low` on. Returns where the next one begins.
fn add(mesh: &mut TriMesh, panel: &Panel, (border, flat): (&Border, &Flat), low: f64) -> f64 {
    let first = mesh.positions.len() as u32;
    let front = panel.is_anticlockwise();
    let warp = panel.grain;
    let weft = Vec2::new(-warp.y, warp.x) * if front { 1.0 } else { -1.0 };
    let chart: Vec<Vec2> = flat.points.iter().map(|p| Vec2::new(p.dot(&warp), p.dot(&weft))).collect();
    let start = Vec2::repeat(f64::INFINITY);
    let shift = Vec2::new(0.0, low) - chart.iter().fold(start, |a, b| a.inf(b));
    let chart: Vec<Vec2> = chart.iter().map(|p| p + shift).collect();
    let high = chart.iter().map(|p| p.y).fold(low, f64::max);
    let placement = panel.placement.clone().unwrap_or_default();
    mesh.positions.extend(flat.points.iter().map(|p| placement.apply(p)));
    mesh.uv.extend(chart);
    let wound = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| first + v);
        if front { [a, b, c] } else { [a, c, b] }
    };
    mesh.triangles.extend(flat.triangles.iter().map(wound));
    mesh.uv_triangles.extend(flat.triangles.iter().map(wound));
    mesh.origins.add(Some(&panel.name), flat.triangles.len());
    let mut group = |name: String, vertices: &[u32]| {
        let members = mesh.groups.entry(name).or_default();
        members.extend(vertices.iter().map(|v| first + v));
        members.sort_unstable();
        members.dedup();
    };
    let all: Vec<u32> = (0..flat.points.len() as u32).collect();
    for name in std::iter::once(&panel.name).chain(&panel.label) {
        group(name.clone(), &all);
    }
    for (edge, vertices) in panel.edges().zip(&border.edges) {
        group(format!("{}.{}", panel.name, edge.name), vertices);
        if let Some(label) = edge.label.as_ref().filter(|label| **label != edge.name) {
            group(format!("{}.{label}", panel.name), vertices);
        }
        if let Some(label) = &edge.label {
            group(label.clone(), vertices);
        }
    }
    for (name, vertices) in &border.lines {
        group(format!("{}.{name}", panel.name), vertices);
    }
    high + GAP
}
