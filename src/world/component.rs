//! Components: vertices that membranes, bending and solids join.

use crate::force::elements::Elements;
use crate::linalg::sets::Sets;

/// Component of each vertex, and the mass of each component [kg], from the masses of the vertices.
pub fn components(elements: &Elements, mass: &[f64]) -> (Vec<u32>, Vec<f64>) {
    let mut sets = Sets::new(mass.len());
    let Elements { triangles, hinges, tetrahedra, .. } = elements;
    let mut join = |vertices: &[u32]| vertices[1..].iter().for_each(|v| sets.join(vertices[0], *v));
    triangles.iter().for_each(|t| join(&t.vertices));
    hinges.iter().for_each(|h| join(&h.vertices));
    tetrahedra.iter().for_each(|t| join(&t.vertices));
    let component = sets.places();
    let mut masses = vec![0.0; sets.count()];
    component.iter().zip(mass).for_each(|(component, mass)| masses[*component as usize] += mass);
    (component, masses)
}
