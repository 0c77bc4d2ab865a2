"""What the package gives against what the program writes. PERCALE names a program; else it is the command of the package."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy
import percale

HOUSE = Path(__file__).resolve().parents[2]
DRAPE = HOUSE / "scenes/drape.toml"
COMMAND = shutil.which("percale", path=os.path.dirname(sys.executable))
PROGRAM = os.environ.get("PERCALE") or COMMAND
QUIET = ["--no-preview", "--progress", "none"]
COARSE = {"cloth.sheet.mesh": "../meshes/sheet_1m_25.ply", "preview.enabled": False}
STUCK = f"""[scene]
name = "stuck"
gravity = [0, 0, 0]
[time]
fps = 30
frames = 20
[contact]
pinch = "halt"
[[cloth]]
name = "sheet"
mesh = "{(HOUSE / 'meshes/sheet_1m_25.ply').as_posix()}"
transform = {{ scale = 0.5 }}
[[obstacle]]
name = "below"
sphere = {{ center = [0.003, -0.15, 0], radius = 0.1 }}
keyframes = [{{ time = 0 }}, {{ time = 0.4, translate = [0, 0.0525, 0] }}]
[[obstacle]]
name = "above"
sphere = {{ center = [0.003, 0.15, 0], radius = 0.1 }}
keyframes = [{{ time = 0 }}, {{ time = 0.4, translate = [0, -0.0525, 0] }}]
[preview]
enabled = false
"""
FAULTY = """[scene]
name = "faulty"

[time]
fsp = 24

[[cloth]]
name = "sheet"
mesh = "nowhere.ply"
  material = "cloud"
