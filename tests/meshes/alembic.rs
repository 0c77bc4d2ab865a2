//! Alembic files as other programs write them: instances, meshes without samples, several samples a frame, and rates
//! that differ by rounding.

use super::ogawa::{Object, Property, file, instance, ints, mesh, shift};
use super::timing::{folder, place, scene};
use percale::linalg::Vec3;
use percale::mesh::archive::{Archive, Pose, Upward, list};
use std::fs;

const STILL: (f64, &[f64]) = (1.0, &[0.0]);
const CARD: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

fn curves(name: &'static str) -> Object {
    Object { name, words: "schema=AbcGeom_Curve_v2", properties: Vec::new(), children: Vec::new() }
}

/// An instance is what it names, with that transform, below its own parents.
#[test]
fn instances_stand_for_what_they_name() {
    let file_of = |objects| {
        let path = folder("instances").join("in.abc");
        fs::write(&path, file(&[STILL, (0.04, &[0.04])], objects)).unwrap();
        path
    };
    let moving = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let path = file_of(vec![
        shift("A", 1, &moving, true, vec![mesh("M", 0, &[&CARD])]),
        shift(
            "B",
            0,
            &[[0.0, 5.0, 0.0]],
            true,
            vec![instance("Mesh", "/A/M"), instance("Whole", "/A"), curves("Hair")],
        ),
        instance("Twice", "/B/Whole"),
        instance("Nothing", "/A/Gone"),
    ]);
    let mut open = Archive::open(&path, None, Upward::Y).unwrap();
    let first: Vec<Vec3> = open.pose(Pose::At(0.08)).unwrap().into_iter().step_by(3).collect();
    assert_eq!(first, [[2.0, 0.0], [0.0, 5.0], [2.0, 5.0], [2.0, 0.0]].map(|[x, y]| Vec3::new(x, y, 0.0)));
    let said = open.mesh.notes[0].what.as_str();
    assert_eq!(said, "left out, for no meshes: '/B/Hair', '/Nothing'; turn them into meshes to take them");
    let paths: Vec<String> =
        list(&path).unwrap().0.into_iter().map(|e| format!("{} {}", e.path, e.words.join(" "))).collect();
    assert_eq!(paths, ["/A/M ", "/B/Mesh instance", "/B/Whole/M instance", "/Twice/M instance"]);
    let one = Archive::open(&path, Some("/B/Whole"), Upward::Y).unwrap().mesh;
    assert_eq!((one.positions.len(), one.notes.len()), (3, 0));
    for within in [vec![mesh("M", 0, &[&CARD]), instance("Self", "/A")], vec![instance("Self", "/A/Self")]] {
        let path = file_of(vec![shift("A", 0, &[[0.0; 3]], true, within), mesh("N", 0, &[&CARD])]);
        match Archive::open(&path, None, Upward::Y) {
            Ok(open) => assert!(open.mesh.notes[0].what.contains("'/A/Self'"), "{:?}", open.mesh.notes),
            Err(error) => assert!(error.what.contains("nested more than 200 deep"), "{error}"),
        }
    }
}

