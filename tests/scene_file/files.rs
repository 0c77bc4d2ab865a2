//! Files that scenes name, as other programs write them: one object of several, incomplete charts, encodings.

use crate::support::{folder, lines, read, write};
use percale::scene::build::{Built, Refusal, build};
use percale::scene::read_text;
use percale::world::Course;
use percale::world::recording::{Clock, Recording};
use std::fs;

pub const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

const TWO: &str = "o Body\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\no Shirt\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nvt 0 0\nvt 1 0\nvt 0 1\n\
    vt 1 1\nf 4/1 5/2 6/3\ng hem\nf 5/2 7/4 6/3\n";

/// Writes a mesh file, and builds a scene next to it.
pub fn built(name: &str, mesh: &str, scene: &str) -> Result<Built, Refusal> {
    write(name, mesh);
    let file = folder().join(format!("{name}.toml"));
    fs::write(&file, scene).unwrap();
    let scene = read_text(&file, scene.as_bytes(), &[]).unwrap_or_else(|faults| panic!("{}", lines(&faults)));
    build(&scene, &file)
}

pub fn cloth(name: &str, keys: &str) -> String {
    format!("[[cloth]]\nname = \"c\"\nmesh = \"{name}\"\n{keys}\n")
}

#[test]
fn one_object_of_a_file_is_taken() {
    let scene = cloth("two.obj", "object = \"Shirt\"\nrest = \"chart\"");
    let Built { world, warnings, .. } =
        built("two.obj", TWO, &scene).unwrap_or_else(|r| panic!("{}", lines(&r.faults)));
    assert!(warnings.is_empty(), "{}", lines(&warnings));
    assert_eq!((world.objects[0].place.len(), world.objects[0].triangles.len()), (4, 2));
    // A group, if no object has the name; and selection for an obstacle, a sequence and a body.
    let scene = cloth("hem.obj", "object = \"hem\"");
    assert_eq!(built("hem.obj", TWO, &scene).unwrap().world.objects[0].place.len(), 3);
    let closed = "o Skin\nv 9 9 9\nv 8 9 9\nv 9 8 9\nf 1 2 3\no Core\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 4 6 5\nf 4 5 7\nf 5 6 7\nf 6 4 7\n";
    let scene = format!(
        "{}[[obstacle]]\nname = \"o\"\nmesh = \"three.obj\"\nobject = \"Skin\"\n[[body]]\nname = \"b\"\nmesh = \"three.obj\"\n\
         object = \"Core\"\nresolution = 0.3\n[[obstacle]]\nname = \"s\"\n\
         sequence = {{ files = \"walk/two.####.obj\", first = 1, last = 2 }}\nobject = \"Body\"\n\
         transform = {{ translate = [20, 0, 0] }}\n",
        cloth("three.obj", "object = \"Skin\"\ntransform = { translate = [0, 3, 0] }")
    );
    for number in ["0001", "0002"] {
        write(format!("walk/two.{number}.obj"), TWO);
    }
    let Built { world, .. } = built("three.obj", closed, &scene).unwrap_or_else(|r| panic!("{}", lines(&r.faults)));
    let count = |name: &str| world.objects.iter().find(|o| o.name == name).map(|o| o.triangles.len());
    assert_eq!([count("c"), count("o"), count("s")], [Some(1), Some(1), Some(1)]);
    assert!(count("b").is_some_and(|n| n > 4));
}

