//! Units: a quantity is a number in SI or a string with a unit.

use super::fault::meant;
pub(super) use crate::mesh::number_text::{number, rounded};
use std::f64::consts::PI;

/// Physical dimension of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Dimensionless.
    One,
    /// Dimensionless; may be given in per cent.
    Ratio,
    /// m.
    Length,
    /// m^2.
    Area,
    /// s.
    Time,
    /// kg.
    Mass,
    /// kg/m^2.
    AreaDensity,
    /// kg/m^3.
    Density,
    /// N/m.
    Stiffness,
    /// N m.
    Rigidity,
    /// Pa.
    Pressure,
    /// rad.
    Angle,
    /// m/s.
    Speed,
    /// rad/s.
    AngularSpeed,
    /// N.
    Force,
    /// m/s^2.
    Acceleration,
    /// 1/s.
    Frequency,
    /// N s/m^3.
    Drag,
    /// N/m^3: stiffness per area.
    FilmStiffness,
    /// N m^2: of a beam.
    BeamRigidity,
    /// N s/m: force per speed.
    Damping,
    /// 1/m.
    Curvature,
}

/// Relation of a unit to SI: a power of ten or a factor. A power of ten is applied without rounding twice.
#[derive(Clone, Copy)]
enum Scale {
    Ten(i32),
    Factor(f64),
}
use Scale::{Factor, Ten};

/// Description of a dimension: name with article, example, accepted units with the SI symbol first, other spellings.
struct Dimension {
    unit: Unit,
    name: &'static str,
    example: &'static str,
    units: Units,
    also: Units,
}

/// Symbols and their relation to SI.
type Units = &'static [(&'static str, Scale)];

