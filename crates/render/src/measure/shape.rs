//! Measures of surfaces: roughness, curvature, nearness to another surface, correlation, rigid motion.
//!
//! Means are over the area. A vertex has the weight of a third of the area of its triangles.

use crate::collision::traversal::Traversal;
use crate::linalg::{Mat3, UnitVec3, Vec3, par};
use crate::mesh::topology::Topology;

/// Number of vertex blocks that search for their patches in parallel.
const BLOCKS: usize = 64;
/// Number of unknowns of a quadric through a vertex.
const QUADRIC: usize = 5;

/// Surface at a moment, with its topology.
#[derive(Clone, Debug)]
pub struct Relief<'a> {
    x: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    /// Neighbours of each vertex, ascending.
    around: Vec<Vec<u32>>,
    /// Whether a vertex is on the border, at an edge of one triangle.
    border: Vec<bool>,
    /// Vertex areas: a third of the area of each vertex's triangles [m^2].
    areas: Vec<f64>,
}

impl<'a> Relief<'a> {
    /// Builds a surface from positions `x` [m] and triangles.
    pub fn new(x: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Relief<'a> {
        let topology = Topology::new(x.len(), triangles);
        let (mut around, mut border) = (vec![Vec::new(); x.len()], vec![false; x.len()]);
        for ([a, b], valence) in topology.edges.iter().zip(&topology.edge_valence) {
            around[*a as usize].push(*b);
            around[*b as usize].push(*a);
            for v in [a, b] {
                border[*v as usize] |= *valence == 1;
            }
        }
        around.iter_mut().for_each(|around| around.sort_unstable());
        let mut areas = vec![0.0; x.len()];
        for t in triangles {
            let [a, b, c] = t.map(|v| x[v as usize]);
            let third = (b - a).cross(&(c - a)).norm() / 6.0;
            t.iter().for_each(|v| areas[*v as usize] += third);
        }
        Relief { x, triangles, around, border, areas }
    }

    /// Returns the area of each vertex [m^2].
    pub fn areas(&self) -> &[f64] {
        &self.areas
    }

    /// Returns the mean length of the edges [m].
    pub fn edge(&self) -> f64 {
        let ends = || self.around.iter().enumerate().flat_map(|(v, all)| all.iter().map(move |w| (v, *w as usize)));
        ends().map(|(v, w)| (self.x[v] - self.x[w]).norm()).sum::<f64>() / ends().count().max(1) as f64
    }

    /// Returns the root mean square height above the local mean plane [m]. The plane is that of the connected patch
    /// within distance `window` of a vertex [m]. Vertices whose patch reaches the border are left out. An infinite
    /// window fits a single plane to all vertices. The result is NaN if no vertex is left.
    pub fn roughness(&self, window: f64) -> f64 {
        if window == f64::INFINITY {
            let all: Vec<u32> = (0..self.x.len() as u32).collect();
            let (centre, normal) = self.plane(&all);
            return self.rms(|v| Some((self.x[v] - centre).dot(&normal)));
        }
        let mut heights = vec![None; self.x.len()];
        // Each block has its own array of marks.
        par::blocks_mut(&mut heights, (self.x.len() / BLOCKS).max(1), |first, heights| {
            let mut known = vec![u32::MAX; self.x.len()];
            for (v, height) in (first..).zip(heights) {
                *height = self.patch(v, window, &mut known).map(|near| {
                    let (centre, normal) = self.plane(&near);
                    (self.x[v] - centre).dot(&normal)
                });
            }
        });
        self.rms(|v| heights[v])
    }

    /// Returns the root mean squares of mean and Gaussian curvature [1/m, 1/m^2]. Curvatures come from a quadric
    /// through each vertex, least squares to its neighbours and theirs. Vertices on the border are left out.
    pub fn curvature(&self) -> [f64; 2] {
        let mut all = vec![None; self.x.len()];
        par::fill(&mut all, |v| if self.border[v] { None } else { self.quadric(v) });
        [0, 1].map(|k| self.rms(|v| all[v].map(|both: [f64; 2]| both[k])))
    }

