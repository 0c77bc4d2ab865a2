use super::*;
use crate::linalg::random::Random;

/// Builds a box of unit cubes with closed walls, except the first along x if `open`. Cells of `hole` are no unknowns.
fn cavity(cells: [usize; 3], open: bool, hole: impl Fn([usize; 3]) -> bool) -> Stencil {
    let mut stencil = Stencil::none(cells);
    let strides = Stencil::strides(cells);
    for c in 0..stencil.own.len() {
        let at = [c % cells[0], c / cells[0] % cells[1], c / strides[2]];
        if hole(at) {
            continue;
        }
        if open && at[0] == 0 {
            stencil.own[c] = 2.0;
        }
        for axis in 0..3 {
            let mut next = at;
            next[axis] += 1;
            if next[axis] < cells[axis] && !hole(next) {
                stencil.across[axis][c] = 1.0;
            }
        }
    }
    stencil
}

/// Returns `A x`, cell by cell.
fn times(stencil: &Stencil, x: &[f64]) -> Vec<f64> {
    let mut out: Vec<f64> = stencil.own.iter().zip(x).map(|(own, x)| own * x).collect();
    for (stride, across) in Stencil::strides(stencil.cells).iter().zip(&stencil.across) {
        for (c, k) in across.iter().enumerate().filter(|(_, k)| **k != 0.0) {
            let flux = k * (x[c] - x[c + stride]);
            out[c] += flux;
            out[c + stride] -= flux;
        }
    }
    out
}

/// Solves for a random right-hand side. Returns the number of iterations.
fn solved(stencil: &Stencil) -> usize {
    let mut random = Random::new(7);
    let mut b: Vec<f64> = stencil.own.iter().map(|_| random.signed()).collect();
    let groups = groups(stencil);
    balance(&mut b, &groups);
    // A cell with neither neighbours nor a diagonal is no unknown.
    let ones = times(stencil, &vec![1.0; b.len()]);
    let strides = Stencil::strides(stencil.cells);
    for c in 0..b.len() {
        let coupled =
            (0..3).any(|a| stencil.across[a][c] > 0.0 || c >= strides[a] && stencil.across[a][c - strides[a]] > 0.0);
        if !coupled && ones[c] == 0.0 {
            b[c] = 0.0;
        }
    }
    let mut poisson = Poisson::default();
    poisson.prepare(stencil);
    let mut x = vec![0.0; b.len()];
    let outcome = poisson.solve(&b, &mut x, (1e-9, 100));
    let left = times(stencil, &x).iter().zip(&b).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(outcome.converged && left < 1e-8, "{outcome:?}, truly {left:e}");
    outcome.iterations
}

/// Iterations hardly grow with the number of cells, in closed, open and flat boxes and around obstacles.
#[test]
fn iterations_do_not_depend_on_the_number_of_cells() {
    let ball = |n: usize| {
        move |at: [usize; 3]| {
            let r2: f64 = at.iter().map(|i| (*i as f64 + 0.5 - n as f64 / 2.0).powi(2)).sum();
            r2 < (n as f64 / 5.0).powi(2)
        }
    };
    for n in [8, 16, 32] {
        let counts = [
            solved(&cavity([n; 3], false, |_| false)),
            solved(&cavity([n; 3], true, |_| false)),
            solved(&cavity([n, n, 4], true, |_| false)),
            solved(&cavity([n + 1, n - 3, 5], false, |_| false)),
            solved(&cavity([n; 3], false, ball(n))),
            solved(&cavity([n; 3], true, ball(n))),
            // Two chambers side by side, only the first with an open wall.
            solved(&cavity([n; 3], true, |at| at[0] == n / 2)),
        ];
        assert!(counts.iter().all(|count| *count <= 24), "{n}: {counts:?}");
    }
}

/// Results have the same bits on one thread and on four.
#[test]
fn threads_change_nothing() {
    let stencil = cavity([33, 20, 17], true, |at| at == [5, 5, 5]);
    let b: Vec<f64> =
        (0..stencil.own.len()).map(|c| if c == 5 + 33 * (5 + 20 * 5) { 0.0 } else { (c % 13) as f64 }).collect();
    let run = |threads: usize| {
        let work = || {
            let mut poisson = Poisson::default();
            poisson.prepare(&stencil);
            let mut x = vec![0.0; b.len()];
            poisson.solve(&b, &mut x, (1e-8, 50));
            x
        };
        par::with_threads(threads, work).unwrap()
    };
    assert_eq!(run(1), run(4));
}
