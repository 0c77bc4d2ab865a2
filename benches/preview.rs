//! Rays per second of a preview picture, 960 x 540 pixels with 16 samples, of the sheet draped over the sphere.

mod common;

use common::{Arguments, scene, settings};
use divan::Bencher;
use divan::counter::ItemsCount;
use percale::linalg::{Vec3, par};
use percale::render::{Camera, Ground, Object, Paint, Settings, Shading, draw};
use percale::stepper::stepper;

/// Time of the picture [s], at which the sheet hangs over the sphere.
const AT: f64 = 0.5;
/// Width and height of the picture [pixels].
const SIZE: (usize, usize) = (960, 540);

fn arguments() -> Result<Arguments, String> {
    Arguments::read(&[10_000, 40_000, 90_000])
}

fn main() -> Result<(), String> {
    par::with_threads(arguments()?.threads, || {
        println!("{} threads; items are rays", par::threads());
        divan::Divan::default().run_benches();
    })
}

#[divan::bench(args = arguments().map(|a| a.sizes).unwrap_or_default(), sample_count = 10, sample_size = 1)]
fn picture(bencher: Bencher, size: usize) {
    let step = arguments().map_or(1e-3, |a| a.step);
    let (world, mut state) = scene(size);
    if let Err(stuck) = stepper(&world, settings(step), false).advance(&world, &mut state, AT) {
        eprintln!("{}", stuck.describe(&world, &state));
        return;
    }
    let shapes: Vec<Vec<Vec3>> = world.objects.iter().map(|o| world.in_file_order(o, &state.x)).collect();
    let colours = [[0.39, 0.04, 0.03], [0.5, 0.5, 0.5]];
    // The picture's ground replaces the floor.
    let parts = world.objects.iter().zip(&shapes).zip(colours);
    let objects: Vec<Object> = parts
        .map(|((object, positions), colour)| Object {
            name: &object.name,
            positions,
            triangles: &object.triangles,
            uv: &object.uv,
            uv_triangles: &object.uv_triangles,
            paint: Paint::Colour(colour),
            shading: Shading::Minnaert { k: 0.75 },
            wet: &[],
            crease: std::f64::consts::PI,
        })
        .collect();
    let up = Vec3::y();
    let camera = Camera {
        position: Vec3::new(0.9, 0.95, 1.5),
        target: Vec3::new(0.0, 0.38, 0.0),
        fov: 37f64.to_radians(),
        roll: 0.0,
    };
    let mut settings = Settings::new(SIZE.0, SIZE.1, camera, up);
    settings.ground = Some(Ground::at(0.0));
    let rays = draw(&objects, up, &settings).rays;
    println!("{rays:?}");
    bencher.counter(ItemsCount::new(rays.total())).bench_local(|| draw(&objects, up, &settings));
}
