//! Water in cloth, on its surface, and in liquid bridges.

/// Law of a liquid bridge.
pub mod bridge;
/// Bridges in a step.
pub mod bridges;
/// Uptake, wicking and drying.
pub mod capillary;
/// Wet cloths of a world.
pub mod cloths;
/// Channels of water.
pub mod quantities;
/// Supply, transport and evaporation of water.
pub mod transport;

use super::order;
use crate::force::links::Couples;
use crate::world::carry::Carried;
use crate::world::effect::{At, Effect, EffectReport, Forces, Join, Made, Remember, Tallies, Tally};
use crate::world::quantity::Channel;
use crate::world::snapshot::{Piece, pieces};
use crate::world::step::Step;
use crate::world::{State, World};
use bridge::Bridge;
use bridges::Bridges;
use capillary::Water;
use cloths::Wet;
use transport::Transport;

/// State of the water.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaterState {
    /// Water of the moving vertices.
    pub water: Water,
    /// Liquid bridges, by vertex and side.
    pub bridges: Vec<Bridge>,
}

/// Water in cloths and on them.
pub static WATER: Tally =
    Tally { word: "water", unit: "kg", sentence: "Water in cloths and on them [kg].", whole: false, join: Join::Last };
/// Water supplied.
pub static JOINED: Tally = Tally {
    word: "joined",
    sentence: "Water that has joined cloths so far, that of the start included [kg].",
    ..WATER
};
/// Water evaporated.
pub static DRIED: Tally = Tally { word: "dried", sentence: "Water that has evaporated so far [kg].", ..WATER };
/// Number of bridges.
pub static BRIDGES: Tally =
    Tally { word: "bridges", unit: "", sentence: "Liquid bridges in the last step.", whole: true, join: Join::Last };
/// Sum of the pulls of all bridges.
pub static ADHESION: Tally = Tally {
    word: "adhesion",
    unit: "N",
    sentence: "Sum of the forces with which they pull [N].",
    whole: false,
    join: Join::Last,
};

pieces! {
    Water { absorbed, film, bridged, joined, dried }
    Bridge { vertex, side, triangle, volume, height }
}

impl Remember for WaterState {
    const SECTIONS: &'static [(&'static str, u32)] = &[("water", 1), ("bridges", 1)];

    fn put(&self, section: usize, out: &mut Vec<u8>) {
        match section {
            0 => self.water.put(out),
            _ => self.bridges.put(out),
        }
    }

    fn take(&mut self, section: usize, from: &mut &[u8]) -> Option<()> {
        match section {
            0 => self.water = Piece::take(from)?,
            _ => self.bridges = Piece::take(from)?,
        }
        Some(())
    }

    fn carry(&mut self, carried: &Carried) {
        let Water { absorbed, film, bridged, .. } = &mut self.water;
        [absorbed, film, bridged].into_iter().for_each(|water| *water = carried.sums(water));
        self.bridges.iter_mut().for_each(|bridge| bridge.vertex = carried.vertex[bridge.vertex as usize]);
        let order = |bridge: &Bridge| (bridge.vertex, bridge.side);
        self.bridges.sort_by_key(order);
        // The first of two bridges on one side of a joined vertex takes the water of both.
        self.bridges.dedup_by(|next, kept| {
            let same = order(next) == order(kept);
            if same {
                kept.volume += next.volume;
            }
            same
        });
    }

    fn misfit(&self, start: &WaterState, world: &World) -> Option<&'static str> {
        let fits = |b: &Bridge| {
            (b.vertex as usize) < world.moving && (b.triangle as usize) < world.surface.triangles.len() && b.side < 2
        };
        match () {
            () if self.water.absorbed.len() != start.water.absorbed.len() => Some("wet cloths"),
            () if !self.bridges.iter().all(fits) => Some("liquid bridges"),
            () => None,
        }
    }
}

/// Storage of a stepper.
pub struct WaterWork {
    bridges: Bridges,
    transport: Transport,
}

impl Effect for Wet {
    type Memory = WaterState;
    type Work = WaterWork;
    const ORDER: u32 = order::WATER;
    const CHANNELS: &'static [Channel] = quantities::CHANNELS;
    const TALLIES: &'static [&'static Tally] = &[&WATER, &JOINED, &DRIED, &BRIDGES, &ADHESION];

    fn start(&self, _: &World, _: &State) -> WaterState {
        WaterState { water: self.start.clone(), bridges: Vec::new() }
    }

    fn work(&self, world: &World) -> WaterWork {
        WaterWork { bridges: Bridges::new(world), transport: Transport::default() }
    }

    fn feeds_all(&self) -> bool {
        true
    }

    fn add_mass(&self, memory: &WaterState, mass: &mut [f64]) {
        mass.iter_mut().enumerate().for_each(|(v, mass)| *mass += memory.water.at(v));
    }

    fn soften(&self, world: &World, memory: &WaterState, stiffness_scale: &mut Vec<f64>) {
        Wet::soften(self, &memory.water, world.moving, stiffness_scale);
    }

    fn begin(&self, at: At, memory: &WaterState, _: &mut WaterWork, step: &mut Step, _: &mut Tallies) {
        self.roughen(&memory.water, at.world.moving, &mut step.roughness);
        self.block(&memory.water, at.world.moving, &mut step.lets_through);
    }

    fn update(&self, at: At, memory: &WaterState, work: &mut WaterWork, _: &Step, tallies: &mut Tallies) {
        work.bridges.look(self, at, &memory.bridges);
        let (count, pull) = work.bridges.summary();
        tallies.tell(&BRIDGES, count as f64);
        tallies.tell(&ADHESION, pull);
    }

    fn links<'a>(&self, work: &'a WaterWork) -> Option<&'a dyn Couples> {
        Some(&work.bridges)
    }

    fn linearise(&self, at: At, _: &WaterState, work: &mut WaterWork, step: &Step) {
        work.bridges.pull(self, at.world, step);
    }

    fn let_go(&self, _: &World, work: &mut WaterWork, step: &Step) -> bool {
        work.bridges.let_go(self, step)
    }

    fn each_coupled(&self, work: &WaterWork, couple: &mut dyn FnMut(&mut dyn Iterator<Item = u32>)) {
        work.bridges.coupled().for_each(|mut vertices| couple(&mut vertices));
    }

    fn bound(&self, world: &World, work: &WaterWork, floors: &[f64], ceilings: &mut [f64]) {
        work.bridges.bound(world, floors, ceilings);
    }

    fn each_work(&self, _: At, _: &WaterState, work: &WaterWork, step: &Step, add: &mut dyn FnMut(usize, f64)) {
        work.bridges.each_work(step, add);
    }

    fn each_force(&self, _: At, _: &WaterState, work: &WaterWork, step: &Step, _: &[f64], forces: &mut dyn Forces) {
        work.bridges.each_force(step, forces);
    }

    fn commit(
        &self,
        world: &World,
        state: &mut State,
        memory: &mut WaterState,
        work: &mut WaterWork,
        made: Made,
        _: &mut EffectReport,
    ) {
        work.bridges.commit(self, world, state, memory, made);
        work.transport.commit(self, world, state, memory, made);
    }

    fn tally(&self, _: At, memory: &WaterState, tallies: &mut Tallies) {
        tallies.tell(&WATER, memory.water.total());
        tallies.tell(&JOINED, memory.water.joined);
        tallies.tell(&DRIED, memory.water.dried);
    }
}
