//! `[[cloth]]`: simulated cloths, with their pins, handles and maps.

use super::border::{Border, Sides};
use super::fold::{Fold, Yields};
use super::keys::{Keys, Kind, choices, exactly_one, one_of, one_or, section};
use super::kinds::{
    checker, choice, colour, direction, flag, integer, name, object_name, quantity, real, table, tables, text, vector,
};
use super::material::{DENSITY, DISTANCE, Material, THICKNESS};
use super::motion::{motion, window};
use super::named::material;
use super::obstacle::Cache;
use super::pattern::{self, Pattern, Sew};
use super::pick::Pick;
use super::place::{Axis, Group, MapSource, Selector, Transform, mesh, one_name_each};
use super::shrink::{Band, Shrink};
pub use super::spring::Model;
use super::spring::{self, Springs, Sprung};
use super::unit::{Unit, number, rounded};
use crate::force::dahl::Form;
use crate::force::drag::Drag;
use crate::force::internal_friction::{InternalFriction, Start};
use crate::force::spring_mesh::Network;
use crate::linalg::{UnitVec3, Vec3};
use crate::world::motion::Motion;
use std::f64::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};

choices! {
    /// Angles at which hinges rest.
    pub enum RestAngles {
        /// Angles of the mesh.
        Mesh = "mesh",
        /// Zero.
        Flat = "flat",
    }
}

choices! {
    /// Source of the flat rest shape.
    pub enum Rest {
        /// From the mesh as placed.
        Mesh = "mesh",
        /// From the mesh's chart (UV), in metres: the pattern to which the cloth was cut. No transform scales it.
        Chart = "chart",
    }
}

choices! {
    /// Internal friction at the start.
    pub enum FrictionStart {
        /// No stress, as after long and small shaking.
        None = "none",
        /// That of the straight way from the rest shape to the start.
        Virgin = "virgin",
        /// Its largest stress, with the sign of the strain.
        Saturated = "saturated",
    }
}

choices! {
    /// Shape to take from a file that moves.
    pub enum Begin {
        /// At the first frame of the scene.
        First = "first",
        /// At rest: points that have no sample, parts that follow bones as they were bound, transforms as at the first
        /// sample.
        Rest = "rest",
    }
}

one_of! {
    /// How firmly a pin holds.
    pub enum Weight {
        /// How firmly it holds, 0 to 1: 1 exactly, 0 not at all, else by a critically damped spring whose stiffness is
        /// w/(1 - w) times the vertex's mass over (10 ms)^2.
        Same(f64) = "weight": real(0.0..=1.0),
        /// A scalar property of the vertices of the PLY file, 0 to 1, as `weight` for each.
        Channel(String) = "weight_channel": text(),
    }
}

section! {
    /// Vertices held in place or moved.
    pub struct Pin {
        /// Name for probes; pins that share one are measured together.
        pub name: Option<String> = name().optional(),
        /// Vertices that the pin holds.
        pub selector: Selector = exactly_one(),
        /// How firmly it holds; exactly if absent. Probes measure what it holds exactly.
        pub weight: Weight = one_or(Weight::Same(1.0)),
        /// Motion of the vertices; still if absent.
        pub motion: Motion = motion(),
        /// A file of as many vertices as the mesh file, whose motion those of the pin follow, from where they are when
        /// it takes hold.
        pub cache: Option<Cache> = table::<Cache>().optional(),
        /// When the pin takes hold.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// When it lets go; never if absent.
        pub until: f64 = quantity(Unit::Time, 0.0..=1e6).or(f64::INFINITY),
        /// How far its vertices give way, from their path, where nothing fits between them and an obstacle: as far as
        /// it takes if absent. 0: never.
        pub slack as "yield": f64 = quantity(Unit::Length, 0.0..=1e3).or(f64::INFINITY),
    }
    check pin_has_time;
}

fn pin_has_time(pin: Pin, keys: &mut Keys) -> Option<Pin> {
    keys.cx.pins.extend(pin.name.clone());
    one_motion(&pin.motion, pin.cache.is_some(), keys)?;
    window(pin.from, pin.until, keys).map(|()| pin)
}

/// Checks that a pin or handle has at most one motion.
fn one_motion(motion: &Motion, cached: bool, keys: &mut Keys) -> Option<()> {
    if cached && *motion != Motion::Fixed {
        keys.fault("cache", "conflicts with the motion that is given beside it; leave one out");
        return None;
    }
    Some(())
}

