use super::bounds::{Inlet, faces_of};
use super::*;
use std::f64::consts::PI;

struct Tank {
    grid: Grid,
    sides: [Side; 6],
    fluid: Fluid,
    flow: Flow,
    solver: Solver,
}

impl Tank {
    fn new(cells: [usize; 3], size: [f64; 3], sides: [Side; 6], viscosity: f64, advection: Advection) -> Tank {
        let grid = Grid::new(Vec3::zeros(), Vec3::from(size), cells);
        let fluid = Fluid { viscosity, density: 1.2, advection };
        Tank { grid, sides, fluid, flow: Flow::still(&grid), solver: Solver::default() }
    }

    fn set(&mut self, field: impl Fn(Vec3) -> Vec3) {
        for axis in 0..3 {
            for face in 0..self.grid.face_count(axis) {
                self.flow.velocity[axis][face] = field(self.grid.face_centre(axis, face))[axis];
            }
        }
    }

    fn step(&mut self, h: f64, inlets: &[(&Inlet, f64)], solids: &[bounds::Solid]) -> Work {
        self.solver.bounds.find(&self.grid, &self.sides, inlets, solids);
        let work = self.solver.advance((&self.grid, &self.sides, &self.fluid), &self.flow, &Default::default(), h);
        self.flow = self.solver.next.clone();
        work
    }

    fn energy(&self) -> f64 {
        self.flow.energy(&self.grid, self.fluid.density)
    }

    /// Recomputes the largest divergence of the cells with air.
    fn divergence(&self, solids: &[bounds::Solid]) -> f64 {
        let cell = |c: usize| {
            let place = Grid::place(self.grid.cells, c);
            let across = |axis: usize| {
                let sizes = self.grid.faces(axis);
                let low = Grid::number(sizes, place);
                let own = &self.flow.velocity[axis];
                (own[low + Stencil::strides(sizes)[axis]] - own[low]) / self.grid.spacing[axis]
            };
            if solids.get(c).is_some_and(Option::is_some) { 0.0 } else { (0..3).map(across).sum::<f64>().abs() }
        };
        (0..self.grid.count()).map(cell).fold(0.0, f64::max)
    }

    /// Returns the volume flow out through a side [m^3/s].
    fn out(&self, side: usize) -> f64 {
        let sum: f64 = faces_of(&self.grid, side).map(|face| self.flow.velocity[side / 2][face]).sum();
        sum * self.grid.area(side / 2) * if side % 2 == 1 { 1.0 } else { -1.0 }
    }
}

/// Returns the velocity of Taylor-Green vortices between free-slip walls [m/s].
fn vortices(p: Vec3) -> Vec3 {
    let k = 2.0 * PI;
    Vec3::new((k * p.x).sin() * (k * p.y).cos(), -(k * p.x).cos() * (k * p.y).sin(), 0.0)
}

/// Returns the remaining part of the vortices' velocity after 0.25 s, in `n` x `n` cells and steps of `h` [s].
fn left(advection: Advection, n: usize, h: f64) -> f64 {
    let mut tank = Tank::new([n, n, 4], [1.0, 1.0, 4.0 / n as f64], [Side::Wall; 6], 0.01, advection);
    tank.set(vortices);
    let begin = tank.energy();
    for _ in 0..(0.25 / h).round() as usize {
        assert!(tank.step(h, &[], &[]).converged);
    }
    (tank.energy() / begin).sqrt()
}

/// Taylor-Green vortices decay as `exp(-2 nu k^2 t)` (Taylor & Green 1937). Splitting of advection and projection costs
/// energy in proportion to the step and the time: less than 1 % at 4 ms. The semi-Lagrangian scheme is dissipative: 4
/// to 6 % at 64 cells.
#[test]
fn vortices_decay_as_they_should() {
    let exact = (-2.0 * 0.01 * (2.0 * PI).powi(2) * 0.25f64).exp();
    let [coarse, fine] = [1.0 / 64.0, 1.0 / 256.0].map(|h| 1.0 - left(Advection::MacCormack, 64, h) / exact);
    assert!((0.0..0.01).contains(&fine), "{fine}");
    assert!(coarse < 5.0 * fine, "of first order: {coarse}, {fine}");
    let plain = 1.0 - left(Advection::SemiLagrangian, 64, 1.0 / 128.0) / exact;
    assert!((0.04..0.06).contains(&plain), "{plain}");
}

/// The slowest mode of a free-slip box decays as `exp(-2 nu k^2 t)` in energy. Backward Euler makes it
/// `(1 + h nu k^2)^-2` in each step.
#[test]
fn the_slowest_mode_decays_as_it_should() {
    let (viscosity, h, steps) = (0.1, 1e-3, 200);
    let mut tank = Tank::new([24, 24, 6], [1.0, 1.0, 0.25], [Side::Wall; 6], viscosity, Advection::MacCormack);
    // The amplitude is small, so that advection is negligible.
    tank.set(|p| vortices(p * 0.5) * 1e-6);
    let begin = tank.energy();
    (0..steps).for_each(|_| assert!(tank.step(h, &[], &[]).converged));
    let k2 = 2.0 * PI * PI;
    let exact = (-2.0 * viscosity * k2 * h * f64::from(steps)).exp();
    // Bound of the error of the exponent: nu k^2 h/2 by the time step, k^2 dx^2/24 by the grid.
    let bound =
        0.5 * (2.0 * viscosity * k2 * h * f64::from(steps)) * (viscosity * k2 * h + PI * PI / 24f64.powi(2) / 6.0);
    let got = tank.energy() / begin;
    assert!((got / exact - 1.0).abs() < bound.min(0.01), "{got} of {exact}, {bound}");
}

