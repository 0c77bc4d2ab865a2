"""What a scene has besides meshes, through the add-on: python blender_tables.py PERCALE. Needs bpy and Python 3.11.

Wind, friction of pairs, glue, air layers, balloons, fabrics, weights: that they are in the scene, and that they act."""

import json
import os
import sys
import tomllib

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from blender_addon import check, main, world_positions  # noqa: E402
from percale import library, motion, program, settings, write  # noqa: E402
from record import read_ply  # noqa: E402

FIRST = 101


def fresh(path, folder, frames):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    world = bpy.context.scene
    world.frame_start, world.frame_end, world.render.fps = FIRST, FIRST + frames - 1, 25
    program.chosen = path
    own = world.percale
    own.folder, own.step, own.threads = folder, 0.005, 1
    return own


def grid(name, size, cells, location=(0, 0, 0), rotation=(0, 0, 0), role="CLOTH"):
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=cells, y_subdivisions=cells, size=size, location=location, rotation=rotation
    )
    obj = bpy.context.object
    obj.name = name
    obj.percale.role = role
    return obj


def box(name, size, location=(0, 0, 0), rotation=(0, 0, 0), role="OBSTACLE"):
    bpy.ops.mesh.primitive_cube_add(size=size, location=location, rotation=rotation)
    obj = bpy.context.object
    obj.name = name
    obj.percale.role = role
    return obj


def group(obj, name, weight):
    """A vertex group with a weight by the vertex's own coordinates."""
    made = obj.vertex_groups.new(name=name)
    for v in obj.data.vertices:
        made.add([v.index], weight(v.co), "REPLACE")


def simulate():
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.percale.simulate() == {"FINISHED"}


def scene_of(folder):
    with open(os.path.join(folder, "scene.toml"), "rb") as file:
        return tomllib.load(file)


def pair(own, kind, first, second, **values):
    one = own.pairs.add()
    one.kind, one.first, one.second = kind, first, second
    for name, value in values.items():
        setattr(one, name, value)


def at_end(obj):
    bpy.context.scene.frame_set(bpy.context.scene.frame_end)
    return world_positions(obj)


