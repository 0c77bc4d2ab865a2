//! Record of a figure, in `docs/figures/NAME.toml`: the values of all starts, the step and the commit.

use super::docs;
use std::fmt::Write;
use std::fs;
use std::process::Command;
use toml_edit::DocumentMut;

const HEAD: &str = "\
# Written by `PERCALE_BLESS=1 cargo test --release --test scenes figures:: -- --include-ignored`; not edited by hand.\n";
/// Relative difference that starts need not explain: compilers and processors round in other places.
const ROUNDING: f64 = 2e-3;

/// Quantity of a case, from several starts.
#[derive(Clone, Debug)]
pub struct Value {
    pub quantity: String,
    pub case: String,
    pub unit: String,
    pub values: Vec<f64>,
}

/// Everything that was measured of a figure.
#[derive(Clone, Debug)]
pub struct Record {
    pub commit: String,
    pub step: String,
    pub values: Vec<Value>,
}

impl Value {
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len() as f64
    }

    /// Returns the standard deviation of a start.
    pub fn spread(&self) -> f64 {
        let (mean, count) = (self.mean(), self.values.len() as f64);
        (self.values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0)).sqrt()
    }

    /// Returns whether two cases are three spreads or more apart.
    pub fn differs(&self, other: &Value) -> bool {
        (self.mean() - other.mean()).abs() >= 3.0 * self.spread().max(other.spread())
    }

    /// Returns mean and spread in words, to the first digit of the spread; to three digits if that is far smaller.
    pub fn words(&self) -> String {
        let (mean, spread) = (self.mean(), self.spread());
        let places = |x: f64| -(x.abs().log10().floor() as i64);
        let three = if mean == 0.0 { 0 } else { places(mean) + 2 };
        if spread > 5e-4 * mean.abs() {
            let digits = places(spread).max(0) as usize;
            format!("{mean:.digits$} ± {spread:.digits$}")
        } else {
            format!("{mean:.*}", three.max(0) as usize)
        }
    }
}

impl Record {
    pub fn new(step: String, values: Vec<Value>) -> Record {
        let told = Command::new("git").args(["rev-parse", "--short", "HEAD"]).current_dir(docs()).output();
        let commit = told.ok().filter(|told| told.status.success()).map(|told| told.stdout).unwrap_or_default();
        Record { commit: String::from_utf8_lossy(&commit).trim().to_string(), step, values }
    }

    pub fn write(&self, name: &str) {
        let mut text = format!("{HEAD}\ncommit = {:?}\nstep = {:?}\n", self.commit, self.step);
        for Value { quantity, case, unit, values } in &self.values {
            write!(text, "\n[[value]]\nquantity = {quantity:?}\ncase = {case:?}\nunit = {unit:?}\n").unwrap();
            let values: Vec<String> = values.iter().map(|x| format!("{:?}", super::rounded(*x))).collect();
            writeln!(text, "values = [{}]", values.join(", ")).unwrap();
        }
        fs::create_dir_all(docs().join("figures")).unwrap();
        fs::write(docs().join(format!("figures/{name}.toml")), text).unwrap();
    }

    pub fn read(name: &str) -> Record {
        let path = docs().join(format!("figures/{name}.toml"));
        let text =
            fs::read_to_string(&path).unwrap_or_else(|_| panic!("{name} has no record: PERCALE_BLESS=1 writes it"));
        let document: DocumentMut = text.parse().unwrap();
        let word = |item: &toml_edit::Item| item.as_str().unwrap().to_string();
        let values = document["value"].as_array_of_tables().unwrap().iter().map(|value| Value {
            quantity: word(&value["quantity"]),
            case: word(&value["case"]),
            unit: word(&value["unit"]),
            values: value["values"].as_array().unwrap().iter().map(|x| x.as_float().unwrap()).collect(),
        });
        Record { commit: word(&document["commit"]), step: word(&document["step"]), values: values.collect() }
    }

    pub fn value(&self, quantity: &str, case: &str) -> &Value {
        let same = |value: &&Value| value.quantity == quantity && value.case == case;
        self.values.iter().find(same).unwrap_or_else(|| panic!("the record lacks {quantity} of {case}"))
    }

    /// Asserts that single runs are within three spreads of the means that are written down, and rounding.
    pub fn assert_alike(&self, name: &str, found: &[Value]) {
        assert_eq!(self.values.len(), found.len(), "{name}: the record has other quantities");
        for now in found {
            let then = self.value(&now.quantity, &now.case);
            let least = 3.0 * then.spread() + ROUNDING * then.mean().abs();
            let off = (now.mean() - then.mean()).abs();
            assert!(
                off <= least && now.unit == then.unit,
                "{name} is stale: {}, {}: {} {}, recorded {}; PERCALE_BLESS=1 renews it",
                now.quantity,
                now.case,
                now.mean(),
                now.unit,
                then.words()
            );
        }
    }

    /// Returns the cell of the page: each quantity with all of its cases, then step and commit.
    pub fn cell(&self) -> String {
        let mut quantities: Vec<&str> = Vec::new();
        for value in &self.values {
            if !quantities.contains(&value.quantity.as_str()) {
                quantities.push(&value.quantity);
            }
        }
        let one = |quantity: &str| {
            let own: Vec<&Value> = self.values.iter().filter(|value| value.quantity == quantity).collect();
            let unit = &own[0].unit;
            let cases: Vec<String> =
                own.iter().map(|v| format!("{} {}", v.case, v.words()).trim().to_string()).collect();
            format!(
                "{quantity}{}: {}",
                if unit.is_empty() { String::new() } else { format!(" [{unit}]") },
                cases.join(", ")
            )
        };
        let all: Vec<String> = quantities.into_iter().map(one).collect();
        format!("{} ({}; {})", all.join("; "), self.step, self.commit)
    }
}

/// Spreads decide what is told apart and what is stale.
#[test]
fn a_record_knows_its_spread() {
    let value = |values: &[f64]| Value {
        quantity: "height".into(),
        case: "wet".into(),
        unit: "mm".into(),
        values: values.to_vec(),
    };
    let (a, b) = (value(&[1.0, 1.1, 0.9]), value(&[1.31, 1.31, 1.31]));
    assert!((a.spread() - 0.1).abs() < 1e-12 && a.words() == "1.0 ± 0.1" && b.words() == "1.31");
    assert!(a.differs(&b) && !a.differs(&value(&[1.29])));
    assert_eq!(value(&[1234.0, 1240.0, 1228.0]).words(), "1234 ± 6");
    let record = Record { commit: "c".into(), step: "2 ms".into(), values: vec![a] };
    record.assert_alike("figure", &[value(&[1.29])]);
    assert!(std::panic::catch_unwind(|| record.assert_alike("figure", &[value(&[1.31])])).is_err());
    assert_eq!(record.cell(), "height [mm]: wet 1.0 ± 0.1 (2 ms; c)");
}
