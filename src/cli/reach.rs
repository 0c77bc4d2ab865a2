//! Reach of hanging cloth: the arcs about its pins that gravity and time allow.

use crate::linalg::Vec3;
use crate::scene::Scene;
use crate::world::{Kind, Object, Pin, State, World};
use std::f64::consts::{FRAC_PI_2, PI};

/// Most sampled vertices of an object, and most sampled pinned vertices.
const SAMPLES: [usize; 2] = [1000, 48];
/// Number of steps in half a turn.
const STEPS: u32 = 24;
/// Number of intervals in which a moving pin is sampled.
const TIMES: u32 = 16;
/// Allowed elongation of cloth, relative to its initial length.
const SLACK: f64 = 0.05;
/// Margin below hanging cloth, relative to the height of the box.
const ROOM: f64 = 0.08;

/// Returns the pins of an object that hold it from the start to the end of the run.
fn holding<'a>(world: &'a World, object: &'a Object, end: f64) -> impl Iterator<Item = &'a Pin> {
    let of = |pin: &&Pin| pin.vertices.first().is_some_and(|v| object.vertices.contains(&(*v as usize)));
    world.pins.iter().filter(of).filter(move |pin| pin.from <= 0.0 && pin.until >= end)
}

/// Returns whether the object is held all the time.
pub(super) fn held(world: &World, object: &Object, end: f64) -> bool {
    holding(world, object, end).next().is_some()
}

/// Calls `join` with points whose box contains all places that held objects may reach until `end` [s].
pub(super) fn hanging(scene: &Scene, world: &World, state: &State, end: f64, mut join: impl FnMut(&Vec3)) {
    let Some(down) = scene.gravity.try_normalize(0.0) else { return };
    let fallen = 0.5 * scene.gravity.norm() * end * end;
    for object in world.objects.iter().filter(|o| o.kind != Kind::Obstacle) {
        for pin in holding(world, object, end) {
            let Some([low, high]) = arcs(world, state, object, pin, &down, fallen) else { continue };
            let start = pin.vertices.first().map_or_else(Vec3::zeros, |v| state.x[*v as usize]);
            for k in 0..=TIMES {
                let t = end * f64::from(k) / f64::from(TIMES);
                let led = pin.carry(t).apply(0, &start) - start;
                join(&(low + led));
                join(&(high + led));
            }
        }
    }
}

/// Returns evenly spaced samples, at most `most`.
fn some<T: Copy>(all: &[T], most: usize) -> impl Iterator<Item = T> {
    all.iter().step_by(all.len().div_ceil(most).max(1)).copied()
}

/// Computes the box of the arcs about a pin, for the vertices nearest to it. Returns `None` if they hang already.
fn arcs(world: &World, state: &State, object: &Object, pin: &Pin, down: &Vec3, fallen: f64) -> Option<[Vec3; 2]> {
    let x = |v: u32| state.x[v as usize];
    let own: Vec<Vec3> = some(&pin.vertices, SAMPLES[1]).map(x).collect();
    let of = |other: &&Pin| other.vertices.first().is_some_and(|v| object.vertices.contains(&(*v as usize)));
    let held: Vec<u32> = world.pins.iter().filter(of).flat_map(|pin| pin.vertices.iter().copied()).collect();
    let fixed: Vec<Vec3> = some(&held, SAMPLES[1]).map(x).collect();
    let nearest = |p: &Vec3, all: &[Vec3]| all.iter().copied().min_by(|a, b| (a - p).norm().total_cmp(&(b - p).norm()));
    let mut found: Option<[Vec3; 2]> = None;
    for v in some(&object.place, SAMPLES[0]) {
        let p = x(v);
        let Some(centre) = nearest(&p, &own) else { continue };
        let arm = (p - centre).norm();
        // Another pin is nearer.
        if arm < 1e-9 || fixed.iter().any(|other| (other - p).norm() < (1.0 - 1e-9) * arm) {
            continue;
        }
        let below = (p - centre).dot(down);
        let out = p - centre - down * below;
        let standing = below < 0.0 && out.norm() < 1e-3 * arm;
        let ways = if standing {
            let side = if down.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
            let across = (side - down * side.dot(down)).normalize();
            let other = across.cross(down);
            vec![across, -across, other, -other]
        } else {
            out.try_normalize(1e-3 * arm).into_iter().collect()
        };
        for way in ways {
            let begin = below.atan2(out.norm());
            for k in 1..=STEPS {
                // The arc leads down to the plumb line and up on the other side.
                let angle = begin + PI * f64::from(k) / f64::from(STEPS);
                let q = centre + (way * angle.cos() + down * angle.sin()) * arm;
                let reaches = |other: &Vec3| (q - other).norm() <= (1.0 + SLACK) * (p - other).norm();
                let up_again = angle > FRAC_PI_2 && angle - FRAC_PI_2 > FRAC_PI_2 - begin;
                if up_again || arm * (angle - begin) > fallen || !fixed.iter().all(reaches) {
                    break;
                }
                found = Some(found.map_or([q, q], |[low, high]| [low.inf(&q), high.sup(&q)]));
            }
        }
    }
    found.map(|[low, high]| {
        let room = down * (ROOM * (high - low).dot(down).abs());
        [low.inf(&(low + room)), high.sup(&(high + room))]
    })
}
