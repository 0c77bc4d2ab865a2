use super::*;
use crate::mesh::check::check;
use crate::mesh::{TriMesh, obj};

/// Returns the number of triangles of one face, the smallest area and the total area.
fn areas(points: &[(f64, f64)]) -> (usize, f64, f64) {
    let corners: Vec<Vec3> = points.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
    let ring: Vec<u32> = (0..points.len() as u32).collect();
    let (mut smallest, mut sum) = (f64::INFINITY, 0.0);
    let cut = cut(&corners, &ring, &[ring.len()]).unwrap();
    for t in &cut.triangles {
        let [a, b, c] = t.map(|k| corners[k as usize]);
        let area = 0.5 * (b - a).cross(&(c - a)).z;
        smallest = f64::min(smallest, area);
        sum += area;
    }
    (cut.triangles.len(), smallest, sum)
}

fn area(points: &[(f64, f64)]) -> f64 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| 0.5 * (a.0 * b.1 - a.1 * b.0)).sum()
}

/// Checks the triangulation of a face without a hole, for each first corner.
fn inside(points: &[(f64, f64)], least: f64) {
    for first in 0..points.len() {
        let turned = [&points[first..], &points[..first]].concat();
        let (count, smallest, sum) = areas(&turned);
        assert_eq!(count, points.len() - 2);
        assert!(smallest > least, "{turned:?}: {smallest}");
        assert!((sum - area(points)).abs() < 1e-12);
    }
}

#[test]
fn a_concave_quad_is_cut_inside() {
    inside(&[(0.0, 0.0), (2.0, 0.0), (0.5, 0.5), (0.0, 2.0)], 0.4);
}

#[test]
fn a_comb_keeps_its_area() {
    let comb = [(0.0, 0.0), (5.0, 0.0), (5.0, 2.0), (4.0, 0.5), (3.0, 2.0), (2.0, 0.5), (1.0, 2.0), (0.0, 0.5)];
    inside(&comb, 0.2);
}

#[test]
fn a_bow_tie_still_gives_all_triangles() {
    assert_eq!(areas(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.2)]).0, 3);
}

#[test]
fn corners_in_the_middle_of_sides_leave_no_flat_triangle() {
    // Corners in the middle: one; two and three on a side; on all sides; on a triangle, and on the arms of an L.
    inside(&[(0.0, 0.0), (0.1, 0.0), (0.2, 0.0), (0.2, 0.2), (0.0, 0.2)], 0.004);
    inside(&[(0.0, 0.0), (0.1, 0.0), (0.2, 0.0), (0.3, 0.0), (0.4, 0.0), (0.4, 0.4), (0.2, 0.4), (0.0, 0.4)], 0.009);
    let all = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (3.0, 1.0), (3.0, 2.0), (3.0, 3.0)];
    let rest = [(2.0, 3.0), (1.0, 3.0), (0.0, 3.0), (0.0, 2.0), (0.0, 1.0)];
    inside(&[&all[..], &rest].concat(), 0.2);
    inside(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 1.0), (0.0, 2.0), (0.0, 1.0)], 0.4);
    inside(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0), (0.0, 1.0)], 0.4);
}

#[test]
fn a_middle_that_rounding_moved_counts_as_one() {
    let (sine, cosine) = 0.7f64.sin_cos();
    for far in [0.0, 37.0] {
        let square = [(0.0, 0.0), (0.03, 0.0), (0.1, 0.0), (0.2, 0.0), (0.2, 0.09), (0.2, 0.2), (0.0, 0.2)];
        let turned = square.map(|(x, y)| (x * cosine - y * sine + far, x * sine + y * cosine));
        let rounded = turned.map(|(x, y)| (f64::from(x as f32), f64::from(y as f32)));
        inside(&rounded, 1e-3 * 0.04);
    }
}

#[test]
fn a_good_fan_stays_about_the_first_corner() {
    for n in [4, 7, 100, 500, 1000] {
        let at = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
        let corners: Vec<Vec3> = (0..n).map(|k| Vec3::new(at(k).cos(), at(k).sin(), 0.0)).collect();
        let ring: Vec<u32> = (0..n as u32).collect();
        let cut = cut(&corners, &ring, &[n]).unwrap();
        assert!(cut.triangles.iter().all(|t| t[0] == 0));
        assert_eq!(cut.faces, vec![0; n - 2]);
    }
    let star: Vec<Vec3> = (0..600)
        .map(|k| {
            let (at, r) = (std::f64::consts::TAU * f64::from(k) / 600.0, if k % 2 == 0 { 1.0 } else { 0.5 });
            Vec3::new(r * at.cos(), r * at.sin(), 0.0)
        })
        .collect();
    let ring: Vec<u32> = (0..600).collect();
    assert_eq!(cut(&star, &ring, &[600]).unwrap_err().0, 0);
}

