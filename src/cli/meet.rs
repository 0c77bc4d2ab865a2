//! Obstacles that cross themselves or each other on their way, at frames.

use super::text::count;
use crate::scene::Scene;
use crate::world::crossing::Crossing;
use crate::world::{Object, State, World};
use std::collections::BTreeMap;

/// Largest number of frames that are looked at, and largest number of triangles times frames.
const MOST: (u32, usize) = (250, 20_000_000);

/// Crossings of two obstacles, or of one with itself.
struct Meeting {
    /// First and last frame with crossings, and number of frames.
    frames: (u32, u32, u32),
    /// Frame with the most, and its crossings.
    worst: (u32, Crossing),
}

/// Looks at frames, evenly spread over the shot. Returns notes on crossings, by pair of obstacles, and on the frames
/// that were looked at. No notes without obstacles that move.
pub(super) fn notes(scene: &Scene, world: &World, state: &State) -> Vec<String> {
    if world.obstacles.iter().all(|obstacle| obstacle.course.still()) {
        return Vec::new();
    }
    let triangles: usize = world.obstacles.iter().map(|o| world.objects[o.object].triangles.len()).sum();
    let (first, frames) = (scene.time.start_frame, scene.time.frames);
    let looks = frames.min(MOST.0).min((MOST.1 / triangles.max(1)).max(2) as u32).max(1);
    let mut found: BTreeMap<[usize; 2], Meeting> = BTreeMap::new();
    let mut x = state.x.clone();
    for k in 0..looks {
        let frame = first + (u64::from(k) * u64::from(frames.max(1) - 1) / u64::from((looks - 1).max(1))) as u32;
        let time = scene.time.run(frame);
        world.place_obstacles(time, &mut x);
        if world.lost().is_some() {
            break;
        }
        let [crossings, _] = world.obstacles_that_meet(&x, time);
        for crossing in crossings {
            let known = found
                .entry(crossing.objects)
                .or_insert_with(|| Meeting { frames: (frame, frame, 0), worst: (frame, crossing.clone()) });
            (known.frames.1, known.frames.2) = (frame, known.frames.2 + 1);
            if crossing.pairs.len() > known.worst.1.pairs.len() {
                known.worst = (frame, crossing);
            }
        }
    }
    let mut notes: Vec<String> = found.values().map(|meeting| describe(world, meeting)).collect();
    let sampling = match looks == frames {
        true => format!("in each of {}", count(frames, "frame")),
        false => format!("in {looks} of {frames} frames"),
    };
    let outcome = if notes.is_empty() { ", none crosses another or itself there" } else { "" };
    notes.push(format!("obstacles were looked at {sampling}, not between them{outcome}"));
    notes
}

fn describe(world: &World, meeting: &Meeting) -> String {
    let Meeting { frames: (first, last, number), worst: (frame, crossing) } = meeting;
    let when = match first == last {
        true => format!("at frame {first}"),
        false => format!("at {number} of the frames {first} to {last}, the most at {frame},"),
    };
    let mut groups: Vec<String> = Vec::new();
    for side in [0, 1] {
        let object = &world.objects[crossing.objects[side]];
        let own: Vec<usize> = crossing.pairs.iter().map(|pair| (pair[side] - crossing.first[side]) as usize).collect();
        groups.extend(group(object, &own).map(|group| format!("'{group}' of '{}'", object.name)));
    }
    groups.dedup();
    let place = if groups.is_empty() { String::new() } else { format!("; mostly in {}", groups.join(" and ")) };
    format!("{when} {}{place}", crossing.describe(|k| world.name(k)))
}

/// Returns the group that has the most corners of some triangles.
fn group<'a>(object: &'a Object, triangles: &[usize]) -> Option<&'a str> {
    let corners = || triangles.iter().filter_map(|t| object.triangles.get(*t)).flatten();
    let has = |members: &Vec<u32>| corners().filter(|v| members.binary_search(v).is_ok()).count();
    let counts = object.groups.iter().map(|(name, members)| (has(members), name.as_str()));
    counts.filter(|(number, _)| *number > 0).max_by_key(|(number, _)| *number).map(|(_, name)| name)
}
