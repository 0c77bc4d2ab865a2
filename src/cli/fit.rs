//! `percale fit`: fits parameters to measurements.

use super::drape::Drape;
use super::failure::Failure;
use super::fitted::{above, length, tell};
use super::photo::PhotoFit;
use crate::fit::outcome::Outcome;
use crate::fit::track::{Anchor, Noise};
use crate::fit::{bending, cantilever, friction, sled, stretch};
use crate::force::dahl::Form;
use crate::scene::csv::units::Measure;
use crate::scene::csv::{Sheet, Want};
use crate::scene::library;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Fit {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Stiffness and internal friction of stretch, from weights and lengths: columns force [N], length [mm], and
    /// repeat, order
    Stretch(Stretch),
    /// Rigidity from lengths that overhang at 41.5 degrees: columns length [mm], and repeat, angle [deg]
    Cantilever(Cantilever),
    /// Internal friction of bending, from profiles of strips that were rolled: columns radius [mm], x [mm], y [mm], and
    /// repeat
    Bending(Bending),
    /// Curves of friction, from pulls of a sled: columns angle [deg], load [N], and time [s], force [N], or plateau
    /// [N], peak [N]
    Friction(Friction),
    /// Drape over a disc (BS 5058), simulated, or the rigidity that gives a measured one
    Drape(Drape),
    #[command(flatten)]
    Photo(PhotoFit),
}

/// Arguments of all fits.
#[derive(Debug, Args)]
struct Files {
    /// Measurements (CSV with a heading; units in brackets)
    data: PathBuf,
    /// Name of the fitted material or friction; that of the file if absent
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// File to write for scenes
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write an HTML page with data and fit
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Closed form of the friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormWord {
    /// Solves the differential equation
    Exact,
    /// Eq. 3 of Miguel et al. 2013
    Fitted,
}

/// Origin of the friction stress at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnchorWord {
    /// Followed from the state without friction
    Chain,
    /// Assumed saturated where the load turned, as in the paper
    Saturated,
}

/// Quantity with measurement errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum NoiseWord {
    /// The strain; loads are known
    Strain,
    /// The load; strains are known
    Load,
}

/// Options of the friction fit.
#[derive(Debug, Args)]
struct Method {
    /// Closed form of the friction
    #[arg(long, value_enum, default_value_t = FormWord::Exact)]
    form: FormWord,
    /// How the stress of friction at a point is known
    #[arg(long, value_enum, default_value_t = AnchorWord::Chain)]
    anchor: AnchorWord,
    /// Quantity with measurement errors: strain where weights are hung, load where a machine sets the length
    #[arg(long, value_enum, default_value_t = NoiseWord::Strain)]
    noise: NoiseWord,
}

impl Method {
    fn form(&self) -> Form {
        if self.form == FormWord::Fitted { Form::Fitted } else { Form::Exact }
    }

    fn anchor(&self) -> Anchor {
        if self.anchor == AnchorWord::Saturated { Anchor::Saturated } else { Anchor::Chain }
    }

    fn noise(&self) -> Noise {
        if self.noise == NoiseWord::Load { Noise::Load } else { Noise::Strain }
    }
}

fn from_zero(measure: Measure, text: &str) -> Result<f64, String> {
    let value = measure.read(text)?;
    if value >= 0.0 { Ok(value) } else { Err("must not be below 0".to_string()) }
}

fn thickness(text: &str) -> Result<f64, String> {
    from_zero(Measure::Length, text).and_then(|x| if x <= 0.1 { Ok(x) } else { Err("more than 100 mm".to_string()) })
}

fn mass(text: &str) -> Result<f64, String> {
    from_zero(Measure::Mass, text)
}

fn density(text: &str) -> Result<f64, String> {
    let value = above(Measure::Density, text)?;
    if (1e-3..=100.0).contains(&value) { Ok(value) } else { Err("out of range, 0.001 to 100 kg/m2".to_string()) }
}

fn rigidity(text: &str) -> Result<f64, String> {
    above(Measure::Rigidity, text).and_then(|x| if x <= 1e3 { Ok(x) } else { Err("more than 1000 N m".to_string()) })
}

