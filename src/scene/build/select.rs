//! Selection of vertices by group, region, list or nearest place.

use crate::linalg::Vec3;
use crate::mesh::group;
use crate::scene::fault::meant;
use crate::scene::place::{Group, Members, Selector};
use crate::scene::unit::rounded;
use std::collections::BTreeMap;

/// Named groups of the mesh file and of the object.
pub(crate) type Groups = BTreeMap<String, Vec<u32>>;

/// Error of a selection: the key below the selector's table, and the message.
pub(crate) type Refusal = (&'static str, String);

/// Returns the vertices of a selector, in ascending order. An empty selection is an error.
pub(crate) fn vertices(selector: &Selector, x: &[Vec3], groups: &Groups) -> Result<Vec<u32>, Refusal> {
    match selector {
        Selector::Group(name) => named(name, groups).map_err(|message| ("group", message)),
        Selector::Box(region) => some_in_box(x, region.min, region.max).map_err(|message| ("box", message)),
        Selector::Sphere(ball) => some_in_sphere(x, ball.center, ball.radius).map_err(|message| ("sphere", message)),
        Selector::Vertices(list) => listed(x.len(), list).map_err(|message| ("vertices", message)),
        Selector::Nearest(p) => match nearest(x, p) {
            Some((vertex, _)) => Ok(vec![vertex]),
            None => Err(("nearest", "the mesh has no vertices".to_string())),
        },
        Selector::All => Ok((0..x.len() as u32).collect()),
    }
}

/// Returns the vertices of a group that the scene defines.
pub(crate) fn members(group: &Group, x: &[Vec3]) -> Result<Vec<u32>, Refusal> {
    match &group.members {
        Members::Box(region) => some_in_box(x, region.min, region.max).map_err(|message| ("box", message)),
        Members::Sphere(ball) => some_in_sphere(x, ball.center, ball.radius).map_err(|message| ("sphere", message)),
        Members::Vertices(list) => listed(x.len(), list).map_err(|message| ("vertices", message)),
    }
}

/// Returns the vertices of a group by its name.
pub(crate) fn named(name: &str, groups: &Groups) -> Result<Vec<u32>, String> {
    match groups.get(name) {
        Some(members) if members.is_empty() => Err(format!("the group '{name}' has no vertices")),
        Some(members) => Ok(members.clone()),
        None => Err(format!("there is no group '{name}', {}{}", known(groups), meant(name, names(groups)))),
    }
}

/// Says that a mesh has no scalar property of this name.
pub(crate) fn no_channel(name: &str, channels: &BTreeMap<String, Vec<f64>>) -> String {
    let names = || channels.keys().map(String::as_str);
    let known = names().map(|n| format!("'{n}'")).collect::<Vec<_>>().join(", ");
    let has = if known.is_empty() { "has none".to_string() } else { format!("has {known}") };
    format!("the mesh has no channel '{name}', it {has}{}", meant(name, names()))
}

fn names(groups: &Groups) -> impl Iterator<Item = &str> {
    groups.keys().map(String::as_str)
}

fn known(groups: &Groups) -> String {
    const MOST_LISTED: usize = 12;
    let reported: Vec<String> = names(groups).take(MOST_LISTED).map(|n| format!("'{n}'")).collect();
    match groups.len() {
        0 => "neither mesh nor scene names any".to_string(),
        n if n > MOST_LISTED => format!("known are {} and {} more", reported.join(", "), n - MOST_LISTED),
        _ => format!("known are {}", reported.join(", ")),
    }
}

fn some_in_box(x: &[Vec3], min: Vec3, max: Vec3) -> Result<Vec<u32>, String> {
    let found = group::in_box(x, min, max);
    if found.is_empty() { Err(nothing("box", x, &(0.5 * (min + max)))) } else { Ok(found) }
}

fn some_in_sphere(x: &[Vec3], center: Vec3, radius: f64) -> Result<Vec<u32>, String> {
    let found = group::in_sphere(x, center, radius);
    if found.is_empty() { Err(nothing("sphere", x, &center)) } else { Ok(found) }
}

fn listed(count: usize, list: &[u32]) -> Result<Vec<u32>, String> {
    group::listed(count, &list.iter().map(|v| i64::from(*v)).collect::<Vec<_>>())
}

fn nothing(what: &str, x: &[Vec3], center: &Vec3) -> String {
    match nearest(x, center) {
        Some((vertex, p)) => format!(
            "no vertex lies in this {what}; the nearest to its centre is {vertex} at ({:.4}, {:.4}, {:.4}) m",
            p.x, p.y, p.z
        ),
        None => "the mesh has no vertices".to_string(),
    }
}

fn nearest(x: &[Vec3], to: &Vec3) -> Option<(u32, Vec3)> {
    let nearer = |a: &(u32, &Vec3), b: &(u32, &Vec3)| (a.1 - to).norm().total_cmp(&(b.1 - to).norm());
    (0..).zip(x).min_by(nearer).map(|(v, p)| (v, *p))
}

/// Distance of a place from its nearest vertex above which a warning is given, relative to the mean edge.
const FAR: f64 = 5.0;

/// Describes a place that is far from the vertex that it selects. `edge` is the mean edge of the mesh [m]. Returns
/// `None` if the place is near.
pub(crate) fn astray(selector: &Selector, x: &[Vec3], edge: f64) -> Option<String> {
    let Selector::Nearest(place) = selector else { return None };
    let (vertex, p) = nearest(x, place)?;
    let far = (p - place).norm();
    (edge > 0.0 && far > FAR * edge).then(|| {
        format!(
            "the nearest vertex, {vertex} at ({:.4}, {:.4}, {:.4}) m, is {} m away, {} mean edges; places are in metres in the world, \
             after transform: give one on the mesh, or vertices = [{vertex}]",
            p.x,
            p.y,
            p.z,
            rounded(far),
            rounded(far / edge)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::place::Region;

    fn line() -> Vec<Vec3> {
        (0..5).map(|i| Vec3::new(f64::from(i), 0.0, 0.0)).collect()
    }

    #[test]
    fn an_empty_selection_names_the_nearest_vertex() {
        let region = Region { min: Vec3::new(1.8, 0.5, -1.0), max: Vec3::new(2.8, 1.0, 1.0) };
        let refused = vertices(&Selector::Box(region), &line(), &Groups::new());
        let message = "no vertex lies in this box; the nearest to its centre is 2 at (2.0000, 0.0000, 0.0000) m";
        assert_eq!(refused, Err(("box", message.to_string())));
    }

    #[test]
    fn an_unknown_group_names_those_that_are_there() {
        let groups: Groups = [("waist".to_string(), vec![1]), ("hem".to_string(), vec![2])].into();
        let message = "there is no group 'wiast', known are 'hem', 'waist'; did you mean 'waist'?";
        assert_eq!(named("wiast", &groups), Err(message.to_string()));
        assert_eq!(named("hem", &groups), Ok(vec![2]));
    }

    #[test]
    fn the_nearest_vertex_and_lists() {
        let groups = Groups::new();
        assert_eq!(vertices(&Selector::Nearest(Vec3::new(2.6, 1.0, 0.0)), &line(), &groups), Ok(vec![3]));
        assert_eq!(vertices(&Selector::Vertices(vec![4, 0, 4]), &line(), &groups), Ok(vec![0, 4]));
        assert!(vertices(&Selector::Vertices(vec![5]), &line(), &groups).is_err());
        assert_eq!(vertices(&Selector::All, &line(), &groups).map(|v| v.len()), Ok(5));
    }
}