one_of! {
    /// Force of a handle.
    pub enum Pull {
        /// A spring from each vertex to its moving target: stiffness per vertex.
        Spring(f64) = "stiffness": quantity(Unit::Stiffness, 1e-6..=1e6),
        /// A constant force, shared by the vertices.
        Force(Vec3) = "force": vector(Unit::Force, 1e6),
    }
}

/// Default stiffness of a handle [N/m].
pub const HANDLE_STIFFNESS: f64 = 10.0;

section! {
    /// A soft handle: pulls vertices toward a moving target, or with a constant force.
    pub struct Handle {
        /// Name for probes; handles that share one are measured together.
        pub name: Option<String> = name().optional(),
        /// Vertices that the handle pulls.
        pub selector: Selector = exactly_one(),
        /// Force of the handle; a spring of 10 N/m if absent.
        pub pull: Pull = one_or(Pull::Spring(HANDLE_STIFFNESS)),
        /// Largest force of the spring, per vertex; unbounded if absent.
        pub max_force: f64 = quantity(Unit::Force, 0.0..=1e6).or(f64::INFINITY),
        /// Motion of the targets, from where the vertices are when the handle takes hold; still if absent.
        pub motion: Motion = motion(),
        /// A file of as many vertices as the mesh file, whose motion the targets follow.
        pub cache: Option<Cache> = table::<Cache>().optional(),
        /// When the handle takes hold.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// When it lets go; never if absent.
        pub until: f64 = quantity(Unit::Time, 0.0..=1e6).or(f64::INFINITY),
    }
    check handle_is_one_thing;
}

fn handle_is_one_thing(handle: Handle, keys: &mut Keys) -> Option<Handle> {
    keys.cx.handles.extend(handle.name.clone());
    one_motion(&handle.motion, handle.cache.is_some(), keys)?;
    window(handle.from, handle.until, keys)?;
    if matches!(handle.pull, Pull::Force(_)) {
        if keys.find("max_force").is_some() {
            keys.fault("max_force", "conflicts with 'force', which is constant; leave one out");
            return None;
        }
        if handle.motion != Motion::Fixed || handle.cache.is_some() {
            keys.fault(
                "force",
                "a constant force has no target that could move; leave out the motion, or give stiffness",
            );
            return None;
        }
    }
    Some(handle)
}

choices! {
    /// Quantity that a map scales.
    pub enum Mapped {
        /// In-plane stiffness.
        Stretch = "stretch",
        /// Bending rigidity.
        Bend = "bend",
        /// Thickness.
        Thickness = "thickness",
        /// Mass per area.
        Mass = "mass",
        /// Friction.
        Friction = "friction",
        /// Damping in the plane.
        Damping = "damping",
        /// Damping of bending.
        BendingDamping = "bending_damping",
        /// Strain limit.
        StrainLimit = "strain_limit",
        /// Air drag.
        Drag = "drag",
    }
}

section! {
    /// A factor per vertex.
    pub struct Map {
        /// Quantity that it scales.
        pub of: Mapped = choice().required(),
        /// Source of the values.
        pub source: MapSource = exactly_one(),
        /// Factor inside the group, or of the property's values.
        pub factor: f64 = real(0.0..=1e6).or(1.0),
        /// Factor outside the group.
        pub outside: f64 = real(0.0..=1e6).or(1.0),
    }
    check outside_has_a_group;
}

fn outside_has_a_group(map: Map, keys: &mut Keys) -> Option<Map> {
    if matches!(map.source, MapSource::Channel(_)) && keys.find("outside").is_some() {
        keys.fault("outside", "a channel has a value everywhere; 'outside' goes with 'group'");
        return None;
    }
    Some(map)
}

one_of! {
    /// Shape of the cloth (one file).
    pub enum Source {
        /// Mesh file: where the cloth is at the start.
        Mesh(PathBuf) = "mesh": mesh(),
        /// Sewing pattern: panels where they are at the start. A garment is one cloth; its panels and edges are groups
        /// (`front`, `front.hem`).
        Pattern(Pattern) = "pattern": table(),
    }
}

