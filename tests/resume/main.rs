//! A run that was interrupted ends with the bits of one that was not.

mod bench;
mod command;
mod disk;
mod farm;
mod features;
#[cfg(unix)]
mod signals;
mod steps;
