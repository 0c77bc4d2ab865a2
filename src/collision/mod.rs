//! Geometry of touching. No stiffness, no friction.
