//! Wet scenes, and the effects of water (Park & Byun, figures 4 to 9).

use super::*;

/// Returns overrides without water and adhesion.
fn dry() -> Vec<String> {
    ["wet_contact.scale=0", "wet[0].soaked=false"].map(String::from).to_vec()
}

fn set(one: &str) -> Vec<String> {
    vec![one.to_string()]
}

/// Reads the rows of a probe's file, without its head.
fn probe(folder: &str, name: &str) -> Vec<Vec<f64>> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scenes-{folder}"));
    let text = fs::read_to_string(out.join(format!("probes/{name}.csv"))).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect()
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

/// Equal forces lift a wet sheet to less than 0.8 of the height of a dry one (figure 8).
#[test]
#[ignore = "long: half a minute or more"]
fn wet_lift_as_expected() {
    check_scene("wet-lift");
    lifts_less("wet-lift");
}

#[test]
#[ignore = "long: half a minute or more"]
fn wet_lift_fe_as_expected() {
    check_scene("wet-lift-fe");
    lifts_less("wet-lift-fe");
}

fn lifts_less(scene: &str) {
    let height = |case: &str, set: &[String]| {
        let done = run(scene, &format!("{scene}-{case}"), Some(25), set);
        done.quantity("highest", 25) - done.quantity("lowest", 25)
    };
    let [wet, half] = [("wet", "wet_contact.scale=1"), ("half", "wet_contact.scale=0.5")]
        .map(|(case, scale)| height(case, &set(scale)));
    let [heavy, dry] = [height("heavy", &set("wet_contact.scale=0")), height("dry", &dry())];
    println!("{scene}: {wet:.5} m, with half of the pull {half:.5}, without {heavy:.5}, dry {dry:.5}");
    assert!(wet < 0.8 * dry && wet < half && half < heavy && heavy < dry, "{wet} {half} {heavy} {dry}");
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

/// A fold stays closed if the cloth adheres to itself, and opens if it does not, like a dry fold (figure 9). The
/// measure is the distance of both ends, as a fraction of the length.
#[test]
#[ignore = "long: three runs at full resolution, a minute"]
fn a_wet_fold_stays() {
    fold_stays("wet-fold");
}

/// As with springs: liquid bridges attach to vertices, whatever the elements between them.
#[test]
#[ignore = "long: three runs at full resolution, a minute"]
fn a_wet_fold_of_finite_elements_stays() {
    fold_stays("wet-fold-fe");
}

fn fold_stays(scene: &str) {
    let opening = |case: &str, set: &[String]| {
        let done = run(scene, &format!("{scene}-{case}"), None, set);
        let (rest, now) = (done.frame(1), done.frame(105));
        let end = |upper: bool| {
            let own = (0..rest.x.len()).filter(|v| if upper { rest.x[*v].y > 0.44 } else { rest.x[*v].y < 0.06 });
            own.map(|v| now.x[v]).sum::<Vec3>() / 20.0
        };
        (end(true) - end(false)).norm() / 0.39
    };
    let on = opening("on", &[]);
    let off = opening("off", &set("wet_contact.self=false"));
    let heavy = opening("heavy", &set("wet_contact.scale=0"));
    println!("{scene}: open by {on:.3} of its length, without self-adhesion {off:.3}, without adhesion {heavy:.3}");
    assert!(on < 0.3 * off && (off / heavy - 1.0).abs() < 0.1, "{on} {off} {heavy}");
}

/// The ratio of wet to dry drag of a towel equals the ratio of its normal forces on the table (the paper's first
/// sentence). The normal force is weight and all pulls of bridges, minus the load on the hand.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn wet_drag_as_expected() {
    check_scene("wet-drag");
    let drag = |folder: &str, set: &[String]| {
        let done = run("wet-drag", folder, None, set);
        // Adhesion acts between towel and table and is part of the probe.
        let adhesion = done.quantity("adhesion", 46);
        let late: Vec<Vec<f64>> = probe(folder, "table").into_iter().filter(|row| row[0] > 1.2).collect();
        let mean = |k: usize| late.iter().map(|row| row[k]).sum::<f64>() / late.len() as f64;
        [-mean(1), mean(2) + adhesion]
    };
    let [wet, dry] = [drag("wet-drag-wet", &[]), drag("wet-drag-dry", &dry())];
    println!("wet-drag: {:.4} N under {:.4} N, dry {:.4} N under {:.4} N", wet[0], wet[1], dry[0], dry[1]);
    assert!(wet[0] > 10.0 * dry[0], "{wet:?} {dry:?}");
    assert!((wet[0] / dry[0] / (wet[1] / dry[1]) - 1.0).abs() < 0.05, "{wet:?} {dry:?}");
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

/// Turning balls carry a wet sheet farther along than a dry one (figure 7 b). The measure is the mean rotation of the
/// cloth on their tops.
#[test]
#[ignore = "long: two runs at full resolution, a minute"]
fn turning_balls_carry_wet_cloth_along() {
    carried("wet-balls");
}

/// As with springs.
#[test]
#[ignore = "long: two runs at full resolution, a minute"]
fn turning_balls_carry_finite_elements_along() {
    carried("wet-balls-fe");
}

fn carried(scene: &str) {
    let turn = |done: &Done| {
        let (from, to) = (done.frame(31), done.frame(75));
        let of = |centre: f64| {
            let arm = |frame: &Frame, v: usize| [frame.x[v].x - centre, frame.x[v].z];
            let near = |v: &usize| {
                let [x, z] = arm(from, *v);
                (0.01..0.04).contains(&x.hypot(z)) && from.x[*v].y > 0.12
            };
            let (mut sine, mut cosine) = (0.0, 0.0);
            for ([a, b], [c, d]) in (0..from.x.len()).filter(near).map(|v| (arm(from, v), arm(to, v))) {
                sine += b * c - a * d;
                cosine += a * c + b * d;
            }
            f64::atan2(sine, cosine).to_degrees()
        };
        [of(-0.13), of(0.13)]
    };
    let wet = turn(&check_full(scene));
    let dry = turn(&run(scene, &format!("{scene}-dry"), None, &dry()));
    println!("{scene}: wet cloth turns by {wet:.1?} degrees, dry by {dry:.1?}");
    // The sum over both balls counts: the sheet lies askew, and one ball carries it farther than the other.
    let [all_wet, all_dry] = [wet, dry].map(|turns| turns.iter().sum::<f64>());
    assert!(all_wet > 1.15 * all_dry && dry.iter().all(|turn| *turn > 0.0), "{wet:?} {dry:?}");
}

/// A second after the wind, a wet skirt still lies on the legs, while a dry one has swung back (figure 6). The measures
/// are the mean distance from the skin, and the fraction within 1 mm.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn a_wet_skirt_stays_on_the_skin() {
    let nearness = |done: &Done| ["gap(mannequin)", "within(mannequin, 0.001)"].map(|name| done.quantity(name, 91));
    let wet = nearness(&check_full("wet-gown"));
    let dry = nearness(&run("wet-gown", "wet-gown-dry", None, &dry()));
    println!("wet-gown: {wet:?}, dry {dry:?}");
    assert!(wet[0] < 0.8 * dry[0] && wet[1] > 2.0 * dry[1], "{wet:?} {dry:?}");
}