fn beam(text: &str) -> Result<f64, String> {
    from_zero(Measure::BeamRigidity, text)
        .and_then(|x| if x <= 1e3 { Ok(x) } else { Err("more than 1000 N m2".to_string()) })
}

fn percent(text: &str) -> Result<f64, String> {
    text.trim_end_matches('%')
        .trim()
        .parse()
        .ok()
        .filter(|x| (0.0..=100.0).contains(x))
        .ok_or("expected 0 to 100".to_string())
}

fn degrees(text: &str) -> Result<f64, String> {
    text.trim().parse().ok().filter(|x| (-360.0..=360.0).contains(x)).ok_or("expected degrees, -360 to 360".to_string())
}

#[derive(Debug, Args)]
struct Stretch {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    method: Method,
    /// Length of the sample at rest, between the clips [mm, or with a unit]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    size: f64,
    /// Width of the sample [mm, or with a unit]; as its length if absent
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    width: Option<f64>,
    /// Mass of the lower clip [g, or with a unit]
    #[arg(long, value_name = "MASS", value_parser = mass, default_value = "0")]
    clip: f64,
    /// Mass of the cloth per area [kg/m2, or with a unit]
    #[arg(long, value_name = "DENSITY", value_parser = density)]
    density: f64,
}

#[derive(Debug, Args)]
struct Cantilever {
    #[command(flatten)]
    files: Files,
    /// Mass of the cloth per area [kg/m2, or with a unit]
    #[arg(long, value_name = "DENSITY", value_parser = density)]
    density: f64,
}

/// Free end of the strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum End {
    /// End that lay on the cylinder
    Inner,
    /// End that lay outside
    Outer,
}

#[derive(Debug, Args)]
struct Bending {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    method: Method,
    /// Mass of the cloth per area [kg/m2, or with a unit]
    #[arg(long, value_name = "DENSITY", value_parser = density)]
    density: f64,
    /// Rigidity as of `fit cantilever`: three times k1 [N m, or with a unit]
    #[arg(long, value_name = "RIGIDITY", value_parser = rigidity, conflicts_with = "k1", required_unless_present = "k1")]
    rigidity: Option<f64>,
    /// A third of the rigidity at no curvature [N m, or with a unit]
    #[arg(long, value_name = "RIGIDITY", value_parser = rigidity)]
    k1: Option<f64>,
    /// A ninth of its growth by curvature [N m2, or with a unit]
    #[arg(long, value_name = "K2", value_parser = beam, default_value = "0")]
    k2: f64,
    /// Thickness, by which each turn is wider than the one below; 0 takes one radius for all
    #[arg(long, value_name = "LENGTH", value_parser = thickness, default_value = "0")]
    thickness: f64,
    /// Free end of the strip
    #[arg(long, value_enum, default_value_t = End::Inner)]
    free: End,
}

#[derive(Debug, Args)]
struct Friction {
    #[command(flatten)]
    files: Files,
    /// Curves that differ by less are taken as one [%]
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value = "10")]
    isotropic: f64,
    /// Angles that are foretold, not fitted [degrees]; 30 and 60 if absent and three others are there
    #[arg(long, value_name = "ANGLES", value_parser = degrees, value_delimiter = ',', allow_hyphen_values = true)]
    held: Option<Vec<f64>>,
}

/// Most letters of a name.
const MOST: usize = 64;
/// Suffix of the name if the library already has a material of the file's name.
const FITTED: &str = "-fitted";
/// Largest file of measurements [bytes].
const LARGEST: u64 = 64 << 20;

impl Files {
    fn sheet(&self, wants: &[Want]) -> Result<Sheet, Failure> {
        let shown = self.data.display().to_string();
        let refused = |what: String| Failure::input(format!("{shown}: {what}"));
        let about = std::fs::metadata(&self.data).map_err(|error| refused(format!("cannot read: {error}")))?;
        if about.is_dir() {
            return Err(refused("is a folder; give a file of measurements (.csv)".to_string()));
        }
        if about.len() > LARGEST {
            return Err(refused("larger than 64 MiB; these are no measurements".to_string()));
        }
        let bytes = std::fs::read(&self.data).map_err(|error| refused(format!("cannot read: {error}")))?;
        Ok(Sheet::read(&shown, &bytes, wants)?)
    }

