//! Viewer of runs in 3D: markup, style and scripts, with three.js, which is the only part by others.

use super::film::{base64, deflated};
use super::html::{POLICY, escape, page};
use crate::render::{Map, srgb_from_linear};

/// Style of the viewer and of the page around it.
const STYLE: &str = include_str!("viewer/viewer.css");

/// three.js with orbit controls, as bundled by `vendor/README.md`.
const LIBRARY: &str = include_str!("vendor/three.min.js");
/// Licence of three.js.
const LICENCE: &str = include_str!("vendor/three.LICENSE");

/// Scripts of the viewer, in the order in which they name each other.
const SCRIPTS: [&str; 4] = [
    include_str!("viewer/film.js"),
    include_str!("viewer/stage.js"),
    include_str!("viewer/view.js"),
    include_str!("viewer/page.js"),
];

/// Number of colours of a map that the viewer interpolates between.
const STOPS: usize = 33;

/// Returns the colours of a map as a list of JSON.
fn stops(map: Map) -> String {
    let colour = |k: usize| {
        let bytes = map.colour(k as f64 / (STOPS - 1) as f64).map(|c| (255.0 * srgb_from_linear(c)).round() as u8);
        format!("\"#{:02x}{:02x}{:02x}\"", bytes[0], bytes[1], bytes[2])
    };
    format!("[{}]", (0..STOPS).map(colour).collect::<Vec<String>>().join(","))
}

/// Returns text that is safe inside a script element: JSON, in which `<` only stands inside of strings.
fn inside(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Returns the viewer of films, each the JSON of a run. The page around them is that of [`document_with_viewer`].
pub fn viewer(films: &[String]) -> String {
    let mut out = String::from("<section id=\"viewer\"></section>\n");
    for film in films {
        out.push_str(&format!("<script type=\"application/json\" class=\"film\">{}</script>\n", inside(film)));
    }
    out
}

/// Returns a whole page that holds a viewer of runs. A page that a program serves may ask that program for frames.
pub fn document_with_viewer(title: &str, body: &str, served: bool) -> String {
    let policy = if served { &format!("{POLICY}; connect-src 'self'") } else { POLICY };
    page(title, STYLE, policy, &format!("{body}{}", scripts()))
}

/// Returns the scripts of the viewer, three.js and its licence, for the end of a page.
fn scripts() -> String {
    let library = base64(&deflated(LIBRARY.as_bytes()));
    let maps = format!("{{sequential:{},diverging:{}}}", stops(Map::Sequential), stops(Map::Diverging));
    format!(
        "<details><summary>3D by three.js, MIT licence</summary>\n<pre>{}</pre></details>\n\
         <script type=\"text/plain\" id=\"library\">{library}</script>\n\
         <script>\n(() => {{\n'use strict';\nconst MAPS = {maps};\n{}}})();\n</script>\n",
        escape(LICENCE),
        SCRIPTS.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_end_its_script() {
        let page = viewer(&["{\"name\":\"</script><script>alert(1)</script><!--\"}".to_string()]);
        assert_eq!(page.matches("<script").count(), 1);
        assert_eq!(page.matches("</script").count(), 1);
        assert!(page.contains("\"\\u003c/script>") && !page.contains("<!--"));
    }

    #[test]
    fn scripts_are_whole_and_the_licence_is_told() {
        let page = scripts();
        assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
        assert!(page.contains("Permission is hereby granted") && page.contains("three.js authors"));
        for (script, names) in SCRIPTS.iter().zip(["class Film", "class Stage", "class Viewer", "begin();"]) {
            assert!(script.contains(names) && !script.contains("</script") && !script.contains("http"), "{names}");
        }
        assert_eq!(stops(Map::Sequential).matches('#').count(), STOPS);
    }
}
