//! `[[wet]]` and `[wet_contact]` as a world takes them.

use super::faults::Faults;
use crate::field::water::Fabric;
use crate::force::bridge::{Law, Settings, WATER};
use crate::scene::Scene;
use crate::scene::unit::rounded;
use crate::scene::wet::{BridgeLaw, Rim, Where};
use crate::world::wet::{Place, Source, Wet, WetInput};
use crate::world::{State, World};

/// Parts of `h_max` beyond which the distance of contact keeps bridges from what holds them.
const FAR: f64 = 0.5;

/// Tells of cloths that are wet twice, and of settings that do nothing.
pub fn check(scene: &Scene, faults: &mut Faults) {
    for (k, wet) in scene.wets.iter().enumerate() {
        if scene.wets.iter().take(k).any(|other| other.cloth == wet.cloth) {
            faults.fault(&format!("wet[{k}].cloth"), format!("'{}' has a [[wet]] already", wet.cloth));
        }
        let draws = scene.wet_contact.law == BridgeLaw::Volume;
        if draws && wet.film == 0.0 {
            faults.warn(
                &format!("wet[{k}].film"),
                "nothing clings: with law = \"volume\" bridges are made of the film, and there is none",
            );
        }
        let end = scene.time.of(scene.time.last_frame());
        for (s, source) in wet.sources.iter().enumerate() {
            if source.from >= end {
                let message = format!("{} s is not before the last frame, at {end} s: no water comes", source.from);
                faults.warn(&format!("wet[{k}].source[{s}].from"), message);
            }
            if matches!(&source.place, Where::On(name) if *name == wet.cloth) {
                faults
                    .warn(&format!("wet[{k}].source[{s}].object"), "is the cloth itself: it wets what touches itself");
            }
        }
        if wet.blocks != 0.0 && !scene.airs.iter().any(|layer| layer.cloth == wet.cloth) {
            faults.warn(&format!("wet[{k}].blocks"), "does nothing without an [[air_layer]] of this cloth");
        }
        if !wet.soaked && wet.saturation == 0.0 && wet.sources.is_empty() {
            let message = format!("'{}' stays dry: give soaked, saturation, or a [[wet.source]]", wet.cloth);
            faults.warn(&format!("wet[{k}]"), message);
        }
    }
    if !scene.wets.is_empty() && !scene.contact.enabled {
        faults.warn("contact.enabled", "nothing clings without contact");
    }
    if !scene.wets.is_empty() && scene.contact.enabled && scene.contact.epsilon.is_some() {
        faults.warn("contact.method", "nothing clings: the vertex test has no contacts that bridges form of");
    }
    if !scene.contact.self_contact && scene.wet_contact.self_adhesion == Some(true) {
        faults
            .warn("wet_contact.self", "a cloth that does not touch itself does not cling to itself; see contact.self");
    }
    let (contact, distance) = (&scene.wet_contact, scene.largest_distance());
    if !scene.wets.is_empty() && contact.law != BridgeLaw::Volume && distance > FAR * contact.h_max {
        let [most, mm] = [FAR * contact.h_max, distance].map(|m| m * 1e3);
        let message = format!(
            "{} mm keeps wet cloth where bridges of {} mm hardly hold it; give at most {} mm",
            rounded(mm),
            rounded(contact.h_max * 1e3),
            rounded(most)
        );
        faults.warn("contact.distance", message);
    }
    if let Some(form) = contact.form.filter(|form| *form > distance) {
        let message = format!(
            "bridges form where contact acts: {} mm counts as contact.distance, {} mm",
            rounded(form * 1e3),
            rounded(distance * 1e3)
        );
        faults.warn("wet_contact.form", message);
    }
}

/// Wets the cloths of a world.
pub fn wet(scene: &Scene, world: &mut World, state: &mut State, faults: &mut Faults) {
    if scene.wets.is_empty() {
        return;
    }
    let inputs: Vec<WetInput> = scene
        .wets
        .iter()
        .map(|wet| {
            let [capacity, time] = wet.fabric.uptake();
            WetInput {
                cloth: wet.cloth.clone(),
                fabric: Fabric {
                    capacity: wet.capacity.unwrap_or(capacity),
                    time: wet.uptake.unwrap_or(time) / wet.time_scale,
                    film: wet.film,
                    wicking: wet.wicking,
                    drying: wet.drying,
                    friction: wet.friction,
                    stiffness: wet.stiffness,
                    blocks: wet.blocks,
                },
                saturation: if wet.soaked { 1.0 } else { wet.saturation },
                filmed: wet.soaked,
            }
        })
        .collect();
    world.wet(&inputs, settings(scene), state);
    let object = |name: &str| world.objects.iter().position(|object| object.name == name);
    let mut sources = Vec::new();
    for (cloth, wet) in scene.wets.iter().enumerate() {
        for source in &wet.sources {
            let place = match &source.place {
                Where::Inside(region) => Place::Inside(region.min - world.origin, region.max - world.origin),
                Where::Everywhere => Place::Everywhere,
                Where::On(name) => match object(name) {
                    Some(object) => Place::On(object),
                    None => continue,
                },
            };
            let (from, until) = (world.shot.from(source.from), world.shot.run(source.until));
            sources.push(Source { cloth, place, from, until, velocity: source.velocity });
        }
    }
    if let Some(wet) = &mut world.wet {
        wet.sources = sources;
        tell_of_heights(scene, wet, faults);
    }
}

/// Warns where no bridge of constant volume is as high as the gap that it is to bridge.
fn tell_of_heights(scene: &Scene, wet: &Wet, faults: &mut Faults) {
    let fullest = wet.cloths.iter().flat_map(|cloth| (0..cloth.dry.len()).map(|k| 0.5 * cloth.most_film(k) / WATER));
    let volume = fullest.fold(0.0, f64::max);
    let highest = wet.bridges.rupture(volume);
    if !wet.bridges.draws() || volume == 0.0 {
        return;
    }
    let mm = |m: f64| format!("{} mm", rounded(m * 1e3));
    let lowest = scene.largest_distance() * FAR;
    for (key, least) in [("wet_contact.film_height", wet.bridges.film), ("contact.distance", lowest)] {
        if least >= highest {
            let message =
                format!("nothing clings: the film makes bridges of at most {}; give less, or more film", mm(highest));
            faults.warn(key, message);
        }
    }
}

fn settings(scene: &Scene) -> Settings {
    let contact = &scene.wet_contact;
    let law = match contact.law {
        BridgeLaw::Volume => Law::Volume,
        BridgeLaw::Text => Law::Text,
        BridgeLaw::Experiments => Law::Experiments,
        BridgeLaw::Area => Law::Area,
    };
    let water = Settings::water(law);
    Settings {
        law,
        tension: contact.gamma,
        scale: contact.scale,
        highest: contact.h_max,
        form: contact.form.unwrap_or(scene.largest_distance().max(water.form)),
        film: contact.film_height,
        angles: [0, 1].map(|k| contact.angle.get(k).copied().unwrap_or_default()),
        all_rims: contact.rim == Rim::All,
        to_itself: contact.self_adhesion.unwrap_or(law != Law::Area),
        viscosity: contact.viscosity,
    }
}
