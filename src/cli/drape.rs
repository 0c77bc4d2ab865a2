//! `percale fit drape`: drapes a fabric over a disc, or finds the rigidity that drapes as measured.

use super::failure::Failure;
use super::say;
use crate::Simulation;
use crate::fit::drape::{self, Draped, REST, bending_length, draped, edges, rigidity, scene, specimen};
use crate::fit::outcome::{Outcome, Row, dots, figure, plot, quoted};
use crate::force::bending::Bending;
use crate::force::dahl::Dahl;
use crate::force::internal_friction::InternalFriction;
use crate::linalg::least::student;
use crate::scene::given::{Given, Shape};
use crate::scene::{Material, material_of};
use clap::Args;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Drape {
    /// Material of the library, or a TOML file of [[material]] tables, the last of which is taken
    material: String,
    /// Measured drape coefficients [%], of one fabric, for which the rigidity is sought
    #[arg(long, value_name = "PERCENT", value_parser = coefficient, value_delimiter = ',')]
    coefficient: Vec<f64>,
    /// Edge of the mesh [mm, or with a unit]; three meshes if absent, or one of a third of the bending length for a fit
    #[arg(long, value_name = "LENGTH", value_parser = edge)]
    edge: Option<f64>,
    /// Number of specimens, each with another mesh, whose mean is told; 4 if absent, 1 with --edge or --coefficient
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=20))]
    repeats: Option<u8>,
    /// Name of the fitted material; that of the material with '-fitted' if absent
    #[arg(long, value_name = "NAME", requires = "coefficient")]
    name: Option<String>,
    /// File to write for scenes
    #[arg(long, value_name = "FILE", requires = "coefficient")]
    out: Option<PathBuf>,
    /// Write an HTML page with data and fit
    #[arg(long, value_name = "FILE", requires = "coefficient")]
    report: Option<PathBuf>,
}

/// Name of the material that is draped.
const VARIED: &str = "specimen-of-drape";
/// Bending length below which meshes are too coarse [m].
const SHORTEST: f64 = 3e-3;
/// Specimens on each of three meshes, as of a fabric that is tested.
const LAYINGS: u8 = 4;
/// Longest time that a specimen takes to come to rest, in tenths of a second.
const FRAMES: usize = 40;
/// Difference from the measured coefficient at which the search ends.
const NEAR: f64 = 0.005;
/// Largest file of materials [bytes].
const LARGEST: u64 = 1 << 20;

/// Reads an edge length with which the disc has triangles [m].
fn edge(text: &str) -> Result<f64, String> {
    let value = super::fitted::length(text)?;
    if (1e-3..=0.03).contains(&value) { Ok(value) } else { Err("out of range, 1 to 30 mm".to_string()) }
}

fn coefficient(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.trim_end_matches('%').trim().parse().ok();
    value.filter(|x| (1.0..=99.0).contains(x)).map(|x| 0.01 * x).ok_or("expected 1 to 99 %".to_string())
}

/// Material with the tables that define it.
struct Specimen {
    head: String,
    material: Material,
}

/// Drapes of several specimens on meshes of one edge length.
struct Outcomes {
    edge: f64,
    /// Number of specimens.
    repeats: f64,
    /// Mean of the coefficients, and their standard deviation.
    coefficient: [f64; 2],
    /// Mean number of folds.
    nodes: f64,
    /// Longest time of a simulation [s].
    after: f64,
    /// Fastest vertex at an end [m/s].
    speed: f64,
}

impl Outcomes {
    /// Returns the standard error of the mean; 0 for a single specimen.
    fn error(&self) -> f64 {
        self.coefficient[1] / self.repeats.max(1.0).sqrt()
    }
}

