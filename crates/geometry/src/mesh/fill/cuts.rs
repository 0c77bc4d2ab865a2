//! Crossings of a closed surface with the lattice lines, and the sites inside of it.
//!
//! All decisions are made in integers, without rounding. Vertices are first moved to multiples of `2^-BITS` half cells.
//! A lattice line may then pass exactly through a vertex, an edge or a triangle. Such cases are decided as if the whole
//! lattice were shifted by (e, e^2, e^3), with e positive and infinitesimal (H. Edelsbrunner, E. P. Muecke, "Simulation
//! of simplicity", ACM Transactions on Graphics 9, 1990). So a line leaves a closed surface as often as it enters it,
//! and all lines through a site agree on its side.

use super::lattice::{DIRECTIONS, Edge, Lattice, Site};
use crate::linalg::par;
use crate::mesh::TriMesh;

/// Binary places of half a cell to which vertices are rounded: `2^-22` of it, a ten-millionth of a cell.
///
/// With up to `2^12` half cells along an axis a coordinate has 34 bits, a normal 71 and the largest product 108.
const BITS: u32 = 22;

/// Largest number of half cells along an axis.
pub(super) const LONGEST: f64 = 4096.0;

/// Point where a lattice edge passes from inside to outside or back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    pub edge: Edge,
    /// Fraction of the edge from its lower end, 0 to 1.
    pub at: f64,
    /// Surface triangle that is crossed.
    pub triangle: u32,
}

/// Crossing of a lattice line with a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crossing {
    /// Direction of the line, and the two coordinates of the line across it.
    line: [i64; 3],
    /// Number of edges of the line below the crossing, counted from the base site of the line.
    step: i64,
    /// Fraction of the edge below the crossing, as bits. They sort like the numbers, because none is negative.
    at: u64,
    triangle: u32,
    entering: bool,
}

/// Returns the sign of every site, 1 inside and -1 outside, and all cuts in order of edges. An edge has one cut at
/// most, the middle one of several.
pub(super) fn cuts(lattice: &Lattice, surface: &TriMesh) -> (Vec<i8>, Vec<Cut>) {
    let scale = f64::from(1u32 << BITS);
    let points: Vec<[i128; 3]> = par::map(surface.positions.len(), |v| {
        (lattice.coordinates(&surface.positions[v]) * scale).map(|x| x.round() as i128).into()
    });
    let mut crossings = par::gather(surface.triangles.len(), 64, |range, out| {
        for t in range {
            let corners = surface.triangles[t].map(|v| points[v as usize]);
            (0..DIRECTIONS.len()).for_each(|direction| cross(direction, &corners, t as u32, out));
        }
    });
    par::sort(&mut crossings);
    let mut signs = vec![-1; lattice.len()];
    let mut cuts = Vec::new();
    for line in crossings.chunk_by(|a, b| a.line == b.line) {
        follow(lattice, line, &mut signs, &mut cuts);
    }
    cuts.sort_unstable_by_key(|cut: &Cut| cut.edge);
    (signs, cuts)
}

/// Returns the coordinates of a point across a direction.
fn across(direction: usize, [x, y, z]: [i128; 3]) -> [i128; 2] {
    match DIRECTIONS[direction].map(i128::from) {
        [2, ..] => [y, z],
        [0, 2, _] => [x, z],
        [0, ..] => [x, y],
        [_, dy, dz] => [dy * x - y, dz * y - dy * z],
    }
}

/// Returns the base site of a line, from which its edges are counted.
fn base([direction, u, w]: [i64; 3]) -> Site {
    match DIRECTIONS[direction as usize] {
        [2, ..] => [u & 1, u, w],
        [0, 2, _] => [u, u & 1, w],
        [0, ..] => [u, w, u & 1],
        [_, dy, _] => [u * dy, 0, -w * dy],
    }
}

