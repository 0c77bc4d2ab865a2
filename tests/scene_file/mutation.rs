//! Hostile input: mutated scenes give faults or scenes, never a panic.

use crate::full::FULL;
use crate::support::{MINIMAL, folder, lines, read};
use percale::linalg::random::Random;
use percale::scene::{self, Override};

const WORDS: [&str; 24] = [
    "nan",
    "inf",
    "-inf",
    "-1",
    "0",
    "1e308",
    "-1e308",
    "99999999999999999999",
    "\"\"",
    "\"1 furlong\"",
    "\"1e999 mm\"",
    "true",
    "[]",
    "{}",
    "[[]]",
    "[[1]]",
    "1979-05-27",
    "'\\'",
    "\"\\u0000\"",
    "\"..\"",
    "\"%9d.obj\"",
    "=",
    "\u{1F9F5}",
    "\"\"\"",
];

/// Returns start and end of tokens: runs of word characters, or single other characters.
fn tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let word = |b: u8| b.is_ascii_alphanumeric() || b"._-+".contains(&b);
    let mut spans = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let end = if word(text[at]) { at + text[at..].iter().take_while(|b| word(**b)).count() } else { at + 1 };
        spans.push((at, end));
        at = end;
    }
    spans
}

fn mutate(text: &mut Vec<u8>, dice: &mut Random) {
    let spans = tokens(text);
    if spans.is_empty() {
        return;
    }
    let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    match dice.below(7) {
        0 => {
            let at = dice.below(text.len());
            text[at] ^= 1 << dice.below(8);
        }
        1 => {
            let (a, b) = (spans[dice.below(spans.len())], spans[dice.below(spans.len())]);
            let (a, b) = if a.0 <= b.0 { (a, b) } else { (b, a) };
            if a != b {
                let swapped = [&text[..a.0], &text[b.0..b.1], &text[a.1..b.0], &text[a.0..a.1], &text[b.1..]].concat();
                *text = swapped;
            }
        }
        2 => {
            lines.remove(dice.below(lines.len()));
            *text = lines.join(&b'\n');
        }
        3 => {
            let line = lines[dice.below(lines.len())].clone();
            lines.insert(dice.below(lines.len()), line);
            *text = lines.join(&b'\n');
        }
        4 => {
            let numbers: Vec<_> = spans.iter().filter(|s| text[s.0].is_ascii_digit()).collect();
            if !numbers.is_empty() {
                let (from, to) = *numbers[dice.below(numbers.len())];
                text.splice(from..to, WORDS[dice.below(WORDS.len())].bytes());
            }
        }
        5 => {
            let (from, to) = spans[dice.below(spans.len())];
            text.splice(from..to, WORDS[dice.below(WORDS.len())].bytes());
        }
        _ => text.truncate(dice.below(text.len())),
    }
}

#[test]
fn ten_thousand_mutated_scenes_do_not_panic() {
    let mut dice = Random::new(0x70657263616c65);
    let overrides = [
        Override::parse("cloth[0].material=silk").unwrap(),
        Override::parse("cloth.sheet.transform.scale=2").unwrap(),
        Override::parse("time.step=1 ms").unwrap(),
    ];
    let file = folder().join("test.toml");
    let (mut good, mut bad) = (0, 0);
    for round in 0..10_000 {
        let mut text = if round % 4 == 0 { MINIMAL } else { FULL }.as_bytes().to_vec();
        for _ in 0..1 + dice.below(4) {
            mutate(&mut text, &mut dice);
        }
        let changes = if round % 3 == 0 { &overrides[..] } else { &[] };
        match scene::read_text(&file, &text, changes) {
            Ok(scene) => {
                good += 1;
                assert!(scene.step() > 0.0 && scene.step().is_finite() && scene.gravity.iter().all(|g| g.is_finite()));
            }
            Err(faults) => {
                bad += 1;
                assert!(!faults.is_empty(), "refused without a reason: {}", String::from_utf8_lossy(&text));
                assert!(faults.iter().all(|f| !f.message.is_empty()));
            }
        }
    }
    // Both outcomes occur often enough for the mutations to be a valid test.
    assert!(good > 500 && bad > 5000, "{good} good, {bad} bad");
}

#[test]
fn nesting_is_bounded() {
    for text in [
        format!("a = {}", "[".repeat(100_000)),
        format!("a = {}", "{a=".repeat(100_000)),
        format!("{} = 1", vec!["a"; 100_000].join(".")),
        format!("[{}]", vec!["a"; 100_000].join(".")),
    ] {
        assert!(read(&text).is_err());
    }
}

#[test]
fn many_faults_are_counted() {
    let text = format!("{MINIMAL}[[cloth.pin]]\nvertices = [{}]\n", "-1, ".repeat(200_000));
    let faults = read(&text).unwrap_err();
    assert_eq!(faults.len(), 501);
    assert!(faults[500].to_string().ends_with("and 199500 more faults"), "{}", faults[500]);
}

#[test]
fn bytes_that_are_no_text_are_told() {
    let told = |bytes: &[u8]| lines(&scene::read_text(&folder().join("test.toml"), bytes, &[]).unwrap_err());
    assert!(told(b"[time]\nfps = \xff\n").ends_with("test.toml:2:7: not UTF-8 text; save the file as UTF-8\n"));
    assert!(told(b"").contains("test.toml:1:1: cloth: missing; a scene has at least one [[cloth]]"));
    let missing = scene::read(&folder().join("absent.toml"), &[]).unwrap_err();
    assert!(lines(&missing).contains("absent.toml: cannot read the scene"), "{}", lines(&missing));
    assert!(lines(&scene::read(&folder(), &[]).unwrap_err()).contains("is a folder"));
}
