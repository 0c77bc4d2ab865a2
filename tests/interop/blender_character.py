"""A character and its shirt through the add-on: python blender_character.py PERCALE. Needs bpy.

A tube that an armature bends, a shirt of quads around it in two materials, held at the collar by whole weights and below
by half ones; a ball that turns and a floor in a collection of obstacles; a shot from 1001 on at 23.976 frames per second. Simulated
for 12 frames and read back: Blender has the shirt where percale recorded it, and percale had the obstacles where Blender has them,
both to 1e-5."""

import os
import re
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from blender_addon import check, main, world_positions  # noqa: E402
from percale import program  # noqa: E402
from record import read_ply, read_run  # noqa: E402

FIRST, COUNT = 1001, 12
AROUND, RINGS = 16, 9


def tube(name, radius, low, high, rings, lid=False):
    """A tube of quads about the z axis, with a lid at both ends if wanted."""
    points, quads = [], []
    for ring in range(rings):
        z = low + (high - low) * ring / (rings - 1)
        for k in range(AROUND):
            angle = 2 * np.pi * k / AROUND
            points.append((radius * np.cos(angle), radius * np.sin(angle), z))
    for ring in range(rings - 1):
        for k in range(AROUND):
            a, b = ring * AROUND + k, ring * AROUND + (k + 1) % AROUND
            quads.append((a, b, b + AROUND, a + AROUND))
    if lid:
        top = (rings - 1) * AROUND
        quads += [tuple(range(AROUND))[::-1], tuple(range(top, top + AROUND))]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], quads)
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def rig():
    """Two bones along z; the upper one bends by 25 degrees over the shot."""
    bpy.ops.object.armature_add()
    armature = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    bones[0].name, bones[0].head, bones[0].tail = "lower", (0, 0, 0), (0, 0, 0.5)
    upper = bones.new("upper")
    upper.head, upper.tail, upper.parent = (0, 0, 0.5), (0, 0, 1.0), bones["lower"]
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = armature.pose.bones["upper"]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((FIRST, 0.0), (FIRST + COUNT - 1, 25.0)):
        bone.rotation_euler.x = np.radians(angle)
        bone.keyframe_insert("rotation_euler", frame=frame)
    return armature


def skin(obj, armature):
    """Smooth weights of the two bones."""
    lower, upper = obj.vertex_groups.new(name="lower"), obj.vertex_groups.new(name="upper")
    for v in obj.data.vertices:
        share = min(1.0, max(0.0, (v.co.z - 0.4) / 0.2))
        upper.add([v.index], share, "REPLACE")
        lower.add([v.index], 1.0 - share, "REPLACE")
    obj.modifiers.new("armature", "ARMATURE").object = armature


def scene(path, folder):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    world = bpy.context.scene
    world.frame_start, world.frame_end = FIRST, FIRST + COUNT - 1
    world.render.fps, world.render.fps_base = 24, 1.001
    program.chosen = path
    own = world.percale
    own.folder, own.step, own.threads = folder, 0.005, 1
    armature = rig()
    body = tube("Body", 0.12, 0.0, 1.0, 13, lid=True)
    shirt = tube("Shirt.001", 0.14, 0.35, 0.85, RINGS)
    skin(body, armature)
    skin(shirt, armature)
    # The character goes and turns as well, and carries body and shirt along.
    body.parent = shirt.parent = armature
    for frame, x, turn in ((FIRST, 0.3, 0.4), (FIRST + COUNT - 1, 0.45, 0.7)):
        armature.location, armature.rotation_euler.z = (x, -0.2, 0.1), turn
        armature.keyframe_insert("location", frame=frame)
        armature.keyframe_insert("rotation_euler", frame=frame)
    collar = shirt.vertex_groups.new(name="collar")
    collar.add(range((RINGS - 1) * AROUND, RINGS * AROUND), 1.0, "REPLACE")
    collar.add(range((RINGS - 2) * AROUND, (RINGS - 1) * AROUND), 0.5, "REPLACE")
    for name in ("cotton", "trim"):
        shirt.data.materials.append(bpy.data.materials.new(name))
    for k, polygon in enumerate(shirt.data.polygons):
        polygon.material_index = k % 2
    shirt.percale.role, shirt.percale.material, shirt.percale.pin = "CLOTH", "jersey", "collar"
    shirt.percale.pin_stiffness = 20.0
    shirt.modifiers.new("smooth", "SUBSURF").levels = 1

    obstacles = bpy.data.collections.new("Set")
    world.collection.children.link(obstacles)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=12, ring_count=6, radius=0.1, location=(1.2, 0.2, 0.5))
    ball = bpy.context.object
    ball.name, ball.scale = "ball", (1.0, 1.5, 1.0)
    bpy.ops.mesh.primitive_plane_add(size=3, location=(0, 0, -0.05))
    floor = bpy.context.object
    floor.name = "floor"
    for obj in (ball, floor):
        world.collection.objects.unlink(obj)
        obstacles.objects.link(obj)
    # Two turns and more about a slanted axis, and a shift.
    ball.rotation_mode = "AXIS_ANGLE"
    for frame, angle, x in ((FIRST, 0.3, 1.2), (FIRST + COUNT - 1, 0.3 + 5 * np.pi, 1.3)):
        ball.rotation_axis_angle, ball.location.x = (angle, 0.6, 0.0, 0.8), x
        ball.keyframe_insert("rotation_axis_angle", frame=frame)
        ball.keyframe_insert("location", frame=frame)
    own.obstacles = obstacles
    for obj in world.objects:
        obj.select_set(obj in (body, shirt))
    bpy.context.view_layer.update()
    return body, shirt, ball, floor


