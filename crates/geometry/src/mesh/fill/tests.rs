use super::lattice::{DIRECTIONS, Site, stepped};
use super::*;
use crate::linalg::Rotation;
use crate::mesh::generate::tests::volume as enclosed;
use crate::mesh::generate::{capsule, cuboid, sphere};
use crate::mesh::tet::{dihedral_angles, volume};
use crate::mesh::topology::Topology;
use crate::mesh::{self, check};
use std::f64::consts::PI;
use std::path::Path;

/// Number of tried positions in the range of a moved site or a cut.
const LEVELS: usize = 3;

/// Corner of a tetrahedron: its side, and the edge (of 14) and the level by which it has moved.
#[derive(Clone, Copy)]
struct Corner {
    first: i8,
    moved: Option<(usize, usize)>,
}

/// Calls `visit` for every state of four corners, at least one of them inside. A site moves along an edge whose other
/// end was on the other side. Only one end of an edge moves along it, as the edge is cut once.
fn every_state(corners: &[Site; 4], visit: &mut impl FnMut(&[Corner; 4])) {
    let mut states = Vec::new();
    for first in [1, -1] {
        states.push(Corner { first, moved: None });
        states.extend((0..14 * LEVELS).map(|n| Corner { first, moved: Some((n / LEVELS, n % LEVELS)) }));
    }
    let target = |k: usize, c: &Corner| {
        let (n, _) = c.moved?;
        corners.iter().position(|s| *s == stepped(corners[k], DIRECTIONS[n / 2], [1, -1][n % 2]))
    };
    let fits = |chosen: &[Corner]| {
        let new = chosen.len() - 1;
        (0..new).all(|k| {
            let (to, back) = (target(k, &chosen[k]), target(new, &chosen[new]));
            let opposite = chosen[k].first != chosen[new].first;
            match (to == Some(new), back == Some(k)) {
                (true, true) => false,
                (false, false) => true,
                _ => opposite,
            }
        })
    };
    let mut chosen = Vec::new();
    descend(&states, &fits, &mut chosen, visit);
}

fn descend(
    states: &[Corner],
    fits: &impl Fn(&[Corner]) -> bool,
    chosen: &mut Vec<Corner>,
    visit: &mut impl FnMut(&[Corner; 4]),
) {
    if let Ok(all) = <&[Corner; 4]>::try_from(&chosen[..]) {
        if all.iter().any(|c| c.first == 1 && c.moved.is_none()) {
            visit(all);
        }
        return;
    }
    // The first three corners are moved or outside, so the last one must be inside and not moved.
    let last = chosen.len() == 3 && chosen.iter().all(|c| c.moved.is_some() || c.first == -1);
    for state in &states[..if last { 1 } else { states.len() }] {
        chosen.push(*state);
        if fits(chosen) {
            descend(states, fits, chosen, visit);
        }
        chosen.pop();
    }
}

