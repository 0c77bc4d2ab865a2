//! Checks of triangle meshes. All faults are reported in words.

use crate::linalg::Vec3;
use crate::mesh::topology::{Hinge, Topology};
use crate::mesh::{TriMesh, seam};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Checks of tetrahedral meshes.
pub mod tet;

mod surface;

pub use surface::{flat, obstacle, surface};

/// Threshold of degenerate triangles: twice the area, relative to the longest edge squared.
const DEGENERATE: f64 = 1e-8;
/// Plausible diagonals of a bounding box [m]. Others are absurd for anything that a cloth touches.
pub const SENSIBLE_SIZE: RangeInclusive<f64> = 1e-3..=1e3;
/// Number of places that a message names.
const SHOWN: usize = 4;

/// Kind of fault of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A coordinate is NaN or infinite.
    NonFinite,
    /// A triangle or tetrahedron names a vertex that does not exist.
    IndexOutOfRange,
    /// Mesh without triangles.
    NoTriangles,
    /// A triangle with a repeated vertex or without area.
    DegenerateTriangle,
    /// Two triangles with the same three vertices.
    DuplicateTriangle,
    /// More than two triangles at an edge.
    NonManifoldEdge,
    /// Two triangles run along their shared edge in the same direction. One of them is inside out.
    InconsistentWinding,
    /// Faces that were wound against their neighbours and have been reversed.
    TurnedFace,
    /// Non-orientable surface: its faces cannot all be wound the same way.
    OneSided,
    /// Vertex of a border that lies on another one.
    CoincidentVertices,
    /// Mesh without tetrahedra.
    NoTetrahedra,
    /// A tetrahedron names a vertex twice.
    RepeatedVertex,
    /// A tetrahedron without volume.
    FlatTetrahedron,
    /// A tetrahedron of negative volume.
    InvertedTetrahedron,
    /// A tetrahedron with hardly any volume.
    SliverTetrahedron,
    /// Two tetrahedra with the same four vertices.
    DuplicateTetrahedron,
    /// More than two tetrahedra at a face.
    NonManifoldFace,
    /// Two tetrahedra on the same side of a face.
    OverlappingTetrahedra,
    /// A vertex of no triangle or tetrahedron.
    IsolatedVertex,
    /// Tetrahedra that are not connected by shared vertices.
    DisconnectedPieces,
    /// A bounding box below 1 mm or above 1 km.
    AbsurdScale,
}

/// Severity of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Simulation must not start.
    Error,
    /// Simulation may start.
    Warning,
}

/// All faults of one kind in a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Kind of fault.
    pub kind: FaultKind,
    /// Severity. Isolated and coincident vertices, turned faces, slivers, disconnected pieces and absurd scale are
    /// warnings. Faults of obstacles that only a cloth may not have are warnings, too. All others are errors.
    pub severity: Severity,
    /// Number of places.
    pub count: usize,
    /// Description, places and remedy.
    pub message: String,
}

/// Finds all faults of a mesh, in the order of [`FaultKind`]. A sound mesh has none.
pub fn check(mesh: &TriMesh) -> Vec<Fault> {
    look(mesh, &mesh.joined_triangles())
}

/// Finds all faults of a mesh whose triangles are `triangles`, with joined vertices replaced.
fn look(mesh: &TriMesh, triangles: &[[u32; 3]]) -> Vec<Fault> {
    let look = Look { mesh, p: &mesh.positions, triangles, topology: Topology::new(mesh.positions.len(), triangles) };
    let faults = [
        not_finite(look.p),
        look.out_of_range(),
        look.no_triangles(),
        look.degenerate(),
        look.duplicate(),
        look.non_manifold(),
        look.inconsistent(),
        look.coincident(),
        look.isolated(),
        absurd_scale(look.p),
    ];
    faults.into_iter().flatten().collect()
}

/// Mesh under examination.
struct Look<'a> {
    mesh: &'a TriMesh,
    p: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    topology: Topology,
}

