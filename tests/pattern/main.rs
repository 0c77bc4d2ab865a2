//! Sewing patterns: readers, sampling, triangulation, seams.

mod bad;
mod dxf;
mod json;
mod mesh;
mod shirt;
mod svg;
