//! `--set`.

use crate::full::FULL;
use crate::support::{MINIMAL, folder, good, lines};
use percale::linalg::Vec3;
use percale::scene::{self, Fault, Override, Scene};
use std::f64::consts::PI;

fn set(text: &str, arguments: &[&str]) -> Result<Scene, Vec<Fault>> {
    let overrides: Vec<Override> = arguments.iter().map(|a| Override::parse(a).unwrap()).collect();
    scene::read_text(&folder().join("test.toml"), text.as_bytes(), &overrides)
}

#[test]
fn values_are_toml_or_plain_text() {
    let arguments = [
        "time.step=0.2 ms",
        "time.fps = 25",
        "time.adaptive=false",
        "cloth[0].material=silk",
        "cloth.sheet.pin[2].sphere.radius=7 cm",
        "obstacle.ball.sphere.center=[0, 0, \"1 m\"]",
        "obstacle.floor.plane.normal[1]=4",
        "obstacle[2].friction=0.5",
        "preview.camera={ position = [0, 1, 0], target = [0, 0, 0] }",
        "material.tabled.density=0.3",
    ];
    let scene = set(FULL, &arguments).unwrap_or_else(|f| panic!("{}", lines(&f)));
    assert_eq!((scene.step(), scene.time.fps, scene.time.adaptive), (2e-4, 25.0, false));
    assert_eq!(scene.cloths[0].material.name, "silk");
    assert_eq!(scene.obstacles[2].friction.fixed, 0.5);
    assert_eq!((scene.preview.camera.position, scene.preview.camera.fov), (Some(Vec3::y()), 35.0 * PI / 180.0));
    assert_eq!(scene.materials.last().unwrap().density, 0.3);
    // The stored text gives the same scene.
    let again = good(&scene.text);
    assert_eq!(again, scene);
    assert!(scene.text.starts_with("# Every key of a scene.\n[scene]\nname = \"everything\"\n"));
}

#[test]
fn what_is_absent_is_made() {
    let scene = set(MINIMAL, &["time.step=1e-4", "preview.camera.fov=20 deg", "cloth[0].transform.scale=2"]).unwrap();
    assert_eq!((scene.step(), scene.cloths[0].transform.scale), (1e-4, 2.0));
    assert_eq!(good(&scene.text), scene);
    assert!(scene.text.contains("[time]\nstep = 1e-4\n"), "{}", scene.text);
}

#[test]
fn a_fault_names_the_argument() {
    let cases = [
        (
            "time.step=1 mm",
            "--set time.step: expected a time (a number in s, or text such as \"1 ms\"), found a length",
        ),
        ("time.stp=1", "--set time.stp: unknown key; did you mean 'step'?"),
        ("tme.step=1", "--set tme.step: tme: unknown section; did you mean 'time'?"),
        ("time.fps=nan", "--set time.fps: nan is not allowed; give 0.001 to 1000000 Hz"),
        ("cloth.shet.material=silk", "--set cloth.shet.material: no cloth is named 'shet'; did you mean 'sheet'?"),
        ("cloth.skirt.material=silk", "--set cloth.skirt.material: no cloth is named 'skirt'; count them as cloth[0]"),
        ("cloth[1].material=silk", "--set cloth[1].material: there is no cloth[1]; 'cloth' has 1, counted from 0"),
        ("obstacle[0].friction=1", "--set obstacle[0].friction: there is no 'obstacle' in the scene to count in"),
        ("cloth[0].mesh.x=1", "--set cloth[0].mesh.x: 'cloth[0].mesh' is the text \"sheet.obj\", it has no 'x'"),
        ("cloth[0].mesh[1]=1", "--set cloth[0].mesh[1]: 'cloth[0].mesh' is the text \"sheet.obj\", not a list"),
        ("time..step=1", "--set time..step: expected table.key, such as time.step or cloth[0].material"),
        ("cloth[x].name=1", "--set cloth[x].name: expected a count from 0 in brackets, found 'cloth[x]'"),
        ("time=3", "--set time: expected one table, found the number 3"),
    ];
    for (argument, message) in cases {
        let faults = set(MINIMAL, &[argument]).unwrap_err();
        assert_eq!(faults.len(), 1, "{}", lines(&faults));
        assert!(faults[0].to_string().starts_with(message), "{}\n{message}", faults[0]);
    }
    let fault = Override::parse("time.step").unwrap_err();
    assert_eq!(fault.to_string(), "--set time.step: expected table.key=value, such as time.step=\"0.5 ms\"");
}

#[test]
fn faults_of_the_file_keep_their_lines() {
    let text = format!("{MINIMAL}[time]\nfps = 0\n");
    let faults = set(&text, &["scene.name=x", "time.step=1e9"]).unwrap_err();
    let told = lines(&faults);
    assert!(told.contains("test.toml:5:7: time.fps: out of range: 0 Hz"), "{told}");
    assert!(told.contains("--set time.step: out of range"), "{told}");
    // An override replaces a wrong value in the file.
    assert!(set(&text, &["time.fps=30"]).is_ok());
}
