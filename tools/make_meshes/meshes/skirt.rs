//! A skirt of two panels around the mannequin.

use super::garment::{Panel, sew};
use super::mannequin::without_arms;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use std::f64::consts::PI;

/// Height of the waistband and of the hem [m].
const WAIST: f64 = 1.040;
const HEM: f64 = 0.500;
/// Gap to the mannequin at the waistband [m], and increase of the radius per height going down [m/m].
const GAP: f64 = 0.006;
const FLARE: f64 = 0.30;
/// Number and depth [m] of the flutes at the hem.
const FLUTES: f64 = 8.0;
const FLUTE: f64 = 0.035;

/// Makes a flared skirt from the waist to above the knee of `mannequin`, of a front and a back panel of `columns / 2` x
/// `rows` cells sewn at the sides. It is 6 mm from the mannequin at the waist, more below. Groups: `waist` (top ring)
/// and `hem`.
pub fn skirt(columns: usize, rows: usize) -> TriMesh {
    let columns = columns.max(8).next_multiple_of(2);
    let rows = rows.max(2);
    let angle = |i: usize| 2.0 * PI * i as f64 / columns as f64;
    let height = |j: usize| WAIST + (HEM - WAIST) * j as f64 / rows as f64;
    // Distance from the axis, row by row downwards: never closer than the gap, never narrower than the row above.
    let least: Vec<f64> = (0..(rows + 1) * columns).map(|n| reach(angle(n % columns), height(n / columns))).collect();
    let mut radius = least.clone();
    for n in columns..radius.len() {
        radius[n] = least[n].max(radius[n - columns] + FLARE * (height(0) - height(1)));
    }
    for _ in 0..6 {
        let old = radius.clone();
        for n in columns..radius.len() {
            let (i, row) = (n % columns, n / columns * columns);
            let (left, right) = (old[row + (i + columns - 1) % columns], old[row + (i + 1) % columns]);
            let below = old.get(n + columns).copied().unwrap_or(2.0 * old[n] - old[n - columns]);
            radius[n] = least[n].max(0.25 * (left + right + below + old[n - columns]));
        }
    }
    let positions = (0..radius.len())
        .map(|n| {
            let (i, j) = (n % columns, n / columns);
            let depth = j as f64 / rows as f64;
            let flute = FLUTE * depth * depth * 0.5 * (1.0 - (FLUTES * angle(i)).cos());
            let r = radius[n] + flute;
            Vec3::new(r * angle(i).cos(), height(j), r * angle(i).sin())
        })
        .collect::<Vec<_>>();

    let half = columns / 2;
    let panels = [0, half].map(|first| {
        let ids: Vec<Vec<Option<u32>>> = (0..=rows)
            .map(|j| (0..=half).map(|i| Some((j * columns + (first + i) % columns) as u32)).collect())
            .collect();
        Panel::of_rows(&positions, &ids, [-1.0, -1.0])
    });
    let mut mesh = sew(&positions, &panels);
    mesh.groups.insert("waist".into(), (0..columns as u32).collect());
    mesh.groups.insert("hem".into(), ((rows * columns) as u32..((rows + 1) * columns) as u32).collect());
    mesh
}

/// Returns the distance from the y-axis at which an inward ray along `angle` at height `y` is [`GAP`] away from the
/// body.
fn reach(angle: f64, y: f64) -> f64 {
    let mut r = 0.5;
    for _ in 0..400 {
        let gap = without_arms(Vec3::new(r * angle.cos(), y, r * angle.sin())) - GAP;
        if gap < 1e-5 || r <= 0.0 {
            break;
        }
        r -= 0.5 * gap;
    }
    r
}
