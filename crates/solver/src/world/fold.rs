//! Fold lines: edges along which cloth rests at an angle of its own, which may grow in time. Beside them, angles at
//! which cloth rests where its bending has yielded, and rest shapes where its stretch has.

use super::keyed::{Of, Ramp};
use super::{State, World};
use crate::force::plate::yielding::MOST;
use crate::force::term::Law;
use crate::linalg::Vec3;

/// Fold line of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// Cloth, by its object.
    pub object: usize,
    /// Hinges along the line.
    pub hinges: Vec<u32>,
    /// Rest angle of the whole fold; positive where the front of the cloth is on the outside [rad].
    pub angle: f64,
    /// Time in which it sets in. Keys of the cloth take its place.
    pub ramp: Ramp,
}

impl World {
    /// Computes the rest angle of each hinge beyond that of its rest shape, for a step between two times [rad]. The
    /// list stays empty where no cloth has fold lines or yields.
    pub fn turn(&self, state: &State, times: [f64; 2], turned: &mut Vec<f64>) {
        turned.clear();
        let yieldings = self.elements.yieldings();
        if self.folds.is_empty() && yieldings.list.is_empty() {
            return;
        }
        turned.resize(self.elements.hinges.len(), 0.0);
        yieldings.turn(state.memory.of(yieldings.name()), turned);
        for fold in &self.folds {
            let keys = self.keyed.get(Of::Fold, Some(fold.object));
            let part = keys.map_or_else(|| fold.ramp.part(times[1]), |keys| keys.of_step(times[0], times[1]));
            fold.hinges.iter().for_each(|h| turned[*h as usize] += fold.angle * part);
        }
        turned.iter_mut().for_each(|angle| *angle = angle.clamp(-MOST, MOST));
    }

    /// Computes the strain by which the rest shape of each triangle that yields has grown. The list stays empty where
    /// none does.
    pub fn grow(&self, state: &State, grown: &mut Vec<Vec3>) {
        let stretchings = self.elements.stretchings();
        stretchings.plastic(state.memory.of(stretchings.name()), grown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec2;
    use crate::mesh::TriMesh;
    use crate::world::build::{ClothInput, FoldLine, Input, build};

    /// Folds of one edge add up, to at most 170 degrees to either side, and each grows in its own time.
    #[test]
    fn angles_of_one_edge_add_up_to_less_than_half_a_turn() {
        let uv: Vec<Vec2> = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(Vec2::from).to_vec();
        let positions = uv.iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect();
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        let mesh = TriMesh { positions, uv, uv_triangles: triangles.clone(), triangles, ..TriMesh::default() };
        let turned = |angles: [f64; 2], time: f64| {
            let line = |k: usize| {
                let ramp = Ramp { from: k as f64, over: 1.0 };
                FoldLine { edges: vec![[0, 2]], angle: angles[k].to_radians(), stiffness: 1.0, ramp }
            };
            let folds = vec![line(0), line(1)];
            let mut input = Input::empty(Vec3::zeros());
            input.cloths.push(ClothInput { folds, ..ClothInput::plain(mesh.clone(), 100.0, 0.1) });
            let (world, state) = build(input);
            let mut turned = Vec::new();
            world.turn(&state, [time; 2], &mut turned);
            turned.iter().map(|angle| angle.to_degrees()).collect::<Vec<f64>>()
        };
        for (angles, time, wanted) in [
            ([90.0, 60.0], 0.5, 45.0),
            ([90.0, 60.0], 1.5, 120.0),
            ([90.0, 60.0], 9.0, 150.0),
            ([120.0, 120.0], 9.0, 170.0),
            ([-170.0, -170.0], 9.0, -170.0),
            ([170.0, -60.0], 9.0, 110.0),
        ] {
            let found = turned(angles, time);
            assert!(found.len() == 1 && (found[0] - wanted).abs() < 1e-9, "{angles:?}: {found:?}");
        }
    }
}
