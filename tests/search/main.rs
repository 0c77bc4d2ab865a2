//! Randomized search for failures: random scenes must not have intersections, panics, non-finite numbers or created
//! energy. Momentum is checked too if gravity is the only external force.
//!
//! `PERCALE_SEARCH=17 cargo test --test search -- --ignored --nocapture` replays a seed, `PERCALE_SEARCH=0..1000` a
//! range.

mod scene;
mod shapes;

use percale::collision::intersect::Test;
use percale::contact::offset_ramp::ramp_offset;
use percale::contact::separate::separate;
use percale::effect::air::AirLayers;
use percale::effect::air::gas::Supply;
use percale::linalg::{Vec3, par};
use percale::stepper::{Report, stepper};
use percale::world::build::build;
use percale::world::quantity::largest_strain;
use percale::world::{State, World};
use scene::Scene;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Number of scenes of the long search.
const LONG: usize = 320;
/// Number of scenes of the short search.
const SHORT: usize = 15;
/// Relative tolerances of a closed scene: growth of its energy, and error of its momentum.
const KEPT: [f64; 2] = [0.01, 1e-6];
/// Number of steps after which a scene is abandoned, so that a slow scene does not delay all others.
const STEPS: u64 = 300;

/// Result of a scene.
#[derive(Default)]
struct Tale {
    seed: u64,
    says: String,
    report: Report,
    frames: usize,
    vertices: usize,
    lag: f64,
    strain: f64,
    contacts: usize,
    wall: f64,
    /// Failures of the scene.
    faults: Vec<String>,
    /// Reason of an early end that is allowed.
    ended: Option<String>,
}

/// Describes intersections at positions rounded as in files, and non-finite numbers.
fn faults(world: &World, test: &mut Test, state: &State) -> Vec<String> {
    let numbers = state.x.iter().chain(&state.v).chain(&state.guess);
    if numbers.flat_map(|x| x.iter()).any(|x| !x.is_finite()) {
        return vec!["something is not finite".into()];
    }
    let rounded: Vec<Vec3> = state.x.iter().map(|p| p.map(|x| f64::from(x as f32))).collect();
    world.crossings(test, &rounded, state.now()).iter().map(|c| c.describe(|k| world.name(k))).collect()
}

/// Returns the elastic energy [J].
fn stored(world: &World, state: &State) -> f64 {
    let mut stored = 0.0;
    world.elements.each_energy(&state.x, &state.memory, |_, energy| stored += energy);
    stored
}

/// Returns the largest elastic energy of a component over its mass [J/kg].
fn stored_by_mass(world: &World, state: &State) -> f64 {
    let mut stored = vec![0.0; world.component_mass.len()];
    let mut add = |v: u32, energy: f64| stored[world.component[v as usize] as usize] += energy;
    world.elements.each_energy(&state.x, &state.memory, &mut add);
    stored.iter().zip(&world.component_mass).map(|(stored, mass)| stored / mass).fold(0.0, f64::max)
}

/// Returns the speed limit of vertices [m/s], apart from the release of shapes stretched meanwhile. An impact can
/// double the speed of the striking object, and light objects bounce between heavy ones. The limit is eight times the
/// initial, prescribed, wind and fall speeds, with the elastic energy of cloth stretched at the start.
fn speed_limit(world: &World, state: &State, time: f64) -> f64 {
    let mut fastest = state.v.iter().fold(world.wind.velocity.norm(), |m: f64, v| m.max(v.norm()));
    let (mut now, parts) = (state.clone(), 64);
    for k in 0..=parts {
        let t = time * f64::from(k) / f64::from(parts);
        let before = now.x.clone();
        world.place_obstacles(t, &mut now.x);
        for pin in &world.pins {
            let carry = pin.carry(t);
            for (k, v) in pin.vertices.iter().enumerate() {
                now.x[*v as usize] = carry.apply(k, &world.rest[*v as usize]);
            }
        }
        if k > 0 {
            let ways = before.iter().zip(&now.x).map(|(a, b)| (b - a).norm());
            fastest = ways.fold(fastest, |m, way| m.max(way * f64::from(parts) / time));
        }
    }
    let mut given = stored(world, state);
    for balloon in world.effects.get::<AirLayers>().iter().flat_map(|airs| &airs.balloons) {
        match balloon.chamber.supply {
            Supply::None => {}
            // Work at this pressure up to four times the volume.
            Supply::Held { excess, .. } => given += 3.0 * excess * balloon.chamber.start,
            // Growth along a single side.
            Supply::Filled { times, duration } => fastest += balloon.chamber.start.cbrt() * times / duration,
        }
    }
    let mass: f64 = world.mass.iter().sum();
    8.0 * (fastest + world.gravity.norm() * time + (2.0 * given / mass).sqrt()) + 5.0
}

