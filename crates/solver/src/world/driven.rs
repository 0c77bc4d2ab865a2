//! Values that a caller has set in place of those of the scene. They belong to the state: a checkpoint has them.

use super::glide::Glide;
use super::keyed::{Keyed, Of, QUANTITIES, Row, Table};
use super::motion::Motion;
use super::snapshot::{Piece, pieces};
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
    /// Factors in place of keys, those of single objects first.
    pub factors: Vec<Factor>,
    /// Excess pressure inside the balloons of cloths, by the index of the cloth's object [Pa].
    pub pressures: Vec<(usize, f64)>,
    /// Ways of pins, by their index in the world.
    pub pins: Vec<(usize, Glide)>,
    /// Ways of the targets of handles, by their index in the world.
    pub handles: Vec<(usize, Glide)>,
    /// Samples of pointers, by their index among all: time [s], point of the picture, 1 from which the button is down.
    pub pointers: Vec<(usize, Vec<[f64; 4]>)>,
    /// Ways of obstacles, by their index in the world.
    pub obstacles: Vec<(usize, Glide)>,
}

/// Factor in place of the keys of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// Quantity.
    pub of: Of,
    /// Index of the object that has it; `None` for all.
    pub object: Option<usize>,
    /// Factor.
    pub factor: f64,
}

pieces! {
    Driven { gravity, wind, factors, pressures, pins, handles, pointers, obstacles }
    Factor { of, object, factor }
}

impl Piece for Of {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u8).put(out);
    }

    fn take(from: &mut &[u8]) -> Option<Of> {
        QUANTITIES.get(usize::from(u8::take(from)?)).map(|quantity| quantity.of)
    }
}

/// Sets the value of an index in a list, in ascending order.
pub fn set<T>(list: &mut Vec<(usize, T)>, index: usize, value: T) {
    match list.binary_search_by_key(&index, |(own, _)| *own) {
        Ok(place) => list[place].1 = value,
        Err(place) => list.insert(place, (index, value)),
    }
}

/// Returns a factor that never changes.
fn constant(factor: f64) -> Keyed {
    Keyed { times: vec![0.0], factors: vec![factor] }
}

/// Values of the scene that others may stand in for.
#[derive(Clone, Debug)]
pub struct Undriven {
    gravity: Vec3,
    wind: Wind,
    keyed: Table,
    pins: Vec<Motion>,
    handles: Vec<Motion>,
    obstacles: Vec<Course>,
}

impl Undriven {
    /// Keeps the values of a world in which none is set.
    pub fn of(world: &World) -> Undriven {
        Undriven {
            gravity: world.gravity,
            wind: world.wind.clone(),
            keyed: world.keyed.clone(),
            pins: world.pins.iter().map(|pin| pin.motion.clone()).collect(),
            handles: world.handles.iter().map(|handle| handle.pin.motion.clone()).collect(),
            obstacles: world.obstacles.iter().map(|obstacle| obstacle.course.clone()).collect(),
        }
    }

    /// Gives the world the values that are set, and those of the scene for all others. Effects are left as they are.
    pub fn drive(&self, driven: &Driven, world: &mut World) {
        world.gravity = driven.gravity.unwrap_or(self.gravity) * driven.gravity_factor().unwrap_or(1.0);
        world.wind = self.wind.clone();
        if let Some(velocity) = driven.wind {
            world.wind.velocity = velocity;
        }
        let rows = driven.factors.iter().map(Factor::row).chain(self.keyed.0.iter().cloned());
        world.key(Table(rows.collect()));
        world.pins.iter_mut().zip(&self.pins).for_each(|(pin, own)| pin.motion.clone_from(own));
        world.handles.iter_mut().zip(&self.handles).for_each(|(handle, own)| handle.pin.motion.clone_from(own));
        world.obstacles.iter_mut().zip(&self.obstacles).for_each(|(obstacle, own)| obstacle.course.clone_from(own));
        for (pin, glide) in &driven.pins {
            if let Some(pin) = world.pins.get_mut(*pin) {
                pin.motion = Motion::Glide(glide.clone());
            }
        }
        for (handle, glide) in &driven.handles {
            if let Some(handle) = world.handles.get_mut(*handle) {
                handle.pin.motion = Motion::Glide(glide.clone());
            }
        }
        for (obstacle, glide) in &driven.obstacles {
            if let Some(obstacle) = world.obstacles.get_mut(*obstacle) {
                obstacle.course = Course::Glide(glide.clone());
            }
        }
    }
}

impl Factor {
    /// Returns the factor as a row that never changes. The factor of gravity is in the gravity of the world.
    fn row(&self) -> Row {
        let factor = if self.of == Of::Gravity { 1.0 } else { self.factor };
        Row { of: self.of, objects: self.object.map(|object| vec![object]), factor: constant(factor) }
    }
}

impl Driven {
    /// Returns the factor of gravity that is set.
    pub fn gravity_factor(&self) -> Option<f64> {
        self.factors.iter().find(|own| own.of == Of::Gravity).map(|own| own.factor)
    }

    /// Sets a factor in place of what it had. That of all objects takes the place of those of single ones.
    pub fn scale(&mut self, factor: Factor) {
        let same = |own: &Factor| factor.object.is_none() || own.object == factor.object;
        self.factors.retain(|own| own.of != factor.of || !same(own));
        let place = if factor.object.is_some() { 0 } else { self.factors.len() };
        self.factors.insert(place, factor);
    }

    /// Returns whether the ways are those of a world's pins, handles and obstacles.
    pub fn fits(&self, world: &World) -> bool {
        let fits = |glide: &Glide, count: usize| [glide.start.len(), glide.end.len()] == [count; 2];
        let pin = |(k, glide): &(usize, Glide)| world.pins.get(*k).is_some_and(|pin| fits(glide, pin.vertices.len()));
        let handle =
            |(k, glide): &(usize, Glide)| world.handles.get(*k).is_some_and(|own| fits(glide, own.pin.vertices.len()));
        let obstacle =
            |(k, glide): &(usize, Glide)| world.obstacles.get(*k).is_some_and(|own| fits(glide, own.rest.len()));
        self.pins.iter().all(pin)
            && self.handles.iter().all(handle)
            && self.obstacles.iter().all(obstacle)
            && self.factors.iter().all(|own| own.object.is_none_or(|object| object < world.objects.len()))
            && self.pressures.iter().all(|(object, _)| *object < world.objects.len())
    }
}
