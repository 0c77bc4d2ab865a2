//! Commands, progress, signals and exit codes, with a file per command.

mod arrows;
mod blur;
mod check;
mod compare;
mod drape;
mod drawing;
mod export;
mod extent;
mod failure;
mod film;
mod fit;
mod fitted;
mod frames;
mod ownership;
mod input;
mod inspect;
mod log;
mod manual;
mod materials;
mod meet;
mod movie;
mod pattern;
mod photo;
mod picture;
mod progress;
mod progress_line;
mod range;
mod reach;
mod render;
mod report;
mod resume;
mod run;
mod signals;
mod simulation;
mod started;
mod stretch;
mod sweep;
mod text;
mod turntable;
mod view;

use crate::mesh::archive::reader;
use clap::{CommandFactory, Parser, Subcommand};
use failure::print_failure;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Offline cloth simulator: a TOML scene goes in; meshes, pictures and a record come out.
#[derive(Debug, Parser)]
#[command(name = "percale", version, arg_required_else_help = true, after_help = CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Exit codes, printed below the help.
const CODES: &str = "Exit codes:
  0   done
  1   the simulation failed; of compare: they differ
  2   the input is wrong; of compare: cannot be compared
  3   the disk failed, or files of the run are missing or damaged
  73  another run is at work in the folder
  75  stopped by a signal after a checkpoint";

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scene
    Run(run::Run),
    /// Tell all faults of a scene; simulates nothing
    Check(check::Check),
    /// Draw the pictures of a run again from its meshes
    Render(render::Render),
    /// Make a film of the pictures of a run
    Movie(movie::Movie),
    /// Write the meshes of a run for other programs, also while it runs
    Export(export::Export),
    /// Describe a mesh file or a run folder
    Inspect(inspect::Inspect),
    /// Run a scene with many values of its keys
    Sweep(sweep::Sweep),
    /// Write the report of a run again
    Report(report::Report),
    /// Show runs in a browser: all their frames in 3D, also while they go on
    View(view::View),
    /// Compare pictures, meshes or sequences of them; ends with 0 if they are the same, 1 if they differ, 2 if they
    /// cannot be compared
    Compare(compare::Compare),
    /// Parameters of materials and friction from measurements
    Fit(fit::Fit),
    /// List the library of materials, or all of one
    Materials(materials::Materials),
    /// List the panels of a sewing pattern, and draw them
    Pattern(pattern::Pattern),
    /// Print the JSON Schema of scene files, for editors
    Schema {
        /// A page of all keys in Markdown instead, as docs/keys.md
        #[arg(long)]
        markdown: bool,
    },
    /// Print the script by which a shell completes commands and options
    Completions(manual::Completions),
    /// Print a manual page, or write those of all commands
    Man(manual::Manual),
}

/// Runs the command line and returns the exit code, one of [`CODES`].
pub fn main() -> ExitCode {
    let program = std::env::current_exe().unwrap_or("percale".into());
    ExitCode::from(command_line(program, std::env::args_os().collect()))
}

/// Runs the command line `typed`, whose first word is the name of the program. Returns the exit code as [`main`] does.
/// `program` is the executable that other processes start for the same purpose, such as the cases of a sweep.
pub fn command_line(program: PathBuf, typed: Vec<OsString>) -> u8 {
    // The program itself calls the reader this way.
    if let [_, word, _, file] = &typed[..]
        && word == reader::WORD
    {
        return if reader::serve(Path::new(file)).is_ok() { 0 } else { 2 };
    }
    let arguments = match Arguments::try_parse_from(&typed) {
        Ok(arguments) => arguments,
        Err(error) => {
            // The message repeats the arguments, so control characters in them are replaced.
            let harmless = typed.iter().map(|argument| text::line(&argument.to_string_lossy()).into_owned());
            let error = Arguments::try_parse_from(harmless).err().unwrap_or(error);
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    reader::read_with(program.clone());
    started::keep(program, typed);
    let code = execute(arguments);
    log::close(code);
    code
}

/// Executes a command, and tells its failure. Returns the exit code.
fn execute(arguments: Arguments) -> u8 {
    let outcome = match arguments.command {
        Command::Run(command) => command.execute(),
        Command::Check(command) => command.execute(),
        Command::Render(command) => command.execute(),
        Command::Movie(movie) => movie.execute(),
        Command::Export(command) => command.execute(),
        Command::Inspect(command) => command.execute(),
        Command::Sweep(command) => command.execute(),
        Command::Report(command) => command.execute(),
        Command::View(command) => command.execute(),
        Command::Compare(command) => command.execute(),
        Command::Fit(command) => command.execute(),
        Command::Materials(command) => command.execute(),
        Command::Pattern(command) => command.execute(),
        Command::Schema { markdown } => {
            let page = if markdown { crate::scene::keys_page() } else { crate::scene::schema() };
            say(page.trim_end());
            Ok(())
        }
        Command::Completions(command) => command.execute(Arguments::command()),
        Command::Man(command) => command.execute(Arguments::command()),
    };
    match outcome {
        Ok(()) => 0,
        Err(failure) => {
            print_failure(&failure);
            failure.code()
        }
    }
}

/// Prints to standard output. A reader that closed the pipe is no failure.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{}", text::lines(line));
}

/// Prints a line to standard error, and to the log of a run: as a warning if it says so, else as an error.
fn warn(line: &str) {
    tell(line);
    match line.strip_prefix("warning: ") {
        Some(text) => log::keep(log::Level::Warning, text),
        None => log::keep(log::Level::Error, line),
    }
}

/// Prints a single line to standard error, whatever the text contains.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", text::line(line));
}
