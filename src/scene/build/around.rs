//! `around` of a panel: from a limb of an obstacle to the cylinder on which the panel is bent.

use super::faults::Faults;
use super::select;
use crate::linalg::{Mat3, Rotation, Vec2, Vec3};
use crate::mesh::number_text::rounded;
use crate::pattern::{Girth, Panel, Placement, Wrap};
use crate::scene::around::Around;
use crate::scene::fault::meant;
use crate::scene::place::Transform;
use crate::scene::{Scene, Up};
use crate::world::Course;
use crate::world::build::ObstacleInput;
use std::sync::Arc;

/// Largest part of a girth that a panel may cover.
const WHOLE: f64 = 0.98;
/// Ratio of the largest variance of a limb to the next from which on its axis is clear.
const LONG: f64 = 1.5;
/// Sine of the slope below which an axis has no upper end.
const LEVEL: f64 = 0.17;

/// Scene around the pattern of a cloth.
#[derive(Clone, Copy)]
pub(super) struct Beside<'a> {
    /// Scene.
    pub scene: &'a Scene,
    /// Obstacles as read.
    pub obstacles: &'a [ObstacleInput],
    /// Transform of the cloth.
    pub transform: &'a Transform,
}

/// Axis of a limb, in the space of the cloth.
struct Axis {
    /// Middle of the limb.
    middle: Vec3,
    /// Unit vector to its upper end.
    up: Vec3,
}

/// Returns the place of a panel around a limb. `key` is the path of its table.
pub(super) fn placement(
    beside: Beside,
    around: &Around,
    panel: &Panel,
    key: &str,
    faults: &mut Faults,
) -> Option<Placement> {
    match beside.bend(around, panel) {
        Ok(placement) => Some(placement),
        Err((below, message)) => {
            faults.fault(&format!("{key}.{below}"), message);
            None
        }
    }
}

