//! Separate process that reads USD and Alembic files.
//!
//! A damaged count can request any amount of memory, and an object that contains or inherits itself recurses without
//! end. Both end a process beyond recovery, so the program is run again as a reader. The reader has limits of memory,
//! processor time and stack ([`bounds`]), and sends meshes back. If it ends early, the file is reported as faulty. On a
//! system without such limits the reader is still a separate process. A library user who names no program reads in the
//! calling process.

use super::{Archive, Choice, Listed, Pose, Poses, bounds};
use crate::linalg::Vec3;
use crate::mesh::{MeshError, TriMesh, within};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Command-line word that makes the program a reader.
pub const WORD: &str = "read-archive";
/// Stack size of the reading thread [bytes].
const STACK: usize = 256 << 20;
/// Largest length of the error output kept from the reader [bytes].
const LAST_WORDS: u64 = 1 << 16;

static PROGRAM: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Sets the program that reads USD and Alembic files in a separate process from now on.
pub fn read_with(program: PathBuf) {
    *PROGRAM.lock().unwrap_or_else(PoisonError::into_inner) = Some(program);
}

#[derive(Serialize, Deserialize)]
enum Request {
    List,
    Open(Choice),
    Pose(Pose),
}

/// Archive without its poses.
#[derive(Serialize, Deserialize)]
struct Opened {
    mesh: TriMesh,
    times: Vec<f64>,
    rate: Option<f64>,
    turns: bool,
    carried: bool,
    shown: [f64; 2],
}

/// Lists the meshes of a file in a separate process. Returns nothing if no program is set.
pub fn list(file: &Path) -> Option<Result<Listed, MeshError>> {
    Some(Reader::start(file)?.and_then(|mut reader| reader.ask(&Request::List)))
}

/// Opens a file in a separate process. Returns nothing if no program is set.
pub fn open(file: &Path, choice: &Choice) -> Option<Result<Archive, MeshError>> {
    Some(Reader::start(file)?.and_then(|mut reader| {
        let opened = reader.ask(&Request::Open(choice.clone()))?;
        let Opened { mesh, times, rate, turns, carried, shown } = opened;
        Ok(Archive { mesh, times, rate, turns, carried, shown, poses: Box::new(reader) })
    }))
}

/// Handle of the reader process.
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

    /// Waits for the reader and returns the reason of its end.
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

/// Returns whether the reader exceeded its processor time.
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

/// Reads a file for another process, and answers its requests on standard input until that closes.
///
/// # Errors
/// Fails if a pipe fails.
pub fn serve(file: &Path) -> io::Result<()> {
    bounds::begin();
    within::inherit()?;
    let file = file.to_path_buf();
    // The parent process handles stop signals and may still need answers, so its reader ignores them.
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
            Request::Open(choice) => {
                let opened = super::open_here(file, &choice).map(|archive| {
                    let Archive { mesh, times, rate, turns, carried, shown, .. } = &archive;
                    let (mesh, times) = (mesh.clone(), times.clone());
                    let [turns, carried] = [*turns, *carried];
                    let opened = Opened { mesh, times, rate: *rate, turns, carried, shown: *shown };
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

/// Sends a value, preceded by its length.
fn send(pipe: &mut impl Write, what: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(what).map_err(io::Error::other)?;
    pipe.write_all(&(bytes.len() as u64).to_le_bytes())?;
    pipe.write_all(&bytes)?;
    pipe.flush()
}

/// Receives a value; nothing at the end of the pipe.
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
