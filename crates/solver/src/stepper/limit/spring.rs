//! Springs at edges that a solution of the step takes beyond their strain limits.
//!
//! Correcting edges only after the solve would fold narrow cloth, as no force of the membrane responds. The system is
//! solved again with stiff springs, to which the membrane responds. Little then remains for the sweeps over edges.

use super::edges;
use crate::force::assembly::Assembly;
use crate::linalg::matrix::{Entry, Real};
use crate::linalg::{Mat3, Vec3};
use crate::stepper::Step;
use crate::world::{State, World};

/// Relative excess of an edge's length that requires another solve.
const ROOM: f64 = 1e-3;
/// Stiffness of a spring relative to the inertia of its ends.
const STIFF: f64 = 300.0;

/// Springs of one step, in order of cloths and their edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Springs(Vec<Spring>);

#[derive(Clone, Copy, Debug)]
struct Spring {
    /// Index of the edge.
    number: usize,
    ends: [u32; 2],
    along: Vec3,
    /// Excess of the ends' distance in free flight over the goal [m].
    beyond: f64,
    /// Stiffness [N/m].
    stiffness: f64,
}

impl Springs {
    /// Removes all springs.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Creates springs at edges beyond their limits after the step, along their present direction. Returns false if the
    /// existing springs suffice.
    pub(crate) fn find(&mut self, world: &World, state: &State, step: &Step) -> bool {
        let mut new = Vec::new();
        let (mut asks, mut number) = (false, 0);
        let mut old = self.0.iter().peekable();
        for edge in world.cloths.iter().flat_map(|cloth| edges(state, step, cloth)) {
            number += 1;
            let had = old.next_if(|s| s.number == number).is_some();
            let d = edge.after(state, step);
            let length = d.norm();
            let long = length > edge.allowed * (1.0 + ROOM);
            let short = length < edge.least * (1.0 - ROOM);
            let free = |v: u32| !step.fixed[v as usize];
            let near = length > edge.allowed * (1.0 - ROOM) || length < edge.least * (1.0 + ROOM);
            if !(long || short || had && near) || !edge.ends.into_iter().any(free) || length == 0.0 {
                continue;
            }
            asks |= long || short;
            let goal = if length < edge.least * (1.0 + ROOM) { edge.least } else { edge.allowed };
            let along = d / length;
            let [a, b] = edge.ends.map(|v| step.predicted(v));
            let flown = edge.before(state) + b - a;
            let inertia =
                |v: u32| step.mass[v as usize] / (step.effective_dt[v as usize] * step.effective_dt[v as usize]);
            let stiffness = STIFF * edge.ends.into_iter().filter(|v| free(*v)).map(inertia).sum::<f64>();
            let beyond = along.dot(&flown) - goal;
            new.push(Spring { number, ends: edge.ends, along, beyond, stiffness });
        }
        if asks {
            self.0 = new;
        }
        asks
    }

    /// Iterates over the edges with springs.
    pub(crate) fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.0.iter().map(|spring| spring.ends)
    }

    /// Calls `f` with the ends of each spring and the force on the first in the step [N]. The second has the opposite
    /// force.
    pub(crate) fn each_force(&self, step: &Step, mut f: impl FnMut([u32; 2], Vec3)) {
        for spring in &self.0 {
            let [a, b] = spring.ends.map(|v| step.solved(v));
            f(spring.ends, spring.along * (spring.stiffness * (spring.beyond + spring.along.dot(&(b - a)))));
        }
    }

    /// Adds the springs to the system, after everything else.
    pub(crate) fn add<T: Real>(&self, step: &Step, assembly: &mut Assembly<T>) {
        if self.0.is_empty() {
            return;
        }
        for spring in &self.0 {
            let block = spring.along * spring.along.transpose() * spring.stiffness;
            let force = spring.along * (spring.stiffness * spring.beyond);
            let [a, b] = spring.ends.map(|v| v as usize);
            let pairs = [(a, b, force), (b, a, -force)];
            for (row, column, force) in pairs.into_iter().filter(|(row, ..)| !step.fixed[*row]) {
                assembly.force[row] += force;
                assembly.add_diagonal(row, &block);
                if !step.fixed[column] {
                    add(assembly, [row, column], &-block);
                }
            }
        }
        assembly.matrix.domains.iter_mut().for_each(|domain| domain.entries.sort_by_key(|e| e.row));
    }
}

/// Adds an off-diagonal block, if its subdomain stores it.
fn add<T: Real>(assembly: &mut Assembly<T>, [row, column]: [usize; 2], block: &Mat3) {
    let k = assembly.matrix.starts.partition_point(|s| *s <= row) - 1;
    let domain = &mut assembly.matrix.domains[k];
    if column < row && column >= domain.first {
        return;
    }
    let block = std::array::from_fn(|e| T::of(block.as_slice()[e]));
    domain.entries.push(Entry { row: row as u32, column: column as u32, block });
}