/// Every stencil with sites and cuts at the ends and in the middle of their ranges keeps the bounds and comes near to
/// them.
#[test]
fn all_stencils_keep_the_angles() {
    let lattice = Lattice::new(&Vec3::zeros(), &Vec3::repeat(1.0), 1.0);
    let part = |level: usize| level as f64 / (LEVELS - 1) as f64;
    let (mut least, mut most) = (f64::INFINITY, 0f64);
    // These two are mirror images. All others are alike.
    for corners in Lattice::tetrahedra([4, 4, 4]).take(2) {
        let base = corners.map(|site| lattice.position(site));
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        (0..4).for_each(|k| pairs.extend((0..k).map(|j| (j, k))));
        every_state(&corners, &mut |state| {
            let signs = state.map(|c| if c.moved.is_some() { 0 } else { c.first });
            let placed: [Vec3; 4] = std::array::from_fn(|k| match state[k].moved {
                Some((n, level)) => {
                    let other = stepped(corners[k], DIRECTIONS[n / 2], [1, -1][n % 2]);
                    base[k].lerp(&lattice.position(other), near(n / 2) * part(level))
                }
                None => base[k],
            });
            let cut: Vec<Edge> = pairs
                .iter()
                .filter(|(j, k)| signs[*j] * signs[*k] < 0)
                .map(|(j, k)| lattice.edge(corners[*j], corners[*k]))
                .collect();
            let mut tets = Vec::new();
            stencil::fill(&lattice, corners, signs, &mut tets);
            for choice in 0..LEVELS.pow(cut.len() as u32) {
                let place = |vertex: Vertex| match cut.iter().position(|edge| *edge == vertex) {
                    Some(n) => {
                        let near = near(lattice::parts(vertex).1);
                        let level = part(choice / LEVELS.pow(n as u32) % LEVELS);
                        lattice.along(vertex, near + (1.0 - 2.0 * near) * level)
                    }
                    None => placed[corners.iter().position(|s| 8 * lattice.index(*s) as Vertex == vertex).unwrap()],
                };
                for tet in &tets {
                    let p = tet.map(place);
                    assert!(volume(&p) > 0.0, "{signs:?}");
                    for angle in dihedral_angles(&p) {
                        (least, most) = (least.min(angle), most.max(angle));
                    }
                }
            }
        });
    }
    assert!(least > ANGLES[0] && most < ANGLES[1], "{least} {most}");
    assert!(least < ANGLES[0] + 0.1 && most > ANGLES[1] - 0.1, "{least} {most}");
}

#[test]
fn tetrahedra_of_the_lattice_fill_space() {
    let mut sum = 0.0;
    for tet in Lattice::tetrahedra([0, 2, 4]) {
        let p = tet.map(|s: Site| Vec3::from(s.map(|k| 0.5 * k as f64)));
        assert!((volume(&p) - 1.0 / 12.0).abs() < 1e-15);
        sum += volume(&p);
        for angle in dihedral_angles(&p) {
            assert!((angle - 60.0).abs() < 1e-12 || (angle - 90.0).abs() < 1e-12, "{angle}");
        }
    }
    assert!((sum - 1.0).abs() < 1e-14);
}

fn solid_volume(mesh: &TetMesh) -> f64 {
    mesh.tets.iter().map(|t| volume(&mesh.corners(t).unwrap())).sum()
}

/// Reads a closed mesh that comes with the project.
fn shipped(name: &str) -> TriMesh {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes").join(name);
    mesh::read("ply", &std::fs::read(file).unwrap()).unwrap()
}

/// Fills a surface, checks all guarantees for any mesh, and returns it.
fn filled(surface: &TriMesh, size: f64) -> TetMesh {
    let mesh = fill(surface, size).unwrap_or_else(|fault| panic!("{fault}"));
    let faults = check::tet::check(&mesh);
    assert!(faults.iter().all(|f| f.kind == check::FaultKind::DisconnectedPieces), "{faults:?}");
    let [least, most] = mesh.dihedral_angles().unwrap();
    assert!(least > ANGLES[0] && most < ANGLES[1], "{least} {most}");

    // Each boundary edge has two faces, each boundary vertex one fan of them, and the boundary encloses the same
    // volume.
    let mut outside = TriMesh { positions: mesh.positions.clone(), triangles: mesh.boundary(), ..TriMesh::default() };
    let mut number = vec![u32::MAX; mesh.positions.len()];
    outside.triangles.iter().flatten().for_each(|v| number[*v as usize] = 0);
    let mut next = 0..;
    number.iter_mut().filter(|n| **n == 0).for_each(|n| *n = next.next().unwrap());
    outside.positions = (0..number.len()).filter(|v| number[*v] != u32::MAX).map(|v| mesh.positions[v]).collect();
    outside.triangles.iter_mut().flatten().for_each(|v| *v = number[*v as usize]);
    assert!(shape::Shape::new(&outside).is_ok(), "{:?}", shape::Shape::new(&outside).err());
    let (inner, outer) = (solid_volume(&mesh), enclosed(&outside));
    assert!((inner - outer).abs() < 1e-11 * inner, "{inner} {outer}");
    mesh
}

