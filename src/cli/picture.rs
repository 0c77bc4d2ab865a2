//! Draws recorded shapes as pictures, for both `run` and `render`.

use super::arrows::Arrows;
use super::failure::Failure;
use crate::linalg::Vec3;
use crate::render::{
    Background, Camera, Ground, Image, Map, Object, Paint, Picture, Settings, Shading, Wireframe, draw,
    linear_from_srgb, memory,
};
use crate::scene::Scene;
use crate::scene::memory::words;
use crate::scene::obstacle;
use crate::scene::preview::{CELL, Preview, Quality, Shading as Law};
use crate::sequence::{Entry, Flowing, Folder, Run, Shape, Snapshot};
use crate::world::Kind;
use crate::world::motion::Motion;
use crate::world::quantity::{Channel, SATURATION};

/// Angle from which edges of an obstacle are drawn sharp [rad].
const CREASE: f64 = std::f64::consts::FRAC_PI_3;

/// Appearance of an object, as given in the scene.
pub(super) struct Look {
    /// Colour, sRGB.
    pub colour: [f64; 3],
    /// Size of a checker's squares [m].
    checker: Option<f64>,
    /// Whether it is a fixed plane.
    flat: bool,
}

fn look(scene: &Scene, shape: &Shape) -> Option<Look> {
    look_of(scene, shape.kind, &shape.name)
}

/// Returns the appearance of an object, or `None` if pictures do not show it.
pub(super) fn look_of(scene: &Scene, kind: Kind, name: &str) -> Option<Look> {
    match kind {
        Kind::Cloth => {
            let cloth = scene.cloths.iter().find(|c| c.name == name)?;
            Some(Look { colour: cloth.colour, checker: cloth.checker, flat: false })
        }
        Kind::Body => {
            let body = scene.bodies.iter().find(|b| b.name == name)?;
            Some(Look { colour: body.colour, checker: None, flat: false })
        }
        Kind::Obstacle => {
            let obstacle = scene.obstacles.iter().find(|o| o.name == name)?;
            let flat = matches!(obstacle.shape, obstacle::Shape::Plane(_)) && obstacle.motion == Motion::Fixed;
            obstacle.visible.then_some(Look { colour: obstacle.colour, checker: obstacle.checker, flat })
        }
    }
}

/// Reads the recorded objects at a frame, in order.
///
/// # Errors
/// A mesh cannot be read.
pub(super) fn objects(folder: &Folder, record: &Run, frame: u32) -> Result<Vec<(Shape, Snapshot)>, Failure> {
    let mut all = Vec::with_capacity(record.objects.len());
    for entry in &record.objects {
        all.extend(folder.read_mesh(entry, frame)?);
    }
    Ok(all)
}

/// Contents of a frame: the objects that are present, and the airflow.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    /// Objects, in order.
    pub objects: &'a [(&'a Shape, &'a Snapshot)],
    /// Airflow; `None` without one, or if it was not recorded.
    pub flow: Option<&'a Flowing>,
    /// Whether the objects have every field that the scene's pictures show, as far as their cloths have it.
    pub live: bool,
}