/// The profile of a channel between no-slip plates is a parabola with a maximum of 3/2 of the mean (Poiseuille). Inflow
/// equals outflow, and no cell has divergence.
#[test]
fn a_channel_has_its_parabola() {
    let sides = [Side::Wall, Side::Open, Side::NoSlip, Side::NoSlip, Side::Wall, Side::Wall];
    let mut tank = Tank::new([48, 24, 4], [3.0, 1.0, 0.2], sides, 0.1, Advection::MacCormack);
    let inlet = Inlet { side: 0, faces: faces_of(&tank.grid, 0).collect() };
    let speed = 0.5;
    for _ in 0..120 {
        let work = tank.step(0.05, &[(&inlet, speed)], &[]);
        assert!(work.converged && work.divergence <= 1e-6 * tank.flow.fastest() * 24.0 * 1.01, "{work:?}");
        assert!(tank.divergence(&[]) <= work.divergence * 1.01 + 1e-13);
        assert!((tank.out(1) - speed * 0.2).abs() <= work.divergence * 3.0 * 0.2, "{}", tank.out(1));
    }
    let sizes = tank.grid.faces(0);
    for j in 0..24 {
        let y = (j as f64 + 0.5) / 24.0;
        let got = tank.flow.velocity[0][Grid::number(sizes, [40, j, 2])];
        let exact = 6.0 * speed * y * (1.0 - y);
        assert!((got - exact).abs() < 0.01 * 1.5 * speed, "{y}: {got}, {exact}");
    }
}

/// Air flows around a solid, whose faces have its velocity. In a box without an outlet, inflow leaves through the
/// opposite side.
#[test]
fn solids_and_closed_boxes() {
    let mut tank = Tank::new([16, 16, 16], [1.0; 3], [Side::Wall; 6], 1e-3, Advection::MacCormack);
    let pushed = Vec3::new(0.0, 0.3, 0.0);
    let inside = |c: usize| (tank.grid.centre(c) - Vec3::repeat(0.5)).norm() < 0.2;
    let solids: Vec<bounds::Solid> = (0..tank.grid.count()).map(|c| inside(c).then_some(pushed)).collect();
    let faces = faces_of(&tank.grid, 0).filter(|f| tank.grid.face_centre(0, *f).y < 0.5).collect();
    let inlet = Inlet { side: 0, faces };
    for _ in 0..20 {
        let work = tank.step(0.02, &[(&inlet, 1.0)], &solids);
        assert!(work.converged, "{work:?}");
        assert!(tank.divergence(&solids) <= 1e-6 * tank.flow.fastest() * 16.0 * 1.01);
    }
    assert!((tank.out(0) + 0.5).abs() < 1e-12 && (tank.out(1) - 0.5).abs() < 1e-12);
    let top = Vec3::new(0.5, 0.5 + 3.0 / 16.0, 0.5);
    assert!((tank.grid.velocity(&tank.flow.velocity, &top).y - 0.3).abs() < 0.02);
    let still = tank.flow.clone();
    tank.step(0.0 + 1e-9, &[(&inlet, 1.0)], &solids);
    let change = (0..3)
        .flat_map(|a| tank.flow.velocity[a].iter().zip(&still.velocity[a]))
        .fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(change < 1e-4, "{change}");
}

/// An open side that is an inlet all over is no outlet. Inflow on all sides is drained, and the amount is reported.
#[test]
fn air_without_a_way_out_is_told() {
    let mut sides = [Side::Wall; 6];
    sides[1] = Side::Open;
    let mut tank = Tank::new([6, 5, 4], [1.0; 3], sides, 0.0, Advection::MacCormack);
    let all: Vec<Inlet> = (0..6).map(|side| Inlet { side, faces: faces_of(&tank.grid, side).collect() }).collect();
    let work = tank.step(0.01, &[(&all[1], 2.0)], &[]);
    assert!(work.drained < 1e-12 && (tank.out(0) - 2.0).abs() < 1e-12, "{work:?}");
    let blown: Vec<(&Inlet, f64)> = all.iter().map(|inlet| (inlet, 2.0)).collect();
    let work = tank.step(0.01, &blown, &[]);
    assert!((work.drained - 12.0).abs() < 1e-9 && work.converged, "{work:?}");
}

/// Results are bitwise equal on any number of threads.
#[test]
fn threads_change_nothing() {
    let run = |threads: usize| {
        let work = || {
            let mut tank = Tank::new([20, 18, 16], [1.0; 3], [Side::Wall; 6], 1e-3, Advection::MacCormack);
            tank.set(vortices);
            (0..3).for_each(|_| {
                tank.step(0.02, &[], &[]);
            });
            tank.flow
        };
        par::with_threads(threads, work).unwrap()
    };
    let one = run(1);
    assert!([2, 4].iter().all(|threads| run(*threads) == one));
}

#[test]
#[ignore = "timing"]
fn timing() {
    for n in [10, 32, 64] {
        let mut tank = Tank::new([n; 3], [1.0; 3], [Side::Wall; 6], 1.5e-5, Advection::MacCormack);
        let inlet = Inlet {
            side: 0,
            faces: faces_of(&tank.grid, 0).filter(|f| tank.grid.face_centre(0, *f).y < 0.5).collect(),
        };
        (0..3).for_each(|_| {
            tank.step(0.002, &[(&inlet, 5.0)], &[]);
        });
        let begin = std::time::Instant::now();
        let mut its = 0;
        (0..5).for_each(|_| its += tank.step(0.002, &[(&inlet, 5.0)], &[]).iterations);
        println!("{n}^3: {:.2} ms a step, {its} iterations in 5", begin.elapsed().as_secs_f64() * 200.0);
    }
}
