//! Small scenes that together cover every feature a step can depend on.

/// Returns name and text of each scene. `MESHES` stands for the folder of meshes, `HERE` for a folder with
/// `wave.0001.obj` to `wave.0004.obj` and `mouse.csv`.
pub fn all() -> Vec<(&'static str, String)> {
    let drape = |more: &str| format!("{}{DRAPE}{more}", time(""));
    let pinch = |contact: &str| format!("{}[contact]\n{contact}\n{PINCH}", time(""));
    let crossing = |start: &str| format!("{}[contact]\nstart = \"{start}\"\n{CROSSING}", time(""));
    let layer = |solver: &str| format!("{}{LAYER}solver = \"{solver}\"\n", time(""));
    vec![
        ("drape", drape("")),
        ("drape, probes", drape(PROBES)),
        ("drape, f64", drape("[solver]\nprecision = \"f64\"\ntolerance = 1e-6\n")),
        (
            "drape, backward Euler, even steps",
            format!("{}{DRAPE}", time("integrator = \"backward-euler\"\nadaptive = false\n")),
        ),
        ("measured friction on a body", format!("{}{RUBBING}", time(""))),
        ("body, cover, glue, air, vents, inertia", format!("{}{PADDED}", time(""))),
        ("layer", layer("symmetric")),
        ("layer, seed", layer("seed")),
        ("layer, seed verbatim", layer("seed_verbatim")),
        ("balloons", format!("{}{BALLOONS}", time(""))),
        ("pinch, yield", pinch("")),
        ("pinch, lag", pinch("pinch = \"lag\"")),
        ("pinch, release", pinch("pinch = \"release\"\nrelease = \"left\"")),
        ("pinch, balls that cross", format!("{}{PINCH}{CROSSED}", time(""))),
        ("blade", format!("{}{BLADE}", time("accuracy = 1\n"))),
        ("start ignored", crossing("ignore")),
        ("start untangled", crossing("untangle")),
        ("obstacles that come and go", format!("{}{VISITED}", time(""))),
        ("recorded motion", format!("{}{RECORDED}", time(""))),
        ("springs, beams, air, glue", format!("{}{SPRINGS}", time(""))),
        ("internal friction", format!("{}{INNER}", time(""))),
        ("water, bridges that form and break", format!("{}{WET}", time(""))),
        ("flowing air, both ways, around a ball that moves", format!("{}{BLOWN}", time(""))),
        ("pointers", format!("{}{POINTED}", time(""))),
        ("maps and keys", format!("{}{DRAPE}{SCALED}", time(""))),
    ]
}

fn time(more: &str) -> String {
    format!("[time]\nfps = 25\nstep = \"4 ms\"\n{more}")
}

/// Sheet in air that a recording and a steady inlet blow in, and that flows around a moving ball that vanishes.
const BLOWN: &str = r##"
[airflow]
box = { min = [-0.4, -0.3, -0.3], max = [0.4, 0.3, 0.3] }
cells = [16, 12, 10]
coupling = "two-way"
faces = { right = "open", bottom = "no-slip" }
[[airflow.inlet]]
face = "left"
wav = "MESHES/../scenes/recordings/gust.wav"
gain = "8 m/s"
[[airflow.inlet]]
face = "back"
box = { min = [-0.1, -0.1, -1], max = [0.1, 0.1, 1] }
speed = "2 m/s"
from = "0.06 s"
[[obstacle]]
name = "ball"
sphere = { center = [-0.066, 0.01, 0.05], radius = 0.06 }
until = "0.14 s"
keyframes = [{ time = 0 }, { time = 0.1, translate = [0.03, 0.02, 0] }]
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.3, rotate = { axis = [0, 0, 1], angle = "70 deg" } }
[[cloth.pin]]
box = { min = [-1, 0.13, -1], max = [1, 1, 1] }
"##;

