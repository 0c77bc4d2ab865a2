use super::*;
use crate::linalg::Vec3;

/// Builds a square grid of `side x side` vertices with its lattice edges.
fn grid(side: u32) -> Graph {
    let points: Vec<Vec3> =
        (0..side * side).map(|v| Vec3::new(f64::from(v % side), f64::from(v / side), 0.0)).collect();
    let across = (0..side * side).filter(|v| v % side + 1 < side).map(|v| [v, v + 1]);
    let along = (0..side * (side - 1)).map(|v| [v + side, v]);
    Graph::new(&points, across.chain(along).collect())
}

/// Solves for a known solution. Returns the number of iterations and the largest error.
fn solve(side: u32, pinned: bool, tolerance: f64) -> (usize, f64) {
    let graph = grid(side);
    let size = graph.size();
    let vertex: Vec<f64> = (0..size).map(|v| 1e-4 * (1.0 + v as f64 % 3.0)).collect();
    let edge: Vec<f64> = (0..graph.edges.len()).map(|e| 1.0 + e as f64 % 2.0).collect();
    let fixed: Vec<bool> = (0..size).map(|v| pinned && v % 101 == 7).collect();
    let wanted: Vec<f64> = (0..size)
        .map(|v| if fixed[v] { 0.0 } else { (v as f64 * 0.01).sin() + 0.1 * (v as f64 * 2.3).cos() })
        .collect();
    let b: Vec<f64> = (0..size)
        .map(|v| {
            let flows = graph.links(v).iter().map(|[w, e]| edge[*e as usize] * (wanted[v] - wanted[*w as usize]));
            vertex[v] * wanted[v] + flows.sum::<f64>()
        })
        .collect();
    let mut x = vec![0.5; size];
    let equation = Equation { graph: &graph, vertex: &vertex, edge: &edge, fixed: &fixed };
    let outcome = Diffusion::default()
        .solve(&equation, &b, &mut x, Stop { tolerance, iterations: 500, ..Stop::default() })
        .unwrap();
    assert!(outcome.converged, "{outcome:?}");
    (outcome.iterations, x.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
}

#[test]
fn finds_the_solution_with_and_without_known_vertices() {
    for (side, pinned) in [(3, false), (17, true), (40, false), (40, true)] {
        let (_, error) = solve(side, pinned, 1e-12);
        assert!(error < 1e-8, "{side} {pinned}: {error}");
    }
}

/// Sixteen times the vertices need hardly more iterations. Without means they would need four times as many.
#[test]
fn iterations_do_not_grow_with_the_graph() {
    let [small, large] = [40, 160].map(|side| solve(side, false, 1e-6).0);
    assert!(small <= 60 && large <= small + small / 3, "{small} {large}");
}

#[test]
fn nothing_on_the_right_is_zero() {
    let graph = grid(5);
    let equation = Equation { graph: &graph, vertex: &[1.0; 25], edge: &[1.0; 40], fixed: &[false; 25] };
    let mut x = vec![3.0; 25];
    let outcome = Diffusion::default()
        .solve(&equation, &[0.0; 25], &mut x, Stop { tolerance: 1e-9, floor: 1e-3, progress: 0.0, iterations: 100 })
        .unwrap();
    assert!(outcome.converged && x.iter().all(|x| x.abs() < 1e-9));
}
