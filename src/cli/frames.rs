//! Output of a run at each frame: meshes, picture, statistics, record.

use super::failure::Failure;
use super::log::{Level, log};
use super::picture::{Seen, cell, full, objects, picture, sheet, sheet_frames};
use crate::collision::intersect::Test;
use crate::effect::channels;
use crate::render::{Image, Picture};
use crate::scene::Scene;
use crate::sequence::{
    self, Checkpoint, DiskError, Flowing, Folder, FrameStats, Lock, Recorder, Run, Shape, Snapshot, Status, Verdict,
    Watch,
};
use crate::world::crossing;
use crate::world::quantity::SATURATION;
use crate::world::window::Window;
use crate::world::{Kind, Object, State, World};
use std::path::Path;
use std::time::Instant;

/// Returns whether an object never moves and is always present.
pub(super) fn still(world: &World, object: usize) -> bool {
    world.obstacles.iter().any(|o| o.object == object && o.course.still() && o.window == Window::ALWAYS)
}

/// Writes the frames of a run.
pub(super) struct Frames<'a> {
    scene: &'a Scene,
    folder: Folder,
    record: Run,
    shapes: Vec<Shape>,
    chosen: Vec<u32>,
    cells: Vec<(String, Image)>,
    test: Test,
    watch: Watch,
    /// Recorder of probes.
    recorder: Recorder,
}

