//! `percale movie`: makes a film of the pictures of a run.

use super::failure::Failure;
use super::inspect::run_of;
use super::log::{Level, log};
use super::range::Frames;
use super::say;
use crate::render::Image;
use crate::render::movie::{Format, scaled};
use crate::sequence::{DiskError, Folder, Run as Record, read, write};
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Movie {
    /// Run folder
    dir: PathBuf,
    /// Frames to show, such as 1001-1060 or 1-100x2; all that have a picture if absent
    #[arg(long, value_name = "RANGE", value_parser = Frames::parse)]
    frames: Option<Frames>,
    /// File to write: .png and .apng are animated PNG, .webp is smaller, .gif has 256 colours, .mp4 and .mov need
    /// ffmpeg on the PATH; if absent movie.png in the run folder, and movie.mp4 where ffmpeg is found
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Size of the movie, as a part of the pictures'
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = factor)]
    scale: f64,
    /// Pictures a second; if absent as fast as the run, whether every frame has a picture or every other one
    #[arg(long, value_name = "N", value_parser = rate)]
    fps: Option<f64>,
}

fn within(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|x| (least..=most).contains(x));
    number.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

fn factor(text: &str) -> Result<f64, String> {
    within(text, 0.01, 4.0)
}

fn rate(text: &str) -> Result<f64, String> {
    within(text, 0.1, 1000.0)
}

/// Returns the number of frames from picture to picture if it is constant, else 1.
fn apart(frames: &[u32]) -> u32 {
    let mut ways = frames.windows(2).map(|pair| pair[1] - pair[0]);
    let first = ways.next().unwrap_or(1);
    if ways.all(|way| way == first) { first } else { 1 }
}

/// Extensions of files that ffmpeg encodes.
const ENCODED: [&str; 2] = ["mp4", "mov"];

