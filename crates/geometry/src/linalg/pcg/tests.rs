use super::*;
use crate::linalg::Mat3;
use crate::linalg::matrix::Entry;
use crate::linalg::random::Random;
use crate::linalg::skyline::SkylineCholesky;

/// Builds a diagonally dominant chain-and-grid matrix with random symmetric couplings. Returns it as blocks and as a
/// dense copy.
fn system(n: usize, cuts: &[usize], moving: bool) -> (Matrix<f64>, Vec<Vec<f64>>) {
    let mut random = Random::new(12345);
    let pairs: Vec<(u32, u32)> = (0..n as u32)
        .flat_map(|i| [(i, i + 1), (i, i + 7), (i + 3, i)])
        .filter(|(i, j)| (*i as usize) < n && (*j as usize) < n)
        .collect();
    let mut matrix = Matrix::new(cuts, pairs.iter().copied());
    let mut dense = vec![vec![0.0; 3 * n]; 3 * n];
    let mut add = |matrix: &mut Matrix<f64>, i: usize, j: usize, block: &Mat3, entry: bool| {
        for (a, b, block) in [(i, j, *block), (j, i, block.transpose())] {
            for r in 0..3 {
                for c in 0..3 {
                    dense[3 * a + r][3 * b + c] += block[(r, c)];
                }
            }
            if entry && a != b {
                let mut values = [0.0; 9];
                values.copy_from_slice(block.as_slice());
                let owner = matrix.starts.partition_point(|start| *start <= a) - 1;
                matrix.domains[owner].entries.push(Entry { row: a as u32, column: b as u32, block: values });
            } else {
                for domain in &mut matrix.domains {
                    let place = domain.place(a, b);
                    domain.add(place, &block);
                }
            }
            if a == b && i == j {
                break;
            }
        }
    };
    for &(i, j) in &pairs {
        let block = Mat3::from_fn(|_, _| random.signed());
        add(&mut matrix, i as usize, j as usize, &block, false);
    }
    if moving {
        for i in (0..n - 20).step_by(5) {
            let block = Mat3::from_fn(|_, _| random.signed());
            add(&mut matrix, i, i + 20, &block, true);
        }
    }
    for i in 0..n {
        add(&mut matrix, i, i, &Mat3::from_diagonal(&Vec3::new(14.0, 16.0, 18.0)), false);
    }
    for d in &mut matrix.domains {
        d.entries.retain(|e| !(d.first..e.row as usize).contains(&(e.column as usize)));
        d.entries.sort_by_key(|e| (e.row, e.column));
    }
    (matrix, dense)
}

/// Adds a low-rank update that couples all vertices through three sums, the last in a block by itself.
fn couple(matrix: &mut Matrix<f64>, dense: &mut [Vec<f64>]) {
    let n = matrix.size();
    let mut inner = SkylineCholesky::new(2, [[0, 1]].into_iter());
    let e = [[2.0, 0.5], [0.5, 1.0]];
    for (a, b) in [(0, 0), (0, 1), (1, 1)] {
        inner.add(a as u32, b as u32, e[a][b]);
    }
    assert!(inner.factor());
    let mut alone = SkylineCholesky::new(1, std::iter::empty());
    alone.add(0, 0, 4.0);
    assert!(alone.factor());
    matrix.low_rank.inner = vec![inner, alone];
    matrix.low_rank.less = vec![0.1, 0.0, 0.2];
    let det = e[0][0] * e[1][1] - e[0][1] * e[1][0];
    let inverse =
        [[e[1][1] / det - 0.1, -e[0][1] / det, 0.0], [-e[1][0] / det, e[0][0] / det, 0.0], [0.0, 0.0, 0.25 - 0.2]];
    let mut u = vec![[0.0; 3]; 3 * n];
    for v in 0..n {
        for sum in (0..3).filter(|sum| (v + sum) % 3 != 1) {
            let part = Vec3::new((v as f64).cos(), 0.3, (v as f64 * 2.0).sin() + sum as f64);
            matrix.low_rank.entries.push((v as u32, sum as u32, part));
            (0..3).for_each(|l| u[3 * v + l][sum] = part[l]);
        }
    }
    for (row, a) in dense.iter_mut().zip(&u) {
        for (value, b) in row.iter_mut().zip(&u) {
            *value +=
                (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).map(|(i, j)| a[i] * inverse[i][j] * b[j]).sum::<f64>();
        }
    }
}

