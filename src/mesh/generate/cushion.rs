//! A stuffed cushion.

use super::implicit::surface;
use super::relax::gradient;
use crate::linalg::Vec3;
use crate::mesh::TriMesh;

/// How square the outline is: 2 is a circle.
const OUTLINE: f64 = 4.0;
/// How round the sides are: at 2 they would be ellipses, at 1 the seam would be an edge.
const PROFILE: f64 = 1.5;

/// A closed cushion in triangles with edges of about `spacing` [m]: about the origin in the xz-plane, `size` [m] wide and
/// `height` [m] thick in the middle, thin towards the seam around it. A superellipsoid (A. H. Barr, "Superquadrics and
/// angle-preserving transformations", IEEE Computer Graphics and Applications 1, 1981).
pub fn cushion(size: f64, height: f64, spacing: f64) -> TriMesh {
    let radii = 0.5 * Vec3::new(size, height, size);
    let level = move |p: Vec3| {
        let q = p.component_div(&radii).abs();
        let outline = (q.x.powf(OUTLINE) + q.z.powf(OUTLINE)).powf(1.0 / OUTLINE);
        (outline.powf(PROFILE) + q.y.powf(PROFILE)).powf(1.0 / PROFILE) - 1.0
    };
    // A distance to first order.
    let field = move |p: Vec3| level(p) / gradient(&level, p).norm().max(1.0 / size);
    let margin = Vec3::repeat(2.0 * spacing);
    surface(field, -radii - margin, radii + margin, spacing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{assert_closed, volume};

    #[test]
    fn a_cushion_is_closed_and_as_large_as_asked() {
        let mesh = cushion(0.4, 0.12, 0.012);
        assert_closed(&mesh, 15.0);
        let high = mesh.positions.iter().fold(Vec3::zeros(), |high, p| high.sup(p));
        // The seam is between two vertices somewhere.
        assert!(high.x > 0.19 && high.x < 0.2001 && (high.y - 0.06).abs() < 1e-3, "{high:?}");
        // Between that of a double pyramid and of a box.
        let box_volume = 0.4 * 0.4 * 0.12;
        assert!(volume(&mesh) > 0.4 * box_volume && volume(&mesh) < 0.7 * box_volume, "{}", volume(&mesh) / box_volume);
    }
}
