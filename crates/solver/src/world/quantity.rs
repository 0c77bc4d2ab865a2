//! Table of the quantities reported of a state, one per row.
//!
//! [`Channel`]s are values at the vertices of a cloth. [`energies`] are numbers of the whole world. `numbers!` declares
//! the numbers of steps and frames. Scene keys, files, pictures, statistics, report and tests read these rows: a new
//! quantity is a new row.

mod gap;
mod inner;
mod number;
mod strain;

pub use gap::gaps;
pub use inner::{frictions, residual_curvatures, residuals};
pub use number::Number;
pub use number::numbers;
pub use strain::{largest_strain, strained, strains};

use super::{Object, State, World};
use crate::force::SHOWN;
use crate::force::scheme::{Shape, StiffnessScales};
use crate::force::term;
use crate::linalg::par;
use std::sync::LazyLock;

/// Quantity at every vertex of a cloth.
#[derive(Debug)]
pub struct Channel {
    /// Name in scenes and files.
    pub word: &'static str,
    /// Name in a legend, if it differs from `word`.
    pub label: Option<&'static str>,
    /// Unit; empty for a pure number.
    pub unit: &'static str,
    /// Description.
    pub sentence: &'static str,
    /// Description as a colouring of pictures.
    pub shown: &'static str,
    /// Colour map diverges from zero.
    pub diverging: bool,
    /// Reason why no cloth of a scene has the channel.
    pub lacks: &'static str,
    /// Computes the values at the vertices of a cloth, in file order; `None` if the cloth has none.
    pub values: fn(&Channel, &World, &State, &Object) -> Option<Vec<f64>>,
}

impl PartialEq for Channel {
    fn eq(&self, other: &Channel) -> bool {
        self.word == other.word
    }
}

impl Channel {
    /// Default values of a row.
    pub const BLANK: Channel = Channel {
        word: "",
        label: None,
        unit: "",
        sentence: "",
        shown: "",
        diverging: false,
        lacks: "",
        values: |_, _, _, _| None,
    };
}

/// Channel by which pictures darken wet cloth.
pub const SATURATION: &str = "saturation";

/// Channels that every cloth has.
pub static PLAIN: &[Channel] = &[
    Channel {
        word: "strain",
        sentence: "Largest relative change of length of the edges around the vertex.",
        shown: "Strain of the edges around a vertex.",
        values: |_, world, state, object| Some(strains(world, object, &state.x)),
        ..Channel::BLANK
    },
    Channel {
        word: "speed",
        unit: "m/s",
        sentence: "Speed, per second of the shot [m/s].",
        shown: "Speed [m/s].",
        values: |_, world, state, object| {
            Some(object.place.iter().map(|p| state.v[*p as usize].norm() * world.shot.scale).collect())
        },
        ..Channel::BLANK
    },
    Channel {
        word: "gap",
        unit: "m",
        sentence: "Distance to the nearest other surface less the thickness [m].",
        shown: "Contact gap [m].",
        values: |_, world, state, object| Some(world.in_file_order(object, &gaps(world, state))),
        ..Channel::BLANK
    },
];

/// Channels of internal friction.
pub static INNER: &[Channel] = &[
    Channel {
        word: "friction",
        sentence: "Stress of internal friction along warp as a part of its largest: of stretch, else of bending.",
        shown: "Internal friction along warp as a part of its largest, of cloths that have any; others are grey.",
        diverging: true,
        lacks: "no material has internal friction along warp",
        values: |_, world, state, object| frictions(world, state, object),
        ..Channel::BLANK
    },
    Channel {
        word: "residual",
        sentence: "Green strain along warp that would stay without load; of cloths with internal friction of stretch.",
        shown: "Strain along warp that would stay without load, of cloths with friction of stretch; others are grey.",
        diverging: true,
        lacks: "no material has internal friction of stretch along warp",
        values: |_, world, state, object| residuals(world, state, object),
        ..Channel::BLANK
    },
    Channel {
        word: "residual_curvature",
        label: Some("curvature"),
        unit: "1/m",
        sentence: "Curvature along warp that would stay without load [1/m]; of cloths with internal friction of bending.",
        shown: "Curvature along warp that would stay without load [1/m], of cloths with friction of bending; others are grey.",
        diverging: true,
        lacks: "no material has internal friction of bending along warp",
        values: |_, world, state, object| residual_curvatures(world, state, object),
    },
];

