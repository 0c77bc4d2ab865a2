use super::*;
use crate::linalg::random::Random;
use std::collections::BTreeSet;

fn points(p: &[[f64; 3]]) -> Vec<Vec3> {
    p.iter().map(|p| Vec3::from(*p)).collect()
}

fn all(x: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<[u32; 2]>, usize) {
    let found = intersections(x, triangles, |_, _| false);
    (found.pairs, found.touching.len())
}

/// Applies the definition, side by side and face by face, in integers. Coordinates must be integers below 2^20.
fn exhaustive(x: &[Vec3], triangles: &[[u32; 3]]) -> (Vec<[u32; 2]>, usize) {
    let volume = |v: [u32; 4]| {
        let at = |v: u32| [0, 1, 2].map(|k| x[v as usize][k] as i128);
        let d = at(v[3]);
        let [a, b, c] = [v[0], v[1], v[2]].map(|v| [0, 1, 2].map(|k| at(v)[k] - d[k]));
        let minor = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
        (a[0] * minor(1, 2) - a[1] * minor(0, 2) + a[2] * minor(0, 1)).signum()
    };
    let mut sides = BTreeSet::new();
    for (s, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            sides.insert((corners[k], corners[(k + 1) % 3], s as u32));
        }
    }
    let (mut crossing, mut touching) = (BTreeSet::new(), BTreeSet::new());
    for (p, q, s) in sides {
        for (t, &[a, b, c]) in triangles.iter().enumerate() {
            if [a, b, c].contains(&p) || [a, b, c].contains(&q) || p == q {
                continue;
            }
            let (from, to) = (volume([a, b, c, p]), volume([a, b, c, q]));
            let around = [volume([p, q, a, b]), volume([p, q, b, c]), volume([p, q, c, a])];
            let hit = around.iter().all(|s| *s >= 0) || around.iter().all(|s| *s <= 0);
            let pair = [s.min(t as u32), s.max(t as u32)];
            if hit && from * to < 0 && around != [0; 3] {
                crossing.insert(pair);
            } else if hit && from * to == 0 && from != to {
                touching.insert(pair);
            }
        }
    }
    let touches = touching.difference(&crossing).count();
    (crossing.into_iter().collect(), touches)
}

#[test]
fn whole_number_meshes_match_the_definition() {
    let mut random = Random::new(21);
    let (mut crossings, mut touches) = (0, 0);
    for round in 0..160 {
        // Coarse grids of few values are full of coplanar, touching, repeated and flat triangles.
        let size = [2.0, 4.0, 20.0, 500_000.0][round % 4];
        let vertices = 10 + 10 * (round % 5);
        let scale = [1.0, 2f64.powi(-900), 2f64.powi(900), 2f64.powi(-30)][round / 4 % 4];
        let x: Vec<Vec3> = (0..vertices).map(|_| Vec3::from_fn(|_, _| (random.signed() * size).round())).collect();
        let mut index = || ((random.signed() + 1.0) / 2.0 * vertices as f64) as u32;
        let triangles: Vec<[u32; 3]> = (0..40).map(|_| [index(), index(), index()]).collect();
        let wanted = exhaustive(&x, &triangles);
        crossings += wanted.0.len();
        touches += wanted.1;
        let moved: Vec<Vec3> = x.iter().map(|p| p * scale).collect();
        assert_eq!(all(&moved, &triangles), wanted, "{round}");
        // Two sets of triangles, without pairs within the second, and a tree made at another moment.
        let asking = round % 41;
        let found = Test::new(&x, &triangles, asking).intersections(&moved, &triangles, |_, _| false);
        let of_first: Vec<[u32; 2]> = wanted.0.into_iter().filter(|pair| (pair[0] as usize) < asking).collect();
        assert_eq!(found.pairs, of_first, "{round}");
    }
    assert!(crossings > 2000 && touches > 2000, "{crossings} {touches}");
}

