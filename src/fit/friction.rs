//! `fit friction`: friction over load in directions to the warp, from pulls of a sled (Chen, Feng & Wang 2013, section
//! 5).
//!
//! At each load the force in the direction of the unit vector `u` is `u.F u` with a symmetric tensor `F` (Eq. 2). Least
//! squares over three or more angles determine `F`. The unknowns are the forces at 0, 45 and 90 degrees, which are
//! positive. Curves that hardly differ are replaced by a single curve.

use super::outcome::{MISFIT, Outcome, Row, dots, figure, misfit, plot, shown};
use super::sled::{self, Pull};
use crate::linalg::least::{least, student};
use crate::page::{Line, number};
use crate::scene::csv::Sheet;
use crate::scene::{Fault, fault_of_curves};

/// Settings of the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Name of the pair.
    pub name: String,
    /// Relative difference of the curves below which friction is isotropic.
    pub alike: f64,
    /// Angles held out of the fit and predicted by it [degrees]. `None` holds out 30 and 60 if at least three other
    /// angles remain.
    pub held: Option<Vec<f64>>,
}

/// Fitted forces at one load: at 0, 45 and 90 degrees, at 0 and 90, or one for all directions.
#[derive(Clone, Debug, PartialEq)]
struct Tensor {
    load: f64,
    values: Vec<f64>,
    half: Vec<f64>,
    condition: f64,
}

/// Returns the force in a direction [degrees], from forces at 0, 45 and 90 degrees, at 0 and 90, or one for all.
pub fn force(values: &[f64], angle: f64) -> f64 {
    let (s, c) = angle.to_radians().sin_cos();
    match values {
        [f0, f45, f90] => f0 * c * c + f90 * s * s + 2.0 * s * c * (f45 - 0.5 * (f0 + f90)),
        [f0, f90] => f0 * c * c + f90 * s * s,
        _ => values.first().copied().unwrap_or_default(),
    }
}

/// Returns the distinct numbers in ascending order.
fn apart(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = values.collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() <= 1e-9 * b.abs().max(1e-9));
    all
}

fn is(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1e-9)
}

/// Returns the largest spread of the curves over all loads. At each load the spread is the range of the angles' means
/// over their mean.
fn difference(pulls: &[Pull], of: &dyn Fn(&Pull) -> f64) -> f64 {
    apart(pulls.iter().map(|p| p.load))
        .into_iter()
        .map(|load| {
            let at: Vec<&Pull> = pulls.iter().filter(|p| is(p.load, load)).collect();
            let means: Vec<f64> = apart(at.iter().map(|p| p.angle))
                .into_iter()
                .map(|angle| {
                    let own: Vec<f64> = at.iter().filter(|p| is(p.angle, angle)).map(|p| of(p)).collect();
                    own.iter().sum::<f64>() / own.len().max(1) as f64
                })
                .collect();
            let [low, high] = means.iter().fold([f64::INFINITY, 0.0f64], |[l, h], m| [l.min(*m), h.max(*m)]);
            (high - low) / (means.iter().sum::<f64>() / means.len().max(1) as f64)
        })
        .fold(0.0, f64::max)
}

/// Fits the forces at one load. `unknowns` is 1 for all directions, 2 for warp and weft, 3 for 45 degrees too.
fn tensor(pulls: &[&Pull], load: f64, unknowns: usize, of: &dyn Fn(&Pull) -> f64) -> Option<Tensor> {
    let mean = pulls.iter().map(|p| of(p)).sum::<f64>() / pulls.len().max(1) as f64;
    if unknowns == 1 {
        let spread = pulls.iter().map(|p| (of(p) - mean).powi(2)).sum::<f64>();
        let freedom = pulls.len().saturating_sub(1);
        let half = student(freedom) * (spread / (freedom.max(1) * pulls.len().max(1)) as f64).sqrt();
        let half = if freedom > 0 { half } else { f64::INFINITY };
        return Some(Tensor { load, values: vec![mean], half: vec![half], condition: 1.0 });
    }
    let residual = |p: &[f64]| Some(pulls.iter().map(|pull| force(p, pull.angle) - of(pull)).collect::<Vec<f64>>());
    let found = least(&vec![mean; unknowns], 200, &residual)?;
    let sure = found.freedom > 0;
    let half = found.half.iter().map(|half| if sure { *half } else { f64::INFINITY }).collect();
    Some(Tensor { load, values: found.values, half, condition: found.condition })
}

/// Returns the angles that are held out.
fn held(angles: &[f64], setup: &Setup) -> Vec<f64> {
    let asked = setup.held.clone().unwrap_or_else(|| vec![30.0, 60.0]);
    let out: Vec<f64> = angles.iter().copied().filter(|a| asked.iter().any(|h| is(h.rem_euclid(180.0), *a))).collect();
    if setup.held.is_none() && angles.len() - out.len() < 3 { Vec::new() } else { out }
}

