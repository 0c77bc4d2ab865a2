//! Objects as stored in files: the data constant over all frames, and the data of one frame.

use super::stats::Region;
use crate::collision::intersect::Test;
use crate::contact::ignore::{self, excuses};
use crate::linalg::{Vec2, Vec3};
use crate::mesh::{MeshError, TriMesh, obj, ply};
use crate::world::crossing::Crossing;
use crate::world::{Kind, Object, State, World};

/// Data of an object that is constant over all frames. Chart coordinates are rounded to `f32`.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Name.
    pub name: String,
    /// Kind of object.
    pub kind: Kind,
    /// Number of vertices.
    pub vertices: usize,
    /// Vertex indices per triangle, as in the input file.
    pub triangles: Vec<[u32; 3]>,
    /// Chart; empty without one.
    pub uv: Vec<Vec2>,
    /// Indices into `uv` per triangle; empty without a chart.
    pub uv_triangles: Vec<[u32; 3]>,
}

/// An object at one frame. Numbers are rounded to `f32`, as in files, so that pictures show the recorded values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Position of each file vertex [m].
    pub positions: Vec<Vec3>,
    /// Velocity of each file vertex, per second of the shot [m/s]; `None` if the format has none.
    pub velocities: Option<Vec<Vec3>>,
    /// Further values per file vertex, by name.
    pub fields: Vec<(String, Vec<f64>)>,
}

fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

impl Shape {
    /// Returns the shape of an object of a world.
    pub fn of(object: &Object) -> Shape {
        Shape {
            name: object.name.clone(),
            kind: object.kind,
            vertices: object.place.len(),
            triangles: object.triangles.clone(),
            uv: object.uv.iter().map(|c| c.map(single)).collect(),
            uv_triangles: object.uv_triangles.clone(),
        }
    }

    /// Returns the shape of a recorded mesh.
    pub fn of_mesh(name: &str, kind: Kind, mesh: TriMesh) -> Shape {
        let TriMesh { positions, triangles, uv, uv_triangles, .. } = mesh;
        let uv = uv.iter().map(|c| c.map(single)).collect();
        Shape { name: name.to_string(), kind, vertices: positions.len(), triangles, uv, uv_triangles }
    }

    fn mesh(&self, positions: Vec<Vec3>) -> TriMesh {
        TriMesh {
            positions,
            triangles: self.triangles.clone(),
            uv: self.uv.clone(),
            uv_triangles: self.uv_triangles.clone(),
            ..TriMesh::default()
        }
    }

    /// Returns whether a vertex has more than one texture coordinate, which PLY cannot store.
    pub fn has_seams(&self) -> bool {
        let one = ply::vertex_uv(&self.mesh(vec![Vec3::zeros(); self.vertices]));
        let Some(one) = one else { return false };
        self.triangles.iter().flatten().zip(self.uv_triangles.iter().flatten()).any(|(v, c)| {
            matches!((one.get(*v as usize), self.uv.get(*c as usize)), (Some(one), Some(other)) if one != other)
        })
    }

    /// Returns a frame as PLY.
    ///
    /// # Errors
    /// The number of values differs from that of vertices.
    pub fn ply(&self, at: &Snapshot) -> Result<Vec<u8>, MeshError> {
        let uv = ply::vertex_uv(&self.mesh(vec![Vec3::zeros(); self.vertices]));
        let fields: Vec<(&str, &[f64])> = at.fields.iter().map(|(n, v)| (n.as_str(), v.as_slice())).collect();
        ply::write(&ply::PlyRecord {
            positions: &at.positions,
            triangles: &self.triangles,
            velocities: at.velocities.as_deref(),
            uv: uv.as_deref(),
            fields: &fields,
        })
    }

    /// Returns a frame as OBJ.
    pub fn obj(&self, at: &Snapshot) -> Vec<u8> {
        obj::write(&self.mesh(at.positions.clone()))
    }
}

/// Crossing triangles of a frame, by the exact test of all objects as stored in files.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Vertices of the world as stored in files [m].
    pub x: Vec<Vec3>,
    /// Crossings that are not allowed. A frame with any is not written.
    pub crossings: Vec<Crossing>,
    /// Number of crossing triangle pairs that are ignored since the start.
    pub ignored: usize,
    /// Number of crossing triangle pairs in each entry of parts that contact leaves out.
    pub named: Vec<usize>,
    /// Number of crossing triangle pairs that the vertex test admits.
    pub crossing: usize,
}

impl Verdict {
    /// Tests the objects of a world, in their order. `test` is that of the world.
    pub fn of(world: &World, state: &State, snapshots: &[Snapshot], test: &mut Test) -> Verdict {
        let mut x = vec![Vec3::zeros(); world.rest.len()];
        for (object, at) in world.objects.iter().zip(snapshots) {
            for (v, p) in object.place.iter().zip(&at.positions) {
                x[*v as usize] = *p;
            }
        }
        let (mut crossings, named) = ignore::crossings(world, state, test, (&x, state.now()));
        let mut ignored = 0;
        for crossing in &mut crossings {
            let count = crossing.pairs.len();
            crossing.pairs.retain(|pair| !excuses(world, state, *pair));
            ignored += count - crossing.pairs.len();
        }
        crossings.retain(|crossing| !crossing.pairs.is_empty());
        let mut crossing = 0;
        if world.contact.vertex_test.is_some() {
            crossing = crossings.drain(..).map(|crossing| crossing.pairs.len()).sum();
        }
        Verdict { x, crossings, ignored, named, crossing }
    }

    /// Returns the crossings in the parts that the scene names.
    pub fn regions(&self, world: &World) -> Vec<Region> {
        let region = |(name, crossing): (&String, &usize)| Region { between: name.clone(), crossing: *crossing };
        world.left_out.names.iter().zip(&self.named).map(region).collect()
    }

    /// Describes the crossings; `None` if there are none.
    pub fn describe(&self, world: &World) -> Option<String> {
        let all: Vec<String> = self.crossings.iter().map(|c| c.describe(|k| world.name(k))).collect();
        if all.is_empty() { None } else { Some(format!("as it would be written, {}", all.join("; "))) }
    }
}

impl Snapshot {
    /// Returns an object of a state, with velocities and further fields (values in file order).
    pub fn of(world: &World, state: &State, object: &Object, fields: Vec<(String, Vec<f64>)>) -> Snapshot {
        let rounded = |values: &[Vec3]| -> Vec<Vec3> {
            world.in_file_order(object, values).into_iter().map(|p| p.map(single)).collect()
        };
        let fields = fields.into_iter().map(|(n, values)| (n, values.into_iter().map(single).collect())).collect();
        let mut v = state.v.clone();
        if let Some(own) = world.departure(state, object) {
            v[object.vertices.clone()].copy_from_slice(&own);
        }
        v.iter_mut().for_each(|v| *v *= world.shot.scale);
        Snapshot { positions: rounded(&state.x), velocities: Some(rounded(&v)), fields }
    }

    /// Returns the values of a field.
    pub fn field(&self, name: &str) -> Option<&[f64]> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }
}
