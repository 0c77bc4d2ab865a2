//! Bound of prescribed displacement in a step. A larger displacement cannot be intended.

use crate::linalg::Vec3;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{Object, World};

/// Largest prescribed displacement in a step, relative to the size of the object or of the largest simulated object.
const SIZES: f64 = 4.0;

/// Largest prescribed displacement of each object in a step.
#[derive(Clone, Debug)]
pub(super) struct DisplacementBound {
    /// Bound by object [m].
    most: Vec<f64>,
}

impl DisplacementBound {
    /// Computes the bounds for the objects of a world.
    pub(super) fn new(world: &World) -> DisplacementBound {
        let sizes: Vec<f64> = world.objects.iter().map(|object| size(world, object)).collect();
        let largest = sizes[..world.simulated()].iter().copied().fold(0.0, f64::max);
        DisplacementBound { most: sizes.iter().map(|size| SIZES * size.max(largest)).collect() }
    }

    /// Checks the prescribed displacements of all present objects. A shorter step may succeed. Beyond the bounds,
    /// candidate lists would exhaust the memory.
    ///
    /// # Errors
    /// Returns the vertex with the largest displacement of the first object that exceeds its bound.
    pub(super) fn check(&self, world: &World, step: &Step) -> Result<(), StepError> {
        if !world.contact.enabled {
            return Ok(());
        }
        for (k, (object, most)) in world.objects.iter().zip(&self.most).enumerate() {
            if !world.there(k, step.begin) {
                continue;
            }
            let prescribed = |v: &usize| step.fixed.get(*v).copied().unwrap_or(true);
            let way = |v: usize| step.displacement[v].norm();
            let farthest = object.vertices.clone().filter(prescribed).max_by(|a, b| way(*a).total_cmp(&way(*b)));
            if let Some(v) = farthest.filter(|v| way(*v) > *most) {
                return Err(StepError::Far { vertex: v as u32, way: way(v), h: step.h });
            }
        }
        Ok(())
    }
}

/// Returns the diagonal of the bounding box of an object at the start [m].
pub(super) fn size(world: &World, object: &Object) -> f64 {
    let points = || world.rest[object.vertices.clone()].iter();
    let low = points().fold(Vec3::repeat(f64::INFINITY), |m, p| m.inf(p));
    let high = points().fold(Vec3::repeat(f64::NEG_INFINITY), |m, p| m.sup(p));
    (high - low).norm()
}
