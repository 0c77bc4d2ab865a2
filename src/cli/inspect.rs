//! `percale inspect`: describes a mesh file or a run folder.

mod left_out;

use super::failure::Failure;
use super::progress::span;
use super::say;
use super::text::count;
use crate::collision::surface::Surface;
use crate::effect::{airflow, water};
use crate::linalg::Vec3;
use crate::measure::Relief;
use crate::mesh::archive::{self, Archive, Entry as Prim, Upward};
use crate::mesh::check::{self, Severity};
use crate::mesh::number_text::{number, rounded};
use crate::mesh::topology::Topology;
use crate::mesh::{self, MeshError, TriMesh, obj};
use crate::sequence::{Entry, Folder, Found, FrameStats, Lock, Run as Record, Status, read, write};
use crate::world::crossing::{self, Crossing, crossings};
use clap::Args;
use left_out::LeftOut;
use std::path::PathBuf;

/// Window of the roughness of a surface, in mean edge lengths.
const WINDOW: f64 = 4.0;

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Inspect {
    /// Mesh file (.obj, .ply, .usd, .usda, .usdc, .usdz, .abc) or run folder
    path: PathBuf,
    /// Object of an OBJ file; for USD and Alembic, the meshes at or below a path, or below the prim of this name
    #[arg(long, value_name = "NAME")]
    object: Option<String>,
    /// Write the triangles that cross to a PLY file; of a run folder those of its first frame with any
    #[arg(long, value_name = "FILE")]
    crossing: Option<PathBuf>,
    /// Test only this frame of a run folder
    #[arg(long, value_name = "N")]
    frame: Option<u32>,
}

impl Inspect {
    /// Prints counts, bounds, lengths of edges and faults.
    ///
    /// # Errors
    /// The file cannot be read, or the mesh could not be simulated.
    pub(super) fn execute(self) -> Result<(), Failure> {
        if self.path.is_dir() {
            return self.folder();
        }
        if !self.path.is_file() {
            let what = if self.path.exists() { "no regular file" } else { "no such file or folder" };
            return Err(Failure::input(format!("{}: {what}", self.path.display())));
        }
        if self.frame.is_some() {
            return Err(Failure::input("--frame: only a run folder has frames to test".to_string()));
        }
        if archive::reads(&self.path) { self.archive() } else { self.file() }
    }

    /// Returns the failure of an error in the file.
    fn wrong(&self, error: &MeshError) -> Failure {
        let colon = if error.line.is_some() { "" } else { " " };
        Failure::input(format!("{}:{colon}{error}", self.path.display()))
    }

    /// Lists the prims of a USD or Alembic file, and describes the requested mesh.
    fn archive(&self) -> Result<(), Failure> {
        let (entries, rate) = archive::list(&self.path).map_err(|error| self.wrong(&error))?;
        let moves = |moves: [f64; 2]| match rate {
            None => format!(", moves from {} to {} s", number(moves[0]), number(moves[1])),
            Some(rate) => {
                // Time codes are whole numbers up to rounding of the division by the rate.
                let [from, to] = moves.map(|t| number((1e6 * t * rate).round() / 1e6));
                format!(", moves from time code {from} to {to}, {} a second", number(rate))
            }
        };
        for Prim { path, kind, size: [vertices, faces], moves: when, words } in &entries {
            let when = when.map(moves).unwrap_or_default();
            let words: String = words.iter().map(|word| format!(", {word}")).collect();
            say(&format!("{kind} '{path}': {}, {}{when}{words}", count(*vertices, "vertex"), count(*faces, "face")));
        }
        if self.object.is_none() && entries.len() != 1 {
            if self.crossing.is_some() {
                return Err(Failure::input("--crossing: give --object PATH for the mesh to test".to_string()));
            }
            say("--object PATH tells more of one, or of all below a path");
            return Ok(());
        }
        let open = Archive::open(&self.path, self.object.as_deref(), Upward::Y).map_err(|error| self.wrong(&error))?;
        say("in metres, y up, as in a scene whose scene.up is not \"z\":");
        self.mesh(open.mesh)
    }

    fn file(&self) -> Result<(), Failure> {
        let bytes = read(&self.path)?;
        let extension = self.path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        let mesh = match &self.object {
            Some(name) if extension.eq_ignore_ascii_case("obj") => obj::read_object(&bytes, name),
            _ => mesh::read(&extension, &bytes),
        };
        let mesh = mesh.map_err(|error| self.wrong(&error))?;
        if extension.eq_ignore_ascii_case("obj") {
            for part in obj::parts(&bytes).unwrap_or_default().iter().filter(|part| part.object) {
                let (vertices, faces) = (count(part.vertices, "vertex"), count(part.faces, "face"));
                say(&format!("object '{}': {vertices}, {faces}", part.name));
            }
        }
        self.mesh(mesh)
    }

