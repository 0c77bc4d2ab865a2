//! `[wind]`, `[contact]`, `[solver]` and `[output]`.

use super::keys::{Keys, Kind, choices, section};
use super::kinds::{choice, flag, integer, list, name, quantity, real, vector, word};
use super::material::DISTANCE;
use super::unit::Unit;
use crate::effect::channels;
use crate::linalg::Vec3;
use crate::world::quantity::Channel;

section! {
    /// Wind: uniform in space, a mean and smooth gusts in time. It acts through `air_drag` of cloths and bodies.
    pub struct Wind {
        /// Mean velocity of the air.
        pub velocity: Vec3 = vector(Unit::Speed, 1e3).or(Vec3::zeros()),
        /// Amplitude of the gusts.
        pub gust: f64 = quantity(Unit::Speed, 0.0..=1e3).or(0.0),
        /// Time scale of the gusts.
        pub gust_period: f64 = quantity(Unit::Time, 1e-3..=1e4).or(1.0),
        /// Seed of the gusts: the same seed gives the same wind.
        pub seed: u64 = integer(0..=i64::from(u32::MAX)).or(0),
        /// From when on it blows.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// Until when.
        pub until: f64 = quantity(Unit::Time, 0.0..=1e6).or(f64::INFINITY),
    }
    check blows;
}

fn blows(wind: Wind, keys: &mut Keys) -> Option<Wind> {
    if wind.until <= wind.from {
        keys.fault("until", "'until' must be later than 'from'");
        return None;
    }
    for (key, given) in [("gust_period", wind.gust_period != 1.0), ("seed", wind.seed != 0)] {
        if wind.gust == 0.0 && given {
            keys.warn(key, "does nothing without gust; give gust, or leave this out");
        }
    }
    Some(wind)
}

choices! {
    /// Method that keeps surfaces apart.
    pub enum Method {
        /// Contacts between all features; a step ends with a proof that nothing crossed.
        Proof = "proof",
        /// The vertex test of Prince & Bigham 2004, to be compared with: a vertex of cloth that would come nearer than
        /// `epsilon` to an obstacle stays where it is. Cloth does not touch cloth, and triangles cross: record, report
        /// and pictures say so.
        Vertex = "vertex",
    }
}

choices! {
    /// Treatment of triangles that cross at the start.
    pub enum Start {
        /// The run does not begin; crossings are reported, and shown in crossing.ply.
        Error = "error",
        /// Surfaces that cross are left out of contact until they are first apart.
        Ignore = "ignore",
        /// Cloth is taken out of obstacles, of other cloth and of itself where it lies in them by a little.
        Untangle = "untangle",
    }
}

choices! {
    /// Reaction when obstacles or pins close on cloth until nothing fits between them.
    pub enum Pinch {
        /// Only the pinched surfaces give way, and come back to their path: pinned vertices (see 'yield' of a pin),
        /// else the surface of an obstacle that moves, pressed in there. How many vertices and how far is reported.
        /// Where that is not enough, as 'lag'.
        Yield = "yield",
        /// All prescribed motion waits, then catches up; the lag is told.
        Lag = "lag",
        /// The run stops and says where.
        Halt = "halt",
        /// Cloth goes through the obstacle named by 'release' until it is apart from it; such frames are marked.
        Release = "release",
    }
}

section! {
    /// Contact of cloth with obstacles and with itself.
    pub struct Contact {
        /// Contact is considered at all.
        pub enabled: bool = flag().or(true),
        /// Method that keeps surfaces apart.
        pub method: Method = choice().or(Method::Proof),
        /// Distance that vertices keep from obstacles, with method = "vertex".
        pub epsilon: Option<f64> = quantity(Unit::Length, DISTANCE).optional(),
        /// Activation distance beyond the thickness: surfaces nearer than this repel each other.
        pub distance: f64 = quantity(Unit::Length, DISTANCE).or(1e-3),
        /// Cloths touch themselves; each cloth may also switch it off.
        pub self_contact as "self": bool = flag().or(true),
        /// Factor of the repulsion's stiffness, which otherwise follows from masses and the loads that they bear.
        pub stiffness: f64 = real(1e-3..=1e3).or(1.0),
        /// Treatment of triangles that cross at the start.
        pub start: Start = choice().or(Start::Error),
        /// Time in which surfaces that begin nearer than they rest, by their thickness and the distance, get their
        /// whole distance.
        pub ease: f64 = quantity(Unit::Time, 1e-3..=1e3).or(0.5),
        /// Reaction when obstacles or pins close on cloth until nothing fits between them.
        pub pinch: Pinch = choice().or(Pinch::Yield),
        /// The obstacle that cloth goes through in a pinch.
        pub release: Option<String> = name().optional(),
    }
    check fits;
}

