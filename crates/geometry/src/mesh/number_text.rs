//! Numbers in messages: as they are, or with three digits, so that none is rounded to nothing.

/// A number for messages: plain where it is short, else with exponent.
pub fn number(value: f64) -> String {
    if value == 0.0 || (1e-4..1e7).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

/// A number with three digits.
pub fn rounded(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    // A product with a power of ten would leave digits of its own.
    number(format!("{value:.2e}").parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_rounded_to_nothing() {
        assert_eq!(
            [0.0, 1.23456, 123456.0, 1.2345e-9, -0.00456, 25_300_123.0].map(rounded),
            ["0", "1.23", "123000", "1.23e-9", "-0.00456", "2.53e7"]
        );
        assert_eq!([24000.0 / 1001.0, 1e-5, 3e8].map(number), ["23.976023976023978", "1e-5", "3e8"]);
    }
}
