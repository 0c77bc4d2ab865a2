//! Probes: names, quantities, columns and values. The forces are computed in the step (`stepper::probe`).

use super::{Object, State, World};
use crate::linalg::Vec3;

/// Sampling interval of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// Each frame.
    Frame,
    /// Each step.
    Step,
}

/// Part of the scene whose force or work a probe measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Pins of the world, by index.
    Pins(Vec<usize>),
    /// Handles of the world, by index.
    Handles(Vec<usize>),
    /// Force on an object.
    Object {
        /// Index of the object.
        object: usize,
        /// Other object of the force; `None`: all other objects.
        from: Option<usize>,
    },
    /// External forces on all simulated objects.
    Everything,
}

/// Quantity that a probe measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Force in the last step [N].
    Force(Source),
    /// Work of prescribed motion or force since the start [J].
    Work(Source),
    /// Distance between the mean positions of two groups of vertices [m].
    Length([Vec<u32>; 2]),
    /// Mean position [m] and velocity [m/s] of some vertices.
    Position(Vec<u32>),
}

/// Probe of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Name, also of the output file.
    pub name: String,
    /// Sampling interval.
    pub every: Every,
    /// Measured quantity.
    pub measure: Measure,
}

/// Terms of the momentum balance, in the order of their columns. `force` is the sum of the next five. `corrections` is
/// the change by corrections of the step. The last is the rate of momentum.
pub const BALANCE: [&str; 8] =
    ["force", "gravity", "pins", "handles", "obstacles", "laws", "corrections", "momentum rate"];

impl Probe {
    /// Returns true if the values come from a step, so that there are none before the first step.
    pub fn of_steps(&self) -> bool {
        matches!(self.measure, Measure::Force(_))
    }

    /// Returns the source whose forces the probe needs from each step.
    pub fn asks(&self) -> Option<&Source> {
        match &self.measure {
            Measure::Force(source) | Measure::Work(source) => Some(source),
            _ => None,
        }
    }

    /// Returns the names of the vectors that make up a force.
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

    /// Returns the headings of the columns after the time, with units.
    pub fn columns(&self, world: &World) -> Vec<String> {
        let vector = |name: &str, unit: &str| ["x", "y", "z"].map(|axis| format!("{name} {axis} [{unit}]"));
        match self.measure {
            Measure::Force(_) => self.vectors(world).iter().flat_map(|name| vector(name, "N")).collect(),
            Measure::Work(_) => vec!["work [J]".to_string()],
            Measure::Length(_) => vec!["length [m]".to_string()],
            Measure::Position(_) => [vector("position", "m"), vector("velocity", "m/s")].concat(),
        }
    }

    /// Appends the values in column order. `forces` are those of the last step, `work` is the work done so far.
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

/// Returns the mean over vertices, summed in their order.
fn mean(of: &[Vec3], vertices: &[u32]) -> Vec3 {
    vertices.iter().map(|v| of[*v as usize]).sum::<Vec3>() / vertices.len().max(1) as f64
}

impl World {
    /// Sets the probes, and their values in an initial state.
    pub fn probe(&mut self, probes: Vec<Probe>, state: &mut State) {
        let works = probes.iter().filter(|probe| matches!(probe.measure, Measure::Work(_))).count();
        state.work = vec![0.0; works];
        self.probes = probes;
    }

    /// Returns true if a probe needs forces from the steps.
    pub fn probes_forces(&self) -> bool {
        self.probes.iter().any(|probe| probe.asks().is_some())
    }

    /// Returns the object of a vertex.
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

    /// Lengths and positions use means. A world with a local origin reports positions in scene coordinates.
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
