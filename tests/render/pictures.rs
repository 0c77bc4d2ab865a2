//! Cameras, planes, paint, lines; reproducible bits; invalid input.

use crate::meshes::{CLOTH, Mesh, STONE, drape_settings, lamp, near, pixel, plain};
use percale::linalg::random::Random;
use percale::linalg::{Vec3, par};
use percale::render::{
    Background, Camera, Ground, Map, Object, Paint, Settings, Shading, Wireframe, contact_sheet, draw, srgb_from_linear,
};

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

/// A sphere half a millimetre under a sheet of 2 mm cells, seen from 3 m, is hidden. The depth of the sheet is exact
/// within 20 um. The sagitta of a cell's diagonal is 6 um, and the rounding of positions and of the planes they span 2
/// um.
#[test]
fn nothing_shows_through_a_fine_sheet_from_far() {
    let (radius, gap, side, size, far) = (0.25, 5e-4, 0.3, 128, 3.0);
    let ball = Mesh::sphere(200, Vec3::zeros(), radius);
    let over = radius + gap;
    let sheet = Mesh::grid(150, |u, v| {
        let (x, y) = ((u - 0.5) * side, (v - 0.5) * side);
        Vec3::new(x, y, (over * over - x * x - y * y).sqrt())
    });
    let mut settings = plain(size, lamp(Vec3::z()));
    settings.camera.position = Vec3::new(0.0, 0.0, far);
    settings.camera.fov = 2.0 * (0.4 * side / far).atan();
    let objects = [sheet.object("sheet", Paint::Colour(CLOTH)), ball.object("ball", Paint::Colour(STONE))];
    let picture = draw(&objects, Vec3::y(), &settings);
    for (i, (object, depth)) in picture.object.iter().zip(&picture.depth).enumerate() {
        assert_eq!(*object, 1, "pixel {i}");
        let pixel = |k: usize| (2.0 * (k as f64 + 0.5) / size as f64 - 1.0) * 0.4 * side / far;
        // Nearer intersection of the ray (x, y, -1) from the camera with the sphere of the sheet.
        let slant = pixel(i % size).powi(2) + pixel(i / size).powi(2) + 1.0;
        let exact = (far - (far * far - slant * (far * far - over * over)).sqrt()) / slant;
        assert!((f64::from(*depth) - exact).abs() < 2e-5, "pixel {i}: {depth} instead of {exact}");
    }
}

#[test]
fn pictures_have_the_same_bits_for_any_number_of_threads() {
    let (cloth, ball) = (Mesh::drape(40), Mesh::sphere(24, Vec3::new(0.0, 0.32, 0.0), 0.25));
    let height: Vec<f64> = cloth.positions.iter().map(|p| p.y).collect();
    let field = Paint::Field { values: &height, min: 0.0, max: 0.6, map: Map::Sequential, label: "height", unit: "m" };
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
    // The ambient light changes wherever the ball occludes the sky; all other effects are local.
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

/// A drape turns a little between frames under a static camera. The floor away from it and its shadow does not flicker.
#[test]
fn the_floor_does_not_flicker() {
    let (width, height, apart) = (320, 180, 30);
    let settings = drape_settings(width, height);
    let frame = |k: usize| {
        let (s, c) = (0.004 * k as f64).sin_cos();
        let mut cloth = Mesh::drape(40);
        cloth.positions.iter_mut().for_each(|p| *p = Vec3::new(c * p.x + s * p.z, p.y, c * p.z - s * p.x));
        let picture = draw(&[cloth.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &settings);
        let codes: Vec<[f64; 3]> =
            picture.colour.iter().map(|c| c.map(|c| 255.0 * srgb_from_linear(f64::from(c)))).collect();
        (codes, picture.object)
    };
    let frames: Vec<_> = (0..20).map(frame).collect();
    let mut moved = vec![false; width * height];
    for (codes, object) in &frames {
        for (i, moved) in moved.iter_mut().enumerate() {
            let change = (0..3).map(|c| (codes[i][c] - frames[0].0[i][c]).abs()).fold(0.0, f64::max);
            *moved |= object[i] == 1 || change > 20.0;
        }
    }
    let near = |x: usize, y: usize| {
        let (columns, rows) =
            (x.saturating_sub(apart)..(x + apart + 1).min(width), y.saturating_sub(apart)..(y + apart + 1).min(height));
        rows.into_iter().any(|y| columns.clone().any(|x| moved[y * width + x]))
    };
    let far: Vec<usize> = (0..width * height).filter(|i| !near(i % width, i / width)).collect();
    assert!(far.len() > width * height / 4, "{} pixels of the floor are far from the cloth", far.len());
    for i in far {
        for c in 0..3 {
            let values = || frames.iter().map(|(codes, _)| codes[i][c]);
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
            assert!(high - low <= 1.0, "pixel {} {} goes from {low:.2} to {high:.2}", i % width, i / width);
        }
    }
}

#[test]
fn a_fitted_camera_sees_the_whole_box_closely() {
    let mut noise = Random::new(11);
    for _ in 0..200 {
        let (a, b) = (noise.vector() * 3.0, noise.vector() * 3.0);
        let (lo, hi) = (a.inf(&b), a.sup(&b));
        let (fov, aspect) = (0.3 + noise.unit(), 0.5 + 1.5 * noise.unit());
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
fn bad_input_draws_what_can_be_drawn() {
    let mut mesh = Mesh::grid(2, |u, v| Vec3::new(u - 0.5, v - 0.5, 0.0));
    let good = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &plain(32, lamp(Vec3::z())));
    mesh.positions.push(Vec3::new(f64::NAN, 0.0, 0.0));
    mesh.positions.push(Vec3::new(0.0, f64::INFINITY, 0.0));
    mesh.triangles.extend([[0, 1, 9], [0, 1, 10], [0, 1, 99], [u32::MAX; 3], [4, 4, 4]]);
    let same = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &plain(32, lamp(Vec3::z())));
    assert_eq!(good.colour, same.colour);
    let checker = Paint::Checker { a: CLOTH, b: STONE, size: 0.0 };
    let field = Paint::Field {
        values: &[f64::NAN, 1.0],
        min: 1.0,
        max: 1.0,
        map: Map::Sequential,
        label: "x \u{b5}",
        unit: "m",
    };
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