impl<'a> Frames<'a> {
    /// Writes scene and record of a run that holds the folder. The folder must contain its `done` frames and nothing
    /// else.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn start(
        scene: &'a Scene,
        world: &World,
        folder: Folder,
        record: Run,
        lock: Lock,
    ) -> Result<Frames<'a>, Failure> {
        folder.write_run(&record)?;
        sequence::write(&folder.scene(), scene.text.as_bytes())?;
        let shapes = world.objects.iter().map(Shape::of).collect();
        let chosen = if scene.preview.enabled { sheet_frames(scene, &record) } else { Vec::new() };
        let recorder = Recorder::start(&folder, world)?;
        let mut watch = Watch::new(folder.clone(), lock);
        watch.learn()?;
        Ok(Frames { scene, folder, record, shapes, chosen, cells: Vec::new(), test: world.test(), watch, recorder })
    }

    /// Writes a checkpoint into the folder in which the run began.
    ///
    /// # Errors
    /// The folder is another, files of the run were removed from it, or the disk refuses.
    pub(super) fn keep(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.watch.same()?;
        let kept = self
            .recorder
            .flush()
            .and_then(|()| self.folder.write_checkpoint(checkpoint, self.scene.output.keep_checkpoints));
        self.explained(kept.map(drop).map_err(Failure::from))
    }

    /// Replaces the error of a refused write by the removal or replacement of files that explains it, if any.
    fn explained(&self, written: Result<(), Failure>) -> Result<(), Failure> {
        match written {
            Err(Failure::Disk(error)) => Err(Failure::Disk(self.watch.check().err().unwrap_or(error))),
            other => other,
        }
    }

    /// Returns the number of written frames.
    pub(super) fn done(&self) -> u32 {
        self.record.done
    }

    /// Draws the contact sheet's cells of the written frames, from their meshes.
    ///
    /// # Errors
    /// The scene cannot be drawn.
    pub(super) fn redraw(&mut self) -> Result<(), Failure> {
        for frame in self.chosen.iter().copied().filter(|frame| self.record.has(*frame)) {
            let there = self.record.objects.iter().filter(|entry| entry.there(frame)).count();
            let objects = match objects(&self.folder, &self.record, frame) {
                Ok(objects) if objects.len() == there => objects,
                _ => {
                    log(
                        Level::Warning,
                        &format!("the meshes of frame {frame} are not there; sheet.png goes without it"),
                    );
                    continue;
                }
            };
            let objects: Vec<(&Shape, &Snapshot)> = objects.iter().map(|(shape, at)| (shape, at)).collect();
            let flow = if self.scene.preview.airflow.is_some() { self.folder.read_flow(frame)? } else { None };
            let seen = Seen { objects: &objects, flow: flow.as_ref(), live: false };
            let cell = cell(self.scene, seen, &self.record, frame, None).map_err(Failure::input)?;
            self.cells.push((frame.to_string(), cell));
        }
        Ok(())
    }

    /// Adds a warning to the record, once.
    pub(super) fn warn(&mut self, what: String) {
        if !self.record.warnings.contains(&what) {
            self.record.warnings.push(what);
        }
    }

    /// Returns the recorder of probes.
    pub(super) fn recorder(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// Returns the record of the run.
    pub(super) fn record(&self) -> &Run {
        &self.record
    }

    /// Returns the run folder.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Tests a frame, then writes it in this order: meshes, airflow, picture, line of statistics, probes, record.
    ///
    /// Triangles cross in the frame as it would be written. No mesh of it is written then. Or the folder or files of
    /// the run in it are gone. Or the disk refuses.
    pub(super) fn write(
        &mut self,
        world: &World,
        state: &State,
        stats: &mut FrameStats,
        wall: f64,
    ) -> Result<(), Failure> {
        self.watch.check()?;
        let written = self.write_files(world, state, stats, wall);
        self.explained(written)
    }

    fn write_files(&mut self, world: &World, state: &State, stats: &mut FrameStats, wall: f64) -> Result<(), Failure> {
        let frame = stats.frame;
        let mut clock = Instant::now();
        let mut lap = || {
            let seconds = clock.elapsed().as_secs_f64();
            clock = Instant::now();
            seconds
        };
        stats.measure(world, state);
        let snapshots: Vec<Snapshot> =
            world.objects.iter().map(|o| Snapshot::of(world, state, o, self.fields(world, state, o))).collect();
        lap();
        self.verify(world, state, &snapshots, stats)?;
        stats.seconds.verify += lap();
        for (k, entry) in self.record.objects.iter_mut().enumerate() {
            entry.add(frame, world.there(k, state.now()));
        }
        self.write_meshes(world, &snapshots, frame)?;
        let flow = self.flow(world, state, frame)?;
        stats.seconds.write += lap();
        let all = self.record.objects.iter().zip(self.shapes.iter().zip(&snapshots));
        let objects: Vec<(&Shape, &Snapshot)> =
            all.filter(|(entry, _)| entry.there(frame)).map(|(_, object)| object).collect();
        let seen = Seen { objects: &objects, flow: flow.as_ref(), live: true };
        let preview = &self.scene.preview;
        let mut drawn = None;
        if preview.enabled && full(self.scene, &self.record, frame) {
            let size = [preview.width, preview.height];
            let picture = picture(self.scene, seen, &self.record, size).map_err(Failure::input)?;
            stats.seconds.draw += lap();
            write_picture(&self.folder, self.scene, frame, &picture)?;
            stats.seconds.write += lap();
            drawn = Some(picture);
        }
        if self.chosen.contains(&frame) {
            let cell = cell(self.scene, seen, &self.record, frame, drawn.as_ref()).map_err(Failure::input)?;
            self.cells.push((frame.to_string(), cell));
            stats.seconds.draw += lap();
        }
        // Both files would be started anew in a folder that has replaced the run's.
        self.watch.same()?;
        self.folder.add_stats(stats)?;
        self.recorder.flush()?;
        self.record.done = frame - self.record.first + 1;
        self.record.ignore(frame, &stats.regions);
        self.record.wall = wall;
        self.folder.write_run(&self.record)?;
        self.watch.learn()?;
        stats.seconds.write += lap();
        Ok(())
    }

    /// Tests the meshes as stored in files for crossings, except pairs that are ignored since the start.
    fn verify(
        &mut self,
        world: &World,
        state: &State,
        snapshots: &[Snapshot],
        stats: &mut FrameStats,
    ) -> Result<(), Failure> {
        let verdict = Verdict::of(world, state, snapshots, &mut self.test);
        stats.ignored += verdict.ignored;
        stats.crossing = verdict.crossing;
        stats.regions = verdict.regions(world);
        let Some(reported) = verdict.describe(world) else { return Ok(()) };
        let shown = crossing::mesh(&verdict.x, &world.surface, &verdict.crossings);
        let path = self.folder.write_crossing(&encoded(&self.folder.crossing(), shown.map_err(|e| e.to_string()))?)?;
        Err(Failure::Simulation(format!(
            "frame {} of {}, t={:.6} s: {reported}; the triangles are in {}",
            stats.frame,
            self.record.last(),
            stats.time,
            path.display()
        )))
    }

    /// Returns the vertex channels of a cloth.
    fn fields(&self, world: &World, state: &State, object: &Object) -> Vec<(String, Vec<f64>)> {
        if object.kind != Kind::Cloth {
            return Vec::new();
        }
        let Scene { output, preview, .. } = self.scene;
        channels()
            .filter(|channel| {
                // Pictures darken wet cloth.
                output.fields.contains(channel) || preview.field == Some(*channel) || channel.word == SATURATION
            })
            .filter_map(|channel| Some((channel.word.to_string(), (channel.values)(channel, world, state, object)?)))
            .collect()
    }

    /// Samples the airflow if it is written or drawn. Writes it at the frames that the scene requests.
    fn flow(&self, world: &World, state: &State, frame: u32) -> Result<Option<Flowing>, DiskError> {
        let Scene { output, preview, .. } = self.scene;
        let written = output.flow > 0 && (frame - self.record.first).is_multiple_of(output.flow);
        if !written && preview.airflow.is_none() {
            return Ok(None);
        }
        let flow = Flowing::of(world, state);
        if let Some(flow) = flow.as_ref().filter(|_| written) {
            self.folder.write_flow(flow, frame)?;
        }
        Ok(flow)
    }

    fn write_meshes(&mut self, world: &World, snapshots: &[Snapshot], frame: u32) -> Result<(), DiskError> {
        let objects = self.shapes.iter().zip(snapshots).zip(&mut self.record.objects);
        for (k, ((shape, at), entry)) in objects.enumerate() {
            let Some(files) = entry.files.as_ref().filter(|_| entry.there(frame)) else { continue };
            // Static meshes are written once, even if meshes are requested only from a later frame on.
            if still(world, k) && self.folder.mesh(files, frame).is_file() {
                continue;
            }
            if entry.chart.is_none() && shape.has_seams() && files.ends_with(".ply") {
                entry.chart = Some(self.folder.write_chart(shape, at)?);
            }
            self.folder.write_mesh(entry, shape, at, frame)?;
        }
        Ok(())
    }

    /// Writes the contact sheet and the final record.
    ///
    /// # Errors
    /// The folder is gone, or, for a finished run, files of the run in it are. Or the disk refuses.
    pub(super) fn finish(&mut self, status: Status, reason: Option<String>, wall: f64) -> Result<(), Failure> {
        // No file is written into a folder that has replaced the run's.
        self.watch.same()?;
        let whole = if status == Status::Finished { self.watch.check() } else { Ok(()) };
        let sheet = match whole {
            Ok(()) if self.cells.is_empty() => Ok(()),
            Ok(()) => write_sheet(&self.folder, &self.cells),
            Err(error) => Err(error.into()),
        };
        self.record.status = if sheet.is_ok() { status } else { Status::Failed };
        self.record.reason = reason.or(sheet.as_ref().err().map(Failure::reason));
        self.record.wall = wall;
        self.folder.write_run(&self.record)?;
        sheet
    }
}

