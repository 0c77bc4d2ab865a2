//! Files of apparel programs. They are written here, in the forms of several programs.

use super::shirt::{angles, loaded};
use percale::linalg::Vec2;
use percale::pattern::garment::make;
use percale::pattern::{Options, Pattern, check, read};
use std::fmt::Write;

/// A file of one piece: head, entities of the block, texts beside it.
fn file(header: &str, block: &str, entities: &str) -> String {
    format!(
        "{header}0\nSECTION\n2\nBLOCKS\n0\nBLOCK\n8\n1\n2\nP1\n70\n0\n10\n0\n20\n0\n{block}0\nENDBLK\n0\nENDSEC\n\
         0\nSECTION\n2\nENTITIES\n{entities}0\nINSERT\n8\n1\n2\nP1\n10\n500\n20\n0\n0\nENDSEC\n0\nEOF\n"
    )
}

fn polyline(layer: &str, points: &[[f64; 2]], closed: bool) -> String {
    let mut out = format!("0\nPOLYLINE\n8\n{layer}\n66\n1\n70\n{}\n", u8::from(closed));
    for [x, y] in points {
        let _ = write!(out, "0\nVERTEX\n8\n{layer}\n10\n{x}\n20\n{y}\n");
    }
    out + "0\nSEQEND\n"
}

fn point(layer: &str, [x, y]: [f64; 2]) -> String {
    format!("0\nPOINT\n8\n{layer}\n10\n{x}\n20\n{y}\n")
}

fn text(words: &str) -> String {
    format!("0\nTEXT\n8\n1\n10\n0\n20\n0\n40\n3\n1\n{words}\n")
}

const METRIC: &str = "Units: METRIC";
const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [400.0, 0.0], [400.0, 600.0], [0.0, 600.0]];
const INNER: [[f64; 2]; 4] = [[10.0, 10.0], [390.0, 10.0], [390.0, 590.0], [10.0, 590.0]];

