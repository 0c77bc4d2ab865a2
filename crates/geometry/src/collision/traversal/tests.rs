use super::*;
use crate::linalg::random::Random;

type Surface = (Vec<Vec3>, Vec<[u32; 3]>);

/// Builds a grid of `n` by `m` cells, closed in each direction where `round` is true.
fn grid([n, m]: [usize; 2], round: [bool; 2], at: impl Fn(f64, f64) -> Vec3) -> Surface {
    let size = [n + usize::from(!round[0]), m + usize::from(!round[1])];
    let x =
        (0..size[0] * size[1]).map(|i| at((i % size[0]) as f64 / n as f64, (i / size[0]) as f64 / m as f64)).collect();
    let v = |i: usize, j: usize| (j % size[1] * size[0] + i % size[0]) as u32;
    let cells = (0..n * m).flat_map(|c| {
        let (i, j) = (c % n, c / n);
        let [p, q, r, s] = [v(i, j), v(i + 1, j), v(i + 1, j + 1), v(i, j + 1)];
        [[p, q, r], [p, r, s]]
    });
    (x, cells.collect())
}

fn torus(n: usize) -> Surface {
    let turn = std::f64::consts::TAU;
    grid([2 * n, n], [true; 2], |u, v| {
        let r = 1.0 + 0.4 * (turn * v).cos();
        Vec3::new(r * (turn * u).cos(), r * (turn * u).sin(), 0.4 * (turn * v).sin())
    })
}

/// Builds a unit sphere from an octahedron, with each triangle split in four `levels` times.
fn sphere(levels: usize) -> Surface {
    let mut x: Vec<Vec3> = [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().flat_map(|e| [e, -e]).collect();
    let mut triangles = Vec::new();
    for [a, b, c] in [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]] {
        triangles.push([a, b, c]);
    }
    for _ in 0..levels {
        let mut middles = std::collections::BTreeMap::new();
        let mut split = Vec::new();
        for [a, b, c] in triangles {
            let [p, q, r] = [[a, b], [b, c], [c, a]].map(|[a, b]: [u32; 2]| {
                *middles.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    x.push((x[a as usize] + x[b as usize]).normalize());
                    x.len() as u32 - 1
                })
            });
            split.extend([[a, p, r], [p, b, q], [r, q, c], [p, q, r]]);
        }
        triangles = split;
    }
    (x, triangles)
}

/// Joins two surfaces, the second translated.
fn both(mut a: Surface, b: Surface, by: Vec3) -> Surface {
    let first = a.0.len() as u32;
    a.0.extend(b.0.iter().map(|p| p + by));
    a.1.extend(b.1.iter().map(|t| t.map(|v| v + first)));
    a
}

fn stretched((mut x, t): Surface, by: impl Fn(usize, Vec3) -> Vec3) -> Surface {
    x.iter_mut().enumerate().for_each(|(v, p)| *p = by(v, *p));
    (x, t)
}

/// Builds a thin lens, folded to and fro.
fn folded(levels: usize, thickness: f64, folds: f64) -> Surface {
    let wave = folds * std::f64::consts::PI;
    stretched(sphere(levels), |_, p| {
        let normal = Vec3::new(-0.3 * wave * (wave * p.x).cos(), 1.0, 0.0).normalize();
        Vec3::new(p.x, 0.3 * (wave * p.x).sin(), -p.y) + normal * (0.5 * thickness * p.z)
    })
}

fn closed(triangles: &[[u32; 3]]) -> bool {
    let sides = triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let all: std::collections::BTreeSet<[u32; 2]> = sides.collect();
    all.len() == 3 * triangles.len() && all.iter().all(|[a, b]| all.contains(&[*b, *a]))
}

/// Returns the winding number of the surface around `p` (van Oosterom & Strackee 1983, solid angles of triangles).
fn winding(p: &Vec3, x: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| x[v as usize] - p);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        2.0 * a.dot(&b.cross(&c)).atan2(la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb)
    };
    triangles.iter().map(angle).sum::<f64>() / (2.0 * std::f64::consts::TAU)
}

/// Searches all triangles for the smallest distance, and of equal ones for the lowest index.
fn exhaustive(p: &Vec3, x: &[Vec3], triangles: &[[u32; 3]]) -> (u32, PointTriangle) {
    let mut best = (0, PointTriangle { weights: [0.0; 3], distance2: f64::INFINITY });
    for (t, corners) in triangles.iter().enumerate() {
        let [a, b, c] = corners.map(|v| &x[v as usize]);
        let here = point_triangle(p, a, b, c);
        if here.distance2 < best.1.distance2 {
            best = (t as u32, here);
        }
    }
    best
}

