//! `[[cloth]]`: conversion to the input of a world.

use super::around::Beside;
use super::border;
use super::faults::Faults;
use super::files::{self, Wanted};
use super::fold;
use super::hold;
use super::pattern;
use super::recorded;
use super::select::{self, Groups, Refusal};
use crate::force::cloth_law::{ClothLaw, Damping};
use crate::force::contact::Friction;
use crate::force::spring_mesh::Fault;
use crate::mesh::archive::{self, Pose};
use crate::mesh::check::{Severity, check};
use crate::mesh::{LEFT_OUT, TriMesh, refine};
use crate::scene::Scene;
use crate::scene::border::Sides;
use crate::scene::cloth::{self, Cloth, Map, Mapped, Model, RestAngles, Source};
use crate::scene::place::MapSource;
use crate::scene::seam;
use crate::scene::unit::rounded;
use crate::world::build::{Band, ClothInput, ObstacleInput, Rest, Shrink, Weights, spring_fault};
use crate::world::keyed::{Of, Ramp};
use std::path::Path;

/// Reads and places the mesh of a cloth, with its pins, handles and maps. `key` is the path of the cloth in the scene.
pub(super) fn input(
    scene: &Scene,
    obstacles: &[ObstacleInput],
    cloth: &Cloth,
    key: &str,
    faults: &mut Faults,
) -> Option<ClothInput> {
    let object = format!("{key}.object");
    let object = cloth.object.as_deref().map(|name| (name, object.as_str()));
    let [chart, axis] = ["chart", "axis"].map(|name| format!("{key}.{name}"));
    let mut wanted = Wanted::of(scene, object);
    wanted.chart = cloth.chart.as_deref().map(|name| (name, chart.as_str()));
    wanted.axis = cloth.axis.map(|up| (files::upward(up), axis.as_str()));
    if cloth.pose == cloth::Begin::Rest {
        wanted.pose = Pose::Rest;
    }
    let (mesh, mut seams) = match &cloth.source {
        Source::Mesh(file) => (of_file(cloth, (file, wanted), key, faults)?, Vec::new()),
        Source::Pattern(of) => {
            pattern::sewn(Beside { scene, obstacles, transform: &cloth.transform }, of, key, faults)?
        }
    };
    check_directions(cloth, &mesh, key, faults);
    let x = &mesh.positions;
    let groups = hold::groups(&cloth.groups, &mesh.groups, x, key, faults);
    let led = recorded::Led { scene, transform: &cloth.transform, wanted };
    let (pins, soft) = hold::pins(&cloth.pins, (x, led), &groups, Some(&mesh.channels), key, faults);
    let mut handles = hold::handles(&cloth.handles, (x, led), &groups, key, faults);
    handles.extend(soft);
    let weights = weights(scene, cloth, &mesh, &groups, key, faults);
    seams.extend(border::seams(&cloth.borders, &mesh, &groups, key, faults));
    let (shrinks, bands) = changes(scene, cloth, &mesh, &groups, key, faults);
    let folds = fold::lines(cloth, (&mesh, &groups), |from, over| ramp(scene, [from, over]), key, faults);
    let material = &cloth.material;
    let mut input = ClothInput {
        name: cloth.name.clone(),
        law: law(cloth),
        springs: cloth.network(),
        density: material.density,
        vertex_mass: cloth.vertex_mass,
        thickness: material.thickness,
        friction: Friction { fixed: material.friction_static, sliding: material.friction_dynamic },
        drag: cloth.drag(),
        warp: cloth.transform.rotation() * cloth.warp.into_inner(),
        rest: match cloth.rest {
            cloth::Rest::Mesh => Rest::Mesh,
            cloth::Rest::Chart => Rest::Chart,
        },
        flat: cloth.rest_angles == RestAngles::Flat,
        yields: material.plastic.bend,
        gives: material.plastic.stretch,
        limit: cloth.strain_limit,
        velocity: cloth.velocity,
        self_contact: cloth.self_contact && scene.contact.self_contact,
        weights,
        shrinks,
        gathers: Vec::new(),
        bands,
        folds,
        pins,
        handles,
        // Groups of the scene are included, since glue refers to them.
        mesh: TriMesh { groups, ..mesh },
        seams,
    };
    input.gathers = seam::gathers(scene, cloth, &input);
    check_springs(&input, key, faults).then_some(input)
}

