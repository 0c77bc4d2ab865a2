//! `[[wet]]` and `[wet_contact]`: water in cloths, and liquid bridges.

use super::Scene;
use super::build::faults::Faults;
use super::build::plug::Then;
use super::glue::Named;
use super::keys::{Keys, Kind, choices, exactly_one, one_of, section};
use super::kinds::{choice, flag, list, quantity, real, table, tables, vector, yes};
use super::place::Region;
use super::unit::{Unit, rounded};
use crate::effect::water::bridge::{self, Law, Settings, WATER};
use crate::effect::water::capillary;
use crate::effect::water::cloths::{self, Place, WetInput};
use crate::linalg::Vec3;
use crate::world::build::ClothInput;
use crate::world::{State, World};

choices! {
    /// Fabric whose uptake of water was measured (Chen, Xu & Wu 2004, as Park & Byun quote it).
    pub enum Fabric {
        /// Cotton: 0.84 kg/kg, 8.884 min.
        Cotton = "cotton",
        /// Coarse wool: 1.24 kg/kg, 4.8936 min.
        CoarseWool = "coarse_wool",
        /// A high-absorption fabric: 2.492 kg/kg, 3.3803 min.
        HighAbsorption = "high_absorption",
    }
}

impl Fabric {
    /// Returns the capacity `B` [kg/kg] and the uptake time `c` [s].
    pub fn uptake(self) -> [f64; 2] {
        let [capacity, minutes] = match self {
            Fabric::Cotton => [0.84, 8.884],
            Fabric::CoarseWool => [1.24, 4.8936],
            Fabric::HighAbsorption => [2.492, 3.3803],
        };
        [capacity, 60.0 * minutes]
    }
}

one_of! {
    /// Where water is.
    pub enum Where {
        /// In a box.
        Inside(Region) = "box": table(),
        /// On an object: where the cloth touches it.
        On(String) = "object": Named(&["obstacle", "body", "cloth"]),
        /// All over the cloth.
        Everywhere = "everywhere": yes(),
    }
}

section! {
    /// Where and when water joins a cloth.
    pub struct Source {
        /// Place of the water.
        pub place: Where = exactly_one(),
        /// From when on.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// Until when.
        pub until: f64 = quantity(Unit::Time, 0.0..=1e6).or(f64::INFINITY),
        /// Velocity of the water, which the cloth that it joins takes a part of; with the cloth if absent.
        pub velocity: Option<Vec3> = vector(Unit::Speed, 1e3).optional(),
    }
}

section! {
    /// Water in a cloth: it weighs, and it clings to the surfaces that the cloth touches.
    pub struct Wet {
        /// Name of the cloth.
        pub cloth: String = Named(&["cloth"]).required(),
        /// Whether it begins with all the water that it takes up, and with a full film on both sides.
        pub soaked: bool = flag().or(false),
        /// Part of the water that it takes up with which it begins, without a film.
        pub saturation: f64 = quantity(Unit::Ratio, 0.0..=1.0).or(0.0),
        /// Fabric of the cloth.
        pub fabric: Fabric = choice().or(Fabric::Cotton),
        /// Water that a kilogram of it takes up [kg]; that of the fabric if absent.
        pub capacity as "B": Option<f64> = real(1e-3..=100.0).optional(),
        /// Time in which it takes up all but 1/e of that; that of the fabric if absent.
        pub uptake as "c": Option<f64> = quantity(Unit::Time, 1e-3..=1e6).optional(),
        /// Factor of the speed at which it takes up water: 60 shows minutes in seconds.
        pub time_scale: f64 = real(1e-3..=1e6).or(1.0),
        /// Water that a side of it holds as a film, of which bridges are made.
        pub film: f64 = quantity(Unit::AreaDensity, 0.0..=10.0).or(0.1),
        /// Diffusivity of the saturation along the cloth [m2/s]: water wicks.
        pub wicking: f64 = real(0.0..=1.0).or(0.0),
        /// Water that evaporates from it where none is supplied, that of bridges last [kg/(m2 s)].
        pub drying: f64 = real(0.0..=1.0).or(0.0),
        /// Friction of its surface when it is full of water, in units of that when it is dry.
        pub friction: f64 = real(0.0..=100.0).or(1.0),
        /// Stiffness of the cloth when it is full of water, in units of that when it is dry: wet fibres are softer.
        /// That of internal friction stays.
        pub stiffness: f64 = quantity(Unit::Ratio, 0.01..=1.0).or(1.0),
        /// Exponent p: at the saturation S the cloth lets through the part (1 - S)^p of the air that it does dry. 0: as
        /// dry.
        pub blocks: f64 = real(0.0..=100.0).or(0.0),
        /// Where water comes from.
        pub sources as "source": Vec<Source> = tables(),
    }
    check sound;
}

fn sound(wet: Wet, keys: &mut Keys) -> Option<Wet> {
    if wet.soaked && keys.find("saturation").is_some() {
        keys.fault("saturation", "conflicts with 'soaked', which is all the water the cloth takes up; leave one out");
        return None;
    }
    for (k, source) in wet.sources.iter().enumerate() {
        if source.until <= source.from {
            keys.fault_in("source", k, "until", "is not after 'from'");
            return None;
        }
    }
    Some(wet)
}