/// All dimensions, in the order of [`Unit`].
static DIMENSIONS: [Dimension; Unit::Curvature as usize + 1] = [
    Dimension { unit: Unit::One, name: "a number", example: "", units: &[("", Ten(0))], also: &[] },
    Dimension {
        unit: Unit::Ratio,
        name: "a ratio",
        example: "10 %",
        units: &[("", Ten(0)), ("%", Ten(-2))],
        also: &[],
    },
    Dimension {
        unit: Unit::Length,
        name: "a length",
        example: "1 mm",
        units: &[("m", Ten(0)), ("cm", Ten(-2)), ("mm", Ten(-3)), ("um", Ten(-6)), ("in", Factor(0.0254))],
        also: &[("µm", Ten(-6)), ("μm", Ten(-6)), ("inch", Factor(0.0254))],
    },
    Dimension {
        unit: Unit::Area,
        name: "an area",
        example: "100 cm2",
        units: &[("m2", Ten(0)), ("cm2", Ten(-4)), ("mm2", Ten(-6))],
        also: &[("m^2", Ten(0)), ("m²", Ten(0)), ("cm^2", Ten(-4)), ("cm²", Ten(-4)), ("mm²", Ten(-6))],
    },
    Dimension {
        unit: Unit::Time,
        name: "a time",
        example: "1 ms",
        units: &[("s", Ten(0)), ("ms", Ten(-3)), ("us", Ten(-6)), ("min", Factor(60.0))],
        also: &[("µs", Ten(-6)), ("μs", Ten(-6))],
    },
    Dimension {
        unit: Unit::Mass,
        name: "a mass",
        example: "20 g",
        units: &[("kg", Ten(0)), ("g", Ten(-3))],
        also: &[],
    },
    Dimension {
        unit: Unit::AreaDensity,
        name: "an area density",
        example: "150 g/m2",
        units: &[("kg/m2", Ten(0)), ("g/m2", Ten(-3)), ("gsm", Ten(-3))],
        also: &[("kg/m^2", Ten(0)), ("kg/m²", Ten(0)), ("g/m^2", Ten(-3)), ("g/m²", Ten(-3))],
    },
    Dimension {
        unit: Unit::Density,
        name: "a density",
        example: "30 kg/m3",
        units: &[("kg/m3", Ten(0)), ("g/cm3", Ten(3))],
        also: &[("kg/m^3", Ten(0)), ("kg/m³", Ten(0)), ("g/cm^3", Ten(3)), ("g/cm³", Ten(3))],
    },
    Dimension {
        unit: Unit::Stiffness,
        name: "a stiffness",
        example: "261 N/m",
        units: &[("N/m", Ten(0)), ("N/mm", Ten(3)), ("kN/m", Ten(3))],
        also: &[("N/cm", Ten(2)), ("mN/m", Ten(-3))],
    },
    Dimension {
        unit: Unit::Rigidity,
        name: "a bending rigidity",
        example: "10 uN m",
        units: &[("N m", Ten(0)), ("mN m", Ten(-3)), ("uN m", Ten(-6))],
        also: &[
            ("N*m", Ten(0)),
            ("mN*m", Ten(-3)),
            ("uN*m", Ten(-6)),
            ("N·m", Ten(0)),
            ("µN m", Ten(-6)),
            ("Nm", Ten(0)),
        ],
    },
    Dimension {
        unit: Unit::Pressure,
        name: "a pressure",
        example: "0.5 MPa",
        units: &[("Pa", Ten(0)), ("kPa", Ten(3)), ("MPa", Ten(6)), ("GPa", Ten(9)), ("bar", Ten(5))],
        also: &[],
    },
    Dimension {
        unit: Unit::Angle,
        name: "an angle",
        example: "30 deg",
        units: &[("rad", Ten(0)), ("deg", Factor(PI / 180.0))],
        also: &[("°", Factor(PI / 180.0))],
    },
    Dimension {
        unit: Unit::Speed,
        name: "a speed",
        example: "2 m/s",
        units: &[("m/s", Ten(0)), ("mm/s", Ten(-3)), ("km/h", Factor(1.0 / 3.6))],
        also: &[("cm/s", Ten(-2))],
    },
    Dimension {
        unit: Unit::AngularSpeed,
        name: "an angular speed",
        example: "90 deg/s",
        units: &[("rad/s", Ten(0)), ("deg/s", Factor(PI / 180.0)), ("rpm", Factor(PI / 30.0))],
        also: &[],
    },
    Dimension {
        unit: Unit::Force,
        name: "a force",
        example: "0.5 N",
        units: &[("N", Ten(0)), ("mN", Ten(-3)), ("kN", Ten(3))],
        also: &[],
    },
    Dimension {
        unit: Unit::Acceleration,
        name: "an acceleration",
        example: "9.81 m/s2",
        units: &[("m/s2", Ten(0))],
        also: &[("m/s^2", Ten(0)), ("m/s²", Ten(0))],
    },
    Dimension {
        unit: Unit::Frequency,
        name: "a frequency",
        example: "30 Hz",
        units: &[("Hz", Ten(0)), ("1/s", Ten(0)), ("kHz", Ten(3))],
        also: &[("fps", Ten(0))],
    },
    Dimension {
        unit: Unit::Drag,
        name: "a drag coefficient",
        example: "1.5 N s/m3",
        units: &[("N s/m3", Ten(0))],
        also: &[("N s/m^3", Ten(0)), ("N*s/m3", Ten(0)), ("Pa s/m", Ten(0))],
    },
    Dimension {
        unit: Unit::FilmStiffness,
        name: "a stiffness per area",
        example: "10 N/cm3",
        units: &[("N/m3", Ten(0)), ("N/cm3", Ten(6)), ("N/mm3", Ten(9))],
        also: &[("N/m^3", Ten(0)), ("N/m³", Ten(0)), ("Pa/m", Ten(0)), ("Pa/mm", Ten(3)), ("kPa/mm", Ten(6))],
    },
    Dimension {
        unit: Unit::BeamRigidity,
        name: "a beam's rigidity",
        example: "1e-8 N m2",
        units: &[("N m2", Ten(0)), ("N mm2", Ten(-6))],
        also: &[("N m^2", Ten(0)), ("N m²", Ten(0)), ("N*m2", Ten(0)), ("N cm2", Ten(-4)), ("N mm^2", Ten(-6))],
    },
    Dimension {
        unit: Unit::Damping,
        name: "a damping coefficient",
        example: "0.01 N s/m",
        units: &[("N s/m", Ten(0)), ("mN s/m", Ten(-3))],
        also: &[("N*s/m", Ten(0)), ("kg/s", Ten(0)), ("g/s", Ten(-3))],
    },
    Dimension {
        unit: Unit::Curvature,
        name: "a curvature",
        example: "30 1/m",
        units: &[("1/m", Ten(0)), ("1/cm", Ten(2)), ("1/mm", Ten(3))],
        also: &[],
    },
];

