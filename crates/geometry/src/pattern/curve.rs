//! Plane curves of lines and Bézier curves, measured by arc length.

use crate::linalg::Vec2;
use kurbo::{
    Affine, Arc, ParamCurve, ParamCurveArclen, ParamCurveArea, ParamCurveNearest, PathSeg, Point, Shape, SvgArc,
};

/// Accuracy of arc lengths, and of arcs as cubic curves [m].
const EXACT: f64 = 1e-9;

/// Curve in the plane of a panel, from its start to its end. The end of each segment is the start of the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    segments: Vec<PathSeg>,
    /// Arc length at the end of each segment [m].
    ends: Vec<f64>,
}

fn point(p: Vec2) -> Point {
    Point::new(p.x, p.y)
}

fn vector(p: Point) -> Vec2 {
    Vec2::new(p.x, p.y)
}

impl Curve {
    /// Makes a curve of segments that follow each other. Segments without length are left out, unless all are.
    pub(super) fn new(mut segments: Vec<PathSeg>) -> Curve {
        let long = |s: &PathSeg| s.arclen(EXACT) > 0.0;
        if segments.iter().any(long) {
            segments.retain(long);
        } else {
            segments.truncate(1);
        }
        let lengths = segments.iter().map(|s| s.arclen(EXACT));
        let ends = lengths.scan(0.0, |sum, length| {
            *sum += length;
            Some(*sum)
        });
        Curve { ends: ends.collect(), segments }
    }

    /// Makes a straight line.
    pub fn line(from: Vec2, to: Vec2) -> Curve {
        Curve::new(vec![PathSeg::Line(kurbo::Line::new(point(from), point(to)))])
    }

    /// Makes straight lines from point to point.
    pub fn polyline(points: &[Vec2]) -> Curve {
        let line = |w: &[Vec2]| PathSeg::Line(kurbo::Line::new(point(w[0]), point(w[1])));
        Curve::new(points.windows(2).map(line).collect())
    }

    /// Makes a Bézier curve with one control point.
    pub fn quadratic(from: Vec2, control: Vec2, to: Vec2) -> Curve {
        Curve::new(vec![PathSeg::Quad(kurbo::QuadBez::new(point(from), point(control), point(to)))])
    }

    /// Makes a Bézier curve with two control points.
    pub fn cubic(from: Vec2, controls: [Vec2; 2], to: Vec2) -> Curve {
        let [a, b] = controls.map(point);
        Curve::new(vec![PathSeg::Cubic(kurbo::CubicBez::new(point(from), a, b, point(to)))])
    }

    /// Makes an arc of a circle; straight if the radius is 0. `anticlockwise` is the way from start to end about the
    /// centre, with y upwards. A radius smaller than half the chord is enlarged to it.
    pub fn arc(from: Vec2, to: Vec2, radius: f64, large: bool, anticlockwise: bool) -> Curve {
        let radii = kurbo::Vec2::new(radius, radius);
        let (from, to) = (point(from), point(to));
        Curve::new(arc_segments(&SvgArc { from, to, radii, x_rotation: 0.0, large_arc: large, sweep: anticlockwise }))
    }

    /// Makes a centripetal Catmull-Rom spline through the points.
    pub fn spline(points: &[Vec2]) -> Curve {
        let at = |k: isize| {
            let last = points.len() as isize - 1;
            let known = |k: isize| points[k.clamp(0, last) as usize];
            // Mirrored ends give the spline a tangent there.
            if k < 0 || k > last { 2.0 * known(k) - known(2 * k.clamp(0, last) - k) } else { known(k) }
        };
        let segment = |k: isize| {
            let [a, b, c, d] = [k - 1, k, k + 1, k + 2].map(at);
            let [r, s, t] = [(a, b), (b, c), (c, d)].map(|(p, q)| (q - p).norm().sqrt().max(1e-9));
            let out = (b - a) / r - (c - a) / (r + s) + (c - b) / s;
            let into = (c - b) / s - (d - b) / (s + t) + (d - c) / t;
            let [p, q] = [b + out * (s / 3.0), c - into * (s / 3.0)].map(point);
            PathSeg::Cubic(kurbo::CubicBez::new(point(b), p, q, point(c)))
        };
        Curve::new((0..points.len() as isize - 1).map(segment).collect())
    }