fn turned(mut surface: TriMesh) -> TriMesh {
    let rotation = Rotation::from_euler_angles(0.3, 0.7, -0.4);
    surface.positions.iter_mut().for_each(|p| *p = rotation * *p + Vec3::new(0.01, 0.02, -0.03));
    surface
}

/// Makes a torus around the z-axis, of radii 0.3 and 0.1.
fn torus() -> TriMesh {
    let (long, short) = (96, 32);
    let at = |(i, j): (u32, u32)| {
        let [u, v] = [(i, long), (j, short)].map(|(k, n)| 2.0 * PI * f64::from(k) / f64::from(n));
        let r = 0.3 + 0.1 * v.cos();
        Vec3::new(r * u.cos(), r * u.sin(), 0.1 * v.sin())
    };
    let all = || (0..long).flat_map(|i| (0..short).map(move |j| (i, j)));
    let vertex = |i: u32, j: u32| i % long * short + j % short;
    let cells = all().flat_map(|(i, j)| {
        let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    TriMesh { positions: all().map(at).collect(), triangles: cells.collect(), ..TriMesh::default() }
}

#[test]
fn the_volume_of_a_sphere_converges_at_second_order() {
    let ball = sphere(Vec3::new(0.1, 0.2, 0.3), 0.25, 0.006);
    let exact = enclosed(&ball);
    assert!((exact / (4.0 / 3.0 * PI * 0.25f64.powi(3)) - 1.0).abs() < 1e-3);
    let mut lost = Vec::new();
    for size in [0.05, 0.025, 0.0125] {
        let mesh = filled(&ball, size);
        lost.push(1.0 - solid_volume(&mesh) / exact);
        // The boundary lies on the surface.
        let mut boundary = mesh.boundary();
        boundary.iter_mut().flatten().for_each(|v| {
            let radius = (mesh.positions[*v as usize] - Vec3::new(0.1, 0.2, 0.3)).norm();
            assert!(radius < 0.25 + 1e-7 * size && radius > 0.2499 - 1e-7 * size, "{radius}");
        });
    }
    for pair in lost.windows(2) {
        assert!(pair[0] > 0.0 && pair[0] / pair[1] > 3.5 && pair[0] / pair[1] < 4.5, "{lost:?}");
    }
}

#[test]
fn boxes_are_exact_where_they_fit_and_rounded_where_not() {
    let (min, max) = (Vec3::new(-0.2, 0.1, 0.3), Vec3::new(0.2, 0.4, 0.5));
    let brick = cuboid(min, max, 1.0);
    let mesh = filled(&brick, 0.05);
    assert!((solid_volume(&mesh) / 0.024 - 1.0).abs() < 1e-6, "{}", solid_volume(&mesh));
    // When the brick is rotated, its twelve edges are cut off.
    for size in [0.05, 0.025] {
        let brick = turned(brick.clone());
        let mesh = filled(&brick, size);
        let lost = 0.024 - solid_volume(&mesh);
        // A right-angled edge loses a triangle with sides of less than a cell.
        let edges = 4.0 * (0.4 + 0.3 + 0.2);
        assert!(lost > 0.0 && lost < edges * size * size / 2.0, "{lost}");
        let corner = |p: &Vec3| mesh.positions.iter().map(|q| (q - p).norm()).fold(f64::INFINITY, f64::min);
        let furthest = brick.positions.iter().map(corner).fold(0.0, f64::max);
        assert!(furthest < size, "{furthest}");
    }
}

#[test]
fn holes_stay() {
    let mesh = filled(&turned(torus()), 0.04);
    let exact = 2.0 * PI * PI * 0.3 * 0.01;
    assert!((solid_volume(&mesh) / exact - 1.0).abs() < 0.05);
    let boundary = mesh.boundary();
    let topology = Topology::new(mesh.positions.len(), &boundary);
    let vertices = (0..mesh.positions.len()).filter(|v| !topology.vertex_triangles(*v).is_empty()).count();
    assert_eq!(vertices + boundary.len(), topology.edges.len());
}

#[test]
fn a_thin_slab_is_filled_or_refused() {
    let slab = turned(cuboid(Vec3::zeros(), Vec3::new(0.4, 0.4, 0.02), 0.1));
    let mesh = filled(&slab, 0.012);
    assert!(solid_volume(&mesh) > 0.9 * 0.4 * 0.4 * 0.02);
    // Thinner parts must not vanish unnoticed: the mesh is complete or refused.
    for size in [0.014, 0.017, 0.02, 0.024, 0.03, 0.05, 0.1, 0.3] {
        match fill(&slab, size) {
            Ok(_) => drop(filled(&slab, size)),
            Err(fault) => assert!(size > 0.016 && fault.to_string().contains("too coarse"), "{size}: {fault}"),
        }
    }
    // A long spindle loses its tips, which are thinner than a cell for eight cells.
    let mut spindle = octahedron();
    spindle.positions.iter_mut().for_each(|p| *p = p.component_mul(&Vec3::new(1.0, 0.05, 0.05)));
    let fault = fill(&spindle, 0.03).unwrap_err();
    assert!(matches!(fault, FillFault::Vanished { count: 2, of: 6, .. }), "{fault}");
}

#[test]
fn generated_solids_are_filled() {
    let block = cuboid(Vec3::new(-0.15, -0.05, -0.1), Vec3::new(0.15, 0.05, 0.1), 0.05);
    for (solid, size) in [(block, 0.025), (shipped("cushion.ply"), 0.015), (shipped("hull.ply"), 0.15)] {
        let part = solid_volume(&filled(&solid, size)) / enclosed(&solid);
        assert!(part > 0.96 && part < 1.0 + 1e-6, "{part}");
    }
}

#[test]
fn a_mannequin_is_filled() {
    let body = shipped("mannequin.ply");
    let exact = enclosed(&body);
    for (size, least) in [(0.04, 0.96), (0.02, 0.99)] {
        let mesh = filled(&body, size);
        let part = solid_volume(&mesh) / exact;
        assert!(part > least && part < 1.0, "{part}");
        let quality = mesh.quality().unwrap();
        assert!(quality.smallest > 0.2 && quality.mean > 0.8, "{quality:?}");
    }
}

/// Makes an octahedron with corners at a distance of 1 m along the axes.
fn octahedron() -> TriMesh {
    TriMesh {
        positions: [Vec3::x(), Vec3::y(), Vec3::z()].into_iter().flat_map(|p| [p, -p]).collect(),
        triangles: vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]],
        ..TriMesh::default()
    }
}