/// Channels of laws that only some scenes have.
static OF_LAWS: LazyLock<Vec<Channel>> = LazyLock::new(|| {
    let row = |c: &'static term::Channel| Channel {
        word: c.word,
        label: Some(c.label),
        unit: c.unit,
        sentence: c.sentence,
        shown: c.sentence,
        values: of_law,
        ..Channel::BLANK
    };
    SHOWN.iter().flat_map(|law| law.channels).map(row).collect()
});

/// Computes the values of a law's channel; zero if the scene does not have the law.
fn of_law(channel: &Channel, world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    let mut values = vec![0.0; world.rest.len()];
    world.elements.each_term(|term| {
        let tells = |law: &&term::Shown| law.name == term.name() && law.channels.iter().any(|c| c.word == channel.word);
        if SHOWN.iter().any(|law| tells(&law)) {
            term.channel(channel.word, &state.x, state.memory.of(term.name()), &mut values);
        }
    });
    Some(world.in_file_order(object, &values))
}

/// Returns the channels of laws that only some scenes have.
pub fn of_laws() -> impl Iterator<Item = &'static Channel> {
    OF_LAWS.iter()
}

/// Energy of the simulated objects.
#[derive(Debug)]
pub struct Energy {
    /// Name in files.
    pub word: &'static str,
    /// Description.
    pub sentence: &'static str,
    /// The value depends on the position of the origin. On its scale, other energies often look flat.
    pub placed: bool,
    /// The energy belongs to a law that only some scenes have. Files omit it if it is zero.
    pub rare: bool,
    /// Computes the value [J].
    pub joules: fn(&Energy, &World, &State) -> f64,
}

impl Energy {
    /// Creates a row whose value does not depend on the origin.
    pub const fn new(word: &'static str, sentence: &'static str, joules: fn(&Energy, &World, &State) -> f64) -> Energy {
        Energy { word, sentence, placed: false, rare: false, joules }
    }
}

/// Computes the energy of stretching and of bending cloths, with stiffness changed by water and keys [J].
fn stored(world: &World, state: &State) -> (f64, f64) {
    let mut stiffness_scale = Vec::new();
    world.soften(state, &mut stiffness_scale);
    let scales = world.scales(state);
    let keyed = scales.stiffness.each_ref().map(|list| &list[..]);
    let mut turned = Vec::new();
    world.turn(state, [state.time; 2], &mut turned);
    let mut grown = Vec::new();
    world.grow(state, &mut grown);
    world.elements.energy(Shape {
        x: &state.x,
        stiffness_scale: StiffnessScales { wet: &stiffness_scale, keyed, turned: &turned, grown: &grown },
    })
}

static ENERGIES: &[Energy] = &[
    Energy::new("kinetic", "Of motion.", |_, world, state| kinetic_energy(world, state)),
    Energy {
        placed: true,
        ..Energy::new("gravity", "Of weight, zero at the origin.", |_, world, state| weight_energy(world, state))
    },
    Energy::new("membrane", "Of stretching and shearing.", |_, world, state| stored(world, state).0),
    Energy::new("bending", "Of bending.", |_, world, state| stored(world, state).1),
    Energy::new("solid", "Of the deformation of bodies, and of what glues cloths to them.", |_, world, state| {
        world.elements.solid_energy(&state.x)
    }),
    Energy {
        rare: true,
        ..Energy::new("friction", "Done against the internal friction of cloths so far.", |_, world, state| {
            world.elements.friction_work(&state.memory)
        })
    },
];

