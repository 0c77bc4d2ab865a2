//! `[[ignore]]`, up to the world.

use crate::full::FULL;
use crate::support::{folder, good, lines, write};
use percale::scene::build::{Built, build};
use percale::scene::ignore::Part;
use percale::scene::{Fault, read_text};

#[test]
fn it_is_read() {
    let scene = good(FULL);
    let part = |object: &str, group: Option<&str>| Part { object: object.into(), group: group.map(Into::into) };
    let [one, other] = scene.ignores.as_slice() else { panic!("{:?}", scene.ignores) };
    assert_eq!(one.between, [part("sheet", Some("corner")), part("arm", None)]);
    assert_eq!(other.between, [part("net", None)]);
}

/// Builds a square, and two balls with a group each, with entries.
fn built(name: &str, entries: &[&str]) -> Result<Built, Vec<Fault>> {
    write(format!("{name}.obj"), "v 0 2 0\nv 0 2 0.1\nv 0.1 2 0.1\nv 0.1 2 0\nf 1 2 3\nf 1 3 4\n");
    let mut scene = format!("[[cloth]]\nname = \"napkin\"\nmesh = \"{name}.obj\"\nsubdivide = 1\n");
    for (ball, x) in [("left", -1.0), ("right", 1.0)] {
        scene += &format!(
            "[[obstacle]]\nname = \"{ball}\"\nsphere = {{ center = [{x}, 0, 0], radius = 0.5 }}\nresolution = 0.2\n\
             [[obstacle.group]]\nname = \"top\"\nbox = {{ min = [-9, 0, -9], max = [9, 9, 9] }}\n"
        );
    }
    for entry in entries {
        scene += &format!("[[ignore]]\nbetween = {entry}\n");
    }
    let file = folder().join(format!("{name}.toml"));
    let scene = read_text(&file, scene.as_bytes(), &[])?;
    build(&scene, &file).map_err(|refusal| refusal.faults)
}

fn refused(name: &str, entries: &[&str]) -> String {
    lines(&built(name, entries).map(|_| ()).unwrap_err())
}

#[test]
fn parts_are_masks_of_vertices() {
    let all = ["[\"napkin\", \"left:top\"]", "[\"left:top\", \"right\"]", "[\"napkin\"]"];
    let Built { world, warnings, .. } = built("masks", &all).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let names = ["'napkin' and 'left:top'", "'left:top' and 'right'", "'napkin' and itself"];
    assert_eq!(world.left_out.names, names);
    let [crossed] = world.left_out.crossed.as_slice() else { panic!("{:?}", world.left_out) };
    assert_eq!((crossed.entry, crossed.objects), (1, [1, 2]));
    let all = world.surface.triangle_ranges[2].len();
    assert!(crossed.triangles[0].len() < world.surface.triangle_ranges[1].len() && crossed.triangles[1].len() == all);
    let (napkin, top) = (0, world.objects[1].groups["top"][0]);
    let top = world.objects[1].place[top as usize];
    assert_eq!(world.left_out.entries(&[], &[napkin], &[top]), 1);
    assert_eq!(world.left_out.entries(&[], &[napkin], &[napkin]), 4);
    assert_eq!(world.left_out.entries(&[], &[napkin], &[world.objects[2].place[0]]), 0);
    assert!(world.left_out.wholly(0, 0) && !world.left_out.wholly(0, 1));
}

#[test]
fn faults_say_what_to_write() {
    let told = refused("unknown", &["[\"napkn\", \"left\"]", "[\"left:\", \"napkin\"]", "[]", "[3]"]);
    for wanted in [
        "ignore[0].between[0]: no cloth, body or obstacle is named 'napkn'; did you mean 'napkin'?",
        "ignore[1].between[0]: no group after the colon; write \"left\" for the whole",
        "ignore[2].between: a list of 0; give 1 to 2",
        "ignore[3].between[0]: expected an object, or a group of it as \"object:group\"",
    ] {
        assert!(told.contains(wanted), "{wanted}\n{told}");
    }
    let told = refused("groups", &["[\"napkin:hem\", \"left:tip\"]", "[\"left\"]", "[\"left:top\", \"left:top\"]"]);
    for wanted in [
        "20:12: ignore[0].between[0]: there is no group 'hem', neither mesh nor scene names any",
        "20:26: ignore[0].between[1]: there is no group 'tip', known are 'top'; did you mean 'top'?",
        "ignore[1].between: obstacles have no contact with themselves, so 'left' alone is no pair; name the cloth",
        "ignore[2].between: obstacles have no contact with themselves, so 'left:top' alone is no pair; name the cloth",
    ] {
        assert!(told.contains(wanted), "{wanted}\n{told}");
    }
    let told = refused("twice", &["[\"napkin\", \"left\"]", "[\"left\", \"napkin\"]"]);
    assert!(told.contains("ignore[1].between: is in another entry already; leave one out"), "{told}");
    let all = ["[\"napkin\"]", "[\"napkin\", \"left\"]", "[\"right\", \"napkin\"]"];
    let told = refused("nothing", &all);
    assert!(told.contains("ignore[0]: nothing is left that may touch; write contact.enabled = false"), "{told}");
}
