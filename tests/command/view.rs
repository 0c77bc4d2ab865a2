//! The report's film, and `percale view`: sizes, names, addresses, hosts.

use percale::linalg::Vec3;
use percale::sequence::{Folder, Snapshot, Status};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const SCENE: &str = r#"
[time]
frames = 3
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_FINE.ply"
transform = { translate = [0, 0.55, 0] }
[[obstacle]]
name = "ball"
sphere = { center = [0, 0.3, 0], radius = 0.2 }
[preview]
width = 960
height = 540
sheet = 0
"#;

/// Makes a run in a folder of this name, of a sheet of `fine` squared vertices.
fn run(name: &str, fine: &str, more: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("view-{fine}"));
    fs::create_dir_all(&folder).unwrap();
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    let scene = folder.join("scene.toml");
    fs::write(&scene, SCENE.replace("MESHES", meshes.to_str().unwrap()).replace("FINE", fine)).unwrap();
    let out = folder.join(name);
    let _ = fs::remove_dir_all(&out);
    let mut command = percale(&["run", scene.to_str().unwrap(), "--out", out.to_str().unwrap(), "--progress", "none"]);
    assert!(command.args(more).status().unwrap().success());
    out
}

fn percale(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.args(arguments).env_remove("PERCALE_THREADS").env_remove("PERCALE_OUT");
    command
}

