//! The shirt that walks, from the same pattern in three formats: the cases of `scenes/walk-patterns-sweep.toml`.

use super::{Expected, number, run, scenes};
use percale::pattern::garment::make;
use percale::pattern::{Options, check, read};
use percale::scene::sweep;

/// Runs a case in full. Nothing crosses, and all pairs of the ten seams are joined before the shot, as in the others.
fn walks(name: &str) {
    let sweep = sweep::read(&scenes().join("walk-patterns-sweep.toml")).unwrap();
    let case = sweep.cases.iter().find(|case| case[0] == format!("\"{name}\"")).unwrap();
    let set: Vec<String> = sweep.overrides(case).iter().map(|own| format!("{}={}", own.path, own.value)).collect();
    let done = run("walk", &format!("walk-{name}"), None, &set);
    let bound = number(&Expected::read("walk").document["largest_strain_full"]);
    let faults = done.sound(60, bound);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let drawn = std::fs::read(scenes().join("../meshes/t-shirt.svg")).unwrap();
    let mut pattern = read("svg", &drawn, &Options::default()).unwrap();
    check(&mut pattern).unwrap();
    let pairs: usize = make(&pattern, 0.012).unwrap().seams.iter().map(|seam| seam.pairs.len()).sum();
    for frame in 1..=60 {
        let [joined, gap] = ["seam_joined", "seam_gap"].map(|word| done.told(word, frame).unwrap());
        assert_eq!(done.crossings[frame as usize - 1], 0, "{name}: frame {frame}");
        assert!(joined == pairs as f64 && gap == 0.0, "{name}: frame {frame}: {joined} of {pairs} pairs, {gap} m");
    }
    let [z, high] = ["centre_z", "highest"].map(|word| done.quantity(word, 60));
    println!("{name}: {pairs} pairs joined, centre at z = {z} m, highest at {high} m");
    // The tolerances of walk.expected.toml.
    assert!((z - 1.74).abs() < 0.05 && (high - 1.41).abs() < 0.02, "{name}: {z} {high}");
}

#[test]
#[ignore = "long: a shot at full resolution, minutes"]
fn a_shirt_from_svg_walks() {
    walks("t-shirt-svg");
}

#[test]
#[ignore = "long: a shot at full resolution, minutes"]
fn a_shirt_from_dxf_walks() {
    walks("t-shirt-dxf");
}

#[test]
#[ignore = "long: a shot at full resolution, minutes"]
fn a_shirt_from_json_walks() {
    walks("t-shirt-json");
}
