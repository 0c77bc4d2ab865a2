//! What gives way in a pinch: pinned vertices, and vertices of obstacles.

use super::{Obstacle, Pin, State, World};
use crate::linalg::Vec3;

/// Steps after which a pinch is over: what gives way later is looked for anew.
pub const LATE: u32 = 20;

/// A pinned vertex that gave way: pulled toward its path while something is in it, then led back.
#[derive(Clone, Debug, PartialEq)]
pub struct Slack {
    /// Its pin.
    pub pin: u32,
    /// Its place among the vertices of the pin.
    pub place: u32,
    /// How it is pulled [N/m].
    pub stiffness: f64,
    /// It is led back: as long as that lasts it is prescribed.
    pub back: bool,
    /// Steps in a row in which it touched nothing.
    pub calm: u32,
    /// Where it is from its path, on the way back [m].
    pub off: Vec3,
}

/// A vertex of an obstacle that gave way: that far below the surface, against the normal of the surface on its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Dent {
    /// World vertex.
    pub vertex: u32,
    /// How deep it is pressed in [m].
    pub depth: f64,
    /// How deep it was after the last step [m].
    pub was: f64,
    /// Steps in a row in which it touched nothing.
    pub calm: u32,
    /// What it touches is nearly as near as it may be.
    pub tight: bool,
    /// How fast that goes [m/s].
    pub meet: Vec3,
}

impl Slack {
    /// Its pin, its vertex and where its path is at a time of prescribed motion; nothing where the pin is not open.
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
    /// Outward normals at these vertices of an obstacle whose vertices are at `x`, the obstacle's alone.
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

    /// Presses the vertices of an obstacle that gave way in, from where their path is: `x`, the obstacle's alone. `change` may make each
    /// deeper before, by its normal and its path.
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

    /// How many prescribed vertices are off their path because they gave way, and how far the farthest is [m].
    pub fn off_path(&self, state: &State) -> (usize, f64) {
        let slack = state.slack.iter().filter_map(|slack| {
            let (_, v, path) = slack.path(self, &state.anchors, state.now())?;
            Some((path - state.x[v]).norm())
        });
        let all = slack.chain(state.dents.iter().map(|dent| dent.depth));
        all.fold((0, 0.0), |(count, most), off| (count + 1, f64::max(most, off)))
    }
}
