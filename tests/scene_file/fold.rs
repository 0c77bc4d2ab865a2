//! Fold lines that are none.

use crate::support::{folder, lines, write};
use percale::scene::build::build;
use percale::scene::read_text;

/// Returns the faults of a cloth of four by four vertices, rows after rows, with these keys.
fn told(keys: &str) -> String {
    let mut text = String::new();
    (0..16).for_each(|k| text += &format!("v {} 1 {}\n", 0.1 * f64::from(k % 4), 0.1 * f64::from(k / 4)));
    for k in (0..12).filter(|k| k % 4 < 3) {
        text += &format!("f {0} {1} {2}\nf {0} {2} {3}\n", k + 1, k + 5, k + 6, k + 2);
    }
    write("fold.obj", text);
    let file = folder().join("fold.toml");
    let text = format!("[[cloth]]\nname = \"sheet\"\nmesh = \"fold.obj\"\n{keys}\n");
    match read_text(&file, text.as_bytes(), &[]) {
        Ok(scene) => build(&scene, &file).map_or_else(|refusal| lines(&refusal.faults), |_| String::new()),
        Err(faults) => lines(&faults),
    }
}

const GROUPS: &str = "[[cloth.group]]\nname = \"ridge-1\"\nvertices = [1, 5, 9, 13]\n\
                      [[cloth.group]]\nname = \"ridge-2\"\nvertices = [2, 6, 10, 14]\n\
                      [[cloth.group]]\nname = \"rim\"\nvertices = [0, 1, 2, 3]\n\
                      [[cloth.group]]\nname = \"loose\"\nvertices = [0, 7, 13]\n\
                      [[cloth.group]]\nname = \"wide\"\nvertices = [1, 2, 5, 6]\n";

/// Lines by names, with `*` for any characters, are none of these.
#[test]
fn lines_of_the_mesh_fold() {
    assert_eq!(told(&format!("[[cloth.fold]]\ngroups = [\"ridge-*\"]\nangle = \"90 deg\"\n{GROUPS}")), "");
}

/// All faults are told in one round, with their places.
#[test]
fn what_is_no_line_is_not_folded() {
    let groups = "[\"ridge-3\", \"rim\", \"loose\", \"wide\", \"valley-*\"]";
    let more = format!("[[cloth.fold]]\ngroups = {groups}\nangle = 1\n{GROUPS}");
    let twice =
        "[[cloth.fold]]\ngroups = [\"ridge-1\"]\nangle = 1\n[[cloth.fold]]\ngroups = [\"ridge-*\"]\nangle = 2\n";
    let all = told(&format!("{more}{twice}"));
    for wanted in [
        "fold.toml:5:11: cloth[0].fold[0].groups[0]: there is no group 'ridge-3', known are",
        "fold.toml:5:22: cloth[0].fold[0].groups[1]: 'rim' is on the border, where nothing folds; name a line inside",
        "fold.toml:5:29: cloth[0].fold[0].groups[2]: 'loose' is no line of the mesh: no edge has both ends in it; name a line \
         of the pattern, or a group of vertices that edges join",
        "fold.toml:5:38: cloth[0].fold[0].groups[3]: 'wide' is no line: 2 triangles have all of their vertices in it; name a group \
         as wide as one vertex",
        "fold.toml:5:46: cloth[0].fold[0].groups[4]: there is no group 'valley-*', known are",
        "cloth[0].fold[2].groups: shares edges with those of fold 1; an edge has one angle, name its line once",
    ] {
        assert!(all.contains(wanted), "{wanted}: {all}");
    }
    assert_eq!(all.lines().count(), 6, "{all}");
}

#[test]
fn folds_are_less_than_half_a_turn() {
    let fold = |angle: &str| told(&format!("[[cloth.fold]]\ngroups = [\"ridge-1\"]\nangle = {angle}\n{GROUPS}"));
    let wanted =
        "fold.toml:6:9: cloth[0].fold[0].angle: 171 degrees; a fold has at most 170 to either side: write \"170 deg\"";
    assert!(fold("\"171 deg\"").contains(wanted), "{}", fold("\"171 deg\""));
    assert!(fold("-3").contains("at most 170 to either side"), "{}", fold("-3"));
    assert_eq!(fold("\"-170 deg\""), "");
}

/// All that is wrong with yielding is told in one round, and what makes no sense is a warning.
#[test]
fn yielding_is_as_meant() {
    let own = |name: &str, keys: &str| format!("[[material]]\nname = \"{name}\"\nbase = \"cotton\"\n{keys}\n");
    let rubs = "internal_friction = { shear = { a = 1, tau = 0.01 } }";
    let all = told(
        &[
            own("a", "plastic = { hardening = 0.1, stretch_hardening = 0.1, stretch = \"2 %\" }"),
            own("b", "plastic = { stretch_hardening = 0.1 }"),
            own("c", &format!("{rubs}\nplastic = {{ stretch = 0.02 }}")),
            own("d", "plastic = { stretch = 0 }"),
        ]
        .concat(),
    );
    for wanted in [
        "fold.toml:7:25: material[0].plastic.hardening: goes with 'bend'; give where it yields, or leave this out",
        "fold.toml:11:33: material[1].plastic.stretch_hardening: goes with 'stretch'; give where it yields",
        "material[2].plastic: stretch has internal friction, beside which it does not yield; leave one out",
        "material[3].plastic.stretch: ",
    ] {
        assert!(all.contains(wanted), "{wanted}: {all}");
    }
    assert_eq!(all.lines().count(), 4, "{all}");
    let warned = |text: &str| {
        let read = read_text(&folder().join("warned.toml"), text.as_bytes(), &[]).unwrap();
        lines(&read.warnings)
    };
    let text = own("e", "plastic = { stretch = \"2 %\" }") + &own("f", "plastic = {}");
    let cloth = "[[cloth]]\nname = \"sheet\"\nmesh = \"fold.obj\"\nmaterial = \"e\"\nstrain_limit = 0.02\n";
    let all = warned(&format!("{cloth}{text}"));
    for wanted in [
        "strain_limit: 2 % keeps the cloth below the 2 % at which its stretch yields, so that none stays",
        "material[1].plastic: nothing yields; give bend or stretch in it, or leave it out",
    ] {
        assert!(all.contains(wanted), "{wanted}: {all}");
    }
}

#[test]
fn springs_neither_fold_nor_yield() {
    let springs = "model = \"springs\"\nsprings = { from_material = true }\n";
    let fold = told(&format!("{springs}[[cloth.fold]]\ngroups = [\"ridge-1\"]\nangle = 1\n{GROUPS}"));
    assert!(
        fold.contains("cloth[0].fold: springs have no angle at rest; give model = \"fem\", or leave this out"),
        "{fold}"
    );
    let plastic = "[[material]]\nname = \"own\"\nbase = \"cotton\"\nplastic = { bend = 100 }\n";
    let yields = told(&format!("material = \"own\"\n{springs}{plastic}"));
    assert!(yields.contains("cloth[0].model: material 'own' yields, which springs do not"), "{yields}");
    let yields = told(&format!("material = \"own\"\n{springs}{}", plastic.replace("bend = 100", "stretch = 0.02")));
    assert!(yields.contains("cloth[0].model: material 'own' yields, which springs do not"), "{yields}");
}
