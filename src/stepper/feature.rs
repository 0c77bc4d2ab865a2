//! Which contacts of one vertex count: each nearest point once.

use super::touch::Element;

/// Of the contacts of one vertex with faces that share the nearest edge or corner, keeps the nearest: the others are no local
/// minima of the distance, or the same point again. Contacts from `first` on are sorted by vertex.
pub fn keep_local_minima(contacts: &mut Vec<Element>, first: usize) {
    let mut keep = vec![true; contacts.len() - first];
    let mut start = first;
    while start < contacts.len() {
        let v = contacts[start].vertices[0];
        let mut end = start + 1;
        while end < contacts.len() && contacts[end].vertices[0] == v {
            end += 1;
        }
        for i in start..end {
            let c = &contacts[i];
            let feature = |k: &usize| c.weights[*k] != 0.0;
            let on_border = (1..4).filter(feature).count() < 3;
            keep[i - first] = !on_border
                || (start..end).filter(|j| *j != i).all(|j| {
                    let other = &contacts[j];
                    let shares = (1..4).filter(feature).all(|k| other.vertices[1..].contains(&c.vertices[k]));
                    let (a, b) = (c.distance, other.distance * (1.0 + 1e-9));
                    !shares || (a <= b && (b > a * (1.0 + 3e-9) || i < j))
                });
        }
        start = end;
    }
    let mut k = 0;
    contacts.retain(|_| {
        k += 1;
        k <= first || keep[k - 1 - first]
    });
}
