//! Geometry of touching. No stiffness, no friction.

/// Pairs within reach.
pub mod candidates;
/// Proof of separation over a step.
pub mod certificate;
/// Closest points.
pub mod closest;
/// Exact test for triangles that cross.
pub mod intersect;
/// Parts of surfaces and how they move.
pub mod patch;
/// All surfaces of a scene.
pub mod surface;
/// Signed distances of points, kept from step to step.
pub mod traversal;
/// Bounding-box tree.
pub mod tree;
/// Out of shallow crossings.
pub mod untangle;
