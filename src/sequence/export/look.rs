//! Looks: the materials of exported faces, by the names of the input file, in the colour of the object.
//!
//! Colours are linear, as other programs have them. Roughness is no measured quantity of the library of fabrics: it is
//! set by eye, 0.8 for cloth, less for fabrics with a sheen.

use crate::mesh::Materials;
use crate::render::linear_from_srgb;
use crate::scene::Scene;

/// Material of faces in other programs: no metal, with this colour and roughness.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Name: that of the file, or of the object.
    pub name: String,
    /// Linear colour, 0 to 1.
    pub colour: [f64; 3],
    /// Roughness of the surface, 0 to 1.
    pub roughness: f64,
}

/// Roughness of cloth.
const CLOTH: f64 = 0.8;
/// Roughness of bodies and obstacles, the default of USD's preview surface.
const OTHER: f64 = 0.5;
/// Fabrics with a sheen: words of their names, and their roughness.
const SHEEN: [(&str, f64); 7] = [
    ("silk", 0.45),
    ("satin", 0.35),
    ("leather", 0.5),
    ("vinyl", 0.35),
    ("organza", 0.5),
    ("polyester", 0.6),
    ("nylon", 0.5),
];

/// Returns the roughness of a fabric.
fn roughness(fabric: &str) -> f64 {
    let fabric = fabric.to_ascii_lowercase();
    SHEEN.iter().find(|(word, _)| fabric.contains(word)).map_or(CLOTH, |(_, roughness)| *roughness)
}

impl Look {
    /// Returns the look of an object of a scene, with its name.
    pub fn of(scene: &Scene, object: &str) -> Look {
        let cloth = scene.cloths.iter().find(|cloth| cloth.name == object);
        let body = || scene.bodies.iter().find(|body| body.name == object).map(|body| body.colour);
        let obstacle = || scene.obstacles.iter().find(|obstacle| obstacle.name == object).map(|o| o.colour);
        let colour = cloth.map(|cloth| cloth.colour).or_else(body).or_else(obstacle).unwrap_or([0.5; 3]);
        // Six digits are more than a colour has, and short in text.
        let linear = |x: f64| (linear_from_srgb(x) * 1e6).round() / 1e6;
        let roughness = cloth.map_or(OTHER, |cloth| roughness(&cloth.material.name));
        Look { name: object.to_string(), colour: colour.map(linear), roughness }
    }

    /// Returns the colour in single precision.
    pub fn single(&self) -> [f32; 3] {
        self.colour.map(|c| c as f32)
    }
}

/// Returns the index of the look of each triangle. New looks are added to `all`. Triangles without a material of the
/// file have the look `own` of the object.
pub(super) fn painted(own: &Look, materials: &Materials, triangles: usize, all: &mut Vec<Look>) -> Vec<u32> {
    let mut known: Vec<Option<u32>> = vec![None; materials.names.len() + 1];
    let mut index = |number: usize| {
        let name = number.checked_sub(1).and_then(|k| materials.names.get(k)).unwrap_or(&own.name);
        let slot = known.get_mut(number)?;
        *slot = slot.or_else(|| {
            let look = Look { name: name.clone(), ..own.clone() };
            let place = all.iter().position(|other| *other == look);
            Some(place.unwrap_or_else(|| {
                all.push(look);
                all.len() - 1
            }) as u32)
        });
        *slot
    };
    (0..triangles)
        .map(|t| index(materials.triangles.get(t).map_or(0, |number| *number as usize)).unwrap_or(0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_share_looks_of_one_name_and_colour() {
        let mut all = Vec::new();
        let red = Look { name: "shirt".into(), colour: [1.0, 0.0, 0.0], roughness: 0.8 };
        let blue = Look { name: "trousers".into(), colour: [0.0, 0.0, 1.0], ..red.clone() };
        let materials = Materials { names: vec!["front".into(), "back".into()], triangles: vec![2, 0, 1, 1] };
        assert_eq!(painted(&red, &materials, 4, &mut all), [0, 1, 2, 2]);
        assert_eq!(all.iter().map(|look| look.name.as_str()).collect::<Vec<_>>(), ["back", "shirt", "front"]);
        assert_eq!(painted(&Look { name: "sleeve".into(), ..red }, &materials, 4, &mut all), [0, 3, 2, 2]);
        assert_eq!(painted(&blue, &materials, 4, &mut all), [4, 5, 6, 6]);
        assert_eq!(painted(&blue, &Materials::default(), 2, &mut all), [5, 5]);
        assert_eq!([roughness("silk"), roughness("Duchesse Satin"), roughness("felt")], [0.45, 0.35, 0.8]);
    }
}
