//! A new stepper continues from a deserialized state bitwise like the stepper that has made all steps.

use super::features;
use percale::effect::pointer::Grips;
use percale::linalg::par;
use percale::scene;
use percale::scene::settings::Precision;
use percale::scene::time;
use percale::stepper::{Advance, Integrator, Report, Settings, stepper};
use percale::world::quantity::Stages;
use percale::world::{State, World, snapshot};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Number of steps of a run, between two interruptions, and compared after each.
const STEPS: usize = 60;
const BETWEEN: usize = 4;
const AFTER: usize = 6;

/// Events of a run.
#[derive(Debug, Default)]
struct Seen {
    name: &'static str,
    contacts: usize,
    repeats: u64,
    corrected: u64,
    lag: f64,
    released: bool,
    ignored: usize,
    passing: usize,
    eased: usize,
    picked: BTreeSet<u32>,
    missed: usize,
}

struct Feature {
    world: World,
    start: State,
    settings: Settings,
    double: bool,
}

fn feature(name: &str, text: &str) -> Feature {
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    let here = Path::new(env!("CARGO_TARGET_TMPDIR")).join("resume-wave");
    fs::create_dir_all(&here).unwrap();
    (1..=4).for_each(|k| fs::write(here.join(format!("wave.{k:04}.obj")), features::wave(k)).unwrap());
    fs::write(here.join("mouse.csv"), features::MOUSE).unwrap();
    let text = text.replace("MESHES", meshes.to_str().unwrap()).replace("HERE", here.to_str().unwrap());
    let file = here.join("scene.toml");
    let scene = scene::read_text(&file, text.as_bytes(), &[]).unwrap_or_else(|faults| panic!("{name}: {faults:#?}"));
    let built = scene::build::build(&scene, &file).unwrap_or_else(|refusal| panic!("{name}: {:#?}", refusal.faults));
    let settings = Settings {
        integrator: match scene.time.integrator {
            time::Integrator::Bdf2 => Integrator::Bdf2,
            time::Integrator::BackwardEuler => Integrator::BackwardEuler,
        },
        step: scene.step(),
        min_step: if scene.time.adaptive { scene.time.min_step } else { scene.step() },
        accuracy: if scene.time.adaptive { scene.time.accuracy } else { f64::INFINITY },
        tolerance: scene.solver.tolerance,
        iterations: scene.solver.max_iterations as usize,
    };
    let double = scene.solver.precision == Precision::F64;
    Feature { world: built.world, start: built.state, settings, double }
}

impl Feature {
    fn stepper(&self) -> Box<dyn Advance> {
        stepper(&self.world, self.settings, self.double)
    }

    /// Makes a step towards the next frame, and returns the part of its report that is recorded.
    fn step(&self, stepper: &mut dyn Advance, state: &mut State) -> Report {
        let frame = (state.time * 25.0 + 1e-9).floor() + 1.0;
        let report = stepper.step(&self.world, state, frame / 25.0).unwrap_or_else(|stuck| panic!("{stuck:?}"));
        // The number of list builds is not a result.
        Report { seconds: Stages::default(), builds: 0, candidates: 0, ..report }
    }
}

#[test]
fn a_fresh_stepper_goes_on_with_the_same_bits() {
    let features: Vec<_> = features::all().into_iter().map(|(name, text)| (name, feature(name, &text))).collect();
    let all = par::map_heavy(features.len(), |k| {
        let (name, feature) = &features[k];
        let mut state = feature.start.clone();
        let mut whole = feature.stepper();
        let mut states = vec![snapshot::write(&state)];
        let mut reports = Vec::new();
        let mut seen = Seen { name, ..Seen::default() };
        for _ in 0..STEPS {
            reports.push(feature.step(whole.as_mut(), &mut state));
            states.push(snapshot::write(&state));
            let last = &reports[reports.len() - 1];
            seen.contacts = seen.contacts.max(last.contacts);
            seen.repeats += last.repeats;
            seen.corrected += last.corrected;
            seen.lag = seen.lag.max(state.lag);
            let grips = state.effects.get::<Grips>().map_or(&[][..], |grips| &grips.0);
            seen.picked.extend(grips.iter().filter_map(|grip| grip.vertex));
            seen.missed += grips.iter().filter(|grip| grip.misses()).count();
            seen.released |= state.released.is_some();
            seen.eased = seen.eased.max(state.offset_scale.iter().filter(|part| **part < 1.0).count());
            seen.passing = seen.passing.max(state.passing.iter().filter(|entries| **entries != 0).count());
            seen.ignored = seen.ignored.max(state.ignored.len());
        }
        println!("t={:.3} s: {seen:?}", state.time);
        for from in (1..STEPS - AFTER).step_by(BETWEEN) {
            let mut state = snapshot::read(&states[from]).unwrap();
            state.effects.settle(&feature.start.effects).unwrap();
            let mut fresh = feature.stepper();
            for k in from..from + AFTER {
                let report = feature.step(fresh.as_mut(), &mut state);
                assert_eq!(report, reports[k], "{name}: interrupted after step {from}, step {}", k + 1);
                let same = snapshot::write(&state) == states[k + 1];
                assert!(same, "{name}: interrupted after step {from}, the states after step {} differ", k + 1);
            }
        }
        seen
    });
    // The scenes cover the intended features.
    let of = |name: &str| all.iter().find(|seen| seen.name == name).unwrap();
    assert!(all.iter().all(|seen| seen.contacts > 0));
    assert!(of("pinch, lag").lag > 0.0 && of("pinch, lag").repeats > 0 && of("pinch, release").released);
    assert!(of("pinch, balls that cross").passing > 0 && of("pinch, balls that cross").lag == 0.0);
    assert!(of("obstacles that come and go").eased > 100);
    assert!(of("pointers").picked.len() > 1 && of("pointers").missed > 0);
    assert!(of("start ignored").ignored > 0 && of("blade").corrected > 0);
}

/// A part of the state that is missing in the bytes is detected.
#[test]
fn what_a_state_lacks_shows() {
    let (name, text) = features::all().swap_remove(0);
    let feature = feature(name, &text);
    let mut state = feature.start.clone();
    let mut whole = feature.stepper();
    for _ in 0..30 {
        feature.step(whole.as_mut(), &mut state);
    }
    let mut wanted = state.clone();
    for _ in 0..4 {
        feature.step(whole.as_mut(), &mut wanted);
    }
    type Lack = fn(&mut State);
    let lacks: [(&str, Lack); 5] = [
        ("guess", |s| s.guess.fill(percale::linalg::Vec3::zeros())),
        ("bristles", |s| s.bristles.clear()),
        ("history", |s| s.x_before = s.x[..s.x_before.len()].to_vec()),
        ("last", |s| s.last *= 1.001),
        ("anchors", |s| s.anchors.fill(None)),
    ];
    for (what, lack) in lacks {
        let mut other = state.clone();
        lack(&mut other);
        let mut fresh = feature.stepper();
        for _ in 0..4 {
            feature.step(fresh.as_mut(), &mut other);
        }
        assert!(snapshot::write(&other) != snapshot::write(&wanted), "{what}");
    }
}
