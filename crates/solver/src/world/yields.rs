//! Vertices that give way in a pinch: pinned vertices and vertices of obstacles.

use super::{Obstacle, Pin, State, World};
use crate::linalg::Vec3;

/// Steps without yielding after which a pinch is over. A new pinch must first shorten the step again.
pub const LATE: u32 = 20;

/// Pinned vertex that gave way. A spring pulls it toward its path until contact ends or the path is near. Then it is
/// led back.
#[derive(Clone, Debug, PartialEq)]
pub struct Slack {
    /// Index of its pin.
    pub pin: u32,
    /// Index of the vertex in its pin.
    pub place: u32,
    /// Stiffness of the spring [N/m].
    pub stiffness: f64,
    /// The vertex returns to its path. Its motion is prescribed meanwhile.
    pub back: bool,
    /// Consecutive steps without contact.
    pub calm: u32,
    /// Offset from the path, during the return [m].
    pub off: Vec3,
}

/// Vertex of an obstacle that gave way, displaced against the surface normal at its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Dent {
    /// World vertex.
    pub vertex: u32,
    /// Depth of the displacement [m].
    pub depth: f64,
    /// Depth after the last step [m].
    pub was: f64,
    /// Consecutive steps without contact.
    pub calm: u32,
    /// A contact of the vertex is close to its smallest gap.
    pub tight: bool,
    /// Mean velocity of the vertices in tight contact with it [m/s].
    pub meet: Vec3,
}

impl Slack {
    /// Returns pin, vertex and path at a time of prescribed motion; `None` while the pin's window is closed.
    pub fn path<'a>(
        &self,
        world: &'a World,
        anchors: &[Option<Vec<Vec3>>],
        time: f64,
    ) -> Option<(&'a Pin, usize, Vec3)> {
        let (pin, place) = (world.pins.get(self.pin as usize)?, self.place as usize);
        let anchor = anchors.get(self.pin as usize)?.as_ref()?.get(place)?;
        Some((pin, *pin.vertices.get(place)? as usize, pin.carry(time).apply(place, anchor)))
    }
}

impl World {
    /// Computes outward normals at some vertices of an obstacle, from its own vertex positions `x`.
    pub fn normals(&self, obstacle: &Obstacle, vertices: &[u32], x: &[Vec3]) -> Vec<Vec3> {
        let object = &self.objects[obstacle.object];
        let first = object.vertices.start as u32;
        let mut normals = vec![Vec3::zeros(); vertices.len()];
        for triangle in object.triangles.iter().map(|t| t.map(|v| object.place[v as usize])) {
            let of = triangle.map(|v| vertices.binary_search(&v).ok());
            if of == [None; 3] {
                continue;
            }
            let [a, b, c] = triangle.map(|v| x[(v - first) as usize]);
            let area = (b - a).cross(&(c - a));
            of.into_iter().flatten().for_each(|k| normals[k] += area);
        }
        normals.iter().map(|n| n.try_normalize(0.0).unwrap_or_default()).collect()
    }

    /// Displaces the vertices of an obstacle that gave way, from positions `x` on their path (of this obstacle alone).
    /// Before that, `change` may increase the depth of each, given its normal and path.
    pub fn press_in(
        &self,
        obstacle: &Obstacle,
        dents: &mut [Dent],
        x: &mut [Vec3],
        mut change: impl FnMut(&mut Dent, Vec3, Vec3),
    ) {
        let range = self.objects[obstacle.object].vertices.clone();
        let from = dents.partition_point(|dent| (dent.vertex as usize) < range.start);
        let count = dents[from..].partition_point(|dent| (dent.vertex as usize) < range.end);
        let own = &mut dents[from..from + count];
        if own.is_empty() {
            return;
        }
        let vertices: Vec<u32> = own.iter().map(|dent| dent.vertex).collect();
        let normals = self.normals(obstacle, &vertices, x);
        for (dent, normal) in own.iter_mut().zip(normals) {
            let x = &mut x[dent.vertex as usize - range.start];
            change(dent, normal, *x);
            *x -= normal * dent.depth;
        }
    }

    /// Returns the number of prescribed vertices off their path because they gave way, and the largest distance [m].
    pub fn off_path(&self, state: &State) -> (usize, f64) {
        let slack = state.slack.iter().filter_map(|slack| {
            let (_, v, path) = slack.path(self, &state.anchors, state.now())?;
            Some((path - state.x[v]).norm())
        });
        let all = slack.chain(state.dents.iter().map(|dent| dent.depth));
        all.fold((0, 0.0), |(count, most), off| (count + 1, f64::max(most, off)))
    }
}
