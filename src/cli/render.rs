//! `percale render`: the pictures of a run again from its meshes.

use super::failure::Failure;
use super::frames::{write_picture, write_sheet};
use super::inspect::run_of;
use super::picture::{cell_size, picture, sheet_frames};
use super::say;
use crate::linalg::par;
use crate::scene::{self, Override, Scene};
use crate::sequence::{Folder, Run as Record, Shape, Snapshot, read};
use clap::Args;
use std::path::PathBuf;

/// Arguments.
#[derive(Debug, Args)]
pub struct Render {
    /// Run folder
    dir: PathBuf,
    /// Frames to draw: a number or a range A-B; all that are there if absent
    #[arg(long, value_name = "A-B", value_parser = range)]
    frames: Option<(u32, u32)>,
    /// Override a key of the run's scene, such as preview.shading=phong
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Threads; as many as the machine has if absent
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Frames of an argument: a number or a range of two.
pub fn range(text: &str) -> Result<(u32, u32), String> {
    let number = |t: &str| t.trim().parse::<u32>().ok().filter(|n| *n > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(a), Some(b)) if a <= b => Ok((a, b)),
        _ => Err("expected a frame or two ascending ones, such as 12 or 1-60".to_string()),
    }
}

impl Render {
    /// Draws.
    pub fn execute(self) -> Result<(), Failure> {
        let threads = usize::from(self.threads.unwrap_or(0));
        par::with_threads(threads, || self.draw()).map_err(Failure::input)?
    }

    fn draw(&self) -> Result<(), Failure> {
        let folder = Folder::new(&self.dir);
        let record = run_of(&folder)?;
        let overrides: Result<Vec<Override>, _> = self.set.iter().map(|s| Override::parse(s)).collect();
        let overrides = overrides.map_err(|fault| Failure::input(fault.to_string()))?;
        let bytes = read(&folder.scene())?;
        let scene = scene::read_recorded(&folder.scene(), &bytes, &overrides)?;
        let (first, last) = self.frames.unwrap_or((1, record.done));
        if last > record.done || record.done == 0 {
            let dir = self.dir.display();
            return Err(Failure::input(format!("{dir}: frame {last} is not there; {} frames are", record.done)));
        }
        if let Some(cloth) = record.objects.iter().find(|o| o.files.is_none()) {
            let dir = self.dir.display();
            return Err(Failure::input(format!(
                "{dir}: the meshes of '{}' were not written; run again with output.meshes and output.obstacles",
                cloth.name
            )));
        }
        let every = scene.preview.every;
        let chosen = if self.frames.is_none() { sheet_frames(&scene, record.frames) } else { Vec::new() };
        let mut cells = Vec::new();
        let mut count = 0;
        for frame in first..=last {
            let full = (frame - 1).is_multiple_of(every);
            if !full && !chosen.contains(&frame) {
                continue;
            }
            let objects = objects(&folder, &record, frame)?;
            let objects: Vec<(&Shape, &Snapshot)> = objects.iter().map(|(shape, at)| (shape, at)).collect();
            let draw = |size| picture(&scene, &objects, &record.view, size).map_err(Failure::input);
            if full {
                write_picture(&folder, &scene, frame, &draw(size(&scene))?)?;
                count += 1;
            }
            if chosen.contains(&frame) {
                cells.push((frame.to_string(), draw(cell_size(&scene))?.image()));
            }
        }
        if !cells.is_empty() {
            write_sheet(&folder, &cells)?;
        }
        say(&format!("{count} pictures in {}", folder.path().join("preview").display()));
        Ok(())
    }
}

fn size(scene: &Scene) -> [u32; 2] {
    [scene.preview.width, scene.preview.height]
}

fn objects(folder: &Folder, record: &Record, frame: u32) -> Result<Vec<(Shape, Snapshot)>, Failure> {
    let mut all = Vec::with_capacity(record.objects.len());
    for entry in &record.objects {
        all.extend(folder.read_mesh(entry, frame)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn ranges_of_frames() {
        assert_eq!(range("12"), Ok((12, 12)));
        assert_eq!(range("1-60"), Ok((1, 60)));
        assert!(range("6-1").is_err() && range("0-3").is_err() && range("a").is_err() && range("-").is_err());
    }
}
