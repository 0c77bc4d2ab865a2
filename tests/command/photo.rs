//! `percale fit photo-bending` and `photo-stretch` on pictures of known strips and samples: with perspective, uneven
//! light and noise.

use super::fit::{BEND, STRETCH, bend_setup, hanging, normal, setup, weights};
use percale::fit::law::{Gauge, Law};
use percale::fit::search::Estimate;
use percale::fit::track::Anchor;
use percale::fit::{bending, stretch};
use percale::force::dahl::Form;
use percale::linalg::random::Random;
use percale::measure::Chart;
use percale::render::Image;
use percale::scene::csv::Sheet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Camera in front of a chart, and the faults of its pictures.
struct Camera {
    pixels: [usize; 2],
    /// Turn about the horizontal axis, the vertical axis and the line of sight [rad].
    tilt: [f64; 3],
    /// Standard deviation of a pixel, as part of white.
    noise: f64,
}

/// Distance of the camera, as a multiple of the larger side of the chart.
const AWAY: f64 = 4.0;

impl Camera {
    /// Draws round dots (centre and diameter) and a band (points and thickness) in the plane of the chart [m].
    fn draw(
        &self,
        chart: &Chart,
        dots: &[([f64; 2], f64)],
        band: &[[f64; 2]],
        thick: f64,
        random: &mut Random,
    ) -> Image {
        let [width, height] = self.pixels;
        let span = chart.width.max(chart.height);
        let pixel = 1.35 * (chart.width / width as f64).max(chart.height / height as f64);
        let [[sx, cx], [sy, cy], [sz, cz]] = self.tilt.map(|angle| [angle.sin(), angle.cos()]);
        let all: Vec<([f64; 2], f64)> = chart
            .places()
            .iter()
            .zip(chart.diameters())
            .map(|(p, d)| ([p.x, p.y], d))
            .chain(dots.iter().copied())
            .collect();
        let mut image = Image::filled(width, height, [0.0; 3]);
        for (k, out) in image.pixels.iter_mut().enumerate() {
            let (i, j) = ((k % width) as f64 - 0.5 * width as f64, 0.5 * height as f64 - (k / width) as f64);
            // Ray from the camera at (0, 0, AWAY span), turned about its axis, to the turned plane through the origin.
            let (x, y) = (pixel * (cz * i - sz * j), pixel * (sz * i + cz * j));
            let away = AWAY * span;
            let (u, v, n) = ([cy, 0.0, -sy], [sx * sy, cx, sx * cy], [cx * sy, -sx, cx * cy]);
            let t = away * n[2] / (away * n[2] - x * n[0] - y * n[1]);
            let p = [t * x, t * y, away * (1.0 - t)];
            let along = |a: [f64; 3]| a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
            let at = [along(u) + 0.5 * chart.width, along(v) + 0.5 * chart.height];
            let mut off = f64::INFINITY;
            for (centre, diameter) in &all {
                off = off.min((at[0] - centre[0]).hypot(at[1] - centre[1]) - 0.5 * diameter);
            }
            off = off.min(from_band(band, thick, at));
            let dark = (0.5 - off / pixel).clamp(0.0, 1.0);
            let light = 0.85 - 0.35 * (i / width as f64 + 0.5) - 0.1 * (j / height as f64);
            let value = light * (1.0 - 0.92 * dark) + self.noise * normal(random);
            *out = [value.clamp(0.0, 1.0) as f32; 3];
        }
        image
    }
}

/// Returns the distance from a band with square ends; negative inside.
fn from_band(band: &[[f64; 2]], thick: f64, at: [f64; 2]) -> f64 {
    let last = band.len().saturating_sub(2);
    let mut off = f64::INFINITY;
    for (k, pair) in band.windows(2).enumerate() {
        let way = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
        let to = [at[0] - pair[0][0], at[1] - pair[0][1]];
        let length = way[0].hypot(way[1]);
        let along = (to[0] * way[0] + to[1] * way[1]) / length;
        let aside = ((to[0] * way[1] - to[1] * way[0]) / length).abs() - 0.5 * thick;
        let beyond = (-along).max(along - length);
        let end = (k == 0 && along < 0.0) || (k == last && along > length);
        let own = if beyond <= 0.0 {
            aside
        } else if end {
            beyond.max(aside)
        } else {
            (to[0] - way[0] * (along / length).clamp(0.0, 1.0)).hypot(to[1] - way[1] * (along / length).clamp(0.0, 1.0))
                - 0.5 * thick
        };
        off = off.min(own);
    }
    // Joints near the ends are round: what they add beyond the ends is cut off.
    for [end, inner] in band
        .windows(2)
        .next()
        .into_iter()
        .map(|pair| [pair[0], pair[1]])
        .chain(band.windows(2).next_back().into_iter().map(|pair| [pair[1], pair[0]]))
    {
        let out = [end[0] - inner[0], end[1] - inner[1]];
        let to = [at[0] - end[0], at[1] - end[1]];
        let beyond = (to[0] * out[0] + to[1] * out[1]) / out[0].hypot(out[1]);
        if beyond > 0.0 && to[0].hypot(to[1]) < 2.0 * thick {
            off = off.max(beyond);
        }
    }
    off
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("photo-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn photo(folder: &Path, args: &[String]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_percale")).arg("fit").args(args).current_dir(folder).output().unwrap()
}

