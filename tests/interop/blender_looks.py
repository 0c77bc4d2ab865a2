"""What Blender makes of materials in exports: python blender_looks.py PERCALE. Needs bpy.

A shirt of two materials and faces of none, through every format: names of slots, faces of each, colour, roughness, metalness, and
normals across a joined seam, and the name of the object in the source file."""

import os
import subprocess
import sys
import tempfile

import bpy
import numpy as np

SHIRT = """o Shirt
v 0 0 1
v .2 0 1
v .4 0 1
v 0 .2 1
v .2 .2 1
v .4 .2 1
v .4 0 1
v .4 .2 1
v .6 0 .8
vt 0 0
vt .2 0
vt .2 .2
vt 0 .2
vt .5 0
vt .7 0
vt .7 .2
vt .5 .2
f 7/1 9/2 8/3
usemtl front
f 1/1 2/2 5/3 4/4
usemtl back
f 2/5 3/6 6/7 5/8
"""
SCENE = """[time]
start_frame = 1001
frames = 2
[[cloth]]
name = "shirt"
mesh = "shirt.obj"
weld = "1 mm"
material = "silk"
colour = "#ff0080"
"""
FACES = ["shirt", "front", "back"]
COLOUR = [1.0, 0.0, 0.215861, 1.0]
faults = []


def check(what, got, wanted):
    print("  %-28s %s" % (what, got))
    if got != wanted:
        faults.append("%s: %s, not %s" % (what, got, wanted))


def load(path, ending):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if ending.startswith("usd"):
        bpy.ops.wm.usd_import(filepath=path)
    elif ending == "abc":
        bpy.ops.wm.alembic_import(filepath=path, as_background_job=False)
    elif ending == "obj":
        bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z")
    else:
        bpy.ops.import_scene.gltf(filepath=path)


def smooth(own):
    """Whether all corners at one place have the same normal."""
    mesh = own.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    normals = np.array([n.vector for n in mesh.corner_normals])
    at = np.array([mesh.vertices[c.vertex_index].co for c in mesh.loops])
    spread = 0.0
    for p in at:
        here = normals[np.abs(at - p).max(axis=1) < 1e-6]
        spread = max(spread, np.abs(here - here[0]).max())
    return bool(spread < 1e-3)


def look(path, ending):
    load(path, ending)
    check(ending + " objects", sorted(o.name for o in bpy.data.objects), ["shirt"])
    own = [o for o in bpy.data.objects if o.type == "MESH"][0]
    mesh = own.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    slots = [slot.material.name if slot.material else None for slot in own.material_slots]
    # glTF has triangles: a quad is two.
    named = [slots[p.material_index] for p in mesh.polygons]
    check(ending + " faces", [n for k, n in enumerate(named) if k == 0 or n != named[k - 1]], FACES)
    check(ending + " count", len(named), 5 if ending == "gltf" else 3)
    if ending != "obj":
        for frame in (1001, 1002):
            bpy.context.scene.frame_set(frame)
            check("%s normals at one place, frame %d" % (ending, frame), smooth(own), True)
        # Without them the seam is a crease.
        if ending != "gltf":
            load(path.replace("shot.", "flat."), ending)
            bpy.context.scene.frame_set(1002)
            flat = [o for o in bpy.data.objects if o.type == "MESH"][0]
            check("%s without normals" % ending, smooth(flat), False)
            load(path, ending)
            own = [o for o in bpy.data.objects if o.type == "MESH"][0]
    if ending.startswith("usd") or ending == "gltf":
        check(ending + " name in the source", own.get("source") or own.data.get("source"), "Shirt")
    if ending == "abc":
        return  # Alembic has names alone.
    for slot in own.material_slots:
        shader = [n for n in slot.material.node_tree.nodes if n.type == "BSDF_PRINCIPLED"][0].inputs
        values = list(shader["Base Color"].default_value) + [shader["Roughness"].default_value, shader["Metallic"].default_value]
        near = bool(np.abs(np.array(values) - (COLOUR + [0.45, 0.0])).max() < 1e-5)
        check("%s %s as it was" % (ending, slot.material.name), near, True)


def main():
    percale = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("shirt.obj", SHIRT), ("shot.toml", SCENE)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        run = [percale, "run", "shot.toml", "--out", "run", "--no-preview", "--progress", "none"]
        subprocess.run(run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for ending in ("usdc", "usda", "abc", "gltf", "obj"):
            path = "shot." + ending if ending != "obj" else "obj"
            out = [percale, "export", "run", "--format", ending, "--out", path]
            subprocess.run(out, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            if ending in ("usdc", "usda", "abc"):
                out = [*out[:-1], "flat." + ending, "--normals", "off"]
                subprocess.run(out, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            path = os.path.join(folder, path)
            look(path if ending != "obj" else os.path.join(path, "shirt.1002.obj"), ending)
    print("materials in Blender %s: %s" % (bpy.app.version_string, "; ".join(faults) or "all well"))
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
