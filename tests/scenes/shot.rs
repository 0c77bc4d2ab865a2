//! Scene `dancer`: a shot with a character from a USD file.

use super::{check_full, check_scene, run};
use percale::linalg::Vec3;
use percale::mesh::archive::{Archive, Pose, Upward};
use std::path::Path;

#[test]
fn dancer_as_expected() {
    check_scene("dancer");
}

#[test]
#[ignore = "long: the whole scene at full resolution, a minute"]
fn dancer_at_full_resolution() {
    check_full("dancer");
}

/// Waist and dancer are at the positions of the file in every frame. The hem moves outwards as she turns.
#[test]
fn the_waist_follows_the_file() {
    let done = run("dancer", "dancer-waist", Some(30), &["time.step=0.004".to_string()]);
    assert_eq!((done.record.first, done.record.done), (1001, 30));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/dancer.usdc");
    let open = |name: &str| Archive::open(&file, Some(name), Upward::Z).unwrap();
    let (mut skirt, mut body) = (open("Skirt"), open("Body"));
    let waist = skirt.mesh.groups["waist"].clone();
    let off = |a: &Vec3, b: &Vec3| (a - b).norm();
    for frame in 1..=30 {
        let time = Pose::At(f64::from(1000 + frame) / 24.0);
        let (there, hers) = (skirt.pose(time).unwrap(), body.pose(time).unwrap());
        let cloth = done.frame(frame);
        let worst = waist.iter().map(|v| off(&cloth.x[*v as usize], &there[*v as usize])).fold(0.0, f64::max);
        assert!(worst < 1e-5, "frame {frame}: the waist is off by {worst} m");
        let worst = done.obstacles[frame as usize - 1].x.iter().zip(&hers).map(|(a, b)| off(a, b)).fold(0.0, f64::max);
        assert!(worst < 1e-5, "frame {frame}: the dancer is off by {worst} m");
    }
    // Mean radius of the last row of 72 vertices.
    let out = |frame: u32| {
        let x = &done.frame(frame).x;
        let hem = &x[x.len() - 72..];
        let centre = hem.iter().sum::<Vec3>() / 72.0;
        hem.iter().map(|p| (p - centre).xy().norm()).sum::<f64>() / 72.0
    };
    assert!(out(28) > 1.3 * out(1), "{} m, at rest {} m", out(28), out(1));
}

/// A foot on the ground stays where it is while the figure walks: in each frame the soles of one foot move by less than
/// 3 mm, of 2 cm that the hips go. Toes stay above the ground within the roundness of the sole.
#[test]
fn the_walker_steps_without_sliding() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/walker.usdc");
    let mut body = Archive::open(&file, Some("Body"), Upward::Y).unwrap();
    let mut at = |frame: u32| body.pose(Pose::At(f64::from(frame) / 30.0)).unwrap();
    let start = at(1001);
    let sole =
        |sign: f64| (0..start.len()).filter(|v| start[*v].y < 0.02 && sign * start[*v].x > 0.0).collect::<Vec<_>>();
    let soles = [sole(1.0), sole(-1.0)];
    let mut before = start.clone();
    for frame in 1002..=1060 {
        let now = at(frame);
        let moved = soles.each_ref().map(|sole| sole.iter().map(|v| (now[*v] - before[*v]).norm()).fold(0.0, f64::max));
        assert!(moved[0].min(moved[1]) < 3e-3, "frame {frame}: {moved:?}");
        let lowest = now.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        assert!(lowest > -0.01, "frame {frame}: {lowest} m");
        before = now;
    }
    let middle = |x: &[Vec3]| x.iter().sum::<Vec3>() / x.len() as f64;
    let gone = middle(&before) - middle(&start);
    assert!((gone.z - 1.75).abs() < 0.1 && gone.x.abs() < 0.05, "{gone}");
}
