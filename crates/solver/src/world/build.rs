//! Builds a [`World`] and its initial [`State`] from placed meshes and material laws.

mod change;
mod chart;
mod cloth;
mod gather;

use super::effects::Effects;
use super::friction::{Between, Frictions};
use super::glue::Glue;
use super::keyed::{Scales, Table};
use super::left_out::{Apart, LeftOut};
use super::shot::Shot;
use super::wind::Wind;
use super::window::Window;
use super::{ContactSettings, Course, Handle, Kind, Object, Obstacle, Pin, State, World, component};
use crate::collision::surface::Surface;
use crate::force::bending::Bending;
use crate::force::cloth_law::{ClothLaw, Damping};
use crate::force::contact::Friction;
use crate::force::drag::{Drag, DraggedBody};
use crate::force::elements::Elements;
use crate::force::internal_friction::InternalFriction;
use crate::force::membrane::yielding as stretch;
use crate::force::membrane::{Isotropic, Membrane};
use crate::force::plate::yielding::Yield;
use crate::force::solid::{Body, Tetrahedron};
use crate::force::spring_mesh::Network;
use crate::linalg::partition::{self, Partition};
use crate::linalg::{Mat2, Vec3};
use crate::mesh::polygon;
use crate::mesh::seam::Seam;
use crate::mesh::tet::TetMesh;
use crate::mesh::{Materials, TriMesh};
pub use change::{Band, FoldLine, Shrink};
use chart::material_points;
pub use cloth::spring_fault;
pub use gather::Gather;
use std::collections::BTreeSet;

/// Source of a cloth's flat rest shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The start positions.
    Mesh,
    /// The chart, in metres.
    Chart,
}

/// Weight maps: factors per file vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// Factors of the membrane stiffness; empty: 1.
    pub stretch: Vec<f64>,
    /// Factors of the bending stiffness; empty: 1.
    pub bend: Vec<f64>,
    /// Factors of the thickness; empty: 1.
    pub thickness: Vec<f64>,
    /// Factors of the mass; empty: 1.
    pub mass: Vec<f64>,
    /// Factors of the friction; empty: 1.
    pub friction: Vec<f64>,
    /// Factors of the damping in the plane; empty: 1.
    pub damping: Vec<f64>,
    /// Factors of the damping of bending; empty: 1.
    pub bending_damping: Vec<f64>,
    /// Factors of the strain limit; empty: 1.
    pub limit: Vec<f64>,
    /// Factors of the air drag; empty: 1.
    pub drag: Vec<f64>,
}

impl Weights {
    /// Returns all maps.
    fn all(&mut self) -> [&mut Vec<f64>; 9] {
        let Weights { stretch, bend, thickness, mass, friction, damping, bending_damping, limit, drag } = self;
        [stretch, bend, thickness, mass, friction, damping, bending_damping, limit, drag]
    }
}

/// A cloth as the scene describes it; vertices are file vertices.
#[derive(Clone, Debug)]
pub struct ClothInput {
    /// Name.
    pub name: String,
    /// Mesh at the start.
    pub mesh: TriMesh,
    /// Borders of the mesh that are to be sewn together.
    pub seams: Vec<Seam>,
    /// Material laws of the finite elements.
    pub law: ClothLaw,
    /// Mass-spring network that replaces the finite elements.
    pub springs: Option<Network>,
    /// Mass per area [kg/m^2].
    pub density: f64,
    /// Mass of every vertex [kg]. Replaces the mass computed from area and density.
    pub vertex_mass: Option<f64>,
    /// Thickness [m].
    pub thickness: f64,
    /// Friction.
    pub friction: Friction,
    /// Air drag.
    pub drag: Drag,
    /// Warp direction of a mesh without chart.
    pub warp: Vec3,
    /// Source of the rest shape.
    pub rest: Rest,
    /// Rest angles are flat instead of those of the mesh.
    pub flat: bool,
    /// Yielding of bending; none if absent.
    pub yields: Option<Yield>,
    /// Yielding of stretch; none if absent.
    pub gives: Option<stretch::Yield>,
    /// Upper bound of an edge's strain.
    pub limit: Option<f64>,
    /// Start velocity [m/s].
    pub velocity: Vec3,
    /// Self-contact is enabled.
    pub self_contact: bool,
    /// Weight maps.
    pub weights: Weights,
    /// Changes of the lengths at rest.
    pub shrinks: Vec<Shrink>,
    /// Strips beside seams whose other side is shorter.
    pub gathers: Vec<Gather>,
    /// Elastic bands.
    pub bands: Vec<Band>,
    /// Fold lines.
    pub folds: Vec<FoldLine>,
    /// Hard pins.
    pub pins: Vec<Pin>,
    /// Soft handles.
    pub handles: Vec<Handle>,
}

