//! The JSON Schema agrees with the reader.

use crate::full::FULL;
use crate::support::{MINIMAL, good, lines, read};
use percale::scene;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn schema() -> Value {
    serde_json::from_str(&scene::schema()).expect("valid JSON")
}

/// Collects the schemas of the tables that a value may be or contain.
fn tables<'a>(schema: &'a Value, out: &mut Vec<&'a Value>) {
    if schema.get("properties").is_some() {
        out.push(schema);
    }
    if let Some(items) = schema.get("items") {
        tables(items, out);
    }
    for one in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        tables(one, out);
    }
}

/// Collects the schema of every key, by its path without indices.
fn keys<'a>(schema: &'a Value, path: &str, out: &mut BTreeMap<String, &'a Value>) {
    let mut found = Vec::new();
    tables(schema, &mut found);
    for table in found {
        for (key, value) in table["properties"].as_object().unwrap() {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            keys(value, &path, out);
            out.insert(path, value);
        }
    }
}

/// Collects the paths of the keys of a scene.
fn used(value: &toml::Value, path: &str, out: &mut BTreeSet<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                used(value, &path, out);
                out.insert(path);
            }
        }
        toml::Value::Array(items) => items.iter().for_each(|item| used(item, path, out)),
        _ => (),
    }
}

#[test]
fn it_describes_every_key() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let mut all = BTreeMap::new();
    keys(&schema, "", &mut all);
    for (path, key) in &all {
        let doc = key["description"].as_str().unwrap_or_default();
        assert!(doc.len() > 15 && doc.contains("Expects "), "{path}: {doc}");
    }
    let mut found = Vec::new();
    tables(&schema, &mut found);
    assert!(found.iter().all(|t| t["additionalProperties"] == false && t["title"].is_string()));
    assert!(all.len() > 150, "{}", all.len());
}

/// Keys that conflict with other keys of [`FULL`]: a camera is either placed or fitted, and the like.
const APART: [&str; 7] = [
    "preview.camera.direction",
    "wet_contact.h_max",
    "airflow.C1",
    "airflow.permeability",
    "airflow.test_pressure",
    "airflow.permeability.speed",
    "airflow.permeability.pressure",
];

/// Returns whether a key is of a motion or selector. These are declared once, and the full scene has each key in at
/// least one place.
fn shared(path: &str) -> bool {
    let places = [
        "cloth.pin.",
        "cloth.handle.",
        "obstacle.",
        "body.pin.",
        "body.handle.",
        "body.group.",
        "solid.",
        "glue.",
        "tether.",
        "attach.",
        "air_layer.vent.",
        "probe.length.from.",
        "probe.length.to.",
        "probe.position.",
    ];
    let names = [
        "keyframes",
        "weight",
        "rotation",
        "path",
        "cache",
        "group",
        "box",
        "sphere",
        "vertices",
        "nearest",
        "all",
        "friction",
        "force",
    ];
    places.iter().filter_map(|p| path.strip_prefix(p)).any(|rest| names.iter().any(|n| rest.starts_with(n)))
}

