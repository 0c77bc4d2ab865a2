//! `percale report`: writes the report of a run as one HTML page. `percale run` writes it at the end.

use super::failure::Failure;
use super::film::{Film, Source, film};
use super::inspect::{BELOW_ZERO, run_of};
use super::progress::span;
use super::say;
use super::text::count;
use crate::effect::{airflow, water};
use crate::page::{
    Cell, FRAME, Line, Plot, TIME, document_with_viewer, fold, heading, number, paragraph, still, table, verdict,
    viewer,
};
use crate::render::Image;
use crate::sequence::{Folder, FrameStats, Ignored, Run as Record, Status, read, write as write_file};
use crate::world::quantity::{Energy, Number, Stages, energies};
use clap::Args;
use std::path::PathBuf;

/// Number of pictures on the page.
const STILLS: usize = 6;
/// Number of warnings above the run in 3D. The others are folded.
const WARNINGS: usize = 3;
/// Largest width of a picture on the page [pixels]. The run folder has the whole one.
const WIDE: usize = 480;
/// Most characters of the run in 3D, a little over two thirds of a page of three million.
pub(super) const FILM: usize = 2_100_000;
/// Most points of a probe's line.
const POINTS: usize = 2000;

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Report {
    /// Run folder
    dir: PathBuf,
}

impl Report {
    /// Writes the page.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let folder = Folder::new(&self.dir);
        write(&folder)?;
        say(&format!("report in {}", folder.report().display()));
        Ok(())
    }
}

/// Writes the report of a run into its folder, from the frames so far.
///
/// # Errors
/// The folder is no run folder, or the disk refuses.
pub(super) fn write(folder: &Folder) -> Result<(), Failure> {
    let record = run_of(folder)?;
    let name = scene_name(folder, &record);
    let [top, below] = sections(folder, &record)?;
    // A report without the run in 3D is better than none.
    let shown = Source::open(folder).and_then(|source| Ok(film(&source, &name, FILM)?));
    let shown = match shown {
        Ok(Film::Whole(film)) => viewer(&[film]),
        Ok(Film::None(reason)) => paragraph(&format!("The run is not here in 3D: {reason}")),
        Err(failure) => paragraph(&format!("The run is not here in 3D: {}", failure.reason())),
    };
    let body = format!("{top}{shown}{below}");
    write_file(&folder.report(), document_with_viewer(&name, &body, false).as_bytes())?;
    Ok(())
}

/// Tells of a run, as two parts of a page: above the run in 3D how it went, below it all else.
///
/// # Errors
/// A file of the run cannot be read.
pub(super) fn sections(folder: &Folder, record: &Record) -> Result<[String; 2], Failure> {
    let stats = if folder.stats().exists() { folder.read_stats()? } else { Vec::new() };
    let scene = read(&folder.scene())?;
    let top = outcome(record, &stats) + &warnings(record, &stats);
    let mut body = stills(folder, record)?;
    if !stats.is_empty() {
        body.push_str(&plots(&stats));
        body.push_str(&probes(folder, record));
        body.push_str(&time(&stats));
    }
    body.push_str(&heading("Record"));
    body.push_str(&summary(record, &stats));
    body.push_str(&objects(record));
    body.push_str(&fold("Scene as run", &String::from_utf8_lossy(&scene)));
    Ok([("verdict", top), ("told", body)].map(|(id, part)| format!("<div id=\"{id}\">\n{part}</div>\n")))
}

/// Says whether all frames are there and free of crossings, and how long they took.
fn outcome(record: &Record, stats: &[FrameStats]) -> String {
    let Record { done, frames, .. } = record;
    let left: usize = stats.iter().map(|s| s.ignored).max().unwrap_or(0);
    let (sound, crossings) = if record.unproven {
        (false, "triangles may cross, for contact was the vertex test".to_string())
    } else if left > 0 {
        (false, format!("nothing crosses but what did at the start, {} at most", count(left, "pair")))
    } else {
        (true, "nothing crosses".to_string())
    };
    let named: usize = record.ignored.iter().map(|entry| entry.most).sum();
    let crossings = if named > 0 { format!("{crossings} outside of the parts of [[ignore]]") } else { crossings };
    let crossings = if *done == 0 { "none is written".to_string() } else { crossings };
    let state = match record.status {
        Status::Finished => "",
        Status::Running => " so far",
        Status::Failed => ", then the run failed",
        Status::Stopped => ", then the run was stopped",
    };
    let good = sound && *done > 0 && matches!(record.status, Status::Finished | Status::Running);
    let mut out = verdict(good, &format!("{done} of {frames} frames{state}: {crossings}"));
    if let Some(reason) = &record.reason {
        out.push_str(&verdict(false, reason));
    }
    let seconds = stats.last().map_or(0.0, |s| s.time);
    let threads = count(record.threads, "thread");
    out + &paragraph(&format!("{} s simulated in {} on {threads}", number(seconds), span(record.wall)))
}

