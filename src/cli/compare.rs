//! `percale compare`: compares two pictures, meshes, or sequences of them.

mod page;
mod series;

use super::failure::Failure;
use super::range::Frames;
use super::{say, warn};
use crate::linalg::par;
use crate::measure::{self, Difference, Gates};
use crate::mesh::{self, TriMesh};
use crate::page::number;
use crate::render::Image;
use crate::sequence::{read, write};
use clap::{Args, ValueEnum};
use series::{Pair, pair};
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Compare {
    /// Picture (.png, .exr), mesh (.ply, .obj), folder of them, or run folder
    a: PathBuf,
    /// Picture, mesh or folder to compare with, of the same kind
    b: PathBuf,
    /// Compare these alone, where there are pictures and meshes
    #[arg(long, value_name = "KIND")]
    only: Option<What>,
    /// Frames to compare, such as 12, 1-60 or 1-100x2; all if absent
    #[arg(long, value_name = "RANGE", value_parser = Frames::parse)]
    frames: Option<Frames>,
    /// A pixel is bad if a channel is further off (0 to 1, as displayed; 0.0098 if absent), a vertex if it lies further
    /// away (metres; 1e-5)
    #[arg(long, value_name = "X", value_parser = amount)]
    threshold: Option<f64>,
    /// Largest share of bad pixels or vertices, 0 to 1 (0.001)
    #[arg(long, value_name = "SHARE", value_parser = amount)]
    share: Option<f64>,
    /// Largest difference anywhere (0.25 of pictures, 1e-3 m of meshes)
    #[arg(long, value_name = "X", value_parser = amount)]
    maximum: Option<f64>,
    /// Write an HTML page: to a file, or compare.html in a folder
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Threads; as many as the machine has if absent
    #[arg(long, value_name = "N", env = "PERCALE_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

/// Kind of compared files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum What {
    /// Pictures
    Images,
    /// Meshes
    Meshes,
}

fn amount(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|x: &f64| *x >= 0.0 && x.is_finite()).ok_or("expected a number from 0 up".to_string())
}

/// Differences at a frame.
struct Row {
    frame: i32,
    /// FLIP of pictures: mean, 99 % quantile and largest.
    flip: Option<[f64; 3]>,
    rms: f64,
    most: f64,
    bad: f64,
    pass: bool,
}

/// Compared frames of two series.
struct Compared {
    pair: Pair,
    gates: Gates,
    rows: Vec<Row>,
}

fn read_image(path: &Path) -> Result<Image, String> {
    let bytes = read(path).map_err(|error| error.to_string())?;
    let exr = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("exr"));
    let image = if exr { Image::from_exr(&bytes) } else { Image::from_png(&bytes) };
    image.map_err(|error| format!("{}: {error}", path.display()))
}