    /// Returns its segments.
    pub(super) fn segments(&self) -> &[PathSeg] {
        &self.segments
    }

    /// Returns its segments as cubic curves: start, both control points, and end of each [m].
    pub fn cubics(&self) -> Vec<[Vec2; 4]> {
        let of = |segment: &PathSeg| {
            let cubic = segment.to_cubic();
            [cubic.p0, cubic.p1, cubic.p2, cubic.p3].map(vector)
        };
        self.segments.iter().map(of).collect()
    }

    /// Returns the first point.
    pub fn start(&self) -> Vec2 {
        self.segments.first().map_or(Vec2::zeros(), |s| vector(s.start()))
    }

    /// Returns the last point.
    pub fn end(&self) -> Vec2 {
        self.segments.last().map_or(Vec2::zeros(), |s| vector(s.end()))
    }

    /// Returns the arc length [m].
    pub fn length(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }

    /// Returns whether all of its segments are straight.
    pub fn is_straight(&self) -> bool {
        self.segments.iter().all(|s| matches!(s, PathSeg::Line(_)))
    }

    /// Returns the point at an arc length from the start [m]; the nearer end beyond both.
    pub fn at(&self, along: f64) -> Vec2 {
        if along <= 0.0 {
            return self.start();
        }
        let k = self.ends.partition_point(|end| *end < along);
        let Some(segment) = self.segments.get(k) else { return self.end() };
        let before = if k > 0 { self.ends[k - 1] } else { 0.0 };
        let t = match segment {
            PathSeg::Line(_) => (along - before) / (self.ends[k] - before),
            _ => segment.inv_arclen(along - before, EXACT),
        };
        vector(segment.eval(t))
    }

    /// Returns the arc length at which it is nearest to a point, and the distance [m].
    pub fn nearest(&self, p: Vec2) -> (f64, f64) {
        let mut best = (0.0, f64::INFINITY);
        for (k, segment) in self.segments.iter().enumerate() {
            let near = segment.nearest(point(p), EXACT);
            let distance = near.distance_sq.max(0.0).sqrt();
            if distance < best.1 {
                let before = if k > 0 { self.ends[k - 1] } else { 0.0 };
                best = (before + segment.subsegment(0.0..near.t).arclen(EXACT), distance);
            }
        }
        best
    }

    /// Returns the unit direction at the start, or at the end.
    pub fn direction(&self, end: bool) -> Vec2 {
        let segment = if end { self.segments.last() } else { self.segments.first() };
        let Some(segment) = segment else { return Vec2::zeros() };
        let cubic = segment.to_cubic();
        let points = [cubic.p0, cubic.p1, cubic.p2, cubic.p3].map(vector);
        let pairs = [[0, 1], [0, 2], [0, 3], [2, 3], [1, 3]];
        // A control point on the end itself says nothing of the direction.
        let order: &[usize] = if end { &[3, 4, 2] } else { &[0, 1, 2] };
        let found = order.iter().map(|k| points[pairs[*k][1]] - points[pairs[*k][0]]).find(|d| d.norm() > EXACT);
        found.map_or(Vec2::zeros(), |d| d.normalize())
    }

    /// Returns the curve from its end to its start.
    pub fn reversed(&self) -> Curve {
        Curve::new(self.segments.iter().rev().map(|s| s.reverse()).collect())
    }

    /// Returns the curve followed by another one that begins where it ends.
    pub fn followed_by(&self, next: &Curve) -> Curve {
        Curve::new(self.segments.iter().chain(&next.segments).copied().collect())
    }

    /// Returns the curve after a linear map and a shift: `x` and `y` are the images of the axes.
    pub fn mapped(&self, x: Vec2, y: Vec2, shift: Vec2) -> Curve {
        let map = Affine::new([x.x, x.y, y.x, y.y, shift.x, shift.y]);
        Curve::new(self.segments.iter().map(|s| map * *s).collect())
    }

