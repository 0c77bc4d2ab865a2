//! `percale check`: reports all faults of a scene at once.

use super::failure::Failure;
use super::run::{bounded, build, load, strict};
use super::say;
use crate::force::solid::Tetrahedron;
use crate::mesh::{TetMesh, within};
use crate::scene::build::Built;
use crate::world::{Object, World};
use clap::Args;
use std::path::PathBuf;

/// Describes the tetrahedra of a body: number, quality and dihedral angles.
fn solid(world: &World, object: &Object) -> Option<String> {
    let inside = |t: &&Tetrahedron| object.vertices.contains(&(t.vertices[0] as usize));
    let tets: Vec<[u32; 4]> = world.elements.tetrahedra.iter().filter(inside).map(|t| t.vertices).collect();
    let mesh = TetMesh { positions: world.rest.clone(), tets, ..TetMesh::default() };
    let (quality, [sharp, blunt]) = (mesh.quality()?, mesh.dihedral_angles()?);
    Some(format!(
        "{} tetrahedra (quality {:.2} at least, {:.2} in the mean; dihedral angles {sharp:.0} to {blunt:.0} degrees)",
        mesh.tets.len(),
        quality.smallest,
        quality.mean
    ))
}

/// Arguments.
#[derive(Debug, Args)]
pub struct Check {
    /// Scene file
    scene: PathBuf,
    /// Override a key: table.key=value, such as time.step="0.5 ms" or cloth[0].material=denim
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Take warnings as faults
    #[arg(long)]
    strict: bool,
    /// Read no file outside of this folder, whatever the scene names
    #[arg(long, value_name = "DIR", env = within::VARIABLE)]
    within: Option<PathBuf>,
}

impl Check {
    /// Reads scene and meshes as a run would, then reports the objects.
    pub fn execute(self) -> Result<(), Failure> {
        bounded(self.within.as_deref())?;
        let scene = load(&self.scene, &self.set, Vec::new())?;
        let Built { world, warnings, .. } = build(&scene, &self.scene).map_err(|refusal| refusal.faults)?;
        if self.strict {
            strict(scene.warnings.len() + warnings.len())?;
        }
        for object in &world.objects {
            let kind = object.kind.word();
            let (v, t) = (object.place.len(), object.triangles.len());
            let solid = solid(&world, object).map_or(String::new(), |s| format!(", {s}"));
            say(&format!("{kind} '{}': {v} vertices, {t} triangles{solid}", object.name));
        }
        let time = &scene.time;
        let frames = match time.start_frame {
            1 => format!("{} frames", time.frames),
            first => format!("frames {first} to {}", time.last_frame()),
        };
        say(&format!("{}: no faults; {frames} at {} Hz", self.scene.display(), time.fps));
        Ok(())
    }
}
