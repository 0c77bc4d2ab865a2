//! Triangle meshes from arrays in memory, equal to those of a file with the same numbers.

use super::polygon;
use super::{MeshError, TriMesh};
use crate::linalg::{Vec2, Vec3};
use std::collections::{BTreeMap, HashMap};

/// Chart of a mesh in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Chart {
    /// No chart.
    #[default]
    None,
    /// Coordinates of each vertex.
    Vertices(Vec<Vec2>),
    /// Coordinates of each corner, face by face.
    Corners(Vec<Vec2>),
}

/// Arrays of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrays {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Vertex of each corner, face by face.
    pub corners: Vec<u32>,
    /// End of each face in `corners`.
    pub ends: Vec<usize>,
    /// Chart.
    pub chart: Chart,
    /// Vertices of named groups.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// Named scalars per vertex.
    pub channels: BTreeMap<String, Vec<f64>>,
}

impl Arrays {
    /// Makes the mesh. Polygons are cut as those of files are. A channel forms a group as in PLY: the vertices where it
    /// exceeds 0.5, unless a group has its name.
    ///
    /// # Errors
    /// Fails for numbers that are not finite, for indices out of range, for a chart or a channel of another length, and
    /// for faces with fewer than three vertices.
    pub fn mesh(self) -> Result<TriMesh, MeshError> {
        let Arrays { positions, corners, ends, chart, mut groups, channels } = self;
        let count = positions.len();
        whole(&positions)?;
        let missing = |v: &&u32| **v as usize >= count;
        if let Some(at) = corners.iter().position(|v| missing(&v)) {
            let face = ends.partition_point(|end| *end <= at);
            return Err(MeshError::new(format!("face {face}: {}", absent(corners[at], count))));
        }
        for (name, members) in &mut groups {
            if let Some(v) = members.iter().find(missing) {
                return Err(MeshError::new(format!("group '{name}': {}", absent(*v, count))));
            }
            members.sort_unstable();
            members.dedup();
        }
        for (name, values) in &channels {
            if values.len() != count {
                let message = format!("channel '{name}' has {} values, the mesh {count} vertices", values.len());
                return Err(MeshError::new(message));
            }
            let members: Vec<u32> = (0..).zip(values).filter(|(_, value)| **value > 0.5).map(|(v, _)| v).collect();
            if !members.is_empty() {
                groups.entry(name.clone()).or_insert(members);
            }
        }
        let cut = polygon::cut(&positions, &corners, &ends)
            .map_err(|(face, what)| MeshError::new(format!("face {face}: {what}")))?;
        let triangles: Vec<[u32; 3]> = cut.triangles.iter().map(|t| t.map(|k| corners[k as usize])).collect();
        let (uv, uv_triangles) = match chart {
            Chart::None => (Vec::new(), Vec::new()),
            Chart::Vertices(uv) => (uv, triangles.clone()),
            Chart::Corners(all) => {
                let (uv, numbers) = merged(&corners, &all)?;
                (uv, cut.triangles.iter().map(|t| t.map(|k| numbers[k as usize])).collect())
            }
        };
        if !uv_triangles.is_empty() && uv_triangles == triangles && uv.len() != count {
            let message = format!("the chart has {} points, the mesh {count} vertices", uv.len());
            return Err(MeshError::new(message));
        }
        if let Some(k) = uv.iter().position(|uv| !uv.iter().all(|c| c.is_finite())) {
            return Err(MeshError::new(format!("point {k} of the chart has a coordinate that is not a finite number")));
        }
        let notes = cut.notes.into_iter().map(|(face, what)| MeshError::new(format!("face {face}: {what}"))).collect();
        let mut mesh =
            TriMesh { positions, triangles, uv, uv_triangles, groups, channels, notes, ..TriMesh::default() };
        mesh.source.faces = cut.faces;
        Ok(mesh)
    }
}

/// Checks that positions are finite [m].
///
/// # Errors
/// Names the first vertex that is not.
pub fn whole(positions: &[Vec3]) -> Result<(), MeshError> {
    match positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        Some(v) => Err(MeshError::new(format!("vertex {v} has a coordinate that is not a finite number"))),
        None => Ok(()),
    }
}