fn residual(dense: &[Vec<f64>], x: &[Vec3], b: &[Vec3], skip: &[bool]) -> f64 {
    let flat = |v: &[Vec3]| v.iter().flat_map(|v| [v.x, v.y, v.z]).collect::<Vec<_>>();
    let (x, b) = (flat(x), flat(b));
    (0..x.len())
        .filter(|r| !skip[r / 3])
        .map(|r| (b[r] - (0..x.len()).map(|c| dense[r][c] * x[c]).sum::<f64>()).abs())
        .fold(0.0, f64::max)
}

#[test]
fn solves_a_dense_reference_with_any_cut_guess_and_pins() {
    let n = 60;
    let b: Vec<Vec3> = (0..n).map(|i| Vec3::new((i as f64).sin(), 1.0, -(i as f64).cos())).collect();
    for cuts in [vec![0, n], vec![0, 20, 41, n]] {
        for (moving, coupled) in [(false, false), (true, false), (true, true)] {
            let (mut matrix, mut dense) = system(n, &cuts, moving);
            if coupled {
                couple(&mut matrix, &mut dense);
            }
            let mut fixed = vec![false; n];
            for pinned in [false, true] {
                fixed[7] = pinned;
                fixed[33] = pinned;
                for guess in [0.0, 0.3] {
                    let mut x: Vec<Vec3> =
                        (0..n).map(|i| if fixed[i] { Vec3::zeros() } else { Vec3::repeat(guess) }).collect();
                    let stop = Stop { tolerance: 1e-13, floor: 0.0, iterations: 400 };
                    let outcome = Pcg::default().solve(&matrix, &fixed, &b, &mut x, stop).unwrap();
                    assert!(outcome.converged, "{outcome:?}");
                    assert!(residual(&dense, &x, &b, &fixed) < 1e-11, "{cuts:?} {moving} {coupled} {pinned} {guess}");
                    assert!(!pinned || (x[7] == Vec3::zeros() && x[33] == Vec3::zeros()));
                }
            }
        }
    }
}

#[test]
fn one_domain_without_coupling_needs_one_iteration() {
    let matrix = {
        let mut m = Matrix::<f64>::new(&[0, 5], std::iter::empty());
        for i in 0..5 {
            m.domains[0].add(i, &Mat3::from_diagonal_element(f64::from(i) + 1.0));
        }
        m
    };
    let mut x = vec![Vec3::zeros(); 5];
    let stop = Stop { tolerance: 1e-12, floor: 0.0, iterations: 10 };
    let outcome = Pcg::default().solve(&matrix, &[false; 5], &[Vec3::repeat(1.0); 5], &mut x, stop).unwrap();
    assert_eq!(outcome.iterations, 1);
    assert!((x[4].x - 0.2).abs() < 1e-14);
}

#[test]
fn an_indefinite_diagonal_is_named() {
    let mut matrix = Matrix::<f32>::new(&[0, 3], std::iter::empty());
    matrix.domains[0].add(0, &Mat3::identity());
    matrix.domains[0].add(2, &Mat3::identity());
    let stop = Stop { tolerance: 1e-3, floor: 0.0, iterations: 10 };
    let mut x = vec![Vec3::zeros(); 3];
    assert_eq!(Pcg::default().solve(&matrix, &[false; 3], &[Vec3::zeros(); 3], &mut x, stop), Err(1));
}

/// A bound `quiet` makes the solver go beyond the tolerance. The reported residual stays relative to the right-hand
/// side.
#[test]
fn what_is_quiet_is_solved_further() {
    let n = 60;
    let (matrix, _) = system(n, &[0, n], false);
    let b: Vec<Vec3> = (0..n).map(|i| Vec3::new((i as f64).sin(), 1.0, -(i as f64).cos())).collect();
    let [loose, strict] = [f64::INFINITY, 1e-6].map(|quiet| {
        let mut pcg = Pcg::default();
        let components =
            Components { of: &[], sets: &[0], floors: &[0.0], ceilings: &[f64::INFINITY], quiet: &[quiet] };
        pcg.begin(&matrix, &vec![false; n], &b, &vec![Vec3::zeros(); n], components).unwrap();
        pcg.iterate(&matrix, 1e-2, 400)
    });
    assert!(loose.converged && strict.converged && strict.iterations > loose.iterations, "{loose:?}, {strict:?}");
    assert!(loose.residual > 1e-5 && strict.residual < 1e-7, "{loose:?}, {strict:?}");
}

