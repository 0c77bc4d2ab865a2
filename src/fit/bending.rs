//! `fit bending`: internal friction of bending from the curls of strips that were rolled around cylinders (Miguel et
//! al. 2013, section 4.3).
//!
//! A profile runs from the free end, with y upwards. At a sample the strip carries the moment of its free part, per
//! width `rho g l d`. The free part has the length `l`, and its centre of mass is ahead by `d` along x. `3 k kappa + s`
//! equals that moment (Eq. 7). The strain is three times the curvature, positive in the sense in which the strip was
//! rolled.

use super::law::{Gauge, Law};
use super::outcome::{MISFIT, Outcome, Row, dots, doubts, figure, misfit, plot, quoted, rows, shown, written};
use super::search::{Estimate, Task};
use super::spline::{Profile, Sample};
use super::track::{Anchor, Noise, Path, Point, Start};
use crate::force::dahl::Form;
use crate::page::number;
use crate::scene::Fault;
use crate::scene::csv::units::{GRAVITY, Measure};
use crate::scene::csv::{Sheet, Want};

/// Known quantities and settings of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Name of the material.
    pub name: String,
    /// Mass of the cloth per area [kg/m^2].
    pub density: f64,
    /// Thickness [m], by which the next turn on the cylinder is wider than the turn below.
    pub thickness: f64,
    /// Whether the free end lay on the cylinder; otherwise it lay outside.
    pub inner: bool,
    /// k1 [N m] and k2 [N m^2].
    pub k: [f64; 2],
    /// Closed form of the friction.
    pub form: Form,
    /// Source of the friction stress that the strip had on the cylinder.
    pub anchor: Anchor,
    /// Quantity measured with errors.
    pub noise: Noise,
}

const RADIUS: &str = "radius";
const REPEAT: &str = "repeat";
const X: &str = "x";
const Y: &str = "y";
/// Number of samples per profile.
const SAMPLES: usize = 5;
/// Gravity moment, as part of the elastic moment, up to which it does not count as opposing.
const LITTLE: f64 = 0.01;

/// Returns the columns of the data.
pub fn wants() -> Vec<Want> {
    vec![
        Want::new(RADIUS, Measure::Length, 1e-5..=10.0),
        Want::maybe(REPEAT, Measure::One, -1e9..=1e9),
        Want::new(X, Measure::Length, -100.0..=100.0),
        Want::new(Y, Measure::Length, -100.0..=100.0),
    ]
}

/// Measured profile: radius on the cylinder, first row, points.
struct Curl {
    radius: f64,
    row: usize,
    points: Vec<[f64; 2]>,
}

fn curls(sheet: &Sheet) -> Vec<Curl> {
    let mut all: Vec<((f64, f64), Curl)> = Vec::new();
    for (row, (x, y)) in sheet.column(X).iter().zip(sheet.column(Y)).enumerate() {
        let radius = sheet.column(RADIUS).get(row).copied().unwrap_or_default();
        let repeat = sheet.maybe(REPEAT).and_then(|c| c.get(row)).copied().unwrap_or_default();
        match all.iter_mut().find(|(key, _)| *key == (radius, repeat)) {
            Some((_, curl)) => curl.points.push([*x, *y]),
            None => all.push(((radius, repeat), Curl { radius, row, points: vec![[*x, *y]] })),
        }
    }
    all.into_iter().map(|(_, curl)| curl).collect()
}

/// Samples of the profiles that were rolled in the same sense.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// Paths from the cylinder to each sample.
    pub paths: Vec<Path>,
    /// Number of dropped samples.
    pub dropped: usize,
}

/// Returns the path of a sample from the cylinder, and whether elastic and gravity moments oppose each other there.
fn path(sample: &Sample, sense: f64, radius: f64, setup: &Setup) -> (Path, bool) {
    let Setup { k, thickness, .. } = setup;
    // Turns lie on each other. The square of the radius grows by thickness times length over pi.
    let below = if setup.inner { sample.length } else { sample.rest };
    let turn = ((radius + 0.5 * thickness).powi(2) + below * thickness / std::f64::consts::PI).sqrt();
    let strain = 3.0 * sense * sample.curvature;
    let load = sense * setup.density * GRAVITY * sample.length * sample.lever;
    let start = match setup.anchor {
        Anchor::Chain => Start::Brought(3.0 / turn),
        Anchor::Saturated => Start::Saturated(3.0 / turn, 1.0),
    };
    let elastic = (k[0] + k[1] * strain.abs()) * strain;
    (Path { start, points: vec![Point { strain, load }] }, load > LITTLE * elastic.abs() && strain > 0.0)
}

