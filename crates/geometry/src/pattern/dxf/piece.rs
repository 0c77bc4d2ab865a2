//! Panel of a block: layers of ASTM and AAMA.

use super::super::check::{OFF, of_panel, place};
use super::super::curve::Curve;
use super::super::outline::{Gap, Piece, cut, edges, joined, turns, unfolded};
use super::super::{Edge, Internal, Notch, Panel};
use super::entity::Entity;
use crate::linalg::Vec2;
use crate::mesh::MeshError;

/// Turn above which an outline without turn points has a corner [deg].
const CORNER: f64 = 30.0;
/// Distance of a turn point from its vertex [m].
const SAME: f64 = 5e-4;
/// Spacing of points above which they are those of a curve, not its chords [m].
const SPARSE: f64 = 3e-3;
/// Part of the area of the cut line that an inner closed line has if it is the sew line.
const SEWN: f64 = 0.6;

/// Block of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Block {
    /// Name of the block.
    pub name: String,
    /// Entities.
    pub entities: Vec<Entity>,
    /// Line of the file.
    pub line: usize,
}

impl Block {
    /// Returns the value of a text `key: value`, in any case.
    pub(super) fn text_of(&self, keys: &[&str]) -> Option<&str> {
        self.entities.iter().filter(|e| e.kind == "TEXT" || e.kind == "MTEXT").find_map(|e| value_of(&e.words, keys))
    }

    /// Returns the name of the piece.
    pub(super) fn piece(&self) -> &str {
        self.text_of(&["piece name"]).filter(|name| !name.is_empty()).unwrap_or(&self.name)
    }

