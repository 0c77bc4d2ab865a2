//! Answers of the page of runs. An address names runs, objects and frames by number, never a file.

use crate::cli::failure::Failure;
use crate::cli::film::{Field, Source, Values, header, is_still};
use crate::cli::report::{scene_name, sections};
use crate::page::{document_with_viewer, heading, paragraph, viewer};
use crate::scene::json::Json;
use crate::sequence::{Entry, Folder};
use std::sync::{Mutex, PoisonError};

/// Most frames that are listed.
const FRAMES: u32 = 100_000;
/// Number of frames from which the range of a field is taken.
const LOOKED: u32 = 16;

/// Answer to a request.
pub(super) struct Answer {
    /// Status code.
    pub code: u16,
    /// Type of content.
    pub kind: &'static str,
    /// Content.
    pub body: Vec<u8>,
}

impl Answer {
    fn html(text: String) -> Answer {
        Answer { code: 200, kind: "text/html; charset=utf-8", body: text.into_bytes() }
    }

    fn json(json: &Json) -> Answer {
        Answer { code: 200, kind: "application/json", body: json.to_string().into_bytes() }
    }

    fn bytes(body: Vec<u8>) -> Answer {
        Answer { code: 200, kind: "application/octet-stream", body }
    }

    /// Returns an answer that says why there is nothing.
    pub(super) fn refused(code: u16, why: &str) -> Answer {
        Answer { code, kind: "text/plain; charset=utf-8", body: format!("{why}\n").into_bytes() }
    }
}

/// Fields of a run with so many frames.
type Looked = Option<(u32, Vec<Field>)>;

/// Runs that are shown.
pub(super) struct Site {
    runs: Vec<(Folder, Mutex<Looked>)>,
    live: bool,
}

impl Site {
    /// Returns the site of run folders.
    pub(super) fn of(folders: Vec<Folder>, live: bool) -> Site {
        Site { runs: folders.into_iter().map(|folder| (folder, Mutex::default())).collect(), live }
    }

    /// Answers a request for an address.
    pub(super) fn answer(&self, address: &str) -> Answer {
        let path = address.split(['?', '#']).next().unwrap_or_default();
        let parts: Vec<&str> = path.strip_prefix('/').unwrap_or("-").split('/').collect();
        let answer = match parts.as_slice() {
            [""] => self.page(),
            ["told"] => self.sections().map(|[top, below]| Answer::html(top + &below)),
            ["runs", run, rest @ ..] => match number(run).and_then(|run| self.runs.get(run as usize).map(|_| run)) {
                Some(run) => self.run(run as usize, rest),
                None => return Answer::refused(404, "no such run"),
            },
            _ => return Answer::refused(404, "nothing is here"),
        };
        answer.unwrap_or_else(|failure| Answer::refused(500, &failure.reason()))
    }

    fn run(&self, run: usize, rest: &[&str]) -> Result<Answer, Failure> {
        match rest {
            ["film"] => Ok(Answer::json(&self.film(run)?)),
            ["triangles"] => Ok(Answer::bytes(triangles(&self.source(run)?)?)),
            ["still"] => Ok(Answer::bytes(still(&self.source(run)?)?)),
            ["frame", frame] => {
                let source = self.source(run)?;
                match number(frame).filter(|frame| source.record.has(*frame)) {
                    Some(frame) => Ok(Answer::bytes(positions(&source, frame)?)),
                    None => Ok(Answer::refused(404, "no such frame")),
                }
            }
            _ => Ok(Answer::refused(404, "nothing is here")),
        }
    }

    fn source(&self, run: usize) -> Result<Source, Failure> {
        Source::open(&self.runs[run].0)
    }

    /// Returns the header of a run's film, with all frames so far.
    fn film(&self, run: usize) -> Result<Json, Failure> {
        let source = self.source(run)?;
        let every = source.record.done.div_ceil(FRAMES).max(1) as usize;
        let frames: Vec<u32> = source.record.there().step_by(every).collect();
        let first = source.objects(source.record.first)?;
        let stands = [source.stand(&first, &first)];
        let fields = self.fields(run, &source)?;
        let header = header(&source, &self.name(run, &source), &frames, &first, &stands, &fields);
        let objects = match header.get("objects") {
            Some(Json::List(objects)) => objects.clone(),
            _ => Vec::new(),
        };
        let objects = objects.into_iter().zip(source.entries().into_iter().zip(&first)).map(|(object, (entry, at))| {
            let words = at.iter().flat_map(|(_, at)| at.fields.iter().map(|(word, _)| word.as_str()));
            let object = object.with("words", Json::texts(words));
            if is_nowhere(entry) { object.with("triangles", Json::Number(0.0)) } else { object }
        });
        let header = header.with("objects", Json::List(objects.collect()));
        let header = header.with("served", Json::text(format!("runs/{run}/")));
        Ok(header.with("live", Json::Bool(self.live)))
    }

