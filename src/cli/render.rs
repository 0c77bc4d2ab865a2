//! `percale render`: draws the pictures of a run again from its meshes.

use super::blur::Around;
use super::failure::Failure;
use super::frames::{write_picture, write_sheet};
use super::inspect::run_of;
use super::log::{Level, log};
use super::picture::{Seen, cell, full, objects, picture, sheet_frames};
use super::range::Frames;
use super::turntable::turntable;
use super::{report, say};
use crate::linalg::par;
use crate::scene::{self, Override, Scene};
use crate::sequence::{Folder, Run as Record, Shape, Snapshot, read};
use clap::Args;
use std::path::PathBuf;

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Render {
    /// Run folder
    dir: PathBuf,
    /// Frames to draw, such as 12, 1-60, 1-100x2 or 1-10,50; all that are there if absent
    #[arg(long, value_name = "RANGE", value_parser = Frames::parse)]
    frames: Option<Frames>,
    /// Override a key of the run's scene, such as preview.shading=phong
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Draw one frame, the last of those to draw, from so many sides, as the animated picture turntable.png
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=3600))]
    turntable: Option<u32>,
    /// Motion blur: number of frames for which the shutter is open, such as 0.5; takes eight times as long
    #[arg(long, value_name = "FRAMES", value_parser = shutter, conflicts_with = "turntable")]
    blur: Option<f64>,
    /// Threads; as many as the machine has if absent
    #[arg(long, value_name = "N", env = "PERCALE_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

fn shutter(text: &str) -> Result<f64, String> {
    let frames = text.parse::<f64>().ok().filter(|x| (0.0..=1.0).contains(x));
    frames.ok_or_else(|| "expected a number of frames from 0 to 1".to_string())
}

impl Render {
    /// Draws the pictures.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let threads = usize::from(self.threads.unwrap_or(0));
        par::with_threads(threads, || self.draw()).map_err(Failure::input)?
    }

    /// Checks that the frame `last` is there, and all meshes.
    fn check(&self, record: &Record, last: u32) -> Result<(), Failure> {
        let lacks = record.lacks(last);
        if !lacks.is_empty() {
            let dir = self.dir.display();
            return Err(Failure::input(format!("{dir}: frame {last} is not there; {lacks}")));
        }
        if let Some(cloth) = record.objects.iter().find(|o| o.files.is_none()) {
            let dir = self.dir.display();
            return Err(Failure::input(format!(
                "{dir}: the meshes of '{}' were not written; run again with output.meshes and output.obstacles",
                cloth.name
            )));
        }
        Ok(())
    }

    fn draw(&self) -> Result<(), Failure> {
        let folder = Folder::new(&self.dir);
        let record = run_of(&folder)?;
        let overrides: Result<Vec<Override>, _> = self.set.iter().map(|s| Override::parse(s)).collect();
        let overrides = overrides.map_err(|fault| Failure::input(fault.to_string()))?;
        let bytes = read(&folder.scene())?;
        let scene = scene::read_recorded(&folder.scene(), &bytes, &overrides)?;
        let last = self.frames.as_ref().map_or(record.last_done().max(record.first), Frames::last);
        self.check(&record, last)?;
        if let Some(pictures) = self.turntable {
            let objects = objects(&folder, &record, last)?;
            let objects: Vec<(&Shape, &Snapshot)> = objects.iter().map(|(shape, at)| (shape, at)).collect();
            return turntable(&folder, &record, &scene, Seen { objects: &objects, flow: None, live: false }, pictures);
        }
        let chosen = if self.frames.is_none() { sheet_frames(&scene, &record) } else { Vec::new() };
        let mut cells = Vec::new();
        let (mut count, mut bare) = (0, 0);
        for frame in (record.first..=last).filter(|frame| self.frames.as_ref().is_none_or(|frames| frames.has(*frame)))
        {
            // Frames that are requested by number are always drawn.
            let full = self.frames.is_some() || full(&scene, &record, frame);
            if !full && !chosen.contains(&frame) {
                continue;
            }
            let objects = objects(&folder, &record, frame)?;
            let objects: Vec<(&Shape, &Snapshot)> = objects.iter().map(|(shape, at)| (shape, at)).collect();
            let flow = if scene.preview.airflow.is_some() { folder.read_flow(frame)? } else { None };
            bare += usize::from(scene.preview.airflow.is_some() && flow.is_none());
            let seen = Seen { objects: &objects, flow: flow.as_ref(), live: false };
            let mut drawn = None;
            if full {
                let picture = match self.blur {
                    Some(shutter) => around(&folder, &record, frame)?.draw(&scene, &record, shutter, size(&scene)),
                    None => picture(&scene, seen, &record, size(&scene)),
                };
                let picture = picture.map_err(Failure::input)?;
                write_picture(&folder, &scene, frame, &picture)?;
                drawn = Some(picture);
                count += 1;
            }
            if chosen.contains(&frame) {
                let cell = cell(&scene, seen, &record, frame, drawn.as_ref()).map_err(Failure::input)?;
                cells.push((frame.to_string(), cell));
            }
        }
        if !cells.is_empty() {
            write_sheet(&folder, &cells)?;
        }
        if bare > 0 {
            let reported =
                format!("{bare} frames are drawn without arrows of the air, which was not written; see output.flow");
            log(Level::Warning, &reported);
        }
        report::write(&folder)?;
        say(&format!("{count} pictures in {}", folder.path().join("preview").display()));
        Ok(())
    }
}

fn size(scene: &Scene) -> [u32; 2] {
    [scene.preview.width, scene.preview.height]
}

/// Reads the objects at a frame and at its neighbour frames.
fn around(folder: &Folder, record: &Record, frame: u32) -> Result<Around, Failure> {
    let there = |frame: Option<u32>| frame.filter(|frame| record.has(*frame));
    let beside = |frame: Option<u32>| there(frame).map(|frame| objects(folder, record, frame)).transpose();
    Ok(Around {
        now: objects(folder, record, frame)?,
        before: beside(frame.checked_sub(1))?,
        after: beside(frame.checked_add(1))?,
    })
}