/// Returns the name of the run folder.
pub(super) fn scene_name(folder: &Folder, record: &Record) -> String {
    let path = folder.path().canonicalize().unwrap_or_else(|_| folder.path().to_path_buf());
    path.file_name().map_or_else(|| record.scene.clone(), |name| name.to_string_lossy().into_owned())
}

fn text(what: impl Into<String>) -> Cell {
    Cell::Text(what.into())
}

fn summary(record: &Record, stats: &[FrameStats]) -> String {
    let Record { status, done, frames, fps, wall, threads, version, .. } = record;
    let steps: u64 = stats.iter().map(|s| s.steps).sum();
    let least = stats.iter().map(|s| s.min_gap).fold(f64::INFINITY, f64::min);
    let gap = if least.is_finite() { format!("{} mm", number(1e3 * least)) } else { "no contact".to_string() };
    let strain = stats.iter().map(|s| s.max_strain).fold(0.0, f64::max);
    let contacts = stats.iter().map(|s| s.contacts).max().unwrap_or(0);
    let finished = done == frames;
    let word = if finished { Cell::Good(status.name().into()) } else { Cell::Bad(status.name().into()) };
    let time = stats.last().map_or(0.0, |s| s.time);
    let rows = vec![
        vec![text("status"), word],
        vec![text("frames"), text(format!("{done} of {frames} at {fps} Hz, {} s", number(time)))],
        vec![text("wall time"), text(format!("{} on {}", span(*wall), count(*threads, "thread")))],
        vec![text("steps"), text(steps.to_string())],
        vec![text("smallest gap"), text(gap)],
        vec![text("most contacts"), text(contacts.to_string())],
        vec![text("largest strain"), text(format!("{} %", number(100.0 * strain)))],
        vec![text("scene"), text(&record.scene)],
        vec![text("command"), text(record.command.join(" "))],
        vec![text("version"), text(format!("percale {version}"))],
    ];
    let mut out = table(&["", ""], &rows);
    if least < 0.0 {
        out.push_str(&paragraph(BELOW_ZERO));
    }
    out
}

/// Lists the warnings: those of the scene, and those from the statistics of steps.
fn warnings(record: &Record, stats: &[FrameStats]) -> String {
    let mut all = record.warnings.clone();
    for change in &record.changes {
        all.extend(change.what.iter().map(|what| format!("changed from frame {} on: {what}", change.from)));
    }
    for Ignored { between, most, frame } in record.ignored.iter().filter(|entry| entry.most > 0) {
        let pairs = count(*most, "pair");
        all.push(format!(
            "{between} are left out of contact ([[ignore]]): {pairs} of triangles cross at frame {frame}, the most"
        ));
    }
    let mut when = |what: &str, holds: &dyn Fn(&FrameStats) -> bool| {
        let frames: Vec<u32> = stats.iter().filter(|s| holds(s)).map(|s| s.frame).collect();
        if let (Some(first), Some(last)) = (frames.first(), frames.last()) {
            let count = frames.len();
            let which =
                if count == 1 { format!("at frame {first}") } else { format!("at {count} frames, {first} to {last}") };
            all.push(format!("{which}: {what}"));
        }
    };
    when("prescribed motion waited for pinched cloth", &|s| s.lag > 0.0);
    when("pinned vertices or surfaces of obstacles gave way in a pinch", &|s| s.yielding > 0);
    when("triangles that cross since the start or a release were left out of contact", &|s| s.ignored > 0);
    when("triangles cross, which the vertex test does not see", &|s| s.crossing > 0);
    when("vertices were held where no other motion was proven free of crossings", &|s| s.truncated > 0);
    when("solves ended before the tolerance", &|s| s.unconverged > 0);
    when("the pressure of flowing air was not solved as asked", &|s| s.tallies.get(&airflow::UNCONVERGED) > 0.0);
    if all.is_empty() {
        return String::new();
    }
    let (first, more) = all.split_at(all.len().min(WARNINGS));
    let mut out = heading("Warnings") + &first.iter().map(|warning| paragraph(warning)).collect::<String>();
    if !more.is_empty() {
        out.push_str(&fold(&format!("{} more", count(more.len(), "warning")), &more.join("\n")));
    }
    out
}

