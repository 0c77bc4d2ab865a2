//! Air layers below cloths, and balloons.

/// Closed cloths with air inside.
pub mod balloon;
/// Columns of air below cloth vertices, in a step.
pub mod columns;
/// Equation of a layer.
pub mod equation;
/// Air inside a closed cloth.
pub mod gas;
mod inflation;
/// Constants of air layers.
pub mod layer;
/// Channels.
pub mod quantities;
/// Reference formulation of the air's equation, as in the paper.
pub mod reference;
/// Stiffness of an air layer.
pub mod stiffness;

use super::order;
use crate::force::links::Couples;
use crate::linalg::Vec3;
use crate::linalg::matrix::LowRank;
use crate::mesh::number_text::rounded;
use crate::world::effect::{At, Effect, EffectReport, Forces, Made, Notice, Remember, Tallies};
use crate::world::quantity::Channel;
use crate::world::snapshot::{Piece, pieces};
use crate::world::step::Step;
use crate::world::{State, World};
use balloon::{Balloon, BalloonInput};
use columns::Columns;
use equation::Air;
use gas::Inside;
use layer::{AirInput, AirLayer};

/// Part of the target volume below which a balloon whose valve closes is reported. Normally the volume follows its
/// supply within a step or two.
const FILLED: f64 = 0.98;

/// All air layers and balloons.
#[derive(Clone, Debug, Default)]
pub struct AirLayers {
    /// Air layers.
    pub layers: Vec<AirLayer>,
    /// Balloons.
    pub balloons: Vec<Balloon>,
}

/// State of the air.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AirState {
    /// Air of each layer.
    pub layers: Vec<Air>,
    /// Air inside each balloon.
    pub balloons: Vec<Inside>,
}

impl AirLayers {
    /// Creates layers and balloons whose objects the world has. Others are skipped.
    pub fn new(world: &World, layers: &[AirInput], balloons: &[BalloonInput]) -> AirLayers {
        AirLayers {
            layers: layers.iter().filter_map(|air| AirLayer::new(air, world)).collect(),
            balloons: balloons.iter().flat_map(|balloon| Balloon::all(balloon, world)).collect(),
        }
    }

    /// Returns the air of a world and its state.
    pub fn of<'a>(world: &'a World, state: &'a State) -> Option<(&'a AirLayers, &'a AirState)> {
        Some((world.effects.get()?, state.effects.get()?))
    }

    /// Iterates over the vertex ranges of both sides of all layers.
    fn sides(&self, world: &World) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.layers.iter().flat_map(|air| air.objects).map(|object| world.objects[object].vertices.clone())
    }
}

pieces! {
    Air { energy, flux, excess, before, free }
    Inside { energy, excess }
}

impl Remember for AirState {
    const SECTIONS: &'static [(&'static str, u32)] = &[("air", 1), ("balloons", 2)];

    fn put(&self, section: usize, out: &mut Vec<u8>) {
        match section {
            0 => self.layers.put(out),
            _ => self.balloons.put(out),
        }
    }

    fn take(&mut self, section: usize, from: &mut &[u8]) -> Option<()> {
        match section {
            0 => self.layers = Piece::take(from)?,
            _ => self.balloons = Piece::take(from)?,
        }
        Some(())
    }

    fn misfit(&self, start: &AirState, _world: &World) -> Option<&'static str> {
        let sizes = |s: &AirState| -> Vec<[usize; 3]> {
            s.layers.iter().map(|a| [a.energy.len(), a.flux.len(), a.excess.len()]).collect()
        };
        match () {
            () if sizes(self) != sizes(start) => Some("layers of air"),
            () if self.balloons.len() != start.balloons.len() => Some("balloons"),
            () => None,
        }
    }
}

impl Effect for AirLayers {
    type Memory = AirState;
    type Work = Columns;
    const ORDER: u32 = order::AIR;
    const CHANNELS: &'static [Channel] = quantities::CHANNELS;
    const AFTER_CONTACTS: bool = true;

    fn start(&self, world: &World, state: &State) -> AirState {
        AirState {
            layers: self.layers.iter().map(|air| air.still(world, &state.x)).collect(),
            balloons: self.balloons.iter().map(|balloon| balloon.still(&state.x)).collect(),
        }
    }

    fn work(&self, world: &World) -> Columns {
        Columns::new(self, world)
    }

    fn joins(&self, world: &World, join: &mut dyn FnMut(&mut dyn Iterator<Item = usize>)) {
        for air in &self.layers {
            join(&mut air.objects.into_iter().flat_map(|object| world.objects[object].vertices.clone()));
        }
        for balloon in &self.balloons {
            join(&mut world.objects[balloon.cloth].vertices.clone());
        }
    }

    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        self.sides(world).flatten().for_each(feed);
    }

    fn update(&self, at: At, _: &AirState, work: &mut Columns, _: &Step, _: &mut Tallies) {
        work.look(self, at);
    }

    fn links<'a>(&self, work: &'a Columns) -> Option<&'a dyn Couples> {
        Some(work.columns())
    }

    fn foresee(&self, at: At, memory: &AirState, work: &mut Columns, step: &Step) {
        work.press(self, at, memory, step);
    }

    fn push(&self, work: &Columns, force: &mut [Vec3]) {
        work.inflate(self, force);
    }

    fn low_rank(&self, work: &mut Columns, low_rank: &mut LowRank) {
        work.exchange(low_rank);
    }

    fn each_work(&self, at: At, memory: &AirState, _: &Columns, step: &Step, add: &mut dyn FnMut(usize, f64)) {
        let At { world, state } = at;
        // Layers store and transport energy that is unknown here.
        self.sides(world).flatten().for_each(|v| add(v, f64::INFINITY));
        for (balloon, inside) in self.balloons.iter().zip(&memory.balloons) {
            let Some(first) = balloon.vertices().first() else { continue };
            let end = |v: usize| state.x[v] + step.displacement[v];
            let [before, after] = [balloon.volume(|v| state.x[v]), balloon.volume(end)];
            let time = state.time + step.h;
            let excess = balloon.held(world, [state.time, time]).unwrap_or(inside.excess);
            let source = balloon.chamber.source(inside, before, time, step.h);
            add(*first as usize, (excess * (after - before)).abs() + source);
        }
    }

    fn each_force(&self, _: At, _: &AirState, work: &Columns, step: &Step, falls: &[f64], forces: &mut dyn Forces) {
        work.each_force(self, step, falls, forces);
    }

    fn commit(
        &self,
        world: &World,
        state: &mut State,
        memory: &mut AirState,
        work: &mut Columns,
        made: Made,
        report: &mut EffectReport,
    ) {
        let filled = work.commit(self, At { world, state }, memory, made);
        if let Some((object, part)) = filled.filter(|(_, part)| *part < FILLED) {
            let text = format!(
                "the balloon '{}' has {} % of its volume as the valve is shut; its cloth holds it back, or is held; \
                 give it more duration, or less volume",
                world.name(object),
                rounded(100.0 * part)
            );
            report.notice(Notice { text, measure: part, subject: ("balloon", object) });
        }
    }
}