/// Draws a frame of a run, `width` by `height`. The camera is fitted to the box in the record. If cloth leaves that
/// picture, the camera follows it or moves back as far as necessary. If cloth is below the ground, the ground is
/// lowered as far as necessary. A draft is drawn at half the size.
///
/// # Errors
/// The field that colours the cloths was not recorded, or memory for the picture is missing.
pub(super) fn picture(
    scene: &Scene,
    Seen { objects, flow, live }: Seen,
    record: &Run,
    [width, height]: [u32; 2],
) -> Result<Picture, String> {
    let preview = &scene.preview;
    room(memory(u64::from(width), u64::from(height)))
        .map_err(|words| format!("preview: a picture of {width} x {height} pixels needs {words} of memory, which is not there; give a smaller one"))?;
    let up = scene.upwards();
    let aspect = f64::from(width) / f64::from(height.max(1));
    let Stand { camera, ground } = stand(scene, objects, record, aspect);
    let settings = settings(scene, record.unproven, camera, ground, [width, height]);
    let shading = shading(preview);
    let range = preview.field.map(|field| preview.field_range.unwrap_or_else(|| range(objects, field)));
    let mut drawn = Vec::with_capacity(objects.len());
    for (shape, at) in objects {
        let Some(look) = look(scene, shape) else { continue };
        // A fixed plane that the ground would cover is drawn as the ground.
        if is_ground(&look, at, &up, ground) {
            continue;
        }
        let colour = linear(look.colour);
        let mut paint = match look.checker {
            Some(size) => Paint::Checker { a: colour, b: colour.map(|c| 0.35 * c), size },
            None => Paint::Colour(colour),
        };
        if let (Kind::Cloth, Some(field), Some([min, max])) = (shape.kind, preview.field, range) {
            let Channel { word, label, unit, diverging, .. } = *field;
            let map = if diverging { Map::Diverging } else { Map::Sequential };
            // A cloth without values of the field is grey, since its own colour might be misread as a value.
            let none: &[f64] = &[];
            let recorded = live
                || scene.output.fields.contains(&field)
                || objects.iter().any(|(_, other)| other.field(word).is_some());
            let values = at.field(word).or(recorded.then_some(none)).ok_or_else(|| {
                format!(
                    "the field '{word}' of '{}' was not recorded; add it to output.fields and run again",
                    shape.name
                )
            })?;
            paint = Paint::Field { values, min, max, map, label: label.unwrap_or(word), unit };
        }
        drawn.push(Object {
            name: &shape.name,
            positions: &at.positions,
            triangles: &shape.triangles,
            uv: &shape.uv,
            uv_triangles: &shape.uv_triangles,
            paint,
            shading,
            // Wetness does not darken the colours of a field.
            wet: if preview.field.is_none() { at.field(SATURATION).unwrap_or_default() } else { &[] },
            // Cloth is drawn smooth, even at folds that are sharp for its mesh. A box has edges.
            crease: if shape.kind == Kind::Cloth { std::f64::consts::PI } else { CREASE },
        });
    }
    let arrows = flow.zip(preview.airflow.as_ref()).map(|(flow, slice)| (Arrows::of(flow, slice), slice.colour));
    drawn.extend(arrows.as_ref().map(|(arrows, colour)| arrows.object(linear(*colour))));
    Ok(draw(&drawn, up, &settings).larger(width as usize, height as usize))
}

fn linear(colour: [f64; 3]) -> [f64; 3] {
    colour.map(linear_from_srgb)
}

/// Returns the settings of a picture `width` by `height`. A draft has half the size.
fn settings(scene: &Scene, unproven: bool, camera: Camera, ground: Option<f64>, [width, height]: [u32; 2]) -> Settings {
    let preview = &scene.preview;
    let draft = preview.quality == Quality::Draft;
    let part = if draft { 2 } else { 1 };
    let [wide, high] = [width, height].map(|size| size.div_ceil(part) as usize);
    let mut settings = Settings::new(wide, high, camera, scene.upwards());
    settings.samples = if draft { 1 } else { preview.samples as usize };
    if let Some(direction) = preview.key.direction {
        settings.lights.key.direction = direction.into_inner();
    }
    settings.ground = ground.map(Ground::at);
    if let Some(colour) = preview.background.map(linear) {
        settings.background = Background { top: colour, bottom: colour };
    }
    settings.note = unproven.then_some("not proven: triangles may cross");
    settings.wireframe = preview.wireframe.then(Wireframe::default);
    settings
}

/// Camera and ground of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stand {
    /// Camera.
    pub camera: Camera,
    /// Height of the ground [m]; `None` if it is not drawn.
    pub ground: Option<f64>,
}

/// Returns camera and ground of a frame, for pictures `aspect` times as wide as high.
pub(super) fn stand(scene: &Scene, objects: &[(&Shape, &Snapshot)], record: &Run, aspect: f64) -> Stand {
    let preview = &scene.preview;
    let given = preview.ground_height.map(|height| height - record.origin.dot(&scene.upwards()));
    let ground = preview.ground.then(|| given.unwrap_or_else(|| ground(scene, objects, &record.view)));
    Stand { camera: followed(scene, objects, record, aspect), ground }
}

/// Returns whether an object is a fixed plane that the ground covers.
pub(super) fn is_ground(look: &Look, at: &Snapshot, up: &Vec3, ground: Option<f64>) -> bool {
    look.flat && ground.is_some_and(|height| on(at, up, height))
}

/// Returns the shading law of the surfaces.
fn shading(preview: &Preview) -> Shading {
    match preview.shading {
        Law::Minnaert => Shading::Minnaert { k: preview.k },
        Law::Minnaert1941 => Shading::Minnaert1941 { k: preview.k },
        Law::Phong => Shading::Phong { shininess: 40.0, specular: 0.25 },
        Law::Lambert => Shading::Lambert,
    }
}

/// Checks that so many bytes can be allocated, since a failure while drawing would end the process. The error has their
/// number in words.
fn room(bytes: u64) -> Result<(), String> {
    let mut block: Vec<u8> = Vec::new();
    let fits = usize::try_from(bytes).is_ok_and(|bytes| block.try_reserve_exact(bytes).is_ok());
    if fits { Ok(()) } else { Err(words(bytes)) }
}

