//! `percale man` and `percale completions`: manual pages and shell completions.

use super::failure::Failure;
use crate::sequence::{DiskError, make_folder, write};
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
use std::path::PathBuf;

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(super) struct Manual {
    /// Command whose page is printed, such as `run` or `fit stretch`; the page of percale if absent
    #[arg(conflicts_with = "out")]
    command: Vec<String>,
    /// Write the pages of all commands into this folder instead
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Manual {
    /// Prints a page, or writes all of them.
    pub(super) fn execute(self, mut percale: Command) -> Result<(), Failure> {
        percale.build();
        let mut all = Vec::new();
        pages(&percale, &mut all);
        if let Some(folder) = self.out {
            make_folder(&folder)?;
            for (name, page) in &all {
                write(&folder.join(format!("{name}.1")), page)?;
            }
            return Ok(());
        }
        let wanted = [&["percale".to_string()], &self.command[..]].concat().join("-");
        let Some((_, page)) = all.iter().find(|(name, _)| *name == wanted) else {
            let known: Vec<String> = all.iter().skip(1).map(|(name, _)| words(name)).collect();
            let asked = self.command.join(" ");
            return Err(Failure::input(format!("{asked}: is no command; there are {}", known.join(", "))));
        };
        print(page)
    }
}

impl Completions {
    /// Prints the script.
    pub(super) fn execute(self, mut percale: Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut percale, "percale", &mut script);
        print(&script)
    }
}

/// Converts `percale-fit-stretch` to `fit stretch`.
fn words(name: &str) -> String {
    name.split('-').skip(1).collect::<Vec<_>>().join(" ")
}

/// Renders the pages of a built command and its subcommands, by name: `percale-run` is that of `percale run`.
fn pages(command: &Command, all: &mut Vec<(String, Vec<u8>)>) {
    let name = command.get_display_name().unwrap_or(command.get_name()).to_string();
    let mut page = Vec::new();
    // Writing into memory cannot fail.
    let _ = Man::new(command.clone()).render(&mut page);
    all.push((name, page));
    command.get_subcommands().filter(|below| below.get_name() != "help").for_each(|below| pages(below, all));
}

/// Prints bytes to standard output. A reader that closed the pipe is no failure.
fn print(bytes: &[u8]) -> Result<(), Failure> {
    match std::io::stdout().write_all(bytes) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Disk(DiskError::new("standard output".as_ref(), &error)))
        }
        _ => Ok(()),
    }
}
