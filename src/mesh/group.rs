//! Selections of vertices. All return ascending indices without repetition.

use crate::linalg::Vec3;
use crate::mesh::TriMesh;

/// Vertices inside the axis-aligned box from `min` to `max` [m], its faces included.
pub fn in_box(positions: &[Vec3], min: Vec3, max: Vec3) -> Vec<u32> {
    select(positions, |p| (0..3).all(|k| min[k] <= p[k] && p[k] <= max[k]))
}

/// Vertices at most `radius` [m] away from `center`.
pub fn in_sphere(positions: &[Vec3], center: Vec3, radius: f64) -> Vec<u32> {
    select(positions, |p| (p - center).norm() <= radius)
}

/// The vertices of a list.
///
/// # Errors
/// An index that is negative or not below `vertex_count`.
pub fn listed(vertex_count: usize, indices: &[i64]) -> Result<Vec<u32>, String> {
    let mut members = Vec::with_capacity(indices.len());
    for &index in indices {
        match u32::try_from(index) {
            Ok(i) if (i as usize) < vertex_count => members.push(i),
            _ if vertex_count == 0 => return Err(format!("vertex {index} does not exist, the mesh has no vertices")),
            _ => return Err(format!("vertex {index} does not exist, the mesh has vertices 0 to {}", vertex_count - 1)),
        }
    }
    members.sort_unstable();
    members.dedup();
    Ok(members)
}

/// The vertices of a named group.
///
/// # Errors
/// The mesh has no group of that name; the message lists those it has.
pub fn named<'a>(mesh: &'a TriMesh, name: &str) -> Result<&'a [u32], String> {
    if let Some(members) = mesh.groups.get(name) {
        return Ok(members);
    }
    let names: Vec<String> = mesh.groups.keys().take(12).map(|n| format!("'{n}'")).collect();
    Err(match names.len() {
        0 => format!("there is no group '{name}', the mesh has no named groups"),
        _ => format!("there is no group '{name}', the mesh has {}", names.join(", ")),
    })
}

fn select(positions: &[Vec3], inside: impl Fn(&Vec3) -> bool) -> Vec<u32> {
    (0..).zip(positions).filter(|(_, p)| inside(p)).map(|(i, _)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> TriMesh {
        TriMesh { positions: (0..5).map(|i| Vec3::new(f64::from(i), 0.0, 0.0)).collect(), ..TriMesh::default() }
    }

    #[test]
    fn boxes_and_spheres_include_their_surface() {
        let p = line().positions;
        assert_eq!(in_box(&p, Vec3::new(1.0, 0.0, -1.0), Vec3::new(3.0, 0.0, 1.0)), [1, 2, 3]);
        assert_eq!(in_sphere(&p, Vec3::new(0.5, 0.0, 0.0), 1.5), [0, 1, 2]);
        assert!(in_box(&p, Vec3::new(3.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)).is_empty());
    }

    #[test]
    fn lists_are_checked() {
        assert_eq!(listed(5, &[4, 0, 4]).unwrap(), [0, 4]);
        assert_eq!(listed(5, &[5]).unwrap_err(), "vertex 5 does not exist, the mesh has vertices 0 to 4");
        assert!(listed(5, &[-1]).is_err() && listed(0, &[0]).is_err() && listed(5, &[1 << 32]).is_err());
    }

    #[test]
    fn names_are_looked_up() {
        let mut mesh = line();
        assert_eq!(named(&mesh, "hem").unwrap_err(), "there is no group 'hem', the mesh has no named groups");
        mesh.groups.insert("waist".into(), vec![1, 2]);
        assert_eq!(named(&mesh, "waist").unwrap(), [1, 2]);
        assert_eq!(named(&mesh, "wiast").unwrap_err(), "there is no group 'wiast', the mesh has 'waist'");
    }
}
