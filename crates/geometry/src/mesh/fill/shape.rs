//! Checks of the whole surface: whether it can be filled, and whether the mesh is the same body.

use super::lattice::Lattice;
use super::{Body, FillFault};
use crate::linalg::{Vec3, par};
use crate::mesh::TriMesh;
use crate::mesh::check::{Severity, check};
use crate::mesh::topology::Topology;

/// Largest accepted distance between a vertex of the surface and the boundary of the mesh, in cells. The tip of a wedge
/// of 15 degrees loses about three for any size.
const LOST: i64 = 3;

/// Measures of a sound closed surface.
pub(super) struct Shape {
    pub min: Vec3,
    pub max: Vec3,
    /// Enclosed volume [m^3], negative if it is inside out.
    pub volume: f64,
    pieces: Pieces,
}

impl Shape {
    pub(super) fn new(surface: &TriMesh) -> Result<Self, FillFault> {
        let p = &surface.positions;
        if let Some(fault) = check(surface).into_iter().find(|f| f.severity == Severity::Error) {
            return Err(FillFault::Unsound(fault.message));
        }
        let topology = Topology::new(p.len(), &surface.triangles);
        let mut open = (0..topology.edges.len()).filter(|e| topology.edge_valence[*e] == 1);
        if let Some(first) = open.next() {
            let edge = topology.edges[first];
            return Err(FillFault::Open { edge, at: p[edge[0] as usize], count: 1 + open.count() });
        }
        if let Some(vertex) = (0..p.len()).find(|v| !is_one_fan(&topology, surface, *v)) {
            return Err(FillFault::NonManifoldVertex { vertex: vertex as u32, at: p[vertex] });
        }
        let used = || surface.triangles.iter().flatten().map(|v| p[*v as usize]);
        let (min, max) = used()
            .fold((p[0].map(|_| f64::INFINITY), p[0].map(|_| f64::NEG_INFINITY)), |(low, high), x| {
                (low.inf(&x), high.sup(&x))
            });
        let volume = surface.triangles.iter().map(|t| {
            let [a, b, c] = t.map(|v| p[v as usize] - min);
            a.dot(&b.cross(&c)) / 6.0
        });
        let volume: f64 = volume.sum();
        // Bound of rounding in the sum, for a surface that is nearly flat.
        if volume.abs() <= 1e-12 * (max - min).norm().powi(3) {
            return Err(FillFault::NoVolume);
        }
        Ok(Self { min, max, volume, pieces: Pieces::new(p.len(), &surface.triangles) })
    }

    /// Compares the surface with the boundary of the mesh that fills it.
    pub(super) fn compare(&self, surface: &TriMesh, lattice: &Lattice, body: &Body) -> Result<(), FillFault> {
        let size = 2.0 * lattice.half;
        let p = &surface.positions;
        // The cell of every surface vertex, or a near one, must contain a vertex of the boundary.
        let mut near = vec![false; lattice.len() / 2];
        for (x, _) in body.positions.iter().zip(&body.triangles).filter(|(_, triangle)| triangle.is_some()) {
            if let Some(cell) = lattice.cell_index(lattice.cell(x)) {
                near[cell] = true;
            }
        }
        let reached = |[x, y, z]: [i64; 3], cells: i64| {
            let side = 2 * cells + 1;
            let mut around = (0..side.pow(3)).map(|n| [n % side, n / side % side, n / side / side]);
            let at = |[i, j, k]: [i64; 3]| lattice.cell_index([x + i - cells, y + j - cells, z + k - cells]);
            around.any(|offset| at(offset).is_some_and(|cell| near[cell]))
        };
        let vanished = par::map(p.len(), |v| {
            let cell = lattice.cell(&p[v]);
            self.pieces.used(v) && !reached(cell, 1) && !reached(cell, LOST)
        });
        let count = vanished.iter().filter(|v| **v).count();
        if let Some(v) = vanished.iter().position(|v| *v) {
            return Err(FillFault::Vanished { size, count, of: p.len(), at: p[v] });
        }

        let faces = boundary(body);
        let pieces = Pieces::new(body.positions.len(), &faces);
        // Piece of the mesh that each piece of the surface became.
        let mut became = vec![None; self.pieces.list.len()];
        let mut parts = vec![0; self.pieces.list.len()];
        for piece in &pieces.list {
            parts[self.origin(surface, body, piece.vertex)] += 1;
        }
        for (v, x) in body.positions.iter().enumerate().filter(|(v, _)| pieces.used(*v)) {
            let (own, origin) = (pieces.of(v), self.origin(surface, body, v));
            let piece = &self.pieces.list[origin];
            if parts[origin] > 1 {
                return Err(FillFault::Torn { size, pieces: parts[origin], at: p[piece.vertex] });
            }
            if self.origin(surface, body, pieces.list[own].vertex) != origin {
                return Err(FillFault::Joined { size, at: *x });
            }
            became[origin] = Some(own);
        }
        for (piece, own) in self.pieces.list.iter().zip(became) {
            let at = p[piece.vertex];
            let Some(own) = own else {
                return Err(FillFault::Vanished { size, count: piece.vertices as usize, of: p.len(), at });
            };
            let [surface, mesh] = [piece.holes(), pieces.list[own].holes()];
            if surface != mesh {
                return Err(FillFault::Holes { size, surface, mesh, at });
            }
        }
        Ok(())
    }

