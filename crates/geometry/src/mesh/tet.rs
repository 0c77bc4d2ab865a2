//! Tetrahedral meshes in file order: volume, orientation, quality, surface.

use crate::linalg::Vec3;
use crate::mesh::MeshError;
use std::collections::BTreeMap;

/// Largest [`quality`] of a flat tetrahedron.
///
/// Four coplanar points, saved in single precision, come back with a quality of about `1e-7 d / l`. Here `d` is their
/// distance from the origin, and `l` the length of their edges. Below this bound the sign of a volume is meaningless.
/// Stiffness goes with the inverse square of the height. Such a sliver would be 1e12 times as stiff as its neighbours.
pub const FLAT: f64 = 1e-6;

/// Faces of a tetrahedron, each opposite to the vertex of its index and counter-clockwise seen from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Tetrahedral mesh. Order and count of vertices are those of its file, including unused vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Vertex indices per tetrahedron, as in the file. Seen from the last vertex, the first three should be
    /// counter-clockwise. The volume is then positive ([`TetMesh::orient`]).
    pub tets: Vec<[u32; 4]>,
    /// Named vertex groups, indices ascending.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// Warnings of the reader about content that it left out or changed, with the place if there is one.
    pub notes: Vec<MeshError>,
}

/// Quality of the tetrahedra of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Smallest [`quality`].
    pub smallest: f64,
    /// Tetrahedron with the smallest quality, the first of equals.
    pub worst: usize,
    /// Mean of all.
    pub mean: f64,
}

impl TetMesh {
    /// Returns the corners of a tetrahedron, if they exist.
    pub fn corners(&self, tet: &[u32; 4]) -> Option<[Vec3; 4]> {
        let corner = |k: usize| self.positions.get(tet[k] as usize).copied();
        Some([corner(0)?, corner(1)?, corner(2)?, corner(3)?])
    }

    /// Reverses all tetrahedra if each that has a volume has a negative one. Returns whether it did.
    ///
    /// The order of the four vertices is a convention, and a file with the other one is equally valid. So this is done
    /// before [`check`](crate::mesh::check::tet::check), without a note. If only some volumes are negative, those
    /// tetrahedra are inverted, which is a fault and stays.
    pub fn orient(&mut self) -> bool {
        let mut turned = false;
        for tet in &self.tets {
            let quality = self.corners(tet).map_or(0.0, |p| quality(&p));
            if quality > FLAT {
                return false;
            }
            turned |= quality < -FLAT;
        }
        if turned {
            self.tets.iter_mut().for_each(|tet| tet.swap(2, 3));
        }
        turned
    }

    /// Returns the smallest and mean [`quality`] of the tetrahedra whose vertices exist and are finite; none without
    /// any.
    pub fn quality(&self) -> Option<Quality> {
        let (mut count, mut sum) = (0usize, 0.0);
        let (mut smallest, mut worst) = (f64::INFINITY, 0);
        for (t, tet) in self.tets.iter().enumerate() {
            let quality = self.corners(tet).map_or(f64::NAN, |p| quality(&p));
            if quality.is_finite() {
                count += 1;
                sum += quality;
                if quality < smallest {
                    (smallest, worst) = (quality, t);
                }
            }
        }
        (count > 0).then(|| Quality { smallest, worst, mean: sum / count as f64 })
    }

    /// Returns the smallest and largest angle between two faces of a tetrahedron [degrees]; none without a tetrahedron
    /// of finite corners.
    pub fn dihedral_angles(&self) -> Option<[f64; 2]> {
        let corners = || self.tets.iter().filter_map(|tet| self.corners(tet));
        let angles = corners().flat_map(|p| dihedral_angles(&p)).filter(|angle| angle.is_finite());
        angles.fold(None, |range, angle| {
            let [least, most] = range.unwrap_or([angle; 2]);
            Some([angle.min(least), angle.max(most)])
        })
    }

    /// Returns the surface: every face of one tetrahedron only, in order of the tetrahedra. Faces are counter-clockwise
    /// seen from outside where the volume is positive.
    pub fn boundary(&self) -> Vec<[u32; 3]> {
        let faces = Face::sorted(&self.tets);
        let mut alone: Vec<&Face> =
            faces.chunk_by(|a, b| a.key == b.key).filter(|f| f.len() == 1).map(|f| &f[0]).collect();
        alone.sort_unstable_by_key(|face| (face.tet, face.opposite));
        alone.iter().map(|face| face.vertices(&self.tets)).collect()
    }
}

/// Face of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Face {
    /// Vertices in ascending order.
    pub key: [u32; 3],
    /// Index of the tetrahedron.
    pub tet: u32,
    /// Index, in the tetrahedron, of the vertex opposite to the face.
    pub opposite: u8,
}

