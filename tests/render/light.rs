//! Shading, shadows and sky compared with closed forms.

use crate::meshes::{CLOTH, Mesh, drape_settings, lamp, near, pixel, plain};
use percale::linalg::Vec3;
use percale::render::{Camera, Fill, Ground, Key, Object, Paint, Settings, Shading, draw};

#[test]
fn shading_of_a_tilted_plane_is_the_formula() {
    for (tilt, light, k) in [(0.7f64, 0.4f64, 0.75f64), (1.1, -0.2, 0.5), (0.3, 0.9, 1.5), (0.0, 0.5, 1.0)] {
        // The plane is inclined by `tilt` from the viewer, and the light by `light` from the view axis, in the same
        // plane.
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

/// The brightest normal of `(n.l)^k (n.v)^(1-k)` lies between light and eye where `k tan t = (1-k) tan(a - t)`, with
/// the angles `t` from the light, and `a` from the light to the eye. With increasing k it moves from the eye to the
/// light (Prince & Bigham 2004, figure 5). Pixels are a fiftieth of the radius apart, and the maximum is flat: the
/// tolerance is 4 degrees.
#[test]
fn the_brightest_spot_goes_from_the_eye_to_the_light() {
    let mesh = Mesh::sphere(96, Vec3::zeros(), 0.5);
    let light = Vec3::new(-0.7, 0.4, 0.6).normalize();
    let settings = plain(160, lamp(light));
    let mut before = f64::INFINITY;
    for k in [0.2, 0.4, 0.6, 0.8, 1.0] {
        let object = Object { shading: Shading::Minnaert { k }, ..mesh.object("sphere", Paint::Colour([0.8; 3])) };
        let picture = draw(&[object], Vec3::y(), &settings);
        let seen = picture.object.iter().enumerate().filter(|(_, id)| **id == 1).map(|(i, _)| i);
        let i = seen.max_by(|a, b| picture.colour[*a][0].total_cmp(&picture.colour[*b][0])).unwrap();
        let n = Vec3::from(picture.normal[i].map(f64::from));
        let half = (0.4f64).tan();
        let (x, y) = ((i % 160) as f64 + 0.5, (i / 160) as f64 + 0.5);
        let eye = -Vec3::new((x / 80.0 - 1.0) * half, (1.0 - y / 80.0) * half, -1.0).normalize();
        let a = light.angle(&eye);
        let (mut low, mut high) = (0.0, a);
        for _ in 0..60 {
            let t: f64 = 0.5 * (low + high);
            if k * t.tan() < (1.0 - k) * (a - t).tan() { low = t } else { high = t }
        }
        let found = n.angle(&light);
        println!("k {k}: {:.1} degrees from the light, {:.1} by the formula", found.to_degrees(), low.to_degrees());
        assert!((found - low).abs() < 4f64.to_radians() && found < before, "k {k}: {found} {low} {before}");
        before = found;
    }
}

#[test]
fn ambient_answer_is_the_integral_over_the_hemisphere() {
    for shading in
        [Shading::Minnaert { k: 0.7 }, Shading::Minnaert { k: 1.4 }, Shading::Minnaert1941 { k: 0.7 }, Shading::Lambert]
    {
        for nv in [0.2, 0.9] {
            let n = 20000;
            // Integral of f(cos) over the solid angle: 2 pi times the integral over the cosine.
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

#[test]
fn shadows_fall_where_they_should() {
    // A plate of side 0.8 at height 0.5 below a vertical light. The camera looks down past it from the side.
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
    // Across the penumbra, the visible fraction of the light is that of a disc cut by a straight edge, measured with 64
    // rays.
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
    // A ground point under the centre of a disc-like plate of half angle a sees cos^2(a) of the sky. A square of half
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
