//! Damaged or malicious USD and Alembic files. Every command ends with 0 or 2, in bounded time and memory, and names
//! the file.
//!
//! `PERCALE_HOSTILE=100000` sets the number of random files of the long test, `PERCALE_HOSTILE_SEED` the first seed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Time limit for a file: ten seconds of processor time, with a margin for other load on the machine.
const LONGEST: Duration = Duration::from_secs(60);

fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/archive").join(name)).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("hostile-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the exit code of `percale inspect` and its standard error.
fn inspect(file: &Path) -> (Option<i32>, String) {
    let start = Instant::now();
    let Output { status, stderr, .. } =
        Command::new(env!("CARGO_BIN_EXE_percale")).arg("inspect").arg(file).output().unwrap();
    let took = start.elapsed();
    assert!(took < LONGEST, "{}: {took:?}", file.display());
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

/// Asserts that the file is refused, with a message that has its name and `word`.
fn refused(file: &Path, word: &str) {
    let (code, told) = inspect(file);
    let name = file.file_name().unwrap().to_string_lossy();
    assert_eq!(code, Some(2), "{name}: {told}");
    assert!(told.contains(&*name) && told.contains(word), "{name}, not '{word}': {told}");
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, bytes).unwrap();
    file
}

/// Builder of an Ogawa file: groups and data, each at its offset.
struct Ogawa(Vec<u8>);

impl Ogawa {
    const DATA: u64 = 1 << 63;

    fn new() -> Ogawa {
        Ogawa([&b"Ogawa\xff\x00\x01"[..], &[0; 8]].concat())
    }

    fn group(&mut self, children: &[u64]) -> u64 {
        let at = self.0.len() as u64;
        self.0.extend((children.len() as u64).to_le_bytes());
        children.iter().for_each(|child| self.0.extend(child.to_le_bytes()));
        at
    }

    fn data(&mut self, bytes: &[u8]) -> u64 {
        let at = self.0.len() as u64;
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
        at | Self::DATA
    }

    /// Adds headers of objects with these names.
    fn names(&mut self, names: &[&str]) -> u64 {
        let mut bytes = Vec::new();
        for name in names {
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.push(0);
        }
        bytes.extend([0; 32]);
        self.data(&bytes)
    }

    /// Returns the bytes of the file with this top object.
    fn with_top(mut self, top: u64) -> Vec<u8> {
        let version = self.data(&[0; 4]);
        let clocks =
            self.data(&[[1, 0, 0, 0].as_slice(), &1.0f64.to_le_bytes(), &[1, 0, 0, 0], &0.0f64.to_le_bytes()].concat());
        let words = self.data(&[]);
        let root = self.group(&[version, version, top, words, clocks, words]);
        self.0[8..16].copy_from_slice(&root.to_le_bytes());
        self.0
    }
}

/// Each object has the object below it as both children. The number of paths is two to the power of the depth.
#[test]
fn objects_that_are_reached_twice_are_told() {
    let here = folder("twice");
    for depth in [3, 40] {
        let mut file = Ogawa::new();
        let mut below = file.group(&[]);
        for _ in 0..depth {
            let properties = file.group(&[]);
            let names = file.names(&["a", "b"]);
            below = file.group(&[properties, below, below, names]);
        }
        refused(&write(&here, &format!("twice{depth}.abc"), file.with_top(below)), "is damaged");
    }
}

/// Overlapping groups: together they have more children than the file has bytes for.
#[test]
fn groups_over_each_other_are_told() {
    let here = folder("over");
    let mut file = Ogawa::new();
    let count = 3000u64;
    // Each offset begins a group. The child before it is its count.
    let first = file.0.len() as u64;
    (0..2 * count).for_each(|_| file.0.extend(count.to_le_bytes()));
    let headers: Vec<u8> =
        (0..count).flat_map(|k| [&4u32.to_le_bytes()[..], format!("{k:04}").as_bytes(), &[0]].concat()).collect();
    let headers = file.data(&[headers, vec![0; 32]].concat());
    let properties = file.group(&[]);
    let children: Vec<u64> = (0..count).map(|k| first + 8 * k).collect();
    let top = file.group(&[&[properties][..], &children, &[headers]].concat());
    refused(&write(&here, "over.abc", file.with_top(top)), "is damaged");
}