fn good(text: &str) -> Pattern {
    loaded("dxf", text).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(text: &str) -> String {
    loaded("dxf", text).unwrap_err().to_string()
}

/// A whole piece with cut and sew line, grain, notch of two points, a line and a cutout.
fn whole() -> String {
    let block = text("Piece Name: FRONT")
        + &polyline("1", &SQUARE, true)
        + &polyline("14", &INNER, true)
        + &polyline("84", &SQUARE, true)
        + "0\nLINE\n8\n7\n10\n100\n20\n300\n11\n300\n21\n300\n"
        + &point("4", [400.0, 200.0])
        + &point("4", [394.0, 200.0])
        + &polyline("8", &[[100.0, 400.0], [200.0, 400.0]], false)
        + &polyline("11", &[[100.0, 100.0], [150.0, 100.0], [150.0, 150.0], [100.0, 150.0]], true);
    file("", &block, &text(METRIC))
}

#[test]
fn layers_of_apparel_programs_are_read() {
    let pattern = good(&whole());
    let panel = &pattern.panels[0];
    assert_eq!((pattern.panels.len(), panel.name.as_str()), (1, "FRONT"));
    assert!((panel.area() - (0.38 * 0.58 - 0.0025)).abs() < 1e-9, "the sew line counts: {}", panel.area());
    assert_eq!((panel.outline.len(), panel.holes.len(), panel.lines.len(), panel.notches.len()), (4, 1, 1, 1));
    assert!((panel.notches[0].at - Vec2::new(0.39, 0.2)).norm() < 1e-9, "moved to the sew line");
    assert!((panel.grain - Vec2::x()).norm() < 1e-9);
    assert_eq!(pattern.notes.len(), 1);
    assert!(pattern.notes[0].to_string().starts_with("DXF has no stitches"));
    // Line ends of Windows, and decimal commas, change nothing.
    assert_eq!(good(&whole().replace('\n', "\r\n")).panels, pattern.panels);
    assert_eq!(good(&whole().replace("\n390\n", "\n390,0\n")).panels, pattern.panels);
    let garment = make(&pattern, 0.01).unwrap();
    assert!(angles(&garment.mesh).iter().all(|a| *a >= 28.0));
    // The warp runs along the grain, which lies along x here.
    let [u, v] = [0, 1].map(|k| garment.mesh.uv.iter().map(|p| p[k]).fold(0.0, f64::max));
    assert!((u - 0.38).abs() < 1e-9 && (v - 0.58).abs() < 1e-9, "{u} {v}");
}

#[test]
fn units_are_told_or_given() {
    let block = polyline("1", &SQUARE, true);
    let width = |text: &str| {
        let [low, high] = good(text).panels[0].bounds();
        (1e4 * (high.x - low.x)).round() / 1e4
    };
    let header = |units: u8| format!("0\nSECTION\n2\nHEADER\n9\n$INSUNITS\n70\n{units}\n0\nENDSEC\n");
    assert_eq!(width(&file(&header(4), &block, "")), 0.4);
    assert_eq!(width(&file(&header(5), &block, "")), 4.0);
    assert_eq!(width(&file("", &block, &text("UNITS:METRIC"))), 0.4);
    assert_eq!(width(&file(&header(1), &block, "")), 10.16);
    let told = refused(&file("", &block, ""));
    assert!(told.contains("does not say its unit") && told.contains("\"1 mm\""), "{told}");
    let options = Options { unit: Some(1e-3), size: None };
    assert!(read("dxf", file("", &block, "").as_bytes(), &options).is_ok());
    // A file that lies: metres would be 400 m wide.
    assert!(refused(&file(&header(6), &block, "")).contains("the largest panel measures 600 m"));
}

#[test]
fn outlines_in_pieces_and_without_sew_lines_are_told() {
    let chains = polyline("1", &[[0.0, 0.0], [400.0, 0.0], [400.0, 600.0]], false)
        + &polyline("1", &[[400.0, 600.0], [400.0, 600.0]], false)
        + &polyline("1", &[[0.0, 0.0], [0.0, 600.0], [400.0, 600.0]], false);
    let pattern = good(&file("", &chains, &text(METRIC)));
    assert!((pattern.panels[0].area() - 0.24).abs() < 1e-9);
    assert!(pattern.notes[0].to_string().contains("no sew line (layer 14) in 'P1'"), "{:?}", pattern.notes);
    let open = chains.replace(
        "20\n600\n0\nSEQEND\n0\nPOLYLINE\n8\n1\n66\n1\n70\n0\n0\nVERTEX\n8\n1\n10\n0\n20\n0",
        "20\n597\n0\nSEQEND\n0\nPOLYLINE\n8\n1\n66\n1\n70\n0\n0\nVERTEX\n8\n1\n10\n0\n20\n0",
    );
    let told = refused(&file("", &open, &text(METRIC)));
    assert!(told.contains("its outline on layer 1 is open at"), "{told}");
    // A sew line ends where the fold has no allowance: the boundary closes it.
    let fold = polyline("1", &SQUARE, true)
        + &polyline("14", &[[0.0, 10.0], [390.0, 10.0], [390.0, 590.0], [0.0, 590.0]], false);
    let pattern = good(&file("", &fold, &text(METRIC)));
    assert!((pattern.panels[0].area() - 0.39 * 0.58).abs() < 1e-9 && pattern.notes.len() == 1, "{:?}", pattern.notes);
    let off = fold.replace("10\n0\n20\n10\n", "10\n5\n20\n10\n");
    assert!(refused(&file("", &off, &text(METRIC))).contains("its outline on layer 14 is open at (0.00, 59.00) cm"));
    // Sew lines among the inner ones.
    let inner = polyline("1", &SQUARE, true) + &polyline("8", &INNER, true);
    let pattern = good(&file("", &inner, &text(METRIC)));
    assert!((pattern.panels[0].area() - 0.38 * 0.58).abs() < 1e-9);
    assert!(pattern.notes[0].to_string().contains("taken as the sew line") && pattern.panels[0].lines.is_empty());
}

#[test]
fn corners_and_curves_follow_their_points() {
    // A quarter of a circle of five points, marked as a curve, and corners at three vertices.
    let arc = |k: usize| {
        let angle = k as f64 * std::f64::consts::FRAC_PI_2 / 4.0;
        [400.0 * angle.cos(), 400.0 * angle.sin()]
    };
    let mut points = vec![[0.0, 0.0]];
    points.extend((0..5).map(arc));
    let corners: String = [points[0], points[1], points[5]].iter().map(|p| point("2", *p)).collect();
    let curve: String = (1..4).map(|k| point("3", arc(k))).collect();
    let block = polyline("1", &points, true) + &corners;
    let chords = good(&file("", &block, &text(METRIC)));
    assert_eq!(chords.panels[0].outline.len(), 3);
    let smooth = good(&file("", &(block + &curve), &text(METRIC)));
    let exact = std::f64::consts::PI * 0.04;
    let [off, far] = [&smooth, &chords].map(|p| (p.panels[0].area() - exact).abs() / exact);
    assert!(off < 0.3 * far && far > 0.02, "{off} {far}");
    // The bulge of a light polyline is an arc.
    let light = "0\nLWPOLYLINE\n8\n1\n90\n2\n70\n1\n10\n0\n20\n0\n42\n1\n10\n400\n20\n0\n42\n0\n";
    let half = good(&file("", light, &text(METRIC)));
    assert!((half.panels[0].area() - std::f64::consts::PI * 0.02).abs() < 1e-8);
}

#[test]
fn halves_are_unfolded_and_pairs_mirrored() {
    let slanted = [[0.0, 0.0], [400.0, 0.0], [300.0, 600.0], [0.0, 600.0]];
    let block = text("Piece Name: half")
        + &polyline("1", &slanted, true)
        + &point("4", [200.0, 0.0])
        + "0\nLINE\n8\n6\n10\n0\n20\n0\n11\n0\n21\n600\n";
    let pattern = good(&file("", &block, &text(METRIC)));
    let panel = &pattern.panels[0];
    assert!((panel.area() - 2.0 * 0.6 * 0.35).abs() < 1e-9);
    assert_eq!((panel.outline.len(), panel.notches.len()), (4, 2));
    let pair = good(&file("", &(block.replace("8\n6\n", "8\n9\n") + &text("Quantity: 1,1")), &text(METRIC)));
    assert_eq!(pair.panels.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["half", "half-2"]);
    assert!(pair.notes.iter().any(|n| n.to_string().contains("'half-2' is its mirror image")));
    let [a, b] = [&pair.panels[0], &pair.panels[1]];
    assert!((a.area() - b.area()).abs() < 1e-12 && b.is_anticlockwise());
    for edge in &a.outline {
        let same = b.outline.iter().find(|e| e.name == edge.name).unwrap();
        assert!((edge.curve.length() - same.curve.length()).abs() < 1e-12, "{}", edge.name);
    }
}

#[test]
fn one_size_is_chosen() {
    let piece = |size: &str, width: f64| {
        let points = SQUARE.map(|[x, y]| [x * width, y]);
        text("Piece Name: FRONT") + &text(&format!("Size: {size}")) + &polyline("14", &points, true)
    };
    let two = file("", &(piece("S", 0.9) + "0\nENDBLK\n0\nBLOCK\n8\n1\n2\nP2\n" + &piece("M", 1.0)), &text(METRIC));
    assert!(refused(&two).contains("pieces of several sizes, 'S', 'M'; choose one with 'size'"));
    let sized = |size: &str| {
        let mut pattern = read("dxf", two.as_bytes(), &Options { unit: None, size: Some(size.to_string()) })?;
        check(&mut pattern).map(|()| pattern)
    };
    assert!((sized("M").unwrap().panels[0].area() - 0.24).abs() < 1e-9);
    assert!(sized("XL").unwrap_err().to_string().contains("no piece of size 'XL'; there are 'S', 'M'"));
}

#[test]
fn faults_of_files_name_their_line() {
    let cases = [
        ("AutoCAD Binary DXF\r\n\x1a\0".to_string(), "a binary DXF"),
        (" \n".to_string(), "the file is empty"),
        ("0\nSECTION\n2\n".to_string(), "3: the file ends after the group code 2"),
        ("hello\nworld\n".to_string(), "1: 'hello' stands where a group code is expected"),
        ("0\nSECTION\n2\nENTITIES\n0\nENDSEC\n0\nEOF\n".to_string(), "not a DXF drawing"),
        (whole().replace("\n394\n", "\nnan\n"), "'nan' is no finite number"),
        (whole().replace("\n394\n", "\n1e30\n"), "is beyond all patterns"),
        (
            whole().replace("\n8\n1\n", "\n8\nCUT\n").replace("\n8\n14\n", "\n8\nSEW\n"),
            "none of its 1 blocks has an outline on layer 1 or 14",
        ),
        (
            file("", &polyline("1", &[SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]], true), &text(METRIC)),
            "panel 'P1': its edges '",
        ),
    ];
    for (text, message) in cases {
        let told = refused(&text);
        assert!(told.contains(message), "{told}\nhas not: {message}");
    }
}
