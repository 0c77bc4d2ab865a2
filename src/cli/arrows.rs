//! Arrows of the airflow in a slice of its box (Horiba et al. 2007, figure 9).

use crate::effect::airflow::solver::grid::Grid;
use crate::linalg::Vec3;
use crate::render::{Object, Paint, Shading};
use crate::scene::preview::Slice;
use crate::sequence::Flowing;

/// Most arrows along an axis, unless the scene sets the cells between them.
const MOST: usize = 24;
/// Shape of an arrow: number of sides, length of the head relative to the arrow, widths relative to the arrow spacing.
const SIDES: usize = 4;
const HEAD: f64 = 0.4;
const WIDTHS: [f64; 2] = [0.05, 0.13];
/// Shortest arrow that is drawn, relative to the arrow spacing.
const SHORT: f64 = 0.04;
/// Angle from which edges between its faces are drawn sharp [rad].
const CREASE: f64 = std::f64::consts::FRAC_PI_3;

/// Arrows as a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Arrows {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Vertex indices per triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Arrows {
    /// Builds the arrows of a slice. Air at the slice's `speed`, or at the largest speed of the frame, has an arrow as
    /// long as the arrow spacing.
    pub(super) fn of(flow: &Flowing, slice: &Slice) -> Arrows {
        let grid = &flow.grid;
        let axis = slice.axis.number();
        let [b, c] = [(axis + 1) % 3, (axis + 2) % 3];
        let every = slice.every.map_or(grid.cells[b].max(grid.cells[c]).div_ceil(MOST), |every| every as usize);
        let middle = grid.low[axis] + 0.5 * grid.cells[axis] as f64 * grid.spacing[axis];
        let place = (slice.at.unwrap_or(middle) - grid.low[axis]) / grid.spacing[axis];
        let layer = (place.max(0.0) as usize).min(grid.cells[axis] - 1);
        let velocity = |cell: usize| Vec3::from(flow.velocity[cell].map(f64::from));
        let fastest = || (0..grid.count()).map(|cell| velocity(cell).norm()).fold(0.0, f64::max);
        let way = every as f64 * grid.spacing[b].min(grid.spacing[c]);
        let speed = slice.speed.unwrap_or_else(fastest);
        let mut arrows = Arrows::default();
        for j in (every / 2..grid.cells[b]).step_by(every) {
            for k in (every / 2..grid.cells[c]).step_by(every) {
                let mut at = [0; 3];
                (at[axis], at[b], at[c]) = (layer, j, k);
                let cell = Grid::number(grid.cells, at);
                let arrow = velocity(cell) * (way / speed.max(f64::MIN_POSITIVE));
                if flow.solid[cell] == 0 && arrow.norm() > SHORT * way {
                    arrows.add(grid.centre(cell), arrow, way);
                }
            }
        }
        arrows
    }

    /// Returns the arrows as an object to draw.
    pub(super) fn object(&self, colour: [f64; 3]) -> Object<'_> {
        Object {
            name: "airflow",
            positions: &self.positions,
            triangles: &self.triangles,
            uv: &[],
            uv_triangles: &[],
            paint: Paint::Colour(colour),
            shading: Shading::Lambert,
            wet: &[],
            crease: CREASE,
        }
    }

    /// Adds an arrow centred at a point.
    fn add(&mut self, middle: Vec3, arrow: Vec3, way: f64) {
        let along = arrow.normalize();
        let other = Vec3::ith(along.iamin(), 1.0);
        let across = along.cross(&other).normalize();
        let third = along.cross(&across);
        let head = (HEAD * arrow.norm()).min(0.35 * way);
        let [tail, tip] = [middle - arrow * 0.5, middle + arrow * 0.5];
        let neck = tip - along * head;
        let first = self.positions.len() as u32;
        let thin = (arrow.norm() / way).min(1.0).sqrt();
        for (point, width) in [(tail, WIDTHS[0]), (neck, WIDTHS[0]), (neck, WIDTHS[1])] {
            for side in 0..SIDES {
                let (sin, cos) = (side as f64 / SIDES as f64 * std::f64::consts::TAU).sin_cos();
                self.positions.push(point + (across * cos + third * sin) * (width * way * thin));
            }
        }
        self.positions.push(tip);
        let ring = |ring: usize, side: usize| first + (ring * SIDES + side % SIDES) as u32;
        for side in 0..SIDES {
            for below in 0..2 {
                let [a, b] = [side, side + 1].map(|side| ring(below, side));
                let [d, e] = [side, side + 1].map(|side| ring(below + 1, side));
                self.triangles.extend([[a, b, e], [a, e, d]]);
            }
            self.triangles.push([ring(2, side), ring(2, side + 1), first + 3 * SIDES as u32]);
        }
        self.triangles.extend((1..SIDES - 1).map(|side| [ring(0, 0), ring(0, side + 1), ring(0, side)]));
    }
}
