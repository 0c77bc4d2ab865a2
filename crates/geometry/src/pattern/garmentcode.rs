//! Reader of the JSON specifications of GarmentCode and its forebears. Vertices and edges by index, curvature in the
//! frame of the edge, stitches one to one, and a place for each panel.

use super::json::{self, Node, Value};
use super::model::{listed, short};
use super::{Curve, Edge, Options, Panel, Pattern, Placement, Side, Stitch};
use crate::linalg::{Rotation, Vec2, Vec3};
use crate::mesh::MeshError;

/// Largest coordinate [m].
const FARTHEST: f64 = 1e3;

/// Settings of a file.
struct Properties {
    /// Length of a unit [m].
    unit: f64,
    /// Control points are in the frame of their edge, rather than in that of the panel.
    relative: bool,
    /// The origin of a panel is to be moved to the mean of its vertices.
    centred: bool,
}

/// Reads a specification.
///
/// # Errors
/// Fails at the first place that is no specification.
pub(super) fn read(bytes: &[u8], options: &Options) -> Result<Pattern, MeshError> {
    let file = json::read(bytes)?;
    let Some(spec) = file.find("pattern") else {
        return Err(file.fault("no 'pattern' here: not a specification of GarmentCode (..._specification.json)"));
    };
    let mut pattern = Pattern::default();
    let properties = properties(&file, options, &mut pattern.notes)?;
    let panels = spec.get("panels")?;
    for (name, node) in panels.entries()? {
        if pattern.panels.iter().any(|p| p.name == *name) {
            return Err(node.fault(format!("a second panel named '{}'; names are unique", short(name))));
        }
        let panel = panel(name, node, &properties).map_err(|e| in_panel(name, e))?;
        pattern.panels.push(panel);
    }
    if pattern.panels.is_empty() {
        return Err(panels.fault("no panels in this pattern"));
    }
    if let Some(stitches) = spec.find("stitches") {
        for node in stitches.items()? {
            stitch(node, &mut pattern)?;
        }
    }
    Ok(pattern)
}

/// Names the panel in an error.
fn in_panel(name: &str, error: MeshError) -> MeshError {
    MeshError { what: format!("panel '{}': {}", short(name), error.what), ..error }
}

fn properties(file: &Node, options: &Options, notes: &mut Vec<MeshError>) -> Result<Properties, MeshError> {
    let all = file.find("properties");
    let of = |key: &str| all.and_then(|all| all.find(key));
    let unit = match of("units_in_meter") {
        Some(node) => match node.number()? {
            value if (1e-3..=1e6).contains(&value) => Some(1.0 / value),
            value => return Err(node.fault(format!("{value} units in a metre; centimetres have 100"))),
        },
        None => None,
    };
    if unit.is_none() && options.unit.is_none() {
        notes.push(MeshError::new("it does not say its unit ('units_in_meter'); read as centimetres"));
    }
    let relative = match of("curvature_coords") {
        None => true,
        Some(node) => match node.text()? {
            "relative" => true,
            "absolute" => false,
            other => return Err(node.fault(format!("'{}' is neither \"relative\" nor \"absolute\"", short(other)))),
        },
    };
    let centred = of("normalize_panel_translation").is_some_and(|node| matches!(node.value, Value::Bool(true)));
    Ok(Properties { unit: options.unit.or(unit).unwrap_or(0.01), relative, centred })
}

fn panel(name: &str, node: &Node, properties: &Properties) -> Result<Panel, MeshError> {
    let vector = |node: &Node| -> Result<Vec2, MeshError> {
        let p = Vec2::from(node.numbers::<2>()?) * properties.unit;
        if p.amax() <= FARTHEST {
            Ok(p)
        } else {
            Err(node.fault("farther than a kilometre from the origin; is the unit right?"))
        }
    };
    let vertices: Vec<Vec2> = node.get("vertices")?.items()?.iter().map(vector).collect::<Result<_, _>>()?;
    let edges = node.get("edges")?;
    let mut outline: Vec<Edge> = Vec::new();
    let mut last = None;
    let mut first = None;
    for edge in edges.items()? {
        let [from, to] = endpoints(edge, vertices.len())?;
        if let Some(end) = last.filter(|end| *end != from) {
            return Err(edge.fault(format!(
                "the outline is open: edge {} begins at vertex {from}, the one before ends at {end}; list the edges in their order around the \
                 panel, each from its start to its end",
                outline.len()
            )));
        }
        (first, last) = (first.or(Some(from)), Some(to));
        let curve = match edge.find("curvature") {
            Some(bend) => curve(bend, [vertices[from], vertices[to]], properties)?,
            None => Curve::line(vertices[from], vertices[to]),
        };
        let label = edge.find("label").map(|l| l.text().map(str::to_string)).transpose()?.filter(|l| !l.is_empty());
        outline.push(Edge { name: outline.len().to_string(), label, curve, line: Some(edge.line) });
    }
    if outline.is_empty() {
        return Err(edges.fault("it has no edges"));
    }
    if first != last {
        let [first, last] = [first, last].map(Option::unwrap_or_default);
        return Err(edges.fault(format!(
            "the outline is open: it begins at vertex {first} and ends at {last}; add the edge between them"
        )));
    }
    let mut placement = placement(node, properties.unit)?;
    if properties.centred {
        let mean = vertices.iter().sum::<Vec2>() / vertices.len().max(1) as f64;
        outline.iter_mut().for_each(|e| e.curve = e.curve.mapped(Vec2::x(), Vec2::y(), -mean));
        placement.translation += Vec3::new(mean.x, mean.y, 0.0);
    }
    Ok(Panel {
        name: name.to_string(),
        line: Some(node.line),
        label: node.find("label").map(|l| l.text().map(str::to_string)).transpose()?.filter(|l| !l.is_empty()),
        outline,
        holes: Vec::new(),
        lines: Vec::new(),
        notches: Vec::new(),
        grain: Vec2::y(),
        placement: Some(placement),
    })
}

