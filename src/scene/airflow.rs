//! `[airflow]`: air that flows in a box around cloths.

mod plug;

use super::keys::{Keys, Kind, choices, section};
use super::kinds::{choice, file, flag, integer, list, quantity, real, table, tables};
use super::memory::{available, words};
use super::permeability::{Given, Permeability, pressure};
use super::place::Region;
use super::unit::Unit;
pub use plug::effect;
use std::path::PathBuf;

/// Memory per cell while the flow is solved [bytes].
const CELL: u64 = 900;

choices! {
    /// Numbers that the others are of, where they are not given.
    pub enum Preset {
        /// Air at 20 degrees.
        Air = "air",
        /// Horiba et al. 2007, table 2, in centimetres and grams: 10 x 10 x 10 cells, viscosity 10 cm2/s, C1 = -0.03
        /// g/cm3, the drag as printed, semi-Lagrangian.
        Paper = "seed",
    }
}

choices! {
    /// How the air carries its velocity along.
    pub enum Advection {
        /// Second order: half of the change that a step forth and back makes is subtracted.
        MacCormack = "maccormack",
        /// First order, as in the paper: smears.
        SemiLagrangian = "semi-lagrangian",
    }
}

choices! {
    /// Boundary condition at a side of the box.
    pub enum Side {
        /// No air goes through it; along it air slips freely.
        Wall = "wall",
        /// No air goes through it, and none slips along it.
        NoSlip = "no-slip",
        /// Air goes through it freely.
        Open = "open",
    }
}

choices! {
    /// A side of the box.
    pub enum Face {
        /// At the least x.
        Left = "left",
        /// At the largest x.
        Right = "right",
        /// At the least y.
        Bottom = "bottom",
        /// At the largest y.
        Top = "top",
        /// At the least z.
        Back = "back",
        /// At the largest z.
        Front = "front",
    }
}

impl Face {
    /// Returns the number of the side: twice its axis, and 1 more at large coordinates.
    pub fn side(self) -> usize {
        match self {
            Face::Left => 0,
            Face::Right => 1,
            Face::Bottom => 2,
            Face::Top => 3,
            Face::Back => 4,
            Face::Front => 5,
        }
    }

    /// Returns the word of the side.
    pub fn name(self) -> &'static str {
        ["left", "right", "bottom", "top", "back", "front"].get(self.side()).copied().unwrap_or_default()
    }
}

choices! {
    /// Who pushes whom.
    pub enum Coupling {
        /// Air pushes cloth, and flows as if there was none, as in the paper.
        OneWay = "one-way",
        /// Cloth pushes air as well: the momentum that one gains the other loses.
        TwoWay = "two-way",
    }
}

choices! {
    /// Force of the air on cloth, by the velocity `U` of the air past it.
    pub enum DragLaw {
        /// `rho A/2 (normal |Un| Un + tangent |Ut| Ut)`.
        Split = "split",
        /// Force that drives air through the cloth, along its normal: see 'permeability'.
        Screen = "screen",
        /// Each cloth's `air_drag` and `air_drag_tangent`, as with wind.
        Linear = "linear",
        /// `C1 A (n.U) U` as the paper prints it; it feeds energy to cloth that faces the other way.
        AsPrinted = "seed",
        /// `|C1 (n.U)| A U`, which never does.
        Dissipative = "seed-fixed",
    }
}

section! {
    /// Boundary conditions at the sides of the box.
    pub struct Faces {
        /// At the least x.
        pub left: Side = choice().or(Side::Wall),
        /// At the largest x.
        pub right: Side = choice().or(Side::Wall),
        /// At the least y.
        pub bottom: Side = choice().or(Side::Wall),
        /// At the largest y.
        pub top: Side = choice().or(Side::Wall),
        /// At the least z.
        pub back: Side = choice().or(Side::Wall),
        /// At the largest z.
        pub front: Side = choice().or(Side::Wall),
    }
}

impl Faces {
    /// Returns the boundary conditions by the number of the side.
    pub fn all(&self) -> [Side; 6] {
        [self.left, self.right, self.bottom, self.top, self.back, self.front]
    }
}

