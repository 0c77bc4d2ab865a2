//! `[airflow]`: its syntax, up to the world; and invalid recordings.

use crate::support::{folder, lines, read, write};
use percale::effect::airflow::domain::Airflow;
use percale::effect::airflow::resistance::Resistance;
use percale::effect::airflow::solver::bounds::Side;
use percale::scene::build::{Built, build};
use percale::scene::{Fault, read_text};

const BOX: &str = "[airflow]\nbox = { min = [0, 0, 0], max = [1, 1, 1] }\ncells = [4, 5, 6]\n";

/// Builds a square in a box of air; `more` is the rest of the scene.
fn built(name: &str, more: &str) -> Result<Built, Vec<Fault>> {
    let text = "v 0.2 0.5 0.2\nv 0.2 0.5 0.4\nv 0.4 0.5 0.4\nv 0.4 0.5 0.2\nf 1 2 3\nf 1 3 4\n";
    write(format!("{name}.obj"), text);
    let scene = format!("[[cloth]]\nname = \"sheet\"\nmesh = \"{name}.obj\"\n{more}");
    let file = folder().join(format!("{name}.toml"));
    build(&read_text(&file, scene.as_bytes(), &[])?, &file).map_err(|refusal| refusal.faults)
}

/// Writes a WAV file with format code, channels, bits, and its samples as bytes, of which `lost` bytes are missing.
fn wav(name: &str, [code, channels, bits]: [u16; 3], samples: &[u8], lost: usize) {
    let block = channels * bits / 8;
    let mut file = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0".to_vec();
    for field in [code, channels] {
        file.extend(field.to_le_bytes());
    }
    file.extend(1000u32.to_le_bytes());
    file.extend((1000 * u32::from(block)).to_le_bytes());
    for field in [block, bits] {
        file.extend(field.to_le_bytes());
    }
    file.extend(b"data");
    file.extend((samples.len() as u32).to_le_bytes());
    file.extend(samples);
    file.truncate(file.len() - lost);
    let length = (file.len() - 8) as u32;
    file[4..8].copy_from_slice(&length.to_le_bytes());
    write(name, file);
}

#[test]
fn it_comes_to_the_world() {
    let more = format!("{BOX}faces = {{ right = \"open\", bottom = \"no-slip\" }}\ncoupling = \"two-way\"\n");
    let Built { world, state, .. } = built("flows", &more).unwrap();
    let (airflow, flow) = Airflow::of(&world, &state).unwrap();
    assert_eq!((airflow.grid.cells, airflow.grid.spacing[1]), ([4, 5, 6], 0.2));
    let sides = [Side::Wall, Side::Open, Side::NoSlip, Side::Wall, Side::Wall, Side::Wall];
    assert_eq!((airflow.sides, airflow.two_way), (sides, true));
    assert_eq!(airflow.resistance, Resistance::Split { normal: 1.2, tangent: 0.02 });
    assert_eq!((flow.pressure.len(), flow.force.len()), (120, world.moving));
    assert_eq!(world.elements.aero_surfaces.len(), 1);
    let screen = format!(
        "{BOX}drag = \"screen\"\npermeability = [{{ speed = 0.1, pressure = 4.25 }}, {{ speed = 1, pressure = 65 }}]\n"
    );
    let Built { world, .. } = built("screen", &screen).unwrap();
    let Resistance::Screen { friction, inertia } = world.effects.get::<Airflow>().unwrap().resistance else { panic!() };
    assert!((friction - 40.0).abs() < 1e-9 && (inertia - 25.0).abs() < 1e-9);
}

#[test]
fn what_does_not_go_together_is_told() {
    let told = |more: &str| lines(&built("apart", more).unwrap_err());
    for (more, word) in [
        (format!("{BOX}[wind]\nvelocity = [1, 0, 0]\n"), "wind: conflicts with [airflow]"),
        (format!("{BOX}drag = \"screen\"\n"), "airflow.permeability: missing; drag = \"screen\" needs it"),
        (format!("{BOX}C1 = 3\n"), "airflow.C1: goes with another law of 'drag'"),
        (format!("{BOX}drag = \"seed\"\ncoupling = \"two-way\"\n"), "airflow.coupling: the law \"seed\" may feed"),
        (
            format!("{BOX}strict = true\n[[airflow.inlet]]\nface = \"left\"\nspeed = 1\n"),
            "airflow.strict: what is blown in has no way out",
        ),
        (
            format!(
                "{BOX}strict = true\nfaces = {{ left = \"open\" }}\n[[airflow.inlet]]\nface = \"left\"\nspeed = 1\n"
            ),
            "airflow.strict: what is blown in has no way out: inlets or solids",
        ),
        (format!("{BOX}drag = \"screen\"\npermeability = 0\n"), "airflow.permeability: is 0"),
        ("[airflow]\nbox = { min = [0, 0, 0], max = [1, 0, 1] }\ncells = [4, 4, 4]\n".into(), "has no size along y"),
        ("[airflow]\nbox = { min = [0, 0, 0], max = [1, 1, 1] }\n".into(), "airflow.cells: missing"),
        (
            format!(
                "{BOX}[[airflow.inlet]]\nface = \"left\"\nspeed = 1\nbox = {{ min = [0, 2, 0], max = [1, 3, 1] }}\n"
            ),
            "airflow.inlet[0].box: no cell of the left side has its middle in the box",
        ),
    ] {
        let lines = told(&more);
        assert!(lines.contains(word), "{word}: {lines}");
    }
    let Ok(Built { warnings, .. }) = built("alone", "[output]\nflow = 1\n") else { panic!() };
    assert!(lines(&warnings).contains("output.flow: does nothing without [airflow]"), "{}", lines(&warnings));
    assert!(read("[airflow]\ncells = [3, 4, 4]\n").is_err());
}

