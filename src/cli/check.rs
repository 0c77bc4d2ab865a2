//! `percale check`: all faults of a scene at once.

use super::failure::Failure;
use super::run::{build, load};
use super::say;
use clap::Args;
use std::path::PathBuf;

/// Arguments.
#[derive(Debug, Args)]
pub struct Check {
    /// Scene file
    scene: PathBuf,
    /// Override a key: table.key=value, such as time.step="0.5 ms" or cloth[0].material=denim
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Check {
    /// Reads scene and meshes as a run would, then tells what there is.
    pub fn execute(self) -> Result<(), Failure> {
        let scene = load(&self.scene, &self.set, Vec::new())?;
        let (world, _) = build(&scene, &self.scene).map_err(|refusal| refusal.faults)?;
        for object in &world.objects {
            let kind = object.kind.word();
            let (v, t) = (object.place.len(), object.triangles.len());
            say(&format!("{kind} '{}': {v} vertices, {t} triangles", object.name));
        }
        say(&format!("{}: no faults; {} frames at {} Hz", self.scene.display(), scene.time.frames, scene.time.fps));
        Ok(())
    }
}
