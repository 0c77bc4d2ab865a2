//! State of a step as laws read it, and access to it.

use crate::linalg::{Mat3, Vec3};

/// Linearisation point and coefficients of the time integration in this step, by moving vertex.
#[derive(Clone, Copy, Debug)]
pub struct Scheme<'a> {
    /// Positions to linearise at [m].
    pub x: &'a [Vec3],
    /// Displacement of free flight `y` [m].
    pub y: &'a [Vec3],
    /// Velocity `v~` at `dx = 0` [m/s].
    pub velocity: &'a [Vec3],
    /// Velocity at `x` [m/s].
    pub v: &'a [Vec3],
    /// Solution of the last step, divided by its effective step squared [m/s^2].
    pub guess: &'a [Vec3],
    /// Masses [kg].
    pub mass: &'a [f64],
    /// Effective step `beta` [s].
    pub beta: f64,
    /// Effective step of each vertex's inertia [s].
    pub effective_dt: &'a [f64],
    /// Velocity of the air [m/s].
    pub wind: Vec3,
    /// Force of flowing air on each vertex, used instead of `wind`. Empty if no flow is simulated.
    pub exchange: &'a [Exchange],
    /// Factor of the air drag at each moving vertex. Empty: 1 everywhere.
    pub drag: &'a [f64],
    /// Stiffness factor of the cloth.
    pub stiffness_scale: StiffnessScales<'a>,
}

/// Factors of the cloth's full stiffness at each moving vertex. Each list is empty if it is 1 everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct StiffnessScales<'a> {
    /// Part that water leaves.
    pub wet: &'a [f64],
    /// Factors by keys, of the stiffness in the plane and of bending.
    pub keyed: [&'a [f64]; 2],
    /// Rest angle of each hinge beyond that of its rest shape: of fold lines, and of what has yielded [rad]. Empty: 0.
    pub turned: &'a [f64],
    /// Strain xx, yy, xy by which the rest shape of each triangle that yields has grown. Empty: 0.
    pub grown: &'a [Vec3],
}

/// Returns the mean of the factors of an element's vertices.
#[inline(always)]
fn mean<const N: usize>(factors: &[f64], vertices: &[u32; N]) -> f64 {
    if factors.is_empty() { 1.0 } else { vertices.iter().map(|v| factors[*v as usize]).sum::<f64>() / N as f64 }
}

impl StiffnessScales<'_> {
    /// Returns the factor that water leaves of the stiffness of an element, the mean over its vertices.
    #[inline(always)]
    pub fn by_water<const N: usize>(&self, vertices: &[u32; N]) -> f64 {
        mean(self.wet, vertices)
    }

    /// Returns the factor of an element's stiffness in the plane.
    #[inline(always)]
    pub fn stretch<const N: usize>(&self, vertices: &[u32; N]) -> f64 {
        mean(self.wet, vertices) * mean(self.keyed[0], vertices)
    }

    /// Returns the factor of an element's bending stiffness.
    #[inline(always)]
    pub fn bend<const N: usize>(&self, vertices: &[u32; N]) -> f64 {
        mean(self.wet, vertices) * mean(self.keyed[1], vertices)
    }

    /// Returns the rest angle of a hinge beyond that of its rest shape [rad].
    #[inline(always)]
    pub fn turned(&self, hinge: usize) -> f64 {
        self.turned.get(hinge).copied().unwrap_or(0.0)
    }

    /// Returns the strain xx, yy, xy by which the rest shape of a triangle that yields has grown.
    #[inline(always)]
    pub fn grown(&self, yielding: u32) -> Vec3 {
        self.grown.get(yielding as usize).copied().unwrap_or_default()
    }
}

/// Shape whose energy is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Positions [m].
    pub x: &'a [Vec3],
    /// Stiffness factor of the cloth.
    pub stiffness_scale: StiffnessScales<'a>,
}

impl<'a> From<&'a [Vec3]> for Shape<'a> {
    fn from(x: &'a [Vec3]) -> Shape<'a> {
        Shape { x, stiffness_scale: StiffnessScales::default() }
    }
}

impl<'a> From<&'a Vec<Vec3>> for Shape<'a> {
    fn from(x: &'a Vec<Vec3>) -> Shape<'a> {
        x.as_slice().into()
    }
}

impl Scheme<'_> {
    /// Returns the velocity at `dx = 0` for damping forces [m/s]. The matrix adds `dx/beta` to it at every vertex,
    /// although the change of velocity is `dx/effective_dt`. The known change of velocity is therefore scaled by
    /// the same factor. A vertex without acceleration is then damped by its velocity.
    #[inline]
    pub fn damped(&self, v: usize) -> Vec3 {
        self.v[v] + (self.velocity[v] - self.v[v]) * (self.effective_dt[v] / self.beta)
    }

    /// Returns the displacement in the step at the present velocity [m].
    #[inline]
    pub fn ahead(&self, v: usize) -> Vec3 {
        self.y[v] - (self.velocity[v] - self.v[v]) * self.effective_dt[v]
    }

    /// Returns the displacement in the step if forces act as in the last step [m].
    #[inline]
    pub fn expected(&self, v: usize) -> Vec3 {
        self.y[v] + self.guess[v] * (self.effective_dt[v] * self.effective_dt[v])
    }
}

/// Force of the air on a vertex: `force - matrix v` for its velocity `v` at the end of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exchange {
    /// Force on the vertex at rest [N].
    pub force: Vec3,
    /// Resistance, positive semidefinite [N s/m].
    pub matrix: Mat3,
}

/// Number of elements evaluated side by side. Their values are stored as arrays, so that loops over them vectorise.
pub const WIDE: usize = 8;
/// Values of such a group of elements.
pub type Wide = [f64; WIDE];

/// Writes a vector in lane `l`.
#[inline(always)]
pub fn put(rows: &mut [Wide; 3], l: usize, v: Vec3) {
    rows[0][l] = v.x;
    rows[1][l] = v.y;
    rows[2][l] = v.z;
}

/// Returns the vector in lane `l`.
#[inline(always)]
pub fn take(rows: &[Wide; 3], l: usize) -> Vec3 {
    Vec3::new(rows[0][l], rows[1][l], rows[2][l])
}

/// Returns the values at an element's vertices.
#[inline]
pub fn pick<const N: usize>(values: &[Vec3], vertices: &[u32; N]) -> [Vec3; N] {
    std::array::from_fn(|a| values[vertices[a] as usize])
}
