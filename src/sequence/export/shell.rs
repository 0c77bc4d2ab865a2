//! Cloth with thickness: two surfaces offset by half of it along smooth normals, and a rim along the borders.

use super::embed::wide;
use super::normals::normals;
use super::{Chart, Part, Sample};
use crate::linalg::Vec3;
use crate::mesh::polygon;
use std::collections::BTreeSet;

/// A surface that is given thickness.
pub(super) struct Shell {
    half: f64,
    triangles: Vec<[u32; 3]>,
}

/// Returns the border edges, as triangle and the corner at which the edge begins.
fn border(triangles: &[[u32; 3]]) -> Vec<[usize; 2]> {
    let side = |t: usize, k: usize| (triangles[t][k], triangles[t][(k + 1) % 3]);
    let all = || (0..triangles.len()).flat_map(|t| (0..3).map(move |k| [t, k]));
    let sides: BTreeSet<(u32, u32)> = all().map(|[t, k]| side(t, k)).collect();
    all().filter(|[t, k]| !sides.contains(&(side(*t, *k).1, side(*t, *k).0))).collect()
}

/// Returns the triangles of both surfaces and of the rim. The indices of the second surface are offset by `more`.
fn doubled(triangles: &[[u32; 3]], rim: &[[usize; 2]], more: u32) -> Vec<[u32; 3]> {
    let inner = triangles.iter().map(|[a, b, c]| [a + more, c + more, b + more]);
    let mut all: Vec<[u32; 3]> = triangles.iter().copied().chain(inner).collect();
    for [t, k] in rim {
        let [a, b] = [triangles[*t][*k], triangles[*t][(k + 1) % 3]];
        all.extend([[b, a, a + more], [b, a + more, b + more]]);
    }
    all
}

impl Shell {
    /// Gives a part the thickness `thickness` [m]. `polygons` is the number of triangles of each face, in order.
    pub(super) fn new(part: &mut Part, polygons: &[u32], thickness: f64) -> Shell {
        let triangles = std::mem::take(&mut part.triangles);
        let rim = border(&triangles);
        let each = if polygons.is_empty() { vec![1; triangles.len()] } else { polygons.to_vec() };
        let counts: Vec<u32> = each.iter().chain(&each).copied().chain(rim.iter().map(|_| 2)).collect();
        part.triangles = doubled(&triangles, &rim, part.vertices as u32);
        part.faces = polygon::faces(&part.triangles, &counts);
        // Both sides have the looks of the middle, the rim those beside it.
        for all in [&mut part.looks, &mut part.origins.triangles] {
            let rims: Vec<u32> = rim.iter().filter_map(|[t, _]| all.get(*t).copied()).flat_map(|l| [l; 2]).collect();
            all.extend_from_within(..);
            all.extend(rims);
        }
        part.vertices *= 2;
        match &mut part.chart {
            Some(Chart::Vertices(uv)) => uv.extend_from_within(..),
            // Both surfaces and the rim share the texture coordinates.
            Some(Chart::Corners(_, corners)) => *corners = doubled(corners, &rim, 0),
            None => (),
        }
        Shell { half: thickness / 2.0, triangles }
    }

    /// Computes both surfaces from the middle surface.
    pub(super) fn thicken(&self, middle: Sample) -> Sample {
        let x: Vec<Vec3> = middle.positions.iter().map(wide).collect();
        // Joined borders are offset alike, so that both surfaces stay closed over a seam.
        let normals = normals(&middle.positions, &self.triangles);
        let at =
            |side: f64| x.iter().zip(&normals).map(move |(x, n)| (x + n * (side * self.half)).map(|c| c as f32).into());
        let twice = |all: Vec<[f32; 3]>| [all.clone(), all].concat();
        Sample {
            positions: at(1.0).chain(at(-1.0)).collect(),
            velocities: middle.velocities.map(twice),
            fields: middle.fields.into_iter().map(|(name, all)| (name, [all.clone(), all].concat())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Materials;

    /// A square of two quads becomes a box: closed, oriented outward, of the right volume.
    #[test]
    fn a_square_becomes_a_box() {
        let triangles = vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
        let corners = triangles.clone();
        let mut part = Part {
            name: "s".into(),
            vertices: 6,
            faces: Vec::new(),
            triangles,
            chart: Some(Chart::Corners(vec![[0.0; 2]; 6], corners)),
            looks: vec![0, 0, 1, 1],
            origins: Materials { names: vec!["a".into(), "b".into()], triangles: vec![1, 1, 2, 2] },
            colour: [0.5; 3],
            smooth: true,
            normals: false,
            still: false,
            there: None,
        };
        let shell = Shell::new(&mut part, &[2, 2], 0.1);
        let positions = (0..6).map(|k| [(k % 3) as f32, (k / 3) as f32, 0.0]).collect();
        let whole = shell.thicken(Sample { positions, velocities: None, fields: vec![("f".into(), vec![[1.0]; 6])] });
        assert_eq!((whole.positions.len(), whole.fields[0].1.len(), part.vertices), (12, 12, 12));
        assert_eq!(part.looks.len(), part.triangles.len());
        assert_eq!(part.face_looks().collect::<Vec<_>>(), [0, 1, 0, 1, 0, 0, 0, 1, 1, 1]);
        assert_eq!(part.face_origins().unwrap().collect::<Vec<_>>(), [0, 1, 0, 1, 0, 0, 0, 1, 1, 1]);
        let quads: Vec<usize> = part.faces.iter().map(Vec::len).collect();
        assert_eq!(quads, [4; 2 + 2 + 6]);
        assert!(border(&part.triangles).is_empty(), "open");
        let x: Vec<Vec3> = whole.positions.iter().map(wide).collect();
        let volume: f64 =
            part.triangles.iter().map(|t| t.map(|v| x[v as usize])).map(|[a, b, c]| a.cross(&b).dot(&c) / 6.0).sum();
        assert!((volume - 0.2).abs() < 1e-6, "{volume}");
        let Some(Chart::Corners(_, corners)) = part.chart else { panic!() };
        assert_eq!(corners.len(), part.triangles.len());
    }

    /// Two squares joined at a right angle, with vertices of their own along the seam, do not gape there.
    #[test]
    fn a_seam_stays_closed() {
        let shell = Shell { half: 0.05, triangles: vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]] };
        let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let other = [[1.0, 0.0, 0.0], [1.0, 0.0, -1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 0.0]];
        let positions = [square, other].concat();
        let whole = shell.thicken(Sample { positions: positions.clone(), ..Sample::default() }).positions;
        for surface in [0, 8] {
            assert_eq!((whole[surface + 1], whole[surface + 2]), (whole[surface + 4], whole[surface + 7]));
            let off = (wide(&whole[surface + 1]) - wide(&positions[1])).norm();
            assert!((off - 0.05).abs() < 1e-6, "{off}");
        }
    }
}