/// Each set has a process of its own: its solution is that of the set alone, to the last bit, and an easy set does not
/// wait for a hard one.
#[test]
fn a_set_is_solved_as_if_it_were_alone() {
    let n = 40;
    // Chains with a diagonal of 2 plus this.
    let chain = |extra: &[f64]| {
        let starts: Vec<usize> = (0..=extra.len()).map(|k| k * n).collect();
        let links = (0..extra.len() * n).filter(|i| i % n + 1 < n).map(|i| (i as u32, i as u32 + 1));
        let mut matrix = Matrix::<f64>::new(&starts, links);
        for (domain, extra) in matrix.domains.iter_mut().zip(extra) {
            for i in domain.first..domain.first + n {
                let own = domain.place(i, i);
                domain.add(own, &Mat3::from_diagonal_element(2.0 + extra));
                if i + 1 < domain.first + n {
                    let beside = domain.place(i, i + 1);
                    domain.add(beside, &-Mat3::identity());
                }
            }
        }
        matrix
    };
    let force = |k: usize| Vec3::new((k as f64).sin(), 1.0, (3.0 * k as f64).cos());
    let solve = |extra: &[f64]| {
        let (matrix, count) = (chain(extra), extra.len());
        let b: Vec<Vec3> = (0..count * n).map(|i| force(i % n)).collect();
        let of: Vec<u32> = (0..count * n).map(|i| (i / n) as u32).collect();
        let sets: Vec<u32> = (0..count as u32).collect();
        let [floors, bounds] = [0.0, f64::INFINITY].map(|bound| vec![bound; count]);
        let components = Components { of: &of, sets: &sets, floors: &floors, ceilings: &bounds, quiet: &bounds };
        let mut pcg = Pcg::default();
        let mut x = vec![Vec3::zeros(); count * n];
        pcg.begin(&matrix, &vec![false; count * n], &b, &x, components).unwrap();
        // A rough solution first, as steps ask for it.
        pcg.iterate(&matrix, 1e-2, 500);
        let outcome = pcg.iterate(&matrix, 1e-6, 500);
        assert!(outcome.converged);
        pcg.solution(&matrix, &mut x);
        (x, outcome.iterations)
    };
    let [(hard, long), (easy, short)] = [solve(&[1e-4]), solve(&[10.0])];
    let (both, count) = solve(&[1e-4, 10.0]);
    assert!(long > 2 * short && count == long, "{long} {short} {count}");
    assert!(both[..n] == hard[..] && both[n..] == easy[..]);
}

/// Sums that share no vertex, of stiffnesses from 1 to 10^9: the preconditioner is the inverse.
#[test]
fn a_diagonal_matrix_with_sums_apart_needs_one_iteration() {
    let (n, count) = (40, 8);
    let mut matrix = Matrix::<f64>::new(&[0, 17, n], std::iter::empty());
    for v in 0..n {
        let (domain, first) = if v < 17 { (0, 0) } else { (1, 17) };
        matrix.domains[domain].add((v - first) as u32, &Mat3::from_diagonal_element(1.0 + v as f64));
        let part = Vec3::new((v as f64).cos(), 0.3, 1.0);
        matrix.low_rank.entries.push((v as u32, (v % count) as u32, part));
    }
    let mut inner = SkylineCholesky::new(count, (1..count as u32).map(|k| [k - 1, k]));
    (0..count as u32).for_each(|k| inner.add(k, k, 0.1f64.powi(k as i32 + 2)));
    assert!(inner.factor());
    matrix.low_rank.inner = vec![inner];
    matrix.low_rank.less = vec![0.0; count];
    let b: Vec<Vec3> = (0..n).map(|i| Vec3::new((i as f64).sin(), 1.0, -(i as f64).cos())).collect();
    let stop = Stop { tolerance: 1e-6, floor: 0.0, iterations: 10 };
    let outcome = Pcg::default().solve(&matrix, &vec![false; n], &b, &mut vec![Vec3::zeros(); n], stop).unwrap();
    assert_eq!((outcome.iterations, outcome.converged), (1, true));
}