/// Energies of laws that only some scenes have.
static RARE: LazyLock<Vec<Energy>> = LazyLock::new(|| {
    let joules = |energy: &Energy, world: &World, state: &State| {
        let mut joules = 0.0;
        world.elements.each_term(|term| {
            if term.name().word == energy.word {
                term.each_energy(&Shape::from(&state.x), state.memory.of(term.name()), &mut |_, energy| {
                    joules += energy
                });
            }
        });
        joules
    };
    let row = |law: &term::Shown| Energy { rare: true, ..Energy::new(law.name.word, law.energy, joules) };
    SHOWN.iter().map(row).collect()
});

/// Returns all energies, in the order of reports.
pub fn energies() -> impl Iterator<Item = &'static Energy> {
    ENERGIES.iter().chain(RARE.iter())
}

/// Computes the kinetic energy of the moving vertices [J].
pub fn kinetic_energy(world: &World, state: &State) -> f64 {
    let mut mass = Vec::new();
    world.masses(state, &mut mass);
    par::sum(world.moving, |v| 0.5 * mass[v] * state.v[v].norm_squared())
}

/// Computes the potential energy of gravity [J], zero at the origin.
pub fn weight_energy(world: &World, state: &State) -> f64 {
    let mut mass = Vec::new();
    world.masses(state, &mut mass);
    par::sum(world.moving, |v| -mass[v] * world.gravity.dot(&(state.x[v] + world.origin)))
}

/// A value of each energy [J].
#[derive(Clone, Debug, PartialEq)]
pub struct Energies(Vec<f64>);

impl Energies {
    /// Creates the values from a function of the row.
    pub fn new(joules: impl Fn(&Energy) -> f64) -> Energies {
        Energies(energies().map(joules).collect())
    }

    /// Returns rows and values.
    pub fn all(&self) -> impl Iterator<Item = (&'static Energy, f64)> {
        energies().zip(self.0.iter().copied())
    }

    /// Returns the value of the energy with this name; NaN if there is none.
    pub fn get(&self, word: &str) -> f64 {
        self.all().find(|(energy, _)| energy.word == word).map_or(f64::NAN, |(_, joules)| joules)
    }
}

impl Default for Energies {
    fn default() -> Energies {
        Energies::new(|_| 0.0)
    }
}

numbers! {
    /// Wall time by stage.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Stages {
        /// Candidate pairs.
        pub broad: f64 = "s" or 0.0,
        /// Contacts from candidates.
        pub narrow: f64 = "s" or 0.0,
        /// Pressures of layers of air and balloons.
        pub air: f64 = "s" or 0.0,
        /// Flow of the air.
        pub flow: f64 = "s" or 0.0,
        /// Elements, drag, handles, contacts into the system.
        pub assembly: f64 = "s" or 0.0,
        /// Linear solve.
        pub solve: f64 = "s" or 0.0,
        /// Check of the end positions, corrections, strain limits.
        pub check: f64 = "s" or 0.0,
        /// Exact test of the frame as written.
        pub verify: f64 = "s" or 0.0,
        /// Pictures.
        pub draw: f64 = "s" or 0.0,
        /// Files.
        pub write: f64 = "s" or 0.0,
    }
}

impl Stages {
    /// Returns the sum of all stages.
    pub fn total(&self) -> f64 {
        Stages::NUMBERS.iter().map(|stage| (stage.get)(self)).sum()
    }

    /// Adds the seconds of another step or frame.
    pub fn add(&mut self, other: &Stages) {
        Stages::NUMBERS.iter().for_each(|stage| (stage.set)(self, (stage.get)(self) + (stage.get)(other)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are unique, and each row has a description.
    #[test]
    fn rows_are_told_apart() {
        let energy_rows: Vec<_> = energies().map(|e| (e.word, e.sentence)).collect();
        for rows in [energy_rows] {
            for (k, (word, sentence)) in rows.iter().enumerate() {
                assert!(rows[..k].iter().all(|(other, _)| other != word) && sentence.ends_with('.'), "{word}");
            }
        }
    }
}