impl Beside<'_> {
    fn bend(&self, around: &Around, panel: &Panel) -> Result<Placement, (&'static str, String)> {
        let scale = self.transform.scale;
        let limb: Vec<Vec3> = self.limb(around)?.iter().map(|p| self.transform.invert(p)).collect();
        let axis = self.axis(around, &limb)?;
        let [front, left] = self.sides(&axis.up);
        let [low, high] = panel.bounds();
        let (up, offset) = (around.up / scale, around.offset / scale);
        let reach = 0.5 * (high.y - low.y) + offset;
        let heights = |p: &Vec3| (p - axis.middle).dot(&axis.up);
        let beside = limb.iter().filter(|p| (heights(p) - up).abs() <= reach);
        let across = |p: &Vec3| Vec2::new((p - axis.middle).dot(&front), (p - axis.middle).dot(&left));
        let girth = match around.radius {
            Some(radius) => Girth::new(&[Vec2::zeros()], radius / scale + offset),
            None => Girth::new(&beside.map(across).collect::<Vec<Vec2>>(), offset),
        };
        let Some(girth) = girth else {
            let most = limb.iter().map(|p| heights(p).abs()).fold(0.0, f64::max);
            let message = format!(
                "nothing of the limb is beside the panel there: it ends {} m above and below its middle",
                rounded(most * scale)
            );
            return Err(("up", message));
        };
        let width = high.x - low.x;
        if width > WHOLE * girth.length() {
            let message = format!(
                "the panel is {} m wide and would overlap itself: {} m go around the limb at this gap; give a larger one",
                rounded(width * scale),
                rounded(girth.length() * scale)
            );
            return Err(("offset", message));
        }
        let start = girth.toward(around.at) + around.aside / scale;
        let rotation = Rotation::from_basis_unchecked(&[left, axis.up, front]);
        Ok(Placement {
            wrap: Some(Wrap::Limb { girth: Arc::new(girth), start, middle: 0.5 * (low + high) }),
            rotation,
            translation: axis.middle + axis.up * up,
        })
    }

    /// Returns the vertices of the limb at the start of the run, in the world; none without a limb.
    fn limb(&self, around: &Around) -> Result<Vec<Vec3>, (&'static str, String)> {
        let Some(limb) = &around.limb else { return Ok(Vec::new()) };
        let (name, group) = match limb.split_once(':') {
            Some((name, group)) => (name, Some(group)),
            None => (limb.as_str(), None),
        };
        let Some(obstacle) = self.obstacles.iter().find(|obstacle| obstacle.name == name) else {
            let names = || self.scene.obstacles.iter().map(|obstacle| obstacle.name.as_str());
            // An obstacle that could not be read is told already, at its own place.
            let known = names().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
            let message = match names().find(|other| *other == name) {
                Some(_) => format!("the obstacle '{name}' could not be read"),
                None if known.is_empty() => format!("no obstacle is named '{name}', the scene has none"),
                None => format!("no obstacle is named '{name}', there are {known}{}", meant(name, names())),
            };
            return Err(("limb", message));
        };
        let mut x = obstacle.mesh.positions.clone();
        // Rigid motion stands in the preroll; recorded motion may begin before the shot.
        let time = match &obstacle.course {
            Course::Recorded(_) => self.scene.time.shot().shot(0.0),
            _ => 0.0,
        };
        obstacle.course.place(&obstacle.mesh.positions, time, &mut x);
        match group {
            None => Ok(x),
            Some(group) => {
                let members = select::named(group, &obstacle.mesh.groups).map_err(|message| ("limb", message))?;
                Ok(members.iter().map(|v| x[*v as usize]).collect())
            }
        }
    }

    /// Returns the axis of a limb.
    fn axis(&self, around: &Around, limb: &[Vec3]) -> Result<Axis, (&'static str, String)> {
        if let (Some(from), Some(to)) = (around.from, around.to) {
            let [from, to] = [from, to].map(|p| self.transform.invert(&p));
            return Ok(Axis { middle: 0.5 * (from + to), up: (to - from).normalize() });
        }
        let count = limb.len().max(1) as f64;
        let mean = limb.iter().sum::<Vec3>() / count;
        let spread: Mat3 = limb.iter().map(|p| (p - mean) * (p - mean).transpose()).sum();
        let eigen = spread.symmetric_eigen();
        let most = eigen.eigenvalues.imax();
        let next = (0..3).filter(|k| *k != most).map(|k| eigen.eigenvalues[k]).fold(0.0, f64::max);
        let long = eigen.eigenvectors.column(most).into_owned();
        let upwards = self.local(&self.scene.upwards());
        let rise = long.dot(&upwards);
        if eigen.eigenvalues[most] < LONG * next || rise.abs() < LEVEL || limb.len() < 3 {
            let why = if rise.abs() < LEVEL { "it lies level" } else { "it is not longer than wide" };
            return Err(("limb", format!("the limb has no clear axis, {why}; give its ends, 'from' and 'to'")));
        }
        let up = long * rise.signum();
        let heights = limb.iter().map(|p| (p - mean).dot(&up));
        let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], s| [l.min(s), h.max(s)]);
        Ok(Axis { middle: mean + up * (0.5 * (low + high)), up })
    }

    /// Returns the unit vectors across an axis toward front and left. The one that lies less along the axis leads.
    fn sides(&self, up: &Vec3) -> [Vec3; 2] {
        let facing = match self.scene.up {
            Up::Y => Vec3::z(),
            Up::Z => -Vec3::y(),
        };
        let [front, left] = [facing, Vec3::x()].map(|v| self.local(&v));
        let across = |v: Vec3| (v - up * v.dot(up)).normalize();
        if front.dot(up).abs() <= left.dot(up).abs() {
            let front = across(front);
            [front, up.cross(&front)]
        } else {
            let left = across(left);
            [left.cross(up), left]
        }
    }

    /// Returns a direction of the world in the space of the cloth.
    fn local(&self, v: &Vec3) -> Vec3 {
        self.transform.rotation().inverse() * v
    }
}