impl Look<'_> {
    fn is_in_range(&self, t: usize) -> bool {
        self.triangles[t].iter().all(|v| (*v as usize) < self.p.len())
    }

    fn out_of_range(&self) -> Option<Fault> {
        let missing = (0..self.triangles.len()).filter(|t| !self.is_in_range(*t));
        Places::of(missing, |t| triangle(self.mesh, t)).fault(
            FaultKind::IndexOutOfRange,
            "triangle with a vertex that does not exist",
            "triangles with vertices that do not exist",
            "indices must be below the number of vertices",
        )
    }

    fn no_triangles(&self) -> Option<Fault> {
        let none = self.triangles.is_empty().then_some(self.p.len());
        Places::of(none, |count| format!("{count} vertices and no faces")).fault(
            FaultKind::NoTriangles,
            "mesh without triangles",
            "",
            "save it with its faces",
        )
    }

    fn degenerate(&self) -> Option<Fault> {
        let flat =
            (0..self.triangles.len()).filter(|t| self.is_in_range(*t) && degenerate(self.p, &self.triangles[*t]));
        Places::of(flat, |t| triangle(self.mesh, t)).fault(
            FaultKind::DegenerateTriangle,
            "degenerate triangle (a repeated vertex or no area)",
            "degenerate triangles (a repeated vertex or no area)",
            "remove them or merge their vertices",
        )
    }

    fn duplicate(&self) -> Option<Fault> {
        let again =
            |[first, t]: [usize; 2]| format!("{} again as {}", self.mesh.source.named(first), triangle(self.mesh, t));
        Places::of(repeated(&by_vertices(self.triangles)), again).fault(
            FaultKind::DuplicateTriangle,
            "duplicate triangle",
            "duplicate triangles",
            "keep one of each",
        )
    }

    fn non_manifold(&self) -> Option<Fault> {
        let edges = self.topology.edges.iter().zip(&self.topology.edge_valence);
        let crowded = edges.filter(|(ends, valence)| **valence > 2 && ends[0] != ends[1]);
        Places::of(crowded, |(ends, valence)| format!("{} with {valence} triangles", edge(self.p, *ends))).fault(
            FaultKind::NonManifoldEdge,
            "non-manifold edge",
            "non-manifold edges",
            "at most two triangles may share an edge",
        )
    }

    fn inconsistent(&self) -> Option<Fault> {
        let alike = self.topology.hinges.iter().filter(|hinge| {
            let [a, b, ..] = hinge.vertices;
            let second = self.triangles[hinge.triangles[1] as usize];
            (0..3).any(|k| second[k] == a && second[(k + 1) % 3] == b)
        });
        let name = |hinge: &Hinge| {
            let [s, t] = hinge.triangles.map(|t| self.mesh.source.named(t as usize));
            format!("{s} and {t} at {}", edge(self.p, self.topology.edges[hinge.edge as usize]))
        };
        Places::of(alike, name).fault(
            FaultKind::InconsistentWinding,
            "edge where the winding changes",
            "edges where the winding changes",
            "make all normals point to the same side",
        )
    }

    fn coincident(&self) -> Option<Fault> {
        Places::of(seam::coincident(self.mesh), |[on, v]| format!("{} on {on}", vertex(self.p, v as usize))).fault(
            FaultKind::CoincidentVertices,
            "border vertex that lies on another one",
            "border vertices that lie on another one",
            "where that is a seam, weld = \"0.1 mm\" in the [[cloth]] joins them",
        )
    }

    fn isolated(&self) -> Option<Fault> {
        let is_alone = |v: &usize| {
            let own = self.mesh.joined.get(*v).is_none_or(|first| *first as usize == *v);
            own && self.topology.vertex_triangles(*v).is_empty() && !self.triangles.is_empty()
        };
        Places::of((0..self.p.len()).filter(is_alone), |v| vertex(self.p, v)).fault(
            FaultKind::IsolatedVertex,
            "vertex of no triangle",
            "vertices of no triangle",
            "they take no part in anything",
        )
    }
}

fn not_finite(p: &[Vec3]) -> Option<Fault> {
    Places::of((0..p.len()).filter(|v| !finite(&p[*v])), |v| vertex(p, v)).fault(
        FaultKind::NonFinite,
        "vertex that is not finite",
        "vertices that are not finite",
        "every coordinate must be a finite number",
    )
}

/// Sorts elements by their vertices, each in ascending order.
fn by_vertices<const N: usize>(elements: &[[u32; N]]) -> Vec<([u32; N], usize)> {
    let named = |(e, vertices): (usize, &[u32; N])| {
        let mut key = *vertices;
        key.sort_unstable();
        (key, e)
    };
    let mut sorted: Vec<_> = elements.iter().enumerate().map(named).collect();
    sorted.sort_unstable();
    sorted
}

