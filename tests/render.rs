//! Pictures: rays against brute force, shading against closed forms, shadows, cameras, files, and the same bits for any
//! number of threads.

use percale::linalg::{Vec2, Vec3, par};
use percale::render::{
    Background, Camera, Cell, Fill, Ground, Image, Key, LANES, Lights, NONE, Object, Packet, Paint, Picture, Settings,
    Shading, Tree, Wireframe, colormap, contact_sheet, draw, linear_from_srgb, srgb_from_linear,
};

/// A mesh with a chart of the same topology.
struct Mesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    uv: Vec<Vec2>,
}

impl Mesh {
    /// `n` x `n` cells over the unit square, mapped.
    fn grid(n: usize, map: impl Fn(f64, f64) -> Vec3) -> Mesh {
        let mut mesh = Mesh { positions: Vec::new(), triangles: Vec::new(), uv: Vec::new() };
        for j in 0..=n {
            for i in 0..=n {
                let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
                mesh.positions.push(map(u, v));
                mesh.uv.push(Vec2::new(u, v));
            }
        }
        let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
        for j in 0..n {
            for i in 0..n {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let halves = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                mesh.triangles.extend(halves);
            }
        }
        mesh
    }

    fn sphere(n: usize, centre: Vec3, radius: f64) -> Mesh {
        use std::f64::consts::PI;
        Mesh::grid(n, |u, v| {
            let (a, b) = (2.0 * PI * u, PI * v);
            centre + radius * Vec3::new(b.sin() * a.sin(), -b.cos(), b.sin() * a.cos())
        })
    }

    /// A sheet of side 1 that hangs over a sphere of radius 0.25 in folds.
    fn drape(n: usize) -> Mesh {
        let radius = 0.254;
        Mesh::grid(n, |u, v| {
            let (x, z) = (u - 0.5, v - 0.5);
            let (s, a) = (x.hypot(z), z.atan2(x));
            let bend = s.min(radius * 1.15) / radius;
            let rest = (s - radius * 1.15).max(0.0);
            let fold = (rest / 0.25).min(1.4).powf(1.5);
            let ripple = (0.045 + 0.045 * (8.0 * a + 0.6).sin() + 0.012 * (13.0 * a).sin()) * fold;
            let r = radius * bend.sin() + 0.33 * rest + ripple;
            let y = 0.32 + radius * bend.cos() - 0.9 * rest;
            Vec3::new(r * a.cos(), y.max(0.003), r * a.sin())
        })
    }

    fn object<'a>(&'a self, name: &'a str, paint: Paint<'a>) -> Object<'a> {
        Object {
            name,
            positions: &self.positions,
            triangles: &self.triangles,
            uv: &self.uv,
            uv_triangles: &self.triangles,
            paint,
            shading: Shading::Minnaert { k: 0.75 },
            smooth: true,
        }
    }
}

/// Numbers in 0..1 that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next()) * 2.0 - Vec3::repeat(1.0)
    }
}

