//! Miguel et al. 2013: internal friction.

use super::*;
use crate::{rms, unevenness};
use percale::mesh::archive::{Archive, Pose, Upward};
use percale::world::Kind;
use std::collections::BTreeMap;

/// Override that disables internal friction of the first cloth, and of the second.
const OFF: [&str; 2] = ["cloth[0].internal_friction=false", "cloth[1].internal_friction=false"];

/// Returns the pins of the scene: two fingers that stretch the cloth along a line, and two edges that are compressed at
/// an angle to it.
fn pushed(degrees: f64) -> String {
    let (z, x) = (12.5e-3 * degrees.to_radians().sin(), 12.5e-3 * degrees.to_radians().cos());
    let finger = |side: f64| {
        let [low, high] = if side > 0.0 { [0.046, 0.054] } else { [-0.054, -0.046] };
        format!(
            "{{box={{min=[-0.005,-1,{low}],max=[0.005,1,{high}]}},until=0.65,\
             keyframes=[{{time=0}},{{time=0.3,translate=[0,0,{}]}},{{time=0.6}}]}}",
            0.012 * side
        )
    };
    let edge = |side: f64| {
        let [low, high] = if side > 0.0 { [0.099, 0.101] } else { [-0.101, -0.099] };
        let (x, z) = (-side * x, -side * z);
        format!(
            "{{box={{min=[{low},-1,-1],max=[{high},1,1]}},keyframes=[{{time=1.0}},{{time=2.0,translate=[{x},0,{z}]}}]}}"
        )
    };
    format!("cloth[0].pin=[{},{},{},{}]", finger(1.0), finger(-1.0), edge(-1.0), edge(1.0))
}

/// Returns, for each row within 6 cm of the middle, the rest coordinate across the sheet of its highest vertex [m].
fn crests(done: &Done) -> Vec<f64> {
    let (rest, now) = (&done.frame(1).x, &done.frame(66).x);
    let mut highest: BTreeMap<i64, (f64, f64)> = BTreeMap::new();
    for (from, to) in rest.iter().zip(now).filter(|(from, _)| from.z.abs() < 60.1e-3) {
        let row = highest.entry((from.z * 1e4).round() as i64).or_insert((f64::NEG_INFINITY, 0.0));
        if to.y > row.0 {
            *row = (to.y, from.x);
        }
    }
    highest.into_values().map(|(_, x)| x).collect()
}

/// A sheet that was stretched along a line wrinkles there, whatever the direction of compression: within 12 mm, four
/// rows of vertices. Without internal friction the wrinkle is at least three times as far away.
#[test]
#[ignore = "long: four runs at full resolution, minutes"]
fn miguel_01_preferred_wrinkle() {
    let means = Figure::new(this_test!())
        .case("pushed across it", "preferred-wrinkle", &[])
        .case("10 degrees to the left", "preferred-wrinkle", &[&pushed(-10.0)])
        .case("10 degrees to the right", "preferred-wrinkle", &[&pushed(10.0)])
        .case("without friction", "preferred-wrinkle", &[OFF[0]])
        .tells("crest off the line", "mm", |done| 1e3 * rms(&crests(done)))
        .picture(66, &[])
        .measure();
    let off = |case: usize| means[case][0];
    assert!((0..3).all(|case| off(case) < 12.0 && off(case) < off(3) / 3.0), "{means:?}");
}

/// After a twist, a sleeve with internal friction is more than three times as uneven as without.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn miguel_11_one_twist() {
    let means = Figure::new(this_test!())
        .case("with friction", "twist-once", &[])
        .case("without", "twist-once", &[OFF[0]])
        .tells("unevenness", "mm", |done| 1e3 * rms(&unevenness(done.frame(31))))
        .picture(31, &[])
        .measure();
    assert!(means[0][0] > 0.5 && means[0][0] > 3.0 * means[1][0], "{means:?}");
}

/// Wrinkles after three twists differ: the correlation of their heights is below 0.8, and their size is equal within
/// 30 %. Without friction the sleeve is smooth after each.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn miguel_12_three_twists() {
    let after = |done: &Done, twist: usize| unevenness(done.frame([22, 43, 64][twist]));
    let alike = |done: &Done, first: usize| {
        let [a, b] = [first, first + 1].map(|twist| after(done, twist));
        let product: f64 = a.iter().zip(&b).map(|(p, q)| p * q).sum();
        product / (rms(&a) * rms(&b) * a.len() as f64)
    };
    let size = |done: &Done, twist: usize| 1e3 * rms(&after(done, twist));
    let means = Figure::new(this_test!())
        .case("with friction", "twist-thrice", &[])
        .case("without", "twist-thrice", &[OFF[0]])
        .tells("unevenness after one twist", "mm", |done| size(done, 0))
        .tells("after two", "mm", |done| size(done, 1))
        .tells("after three", "mm", |done| size(done, 2))
        .value("correlation of one and two", "", |done| alike(done, 0))
        .value("of two and three", "", |done| alike(done, 1))
        .picture(64, &[])
        .measure();
    let sizes = &means[0][..3];
    assert!(means[0][3..].iter().all(|correlation| *correlation < 0.8), "{means:?}");
    assert!(sizes.iter().all(|size| (size / sizes[0] - 1.0).abs() < 0.3), "{means:?}");
}

