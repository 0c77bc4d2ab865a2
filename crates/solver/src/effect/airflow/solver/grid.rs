//! Staggered grid of a box, with velocities on the faces of cells (Harlow & Welch 1965).

use crate::linalg::{Vec3, par};

/// Number of faces in a block of one thread, rounded up to whole rows.
const CHUNK: usize = 1536;
/// Rounding error of a vertex position, relative to a cell.
const ROUNDING: f64 = 1e-5;

/// Grid of the box. Cell `(i, j, k)` has the index `i + nx (j + ny k)`. Faces across an axis are numbered in the same
/// way, with one more along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Corner with the smallest coordinates [m].
    pub low: Vec3,
    /// Cells along each axis.
    pub cells: [usize; 3],
    /// Size of a cell [m].
    pub spacing: [f64; 3],
}

/// Eight indices and their weights, which sum to 1.
pub type Corners = ([usize; 8], [f64; 8]);
/// Twelve indices and their weights, as in [`Corners`].
pub type Spread = ([usize; 12], [f64; 12]);

impl Grid {
    /// Creates the grid between two corners [m].
    pub fn new(low: Vec3, high: Vec3, cells: [usize; 3]) -> Grid {
        Grid { low, cells, spacing: std::array::from_fn(|axis| (high[axis] - low[axis]) / cells[axis] as f64) }
    }

    /// Returns the corner with the largest coordinates [m].
    pub fn high(&self) -> Vec3 {
        self.low + Vec3::from_fn(|axis, _| self.cells[axis] as f64 * self.spacing[axis])
    }

    /// Returns the number of cells.
    pub fn count(&self) -> usize {
        self.cells.iter().product()
    }

    /// Returns the volume of a cell [m^3].
    pub fn volume(&self) -> f64 {
        self.spacing.iter().product()
    }

    /// Returns the area of a face across an axis [m^2].
    pub fn area(&self, axis: usize) -> f64 {
        self.volume() / self.spacing[axis]
    }

