//! Films of a run: `percale movie`, turntables, motion blur.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const SCENE: &str = r#"
[scene]
name = "falling"
[time]
frames = 4
start_frame = 11
step = "10 ms"
[[cloth]]
name = "sheet"
mesh = "sheet.obj"
velocity = [4, 0, 0]
[preview]
width = 64
height = 48
samples = 1
"#;

fn percale(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).current_dir(folder).output().unwrap()
}

/// Asserts the exit code and the words of the output.
fn ends(output: &Output, code: i32, words: &[&str]) {
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{told}");
    assert!(words.iter().all(|word| told.contains(word)), "{words:?}: {told}");
}

/// Makes a folder with a run of four frames, 11 to 14.
fn run(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("movie-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("scene.toml"), SCENE).unwrap();
    fs::write(folder.join("sheet.obj"), "v 0 0 0\nv 0.2 0 0\nv 0.2 0.2 0\nv 0 0.2 0\nf 1 2 3 4\n").unwrap();
    ends(&percale(&["run", "scene.toml", "--out", "run", "--progress", "none"], &folder), 0, &[]);
    folder
}

/// Returns the number of pictures of an animated PNG file, with its width and height.
fn animated(path: &Path) -> (u32, [u32; 2]) {
    let file = fs::read(path).unwrap();
    let word = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
    let chunk = file.windows(4).position(|w| w == b"acTL").unwrap();
    (word(chunk + 4), [word(16), word(20)])
}

#[test]
fn pictures_become_a_film() {
    let folder = run("film");
    ends(&percale(&["movie", "run", "--out", "all.apng"], &folder), 0, &["4 pictures in all.apng"]);
    assert_eq!(animated(&folder.join("all.apng")), (4, [64, 48]));
    ends(&percale(&["movie", "run", "--frames", "11-14x2", "--scale", "0.5", "--out", "some.png"], &folder), 0, &[]);
    assert_eq!(animated(&folder.join("some.png")), (2, [32, 24]));
    let endings = [".png, .apng, .webp, .gif, .mp4 and .mov are written"];
    ends(&percale(&["movie", "run", "--out", "film.avi"], &folder), 2, &endings);
    ends(&percale(&["movie", "run", "--out", "film.gif", "--scale", "0.5"], &folder), 0, &["4 pictures in film.gif"]);
    let gif = fs::read(folder.join("film.gif")).unwrap();
    assert_eq!((&gif[..6], &gif[6..10]), (&b"GIF89a"[..], &[32, 0, 24, 0][..]));
    // A block of each picture has its time in hundredths of a second.
    let controls = gif.windows(3).filter(|w| *w == [0x21, 0xf9, 4]).count();
    assert_eq!(controls, 4);
    ends(&percale(&["movie", "run", "--out", "film.webp", "--frames", "11-13"], &folder), 0, &["3 pictures"]);
    let webp = fs::read(folder.join("film.webp")).unwrap();
    let length = u32::from_le_bytes(webp[4..8].try_into().unwrap()) as usize;
    assert!(webp.starts_with(b"RIFF") && &webp[8..16] == b"WEBPVP8X" && length + 8 == webp.len());
    assert_eq!((webp.windows(4).filter(|w| w == b"ANMF").count(), &webp[24..30]), (3, &[63, 0, 0, 47, 0, 0][..]));
    ends(&percale(&["movie", "run", "--frames", "20"], &folder), 2, &["no pictures of these frames"]);
    ends(&percale(&["movie", "nowhere"], &folder), 2, &["nowhere"]);
    let mut alone = Command::new(env!("CARGO_BIN_EXE_percale"));
    let bare = alone.args(["movie", "run", "--out", "film.mp4"]).current_dir(&folder).env("PATH", "").output().unwrap();
    ends(&bare, 2, &["needs ffmpeg"]);
    if Command::new("ffmpeg").arg("-version").output().is_ok() {
        ends(&percale(&["movie", "run"], &folder), 0, &["movie.mp4"]);
        assert!(fs::metadata(folder.join("run/movie.mp4")).unwrap().len() > 500);
    }
    assert!(!folder.join("film.mp4").exists());
    // A new run deletes the old films.
    ends(&percale(&["movie", "run", "--out", "run/movie.png"], &folder), 0, &[]);
    ends(&percale(&["run", "scene.toml", "--out", "run", "--force", "--progress", "none"], &folder), 0, &[]);
    assert!(!folder.join("run/movie.png").exists());
    for ending in ["gif", "webp"] {
        let name = format!("run/movie.{ending}");
        ends(&percale(&["movie", "run", "--out", &name], &folder), 0, &[]);
        ends(&percale(&["run", "scene.toml", "--out", "run", "--progress", "none"], &folder), 0, &[]);
        assert!(!folder.join(name).exists());
    }
}

#[test]
fn a_turntable_goes_around() {
    let folder = run("turn");
    ends(&percale(&["render", "run", "--turntable", "5"], &folder), 0, &["5 pictures in run/turntable.png"]);
    assert_eq!(animated(&folder.join("run/turntable.png")), (5, [64, 48]));
}

#[test]
fn blur_smears_what_moves() {
    let folder = run("blur");
    let picture = |name: &str| fs::read(folder.join(format!("run/preview/frame.{name}.png"))).unwrap();
    let sharp = picture("0012");
    ends(&percale(&["render", "run", "--frames", "12", "--blur", "0"], &folder), 0, &[]);
    assert_eq!(picture("0012"), sharp, "a shutter that does not open");
    ends(&percale(&["render", "run", "--frames", "11-14", "--blur", "1"], &folder), 0, &["4 pictures"]);
    assert_ne!(picture("0012"), sharp);
    ends(&percale(&["render", "run", "--blur", "2"], &folder), 2, &["from 0 to 1"]);
}

#[test]
fn a_range_of_frames_begins_with_the_first() {
    let folder = run("range");
    ends(&percale(&["run", "scene.toml", "--out", "b", "--frames", "11-12", "--progress", "none"], &folder), 0, &[]);
    let meshes = fs::read_dir(folder.join("b/meshes/sheet")).unwrap().count();
    assert_eq!(meshes, 2);
    let wrong = percale(&["run", "scene.toml", "--out", "c", "--frames", "12-13"], &folder);
    ends(&wrong, 2, &["a run begins at its first frame, 11; give 11-13 for all up to there, 11-12 for as many"]);
}
