//! percale for Python: the command, and scenes that are stepped frame by frame. `percale/__init__.py` has the words for users.

mod faults;
mod scene;
mod simulation;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The command line; gives the exit code. `program` is what processes of a sweep call.
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
    module.add_function(wrap_pyfunction!(command_line, module)?)
}
