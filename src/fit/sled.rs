//! Records of a sled drawn over cloth: peak force before it slides, and the plateau that follows.

use crate::scene::Fault;
use crate::scene::csv::units::Measure;
use crate::scene::csv::{Sheet, Want};

/// Result of a pull.
#[derive(Clone, Debug, PartialEq)]
pub struct Pull {
    /// First row of the pull.
    pub row: usize,
    /// Angle of the pull to the warp [degrees], 0 to 180. Opposite directions are equivalent.
    pub angle: f64,
    /// Load [N].
    pub load: f64,
    /// Force during sliding [N].
    pub plateau: f64,
    /// Largest force at the start [N].
    pub peak: Option<f64>,
    /// Pairs of time and force; empty unless the record is raw.
    pub record: Vec<[f64; 2]>,
}

const ANGLE: &str = "angle";
const LOAD: &str = "load";
const REPEAT: &str = "repeat";
const TIME: &str = "time";
const FORCE: &str = "force";
const PLATEAU: &str = "plateau";
const PEAK: &str = "peak";
/// Width of the median filter [samples].
const WINDOW: usize = 5;
/// Least number of samples of a record.
const FEWEST: usize = 8;

/// Returns the columns of the data, of raw records or of means.
pub fn wants() -> Vec<Want> {
    vec![
        Want::new(ANGLE, Measure::Angle, -6.3..=6.3),
        Want::new(LOAD, Measure::Force, 1e-9..=1e6),
        Want::maybe(REPEAT, Measure::One, -1e9..=1e9),
        Want::maybe(TIME, Measure::Time, -1e9..=1e9),
        Want::maybe(FORCE, Measure::Force, -1e6..=1e6),
        Want::maybe(PLATEAU, Measure::Force, 1e-12..=1e6),
        Want::maybe(PEAK, Measure::Force, 1e-12..=1e6),
    ]
}

fn median(values: &[f64]) -> f64 {
    let mut all = values.to_vec();
    all.sort_by(f64::total_cmp);
    let half = all.len() / 2;
    match (all.get(half), all.len() % 2) {
        (Some(high), 0) => 0.5 * (high + all.get(half - 1).copied().unwrap_or(*high)),
        (Some(middle), _) => *middle,
        (None, _) => 0.0,
    }
}

/// Returns the peak in the first half of a record, and the median of the forces after it.
pub fn peak_and_plateau(forces: &[f64]) -> Option<[f64; 2]> {
    if forces.len() < FEWEST {
        return None;
    }
    let smooth = |k: usize| {
        let low = k.saturating_sub(WINDOW / 2);
        median(forces.get(low..(k + WINDOW / 2 + 1).min(forces.len())).unwrap_or_default())
    };
    let (at, peak) = (0..forces.len() / 2).map(|k| (k, smooth(k))).max_by(|a, b| a.1.total_cmp(&b.1))?;
    let plateau = median(forces.get(at + 1..)?);
    Some([peak.max(plateau), plateau])
}

/// Converts radians to degrees, 0 to 180. Whole degrees are exact.
fn degrees(angle: f64) -> f64 {
    let degrees = angle.to_degrees().rem_euclid(180.0);
    let rounded = (1e6 * degrees).round() / 1e6;
    if rounded >= 180.0 { 0.0 } else { rounded }
}

