//! Simulation of a scene frame by frame, and NumPy arrays of its objects.

use crate::faults::{SimulationError, refused};
use crate::scene::Scene;
use numpy::{PyArray2, PyArrayMethods};
use percale::linalg::{Vec3, par};
use percale::{Error, Simulation as Solver};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Interval between checks for Ctrl-C during a step.
const LOOK: Duration = Duration::from_millis(50);

/// NumPy array with three numbers per row, and a read-only view of it.
struct Rows {
    own: Py<PyArray2<f32>>,
    seen: Py<PyAny>,
}

impl Rows {
    fn new(py: Python, count: usize) -> PyResult<Rows> {
        let own = PyArray2::<f32>::zeros(py, [count, 3], false);
        let seen = read_only(own.call_method0("view")?)?;
        Ok(Rows { own: own.unbind(), seen })
    }

    /// Writes values in the precision of files.
    fn fill(&self, py: Python, values: &[Vec3]) -> PyResult<()> {
        let mut own = self.own.bind(py).try_readwrite().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        for (row, value) in own.as_slice_mut()?.chunks_exact_mut(3).zip(values) {
            for (to, from) in row.iter_mut().zip(value.iter()) {
                *to = *from as f32;
            }
        }
        Ok(())
    }
}

fn read_only(array: Bound<PyAny>) -> PyResult<Py<PyAny>> {
    array.getattr("flags")?.setattr("writeable", false)?;
    Ok(array.unbind())
}

/// Arrays of an object for Python.
struct Seen {
    positions: Rows,
    velocities: Rows,
    triangles: Py<PyAny>,
}

/// Simulation of a scene, at its first frame; `step` advances to the next.
///
/// `scene` is the result of `load`, or the path of a scene file. `threads` defaults to the number of processors;
/// results do not depend on the number of threads. Raises SceneError if the meshes or the initial state have faults,
/// SimulationError if meshes intersect in the first frame.
#[pyclass(module = "percale")]
pub struct Simulation {
    scene: Py<Scene>,
    solver: Solver,
    objects: Vec<Seen>,
    threads: usize,
    frame: u32,
    warnings: Vec<String>,
}

impl Simulation {
    fn object(&self, name: &str) -> PyResult<usize> {
        let objects = &self.solver.world().objects;
        objects.iter().position(|object| object.name == name).ok_or_else(|| {
            let names: Vec<String> = objects.iter().map(|object| format!("'{}'", object.name)).collect();
            PyKeyError::new_err(format!("no object is named '{name}'; there are {}", names.join(", ")))
        })
    }

