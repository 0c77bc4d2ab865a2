//! All objects as one set of triangles: hits of rays, with normal and colour.

use super::bvh::Tree;
use super::camera::unit_or;
use super::settings::{Object, Paint};
use super::to_f32;
use crate::linalg::{Vec2, Vec3, par};

/// Triangle of an object.
#[derive(Clone, Copy, Debug)]
struct Facet {
    object: u32,
    triangle: u32,
}

/// Objects of a picture and the tree over their triangles. The tree's coordinates are relative to `centre`.
pub(super) struct Surface<'a> {
    objects: &'a [Object<'a>],
    facets: Vec<Facet>,
    /// Normals at the corners of the triangles of each object.
    normals: Vec<Vec<[Vec3; 3]>>,
    pub tree: Tree,
    pub centre: Vec3,
    /// Half the diagonal of the common bounding box [m].
    pub radius: f64,
}

/// Point of the surface hit by a ray. Both normals are on the viewer's side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub object: usize,
    triangle: usize,
    weights: [f64; 3],
    pub corners: [Vec3; 3],
    pub point: Vec3,
    /// Normal of the triangle.
    pub face: Vec3,
    /// Interpolated normal.
    pub normal: Vec3,
    /// Origin of shadow rays: the point lifted to the curved surface that the vertex normals describe.
    pub lifted: Vec3,
}

fn corners(object: &Object, triangle: usize) -> Option<[Vec3; 3]> {
    let t = object.triangles.get(triangle)?;
    let at = |i: u32| object.positions.get(i as usize).copied().filter(|p| p.iter().all(|x| x.is_finite()));
    Some([at(t[0])?, at(t[1])?, at(t[2])?])
}

/// Computes the normals at the corners of each triangle. A corner averages the triangles at its vertex within the
/// object's crease, weighted by their angles (Thuermer & Wuethrich 1998). Degenerate corners have zero.
fn corner_normals(object: &Object) -> Vec<[Vec3; 3]> {
    let faces: Vec<Vec3> = (0..object.triangles.len())
        .map(|k| {
            let face = corners(object, k).map(|p| (p[1] - p[0]).cross(&(p[2] - p[0])));
            face.and_then(|n| n.try_normalize(1e-300)).unwrap_or_default()
        })
        .collect();
    // Triangle and angle of each corner, by vertex; `ends` has where those of each vertex end.
    let there = || (0..object.triangles.len()).filter_map(|k| Some((k, object.triangles[k], corners(object, k)?)));
    let mut ends = vec![0usize; object.positions.len() + 1];
    there().flat_map(|(_, t, _)| t).for_each(|v| ends[v as usize + 1] += 1);
    (1..ends.len()).for_each(|v| ends[v] += ends[v - 1]);
    let mut all = vec![(0u32, 0f64); ends[ends.len() - 1]];
    for (k, t, p) in there() {
        for i in 0..3 {
            let (a, b) = (p[(i + 1) % 3] - p[i], p[(i + 2) % 3] - p[i]);
            let end = &mut ends[t[i] as usize];
            all[*end] = (k as u32, a.cross(&b).norm().atan2(a.dot(&b)));
            *end += 1;
        }
    }
    let least = object.crease.min(std::f64::consts::PI).cos() - 1e-12;
    par::map(faces.len(), |k| {
        object.triangles[k].map(|v| {
            let first = (v as usize).checked_sub(1).map_or(0, |before| ends.get(before).copied().unwrap_or_default());
            let at = ends.get(v as usize).and_then(|end| all.get(first..*end)).unwrap_or_default();
            let others = at.iter().map(|(other, angle)| (faces[*other as usize], *angle));
            let near = others.filter(|(n, _)| n.dot(&faces[k]) >= least);
            unit_or(near.map(|(n, angle)| n * angle).sum(), Vec3::zeros())
        })
    })
}

