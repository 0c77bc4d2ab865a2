//! Checks of tetrahedral meshes. All faults are reported in words.

use super::{Fault, FaultKind, Places, absurd_scale, by_vertices, finite, not_finite, place, repeated, vertex};
use crate::linalg::Vec3;
use crate::mesh::TetMesh;
use crate::mesh::tet::{FLAT, Face, quality};

/// Quality below which a tetrahedron is reported. Its height is then about a hundredth of its edges.
const SLIVER: f64 = 0.01;

/// Finds all faults of a mesh, in the order of [`FaultKind`]. A sound mesh has none.
///
/// Must be called after [`TetMesh::orient`]. In a mesh of the other orientation all tetrahedra are inverted.
pub fn check(mesh: &TetMesh) -> Vec<Fault> {
    let (p, tets) = (&mesh.positions, &mesh.tets);
    let Shapes { sign, faults: [missing, repeated, flat, inverted, slivers] } = Shapes::new(mesh);
    let sorted = by_vertices(tets);
    let [crowded, overlapping] = faces(mesh, &sorted, &sign);
    let pieces = Pieces::new(mesh);
    let faults = [
        not_finite(p),
        missing,
        no_tetrahedra(mesh),
        repeated,
        flat,
        inverted,
        slivers,
        duplicate(mesh, &sorted),
        crowded,
        overlapping,
        isolated(mesh, &pieces),
        disconnected(mesh, &pieces),
        absurd_scale(p),
    ];
    faults.into_iter().flatten().collect()
}

/// Faults of single tetrahedra.
struct Shapes {
    /// Sign of each volume, 1 or -1; 0 if there is none, for any reason.
    sign: Vec<i8>,
    /// Faults in the order of [`FaultKind`].
    faults: [Option<Fault>; 5],
}

impl Shapes {
    fn new(mesh: &TetMesh) -> Shapes {
        let (p, tets) = (&mesh.positions, &mesh.tets);
        let mut sign = vec![0i8; tets.len()];
        let [mut missing, mut repeated, mut flat, mut inverted, mut slivers]: [Places; 5] = Default::default();
        for (t, tet) in tets.iter().enumerate() {
            let name = || tetrahedron(p, t, tet);
            let Some(corners) = mesh.corners(tet) else {
                missing.add(name);
                continue;
            };
            if (1..4).any(|k| tet[..k].contains(&tet[k])) {
                repeated.add(name);
                continue;
            }
            if !corners.iter().all(finite) {
                continue;
            }
            match quality(&corners) {
                quality if quality < -FLAT => {
                    sign[t] = -1;
                    inverted.add(name);
                }
                quality if quality > FLAT => {
                    sign[t] = 1;
                    if quality < SLIVER {
                        slivers.add(|| format!("{}, quality {quality:.1e}", name()));
                    }
                }
                _ => flat.add(name),
            }
        }
        Shapes { sign, faults: Shapes::faults([missing, repeated, flat, inverted, slivers]) }
    }

    /// Words the faults.
    fn faults([missing, repeated, flat, inverted, slivers]: [Places; 5]) -> [Option<Fault>; 5] {
        [
            missing.fault(
                FaultKind::IndexOutOfRange,
                "tetrahedron with a vertex that does not exist",
                "tetrahedra with vertices that do not exist",
                "indices must be below the number of vertices",
            ),
            repeated.fault(
                FaultKind::RepeatedVertex,
                "tetrahedron with a repeated vertex",
                "tetrahedra with a repeated vertex",
                "remove them",
            ),
            flat.fault(
                FaultKind::FlatTetrahedron,
                "flat tetrahedron (no volume)",
                "flat tetrahedra (no volume)",
                "remove them or move their vertices apart",
            ),
            inverted.fault(
                FaultKind::InvertedTetrahedron,
                "inverted tetrahedron (negative volume)",
                "inverted tetrahedra (negative volume)",
                "swap two vertices of each, or untangle them where they overlap their neighbours",
            ),
            slivers.fault(
                FaultKind::SliverTetrahedron,
                "tetrahedron with hardly any volume",
                "tetrahedra with hardly any volume",
                "each is far stiffer than its neighbours and makes steps slow; mesh the body again with better ones",
            ),
        ]
    }
}

