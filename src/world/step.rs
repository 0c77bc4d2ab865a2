//! One step in the making: what its stages hand on to each other.

use super::yields::Dent;
use super::{State, World};
use crate::force::scheme::{Exchange, Scheme, Shape, Softness};
use crate::linalg::Vec3;

/// One step in the making.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// Its size [s].
    pub h: f64,
    /// Time of prescribed motion at its start [s].
    pub begin: f64,
    /// Time of prescribed motion at its end [s].
    pub end: f64,
    /// The same, as the step after it reads it from the state: different by rounding [s].
    pub next: f64,
    /// Part of the pace by which prescribed motion is held back.
    pub held: f64,
    /// Masses of the moving vertices at its start [kg].
    pub mass: Vec<f64>,
    /// Effective step of the scheme [s].
    pub beta: f64,
    /// Effective step of each moving vertex: `h` (backward Euler) in contact [s].
    pub betas: Vec<f64>,
    /// Displacement of free flight, then of the step; all vertices [m].
    pub moved: Vec<Vec3>,
    /// Displacement of free flight; moving vertices [m].
    pub flight: Vec<Vec3>,
    /// Positions at which laws are linearised: turned ahead with each component; moving vertices [m].
    pub ahead: Vec<Vec3>,
    /// Displacement of free flight from there; moving vertices [m].
    pub left: Vec<Vec3>,
    /// Velocity that the frame which turns with its component gives a free vertex, an error of second order; moving vertices [m/s].
    pub drift: Vec<Vec3>,
    /// Solution of the last step over its effective step squared, turned ahead; moving vertices [m/s^2].
    pub guess: Vec<Vec3>,
    /// Velocity of free flight, then at the end; moving vertices [m/s].
    pub rate: Vec<Vec3>,
    /// Unknown: displacement from free flight [m].
    pub z: Vec<Vec3>,
    /// Prescribed.
    pub fixed: Vec<bool>,
    /// Pinned vertices that are pulled toward their path: vertex, path at the end of the step and stiffness [m, N/m].
    pub pulled: Vec<(u32, Vec3, f64)>,
    /// Vertices of obstacles that gave way, as deep as they are at its end.
    pub dents: Vec<Dent>,
    /// Prescribed vertices of each zone that cannot move as one; where a step is pinched.
    pub pinched: Vec<Vec<u32>>,
    /// In contact in this step; all vertices.
    pub touched: Vec<bool>,
    /// Of a cloth whose strain limit acts in this step; moving vertices.
    pub limited: Vec<bool>,
    /// Fastest of the wind, or of the flow of the air [m/s].
    pub air_speed: f64,
    /// What flowing air does to each moving vertex; empty where none flows.
    pub exchange: Vec<Exchange>,
    /// Part of its stiffness that cloth has at each moving vertex; empty where nothing softens any.
    pub soft: Vec<f64>,
    /// Relative growth of friction at each moving vertex; empty where nothing changes any.
    pub roughness: Vec<f64>,
    /// Part of its permeability that cloth has at each moving vertex; empty where nothing blocks any.
    pub lets_through: Vec<f64>,
}

impl Step {
    /// Gives the laws what they read of the step.
    pub fn scheme<'a>(&'a self, world: &World, state: &'a State) -> Scheme<'a> {
        Scheme {
            x: &self.ahead,
            y: &self.left,
            rate: &self.rate,
            v: &state.v,
            guess: &self.guess,
            mass: &self.mass,
            beta: self.beta,
            betas: &self.betas,
            wind: world.wind.at(state.time + self.h),
            exchange: &self.exchange,
            soft: Softness(&self.soft),
        }
    }

    /// The shape of what is at `x`, as stiff as cloth is in this step.
    pub fn shape<'a>(&'a self, x: &'a [Vec3]) -> Shape<'a> {
        Shape { x, soft: Softness(&self.soft) }
    }

    /// Displacement from free flight: none of what is prescribed [m].
    pub fn solved(&self, v: u32) -> Vec3 {
        let v = v as usize;
        if self.fixed.get(v) == Some(&false) { self.z[v] } else { Vec3::zeros() }
    }

    /// Displacement of free flight, or the prescribed one [m].
    pub fn flight(&self, v: u32) -> Vec3 {
        let v = v as usize;
        self.flight.get(v).copied().unwrap_or(self.moved[v])
    }
}