    /// Returns points on it, from start to end, between which chords are nearer to it than `tolerance` [m].
    pub fn flattened(&self, tolerance: f64) -> Vec<Vec2> {
        let mut points = vec![self.start()];
        kurbo::flatten(kurbo::BezPath::from_path_segments(self.segments.iter().copied()), tolerance, |element| {
            if let kurbo::PathEl::LineTo(p) = element {
                points.push(vector(p));
            }
        });
        points
    }

    /// Returns twice the signed area between it and the origin, positive if it runs anticlockwise about it.
    pub fn twice_area(&self) -> f64 {
        2.0 * self.segments.iter().map(|s| s.signed_area()).sum::<f64>()
    }

    /// Returns the corners of its bounding box.
    pub fn bounds(&self) -> [Vec2; 2] {
        let path = kurbo::BezPath::from_path_segments(self.segments.iter().copied());
        let b = path.bounding_box();
        [Vec2::new(b.x0, b.y0), Vec2::new(b.x1, b.y1)]
    }
}

/// Returns an elliptic arc as cubic curves; a line where it is none.
pub(super) fn arc_segments(arc: &SvgArc) -> Vec<PathSeg> {
    let Some(round) = Arc::from_svg_arc(arc) else {
        return vec![PathSeg::Line(kurbo::Line::new(arc.from, arc.to))];
    };
    let (mut from, mut segments) = (arc.from, Vec::new());
    round.to_cubic_beziers(EXACT, |a, b, to| {
        segments.push(PathSeg::Cubic(kurbo::CubicBez::new(from, a, b, to)));
        from = to;
    });
    if let Some(PathSeg::Cubic(last)) = segments.last_mut() {
        last.p3 = arc.to;
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn arcs_have_the_length_and_side_of_a_circle() {
        let (a, b) = (Vec2::new(0.0, 0.0), Vec2::new(2.0, 0.0));
        let half = Curve::arc(a, b, 1.0, false, true);
        assert!((half.length() - PI).abs() < 1e-8, "{}", half.length());
        assert!((half.at(PI / 2.0) - Vec2::new(1.0, -1.0)).norm() < 1e-7, "right of the chord, so anticlockwise");
        assert!((half.twice_area() - PI).abs() < 1e-6);
        let large = Curve::arc(a, b, 2f64.sqrt(), true, false);
        assert!((large.length() - 2f64.sqrt() * 1.5 * PI).abs() < 1e-7);
        assert_eq!(half.end(), b);
    }

    #[test]
    fn points_are_found_by_arc_length() {
        let curve = Curve::polyline(&[Vec2::zeros(), Vec2::new(1.0, 0.0), Vec2::new(1.0, 0.0), Vec2::new(1.0, 3.0)]);
        assert_eq!((curve.length(), curve.segments().len()), (4.0, 2));
        assert_eq!([0.5, 1.0, 2.5, 9.0].map(|s| curve.at(s).y), [0.0, 0.0, 1.5, 3.0]);
        let (along, far) = curve.nearest(Vec2::new(1.5, 2.0));
        assert!((along - 3.0).abs() < 1e-12 && (far - 0.5).abs() < 1e-12);
        assert_eq!(curve.reversed().at(1.0), Vec2::new(1.0, 2.0));
        assert_eq!((curve.direction(false), curve.direction(true)), (Vec2::x(), Vec2::y()));
    }

    #[test]
    fn splines_pass_through_their_points() {
        let on = |k: usize| Vec2::new((k as f64 * 0.2).cos(), (k as f64 * 0.2).sin());
        let points: Vec<Vec2> = (0..8).map(on).collect();
        let spline = Curve::spline(&points);
        assert!(points.iter().all(|p| spline.nearest(*p).1 < 1e-12));
        let off = |k: usize| (spline.at(spline.length() * (k as f64 + 0.5) / 64.0).norm() - 1.0).abs();
        let (chords, spline) = (1.0 - 0.1f64.cos(), (8..56).map(off).fold(0.0, f64::max));
        assert!(spline < 0.1 * chords, "{spline} against {chords}");
    }
}
