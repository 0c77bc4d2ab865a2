//! Units of columns and options of measurements.

/// Quantity that a number measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Dimensionless.
    One,
    /// Length [m]. A number without unit is in mm.
    Length,
    /// Force [N]. Masses stand for their weight.
    Force,
    /// Mass [kg]. A number without unit is in g.
    Mass,
    /// Time [s].
    Time,
    /// Angle [rad]. A number without unit is in degrees.
    Angle,
    /// Mass per area [kg/m^2].
    Density,
    /// Stiffness [N/m].
    Stiffness,
    /// Bending rigidity [N m].
    Rigidity,
    /// Bending rigidity of a beam [N m^2].
    BeamRigidity,
}

/// Acceleration of gravity [m/s^2], as in scenes.
pub const GRAVITY: f64 = 9.81;

impl Measure {
    /// Returns the units and their factors. The first unit is that of a number without unit.
    pub fn units(self) -> &'static [(&'static str, f64)] {
        const DEGREE: f64 = std::f64::consts::PI / 180.0;
        match self {
            Measure::One => &[("1", 1.0)],
            Measure::Length => &[("mm", 1e-3), ("cm", 1e-2), ("m", 1.0), ("um", 1e-6)],
            Measure::Force => &[
                ("N", 1.0),
                ("mN", 1e-3),
                ("cN", 1e-2),
                ("kN", 1e3),
                ("g", 1e-3 * GRAVITY),
                ("gf", 1e-3 * GRAVITY),
                ("kg", GRAVITY),
                ("kgf", GRAVITY),
            ],
            Measure::Mass => &[("g", 1e-3), ("kg", 1.0), ("mg", 1e-6)],
            Measure::Time => &[("s", 1.0), ("ms", 1e-3), ("min", 60.0)],
            Measure::Angle => &[("deg", DEGREE), ("rad", 1.0)],
            Measure::Density => &[("kg/m2", 1.0), ("g/m2", 1e-3)],
            Measure::Stiffness => &[("N/m", 1.0), ("kN/m", 1e3), ("mN/m", 1e-3)],
            Measure::Rigidity => &[("N m", 1.0), ("mN m", 1e-3), ("uN m", 1e-6), ("nN m", 1e-9)],
            Measure::BeamRigidity => &[("N m2", 1.0), ("mN m2", 1e-3), ("uN m2", 1e-6), ("nN m2", 1e-9)],
        }
    }

    /// Returns the unit of a factor, after a space. Dimensionless numbers have an empty text.
    pub fn spaced(self, factor: f64) -> String {
        let unit = self.units().iter().find(|(_, known)| *known == factor);
        unit.filter(|_| self != Measure::One).map(|(unit, _)| format!(" {unit}")).unwrap_or_default()
    }

    /// Returns the factor of a unit by its name.
    ///
    /// # Errors
    /// Fails for an unknown unit, and lists the known units.
    pub fn factor(self, unit: &str) -> Result<f64, String> {
        let same = |known: &str| known.replace(['^', ' '], "") == unit.replace(['^', ' '], "");
        let found = self.units().iter().find(|(known, _)| same(known));
        found.map(|(_, factor)| *factor).ok_or_else(|| {
            let known: Vec<&str> = self.units().iter().map(|(known, _)| *known).collect();
            format!(
                "no unit '{}' is known here; known: {}",
                unit.chars().take(20).collect::<String>(),
                known.join(", ")
            )
        })
    }

    /// Reads a number with or without a unit, in SI.
    ///
    /// # Errors
    /// Fails if the number is malformed or not finite, or if the unit is unknown.
    pub fn read(self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let attached = text.find(|c: char| c.is_alphabetic() && c != 'e' && c != 'E').unwrap_or(text.len());
        let (number, unit) = text.split_at(end.min(attached));
        let value: f64 = number.trim().parse().map_err(|_| format!("'{number}' is no number"))?;
        let factor = match unit.trim() {
            "" => self.units().first().map_or(1.0, |(_, factor)| *factor),
            unit => self.factor(unit)?,
        };
        let value = value * factor;
        if value.is_finite() { Ok(value) } else { Err("not finite".to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units() {
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        assert!(near(Measure::Length.read("100").unwrap(), 0.1) && near(Measure::Length.read("10 cm").unwrap(), 0.1));
        assert!(
            near(Measure::Length.read("1e2mm").unwrap(), 0.1)
                && near(Measure::Density.read("143 g/m^2").unwrap(), 0.143)
        );
        assert!(
            near(Measure::Force.read("1 kg").unwrap(), 9.81) && near(Measure::Rigidity.read("8 uN m").unwrap(), 8e-6)
        );
        assert!(Measure::Length.read("3 s").unwrap_err().contains("known: mm, cm"));
        assert!(Measure::Length.read("x").is_err() && Measure::Length.read("inf").is_err());
    }
}