/// A property declares more samples than it holds, or than its time sampling has.
#[test]
fn counts_of_samples_are_held_against_what_is_there() {
    let here = folder("counts");
    for (count, changes) in [(4_000_000_000u32, None), (400_000_000, Some([1u32, 1])), (9, Some([3, 2])), (9, None)] {
        let mut file = Ogawa::new();
        let sample = file.data(&[0; 40]);
        let shape = file.data(&[]);
        let samples = file.group(&[sample, shape, sample, shape]);
        let info: u32 = 2 | 2 << 2 | 10 << 4 | 3 << 12 | if changes.is_some() { 0x200 } else { 0 };
        let mut header = info.to_le_bytes().to_vec();
        header.extend(count.to_le_bytes());
        changes.into_iter().flatten().for_each(|k| header.extend(k.to_le_bytes()));
        header.extend(1u32.to_le_bytes());
        header.extend(b"P");
        let header = file.data(&header);
        let properties = file.group(&[samples, header]);
        let names = file.names(&[]);
        let top = file.group(&[properties, names]);
        refused(&write(&here, &format!("count{count}.abc"), file.with_top(top)), "samples");
    }
}

/// Prims that inherit crosswise, refer to the previous one twice, or contain each other.
#[test]
fn prims_that_multiply_are_told() {
    let here = folder("prims");
    let mesh = "def Mesh \"m0\" { int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0, 1, 2]\n point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)] }\n";
    let doubled = |count: usize| {
        let next = |k: usize| {
            format!(
                "def Xform \"m{k}\" {{\n def \"a\" (references = </m{}>) {{}}\n def \"b\" (references = </m{}>) {{}}\n}}\n",
                k - 1,
                k - 1
            )
        };
        format!("#usda 1.0\n{mesh}{}", (1..=count).map(next).collect::<String>())
    };
    let nested = |depth: usize| format!("#usda 1.0\n{}{mesh}{}", "def \"d\" {\n".repeat(depth), "}\n".repeat(depth));
    let crossed = "#usda 1.0\ndef \"w\" {\n def \"one\" { def \"Robot\" { def \"arm\" {} } }\n \
                   def \"two\" (inherits = </w/one>) { def \"Robot\" (inherits = </w/one/Robot>) { def \"arm\" (inherits = </w/one/Robot/arm>) {} } }\n}\n";
    for (name, text) in
        [("doubled30.usda", doubled(30)), ("nested20000.usda", nested(20_000)), ("nested300.usda", nested(300))]
    {
        refused(&write(&here, name, text), "");
    }
    let (code, told) = inspect(&write(&here, "crossed.usda", crossed));
    assert!(matches!(code, Some(0 | 2)), "{told}");
    assert_eq!(inspect(&write(&here, "doubled3.usda", doubled(3))).0, Some(0));
}

/// A package with a compressed layer, and a reference to a pipe without a writer.
#[test]
fn pipes_and_compressed_packages_are_told() {
    let here = folder("pipes");
    let mut package = zip::ZipWriter::new(fs::File::create(here.join("bomb.usdz")).unwrap());
    let small = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    package.start_file("a.usda", small).unwrap();
    package.write_all(b"#usda 1.0\n").unwrap();
    (0..200).for_each(|_| package.write_all(&vec![b'#'; 1 << 20]).unwrap());
    package.finish().unwrap();
    refused(&here.join("bomb.usdz"), "compressed");
    #[cfg(unix)]
    {
        let made = Command::new("mkfifo").arg(here.join("fifo.usda")).status();
        if made.is_ok_and(|status| status.success()) {
            refused(&write(&here, "scene.usda", "#usda 1.0\ndef \"a\" (references = @./fifo.usda@) {}\n"), "regular");
            refused(&here.join("fifo.usda"), "regular");
        }
    }
}

