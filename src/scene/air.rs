//! `[[air_layer]]`: air between cloths and the objects below them.

use super::Scene;
use super::balloon::balloons;
use super::build::faults::Faults;
use super::build::plug::Then;
use super::build::select;
use super::document::{Node, Value};
use super::glue::Named;
use super::json::Json;
use super::keys::{Context, Keys, Kind, choices, exactly_one, section};
use super::kinds::{Quantity, choice, quantity, tables};
use super::permeability::{Given, Permeability, pressure};
use super::place::Selector;
use super::unit::Unit;
use crate::effect::air::AirLayers;
use crate::effect::air::equation::{Gas, Method};
use crate::effect::air::layer::{self, AirInput, Along};
use crate::effect::permeability::PermeabilityLaw;
use crate::mesh::topology::Topology;
use crate::world::build::ClothInput;
use crate::world::window::Window;

choices! {
    /// The border of the cloth over a layer of air.
    pub enum Border {
        /// Air goes in and out below it: it has the pressure of the atmosphere.
        Open = "open",
        /// Sewn to the object below.
        Closed = "closed",
    }
}

choices! {
    /// How the air of a step is found.
    pub enum AirSolver {
        /// Symmetric system in the pressures.
        Symmetric = "symmetric",
        /// The paper's unsymmetric system in the masses of air, corrected: the same result, slower; a reference.
        Reference = "seed",
        /// The paper's system as printed, to show its errors: air that is pressed does not leave, and the speed of
        /// pressure depends on the mesh.
        AsPrinted = "seed_verbatim",
    }
}

choices! {
    /// Direction in which the pressure of the air pushes.
    pub enum AirForce {
        /// The line from the cloth to the nearest point below: momentum is kept, linear and angular.
        Gap = "gap",
        /// The normal of the cloth, as Eq. 3 of Chen, Feng & Wang 2013: angular momentum is lost.
        Normal = "normal",
    }
}

/// Kind of a pressure, given as a quantity or as a word.
struct Atmosphere;

