//! `percale render --turntable`: draws a frame from all sides.

use super::failure::Failure;
use super::picture::{Seen, camera, picture};
use super::say;
use crate::linalg::{Rotation, UnitVec3};
use crate::render::movie::Animation;
use crate::scene::Scene;
use crate::sequence::{Folder, Run as Record, write};
use std::f64::consts::TAU;

/// Draws `pictures` pictures around a frame with the objects `seen`, as an animated PNG file in the run folder.
///
/// # Errors
/// A picture cannot be drawn, or the disk refuses.
pub(super) fn turntable(
    folder: &Folder,
    record: &Record,
    scene: &Scene,
    seen: Seen,
    pictures: u32,
) -> Result<(), Failure> {
    let size = [scene.preview.width, scene.preview.height];
    let aspect = f64::from(size[0]) / f64::from(size[1].max(1));
    let middle = 0.5 * (record.view[0] + record.view[1]);
    let start = camera(scene, record, aspect).position - middle;
    let up = UnitVec3::new_normalize(scene.upwards());
    let turned = |k: u32| Rotation::from_axis_angle(&up, TAU * f64::from(k) / f64::from(pictures)) * start;
    // The camera distance is the largest that any side needs, so that the whole box is visible from all sides.
    let fitted = |k: u32| {
        let mut scene = scene.clone();
        scene.preview.camera.direction = Some(UnitVec3::new_normalize(-turned(k)));
        (camera(&scene, record, aspect).position - middle).norm()
    };
    let given = scene.preview.camera.position.is_some();
    let away = if given { start.norm() } else { (0..pictures).map(fitted).fold(0.0, f64::max) };
    let mut file = Vec::new();
    let wrong = |why: String| Failure::input(format!("turntable.png: {why}"));
    let mut movie =
        Animation::new(&mut file, size.map(|n| n as usize), pictures as usize, record.fps).map_err(wrong)?;
    for k in 0..pictures {
        let mut scene = scene.clone();
        let camera = &mut scene.preview.camera;
        let position = middle + turned(k).normalize() * away + record.origin;
        (camera.position, camera.target, camera.direction) = (Some(position), Some(middle + record.origin), None);
        let drawn = picture(&scene, seen, record, size).map_err(Failure::input)?;
        movie.add(&drawn.image()).map_err(wrong)?;
    }
    movie.finish().map_err(wrong)?;
    let path = folder.path().join("turntable.png");
    write(&path, &file)?;
    say(&format!("{pictures} pictures in {}", path.display()));
    Ok(())
}
