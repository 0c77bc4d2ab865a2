//! An interrupted run ends with the same bits as an uninterrupted run, and a run folder belongs to a single run.

mod bench;
mod command;
mod damage;
mod disk;
mod farm;
mod features;
mod gate;
mod onward;
mod saved;
#[cfg(unix)]
mod signals;
mod steps;
