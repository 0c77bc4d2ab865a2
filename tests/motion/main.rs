//! Tests of starts, pinches, shots and vanishing obstacles. The files are one program, since each program links the
//! whole crate.

mod crossed;
mod pinches;
mod shot;
mod starts;
mod vanish;