fn f32s(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

const CLOTH: [f64; 3] = [0.52, 0.13, 0.09];
const STONE: [f64; 3] = [0.62, 0.61, 0.58];

fn drape_camera(aspect: f64) -> Camera {
    let bounds = (Vec3::new(-0.4, 0.0, -0.4), Vec3::new(0.4, 0.56, 0.4));
    Camera::fit(bounds, Vec3::new(0.5, 0.55, 1.0), 0.6, aspect, Vec3::y())
}

fn drape_settings(width: usize, height: usize) -> Settings {
    let camera = drape_camera(width as f64 / height as f64);
    Settings { ground: Some(Ground::at(0.0)), ..Settings::new(width, height, camera, Vec3::y()) }
}

/// One light without size, nothing else.
fn lamp(direction: Vec3) -> Lights {
    Lights {
        key: Key { direction, radius: 0.0, colour: [1.0; 3] },
        fill: Fill { sky: [0.0; 3], ground: [0.0; 3], occlusion: false },
    }
}

/// A camera on the z axis at distance 2 from the origin, one sample a pixel.
fn plain(size: usize, lights: Lights) -> Settings {
    let camera = Camera { position: Vec3::new(0.0, 0.0, 2.0), target: Vec3::zeros(), fov: 0.8, roll: 0.0 };
    Settings { samples: 1, lights, ..Settings::new(size, size, camera, Vec3::y()) }
}

fn pixel(picture: &Picture, x: usize, y: usize) -> [f64; 3] {
    picture.colour[y * picture.width + x].map(f64::from)
}

fn near(a: [f64; 3], b: [f64; 3], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}

#[test]
fn shading_of_a_tilted_plane_is_the_formula() {
    for (tilt, light, k) in [(0.7f64, 0.4f64, 0.75f64), (1.1, -0.2, 0.5), (0.3, 0.9, 1.5), (0.0, 0.5, 1.0)] {
        // The plane leans by `tilt` from the viewer, the light stands `light` off the axis of view, in one plane.
        let mesh = Mesh::grid(1, |u, v| {
            let (x, y) = (u - 0.5, v - 0.5);
            Vec3::new(x, y * tilt.cos(), -y * tilt.sin())
        });
        let (nl, nv) = ((tilt - light).cos(), tilt.cos());
        let settings = plain(9, lamp(Vec3::new(0.0, light.sin(), light.cos())));
        let rv = (2.0 * tilt - light).cos().max(0.0);
        let laws = [
            (Shading::Minnaert { k }, nl.powf(k) * nv.powf(1.0 - k), 0.0),
            (Shading::Minnaert1941 { k }, nl.powf(k) * nv.powf(k - 1.0), 0.0),
            (Shading::Lambert, nl, 0.0),
            (Shading::Phong { shininess: 12.0, specular: 0.3 }, nl, 0.3 * rv.powf(12.0)),
        ];
        for (shading, diffuse, specular) in laws {
            let object = Object { shading, ..mesh.object("plane", Paint::Colour(CLOTH)) };
            let picture = draw(&[object], Vec3::y(), &settings);
            let expected = CLOTH.map(|c| c * diffuse + specular);
            let got = pixel(&picture, 4, 4);
            assert!(near(got, expected, 1e-6), "{shading:?} at tilt {tilt}: {got:?}, expected {expected:?}");
        }
        let forms = [Shading::Minnaert { k }, Shading::Minnaert1941 { k }].map(|s| s.direct(nl, nv, 0.0).diffuse);
        assert!((forms[1] / forms[0] - nv.powf(2.0 * k - 2.0)).abs() < 1e-12);
    }
}

#[test]
fn every_pixel_of_a_sphere_has_the_value_of_its_normal() {
    // A coarse sphere with smooth normals: no facet may shade its neighbour before the terminator.
    let mesh = Mesh::sphere(32, Vec3::zeros(), 0.5);
    let light = Vec3::new(-0.6, 0.5, 0.7).normalize();
    let settings = plain(120, lamp(light));
    let k = 0.75;
    let picture = draw(&[mesh.object("sphere", Paint::Colour([0.8; 3]))], Vec3::y(), &settings);
    let mut compared = 0;
    for (i, id) in picture.object.iter().enumerate().filter(|(_, id)| **id == 1) {
        let n = Vec3::from(picture.normal[i].map(f64::from));
        let half = (0.4f64).tan();
        let (x, y) = ((i % 120) as f64 + 0.5, (i / 120) as f64 + 0.5);
        let ray = Vec3::new((x / 60.0 - 1.0) * half, (1.0 - y / 60.0) * half, -1.0).normalize();
        let (nl, nv) = (n.dot(&light), -n.dot(&ray));
        if nl < 0.12 {
            assert!(nl > 0.0 || picture.colour[i] == [0.0; 3]);
            continue;
        }
        let expected = 0.8 * nl.powf(k) * nv.powf(1.0 - k);
        let got = f64::from(picture.colour[i][0]);
        assert!((got - expected).abs() < 2e-6, "object {id}, N.L {nl}, N.V {nv}: {got}, expected {expected}");
        compared += 1;
    }
    assert!(compared > 2000, "{compared}");
}

#[test]
fn ambient_answer_is_the_integral_over_the_hemisphere() {
    for shading in
        [Shading::Minnaert { k: 0.7 }, Shading::Minnaert { k: 1.4 }, Shading::Minnaert1941 { k: 0.7 }, Shading::Lambert]
    {
        for nv in [0.2, 0.9] {
            let n = 20000;
            // Integral of f(cos) over solid angle: 2 pi times the integral over the cosine.
            let sum: f64 = (0..n).map(|i| shading.direct((i as f64 + 0.5) / n as f64, nv, 0.0).diffuse).sum();
            let integral = 2.0 * sum / n as f64;
            assert!((integral / shading.ambient(nv) - 1.0).abs() < 1e-4, "{shading:?}, {nv}");
        }
    }
}

#[test]
fn both_sides_look_the_same() {
    let mut mesh = Mesh::drape(24);
    let settings = drape_settings(96, 54);
    let a = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &settings);
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let b = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &settings);
    let worst = a.colour.iter().flatten().zip(b.colour.iter().flatten()).fold(0f32, |m, (a, b)| m.max((a - b).abs()));
    assert!(worst < 0.02, "{worst}");
}

