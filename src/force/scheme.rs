//! What a step tells the laws, and how they read it.

use crate::linalg::{Mat3, Vec3};

/// What the scheme says of this step, by moving vertex.
#[derive(Clone, Copy, Debug)]
pub struct Scheme<'a> {
    /// Positions to linearise at [m].
    pub x: &'a [Vec3],
    /// Displacement of free flight `y` [m].
    pub y: &'a [Vec3],
    /// Velocity `v~` at `z = 0` [m/s].
    pub rate: &'a [Vec3],
    /// Velocity at `x` [m/s].
    pub v: &'a [Vec3],
    /// Solution of the last step, scaled by its step squared [m/s^2].
    pub guess: &'a [Vec3],
    /// Masses [kg].
    pub mass: &'a [f64],
    /// Effective step `beta` [s].
    pub beta: f64,
    /// Effective step of each vertex's inertia [s].
    pub betas: &'a [f64],
    /// Velocity of the air [m/s].
    pub wind: Vec3,
    /// What flowing air does to each vertex, in place of wind; empty where none flows.
    pub exchange: &'a [Exchange],
    /// How stiff cloth is there.
    pub soft: Softness<'a>,
}

/// Part of its stiffness that the cloth has at each moving vertex; empty where it has all of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Softness<'a>(pub &'a [f64]);

impl Softness<'_> {
    /// Of an element with these vertices: the mean.
    #[inline(always)]
    pub fn of<const N: usize>(&self, vertices: &[u32; N]) -> f64 {
        if self.0.is_empty() { 1.0 } else { vertices.iter().map(|v| self.0[*v as usize]).sum::<f64>() / N as f64 }
    }
}

/// A shape of which the energy is asked.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Positions [m].
    pub x: &'a [Vec3],
    /// How stiff cloth is there.
    pub soft: Softness<'a>,
}

impl<'a> From<&'a [Vec3]> for Shape<'a> {
    fn from(x: &'a [Vec3]) -> Shape<'a> {
        Shape { x, soft: Softness::default() }
    }
}

impl<'a> From<&'a Vec<Vec3>> for Shape<'a> {
    fn from(x: &'a Vec<Vec3>) -> Shape<'a> {
        x.as_slice().into()
    }
}

impl Scheme<'_> {
    /// Velocity at `z = 0` that damping sees [m/s]. The matrix adds `z/beta` to it at every vertex, though `z/betas` is the truth: the
    /// change of velocity is scaled alike, so that what does not accelerate is damped by its velocity.
    #[inline]
    pub fn damped(&self, v: usize) -> Vec3 {
        self.v[v] + (self.rate[v] - self.v[v]) * (self.betas[v] / self.beta)
    }

    /// Displacement in the step at the present velocity [m].
    #[inline]
    pub fn ahead(&self, v: usize) -> Vec3 {
        self.y[v] - (self.rate[v] - self.v[v]) * self.betas[v]
    }

    /// Displacement in the step if forces act as in the last one [m].
    #[inline]
    pub fn expected(&self, v: usize) -> Vec3 {
        self.y[v] + self.guess[v] * (self.betas[v] * self.betas[v])
    }
}

/// Force of the air on a vertex: `force - matrix v` for its velocity `v` at the end of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exchange {
    /// Where the vertex is at rest [N].
    pub force: Vec3,
    /// Positive semidefinite [N s/m].
    pub matrix: Mat3,
}

/// Elements that are evaluated side by side: their numbers stand in rows, so that loops over them run in lanes.
pub const WIDE: usize = 8;
/// One number for each of them.
pub type Wide = [f64; WIDE];

/// Writes a vector in lane `l`.
#[inline(always)]
pub fn put(rows: &mut [Wide; 3], l: usize, v: Vec3) {
    rows[0][l] = v.x;
    rows[1][l] = v.y;
    rows[2][l] = v.z;
}

/// The vector in lane `l`.
#[inline(always)]
pub fn take(rows: &[Wide; 3], l: usize) -> Vec3 {
    Vec3::new(rows[0][l], rows[1][l], rows[2][l])
}

/// The values of an element's vertices.
#[inline]
pub fn pick<const N: usize>(values: &[Vec3], vertices: &[u32; N]) -> [Vec3; N] {
    std::array::from_fn(|a| values[vertices[a] as usize])
}