/// Two triangles whose third vertex rises by 1 m in half a second, in both formats; and invalid files.
#[test]
fn point_caches_move_obstacles() {
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n";
    let at = |z: f32| [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, z, 1.0, 1.0, 0.0];
    let numbers: Vec<f32> = [at(0.0), at(1.0)].concat();
    let pc2 = |numbers: &[f32]| -> Vec<u8> {
        let head = [1i32, 4].iter().flat_map(|n| n.to_le_bytes());
        let rate = [0f32, 1.0].iter().flat_map(|n| n.to_le_bytes());
        let samples = 2i32.to_le_bytes();
        let numbers = numbers.iter().flat_map(|n| n.to_le_bytes());
        b"POINTCACHE2\0".iter().copied().chain(head).chain(rate).chain(samples).chain(numbers).collect()
    };
    let mdd: Vec<u8> = [2i32, 4].iter().flat_map(|n| n.to_be_bytes()).collect();
    let mdd = mdd.into_iter().chain([0f32, 0.5].iter().chain(&numbers).flat_map(|n| n.to_be_bytes())).collect();
    let scene = |points: &str, more: &str| {
        let obstacle = format!("cache = {{ mesh = \"flap.obj\", points = \"{points}\"{more} }}");
        format!(
            "{}[[obstacle]]\nname = \"o\"\n{obstacle}\n",
            cloth("sheet.obj", "transform = { translate = [9, 0, 0] }")
        )
    };
    write("flap.obj", mesh);
    for (file, bytes, more) in [("flap.pc2", pc2(&numbers), ", fps = 2"), ("flap.mdd", mdd, "")] {
        write(file, bytes);
        let Built { world, .. } =
            built("sheet.obj", TRIANGLE, &scene(file, more)).unwrap_or_else(|r| panic!("{}", lines(&r.faults)));
        let mut x = world.rest.clone();
        world.place_obstacles(0.25, &mut x);
        let third = x[world.objects[1].place[2] as usize];
        assert!((third.z - 0.5).abs() < 1e-12 && (third.y - 1.0).abs() < 1e-12, "{file}: {third}");
    }
    let told = |points: &str| lines(&built("sheet.obj", TRIANGLE, &scene(points, "")).unwrap_err().faults);
    write("short.pc2", &pc2(&numbers)[..100]);
    assert!(told("short.pc2").contains("ends early: it says 2 frames of 4 vertices and holds 1 whole"));
    write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let other = scene("flap.pc2", "").replace("flap.obj", "other.obj");
    let other = lines(&built("sheet.obj", TRIANGLE, &other).unwrap_err().faults);
    assert!(other.contains("flap.pc2") && other.contains("4 vertices, but"), "{other}");
    let turned = read(
        "[[obstacle]]\nname = \"o\"\ncache = { mesh = \"flap.obj\", points = \"flap.pc2\" }\nrotation = { axis = [0, 1, 0], speed = 1 }\n",
    );
    assert!(lines(&turned.unwrap_err()).contains("conflicts with 'cache', which moves by itself"));
}

/// Times of cache frames: warnings compare the times in the file with the times used, in the terms of a cache.
#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn times_of_point_caches_are_told() {
    let at = |z: f32| [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, z];
    let numbers: Vec<f32> = [at(0.0), at(0.5), at(1.0)].concat();
    let far: Vec<f32> = [at(0.0), at(0.0), at(5.0)].concat();
    let pc2 = |clock: [f32; 2], numbers: &[f32]| -> Vec<u8> {
        let head = [1i32, 3].iter().flat_map(|n| n.to_le_bytes());
        let (clock, samples) = (clock.into_iter().flat_map(f32::to_le_bytes), 3i32.to_le_bytes());
        let numbers = numbers.iter().flat_map(|n| n.to_le_bytes());
        b"POINTCACHE2\0".iter().copied().chain(head).chain(clock).chain(samples).chain(numbers).collect()
    };
    let mdd = |times: [f32; 3]| -> Vec<u8> {
        let head = [3i32, 3].iter().flat_map(|n| n.to_be_bytes());
        head.chain(times.iter().chain(&numbers).flat_map(|n| n.to_be_bytes())).collect()
    };
    let cases: [(&str, Vec<u8>, &str, f64, &str); 12] = [
        ("a.pc2", pc2([0.0, 1.0], &numbers), "", 1.0 / 30.0, ""),
        ("b.pc2", pc2([1.0, 1.0], &numbers), "", 1.0 / 30.0, ""),
        ("c.pc2", pc2([0.0, 3.0], &numbers), "", 0.1, ""),
        (
            "d.pc2",
            pc2([61.0, 1.0], &numbers),
            "",
            1.0 / 30.0,
            "its first frame is number 61, which is taken to be at 0 s; give cache.start, 2 s if it counts",
        ),
        ("e.pc2", pc2([61.0, 1.0], &numbers), ", start = 0", 1.0 / 30.0, ""),
        (
            "f.pc2",
            pc2([0.0, 2.0], &numbers),
            ", fps = 10",
            0.1,
            "the file has a frame every 2 frames; fps = 10 is taken to count those that it has",
        ),
        (
            "g.pc2",
            pc2([0.0, 0.0], &numbers),
            "",
            1.0 / 30.0,
            "says no time from frame to frame that could be; it is taken to be 0.0333 s",
        ),
        (
            "h.pc2",
            pc2([0.0, 1.0], &far),
            ", fps = 2",
            0.5,
            "from frame 2 to frame 3 of the cache a vertex moves by 5 m, at 10 m/s; is a frame missing",
        ),
        ("i.mdd", mdd([0.0, 0.5, 1.0]), "", 0.5, ""),
        (
            "j.mdd",
            mdd([0.0, 0.1, 1.0]),
            "",
            0.5,
            "its frames are 0.1 to 0.9 s apart, and are taken to be 0.5 s apart, evenly",
        ),
        ("k.mdd", mdd([0.0, 1.0, 0.5]), "", 0.25, "its frames are -0.5 to 1 s apart"),
        ("l.mdd", mdd([2.0, 2.5, 3.0]), ", start = 2", 0.5, ""),
    ];
    write("leaf.obj", TRIANGLE);
    for (file, bytes, more, interval, wanted) in cases {
        write(file, bytes);
        let obstacle =
            format!("[[obstacle]]\nname = \"o\"\ncache = {{ mesh = \"leaf.obj\", points = \"{file}\"{more} }}\n");
        let scene = format!("{}{obstacle}", cloth("clock.obj", "transform = { translate = [9, 0, 0] }"));
        let Built { world, warnings, .. } =
            built("clock.obj", TRIANGLE, &scene).unwrap_or_else(|r| panic!("{}", lines(&r.faults)));
        let found = match &world.obstacles[0].course {
            Course::Recorded(Recording { clock: Clock::Even { interval, .. }, .. }) => *interval,
            other => panic!("{other:?}"),
        };
        assert!((found - interval).abs() < 1e-6, "{file}: {found}");
        let warnings: Vec<_> = warnings.into_iter().filter(|w| !w.message.contains("it stands still")).collect();
        let told = lines(&warnings);
        assert!(told.contains(wanted) && warnings.len() == usize::from(!wanted.is_empty()), "{file}: {told}");
        assert!(
            !told.contains("sequence") && (told.is_empty() || told.contains("clock.obj.toml:7:")),
            "{file}: {told}"
        );
    }
}

