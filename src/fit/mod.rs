//! Fits of parameters to measurements: stretch and bending with internal friction (Miguel et al. 2013, section 4),
//! rigidity (Peirce 1930; Cusick 1968), friction of pairs (Chen, Feng & Wang 2013, section 5). The fitted values are
//! written as text that a scene reads.

pub mod bending;
pub mod cantilever;
pub mod drape;
pub mod friction;
pub mod law;
pub mod outcome;
pub mod photo;
pub mod search;
pub mod sled;
pub mod spline;
pub mod stretch;
pub mod track;
