//! `fit stretch`: stiffness and internal friction of stretch from weights hung on a square of cloth and its measured
//! lengths (Miguel et al. 2013, section 4.2).

use super::law::{Gauge, Law};
use super::outcome::{Outcome, dots, doubts, figure, misfit, plot, quoted, rows, shown, written};
use super::search::{Estimate, Task};
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
    /// Rest length of the sample between the clips [m].
    pub size: f64,
    /// Width of the sample [m].
    pub width: f64,
    /// Mass of the lower clip [kg].
    pub clip: f64,
    /// Mass of the cloth per area [kg/m^2].
    pub density: f64,
    /// Closed form of the friction.
    pub form: Form,
    /// Source of the friction stress at a point.
    pub anchor: Anchor,
    /// Quantity measured with errors.
    pub noise: Noise,
}

/// Measured row: its index in the sheet, force on the sample [N], length [m].
type Measured = (usize, f64, f64);

/// Change of length against the force that counts as noise, as part of the largest elongation.
const AGAINST: f64 = 0.05;
/// Names of columns.
const REPEAT: &str = "repeat";
const ORDER: &str = "order";
const FORCE: &str = "force";
const LENGTH: &str = "length";

/// Returns the columns of the data.
pub fn wants() -> Vec<Want> {
    vec![
        Want::maybe(REPEAT, Measure::One, -1e9..=1e9),
        Want::maybe(ORDER, Measure::One, -1e9..=1e9),
        Want::new(FORCE, Measure::Force, 0.0..=1e5),
        Want::new(LENGTH, Measure::Length, 1e-5..=100.0),
    ]
}

/// Groups the rows by repeats, sorted by their order.
fn repeats(sheet: &Sheet, setup: &Setup) -> Result<Vec<Vec<Measured>>, Vec<Fault>> {
    // The middle of the sample carries half of the cloth's own weight.
    let own = (setup.clip + 0.5 * setup.density * setup.size * setup.width) * GRAVITY;
    let mut all: Vec<(f64, Vec<(f64, Measured)>)> = Vec::new();
    for (row, (force, length)) in sheet.column(FORCE).iter().zip(sheet.column(LENGTH)).enumerate() {
        let cell = |name: &str, default: f64| sheet.maybe(name).and_then(|c| c.get(row)).copied().unwrap_or(default);
        let (repeat, order) = (cell(REPEAT, 0.0), cell(ORDER, row as f64));
        let k = all.iter().position(|(known, _)| *known == repeat).unwrap_or_else(|| {
            all.push((repeat, Vec::new()));
            all.len() - 1
        });
        if let Some((_, rows)) = all.get_mut(k) {
            rows.push((order, (row, force + own, *length)));
        }
    }
    let mut faults = Vec::new();
    for (_, rows) in &mut all {
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        for pair in rows.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            faults.push(sheet.fault(pair[1].1.0, ORDER, "the order of two rows of a repeat is the same"));
        }
    }
    let rows: Vec<Vec<Measured>> =
        all.into_iter().map(|(_, rows)| rows.into_iter().map(|(_, m)| m).collect()).collect();
    if faults.is_empty() { Ok(rows) } else { Err(faults) }
}

/// Returns the faults of data that cannot be fitted.
fn refused(sheet: &Sheet, repeats: &[Vec<Measured>], setup: &Setup) -> Vec<Fault> {
    let mut faults = Vec::new();
    let longest = repeats.iter().flatten().map(|m| m.2 - setup.size).fold(0.0, f64::max);
    if longest <= 0.0 {
        let shown =
            format!("no length exceeds the size of {} mm; is size the length at rest?", number(1e3 * setup.size));
        return vec![sheet.fault(0, LENGTH, shown)];
    }
    for rows in repeats {
        for pair in rows.windows(2) {
            let (force, length) = (pair[1].1 - pair[0].1, pair[1].2 - pair[0].2);
            if force * length < 0.0 && length.abs() > AGAINST * longest {
                let (goes, comes) = if force < 0.0 { ("falls", "grows") } else { ("grows", "falls") };
                let shown = |row: usize| number(sheet.column(FORCE).get(row).copied().unwrap_or_default());
                let message = format!(
                    "force {goes} from {} to {} N while length {comes} from {} to {} mm",
                    shown(pair[0].0),
                    shown(pair[1].0),
                    number(1e3 * pair[0].2),
                    number(1e3 * pair[1].2)
                );
                faults.push(sheet.fault(pair[1].0, LENGTH, message));
            }
        }
    }
    let branches: usize = repeats.iter().map(|rows| branches(rows)).max().unwrap_or(0);
    if branches < 2 {
        let message =
            "force never turns: friction is seen only where it does; measure while loading and while unloading";
        faults.push(sheet.whole(message));
    }
    let points: usize = repeats.iter().map(Vec::len).sum();
    if points < 6 {
        faults.push(sheet.whole(format!("{points} points for 5 unknowns; measure more")));
    }
    faults
}

