//! Panels of a group of paths: outline, holes, lines, notches, grain, and names beside edges.

use super::super::check::{OFF, of_panel, place};
use super::super::model::inside;
use super::super::outline::{Gap, Piece, cut, edges, joined, turns, unfolded};
use super::super::{Curve, Edge, Internal, Notch, Panel, Pattern, Side};
use super::path::Subpath;
use super::{INKSCAPE, named};
use crate::linalg::Vec2;
use crate::mesh::MeshError;
use kurbo::{PathSeg, Point};
use roxmltree::Node;
use std::collections::BTreeMap;

/// Turn above which the outline has a corner [deg].
const CORNER: f64 = 10.0;
/// Size below which a closed path is a mark, not a hole [m].
const MARK: f64 = 0.012;
/// Distance from its edge at which a name may stand [m].
const BESIDE: f64 = 0.05;
/// Gap of a path that is closed nevertheless [m].
const CLOSED: f64 = 1e-4;

/// Part of a path in a group, in metres.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Label or id.
    pub name: String,
    /// Purpose.
    pub roles: Vec<Role>,
    /// Kinds of nodes, as Inkscape writes them.
    pub types: Option<String>,
    /// Shape.
    pub part: Subpath,
    /// Line of the file.
    pub line: usize,
}

/// Text in a group.
#[derive(Clone, Debug)]
pub(super) struct Words {
    /// Place [m].
    pub at: Point,
    /// Words.
    pub words: String,
    /// Purpose.
    pub role: Vec<Role>,
    /// Line of the file.
    pub line: usize,
}

/// Group of paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// Name; empty if it has none.
    pub name: String,
    /// Line of the file.
    pub line: Option<usize>,
    /// Paths.
    pub items: Vec<Item>,
    /// Texts.
    pub texts: Vec<Words>,
    /// Notches that are drawn as uses of a symbol.
    pub notches: Vec<(Point, usize)>,
}

/// Purpose of a path or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Grain line.
    Grain,
    /// Line about which a half is unfolded, or a fold inside.
    Fold,
    /// Mark on the outline.
    Notch,
    /// Piece of an outline, or the name of an edge.
    Edge,
    /// Mark of a seam.
    Seam,
    /// Line inside.
    Internal,
    /// Not of the panel: seam allowance, notes, help lines.
    Ignored,
}

/// Words of classes, labels and ids, with their purpose.
const ROLES: [(&str, Role); 20] = [
    ("grain", Role::Grain),
    ("grainline", Role::Grain),
    ("fold", Role::Fold),
    ("cutonfold", Role::Fold),
    ("mirror", Role::Fold),
    ("notch", Role::Notch),
    ("edge", Role::Edge),
    ("seam", Role::Seam),
    ("internal", Role::Internal),
    ("dart", Role::Internal),
    ("pleat", Role::Internal),
    ("pocket", Role::Internal),
    ("sa", Role::Ignored),
    ("allowance", Role::Ignored),
    ("note", Role::Ignored),
    ("help", Role::Ignored),
    ("hidden", Role::Ignored),
    ("contrast", Role::Ignored),
    ("mark", Role::Ignored),
    ("various", Role::Ignored),
];

/// Returns the purposes of an element, by the words of its class, label and id.
pub(super) fn roles(node: &Node) -> Vec<Role> {
    let label = named(node).filter(|_| node.has_attribute((INKSCAPE, "label")) || node.has_attribute("id"));
    let all = [node.attribute("class"), label].into_iter().flatten();
    let words = all.flat_map(|text| text.split(|c: char| !c.is_ascii_alphabetic()));
    let lower: Vec<String> = words.map(str::to_ascii_lowercase).collect();
    ROLES.iter().filter(|(word, _)| lower.iter().any(|l| l == word)).map(|(_, role)| *role).collect()
}