/// Returns all vertices of cloths and bodies.
fn simulated<'a>(objects: &'a [(&Shape, &Snapshot)]) -> impl Iterator<Item = &'a Vec3> + Clone {
    objects.iter().filter(|(shape, _)| shape.kind.simulated()).flat_map(|(_, at)| &at.positions)
}

/// Returns whether all vertices are at a height.
fn on(at: &Snapshot, up: &Vec3, height: f64) -> bool {
    at.positions.iter().all(|p| (p.dot(up) - height).abs() <= LEVEL)
}

/// Largest difference of heights in a level plane, as drawn [m].
const LEVEL: f64 = 1e-4;

/// Distance between the ground and objects above it, relative to the view's diagonal. Coplanar surfaces would look
/// mottled.
const ROOM: f64 = 0.005;

/// Finds the height of the ground: below the view, and coplanar only with planes that it covers. The lowest level plane
/// is the ground if it lies below the view, so that the ground hides no floor. The ground is lowered where cloth would
/// fall through it.
fn ground(scene: &Scene, objects: &[(&Shape, &Snapshot)], view: &[Vec3; 2]) -> f64 {
    let up = scene.upwards();
    let below = view[0].dot(&up).min(view[1].dot(&up));
    let room = ROOM * (view[1] - view[0]).norm();
    let lowest = simulated(objects).map(|p| p.dot(&up)).fold(f64::INFINITY, f64::min);
    let flat = objects.iter().filter(|(shape, _)| look(scene, shape).is_some_and(|l| l.flat));
    let heights = flat.filter_map(|(_, at)| at.positions.first().map(|p| p.dot(&up)).filter(|h| on(at, &up, *h)));
    let floor = heights.fold(f64::INFINITY, f64::min);
    if floor < below + LEVEL {
        return if lowest < floor { lowest - room.min(0.5 * (floor - lowest)) } else { floor };
    }
    let height = below.min(lowest - room);
    let lies = |at: &Snapshot, t: &[u32; 3]| {
        let corners = t.map(|v| at.positions.get(v as usize).copied().unwrap_or_default());
        let level = corners.iter().all(|p| (p.dot(&up) - height).abs() < 0.1 * room);
        level && (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).dot(&up) > 0.0
    };
    let drawn = objects.iter().filter(|(shape, _)| !shape.kind.simulated() && look(scene, shape).is_some());
    let coplanar = drawn.into_iter().any(|(shape, at)| shape.triangles.iter().any(|t| lies(at, t)));
    if coplanar { height - room } else { height }
}

/// Returns whether a frame has a picture of its own.
pub(super) fn full(scene: &Scene, record: &Run, frame: u32) -> bool {
    (frame - record.first).is_multiple_of(scene.preview.every)
}

/// Draws the cell of a frame for the contact sheet. If the frame has a larger picture, the cell is that picture made
/// smaller, taken from `drawn` or drawn here. So the cell does not depend on when it is made.
///
/// # Errors
/// Errors of [`picture`].
pub(super) fn cell(
    scene: &Scene,
    seen: Seen,
    record: &Run,
    frame: u32,
    drawn: Option<&Picture>,
) -> Result<Image, String> {
    let [width, height] = scene.preview.cell();
    let size = [scene.preview.width, scene.preview.height];
    if !full(scene, record, frame) || size[0] < width || size[1] < height {
        return Ok(picture(scene, seen, record, [width, height])?.image());
    }
    let smaller = |picture: &Picture| picture.smaller(width as usize, height as usize);
    match drawn {
        Some(drawn) => Ok(smaller(drawn)),
        None => Ok(smaller(&picture(scene, seen, record, size)?)),
    }
}

/// Returns the number of columns of a contact sheet.
pub(super) fn columns(cells: usize) -> usize {
    if cells <= 3 { cells.max(1) } else { (cells as f64).sqrt().ceil() as usize }
}

/// Returns the frames of the contact sheet: as many as the scene requests, evenly spaced from the first to the last.
pub(super) fn sheet_frames(scene: &Scene, record: &Run) -> Vec<u32> {
    let Run { first, frames, .. } = *record;
    let count = scene.preview.sheet.min(frames);
    let place = |k: u32| first + (f64::from(k) * f64::from(frames - 1) / f64::from((count - 1).max(1))).round() as u32;
    (0..count).map(place).collect()
}

/// Joins labelled cells to one picture.
pub(super) fn sheet(cells: &[(String, Image)]) -> Image {
    let views: Vec<_> = cells.iter().map(|(label, image)| crate::render::Cell { label, image }).collect();
    crate::render::contact_sheet(&views, columns(cells.len()), CELL as usize)
}

