//! Patterns that no garment can be made of.

use super::shirt::{TOP, json, refused};
use percale::pattern::garment::make;

#[test]
fn outlines_that_cross_name_their_edges() {
    let told =
        refused(&TOP.replace(
            "[26, 0], [24, 42], [20, 62], [9, 66], [-9, 66]",
            "[26, 0], [24, 42], [20, 62], [-9, 66], [9, 66]",
        ));
    assert!(told.contains("panel 'front': its edges '3' and '5' cross at (0.00, 64."), "{told}");
    let told = refused(&TOP.replacen("[[0.3, 0.3], [0.7, 0.25]]", "[[3, 1], [-2, 1]]", 1));
    assert!(told.contains("panel 'front': its edge '2' crosses itself"), "{told}");
}

#[test]
fn an_edge_has_one_seam() {
    let told = refused(&TOP.replace("\"front\", \"edge\": 3", "\"front\", \"edge\": 1"));
    assert!(told.contains("edge 'front.1' has two seams, 'front.1+back.6' and 'front.1+back.4'"), "{told}");
    let told = refused(&TOP.replace("\"back\", \"edge\": 6", "\"front\", \"edge\": 1"));
    assert!(told.contains("edge 'front.1' is sewn to itself"), "{told}");
    let mut pattern = json(TOP);
    assert!(pattern.sew(["front.1", "back.3"], None).unwrap_err().contains("'front.1' is sewn already"));
    assert!(
        pattern.sew(["front.slit", "back.3"], None).unwrap_err().contains("panel 'front' has no edge of 'front.slit'")
    );
    assert!(pattern.sew(["sleeve.1", "back.3"], None).unwrap_err().contains("The panels are 'front', 'back'"));
    assert_eq!(pattern.sew(["front.collar", "back.3"], Some("neck")), Ok(()));
}

#[test]
fn sizes_beyond_sense_are_told() {
    let told = refused(&TOP.replace("\"units_in_meter\": 100", "\"units_in_meter\": 1"));
    assert!(told.contains("the largest panel measures 66 m") && told.contains("0.01"), "{told}");
    let pattern = json(TOP);
    let told = make(&pattern, 1e-5).unwrap_err().to_string();
    assert!(told.contains("triangles; at most 8e6"), "{told}");
    let lens = r#"{ "pattern": { "panels": { "lens": { "vertices": [[0, 0], [30, 0]], "edges": [
        { "endpoints": [0, 1], "curvature": [0.5, -0.3] }, { "endpoints": [1, 0], "curvature": [0.5, -0.3] } ] } } },
        "properties": { "units_in_meter": 100 } }"#;
    assert!(make(&json(lens), 0.1).is_ok());
    let told = make(&json(lens), 0.5).unwrap_err().to_string();
    assert!(
        told.contains("panel 'lens': a loop of it has 2 vertices at an edge length of 500.0 mm; give a shorter one"),
        "{told}"
    );
}
