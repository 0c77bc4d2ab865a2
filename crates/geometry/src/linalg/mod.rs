//! Linear algebra: small vectors and blocks, sparse matrices, their solvers, and ordered parallel loops.

pub mod bicgstab;
mod block;
mod colours;
pub mod diffusion;
pub mod skyline;
pub mod four;
pub mod graph;
pub mod least;
pub mod matrix;
pub mod par;
pub mod partition;
pub mod pcg;
pub mod random;
pub mod poisson;
mod scaled;
pub mod sets;
pub mod tasks;

/// SIMD vectors.
pub use wide::{f32x4, f32x8, f64x4};

/// Two components: material coordinates, texture coordinates.
pub type Vec2 = nalgebra::Vector2<f64>;
/// Three components in world space, SI units.
pub type Vec3 = nalgebra::Vector3<f64>;
/// 2x2 matrix.
pub type Mat2 = nalgebra::Matrix2<f64>;
/// 3x3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// 4x4 matrix, for transforms of points.
pub type Mat4 = nalgebra::Matrix4<f64>;
/// Rotation of world space.
pub type Rotation = nalgebra::UnitQuaternion<f64>;
/// Unit vector.
pub type UnitVec3 = nalgebra::Unit<Vec3>;