fn fits(contact: Contact, keys: &mut Keys) -> Option<Contact> {
    match (contact.method, contact.epsilon) {
        (Method::Vertex, None) => {
            keys.missing(
                "epsilon",
                "missing; method = \"vertex\" needs the distance that vertices keep from obstacles",
            );
            return None;
        }
        (Method::Proof, Some(_)) => {
            keys.fault("epsilon", "goes with method = \"vertex\"");
            return None;
        }
        _ => {}
    }
    match (contact.pinch, &contact.release) {
        (Pinch::Release, None) => {
            keys.missing(
                "release",
                "missing; pinch = \"release\" needs the name of the obstacle that cloth goes through",
            );
            None
        }
        (Pinch::Yield | Pinch::Lag | Pinch::Halt, Some(_)) => {
            keys.fault("release", "goes with pinch = \"release\"");
            None
        }
        _ => Some(contact),
    }
}

choices! {
    /// Precision of the matrix; state and sums are always double.
    pub enum Precision {
        /// Single: half the memory traffic.
        F32 = "f32",
        /// Double.
        F64 = "f64",
    }
}

section! {
    /// The linear solver: preconditioned conjugate gradients, one solve a step.
    pub struct Solver {
        /// Residual, relative to the right side, at which a solve ends; slow parts that touch little are solved
        /// further, so that they rest.
        pub tolerance: f64 = real(1e-12..=0.5).or(1e-3),
        /// Most iterations of a solve.
        pub max_iterations: u32 = integer(1..=1_000_000).or(500),
        /// Precision of the matrix.
        pub precision: Precision = choice().or(Precision::F32),
    }
}

choices! {
    /// Format of mesh files.
    pub enum Format {
        /// Binary PLY with velocities, chart and fields.
        Ply = "ply",
        /// OBJ: shape and chart only.
        Obj = "obj",
    }
}

section! {
    /// Files that a run leaves beside its record.
    pub struct Output {
        /// Write a mesh per frame and object.
        pub meshes: bool = flag().or(true),
        /// Format of the meshes.
        pub format: Format = choice().or(Format::Ply),
        /// Write obstacles too: one file where they stand still.
        pub obstacles: bool = flag().or(true),
        /// Quantities written with each vertex (PLY only).
        pub fields: Vec<&'static Channel> =
            list(word(channels().map(|c| (c, c.word, c.sentence))), 0..=channels().count()).or(Vec::new()),
        /// Write the flow of the air every so many frames, as VTK image data: velocity, pressure, solids; 0: never.
        pub flow: u32 = integer(0..=1_000_000).or(0),
        /// Frames from one checkpoint to the next; 0: only at the end and where a signal stops the run.
        pub checkpoint: u32 = integer(0..=1_000_000).or(10),
        /// Most checkpoints that are kept, the newest ones; 0: all. With 2 or more, a run whose newest one is damaged
        /// goes on from the one before.
        pub keep_checkpoints: u32 = integer(0..=1_000_000).or(0),
    }
    check fields_fit;
}

fn fields_fit(output: Output, keys: &mut Keys) -> Option<Output> {
    let twice = output.fields.iter().enumerate().find(|(k, f)| output.fields.iter().take(*k).any(|g| g == *f));
    if let Some((_, field)) = twice {
        keys.fault("fields", format!("\"{}\" is listed twice", field.word));
        return None;
    }
    if output.format == Format::Obj && !output.fields.is_empty() {
        keys.fault("fields", "OBJ files carry no fields; give format = \"ply\" or leave fields out");
        return None;
    }
    Some(output)
}
