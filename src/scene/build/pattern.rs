//! Mesh of a cloth that is given as a pattern.

use super::around::{self, Beside};
use super::faults::Faults;
use super::files;
use crate::linalg::{Rotation, Vec3};
use crate::mesh::TriMesh;
use crate::mesh::check::{self, FaultKind};
use crate::mesh::number_text::rounded;
use crate::mesh::seam::Seam;
use crate::pattern::{self, Options, Panel, Placement, Wrap, garment};
use crate::scene::Up;
use crate::scene::fault::meant;
use crate::scene::pattern::Pattern;
use crate::scene::pattern::Place;
use crate::scene::place::rotation;
use std::f64::consts::PI;

/// Largest part of a cylinder's circumference that a panel may cover.
const WHOLE: f64 = 0.98;

/// Reads a pattern, places its panels, and makes the mesh of a cloth, with the pairs of vertices of its seams. `key` is
/// the path of the cloth in the scene.
pub(super) fn sewn(beside: Beside, of: &Pattern, key: &str, faults: &mut Faults) -> Option<(TriMesh, Vec<Seam>)> {
    let Beside { scene, transform, .. } = beside;
    let key = format!("{key}.pattern");
    let bytes = files::bytes(&of.file, faults)?;
    let options = Options { unit: of.unit, size: of.size.clone() };
    let read = pattern::read(&files::extension(&of.file), &bytes, &options);
    let mut pattern = files::sound(read, &of.file, faults)?;
    if scene.up == Up::Z {
        let turn = Rotation::from_axis_angle(&Vec3::x_axis(), std::f64::consts::FRAC_PI_2);
        for place in pattern.panels.iter_mut().filter_map(|panel| panel.placement.as_mut()) {
            place.rotation = turn * place.rotation;
            place.translation = turn * place.translation;
        }
    }
    let mut sound = true;
    for (k, stitch) in of.stitches.iter().enumerate() {
        let [a, b] = &stitch.edges[..] else { continue };
        if let Err(message) = pattern.sew([a, b], stitch.name.as_deref()) {
            faults.fault(&format!("{key}.stitch[{k}].edges"), message);
            sound = false;
        }
    }
    for (k, place) in of.panels.iter().enumerate() {
        let names = || pattern.panels.iter().map(|panel| panel.name.as_str());
        let Some(panel) = names().position(|name| name == place.name) else {
            let (meant, known) = (meant(&place.name, names()), names().collect::<Vec<_>>().join("', '"));
            faults.fault(&format!("{key}.panel[{k}].name"), format!("no such panel, there are '{known}'{meant}"));
            sound = false;
            continue;
        };
        let panel = &mut pattern.panels[panel];
        let key = format!("{key}.panel[{k}]");
        panel.placement = match &place.around {
            Some(around) => around::placement(beside, around, panel, &format!("{key}.around"), faults),
            None => set_down(place, panel, &key, faults),
        };
        sound &= panel.placement.is_some();
    }
    if !sound {
        return None;
    }
    let laid = pattern.lay_out();
    if !laid.is_empty() {
        let message = format!(
            "the file does not place {}; they lie beside each other: give 'panel' with 'translate'",
            laid.join(", ")
        );
        faults.warn(&format!("{key}.file"), message);
    }
    if let Err(error) = pattern::check(&mut pattern) {
        return files::sound(Err(error), &of.file, faults);
    }
    pattern.notes.iter().for_each(|note| faults.note(&of.file, note));
    let made = files::sound(garment::make(&pattern, of.edge_length), &of.file, faults)?;
    made.notes.iter().for_each(|note| faults.note(&of.file, note));
    let mut mesh = made.mesh;
    files::apply(transform, &mut mesh.positions);
    let mut found = check::surface(&mut mesh);
    // Panels that touch where they will be sewn are no seam that was left open.
    found.retain(|fault| fault.kind != FaultKind::CoincidentVertices);
    files::tell(found, &mesh.positions, transform.scale, &of.file, faults).then_some((mesh, made.seams))
}

/// Returns the place of a panel that the scene turns and shifts. `key` is the path of its table.
fn set_down(place: &Place, panel: &Panel, key: &str, faults: &mut Faults) -> Option<Placement> {
    let [low, high] = panel.bounds();
    let (rotation, middle) = (rotation(&place.rotate), 0.5 * (low + high));
    let translation = place.translate - rotation * Vec3::new(middle.x, middle.y, 0.0);
    let wrap = place.wrap.map(|radius| Wrap::Round { radius, middle: middle.x });
    let width = high.x - low.x;
    if place.wrap.is_some_and(|radius| width > WHOLE * 2.0 * PI * radius) {
        let message = format!("the panel is {} m wide: more than goes around such a cylinder", rounded(width));
        faults.fault(&format!("{key}.wrap"), message);
        return None;
    }
    Some(Placement { wrap, rotation, translation })
}