/// Nearest hit in double precision (Moeller & Trumbore 1997), and how far inside the triangle it is.
fn brute(triangles: &[[[f32; 3]; 3]], origin: [f32; 3], direction: [f32; 3]) -> Vec<(f64, f64, u32)> {
    let v = |p: [f32; 3]| Vec3::from(p.map(f64::from));
    let (o, d) = (v(origin), v(direction));
    let mut hits = Vec::new();
    for (i, t) in triangles.iter().enumerate() {
        let [a, b, c] = t.map(v);
        let (e, f) = (b - a, c - a);
        let p = d.cross(&f);
        let det = e.dot(&p);
        let s = o - a;
        let u = s.dot(&p) / det;
        let q = s.cross(&e);
        let w = d.dot(&q) / det;
        let t = f.dot(&q) / det;
        let inside = u.min(w).min(1.0 - u - w);
        if det != 0.0 && inside > -1e-4 && t > -1e-4 {
            hits.push((t, inside, i as u32));
        }
    }
    hits.sort_by(|a, b| a.0.total_cmp(&b.0));
    hits
}

#[test]
fn rays_agree_with_brute_force() {
    let mut noise = Noise(7);
    let mut triangles: Vec<[[f32; 3]; 3]> = (0..600)
        .map(|_| {
            let c = noise.vector();
            [0, 1, 2].map(|_| f32s(c + noise.vector() * 0.2))
        })
        .collect();
    // Flat boxes on round coordinates, where rays along the axes run inside box faces.
    for i in 0..8 {
        let x = i as f32 * 0.25 - 1.0;
        triangles.push([[x, -0.5, -0.5], [x, 0.5, -0.5], [x, 0.0, 0.5]]);
        triangles.push([[-0.5, x, -0.5], [0.5, x, -0.5], [0.0, x, 0.5]]);
    }
    let tree = Tree::new(&triangles);
    let (mut hits, mut sure) = (0, 0);
    for round in 0..400 {
        let mut packet = Packet::default();
        let mut rays = Vec::new();
        for lane in 0..LANES {
            let mut direction = f32s(noise.vector().normalize());
            let mut origin = f32s(noise.vector() * 2.0);
            if lane % 4 != 0 {
                // One or two components exactly zero (of either sign), origins on round coordinates.
                direction[lane % 3] = if lane % 2 == 0 { 0.0 } else { -0.0 };
                origin[lane % 3] = (origin[lane % 3] * 4.0).round() / 4.0 + if lane % 8 > 4 { 0.0 } else { 0.013 };
                if lane % 5 == 0 {
                    direction[(lane + 1) % 3] = 0.0;
                }
            }
            packet.set(lane, origin, direction, f32::MAX);
            rays.push((origin, direction));
        }
        let mut shadow = packet.clone();
        tree.nearest(&mut packet);
        tree.blocked(&mut shadow);
        for (lane, (origin, direction)) in rays.into_iter().enumerate() {
            let all = brute(&triangles, origin, direction);
            let clear: Vec<_> = all.iter().filter(|h| h.1 > 1e-4 && h.0 > 1e-4).collect();
            if packet.hit[lane] == NONE {
                assert!(clear.is_empty(), "round {round} lane {lane}: missed {clear:?}");
            } else {
                let t = f64::from(packet.reach[lane]);
                let same = all.iter().any(|h| h.2 == packet.hit[lane] && (h.0 - t).abs() < 1e-3 * (1.0 + t));
                assert!(same, "round {round} lane {lane}: hit {} at {t}, brute force {all:?}", packet.hit[lane]);
                assert!(clear.first().is_none_or(|h| t < h.0 + 1e-3 * (1.0 + t)), "not the nearest");
                hits += 1;
                sure += usize::from(!clear.is_empty());
            }
            assert_eq!(shadow.hit[lane] == NONE, packet.hit[lane] == NONE);
        }
    }
    assert!(hits > 900 && sure > 900, "{hits} {sure}");
}