/// Checks that the result equals the exhaustive search bit for bit. For a `solid`, the sign must be that of the winding
/// number.
fn assert_right(search: &Traversal, points: &[Vec3], x: &[Vec3], triangles: &[[u32; 3]], solid: bool, what: &str) {
    let size = x.iter().fold(0.0f64, |m, p| m.max(p.norm()));
    for (k, p) in points.iter().enumerate() {
        let (t, best) = exhaustive(p, x, triangles);
        let found = search.closest(k);
        assert_eq!(found.distance.abs(), best.distance2.sqrt(), "{what}: point {k}");
        assert_eq!((found.triangle, found.weights), (t, best.weights), "{what}: point {k}");
        // On the surface itself the side depends on rounding.
        if solid && found.distance.abs() > 1e-12 * size {
            let inside = winding(p, x, triangles) > 0.5;
            assert_eq!(found.distance < 0.0, inside, "{what}: point {k}, {found:?}");
        }
    }
}

/// Returns points near, on, in and far from a surface. They start at corners and at midpoints of edges and faces.
fn scattered(x: &[Vec3], triangles: &[[u32; 3]], count: usize, random: &mut Random) -> Vec<Vec3> {
    let pick =
        |random: &mut Random| ((random.signed() + 1.0) / 2.0 * triangles.len() as f64) as usize % triangles.len();
    (0..count)
        .map(|k| {
            let [a, b, c] = triangles[pick(random)].map(|v| x[v as usize]);
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default();
            let near = [a, (a + b) / 2.0, (a + b + c) / 3.0][k % 3];
            match k / 3 % 6 {
                0 => near,
                1 => near + normal * (0.02 * random.signed()),
                2 => near + random.vector() * 0.05,
                3 => near + random.vector() * 1e-9,
                4 => random.vector() * 2.0,
                _ => random.vector() * 50.0,
            }
        })
        .collect()
}

fn surfaces(random: &mut Random) -> Vec<(&'static str, Surface)> {
    let mut spikes = || 1.0 + 0.8 * random.signed().powi(3);
    let spiky: Vec<f64> = (0..sphere(3).0.len()).map(|_| spikes()).collect();
    vec![
        ("sphere", sphere(3)),
        ("torus", torus(16)),
        ("slab", stretched(sphere(3), |_, p| Vec3::new(p.x, p.y, 1e-3 * p.z))),
        ("needle", stretched(sphere(3), |_, p| Vec3::new(p.x, 1e-2 * p.y, 1e-2 * p.z))),
        ("spikes", stretched(sphere(3), |v, p| p * spiky[v])),
        ("neighbours", both(sphere(3), sphere(2), Vec3::new(2.01, 0.1, 0.0))),
        ("linked", both(torus(10), stretched(torus(10), |_, p| Vec3::new(p.x, p.z, -p.y)), Vec3::x())),
        ("folds", folded(4, 0.01, 2.5)),
        (
            "tetrahedron",
            (vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()], vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
        ),
    ]
}

#[test]
fn the_least_of_all_wherever_points_and_surfaces_go() {
    let mut random = Random::new(3);
    for (name, (rest, triangles)) in surfaces(&mut random) {
        assert!(closed(&triangles), "{name}");
        let mut x = rest.clone();
        let mut points = scattered(&x, &triangles, 150, &mut random);
        let mut search = Traversal::new(&triangles, &x, points.len());
        for step in 0..25 {
            search.update(&x, |k| points[k]);
            assert_right(&search, &points, &x, &triangles, true, &format!("{name}, step {step}"));
            let (a, b) = (0.2 * f64::from(step), 0.3 * f64::from(step));
            for (v, p) in x.iter_mut().enumerate() {
                // The map is one to one, so that no surface crosses itself.
                let q = rest[v];
                *p = Vec3::new(q.x + 0.1 * (q.y + a).sin() + 0.02 * b, q.y, q.z * (1.0 + 0.3 * b.sin()));
            }
            for (k, p) in points.iter_mut().enumerate() {
                *p += random.vector() * [0.003, 0.05, 0.5][k % 3];
            }
            if step % 8 == 7 {
                points = scattered(&x, &triangles, points.len(), &mut random);
            }
        }
    }
}

#[test]
fn a_walk_that_ends_on_the_wrong_sheet_is_put_right() {
    let mut random = Random::new(8);
    let (x, triangles) = folded(5, 2e-3, 3.0);
    let face = |t: usize, s: f64| {
        let [a, b, c] = triangles[t].map(|v| x[v as usize]);
        (a + b + c) / 3.0 + (b - a).cross(&(c - a)).normalize() * s
    };
    let faces: Vec<usize> = (0..200).map(|k| k * 37 % triangles.len()).collect();
    let mut search = Traversal::new(&triangles, &x, faces.len());
    for step in 0..12 {
        // Points pass through the slab and the air between the folds, from one sheet to the next.
        let depth = [1e-3, -0.9e-3, -1.1e-3, -3e-3, 2e-2, -2.5e-2][step % 6] * (1.0 + 0.1 * random.signed());
        let points: Vec<Vec3> = faces.iter().map(|t| face(*t, depth)).collect();
        search.update(&x, |k| points[k]);
        assert_right(&search, &points, &x, &triangles, true, &format!("step {step}"));
    }
}

