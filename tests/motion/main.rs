//! Starts, pinches, shots and obstacles that vanish. The files are one program, since each program links the whole crate.

mod pinches;
mod shot;
mod starts;
mod vanish;
