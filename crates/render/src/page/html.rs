//! HTML elements: text, tables and pictures.

use base64::Engine;
use base64::prelude::BASE64_STANDARD as STANDARD;

/// Policy of content: a page loads and asks for nothing outside itself, whatever is written in it.
pub(super) const POLICY: &str =
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline' blob:; base-uri 'none'";

/// Style sheet of all pages, light and dark.
const STYLE: &str = "
:root { color-scheme: light dark; --line: #8886; --soft: #8882; --bad: #c33; --good: #283; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, p, figcaption, summary { overflow-wrap: anywhere; } h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--line); }
table { border-collapse: collapse; margin: .5rem 0; display: block; overflow-x: auto; }
th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--soft); text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.bad { color: var(--bad); font-weight: 600; } td.good { color: var(--good); }
pre { white-space: pre-wrap; background: var(--soft); padding: .6rem; border-radius: 4px; }
img { max-width: 100%; height: auto; display: block; }
figure { margin: 0; } figcaption { font-size: .85rem; opacity: .8; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); gap: 1rem; }
.pictures { grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
.plot { width: 100%; height: auto; } .plot text { font: 11px system-ui, sans-serif; fill: currentColor; }
.plot .axis { stroke: currentColor; opacity: .25; } .plot polyline { fill: none; stroke-width: 1.5; }
.slide { position: relative; --at: 50%; } .slide img + img { position: absolute; top: 0; left: 0; width: 100%;
clip-path: inset(0 0 0 var(--at)); } .slide i { position: absolute; top: 0; bottom: 0; left: var(--at); width: 1px; background: #fff; }
input[type=range] { width: 100%; margin: 0; }
";

/// Escapes text for HTML, also within attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Characters not allowed in HTML.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// Returns a whole page around a body of HTML.
pub fn document(title: &str, body: &str) -> String {
    page(title, "", POLICY, body)
}

/// Returns a whole page with a style and a policy of its own.
pub(super) fn page(title: &str, style: &str, policy: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{policy}\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}{style}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{body}</body>\n</html>\n"
    )
}

/// Returns a sentence on how a run went.
pub fn verdict(good: bool, text: &str) -> String {
    format!("<p class=\"verdict {}\">{}</p>\n", if good { "good" } else { "bad" }, escape(text))
}

/// Returns a heading.
pub fn heading(text: &str) -> String {
    format!("<h2>{}</h2>\n", escape(text))
}

/// Returns a paragraph.
pub fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// Returns preformatted text that a click on its title unfolds.
pub fn fold(title: &str, text: &str) -> String {
    format!("<details><summary>{}</summary>\n<pre>{}</pre></details>\n", escape(title), escape(text))
}

/// Cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Text.
    Text(String),
    /// Number, aligned right.
    Number(String),
    /// Text marked as good.
    Good(String),
    /// Text marked as bad.
    Bad(String),
    /// Text and the target of its link: a path relative to the page.
    Link(String, String),
}

/// Returns a table. The heading of a column is aligned right if its first row holds a number.
pub fn table(heads: &[&str], rows: &[Vec<Cell>]) -> String {
    let mut out = String::from("<table>\n<tr>");
    for (k, head) in heads.iter().enumerate() {
        let number = matches!(rows.first().and_then(|row| row.get(k)), Some(Cell::Number(_)));
        let class = if number { " class=\"n\"" } else { "" };
        out.push_str(&format!("<th{class}>{}</th>", escape(head)));
    }
    out.push_str("</tr>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            let (class, text) = match cell {
                Cell::Link(text, to) => {
                    let (text, to) = (escape(text), escape(to));
                    out.push_str(&format!("<td><a href=\"{to}\">{text}</a></td>"));
                    continue;
                }
                Cell::Text(text) => ("", text),
                Cell::Number(text) => (" class=\"n\"", text),
                Cell::Good(text) => (" class=\"good\"", text),
                Cell::Bad(text) => (" class=\"bad\"", text),
            };
            out.push_str(&format!("<td{class}>{}</td>", escape(text)));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
    out
}

fn source(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

/// Returns a figure from the bytes of a PNG file.
pub fn picture(caption: &str, png: &[u8]) -> String {
    let caption = escape(caption);
    format!("<figure><img alt=\"{caption}\" src=\"{}\"><figcaption>{caption}</figcaption></figure>\n", source(png))
}

/// Returns a figure of a frame, from which the viewer of the page goes to it.
pub fn still(caption: &str, png: &[u8], frame: u32) -> String {
    picture(caption, png).replacen("<figure>", &format!("<figure data-frame=\"{frame}\">"), 1)
}

/// Returns two overlaid pictures of the same size with a slider. The first picture shows left of the slider's line.
pub fn slider(caption: &str, left: &[u8], right: &[u8]) -> String {
    let caption = escape(caption);
    format!(
        "<figure><div class=\"slide\"><img alt=\"A\" src=\"{}\"><img alt=\"B\" src=\"{}\"><i></i></div>\
         <input type=\"range\" min=\"0\" max=\"100\" step=\"0.1\" value=\"50\" aria-label=\"from A to B\" \
         oninput=\"this.previousElementSibling.style.setProperty('--at',this.value+'%')\">\
         <figcaption>{caption}</figcaption></figure>\n",
        source(left),
        source(right)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<b a=\"x\" c='y'>&\u{1}"), "&lt;b a=&quot;x&quot; c=&#39;y&#39;&gt;&amp;\u{fffd}");
        let page = document("<script>", &table(&["<i>"], &[vec![Cell::Bad("<u>".into())]]));
        assert!(!page.contains("<script>") && !page.contains("<i>") && !page.contains("<u>"));
    }
}
