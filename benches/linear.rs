//! Memory throughput of the conjugate gradient iteration, compared with the STREAM triad on the same threads.

mod common;
#[path = "common/table.rs"]
mod table;

use common::{scene, settings};
use percale::force::assembly::Assembly;
use percale::force::scheme::Scheme;
use percale::force::term::Memory;
use percale::linalg::matrix::{Domain, Lanes, Matrix};
use percale::linalg::pcg::{Pcg, Stop};
use percale::linalg::random::Random;
use percale::linalg::{Vec3, par};
use percale::stepper::stepper;
use percale::world::{State, World};
use std::hint::black_box;
use std::time::Instant;
use table::table;

/// Time of the state from which the matrix is assembled [s]. The cloth has folds everywhere then, so no block has
/// subnormal numbers.
const AT: f64 = 0.6;
/// Iterations of the short and the long solve. The benchmark times their difference.
const ITERATIONS: [usize; 2] = [10, 30];
/// Repetitions of a measurement; the shortest counts.
const REPEATS: usize = 10;
/// Total bytes of the three arrays of the triad in memory. Each is four times a cache of 32 MB (McCalpin's rule).
const MEMORY: usize = 3 * (128 << 20);
/// Vectors of four lanes that an iteration moves, without those that stay in cache: the backward pass reads `t x r p w`
/// and writes `t x r p`, the forward pass reads `t r p` and writes `w`.
const VECTORS: usize = 13;

/// Columns of the table.
const COLUMNS: [&str; 8] = [
    "vertices",
    "matrix + vectors, MB",
    "moved, MB",
    "iteration, us",
    "GB/s",
    "triad of this size, GB/s",
    "ratio",
    "ratio to memory",
];

fn main() -> Result<(), String> {
    table(&[10_000, 40_000, 90_000], &COLUMNS, |step| {
        let memory = triad(MEMORY);
        let title = format!("STREAM triad in memory: {:.2} GB/s", memory * 1e-9);
        (title, move |size| measure(size, step, memory))
    })
}

fn measure(size: usize, step: f64, memory: f64) -> Result<Vec<String>, String> {
    let (world, mut state) = scene(size);
    let done = stepper(&world, settings(step), false).advance(&world, &mut state, AT);
    done.map_err(|stuck| stuck.describe(&world, &state))?;
    let system = assembled(&world, &state, step);
    let (mut short, mut long) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPEATS {
        short = short.min(solve(&system, ITERATIONS[0])?);
        long = long.min(solve(&system, ITERATIONS[1])?);
    }
    let iteration = (long - short) / (ITERATIONS[1] - ITERATIONS[0]) as f64;
    let matrix = &system.matrix;
    let vectors = VECTORS * size_of::<Lanes<f32>>() * matrix.size();
    let (once, moved) = (matrix.bytes() + vectors, swept(matrix) + vectors);
    let rate = moved as f64 / iteration;
    let near = triad(once);
    let mut cells = vec![matrix.size().to_string()];
    cells.extend([once, moved].map(|bytes| format!("{:.2}", bytes as f64 * 1e-6)));
    cells.push(format!("{:.1}", iteration * 1e6));
    cells.extend([rate * 1e-9, near * 1e-9, rate / near, rate / memory].map(|value| format!("{value:.2}")));
    Ok(cells)
}

/// Assembles the matrix of a backward Euler step, without contact blocks, and a right-hand side.
fn assembled(world: &World, state: &State, step: f64) -> Assembly<f32> {
    let rate = &state.v[..world.moving];
    let y: Vec<Vec3> = rate.iter().map(|v| (v + world.gravity * step) * step).collect();
    let effective_dt = vec![step; world.moving];
    let mut assembly = Assembly::new(&world.elements, &world.starts);
    let scheme = Scheme {
        x: &state.x,
        y: &y,
        velocity: rate,
        v: &state.v,
        guess: &state.guess,
        mass: &world.mass,
        beta: step,
        effective_dt: &effective_dt,
        exchange: &[],
        drag: &[],
        stiffness_scale: Default::default(),
        wind: Vec3::zeros(),
    };
    assembly.assemble(&scheme, &Memory::default());
    // White noise as right-hand side. Where no force acts, residuals would decay to subnormal numbers, which slow down
    // processors.
    let mut noise = Random::new(1);
    assembly.force.fill_with(|| noise.vector());
    assembly
}

/// Solves with a fixed number of iterations and returns the time [s].
fn solve(system: &Assembly<f32>, iterations: usize) -> Result<f64, String> {
    let matrix = &system.matrix;
    let mut x = vec![Vec3::zeros(); matrix.size()];
    let fixed = vec![false; matrix.size()];
    let mut pcg = Pcg::default();
    let stop = Stop { tolerance: 0.0, floor: 0.0, iterations };
    let start = Instant::now();
    let outcome = pcg
        .solve(matrix, &fixed, &system.force, &mut x, stop)
        .map_err(|vertex| format!("the diagonal block of vertex {vertex} is not positive definite"))?;
    let seconds = start.elapsed().as_secs_f64();
    black_box(x);
    if outcome.iterations == iterations {
        Ok(seconds)
    } else {
        Err(format!("{} of {iterations} iterations were made", outcome.iterations))
    }
}

/// Returns the bytes of the matrix that an iteration reads: the upper blocks in both sweeps, the outer and the moving
/// blocks once, no diagonal block.
fn swept(matrix: &Matrix<f32>) -> usize {
    let block = 9 * size_of::<f32>() + size_of::<u32>();
    let rows = |d: &Domain<f32>| block * (2 * d.upper_col.len() + d.cross_col.len()) + size_of_val(&d.entries[..]);
    matrix.domains.iter().map(rows).sum()
}

/// Measures the throughput [B/s] of the STREAM triad `a = b + s c` in double precision, on three arrays of `bytes`
/// bytes in total. Three words count for each element (McCalpin 1995).
fn triad(bytes: usize) -> f64 {
    let n = bytes / 3 / size_of::<f64>();
    let (mut a, b, c) = (vec![0.0; n], vec![1.0; n], vec![2.0; n]);
    let part = n.div_ceil(64).max(1);
    // Rounds for the resolution of the clock, three at least.
    let rounds = (200_000_000 / bytes.max(1)).max(3);
    let mut best = f64::INFINITY;
    for _ in 0..REPEATS {
        let start = Instant::now();
        for round in 0..rounds {
            let s = black_box(round as f64);
            par::blocks_mut(&mut a, part, |first, a| {
                for ((a, b), c) in a.iter_mut().zip(&b[first..]).zip(&c[first..]) {
                    *a = b + s * c;
                }
            });
            black_box(&mut a);
        }
        best = best.min(start.elapsed().as_secs_f64() / rounds as f64);
    }
    (3 * n * size_of::<f64>()) as f64 / best
}
