//! Subdivision of cloth: Catmull & Clark 1978, "Recursively generated B-spline surfaces on arbitrary topological
//! meshes". Borders are cubic splines and their corners stay (`edgeAndCorner` in USD). Texture coordinates are
//! subdivided linearly, without smoothing.

use super::{Chart, Part, Sample};
use crate::mesh::polygon;
use std::collections::BTreeMap;

/// New values as weighted sums of old ones. Row `k` has the entries `starts[k] .. starts[k + 1]`.
#[derive(Default)]
struct Stencil {
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl Stencil {
    fn push(&mut self, row: impl IntoIterator<Item = (u32, f64)>) {
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        row.into_iter().for_each(|(v, weight)| *sums.entry(v).or_default() += weight);
        self.entries
            .extend(sums.into_iter().filter(|(_, weight)| *weight != 0.0).map(|(v, weight)| (v, weight as f32)));
        self.starts.push(self.entries.len());
    }

    fn apply<const N: usize>(&self, old: &[[f32; N]]) -> Vec<[f32; N]> {
        let row = |ends: &[usize]| {
            // In double precision, in which the three terms along a border have the same sum in any order.
            let mut sum = [0.0; N];
            for (v, weight) in &self.entries[ends[0]..ends[1]] {
                let weight = f64::from(*weight);
                sum.iter_mut().zip(old[*v as usize]).for_each(|(sum, x)| *sum += weight * f64::from(x));
            }
            sum.map(|x| x as f32)
        };
        self.starts.windows(2).map(row).collect()
    }
}

/// Edges of polygons: the number of each by its ends, lower first, and its faces.
struct Sides {
    number: BTreeMap<[u32; 2], usize>,
    faces: Vec<Vec<usize>>,
}

fn ends(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

/// Returns each corner of a face with the next one.
fn around(face: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    face.iter().copied().zip(face.iter().copied().cycle().skip(1))
}

impl Sides {
    fn of(faces: &[Vec<u32>]) -> Sides {
        let mut sides = Sides { number: BTreeMap::new(), faces: Vec::new() };
        for (f, face) in faces.iter().enumerate() {
            for (a, b) in around(face) {
                let next = sides.faces.len();
                let side = *sides.number.entry(ends(a, b)).or_insert(next);
                if side == next {
                    sides.faces.push(Vec::new());
                }
                sides.faces[side].push(f);
            }
        }
        sides
    }

    /// Builds a quad for each corner of each face: corner, following edge, face, preceding edge. New vertices are the
    /// old ones, then those of edges, then those of faces.
    fn quads(&self, faces: &[Vec<u32>], vertices: usize) -> Vec<Vec<u32>> {
        let (first_side, first_face) = (vertices as u32, (vertices + self.faces.len()) as u32);
        let side = |a: u32, b: u32| first_side + self.number[&ends(a, b)] as u32;
        let mut quads = Vec::with_capacity(faces.iter().map(Vec::len).sum());
        for (f, face) in faces.iter().enumerate() {
            let last = face.len() - 1;
            for (k, v) in face.iter().enumerate() {
                let (before, after) = (face[if k == 0 { last } else { k - 1 }], face[(k + 1) % face.len()]);
                quads.push(vec![*v, side(*v, after), first_face + f as u32, side(before, *v)]);
            }
        }
        quads
    }
}

/// Returns the mean of some vertices, times a factor.
fn mean(of: &[u32], factor: f64) -> impl Iterator<Item = (u32, f64)> + '_ {
    of.iter().map(move |v| (*v, factor / of.len() as f64))
}

/// Computes the stencil of one level: new positions from old ones. Border vertices in `held` keep their place.
fn smooth(faces: &[Vec<u32>], sides: &Sides, vertices: usize, held: &[bool]) -> Stencil {
    let mut faces_of = vec![Vec::new(); vertices];
    let mut sides_of = vec![Vec::new(); vertices];
    for (f, face) in faces.iter().enumerate() {
        face.iter().for_each(|v| faces_of[*v as usize].push(f));
    }
    let mut all = vec![[0; 2]; sides.faces.len()];
    for (ends, k) in &sides.number {
        all[*k] = *ends;
        ends.iter().for_each(|v| sides_of[*v as usize].push(*k));
    }
    let border = |k: &usize| sides.faces[*k].len() != 2;
    let mut stencil = Stencil::default();
    for v in 0..vertices as u32 {
        let (around, own) = (&sides_of[v as usize], &faces_of[v as usize]);
        let edge: Vec<usize> = around.iter().copied().filter(border).collect();
        let other = |k: usize| if all[k][0] == v { all[k][1] } else { all[k][0] };
        match edge[..] {
            [] if !own.is_empty() => {
                let n = around.len() as f64;
                let of_faces = own.iter().flat_map(|f| mean(&faces[*f], 1.0 / (n * own.len() as f64)));
                let of_sides = around.iter().flat_map(|k| mean(&all[*k], 2.0 / (n * n)));
                stencil.push(of_faces.chain(of_sides).chain([(v, (n - 3.0) / n)]));
            }
            // A corner of one face stays, as does a non-manifold vertex.
            [a, b] if own.len() > 1 && held.get(v as usize) != Some(&true) => {
                stencil.push([(other(a), 0.125), (v, 0.75), (other(b), 0.125)])
            }
            _ => stencil.push([(v, 1.0)]),
        }
    }
    for (ends, own) in all.iter().zip(&sides.faces) {
        match own[..] {
            [f, g] => stencil.push(mean(ends, 0.5).chain(mean(&faces[f], 0.25)).chain(mean(&faces[g], 0.25))),
            _ => stencil.push(mean(ends, 1.0)),
        }
    }
    faces.iter().for_each(|face| stencil.push(mean(face, 1.0)));
    stencil
}

/// Computes texture coordinates of one level: corners, midpoints of edges, centres of faces.
fn halved(uv: &[[f32; 2]], faces: &[Vec<u32>]) -> (Vec<[f32; 2]>, Vec<Vec<u32>>) {
    let sides = Sides::of(faces);
    let mut stencil = Stencil::default();
    (0..uv.len() as u32).for_each(|v| stencil.push([(v, 1.0)]));
    let mut all = vec![[0; 2]; sides.faces.len()];
    sides.number.iter().for_each(|(ends, k)| all[*k] = *ends);
    all.iter().for_each(|ends| stencil.push(mean(ends, 1.0)));
    faces.iter().for_each(|face| stencil.push(mean(face, 1.0)));
    (stencil.apply(uv), sides.quads(faces, uv.len()))
}

/// Splits each quad into two triangles.
fn triangles(quads: &[Vec<u32>]) -> Vec<[u32; 3]> {
    quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect()
}

/// A subdivided surface.
pub(super) struct Subdivision {
    levels: Vec<Stencil>,
}

impl Subdivision {
    /// Subdivides a part `times` times. Each corner of a face becomes a quad. Border vertices in `held` keep their
    /// place, as ends of seams must. Returns the number of triangles of each face.
    pub(super) fn new(part: &mut Part, times: u8, held: &[bool]) -> (Subdivision, Vec<u32>) {
        let loops = |corners: &[[u32; 3]]| -> Vec<Vec<u32>> {
            part.faces.iter().map(|face| face.iter().map(|[t, k]| corners[*t][*k]).collect()).collect()
        };
        let mut faces = loops(&part.triangles);
        let mut chart = match part.chart.take() {
            Some(Chart::Vertices(uv)) => Some((uv, faces.clone(), false)),
            Some(Chart::Corners(uv, corners)) => Some((uv, loops(&corners), true)),
            None => None,
        };
        let mut levels = Vec::new();
        let of_faces =
            |of: &[u32]| -> Vec<u32> { part.faces.iter().filter_map(|f| of.get(f.first()?[0])).copied().collect() };
        let mut numbers = [of_faces(&part.looks), of_faces(&part.origins.triangles)];
        for _ in 0..times {
            for all in &mut numbers {
                *all = all.iter().zip(&faces).flat_map(|(own, face)| std::iter::repeat_n(*own, face.len())).collect();
            }
            let sides = Sides::of(&faces);
            levels.push(smooth(&faces, &sides, part.vertices, held));
            let quads = sides.quads(&faces, part.vertices);
            part.vertices += sides.faces.len() + faces.len();
            faces = quads;
            if let Some((uv, own, _)) = &mut chart {
                (*uv, *own) = halved(uv, own);
            }
        }
        part.triangles = triangles(&faces);
        [part.looks, part.origins.triangles] = numbers.map(|all| all.iter().flat_map(|own| [*own; 2]).collect());
        let counts = vec![2; faces.len()];
        part.faces = polygon::faces(&part.triangles, &counts);
        part.chart = chart.map(|(uv, own, seams)| match seams {
            true => Chart::Corners(uv, triangles(&own)),
            false => Chart::Vertices(uv),
        });
        (Subdivision { levels }, counts)
    }

