//! Pictures for visual inspection.

use crate::meshes::{CLOTH, Mesh, STONE, drape_settings};
use percale::linalg::Vec3;
use percale::render::{Cell, Map, Paint, Settings, Shading, Wireframe, contact_sheet, draw};

/// Writes pictures for visual inspection to `out/render/`: `cargo test --release --test render -- --ignored`.
#[test]
#[ignore = "writes pictures to look at"]
fn gallery() {
    let (cloth, ball) = (Mesh::drape(100), Mesh::sphere(64, Vec3::new(0.0, 0.32, 0.0), 0.25));
    let height: Vec<f64> = cloth.positions.iter().map(|p| p.y * 0.2).collect();
    let settings = drape_settings(960, 540);
    let checker = Paint::Checker { a: [0.55, 0.53, 0.48], b: [0.10, 0.17, 0.28], size: 0.1 };
    let field =
        Paint::Field { values: &height, min: 0.0, max: 0.12, map: Map::Sequential, label: "edge strain", unit: "" };
    let gap = Paint::Field { values: &height, min: 0.0, max: 0.12, map: Map::Sequential, label: "speed", unit: "m/s" };
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
