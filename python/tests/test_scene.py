"""Scenes from dicts and arrays against the same scenes in files."""

import struct
import unittest

import numpy
import percale

from test_percale import COMMAND, HOUSE, QUIET, Case, read, rows

SHEET = HOUSE / "meshes/sheet_1m_25.ply"


def ply(points, faces, channels=(), kind="double"):
    """A PLY file of `kind` coordinates."""
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(points)}"]
    lines += [f"property {kind} {name}" for name in ["x", "y", "z", *(name for name, _ in channels)]]
    lines += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header\n"]
    columns = numpy.column_stack([points, *(values for _, values in channels)])
    body = columns.astype("<f8" if kind == "double" else "<f4").tobytes()
    body += b"".join(struct.pack(f"<B{len(face)}i", len(face), *face) for face in faces)
    return "\n".join(lines).encode() + body


def pc2(frames):
    head = b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(frames[0]), 0.0, 1.0, len(frames))
    return head + numpy.asarray(frames, "<f4").tobytes()


def sheet(n=12, size=1.0):
    """Points, triangles, and quads of a square sheet that lies."""
    line = numpy.linspace(-size / 2, size / 2, n)
    x, z = numpy.meshgrid(line, line, indexing="ij")
    points = numpy.stack([x, 0.05 * numpy.sin(3 * x) + 0 * z, z], axis=-1).reshape(-1, 3)
    number = numpy.arange(n * n).reshape(n, n)
    quads = numpy.stack([number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]], axis=-1).reshape(-1, 4)
    triangles = quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3)
    return points, triangles, quads


def frames(scene, count):
    """Bits of positions and velocities of all objects, frame by frame."""
    simulation = percale.Simulation(scene)
    all_of = lambda: [simulation.positions(name).tobytes() + simulation.velocities(name).tobytes() for name in simulation.objects]
    made = [all_of()]
    while len(made) < count:
        simulation.step()
        made.append(all_of())
    return made


