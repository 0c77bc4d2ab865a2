//! Selections of vertices. All return ascending indices without repetition.

use crate::linalg::Vec3;

/// Returns the vertices inside the axis-aligned box from `min` to `max` [m], including its faces.
pub fn in_box(positions: &[Vec3], min: Vec3, max: Vec3) -> Vec<u32> {
    select(positions, |p| (0..3).all(|k| min[k] <= p[k] && p[k] <= max[k]))
}

/// Returns the vertices at most `radius` [m] away from `center`.
pub fn in_sphere(positions: &[Vec3], center: Vec3, radius: f64) -> Vec<u32> {
    select(positions, |p| (p - center).norm() <= radius)
}

/// Returns the vertices of a list, sorted and without repetition.
///
/// # Errors
/// Fails for an index that is negative or not below `vertex_count`.
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

fn select(positions: &[Vec3], inside: impl Fn(&Vec3) -> bool) -> Vec<u32> {
    (0..).zip(positions).filter(|(_, p)| inside(p)).map(|(i, _)| i).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;

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
}
