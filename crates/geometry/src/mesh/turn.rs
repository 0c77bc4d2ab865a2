//! Reversal of triangles that are wound against their neighbours.

use crate::mesh::TriMesh;
use crate::mesh::topology::{NONE, Topology};

/// Result of [`turn`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turned {
    /// Reversed triangles, ascending.
    pub triangles: Vec<usize>,
    /// Edges of non-orientable surfaces, where the winding must change.
    pub one_sided: Vec<[u32; 2]>,
}

/// Reverses triangles so that neighbours over an edge of two are wound the same way. In each piece the minority is
/// reversed. If both are as many, those unlike the first triangle are. Non-orientable pieces stay unchanged.
pub fn turn(mesh: &mut TriMesh) -> Turned {
    let triangles = mesh.joined_triangles();
    let topology = Topology::new(mesh.positions.len(), &triangles);
    let along = |t: u32, [a, b]: [u32; 2]| {
        let t = &triangles[t as usize];
        (0..3).any(|k| t[k] == a && t[(k + 1) % 3] == b)
    };
    let mut found = Turned::default();
    // Whether each triangle is wound unlike the first of its piece.
    let mut other: Vec<Option<bool>> = vec![None; triangles.len()];
    for start in 0..triangles.len() {
        if other[start].is_some() {
            continue;
        }
        other[start] = Some(false);
        let (mut piece, mut next, mut one_sided) = (vec![start], 0, Vec::new());
        while let Some(&t) = piece.get(next) {
            next += 1;
            for e in topology.triangle_edges[t].iter().filter(|e| **e != NONE).map(|e| *e as usize) {
                let [s, u] = topology.edge_triangles[e];
                if topology.edge_valence[e] != 2 || s == u {
                    continue;
                }
                let neighbour = if s as usize == t { u } else { s };
                let ends = topology.edges[e];
                let wanted = other[t].map(|own| own != (along(t as u32, ends) == along(neighbour, ends)));
                let known = &mut other[neighbour as usize];
                if known.is_none() {
                    *known = wanted;
                    piece.push(neighbour as usize);
                } else if *known != wanted && !one_sided.contains(&ends) {
                    one_sided.push(ends);
                }
            }
        }
        let turned = piece.iter().filter(|t| other[**t] == Some(true)).count();
        if one_sided.is_empty() {
            let fewer = 2 * turned <= piece.len();
            found.triangles.extend(piece.into_iter().filter(|t| other[*t] == Some(fewer)));
        } else {
            found.one_sided.extend(one_sided);
        }
    }
    found.triangles.sort_unstable();
    for t in &found.triangles {
        mesh.triangles[*t].swap(1, 2);
        if let Some(uv) = mesh.uv_triangles.get_mut(*t) {
            uv.swap(1, 2);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec3;
    use crate::mesh::{check, generate, obj};

    #[test]
    fn the_fewer_are_turned_in_each_piece() {
        let mut mesh = generate::sphere(Vec3::zeros(), 0.5, 0.1);
        let whole = mesh.clone();
        let far = generate::sphere(Vec3::x() * 3.0, 0.5, 0.1);
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(&far.positions);
        mesh.triangles.extend(far.triangles.iter().map(|t| t.map(|v| v + first)));
        let wanted = mesh.triangles.clone();
        for t in [0, 5, 6, whole.triangles.len() + 2] {
            mesh.triangles[t].swap(0, 1);
        }
        let mut sound = mesh.clone();
        let turned = turn(&mut sound);
        assert_eq!(turned.triangles, [0, 5, 6, whole.triangles.len() + 2]);
        assert_eq!(check::check(&sound), []);
        let rotated = |a: &[u32; 3], b: &[u32; 3]| (0..3).any(|k| [a[k], a[(k + 1) % 3], a[(k + 2) % 3]] == *b);
        assert!(sound.triangles.iter().zip(&wanted).all(|(a, b)| rotated(a, b)));
        assert_eq!(turn(&mut sound), Turned::default());
    }

    /// Makes a band of `n` quads, with its end joined to its start, with or without a twist.
    fn band(n: usize, twisted: bool) -> String {
        let mut text = String::new();
        for k in 0..n {
            let a = std::f64::consts::TAU * k as f64 / n as f64;
            let (half, r) = if twisted { (a / 2.0, 1.0) } else { (0.3, 1.0) };
            for s in [-0.2, 0.2] {
                let d = r + s * half.cos();
                text += &format!("v {} {} {}\n", d * a.cos(), s * half.sin(), d * a.sin());
            }
        }
        for k in 0..n {
            let (a, b, mut c, mut d) = (2 * k + 1, 2 * k + 2, 2 * ((k + 1) % n) + 2, 2 * ((k + 1) % n) + 1);
            if twisted && k + 1 == n {
                (c, d) = (d, c);
            }
            text += &if k % 3 == 2 { format!("f {d} {c} {b} {a}\n") } else { format!("f {a} {b} {c} {d}\n") };
        }
        text
    }

    #[test]
    fn a_band_with_one_side_is_refused() {
        let mut plain = obj::read(band(12, false).as_bytes()).unwrap();
        let faults = check::surface(&mut plain);
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert_eq!(
            (fault.kind, fault.severity, fault.count),
            (check::FaultKind::TurnedFace, check::Severity::Warning, 4)
        );
        assert!(
            fault.message.starts_with("4 faces wound against their neighbours: face of line 27 (vertices "),
            "{}",
            fault.message
        );
        assert_eq!(check::check(&plain), []);
        let mut twisted = obj::read(band(12, true).as_bytes()).unwrap();
        let before = twisted.clone();
        let faults = check::surface(&mut twisted);
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        assert_eq!((fault.kind, fault.severity), (check::FaultKind::OneSided, check::Severity::Error));
        assert!(fault.message.contains("as a Moebius strip"), "{}", fault.message);
        assert_eq!(twisted, before);
    }
}
