//! `[[key]]`: quantities that change in time.

use super::Scene;
use super::build::faults::Faults;
use super::build::plug::Then;
use super::glue::Named;
use super::keys::{Choice, Keys, Kind, section};
use super::kinds::{choice, list, quantity, real};
use super::unit::{Unit, number};
use crate::effect::gravity::Gravity;
use crate::linalg::Vec3;
use crate::world::World;
use crate::world::build::ClothInput;
pub use crate::world::keyed::Of;
use crate::world::keyed::{Keyed, QUANTITIES, Quantity, Row, Table};

impl Choice for Of {
    const ALL: &'static [(Of, &'static str, &'static str)] = &{
        let mut all = [(Of::Gravity, "", ""); QUANTITIES.len()];
        let mut k = 0;
        while k < all.len() {
            all[k] = (QUANTITIES[k].of, QUANTITIES[k].word, QUANTITIES[k].sentence);
            k += 1;
        }
        all
    };
}

section! {
    /// A quantity that changes in time: a factor by keys, linear between them, constant before the first and after the
    /// last.
    pub struct Key {
        /// Quantity that it scales.
        pub of: Of = choice().required(),
        /// Names of the cloths whose quantity it scales; all that have it if absent. Gravity and wind have none.
        pub objects: Option<Vec<String>> = list(Named(&["cloth"]), 1..=usize::MAX).optional(),
        /// Times, ascending; the same time twice is a jump, exact where a frame ends.
        pub times: Vec<f64> = list(quantity(Unit::Time, 0.0..=1e6), 1..=usize::MAX).required(),
        /// Factor at each time. That of gravity and wind may be negative; of the others it is at least 0.
        pub factors: Vec<f64> = list(real(-1e6..=1e6), 1..=usize::MAX).required(),
    }
    check keys_fit;
}

fn keys_fit(key: Key, keys: &mut Keys) -> Option<Key> {
    let mut faults: Vec<(&str, String)> = Vec::new();
    if key.times.len() != key.factors.len() {
        let message = format!("{} factors for {} times; give one for each", key.factors.len(), key.times.len());
        faults.push(("factors", message));
    }
    let Quantity { word, range: [least, most], by_cloth, .. } = *key.of.row();
    if let Some(factor) = key.factors.iter().find(|factor| !(least..=most).contains(*factor)) {
        let [factor, least, most] = [*factor, least, most].map(number);
        let message = format!("{factor} is no factor of {word}, which is {least} to {most}");
        faults.push(("factors", message));
    }
    if key.times.windows(2).any(|pair| pair[1] < pair[0]) || key.times.windows(3).any(|three| three[2] == three[0]) {
        faults.push(("times", "must ascend; the same time twice, not more often, is a jump".to_string()));
    }
    if key.objects.is_some() && !by_cloth {
        faults.push(("objects", format!("{word} is that of the scene; leave this out")));
    }
    let fits = faults.is_empty();
    faults.into_iter().for_each(|(name, message)| keys.fault(name, message));
    fits.then_some(key)
}

impl Key {
    /// Returns whether it scales the quantity of a cloth.
    fn concerns(&self, cloth: &str) -> bool {
        self.objects.as_ref().is_none_or(|names| names.iter().any(|name| name == cloth))
    }

    /// Returns the factor, in time after the start of the run.
    fn factor(&self, scene: &Scene) -> Keyed {
        let shot = scene.time.shot();
        Keyed { times: self.times.iter().map(|t| shot.run(*t)).collect(), factors: self.factors.clone() }
    }

    /// Returns whether it scales a quantity that this key scales too.
    fn meets(&self, other: &Key) -> bool {
        let shares = |names: &Vec<String>| names.iter().any(|name| other.concerns(name));
        self.of == other.of && self.objects.as_ref().is_none_or(shares)
    }
}

impl Scene {
    /// Returns the factor of a quantity of a cloth, in time after the start of the run; `None` without keys.
    pub(super) fn keyed(&self, of: Of, cloth: &str) -> Option<Keyed> {
        self.keyed.iter().find(|key| key.of == of && key.concerns(cloth)).map(|key| key.factor(self))
    }

    /// Returns whether a cloth has a quantity that keys scale, and what it lacks otherwise.
    fn has(&self, of: Of, cloth: &str) -> Result<(), &'static str> {
        let own = self.cloths.iter().find(|own| own.name == cloth);
        let held = |balloon: &super::Balloon| balloon.cloth == cloth && balloon.pressure.is_some();
        match of {
            Of::Pressure if !self.balloons.iter().any(held) => Err("holds no pressure; give a [[balloon]] of it one"),
            Of::Drag if !self.drags(cloth) => Err("has no air drag; give it air_drag"),
            Of::Fold if own.is_none_or(|own| own.folds.is_empty()) => Err("has no fold lines; give [[cloth.fold]]"),
            Of::Shrink if own.is_none_or(|own| own.shrinks.is_empty()) => Err("does not shrink; give [[cloth.shrink]]"),
            _ => Ok(()),
        }
    }

    /// Returns whether air resists a cloth.
    pub(super) fn drags(&self, cloth: &str) -> bool {
        let own = self.cloths.iter().find(|own| own.name == cloth);
        self.airflow.is_some() || own.is_some_and(|own| own.drag() != Default::default())
    }

    /// Returns the factors of a world.
    fn table(&self, world: &World) -> Table {
        let place = |name: &String| world.objects.iter().position(|object| object.name == *name);
        let row = |key: &Key| Row {
            of: key.of,
            objects: key.objects.as_ref().map(|names| names.iter().filter_map(place).collect()),
            factor: key.factor(self),
        };
        Table(self.keyed.iter().map(row).collect())
    }
}

/// Returns the builder of keys, or `None` if there are none.
pub fn effect(scene: &Scene, _: &[ClothInput], faults: &mut Faults) -> Option<Then> {
    for (k, key) in scene.keyed.iter().enumerate() {
        check(scene, (k, key), faults);
    }
    if scene.keyed.is_empty() {
        return None;
    }
    Some(Box::new(|scene, world, state, _| {
        world.key(scene.table(world));
        if world.keyed.get(Of::Gravity, None).is_some() {
            world.plug(Gravity, state);
        }
    }))
}

/// Tells keys that meet others, and those of what is not there.
fn check(scene: &Scene, (k, key): (usize, &Key), faults: &mut Faults) {
    if scene.keyed[..k].iter().any(|other| key.meets(other)) {
        faults.fault(&format!("key[{k}].of"), "has keys already; put them into one list");
    }
    let still = scene.wind.velocity == Vec3::zeros() && scene.wind.gust == 0.0;
    if key.of == Of::Wind && still {
        faults.warn(&format!("key[{k}].of"), "there is no wind to scale; give [wind] a velocity or gusts");
    }
    for (n, name) in key.objects.iter().flatten().enumerate() {
        if let Err(lack) = scene.has(key.of, name) {
            faults.fault(&format!("key[{k}].objects[{n}]"), format!("'{name}' {lack}"));
        }
    }
    let any = scene.cloths.iter().any(|cloth| scene.has(key.of, &cloth.name).is_ok());
    if key.objects.is_none() && key.of.row().by_cloth && !any {
        let first = scene.cloths.first().map(|cloth| (&cloth.name, scene.has(key.of, &cloth.name).err().unwrap_or("")));
        let lack = first.map_or("there is none".to_string(), |(name, lack)| format!("'{name}' {lack}"));
        faults.fault(&format!("key[{k}].of"), format!("no cloth has this: {lack}"));
    }
}
