//! `stats.ndjson`: a line of statistics per frame.

use crate::effect::tallies;
use crate::stepper::Report;
use crate::world::effect::Tallies;
use crate::world::quantity::{Energies, Number, Stages, numbers};
use crate::world::{State, World};
use serde_json::{Map, Value, json};

/// Air inside a balloon or an air layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Air {
    /// Name of the cloth.
    pub cloth: String,
    /// Volume [m^3].
    pub volume: f64,
    /// Mean gauge pressure over the area [Pa].
    pub pressure: f64,
    /// Smallest and largest gauge pressure [Pa].
    pub bounds: [f64; 2],
}

/// Crossings in an entry of `[[ignore]]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Name of the entry: its parts.
    pub between: String,
    /// Pairs of triangles that cross.
    pub crossing: usize,
}

numbers! {
    /// Statistics of the steps from the previous frame to this one.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct FrameStats {
        /// Number, from that of the first frame on.
        pub frame: u32 = "",
        /// Time [s].
        pub time: f64 = "s",
        /// Steps.
        pub steps: u64 = "",
        /// Steps repeated with half the size.
        pub repeats: u64 = "",
        /// Linear iterations.
        pub iterations: u64 = "",
        /// Linear systems: one a step, and one for each further solve.
        pub systems: u64 = "" or 0.0,
        /// Contacts in the last step.
        pub contacts: usize = "",
        /// Smallest gap in the last step [m]: distance less the thickness, or as much of that as rest shape and
        /// `contact.ease` have room for. Infinite without contact. Below zero where features that turn away from each
        /// other bear only a part of the barrier: these are nearer than their thickness, and yet nothing crosses.
        pub min_gap: f64 = "m" or f64::INFINITY,
        /// Largest relative elongation of an edge.
        pub max_strain: f64 = "" or f64::NAN,
        /// Vertices whose end positions were corrected, counted once a step.
        pub corrected: u64 = "",
        /// Corrected vertices that were held where no other motion was proven free of crossings.
        pub truncated: u64 = "",
        /// How far prescribed motion is behind the time, because it had to wait for pinched cloth [s].
        pub lag: f64 = "s",
        /// Pinned vertices and vertices of obstacles that gave way in a pinch and are not back on their path.
        pub yielding: usize = "" or 0.0,
        /// How far from it the farthest of them is [m].
        pub off_path: f64 = "m" or 0.0,
        /// Pairs of triangles that cross, since the start or a release, and are left out of contact.
        pub ignored: usize = "",
        /// Pairs of triangles that cross, where contact.method = "vertex" proves nothing.
        pub crossing: usize = "" or 0.0,
        /// Solves that ended at `solver.max_iterations`, before the tolerance.
        pub unconverged: u64 = "" or 0.0,
    }
    with {
        /// Counters of effects.
        pub tallies: Tallies,
        /// Energies.
        pub energies: Energies,
        /// Balloons, then air layers, each in the order of the scene.
        pub airs: Vec<Air>,
        /// Crossings in the parts that `[[ignore]]` names, in the order of the scene.
        pub regions: Vec<Region>,
        /// Wall time.
        pub seconds: Stages,
    }
}

impl FrameStats {
    /// Begins the statistics of a frame.
    pub fn new(frame: u32) -> FrameStats {
        FrameStats { frame, min_gap: f64::INFINITY, ..FrameStats::default() }
    }

    /// Adds the steps of a report. `state` is their end.
    pub fn count(&mut self, report: &Report, world: &World, state: &State) {
        self.steps += report.steps;
        self.repeats += report.repeats;
        self.iterations += report.iterations;
        self.systems += report.systems;
        self.corrected += report.corrected;
        self.truncated += report.truncated;
        self.tallies.add(&report.effects.tallies);
        self.unconverged += report.unconverged;
        if report.steps > 0 {
            self.contacts = report.contacts;
            self.min_gap = report.min_gap;
        }
        self.lag = state.lag;
        (self.yielding, self.off_path) = world.off_path(state);
        self.seconds.add(&report.seconds);
    }

