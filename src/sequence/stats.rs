//! `stats.ndjson`: one line a frame.

use serde_json::{Value, json};

/// Energies of what is simulated [J].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// Of weight, zero at the origin.
    pub gravity: f64,
    /// Of stretching and shearing.
    pub membrane: f64,
    /// Of bending.
    pub bending: f64,
    /// Of the deformation of bodies, and of what glues cloths to them.
    pub solid: f64,
}

/// The air inside a balloon or below a cloth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Air {
    /// Name of the cloth.
    pub cloth: String,
    /// Volume [m^3].
    pub volume: f64,
    /// Pressure above that of the atmosphere, its mean over the area [Pa].
    pub pressure: f64,
    /// Least and largest of it anywhere [Pa].
    pub bounds: [f64; 2],
}

/// Wall seconds by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stages {
    /// Candidate pairs.
    pub broad: f64,
    /// Contacts from candidates.
    pub narrow: f64,
    /// Pressures of layers of air and balloons.
    pub air: f64,
    /// The linear system.
    pub assembly: f64,
    /// Its solution.
    pub solve: f64,
    /// Check of the end positions, corrections, strain limits.
    pub check: f64,
    /// Exact test of the frame as written.
    pub verify: f64,
    /// Pictures.
    pub draw: f64,
    /// Files.
    pub write: f64,
}

impl Stages {
    /// Names and seconds in order.
    pub fn named(&self) -> [(&'static str, f64); 9] {
        [
            ("broad", self.broad),
            ("narrow", self.narrow),
            ("air", self.air),
            ("assembly", self.assembly),
            ("solve", self.solve),
            ("check", self.check),
            ("verify", self.verify),
            ("draw", self.draw),
            ("write", self.write),
        ]
    }

    /// Adds the seconds of another frame.
    pub fn add(&mut self, other: &Stages) {
        self.broad += other.broad;
        self.narrow += other.narrow;
        self.air += other.air;
        self.assembly += other.assembly;
        self.solve += other.solve;
        self.check += other.check;
        self.verify += other.verify;
        self.draw += other.draw;
        self.write += other.write;
    }
}

/// What happened from the frame before to this one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameStats {
    /// Number, from that of the first frame on.
    pub frame: u32,
    /// Time [s].
    pub time: f64,
    /// Steps.
    pub steps: u64,
    /// Steps repeated with half the size.
    pub repeats: u64,
    /// Linear iterations.
    pub iterations: u64,
    /// Contacts in the last step.
    pub contacts: usize,
    /// Smallest gap in the last step [m]: distance less the thickness, or as much of that as rest shape and `contact.ease` have room
    /// for. Infinite without contact. Below zero where features that turn away from each other bear only a part of the barrier:
    /// these are nearer than their thickness, and yet nothing crosses.
    pub min_gap: f64,
    /// Largest relative elongation of an edge.
    pub max_strain: f64,
    /// Energies.
    pub energies: Energies,
    /// Balloons and layers of air, in the order of the scene: balloons first.
    pub airs: Vec<Air>,
    /// Vertices whose end positions were corrected, counted once a step.
    pub corrected: u64,
    /// Those of them that were held where no other motion was proven free of crossings.
    pub truncated: u64,
    /// How far prescribed motion is behind the time, because it had to wait for pinched cloth [s].
    pub lag: f64,
    /// Pairs of triangles that cross, since the start or a release, and are left out of contact.
    pub ignored: usize,
    /// Wall time.
    pub seconds: Stages,
}

impl FrameStats {
    /// One line of JSON, without line end. A number that is not finite becomes `null`.
    pub fn line(&self) -> String {
        let seconds: serde_json::Map<String, Value> =
            self.seconds.named().into_iter().map(|(name, s)| (name.to_string(), json!(round(s)))).collect();
        let Energies { kinetic, gravity, membrane, bending, solid } = self.energies;
        let air = |a: &Air| json!({ "cloth": a.cloth, "volume": a.volume, "pressure": a.pressure, "bounds": a.bounds });
        json!({
            "frame": self.frame,
            "time": self.time,
            "steps": self.steps,
            "repeats": self.repeats,
            "iterations": self.iterations,
            "contacts": self.contacts,
            "min_gap": self.min_gap,
            "max_strain": self.max_strain,
            "energies":
                { "kinetic": kinetic, "gravity": gravity, "membrane": membrane, "bending": bending, "solid": solid },
            "airs": self.airs.iter().map(air).collect::<Vec<_>>(),
            "corrected": self.corrected,
            "truncated": self.truncated,
            "lag": self.lag,
            "ignored": self.ignored,
            "seconds": seconds,
        })
        .to_string()
    }