/// Checks the chart, or warns if none tells the direction of the warp.
fn check_directions(cloth: &Cloth, mesh: &TriMesh, key: &str, faults: &mut Faults) {
    if cloth.rest == cloth::Rest::Chart {
        check_chart(cloth.file(), mesh, key, faults);
    } else if mesh.notes.iter().any(|note| note.what.ends_with(LEFT_OUT)) {
        let [x, y, z] = cloth.warp.into_inner().into();
        faults.warn(
            &format!("{key}.warp"),
            format!("the mesh has no whole chart (UV), so the warp runs along [{x}, {y}, {z}] of the file everywhere"),
        );
    }
}

/// Returns the factors of the maps by vertex.
fn weights(scene: &Scene, cloth: &Cloth, mesh: &TriMesh, groups: &Groups, key: &str, faults: &mut Faults) -> Weights {
    let mut weights = Weights::default();
    for (k, map) in cloth.maps.iter().enumerate() {
        if let Err(refusal) = lacks(scene, cloth, map).and_then(|()| scale(&mut weights, map, mesh, groups)) {
            hold::refuse(faults, key, "map", k, refusal);
        }
    }
    weights
}

/// Returns the laws of a cloth's material.
fn law(cloth: &Cloth) -> ClothLaw {
    let material = &cloth.material;
    ClothLaw {
        membrane: material.membrane,
        bending: material.bending,
        damping: Damping { stretch: material.damping, bend: material.bending_damping.unwrap_or(material.damping) },
        inner: cloth.inner(),
    }
}

/// Reads a mesh file, places it, moves it out and cuts it finer.
fn of_file(cloth: &Cloth, (file, wanted): (&Path, Wanted), key: &str, faults: &mut Faults) -> Option<TriMesh> {
    if wanted.pose == Pose::Rest && !archive::reads(file) {
        faults.warn(&format!("{key}.pose"), "goes with USD files: others have one shape");
    }
    // Vertices that are sewn may coincide.
    let sewn = cloth.borders.iter().any(|border| border.sides == Sides::Coincident);
    let mut mesh = files::placed(file, wanted, &cloth.transform, (cloth.weld, sewn), key, faults)?;
    files::measure(&mesh.positions, cloth.transform.scale, key, faults);
    if cloth.offset != 0.0 {
        refine::offset(&mut mesh, cloth.offset);
    }
    let levels = levels(cloth, &mesh, key, faults)?;
    mesh = files::subdivided(mesh, &levels, &format!("{key}.subdivide"), faults)?;
    if cloth.offset != 0.0
        && let Some(fault) = check(&mesh).into_iter().find(|f| f.severity == Severity::Error)
    {
        faults.fault(&format!("{key}.offset"), format!("no sound mesh comes of this: {}", fault.message));
        return None;
    }
    Some(mesh)
}

/// Reports a spring network that cannot be built. Returns whether there is no such error.
fn check_springs(input: &ClothInput, key: &str, faults: &mut Faults) -> bool {
    let Some((fault, at)) = spring_fault(input) else { return true };
    let places: Vec<String> = at.iter().map(|p| format!("({:.4}, {:.4}, {:.4})", p.x, p.y, p.z)).collect();
    let places = places.join(" and ");
    let message = match fault {
        Fault::NoLength(_) => format!("a spring has no length at rest, between the vertices at {places}"),
        Fault::Pushing(_) => format!(
            "the spring between the vertices at {places} would push; give less flexion, cells nearer to squares, or the stiffness itself"
        ),
        Fault::NoFlexion => {
            "no two vertices of the mesh are at distance two, so that nothing can resist bending".to_string()
        }
    };
    faults.fault(&format!("{key}.springs"), message);
    false
}