/// Counts the branches: runs of rows along which the force only grows or only falls.
fn branches(rows: &[Measured]) -> usize {
    let (mut count, mut last) = (0, 0.0);
    for pair in rows.windows(2) {
        let d = (pair[1].1 - pair[0].1).signum();
        if pair[1].1 != pair[0].1 && d != last {
            (count, last) = (count + 1, d);
        }
    }
    count
}

/// Returns the path of a repeat from a virgin start.
fn chain(points: &[Point]) -> Path {
    Path { start: Start::Virgin, points: points.to_vec() }
}

/// Returns a path for each point of a repeat, from the last reversal of the load (Miguel et al. 2013, section 4.2). The
/// first point is itself a reversal, and so is a point with the load of the point before.
fn anchored(points: &[Point]) -> Vec<Path> {
    let Some(mut anchor) = points.first().map(|point| point.strain) else { return Vec::new() };
    let (mut out, mut last, mut before) = (Vec::new(), 1.0, f64::NAN);
    for (k, point) in points.iter().enumerate() {
        let change = if k == 0 { 0.0 } else { point.load - before };
        if k == 0 {
            anchor = point.strain;
        } else if change == 0.0 {
            (anchor, last) = (point.strain, -last);
        } else if change.signum() != last {
            (anchor, last) = (points[k - 1].strain, change.signum());
        }
        before = point.load;
        out.push(Path { start: Start::Saturated(anchor, -last), points: vec![*point] });
    }
    out
}

/// Builds the estimation problem of the data, and returns it with the points of each repeat.
///
/// # Errors
/// The data cannot be fitted: rows with the same order, no elongation, lengths against the force, no reversal, or too
/// few points.
pub fn task(sheet: &Sheet, setup: &Setup) -> Result<(Task, Vec<Vec<Point>>), Vec<Fault>> {
    let repeats = repeats(sheet, setup)?;
    let faults = refused(sheet, &repeats, setup);
    if !faults.is_empty() {
        return Err(faults);
    }
    let point = |m: &Measured| Point { strain: 0.5 * ((m.2 / setup.size).powi(2) - 1.0), load: m.1 / setup.width };
    let points: Vec<Vec<Point>> = repeats.iter().map(|rows| rows.iter().map(point).collect()).collect();
    let (paths, noise) = match setup.anchor {
        Anchor::Chain => (points.iter().map(|points| chain(points)).collect(), setup.noise),
        // The anchors are measured strains.
        Anchor::Saturated => (points.iter().flat_map(|points| anchored(points)).collect(), Noise::Load),
    };
    Ok((
        Task {
            gauge: Gauge::Stretch,
            form: setup.form,
            noise,
            paths,
            weighs: setup.anchor == Anchor::Chain,
            known: None,
        },
        points,
    ))
}

/// RMS residual, as part of the largest value, above which a misfit is reported. Lengths are measured accurately.
const MISFIT_OF_LENGTHS: f64 = 0.04;
/// Initial strain at a small load, as part of the largest strain, above which the sample's size is doubtful.
const SLACK: f64 = 0.05;
/// Load that counts as small, as part of the largest load.
const HARDLY: f64 = 0.02;

/// Returns a note if a sample begins at a length different from its size.
fn slack(points: &[Vec<Point>], setup: &Setup) -> Option<String> {
    let most = |of: fn(&Point) -> f64| points.iter().flatten().map(of).fold(0.0, f64::max);
    let (strain, load) = (most(|point| point.strain), most(|point| point.load));
    let firsts = points.iter().filter_map(|points| points.first());
    let off = firsts.filter(|p| p.load.abs() <= HARDLY * load && p.strain.abs() > SLACK * strain);
    let first = off.max_by(|a, b| a.strain.abs().total_cmp(&b.strain.abs()))?;
    Some(format!(
        "a repeat begins at a length of {} mm, where hardly anything pulls, and size is {} mm; is size the length at rest?",
        number(1e3 * setup.size * (1.0 + 2.0 * first.strain).max(0.0).sqrt()),
        number(1e3 * setup.size)
    ))
}

/// Least and largest tau that a scene accepts.
const TAUS: [f64; 2] = [1e-9, 100.0];
/// Names and units of the unknowns.
const NAMES: [(&str, &str); 5] = [("k1", "N/m"), ("k2", "N/m"), ("a", "N/m"), ("b", "N/m"), ("tau", "")];

