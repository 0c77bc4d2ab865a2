//! Scenes of internal friction, and a fit of what they simulate (Miguel et al. 2013).

use super::{check_scene, execute};
use percale::fit::stretch::{self, Setup};
use percale::fit::track::{Anchor, Noise};
use percale::force::dahl::Form;
use percale::scene::csv::Sheet;
use std::fmt::Write;
use std::fs;

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn preferred_wrinkle_as_expected() {
    check_scene("preferred-wrinkle");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn settle_as_expected() {
    check_scene("settle");
}

#[test]
#[ignore = "long: half a minute or more"]
fn jumping_jack_as_expected() {
    check_scene("jumping-jack");
}

#[test]
#[ignore = "long: half a minute or more"]
fn squat_as_expected() {
    check_scene("squat");
}

/// Closed loop: a sample of 10 x 10 vertices is loaded with 0, 0.25, ... 6, ... 0 N, and its lengths are written as a
/// table. `fit stretch` recovers the material parameters of the scene within 5 %. Measured: cotton 0.03 %, with spandex
/// 0.2 %, polyester 1.2 %.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn a_fit_finds_the_fabric_that_was_simulated() {
    let (step, most, dwell) = (0.25, 24, 0.6);
    let mut handles = String::new();
    for k in 0..most {
        let (from, until) = (dwell * f64::from(k + 1), dwell * f64::from(2 * most - k));
        // A corner carries half the load of a vertex between two cells.
        for (place, part) in [("vertices = [1, 2, 3, 4, 5, 6, 7, 8]", 8.0 / 9.0), ("vertices = [0, 9]", 1.0 / 9.0)] {
            write!(handles, "{{ {place}, force = [0, {}, 0], from = {from}, until = {until} }}, ", -step * part)
                .unwrap();
        }
    }
    let loads: Vec<f64> = (0..=2 * most).map(|k| step * f64::from(k.min(2 * most - k))).collect();
    for (name, truth) in [
        ("cotton", [135.6, 64.03, 2.22, 3.16, 0.006]),
        ("spandex", [4.42, 32.19, 0.4, 4.84, 0.088]),
        ("polyester", [26.62, 3.64, 2.1, 5.41, 0.031]),
    ] {
        let set = [
            format!("material[0].base=\"measured-{name}\""),
            "material[0].damping=\"20 ms\"".into(),
            "cloth[0].mesh=\"../meshes/sheet_10x10.ply\"".into(),
            "cloth[0].transform={ scale = 1.111111111, rotate = { axis = [1, 0, 0], angle = \"90 deg\" } }".into(),
            "cloth[0].group=[]".into(),
            format!("cloth[0].handle=[{handles}]"),
            "probe[0].length.to={ of = \"sample\", vertices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }".into(),
            format!("time.frames={}", 6 * loads.len() + 3),
            "contact.enabled=false".into(),
            "output.meshes=false".into(),
        ];
        let (told, out) = execute("stretch-test", &format!("stretch-loop-{name}"), None, &set);
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let lengths = fs::read_to_string(out.join("probes/length.csv")).unwrap();
        // Ten frames per second: the last frame before the load changes.
        let lengths: Vec<&str> = lengths.lines().skip(1).skip(5).step_by(6).collect();
        let mut table = String::from("force [N],length [m]\n");
        for (load, line) in loads.iter().zip(&lengths) {
            writeln!(table, "{load},{}", line.split_once(',').unwrap().1).unwrap();
        }
        let sheet = Sheet::read("loop.csv", table.as_bytes(), &stretch::wants()).unwrap();
        let setup = Setup {
            name: name.into(),
            size: 0.1,
            width: 0.1,
            clip: 0.0,
            // The scene has no gravity.
            density: 0.0,
            form: Form::Fitted,
            anchor: Anchor::Chain,
            noise: Noise::Strain,
        };
        let (_, estimate) = stretch::fit(&sheet, &setup).unwrap();
        let errors: Vec<f64> = estimate.found.values.iter().zip(&truth).map(|(f, t)| (f / t - 1.0).abs()).collect();
        println!("{name}: {errors:.4?}");
        assert!(errors.len() == 5 && errors.iter().all(|error| *error < 0.05), "{name}: {errors:?}");
    }
}
