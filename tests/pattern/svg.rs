//! Drawings.

use super::shirt::{angles, area, loaded};
use percale::linalg::Vec2;
use percale::pattern::garment::make;
use percale::pattern::{Options, Pattern, read};

/// Wraps elements in a drawing of 1 m by 1 m in millimetres.
fn drawing(inner: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
         xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" \
         xmlns:sodipodi=\"http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd\" \
         width=\"100cm\" height=\"1000mm\" viewBox=\"0 0 1000 1000\">{inner}</svg>"
    )
}

fn drawn(inner: &str) -> Pattern {
    loaded("svg", &drawing(inner)).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(text: &str) -> String {
    loaded("svg", text).unwrap_err().to_string()
}

/// Sides of a panel [m].
fn lengths(pattern: &Pattern, panel: usize) -> Vec<f64> {
    pattern.panels[panel].outline.iter().map(|e| (1e6 * e.curve.length()).round() / 1e6).collect()
}

#[test]
fn the_shipped_shirt_is_four_panels_that_fit() {
    let pattern = loaded("svg", include_str!("../../meshes/t-shirt.svg")).unwrap();
    let names: Vec<&str> = pattern.panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["front", "back", "sleeve-left", "sleeve-right"]);
    assert_eq!(pattern.notes, []);
    assert_eq!(pattern.stitches.len(), 10);
    for stitch in &pattern.stitches {
        let [a, b] = stitch.sides.map(|s| pattern.edge(s).unwrap().curve.length());
        assert!((a / b - 1.0).abs() < 0.04, "{}: {a} {b}", stitch.name);
    }
    assert!(pattern.find("sleeve-left.cuff").is_ok() && pattern.find("front.hem").is_ok());
    let garment = make(&pattern, 0.01).unwrap();
    assert!(angles(&garment.mesh).iter().all(|a| *a >= 28.0));
    let whole: f64 = pattern.panels.iter().map(|p| p.area()).sum();
    assert!((area(&garment.mesh) / whole - 1.0).abs() < 1e-3);
}

/// Circles end where they begin only within rounding. A closed path that is marked is a line, not a hole.
#[test]
fn circles_are_outlines_holes_and_lines() {
    let circles = |inner: &str| {
        format!("<circle cx=\"160\" cy=\"160\" r=\"150\"/><circle {inner} cx=\"160\" cy=\"160\" r=\"90\"/>")
    };
    let ring = drawn(&circles(""));
    let panels: Vec<_> = ring.panels.iter().map(|p| (p.name.as_str(), p.holes.len(), p.lines.len())).collect();
    assert_eq!(panels, [("panel-1", 1, 0)]);
    let disc = drawn(&circles("id=\"rim\" class=\"internal\""));
    assert_eq!((disc.panels[0].holes.len(), disc.panels[0].lines[0].name.as_str()), (0, "rim"));
    let rim = make(&disc, 0.01).unwrap().mesh;
    let members = &rim.groups["panel-1.rim"];
    // 2 pi 9 cm at 1 cm.
    assert_eq!(members.len(), 57);
    let two = drawn("<circle cx=\"160\" cy=\"160\" r=\"100\"/><circle cx=\"460\" cy=\"160\" r=\"90\"/>");
    let names: Vec<_> = two.panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["panel-1", "panel-2"]);
}

#[test]
fn transforms_units_and_shapes_come_in_metres_right_side_up() {
    let pattern = drawn(
        "<g inkscape:label=\"a\" transform=\"translate(100 100)\"><g transform=\"scale(2)\">\
         <path d=\"m 0,0 h 50 v 100 q -25,20 -50,0 z\"/></g></g>\
         <rect id=\"b\" x=\"500\" y=\"1in\" width=\"100\" height=\"200\"/>\
         <polygon id=\"c\" points=\"700,0 800,0 800,300 700,300\" style=\"fill:none; display: none\"/>",
    );
    let names: Vec<&str> = pattern.panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(lengths(&pattern, 0), [0.2, 0.1, 0.2, 0.1]);
    let [low, high] = pattern.panels[1].bounds();
    // The drawing's y points down, so the top of the panel is at -100 mm; the parabola's top is half its control.
    assert!((high - Vec2::new(0.2, -0.1)).norm() < 1e-9 && (low - Vec2::new(0.1, -0.32)).norm() < 1e-9, "{low} {high}");
    assert!(pattern.panels.iter().all(|p| p.is_anticlockwise()));
    let arcs = drawn("<path id=\"d\" d=\"M 100,100 A 100,100 0 0 1 300,100 L 300,300 H 100 Z\"/>");
    let half = std::f64::consts::PI * 0.01 / 2.0;
    assert!((arcs.panels[0].area() - 0.04 - half).abs() < 1e-7, "{}", arcs.panels[0].area());
}

