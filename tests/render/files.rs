//! PNG, EXR, legends and contact sheets.

use crate::meshes::{CLOTH, Mesh, drape_settings, lamp, near, pixel, plain};
use percale::linalg::Vec3;
use percale::render::{Cell, Image, Map, Paint, Shading, contact_sheet, draw, linear_from_srgb, srgb_from_linear};

#[test]
fn a_field_has_a_legend_in_the_png_only() {
    let mesh = Mesh::grid(8, |u, v| Vec3::new(u - 0.5, v - 0.5, 0.0));
    let values: Vec<f64> = mesh.uv.iter().map(|p| p.x).collect();
    let field = Paint::Field { values: &values, min: 0.0, max: 1.0, map: Map::Sequential, label: "strain", unit: "1" };
    let mut object = mesh.object("cloth", field);
    object.shading = Shading::Lambert;
    let picture = draw(&[object], Vec3::y(), &plain(400, lamp(Vec3::z())));
    assert_eq!(picture.legends.len(), 1);
    assert_eq!(picture.legends[0].title, "strain [1]");
    // Colours of the surface match the colour map. The middle column has the value one half.
    assert!(near(pixel(&picture, 200, 200), Map::Sequential.colour(0.5), 0.01));
    let image = picture.image();
    let count = |wanted: [f64; 3]| {
        let close = |p: &&[f32; 3]| near(p.map(f64::from), wanted, 2e-3);
        (picture.colour.iter().filter(close).count(), image.pixels.iter().filter(close).count())
    };
    for t in [0.02, 0.98] {
        let (without, with) = count(Map::Sequential.colour(t));
        assert!(with > without + 4, "bar at {t}: {without} -> {with}");
    }
    let changed: Vec<usize> = (0..image.pixels.len()).filter(|i| image.pixels[*i] != picture.colour[*i]).collect();
    assert!(changed.len() > 1000 && changed.iter().all(|i| i / 400 > 300 && i % 400 > 200));
    let bare = draw(&[mesh.object("cloth", Paint::Colour(CLOTH))], Vec3::y(), &plain(400, lamp(Vec3::z())));
    assert_eq!(bare.image().pixels, bare.colour);
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
    // A label is truncated at the border of its frame.
    let long = "case 0012 silk, 1 ms, a value that is far too long for its frame".repeat(2);
    let cells = [Cell { label: &long, image: &frame }, Cell { label: "", image: &frame }];
    let (cut, bare) = (contact_sheet(&cells, 2, 100), contact_sheet(&[Cell { label: "", image: &frame }; 2], 2, 100));
    assert_ne!(cut, bare);
    let beyond = (0..bare.pixels.len()).filter(|i| i % bare.width >= 102);
    assert!(beyond.into_iter().all(|i| cut.pixels[i] == bare.pixels[i]));
}
