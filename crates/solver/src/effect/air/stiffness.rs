//! Pressure response of an air layer to changes of its gaps, for the linear system of a step.
//!
//! With `S` the matrix of the layer (`equation`), gaps that open by `d` cause the force `A S^-1 P A d`. Pressures of
//! neighbours are nearly equal, so the symmetric form `K d` is used here: `K = B S^-1 B`, `B_i = A_i P_i^1/2`. The
//! matrix `K` is dense, because pressure spreads as far as sound in a step. Its approximation `K'`, by groups `g` of
//! neighbours, is
//!
//! `d^T K' d = s^T C^-1 s + sum_g alpha_g (sum_i B_i d_i^2 - s_g^2/sum_i B_i)`, `s_g = sum_i B_i d_i` over vertices `i`
//! of `g`.
//!
//! The first part is the response to openings of whole groups. `C` is the matrix of the layer on a coarse mesh of the
//! groups. The second part is the response to deviations of a vertex from its group, bounded by the least value of `S`
//! there. A step with `K'` is stable if `K'` is three quarters of `K` or more for every `d`. The proof uses backward
//! Euler with pressures predicted for free flight. With `x = z^n`, `k = h^2 K/m` and `k'` likewise,
//! `(1 + k')(z - 1)^2 + k (2 z - 1) = 0` has a root beyond -1 where `4 + 4 k' < 3 k`.
//!
//! Too large a `K'` relative to free flight acts as inertia, and adds energy where it grows while the cloth moves. Only
//! the accurate part therefore acts relative to free flight: the first part with the full conductance of the layer. The
//! rest acts relative to the present position, as a drag that decreases with the step. The rest is the second part, and
//! the excess of the first because `C` has only [`PART`] of the conductance, for stability.

use super::equation::{Layer, Work};
use crate::linalg::diffusion::Coarse;
use crate::linalg::skyline::SkylineCholesky;

/// Conductance of `C` relative to that of the coarse mesh.
const PART: f64 = 0.8;

/// Stiffness of a layer in a step.
#[derive(Clone, Debug, Default)]
pub struct Stiffness {
    /// Subtrahend of `C^-1` for the sums, by group: `alpha` of their means [1/m^3].
    pub less: Vec<f64>,
    /// Sums by group of `B` and `B d` in free flight, and `alpha` [m^2 Pa^1/2, m^3 Pa^1/2, Pa^1/2/m].
    sums: Vec<[f64; 3]>,
    coarse: Coarse,
    /// Matrix `C` with the full conductance.
    whole: SkylineCholesky,
    /// Excess of `C^-1` times the sums of `B d` in free flight, by group [Pa^1/2].
    rest: Vec<f64>,
    /// Solution with the full conductance, and storage.
    right: Vec<f64>,
    scratch: Vec<f64>,
}

impl Stiffness {
    /// Computes the stiffness from the system that `work` solved last. `vertex` returns the strength `B` [m^2 Pa^1/2]
    /// and the opening in free flight [m]. `regions` becomes `C`, factored.
    pub fn find(
        &mut self,
        layer: &Layer,
        work: &Work,
        vertex: impl Fn(usize) -> [f64; 2] + Sync,
        regions: &mut SkylineCholesky,
    ) {
        let Stiffness { less, sums, coarse, whole, rest, right, scratch } = self;
        work.coarsen(layer, coarse, [(PART, &mut *regions), (1.0, &mut *whole)]);
        sums.resize(regions.size(), [0.0; 3]);
        layer.graph.each_group(sums, |slots| {
            slots.fold([0.0f64; 3], |[sum, predicted, alone], slot| {
                let [strength, opens] = vertex(layer.graph.vertex_at(slot));
                [sum + strength, predicted + strength * opens, alone.max(strength / work.least(layer, slot))]
            })
        });
        less.clear();
        less.extend(sums.iter().map(|[sum, _, alone]| if *sum > 0.0 { alone / sum } else { 0.0 }));
        scratch.resize(sums.len(), 0.0);
        for (matrix, out) in [(&*regions, &mut *rest), (whole, right)] {
            out.clear();
            out.extend(sums.iter().map(|[_, opens, _]| opens));
            matrix.solve(out, scratch);
        }
        rest.iter_mut().zip(right).for_each(|(rest, right)| *rest -= *right);
    }

    /// Returns `alpha_g`, stiffness over `B` [Pa^1/2/m].
    pub fn alone(&self, g: u32) -> f64 {
        self.sums[g as usize][2]
    }

