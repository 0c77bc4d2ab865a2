//! Meshes of patterns.

use super::shirt::{TOP, angles, area, json, sewn};
use percale::linalg::Vec3;
use percale::mesh::check::check;
use percale::mesh::topology::Topology;
use percale::pattern::garment::make;
use percale::pattern::{Curve, Internal, Notch};

#[test]
fn triangles_fill_the_outline_and_have_no_small_angle() {
    let pattern = json(TOP);
    let whole: f64 = pattern.panels.iter().map(|p| p.area()).sum();
    for h in [0.02, 0.01, 0.005] {
        let garment = make(&pattern, h).unwrap();
        // Chords of curves leave less than a sixth of the edge length squared over the radius, along half a metre.
        assert!((area(&garment.mesh) / whole - 1.0).abs() < 2.0 * h * h, "{h}: {} {whole}", area(&garment.mesh));
        let smallest = angles(&garment.mesh).into_iter().fold(f64::INFINITY, f64::min);
        assert!(smallest >= 28.0, "{h}: {smallest}");
        assert_eq!(check(&garment.mesh), []);
        let mesh = &garment.mesh;
        let edge = |[a, b]: [u32; 2]| (mesh.positions[a as usize] - mesh.positions[b as usize]).norm() / h;
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let mut lengths: Vec<f64> = topology.edges.iter().map(|e| edge(*e)).collect();
        lengths.sort_by(f64::total_cmp);
        let [low, middle, high] = [0.05, 0.5, 0.95].map(|q| lengths[(q * lengths.len() as f64) as usize]);
        assert!(low > 0.7 && (0.9..1.1).contains(&middle) && high < 1.4, "{h}: {low} {middle} {high}");
    }
}

#[test]
fn borders_are_where_the_edges_are_and_nothing_else_is() {
    let pattern = json(TOP);
    let mesh = sewn(TOP, 0.01).mesh;
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let mut on_edges = vec![false; mesh.positions.len()];
    for panel in &pattern.panels {
        for edge in &panel.outline {
            for v in &mesh.groups[&format!("{}.{}", panel.name, edge.name)] {
                on_edges[*v as usize] = true;
                let placement = panel.placement.clone().unwrap();
                let local = placement.rotation.inverse() * (mesh.positions[*v as usize] - placement.translation);
                let (_, far) = edge.curve.nearest(local.xy());
                assert!(far < 1e-9 && local.z.abs() < 1e-12, "{} {far}", edge.name);
            }
        }
    }
    assert_eq!(on_edges, topology.boundary);
    assert_eq!(mesh.groups["front"].len() + mesh.groups["back"].len(), mesh.positions.len());
    assert_eq!(mesh.groups["body"].len(), mesh.positions.len());
    assert_eq!(mesh.groups["hem"].len(), mesh.groups["front.0"].len() + mesh.groups["back.7"].len());
    assert_eq!(mesh.groups["front.hem"], mesh.groups["front.0"]);
}

#[test]
fn fronts_face_outwards_and_the_warp_runs_along_the_grain() {
    let mesh = sewn(TOP, 0.02).mesh;
    let at = |v: u32| mesh.positions[v as usize];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(at);
        let front = mesh.groups["front"].contains(&triangle[0]);
        assert!((b - a).cross(&(c - a)).z.is_sign_positive() == front, "{t}");
        // The chart is an isometry whose first axis is the height.
        let [p, q, r] = mesh.uv_triangles[t].map(|v| mesh.uv[v as usize]);
        assert!(((b - a).dot(&Vec3::y()) - (q - p).x).abs() < 1e-12);
        assert!(((b - a).norm() - (q - p).norm()).abs() < 1e-12 && (q - p).perp(&(r - p)) > 0.0);
    }
}

#[test]
fn seams_join_as_many_vertices_of_both_sides() {
    let garment = sewn(TOP, 0.01);
    let mesh = &garment.mesh;
    assert_eq!(garment.seams.len(), 4);
    for seam in &garment.seams {
        let [a, b] = seam.name.split('+').collect::<Vec<_>>()[..] else { panic!("{}", seam.name) };
        assert_eq!(mesh.groups[a].len(), seam.pairs.len(), "{}", seam.name);
        assert_eq!(mesh.groups[b].len(), seam.pairs.len(), "{}", seam.name);
        // Front and back mirror each other, so what is sewn together lies 40 cm apart.
        for [v, w] in &seam.pairs {
            let gap = mesh.positions[*v as usize] - mesh.positions[*w as usize];
            assert!((gap - Vec3::new(0.0, 0.0, 0.4)).norm() < 1e-9, "{}: {gap}", seam.name);
        }
        assert!((seam.lengths[0] - seam.lengths[1]).abs() < 1e-9);
    }
    assert_eq!(garment.notes, []);
}