impl Face {
    /// Returns all faces of all tetrahedra, sorted so that equal ones are adjacent.
    pub fn sorted(tets: &[[u32; 4]]) -> Vec<Self> {
        let mut faces: Vec<Self> = (0..)
            .zip(tets)
            .flat_map(|(tet, vertices)| {
                (0u8..).zip(FACES).map(move |(opposite, face)| {
                    let mut key = face.map(|k| vertices[k]);
                    key.sort_unstable();
                    Self { key, tet, opposite }
                })
            })
            .collect();
        faces.sort_unstable();
        faces
    }

    /// Returns its vertices, counter-clockwise seen from outside if the volume of the tetrahedron is positive.
    pub fn vertices(&self, tets: &[[u32; 4]]) -> [u32; 3] {
        FACES[usize::from(self.opposite)].map(|k| tets[self.tet as usize][k])
    }
}

/// Returns the volume [m^3], positive if the first three corners are counter-clockwise seen from the last.
pub fn volume([a, b, c, d]: &[Vec3; 4]) -> f64 {
    (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
}

/// Returns the six inner angles between two faces of a tetrahedron [degrees]; NaN at a face without area.
pub fn dihedral_angles(p: &[Vec3; 4]) -> [f64; 6] {
    // Edge a-b, and the two other corners.
    [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]].map(|[a, b, c, d]| {
        let edge = p[b] - p[a];
        let (s, t) = (edge.cross(&(p[c] - p[a])), edge.cross(&(p[d] - p[a])));
        // Sine and cosine together are accurate near 0 and 180 degrees, too.
        let (sine, cosine) = (s.cross(&t).norm(), s.dot(&t));
        if s.norm() * t.norm() > 0.0 { sine.atan2(cosine).to_degrees() } else { f64::NAN }
    })
}

