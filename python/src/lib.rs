//! Python module of percale: the command line, and simulation of scenes frame by frame. `percale/__init__.py` has the
//! documentation for users.

mod arrays;
mod faults;
mod scene;
mod simulation;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs the command line and returns the exit code. Processes of a sweep call `program`.
#[pyfunction]
fn command_line(py: Python, program: PathBuf, typed: Vec<OsString>) -> u8 {
    py.detach(|| percale::cli::command_line(program, typed))
}

/// The compiled part of `percale`.
#[pymodule]
fn _percale(module: &Bound<PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("SceneError", module.py().get_type::<faults::SceneError>())?;
    module.add("SimulationError", module.py().get_type::<faults::SimulationError>())?;
    module.add_class::<faults::Fault>()?;
    module.add_class::<scene::Scene>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_function(wrap_pyfunction!(scene::scene_of, module)?)?;
    module.add_function(wrap_pyfunction!(command_line, module)?)
}
