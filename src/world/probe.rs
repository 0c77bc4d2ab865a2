//! What probes measure: names, quantities, columns and values. The forces are found in the step (`stepper::probe`).

use super::{Object, State, World};
use crate::linalg::Vec3;

/// How often a probe measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// At each frame.
    Frame,
    /// At the end of each step.
    Step,
}

/// What prescribes motion or force, or is acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Some of the world's pins, by number.
    Pins(Vec<usize>),
    /// Some of the world's handles, by number.
    Handles(Vec<usize>),
    /// An object, by number.
    Object {
        /// Which.
        object: usize,
        /// Only what acts between it and this one; all others where there is none.
        from: Option<usize>,
    },
    /// All that is simulated, from outside.
    Everything,
}

/// What a probe measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// A force, as the last step used it [N].
    Force(Source),
    /// Work done since the start by what is prescribed [J].
    Work(Source),
    /// Distance of the mean positions of two groups of vertices [m].
    Length([Vec<u32>; 2]),
    /// Mean position [m] and velocity [m/s] of some vertices.
    Position(Vec<u32>),
}

/// A probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Name, also of its file.
    pub name: String,
    /// How often it measures.
    pub every: Every,
    /// What it measures.
    pub measure: Measure,
}

/// Parts of the balance of everything, in the order of their columns: the sum of the five after it comes first, what the step's corrections
/// changed and the rate of the momentum last.
pub const BALANCE: [&str; 8] =
    ["force", "gravity", "pins", "handles", "obstacles", "laws", "corrections", "momentum rate"];

impl Probe {
    /// Its values come from a step, and there are none before the first.
    pub fn of_steps(&self) -> bool {
        matches!(self.measure, Measure::Force(_))
    }

    /// It asks a step for forces.
    pub fn asks(&self) -> Option<&Source> {
        match &self.measure {
            Measure::Force(source) | Measure::Work(source) => Some(source),
            _ => None,
        }
    }

    /// Names of the vectors that a force consists of.
    pub fn vectors(&self, world: &World) -> &'static [&'static str] {
        match &self.measure {
            Measure::Force(Source::Everything) => &BALANCE,
            Measure::Force(Source::Object { object, from: None })
                if world.objects.get(*object).is_some_and(|object| object.kind.simulated()) =>
            {
                &["force", "corrections"]
            }
            Measure::Force(_) => &["force"],
            _ => &[],
        }
    }

    /// Its columns behind the time, with their units.
    pub fn columns(&self, world: &World) -> Vec<String> {
        let vector = |name: &str, unit: &str| ["x", "y", "z"].map(|axis| format!("{name} {axis} [{unit}]"));
        match self.measure {
            Measure::Force(_) => self.vectors(world).iter().flat_map(|name| vector(name, "N")).collect(),
            Measure::Work(_) => vec!["work [J]".to_string()],
            Measure::Length(_) => vec!["length [m]".to_string()],
            Measure::Position(_) => [vector("position", "m"), vector("velocity", "m/s")].concat(),
        }
    }

    /// Its values, in the order of its columns; `forces` are those of the last step, `work` what has been done so far.
    pub fn values(&self, world: &World, state: &State, forces: &[Vec3], work: f64, out: &mut Vec<f64>) {
        match &self.measure {
            Measure::Force(_) => out.extend(forces.iter().flat_map(|force| [force.x, force.y, force.z])),
            Measure::Work(_) => out.push(work),
            Measure::Length([a, b]) => out.push((mean(&state.x, a) - mean(&state.x, b)).norm()),
            Measure::Position(vertices) => {
                let (at, velocity) = (mean(&state.x, vertices) + world.origin, mean(&state.v, vertices));
                out.extend([at, velocity].iter().flat_map(|v| [v.x, v.y, v.z]));
            }
        }
    }
}

/// Mean over some vertices, in their order.
fn mean(of: &[Vec3], vertices: &[u32]) -> Vec3 {
    vertices.iter().map(|v| of[*v as usize]).sum::<Vec3>() / vertices.len().max(1) as f64
}

impl World {
    /// Sets the probes, and what they have in a state at the start.
    pub fn probe(&mut self, probes: Vec<Probe>, state: &mut State) {
        let works = probes.iter().filter(|probe| matches!(probe.measure, Measure::Work(_))).count();
        state.work = vec![0.0; works];
        self.probes = probes;
    }

    /// A probe asks the steps for forces.
    pub fn probes_forces(&self) -> bool {
        self.probes.iter().any(|probe| probe.asks().is_some())
    }

    /// Object of a vertex.
    pub fn object_of(&self, v: usize) -> Option<usize> {
        let k = self.objects.partition_point(|object: &Object| object.vertices.end <= v);
        self.objects.get(k).filter(|object| object.vertices.contains(&v)).map(|_| k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Diagonals, sheet};
    use crate::world::build::{ClothInput, Input, build};

    /// Lengths and positions are those of means; a world about an origin of its own tells where things are in the scene.
    #[test]
    fn lengths_and_positions_are_of_means() {
        let mesh = sheet(3, 3, 0.2, 0.4, Diagonals::Aligned, |m| Vec3::new(m.x, 1.0, m.y));
        let cloth = ClothInput::plain(mesh, 100.0, 0.1);
        let (mut world, mut state) = build(Input { cloths: vec![cloth], ..Input::empty(Vec3::zeros()) });
        world.origin = Vec3::new(0.0, 0.0, 100.0);
        let of =
            |x: f64| -> Vec<u32> { (0..9).filter(|v| (state.x[*v].x - x).abs() < 1e-9).map(|v| v as u32).collect() };
        let (left, right) = (of(0.0), of(0.2));
        assert_eq!((left.len(), right.len()), (3, 3));
        state.v.fill(Vec3::new(0.0, 2.0, 0.0));
        let probe = |measure: Measure| Probe { name: "a".into(), every: Every::Frame, measure };
        let value = |probe: &Probe| {
            let mut out = Vec::new();
            probe.values(&world, &state, &[], 0.0, &mut out);
            assert_eq!(out.len(), probe.columns(&world).len());
            out
        };
        let length = value(&probe(Measure::Length([left.clone(), right])));
        assert!((length[0] - 0.2).abs() < 1e-15, "{length:?}");
        let position = value(&probe(Measure::Position(left)));
        let wanted = [0.0, 1.0, 100.2, 0.0, 2.0, 0.0];
        assert!(position.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{position:?}");
        assert_eq!((world.object_of(8), world.object_of(9)), (Some(0), None));
    }
}
