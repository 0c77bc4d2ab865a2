//! Materials of faces: a shirt of two, with a seam, a name that USD cannot have, and a colour, in each format.

use super::crate_file::Crate;
use super::ogawa::Archive;
use super::support::{bench, floats, percale, rows};
use percale::mesh::archive::{self, Upward};
use percale::mesh::{TriMesh, obj};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A quad of the front, one of the back, and a triangle of neither. The last repeats two vertices of the back.
const SHIRT: &str = "o Shirt\nv 0 0 1\nv .2 0 1\nv .4 0 1\nv 0 .2 1\nv .2 .2 1\nv .4 .2 1\nv .4 0 1\nv .4 .2 1\nv .6 0 .8\n\
                     vt 0 0\nvt .2 0\nvt .2 .2\nvt 0 .2\nvt .5 0\nvt .7 0\nvt .7 .2\nvt .5 .2\n\
                     f 7/1 9/2 8/3\nusemtl front 1\nf 1/1 2/2 5/3 4/4\nusemtl back\nf 2/5 3/6 6/7 5/8\n";

const SCENE: &str = "[time]\nstart_frame = 1001\nframes = 2\n[[cloth]]\nname = \"my-shirt\"\nmesh = \"shirt.obj\"\nweld = \"1 mm\"\n\
                     material = \"silk\"\ncolour = \"#ff0080\"\n[[obstacle]]\nname = \"bar\"\n\
                     box = { center = [0, -5, 0], size = [0.5, 0.05, 0.05] }\n[[obstacle]]\nname = \"ball\"\n\
                     sphere = { center = [0, -7, 0], radius = 0.2 }\n";

fn export(arguments: &[&str]) -> PathBuf {
    static MADE: OnceLock<()> = OnceLock::new();
    let folder = bench().join("looks");
    MADE.get_or_init(|| {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("shirt.obj"), SHIRT).unwrap();
        fs::write(folder.join("shot.toml"), SCENE).unwrap();
        let out = percale(&["run", "shot.toml", "--out", "run", "--no-preview"], &folder);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    });
    let out = percale(&[&["export", "run"], arguments].concat(), &folder);
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    folder.join("run/export")
}

/// Colour of the shirt, decoded from sRGB.
const COLOUR: [f64; 3] = [1.0, 0.0, 0.215861];

fn triangles_of(mesh: &TriMesh) -> Vec<Option<&str>> {
    (0..mesh.triangles.len()).map(|t| mesh.materials.of(t)).collect()
}

/// Reads a file as percale reads meshes.
fn read(path: &Path) -> TriMesh {
    archive::Archive::open(path, Some("my_shirt"), Upward::Y).unwrap().mesh
}

