"""How the add-on finds the program, tells faults and progress, and draws: python blender_faults.py PERCALE. Needs bpy."""

import os
import re
import subprocess
import sys
import time

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from blender_addon import ADDON, check, main, world_positions  # noqa: E402
from blender_tables import FIRST, box, fresh, grid, group, pair  # noqa: E402
from percale import faults, job, operators, panel, program, settings  # noqa: E402
from record import read_ply, read_run  # noqa: E402


def told(call, *wanted):
    """The shown faults of a call that is refused: text, objects, line of the text block; `wanted` are parts of their texts."""
    bpy.ops.object.select_all(action="SELECT")
    try:
        call()
    except RuntimeError as error:
        assert all(part in str(error) for part in wanted[:1]), error
        own = bpy.context.scene.percale
        out = [(f.text, [o.obj.name for o in f.objects], f.line) for f in own.faults if not f.warning]
        for part in wanted:
            assert any(part in text for text, _, _ in out), (part, out)
        return out
    raise AssertionError("not refused: %s" % (wanted,))


def by_objects(path, folder):
    """Faults of the scene, each at its object; in Blender's names and the panel's words."""
    own = fresh(path, folder, 2)
    good = grid("good", 1.0, 3, (0, 0, 2))
    good.percale.own = True
    first, table = grid("A cloth.001", 1.0, 3, (0, 0, 0.4)), box("big table", 0.5)
    second, third = grid("B/cloth", 1.0, 3, (0, 0, 0.6)), grid("C", 1.0, 3, (0, 0, 0.8))
    first.percale.material = "silc"
    second.percale.own, second.percale.material = True, "wol"
    third.percale.balloon = "VOLUME"
    pair(own, "FRICTION", good, table)
    pair(own, "FRICTION", first, table, static=0.1, dynamic=0.9)
    pair(own, "AIR", third, table, leak="12 kg")
    more = bpy.data.texts.new("more")
    more.write('\n\n[[tether]]\ncloth = "C"\nall = true\npoint = [0, 0, 1]\nstiffness = "3 kg"\n')
    own.text = "more"
    found = {text: (objects, line) for text, objects, line in told(bpy.ops.percale.check)}

    def of(part):
        return next(value for text, value in found.items() if part in text)

    assert of("material: no material is named 'silc'; did you mean 'silk'?") == (["A cloth.001"], 0), found
    assert of("Own numbers: base: no material is named 'wol'") == (["B/cloth"], 0), found
    assert of("Friction: dynamic") == (["A cloth.001", "big table"], 0), found
    assert of("Air layer: permeability") == (["C", "big table"], 0), found
    # Of the text block its own line is told.
    assert of("stiffness")[1] == 7, found
    assert len(found) == 5, found
    # The buttons select.
    assert bpy.ops.percale.show(name="B/cloth", placed=True, near=(1, 2, 3)) == {"FINISHED"}
    assert bpy.context.selected_objects == [second] and bpy.context.object == second
    assert tuple(bpy.context.scene.cursor.location) == (1, 2, 3)
    # Once put right, no fault stays.
    first.percale.material = second.percale.material = "silk"
    third.percale.balloon = "NONE"
    own.pairs.clear()
    own.text = ""
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.percale.check() == {"FINISHED"} and not [f for f in own.faults if not f.warning]


def crossing(path, folder):
    """A start that crosses: both objects, where, and the triangles as an object; untangled it goes."""
    own = fresh(path, folder, 2)
    own.id_data.unit_settings.scale_length = 0.5
    sheet = grid("sheet", 2.0, 12)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=8, radius=0.4, location=(0, 0, -0.396))
    ball = bpy.context.object
    ball.name = "ball"
    out = told(bpy.ops.percale.simulate, "cross", "set Crossing start to Untangle")
    assert len(out) == 1 and set(out[0][1]) == {"sheet", "ball"}, out
    fault = [f for f in own.faults if not f.warning][0]
    assert fault.placed and np.abs(np.array(fault.near)).max() < 0.3, tuple(fault.near)
    shown = bpy.data.objects["percale crossing"]
    x = np.array([v.co for v in shown.data.vertices])
    assert len(shown.data.polygons) > 3 and np.abs(x[:, :2]).max() < 0.7 and shown.percale.role == "IGNORE"
    own.start = "untangle"
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.percale.simulate() == {"FINISHED"}
    assert "percale crossing" not in bpy.data.objects and "percale" in sheet.modifiers


