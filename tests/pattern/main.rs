//! Sewing patterns: readers, sampling, triangulation, seams.

mod bad;
mod json;
mod mesh;
mod shirt;