/// Returns the subdivision level of each triangle.
fn levels(cloth: &Cloth, mesh: &TriMesh, key: &str, faults: &mut Faults) -> Option<Vec<u8>> {
    let mut inside = vec![cloth.subdivide_group.is_none(); mesh.positions.len()];
    if let Some(name) = &cloth.subdivide_group {
        match select::named(name, &mesh.groups) {
            Ok(members) => members.iter().for_each(|v| inside[*v as usize] = true),
            Err(message) => {
                faults.fault(&format!("{key}.subdivide_group"), message);
                return None;
            }
        }
    }
    Some(refine::graded(mesh, cloth.subdivide, |t| t.iter().all(|v| inside[*v as usize])))
}

/// Checks that a chart used as rest shape covers every triangle, and has about the area of the mesh.
fn check_chart(file: &Path, mesh: &TriMesh, key: &str, faults: &mut Faults) {
    if mesh.uv_triangles.len() != mesh.triangles.len() {
        let (what, why) = match mesh.notes.iter().find(|note| note.what.ends_with(LEFT_OUT)) {
            Some(note) => ("no whole chart (UV)", format!(" ({note})")),
            None => ("no chart (UV)", String::new()),
        };
        faults.fault(&format!("{key}.rest"), format!("the mesh has {what}{why}; give it one, or rest = \"mesh\""));
        return;
    }
    let area = |uv: &[u32; 3]| {
        let [a, b, c] = uv.map(|k| mesh.uv.get(k as usize).copied().unwrap_or_default());
        (b - a).perp(&(c - a)).abs() / 2.0
    };
    if let Some(t) = mesh.uv_triangles.iter().position(|uv| !(area(uv).is_normal())) {
        faults.fault(&format!("{key}.rest"), format!("triangle {t} has no area in the mesh's chart"));
        return;
    }
    let chart: f64 = mesh.uv_triangles.iter().map(area).sum();
    let corner = |v: u32| mesh.positions[v as usize];
    let faces = mesh.triangles.iter().map(|t| t.map(corner));
    let placed: f64 = faces.map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum();
    if !(0.5..=2.0).contains(&(chart / placed)) {
        let message = format!(
            "its chart has {} m2, the mesh as placed {} m2; is the chart in metres?",
            rounded(chart),
            rounded(placed)
        );
        faults.warn_in_file(file, message);
    }
}

/// Returns the values of a source by vertex, with the key that names it: `factor` times the channel, or `factor` inside
/// the group and `outside` elsewhere.
fn factors(
    source: &MapSource,
    factor: f64,
    outside: f64,
    mesh: &TriMesh,
    groups: &Groups,
) -> Result<(&'static str, Vec<f64>), Refusal> {
    match source {
        MapSource::Channel(name) => match mesh.channels.get(name) {
            Some(values) => Ok(("channel", values.iter().map(|v| v * factor).collect())),
            None => Err(("channel", select::no_channel(name, &mesh.channels))),
        },
        MapSource::Group(name) => {
            let members = select::named(name, groups).map_err(|message| ("group", message))?;
            let mut factors = vec![outside; mesh.positions.len()];
            for v in members {
                if let Some(own) = factors.get_mut(v as usize) {
                    *own = factor;
                }
            }
            Ok(("group", factors))
        }
    }
}

/// Returns the time in which a change grows, after the start of the run.
fn ramp(scene: &Scene, [from, over]: [f64; 2]) -> Ramp {
    if scene.onward.is_some() && from <= 0.0 {
        // The change has had its time in the run that is continued.
        return Ramp { from: -1.0, over: 0.5 };
    }
    let shot = scene.time.shot();
    let [from, until] = [from, from + over].map(|t| shot.run(t));
    Ramp { from, over: until - from }
}