def tables(path, folder):
    """Everything at once is a scene without faults, with the values that were set."""
    own = fresh(path, folder, 5)
    sheet = grid("Top sheet", 1.0, 4, (0, 0, 1.2))
    lower = grid("lower", 1.0, 4, (0, 0, 1.1))
    core = box("core", 0.4, (0, 0, 0.6), role="BODY")
    case = box("case", 0.3, (2, 0, 1), role="CLOTH")
    table = box("table", 0.5)
    group(sheet, "edge", lambda co: 0.997 if co.x > 0.4 else 0.25 if co.x > 0.1 else 0.0005)
    group(sheet, "thin", lambda co: 0.5 + 0.5 * co.y)
    group(lower, "middle", lambda co: 1.0 if abs(co.x) < 0.1 else 0.3)
    p = sheet.percale
    p.material, p.own, p.young, p.rigidity, p.own_friction = "silk", True, 250.0, 4.0, 0.45
    p.thickness, p.density, p.limit, p.weld, p.flat, p.self_contact = 0.0004, 0.09, 12.0, 0.0002, True, False
    p.rest, p.uv_size, p.pin, p.pin_stiffness, p.thick, p.air_drag = "UV", 1.1, "edge", 8.0, "thin", 1.5
    lower.percale.material = "gray-interlock"
    case.percale.balloon, case.percale.pressure, case.percale.duration = "PRESSURE", 300.0, 0.4
    case.percale.leak = "down-proof"
    core.percale.material, core.percale.resolution = "sponge", 0.2
    pair(own, "FRICTION", sheet, table, static=0.7, dynamic=0.6)
    pair(own, "FRICTION", lower, lower, measured="gray-interlock-on-cotton")
    pair(own, "GLUE", lower, core, group="middle", stiffness=5.0)
    pair(own, "AIR", sheet, lower, leak="90 mm/s", closed=True, vent="edge", vent_pressure=-20.0, vent_period=0.5)
    bpy.ops.object.empty_add(rotation=(0, np.pi / 2, 0))
    own.wind, own.wind_object, own.wind_speed, own.gust = True, bpy.context.object, 4.0, 1.5
    own.wind_seed, own.wind_range, own.wind_from, own.wind_until = 7, True, FIRST + 1, FIRST + 4
    own.start, own.distance = "untangle", 0.0012
    more = bpy.data.texts.new("more")
    more.write('[[tether]]\ncloth = "Top_sheet"\nvertices = [0]\npoint = [0, 0, 2]\nstiffness = "5 N/m"\n')
    own.text = "more"
    bpy.ops.object.select_all(action="SELECT")
    assert bpy.ops.percale.check() == {"FINISHED"}, [f.text for f in own.faults]
    made = scene_of(folder)
    cloths = {c["name"]: c for c in made["cloth"]}
    top = cloths["Top_sheet"]
    fabric = made["material"][0]
    assert fabric == {
        "name": "Top_sheet-fabric", "base": "silk", "young": 250.0, "rigidity": "4.0 uN m", "friction": 0.45,
    }, fabric  # fmt: skip
    wanted = {
        "material": "Top_sheet-fabric", "thickness": 0.0004, "density": 0.09, "strain_limit": 0.12, "weld": 0.0002,
        "rest_angles": "flat", "self_contact": False, "rest": "chart", "air_drag": 1.5,
    }  # fmt: skip
    assert {k: top.get(k) for k in wanted} == wanted, top
    assert [m["of"] for m in top["map"]] == ["thickness"]
    assert len(top["pin"]) == 1 and len(top["pin"][0]["vertices"]) == 5
    assert [h["stiffness"] for h in top["handle"]] == [2.0] and len(top["handle"][0]["vertices"]) == 5
    assert cloths["lower"]["material"] == "gray-interlock" and "pin" not in cloths["lower"]
    balloon = {"cloth": "case", "duration": 0.4, "pressure": 300.0, "permeability": "down-proof"}
    assert made["balloon"] == [balloon], made["balloon"]
    assert made["friction"] == [
        {"between": ["Top_sheet", "table"], "static": 0.7, "dynamic": 0.6},
        {"between": ["lower", "lower"], "pair": "gray-interlock-on-cotton"},
    ], made["friction"]
    assert made["glue"] == [{"cloth": "lower", "body": "core", "group": "glue_0", "stiffness": "5.0 N/cm3"}]
    layer = made["air_layer"][0]
    assert layer["permeability"] == "90 mm/s" and layer["border"] == "closed"
    assert layer["vent"] == [{"group": "vent_0", "pressure": -20.0, "period": 0.5}], layer
    wind = made["wind"]
    assert np.allclose(wind["velocity"], [4, 0, 0], atol=1e-6) and wind["seed"] == 7 and wind["gust"] == 1.5
    assert abs(wind["from"] - 1 / 25) < 1e-9 and abs(wind["until"] - 4 / 25) < 1e-9
    assert made["contact"] == {"distance": 0.0012, "start": "untangle"}
    assert made["tether"][0]["cloth"] == "Top_sheet"


def rates(path, folder):
    own = fresh(path, folder, 2)
    render = own.id_data.render
    for fps, base, wanted in ((24, 1.0, "24"), (24, 1.001, "24000/1001"), (30, 1.001, "30000/1001"), (2997, 100.0, "2997/100")):
        render.fps, render.fps_base = fps, base
        assert str(write.rate(render)) == wanted, write.rate(render)