impl Movie {
    /// Makes the film.
    ///
    /// # Errors
    /// There are no pictures, they differ in size, ffmpeg is missing or fails, or the disk refuses.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let folder = Folder::new(&self.dir);
        let record = run_of(&folder)?;
        let (frames, pictures): (Vec<u32>, Vec<PathBuf>) = self.pictures(&folder, &record)?.into_iter().unzip();
        let fps = self.fps.unwrap_or(record.fps / f64::from(apart(&frames)));
        let Some(out) = &self.out else {
            self.animated(Format::Png, &pictures, fps, &folder.path().join("movie.png"))?;
            if found() {
                self.encoded(&pictures, fps, &folder.path().join("movie.mp4"))?;
            } else {
                say("no ffmpeg on the PATH: no movie.mp4");
            }
            return Ok(());
        };
        let ending = out.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "png" | "apng" => self.animated(Format::Png, &pictures, fps, out),
            "gif" => self.animated(Format::Gif, &pictures, fps, out),
            "webp" => self.animated(Format::WebP, &pictures, fps, out),
            known if ENCODED.contains(&known) && found() => self.encoded(&pictures, fps, out),
            known if ENCODED.contains(&known) => Err(Failure::input(format!(
                "{}: needs ffmpeg, which is not on the PATH; install it, or write .apng, .webp or .gif",
                out.display()
            ))),
            _ => Err(Failure::input(format!("{}: .png, .apng, .webp, .gif, .mp4 and .mov are written", out.display()))),
        }
    }

    /// Lists frames and files of pictures, in order.
    fn pictures(&self, folder: &Folder, record: &Record) -> Result<Vec<(u32, PathBuf)>, Failure> {
        let wanted = |frame: &u32| self.frames.as_ref().is_none_or(|frames| frames.has(*frame));
        let file = |frame: u32| ["png", "exr"].map(|e| folder.picture(frame, e)).into_iter().find(|p| p.is_file());
        let with = |frame| Some((frame, file(frame)?));
        let all: Vec<(u32, PathBuf)> = record.there().filter(wanted).filter_map(with).collect();
        if all.is_empty() {
            let dir = self.dir.display();
            let reported = format!("{dir}: no pictures of these frames; percale render {dir} draws them");
            return Err(Failure::input(reported));
        }
        Ok(all)
    }

    fn picture(&self, path: &Path) -> Result<Image, Failure> {
        let file = read(path)?;
        let exr = path.extension().is_some_and(|e| e == "exr");
        let image = if exr { Image::from_exr(&file) } else { Image::from_png(&file) };
        let image = image.map_err(|why| Failure::input(format!("{}: {why}", path.display())))?;
        Ok(scaled(image, self.scale))
    }

    fn animated(&self, format: Format, pictures: &[PathBuf], fps: f64, out: &Path) -> Result<(), Failure> {
        let mut file = Vec::new();
        let first = self.picture(&pictures[0])?;
        let wrong = |path: &Path, why: String| Failure::input(format!("{}: {why}", path.display()));
        let size = [first.width, first.height];
        let mut movie = format.begin(&mut file, size, pictures.len(), fps).map_err(|why| wrong(out, why))?;
        for path in pictures {
            movie.add(&self.picture(path)?).map_err(|why| wrong(path, why))?;
        }
        movie.finish().map_err(|why| wrong(out, why))?;
        write(out, &file)?;
        say(&format!("{} pictures in {}", pictures.len(), out.display()));
        Ok(())
    }

    /// Encodes the film with ffmpeg.
    fn encoded(&self, pictures: &[PathBuf], fps: f64, out: &Path) -> Result<(), Failure> {
        let first = self.picture(&pictures[0])?;
        let size = [first.width, first.height];
        let ending = out.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
        let draft = out.with_extension(format!("part.{ending}"));
        let wrong = |why: String| Failure::Disk(DiskError { path: out.to_path_buf(), reason: why });
        let mut child = ffmpeg(size, fps, &draft).map_err(|error| wrong(format!("ffmpeg: {error}")))?;
        let sent = self.send(&mut child, pictures, size);
        let ended = child.wait_with_output().map_err(|error| wrong(format!("ffmpeg: {error}")))?;
        let failed = if ended.status.success() {
            sent.err()
        } else {
            let reported = String::from_utf8_lossy(&ended.stderr);
            let last =
                reported.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it ended early").trim().to_string();
            Some(wrong(format!("ffmpeg: {last}")))
        };
        if let Some(failure) = failed {
            if let Err(error) = std::fs::remove_file(&draft)
                && error.kind() != std::io::ErrorKind::NotFound
            {
                log(Level::Warning, &format!("{}: cannot be removed: {error}", draft.display()));
            }
            return Err(failure);
        }
        std::fs::rename(&draft, out).map_err(|error| DiskError::new(out, &error))?;
        say(&format!("{} pictures in {}", pictures.len(), out.display()));
        Ok(())
    }

    /// Sends all pictures to a process, and closes its input.
    fn send(&self, child: &mut Child, pictures: &[PathBuf], size: [usize; 2]) -> Result<(), Failure> {
        let Some(mut input) = child.stdin.take() else { return Ok(()) };
        for path in pictures {
            let image = self.picture(path)?;
            if [image.width, image.height] != size {
                let reported =
                    format!("is {} x {}, the first one {} x {}", image.width, image.height, size[0], size[1]);
                return Err(Failure::input(format!("{}: {reported}", path.display())));
            }
            // A process that ends early reports the reason itself.
            if input.write_all(&image.bytes()).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Returns whether ffmpeg can be started.
fn found() -> bool {
    let mut tried = Command::new("ffmpeg");
    tried.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    tried.status().is_ok_and(|status| status.success())
}

/// Starts a process that takes pixels and writes a file of H.264. Width and height are padded to even numbers.
fn ffmpeg([width, height]: [usize; 2], fps: f64, out: &Path) -> std::io::Result<Child> {
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
    command.args(["-s", &format!("{width}x{height}"), "-r", &format!("{fps}"), "-i", "-"]);
    command.args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18"]);
    command.args(["-movflags", "+faststart"]).arg(out);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
}
