//! Filling of a closed triangle surface with well-shaped tetrahedra.
//!
//! Uniform isosurface stuffing (F. Labelle, J. R. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good
//! dihedral angles", ACM Transactions on Graphics 26, 2007). A body-centred cubic lattice is laid over the surface.
//! Sites near a crossing of an edge with the surface are moved there. Tetrahedra that are still crossed are cut by a
//! few stencils.
//!
//! All dihedral angles are between 10.5 and 163.8 degrees for any surface. The paper proves 10.7 and 164.8 for its
//! stencils and limits. Inside, where nothing is cut or moved, they are 60 and 90. A tetrahedron of the lattice has a
//! twelfth of the volume of a cell. Two of its edges are one cell long, and four are 0.87 cells.
//!
//! Vertices of the boundary lie on the surface to a ten-millionth of a cell. Where the surface is finer than the cells,
//! the boundary may recede by less than a cell. Otherwise it would touch itself. Sharp edges and corners are cut off by
//! less than a cell. They are exact where a flat side begins at the lowest point of an axis and is a multiple of cells
//! long.

use crate::linalg::{Vec3, par};
use crate::mesh::{TetMesh, TriMesh};
use cuts::Cut;
use lattice::{Edge, Lattice, near};
use stencil::Vertex;

mod cuts;
mod fault;
mod lattice;
mod pinch;
mod shape;
mod stencil;

pub use fault::FillFault;

/// Bounds of the dihedral angles of any mesh [degrees]. Over all stencils, with every vertex at the ends of its range
/// and at three places between, the extremes are 10.549 and 163.716.
pub const ANGLES: [f64; 2] = [10.5, 163.8];

/// Largest number of tetrahedra of a mesh.
const MOST: f64 = 4e6;
/// Largest number of lattice sites. Each takes five bytes during construction.
const MOST_SITES: f64 = 1e8;

/// Fills a closed surface with tetrahedra whose longest edges are `size` [m]. Near the surface they are up to a half
/// longer.
///
/// A surface that is inside out as a whole is reversed. A surface inside another bounds a cavity if its winding is
/// opposite. The same surface gives the same mesh, and a translated one does up to rounding. Vertices are in order of
/// their height (z).
///
/// # Errors
/// Fails if `size` is not a positive number, or would give more than four million tetrahedra. Fails if the surface is
/// unsound, open or without volume. Fails if parts are thinner than the cells and would vanish (tips for more than
/// three cells), fall apart, join or change their holes.
pub fn fill(surface: &TriMesh, size: f64) -> Result<TetMesh, FillFault> {
    let shape = shape::Shape::new(surface)?;
    if !(size > 0.0 && size.is_finite()) {
        return Err(FillFault::Size(size));
    }
    let turned;
    let surface = if shape.volume < 0.0 {
        let triangles = surface.triangles.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        turned = TriMesh { positions: surface.positions.clone(), triangles, ..TriMesh::default() };
        &turned
    } else {
        surface
    };
    let extent = shape.max - shape.min;
    let tets = 12.0 * shape.volume.abs() / size.powi(3);
    let mut least = size * (tets / MOST).cbrt().max(2.0 * (extent.max() / size + 8.0) / cuts::LONGEST);
    while Lattice::sites(&extent, size.max(least)) > MOST_SITES {
        least = 1.01 * size.max(least);
    }
    if least > size {
        return Err(FillFault::TooFine { size, least });
    }

    let lattice = Lattice::new(&shape.min, &shape.max, size);
    let (mut signs, cuts) = cuts::cuts(&lattice, surface);
    let moved = moved(&lattice, &cuts);
    let on_surface: Vec<usize> = moved.iter().map(|(site, _)| *site).collect();
    on_surface.iter().for_each(|site| signs[*site] = 0);
    pinch::open(&lattice, &mut signs, &on_surface);
    let corners = stuff(&lattice, &signs);
    let body = number(&lattice, &signs, &cuts, &moved, &corners);
    shape.compare(surface, &lattice, &body)?;
    Ok(TetMesh { positions: body.positions, tets: body.tets, ..TetMesh::default() })
}