/// Keys of sheets on a ball, with jumps at the end of a frame and within steps, and a third sheet with maps.
const SCALED: &str = r##"
[[cloth]]
name = "mapped"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.3, translate = [0.02, 0.12, 0] }
air_drag = 0.5
strain_limit = 0.1
[[cloth.group]]
name = "half"
box = { min = [-1, -1, -1], max = [0, 1, 1] }
[[cloth.map]]
of = "friction"
group = "half"
factor = 0.2
[[cloth.map]]
of = "drag"
group = "half"
factor = 3
[[cloth.map]]
of = "damping"
group = "half"
factor = 0.1
[[cloth.map]]
of = "bending_damping"
group = "half"
factor = 0.1
[[cloth.map]]
of = "strain_limit"
group = "half"
factor = 0.3
[[key]]
of = "stretch"
objects = ["lower"]
times = [0, 0.08, 0.08]
factors = [1, 1, 2]
[[key]]
of = "bend"
times = [0.05, 0.05, 0.2]
factors = [1, 4, 0.5]
[[key]]
of = "friction"
times = [0.122, 0.122]
factors = [1, 0]
[[key]]
of = "drag"
objects = ["lower", "mapped"]
times = [0, 0.2]
factors = [1, 5]
"##;

/// Two sheets on a turning ball, with wind, pins and handles that engage and release, strain limits, weights.
const DRAPE: &str = r##"
[wind]
velocity = [0.5, 0, 0]
gust = 0.8
gust_period = 0.1
[[cloth]]
name = "lower"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.4, translate = [0.02, 0.103, 0] }
air_drag = 0.5
strain_limit = 0.05
[[cloth.pin]]
name = "lift"
box = { min = [0.2, 0, 0.15], max = [0.3, 1, 1] }
until = "0.08 s"
keyframes = [{ time = 0 }, { time = 0.1, translate = [0.01, 0.02, 0] }]
[[cloth.handle]]
name = "draw"
box = { min = [-1, 0, -1], max = [-0.15, 1, -0.15] }
from = "0.04 s"
stiffness = "5 N/m"
max_force = 0.01
keyframes = [{ time = 0 }, { time = 0.2, translate = [0, 0.05, 0] }]
[[cloth]]
name = "upper"
mesh = "MESHES/sheet_1m_25.ply"
material = "denim"
transform = { scale = 0.4, translate = [0, 0.109, 0], rotate = { axis = [0, 1, 0], angle = "20 deg" } }
[[cloth.handle]]
nearest = [0, 0.109, 0]
force = [0, -0.02, 0.03]
until = "0.15 s"
[[obstacle]]
name = "ball"
mesh = "MESHES/ball.ply"
friction = 0.4
rotation = { axis = [0, 1, 0.2], speed = "200 deg/s", from = 0.05 }
"##;

/// Soaked sheet that a pin folds on a block and on an absorbent sheet, and draws up again, with wicking and drying.
const WET: &str = r##"
[[cloth]]
name = "towel"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.3, translate = [0.02, 0.1045, 0] }
[[cloth.pin]]
box = { min = [0.13, 0, -1], max = [0.3, 1, 1] }
keyframes = [{ time = 0 }, { time = 0.08, translate = [-0.1, 0.02, 0] }, { time = 0.2, translate = [-0.05, 0.1, 0] }]
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
material = "denim"
transform = { scale = 0.3, translate = [0, 0.1012, 0], rotate = { axis = [0, 1, 0], angle = "20 deg" } }
[[wet]]
cloth = "towel"
soaked = true
wicking = 1e-5
drying = 1e-3
[[wet]]
cloth = "sheet"
time_scale = 600
wicking = 1e-6
[[wet.source]]
object = "towel"
from = 0.04
[[wet.source]]
box = { min = [-1, 0, -1], max = [0, 1, 0] }
velocity = [0, -0.5, 0]
until = "0.1 s"
[wet_contact]
viscosity = 2e-4
[[obstacle]]
name = "block"
box = { center = [0, 0.05, 0], size = [0.2, 0.1, 0.2] }
friction = 0.4
"##;