const _: () = {
    let mut k = 0;
    while k < DIMENSIONS.len() {
        assert!(DIMENSIONS[k].unit as usize == k);
        k += 1;
    }
};

impl Dimension {
    fn scale(&self, unit: &str) -> Option<Scale> {
        let same = |a: &str, b: &str| a.split_whitespace().eq(b.split_whitespace());
        self.units.iter().chain(self.also).find(|(name, _)| same(name, unit)).map(|(_, scale)| *scale)
    }
}

impl Unit {
    fn dimension(self) -> &'static Dimension {
        &DIMENSIONS[self as usize]
    }

    /// Returns the symbol of the SI unit, or an empty string for numbers.
    pub fn symbol(self) -> &'static str {
        self.dimension().units.first().map_or("", |(symbol, _)| symbol)
    }

    /// Describes the expected input: `a time (a number in s, or text such as "1 ms")`.
    pub fn wanted(self) -> String {
        let Dimension { name, example, .. } = *self.dimension();
        match (self.symbol(), example) {
            (_, "") => name.to_string(),
            ("", example) => format!("{name} (a number, or text such as \"{example}\")"),
            (symbol, example) => format!("{name} (a number in {symbol}, or text such as \"{example}\")"),
        }
    }

    /// Lists the accepted units, for messages: `s, ms, us or min`.
    pub fn accepted(self) -> String {
        let names: Vec<&str> = self.dimension().units.iter().map(|u| u.0).filter(|u| !u.is_empty()).collect();
        match names.split_last() {
            None => "no unit".to_string(),
            Some((last, [])) => (*last).to_string(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        }
    }

    /// Returns a regular expression of the accepted texts (ECMA 262), or `None` where only numbers are accepted.
    pub fn pattern(self) -> Option<String> {
        let Dimension { units, also, example, .. } = *self.dimension();
        if example.is_empty() {
            return None;
        }
        let names: Vec<String> = units.iter().chain(also).filter(|u| !u.0.is_empty()).map(|u| escaped(u.0)).collect();
        let number = "([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?\\s*";
        let over = if self == Unit::Frequency { format!("(/\\s*{number})?") } else { String::new() };
        Some(format!("^\\s*[+-]?{number}{over}({})?\\s*$", names.join("|")))
    }

    /// Returns whether a text is a plain number although the dimension has units.
    pub fn lacks_unit(self, text: &str) -> bool {
        self.pattern().is_some() && self.symbol() != "" && text.trim().parse::<f64>().is_ok()
    }

    /// Parses a text such as `0.2 ms` and returns the value in SI. A frequency may also be a ratio such as
    /// `24000/1001`. The error states the fault and the expected input.
    pub fn parse(self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        let (number, unit) = text.split_at(number_length(text));
        let unit = unit.trim();
        if self == Unit::Frequency
            && !number.is_empty()
            && let Some(below) = unit.strip_prefix('/').map(str::trim_start)
            && number_length(below) > 0
        {
            let (below, unit) = below.split_at(number_length(below));
            if unit.contains('/') && self.dimension().scale(unit.trim()).is_none() {
                return Err(format!("expected {}, found the text \"{}\"", self.wanted(), short(text)));
            }
            let above = self.parse(&format!("{number} {unit}"))?;
            return Ok(above / self.parse(below)?);
        }
        if number.is_empty() {
            return Err(format!("expected {}, found the text \"{}\"", self.wanted(), short(text)));
        }
        let scale = if unit.is_empty() { Some(Ten(0)) } else { self.dimension().scale(unit) };
        let Some(scale) = scale else {
            if let Some(Dimension { name: other, .. }) = DIMENSIONS.iter().find(|d| d.scale(unit).is_some()) {
                return Err(format!("expected {}, found {other}: \"{}\"", self.wanted(), short(text)));
            }
            let known = self.dimension().units.iter().map(|u| u.0);
            let (unit, name) = (short(unit), self.dimension().name);
            return Err(match self.accepted().as_str() {
                "no unit" => format!("unknown unit '{unit}': give {name} without a unit"),
                accepted => format!("unknown unit '{unit}': {name} is given in {accepted}{}", meant(&unit, known)),
            });
        };
        let read =
            |text: &str| text.parse::<f64>().map_err(|_| format!("expected {}, found \"{text}\"", self.wanted()));
        match scale {
            Factor(factor) => Ok(read(number)? * factor),
            Ten(power) => {
                let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
                match exponent.parse::<i32>() {
                    Ok(exponent) if exponent.abs() < 10_000 => read(&format!("{mantissa}e{}", exponent + power)),
                    _ => read(number),
                }
            }
        }
    }
}