/// Shows pictures, evenly spaced from the first to the last.
fn stills(folder: &Folder, record: &Record) -> Result<String, Failure> {
    let there: Vec<u32> = record.there().filter(|frame| folder.picture(*frame, "png").is_file()).collect();
    let last = there.len().saturating_sub(1);
    let mut places: Vec<usize> = (0..STILLS).map(|k| (k * last + (STILLS - 1) / 2) / (STILLS - 1)).collect();
    places.dedup();
    let mut out = String::new();
    for frame in places.into_iter().filter_map(|k| there.get(k)) {
        let caption = format!("frame {frame}, {} s", number(f64::from(frame - record.first) / record.fps));
        let whole = read(&folder.picture(*frame, "png"))?;
        let smaller = Image::from_png(&whole).and_then(|image| image.narrowed(WIDE).png());
        out.push_str(&still(&caption, &smaller.unwrap_or(whole), *frame));
    }
    Ok(if out.is_empty() {
        out
    } else {
        format!("{}<div class=\"grid pictures\">\n{out}</div>\n", heading("Pictures"))
    })
}

fn line(name: &str, stats: &[FrameStats], of: impl Fn(&FrameStats) -> f64) -> Line {
    Line { name: name.to_string(), points: stats.iter().map(|s| [f64::from(s.frame), of(s)]).collect() }
}

fn plot(title: &str, lines: Vec<Line>) -> String {
    Plot { title: title.to_string(), axis: FRAME.to_string(), lines }.svg()
}

/// Shows the wall time by stage, in total and over frames.
fn time(stats: &[FrameStats]) -> String {
    let mut total = Stages::default();
    stats.iter().for_each(|s| total.add(&s.seconds));
    let all = total.total();
    let row = |stage: &Number<Stages>| {
        let seconds = (stage.get)(&total);
        let share = format!("{:.1}", 100.0 * seconds / all.max(1e-9));
        vec![text(stage.word), Cell::Number(format!("{seconds:.2}")), Cell::Number(share)]
    };
    let rows: Vec<Vec<Cell>> = Stages::NUMBERS.iter().map(row).collect();
    let spent = Stages::NUMBERS.iter().filter(|stage| (stage.get)(&total) > 0.0);
    let lines = spent.map(|stage| line(stage.word, stats, |s| (stage.get)(&s.seconds))).collect();
    let mut out = heading("Time");
    out.push_str("<div class=\"grid\">\n");
    out.push_str(&plot("wall time by stage [s]", lines));
    out.push_str(&table(&["stage", "wall [s]", "share [%]"], &rows));
    out.push_str("</div>\n");
    out
}

