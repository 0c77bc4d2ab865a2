//! Pictures: rays against brute force, shading against closed forms, shadows, cameras, files, and the same bits for any
//! number of threads.

mod files;
mod gallery;
mod light;
mod meshes;
mod pictures;
mod rays;
