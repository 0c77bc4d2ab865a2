//! Enlarged pictures, for drafts.

use super::picture::Picture;

impl Picture {
    /// Returns an enlarged picture: colour between the pixels' centres, the other planes of the nearest pixel.
    pub fn larger(self, width: usize, height: usize) -> Picture {
        if self.width == 0 || self.height == 0 || [self.width, self.height] == [width, height] {
            return self;
        }
        let (across, down) = (taps(self.width, width), taps(self.height, height));
        let count = width * height;
        let mut colour = Vec::with_capacity(count);
        let mut nearest = Vec::with_capacity(count);
        for (row, next, v) in down {
            for (left, right, u) in &across {
                let at = |x: usize, y: usize| self.colour[y * self.width + x];
                let [a, b] = [row, next].map(|y| mix(at(*left, y), at(*right, y), *u));
                colour.push(mix(a, b, v));
                let pick = |a: usize, b: usize, share: f32| if share < 0.5 { a } else { b };
                nearest.push(pick(row, next, v) * self.width + pick(*left, *right, *u));
            }
        }
        Picture {
            width,
            height,
            colour,
            depth: nearest.iter().map(|i| self.depth[*i]).collect(),
            normal: nearest.iter().map(|i| self.normal[*i]).collect(),
            object: nearest.iter().map(|i| self.object[*i]).collect(),
            ..self
        }
    }
}

fn mix(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|c| a[c] + (b[c] - a[c]) * share)
}

/// Returns the two source pixels around the centre of each of `count` new pixels, and the share of the second.
fn taps(source: usize, count: usize) -> Vec<(usize, usize, f32)> {
    let one = |i: usize| {
        let place = ((i as f64 + 0.5) * source as f64 / count as f64 - 0.5).clamp(0.0, (source - 1) as f64);
        let first = place as usize;
        (first, (first + 1).min(source - 1), (place - first as f64) as f32)
    };
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Camera, Picture, Settings, draw};
    use crate::linalg::Vec3;

    /// A picture of a background alone, with numbers in its planes.
    fn numbered() -> Picture {
        let camera = Camera { position: Vec3::z(), target: Vec3::zeros(), fov: 0.5, roll: 0.0 };
        let mut picture = draw(&[], Vec3::y(), &Settings::new(2, 2, camera, Vec3::y()));
        picture.colour = [0.0, 1.0, 2.0, 3.0].map(|x| [x; 3]).to_vec();
        picture.object = vec![0, 1, 2, 3];
        picture
    }

    #[test]
    fn colours_are_between_and_objects_are_kept() {
        let large = numbered().larger(4, 4);
        let row = |y: usize| [0, 1, 2, 3].map(|x| large.colour[4 * y + x][0]);
        assert_eq!(row(0), [0.0, 0.25, 0.75, 1.0]);
        assert_eq!(row(1), [0.5, 0.75, 1.25, 1.5]);
        assert_eq!(large.object[..8], [0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(large.object[8..], [2, 2, 3, 3, 2, 2, 3, 3]);
        assert_eq!((large.depth.len(), large.normal.len()), (16, 16));
    }

    #[test]
    fn the_same_size_changes_nothing() {
        assert_eq!(numbered().larger(2, 2), numbered());
    }
}