def before_the_shot(path, folder):
    """Frames of its own: simulation and result begin before the scene does, and animation is that of these frames."""
    own = fresh(path, folder, 20)
    own.own_range, own.first, own.last = True, FIRST - 4, FIRST + 1
    sheet = grid("sheet", 0.5, 4, (0, 0, 1))
    group(sheet, "top", lambda co: 1.0 if co.x < -0.2 else 0.0)
    sheet.percale.pin = "top"
    for frame, y in ((FIRST - 4, 0.3), (FIRST + 1, 0.4)):
        sheet.location.y = y
        sheet.keyframe_insert("location", frame=frame)
    simulate()
    time = scene_of(folder)["time"]
    assert time["start_frame"] == FIRST - 4 and time["frames"] == 6
    assert sheet.modifiers["percale"].frame_start == FIRST - 4
    bpy.context.scene.frame_set(FIRST)
    x, _ = read_ply(os.path.join(folder, "run", "meshes", "sheet", "sheet.%04d.ply" % FIRST))
    check("before the shot: Blender and percale [m]", np.abs(world_positions(sheet) - x[:, :3]).max(), 1e-5)
    own.last = FIRST - 5
    bpy.ops.object.select_all(action="SELECT")
    try:
        bpy.ops.percale.check()
        raise AssertionError("frames that end before they begin are taken")
    except RuntimeError as fault:
        assert "is before the first" in str(fault)


def blown(path, folder):
    """Wind along an object's z axis moves a sheet that hangs; without wind it does not."""
    moved = []
    for speed in (0.0, 6.0):
        own = fresh(path, folder, 8)
        sheet = grid("sheet", 0.6, 8, (0, 0, 1), (0, np.pi / 2, 0))
        group(sheet, "top", lambda co: 1.0 if co.x < -0.29 else 0.0)
        sheet.percale.material, sheet.percale.pin = "silk", "top"
        bpy.ops.object.empty_add(rotation=(0, np.pi / 2, 0))
        own.wind, own.wind_object, own.wind_speed = speed > 0, bpy.context.object, speed
        simulate()
        moved.append(at_end(sheet)[:, 0].max())
    print("  without wind %.3g m, with wind %.3g m along it" % tuple(moved))
    assert abs(moved[0]) < 1e-3 and moved[1] > 0.02, moved


def held(path, folder):
    """A body hangs from its pins, which go where the object's animation has them, with and without a change of size."""
    for grows in (1.0, 1.05):
        own = fresh(path, folder, 6)
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=2, radius=0.4, location=(0, 0, 1))
        ball = bpy.context.object
        ball.name, ball.percale.role, ball.percale.resolution, ball.percale.pin = "ball", "BODY", 0.12, "top"
        group(ball, "top", lambda co: 1.0 if co.z > 0.2 else 0.0)
        for frame, x, size in ((FIRST, 0.0, 1.0), (own.id_data.frame_end, 0.2, grows)):
            ball.location.x, ball.scale = x, (size,) * 3
            ball.keyframe_insert("location", frame=frame)
            ball.keyframe_insert("scale", frame=frame)
        top = [v.index for v in ball.data.vertices if v.co.z > 0.3]
        simulate()
        end = at_end(ball)
        matrix = np.array(ball.matrix_world)
        wanted = np.array([ball.data.vertices[v].co for v in top]) @ matrix[:3, :3].T + matrix[:3, 3]
        body = scene_of(folder)["body"][0]
        assert all(("keyframes" in p) == (grows == 1.0) and ("path" in p) == (grows > 1.0) for p in body["pin"])
        off = np.abs(end[top] - wanted).max()
        print("  the top of the ball is within %.3g m of its animation" % off)
        # The vertices of the tetrahedra are elsewhere than those of the mesh; unpinned it falls by 0.2 m.
        assert off < 0.03


