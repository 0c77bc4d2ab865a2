//! `[airflow]`: conversion to flowing air in a world.

use super::{Advection, Coupling, DragLaw, Side};
use crate::effect::airflow::domain::{Airflow, Blow, Blower, closed};
use crate::effect::airflow::resistance::Resistance;
use crate::effect::airflow::solver::Fluid;
use crate::effect::airflow::solver::advect::Advection as Carried;
use crate::effect::airflow::solver::bounds::{self, Bounds, Inlet, faces_of};
use crate::effect::airflow::solver::grid::Grid;
use crate::effect::airflow::solver::solid::Solids;
use crate::force::drag::Drag;
use crate::linalg::Vec3;
use crate::scene::Scene;
use crate::scene::build::faults::Faults;
use crate::scene::build::plug::Then;
use crate::scene::wav::{Hearing, Recording};
use crate::world::build::ClothInput;
use crate::world::shot::Shot;
use crate::world::{Kind, State, World};

/// Largest speed of an inlet [m/s].
const FASTEST: f64 = 1e3;

/// Reports settings that conflict with flowing air, or have no effect.
fn check(scene: &Scene, faults: &mut Faults) {
    let Some(flow) = &scene.airflow else {
        let useless = [("output.flow", scene.output.flow > 0), ("preview.airflow", scene.preview.airflow.is_some())];
        for (key, _) in useless.iter().filter(|(_, given)| *given) {
            faults.warn(key, "does nothing without [airflow]");
        }
        return;
    };
    if scene.wind.velocity != Vec3::zeros() || scene.wind.gust != 0.0 {
        faults.fault("wind", "conflicts with [airflow], whose inlets make the wind; leave one out".to_string());
    }
    let dragged = |cloth: &crate::scene::Cloth| cloth.drag() != Drag::default();
    if flow.law() == DragLaw::Linear && !scene.cloths.iter().any(dragged) {
        faults.warn("airflow.drag", "no cloth has air_drag: air does nothing to any");
    }
    if flow.law() == DragLaw::AsPrinted {
        let message = "as printed this law feeds energy to cloth of one of two orientations, without an end; \"seed-fixed\" and \"split\" never do";
        faults.warn("airflow.drag", message);
    }
    if scene.preview.airflow.is_some() && scene.output.flow != 1 {
        let message = "percale render draws arrows only where output.flow has written the air; give 1 for all frames";
        faults.warn("preview.airflow", message);
    }
    for (k, cloth) in scene.cloths.iter().enumerate() {
        if flow.law() != DragLaw::Linear && cloth.drag() != Drag::default() {
            let key = if cloth.drag().normal != 0.0 { "air_drag" } else { "air_drag_tangent" };
            faults
                .warn(&format!("cloth[{k}].{key}"), "does nothing where air flows, but with airflow.drag = \"linear\"");
        }
    }
    let end = scene.time.of(scene.time.last_frame());
    for (k, inlet) in flow.inlets.iter().enumerate() {
        check_inlet(flow, (inlet, &format!("airflow.inlet[{k}]")), end, faults);
    }
    if let Some((slice, at)) = scene.preview.airflow.as_ref().and_then(|slice| Some((slice, slice.at?))) {
        let axis = slice.axis.number();
        let [low, high] = [flow.region.min[axis], flow.region.max[axis]];
        if !(low..=high).contains(&at) {
            let message =
                format!("{at} m is outside the air's box, from {low} to {high} m; arrows are of its nearest cells");
            faults.warn("preview.airflow.at", message);
        }
    }
    // The paper's box has no open side.
    let paper = flow.preset == super::Preset::Paper;
    if !paper && !flow.inlets.is_empty() && !flow.faces.all().contains(&Side::Open) {
        let message = "what is blown in leaves through the opposite side, evenly: no side of the box is open";
        faults.warn("airflow.faces", message);
    }
}