section! {
    /// A simulated cloth.
    pub struct Cloth {
        /// Name; no other object may have it.
        pub name: String = object_name().required(),
        /// Source of the cloth's shape.
        pub source: Source = exactly_one(),
        /// Object (`o`) or group (`g`) of an OBJ file that holds several; of USD and Alembic the path of a prim, the
        /// name of one, or a pattern of these with `*`: all meshes at or below it. The whole file if absent.
        pub object: Option<String> = text().optional(),
        /// Axis of an OBJ or PLY file that points up; that of the scene if absent. USD and Alembic files say it.
        pub axis: Option<Axis> = choice().optional(),
        /// UV set of a USD file that is the chart, by the name of its primvar; `st`, `UVMap` or the first by name if
        /// absent.
        pub chart: Option<String> = text().optional(),
        /// Shape with which the cloth begins, for a USD file that moves.
        pub pose: Begin = choice().or(Begin::First),
        /// Moves the mesh out along its normals, as a cover of a body that has the same mesh; inward if negative.
        pub offset: f64 = quantity(Unit::Length, -1.0..=1.0).or(0.0),
        /// Joins vertices on borders of the mesh that are at most so far apart, as the two sides of a seam. The meshes
        /// that are written keep all vertices of the file.
        pub weld: f64 = quantity(Unit::Length, 0.0..=0.1).or(0.0),
        /// How often each triangle is cut into four; vertices of the mesh stay the first ones.
        pub subdivide: u8 = integer(0..=6).or(0),
        /// Group of the mesh file: only triangles inside of it are cut, those next to it so that they fit.
        pub subdivide_group: Option<String> = text().optional(),
        /// How it resists.
        pub model: Model = choice().or(Model::Fem),
        /// Its springs, where the model has any.
        pub springs: Springs = table(),
        /// Material of the cloth, with this cloth's thickness and density.
        pub material: Material = material("cotton"),
        /// Thickness in place of the material's.
        thickness: Option<f64> = quantity(Unit::Length, THICKNESS).optional(),
        /// Its own `contact.distance`; between two objects the mean of theirs counts.
        pub contact_distance: Option<f64> = quantity(Unit::Length, DISTANCE).optional(),
        /// Mass per area in place of the material's.
        density: Option<f64> = quantity(Unit::AreaDensity, DENSITY).optional(),
        /// Mass of every vertex in place of that of its area.
        pub vertex_mass: Option<f64> = quantity(Unit::Mass, 1e-9..=1e3).optional(),
        /// Warp direction in the file's coordinates, used where the mesh has no chart (UV).
        pub warp: UnitVec3 = direction().or(Vec3::x_axis()),
        /// Lengths at which it rests; of a pattern those of the chart if absent.
        pub rest: Rest = choice().or(Rest::Mesh),
        /// Angles at which hinges rest; if absent flat where borders are sewn, whose place at the start is no shape.
        pub rest_angles: RestAngles = choice().or(RestAngles::Mesh),
        /// Its material's internal friction acts.
        pub internal_friction: bool = flag().or(true),
        /// Internal friction at the start, of a material that has any.
        pub friction_start: FrictionStart = choice().or(FrictionStart::None),
        /// Upper bound of the relative elongation of edges; no bound if absent.
        pub strain_limit: Option<f64> = quantity(Unit::Ratio, 0.001..=10.0).optional(),
        /// Linear air drag along the normal; none if absent. Of still air it is about 1, of a draught 2.
        pub air_drag: Option<f64> = quantity(Unit::Drag, 0.0..=1e4).optional(),
        /// Linear air drag along the surface.
        pub air_drag_tangent: f64 = quantity(Unit::Drag, 0.0..=1e4).or(0.0),
        /// Velocity at the start.
        pub velocity: Vec3 = vector(Unit::Speed, 1e3).or(Vec3::zeros()),
        /// Whether it touches itself.
        pub self_contact: bool = flag().or(true),
        /// Colour in pictures.
        pub colour: [f64; 3] = colour().or([0.33, 0.47, 0.72]),
        /// Squares in two shades of the colour on the chart; `true` for 5 cm.
        pub checker: Option<f64> = checker().or(None),
        /// From the file's coordinates to the world.
        pub transform: Transform = table(),
        /// Named groups of vertices.
        pub groups as "group": Vec<Group> = tables(),
        /// Vertices held in place or moved.
        pub pins as "pin": Vec<Pin> = tables(),
        /// Soft handles.
        pub handles as "handle": Vec<Handle> = tables(),
        /// Recorded pointers that pull at it.
        pub picks as "pick": Vec<Pick> = tables(),
        /// Factors per vertex.
        pub maps as "map": Vec<Map> = tables(),
        /// Lengths at rest that change.
        pub shrinks as "shrink": Vec<Shrink> = tables(),
        /// Elastic bands.
        pub bands as "band": Vec<Band> = tables(),
        /// Fold lines.
        pub folds as "fold": Vec<Fold> = tables(),
        /// Seams between borders of the mesh; those of a pattern are in it.
        pub borders as "seam": Vec<Border> = tables(),
        /// How seams of the mesh close. Seams that no table names close within a second.
        pub sewing as "sew": Vec<Sew> = tables(),
    }
    check finish;
}

