//! `[preview]`: pictures.

use super::document::{Node, Value};
use super::json::Json;
use super::keys::{Context, Keys, Kind, choices, section};
use super::kinds::{choice, colour, direction, flag, integer, quantity, real, table, vector, word};
use super::memory::{available, words};
use super::unit::Unit;
use crate::effect::channels;
use crate::linalg::{UnitVec3, Vec3};
use crate::render::memory;
use crate::world::quantity::Channel;
use std::f64::consts::PI;

choices! {
    /// Shading of surfaces, with `L` to the light, `V` to the eye, `N` the normal.
    pub enum Shading {
        /// `(N.L)^k (N.V)^(1-k)`.
        Minnaert = "minnaert",
        /// `(N.L)^k (N.V)^(k-1)`, as published by Minnaert in 1941.
        Minnaert1941 = "minnaert-1941",
        /// Lambert with a Phong highlight.
        Phong = "phong",
        /// `N.L`.
        Lambert = "lambert",
    }
}

choices! {
    /// Care with which pictures are drawn.
    pub enum Quality {
        /// All rays, as 'samples' says.
        Fine = "fine",
        /// A fast look while a run goes on: one ray a pixel at half the size, enlarged. 'samples' has no effect.
        Draft = "draft",
    }
}

section! {
    /// The camera: from a position to a target, or along a direction fitted to the scene.
    pub struct Camera {
        /// Where it stands; fitted to the scene if absent.
        pub position: Option<Vec3> = vector(Unit::Length, 1e6).optional(),
        /// Point at which it looks; the scene's centre if absent.
        pub target: Option<Vec3> = vector(Unit::Length, 1e6).optional(),
        /// Direction in which it looks when it is fitted to the scene.
        pub direction: Option<UnitVec3> = direction().optional(),
        /// Vertical field of view.
        pub fov: f64 = quantity(Unit::Angle, 0.01..=2.8).or(35.0 * PI / 180.0),
    }
    check one_way_to_look;
}

fn one_way_to_look(camera: Camera, keys: &mut Keys) -> Option<Camera> {
    if camera.direction.is_some() && camera.position.is_some() {
        keys.fault("direction", "conflicts with 'position'; give position and target, or direction alone");
        return None;
    }
    if let (Some(position), Some(target)) = (camera.position, camera.target)
        && (position - target).norm() < 1e-9
    {
        keys.fault("target", "the target is where the camera stands; give another point");
        return None;
    }
    Some(camera)
}

/// Memory above which pictures cause a warning [bytes]. Pictures that exceed the available memory are a fault.
const MUCH: u64 = 2_000_000_000;
/// Width of a cell of the contact sheet [pixels].
pub const CELL: u32 = 320;

impl Preview {
    /// Returns the size of a contact sheet's cell [pixels].
    pub fn cell(&self) -> [u32; 2] {
        let (w, h) = (u64::from(self.width.max(1)), u64::from(self.height));
        [CELL, u32::try_from((u64::from(CELL) * h).div_ceil(w)).unwrap_or(CELL).clamp(1, 8 * CELL)]
    }

    /// Returns the memory for drawing the largest picture, without the meshes, plus that of the contact sheet [bytes].
    pub fn memory(&self) -> u64 {
        let picture = memory(u64::from(self.width), u64::from(self.height));
        let [width, height] = self.cell().map(u64::from);
        // Cells in memory, on the sheet, and as bytes of its file.
        let sheet = u64::from(self.sheet) * width * height * 30;
        picture.saturating_add(sheet)
    }
}

/// Checks that the camera does not move if the scene has pointers.
fn needs_camera(camera: &Camera, keys: &mut Keys) -> Option<()> {
    if camera.position.is_some() && camera.target.is_some() {
        return Some(());
    }
    let pointers = std::mem::take(&mut keys.cx.pointers);
    for (origin, key) in &pointers {
        let message =
            "a pointer is seen through a camera that does not move; give position and target in preview.camera";
        keys.cx.fault(*origin, key, message);
    }
    pointers.is_empty().then_some(())
}

fn fits(preview: Preview, keys: &mut Keys) -> Option<Preview> {
    needs_camera(&preview.camera, keys)?;
    let need = preview.memory();
    if !preview.enabled || keys.cx.recorded || need <= MUCH {
        return Some(preview);
    }
    let Preview { width, height, .. } = preview;
    let message = format!("pictures of {width} x {height} pixels need {} of memory to draw", words(need));
    let key = if keys.find("width").is_some() { "width" } else { "height" };
    match available().filter(|there| need > *there) {
        Some(there) => {
            keys.fault(key, format!("{message}, {} are there; give smaller ones", words(there)));
            None
        }
        None => {
            keys.warn(key, message);
            Some(preview)
        }
    }
}