#[test]
fn an_object_that_is_not_there_is_answered_with_those_that_are() {
    let told = |name: &str, mesh: &str, scene: &str| lines(&built(name, mesh, scene).unwrap_err().faults);
    let wrong = told("wrong.obj", TWO, &cloth("wrong.obj", "object = \"Shrit\""));
    assert!(wrong.contains("wrong.obj.toml:4:10: cloth[0].object: no object 'Shrit' with faces in "), "{wrong}");
    assert!(wrong.contains("it has 'Body', 'Shirt', 'hem'; did you mean 'Shirt'?"), "{wrong}");
    let none = told("none.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &cloth("none.obj", "object = \"Shirt\""));
    assert!(none.contains("it has none"), "{none}");
    let mesh = "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n";
    let ply = told("object.ply", mesh, &cloth("object.ply", "object = \"Shirt\""));
    assert!(ply.contains("cloth[0].object: only OBJ, USD and Alembic files have objects"), "{ply}");
    let sphere = read("[[obstacle]]\nname = \"o\"\nobject = \"x\"\nsphere = { center = [0, 0, 0], radius = 1 }\n");
    assert!(lines(&sphere.unwrap_err()).contains("3:10: obstacle[0].object: goes with 'mesh', 'sequence' or 'cache'"));
    let body = read("[[body]]\nname = \"o\"\nobject = \"x\"\nsphere = { center = [0, 0, 0], radius = 1 }\n");
    assert!(lines(&body.unwrap_err()).contains("3:10: body[0].object: goes with 'mesh'"));
}

