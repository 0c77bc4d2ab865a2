//! `[[body]]`: conversion to the input of a world. Tetrahedra are read from a file, or fill a surface.

use super::faults::Faults;
use super::files::{self, Wanted};
use super::hold;
use super::recorded;
use crate::linalg::Vec3;
use crate::mesh::fill::{FillFault, fill};
use crate::mesh::{TetMesh, TriMesh, generate};
use crate::scene::Scene;
use crate::scene::body::{Body, Shape};
use crate::scene::obstacle::Block;
use crate::scene::place::Ball;
use crate::scene::solid::Law;
use crate::world::build::BodyInput;

/// Target number of tetrahedra of a filled body without `resolution`.
const TETRAHEDRA: f64 = 4000.0;
/// Poisson's ratio above which co-rotational tetrahedra are reported to lock.
const LOCKS: f64 = 0.4;
/// Longest triangle edge of a filled ball or capsule, relative to its radius. The sagitta of a triangle is at most
/// 0.1 % of the radius.
const FINE: f64 = 0.078;

/// Reads and places the mesh of a body. `key` is the path of the body in the scene.
pub(super) fn input(scene: &Scene, body: &Body, key: &str, faults: &mut Faults) -> Option<BodyInput> {
    let ball = |b: &Ball| generate::sphere(b.center, b.radius, FINE * b.radius);
    let object = format!("{key}.object");
    let object = body.object.as_deref().map(|name| (name, object.as_str()));
    let axis = format!("{key}.axis");
    let mut wanted = Wanted::of(scene, object);
    wanted.axis = body.axis.map(|up| (files::upward(up), axis.as_str()));
    let mesh = match &body.shape {
        Shape::Mesh(file) if files::is_surface(file) => {
            let mut surface = files::closed(file, wanted, &body.transform, faults)?;
            surface.triangles = surface.joined_triangles();
            surface.joined.clear();
            filled(body, &surface, key, faults)?
        }
        Shape::Mesh(_) if object.is_some() => {
            faults.fault(&format!("{key}.object"), "only .obj files have objects; leave it out");
            return None;
        }
        Shape::Mesh(file) => files::solid(file, wanted, &body.transform, faults)?,
        Shape::Sphere(own) => filled(body, &placed(body, ball(own)), key, faults)?,
        Shape::Capsule(c) => {
            filled(body, &placed(body, generate::capsule(c.a, c.b, c.radius, FINE * c.radius)), key, faults)?
        }
        Shape::Box(own) => bricks(body, own, key, faults)?,
    };
    let x = &mesh.positions;
    if matches!(body.shape, Shape::Mesh(_)) {
        files::measure(x, body.transform.scale, key, faults);
    }
    let groups = hold::groups(&body.groups, &mesh.groups, x, key, faults);
    let led = recorded::Led { scene, transform: &body.transform, wanted };
    let (pins, soft) = hold::pins(&body.pins, (x, led), &groups, None, key, faults);
    let mut handles = hold::handles(&body.handles, (x, led), &groups, key, faults);
    handles.extend(soft);
    let material = &body.material;
    if material.law == Law::Corotational && material.poisson > LOCKS {
        let message = format!(
            "tetrahedra of the co-rotational law bend too stiffly at a Poisson's ratio of {}, above {LOCKS}: they lock; those of law \
             = \"neo-hookean\" do not",
            material.poisson
        );
        faults.warn(&format!("{key}.material"), message);
    }
    Some(BodyInput {
        name: body.name.clone(),
        law: material.elastic(),
        density: material.density,
        drag: material.drag,
        thickness: body.thickness,
        friction: material.friction,
        velocity: body.velocity,
        self_contact: body.self_contact && scene.contact.self_contact,
        pins,
        handles,
        mesh: TetMesh { groups, ..mesh },
    })
}

/// Places a generated surface by the transform of its body.
fn placed(body: &Body, mut mesh: TriMesh) -> TriMesh {
    files::apply(&body.transform, &mut mesh.positions);
    mesh
}

/// Fills a box with nearly cubic lattice cells. The corners of the box are exact. Without `resolution` sides get one
/// cell more rather than one less: thin beams and plates bend too stiffly with few cells across.
fn bricks(body: &Body, block: &Block, key: &str, faults: &mut Faults) -> Option<TetMesh> {
    let size = block.size * body.transform.scale;
    let edge = body.resolution.unwrap_or_else(|| (12.0 * size.product() / TETRAHEDRA).cbrt());
    let count = |size: f64| if body.resolution.is_some() { (size / edge).round() } else { (size / edge).ceil() };
    let cells = size.map(|size| count(size).max(1.0));
    let found = match fill(&generate::cuboid(Vec3::zeros(), cells, cells.max()), 1.0) {
        Err(FillFault::TooFine { least, .. }) => {
            let least = least * edge;
            let message =
                format!("cells of {edge} m are too fine for this box: there would be millions; at least {least:.1e} m");
            faults.fault(&format!("{key}.resolution"), message);
            return None;
        }
        found => found,
    };
    let mut mesh = or_told(body, found, key, faults)?;
    let cell = block.size.component_div(&cells);
    // All vertices are corners, centres or face centres of cells. Rounding makes them exact.
    let exact = |p: &Vec3| p.map(|c| (2.0 * c).round() / 2.0);
    mesh.positions.iter_mut().for_each(|p| *p = exact(p).component_mul(&cell) - block.size / 2.0);
    block.turn(&mut mesh.positions);
    files::apply(&body.transform, &mut mesh.positions);
    Some(mesh)
}

/// Fills a closed surface with tetrahedra.
fn filled(body: &Body, surface: &TriMesh, key: &str, faults: &mut Faults) -> Option<TetMesh> {
    let size = body.resolution.unwrap_or_else(|| (12.0 * volume(surface).abs() / TETRAHEDRA).cbrt());
    or_told(body, fill(surface, size), key, faults)
}

/// Returns the mesh, or reports the error at the file or at `resolution`.
fn or_told(body: &Body, found: Result<TetMesh, FillFault>, key: &str, faults: &mut Faults) -> Option<TetMesh> {
    found
        .map_err(|fault| match &body.shape {
            Shape::Mesh(file) if fault.is_of_the_surface() => faults.in_file(file, None, None, fault.to_string()),
            _ => faults.fault(&format!("{key}.resolution"), fault.to_string()),
        })
        .ok()
}

/// Computes the signed volume inside a closed surface [m^3].
fn volume(surface: &TriMesh) -> f64 {
    let corner = |v: u32| surface.positions.get(v as usize).copied().unwrap_or_default();
    let faces = surface.triangles.iter().map(|t| t.map(corner));
    faces.map(|[a, b, c]| a.cross(&b).dot(&c) / 6.0).sum()
}