    /// Returns the share of the area whose distance to another surface is at most `gap` [m], and the mean distance [m].
    pub fn nearness(&self, other: &Relief, gap: f64) -> [f64; 2] {
        let mut below = Traversal::new(other.triangles, other.x, self.x.len());
        below.update(other.x, |v| self.x[v]);
        let distance = |v: usize| below.closest(v).distance.abs();
        let all: f64 = self.areas.iter().sum();
        let sum = |of: &dyn Fn(usize) -> f64| (0..self.x.len()).map(|v| of(v) * self.areas[v]).sum::<f64>() / all;
        [sum(&|v| f64::from(u8::from(distance(v) <= gap))), sum(&distance)]
    }

    /// Returns the correlation, -1 to 1, of the heights of two moments of a surface along a direction. The result is
    /// NaN if either moment is flat.
    pub fn correlation(&self, other: &Relief, up: &UnitVec3) -> f64 {
        let all: f64 = self.areas.iter().sum();
        let mean = |of: &dyn Fn(usize) -> f64| (0..self.x.len()).map(|v| of(v) * self.areas[v]).sum::<f64>() / all;
        let (a, b) = (|v: usize| up.dot(&self.x[v]), |v: usize| up.dot(&other.x[v]));
        let (ma, mb) = (mean(&a), mean(&b));
        let product = |p: &dyn Fn(usize) -> f64, q: &dyn Fn(usize) -> f64| mean(&|v| p(v) * q(v));
        let (p, q) = (|v: usize| a(v) - ma, |v: usize| b(v) - mb);
        product(&p, &q) / (product(&p, &p) * product(&q, &q)).sqrt()
    }

    /// Returns the position of the crest of a fold along `across` [m]. The surface is cut into strips as wide as an
    /// edge, square to `across`. The strip with the largest mean height along `up` and its neighbours define a
    /// parabola. The crest is the top of that parabola.
    pub fn crest(&self, up: &UnitVec3, across: &UnitVec3) -> f64 {
        let place = |v: usize| across.dot(&self.x[v]);
        let (low, width) = ((0..self.x.len()).map(place).fold(f64::INFINITY, f64::min), self.edge());
        let mut strips: Vec<[f64; 2]> = Vec::new();
        for (v, area) in self.areas.iter().enumerate() {
            let strip = ((place(v) - low) / width) as usize;
            if strip >= strips.len() {
                strips.resize(strip + 1, [0.0; 2]);
            }
            strips[strip][0] += area;
            strips[strip][1] += area * up.dot(&self.x[v]);
        }
        let height = |k: usize| strips.get(k).filter(|[area, _]| *area > 0.0).map(|[area, sum]| sum / area);
        let highest = (0..strips.len()).filter_map(|k| Some((k, height(k)?))).max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((k, top)) = highest else { return f64::NAN };
        let shift = match (k.checked_sub(1).and_then(height), height(k + 1)) {
            (Some(before), Some(after)) if before + after < 2.0 * top => {
                0.5 * (after - before) / (2.0 * top - before - after)
            }
            _ => 0.0,
        };
        low + width * (k as f64 + 0.5 + shift)
    }

    /// Returns the displacement of the centre to another moment of the surface [m], and the mean rotation about an axis
    /// there [rad]. The rotation is within -pi to pi. For a rigid motion it is the angle of the motion.
    pub fn motion(&self, later: &Relief, axis: &UnitVec3) -> (Vec3, f64) {
        let all: f64 = self.areas.iter().sum();
        let centre = |x: &[Vec3]| x.iter().zip(&self.areas).map(|(x, area)| x * *area).sum::<Vec3>() / all;
        let (from, to) = (centre(self.x), centre(later.x));
        let across = |p: Vec3| p - axis.into_inner() * axis.dot(&p);
        let (mut sine, mut cosine) = (0.0, 0.0);
        for ((before, after), area) in self.x.iter().zip(later.x).zip(&self.areas) {
            let (p, q) = (across(before - from), across(after - to));
            sine += area * axis.dot(&p.cross(&q));
            cosine += area * p.dot(&q);
        }
        (to - from, sine.atan2(cosine))
    }

    /// Returns the root mean square of the values that vertices have.
    fn rms(&self, of: impl Fn(usize) -> Option<f64>) -> f64 {
        let (mut sum, mut all) = (0.0, 0.0);
        for (v, area) in self.areas.iter().enumerate() {
            if let Some(value) = of(v) {
                sum += area * value * value;
                all += area;
            }
        }
        (sum / all).sqrt()
    }