    fn mesh(&self, mesh: TriMesh) -> Result<(), Failure> {
        let name = self.path.display();
        describe(&mesh);
        for note in &mesh.notes {
            let colon = if note.line.is_some() { "" } else { " " };
            say(&format!("warning: {name}:{colon}{note}"));
        }
        let mut errors = Vec::new();
        for fault in check::surface(&mut mesh.clone()) {
            match fault.severity {
                Severity::Error => errors.push(format!("{name}: {}", fault.message)),
                Severity::Warning => say(&format!("warning: {}", fault.message)),
            }
        }
        if errors.is_empty() {
            let surface = Surface::new(&[(0..mesh.positions.len(), mesh.triangles.clone())]);
            let all = crossings(&mesh.positions, &surface, |_, _| true);
            match all.first() {
                Some(crossing) => say(&format!("warning: {}", crossing.describe(|_| "the mesh"))),
                None => say("no triangles cross"),
            }
            self.show(&mesh.positions, &surface, &all)?;
        }
        if errors.is_empty() {
            return Ok(());
        }
        let (flat, mut loose) = (check::flat(&mesh), mesh);
        if check::obstacle(&mut loose, &flat).iter().all(|fault| fault.severity == Severity::Warning) {
            say("no cloth or body can be made of it; it will do as an obstacle");
        }
        Err(Failure::Input(errors))
    }

    /// Writes the crossing triangles, if a file for them was given.
    fn show(&self, x: &[Vec3], surface: &Surface, all: &[Crossing]) -> Result<bool, Failure> {
        let Some(path) = self.crossing.as_ref().filter(|_| !all.is_empty()) else { return Ok(false) };
        let shown = crossing::mesh(x, surface, all);
        let bytes = shown.map_err(|error| Failure::input(format!("{}: {error}", path.display())))?;
        write(path, &bytes)?;
        say(&format!("the triangles are in {}", path.display()));
        Ok(true)
    }

    /// Reports the crossings in the requested frames.
    fn frames(&self, folder: &Folder, record: &Record) -> Result<(), Failure> {
        if let Some(frame) = self.frame.filter(|frame| !record.has(*frame)) {
            let there = match (record.first, record.done) {
                (1, done) | (_, done @ 0) => count(done, "frame"),
                (first, _) => format!("frames {first} to {}", record.last_done()),
            };
            return Err(Failure::input(format!("--frame {frame}: the run has {there}")));
        }
        let frames = self.frame.map_or(record.there(), |frame| frame..frame + 1);
        let (first, last) = (frames.start, frames.end.saturating_sub(1));
        let mut left_out = LeftOut::of(folder, record).unwrap_or_else(|why| {
            say(&format!("warning: the parts of [[ignore]] are unknown, and told as others: {why}"));
            None
        });
        let stats = if left_out.is_some() { folder.read_stats()? } else { Vec::new() };
        let (mut some, mut shown) = (false, false);
        for frame in frames {
            let (x, surface, entries) = surfaces(folder, record, frame)?;
            let moves = |k: usize| entries.get(k).is_some_and(|e| e.kind.simulated());
            let mut all = crossings(&x, &surface, |_, _| true);
            // Crossings among obstacles are allowed. Those at the start are among the warnings of the scene.
            all.retain(|crossing| crossing.objects.iter().any(|k| moves(*k)));
            if let Some(left_out) = &mut left_out {
                let regions = stats.iter().find(|line| line.frame == frame).map_or(&[][..], |line| &line.regions);
                left_out.take(frame, (&x, &surface, &entries), regions, &mut all);
            }
            all.iter_mut().flat_map(|c| &mut c.places).for_each(|place| *place += record.origin);
            for crossing in &all {
                say(&format!("at frame {frame} {}", crossing.describe(|k| entries.get(k).map_or("", |e| &e.name))));
            }
            some |= !all.is_empty();
            shown = shown || self.show(&x, &surface, &all)?;
        }
        let left_out = left_out.map_or_else(Vec::new, |left_out| left_out.describe());
        let outside = if left_out.is_empty() { "" } else { " outside of the parts of [[ignore]]" };
        match last {
            _ if some || record.done == 0 => {}
            _ if first == last => say(&format!("no triangles cross at frame {last}{outside}")),
            _ => say(&format!("no triangles cross at frames {first} to {last}{outside}")),
        }
        left_out.iter().for_each(|line| say(line));
        Ok(())
    }

