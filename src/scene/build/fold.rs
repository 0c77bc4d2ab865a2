//! `[[cloth.fold]]`: edges of the mesh along fold lines.

use super::faults::Faults;
use super::select::{self, Groups};
use crate::mesh::TriMesh;
use crate::mesh::topology::Topology;
use crate::scene::cloth::{Cloth, Model};
use crate::world::build::FoldLine;
use crate::world::keyed::Ramp;
use std::collections::BTreeMap;

/// Returns the fold lines of a cloth. `ramp` takes start and duration to the time of the run.
pub(super) fn lines(
    cloth: &Cloth,
    (mesh, groups): (&TriMesh, &Groups),
    ramp: impl Fn(f64, f64) -> Ramp,
    key: &str,
    faults: &mut Faults,
) -> Vec<FoldLine> {
    if cloth.folds.is_empty() {
        return Vec::new();
    }
    if cloth.model != Model::Fem {
        faults.fault(&format!("{key}.fold"), "springs have no angle at rest; give model = \"fem\", or leave this out");
        return Vec::new();
    }
    let topology = Topology::new(mesh.positions.len(), &mesh.joined_triangles());
    let mut known: BTreeMap<[u32; 2], usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for (k, fold) in cloth.folds.iter().enumerate() {
        let mut all = Vec::new();
        for (n, name) in fold.groups.iter().enumerate() {
            match named(name, groups).and_then(|found| edges(&found, mesh, &topology)) {
                Ok(own) => all.extend(own),
                Err(message) => faults.fault(&format!("{key}.fold[{k}].groups[{n}]"), message),
            }
        }
        all.sort_unstable();
        all.dedup();
        if let Some(other) = all.iter().find_map(|edge| known.get(edge)) {
            let message = format!("shares edges with those of fold {other}; an edge has one angle, name its line once");
            faults.fault(&format!("{key}.fold[{k}].groups"), message);
        }
        known.extend(all.iter().map(|edge| (*edge, k)));
        let (angle, stiffness) = (fold.angle, fold.stiffness);
        lines.push(FoldLine { edges: all, angle, stiffness, ramp: ramp(fold.from, fold.over) });
    }
    lines
}

/// Returns the groups of a name, in which `*` stands for any characters, with their names.
fn named(name: &str, groups: &Groups) -> Result<Vec<(String, Vec<u32>)>, String> {
    let Some((head, tail)) = name.split_once('*') else {
        return select::named(name, groups).map(|members| vec![(name.to_string(), members)]);
    };
    let fits = |own: &str| own.len() >= head.len() + tail.len() && own.starts_with(head) && own.ends_with(tail);
    let found: Vec<_> =
        groups.iter().filter(|(own, _)| fits(own)).map(|(own, all)| (own.clone(), all.clone())).collect();
    if found.is_empty() {
        // The refusal of such a name tells those that there are.
        return Err(select::named(name, groups).err().unwrap_or_default());
    }
    Ok(found)
}

/// Returns the edges of lines: those inside the mesh that have both ends in one of them.
fn edges(found: &[(String, Vec<u32>)], mesh: &TriMesh, topology: &Topology) -> Result<Vec<[u32; 2]>, String> {
    let mut all = Vec::new();
    for (name, members) in found {
        let mut inside = vec![false; mesh.positions.len()];
        members.iter().for_each(|v| inside[*v as usize] = true);
        let joined = mesh.joined_triangles();
        let has = |ends: &[u32]| ends.iter().all(|v| inside[*v as usize]);
        let whole = joined.iter().filter(|t| has(&t[..])).count();
        let own: Vec<_> =
            topology.edges.iter().zip(&topology.edge_valence).filter(|(edge, _)| has(&edge[..])).collect();
        let within: Vec<[u32; 2]> = own.iter().filter(|(_, count)| **count == 2).map(|(edge, _)| **edge).collect();
        let message = match (own.len(), within.len()) {
            (0, _) => "is no line of the mesh: no edge has both ends in it; name a line of the pattern, or a group of \
                       vertices that edges join"
                .to_string(),
            (_, 0) => "is on the border, where nothing folds; name a line inside".to_string(),
            _ if whole > 0 => format!(
                "is no line: {whole} triangles have all of their vertices in it; name a group as wide as one vertex"
            ),
            _ => {
                all.extend(within);
                continue;
            }
        };
        return Err(format!("'{name}' {message}"));
    }
    Ok(all)
}
