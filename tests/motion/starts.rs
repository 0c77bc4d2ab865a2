//! Accidental starts: surfaces nearer than their rest distance, or touching. Energy does not grow, and touching
//! surfaces can separate.

use percale::scene::{self, build::Built};
use percale::stepper::{Advance, Integrator, Settings, stepper};
use percale::world::{State, World};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns an OBJ file of a flat sheet of `count` x `count` squares around the origin, `size` wide, at height `y` [m].
fn sheet(count: usize, size: f64, y: f64) -> String {
    let at = |i: usize| size * (i as f64 / count as f64 - 0.5);
    let mut text = String::new();
    for (i, j) in (0..=count).flat_map(|i| (0..=count).map(move |j| (i, j))) {
        text += &format!("v {} {y} {}\n", at(i), at(j));
    }
    let v = |i: usize, j: usize| i * (count + 1) + j + 1;
    for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
        let [a, b, c, d] = [v(i, j), v(i, j + 1), v(i + 1, j + 1), v(i + 1, j)];
        text += &if (i + j) % 2 == 0 {
            format!("f {a} {b} {c}\nf {a} {c} {d}\n")
        } else {
            format!("f {a} {b} {d}\nf {b} {c} {d}\n")
        };
    }
    text
}

/// Returns an OBJ file of two halves of a standing sheet that share no vertices; vertices of the seam are duplicated.
fn seam(count: usize, size: f64) -> String {
    let mut text = String::new();
    let step = size / count as f64;
    for half in [-1.0, 0.0] {
        let from = half * size / 2.0;
        for (i, j) in (0..=count / 2).flat_map(|i| (0..=count).map(move |j| (i, j))) {
            text += &format!("v {} {} 0\n", from + step * i as f64, step * j as f64);
        }
    }
    let own = (count / 2 + 1) * (count + 1);
    for first in [1, own + 1] {
        let v = |i: usize, j: usize| first + i * (count + 1) + j;
        for (i, j) in (0..count / 2).flat_map(|i| (0..count).map(move |j| (i, j))) {
            let [a, b, c, d] = [v(i, j), v(i, j + 1), v(i + 1, j + 1), v(i + 1, j)];
            text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
        }
    }
    text
}

struct Run {
    built: Built,
    stepper: Box<dyn Advance>,
    /// Largest speed so far [m/s].
    fastest: f64,
}

