//! Scenes of flowing air (Horiba et al. 2007, figures 3, 7 and 9, and beyond).

use super::*;

#[test]
fn microphone_as_expected() {
    check_scene("microphone");
}

/// The drag as printed feeds energy to the sheet and throws it out of the box.
#[test]
fn the_printed_drag_throws_the_sheet_out() {
    let printed = run("microphone", "microphone-printed", Some(30), &["airflow.drag=seed".to_string()]);
    let centre = |frame: u32| printed.frame(frame).x.iter().sum::<Vec3>() / 100.0;
    assert!((centre(30) - centre(1)).norm() > 1.0, "{:?}", centre(30));
}

#[test]
fn two_microphones_as_expected() {
    check_scene("two-microphones");
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