/// Returns pairs of elements with the same vertices, from a list of [`by_vertices`].
fn repeated<const N: usize>(sorted: &[([u32; N], usize)]) -> impl Iterator<Item = [usize; 2]> {
    sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| [pair[0].1, pair[1].1])
}

/// Places of one kind of fault. All are counted, and the first few are named.
#[derive(Default)]
struct Places {
    count: usize,
    text: String,
}

impl Places {
    fn of<T>(items: impl IntoIterator<Item = T>, name: impl Fn(T) -> String) -> Places {
        let mut places = Places::default();
        items.into_iter().for_each(|item| places.add(|| name(item)));
        places
    }

    fn add(&mut self, name: impl FnOnce() -> String) {
        if self.count < SHOWN {
            if self.count > 0 {
                self.text.push_str(", ");
            }
            self.text.push_str(&name());
        } else if self.count == SHOWN {
            self.text.push_str(", ...");
        }
        self.count += 1;
    }

    /// Returns the fault, if there is any place of it.
    fn fault(self, kind: FaultKind, singular: &str, plural: &str, remedy: &str) -> Option<Fault> {
        let severity = match kind {
            FaultKind::IsolatedVertex
            | FaultKind::CoincidentVertices
            | FaultKind::TurnedFace
            | FaultKind::SliverTetrahedron
            | FaultKind::DisconnectedPieces => Severity::Warning,
            _ => Severity::Error,
        };
        let noun = if self.count == 1 { singular } else { plural };
        let message = format!("{} {noun}: {}; {remedy}", self.count, self.text);
        (self.count > 0).then_some(Fault { kind, severity, count: self.count, message })
    }
}

fn finite(p: &Vec3) -> bool {
    p.iter().all(|x| x.is_finite())
}

fn degenerate(p: &[Vec3], tri: &[u32; 3]) -> bool {
    let [a, b, c] = tri.map(|v| p[v as usize]);
    if tri[0] == tri[1] || tri[1] == tri[2] || tri[2] == tri[0] {
        return true;
    }
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    // Vertices that are not finite are reported elsewhere. NaN compares false.
    (b - a).cross(&(c - a)).norm() <= DEGENERATE * longest
}

fn place(p: &[Vec3], v: u32) -> String {
    p.get(v as usize).map_or_else(|| "nowhere".into(), |p| format!("({:.4}, {:.4}, {:.4})", p.x, p.y, p.z))
}

fn vertex(p: &[Vec3], v: usize) -> String {
    format!("vertex {v} at {}", place(p, v as u32))
}

fn edge(p: &[Vec3], [a, b]: [u32; 2]) -> String {
    format!("edge {a}-{b} at {}", place(p, a))
}

fn triangle(mesh: &TriMesh, t: usize) -> String {
    let [a, b, c] = mesh.triangles[t];
    format!("{} (vertices {a} {b} {c}) at {}", mesh.source.named(t), place(&mesh.positions, a))
}