fn read_mesh(path: &Path) -> Result<TriMesh, String> {
    let bytes = read(path).map_err(|error| error.to_string())?;
    let ending = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    mesh::read(&ending, &bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// Computes the difference of two files.
fn difference(what: What, [a, b]: [&Path; 2]) -> Result<Difference, String> {
    let found = match what {
        What::Images => measure::images(&read_image(a)?, &read_image(b)?),
        What::Meshes => {
            let (a, b) = (read_mesh(a)?, read_mesh(b)?);
            measure::vertices(&a.positions, &b.positions).and_then(|found| {
                if a.triangles == b.triangles { Ok(found) } else { Err("meshes of different triangles".to_string()) }
            })
        }
    };
    found.map_err(|error| format!("{} and {}: {error}", a.display(), b.display()))
}

fn row(frame: i32, gates: &Gates, found: &Difference) -> Row {
    let flip = (!found.flip.is_empty()).then(|| {
        let mean = found.flip.iter().sum::<f64>() / found.flip.len() as f64;
        [mean, Difference::quantile(&found.flip, 0.99), found.flip.iter().copied().fold(0.0, f64::max)]
    });
    Row { frame, flip, rms: found.rms, most: found.most, bad: found.bad(gates.threshold), pass: gates.pass(found) }
}

impl Compare {
    /// Compares, prints and writes the report.
    ///
    /// # Errors
    /// A difference is beyond the gates, or files cannot be compared.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let threads = usize::from(self.threads.unwrap_or(0));
        par::with_threads(threads, || self.compare()).map_err(Failure::input)?
    }

    fn compare(&self) -> Result<(), Failure> {
        let (pairs, mut faults) = pair([&self.a, &self.b], self.only, self.frames.as_ref())?;
        let gated = self.threshold.or(self.share).or(self.maximum).is_some();
        if gated && pairs.iter().any(|p| p.what != pairs[0].what) {
            return Err(Failure::input(
                "--threshold, --share and --maximum: there are pictures and meshes here; say which with --only images or --only meshes",
            ));
        }
        let mut all = Vec::new();
        for pair in pairs {
            let usual = if pair.what == What::Images { Gates::IMAGES } else { Gates::MESHES };
            let gates = Gates {
                threshold: self.threshold.unwrap_or(usual.threshold),
                share: self.share.unwrap_or(usual.share),
                most: self.maximum.unwrap_or(usual.most),
            };
            let mut rows = Vec::new();
            for (frame, files) in &pair.frames {
                match difference(pair.what, [&files[0], &files[1]]) {
                    Ok(found) => rows.push(row(*frame, &gates, &found)),
                    Err(fault) => faults.push(fault),
                }
            }
            let compared = Compared { pair, gates, rows };
            compared.tell();
            all.push(compared);
        }
        if let Some(path) = &self.report {
            let folder = path.is_dir() || path.extension().is_none();
            let path = if folder { path.join("compare.html") } else { path.clone() };
            let page = page::page([&self.a, &self.b], &all, &faults).map_err(Failure::input)?;
            if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
                fs::create_dir_all(parent).map_err(|e| crate::sequence::DiskError::new(parent, &e))?;
            }
            write(&path, page.as_bytes())?;
            say(&format!("report in {}", path.display()));
        }
        let (bad, count) = all.iter().flat_map(|c| &c.rows).fold((0, 0), |(b, n), r| (b + usize::from(!r.pass), n + 1));
        if count == 0 && !faults.is_empty() {
            return Err(Failure::Input(faults));
        }
        faults.iter().for_each(|fault| warn(fault));
        if bad == 0 && !faults.is_empty() {
            let what = format!(
                "what could be compared, {count} frames, is the same within the gates; the rest is not in both"
            );
            return Err(Failure::Differs(what));
        }
        if bad > 0 {
            return Err(Failure::Differs(format!("{bad} of {count} frames are beyond the gates")));
        }
        say("the same within the gates");
        Ok(())
    }
}

impl Compared {
    /// Prints the largest of each number, then each frame that is beyond the gates.
    fn tell(&self) {
        let count = self.rows.len();
        let name = &self.pair.name;
        let Some(first) = self.rows.first() else { return };
        let worst = |of: &dyn Fn(&Row) -> f64| {
            let worst = self.rows.iter().fold(first, |w, r| if of(r) > of(w) { r } else { w });
            (of(worst), if count > 1 { at(worst.frame) } else { String::new() })
        };
        let mut parts = Vec::new();
        if first.flip.is_some() {
            for (k, word) in ["FLIP mean", "FLIP 99 %"].into_iter().enumerate() {
                let (value, place) = worst(&|r| r.flip.map_or(0.0, |f| f[k]));
                parts.push(format!("{word} {}{place}", number(value)));
            }
        }
        let unit = if self.pair.what == What::Meshes { " m" } else { "" };
        let (value, place) = worst(&|r| r.rms);
        parts.push(format!("RMSE {}{unit}{place}", number(value)));
        let (value, place) = worst(&|r| r.most);
        parts.push(format!("largest {}{unit}{place}", number(value)));
        let (value, place) = worst(&|r| r.bad);
        parts.push(format!("bad {} %{place}", number(100.0 * value)));
        let frames = if count == 1 { String::new() } else { format!(" {count} frames:") };
        say(&format!("{name}:{frames} {}", parts.join(", ")));
        for row in self.rows.iter().filter(|r| !r.pass) {
            let Gates { share, most, .. } = self.gates;
            let mut why = Vec::new();
            if row.bad > share {
                why.push(format!("bad {} %, at most {} %", number(100.0 * row.bad), number(100.0 * share)));
            }
            if row.most.is_nan() || row.most > most {
                why.push(format!("largest {}{unit}, at most {}{unit}", number(row.most), number(most)));
            }
            say(&format!("{name}{}: differs: {}", at(row.frame), why.join("; ")));
        }
    }
}

/// Returns ` at frame 12`, or nothing for a file without number.
fn at(frame: i32) -> String {
    if frame < 0 { String::new() } else { format!(" at frame {frame}") }
}