/// A sheet that falls, meets a ball and folds, with the noise that solvers leave.
fn draped(v: usize, frame: u32, noise: &mut u64) -> Vec3 {
    let t = f64::from(frame) / 30.0;
    let [x, z] = [v % 100, v / 100].map(|i| i as f64 / 99.0 - 0.5);
    let (r, angle) = (x.hypot(z), z.atan2(x));
    let fallen = (1.6 * t).min(0.3);
    let hangs = (4.0 * (t - 0.19).max(0.0)).min(1.0) * (r - 0.2).max(0.0);
    let fold = 0.35 * hangs * (6.0 * angle + 2.0 * (3.0 * t).sin() * (-0.5 * t).exp()).cos();
    let mut random = || {
        *noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        20e-6 * ((*noise >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
    };
    let out = (1.0 - 0.8 * hangs / r.max(0.1)) * (1.0 + fold);
    Vec3::new(x * out + random(), 0.55 - fallen - 0.9 * hangs + random(), z * out + random())
}

#[test]
fn a_hundred_frames_of_ten_thousand_vertices_make_three_megabytes() {
    let out = run("drape", "100", &["--frames", "1", "--set", "output.fields=[\"strain\", \"speed\"]"]);
    let folder = Folder::new(&out);
    let mut record = folder.read_run().unwrap();
    let (shape, _) = folder.read_mesh(&record.objects[0], 1).unwrap().unwrap();
    let mut noise = 1;
    let mut last: Vec<Vec3> = Vec::new();
    for frame in 1..=100 {
        let positions: Vec<Vec3> = (0..10_000).map(|v| draped(v, frame, &mut noise)).collect();
        let velocities: Vec<Vec3> = positions.iter().zip(&last).map(|(a, b)| 30.0 * (a - b)).collect();
        let speeds = positions.iter().zip(&last).map(|(a, b)| 30.0 * (a - b).norm());
        let speeds: Vec<f64> = speeds.chain(std::iter::repeat(0.0)).take(10_000).collect();
        let strains = positions.iter().map(|p| (0.02 * p.y).abs()).collect();
        let fields = vec![("strain".to_string(), strains), ("speed".to_string(), speeds)];
        let velocities = if frame == 1 { vec![Vec3::zeros(); 10_000] } else { velocities };
        let at = Snapshot { positions: positions.clone(), velocities: Some(velocities), fields };
        folder.write_mesh(&record.objects[0], &shape, &at, frame).unwrap();
        if frame > 1 {
            fs::copy(folder.picture(1, "png"), folder.picture(frame, "png")).unwrap();
        }
        last = positions;
    }
    (record.frames, record.done, record.status) = (100, 100, Status::Finished);
    folder.write_run(&record).unwrap();
    assert!(percale(&["report", out.to_str().unwrap()]).status().unwrap().success());
    let page = fs::read_to_string(folder.report()).unwrap();
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    // All frames are there: the header's list, and six pictures.
    let list = page.split("\"frames\": [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    assert_eq!(list.split(',').count(), 100, "{list}");
    assert_eq!(page.matches("<figure data-frame").count(), 6);

    // A run of ten times as many frames has every n-th.
    for frame in 101..=1000 {
        let files = |frame: u32| folder.mesh("meshes/sheet/sheet.####.ply", frame);
        fs::hard_link(files((frame * 37) % 100 + 1), files(frame)).unwrap();
    }
    (record.frames, record.done) = (1000, 1000);
    folder.write_run(&record).unwrap();
    assert!(percale(&["report", out.to_str().unwrap()]).status().unwrap().success());
    let page = fs::read_to_string(folder.report()).unwrap();
    let list = page.split("\"frames\": [").nth(1).and_then(|rest| rest.split(']').next()).unwrap();
    assert!(page.len() < 3_000_000 && list.split(',').count() < 400, "{} bytes, {list}", page.len());
    assert!(list.starts_with('1') && list.ends_with(" 1000"), "{list}");
    fs::remove_dir_all(out).unwrap();
}

#[test]
fn names_and_texts_stay_text_in_a_report() {
    let name = "<script>alert(1)<img src=x onerror=alert(2)>";
    let out = run(name, "25", &[]);
    let folder = Folder::new(&out);
    let mut record = folder.read_run().unwrap();
    record.objects[1].name = "<!--<script>".to_string();
    record.warnings.push("</div><script>alert(3)</script>".to_string());
    folder.write_run(&record).unwrap();
    assert!(percale(&["report", out.to_str().unwrap()]).status().unwrap().success());
    let page = fs::read_to_string(folder.report()).unwrap();
    for harmful in ["<script>alert", "<img src=x", "<!--", "</div><script"] {
        assert!(!page.contains(harmful), "{harmful}");
    }
    assert!(page.contains("<title>&lt;script&gt;alert(1)&lt;img") && page.contains("\\u003cscript>alert(1)"));
    // The page may ask for nothing, and names nothing that is elsewhere but in texts of licences.
    assert!(page.contains("default-src 'none'") && !page.contains("connect-src"));
    for elsewhere in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    assert!(page.contains("3 of 3 frames: nothing crosses"));
    fs::remove_dir_all(out).unwrap();
}

#[test]
fn a_report_without_meshes_says_so() {
    let out = run("bare", "25", &["--frames", "2", "--set", "output.meshes=false"]);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("The run is not here in 3D: its meshes were not written") && !page.contains("id=\"viewer\""));
    let refused = percale(&["view", out.to_str().unwrap()]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("its meshes were not written"));
    fs::remove_dir_all(out).unwrap();
}

/// A running `percale view`.
struct Viewed {
    child: Child,
    port: u16,
}

impl Viewed {
    fn of(arguments: &[&str]) -> Viewed {
        let mut command = percale(&[&["view"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
        Viewed { child, port: port.unwrap_or_else(|| panic!("{line}")).parse().unwrap() }
    }

    /// Returns status, headers and body of an answer.
    fn asked(&self, request: &str, more: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "{request} HTTP/1.1\r\n{more}Connection: close\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase(), bytes.split_off(end + 4))
    }

    fn get(&self, path: &str) -> (u16, String, Vec<u8>) {
        self.asked(&format!("GET {path}"), &format!("Host: 127.0.0.1:{}\r\n", self.port))
    }
}

impl Drop for Viewed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Paths that lead to nothing of the run.
const ELSEWHERE: [&str; 13] = [
    "/../secret.ply",
    "/..%2fsecret.ply",
    "/%2e%2e/secret.ply",
    "//etc/hostname",
    "/run.json",
    "/runs/0/frame/../../../secret.ply",
    "/runs/0/frame/4",
    "/runs/0/frame/+2",
    "/runs/0/frame/99999999999999999999",
    "/runs/1/film",
    "/runs//film",
    "/meshes/sheet/sheet.0001.ply",
    "secret.ply",
];

#[test]
fn view_sends_frames_and_nothing_else() {
    let out = run("served", "25", &["--set", "output.fields=[\"strain\"]"]);
    let viewed = Viewed::of(&[out.to_str().unwrap()]);
    let (status, head, page) = viewed.get("/");
    let page = String::from_utf8_lossy(&page).into_owned();
    assert!(status == 200 && head.contains("cache-control: no-store") && head.contains("x-frame-options: deny"));
    assert!(page.contains("3 of 3 frames: nothing crosses") && page.contains("connect-src 'self'"));

    let folder = Folder::new(&out);
    let record = folder.read_run().unwrap();
    let (shape, at) = folder.read_mesh(&record.objects[0], 2).unwrap().unwrap();
    let (status, _, frame) = viewed.get("/runs/0/frame/2");
    let numbers: Vec<f32> = frame.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    assert_eq!((status, numbers.len()), (200, 7 + 4 * shape.vertices));
    let sent = numbers[7..].iter().take(3 * shape.vertices).map(|x| f64::from(*x));
    assert!(sent.eq(at.positions.iter().flatten().copied()));
    let strains = numbers[7 + 3 * shape.vertices..].iter().map(|x| f64::from(*x));
    assert!(strains.eq(at.field("strain").unwrap().iter().copied()));
    let (_, _, triangles) = viewed.get("/runs/0/triangles?again");
    let all: usize = record.objects.iter().map(|entry| entry.triangles).sum();
    assert_eq!(triangles.len(), 12 * all);

    fs::write(out.join("../secret.ply"), "secret").unwrap();
    for path in ELSEWHERE {
        let (status, _, body) = viewed.get(path);
        assert!([400, 404].contains(&status) && !body.starts_with(b"secret"), "{path}: {status}");
    }
    let own = format!("Host: 127.0.0.1:{}\r\n", viewed.port);
    for hosts in ["", "Host: example.org\r\n", &format!("Host: example.org:{}\r\n", viewed.port), "Host: 127.0.0.1\r\n"]
    {
        let (status, _, body) = viewed.asked("GET /runs/0/film", hosts);
        assert!(status == 403 && body.len() < 100, "{hosts}: {status}");
    }
    let (status, ..) = viewed.asked("GET /runs/0/film", &format!("{own}Origin: http://example.org\r\n"));
    assert_eq!(status, 403);
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        assert_eq!(viewed.asked(&format!("{method} /"), &format!("{own}Content-Length: 0\r\n")).0, 405, "{method}");
    }

    // A record that names files elsewhere leads nowhere.
    let mut record = record;
    record.objects[0].files = Some("../../view-25/secret.ply".to_string());
    folder.write_run(&record).unwrap();
    let (status, _, body) = viewed.get("/runs/0/frame/1");
    assert!(status == 500 && String::from_utf8_lossy(&body).contains("outside of the run folder"), "{status}");
    #[cfg(unix)]
    {
        record.objects[0].files = Some("meshes/away.ply".to_string());
        std::os::unix::fs::symlink("../../secret.ply", out.join("meshes/away.ply")).unwrap();
        folder.write_run(&record).unwrap();
        let (status, _, body) = viewed.get("/runs/0/frame/1");
        assert!(status == 500 && String::from_utf8_lossy(&body).contains("outside of the run folder"), "{status}");
    }
    drop(viewed);
    fs::remove_dir_all(out).unwrap();
}

#[test]
fn the_cases_of_a_sweep_are_side_by_side() {
    let runs = ["sweep/0001", "sweep/0002"].map(|name| run(name, "25", &["--frames", "2", "--no-preview"]));
    let sweep = runs[0].parent().unwrap();
    fs::write(sweep.join("cases.json"), r#"{"0001": ["a=1"], "0002": ["a=2"], "0003": ["a=3"], "..": ["a=4"]}"#)
        .unwrap();
    let viewed = Viewed::of(&[sweep.to_str().unwrap(), "--live"]);
    let page = String::from_utf8(viewed.get("/").2).unwrap();
    assert_eq!(page.matches("class=\"film\"").count(), 2);
    assert_eq!(page.matches("2 of 2 frames: nothing crosses").count(), 2);
    for (path, status) in [("/runs/1/film", 200), ("/runs/2/film", 404), ("/runs/1/frame/2", 200), ("/told", 200)] {
        assert_eq!(viewed.get(path).0, status, "{path}");
    }
    let film = String::from_utf8(viewed.get("/runs/1/film").2).unwrap();
    assert!(film.contains("\"title\": \"0002\"") && film.contains("\"live\": true"), "{film}");
    drop(viewed);
    fs::remove_dir_all(sweep).unwrap();
}