/// Returns the range of a field over all cloths, never empty. It is symmetric about zero for a diverging colour map.
fn range(objects: &[(&Shape, &Snapshot)], field: &Channel) -> [f64; 2] {
    let values = objects.iter().filter_map(|(_, at)| at.field(field.word)).flatten().filter(|v| v.is_finite());
    let [low, high] = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], v| [l.min(*v), h.max(*v)]);
    if field.diverging {
        let most = high.max(-low).max(1e-6);
        [-most, most]
    } else if low < high {
        [low, high]
    } else if low.is_finite() {
        [low, low + 1e-6]
    } else {
        [0.0, 1.0]
    }
}

/// Returns the camera of a frame. Unless the scene sets its position, it shows everything that is simulated.
fn followed(scene: &Scene, objects: &[(&Shape, &Snapshot)], record: &Run, aspect: f64) -> Camera {
    let (view, up) = (&record.view, scene.upwards());
    let mut camera = camera(scene, record, aspect);
    if scene.preview.camera.position.is_none() {
        // Cloth is followed only without visible obstacles other than fixed planes. With them the camera only moves
        // back.
        let fixed = |entry: &Entry| {
            entry.kind == Kind::Obstacle && look_of(scene, entry.kind, &entry.name).is_some_and(|look| !look.flat)
        };
        if !record.objects.iter().any(fixed) {
            camera = camera.follow(simulated(objects), (view[0], view[1]), aspect, up);
        }
        camera = camera.back(simulated(objects), aspect, up);
    }
    camera
}

/// Returns the camera before it follows anything.
pub(super) fn camera(scene: &Scene, record: &Run, aspect: f64) -> Camera {
    let Run { view, origin, .. } = record;
    let given = &scene.preview.camera;
    let (position, target) = (given.position.map(|p| p - origin), given.target.map(|p| p - origin));
    let up = scene.upwards();
    let middle = 0.5 * (view[0] + view[1]);
    if let Some(position) = position {
        return Camera { position, target: target.unwrap_or(middle), fov: given.fov, roll: 0.0 };
    }
    let usual = if up == Vec3::y() { Vec3::new(0.6, 0.5, 1.0) } else { Vec3::new(0.6, -1.0, 0.5) };
    let towards = given.direction.map_or(usual, |d| -d.into_inner());
    let mut camera = Camera::fit((view[0], view[1]), towards, given.fov, aspect, up);
    if let Some(target) = target {
        let back = camera.direction() * (camera.position - middle).norm();
        camera = Camera { position: target + back, target, ..camera };
    }
    camera
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A floor below the view is the ground; a table above it is not. Without planes the ground is at the view's lower
    /// side, and nowhere above cloth.
    #[test]
    fn the_ground_hides_no_floor() {
        let plane =
            |name: &str, y: f64| format!("[[obstacle]]\nname = \"{name}\"\nplane = {{ point = [0, {y}, 0] }}\n");
        let cloth = "[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.ply\"\n";
        let place = |planes: &[(&str, f64)], lowest: f64| {
            let text: String = planes.iter().map(|(name, y)| plane(name, *y)).collect();
            let path = std::path::Path::new("scene.toml");
            let scene = crate::scene::read_recorded(path, format!("{cloth}{text}").as_bytes(), &[]).unwrap();
            let shape = |name: &str, kind: Kind| Shape {
                name: name.into(),
                kind,
                vertices: 3,
                triangles: vec![[0, 1, 2]],
                uv: Vec::new(),
                uv_triangles: Vec::new(),
            };
            let at = |y: f64| {
                let positions = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[x, z]| Vec3::new(x, y, z)).to_vec();
                Snapshot { positions, ..Snapshot::default() }
            };
            let mut all = vec![(shape("sheet", Kind::Cloth), at(lowest))];
            all.extend(planes.iter().map(|(name, y)| (shape(name, Kind::Obstacle), at(*y))));
            let all: Vec<_> = all.iter().map(|(shape, at)| (shape, at)).collect();
            ground(&scene, &all, &[Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 1.0, 1.0)])
        };
        assert_eq!(place(&[], 0.5), 0.0);
        assert!(place(&[], -0.5) < -0.5);
        assert_eq!(place(&[("floor", -0.02)], 0.5), -0.02);
        assert_eq!(place(&[("table", 0.0), ("floor", -0.7)], 0.1), -0.7);
        assert_eq!(place(&[("floor", 0.0)], 0.1), 0.0);
        assert!(place(&[("table", 0.3)], 0.5) < 1e-9);
        let fallen = place(&[("floor", -0.02)], -0.03);
        assert!((-0.06..-0.03).contains(&fallen), "{fallen}");
    }

    #[test]
    fn sheets_are_nearly_square() {
        assert_eq!([1, 2, 3, 4, 6, 12].map(columns), [1, 2, 3, 2, 3, 4]);
    }
}
