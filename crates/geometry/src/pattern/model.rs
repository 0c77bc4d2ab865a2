//! A pattern as its file describes it, in metres.

use super::{Curve, Girth};
use crate::linalg::{Rotation, Vec2, Vec3};
use crate::mesh::MeshError;
use std::sync::Arc;

/// Panels and the stitches between their edges.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pattern {
    /// Panels, in the order of the file. Names are unique.
    pub panels: Vec<Panel>,
    /// Stitches, in the order of the file. Names are unique.
    pub stitches: Vec<Stitch>,
    /// Warnings about content that was left out, changed, or is probably unintended.
    pub notes: Vec<MeshError>,
}

/// A flat piece of cloth. Its front is that from which the outline runs anticlockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Name.
    pub name: String,
    /// Line of the file.
    pub line: Option<usize>,
    /// Name of the part of the body, which panels may share.
    pub label: Option<String>,
    /// Closed loop of edges: each begins where the one before it ends.
    pub outline: Vec<Edge>,
    /// Closed loops of edges that are cut out.
    pub holes: Vec<Vec<Edge>>,
    /// Lines inside that are not cut: folds, pleats, places of pockets.
    pub lines: Vec<Internal>,
    /// Marks on the outline.
    pub notches: Vec<Notch>,
    /// Unit direction of the grain line, along which the warp runs.
    pub grain: Vec2,
    /// Place in space, with y upwards; none if the file does not say it.
    pub placement: Option<Placement>,
}

/// Part of a loop between two corners.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Name; unique in the panel.
    pub name: String,
    /// Name of a purpose, which edges may share.
    pub label: Option<String>,
    /// Shape.
    pub curve: Curve,
    /// Line of the file.
    pub line: Option<usize>,
}

/// Line inside of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Internal {
    /// Name; unique in the panel.
    pub name: String,
    /// Shape.
    pub curve: Curve,
    /// Line of the file.
    pub line: Option<usize>,
}

/// Mark on the outline of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Notch {
    /// Place.
    pub at: Vec2,
    /// Line of the file.
    pub line: Option<usize>,
}

/// Cylinder on which a panel is bent without strain: its axis is along y, behind the panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Wrap {
    /// A round one, before the turn and the shift.
    Round {
        /// Radius [m].
        radius: f64,
        /// Coordinate x at which the panel touches its plane [m].
        middle: f64,
    },
    /// Cylinder around a limb, whose axis becomes y and its front z.
    Limb {
        /// Cross-section, with its x along z and its y along x.
        girth: Arc<Girth>,
        /// Arc length of the cross-section at the middle of the panel [m].
        start: f64,
        /// Middle of the panel, which is put at y = 0 [m].
        middle: Vec2,
    },
}

/// Place of a panel in space: bent on a cylinder or flat, then a turn of its plane, then a shift.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Cylinder; flat if `None`.
    pub wrap: Option<Wrap>,
    /// Turn.
    pub rotation: Rotation,
    /// Shift [m].
    pub translation: Vec3,
}

impl Default for Placement {
    fn default() -> Self {
        Placement { wrap: None, rotation: Rotation::identity(), translation: Vec3::zeros() }
    }
}

impl Placement {
    /// Returns the place of a point of the panel [m].
    pub fn apply(&self, p: &Vec2) -> Vec3 {
        let bent = match &self.wrap {
            None => Vec3::new(p.x, p.y, 0.0),
            Some(Wrap::Round { radius, middle }) => {
                let angle = (p.x - middle) / radius;
                Vec3::new(middle + radius * angle.sin(), p.y, radius * (angle.cos() - 1.0))
            }
            Some(Wrap::Limb { girth, start, middle }) => {
                let across = girth.at(start + p.x - middle.x);
                Vec3::new(across.y, p.y - middle.y, across.x)
            }
        };
        self.rotation * bent + self.translation
    }
}

/// Edge of a panel, by indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    /// Index of the panel.
    pub panel: usize,
    /// Index of the edge: of the outline, then of the holes in order.
    pub edge: usize,
}

/// Two edges that are sewn together.
#[derive(Clone, Debug, PartialEq)]
pub struct Stitch {
    /// Name; unique in the pattern.
    pub name: String,
    /// Edges.
    pub sides: [Side; 2],
    /// Whether the start of one edge meets the start of the other. Otherwise it meets the end, so that the fronts of
    /// both panels are on the same side.
    pub starts_meet: bool,
    /// Line of the file.
    pub line: Option<usize>,
}

/// Returns whether a point is inside closed polygons, by the parity of their sides on its right. The last point of each
/// is joined to the first, since curves close only within rounding.
pub(super) fn inside<R: IntoIterator<Item = Vec2, IntoIter: Clone>>(
    rings: impl IntoIterator<Item = R>,
    p: Vec2,
) -> bool {
    let crossed = |ring: R| {
        let points = ring.into_iter();
        let ends = points.clone().skip(1).chain(points.clone().take(1));
        let crosses =
            |(a, b): &(Vec2, Vec2)| (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x);
        points.zip(ends).filter(crosses).count()
    };
    rings.into_iter().map(crossed).sum::<usize>() % 2 == 1
}

