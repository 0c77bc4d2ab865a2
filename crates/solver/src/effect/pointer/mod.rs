//! Recorded pointers that pick vertices of cloths and pull them (Horiba et al. 2007).

/// Recorded pointers.
pub mod pick;

use super::order;
use crate::force::links::Couples;
use crate::world::carry::Carried;
use crate::world::effect::{At, Effect, EffectReport, Forces, Join, Made, Notice, Remember, Tallies, Tally};
use crate::world::snapshot::{Piece, pieces};
use crate::world::step::Step;
use crate::world::{Pulled, State, World};
use pick::{Grip, Pick};

/// Pointers of a world.
#[derive(Clone, Debug, Default)]
pub struct Pointers(pub Vec<Pick>);

/// State of the pointers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grips(pub Vec<Grip>);

/// Presses that miss all cloths.
pub static MISSED: Tally = Tally {
    word: "missed",
    unit: "",
    sentence: "Presses of pointers that met no cloth.",
    whole: true,
    join: Join::Sum,
};

pieces! {
    Grip { press, vertex }
}

impl Remember for Grips {
    const SECTIONS: &'static [(&'static str, u32)] = &[("pointers", 1)];

    fn put(&self, _: usize, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(&mut self, _: usize, from: &mut &[u8]) -> Option<()> {
        self.0 = Piece::take(from)?;
        Some(())
    }

    fn carry(&mut self, carried: &Carried) {
        self.0.iter_mut().flat_map(|grip| &mut grip.vertex).for_each(|v| *v = carried.vertex[*v as usize]);
    }

    fn misfit(&self, start: &Grips, world: &World) -> Option<&'static str> {
        let moving = |grip: &Grip| grip.vertex.is_none_or(|v| (v as usize) < world.moving);
        (self.0.len() != start.0.len() || !self.0.iter().all(moving)).then_some("pointers")
    }
}

impl Pointers {
    /// Iterates over pointers that hold a vertex: index, pointer, vertex, and the moment of the press.
    fn grips<'a>(&'a self, grips: &'a Grips) -> impl Iterator<Item = (usize, &'a Pick, u32, u32)> {
        let all = self.0.iter().zip(&grips.0).enumerate();
        all.filter_map(|(k, (pick, grip))| Some((k, pick, grip.vertex?, grip.press?)))
    }
}

impl Effect for Pointers {
    type Memory = Grips;
    /// Pulls of the pointers that hold a vertex.
    type Work = Vec<Pulled>;
    const ORDER: u32 = order::POINTERS;
    const TALLIES: &'static [&'static Tally] = &[&MISSED];

    fn start(&self, world: &World, state: &State) -> Grips {
        let grip = |pick: &Pick| pick.grip(world, &state.x, state.now(), Grip::default());
        Grips(self.0.iter().map(grip).collect())
    }

    fn work(&self, _: &World) -> Vec<Pulled> {
        Vec::new()
    }

    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        self.0.iter().flat_map(|pick| world.objects[pick.object].vertices.clone()).for_each(feed);
    }

    fn update(&self, _: At, memory: &Grips, work: &mut Vec<Pulled>, step: &Step, _: &mut Tallies) {
        work.clear();
        work.extend(self.grips(memory).map(|(_, pick, vertex, press)| {
            let force = pick.force(step.end, press);
            Pulled { force, ..Pulled::at(vertex) }
        }));
    }

    fn links<'a>(&self, work: &'a Vec<Pulled>) -> Option<&'a dyn Couples> {
        Some(work)
    }

    fn each_work(&self, _: At, memory: &Grips, _: &Vec<Pulled>, step: &Step, add: &mut dyn FnMut(usize, f64)) {
        for (_, pick, vertex, _) in self.grips(memory) {
            add(vertex as usize, pick.force * step.displacement[vertex as usize].norm());
        }
    }

    fn sources(&self, _: &World) -> usize {
        self.0.len()
    }

    fn each_force(&self, _: At, memory: &Grips, work: &Vec<Pulled>, _: &Step, _: &[f64], forces: &mut dyn Forces) {
        for ((k, ..), Pulled { vertex, force, .. }) in self.grips(memory).zip(work) {
            forces.from(k, *vertex, *force);
        }
    }

    fn commit(
        &self,
        world: &World,
        state: &mut State,
        memory: &mut Grips,
        _: &mut Vec<Pulled>,
        made: Made,
        report: &mut EffectReport,
    ) {
        for (k, (pick, grip)) in self.0.iter().zip(&mut memory.0).enumerate() {
            let now = pick.grip(world, &state.x, made.step.next, *grip);
            if now.misses() && now != *grip {
                let time = world.shot.shot(state.time);
                let name = world.name(pick.object);
                let text = format!("t={time:.6} s: a pointer is pressed beside '{name}': no force");
                report.tallies.tell(&MISSED, 1.0);
                report.notice(Notice { text, measure: state.time, subject: ("pointer", k) });
            }
            *grip = now;
        }
    }
}