    /// Returns a line of JSON, without line end. A number that is not finite becomes `null`.
    pub fn line(&self) -> String {
        let air = |a: &Air| json!({ "cloth": a.cloth, "volume": a.volume, "pressure": a.pressure, "bounds": a.bounds });
        let there = self.energies.all().filter(|(energy, joules)| !energy.rare || *joules != 0.0);
        let energies: Map<String, Value> =
            there.map(|(energy, joules)| (energy.word.to_string(), json!(joules))).collect();
        let mut all = describe(FrameStats::NUMBERS, self, |x| x);
        for tally in tallies() {
            let value = self.tallies.get(tally);
            all.insert(tally.word.to_string(), if tally.whole { json!(value as u64) } else { json!(value) });
        }
        for (tally, value) in self.tallies.all().filter(|(tally, _)| tallies().all(|own| own.word != tally.word)) {
            all.insert(tally.word.to_string(), json!(value));
        }
        all.insert("energies".to_string(), energies.into());
        all.insert("airs".to_string(), self.airs.iter().map(air).collect());
        if !self.regions.is_empty() {
            let region = |r: &Region| json!({ "between": r.between, "crossing": r.crossing });
            all.insert("regions".to_string(), self.regions.iter().map(region).collect());
        }
        all.insert("seconds".to_string(), describe(Stages::NUMBERS, &self.seconds, round).into());
        Value::Object(all).to_string()
    }

    /// Parses a line.
    pub fn parse(line: &str) -> Option<FrameStats> {
        let all: Value = serde_json::from_str(line).ok()?;
        let number = |of: &Value, key: &str| of.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
        let air = |a: &Value| {
            let bound = |k: usize| a.get("bounds").and_then(|b| b.get(k)).and_then(Value::as_f64).unwrap_or(f64::NAN);
            let cloth = a.get("cloth").and_then(Value::as_str).unwrap_or_default().to_string();
            Air { cloth, volume: number(a, "volume"), pressure: number(a, "pressure"), bounds: [bound(0), bound(1)] }
        };
        let region = |r: &Value| Region {
            between: r.get("between").and_then(Value::as_str).unwrap_or_default().to_string(),
            crossing: r.get("crossing").and_then(Value::as_u64).unwrap_or_default() as usize,
        };
        let energies = all.get("energies")?;
        let mut counted = Tallies::default();
        for tally in tallies() {
            if let Some(value) = all.get(tally.word).and_then(Value::as_f64) {
                counted.tell(tally, value);
            }
        }
        Some(FrameStats {
            tallies: counted,
            energies: Energies::new(|energy| match energies.get(energy.word) {
                None if energy.rare => 0.0,
                _ => number(energies, energy.word),
            }),
            airs: all.get("airs").and_then(Value::as_array).into_iter().flatten().map(air).collect(),
            regions: all.get("regions").and_then(Value::as_array).into_iter().flatten().map(region).collect(),
            seconds: read(Stages::NUMBERS, all.get("seconds")?)?,
            ..read(FrameStats::NUMBERS, &all)?
        })
    }
}

/// Returns the numbers of a structure as JSON, each passed through `f`.
fn describe<S>(numbers: &[Number<S>], of: &S, f: fn(f64) -> f64) -> Map<String, Value> {
    let value = |number: &Number<S>| match f((number.get)(of)) {
        count if number.whole => json!(count as u64),
        real => json!(real),
    };
    numbers.iter().map(|number| (number.word.to_string(), value(number))).collect()
}

/// Reads the numbers of a structure from JSON. Returns `None` if a required one is missing.
fn read<S: Default>(numbers: &[Number<S>], json: &Value) -> Option<S> {
    let mut of = S::default();
    for number in numbers {
        let value = json.get(number.word).filter(|value| !number.whole || value.is_u64());
        (number.set)(&mut of, value.and_then(Value::as_f64).or(number.absent)?);
    }
    Some(of)
}

/// Rounds to a hundredth of a millisecond.
fn round(seconds: f64) -> f64 {
    (seconds * 1e5).round() / 1e5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back() {
        let mut counted = Tallies::default();
        (1..).zip(tallies()).for_each(|(k, tally)| counted.tell(tally, f64::from(k)));
        let stats = FrameStats {
            tallies: counted,
            frame: 7,
            time: 0.2,
            steps: 34,
            repeats: 1,
            iterations: 400,
            systems: 37,
            contacts: 51,
            min_gap: 2.5e-4,
            max_strain: 0.03,
            energies: Energies::new(|energy| 0.5 * energy.word.len() as f64),
            airs: vec![Air { cloth: "case".into(), volume: 0.01, pressure: 20.0, bounds: [-1.0, 30.5] }],
            regions: vec![Region { between: "'a' and 'b:c'".into(), crossing: 12 }],
            corrected: 4,
            truncated: 3,
            lag: 0.5,
            yielding: 3,
            off_path: 2e-3,
            ignored: 2,
            crossing: 1,
            unconverged: 8,
            seconds: Stages { solve: 0.5, write: 0.01, ..Stages::default() },
        };
        assert_eq!(FrameStats::parse(&stats.line()), Some(stats.clone()));
        let free = FrameStats { min_gap: f64::INFINITY, ..stats };
        assert!(free.line().contains("\"min_gap\":null"));
        assert_eq!(FrameStats::parse(&free.line()), Some(free));
        assert_eq!(FrameStats::parse("{\"frame\": 7"), None);
    }
}
