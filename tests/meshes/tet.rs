//! Tetrahedral meshes from files of other programs: the brick in `tests/data/tet` as Gmsh 4.15, meshio 5.3 and VTK 9.7
//! write it.
//!
//! The brick has six tetrahedra with eight corners, a point of the group `pin`, two triangles of the group
//! `lower side`, and an unused ninth vertex, which Gmsh leaves out of versions 2.2 and VTK.

use percale::linalg::Vec3;
use percale::linalg::random::Random;
use percale::mesh::check::{FaultKind, tet::check};
use percale::mesh::{MeshError, TetMesh, gmsh, tet, tetgen, vtk};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const TETS: [[u32; 4]; 6] = [[0, 1, 3, 7], [0, 1, 7, 5], [0, 2, 7, 3], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 7, 6]];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tet")
}

/// Returns every file by name. Both files of TetGen are joined by a zero byte.
fn files() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        if path.extension().is_some_and(|e| e == "md") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".node") {
            bytes.push(0);
            bytes.extend(fs::read(path.with_extension("ele")).unwrap());
        }
        if !name.ends_with(".ele") {
            files.insert(name, bytes);
        }
    }
    assert_eq!(files.len(), FILES);
    files
}

/// Number of files, with `.node` and `.ele` as one.
const FILES: usize = 20;

fn read(name: &str, bytes: &[u8]) -> Result<TetMesh, MeshError> {
    match name.rsplit('.').next() {
        Some("msh") => gmsh::read(bytes),
        Some("vtk") => vtk::read(bytes),
        _ => {
            let mut parts = bytes.splitn(2, |b| *b == 0);
            let nodes = tetgen::read_nodes(parts.next().unwrap_or_default())?;
            nodes.read_tets(parts.next().unwrap_or_default())
        }
    }
}

#[test]
fn every_file_holds_the_same_brick() {
    for (name, bytes) in files() {
        let mut mesh = read(&name, &bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let corners =
            (0..8).map(|i| Vec3::new(f64::from(i & 1) / 2.0, f64::from(i >> 1 & 1) / 4.0, f64::from(i >> 2) / 8.0));
        assert_eq!(mesh.positions[..8], corners.collect::<Vec<_>>(), "{name}");
        let without_ninth = name.starts_with("gmsh-2.2") || name.ends_with(".vtk") && name.starts_with("gmsh");
        assert_eq!(mesh.positions.len(), if without_ninth { 8 } else { 9 }, "{name}");
        if let Some(ninth) = mesh.positions.get(8) {
            let single = name.contains("single");
            assert!((ninth - Vec3::new(0.25, 0.125, 0.1)).norm() <= if single { 1e-8 } else { 0.0 }, "{name}");
        }
        assert_eq!(mesh.tets, TETS, "{name}");
        if name.starts_with("gmsh") && name.ends_with(".msh") {
            let all: Vec<u32> = (0..8).collect();
            let groups = [("body", &all[..]), ("foam", &all), ("lower side", &[0, 1, 2, 3]), ("pin", &[7])];
            let groups: BTreeMap<String, Vec<u32>> = groups.map(|(n, v)| (n.to_string(), v.to_vec())).into();
            assert_eq!(mesh.groups, groups, "{name}");
        } else {
            assert!(mesh.groups.is_empty(), "{name}");
        }
        assert!(!mesh.orient(), "{name}");
        let faults = check(&mesh);
        assert!(faults.iter().all(|f| f.kind == FaultKind::IsolatedVertex), "{name}: {faults:?}");
        assert_eq!(faults.len(), mesh.positions.len() - 8, "{name}");
        assert_eq!(mesh.boundary().len(), 12, "{name}");
        let volume: f64 = mesh.tets.iter().map(|t| tet::volume(&mesh.corners(t).unwrap())).sum();
        assert!((volume - 0.5 * 0.25 * 0.125).abs() < 1e-16, "{name}: {volume}");
    }
}

#[test]
fn lines_may_end_as_on_windows() {
    for (name, bytes) in files() {
        let Ok(text) = String::from_utf8(bytes.clone()) else { continue };
        if !name.contains("binary") && !name.contains("single") {
            let windows = read(&name, text.replace('\n', "\r\n").as_bytes());
            assert_eq!(windows, read(&name, &bytes), "{name}");
        }
    }
}

/// Asserts that a mesh that is read has finite numbers and valid indices.
fn sound(name: &str, mesh: &TetMesh) {
    let unusable = [FaultKind::NonFinite, FaultKind::IndexOutOfRange];
    assert!(check(mesh).iter().all(|f| !unusable.contains(&f.kind)), "{name}");
    assert!(mesh.groups.values().flatten().all(|v| (*v as usize) < mesh.positions.len()), "{name}");
}

#[test]
fn a_file_cut_short_is_an_error_at_every_byte() {
    for (name, bytes) in files() {
        let text = !name.contains("binary") && !name.contains("single");
        for end in 0..bytes.len() {
            let Ok(mesh) = read(&name, &bytes[..end]) else { continue };
            sound(&name, &mesh);
            // A file may end between two sections of Gmsh, or in the data behind the cells of VTK. In a text without an
            // end mark, the last number may lack digits.
            let last_digit = text && !name.ends_with(".msh") && mesh.tets.len() + 1 >= TETS.len();
            assert!(mesh.tets.is_empty() || mesh.tets == TETS || last_digit, "{name} cut at {end}: {:?}", mesh.tets);
        }
    }
}

#[test]
fn no_byte_makes_the_readers_panic() {
    let mut random = Random::new(1);
    for (name, bytes) in files() {
        let mut broken = bytes.clone();
        for at in 0..bytes.len() {
            for with in [0x00, 0x01, 0x0a, 0x20, 0x2d, 0x39, 0x7f, 0x80, 0xff] {
                broken[at] = with;
                if let Ok(mesh) = read(&name, &broken) {
                    sound(&name, &mesh);
                }
            }
            broken[at] = bytes[at];
        }
        for _ in 0..2000 {
            let mut broken = bytes.clone();
            for _ in 0..1 + random.below(4) {
                let (at, from, to) =
                    (random.below(bytes.len()), random.below(broken.len()), random.below(broken.len()));
                match random.below(3) {
                    0 => broken[from] = random.below(256) as u8,
                    1 => drop(broken.remove(from)),
                    _ => broken.insert(to, bytes[at]),
                }
            }
            if let Ok(mesh) = read(&name, &broken) {
                sound(&name, &mesh);
            }
        }
    }
}
