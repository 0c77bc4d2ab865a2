//! An effect that the crate does not know: links, memory, a channel, a number per frame, all in this file.

use percale::force::links::Couples;
use percale::linalg::Vec3;
use percale::mesh::generate::{Diagonals, lying, sheet};
use percale::mesh::ply;
use percale::sequence::{FrameStats, Shape, Snapshot};
use percale::stepper::{Integrator, Settings, stepper};
use percale::world::build::{ClothInput, Input, build};
use percale::world::effect::{At, Effect, EffectReport, Join, Made, Remember, Tallies, Tally};
use percale::world::quantity::Channel;
use percale::world::snapshot::{self, Piece};
use percale::world::step::Step;
use percale::world::{Pulled, State, World};

/// Wall at `x = 0` that attracts charged vertices. Their charge leaks.
#[derive(Clone, Debug)]
struct Cling {
    /// Force on a vertex with charge 1 [N].
    force: f64,
    /// Fraction of the charge that leaks per second [1/s].
    leak: f64,
}

/// Charge of each moving vertex.
#[derive(Clone, Debug, Default, PartialEq)]
struct Charge(Vec<f64>);

static CHARGE: Tally =
    Tally { word: "charge", unit: "", sentence: "Sum of all charges.", whole: false, join: Join::Last };

impl Remember for Charge {
    const SECTIONS: &'static [(&'static str, u32)] = &[("charge", 1)];

    fn put(&self, _: usize, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(&mut self, _: usize, from: &mut &[u8]) -> Option<()> {
        self.0 = Piece::take(from)?;
        Some(())
    }

    fn misfit(&self, start: &Charge, _: &World) -> Option<&'static str> {
        (self.0.len() != start.0.len()).then_some("charged vertices")
    }
}

impl Effect for Cling {
    type Memory = Charge;
    type Work = Vec<Pulled>;
    const CHANNELS: &'static [Channel] = &[Channel {
        word: "charge",
        sentence: "Charge of the vertex.",
        shown: "Charge.",
        values: |_, world, state, object| Some(world.in_file_order(object, &state.effects.get::<Charge>()?.0)),
        ..Channel::BLANK
    }];
    const TALLIES: &'static [&'static Tally] = &[&CHARGE];

    fn start(&self, world: &World, _: &State) -> Charge {
        Charge((0..world.moving).map(|v| 1.0 + 0.1 * v as f64).collect())
    }

    fn work(&self, _: &World) -> Vec<Pulled> {
        Vec::new()
    }

    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        (0..world.moving).for_each(feed);
    }

    fn update(&self, _: At, memory: &Charge, work: &mut Vec<Pulled>, _: &Step, _: &mut Tallies) {
        work.clear();
        let force = |charge: &f64| Vec3::x() * (-self.force * charge);
        work.extend((0..).zip(&memory.0).map(|(v, charge)| Pulled { force: force(charge), ..Pulled::at(v) }));
    }

    fn links<'a>(&self, work: &'a Vec<Pulled>) -> Option<&'a dyn Couples> {
        Some(work)
    }

    fn commit(
        &self,
        _: &World,
        _: &mut State,
        memory: &mut Charge,
        _: &mut Vec<Pulled>,
        made: Made,
        _: &mut EffectReport,
    ) {
        memory.0.iter_mut().for_each(|charge| *charge *= 1.0 - self.leak * made.step.h);
    }

    fn tally(&self, _: At, memory: &Charge, tallies: &mut Tallies) {
        tallies.tell(&CHARGE, memory.0.iter().sum());
    }
}

const H: f64 = 1e-3;
const SETTINGS: Settings = Settings {
    integrator: Integrator::BackwardEuler,
    step: H,
    min_step: H,
    accuracy: f64::INFINITY,
    tolerance: 1e-10,
    iterations: 500,
};

/// Makes a sheet of 16 vertices without gravity, attracted by a wall.
fn drawn() -> (World, State) {
    let cloth = ClothInput::plain(sheet(4, 4, 0.1, 0.1, Diagonals::Aligned, lying(0.1, 0.1)), 100.0, 0.2);
    let (mut world, mut state) = build(Input { cloths: vec![cloth], ..Input::empty(Vec3::zeros()) });
    world.plug(Cling { force: 1e-3, leak: 5.0 }, &mut state);
    (world, state)
}

/// Momentum is the integral of the attracting force. With backward Euler, each step adds the force of the charge at its
/// start.
#[test]
fn it_acts_remembers_and_goes_on() {
    let (world, start) = drawn();
    let mut state = start.clone();
    let mut whole = stepper(&world, SETTINGS, true);
    let (mut expected, mut half) = (0.0, Vec::new());
    let charge = |state: &State| state.effects.get::<Charge>().unwrap().0.iter().sum::<f64>();
    // The first steps are shorter.
    while state.time < 0.02 {
        let (before, begin) = (charge(&state), state.time);
        whole.step(&world, &mut state, 0.02).unwrap();
        expected -= 1e-3 * before * (state.time - begin);
        if half.is_empty() && state.time > 0.01 {
            half = snapshot::write(&state);
        }
    }
    let momentum: f64 = world.mass.iter().zip(&state.v).map(|(mass, v)| mass * v.x).sum();
    assert!((momentum / expected - 1.0).abs() < 1e-8, "{momentum} {expected}");
    assert!(charge(&state) < 0.91 * charge(&start));

    // The run resumes at the middle from the bytes of a checkpoint.
    let mut other = snapshot::read(&half).unwrap();
    other.effects.settle(&start.effects).unwrap();
    assert!(other.misfits(&world, &start).is_empty());
    let mut fresh = stepper(&world, SETTINGS, true);
    fresh.advance(&world, &mut other, 0.02).unwrap();
    assert_eq!(snapshot::write(&other), snapshot::write(&state));

    // A world without the effect refuses to resume, and gives the reason.
    let cloth = ClothInput::plain(sheet(4, 4, 0.1, 0.1, Diagonals::Aligned, lying(0.1, 0.1)), 100.0, 0.2);
    let (_, without) = build(Input { cloths: vec![cloth], ..Input::empty(Vec3::zeros()) });
    let mut other = snapshot::read(&half).unwrap();
    assert!(other.effects.settle(&without.effects).unwrap_err().contains("'charge'"));
}

/// Mesh files have the effect's channel, and the statistics of a frame its number.
#[test]
fn it_is_exported() {
    let (world, state) = drawn();
    let object = &world.objects[0];
    let fields: Vec<(String, Vec<f64>)> = Cling::CHANNELS
        .iter()
        .filter_map(|channel| Some((channel.word.to_string(), (channel.values)(channel, &world, &state, object)?)))
        .collect();
    let at = Snapshot::of(&world, &state, object, fields);
    let file = ply::read(&Shape::of(object).ply(&at).unwrap()).unwrap();
    let charges = &file.mesh.channels["charge"];
    let wanted = world.in_file_order(object, &state.effects.get::<Charge>().unwrap().0);
    assert!(charges.len() == 16 && charges.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6));

    let mut stats = FrameStats::default();
    world.tally(&state, &mut stats.tallies);
    let line: serde_json::Value = serde_json::from_str(&stats.line()).unwrap();
    assert_eq!(line["charge"].as_f64(), Some((0..16).map(|v| 1.0 + 0.1 * f64::from(v)).sum()));
}
