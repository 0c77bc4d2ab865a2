//! All objects as one set of triangles: what a ray hits, its normal and its colour.

use super::bvh::Tree;
use super::camera::unit_or;
use super::colormap::colormap;
use super::settings::{Object, Paint};
use super::to_f32;
use crate::linalg::{Vec2, Vec3, par};

/// A triangle of an object.
#[derive(Clone, Copy, Debug)]
struct Facet {
    object: u32,
    triangle: u32,
}

/// The objects of a picture and the tree over their triangles. The tree's coordinates are relative to `centre`.
pub(super) struct Surface<'a> {
    objects: &'a [Object<'a>],
    facets: Vec<Facet>,
    normals: Vec<Vec<Vec3>>,
    pub tree: Tree,
    pub centre: Vec3,
    /// Half the diagonal of everything [m].
    pub radius: f64,
}

/// A point of the surface seen along a ray. Both normals are on the viewer's side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub object: usize,
    triangle: usize,
    weights: [f64; 3],
    pub corners: [Vec3; 3],
    pub point: Vec3,
    /// Of the triangle.
    pub face: Vec3,
    /// Interpolated.
    pub normal: Vec3,
    /// Where shadow rays start: the point lifted to the curved surface that the vertex normals describe.
    pub lifted: Vec3,
}

fn corners(object: &Object, triangle: usize) -> Option<[Vec3; 3]> {
    let t = object.triangles.get(triangle)?;
    let at = |i: u32| object.positions.get(i as usize).copied().filter(|p| p.iter().all(|x| x.is_finite()));
    Some([at(t[0])?, at(t[1])?, at(t[2])?])
}

/// Vertex normals weighted by the triangles' angles (Thuermer & Wuethrich 1998); zero where there is none.
fn vertex_normals(object: &Object) -> Vec<Vec3> {
    let mut normals = vec![Vec3::zeros(); object.positions.len()];
    for (k, t) in object.triangles.iter().enumerate() {
        let Some(p) = corners(object, k) else { continue };
        let Some(n) = (p[1] - p[0]).cross(&(p[2] - p[0])).try_normalize(1e-300) else { continue };
        for i in 0..3 {
            let (a, b) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
            let angle = a.cross(&b).norm().atan2(a.dot(&b));
            if let Some(slot) = normals.get_mut(t[i] as usize) {
                *slot += n * angle;
            }
        }
    }
    for n in &mut normals {
        *n = unit_or(*n, Vec3::zeros());
    }
    normals
}

