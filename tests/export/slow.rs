//! Velocities of a run in slow motion: those of the files, per second of the shot, in the run folder and in exports.

use super::crate_file::Crate;
use super::ogawa::Archive;
use super::support::{floats, percale, rows, single};
use percale::mesh::ply::{self, PlyMesh};
use std::fs;
use std::path::Path;

/// A card without weight goes at 1 m/s, an obstacle at 0.4 m/s of the shot. Slow motion halves the first alone.
const SCENE: &str = "[scene]\ngravity = [0, 0, 0]\n[time]\nfps = 25\nframes = 4\nscale = 0.5\n[[cloth]]\nname = \"card\"\n\
                     mesh = \"card.obj\"\nvelocity = [1, 0, 0]\n[[obstacle]]\nname = \"bar\"\n\
                     box = { center = [0, 9, 0], size = [1, 1, 1] }\n\
                     keyframes = [{ time = 0 }, { time = 1, translate = [0.4, 0, 0] }]\n\
                     [output]\nfields = [\"speed\"]\n";

#[test]
fn velocities_are_those_of_the_shot_everywhere() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("slow");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("scene.toml"), SCENE).unwrap();
    fs::write(folder.join("card.obj"), "v 0 0 0\nv 0.1 0 0\nv 0 0 0.1\nf 1 2 3\n").unwrap();
    for arguments in [
        &["run", "scene.toml", "--out", "run", "--no-preview"][..],
        &["export", "run", "--format", "usdc", "--out", "run.usdc"],
        &["export", "run", "--format", "abc", "--out", "run.abc"],
        &["export", "run", "--format", "ply", "--out", "ply"],
    ] {
        let out = percale(arguments, &folder);
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    }
    let read = |within: &str, object: &str, frame: usize| -> PlyMesh {
        ply::read(&fs::read(folder.join(within).join(format!("{object}.{frame:04}.ply"))).unwrap()).unwrap()
    };
    let usd = Crate::read(fs::read(folder.join("run.usdc")).unwrap());
    let abc = Archive::read(fs::read(folder.join("run.abc")).unwrap());
    for (object, speed) in [("card", 0.5), ("bar", 0.4)] {
        let (mut before, prim) = (None, format!("/scene/{object}.velocities"));
        for frame in 1..=4 {
            let at = read(&format!("run/meshes/{object}"), object, frame);
            let v = at.velocities.clone().unwrap();
            assert!(v.iter().all(|v| (v.norm() - speed).abs() < 1e-6), "{object}: {:?}", v[0]);
            // Rounded places differ by 1e-7 m at most, over a frame of 0.04 s.
            if let Some(before) = before.replace(at.mesh.positions[0]) {
                let moved = (at.mesh.positions[0] - before) * 25.0;
                assert!((moved - v[0]).norm() < 2.0 * 25.0 * 1e-7, "{object}: {moved} and {}", v[0]);
            }
            let other = [
                rows(&floats(usd.array(usd.samples(&prim)[frame - 1].1, 24, 12))),
                rows(&floats(abc.samples(object, ".geom/.velocities")[frame - 1])),
                single(&read("ply", object, frame).velocities.unwrap()),
            ];
            assert!(other.iter().all(|all| *all == single(&v)), "{object}: {other:?}");
        }
    }
    let speeds = &read("run/meshes/card", "card", 3).mesh.channels["speed"];
    assert!(speeds.iter().all(|speed| (speed - 0.5).abs() < 1e-6), "{speeds:?}");
}
