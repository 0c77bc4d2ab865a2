//! Exhaustive closest-point search on a uniform grid, the reference for surface traversal. Every triangle whose
//! bounding box is within reach is tested.

use percale::collision::closest::{PointTriangle, point_triangle};
use percale::linalg::Vec3;

/// Uniform grid: each cell lists the triangles whose bounding boxes overlap it, sorted by cell.
#[derive(Default)]
pub struct Grid {
    low: Vec3,
    /// Cells per metre.
    fine: f64,
    cells: [usize; 3],
    starts: Vec<u32>,
    entries: Vec<Entry>,
    boxes: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    low: Vec3,
    high: Vec3,
    triangle: u32,
    /// First and last cell.
    first: [u16; 3],
    last: [u16; 3],
}

impl Grid {
    /// Builds the grid with cells of `size` [m].
    pub fn build(&mut self, x: &[Vec3], triangles: &[[u32; 3]], size: f64) {
        let (low, high) = x.iter().fold((x[0], x[0]), |(low, high), p| (low.inf(p), high.sup(p)));
        (self.low, self.fine) = (low, 1.0 / size);
        self.cells = std::array::from_fn(|k| ((high[k] - low[k]) * self.fine) as usize + 1);
        let cell = |p: &Vec3| std::array::from_fn(|k| ((p[k] - low[k]) * self.fine) as u16);
        self.starts.clear();
        self.starts.resize(self.cells.iter().product::<usize>() + 2, 0);
        self.boxes.clear();
        for (t, corners) in triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|v| x[v as usize]);
            let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
            let entry = Entry { low, high, triangle: t as u32, first: cell(&low), last: cell(&high) };
            self.boxes.push(entry);
            entry.cells(self.cells, |cell| self.starts[cell + 2] += 1);
        }
        for c in 2..self.starts.len() {
            self.starts[c] += self.starts[c - 1];
        }
        let count = self.starts[self.starts.len() - 1] as usize;
        self.entries.resize(count, self.boxes[0]);
        for entry in &self.boxes {
            entry.cells(self.cells, |cell| {
                self.entries[self.starts[cell + 1] as usize] = *entry;
                self.starts[cell + 1] += 1;
            });
        }
    }

    /// Returns the closest point among triangles whose bounding boxes are within `reach` [m] of `p`. Adds the number of
    /// triangles tested to `count`.
    pub fn closest(
        &self,
        x: &[Vec3],
        triangles: &[[u32; 3]],
        p: &Vec3,
        reach: f64,
        count: &mut u64,
    ) -> (u32, PointTriangle) {
        let mut best = (u32::MAX, PointTriangle { weights: [0.0; 3], distance2: f64::INFINITY });
        let (low, high) = (p.add_scalar(-reach) - self.low, p.add_scalar(reach) - self.low);
        if high.min() < 0.0 {
            return best;
        }
        let first: [usize; 3] = std::array::from_fn(|k| (low[k] * self.fine).max(0.0) as usize);
        let last: [usize; 3] = std::array::from_fn(|k| ((high[k] * self.fine) as usize).min(self.cells[k] - 1));
        each_cell(first, last, |own| {
            let cell = place(own, self.cells);
            for entry in &self.entries[self.starts[cell] as usize..self.starts[cell + 1] as usize] {
                // A triangle that lies in several cells is tested only in the first.
                if (0..3).any(|a| usize::from(entry.first[a]).max(first[a]) != own[a]) {
                    continue;
                }
                let gap = (entry.low - p).sup(&(p - entry.high)).sup(&Vec3::zeros());
                if gap.norm_squared() > reach * reach {
                    continue;
                }
                *count += 1;
                let [a, b, c] = triangles[entry.triangle as usize].map(|v| &x[v as usize]);
                let here = point_triangle(p, a, b, c);
                if here.distance2 < best.1.distance2 {
                    best = (entry.triangle, here);
                }
            }
        });
        best
    }
}

impl Entry {
    fn cells(&self, cells: [usize; 3], mut each: impl FnMut(usize)) {
        each_cell(self.first.map(usize::from), self.last.map(usize::from), |own| each(place(own, cells)));
    }
}

/// Visits the cells of a box; x varies fastest.
fn each_cell(first: [usize; 3], last: [usize; 3], mut each: impl FnMut([usize; 3])) {
    for k in first[2]..=last[2] {
        for j in first[1]..=last[1] {
            for i in first[0]..=last[0] {
                each([i, j, k]);
            }
        }
    }
}

/// Returns the index of a cell.
fn place([i, j, k]: [usize; 3], cells: [usize; 3]) -> usize {
    (k * cells[1] + j) * cells[0] + i
}