/// Lattice of beams that falls onto a pinned and pulled lattice of springs with limits on both sides. A cover of beams
/// below is glued to a body, with air between.
const SPRINGS: &str = r##"
[wind]
velocity = [0.5, 0, 0.2]
[[body]]
name = "filling"
mesh = "MESHES/block.ply"
material = "cotton-stuffing"
resolution = "5 cm"
transform = { translate = [0, 0.065, 0] }
[[cloth]]
name = "cover"
mesh = "MESHES/block.ply"
offset = "5 mm"
subdivide = 1
model = "choi-ko"
springs = { from_material = true }
transform = { translate = [0, 0.065, 0] }
[[cloth]]
name = "net"
mesh = "MESHES/sheet_1m_25.ply"
model = "springs"
vertex_mass = "0.1 g"
springs = { structural = 30, shear = 15, flexion = 2, damping = 0.002, stretch_limit = 0.05, squeeze_limit = 0.1 }
transform = { scale = 0.4, translate = [0.02, 0.145, 0] }
air_drag = 0.5
[[cloth.pin]]
box = { min = [0.15, 0, 0.15], max = [0.3, 1, 1] }
until = "0.08 s"
keyframes = [{ time = 0 }, { time = 0.1, translate = [0.03, 0.02, 0] }]
[[cloth.handle]]
box = { min = [-1, 0, -1], max = [-0.15, 1, -0.15] }
from = "0.04 s"
stiffness = "5 N/m"
keyframes = [{ time = 0 }, { time = 0.2, translate = [0, 0.05, 0] }]
[[cloth]]
name = "woven"
mesh = "MESHES/sheet_1m_25.ply"
model = "choi-ko"
springs = { ks = 40, kb = 2e-8, kd = 0.002 }
transform = { scale = 0.4, translate = [0, 0.151, 0], rotate = { axis = [0, 1, 0], angle = "20 deg" } }
[[glue]]
cloth = "cover"
body = "filling"
box = { min = [-1, 0, -1], max = [-0.12, 1, 1] }
[[air_layer]]
cloth = "cover"
body = "filling"
permeability = "poplin"
"##;

/// Two sheets with internal friction of stretch, shear and bending fall onto a ball. One of them was rolled before.
const INNER: &str = r##"
[[material]]
name = "rubbing"
base = "measured-cotton"
internal_friction = { stretch = { a = 2, b = 3, tau = 0.006 }, shear = { a = 1, tau = 0.01 }, bend = { a = 1e-4, tau = 8 } }
[[cloth]]
name = "upper"
mesh = "MESHES/sheet_1m_25.ply"
material = "rubbing"
friction_start = "saturated"
transform = { scale = 0.4, translate = [0.02, 0.106, 0] }
[[cloth]]
name = "strip"
mesh = "MESHES/strip_23mm.ply"
material = "measured-felt"
thickness = "0.2 mm"
rest = "chart"
rest_angles = "flat"
friction_start = "virgin"
transform = { translate = [0, 0.2, 0] }
[[obstacle]]
name = "ball"
mesh = "MESHES/ball.ply"
friction = 0.4
rotation = { axis = [0, 1, 0.2], speed = "200 deg/s", from = 0.05 }
[contact]
distance = "0.2 mm"
"##;

/// Two pointers that pull at a sheet on a ball, release it, pick other vertices, and miss it.
const POINTED: &str = r##"
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.4, translate = [0, 0.103, 0] }
[[cloth.pick]]
path = "HERE/mouse.csv"
force = "20 mN"
[[cloth.pick]]
path = "HERE/mouse.csv"
force = "30 mN"
direction = "motion"
[[obstacle]]
name = "ball"
mesh = "MESHES/ball.ply"
friction = 0.4
[preview]
camera = { position = [0.3, 0.6, 0.5], target = [0, 0.1, 0], fov = "36 deg" }
"##;

