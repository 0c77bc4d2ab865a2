//! Airflow in a box: the incompressible Navier-Stokes equations by stable fluids (Stam 1999; Horiba et al. 2007,
//! Eq. 5).
//!
//! `du/dt = -(u.grad) u - grad p/rho + nu lap u + f`, `div u = 0`, on a staggered grid with velocities on faces. A step
//! advects, adds the force on the air and the last step's pressure, diffuses implicitly and projects:
//! `lap q = (rho/h) div u`, `u <- u - (h/rho) grad q`, `p <- p + q` (van Kan 1986). Without the last pressure, air
//! would slip along walls at the speed that a step of pressure drives. The scheme is stable at any step.

pub mod advect;
pub mod bounds;
pub mod grid;
pub mod solid;

use crate::linalg::poisson::{self, Poisson, Stencil};
use crate::linalg::{Vec3, par};
use advect::{Advection, Begin, Carried, advect};
use bounds::{Bounds, Side};
use grid::Grid;

/// Largest remaining divergence, relative to the largest velocity over the size of a cell.
const DIVERGENCE: f64 = 1e-6;
/// Remaining residual of viscous diffusion, relative to the largest velocity.
const DIFFUSED: f64 = 1e-6;
/// Largest number of iterations of a solve.
const ITERATIONS: usize = 200;

/// Properties of the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fluid {
    /// Kinematic viscosity [m^2/s].
    pub viscosity: f64,
    /// Density [kg/m^3].
    pub density: f64,
    /// Advection scheme.
    pub advection: Advection,
}

/// State of the air. All fields are empty without airflow.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flow {
    /// Velocity across each axis, on its faces [m/s].
    pub velocity: [Vec<f64>; 3],
    /// Pressure of each cell [Pa].
    pub pressure: Vec<f64>,
    /// Velocity change by cloth since the last projection, by axis and face [m/s]. Empty without two-way coupling.
    pub kick: [Vec<f64>; 3],
    /// Force of the air on each moving vertex in the last step [N]. Empty without two-way coupling.
    pub force: Vec<Vec3>,
}

impl Flow {
    /// Returns air at rest.
    pub fn still(grid: &Grid) -> Flow {
        Flow {
            velocity: std::array::from_fn(|axis| vec![0.0; grid.face_count(axis)]),
            pressure: vec![0.0; grid.count()],
            ..Flow::default()
        }
    }

    /// Adds the fields of two-way coupling, with `moving` moving vertices.
    pub fn answer(&mut self, grid: &Grid, moving: usize) {
        self.kick = std::array::from_fn(|axis| vec![0.0; grid.face_count(axis)]);
        self.force = vec![Vec3::zeros(); moving];
    }

    /// Returns the lengths of all fields.
    pub fn sizes(&self) -> [usize; 8] {
        let [[u, v, w], [a, b, c]] = [&self.velocity, &self.kick].map(|all| [0, 1, 2].map(|axis| all[axis].len()));
        [u, v, w, self.pressure.len(), a, b, c, self.force.len()]
    }

    /// Returns the largest velocity along an axis [m/s].
    pub fn fastest(&self) -> f64 {
        fastest(&self.velocity)
    }

    /// Returns the kinetic energy of air of this density [J].
    pub fn energy(&self, grid: &Grid, density: f64) -> f64 {
        let squares = |axis: usize| {
            let most = grid.cells[axis];
            let (own, sizes) = (&self.velocity[axis], grid.faces(axis));
            // A face on the boundary of the box has half a cell.
            let part = |face: usize| {
                let at = Grid::place(sizes, face)[axis];
                if at == 0 || at == most { 0.5 } else { 1.0 }
            };
            par::sum(own.len(), |face| part(face) * own[face] * own[face])
        };
        0.5 * density * grid.volume() * (0..3).map(squares).sum::<f64>()
    }
}

fn fastest(velocity: &[Vec<f64>; 3]) -> f64 {
    velocity.iter().map(|own| par::max(own.len(), |f| own[f].abs()).max(0.0)).fold(0.0, f64::max)
}

/// Statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Iterations of the pressure solver.
    pub iterations: usize,
    /// Largest divergence of a cell after the step [1/s].
    pub divergence: f64,
    /// Volume flow that enters closed regions and is removed there evenly, or the reverse [m^3/s].
    pub drained: f64,
    /// True if both the divergence and the residual of diffusion reached their tolerances.
    pub converged: bool,
}