/// Turns a surface inside out.
fn inverted(mut surface: TriMesh) -> TriMesh {
    surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    surface
}

fn together(surfaces: &[TriMesh]) -> TriMesh {
    let mut all = TriMesh::default();
    for one in surfaces {
        let first = all.positions.len() as u32;
        all.positions.extend(&one.positions);
        all.triangles.extend(one.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

fn ball(x: f64, radius: f64) -> TriMesh {
    sphere(Vec3::new(x, 0.0, 0.0), radius, 0.25 * radius)
}

#[test]
fn pieces_stay_apart_and_cavities_open() {
    let two = filled(&together(&[ball(0.0, 0.1), ball(0.21, 0.1)]), 0.02);
    let faults = check::tet::check(&two);
    assert_eq!(faults.len(), 1);
    assert_eq!((faults[0].kind, faults[0].count), (check::FaultKind::DisconnectedPieces, 2));
    let shell = filled(&together(&[ball(0.0, 0.1), inverted(ball(0.0, 0.05))]), 0.02);
    let exact = enclosed(&ball(0.0, 0.1)) - enclosed(&ball(0.0, 0.05));
    assert!((solid_volume(&shell) / exact - 1.0).abs() < 0.05);
    // A surface that is inside out as a whole is reversed.
    assert_eq!(fill(&inverted(ball(0.0, 0.1)), 0.02).unwrap(), fill(&ball(0.0, 0.1), 0.02).unwrap());
    // These two balls cross.
    let fault = fill(&together(&[ball(0.0, 0.1), ball(0.185, 0.1)]), 0.02).unwrap_err();
    assert!(matches!(fault, FillFault::Joined { .. }), "{fault}");
    // The second ball is inside out, so it encloses nothing.
    let fault = fill(&together(&[ball(0.0, 0.1), inverted(ball(0.3, 0.08))]), 0.02).unwrap_err();
    assert!(matches!(fault, FillFault::Vanished { .. }), "{fault}");
}

#[test]
fn the_same_on_any_number_of_threads() {
    let body = turned(capsule(Vec3::zeros(), Vec3::y() * 0.4, 0.1, 0.02));
    let one = par::with_threads(1, || fill(&body, 0.02)).unwrap().unwrap();
    let four = par::with_threads(4, || fill(&body, 0.02)).unwrap().unwrap();
    assert_eq!(one, four);
    filled(&body, 0.02);
}

/// Flat sides, edges and corners are exactly on lattice points and lines, where only integers decide.
#[test]
fn surfaces_on_the_lattice_are_met_exactly() {
    for size in [0.25, 0.125, 0.0625] {
        let mesh = filled(&octahedron(), size);
        // Half of the corner cells may be lost.
        let volume = solid_volume(&mesh);
        assert!(volume < 4.0 / 3.0 + 1e-6 && volume > 4.0 / 3.0 * (1.0 - 2.0 * size * size), "{size}: {volume}");
        let cube = cuboid(Vec3::zeros(), Vec3::repeat(1.0), 0.3);
        assert!((solid_volume(&filled(&cube, size)) - 1.0).abs() < 1e-6);
    }
}

#[test]
fn what_cannot_be_filled_is_told() {
    let describe = |surface: &TriMesh, size: f64| fill(surface, size).unwrap_err().to_string();
    let sound = ball(0.0, 0.1);
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(describe(&sound, size).contains("must be a positive number"));
    }
    let mut open = sound.clone();
    open.triangles.pop();
    let message = describe(&open, 0.02);
    assert!(message.starts_with("the surface is open: 3 edges have one triangle only, the first is "), "{message}");
    let mut infinite = sound.clone();
    infinite.positions[3].x = f64::NAN;
    assert!(describe(&infinite, 0.02).contains("not finite"));
    let mut crowded = sound.clone();
    crowded.triangles.push([sound.triangles[0][0], sound.triangles[0][1], sound.triangles[9][2]]);
    assert!(describe(&crowded, 0.02).contains("non-manifold edge"));
    assert!(describe(&TriMesh::default(), 0.02).starts_with("the surface cannot be filled"));
    // Two tetrahedra that share a corner.
    let corner = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z(), -Vec3::x(), -Vec3::y(), -Vec3::z()];
    let touching = TriMesh {
        positions: corner.to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3], [0, 4, 5], [0, 6, 4], [4, 6, 5], [5, 6, 0]],
        ..TriMesh::default()
    };
    assert!(
        describe(&touching, 0.1).starts_with("parts of the surface touch at vertex 0"),
        "{}",
        describe(&touching, 0.1)
    );
    let flat = TriMesh {
        positions: vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(0.3, 0.3, 0.0)],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
        ..TriMesh::default()
    };
    assert_eq!(describe(&flat, 0.1), "the surface encloses no volume");
    assert!(describe(&sound, 1e-4).contains("at least 2.3"), "{}", describe(&sound, 1e-4));
    assert!(describe(&sound, 1e-300).contains("too fine"));
    assert!(describe(&sound, 1.0).contains("vanishes at"));
    // The size that the message gives is allowed.
    let FillFault::TooFine { least, .. } = fill(&sound, 1e-4).unwrap_err() else { unreachable!() };
    assert!(12.0 * enclosed(&sound) / (1.001 * least).powi(3) < MOST);
}