impl Atmosphere {
    const WORDS: [(&'static str, f64); 2] = [("physical", 101_325.0), ("paper", 1010.0)];

    fn pressure() -> Quantity {
        quantity(Unit::Pressure, 1.0..=1e7)
    }
}

impl Kind for Atmosphere {
    type Value = f64;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<f64> {
        let word = match &node.value {
            Value::Text(text) => Atmosphere::WORDS.iter().find(|(word, _)| word == text),
            _ => None,
        };
        word.map(|(_, pressure)| *pressure).or_else(|| Atmosphere::pressure().read(cx, path, node))
    }

    fn wanted(&self) -> String {
        format!("\"physical\", \"paper\", or {}", Atmosphere::pressure().wanted())
    }

    fn schema(&self) -> Json {
        let words = Atmosphere::WORDS.iter().map(|(word, _)| Json::map([("const", Json::text(*word))])).collect();
        let words = Json::map([("type", Json::text("string")), ("oneOf", Json::List(words))]);
        Json::map([("anyOf", Json::List(vec![words, Atmosphere::pressure().schema()]))])
    }
}

section! {
    /// A place of the cloth through which air is blown in or drawn out, in place of the flow through the cloth there.
    pub struct Vent {
        /// Vertices of the vent.
        pub selector: Selector = exactly_one(),
        /// Pressure outside above that of the atmosphere; 0: a hole; below: air is drawn out.
        pub pressure: f64 = quantity(Unit::Pressure, -1e5..=1e6).required(),
        /// Period of the blows, each up to the pressure and down to nothing; constant pressure if absent.
        pub period: Option<f64> = quantity(Unit::Time, 1e-3..=1e6).optional(),
        /// Speed of air through it under 200 Pa.
        pub speed: f64 = quantity(Unit::Speed, 0.0..=1e3).or(10.0),
    }
}

section! {
    /// Air between a cloth and the object below it. It leaves through the cloth, along the gap and below its open
    /// border. A cloth may have several, each over another object, and be below others.
    pub struct AirLayer {
        /// Name of the cloth.
        pub cloth: String = Named(&["cloth"]).required(),
        /// Name of the body, obstacle or other cloth below it, through which no air goes.
        pub body: String = Named(&["body", "obstacle", "cloth"]).required(),
        /// How easily air goes through the cloth: its speed under the test pressure, 0 where it is coated; or a
        /// permeability of the library, which `percale materials` lists; or two measurements,
        /// `[{ speed, pressure }, { speed, pressure }]`, where the speed is not proportional to the pressure because
        /// the inertia of the air counts.
        pub permeability: Given = Permeability.required(),
        /// Pressure across the cloth at which the speed was measured.
        pub test_pressure: f64 = pressure().or(200.0),
        /// Pressure of objects that lie on the cloth from outside under which half as much air goes through it; they do
        /// not matter if absent.
        pub blockage: Option<f64> = quantity(Unit::Pressure, 0.1..=1e7).optional(),
        /// The border of the cloth, where it has one.
        pub border: Border = choice().or(Border::Open),
        /// Pressure of the atmosphere: "physical", 101.325 kPa; "paper", the 1.01 kPa of Chen, Feng & Wang 2013; or a
        /// pressure.
        pub atmosphere: f64 = Atmosphere.or(Gas::default().pressure),
        /// Speed of pressure along the layer; with the solver "seed_verbatim", where edges are about 10 mm long.
        pub speed: f64 = quantity(Unit::Speed, 0.1..=1e4).or(Gas::default().speed),
        /// Least height of the gap that counts.
        pub least_gap: f64 = quantity(Unit::Length, 1e-6..=0.01).or(Gas::default().least),
        /// How the air of a step is found.
        pub solver: AirSolver = choice().or(AirSolver::Symmetric),
        /// Direction in which it pushes the cloth and the object below apart.
        pub force: AirForce = choice().or(AirForce::Gap),
        /// Where air is blown in or drawn out.
        pub vents as "vent": Vec<Vent> = tables(),
    }
    check sound;
}

fn sound(air: AirLayer, keys: &mut Keys) -> Option<AirLayer> {
    if air.body == air.cloth {
        keys.fault("body", "the air is between the cloth and another object");
        return None;
    }
    air.permeability.pressure_once(keys).then_some(air)
}

impl AirLayer {
    /// Returns the permeability law of the cloth.
    pub fn through(&self) -> PermeabilityLaw {
        self.permeability.through(self.test_pressure)
    }
}

/// Returns the installer of the layers of air and balloons of a scene.
pub fn effect(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Option<Then> {
    let layers = layers(scene, cloths, faults);
    let balloons = balloons(scene, cloths, faults);
    if layers.is_empty() && balloons.is_empty() {
        return None;
    }
    Some(Box::new(move |_, world, state, _| {
        let airs = AirLayers::new(world, &layers, &balloons);
        world.plug(airs, state);
    }))
}

/// Returns all layers of air of a scene, for the cloths that were read.
fn layers(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Vec<AirInput> {
    let mut layers: Vec<AirInput> = Vec::with_capacity(scene.airs.len());
    for (k, air) in scene.airs.iter().enumerate() {
        // Cloths that could not be read are reported already.
        let Some(cloth) = cloths.iter().find(|c| c.name == air.cloth) else { continue };
        let between = |l: &AirInput| {
            let [above, below] = &l.names;
            (*above == air.cloth && *below == air.body) || (*above == air.body && *below == air.cloth)
        };
        if layers.iter().any(between) {
            let message = format!("there is a layer of air between '{}' and '{}' already", air.cloth, air.body);
            faults.fault(&format!("air_layer[{k}].body"), message);
            continue;
        }
        let below = scene.obstacles.iter().find(|o| o.name == air.body);
        if below.is_some_and(|obstacle| obstacle.window() != Window::ALWAYS) {
            let message = format!("'{}' appears or vanishes; a layer of air lies over what is always there", air.body);
            faults.fault(&format!("air_layer[{k}].body"), message);
            continue;
        }
        let topology = Topology::new(cloth.mesh.positions.len(), &cloth.mesh.joined_triangles());
        let all = 0..cloth.mesh.positions.len() as u32;
        let open = all.filter(|v| air.border == Border::Open && topology.boundary[*v as usize]).collect();
        let through = air.through();
        let mut vents = Vec::with_capacity(air.vents.len());
        for (i, vent) in air.vents.iter().enumerate() {
            match select::vertices(&vent.selector, &cloth.mesh.positions, &cloth.mesh.groups) {
                Ok(vertices) => {
                    let permeance = vent.speed / 200.0;
                    vents.push(layer::Vent {
                        vertices,
                        pressure: vent.pressure,
                        period: vent.period.unwrap_or(0.0),
                        permeance,
                    });
                }
                Err((below, message)) => faults.fault(&format!("air_layer[{k}].vent[{i}].{below}"), message),
            }
        }
        layers.push(AirInput {
            names: [air.cloth.clone(), air.body.clone()],
            gas: Gas { pressure: air.atmosphere, speed: air.speed, least: air.least_gap, ..Gas::default() },
            method: match air.solver {
                AirSolver::Symmetric => Method::Symmetric,
                AirSolver::Reference => Method::Reference,
                AirSolver::AsPrinted => Method::AsPrinted,
            },
            along: match air.force {
                AirForce::Gap => Along::Gap,
                AirForce::Normal => Along::Normal,
            },
            permeance: through.permeance,
            inertia: through.inertia,
            blockage: air.blockage.unwrap_or(f64::INFINITY),
            open,
            vents,
        });
    }
    layers
}
