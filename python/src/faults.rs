//! Faults of a scene, and why a simulation ends, as Python has them.

use percale::scene;
use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    percale,
    SceneError,
    PyValueError,
    "A scene that cannot be simulated. `faults` lists all that is wrong, as `percale check` tells it."
);
create_exception!(
    percale,
    SimulationError,
    PyRuntimeError,
    "A step that cannot be made, or a frame in which triangles cross: where `percale run` ends with exit code 1."
);

/// One thing that is wrong with a scene: where, which key, what would be right. `str()` has it in a line.
#[pyclass(frozen, module = "percale")]
pub struct Fault(scene::Fault);

#[pymethods]
impl Fault {
    /// The file as it was named; or the argument, such as `--set time.step`, which has no line and no column.
    #[getter]
    fn file(&self) -> &str {
        match &self.0.place {
            scene::Place::File { file, .. } => file,
            scene::Place::Argument(argument) => argument,
        }
    }

    /// Line, from 1; None where the fault is not in a line.
    #[getter]
    fn line(&self) -> Option<usize> {
        match self.0.place {
            scene::Place::File { line, .. } => Some(line),
            scene::Place::Argument(_) => None,
        }
    }

    /// Column in characters, from 1; None where the fault is not in a line.
    #[getter]
    fn column(&self) -> Option<usize> {
        match self.0.place {
            scene::Place::File { column, .. } => Some(column),
            scene::Place::Argument(_) => None,
        }
    }

    /// Path of the key, such as `cloth[0].mesh`; empty for the file as a whole.
    #[getter]
    fn key(&self) -> &str {
        &self.0.key
    }

    /// What is wrong and what would be right.
    #[getter]
    fn message(&self) -> &str {
        &self.0.message
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<percale.Fault {}>", self.0)
    }
}

/// The exception for faults.
pub fn refused(py: Python, faults: Vec<scene::Fault>) -> PyErr {
    let told: Vec<String> = faults.iter().map(scene::Fault::to_string).collect();
    let error = SceneError::new_err(told.join("\n"));
    let faults: Vec<Fault> = faults.into_iter().map(Fault).collect();
    match error.value(py).setattr("faults", faults) {
        Ok(()) => error,
        Err(other) => other,
    }
}