fn endpoints(edge: &Node, vertices: usize) -> Result<[usize; 2], MeshError> {
    let ends = edge.get("endpoints")?;
    let [from, to] = ends.items()? else {
        return Err(ends.fault("an edge has two endpoints"));
    };
    let [from, to] = [from.index(vertices, "vertex")?, to.index(vertices, "vertex")?];
    if from == to { Err(ends.fault(format!("both ends of the edge are vertex {from}"))) } else { Ok([from, to]) }
}

/// Reads the shape of an edge.
fn curve(node: &Node, [from, to]: [Vec2; 2], properties: &Properties) -> Result<Curve, MeshError> {
    let along = to - from;
    let across = Vec2::new(-along.y, along.x);
    let point = |node: &Node| -> Result<Vec2, MeshError> {
        let [a, b] = node.numbers::<2>()?;
        let p = if properties.relative { from + along * a + across * b } else { Vec2::new(a, b) * properties.unit };
        if p.amax() <= FARTHEST { Ok(p) } else { Err(node.fault("a control point is farther than a kilometre")) }
    };
    // The oldest files have a single control point without its kind.
    if let Value::List(_) = node.value {
        return Ok(Curve::quadratic(from, point(node)?, to));
    }
    let (kind, params) = (node.get("type")?, node.get("params")?);
    match (kind.text()?, params.items()?) {
        ("quadratic", [a]) => Ok(Curve::quadratic(from, point(a)?, to)),
        ("cubic", [a, b]) => Ok(Curve::cubic(from, [point(a)?, point(b)?], to)),
        ("circle", [radius, large, right]) => {
            let radius = radius.number()? * properties.unit;
            if !(0.0..=FARTHEST).contains(&radius) || radius == 0.0 {
                return Err(params.fault("the radius of a circle must be above 0 and below a kilometre"));
            }
            Ok(Curve::arc(from, to, radius, flag(large)?, flag(right)?))
        }
        ("quadratic" | "cubic" | "circle", params) => Err(node.fault(format!(
            "{} values for a curve of type \"{}\"; quadratic has 1 control point, cubic 2, circle radius and two flags",
            params.len(),
            kind.text()?
        ))),
        (other, _) => {
            Err(kind.fault(format!("unknown curve \"{}\"; there are quadratic, cubic and circle", short(other))))
        }
    }
}

fn flag(node: &Node) -> Result<bool, MeshError> {
    match node.value {
        Value::Bool(flag) => Ok(flag),
        _ => Ok(node.number()? != 0.0),
    }
}

/// Reads the place of a panel. Angles are in degrees, about x first, then y, then z.
fn placement(node: &Node, unit: f64) -> Result<Placement, MeshError> {
    let mut placement = Placement::default();
    if let Some(shift) = node.find("translation") {
        placement.translation = Vec3::from(shift.numbers::<3>()?) * unit;
        if placement.translation.amax() > FARTHEST {
            return Err(shift.fault("farther than a kilometre from the origin; is the unit right?"));
        }
    }
    if let Some(turn) = node.find("rotation") {
        let [x, y, z] = turn.numbers::<3>()?.map(f64::to_radians);
        placement.rotation = Rotation::from_euler_angles(x, y, z);
    }
    Ok(placement)
}

fn stitch(node: &Node, pattern: &mut Pattern) -> Result<(), MeshError> {
    let items = node.items()?;
    let (sides, tag) = match items {
        [a, b] => ([a, b], None),
        [a, b, tag] => ([a, b], Some(tag.text()?)),
        _ => return Err(node.fault(format!("a stitch joins two edges, this has {}", items.len()))),
    };
    let starts_meet = match tag {
        None => false,
        Some("right_wrong") => true,
        Some(other) => {
            return Err(node.fault(format!("unknown kind of stitch '{}'; there is \"right_wrong\"", short(other))));
        }
    };
    let of = |node: &Node| side(node, &pattern.panels);
    let sides = [of(sides[0])?, of(sides[1])?];
    let name = sides.map(|s| pattern.name_of(s)).join("+");
    pattern.stitches.push(Stitch { name, sides, starts_meet, line: Some(node.line) });
    Ok(())
}

fn side(node: &Node, panels: &[Panel]) -> Result<Side, MeshError> {
    let name = node.get("panel")?;
    let panel = panels.iter().position(|p| Ok(p.name.as_str()) == name.text());
    let panel = panel.ok_or_else(|| {
        let known = listed(panels.iter().map(|p| p.name.as_str()));
        name.fault(format!("a stitch names the panel {}, there is {known}", name.kind()))
    })?;
    let edge = node.get("edge")?;
    let noun = format!("edge of panel '{}':", short(&panels[panel].name));
    Ok(Side { panel, edge: edge.index(panels[panel].outline.len(), &noun)? })
}