def shrunk(path, folder):
    """A sheet whose UV map says 36 cm gets as wide from 40."""
    own = fresh(path, folder, 20)
    own.id_data.use_gravity = False
    sheet = grid("sheet", 0.4, 6, (0, 0, 1))
    sheet.percale.rest, sheet.percale.uv_size, sheet.percale.material = "UV", 0.36, "canvas"
    simulate()
    width = np.ptp(at_end(sheet), axis=0)
    check("width and that of the pattern [m]", np.abs(width[:2] - 0.36).max(), 2e-3)


def slides(path, folder):
    """Friction of the pair decides, not that of the obstacle."""
    gone = []
    for coefficient in (0.0, 2.0):
        own = fresh(path, folder, 9)
        tilt = np.radians(30)
        slope = grid("slope", 2.0, 2, (0, 0, 0), (0, tilt, 0), role="OBSTACLE")
        slope.percale.friction = 0.5
        sheet = grid("sheet", 0.3, 4, (0.0015 * np.sin(tilt), 0, 0.0015 * np.cos(tilt)), (0, tilt, 0))
        sheet.percale.air_drag = 0.0
        pair(own, "FRICTION", sheet, slope, static=coefficient, dynamic=coefficient)
        simulate()
        gone.append(at_end(sheet)[:, 0].mean())
    t = 8 / 25
    free = 9.81 * np.sin(tilt) * np.cos(tilt) * t * t / 2
    print("  without friction %.3g m of %.3g m down the slope, with it %.3g m" % (gone[0], free, gone[1]))
    assert abs(gone[0] - free) < 0.05 * free and abs(gone[1]) < 0.03, (gone, free)


def glued(path, folder):
    """What is glued stays on its body where wind from below takes along what is not."""
    lifted = []
    for glue in (False, True):
        own = fresh(path, folder, 8)
        core = box("core", 0.3, (0, 0, 0.15), role="BODY")
        core.percale.resolution = 0.15
        floor = grid("floor", 2.0, 2, (0, 0, -0.003), role="OBSTACLE")
        patch = grid("patch", 0.2, 6, (0, 0, 0.304))
        own.wind, own.wind_speed, own.wind_direction = True, 12.0, (0, 0, 1)
        assert floor.percale.role == "OBSTACLE"
        if glue:
            pair(own, "GLUE", patch, core)
        simulate()
        bpy.context.scene.frame_set(FIRST)
        start = world_positions(patch)
        lifted.append((at_end(patch) - start)[:, 2].max())
    print("  lifted %.3g m, glued %.3g m" % tuple(lifted))
    assert lifted[0] > 0.05 and lifted[1] < 0.01, lifted


def inflated(path, folder):
    """A cube of cloth gets twice its volume; its air is in the record."""
    own = fresh(path, folder, 8)
    case = box("case", 0.3, (0, 0, 1), role="CLOTH")
    for _ in range(2):
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        bpy.ops.object.mode_set(mode="OBJECT")
    case.percale.material, case.percale.balloon, case.percale.volume, case.percale.duration = "jersey", "VOLUME", 1.3, 0.2
    own.id_data.use_gravity = False
    simulate()
    x = at_end(case)
    volume = 0.0
    for polygon in case.data.polygons:
        v = polygon.vertices
        for k in range(1, len(v) - 1):
            volume += np.dot(x[v[0]], np.cross(x[v[k]], x[v[k + 1]])) / 6
    check("volume over that at the start, less 1.3", abs(volume / 0.3**3 - 1.3), 0.05)
    with open(os.path.join(folder, "run", "stats.ndjson")) as file:
        airs = [json.loads(line)["airs"] for line in file]
    assert [a["cloth"] for a in airs[-1]] == ["case"], airs[-1]


def layered(path, folder):
    """The air of a layer is in the record."""
    own = fresh(path, folder, 3)
    sheet = grid("sheet", 0.4, 6, (0, 0, 0.01))
    floor = grid("floor", 1.0, 10, role="OBSTACLE")
    pair(own, "AIR", sheet, floor, leak="poplin")
    simulate()
    with open(os.path.join(folder, "run", "stats.ndjson")) as file:
        airs = [json.loads(line)["airs"] for line in file]
    assert [a["cloth"] for a in airs[-1]] == ["sheet"], airs[-1]


