//! Writes every mesh of `meshes/`: `cargo run --release --example make_meshes [folder]`.

mod meshes;

use percale::mesh::{obj, ply};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "meshes".into()));
    std::fs::create_dir_all(&folder)?;
    for (name, mesh) in meshes::shipped() {
        let bytes = if name.ends_with(".obj") { obj::write(&mesh) } else { ply::write_mesh(&mesh)? };
        std::fs::write(folder.join(name), &bytes)?;
        println!(
            "{name}: {} vertices, {} triangles, {} bytes",
            mesh.positions.len(),
            mesh.triangles.len(),
            bytes.len()
        );
    }
    for (name, text) in meshes::patterns() {
        std::fs::write(folder.join(name), &text)?;
        println!("{name}: {} bytes", text.len());
    }
    Ok(())
}