/// Returns the samples of each sense: curved to the left and to the right, seen from the free end.
///
/// # Errors
/// A profile has fewer than 5 points or coincident successive points, so that no curve can be fitted.
pub fn sides(sheet: &Sheet, setup: &Setup) -> Result<[Side; 2], Vec<Fault>> {
    let (mut sides, mut faults) = ([Side::default(), Side::default()], Vec::new());
    for curl in curls(sheet) {
        let Some(profile) = Profile::new(&curl.points) else {
            let count = curl.points.len();
            let message = format!("a profile of {count} points; give at least 5, each apart from the one before");
            faults.push(sheet.fault(curl.row, X, message));
            continue;
        };
        let samples: Vec<Sample> = (1..=SAMPLES).map(|k| profile.sample(k as f64 / (SAMPLES + 1) as f64)).collect();
        // The first sample carries the least weight. Its curvature has the sense of rolling, however far gravity opens
        // the rest.
        let turn = samples.first().map_or(0.0, |sample| sample.curvature);
        let [left, right] = &mut sides;
        let side = if turn >= 0.0 { left } else { right };
        for sample in &samples {
            let (path, opposed) = path(sample, if turn >= 0.0 { 1.0 } else { -1.0 }, curl.radius, setup);
            if opposed { side.dropped += 1 } else { side.paths.push(path) }
        }
    }
    if faults.is_empty() { Ok(sides) } else { Err(faults) }
}

/// Builds the estimation problem of samples.
pub fn task(setup: &Setup, paths: Vec<Path>) -> Task {
    Task {
        gauge: Gauge::Bend,
        form: setup.form,
        noise: setup.noise,
        paths,
        weighs: setup.anchor == Anchor::Chain,
        known: Some(setup.k),
    }
}

/// Least and largest tau that a scene accepts [1/m].
const TAUS: [f64; 2] = [1e-6, 1e6];
/// Names and units of the unknowns.
const NAMES: [(&str, &str); 3] = [("a", "N"), ("b", "N m"), ("tau", "1/m")];

