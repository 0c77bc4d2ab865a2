//! Writes the sweep as a job template of Open Job Description (specification 2023-09).

use super::{Case, Plan};
use crate::cli::ownership::clean;
use crate::mesh::within;
use std::path::{Path, PathBuf};

/// Largest length of a list in the specification.
const CHUNK: usize = 1024;

/// Quotes text for YAML. JSON strings are valid YAML.
fn quoted(text: &str) -> String {
    crate::sequence::json_text(text)
}

fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<String> = words.into_iter().map(quoted).collect();
    format!("[{}]", all.join(", "))
}

/// Returns the deepest folder that contains the scene and all files that it names.
pub(super) fn project(plan: &Plan) -> PathBuf {
    let mut folder = clean(plan.scene.parent().unwrap_or(&plan.scene));
    for file in plan.files.iter().map(|file| clean(file)) {
        while !file.starts_with(&folder) && folder.pop() {}
    }
    folder
}

/// Returns a path with `/`, which every system reads.
fn slashed(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Returns the parameters of the job: paths of type PATH, which a queue maps to those of another machine, and the
/// program by name. The default of a path must be inside the template's folder, so the project has none.
fn parameters(plan: &Plan) -> String {
    let scene = clean(&plan.scene);
    let scene = slashed(scene.strip_prefix(project(plan)).unwrap_or(&scene));
    format!(
        "parameterDefinitions:\n\
         - {{ name: Project, type: PATH, objectType: DIRECTORY, dataFlow: IN, description: {} }}\n\
         - {{ name: Scene, type: STRING, default: {}, description: {} }}\n\
         - {{ name: Out, type: PATH, objectType: DIRECTORY, dataFlow: OUT, default: \".\", description: {} }}\n\
         - {{ name: Percale, type: STRING, default: percale, description: {} }}\n",
        quoted("Folder of the scene and all files that it names"),
        quoted(&scene),
        quoted("Scene file, within the project"),
        quoted("Folder of the run folders"),
        quoted("The program, by name or path"),
    )
}

/// Returns the template. A step runs the cases, and a second one draws each when all of them are done. More cases than
/// a list may hold become further steps. A stopped task ends with 75 and resumes when it is run again.
pub(super) fn template(plan: &Plan) -> String {
    let mut out = format!("specificationVersion: jobtemplate-2023-09\nname: {}\n", quoted(&plan.name));
    out.push_str(&parameters(plan));
    out.push_str("steps:\n");
    let program = "{{Param.Percale}}";
    for (k, cases) in plan.cases.chunks(CHUNK).enumerate() {
        let number = if plan.cases.len() > CHUNK { (k + 1).to_string() } else { String::new() };
        let folders = list(cases.iter().map(|c| c.name.as_str()));
        let parameter = |name: &str, range: &str| format!("    - {{ name: {name}, type: STRING, range: {range} }}\n");
        let folder = "{{Param.Out}}/{{Task.Param.Case}}".to_string();
        let mut parameters = parameter("Case", &folders);
        let count = cases.first().map_or(0, |c| c.set.len());
        let mut names = vec!["Case".to_string()];
        let scene = "{{Param.Project}}/{{Param.Scene}}".to_string();
        let fixed = ["run", &scene, "--resume", "--restart-if-changed", "--no-preview", "--out", &folder];
        let mut arguments = fixed.map(str::to_string).to_vec();
        for s in 0..count {
            let of = |case: &Case| case.set.get(s).cloned().unwrap_or_default();
            let first = of(&cases[0]);
            if cases.iter().all(|case| of(case) == first) {
                arguments.extend(["--set".to_string(), first]);
                continue;
            }
            let name = format!("Set{}", s + 1);
            let values: Vec<String> = cases.iter().map(of).collect();
            parameters.push_str(&parameter(&name, &list(values.iter().map(String::as_str))));
            arguments.extend(["--set".to_string(), format!("{{{{Task.Param.{name}}}}}")]);
            names.push(name);
        }
        if within::folder().is_some() {
            arguments.extend(["--within", "{{Param.Project}}"].map(str::to_string));
        }
        if let Some(threads) = plan.threads {
            arguments.extend(["--threads".to_string(), threads.to_string()]);
        }
        arguments.extend(["--progress".to_string(), "plain".to_string()]);
        let combination =
            if names.len() > 1 { format!("    combination: ({})\n", names.join(", ")) } else { String::new() };
        let notify = "cancelation: { mode: NOTIFY_THEN_TERMINATE, notifyPeriodInSeconds: 60 }";
        let action = |arguments: &[String]| {
            let (program, arguments) = (quoted(program), list(arguments.iter().map(String::as_str)));
            format!(
                "  script:\n    actions:\n      onRun:\n        command: {program}\n        args: {arguments}\n        {notify}\n"
            )
        };
        out.push_str(&format!(
            "- name: Simulate{number}\n  parameterSpace:\n    taskParameterDefinitions:\n{parameters}{combination}"
        ));
        out.push_str(&action(&arguments));
        out.push_str(&format!(
            "- name: Draw{number}\n  dependencies: [{{ dependsOn: Simulate{number} }}]\n  parameterSpace:\n    taskParameterDefinitions:\n{}",
            parameter("Case", &folders)
        ));
        out.push_str(&action(&["render".to_string(), folder]));
    }
    out
}
