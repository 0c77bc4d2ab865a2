//! Scenes of flowing air (Horiba et al. 2007, figures 3, 7 and 9, and beyond).

use super::*;

/// Returns the displacement of the centre of the cloth at each frame.
fn ways(done: &Done) -> Vec<Vec3> {
    let centre = |frame: u32| {
        let x = &done.frame(frame).x;
        x.iter().sum::<Vec3>() / x.len() as f64
    };
    (1..=done.frames.len() as u32).map(|frame| centre(frame) - centre(1)).collect()
}

/// The sheet is at rest until the breath (0.9 s), farthest back during the breath (to 4.5 s, and the two steps in which
/// the air stops), and back within 2 % at the end. The air's energy then decays as the slowest mode with the symmetry
/// of the inlet, by `(1 + h nu k^2)^-2` per step, `k^2 = 5 (pi/L)^2` less 3 % on ten cells. The published drag throws
/// the sheet out.
#[test]
fn microphone_as_expected() {
    check_scene("microphone");
    let done = run("microphone", "microphone-numbers", None, &[]);
    let back: Vec<f64> = ways(&done).iter().map(|way| -way.z).collect();
    let peak = (0..back.len()).max_by(|a, b| back[*a].total_cmp(&back[*b])).unwrap();
    let time = |frame: usize| 0.3 * frame as f64;
    let rest = back.iter().rev().take(20).fold(0.0f64, |most, way| most.max(way.abs()));
    println!("peak {} m at {} s, at the end {rest} m", back[peak], time(peak));
    assert!(back[..3].iter().all(|way| way.abs() < 1e-4 * back[peak]), "{:?}", &back[..4]);
    assert!(back[peak] > 2e-3 && (0.9..=5.1).contains(&time(peak)), "{} at {}", back[peak], time(peak));
    assert!(rest < 0.02 * back[peak], "{rest} of {}", back[peak]);
    let energy = |frame: u32| done.told("flow_energy", frame).unwrap();
    let k2 = 5.0 * (std::f64::consts::PI / 0.1).powi(2);
    let slowest = (1.0 + 0.3 * 1e-3 * k2).powi(-2);
    // The breath ends at 4.5 s, frame 16.
    let ratios: Vec<f64> = (19..23).map(|frame| energy(frame + 1) / energy(frame)).collect();
    println!("energy falls by {ratios:?} a step, the slowest mode by {slowest}");
    assert!(ratios.iter().all(|ratio| (ratio / slowest - 1.0).abs() < 0.05), "{ratios:?}, {slowest}");
    let printed = run("microphone", "microphone-printed", Some(30), &["airflow.drag=seed".to_string()]);
    assert!(ways(&printed)[29].norm() > 1.0, "{:?}", ways(&printed)[29]);
}

/// The displacement of the sheet has the combined direction of the two inlets, within 10 degrees.
#[test]
fn two_microphones_as_expected() {
    check_scene("two-microphones");
    let done = run("two-microphones", "two-microphones-numbers", None, &[]);
    let ways = ways(&done);
    for (frames, [side, front]) in [(3..18, [0.15, 0.3]), (33..48, [0.3, 0.15])] {
        let farthest = ways[frames].iter().copied().max_by(|a, b| a.norm().total_cmp(&b.norm())).unwrap();
        let (got, heard) = (farthest.x.atan2(-farthest.z).to_degrees(), f64::atan2(side, front).to_degrees());
        println!("direction {got:.1} deg, of what is heard {heard:.1} deg, {:.2} mm", 1e3 * farthest.norm());
        assert!((got - heard).abs() < 10.0, "{got}, {heard}");
    }
}

#[test]
fn screen_as_expected() {
    check_scene("screen");
}

#[test]
#[ignore = "long: half a minute or more"]
fn flag_flow_as_expected() {
    check_scene("flag-flow");
}

#[test]
fn washday_as_expected() {
    check_scene("washday");
}

/// Reads the rows of a probe of a run, without the heading.
fn probed(out: &Path, name: &str) -> Vec<Vec<f64>> {
    let text = fs::read_to_string(out.join(format!("probes/{name}.csv"))).unwrap();
    text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect()
}

/// From the first second on the pole holds the flag against 0.165 N of drag, and the middle of its free end oscillates
/// about its own mean 3.7 times per second, 43 mm RMS. Both values are recorded from a run, of an irregular flow. The
/// drag varies by 0.048 N with a correlation time of some 0.15 s, so the mean over two seconds is uncertain by 8 %: the
/// bounds are three times that, and a third for the crossings.
#[test]
#[ignore = "long: the whole flag, minutes"]
fn the_flag_drags_and_flutters() {
    let (told, out) = execute("flag-flow", "flag-flow-full", None, &["output.flow=0".to_string()]);
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let late = |name: &str| -> Vec<Vec<f64>> { probed(&out, name).into_iter().filter(|row| row[0] > 0.99).collect() };
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let (pull, tail) = (late("pull"), late("tail"));
    let drag = -mean(&pull.iter().map(|row| row[1]).collect::<Vec<_>>());
    let z: Vec<f64> = tail.iter().map(|row| row[3]).collect();
    let middle = mean(&z);
    let off: Vec<f64> = z.iter().map(|z| z - middle).collect();
    let swings = off.iter().map(|z| z * z).sum::<f64>() / off.len() as f64;
    let crossings = off.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count();
    let rate = 0.5 * crossings as f64 / (tail[tail.len() - 1][0] - tail[0][0]);
    println!("drag {drag:.4} N, {rate:.2} Hz, {:.1} mm", 1e3 * swings.sqrt());
    assert!((drag / 0.165 - 1.0).abs() < 0.25, "{drag}");
    assert!((2.0..6.0).contains(&rate) && (0.02..0.1).contains(&swings.sqrt()), "{rate} {swings}");
}