    /// Returns the piece of the surface on which a boundary vertex was placed.
    fn origin(&self, surface: &TriMesh, body: &Body, v: usize) -> usize {
        let triangle = body.triangles[v].unwrap_or_default();
        self.pieces.of(surface.triangles[triangle as usize][0] as usize)
    }
}

/// Returns the faces of one tetrahedron only. All their vertices were placed on the surface.
fn boundary(body: &Body) -> Vec<[u32; 3]> {
    let on_surface = |v: &u32| body.triangles[*v as usize].is_some();
    let mut faces = par::gather(body.tets.len(), 1 << 12, |range, out: &mut Vec<([u32; 3], [u32; 3])>| {
        for [a, b, c, d] in &body.tets[range] {
            for face in [[*b, *c, *d], [*a, *d, *c], [*a, *b, *d], [*a, *c, *b]] {
                if face.iter().all(on_surface) {
                    let mut key = face;
                    key.sort_unstable();
                    out.push((key, face));
                }
            }
        }
    });
    par::sort(&mut faces);
    faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect()
}

/// Returns whether the triangles around a vertex of a closed surface form one ring.
fn is_one_fan(topology: &Topology, surface: &TriMesh, v: usize) -> bool {
    let around = topology.vertex_triangles(v);
    let Some(&start) = around.first() else { return true };
    // Goes to the next triangle across the edge that leaves the vertex.
    let next = |t: u32| {
        let corner = surface.triangles[t as usize].iter().position(|w| *w as usize == v)?;
        let edge = topology.triangle_edges[t as usize][(corner + 2) % 3] as usize;
        topology.edge_triangles[edge].into_iter().find(|other| *other != t)
    };
    let (mut count, mut t) = (1, start);
    while let Some(other) = next(t).filter(|other| *other != start && count <= around.len()) {
        t = other;
        count += 1;
    }
    count == around.len()
}

/// Connected pieces of a closed surface.
struct Pieces {
    /// Piece of each vertex; none without triangles.
    piece: Vec<u32>,
    list: Vec<Piece>,
}

struct Piece {
    /// First of its vertices.
    vertex: usize,
    vertices: i64,
    triangles: i64,
}

impl Piece {
    /// Returns the number of holes through it, by Euler's formula `V - E + F = 2 - 2 g`, with `2 E = 3 F`.
    fn holes(&self) -> i64 {
        1 - (self.vertices - self.triangles / 2) / 2
    }
}

impl Pieces {
    fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        let mut parent: Vec<u32> = (0..vertices as u32).collect();
        let mut piece = vec![u32::MAX; vertices];
        for [a, b, c] in triangles {
            for (v, w) in [(*a, *b), (*b, *c)] {
                let (v, w) = (root(&mut parent, v), root(&mut parent, w));
                parent[v.max(w) as usize] = v.min(w);
            }
            [a, b, c].into_iter().for_each(|v| piece[*v as usize] = 0);
        }
        // Every vertex points to a smaller one, so the first of a piece precedes all others.
        let mut list: Vec<Piece> = Vec::new();
        for v in 0..vertices {
            if piece[v] != 0 {
                continue;
            }
            let top = root(&mut parent, v as u32) as usize;
            if top == v {
                piece[v] = list.len() as u32;
                list.push(Piece { vertex: v, vertices: 0, triangles: 0 });
            }
            piece[v] = piece[top];
            list[piece[v] as usize].vertices += 1;
        }
        for [a, ..] in triangles {
            list[piece[*a as usize] as usize].triangles += 1;
        }
        Self { piece, list }
    }

    fn used(&self, v: usize) -> bool {
        self.piece[v] != u32::MAX
    }

    fn of(&self, v: usize) -> usize {
        self.piece[v] as usize
    }
}

fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}