    fn folder(&self) -> Result<(), Failure> {
        let folder = Folder::new(&self.path);
        let record = run_of(&folder)?;
        let Record { scene, status, done, frames, fps, wall, threads, .. } = &record;
        say(&format!("run of {scene} by percale {}", record.version));
        say(&format!(
            "{}: {done} of {} at {fps} Hz, {} on {}",
            status.name(),
            count(*frames, "frame"),
            span(*wall),
            count(*threads, "thread")
        ));
        if *status == Status::Running && Lock::held(&self.path).is_none() {
            say("no process runs in the folder: the run was ended by force; --resume goes on");
        }
        if let Some(reason) = &record.reason {
            say(&format!("reason: {reason}"));
        }
        // Warnings that `check` gives for the scene.
        for reported in &record.warnings {
            say(&format!("warning: {reported}"));
        }
        for change in &record.changes {
            for what in &change.what {
                say(&format!("changed from frame {} on: {what}", change.from));
            }
        }
        // Before the first frame no file can be missing.
        let lost = if *done == 0 { Vec::new() } else { folder.damage(&record, record.last_done()) };
        let [broken, other] = folder.unread_checkpoints()?;
        for checkpoint in other {
            say(&format!("warning: {checkpoint}; --resume passes it over"));
        }
        let damage = lost.into_iter().chain(broken);
        let damage: Vec<String> = damage.map(|damaged| damaged.to_string()).collect();
        if !damage.is_empty() {
            return Err(Failure::Damaged(damage));
        }
        objects(&folder, &record)?;
        self.frames(&folder, &record)?;
        let stats = folder.read_stats()?;
        tell_of_water(&stats);
        tell_of_air(&stats);
        let least = stats.iter().map(|s| s.min_gap).fold(f64::INFINITY, f64::min);
        let strain = stats.iter().map(|s| s.max_strain).fold(0.0, f64::max);
        let steps: u64 = stats.iter().map(|s| s.steps).sum();
        let gap = if least.is_finite() {
            format!("smallest gap {} mm", rounded(least * 1e3))
        } else {
            "no contact".to_string()
        };
        let steps = count(steps, "step");
        say(&format!("{steps}, {gap}, largest strain {} %", rounded(strain * 100.0)));
        if least < 0.0 {
            say(BELOW_ZERO);
        }
        Ok(())
    }
}

/// Tells the water at the last frame, if there is or was any.
fn tell_of_water(stats: &[FrameStats]) {
    if let Some(last) =
        stats.last().filter(|s| [&water::WATER, &water::DRIED].iter().any(|own| s.tallies.get(own) > 0.0))
    {
        let [water, joined, dried] =
            [&water::WATER, &water::JOINED, &water::DRIED].map(|own| rounded(1e3 * last.tallies.get(own)));
        say(&format!("water at frame {}: {water} g in and on cloths; {joined} g joined, {dried} g dried", last.frame));
    }
}

/// Tells how fast air flows, if it does.
fn tell_of_air(stats: &[FrameStats]) {
    let speed = |s: &FrameStats| s.tallies.get(&airflow::SPEED);
    if let Some(at) = stats.iter().max_by(|a, b| speed(a).total_cmp(&speed(b))).filter(|s| speed(s) > 0.0) {
        let unconverged: u64 = stats.iter().map(|s| s.tallies.get(&airflow::UNCONVERGED) as u64).sum();
        let (speed, frame) = (rounded(speed(at)), at.frame);
        say(&format!(
            "air flows at up to {speed} m/s (frame {frame}); its pressure was not solved as asked in {unconverged} steps"
        ));
    }
}

/// Explanation of a smallest gap below zero.
pub(super) const BELOW_ZERO: &str = "A gap below zero is nearer than the thickness, and no crossing: where surfaces turn away from each other, \
    only a part of the repulsion acts.";

/// Reads the record of a run folder.
///
/// # Errors
/// The folder has no record, or it cannot be read.
pub(super) fn run_of(folder: &Folder) -> Result<Record, Failure> {
    if !folder.is_run() {
        if let Found::Damaged(why) = folder.find()? {
            return Err(Failure::Damaged(vec![why.to_string()]));
        }
        let path = folder.path().display();
        return Err(Failure::input(format!("{path}: no run folder; one that percale run has made holds run.json")));
    }
    Ok(folder.read_run()?)
}