impl Specimen {
    fn find(name: &str) -> Result<Specimen, Failure> {
        if let Some(material) = crate::scene::library().materials.find(name) {
            return Ok(Specimen { head: String::new(), material: material.clone() });
        }
        let path = Path::new(name);
        let about = std::fs::metadata(path).map_err(|error| {
            let what = format!("'{name}' is neither a material of the library nor a file: {error}");
            Failure::input(format!("{what}; `percale materials` lists those there are"))
        })?;
        if !about.is_file() || about.len() > LARGEST {
            return Err(Failure::input(format!(
                "{name}: not a file of materials; give [[material]] tables, at most 1 MiB"
            )));
        }
        let head = std::fs::read_to_string(path).map_err(|error| Failure::input(format!("{name}: {error}")))?;
        match material_of(&head) {
            Ok(material) => Ok(Specimen { head, material }),
            Err(faults) => Err(Failure::Input(faults.iter().map(|fault| format!("{name}: {fault}")).collect())),
        }
    }

    /// Drapes several specimens of a variation of the material.
    fn drape(&self, variation: &str, edge: f64, repeats: u8) -> Result<Outcomes, Failure> {
        let (mut coefficients, mut nodes, mut after, mut speed) = (Vec::new(), 0.0, 0.0f64, 0.0f64);
        for laying in 0..usize::from(repeats) {
            let (draped, time, fastest) = self.lay(variation, edge, laying)?;
            coefficients.push(draped.coefficient);
            nodes += draped.nodes as f64 / f64::from(repeats);
            (after, speed) = (after.max(time), speed.max(fastest));
        }
        Ok(Outcomes { edge, repeats: f64::from(repeats), coefficient: drape::mean(&coefficients), nodes, after, speed })
    }

    /// Drapes a specimen. Returns the time that it took [s] and the speed of the fastest vertex at its end [m/s].
    fn lay(&self, variation: &str, edge: f64, laying: usize) -> Result<(Draped, f64, f64), Failure> {
        let describe = |error: &dyn std::fmt::Display| {
            Failure::input(format!("a disc of '{}' cannot be draped: {error}", self.material.name))
        };
        let head = format!(
            "{}\n[[material]]\nbase = {}\nname = {}\n{variation}",
            self.head,
            quoted(&self.material.name),
            quoted(VARIED)
        );
        let mut given = Given::default();
        given.insert(drape::MESH, Shape::Surface(Box::new(specimen(edge, laying).map_err(|error| describe(&error))?)));
        let text = scene(&head, VARIED, FRAMES, edge);
        let mut simulation = Simulation::from_text(&text, ".", given, &[]).map_err(|error| describe(&error))?;
        let (mut frames, mut speed) = (0, f64::INFINITY);
        while simulation.next_frame().map_err(|error| describe(&error))?.is_some() {
            let velocities = simulation.velocities("specimen").unwrap_or_default();
            speed = velocities.iter().map(|v| v.norm()).fold(0.0, f64::max);
            frames += 1;
            if frames > 5 && speed < REST {
                break;
            }
        }
        let triangles = simulation.world().objects.first().map_or(&[][..], |object| &object.triangles);
        let draped = draped(simulation.positions("specimen").unwrap_or_default(), triangles);
        Ok((draped, 0.1 * (f64::from(frames) - 1.0), speed))
    }
}

/// Tells that no rigidity was found, and why from the rigidities that were tried, with their coefficients.
fn unfound(material: &Material, wanted: f64, tried: &[[f64; 2]]) -> Failure {
    let what = format!("no rigidity of '{}' was found that drapes to {:.1} %", material.name, 100.0 * wanted);
    let side = |more: bool| tried.iter().any(|[_, c]| (*c > wanted) == more);
    let why = if side(true) && side(false) {
        "the coefficient jumps there, as folds do; give more --repeats or a finer --edge"
    } else {
        "are density and stretch right?"
    };
    Failure::input(format!("{what}; {why}"))
}