#[test]
fn corners_are_those_of_inkscape_or_where_it_turns() {
    let path = "<g id=\"p\"><path TYPES d=\"M 0,0 C 50,0 100,0 150,0 L 300,0 L 300,200 L 0,200 Z\"/></g>";
    assert_eq!(lengths(&drawn(&path.replace("TYPES", "")), 0).len(), 4);
    let cusps = drawn(&path.replace("TYPES", "sodipodi:nodetypes=\"ccccc\""));
    assert_eq!(lengths(&cusps, 0), [0.2, 0.3, 0.2, 0.15, 0.15]);
    let round = drawn("<circle id=\"disc\" cx=\"200\" cy=\"200\" r=\"150\"/>");
    assert_eq!(round.panels[0].outline.len(), 1);
    assert!(angles(&make(&round, 0.02).unwrap().mesh).iter().all(|a| *a >= 28.0));
}

#[test]
fn lines_holes_notches_and_grain_have_their_places() {
    let pattern = drawn(
        "<defs><g id=\"notch\"><circle r=\"2\"/></g></defs>\
         <g id=\"p\"><path d=\"M 0,0 H 300 V 200 H 0 Z\"/><path d=\"M 100,80 h 50 v 40 h -50 z\"/>\
         <path class=\"grainline\" d=\"M 20,150 L 60,150\"/><path id=\"pleat\" d=\"M 200,0 V 200\"/>\
         <path class=\"fabric sa\" d=\"M -10,-10 H 310 V 210 H -10 Z\"/><path class=\"note\" d=\"M 0,0 L 9,9\"/>\
         <line class=\"notch\" x1=\"296\" y1=\"60\" x2=\"304\" y2=\"60\"/><use xlink:href=\"#notch\" x=\"70\" y=\"0\"/>\
         <use xlink:href=\"#notch\" x=\"250\" y=\"30\"/></g>",
    );
    let panel = &pattern.panels[0];
    assert_eq!((panel.outline.len(), panel.holes.len(), panel.lines[0].name.as_str()), (4, 1, "pleat"));
    assert!((panel.area() - (0.06 - 0.002)).abs() < 1e-9 && (panel.grain - Vec2::x()).norm() < 1e-9);
    assert_eq!(panel.notches.len(), 3);
    assert!((panel.notches[1].at - Vec2::new(0.07, 0.0)).norm() < 1e-9, "{:?}", panel.notches);
    assert_eq!(pattern.notes.len(), 1);
    assert!(
        pattern.notes[0].to_string().contains("panel 'p': the notch at (25.00, -3.00) cm is 30.0 mm off the outline")
    );
    let garment = make(&pattern, 0.01).unwrap();
    assert!((area(&garment.mesh) - panel.area()).abs() < 1e-9);
    assert!(garment.mesh.groups["p.pleat"].len() > 15);
}

#[test]
fn halves_are_unfolded_and_clones_are_panels() {
    let pattern = drawn(
        "<g id=\"half\"><path d=\"M 0,0 H 100 L 120,200 H 0 Z\"/><path class=\"cutonfold\" d=\"M 0,20 V 180\"/></g>\
         <g id=\"left\" transform=\"translate(300)\"><path d=\"M 0,0 H 100 V 50 Z\"/></g>\
         <use id=\"right\" href=\"#left\" transform=\"translate(900) scale(-1 1)\"/>",
    );
    let names: Vec<&str> = pattern.panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["half", "left", "right"]);
    assert!((pattern.panels[0].area() - 2.0 * 0.2 * 0.11).abs() < 1e-9);
    let side = 0.02f64.hypot(0.2);
    let mut found = lengths(&pattern, 0);
    found.sort_by(f64::total_cmp);
    assert_eq!(
        found,
        [0.2, (1e6 * side).round() / 1e6, (1e6 * side).round() / 1e6, 0.24],
        "edges across the fold are whole"
    );
    assert!((pattern.panels[1].area() - pattern.panels[2].area()).abs() < 1e-12);
    assert!(pattern.panels[2].is_anticlockwise());
}

