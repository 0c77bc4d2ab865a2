//! Tests of the mesh generators.

use super::garment::{Panel, sew};
use super::*;
use percale::collision::intersect::intersections;
use percale::effect::air::gas;
use percale::linalg::Vec2;
use percale::mesh::check::check;
use percale::mesh::generate::smallest_angle;
use percale::mesh::topology::Topology;
use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::PI;

/// Asserts that a mesh is sound, closed, connected and of genus 0, with outward normals and no angle below `angle`
/// degrees.
fn assert_closed(mesh: &TriMesh, angle: f64) {
    assert_eq!(check(mesh), []);
    let t = Topology::new(mesh.positions.len(), &mesh.triangles);
    assert!(t.edge_valence.iter().all(|v| *v == 2));
    assert_eq!(mesh.positions.len() + mesh.triangles.len(), t.edges.len() + 2, "Euler characteristic of a sphere");
    assert!(volume(mesh) > 0.0);
    assert!(smallest_angle(mesh) >= angle, "smallest angle {} degrees", smallest_angle(mesh));
}

/// Returns the enclosed volume, positive for outward normals.
fn volume(mesh: &TriMesh) -> f64 {
    gas::volume(&mesh.triangles, |v| mesh.positions[v])
}

/// Returns the largest relative difference between an edge in space and in the chart.
fn chart_strain(mesh: &TriMesh) -> f64 {
    let mut largest: f64 = 0.0;
    for (tri, chart) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
        for k in 0..3 {
            let (i, j) = (k, (k + 1) % 3);
            let space = (mesh.positions[tri[i] as usize] - mesh.positions[tri[j] as usize]).norm();
            let flat = (mesh.uv[chart[i] as usize] - mesh.uv[chart[j] as usize]).norm();
            largest = largest.max((space / flat - 1.0).abs());
        }
    }
    largest
}

/// Asserts that the garment intersects neither itself nor the mannequin. Every garment vertex and edge midpoint is at
/// least `gap` [m] away from the mannequin, and every mannequin vertex and edge midpoint from the garment.
fn assert_clear(garment: &TriMesh, gap: f64) {
    let body = mannequin(MANNEQUIN);
    assert_eq!(crossings(garment, garment, true), 0, "the garment meets itself");
    assert_eq!(crossings(garment, &body, false) + crossings(&body, garment, false), 0, "the garment meets the body");
    let nearest = nearest(garment, &body).min(nearest(&body, garment));
    assert!(nearest >= gap, "gap {nearest}");
}

fn corners(mesh: &TriMesh) -> Vec<[Vec3; 3]> {
    mesh.triangles.iter().map(|tri| tri.map(|v| mesh.positions[v as usize])).collect()
}

/// Sorts triangles into cells of 3 cm, each into every cell that its bounding box overlaps.
fn cells(triangles: &[[Vec3; 3]], margin: f64) -> BTreeMap<[i64; 3], Vec<usize>> {
    let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    for (t, [a, b, c]) in triangles.iter().enumerate() {
        let low = (a.inf(b).inf(c) - Vec3::repeat(margin)).map(|x| (x / 0.03).floor() as i64);
        let high = (a.sup(b).sup(c) + Vec3::repeat(margin)).map(|x| (x / 0.03).floor() as i64);
        for i in low.x..=high.x {
            for j in low.y..=high.y {
                for k in low.z..=high.z {
                    cells.entry([i, j, k]).or_default().push(t);
                }
            }
        }
    }
    cells
}

/// Counts edges of `a` that cross triangles of `b`. Pairs that share a vertex are skipped within the same mesh.
fn crossings(a: &TriMesh, b: &TriMesh, same: bool) -> usize {
    let triangles = corners(b);
    let grid = cells(&triangles, 0.0);
    let mut count = 0;
    for edge in Topology::new(a.positions.len(), &a.triangles).edges {
        let [p, q] = edge.map(|v| a.positions[v as usize]);
        let key = |x: f64| (x / 0.03).floor() as i64;
        let (low, high) = (p.inf(&q).map(key), p.sup(&q).map(key));
        let mut near: Vec<usize> = Vec::new();
        for i in low.x..=high.x {
            for j in low.y..=high.y {
                for k in low.z..=high.z {
                    near.extend(grid.get(&[i, j, k]).into_iter().flatten());
                }
            }
        }
        near.sort_unstable();
        near.dedup();
        for t in near {
            if same && b.triangles[t].iter().any(|v| edge.contains(v)) {
                continue;
            }
            let [x, y, z] = triangles[t];
            let volume = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| (b - a).cross(&(c - a)).dot(&(d - a));
            let sides = volume(x, y, z, p) * volume(x, y, z, q);
            let around = [volume(p, q, x, y), volume(p, q, y, z), volume(p, q, z, x)];
            if sides <= 0.0 && (around.iter().all(|v| *v >= 0.0) || around.iter().all(|v| *v <= 0.0)) {
                count += 1;
            }
        }
    }
    count
}