#[test]
fn open_surfaces_have_the_side_of_their_normals() {
    let mut random = Random::new(12);
    let (x, triangles) = grid([12, 9], [false; 2], |u, v| Vec3::new(u, v, 0.1 * (5.0 * u).sin() * (4.0 * v).cos()));
    let points = scattered(&x, &triangles, 300, &mut random);
    let mut search = Traversal::new(&triangles, &x, points.len());
    search.update(&x, |k| points[k]);
    assert_right(&search, &points, &x, &triangles, false, "sheet");
    for (k, p) in points.iter().enumerate() {
        let height = p.z - 0.1 * (5.0 * p.x).sin() * (4.0 * p.y).cos();
        // The side is undefined outside the sheet, and within the deviation of the grid's triangles from the curved
        // surface.
        if p.x > 0.0 && p.x < 1.0 && p.y > 0.0 && p.y < 1.0 && height.abs() > 0.01 {
            assert_eq!(search.closest(k).distance < 0.0, height < 0.0, "{k}");
        }
    }
}

#[test]
fn what_lies_on_the_surface_is_at_distance_zero() {
    let (x, triangles) = torus(12);
    let mut search = Traversal::new(&triangles, &x, x.len());
    search.update(&x, |v| x[v]);
    for v in 0..x.len() {
        let found = search.closest(v);
        assert_eq!(found.distance.to_bits(), 0, "{v}");
        let at = triangles[found.triangle as usize].iter().zip(found.weights).find(|(_, w)| *w == 1.0);
        assert_eq!(at.map(|(w, _)| *w as usize), Some(v));
    }
}

#[test]
fn degenerate_triangles_do_no_harm() {
    let mut random = Random::new(21);
    let (x, mut triangles) = sphere(2);
    triangles.extend([[0, 0, 1], [2, 2, 2], [3, 4, 3]]);
    // Collinear corners, and nearly so.
    let mut x = stretched((x, vec![]), |_, p| p * 1e3).0;
    let first = x.len() as u32;
    x.extend([0.0, 1.0, 2.0].map(|s| Vec3::new(s, 2.0 * s, 1200.0)));
    x.push(Vec3::new(4.0, 8.0 + 1e-9, 1200.0));
    triangles.extend([[first, first + 1, first + 2], [first, first + 1, first + 3]]);
    let points: Vec<Vec3> = (0..400).map(|k| random.vector() * [1500.0, 1e3][k % 2]).collect();
    let mut search = Traversal::new(&triangles, &x, points.len());
    search.update(&x, |k| points[k]);
    assert_right(&search, &points, &x, &triangles, false, "degenerate");
    // NaN coordinates, no triangles, and no points.
    search.update(&x, |k| if k == 0 { Vec3::repeat(f64::NAN) } else { points[k] });
    assert_eq!(search.closest(0).distance, f64::INFINITY);
    let mut none = Traversal::new(&[], &x, 3);
    assert_eq!((none.update(&x, |k| points[k]), none.closest(2).triangle), (Work::default(), NONE));
    assert_eq!(Traversal::new(&triangles, &x, 0).update(&x, |k| points[k]).visits, 0);
}

#[test]
fn same_bits_on_any_number_of_threads_and_from_any_start() {
    let mut random = Random::new(30);
    let (x, triangles) = both(torus(20), sphere(4), Vec3::new(0.0, 0.0, 1.6));
    let starts = scattered(&x, &triangles, 3000, &mut random);
    let step = |k: usize, s: usize| starts[k] + Vec3::new(0.01, -0.02, 0.015) * s as f64;
    let run = |threads: usize, from: usize| {
        par::with_threads(threads, || {
            let mut search = Traversal::new(&triangles, &x, starts.len());
            let mut work = Work::default();
            for s in from..20 {
                work = search.update(&x, |k| step(k, s));
            }
            let all: Vec<Closest> = (0..starts.len()).map(|k| *search.closest(k)).collect();
            (all, work)
        })
        .unwrap()
    };
    let one = run(1, 0);
    assert!(one == run(2, 0) && one == run(3, 0));
    assert!(one.0 == run(1, 19).0);
}

#[test]
fn few_triangles_are_visited() {
    let (x, triangles) = sphere(5);
    let mut random = Random::new(44);
    // Points near the surface of a unit sphere, whose edges are a thirtieth of the radius.
    let mut points: Vec<Vec3> =
        (0..4000).map(|_| random.vector().normalize() * (1.02 + 0.01 * random.signed())).collect();
    let mut search = Traversal::new(&triangles, &x, points.len());
    search.update(&x, |k| points[k]);
    let mut work = Work::default();
    for _ in 0..10 {
        points.iter_mut().for_each(|p| *p += Vec3::new(-p.y, p.x, 0.0) * 0.003);
        let now = search.update(&x, |k| points[k]);
        work.visits += now.visits;
        work.walked += now.walked;
    }
    let visited = work.visits as f64 / (10.0 * points.len() as f64);
    assert!(visited < 1.4 && work.walked <= work.visits, "{visited}");
}
