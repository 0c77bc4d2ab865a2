//! Steps chosen by their estimated error.

use percale::linalg::Vec3;
use percale::scene::{self, Override};
use std::path::Path;

/// Runs a sheet of cotton that drops on a ball to 0.4 s, 60 ms after the impact. Returns positions and number of steps.
fn drop(set: &[&str]) -> (Vec<Vec3>, u64) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validation/scene.toml");
    let text = "[scene]\nname = \"drop\"\n[[cloth]]\nname = \"sheet\"\nmesh = \"../../meshes/sheet_1m_25.ply\"\n\
                material = \"cotton\"\nair_drag = 1\ntransform = { translate = [0, 0.85, 0] }\n\
                [[obstacle]]\nname = \"ball\"\nsphere = { center = [0, 0.3, 0], radius = 0.25 }\n";
    let set: Vec<Override> = set.iter().map(|text| Override::parse(text).unwrap()).collect();
    let scene = scene::read_text(&file, text.as_bytes(), &set).unwrap_or_else(|faults| panic!("{faults:?}"));
    let built = scene::build::build(&scene, &file).unwrap_or_else(|refusal| panic!("{:?}", refusal.faults));
    let (mut stepper, world, mut state) = (scene::build::stepper(&scene, &built.world), built.world, built.state);
    let report = stepper.advance(&world, &mut state, 0.4).unwrap_or_else(|stuck| panic!("{stuck:?}"));
    (state.x[..world.moving].to_vec(), report.steps)
}

/// Root mean square distances to a run in steps of a quarter of a millisecond fall with the aim, in fewer steps than
/// equal ones take. Without control by error, the longest steps take the impact.
#[test]
fn distances_follow_the_accuracy() {
    let (exact, _) = drop(&["time.step=0.25 ms", "time.accuracy=1"]);
    let away = |set: &[&str]| {
        let (x, steps) = drop(set);
        let squares: f64 = x.iter().zip(&exact).map(|(a, b)| (a - b).norm_squared()).sum();
        (1e3 * (squares / x.len() as f64).sqrt(), steps)
    };
    let [none, draft, shot, reference] = ["1", "\"draft\"", "\"shot\"", "\"reference\""]
        .map(|aim| away(&["time.step=12 ms", &format!("time.accuracy={aim}")]));
    let equal = away(&["time.step=3.4 ms", "time.accuracy=1"]);
    let all = [none, draft, shot, reference, equal];
    println!(
        "| drop on a ball, accuracy none, draft, shot, reference, steps of 3.4 ms: mm, steps | falls | {all:?} | | |"
    );
    assert!(draft.0 < 0.7 * none.0 && shot.0 < 0.8 * draft.0 && reference.0 < 0.7 * shot.0);
    assert!(shot.0 < 1.2 * equal.0 && shot.1 < equal.1);
}