impl Panel {
    /// Returns all edges: of the outline, then of the holes in order.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.outline.iter().chain(self.holes.iter().flatten())
    }

    /// Returns an edge by its index in [`Panel::edges`].
    pub fn edge(&self, index: usize) -> Option<&Edge> {
        self.edges().nth(index)
    }

    /// Returns the area, without holes [m^2].
    pub fn area(&self) -> f64 {
        let of = |edges: &[Edge]| 0.5 * edges.iter().map(|e| e.curve.twice_area()).sum::<f64>().abs();
        of(&self.outline) - self.holes.iter().map(|hole| of(hole)).sum::<f64>()
    }

    /// Returns whether the outline runs anticlockwise in the panel's plane.
    pub fn is_anticlockwise(&self) -> bool {
        self.outline.iter().map(|e| e.curve.twice_area()).sum::<f64>() > 0.0
    }

    /// Returns whether a point is inside the outline.
    pub fn outline_holds(&self, p: Vec2) -> bool {
        let points: Vec<Vec2> = self.outline.iter().flat_map(|e| e.curve.flattened(1e-4)).collect();
        inside([points], p)
    }

    /// Returns the corners of the bounding box of the outline.
    pub fn bounds(&self) -> [Vec2; 2] {
        let start = [Vec2::repeat(f64::INFINITY), Vec2::repeat(f64::NEG_INFINITY)];
        self.outline.iter().map(|e| e.curve.bounds()).fold(start, |a, b| [a[0].inf(&b[0]), a[1].sup(&b[1])])
    }
}

impl Pattern {
    /// Returns the name of an edge with that of its panel: `panel.edge`.
    pub fn name_of(&self, side: Side) -> String {
        let panel = self.panels.get(side.panel);
        let edge = panel.and_then(|p| p.edge(side.edge)).map_or("?", |e| &e.name);
        format!("{}.{edge}", panel.map_or("?", |p| &p.name))
    }

    /// Returns the edge of a side.
    pub fn edge(&self, side: Side) -> Option<&Edge> {
        self.panels.get(side.panel)?.edge(side.edge)
    }

    /// Returns the edge with a name `panel.edge`. Names of panels may hold points themselves.
    ///
    /// # Errors
    /// Fails if there is no such edge, with the names that there are.
    pub fn find(&self, name: &str) -> Result<Side, String> {
        let mut near = None;
        for (at, _) in name.match_indices('.') {
            let (panel, edge) = (&name[..at], &name[at + 1..]);
            let Some(k) = self.panels.iter().position(|p| p.name == panel) else { continue };
            let matches = |e: &Edge| e.name == edge;
            let labelled = |e: &Edge| e.label.as_deref() == Some(edge);
            let panel = &self.panels[k];
            if let Some(edge) = panel.edges().position(matches) {
                return Ok(Side { panel: k, edge });
            }
            if let (Some(edge), 1) = (panel.edges().position(labelled), panel.edges().filter(|e| labelled(e)).count()) {
                return Ok(Side { panel: k, edge });
            }
            near = Some(panel);
        }
        Err(match near {
            Some(panel) => {
                format!(
                    "panel '{}' has no edge of '{name}'; its edges are {}",
                    panel.name,
                    listed(panel.edges().map(|e| e.name.as_str()))
                )
            }
            None => {
                let panels = listed(self.panels.iter().map(|p| p.name.as_str()));
                format!("'{name}' is no edge; write panel.edge. The panels are {panels}")
            }
        })
    }

    /// Places panels that have no place beside each other, on y = 0 in the plane z = 0. Returns their names.
    pub fn lay_out(&mut self) -> Vec<String> {
        let mut x = 0.0;
        let mut laid = Vec::new();
        for panel in self.panels.iter_mut().filter(|p| p.placement.is_none()) {
            let [low, high] = panel.bounds();
            let translation = Vec3::new(x - low.x, -low.y, 0.0);
            panel.placement = Some(Placement { translation, ..Placement::default() });
            x += high.x - low.x + 0.05;
            laid.push(format!("'{}'", short(&panel.name)));
        }
        laid
    }

    /// Sews two edges together. The name of the seam is that of both edges, unless given.
    ///
    /// # Errors
    /// Fails if there is no such edge, or if one is sewn already.
    pub fn sew(&mut self, edges: [&str; 2], name: Option<&str>) -> Result<(), String> {
        let sides = [self.find(edges[0])?, self.find(edges[1])?];
        if sides[0] == sides[1] {
            return Err(format!("'{}' cannot be sewn to itself; name two edges", edges[0]));
        }
        for side in sides {
            if let Some(other) = self.stitches.iter().find(|s| s.sides.contains(&side)) {
                let edge = self.name_of(side);
                return Err(format!("'{edge}' is sewn already, in the seam '{}'; an edge has one seam", other.name));
            }
        }
        let name = name.map_or_else(|| sides.map(|s| self.name_of(s)).join("+"), str::to_string);
        if self.stitches.iter().any(|s| s.name == name) {
            return Err(format!("another seam is named '{name}'; give one of them another name"));
        }
        self.stitches.push(Stitch { name, sides, starts_meet: false, line: None });
        Ok(())
    }
}

/// Largest number of names in a message.
const MOST_LISTED: usize = 12;

/// Lists names for messages.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<String> = names.take(MOST_LISTED + 1).map(|n| format!("'{}'", short(n))).collect();
    if names.len() > MOST_LISTED {
        names.truncate(MOST_LISTED);
        names.push("...".to_string());
    }
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

/// Shortens a word of a file for messages.
pub(super) fn short(word: &str) -> String {
    let cut: String = word.chars().take(40).collect();
    if cut.len() < word.len() { format!("{cut}...") } else { cut }
}
