//! Extent of a run: the region that the camera must show over the whole run.

use super::reach;
use crate::linalg::Vec3;
use crate::scene::Scene;
use crate::scene::obstacle::Shape;
use crate::world::motion::Motion;
use crate::world::{Kind, State, World};

/// Number of intervals in which moving objects are sampled.
const TIMES: u32 = 64;

/// Computes the view box. It contains cloths and bodies at the start, visible obstacles (except planes), moving pins
/// and moving handles at all times, and the reach of hanging and falling cloth. Numbers are rounded to `f32`, as they
/// are read back from the record.
pub(super) fn bounds(scene: &Scene, world: &World, state: &State) -> [Vec3; 2] {
    let mut all = [Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)];
    fn join(all: &mut [Vec3; 2], p: &Vec3) {
        *all = [all[0].inf(p), all[1].sup(p)];
    }
    let end = scene.time.run(scene.time.last_frame());
    let times = (0..=TIMES).map(|k| end * f64::from(k) / f64::from(TIMES));
    state.x.iter().take(world.moving).for_each(|p| join(&mut all, p));
    for (obstacle, described) in world.obstacles.iter().zip(&scene.obstacles) {
        if matches!(described.shape, Shape::Plane(_)) || !described.visible {
            continue;
        }
        let mut x = obstacle.rest.clone();
        for t in times.clone() {
            obstacle.course.place(&obstacle.rest, t, &mut x);
            x.iter().for_each(|p| join(&mut all, p));
            if obstacle.course.still() {
                break;
            }
        }
    }
    for pin in world.pins.iter().chain(world.handles.iter().map(|h| &h.pin)) {
        if pin.motion == Motion::Fixed {
            continue;
        }
        for t in times.clone() {
            let carry = pin.carry(t.clamp(pin.from, pin.until));
            for (k, v) in pin.vertices.iter().enumerate() {
                if let Some(start) = state.x.get(*v as usize) {
                    join(&mut all, &carry.apply(k, start));
                }
            }
        }
    }
    reach::hanging(scene, world, state, end, |p| join(&mut all, p));
    let falls = world.objects.iter().any(|o| o.kind.simulated() && !reach::held(world, o, end));
    if falls && let Some(down) = scene.gravity.try_normalize(0.0) {
        let floor = fall(scene, world, state, &down, end);
        let [low, high] = all;
        join(&mut all, &(low + down * floor));
        join(&mut all, &(high + down * floor));
    }
    all.map(|p| p.map(|c| if c.is_finite() { f64::from(c as f32) } else { 0.0 }))
}

/// Computes how far below the lowest vertex the view reaches [m]: to the plane below, if there is one. Otherwise it is
/// the height of free fall, at most the size of the objects. It is zero above an obstacle that does not vanish.
fn fall(scene: &Scene, world: &World, state: &State, down: &Vec3, end: f64) -> f64 {
    let moving = state.x.iter().take(world.moving);
    let heights = moving.map(|p| p.dot(down));
    let (top, bottom) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), h| (a.min(h), b.max(h)));
    let mut lowest = bottom;
    let mut plane = f64::INFINITY;
    let obstacles = world.objects.iter().filter(|o| o.kind == Kind::Obstacle).zip(&scene.obstacles);
    for (object, described) in obstacles.filter(|(_, described)| described.until > end) {
        let x = state.x.get(object.vertices.clone()).unwrap_or_default();
        let depth = x.iter().map(|p| p.dot(down)).fold(f64::NEG_INFINITY, f64::max);
        match described.shape {
            Shape::Plane(_) => plane = if depth >= bottom { plane.min(depth) } else { plane },
            _ => lowest = lowest.max(depth),
        }
    }
    if plane.is_finite() {
        return (plane - lowest).max(0.0);
    }
    if lowest > bottom {
        return 0.0;
    }
    let x = state.x.get(..world.moving).unwrap_or_default();
    let (low, high) =
        x.iter().fold((x.first().copied().unwrap_or_default(), Vec3::repeat(f64::NEG_INFINITY)), |b, p| {
            (b.0.inf(p), b.1.sup(p))
        });
    let size = (high - low).norm().max(bottom - top);
    (0.5 * scene.gravity.norm() * end * end).min(if size.is_finite() { size } else { 0.0 })
}