/// Reads the recorded meshes of a frame as one surface, with their entries.
fn surfaces<'a>(
    folder: &Folder,
    record: &'a Record,
    frame: u32,
) -> Result<(Vec<Vec3>, Surface, Vec<&'a Entry>), Failure> {
    let mut x: Vec<Vec3> = Vec::new();
    let mut parts = Vec::new();
    let mut entries = Vec::new();
    for entry in &record.objects {
        let Some((shape, at)) = folder.read_mesh(entry, frame)? else { continue };
        let first = x.len();
        x.extend(at.positions);
        parts.push((first..x.len(), shape.triangles.iter().map(|t| t.map(|v| v + first as u32)).collect()));
        entries.push(entry);
    }
    Ok((x, Surface::new(&parts), entries))
}

fn describe(mesh: &TriMesh) {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let open = topology.edge_valence.iter().filter(|n| **n == 1).count();
    let (v, e, t) = (mesh.positions.len(), topology.edges.len(), mesh.triangles.len());
    say(&format!("{v} vertices, {e} edges ({open} on the boundary), {t} triangles"));
    say(&format!("bounds {}", bounds(&mesh.positions, &Vec3::zeros())));
    let at = |v: u32| mesh.positions.get(v as usize).copied().unwrap_or_default();
    let lengths: Vec<f64> = topology.edges.iter().map(|[a, b]| (at(*a) - at(*b)).norm()).collect();
    if !lengths.is_empty() {
        let least = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        let most = lengths.iter().copied().fold(0.0, f64::max);
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        let [least, mean, most] = [least, mean, most].map(|l| l * 1e3);
        say(&format!("edges {} to {} mm, mean {} mm", rounded(least), rounded(most), rounded(mean)));
    }
    let area: f64 =
        mesh.triangles.iter().map(|[a, b, c]| (at(*b) - at(*a)).cross(&(at(*c) - at(*a))).norm() / 2.0).sum();
    say(&format!("area {} m2", rounded(area)));
    if !mesh.uv_triangles.is_empty() {
        say(&format!("chart of {} coordinates", mesh.uv.len()));
    }
    for (name, members) in &mesh.groups {
        say(&format!("group '{name}': {}", count(members.len(), "vertex")));
    }
    for (name, values) in &mesh.channels {
        let (low, high) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        say(&format!("channel '{name}': {low} to {high}"));
    }
}

/// Describes each object of a run, with its bounds and its relief at the last frame.
fn objects(folder: &Folder, record: &Record) -> Result<(), Failure> {
    for entry in &record.objects {
        say(&format!(
            "'{}': {}, {}, {}",
            entry.name,
            count(entry.vertices, "vertex"),
            count(entry.triangles, "triangle"),
            entry.describe()
        ));
        if record.done == 0 {
            continue;
        }
        if let Some((shape, at)) = folder.read_mesh(entry, record.last_done())? {
            say(&format!("  bounds at frame {}: {}", record.last_done(), bounds(&at.positions, &record.origin)));
            let moves = entry.files.as_ref().is_some_and(|files| files.contains('#'));
            if let Some((_, start)) = folder.read_mesh(entry, record.first)?.filter(|_| moves) {
                say(&relief(&start.positions, &at.positions, &shape.triangles, entry.kind.simulated()));
            }
        }
    }
    Ok(())
}

/// Describes the roughness and curvature of a simulated surface, and the motion of a surface since the start.
fn relief(start: &[Vec3], x: &[Vec3], triangles: &[[u32; 3]], simulated: bool) -> String {
    let (before, now) = (Relief::new(start, triangles), Relief::new(x, triangles));
    let window = WINDOW * now.edge();
    let (rough, [mean, gaussian]) = (1e3 * now.roughness(window), now.curvature());
    let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    let turns = axes.map(|axis| before.motion(&now, &axis).1.to_degrees());
    let (shift, _) = before.motion(&now, &axes[1]);
    let [x, y, z] = turns;
    let form = if rough.is_finite() && simulated {
        format!(
            "  rough by {rough:.4} mm RMS within {:.1} mm, curved by {mean:.4} 1/m and {gaussian:.4} 1/m2 RMS (mean, Gaussian)\n",
            1e3 * window
        )
    } else {
        // Too few neighbours at every vertex, or an obstacle.
        String::new()
    };
    format!(
        "{form}  moved by ({:.4}, {:.4}, {:.4}) m since the start, turned by {x:.2}, {y:.2}, {z:.2} deg about x, y, z",
        shift.x, shift.y, shift.z
    )
}

/// Returns the corners of the box around points, with an origin added.
fn bounds(x: &[Vec3], origin: &Vec3) -> String {
    let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let (low, high) = x.iter().fold(start, |(low, high), p| (low.inf(p), high.sup(p)));
    let (low, high) = (low + origin, high + origin);
    let corner = |p: Vec3| format!("({:.4}, {:.4}, {:.4})", p.x, p.y, p.z);
    format!("{} to {} m", corner(low), corner(high))
}
