//! `percale check`: all faults of a scene at once.

use super::failure::Failure;
use super::run::load;
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
        let (scene, input) = load(&self.scene, &self.set, Vec::new())?;
        for cloth in &input.cloths {
            let (v, t) = (cloth.mesh.positions.len(), cloth.mesh.triangles.len());
            say(&format!("cloth '{}': {v} vertices, {t} triangles", cloth.name));
        }
        for obstacle in &input.obstacles {
            let (v, t) = (obstacle.mesh.positions.len(), obstacle.mesh.triangles.len());
            say(&format!("obstacle '{}': {v} vertices, {t} triangles", obstacle.name));
        }
        say(&format!("{}: no faults; {} frames at {} Hz", self.scene.display(), scene.time.frames, scene.time.fps));
        Ok(())
    }
}
