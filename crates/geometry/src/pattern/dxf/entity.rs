//! Entities of DXF: points, lines, polylines, arcs, splines, texts.

use super::super::Curve;
use super::pairs::Pair;
use crate::linalg::Vec2;
use crate::mesh::MeshError;
use std::f64::consts::TAU;

/// Largest coordinate, in units of the file.
const FARTHEST: f64 = 1e7;
/// Points of a spline between two knots.
const STEPS: usize = 16;
/// Largest number of points of a spline.
const POINTS: usize = 100_000;

/// Entity in units of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Entity {
    /// Kind, such as `LINE`.
    pub kind: String,
    /// Layer.
    pub layer: String,
    /// Points: of a polyline all vertices, of a line both ends, of a spline its control points.
    pub points: Vec<Vec2>,
    /// Bulge after each vertex: the tangent of a quarter of the arc's angle, anticlockwise.
    pub bulges: Vec<f64>,
    /// Whether the last vertex is joined with the first.
    pub closed: bool,
    /// Radius and angles of an arc [deg].
    pub arc: [f64; 3],
    /// Degree and knots of a spline.
    pub knots: (usize, Vec<f64>),
    /// Words of a text.
    pub words: String,
    /// Line of the file.
    pub line: usize,
}

/// Reads the entity that begins at pair `at`; returns it and the pair after it. Vertices of a polyline belong to it.
///
/// # Errors
/// Fails for numbers that cannot be read.
pub(super) fn read(pairs: &[Pair], at: usize) -> Result<(Entity, usize), MeshError> {
    let mut entity = Entity { kind: pairs[at].value.clone(), line: pairs[at].line, ..Entity::default() };
    let mut k = plain(pairs, at + 1, &mut entity)?;
    if entity.kind == "POLYLINE" {
        // A polyline's own point is a dummy.
        entity.points.clear();
        entity.bulges.clear();
        while let Some(pair) = pairs.get(k).filter(|p| p.code == 0) {
            let mut vertex = Entity { line: pair.line, ..Entity::default() };
            match pair.value.as_str() {
                "VERTEX" => {
                    k = plain(pairs, k + 1, &mut vertex)?;
                    entity.points.push(vertex.points.first().copied().unwrap_or_default());
                    entity.bulges.push(vertex.bulges.first().copied().unwrap_or_default());
                }
                "SEQEND" => {
                    k = plain(pairs, k + 1, &mut vertex)?;
                    break;
                }
                _ => break,
            }
        }
    }
    Ok((entity, k))
}

/// Reads pairs up to the next entity.
fn plain(pairs: &[Pair], mut k: usize, entity: &mut Entity) -> Result<usize, MeshError> {
    let polyline = entity.kind == "LWPOLYLINE";
    while let Some(pair) = pairs.get(k).filter(|p| p.code != 0) {
        match pair.code {
            8 => entity.layer.clone_from(&pair.value),
            1 | 3 if pair.code == 1 || entity.kind == "MTEXT" => entity.words.push_str(&pair.value),
            10 | 11 => {
                let x = limited(pair)?;
                // Line ends have codes 10 and 11; texts use 11 for alignment.
                if pair.code == 10 || entity.kind == "LINE" {
                    entity.points.push(Vec2::new(x, 0.0));
                    entity.bulges.push(0.0);
                }
            }
            20 | 21 => {
                let y = limited(pair)?;
                if let Some(point) = entity.points.last_mut().filter(|_| pair.code == 20 || entity.kind == "LINE") {
                    point.y = y;
                }
            }
            40 if entity.kind == "SPLINE" => entity.knots.1.push(pair.number()?),
            40 if !polyline => entity.arc[0] = pair.number()?,
            42 if entity.kind != "SPLINE" => {
                let bulge = pair.number()?;
                match entity.bulges.last_mut() {
                    Some(last) => *last = bulge,
                    None => entity.bulges.push(bulge),
                }
            }
            50 => entity.arc[1] = pair.number()?,
            51 => entity.arc[2] = pair.number()?,
            70 => entity.closed = (pair.number()? as i64) & 1 == 1,
            71 if entity.kind == "SPLINE" => entity.knots.0 = pair.number()?.clamp(1.0, 8.0) as usize,
            _ => {}
        }
        k += 1;
    }
    Ok(k)
}