/// Returns the errors of an estimate over its intervals of 95 %.
fn over(estimate: &Estimate, truth: &[f64]) -> Vec<f64> {
    let found = &estimate.found;
    found.values.iter().zip(truth).zip(&found.half).map(|((value, truth), half)| (value - truth).abs() / half).collect()
}

/// Strips of felt that hang from their upper end, photographed with a tilt of 5 degrees, noise and uneven light, give
/// the friction they were made with within the intervals of the fit. A chart that is a tenth smaller than said does
/// not: the intervals know nothing of it.
#[test]
fn curls_on_photographs_give_their_friction() {
    let folder = folder("curls");
    let numbers = BEND[0];
    let law = Law::new(Gauge::Bend, Form::Exact, numbers);
    let own = bending::Setup { thickness: 1.2e-3, ..bend_setup(Form::Exact, numbers) };
    let chart = Chart { width: 0.06, height: 0.045 };
    let mut random = Random::new(7);
    let camera = Camera { pixels: [1000, 750], tilt: [0.07, 0.05, 0.03], noise: 0.02 };
    let mut photos = Vec::new();
    for radius in [5.0, 6.0, 7.5, 10.0, 16.0, 23.0, 31.5] {
        for (repeat, angle) in [0.4, 1.2].into_iter().enumerate() {
            let points = hanging(&law, own.density, 1e-3 * radius, own.thickness, angle);
            let (low, high) = points.iter().fold(([f64::MAX; 2], [f64::MIN; 2]), |(low, high), p| {
                ([0, 1].map(|k| low[k].min(p[k])), [0, 1].map(|k| high[k].max(p[k])))
            });
            let middle = [0, 1].map(|k| 0.5 * (low[k] + high[k]));
            let band: Vec<[f64; 2]> =
                points.iter().map(|p| [p[0] - middle[0] + 0.03, p[1] - middle[1] + 0.0225]).collect();
            let image = camera.draw(&chart, &[], &band, own.thickness, &mut random);
            let name = format!("r{radius}-{repeat}.png");
            fs::write(folder.join(&name), image.png().unwrap()).unwrap();
            photos.push(format!("{radius}mm={name}"));
        }
    }
    let fitted = |size: &str| {
        let args: Vec<String> = ["photo-bending", "--chart", size, "--out", "felt.csv"].map(String::from).to_vec();
        let told = photo(&folder, &[args, photos.clone()].concat());
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let words = String::from_utf8_lossy(&told.stdout);
        println!("{words}");
        let lengths = words.lines().filter_map(|line| line.split_once("a strip of ")?.1.split_once(" mm"));
        let lengths: Vec<f64> = lengths.map(|(length, _)| length.parse().unwrap()).collect();
        let text = fs::read(folder.join("felt.csv")).unwrap();
        let sheet = Sheet::read("felt.csv", &text, &bending::wants()).unwrap();
        let (outcome, estimates) = bending::fit(&sheet, &own).unwrap();
        println!("{}", outcome.text());
        assert_eq!(estimates.len(), 1);
        (estimates.into_iter().next().unwrap(), lengths)
    };
    let (good, lengths) = fitted("60x45");
    // A pixel of 0.08 mm at each end.
    assert!(lengths.len() == 14 && lengths.iter().all(|length| (length - 25.0).abs() < 0.16), "{lengths:?}");
    let good = over(&good, &numbers[2..]);
    println!("errors over the half intervals: {good:.2?}");
    assert!(good.iter().all(|error| *error < 1.0), "{good:?}");
    let wrong = over(&fitted("54x40.5").0, &numbers[2..]);
    assert!(wrong.iter().any(|error| *error > 1.5), "{wrong:?}");
}