def far(path, folder):
    """Far away percale solves about a point near by: result and crossing are where they belong all the same."""
    own = fresh(path, folder, 3)
    sheet, table = grid("sheet", 1.0, 6, (1500, 0, 2)), box("table", 0.5, (1500, 0, 1.9))
    told(bpy.ops.percale.simulate, "cross")
    x = np.array([v.co for v in bpy.data.objects["percale crossing"].data.vertices])
    assert np.abs(x.mean(axis=0) - [1500, 0, 2]).max() < 0.3, x.mean(axis=0)
    table.location.z = 1.0
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.percale.simulate() == {"FINISHED"}
    record = read_run(os.path.join(folder, "run"))
    assert abs(record["origin"][0] - 1500) < 10
    bpy.context.scene.frame_set(own.id_data.frame_end)
    x, _ = read_ply(os.path.join(folder, "run", "meshes", "sheet", "sheet.%04d.ply" % own.id_data.frame_end))
    # Single precision has steps of 0.12 mm there.
    check("far away: Blender and percale [m]", np.abs(world_positions(sheet) - x[:, :3] - record["origin"]).max(), 1.3e-4)


def mirrored(path, folder):
    """Of an object that is mirrored the faces go around as Blender shows them, and the chart with them."""
    own = fresh(path, folder, 1)
    sheet = grid("sheet", 1.0, 2, (0, 0, 1))
    sheet.scale.x = -1
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.percale.check() == {"FINISHED"}, own
    names, rows = read_ply(os.path.join(folder, "meshes", "sheet.ply"), names=True)
    _, lists = read_ply(os.path.join(folder, "meshes", "sheet.ply"))
    quads = np.frombuffer(lists, np.dtype([("n", "u1"), ("v", "<i4", 4), ("m", "u1"), ("uv", "<f4", (4, 2))]))
    assert len(quads) == 4 and set(quads["n"]) == {4} and set(quads["m"]) == {8} and names == ["x", "y", "z"]
    layer = sheet.data.uv_layers[0].data
    for k, polygon in enumerate(sheet.data.polygons):
        assert list(quads["v"][k]) == list(polygon.vertices)[::-1]
        assert np.allclose(quads["uv"][k], [layer[c].uv for c in polygon.loop_indices][::-1])
        a, b, c = (rows[quads["v"][k][i]] for i in range(3))
        assert np.cross(b - a, c - a)[2] > 0, "its normal is up, as that of the object in Blender"


def refused(path, folder):
    """What the add-on refuses itself names the object and what would be right."""
    own = fresh(path, folder, 3)
    sheet, table = grid("sheet", 1.0, 3, (0, 0, 1)), box("table", 0.5)
    table.hide_set(True)
    own.collection = bpy.data.collections.new("all")
    own.id_data.collection.children.link(own.collection)
    own.collection.objects.link(sheet)
    own.collection.objects.link(table)
    assert told(bpy.ops.percale.check, "table is hidden")[0][1] == ["table"]
    table.percale.role = "IGNORE"
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.percale.check() == {"FINISHED"}
    own.collection = None
    table.hide_set(False)
    table.percale.role = "BODY"
    pair(own, "GLUE", table, sheet)
    assert told(bpy.ops.percale.check, "the first of the pair is one")[0][1] == ["table"]
    own.pairs[0].first, own.pairs[0].second = sheet, None
    told(bpy.ops.percale.check, "Glue: choose both objects")
    own.pairs.clear()
    own.wind, sheet.percale.air_drag = True, 0.0
    told(bpy.ops.percale.check, "raise the air drag")
    own.wind = False
    sheet.data.uv_layers.remove(sheet.data.uv_layers[0])
    sheet.data.update()
    sheet.percale.rest = "UV"
    told(bpy.ops.percale.check, "unwrap it")
    sheet.percale.rest = "MESH"
    own.text = "none"
    told(bpy.ops.percale.check, "no text block 'none'")
    own.text = ""
    # An obstacle whose vertices come and go.
    table.percale.role = "OBSTACLE"
    build = table.modifiers.new("build", "BUILD")
    build.frame_start, build.frame_duration = FIRST - 1, 6
    assert told(bpy.ops.percale.check, "an obstacle keeps its vertices")[0][1] == ["table"]
    table.modifiers.clear()
    own.id_data.frame_start = 0
    own.id_data.frame_end = 1
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.percale.check() == {"FINISHED"}
    inner = bpy.data.collections.new("props")
    empty = bpy.data.objects.new("instance", None)
    own.id_data.collection.objects.link(empty)
    empty.select_set(True)
    empty.instance_type, empty.instance_collection = "COLLECTION", inner
    assert told(bpy.ops.percale.check, "make it real")[0][1] == ["instance"]