/// Motion of the pointers.
pub const MOUSE: &str = "t,px,py,button\n0,0.5,0.5,1\n0.05,0.6,0.55,1\n0.09,0.6,0.4,0\n0.1,0.45,0.5,1\n0.14,0.4,0.4,1\n\
    0.15,0,0,0\n0.16,0,0,1\n0.17,0.5,0.5,0\n";

/// Probes whose work accumulates over steps.
const PROBES: &str = r##"
[[probe]]
name = "lift"
work = { pin = "lift" }
[[probe]]
name = "draw"
work = { handle = "draw" }
[[probe]]
name = "ball"
work = { obstacle = "ball" }
[[probe]]
name = "all"
every = "step"
force = { everything = true }
"##;

const RUBBING: &str = r##"
[[body]]
name = "pad"
box = { center = [0, 0, 0], size = [0.6, 0.15, 0.6] }
material = "sponge"
resolution = "7 cm"
transform = { rotate = { axis = [1, 0, 0], angle = "30 deg" } }
[[body.pin]]
sphere = { center = [0, -86.66, -50.03], radius = 100 }
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
material = "white-dots-on-blk"
transform = { scale = 0.4, rotate = [{ axis = [0, 1, 0], angle = "-45 deg" }, { axis = [1, 0, 0], angle = "30 deg" }], translate = [0, 0.068, 0.0392] }
[[friction]]
between = ["sheet", "pad"]
pair = "white-dots-on-blk-on-sponge"
law = "associated"
"##;

const PADDED: &str = r##"
[[body]]
name = "filling"
mesh = "MESHES/block.ply"
material = "cotton-stuffing"
resolution = "5 cm"
transform = { translate = [0, 0.065, 0] }
[[cloth]]
name = "cover"
mesh = "MESHES/block.ply"
offset = "5 mm"
subdivide = 1
material = "cotton"
transform = { translate = [0, 0.065, 0] }
[[glue]]
cloth = "cover"
body = "filling"
box = { min = [-1, 0, -1], max = [-0.12, 1, 1] }
[[air_layer]]
cloth = "cover"
body = "filling"
permeability = [{ speed = "0.1 m/s", pressure = "100 Pa" }, { speed = "0.3 m/s", pressure = "600 Pa" }]
blockage = "50 Pa"
[[air_layer.vent]]
box = { min = [0.12, 0, -1], max = [1, 1, 1] }
pressure = "40 Pa"
period = "0.12 s"
[[obstacle]]
name = "floor"
plane = { size = 2 }
friction = 0.5
[[obstacle]]
name = "press"
box = { center = [0, 0.2, 0], size = [0.2, 0.1, 0.1] }
keyframes = [{ time = 0 }, { time = 0.2, translate = [0, -0.05, 0] }, { time = 0.3, translate = [0, 0, 0] }]
"##;

const LAYER: &str = r##"
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { translate = [0, 0.01, 0] }
[[obstacle]]
name = "floor"
plane = { size = 4 }
[[air_layer]]
cloth = "sheet"
body = "floor"
permeability = "20 mm/s"
"##;

const BALLOONS: &str = r##"
[[cloth]]
name = "filled"
mesh = "MESHES/pillow.ply"
material = "polyester"
transform = { scale = 0.5, rotate = { axis = [1, 0, 0], angle = "10 deg" }, translate = [0, 0.06, 0] }
[[cloth]]
name = "held"
mesh = "MESHES/block.ply"
material = "polyester"
transform = { translate = [0.5, 0.06, 0] }
[[balloon]]
cloth = "filled"
volume = 1.6
duration = "0.08 s"
[[balloon]]
cloth = "held"
pressure = "200 Pa"
duration = "0.1 s"
permeability = "10 mm/s"
[[obstacle]]
name = "floor"
plane = { size = 4 }
friction = 0.5
"##;

