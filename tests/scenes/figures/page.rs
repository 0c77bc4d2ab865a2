//! `docs/seeds.md`: its numbers stand between `<!--NAME-->` and `<!---->`, and are those of the records.

use super::docs;
use super::record::Record;
use std::collections::BTreeSet;
use std::fs;

const PAGE: &str = "seeds.md";
const END: &str = "<!---->";

/// Returns the page with the numbers of the records, and the names of those it has.
fn rendered(page: &str, cell: impl Fn(&str) -> Option<String>) -> (String, BTreeSet<String>) {
    let (mut text, mut names) = (String::new(), BTreeSet::new());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("<!--") {
        text.push_str(before);
        let (name, own) = after.split_once("-->").expect("a comment ends");
        let (old, next) = own.split_once(END).unwrap_or_else(|| panic!("'{name}' has no {END}"));
        let new = cell(name).unwrap_or_else(|| old.to_string());
        text.push_str(&format!("<!--{name}-->{new}{END}"));
        names.insert(name.to_string());
        rest = next;
    }
    text.push_str(rest);
    (text, names)
}

/// Returns the names of all records.
fn records() -> BTreeSet<String> {
    let files =
        fs::read_dir(docs().join("figures")).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    files.filter_map(|file| file.strip_suffix(".toml").map(str::to_string)).collect()
}

/// Puts the numbers of the records into the page. Tests of several programs may do so at once, each with all numbers.
pub fn renew() {
    let path = docs().join(PAGE);
    let known = records();
    let page = fs::read_to_string(&path).unwrap();
    let (text, _) = rendered(&page, |name| known.contains(name).then(|| Record::read(name).cell()));
    let new = path.with_extension(format!("{}.new", std::process::id()));
    fs::write(&new, text).unwrap();
    fs::rename(&new, &path).unwrap();
}

/// The page has the numbers of the records, each record has its place there, its test and, beside it, its picture.
#[test]
fn the_page_has_what_was_measured() {
    let page = fs::read_to_string(docs().join(PAGE)).unwrap();
    let (text, names) = rendered(&page, |name| Some(Record::read(name).cell()));
    assert!(page == text, "{PAGE} has other numbers than docs/figures: PERCALE_BLESS=1 cargo test figures::page");
    assert_eq!(names, records());
    let tests = ["chen", "horiba", "miguel", "park", "prince"].map(|paper| {
        let file = docs().with_file_name(format!("tests/scenes/figures/{paper}.rs"));
        fs::read_to_string(file).unwrap()
    });
    for name in names {
        assert!(tests.iter().any(|test| test.contains(&format!("fn {name}("))), "{name} has no test");
        let drawn = docs().join(format!("figures/{name}.png")).is_file();
        assert_eq!(drawn, page.contains(&format!("(figures/{name}.png)")), "{name}: picture and page");
    }
}

#[test]
fn numbers_are_put_between_their_marks() {
    let page = "| a | <!--one-->old<!---->; words | <!--two--><!----> |";
    let (text, names) = rendered(page, |name| (name == "one").then(|| "new".to_string()));
    assert_eq!(text, "| a | <!--one-->new<!---->; words | <!--two--><!----> |");
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["one", "two"]);
}
