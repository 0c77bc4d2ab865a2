//! The generators reproduce the files in `meshes/`.

#[path = "../../tools/make_meshes/meshes/mod.rs"]
mod meshes;

use percale::mesh;
use std::fs;
use std::path::Path;

#[test]
fn committed_meshes_are_what_the_generators_make() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    // Pixar's library makes dancer and figure, with the scripts in the same folder; patterns are drawn by hand.
    let mut names: Vec<String> =
        ["README.md", "dancer.py", "dancer.usdc", "figure.py", "figure.usdc", "walker.py", "walker.usdc"]
            .map(String::from)
            .to_vec();
    let patterns =
        ["disc", "dress", "gathers", "pleated-skirt", "pleats", "shirt", "skirt", "t-shirt", "trousers", "zip-skirt"];
    names.extend(patterns.map(|name| format!("{name}.svg")));
    for (name, made) in meshes::shipped() {
        names.push(name.into());
        let bytes = fs::read(folder.join(name)).unwrap();
        let read = mesh::read(name.rsplit('.').next().unwrap(), &bytes).unwrap();
        assert_eq!(read.triangles, made.triangles, "{name}");
        // The pillow's chart has a seam, which PLY cannot represent.
        assert_eq!(read.uv_triangles.is_empty(), made.uv_triangles.is_empty() || name == "pillow.ply", "{name}");
        assert_eq!(read.positions.len(), made.positions.len(), "{name}");
        // Sines differ in the last bits between machines, and files are rounded.
        let apart = read.positions.iter().zip(&made.positions).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(apart < 3e-6, "{name}: {apart}");
        for (group, members) in &made.groups {
            assert_eq!(&read.groups[group], members, "{name}: {group}");
        }
        let chart_apart = (read.uv_triangles.iter().flatten().zip(made.uv_triangles.iter().flatten()))
            .map(|(a, b)| (read.uv[*a as usize] - made.uv[*b as usize]).norm());
        assert!(chart_apart.fold(0.0, f64::max) < 3e-6, "{name}: chart");
        let line = format!("| `{name}` |");
        let row = readme.lines().find(|l| l.starts_with(&line)).unwrap_or_else(|| panic!("{name} is not in README.md"));
        assert!(row.contains(&format!("| {} |", made.positions.len())), "{row}: {} vertices", made.positions.len());
    }
    for (name, text) in meshes::patterns() {
        names.push(name.into());
        assert!(fs::read_to_string(folder.join(name)).unwrap() == text, "{name} is not what is made");
        assert!(readme.contains(&format!("\n| `{name}` |")), "{name} is not in README.md");
    }
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(&name), "{name} is made by nothing");
    }
}