const PINCH: &str = r##"
[[cloth]]
name = "cloth"
mesh = "MESHES/sheet_1m_25.ply"
material = "cotton"
transform = { scale = 0.5, rotate = { axis = [1, 0, 0], angle = "90 deg" }, translate = [0, 0.5, 0] }
[[cloth.pin]]
box = { min = [-1, 0.7499, -1], max = [1, 0.7501, 1] }
[[obstacle]]
name = "left"
sphere = { center = [0.003, 0.45, -0.11], radius = 0.1 }
keyframes = [{ time = 0 }, { time = 0.08, translate = [0, 0, 0.0125] }, { time = 0.16, translate = [0, 0, 0.0125] }, { time = 0.24 }]
[[obstacle]]
name = "right"
sphere = { center = [0.003, 0.45, 0.11], radius = 0.1 }
keyframes = [{ time = 0 }, { time = 0.08, translate = [0, 0, -0.0125] }, { time = 0.16, translate = [0, 0, -0.0125] }, { time = 0.24 }]
"##;

/// Balls of the pinch that cloth passes through between them, and a part of it without contact with itself.
const CROSSED: &str = r##"
[[ignore]]
between = ["left", "right"]
[[ignore]]
between = ["cloth"]
"##;

/// Blade fast enough that steps need corrections.
const BLADE: &str = r##"
[[cloth]]
name = "front"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.5, rotate = { axis = [1, 0, 0], angle = "90 deg" }, translate = [0, 0.5, 0] }
[[cloth.pin]]
box = { min = [-1, 0.7499, -1], max = [1, 0.7501, 1] }
[[cloth]]
name = "back"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.5, rotate = { axis = [1, 0, 0], angle = "90 deg" }, translate = [0, 0.5, -0.004] }
[[cloth.pin]]
box = { min = [-1, 0.7499, -1], max = [1, 0.7501, 1] }
[[obstacle]]
name = "blade"
box = { center = [0, 0.45, 0.12], size = [0.2, 0.001, 0.2] }
keyframes = [{ time = 0.02 }, { time = 0.05, translate = [0, 0, -0.5] }, { time = 0.15 }]
"##;

const CROSSING: &str = r##"
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { translate = [0, 0.495, 0] }
[[obstacle]]
name = "ball"
sphere = { center = [0, 0.25, 0], radius = 0.25 }
resolution = 0.08
keyframes = [{ time = 0.05 }, { time = 0.25, translate = [0, -0.3, 0] }]
"##;

const RECORDED: &str = r##"
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.4, translate = [0, 0.005, 0] }
[[obstacle]]
name = "wave"
sequence = { files = "HERE/wave.####.obj", first = 1, last = 4, fps = 10 }
friction = 0.5
"##;

/// A plate below a sheet vanishes. The sheet falls on another plate, which appears within its thickness, and vanishes
/// too.
const VISITED: &str = r##"
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
thickness = "2 mm"
transform = { scale = 0.4, translate = [0, 0.102, 0] }
[[obstacle]]
name = "first"
plane = { point = [0, 0.1, 0], size = 0.5 }
resolution = 0.1
friction = 0.4
until = "0.06 s"
[[obstacle]]
name = "second"
plane = { point = [0, 0.0924, 0], size = 0.3 }
resolution = 0.1
rotation = { axis = [0, 1, 0], speed = "200 deg/s" }
from = "0.1 s"
until = "0.17 s"
"##;

/// Returns a mesh of the recorded motion: a square that bulges up and down.
pub fn wave(frame: u32) -> String {
    let n = 8;
    let height = [0.0, 0.04, 0.01, 0.03][frame as usize - 1];
    let at = |k: u32| 0.6 * f64::from(k) / f64::from(n) - 0.3;
    let mut text = String::new();
    for (i, j) in (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))) {
        let (x, z) = (at(i), at(j));
        text += &format!("v {x} {} {z}\n", height * (1.0 - (x * x + z * z) / 0.18));
    }
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let a = i * (n + 1) + j + 1;
        let b = a + n + 1;
        text += &format!("f {a} {} {b}\nf {} {} {b}\n", a + 1, a + 1, b + 1);
    }
    text
}