#[test]
fn no_ray_slips_through_a_closed_surface() {
    let mesh = Mesh::sphere(40, Vec3::zeros(), 1.0);
    let at = |i: u32| f32s(mesh.positions[i as usize]);
    let mut triangles: Vec<[[f32; 3]; 3]> = mesh.triangles.iter().map(|t| t.map(at)).collect();
    // The seam and the poles of the generator meet in rounded coordinates only; close them exactly.
    for p in triangles.iter_mut().flatten().flatten() {
        *p = (*p * 4096.0).round() / 4096.0;
    }
    let tree = Tree::new(&triangles);
    let origin = [0.1f32, -0.05, 0.03];
    // At random and at points of every edge.
    let mut noise = Noise(3);
    let mut targets: Vec<[f32; 3]> = (0..20000).map(|_| f32s(noise.vector())).collect();
    for t in &triangles {
        for i in 0..3 {
            for share in [0.5, 0.1, 0.7] {
                targets.push([0, 1, 2].map(|a| t[i][a] + share * (t[(i + 1) % 3][a] - t[i][a])));
            }
        }
    }
    for group in targets.chunks(LANES) {
        let mut packet = Packet::default();
        for (l, p) in group.iter().enumerate() {
            packet.set(l, origin, [0, 1, 2].map(|a| p[a] - origin[a]), f32::MAX);
        }
        tree.nearest(&mut packet);
        for (l, p) in group.iter().enumerate() {
            assert_ne!(packet.hit[l], NONE, "towards {p:?}");
        }
    }
}

#[test]
fn shadows_fall_where_they_should() {
    // A plate of side 0.8 at height 0.5 under a light straight above; the camera looks down past it from the side.
    let mesh = Mesh::grid(1, |u, v| Vec3::new(0.8 * u - 0.4, 0.5, 0.4 - 0.8 * v));
    let camera = Camera { position: Vec3::new(0.0, 0.4, 3.0), target: Vec3::zeros(), fov: 0.6, roll: 0.0 };
    let colour = [0.3, 0.4, 0.5];
    let mut settings = Settings::new(400, 400, camera, Vec3::y());
    settings.ground = Some(Ground { height: 0.0, colour });
    settings.lights.key = Key { direction: Vec3::y(), radius: 0.1, colour: [0.6; 3] };
    settings.lights.fill = Fill { sky: [0.2; 3], ground: [0.2; 3], occlusion: false };
    let picture = draw(&[mesh.object("plate", Paint::Colour(CLOTH))], Vec3::y(), &settings);
    let half = 0.3f64.tan();
    let forward = Vec3::new(0.0, -0.4, -3.0).normalize();
    let up = Vec3::x().cross(&forward);
    let place = |p: Vec3| {
        let d = p - camera.position;
        let z = d.dot(&forward) * half;
        (((d.x / z + 1.0) * 200.0) as usize, ((1.0 - d.dot(&up) / z) * 200.0) as usize)
    };
    let at = |p: Vec3| {
        let (x, y) = place(p);
        assert_eq!(picture.object[y * 400 + x], 2, "the ground is seen at {p:?}");
        pixel(&picture, x, y)
    };
    let dark = colour.map(|c| c * 0.2 / 0.8);
    assert!(near(at(Vec3::new(0.0, 0.0, 0.1)), dark, 1e-6), "under the plate only the fill");
    assert!(near(at(Vec3::new(0.7, 0.0, 0.1)), colour, 1e-6), "beside it exactly the ground's colour");
    // Across the penumbra the share is that of a disc cut by a straight edge, measured with 64 rays.
    let (_, y) = place(Vec3::zeros());
    let mut shares = Vec::new();
    for x in 200..320 {
        let (right, rise) = ((x as f64 + 0.5) / 200.0 - 1.0, 1.0 - (y as f64 + 0.5) / 200.0);
        let ray = forward + Vec3::x() * (right * half) + up * (rise * half);
        let ground = camera.position + ray * (-camera.position.y / ray.y);
        let cut = ((ground.x - 0.4) / (0.5 * 0.1f64.tan())).clamp(-1.0, 1.0);
        let expected = 1.0 - (cut.acos() - cut * (1.0 - cut * cut).sqrt()) / std::f64::consts::PI;
        let share = (pixel(&picture, x, y)[0] - dark[0]) / (colour[0] - dark[0]);
        assert!((share - expected).abs() < 3.0 / 64.0, "at {}: {share}, expected {expected}", ground.x);
        shares.push((share, expected));
    }
    let soft: Vec<_> = shares.iter().filter(|(_, e)| (0.02..0.98).contains(e)).collect();
    let bias = soft.iter().map(|(s, e)| s - e).sum::<f64>() / soft.len() as f64;
    assert!(soft.len() > 15 && bias.abs() < 0.01, "{} pixels, bias {bias}", soft.len());
}

