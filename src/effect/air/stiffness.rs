//! What the pressures of a layer of air answer to its gaps, for the linear system of a step.
//!
//! With `S` the matrix of the layer (`field::air`), gaps that open by `d` take the force `A S^-1 P A d`, here in the symmetric form `K d`,
//! `K = B S^-1 B`, `B_i = A_i P_i^1/2`: neighbours' pressures are nearly the same. `K` is dense, for pressure goes as far as sound in the step. In its place stands, by groups of neighbours,
//!
//! `d^T K' d = sum_g (1/Sum_g) (C^-1) (sums_g B d) + sum_g alpha_g (B d^2 about its mean in the group)`:
//!
//! what a group opens as one by the inverse of the layer on a mesh `C` as coarse as the groups, what a vertex opens otherwise by the
//! least of `S` there. A step with `K'` is stable where `K'` is three quarters of `K` or more for every `d`: with backward Euler and
//! pressures foreseen for free flight, `x = z^n`, `k = h^2 K/m` and `k'` alike, `(1 + k')(z - 1)^2 + k (2 z - 1) = 0` has a root beyond -1
//! where `4 + 4 k' < 3 k`. Too much of it against what is not free flight is inertia, and gives energy where it grows while the cloth
//! moves. So only what is about right counts from free flight, the first part with all that the layer conducts; the rest of it, for `C`
//! conducts [`PART`] of that to be stable, and the second part count from where the cloth is, as a drag that is less the shorter the step.

use super::equation::{Layer, Work};
use crate::linalg::diffusion::Coarse;
use crate::linalg::envelope::Envelope;

/// Part of what the coarse mesh should conduct that `C` does.
const PART: f64 = 0.8;

/// Of a layer in a step.
#[derive(Clone, Debug, Default)]
pub struct Stiffness {
    /// What `C^-1` of the sums is too much, by group: `alpha` of their means [1/m^3].
    pub less: Vec<f64>,
    /// Sums by group of `B` and `B d` in free flight, and `alpha` [m^2 Pa^1/2, m^3 Pa^1/2, Pa^1/2/m].
    sums: Vec<[f64; 3]>,
    coarse: Coarse,
    /// `C` where it conducts all.
    whole: Envelope,
    /// What `C^-1` is too much, times the sums of `B d` in free flight, by group [Pa^1/2].
    rest: Vec<f64>,
    /// The same with all conducted, and storage.
    right: Vec<f64>,
    scratch: Vec<f64>,
}

impl Stiffness {
    /// Of the system that `work` solved last, for the strengths `B` by vertex [m^2 Pa^1/2] and what its gap opens in free flight [m];
    /// `regions` becomes `C`, factored.
    pub fn find(
        &mut self,
        layer: &Layer,
        work: &Work,
        vertex: impl Fn(usize) -> [f64; 2] + Sync,
        regions: &mut Envelope,
    ) {
        let Stiffness { less, sums, coarse, whole, rest, right, scratch } = self;
        work.coarsen(layer, coarse, [(PART, &mut *regions), (1.0, &mut *whole)]);
        sums.resize(regions.size(), [0.0; 3]);
        layer.graph.each_group(sums, |seats| {
            seats.fold([0.0f64; 3], |[sum, flight, alone], seat| {
                let [strength, opens] = vertex(layer.graph.member(seat));
                [sum + strength, flight + strength * opens, alone.max(strength / work.least(layer, seat))]
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

    /// `alpha_g`, stiffness over `B` [Pa^1/2/m].
    pub fn alone(&self, g: u32) -> f64 {
        self.sums[g as usize][2]
    }

    /// Force of a vertex of group `g` against free flight, where it opens otherwise than its group and where `C` conducts too little [N].
    pub fn drag(&self, g: u32, strength: f64, opens: f64) -> f64 {
        let g = g as usize;
        let [_, flight, alone] = self.sums[g];
        strength * (alone * opens - self.less[g] * flight + self.rest[g])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::air::equation::{Air, Gas};
    use crate::linalg::Vec3;
    use crate::linalg::matrix::Common;
    use crate::mesh::generate::{Diagonals, lying, sheet};
    use nalgebra::{Cholesky, DMatrix};

    /// Least and largest of `d^T K' d / d^T K d`.
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
        let mut regions = Envelope::default();
        stiffness.find(&layer, &work, |v| [strength(v), 0.0], &mut regions);
        let mut common = Common::default();
        common.inner.push(regions);
        common.less.extend(&stiffness.less);
        let mut answer = DMatrix::<f64>::zeros(size, size);
        let mut scratch = vec![0.0; 2 * common.size()];
        for v in 0..size {
            let mut sums = vec![0.0; common.size()];
            sums[layer.group(v) as usize] = strength(v);
            common.apply(&mut sums, &mut scratch);
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

    /// Stable at any height, slope, permeability and step, closed and open; and no more inertia than what bends within a group has.
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
