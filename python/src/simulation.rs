//! Simulation of a scene frame by frame, and NumPy arrays of its objects.

use crate::arrays::{Like, point, table, vector, vectors};
use crate::faults::raised;
use crate::scene::Scene;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use percale::linalg::{Vec3, par};
use percale::world::keyed::{Of, QUANTITIES};
use percale::{Contact, Error, Simulation as Solver};
use pyo3::exceptions::{PyKeyError, PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::ffi::CString;
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
    each: Vec<Py<PyAny>>,
}

impl Simulation {
    fn object(&self, name: &str) -> PyResult<usize> {
        let objects = &self.solver.world().objects;
        objects.iter().position(|object| object.name == name).ok_or_else(|| {
            let names: Vec<String> = objects.iter().map(|object| format!("'{}'", object.name)).collect();
            PyKeyError::new_err(format!("no object is named '{name}'; there are {}", names.join(", ")))
        })
    }

    /// Changes the solver with the threads of the simulation.
    fn change<T: Send>(
        &mut self,
        py: Python,
        change: impl FnOnce(&mut Solver) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let (solver, threads) = (&mut self.solver, self.threads);
        let changed = py.detach(|| par::with_threads(threads, || change(solver)));
        changed.map_err(PyRuntimeError::new_err)?.map_err(|error| raised(py, error))
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
            let (tell, mut reported) = mpsc::channel::<()>();
            let stop = &stop;
            let worker = scope.spawn(move || {
                let _ends = tell;
                par::with_threads(threads, || work(solver, stop))
            });
            // Signals reach only the main thread of Python. The work is therefore in another thread.
            loop {
                let reported = &mut reported;
                if py.detach(move || reported.recv_timeout(LOOK)) != Err(mpsc::RecvTimeoutError::Timeout) {
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
        let frame = made.map_err(|error| raised(py, error))?;
        if frame.is_some() {
            self.show(py)?;
        }
        Ok(frame)
    }

    /// Fills the arrays with the frame of the solver.
    fn show(&self, py: Python) -> PyResult<()> {
        for (seen, at) in self.objects.iter().zip(self.solver.snapshots()) {
            seen.positions.fill(py, &at.positions)?;
            seen.velocities.fill(py, at.velocities.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }

    /// Goes on to the next frame; its number, and what is to be called then.
    fn next(&mut self, py: Python) -> PyResult<(u32, Vec<Py<PyAny>>)> {
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
        Ok((frame, self.each.iter().map(|each| each.clone_ref(py)).collect()))
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
        let solver = built.map_err(PyRuntimeError::new_err)?.map_err(|error| raised(py, error))?;
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
        let scene = scene.clone_ref(py);
        let mut simulation = Simulation { solver, objects, threads, frame, warnings, scene, each: Vec::new() };
        simulation.advance(py)?;
        Ok(simulation)
    }

    /// Advances to the next frame and returns its number. Calls what `on_frame` has been given.
    fn step(slf: &Bound<Self>) -> PyResult<u32> {
        let (frame, each) = slf.try_borrow_mut()?.next(slf.py())?;
        for each in each {
            each.call1(slf.py(), (slf,))?;
        }
        Ok(frame)
    }

    /// Steps until the frame `until`, or until the last.
    #[pyo3(signature = (until=None))]
    fn run(slf: &Bound<Self>, until: Option<u32>) -> PyResult<()> {
        let last = slf.try_borrow()?.scene.get().scene.time.last_frame();
        let until = until.unwrap_or(last);
        if until > last {
            let message = format!("frame {last} is the last of the scene, not {until}; give it more by time.frames");
            return Err(PyValueError::new_err(message));
        }
        while slf.try_borrow()?.frame < until {
            Simulation::step(slf)?;
        }
        Ok(())
    }

    /// Has `function(simulation)` called after each frame, in the order in which functions are given. Returns it, so
    /// that it serves as a decorator.
    fn on_frame(&mut self, function: Py<PyAny>, py: Python) -> Py<PyAny> {
        self.each.push(function.clone_ref(py));
        function
    }

    /// State as bytes: all that the next frames depend on, also what is set. Equal states have equal bytes.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.solver.save())
    }

    /// Goes to a saved state; the frames that follow have the bits that they had. Raises ValueError if the state is of
    /// other meshes, laws, effects or frame times, or of another version, or damaged.
    fn restore(&mut self, py: Python, state: &[u8]) -> PyResult<()> {
        self.change(py, |solver| solver.restore(state))?;
        self.frame = self.solver.frame().unwrap_or(self.frame);
        self.show(py)
    }

    /// Statistics of the steps to this frame, as `percale run` writes them into `stats.ndjson`.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.solver.stats().line(),))
    }

    /// Energies of all cloths and bodies [J].
    fn energies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energies = PyDict::new(py);
        self.solver.energies().all().try_for_each(|(energy, joules)| energies.set_item(energy.word, joules))?;
        Ok(energies)
    }

    /// Names of the fields that a cloth has.
    fn fields(&self, name: &str) -> PyResult<Vec<&'static str>> {
        self.object(name)?;
        Ok(self.solver.fields(name))
    }