#[test]
fn the_sky_is_dimmed_by_what_covers_it() {
    // A ground point under the centre of a disc-like plate of half angle a sees cos^2(a) of the sky; a square of half
    // side s at height h covers (4 / pi) s / sqrt(s^2 + h^2) atan(s / sqrt(s^2 + h^2)).
    let (s, h) = (0.5f64, 0.5f64);
    let mesh = Mesh::grid(1, |u, v| Vec3::new(2.0 * s * u - s, h, s - 2.0 * s * v));
    let camera = Camera { position: Vec3::new(0.0, 0.3, 2.0), target: Vec3::zeros(), fov: 0.2, roll: 0.0 };
    let mut settings = Settings::new(41, 41, camera, Vec3::y());
    settings.ground = Some(Ground { height: 0.0, colour: [0.5; 3] });
    settings.lights.key.colour = [0.0; 3];
    let picture = draw(&[mesh.object("plate", Paint::Colour(CLOTH))], Vec3::y(), &settings);
    let r = s.hypot(h);
    let covered = 4.0 / std::f64::consts::PI * (s / r) * (s / r).atan();
    let got = pixel(&picture, 20, 20)[0] / 0.5;
    assert!((got - (1.0 - covered)).abs() < 4.0 / 256.0, "{got}, expected {}", 1.0 - covered);
}

#[test]
fn depth_normal_and_object_are_those_of_the_centre() {
    let mesh = Mesh::grid(2, |u, v| Vec3::new(u - 0.5, v - 0.5, 0.0));
    let other = Mesh::grid(2, |u, v| Vec3::new(0.2 * u - 0.1, 0.2 * v - 0.1, 0.5));
    let paint = Paint::Colour(CLOTH);
    let settings = plain(64, lamp(Vec3::z()));
    let picture = draw(&[mesh.object("back", paint), other.object("front", paint)], Vec3::y(), &settings);
    let at = |x: usize, y: usize| {
        let i = y * 64 + x;
        (picture.object[i], picture.depth[i], picture.normal[i])
    };
    assert_eq!(at(0, 0), (0, f32::INFINITY, [0.0; 3]));
    let (id, depth, normal) = at(20, 20);
    assert_eq!((id, normal), (1, [0.0, 0.0, 1.0]));
    assert!((depth - 2.0).abs() < 1e-6);
    let (id, depth, _) = at(32, 32);
    assert_eq!(id, 2);
    assert!((depth - 1.5).abs() < 1e-6);
}

#[test]
fn pictures_have_the_same_bits_for_any_number_of_threads() {
    let (cloth, ball) = (Mesh::drape(40), Mesh::sphere(24, Vec3::new(0.0, 0.32, 0.0), 0.25));
    let height: Vec<f64> = cloth.positions.iter().map(|p| p.y).collect();
    let field = Paint::Field { values: &height, min: 0.0, max: 0.6, label: "height", unit: "m" };
    let settings = Settings { wireframe: Some(Wireframe::default()), ..drape_settings(160, 90) };
    let make = || {
        let objects = [cloth.object("cloth", field), ball.object("ball", Paint::Colour(STONE))];
        let picture = draw(&objects, Vec3::y(), &settings);
        (picture.png().unwrap(), picture.exr().unwrap(), picture)
    };
    let one = par::with_threads(1, make).unwrap();
    for threads in [2, 4] {
        assert!(one == par::with_threads(threads, make).unwrap(), "{threads} threads");
    }
}

#[test]
fn still_parts_of_a_moving_scene_keep_their_pixels() {
    let cloth = Mesh::drape(30);
    // The sky's share changes wherever the ball is in view; all else is local.
    let mut settings = drape_settings(160, 90);
    settings.lights.fill.occlusion = false;
    let frame = |x: f64| {
        let ball = Mesh::sphere(16, Vec3::new(x, 0.05, 0.3), 0.05);
        let objects = [cloth.object("cloth", Paint::Colour(CLOTH)), ball.object("ball", Paint::Colour(STONE))];
        draw(&objects, Vec3::y(), &settings)
    };
    let (a, b) = (frame(0.45), frame(0.46));
    let same = (0..90 * 55).map(|i| i / 55 * 160 + i % 55).all(|i| a.colour[i] == b.colour[i]);
    let moved = a.colour.iter().zip(&b.colour).filter(|(a, b)| a != b).count();
    assert!(same && moved > 20, "left third the same: {same}; changed pixels: {moved}");
}

#[test]
fn a_fitted_camera_sees_the_whole_box_closely() {
    let mut noise = Noise(11);
    for _ in 0..200 {
        let (a, b) = (noise.vector() * 3.0, noise.vector() * 3.0);
        let (lo, hi) = (a.inf(&b), a.sup(&b));
        let (fov, aspect) = (0.3 + noise.next(), 0.5 + 1.5 * noise.next());
        let camera = Camera::fit((lo, hi), noise.vector(), fov, aspect, Vec3::y());
        let forward = (camera.target - camera.position).normalize();
        let right = forward.cross(&Vec3::y()).normalize();
        let up = right.cross(&forward);
        let mut most = 0.0f64;
        for k in 0..8 {
            let pick = |axis: usize| if k >> axis & 1 == 0 { lo[axis] } else { hi[axis] };
            let d = Vec3::new(pick(0), pick(1), pick(2)) - camera.position;
            let z = d.dot(&forward) * (0.5 * fov).tan();
            assert!(z > 0.0);
            most = most.max((d.dot(&right) / (z * aspect)).abs()).max((d.dot(&up) / z).abs());
        }
        assert!((most - 0.94).abs() < 1e-9, "{most}");
    }
}