/// Writes a picture as PNG, and as EXR if the scene requests it.
///
/// # Errors
/// The disk refuses.
pub(super) fn write_picture(folder: &Folder, scene: &Scene, frame: u32, drawn: &Picture) -> Result<(), Failure> {
    let png = folder.picture(frame, "png");
    folder.write_picture(&png, &encoded(&png, drawn.png())?)?;
    if scene.preview.exr {
        let exr = folder.picture(frame, "exr");
        folder.write_picture(&exr, &encoded(&exr, drawn.exr())?)?;
    }
    Ok(())
}

/// Writes the contact sheet.
///
/// # Errors
/// The disk refuses.
pub(super) fn write_sheet(folder: &Folder, cells: &[(String, Image)]) -> Result<(), Failure> {
    let path = folder.sheet();
    Ok(folder.write_picture(&path, &encoded(&path, sheet(cells).png())?)?)
}

fn encoded(path: &Path, bytes: Result<Vec<u8>, String>) -> Result<Vec<u8>, DiskError> {
    bytes.map_err(|reason| DiskError { path: path.to_path_buf(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec3;
    use crate::mesh::ply;
    use crate::scene;
    use crate::sequence::Entry;

    const SCENE: &str = r#"
[[cloth]]
name = "sheet"
mesh = "../meshes/sheet_1m_25.ply"
transform = { translate = [0, 0.3, 0] }
[[obstacle]]
name = "ball"
sphere = { center = [0, 0, 0], radius = 0.25 }
[preview]
enabled = false
"#;

    /// Returns the record of a run of three frames.
    fn record(scene: &Scene, world: &World, state: &State) -> Run {
        let objects = world.objects.iter().map(|o| Entry {
            name: o.name.clone(),
            kind: o.kind,
            vertices: o.place.len(),
            triangles: o.triangles.len(),
            files: Some(format!("meshes/{0}/{0}.####.ply", o.name)),
            polygons: Vec::new(),
            materials: o.materials.clone(),
            origins: o.origins.clone(),
            chart: None,
            frames: None,
        });
        Run {
            version: String::new(),
            command: Vec::new(),
            scene: String::new(),
            folder: String::new(),
            status: Status::Running,
            reason: None,
            warnings: Vec::new(),
            unproven: false,
            ignored: Vec::new(),
            changes: Vec::new(),
            first: 1,
            frames: 3,
            done: 0,
            fps: 30.0,
            objects: objects.collect(),
            probes: Vec::new(),
            threads: 1,
            wall: 0.0,
            origin: world.origin,
            view: crate::cli::extent::bounds(scene, world, state),
        }
    }

    #[test]
    fn a_frame_that_crosses_is_refused() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/none.toml");
        let scene = scene::read_text(&file, SCENE.as_bytes(), &[]).unwrap();
        let Ok(scene::build::Built { world, mut state, .. }) = scene::build::build(&scene, &file) else { panic!() };
        let path = std::env::temp_dir().join(format!("percale-frames-{}", std::process::id()));
        let folder = Folder::new(&path);
        folder.claim().unwrap();
        let record = record(&scene, &world, &state);
        let lock = folder.lock().unwrap();
        let mut frames = Frames::start(&scene, &world, folder.clone(), record, lock).unwrap();
        let mut write = |state: &State, frame: u32| {
            let mut stats = FrameStats { frame, ..FrameStats::default() };
            frames.write(&world, state, &mut stats, 0.0)
        };
        write(&state, 1).unwrap();
        // The middle of the sheet sinks into the ball, while the rest stays beside it.
        for p in &mut state.x[..world.moving] {
            p.y -= 0.1;
        }
        let failure = write(&state, 2).unwrap_err();
        assert_eq!(failure.code(), 1);
        let reported = failure.reason();
        assert!(
            reported.starts_with("frame 2 of 3, t=") && reported.contains("'sheet' and 'ball' cross: "),
            "{reported}"
        );
        frames.finish(Status::Failed, Some(reported), 0.0).unwrap();
        let run = folder.read_run().unwrap();
        assert_eq!((run.status, run.done), (Status::Failed, 1));
        assert!(
            path.join("meshes/sheet/sheet.0001.ply").is_file() && !path.join("meshes/sheet/sheet.0002.ply").exists()
        );
        assert_eq!(folder.read_stats().unwrap().len(), 1);

        // The mesh of crossings holds triangles of both objects, all at the circle where the sheet enters the ball.
        let shown = ply::read(&std::fs::read(folder.crossing()).unwrap()).unwrap().mesh;
        let of = |object: f64| shown.channels["object"].iter().filter(|o| **o == object).count();
        assert!(of(0.0) > 10 && of(1.0) > 10 && of(0.0) + of(1.0) == shown.positions.len());
        let circle = (0.25f64.powi(2) - 0.2f64.powi(2)).sqrt();
        // Triangles are at most their longest edge from the circle: the sheet's diagonals of 59 mm, or the ball's
        // edges.
        let far = |p: &Vec3| (Vec3::new(0.0, 0.2, 0.0) + Vec3::new(p.x, 0.0, p.z).normalize() * circle - p).norm();
        assert!(shown.positions.iter().map(far).fold(0.0, f64::max) < 0.08);
        folder.claim().unwrap();
        assert!(!folder.crossing().exists());

        // A write that fails because the folder was moved reports the move.
        let away = path.with_extension("away");
        let _ = std::fs::remove_dir_all(&away);
        std::fs::rename(&path, &away).unwrap();
        let refused = DiskError { path: path.join("meshes"), reason: "no such file".to_string() };
        let reported = frames.explained(Err(refused.into())).unwrap_err().reason();
        assert!(reported.contains("the run folder is no longer the one that the run began in"), "{reported}");
        std::fs::rename(&away, &path).unwrap();
        let _ = std::fs::remove_dir_all(path.with_extension("previous"));
        let _ = std::fs::remove_dir_all(&path);
    }
}
