//! Every shipped scene, short or coarse, compared with `scenes/<name>.expected.toml`; and physical properties of the
//! drape.
//!
//! `PERCALE_BLESS=1 cargo test --test scenes` rewrites the values in those files. Runs, bounds, tolerances and their
//! reasons are written by hand and are not changed.

#[path = "scenes/airbed.rs"]
mod airbed;
#[path = "scenes/airflow.rs"]
mod airflow;
#[path = "scenes/done.rs"]
mod done;
#[path = "scenes/figures/mod.rs"]
mod figures;
#[path = "scenes/formats.rs"]
mod formats;
#[path = "scenes/internal_friction.rs"]
mod internal_friction;
#[path = "scenes/shot.rs"]
mod shot;
#[path = "scenes/velocities.rs"]
mod velocities;
#[path = "scenes/wet.rs"]
mod wet;
#[path = "scenes/wind_pillow.rs"]
mod wind_pillow;
#[path = "scenes/zip.rs"]
mod zip;

use done::*;
use percale::force::dahl::{Dahl, Form};
use percale::linalg::{Mat3, Vec3, par};
use percale::sequence::{Folder, Status};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// Returns the coarse drape for 4 s, run once.
fn drape() -> &'static Done {
    static DRAPE: OnceLock<Done> = OnceLock::new();
    DRAPE.get_or_init(|| run("drape", "drape-50", Some(121), &[with_mesh("../meshes/sheet_1m_50.ply")]))
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn drape_as_expected() {
    check_scene("drape");
}

#[test]
fn curtain_as_expected() {
    check_scene("curtain");
}

