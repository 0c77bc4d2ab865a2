//! A run that was interrupted ends with the bits of one that was not, and a run folder belongs to one run.

mod bench;
mod command;
mod damage;
mod disk;
mod farm;
mod features;
mod gate;
#[cfg(unix)]
mod signals;
mod steps;