fn finish(mut cloth: Cloth, keys: &mut Keys) -> Option<Cloth> {
    cloth.material.thickness = cloth.thickness.unwrap_or(cloth.material.thickness);
    cloth.material.density = cloth.density.unwrap_or(cloth.material.density);
    if matches!(cloth.source, Source::Pattern(_)) {
        made_of_panels(&mut cloth, keys)?;
    }
    sewn_flat(&mut cloth, keys)?;
    one_name_each(&cloth.groups, keys)?;
    spring::fit(&cloth.sprung(), keys)?;
    mass_is_given_once(&cloth, keys)?;
    rubs_as_meant(&cloth, keys)?;
    if let (Some(limit), Some(law)) = (cloth.strain_limit, cloth.material.plastic.stretch)
        && limit <= law.strain
    {
        let [limit, strain] = [limit, law.strain].map(|part| number(100.0 * part));
        let message =
            format!("{limit} % keeps the cloth below the {strain} % at which its stretch yields, so that none stays");
        keys.warn("strain_limit", message);
    }
    if let Some(limit) = cloth.strain_limit.filter(|limit| *limit > 1.0) {
        let [percent, part] = [100.0 * limit, 0.01 * limit].map(number);
        keys.warn(
            "strain_limit",
            format!("{percent} %, where cloth tears at 5 to 50 %; for {} % give {part}", number(limit)),
        );
    }
    if cloth.subdivide_group.is_some() && cloth.subdivide == 0 {
        keys.fault("subdivide_group", "nothing is cut; give subdivide, or leave this out");
        return None;
    }
    Some(cloth)
}

/// Checks seams of a mesh. What is sewn together from panels or apart rests flat: where it stands at the start is no
/// shape of its own.
fn sewn_flat(cloth: &mut Cloth, keys: &mut Keys) -> Option<()> {
    pattern::each_seam_closes_in_one_way(&cloth.sewing, keys)?;
    if !cloth.sewing.is_empty() && cloth.borders.is_empty() && matches!(cloth.source, Source::Mesh(_)) {
        keys.fault("sew", "the cloth has no seam; give [[cloth.seam]], or leave this out");
        return None;
    }
    let mut seen = std::collections::BTreeSet::new();
    if let Some(k) = cloth.borders.iter().position(|border| !seen.insert(&border.name)) {
        keys.fault_in("seam", k, "name", "is the name of another seam of this cloth; names are unique");
        return None;
    }
    let apart = cloth.borders.iter().any(|border| border.sides != Sides::Coincident);
    if !apart && matches!(cloth.source, Source::Mesh(_)) {
        return Some(());
    }
    if keys.find("rest_angles").is_some() && cloth.rest_angles == RestAngles::Mesh {
        keys.fault("rest_angles", "parts that are sewn together rest flat; leave this out");
        return None;
    }
    cloth.rest_angles = RestAngles::Flat;
    Some(())
}

/// Keys of meshes, with what is given beside a pattern instead.
const OF_MESHES: [(&str, &str); 10] = [
    ("axis", "'panel' of the pattern says where its panels stand"),
    ("chart", "its panels are the chart"),
    ("object", "a pattern is a whole; its panels are groups"),
    ("pose", "a pattern has one shape"),
    ("offset", "panels stand where 'panel' of the pattern puts them"),
    ("weld", "panels are joined by their stitches"),
    ("seam", "give 'stitch' in the pattern"),
    ("sew", "give it in the pattern, as [[cloth.pattern.sew]]"),
    ("subdivide", "give a shorter 'edge_length' in the pattern"),
    ("subdivide_group", "give a shorter 'edge_length' in the pattern"),
];

/// Refuses keys of meshes beside a pattern, whose chart is the rest shape unless the scene says otherwise.
fn made_of_panels(cloth: &mut Cloth, keys: &mut Keys) -> Option<()> {
    if let Some((key, instead)) = OF_MESHES.iter().find(|(key, _)| keys.find(key).is_some()) {
        keys.fault(key, format!("goes with 'mesh', not with 'pattern': {instead}"));
        return None;
    }
    if keys.find("rest").is_none() {
        cloth.rest = Rest::Chart;
    }
    Some(())
}

