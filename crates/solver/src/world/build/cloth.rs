//! Builds a cloth of the world: vertices, masses, elements or springs, strain limits.

use super::chart::{edge_lengths, join, material_points};
use super::{ClothInput, FoldLine, Part, hold, mean_edge, place};
use crate::force::bending::Hinge;
use crate::force::drag::{AeroSurface, Drag};
use crate::force::elements::Elements;
use crate::force::membrane::yielding::Yielding;
use crate::force::membrane::{NONE, Triangle};
use crate::force::plate_mesh::{self, Bent};
use crate::force::spring::{Role, Spring};
use crate::force::spring_mesh::{self, Fault, Flexion, Knit};
use crate::linalg::{Vec2, Vec3, partition};
use crate::mesh::polygon;
use crate::mesh::topology::Topology;
use crate::world::fold::Fold;
use crate::world::{Cloth, Kind, Limit, Object, State, World};
use std::collections::BTreeMap;

/// Cloth under construction.
struct Making<'a> {
    input: &'a ClothInput,
    topology: Topology,
    /// Warp and weft coordinates of each triangle's corners [m].
    material: Vec<[Vec2; 3]>,
    /// World vertex of each mesh vertex.
    place: Vec<u32>,
    /// Areas of the triangles as they were cut [m^2].
    cut: Vec<f64>,
    /// Index of the cloth.
    cloth: u32,
}

/// Finds the defect that makes a spring network invalid. Returns it with the positions of the affected vertices [m].
pub fn spring_fault(input: &ClothInput) -> Option<(Fault, Vec<Vec3>)> {
    input.springs.as_ref()?;
    let mut input = input.clone();
    join(&mut input);
    let making = Making::new(&input, None, Vec::new(), (0, 0.0));
    let fault = spring_mesh::fault(&making.knit()?)?;
    let at = match fault {
        Fault::NoLength(vertices) | Fault::Pushing(vertices) => {
            vertices.iter().map(|v| input.mesh.positions[*v as usize]).collect()
        }
        Fault::NoFlexion => Vec::new(),
    };
    Some((fault, at))
}

/// Adds a cloth to the world and the state. Returns its vertex range and triangles in the world.
pub(super) fn add(world: &mut World, state: &mut State, mut input: ClothInput) -> Part {
    let file = input.mesh.triangles.clone();
    // Parts that are sewn together rest in the shapes that they had apart.
    let apart = (!input.seams.is_empty()).then(|| materials(&input));
    let local = join(&mut input);
    let mesh = &input.mesh;
    let (vertices, place) = place(world, &mesh.positions, partition::SURFACE);
    state.v.resize(vertices.end, input.velocity);
    world.half_thickness.resize(vertices.end, 0.0);
    for (v, new) in (0..).zip(&place) {
        world.half_thickness[*new as usize] = input.thickness / 2.0 * factor(&input.weights.thickness, v);
    }
    paint(&mut world.painted.friction, &input.weights.friction, &place);
    paint(&mut world.painted.drag, &input.weights.drag, &place);
    if let Some(local) = local.as_ref().filter(|_| !input.seams.is_empty()) {
        mark(world, local, &place);
    }
    let making = Making::new(&input, apart, place, (world.cloths.len() as u32, world.shaped));
    let faces = making.masses(world);
    making.bands(world);
    let limits = if input.springs.is_some() { making.springs(world) } else { making.elements(world) };
    if input.drag != Drag::default() {
        world.elements.aero_surfaces.push(AeroSurface { vertices: vertices.clone(), faces, drag: input.drag });
    }
    world.cloths.push(Cloth { object: world.objects.len(), limits });
    let place = &making.place;
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| place[v as usize])).collect();
    let edge = mean_edge(&mesh.positions, &mesh.triangles);
    let place = local.map_or_else(|| place.clone(), |local| local.iter().map(|v| place[*v as usize]).collect());
    hold(world, &input.pins, &input.handles, &place);
    world.elements.cloth_laws.push(input.law);
    world.objects.push(Object {
        name: input.name,
        kind: Kind::Cloth,
        vertices: vertices.clone(),
        place,
        edge,
        polygons: polygon::counts(&input.mesh.source.faces),
        materials: input.mesh.materials,
        origins: input.mesh.origins,
        groups: input.mesh.groups,
        triangles: file,
        uv: input.mesh.uv,
        uv_triangles: input.mesh.uv_triangles,
        friction: input.friction,
        distance: world.contact.distance,
        self_contact: input.self_contact,
    });
    (vertices, triangles)
}