/// Returns the smallest distance from vertices and edge midpoints of `a` to triangles of `b`, up to 2 cm.
fn nearest(a: &TriMesh, b: &TriMesh) -> f64 {
    let triangles = corners(b);
    let grid = cells(&triangles, 0.02);
    let edges = Topology::new(a.positions.len(), &a.triangles).edges;
    let middles = edges.iter().map(|e| 0.5 * (a.positions[e[0] as usize] + a.positions[e[1] as usize]));
    let mut nearest: f64 = 0.02;
    for p in a.positions.iter().copied().chain(middles) {
        let cell = p.map(|x| (x / 0.03).floor() as i64);
        for &t in grid.get(&[cell.x, cell.y, cell.z]).into_iter().flatten() {
            nearest = nearest.min((closest_point(p, triangles[t]) - p).norm());
        }
    }
    nearest
}

/// Returns the point of a triangle nearest to `p`: its projection, or the nearest point of an edge.
fn closest_point(p: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let normal = (b - a).cross(&(c - a));
    let foot = p - normal * (normal.dot(&(p - a)) / normal.norm_squared());
    let inside = |x: Vec3, y: Vec3| (y - x).cross(&(foot - x)).dot(&normal) >= 0.0;
    if inside(a, b) && inside(b, c) && inside(c, a) {
        return foot;
    }
    let on = |x: Vec3, y: Vec3| x + (y - x) * ((p - x).dot(&(y - x)) / (y - x).norm_squared()).clamp(0.0, 1.0);
    let mut best = on(a, b);
    for q in [on(b, c), on(c, a)] {
        if (q - p).norm() < (best - p).norm() {
            best = q;
        }
    }
    best
}

#[test]
fn dragon_has_points_and_hollows() {
    let mesh = dragon(0.005);
    assert_closed(&mesh, 10.0);
    assert!((8_000..12_000).contains(&mesh.positions.len()), "{} vertices", mesh.positions.len());
    assert_eq!(crossings(&mesh, &mesh, true), 0);
    let (low, high) =
        mesh.positions.iter().fold((mesh.positions[0], mesh.positions[0]), |(l, h), p| (l.inf(p), h.sup(p)));
    assert!((high.x - low.x - 0.337).abs() < 0.01 && (high.y - 0.274).abs() < 0.01 && low.y.abs() < 0.003);
    // The volume is far below that of the bounding box.
    assert!(volume(&mesh) < 0.12 * (high - low).product(), "{}", volume(&mesh));
}

#[test]
fn a_cushion_is_closed_and_as_large_as_asked() {
    let mesh = cushion(0.4, 0.12, 0.012);
    assert_closed(&mesh, 15.0);
    let high = mesh.positions.iter().fold(Vec3::zeros(), |high, p| high.sup(p));
    // The seam lies between two vertices.
    assert!(high.x > 0.19 && high.x < 0.2001 && (high.y - 0.06).abs() < 1e-3, "{high:?}");
    // The volume is between that of a double pyramid and of a box.
    let box_volume = 0.4 * 0.4 * 0.12;
    assert!(volume(&mesh) > 0.4 * box_volume && volume(&mesh) < 0.7 * box_volume, "{}", volume(&mesh) / box_volume);
}

#[test]
fn a_funnel_is_a_thick_wall_with_a_hole() {
    let mesh = funnel(0.5, 0.12, 0.35, 0.25, 0.01, 0.03);
    assert_eq!(check(&mesh), []);
    let t = Topology::new(mesh.positions.len(), &mesh.triangles);
    assert!(t.edge_valence.iter().all(|v| *v == 2));
    assert_eq!(mesh.positions.len() + mesh.triangles.len(), t.edges.len(), "Euler characteristic of a torus");
    // Pappus: area of the profile times the path of its centroid, within the 0.13 % by which 72 corners differ from a
    // circle and the wall's part of the radius.
    let cone = 0.01 * 0.38f64.hypot(0.35) * 2.0 * PI * 0.31;
    let tube = 0.01 * 0.25 * 2.0 * PI * 0.125;
    assert!((volume(&mesh) / (cone + tube) - 1.0).abs() < 0.02, "{}", volume(&mesh) / (cone + tube));
    let inside = mesh.positions.iter().map(|p| p.x.hypot(p.z)).fold(f64::MAX, f64::min);
    assert!((inside - 0.12).abs() < 1e-12);
}