/// Reports an inlet that blows after the `end` of the run [s], or whose box is not at its side.
fn check_inlet(flow: &super::Airflow, (inlet, key): (&super::Inlet, &str), end: f64, faults: &mut Faults) {
    if inlet.from >= end {
        let message = format!("{} s is not before the last frame, at {end} s: nothing is blown in", inlet.from);
        faults.warn(&format!("{key}.from"), message);
    }
    // A box may be drawn on the side by hand, so offsets up to a cell are accepted.
    let (side, axis) = (inlet.face.side(), inlet.face.side() / 2);
    let [low, high] = [flow.region.min[axis], flow.region.max[axis]];
    let (at, cell) = (if side.is_multiple_of(2) { low } else { high }, (high - low) / flow.cells()[axis] as f64);
    if let Some(own) = inlet.region.as_ref().filter(|own| own.min[axis] > at + cell || own.max[axis] < at - cell) {
        let (word, axis) = (inlet.face.name(), ["x", "y", "z"][axis]);
        let message = format!(
            "is from {axis} = {} to {} m, the {word} side at {at} m; air comes in through the side, where the box is seen straight at it",
            own.min[side / 2],
            own.max[side / 2]
        );
        faults.warn(&format!("{key}.box"), message);
    }
}

/// Checks the flowing air of a scene and returns its installer.
pub fn effect(scene: &Scene, _: &[ClothInput], faults: &mut Faults) -> Option<Then> {
    check(scene, faults);
    scene.airflow.as_ref().map(|_| Box::new(blow) as Then)
}

/// Adds flowing air to a world.
fn blow(scene: &Scene, world: &mut World, state: &mut State, faults: &mut Faults) {
    let Some(flow) = &scene.airflow else { return };
    let [low, high] = [flow.region.min, flow.region.max].map(|p| p - world.origin);
    let grid = Grid::new(low, high, flow.cells());
    let mut inlets = Vec::with_capacity(flow.inlets.len());
    for (k, inlet) in flow.inlets.iter().enumerate() {
        let side = inlet.face.side();
        let within = |face: &usize| {
            let p = grid.face_centre(side / 2, *face) + world.origin;
            let inside = |axis: usize, r: &crate::scene::place::Region| (r.min[axis]..=r.max[axis]).contains(&p[axis]);
            inlet.region.as_ref().is_none_or(|r| (0..3).all(|axis| axis == side / 2 || inside(axis, r)))
        };
        let faces: Vec<usize> = faces_of(&grid, side).filter(within).collect();
        if faces.is_empty() {
            let message = format!("no cell of the {} side has its middle in the box", inlet.face.name());
            faults.fault(&format!("airflow.inlet[{k}].box"), message);
            continue;
        }
        let Some(blow) = recorded(inlet, k, &world.shot, faults) else { continue };
        inlets.push(Blower { inlet: Inlet { side, faces }, blow });
    }
    let through = flow.permeability.map(|given| given.through(flow.test_pressure));
    let airflow = Airflow {
        grid,
        sides: flow.faces.all().map(|side| match side {
            Side::Wall => bounds::Side::Wall,
            Side::NoSlip => bounds::Side::NoSlip,
            Side::Open => bounds::Side::Open,
        }),
        fluid: Fluid {
            viscosity: flow.kinematic(),
            density: flow.density,
            advection: match flow.carries() {
                Advection::MacCormack => Carried::MacCormack,
                Advection::SemiLagrangian => Carried::SemiLagrangian,
            },
        },
        inlets,
        resistance: match (flow.law(), through) {
            (DragLaw::Linear, _) => Resistance::Linear,
            (DragLaw::AsPrinted, _) => Resistance::AsPrinted(flow.seed_constant),
            (DragLaw::Dissipative, _) => Resistance::Dissipative(flow.seed_constant),
            (DragLaw::Screen, Some(through)) => {
                Resistance::Screen { friction: 1.0 / through.permeance, inertia: through.inertia }
            }
            (DragLaw::Split | DragLaw::Screen, _) => Resistance::Split { normal: flow.normal, tangent: flow.tangent },
        },
        two_way: flow.coupling == Coupling::TwoWay,
        solids: Vec::new(),
    };
    tell(world, state, &airflow, faults);
    airflow.blow(world, state);
    tell_of_ways(flow.strict, world, state, faults);
}

