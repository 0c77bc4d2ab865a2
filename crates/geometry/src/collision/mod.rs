//! Geometry of contact: candidate pairs, distances, proofs of separation and intersection tests, without stiffness or
//! friction.

/// Broad phase: candidate pairs within reach.
pub mod candidates;
/// Continuous collision detection: proof of separation over a step.
pub mod certificate;
/// Closest points.
pub mod closest;
/// Exact test for triangles that cross.
pub mod intersect;
/// Keys of pairs of features.
pub mod key;
/// Patches: parts of surfaces and their motion.
pub mod patch;
/// All surfaces of a scene.
pub mod surface;
/// Signed distances of points, kept from step to step.
pub mod traversal;
/// Bounding-box tree.
pub mod tree;
/// Untangling of shallow crossings.
pub mod untangle;
