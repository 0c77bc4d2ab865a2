//! Smooth normals. Vertices at the same place, as of joined borders, have the same normal.

use super::Sample;
use super::embed::wide;
use crate::linalg::Vec3;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Cosine of the largest angle between the triangles at an edge that is shaded smooth: 60 degrees.
const SHARP: f64 = 0.5;

/// Returns the first vertex at the place of each vertex.
fn places(positions: &[[f32; 3]]) -> Vec<u32> {
    let mut first = HashMap::with_capacity(positions.len());
    // Adding zero makes -0 and 0 alike.
    (0..).zip(positions).map(|(v, p)| *first.entry(p.map(|x| (x + 0.0).to_bits())).or_insert(v)).collect()
}

fn across(positions: &[[f32; 3]], t: &[u32; 3]) -> Vec3 {
    let [a, b, c] = t.map(|v| wide(&positions[v as usize]));
    (b - a).cross(&(c - a))
}

/// Computes unit normals at vertices, weighted by the areas of the triangles around; zero at vertices without any.
pub(super) fn normals(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let places = places(positions);
    let mut sums = vec![Vec3::zeros(); positions.len()];
    for t in triangles {
        let normal = across(positions, t);
        t.iter().for_each(|v| sums[places[*v as usize] as usize] += normal);
    }
    places.iter().map(|v| sums[*v as usize].try_normalize(0.0).unwrap_or_default()).collect()
}

/// Computes the normals of a sample in single precision. Vertices without triangles point up.
pub(super) fn smooth(sample: &Sample, triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let up = |n: Vec3| if n == Vec3::zeros() { Vec3::y() } else { n };
    normals(&sample.positions, triangles).into_iter().map(|n| up(n).map(|c| c as f32).into()).collect()
}

/// Returns whether corners of triangles are at the same place, as along a joined border.
pub(super) fn joined(sample: &Sample, triangles: &[[u32; 3]]) -> bool {
    let places = places(&sample.positions);
    let mut used = vec![false; sample.positions.len()];
    triangles.iter().flatten().for_each(|v| used[*v as usize] = true);
    // A vertex whose place another has before it.
    let mut first = vec![None; places.len()];
    (0..)
        .zip(&places)
        .filter(|(v, _)| used[*v as usize])
        .any(|(v, place): (u32, &u32)| first[*place as usize].replace(v).is_some())
}

/// Returns the vertices at which a seam ends or several meet: others at their place have other neighbours along their
/// borders.
pub(super) fn seam_ends(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<bool> {
    let places = places(positions);
    let sides = || triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let all: HashSet<[u32; 2]> = sides().collect();
    let mut near: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for [a, b] in sides().filter(|[a, b]| !all.contains(&[*b, *a])) {
        near.entry(a).or_default().insert(places[b as usize]);
        near.entry(b).or_default().insert(places[a as usize]);
    }
    let mut together: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    near.keys().for_each(|v| together.entry(places[*v as usize]).or_default().push(*v));
    let mut ends = vec![false; positions.len()];
    for own in together.values().filter(|own| own.iter().any(|v| near[v] != near[&own[0]])) {
        own.iter().for_each(|v| ends[*v as usize] = true);
    }
    ends
}

/// Returns whether triangles meet at an edge by more than 60 degrees, as those of a box do.
pub(super) fn sharp(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> bool {
    let places = places(positions);
    let mut sides: HashMap<[u32; 2], Vec3> = HashMap::new();
    for t in triangles {
        let Some(normal) = across(positions, t).try_normalize(0.0) else { continue };
        let t = t.map(|v| places[v as usize]);
        for [a, b] in [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]] {
            match sides.get(&[b, a]) {
                Some(other) if normal.dot(other) < SHARP => return true,
                _ => sides.insert([a, b], normal),
            };
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two squares that meet at a right angle, with an edge of its own each.
    #[test]
    fn a_joined_border_is_smooth() {
        let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let mut x = positions.to_vec();
        x.extend([[1.0, 0.0, -0.0], [1.0, 0.0, -1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 0.0], [9.0, 9.0, 9.0]]);
        let triangles = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
        let sample = Sample { positions: x, ..Sample::default() };
        let normals = smooth(&sample, &triangles);
        assert_eq!(normals[0], [0.0, 0.0, 1.0]);
        assert_eq!(normals[5], [1.0, 0.0, 0.0]);
        assert_eq!((normals[1], normals[2]), (normals[4], normals[7]));
        assert!(normals[1][0] > 0.4 && normals[1][2] > 0.4 && normals[1][1] == 0.0, "{:?}", normals[1]);
        assert_eq!(normals[8], [0.0, 1.0, 0.0]);
        assert!(joined(&sample, &triangles) && !joined(&sample, &triangles[..2]));
        assert!(sharp(&sample.positions, &triangles) && !sharp(&sample.positions, &triangles[..2]));
    }
}