#[test]
fn a_field_has_a_legend_in_the_png_only() {
    let mesh = Mesh::grid(8, |u, v| Vec3::new(u - 0.5, v - 0.5, 0.0));
    let values: Vec<f64> = mesh.uv.iter().map(|p| p.x).collect();
    let field = Paint::Field { values: &values, min: 0.0, max: 1.0, label: "strain", unit: "1" };
    let mut object = mesh.object("cloth", field);
    object.shading = Shading::Lambert;
    let picture = draw(&[object], Vec3::y(), &plain(400, lamp(Vec3::z())));
    assert_eq!(picture.legends.len(), 1);
    assert_eq!(picture.legends[0].title, "strain [1]");
    // Colours of the surface follow the map: the middle column shows one half.
    assert!(near(pixel(&picture, 200, 200), colormap(0.5), 0.01));
    let image = picture.image();
    let count = |wanted: [f64; 3]| {
        let close = |p: &&[f32; 3]| near(p.map(f64::from), wanted, 2e-3);
        (picture.colour.iter().filter(close).count(), image.pixels.iter().filter(close).count())
    };
    for t in [0.02, 0.98] {
        let (without, with) = count(colormap(t));
        assert!(with > without + 4, "bar at {t}: {without} -> {with}");
    }
    let changed: Vec<usize> = (0..image.pixels.len()).filter(|i| image.pixels[*i] != picture.colour[*i]).collect();
    assert!(changed.len() > 1000 && changed.iter().all(|i| i / 400 > 300 && i % 400 > 200));
    let bare = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &plain(400, lamp(Vec3::z())));
    assert_eq!(bare.image().pixels, bare.colour);
}

#[test]
fn a_checker_follows_the_chart() {
    let mesh = Mesh::grid(3, |u, v| Vec3::new(u - 0.5, v - 0.5, 0.0));
    let (a, b) = ([0.8, 0.1, 0.1], [0.1, 0.1, 0.8]);
    let object = Object { shading: Shading::Lambert, ..mesh.object("cloth", Paint::Checker { a, b, size: 0.25 }) };
    let picture = draw(&[object], Vec3::y(), &plain(200, lamp(Vec3::z())));
    let scale = 100.0 / (2.0 * 0.4f64.tan());
    for (i, j) in [(0, 0), (1, 0), (2, 1), (3, 3), (0, 3), (1, 2)] {
        let (u, v) = (0.125 + 0.25 * i as f64 - 0.5, 0.125 + 0.25 * j as f64 - 0.5);
        let (x, y) = ((100.0 + u * scale) as usize, (100.0 - v * scale) as usize);
        let expected = if (i + j) % 2 == 0 { a } else { b };
        assert!(near(pixel(&picture, x, y), expected, 1e-6), "square {i} {j}");
    }
}

#[test]
fn wire_lines_have_their_width_at_any_distance() {
    let mesh = Mesh::grid(1, |u, v| Vec3::new(u - 0.5, v - 0.5, 0.0));
    for (distance, width) in [(1.0, 2.0), (2.0, 2.0), (2.0, 5.0)] {
        let mut settings = plain(300, lamp(Vec3::z()));
        settings.camera.position.z = distance;
        settings.camera.fov = 2.0 * (0.3f64 / distance).atan() * distance;
        settings.samples = 16;
        settings.wireframe = Some(Wireframe { width, colour: [0.0; 3], opacity: 1.0 });
        let object = Object { shading: Shading::Lambert, ..mesh.object("cloth", Paint::Colour([1.0; 3])) };
        let picture = draw(&[object], Vec3::y(), &settings);
        // The diagonal crosses the middle row at 45 degrees.
        let missing: f64 = (100..200).map(|x| 1.0 - pixel(&picture, x, 150)[0]).sum();
        let expected = width * 2f64.sqrt();
        assert!((missing / expected - 1.0).abs() < 0.15, "{distance} m, {width} px: {missing}, {expected}");
    }
}