#[test]
fn the_same_bits_come_twice() {
    assert_eq!(sewn(TOP, 0.01), sewn(TOP, 0.01));
}

#[test]
fn a_longer_side_gives_both_their_count() {
    // The back's hem to shoulder is longer by a fifth.
    let text = TOP.replace("[-26, 0], [-24, 42], [-20, 62]", "[-26, -8.4], [-24, 42], [-20, 62]");
    let garment = sewn(&text, 0.01);
    let seam = garment.seams.iter().find(|s| s.name == "front.7+back.0").unwrap();
    assert_eq!(seam.pairs.len(), 51);
    assert!((seam.lengths[1] / seam.lengths[0] - 1.2).abs() < 0.01);
    let gathered = sewn(&text.replace("-8.4", "-40"), 0.01);
    assert_eq!(gathered.seams[3].pairs.len(), 83);
    assert!(json(&text.replace("-8.4", "-40")).notes[0].to_string().contains("'back.0' 82.0 cm"));
}

#[test]
fn darts_share_their_tip() {
    let text = r#"{ "pattern": { "panels": { "p": {
        "vertices": [[0, 0], [18, 0], [20, 12], [22, 0], [40, 0], [40, 30], [0, 30]],
        "edges": [ { "endpoints": [0, 1] }, { "endpoints": [1, 2] }, { "endpoints": [2, 3] }, { "endpoints": [3, 4] },
                   { "endpoints": [4, 5] }, { "endpoints": [5, 6] }, { "endpoints": [6, 0] } ] } },
        "stitches": [[{ "panel": "p", "edge": 1 }, { "panel": "p", "edge": 2 }]] }, "properties": { "units_in_meter": 100 } }"#;
    let garment = sewn(text, 0.01);
    let seam = &garment.seams[0];
    assert_eq!(seam.pairs.len(), 12, "the tip is one vertex");
    for [a, b] in &seam.pairs {
        let (p, q) = (garment.mesh.positions[*a as usize], garment.mesh.positions[*b as usize]);
        assert!((p.y - q.y).abs() < 1e-12 && (p.x + q.x - 0.4).abs() < 1e-12, "{p} {q}");
    }
    assert!((area(&garment.mesh) - (0.4 * 0.3 - 0.04 * 0.12 / 2.0)).abs() < 1e-12);
}

#[test]
fn slivers_that_are_sewn_together_become_vertices() {
    // Both shoulders of one side are cut 1 mm before the armhole, and the ends are sewn as well.
    let text = TOP
        .replace("[20, 62], [9, 66], [-9, 66], [-20, 62], [-24, 42]]", "[20, 62], [9, 66], [-9, 66], [-20, 62], [-24, 42], [19.9, 62.04]]")
        .replace("{ \"endpoints\": [3, 4] },", "{ \"endpoints\": [3, 8] }, { \"endpoints\": [8, 4] },")
        .replace("[24, 42], [26, 0]]", "[24, 42], [26, 0], [19.9, 62.04]]")
        .replace("          { \"endpoints\": [4, 5] },\n          { \"endpoints\": [5, 6], \"curvature\": { \"type\": \"quadratic\"",
                 "          { \"endpoints\": [4, 8] }, { \"endpoints\": [8, 5] },\n          { \"endpoints\": [5, 6], \"curvature\": { \"type\": \"quadratic\"");
    let text = text.split("\"stitches\"").next().unwrap().to_string()
        + r#""stitches": [ [{ "panel": "front", "edge": 3 }, { "panel": "back", "edge": 5 }],
                          [{ "panel": "front", "edge": 4 }, { "panel": "back", "edge": 4 }] ] },
            "properties": { "units_in_meter": 100 } }"#;
    let garment = sewn(&text, 0.01);
    assert_eq!([0, 1].map(|k| garment.seams[k].pairs.len()), [1, 13]);
    assert_eq!(garment.seams[0].pairs[0], garment.seams[1].pairs[0], "the end of the next seam is that vertex");
    assert!(garment.notes[0].to_string().contains("'front.3' and 'back.5' are sewn together and 1.1 mm long"));
    assert!(angles(&garment.mesh).iter().all(|a| *a >= 28.0));
}