#[test]
fn recordings_of_no_use_are_told_by_name() {
    let blown = |file: &str, more: &str| {
        built("heard", &format!("{BOX}[[airflow.inlet]]\nface = \"left\"\nwav = \"{file}\"\n{more}"))
    };
    let loud: Vec<u8> = (0..400u16).flat_map(|k| (k.wrapping_mul(9173) as i16).to_le_bytes()).collect();
    wav("good.wav", [1, 1, 16], &loud, 0);
    assert!(blown("good.wav", "").is_ok());
    wav("cut.wav", [1, 1, 16], &loud, 100);
    wav("mp3.wav", [0x55, 1, 16], &loud, 0);
    wav("mute.wav", [1, 2, 16], &[0; 800], 0);
    wav("empty.wav", [1, 1, 16], &[], 0);
    let odd: Vec<u8> = (0..200).flat_map(|k| if k == 150 { f32::NAN } else { 0.5 }.to_le_bytes()).collect();
    wav("odd.wav", [3, 1, 32], &odd, 0);
    write("text.wav", "not a recording");
    for (file, more, words) in [
        ("cut.wav", "", &["airflow.inlet[0].wav", "800", "700"][..]),
        ("mp3.wav", "", &["airflow.inlet[0].wav", "MP3"]),
        ("good.wav", "channel = 2\n", &["airflow.inlet[0].channel", "channel 2 of 1"]),
        ("empty.wav", "", &["airflow.inlet[0].wav", "sample"]),
        ("odd.wav", "", &["airflow.inlet[0].wav", "sample 151", "not finite"]),
        ("text.wav", "", &["airflow.inlet[0].wav", "RIFF"]),
        ("good.wav", "gain = 900\nreference = 0.1\n", &["airflow.inlet[0].gain", "at most 1000 m/s"]),
        ("good.wav", "window = \"0.5 ms\"\n", &["airflow.inlet[0].window", "less than two samples"]),
    ] {
        let told = lines(&blown(file, more).unwrap_err());
        assert!(words.iter().all(|word| told.contains(word)), "{words:?}: {told}");
    }
    let Ok(Built { warnings, .. }) = blown("mute.wav", "channel = 2\n") else { panic!() };
    assert!(lines(&warnings).contains("is silent in channel 2"), "{}", lines(&warnings));
    let Ok(Built { warnings, .. }) = blown("good.wav", "threshold = 1\n") else { panic!() };
    assert!(lines(&warnings).contains("nothing in the recording is as loud"), "{}", lines(&warnings));
}

#[test]
fn what_blows_nothing_or_shows_nothing_is_told() {
    let warned = |more: &str| {
        let Ok(Built { warnings, .. }) = built("aside", &format!("{BOX}{more}")) else { panic!("{more}") };
        lines(&warnings)
    };
    let inlet = "[[airflow.inlet]]\nface = \"left\"\nspeed = 1\n";
    let half = |x: f64| format!("{inlet}box = {{ min = [{x}, 0, 0], max = [{x}, 0.5, 1] }}\n");
    let slice = |at: f64| format!("[preview.airflow]\naxis = \"y\"\nat = {at}\n");
    for quiet in [half(0.0), half(-0.2), slice(0.5), slice(1.0)] {
        let told = warned(&quiet);
        assert!(["airflow.inlet", "preview.airflow.at"].iter().all(|key| !told.contains(key)), "{quiet}{told}");
    }
    for (more, word) in [
        (format!("{inlet}from = \"90 s\"\n"), "airflow.inlet[0].from: 90 s is not before the last frame"),
        (half(0.4), "airflow.inlet[0].box: is from x = 0.4 to 0.4 m, the left side at 0 m"),
        (slice(1.1), "preview.airflow.at: 1.1 m is outside the air's box, from 0 to 1 m"),
    ] {
        assert!(warned(&more).contains(word), "{word}: {}", warned(&more));
    }
}
