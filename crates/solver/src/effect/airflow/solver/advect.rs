//! Advection of the air's velocity.

use super::bounds::Side;
use super::grid::Grid;
use crate::linalg::{Vec3, par};

/// Advection scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advection {
    /// Semi-Lagrangian advection (Stam 1999). Stable at any step, of first order.
    SemiLagrangian,
    /// Semi-Lagrangian advection, corrected by half of the error of a step forth and back (Selle, Fedkiw, Kim, Liu &
    /// Rossignac 2008). The result is clamped to the surrounding values. Of second order.
    MacCormack,
}

/// Velocities at the corners of cells: means of the adjacent faces [m/s].
#[derive(Clone, Debug, Default)]
pub struct Nodes(Vec<Vec3>);

impl Nodes {
    fn sizes(grid: &Grid) -> [usize; 3] {
        grid.cells.map(|n| n + 1)
    }

    /// Computes the velocities at the corners from those on faces.
    pub fn find(&mut self, grid: &Grid, velocity: &[Vec<f64>; 3]) {
        let sizes = Nodes::sizes(grid);
        self.0.resize(sizes.iter().product(), Vec3::zeros());
        par::fill(&mut self.0, |node| {
            let place = Grid::place(sizes, node);
            Vec3::from_fn(|axis, _| {
                let (faces, own) = (grid.faces(axis), &velocity[axis]);
                let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
                // Constant extrapolation beyond the outermost faces.
                let beside = |b: usize| [place[b].max(1) - 1, place[b].min(grid.cells[b] - 1)];
                let (mut sum, [along_b, along_c]) = (0.0, [beside(b), beside(c)]);
                for at_b in along_b {
                    for at_c in along_c {
                        let mut face = place;
                        (face[b], face[c]) = (at_b, at_c);
                        sum += own[Grid::number(faces, face)];
                    }
                }
                0.25 * sum
            })
        });
    }

    /// Returns the velocity in the middle of a face across an axis.
    #[inline]
    fn middle(&self, grid: &Grid, axis: usize, place: [usize; 3]) -> Vec3 {
        let sizes = Nodes::sizes(grid);
        let strides = [1, sizes[0], sizes[0] * sizes[1]];
        let first = Grid::number(sizes, place);
        let [b, c] = [strides[(axis + 1) % 3], strides[(axis + 2) % 3]];
        (self.0[first] + self.0[first + b] + self.0[first + c] + self.0[first + b + c]) * 0.25
    }

    /// Returns the velocity at a point in the box.
    #[inline]
    fn at(&self, grid: &Grid, inverse: &Vec3, p: &Vec3) -> Vec3 {
        let sizes = Nodes::sizes(grid);
        let place = (p - grid.low).component_mul(inverse);
        let base: [usize; 3] = std::array::from_fn(|b| (place[b] as i32 as usize).min(grid.cells[b] - 1));
        let [x, y, z]: [f64; 3] = std::array::from_fn(|b| (place[b] - base[b] as f64).clamp(0.0, 1.0));
        let (first, nx, layer) = (Grid::number(sizes, base), sizes[0], sizes[0] * sizes[1]);
        let line = |from: usize| match self.0[from..from + 2] {
            [a, b] => a + (b - a) * x,
            _ => Vec3::zeros(),
        };
        let sheet = |from: usize| {
            let [a, b] = [line(from), line(from + nx)];
            a + (b - a) * y
        };
        let [a, b] = [sheet(first), sheet(first + layer)];
        a + (b - a) * z
    }
}

/// Storage of [`advect`].
#[derive(Clone, Debug, Default)]
pub struct Carried {
    nodes: Nodes,
    /// Semi-Lagrangian values by axis and face, with the smallest and largest value around the departure point.
    once: [Vec<f64>; 3],
    around: [Vec<[f64; 2]>; 3],
}

/// Velocities at the start of advection, by axis and face.
pub struct Begin<'a> {
    /// Velocities [m/s].
    pub velocity: &'a [Vec<f64>; 3],
    /// True for free faces. The velocity of other faces is prescribed.
    pub free: &'a [Vec<bool>; 3],
}

/// Advects velocities for the time `h` and writes those on free faces to `out`. Prescribed velocities are kept. Air
/// that enters through an open side was at rest.
pub fn advect(
    grid: &Grid,
    (advection, sides): (Advection, &[Side; 6]),
    Begin { velocity, free }: Begin,
    h: f64,
    Carried { nodes, once, around }: &mut Carried,
    out: &mut [Vec<f64>; 3],
) {
    nodes.find(grid, velocity);
    let nodes = &*nodes;
    let inverse = Vec3::from(grid.spacing.map(|dx| 1.0 / dx));
    // Traces the middle of a face for the time `h` by the midpoint rule (second-order Runge-Kutta).
    let carried = |axis: usize, place: [usize; 3], h: f64| {
        let middle = grid.middle(axis, place);
        let half = grid.clamp(middle + nodes.middle(grid, axis, place) * (0.5 * h));
        middle + nodes.at(grid, &inverse, &half) * h
    };
    let still = |from: &Vec3| {
        let high = grid.high();
        let beyond = |axis: usize| [from[axis] < grid.low[axis], from[axis] > high[axis]];
        (0..3).any(|axis| (0..2).any(|end| beyond(axis)[end] && sides[2 * axis + end] == Side::Open))
    };
    for axis in 0..3 {
        let (sizes, own, free, out) = (grid.faces(axis), &velocity[axis], &free[axis], &mut out[axis]);
        out.resize(own.len(), 0.0);
        if advection == Advection::SemiLagrangian {
            grid.each_face(axis, out, |face, place, out| {
                *out = own[face];
                if free[face] {
                    let from = carried(axis, place, -h);
                    let came = || grid.component(own, (axis, sizes), &inverse, &grid.clamp(from));
                    *out = if still(&from) { 0.0 } else { came() };
                }
            });
            continue;
        }
        let (once, around) = (&mut once[axis], &mut around[axis]);
        once.resize(own.len(), 0.0);
        around.resize(own.len(), [0.0; 2]);
        grid.each_face_pair(axis, once, around, |face, place, once, around| {
            if !free[face] {
                (*once, *around) = (own[face], [own[face]; 2]);
                return;
            }
            let from = carried(axis, place, -h);
            if still(&from) {
                (*once, *around) = (0.0, [0.0; 2]);
                return;
            }
            let (places, weights) = grid.around((axis, sizes), &inverse, &grid.clamp(from));
            let values = places.map(|place| own[place]);
            *once = (0..8).fold(0.0, |sum, k| sum + weights[k] * values[k]);
            let least = values.iter().fold(f64::INFINITY, |a, b| a.min(*b));
            let most = values.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            // Departure points outside the box have no values to clamp to.
            *around = if grid.contains(&from) { [least, most] } else { [*once; 2] };
        });
        let (once, around) = (&*once, &*around);
        grid.each_face(axis, out, |face, place, out| {
            let [least, most] = around[face];
            *out = once[face];
            if least < most {
                let to = carried(axis, place, h);
                if grid.contains(&to) {
                    let again = grid.component(once, (axis, sizes), &inverse, &to);
                    *out = (once[face] + 0.5 * (own[face] - again)).clamp(least, most);
                }
            }
        });
    }
}