impl Item {
    fn is(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    fn curve(&self) -> Curve {
        Curve::new(self.part.segments.clone())
    }

    /// Returns whether it is closed, or open by less than a tenth of a millimetre.
    fn closed(&self) -> bool {
        let ends = [self.part.segments.first().map(start), self.part.segments.last().map(end)];
        let [Some(first), Some(last)] = ends else { return false };
        self.part.closed || self.part.segments.len() > 1 && (last - first).hypot() < CLOSED
    }

    fn area(&self) -> f64 {
        0.5 * self.curve().twice_area().abs()
    }

    fn extent(&self) -> f64 {
        let [low, high] = self.curve().bounds();
        (high - low).amax()
    }
}

fn start(segment: &PathSeg) -> Point {
    kurbo::ParamCurve::start(segment)
}

fn end(segment: &PathSeg) -> Point {
    kurbo::ParamCurve::end(segment)
}

/// Mark of a seam at an edge, with its line.
pub(super) type Mark = (String, Side, usize);

impl Group {
    /// Adds the panels of the group to a pattern, and the marks of seams to a list.
    ///
    /// # Errors
    /// Fails if it has paths but none is closed, nor can they be joined to a loop.
    pub(super) fn panels(mut self, pattern: &mut Pattern, seams: &mut Vec<Mark>) -> Result<(), MeshError> {
        self.items.retain(|item| !item.is(Role::Ignored) && !item.part.segments.is_empty());
        let (mut closed, open): (Vec<Item>, Vec<Item>) =
            std::mem::take(&mut self.items).into_iter().partition(|item| {
                let line = [Role::Notch, Role::Grain, Role::Internal, Role::Fold].iter().any(|role| item.is(*role));
                item.closed() && !line && item.extent() > MARK
            });
        closed.sort_by(|a, b| b.area().total_cmp(&a.area()));
        // Closed paths inside another are its holes; others are panels of their own.
        let mut outer: Vec<(Item, Vec<Item>)> = Vec::new();
        for item in closed {
            let p = item.curve().start();
            match outer.iter_mut().find(|(o, _)| inside([o.curve().flattened(1e-4)], p)) {
                Some((_, holes)) if holes.iter().any(|h: &Item| inside([h.curve().flattened(1e-4)], p)) => {
                    let what = "it lies in a hole of the panel; a panel is in one piece, make it one of its own";
                    return Err(MeshError { line: Some(item.line), column: None, what: what.to_string() });
                }
                Some((_, holes)) => holes.push(item),
                None => outer.push((item, Vec::new())),
            }
        }
        let several = outer.len() > 1;
        let mut made = Vec::new();
        for (item, holes) in outer {
            let name = if several || self.name.is_empty() { item.name.clone() } else { self.name.clone() };
            made.push(self.panel(unique(name, pattern, &made), &item, &holes));
        }
        let mut rest = open;
        if made.is_empty() {
            let (pieces, others) = pieces_of(rest);
            match self.of_pieces(pieces, pattern)? {
                Some(panel) => made.push(panel),
                None => return Ok(()),
            }
            rest = others;
        }
        let panels = pattern.panels.len();
        pattern.panels.extend(made);
        let pieces: Vec<usize> = (panels..pattern.panels.len()).collect();
        for item in &rest {
            add_line(&mut pattern.panels, &pieces, item, &mut pattern.notes);
        }
        for (at, line) in &self.notches {
            let at = Vec2::new(at.x, at.y);
            if let Some(k) = nearest_edge(&pattern.panels, &pieces, at).map(|(side, _)| side.panel) {
                pattern.panels[k].notches.push(Notch { at, line: Some(*line) });
            }
        }
        self.name_edges(pattern, &pieces, seams);
        Ok(())
    }

    /// Makes a panel of its closed paths.
    fn panel(&self, name: String, item: &Item, holes: &[Item]) -> Panel {
        let hole = |(k, hole): (usize, &Item)| {
            let mut all = loop_of(hole);
            all.iter_mut().for_each(|e| e.name = format!("hole-{k}-{}", e.name));
            all
        };
        Panel {
            name,
            line: Some(item.line),
            label: None,
            outline: loop_of(item),
            holes: holes.iter().enumerate().map(hole).collect(),
            lines: Vec::new(),
            notches: Vec::new(),
            grain: Vec2::y(),
            placement: None,
        }
    }