    fn on(&self, layers: &'static [&'static str]) -> impl Iterator<Item = &Entity> {
        self.entities.iter().filter(move |e| layers.contains(&e.layer.as_str()))
    }

    /// Returns whether it has an outline, as blocks of texts and symbols have not.
    pub(super) fn is_piece(&self) -> bool {
        self.on(&["1", "14"]).any(|e| e.curve(1.0).is_some())
    }

    /// Returns whether the outline of its panel is a sew line.
    pub(super) fn has_sew_line(&self, panel: &Panel) -> bool {
        let rim: Vec<usize> = self.on(&["8", "14"]).map(|e| e.line).collect();
        panel.outline.iter().filter_map(|e| e.line).any(|line| rim.contains(&line))
    }

    /// Makes a panel, at `unit` metres.
    ///
    /// # Errors
    /// Fails if the outline is open.
    pub(super) fn panel(&self, unit: f64, notes: &mut Vec<MeshError>) -> Result<Panel, MeshError> {
        let mut panel = Panel {
            name: self.piece().to_string(),
            line: Some(self.line),
            label: None,
            outline: Vec::new(),
            holes: Vec::new(),
            lines: Vec::new(),
            notches: Vec::new(),
            grain: Vec2::y(),
            placement: None,
        };
        let rim = self.outline(&panel, unit, notes)?;
        panel.outline = rim;
        for cutout in self.on(&["11"]) {
            let Some(curve) = cutout.curve(unit) else { continue };
            if (curve.start() - curve.end()).norm() > SAME {
                notes.push(of_panel(&panel, Some(cutout.line), "a cutout (layer 11) is open; left out"));
                continue;
            }
            let mut hole =
                edges(self.cut_at_corners(vec![Piece { name: String::new(), curve, line: Some(cutout.line) }], unit));
            hole.iter_mut().for_each(|e| e.name = format!("hole-{}-{}", panel.holes.len(), e.name));
            panel.holes.push(hole);
        }
        self.grain(&mut panel, unit);
        self.notches(&mut panel, unit);
        for line in self.on(&["8"]) {
            let Some(curve) = line.curve(unit) else { continue };
            let closed = (curve.start() - curve.end()).norm() < SAME;
            let is_rim = panel.outline.iter().any(|e| e.line == Some(line.line));
            if closed && (is_rim || 0.5 * curve.twice_area().abs() > SEWN * panel.area()) {
                continue;
            }
            panel.lines.push(Internal { name: format!("line-{}", panel.lines.len()), curve, line: Some(line.line) });
        }
        self.unfold(&mut panel, unit, notes);
        Ok(panel)
    }

    /// Returns the outline: the sew line, else the boundary.
    fn outline(&self, panel: &Panel, unit: f64, notes: &mut Vec<MeshError>) -> Result<Vec<Edge>, MeshError> {
        let cut_line = self.ring(panel, "1", unit);
        if self.on(&["14"]).any(|e| e.curve(unit).is_some()) {
            return self.ring(panel, "14", unit).map(edges);
        }
        let cut_line = edges(cut_line?);
        let area = 0.5 * cut_line.iter().map(|e| e.curve.twice_area()).sum::<f64>();
        // Some programs write the sew line among the inner lines.
        let inner = self.on(&["8"]).filter_map(|e| Some((e.curve(unit)?, e.line))).find(|(curve, _)| {
            let closed = (curve.start() - curve.end()).norm() < SAME;
            closed && (SEWN..0.9999).contains(&(0.5 * curve.twice_area().abs() / area))
        });
        if let Some((curve, line)) = inner {
            let what = "the closed line inside of the outline, on layer 8, is taken as the sew line";
            notes.push(of_panel(panel, Some(line), what));
            let piece = Piece { name: String::new(), curve, line: Some(line) };
            return Ok(edges(self.cut_at_corners(vec![piece], unit)));
        }
        Ok(cut_line)
    }

    /// Joins the lines of a layer to a loop, cut at its corners.
    fn ring(&self, panel: &Panel, layer: &'static str, unit: f64) -> Result<Vec<Piece>, MeshError> {
        let all = self.entities.iter().filter(|e| e.layer == layer);
        let pieces: Vec<Piece> = all
            .filter_map(|e| Some(Piece { name: String::new(), curve: e.curve(unit)?, line: Some(e.line) }))
            .collect();
        if pieces.is_empty() {
            let what = "no outline: no line on layer 1 (boundary) or 14 (sew line)";
            return Err(of_panel(panel, None, what));
        }
        // Further closed loops on the layer are no part of this one.
        let closed = |p: &Piece| (p.curve.start() - p.curve.end()).norm() < SAME;
        let size = |p: &&Piece| p.curve.twice_area().abs();
        let whole = pieces.iter().filter(|p| closed(p)).max_by(|a, b| size(a).total_cmp(&size(b))).cloned();
        let ring = match whole {
            Some(whole) => vec![whole],
            None => joined(pieces, |a, b| self.along_boundary(layer, unit, [a, b])).map_err(|Gap { at, far, line }| {
                let what = format!(
                    "its outline on layer {layer} is open at {}, {:.1} mm from the next end; close it in the program that wrote it",
                    place(at),
                    1e3 * far
                );
                of_panel(panel, line, &what)
            })?,
        };
        Ok(self.cut_at_corners(ring, unit))
    }

    /// Returns whether the line between two ends of sew lines lies on the boundary, as at folds without allowance.
    fn along_boundary(&self, layer: &str, unit: f64, [a, b]: [Vec2; 2]) -> bool {
        let rim: Vec<Curve> = self.on(&["1"]).filter_map(|e| e.curve(unit)).collect();
        let on = |p: Vec2| rim.iter().any(|c| c.nearest(p).1 < 2.0 * SAME);
        layer != "1" && (0..=8).all(|k| on(a + (b - a) * f64::from(k) / 8.0))
    }

    /// Cuts a loop at its turn points (layer 2); without any where it turns.
    fn cut_at_corners(&self, ring: Vec<Piece>, unit: f64) -> Vec<Piece> {
        let line = ring.first().and_then(|p| p.line);
        let segments: Vec<kurbo::PathSeg> = ring.iter().flat_map(|p| p.curve.segments().to_vec()).collect();
        let marks = |layer: &'static str| -> Vec<Vec2> {
            let points = self.entities.iter().filter(move |e| e.layer == layer && e.kind == "POINT");
            points.filter_map(|e| e.points.first().map(|p| p * unit)).collect()
        };
        let starts: Vec<Vec2> = segments.iter().map(|s| Curve::new(vec![*s]).start()).collect();
        let marked =
            |all: &[Vec2]| -> Vec<bool> { starts.iter().map(|s| all.iter().any(|p| (p - s).norm() < SAME)).collect() };
        let mut corners = marked(&marks("2"));
        if !corners.contains(&true) {
            corners = turns(&segments).iter().map(|turn| *turn > CORNER.to_radians()).collect();
        }
        let curved = marks("3");
        let smooth = |curve: Curve| {
            let mut points: Vec<Vec2> = curve.segments().iter().map(|s| Curve::new(vec![*s]).start()).collect();
            points.push(curve.end());
            let mut gaps: Vec<f64> = points.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
            gaps.sort_by(f64::total_cmp);
            let sparse = gaps.get(gaps.len() / 2).is_some_and(|gap| *gap > SPARSE);
            let on = |p: &Vec2| curved.iter().any(|q| (p - q).norm() < SAME);
            let inner = points.get(1..points.len() - 1).unwrap_or_default();
            if sparse && !inner.is_empty() && inner.iter().all(on) { Curve::spline(&points) } else { curve }
        };
        cut(&segments, &corners).into_iter().map(|c| Piece { name: String::new(), curve: smooth(c), line }).collect()
    }

    fn grain(&self, panel: &mut Panel, unit: f64) {
        let line = self.on(&["7"]).find_map(|e| e.curve(unit));
        if let Some(along) = line.and_then(|c| (c.end() - c.start()).try_normalize(1e-9)) {
            panel.grain = if along.y < 0.0 { -along } else { along };
        }
    }

    /// Adds notches, moved from the cut line to the sew line.
    fn notches(&self, panel: &mut Panel, unit: f64) {
        let rim: Vec<Curve> = self.on(&["1"]).filter_map(|e| e.curve(unit)).collect();
        let far = |all: &[Curve], p: Vec2| all.iter().map(|c| c.nearest(p).1).fold(f64::INFINITY, f64::min);
        let mut last: Option<Vec2> = None;
        for mark in self.on(&["4", "80", "81", "82", "83"]) {
            let points = mark.points.iter().map(|p| p * unit);
            let Some(p) = points.min_by(|a, b| far(&rim, *a).total_cmp(&far(&rim, *b))) else { continue };
            // The second point of a pair tells the depth.
            let depth = last.is_some_and(|q| (p - q).norm() < 0.015) && far(&rim, p) > 1e-3;
            last = Some(p);
            if depth {
                continue;
            }
            let near = panel.outline.iter().map(|e| (e.curve.nearest(p), e));
            let near = near.min_by(|a, b| a.0.1.total_cmp(&b.0.1));
            let at = match near {
                Some(((along, _), edge)) if far(&rim, p) <= OFF => edge.curve.at(along),
                _ => p,
            };
            panel.notches.push(Notch { at, line: Some(mark.line) });
        }
    }

    /// Unfolds a half about its mirror line (layer 6).
    fn unfold(&self, panel: &mut Panel, unit: f64, notes: &mut Vec<MeshError>) {
        let Some(mark) = self.on(&["6"]).next() else { return };
        let Some(fold) = mark.curve(unit) else { return };
        let on = |e: &Edge| {
            let far = [e.curve.start(), e.curve.end()].map(|p| line_distance(&fold, p));
            e.curve.is_straight() && far[0].max(far[1]) < 1e-3
        };
        let Some(edge) = panel.outline.iter().position(on) else {
            notes.push(of_panel(
                panel,
                Some(mark.line),
                "no straight edge lies on its mirror line (layer 6); not unfolded",
            ));
            return;
        };
        let axis = panel.outline[edge].curve.clone();
        panel.outline = unfolded(&panel.outline, edge);
        let (origin, along) = (axis.start(), (axis.end() - axis.start()).normalize());
        let reflected = |p: Vec2| {
            let d = p - origin;
            origin + along * (2.0 * along.dot(&d)) - d
        };
        let other: Vec<Notch> = panel.notches.iter().map(|n| Notch { at: reflected(n.at), line: n.line }).collect();
        let fresh = |n: &Notch| panel.notches.iter().all(|own| (own.at - n.at).norm() > SAME);
        let other: Vec<Notch> = other.into_iter().filter(fresh).collect();
        panel.notches.extend(other);
    }
}

/// Returns the distance of a point from the infinite line through a line's ends [m].
fn line_distance(line: &Curve, p: Vec2) -> f64 {
    let along = (line.end() - line.start()).try_normalize(1e-9).unwrap_or_default();
    along.perp(&(p - line.start())).abs()
}

/// Returns the value of `key: value`, if the key is one of these in lower case.
pub(super) fn value_of<'a>(words: &'a str, keys: &[&str]) -> Option<&'a str> {
    let (key, value) = words.split_once(':')?;
    let key = key.trim().to_lowercase();
    keys.contains(&key.as_str()).then(|| value.trim())
}