/// A soft body as the scene describes it; vertices are file vertices.
#[derive(Clone, Debug)]
pub struct BodyInput {
    /// Name.
    pub name: String,
    /// Mesh at the start, which is also the rest shape. Every volume must be positive.
    pub mesh: TetMesh,
    /// Elasticity and damping.
    pub law: Body,
    /// Mass per volume [kg/m^3].
    pub density: f64,
    /// Decay rate of the velocity [1/s].
    pub drag: f64,
    /// Contact thickness of the surface [m].
    pub thickness: f64,
    /// Friction.
    pub friction: Friction,
    /// Start velocity [m/s].
    pub velocity: Vec3,
    /// Self-contact is enabled.
    pub self_contact: bool,
    /// Hard pins.
    pub pins: Vec<Pin>,
    /// Soft handles.
    pub handles: Vec<Handle>,
}

/// An obstacle as the scene describes it.
#[derive(Clone, Debug)]
pub struct ObstacleInput {
    /// Name.
    pub name: String,
    /// Mesh at the start.
    pub mesh: TriMesh,
    /// Motion.
    pub course: Course,
    /// Friction.
    pub friction: Friction,
    /// Thickness [m].
    pub thickness: f64,
    /// Time window in which the obstacle exists.
    pub window: Window,
}

/// All inputs of a world.
#[derive(Clone, Debug)]
pub struct Input {
    /// Acceleration of gravity [m/s^2].
    pub gravity: Vec3,
    /// Wind.
    pub wind: Wind,
    /// Contact.
    pub contact: ContactSettings,
    /// Cloths.
    pub cloths: Vec<ClothInput>,
    /// Soft bodies.
    pub bodies: Vec<BodyInput>,
    /// Obstacles.
    pub obstacles: Vec<ObstacleInput>,
    /// Friction of pairs that overrides the friction of the two objects.
    pub frictions: Vec<Between>,
    /// Cloths glued to bodies.
    pub glues: Vec<Glue>,
    /// Parts of objects that contact leaves out.
    pub apart: Vec<Apart>,
    /// Time of the run at which rest shapes are taken [s].
    pub shaped: f64,
}

impl Input {
    /// Returns an empty scene in still air, with default contact settings (activation distance 1 mm).
    pub fn empty(gravity: Vec3) -> Input {
        Input {
            gravity,
            wind: Wind::none(),
            contact: ContactSettings::default(),
            cloths: Vec::new(),
            bodies: Vec::new(),
            obstacles: Vec::new(),
            frictions: Vec::new(),
            glues: Vec::new(),
            apart: Vec::new(),
            shaped: 0.0,
        }
    }
}

impl ClothInput {
    /// Returns a flat sheet of Young's modulus `young` [N/m] and `density` [kg/m^2], without bending, friction, drag or
    /// pins.
    pub fn plain(mesh: TriMesh, young: f64, density: f64) -> ClothInput {
        ClothInput {
            name: "sheet".to_string(),
            mesh,
            seams: Vec::new(),
            law: ClothLaw {
                membrane: Membrane::Isotropic(Isotropic { young, poisson: 0.0 }),
                bending: Bending::Constant(0.0),
                damping: Damping::default(),
                inner: InternalFriction::default(),
            },
            springs: None,
            density,
            vertex_mass: None,
            thickness: 0.0,
            friction: Friction { fixed: 0.0, sliding: 0.0 },
            drag: Drag::default(),
            warp: Vec3::x(),
            rest: Rest::Chart,
            flat: true,
            yields: None,
            gives: None,
            limit: None,
            velocity: Vec3::zeros(),
            self_contact: false,
            weights: Weights::default(),
            shrinks: Vec::new(),
            gathers: Vec::new(),
            bands: Vec::new(),
            folds: Vec::new(),
            pins: Vec::new(),
            handles: Vec::new(),
        }
    }
}