def timer(path, folder):
    """In the background: progress with the time left, what is stopped comes back, resuming finishes it."""
    own = fresh(path, folder, 30)
    own.step = 0.001
    sheet = grid("sheet", 1.0, 24, (0, 0, 1))
    group(sheet, "edge", lambda co: 1.0 if co.x > 0.49 else 0.0)
    sheet.percale.pin = "edge"
    bpy.ops.object.select_all(action="SELECT")
    # As with a window: the call returns at once, and a timer goes on.
    operators.tell(bpy.context.scene, [faults.Told("of the run before")])
    usual, operators.windowed = operators.windowed, lambda context: True
    assert bpy.ops.percale.simulate() == {"FINISHED"} and bpy.app.timers.is_registered(operators.tick)
    operators.windowed = usual
    assert not own.faults
    run = operators.current
    assert not bpy.ops.percale.simulate.poll() and bpy.ops.percale.stop.poll()
    said, drawn = set(), []
    while run.done < 8:
        assert operators.tick() is not None, run.told
        said.add(run.status())
        drawn = drawn or [1 for word in Drawing().panel(panel.PERCALE_PT_panel) if word == "progress"]
        time.sleep(0.002)
    bpy.ops.percale.stop()
    while operators.tick() is not None:
        time.sleep(0.01)
    assert operators.current is None and drawn and not own.faults, [f.text for f in own.faults]
    assert any(re.fullmatch(r"frame 10\d, \d of 30, .* left", one) for one in said), said
    assert read_run(os.path.join(folder, "run"))["status"] == "stopped"
    bpy.context.scene.frame_set(FIRST + 7)
    x, _ = read_ply(os.path.join(folder, "run", "meshes", "sheet", "sheet.%04d.ply" % (FIRST + 7)))
    check("stopped: Blender and percale [m]", np.abs(world_positions(sheet) - x[:, :3]).max(), 1e-5)
    # Resumed, the frames before stay and the others are made.
    made = os.path.getmtime(os.path.join(folder, "run", "meshes", "sheet", "sheet.%04d.ply" % (FIRST + 1)))
    assert bpy.ops.percale.simulate(resume=True) == {"FINISHED"}
    assert read_run(os.path.join(folder, "run"))["status"] == "finished"
    assert os.path.getmtime(os.path.join(folder, "run", "meshes", "sheet", "sheet.%04d.ply" % (FIRST + 1))) == made
    bpy.context.scene.frame_set(FIRST + 29)
    x, _ = read_ply(os.path.join(folder, "run", "meshes", "sheet", "sheet.%04d.ply" % (FIRST + 29)))
    check("resumed: Blender and percale [m]", np.abs(world_positions(sheet) - x[:, :3]).max(), 1e-5)
    sheet.name = "curtain"
    told(bpy.ops.percale.load, "no object 'sheet', which was simulated")
    # Another file ends the run.
    operators.current = operators.begin(bpy.context)
    run = operators.current
    bpy.ops.wm.read_factory_settings(use_empty=True)
    run.process.wait(timeout=30)
    assert operators.current is None and run.stopped


def takes(function, **arguments):
    """Blender's layout has such a function with such arguments."""
    known = bpy.types.UILayout.bl_rna.functions[function].parameters
    for name in arguments:
        assert name in known, "%s takes no %s" % (function, name)


class Drawing:
    """Takes the place of a layout: looks that each property and operator is there, and keeps what was drawn."""

    def __init__(self):
        self.drawn = []

    def panel(self, kind):
        class Self:
            layout, bl_rna = self, kind.bl_rna

        if getattr(kind, "poll", None) is None or kind.poll(bpy.context):
            if hasattr(kind, "draw_header"):
                kind.draw_header(Self, bpy.context)
            kind.draw(Self, bpy.context)
        return self.drawn

    def prop(self, data, name, **more):
        takes("prop", **more)
        assert name in data.bl_rna.properties, "%s has no %s" % (data, name)
        self.drawn.append(name)

    def prop_search(self, data, name, within, names, **more):
        takes("prop_search", **more)
        self.prop(data, name)
        assert names in within.bl_rna.properties

    def template_list(self, kind, _, data, names, active, index, **more):
        takes("template_list", **more)
        assert names in data.bl_rna.properties and index in active.bl_rna.properties
        for item in getattr(data, names):
            getattr(bpy.types, kind).draw_item(None, bpy.context, self, data, item, 0, active, index)

    def operator(self, name, **more):
        takes("operator", **more)
        space, one = name.split(".")
        settings = getattr(getattr(bpy.ops, space), one).get_rna_type().properties
        self.drawn.append(name)

        class Settings:
            def __setattr__(self, key, value):
                assert key in settings, "%s has no %s" % (name, key)

        return Settings()

    def label(self, text="", icon="NONE"):
        icons = bpy.types.UILayout.bl_rna.functions["label"].parameters["icon"].enum_items
        assert icon in icons, icon
        self.drawn.append(text)

    def progress(self, factor, **more):
        takes("progress", factor=factor, **more)
        assert 0 <= factor <= 1
        self.drawn.append("progress")

    def box(self):
        return self

    def row(self, **more):
        takes("row", **more)
        return self

    def column(self, **more):
        takes("column", **more)
        return self

    def split(self, **more):
        takes("split", **more)
        return self


