//! Figures of the papers: every number of `docs/seeds.md` that a scene gives, with its spread and with its effect off.
//!
//! `PERCALE_BLESS=1 cargo test --release --test scenes figures:: -- --include-ignored` runs each case of each figure
//! from three starts a micrometre apart. Then it writes `docs/figures/NAME.toml` and the picture beside it, and puts
//! the numbers into the page. Otherwise a test runs each case once: its numbers must be within the spread of those
//! written down. `PERCALE_BLESS=pictures` draws the pictures alone, of runs that are there.

/// Returns the path of the calling test.
macro_rules! this_test {
    () => {{
        fn here() {}
        std::any::type_name_of_val(&here).trim_end_matches("::here")
    }};
}

mod chen;
mod horiba;
mod miguel;
mod page;
mod park;
mod prince;
mod record;

pub use super::done::*;
pub use percale::linalg::Vec3;
use percale::render::Image;
use percale::render::{Cell, contact_sheet};
use record::{Record, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use toml_edit::{DocumentMut, Item};

/// Number of starts that a figure is measured from.
const STARTS: usize = 3;
/// Distance between starts [m].
const APART: f64 = 1e-6;

/// Run of a scene: as shipped, with its effect off, or a variant.
pub struct Case {
    name: &'static str,
    scene: &'static str,
    set: Vec<String>,
}

type Measure<'a> = Box<dyn Fn(&Done) -> f64 + 'a>;

/// Quantity of a run.
struct Quantity<'a> {
    name: &'static str,
    unit: &'static str,
    measure: Measure<'a>,
    /// Whether it shows an effect: the first case differs from the last by three spreads or more.
    tells: bool,
    /// Whether the first case alone has it.
    first: bool,
}

/// Figure: cases of a scene, quantities of each, and its picture.
pub struct Figure<'a> {
    name: &'static str,
    frames: Option<u32>,
    cases: Vec<Case>,
    quantities: Vec<Quantity<'a>>,
    picture: Option<(u32, Vec<&'static str>)>,
}

/// Means of the quantities of a figure: by case, then by quantity.
pub type Means = Vec<Vec<f64>>;