/// Two dots on a sample of cotton, photographed under weights, give its stiffness and friction within the intervals.
#[test]
fn dots_on_photographs_give_stiffness_and_friction() {
    let folder = folder("dots");
    let law = Law::new(Gauge::Stretch, Form::Exact, STRETCH[1]);
    let own = stretch::Setup { name: "spandex".into(), ..setup(Form::Exact, Anchor::Chain) };
    let chart = Chart { width: 0.10, height: 0.16 };
    let mut random = Random::new(11);
    let camera = Camera { pixels: [640, 900], tilt: [0.06, -0.06, -0.02], noise: 0.02 };
    let loads: Vec<f64> = weights(false);
    let (mut photos, mut at) = (Vec::new(), (0.0, 0.0));
    for (k, load) in loads.iter().enumerate() {
        at = law.reach(at, load / own.width, at.0).unwrap();
        // Green's strain.
        let length = 0.05 * (1.0 + 2.0 * at.0).sqrt();
        let dots = [0.5, -0.5].map(|side| ([0.05, 0.08 + side * length], 4e-3));
        let image = camera.draw(&chart, &dots, &[], 0.0, &mut random);
        let name = format!("{k}.png");
        fs::write(folder.join(&name), image.png().unwrap()).unwrap();
        photos.push(format!("{load}N={name}"));
    }
    let args: Vec<String> = ["photo-stretch", "--chart", "100x160", "--out", "s.csv"].map(String::from).to_vec();
    let told = photo(&folder, &[args, photos].concat());
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    println!("{}", String::from_utf8_lossy(&told.stdout));
    let text = fs::read(folder.join("s.csv")).unwrap();
    let own = stretch::Setup { size: 0.05, ..own };
    let (outcome, estimate) = stretch::fit(&Sheet::read("s.csv", &text, &stretch::wants()).unwrap(), &own).unwrap();
    println!("{}", outcome.text());
    let errors = over(&estimate, &STRETCH[1]);
    println!("errors over the half intervals: {errors:.2?}");
    assert!(errors.iter().all(|error| *error < 1.0), "{errors:?}");
}

/// Photographs that cannot be measured, with the words that tell why.
const FAULTY: [(&str, &str); 10] = [
    ("other.png", "marks of the chart were not found"),
    ("mirrored.png", "marks of the chart were not found"),
    ("two.png", "more than one dark shape"),
    ("empty.png", "there is no strip"),
    ("dot.png", "is no strip"),
    ("eight.png", "touches itself"),
    ("grey.png", "no dark shapes"),
    ("text.jpg", "neither a PNG nor a JPEG"),
    ("cut.jpg", "JPEG"),
    ("none.png", "cannot read"),
];

/// Photographs that cannot be measured are told all at once, each with its name and cause. The chart can be printed.
#[test]
fn photographs_that_cannot_be_measured_are_told() {
    let folder = folder("faults");
    let chart = Chart { width: 0.06, height: 0.045 };
    let mut random = Random::new(3);
    let camera = Camera { pixels: [400, 300], tilt: [0.0; 3], noise: 0.01 };
    let mut save = |name: &str, chart: &Chart, dots: &[([f64; 2], f64)], band: &[[f64; 2]]| {
        let image = camera.draw(chart, dots, band, 1.5e-3, &mut random);
        fs::write(folder.join(name), image.png().unwrap()).unwrap();
    };
    save("empty.png", &chart, &[], &[]);
    save("dot.png", &chart, &[([0.03, 0.02], 4e-3)], &[]);
    let ring: Vec<[f64; 2]> =
        (0..=40).map(|k| (f64::from(k) * 0.157).sin_cos()).map(|(s, c)| [0.03 + 0.01 * c, 0.02 + 0.01 * s]).collect();
    let eight = [ring.clone(), vec![[0.03, 0.02], [0.05, 0.03]]].concat();
    save("eight.png", &chart, &[], &eight);
    let strip = [[0.02, 0.01], [0.03, 0.01], [0.04, 0.012]];
    save("other.png", &Chart { width: 0.06, height: 0.04 }, &[], &strip);
    save("good.png", &chart, &[], &strip);
    save("two.png", &chart, &[([0.03, 0.03], 3e-3)], &strip);
    let good = Image::read(&fs::read(folder.join("good.png")).unwrap()).unwrap();
    let mirrored = good.pixels.chunks(good.width).flat_map(|row| row.iter().rev().copied()).collect();
    let mirrored = Image { pixels: mirrored, ..good };
    fs::write(folder.join("mirrored.png"), mirrored.png().unwrap()).unwrap();
    fs::write(folder.join("grey.png"), Image::filled(200, 200, [0.5; 3]).png().unwrap()).unwrap();
    fs::write(folder.join("text.jpg"), "no picture").unwrap();
    fs::write(folder.join("cut.jpg"), [0xff, 0xd8, 0xff, 0xe0, 0, 16, b'J']).unwrap();
    let args: Vec<String> = ["photo-bending", "--chart", "60x45", "--out", "x.csv"].map(String::from).to_vec();
    let told = photo(&folder, &[args, FAULTY.map(|(name, _)| format!("5mm={name}")).to_vec()].concat());
    let stderr = String::from_utf8_lossy(&told.stderr);
    println!("{stderr}");
    assert_eq!(told.status.code(), Some(2), "{stderr}");
    for (name, words) in FAULTY {
        assert!(stderr.lines().any(|line| line.contains(name) && line.contains(words)), "{name}: {words}\n{stderr}");
    }
    assert!(!folder.join("x.csv").exists());
    let told =
        photo(&folder, &["photo-bending", "--chart", "60x45", "--out", "good.csv", "5mm=good.png"].map(String::from));
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told = photo(&folder, &["photo-chart", "60x45", "--out", "chart.svg"].map(String::from));
    assert!(told.status.success());
    let svg = fs::read_to_string(folder.join("chart.svg")).unwrap();
    assert!(svg.matches("<circle").count() == 8 && svg.contains("width=\"70.800mm\""), "{svg}");
}
