//! The first moment: nothing may cross.

use super::faults::Faults;
use crate::world::World;
use crate::world::crossing::Crossing;

/// Tells what crosses at the start, with the object to move.
pub fn tell(world: &World, crossings: &[Crossing], faults: &mut Faults) {
    for crossing in crossings {
        let remedy = if crossing.objects[0] == crossing.objects[1] {
            "mend the mesh, or give self_contact = false"
        } else {
            "move them apart"
        };
        let message = format!("at the start {}; {remedy}", crossing.describe(|k| world.name(k)));
        faults.fault(&format!("cloth[{}]", crossing.objects[0]), message);
    }
}
