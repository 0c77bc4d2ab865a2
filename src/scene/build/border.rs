//! `[[cloth.seam]]`: pairs of vertices of the seams of a mesh.

use super::faults::Faults;
use super::select::{self, Groups};
use crate::mesh::TriMesh;
use crate::mesh::border::{between, of_coincident, of_pairs};
use crate::mesh::seam::Seam;
use crate::scene::border::{Border, Sides};

/// Returns the seams of a mesh. `key` is the path of the cloth in the scene.
pub(super) fn seams(borders: &[Border], mesh: &TriMesh, groups: &Groups, key: &str, faults: &mut Faults) -> Vec<Seam> {
    let mut all = Vec::new();
    for (k, border) in borders.iter().enumerate() {
        let key = format!("{key}.seam[{k}]");
        let name = &border.name;
        match &border.sides {
            Sides::Groups(names) => {
                let mut members = Vec::new();
                for (n, group) in names.iter().enumerate() {
                    match select::named(group, groups) {
                        Ok(own) => members.push(own),
                        Err(message) => faults.fault(&format!("{key}.groups[{n}]"), message),
                    }
                }
                let [a, b] = &members[..] else { continue };
                match between(mesh, name, [a, b], border.flip) {
                    Ok((seam, free)) => {
                        if free > 0 {
                            let message = format!(
                                "its sides have {} and {} vertices; {free} of the longer list stay free",
                                seam.pairs.len(),
                                seam.pairs.len() + free
                            );
                            faults.warn(&format!("{key}.groups"), message);
                        }
                        all.push(seam);
                    }
                    Err((side, message)) => {
                        faults.fault(&format!("{key}.groups[{side}]"), format!("'{}': {message}", names[side]));
                    }
                }
            }
            Sides::Pairs(pairs) => {
                let count = mesh.positions.len();
                let wrong =
                    pairs.iter().position(|pair| pair[0] == pair[1] || pair.iter().any(|v| *v as usize >= count));
                match wrong {
                    Some(n) => {
                        let message =
                            format!("two vertices of the mesh, 0 to {}, which differ", count.saturating_sub(1));
                        faults.fault(&format!("{key}.pairs[{n}]"), message);
                    }
                    None => all.push(of_pairs(mesh, name, pairs.iter().map(|pair| [pair[0], pair[1]]).collect())),
                }
            }
            Sides::Coincident => {
                let seam = of_coincident(mesh, name);
                if seam.pairs.is_empty() {
                    let message = "no border vertices coincide; with 'weld' they are joined already";
                    faults.fault(&format!("{key}.coincident"), message.to_string());
                } else {
                    all.push(seam);
                }
            }
        }
    }
    all
}