    /// Computes the subdivided surface, with its values per vertex.
    pub(super) fn refine(&self, mut sample: Sample) -> Sample {
        for level in &self.levels {
            sample.positions = level.apply(&sample.positions);
            sample.velocities = sample.velocities.map(|v| level.apply(&v));
            sample.fields.iter_mut().for_each(|(_, values)| *values = level.apply(values));
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Materials;
    use crate::sequence::export::normals::seam_ends;

    fn part(vertices: usize, triangles: Vec<[u32; 3]>, counts: &[u32], chart: Option<Chart>) -> Part {
        let faces = polygon::faces(&triangles, counts);
        Part {
            name: "s".into(),
            vertices,
            faces,
            looks: (0..triangles.len() as u32).map(|t| t / 2).collect(),
            origins: Materials {
                names: vec!["a".into(), "b".into()],
                triangles: (0..triangles.len() as u32).map(|t| 1 + u32::from(t > 1)).collect(),
            },
            triangles,
            chart,
            colour: [0.5; 3],
            smooth: true,
            normals: false,
            still: false,
            there: None,
        }
    }

    fn sample(positions: Vec<[f32; 3]>) -> Sample {
        Sample { velocities: Some(positions.clone()), positions, fields: Vec::new() }
    }

    /// A cube of side 2, once: corners move to 5/9, edge midpoints to 3/4, face centres to 1.
    #[test]
    fn a_cube_becomes_round() {
        let sign = |bit: u32| if bit == 1 { 1.0 } else { -1.0 };
        let corners: Vec<[f32; 3]> = (0..8u32).map(|k| [sign(k & 1), sign(k >> 1 & 1), sign(k >> 2 & 1)]).collect();
        let quads: [[u32; 4]; 6] = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let quads: Vec<Vec<u32>> = quads.iter().map(|q| q.to_vec()).collect();
        let mut cube = part(8, triangles(&quads), &[2; 6], None);
        let (finer, counts) = Subdivision::new(&mut cube, 1, &[]);
        let x = finer.refine(sample(corners)).positions;
        assert_eq!((x.len(), cube.vertices, cube.faces.len(), counts.len()), (26, 26, 24, 24));
        assert!(cube.faces.iter().all(|face| face.len() == 4));
        // Each quad keeps the look of the face that it is cut from.
        assert!(cube.face_looks().enumerate().all(|(quad, look)| look == quad as u32 / 4));
        assert!(cube.face_origins().unwrap().enumerate().all(|(quad, origin)| origin == i32::from(quad > 3)));
        let sizes = |p: &[f32; 3]| {
            let mut all = p.map(f32::abs);
            all.sort_by(f32::total_cmp);
            all
        };
        let near = |p: &[f32; 3], q: [f32; 3]| sizes(p).iter().zip(q).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(x[..8].iter().all(|p| near(p, [5.0 / 9.0; 3])), "{:?}", &x[..8]);
        assert!(x[8..20].iter().all(|p| near(p, [0.0, 0.75, 0.75])), "{:?}", &x[8..20]);
        assert!(x[20..].iter().all(|p| near(p, [0.0, 0.0, 1.0])), "{:?}", &x[20..]);
    }

    /// A flat sheet of equal squares keeps its shape, corners included, since a cubic spline reproduces linear
    /// functions. So its chart, which is only subdivided linearly, matches the sheet.
    #[test]
    fn a_flat_sheet_stays_flat() {
        let at = |k: usize| [(k % 4) as f32, (k / 4) as f32];
        let quads: Vec<Vec<u32>> = (0..9u32).map(|q| q / 3 * 4 + q % 3).map(|a| vec![a, a + 1, a + 5, a + 4]).collect();
        let corners = triangles(&quads);
        for seams in [false, true] {
            let uv: Vec<[f32; 2]> = (0..16).map(at).collect();
            let chart = if seams { Chart::Corners(uv, corners.clone()) } else { Chart::Vertices(uv) };
            let mut sheet = part(16, corners.clone(), &[2; 9], Some(chart));
            let (finer, _) = Subdivision::new(&mut sheet, 2, &[]);
            let positions = (0..16).map(at).map(|[x, y]| [x, y, x + 2.0 * y]).collect();
            let fine = finer.refine(sample(positions));
            assert_eq!(fine.velocities.as_ref(), Some(&fine.positions));
            let x = &fine.positions;
            assert_eq!((x.len(), sheet.faces.len()), (13 * 13, 144));
            assert!(x.iter().all(|p| (p[2] - p[0] - 2.0 * p[1]).abs() < 1e-5), "not flat");
            let most = x.iter().map(|p| p[0].max(p[1])).fold(0.0, f32::max);
            let corner = |p: &&[f32; 3]| p[0].min(p[1]) == 0.0 && p[0].max(p[1]) == 3.0;
            assert!(most == 3.0 && x.iter().filter(corner).count() == 2, "its corners are gone");
            let Some(chart) = &sheet.chart else { panic!("no chart") };
            let (uv, own) = match chart {
                Chart::Vertices(uv) => (uv, &sheet.triangles),
                Chart::Corners(uv, own) => (uv, own),
            };
            let places = sheet.triangles.as_flattened().iter().zip(own.as_flattened());
            let apart = |(v, c): (&u32, &u32)| {
                let (p, q) = (x[*v as usize], uv[*c as usize]);
                (p[0] - q[0]).abs().max((p[1] - q[1]).abs())
            };
            assert!(places.map(apart).fold(0.0, f32::max) < 1e-5, "the chart is not where the sheet is");
        }
    }

    /// Two sheets that are joined along half of an edge meet as closely when finer, to the end of the seam.
    #[test]
    fn a_seam_stays_closed() {
        let at = |k: u32| [(k % 3) as f32 * 0.7, (k / 3) as f32 * 0.3, (k % 3 * k) as f32 * 0.01];
        let first: Vec<[f32; 3]> = (0..9).map(at).collect();
        let second = (0..9).map(|k| at(k / 3 * 3 + 2).map(|x| x + 0.0)).zip(0..9u32);
        let second = second
            .map(|([x, y, z], k)| [x + if k == 6 { 0.2 } else { (k % 3) as f32 * 0.1 }, y, z - (k % 3) as f32 * 0.8]);
        let positions: Vec<[f32; 3]> = first.into_iter().chain(second).collect();
        let quads =
            [0u32, 9].into_iter().flat_map(|k| [0, 1, 3, 4].map(|a| vec![a + k, a + k + 1, a + k + 4, a + k + 3]));
        let all = triangles(&quads.collect::<Vec<_>>());
        let held = seam_ends(&positions, &all);
        assert_eq!((0..18).filter(|v| held[*v]).collect::<Vec<_>>(), [2, 5, 9, 12]);
        for (held, wanted) in [(&held[..], 5), (&[], 2)] {
            let (finer, _) = Subdivision::new(&mut part(18, all.clone(), &[2; 8], None), 2, held);
            let x = finer.refine(sample(positions.clone())).positions;
            let places: std::collections::HashSet<[u32; 3]> = x.iter().map(|p| p.map(|c| c.to_bits())).collect();
            assert_eq!(x.len() - places.len(), wanted, "pairs that coincide");
        }
    }
}
