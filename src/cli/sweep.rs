//! `percale sweep`: runs a scene with many values of its keys. Each case is a run folder.

mod beside;
mod effects;
mod list;
mod local;
mod openjd;
mod slurm;
mod table;

use super::failure::Failure;
use super::input::bounded;
use super::{say, started};
use crate::mesh::within;
use crate::scene::{self, sweep};
use crate::sequence::{Cases, DiskError, write};
use clap::{Args, ValueEnum};
use std::fs;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Sweep {
    /// Sweep file
    sweep: PathBuf,
    /// Folder of the run folders; <sweep name> in the folder PERCALE_OUT, or in out, if absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Who runs the cases
    #[arg(long, value_enum, default_value_t = Engine::Local)]
    engine: Engine,
    /// Cases at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    jobs: u16,
    /// Threads of each case
    #[arg(long, value_name = "N", env = "PERCALE_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// An argument for sbatch, such as --sbatch=--partition=night; repeat for more
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Run nothing: write a description for a farm
    #[arg(long, value_enum)]
    emit: Option<Emit>,
    /// Run nothing: print the cases, each with its command and the files that it leaves
    #[arg(long, value_enum, conflicts_with_all = ["emit", "status"])]
    list: Option<List>,
    /// Read no file outside of this folder, whatever the sweep and its scene name
    #[arg(long, value_name = "DIR", env = within::VARIABLE)]
    within: Option<PathBuf>,
    /// Run nothing: gather the results so far in tables and a contact sheet
    #[arg(long, conflicts_with = "emit")]
    status: bool,
}

/// Engine that runs the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Engine {
    /// This machine
    Local,
    /// Slurm: an array of jobs that are queued again when they are stopped, then their pictures
    Slurm,
}

/// Formats of job descriptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Emit {
    /// A job template of Open Job Description
    Openjd,
}

/// Formats of lists of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum List {
    /// Work items in JSON, for schedulers such as Houdini's TOPs
    Json,
}

/// A case of the sweep.
struct Case {
    /// Name of the run folder, such as `0001`. It stays with the values.
    name: String,
    /// Run folder, absolute.
    folder: PathBuf,
    /// Values of the keys, as TOML.
    values: Vec<String>,
    /// Arguments of `--set` for all overrides.
    set: Vec<String>,
    /// Text of the scene file with the overrides.
    text: String,
    /// Files that it leaves.
    outputs: list::Outputs,
}

/// A sweep with the folders of its cases. Paths are absolute.
struct Plan {
    name: String,
    file: PathBuf,
    scene: PathBuf,
    /// Files that the scene names in any case.
    files: Vec<PathBuf>,
    out: PathBuf,
    keys: Vec<String>,
    cases: Vec<Case>,
    program: PathBuf,
    jobs: u16,
    threads: Option<u16>,
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

impl Sweep {
    /// Runs, submits, describes or gathers the cases.
    pub(super) fn execute(self) -> Result<(), Failure> {
        bounded(self.within.as_deref())?;
        let sweep = sweep::read(&self.sweep)?;
        let root = || std::env::var_os("PERCALE_OUT").filter(|root| !root.is_empty()).unwrap_or("out".into());
        let out = absolute(&self.out.clone().unwrap_or_else(|| Path::new(&root()).join(&sweep.name)));
        let mut faults = Vec::new();
        let mut cases = Vec::new();
        let mut files = Vec::new();
        let mut known = Cases::read(&out)?;
        let keyed = |values: &Vec<String>| sweep.keys.iter().zip(values).map(|(k, v)| format!("{k}={v}")).collect();
        let names = known.names(&sweep.cases.iter().map(keyed).collect::<Vec<_>>());
        for (values, name) in sweep.cases.iter().zip(names) {
            let overrides = sweep.overrides(values);
            // Faults of all cases are reported before the first case runs.
            let (outputs, text) = match scene::read(&sweep.scene, &overrides) {
                Ok(scene) => {
                    files.extend(scene.files.iter().map(|file| absolute(file)));
                    (list::Outputs::of(&scene), scene.text)
                }
                Err(found) => {
                    faults.extend(found.iter().map(|fault| format!("case {name}: {fault}")));
                    continue;
                }
            };
            let set = overrides.iter().map(|o| format!("{}={}", o.path, o.value)).collect();
            cases.push(Case { folder: out.join(&name), name, values: values.clone(), set, text, outputs });
        }
        if !faults.is_empty() {
            return Err(Failure::Input(faults));
        }
        let plan = Plan {
            name: sweep.name,
            file: absolute(&self.sweep),
            scene: absolute(&sweep.scene),
            files,
            out,
            keys: sweep.keys,
            cases,
            program: started::program(),
            jobs: self.jobs,
            threads: self.threads,
        };
        fs::create_dir_all(plan.out.join("log")).map_err(|error| DiskError::new(&plan.out, &error))?;
        known.write(&plan.out)?;
        if self.list == Some(List::Json) {
            list::tell(&plan);
            return Ok(());
        }
        if self.status {
            return table::gather(&plan).map(|_| ());
        }
        if let Some(Emit::Openjd) = self.emit {
            let path = plan.out.join("openjd.yaml");
            write(&path, openjd::template(&plan).as_bytes())?;
            say(&format!("job template in {}; Project is {}", path.display(), openjd::project(&plan).display()));
            return Ok(());
        }
        match self.engine {
            Engine::Local => local::run(&plan),
            Engine::Slurm => slurm::submit(&plan, &self.sbatch),
        }
    }
}

impl Plan {
    /// Returns the arguments of `percale` that run or resume a case. On a farm another task draws, so `draws` is false.
    fn arguments(&self, case: &Case, draws: bool) -> Vec<String> {
        let mut all = vec!["run".to_string(), self.scene.display().to_string(), "--resume".to_string()];
        all.push("--restart-if-changed".to_string());
        all.extend((!draws).then(|| "--no-preview".to_string()));
        if let Some(folder) = within::folder() {
            all.extend(["--within".to_string(), folder.display().to_string()]);
        }
        all.extend(["--out".to_string(), case.folder.display().to_string()]);
        all.extend(case.set.iter().flat_map(|set| ["--set".to_string(), set.clone()]));
        all
    }
}
