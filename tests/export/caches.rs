use super::support::{bench, export, floats, recorded, rows, single};
use percale::mesh::{obj, ply};
use std::fs;

#[test]
fn pc2_and_mdd_hold_the_positions() {
    export(&["--format", "pc2", "--out", "pc2"]);
    export(&["--format", "mdd", "--out", "mdd", "--object", "sheet"]);
    let pc2 = fs::read(bench().join("pc2/sheet.pc2")).unwrap();
    let whole = |at: usize| u32::from_le_bytes(pc2[at..at + 4].try_into().unwrap());
    assert_eq!(&pc2[..12], b"POINTCACHE2\0");
    assert_eq!((whole(12), whole(16), whole(28)), (1, 625, 4));
    assert_eq!(floats(&pc2[20..28]), [1.0, 1.0]);
    let mdd = fs::read(bench().join("mdd/sheet.mdd")).unwrap();
    let numbers: Vec<[u8; 4]> = mdd.chunks_exact(4).map(|b| [b[3], b[2], b[1], b[0]]).collect();
    let little = numbers.as_flattened();
    assert_eq!((u32::from_le_bytes(numbers[0]), u32::from_le_bytes(numbers[1])), (4, 625));
    let times = floats(&little[8..24]);
    assert!((0..4).all(|k| (times[k] - (k as f32 + 1.0) / 25.0).abs() < 1e-7), "{times:?}");
    let wanted: Vec<[f32; 3]> = (1..=4).flat_map(|f| single(&recorded("sheet", f).mesh.positions)).collect();
    assert_eq!(rows(&floats(&pc2[32..])), wanted);
    assert_eq!(rows(&floats(&little[24..])), wanted);
    // The exporter writes a mesh for the modifier. Caches of static objects are as long as the others.
    let base = obj::read(&fs::read(bench().join("pc2/sheet.obj")).unwrap()).unwrap();
    assert_eq!(single(&base.positions), single(&recorded("sheet", 1).mesh.positions));
    assert_eq!(base.triangles, recorded("sheet", 1).mesh.triangles);
    let ball = recorded("ball", 0).mesh.positions.len();
    assert_eq!(fs::metadata(bench().join("pc2/ball.pc2")).unwrap().len() as usize, 32 + 4 * 12 * ball);
    assert!(!bench().join("mdd/ball.mdd").exists());
}

#[test]
fn files_a_frame_hold_the_record() {
    export(&["--format", "ply", "--out", "files", "--frames", "3-4"]);
    export(&["--format", "obj", "--out", "files", "--frames", "3"]);
    let folder = bench().join("files");
    let record = recorded("sheet", 3);
    assert_eq!(ply::read(&fs::read(folder.join("sheet.0003.ply")).unwrap()).unwrap(), record);
    assert!(folder.join("sheet.0004.ply").is_file() && !folder.join("sheet.0001.ply").exists());
    assert!(folder.join("ball.ply").is_file() && !folder.join("ball.0003.ply").exists());
    let shape = obj::read(&fs::read(folder.join("sheet.0003.obj")).unwrap()).unwrap();
    assert_eq!((single(&shape.positions), shape.triangles), (single(&record.mesh.positions), record.mesh.triangles));
    assert_eq!(shape.uv.len(), record.mesh.uv.len());
    // The chart keeps its seams.
    let flap = obj::read(&fs::read(folder.join("flap.0003.obj")).unwrap()).unwrap();
    assert_eq!((flap.uv.len(), flap.uv_triangles), (6, vec![[0, 2, 1], [3, 4, 5]]));
}

#[test]
fn a_body_carries_a_mesh_along() {
    // Corners on the surface, a centimetre above it, and inside.
    fs::write(bench().join("dot.obj"), "v 3.2 1 0\nv 3 1.21 0\nv 3 1 0.1\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n")
        .unwrap();
    export(&["--format", "ply", "--object", "soft-ball", "--embed", "soft-ball=dot.obj", "--out", "embed"]);
    let read = |frame: u32| {
        ply::read(&fs::read(bench().join(format!("embed/soft-ball-embedded.{frame:04}.ply"))).unwrap()).unwrap()
    };
    let start = read(1);
    let wanted: [[f32; 3]; 3] = [[3.2, 1.0, 0.0], [3.0, 1.21, 0.0], [3.0, 1.0, 0.1]];
    let found = single(&start.mesh.positions);
    assert!(found.as_flattened().iter().zip(wanted.as_flattened()).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
    assert_eq!((start.mesh.triangles.len(), start.mesh.uv.len()), (1, 3));
    // The ball falls freely as a whole.
    let (last, ball) = (read(4), recorded("soft-ball", 4));
    let fall = ball.mesh.positions[0].y - recorded("soft-ball", 1).mesh.positions[0].y;
    assert!(fall < -0.05);
    for (p, q) in start.mesh.positions.iter().zip(&last.mesh.positions) {
        assert!((q.y - p.y - fall).abs() < 1e-4 && (q.x - p.x).abs() < 1e-4, "{p} {q} {fall}");
    }
    let v = ball.velocities.as_ref().unwrap()[0];
    assert!(last.velocities.unwrap().iter().all(|w| (w - v).norm() < 1e-3));
    // The surface itself is exported too.
    let surface = ply::read(&fs::read(bench().join("embed/soft-ball.0004.ply")).unwrap()).unwrap();
    assert_eq!(surface.mesh.positions.len(), super::support::surface(&ball).len());
}
