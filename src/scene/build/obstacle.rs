//! `[[obstacle]]`: conversion to the input of a world, from files, shapes by formula and sequences.

use super::faults::Faults;
use super::files::{self, Wanted};
use super::hold;
use super::recorded;
use crate::mesh::check::{self, FaultKind, Severity};
use crate::mesh::{TriMesh, archive, generate};
use crate::scene::Scene;
use crate::scene::obstacle::{Obstacle, Shape};
use crate::scene::unit::rounded;
use crate::world::Course;
use crate::world::build::{ObstacleInput, mean_edge};

/// Longest triangle edge of a sphere, relative to its radius. This gives about 7,000 triangles, whose sagitta is at
/// most 0.1 % of the radius.
const SPHERE_EDGE: f64 = 0.078;
/// Ratio of actual to requested edge length above which a warning is given.
const COARSER: f64 = 1.5;
/// Longest triangle edge of a capsule, relative to its radius.
const CAPSULE_EDGE: f64 = 0.2;
/// Longest triangle edge of a box, relative to its longest side.
const BOX_EDGE: f64 = 0.25;
/// Longest triangle edge of a plane, relative to its size. A plane consists of two triangles.
const PLANE_EDGE: f64 = 1.5;

/// Creates the mesh and motion of an obstacle and places them in the world. `key` is the path of the obstacle in the
/// scene.
pub(super) fn input(scene: &Scene, obstacle: &Obstacle, key: &str, faults: &mut Faults) -> Option<ObstacleInput> {
    let rigid = Course::Rigid(obstacle.motion.clone());
    let object = format!("{key}.object");
    let object = obstacle.object.as_deref().map(|name| (name, object.as_str()));
    let [objects, axis] = ["objects", "axis"].map(|name| format!("{key}.{name}"));
    let mut wanted = Wanted::of(scene, object);
    wanted.objects = (&obstacle.objects, &objects);
    wanted.axis = obstacle.axis.map(|up| (files::upward(up), axis.as_str()));
    let mut window = obstacle.window();
    let edge = |usual: f64| obstacle.resolution.unwrap_or(usual);
    let (mut mesh, course) = match &obstacle.shape {
        Shape::Mesh(file) => {
            if archive::reads(file) && files::archived(file, wanted, faults)?.changes() {
                let message =
                    "it moves or appears in the file, and stands still here; cache = { mesh = ... } takes that";
                faults.warn(&format!("{key}.mesh"), message);
            }
            let mesh = files::loose(file, wanted, &obstacle.transform, faults)?;
            let levels = vec![obstacle.subdivide; mesh.triangles.len()];
            (files::subdivided(mesh, &levels, &format!("{key}.subdivide"), faults)?, rigid)
        }
        Shape::Sequence(sequence) => recorded::sequence(scene, obstacle, sequence, (key, wanted), faults)?,
        Shape::Cache(cache) => {
            let (mesh, course, shown) = recorded::cache(scene, obstacle, cache, (key, wanted), faults)?;
            window = window.within(shown);
            (mesh, course)
        }
        Shape::Sphere(ball) => (generate::sphere(ball.center, ball.radius, edge(SPHERE_EDGE * ball.radius)), rigid),
        Shape::Box(block) => {
            let half = block.size / 2.0;
            let mut mesh = generate::cuboid(-half, half, edge(BOX_EDGE * block.size.max()));
            block.turn(&mut mesh.positions);
            (mesh, rigid)
        }
        Shape::Plane(plane) => {
            let normal = plane.normal.map_or(scene.upwards(), |n| n.into_inner());
            (generate::plane(plane.point, normal, plane.size / 2.0, edge(PLANE_EDGE * plane.size)), rigid)
        }
        Shape::Capsule(capsule) => {
            let edge = edge(CAPSULE_EDGE * capsule.radius);
            (generate::capsule(capsule.a, capsule.b, capsule.radius, edge), rigid)
        }
    };
    if !obstacle.shape.of_files() {
        finish(obstacle, &mut mesh, key, faults)?;
    }
    mesh.groups = hold::groups(&obstacle.groups, &mesh.groups, &mesh.positions, key, faults);
    let Obstacle { name, friction, thickness, .. } = obstacle;
    let (friction, thickness) = (*friction, *thickness);
    Some(ObstacleInput { name: name.clone(), mesh, course, friction, thickness, window })
}

/// Places a shape that is no file's, and checks it.
fn finish(obstacle: &Obstacle, mesh: &mut TriMesh, key: &str, faults: &mut Faults) -> Option<()> {
    if let Some((asked, mean)) = obstacle
        .resolution
        .map(|asked| (asked, mean_edge(&mesh.positions, &mesh.triangles)))
        .filter(|(a, m)| *m > COARSER * a)
    {
        let message = format!("{} m: its edges are {} m, no shape has finer ones", rounded(asked), rounded(mean));
        faults.warn(&format!("{key}.resolution"), message);
    }
    files::apply(&obstacle.transform, &mut mesh.positions);
    let wrong = |kind| kind != FaultKind::AbsurdScale;
    if let Some(fault) = check::check(mesh).into_iter().find(|f| f.severity == Severity::Error && wrong(f.kind)) {
        faults.fault(key, format!("no sound mesh comes of this shape: {}", fault.message));
        return None;
    }
    Some(())
}
