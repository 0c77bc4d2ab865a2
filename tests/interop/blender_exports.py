"""What Blender makes of exports: python blender_exports.py RUN EXPORTS OBJECT. Needs bpy.

All positions, texture coordinates, velocities, fields and normals of a cloth at the first, middle and last frame, in every
format, against the record of the run. Blender has z up, the run y."""

import os
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from record import read_ply, read_run  # noqa: E402

UP = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])


class Record:
    def __init__(self, run, name):
        self.run, self.name = run, name
        self.manifest = read_run(run)
        self.last = self.manifest["frames_done"]

    def frame(self, frame):
        names, rows = read_ply("%s/meshes/%s/%s.%04d.ply" % (self.run, self.name, self.name, frame), names=True)
        column = {n: rows[:, k].astype(float) for k, n in enumerate(names)}
        x = np.column_stack([column.pop(n) for n in "xyz"])
        v = np.column_stack([column.pop("v" + n) for n in "xyz"])
        uv = np.column_stack([column.pop("s"), column.pop("t")])
        return x, v, uv, column

    def triangles(self):
        _, lists = read_ply("%s/meshes/%s/%s.0001.ply" % (self.run, self.name, self.name))
        return np.frombuffer(lists, np.dtype([("n", "u1"), ("v", "<i4", 3)]))["v"]


faults = []


def check(what, error, most):
    well = error <= most
    print("  %-34s %.2g%s" % (what, error, "" if well else "  more than %g" % most))
    if not well:
        faults.append(what)


def values(attribute, width):
    out = np.empty(len(attribute.data) * width, np.float32)
    attribute.data.foreach_get({1: "value", 2: "vector", 3: "vector"}[width], out)
    return out.reshape(-1, width).astype(float) if width > 1 else out.astype(float)


def look(record, what, obj, frame, turn, velocity=False, fields=(), uv=True):
    """Compares the object as it is evaluated now."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.data
    x, v, chart, column = record.frame(frame)
    if len(mesh.vertices) != len(x):
        faults.append("%s: %d vertices for %d" % (what, len(mesh.vertices), len(x)))
        return
    here = np.empty(3 * len(x), np.float32)
    mesh.vertices.foreach_get("co", here)
    m = np.array(evaluated.matrix_world)
    world = here.reshape(-1, 3) @ m[:3, :3].T + m[:3, 3]
    check("%s frame %d positions [m]" % (what, frame), np.abs(world - x @ turn.T).max(), 1e-5)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    if uv:
        layer = mesh.uv_layers[0]
        at = np.empty(2 * len(corners), np.float32)
        layer.uv.foreach_get("vector", at)
        check("%s frame %d uv" % (what, frame), np.abs(at.reshape(-1, 2) - chart[corners]).max(), 1e-6)
    triangles = record.triangles()
    a, b, c = (world[triangles[:, k]] for k in range(3))
    wanted = np.cross(b - a, c - a)
    p, q, r = (world[corners.reshape(-1, 3)[:, k]] for k in range(3))
    same = (np.cross(q - p, r - p) * wanted).sum(axis=1) > 0
    check("%s frame %d faces turned over" % (what, frame), float(np.count_nonzero(~same)), 0)
    if velocity:
        got = values(mesh.attributes["velocity"], 3) @ m[:3, :3].T
        scale = max(1.0, np.abs(v).max())
        check("%s frame %d velocities" % (what, frame), np.abs(got - v @ turn.T).max() / scale, 1e-4)
        if 1 < frame < record.last:
            # In units per second: what Blender's own positions do between frames, where nothing hits.
            fps = record.manifest["fps"]
            before, after = record.frame(frame - 1)[0], record.frame(frame + 1)[0]
            rate = np.median((after - before) @ turn.T * fps / 2, axis=0)
            check("%s frame %d direction and length" % (what, frame), np.abs(np.median(got, axis=0) - rate).max(), 0.02)
    for name in fields:
        got = values(mesh.attributes[name], 1)
        check("%s frame %d %s" % (what, frame, name), np.abs(got - column[name]).max(), 1e-6)


def fresh(fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(fps)


def named(name):
    found = [o for o in bpy.data.objects if o.type == "MESH" and o.name.startswith(name)]
    assert len(found) == 1, [o.name for o in bpy.data.objects]
    return found[0]


def mesh_file(path):
    importer = bpy.ops.wm.obj_import if path.endswith(".obj") else bpy.ops.wm.ply_import
    importer(filepath=path, forward_axis="Y", up_axis="Z")


def main():
    run, exports, name = sys.argv[1:4]
    record = Record(run, name)
    fps, last = record.manifest["fps"], record.last
    frames = (1, (1 + last) // 2, last)
    scene = os.path.join(exports, "scene")
    for ending in ("usdc", "usda", "abc", "gltf"):
        fresh(fps)
        path = "%s.%s" % (scene, ending)
        if ending.startswith("usd"):
            bpy.ops.wm.usd_import(filepath=path, set_frame_range=True)
            check("%s range" % ending, abs(bpy.context.scene.frame_end - last), 0)
        elif ending == "abc":
            bpy.ops.wm.alembic_import(filepath=path, as_background_job=False, set_frame_range=True)
            check("%s range" % ending, abs(bpy.context.scene.frame_end - last), 0)
        else:
            bpy.ops.import_scene.gltf(filepath=path)
        others = [o["name"] for o in record.manifest["objects"] if o["name"] != name]
        for other in others:
            named(other)
        usd = ending.startswith("usd")
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            fields = ("strain", "speed") if usd else ()
            look(record, ending, named(name), frame, UP, velocity=ending != "gltf", fields=fields)
        if usd:
            material = named(name).evaluated_get(bpy.context.evaluated_depsgraph_get()).data.attributes["material_id"]
            check("%s material_id of faces" % ending, 0 if material.domain == "FACE" else 1, 0)
    for ending in ("pc2", "mdd"):
        fresh(fps)
        mesh_file("%s/%s/%s.obj" % (exports, ending, name))
        modifier = named(name).modifiers.new("cache", "MESH_CACHE")
        modifier.cache_format, modifier.filepath = ending.upper(), "%s/%s/%s.%s" % (exports, ending, name, ending)
        modifier.deform_mode, modifier.frame_start = "OVERWRITE", 1
        modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            look(record, ending, named(name), frame, np.eye(3))
    for ending in ("obj", "ply"):
        for frame in frames:
            fresh(fps)
            mesh_file("%s/%s/%s.%04d.%s" % (exports, ending, name, frame, ending))
            fields = ("strain", "speed") if ending == "ply" else ()
            look(record, ending, named(name), frame, np.eye(3), fields=fields)
    print("exports in Blender %s: %s" % (bpy.app.version_string, "; ".join(faults) or "all well"))
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        import traceback

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Blender's own end can be slow
