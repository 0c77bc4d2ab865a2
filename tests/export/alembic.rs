use super::ogawa::Archive;
use super::support::{bench, export, floats, percale, recorded, rows, single};
use std::fs;

#[test]
fn an_archive_holds_the_record() {
    export(&["--format", "abc"]);
    let file = Archive::read(fs::read(bench().join("run/export/two-things.abc")).unwrap());
    assert!(file.words.contains("_ai_Application=percale "), "{}", file.words);
    assert_eq!(
        file.objects.keys().map(String::as_str).filter(|name| !name.contains('/')).collect::<Vec<_>>(),
        ["ball", "bar", "flap", "sheet", "soft_ball"]
    );
    // Frame k is at time k / fps.
    assert_eq!(file.times, [(0.0, 1.0), (0.04, 0.04)]);
    let (x, v, strain) = (
        file.samples("sheet", ".geom/P"),
        file.samples("sheet", ".geom/.velocities"),
        file.samples("sheet", ".geom/.arbGeomParams/strain"),
    );
    assert_eq!([x.len(), v.len(), strain.len()], [4; 3]);
    for k in 0..4 {
        let record = recorded("sheet", k as u32 + 1);
        assert_eq!(rows(&floats(x[k])), single(&record.mesh.positions));
        assert_eq!(rows(&floats(v[k])), single(record.velocities.as_ref().unwrap()));
        let wanted: Vec<f32> = record.mesh.channels["strain"].iter().map(|x| *x as f32).collect();
        assert_eq!(floats(strain[k]), wanted);
        let bounds: Vec<f64> = file.samples("sheet", ".geom/.selfBnds")[k]
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
            .collect();
        for axis in 0..3 {
            let all = record.mesh.positions.iter().map(|p| p[axis]);
            assert_eq!(bounds[axis], all.clone().fold(f64::INFINITY, f64::min));
            assert_eq!(bounds[3 + axis], all.fold(f64::NEG_INFINITY, f64::max));
        }
    }
    let [p, velocities] = ["P", ".velocities"].map(|n| &file.objects["sheet"][&format!(".geom/{n}")]);
    assert_eq!((p.pod, p.extent, p.sampling, velocities.sampling), (10, 3, 1, 1));
    assert!(velocities.meta.contains("interpretation=vector"));
    // Alembic orders corners clockwise, also those of the chart.
    let integers = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    let wanted: Vec<u32> = recorded("sheet", 1).mesh.triangles.iter().flat_map(|[a, b, c]| [*c, *b, *a]).collect();
    assert_eq!(integers(file.samples("sheet", ".geom/.faceIndices")[0]), wanted);
    let uv: Vec<[f32; 2]> = rows(&floats(file.samples("flap", ".geom/uv")[0]));
    assert_eq!(uv, [[0.5, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0], [0.75, 1.0], [0.75, 0.0]]);
    // Static objects have a single sample, without a time.
    assert_eq!(file.samples("ball", ".geom/P").len(), 1);
    assert_eq!(file.objects["ball"][".geom/P"].sampling, 0);
}

#[test]
fn z_up_is_turned() {
    let scene = "[scene]\nup = \"z\"\n[time]\nframes = 2\n[[cloth]]\nname = \"flap\"\nmesh = \"flap.obj\"\n";
    fs::write(bench().join("z.toml"), scene).unwrap();
    let run = percale(&["run", "z.toml", "--out", "z", "--no-preview"], bench());
    assert!(run.status.success());
    for format in ["abc", "usdc", "gltf"] {
        assert!(percale(&["export", "z", "--format", format], bench()).status.success());
    }
    let file = Archive::read(fs::read(bench().join("z/export/z.abc")).unwrap());
    let x: Vec<[f32; 3]> = rows(&floats(file.samples("flap", ".geom/P")[0]));
    assert_eq!(x, [[5.0, 0.0, -1.0], [5.1, 0.0, -1.0], [5.0, 0.1, -1.0], [5.1, 0.1, -1.0]]);
    // Gravity is along y in Alembic.
    let v: Vec<[f32; 3]> = rows(&floats(file.samples("flap", ".geom/.velocities")[1]));
    assert!(v.iter().all(|v| v[1] < -0.1 && v[0].abs() < 1e-3 && v[2].abs() < 1e-3), "{v:?}");
    let usd = super::crate_file::Crate::read(fs::read(bench().join("z/export/z.usdc")).unwrap());
    assert_eq!(usd.token("/", "upAxis"), "Z");
    assert!(fs::read_to_string(bench().join("z/export/z.gltf")).unwrap().contains("\"rotation\""));
}