#[test]
fn known_pairs() {
    let two = [[0, 1, 2], [3, 4, 5]];
    let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let with = |p: [[f64; 3]; 3]| all(&points(&[face, p].concat()), &two);
    let needle = |y: f64| with([[0.2, y, 0.2], [0.3, 1.0, 0.2], [0.2, 1.0, 0.3]]);
    assert_eq!(needle(1e-13), (vec![], 0));
    assert_eq!(needle(-1e-13), (vec![[0, 1]], 0));
    assert_eq!(needle(-1e-300), (vec![[0, 1]], 0));
    assert_eq!(needle(1e-300), (vec![], 0));
    assert_eq!(needle(0.0), (vec![], 1));
    // Coplanar overlapping triangles, and the same triangle twice.
    assert_eq!(with([[0.1, 0.0, 0.1], [0.9, 0.0, 0.1], [0.1, 0.0, 0.9]]), (vec![], 0));
    assert_eq!(with(face), (vec![], 0));
    // Sides through a corner, through the border, and past the border by the last bit.
    assert_eq!(with([[1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [2.0, 0.5, -1.0]]).0, [[0, 1]]);
    assert_eq!(with([[0.5, -1.0, 0.5], [0.5, 1.0, 0.5], [2.0, 1.0, 2.0]]).0, [[0, 1]]);
    let past = 0.5f64.next_up();
    assert_eq!(with([[past, -1.0, past], [past, 1.0, past], [2.0, 1.0, 2.0]]).0, [[0u32; 2]; 0]);
    // A sliver of width 1e-17 through the face.
    assert_eq!(with([[0.2, -1.0, 0.2], [0.2, 1.0, 0.2], [0.2f64.next_up(), 1.0, 0.2]]).0, [[0, 1]]);
    // A triangle without area crosses nothing itself, but its long side may.
    assert_eq!(with([[0.2, -1.0, 0.2], [0.2, 1.0, 0.2], [0.2, 3.0, 0.2]]).0, [[0, 1]]);
}

#[test]
fn a_shared_vertex_does_not_hide_a_crossing() {
    let x = points(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.5, -1.0, 0.2], [0.2, 1.0, 0.3]]);
    assert_eq!(all(&x, &[[0, 1, 2], [0, 3, 4]]).0, [[0, 1]]);
    // Triangles with a shared edge cannot cross.
    assert_eq!(all(&x, &[[0, 1, 2], [0, 1, 3]]), (vec![], 0));
    let asked = intersections(&x, &[[0, 1, 2], [0, 3, 4]], |s, t| (s, t) == (0, 1));
    assert_eq!(asked, Intersections::default());
}

fn sheet(n: u32, height: impl Fn(f64, f64) -> Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |i: u32| f64::from(i) / f64::from(n - 1);
    let x = (0..n * n).map(|k| height(at(k % n), at(k / n))).collect();
    let quad = |i: u32| [[i, i + 1, i + n], [i + 1, i + n + 1, i + n]];
    (x, (0..n * (n - 1)).filter(|k| k % n != n - 1).flat_map(quad).collect())
}

#[test]
fn sheets_cross_along_a_line_and_not_themselves() {
    let (mut x, mut triangles) = sheet(40, |u, v| Vec3::new(u, 0.0, v));
    assert_eq!(all(&x, &triangles), (vec![], 0));
    let turn = crate::linalg::Rotation::from_euler_angles(0.3, 0.7, 0.2);
    let turned: Vec<Vec3> = x.iter().map(|p| turn * p).collect();
    assert_eq!(all(&turned, &triangles).0, [[0u32; 2]; 0]);
    let (upright, _) = sheet(40, |u, v| Vec3::new(u + 0.013, v - 0.507, 0.4567));
    let first = x.len() as u32;
    let more: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| v + first)).collect();
    let half = triangles.len() as u32;
    x.extend(upright);
    triangles.extend(more);
    let found = all(&x, &triangles).0;
    assert!((78..400).contains(&found.len()) && found.iter().all(|[s, t]| *s < half && *t >= half), "{}", found.len());
}

#[test]
#[ignore = "timing"]
fn timing() {
    for (name, bend) in [("flat", 0.0), ("wavy", 0.05)] {
        let (x, triangles) = sheet(142, |u, v| Vec3::new(u, bend * (20.0 * u).sin() * (17.0 * v).cos(), v));
        let turn = crate::linalg::Rotation::from_euler_angles(0.3, 0.7, 0.2);
        let turned: Vec<Vec3> = x.iter().map(|p| turn * p).collect();
        for (placed, x) in [("", x), (" turned", turned)] {
            let best = (0..10).fold(f64::INFINITY, |best, _| {
                let start = std::time::Instant::now();
                let found = par::with_threads(2, || intersections(&x, &triangles, |_, _| false)).unwrap();
                assert!(found.pairs.is_empty());
                best.min(start.elapsed().as_secs_f64())
            });
            println!("{name}{placed}: {} triangles, 2 threads: {:.2} ms", triangles.len(), best * 1e3);
        }
    }
}