/// Fits stiffness and internal friction to the data.
///
/// # Errors
/// The errors of [`task`], or no parameters fit the data.
pub fn fit(sheet: &Sheet, setup: &Setup) -> Result<(Outcome, Estimate), Vec<Fault>> {
    let (task, points) = task(sheet, setup)?;
    let estimate = task
        .solve()
        .ok_or_else(|| vec![sheet.whole("no parameters fit these data; are the units those of the heading?")])?;
    let rows = rows(&estimate.found, &NAMES);
    let mut words = doubts(&estimate, &rows, spacing(&points), task.range());
    let Law { k, dahl, .. } = estimate.law;
    let measured = if task.noise == Noise::Strain { "strain" } else { "force" };
    words.extend(misfit(estimate.rms, task.most(), MISFIT_OF_LENGTHS, measured, "size, width, clip and the units"));
    words.extend(slack(&points, setup));
    words.extend(written(dahl.tau, TAUS));
    if k[0] < dahl.b {
        words.push(format!(
            "k1 - b is {}, below 0: near no strain the force falls while the cloth is let shorter, and it may jump there",
            number(k[0] - dahl.b)
        ));
    }
    let (unit, scale) = if task.noise == Noise::Strain { ("strain", 1.0) } else { ("N", setup.width) };
    let grown = if estimate.scatter.part > 0.5 { ", growing with the value" } else { "" };
    let outcome = Outcome {
        title: format!("stretch: {}", setup.name),
        facts: vec![
            ("points".into(), format!("{} in {} repeats", estimate.count, points.len())),
            ("RMS".into(), format!("{} {unit}{grown}", number(scale * estimate.rms))),
            ("RMS as force".into(), format!("{} N", number(setup.width * estimate.rms_load))),
            ("condition number".into(), shown(estimate.found.condition)),
        ],
        words,
        plots: plots(&task, &estimate, &points, setup),
        file: file(sheet, setup, &estimate),
        rows,
        ..Outcome::default()
    };
    Ok((outcome.checked(), estimate))
}

/// Returns the median distance between successive strains.
fn spacing(points: &[Vec<Point>]) -> f64 {
    let pairs = points.iter().flat_map(|points| points.windows(2));
    let mut all: Vec<f64> = pairs.map(|pair| (pair[1].strain - pair[0].strain).abs()).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// Plots data, fitted curve and residuals.
fn plots(task: &Task, estimate: &Estimate, points: &[Vec<Point>], setup: &Setup) -> Vec<crate::page::Plot> {
    let at = |point: &Point| [point.strain, setup.width * point.load];
    let data = dots(points.iter().flatten().map(at));
    let (law, parts) = (&estimate.law, 12);
    let mut curve = Vec::new();
    if let Some(first) = points.first() {
        let (mut here, mut from) = ((0.0, 0.0), 0.0);
        for point in first {
            for k in 1..=parts {
                let load = from + (point.load - from) * f64::from(k) / f64::from(parts);
                let Some(next) = law.reach(here, load, here.0) else { break };
                here = next;
                curve.push([here.0, setup.width * load]);
            }
            from = point.load;
        }
    }
    let left = super::track::left(&task.paths, law, task.noise, &super::track::Scatter::even(1.0)).unwrap_or_default();
    let measured = super::track::telling(&task.paths);
    let (name, scale) = match task.noise {
        Noise::Strain => ("measured less fitted strain", 1.0),
        Noise::Load => ("measured less fitted force [N]", setup.width),
    };
    let rest = dots(measured.zip(left).map(|(point, left)| [point.strain, scale * left]));
    vec![
        plot("force [N]", "Green strain", vec![("measured", data), ("fitted", curve)]),
        plot(name, "Green strain", vec![("", rest)]),
    ]
}

/// Formats the material as a scene reads it.
fn file(sheet: &Sheet, setup: &Setup, estimate: &Estimate) -> String {
    let Law { k, dahl, .. } = estimate.law;
    let form = if setup.form == Form::Fitted { "fitted" } else { "exact" };
    let anchor = if setup.anchor == Anchor::Chain { "chain" } else { "saturated" };
    format!(
        "# Rigidity was not measured here; it is illustrative.\n\
         [[material]]\n\
         name = {}\n\
         description = \"stretch and its internal friction as fitted\"\n\
         source = {}\n\
         density = {}\n\
         young_progressive = {{ warp = [{}, {}] }}\n\
         rigidity = \"8 uN m\"\n\
         internal_friction = {{ stretch = {{ a = {}, b = {}, tau = {} }}, form = \"{form}\" }}\n",
        quoted(&setup.name),
        quoted(&format!(
            "percale fit stretch of {}: {} points, form {form}, anchor {anchor}",
            sheet.file, estimate.count
        )),
        figure(setup.density),
        figure(k[0]),
        figure(k[1]),
        figure(dahl.a),
        figure(dahl.b),
        figure(dahl.tau.clamp(TAUS[0], TAUS[1])),
    )
}
