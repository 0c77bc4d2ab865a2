use super::crate_file::Crate;
use super::support::{bench, export, floats, recorded, rows, single, surface};
use std::fs;

const VEC3: u64 = 24;

fn integers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn a_crate_file_holds_the_record() {
    assert_eq!(export(&["--format", "usdc"]), "frames 1 to 4 in run/export/two-things.usdc\n");
    let file = Crate::read(fs::read(bench().join("run/export/two-things.usdc")).unwrap());
    assert_eq!((file.token("/", "defaultPrim"), file.token("/", "upAxis")), ("two_things", "Y"));
    let numbers = ["metersPerUnit", "startTimeCode", "endTimeCode", "timeCodesPerSecond", "framesPerSecond"];
    assert_eq!(numbers.map(|n| file.double("/", n)), [1.0, 1.0, 4.0, 25.0, 25.0]);
    assert_eq!(file.token("/two_things", "typeName"), "Xform");
    for (object, prim) in [("sheet", "sheet"), ("flap", "flap"), ("soft-ball", "soft_ball"), ("bar", "bar")] {
        let prim = format!("/two_things/{prim}");
        assert_eq!(file.token(&prim, "typeName"), "Mesh");
        assert_eq!(file.token(&format!("{prim}.subdivisionScheme"), "default"), "none");
        let [points, velocities] = ["points", "velocities"].map(|n| file.samples(&format!("{prim}.{n}")));
        assert_eq!(points.iter().map(|p| p.0).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0]);
        for (k, ((_, x), (_, v))) in points.iter().zip(velocities).enumerate() {
            let record = recorded(object, k as u32 + 1);
            let kept = if object == "soft-ball" {
                surface(&record)
            } else {
                (0..).take(record.mesh.positions.len()).collect()
            };
            let of = |all: Vec<[f32; 3]>| kept.iter().map(|v| all[*v as usize]).collect::<Vec<_>>();
            assert_eq!(rows(&floats(file.array(*x, VEC3, 12))), of(single(&record.mesh.positions)), "{object}");
            assert_eq!(rows(&floats(file.array(v, VEC3, 12))), of(single(&record.velocities.unwrap())), "{object}");
            let places =
                integers(file.array(file.field(&format!("{prim}.faceVertexIndices"), "default").unwrap(), 3, 4));
            let corners: Vec<u32> = places.iter().map(|v| kept[*v as usize]).collect();
            assert_eq!(corners, record.mesh.triangles.as_flattened());
        }
    }
    // For a body, only the surface is exported.
    let ball = recorded("soft-ball", 1);
    assert!(surface(&ball).len() < ball.mesh.positions.len());
    // Values per vertex and per face.
    let strain = file.samples("/two_things/sheet.primvars:strain");
    let wanted: Vec<f32> = recorded("sheet", 4).mesh.channels["strain"].iter().map(|x| *x as f32).collect();
    assert!(wanted.iter().any(|x| *x > 0.0));
    assert_eq!(floats(file.array(strain[3].1, 8, 4)), wanted);
    assert_eq!(file.token("/two_things/sheet.primvars:strain", "interpolation"), "vertex");
    let material = |object: &str| {
        let path = format!("/two_things/{object}.primvars:material_id");
        assert_eq!(file.token(&path, "interpolation"), "uniform");
        let all = integers(file.array(file.field(&path, "default").unwrap(), 3, 4));
        assert!(all.iter().all(|m| *m == all[0]));
        all[0]
    };
    assert_eq!(["sheet", "flap", "soft_ball", "ball", "bar"].map(material), [0, 1, 2, 3, 4]);
    // Static objects have no time samples.
    assert_eq!(file.field("/two_things/ball.points", "timeSamples"), None);
    let still = file.field("/two_things/ball.points", "default").unwrap();
    assert_eq!(rows(&floats(file.array(still, VEC3, 12))), single(&recorded("ball", 0).mesh.positions));
    // A chart without seams is interpolated per vertex, a chart with seams per corner.
    let uv = |object: &str| {
        let value = file.field(&format!("/two_things/{object}.primvars:st"), "default").unwrap();
        rows::<2>(&floats(file.array(value, 20, 8)))
    };
    assert_eq!(file.token("/two_things/sheet.primvars:st", "interpolation"), "vertex");
    let wanted: Vec<[f32; 2]> = recorded("sheet", 1).mesh.uv.iter().map(|c| [c.x as f32, c.y as f32]).collect();
    assert_eq!(uv("sheet"), wanted);
    assert_eq!(file.token("/two_things/flap.primvars:st", "interpolation"), "faceVarying");
    let places = file.field("/two_things/flap.primvars:st:indices", "default").unwrap();
    let corners: Vec<[f32; 2]> = integers(file.array(places, 3, 4)).iter().map(|c| uv("flap")[*c as usize]).collect();
    assert_eq!(corners, [[0.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.75, 0.0], [0.75, 1.0], [1.0, 1.0]]);
}

#[test]
fn clips_hold_a_frame_each() {
    export(&["--format", "usda", "--frames", "2-4", "--out", "clips/all.usda"]);
    let folder = bench().join("clips");
    let head = fs::read_to_string(folder.join("all.usda")).unwrap();
    for part in [
        "subLayers = [@./all.clips/topology.usdc@]",
        "@./all.clips/frame.0002.usdc@, @./all.clips/frame.0003.usdc@, @./all.clips/frame.0004.usdc@",
        "active = [(2, 0), (3, 1), (4, 2)]",
        "startTimeCode = 2\n",
        "endTimeCode = 4\n",
        "timeCodesPerSecond = 25\n",
    ] {
        assert!(head.contains(part), "{part}\n{head}");
    }
    let manifest = fs::read_to_string(folder.join("all.clips/manifest.usda")).unwrap();
    assert!(manifest.contains("point3f[] points") && manifest.contains("float[] primvars:strain"), "{manifest}");
    assert!(!manifest.contains("\"ball\""), "{manifest}");
    let topology = Crate::read(fs::read(folder.join("all.clips/topology.usdc")).unwrap());
    let points = &topology.specs["/two_things/sheet.points"];
    assert!(points.contains_key("typeName") && !points.contains_key("default") && !points.contains_key("timeSamples"));
    assert!(topology.specs["/two_things/ball.points"].contains_key("default"));
    for frame in 2..=4 {
        let clip = Crate::read(fs::read(folder.join(format!("all.clips/frame.{frame:04}.usdc"))).unwrap());
        let points = clip.samples("/two_things/sheet.points");
        assert_eq!((points.len(), points[0].0), (1, f64::from(frame)));
        let wanted = single(&recorded("sheet", frame).mesh.positions);
        assert_eq!(rows(&floats(clip.array(points[0].1, VEC3, 12))), wanted);
        assert!(!clip.specs.contains_key("/two_things/ball"));
    }
}