    /// Returns the name of the fit, with the letters that scenes allow.
    fn plain(&self) -> Result<String, Failure> {
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if let Some(name) = &self.name {
            let good = (1..=MOST).contains(&name.len()) && name.chars().all(fits);
            let wanted = "--name: expected a name of letters, digits, '_' and '-', at most 64";
            return if good { Ok(name.clone()) } else { Err(Failure::input(wanted)) };
        }
        let stem = self.data.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let name: String = stem.chars().map(|c| if fits(c) { c } else { '_' }).take(MOST - FITTED.len()).collect();
        Ok(if name.is_empty() { "fitted".to_string() } else { name })
    }

    /// Returns the name of a material, distinct from those of the library.
    fn material(&self) -> Result<String, Failure> {
        let name = self.plain()?;
        self.ends("toml", "a material is a [[material]] of a scene, which is TOML")?;
        let known = library().materials.find(&name).is_some() || library().solids.find(&name).is_some();
        match &self.name {
            Some(_) if known => Err(Failure::input(format!("--name: the library has a '{name}'; give another"))),
            None if known => Ok(format!("{name}{FITTED}")),
            _ => Ok(name),
        }
    }

    /// Checks that the file for scenes has this extension, or none, and that no output is a folder.
    fn ends(&self, kind: &str, what: &str) -> Result<(), Failure> {
        if let Some(path) = [&self.out, &self.report].into_iter().flatten().find(|path| path.is_dir()) {
            return Err(Failure::input(format!("{}: is a folder; name a file", path.display())));
        }
        let Some(path) = &self.out else { return Ok(()) };
        match path.extension() {
            Some(other) if !other.eq_ignore_ascii_case(kind) => Err(Failure::input(format!(
                "--out {}: {what}; name it {}",
                path.display(),
                path.with_extension(kind).display()
            ))),
            _ => Ok(()),
        }
    }

    fn tell(&self, outcome: &Outcome) -> Result<(), Failure> {
        tell(outcome, self.out.as_deref(), self.report.as_deref())
    }
}

impl Fit {
    /// Fits, prints and writes.
    pub(super) fn execute(self) -> Result<(), Failure> {
        match self.what {
            What::Stretch(own) => own.execute(),
            What::Cantilever(own) => {
                let name = own.files.material()?;
                let sheet = own.files.sheet(&cantilever::wants())?;
                own.files.tell(&cantilever::fit(&sheet, &name, own.density)?)
            }
            What::Bending(own) => own.execute(),
            What::Drape(own) => own.execute(),
            What::Photo(own) => own.execute(),
            What::Friction(own) => {
                own.files.ends("csv", "curves are a CSV file, which `curves` of a [[friction]] names")?;
                let sheet = own.files.sheet(&sled::wants())?;
                let setup =
                    friction::Setup { name: own.files.plain()?, alike: 0.01 * own.isotropic, held: own.held.clone() };
                own.files.tell(&friction::fit(&sheet, &setup)?)
            }
        }
    }
}

impl Stretch {
    fn execute(self) -> Result<(), Failure> {
        let setup = stretch::Setup {
            name: self.files.material()?,
            size: self.size,
            width: self.width.unwrap_or(self.size),
            clip: self.clip,
            density: self.density,
            form: self.method.form(),
            anchor: self.method.anchor(),
            noise: self.method.noise(),
        };
        let (outcome, _) = stretch::fit(&self.files.sheet(&stretch::wants())?, &setup)?;
        self.files.tell(&outcome)
    }
}

impl Bending {
    fn execute(self) -> Result<(), Failure> {
        let k1 = self.k1.or(self.rigidity.map(|rigidity| rigidity / 3.0)).unwrap_or_default();
        let setup = bending::Setup {
            name: self.files.material()?,
            density: self.density,
            thickness: self.thickness,
            inner: self.free == End::Inner,
            k: [k1, self.k2],
            form: self.method.form(),
            anchor: self.method.anchor(),
            noise: self.method.noise(),
        };
        let (outcome, _) = bending::fit(&self.files.sheet(&bending::wants())?, &setup)?;
        self.files.tell(&outcome)
    }
}
