//! Effects of keys in a two-level full factorial sweep: the main effect of each key, averaged over all others, and
//! two-factor interactions (Box, Hunter & Hunter, "Statistics for Experimenters").

use crate::page::{Cell, heading, number, paragraph, table};

/// Explanation of the table.
const WORDS: &str = "The mean result with the second value of a key less that with its first; of two keys half of how much the \
                     effect of one differs with the other.";

/// Returns for each case, by key, whether it has the first of the key's two values. Returns `None` unless each
/// combination occurs exactly once.
fn levels(cases: &[&[String]]) -> Option<Vec<Vec<bool>>> {
    let first = cases.first()?;
    let levels: Vec<Vec<bool>> =
        cases.iter().map(|values| values.iter().zip(*first).map(|(value, first)| value == first).collect()).collect();
    let keys = first.len();
    let two = |k: usize| {
        let mut others = cases.iter().map(|values| &values[k]).filter(|value| **value != first[k]);
        others.next().is_some_and(|other| others.all(|value| value == other))
    };
    let mut all = levels.clone();
    all.sort_unstable();
    all.dedup();
    let whole = keys > 0 && keys < 16 && all.len() == cases.len() && cases.len() == 1 << keys;
    (whole && (0..keys).all(two)).then_some(levels)
}

/// Returns each key alone, then each pair of keys.
fn contrasts(keys: usize) -> impl Iterator<Item = Vec<usize>> {
    let pairs = (0..keys).flat_map(move |a| (a + 1..keys).map(move |b| vec![a, b]));
    (0..keys).map(|k| vec![k]).chain(pairs)
}

/// Computes the effect on a result: twice the mean of the result with the sign of each case.
fn effect(keys: &[usize], levels: &[Vec<bool>], result: &[f64]) -> f64 {
    let sign = |levels: &Vec<bool>| keys.iter().map(|k| if levels[*k] { -1.0 } else { 1.0 }).product::<f64>();
    2.0 * levels.iter().zip(result).map(|(levels, y)| sign(levels) * y).sum::<f64>() / result.len() as f64
}

/// Returns the table, if keys have two values each and all cases have results. Its columns are results that are numbers
/// in all cases and differ.
pub(super) fn page(keys: &[String], cases: &[&[String]], heads: &[String], results: &[Vec<String>]) -> String {
    let Some(levels) = levels(cases) else { return String::new() };
    let column = |k: usize| -> Option<Vec<f64>> {
        let all: Option<Vec<f64>> = results.iter().map(|row| row.get(k)?.parse().ok()).collect();
        all.filter(|all| all.iter().any(|y| *y != all[0]))
    };
    // The wall time depends on the machine.
    let reported = heads.iter().enumerate().filter(|(_, head)| *head != "wall_s");
    let columns: Vec<(&str, Vec<f64>)> = reported.filter_map(|(k, head)| Some((head.as_str(), column(k)?))).collect();
    if columns.is_empty() {
        return String::new();
    }
    let row = |of: Vec<usize>| {
        let name = of.iter().map(|k| keys[*k].as_str()).collect::<Vec<_>>().join(" x ");
        let values = columns.iter().map(|(_, result)| Cell::Number(number(effect(&of, &levels, result))));
        [Cell::Text(name)].into_iter().chain(values).collect()
    };
    let rows: Vec<Vec<Cell>> = contrasts(keys.len()).map(row).collect();
    let heads: Vec<&str> = ["effect of"].into_iter().chain(columns.iter().map(|(head, _)| *head)).collect();
    heading("Effects") + &paragraph(WORDS) + &table(&heads, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Effects of `y = 3 + 2 a - b + 4 a b`, with a and b of 1 and 0. The effect of a is 2 without b and 6 with it,
    /// that of b -1 and 3. The interaction is half of 4.
    #[test]
    fn effects_are_those_of_a_formula() {
        let words = |a: &str, b: &str| vec![a.to_string(), b.to_string()];
        let cases = [words("off", "off"), words("off", "on"), words("on", "off"), words("on", "on")];
        let cases: Vec<&[String]> = cases.iter().map(Vec::as_slice).collect();
        let y = [3.0, 2.0, 5.0, 8.0];
        let levels = levels(&cases).unwrap();
        let found: Vec<f64> = contrasts(2).map(|keys| effect(&keys, &levels, &y)).collect();
        assert_eq!(found, [4.0, 1.0, 2.0]);
        let results: Vec<Vec<String>> = y.iter().map(|y| vec!["finished".to_string(), y.to_string()]).collect();
        let heads = words("status", "y");
        let page = page(&words("a", "b"), &cases, &heads, &results);
        assert!(page.contains("a x b") && !page.contains("status"), "{page}");
    }

    /// Three values per key, or a missing or duplicate combination, are no full factorial sweep.
    #[test]
    fn only_whole_grids_of_two_have_effects() {
        let of = |all: &[&[&str]]| {
            let all: Vec<Vec<String>> = all.iter().map(|case| case.iter().map(|v| v.to_string()).collect()).collect();
            levels(&all.iter().map(Vec::as_slice).collect::<Vec<_>>()).is_some()
        };
        assert!(of(&[&["1"], &["2"]]));
        assert!(!of(&[&["1"], &["2"], &["3"]]));
        assert!(!of(&[&["1"]]));
        assert!(!of(&[&["1", "1"], &["1", "2"], &["2", "1"], &["2", "1"]]));
        assert!(!of(&[&["1", "1"], &["1", "2"], &["2", "1"], &["2", "3"]]));
    }
}