/// Twenty levels of two instances of the level below stand for a million meshes, and are refused at once.
#[test]
fn instances_that_double_are_refused() {
    let path = folder("doubling").join("in.abc");
    let names = ["A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "N", "O", "P", "Q", "R", "S", "T", "U"];
    let mut levels = vec![shift(names[0], 0, &[[0.0; 3]], true, vec![mesh("M", 0, &[&CARD])])];
    for pair in names.windows(2) {
        let below = format!("/{}", pair[0]);
        let twice = vec![instance("X", &below), instance("Y", &below)];
        levels.push(shift(pair[1], 0, &[[0.0; 3]], true, twice));
    }
    fs::write(&path, file(&[STILL], levels)).unwrap();
    let started = std::time::Instant::now();
    let error = Archive::open(&path, None, Upward::Y).err().unwrap();
    assert_eq!(error.what, "has more than 100000 objects by instances");
    assert!(started.elapsed().as_secs() < 20);
}

/// Meshes without samples or faces are left out, as in USD; they do not make a file damaged.
#[test]
fn meshes_without_samples_are_empty() {
    let path = folder("empty").join("in.abc");
    let mut points = mesh("Points", 0, &[&CARD]);
    points.properties = vec![match points.properties.remove(0) {
        (name, Property::Within(mut all)) => {
            all[1].1 = ints(&[&[]]);
            all[2].1 = ints(&[&[]]);
            (name, Property::Within(all))
        }
        other => other,
    }];
    let none = || mesh("None", 0, &[]);
    fs::write(&path, file(&[STILL], vec![none(), points, mesh("M", 0, &[&CARD])])).unwrap();
    let open = Archive::open(&path, None, Upward::Y).unwrap();
    assert_eq!(open.mesh.positions.len(), 3);
    assert_eq!(open.mesh.notes[0].what, "left out, for empty: '/None', '/Points'");
    let words: Vec<String> = list(&path).unwrap().0.into_iter().map(|entry| entry.words.join(" ")).collect();
    assert_eq!(words, ["empty", "empty", ""]);
    fs::write(&path, file(&[STILL], vec![none()])).unwrap();
    let told = Archive::open(&path, None, Upward::Y).err().unwrap().what;
    assert_eq!(told, "</None>: it has no points or no faces, as all that was asked for");
}

/// Rates that are written with fewer digits than they have are one: frame k of the shot is that of the file, however
/// far from 0 it is.
#[test]
fn rates_that_differ_by_rounding_are_one() {
    let folder = folder("rounding");
    // Blender divides by a number in single precision.
    let rates = [24.0 / f64::from(1.001_f32), 30.0 / f64::from(1.001_f32)];
    for (rate, written) in
        [rates[0], rates[1]].into_iter().zip([["23.976", "\"24000/1001\""], ["29.97", "\"30000/1001\""]])
    {
        for first in [1, 1001, 86_400] {
            let start = f64::from(first) / rate;
            let place_of = |k: u32| 0.1 * f64::from(k * k);
            let moving: Vec<[f64; 3]> = (0..4).map(|k| [place_of(k), 0.0, 0.0]).collect();
            let object = shift("A", 1, &moving, true, vec![mesh("M", 0, &[&CARD])]);
            fs::write(folder.join("in.abc"), file(&[STILL, (1.0 / rate, &[start])], vec![object])).unwrap();
            let samples: Vec<String> = (0..4).map(|k| format!("{}: ({}, 0, 0)", first + k, place_of(k))).collect();
            let stage = format!(
                "#usda 1.0\n(\nmetersPerUnit = 1\nupAxis = \"Y\"\ntimeCodesPerSecond = {}\n)\ndef Mesh \"M\"\n{{\n\
                 int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n\
                 point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]\n\
                 double3 xformOp:translate.timeSamples = {{ {} }}\n\
                 uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}}\n",
                written[0],
                samples.join(", ")
            );
            fs::write(folder.join("in.usda"), stage).unwrap();
            for (fps, name) in written.into_iter().flat_map(|fps| [(fps, "in.abc"), (fps, "in.usda")]) {
                let time = format!("fps = {fps}\nframes = 4\nstart_frame = {first}");
                let (built, told) = scene(&folder, &time, &format!("cache = {{ mesh = \"{name}\" }}"));
                assert_eq!(told, "");
                for k in 0..4 {
                    let own: f64 = fps.parse().unwrap_or(if written[0] == "29.97" { 3e4 } else { 24e3 } / 1001.0);
                    let off = (place(&built, f64::from(k) / own)[0].x - place_of(k)).abs();
                    assert!(off < 1e-6, "{name} of {rate} from {first} at {fps}: {off} m in frame {k}");
                }
            }
        }
    }
}

/// A frame may have several samples: `cache.fps` counts the frames, and so does a warning.
#[test]
fn several_samples_a_frame_are_one_frame() {
    let folder = folder("shutter");
    let moving: Vec<[f64; 3]> = (0..8).map(|k| [f64::from(k) / 2.0, 0.0, 0.0]).collect();
    let object = shift("A", 1, &moving, true, vec![mesh("M", 0, &[&CARD])]);
    // Two samples a frame, the second a fourth of a frame later.
    let at = [1.0, 1.25].map(|frame| frame / 24.0);
    fs::write(folder.join("in.abc"), file(&[STILL, (1.0 / 24.0, &at)], vec![object])).unwrap();
    let time = "frames = 4\nstart_frame = 1";
    let (_, told) = scene(&folder, &format!("fps = 24\n{time}"), "cache = { mesh = \"in.abc\" }");
    assert_eq!(told, "");
    let (_, told) = scene(&folder, &format!("fps = 30\n{time}"), "cache = { mesh = \"in.abc\" }");
    assert!(told.contains("has 24 samples a second") && told.contains("cache.fps = 30"), "{told}");
    let (built, told) = scene(&folder, &format!("fps = 30\n{time}"), "cache = { mesh = \"in.abc\", fps = 30 }");
    assert_eq!(told, "");
    for k in 0..4 {
        let off = (place(&built, f64::from(k) / 30.0)[0].x - f64::from(k)).abs();
        assert!(off < 1e-6, "{off} m in frame {k}");
    }
}

/// The winding is that of the transform which a mesh has, without those that it does not inherit.
#[test]
fn a_mirror_that_is_not_inherited_turns_nothing() {
    let path = folder("mirror").join("in.abc");
    let normal = |inherits: bool| {
        let inner = shift("I", 0, &[[0.0; 3]], inherits, vec![mesh("M", 0, &[&CARD])]);
        let mut outer = shift("O", 0, &[[-1.0, 1.0, 1.0]], true, vec![inner]);
        // The operation is a scale.
        if let (_, Property::Within(all)) = &mut outer.properties[0] {
            all[1].1 = Property::Samples(1, false, 0, vec![vec![0]]);
        }
        fs::write(&path, file(&[STILL], vec![outer])).unwrap();
        let mesh = Archive::open(&path, None, Upward::Y).unwrap().mesh;
        let [a, b, c] = mesh.triangles[0].map(|v| mesh.positions[v as usize]);
        (b - a).cross(&(c - a)).y
    };
    // Both have the side up that the file has, clockwise as seen from there.
    assert_eq!([normal(true), normal(false)], [1.0, 1.0]);
    // Where an object is hidden its transform may be anything.
    let mut later = shift("L", 1, &[[1.0; 3], [-1.0, 1.0, 1.0]], true, vec![mesh("M", 0, &[&CARD])]);
    if let (_, Property::Within(all)) = &mut later.properties[0] {
        all[1].1 = Property::Samples(1, false, 0, vec![vec![0]]);
    }
    later.properties.push(("visible", Property::Samples(2, false, 1, vec![vec![0], vec![1]])));
    fs::write(&path, file(&[STILL, (0.04, &[0.04])], vec![later])).unwrap();
    let mut open = Archive::open(&path, None, Upward::Y).unwrap();
    let triangle = open.mesh.triangles[0];
    let [a, b, c] = triangle.map(|v| open.pose(Pose::At(0.08)).unwrap()[v as usize]);
    assert!((b - a).cross(&(c - a)).y > 0.0);
}

/// Blender writes no points where a mesh is hidden: the others belong to the samples that show it.
#[test]
fn points_without_hidden_samples_keep_their_times() {
    let path = folder("lapsed").join("in.abc");
    let at = |height: f32| CARD.map(|x| x + height);
    let points = [at(1.0), at(3.0), at(4.0)];
    let pose = |clock: u32, visible: &[u8]| {
        let own = mesh("M", 1, &[&points[0], &points[1], &points[2]]);
        let mut above = shift("O", 0, &[[0.0; 3]], true, vec![own]);
        let samples = visible.iter().map(|seen| vec![*seen]).collect();
        above.properties.push(("visible", Property::Samples(2, false, clock, samples)));
        fs::write(&path, file(&[STILL, (0.04, &[0.04]), (0.08, &[0.04])], vec![above])).unwrap();
        let mut open = Archive::open(&path, None, Upward::Y).unwrap();
        let heights =
            [1.0, 2.0, 3.0, 4.0].map(|k| (open.pose(Pose::At(0.04 * k)).unwrap()[0].y * 100.0).round() / 100.0);
        (heights, open.mesh.notes.iter().map(|note| note.what.clone()).collect::<Vec<_>>().join("\n"))
    };
    let (heights, told) = pose(1, &[1, 0, 1, 1]);
    assert_eq!([heights[0], heights[2], heights[3]], [1.0, 3.0, 4.0]);
    assert!(told.starts_with("</O/M>: it has no points where it is hidden"), "{told}");
    // A file that says when it is hidden, and has points then.
    let (heights, told) = pose(1, &[1, 0, 1]);
    assert!(heights == [1.0, 3.0, 4.0, 4.0] && told.starts_with("they appear or vanish"), "{told}");
    // Counts that do not fit are told.
    assert!(pose(1, &[1, 0, 0, 1]).1.contains("samples may be missing"));
    assert!(pose(2, &[1, 0, 1]).1.contains("samples may be missing"));
}
