//! Shapes of SVG as paths in metres, with y upwards.

use super::super::curve::arc_segments;
use super::super::model::short;
use super::Place;
use crate::mesh::MeshError;
use kurbo::{Affine, Ellipse, PathEl, PathSeg, Point, Rect, Shape as _, SvgArc};
use roxmltree::Node;
use std::str::FromStr;
use svgtypes::{PathParser, PathSegment};

/// Largest number of segments of a path.
const MOST: usize = 100_000;
/// Largest number of user units of an attribute. Curves are not divided before it is known.
const FAR: f64 = 1e9;
/// Accuracy of ellipses as curves, in units of the file.
const ROUND: f64 = 1e-7;

/// Connected part of a path.
#[derive(Clone, Debug)]
pub(super) struct Subpath {
    /// Segments; each begins where the one before ends.
    pub segments: Vec<PathSeg>,
    /// Whether it is closed.
    pub closed: bool,
}

/// Returns the parts of an element that draws lines, or `None` for other elements.
///
/// # Errors
/// Fails for a number or path that cannot be read.
pub(super) fn subpaths(node: &Node, place: &Place) -> Result<Option<Vec<Subpath>>, MeshError> {
    let number = |name: &str| number(node, name, place);
    let parts = match node.tag_name().name() {
        "path" => path(node.attribute("d").unwrap_or_default(), node, place)?,
        "line" => {
            let [a, b] = [Point::new(number("x1")?, number("y1")?), Point::new(number("x2")?, number("y2")?)];
            chain(&[a, b], false)
        }
        "polyline" | "polygon" => {
            let parser = svgtypes::PointsParser::from(node.attribute("points").unwrap_or_default());
            let points: Vec<Point> = parser.map(|(x, y)| Point::new(x, y)).collect();
            chain(&points, node.tag_name().name() == "polygon")
        }
        "rect" => {
            let (x, y, w, h) = (number("x")?, number("y")?, number("width")?, number("height")?);
            let (rx, ry) = (number("rx")?, number("ry")?);
            let radius = if rx > 0.0 { rx } else { ry };
            let rect = Rect::new(x, y, x + w, y + h);
            if radius > 0.0 { of_shape(&rect.to_rounded_rect(radius)) } else { of_shape(&rect) }
        }
        "circle" | "ellipse" => {
            let r = number("r")?;
            let radii = if r > 0.0 { (r, r) } else { (number("rx")?, number("ry")?) };
            of_shape(&Ellipse::new((number("cx")?, number("cy")?), radii, 0.0))
        }
        _ => return Ok(None),
    };
    let bad = |s: &PathSeg| !s.bounding_box().is_finite();
    if parts.iter().flat_map(|p| &p.segments).any(bad) {
        return Err(place.fault(node, "a coordinate is not a finite number"));
    }
    Ok(Some(parts))
}

/// Applies a transform to a part.
pub(super) fn moved(part: &Subpath, map: Affine) -> Subpath {
    Subpath { segments: part.segments.iter().map(|s| map * *s).collect(), closed: part.closed }
}

/// Returns whether a part lies within a kilometre of the origin [m].
pub(super) fn is_near(part: &Subpath) -> bool {
    part.segments.iter().all(|s| {
        let b = s.bounding_box();
        b.is_finite() && [b.x0, b.x1, b.y0, b.y1].iter().all(|c| c.abs() < 1e3)
    })
}

/// Reads an attribute as a number of user units; 0 if it is absent.
///
/// # Errors
/// Fails for what is no number.
pub(super) fn number(node: &Node, name: &str, place: &Place) -> Result<f64, MeshError> {
    let Some(text) = node.attribute(name) else { return Ok(0.0) };
    let length = svgtypes::Length::from_str(text.trim()).ok().filter(|l| l.number.is_finite());
    let Some(length) = length else {
        return Err(place.fault(node, format!("{name}=\"{}\" is no number", short(text))));
    };
    if length.unit == svgtypes::LengthUnit::Percent {
        return Err(place.fault(node, format!("{name}=\"{}\" is a percentage; give a number", short(text))));
    }
    if length.number.abs() > FAR {
        return Err(place.fault(node, format!("{name}=\"{}\" is beyond all drawings", short(text))));
    }
    let absolute = super::units::metres(length).filter(|_| length.unit != svgtypes::LengthUnit::None);
    // Lengths with a unit are those of the paper at 96 units an inch.
    Ok(absolute.map_or(length.number, |metres| metres * 96.0 / 0.0254))
}

/// Joins points by lines.
fn chain(points: &[Point], closed: bool) -> Vec<Subpath> {
    let mut segments: Vec<PathSeg> = points.windows(2).map(|w| PathSeg::Line(kurbo::Line::new(w[0], w[1]))).collect();
    if closed && let (Some(first), Some(last)) = (points.first(), points.last()) {
        segments.push(PathSeg::Line(kurbo::Line::new(*last, *first)));
    }
    if segments.is_empty() { Vec::new() } else { vec![Subpath { segments, closed }] }
}

