//! Steps a scene and prints the positions of its cloths:
//! `cargo run --release --example run_scene -- scenes/drape.toml time.frames=10`.

use percale::{Error, Simulation};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((file, set)) = arguments.split_first() else { return Err("give a scene file".into()) };
    let set: Vec<&str> = set.iter().map(String::as_str).collect();
    let mut simulation = Simulation::load(file, &set)?;
    simulation.warnings().iter().for_each(|warning| eprintln!("{warning}"));
    match run(&mut simulation) {
        // The last good frame is still available.
        Err(error) => Err(format!("{error}; reached frame {:?}", simulation.frame()).into()),
        Ok(()) => Ok(()),
    }
}

fn run(simulation: &mut Simulation) -> Result<(), Error> {
    let names: Vec<String> = simulation.scene().cloths.iter().map(|cloth| cloth.name.clone()).collect();
    while let Some(frame) = simulation.next_frame()? {
        for name in &names {
            let positions = simulation.positions(name).unwrap_or_default();
            let speeds = simulation.velocities(name).unwrap_or_default().iter().map(|v| v.norm());
            let lowest = positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
            println!("frame {frame}: '{name}' lowest at {lowest:.4} m, at most {:.3} m/s", speeds.fold(0.0, f64::max));
        }
    }
    Ok(())
}