fn absurd_scale(p: &[Vec3]) -> Option<Fault> {
    let mut finite = p.iter().filter(|x| finite(x));
    let first = finite.next()?;
    let (min, max) = finite.fold((*first, *first), |(lo, hi), x| (lo.inf(x), hi.sup(x)));
    let size = (max - min).norm();
    if SENSIBLE_SIZE.contains(&size) || p.len() < 2 {
        return None;
    }
    let mut message = format!("the bounding box measures {size:.4e} m from corner to corner; lengths are metres");
    let guesses: [(f64, &str); 3] = if size > 1.0 {
        [(1e-3, "millimetres"), (1e-2, "centimetres"), (1e-6, "micrometres")]
    } else {
        [(1e3, "kilometres"), (1e2, "hectometres"), (0.0254, "inches")]
    };
    let sensible = guesses.iter().find(|(scale, _)| (0.01..=100.0).contains(&(scale * size)));
    // Writing to a String cannot fail.
    let _ = match sensible {
        Some((scale, unit)) => write!(message, "; if the file is in {unit}, scale it by {scale}"),
        None => write!(message, "; scale it by {:.0e} to make it one metre", 1.0 / size.max(1e-300)),
    };
    Some(Fault { kind: FaultKind::AbsurdScale, severity: Severity::Warning, count: 1, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(points: &[[f64; 3]], triangles: &[[u32; 3]]) -> TriMesh {
        TriMesh {
            positions: points.iter().map(|p| Vec3::from(*p)).collect(),
            triangles: triangles.to_vec(),
            ..TriMesh::default()
        }
    }

    const SQUARE: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

    fn only(mesh: &TriMesh) -> Fault {
        let mut faults = check(mesh);
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults.remove(0)
    }

    #[test]
    fn a_sound_mesh_has_no_fault() {
        assert_eq!(check(&mesh(&SQUARE, &[[0, 1, 2], [0, 2, 3]])), []);
    }

    #[test]
    fn each_fault_is_told_with_its_place() {
        let mut points = SQUARE.to_vec();
        points.push([2.0, 0.0, 0.0]);
        let fault = only(&mesh(&points, &[[0, 1, 2], [0, 2, 3], [1, 0, 4]]));
        assert_eq!(fault.kind, FaultKind::DegenerateTriangle, "collinear");
        assert_eq!(
            fault.message,
            "1 degenerate triangle (a repeated vertex or no area): triangle 2 (vertices 1 0 4) at (1.0000, 0.0000, 0.0000); \
             remove them or merge their vertices"
        );
        let fault = only(&mesh(&SQUARE, &[[0, 1, 2], [0, 3, 2]]));
        assert_eq!((fault.kind, fault.severity), (FaultKind::InconsistentWinding, Severity::Error));
        assert!(fault.message.contains("triangle 0 and triangle 1 at edge 0-2"), "{}", fault.message);
        points[4] = [0.5, 0.5, 1.0];
        let fault = only(&mesh(&points, &[[0, 1, 2], [0, 2, 3], [2, 0, 4]]));
        assert_eq!(fault.kind, FaultKind::NonManifoldEdge);
        assert!(fault.message.contains("edge 0-2 at (0.0000, 0.0000, 0.0000) with 3 triangles"), "{}", fault.message);
        let fault = only(&mesh(&points, &[[0, 1, 2], [0, 2, 3]]));
        assert_eq!((fault.kind, fault.severity), (FaultKind::IsolatedVertex, Severity::Warning));
        assert!(fault.message.starts_with("1 vertex of no triangle: vertex 4 at (0.5000, 0.5000, 1.0000)"));
        assert_eq!(only(&mesh(&SQUARE, &[])).kind, FaultKind::NoTriangles);
        let faults = check(&mesh(&SQUARE, &[[0, 1, 2], [2, 0, 1], [0, 2, 3]]));
        assert!(faults.iter().any(|f| f.kind == FaultKind::DuplicateTriangle
            && f.message.contains("triangle 0 again as triangle 1")));
        points[4] = [f64::NAN, 0.0, 0.0];
        let faults = check(&mesh(&points, &[[0, 1, 4], [0, 7, 1], [1, 1, 2]]));
        let kinds: Vec<FaultKind> = faults.iter().map(|f| f.kind).collect();
        assert_eq!(
            kinds,
            [
                FaultKind::NonFinite,
                FaultKind::IndexOutOfRange,
                FaultKind::DegenerateTriangle,
                FaultKind::IsolatedVertex
            ]
        );
    }

    #[test]
    fn many_places_are_counted_and_few_named() {
        let points: Vec<[f64; 3]> = (0..100).map(|i| [0.1 * f64::from(i), 0.01 * f64::from(i * i), 0.0]).collect();
        let fault = only(&mesh(&points, &[[0, 1, 2]]));
        assert_eq!(fault.count, 97);
        assert!(
            fault.message.starts_with("97 vertices of no triangle: vertex 3 at") && fault.message.contains(", ...;")
        );
    }

    #[test]
    fn a_file_in_millimetres_is_noticed() {
        let points = SQUARE.map(|p| p.map(|x| 1500.0 * x));
        let fault = only(&mesh(&points, &[[0, 1, 2], [0, 2, 3]]));
        assert_eq!((fault.kind, fault.severity), (FaultKind::AbsurdScale, Severity::Warning));
        assert!(fault.message.ends_with("if the file is in millimetres, scale it by 0.001"), "{}", fault.message);
        let points = SQUARE.map(|p| p.map(|x| 1e-4 * x));
        assert!(only(&mesh(&points, &[[0, 1, 2], [0, 2, 3]])).message.contains("scale it by 1000"));
    }
}
