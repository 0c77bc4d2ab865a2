//! Pictures: rays compared with brute force, shading with closed forms, shadows, cameras, files, and bitwise equal
//! results for any number of threads.

mod files;
mod gallery;
mod light;
mod meshes;
mod pictures;
mod rays;