    /// Makes a panel of open paths that are joined head to tail.
    fn of_pieces(&self, items: Vec<Item>, pattern: &Pattern) -> Result<Option<Panel>, MeshError> {
        let piece = |item: &Item| Piece { name: item.name.clone(), curve: item.curve(), line: Some(item.line) };
        let pieces: Vec<Piece> = items.iter().map(piece).collect();
        if pieces.is_empty() {
            return Ok(None);
        }
        let name = unique(self.name.clone(), pattern, &[]);
        let ring = joined(pieces, |_, _| false).map_err(|Gap { at, far, line }| {
            let line = line.or(self.line);
            let what = format!(
                "panel '{name}': its outline is open at {}, {:.1} mm from the next end; close the path, or join its pieces. A line that is no \
                 outline has the class or label 'internal' or 'note'",
                place(at),
                1e3 * far
            );
            MeshError { line, column: None, what }
        })?;
        Ok(Some(Panel {
            name,
            line: self.line,
            label: None,
            outline: edges(ring),
            holes: Vec::new(),
            lines: Vec::new(),
            notches: Vec::new(),
            grain: Vec2::y(),
            placement: None,
        }))
    }

    /// Gives edges the names beside them, and collects the marks of seams.
    fn name_edges(&self, pattern: &mut Pattern, pieces: &[usize], seams: &mut Vec<Mark>) {
        for text in &self.texts {
            let words = text.words.trim();
            let prefixed = |word: &str| words.strip_prefix(word).map(str::trim).filter(|rest| !rest.is_empty());
            let (name, seam) = match (prefixed("edge:"), prefixed("seam:")) {
                (Some(name), _) => (name, false),
                (_, Some(name)) => (name, true),
                _ if text.role.contains(&Role::Seam) => (words, true),
                _ if text.role.contains(&Role::Edge) => (words, false),
                _ => continue,
            };
            let at = Vec2::new(text.at.x, text.at.y);
            let Some((side, far)) = nearest_edge(&pattern.panels, pieces, at) else { continue };
            let panel = &mut pattern.panels[side.panel];
            if far > BESIDE {
                let what =
                    format!("the name '{name}' stands {:.0} mm from the nearest edge; move it nearer", 1e3 * far);
                pattern.notes.push(of_panel(panel, Some(text.line), &what));
            } else if seam {
                seams.push((name.to_string(), side, text.line));
            } else if panel.edges().any(|e| e.name == name) {
                let what = format!("another edge is named '{name}'; names are unique in a panel");
                pattern.notes.push(of_panel(panel, Some(text.line), &what));
            } else if let Some(edge) = panel.outline.get_mut(side.edge) {
                edge.name = name.to_string();
            }
        }
    }
}

/// Parts open paths into pieces of an outline and others. Those marked as edges are pieces, else all without a mark.
fn pieces_of(open: Vec<Item>) -> (Vec<Item>, Vec<Item>) {
    let marked = open.iter().any(|item| item.is(Role::Edge));
    open.into_iter().partition(
        |item| {
            if marked { item.is(Role::Edge) } else { item.roles.is_empty() && item.extent() > MARK }
        },
    )
}

/// Returns a name that no panel of the pattern or of the group has.
fn unique(name: String, pattern: &Pattern, made: &[Panel]) -> String {
    let count = pattern.panels.len() + made.len();
    let name = if name.is_empty() { format!("panel-{}", count + 1) } else { name };
    let taken = |name: &str| pattern.panels.iter().chain(made).any(|p| p.name == name);
    if !taken(&name) {
        return name;
    }
    let numbered = (2..).map(|k| format!("{name}-{k}"));
    numbered.into_iter().find(|n| !taken(n)).unwrap_or(name)
}

/// Returns the edges of a closed path: cut at cusps of Inkscape, else where it turns.
fn loop_of(item: &Item) -> Vec<Edge> {
    let mut segments = item.part.segments.clone();
    // Segments without length would be corners of any turn.
    segments.retain(|s| Curve::new(vec![*s]).length() > 1e-7);
    let types: Vec<char> = item.types.iter().flat_map(|t| t.chars()).filter(|c| !c.is_whitespace()).collect();
    let corners: Vec<bool> = if types.len() >= segments.len() && segments.len() == item.part.segments.len() {
        types[..segments.len()].iter().map(|c| *c == 'c').collect()
    } else {
        turns(&segments).iter().map(|turn| *turn > CORNER.to_radians()).collect()
    };
    let piece = |curve| Piece { name: String::new(), curve, line: Some(item.line) };
    edges(cut(&segments, &corners).into_iter().map(piece).collect())
}

/// Returns the edge of an outline that is nearest to a point, and its distance [m].
fn nearest_edge(panels: &[Panel], of: &[usize], p: Vec2) -> Option<(Side, f64)> {
    let sides = of.iter().flat_map(|k| {
        let edges = panels.get(*k).map(|panel| panel.outline.iter()).into_iter().flatten();
        edges.enumerate().map(|(edge, e)| (Side { panel: *k, edge }, e.curve.nearest(p).1))
    });
    sides.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// Adds an open path to the panel in which it lies: as its grain, a notch, the line of a fold, or a line inside.
fn add_line(panels: &mut [Panel], of: &[usize], item: &Item, notes: &mut Vec<MeshError>) {
    let curve = item.curve();
    let middle = curve.at(curve.length() / 2.0);
    let inside = of.iter().copied().find(|k| panels[*k].outline_holds(middle));
    let near = || nearest_edge(panels, of, middle).map(|(side, _)| side.panel);
    let Some(k) = inside.or_else(near) else { return };
    let panel = &mut panels[k];
    let line = Some(item.line);
    if item.is(Role::Grain) {
        match (curve.end() - curve.start()).try_normalize(1e-9) {
            Some(along) => panel.grain = if along.y < 0.0 { -along } else { along },
            None => notes.push(of_panel(panel, line, "its grain line has no direction")),
        }
    } else if item.is(Role::Notch) || item.extent() < MARK {
        // A notch may be drawn across the outline, or beside it.
        let points = curve.flattened(1e-4);
        let far = |p: &Vec2| panel.outline.iter().map(|e| e.curve.nearest(*p).1).fold(f64::INFINITY, f64::min);
        let points = points.into_iter().chain([middle]).map(|p| (far(&p), p));
        if let Some((far, at)) = points.min_by(|a, b| a.0.total_cmp(&b.0))
            && (item.is(Role::Notch) || far < OFF)
        {
            panel.notches.push(Notch { at, line });
        }
    } else if let Some(fold) = item.is(Role::Fold).then(|| on_edge(panel, &curve)).flatten() {
        panel.outline = unfolded(&panel.outline, fold);
    } else {
        let taken = item.name.is_empty() || panel.lines.iter().any(|l| l.name == item.name);
        let name = if taken { format!("line-{}", panel.lines.len()) } else { item.name.clone() };
        panel.lines.push(Internal { name, curve, line });
    }
}

/// Returns the straight edge on which a line lies, if there is one.
fn on_edge(panel: &Panel, line: &Curve) -> Option<usize> {
    let on = |e: &Edge| {
        let far = [line.start(), line.end()].map(|p| e.curve.nearest(p).1);
        e.curve.is_straight() && far[0].max(far[1]) < 2e-3
    };
    panel.outline.iter().position(on)
}

/// Sews the edges that bear the same mark.
///
/// # Errors
/// Fails for a mark that is not on two edges.
pub(super) fn sew(pattern: &mut Pattern, seams: Vec<Mark>) -> Result<(), MeshError> {
    let mut by_name: BTreeMap<&str, Vec<(Side, usize)>> = BTreeMap::new();
    for (name, side, line) in &seams {
        by_name.entry(name).or_default().push((*side, *line));
    }
    for (name, sides) in by_name {
        let line = sides.first().map(|(_, line)| *line);
        let fault = |what: String| MeshError { line, column: None, what };
        let [(a, _), (b, _)] = sides[..] else {
            let names: Vec<String> = sides.iter().map(|(s, _)| format!("'{}'", pattern.name_of(*s))).collect();
            let what = format!(
                "the seam '{name}' is marked at {} edge(s), {}; mark the two that it joins",
                sides.len(),
                names.join(", ")
            );
            return Err(fault(what));
        };
        let edges = [a, b].map(|side| pattern.name_of(side));
        pattern.sew([&edges[0], &edges[1]], Some(name)).map_err(fault)?;
    }
    Ok(())
}