choices! {
    /// Law for the pull of a liquid bridge as a function of its height.
    pub enum BridgeLaw {
        /// A constant volume, drawn from the film, and constant angles: it pulls less as it is drawn out, and breaks.
        Volume = "volume",
        /// Park & Byun, section 3.2.1: angles grow from 0.001 to 90 degrees at `h_max`.
        Text = "paper-3.2",
        /// Park & Byun, section 4.1: angles fall from 90 to 0.001 degrees at `h_max`.
        Experiments = "paper-4.1",
        /// The rival of their figure 5: one pull for all of a contact, by its area and mean height, shared equally.
        Area = "area",
    }
}

choices! {
    /// Places where the surface tension of a bridge's rim pulls.
    pub enum Rim {
        /// At the border of the wetted area: the sum over a surface does not depend on the mesh.
        Border = "border",
        /// At every vertex, as the paper has it.
        All = "all",
    }
}

section! {
    /// Liquid bridges between wet cloths and the surfaces that they touch.
    pub struct WetContact {
        /// How the pull depends on the height.
        pub law: BridgeLaw = choice().or(BridgeLaw::Volume),
        /// Surface tension.
        pub gamma: f64 = quantity(Unit::Stiffness, 0.0..=10.0).or(bridge::Settings::water(bridge::Law::Volume).tension),
        /// Factor of the pull.
        pub scale: f64 = real(0.0..=1e3).or(1.0),
        /// Height at which a bridge of the paper's laws breaks.
        pub h_max: f64 = quantity(Unit::Length, 1e-5..=0.1).or(1e-3),
        /// Gap up to which one forms; where contact acts, but at least 0.1 mm, if absent.
        pub form: Option<f64> = quantity(Unit::Length, 1e-6..=0.1).optional(),
        /// Height of the film of water: lower bridges pull as if they were so high.
        pub film_height: f64 = quantity(Unit::Length, 1e-6..=0.01).or(1e-4),
        /// Contact angles of the law "volume" with the cloth and with the surface.
        pub angle: Vec<f64> = list(quantity(Unit::Angle, 0.0..=std::f64::consts::PI), 2..=2).or(vec![0.0; 2]),
        /// Where the rim pulls.
        pub rim: Rim = choice().or(Rim::Border),
        /// A cloth clings to itself.
        pub self_adhesion as "self": Option<bool> = flag().optional(),
        /// Viscosity of the water that is squeezed out or drawn in [Pa s]; 0: none, as the paper.
        pub viscosity: f64 = real(0.0..=10.0).or(1e-3),
    }
    check bridges_fit;
}

fn bridges_fit(contact: WetContact, keys: &mut Keys) -> Option<WetContact> {
    let paper = contact.law != BridgeLaw::Volume;
    if paper && keys.find("angle").is_some() {
        keys.fault("angle", "goes with law = \"volume\"; the paper's laws have angles of their own");
        return None;
    }
    if !paper && keys.find("h_max").is_some() {
        keys.fault("h_max", "goes with the paper's laws; with \"volume\" a bridge breaks by its volume");
        return None;
    }
    if contact.form.is_some_and(|form| paper && form > contact.h_max) {
        keys.fault("form", "is beyond 'h_max', where a bridge breaks");
        return None;
    }
    if paper && contact.film_height >= contact.h_max {
        keys.fault("film_height", "is not below 'h_max', where a bridge breaks");
        return None;
    }
    if contact.law == BridgeLaw::Area && contact.self_adhesion == Some(true) {
        keys.fault("self", "goes with a law by vertex; the area of a cloth on itself is not defined");
        return None;
    }
    let cosines: f64 = contact.angle.iter().map(|angle| angle.cos()).sum();
    if cosines < 0.0 {
        keys.warn("angle", "their cosines sum to less than zero: such bridges push surfaces apart");
    }
    Some(contact)
}

/// Largest activation distance, in units of `h_max`, at which contact still lets bridges act.
const FAR: f64 = 0.5;

/// Records faults of cloths that are wet twice, and warns of settings without effect.
fn check(scene: &Scene, faults: &mut Faults) {
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

/// Returns the builder of the scene's wet cloths, or `None` if it has none.
pub fn effect(scene: &Scene, _: &[ClothInput], faults: &mut Faults) -> Option<Then> {
    check(scene, faults);
    if scene.wets.is_empty() { None } else { Some(Box::new(wet)) }
}

/// Adds the wet cloths to a world.
fn wet(scene: &Scene, world: &mut World, state: &mut State, faults: &mut Faults) {
    let inputs: Vec<WetInput> = scene
        .wets
        .iter()
        .map(|wet| {
            let [capacity, time] = wet.fabric.uptake();
            WetInput {
                cloth: wet.cloth.clone(),
                fabric: capillary::Fabric {
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
    let mut all = cloths::Wet::new(world, &inputs, settings(scene));
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
            sources.push(cloths::Source { cloth, place, from, until, velocity: source.velocity });
        }
    }
    all.sources = sources;
    tell_of_heights(scene, &all, faults);
    world.plug(all, state);
}

/// Warns if bridges of constant volume break below the film height, or below `FAR` times the activation distance.
fn tell_of_heights(scene: &Scene, wet: &cloths::Wet, faults: &mut Faults) {
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