def obstacles(path, folder):
    """A cloth that was simulated is an obstacle of the next one as it moves then; so are a curve, a text and what is parented."""
    own = fresh(path, folder, 6)
    lower = grid("lower", 0.6, 8, (0, 0, 0.5))
    group(lower, "edge", lambda co: 1.0 if abs(co.x) > 0.29 else 0.0)
    lower.percale.pin = "edge"
    simulate()
    lower.percale.role = "OBSTACLE"
    upper = grid("upper", 0.5, 6, (0, 0, 0.6))
    bpy.ops.curve.primitive_bezier_circle_add(radius=0.3, location=(2, 0, 0))
    ring = bpy.context.object
    ring.name, ring.data.bevel_depth = "ring", 0.02
    bpy.ops.object.text_add(location=(3, 0, 0))
    words = bpy.context.object
    words.name, words.data.extrude = "words", 0.1
    bpy.ops.object.empty_add()
    carrier = bpy.context.object
    ring.parent = carrier
    for frame, turn in ((FIRST, 0.0), (FIRST + 5, 1.0)):
        carrier.rotation_euler.z = turn
        carrier.keyframe_insert("rotation_euler", frame=frame)
    # It grows: a point cache.
    words.scale = (1, 1, 1)
    words.keyframe_insert("scale", frame=FIRST)
    words.scale = (1.2, 1, 1)
    words.keyframe_insert("scale", frame=FIRST + 5)
    simulate()
    tables = {o["name"]: o for o in scene_of(folder)["obstacle"]}
    assert set(tables) == {"lower", "ring", "words"} and [c["name"] for c in scene_of(folder)["cloth"]] == ["upper"]
    assert "cache" in tables["lower"] and "cache" in tables["words"] and "keyframes" in tables["ring"]
    worst = 0.0
    for frame in (FIRST, FIRST + 3, FIRST + 5):
        bpy.context.scene.frame_set(frame)
        for obj in (lower, ring, words):
            evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
            x = np.array([evaluated.matrix_world @ v.co for v in evaluated.to_mesh().vertices])
            record, _ = read_ply(os.path.join(folder, "run", "meshes", obj.name, "%s.%04d.ply" % (obj.name, frame)))
            worst = max(worst, np.abs(record[:, :3] - x).max())
    check("obstacles: percale and Blender [m]", worst, 1e-5)
    assert at_end(lower)[:, 2].min() < 0.5 - 0.005 and "percale" in upper.modifiers


def fabrics(path, folder):
    """All of the library has numbers for the panel."""
    fresh(path, folder, 2)
    silk = dict(library.numbers("material", "silk"))
    assert silk["Area density"] == "60 g/m2" and silk["Thickness"] == "0.12 mm", silk
    assert silk["Stretch"] == "300 N/m" and silk["Bending"] == "2.0 uN m" and silk["Damping"] == "0.3 ms", silk
    assert dict(library.numbers("solid", "sponge"))["Young's modulus"].endswith(" kPa")
    for kind in ("material", "solid", "pair", "permeability"):
        names = library.names(kind)
        assert len(names) >= 5, (kind, names)
        for name in names:
            assert all(len(text) > 0 for _, text in library.numbers(kind, name)), name
    # What fields search: of a body its solids.
    case = box("case", 1.0, role="CLOTH")
    search = settings.searched(lambda own: "solid" if own.role == "BODY" else "material")["search"]
    assert "silk" in search(case.percale, bpy.context, "")
    case.percale.role = "BODY"
    assert "sponge" in search(case.percale, bpy.context, "") and "silk" not in search(case.percale, bpy.context, "")
    assert "cotton" in library.names("material") and "cotton" not in library.names("solid")
    try:
        library.numbers("material", "sylk")
        raise AssertionError("sylk has numbers")
    except program.Refused as fault:
        assert "did you mean 'silk'" in str(fault), fault


