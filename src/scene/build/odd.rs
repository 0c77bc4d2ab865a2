//! Warnings about valid input without effect. Places may be distant, pins may hold nothing, obstacles may lie on their
//! side, and wind may meet pinned cloth only. All warnings but the last suggest a correction.

use super::faults::Faults;
use super::select;
use crate::linalg::Vec3;
use crate::mesh::archive;
use crate::scene::obstacle::Shape;
use crate::scene::place::{Selector, Transform};
use crate::scene::unit::rounded;
use crate::scene::{Cloth, Scene};
use crate::world::build::{BodyInput, ClothInput, ObstacleInput, mean_edge};
use std::collections::BTreeSet;
use std::path::Path;

/// Largest distance of the base from zero at which an obstacle stands there, relative to its height.
const BASE: f64 = 0.02;
/// Largest distance of the centre from zero at which an obstacle is centred, relative to its length along the axis.
const MIDDLE: f64 = 0.1;
/// Ratios of height to depth of a standing obstacle. A ball is lower, a rod is higher.
const TALL: std::ops::RangeInclusive<f64> = 1.5..=8.0;
/// Largest thickness of a floor, relative to its lengths.
const FLAT: f64 = 0.01;

/// Checks all objects of a scene. All of them were read without errors.
pub(super) fn tell(
    scene: &Scene,
    (cloths, bodies, obstacles): (&[ClothInput], &[BodyInput], &[ObstacleInput]),
    faults: &mut Faults,
) {
    for (k, (input, cloth)) in cloths.iter().zip(&scene.cloths).enumerate() {
        let key = format!("cloth[{k}]");
        let x = &input.mesh.positions;
        let edge = mean_edge(x, &input.mesh.triangles);
        astray((x, edge), places(cloth), &key, faults);
        let used: BTreeSet<u32> = input.mesh.triangles.iter().flatten().copied().collect();
        let pins = input.pins.iter().map(|pin| ("pin", &pin.vertices));
        let handles = input.handles.iter().map(|handle| ("handle", &handle.pin.vertices));
        loose(&used, pins.enumerate(), &key, faults);
        loose(&used, handles.enumerate(), &key, faults);
    }
    for (k, (input, body)) in bodies.iter().zip(&scene.bodies).enumerate() {
        let key = format!("body[{k}]");
        let faces: Vec<[u32; 3]> = input.mesh.tets.iter().map(|[a, b, c, _]| [*a, *b, *c]).collect();
        let x = &input.mesh.positions;
        let pins = body.pins.iter().map(|pin| &pin.selector).enumerate().map(|(k, s)| (format!("pin[{k}]"), s));
        let handles = body.handles.iter().enumerate().map(|(k, handle)| (format!("handle[{k}]"), &handle.selector));
        astray((x, mean_edge(x, &faces)), pins.chain(handles).collect(), &key, faults);
    }
    for (k, tether) in scene.tethers.iter().enumerate() {
        if let Some(cloth) = cloths.iter().find(|cloth| cloth.name == tether.cloth) {
            let x = &cloth.mesh.positions;
            let place = vec![(format!("tether[{k}]"), &tether.selector)];
            astray((x, mean_edge(x, &cloth.mesh.triangles)), place, "", faults);
        }
    }
    for (k, attach) in scene.attaches.iter().enumerate() {
        if let Some(cloth) = cloths.iter().find(|cloth| cloth.name == attach.cloth) {
            let x = &cloth.mesh.positions;
            let place = vec![(format!("attach[{k}]"), &attach.selector)];
            astray((x, mean_edge(x, &cloth.mesh.triangles)), place, "", faults);
        }
    }
    for (k, (input, obstacle)) in obstacles.iter().zip(&scene.obstacles).enumerate() {
        let Shape::Mesh(file) = &obstacle.shape else { continue };
        lying(scene, &input.mesh.positions, (file, &obstacle.transform), &format!("obstacle[{k}].mesh"), faults);
    }
    wind(scene, cloths, faults);
}