/// Marks the vertices of joined seams. `local` is the mesh vertex of each file vertex, `place` the world vertex of each
/// mesh vertex.
fn mark(world: &mut World, local: &[u32], place: &[u32]) {
    let mut count = vec![0u8; place.len()];
    local.iter().for_each(|v| count[*v as usize] = count[*v as usize].saturating_add(1));
    world.joined.resize(world.rest.len(), false);
    count.iter().zip(place).for_each(|(count, v)| world.joined[*v as usize] = *count > 1);
}

/// Puts the factors of a cloth's map into those of the world; 1 for the vertices before them. `place` is the world
/// vertex of each mesh vertex.
fn paint(all: &mut Vec<f64>, map: &[f64], place: &[u32]) {
    if !map.is_empty() {
        let end = place.iter().max().map_or(0, |v| *v as usize + 1);
        all.resize(end.max(all.len()), 1.0);
        place.iter().zip(map).for_each(|(v, factor)| all[*v as usize] = *factor);
    }
}

/// Returns the mean weight of these vertices.
fn mean(map: &[f64], vertices: &[u32]) -> f64 {
    vertices.iter().map(|v| factor(map, *v)).sum::<f64>() / vertices.len() as f64
}

/// Returns the weight of a vertex; 1 if the map is empty.
fn factor(map: &[f64], v: u32) -> f64 {
    map.get(v as usize).copied().unwrap_or(1.0)
}

fn area(points: &[Vec2; 3]) -> f64 {
    (points[1] - points[0]).perp(&(points[2] - points[0])).abs() / 2.0
}

/// Returns warp and weft coordinates of each triangle's corners [m].
fn materials(input: &ClothInput) -> Vec<[Vec2; 3]> {
    let of = |t| material_points(&input.mesh, input.warp, input.rest, t);
    (0..input.mesh.triangles.len()).map(of).collect()
}

