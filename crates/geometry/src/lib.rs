//! Linear algebra, meshes, sewing patterns and collision geometry of percale.
//!
//! Nothing here knows of forces or time. `percale` shows these modules under its own name.

#![warn(unreachable_pub)]

/// Linear algebra: 3x3 blocks, block-sparse matrices, conjugate gradients, ordered (deterministic) parallel loops.
pub mod linalg;
/// Triangle meshes: topology, rest measures, charts, named groups, generators; OBJ and PLY. Tetrahedral meshes: Gmsh,
/// TetGen, VTK; checks, quality, surface.
pub mod mesh;
/// Sewing patterns: flat panels with edges and stitches, from GarmentCode, SVG and apparel DXF, as a mesh.
pub mod pattern;
/// Collision geometry: boxes, trees, grids, closest points, exact intersection, candidate pairs.
pub mod collision;