impl Run {
    fn new(name: &str, text: &str) -> Run {
        let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("starts-{name}"));
        fs::create_dir_all(&folder).unwrap();
        for (file, mesh) in
            [("sheet.obj", sheet(8, 0.4, 0.0)), ("wide.obj", sheet(9, 0.9, 0.0)), ("seam.obj", seam(8, 0.4))]
        {
            fs::write(folder.join(file), mesh).unwrap();
        }
        let path = folder.join("scene.toml");
        let scene = scene::read_text(&path, text.as_bytes(), &[]).unwrap_or_else(|f| panic!("{f:?}"));
        let built = scene::build::build(&scene, &path).unwrap_or_else(|refusal| panic!("{:?}", refusal.faults));
        fs::remove_dir_all(folder).unwrap();
        let settings = Settings {
            integrator: Integrator::Bdf2,
            step: scene.step(),
            min_step: scene.time.min_step,
            accuracy: scene.time.accuracy,
            tolerance: scene.solver.tolerance,
            iterations: 500,
        };
        Run { stepper: stepper(&built.world, settings, false), built, fastest: 0.0 }
    }

    fn to(&mut self, until: f64) {
        let Built { world, state, .. } = &mut self.built;
        while state.time < until {
            if let Err(stuck) = self.stepper.step(world, state, until) {
                panic!("{}", stuck.describe(world, state));
            }
            let speeds = state.v[..world.moving].iter().map(|v| v.norm());
            self.fastest = speeds.fold(self.fastest, f64::max);
        }
        assert!(world.crossings(&mut world.test(), &state.x, state.now()).is_empty());
    }

    fn warned(&self, word: &str) -> bool {
        self.built.warnings.iter().any(|w| w.to_string().contains(word))
    }

    fn parts(&self) -> (&World, &State) {
        (&self.built.world, &self.built.state)
    }

    fn highest(&self) -> f64 {
        let (world, state) = self.parts();
        state.x[..world.moving].iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Layers within micrometres of a floor, or of each other, keep their order. The initial separation once moved the
/// first layer through the second, which was then below the floor.
#[test]
fn layers_that_all_but_touch_keep_their_order() {
    let stacks: [&[f64]; 7] = [
        &[0.0, 19e-6],
        &[0.0, 5e-6],
        &[0.0, 10e-6],
        &[0.0, 5e-6, 10e-6, 15e-6],
        &[2e-6, 2e-6 + 16e-6, 40e-6],
        &[0.0, 0.0],
        &[20e-6, 10e-6],
    ];
    for (n, stack) in stacks.iter().enumerate() {
        let mut text =
            "[time]\nframes = 2\nstep = \"2 ms\"\n[[obstacle]]\nname = \"floor\"\nplane = { size = 2 }\n".to_string();
        for (k, y) in stack.iter().enumerate() {
            text += &format!(
                "[[cloth]]\nname = \"c{k}\"\nmesh = \"sheet.obj\"\nthickness = \"0.3 mm\"\ntransform = {{ translate = [0, {y}, 0] }}\n"
            );
        }
        let mut run = Run::new(&format!("hair{n}"), &text);
        run.to(0.8);
        let (world, state) = run.parts();
        let mut order: Vec<usize> = (0..stack.len()).collect();
        order.sort_by(|a, b| stack[*a].total_cmp(&stack[*b]));
        // Corresponding vertices are in order, from the floor up.
        let count = world.objects[0].vertices.len();
        let mut highest = 0.0f64;
        for v in 0..count {
            let column: Vec<f64> = order.iter().map(|k| state.x[world.objects[*k].vertices.start + v].y).collect();
            assert!(column[0] > 0.0 && column.is_sorted(), "{stack:?}: {column:?}");
            highest = highest.max(column[column.len() - 1]);
        }
        assert!(highest < 5e-3 && run.fastest < 0.1, "{stack:?}: {highest} m, {} m/s", run.fastest);
    }
}

/// Cloth of 5 mm in a gap of 1 mm between two boxes, wider than they are, uses only the available gap, and comes to
/// rest in it. With its full thickness it moved at 2 to 5 m/s for ever.
#[test]
fn cloth_thicker_than_its_gap_rests_in_it() {
    let mut run = Run::new(
        "gap",
        "[time]\nframes = 2\nstep = \"2 ms\"\n[[cloth]]\nname = \"c\"\nmesh = \"sheet.obj\"\nthickness = \"5 mm\"\n\
         air_drag = 5\ntransform = { translate = [0, 0.2005, 0] }\n\
         [[obstacle]]\nname = \"low\"\nbox = { center = [0, 0.1, 0], size = [0.3, 0.2, 0.3] }\n\
         [[obstacle]]\nname = \"high\"\nbox = { center = [0, 0.301, 0], size = [0.3, 0.2, 0.3] }\n",
    );
    run.to(1.0);
    run.fastest = 0.0;
    run.to(1.4);
    // The cloth beyond the support swings on all sides, by up to 0.22 m/s without air.
    assert!(run.fastest < 0.1, "{} m/s", run.fastest);
}

/// Layers of 2 mm, 1 mm apart over a floor, once separated at 6.9 m/s; layers of the default cotton, 0.1 mm apart, at
/// 1.4 m/s. Their distances grow to 2.6 mm (0.9 mm) in half a second, layer upon layer, the third at 16 mm/s; then they
/// settle at rest. A single layer rests at 0.636 of the activation distance, which is the mean of the distances of both
/// objects: their own, that of `contact.distance`, or one each.
#[test]
fn two_objects_have_the_mean_of_their_distances() {
    for (n, (cloth, floor, all, mean)) in
        [("", "", "2 mm", 2e-3), ("1 mm", "3 mm", "1 mm", 2e-3), ("", "2 mm", "1 mm", 1.5e-3)].into_iter().enumerate()
    {
        let own = |word: &str| match word {
            "" => String::new(),
            word => format!("contact_distance = \"{word}\"\n"),
        };
        let text = format!(
            "[time]\nframes = 2\nstep = \"2 ms\"\n[contact]\ndistance = \"{all}\"\n\
             [[obstacle]]\nname = \"floor\"\nplane = {{ size = 2 }}\n{}\
             [[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\nthickness = \"0.3 mm\"\nair_drag = 5\n\
             transform = {{ translate = [0, {}, 0] }}\n{}",
            own(floor),
            0.15e-3 + 0.7 * mean,
            own(cloth)
        );
        let mut run = Run::new(&format!("mean{n}"), &text);
        run.to(0.8);
        let gap = run.highest() - 0.15e-3;
        assert!((gap / (0.636 * mean) - 1.0).abs() < 0.01, "{cloth} {floor} {all}: {:.4} of {mean}", gap / mean);
    }
}

#[test]
fn layers_within_their_thickness_are_eased_apart() {
    for (name, thickness, gap, rest) in [("thick", "2 mm", 1e-3, 2.6e-3), ("default", "0.3 mm", 1e-4, 0.9e-3)] {
        let mut text =
            "[time]\nframes = 2\nstep = \"2 ms\"\n[[obstacle]]\nname = \"floor\"\nplane = { size = 2 }\n".to_string();
        for k in 1..=3 {
            text += &format!(
                "[[cloth]]\nname = \"c{k}\"\nmesh = \"sheet.obj\"\nthickness = \"{thickness}\"\ntransform = {{ translate = [0, {}, 0] }}\n",
                gap * f64::from(k)
            );
        }
        let mut run = Run::new(name, &text);
        assert!(run.warned("nearer"), "{:?}", run.built.warnings);
        run.to(0.6);
        // The bound of this case: the release within a step peaks at 0.07 m/s.
        let most = 0.1;
        println!("| {name}: speed {:.4} of {most:.4} m/s, height {:.2} mm", run.fastest, 1e3 * run.highest());
        assert!(run.fastest < most, "{name}: {} m/s", run.fastest);
        assert!(run.highest() < 3.0 * rest + 1e-3, "{name}: {} m", run.highest());
        // The layers have their full distance: more than three layers have with their initial gaps.
        let (_, state) = run.parts();
        assert!(state.offset_scale.is_empty() && run.highest() > 3.0 * gap + 0.3 * rest);
    }
}

/// Cloth that a pin held within the thickness of another surface separates as slowly when the pin releases it.
#[test]
fn what_a_pin_lets_go_within_a_thickness_is_eased_apart() {
    let text = "[time]\nframes = 2\nstep = \"2 ms\"\n[[cloth]]\nname = \"c\"\nmesh = \"sheet.obj\"\nthickness = \"4 mm\"\n\
                transform = { translate = [0, 0.0005, 0] }\n[[cloth.pin]]\nall = true\nuntil = \"0.1 s\"\n\
                [[obstacle]]\nname = \"floor\"\nplane = { size = 2 }\n";
    let mut run = Run::new("pin", text);
    run.to(0.1);
    assert!(run.fastest < 1e-12, "{} m/s", run.fastest);
    run.to(0.7);
    assert!(run.fastest < 0.05, "{} m/s", run.fastest);
    assert!(run.highest() > 1.5e-3 && run.highest() < 3.5e-3, "{} m", run.highest());
}

/// A rug exactly on a table, on a plane, and beyond the table's edge. A hand lifts a corner; the rug once stuck.
#[test]
fn a_rug_that_touches_can_be_lifted() {
    let box_ = "box = { center = [0, -0.05, 0], size = [1.5, 0.1, 1.5] }";
    let small = "box = { center = [0, -0.05, 0], size = [0.3, 0.1, 0.3] }";
    for (name, table) in [("table", box_), ("plane", "plane = { size = 2 }"), ("edge", small)] {
        let text = format!(
            "[time]\nframes = 2\nstep = \"2 ms\"\n[[cloth]]\nname = \"rug\"\nmesh = \"sheet.obj\"\n[[cloth.pin]]\nnearest = [0.2, 0, 0.2]\n\
             keyframes = [{{ time = 0 }}, {{ time = 0.2, translate = [-0.05, 0.2, -0.05] }}]\n[[obstacle]]\nname = \"table\"\n{table}\n"
        );
        let mut run = Run::new(name, &text);
        assert!(run.warned("touch"), "{:?}", run.built.warnings);
        run.to(0.24);
        let (_, state) = run.parts();
        assert_eq!(state.lag, 0.0, "{name}");
        assert!((run.highest() - 0.2).abs() < 1e-4, "{name}: {} m", run.highest());
        // The hand begins at 1.06 m/s at once, and the cloth next to it whips.
        assert!(run.fastest < 6.0, "{name}: {} m/s", run.fastest);
    }
}

/// The halves of an unwelded seam separate slowly: one half hangs, the other falls freely.
#[test]
fn an_unwelded_seam_does_not_explode() {
    let text = "[time]\nframes = 2\nstep = \"2 ms\"\n[[cloth]]\nname = \"c\"\nmesh = \"seam.obj\"\n\
                [[cloth.pin]]\nbox = { min = [-0.21, -1, -1], max = [-0.19, 1, 1] }\n";
    let mut run = Run::new("seam", text);
    assert!(run.warned("touches itself"), "{:?}", run.built.warnings);
    run.to(0.3);
    // The bound is free fall, and a little more where the hanging half swings down about its pins.
    assert!(run.fastest < 1.5 * 9.81 * 0.3, "{} m/s", run.fastest);
    let (world, state) = run.parts();
    let strain = percale::world::quantity::largest_strain(world, &state.x);
    assert!(strain < 0.1, "{strain}");
}

/// A cover with the same vertices as its body, and a body that stands exactly on the floor.
#[test]
fn a_cover_on_the_surface_of_its_body_is_parted_from_it() {
    let text = "[time]\nframes = 2\nstep = \"2 ms\"\n[[body]]\nname = \"block\"\nbox = { center = [0, 0.1, 0], size = [0.2, 0.2, 0.2] }\nresolution = \"10 cm\"\nmaterial = \"rubber\"\n\
                [[cloth]]\nname = \"rug\"\nmesh = \"wide.obj\"\ntransform = { scale = 0.2, translate = [0, 0.2, 0] }\n\
                [[obstacle]]\nname = \"floor\"\nplane = { size = 2 }\n";
    let mut run = Run::new("cover", text);
    run.to(0.2);
    assert!(run.fastest < 0.2, "{} m/s", run.fastest);
    assert!(run.highest() > 0.195 && run.highest() < 0.205, "{} m", run.highest());
    let (world, state) = run.parts();
    assert!(state.x[..world.moving].iter().all(|x| x.y > 0.0));
}