def matrix_of(rotation, at, scale=(1, 1, 1)):
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation @ np.diag(scale), at
    return out


def moved(key, before, share):
    """What percale makes of two poses between them."""
    return motion.rotation_of(before.turn + share * (key.turn - before.turn)), before.shift + share * (key.shift - before.shift)


def rigid(path, folder):
    """Poses are the motion, at the frames and between, and refuse what is not rigid."""
    rng = np.random.default_rng(4)
    points = rng.uniform(-1, 1, (20, 3))
    axis = np.array([0.6, 0.0, 0.8])
    base = motion.rotation_of(np.array([0.3, -0.2, 0.9]))
    turns = [motion.rotation_of(axis * 0.4 * k) @ base for k in range(40)]
    matrices = [matrix_of(turn, [0.1 * k, 1, 2], (1, 2, 1)) for k, turn in enumerate(turns)]
    track = motion.poses(matrices, 1.0, 2.0)
    assert track and np.linalg.norm(track[-1].turn) > 5 * np.pi / 2, "whole turns are counted"
    worst = 0.0
    for k in range(1, len(matrices)):
        for share in (0.5, 1.0):
            rotation, shift = moved(track[k], track[k - 1], share)
            wanted = motion.rotation_of(axis * 0.4 * (k - 1 + share)) @ base @ np.diag((1, 2, 1))
            here = points @ (rotation @ base @ np.diag((1, 2, 1))).T + shift + [0, 1, 2]
            worst = max(worst, np.abs(here - points @ wanted.T - [0.1 * (k - 1 + share), 1, 2]).max())
    check("poses and the motion, also between [m]", worst, 1e-9)
    # A size or a shear that changes, a mirror, no size at all.
    for other in ((1, 2.1, 1), (-1, 2, 1)):
        assert motion.poses(matrices[:2] + [matrix_of(turns[2], [0, 0, 0], other)], 1.0, 2.0) is None
    assert motion.poses([matrix_of(base, [0, 0, 0], (0, 1, 1))] * 2, 1.0, 2.0) is None
    # Tumbling: at the frames it is always right; between it is, or there is none.
    kept = 0
    for trial in range(30):
        rotation, tumble = np.eye(3), []
        size = 0.002 * 1.2**trial
        spin = rng.normal(0, size, 3)
        for _ in range(30):
            spin = spin + rng.normal(0, size / 5, 3)
            tumble.append(matrix_of(rotation, [0, 0, 0]))
            rotation = motion.rotation_of(spin) @ rotation
        track = motion.poses(tumble, 1.0, 1.0)
        if track is None:
            continue
        kept += 1
        for k in range(1, len(tumble)):
            a, b = tumble[k - 1][:3, :3], tumble[k][:3, :3]
            step = motion.turn_of(b @ a.T)
            middle = moved(track[k], track[k - 1], 0.5)[0]
            chord = 1 - np.cos(np.linalg.norm(step) / 2)
            off = np.linalg.norm(motion.turn_of(middle @ (motion.rotation_of(step / 2) @ a).T))
            assert off <= chord + 2e-6 and np.abs(moved(track[k], track[k - 1], 1.0)[0] - b).max() < 1e-9
    print("  %d of 30 tumbling motions are keyframes" % kept)
    assert 5 <= kept <= 25
    # Half a turn, either side of it and exactly.
    for angle in (np.pi - 1e-9, np.pi, np.pi - 1e-4):
        for way in np.eye(3):
            turn = motion.rotation_of(way * angle)
            assert np.abs(motion.rotation_of(motion.turn_of(turn)) - turn).max() < 1e-6


if __name__ == "__main__":
    main([tables, rates, before_the_shot, blown, held, shrunk, slides, glued, inflated, layered, obstacles, fabrics, rigid])