    fn name(&self, run: usize, source: &Source) -> String {
        scene_name(&self.runs[run].0, &source.record)
    }

    /// Returns the fields of a run. Ranges are taken anew when a quarter more frames are there.
    fn fields(&self, run: usize, source: &Source) -> Result<Vec<Field>, Failure> {
        let mut known = self.runs[run].1.lock().unwrap_or_else(PoisonError::into_inner);
        let done = source.record.done;
        if let Some((at, fields)) = known.as_ref()
            && (*at..=*at + *at / 4).contains(&done)
        {
            return Ok(fields.clone());
        }
        let mut values = Values::of(LOOKED as usize);
        for frame in source.record.there().step_by(done.div_ceil(LOOKED).max(1) as usize) {
            values.look(&source.objects(frame)?);
        }
        let fields = values.fields(source);
        *known = Some((done, fields.clone()));
        Ok(fields)
    }

    /// Tells of the runs, above and below them: all of one, of several how they went.
    fn sections(&self) -> Result<[String; 2], Failure> {
        if let [(folder, _)] = self.runs.as_slice() {
            return sections(folder, &Source::open(folder)?.record);
        }
        let mut below = String::new();
        for (run, (folder, _)) in self.runs.iter().enumerate() {
            let source = self.source(run)?;
            let [top, _] = sections(folder, &source.record)?;
            below.push_str(&heading(&self.name(run, &source)));
            below.push_str(&top.replacen(" id=\"verdict\"", "", 1));
        }
        Ok(["<div id=\"verdict\"></div>\n".to_string(), format!("<div id=\"told\">\n{below}</div>\n")])
    }

    fn page(&self) -> Result<Answer, Failure> {
        let mut names = Vec::new();
        let mut films = Vec::new();
        for run in 0..self.runs.len() {
            let source = self.source(run)?;
            names.push(self.name(run, &source));
            if source.record.done > 0 {
                films.push(self.film(run)?.to_string());
            }
        }
        let [top, below] = self.sections()?;
        let shown = match (films.is_empty(), self.live) {
            (false, _) => viewer(&films),
            (true, false) => paragraph("There is no frame yet."),
            (true, true) => paragraph("There is no frame yet.") + "<meta http-equiv=\"refresh\" content=\"1\">\n",
        };
        Ok(Answer::html(document_with_viewer(&names.join(", "), &format!("{top}{shown}{below}"), true)))
    }
}

/// Parses a number without sign, as addresses have it.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Returns whether an object has been there in no frame so far.
fn is_nowhere(entry: &Entry) -> bool {
    entry.frames.as_ref().is_some_and(|there| there.start >= there.end)
}

/// Returns the indices of triangles of all objects that have been there, as little-endian 32-bit numbers.
fn triangles(source: &Source) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    for entry in source.entries() {
        let frame = entry.frames.as_ref().map_or(source.record.first, |there| there.start);
        if let Some((shape, _)) = source.object(entry, frame)? {
            bytes.extend(shape.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()));
        }
    }
    Ok(bytes)
}

fn add(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = f64>) {
    bytes.extend(numbers.into_iter().flat_map(|x| (x as f32).to_le_bytes()));
}

/// Returns the positions of the objects that never move [m], as little-endian floats.
fn still(source: &Source) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    for entry in source.entries().into_iter().filter(|entry| is_still(entry)) {
        if let Some((_, at)) = source.object(entry, source.record.first)? {
            add(&mut bytes, at.positions.iter().flatten().copied());
        }
    }
    Ok(bytes)
}

/// Returns a frame as little-endian floats: position and target of the camera, height of the ground or NaN, then
/// positions [m] and fields of each object that is there and moves.
fn positions(source: &Source, frame: u32) -> Result<Vec<u8>, Failure> {
    let objects = source.objects(frame)?;
    let stand = source.stand(&objects, &objects);
    let mut bytes = Vec::new();
    let camera = stand.camera.position.iter().chain(&stand.camera.target).copied();
    add(&mut bytes, camera.chain([stand.ground.unwrap_or(f64::NAN)]));
    let moving = source.entries().into_iter().zip(&objects).filter(|(entry, _)| !is_still(entry));
    for (_, at) in moving.filter_map(|(_, object)| object.as_ref()) {
        add(&mut bytes, at.positions.iter().flatten().copied());
        for (_, values) in &at.fields {
            add(&mut bytes, values.iter().copied());
        }
    }
    Ok(bytes)
}