fn no_tetrahedra(mesh: &TetMesh) -> Option<Fault> {
    let none = mesh.tets.is_empty().then_some(mesh.positions.len());
    Places::of(none, |count| format!("{count} vertices and no 4-node tetrahedra")).fault(
        FaultKind::NoTetrahedra,
        "mesh without tetrahedra",
        "",
        "save it with its volume elements",
    )
}

fn duplicate(mesh: &TetMesh, sorted: &[([u32; 4], usize)]) -> Option<Fault> {
    let again = |[first, t]: [usize; 2]| {
        format!("tetrahedron {first} again as {}", tetrahedron(&mesh.positions, t, &mesh.tets[t]))
    };
    Places::of(repeated(sorted), again).fault(
        FaultKind::DuplicateTetrahedron,
        "duplicate tetrahedron",
        "duplicate tetrahedra",
        "keep one of each",
    )
}

/// Finds faces with more than two tetrahedra, and faces with two on the same side.
fn faces(mesh: &TetMesh, sorted: &[([u32; 4], usize)], sign: &[i8]) -> [Option<Fault>; 2] {
    let (p, tets) = (&mesh.positions, &mesh.tets);
    // Duplicate tetrahedra are reported once, not also by each face.
    let mut first = vec![true; tets.len()];
    repeated(sorted).for_each(|[_, t]| first[t] = false);
    let mut faces = Face::sorted(tets);
    faces.retain(|f| first[f.tet as usize] && f.key[0] != f.key[1] && f.key[1] != f.key[2]);
    let [mut crowded, mut overlapping]: [Places; 2] = Default::default();
    for shared in faces.chunk_by(|a, b| a.key == b.key) {
        match shared {
            [s, t] => {
                let signs = [s, t].map(|f| sign[f.tet as usize]);
                // Two neighbours see their face in opposite senses. An inverted tetrahedron sees the wrong one.
                let same_sense = odd(s.vertices(tets)) == odd(t.vertices(tets));
                if signs[0] * signs[1] != 0 && same_sense == (signs[0] == signs[1]) {
                    overlapping.add(|| format!("tetrahedra {} and {} at {}", s.tet, t.tet, face(p, s.key)));
                }
            }
            [_, _, _, ..] => crowded.add(|| format!("{} with {} tetrahedra", face(p, shared[0].key), shared.len())),
            _ => {}
        }
    }
    [
        crowded.fault(
            FaultKind::NonManifoldFace,
            "face of more than two tetrahedra",
            "faces of more than two tetrahedra",
            "at most two tetrahedra may share a face",
        ),
        overlapping.fault(
            FaultKind::OverlappingTetrahedra,
            "pair of tetrahedra on the same side of their face",
            "pairs of tetrahedra on the same side of their face",
            "neighbours must lie on both sides of it",
        ),
    ]
}

fn isolated(mesh: &TetMesh, pieces: &Pieces) -> Option<Fault> {
    let p = &mesh.positions;
    let alone = (0..p.len()).filter(|v| !pieces.used[*v] && !mesh.tets.is_empty());
    Places::of(alone, |v| vertex(p, v)).fault(
        FaultKind::IsolatedVertex,
        "vertex of no tetrahedron",
        "vertices of no tetrahedron",
        "they take no part in anything",
    )
}

fn disconnected(mesh: &TetMesh, pieces: &Pieces) -> Option<Fault> {
    let several = if pieces.list.len() > 1 { &pieces.list[..] } else { &[] };
    let name = |[first, count]: &[usize; 2]| {
        format!("{count} tetrahedra around {}", tetrahedron(&mesh.positions, *first, &mesh.tets[*first]))
    };
    Places::of(several, name).fault(
        FaultKind::DisconnectedPieces,
        "",
        "disconnected pieces",
        "they move independently unless something holds them together",
    )
}

/// Pieces of a mesh: tetrahedra joined by shared vertices.
struct Pieces {
    /// Set for vertices of any tetrahedron.
    used: Vec<bool>,
    /// First tetrahedron and number of tetrahedra of each piece.
    list: Vec<[usize; 2]>,
}