class Dicts(Case):
    def same(self, values, text, count, files):
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
        file = self.file("scene.toml", text)
        self.assertEqual(frames(percale.from_dict(values), count), frames(file, count))

    def test_a_sheet_of_arrays_falls_as_the_program_has_it(self):
        vertices, triangles = read(SHEET)
        drop = {"translate": [0, "60 cm", 0]}
        ball = {"name": "ball", "sphere": {"center": [0, 0.3, 0], "radius": 0.2}}
        pin = [{"group": "corner", "until": 0.1}]
        group = [{"name": "corner", "vertices": [0, 24]}]
        cloth = {"name": "sheet", "mesh": {"points": rows(vertices, "xyz"), "triangles": triangles}}
        cloth |= {"transform": drop, "material": "silk", "pin": pin, "group": group}
        time = {"frames": numpy.int64(8), "fps": numpy.float32(30), "step": None}
        values = {"scene": {"name": "a"}, "time": time, "cloth": [cloth], "obstacle": (ball,)}
        text = f"""
            scene.name = "a"
            [time]
            frames = 8
            fps = 30
            [[cloth]]
            name = "sheet"
            mesh = "{SHEET.as_posix()}"
            material = "silk"
            transform.translate = [0, "60 cm", 0]
            group = [{{ name = "corner", vertices = [0, 24] }}]
            pin = [{{ group = "corner", until = 0.1 }}]
            [[obstacle]]
            name = "ball"
            sphere = {{ center = [0, 0.3, 0], radius = 0.2 }}
        """
        self.same(values, text, 8, {})
        done = self.run_command("run", self.folder / "scene.toml", "--out", "out", *QUIET, program=COMMAND)
        self.assertEqual(done.returncode, 0, done.stderr)
        simulation = percale.Simulation(percale.from_dict(values))
        for frame in range(1, 9):
            made, _ = read(self.folder / f"out/meshes/sheet/sheet.{frame:04}.ply")
            self.assertEqual(simulation.positions("sheet").tobytes(), rows(made, "xyz").tobytes(), frame)
            if not simulation.done:
                simulation.step()

    def test_double_coordinates_channels_quads_and_a_moving_obstacle(self):
        points, triangles, quads = sheet()
        stiff = numpy.linspace(0, 1, len(points)) ** 2
        ground, _, tiles = sheet(5, 3)
        ground = ground.astype(numpy.float32)
        moving = numpy.stack([ground + numpy.float32([0, -0.3 + 0.02 * k, 0]) for k in range(10)])
        mesh = {"points": points, "faces": quads.tolist(), "channels": {"stiff": stiff}}
        cloth = {"name": "sheet", "mesh": mesh, "map": [{"of": "bend", "channel": "stiff", "factor": 9.0}]}
        cloth["pin"] = [{"group": "stiff", "until": 0.05}]
        cache = {"mesh": {"points": ground, "faces": tiles}, "points": moving, "fps": 30}
        values = {"time": {"frames": 8}, "cloth": [cloth], "obstacle": [{"name": "ground", "cache": cache}]}
        text = """
            time.frames = 8
            [[cloth]]
            name = "sheet"
            mesh = "sheet.ply"
            map = [{ of = "bend", channel = "stiff", factor = 9.0 }]
            pin = [{ group = "stiff", until = 0.05 }]
            [[obstacle]]
            name = "ground"
            cache = { mesh = "ground.ply", points = "ground.pc2", fps = 30 }
        """
        files = {"sheet.ply": ply(points, quads, [("stiff", stiff)]), "ground.ply": ply(ground, tiles, kind="float")}
        self.same(values, text, 8, {**files, "ground.pc2": pc2(moving)})
        values["cloth"][0]["mesh"] = {"points": points, "triangles": triangles, "channels": {"stiff": stiff}}
        files["sheet.ply"] = ply(points, triangles, [("stiff", stiff)])
        self.same(values, text, 3, {**files, "ground.pc2": pc2(moving)})

    def test_a_body_of_tetrahedra(self):
        corners = numpy.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * 0.2 + [0.013, 0.5, 0]
        tets = [[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]]
        vtk = ["# vtk DataFile Version 3.0", "", "ASCII", "DATASET UNSTRUCTURED_GRID", f"POINTS {len(corners)} double"]
        vtk += [" ".join(map(repr, map(float, corner))) for corner in corners]
        vtk += [f"CELLS {len(tets)} {5 * len(tets)}", *(" ".join(map(str, [4, *tet])) for tet in tets)]
        vtk += [f"CELL_TYPES {len(tets)}", *["10"] * len(tets)]
        floor = {"name": "floor", "plane": {"point": [0, 0.45, 0]}}
        body = {"name": "cube", "mesh": {"points": corners, "tets": tets}, "material": "plastic-foam"}
        values = {"time": {"frames": 5}, "body": [body], "obstacle": [floor]}
        text = """
            time.frames = 5
            [[body]]
            name = "cube"
            mesh = "cube.vtk"
            material = "plastic-foam"
            [[obstacle]]
            name = "floor"
            plane = { point = [0, 0.45, 0] }
        """
        self.same(values, text, 5, {"cube.vtk": "\n".join(vtk).encode()})

    def test_a_chart_of_corners_and_one_of_vertices_are_the_same(self):
        points, triangles, _ = sheet(6)
        chart = points[:, [0, 2]] * 0.98
        cloth = lambda uv: {"name": "a", "mesh": {"points": points, "triangles": triangles, "uv": uv}, "rest": "chart"}
        scene = lambda uv: percale.from_dict({"cloth": [cloth(uv)]})
        made = [frames(scene(uv), 4) for uv in (chart, chart[triangles])]
        self.assertEqual(*made)
        plain = percale.from_dict({"cloth": [{"name": "a", "mesh": {"points": points, "triangles": triangles}}]})
        self.assertNotEqual(made[0], frames(plain, 4))

    def test_files_are_relative_to_the_folder(self):
        values = {"cloth": [{"name": "sheet", "mesh": "meshes/sheet_1m_25.ply"}]}
        scene = percale.from_dict(values, folder=HOUSE, set={"time.frames": 3})
        self.assertEqual((scene.last_frame, scene.name), (3, "scene"))
        self.assertEqual(repr(scene), "<percale.Scene 'scene'>")
        self.assertEqual(percale.Simulation(scene).positions("sheet").shape, (625, 3))

    def test_faults_say_the_key(self):
        points, triangles, _ = sheet(4)
        mesh = {"points": points, "triangles": triangles}
        values = {"time": {"fsp": 24}, "cloth": [{"name": "a", "mesh": mesh, "material": "cloud"}]}
        with self.assertRaises(percale.SceneError) as caught:
            percale.from_dict(values)
        found = [(fault.key, fault.file, fault.line, fault.column) for fault in caught.exception.faults]
        self.assertEqual(found, [("time.fsp", "", None, None), ("cloth[0].material", "", None, None)])
        self.assertTrue(str(caught.exception).startswith("time.fsp: unknown key"), caught.exception)
        # Faults of the mesh, and of keys that are found with it.
        twice = {"points": points, "triangles": numpy.concatenate([triangles, triangles[:1]])}
        scene = percale.from_dict({"cloth": [{"name": "a", "mesh": twice}]})
        with self.assertRaises(percale.SceneError) as caught:
            percale.Simulation(scene)
        self.assertEqual({fault.key for fault in caught.exception.faults}, {"cloth[0].mesh"})
        scene = percale.from_dict({"cloth": [{"name": "a", "mesh": mesh, "pin": [{"group": "hem"}]}]})
        with self.assertRaises(percale.SceneError) as caught:
            percale.Simulation(scene)
        (fault,) = caught.exception.faults
        self.assertEqual((fault.key, fault.line), ("cloth[0].pin[0].group", None))
        self.assertTrue(str(fault).startswith("cloth[0].pin[0].group: there is no group 'hem'"), fault)

    def test_arrays_are_checked(self):
        points, triangles, _ = sheet(4)
        for change, told in [
            ({"points": points[:, :2]}, r"cloth\[0\].mesh.points: the shape is \[16, 2\], expected \(n, 3\)"),
            ({"points": [["a", 0, 0]]}, r"cloth\[0\].mesh.points: no array of numbers"),
            ({"points": None}, r"cloth\[0\].mesh.points: missing"),
            ({"points": numpy.where(points > 0.3, numpy.nan, points)}, "vertex 3 has a coordinate that is not a finite number"),
            ({"triangles": triangles + 9}, "face 4: vertex 16 does not exist, the mesh has 16, counted from 0"),
            ({"triangles": triangles - 1}, "vertices are counted from 0; there is -1"),
            ({"triangles": triangles * 0.5}, "vertices are whole numbers, not float64"),
            ({"triangles": triangles.ravel()}, r"triangles: the shape is \(54,\), expected \(n, 3\)"),
            ({"triangles": None}, "give one of 'triangles', 'faces', 'tets', not none"),
            ({"uv": points[:5, :2]}, "the chart has 5 points, the mesh 16 vertices"),
            ({"groups": {"hem": [16]}}, "group 'hem': vertex 16 does not exist"),
            ({"groups": {"hem": [True, False]}}, r"groups.hem: the shape is \(2,\), expected \(16,\)"),
            ({"channels": {"stiff": [1.0]}}, "channel 'stiff' has 1 values, the mesh 16 vertices"),
            ({"normals": points}, r"unknown 'normals'; a mesh has points"),
        ]:
            mesh = {"points": points, "triangles": triangles, **change}
            with self.assertRaisesRegex(ValueError, told):
                percale.from_dict({"cloth": [{"name": "a", "mesh": mesh}]})
        mesh = {"points": points, "tets": [[0, 1, 5, 2]]}
        with self.assertRaisesRegex(percale.SceneError, r"cloth\[0\].mesh: .* is in memory what a .vtk file is; expected"):
            percale.from_dict({"cloth": [{"name": "a", "mesh": mesh}]})
        mesh = {"points": points, "triangles": triangles}
        with self.assertRaisesRegex(TypeError, r"time: a int; give a dict"):
            percale.from_dict({"time": 3})
        with self.assertRaisesRegex(TypeError, r"cloth\[0\].pin\[0\].from: .* is a complex"):
            percale.from_dict({"cloth": [{"name": "a", "mesh": mesh, "pin": [{"from": 1j}]}]})

    def test_text_is_whole_whatever_it_holds(self):
        points, triangles, _ = sheet(4)
        odd = 'a "b" \\ \n\t \x7f \u00e9'
        values = {"scene": {"name": odd}, "cloth": [{"name": "a", "mesh": {"points": points, "triangles": triangles}}]}
        with self.assertRaises(percale.SceneError) as caught:
            percale.from_dict(values)
        self.assertEqual([fault.key for fault in caught.exception.faults], ["scene.name"])


if __name__ == "__main__":
    unittest.main()
