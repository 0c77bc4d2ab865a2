//! Friction of a sled as in figure 9 of Chen, Feng & Wang 2013, from `out/sled-pairs-sweep` and `out/sled-sweep`, which
//! `percale sweep scenes/sled-pairs-sweep.toml` and `sled-sweep.toml` make.
//! `cargo run --release --example sled_figures` writes `docs/sled.svg`. Dots are measured by the probe; lines of (e)
//! and (f) are the library's curves and their tensor interpolation, with which the scenes were run.

use percale::force::friction::Ground;
use percale::scene::friction::Given;
use percale::scene::library;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

/// Acceleration of gravity [m/s2].
const G: f64 = 9.81;
/// Time interval in which the sled slides [s].
const SLIDES: std::ops::Range<f64> = 1.0..1.5;
/// Volume of the sled [m3].
const VOLUME: f64 = 4e-4;
const COLOURS: [RGBColor; 5] = [RED, BLUE, RGBColor(0, 130, 60), RGBColor(200, 120, 0), RGBColor(120, 0, 160)];

type Panel<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Case of a sweep: its overrides, and time, force on the sled along the pull and upwards [s, N, N].
struct Case {
    set: String,
    rows: Vec<[f64; 3]>,
}

impl Case {
    /// Returns mean force and load while the sled slides [N].
    fn plateau(&self) -> [f64; 2] {
        let sliding: Vec<&[f64; 3]> = self.rows.iter().filter(|row| SLIDES.contains(&row[0])).collect();
        [1, 2].map(|k| sliding.iter().map(|row| row[k]).sum::<f64>() / sliding.len() as f64)
    }
}

fn sweep(name: &str) -> Result<Vec<Case>, Box<dyn Error>> {
    let folder = Path::new("out").join(name);
    let cases: BTreeMap<String, Vec<String>> =
        serde_json::from_slice::<serde_json::Value>(&fs::read(folder.join("cases.json"))?)?
            .as_object()
            .into_iter()
            .flatten()
            .map(|(case, set)| {
                let set = set.as_array().into_iter().flatten().filter_map(|one| one.as_str());
                (case.clone(), set.map(str::to_string).collect())
            })
            .collect();
    let case = |(case, set): (String, Vec<String>)| {
        let text = fs::read_to_string(folder.join(case).join("probes/bed-on-sled.csv"))?;
        let numbers = |line: &str| line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>();
        let rows: Vec<Vec<f64>> = text.lines().skip(1).map(numbers).collect::<Result<_, _>>()?;
        Ok(Case { set: set.join(" "), rows: rows.iter().map(|row| [row[0], -row[1], row[2]]).collect() })
    };
    cases.into_iter().map(case).collect()
}

/// Finds the case that sets both values.
fn find<'a>(cases: &'a [Case], what: &str, degrees: u32) -> Result<&'a Case, String> {
    let turn = format!("\"{degrees} deg\"");
    let found = cases.iter().find(|case| case.set.contains(what) && case.set.contains(&turn));
    found.ok_or_else(|| format!("no case has {what} and {turn}"))
}

/// Plots forces over time.
fn over_time(panel: &Panel, title: &str, lines: &[(&str, &Case)]) -> Result<(), Box<dyn Error>> {
    let most = lines.iter().flat_map(|(_, case)| case.rows.iter().map(|row| row[1])).fold(0.0, f64::max);
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(32)
        .y_label_area_size(40)
        .build_cartesian_2d(0.0..1.5, 0.0..1.5 * most)?;
    chart.configure_mesh().x_desc("time [s]").y_desc("force [N]").x_labels(4).y_labels(5).draw()?;
    for ((label, case), colour) in lines.iter().zip(COLOURS) {
        let line = case.rows.iter().map(|row| (row[0], row[1]));
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour);
        chart.draw_series(LineSeries::new(line, &colour))?.label(*label).legend(legend);
    }
    chart.configure_series_labels().position(SeriesLabelPosition::UpperRight).background_style(WHITE).draw()?;
    Ok(())
}

/// Plots plateaus over load, with the curves of the library.
fn over_load(panel: &Panel, title: &str, cases: &[Case], turns: &[u32], ground: &Ground) -> Result<(), Box<dyn Error>> {
    let densities = [50, 125, 250, 500, 750, 1000];
    let of = |degrees: u32, load: f64| {
        let (s, c) = f64::from(degrees).to_radians().sin_cos();
        let [warp, between, weft] = ground.plateau.tensor(load, [c, s]);
        load * (warp * c * c + 2.0 * between * s * c + weft * s * s)
    };
    let most = 1.1 * VOLUME * 1000.0 * G;
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(32)
        .y_label_area_size(40)
        .build_cartesian_2d(0.0..most, 0.0..1.3 * of(90, most))?;
    chart.configure_mesh().x_desc("load [N]").y_desc("force [N]").x_labels(5).y_labels(5).draw()?;
    for (degrees, colour) in turns.iter().zip(COLOURS) {
        let line = (0..=100).map(|k| most * f64::from(k) / 100.0).map(|load| (load, of(*degrees, load)));
        let legend = move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour);
        chart.draw_series(LineSeries::new(line, &colour))?.label(format!("{degrees} degrees")).legend(legend);
        for density in densities {
            let [force, load] = find(cases, &format!("density={density} "), *degrees)?.plateau();
            println!(
                "{degrees} degrees, {load:.3} N: {force:.4} N, {:+.1} %",
                100.0 * (force / of(*degrees, load) - 1.0)
            );
            chart.draw_series([Circle::new((load, force), 3, colour.filled())])?;
        }
    }
    chart.configure_series_labels().position(SeriesLabelPosition::UpperLeft).background_style(WHITE).draw()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let (pairs, loads) = (sweep("sled-pairs-sweep")?, sweep("sled-sweep")?);
    let denim = library().pairs.iter().find(|pair| pair.name == "11oz-black-denim-on-sponge").map(|pair| &pair.given);
    let Some(Given::Measured(denim)) = denim else { return Err("the library lacks denim on sponge".into()) };
    let area = SVGBackend::new("docs/sled.svg", (960, 640)).into_drawing_area();
    area.fill(&WHITE)?;
    let panels = area.split_evenly((2, 3));
    let of = |pair: &str, degrees: u32| find(&pairs, pair, degrees);
    let (jet, sheepskin) = ("tango-red-jet-set-on-sponge", "tango-red-jet-set-on-raw-sheepskin");
    over_time(
        &panels[0],
        "(a) cloths on sponge",
        &[("denim", of("11oz-black-denim", 0)?), ("Royal Target", of("royal-target", 0)?), ("Jet Set", of(jet, 0)?)],
    )?;
    over_time(
        &panels[1],
        "(b) what lies on Jet Set",
        &[("sponge", of(jet, 0)?), ("plastic foam", of("plastic-foam", 0)?), ("sheepskin", of(sheepskin, 0)?)],
    )?;
    let turned = |pair: &'static str| -> Result<[(&str, &Case); 3], String> {
        Ok([("0 degrees", of(pair, 0)?), ("45 degrees", of(pair, 45)?), ("90 degrees", of(pair, 90)?)])
    };
    over_time(&panels[2], "(c) sheepskin on Jet Set", &turned(sheepskin)?)?;
    over_time(&panels[3], "(d) sponge on Jet Set", &turned(jet)?)?;
    over_load(&panels[4], "(e) sponge on denim", &loads, &[0, 90], &denim.first)?;
    over_load(&panels[5], "(f) between warp and weft", &loads, &[30, 45, 60], &denim.first)?;
    area.present()?;
    Ok(())
}