    /// Returns the shortest edge of a cell [m].
    pub fn finest(&self) -> f64 {
        self.spacing.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the number of faces across an axis, along each axis.
    pub fn faces(&self, axis: usize) -> [usize; 3] {
        let mut faces = self.cells;
        faces[axis] += 1;
        faces
    }

    /// Returns the number of faces across an axis.
    pub fn face_count(&self, axis: usize) -> usize {
        self.faces(axis).iter().product()
    }

    /// Returns the coordinates of an index in an array of these sizes.
    pub fn place(sizes: [usize; 3], index: usize) -> [usize; 3] {
        [index % sizes[0], index / sizes[0] % sizes[1], index / (sizes[0] * sizes[1])]
    }

    /// Returns the index of coordinates in an array of these sizes.
    pub fn number(sizes: [usize; 3], place: [usize; 3]) -> usize {
        place[0] + sizes[0] * (place[1] + sizes[1] * place[2])
    }

    /// Returns the centre of a cell [m].
    pub fn centre(&self, cell: usize) -> Vec3 {
        self.point(Grid::place(self.cells, cell), [0.5; 3])
    }

    /// Returns the centre of a face across an axis, by its index [m].
    pub fn face_centre(&self, axis: usize, face: usize) -> Vec3 {
        self.middle(axis, Grid::place(self.faces(axis), face))
    }

    /// Returns the centre of a face across an axis, by its coordinates [m].
    #[inline]
    pub fn middle(&self, axis: usize, place: [usize; 3]) -> Vec3 {
        self.point(place, shift(axis))
    }

    /// Calls `f(index, coordinates, value)` for the values of all faces across an axis, in parallel.
    pub fn each_face<T: Send>(&self, axis: usize, values: &mut [T], f: impl Fn(usize, [usize; 3], &mut T) + Sync) {
        each_row(self.faces(axis), values, f);
    }

    /// Calls `f(index, coordinates, value)` for the values of all cells, in parallel.
    pub fn each_cell<T: Send>(&self, values: &mut [T], f: impl Fn(usize, [usize; 3], &mut T) + Sync) {
        each_row(self.cells, values, f);
    }

    /// Calls `f` as [`Grid::each_face`] does, with two values of each face.
    pub fn each_face_pair<T: Send, U: Send>(
        &self,
        axis: usize,
        values: &mut [T],
        others: &mut [U],
        f: impl Fn(usize, [usize; 3], &mut T, &mut U) + Sync,
    ) {
        let sizes = self.faces(axis);
        let layer = sizes[0] * sizes[1];
        par::blocks_pair_mut(values, others, rows(sizes), |first, values, others| {
            let rows = values.chunks_mut(sizes[0]).zip(others.chunks_mut(sizes[0]));
            for (line, (values, others)) in rows.enumerate() {
                let from = first + line * sizes[0];
                let (j, k) = (from % layer / sizes[0], from / layer);
                let pairs = values.iter_mut().zip(others).enumerate();
                pairs.for_each(|(i, (value, other))| f(from + i, [i, j, k], value, other));
            }
        });
    }

    fn point(&self, place: [usize; 3], shift: [f64; 3]) -> Vec3 {
        self.low + Vec3::from_fn(|b, _| (place[b] as f64 + shift[b]) * self.spacing[b])
    }

    /// Checks whether the point is in the box.
    pub fn contains(&self, p: &Vec3) -> bool {
        let high = self.high();
        (0..3).all(|axis| (self.low[axis]..=high[axis]).contains(&p[axis]))
    }

    /// Checks whether the point is in the box up to rounding. Cloth that closes a channel reaches to its walls.
    pub fn reaches(&self, p: &Vec3) -> bool {
        (self.clamp(*p) - p).norm() <= ROUNDING * self.finest()
    }

    /// Returns the nearest point in the box.
    pub fn clamp(&self, p: Vec3) -> Vec3 {
        p.sup(&self.low).inf(&self.high())
    }

    /// Returns the faces across an axis around a point, and their weights. Interpolation is trilinear, constant beyond
    /// the outermost faces. The axis comes with its [`Grid::faces`]; `inverse` is one over the spacing.
    #[inline]
    pub fn around(&self, (axis, sizes): (usize, [usize; 3]), inverse: &Vec3, p: &Vec3) -> Corners {
        let shift = shift(axis);
        let (mut base, mut part, mut step) = ([0; 3], [0.0; 3], [0; 3]);
        for b in 0..3 {
            let at = ((p[b] - self.low[b]) * inverse[b] - shift[b]).clamp(0.0, (sizes[b] - 1) as f64);
            base[b] = (at as i32 as usize).min(sizes[b].saturating_sub(2));
            part[b] = at - base[b] as f64;
            step[b] = usize::from(sizes[b] > 1);
        }
        let (first, sy, sz) = (Grid::number(sizes, base), step[1] * sizes[0], step[2] * sizes[0] * sizes[1]);
        let [x, y, z] = part;
        let sheet = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
        (
            std::array::from_fn(|k| first + (k & 1) * step[0] + (k >> 1 & 1) * sy + (k >> 2) * sz),
            std::array::from_fn(|k| sheet[k & 3] * if k < 4 { 1.0 - z } else { z }),
        )
    }

    /// Returns the faces across an axis with which a point exchanges momentum, and their weights. The kernel is a
    /// quadratic spline along the axis and linear across it. It is the difference between neighbouring cells of a half
    /// space smoothed by a linear kernel. A uniform pressure jump on a surface is thus balanced by a pressure jump of
    /// the cells, at any orientation of the surface.
    #[inline]
    pub fn spread(&self, axis: usize, p: &Vec3) -> Spread {
        let sizes = self.faces(axis);
        let strides = [1, sizes[0], sizes[0] * sizes[1]];
        let mut along = [([0usize; 3], [0.0; 3]); 3];
        for b in 0..3 {
            let most = sizes[b] - 1;
            let at = (p[b] - self.low[b]) / self.spacing[b];
            if b == axis {
                let middle = at.round().clamp(0.0, most as f64);
                let (k, d) = (middle as usize, (at - middle).clamp(-0.5, 0.5));
                let weights = [0.5 * (0.5 - d) * (0.5 - d), 0.75 - d * d, 0.5 * (0.5 + d) * (0.5 + d)];
                along[b] = ([k.max(1) - 1, k, (k + 1).min(most)], weights);
            } else {
                let at = (at - 0.5).clamp(0.0, most as f64);
                let k = (at as usize).min(most.max(1) - 1);
                along[b] = ([k, (k + 1).min(most), 0], [1.0 - (at - k as f64), at - k as f64, 0.0]);
            }
        }
        let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
        let own = |i: usize| (i / 4, i / 2 % 2, i % 2);
        (
            std::array::from_fn(|i| {
                let (i, j, k) = own(i);
                along[axis].0[i] * strides[axis] + along[b].0[j] * strides[b] + along[c].0[k] * strides[c]
            }),
            std::array::from_fn(|i| {
                let (i, j, k) = own(i);
                along[axis].1[i] * along[b].1[j] * along[c].1[k]
            }),
        )
    }

    /// Returns the velocity along an axis at a point [m/s]. Arguments are those of [`Grid::around`].
    #[inline]
    pub fn component(&self, velocity: &[f64], axis: (usize, [usize; 3]), inverse: &Vec3, p: &Vec3) -> f64 {
        let (places, weights) = self.around(axis, inverse, p);
        (0..8).fold(0.0, |sum, k| sum + weights[k] * velocity[places[k]])
    }

    /// Returns the velocity at a point [m/s].
    pub fn velocity(&self, velocity: &[Vec<f64>; 3], p: &Vec3) -> Vec3 {
        let inverse = Vec3::from(self.spacing.map(|dx| 1.0 / dx));
        Vec3::from_fn(|axis, _| self.component(&velocity[axis], (axis, self.faces(axis)), &inverse, p))
    }
}

/// Returns the number of values in a block of one thread, for an array of these sizes.
fn rows(sizes: [usize; 3]) -> usize {
    sizes[0] * CHUNK.div_ceil(sizes[0])
}

/// Calls `f(index, coordinates, value)` for all values of an array of these sizes.
fn each_row<T: Send>(sizes: [usize; 3], values: &mut [T], f: impl Fn(usize, [usize; 3], &mut T) + Sync) {
    let layer = sizes[0] * sizes[1];
    par::blocks_mut(values, rows(sizes), |first, block| {
        for (line, row) in block.chunks_mut(sizes[0]).enumerate() {
            let from = first + line * sizes[0];
            let (j, k) = (from % layer / sizes[0], from / layer);
            row.iter_mut().enumerate().for_each(|(i, value)| f(from + i, [i, j, k], value));
        }
    });
}

/// Returns the offset of the first face centre across an axis, in cells from the corner of the box.
fn shift(axis: usize) -> [f64; 3] {
    let mut shift = [0.5; 3];
    shift[axis] = 0.0;
    shift
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linear fields are interpolated exactly between faces, and are constant beyond the outermost ones.
    #[test]
    fn linear_fields_are_exact() {
        let grid = Grid::new(Vec3::new(-1.0, 0.5, 2.0), Vec3::new(1.0, 2.0, 3.0), [4, 5, 6]);
        let field = |p: Vec3| 0.3 + p.dot(&Vec3::new(1.5, -2.0, 0.7));
        let velocity: [Vec<f64>; 3] =
            std::array::from_fn(|axis| (0..grid.face_count(axis)).map(|f| field(grid.face_centre(axis, f))).collect());
        let p = Vec3::new(0.123, 1.3, 2.2);
        assert!((grid.velocity(&velocity, &p) - Vec3::repeat(field(p))).norm() < 1e-12);
        let edge = grid.velocity(&velocity, &Vec3::new(-5.0, 1.3, 2.2));
        assert!((edge.x - field(Vec3::new(-1.0, 1.3, 2.2))).abs() < 1e-12);
        assert!((edge.y - field(Vec3::new(-0.75, 1.3, 2.2))).abs() < 1e-12);
        for (axis, own) in velocity.iter().enumerate() {
            let (places, weights) = grid.spread(axis, &p);
            let sum = (0..12).fold(0.0, |sum, k| sum + weights[k] * own[places[k]]);
            assert!((sum - field(p)).abs() < 1e-12 && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        }
        assert_eq!(grid.clamp(Vec3::new(9.0, -1.0, 2.5)), Vec3::new(1.0, 0.5, 2.5));
    }
}
