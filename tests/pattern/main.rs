//! Sewing patterns: readers, sampling, triangulation, seams.

mod bad;
mod command;
mod dxf;
mod json;
mod mesh;
mod scene;
mod shirt;
mod svg;
