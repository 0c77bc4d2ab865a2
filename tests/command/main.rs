//! Tests of the commands against their help. The files are one program, since each program links the whole crate.

mod check;
mod compare;
mod fit;
mod hostile;
mod list;
mod movie;
mod photo;
mod sweep;
mod view;
