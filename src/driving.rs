//! Values that are set between the frames of a simulation. They are part of its state.

use crate::effect::air::AirLayers;
use crate::effect::air::gas::Supply;
use crate::effect::pointer::pick::{Moment, Pick};
use crate::effect::pointer::{Grips, Pointers};
use crate::linalg::Vec3;
use crate::scene::cloth::Weight;
use crate::scene::{self, Fault, build};
use crate::simulation::{Error, Simulation, snapshots};
use crate::world::driven::{Factor, set};
use crate::world::glide::Glide;
use crate::world::keyed::Of;
use crate::world::{Kind, Object, Pin, Pull};
use std::ops::{Range, RangeInclusive};

/// Largest coordinate, as in scenes [m].
const FAR: f64 = 1e6;
/// Largest component of an acceleration, as in scenes [m/s^2].
const STRONG: f64 = 1e4;
/// Largest component of a speed, as in scenes [m/s].
const FAST: f64 = 1e3;
/// Bounds of a pressure, as in scenes [Pa].
const PRESSURES: RangeInclusive<f64> = 0.0..=1e7;

fn refused<T>(why: impl Into<String>) -> Result<T, Error> {
    Err(Error::Value(why.into()))
}

/// Checks vectors: their number, and that no component is larger than `most`.
fn checked(of: &str, values: &[Vec3], count: usize, most: f64) -> Result<(), Error> {
    if values.len() != count {
        return refused(format!("{of}: {} vectors are given, {count} are needed", values.len()));
    }
    let wrong = |p: &Vec3| !p.iter().all(|c| c.abs() <= most);
    match values.iter().position(wrong) {
        Some(k) => {
            let [x, y, z] = values[k].into();
            refused(format!("{of}: vector {k} is ({x}, {y}, {z}); components are finite and at most {most:e}"))
        }
        None => Ok(()),
    }
}

fn within(of: &str, value: f64, range: &RangeInclusive<f64>) -> Result<(), Error> {
    if range.contains(&value) {
        return Ok(());
    }
    refused(format!("{of} is {value}; it is to be {:e} to {:e}", range.start(), range.end()))
}

/// Returns the range of an entry in a list of all that have so many each.
fn among(counts: &[usize], index: usize) -> Option<Range<usize>> {
    let first: usize = counts.get(..index)?.iter().sum();
    Some(first..first + counts.get(index)?)
}