    /// Works on the solver with the threads of the simulation. Other Python threads continue meanwhile. Ctrl-C sets
    /// `stop`.
    fn work<T: Send>(
        &mut self,
        py: Python,
        work: impl FnOnce(&mut Solver, &AtomicBool) -> Result<T, Error> + Send,
    ) -> PyResult<Result<T, Error>> {
        let (solver, threads, stop) = (&mut self.solver, self.threads, AtomicBool::new(false));
        let mut interrupted = Ok(());
        let done = std::thread::scope(|scope| {
            let (tell, mut told) = mpsc::channel::<()>();
            let stop = &stop;
            let worker = scope.spawn(move || {
                let _ends = tell;
                par::with_threads(threads, || work(solver, stop))
            });
            // Signals reach only the main thread of Python. The work is therefore in another thread.
            loop {
                let told = &mut told;
                if py.detach(move || told.recv_timeout(LOOK)) != Err(mpsc::RecvTimeoutError::Timeout) {
                    break;
                }
                if interrupted.is_ok() {
                    interrupted = py.check_signals();
                    stop.store(interrupted.is_err(), Ordering::Relaxed);
                }
            }
            py.detach(|| worker.join())
        });
        interrupted?;
        match done {
            Ok(done) => done.map_err(PyRuntimeError::new_err),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    /// Steps to the next frame and shows it; its number, or nothing where the steps were cut short.
    fn advance(&mut self, py: Python) -> PyResult<Option<u32>> {
        let made = self.work(py, |solver, stop| solver.next_frame_while(|| !stop.load(Ordering::Relaxed)))?;
        let frame = made.map_err(|error| SimulationError::new_err(error.to_string()))?;
        if frame.is_some() {
            for (seen, at) in self.objects.iter().zip(self.solver.snapshots()) {
                seen.positions.fill(py, &at.positions)?;
                seen.velocities.fill(py, at.velocities.as_deref().unwrap_or_default())?;
            }
        }
        Ok(frame)
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (scene, threads=None))]
    fn new(py: Python, scene: Bound<PyAny>, threads: Option<i64>) -> PyResult<Simulation> {
        let threads = match threads {
            None => 0,
            Some(count @ 1..=1024) => count as usize,
            Some(count) => {
                return Err(PyValueError::new_err(format!("threads is {count}; give 1 to 1024, or none for all")));
            }
        };
        let scene = match scene.cast_into::<Scene>() {
            Ok(scene) => scene.unbind(),
            Err(other) => Py::new(py, Scene::new(py, other.into_inner().extract()?, Vec::new())?)?,
        };
        let of = scene.get();
        let built = py.detach(|| par::with_threads(threads, || Solver::of(of.scene.clone(), &of.file)));
        let solver = match built.map_err(PyRuntimeError::new_err)? {
            Ok(solver) => solver,
            Err(Error::Scene(faults)) => return Err(refused(py, faults)),
            Err(error) => return Err(SimulationError::new_err(error.to_string())),
        };
        let warnings = solver.warnings().iter().map(ToString::to_string).collect();
        let mut objects = Vec::new();
        for object in &solver.world().objects {
            let count = object.place.len();
            let triangles = PyArray2::<i32>::zeros(py, [object.triangles.len(), 3], false);
            let corners = object.triangles.iter().flatten().map(|v| *v as i32);
            triangles.readwrite().as_slice_mut()?.iter_mut().zip(corners).for_each(|(to, v)| *to = v);
            let triangles = read_only(triangles.into_any())?;
            objects.push(Seen { positions: Rows::new(py, count)?, velocities: Rows::new(py, count)?, triangles });
        }
        let frame = of.scene.time.start_frame;
        let mut simulation = Simulation { solver, objects, threads, frame, warnings, scene: scene.clone_ref(py) };
        simulation.advance(py)?;
        Ok(simulation)
    }

    /// Advances to the next frame and returns its number.
    fn step(&mut self, py: Python) -> PyResult<u32> {
        let scene = self.scene.clone_ref(py);
        let time = &scene.get().scene.time;
        let (frame, last) = (self.frame + 1, time.last_frame());
        if self.frame >= last {
            return Err(PyValueError::new_err(format!(
                "frame {last} is the last of the scene; give it more by time.frames"
            )));
        }
        self.advance(py)?;
        self.frame = frame;
        Ok(frame)
    }

    /// Number of the current frame, whose values the arrays hold.
    #[getter]
    fn frame(&self) -> u32 {
        self.frame
    }

    /// Time of the current frame [s]; the first frame is at 0.
    #[getter]
    fn time(&self, py: Python) -> f64 {
        self.scene.bind(py).get().scene.time.of(self.frame)
    }

    /// Whether the current frame is the last.
    #[getter]
    fn done(&self, py: Python) -> bool {
        self.frame >= self.scene.bind(py).get().scene.time.last_frame()
    }

    /// The scene.
    #[getter]
    fn scene(&self, py: Python) -> Py<Scene> {
        self.scene.clone_ref(py)
    }

    /// Names of all cloths, bodies and obstacles.
    #[getter]
    fn objects(&self) -> Vec<&str> {
        self.solver.world().objects.iter().map(|object| object.name.as_str()).collect()
    }

    /// Warnings of scene and meshes, one per line: settings that are allowed but probably not intended.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Origin of the positions in coordinates of the scene [m]; zero unless the scene is far from its own origin.
    #[getter]
    fn origin(&self) -> [f64; 3] {
        self.solver.world().origin.into()
    }

    /// Kind of an object: `cloth`, `body` or `obstacle`.
    fn kind(&self, name: &str) -> PyResult<&'static str> {
        Ok(self.solver.world().objects[self.object(name)?].kind.word())
    }

    /// Whether an object is present at this frame: an obstacle may appear and vanish.
    fn there(&self, name: &str) -> PyResult<bool> {
        Ok(self.solver.world().there(self.object(name)?, self.solver.state().now()))
    }

    /// Positions of the vertices in file order [m].
    fn positions(&self, py: Python, name: &str) -> PyResult<Py<PyAny>> {
        Ok(self.objects[self.object(name)?].positions.seen.clone_ref(py))
    }

    /// Velocities of the vertices in file order [m/s].
    fn velocities(&self, py: Python, name: &str) -> PyResult<Py<PyAny>> {
        Ok(self.objects[self.object(name)?].velocities.seen.clone_ref(py))
    }

    /// Vertex indices of each triangle, from 0.
    fn triangles(&self, py: Python, name: &str) -> PyResult<Py<PyAny>> {
        Ok(self.objects[self.object(name)?].triangles.clone_ref(py))
    }

    fn __repr__(&self) -> String {
        format!("<percale.Simulation at frame {}>", self.frame)
    }
}