#[test]
fn flag_as_expected() {
    check_scene("flag");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn skirt_as_expected() {
    check_scene("skirt");
}

#[test]
fn hull_as_expected() {
    check_scene("hull");
}

#[test]
fn twist_as_expected() {
    check_scene("twist");
}

#[test]
#[ignore = "long: half a minute or more"]
fn stack_as_expected() {
    check_scene("stack");
}

#[test]
fn blades_as_expected() {
    check_scene("blades");
}

#[test]
fn funnel_as_expected() {
    check_scene("funnel");
}

#[test]
fn needles_as_expected() {
    check_scene("needles");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn sharp_as_expected() {
    check_scene("sharp");
}

#[test]
fn towel_as_expected() {
    check_scene("towel");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn roll_as_expected() {
    check_scene("roll");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn vest_as_expected() {
    check_scene("vest");
}

#[test]
fn gathers_as_expected() {
    check_scene("gathers");
}

#[test]
#[ignore = "long: half a minute or more"]
fn t_shirt_as_expected() {
    check_scene("t-shirt");
}

#[test]
#[ignore = "long: half a minute or more"]
fn cusick_as_expected() {
    check_scene("cusick");
}

#[test]
#[ignore = "long: half a minute or more"]
fn walk_as_expected() {
    check_scene("walk");
}

#[test]
#[ignore = "long: half a minute or more"]
fn skirt_with_a_band_as_expected() {
    check_scene("skirt-band");
}

#[test]
#[ignore = "long: a minute or more"]
fn trousers_as_expected() {
    check_scene("trousers");
}

#[test]
#[ignore = "long: a minute or more"]
fn buttoned_shirt_as_expected() {
    check_scene("buttoned-shirt");
}

#[test]
#[ignore = "long: a minute or more"]
fn dress_with_a_belt_as_expected() {
    check_scene("dress-belt");
}

#[test]
#[ignore = "long: half a minute or more"]
fn pleated_skirt_as_expected() {
    check_scene("pleated-skirt");
}

/// Knife and box pleats lie flat on each other. The panel is as wide as it was, 71 cm, less twice the four legs of 4 cm
/// that run back, within 2 mm. Pleats rest below 0.5 mm/s for the last second, and no step of it corrects them.
#[test]
#[ignore = "long: half a minute or more"]
fn pleats_as_expected() {
    check_scene("pleats");
    let done = run("pleats", "pleats-flat", None, &["cloth[0].pattern.edge_length=\"1.2 cm\"".to_string()]);
    let x = &done.frame(121).x;
    let ends = x.iter().map(|p| p.x).fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
    println!("pleats: {} m wide", ends[1] - ends[0]);
    assert!((ends[1] - ends[0] - 0.39).abs() < 2e-3, "{ends:?}");
    for frame in 91..=121 {
        assert!(done.speed(frame) < 5e-4, "frame {frame}: {} m/s", done.speed(frame));
        assert_eq!(done.stats[frame as usize - 1].corrected, 0, "frame {frame}");
    }
}

#[test]
fn two_shirts_as_expected() {
    check_scene("two-shirts");
}

#[test]
fn cushion_as_expected() {
    check_scene("cushion");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn rotating_sphere_as_expected() {
    check_scene("rotating-sphere");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn rotating_sphere_cloth_as_expected() {
    check_scene("rotating-sphere-cloth");
}

#[test]
fn rotating_sphere_body_as_expected() {
    check_scene("rotating-sphere-body");
}

#[test]
#[ignore = "long: half a minute or more"]
fn three_pillows_as_expected() {
    check_scene("three-pillows");
}

#[test]
fn hull_80k_as_expected() {
    check_scene("hull-80k");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn bedding_as_expected() {
    check_scene("bedding");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn tablecloth_as_expected() {
    check_scene("tablecloth");
}

#[test]
#[ignore = "long: half a minute or more"]
fn sofa_as_expected() {
    check_scene("sofa");
}

#[test]
fn pillow_as_expected() {
    check_scene("pillow");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn pillow_cloth_as_expected() {
    check_scene("pillow-cloth");
}

#[test]
fn pillow_body_as_expected() {
    check_scene("pillow-body");
}

#[test]
#[ignore = "long: half a minute or more"]
fn cube_on_pillow_as_expected() {
    check_scene("cube-on-pillow");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn comforter_as_expected() {
    check_scene("comforter");
}

#[test]
#[ignore = "long: half a minute or more"]
fn vest_air_as_expected() {
    check_scene("vest-air");
}

#[test]
fn two_sheets_as_expected() {
    check_scene("two-sheets");
}

#[test]
fn strain_limit_as_expected() {
    check_scene("strain-limit");
}

#[test]
fn balloon_as_expected() {
    check_scene("balloon");
}

#[test]
fn blanket_as_expected() {
    check_scene("blanket");
}

#[test]
fn choi_ko_drape_as_expected() {
    check_scene("choi-ko-drape");
}

#[test]
fn mouse_as_expected() {
    check_scene("mouse");
}

#[test]
fn hang_as_expected() {
    check_scene("hang");
}

/// The bed pulls at the sled with the force of the pair's curve at that load, along warp and weft, within 5 %. Sliding
/// is stick-slip, and new contacts pass through their peaks, which are a fifth higher (measured: 3.6 and 3.5 % more).
/// The force begins with the peak, increased by the start: 0.378 N under 0.5 N, no more than a half of that. Contacts
/// do not all reach their peak at once, so 8 % more are required.
#[test]
fn sled_as_expected() {
    check_scene("sled");
    for (turn, plateau) in [(0, 0.315), (90, 0.3528)] {
        let set = format!("cloth[0].transform.rotate={{axis=[0,1,0],angle=\"{turn} deg\"}}");
        let (told, out) = execute("sled", &format!("sled-{turn}"), None, &[set]);
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let text = fs::read_to_string(out.join("probes/bed-on-sled.csv")).unwrap();
        let rows: Vec<Vec<f64>> =
            text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
        let sliding: Vec<&Vec<f64>> = rows.iter().filter(|row| (1.0..1.5).contains(&row[0])).collect();
        let mean = |k: usize| sliding.iter().map(|row| row[k]).sum::<f64>() / sliding.len() as f64;
        // The curve follows the load with exponents 2/3 and 1. Near 0.5 N the exponent is 0.84.
        let (drag, load) = (-mean(1), mean(2));
        let curve = plateau * (load / 0.5).powf(0.84);
        println!("sled, warp turned by {turn}: {drag:.4} N under {load:.4} N, curve {curve:.4} N");
        assert!((load / (125.0 * 4e-4 * G) - 1.0).abs() < 0.05 && (drag / curve - 1.0).abs() < 0.05, "{drag} {load}");
        let peak = rows.iter().filter(|row| row[0] < 0.7).map(|row| -row[1]).fold(0.0, f64::max);
        assert!(peak > 1.08 * curve && peak < 1.8 * curve, "{peak} {curve}");
    }
}

#[test]
fn dragon_as_expected() {
    check_scene("dragon");
}

/// Weights on a sample of cotton, added and removed (Miguel et al. 2013, figures 5 and 6).
#[test]
#[ignore = "long: half a minute or more"]
fn stretch_test_as_expected() {
    check_scene("stretch-test");
}

#[test]
fn stretch_cycles_as_expected() {
    check_scene("stretch-cycles");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn unrolled_strips_as_expected() {
    ["unroll-7", "roll-on"].into_iter().for_each(check_scene);
}

/// Fits the radius of a circle to a strip seen along its width, without its ends, by least squares [m].
fn curl(frame: &Frame) -> f64 {
    let row = |k: usize| frame.x.iter().skip(k).step_by(81);
    let middle = |k: usize| row(k).map(|p| Vec3::new(p.x, p.y, 1.0)).sum::<Vec3>() / row(k).count() as f64;
    let mut equations = [[0.0; 4]; 3];
    for p in (8..72).map(middle) {
        // x^2 + y^2 = 2 a x + 2 b y + c.
        let (line, square) = ([2.0 * p.x, 2.0 * p.y, 1.0], p.x * p.x + p.y * p.y);
        for i in 0..3 {
            (0..3).for_each(|j| equations[i][j] += line[i] * line[j]);
            equations[i][3] += line[i] * square;
        }
    }
    let matrix = Mat3::from_fn(|i, j| equations[i][j]);
    let solved = matrix.try_inverse().unwrap() * Vec3::new(equations[0][3], equations[1][3], equations[2][3]);
    (solved.z + solved.x * solved.x + solved.y * solved.y).sqrt()
}

/// Strips of felt rest at the radius at which elasticity and friction balance, without gravity, within 3 % (Miguel et
/// al. 2013, figure 10): between the radii for the innermost turn and the outermost. A strip wound on a rod rests at
/// the radius of a strip that starts rolled, within 5 %.
#[test]
#[ignore = "long: four runs at full resolution, minutes"]
fn strips_rest_at_the_radius_of_their_balance() {
    ["unroll-4", "unroll-23"].into_iter().for_each(check_scene);
    let dahl = Dahl { a: 5.12e-4, b: 0.15e-4, tau: 29.9, form: Form::Fitted };
    let balance = |radius: f64| {
        let rolled = 3.0 / radius;
        let start = dahl.go(0.0, 0.0, rolled).0;
        let (mut low, mut high) = (0.0, rolled);
        for _ in 0..60 {
            let e = 0.5 * (low + high);
            let moment = 145.3e-7 * e + 0.15e-7 * e * e + dahl.go(rolled, start, e).0;
            *if moment < 0.0 { &mut low } else { &mut high } = e;
        }
        3.0 / low
    };
    let mut seven = 0.0;
    for (name, radius) in [("unroll-4", 0.004), ("unroll-7", 0.0075f64), ("unroll-23", 0.023)] {
        let set = ["scene.gravity=[0,0,0]".to_string(), "time.frames=91".to_string()];
        let found = curl(run(name, &format!("{name}-free"), None, &set).frame(91));
        let outer = (radius * radius + 6e-4 * 0.1 / std::f64::consts::PI).sqrt();
        let [least, most] = [radius, outer].map(balance);
        println!("{name}: rests at {:.3} mm, balance {:.3} to {:.3}", 1e3 * found, 1e3 * least, 1e3 * most);
        assert!(found > 0.97 * least && found < 1.03 * most, "{name}: {found}");
        seven = if name == "unroll-7" { found } else { seven };
    }
    let wound = curl(check_full("roll-on").frame(151));
    println!("roll-on: rests at {:.3} mm", 1e3 * wound);
    assert!((wound / seven - 1.0).abs() < 0.05, "{wound} {seven}");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn twisted_sleeve_as_expected() {
    check_scene("twist-once");
}

#[test]
fn knee_as_expected() {
    check_scene("knee");
}

/// Stress and force of the knit at the ends of its loops: friction is that of the closed form along the strains that
/// the machine prescribes, within 1 %. The loop at four times the speed is the same within 0.5 % of its range (Miguel
/// et al. 2013, figures 2 and 4).
#[test]
#[ignore = "long: half a minute"]
fn stretch_cycles_do_not_hang_on_speed() {
    let (told, out) = execute("stretch-cycles", "stretch-cycles-full", None, &["output.meshes=false".to_string()]);
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let text = fs::read_to_string(out.join("probes/force.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let (k1, k2, dahl) = (4.42, 32.19, Dahl { a: 0.40, b: 4.84, tau: 0.088, form: Form::Exact });
    let green = |stretch: f64| 0.5 * (stretch * stretch - 1.0);
    let (mut e, mut s) = (0.0, 0.0);
    let mut found = Vec::new();
    for (time, stretch) in
        [(1.2, 1.6), (2.0, 1.2), (2.8, 1.6), (3.6, 1.2), (4.0, 1.6), (4.2, 1.2), (4.8, 1.6), (5.0, 1.2)]
    {
        let to = green(stretch);
        s = dahl.go(e, s, to).0;
        e = to;
        let near = |row: &&Vec<f64>| (row[0] - time).abs();
        let row = rows.iter().min_by(|a, b| near(a).total_cmp(&near(b))).unwrap();
        let stress = -row[2] / (0.1 * stretch) - k1 * e - k2 * e * e;
        println!("stretch-cycles at {time} s: stress of friction {stress:.4}, closed form {s:.4} N/m");
        assert!((stress - s).abs() < 0.01 * dahl.most(e), "{time} s: {stress} {s}");
        found.push(row[2]);
    }
    let range = found[3] - found[2];
    for (slow, fast) in [(2, 6), (3, 7)] {
        assert!((found[slow] - found[fast]).abs() < 0.005 * range.abs(), "{found:?}");
    }
}

/// Returns the radial offsets of a sleeve's vertices from the mean of each ring [m].
fn unevenness(frame: &Frame) -> Vec<f64> {
    let out: Vec<f64> = frame.x.iter().map(|p| p.x.hypot(p.z)).collect();
    let rings = out.chunks(96);
    rings.flat_map(|ring| ring.iter().map(|r| r - ring.iter().sum::<f64>() / ring.len() as f64)).collect()
}

fn rms(heights: &[f64]) -> f64 {
    (heights.iter().map(|h| h * h).sum::<f64>() / heights.len() as f64).sqrt()
}

/// Balls that would overlap by 5 mm wait for the cloth between them, as shipped.
#[test]
#[ignore = "long: half a minute or more"]
fn pinch_as_expected() {
    check_scene("pinch");
}

/// The balls meet at 0.4 s 50/52.5 = 0.381 s. The run stops before and names them.
#[test]
fn pinch_halts() {
    let set = [with_mesh("../meshes/sheet_1m_25.ply"), "contact.pinch=\"halt\"".to_string()];
    let (told, out) = execute("pinch", "pinch-halt", None, &set);
    let stderr = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{stderr}");
    assert!(
        ["error failed: frame 13 of 46, step ", "'left'", "'right'", "'cloth'"]
            .iter()
            .all(|word| stderr.contains(word)),
        "{stderr}"
    );
    let done = par::with_threads(1, || read("pinch", &Folder::new(&out))).unwrap();
    assert!(done.record.status == Status::Failed && done.record.done == 12, "{} frames", done.record.done);
    assert!(done.record.reason.as_ref().is_some_and(|reason| reason.contains("'cloth'")), "{:?}", done.record.reason);
    assert!(done.crossings.iter().all(|pairs| *pairs == 0), "{:?}", done.crossings);
}

/// Cloth passes through the named ball, in marked frames, and through no other object.
#[test]
fn pinch_releases() {
    let policy = ["contact.pinch=\"release\"", "contact.release=\"left\""].map(String::from);
    let mesh = with_mesh("../meshes/sheet_1m_25.ply");
    let done = run("pinch", "pinch-release", None, &[policy.as_slice(), &[mesh]].concat());
    assert_eq!(done.record.done, 46);
    for (frame, (pairs, stats)) in done.crossings.iter().zip(&done.stats).enumerate() {
        assert!(*pairs == 0 || stats.ignored > 0, "frame {}: {pairs} pairs cross, none is marked", frame + 1);
    }
    assert_eq!(done.crossings.last(), Some(&0));
}

/// Free fall before contact: `g t^2/2` within 0.1 %, at every vertex, in still vacuum.
#[test]
fn drape_falls_freely() {
    for contact in [true, false] {
        let set = [
            with_mesh("../meshes/sheet_1m_25.ply"),
            "cloth[0].air_drag=0".to_string(),
            format!("contact.enabled={contact}"),
        ];
        // First contact at 0.247 s; frame 8 is at 0.233 s.
        let done = run("drape", &format!("fall-{contact}"), Some(8), &set);
        for frame in 2..=8 {
            let t = f64::from(frame - 1) / done.record.fps;
            let wanted = G * t * t / 2.0;
            let (start, now) = (&done.frame(1).x, &done.frame(frame).x);
            for (p, q) in start.iter().zip(now) {
                let fallen = p.y - q.y;
                assert!(
                    (fallen - wanted).abs() < 1e-3 * wanted,
                    "contact {contact}, {t:.3} s: {fallen} m, not {wanted} m"
                );
            }
        }
    }
}

/// As shipped, the sheet falls through air: `v = u (1 - exp(-t/tau))`, `x = u (t - tau (1 - exp(-t/tau)))` with
/// `u = m g/c`, `tau = m/c` for the mass `m` and drag `c` of an area. BDF2 in steps of `h` adds the third derivative,
/// `g/tau`, times `h^2/3` to the velocity at most; the solver leaves its tolerance, 1e-4.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn drape_falls_through_air() {
    let (tau, step) = (0.2 / 1.0, 6e-3_f64);
    let drift = G / tau * step.powi(2) / 3.0;
    let done = drape();
    // First contact at 0.31 s; frame 10 is at 0.3 s, 20 mm above it.
    for frame in 2..=10 {
        let t = f64::from(frame - 1) / done.record.fps;
        let speed = G * tau * (1.0 - (-t / tau).exp());
        let wanted = G * tau * t - tau * speed;
        let (start, now) = (&done.frame(1).x, done.frame(frame));
        for (v, (p, q)) in now.v.iter().zip(start.iter().zip(&now.x)) {
            let fallen = p.y - q.y;
            assert!((fallen - wanted).abs() < 1e-4 * wanted + drift * t, "{t:.3} s: {fallen} m, not {wanted} m");
            assert!((v + Vec3::y() * speed).norm() < 1e-4 * speed + drift, "{t:.3} s: {v} m/s, not {speed} m/s");
        }
    }
}

/// No vertex of the scene as shipped is faster than 5 mm/s after 4 s. With 50 x 50 vertices and rotated about the
/// vertical, one in three falls over a fold late and still moves at 10 to 30 mm/s then.
#[test]
#[ignore = "long: minutes"]
fn drape_comes_to_rest() {
    let done = check_long("drape", 121);
    assert!((done.stats[120].time - 4.0).abs() < 1e-9);
    let speeds = [31, 61, 91, 121].map(|frame| done.speed(frame) * 1e3);
    assert!(speeds[3] < 5.0, "largest speed after 1, 2, 3, 4 s: {speeds:.1?} mm/s");
}

/// On a static body two shirts over each other come to rest and stay. The hems, which hang freely, swing for five
/// seconds. In the eighth second the 0.27 kg have the energy of 0.2 mm/s. Single vertices in folds oscillate at up to 6
/// mm/s, by some hundredths of a millimetre, and no vertex moves away by 0.2 mm.
#[test]
#[ignore = "long: minutes"]
fn shirts_come_to_rest() {
    let still = ["obstacle[0].rotation.speed=\"0 deg/s\"".to_string()];
    run("two-shirts", "shirts-rest", Some(241), &still).assert_rests(211, [5e-9, 1e-2, 2e-4]);
}

/// A second longer than shipped, the towel folded twice and pressed is at rest. In that second its vertices move by
/// less than 0.05 mm in the mean, and have the energy of 0.7 mm/s. Single dimples between the layers may still snap.
/// Over six starts a micrometre apart, under two rules of step sizes, the farthest vertex moved by 0.08 to 2.0 mm, all
/// by 0.001 to 0.015 mm in the mean.
#[test]
#[ignore = "long: minutes"]
fn towel_comes_to_rest() {
    let done = check_long("towel", 151);
    let (before, after) = (done.frame(121), done.frame(151));
    let way = before.x.iter().zip(&after.x).map(|(x, y)| (y - x).norm()).sum::<f64>() / before.x.len() as f64;
    let [kinetic, ..] = done.unrest(121);
    assert!(way < 5e-5 && kinetic < 2e-8, "{way} m, {kinetic} J");
}

/// After 4 s the kinetic energy of 50 x 50 vertices is that of a sheet at less than 5 mm/s.
#[test]
#[ignore = "long: half a minute or more"]
fn drape_calms_down() {
    let kinetic = drape().stats[120].energies.get("kinetic");
    assert!(kinetic < 0.5 * 0.2 * 5e-3 * 5e-3, "{kinetic} J");
}

/// No edge of the resting drape is more than 5 % longer than its rest length.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn drape_strain_at_rest() {
    let strain = drape().strain(121);
    assert!(strain < 0.05, "strain {strain:.4}");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn curtain_at_full_resolution() {
    check_full("curtain");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn flag_at_full_resolution() {
    check_full("flag");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn skirt_at_full_resolution() {
    check_full("skirt");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn cusick_at_full_resolution() {
    check_full("cusick");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn walk_at_full_resolution() {
    check_full("walk");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn hull_at_full_resolution() {
    check_full("hull");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn twist_at_full_resolution() {
    check_full("twist");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn stack_at_full_resolution() {
    // From 1.5 s to 2 s, single vertices oscillate by some hundredths of a millimetre.
    check_full("stack").assert_rests(46, [1e-8, 5e-3, 2e-4]);
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn blades_at_full_resolution() {
    check_full("blades");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn funnel_at_full_resolution() {
    check_full("funnel");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn needles_at_full_resolution() {
    check_full("needles");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn sharp_at_full_resolution() {
    check_full("sharp");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn roll_at_full_resolution() {
    check_full("roll");
}

#[test]
#[ignore = "long: the whole scene at full resolution, half a minute"]
fn gathers_at_full_resolution() {
    check_full("gathers");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn t_shirt_at_full_resolution() {
    check_full("t-shirt");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn skirt_with_a_band_at_full_resolution() {
    check_full("skirt-band");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn trousers_at_full_resolution() {
    check_full("trousers");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn buttoned_shirt_at_full_resolution() {
    check_full("buttoned-shirt");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn dress_with_a_belt_at_full_resolution() {
    check_full("dress-belt");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pleated_skirt_at_full_resolution() {
    check_full("pleated-skirt");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pleats_at_full_resolution() {
    check_full("pleats");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn two_shirts_at_full_resolution() {
    check_full("two-shirts");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn two_sheets_at_full_resolution() {
    check_full("two-sheets");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn balloon_at_full_resolution() {
    check_full("balloon");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn cushion_at_full_resolution() {
    check_full("cushion");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn rotating_sphere_at_full_resolution() {
    check_full("rotating-sphere");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn rotating_sphere_cloth_at_full_resolution() {
    check_full("rotating-sphere-cloth");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn rotating_sphere_body_at_full_resolution() {
    check_full("rotating-sphere-body");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pillow_at_full_resolution() {
    check_full("pillow");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pillow_cloth_at_full_resolution() {
    check_full("pillow-cloth");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pillow_body_at_full_resolution() {
    check_full("pillow-body");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn cube_on_pillow_at_full_resolution() {
    check_full("cube-on-pillow");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn comforter_at_full_resolution() {
    check_full("comforter");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn vest_at_full_resolution() {
    check_full("vest");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn vest_air_at_full_resolution() {
    check_full("vest-air");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn three_pillows_at_full_resolution() {
    check_full("three-pillows");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn hull_80k_at_full_resolution() {
    check_full("hull-80k");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn bedding_at_full_resolution() {
    check_full("bedding");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn sofa_at_full_resolution() {
    check_full("sofa");
}

/// The middle of a tablecloth lies on the top, at 0.75 m, above it by half of its thickness of 0.4 mm and at most the
/// contact distance of 1 mm. The middle of each hem hangs where a cloth does that cannot stretch or stiffen: 0.7 m from
/// the middle, 0.438 m of them flat, then a quarter of a circle of the edge's radius and that height, then straight
/// down, within 3 mm. Corners hang lower, but not below those of a cone without width. They swing like pendulums, to
/// 10 mm/s after 4 s; after 6 s no vertex is faster than 5 mm/s.
#[test]
#[ignore = "long: the whole scene at full resolution, a minute"]
fn tablecloth_at_full_resolution() {
    let done = check_long("tablecloth", 181);
    let x = &done.frame(121).x;
    let at = |column: usize, row: usize| x[100 * row + column].y;
    let above = at(49, 49) - 0.75;
    assert!((2e-4..1.2e-3).contains(&above), "{above} m above the top");
    let radius = 0.012 + above;
    let hem = 0.75 + above - radius - (0.7 - 0.438 - std::f64::consts::FRAC_PI_2 * radius);
    let hems = [at(49, 0), at(49, 99), at(0, 49), at(99, 49)];
    let corners = [at(0, 0), at(0, 99), at(99, 0), at(99, 99)];
    println!("tablecloth: hems at {hems:?} m, {hem} asked; corners at {corners:?} m");
    assert!(hems.iter().all(|y| (y - hem).abs() < 3e-3), "{hems:?}, not {hem}");
    let lowest = 0.75 - 2f64.sqrt() * 0.25;
    assert!(corners.iter().all(|y| (lowest..hem - 0.05).contains(y)), "{corners:?}, {lowest} at least");
    done.assert_rests(172, [1e-6, 5e-3, 1e-3]);
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pinch_at_full_resolution() {
    check_full("pinch");
}