/// Returns the selectors of the pins and handles of a cloth, with their keys.
fn places(cloth: &Cloth) -> Vec<(String, &Selector)> {
    let pins = cloth.pins.iter().enumerate().map(|(k, pin)| (format!("pin[{k}]"), &pin.selector));
    let handles = cloth.handles.iter().enumerate().map(|(k, handle)| (format!("handle[{k}]"), &handle.selector));
    pins.chain(handles).collect()
}

/// Warns about places far from the vertex that they select. `edge` is the mean edge of the mesh [m].
fn astray((x, edge): (&[Vec3], f64), places: Vec<(String, &Selector)>, key: &str, faults: &mut Faults) {
    let dot = if key.is_empty() { "" } else { "." };
    for (below, selector) in places {
        if let Some(message) = select::astray(selector, x, edge) {
            faults.warn(&format!("{key}{dot}{below}.nearest"), message);
        }
    }
}

/// Warns about pins and handles without any vertex of a triangle.
fn loose<'a>(
    used: &BTreeSet<u32>,
    held: impl Iterator<Item = (usize, (&'a str, &'a Vec<u32>))>,
    key: &str,
    faults: &mut Faults,
) {
    for (k, (table, vertices)) in held {
        // Selections are never empty; a pin or its handle is where the weights of the pin leave nothing to it.
        if !vertices.is_empty() && !vertices.iter().any(|v| used.contains(v)) {
            let count = vertices.len();
            let which = if count == 1 { "its vertex is".to_string() } else { format!("all {count} vertices are") };
            let message = format!("holds nothing: {which} of no triangle; give vertices of the cloth");
            faults.warn(&format!("{key}.{table}[{k}]"), message);
        }
    }
}

/// Warns about an obstacle that was probably modelled with another up axis. Such an obstacle stands at zero of that
/// axis. Half of it is below zero of the scene's up axis.
fn lying(scene: &Scene, x: &[Vec3], (file, transform): (&Path, &Transform), key: &str, faults: &mut Faults) {
    // USD and Alembic files state their up axis. A rotation or translation in the scene is deliberate.
    if archive::reads(file) || !transform.rotate.is_empty() || transform.translate != Vec3::zeros() {
        return;
    }
    let up = scene.upwards().iamax();
    let other = 3 - up;
    let first = x.first().copied().unwrap_or_default();
    let [low, high] = x.iter().fold([first, first], |[low, high], p| [low.inf(p), high.sup(p)]);
    let length = high - low;
    let middle = |axis: usize| (low[axis] + high[axis]).abs() <= 2.0 * MIDDLE * length[axis];
    let tall = low[other].abs() <= BASE * length[other] && TALL.contains(&(length[other] / length[up]));
    let flat = length[other] <= FLAT * length[0].min(length[up])
        && high[other].abs().max(low[other].abs()) <= FLAT * length[up];
    if !(length[up] > 0.0 && middle(up) && middle(0) && (tall || flat)) {
        return;
    }
    let [up, other] = [up, other].map(|axis| ["x", "y", "z"][axis]);
    let angle = if other == "z" { -90 } else { 90 };
    let lies = if tall { "lies on its side" } else { "stands upright as a wall" };
    let message = format!(
        "{lies}, half of it below {up} = 0, as a file in which {other} points up: give transform = {{ rotate = {{ axis = [1, 0, 0], \
         angle = \"{angle} deg\" }} }}, or scene.up = \"{other}\" where all is so"
    );
    faults.warn(key, message);
}

/// Warns about wind on cloths whose vertices are all pinned for the whole run.
fn wind(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) {
    let wind = &scene.wind;
    let whole = |cloth: &ClothInput| {
        let pins = cloth.pins.iter().filter(|pin| pin.from <= 0.0 && pin.until >= scene.time.end());
        let held: BTreeSet<u32> = pins.flat_map(|pin| pin.vertices.iter().copied()).collect();
        held.len() == cloth.mesh.positions.len()
    };
    let blows = wind.velocity != Vec3::zeros() || wind.gust != 0.0;
    if blows && scene.bodies.is_empty() && !cloths.is_empty() && cloths.iter().all(whole) {
        let seconds = rounded(scene.time.end());
        faults.warn("wind", format!("moves nothing: pins hold every vertex for the whole run, {seconds} s"));
    }
}