fn limited(pair: &Pair) -> Result<f64, MeshError> {
    let value = pair.number()?;
    if value.abs() <= FARTHEST {
        return Ok(value);
    }
    let what = format!("the coordinate {value:e} is beyond all patterns");
    Err(MeshError { line: Some(pair.line), column: None, what })
}

impl Entity {
    /// Returns its lines as a curve in metres; none of a point, a text, or without extent.
    pub(super) fn curve(&self, unit: f64) -> Option<Curve> {
        let points: Vec<Vec2> = self.points.iter().map(|p| p * unit).collect();
        let curve = match self.kind.as_str() {
            "LINE" | "POLYLINE" | "LWPOLYLINE" => self.bulged(&points)?,
            "ARC" | "CIRCLE" => {
                let (centre, r) = (points.first()?, self.arc[0] * unit);
                let [from, to] = if self.kind == "CIRCLE" { [0.0, 360.0] } else { [self.arc[1], self.arc[2]] };
                let from = from.to_radians();
                let sweep = match (to.to_radians() - from).rem_euclid(TAU) {
                    0.0 => TAU,
                    sweep => sweep,
                };
                let on = |angle: f64| centre + Vec2::new(angle.cos(), angle.sin()) * r;
                let halves = [[0.0, 0.5], [0.5, 1.0]]
                    .map(|[a, b]| Curve::arc(on(from + a * sweep), on(from + b * sweep), r, false, true));
                halves[0].followed_by(&halves[1])
            }
            "SPLINE" => Curve::polyline(&self.spline(&points)?),
            _ => return None,
        };
        (curve.length() > 1e-7).then_some(curve)
    }

    /// Joins vertices by lines and arcs.
    fn bulged(&self, points: &[Vec2]) -> Option<Curve> {
        let n = points.len();
        let count = if self.closed { n } else { n.checked_sub(1)? };
        let piece = |k: usize| {
            let (a, b) = (points[k], points[(k + 1) % n]);
            let bulge = self.bulges.get(k).copied().unwrap_or_default();
            if bulge.abs() < 1e-9 {
                return Curve::line(a, b);
            }
            let radius = (b - a).norm() * (1.0 + bulge * bulge) / (4.0 * bulge.abs());
            Curve::arc(a, b, radius, bulge.abs() > 1.0, bulge > 0.0)
        };
        (0..count).map(piece).reduce(|a, b| a.followed_by(&b))
    }

    /// Returns points on a B-spline.
    fn spline(&self, control: &[Vec2]) -> Option<Vec<Vec2>> {
        let (degree, knots) = &self.knots;
        let (p, n) = (*degree, control.len());
        if p == 0 || n <= p || knots.len() != n + p + 1 || n * STEPS > POINTS {
            return None;
        }
        if knots.windows(2).any(|w| w[0] > w[1]) || knots[p] >= knots[n] {
            return None;
        }
        let at = |t: f64| {
            // The span whose knots enclose t, then the algorithm of de Boor.
            let span = (p..n).rev().find(|k| knots[*k] <= t && knots[*k] < knots[*k + 1]).unwrap_or(p);
            let mut d: Vec<Vec2> = control[span - p..=span].to_vec();
            for r in 1..=p {
                for j in (r..=p).rev() {
                    let (low, high) = (knots[j + span - p], knots[j + 1 + span - r]);
                    let a = if high > low { (t - low) / (high - low) } else { 0.0 };
                    d[j] = d[j - 1] * (1.0 - a) + d[j] * a;
                }
            }
            d[p]
        };
        let spans = (p..n).filter(|k| knots[*k] < knots[*k + 1]);
        let inner = spans.flat_map(|k| {
            let (from, to) = (knots[k], knots[k + 1]);
            (0..STEPS).map(move |i| from + (to - from) * i as f64 / STEPS as f64)
        });
        Some(inner.chain([knots[n]]).map(at).collect())
    }
}