impl<'a> Surface<'a> {
    pub fn new(objects: &'a [Object<'a>]) -> Surface<'a> {
        let mut facets = Vec::new();
        let (mut lo, mut hi) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for (o, object) in objects.iter().enumerate() {
            for k in 0..object.triangles.len() {
                let Some(p) = corners(object, k) else { continue };
                facets.push(Facet { object: o as u32, triangle: k as u32 });
                for q in p {
                    (lo, hi) = (lo.inf(&q), hi.sup(&q));
                }
            }
        }
        if facets.is_empty() {
            (lo, hi) = (Vec3::zeros(), Vec3::zeros());
        }
        let centre = 0.5 * (lo + hi);
        let local: Vec<[[f32; 3]; 3]> = facets
            .iter()
            .filter_map(|f| corners(&objects[f.object as usize], f.triangle as usize))
            .map(|p| p.map(|q| to_f32(q - centre)))
            .collect();
        let smooth = |o: usize| if objects[o].smooth { vertex_normals(&objects[o]) } else { Vec::new() };
        let (tree, normals) = par::join(|| Tree::new(&local), || par::map_heavy(objects.len(), smooth));
        Surface { objects, facets, normals, tree, centre, radius: 0.5 * (hi - lo).norm() }
    }

    /// The point of facet `facet` on the ray, recomputed in double precision.
    pub fn hit(&self, facet: u32, origin: Vec3, direction: Vec3) -> Option<Hit> {
        let Facet { object, triangle } = *self.facets.get(facet as usize)?;
        let (o, k) = (object as usize, triangle as usize);
        let body = self.objects.get(o)?;
        let p = corners(body, k)?;
        let cross = (p[1] - p[0]).cross(&(p[2] - p[0]));
        let area = cross.norm();
        let slope = cross.dot(&direction);
        if area <= 0.0 || slope == 0.0 {
            return None;
        }
        let point = origin + direction * (cross.dot(&(p[0] - origin)) / slope);
        let part = |i: usize| {
            let (a, b) = (p[(i + 1) % 3] - point, p[(i + 2) % 3] - point);
            (a.cross(&b).dot(&cross) / (area * area)).clamp(0.0, 1.0)
        };
        let raw = [part(0), part(1), part(2)];
        let whole = raw[0] + raw[1] + raw[2];
        let weights = raw.map(|w| w / whole);
        let side = if slope > 0.0 { -1.0 } else { 1.0 };
        let face = cross * (side / area);
        let mut hit = Hit { object: o, triangle: k, weights, corners: p, point, face, normal: face, lifted: point };
        self.smooth(&mut hit, side, direction);
        Some(hit)
    }

    /// Interpolates the normal, and lifts the shadow origin out of the tangent planes of the three vertices against the
    /// faceted shadow terminator (Hanika, "Hacking the Shadow Terminator", Ray Tracing Gems II, 2021).
    fn smooth(&self, hit: &mut Hit, side: f64, direction: Vec3) {
        let Some(normals) = self.normals.get(hit.object).filter(|n| !n.is_empty()) else { return };
        let Some(t) = self.objects.get(hit.object).and_then(|o| o.triangles.get(hit.triangle)) else { return };
        let at = |i: usize| {
            let n = normals.get(t[i] as usize).copied().unwrap_or(hit.face) * side;
            if n.dot(&hit.face) > 0.0 { n } else { hit.face }
        };
        let n = [at(0), at(1), at(2)];
        let blend = n[0] * hit.weights[0] + n[1] * hit.weights[1] + n[2] * hit.weights[2];
        let normal = unit_or(blend, hit.face);
        // A normal that leans away from the viewer is bent back until it is seen at a grazing angle.
        let away = normal.dot(&direction) + 0.02;
        hit.normal = if away > 0.0 { (normal - direction * away).normalize() } else { normal };
        for ((n, corner), weight) in n.iter().zip(&hit.corners).zip(hit.weights) {
            hit.lifted -= n * ((hit.point - corner).dot(n).min(0.0) * weight);
        }
    }

    /// Linear colour of a hit.
    pub fn colour(&self, hit: &Hit) -> Vec3 {
        let Some(object) = self.objects.get(hit.object) else { return Vec3::zeros() };
        match object.paint {
            Paint::Colour(c) => Vec3::from(c),
            Paint::Checker { a, b, size } => {
                let odd = self.chart(object, hit).is_some_and(|p| {
                    let cell = (p / size).map(f64::floor);
                    (cell.x + cell.y).rem_euclid(2.0) >= 1.0
                });
                Vec3::from(if odd { b } else { a })
            }
            Paint::Field { values, min, max, .. } => {
                let value = object.triangles.get(hit.triangle).map(|t| {
                    let at = |i: usize| values.get(t[i] as usize).copied().unwrap_or(f64::NAN) * hit.weights[i];
                    at(0) + at(1) + at(2)
                });
                let span = if max > min { max - min } else { 1.0 };
                Vec3::from(colormap(value.filter(|v| v.is_finite()).map_or(f64::NAN, |v| (v - min) / span)))
            }
        }
    }

    fn chart(&self, object: &Object, hit: &Hit) -> Option<Vec2> {
        let t = object.uv_triangles.get(hit.triangle)?;
        let at = |i: usize| object.uv.get(t[i] as usize).map(|p| p * hit.weights[i]);
        Some(at(0)? + at(1)? + at(2)?)
    }
}
