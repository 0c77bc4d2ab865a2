//! A scene file with overrides.

use crate::faults::refused;
use percale::scene::{self, Fault, Override};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Scene, read and checked. Its meshes are read when a Simulation is made from it.
#[pyclass(frozen, module = "percale", name = "Scene")]
pub struct Scene {
    /// The scene.
    pub scene: scene::Scene,
    /// Path of the scene file.
    pub file: PathBuf,
}

#[pymethods]
impl Scene {
    /// Reads a scene file; `set` are overrides such as `time.step=0.5 ms`.
    #[new]
    pub fn new(py: Python, file: PathBuf, set: Vec<String>) -> PyResult<Scene> {
        let (mut overrides, mut faults): (Vec<Override>, Vec<Fault>) = Default::default();
        for one in &set {
            match Override::parse(one) {
                Ok(one) => overrides.push(one),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(refused(py, faults));
        }
        let read = py.detach(|| scene::read(&file, &overrides));
        read.map(|scene| Scene { scene, file }).map_err(|faults| refused(py, faults))
    }

    /// Name.
    #[getter]
    fn name(&self) -> &str {
        &self.scene.name
    }

    /// Frames per second.
    #[getter]
    fn fps(&self) -> f64 {
        self.scene.time.fps
    }

    /// Number of the first frame, which is the initial state.
    #[getter]
    fn first_frame(&self) -> u32 {
        self.scene.time.start_frame
    }

    /// Number of the last frame.
    #[getter]
    fn last_frame(&self) -> u32 {
        self.scene.time.last_frame()
    }

    /// The scene file with overrides applied.
    #[getter]
    fn text(&self) -> &str {
        &self.scene.text
    }

    /// Warnings, one per line: settings that are allowed but probably not intended.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.scene.warnings.iter().map(Fault::to_string).collect()
    }

    fn __repr__(&self) -> String {
        format!("<percale.Scene '{}' of {}>", self.scene.name, self.file.display())
    }
}
