//! `[[air_layer]]`: air between cloths and what is below them.

use super::glue::Named;
use super::keys::{Kind, choices, section};
use super::kinds::{choice, quantity};
use super::unit::Unit;
use crate::field::air::Gas;

choices! {
    /// The border of the cloth over a layer of air.
    pub enum Border {
        /// Air goes in and out below it: it has the pressure of the atmosphere.
        Open = "open",
        /// Sewn to what is below.
        Closed = "closed",
    }
}

choices! {
    /// How the air of a step is found.
    pub enum AirSolver {
        /// One symmetric system in the pressures.
        Symmetric = "symmetric",
        /// The paper's unsymmetric system in the masses of air, corrected: the same result, slower; a reference.
        Seed = "seed",
        /// The paper's system as printed, to show what is wrong with it: air that is pressed does not leave, and the speed of pressure
        /// depends on the mesh.
        SeedVerbatim = "seed_verbatim",
    }
}

section! {
    /// Air between a cloth and what is below it. It leaves through the cloth, along the gap and below its open border.
    pub struct AirLayer {
        /// Name of the cloth.
        pub cloth: String = Named(&["cloth"]).required(),
        /// Name of the body or obstacle below it, through which no air goes.
        pub body: String = Named(&["body", "obstacle"]).required(),
        /// Speed of air through the cloth under the test pressure; 0 where it is coated.
        pub permeability: f64 = quantity(Unit::Speed, 0.0..=1e3).required(),
        /// Pressure across the cloth at which the permeability was measured.
        pub test_pressure: f64 = quantity(Unit::Pressure, 1.0..=1e5).or(200.0),
        /// The border of the cloth, where it has one.
        pub border: Border = choice().or(Border::Open),
        /// Pressure of the atmosphere; 1.01 kPa is what the paper says.
        pub atmosphere: f64 = quantity(Unit::Pressure, 1.0..=1e7).or(Gas::default().pressure),
        /// Speed of pressure along the layer; with the solver "seed_verbatim", where edges are about 10 mm long.
        pub speed: f64 = quantity(Unit::Speed, 0.1..=1e4).or(Gas::default().speed),
        /// Least height of the gap that counts.
        pub least_gap: f64 = quantity(Unit::Length, 1e-6..=0.01).or(Gas::default().least),
        /// How the air of a step is found.
        pub solver: AirSolver = choice().or(AirSolver::Symmetric),
    }
}
