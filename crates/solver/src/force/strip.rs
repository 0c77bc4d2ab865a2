//! Narrow strips: beam rigidity of a mesh.
//!
//! A strip bends along its axis and is free to bend across and to twist. A mesh of few cells across is then softer than
//! its triangles are on a cylinder, with alternating diagonals by 30 %. Its rigidity is measured with free sides,
//! between clamped ends.

use crate::linalg::{Mat3, Vec2, Vec3};
use std::collections::VecDeque;

/// Least aspect ratio of a strip: length over width.
const SLENDER: f64 = 6.0;

/// Sheet whose length is at least `SLENDER` times its width.
#[derive(Clone, Debug)]
pub struct Strip {
    /// Direction of its length.
    axis: Vec2,
    /// Vertices that no end clamps.
    pub free: Vec<bool>,
    /// 1 for each vertex that is farther from both clamps than the strip is wide, else 0.
    pub counted: Vec<f64>,
}

/// Unrolls the sheet from hinge to hinge and returns the position of each vertex [m], `None` for one without a hinge.
fn unrolled(count: usize, hinges: &[([u32; 4], [Vec2; 4])]) -> Vec<Option<Vec2>> {
    let mut around = vec![Vec::new(); count];
    for (h, (vertices, _)) in hinges.iter().enumerate() {
        vertices.iter().for_each(|v| around[*v as usize].push(h));
    }
    let mut at = vec![None; count];
    let mut next = VecDeque::new();
    for start in (0..count).filter(|v| !around[*v].is_empty()) {
        if at[start].is_none() {
            at[start] = Some(Vec2::zeros());
            next.push_back(start);
        }
        while let Some(v) = next.pop_front() {
            let own = at[v].unwrap_or_default();
            for (vertices, places) in around[v].iter().map(|h| &hinges[*h]) {
                let Some(from) = (0..4).find(|k| vertices[*k] as usize == v) else { continue };
                for (w, place) in vertices.iter().map(|w| *w as usize).zip(places) {
                    if at[w].is_none() {
                        at[w] = Some(own + place - places[from]);
                        next.push_back(w);
                    }
                }
            }
        }
    }
    at
}

impl Strip {
    /// Returns the strip of `count` vertices with these hinges, or `None` if the sheet has another shape. Hinges are
    /// given by their vertices and by positions in a frame of their own [m].
    pub fn of(count: usize, hinges: &[([u32; 4], [Vec2; 4])]) -> Option<Strip> {
        let at = unrolled(count, hinges);
        // A clamp holds two rows of vertices.
        let edge = 1.01 * hinges.iter().map(|(_, p)| (p[1] - p[0]).norm()).fold(0.0, f64::max);
        let known = || at.iter().flatten();
        let number = known().count() as f64;
        let middle = known().sum::<Vec2>() / number;
        let [xx, yy, xy] = known()
            .map(|p| p - middle)
            .fold([0.0; 3], |[xx, yy, xy], d| [xx + d.x * d.x, yy + d.y * d.y, xy + d.x * d.y]);
        let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
        let axis = Vec2::new(cos, sin);
        let span = |along: Vec2| {
            let reach = || known().map(|p| p.dot(&along));
            [reach().fold(f64::INFINITY, f64::min), reach().fold(f64::NEG_INFINITY, f64::max)]
        };
        let [[from, to], [left, right]] = [span(axis), span(Vec2::new(-sin, cos))];
        let width = right - left;
        if !(width > 0.0 && to - from >= SLENDER * width) {
            return None;
        }
        let within = |end: f64, v: usize| at[v].is_some_and(|p: Vec2| (from + end..to - end).contains(&p.dot(&axis)));
        Some(Strip {
            axis,
            free: (0..count).map(|v| within(edge, v)).collect(),
            counted: (0..count).map(|v| f64::from(u8::from(within(edge + width, v)))).collect(),
        })
    }

    /// Returns the rigidity of a narrow strip of a plate with the diagonal of `D`: free to bend across and to twist.
    pub fn beam(&self, plate: &[f64; 3]) -> f64 {
        let a = self.axis;
        let moment = [a.x * a.x, a.y * a.y, 2.0 * a.x * a.y];
        1.0 / (0..3).map(|k| moment[k] * moment[k] / plate[k]).sum::<f64>()
    }

    /// Returns the rigidity along the axis, minimised over twist. `form` is twice the energy per area, as a quadratic
    /// form of the curvatures xx, yy, xy.
    pub fn rigidity(&self, form: &Mat3) -> f64 {
        let (a, b) = (self.axis, Vec2::new(-self.axis.y, self.axis.x));
        let along = Vec3::new(a.x * a.x, a.y * a.y, a.x * a.y);
        let twist = Vec3::new(2.0 * a.x * b.x, 2.0 * a.y * b.y, a.x * b.y + a.y * b.x);
        let (force, stiffness) = (form * twist, twist.dot(&(form * twist)));
        let yielded = if stiffness > 0.0 { along.dot(&force).powi(2) / stiffness } else { 0.0 };
        along.dot(&(form * along)) - yielded
    }
}