section! {
    /// Where air is blown into the box, straight through one of its sides: at a speed, or as loud as a recording.
    pub struct Inlet {
        /// The side.
        pub face: Face = choice().required(),
        /// Part of the side that air is blown through, as seen straight at the side; all of it if absent. Where inlets
        /// overlap their speeds add.
        pub region as "box": Option<Region> = table().optional(),
        /// Speed of the air; below zero it is drawn out.
        pub speed: Option<f64> = quantity(Unit::Speed, -1e3..=1e3).optional(),
        /// A recording whose loudness is the speed: WAV, PCM of 8 to 32 bits or float.
        pub wav: Option<PathBuf> = file(&["wav"]).optional(),
        /// Channel of the recording, from 1.
        pub channel: u32 = integer(1..=65535).or(1),
        /// Speed at the loudness 'reference'.
        pub gain: f64 = quantity(Unit::Speed, -1e3..=1e3).or(1.0),
        /// Loudness that has the speed 'gain', full scale is 1.
        pub reference: f64 = real(1e-6..=1e3).or(1.0),
        /// Length of the windows over which the loudness is the root of the mean square.
        pub window: f64 = quantity(Unit::Time, 1e-4..=10.0).or(0.02),
        /// Speed grows with this power of the loudness: 1 as in the paper; the noise of wind itself grows with the
        /// square of the speed, 0.5.
        pub exponent: f64 = real(0.1..=4.0).or(1.0),
        /// Loudness below which there is no speed, full scale is 1.
        pub threshold: f64 = real(0.0..=1.0).or(0.0),
        /// From when on it blows; when a recording begins.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// Until when it blows.
        pub until: f64 = quantity(Unit::Time, 0.0..=1e6).or(f64::INFINITY),
    }
    check blows_once;
}

fn blows_once(inlet: Inlet, keys: &mut Keys) -> Option<Inlet> {
    match (inlet.speed, &inlet.wav) {
        (None, None) => {
            keys.lacks("give speed, or wav");
            return None;
        }
        (Some(_), Some(_)) => {
            keys.fault("wav", "conflicts with 'speed'; give one of them");
            return None;
        }
        (Some(_), None) => {
            let of_wav = ["channel", "gain", "reference", "window", "exponent", "threshold"];
            if let Some(key) = of_wav.iter().find(|key| keys.find(key).is_some()) {
                keys.fault(key, "goes with wav");
                return None;
            }
        }
        (None, Some(_)) => {}
    }
    if inlet.until <= inlet.from {
        keys.fault("until", "is not after 'from'");
        return None;
    }
    Some(inlet)
}

section! {
    /// Air that flows in a box: incompressible, around closed obstacles and bodies, past cloths. In place of [wind].
    pub struct Airflow {
        /// The box.
        pub region as "box": Region = table().required(),
        /// Cells along x, y and z.
        pub counts as "cells": Option<Vec<u32>> = list(integer(4..=256), 3..=3).optional(),
        /// Numbers that the others are of, where they are not given.
        pub preset: Preset = choice().or(Preset::Air),
        /// Kinematic viscosity [m2/s]; 1.5e-5 of air if absent.
        pub viscosity: Option<f64> = real(0.0..=1e3).optional(),
        /// Density of the air.
        pub density: f64 = quantity(Unit::Density, 1e-6..=1e4).or(1.2),
        /// How the air carries its velocity along; "maccormack" if absent.
        pub advection: Option<Advection> = choice().optional(),
        /// Boundary conditions at the sides of the box.
        pub faces: Faces = table(),
        /// Who pushes whom.
        pub coupling: Coupling = choice().or(Coupling::OneWay),
        /// Force of the air on cloth; "split" if absent.
        pub drag: Option<DragLaw> = choice().optional(),
        /// Coefficient of the law "split" along the normal: 1.2 of a plate across the wind.
        pub normal: f64 = real(0.0..=100.0).or(1.2),
        /// Coefficient of the law "split" along the surface.
        pub tangent: f64 = real(0.0..=100.0).or(0.02),
        /// Coefficient of the paper's laws [kg/m3]; -30 kg/m3 if absent.
        pub seed_constant as "C1": f64 = real(-1e6..=1e6).or(-30.0),
        /// How easily air goes through cloth under the law "screen": as in an [[air_layer]].
        pub permeability: Option<Given> = Permeability.optional(),
        /// Pressure across the cloth at which the speed was measured.
        pub test_pressure: f64 = pressure().or(200.0),
        /// Air that is blown in must have a way out: an open side. Else it leaves through the opposite side, evenly.
        pub strict: bool = flag().or(false),
        /// Where air is blown in.
        pub inlets as "inlet": Vec<Inlet> = tables(),
    }
    check sound;
}