/// Returns the shape quality of a tetrahedron: 6 sqrt(2) V / l^3 with the volume V and the root mean square l of the
/// six edges. A regular one has 1, a flat one 0, and an inverted one is negative (V. N. Parthasarathy, C. M. Graichen,
/// A. F. Hathaway, "A comparison of tetrahedron quality measures", Finite Elements in Analysis and Design 15, 1994). A
/// point has 0.
pub fn quality(p: &[Vec3; 4]) -> f64 {
    let [a, b, c, d] = p;
    let squares: f64 = [b - a, c - a, d - a, c - b, d - b, d - c].iter().map(Vec3::norm_squared).sum();
    let length = (squares / 6.0).sqrt();
    // Positions are divided first, so that the cubes stay in range. NaN stays NaN.
    if length == 0.0 { 0.0 } else { 6.0 * std::f64::consts::SQRT_2 * volume(&p.map(|x| (x - a) / length)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::check::{self, FaultKind};
    use crate::mesh::{TriMesh, topology::Topology};

    /// Makes a block of `n`^3 cubes of six tetrahedra each around a diagonal (Kuhn).
    pub(super) fn block(n: u32) -> TetMesh {
        let at = |x: u32, y: u32, z: u32| x + (n + 1) * (y + (n + 1) * z);
        let mut mesh = TetMesh::default();
        for i in 0..(n + 1).pow(3) {
            let k = [i % (n + 1), i / (n + 1) % (n + 1), i / (n + 1) / (n + 1)];
            mesh.positions.push(Vec3::from(k.map(|x| f64::from(x) / f64::from(n))));
        }
        for i in 0..n.pow(3) {
            let from = [i % n, i / n % n, i / n / n];
            for (order, odd) in [
                ([0, 1, 2], false),
                ([1, 2, 0], false),
                ([2, 0, 1], false),
                ([0, 2, 1], true),
                ([2, 1, 0], true),
                ([1, 0, 2], true),
            ] {
                let mut corner = from;
                let mut tet = [at(corner[0], corner[1], corner[2]); 4];
                for k in 0..3 {
                    corner[order[k]] += 1;
                    tet[k + 1] = at(corner[0], corner[1], corner[2]);
                }
                if odd {
                    tet.swap(2, 3);
                }
                mesh.tets.push(tet);
            }
        }
        mesh
    }

    fn regular() -> [Vec3; 4] {
        [[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]].map(|p| Vec3::from(p) * 0.01)
    }

    #[test]
    fn a_regular_tetrahedron_has_quality_one() {
        let p = regular();
        assert!((quality(&p) - 1.0).abs() < 1e-14, "{}", quality(&p));
        let [a, b, c, d] = p;
        assert!((quality(&[a, b, d, c]) + 1.0).abs() < 1e-14);
        assert_eq!(quality(&[a; 4]), 0.0);
        // The corner of a cube: V = 1/6, three edges of 1 and three of sqrt 2, so sqrt 2 / 1.5^1.5.
        let corner = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        assert!((quality(&corner) - 2f64.sqrt() / 1.5f64.powf(1.5)).abs() < 1e-15);
        assert!((volume(&corner) - 1.0 / 6.0).abs() < 1e-16);
    }

    #[test]
    fn dihedral_angles_are_those_of_known_shapes() {
        // Regular: arccos 1/3.
        assert!(dihedral_angles(&regular()).iter().all(|a| (a - (1f64 / 3.0).acos().to_degrees()).abs() < 1e-12));
        // Corner of a cube: three right angles and three of arccos 1 / sqrt 3.
        let mut corner = dihedral_angles(&[Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]);
        corner.sort_by(f64::total_cmp);
        let slant = (1.0 / 3f64.sqrt()).acos().to_degrees();
        let expected = [slant, slant, slant, 90.0, 90.0, 90.0];
        assert!(corner.iter().zip(expected).all(|(a, e)| (a - e).abs() < 1e-12), "{corner:?}");
        // Nearly flat: three of nearly 180 degrees.
        let height = 1e-6;
        let flat = dihedral_angles(&[Vec3::x(), Vec3::y(), -Vec3::x() - Vec3::y(), Vec3::new(0.0, 0.0, height)]);
        assert!(flat.iter().all(|a| *a < 1e-3 || *a > 179.999), "{flat:?}");
        // Six tetrahedra around a diagonal of a cube: 45, 60 and 90 degrees.
        let [least, most] = block(2).dihedral_angles().unwrap();
        assert!((least - 45.0).abs() < 1e-12 && (most - 90.0).abs() < 1e-12);
        assert_eq!(TetMesh::default().dihedral_angles(), None);
    }

    #[test]
    fn quality_does_not_depend_on_size_and_place() {
        let p = regular();
        for scale in [1e-6, 1e6] {
            let moved = p.map(|x| (x + Vec3::new(0.3, -0.2, 0.1)) * scale);
            assert!((quality(&moved) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn the_worst_tetrahedron_is_named() {
        let mut mesh = block(2);
        let quality = mesh.quality().unwrap();
        // All six are alike: V = 1/6, edges 1 1 1, sqrt 2 twice, sqrt 3.
        let each = 2f64.sqrt() / (10.0f64 / 6.0).powf(1.5);
        assert!((quality.smallest - each).abs() < 1e-14 && (quality.mean - each).abs() < 1e-14);
        mesh.positions[13] += Vec3::new(0.0, 0.0, 0.4);
        let worse = mesh.quality().unwrap();
        assert!(worse.smallest < 0.5 * each && mesh.tets[worse.worst].contains(&13));
        assert_eq!(TetMesh::default().quality(), None);
    }

    #[test]
    fn the_boundary_of_a_block_is_closed_and_outward() {
        let mesh = block(3);
        let volume: f64 = mesh.tets.iter().map(|t| volume(&mesh.corners(t).unwrap())).sum();
        assert!((volume - 1.0).abs() < 1e-14);
        let surface = mesh.boundary();
        assert_eq!(surface.len(), 6 * 9 * 2);
        let topology = Topology::new(mesh.positions.len(), &surface);
        assert!(topology.edge_valence.iter().all(|v| *v == 2));
        let (mut flux, mut area) = (0.0, 0.0);
        for tri in &surface {
            let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
            let normal = (b - a).cross(&(c - a)) / 2.0;
            assert!(normal.dot(&((a + b + c) / 3.0 - Vec3::repeat(0.5))) > 0.0, "{tri:?} looks inward");
            flux += normal.dot(&a) / 3.0;
            area += normal.norm();
        }
        assert!((flux - 1.0).abs() < 1e-13 && (area - 6.0).abs() < 1e-13);
        let faults =
            check::check(&TriMesh { positions: mesh.positions.clone(), triangles: surface, ..TriMesh::default() });
        assert!(faults.iter().all(|f| f.kind == FaultKind::IsolatedVertex), "{faults:?}");
    }

    #[test]
    fn the_boundary_is_in_order_of_the_tetrahedra() {
        let mesh = TetMesh { tets: vec![[4, 1, 3, 2], [0, 1, 2, 3]], ..TetMesh::default() };
        assert_eq!(mesh.boundary(), [[4, 2, 3], [4, 1, 2], [4, 3, 1], [0, 3, 2], [0, 1, 3], [0, 2, 1]]);
    }

    #[test]
    fn a_mesh_of_the_other_convention_is_turned_as_a_whole() {
        let sound = block(2);
        let mut mesh = sound.clone();
        assert!(!mesh.orient());
        assert_eq!(mesh, sound);
        mesh.tets.iter_mut().for_each(|t| t.swap(2, 3));
        assert!(mesh.orient());
        assert_eq!(mesh, sound);
        mesh.tets[5].swap(0, 1);
        let mixed = mesh.clone();
        assert!(!mesh.orient());
        assert_eq!(mesh, mixed);
    }
}