/// Returns the number of unknowns per load that the data determine, and a note on it.
fn unknowns(sheet: &Sheet, pulls: &[Pull], angles: &[f64], setup: &Setup) -> Result<(usize, String), Vec<Fault>> {
    let differ = difference(pulls, &|p| p.plateau);
    let percent = number(100.0 * differ);
    if angles.len() < 2 {
        return Ok((1, "one angle: friction is taken as isotropic".to_string()));
    }
    if differ < setup.alike {
        let limit = number(100.0 * setup.alike);
        return Ok((1, format!("isotropic: curves of the angles differ by {percent} %, less than {limit} %")));
    }
    let anisotropic = format!("anisotropic: curves of the angles differ by {percent} %");
    match angles {
        [a, b] if is(*a, 0.0) && is(*b, 90.0) => {
            Ok((2, format!("{anisotropic}; with two angles what is between them is not told, and taken as the mean")))
        }
        [_, _] => Err(vec![sheet.whole(format!("{anisotropic}; two angles tell no tensor, measure at three or more"))]),
        _ => Ok((3, anisotropic)),
    }
}

/// Fits friction curves to the data.
///
/// # Errors
/// The records are faulty, no angle is left to fit, the angles do not suffice, or a tensor is impossible.
pub fn fit(sheet: &Sheet, setup: &Setup) -> Result<Outcome, Vec<Fault>> {
    let all = sled::pulls(sheet)?;
    let every = apart(all.iter().map(|p| p.angle));
    let held = held(&every, setup);
    let (kept, rest): (Vec<Pull>, Vec<Pull>) = all.into_iter().partition(|p| !held.iter().any(|h| is(*h, p.angle)));
    let angles = apart(kept.iter().map(|p| p.angle));
    if angles.is_empty() {
        return Err(vec![sheet.whole("all angles are held out; leave some to be fitted")]);
    }
    let (unknowns, word) = unknowns(sheet, &kept, &angles, setup)?;
    let peaked = kept.iter().all(|p| p.peak.is_some());
    let mut words = vec![word];
    let (mut plateaus, mut peaks, mut faults) = (Vec::new(), Vec::new(), Vec::new());
    for load in apart(kept.iter().map(|p| p.load)) {
        let at: Vec<&Pull> = kept.iter().filter(|p| is(p.load, load)).collect();
        if apart(at.iter().map(|p| p.angle)).len() < unknowns {
            words.push(format!("load {} N was left out: it has not {unknowns} angles", number(load)));
            continue;
        }
        let Some(plateau) = tensor(&at, load, unknowns, &|p| p.plateau) else { continue };
        let peak = if peaked { tensor(&at, load, unknowns, &|p| p.peak.unwrap_or(p.plateau)) } else { None };
        for tensor in std::iter::once(&plateau).chain(&peak) {
            if let Some(message) = senseless(tensor) {
                faults.extend(at.first().map(|pull| sled::fault(sheet, pull, message)));
            }
        }
        peaks.extend(peak);
        plateaus.push(plateau);
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    if plateaus.is_empty() {
        return Err(vec![sheet.whole("no load has pulls at enough angles; measure all angles with the same loads")]);
    }
    let rows = rows(&plateaus);
    words.extend(
        rows.iter()
            .filter(|row| row.half.is_finite() && row.wide())
            .map(|row| format!("{} is not told by these data: its interval is wider than its value", row.name)),
    );
    let worst = plateaus.iter().map(|t| t.condition).fold(1.0, f64::max);
    let [rms, _] = rests(&kept, &plateaus);
    let most = kept.iter().map(|p| p.plateau).fold(0.0, f64::max);
    words.extend(misfit(rms, most, MISFIT, "force", "angles, loads and the units"));
    let mut facts = vec![
        ("pulls".to_string(), format!("{} at {} angles and {} loads", kept.len(), angles.len(), plateaus.len())),
        ("RMS".to_string(), left(&kept, &plateaus)),
        ("condition number".to_string(), shown(worst)),
    ];
    for angle in &held {
        let own: Vec<Pull> = rest.iter().filter(|p| is(p.angle, *angle)).cloned().collect();
        facts.push((format!("held out, {} degrees", number(*angle)), left(&own, &plateaus)));
    }
    let plots = plots(&kept, &rest, &plateaus);
    let file = file(sheet, &plateaus, &peaks);
    let refused: Vec<String> = fault_of_curves(&file).into_iter().collect();
    Ok(Outcome { title: format!("friction: {}", setup.name), rows, facts, words, plots, file, refused })
}

/// Returns the reason if a tensor is physically impossible.
fn senseless(tensor: &Tensor) -> Option<String> {
    let Tensor { load, values, .. } = tensor;
    if let Some(most) = values.iter().find(|f| **f > 10.0 * load) {
        return Some(format!(
            "{} N of friction at a load of {} N; is the load in N, or in kg?",
            number(*most),
            number(*load)
        ));
    }
    let [f0, f45, f90] = values.as_slice() else { return None };
    let between = f45 - 0.5 * (f0 + f90);
    (between * between >= f0 * f90).then(|| {
        format!("at a load of {} N some direction would be driven by friction; are the angles right?", number(*load))
    })
}

const WAYS: [&str; 3] = ["f0", "f45", "f90"];

/// Returns the names of the curves for a number of unknowns.
fn ways(unknowns: usize) -> Vec<&'static str> {
    match unknowns {
        2 => vec![WAYS[0], WAYS[2]],
        n => WAYS.into_iter().take(n).collect(),
    }
}

