//! Checks and repairs of surfaces. Faces wound against their neighbours are reversed. An obstacle may have faults that
//! a cloth may not.

use super::{Fault, FaultKind, Places, Severity, check, degenerate, edge, triangle};
use crate::mesh::TriMesh;
use crate::mesh::turn::turn;

/// Reverses faces of a cloth, or of a surface to fill, that are wound against their neighbours. Reports them and all
/// other faults, in the order of [`FaultKind`].
pub fn surface(mesh: &mut TriMesh) -> Vec<Fault> {
    let turned = turn(mesh);
    let mut faults = check(mesh);
    let mut reported = Vec::new();
    let mut places = Places::default();
    let mut last = None;
    for t in turned.triangles {
        // A polygon is reported once.
        let face = mesh.source.faces.get(t).copied().unwrap_or(t as u32);
        if last.replace(face) != Some(face) {
            places.add(|| triangle(mesh, t));
        }
    }
    reported.extend(places.fault(
        FaultKind::TurnedFace,
        "face wound against its neighbours",
        "faces wound against their neighbours",
        "turned round, so that all normals point to the same side",
    ));
    let places = Places::of(&turned.one_sided, |ends| edge(&mesh.positions, *ends));
    if places.count > 0 {
        faults.retain(|fault| fault.kind != FaultKind::InconsistentWinding);
    }
    reported.extend(places.fault(
        FaultKind::OneSided,
        "edge where the winding has to change, since the surface has one side only, as a Moebius strip",
        "edges where the winding has to change, since the surface has one side only, as a Moebius strip",
        "cut it open there",
    ));
    let at = faults.iter().position(|f| f.kind as usize > FaultKind::OneSided as usize).unwrap_or(faults.len());
    faults.splice(at..at, reported);
    faults
}

/// Marks triangles without area or with a repeated vertex.
pub fn flat(mesh: &TriMesh) -> Vec<bool> {
    let known = |tri: &[u32; 3]| tri.iter().all(|v| (*v as usize) < mesh.positions.len());
    mesh.triangles.iter().map(|tri| known(tri) && degenerate(&mesh.positions, tri)).collect()
}

/// Removes the triangles of an obstacle that are `flat`. Reports them and all other faults. Faults that only a cloth
/// may not have are warnings.
pub fn obstacle(mesh: &mut TriMesh, flat: &[bool]) -> Vec<Fault> {
    let left_out = (0..mesh.triangles.len()).filter(|t| flat.get(*t) == Some(&true));
    let places = Places::of(left_out, |t| triangle(mesh, t));
    let nothing = places.count > 0 && places.count == mesh.triangles.len();
    let degenerate = places.fault(
        FaultKind::DegenerateTriangle,
        "degenerate triangle (a repeated vertex or no area)",
        "degenerate triangles (a repeated vertex or no area)",
        if nothing { "nothing of it could be touched" } else { "left out" },
    );
    if nothing {
        return degenerate.into_iter().collect();
    }
    mesh.leave_out(flat);
    let mut faults: Vec<Fault> =
        degenerate.map(|fault| Fault { severity: Severity::Warning, ..fault }).into_iter().collect();
    for mut fault in check(mesh) {
        match fault.kind {
            FaultKind::CoincidentVertices => continue,
            // Remaining degenerate triangles are flat at the start only, as in recorded shapes.
            FaultKind::DegenerateTriangle
            | FaultKind::DuplicateTriangle
            | FaultKind::NonManifoldEdge
            | FaultKind::InconsistentWinding => {
                fault.severity = Severity::Warning;
                let reported = fault.message.rfind("; ").unwrap_or(fault.message.len());
                fault.message.truncate(reported);
                fault.message.push_str("; an obstacle may have that");
            }
            _ => {}
        }
        faults.push(fault);
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::obj;

    /// Square, twice, with one triangle of the second reversed, a fin on its edge, and faces without area.
    const TEXT: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\nv 2 2 0\nv 0 0 0\n\
        f 1 2 3 4\nf 1 2 3\nf 1 3 5\nf 1 3 6\nf 7 1 2\n";

    #[test]
    fn an_obstacle_may_have_what_a_cloth_may_not() {
        let mut mesh = obj::read(TEXT.as_bytes()).unwrap();
        let kinds = |faults: &[Fault], severity: Severity| -> Vec<FaultKind> {
            faults.iter().filter(|f| f.severity == severity).map(|f| f.kind).collect()
        };
        let errors = kinds(&check(&mesh), Severity::Error);
        assert!(errors.contains(&FaultKind::DegenerateTriangle) && errors.contains(&FaultKind::NonManifoldEdge));
        let out = flat(&mesh);
        let faults = obstacle(&mut mesh, &out);
        assert_eq!(kinds(&faults, Severity::Error), []);
        assert_eq!((mesh.triangles.len(), mesh.positions.len()), (4, 7));
        assert!(
            faults[0].message.starts_with(
                "2 degenerate triangles (a repeated vertex or no area): face of line 11 (vertices 0 2 5) at "
            ) && faults[0].message.ends_with("; left out"),
            "{}",
            faults[0].message
        );
        assert!(faults.iter().any(|f| f.message.ends_with("; an obstacle may have that")), "{faults:?}");
        // An obstacle without any usable triangle is still an error.
        for (broken, kind) in [
            ("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", FaultKind::DegenerateTriangle),
            ("v 0 0 0\n", FaultKind::NoTriangles),
        ] {
            let mut mesh = obj::read(broken.as_bytes()).unwrap();
            let out = flat(&mesh);
            assert_eq!(kinds(&obstacle(&mut mesh, &out), Severity::Error), [kind]);
        }
    }
}