/// Returns the pulls of a sheet.
///
/// # Errors
/// Columns are missing or mixed, a peak is below its plateau, or a record is too short or has no friction.
pub fn pulls(sheet: &Sheet) -> Result<Vec<Pull>, Vec<Fault>> {
    let (angles, loads) = (sheet.column(ANGLE), sheet.column(LOAD));
    let key = |row: usize| {
        let repeat = sheet.maybe(REPEAT).and_then(|c| c.get(row)).copied().unwrap_or_default();
        (angles.get(row).copied().unwrap_or_default(), loads.get(row).copied().unwrap_or_default(), repeat)
    };
    if let Some(plateaus) = sheet.maybe(PLATEAU) {
        if sheet.maybe(FORCE).is_some() || sheet.maybe(TIME).is_some() {
            return Err(vec![
                sheet.whole("columns of raw records and of means; give time and force, or plateau and peak"),
            ]);
        }
        let peaks = sheet.maybe(PEAK);
        let mut faults = Vec::new();
        let mut out = Vec::new();
        for (row, plateau) in plateaus.iter().enumerate() {
            let (angle, load, _) = key(row);
            let peak = peaks.and_then(|peaks| peaks.get(row)).copied();
            if peak.is_some_and(|peak| peak < *plateau) {
                faults.push(sheet.fault(row, PEAK, "peak: smaller than the plateau that follows it"));
            }
            out.push(Pull { row, angle: degrees(angle), load, plateau: *plateau, peak, record: Vec::new() });
        }
        return if faults.is_empty() { Ok(out) } else { Err(faults) };
    }
    let (Some(times), Some(forces)) = (sheet.maybe(TIME), sheet.maybe(FORCE)) else {
        let lacks = if sheet.maybe(FORCE).is_some() { TIME } else { FORCE };
        let message = format!("no column '{lacks}'; give time and force of raw records, or plateau (and peak)");
        return Err(vec![sheet.whole(message)]);
    };
    let mut records: Vec<(usize, Vec<[f64; 2]>)> = Vec::new();
    for (row, (time, force)) in times.iter().zip(forces).enumerate() {
        let on = row > 0 && key(row) == key(row - 1) && times.get(row - 1).is_some_and(|before| before < time);
        match records.last_mut().filter(|_| on) {
            Some((_, record)) => record.push([*time, *force]),
            None => records.push((row, vec![[*time, *force]])),
        }
    }
    let (mut out, mut faults) = (Vec::new(), Vec::new());
    for (row, record) in records {
        let forces: Vec<f64> = record.iter().map(|[_, force]| *force).collect();
        let (angle, load, _) = key(row);
        match peak_and_plateau(&forces) {
            None => {
                let message =
                    format!("a record of {} samples; give at least {FEWEST}, in the order of time", record.len());
                faults.push(sheet.fault(row, TIME, message));
            }
            Some([_, plateau]) if plateau <= 0.0 => {
                faults.push(sheet.fault(row, FORCE, "no friction: the median of the record is not above 0"));
            }
            Some([peak, plateau]) => {
                out.push(Pull { row, angle: degrees(angle), load, plateau, peak: Some(peak), record });
            }
        }
    }
    if faults.is_empty() { Ok(out) } else { Err(faults) }
}

/// Returns a fault at the load of a pull.
pub fn fault(sheet: &Sheet, pull: &Pull, message: impl Into<String>) -> Fault {
    sheet.fault(pull.row, LOAD, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recovers peak and plateau: a rise, a peak of 1.3 that decays, and a noisy plateau of 1 with one outlier.
    #[test]
    fn peak_and_plateau_are_those_of_the_record() {
        let mut forces: Vec<f64> = (0..10).map(|k| 0.13 * f64::from(k)).collect();
        forces.extend((0..100).map(|k| 1.0 + 0.3 * (-f64::from(k) / 6.0).exp() + 0.01 * f64::from(k % 3 - 1)));
        forces[80] = 9.0;
        let [peak, plateau] = peak_and_plateau(&forces).unwrap();
        // The median of five places the peak at most two samples from its tip: exp(-2/6) of 0.3.
        assert!((1.2..1.31).contains(&peak) && (plateau - 1.0).abs() < 0.01, "{peak} {plateau}");
        assert!(peak_and_plateau(&[1.0; 4]).is_none());
    }

    #[test]
    fn records_and_means_are_told_apart() {
        let read = |text: &str| pulls(&Sheet::read("s.csv", text.as_bytes(), &wants()).unwrap());
        let rows = |angle: u32| (0..10).map(|k| format!("{angle},0.1,{k},0.5\n")).collect::<String>();
        let text = format!("angle [deg], load [kg], time, force\n{}{}{}", rows(0), rows(0), rows(90));
        let pulls = read(&text).unwrap();
        assert_eq!(pulls.iter().map(|p| (p.row, p.angle)).collect::<Vec<_>>(), [(0, 0.0), (10, 0.0), (20, 90.0)]);
        assert!((pulls[0].load - 0.981).abs() < 1e-12 && pulls[0].plateau == 0.5);
        let means = read("angle,load,plateau,peak\n270,1,0.5,0.6\n").unwrap();
        assert_eq!((means[0].angle, means[0].peak), (90.0, Some(0.6)));
        let describe = |text: &str| read(text).unwrap_err()[0].to_string();
        assert_eq!(
            describe("angle,load,plateau,peak\n0,1,0.5,0.4\n"),
            "s.csv:2:9: peak: smaller than the plateau that follows it"
        );
        assert!(describe("angle,load\n0,1\n").starts_with("s.csv:1:1: no column 'force'"));
        assert!(describe("angle,load,time,force\n0,1,0,1\n").starts_with("s.csv:2:5: a record of 1 samples"));
    }
}