    /// Values of a field at the vertices of a cloth, in file order: float64, (vertices,).
    fn field<'py>(&self, py: Python<'py>, name: &str, field: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.object(name)?;
        let values = self.solver.field(name, field).map_err(|error| raised(py, error))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Contacts of the last step before this frame, as arrays of equal length.
    fn contacts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (all, contacts) = (PyDict::new(py), self.solver.contacts());
        let numbers = |of: fn(&Contact) -> [u32; 4]| table(py, contacts.iter().map(move |c| of(c).map(|n| n as i32)));
        all.set_item("objects", numbers(|contact| contact.objects)?)?;
        all.set_item("vertices", numbers(|contact| contact.vertices)?)?;
        all.set_item("weights", table(py, contacts.iter().map(|contact| contact.weights))?)?;
        all.set_item("normals", table(py, contacts.iter().map(|contact| contact.normal))?)?;
        all.set_item("gaps", PyArray1::from_iter(py, contacts.iter().map(|contact| contact.gap)))?;
        all.set_item("forces", PyArray1::from_iter(py, contacts.iter().map(|contact| contact.force)))?;
        Ok(all)
    }

    /// Vertices of each pin of a cloth or body, in file order: int32.
    fn pins<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Bound<'py, PyArray1<i32>>>> {
        self.object(name)?;
        let pins = self.solver.pins(name).map_err(|error| raised(py, error))?;
        Ok(pins.iter().map(|pin| PyArray1::from_iter(py, pin.iter().map(|v| *v as i32))).collect())
    }

    /// Vertices of each handle of a cloth or body, in file order: int32. First are the handles of the scene, then the
    /// soft vertices of each pin whose weights may be below 1.
    fn handles<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Bound<'py, PyArray1<i32>>>> {
        self.object(name)?;
        let handles = self.solver.handles(name).map_err(|error| raised(py, error))?;
        Ok(handles.iter().map(|handle| PyArray1::from_iter(py, handle.iter().map(|v| *v as i32))).collect())
    }

    /// Sets where an obstacle is at the next frame, (vertices, 3), or a pin of a cloth or body, (vertices of the pin,
    /// 3), or the targets of a handle, as `handles` has them [m]. The way there is straight.
    #[pyo3(signature = (name, positions, pin=None, handle=None))]
    fn set_target(
        &mut self,
        py: Python,
        name: &str,
        positions: Like<f64>,
        pin: Option<usize>,
        handle: Option<usize>,
    ) -> PyResult<()> {
        self.object(name)?;
        let places = vectors(&format!("target of '{name}'"), &positions)?;
        self.change(py, |solver| match (pin, handle) {
            (Some(_), Some(_)) => Err(Error::Value("give a pin or a handle, not both".to_string())),
            (Some(pin), None) => solver.set_pin_target(name, pin, &places),
            (None, Some(handle)) => solver.set_handle_target(name, handle, &places),
            (None, None) => solver.set_target(name, &places),
        })
    }

    /// Sets where a pointer of a cloth is in the picture at the next frame, (2,), 0 to 1 from its top left, and whether
    /// its button is down from now on. Returns the vertex that it holds, in file order.
    #[pyo3(signature = (name, at, down, pointer=0))]
    fn set_pointer(
        &mut self,
        py: Python,
        name: &str,
        at: Like<f64>,
        down: bool,
        pointer: usize,
    ) -> PyResult<Option<u32>> {
        self.object(name)?;
        let at = point(&format!("pointer of '{name}'"), &at)?;
        self.change(py, |solver| solver.set_pointer(name, pointer, at, down))
    }

    /// Sets gravity from now on, (3,) [m/s^2].
    fn set_gravity(&mut self, py: Python, gravity: Like<f64>) -> PyResult<()> {
        let gravity = vector("gravity", &gravity)?;
        self.change(py, |solver| solver.set_gravity(gravity))
    }

    /// Sets the velocity of the wind from now on, (3,) [m/s].
    fn set_wind(&mut self, py: Python, velocity: Like<f64>) -> PyResult<()> {
        let velocity = vector("wind", &velocity)?;
        self.change(py, |solver| solver.set_wind(velocity))
    }

    /// Sets the factor of a quantity from now on, in place of its `[[key]]`: that of a cloth, or of everything that has
    /// it.
    #[pyo3(signature = (of, factor, cloth=None))]
    fn set_factor(&mut self, py: Python, of: &str, factor: f64, cloth: Option<&str>) -> PyResult<()> {
        let Some(quantity) = Of::named(of) else {
            let all = QUANTITIES.iter().map(|quantity| format!("'{}'", quantity.word)).collect::<Vec<_>>().join(", ");
            return Err(PyKeyError::new_err(format!("no factor '{of}'; there are {all}")));
        };
        cloth.map(|name| self.object(name)).transpose()?;
        self.change(py, |solver| solver.set_factor(quantity, cloth, factor))
    }

    /// Sets the pressure inside the balloons of a cloth above that of the atmosphere [Pa].
    fn set_pressure(&mut self, py: Python, name: &str, pressure: f64) -> PyResult<()> {
        self.object(name)?;
        self.change(py, |solver| solver.set_pressure(name, pressure))
    }

    /// Sets positions of a cloth or body, (vertices, 3) [m]. Vertices that a pin holds stay. Raises SceneError if
    /// surfaces cross there.
    fn set_positions(&mut self, py: Python, name: &str, positions: Like<f64>) -> PyResult<()> {
        self.object(name)?;
        let positions = vectors(&format!("positions of '{name}'"), &positions)?;
        let warnings = self.change(py, |solver| solver.set_positions(name, &positions))?;
        self.show(py)?;
        for warning in warnings {
            let text = CString::new(warning.to_string().replace('\0', " "))?;
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
        }
        Ok(())
    }

    /// Sets velocities of a cloth or body, (vertices, 3) [m/s]. Vertices that a pin holds keep theirs.
    fn set_velocities(&mut self, py: Python, name: &str, velocities: Like<f64>) -> PyResult<()> {
        self.object(name)?;
        let velocities = vectors(&format!("velocities of '{name}'"), &velocities)?;
        self.change(py, |solver| solver.set_velocities(name, &velocities))?;
        self.show(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.each.iter().try_for_each(|each| visit.call(each))
    }

    fn __clear__(&mut self) {
        self.each.clear();
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
        Ok(self.solver.world().objects[self.object(name)?].kind.name())
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