impl Drape {
    /// Drapes, prints and writes.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let specimen = Specimen::find(&self.material)?;
        if rigidity(&specimen.material) <= 0.0 {
            return Err(Failure::input(format!("'{}' has no rigidity, and drapes like water", specimen.material.name)));
        }
        let bends = bending_length(&specimen.material);
        if bends < SHORTEST {
            let (name, mm) = (&specimen.material.name, figure(1e3 * bends));
            return Err(Failure::input(format!("'{name}' has a bending length of {mm} mm; no mesh bends below 3 mm")));
        }
        self.writes()?;
        if self.coefficient.is_empty() { self.tell(&specimen) } else { self.fit(&specimen) }
    }

    /// Checks the name and the folders of what will be written.
    fn writes(&self) -> Result<(), Failure> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if self.name.as_ref().is_some_and(|name| !(1..=64).contains(&name.len()) || !name.chars().all(fits)) {
            return Err(Failure::input("--name: expected a name of letters, digits, '_' and '-', at most 64"));
        }
        for path in [&self.out, &self.report].into_iter().flatten() {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            if path.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
                return Err(Failure::input(format!("{}: no file can be written there", path.display())));
            }
        }
        Ok(())
    }

    /// Searches the rigidity and tells it.
    fn fit(&self, specimen: &Specimen) -> Result<(), Failure> {
        let Specimen { head, material } = specimen;
        let name = self.name.clone().unwrap_or(format!("{}-fitted", material.name));
        let (count, [wanted, spread]) = (self.coefficient.len(), drape::mean(&self.coefficient));
        let edge = self.edge.unwrap_or(edges(material)[1]);
        let start = rigidity(material);
        let found = drape::search(start, wanted, NEAR, |b| {
            let [coefficient, spread] =
                specimen.drape(&variation(material, b), edge, self.repeats.unwrap_or(1))?.coefficient;
            let reported = format!("{:.1} +- {:.1} %", 100.0 * coefficient, 100.0 * spread);
            say(&format!("rigidity {} uN m: {reported}", figure(1e6 * b)));
            Ok::<f64, Failure>(coefficient)
        })?;
        let found = found.map_err(|tried| unfound(material, wanted, &tried))?;
        let half = if count > 1 { student(count - 1) * spread / (count as f64).sqrt() } else { f64::INFINITY };
        // The coefficient is linear in the logarithm.
        let factor = (half / found.slope).exp2() - 1.0;
        let mut words = Vec::new();
        if count < 2 {
            words.push("one coefficient tells no interval; measure several".to_string());
        }
        let own = if head.is_empty() { String::new() } else { format!("{}\n", head.trim_end()) };
        let file = format!(
            "{own}[[material]]\nbase = {}\nname = {}\ndescription = \"rigidity as fitted\"\nsource = {}\n{}",
            quoted(&material.name),
            quoted(&name),
            quoted(&format!("percale fit drape: {count} coefficients, mean {:.1} %", 100.0 * wanted)),
            variation(material, found.rigidity)
        );
        let points = found.tried.iter().map(|[b, c]| [1e6 * b, 100.0 * c]);
        let ends = found.tried.iter().fold([f64::INFINITY, 0.0f64], |[l, h], [b, _]| [l.min(*b), h.max(*b)]);
        let line = ends.map(|b| [1e6 * b, 100.0 * wanted]).to_vec();
        let outcome = Outcome {
            title: format!("drape: {name}"),
            rows: vec![Row {
                name: "B".into(),
                unit: "uN m",
                value: 1e6 * found.rigidity,
                half: 1e6 * found.rigidity * factor,
            }],
            facts: vec![
                ("drape coefficient".into(), format!("{:.1} %, of {count}", 100.0 * wanted)),
                ("change by a doubling of B".into(), format!("{:.1} points", 100.0 * found.slope)),
                ("edge of the mesh".into(), format!("{:.1} mm", 1e3 * edge)),
            ],
            words,
            plots: vec![plot(
                "drape coefficient [%]",
                "rigidity [uN m]",
                vec![("tried", dots(points)), ("measured", line)],
            )],
            file,
            ..Outcome::default()
        }
        .checked();
        super::fitted::tell(&outcome, self.out.as_deref(), self.report.as_deref())
    }

    /// Drapes a material and prints the table.
    fn tell(&self, specimen: &Specimen) -> Result<(), Failure> {
        let material = &specimen.material;
        say(&format!(
            "{}: bending length {:.1} mm; a disc of 30 cm on 18 cm",
            material.name,
            1e3 * bending_length(material)
        ));
        say("  edge [mm]  coefficient [%]  spread  error  folds  after [s]  fastest [mm/s]");
        let repeats = self.repeats.unwrap_or(if self.edge.is_some() { 1 } else { LAYINGS });
        let mut all = Vec::new();
        for edge in self.edge.map_or(edges(material).to_vec(), |edge| vec![edge]) {
            let one = specimen.drape("", edge, repeats)?;
            let [mean, spread, error] = [one.coefficient[0], one.coefficient[1], one.error()].map(|c| 100.0 * c);
            let row =
                format!("{:>11.1}  {mean:>15.1}  {spread:>6.1}  {error:>5.1}  {:>5.1}", 1e3 * one.edge, one.nodes);
            say(&format!("{row}  {:>9.1}  {:>14.1}", one.after, 1e3 * one.speed));
            all.push(one);
        }
        if let [_, finer, finest] = &all[..] {
            listed(&all);
            compared(finer, finest);
        }
        if let Some(&[low, high]) = material.drape.as_ref().and_then(|drape| drape.band.as_deref()) {
            let last = all.last().map_or(0.0, |one| one.coefficient[0]);
            let side = if (low..=high).contains(&last) { "within" } else { "outside of" };
            say(&format!("  {side} the published {:.0} to {:.0} %", 100.0 * low, 100.0 * high));
        }
        if all.iter().any(|one| one.speed > REST) {
            say("  not at rest: give it internal friction or bending_damping");
        }
        Ok(())
    }
}

