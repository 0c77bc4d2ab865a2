//! Specifications in JSON.

use super::shirt::{TOP, json, refused};
use percale::linalg::{Vec2, Vec3};
use percale::pattern::{Options, Side, read};

#[test]
fn panels_edges_and_stitches_are_read() {
    let pattern = json(TOP);
    assert_eq!(pattern.panels.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["front", "back"]);
    let [front, back] = &pattern.panels[..] else { panic!("two panels") };
    assert!(front.is_anticlockwise() && !back.is_anticlockwise());
    assert!((front.outline[0].curve.length() - 0.52).abs() < 1e-12);
    assert_eq!(front.outline[0].label.as_deref(), Some("hem"));
    assert_eq!(
        (front.placement.as_ref().unwrap().translation, front.label.as_deref()),
        (Vec3::new(0.0, 1.0, 0.2), Some("body"))
    );
    // Neck of the front: an arc of radius 9.4 cm below a chord of 18 cm.
    let neck = &front.outline[4].curve;
    assert!((neck.length() - 2.0 * 0.094 * (0.09f64 / 0.094).asin()).abs() < 1e-7);
    let sag = 0.094 - (0.094f64.powi(2) - 0.09f64.powi(2)).sqrt();
    assert!((neck.at(neck.length() / 2.0) - Vec2::new(0.0, 0.66 - sag)).norm() < 1e-7);
    assert_eq!(pattern.stitches[1].name, "front.3+back.4");
    assert_eq!(pattern.stitches[1].sides, [Side { panel: 0, edge: 3 }, Side { panel: 1, edge: 4 }]);
    assert_eq!(pattern.find("back.collar"), Ok(Side { panel: 1, edge: 3 }));
    assert_eq!(pattern.notes, []);
}

#[test]
fn old_curvatures_units_and_rotations_are_read() {
    let text = r#"{ "pattern": { "panels": { "p": {
        "vertices": [[0, 0], [300, 0], [300, 300], [0, 300]], "translation": [300, 0, 0], "rotation": [90, 90, 0],
        "edges": [ { "endpoints": [0, 1], "curvature": [0.5, -0.2] }, { "endpoints": [1, 2] },
                   { "endpoints": [2, 3] }, { "endpoints": [3, 0] } ] } } },
        "properties": { "curvature_coords": "relative", "units_in_meter": 300 } }"#;
    let pattern = json(text);
    let panel = &pattern.panels[0];
    // A parabola of height 0.1 m below the first side, which is a metre long.
    assert!((panel.area() - (1.0 + 2.0 / 3.0 * 0.1)).abs() < 1e-9, "{}", panel.area());
    // The turn about x comes first: y goes to z, then the turn about y takes z to x, and x to -z.
    let placed = |x: f64, y: f64| panel.placement.as_ref().unwrap().apply(&Vec2::new(x, y));
    assert!((placed(1.0, 0.0) - Vec3::new(1.0, 0.0, -1.0)).norm() < 1e-12);
    assert!((placed(0.0, 1.0) - Vec3::new(2.0, 0.0, 0.0)).norm() < 1e-12);
    let absolute = text.replace("relative", "absolute").replace("[0.5, -0.2]", "[150, -60]");
    assert_eq!(json(&absolute).panels, pattern.panels);
    let own = read("json", text.as_bytes(), &Options { unit: Some(0.01), size: None }).unwrap();
    assert!((own.panels[0].outline[1].curve.length() - 3.0).abs() < 1e-12, "a unit that is given counts");
    let silent = json(&text.replace(", \"units_in_meter\": 300", ""));
    assert!(silent.notes[0].to_string().contains("read as centimetres"));
}

#[test]
fn faults_of_specifications_name_line_and_panel() {
    let cases = [
        ("", "the file is empty"),
        ("{}", "1:1: no 'pattern' here"),
        (
            &TOP.replace("\"vertices\": [[-26, 0], [26", "\"vertices\": [[-26, 0], [NaN"),
            "8:33: not JSON: NaN is no number",
        ),
        (
            &TOP.replace("[0, 1], \"label\": \"hem\"", "[0, 9]"),
            "10:30: panel 'front': there is no vertex 9; there are 8, from 0",
        ),
        (
            &TOP.replacen("{ \"endpoints\": [1, 2] },", "", 1),
            "panel 'front': the outline is open: edge 1 begins at vertex 2",
        ),
        (&TOP.replace("\"back\", \"edge\": 6", "\"back\", \"edge\": 8"), "there is no edge of panel 'back': 8"),
        (
            &TOP.replace("\"back\", \"edge\": 6", "\"bakc\", \"edge\": 6"),
            "names the panel the text \"bakc\", there is 'front', 'back'",
        ),
        (&TOP.replace("\"cubic\"", "\"quartic\""), "unknown curve \"quartic\""),
        (&TOP.replace("[9.4, 0, 0]", "[9.4]"), "1 values for a curve of type \"circle\""),
        (&TOP.replace("\"units_in_meter\": 100", "\"units_in_meter\": 0"), "0 units in a metre"),
        (&TOP.replace("[26, 0], [24, 42]", "[26, 0], [1e300, 42]"), "panel 'front': farther than a kilometre"),
    ];
    for (text, message) in cases {
        let told = refused(text);
        assert!(told.contains(message), "{told}\nhas not: {message}");
    }
}
