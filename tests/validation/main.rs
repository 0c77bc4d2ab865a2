//! The physics against closed forms. Each test states its equation and source and derives its tolerance from the scheme or
//! the mesh; `--nocapture` prints measured against expected values.

mod air;
mod airflow;
mod asked;
mod balloon;
mod bending;
mod beside;
mod buckling;
mod capstan;
mod common;
mod cylinder;
mod friction;
mod glue;
mod isotropic;
mod internal_friction;
mod kept;
mod limits;
mod membrane;
mod momentum;
mod motion;
mod order;
mod pick;
mod piston;
mod plate;
mod probe;
mod rubber;
mod rubbing;
mod seed_air;
mod solid;
mod spring;
mod standing;
mod tether;
mod turn;
mod vanish;
mod wet;
