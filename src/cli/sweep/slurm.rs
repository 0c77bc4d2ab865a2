//! Submits cases as an array of Slurm jobs, their pictures as a second array, and the tables as a last job.

use super::Plan;
use crate::cli::failure::Failure;
use crate::cli::say;
use crate::sequence::write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Quotes a word for the shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn shown(path: &Path) -> String {
    quoted(&path.display().to_string())
}

/// Refuses paths that Slurm would misread. It takes a path in a script's head literally up to the end of the line, but
/// replaces `%` in it.
fn fits(path: &Path) -> Result<(), Failure> {
    let text = path.to_string_lossy();
    match text.chars().find(|c| c.is_control() || "\"%\\".contains(*c)) {
        Some(c) => Err(Failure::input(format!("{}: {c:?} in a path is refused for Slurm; rename it", path.display()))),
        None => Ok(()),
    }
}

/// Writes the scripts and the list of cases, and submits them with `sbatch`.
///
/// # Errors
/// The disk or Slurm refuses.
pub(super) fn submit(plan: &Plan, more: &[String]) -> Result<(), Failure> {
    for path in [&plan.out, &plan.file] {
        fits(path)?;
    }
    let lines = plan.cases.iter().map(|case| {
        let all = plan.arguments(case, false);
        format!("{}\n", all.iter().map(|word| quoted(&word.replace('\n', " "))).collect::<Vec<_>>().join(" "))
    });
    write(&plan.out.join("cases"), lines.collect::<String>().as_bytes())?;
    let folders = plan.cases.iter().map(|case| format!("{}\n", case.name));
    write(&plan.out.join("folders"), folders.collect::<String>().as_bytes())?;
    let write_script = |name: &str, text: String| -> Result<PathBuf, Failure> {
        let path = plan.out.join(name);
        write(&path, text.as_bytes())?;
        Ok(path)
    };
    let simulate = sbatch(&write_script("simulate.sbatch", simulate(plan))?, &[], more)?;
    let after = format!("--dependency=aftercorr:{simulate}");
    let draw = sbatch(&write_script("draw.sbatch", draw(plan))?, &[&after, "--kill-on-invalid-dep=yes"], more)?;
    let after = format!("--dependency=afterany:{simulate}:{draw}");
    let gather = sbatch(&write_script("gather.sbatch", gather(plan))?, &[&after], more)?;
    say(&format!("{} cases as job {simulate}, pictures as {draw}, tables as {gather}", plan.cases.len()));
    say(&format!("see squeue, and percale sweep {} --out {} --status", shown(&plan.file), shown(&plan.out)));
    Ok(())
}

/// Submits a script. Returns the number of the job.
fn sbatch(script: &Path, own: &[&str], more: &[String]) -> Result<String, Failure> {
    let out = Command::new("sbatch").arg("--parsable").args(own).args(more).arg(script).output();
    let out = out.map_err(|error| Failure::input(format!("sbatch: {error}; is Slurm installed here?")))?;
    if !out.status.success() {
        return Err(Failure::input(format!("sbatch: {}", String::from_utf8_lossy(&out.stderr).trim())));
    }
    let reported = String::from_utf8_lossy(&out.stdout).into_owned();
    Ok(reported.trim().split(';').next().unwrap_or_default().to_string())
}

/// Returns the head of a script.
fn head(plan: &Plan, what: &str, array: bool) -> String {
    let (name, out, count) = (&plan.name, plan.out.display(), plan.cases.len());
    let (log, lines) = if array {
        let most = if plan.jobs > 1 { format!("%{}", plan.jobs) } else { String::new() };
        ("%a", format!("#SBATCH --array=1-{count}{most}\n"))
    } else {
        ("all", String::new())
    };
    let threads = plan.threads.map_or(String::new(), |n| format!("#SBATCH --cpus-per-task={n}\n"));
    // Slurm takes these lines literally. A quoted path may contain spaces.
    format!(
        "#!/bin/bash\n#SBATCH --job-name={name}-{what}\n{lines}{threads}#SBATCH --output=\"{out}/log/{what}.{log}.log\"\n\
         #SBATCH --open-mode=append\n"
    )
}

/// Returns the script of a case. A job that is about to be preempted or to run out of time gets USR1. The run then
/// writes a checkpoint and ends with 75, and the job is requeued.
fn simulate(plan: &Plan) -> String {
    format!(
        r#"{}#SBATCH --requeue
#SBATCH --signal=B:USR1@60
set -u
requeue=yes
trap 'kill -USR1 "$run"' USR1
# A cancelled job stays so; percale gets this signal from Slurm as well.
trap 'requeue=no' TERM
eval "set -- $(sed -n "${{SLURM_ARRAY_TASK_ID}}p" {})"
{} "$@" --threads "${{SLURM_CPUS_PER_TASK:-1}}" --progress plain &
run=$!
wait "$run"
code=$?
# A signal ends the waiting, not the run.
while kill -0 "$run" 2>/dev/null; do
    wait "$run"
    code=$?
done
if [ "$code" = 75 ] && [ "$requeue" = yes ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"
"#,
        head(plan, "simulate", true),
        shown(&plan.out.join("cases")),
        shown(&plan.program)
    )
}

/// Returns the script of a case's pictures.
fn draw(plan: &Plan) -> String {
    format!(
        "{}{} render {}/\"$(sed -n \"${{SLURM_ARRAY_TASK_ID}}p\" {})\" --threads \"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
        head(plan, "draw", true),
        shown(&plan.program),
        shown(&plan.out),
        shown(&plan.out.join("folders"))
    )
}

/// Returns the script that gathers the results.
fn gather(plan: &Plan) -> String {
    let (program, file, out) = (shown(&plan.program), shown(&plan.file), shown(&plan.out));
    format!("{}{program} sweep {file} --out {out} --status\n", head(plan, "gather", false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_slurm_reads_otherwise_are_refused() {
        for odd in ["/x\ntouch y", "/a\"b", "/50%", "/a\\b", "/a\u{7f}"] {
            assert!(fits(Path::new(odd)).is_err(), "{odd}");
        }
        assert!(fits(Path::new("/some where/it's ü, #1;$(x)")).is_ok());
    }

    #[test]
    fn words_reach_the_program_as_they_are() {
        let words = ["plain", "a b", "", "it's", "$HOME `x` \"y\" \\", "cloth[0].material=\"silk\"", "*"];
        let line = words.map(quoted).join(" ");
        let script = "eval \"set -- $(cat)\"; printf '%s\\n' \"$@\"";
        let mut shell = std::process::Command::new("bash");
        let mut child = shell
            .args(["-c", script])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), line.as_bytes()).unwrap();
        let reported = child.wait_with_output().unwrap().stdout;
        assert_eq!(String::from_utf8(reported).unwrap(), words.join("\n") + "\n");
    }
}
