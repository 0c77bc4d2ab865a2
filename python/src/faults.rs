//! Python types for diagnostics of a scene and for errors that end a simulation.

use percale::{Error, scene};
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

/// Diagnostic of a scene: file, line, column, key and message. `str()` returns all of them in one line.
#[pyclass(frozen, module = "percale")]
pub struct Fault(scene::Fault);

#[pymethods]
impl Fault {
    /// File name as the caller gave it, or the argument, such as `--set time.step`; empty for a scene without a file.
    /// Only a file has line and column.
    #[getter]
    fn file(&self) -> &str {
        match &self.0.place {
            scene::Place::File { file, .. } => file,
            scene::Place::Argument(argument) => argument,
            scene::Place::Value => "",
        }
    }

    /// Line, from 1; None if the fault has no line.
    #[getter]
    fn line(&self) -> Option<usize> {
        match self.0.place {
            scene::Place::File { line, .. } => Some(line),
            scene::Place::Argument(_) | scene::Place::Value => None,
        }
    }

    /// Column in characters, from 1; None if the fault has no line.
    #[getter]
    fn column(&self) -> Option<usize> {
        match self.0.place {
            scene::Place::File { column, .. } => Some(column),
            scene::Place::Argument(_) | scene::Place::Value => None,
        }
    }

    /// Path of the key, such as `cloth[0].mesh`; empty if the fault concerns the whole file.
    #[getter]
    fn key(&self) -> &str {
        &self.0.key
    }

    /// Error and its correction in words.
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

/// Makes the exception of an error: SceneError, ValueError or SimulationError.
pub(crate) fn raised(py: Python, error: Error) -> PyErr {
    match error {
        Error::Scene(faults) => refused(py, faults),
        Error::Value(why) => PyValueError::new_err(why),
        error => SimulationError::new_err(error.to_string()),
    }
}

/// Makes the exception `SceneError`, with the diagnostics in its attribute `faults`.
pub(crate) fn refused(py: Python, faults: Vec<scene::Fault>) -> PyErr {
    let reported: Vec<String> = faults.iter().map(scene::Fault::to_string).collect();
    let error = SceneError::new_err(reported.join("\n"));
    let faults: Vec<Fault> = faults.into_iter().map(Fault).collect();
    match error.value(py).setattr("faults", faults) {
        Ok(()) => error,
        Err(other) => other,
    }
}
