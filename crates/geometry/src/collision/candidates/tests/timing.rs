//! Timing of the candidate lists of a drape.

use super::*;
use std::time::Instant;

/// Builds a sheet of `n x n` vertices (1 m), draped in folds over a ball of radius 0.25 m with 20,172 triangles.
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
    // Cube of 41 x 41 quads a side, projected onto the ball. Sides do not share vertices.
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
fn timing() {
    for n in [100, 200] {
        let (x, objects) = drape(n);
        let surface = Surface::new(&objects);
        let distance = 0.3 / f64::from(n - 1);
        let still = vec![Vec3::zeros(); x.len()];
        let moved: Vec<Vec3> = x.iter().map(|p| Vec3::new(-p.y, p.x, p.z) * 2e-3).collect();
        for threads in [1, 2] {
            par::with_threads(threads, || {
                let start = Instant::now();
                let new = || Candidates::new(&x, &surface, &vec![0.0; x.len()], distance, |a, b| a + b < 2);
                let mut candidates = new();
                let made = start.elapsed();
                let (mut first, mut again) = (f64::INFINITY, f64::INFINITY);
                for _ in 0..5 {
                    candidates = new();
                    let start = Instant::now();
                    candidates.update(&x, &surface, &moved);
                    first = first.min(start.elapsed().as_secs_f64());
                    let start = Instant::now();
                    assert_eq!(candidates.update(&x, &surface, &still), 0);
                    again = again.min(start.elapsed().as_secs_f64());
                }
                println!(
                    "{n} x {n}, {} triangles, {threads} threads: new {made:.1?}, all lists {:.2} ms, none {:.2} ms, {} pairs in {}",
                    surface.triangles.len(),
                    first * 1e3,
                    again * 1e3,
                    candidates.count(),
                    candidates.lists.len(),
                );
            })
            .unwrap();
        }
    }
}
