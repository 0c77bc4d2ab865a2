//! Interface by which sections of a scene add laws and effects to a world.

use super::faults::Faults;
use crate::force::term::Term;
use crate::scene::Scene;
use crate::world::build::ClothInput;
use crate::world::{State, World};
use std::sync::Arc;

/// Constructor of a force law. Runs once the world has its objects.
pub(crate) type Later = Box<dyn FnOnce(&World) -> Arc<dyn Term>>;
/// Installer of an effect. Runs on the world and its state at the start.
pub(crate) type Then = Box<dyn FnOnce(&Scene, &mut World, &mut State, &mut Faults)>;
/// Reader of the effects of one kind, from a scene and the cloths that were read.
pub(crate) type Effect = fn(&Scene, &[ClothInput], &mut Faults) -> Option<Then>;
/// Reader of a force law, from a scene and the cloths that were read. Returns `None` if the scene has no such law.
pub(crate) type Law = fn(&Scene, &[ClothInput], &mut Faults) -> Option<Later>;
