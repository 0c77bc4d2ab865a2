//! Lattices: rows and columns of vertices in a triangle mesh.
//!
//! A mesh is a lattice if its triangles pair up to quadrilaterals over their longest edges, in rows and columns.
//! [`super::generate::sheet`] makes such meshes.

use super::TriMesh;
use super::topology::{NONE, Topology};
use std::collections::HashMap;
use std::iter::successors;

/// Margin by which the longest edge of a triangle must exceed the others, as a fraction of them.
const LONGER: f64 = 1e-3;

/// Rows and columns of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// Number of vertices in a row.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// Vertices row by row.
    pub vertices: Vec<u32>,
}

/// Corners of a cell, in order: along its row, up, back.
type Cell = [u32; 4];

impl Lattice {
    /// Returns the lattice that a whole mesh forms; none if it is not a lattice.
    pub fn of(mesh: &TriMesh, topology: &Topology) -> Option<Lattice> {
        let cells = cells(mesh, topology)?;
        let mut left = HashMap::new();
        for cell in &cells {
            for k in 0..4 {
                let turned: Cell = std::array::from_fn(|i| cell[(k + i) % 4]);
                if left.insert([turned[0], turned[1]], turned).is_some() {
                    return None;
                }
            }
        }
        // The cell across an edge has the ends of that edge in reverse order.
        let right = |[_, b, c, _]: &Cell| left.get(&[*c, *b]).map(|[c, b, x, y]| [*b, *x, *y, *c]);
        let above = |[_, _, c, d]: &Cell| left.get(&[*d, *c]).copied();
        let mut uses = vec![0u32; mesh.positions.len()];
        cells.iter().flatten().for_each(|v| uses[*v as usize] += 1);
        let corner = uses.iter().position(|n| *n == 1)? as u32;
        let first = *left.values().find(|cell| cell[0] == corner)?;

        let many = cells.len() + 1;
        let mut vertices = Vec::new();
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for first in successors(Some(first), above).take(many) {
            rows.push(successors(Some(first), right).take(many).collect());
            if rows.iter().map(Vec::len).sum::<usize>() > cells.len() {
                return None;
            }
        }
        let columns = rows[0].len();
        let bottom = |row: &Vec<Cell>| row.iter().map(|c| c[0]).chain(row.last().map(|c| c[1])).collect::<Vec<u32>>();
        let top = |row: &Vec<Cell>| row.iter().map(|c| c[3]).chain(row.last().map(|c| c[2])).collect::<Vec<u32>>();
        let fits = rows.windows(2).all(|pair| top(&pair[0]) == bottom(&pair[1]));
        rows.iter().for_each(|row| vertices.extend(bottom(row)));
        vertices.extend(rows.last().into_iter().flat_map(top));
        let mut seen = vec![false; mesh.positions.len()];
        let new = vertices.iter().all(|v| !std::mem::replace(&mut seen[*v as usize], true));
        let whole = rows.len() * columns == cells.len() && vertices.len() == mesh.positions.len();
        (fits && new && whole).then_some(Lattice { columns: columns + 1, rows: rows.len() + 1, vertices })
    }

    /// Returns the vertex in a column of a row.
    pub fn at(&self, column: usize, row: usize) -> u32 {
        self.vertices[row * self.columns + column]
    }
}

/// Pairs triangles over their longest edges. Returns none if a triangle has no partner.
fn cells(mesh: &TriMesh, topology: &Topology) -> Option<Vec<Cell>> {
    let longest = |t: usize| -> Option<usize> {
        let corners = mesh.triangles[t].map(|v| mesh.positions[v as usize]);
        let sides = [0, 1, 2].map(|k| (corners[(k + 1) % 3] - corners[(k + 2) % 3]).norm());
        (0..3).find(|k| (1..3).all(|j| sides[*k] > sides[(k + j) % 3] * (1.0 + LONGER)))
    };
    let mut cells = Vec::new();
    for t in 0..mesh.triangles.len() {
        let k = longest(t)?;
        let edge = topology.triangle_edges[t][k] as usize;
        let [s, u] = topology.edge_triangles[edge];
        if u == NONE || topology.edge_valence[edge] != 2 {
            return None;
        }
        let other = if s as usize == t { u } else { s } as usize;
        let l = longest(other)?;
        if topology.triangle_edges[other][l] as usize != edge {
            return None;
        }
        if t < other {
            let [apex, a, b] = [0, 1, 2].map(|i| mesh.triangles[t][(k + i) % 3]);
            cells.push([apex, a, mesh.triangles[other][l], b]);
        }
    }
    Some(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec3;
    use crate::mesh::generate::{Diagonals, lying, random_sheet, sheet, sphere};

    fn of(mesh: &TriMesh) -> Option<Lattice> {
        Lattice::of(mesh, &Topology::new(mesh.positions.len(), &mesh.triangles))
    }

    /// Rows are rows or columns of the sheet, depending on the first corner.
    #[test]
    fn a_sheet_is_one() {
        for diagonals in [Diagonals::Aligned, Diagonals::Alternating] {
            for [columns, rows] in [[2, 2], [5, 3], [3, 7]] {
                let mesh = sheet(columns, rows, 0.1 * columns as f64, 0.11 * rows as f64, diagonals, lying(0.4, 0.3));
                let lattice = of(&mesh).unwrap();
                let sizes = [lattice.columns, lattice.rows];
                assert!(sizes == [columns, rows] || sizes == [rows, columns], "{sizes:?}");
                let along = lattice.at(1, 0).abs_diff(lattice.at(0, 0));
                for row in 0..lattice.rows {
                    for column in 1..lattice.columns {
                        assert_eq!(lattice.at(column, row).abs_diff(lattice.at(column - 1, row)), along);
                    }
                }
            }
        }
    }

    #[test]
    fn other_meshes_are_none() {
        assert_eq!(of(&random_sheet(8, 8, 0.1, 0.1, 1, lying(0.1, 0.1))), None);
        assert_eq!(of(&sphere(Vec3::zeros(), 0.1, 0.03)), None);
        let mut holed = sheet(6, 6, 0.1, 0.1, Diagonals::Aligned, lying(0.1, 0.1));
        holed.triangles.drain(20..22);
        assert_eq!(of(&holed), None);
    }
}