impl<'a> Surface<'a> {
    pub(super) fn new(objects: &'a [Object<'a>]) -> Surface<'a> {
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
        let normals = || par::map_heavy(objects.len(), |o| corner_normals(&objects[o]));
        let (tree, normals) = par::join(|| Tree::new(&local), normals);
        Surface { objects, facets, normals, tree, centre, radius: 0.5 * (hi - lo).norm() }
    }

    /// Returns the intersection of the ray with facet `facet`, recomputed in double precision.
    pub(super) fn hit(&self, facet: u32, origin: Vec3, direction: Vec3) -> Option<Hit> {
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

    /// Interpolates the normal and lifts the shadow origin out of the tangent planes of the three vertices. The lift
    /// avoids the faceted shadow terminator (Hanika, "Hacking the Shadow Terminator", Ray Tracing Gems II, 2021).
    fn smooth(&self, hit: &mut Hit, side: f64, direction: Vec3) {
        let Some(normals) = self.normals.get(hit.object).and_then(|n| n.get(hit.triangle)) else { return };
        let at = |i: usize| {
            let n = normals[i] * side;
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

    /// Returns the linear colour of a hit.
    pub(super) fn colour(&self, hit: &Hit) -> Vec3 {
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
            Paint::Field { values, min, max, map, .. } => {
                let value = object.triangles.get(hit.triangle).map(|t| {
                    let at = |i: usize| values.get(t[i] as usize).copied().unwrap_or(f64::NAN) * hit.weights[i];
                    at(0) + at(1) + at(2)
                });
                let span = if max > min { max - min } else { 1.0 };
                Vec3::from(map.colour(value.filter(|v| v.is_finite()).map_or(f64::NAN, |v| (v - min) / span)))
            }
        }
    }

    /// Returns the wetness at a hit, from 0 to 1.
    pub(super) fn wetness(&self, hit: &Hit) -> f64 {
        let Some(object) = self.objects.get(hit.object).filter(|object| !object.wet.is_empty()) else { return 0.0 };
        let Some(t) = object.triangles.get(hit.triangle) else { return 0.0 };
        let at = |i: usize| object.wet.get(t[i] as usize).copied().unwrap_or_default() * hit.weights[i];
        (at(0) + at(1) + at(2)).clamp(0.0, 1.0)
    }

    fn chart(&self, object: &Object, hit: &Hit) -> Option<Vec2> {
        let t = object.uv_triangles.get(hit.triangle)?;
        let at = |i: usize| object.uv.get(t[i] as usize).map(|p| p * hit.weights[i]);
        Some(at(0)? + at(1)? + at(2)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::shading::Shading;
    use std::f64::consts::PI;

    /// Corner normals of two triangles of a roof, with 90 degrees at the ridge from vertex 0 to 1.
    fn normals(crease: f64) -> Vec<[Vec3; 3]> {
        let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 1.0], [0.0, -1.0, -1.0]].map(Vec3::from);
        corner_normals(&Object {
            name: "roof",
            positions: &positions,
            triangles: &[[1, 0, 2], [0, 1, 3]],
            uv: &[],
            uv_triangles: &[],
            paint: Paint::Colour([1.0; 3]),
            shading: Shading::Lambert,
            wet: &[],
            crease,
        })
    }

    #[test]
    fn an_edge_is_shaded_as_one_up_to_the_crease() {
        let face = |sign: f64| Vec3::new(0.0, 0.5f64.sqrt(), sign * 0.5f64.sqrt());
        for (sharp, curved) in
            [(normals(PI / 3.0), false), (normals(PI / 1.9), true), (normals(PI), true), (normals(0.0), false)]
        {
            for (corners, own) in sharp.iter().zip([face(1.0), face(-1.0)]) {
                let ridge = if curved { Vec3::y() } else { own };
                let wanted = [ridge, ridge, own];
                assert!(corners.iter().zip(wanted).all(|(n, w)| (n - w).norm() < 1e-12), "{corners:?} {wanted:?}");
            }
        }
    }
}