/// Scenes with an unknown key, and the table in which it is.
const UNKNOWN: [(&str, &str); 44] = [
    ("[scene]\nzzzzzzzz = 1", "scene"),
    ("[time]\nzzzzzzzz = 1", "time"),
    ("[[material]]\nzzzzzzzz = 1", "material"),
    ("[[cloth]]\nzzzzzzzz = 1", "cloth"),
    ("[[cloth]]\ntransform = { zzzzzzzz = 1 }", "cloth.transform"),
    ("[[cloth]]\n[[cloth.pin]]\nzzzzzzzz = 1", "cloth.pin"),
    ("[[cloth]]\n[[cloth.handle]]\nzzzzzzzz = 1", "cloth.handle"),
    ("[[cloth]]\n[[cloth.group]]\nzzzzzzzz = 1", "cloth.group"),
    ("[[cloth]]\n[[cloth.map]]\nzzzzzzzz = 1", "cloth.map"),
    ("[[cloth]]\n[[cloth.shrink]]\nzzzzzzzz = 1", "cloth.shrink"),
    ("[[cloth]]\npattern = { panel = [{ around = { zzzzzzzz = 1 } }] }", "cloth.pattern.panel.around"),
    ("[[cloth]]\n[[cloth.band]]\nzzzzzzzz = 1", "cloth.band"),
    ("[[cloth]]\n[[cloth.fold]]\nzzzzzzzz = 1", "cloth.fold"),
    ("[[cloth]]\n[[cloth.seam]]\nzzzzzzzz = 1", "cloth.seam"),
    ("[[cloth]]\n[[cloth.sew]]\nzzzzzzzz = 1", "cloth.sew"),
    ("[[material]]\ndrape = { zzzzzzzz = 1 }", "material.drape"),
    ("[[cloth]]\npin = [{ rotation = { zzzzzzzz = 1 } }]", "cloth.pin.rotation"),
    ("[[cloth]]\npin = [{ keyframes = [{ zzzzzzzz = 1 }] }]", "cloth.pin.keyframes"),
    ("[[solid]]\nzzzzzzzz = 1", "solid"),
    ("[[body]]\nzzzzzzzz = 1", "body"),
    ("[[body]]\n[[body.pin]]\nzzzzzzzz = 1", "body.pin"),
    ("[[obstacle]]\nzzzzzzzz = 1", "obstacle"),
    ("[[obstacle]]\nsequence = { zzzzzzzz = 1 }", "obstacle.sequence"),
    ("[[obstacle]]\ncache = { zzzzzzzz = 1 }", "obstacle.cache"),
    ("[[friction]]\nzzzzzzzz = 1", "friction"),
    ("[[glue]]\nzzzzzzzz = 1", "glue"),
    ("[[ignore]]\nzzzzzzzz = 1", "ignore"),
    ("[[obstacle]]\n[[obstacle.group]]\nzzzzzzzz = 1", "obstacle.group"),
    ("[[tether]]\nzzzzzzzz = 1", "tether"),
    ("[[attach]]\nzzzzzzzz = 1", "attach"),
    ("[[key]]\nzzzzzzzz = 1", "key"),
    ("[[air_layer]]\nzzzzzzzz = 1", "air_layer"),
    ("[[balloon]]\nzzzzzzzz = 1", "balloon"),
    ("[[friction]]\ncurves = { zzzzzzzz = 1 }", "friction.curves"),
    ("[wind]\nzzzzzzzz = 1", "wind"),
    ("[airflow]\nzzzzzzzz = 1", "airflow"),
    ("[airflow]\nfaces = { zzzzzzzz = 1 }", "airflow.faces"),
    ("[[airflow.inlet]]\nzzzzzzzz = 1", "airflow.inlet"),
    ("[preview.airflow]\nzzzzzzzz = 1", "preview.airflow"),
    ("[contact]\nzzzzzzzz = 1", "contact"),
    ("[solver]\nzzzzzzzz = 1", "solver"),
    ("[output]\nzzzzzzzz = 1", "output"),
    ("[preview]\nzzzzzzzz = 1", "preview"),
    ("[preview.camera]\nzzzzzzzz = 1", "preview.camera"),
];

#[test]
fn it_knows_the_keys_that_the_reader_knows() {
    let (schema, mut known) = (schema(), BTreeMap::new());
    keys(&schema, "", &mut known);
    let mut seen = BTreeSet::new();
    used(&toml::Value::Table(FULL.parse().unwrap()), "", &mut seen);
    let unknown: Vec<_> = seen.iter().filter(|path| !known.contains_key(*path)).collect();
    assert!(unknown.is_empty(), "read, but not in the schema: {unknown:?}");
    let unread: Vec<_> =
        known.keys().filter(|p| !seen.contains(*p) && !APART.contains(&p.as_str()) && !shared(p)).collect();
    assert!(unread.is_empty(), "in the schema, but not in the full scene: {unread:?}");
    // The schema has the same keys for a table as the reader lists as known.
    for (text, table) in UNKNOWN {
        let told = lines(&read(text).unwrap_err());
        let list = told.split("unknown key; known here: ").nth(1).unwrap_or_else(|| panic!("{told}"));
        let list: BTreeSet<String> = list.lines().next().unwrap().split(", ").map(|k| format!("{table}.{k}")).collect();
        let depth = table.matches('.').count() + 1;
        let inside = |p: &&String| p.starts_with(&format!("{table}.")) && p.matches('.').count() == depth;
        assert_eq!(list, known.keys().filter(inside).cloned().collect(), "{table}");
    }
}

