//! Regions that crossings cut off. The intersection curve of two sheets divides each into parts where it is closed or
//! ends at borders. All but the largest part of a sheet are on the wrong side (after Baraff, Witkin & Kass 2003,
//! "Untangling cloth"). Such a part goes back through the part of the other sheet that is cut off with it.

use crate::collision::closest::point_triangle;
use crate::collision::intersect::pierces;
use crate::collision::surface::Surface;
use crate::linalg::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Distance below which a vertex has no direction to go back [m].
const LEAST: f64 = 1e-9;

/// Parts of sheets, divided by crossings.
pub(super) struct Regions {
    /// Part of each moving vertex; 0 for the largest of its object.
    part: Vec<u32>,
    /// Triangles of each part except 0, including those with only a corner in it.
    triangles: BTreeMap<u32, Vec<u32>>,
}

impl Regions {
    /// Finds the parts from pairs of cloth triangles that cross.
    pub(super) fn new(x: &[Vec3], surface: &Surface, moving: usize, pairs: &[[u32; 2]]) -> Regions {
        let part = divided(surface, moving, &pierced(x, surface, pairs));
        let mut triangles: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (t, corners) in surface.triangles.iter().enumerate() {
            for p in parts(&part, corners) {
                triangles.entry(p).or_default().push(t as u32);
            }
        }
        // Pieces of a mesh without a crossing are no parts.
        let crossed: BTreeSet<u32> =
            pairs.iter().flatten().flat_map(|t| parts(&part, &surface.triangles[*t as usize])).collect();
        triangles.retain(|p, _| crossed.contains(p));
        Regions { part, triangles }
    }

    /// Returns whether a corner of the triangle is cut off.
    pub(super) fn cut_off(&self, corners: &[u32; 3]) -> bool {
        !parts(&self.part, corners).is_empty()
    }

    /// Calls `push` with displacements that take each cut-off vertex through the nearest facing triangle, and
    /// `gap(vertex)` beyond.
    pub(super) fn take_back(
        &self,
        x: &[Vec3],
        surface: &Surface,
        pairs: &[[u32; 2]],
        gap: impl Fn(u32) -> f64,
        mut push: impl FnMut(u32, Vec3),
    ) {
        let mut facing: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for [s, t] in pairs.iter().flat_map(|[s, t]| [[*s, *t], [*t, *s]]) {
            let others = parts(&self.part, &surface.triangles[t as usize]);
            for p in parts(&self.part, &surface.triangles[s as usize]) {
                let facing = facing.entry(p).or_default();
                facing.insert(t);
                facing.extend(others.iter().filter_map(|o| self.triangles.get(o)).flatten());
            }
        }
        for (part, facing) in facing {
            let own: BTreeSet<u32> = self.triangles.get(&part).into_iter().flatten().copied().collect();
            let corners: BTreeSet<u32> = own.iter().flat_map(|t| surface.triangles[*t as usize]).collect();
            for v in corners.into_iter().filter(|v| self.part[*v as usize] == part) {
                let p = x[v as usize];
                let closest = facing
                    .difference(&own)
                    .map(|t| {
                        let [a, b, c] = surface.triangles[*t as usize].map(|v| x[v as usize]);
                        (*t, point_triangle(&p, &a, &b, &c))
                    })
                    .min_by(|(_, a), (_, b)| a.distance2.total_cmp(&b.distance2));
                let Some((t, closest)) = closest else { continue };
                let (face, weights) = (surface.triangles[t as usize], closest.weights);
                let distance = closest.distance2.sqrt();
                if distance < LEAST {
                    continue;
                }
                let to = (0..3).map(|k| x[face[k] as usize] * weights[k]).sum::<Vec3>() - p;
                let share = 1.0 + weights.iter().map(|w| w * w).sum::<f64>();
                let step = to * ((distance + gap(v)) / distance / share);
                push(v, step);
                for k in (0..3).filter(|k| weights[*k] > 0.0) {
                    push(face[k], -step * weights[k]);
                }
            }
        }
    }
}

/// Returns the edges that pierce the same surface an odd number of times. An edge that pierces twice ends on the side
/// where it began.
fn pierced(x: &[Vec3], surface: &Surface, pairs: &[[u32; 2]]) -> BTreeSet<[u32; 2]> {
    let mut pierced: BTreeMap<([u32; 2], u16), BTreeSet<u32>> = BTreeMap::new();
    for [s, t] in pairs.iter().flat_map(|[s, t]| [[*s, *t], [*t, *s]]) {
        let (sides, face) = (surface.triangles[s as usize], surface.triangles[t as usize]);
        for k in 0..3 {
            let ends = [sides[k].min(sides[(k + 1) % 3]), sides[k].max(sides[(k + 1) % 3])];
            if ends.iter().all(|v| !face.contains(v)) && pierces(x, ends, &face) {
                pierced.entry((ends, surface.object[face[0] as usize])).or_default().insert(t);
            }
        }
    }
    let odd = pierced.iter().filter(|(_, faces)| faces.len() % 2 == 1);
    odd.map(|((edge, _), _)| *edge).collect()
}

/// Returns the part of each moving vertex; 0 for the largest of its object. Edges in `cut` join no vertices.
fn divided(surface: &Surface, moving: usize, cut: &BTreeSet<[u32; 2]>) -> Vec<u32> {
    let mut part = vec![u32::MAX; moving];
    let mut count = 1;
    for range in surface.vertex_ranges.iter().filter(|range| range.end <= moving) {
        let mut sizes = Vec::new();
        for from in range.clone() {
            if part[from] == u32::MAX {
                let own = count + sizes.len() as u32;
                sizes.push(spread(surface, cut, from, own, &mut part));
            }
        }
        let largest = (0..sizes.len()).max_by_key(|k| sizes[*k]).map_or(count, |k| count + k as u32);
        part[range.clone()].iter_mut().filter(|p| **p == largest).for_each(|p| *p = 0);
        count += sizes.len() as u32;
    }
    part
}

/// Assigns the part `own` to all vertices connected with `from`. Returns their number.
fn spread(surface: &Surface, cut: &BTreeSet<[u32; 2]>, from: usize, own: u32, part: &mut [u32]) -> usize {
    part[from] = own;
    let (mut open, mut size) = (vec![from], 0);
    while let Some(v) = open.pop() {
        size += 1;
        for w in surface.around(v).iter().map(|w| *w as usize) {
            if part[w] == u32::MAX && !cut.contains(&[v.min(w) as u32, v.max(w) as u32]) {
                part[w] = own;
                open.push(w);
            }
        }
    }
    size
}

/// Returns the parts other than 0 that contain corners of cloth.
fn parts(part: &[u32], corners: &[u32; 3]) -> BTreeSet<u32> {
    corners.iter().filter_map(|v| part.get(*v as usize)).copied().filter(|p| *p != 0).collect()
}
