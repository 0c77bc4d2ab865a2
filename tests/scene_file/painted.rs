//! Maps and keys of quantities that are not there.

use crate::support::{folder, lines, write};
use percale::scene::build::build;
use percale::scene::read_text;

/// Returns the faults of a square cloth, with more keys of it and then more tables.
fn told(keys: &str, more: &str) -> String {
    write("painted.obj", "v 0 1 0\nv 0.1 1 0\nv 0.1 1 0.1\nv 0 1 0.1\nf 1 4 3 2\n");
    let text = format!("[[cloth]]\nname = \"sheet\"\nmesh = \"painted.obj\"\n{keys}\n{more}");
    let file = folder().join("painted.toml");
    let scene = read_text(&file, text.as_bytes(), &[]).unwrap_or_else(|faults| panic!("{}", lines(&faults)));
    build(&scene, &file).map_or_else(|refusal| lines(&refusal.faults), |_| String::new())
}

/// All faults are told in one round, with their places.
#[test]
fn what_is_not_there_has_no_map() {
    let map = |of: &str| format!("[[cloth.map]]\nof = \"{of}\"\nchannel = \"paint\"\n");
    let all = told("", &["strain_limit", "drag", "friction"].map(map).concat());
    for wanted in [
        "painted.toml:6:6: cloth[0].map[0].of: the cloth has none; give it strain_limit",
        "painted.toml:9:6: cloth[0].map[1].of: the cloth has no air drag; give it air_drag",
        "painted.toml:13:11: cloth[0].map[2].channel: the mesh has no channel 'paint', it has none",
    ] {
        assert!(all.contains(wanted), "{all}");
    }
    let springs = told("model = \"springs\"\nsprings = { from_material = true }", &map("damping"));
    assert!(springs.contains("cloth[0].map[0].of: springs have dampers of their own"), "{springs}");
    let group = "[[cloth.map]]\nof = \"strain_limit\"\ngroup = \"some\"\nfactor = 0\n\
                 [[cloth.group]]\nname = \"some\"\nvertices = [0]\n";
    let least = told("strain_limit = 0.1", group);
    assert!(least.contains("the factor at vertex 0 is 0; factors of this map must be larger than 0"), "{least}");
}

#[test]
fn what_is_not_there_has_no_keys() {
    let key = |of: &str, more: &str| format!("[[key]]\nof = \"{of}\"\n{more}times = [0]\nfactors = [1]\n");
    let own = "objects = [\"sheet\"]\n";
    for (more, wanted) in [
        (key("drag", own), "painted.toml:7:12: key[0].objects[0]: 'sheet' has no air drag; give it air_drag"),
        (key("shrink", own), "'sheet' does not shrink; give [[cloth.shrink]]"),
        (key("fold", own), "'sheet' has no fold lines; give [[cloth.fold]]"),
        (key("pressure", ""), "key[0].of: no cloth has this: 'sheet' holds no pressure; give a [[balloon]] of it one"),
        (key("bend", own) + &key("bend", ""), "key[1].of: has keys already; put them into one list"),
        (key("bend", "") + &key("bend", own), "key[1].of: has keys already; put them into one list"),
    ] {
        assert!(told("", &more).contains(wanted), "{wanted}: {}", told("", &more));
    }
    assert_eq!(told("", &(key("bend", own) + &key("stretch", "") + &key("friction", ""))), "");
}