/// Result of one sense: its name, estimation problem and estimate.
type Found = (&'static str, Task, Estimate);

/// Fits internal friction to the data, separately for each sense.
///
/// # Errors
/// The errors of [`sides`], or no sense has an estimate from more samples than unknowns.
pub fn fit(sheet: &Sheet, setup: &Setup) -> Result<(Outcome, Vec<Estimate>), Vec<Fault>> {
    let sides = sides(sheet, setup)?;
    let dropped: usize = sides.iter().map(|side| side.dropped).sum();
    let (mut found, mut words) = (Vec::<Found>::new(), Vec::new());
    if dropped > 0 {
        words.push(format!(
            "{dropped} samples were dropped: elastic and gravity torques oppose each other there, and the way to them may have turned"
        ));
    }
    for (side, name) in sides.into_iter().zip(["left", "right"]) {
        let task = task(setup, side.paths);
        if task.paths.is_empty() {
            continue;
        }
        let count = task.paths.len();
        if count <= task.unknowns() {
            words.push(format!("turned to the {name}: {count} samples for 3 unknowns, left out; measure more curls"));
        } else if let Some(estimate) = task.solve() {
            found.push((name, task, estimate));
        }
    }
    let most = found.iter().max_by_key(|(_, _, estimate)| estimate.count);
    let Some((_, _, used)) = most else {
        let message = format!("fewer samples than unknowns: {dropped} of them were dropped; measure more curls");
        return Err(vec![sheet.whole(message)]);
    };
    let several = found.len() > 1;
    let (mut all, mut facts, mut plots) = (Vec::<Row>::new(), Vec::new(), Vec::new());
    for (name, task, estimate) in &found {
        let behind = if several { format!(", {name}") } else { String::new() };
        let mut own = rows(&estimate.found, &NAMES);
        own.iter_mut().for_each(|row| row.name.push_str(&behind));
        words.extend(doubts(estimate, &own, spacing(&task.paths), reached(&task.paths)));
        let measured = if task.noise == Noise::Strain { "curvature" } else { "moment" };
        words.extend(misfit(
            estimate.rms,
            task.most(),
            MISFIT,
            measured,
            "density, rigidity, thickness and the free end",
        ));
        all.extend(own);
        let (unit, scale) = if task.noise == Noise::Strain { ("1/m of curvature", 1.0 / 3.0) } else { ("N", 1.0) };
        facts.push((format!("samples{behind}"), estimate.count.to_string()));
        facts.push((format!("RMS{behind}"), format!("{} {unit}", number(scale * estimate.rms))));
        facts.push((format!("RMS as moment{behind}"), format!("{} N", number(estimate.rms_load))));
        facts.push((format!("condition number{behind}"), shown(estimate.found.condition)));
        plots.push(drawn(task, estimate, &behind));
    }
    words.extend(written(used.law.dahl.tau, TAUS));
    let file = file(sheet, setup, used);
    let estimates = found.iter().map(|(_, _, estimate)| estimate.clone()).collect();
    let title = format!("bending: {}", setup.name);
    let outcome = Outcome { title, rows: all, facts, words, plots, file, ..Outcome::default() };
    Ok((outcome.checked(), estimates))
}

/// Returns the strain on the cylinder.
fn rolled(path: &Path) -> f64 {
    match path.start {
        Start::Brought(e) | Start::Saturated(e, _) => e,
        Start::Virgin => 0.0,
    }
}

/// Returns the largest strain on the cylinders, from which unrolling starts.
fn reached(paths: &[Path]) -> f64 {
    paths.iter().map(rolled).fold(0.0, f64::max)
}

/// Returns the median distance between successive strains on the cylinders.
fn spacing(paths: &[Path]) -> f64 {
    let mut all: Vec<f64> = paths.iter().map(rolled).collect();
    all.sort_by(f64::total_cmp);
    let mut ways: Vec<f64> = all.windows(2).map(|e| e[1] - e[0]).filter(|way| *way > 1e-6).collect();
    ways.sort_by(f64::total_cmp);
    ways.get(ways.len() / 2).copied().unwrap_or(0.0)
}

/// Plots the curvatures of the samples over those on the cylinders, measured and fitted.
fn drawn(task: &Task, estimate: &Estimate, behind: &str) -> crate::page::Plot {
    let (mut measured, mut fitted) = (Vec::new(), Vec::new());
    for path in &task.paths {
        let from = path.from(&estimate.law);
        for point in &path.points {
            measured.push([from.0 / 3.0, point.strain / 3.0]);
            if let Some((e, _)) = estimate.law.reach(from, point.load, point.strain) {
                fitted.push([from.0 / 3.0, e / 3.0]);
            }
        }
    }
    let title = format!("curvature [1/m]{behind}");
    plot(&title, "curvature on the cylinder [1/m]", vec![("measured", dots(measured)), ("fitted", dots(fitted))])
}

/// Formats the material as a scene reads it.
fn file(sheet: &Sheet, setup: &Setup, estimate: &Estimate) -> String {
    let Law { k, dahl, .. } = estimate.law;
    let form = if setup.form == Form::Fitted { "fitted" } else { "exact" };
    let anchor = if setup.anchor == Anchor::Chain { "chain" } else { "saturated" };
    let source =
        format!("percale fit bending of {}: {} samples, form {form}, anchor {anchor}", sheet.file, estimate.count);
    format!(
        "# Stretch was not measured here; it is illustrative.\n\
         [[material]]\n\
         name = {}\n\
         description = \"internal friction of bending as fitted\"\n\
         source = {}\n\
         density = {}\n\
         young = \"1 kN/m\"\n\
         rigidity_progressive = {{ k1 = {}, k2 = {} }}\n\
         internal_friction = {{ bend = {{ a = {}, b = {}, tau = {} }}, form = \"{form}\" }}\n",
        quoted(&setup.name),
        quoted(&source),
        figure(setup.density),
        figure(k[0]),
        figure(k[1]),
        figure(dahl.a),
        figure(dahl.b),
        figure(dahl.tau.clamp(TAUS[0], TAUS[1])),
    )
}