#[test]
fn png_is_srgb_and_reads_back() {
    for (linear, encoded) in [(0.0, 0.0), (1.0, 1.0), (0.5, 0.735357), (0.214041, 0.5), (0.002, 0.02584)] {
        assert!((srgb_from_linear(linear) - encoded).abs() < 1e-5);
        assert!((linear_from_srgb(encoded) - linear).abs() < 1e-5);
    }
    let mut image = Image::filled(256, 3, [0.0; 3]);
    for (i, p) in image.pixels.iter_mut().enumerate() {
        *p = [(i % 256) as f64 / 255.0, 0.25, 2.0].map(|x| linear_from_srgb(x) as f32);
    }
    let back = Image::from_png(&image.png().unwrap()).unwrap();
    assert_eq!((back.width, back.height), (256, 3));
    for (a, b) in image.pixels.iter().zip(&back.pixels) {
        assert!((a[0] - b[0]).abs() < 1e-6 && (a[1] - b[1]).abs() < 0.002 && b[2] == 1.0);
    }
    assert!(Image::from_png(b"not a picture").is_err());
}

#[test]
fn exr_reads_back_with_all_channels() {
    use exr::prelude::*;
    let mesh = Mesh::drape(20);
    let picture =
        draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::new(0.0, 1.0, 0.0), &drape_settings(64, 36));
    let file = picture.exr().unwrap();
    let image = read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .from_buffered(std::io::Cursor::new(file))
        .unwrap();
    let layer = &image.layer_data;
    assert_eq!((layer.size.0, layer.size.1), (64, 36));
    assert_eq!(layer.encoding.compression, Compression::ZIP16);
    let names = layer.attributes.other.get(&Text::new_or_panic("objects"));
    assert_eq!(names, Some(&AttributeValue::TextVector(vec![Text::new_or_panic("cloth")])));
    let plane = |name: &str| {
        let found = layer.channel_data.list.iter().find(|c| c.name == Text::new_or_panic(name));
        found.unwrap().sample_data.values_as_f32().collect::<Vec<f32>>()
    };
    let half = |from: &[[f32; 3]], c: usize| from.iter().map(|p| f16::from_f32(p[c]).to_f32()).collect::<Vec<f32>>();
    let expected: [(&str, Vec<f32>); 8] = [
        ("R", half(&picture.colour, 0)),
        ("G", half(&picture.colour, 1)),
        ("B", half(&picture.colour, 2)),
        ("Z", picture.depth.clone()),
        ("N.X", half(&picture.normal, 0)),
        ("N.Y", half(&picture.normal, 1)),
        ("N.Z", half(&picture.normal, 2)),
        ("id", picture.object.iter().map(|i| *i as f32).collect()),
    ];
    assert_eq!(layer.channel_data.list.len(), expected.len());
    for (name, values) in expected {
        assert!(plane(name) == values, "channel {name}");
    }
    assert!(picture.object.contains(&1) && picture.object.contains(&2));
}

#[test]
fn a_contact_sheet_keeps_the_light() {
    let mut frame = Image::filled(90, 60, [0.1, 0.2, 0.3]);
    for (i, p) in frame.pixels.iter_mut().enumerate() {
        p[0] = if i % 2 == 0 { 1.0 } else { 0.0 };
    }
    let cells = [Cell { label: "", image: &frame }; 5];
    let sheet = contact_sheet(&cells, 3, 40);
    assert_eq!((sheet.width, sheet.height), (3 * 42 + 2, 2 * 29 + 2));
    let mean = |c: usize| {
        let part = (2..29).flat_map(|y| (2..42).map(move |x| (x, y)));
        part.map(|(x, y)| f64::from(sheet.pixels[y * sheet.width + x][c])).sum::<f64>() / (40.0 * 27.0)
    };
    for (c, expected) in [(0, 0.5), (1, 0.2), (2, 0.3)] {
        assert!((mean(c) - expected).abs() < 1e-5, "channel {c}: {}", mean(c));
    }
    let labelled = contact_sheet(&[Cell { label: "frame 12", image: &frame }; 5], 3, 40);
    assert_ne!(labelled, sheet);
}