/// Every part of a piece of furniture is closed, and 2 mm or more away from the others, as obstacles are asked to be.
#[test]
fn furniture_is_of_closed_parts_that_do_not_touch() {
    for (mesh, parts, size) in
        [(bed(), 9, [1.62, 1.02, 2.15]), (table(), 9, [0.9, 0.75, 0.9]), (sofa(), 12, [1.74, 0.91, 0.9])]
    {
        assert_eq!(check(&mesh), []);
        let t = Topology::new(mesh.positions.len(), &mesh.triangles);
        assert!(t.edge_valence.iter().all(|v| *v == 2));
        assert_eq!(mesh.positions.len() + mesh.triangles.len(), t.edges.len() + 2 * parts, "Euler characteristic");
        assert!(mesh.positions.len() < 7_000, "{} vertices", mesh.positions.len());
        // Cells along edges are long and narrow.
        assert!(smallest_angle(&mesh) > 1.5, "{}", smallest_angle(&mesh));
        let [low, high] = mesh.positions.iter().fold([mesh.positions[0]; 2], |[l, h], p| [l.inf(p), h.sup(p)]);
        assert!(((high - low) - Vec3::from(size)).amax() < 0.02 && low.y > 0.002, "{low} {high}");
        assert_eq!(intersections(&mesh.positions, &mesh.triangles, |_, _| false).pairs.len(), 0);
        let all: Vec<TriMesh> = components(&mesh);
        assert_eq!(all.len(), parts);
        for (k, one) in all.iter().enumerate() {
            assert!(volume(one) > 0.0);
            for other in &all[..k] {
                let apart = nearest(one, other).min(nearest(other, one));
                assert!(apart > 2e-3, "{apart} m apart");
            }
        }
    }
}

/// Returns the connected parts of a mesh.
fn components(mesh: &TriMesh) -> Vec<TriMesh> {
    let mut of: Vec<usize> = (0..mesh.positions.len()).collect();
    loop {
        let before = of.clone();
        for t in &mesh.triangles {
            let least = t.map(|v| of[v as usize]).into_iter().fold(usize::MAX, usize::min);
            t.iter().for_each(|v| of[*v as usize] = least);
        }
        if of == before {
            break;
        }
    }
    let names: BTreeSet<usize> = of.iter().copied().collect();
    let part = |name: usize| {
        let own: Vec<usize> = (0..of.len()).filter(|v| of[*v] == name).collect();
        let place = |v: u32| own.binary_search(&(v as usize)).unwrap() as u32;
        let triangles = mesh.triangles.iter().filter(|t| of[t[0] as usize] == name).map(|t| t.map(place)).collect();
        TriMesh { positions: own.iter().map(|v| mesh.positions[*v]).collect(), triangles, ..TriMesh::default() }
    };
    names.into_iter().map(part).collect()
}

#[test]
fn a_plump_pillow_is_closed_and_has_corners() {
    let mesh = plump(Vec3::new(0.7, 0.18, 0.48), 0.0165);
    assert_closed(&mesh, 12.0);
    assert_eq!(crossings(&mesh, &mesh, true), 0);
    // Corners stand out from the middle of the sides by more than a centimetre.
    let widest =
        |z: std::ops::Range<f64>| mesh.positions.iter().filter(|p| z.contains(&p.z)).map(|p| p.x).fold(0.0, f64::max);
    let (corner, middle) = (widest(0.17..0.24), widest(-0.03..0.03));
    assert!(corner > middle + 0.01 && corner > 0.32 && corner < 0.3501, "{corner} {middle}");
}

#[test]
fn a_half_cylinder_flattens_without_strain() {
    let (columns, rows) = (21u32, 11u32);
    let mut positions = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let angle = PI * f64::from(column) / f64::from(columns - 1);
            positions.push(Vec3::new(-angle.cos(), 0.1 * f64::from(row), angle.sin()));
        }
    }
    let ids: Vec<Vec<Option<u32>>> =
        (0..rows).map(|row| (0..columns).map(|column| Some(row * columns + column)).collect()).collect();
    let mut panel = Panel::of_rows(&positions, &ids, [1.0, 1.0]);
    // An initial guess that is squeezed and sheared.
    for p in &mut panel.pattern {
        *p = Vec2::new(0.8 * p.x + 0.1 * p.y, p.y);
    }
    let mesh = sew(&positions, &[panel]);
    let strain = chart_strain(&mesh);
    assert!(strain < 1e-4, "{strain}");
}

#[test]
fn a_hull_is_closed_in_both_sizes() {
    for (spacing, vertices) in [(0.07, 4_500..6_000), (0.0365, 16_000..20_000)] {
        let mesh = hull(spacing);
        assert!(vertices.contains(&mesh.positions.len()), "{}", mesh.positions.len());
        assert_closed(&mesh, 12.0);
    }
}

