//! `fit cantilever`: rigidity from the overhang of a strip whose end is seen at an angle below the horizontal (Peirce
//! 1930; Clapp et al. 1990).
//!
//! The rigidity is `B = rho g c^3`. The bending length `c` is half the overhang at 41.5 degrees. At an angle `q` and
//! overhang `l` it is `l (cos(q/2)/(8 tan q))^(1/3)`.

use super::outcome::{Outcome, Row, dots, figure, plot, quoted};
use crate::linalg::least::student;
use crate::scene::Fault;
use crate::scene::csv::units::{GRAVITY, Measure};
use crate::scene::csv::{Sheet, Want};

const REPEAT: &str = "repeat";
const LENGTH: &str = "length";
const ANGLE: &str = "angle";
/// Angle of the standard device [degrees].
const USUAL: f64 = 41.5;

/// Returns the columns of the data.
pub fn wants() -> Vec<Want> {
    vec![
        Want::maybe(REPEAT, Measure::One, -1e9..=1e9),
        Want::new(LENGTH, Measure::Length, 1e-4..=10.0),
        Want::maybe(ANGLE, Measure::Angle, 0.017..=1.5),
    ]
}

/// Returns the ratio of bending length to overhang at an angle [rad].
fn part(angle: f64) -> f64 {
    if (angle.to_degrees() - USUAL).abs() < 1e-6 {
        return 0.5;
    }
    ((0.5 * angle).cos() / (8.0 * angle.tan())).cbrt()
}

/// Returns the rigidity [N m] of a strip of given density [kg/m^2], overhang [m] and angle [rad].
pub fn rigidity(density: f64, length: f64, angle: f64) -> f64 {
    density * GRAVITY * (part(angle) * length).powi(3)
}

/// Fits the rigidity to the data. `density` is in kg/m^2.
///
/// # Errors
/// Data with the columns of [`wants`] give no error.
pub fn fit(sheet: &Sheet, name: &str, density: f64) -> Result<Outcome, Vec<Fault>> {
    let lengths = sheet.column(LENGTH);
    let angle = |row: usize| sheet.maybe(ANGLE).and_then(|a| a.get(row)).copied().unwrap_or(USUAL.to_radians());
    let all: Vec<f64> =
        lengths.iter().enumerate().map(|(row, length)| rigidity(density, *length, angle(row))).collect();
    let count = all.len();
    let mean = all.iter().sum::<f64>() / count.max(1) as f64;
    let spread = (all.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / count.saturating_sub(1).max(1) as f64).sqrt();
    let half = if count > 1 { student(count - 1) * spread / (count as f64).sqrt() } else { f64::INFINITY };
    let mut words = Vec::new();
    if count < 2 {
        words.push("one overhang tells no interval; measure several".to_string());
    } else if 2.0 * half > mean {
        words.push(
            "B is not told by these data: its interval is wider than its value; measure more overhangs".to_string(),
        );
    }
    let file = format!(
        "# Stretch was not measured here; it is illustrative.\n\
         [[material]]\n\
         name = {}\n\
         description = \"rigidity as fitted\"\n\
         source = {}\n\
         density = {}\n\
         young = \"1 kN/m\"\n\
         rigidity = {}\n",
        quoted(name),
        quoted(&format!("percale fit cantilever of {}: {count} overhangs", sheet.file)),
        figure(density),
        figure(mean)
    );
    let points = all.iter().enumerate().map(|(k, b)| [k as f64 + 1.0, 1e6 * b]);
    let line = vec![[1.0, 1e6 * mean], [count.max(2) as f64, 1e6 * mean]];
    Ok(Outcome {
        title: format!("cantilever: {name}"),
        rows: vec![
            Row { name: "B".into(), unit: "uN m", value: 1e6 * mean, half: 1e6 * half },
            Row { name: "k1 = B/3".into(), unit: "uN m", value: 1e6 * mean / 3.0, half: 1e6 * half / 3.0 },
        ],
        facts: vec![
            ("overhangs".into(), count.to_string()),
            ("RMS".into(), format!("{} uN m", crate::page::number(1e6 * spread))),
            ("condition number".into(), "1".into()),
        ],
        words,
        plots: vec![plot("rigidity [uN m]", "overhang", vec![("measured", dots(points)), ("mean", line)])],
        file,
        ..Outcome::default()
    }
    .checked())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standards take half the overhang at 41.5 degrees. The general formula gives 0.509 there.
    #[test]
    fn rigidity_is_that_of_peirce() {
        let usual = USUAL.to_radians();
        assert!((rigidity(0.2, 0.06, usual) / (0.2 * 9.81 * 0.03f64.powi(3)) - 1.0).abs() < 1e-12);
        let near = ((0.5 * usual).cos() / (8.0 * usual.tan())).cbrt();
        assert!((near / 0.5 - 1.0).abs() < 0.02, "{near}");
    }

    #[test]
    fn repeats_give_mean_and_interval() {
        let read = |text: &str| Sheet::read("c.csv", text.as_bytes(), &wants()).unwrap();
        let outcome = fit(&read("repeat,length [mm]\n1,60\n2,62\n3,58\n4,60\n"), "felt", 0.2).unwrap();
        let all = [60.0, 62.0, 58.0, 60.0f64].map(|l| 0.2 * 9.81 * (0.5e-3 * l).powi(3));
        let mean = all.iter().sum::<f64>() / 4.0;
        let s = (all.iter().map(|b| (b - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
        let row = &outcome.rows[0];
        assert!((row.value / (1e6 * mean) - 1.0).abs() < 1e-12);
        assert!((row.half / (1e6 * 3.18245 * s / 2.0) - 1.0).abs() < 1e-9, "{row:?}");
        let one = fit(&read("length\n60\n"), "felt", 0.2).unwrap();
        assert!(one.words[0].contains("one overhang") && one.rows[0].half.is_infinite());
    }
}
