//! Sewing patterns: readers, sampling, triangulation, seams.

mod around;
mod bad;
mod beside;
mod borders;
mod command;
mod dxf;
mod formats;
mod gather;
mod json;
mod mesh;
mod scene;
mod seam;
mod shirt;
mod svg;