/// Returns the length of the decimal number at the start of the text.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let start = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut end = digits(start);
    let mut count = end - start;
    if bytes.get(end) == Some(&b'.') {
        let after = digits(end + 1);
        count += after - end - 1;
        end = after;
    }
    if count == 0 {
        return 0;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let after = digits(end + 1 + sign);
        if after > end + 1 + sign {
            end = after;
        }
    }
    end
}

fn escaped(unit: &str) -> String {
    unit.chars()
        .map(|c| match c {
            ' ' => "\\s+".to_string(),
            '*' | '^' => format!("\\{c}"),
            c => c.to_string(),
        })
        .collect()
}

/// Returns at most 40 characters of a text, with control characters escaped.
pub(super) fn short(text: &str) -> String {
    let cut: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().count() > 40 { format!("{cut}...") } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_exactly() {
        let cases = [
            (Unit::Time, "1 ms", 1e-3),
            (Unit::Time, "0.02ms", 2e-5),
            (Unit::Time, "2e-1 us", 2e-7),
            (Unit::Time, "1.5 min", 90.0),
            (Unit::Time, "3", 3.0),
            (Unit::Length, "-7 mm", -7e-3),
            (Unit::Length, "2 in", 0.0508),
            (Unit::AreaDensity, "150 gsm", 0.15),
            (Unit::AreaDensity, "150 g/m²", 0.15),
            (Unit::Stiffness, "0.2 N/mm", 200.0),
            (Unit::Rigidity, "2.3 uN m", 2.3e-6),
            (Unit::Rigidity, "2.3 uN  m", 2.3e-6),
            (Unit::Rigidity, "1 N*m", 1.0),
            (Unit::Pressure, "0.5 MPa", 5e5),
            (Unit::Angle, "180 deg", PI),
            (Unit::Speed, "36 km/h", 10.0),
            (Unit::AngularSpeed, "60 rpm", 2.0 * PI),
            (Unit::Force, ".5 kN", 500.0),
            (Unit::Acceleration, "9.81 m/s2", 9.81),
            (Unit::Frequency, "24 1/s", 24.0),
            (Unit::Frequency, "24000/1001", 24000.0 / 1001.0),
            (Unit::Frequency, " 30000 / 1001 fps", 30000.0 / 1001.0),
            (Unit::Frequency, "1.2/1.001 kHz", 1200.0 / 1.001),
            (Unit::Ratio, "10 %", 0.1),
        ];
        for (unit, text, value) in cases {
            assert_eq!(unit.parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn a_wrong_unit_is_told() {
        let cases = [
            (Unit::Time, "1 mm", "expected a time (a number in s, or text such as \"1 ms\"), found a length: \"1 mm\""),
            (Unit::Time, "1/2", "unknown unit '/2': a time is given in s, ms, us or min"),
            (Unit::Frequency, "24/", "unknown unit '/': a frequency is given in Hz, 1/s or kHz"),
            (Unit::Time, "1 msec", "unknown unit 'msec': a time is given in s, ms, us or min"),
            (
                Unit::Length,
                "soon",
                "expected a length (a number in m, or text such as \"1 mm\"), found the text \"soon\"",
            ),
            (Unit::Length, "1 MM", "unknown unit 'MM': a length is given in m, cm, mm, um or in; did you mean 'mm'?"),
            (Unit::One, "1 furlong", "unknown unit 'furlong': give a number without a unit"),
        ];
        for (unit, text, message) in cases {
            assert_eq!(unit.parse(text), Err(message.to_string()));
        }
        assert!(Unit::Time.parse("1e99999 s").unwrap().is_infinite());
        assert!(
            Unit::Time.parse("nan").is_err() && Unit::Time.parse("inf s").is_err() && Unit::Time.parse("").is_err()
        );
    }
}