/// Solver of a grid. Storage is kept from step to step, but a resumed run needs none of it.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    /// Boundary conditions: free faces, and velocities of the others.
    pub bounds: Bounds,
    /// Air at the end of the step.
    pub next: Flow,
    /// Free faces for which the matrices are prepared.
    prepared: [Vec<bool>; 3],
    groups: Vec<u32>,
    pressure: Poisson,
    viscous: [Viscous; 3],
    carried: Carried,
    /// Velocity at the start of the step, with prescribed values on faces that are not free.
    begin: [Vec<f64>; 3],
    /// Right-hand side and unknowns of a solve.
    b: Vec<f64>,
    x: Vec<f64>,
}

impl Solver {
    /// Advances the air `flow` by a step of size `h` [s], with the sides of the box and the [`Bounds`] found before.
    /// `push` is an additional velocity change, by axis and face [m/s]; empty if there is none. The result is `next`.
    pub fn advance(
        &mut self,
        (grid, sides, fluid): (&Grid, &[Side; 6], &Fluid),
        flow: &Flow,
        push: &[Vec<f64>; 3],
        h: f64,
    ) -> Work {
        self.prepare(grid, sides);
        let Solver { bounds, next, carried, begin, .. } = &mut *self;
        for (axis, begin) in begin.iter_mut().enumerate() {
            let (free, given, own) = (&bounds.free[axis], &bounds.given[axis], &flow.velocity[axis]);
            begin.resize(own.len(), 0.0);
            par::each_light(begin, |face, slot| *slot = if free[face] { own[face] } else { given[face] });
        }
        let from = Begin { velocity: begin, free: &bounds.free };
        advect(grid, (fluid.advection, sides), from, h, carried, &mut next.velocity);
        for (axis, push) in push.iter().enumerate().filter(|(_, push)| !push.is_empty()) {
            let free = &bounds.free[axis];
            par::each_light(&mut next.velocity[axis], |face, u| *u += if free[face] { push[face] } else { 0.0 });
        }
        let per = fluid.density / h;
        slope(grid, &self.bounds.free, &flow.pressure, 1.0 / per, &mut self.next.velocity);
        let diffused = self.diffuse(fluid.viscosity * h);
        let mut work = self.project(grid, flow, per);
        work.converged &= diffused;
        work
    }

    /// Prepares the matrices again if the free faces have changed.
    fn prepare(&mut self, grid: &Grid, sides: &[Side; 6]) {
        let Solver { bounds, prepared, groups, pressure, viscous, .. } = &mut *self;
        if *prepared != bounds.free {
            let stencil = open(grid, &bounds.free);
            pressure.prepare(&stencil);
            *groups = poisson::groups(&stencil);
            for (axis, viscous) in viscous.iter_mut().enumerate() {
                viscous.prepare(grid, sides, axis, &bounds.free[axis]);
            }
            prepared.clone_from(&bounds.free);
        }
    }

    /// Solves `(1 - spread lap) u = u*` for each component. `spread` is viscosity times step [m^2]. Returns true if all
    /// solves converged.
    fn diffuse(&mut self, spread: f64) -> bool {
        if spread == 0.0 {
            return true;
        }
        let Solver { bounds, next, viscous, b, x, .. } = &mut *self;
        let tolerance = DIFFUSED * fastest(&next.velocity) / spread;
        let mut converged = true;
        for (axis, Viscous { solver, beside }) in viscous.iter_mut().enumerate() {
            let (free, given, own) = (&bounds.free[axis], &bounds.given[axis], &mut next.velocity[axis]);
            [&mut *b, &mut *x].into_iter().for_each(|vector| vector.resize(own.len(), 0.0));
            par::each_light_pair(b, x, |face, b, x| {
                *x = if free[face] { own[face] } else { 0.0 };
                *b = *x / spread;
            });
            beside.iter().for_each(|(face, other, k)| b[*face as usize] += k * given[*other as usize]);
            solver.weigh(1.0 / spread);
            converged &= solver.solve(b, x, (tolerance, ITERATIONS)).converged;
            let found = &*x;
            par::each_light(own, |face, u| *u = if free[face] { found[face] } else { *u });
        }
        converged
    }