    /// From a line.
    pub fn parse(line: &str) -> Option<FrameStats> {
        let all: Value = serde_json::from_str(line).ok()?;
        let real = |of: &Value, key: &str| of.get(key).and_then(Value::as_f64);
        let whole = |key: &str| all.get(key).and_then(Value::as_u64);
        let (energies, seconds) = (all.get("energies")?, all.get("seconds")?);
        let stage = |key: &str| real(seconds, key).unwrap_or(0.0);
        let air = |a: &Value| {
            let bound = |k: usize| a.get("bounds").and_then(|b| b.get(k)).and_then(Value::as_f64).unwrap_or(f64::NAN);
            let cloth = a.get("cloth").and_then(Value::as_str).unwrap_or_default().to_string();
            let number = |key: &str| real(a, key).unwrap_or(f64::NAN);
            Air { cloth, volume: number("volume"), pressure: number("pressure"), bounds: [bound(0), bound(1)] }
        };
        let airs = all.get("airs").and_then(Value::as_array).into_iter().flatten().map(air).collect();
        let energy = |key: &str| real(energies, key).unwrap_or(f64::NAN);
        Some(FrameStats {
            frame: u32::try_from(whole("frame")?).ok()?,
            time: real(&all, "time")?,
            steps: whole("steps")?,
            repeats: whole("repeats")?,
            iterations: whole("iterations")?,
            contacts: usize::try_from(whole("contacts")?).ok()?,
            min_gap: real(&all, "min_gap").unwrap_or(f64::INFINITY),
            max_strain: real(&all, "max_strain").unwrap_or(f64::NAN),
            energies: Energies {
                kinetic: energy("kinetic"),
                gravity: energy("gravity"),
                membrane: energy("membrane"),
                bending: energy("bending"),
                solid: energy("solid"),
            },
            airs,
            corrected: whole("corrected")?,
            truncated: whole("truncated")?,
            lag: real(&all, "lag")?,
            ignored: usize::try_from(whole("ignored")?).ok()?,
            seconds: Stages {
                broad: stage("broad"),
                narrow: stage("narrow"),
                air: stage("air"),
                assembly: stage("assembly"),
                solve: stage("solve"),
                check: stage("check"),
                verify: stage("verify"),
                draw: stage("draw"),
                write: stage("write"),
            },
        })
    }
}

/// To a hundredth of a millisecond.
fn round(seconds: f64) -> f64 {
    (seconds * 1e5).round() / 1e5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back() {
        let stats = FrameStats {
            frame: 7,
            time: 0.2,
            steps: 34,
            repeats: 1,
            iterations: 400,
            contacts: 51,
            min_gap: 2.5e-4,
            max_strain: 0.03,
            energies: Energies { kinetic: 1.0, gravity: -2.0, membrane: 0.25, bending: 0.125, solid: 0.5 },
            airs: vec![Air { cloth: "case".into(), volume: 0.01, pressure: 20.0, bounds: [-1.0, 30.5] }],
            corrected: 4,
            truncated: 3,
            lag: 0.5,
            ignored: 2,
            seconds: Stages { solve: 0.5, write: 0.01, ..Stages::default() },
        };
        assert_eq!(FrameStats::parse(&stats.line()), Some(stats.clone()));
        let free = FrameStats { min_gap: f64::INFINITY, ..stats };
        assert!(free.line().contains("\"min_gap\":null"));
        assert_eq!(FrameStats::parse(&free.line()), Some(free));
        assert_eq!(FrameStats::parse("{\"frame\": 7"), None);
    }
}