/// Builds the world and its state at time 0.
pub fn build(input: Input) -> (World, State) {
    let mut world = World {
        origin: Vec3::zeros(),
        shot: Shot::default(),
        gravity: input.gravity,
        wind: input.wind.clone(),
        moving: 0,
        starts: vec![0],
        mass: Vec::new(),
        component: Vec::new(),
        component_mass: Vec::new(),
        half_thickness: Vec::new(),
        rest: Vec::new(),
        joined: Vec::new(),
        shaped: input.shaped,
        elements: Elements::default(),
        objects: Vec::new(),
        cloths: Vec::new(),
        obstacles: Vec::new(),
        pins: Vec::new(),
        handles: Vec::new(),
        surface: Surface::default(),
        contact: input.contact,
        frictions: Frictions::default(),
        left_out: LeftOut::default(),
        painted: Scales::default(),
        keyed: Table::default(),
        folds: Vec::new(),
        effects: Effects::default(),
        probes: Vec::new(),
    };
    let mut state = State::default();
    let mut meshes = Vec::new();
    let grain = if input.frictions.iter().any(Between::has_grain) { grain(&input) } else { Vec::new() };
    for cloth in input.cloths {
        meshes.push(cloth::add(&mut world, &mut state, cloth));
    }
    for body in input.bodies {
        meshes.push(add_body(&mut world, &mut state, body));
    }
    input.glues.iter().for_each(|glue| glue.add(&mut world));
    world.moving = world.rest.len();
    for list in [&mut world.painted.friction, &mut world.painted.drag].into_iter().filter(|list| !list.is_empty()) {
        list.resize(world.moving, 1.0);
    }
    (world.component, world.component_mass) = component::components(&world.elements, &world.mass);
    for obstacle in input.obstacles {
        meshes.push(add_obstacle(&mut world, obstacle));
    }
    world.surface = Surface::new(&meshes);
    world.frictions = Frictions::new(&input.frictions, &world.objects, &world.surface, &grain);
    world.left_out = LeftOut::new(&input.apart, &world.objects, &world.surface, world.moving);
    state.x = world.rest.clone();
    world.place_obstacles(0.0, &mut state.x);
    state.v.resize(state.x.len(), Vec3::zeros());
    state.x_before = state.x[..world.moving].to_vec();
    state.v_before = state.v[..world.moving].to_vec();
    state.guess = vec![Vec3::zeros(); world.moving];
    state.memory = world.elements.memory(&state.x);
    state.anchors = vec![None; world.pins.len() + world.handles.len()];
    (world, state)
}

/// Material edges ([`Frictions::grain`]) of each cloth and obstacle, with the object's name.
fn grain(input: &Input) -> Vec<(String, Vec<Mat2>)> {
    let of = |mesh: &TriMesh, warp: Vec3, rest: Rest| -> Vec<Mat2> {
        (0..mesh.triangles.len()).map(|t| Frictions::material(&material_points(mesh, warp, rest, t))).collect()
    };
    let cloths = input.cloths.iter().map(|c| (c.name.clone(), of(&c.mesh, c.warp, c.rest)));
    cloths.chain(input.obstacles.iter().map(|o| (o.name.clone(), of(&o.mesh, Vec3::x(), Rest::Mesh)))).collect()
}

/// Geometry of one object: vertex range and triangles in world vertices.
type Part = (std::ops::Range<usize>, Vec<[u32; 3]>);

fn add_obstacle(world: &mut World, input: ObstacleInput) -> Part {
    let first = world.rest.len();
    let vertices = first..first + input.mesh.positions.len();
    let place: Vec<u32> = vertices.clone().map(|v| v as u32).collect();
    let triangles: Vec<[u32; 3]> = input.mesh.triangles.iter().map(|t| t.map(|v| place[v as usize])).collect();
    world.rest.extend(&input.mesh.positions);
    world.half_thickness.resize(vertices.end, input.thickness / 2.0);
    world.obstacles.push(Obstacle {
        object: world.objects.len(),
        rest: input.mesh.positions.clone(),
        course: input.course,
        window: input.window,
    });
    world.objects.push(Object {
        name: input.name,
        kind: Kind::Obstacle,
        vertices: vertices.clone(),
        place,
        edge: mean_edge(&input.mesh.positions, &input.mesh.triangles),
        polygons: polygon::counts(&input.mesh.source.faces),
        materials: input.mesh.materials,
        origins: input.mesh.origins,
        groups: input.mesh.groups,
        triangles: input.mesh.triangles,
        uv: input.mesh.uv,
        uv_triangles: input.mesh.uv_triangles,
        friction: input.friction,
        distance: world.contact.distance,
        self_contact: false,
    });
    (vertices, triangles)
}

