//! Parameters from measurements. Fits recover the parameters of synthetic data, with valid confidence intervals. Data
//! without information about a parameter are reported. Scenes read the written files.

use percale::fit::law::{Gauge, Law};
use percale::fit::search::Estimate;
use percale::fit::track::{Anchor, Noise, Path as Way, Point, Start, left_of_loads};
use percale::fit::{bending, cantilever, friction, outcome, sled, stretch};
use percale::force::bending::Bending;
use percale::force::dahl::{Dahl, Form};
use percale::force::membrane::Membrane;
use percale::linalg::random::Random;
use percale::scene::csv::Sheet;
use percale::scene::{Scene, read_text};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// k1, k2, a, b [N/m], tau of cotton, cotton with spandex, polyester (Miguel et al. 2013, section 4.2).
pub const STRETCH: [[f64; 5]; 3] =
    [[135.6, 64.03, 2.22, 3.16, 0.006], [4.42, 32.19, 0.40, 4.84, 0.088], [26.62, 3.64, 2.10, 5.41, 0.031]];
/// k1, k2, a, b, tau of felt, doublecloth, paper (section 4.3), SI.
pub const BEND: [[f64; 5]; 3] = [
    [145.3e-7, 0.15e-7, 5.12e-4, 0.15e-4, 29.9],
    [62.19e-7, 0.07e-7, 12.84e-4, 0.05e-4, 7.67],
    [479.7e-7, 0.47e-7, 0.04e-4, 0.64e-4, 10.2],
];
const RADII: [f64; 12] = [3.0, 4.0, 5.0, 6.0, 7.0, 7.5, 10.0, 16.0, 23.0, 27.5, 31.5, 50.0];
const FORMS: [Form; 2] = [Form::Exact, Form::Fitted];