/// Reports solids that no cell resolves, inlets that solids cover, and air that has no way out.
fn tell_of_ways(strict: bool, world: &World, state: &State, faults: &mut Faults) {
    let Some(airflow) = world.effects.get::<Airflow>() else { return };
    let grid = &airflow.grid;
    let (mut solids, mut bounds) = (Solids::default(), Bounds::default());
    for k in &airflow.solids {
        let alone = Airflow { solids: vec![*k], ..airflow.clone() };
        alone.find_solids(world, (&state.x, state.now()), |_| Vec3::zeros(), &mut solids);
        let object = &world.objects[*k];
        let near = object.place.iter().any(|v| grid.contains(&state.x[*v as usize]));
        if near && world.there(*k, state.now()) && !solids.cells.iter().any(Option::is_some) {
            let message = format!("air flows through '{}': it has the middle of no cell inside", object.name);
            faults.warn("airflow.cells", message);
        }
    }
    airflow.find_solids(world, (&state.x, state.now()), |_| Vec3::zeros(), &mut solids);
    if solids.cells.iter().all(Option::is_some) {
        faults.warn("airflow.box", "no air flows: all of it is inside something solid at the start");
    }
    bounds.find(grid, &airflow.sides, &[], &solids.cells);
    for (k, Blower { inlet, .. }) in airflow.inlets.iter().enumerate() {
        let covered = |face: &usize| solids.cells[bounds::inside(grid, inlet.side, *face)].is_some();
        if inlet.faces.iter().all(covered) {
            faults.warn(&format!("airflow.inlet[{k}]"), "something solid covers it at the start");
        }
        inlet.faces.iter().for_each(|face| bounds.free[inlet.side / 2][*face] = false);
    }
    let out = |side: usize| faces_of(grid, side).any(|face| bounds.free[side / 2][face]);
    if strict && !airflow.inlets.is_empty() && !(0..6).any(out) {
        let message = "what is blown in has no way out: inlets or solids cover all that is open";
        faults.fault("airflow.strict", message.to_string());
    }
}

/// Returns the speed of an inlet over time. Reports an unusable recording and returns `None`.
fn recorded(inlet: &super::Inlet, k: usize, shot: &Shot, faults: &mut Faults) -> Option<Blow> {
    let Some(path) = &inlet.wav else {
        return Some(Blow::Steady(inlet.speed.unwrap_or_default(), [shot.from(inlet.from), shot.run(inlet.until)]));
    };
    let key = |key: &str| format!("airflow.inlet[{k}].{key}");
    let hearing = Hearing {
        window: inlet.window,
        gain: inlet.gain,
        reference: inlet.reference,
        exponent: inlet.exponent,
        threshold: inlet.threshold,
    };
    let recording = match Recording::read(path) {
        Ok(recording) => recording,
        Err(why) => {
            faults.fault(&key("wav"), format!("'{}': {why}", path.display()));
            return None;
        }
    };
    let channel = inlet.channel as usize;
    match recording.silent(channel) {
        Ok(true) => faults.warn(&key("wav"), format!("'{}' is silent in channel {channel}", path.display())),
        Ok(false) => {}
        Err(why) => {
            faults.fault(&key("channel"), format!("'{}': {why}", path.display()));
            return None;
        }
    }
    match recording.envelope(channel, &hearing) {
        Ok(mut envelope) => {
            let [fastest, shortest] =
                [envelope.speeds.iter().fold(0.0f64, |m, v| m.max(v.abs())), recording.duration()];
            if fastest > FASTEST {
                let message = format!(
                    "its loudness makes {fastest:.0} m/s; at most {FASTEST:.0} m/s are blown in: see gain and reference"
                );
                faults.fault(&key("gain"), message);
                return None;
            }
            if shortest < inlet.window {
                faults.warn(&key("window"), "the recording is shorter than a window: hardly anything is heard");
            }
            if envelope.silent() && recording.silent(channel) == Ok(false) {
                faults.warn(&key("threshold"), "nothing in the recording is as loud");
            }
            envelope.interval *= shot.scale;
            Some(Blow::Recorded(envelope, [inlet.from, inlet.until].map(|t| shot.run(t))))
        }
        Err(why) => {
            faults.fault(&key("window"), why);
            None
        }
    }
}

/// Warns about cloths outside the box and obstacles that are not closed.
fn tell(world: &World, state: &State, airflow: &Airflow, faults: &mut Faults) {
    for object in &world.objects {
        let outside = object.place.iter().filter(|v| !airflow.grid.reaches(&state.x[**v as usize])).count();
        match object.kind {
            Kind::Cloth if outside > 0 => {
                let message = format!(
                    "{outside} of {} vertices of '{}' are outside at the start, where the air is still",
                    object.place.len(),
                    object.name
                );
                faults.warn("airflow.box", message);
            }
            Kind::Obstacle if outside < object.place.len() && !closed(object) => {
                let message = format!("air flows through '{}': its surface is not closed", object.name);
                faults.warn("airflow", message);
            }
            _ => {}
        }
    }
}