/// Checks that only finite elements have internal friction, and warns of laws with unexpected effects.
fn rubs_as_meant(cloth: &Cloth, keys: &mut Keys) -> Option<()> {
    let Material { name, membrane, bending, .. } = &cloth.material;
    let inner = cloth.inner();
    if cloth.model != Model::Fem && cloth.material.plastic != Yields::default() {
        let message = format!("material '{name}' yields, which springs do not; choose another, or model = \"fem\"");
        keys.fault("model", message);
        return None;
    }
    if !cloth.internal_friction && keys.find("friction_start").is_some() {
        keys.warn("friction_start", "does nothing beside internal_friction = false; leave one out");
    }
    if !inner.stretches() && !inner.bends() {
        if cloth.friction_start != FrictionStart::None && cloth.internal_friction {
            keys.fault("friction_start", format!("material '{name}' has no internal friction"));
            return None;
        }
        return Some(());
    }
    if cloth.model != Model::Fem {
        let message = format!(
            "material '{name}' has internal friction, which springs do not; choose another, or model = \"fem\""
        );
        keys.fault("model", message);
        return None;
    }
    let [warp, _, weft, shear] = membrane.moduli(&Vec3::zeros());
    let [along, across] = [FRAC_PI_2, 0.0].map(|edge| bending.rigidity(edge, 0.0) / 3.0);
    let ways = ["stretch", "weft", "shear", "bend", "bend_weft"];
    let laws = inner.stretch.iter().chain(&inner.bend).zip([warp, weft, shear, along, across]);
    for (way, (law, k)) in ways.into_iter().zip(laws).filter_map(|(way, (law, k))| Some((way, (law.as_ref()?, k)))) {
        // Largest strain of a fabric: stretched to twice its length, or bent to a radius of 1 cm.
        let reach = if way.starts_with("bend") { 300.0 } else { 1.0 };
        let (beyond, most) = (law.b * law.tau, law.a + law.b * reach);
        if beyond > most {
            keys.warn(
                "material",
                format!("friction of {way}: b tau is {beyond:.3}, more than the largest stress; loops exceed it"),
            );
        }
        if law.b * law.tau > law.a && law.form == Form::Fitted {
            let (most, wide) = (rounded(law.a / law.tau), rounded(law.gives()));
            let message = format!(
                "friction of {way}: of form \"fitted\" with b above a/tau, {most}, it gives energy in loops about no strain, up to {wide} to \
                 either side; give form = \"exact\", or less b"
            );
            keys.warn("material", message);
        }
        if k < law.b {
            let message = format!(
                "friction of {way} falls faster than elasticity rises where it is pulled past its balance: it will jump there"
            );
            keys.warn("material", message);
        }
    }
    Some(())
}

impl Cloth {
    /// Returns the file of its mesh or pattern.
    pub fn file(&self) -> &Path {
        match &self.source {
            Source::Mesh(file) => file,
            Source::Pattern(pattern) => &pattern.file,
        }
    }

    /// Returns its springs, with the settings that they depend on.
    fn sprung(&self) -> Sprung<'_> {
        let Cloth { springs, model, material, strain_limit, .. } = self;
        Sprung { springs, model: *model, material, strain_limit: *strain_limit }
    }

    /// Returns the springs of the cloth, or `None` for finite elements.
    pub fn network(&self) -> Option<Network> {
        spring::network(&self.sprung())
    }

    /// Returns the linear air drag.
    pub fn drag(&self) -> Drag {
        Drag { normal: self.air_drag.unwrap_or(0.0), tangent: self.air_drag_tangent }
    }

    /// Returns the internal friction, with its state at the start.
    pub fn inner(&self) -> InternalFriction {
        let start = match self.friction_start {
            FrictionStart::None => Start::None,
            FrictionStart::Virgin => Start::Virgin,
            FrictionStart::Saturated => Start::Saturated,
        };
        let own = if self.internal_friction { self.material.internal_friction } else { InternalFriction::default() };
        InternalFriction { start, ..own }
    }
}

fn mass_is_given_once(cloth: &Cloth, keys: &mut Keys) -> Option<()> {
    if cloth.vertex_mass.is_none() {
        return Some(());
    }
    if cloth.density.is_some() {
        keys.fault("vertex_mass", "conflicts with 'density'; leave one out");
        return None;
    }
    if let Some(k) = cloth.maps.iter().position(|map| map.of == Mapped::Mass) {
        keys.fault_in("map", k, "of", "a map of the mass goes with the density, not with 'vertex_mass'");
        return None;
    }
    Some(())
}