#[test]
fn a_mannequin_is_closed_and_stands() {
    let mesh = mannequin(0.016);
    assert!((5_000..10_000).contains(&mesh.positions.len()), "{}", mesh.positions.len());
    assert_closed(&mesh, 16.0);
    let (low, high) = mesh.positions.iter().fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p.y), h.max(p.y)));
    assert!(low.abs() < 0.003 && (high - 1.70).abs() < 0.02, "{low} {high}");
}

#[test]
fn a_pillow_is_closed_and_nearly_unstretched() {
    let mesh = pillow(0.5, 0.04, 29);
    assert_eq!(mesh.groups["seam"].len(), 120);
    assert_closed(&mesh, 30.0);
    let strain = chart_strain(&mesh);
    assert!(strain < 0.03, "{strain}");
}

#[test]
fn spikes_and_wedges_are_closed() {
    let mesh = spike(0.1, 0.3, 4);
    assert_closed(&mesh, 16.0);
    // A third of base times height. The square's diagonal is 0.2 m.
    assert!((volume(&mesh) - 0.02 * 0.3 / 3.0).abs() < 1e-15);
    let mesh = wedge(0.4, 0.1, 0.1, 4);
    assert_closed(&mesh, 26.0);
    assert!((volume(&mesh) - 0.4 * 0.1 * 0.1).abs() < 1e-15);
}

#[test]
fn needles_stand_apart() {
    let mesh = needles(3, 0.1, 0.005, 0.1);
    let one = spike(0.005, 0.1, 6);
    assert_eq!(mesh.positions.len(), 9 * one.positions.len());
    assert!((volume(&mesh) - 9.0 * volume(&one)).abs() < 1e-12);
    assert_eq!(mesh.positions.iter().filter(|p| p.y == 0.1).count(), 9);
}

#[test]
fn a_skirt_is_a_tube_clear_of_the_mannequin() {
    let mesh = skirt(96, 38);
    assert_eq!(check(&mesh), []);
    let t = Topology::new(mesh.positions.len(), &mesh.triangles);
    assert_eq!(mesh.positions.len() + mesh.triangles.len(), t.edges.len(), "Euler characteristic of a tube");
    assert_eq!(t.boundary.iter().filter(|b| **b).count(), 192);
    assert_eq!(mesh.groups["waist"].len(), 96);
    assert!(smallest_angle(&mesh) > 15.0, "{}", smallest_angle(&mesh));
    assert!(chart_strain(&mesh) < 0.10, "{}", chart_strain(&mesh));
    assert_clear(&mesh, 0.003);
}

#[test]
fn a_tshirt_has_four_openings_and_is_clear_of_the_mannequin() {
    for over in [0.0, 0.008] {
        let mesh = tshirt(over);
        assert_eq!(check(&mesh), []);
        let t = Topology::new(mesh.positions.len(), &mesh.triangles);
        // The surface is a sphere with four holes.
        assert_eq!(mesh.positions.len() + mesh.triangles.len() + 2, t.edges.len(), "Euler characteristic");
        let rims: usize = mesh.groups.values().map(Vec::len).sum();
        assert_eq!(t.boundary.iter().filter(|b| **b).count(), rims);
        assert_clear(&mesh, 0.003);
        assert!(smallest_angle(&mesh) > 12.0, "{}", smallest_angle(&mesh));
        assert!(chart_strain(&mesh) < 0.20, "{}", chart_strain(&mesh));
    }
}

#[test]
fn a_vest_is_closed_around_its_four_openings_and_clear_of_the_mannequin() {
    let mesh = vest();
    assert_eq!(check(&mesh), []);
    let t = Topology::new(mesh.positions.len(), &mesh.triangles);
    assert!(t.edge_valence.iter().all(|v| *v == 2));
    // A wall around a body with four openings has three holes through it: 2 - 2 x 3.
    assert_eq!(mesh.positions.len() + mesh.triangles.len() + 4, t.edges.len(), "Euler characteristic");
    assert_eq!(mesh.groups["inner"].len() + mesh.groups["outer"].len(), mesh.positions.len());
    assert_clear(&mesh, 0.007);
    assert!(smallest_angle(&mesh) > 15.0, "{}", smallest_angle(&mesh));
    // The volume is half of the surface times a thickness within its range.
    let corners = mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize]));
    let area: f64 = corners.map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum();
    let mean = volume(&mesh) / (area / 2.0);
    assert!((0.8 * vest::THICKNESS[0]..vest::THICKNESS[1]).contains(&mean), "{mean} m");
}
