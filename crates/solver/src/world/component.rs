//! Connected components: vertices joined by laws such as membranes and solids.

use crate::force::elements::Elements;
use crate::linalg::sets::Sets;

/// Finds the component of each vertex and the mass of each component [kg] from the vertex masses.
pub fn components(elements: &Elements, mass: &[f64]) -> (Vec<u32>, Vec<f64>) {
    let mut sets = Sets::new(mass.len());
    elements.each_term(|term| {
        if term.joins() {
            term.pairs(&mut |a, b| sets.join(a, b));
        }
    });
    let component = sets.places();
    let mut masses = vec![0.0; sets.count()];
    component.iter().zip(mass).for_each(|(component, mass)| masses[*component as usize] += mass);
    (component, masses)
}