#[test]
fn drawings_without_size_name_what_may_be_meant() {
    let bare = "<svg xmlns=\"http://www.w3.org/2000/svg\" WH viewBox=\"0 0 1000 1000\">\
                <rect id=\"p\" width=\"500\" height=\"500\"/></svg>";
    for size in
        ["", "width=\"1000\" height=\"1000\"", "width=\"1000px\" height=\"1000px\"", "width=\"100%\" height=\"100%\""]
    {
        let told = refused(&bare.replace("WH", size));
        assert!(
            told.contains("<svg>: the drawing has no real size")
                && told.contains("(96 to an inch, Inkscape, browsers): 26.5 cm wide"),
            "{told}"
        );
        let options = Options { unit: Some(1e-3), size: None };
        assert_eq!(lengths(&read("svg", bare.replace("WH", size).as_bytes(), &options).unwrap(), 0), [0.5; 4]);
    }
    let skewed = bare.replace("WH", "width=\"10cm\" height=\"20cm\" preserveAspectRatio=\"none\"");
    assert!(refused(&skewed).contains("different factors"));
    let pixels = bare.replace("WH", "width=\"10in\" height=\"10in\"").replace("viewBox=\"0 0 1000 1000\"", "");
    assert_eq!(lengths(&loaded("svg", &pixels).unwrap(), 0)[0], 0.132292);
}

#[test]
fn faults_of_drawings_name_line_element_and_panel() {
    let open = drawing("\n<g id=\"p\">\n<path id=\"rim\" d=\"M 0,0 H 300 V 200 H 5\"/></g>");
    let told = refused(&open);
    assert!(
        told.starts_with("3: panel 'p': its outline is open at (0.50, -20.00) cm, 200.1 mm from the next end"),
        "{told}"
    );
    let cases = [
        ("<path d=\"M 0,0 L 1e999,1 z\"/>", "<path>: "),
        ("<path id=\"x\" d=\"M 0,0 J 5\"/>", "<path> 'x': the data of the path are wrong"),
        ("<circle r=\"NaN\"/>", "<circle>: r=\"NaN\" is no number"),
        ("<g id=\"a\"><use href=\"#a\"/></g>", "nested more than 48 deep; does a use show itself?"),
        ("<use href=\"#nothing\"/>", "it shows \"#nothing\", which is not in this file"),
        ("<g transform=\"turn(5)\"/>", "its transform is wrong"),
        ("<text>nothing</text>", "no panel in this drawing"),
        ("<svg viewBox=\"0 0 1 1\"/>", "an inner <svg> with a viewBox"),
        ("<g>", "not XML"),
    ];
    for (inner, message) in cases {
        let told = refused(&drawing(inner));
        assert!(told.contains(message), "{told}\nhas not: {message}");
    }
    assert!(refused("<html/>").contains("not an SVG drawing"));
    assert!(refused(&format!("<svg>{}", "<g>".repeat(100_000))).contains("not XML"));
    let bomb: String =
        (0..20).map(|k| format!("<g id=\"n{k}\"><use href=\"#n{}\"/><use href=\"#n{}\"/></g>", k + 1, k + 1)).collect();
    let told = refused(&drawing(&(bomb + "<g id=\"n20\"/>")));
    assert!(told.contains("more than 200000 elements"), "{told}");
}

#[test]
fn seams_are_marked_at_both_edges() {
    let two = |mark: &str| {
        drawing(&format!(
            "<g id=\"a\"><path d=\"M 0,0 H 100 V 200 H 0 Z\"/><text x=\"90\" y=\"100\">seam: side</text></g>\
             <g id=\"b\"><path d=\"M 300,0 H 400 V 200 H 300 Z\"/>{mark}<text class=\"edge\" x=\"350\" y=\"10\">top</text></g>"
        ))
    };
    let pattern = loaded("svg", &two("<text class=\"seam\" x=\"310\" y=\"100\">side</text>")).unwrap();
    let stitch = &pattern.stitches[0];
    assert_eq!((pattern.stitches.len(), stitch.name.as_str()), (1, "side"));
    assert_eq!(stitch.sides[1], pattern.find("b.0").unwrap(), "anticlockwise from the upper left corner");
    assert!(pattern.find("b.top").is_ok());
    let told = refused(&two(""));
    assert!(told.contains("the seam 'side' is marked at 1 edge(s), 'a."), "{told}");
    let twice = "<text class=\"seam\" x=\"310\" y=\"100\">side</text>".repeat(2);
    assert!(refused(&two(&twice)).contains("marked at 3 edge(s)"));
    let far = loaded(
        "svg",
        &two("<text class=\"seam\" x=\"310\" y=\"100\">side</text><text class=\"edge\" x=\"350\" y=\"300\">x</text>"),
    );
    assert!(far.unwrap().notes[0].to_string().contains("the name 'x' stands 100 mm from the nearest edge"));
}