def panels(path, folder):
    """Every panel draws for every role and choice, with fields that are there."""
    own = fresh(path, folder, 2)
    sheet, table = grid("sheet", 1.0, 3, (0, 0, 1)), box("table", 0.5)
    own.wind, own.gust, own.wind_range, own.own_range = True, 1.0, True, True
    drawn = set()
    for kind in ("FRICTION", "GLUE", "AIR"):
        pair(own, kind, sheet, table, vent="hole")
    bpy.context.view_layer.objects.active = sheet
    sheet.percale.pin, sheet.percale.own, sheet.percale.rest = "edge", True, "UV"
    long = faults.Told("wrong " * 20, objects=["sheet"], near=(1, 2, 3))
    operators.tell(bpy.context.scene, [long, faults.Told("x", True, line=3)])
    for role in ("OBSTACLE", "CLOTH", "BODY", "IGNORE"):
        sheet.percale.role = role
        for balloon in ("NONE", "VOLUME", "PRESSURE"):
            sheet.percale.balloon = balloon
            for own.pair in range(3):
                for kind in panel.CLASSES:
                    if issubclass(kind, bpy.types.Panel):
                        drawn |= set(Drawing().panel(kind))
    assert "Friction: sheet, table" in drawn and "program" in Drawing().panel(settings.PercalePreferences)
    everything = set()
    for data in (own, sheet.percale, own.pairs[0]):
        everything |= set(data.bl_rna.properties.keys())
    hidden = everything - drawn - {"rna_type", "name", "faults", "pairs", "pair"}
    assert not hidden, "not in any panel: %s" % hidden
    assert "60 g/m2" not in drawn and "143 g/m2" in drawn, "the numbers of cotton"
    assert any(text.startswith("percale ") and "," in text for text in drawn), "the version"
    assert "percale.show" in drawn and max(len(t) for t in drawn) <= 100


FIND = """
import os, sys
sys.path.insert(0, sys.argv[1])
import bpy, percale
percale.register()
from percale import program
try:
    print("found", program.find(), program.version(program.find()))
except program.Refused as fault:
    print("refused", fault)
sys.stdout.flush()
os._exit(0)
"""


def finding(path, folder):
    """On the PATH, then where pip puts it, then the usual folders; a clear word otherwise."""
    def place(name):
        os.makedirs(os.path.join(folder, name))
        link = os.path.join(folder, name, "percale")
        os.symlink(path, link)
        return link

    on_path, of_pip, of_cargo = place("path"), place("user/bin"), place("cargo/bin")

    def find(**more):
        clean = {"PATH": "/nowhere", "HOME": os.path.join(folder, "home"), "PYTHONUSERBASE": os.path.join(folder, "none")}
        environment = {**os.environ, **clean, **more}
        environment.pop("CARGO_HOME", None) if "CARGO_HOME" not in more else None
        done = subprocess.run([sys.executable, "-c", FIND, ADDON], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return [line for line in done.stdout.splitlines() if line.startswith(("found", "refused"))][0]

    base, cargo = os.path.join(folder, "user"), os.path.join(folder, "cargo")
    everything = dict(PATH=os.path.dirname(on_path), PYTHONUSERBASE=base, CARGO_HOME=cargo)
    assert find(**everything).startswith("found %s percale " % on_path)
    assert find(PYTHONUSERBASE=base, CARGO_HOME=cargo).startswith("found %s percale " % of_pip)
    assert find(CARGO_HOME=cargo).startswith("found %s percale " % of_cargo)
    nothing = find()
    assert nothing.startswith("refused") and "not on the PATH" in nothing and "install it with pip or cargo" in nothing
    # What is named and is not percale is told.
    wrong = os.path.join(folder, "percale")
    with open(wrong, "w") as out:
        out.write("#!/bin/sh\necho something else\n")
    os.chmod(wrong, 0o755)
    program.chosen = wrong
    try:
        program.version(program.find())
        raise AssertionError("taken for percale")
    except program.Refused as fault:
        assert "is not percale" in str(fault) and "something else" in str(fault), fault
    program.chosen = None


def spans(path, folder):
    assert [job.span(s) for s in (0.4, 59.4, 61, 3600, 7500)] == ["0 s", "59 s", "1 min 1 s", "1 h 0 min", "2 h 5 min"]


if __name__ == "__main__":
    main([by_objects, crossing, far, mirrored, refused, timer, panels, finding, spans])
