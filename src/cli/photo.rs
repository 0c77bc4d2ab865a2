//! `percale fit photo-bending`, `photo-stretch` and `photo-chart`: measures photographs, and writes
//! the tables that the other fits read.

use super::failure::Failure;
use super::say;
use crate::fit::photo::{self, Held, Scale};
use crate::measure::Chart;
use crate::render::Image;
use crate::scene::csv::units::Measure;
use crate::sequence::write;
use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Commands of `percale fit`.
#[derive(Debug, Subcommand)]
pub(super) enum PhotoFit {
    /// Draw a chart to print: eight marks, to be photographed with a sample
    #[command(name = "photo-chart")]
    Chart {
        /// Distances of the marks across and down, such as 160x110 [mm]
        #[arg(value_name = "WIDTHxHEIGHT", value_parser = chart)]
        size: Chart,
        /// SVG file to write
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
    /// Profiles of rolled strips on photographs, seen along their width: the table of `fit bending`
    #[command(name = "photo-bending")]
    Bending {
        /// Photographs (PNG, JPEG), each after the radius of its cylinder, such as 4mm=curl.jpg
        #[arg(required = true, value_name = "RADIUS=FILE", value_parser = radius)]
        photos: Vec<Labelled>,
        #[command(flatten)]
        common: Common,
        /// Side of the strip that is held
        #[arg(long, value_enum, default_value_t = HeldWord::Top)]
        held: HeldWord,
    },
    /// Distances of two dots drawn on a sample, on photographs in the order of the loads: the table of `fit stretch`
    #[command(name = "photo-stretch")]
    Stretch {
        /// Photographs (PNG, JPEG), each after its load, such as 1N=one.jpg
        #[arg(required = true, value_name = "FORCE=FILE", value_parser = force)]
        photos: Vec<Labelled>,
        #[command(flatten)]
        common: Common,
    },
}

/// Arguments of photographs.
#[derive(Debug, Args)]
pub(super) struct Common {
    /// Distances of the marks of the chart across and down, such as 160x110 [mm]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = chart)]
    chart: Chart,
    /// Table to write (CSV)
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Side of the strip that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum HeldWord {
    /// Upper end
    Top,
    /// Lower end
    Bottom,
    /// Left end
    Left,
    /// Right end
    Right,
}

/// Photograph with the quantity it was taken at.
#[derive(Clone, Debug)]
pub(super) struct Labelled {
    /// Radius [m] or force [N].
    value: f64,
    path: PathBuf,
}

/// Largest file of a photograph [bytes].
const LARGEST: u64 = 256 << 20;

/// Reads the size of a chart.
fn chart(text: &str) -> Result<Chart, String> {
    let sides = text.split_once(['x', 'X']).ok_or("expected two lengths, such as 160x110")?;
    let side = |text: &str| {
        let side = super::fitted::length(text.trim())?;
        if (0.01..=10.0).contains(&side) { Ok(side) } else { Err("out of range, 10 mm to 10 m".to_string()) }
    };
    Ok(Chart { width: side(sides.0)?, height: side(sides.1)? })
}

fn labelled(text: &str, measure: Measure, example: &str) -> Result<Labelled, String> {
    let (value, path) =
        text.split_once('=').ok_or_else(|| format!("expected a value and a file, such as {example}"))?;
    Ok(Labelled { value: measure.read(value.trim())?, path: PathBuf::from(path) })
}

fn radius(text: &str) -> Result<Labelled, String> {
    let found = labelled(text, Measure::Length, "4mm=curl.jpg")?;
    if found.value > 0.0 { Ok(found) } else { Err("the radius must be larger than 0".to_string()) }
}

fn force(text: &str) -> Result<Labelled, String> {
    let found = labelled(text, Measure::Force, "1N=one.jpg")?;
    if found.value >= 0.0 { Ok(found) } else { Err("the force must not be below 0".to_string()) }
}

/// Reads a photograph.
fn picture(path: &Path) -> Result<Image, String> {
    let about = std::fs::metadata(path).map_err(|error| format!("cannot read: {error}"))?;
    if !about.is_file() {
        return Err("is no file".to_string());
    }
    if about.len() > LARGEST {
        return Err("larger than 256 MiB".to_string());
    }
    Image::read(&std::fs::read(path).map_err(|error| format!("cannot read: {error}"))?)
}

/// Measures all photographs and tells their scale. All faults are told at once.
fn measured<T>(
    photos: &[Labelled],
    one: impl Fn(&Image) -> Result<(T, Scale, String), String>,
) -> Result<Vec<(f64, T)>, Failure> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for Labelled { value, path } in photos {
        let shown = path.display();
        match picture(path).and_then(|image| one(&image)) {
            Ok((measured, Scale { pixel, residual }, words)) => {
                let (pixel, residual) = (1e3 * pixel, 1e3 * residual);
                say(&format!("{shown}: {words}; {pixel:.4} mm a pixel, marks within {residual:.3} mm"));
                found.push((*value, measured));
            }
            Err(fault) => faults.push(format!("{shown}: {fault}")),
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(Failure::Input(faults)) }
}

impl PhotoFit {
    /// Measures and writes.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let (out, text, what) = match self {
            PhotoFit::Chart { size, out } => (out, photo::chart_svg(&size), "chart, to print at 100 %,"),
            PhotoFit::Bending { photos, common: Common { chart, out }, held } => {
                let held = match held {
                    HeldWord::Top => Held::Top,
                    HeldWord::Bottom => Held::Bottom,
                    HeldWord::Left => Held::Left,
                    HeldWord::Right => Held::Right,
                };
                let profiles = measured(&photos, |image| {
                    let (line, scale) = photo::profile(image, &chart, held)?;
                    let length: f64 = line.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
                    Ok((line, scale, format!("a strip of {:.2} mm", 1e3 * length)))
                })?;
                (out, photo::profiles_text(&profiles), "table for `fit bending`")
            }
            PhotoFit::Stretch { photos, common: Common { chart, out } } => {
                let lengths = measured(&photos, |image| {
                    let (length, scale) = photo::distance(image, &chart)?;
                    Ok((length, scale, format!("dots {:.3} mm apart", 1e3 * length)))
                })?;
                (out, photo::lengths_text(&lengths), "table for `fit stretch`")
            }
        };
        write(&out, text.as_bytes())?;
        say(&format!("{what} in {}", out.display()));
        Ok(())
    }
}
