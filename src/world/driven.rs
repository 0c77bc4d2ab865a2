//! Values that a caller has set in place of those of the scene. They belong to the state: a checkpoint has them.

use super::glide::Glide;
use super::keyed::Keyed;
use super::motion::Motion;
use super::snapshot::pieces;
use super::wind::Wind;
use super::{Course, World};
use crate::linalg::Vec3;

/// Values in place of those of the scene. Without any, everything is as the scene has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Driven {
    /// Acceleration of gravity [m/s^2].
    pub gravity: Option<Vec3>,
    /// Velocity of the wind [m/s].
    pub wind: Option<Vec3>,
    /// Factor of gravity, in place of its keys.
    pub gravity_factor: Option<f64>,
    /// Factor of velocity and gusts of the wind, in place of its keys.
    pub wind_factor: Option<f64>,
    /// Excess pressure inside the balloons of cloths, by the index of the cloth's object [Pa].
    pub pressures: Vec<(usize, f64)>,
    /// Ways of pins, by their index in the world.
    pub pins: Vec<(usize, Glide)>,
    /// Ways of obstacles, by their index in the world.
    pub obstacles: Vec<(usize, Glide)>,
}

pieces! {
    Driven { gravity, wind, gravity_factor, wind_factor, pressures, pins, obstacles }
}

/// Sets the value of an index in a list, in ascending order.
pub fn set<T>(list: &mut Vec<(usize, T)>, index: usize, value: T) {
    match list.binary_search_by_key(&index, |(own, _)| *own) {
        Ok(place) => list[place].1 = value,
        Err(place) => list.insert(place, (index, value)),
    }
}

/// Returns a factor that never changes.
pub fn constant(factor: f64) -> Keyed {
    Keyed { times: vec![0.0], factors: vec![factor] }
}

/// Values of the scene that others may stand in for.
#[derive(Clone, Debug)]
pub struct Undriven {
    gravity: Vec3,
    wind: Wind,
    pins: Vec<Motion>,
    obstacles: Vec<Course>,
}

impl Undriven {
    /// Keeps the values of a world in which none is set.
    pub fn of(world: &World) -> Undriven {
        Undriven {
            gravity: world.gravity,
            wind: world.wind.clone(),
            pins: world.pins.iter().map(|pin| pin.motion.clone()).collect(),
            obstacles: world.obstacles.iter().map(|obstacle| obstacle.course.clone()).collect(),
        }
    }

    /// Gives the world the values that are set, and those of the scene for all others. Effects are left as they are.
    pub fn drive(&self, driven: &Driven, world: &mut World) {
        world.gravity = driven.gravity.unwrap_or(self.gravity) * driven.gravity_factor.unwrap_or(1.0);
        world.wind = self.wind.clone();
        if let Some(velocity) = driven.wind {
            world.wind.velocity = velocity;
        }
        if let Some(factor) = driven.wind_factor {
            world.wind.factor = constant(factor);
        }
        world.pins.iter_mut().zip(&self.pins).for_each(|(pin, own)| pin.motion.clone_from(own));
        world.obstacles.iter_mut().zip(&self.obstacles).for_each(|(obstacle, own)| obstacle.course.clone_from(own));
        for (pin, glide) in &driven.pins {
            if let Some(pin) = world.pins.get_mut(*pin) {
                pin.motion = Motion::Glide(glide.clone());
            }
        }
        for (obstacle, glide) in &driven.obstacles {
            if let Some(obstacle) = world.obstacles.get_mut(*obstacle) {
                obstacle.course = Course::Glide(glide.clone());
            }
        }
    }
}

impl Driven {
    /// Returns whether the ways are those of a world's pins and obstacles.
    pub fn fits(&self, world: &World) -> bool {
        let fits = |glide: &Glide, count: usize| [glide.start.len(), glide.end.len()] == [count; 2];
        let pin = |(k, glide): &(usize, Glide)| world.pins.get(*k).is_some_and(|pin| fits(glide, pin.vertices.len()));
        let obstacle =
            |(k, glide): &(usize, Glide)| world.obstacles.get(*k).is_some_and(|own| fits(glide, own.rest.len()));
        self.pins.iter().all(pin)
            && self.obstacles.iter().all(obstacle)
            && self.pressures.iter().all(|(object, _)| *object < world.objects.len())
    }
}