    /// Returns the force of a vertex of group `g` against its motion in free flight [N]. It has two parts: the response
    /// to its deviation from the group, and the excess of `C^-1`.
    pub fn drag(&self, g: u32, strength: f64, opens: f64) -> f64 {
        let g = g as usize;
        let [_, predicted, alone] = self.sums[g];
        strength * (alone * opens - self.less[g] * predicted + self.rest[g])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::air::equation::{Air, Gas};
    use crate::linalg::Vec3;
    use crate::linalg::matrix::LowRank;
    use crate::mesh::generate::{Diagonals, lying, sheet};
    use nalgebra::{Cholesky, DMatrix};

    /// Returns the smallest and largest `d^T K' d / d^T K d`.
    fn range(gap: impl Fn(Vec3) -> f64, speed: f64, h: f64, open: bool) -> [f64; 2] {
        let mesh = sheet(21, 17, 0.3, 0.25, Diagonals::Alternating, lying(0.3, 0.25));
        let mut layer = Layer::new(&mesh.positions, &mesh.triangles, speed / 200.0);
        if open {
            layer.open.iter_mut().zip(&mesh.positions).for_each(|(open, p)| *open = p.x < -0.149);
        }
        let (gas, size) = (Gas::default(), layer.size());
        let gaps: Vec<f64> = mesh.positions.iter().map(|p| gap(*p)).collect();
        let mut air = Air::still(&layer, &gas, &gaps);
        let mut work = Work::default();
        assert!(air.advance(&layer, &gas, &gaps, &vec![0.0; size], h, &mut work).converged);

        let strength = |v: usize| if layer.open[v] { 0.0 } else { layer.areas[v] * gas.pressure.sqrt() };
        let mut stiffness = Stiffness::default();
        let mut regions = SkylineCholesky::default();
        stiffness.find(&layer, &work, |v| [strength(v), 0.0], &mut regions);
        let mut low_rank = LowRank::default();
        low_rank.inner.push(regions);
        low_rank.less.extend(&stiffness.less);
        let mut answer = DMatrix::<f64>::zeros(size, size);
        let mut scratch = vec![0.0; 2 * low_rank.size()];
        for v in 0..size {
            let mut sums = vec![0.0; low_rank.size()];
            sums[layer.group(v) as usize] = strength(v);
            low_rank.apply(&mut sums, &mut scratch);
            for w in 0..size {
                answer[(w, v)] = strength(w) * sums[layer.group(w) as usize];
            }
            answer[(v, v)] += stiffness.alone(layer.group(v)) * strength(v);
        }
        // Relative to `K`: `L^T B^-1 K' B^-1 L` with `S = L L^T`.
        let unknown: Vec<usize> = (0..size).filter(|v| !layer.open[*v]).collect();
        let exact = work.dense(&layer).select_rows(&unknown).select_columns(&unknown);
        let mut scaled = answer.select_rows(&unknown).select_columns(&unknown);
        for (i, v) in unknown.iter().enumerate() {
            scaled.row_mut(i).scale_mut(1.0 / strength(*v));
            scaled.column_mut(i).scale_mut(1.0 / strength(*v));
        }
        let l = Cholesky::new(exact).unwrap().unpack();
        let values = (l.transpose() * scaled * l).symmetric_eigenvalues();
        [values.min(), values.max()]
    }

    /// `K'` is stable at any height, slope, permeability and step, closed and open.
    #[test]
    fn is_no_less_than_what_is_stable() {
        let slope = |p: Vec3| 1e-4 + 0.02 * (p.x + 0.15) / 0.3;
        let waves = |p: Vec3| 1.1e-3 + 1e-3 * (60.0 * p.x + 20.0 * p.z).sin();
        for h in [2e-4, 2e-3, 1e-2] {
            for speed in [0.0, 0.01, 0.1, 2.0] {
                for open in [false, true] {
                    let mut all = vec![range(slope, speed, h, open), range(waves, speed, h, open)];
                    all.extend([1e-4, 3e-4, 1e-3, 3e-3, 0.02].map(|gap| range(|_| gap, speed, h, open)));
                    for [least, most] in &all {
                        println!("{h} {speed} {open}: {least:.3} {most:.1}");
                    }
                    assert!(all.iter().all(|[least, _]| *least > 0.75), "{h} {speed} {open}: {all:?}");
                }
            }
        }
    }
}
