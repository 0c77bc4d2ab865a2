use super::*;
use std::time::Instant;

type Objects = Vec<(Range<usize>, Vec<[u32; 3]>)>;

fn random(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

fn quads(n: u32, first: u32) -> Vec<[u32; 3]> {
    let quad = |i: u32| [[i, i + 1, i + n], [i + 1, i + n + 1, i + n]].map(|t| t.map(|v| v + first));
    (0..n * (n - 1)).filter(|k| k % n != n - 1).flat_map(quad).collect()
}

/// A bumpy sheet with a degenerate triangle, a soup with one vertex unused, a large ground, a fine sheet.
fn scene(seed: &mut u64) -> (Vec<Vec3>, Objects) {
    let n = 14u32;
    let mut x: Vec<Vec3> =
        (0..n * n).map(|k| Vec3::new(f64::from(k % n) * 0.1, 0.12 * random(seed), f64::from(k / n) * 0.1)).collect();
    let mut sheet = quads(n, 0);
    sheet.extend([[3, 3, 40], [7, 7, 7], [1, 2, 3]]);
    let mut objects = vec![(0..x.len(), sheet)];
    let first = x.len();
    x.extend((0..61).map(|_| Vec3::new(random(seed), 0.1 * random(seed), random(seed))));
    let soup = (0..20u32).map(|k| [0, 1, 2].map(|c| first as u32 + 3 * k + c)).collect();
    objects.push((first..x.len(), soup));
    let p = x.len() as u32;
    x.extend([[-500.0, -500.0], [500.0, -500.0], [500.0, 500.0], [-500.0, 500.0]].map(|[a, b]| Vec3::new(a, -0.1, b)));
    objects.push((p as usize..x.len(), vec![[p, p + 2, p + 1], [p, p + 3, p + 2]]));
    let first = x.len();
    x.extend((0..100).map(|k| Vec3::new(f64::from(k % 10) * 0.01, 0.01 * random(seed), f64::from(k / 10) * 0.01)));
    objects.push((first..x.len(), quads(10, first as u32)));
    (x, objects)
}

fn exhaustive(x: &[Vec3], surface: &Surface, reach: &Reach) -> [Vec<(u32, u32)>; 2] {
    let at = |v: u32| &x[v as usize];
    let object = |v: u32| surface.object[v as usize] as usize;
    let used: Vec<u32> = (0..surface.objects()).flat_map(|k| surface.used_vertices(k)).collect();
    let mut lists = [Vec::new(), Vec::new()];
    for v in used {
        for (t, f) in surface.triangles.iter().enumerate() {
            let d = point_triangle(at(v), at(f[0]), at(f[1]), at(f[2])).distance2.sqrt();
            if !f.contains(&v) && d <= reach.of(object(v), object(f[0])) {
                lists[0].push((v, t as u32));
            }
        }
    }
    for (i, a) in surface.edges.iter().enumerate() {
        for (j, b) in surface.edges.iter().enumerate().skip(i + 1) {
            let d = edge_edge(at(a[0]), at(a[1]), at(b[0]), at(b[1])).distance2.sqrt();
            if !a.contains(&b[0]) && !a.contains(&b[1]) && d <= reach.of(object(a[0]), object(b[0])) {
                lists[1].push((i as u32, j as u32));
            }
        }
    }
    lists
}

fn keys(list: &[Near]) -> Vec<(u32, u32)> {
    list.iter().map(|n| (n.a, n.b)).collect()
}

#[test]
fn the_lists_are_those_of_the_exhaustive_search() {
    let mut seed = 77;
    for near in [0.0, 0.03, 0.15, 3.0] {
        let (mut x, objects) = scene(&mut seed);
        let surface = Surface::new(&objects);
        let mut reach = Reach::never(objects.len());
        for a in 0..objects.len() {
            for b in 0..=a {
                reach.set(a, b, near * (1.0 + 0.1 * (a + b) as f64));
            }
        }
        reach.set(2, 2, -1.0);
        reach.set(1, 2, -1.0);
        let mut candidates = Candidates::new(&x, &surface);
        // The second round uses the same trees for other positions, and storage that has held other lists.
        for _ in 0..2 {
            candidates.build(&x, &surface, &reach, &vec![0.0; x.len()]);
            let [vf, ee] = exhaustive(&x, &surface, &reach);
            assert!(near == 0.0 || (vf.len() > 100 && ee.len() > 100));
            assert_eq!(keys(&candidates.vertex_face), vf);
            assert_eq!(keys(&candidates.edge_edge), ee);
            for n in &candidates.vertex_face {
                let [a, b, c] = surface.triangles[n.b as usize].map(|v| &x[v as usize]);
                let d = point_triangle(&x[n.a as usize], a, b, c).distance2.sqrt();
                assert!(f64::from(n.distance) <= d && f64::from(n.distance) >= d * (1.0 - 2e-6));
            }
            for p in &mut x {
                *p += Vec3::new(random(&mut seed), random(&mut seed), random(&mut seed)) * 0.1;
            }
        }
    }
}

#[test]
fn threads_do_not_change_the_lists() {
    let mut seed = 3;
    let (x, objects) = scene(&mut seed);
    let surface = Surface::new(&objects);
    let reach = Reach { objects: 4, table: vec![0.2; 16] };
    let of = |threads: usize| {
        par::with_threads(threads, || {
            let mut candidates = Candidates::new(&x, &surface);
            candidates.build(&x, &surface, &reach, &vec![0.0; x.len()]);
            (candidates.vertex_face, candidates.edge_edge)
        })
    };
    let one = of(1).unwrap();
    assert!(!one.0.is_empty() && !one.1.is_empty());
    assert!(one == of(2).unwrap() && one == of(3).unwrap());
}

/// A sheet of `n x n` vertices (1 m) lying over a ball of radius 0.25 m with folds, the ball of 20,172 triangles.
fn drape(n: u32) -> (Vec<Vec3>, Objects) {
    let r = 0.253;
    let mut x: Vec<Vec3> = (0..n * n)
        .map(|k| {
            let at = |i: u32| f64::from(i) / f64::from(n - 1) - 0.5;
            let (u, w) = (at(k % n), at(k / n));
            let (arc, turn) = (u.hypot(w), w.atan2(u));
            let bend = (arc / r).min(1.4);
            let hang = arc - bend * r;
            let out = r * bend.sin() + hang * (0.2 + 0.25 * (8.0 * turn).cos());
            Vec3::new(out * turn.cos(), r * bend.cos() - 0.93 * hang, out * turn.sin())
        })
        .collect();
    let first = x.len();
    let mut objects = vec![(0..first, quads(n, 0))];
    // Cube of 41 x 41 quads a side pushed to the ball; sides do not share vertices.
    let m = 42u32;
    for side in 0..6 {
        let base = x.len() as u32;
        x.extend((0..m * m).map(|k| {
            let at = |i: u32| ((f64::from(i) / f64::from(m - 1) - 0.5) * std::f64::consts::FRAC_PI_2).tan();
            let (a, b, sign) = (at(k % m), at(k / m), if side % 2 == 0 { 1.0 } else { -1.0 });
            let mut p = [a, b * sign, b];
            p[side / 2] = sign;
            p[(side / 2 + 1) % 3] = a;
            p[(side / 2 + 2) % 3] = b * sign;
            Vec3::from(p).normalize() * 0.25
        }));
        let faces = quads(m, base);
        match objects.get_mut(1) {
            Some((range, all)) => {
                range.end = x.len();
                all.extend(faces);
            }
            None => objects.push((base as usize..x.len(), faces)),
        }
    }
    (x, objects)
}

#[test]
#[ignore = "timing"]
fn timing_of_the_exhaustive_search() {
    let (x, objects) = drape(100);
    let surface = Surface::new(&objects);
    let mut reach = Reach::never(2);
    reach.set(0, 0, 0.003);
    reach.set(0, 1, 0.003);
    let start = Instant::now();
    let [vf, ee] = exhaustive(&x, &surface, &reach);
    println!("exhaustive: {:.1?}, {} and {} pairs", start.elapsed(), vf.len(), ee.len());
    let mut candidates = Candidates::new(&x, &surface);
    candidates.build(&x, &surface, &reach, &vec![0.0; x.len()]);
    assert!(keys(&candidates.vertex_face) == vf && keys(&candidates.edge_edge) == ee);
}

#[test]
#[ignore = "timing"]
fn timing() {
    for n in [100, 200] {
        let (x, objects) = drape(n);
        let surface = Surface::new(&objects);
        for share in [0.3, 0.5, 1.0] {
            let near = share / f64::from(n - 1);
            let mut reach = Reach::never(2);
            reach.set(0, 0, near);
            reach.set(0, 1, near);
            for threads in [1, 2] {
                let (made, best, stages, counts) = par::with_threads(threads, || {
                    let start = Instant::now();
                    let mut candidates = Candidates::new(&x, &surface);
                    let made = start.elapsed();
                    let (mut best, mut stages) = (f64::INFINITY, 0.0);
                    for _ in 0..20 {
                        let start = Instant::now();
                        candidates.build(&x, &surface, &reach, &vec![0.0; x.len()]);
                        best = best.min(start.elapsed().as_secs_f64());
                        let start = Instant::now();
                        candidates.refit(&x, &surface, &reach, &vec![0.0; x.len()]);
                        stages = start.elapsed().as_secs_f64();
                    }
                    (made, best, stages, [candidates.vertex_face.len(), candidates.edge_edge.len()])
                })
                .unwrap();
                println!(
                    "{n} x {n}, {} triangles, reach {:.2} mm, {threads} threads: new {made:.1?}, build {:.2} ms (refit {:.2}), {counts:?} pairs",
                    surface.triangles.len(),
                    near * 1e3,
                    best * 1e3,
                    stages * 1e3,
                );
            }
        }
    }
}