/// Returns the energy of a scene without contacts, relative to its rest positions in gravity [J], and its momentum [kg
/// m/s].
fn kept(world: &World, state: &State) -> (f64, Vec3) {
    let (mut energy, mut momentum) = (stored(world, state), Vec3::zeros());
    for v in 0..world.moving {
        let (mass, speed) = (world.mass[v], state.v[v]);
        energy += mass * (0.5 * speed.norm_squared() - world.gravity.dot(&(state.x[v] - world.rest[v])));
        momentum += speed * mass;
    }
    (energy, momentum)
}

/// Describes energy and momentum created since the start of a closed scene.
fn made(world: &World, state: &State, start: (f64, Vec3)) -> Vec<String> {
    let ((energy, momentum), mass) = (kept(world, state), world.mass[..world.moving].iter().sum::<f64>());
    let pull = world.gravity * (mass * state.time);
    let way = start.1 * state.time + pull * (0.5 * state.time);
    let most = start.0 + KEPT[0] * (start.0.abs() + world.gravity.dot(&way).abs());
    let off =
        (momentum - start.1 - pull).norm() / (start.1.norm() + pull.norm() + (2.0 * mass * start.0.max(0.0)).sqrt());
    let mut faults = Vec::new();
    if energy > most {
        faults.push(format!("at {:.3} ms the energy is {energy:.4e} J of {most:.4e}", state.time * 1e3));
    }
    if off > KEPT[1] {
        faults.push(format!("at {:.3} ms the momentum is off by {off:.2e}", state.time * 1e3));
    }
    faults
}

/// Prints a line about a step.
fn tell(tale: &Tale, world: &World, state: &State, fastest: f64) {
    let Report { steps, repeats, corrected, truncated, contacts, min_gap, candidates, .. } = tale.report;
    println!(
        "{:.4} ms, step {steps} of {:.4} ms, {repeats} repeats, {candidates} candidates, {contacts} contacts, gap {min_gap:.2e}, {corrected} \
         corrected, {truncated} truncated, lag {:.4} ms, held {:.3}, strain {:.3}, {fastest:.2} m/s, {:.4e} J, {:.2?}",
        state.time * 1e3,
        state.last * 1e3,
        state.lag * 1e3,
        state.held,
        tale.strain,
        kept(world, state).0,
        tale.report.seconds
    );
}

/// Runs a scene, tested after every step; `None` if it cannot begin.
fn run(seed: u64, aloud: bool) -> Option<Tale> {
    let Scene { input, balloons, settings, double, frames, interval, closed, says } = Scene::new(seed)?;
    let (mut world, mut state) = build(input);
    if !balloons.is_empty() {
        let airs = AirLayers::new(&world, &[], &balloons);
        world.plug(airs, &mut state);
    }
    let mut test = world.test();
    if !faults(&world, &mut test, &state).is_empty() || separate(&world, &mut state).is_some_and(|parted| !parted.apart)
    {
        return None;
    }
    ramp_offset(&world, &mut state, |i, j| world.meet(i, j), |_| true);
    let start = kept(&world, &state);
    let mut most_stored = 0.0f64;
    let limit = speed_limit(&world, &state, frames as f64 * interval);
    if aloud {
        println!("seed {seed}: {says}");
    }
    let clock = Instant::now();
    let mut tale = Tale { seed, says, vertices: world.rest.len(), ..Tale::default() };
    let mut stepper = stepper(&world, settings, double);
    while tale.frames < frames && tale.ended.is_none() {
        let until = (tale.frames + 1) as f64 * interval;
        match stepper.step(&world, &mut state, until) {
            Ok(report) => tale.report.add(&report),
            Err(stuck) => {
                let why = format!("stopped at {:.3} ms: {}", state.time * 1e3, stuck.describe(&world, &state));
                tale.faults.push(why);
            }
        }
        tale.faults.extend(faults(&world, &mut test, &state));
        if closed {
            tale.faults.extend(made(&world, &state, start));
        }
        let fastest = state.v.iter().fold(0.0, |m: f64, v| m.max(v.norm()));
        most_stored = most_stored.max(stored_by_mass(&world, &state));
        let limit = limit + 4.0 * (2.0 * most_stored).sqrt();
        if fastest > limit && !closed {
            tale.faults.push(format!("at {:.3} ms something goes at {fastest:.1} m/s of {limit:.1}", state.time * 1e3));
        }
        tale.contacts = tale.contacts.max(tale.report.contacts);
        tale.strain = tale.strain.max(largest_strain(&world, &state.x));
        tale.lag = tale.lag.max(state.lag);
        if aloud {
            tell(&tale, &world, &state, fastest);
        }
        if !tale.faults.is_empty() {
            break;
        }
        if state.time >= until {
            tale.frames += 1;
        }
        if tale.report.steps + tale.report.repeats > STEPS {
            tale.ended =
                Some(format!("left at {:.3} ms of {:.3} ms", state.time * 1e3, frames as f64 * interval * 1e3));
        }
    }
    tale.wall = clock.elapsed().as_secs_f64();
    Some(tale)
}

