//! Area barrier: yarns resist compression of a cloth below a part of its rest area, where they jam.
//!
//! A St. Venant-Kirchhoff triangle resists compression most at `1/sqrt 3` of its width, and not at all at zero width. A
//! larger load would collapse it for good. Below the part `j0` of its rest area, a triangle has an additional energy.
//! At the area `j` times the rest it is `k A (ln(j0/j))^3/3`, which no load overcomes. Force and stiffness begin at
//! zero. The stiffness is that of the change of area alone, which is positive semidefinite.

use crate::linalg::Vec3;

/// Differences of a field: vertices 1 and 2, less vertex 0.
pub type Edges = [Vec3; 2];

/// Part of the rest area below which the barrier acts. Cloth that can bend is compressed far less.
const JAM: f64 = 0.5;

/// Force and stiffness of the barrier in one triangle.
#[derive(Clone, Copy, Debug)]
pub struct Jam {
    /// Gradients of the area by the positions of the vertices, per rest area [1/m].
    pub gradient: [Vec3; 3],
    /// Force along minus the gradients [N m].
    pub force: f64,
    /// Stiffness along the gradients [N m].
    pub stiffness: f64,
}

/// Returns the energy at the part `j` of the rest area [J]. `modulus` is the modulus [N/m] times the rest area [m^2].
pub fn energy(modulus: f64, j: f64) -> f64 {
    modulus * (JAM / j).ln().max(0.0).powi(3) / 3.0
}

/// Returns the squared ratio of a triangle's area at the edges `x` to its rest area.
#[inline(always)]
pub fn part2(density: f64, x: &Edges) -> f64 {
    x[0].cross(&x[1]).norm_squared() * density * density
}

/// Returns whether the barrier acts at this squared area ratio.
#[inline(always)]
pub fn jams(part2: f64) -> bool {
    part2 < JAM * JAM && part2 > 0.0
}

/// Linearises the barrier of a triangle at the edges `x` and returns the force at the displacement `y`. The edges'
/// parallelogram has the rest area `1/density`; `modulus` is the modulus [N/m] times the rest area of the triangle
/// [m^2]. Returns `None` if the barrier does not act.
#[inline]
pub fn jam(density: f64, modulus: f64, x: &Edges, y: &Edges) -> Option<Jam> {
    let j2 = part2(density, x);
    if !jams(j2) {
        return None;
    }
    let (area, j) = (x[0].cross(&x[1]), j2.sqrt());
    let normal = area * (density * density / j);
    let (first, second) = (x[1].cross(&normal), normal.cross(&x[0]));
    let log = (JAM / j).ln();
    let stiffness = modulus * (2.0 * log + log * log) / j2;
    let closing = first.dot(&y[0]) + second.dot(&y[1]);
    let force = stiffness * closing - modulus * log * log / j;
    Some(Jam { gradient: [-(first + second), first, second], force, stiffness })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forces are minus the energy's gradient. The stiffness is the second derivative by the area, to the order of
    /// differences.
    #[test]
    fn forces_are_the_gradient() {
        let x = [Vec3::new(0.3, 0.1, 0.0), Vec3::new(0.1, 0.4, 0.2)];
        let still = [Vec3::zeros(); 2];
        let density = 0.3 / x[0].cross(&x[1]).norm();
        let Some(Jam { gradient, force, stiffness }) = jam(density, 7.0, &x, &still) else { panic!() };
        let part = |x: &Edges| x[0].cross(&x[1]).norm() * density;
        let step = 1e-5;
        for (k, axis) in (0..2).flat_map(|k| (0..3).map(move |a| (k, a))) {
            let energy_at = |by: f64| {
                let mut y = x;
                y[k][axis] += by;
                energy(7.0, part(&y))
            };
            let slope = (energy_at(step) - energy_at(-step)) / (2.0 * step);
            assert!((slope - force * gradient[k + 1][axis]).abs() < 1e-7 * force.abs() * gradient[1].norm());
        }
        let second = |j: f64| (energy(7.0, j + 1e-4) - 2.0 * energy(7.0, j) + energy(7.0, j - 1e-4)) / 1e-8;
        assert!((second(0.3) - stiffness).abs() < 1e-5 * stiffness);
    }

    /// No force acts at half the rest area. Below that, the force grows without bound.
    #[test]
    fn it_acts_below_its_part_only() {
        let x = [Vec3::x(), Vec3::y()];
        let still = [Vec3::zeros(); 2];
        assert!(jam(0.5, 1.0, &x, &still).is_none());
        let forces = [0.4, 0.04, 0.004].map(|j| jam(j, 1.0, &x, &still).map_or(0.0, |jam| -jam.force));
        assert!(forces[0] > 0.0 && forces[1] > 10.0 * forces[0] && forces[2] > 10.0 * forces[1], "{forces:?}");
    }
}
