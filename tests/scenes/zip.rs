//! Scene `zip`: the opening of a skirt that is closed from the bottom up, and stays closed.

use super::{Done, Expected, check_full, run, scene};
use percale::linalg::Vec3;
use percale::pattern::garment::make;
use percale::pattern::{Options, read};

const COARSE: &str = "cloth[0].pattern.edge_length=\"2 cm\"";

/// Returns the vertices of both sides of the zip, each from the bottom up.
fn rows(edge: f64) -> [Vec<u32>; 2] {
    let file = std::fs::read(super::scenes().join("../meshes/zip-skirt.svg")).unwrap();
    let mesh = make(&read("svg", &file, &Options::default()).unwrap(), edge).unwrap().mesh;
    ["front.zip", "back.zip"].map(|name| {
        let mut row = mesh.groups[name].clone();
        let height = |v: &u32| mesh.positions[*v as usize].y;
        row.sort_by(|a, b| height(a).total_cmp(&height(b)));
        row
    })
}

/// Returns the distance of each vertex of a side from its partner, from the bottom up [m].
fn apart(done: &Done, frame: u32, [front, back]: &[Vec<u32>; 2]) -> Vec<f64> {
    let at = |v: &u32| done.frame(frame).x[*v as usize];
    front.iter().zip(back).map(|(a, b)| (at(a) - at(b)).norm()).collect()
}

fn lies(done: &Done, frame: u32) -> f64 {
    let x = &done.frame(frame).x;
    x.iter().sum::<Vec3>().y / x.len() as f64
}

/// Each vertex meets its own partner, within a third of an edge. At every frame those below are closed, and those above
/// are open: the row closes in order.
#[test]
#[ignore = "long: half a minute or more"]
fn zip_as_expected() {
    let expected = Expected::read("zip");
    let done = run("zip", "zip", Some(expected.frames()), &expected.overrides(&scene("zip")));
    let mut faults = done.sound(expected.frames(), expected.largest_strain());
    faults.extend(expected.compare(&done));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let rows = rows(0.02);
    assert!(rows[0].len() == 11 && rows[1].len() == 11, "{rows:?}");
    let (open, half, end) = (apart(&done, 30, &rows), apart(&done, 44, &rows), apart(&done, 121, &rows));
    println!("zip: {open:?} {half:?} {end:?} m");
    assert!(open[10] > 0.05 && open.is_sorted(), "{open:?}");
    assert!(half[4] < 0.007 && half[10] > 0.04, "{half:?}");
    assert!(end.iter().all(|gap| *gap < 0.007), "{end:?}");
    // Left open the skirt slides down.
    let without = run("zip", "zip-open", None, &[COARSE.to_string(), "attach=[]".to_string()]);
    let [held, slid] = [&done, &without].map(|done| lies(done, 121));
    println!("zip: the skirt is at {held} m, left open at {slid} m");
    assert!(held - slid > 0.03, "{held} {slid}");
}

#[test]
#[ignore = "long: the whole scene at full resolution, a minute"]
fn zip_at_full_resolution() {
    let done = check_full("zip");
    let end = apart(&done, 121, &rows(0.012));
    assert!(end.iter().all(|gap| *gap < 0.007), "{end:?}");
}