#[test]
fn usd_has_subsets_and_surfaces() {
    let folder = export(&["--format", "usdc"]);
    let file = Crate::read(fs::read(folder.join("shot.usdc")).unwrap());
    let shirt = "/shot/my_shirt";
    let ints = |path: &str| -> Vec<u32> {
        let bytes = file.array(file.field(path, "default").unwrap(), 3, 4);
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    };
    for (set, faces) in [("my_shirt", [0]), ("front_1", [1]), ("back", [2])] {
        let path = format!("{shirt}/{set}");
        assert_eq!(ints(&format!("{path}.indices")), faces);
        assert_eq!(file.token(&format!("{path}.familyName"), "default"), "materialBind");
        assert_eq!(file.token(&format!("{path}.elementType"), "default"), "face");
        assert_eq!(file.path(&format!("{path}.material:binding"), "targetPaths"), format!("/shot/materials/{set}"));
        assert!(file.specs[&path].contains_key("apiSchemas"));
        let surface = format!("/shot/materials/{set}/surface");
        let from = file.path(&format!("/shot/materials/{set}.outputs:surface"), "connectionPaths");
        assert_eq!(from, format!("{surface}.outputs:surface"));
        assert_eq!(file.token(&format!("{surface}.info:id"), "default"), "UsdPreviewSurface");
        let colour = file.vector(&format!("{surface}.inputs:diffuseColor"), "default");
        assert_eq!(colour, COLOUR.map(|c| c as f32));
        assert_eq!(file.float(&format!("{surface}.inputs:roughness"), "default"), 0.45);
        assert_eq!(file.float(&format!("{surface}.inputs:metallic"), "default"), 0.0);
    }
    assert_eq!(ints(&format!("{shirt}.primvars:material_id")), [0, 1, 2]);
    let colour = file.array(file.field(&format!("{shirt}.primvars:displayColor"), "default").unwrap(), 24, 12);
    assert_eq!(rows::<3>(&floats(colour)), [COLOUR.map(|c| c as f32)]);
    let text = |path: &str| file.text(path, "displayName");
    assert_eq!((text(shirt), text("/shot/materials/front_1")), ("my-shirt", "front 1"));
    // Its name in the source, and normals that are the same on both sides of the seam, in each frame.
    assert_eq!(file.text(&format!("{shirt}.userProperties:source"), "default"), "Shirt");
    let normals = file.samples(&format!("{shirt}.normals"));
    assert_eq!((normals.len(), file.token(&format!("{shirt}.normals"), "interpolation")), (2, "vertex"));
    for (_, value) in normals {
        seam(&rows(&floats(file.array(value, 24, 12))));
    }
    assert!(
        !file.specs.contains_key("/shot/bar.normals") && !file.specs.contains_key("/shot/bar.userProperties:source")
    );
    // An object of one material is bound to it as a whole.
    assert_eq!(file.path("/shot/bar.material:binding", "targetPaths"), "/shot/materials/bar");
    // Value clips have the materials beside the topology, once.
    export(&["--format", "usda"]);
    let clips = |name: &str| Crate::read(fs::read(folder.join("shot.clips").join(name)).unwrap()).specs;
    assert!(clips("topology.usdc").contains_key("/shot/my_shirt/back"));
    assert!(!clips("frame.1001.usdc").keys().any(|path| path.contains("materials") || path.contains("back")));
    let clip = Crate::read(fs::read(folder.join("shot.clips/frame.1002.usdc")).unwrap());
    seam(&rows(&floats(clip.array(clip.samples(&format!("{shirt}.normals"))[0].1, 24, 12))));
    assert!(clips("topology.usdc")["/shot/my_shirt.normals"].contains_key("interpolation"));
    assert!(fs::read_to_string(folder.join("shot.clips/manifest.usda")).unwrap().contains("normal3f[] normals"));
    for ending in ["usdc", "usda"] {
        let mesh = read(&folder.join(format!("shot.{ending}")));
        let [own, front, back] = ["my_shirt", "front_1", "back"].map(Some);
        assert_eq!(triangles_of(&mesh), [own, front, front, back, back], "{ending}");
    }
}

