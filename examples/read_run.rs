//! Reads a run folder: `cargo run --release --example read_run -- out/drape`.

use percale::sequence::Folder;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let Some(path) = std::env::args().nth(1) else { return Err("give a run folder".into()) };
    let folder = Folder::new(Path::new(&path));
    let run = folder.read_run()?;
    println!("{} of {} frames at {} a second", run.done, run.frames, run.fps);
    for stats in folder.read_stats()? {
        println!("frame {}: {} steps, {} contacts", stats.frame, stats.steps, stats.contacts);
    }
    let Some(last) = (run.first + run.done).checked_sub(1) else { return Ok(()) };
    for entry in &run.objects {
        // Static obstacles have the same file for all frames.
        if let Some((shape, at)) = folder.read_mesh(entry, last)? {
            println!("'{}': {} triangles, {} vertices", entry.name, shape.triangles.len(), at.positions.len());
        }
    }
    Ok(())
}
