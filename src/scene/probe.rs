//! `[[probe]]`: measurements while the scene runs.

use super::document::{Node, Value};
use super::fault::meant;
use super::glue::Named;
use super::json::Json;
use super::keys::{Context, Keys, Kind, choices, exactly_one, one_of, section};
use super::kinds::{choice, folder_name, table, yes};
use super::place::Selector;
use super::unit::short;

/// Sections of objects.
const OBJECTS: &[&str] = &["cloth", "body", "obstacle"];

choices! {
    /// Sampling interval of a probe.
    pub enum Every {
        /// At each frame: a force is that of the last step before it.
        Frame = "frame",
        /// At the end of each step.
        Step = "step",
    }
}

/// Pins or handles. They are identified by the names that their tables give.
#[derive(Clone, Copy)]
enum Held {
    Pin,
    Handle,
}

impl Held {
    fn name(self) -> &'static str {
        match self {
            Held::Pin => "pin",
            Held::Handle => "handle",
        }
    }
}

impl Kind for Held {
    type Value = String;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<String> {
        let Value::Text(name) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let known = match self {
            Held::Pin => &cx.pins,
            Held::Handle => &cx.handles,
        };
        if known.contains(name) {
            return Some(name.clone());
        }
        let (word, hint) = (self.name(), meant(name, known.iter().map(String::as_str)));
        let message = format!("no {word} is named '{}'{hint}; give it a name in its table", short(name));
        cx.fault(node.origin, path, message);
        None
    }

    fn wanted(&self) -> String {
        format!("the name of a {}", self.name())
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string"))])
    }
}

one_of! {
    /// Subject of the force.
    pub enum Source {
        /// Name of pins: their force on the vertices that they hold.
        Pin(String) = "pin": Held::Pin,
        /// Name of handles: their force on the vertices that they pull.
        Handle(String) = "handle": Held::Handle,
        /// Name of a cloth, a body or an obstacle: the force on it of surfaces that it touches, of air between and of
        /// impulses; on simulated objects that of corrections as well.
        Object(String) = "object": Named(OBJECTS),
        /// Everything that is simulated: weight, pins, handles, obstacles and laws from outside, corrections, rate of
        /// momentum.
        Everything = "everything": yes(),
    }
}

section! {
    /// A force.
    pub struct Force {
        /// Subject of the force.
        pub source: Source = exactly_one(),
        /// Name of another object: only forces between it and `object`.
        pub from: Option<String> = Named(OBJECTS).optional(),
    }
    check from_is_another;
}

fn from_is_another(force: Force, keys: &mut Keys) -> Option<Force> {
    let message = match (&force.source, &force.from) {
        (Source::Object(object), Some(from)) if object == from => "is 'object' itself, whose forces on itself cancel",
        (Source::Object(_), _) | (_, None) => return Some(force),
        _ => "goes with 'object'; leave it out",
    };
    keys.fault("from", message);
    None
}

one_of! {
    /// Source of the work.
    pub enum Worker {
        /// Name of pins.
        Pin(String) = "pin": Held::Pin,
        /// Name of handles.
        Handle(String) = "handle": Held::Handle,
        /// Name of an obstacle.
        Obstacle(String) = "obstacle": Named(&["obstacle"]),
        /// All pins, handles and obstacles.
        Everything = "everything": yes(),
    }
}

section! {
    /// Work since the start of the scene: force times displacement, summed over steps.
    pub struct Work {
        /// Source of the work.
        pub worker: Worker = exactly_one(),
    }
}

section! {
    /// Vertices of an object.
    pub struct Points {
        /// Name of a cloth, a body or an obstacle.
        pub of: String = Named(OBJECTS).required(),
        /// Vertices of the object. Positions are those of the start.
        pub selector: Selector = exactly_one(),
    }
}

section! {
    /// Distance of two mean positions.
    pub struct Length {
        /// From their mean position.
        pub from: Points = table().required(),
        /// To theirs.
        pub to: Points = table().required(),
    }
}

one_of! {
    /// Measured quantity.
    pub enum Measure {
        /// A force.
        Force(Force) = "force": table(),
        /// Work done by pins, handles and obstacles.
        Work(Work) = "work": table(),
        /// A length.
        Length(Length) = "length": table(),
        /// Mean position and velocity of vertices.
        Position(Points) = "position": table(),
    }
}

section! {
    /// A measurement, written to `probes/<name>.csv` in the run folder and drawn in the report.
    pub struct Probe {
        /// Name, also of its file; no other probe may have it.
        pub name: String = folder_name().required(),
        /// How often it measures.
        pub every: Every = choice().or(Every::Frame),
        /// Measured quantity.
        pub measure: Measure = exactly_one(),
    }
    check one_file_each;
}

/// Checks that names differ in more than upper and lower case. Some systems store such names as one file.
fn one_file_each(probe: Probe, keys: &mut Keys) -> Option<Probe> {
    if keys.cx.describing || keys.cx.probes.insert(probe.name.to_lowercase()) {
        return Some(probe);
    }
    keys.fault("name", format!("another probe is named '{}'; names are unique", probe.name));
    None
}