/// Runs as [`run`], with a panic as a fault.
fn guarded(seed: u64, aloud: bool) -> Option<Tale> {
    catch_unwind(AssertUnwindSafe(|| run(seed, aloud))).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned().or(panic.downcast_ref::<&str>().map(|s| s.to_string()));
        let faults = vec![format!("panics: {}", said.unwrap_or_default())];
        Some(Tale { seed, says: Scene::new(seed).map(|s| s.says).unwrap_or_default(), faults, ..Tale::default() })
    })
}

/// Runs the seeds from `first` until `count` scenes could begin, or up to `last`. Prints a line per scene, and returns
/// the number of scenes and the faults.
fn search(first: u64, last: u64, count: usize) -> (usize, Vec<String>) {
    let next = AtomicU64::new(first);
    let done: Mutex<(usize, Vec<String>)> = Mutex::default();
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= last || done.lock().unwrap().0 >= count {
                return;
            }
            let Some(tale) = guarded(seed, last - first == 1) else { continue };
            let mut done = done.lock().unwrap();
            done.0 += 1;
            println!("{}", tale.line());
            done.1.extend(tale.faults.iter().map(|fault| format!("seed {seed}: {fault} ({})", tale.says)));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| par::with_threads(1, work).unwrap());
        }
    });
    done.into_inner().unwrap()
}

impl Tale {
    fn line(&self) -> String {
        let Report { steps, repeats, corrected, truncated, .. } = self.report;
        let share = |n: u64| 100.0 * n as f64 / (steps.max(1) as f64 * self.vertices.max(1) as f64);
        let mut line = format!(
            "seed {}: {} vertices, {} frames, {steps} steps, {repeats} repeats, {} contacts, {:.2} % corrected, {:.2} % truncated, \
             strain {:.2}, lag {:.3} ms, {:.2} s",
            self.seed,
            self.vertices,
            self.frames,
            self.contacts,
            share(corrected),
            share(truncated),
            self.strain,
            self.lag * 1e3,
            self.wall
        );
        for end in self.ended.iter().chain(&self.faults) {
            line += &format!("; {end}");
        }
        line
    }
}

/// Returns the range of seeds from the environment, if given.
fn asked() -> Option<(u64, u64)> {
    let text = std::env::var("PERCALE_SEARCH").ok()?;
    let number = |text: &str| text.trim().parse::<u64>().expect("PERCALE_SEARCH is a seed or a range as 0..100");
    Some(match text.split_once("..") {
        Some((first, last)) => (number(first), number(last)),
        None => (number(&text), number(&text) + 1),
    })
}

fn assert_clean((scenes, faults): (usize, Vec<String>), least: usize) {
    println!("{scenes} scenes, {} faults", faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(scenes >= least, "{scenes} scenes");
}

#[test]
fn fifteen_random_scenes_stay_free_of_crossings() {
    assert_clean(search(1062, u64::MAX, SHORT), SHORT);
}

#[test]
#[ignore = "some minutes; PERCALE_SEARCH gives other seeds"]
fn hundreds_of_random_scenes_stay_free_of_crossings() {
    match asked() {
        Some((first, last)) => assert_clean(search(first, last, usize::MAX), 1),
        None => assert_clean(search(1000, u64::MAX, LONG), LONG),
    }
}
