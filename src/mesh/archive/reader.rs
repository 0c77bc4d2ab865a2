//! A process of its own that reads files of many meshes.
//!
//! A count in a damaged file becomes a request for memory, and what holds or inherits itself a recursion without end: that ends a process, and
//! nothing in it can help. So the program is run again, reads within bounds of memory, processor time and stack ([`bounds`]), and hands
//! meshes back. Whatever ends it is a fault of the file. Where a system has no such bounds it is another process all the same. Who uses
//! the library and names no program reads in its own process.

use super::{Archive, Listed, Pose, Poses, Upward, bounds};
use crate::linalg::Vec3;
use crate::mesh::{MeshError, TriMesh, within};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The word by which the program is told to read.
pub const WORD: &str = "read-archive";
/// Stack of the thread that reads [bytes].
const STACK: usize = 256 << 20;
/// Most that it says of its end [bytes].
const LAST_WORDS: u64 = 1 << 16;

static PROGRAM: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Files of many meshes are read by this program in a process of its own from now on.
pub fn read_with(program: PathBuf) {
    *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) = Some(program);
}

#[derive(Serialize, Deserialize)]
enum Request {
    List,
    Open(Option<String>, Upward),
    Pose(Pose),
}

/// An archive without its poses.
#[derive(Serialize, Deserialize)]
struct Opened {
    mesh: TriMesh,
    times: Vec<f64>,
    rate: Option<f64>,
    turns: bool,
    shown: [f64; 2],
}

/// Lists the meshes of a file in another process; nothing where no program is named.
pub fn list(file: &Path) -> Option<Result<Listed, MeshError>> {
    Some(Reader::start(file)?.and_then(|mut reader| reader.ask(&Request::List)))
}

/// Opens a file; nothing where no program is named.
pub fn open(file: &Path, wanted: Option<&str>, up: Upward) -> Option<Result<Archive, MeshError>> {
    Some(Reader::start(file)?.and_then(|mut reader| {
        let opened = reader.ask(&Request::Open(wanted.map(str::to_string), up))?;
        let Opened { mesh, times, rate, turns, shown } = opened;
        Ok(Archive { mesh, times, rate, turns, shown, poses: Box::new(reader) })
    }))
}

/// The other process.
struct Reader {
    process: Child,
    answers: ChildStdout,
    last_words: Option<JoinHandle<String>>,
}

impl Reader {
    fn start(file: &Path) -> Option<Result<Reader, MeshError>> {
        let program = PROGRAM.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        let pipes =
            |command: &mut Command| command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut command = Command::new(&program);
        if let Some(folder) = within::folder() {
            command.env(within::VARIABLE, folder);
        }
        let started = pipes(command.arg(WORD).arg("--").arg(file));
        Some(
            started
                .map_err(|error| MeshError::new(format!("cannot run {} to read it: {error}", program.display())))
                .and_then(|mut process| {
                    let (Some(answers), Some(errors)) = (process.stdout.take(), process.stderr.take()) else {
                        return Err(MeshError::new("its reader has no pipes"));
                    };
                    Ok(Reader { process, answers, last_words: Some(thread::spawn(|| last_words(errors))) })
                }),
        )
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T, MeshError> {
        let asked = match &mut self.process.stdin {
            Some(pipe) => send(pipe, request),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        match asked.and_then(|()| receive(&mut self.answers)) {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => Err(self.ended()),
        }
    }

    /// Why it ended.
    fn ended(&mut self) -> MeshError {
        drop(self.process.stdin.take());
        let status = self.process.wait();
        let words = self.last_words.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let has = |what: &str| words.contains(what);
        MeshError::new(if has("memory allocation") {
            format!(
                "takes more memory to read than its size allows; {}=8 in the environment gives it 8 GB",
                bounds::VARIABLE
            )
        } else if has("overflowed its stack") {
            "is nested too deeply, or what it holds refers to itself".into()
        } else if status.as_ref().is_ok_and(too_long) {
            "takes more time to read than its size allows".into()
        } else {
            let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
            format!("could not be read: its reader ended ({status}) {}", words.lines().next().unwrap_or_default())
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

impl Poses for Reader {
    fn at(&mut self, time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError> {
        positions.append(&mut self.ask(&Request::Pose(Pose::At(time)))?);
        Ok(())
    }

    fn rest(&mut self, _time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError> {
        positions.append(&mut self.ask(&Request::Pose(Pose::Rest))?);
        Ok(())
    }
}

/// Whether the reader was ended for its processor time.
#[cfg(unix)]
fn too_long(status: &ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(signal_hook::consts::SIGXCPU)
}

#[cfg(not(unix))]
fn too_long(_: &ExitStatus) -> bool {
    false
}

fn last_words(errors: ChildStderr) -> String {
    let mut words = Vec::new();
    let _ = errors.take(LAST_WORDS).read_to_end(&mut words);
    String::from_utf8_lossy(&words).into_owned()
}

/// Reads a file for another process, which asks by standard input, until that ends.
///
/// # Errors
/// The pipes fail.
pub fn serve(file: &Path) -> io::Result<()> {
    bounds::begin();
    within::inherit()?;
    let file = file.to_path_buf();
    // The run heeds signals that stop it, and asks for more before it ends: its reader ignores them.
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Default::default())?;
    }
    let answering = thread::Builder::new().stack_size(STACK).spawn(move || answer(&file))?;
    answering.join().map_err(|_| io::Error::other("the reader gave up"))?
}

fn answer(file: &Path) -> io::Result<()> {
    let (mut requests, mut answers) = (io::stdin().lock(), io::stdout().lock());
    let mut open = None;
    while let Some(request) = receive(&mut requests)? {
        bounds::renew();
        match request {
            Request::List => send(&mut answers, &super::list_here(file))?,
            Request::Open(wanted, up) => {
                let opened = super::open_here(file, wanted.as_deref(), up).map(|archive| {
                    let Archive { mesh, times, rate, turns, shown, .. } = &archive;
                    let (mesh, times) = (mesh.clone(), times.clone());
                    let opened = Opened { mesh, times, rate: *rate, turns: *turns, shown: *shown };
                    open = Some(archive);
                    opened
                });
                send(&mut answers, &opened)?;
            }
            Request::Pose(pose) => {
                let pose =
                    open.as_mut().map_or_else(|| Err(MeshError::new("is not open")), |archive| archive.pose(pose));
                send(&mut answers, &pose)?;
            }
        }
    }
    Ok(())
}

/// Sends something with its length before it.
fn send(pipe: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(what).map_err(io::Error::other)?;
    pipe.write_all(&(bytes.len() as u64).to_le_bytes())?;
    pipe.write_all(&bytes)?;
    pipe.flush()
}

/// Receives what was sent; nothing where the pipe ends.
fn receive<T: DeserializeOwned>(pipe: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 8];
    match pipe.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut bytes = Vec::new();
    pipe.take(u64::from_le_bytes(length)).read_to_end(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}
