//! Data that the stages of one step pass to each other.

use super::keyed::Scales;
use super::yields::Dent;
use super::{State, World};
use crate::force::scheme::{Exchange, Scheme, Shape, StiffnessScales};
use crate::linalg::Vec3;

/// Spring and damper from a pinned vertex that gave way to its path.
#[derive(Clone, Copy, Debug)]
pub struct Tug {
    /// World vertex.
    pub vertex: u32,
    /// Path at the end of the step [m].
    pub path: Vec3,
    /// Displacement of the path in the step [m].
    pub way: Vec3,
    /// Stiffness [N/m].
    pub stiffness: f64,
}

/// Data of one step.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Step size [s].
    pub h: f64,
    /// Time of prescribed motion at the start of the step [s].
    pub begin: f64,
    /// Time of prescribed motion at the end of the step [s].
    pub end: f64,
    /// End time as the next step computes it from the state; differs from `end` by rounding [s].
    pub next: f64,
    /// Fraction of the pace by which prescribed motion is slowed; 1 at standstill.
    pub held: f64,
    /// Masses of the moving vertices at the start of the step [kg].
    pub mass: Vec<f64>,
    /// Effective step of the integration scheme [s].
    pub beta: f64,
    /// Effective step of each moving vertex: `h` (backward Euler) in contact [s].
    pub effective_dt: Vec<f64>,
    /// Displacement of free flight, later of the step; all vertices [m].
    pub displacement: Vec<Vec3>,
    /// Displacement of free flight; moving vertices [m].
    pub predicted: Vec<Vec3>,
    /// Positions at which laws are linearised, rotated by each component's rotation in the step; moving vertices [m].
    pub ahead: Vec<Vec3>,
    /// Displacement of free flight from `ahead`; moving vertices [m].
    pub left: Vec<Vec3>,
    /// Velocity that the rotating frame of its component adds to an unconstrained backward Euler vertex; moving
    /// vertices [m/s]. It is an error of second order.
    pub drift: Vec<Vec3>,
    /// Solution of the last step over its effective step squared, rotated with each component; moving vertices [m/s^2].
    pub guess: Vec<Vec3>,
    /// Velocity of free flight, later at the end of the step; moving vertices [m/s].
    pub velocity: Vec<Vec3>,
    /// Unknown of the linear system: displacement from free flight [m].
    pub dx: Vec<Vec3>,
    /// Solution at which laws are linearised again, about the positions that it leads to. Empty at first [m].
    pub found: Vec<Vec3>,
    /// Velocity at that solution [m/s].
    pub swift: Vec<Vec3>,
    /// Part of the forces of laws that extends them from that solution to free flight [N].
    pub extended: Vec<Vec3>,
    /// Vertices with prescribed motion.
    pub fixed: Vec<bool>,
    /// Pinned vertices that gave way, pulled toward their path.
    pub pulled: Vec<Tug>,
    /// Vertices of obstacles that gave way, with their depth at the end of the step.
    pub dents: Vec<Dent>,
    /// Prescribed vertices of each impact zone that cannot move rigidly, in a pinched step.
    pub pinched: Vec<Vec<u32>>,
    /// Vertices in contact in this step; all vertices.
    pub touched: Vec<bool>,
    /// Vertices of cloths whose strain limit acts in this step; moving vertices.
    pub limited: Vec<bool>,
    /// Largest air speed, of the wind or of the airflow [m/s].
    pub air_speed: f64,
    /// Force of flowing air on each moving vertex; empty without airflow.
    pub exchange: Vec<Exchange>,
    /// Remaining fraction of cloth stiffness at each moving vertex; empty if nothing reduces it.
    pub stiffness_scale: Vec<f64>,
    /// Factors of stiffness, friction and air drag at each moving vertex, from maps and keys.
    pub scales: Scales,
    /// Rest angle of each hinge beyond that of its rest shape; empty if all are 0 [rad].
    pub turned: Vec<f64>,
    /// Strain by which the rest shape of each triangle that yields has grown; empty if none yields.
    pub grown: Vec<Vec3>,
    /// Relative increase of friction at each moving vertex; empty if nothing changes it.
    pub roughness: Vec<f64>,
    /// Remaining fraction of permeability at each moving vertex; empty if nothing reduces it.
    pub lets_through: Vec<f64>,
}

impl Step {
    /// Returns the quantities of the step that laws read.
    pub fn scheme<'a>(&'a self, world: &World, state: &'a State) -> Scheme<'a> {
        let [velocity, v, guess] = match self.found.is_empty() {
            true => [&self.velocity, &state.v, &self.guess],
            false => [&self.swift, &self.swift, &self.left],
        };
        Scheme {
            x: &self.ahead,
            y: &self.left,
            velocity,
            v,
            guess,
            mass: &self.mass,
            beta: self.beta,
            effective_dt: &self.effective_dt,
            wind: world.wind.at(state.time + self.h),
            exchange: &self.exchange,
            drag: &self.scales.drag,
            stiffness_scale: self.stiffness_scales(),
        }
    }

    /// Returns the stiffness factors of this step.
    fn stiffness_scales(&self) -> StiffnessScales<'_> {
        let keyed = self.scales.stiffness.each_ref().map(|list| &list[..]);
        StiffnessScales { wet: &self.stiffness_scale, keyed, turned: &self.turned, grown: &self.grown }
    }

    /// Returns positions `x` with the cloth stiffness of this step.
    pub fn shape<'a>(&'a self, x: &'a [Vec3]) -> Shape<'a> {
        Shape { x, stiffness_scale: self.stiffness_scales() }
    }

    /// Returns the displacement from free flight; zero for prescribed vertices [m].
    pub fn solved(&self, v: u32) -> Vec3 {
        let v = v as usize;
        if self.fixed.get(v) == Some(&false) { self.dx[v] } else { Vec3::zeros() }
    }

    /// Returns the displacement of free flight, or the prescribed displacement [m].
    pub fn predicted(&self, v: u32) -> Vec3 {
        let v = v as usize;
        self.predicted.get(v).copied().unwrap_or(self.displacement[v])
    }
}