/// Checks normals of the shirt: of unit length, and the same on both sides of its seam.
fn seam(normals: &[[f32; 3]]) {
    assert!(normals.iter().all(|n| (n.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-5), "{normals:?}");
    assert_eq!((normals[2], normals[5]), (normals[6], normals[7]));
    assert!(normals[2] != normals[8] && normals[0] != normals[2], "{normals:?}");
}

/// Normals are there by default where a seam is joined, for all that is smooth, or not at all.
#[test]
fn normals_are_chosen() {
    let folder = export(&["--format", "usdc"]);
    let has = |file: &str| {
        let specs = Crate::read(fs::read(folder.join(file)).unwrap()).specs;
        ["my_shirt", "ball", "bar"].map(|object| specs.contains_key(&format!("/shot/{object}.normals")))
    };
    assert_eq!(has("shot.usdc"), [true, false, false]);
    for (which, wanted) in [("all", [true, true, false]), ("off", [false; 3])] {
        let file = folder.join(format!("{which}.usdc"));
        export(&["--format", "usdc", "--normals", which, "--out", file.to_str().unwrap()]);
        assert_eq!(has(&format!("{which}.usdc")), wanted, "{which}");
    }
}

#[test]
fn alembic_has_face_sets() {
    let folder = export(&["--format", "abc"]);
    let file = Archive::read(fs::read(folder.join("shot.abc")).unwrap());
    for (set, face) in [("my-shirt", 0i32), ("front 1", 1), ("back", 2)] {
        let name = format!("my_shirt/{set}");
        assert_eq!(file.samples(&name, ".faceset/.faces"), [face.to_le_bytes()]);
        let bounds = file.samples(&name, ".faceset/.selfBnds");
        assert_eq!(bounds, file.samples("my_shirt", ".geom/.selfBnds")[..1]);
    }
    let normals = file.samples("my_shirt", ".geom/N");
    assert_eq!(normals.len(), 2);
    normals.iter().for_each(|own| seam(&rows(&floats(own))));
    let meta = &file.objects["my_shirt"][".geom/N"].meta;
    assert!(meta.contains("geoScope=vtx") && meta.contains("interpretation=normal"), "{meta}");
    assert_eq!(file.samples("my_shirt", ".geom/.userProperties/source"), [b"Shirt\0"]);
    assert!(!file.objects["ball"].contains_key(".geom/N"));
    let mesh = read(&folder.join("shot.abc"));
    let [own, front, back] = ["my-shirt", "front 1", "back"].map(Some);
    assert_eq!(triangles_of(&mesh), [own, front, front, back, back]);
}

#[test]
fn obj_has_a_library() {
    let folder = export(&["--format", "obj"]);
    let bytes = fs::read(folder.join("my-shirt.1002.obj")).unwrap();
    let mesh = obj::read(&bytes).unwrap();
    let [own, front, back] = ["my-shirt", "front 1", "back"].map(Some);
    assert_eq!(triangles_of(&mesh), [own, front, front, back, back]);
    assert_eq!(mesh.groups["Shirt"], (0..9).collect::<Vec<u32>>());
    assert!(String::from_utf8(bytes).unwrap().starts_with("mtllib my-shirt.mtl\no my-shirt\n"));
    let library = fs::read_to_string(folder.join("my-shirt.mtl")).unwrap();
    let names: Vec<&str> = library.lines().filter_map(|line| line.strip_prefix("newmtl ")).collect();
    assert_eq!(names, ["my-shirt", "front 1", "back"]);
    assert_eq!(library.matches("Kd 1 0 0.215861\n").count(), 3);
    assert_eq!(library.matches("Pr 0.45\nPm 0\n").count(), 3);
    export(&["--format", "pc2", "--out", "caches"]);
    assert!(bench().join("looks/caches/my-shirt.mtl").is_file());
}

#[test]
fn gltf_has_a_primitive_a_material() {
    let folder = export(&["--format", "gltf"]);
    let read = |path: &Path| {
        let json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        (json, fs::read(path.with_extension("bin")).unwrap())
    };
    let (json, data) = read(&folder.join("shot.gltf"));
    let bytes = |json: &Value, data: &[u8], accessor: &Value| -> Vec<u8> {
        let view = &json["accessors"][accessor.as_u64().unwrap() as usize]["bufferView"];
        let view = &json["bufferViews"][view.as_u64().unwrap() as usize];
        let [at, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        data[at..at + length].to_vec()
    };
    let materials = json["materials"].as_array().unwrap();
    let names: Vec<&str> = materials.iter().map(|m| m["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["my-shirt", "front 1", "back", "bar", "ball"]);
    assert_eq!(json["nodes"][0]["extras"]["source"], "Shirt");
    assert!(json["nodes"][1].get("extras").is_none());
    for (material, roughness) in materials.iter().zip([0.45, 0.45, 0.45, 0.5, 0.5]) {
        let factors = &material["pbrMetallicRoughness"];
        assert_eq!((&factors["metallicFactor"], &factors["roughnessFactor"]), (&0.0.into(), &roughness.into()));
    }
    let [r, g, b] = COLOUR;
    assert_eq!(materials[1]["pbrMetallicRoughness"]["baseColorFactor"], serde_json::json!([r, g, b, 1.0]));
    let primitives = json["meshes"][0]["primitives"].as_array().unwrap();
    assert_eq!(primitives.iter().map(|p| p["material"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 2]);
    let counts: Vec<usize> = primitives.iter().map(|p| bytes(&json, &data, &p["indices"]).len() / 12).collect();
    assert_eq!(counts, [1, 2, 2]);
    // Normals follow each frame.
    let base: Vec<[f32; 3]> = rows(&floats(&bytes(&json, &data, &primitives[0]["attributes"]["NORMAL"])));
    seam(&base);
    assert!(primitives[0]["targets"][0].get("NORMAL").is_some());
    // A box has sharp edges, which smooth normals would hide.
    assert!(json["meshes"][1]["primitives"][0]["attributes"].get("NORMAL").is_none());
    // Frame 1001 is at its own time, or at 0.
    let times = |json: &Value, data: &[u8]| floats(&bytes(json, data, &json["animations"][0]["samplers"][0]["input"]));
    let fps = json_fps();
    assert!((times(&json, &data)[0] - 1001.0 / fps).abs() < 1e-3);
    export(&["--format", "gltf", "--from-zero", "--out", "zero.gltf"]);
    let (json, data) = read(&bench().join("looks/zero.gltf"));
    assert_eq!(times(&json, &data), [0.0, 1.0 / fps]);
    let out = percale(&["export", "run", "--format", "abc", "--from-zero"], &bench().join("looks"));
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&out.stderr), "--from-zero goes with --format gltf\n");
}

fn json_fps() -> f32 {
    let record: Value = serde_json::from_slice(&fs::read(bench().join("looks/run/run.json")).unwrap()).unwrap();
    record["fps"].as_f64().unwrap() as f32
}
