//! Boundary conditions of the airflow: free faces, and prescribed velocities at sides of the box, inlets and solids.

use super::grid::Grid;
use crate::linalg::poisson::Stencil;
use crate::linalg::{Vec3, par};

/// Boundary condition of a side of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Impermeable wall with free slip.
    Wall,
    /// Impermeable wall without slip.
    NoSlip,
    /// Open side: still air at the pressure 0 beyond.
    Open,
}

/// Inlet: faces of one side through which air is blown in or drawn out.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlet {
    /// Side of the box: twice its axis, plus 1 at the end with large coordinates.
    pub side: usize,
    /// Indices of its faces across that axis.
    pub faces: Vec<usize>,
}

/// Velocity of the solid in a cell [m/s]. `None` where there is air.
pub type Solid = Option<Vec3>;

/// Free faces, and the velocities of the others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    /// True where the velocity is unknown, by axis and face.
    pub free: [Vec<bool>; 3],
    /// Prescribed velocity of faces that are not free, by axis and face [m/s].
    pub given: [Vec<f64>; 3],
}

impl Bounds {
    /// Finds the boundary conditions from sides, inlets with their speeds [m/s], and solids by cell. `solids` may be
    /// empty.
    pub fn find(&mut self, grid: &Grid, sides: &[Side; 6], inlets: &[(&Inlet, f64)], solids: &[Solid]) {
        for axis in 0..3 {
            let sizes = grid.faces(axis);
            let stride = Stencil::strides(grid.cells)[axis];
            let (free, given) = (&mut self.free[axis], &mut self.given[axis]);
            free.resize(grid.face_count(axis), false);
            given.resize(grid.face_count(axis), 0.0);
            let cell = |k: usize| if solids.is_empty() { None } else { solids[k] };
            par::each_pair_mut(free, given, |face, free, given| {
                let place = Grid::place(sizes, face);
                let after = Grid::number(grid.cells, place);
                let [low, high] = [place[axis] > 0, place[axis] < grid.cells[axis]];
                let beside = [low.then(|| cell(after - stride)).flatten(), high.then(|| cell(after)).flatten()];
                let closed = [!low && sides[2 * axis] != Side::Open, !high && sides[2 * axis + 1] != Side::Open];
                let solid: Vec3 = beside.iter().flatten().sum();
                let number = beside.iter().flatten().count();
                *free = number == 0 && closed == [false; 2];
                *given = if closed == [false; 2] && number > 0 { solid[axis] / number as f64 } else { 0.0 };
            });
        }
        let mut flux = [0.0; 6];
        let mut taken =
            vec![false; if inlets.is_empty() { 0 } else { (0..3).map(|a| grid.face_count(a)).max().unwrap_or(0) }];
        for (inlet, speed) in inlets {
            let (axis, high) = (inlet.side / 2, inlet.side % 2 == 1);
            let inward = if high { -speed } else { *speed };
            for face in &inlet.faces {
                // Inlets do not blow into solids.
                if solids.is_empty() || solids[inside(grid, inlet.side, *face)].is_none() {
                    self.free[axis][*face] = false;
                    self.given[axis][*face] += inward;
                    flux[inlet.side] += speed;
                }
            }
        }
        let lets_out =
            |side: &usize| sides[*side] == Side::Open && faces_of(grid, *side).any(|face| self.free[side / 2][face]);
        if (0..6).any(|side| lets_out(&side)) {
            return;
        }
        // Without an outlet, air that is blown in leaves evenly through the opposite side. The paper's box has no
        // outlet.
        for side in (0..6).filter(|side| flux[*side] != 0.0) {
            let (axis, other) = (side / 2, side ^ 1);
            taken.fill(false);
            for inlet in inlets.iter().filter(|(inlet, _)| inlet.side == other) {
                inlet.0.faces.iter().for_each(|face| taken[*face] = true);
            }
            let out: Vec<usize> = faces_of(grid, other)
                .filter(|face| !taken[*face] && (solids.is_empty() || solids[inside(grid, other, *face)].is_none()))
                .collect();
            let outward = if other % 2 == 1 { flux[side] } else { -flux[side] };
            out.iter().for_each(|face| self.given[axis][*face] += outward / out.len() as f64);
        }
    }
}

/// Returns the cell behind a face of a side of the box.
pub fn inside(grid: &Grid, side: usize, face: usize) -> usize {
    let axis = side / 2;
    let mut place = Grid::place(grid.faces(axis), face);
    place[axis] = place[axis].min(grid.cells[axis] - 1);
    Grid::number(grid.cells, place)
}

/// Iterates over the faces of a side of the box, by index across its axis.
pub fn faces_of(grid: &Grid, side: usize) -> impl Iterator<Item = usize> {
    let (axis, sizes) = (side / 2, grid.faces(side / 2));
    let at = if side % 2 == 1 { grid.cells[axis] } else { 0 };
    (0..sizes.iter().product()).filter(move |face| Grid::place(sizes, *face)[axis] == at)
}