/// Returns the mean edge length of triangles [m].
pub fn mean_edge(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let corner = |v: u32| positions[v as usize];
    let sides = triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    let total: f64 = sides.map(|[a, b]| (corner(a) - corner(b)).norm()).sum();
    total / (3 * triangles.len()).max(1) as f64
}

/// Appends vertices in the order of the solver's subdomains. Returns their range and the world vertex of each file
/// vertex.
fn place(world: &mut World, positions: &[Vec3], aim: usize) -> (std::ops::Range<usize>, Vec<u32>) {
    let first = world.rest.len();
    let partition = Partition::new(positions, aim);
    let mut place = vec![0u32; positions.len()];
    for (new, old) in partition.order.iter().enumerate() {
        place[*old as usize] = (first + new) as u32;
    }
    world.starts.extend(partition.starts[1..].iter().map(|s| first + s));
    world.rest.extend(partition.order.iter().map(|old| positions[*old as usize]));
    world.mass.resize(world.rest.len(), 0.0);
    (first..world.rest.len(), place)
}

/// Appends pins and handles given by file vertices.
fn hold(world: &mut World, pins: &[Pin], handles: &[Handle], place: &[u32]) {
    let placed = |pin: &Pin, weights: &[f64]| {
        // File vertices joined by a seam share one world vertex.
        let mut known = BTreeSet::new();
        let all = pin.vertices.iter().map(|v| place[*v as usize]).enumerate().filter(|(_, v)| known.insert(*v));
        let (places, vertices): (Vec<usize>, Vec<u32>) = all.unzip();
        let weights: Vec<f64> = places.iter().filter_map(|k| weights.get(*k).copied()).collect();
        (Pin { vertices, ..pin.clone() }, weights)
    };
    world.pins.extend(pins.iter().map(|pin| placed(pin, &[]).0));
    world.handles.extend(handles.iter().map(|handle| {
        let (pin, weights) = placed(&handle.pin, &handle.weights);
        Handle { pin, pull: handle.pull, weights }
    }));
}

fn add_body(world: &mut World, state: &mut State, input: BodyInput) -> Part {
    let (vertices, place) = place(world, &input.mesh.positions, partition::SOLID);
    state.v.resize(vertices.end, input.velocity);
    world.half_thickness.resize(vertices.end, input.thickness / 2.0);
    let body = world.elements.bodies.len() as u32;
    for tet in &input.mesh.tets {
        let corners = tet.map(|v| input.mesh.positions[v as usize]);
        let Some(element) = Tetrahedron::new(tet.map(|v| place[v as usize]), &corners, body) else { continue };
        for v in element.vertices {
            world.mass[v as usize] += input.density * element.volume / 4.0;
        }
        world.elements.tetrahedra.push(element);
    }
    world.elements.bodies.push(input.law);
    if input.drag > 0.0 {
        world.elements.dragged_bodies.push(DraggedBody { vertices: vertices.clone(), rate: input.drag });
    }
    hold(world, &input.pins, &input.handles, &place);
    let boundary = input.mesh.boundary();
    let triangles = boundary.iter().map(|t| t.map(|v| place[v as usize])).collect();
    world.objects.push(Object {
        name: input.name,
        kind: Kind::Body,
        vertices: vertices.clone(),
        place,
        edge: mean_edge(&input.mesh.positions, &boundary),
        triangles: boundary,
        polygons: Vec::new(),
        materials: Materials::default(),
        origins: Materials::default(),
        groups: input.mesh.groups,
        uv: Vec::new(),
        uv_triangles: Vec::new(),
        friction: input.friction,
        distance: world.contact.distance,
        self_contact: input.self_contact,
    });
    (vertices, triangles)
}
