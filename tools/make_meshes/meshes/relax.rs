//! Smoothing of vertices along a surface.

use percale::linalg::{Vec3, par};
use percale::mesh::topology::Topology;

/// Smooths in a single sweep: every vertex moves by `step` (0 to 1) towards the mean of its neighbours, weighted by
/// distance, which evens out the edges. Then `project` returns it to the surface. Vertices on the boundary use only
/// their neighbours on the boundary.
pub fn smooth(
    positions: &mut Vec<Vec3>,
    topology: &Topology,
    step: f64,
    project: impl Fn(usize, Vec3) -> Vec3 + Sync + Send,
) {
    let mut sums = vec![(Vec3::zeros(), 0.0); positions.len()];
    for (edge, valence) in topology.edges.iter().zip(&topology.edge_valence) {
        let [a, b] = edge.map(|v| v as usize);
        // On the boundary, where a vertex has two neighbours only, weights by distance would overshoot.
        let length = if *valence == 1 { 1.0 } else { (positions[a] - positions[b]).norm() };
        for (v, other) in [(a, b), (b, a)] {
            if *valence == 1 || !topology.boundary[v] {
                sums[v].0 += positions[other] * length;
                sums[v].1 += length;
            }
        }
    }
    let old = &*positions;
    *positions = par::map(old.len(), |v| {
        let (sum, weight) = sums[v];
        let target = if weight > 0.0 { old[v] + (sum / weight - old[v]) * step } else { old[v] };
        project(v, target)
    });
}

/// Projects `p` onto the surface `field = 0` by Newton steps along the gradient. If `plane` (a unit normal and its
/// offset) is given, the point stays in that plane.
pub fn project(field: &(impl Fn(Vec3) -> f64 + Sync), plane: Option<(Vec3, f64)>, p: Vec3) -> Vec3 {
    let mut p = p;
    if let Some((normal, offset)) = plane {
        p -= normal * (normal.dot(&p) - offset);
    }
    for _ in 0..4 {
        let value = field(p);
        let mut slope = gradient(field, p);
        if let Some((normal, _)) = plane {
            slope -= normal * normal.dot(&slope);
        }
        let square = slope.norm_squared();
        if value.abs() < 1e-7 || square < 1e-12 {
            break;
        }
        // The step is bounded, because the fields are distances only near their surface.
        p -= slope * (value / square).clamp(-0.05, 0.05);
    }
    p
}

/// Returns the gradient of a field by central differences over 0.1 mm.
pub fn gradient(field: &impl Fn(Vec3) -> f64, p: Vec3) -> Vec3 {
    const H: f64 = 1e-4;
    Vec3::from_fn(|k, _| {
        let mut step = Vec3::zeros();
        step[k] = H;
        (field(p + step) - field(p - step)) / (2.0 * H)
    })
}