#[test]
fn notches_and_inner_lines_are_vertices() {
    let mut pattern = json(TOP);
    let at = pattern.panels[0].outline[1].curve.at(0.1234);
    let opposite = pattern.panels[1].outline[6].curve.at(pattern.panels[1].outline[6].curve.length() - 0.1234);
    pattern.panels[0].notches.push(Notch { at, line: None });
    let line = |name: &str, a: [f64; 2], b: [f64; 2]| Internal {
        name: name.to_string(),
        curve: Curve::line(a.into(), b.into()),
        line: None,
    };
    pattern.panels[0].lines.push(line("fold", [-0.1, 0.001], [-0.1, 0.55]));
    pattern.panels[0].lines.push(line("pocket", [-0.2, 0.3], [0.05, 0.31]));
    pattern.panels[0].lines.push(line("far", [0.0, 0.3], [0.5, 0.3]));
    let single = make(&pattern, 0.01).unwrap();
    let has = |p: [f64; 2]| {
        single.mesh.positions.iter().any(|q| (q.xy() - percale::linalg::Vec2::new(p[0], p[1] + 1.0)).norm() < 1e-9)
    };
    assert!(has(at.into()) && has([-0.1, 0.0]), "a notch, and the end of a fold on the hem");
    assert!((area(&single.mesh) - area(&sewn(TOP, 0.01).mesh)).abs() < 1e-5);
    let mesh = &single.mesh;
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let fold = &mesh.groups["front.fold"];
    let pieces = topology.edges.iter().filter(|e| e.iter().all(|v| fold.contains(v))).count();
    assert_eq!(pieces, fold.len() - 1, "the fold is a row of edges");
    assert_eq!(
        fold.iter().filter(|v| mesh.groups["front.pocket"].contains(v)).count(),
        1,
        "lines share where they cross"
    );
    assert!(single.notes.iter().any(|n| n.to_string().contains("the line 'far' leaves it")), "{:?}", single.notes);
    assert!(angles(mesh).iter().all(|a| *a > 25.0), "{:?}", angles(mesh).iter().fold(180.0, |a, b| b.min(a)));
    // Notches of both sides meet.
    pattern.panels[1].notches.push(Notch { at: opposite, line: None });
    let both = make(&pattern, 0.01).unwrap();
    let place = |v: u32| both.mesh.positions[v as usize].xy();
    let seam = &both.seams[0];
    let meets =
        |p: &[u32; 2]| (place(p[0]).y - 1.0 - at.y).abs() < 1e-9 && (place(p[1]).y - 1.0 - opposite.y).abs() < 1e-9;
    assert_eq!(seam.pairs.iter().filter(|p| meets(p)).count(), 1);
    assert!(!both.notes.iter().any(|n| n.what.contains("notches")), "{:?}", both.notes);
    pattern.panels[1].notches.push(Notch { at: opposite + percale::linalg::Vec2::new(0.0, 0.05), line: None });
    let odd = make(&pattern, 0.01).unwrap();
    assert!(
        odd.notes.iter().any(|n| n.what.contains("have 1 and 2 notches; they are matched by length")),
        "{:?}",
        odd.notes
    );
}

#[test]
fn holes_are_left_out() {
    let mut pattern = json(TOP);
    let ring = |k: usize| percale::linalg::Vec2::new(0.05 * (k as f64).cos(), 0.3 + 0.05 * (k as f64).sin());
    let (a, b) = (ring(0), ring(3));
    let edge = |name: &str, from, to| percale::pattern::Edge {
        name: name.to_string(),
        label: None,
        curve: Curve::arc(from, to, 0.05, name == "8", false),
        line: None,
    };
    let solid = area(&make(&pattern, 0.01).unwrap().mesh);
    pattern.panels[0].holes.push(vec![edge("8", a, b), edge("9", b, a)]);
    let garment = make(&pattern, 0.01).unwrap();
    let hole = std::f64::consts::PI * 0.0025;
    assert!((solid - area(&garment.mesh) - hole).abs() < 0.01 * hole, "{}", solid - area(&garment.mesh));
    assert!(angles(&garment.mesh).iter().all(|a| *a >= 28.0));
}