impl<'a> Figure<'a> {
    /// Begins a figure with the name of its test.
    pub fn new(test: &'static str) -> Figure<'a> {
        let name = test.rsplit("::").next().unwrap();
        Figure { name, frames: None, cases: Vec::new(), quantities: Vec::new(), picture: None }
    }

    /// Runs so many frames instead of all.
    pub fn frames(mut self, frames: u32) -> Self {
        self.frames = Some(frames);
        self
    }

    pub fn case(mut self, name: &'static str, scene: &'static str, set: &[&str]) -> Self {
        let set = set.iter().map(ToString::to_string).collect();
        self.cases.push(Case { name, scene, set });
        self
    }

    /// Adds a quantity.
    pub fn value(mut self, name: &'static str, unit: &'static str, measure: impl Fn(&Done) -> f64 + 'a) -> Self {
        self.quantities.push(Quantity { name, unit, measure: Box::new(measure), tells: false, first: false });
        self
    }

    /// Adds a quantity that tells the first case from the last.
    pub fn tells(self, name: &'static str, unit: &'static str, measure: impl Fn(&Done) -> f64 + 'a) -> Self {
        let mut figure = self.value(name, unit, measure);
        figure.quantities.last_mut().unwrap().tells = true;
        figure
    }

    /// Adds a quantity that the first case alone has.
    pub fn first(self, name: &'static str, unit: &'static str, measure: impl Fn(&Done) -> f64 + 'a) -> Self {
        let mut figure = self.value(name, unit, measure);
        figure.quantities.last_mut().unwrap().first = true;
        figure
    }

    /// Draws the cases side by side at a frame, with other keys of the preview.
    pub fn picture(mut self, frame: u32, set: &[&'static str]) -> Self {
        self.picture = Some((frame, set.to_vec()));
        self
    }

    /// Runs, measures, and compares with the record or writes it. Returns the means.
    pub fn measure(self) -> Means {
        let bless = std::env::var("PERCALE_BLESS").unwrap_or_default();
        if bless == "pictures" {
            self.draw_all();
            return self.means();
        }
        let bless = bless == "1";
        let mut values = Vec::new();
        let mut steps = Vec::new();
        for (c, case) in self.cases.iter().enumerate() {
            let starts = if bless { STARTS } else { 1 };
            let quantities: Vec<&Quantity> = self.quantities.iter().filter(|q| c == 0 || !q.first).collect();
            let mut found = vec![Vec::new(); quantities.len()];
            for start in 0..starts {
                let done = self.run(c, case, start);
                quantities.iter().zip(&mut found).for_each(|(q, found)| found.push((q.measure)(&done)));
                if bless && start == 0 {
                    steps.push(step(case));
                }
            }
            for (quantity, found) in quantities.into_iter().zip(found) {
                println!("{}: {}, {}: {found:?} {}", self.name, quantity.name, case.name, quantity.unit);
                let [name, case, unit] = [quantity.name, case.name, quantity.unit].map(str::to_string);
                values.push(Value { quantity: name, case, unit, values: found });
            }
        }
        if bless {
            steps.dedup();
            Record::new(steps.join(", "), values).write(self.name);
            self.draw_all();
            page::renew();
        } else {
            Record::read(self.name).assert_alike(self.name, &values);
        }
        let record = Record::read(self.name);
        for quantity in self.quantities.iter().filter(|quantity| quantity.tells) {
            let [on, off] = [&self.cases[0], self.cases.last().unwrap()].map(|c| record.value(quantity.name, c.name));
            assert!(on.differs(off), "{}: {} does not tell: {on:?} {off:?}", self.name, quantity.name);
        }
        self.means()
    }

    /// Returns the means of the record.
    fn means(&self) -> Means {
        let record = Record::read(self.name);
        let means = |(c, case): (usize, &Case)| {
            let there = self.quantities.iter().filter(|q| c == 0 || !q.first);
            there.map(|q| record.value(q.name, case.name).mean()).collect()
        };
        self.cases.iter().enumerate().map(means).collect()
    }

    fn folder(&self, case: usize, start: usize) -> String {
        format!("figure-{}-{case}-{start}", self.name)
    }

    /// Runs a case from a start. No frame may have crossings, but where the scene proves nothing.
    fn run(&self, c: usize, case: &Case, start: usize) -> Done {
        let set: Vec<String> = case.set.iter().cloned().chain(nudge(case, start)).collect();
        let done = run(case.scene, &self.folder(c, start), self.frames, &set);
        assert!(done.record.unproven || done.crossings.iter().all(|pairs| *pairs == 0), "{:?}", done.crossings);
        if start == 0 && c == 0 && !done.record.unproven {
            judge(&self.folder(c, start), 3);
        }
        done
    }

    /// Draws all cases of the first start side by side.
    fn draw_all(&self) {
        let Some((frame, set)) = &self.picture else { return };
        let draw = |c: usize| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scenes-{}", self.folder(c, 0)));
            let number = scene(self.cases[c].scene)["time"].get("start_frame").and_then(Item::as_integer).unwrap_or(1);
            let number = number + i64::from(*frame) - 1;
            let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
            command.arg("render").arg(&folder).args(["--threads", "1", "--frames", &number.to_string()]);
            for one in ["preview.width=640", "preview.height=400", "preview.samples=64"].iter().chain(set) {
                command.args(["--set", one]);
            }
            let told = command.output().unwrap();
            assert!(told.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&told.stderr));
            let file = fs::read(folder.join(format!("preview/frame.{number:04}.png"))).unwrap();
            Image::from_png(&file).unwrap()
        };
        let images: Vec<Image> = (0..self.cases.len()).map(draw).collect();
        let cells = self.cases.iter().zip(&images).map(|(case, image)| Cell { label: case.name, image });
        let cells: Vec<Cell> = cells.collect();
        let columns = if cells.len() == 4 { 2 } else { cells.len().min(3) };
        let sheet = contact_sheet(&cells, columns, 960 / columns);
        fs::write(docs().join(format!("figures/{}.png", self.name)), sheet.png().unwrap()).unwrap();
    }
}

pub fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// Returns the scene's document with the overrides of a case.
fn document(case: &Case) -> DocumentMut {
    let mut document = scene(case.scene);
    for (key, text) in case.set.iter().filter_map(|one| one.split_once('=')) {
        if let Some(("time", name)) = key.split_once('.')
            && let Ok(value) = text.parse::<toml_edit::Value>()
        {
            document["time"][name] = Item::Value(value);
        }
    }
    document
}

/// Returns the largest step of a case in words.
fn step(case: &Case) -> String {
    let document = document(case);
    let step = document.get("time").and_then(|time| time.get("step")).and_then(Item::as_value);
    match step {
        Some(toml_edit::Value::String(text)) => text.value().clone(),
        Some(value) => value.as_float().map_or("by accuracy".into(), |seconds| format!("{} ms", 1e3 * seconds)),
        None => "default step".to_string(),
    }
}

/// Returns the override that moves the first cloth, or body, sideways: by nothing, a micrometre, two.
fn nudge(case: &Case, start: usize) -> Option<String> {
    let document = scene(case.scene);
    let of = |kind: &str| document.get(kind).and_then(Item::as_array_of_tables).and_then(|all| all.get(0));
    let (kind, object) = ["cloth", "body"].into_iter().find_map(|kind| Some((kind, of(kind)?)))?;
    let at = object.get("transform").and_then(|transform| transform.get("translate")).and_then(Item::as_array);
    // Lengths with units stay as they are written.
    let place = |k: usize| at.and_then(|at| at.get(k)).map_or("0".to_string(), |c| c.to_string().trim().to_string());
    let x = place(0).parse::<f64>().unwrap() + APART * start as f64;
    (start > 0).then(|| format!("{kind}[0].transform.translate=[{x:?}, {}, {}]", place(1), place(2)))
}