    /// Finds the vertices connected to `v` within a distance [m]. Returns `None` if the patch reaches the border. Marks
    /// the patch with `v` in `known`.
    fn patch(&self, v: usize, window: f64, known: &mut [u32]) -> Option<Vec<u32>> {
        let mut patch = vec![v as u32];
        known[v] = v as u32;
        let mut next = 0;
        while let Some(w) = patch.get(next).map(|w| *w as usize) {
            next += 1;
            if self.border[w] {
                return None;
            }
            for w in &self.around[w] {
                let mark = &mut known[*w as usize];
                if *mark != v as u32 && (self.x[*w as usize] - self.x[v]).norm() <= window {
                    *mark = v as u32;
                    patch.push(*w);
                }
            }
        }
        Some(patch)
    }

    /// Returns centre and normal of the least-squares plane of vertices.
    fn plane(&self, vertices: &[u32]) -> (Vec3, Vec3) {
        let each = || vertices.iter().map(|v| (self.x[*v as usize], self.areas[*v as usize]));
        let all: f64 = each().map(|(_, area)| area).sum();
        let centre = each().map(|(x, area)| x * area).sum::<Vec3>() / all;
        let spread: Mat3 = each().map(|(x, area)| (x - centre) * (x - centre).transpose() * area).sum();
        let eigen = spread.symmetric_eigen();
        (centre, eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned())
    }

    /// Returns mean and Gaussian curvature at a vertex.
    fn quadric(&self, v: usize) -> Option<[f64; 2]> {
        let x = self.x[v];
        let mut near: Vec<u32> = self.around[v].iter().flat_map(|w| &self.around[*w as usize]).copied().collect();
        near.extend(&self.around[v]);
        near.sort_unstable();
        near.dedup();
        near.retain(|w| *w as usize != v);
        // The plane of the first neighbours gives the frame.
        let ring: Vec<u32> = self.around[v].iter().copied().chain([v as u32]).collect();
        let (_, n) = self.plane(&ring);
        let u = n.cross(&if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() }).normalize();
        let w = n.cross(&u);
        let size = near.iter().map(|k| (self.x[*k as usize] - x).norm()).fold(0.0, f64::max);
        let (mut matrix, mut right) = ([[0.0; QUADRIC]; QUADRIC], [0.0; QUADRIC]);
        for k in &near {
            let d = (self.x[*k as usize] - x) / size;
            let (p, q, h) = (d.dot(&u), d.dot(&w), d.dot(&n));
            let row = [p * p, p * q, q * q, p, q];
            for (i, a) in row.iter().enumerate() {
                right[i] += a * h;
                row.iter().zip(&mut matrix[i]).for_each(|(b, sum)| *sum += a * b);
            }
        }
        let [a, b, c, d, e] = solve(matrix, right)?;
        let (xx, xy, yy) = (2.0 * a / size, b / size, 2.0 * c / size);
        let slope = 1.0 + d * d + e * e;
        let mean = ((1.0 + e * e) * xx - 2.0 * d * e * xy + (1.0 + d * d) * yy) / (2.0 * slope.powf(1.5));
        Some([mean, (xx * yy - xy * xy) / (slope * slope)])
    }
}

/// Solves a symmetric positive definite system. Returns `None` if the matrix is not positive definite.
fn solve(mut a: [[f64; QUADRIC]; QUADRIC], mut b: [f64; QUADRIC]) -> Option<[f64; QUADRIC]> {
    for k in 0..QUADRIC {
        let pivot = a[k][k];
        if pivot <= 1e-12 {
            return None;
        }
        for i in k + 1..QUADRIC {
            let part = a[i][k] / pivot;
            let row = a[k];
            a[i].iter_mut().zip(row).for_each(|(a, row)| *a -= part * row);
            b[i] -= part * b[k];
        }
    }
    for k in (0..QUADRIC).rev() {
        let known: f64 = (k + 1..QUADRIC).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - known) / a[k][k];
    }
    Some(b)
}

#[cfg(test)]
mod tests;