def evaluated_world(obj):
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    return np.array([v.co for v in evaluated.data.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]


def character(path, folder):
    body, shirt, ball, floor = scene(path, folder)
    collar = np.arange((RINGS - 1) * AROUND, RINGS * AROUND)
    # Where the armature alone has the shirt, before there is a cache.
    rigged = {}
    for frame in range(FIRST, FIRST + COUNT):
        bpy.context.scene.frame_set(frame)
        rigged[frame] = world_positions(shirt)
    bpy.context.scene.frame_set(FIRST)
    before = [(tuple(p.vertices), p.material_index) for p in shirt.data.polygons]
    assert bpy.ops.percale.simulate() == {"FINISHED"}
    modifier = shirt.modifiers["percale"]
    assert [m.name for m in shirt.modifiers] == ["armature", "percale", "smooth"]
    assert modifier.frame_start == FIRST and modifier.cache_format == "PC2"
    assert bpy.context.scene.frame_current == FIRST, "the frame stays"

    text = open(os.path.join(folder, "scene.toml")).read()
    assert 'fps = "24000/1001"' in text and "start_frame = 1001" in text and "frames = 12" in text
    tables = {re.search(r'name = "(.*)"', t).group(1): t for t in text.split("\n\n") if t.startswith("[[obstacle]]")}
    assert set(tables) == {"Body", "ball", "floor"}
    assert 'points = "meshes/Body.pc2"' in tables["Body"] and "keyframes" not in tables["Body"]
    assert "keyframes = [" in tables["ball"] and "cache" not in tables["ball"]
    assert "keyframes" not in tables["floor"] and "cache" not in tables["floor"]
    assert text.count("[[cloth.pin]]") == AROUND and text.count("[[cloth.handle]]\nstiffness = 10.0") == AROUND
    record = read_run(os.path.join(folder, "run"))
    assert record["status"] == "finished" and abs(record["fps"] - 24000 / 1001) < 1e-12

    meshes = os.path.join(folder, "run", "meshes")
    off = {"shirt": 0.0, "collar": 0.0, "Body": 0.0, "ball": 0.0}
    for frame in range(FIRST, FIRST + COUNT):
        bpy.context.scene.frame_set(frame)
        x, _ = read_ply(os.path.join(meshes, "Shirt_001", "Shirt_001.%04d.ply" % frame))
        here = world_positions(shirt)
        off["shirt"] = max(off["shirt"], np.abs(here - x[:, :3]).max())
        off["collar"] = max(off["collar"], np.abs(here[collar] - rigged[frame][collar]).max())
        for obj in (body, ball):
            b, _ = read_ply(os.path.join(meshes, obj.name, "%s.%04d.ply" % (obj.name, frame)))
            off[obj.name] = max(off[obj.name], np.abs(b[:, :3] - evaluated_world(obj)).max())
    check("shirt: Blender and percale, all frames [m]", off["shirt"], 1e-5)
    check("collar: pinned and rigged [m]", off["collar"], 1e-5)
    check("body: percale and Blender [m]", off["Body"], 1e-5)
    check("ball: percale and Blender [m]", off["ball"], 1e-5)
    last = FIRST + COUNT - 1
    here = world_positions(shirt)
    half = collar - AROUND
    hung = np.abs(here[: -2 * AROUND] - rigged[last][: -2 * AROUND]).max()
    soft = np.abs(here[half] - rigged[last][half]).max()
    print("  below the collar it is up to %.3g m from the rig, the half weights %.3g m" % (hung, soft))
    assert hung > 0.01 and 1e-5 < soft < 0.01, (hung, soft)

    after = [(tuple(p.vertices), p.material_index) for p in shirt.data.polygons]
    assert after == before and len(shirt.data.materials) == 2
    shirt.modifiers["smooth"].show_viewport = False
    evaluated = shirt.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    assert [(tuple(p.vertices), p.material_index) for p in evaluated.polygons] == before
    assert all(len(p.vertices) == 4 for p in evaluated.polygons), "quads stay quads"
    # Before the shot it is as at its first frame.
    bpy.context.scene.frame_set(FIRST)
    start = evaluated_world(shirt)
    bpy.context.scene.frame_set(FIRST - 30)
    bones = np.abs(evaluated_world(shirt) - start).max()
    check("before the shot: as at its start [m]", bones, 1e-6)


if __name__ == "__main__":
    main([character])