fn plots(stats: &[FrameStats]) -> String {
    let one = |of: &dyn Fn(&FrameStats) -> f64| vec![line("", stats, of)];
    let mut out = heading("Over frames");
    out.push_str("<div class=\"grid\">\n");
    out.push_str(&plot("contacts", one(&|s| s.contacts as f64)));
    out.push_str(&plot("smallest gap [mm]", one(&|s| 1e3 * s.min_gap)));
    out.push_str(&plot("largest strain [%]", one(&|s| 100.0 * s.max_strain)));
    let there = |energy: &&Energy| stats.iter().any(|s| s.energies.get(energy.word) != 0.0);
    let lines = |placed: bool| {
        let shown = energies().filter(|energy| placed || !energy.placed).filter(there);
        shown.map(|energy| line(energy.word, stats, |s| s.energies.get(energy.word))).collect()
    };
    out.push_str(&plot("energies [J]", lines(true)));
    // The zero of gravity's energy is the origin. In its scale the other energies often look flat.
    let placed: Vec<&str> = energies().filter(|energy| energy.placed).map(|energy| energy.word).collect();
    out.push_str(&plot(&format!("energies without {} [J]", placed.join(" and ")), lines(false)));
    let count = stats.iter().map(|s| s.airs.len()).max().unwrap_or(0);
    for k in 0..count {
        let name = stats.iter().find_map(|s| s.airs.get(k)).map_or("", |air| air.cloth.as_str());
        let of = |f: fn(&crate::sequence::Air) -> f64| move |s: &FrameStats| s.airs.get(k).map_or(f64::NAN, f);
        let even = stats.iter().filter_map(|s| s.airs.get(k)).all(|air| air.bounds[0] == air.bounds[1]);
        let mut pressures = vec![line(if even { "" } else { "mean" }, stats, of(|a| a.pressure))];
        if !even {
            pressures.push(line("least", stats, of(|a| a.bounds[0])));
            pressures.push(line("largest", stats, of(|a| a.bounds[1])));
        }
        out.push_str(&plot(&format!("volume of air, {name} [l]"), vec![line("", stats, of(|a| 1e3 * a.volume))]));
        out.push_str(&plot(&format!("excess pressure, {name} [Pa]"), pressures));
    }
    for (title, lines) in EFFECTS {
        if stats.iter().any(|s| lines.iter().any(|(_, of)| of(s) != 0.0)) {
            out.push_str(&plot(title, lines.iter().map(|(name, of)| line(name, stats, of)).collect()));
        }
    }
    out.push_str(&plot("steps", one(&|s| s.steps as f64)));
    out.push_str(&plot("linear iterations", one(&|s| s.iterations as f64)));
    let held = vec![
        line("corrected", stats, |s| s.corrected as f64),
        line("held", stats, |s| s.truncated as f64),
        line("steps repeated", stats, |s| s.repeats as f64),
    ];
    out.push_str(&plot("corrections", held));
    out.push_str("</div>\n");
    out
}

/// Name of a line in a plot, and its value at a frame.
type Shown = (&'static str, fn(&FrameStats) -> f64);

/// Plots of water and airflow, for runs that have any.
const EFFECTS: [(&str, &[Shown]); 5] = [
    (
        "water [g]",
        &[
            ("in and on cloths", |s| 1e3 * s.tallies.get(&water::WATER)),
            ("joined", |s| 1e3 * s.tallies.get(&water::JOINED)),
            ("dried", |s| 1e3 * s.tallies.get(&water::DRIED)),
        ],
    ),
    ("liquid bridges", &[("", |s| s.tallies.get(&water::BRIDGES))]),
    ("pull of liquid bridges [N]", &[("", |s| s.tallies.get(&water::ADHESION))]),
    ("fastest air [m/s]", &[("", |s| s.tallies.get(&airflow::SPEED))]),
    ("energy of the air's flow [J]", &[("", |s| s.tallies.get(&airflow::ENERGY))]),
];

/// Plots the measurements of probes over time, a plot per vector quantity. Unreadable probes are left out.
fn probes(folder: &Folder, record: &Record) -> String {
    let mut out = String::new();
    for name in &record.probes {
        let Ok(series) = folder.read_probe(name) else { continue };
        let (mut title, mut lines) = (String::new(), Vec::new());
        let mut flush = |title: &str, lines: Vec<Line>| {
            out.push_str(&Plot { title: title.to_string(), axis: TIME.to_string(), lines }.svg());
        };
        for (k, column) in series.columns.iter().enumerate() {
            let (quantity, unit) = column.split_once(" [").unwrap_or((column, ""));
            let axis = ["x", "y", "z"].into_iter().find(|axis| quantity.ends_with(&format!(" {axis}")));
            let quantity = axis.map_or(quantity, |_| &quantity[..quantity.len() - 2]);
            let own = format!("{name}: {quantity} [{unit}");
            if own != title && !lines.is_empty() {
                flush(&title, std::mem::take(&mut lines));
            }
            title = own;
            let points = series.rows.iter().map(|row| [row[0], row[k + 1]]).collect();
            lines.push(Line { name: axis.unwrap_or_default().to_string(), points }.thinned(POINTS));
        }
        flush(&title, lines);
    }
    if out.is_empty() { out } else { format!("{}<div class=\"grid\">\n{out}</div>\n", heading("Probes")) }
}

fn objects(record: &Record) -> String {
    let row = |o: &crate::sequence::Entry| {
        let number = |n: usize| Cell::Number(n.to_string());
        vec![text(&o.name), text(o.kind.name()), number(o.vertices), number(o.triangles), text(o.describe())]
    };
    let rows: Vec<Vec<Cell>> = record.objects.iter().map(row).collect();
    heading("Objects") + &table(&["name", "kind", "vertices", "triangles", "files"], &rows)
}
