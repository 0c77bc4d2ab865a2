//! Wet scenes, and the effects of water (Park & Byun, figures 4 to 9).

use super::*;

fn set(one: &str) -> Vec<String> {
    vec![one.to_string()]
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn wet_ball_as_expected() {
    check_scene("wet-ball");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn wet_ball_fe_as_expected() {
    check_scene("wet-ball-fe");
}

#[test]
fn wet_balls_as_expected() {
    check_scene("wet-balls");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn wet_balls_fe_as_expected() {
    check_scene("wet-balls-fe");
}

#[test]
#[ignore = "long: half a minute or more"]
fn wet_fold_as_expected() {
    check_scene("wet-fold");
}

#[test]
#[ignore = "long: half a minute or more"]
fn wet_fold_fe_as_expected() {
    check_scene("wet-fold-fe");
}

#[test]
fn wet_gown_as_expected() {
    check_scene("wet-gown");
}

#[test]
#[ignore = "long: half a minute or more"]
fn wet_lift_as_expected() {
    check_scene("wet-lift");
}

#[test]
#[ignore = "long: half a minute or more"]
fn wet_lift_fe_as_expected() {
    check_scene("wet-lift-fe");
}

/// The lifted height does not depend on the activation distance of contact: within 5 % from 0.1 to 0.5 mm.
#[test]
#[ignore = "long: three runs at full resolution, a minute"]
fn adhesion_does_not_depend_on_the_distance_of_contact() {
    let heights = ["0.1 mm", "0.2 mm", "0.5 mm"].map(|distance| {
        let folder = format!("wet-lift-{}", distance.replace(' ', ""));
        let done = run("wet-lift", &folder, None, &set(&format!("contact.distance=\"{distance}\"")));
        done.quantity("highest", 60) - done.quantity("lowest", 60)
    });
    println!("wet-lift at 0.1, 0.2 and 0.5 mm: {heights:?} m");
    assert!(heights.iter().all(|height| (height / heights[1] - 1.0).abs() < 0.05), "{heights:?}");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn wet_drag_as_expected() {
    check_scene("wet-drag");
}

/// A wet cloth that hangs on a ball comes to rest: after 4 s no vertex is faster than 5 mm/s. Its mass is 662.4 g, and
/// no triangles ever cross.
#[test]
#[ignore = "long: the whole scene and two seconds more, a minute"]
fn a_wet_cloth_on_a_ball_rests() {
    let done = check_long("wet-ball", 136);
    let fastest = (122..=136).map(|frame| done.speed(frame)).fold(0.0, f64::max);
    let mass = 0.36 + done.quantity("water", 136);
    println!("wet-ball: {:.3} mm/s after 4 s, {:.4} g", 1e3 * fastest, 1e3 * mass);
    assert!(fastest < 5e-3 && (mass / 0.6624 - 1.0).abs() < 1e-6, "{fastest} {mass}");
}
