//! Tetrahedra against beam theory.

use crate::common::close;
use percale::force::assembly::{Assembly, Scheme};
use percale::force::elements::Elements;
use percale::force::solid::{Body, Lame, Solid, Tetrahedron};
use percale::linalg::Vec3;
use percale::linalg::partition::Partition;
use percale::linalg::pcg::{Pcg, Stop};
use std::array::from_fn;

/// A bar along x of `cells` cubes of side `size` [m], six tetrahedra each, and its vertices in the solver's order.
fn bar(cells: [usize; 3], size: f64) -> (Vec<Vec3>, Vec<[u32; 4]>, Vec<usize>) {
    let [p, q, r] = cells.map(|n| n + 1);
    let points: Vec<Vec3> =
        (0..p * q * r).map(|k| Vec3::new((k / (q * r)) as f64, (k / r % q) as f64, (k % r) as f64) * size).collect();
    let Partition { order, starts } = Partition::new(&points);
    let mut place = vec![0; order.len()];
    (0..).zip(&order).for_each(|(new, old)| place[*old as usize] = new);
    let mut tets = Vec::new();
    let [nx, ny, nz] = cells;
    for (i, j, k) in (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k)))) {
        // One tetrahedron for every way along three edges from a corner to the opposite one.
        for way in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]] {
            let mut at = [i, j, k];
            let mut tet = [place[(at[0] * q + at[1]) * r + at[2]]; 4];
            for (step, axis) in way.into_iter().enumerate() {
                at[axis] += 1;
                tet[step + 1] = place[(at[0] * q + at[1]) * r + at[2]];
            }
            if way[1] != (way[0] + 1) % 3 {
                tet.swap(2, 3);
            }
            tets.push(tet);
        }
    }
    (order.iter().map(|old| points[*old as usize]).collect(), tets, starts)
}

/// Sag of the end [m] of a bar ten times as long as thick, clamped at one end, with `n` cubes across, under an end load of 1 mN.
fn sag(n: usize, thickness: f64, solid: Solid) -> f64 {
    let size = thickness / n as f64;
    let (x, tets, starts) = bar([10 * n, n, n], size);
    let tetrahedra: Vec<Tetrahedron> =
        tets.iter().map(|t| Tetrahedron::new(*t, &from_fn(|k| x[t[k] as usize]), 0).unwrap()).collect();
    let volume: f64 = tetrahedra.iter().map(|t| t.volume).sum();
    // A quarter of a million terms, each rounded.
    assert!((volume / (10.0 * thickness.powi(3)) - 1.0).abs() < 1e-10);
    let elements = Elements { bodies: vec![Body { solid, damping: 0.0 }], tetrahedra, ..Elements::default() };
    let (still, massless, ones) = (vec![Vec3::zeros(); x.len()], vec![0.0; x.len()], vec![1.0; x.len()]);
    let mut assembly = Assembly::<f64>::new(&elements, &starts);
    let scheme = Scheme { x: &x, y: &still, rate: &still, v: &still, mass: &massless, beta: 1.0, betas: &ones };
    assembly.assemble(&elements, &scheme);
    assert!(assembly.force.iter().all(|f| f.norm() < 1e-12));
    // The load by area: inner vertices of the end face bear a cell each, its sides half, its corners a quarter.
    let end = 10.0 * thickness - size / 2.0;
    let share = |at: f64| if at < size / 2.0 || at > thickness - size / 2.0 { 0.5 } else { 1.0 };
    let weights: Vec<f64> =
        x.iter().map(|p| if p.x > end { share(p.y) * share(p.z) / (n * n) as f64 } else { 0.0 }).collect();
    for (force, weight) in assembly.force.iter_mut().zip(&weights) {
        force.y -= 1e-3 * weight;
    }
    let fixed: Vec<bool> = x.iter().map(|p| p.x < size / 2.0).collect();
    let mut z = vec![Vec3::zeros(); x.len()];
    let stop = Stop { tolerance: 1e-9, floor: 0.0, iterations: 20_000 };
    let outcome = Pcg::default().solve(&assembly.matrix, &fixed, &assembly.force, &mut z, stop).unwrap();
    assert!(outcome.converged, "{} iterations", outcome.iterations);
    -z.iter().zip(&weights).map(|(z, weight)| z.y * weight).sum::<f64>()
}

/// `P L^3/(3 E I) + P L/(k G A)` with Cowper's `k = 10 (1 + nu)/(12 + 11 nu)`. Linear elements are too stiff, by the square of their
/// size: cubes cut into six by 21, 7 and 2.4 % at 4, 8 and 16 across.
#[test]
fn a_bar_sags_as_timoshenko_says() {
    let (young, poisson, thickness) = (1e5, 0.3, 0.01f64);
    let lame = Lame::new(young, poisson);
    let (length, load) = (10.0 * thickness, 1e-3f64);
    let (second, area) = (thickness.powi(4) / 12.0, thickness * thickness);
    let k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let expected = load * length.powi(3) / (3.0 * young * second) + load * length / (k * lame.mu * area);
    let sags = [4, 8, 16].map(|n| sag(n, thickness, Solid::Corotational(lame)));
    println!("of Timoshenko's: {:?}", sags.map(|s| s / expected));
    assert!(sags[0] < sags[1] && sags[1] < sags[2] && sags[2] < expected, "from below: {sags:?}, {expected}");
    close("bar, 16 cubes across", sags[2], expected, 0.03);
    close("neo-Hookean at rest", sag(4, thickness, Solid::NeoHookean(lame)), sags[0], 1e-6);
}
