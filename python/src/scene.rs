//! A scene of a file or of values, with overrides.

use crate::arrays::given;
use crate::faults::refused;
use percale::scene::{self, Fault, Override};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Scene, read and checked. Its meshes are read when a Simulation is made from it.
#[pyclass(frozen, module = "percale", name = "Scene")]
pub struct Scene {
    /// The scene.
    pub scene: scene::Scene,
    /// Path of the scene file; empty without one.
    pub file: PathBuf,
}

/// Parses overrides.
fn overrides(py: Python, set: &[String]) -> PyResult<Vec<Override>> {
    let (mut overrides, mut faults): (Vec<Override>, Vec<Fault>) = Default::default();
    for one in set {
        match Override::parse(one) {
            Ok(one) => overrides.push(one),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(overrides) } else { Err(refused(py, faults)) }
}

/// Reads a scene without a file: its text, the folder of its paths, its meshes in memory by name, and overrides.
#[pyfunction]
pub(crate) fn scene_of(
    py: Python,
    text: &str,
    folder: PathBuf,
    meshes: &Bound<PyDict>,
    set: Vec<String>,
) -> PyResult<Scene> {
    let (overrides, given) = (overrides(py, &set)?, given(meshes)?);
    let read = py.detach(|| scene::read_given(text, &folder, given, &overrides));
    read.map(|scene| Scene { scene, file: PathBuf::new() }).map_err(|faults| refused(py, faults))
}

#[pymethods]
impl Scene {
    /// Reads a scene file; `set` are overrides such as `time.step=0.5 ms`.
    #[new]
    pub fn new(py: Python, file: PathBuf, set: Vec<String>) -> PyResult<Scene> {
        let overrides = overrides(py, &set)?;
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

    /// The scene as TOML with overrides applied. Arrays are named in it, as `"memory:cloth[0].mesh"`.
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
        match self.file.as_os_str().is_empty() {
            true => format!("<percale.Scene '{}'>", self.scene.name),
            false => format!("<percale.Scene '{}' of {}>", self.scene.name, self.file.display()),
        }
    }
}
