//! Throughput [MB/s] and peak memory of `percale export`, for a run of random numbers.
//!
//! `cargo bench --bench export -- VERTICES FRAMES`: vertices of the sheet (200,000) and frames (15). A second run has
//! four times as many frames.

use percale::linalg::random::Random;
use percale::linalg::{Vec2, Vec3};
use percale::mesh::ply::{self, PlyRecord};
use percale::sequence::{Entry, Folder, Run, Status};
use percale::world::Kind;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let mut numbers = std::env::args().skip(1).filter_map(|a| a.parse::<u32>().ok());
    let (vertices, frames) = (numbers.next().unwrap_or(200_000), numbers.next().unwrap_or(15));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export-bench");
    let _ = fs::remove_dir_all(&folder);
    let side = f64::from(vertices).sqrt().round() as u32;
    make(&folder, side, 4 * frames)?;
    let bytes = vec![1u8; 256 << 20];
    let start = Instant::now();
    percale::sequence::write(&folder.join("disk"), &bytes).map_err(|error| error.to_string())?;
    println!("disk: {:.0} MB/s, synced", bytes.len() as f64 / 1e6 / start.elapsed().as_secs_f64());
    drop(bytes);
    println!("{} vertices; synced", side * side);
    println!("| format | frames | MB | s | MB/s | peak, MB |");
    println!("|---|---|---|---|---|---|");
    for format in ["usdc", "usda", "abc", "pc2", "mdd"] {
        for count in [frames, 4 * frames] {
            let out = folder.join("out");
            fs::create_dir_all(&out)?;
            let path =
                if matches!(format, "pc2" | "mdd") { out.clone() } else { out.join("all").with_extension(format) };
            let (seconds, peak) = export(&folder, format, count, &path)?;
            let size = size(&out)? as f64 / 1e6;
            println!("| {format} | {count} | {size:.0} | {seconds:.2} | {:.0} | {peak:.0} |", size / seconds);
            fs::remove_dir_all(&out)?;
        }
    }
    Ok(fs::remove_dir_all(&folder)?)
}

/// Writes a run folder of a sheet with two fields.
fn make(folder: &Path, side: u32, frames: u32) -> Result<()> {
    let at = |i: u32, j: u32| i * side + j;
    let cells = (0..side - 1).flat_map(|i| (0..side - 1).map(move |j| (i, j)));
    let triangles: Vec<[u32; 3]> = cells
        .flat_map(|(i, j)| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]])
        .collect();
    let count = (side * side) as usize;
    fs::create_dir_all(folder.join("meshes/sheet"))?;
    fs::write(folder.join("scene.toml"), "[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.ply\"\n")?;
    let mut random = Random::new(1);
    for frame in 1..=frames {
        let mut vectors = || (0..count).map(|_| Vec3::from_fn(|_, _| random.unit())).collect::<Vec<_>>();
        let (positions, velocities) = (vectors(), vectors());
        let uv: Vec<Vec2> = positions.iter().map(|p| p.xy()).collect();
        let field: Vec<f64> = velocities.iter().map(|v| v.x).collect();
        let bytes = ply::write(&PlyRecord {
            positions: &positions,
            triangles: &triangles,
            velocities: Some(&velocities),
            uv: Some(&uv),
            fields: &[("strain", &field), ("speed", &field)],
        })?;
        fs::write(folder.join(format!("meshes/sheet/sheet.{frame:04}.ply")), bytes)?;
    }
    let entry = Entry {
        polygons: Vec::new(),
        materials: Default::default(),
        origins: Default::default(),
        name: "sheet".into(),
        kind: Kind::Cloth,
        vertices: count,
        triangles: triangles.len(),
        files: Some("meshes/sheet/sheet.####.ply".into()),
        chart: None,
        frames: None,
    };
    let record = Run {
        warnings: Vec::new(),
        unproven: false,
        ignored: Vec::new(),
        changes: Vec::new(),
        version: env!("CARGO_PKG_VERSION").into(),
        command: Vec::new(),
        scene: "scene.toml".into(),
        folder: String::new(),
        status: Status::Finished,
        reason: None,
        first: 1,
        frames,
        done: frames,
        fps: 30.0,
        objects: vec![entry],
        probes: Vec::new(),
        threads: 1,
        wall: 0.0,
        origin: Vec3::zeros(),
        view: [Vec3::zeros(), Vec3::repeat(1.0)],
    };
    Ok(Folder::new(folder).write_run(&record).map_err(|error| error.to_string())?)
}

/// Returns wall time [s] and peak memory [MB] of the program.
fn export(folder: &Path, format: &str, frames: u32, out: &Path) -> Result<(f64, f64)> {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_percale"))
        .arg("export")
        .arg(folder)
        .args(["--format", format, "--frames", &format!("1-{frames}"), "--out"])
        .arg(out)
        .stdout(Stdio::null())
        .spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0.0f64;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<f64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0.0) / 1e3);
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let seconds = start.elapsed().as_secs_f64();
    if !child.wait()?.success() {
        return Err(format!("export to {format} failed").into());
    }
    Ok((seconds, peak))
}

fn size(folder: &Path) -> Result<u64> {
    let mut all = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        all += if entry.path().is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(all)
}