    /// Projects the velocity to zero divergence. `per` is density over step [kg/(m^3 s)].
    fn project(&mut self, grid: &Grid, flow: &Flow, per: f64) -> Work {
        let Solver { bounds, next, groups, pressure, b, x, .. } = &mut *self;
        b.resize(grid.count(), 0.0);
        let velocity = &next.velocity;
        let free = &bounds.free;
        let faces = [0, 1, 2].map(|axis| grid.faces(axis));
        grid.each_cell(b, |_, place, b| {
            let (mut sum, mut any) = (0.0, false);
            for axis in 0..3 {
                let low = Grid::number(faces[axis], place);
                let high = low + Stencil::strides(faces[axis])[axis];
                sum += (velocity[axis][low] - velocity[axis][high]) / grid.spacing[axis];
                any |= free[axis][low] || free[axis][high];
            }
            // A cell without a free face has no unknown.
            *b = if any { sum } else { 0.0 };
        });
        let drained = grid.volume() * poisson::balance(b, groups);
        let tolerance = DIVERGENCE * fastest(velocity).max(f64::MIN_POSITIVE) / grid.finest();
        x.clear();
        x.resize(grid.count(), 0.0);
        let outcome = pressure.solve(b, x, (tolerance, ITERATIONS));
        poisson::balance(x, groups);
        slope(grid, &bounds.free, x, 1.0, &mut next.velocity);
        next.pressure.clear();
        next.pressure.extend(x.iter().zip(&flow.pressure).map(|(q, before)| before + q * per));
        Work { iterations: outcome.iterations, divergence: outcome.residual, drained, converged: outcome.converged }
    }
}

/// Subtracts `factor` times the gradient of `q` from the velocities on free faces. `q` is 0 beyond open sides.
fn slope(grid: &Grid, free: &[Vec<bool>; 3], q: &[f64], factor: f64, velocity: &mut [Vec<f64>; 3]) {
    for (axis, velocity) in velocity.iter_mut().enumerate() {
        let stride = Stencil::strides(grid.cells)[axis];
        let (per, most, free) = (factor / grid.spacing[axis], grid.cells[axis], &free[axis]);
        grid.each_face(axis, velocity, |face, place, u| {
            if free[face] {
                let after = Grid::number(grid.cells, place);
                *u -= per
                    * match place[axis] {
                        0 => 2.0 * q[after],
                        at if at == most => -2.0 * q[after - stride],
                        _ => q[after] - q[after - stride],
                    };
            }
        });
    }
}

/// Returns the matrix of the pressure: `-lap` between cells with a free face in common. The pressure beyond open sides
/// is zero.
fn open(grid: &Grid, free: &[Vec<bool>; 3]) -> Stencil {
    let mut stencil = Stencil::none(grid.cells);
    for axis in 0..3 {
        let (sizes, stride) = (grid.faces(axis), Stencil::strides(grid.cells)[axis]);
        let k = grid.spacing[axis].powi(-2);
        for face in (0..free[axis].len()).filter(|face| free[axis][*face]) {
            let place = Grid::place(sizes, face);
            let after = Grid::number(grid.cells, place);
            match place[axis] {
                0 => stencil.own[after] += 2.0 * k,
                at if at == grid.cells[axis] => stencil.own[after - stride] += 2.0 * k,
                _ => stencil.across[axis][after - stride] = k,
            }
        }
    }
    stencil
}

/// Diffusion of the velocity component along an axis.
#[derive(Clone, Debug, Default)]
struct Viscous {
    /// Solver of `-lap`. Prescribed velocities are no unknowns.
    solver: Poisson,
    /// Unknown, prescribed neighbour, and coefficient between them [1/m^2].
    beside: Vec<(u32, u32, f64)>,
}

impl Viscous {
    fn prepare(&mut self, grid: &Grid, sides: &[Side; 6], axis: usize, free: &[bool]) {
        let sizes = grid.faces(axis);
        let mut stencil = Stencil::none(sizes);
        self.beside.clear();
        for face in (0..free.len()).filter(|face| free[*face]) {
            let place = Grid::place(sizes, face);
            for (other, stride) in Stencil::strides(sizes).into_iter().enumerate() {
                let k = grid.spacing[other].powi(-2);
                for (end, next) in [face.wrapping_sub(stride), face + stride].into_iter().enumerate() {
                    let last = if end == 1 { place[other] + 1 == sizes[other] } else { place[other] == 0 };
                    let slips = other == axis || sides[2 * other + end] != Side::NoSlip;
                    match (last, end) {
                        (true, _) if slips => {}
                        // Wall at rest half a cell away.
                        (true, _) => stencil.own[face] += 2.0 * k,
                        (false, _) if !free[next] => {
                            stencil.own[face] += k;
                            self.beside.push((face as u32, next as u32, k));
                        }
                        (false, 1) => stencil.across[other][face] = k,
                        (false, _) => {}
                    }
                }
            }
        }
        self.solver.prepare(&stencil);
    }
}

#[cfg(test)]
mod tests;