/// Adds the crossings of a triangle with all lines of one direction.
fn cross(direction: usize, corners: &[[i128; 3]; 3], triangle: u32, out: &mut Vec<Crossing>) {
    let d = DIRECTIONS[direction].map(i128::from);
    let [a, b, c] = *corners;
    let minus = |p: [i128; 3], q: [i128; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    let dot = |p: [i128; 3], q: [i128; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let (e, f) = (minus(b, a), minus(c, a));
    let normal = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let slope = dot(normal, d);
    if slope == 0 {
        return;
    }
    let flat = corners.map(|p| across(direction, p));
    let bound = |k: usize, least: bool| {
        let all = flat.map(|p| p[k]);
        let bound = if least { all.iter().min() } else { all.iter().max() };
        bound.copied().unwrap_or_default()
    };
    // Side of the shifted point at an edge, seen along the direction. The shift (e, e^2, e^3) is projected like a
    // point.
    let shift = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|unit| across(direction, unit));
    let side = |p: [i128; 2], q: [i128; 2], point: [i128; 2]| {
        let edge = [q[0] - p[0], q[1] - p[1]];
        let turn = |v: [i128; 2]| edge[0] * v[1] - edge[1] * v[0];
        let orders = [turn([point[0] - p[0], point[1] - p[1]]), turn(shift[0]), turn(shift[1]), turn(shift[2])];
        orders.into_iter().find(|turn| *turn != 0).map_or(0, i128::signum)
    };
    let grid = 1i128 << BITS;
    let first = |k: usize| bound(k, true).div_euclid(grid);
    let last = |k: usize| bound(k, false).div_euclid(grid) + 1;
    let axis = direction < 3;
    for w in first(1)..=last(1) {
        for u in first(0)..=last(0) {
            // Lines along an axis join sites of one parity. Other lines pass through even sites.
            if if axis { (u ^ w) & 1 == 1 } else { u & 1 == 1 || w & 1 == 1 } {
                continue;
            }
            let point = [u * grid, w * grid];
            let turn = side(flat[0], flat[1], point);
            if turn == 0 || side(flat[1], flat[2], point) != turn || side(flat[2], flat[0], point) != turn {
                continue;
            }
            let line = [direction as i64, u as i64, w as i64];
            let from = base(line).map(|k| i128::from(k) * grid);
            let length = slope.abs() * grid;
            let above = dot(normal, minus(a, from)) * slope.signum();
            let (mut step, rest) = (above.div_euclid(length), above.rem_euclid(length));
            let mut at = rest as f64 / length as f64;
            if rest == 0 && normal.iter().find(|n| **n != 0).is_some_and(|n| *n * slope > 0) {
                // The shifted site lies above the triangle.
                step -= 1;
                at = 1.0;
            }
            out.push(Crossing { line, step: step as i64, at: at.to_bits(), triangle, entering: slope < 0 });
        }
    }
}

/// Walks along a line, whose crossings are in order, and sets signs and cuts.
fn follow(lattice: &Lattice, line: &[Crossing], signs: &mut [i8], cuts: &mut Vec<Cut>) {
    let [direction, ..] = line[0].line;
    let (along, base) = (DIRECTIONS[direction as usize], base(line[0].line));
    let site = |step: i64| [0, 1, 2].map(|k| base[k] + step * along[k]);
    let mut winding = 0;
    let mut flips: Vec<&Crossing> = Vec::new();
    let mut entered = 0;
    for edge in line.chunk_by(|a, b| a.step == b.step) {
        let step = edge[0].step;
        if direction == 0 && winding > 0 {
            for inside in entered..=step {
                signs[lattice.index(site(inside))] = 1;
            }
        }
        flips.clear();
        for crossing in edge {
            let before = winding > 0;
            winding += if crossing.entering { 1 } else { -1 };
            if before != (winding > 0) {
                flips.push(crossing);
            }
        }
        if flips.len() % 2 == 1 {
            let middle = flips[flips.len() / 2];
            let edge = lattice.edge(site(step), site(step + 1));
            cuts.push(Cut { edge, at: f64::from_bits(middle.at), triangle: middle.triangle });
        }
        entered = step + 1;
    }
}