/// Returns the sites to move, ascending, each with the nearest of the cuts that are too near to it.
fn moved(lattice: &Lattice, cuts: &[Cut]) -> Vec<(usize, Cut)> {
    let mut moved: Vec<(usize, f64, Cut)> = Vec::new();
    for cut in cuts {
        let (_, direction) = lattice::parts(cut.edge);
        let near = near(direction);
        let length = if direction < 3 { 2.0 } else { 3f64.sqrt() };
        let ends = lattice.ends(cut.edge);
        if cut.at < near {
            moved.push((ends[0], length * cut.at, *cut));
        } else if cut.at > 1.0 - near {
            moved.push((ends[1], length * (1.0 - cut.at), *cut));
        }
    }
    moved.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    moved.dedup_by_key(|entry| entry.0);
    moved.into_iter().map(|(site, _, cut)| (site, cut)).collect()
}

/// Generates all tetrahedra.
fn stuff(lattice: &Lattice, signs: &[i8]) -> Vec<[Vertex; 4]> {
    par::gather(signs.len(), 1 << 12, |range, out| {
        for index in range {
            let site = lattice.site(index);
            // Sites near the border of the block are outside, so tetrahedra that leave the block are skipped.
            if site[0] & 1 == 1 || !lattice.is_within(site) {
                continue;
            }
            for tet in Lattice::tetrahedra(site) {
                let signs = tet.map(|s| signs[lattice.index(s)]);
                if signs.contains(&1) {
                    stencil::fill(lattice, tet, signs, out);
                }
            }
        }
    })
}

/// Mesh, with the surface triangle on which each boundary vertex was placed.
struct Body {
    positions: Vec<Vec3>,
    tets: Vec<[u32; 4]>,
    triangles: Vec<Option<u32>>,
}

/// Numbers and places the vertices in order of the sites. Vertices on edges from a site upwards follow that site.
fn number(lattice: &Lattice, signs: &[i8], cuts: &[Cut], moved: &[(usize, Cut)], corners: &[[Vertex; 4]]) -> Body {
    let mut edges: Vec<Edge> = corners.iter().flatten().copied().filter(|v| v % 8 != 0).collect();
    par::sort_by_key(&mut edges, |edge| *edge);
    edges.dedup();
    let mut number = vec![u32::MAX; lattice.len()];
    corners.iter().flatten().filter(|v| **v % 8 == 0).for_each(|v| number[(*v / 8) as usize] = 0);
    let mut edge_number = Vec::with_capacity(edges.len());
    let mut vertices: Vec<Vertex> = Vec::new();
    for (index, slot) in number.iter_mut().enumerate() {
        if *slot == 0 {
            *slot = vertices.len() as u32;
            vertices.push(8 * index as Vertex);
        }
        while let Some(edge) = edges.get(edge_number.len()).filter(|edge| (**edge / 8) as usize == index) {
            edge_number.push(vertices.len() as u32);
            vertices.push(*edge);
        }
    }
    let mover = |site: usize| moved.binary_search_by_key(&site, |m| m.0).ok().map(|k| moved[k].1);
    let placed = par::map(vertices.len(), |v| {
        let (vertex, site) = (vertices[v], (vertices[v] / 8) as usize);
        if vertex % 8 == 0 {
            return match mover(site) {
                Some(cut) if signs[site] == 0 => (lattice.along(cut.edge, cut.at), Some(cut.triangle)),
                _ => (lattice.position(lattice.site(site)), None),
            };
        }
        // The vertex lies at the cut of its edge, kept away from both ends. If the outer end was opened, the cut may be
        // too near to it, or missing.
        let ends = lattice.ends(vertex);
        let (_, direction) = lattice::parts(vertex);
        let near = near(direction);
        let outer = usize::from(signs[ends[0]] > 0);
        let own = cuts.binary_search_by_key(&vertex, |cut| cut.edge).ok().map(|k| cuts[k]);
        let at = own.map_or(outer as f64, |cut| cut.at).clamp(near, 1.0 - near);
        let triangle = own.or_else(|| mover(ends[outer])).map(|cut| cut.triangle);
        (lattice.along(vertex, at), triangle)
    });
    let tets = par::map(corners.len(), |t| {
        corners[t].map(|v| {
            if v % 8 == 0 {
                return number[(v / 8) as usize];
            }
            edge_number[edges.partition_point(|edge| *edge < v)]
        })
    });
    let (positions, triangles) = placed.into_iter().unzip();
    Body { positions, tets, triangles }
}

#[cfg(test)]
mod tests;