/// Writes a default as TOML.
fn toml_text(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Tables that the base scene has elsewhere, with the same declarations; and keys that conflict with a law or a
/// recording.
const ELSEWHERE: [&str; 22] = [
    "cloth.sew.",
    "cloth.handle.keyframes",
    "wet_contact.h_max",
    "airflow.C1",
    "airflow.test_pressure",
    "airflow.inlet.channel",
    "airflow.inlet.gain",
    "airflow.inlet.reference",
    "airflow.inlet.window",
    "airflow.inlet.exponent",
    "airflow.inlet.threshold",
    "cloth.pin.cache",
    "cloth.handle.cache",
    "body.pin.c",
    "body.handle.c",
    "cloth.pin.rotation",
    "obstacle.keyframes",
    "obstacle.rotation",
    "body.pin.k",
    "body.pin.r",
    "body.handle.k",
    "body.handle.r",
];

/// Tables of the schema, with where the base scene has them; longer paths first.
const PLACES: [(&str, &str); 36] = [
    ("obstacle.box", "obstacle.o.box"),
    ("obstacle.plane", "obstacle.p.plane"),
    ("obstacle.sequence", "obstacle.s.sequence"),
    ("obstacle.cache", "obstacle.c.cache"),
    ("cloth.pin.keyframes", "cloth[0].pin[0].keyframes[0]"),
    ("cloth.handle.rotation", "cloth[0].handle[0].rotation"),
    ("cloth.pin", "cloth[0].pin[0]"),
    ("cloth.handle", "cloth[0].handle[0]"),
    ("cloth.map", "cloth[0].map[0]"),
    ("cloth.shrink", "cloth[0].shrink[0]"),
    ("cloth.band", "cloth[0].band[0]"),
    ("cloth.fold", "cloth[0].fold[0]"),
    ("cloth.seam", "cloth[0].seam[0]"),
    ("cloth.pick", "cloth[0].pick[0]"),
    ("cloth.pattern.panel.around", "cloth[1].pattern.panel[1].around"),
    ("cloth.pattern.panel", "cloth[1].pattern.panel[0]"),
    ("cloth.pattern.sew", "cloth[1].pattern.sew[0]"),
    ("cloth.pattern", "cloth[1].pattern"),
    ("cloth", "cloth[0]"),
    ("body.pin", "body[0].pin[0]"),
    ("body.handle", "body[0].handle[0]"),
    ("body", "body[0]"),
    ("obstacle", "obstacle.o"),
    ("glue", "glue[0]"),
    ("tether", "tether[0]"),
    ("attach", "attach[0]"),
    ("key", "key[0]"),
    ("air_layer.vent", "air_layer[0].vent[0]"),
    ("air_layer", "air_layer[0]"),
    ("balloon", "balloon[0]"),
    ("airflow.inlet", "airflow.inlet[0]"),
    ("wet.source", "wet[0].source[0]"),
    ("wet", "wet[0]"),
    ("probe", "probe[0]"),
    ("material.plastic", "material[1].plastic"),
    ("material", "material[0]"),
];

#[test]
fn its_defaults_are_those_that_are_read() {
    let base = format!(
        "{MINIMAL}[[cloth.pin]]\nall = true\nkeyframes = [{{ time = 1 }}]\n[[cloth.handle]]\nall = true\n\
         rotation = {{ axis = [0, 1, 0], speed = 1 }}\n[[cloth.map]]\nof = \"bend\"\ngroup = \"g\"\n\
         [[cloth.group]]\nname = \"g\"\nvertices = [0]\n[[cloth.shrink]]\n[[cloth.band]]\ngroup = \"g\"\nfactor = 0.9\nstiffness = 1\n[[cloth.fold]]\ngroups = [\"g\"]\nangle = 1\n[[cloth.seam]]\nname = \"s\"\ncoincident = true\n[[cloth.sew]]\n[[cloth.pick]]\npath = \"mouse.csv\"\nforce = 1\n[[body]]\nname = \"b\"\nbox = {{ size = [1, 1, 1] }}\n\
         [[body.pin]]\nall = true\n[[body.handle]]\nall = true\n[[obstacle]]\nname = \"o\"\nbox = {{ size = [1, 1, 1] }}\n\
         [[obstacle]]\nname = \"p\"\nplane = {{}}\n[[obstacle]]\nname = \"s\"\n\
         sequence = {{ files = \"walk/step.%04d.obj\", first = 1, last = 1 }}\n\
         [[obstacle]]\nname = \"c\"\ncache = {{ mesh = \"sheet.obj\", points = \"walk/walk.mdd\" }}\n\
         [[glue]]\ncloth = \"sheet\"\nbody = \"b\"\nall = true\n\
         [[tether]]\ncloth = \"sheet\"\nall = true\npoint = [0, 0, 0]\nstiffness = 1\n\
         [[attach]]\ncloth = \"sheet\"\nall = true\nto = \"b\"\n[[key]]\nof = \"wind\"\ntimes = [0]\nfactors = [1]\n\
         [[air_layer]]\ncloth = \"sheet\"\nbody = \"b\"\npermeability = 0.1\n\
         [[air_layer.vent]]\nall = true\npressure = 1\n\
         [[balloon]]\ncloth = \"sheet\"\npressure = 1\n\
         [[wet]]\ncloth = \"sheet\"\n[[wet.source]]\neverywhere = true\n[wet_contact]\n\
         [[probe]]\nname = \"all\"\nforce = {{ everything = true }}\n\
         [airflow]\nbox = {{ min = [0, 0, 0], max = [1, 1, 1] }}\ncells = [4, 4, 4]\n\
         [[airflow.inlet]]\nface = \"left\"\nspeed = 1\n[preview.airflow]\n\
         [[cloth]]\nname = \"gown\"\npattern = {{ file = \"gown.dxf\", panel = [{{ name = \"back\" }}, {{ name = \"front\", around = {{ limb = \"o\" }} }}], sew = [{{ }}] }}\n\
         [preview.camera]\nposition = [1, 1, 1]\ntarget = [0, 0, 0]\n\
         [[material]]\nname = \"m\"\nbase = \"cotton\"\nrigidity_progressive = {{ k1 = 1 }}\n\
         internal_friction = {{ shear = {{ a = 1, tau = 1 }} }}\n\
         [[material]]\nname = \"y\"\nbase = \"cotton\"\nplastic = {{ bend = 100, stretch = 0.02 }}\n"
    );
    let plain = good(&base);
    let (schema, mut all) = (schema(), BTreeMap::new());
    keys(&schema, "", &mut all);
    let mut checked = 0;
    for (path, key) in all {
        let Some(default) = key.get("default").filter(|d| !d.as_array().is_some_and(Vec::is_empty)) else { continue };
        if ELSEWHERE.iter().any(|e| path.starts_with(e)) {
            continue;
        }
        let place = PLACES.iter().find(|(from, _)| path.starts_with(&format!("{from}.")));
        let place = place.map_or(path.clone(), |(from, to)| path.replacen(from, to, 1));
        let argument = scene::Override::parse(&format!("{place}={}", toml_text(default))).unwrap();
        let mut scene = scene::read_text(&plain.folder.join("test.toml"), base.as_bytes(), &[argument])
            .unwrap_or_else(|faults| panic!("{path}: {}", lines(&faults)));
        assert_ne!(scene.text, plain.text, "{path}");
        scene.text.clone_from(&plain.text);
        // A key that has no effect without another is reported, also at its default.
        scene.warnings.clone_from(&plain.warnings);
        assert_eq!(scene, plain, "{path} = {default}");
        checked += 1;
    }
    assert!(checked > 60, "{checked}");
}

/// Returns whether a value matches a schema, for the keywords that the schema uses (except patterns).
fn fits(value: &Value, schema: &Value) -> bool {
    let Some(rules) = schema.as_object() else { return schema == &Value::Bool(true) };
    let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
    rules.iter().all(|(word, rule)| {
        let list = rule.as_array();
        match word.as_str() {
            "type" => match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64(),
                "number" => value.is_number(),
                other => panic!("{other}"),
            },
            "const" => value == rule,
            "minimum" => number(value) >= number(rule),
            "maximum" => number(value) <= number(rule),
            "minItems" => value.as_array().is_none_or(|v| v.len() >= rule.as_u64().unwrap() as usize),
            "maxItems" => value.as_array().is_none_or(|v| v.len() <= rule.as_u64().unwrap() as usize),
            "items" => value.as_array().is_none_or(|v| v.iter().all(|item| fits(item, rule))),
            "required" => list.unwrap().iter().all(|k| value.get(k.as_str().unwrap()).is_some()),
            "properties" => {
                value.as_object().is_none_or(|t| t.iter().all(|(k, v)| rule.get(k).is_none_or(|r| fits(v, r))))
            }
            "additionalProperties" => {
                value.as_object().is_none_or(|t| t.keys().all(|k| schema["properties"].get(k).is_some()))
            }
            "allOf" => list.unwrap().iter().all(|s| fits(value, s)),
            "anyOf" => list.unwrap().iter().any(|s| fits(value, s)),
            "oneOf" => list.unwrap().iter().filter(|s| fits(value, s)).count() == 1,
            "not" => !fits(value, rule),
            "$schema" | "title" | "description" | "default" | "examples" | "pattern" => true,
            other => panic!("{other}"),
        }
    })
}

#[test]
fn it_accepts_what_the_reader_accepts() {
    let schema = schema();
    let json = |text: &str| {
        let table: toml::Table = text.parse().unwrap();
        serde_json::to_value(table).unwrap()
    };
    for text in [MINIMAL, FULL] {
        assert!(fits(&json(text), &schema));
    }
    for bad in [
        "[time]\nfps = 30\n".to_string(),
        format!("{MINIMAL}[time]\nfsp = 30\n"),
        format!("{MINIMAL}[time]\nfps = 0\n"),
        format!("{MINIMAL}[[cloth.pin]]\nfrom = 0\n"),
        format!("{MINIMAL}[[cloth.pin]]\nall = true\ngroup = \"a\"\n"),
        format!("{MINIMAL}[[cloth.handle]]\nall = true\nstiffness = 1\nforce = [0, 0, 1]\n"),
        format!("{MINIMAL}[time]\nintegrator = \"euler\"\n"),
    ] {
        assert!(read(&bad).is_err() && !fits(&json(&bad), &schema), "{bad}");
    }
}
