//! The page of all keys agrees with the declarations.

use percale::scene;
use std::fs;
use std::path::Path;

const AGAIN: &str =
    "docs/keys.md is not that of the declarations; make it again: cargo run -- schema --markdown > docs/keys.md";

#[test]
fn keys_page_is_that_of_the_declarations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/keys.md");
    let page = fs::read_to_string(path).expect(AGAIN).replace("\r\n", "\n");
    let made = scene::keys_page();
    let differs = page.lines().zip(made.lines()).find(|(old, new)| old != new);
    assert!(page == made, "{AGAIN}\nfirst difference: {differs:?}");
}

#[test]
fn keys_page_has_a_section_for_each_table_and_a_row_for_each_key() {
    let page = scene::keys_page();
    for part in [
        "## `[time]`",
        "## `[[cloth]]`",
        "## `[[cloth.pin]]`",
        "| `fps` | ",
        "| `frame_limit` | ",
        "Exactly one of `mesh`",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        assert_eq!(row.replace("\\|", "").matches('|').count(), 5, "{row}");
    }
}