/// Random number generator (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }
}

/// Damages a file: flips bits, changes counts and offsets, cuts out, doubles or exchanges parts, or truncates it.
fn damaged(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.below(4) {
        let (length, at) = (bytes.len(), random.below(bytes.len()));
        match random.below(7) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => {
                let huge = [u64::MAX, 1 << 62, 1 << 40, 1 << 32, 0xffff_ffff, 0x7fff_ffff, 0][random.below(7)];
                let end = (at + [4, 8][random.below(2)]).min(length);
                let own = huge.to_le_bytes();
                bytes[at..end].iter_mut().zip(own).for_each(|(b, own)| *b = own);
            }
            2 => {
                // Copies a reference over another.
                let [from, to] = [at, random.below(length)].map(|at| at / 8 * 8);
                if from.max(to) + 8 <= length {
                    let word: [u8; 8] = std::array::from_fn(|k| bytes[from + k]);
                    bytes[to..to + 8].copy_from_slice(&word);
                }
            }
            3 => bytes.truncate(at.max(8)),
            4 => _ = bytes.drain(at..(at + random.below(64)).min(length)),
            5 => {
                let part = bytes[at..(at + random.below(256)).min(length)].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, part);
            }
            _ => {
                let to = random.below(length);
                bytes.swap(at, to);
            }
        }
        if bytes.len() < 16 {
            break;
        }
    }
    bytes
}

/// Damages `count` files, from a seed on, on all cores. Returns the numbers of files that were read and that were
/// refused.
fn storm(name: &str, count: u64, seed: u64) -> [u64; 2] {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        let parts = (0..threads).map(|part| {
            let seeds = seed + count * part / threads..seed + count * (part + 1) / threads;
            scope.spawn(move || gust(&folder(&format!("{name}-{part}")), seeds))
        });
        let parts = parts.collect::<Vec<_>>();
        parts.into_iter().map(|part| part.join().unwrap()).fold([0; 2], |[a, b], [c, d]| [a + c, b + d])
    })
}

/// Damages a file for each seed, in a folder of its own.
fn gust(here: &Path, seeds: std::ops::Range<u64>) -> [u64; 2] {
    let files = ["figure.usdc", "figure.usdz", "figure_baked.usda", "figure_blender.abc", "figure_blender.usdc"];
    let all = files.map(|name| (name, data(name)));
    let mut codes = [0; 2];
    for seed in seeds {
        let mut random = Random(seed);
        let (name, bytes) = &all[random.below(all.len())];
        let file = write(here, name, damaged(bytes, &mut random));
        let (code, told) = inspect(&file);
        match code {
            Some(0) => codes[0] += 1,
            Some(2) => codes[1] += 1,
            _ => panic!("seed {seed}: {name}: {code:?}: {told}; it stands in {}", file.display()),
        }
        assert!(code == Some(0) || told.contains(name), "seed {seed}: {told}");
    }
    codes
}

#[test]
fn damaged_archives_are_read_or_told() {
    let [read, told] = storm("few", 150, 0);
    assert!(read > 10 && told > 10, "{read} {told}");
}

#[test]
#[ignore = "long: a minute and more"]
fn a_storm_of_damaged_archives_is_read_or_told() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |n| n.parse().unwrap());
    let (count, seed) = (number("PERCALE_HOSTILE", 3000), number("PERCALE_HOSTILE_SEED", 1_000_000));
    let start = Instant::now();
    let [read, told] = storm("storm", count, seed);
    println!("{count} archives from seed {seed}: {read} read, {told} told, {:?}", start.elapsed());
}
