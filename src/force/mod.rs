//! Laws: one file each.
pub mod bending;
pub mod membrane;
