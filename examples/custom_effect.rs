//! Example of a custom effect: a point that attracts every vertex, with decreasing force.
//! `cargo run --release --example custom_effect`.

use percale::Simulation;
use percale::force::links::Couples;
use percale::linalg::Vec3;
use percale::world::effect::{At, Effect, EffectReport, Made, Remember, Tallies};
use percale::world::snapshot::Piece;
use percale::world::step::Step;
use percale::world::{Pulled, State, World};

/// Constants: position of the point [m] and initial force on each vertex [N].
#[derive(Clone, Debug)]
struct Attractor {
    point: Vec3,
    force: f64,
}

/// Memory: remaining fraction of the force, from 1 down to 0. Checkpoints store it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Strength(f64);

impl Remember for Strength {
    const SECTIONS: &'static [(&'static str, u32)] = &[("attractor", 1)];

    fn put(&self, _: usize, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(&mut self, _: usize, from: &mut &[u8]) -> Option<()> {
        self.0 = Piece::take(from)?;
        Some(())
    }
}

impl Effect for Attractor {
    type Memory = Strength;
    type Work = Vec<Pulled>;

    fn start(&self, _: &World, _: &State) -> Strength {
        Strength(1.0)
    }

    fn work(&self, _: &World) -> Vec<Pulled> {
        Vec::new()
    }

    /// Marks all vertices as driven, because the energy check cannot account for the work of this effect.
    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        (0..world.moving).for_each(feed);
    }

    fn update(&self, at: At, memory: &Strength, work: &mut Vec<Pulled>, _: &Step, _: &mut Tallies) {
        let toward = |x: &Vec3| (self.point - x).try_normalize(0.0).unwrap_or_default() * (self.force * memory.0);
        work.clear();
        work.extend(
            (0..).zip(&at.state.x[..at.world.moving]).map(|(v, x)| Pulled { force: toward(x), ..Pulled::at(v) }),
        );
    }

    fn links<'a>(&self, work: &'a Vec<Pulled>) -> Option<&'a dyn Couples> {
        Some(work)
    }

    fn commit(
        &self,
        _: &World,
        _: &mut State,
        memory: &mut Strength,
        _: &mut Vec<Pulled>,
        made: Made,
        _: &mut EffectReport,
    ) {
        memory.0 *= 1.0 - 0.5 * made.step.h;
    }
}

fn main() -> Result<(), percale::Error> {
    let mut simulation = Simulation::load("scenes/drape.toml", &["time.frames=20"])?;
    simulation.plug(Attractor { point: Vec3::new(0.0, 3.0, 0.0), force: 5e-4 });
    while let Some(frame) = simulation.next_frame()? {
        let sheet = simulation.positions("sheet").unwrap_or_default();
        let mean = sheet.iter().map(|p| p.y).sum::<f64>() / sheet.len() as f64;
        let strength = simulation.state().effects.get::<Strength>().map_or(0.0, |strength| strength.0);
        println!("frame {frame}: mean height {mean:.4} m, strength {strength:.3}");
    }
    Ok(())
}