impl Simulation {
    /// Sets the acceleration of gravity from now on, in place of `scene.gravity` [m/s^2]. Its keys go on.
    ///
    /// # Errors
    /// A component is not finite or larger than 1e4.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), Error> {
        checked("gravity", &[gravity], 1, STRONG)?;
        // The scheme begins anew where it has the acceleration of before in its history.
        if self.state.driven.gravity.unwrap_or(self.scene.gravity) != gravity {
            self.state.last = 0.0;
        }
        self.state.driven.gravity = Some(gravity);
        self.drive();
        Ok(())
    }

    /// Sets the velocity of the wind from now on, in place of `wind.velocity` [m/s]. Gusts, times and keys go on.
    ///
    /// # Errors
    /// A component is not finite or larger than 1e3, or no cloth or body has air drag.
    pub fn set_wind(&mut self, velocity: Vec3) -> Result<(), Error> {
        checked("wind", &[velocity], 1, FAST)?;
        self.is_dragged()?;
        self.state.driven.wind = Some(velocity);
        self.drive();
        Ok(())
    }

    /// Sets the factor of a quantity from now on, in place of its `[[key]]`: that of a cloth, or of everything that has
    /// it.
    ///
    /// # Errors
    /// The factor is beyond the range of the quantity's keys, or is that of lengths at rest, which follow keys alone.
    /// No cloth has that name, or a cloth is named for gravity or wind. Or the factor is of wind or air drag, and no
    /// cloth or body has air drag; of folds, and no cloth has fold lines; or of pressure, and the cloth is no balloon.
    pub fn set_factor(&mut self, of: Of, cloth: Option<&str>, factor: f64) -> Result<(), Error> {
        let [least, most] = of.row().range;
        within("factor", factor, &(least..=most))?;
        match of {
            Of::Shrink => return refused("lengths at rest follow the scene; give it a [[key]] of \"shrink\""),
            Of::Fold if self.world.folds.is_empty() => {
                return refused("no cloth has fold lines; give the scene a [[cloth.fold]]");
            }
            Of::Wind | Of::Drag => self.is_dragged()?,
            _ => (),
        }
        let object = cloth.map(|name| self.cloth(name, of)).transpose()?;
        let own = Factor { of, object, factor };
        // The scheme begins anew where it has the acceleration of before in its history.
        if of != Of::Wind && !self.state.driven.factors.contains(&own) {
            self.state.last = 0.0;
        }
        self.state.driven.scale(own);
        self.drive();
        Ok(())
    }

    /// Sets the pressure inside the balloons of a cloth above that of the atmosphere, and holds it [Pa]. Its keys go
    /// on.
    ///
    /// # Errors
    /// No `[[balloon]]` is of that cloth, or the pressure is not between 0 and 1e7.
    pub fn set_pressure(&mut self, cloth: &str, pressure: f64) -> Result<(), Error> {
        within("pressure", pressure, &PRESSURES)?;
        let object = self.index(cloth)?;
        self.is_balloon(cloth, object)?;
        set(&mut self.state.driven.pressures, object, pressure);
        // As for gravity.
        self.state.last = 0.0;
        self.drive();
        Ok(())
    }

    /// Sets where the vertices of an obstacle are at the next frame, in file order [m]. They go there in straight lines
    /// and stay until another target is set.
    ///
    /// # Errors
    /// No obstacle has that name, there are too few or too many places, or one is not finite or beyond 1e6. Before the
    /// first frame nothing can be set.
    pub fn set_target(&mut self, obstacle: &str, places: &[Vec3]) -> Result<(), Error> {
        let object = self.index(obstacle)?;
        let Some(k) = self.world.obstacles.iter().position(|own| own.object == object) else {
            return refused(format!("'{obstacle}' is no obstacle; of cloths and bodies pins have targets"));
        };
        let own = &self.world.obstacles[k];
        checked(&format!("target of '{obstacle}'"), places, own.rest.len(), FAR)?;
        let mut start = own.rest.clone();
        own.course.place(&own.rest, self.state.now(), &mut start);
        let glide = self.glide(start, places)?;
        set(&mut self.state.driven.obstacles, k, glide);
        self.drive();
        Ok(())
    }

    /// Sets where the vertices of a pin are at the next frame, in the order of [`Simulation::pins`] [m]. They go there
    /// in straight lines and stay until another target is set, as long as the pin holds.
    ///
    /// # Errors
    /// No cloth or body has that name, it has no such pin, or the pin does not hold now. There are too few or too many
    /// places, or one is not finite or beyond 1e6. Before the first frame nothing can be set.
    pub fn set_pin_target(&mut self, object: &str, pin: usize, places: &[Vec3]) -> Result<(), Error> {
        let all = self.range(object)?;
        if pin >= all.len() {
            return refused(format!("'{object}' has {} pins, counted from 0; there is no pin {pin}", all.len()));
        }
        let (k, now) = (all.start + pin, self.state.now());
        let own = &self.world.pins[k];
        checked(&format!("target of pin {pin} of '{object}'"), places, own.vertices.len(), FAR)?;
        if !(own.from <= now && now < own.until) {
            return refused(format!("pin {pin} of '{object}' does not hold at this frame"));
        }
        let glide = self.glide(self.path(own, k), places)?;
        set(&mut self.state.driven.pins, k, glide);
        self.drive();
        Ok(())
    }

    /// Sets where the targets of a handle are at the next frame, in the order of [`Simulation::handles`] [m]. They go
    /// there in straight lines and stay until others are set, as long as the handle holds. Its spring, or the weights
    /// of a soft pin, pull the vertices after them.
    ///
    /// # Errors
    /// No cloth or body has that name, it has no such handle, or the handle is a constant force or does not hold now.
    /// There are too few or too many places, or one is not finite or beyond 1e6. Before the first frame nothing can be
    /// set.
    pub fn set_handle_target(&mut self, object: &str, handle: usize, places: &[Vec3]) -> Result<(), Error> {
        let all = self.handle_range(object)?;
        if handle >= all.len() {
            let count = all.len();
            return refused(format!("'{object}' has {count} handles, counted from 0; there is no handle {handle}"));
        }
        let k = all.start + handle;
        let own = &self.world.handles[k];
        if matches!(own.pull, Pull::Force(_)) {
            return refused(format!("handle {handle} of '{object}' is a constant force, which has no target"));
        }
        checked(&format!("target of handle {handle} of '{object}'"), places, own.pin.vertices.len(), FAR)?;
        let now = self.state.now();
        if !(own.pin.from <= now && now < own.pin.until) {
            return refused(format!("handle {handle} of '{object}' does not hold at this frame"));
        }
        let glide = self.glide(self.path(&own.pin, self.world.pins.len() + k), places)?;
        set(&mut self.state.driven.handles, k, glide);
        self.drive();
        Ok(())
    }

    /// Sets where a pointer of a cloth is in the picture at the next frame, 0 to 1 from its top left, and whether its
    /// button is down from now on. It goes there in a straight line and stays, in place of what its file has from now
    /// on. Pressed on the cloth it picks a vertex, which is returned in file order, as long as it holds one. A press
    /// beside it returns none, and is not counted in `missed`.
    ///
    /// # Errors
    /// No cloth has that name, it has no such pointer, or a coordinate is not between 0 and 1. Before the first frame
    /// nothing can be set.
    pub fn set_pointer(&mut self, cloth: &str, pointer: usize, at: [f64; 2], down: bool) -> Result<Option<u32>, Error> {
        let (k, mut pick) = self.pointer(cloth, pointer)?;
        if let Some(wrong) = at.iter().find(|c| !(0.0..=1.0).contains(*c)) {
            return refused(format!("a coordinate of the pointer is {wrong}; it is to be 0 to 1"));
        }
        let now = self.state.now();
        let until = self.glide(Vec::new(), &[])?.until;
        pick.turn(now, Moment { time: until, at, down });
        set(&mut self.state.driven.pointers, k, pick.moments.iter().map(Moment::numbers).collect());
        let before = self.state.effects.get::<Grips>().and_then(|grips| grips.0.get(k)).copied().unwrap_or_default();
        let grip = pick.grip(&self.world, &self.state.x, now, before);
        if let Some(own) = self.state.effects.get_mut::<Grips>().and_then(|grips| grips.0.get_mut(k)) {
            *own = grip;
        }
        self.drive();
        let place = &self.world.objects[pick.object].place;
        Ok(grip.vertex.and_then(|v| place.iter().position(|own| *own == v)).map(|file| file as u32))
    }

    /// Returns the vertices of each pin of a cloth or body, in file order of the object. Pins are in the order of the
    /// scene, without vertices that a weight below 1 makes soft.
    ///
    /// # Errors
    /// No cloth or body has that name.
    pub fn pins(&self, object: &str) -> Result<Vec<Vec<u32>>, Error> {
        let range = self.range(object)?;
        self.in_file(object, self.world.pins[range].iter())
    }

    /// Returns the vertices of each handle of a cloth or body, in file order of the object. First are the handles of
    /// the scene, then the soft vertices of each pin whose weights may be below 1.
    ///
    /// # Errors
    /// No cloth or body has that name.
    pub fn handles(&self, object: &str) -> Result<Vec<Vec<u32>>, Error> {
        let range = self.handle_range(object)?;
        self.in_file(object, self.world.handles[range].iter().map(|handle| &handle.pin))
    }

    /// Returns the vertices of pins in file order of their object.
    fn in_file<'a>(&self, object: &str, pins: impl Iterator<Item = &'a Pin>) -> Result<Vec<Vec<u32>>, Error> {
        let own = &self.world.objects[self.index(object)?];
        let mut files = std::collections::HashMap::new();
        own.place.iter().enumerate().rev().for_each(|(file, v)| _ = files.insert(*v, file as u32));
        let file = |v: &u32| files.get(v).copied().unwrap_or_default();
        Ok(pins.map(|pin| pin.vertices.iter().map(file).collect()).collect())
    }

    /// Returns where a pin, or the target of a handle, has its vertices now [m]. `k` is its place among the anchors.
    fn path(&self, own: &Pin, k: usize) -> Vec<Vec3> {
        match self.state.anchors.get(k) {
            Some(Some(anchors)) => {
                let carry = own.carry(self.state.now());
                anchors.iter().enumerate().map(|(k, anchor)| carry.apply(k, anchor)).collect()
            }
            _ => own.vertices.iter().map(|v| self.state.x[*v as usize]).collect(),
        }
    }

    /// Sets positions of a cloth or body, in file order [m]. Vertices that a pin holds stay. The next step begins as a
    /// run does: without history, and with the friction of contacts forgotten. Surfaces are looked at as at a start:
    /// what crosses is treated as `contact.start` says, what is nearer than it rests is eased. Returns warnings.
    ///
    /// # Errors
    /// No cloth or body has that name, there are too few or too many positions, or one is not finite or beyond 1e6. Or
    /// surfaces cross or touch there, as faults of the scene. The simulation is then as it was.
    pub fn set_positions(&mut self, object: &str, positions: &[Vec3]) -> Result<Vec<Fault>, Error> {
        let own = self.written(object)?;
        checked(&format!("positions of '{object}'"), positions, own.place.len(), FAR)?;
        let mut state = self.state.clone();
        let held = self.held();
        for (v, p) in own.place.iter().zip(positions).filter(|(v, _)| !held[**v as usize]) {
            state.x[*v as usize] = *p;
        }
        state.last = 0.0;
        state.guess.fill(Vec3::zeros());
        (state.bristles, state.offset_scale) = (Vec::new(), Vec::new());
        let written = |mut fault: Fault| {
            fault.message = fault.message.replace("at the start ", "as written ");
            fault
        };
        let reported = build::look(&self.scene, &self.file, &self.world, &mut state);
        let warnings = reported.map_err(|faults| Error::Scene(faults.into_iter().map(written).collect()))?;
        state.x_before.copy_from_slice(&state.x[..self.world.moving]);
        self.state = state;
        self.written_anew();
        Ok(warnings.into_iter().map(written).collect())
    }

    /// Sets velocities of a cloth or body, in file order and per second of the shot, as files have them [m/s]. Vertices
    /// that a pin holds keep theirs. The step that follows begins without history.
    ///
    /// # Errors
    /// No cloth or body has that name, there are too few or too many velocities, or one is not finite or beyond 1e4.
    pub fn set_velocities(&mut self, object: &str, velocities: &[Vec3]) -> Result<(), Error> {
        let own = self.written(object)?;
        checked(&format!("velocities of '{object}'"), velocities, own.place.len(), 10.0 * FAST)?;
        let held = self.held();
        for (v, velocity) in own.place.clone().iter().zip(velocities).filter(|(v, _)| !held[**v as usize]) {
            self.state.v[*v as usize] = *velocity / self.world.shot.scale;
        }
        self.state.v_before.copy_from_slice(&self.state.v[..self.world.moving]);
        self.state.last = 0.0;
        self.state.guess.fill(Vec3::zeros());
        self.written_anew();
        Ok(())
    }

    /// Returns the index of a cloth that has a quantity.
    fn cloth(&self, name: &str, of: Of) -> Result<usize, Error> {
        let object = self.index(name)?;
        if !of.row().by_cloth {
            return refused(format!("gravity and wind are those of the scene, not of '{name}'"));
        }
        if self.world.objects[object].kind != Kind::Cloth {
            return refused(format!("'{name}' is no cloth"));
        }
        if of == Of::Pressure {
            self.is_balloon(name, object)?;
        }
        Ok(object)
    }

    /// Checks that a cloth is a balloon.
    fn is_balloon(&self, name: &str, object: usize) -> Result<(), Error> {
        let airs = self.effects.get::<AirLayers>();
        if !airs.is_some_and(|airs| airs.balloons.iter().any(|balloon| balloon.cloth == object)) {
            return refused(format!("'{name}' is no balloon; give the scene a [[balloon]] of it"));
        }
        Ok(())
    }

    /// Checks that there is anything for the wind to act on.
    fn is_dragged(&self) -> Result<(), Error> {
        let elements = &self.world.elements;
        if elements.aero_surfaces.is_empty() && elements.dragged_bodies.is_empty() {
            return refused("no cloth or body has air drag, so that wind does nothing; give air_drag");
        }
        Ok(())
    }

    /// Renews what follows from positions and velocities.
    fn written_anew(&mut self) {
        self.stale = true;
        if self.frame.is_some() {
            self.snapshots = snapshots(&self.world, &self.state);
        }
        self.contacts.clear();
    }

    /// Returns which moving vertices a pin holds now.
    fn held(&self) -> Vec<bool> {
        let (mut held, now) = (vec![false; self.world.rest.len()], self.state.now());
        for pin in self.world.pins.iter().filter(|pin| pin.from <= now && now < pin.until) {
            pin.vertices.iter().for_each(|v| held[*v as usize] = true);
        }
        held
    }

    /// Returns an object whose positions may be set.
    fn written(&self, object: &str) -> Result<&Object, Error> {
        let own = &self.world.objects[self.index(object)?];
        if own.kind == Kind::Obstacle {
            return refused(format!("'{object}' is an obstacle; it moves by set_target"));
        }
        Ok(own)
    }

    fn index(&self, name: &str) -> Result<usize, Error> {
        let place = self.world.objects.iter().position(|object| object.name == name);
        place.map_or_else(|| refused(format!("no object is named '{name}'")), Ok)
    }

    /// Returns the pins of a cloth or body in the world.
    fn range(&self, object: &str) -> Result<Range<usize>, Error> {
        let index = self.index(object)?;
        let cloths = self.scene.cloths.iter().map(|cloth| cloth.pins.len());
        let counts: Vec<usize> = cloths.chain(self.scene.bodies.iter().map(|body| body.pins.len())).collect();
        among(&counts, index).map_or_else(|| refused(format!("'{object}' is an obstacle, which has no pins")), Ok)
    }

    /// Returns the handles of a cloth or body in the world.
    fn handle_range(&self, object: &str) -> Result<Range<usize>, Error> {
        let index = self.index(object)?;
        // A pin whose weights may be below 1 has a handle after all others.
        let soft = |pins: &[scene::cloth::Pin]| pins.iter().filter(|pin| pin.weight != Weight::Same(1.0)).count();
        let cloths = self.scene.cloths.iter().map(|cloth| cloth.handles.len() + soft(&cloth.pins));
        let bodies = self.scene.bodies.iter().map(|body| body.handles.len() + soft(&body.pins));
        let counts: Vec<usize> = cloths.chain(bodies).collect();
        among(&counts, index).map_or_else(|| refused(format!("'{object}' is an obstacle, which has no handles")), Ok)
    }

    /// Returns the place of a cloth's pointer among all pointers, and the pointer.
    fn pointer(&self, cloth: &str, pointer: usize) -> Result<(usize, Pick), Error> {
        let index = self.index(cloth)?;
        let all = self.world.effects.get::<Pointers>().map_or(&[][..], |all| &all.0);
        let own: Vec<(usize, &Pick)> = all.iter().enumerate().filter(|(_, pick)| pick.object == index).collect();
        let count = own.len();
        let Some((k, pick)) = own.get(pointer) else {
            return refused(format!("'{cloth}' has {count} pointers, counted from 0; there is no pointer {pointer}"));
        };
        Ok((*k, (*pick).clone()))
    }

    /// Returns the way from `start` to places at the next frame.
    fn glide(&self, start: Vec<Vec3>, places: &[Vec3]) -> Result<Glide, Error> {
        let Some(frame) = self.frame else {
            return refused("a target is that of the next frame; give out the first frame before");
        };
        let until = self.scene.time.run(frame + 1) - self.state.lag;
        Ok(Glide { from: self.state.now(), until, start, end: places.to_vec() })
    }

    /// Gives the world the values that are set. The next step has a stepper of its own.
    pub(crate) fn drive(&mut self) {
        let Simulation { undriven, effects, world, state, .. } = self;
        let driven = &state.driven;
        undriven.drive(driven, world);
        world.effects.clone_from(effects);
        if !driven.pressures.is_empty()
            && let Some(airs) = world.effects.get_mut::<AirLayers>()
        {
            for balloon in &mut airs.balloons {
                if let Ok(k) = driven.pressures.binary_search_by_key(&balloon.cloth, |(object, _)| *object) {
                    let excess = driven.pressures[k].1;
                    balloon.chamber.supply = Supply::Held { excess, duration: f64::MIN_POSITIVE };
                }
            }
        }
        if let Some(pointers) = world.effects.get_mut::<Pointers>().filter(|_| !driven.pointers.is_empty()) {
            for (k, moments) in &driven.pointers {
                if let Some(pick) = pointers.0.get_mut(*k) {
                    pick.moments = moments.iter().map(|numbers| Moment::of(*numbers)).collect();
                }
            }
        }
        self.stale = true;
    }
}