fn sound(flow: Airflow, keys: &mut Keys) -> Option<Airflow> {
    if let Some(axis) = (0..3).find(|axis| flow.region.max[*axis] <= flow.region.min[*axis]) {
        let axis = ["x", "y", "z"].get(axis).copied().unwrap_or_default();
        keys.fault("box", format!("has no size along {axis}"));
        return None;
    }
    if flow.counts.is_none() && flow.preset == Preset::Air {
        keys.missing("cells", "missing; give the cells along x, y and z, such as [32, 32, 32]");
        return None;
    }
    let (law, screen) = (flow.law(), flow.permeability.is_some());
    if law == DragLaw::Screen && !screen {
        keys.missing("permeability", "missing; drag = \"screen\" needs it");
        return None;
    }
    if screen && law != DragLaw::Screen {
        keys.fault("permeability", "goes with drag = \"screen\"");
        return None;
    }
    for (key, laws) in [
        ("normal", &[DragLaw::Split][..]),
        ("tangent", &[DragLaw::Split]),
        ("C1", &[DragLaw::AsPrinted, DragLaw::Dissipative]),
    ] {
        if keys.find(key).is_some() && !laws.contains(&law) {
            keys.fault(key, "goes with another law of 'drag'");
            return None;
        }
    }
    let through = flow.permeability.map(|given| given.through(flow.test_pressure).permeance);
    if through == Some(0.0) {
        keys.fault("permeability", "is 0: a screen lets something through; give more, or drag = \"split\"");
        return None;
    }
    if keys.find("test_pressure").is_some() && !screen {
        keys.fault("test_pressure", "goes with drag = \"screen\"");
        return None;
    }
    if law == DragLaw::AsPrinted && flow.seed_constant > 0.0 {
        keys.warn("C1", "above 0 it feeds energy to all that moves along its normal; the paper has it below");
    }
    if law == DragLaw::AsPrinted && flow.coupling == Coupling::TwoWay {
        keys.fault("coupling", "the law \"seed\" may feed energy, which air cannot answer; give drag = \"seed-fixed\"");
        return None;
    }
    if !flow.permeability.is_none_or(|given| given.pressure_once(keys)) {
        return None;
    }
    let need = flow.cells().iter().map(|n| *n as u64).product::<u64>() * CELL;
    if let Some(there) = available().filter(|there| !keys.cx.recorded && need > *there) {
        let [need, there] = [need, there].map(words);
        keys.fault("cells", format!("need {need} of memory, {there} are there; give fewer"));
        return None;
    }
    if flow.strict && !flow.inlets.is_empty() && !flow.faces.all().contains(&Side::Open) {
        keys.fault("strict", "what is blown in has no way out: give an open side in 'faces'");
        return None;
    }
    Some(flow)
}

impl Airflow {
    /// Returns the number of cells along each axis.
    pub fn cells(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.counts.as_ref().and_then(|all| all.get(axis)).map_or(10, |n| *n as usize))
    }

    /// Returns the kinematic viscosity [m^2/s].
    pub fn kinematic(&self) -> f64 {
        self.viscosity.unwrap_or(if self.preset == Preset::Paper { 1e-3 } else { 1.5e-5 })
    }

    /// Returns the advection scheme.
    pub fn carries(&self) -> Advection {
        let usual = if self.preset == Preset::Paper { Advection::SemiLagrangian } else { Advection::MacCormack };
        self.advection.unwrap_or(usual)
    }

    /// Returns the law of the air's force on cloth.
    pub fn law(&self) -> DragLaw {
        self.drag.unwrap_or(if self.preset == Preset::Paper { DragLaw::AsPrinted } else { DragLaw::Split })
    }
}