"""


def read(path):
    """Columns of the vertices of a binary PLY file, and its triangles."""
    data = path.read_bytes()
    head, body = data.split(b"end_header\n", 1)
    columns, counts, element, index = [], {}, None, "<i4"
    for line in head.decode().splitlines():
        words = line.split()
        if words[0] == "element":
            element = words[1]
            counts[element] = int(words[2])
        elif words[0] == "property" and element == "vertex":
            assert words[1] == "float", line
            columns.append((words[2], "<f4"))
        elif words[:2] == ["property", "list"]:
            index = {"int": "<i4", "uint": "<u4", "ushort": "<u2"}[words[3]]
    vertices = numpy.frombuffer(body, columns, counts["vertex"])
    row = numpy.dtype([("count", "u1"), ("corners", index, 3)])
    faces = numpy.frombuffer(body, row, counts["face"], vertices.nbytes)
    return vertices, faces["corners"]


def rows(vertices, names):
    return numpy.stack([vertices[name] for name in names], axis=1)


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def run_command(self, *arguments, program=COMMAND):
        words = [program, *map(str, arguments)]
        return subprocess.run(words, cwd=self.folder, capture_output=True, text=True, timeout=300)


class Frames(Case):
    def compare(self, scene, frames, *more):
        out = self.folder / "run"
        changes = [word for change in more for word in ("--set", change)]
        done = self.run_command("run", scene, "--out", out, "--frames", frames, *QUIET, *changes, program=PROGRAM)
        self.assertEqual(done.returncode, 0, done.stderr)
        simulation = percale.Simulation(percale.load(scene, set=[f"time.frames={frames}", *more]))
        views = {name: (simulation.positions(name), simulation.velocities(name)) for name in simulation.objects}
        compared = 0
        for frame in range(1, frames + 1):
            if frame > 1:
                self.assertEqual(simulation.step(), frame)
            self.assertEqual(simulation.frame, frame)
            self.assertAlmostEqual(simulation.time, (frame - 1) / simulation.scene.fps)
            for name, (positions, velocities) in views.items():
                path = out / f"meshes/{name}/{name}.{frame:04}.ply"
                still = out / f"meshes/{name}/{name}.ply"
                vertices, triangles = read(path if path.exists() else still)
                self.assertEqual(positions.tobytes(), rows(vertices, "xyz").tobytes(), f"{name} at {frame}")
                self.assertEqual(velocities.tobytes(), rows(vertices, ["vx", "vy", "vz"]).tobytes(), f"{name} at {frame}")
                numpy.testing.assert_array_equal(simulation.triangles(name), triangles)
                compared += path.exists()
        self.assertTrue(simulation.done)
        self.assertGreaterEqual(compared, frames)
        return simulation

    def test_twenty_frames_of_cloth_are_those_of_the_program(self):
        simulation = self.compare(DRAPE, 20, "cloth.sheet.mesh=../meshes/sheet_1m_50.ply")
        self.assertEqual(simulation.objects, ["sheet", "ball", "floor"])
        self.assertEqual([simulation.kind(name) for name in simulation.objects], ["cloth", "obstacle", "obstacle"])
        # It lies on the ball: the frames are of contact as well.
        self.assertLess(simulation.positions("sheet")[:, 1].min(), 0.54)
        with self.assertRaisesRegex(ValueError, "frame 20 is the last of the scene; give it more by time.frames"):
            simulation.step()

    def test_frames_of_a_body_are_those_of_the_program(self):
        simulation = self.compare(HOUSE / "scenes/cushion.toml", 3)
        self.assertIn("body", [simulation.kind(name) for name in simulation.objects])

    def test_arrays_are_views_that_outlive_the_simulation(self):
        simulation = percale.Simulation(percale.load(DRAPE, set={**COARSE, "time.frames": 3}), threads=1)
        points, again = simulation.positions("sheet"), simulation.positions("sheet")
        self.assertIs(points, again)
        self.assertEqual((points.dtype, points.shape), (numpy.float32, (25 * 25, 3)))
        self.assertFalse(points.flags.owndata or points.flags.writeable)
        before = points.copy()
        simulation.step()
        self.assertTrue((points[:, 1] < before[:, 1]).all())
        last = points.copy()
        del simulation
        numpy.testing.assert_array_equal(points, last)
        with self.assertRaises(ValueError):
            points[0, 0] = 1

    def test_any_number_of_threads_gives_the_same_bits(self):
        made = [percale.Simulation(percale.load(DRAPE, set=COARSE), threads=n) for n in (1, 3)]
        for simulation in made:
            for _ in range(12):
                simulation.step()
        self.assertEqual(*[simulation.positions("sheet").tobytes() for simulation in made])
        with self.assertRaisesRegex(ValueError, "threads is 0; give 1 to 1024"):
            percale.Simulation(DRAPE, threads=0)

    def test_a_step_that_is_interrupted_goes_on_with_the_same_bits(self):
        scene = percale.load(DRAPE, set={**COARSE, "cloth.sheet.mesh": "../meshes/sheet_1m_50.ply", "time.fps": 2})
        simulation, other = percale.Simulation(scene), percale.Simulation(scene)
        timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            simulation.step()
        self.assertEqual(simulation.frame, 1)
        self.assertEqual((simulation.step(), other.step()), (2, 2))
        self.assertEqual(simulation.positions("sheet").tobytes(), other.positions("sheet").tobytes())

    def test_a_simulation_that_cannot_go_on_says_where(self):
        simulation = percale.Simulation(self.file("stuck.toml", STUCK))
        with self.assertRaisesRegex(percale.SimulationError, r"frame \d+ of 20, step \d+, t=0\.\d+ s: .*'sheet'"):
            while True:
                simulation.step()


class Scenes(Case):
    def test_faults_have_their_places(self):
        path = self.file("faulty.toml", FAULTY)
        with self.assertRaises(percale.SceneError) as caught:
            percale.load(path)
        faults = {fault.key: fault for fault in caught.exception.faults}
        self.assertEqual(sorted(faults), ["cloth[0].material", "cloth[0].mesh", "time.fsp"])
        for key, place in {"time.fsp": (5, 1), "cloth[0].mesh": (9, 8), "cloth[0].material": (10, 14)}.items():
            fault = faults[key]
            self.assertEqual((fault.file, fault.line, fault.column), (str(path), *place), fault)
        self.assertIn("did you mean 'fps'?", faults["time.fsp"].message)
        # They are those of the command, word for word.
        told = self.run_command("check", path)
        self.assertEqual(told.returncode, 2)
        lines = [str(fault) for fault in caught.exception.faults]
        self.assertEqual(told.stderr.splitlines(), [*lines, "3 faults"])
        self.assertEqual(str(caught.exception).splitlines(), lines)

    def test_faults_of_meshes_are_found_when_they_are_read(self):
        mesh = (HOUSE / "meshes/sheet_1m_25.ply").as_posix()
        path = self.file("a.toml", f'[[cloth]]\nname = "a"\nmesh = "{mesh}"\n[[cloth.pin]]\ngroup = "hem"\n')
        scene = percale.load(path)
        with self.assertRaises(percale.SceneError) as caught:
            percale.Simulation(scene)
        (fault,) = caught.exception.faults
        self.assertEqual((fault.file, fault.line, fault.column), (str(path), 5, 9))
        self.assertEqual((fault.key, "no group 'hem'" in fault.message), ("cloth[0].pin[0].group", True))
        self.file("bad.obj", "v 0 0 0\n")
        with self.assertRaises(percale.SceneError) as caught:
            percale.Simulation(self.file("b.toml", '[[cloth]]\nname = "b"\nmesh = "bad.obj"\n'))
        (fault,) = caught.exception.faults
        self.assertEqual((Path(fault.file).name, fault.line, fault.column), ("bad.obj", None, None))

    def test_overrides_are_those_of_set(self):
        scene = percale.load(DRAPE, set={"time.frames": 7, "scene.name": "other", "time.step": "2 ms"})
        self.assertEqual((scene.name, scene.last_frame, scene.first_frame), ("other", 7, 1))
        as_text = percale.load(str(DRAPE), set=["time.frames=7", "scene.name=other", "time.step=2 ms"])
        self.assertEqual(scene.text, as_text.text)
        self.assertIn('step = "2 ms"', scene.text)
        for place in ([0.0, "90 cm", 0], numpy.array([0, 0.9, 0])):
            moved = percale.load(DRAPE, set={**COARSE, "cloth.sheet.transform.translate": place})
            self.assertAlmostEqual(percale.Simulation(moved).positions("sheet")[:, 1].max(), 0.9, 6)
        with self.assertRaises(percale.SceneError) as caught:
            percale.load(DRAPE, set=["time.fsp=24", "time.frames=0"])
        found = [(fault.file, fault.line, fault.column, fault.key) for fault in caught.exception.faults]
        wanted = [("--set time.fsp", None, None, "time.fsp"), ("--set time.frames", None, None, "time.frames")]
        self.assertEqual(found, wanted)
        with self.assertRaisesRegex(percale.SceneError, "--set frames: expected table.key=value"):
            percale.load(DRAPE, set=["frames"])
        with self.assertRaises(TypeError):
            percale.load(DRAPE, set="time.frames=7")

    def test_names_that_are_not_there_are_told(self):
        simulation = percale.Simulation(percale.load(DRAPE, set=COARSE))
        with self.assertRaisesRegex(KeyError, "no object is named 'shet'; there are 'sheet', 'ball', 'floor'"):
            simulation.positions("shet")
        with self.assertRaisesRegex(percale.SceneError, "cannot read the scene"):
            percale.load(self.folder / "none.toml")


class Command(Case):
    def test_exit_codes_are_those_of_the_program(self):
        done = self.run_command("run", DRAPE, "--out", "a", "--frames", 2, *QUIET)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertTrue((self.folder / "a/meshes/sheet/sheet.0002.ply").is_file())
        failed = self.run_command("run", self.file("stuck.toml", STUCK), "--out", "b")
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertIn(" error failed: frame ", failed.stderr)
        refused = self.run_command("run", self.file("faulty.toml", FAULTY), "--out", "c")
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertEqual(self.run_command("rum").returncode, 2)
        version = self.run_command("--version")
        self.assertEqual((version.returncode, version.stdout), (0, f"percale {percale.__version__}\n"))
        module = subprocess.run([sys.executable, "-m", "percale", "rum"], capture_output=True, text=True)
        self.assertEqual((module.returncode, "Usage: percale" in module.stderr), (2, True))

    @unittest.skipIf(os.name == "nt", "Windows has no SIGINT for one process")
    def test_signals_are_the_programs(self):
        words = [COMMAND, "run", str(DRAPE), "--out", "a", *QUIET]
        child = subprocess.Popen(words, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        # It takes a signal once a frame is there.
        first, end = self.folder / "a/meshes/sheet/sheet.0002.ply", time.monotonic() + 60
        while not first.exists() and time.monotonic() < end:
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        told = child.communicate(timeout=60)[1]
        self.assertEqual(child.returncode, 75, told)
        self.assertIn("stopped: by a signal after frame", told)
        self.assertNotIn("Traceback", told)

    def test_a_sweep_calls_the_command_again(self):
        out = self.folder / "out"
        sweep = f"""
scene = "{DRAPE.as_posix()}"
[set]
preview.enabled = false
cloth.sheet.mesh = "../meshes/sheet_1m_25.ply"
[keys]
"time.frames" = [1, 2]
"""
        done = self.run_command("sweep", self.file("sweep.toml", sweep), "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(out.glob("*/run.json"))), 2)


if __name__ == "__main__":
    unittest.main()