/// Returns a normally distributed random number.
pub fn normal(random: &mut Random) -> f64 {
    (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos()
}

/// Returns weights 0, 1 .. n .. 0 for n = 1 to 6 [N]; each trial has both its zeros, or only the last.
pub fn weights(both: bool) -> Vec<f64> {
    let mut all = Vec::new();
    for n in 1..=6 {
        let first = if both || n == 1 { 0 } else { 1 };
        all.extend((first..=n).chain((0..n).rev()).map(f64::from));
    }
    all
}

/// Returns weights 0, 0.1 .. 6 .. 0 N.
fn dense() -> Vec<f64> {
    (0..=60).chain((0..60).rev()).map(|k| 0.1 * f64::from(k)).collect()
}

pub fn setup(form: Form, anchor: Anchor) -> stretch::Setup {
    stretch::Setup {
        name: "sample".to_string(),
        size: 0.1,
        width: 0.1,
        clip: 0.0,
        density: 0.0,
        form,
        anchor,
        noise: Noise::Strain,
    }
}

/// Returns a table of the lengths of a law under weights. `noise` is added to its strains.
fn table(
    law: &Law,
    setup: &stretch::Setup,
    weights: &[f64],
    repeats: usize,
    noise: &mut dyn FnMut(f64) -> f64,
) -> String {
    let own = (setup.clip + 0.5 * setup.density * setup.size * setup.width) * 9.81;
    let mut text = String::from("repeat,order,force [N],length [mm]\n");
    for repeat in 0..repeats {
        let mut at = (0.0, 0.0);
        for (order, weight) in weights.iter().enumerate() {
            at = law.reach(at, (weight + own) / setup.width, at.0).unwrap();
            let strain = at.0 + noise(at.0);
            writeln!(text, "{repeat},{order},{weight},{:e}", 1e3 * setup.size * (1.0 + 2.0 * strain).sqrt()).unwrap();
        }
    }
    text
}

fn sheet(text: &str) -> Sheet {
    Sheet::read("data.csv", text.as_bytes(), &stretch::wants()).unwrap()
}

fn worst(found: &[f64], truth: &[f64]) -> f64 {
    found.iter().zip(truth).map(|(found, truth)| (found / truth - 1.0).abs()).fold(0.0, f64::max)
}

/// Fits without noise recover the parameters from the program's initial guesses. The bound is 1e-4; the condition
/// number is below 1e5, so that rounding of the table's digits would allow 1e-10.
#[test]
fn stretch_without_noise_comes_out() {
    for numbers in STRETCH {
        for form in FORMS {
            for noise in [Noise::Strain, Noise::Load] {
                let law = Law::new(Gauge::Stretch, form, numbers);
                let setup = stretch::Setup { noise, ..setup(form, Anchor::Chain) };
                let text = table(&law, &setup, &weights(false), 3, &mut |_| 0.0);
                let (_, estimate) = stretch::fit(&sheet(&text), &setup).unwrap();
                let worst = worst(&estimate.found.values, &numbers);
                println!("{numbers:?} {form:?} {noise:?}: {worst:.1e}, condition {:.1e}", estimate.found.condition);
                assert!(worst < 1e-4, "{numbers:?} {form:?} {noise:?}: {:?}", estimate.found);
            }
        }
    }
}

/// The weights of clip and cloth act too: 20 g and half of 143 g/m2.
#[test]
fn the_weights_of_clip_and_cloth_count() {
    let law = Law::new(Gauge::Stretch, Form::Exact, STRETCH[0]);
    let own = stretch::Setup { clip: 0.02, density: 0.143, width: 0.05, ..setup(Form::Exact, Anchor::Chain) };
    let text = table(&law, &own, &weights(false), 1, &mut |_| 0.0);
    let (_, estimate) = stretch::fit(&sheet(&text), &own).unwrap();
    assert!(worst(&estimate.found.values, &STRETCH[0]) < 1e-4, "{:?}", estimate.found);
    // Without the clip's weight, 0.2 N of the first newton, `a` and the other parameters are far off.
    let (_, without) = stretch::fit(&sheet(&text), &stretch::Setup { clip: 0.0, ..own }).unwrap();
    assert!(worst(&without.found.values, &STRETCH[0]) > 0.02, "{:?}", without.found);
}

/// The anchors of the paper assume that the first points are saturated, and so the first point of each trial. The
/// resulting bias on data without noise was computed separately with two digits: 2 % is more than the last digit of the
/// smallest, 0.6 %.
#[test]
fn saturated_anchors_err_as_known() {
    for (numbers, [a, b]) in STRETCH.into_iter().zip([[0.94, 1.25], [0.86, 1.02], [0.94, 1.04]]) {
        let law = Law::new(Gauge::Stretch, Form::Fitted, numbers);
        let setup = setup(Form::Fitted, Anchor::Saturated);
        let (_, estimate) =
            stretch::fit(&sheet(&table(&law, &setup, &weights(true), 3, &mut |_| 0.0)), &setup).unwrap();
        let (found_a, found_b) = (estimate.law.dahl.a / numbers[2], estimate.law.dahl.b / numbers[3]);
        println!("a {found_a:.4} ({a}), b {found_b:.4} ({b})");
        assert!((found_a / a - 1.0).abs() < 0.02 && (found_b / b - 1.0).abs() < 0.02, "{found_a} {found_b}");
    }
}

/// Statistics over many seeds of noise: share of seeds whose interval contains the truth, 95th percentiles of the
/// errors, and largest ratio of the RMS of force to that of the true law.
struct Trials {
    inside: Vec<f64>,
    errors: Vec<f64>,
    worst: Vec<f64>,
    ratio: f64,
}

fn trials(seeds: u64, truth: &[f64], mut one: impl FnMut(&mut Random) -> (Estimate, f64)) -> Trials {
    let n = truth.len();
    let (mut inside, mut errors, mut ratio) = (vec![0.0; n], vec![Vec::new(); n], 0.0f64);
    for seed in 0..seeds {
        let mut random = Random::new(1000 + 7919 * seed);
        (0..10).for_each(|_| _ = random.unit());
        let (estimate, against) = one(&mut random);
        ratio = ratio.max(against);
        for k in 0..n {
            let (value, half) = (estimate.found.values[k], estimate.found.half[k]);
            inside[k] += if (value - truth[k]).abs() <= half { 100.0 / seeds as f64 } else { 0.0 };
            errors[k].push((value / truth[k] - 1.0).abs());
        }
    }
    errors.iter_mut().for_each(|errors| errors.sort_by(f64::total_cmp));
    let at = |part: f64| errors.iter().map(|e| e[((e.len() - 1) as f64 * part) as usize]).collect();
    Trials { inside, errors: at(0.95), worst: at(1.0), ratio }
}

fn noisy(
    numbers: [f64; 5],
    form: Form,
    seeds: u64,
    weights: &[f64],
    repeats: usize,
    size: impl Fn(f64) -> f64,
) -> Trials {
    let law = Law::new(Gauge::Stretch, form, numbers);
    let setup = setup(form, Anchor::Chain);
    let trials = trials(seeds, &numbers, |random| {
        let text = table(&law, &setup, weights, repeats, &mut |e| size(e) * normal(random));
        let sheet = sheet(&text);
        let (task, _) = stretch::task(&sheet, &setup).unwrap();
        let (_, estimate) = stretch::fit(&sheet, &setup).unwrap();
        let ratio = estimate.rms_load / left_of_loads(&task.paths, &law, Noise::Strain).unwrap();
        (estimate, ratio)
    });
    println!(
        "{numbers:?} {form:?}: inside {:.1?} %, 95 % of errors below {:.4?}, worst {:.4?}, RMS of force {:.3} of the truth's",
        trials.inside, trials.errors, trials.worst, trials.ratio
    );
    trials
}

/// Strain noise is 1 %, with three repeats of six trials. With 12 seeds, a 95 % interval misses more than twice in 2 %
/// of all cases, so the bound for 5 numbers of 3 materials is 75 %. The long test has 200 seeds.
#[test]
fn intervals_hold_the_truth() {
    for numbers in STRETCH {
        let trials = noisy(numbers, Form::Exact, 12, &weights(false), 3, |e| 0.01 * e);
        assert!(trials.inside.iter().all(|share| *share >= 75.0), "{:?}", trials.inside);
        assert!(trials.ratio <= 1.1, "{}", trials.ratio);
    }
}

/// As [`intervals_hold_the_truth`], with 200 seeds and both forms: 90 to 99.5 % are inside. Counting alone scatters by
/// 1.5 %.
#[test]
#[ignore = "long: 1,200 fits"]
fn intervals_hold_the_truth_of_200_seeds() {
    for numbers in STRETCH {
        for form in FORMS {
            let trials = noisy(numbers, form, 200, &weights(false), 3, |e| 0.01 * e);
            assert!(trials.inside.iter().all(|share| (90.0..=99.5).contains(share)), "{:?}", trials.inside);
            assert!(trials.ratio <= 1.1, "{}", trials.ratio);
        }
    }
}

/// Steps of 0.1 N, one loop, 5e-4 noise of strain: in 95 % of the seeds a is within 3 %, b 8 %, tau 12 %; these bounds
/// were set beforehand. With 100 seeds the share inside scatters by 2.2 %: 88 % is three times that below 95 %.
#[test]
#[ignore = "long: 300 fits"]
fn dense_loops_tell_friction() {
    for numbers in STRETCH {
        let trials = noisy(numbers, Form::Exact, 100, &dense(), 1, |_| 5e-4);
        let [_, _, a, b, tau] = trials.errors[..] else { panic!() };
        assert!(a < 0.03 && b < 0.08 && tau < 0.12, "{:?}", trials.errors);
        assert!(trials.inside.iter().all(|share| *share >= 88.0) && trials.ratio <= 1.1, "{:?}", trials.inside);
    }
}

/// With widely spaced weights and large noise, tau of cotton is reported as not identifiable.
#[test]
fn what_is_not_seen_is_told() {
    let law = Law::new(Gauge::Stretch, Form::Exact, STRETCH[0]);
    let setup = setup(Form::Exact, Anchor::Chain);
    let mut random = Random::new(9);
    let text = table(&law, &setup, &[0.0, 2.0, 4.0, 6.0, 4.0, 2.0, 0.0], 2, &mut |_| 2e-3 * normal(&mut random));
    let (outcome, _) = stretch::fit(&sheet(&text), &setup).unwrap();
    println!("{}", outcome.text());
    assert!(outcome.words.iter().any(|word| word.starts_with("tau is not seen: spacing is ")), "{:?}", outcome.words);
}

pub fn bend_setup(form: Form, numbers: [f64; 5]) -> bending::Setup {
    bending::Setup {
        name: "strip".to_string(),
        density: 0.208,
        thickness: 0.0,
        inner: true,
        k: [numbers[0], numbers[1]],
        form,
        anchor: Anchor::Chain,
        noise: Noise::Strain,
    }
}

/// Returns curls without gravity: five samples each, three repeats of all radii.
fn curls(law: &Law, noise: &mut dyn FnMut() -> f64) -> Vec<Way> {
    let one = |radius: &f64, noise: f64| {
        let way = Way { start: Start::Brought(3e3 / radius), points: Vec::new() };
        let (strain, _) = law.reach(way.from(law), 0.0, 1.5e3 / radius).unwrap();
        Way { points: vec![Point { strain: strain * (1.0 + noise), load: 0.0 }], ..way }
    };
    RADII.iter().flat_map(|radius| std::iter::repeat_n(radius, 15)).map(|radius| one(radius, noise())).collect()
}

/// The bound is 1e-4, as for stretch. The a of paper is at most a hundredth of the friction on the widest cylinder, so
/// the condition number is 1e10: rounding allows 1e-6 of it.
#[test]
fn bending_without_noise_comes_out() {
    for numbers in BEND {
        for form in FORMS {
            let law = Law::new(Gauge::Bend, form, numbers);
            let estimate = bending::task(&bend_setup(form, numbers), curls(&law, &mut || 0.0)).solve().unwrap();
            let worst = worst(&estimate.found.values, &numbers[2..]);
            println!("{numbers:?} {form:?}: {worst:.1e}, condition {:.1e}", estimate.found.condition);
            assert!(worst < 1e-4, "{numbers:?} {form:?}: {:?}", estimate.found);
        }
    }
}

/// Curvature noise is 2 % and the stiffness is known. Felt is estimated within the required 20, 4 and 8 %. For
/// doublecloth a and b, and for paper a, are reported as not identifiable.
#[test]
#[ignore = "long: 180 fits"]
fn bending_is_told_as_far_as_it_is_seen() {
    for (k, numbers) in BEND.into_iter().enumerate() {
        let law = Law::new(Gauge::Bend, Form::Exact, numbers);
        let setup = bend_setup(Form::Exact, numbers);
        let (mut wide, mut told) = ([0; 3], 0);
        let trials = trials(60, &numbers[2..], |random| {
            let paths = curls(&law, &mut || 0.02 * normal(random));
            let estimate = bending::task(&setup, paths).solve().unwrap();
            let rows = outcome::rows(&estimate.found, &[("a", "N"), ("b", "N m"), ("tau", "1/m")]);
            wide.iter_mut().zip(&rows).for_each(|(wide, row)| *wide += i32::from(row.wide()));
            let words = outcome::doubts(&estimate, &rows, 100.0, 1000.0);
            told += i32::from(words.iter().any(|word| word.starts_with("a is not told by these data")));
            (estimate, 1.0)
        });
        println!(
            "{numbers:?}: inside {:.1?} %, 95 % of errors below {:.4?}, wide {wide:?}, told {told} of 60",
            trials.inside, trials.errors
        );
        if k == 0 {
            let [a, b, tau] = trials.errors[..] else { panic!() };
            assert!(a < 0.20 && b < 0.04 && tau < 0.08 && wide == [0; 3] && told == 0, "{:?} {wide:?}", trials.errors);
        } else {
            assert!(wide[0] >= 57 && told >= 57, "{wide:?} {told}");
        }
    }
}

/// Returns points of a strip that hangs from its upper end. From the free end on, the moment of the hanging part grows
/// by `-rho g s cos(angle)`.
pub fn hanging(law: &Law, density: f64, radius: f64, thickness: f64, angle: f64) -> Vec<[f64; 2]> {
    let (length, steps) = (0.025, 4000);
    let ds = length / f64::from(steps);
    let (mut at, mut angle, mut moment, mut out) = ([0.0f64, 0.0f64], angle, 0.0f64, vec![[0.0, 0.0]]);
    for k in 0..steps {
        let s = (f64::from(k) + 0.5) * ds;
        let turn = ((radius + 0.5 * thickness).powi(2) + s * thickness / std::f64::consts::PI).sqrt();
        let from = Way { start: Start::Brought(3.0 / turn), points: Vec::new() }.from(law);
        let curvature = |moment: f64| law.reach(from, moment, from.0).unwrap().0 / 3.0;
        // Midpoint rule.
        let half = moment - 0.5 * ds * density * 9.81 * (s - 0.25 * ds) * angle.cos();
        let middle = angle + 0.5 * ds * curvature(half);
        angle += ds * curvature(half);
        moment -= ds * density * 9.81 * s * middle.cos();
        at = [at[0] + ds * middle.cos(), at[1] + ds * middle.sin()];
        if (k + 1) % 80 == 0 {
            out.push(at);
        }
    }
    out
}

/// Profiles under gravity, with overlapping turns, in both senses, pass through points, spline, moments and anchors.
/// The curvature of the spline has an error of a thousandth, and the error of felt's a is ten times that of the
/// curvature: 3 % of a, 1 % of b and tau.
#[test]
fn profiles_under_gravity_give_the_law() {
    let numbers = BEND[0];
    let law = Law::new(Gauge::Bend, Form::Exact, numbers);
    let setup = bending::Setup { thickness: 1.2e-3, ..bend_setup(Form::Exact, numbers) };
    let mut text = String::from("radius [mm],repeat,x [mm],y [mm]\n");
    for radius in RADII {
        for (repeat, angle) in [-1.5, -0.5, 2.5].into_iter().enumerate() {
            for [x, y] in hanging(&law, setup.density, 1e-3 * radius, setup.thickness, angle) {
                writeln!(text, "{radius},{repeat},{:e},{:e}", 1e3 * x, 1e3 * y).unwrap();
            }
            // The mirror image turns to the right.
            for [x, y] in hanging(&law, setup.density, 1e-3 * radius, setup.thickness, angle) {
                writeln!(text, "{radius},{},{:e},{:e}", repeat + 10, -1e3 * x, 1e3 * y).unwrap();
            }
        }
    }
    let sheet = Sheet::read("curls.csv", text.as_bytes(), &bending::wants()).unwrap();
    let (outcome, estimates) = bending::fit(&sheet, &setup).unwrap();
    println!("{}", outcome.text());
    assert_eq!(estimates.len(), 2);
    assert!(outcome.words.iter().any(|word| word.contains("samples were dropped")), "{:?}", outcome.words);
    for estimate in &estimates {
        let errors: Vec<f64> =
            estimate.found.values.iter().zip(&numbers[2..]).map(|(f, t)| (f / t - 1.0).abs()).collect();
        assert!(errors[0] < 0.03 && errors[1] < 0.01 && errors[2] < 0.01, "{errors:?}");
    }
    assert!((estimates[0].law.dahl.tau / estimates[1].law.dahl.tau - 1.0).abs() < 1e-6);
}

/// Reads a scene with a cloth of the given material.
fn scene(head: &str, material: &str, tail: &str) -> Scene {
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/sheet_1m_25.ply");
    let mesh = mesh.display().to_string().replace('\\', "/");
    let text = format!(
        "[scene]\nname = \"s\"\n[time]\nframes = 2\n{head}[[cloth]]\nname = \"sheet\"\nmesh = \"{mesh}\"\nmaterial = \"{material}\"\n{tail}"
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    read_text(&folder.join("scene.toml"), text.as_bytes(), &[]).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

/// Scenes read materials from the files of stretch, cantilever and bending, with six digits of the fitted values.
#[test]
fn scenes_read_what_was_fitted() {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-5;
    let law = Law::new(Gauge::Stretch, Form::Fitted, STRETCH[1]);
    let own = stretch::Setup { name: "new-spandex".to_string(), density: 0.157, ..setup(Form::Fitted, Anchor::Chain) };
    let (outcome, _) = stretch::fit(&sheet(&table(&law, &own, &weights(false), 1, &mut |_| 0.0)), &own).unwrap();
    let scene_of = |file: &str, name: &str| {
        let scene = scene(file, name, "");
        scene.materials.iter().find(|m| m.name == name).unwrap().clone()
    };
    let material = scene_of(&outcome.file, &own.name);
    let Membrane::Progressive(membrane) = material.membrane else { panic!("{:?}", material.membrane) };
    assert!(near(membrane.young[0][0], 4.42) && near(membrane.young[0][1], 32.19) && near(material.density, 0.157));
    let Some(Dahl { a, b, tau, form }) = material.internal_friction.stretch[0] else { panic!() };
    assert!(near(a, 0.40) && near(b, 4.84) && near(tau, 0.088) && form == Form::Fitted);

    let data = Sheet::read("c.csv", b"length [mm]\n60\n61\n", &cantilever::wants()).unwrap();
    let outcome = cantilever::fit(&data, "strip", 0.2).unwrap();
    let material = scene_of(&outcome.file, "strip");
    assert!(matches!(material.bending, Bending::Constant(b) if near(b, 1e-6 * outcome.rows[0].value)));

    let law = Law::new(Gauge::Bend, Form::Exact, BEND[0]);
    let mut text = String::from("radius,x,y\n");
    for radius in RADII {
        for [x, y] in hanging(&law, 0.208, 1e-3 * radius, 0.0, -1.5) {
            writeln!(text, "{radius},{:e},{:e}", 1e3 * x, 1e3 * y).unwrap();
        }
    }
    let data = Sheet::read("curls.csv", text.as_bytes(), &bending::wants()).unwrap();
    let (outcome, estimates) = bending::fit(&data, &bend_setup(Form::Exact, BEND[0])).unwrap();
    let material = scene_of(&outcome.file, "strip");
    assert!(matches!(material.bending, Bending::Progressive([k1, k2]) if near(k1, BEND[0][0]) && near(k2, BEND[0][1])));
    let Some(law) = material.internal_friction.bend[0] else { panic!() };
    let found = estimates[0].law.dahl;
    assert!(near(law.a, found.a) && near(law.b, found.b) && near(law.tau, found.tau) && law.form == Form::Exact);
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fit-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns mean forces of pulls at angles and loads: `u.F u`, with noise.
fn pulled(tensor: [f64; 3], angles: &[f64], noise: f64) -> String {
    let mut random = Random::new(3);
    let mut text = String::from("angle [deg],load [N],plateau [N],peak [N]\n");
    for load in [0.5f64, 1.0, 2.0, 4.0] {
        for angle in angles {
            for _ in 0..3 {
                let force = load.powf(0.9) * friction::force(&tensor, *angle) * (1.0 + noise * normal(&mut random));
                writeln!(text, "{angle},{load},{force:e},{:e}", 1.2 * force).unwrap();
            }
        }
    }
    text
}

fn rubbed(text: &str) -> Sheet {
    Sheet::read("sled.csv", text.as_bytes(), &sled::wants()).unwrap()
}

/// A fit recovers the curves of a tensor, writes them in the format of `[[friction]]`, and predicts the held-out data.
#[test]
fn friction_of_a_sled_is_read_by_scenes() {
    let ask = friction::Setup { name: "pair".to_string(), alike: 0.1, held: None };
    let angles = [0.0, 30.0, 45.0, 60.0, 90.0];
    let outcome = friction::fit(&rubbed(&pulled([0.4, 0.55, 0.6], &angles, 0.0)), &ask).unwrap();
    println!("{}{}", outcome.text(), outcome.file);
    // Four loads of three curves. The tolerance of the search is 1e-7; the file has six digits.
    for (row, (load, force)) in outcome
        .rows
        .iter()
        .zip([0.5f64, 1.0, 2.0, 4.0].into_iter().flat_map(|load| [0.4, 0.55, 0.6].map(|force| (load, force))))
    {
        assert!((row.value / (load.powf(0.9) * force) - 1.0).abs() < 1e-6, "{row:?}");
    }
    let held: Vec<&(String, String)> = outcome.facts.iter().filter(|(name, _)| name.starts_with("held out")).collect();
    assert_eq!(held.len(), 2, "{:?}", outcome.facts);
    let folder = folder("friction");
    fs::write(folder.join("pair.csv"), &outcome.file).unwrap();
    let curves = folder.join("pair.csv").display().to_string().replace('\\', "/");
    let tail = format!("[[friction]]\nbetween = [\"sheet\", \"sheet\"]\ncurves = \"{curves}\"\n");
    let scene = scene("", "cotton", &tail);
    let percale::scene::friction::Given::Measured(read) = &scene.frictions[0].given else { panic!() };
    let plateau = read.first.plateau.tensor(2.0, [1.0, 0.0]);
    let unit = 2.0f64.powf(0.9) / 2.0;
    for (found, truth) in plateau.into_iter().zip([0.4, 0.55 - 0.5, 0.6]) {
        assert!((found - unit * truth).abs() < 1e-5, "{plateau:?}");
    }
    assert!((read.first.peak.tensor(2.0, [1.0, 0.0])[0] / (1.2 * unit * 0.4) - 1.0).abs() < 1e-5);
    // With 3 % noise and three pulls per angle, at least ten of twelve intervals contain the true value.
    let noisy = friction::fit(&rubbed(&pulled([0.4, 0.55, 0.6], &angles, 0.03)), &ask).unwrap();
    let holds = noisy.rows.iter().zip(&outcome.rows).filter(|(n, t)| (n.value - t.value).abs() <= n.half).count();
    assert!(holds >= 10, "{}", noisy.text());
}

/// Raw records have a peak 0.2 above the plateau that decays within a tenth of the record. The plateau is within the
/// noise of 1 %, the peak between half of its height and all.
#[test]
fn raw_records_become_curves() {
    let (mut random, mut text) = (Random::new(8), String::from("angle,load [kg],time [ms],force\n"));
    for (angle, force) in [(0, 0.4), (45, 0.5), (90, 0.6)] {
        for load in [0.1, 0.2] {
            for k in 0..200 {
                let rise = 1.0 - (-f64::from(k) / 2.0).exp();
                let peak = 1.0 + 0.2 * (-f64::from(k) / 20.0).exp();
                let noise = 1.0 + 0.01 * normal(&mut random);
                writeln!(text, "{angle},{load},{},{}", 10 * k, 9.81 * load * force * rise * peak * noise).unwrap();
            }
        }
    }
    let ask = friction::Setup { name: "pair".to_string(), alike: 0.1, held: None };
    let outcome = friction::fit(&rubbed(&text), &ask).unwrap();
    let rows: Vec<Vec<f64>> =
        outcome.file.lines().skip(2).map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), 2, "{}", outcome.file);
    for (row, load) in rows.iter().zip([0.981, 1.962]) {
        for (k, part) in [0.4, 0.5, 0.6].into_iter().enumerate() {
            assert!((row[1 + k] / (load * part) - 1.0).abs() < 0.01, "{}", outcome.file);
            assert!((1.1..1.2).contains(&(row[4 + k] / (load * part))), "{}", outcome.file);
        }
    }
    assert!(outcome.page().matches("<svg").count() == 4);
}

#[test]
fn even_friction_is_told_isotropic() {
    let ask = friction::Setup { name: "pair".to_string(), alike: 0.1, held: None };
    let outcome = friction::fit(&rubbed(&pulled([0.5, 0.51, 0.52], &[0.0, 45.0, 90.0], 0.0)), &ask).unwrap();
    assert!(
        outcome.file.contains("\nload,f0,peak0\n") && outcome.words[0].starts_with("isotropic"),
        "{}",
        outcome.file
    );
    let strict = friction::Setup { alike: 0.01, ..ask.clone() };
    let outcome = friction::fit(&rubbed(&pulled([0.5, 0.51, 0.52], &[0.0, 45.0, 90.0], 0.0)), &strict).unwrap();
    assert!(outcome.file.contains("\nload,f0,f45,f90,peak0,peak45,peak90\n"), "{}", outcome.file);
    let two = friction::fit(&rubbed(&pulled([0.4, 0.5, 0.6], &[0.0, 90.0], 0.0)), &ask).unwrap();
    assert!(two.file.contains("\nload,f0,f90,peak0,peak90\n"), "{}", two.file);
    let faults = friction::fit(&rubbed(&pulled([0.4, 0.5, 0.6], &[10.0, 80.0], 0.0)), &ask).unwrap_err();
    assert!(faults[0].to_string().contains("two angles tell no tensor"), "{faults:?}");
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).current_dir(folder).output().unwrap()
}

/// The command prints a table and writes a material and a page.
#[test]
fn the_command_writes_material_and_page() {
    let folder = folder("command");
    let law = Law::new(Gauge::Stretch, Form::Exact, STRETCH[2]);
    let own = stretch::Setup { density: 0.121, ..setup(Form::Exact, Anchor::Chain) };
    fs::write(folder.join("knit.csv"), table(&law, &own, &weights(false), 1, &mut |_| 0.0)).unwrap();
    let line = "fit stretch knit.csv --size 100 --density 0.121 --out knit.toml --report knit.html";
    let told = run(&folder, &line.split(' ').collect::<Vec<_>>());
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.status.success(), "{text} {}", String::from_utf8_lossy(&told.stderr));
    println!("{text}");
    for word in ["stretch: knit", "k1", "26.62", "tau", "0.031", "condition number", "RMS"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let material = fs::read_to_string(folder.join("knit.toml")).unwrap();
    assert!(scene(&material, "knit", "").materials.iter().any(|m| m.name == "knit"));
    let page = fs::read_to_string(folder.join("knit.html")).unwrap();
    assert!(
        page.contains("<svg") && page.contains("fitted") && page.contains("young_progressive") && !page.contains("NaN")
    );
}

/// Bad data end with exit code 2 and the location of each fault.
#[test]
fn bad_data_are_refused_with_their_places() {
    let folder = folder("refused");
    let stretch = "stretch data.csv --size 100 --density 0.1";
    let loading = "force,length\n0,100\n1,104\n2,108\n3,111\n4,115\n5,118\n6,120\n";
    let cases: [(&str, &str, &str); 11] = [
        (stretch, "force [N]\n1\n", "data.csv:1:1: no column 'length'"),
        (stretch, "force,length\n0,100\n1,nan\n", "data.csv:3:3: length: nan is not finite"),
        (
            stretch,
            "force,length\n0,100\n1,104\n2,108\n3,101\n2,104\n0,100\n",
            "data.csv:5:3: force grows from 2 to 3 N while length falls",
        ),
        (stretch, loading, "data.csv:1:1: force never turns"),
        (stretch, "force,length\n0,100\n1,105\n0,101\n", "data.csv:1:1: 3 points for 5 unknowns"),
        (stretch, "force,length\n0,99\n1,99\n0,98\n", "data.csv:2:3: no length exceeds the size"),
        (stretch, "order,force,length\n0,0,100\n0,1,102\n", "data.csv:3:1: the order of two rows"),
        ("cantilever data.csv --density 0.1", "length\n-3\n", "data.csv:2:1: length: -3 is out of range"),
        (
            "bending data.csv --density 0.2 --k1 1e-5",
            "radius,x,y\n5,0,0\n5,1,0\n",
            "data.csv:2:3: a profile of 2 points",
        ),
        ("friction data.csv", "angle,load\n0,1\n", "data.csv:1:1: no column 'force'"),
        ("friction data.csv", "angle,load,plateau\n0,1,50\n", "data.csv:2:3: 50 N of friction at a load of 1 N"),
    ];
    for (command, data, wanted) in cases {
        fs::write(folder.join("data.csv"), data).unwrap();
        let told = run(&folder, &format!("fit {command}").split(' ').collect::<Vec<_>>());
        let text = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(told.status.code() == Some(2) && text.contains(wanted), "{command}: {wanted}\n{text}");
    }
    let missing = run(&folder, &["fit", "stretch", "no.csv", "--size", "100", "--density", "0.1"]);
    assert!(
        missing.status.code() == Some(2) && String::from_utf8_lossy(&missing.stderr).contains("no.csv: cannot read")
    );
    let named = run(&folder, &"fit cantilever data.csv --density 0.1 --name cotton".split(' ').collect::<Vec<_>>());
    assert!(
        named.status.code() == Some(2) && String::from_utf8_lossy(&named.stderr).contains("the library has a 'cotton'")
    );
    let unit = run(&folder, &"fit stretch data.csv --density 0.1 --size 3s".split(' ').collect::<Vec<_>>());
    assert!(unit.status.code() == Some(2) && String::from_utf8_lossy(&unit.stderr).contains("no unit 's'"));
}

/// Values that scenes reject are reported, and no file is written. Files are named after their content.
#[test]
fn what_no_scene_takes_is_not_written() {
    let folder = folder("unfit");
    let law = Law::new(Gauge::Stretch, Form::Exact, STRETCH[0]);
    let cotton = table(&law, &setup(Form::Exact, Anchor::Chain), &weights(false), 1, &mut |_| 0.0);
    let pulls = pulled([0.4, 0.5, 0.6], &[0.0, 45.0, 90.0], 0.0);
    let cases: [(&str, &str, &str, &str); 5] = [
        (
            "cantilever data.csv --density 100",
            "stiff.toml",
            "length [m]\n10\n10\n",
            "material[0].rigidity: out of range",
        ),
        ("stretch data.csv --size 100 --width 1e-5 --density 0.1", "thin.toml", &cotton, "out of range"),
        (
            "stretch data.csv --size 100 --density 0.1",
            "cotton.csv",
            &cotton,
            "--out cotton.csv: a material is a [[material]]",
        ),
        (
            "friction data.csv",
            "pair.toml",
            &pulls,
            "--out pair.toml: curves are a CSV file, which `curves` of a [[friction]]",
        ),
        ("friction data.csv", "pair.html", &pulls, "name it pair.csv"),
    ];
    for (command, out, data, wanted) in cases {
        fs::write(folder.join("data.csv"), data).unwrap();
        let told = run(&folder, &format!("fit {command} --out {out}").split(' ').collect::<Vec<_>>());
        let text = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(told.status.code() == Some(2) && text.contains(wanted), "{command}: {wanted}\n{text}");
        assert!(!folder.join(out).exists(), "{out}");
    }
    // Without an output file, the fault is reported all the same.
    fs::write(folder.join("data.csv"), "length [m]\n10\n10\n").unwrap();
    let told = run(&folder, &"fit cantilever data.csv --density 100".split(' ').collect::<Vec<_>>());
    assert!(
        told.status.success()
            && String::from_utf8_lossy(&told.stdout).contains("no scene takes this: material[0].rigidity")
    );
    fs::write(folder.join("data.csv"), &pulls).unwrap();
    assert!(run(&folder, &["fit", "friction", "data.csv", "--out", "pair.csv"]).status.success());
}

/// Reports data that do not fit, a tau at the bound of the search, and infinite intervals.
#[test]
fn misfits_and_what_is_not_seen_are_told() {
    let folder = folder("misfit");
    let law = Law::new(Gauge::Stretch, Form::Exact, STRETCH[0]);
    let own = setup(Form::Exact, Anchor::Chain);
    let cotton = table(&law, &own, &weights(false), 1, &mut |_| 0.0);
    let straight = table(
        &Law::new(Gauge::Stretch, Form::Exact, [100.0, 10.0, 2.0, 1.0, 1e-7]),
        &own,
        &weights(false),
        1,
        &mut |_| 0.0,
    );
    let same = "radius,x,y\n".to_string()
        + &(0..30)
            .map(|k| f64::from(k) * 0.1)
            .map(|a| format!("5,{},{}\n", 12.0 * a.sin(), 12.0 * (1.0 - a.cos())))
            .collect::<String>();
    let cases: [(&str, &str, &str); 8] = [
        ("stretch data.csv --size 100 --density 0.001", &cotton, ""),
        (
            "stretch data.csv --size 98 --density 0.001",
            &cotton,
            "begins at a length of 100 mm, where hardly anything pulls, and size is 98 mm",
        ),
        ("stretch data.csv --size 90 --density 0.001", &cotton, "% of the largest strain; are size, width"),
        ("stretch data.csv --size 50 --density 0.01", &cotton, "% of the largest strain; are size, width"),
        ("stretch data.csv --size 100 --density 0.001", &straight, "tau came to the border of the search"),
        ("cantilever data.csv --density 0.1", "length\n60\n", "k1 = B/3      8.829  not seen  uN m"),
        ("bending data.csv --density 0.2 --k1 1e-5", &same, "not seen"),
        ("friction data.csv", "angle,load,plateau\n0,1,0.1\n0,1,0.9\n", "% of the largest force; are angles, loads"),
    ];
    for (command, data, wanted) in cases {
        fs::write(folder.join("data.csv"), data).unwrap();
        let told = run(&folder, &format!("fit {command}").split(' ').collect::<Vec<_>>());
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        println!("{command}\n{text}{}", String::from_utf8_lossy(&told.stderr));
        assert!(text.contains(wanted) && (!wanted.is_empty() || !text.contains("note")), "{command}: {wanted}\n{text}");
        assert!(!text.contains("inf") && !text.contains("NaN"), "{command}: {wanted}\n{text}");
    }
}