impl Pieces {
    fn new(mesh: &TetMesh) -> Self {
        let vertices = mesh.positions.len();
        let mut used = vec![false; vertices];
        // Union-find: every vertex points towards the smallest of its piece.
        let mut parent: Vec<usize> = (0..vertices).collect();
        let sound = || mesh.tets.iter().enumerate().filter(|(_, tet)| tet.iter().all(|v| (*v as usize) < vertices));
        for (_, tet) in sound() {
            let first = root(&mut parent, tet[0] as usize);
            tet.iter().for_each(|v| used[*v as usize] = true);
            let least = tet.iter().fold(first, |least, v| least.min(root(&mut parent, *v as usize)));
            for v in tet {
                let top = root(&mut parent, *v as usize);
                parent[top] = least;
            }
        }
        let mut list: Vec<[usize; 2]> = Vec::new();
        let mut piece = vec![usize::MAX; vertices];
        for (t, tet) in sound() {
            let top = root(&mut parent, tet[0] as usize);
            if piece[top] == usize::MAX {
                piece[top] = list.len();
                list.push([t, 0]);
            }
            list[piece[top]][1] += 1;
        }
        Self { used, list }
    }
}

fn root(parent: &mut [usize], mut v: usize) -> usize {
    while parent[v] != v {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    v
}

/// Returns whether three different numbers are an odd permutation of their ascending order.
fn odd([a, b, c]: [u32; 3]) -> bool {
    (a > b) ^ (a > c) ^ (b > c)
}

fn face(p: &[Vec3], [a, b, c]: [u32; 3]) -> String {
    format!("face {a}-{b}-{c} at {}", place(p, a))
}

fn tetrahedron(p: &[Vec3], t: usize, tet: &[u32; 4]) -> String {
    format!("tetrahedron {t} (vertices {} {} {} {}) at {}", tet[0], tet[1], tet[2], tet[3], place(p, tet[0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::check::Severity;

    /// Makes two tetrahedra on both sides of the face 1 2 3, with more points and tetrahedra.
    fn mesh(points: &[[f64; 3]], tets: &[[u32; 4]]) -> TetMesh {
        let sound = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
        let mut mesh = TetMesh { tets: vec![[0, 1, 2, 3], [4, 1, 3, 2]], ..TetMesh::default() };
        mesh.positions.extend(sound.iter().chain(points).map(|p| Vec3::from(*p)));
        mesh.tets.extend(tets);
        mesh
    }

    fn kinds(mesh: &TetMesh) -> Vec<FaultKind> {
        check(mesh).iter().map(|f| f.kind).collect()
    }

    fn only(mesh: &TetMesh) -> Fault {
        let mut faults = check(mesh);
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults.remove(0)
    }

    #[test]
    fn a_sound_mesh_has_no_fault() {
        assert_eq!(check(&mesh(&[], &[])), []);
    }

    #[test]
    fn numbers_and_indices_are_checked() {
        let mut bad = mesh(&[], &[]);
        bad.positions[4].y = f64::NAN;
        let fault = only(&bad);
        assert_eq!((fault.kind, fault.severity), (FaultKind::NonFinite, Severity::Error));
        let fault = only(&mesh(&[], &[[0, 1, 2, 7]]));
        assert_eq!((fault.kind, fault.count), (FaultKind::IndexOutOfRange, 1));
        assert_eq!(
            fault.message,
            "1 tetrahedron with a vertex that does not exist: tetrahedron 2 (vertices 0 1 2 7) at (0.0000, 0.0000, 0.0000); \
             indices must be below the number of vertices"
        );
        let fault = only(&mesh(&[], &[[0, 4, 0, 3]]));
        assert_eq!(fault.kind, FaultKind::RepeatedVertex);
        let mut none = mesh(&[], &[]);
        none.tets.clear();
        let fault = only(&none);
        assert_eq!(fault.kind, FaultKind::NoTetrahedra);
        assert!(fault.message.contains("5 vertices and no 4-node tetrahedra"), "{}", fault.message);
    }

    #[test]
    fn flat_is_relative_to_the_edges() {
        for scale in [1e-3, 1.0, 30.0] {
            for (height, is_flat, is_sliver) in [
                (0.0, true, false),
                (1e-7, true, false),
                (-1e-7, true, false),
                (1e-5, false, true),
                (0.1, false, false),
            ] {
                let mut mesh = mesh(&[], &[]);
                mesh.tets.pop();
                mesh.positions.pop();
                mesh.positions[3] = Vec3::new(0.3, 0.3, height);
                mesh.positions.iter_mut().for_each(|p| *p *= scale);
                let faults = kinds(&mesh);
                assert_eq!(faults.contains(&FaultKind::FlatTetrahedron), is_flat, "{scale} {height}: {faults:?}");
                assert_eq!(faults.contains(&FaultKind::SliverTetrahedron), is_sliver, "{scale} {height}: {faults:?}");
                assert!(!faults.contains(&FaultKind::InvertedTetrahedron));
            }
        }
        let mut point = mesh(&[], &[]);
        point.positions.iter_mut().for_each(|p| *p = Vec3::x());
        assert!(kinds(&point).contains(&FaultKind::FlatTetrahedron));
    }

    #[test]
    fn inverted_is_told_by_element() {
        let mut one = mesh(&[], &[]);
        one.tets[1].swap(0, 1);
        assert!(!one.orient());
        let fault = only(&one);
        assert_eq!(fault.kind, FaultKind::InvertedTetrahedron);
        assert!(
            fault.message.contains("tetrahedron 1 (vertices 1 4 3 2) at (1.0000, 0.0000, 0.0000)"),
            "{}",
            fault.message
        );
        one.tets[0].swap(0, 1);
        assert_eq!(only(&one).count, 2);
        assert!(one.orient());
        assert_eq!(check(&one), []);
    }

    #[test]
    fn an_element_pushed_through_its_neighbour_is_inverted() {
        let mut through = mesh(&[], &[]);
        through.positions[4] = Vec3::new(0.1, 0.1, 0.1);
        assert_eq!(kinds(&through), [FaultKind::InvertedTetrahedron, FaultKind::OverlappingTetrahedra]);
        // Renumbering makes the volume positive, but the tetrahedron still lies in the other one.
        through.tets[1].swap(0, 1);
        let fault = only(&through);
        assert_eq!(fault.kind, FaultKind::OverlappingTetrahedra);
        assert!(
            fault.message.contains("tetrahedra 0 and 1 at face 1-2-3 at (1.0000, 0.0000, 0.0000)"),
            "{}",
            fault.message
        );
    }

    #[test]
    fn a_face_has_two_tetrahedra_at_most() {
        let fault = only(&mesh(&[[2.0, 2.0, 2.0]], &[[5, 1, 3, 2]]));
        assert_eq!(fault.kind, FaultKind::NonManifoldFace);
        assert!(
            fault.message.contains("face 1-2-3 at (1.0000, 0.0000, 0.0000) with 3 tetrahedra"),
            "{}",
            fault.message
        );
        let fault = only(&mesh(&[], &[[1, 2, 0, 3], [2, 0, 1, 3]]));
        assert_eq!((fault.kind, fault.count), (FaultKind::DuplicateTetrahedron, 2));
        assert!(fault.message.contains("tetrahedron 0 again as tetrahedron 2"), "{}", fault.message);
    }

    #[test]
    fn loose_parts_are_warned_of() {
        let fault = only(&mesh(&[[5.0, 5.0, 5.0]], &[]));
        assert_eq!((fault.kind, fault.severity), (FaultKind::IsolatedVertex, Severity::Warning));
        let far = [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0], [5.0, 0.0, 1.0]];
        let fault = only(&mesh(&far, &[[5, 6, 7, 8]]));
        assert_eq!((fault.kind, fault.severity, fault.count), (FaultKind::DisconnectedPieces, Severity::Warning, 2));
        assert!(
            fault.message.starts_with(
                "2 disconnected pieces: 2 tetrahedra around tetrahedron 0 (vertices 0 1 2 3) at (0.0000, 0.0000, 0.0000), \
                 1 tetrahedra around tetrahedron 2"
            ),
            "{}",
            fault.message
        );
        // A third tetrahedron joins both by their corners.
        let joined = mesh(&far, &[[5, 6, 7, 8], [0, 5, 2, 8]]);
        assert!(!kinds(&joined).contains(&FaultKind::DisconnectedPieces));
    }

    #[test]
    fn a_file_in_millimetres_is_noticed() {
        let mut large = mesh(&[], &[]);
        large.positions.iter_mut().for_each(|p| *p *= 1500.0);
        let fault = only(&large);
        assert_eq!((fault.kind, fault.severity), (FaultKind::AbsurdScale, Severity::Warning));
    }
}
