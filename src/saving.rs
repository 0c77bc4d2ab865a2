//! Saved states of simulations. A saved state is a checkpoint of a run, with the statistics of the frame.

use crate::sequence::Checkpoint;
use crate::simulation::{Error, Simulation, snapshots};
use crate::world::State;
use crate::world::quantity::Stages;

/// Number of the frame in a state before the first one.
const NONE: u32 = u32::MAX;

impl Simulation {
    /// Returns the state as bytes: positions, velocities and their history, memories of laws, effects and contacts, and
    /// all values that are set. Equal states have equal bytes.
    pub fn save(&self) -> Vec<u8> {
        let mut stats = self.stats.clone();
        stats.seconds = Stages::default();
        let (objects, continued) = self.marks.clone();
        let checkpoint = Checkpoint {
            version: env!("CARGO_PKG_VERSION").to_string(),
            frame: self.frame.unwrap_or(NONE),
            partial: Some(stats),
            wall: 0.0,
            scene: self.scene.text.clone(),
            objects,
            continued,
            state: self.state.clone(),
        };
        checkpoint.bytes()
    }

    /// Goes back, or on, to a saved state of the same objects. The frames that follow have the bits that they had after
    /// the state was saved, if the scene is the same one. Another scene may have other materials, gravity or wind.
    ///
    /// # Errors
    /// The bytes are damaged or of another version. Or they are a state of other meshes, laws, effects or times of
    /// frames. The simulation is then as it was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let refuse = |why: String| Error::Value(format!("the saved state cannot be taken: {why}"));
        let Checkpoint { frame, partial, objects, mut state, .. } =
            Checkpoint::parse(bytes).map_err(|why| refuse(why.to_string()))?;
        let (own, _) = &self.marks;
        if own.len() != objects.len() || own.iter().zip(&objects).any(|(own, then)| own.name != then.name) {
            let names = |all: &[crate::sequence::Mark]| -> String {
                all.iter().map(|mark| format!("'{}'", mark.name)).collect::<Vec<_>>().join(", ")
            };
            return Err(refuse(format!("the objects are {}, its own {}", names(own), names(&objects))));
        }
        if let Some((own, _)) = own.iter().zip(&objects).find(|(own, then)| own.topology != then.topology) {
            return Err(refuse(format!("'{}' has another mesh in it", own.name)));
        }
        state.effects.settle(&self.state.effects).map_err(refuse)?;
        self.in_time(frame, &state).map_err(refuse)?;
        let fitting = self.parts.as_ref().map(|parts| {
            parts.fitting(&self.scene, &state).unwrap_or_else(|| parts.joined(&self.scene, &parts.apart(), 0.0))
        });
        let (world, start) = fitting.as_ref().map_or((&self.world, &self.state), |(world, start)| (world, start));
        let misfits = state.misfits(world, start);
        if !misfits.is_empty() {
            return Err(refuse(format!("of it {}", misfits.join("; "))));
        }
        match fitting {
            Some((world, _)) => self.put((world, state)),
            None => {
                self.state = state;
                self.drive();
            }
        }
        self.frame = Some(frame).filter(|frame| *frame != NONE);
        self.snapshots = if self.frame.is_some() { snapshots(&self.world, &self.state) } else { Vec::new() };
        self.stats = partial.unwrap_or_default();
        self.contacts.clear();
        Ok(())
    }

    /// Checks that a state's time is that of its frame, or between it and the next.
    fn in_time(&self, frame: u32, state: &State) -> Result<(), String> {
        let time = &self.scene.time;
        let [first, last] = [time.start_frame, time.last_frame()];
        let times = match frame {
            NONE => 0.0..time.run(first),
            frame if !(first..=last).contains(&frame) => {
                return Err(format!("it is at frame {frame}, the scene has frames {first} to {last}"));
            }
            frame => time.run(frame)..time.run(frame + 1),
        };
        if times.contains(&state.time) || frame == NONE && state.time == 0.0 {
            return Ok(());
        }
        Err("time.fps, time.preroll or time.scale is another".to_string())
    }
}