impl Making<'_> {
    fn new(
        input: &ClothInput,
        material: Option<Vec<[Vec2; 3]>>,
        place: Vec<u32>,
        (cloth, time): (u32, f64),
    ) -> Making<'_> {
        let mesh = &input.mesh;
        let mut material = material.unwrap_or_else(|| materials(input));
        let cut = material.iter().map(area).collect();
        input.shape(&mut material, time);
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        Making { topology, material, cut, place, cloth, input }
    }

    /// Adds the springs of elastic bands.
    fn bands(&self, world: &mut World) {
        let Making { input, topology, material, place, cloth, .. } = self;
        if input.bands.is_empty() {
            return;
        }
        let edges: Vec<([u32; 2], f64)> = edge_lengths(topology, &input.mesh, material).collect();
        let placed = |spring: Spring| Spring { vertices: spring.vertices.map(|v| place[v as usize]), ..spring };
        world.elements.springs.extend(input.wound(&edges, world.shaped, *cloth).into_iter().map(placed));
    }

    /// Returns the spring network of the cloth; `None` for finite elements.
    fn knit(&self) -> Option<Knit<'_>> {
        let Making { input, topology, material, cloth, .. } = self;
        let weights = &input.weights;
        Some(Knit {
            mesh: &input.mesh,
            topology,
            material,
            network: input.springs.as_ref()?,
            weights: [&weights.stretch, &weights.bend],
            flat: input.flat,
            cloth: *cloth,
        })
    }

    /// Returns elements for the triangles with non-zero rest area.
    fn triangles(&self) -> impl Iterator<Item = (usize, Triangle)> {
        let ClothInput { mesh, weights, .. } = self.input;
        mesh.triangles.iter().zip(&self.material).enumerate().filter_map(|(t, (triangle, points))| {
            let stiffness = mean(&weights.stretch, triangle);
            let element = Triangle::new(triangle.map(|v| self.place[v as usize]), *points, stiffness, self.cloth);
            element.map(|element| (t, Triangle { damping: mean(&weights.damping, triangle), ..element }))
        })
    }

    /// Sets the vertex masses. Returns the triangles with non-zero rest area.
    fn masses(&self, world: &mut World) -> Vec<[u32; 3]> {
        let ClothInput { mesh, weights, density, vertex_mass, .. } = self.input;
        let mut faces = Vec::new();
        for (t, element) in self.triangles() {
            faces.push(element.vertices);
            for v in mesh.triangles[t] {
                let share = density * self.cut[t] / 3.0;
                let mass = &mut world.mass[self.place[v as usize] as usize];
                match vertex_mass {
                    None => *mass += share * factor(&weights.mass, v),
                    Some(given) => *mass = *given,
                }
            }
        }
        faces
    }

    /// Adds finite elements. Returns the edge limits, if the cloth has a strain limit.
    fn elements(&self, world: &mut World) -> Vec<Limit> {
        let Making { input, topology, material, place, .. } = self;
        let first = world.elements.triangles.len();
        world.elements.triangles.extend(self.triangles().map(|(_, element)| element));
        if let Some(law) = input.gives {
            let Elements { triangles, stretchings, yields, .. } = &mut world.elements;
            yields.resize(first, NONE);
            for triangle in &triangles[first..] {
                yields.push(stretchings.len() as u32);
                stretchings.push(Yielding { triangle: *triangle, law });
            }
        }
        self.bend(world);
        let Some(limit) = input.limit else { return Vec::new() };
        edge_lengths(topology, &input.mesh, material)
            .map(|(edge, length)| {
                let limit = limit * mean(&input.weights.limit, &edge);
                Limit::most(edge.map(|v| place[v as usize]), length * (1.0 + limit))
            })
            .collect()
    }

    /// Adds the bending elements of the sheet, and its fold lines.
    fn bend(&self, world: &mut World) {
        let Making { input, topology, material, place, cloth, .. } = self;
        let sorted = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
        let lines = input.folds.iter().flat_map(|fold| fold.edges.iter().map(|edge| (sorted(*edge), fold.stiffness)));
        let bent = Bent {
            mesh: &input.mesh,
            topology,
            material,
            place,
            bending: input.law.bending,
            rubs: input.law.inner.bends(),
            yields: input.yields,
            folded: &lines.collect(),
            weights: &input.weights.bend,
            damping: &input.weights.bending_damping,
            flat: input.flat,
            cloth: *cloth,
        };
        let first = world.elements.hinges.len();
        plate_mesh::add(&bent, &mut world.elements);
        let ends = |hinge: &Hinge| sorted([hinge.vertices[0], hinge.vertices[1]]);
        let hinges: BTreeMap<[u32; 2], u32> =
            world.elements.hinges.iter().zip(0..).skip(first).map(|(hinge, k)| (ends(hinge), k)).collect();
        for FoldLine { edges, angle, ramp, .. } in &input.folds {
            let placed = edges.iter().map(|edge| sorted(edge.map(|v| place[v as usize])));
            let hinges = placed.filter_map(|edge| hinges.get(&edge).copied()).collect();
            world.folds.push(Fold { object: world.objects.len(), hinges, angle: *angle, ramp: *ramp });
        }
    }

    /// Adds springs. Returns the limits of those that have bounds.
    fn springs(&self, world: &mut World) -> Vec<Limit> {
        let Some(knit) = self.knit() else { return Vec::new() };
        let place = &self.place;
        let placed = |spring: Spring| Spring { vertices: spring.vertices.map(|v| place[v as usize]), ..spring };
        let springs: Vec<Spring> = spring_mesh::springs(&knit).into_iter().map(placed).collect();
        let [squeeze, stretch] = knit.network.bounds;
        let bounded =
            springs.iter().filter(|spring| spring.role != Role::Flexion && (squeeze < 1.0 || stretch.is_finite()));
        let limits = bounded.map(|spring| Limit {
            ends: spring.vertices,
            least: spring.rest * (1.0 - squeeze),
            most: spring.rest * (1.0 + stretch),
        });
        let limits = limits.collect();
        world.elements.springs.extend(springs);
        if knit.network.flexion == Flexion::Sheet {
            self.bend(world);
        }
        limits
    }
}