/// Returns the mean speed of the vertices of all cloths at a frame [m/s].
fn speed(done: &Done, frame: u32) -> f64 {
    let v = &done.frame(frame).v;
    v.iter().map(Vec3::norm).sum::<f64>() / v.len() as f64
}

/// Half a second after the end of a twist, a sleeve with internal friction moves at less than a fifth of the speed
/// without it. Its wrinkles have changed by less than a fifth as much.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn miguel_13_settling() {
    let change = |done: &Done| {
        let heights = [26, 41].map(|frame| unevenness(done.frame(frame)));
        rms(&heights[1].iter().zip(&heights[0]).map(|(b, a)| b - a).collect::<Vec<_>>())
    };
    let means = Figure::new(this_test!())
        .case("with friction", "settle", &[])
        .case("without", "settle", &[OFF[0]])
        .tells("mean speed half a second after", "mm/s", |done| 1e3 * speed(done, 40))
        .tells("change of heights until then", "mm", |done| 1e3 * change(done))
        .picture(41, &[])
        .measure();
    let [with, without] = [&means[0], &means[1]];
    assert!(with.iter().zip(without).all(|(with, without)| *with < 0.2 * without), "{means:?}");
}

/// After the figure has lowered its knee, cloth around it is longer along warp, by more than three times as without
/// friction.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn miguel_14_knee() {
    let longer = |done: &Done| {
        let (rest, now) = (done.frame(1), done.frame(61));
        let edges = rest.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let (mut sum, mut count) = (0.0, 0.0);
        for [a, b] in edges.map(|edge| edge.map(|v| v as usize)) {
            let near = |v: usize| (rest.x[v].y - 0.5).abs() < 0.12 && rest.x[v].x > 0.0;
            let (before, after) = (rest.x[b] - rest.x[a], now.x[b] - now.x[a]);
            if near(a) && near(b) && before.y.abs() > 0.9 * before.norm() {
                (sum, count) = (sum + after.norm() / before.norm() - 1.0, count + 1.0);
            }
        }
        sum / count
    };
    let means = Figure::new(this_test!())
        .case("with friction", "knee", &[])
        .case("without", "knee", &[OFF[0]])
        .tells("longer around the knee", "%", |done| 1e2 * longer(done))
        .picture(61, &["preview.camera={ position = [0.55, 0.62, 1.1], target = [0.1, 0.5, 0.05], fov = \"30 deg\" }"])
        .measure();
    assert!(means[0][0] > 0.25 && means[0][0] > 3.0 * means[1][0], "{means:?}");
}

/// A fold that fingers have gathered on the chest persists after a small jumping jack: 0.31 or more of its depth is
/// left; without internal friction less than a fifth.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn miguel_15_jumping_jack() {
    let file = docs().with_file_name("meshes/figure.usdc");
    let rest = Archive::open(&file, Some("Shirt"), Upward::Y).unwrap().pose(Pose::Rest).unwrap();
    let chest = |p: &Vec3| p.y > 1.2 && p.y < 1.32 && p.z > 0.05;
    let depth = |done: &Done, frame: u32| {
        let shirt = done.one(Kind::Cloth, "shirt", done.frame(frame));
        let mean = |of: &dyn Fn(f64) -> bool| {
            let own: Vec<f64> = (0..rest.len())
                .filter(|v| chest(&rest[*v]) && of((rest[*v].x - 0.0875).abs()))
                .map(|v| shirt.x[v].z)
                .collect();
            assert!(own.len() > 5, "{}", own.len());
            own.iter().sum::<f64>() / own.len() as f64
        };
        mean(&|off| off < 0.013) - mean(&|off| (off - 0.042).abs() < 0.012)
    };
    let fold = |done: &Done, frame: u32| 1e3 * (depth(done, frame) - depth(done, 1));
    let means = Figure::new(this_test!())
        .frames(58)
        .case("with friction", "jumping-jack", &[])
        .case("without", "jumping-jack", &OFF)
        .value("fold at the start", "mm", |done| fold(done, 26))
        .tells("half way", "mm", |done| fold(done, 58))
        .picture(58, &["preview.camera={ position = [0.45, 1.35, 1.0], target = [0.05, 1.25, 0], fov = \"30 deg\" }"])
        .measure();
    let [with, without] = [&means[0], &means[1]];
    // A depth above one or two thicknesses, below which it is noise.
    assert!(with[0] > 2.0 && with[1] > 0.31 * with[0] && without[1] < 0.2 * with[0], "{means:?}");
}

/// After the second squat, the way that shirt and trousers still go is less than 0.8 of that without internal friction.
/// The time until their speed stays below 15 mm/s is printed alone: noise of a frame at that speed moves it by a tenth.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn miguel_15_squat() {
    let rests = |done: &Done| {
        let last = (70..=done.record.done).rev().find(|frame| speed(done, *frame) > 15e-3).unwrap_or(69);
        f64::from(last + 1 - 70) / done.record.fps
    };
    let way = |done: &Done| (70..=done.record.done).map(|frame| speed(done, frame)).sum::<f64>() / done.record.fps;
    let means = Figure::new(this_test!())
        .case("with friction", "squat", &[])
        .case("without", "squat", &OFF)
        .tells("way still gone", "mm", |done| 1e3 * way(done))
        .value("below 15 mm/s after", "s", rests)
        .picture(80, &[])
        .measure();
    assert!(means[0][0] < 0.8 * means[1][0], "{means:?}");
}