fn sound(text: &str) -> TriMesh {
    let mesh = obj::read(text.as_bytes()).unwrap();
    assert_eq!(check(&mesh), [], "{text}");
    mesh
}

#[test]
fn quads_that_share_two_edges_are_cut_both_ways() {
    // A flat pouch of two quads that share all corners but one, as at the end of a closed box.
    let points = "v 0 0 0\nv 1 0 0.1\nv 1 1 0\nv 0 1 0\nv 0 1 -0.5\n";
    let mesh = sound(&format!("{points}f 1 2 3 4\nf 3 2 1 5\n"));
    assert_eq!(mesh.triangles.len(), 4);
    // The dart can only be cut from 1 to 3, as its other diagonal lies outside. The other quad must adapt, first or
    // last.
    let dart = "v 0 0 0\nv 1 0 0\nv 0.3 0.3 0\nv 0 1 0\nv -0.6 0.4 0.3\n";
    for faces in ["f 1 2 3 4\nf 3 2 1 5\n", "f 3 2 1 5\nf 1 2 3 4\n"] {
        sound(&format!("{dart}{faces}"));
    }
    // Here a triangle already has the diagonal as a side.
    let mesh = sound("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.4 0.6 1\nf 1 2 3 4\nf 3 1 5\n");
    assert_eq!(mesh.triangles.len(), 3);
    // Three quads around two poles: each shares two edges with the next.
    let mesh = sound("v 0 0 1\nv 1 0 0\nv 0 0 -1\nv -0.5 0.8 0\nv -0.5 -0.8 0\nf 1 2 3 4\nf 1 4 3 5\nf 1 5 3 2\n");
    assert_eq!(mesh.triangles.len(), 6);
}

#[test]
fn a_quad_written_twice_is_told() {
    let points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    for again in ["1 2 3 4", "2 3 4 1", "4 3 2 1"] {
        let mesh = obj::read(format!("{points}f 1 2 3 4\nf {again}\n").as_bytes()).unwrap();
        let reported: String = check(&mesh).into_iter().map(|fault| fault.message).collect();
        assert!(reported.contains("duplicate triangles"), "{again}: {reported}");
    }
}

#[test]
fn repeated_corners_are_left_out() {
    let points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    let of = |faces: &str| {
        let mesh = obj::read(format!("{points}{faces}").as_bytes()).unwrap();
        (mesh.triangles, mesh.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    };
    let reported = "5:1: this face names a corner twice in a row, and so does 1 more; the second is left out";
    assert_eq!(of("f 1 2 3 3\nf 1 1 3 4\n"), (vec![[0, 1, 2], [0, 2, 3]], reported.to_string()));
    let reported = "6:1: this face names a corner twice in a row; the second is left out";
    assert_eq!(of("f 1 2 3\nf 1 3 3 3 4 1\n"), (vec![[0, 1, 2], [0, 2, 3]], reported.to_string()));
    // A path there and back, and faces of which nothing is left.
    let reported = "5:1: this face names a corner twice in a row; the second is left out";
    assert_eq!(of("f 1 2 3 4 3\n"), (vec![[0, 1, 2]], reported.to_string()));
    let reported = "6:1: this face has fewer than three different corners, and so does 1 more; left out";
    assert_eq!(of("f 1 2 3\nf 1 2 1\nf 4 4 4 4\n"), (vec![[0, 1, 2]], reported.to_string()));
}

/// Polygons are recovered from their triangles, for any triangulation.
#[test]
fn outlines_are_the_polygons() {
    let around = |k: usize, n: usize| {
        let angle = std::f64::consts::TAU * k as f64 / n as f64;
        Vec3::new(angle.cos(), angle.sin(), 0.0)
    };
    for n in 3..9usize {
        let mut x: Vec<Vec3> = (0..n).map(|k| around(k, n)).collect();
        if n > 4 {
            // Not convex.
            x[2] *= 0.1;
        }
        let corners: Vec<u32> = (0..n as u32).collect();
        let triangles = cut(&x, &corners, &[n]).unwrap().triangles;
        let places = outline(&triangles).unwrap();
        let found: Vec<u32> = places.iter().map(|[t, k]| triangles[*t][*k]).collect();
        let first = found.iter().position(|v| *v == 0).unwrap();
        let turned: Vec<u32> = (0..n).map(|k| found[(first + k) % n]).collect();
        assert_eq!(turned, corners);
    }
    let all = [[0, 1, 2], [0, 2, 3], [4, 5, 6]];
    assert_eq!(faces(&all, &[2, 1]).iter().map(Vec::len).collect::<Vec<_>>(), [4, 3]);
    assert_eq!(faces(&all, &[2]).len(), 3, "counts that do not fit");
    assert_eq!(faces(&[[0, 1, 2], [5, 6, 7]], &[2]).len(), 2, "apart");
    assert_eq!(counts(&[0, 0, 1, 2, 2, 2]), [2, 1, 3]);
}
