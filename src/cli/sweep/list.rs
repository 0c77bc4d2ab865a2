//! Lists the cases as work items in JSON: each with its command, and the files that it leaves.

use super::{Case, Plan};
use crate::cli::say;
use crate::mesh::within;
use crate::scene::Scene;
use crate::scene::json::Json;
use crate::scene::settings::Format;
use std::path::Path;

/// Exit code after which a command is to be given again.
const AGAIN: usize = 75;
/// Exit code of a command whose folder has a run at work: it is to be given again once that has ended.
const BUSY: usize = 73;

/// Files of a case.
pub(super) struct Outputs {
    /// Files below the run folder.
    files: Vec<String>,
    /// Files of each frame, with `####` in place of its number.
    sequences: Vec<String>,
    /// First and last frame.
    frames: [u32; 2],
}

impl Outputs {
    /// Names the files that a run of a scene leaves. Obstacles are left out, since their files depend on their motion.
    pub(super) fn of(scene: &Scene) -> Outputs {
        let mut files: Vec<String> =
            ["run.json", "run.log", "scene.toml", "stats.ndjson", "report.html"].map(str::to_string).to_vec();
        let ending = match scene.output.format {
            Format::Ply => "ply",
            Format::Obj => "obj",
        };
        let cloths = scene.cloths.iter().map(|cloth| &cloth.name);
        let names = cloths.chain(scene.bodies.iter().map(|body| &body.name));
        let meshes = names.filter(|_| scene.output.meshes);
        let mut sequences: Vec<String> = meshes.map(|name| format!("meshes/{name}/{name}.####.{ending}")).collect();
        let preview = &scene.preview;
        if preview.enabled && preview.sheet > 0 {
            files.push("preview/sheet.png".to_string());
        }
        if preview.enabled && preview.every == 1 {
            sequences.push("preview/frame.####.png".to_string());
        }
        files.extend(scene.probes.iter().map(|probe| format!("probes/{}.csv", probe.name)));
        Outputs { files, sequences, frames: [scene.time.start_frame, scene.time.last_frame()] }
    }
}

fn path(path: &Path) -> Json {
    Json::text(path.display().to_string())
}

fn whole(number: usize) -> Json {
    Json::Number(number as f64)
}

/// Prints the work items of the sweep, and the command that gathers their results.
pub(super) fn tell(plan: &Plan) {
    let items = plan.cases.iter().enumerate().map(|(k, case)| item(plan, k, case)).collect();
    let mut gather = vec![
        plan.program.display().to_string(),
        "sweep".to_string(),
        plan.file.display().to_string(),
        "--out".to_string(),
        plan.out.display().to_string(),
        "--status".to_string(),
    ];
    if let Some(folder) = within::folder() {
        gather.extend(["--within".to_string(), folder.display().to_string()]);
    }
    let files = plan.files.iter().collect::<std::collections::BTreeSet<_>>();
    let json = Json::map([
        ("sweep", Json::text(&*plan.name)),
        ("file", path(&plan.file)),
        ("scene", path(&plan.scene)),
        ("inputs", Json::List(files.into_iter().map(|file| path(file)).collect())),
        ("folder", path(&plan.out)),
        ("again", Json::List(vec![whole(AGAIN)])),
        ("busy", Json::List(vec![whole(BUSY)])),
        ("items", Json::List(items)),
        ("gather", Json::texts(gather.iter().map(String::as_str))),
        ("gathered", Json::List(["results.csv", "index.html"].map(|file| path(&plan.out.join(file))).to_vec())),
    ]);
    say(&json.to_string());
}

fn item(plan: &Plan, index: usize, case: &Case) -> Json {
    let mut command = vec![plan.program.display().to_string()];
    command.extend(plan.arguments(case, true));
    command.extend(["--progress".to_string(), "json".to_string()]);
    if let Some(threads) = plan.threads {
        command.extend(["--threads".to_string(), threads.to_string()]);
    }
    let Outputs { files, sequences, frames } = &case.outputs;
    let values = plan.keys.iter().zip(&case.values).map(|(key, value)| (key.clone(), Json::text(&**value)));
    let full = |all: &[String]| Json::List(all.iter().map(|file| path(&case.folder.join(file))).collect());
    Json::map([
        ("name", Json::text(&*case.name)),
        ("index", whole(index)),
        ("values", Json::Map(values.collect())),
        ("command", Json::texts(command.iter().map(String::as_str))),
        ("folder", path(&case.folder)),
        ("outputs", full(files)),
        ("sequences", full(sequences)),
        ("frames", Json::List(frames.iter().map(|frame| Json::Number(f64::from(*frame))).collect())),
    ])
}