/// Prints the keys of a material that lists drapes.
fn listed(all: &[Outcomes]) {
    let list = |text: &dyn Fn(&Outcomes) -> String| all.iter().map(text).collect::<Vec<_>>().join(", ");
    let [coefficients, errors] =
        [list(&|one| format!("{:.3}", one.coefficient[0])), list(&|one| format!("{:.3}", one.error()))];
    let nodes = list(&|one| format!("{:.1}", one.nodes));
    say(&format!("  simulated = [{coefficients}]\n  error = [{errors}]\n  nodes = [{nodes}]"));
}

/// Prints by how much the two finest meshes differ, with the standard error of that.
fn compared(finer: &Outcomes, finest: &Outcomes) {
    let ([last, _], [before, _]) = (finest.coefficient, finer.coefficient);
    let percent = 100.0 / last.max(f64::MIN_POSITIVE);
    let error = if finest.repeats > 1.0 {
        format!(" +- {:.1}", percent * finest.error().hypot(finer.error()))
    } else {
        String::new()
    };
    say(&format!("  the two finest differ by {:.1}{error} %", percent * (last - before)));
}

/// Returns the keys of a material of another rigidity, the mean of warp and weft [N m]. Warp and weft keep their ratio
/// where both are given. Friction of bending grows with them, where there is no other.
fn variation(material: &Material, rigidity: f64) -> String {
    let part = rigidity / drape::rigidity(material);
    let mut keys = match material.bending {
        Bending::Orthotropic([warp, weft, twist]) => {
            let bias = 0.25 * (warp + weft + 2.0 * twist);
            let [warp, weft, bias] = [warp, weft, bias].map(|b| figure(b * part));
            format!("rigidity_orthotropic = {{ warp = {warp}, weft = {weft}, bias = {bias} }}\n")
        }
        _ => format!("rigidity = {}\n", figure(rigidity)),
    };
    let InternalFriction { stretch, bend: [along, across], .. } = &material.internal_friction;
    if let (true, Some(along), Some(across)) = (stretch.iter().all(Option::is_none), along, across) {
        let table = |law: &Dahl| format!("{{ a = {}, tau = {} }}", figure(law.a * part), figure(law.tau));
        let weft = if along == across { String::new() } else { format!(", bend_weft = {}", table(across)) };
        keys += &format!("internal_friction = {{ bend = {}{weft} }}\n", table(along));
    }
    keys
}