fn of_shape(shape: &impl kurbo::Shape) -> Vec<Subpath> {
    let elements: Vec<PathEl> = shape.path_elements(ROUND).collect();
    let segments = kurbo::segments(elements).collect::<Vec<_>>();
    if segments.is_empty() { Vec::new() } else { vec![Subpath { segments, closed: true }] }
}

/// State of the pen.
struct Pen {
    parts: Vec<Subpath>,
    at: Point,
    start: Point,
    /// Control point before a smooth cubic, or quadratic, curve.
    smooth: [Option<Point>; 2],
    /// The next segment begins a part.
    fresh: bool,
}

impl Pen {
    fn add(&mut self, segment: PathSeg, to: Point) {
        if std::mem::take(&mut self.fresh) {
            self.parts.push(Subpath { segments: Vec::new(), closed: false });
        }
        if let Some(part) = self.parts.last_mut() {
            part.segments.push(segment);
        }
        self.at = to;
        self.smooth = [None, None];
    }

    fn line(&mut self, to: Point) {
        self.add(PathSeg::Line(kurbo::Line::new(self.at, to)), to);
    }

    fn cubic(&mut self, a: Point, b: Point, to: Point) {
        self.add(PathSeg::Cubic(kurbo::CubicBez::new(self.at, a, b, to)), to);
        self.smooth[0] = Some(to + (to - b));
    }

    fn quadratic(&mut self, control: Point, to: Point) {
        self.add(PathSeg::Quad(kurbo::QuadBez::new(self.at, control, to)), to);
        self.smooth[1] = Some(to + (to - control));
    }

    fn close(&mut self) {
        if self.at != self.start && !self.fresh {
            self.line(self.start);
        }
        if let Some(part) = self.parts.last_mut().filter(|_| !self.fresh) {
            part.closed = true;
        }
        self.at = self.start;
        self.fresh = true;
        self.smooth = [None, None];
    }
}

/// Reads the data of a path.
fn path(data: &str, node: &Node, place: &Place) -> Result<Vec<Subpath>, MeshError> {
    let zero = Point::ZERO;
    let mut pen = Pen { parts: Vec::new(), at: zero, start: zero, smooth: [None, None], fresh: true };
    for (count, segment) in PathParser::from(data).enumerate() {
        let segment = segment.map_err(|error| place.fault(node, format!("the data of the path are wrong: {error}")))?;
        if count > MOST {
            return Err(place.fault(node, "a path of more than 100000 segments; simplify it"));
        }
        draw(&mut pen, segment);
    }
    Ok(pen.parts)
}

/// Adds a segment of the data.
fn draw(pen: &mut Pen, segment: PathSegment) {
    let from = pen.at;
    let point = |abs: bool, x: f64, y: f64| if abs { Point::new(x, y) } else { from + kurbo::Vec2::new(x, y) };
    match segment {
        PathSegment::MoveTo { abs, x, y } => {
            pen.at = point(abs, x, y);
            (pen.start, pen.fresh, pen.smooth) = (pen.at, true, [None, None]);
        }
        PathSegment::LineTo { abs, x, y } => pen.line(point(abs, x, y)),
        PathSegment::HorizontalLineTo { abs, x } => pen.line(Point::new(if abs { x } else { from.x + x }, from.y)),
        PathSegment::VerticalLineTo { abs, y } => pen.line(Point::new(from.x, if abs { y } else { from.y + y })),
        PathSegment::CurveTo { abs, x1, y1, x2, y2, x, y } => {
            pen.cubic(point(abs, x1, y1), point(abs, x2, y2), point(abs, x, y));
        }
        PathSegment::SmoothCurveTo { abs, x2, y2, x, y } => {
            pen.cubic(pen.smooth[0].unwrap_or(from), point(abs, x2, y2), point(abs, x, y));
        }
        PathSegment::Quadratic { abs, x1, y1, x, y } => pen.quadratic(point(abs, x1, y1), point(abs, x, y)),
        PathSegment::SmoothQuadratic { abs, x, y } => {
            pen.quadratic(pen.smooth[1].unwrap_or(from), point(abs, x, y));
        }
        PathSegment::EllipticalArc { abs, rx, ry, x_axis_rotation, large_arc, sweep, x, y } => {
            let to = point(abs, x, y);
            let (radii, x_rotation) = (kurbo::Vec2::new(rx, ry), x_axis_rotation.to_radians());
            for piece in arc_segments(&SvgArc { from, to, radii, x_rotation, large_arc, sweep }) {
                let end = match piece {
                    PathSeg::Cubic(c) => c.p3,
                    _ => to,
                };
                pen.add(piece, end);
            }
        }
        PathSegment::ClosePath { .. } => pen.close(),
    }
}
