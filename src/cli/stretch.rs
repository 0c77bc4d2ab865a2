//! Warnings about steps: overstretched cloth, once per object, and notices of effects.

use crate::effect::air::AirLayers;
use crate::linalg::Vec3;
use crate::mesh::number_text::rounded;
use crate::stepper::Report;
use crate::world::quantity::{largest_strain, strained};
use crate::world::{State, World};

/// Strain above which a warning is given. Woven cloth tears there, and no material law here is measured that far.
const STRAIN: f64 = 0.5;
/// Strain in excess of a limit above which a warning is given.
const BEYOND: f64 = 5e-3;

/// Warnings given so far.
#[derive(Default)]
pub(super) struct Stretched {
    /// Cloths stretched too far, and cloths beyond their strain limits.
    reported: [Vec<usize>; 2],
}

impl Stretched {
    /// Returns new warnings about the state at a frame, and about the steps to it. Balloons may stretch.
    pub(super) fn look(&mut self, world: &World, state: &State, frame: u32, report: &Report) -> Vec<String> {
        let mut lines = Vec::new();
        let at = |p: &Vec3| format!("({:.4}, {:.4}, {:.4})", p.x, p.y, p.z);
        let object = |v: u32| world.surface.object.get(v as usize).map_or(usize::MAX, |object| usize::from(*object));
        let [far, limits] = &mut self.reported;
        if let Some(([a, _], beyond)) = report.beyond.filter(|(_, beyond)| *beyond > BEYOND) {
            let (object, place) = (object(a), state.x.get(a as usize).copied().unwrap_or_default());
            if !limits.contains(&object) {
                limits.push(object);
                lines.push(format!(
                    "frame {frame}: '{}' was {} % beyond its strain limit near {}; what holds and pulls it leaves no room for the limit",
                    world.name(object),
                    rounded(100.0 * beyond),
                    at(&place)
                ));
            }
        }
        lines.extend(report.effects.notices.iter().map(|notice| format!("frame {frame}: {}", notice.text)));
        if largest_strain(world, &state.x) <= STRAIN {
            return lines;
        }
        let airs = world.effects.get::<AirLayers>();
        for (object, strain, place) in strained(world, &state.x) {
            let blown = airs.is_some_and(|airs| airs.balloons.iter().any(|balloon| balloon.cloth == object));
            if strain > STRAIN && !blown && !far.contains(&object) {
                far.push(object);
                lines.push(format!(
                    "frame {frame}: '{}' is stretched by {} % near {}, more than cloth bears; look at the motion of what \
                     pulls it there, or give it a strain_limit",
                    world.name(object),
                    rounded(100.0 * strain),
                    at(&place)
                ));
            }
        }
        lines
    }
}