/// Returns the changes of rest shapes, in time after the start of the run.
fn changes(
    scene: &Scene,
    cloth: &Cloth,
    mesh: &TriMesh,
    groups: &Groups,
    key: &str,
    faults: &mut Faults,
) -> (Vec<Shrink>, Vec<Band>) {
    let (mut shrinks, mut bands) = (Vec::new(), Vec::new());
    for (k, shrink) in cloth.shrinks.iter().enumerate() {
        let parts = match &shrink.source {
            None => Ok(vec![1.0; mesh.positions.len()]),
            Some(source) => factors(source, 1.0, 0.0, mesh, groups).map(|(_, parts)| parts),
        };
        match parts {
            Ok(parts) => shrinks.push(Shrink {
                factors: [shrink.warp, shrink.weft],
                parts: parts.iter().map(|part| if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }).collect(),
                ramp: ramp(scene, [shrink.from, shrink.over]),
                keys: scene.keyed(Of::Shrink, &cloth.name),
            }),
            Err(refusal) => hold::refuse(faults, key, "shrink", k, refusal),
        }
    }
    for (k, band) in cloth.bands.iter().enumerate() {
        match select::named(&band.group, groups) {
            Ok(members) => {
                let mut inside = vec![false; mesh.positions.len()];
                members.iter().for_each(|v| inside[*v as usize] = true);
                let has = |t: &[u32; 3]| t.iter().filter(|v| inside[**v as usize]).count() > 1;
                if !mesh.triangles.iter().any(has) {
                    let message = format!("no edge of the mesh has both ends in the group '{}'", band.group);
                    faults.fault(&format!("{key}.band[{k}].group"), message);
                }
                let (factor, stiffness) = (band.factor, band.stiffness);
                bands.push(Band { inside, factor, stiffness, ramp: ramp(scene, [band.from, band.over]) });
            }
            Err(message) => hold::refuse(faults, key, "band", k, ("group", message)),
        }
    }
    (shrinks, bands)
}

/// Refuses a map of a quantity that the cloth lacks.
fn lacks(scene: &Scene, cloth: &Cloth, map: &Map) -> Result<(), Refusal> {
    let lack = match map.of {
        Mapped::StrainLimit if cloth.strain_limit.is_none() => "the cloth has none; give it strain_limit",
        Mapped::Drag if !scene.drags(&cloth.name) => "the cloth has no air drag; give it air_drag",
        Mapped::Damping | Mapped::BendingDamping if cloth.model != Model::Fem => {
            "springs have dampers of their own; leave this out, or give model = \"fem\""
        }
        _ => return Ok(()),
    };
    Err(("of", lack.to_string()))
}

/// Multiplies the weights by a map.
fn scale(weights: &mut Weights, map: &Map, mesh: &TriMesh, groups: &Groups) -> Result<(), Refusal> {
    let (below, factors) = factors(&map.source, map.factor, map.outside, mesh, groups)?;
    let positive = matches!(map.of, Mapped::Mass | Mapped::StrainLimit);
    let wrong = |f: &f64| !f.is_finite() || *f < 0.0 || positive && *f == 0.0;
    if let Some(v) = factors.iter().position(wrong) {
        let value = factors.get(v).copied().unwrap_or_default();
        let least = if positive { "larger than 0" } else { "at least 0" };
        return Err((below, format!("the factor at vertex {v} is {value}; factors of this map must be {least}")));
    }
    let whole = match map.of {
        Mapped::Stretch => &mut weights.stretch,
        Mapped::Bend => &mut weights.bend,
        Mapped::Thickness => &mut weights.thickness,
        Mapped::Mass => &mut weights.mass,
        Mapped::Friction => &mut weights.friction,
        Mapped::Damping => &mut weights.damping,
        Mapped::BendingDamping => &mut weights.bending_damping,
        Mapped::StrainLimit => &mut weights.limit,
        Mapped::Drag => &mut weights.drag,
    };
    whole.resize(mesh.positions.len(), 1.0);
    for (all, factor) in whole.iter_mut().zip(factors) {
        *all *= factor;
    }
    Ok(())
}