section! {
    /// The key light.
    pub struct KeyLight {
        /// Direction towards the light; from above, behind the camera's left shoulder, if absent.
        pub direction: Option<UnitVec3> = direction().optional(),
    }
}

/// Range of a field: two ascending numbers.
struct FieldRange;

impl Kind for FieldRange {
    type Value = [f64; 2];

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<[f64; 2]> {
        let component = real(-1e9..=1e9);
        if let Value::List(items) = &node.value
            && let [low, high] = items.as_slice()
        {
            let low = component.read(cx, &format!("{path}[0]"), low);
            let high = component.read(cx, &format!("{path}[1]"), high);
            let (low, high) = (low?, high?);
            if low < high {
                return Some([low, high]);
            }
        }
        self.refuse(cx, path, node);
        None
    }

    fn wanted(&self) -> String {
        "two ascending numbers [low, high]".to_string()
    }

    fn schema(&self) -> Json {
        Json::map([
            ("type", Json::text("array")),
            ("items", Json::map([("type", Json::text("number"))])),
            ("minItems", Json::Number(2.0)),
            ("maxItems", Json::Number(2.0)),
        ])
    }
}

/// Lists the colourings of cloths: their own colours, or a channel.
fn colourings() -> impl Iterator<Item = (Option<&'static Channel>, &'static str, &'static str)> {
    [(None, "none", "Their own colours.")].into_iter().chain(channels().map(|c| (Some(c), c.word, c.shown)))
}

choices! {
    /// Coordinate axis.
    pub enum Axis {
        /// The first.
        X = "x",
        /// The second.
        Y = "y",
        /// The third.
        Z = "z",
    }
}

impl Axis {
    /// Returns the index of the axis, from 0.
    pub fn number(self) -> usize {
        match self {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        }
    }
}

section! {
    /// Arrows of the flowing air in a slice of its box. `percale render` draws them where 'output.flow' has written the
    /// air.
    pub struct Slice {
        /// Axis across the slice.
        pub axis: Axis = choice().or(Axis::Z),
        /// Where on that axis; in the middle of the box if absent.
        pub at: Option<f64> = quantity(Unit::Length, -1e6..=1e6).optional(),
        /// Cells from one arrow to the next; at most 24 arrows along an axis if absent.
        pub every: Option<u32> = integer(1..=256).optional(),
        /// Speed whose arrow reaches to the next one; that of the fastest air in the frame if absent.
        pub speed: Option<f64> = quantity(Unit::Speed, 1e-6..=1e3).optional(),
        /// Colour.
        pub colour: [f64; 3] = colour().or([0.75, 0.1, 0.08]),
    }
}

section! {
    /// Preview pictures: ray-cast, one a frame.
    pub struct Preview {
        /// Draw pictures.
        pub enabled: bool = flag().or(true),
        /// Width in pixels.
        pub width: u32 = integer(16..=16384).or(960),
        /// Height in pixels.
        pub height: u32 = integer(16..=16384).or(540),
        /// Rays per pixel where a picture is not smooth.
        pub samples: u32 = integer(1..=1024).or(16),
        /// Care with which pictures are drawn.
        pub quality: Quality = choice().or(Quality::Fine),
        /// Draw every so many frames.
        pub every: u32 = integer(1..=1_000_000).or(1),
        /// Write linear EXR with depth, normal and object channels beside the PNG.
        pub exr: bool = flag().or(false),
        /// Shading.
        pub shading: Shading = choice().or(Shading::Minnaert),
        /// Minnaert's exponent.
        pub k: f64 = real(0.0..=4.0).or(0.75),
        /// Draw the edges of triangles.
        pub wireframe: bool = flag().or(false),
        /// Colour cloths by a field, with a legend.
        pub field: Option<&'static Channel> = word(colourings()).or(None),
        /// Values of the field at the ends of the colour scale; fitted to each frame if absent, for pressure with 0 in
        /// the middle.
        pub field_range: Option<[f64; 2]> = FieldRange.optional(),
        /// Arrows of the flowing air.
        pub airflow: Option<Slice> = table().optional(),
        /// Camera.
        pub camera: Camera = table(),
        /// Key light.
        pub key: KeyLight = table(),
        /// Draw the ground.
        pub ground: bool = flag().or(true),
        /// Height of the ground, which is only drawn: nothing lands on it. If absent under everything in the first
        /// frame, and it sinks with cloth that falls below.
        pub ground_height: Option<f64> = quantity(Unit::Length, -1e6..=1e6).optional(),
        /// Colour of the background; a grey gradient if absent.
        pub background: Option<[f64; 3]> = colour().optional(),
        /// Frames in the contact sheet; 0 for none.
        pub sheet: u32 = integer(0..=400).or(12),
    }
    check fits;
}