#[test]
fn who_needs_a_chart_is_told_that_it_is_not_whole() {
    let mixed = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\nf 2 4 3\n";
    let obstacle = "[[obstacle]]\nname = \"o\"\nmesh = \"mixed.obj\"\ntransform = { translate = [0, 0, 2] }\n";
    let Built { warnings, .. } = built("mixed.obj", mixed, &(cloth("mixed.obj", "") + obstacle)).unwrap();
    let told = lines(&warnings);
    assert_eq!(told.matches("mixed.obj:9:1: texture coordinates on 1 of 2 faces only").count(), 2, "{told}");
    assert!(
        told.contains("cloth[0].warp: the mesh has no whole chart (UV), so the warp runs along [1, 0, 0]"),
        "{told}"
    );
    let refusal = built("chart.obj", mixed, &cloth("chart.obj", "rest = \"chart\"")).unwrap_err();
    let told = lines(&refusal.faults);
    assert!(
        told.contains("chart.obj.toml:4:8: cloth[0].rest: the mesh has no whole chart (UV) (9:1: texture"),
        "{told}"
    );
    assert!(lines(&refusal.warnings).contains("chart.obj:9:1: texture coordinates"));
    // A chart of face corners counts too.
    let wedge = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n\
        property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n0 0 0\n1 0 0\n0 1 0\n\
        3 0 1 2 6 0 0 1 0 0 1\n";
    assert!(built("wedge.ply", wedge, &cloth("wedge.ply", "rest = \"chart\"")).unwrap().warnings.is_empty());
}

/// Returns a text in the encodings of other programs.
fn variants(text: &str) -> [Vec<u8>; 5] {
    let wide = |text: &str, big: bool| -> Vec<u8> {
        let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
        units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    };
    let marked = format!("\u{feff}{text}");
    let latin = [b"# \xe4\n", text.as_bytes()].concat();
    [marked.into_bytes(), text.replace('\n', "\r").into_bytes(), wide(text, false), wide(text, true), latin]
}

#[test]
fn tables_are_read_in_every_encoding() {
    let path = "t,x,y,z\n0,0,1,0\n0.5,0,1.5,0\n";
    let curves = "load,f0,f90\n0.5,0.2,0.25\n1,0.3,0.4\n";
    let scene = "[[obstacle]]\nname = \"o\"\nmesh = \"sheet.obj\"\npath = \"odd.csv\"\n[[cloth]]\nname = \"c\"\nmesh = \"sheet.obj\"\n\
        [[friction]]\nbetween = [\"c\", \"c\"]\narea = \"1 cm2\"\ncurves = \"odd-curves.csv\"\n";
    let mut all = Vec::new();
    for (path, curves) in
        std::iter::once((path.into(), curves.into())).chain(variants(path).into_iter().zip(variants(curves)))
    {
        write("odd.csv", path);
        write("odd-curves.csv", curves);
        let scene = read(scene).unwrap_or_else(|faults| panic!("{}", lines(&faults)));
        all.push((scene.obstacles[0].motion.clone(), scene.frictions[0].given.clone()));
    }
    assert!(all.len() == 6 && all.iter().all(|one| *one == all[0]));
}

#[test]
fn scenes_are_read_or_their_encoding_is_named() {
    let text = "# Ärmel\n[[cloth]]\nname = \"c\"\nmesh = \"sheet.obj\"\n";
    let [marked, cr, little, big, latin] = variants(text);
    let read = |bytes: &[u8]| read_text(&folder().join("odd.toml"), bytes, &[]);
    for bytes in [marked, little, big, text.replace('\n', "\r\n").into_bytes()] {
        assert_eq!(read(&bytes).unwrap_or_else(|faults| panic!("{}", lines(&faults))).cloths[0].name, "c");
    }
    let told = lines(&read(&cr).unwrap_err());
    assert!(told.contains("odd.toml:1:1: its lines end in CR alone") && told.lines().count() == 1, "{told}");
    let told = lines(&read(&latin).unwrap_err());
    assert!(told.contains("odd.toml:1:3: not UTF-8 text; save the file as UTF-8"), "{told}");
}

#[test]
fn a_garment_in_other_units_is_noticed() {
    let shirt = |size: f64| format!("v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nf 1 2 3\n");
    let warnings = |name: &str, size: f64, keys: &str| {
        lines(
            &built(name, &shirt(size), &cloth(name, keys)).unwrap_or_else(|r| panic!("{}", lines(&r.faults))).warnings,
        )
    };
    for (name, size) in [("cm.obj", 70.0), ("mm.obj", 700.0)] {
        let told = warnings(name, size, "");
        assert!(told.contains(&format!("{name}.toml:3:8: cloth[0].mesh: it measures")), "{told}");
        assert!(told.contains("lengths are metres") && told.contains("scale = 0.01"), "{told}");
    }
    assert_eq!(warnings("m.obj", 0.7, "") + &warnings("scaled.obj", 70.0, "transform = { scale = 0.01 }"), "");
    assert!(warnings("um.obj", 7e5, "").contains("lengths are metres"));
}