fn rows(tensors: &[Tensor]) -> Vec<Row> {
    let of = |tensor: &Tensor| {
        let names = ways(tensor.values.len());
        let pairs = tensor.values.iter().zip(&tensor.half);
        let load = number(tensor.load);
        let rows = names.into_iter().zip(pairs).map(|(name, (value, half))| Row {
            name: format!("{name} at {load} N"),
            unit: "N",
            value: *value,
            half: *half,
        });
        rows.collect::<Vec<Row>>()
    };
    tensors.iter().flat_map(of).collect()
}

/// Returns the root mean square residual of pulls against tensors, absolute [N] and relative to the measured forces.
fn rests(pulls: &[Pull], tensors: &[Tensor]) -> [f64; 2] {
    let pairs: Vec<[f64; 2]> = pulls
        .iter()
        .filter_map(|p| tensors.iter().find(|t| is(t.load, p.load)).map(|t| [p.plateau, force(&t.values, p.angle)]))
        .collect();
    let mean = |f: &dyn Fn(&[f64; 2]) -> f64| (pairs.iter().map(f).sum::<f64>() / pairs.len().max(1) as f64).sqrt();
    [mean(&|[m, f]| (m - f).powi(2)), mean(&|[m, f]| (1.0 - f / m).powi(2))]
}

/// Formats the root mean square residuals.
fn left(pulls: &[Pull], tensors: &[Tensor]) -> String {
    let [own, part] = rests(pulls, tensors);
    format!("{} N, {} %", number(own), number(100.0 * part))
}

/// Largest number of points of a drawn record.
const POINTS: usize = 600;

fn plots(kept: &[Pull], rest: &[Pull], tensors: &[Tensor]) -> Vec<crate::page::Plot> {
    let all = || kept.iter().chain(rest);
    let angles = apart(all().map(|p| p.angle));
    let mut lines = Vec::new();
    for angle in &angles {
        let measured = dots(all().filter(|p| is(p.angle, *angle)).map(|p| [p.load, p.plateau]));
        let fitted = tensors.iter().map(|t| [t.load, force(&t.values, *angle)]).collect();
        lines.push(Line { name: format!("{} deg", number(*angle)), points: measured });
        lines.push(Line { name: "fit".to_string(), points: fitted });
    }
    let mut out = vec![crate::page::Plot { title: "friction [N]".into(), axis: "load [N]".into(), lines }];
    for angle in angles {
        if let Some(pull) = all().find(|p| is(p.angle, angle) && !p.record.is_empty()) {
            let title = format!("force [N], {} degrees, load {} N", number(angle), number(pull.load));
            let (first, last) = (pull.record[0][0], pull.record[pull.record.len() - 1][0]);
            let mut one = plot(&title, "time [s]", Vec::new());
            one.lines.push(Line { name: "measured".to_string(), points: pull.record.clone() }.thinned(POINTS));
            let level = vec![[first, pull.plateau], [last, pull.plateau]];
            one.lines.push(Line { name: "plateau".to_string(), points: level });
            out.push(one);
        }
    }
    out
}

/// Formats the curves as `[[friction]] curves` reads them.
fn file(sheet: &Sheet, plateaus: &[Tensor], peaks: &[Tensor]) -> String {
    let count = plateaus.first().map_or(1, |t| t.values.len());
    let named: String = sheet.file.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut heads = vec!["load".to_string()];
    heads.extend(ways(count).iter().map(|way| (*way).to_string()));
    if !peaks.is_empty() {
        heads.extend(ways(count).iter().map(|way| way.replace('f', "peak")));
    }
    let mut out = format!("# percale fit friction of {named}; loads and forces in N\n{}\n", heads.join(","));
    for (k, plateau) in plateaus.iter().enumerate() {
        let mut cells = vec![figure(plateau.load)];
        cells.extend(plateau.values.iter().map(|f| figure(*f)));
        if let Some(peak) = peaks.get(k) {
            // Peaks and plateaus are fitted separately and may cross. A peak is at least its plateau.
            cells.extend(peak.values.iter().zip(&plateau.values).map(|(peak, f)| figure(peak.max(*f))));
        }
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    out
}