#[test]
fn bad_input_draws_what_can_be_drawn() {
    let mut mesh = Mesh::grid(2, |u, v| Vec3::new(u - 0.5, v - 0.5, 0.0));
    let good = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &plain(32, lamp(Vec3::z())));
    mesh.positions.push(Vec3::new(f64::NAN, 0.0, 0.0));
    mesh.positions.push(Vec3::new(0.0, f64::INFINITY, 0.0));
    mesh.triangles.extend([[0, 1, 9], [0, 1, 10], [0, 1, 99], [u32::MAX; 3], [4, 4, 4]]);
    let same = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &plain(32, lamp(Vec3::z())));
    assert_eq!(good.colour, same.colour);
    let checker = Paint::Checker { a: CLOTH, b: STONE, size: 0.0 };
    let field = Paint::Field { values: &[f64::NAN, 1.0], min: 1.0, max: 1.0, label: "x \u{b5}", unit: "m" };
    for paint in [checker, field] {
        let mut object = mesh.object("cloth", paint);
        object.uv_triangles = &object.triangles[..3];
        let picture = draw(&[object], Vec3::zeros(), &plain(16, lamp(Vec3::zeros())));
        assert!(picture.png().is_ok() && picture.exr().is_ok());
        assert!(picture.colour.iter().flatten().all(|x| x.is_finite()));
    }
    let mut odd = plain(16, lamp(Vec3::repeat(f64::NAN)));
    odd.camera = Camera { position: Vec3::zeros(), target: Vec3::zeros(), fov: f64::NAN, roll: f64::NAN };
    odd.ground = Some(Ground::at(-1.0));
    odd.background = Background { top: [0.1; 3], bottom: [0.1; 3] };
    odd.samples = 0;
    assert!(draw(&[], Vec3::repeat(f64::NAN), &odd).png().is_ok());
    odd.width = 0;
    let empty = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &odd);
    assert!(empty.png().is_err() && empty.exr().is_err());
    assert!(contact_sheet(&[], 0, 0).png().is_ok());
}

/// Pictures to look at: `cargo test --release --test render -- --ignored`, written to `out/render/`.
#[test]
#[ignore = "writes pictures to look at"]
fn gallery() {
    let (cloth, ball) = (Mesh::drape(100), Mesh::sphere(64, Vec3::new(0.0, 0.32, 0.0), 0.25));
    let height: Vec<f64> = cloth.positions.iter().map(|p| p.y * 0.2).collect();
    let settings = drape_settings(960, 540);
    let checker = Paint::Checker { a: [0.55, 0.53, 0.48], b: [0.10, 0.17, 0.28], size: 0.1 };
    let field = Paint::Field { values: &height, min: 0.0, max: 0.12, label: "edge strain", unit: "" };
    let gap = Paint::Field { values: &height, min: 0.0, max: 0.12, label: "speed", unit: "m/s" };
    let wire = Some(Wireframe::default());
    let red = Paint::Colour(CLOTH);
    let k = |k| Shading::Minnaert { k };
    let old = |k| Shading::Minnaert1941 { k };
    let phong = Shading::Phong { shininess: 30.0, specular: 0.25 };
    let list: [(&str, Paint, Shading, Option<Wireframe>); 10] = [
        ("minnaert 0.75", red, k(0.75), None),
        ("minnaert 0.5", red, k(0.5), None),
        ("minnaert 1.5", red, k(1.5), None),
        ("minnaert1941 0.75", red, old(0.75), None),
        ("lambert", red, Shading::Lambert, None),
        ("phong", red, phong, None),
        ("checker", checker, k(0.75), None),
        ("field", field, k(0.75), None),
        ("wireframe", red, k(0.75), wire),
        ("field wire", gap, k(0.75), wire),
    ];
    std::fs::create_dir_all("out/render").unwrap();
    let mut frames = Vec::new();
    for (name, paint, shading, wireframe) in list {
        let mut sheet = cloth.object("cloth", paint);
        sheet.shading = shading;
        let start = std::time::Instant::now();
        let picture = draw(
            &[sheet, ball.object("ball", Paint::Colour(STONE))],
            Vec3::y(),
            &Settings { wireframe, ..settings.clone() },
        );
        let drawn = start.elapsed().as_secs_f64();
        let png = picture.png().unwrap();
        let done = start.elapsed().as_secs_f64();
        let exr = picture.exr().unwrap();
        let packed = start.elapsed().as_secs_f64();
        println!(
            "{name}: {drawn:.3} s, {:.1} M rays/s ({:?}), png {:.3} s {} KB, exr {:.3} s {} KB",
            picture.rays.total() as f64 / drawn * 1e-6,
            picture.rays,
            done - drawn,
            png.len() / 1024,
            packed - done,
            exr.len() / 1024
        );
        std::fs::write(format!("out/render/{}.png", name.replace(' ', "_")), png).unwrap();
        std::fs::write(format!("out/render/{}.exr", name.replace(' ', "_")), exr).unwrap();
        frames.push((name, picture.image()));
    }
    let cells: Vec<Cell> = frames.iter().map(|(label, image)| Cell { label, image }).collect();
    std::fs::write("out/render/sheet.png", contact_sheet(&cells, 3, 420).png().unwrap()).unwrap();
}