fn absent(vertex: u32, count: usize) -> String {
    format!("vertex {vertex} does not exist, the mesh has {count}, counted from 0")
}

/// Merges equal points of one vertex. Returns the points, and the point of each corner.
fn merged(corners: &[u32], all: &[Vec2]) -> Result<(Vec<Vec2>, Vec<u32>), MeshError> {
    if all.len() != corners.len() {
        let message = format!("the chart has {} points for {} corners of faces", all.len(), corners.len());
        return Err(MeshError::new(message));
    }
    let (mut uv, mut known) = (Vec::new(), HashMap::new());
    let number = |(corner, own): (&u32, &Vec2)| {
        // The sum makes both signed zeros equal.
        let own = Vec2::new(own.x + 0.0, own.y + 0.0);
        *known.entry((*corner, [own.x.to_bits(), own.y.to_bits()])).or_insert_with(|| {
            uv.push(own);
            uv.len() as u32 - 1
        })
    };
    let numbers = corners.iter().zip(all).map(number).collect();
    Ok((uv, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Diagonals, lying, sheet};
    use crate::mesh::ply;

    fn arrays(mesh: &TriMesh) -> Arrays {
        let corners: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
        let ends = (1..=mesh.triangles.len()).map(|t| 3 * t).collect();
        Arrays { positions: mesh.positions.clone(), corners, ends, ..Arrays::default() }
    }

    #[test]
    fn arrays_give_the_mesh_of_a_file() {
        let made = sheet(4, 5, 0.5, 0.7, Diagonals::Aligned, lying(0.5, 0.7));
        let read = ply::read(&ply::write_mesh(&made).unwrap()).unwrap().mesh;
        let mut own = arrays(&read);
        own.groups.clone_from(&read.groups);
        own.chart = Chart::Vertices(ply::vertex_uv(&read).unwrap());
        let own = own.mesh().unwrap();
        assert_eq!((&own.positions, &own.triangles, &own.groups), (&read.positions, &read.triangles, &read.groups));
        assert_eq!((&own.uv, &own.uv_triangles, &own.source), (&read.uv, &read.uv_triangles, &read.source));
    }

    #[test]
    fn a_quad_with_a_chart_of_corners_is_cut() {
        let positions = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
        let uv = vec![Vec2::zeros(), Vec2::x(), Vec2::new(1.0, 1.0), Vec2::y()];
        let channels = BTreeMap::from([("hem".to_string(), vec![0.0, 1.0, 0.6, 0.5])]);
        let quad = Arrays { positions, corners: vec![0, 1, 2, 3], ends: vec![4], channels, ..Arrays::default() };
        let mesh = Arrays { chart: Chart::Corners(uv.clone()), ..quad.clone() }.mesh().unwrap();
        assert_eq!((mesh.triangles.len(), &mesh.uv, mesh.uv_triangles.len()), (2, &uv, 2));
        assert_eq!((mesh.groups["hem"].as_slice(), mesh.source.faces), (&[1, 2][..], vec![0, 0]));
        let describe = |arrays: Arrays| arrays.mesh().unwrap_err().to_string();
        assert_eq!(
            describe(Arrays { corners: vec![0, 1, 2, 4], ..quad.clone() }),
            "face 0: vertex 4 does not exist, the mesh has 4, counted from 0"
        );
        let short = Arrays { chart: Chart::Vertices(vec![Vec2::x()]), ..quad.clone() };
        assert_eq!(describe(short), "the chart has 1 points, the mesh 4 vertices");
        let short = Arrays { chart: Chart::Corners(vec![Vec2::x()]), ..quad.clone() };
        assert_eq!(describe(short), "the chart has 1 points for 4 corners of faces");
        let mut odd = quad.clone();
        odd.positions[2].y = f64::NAN;
        assert_eq!(describe(odd), "vertex 2 has a coordinate that is not a finite number");
        let mut odd = quad;
        odd.groups.insert("far".to_string(), vec![9]);
        assert!(describe(odd).starts_with("group 'far': vertex 9 does not exist"));
    }
}
