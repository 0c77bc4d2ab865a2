"""The result on the objects that it is of: point caches in their own coordinates, played by a Mesh Cache modifier."""

import contextlib
import json
import os

import bpy
import numpy as np

MODIFIER = "percale"

# Modifiers that keep the vertices: those at the head of an object's list come before the simulation.
DEFORM = {
    "ARMATURE", "CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH",
    "LATTICE", "MESH_CACHE", "MESH_DEFORM", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SURFACE_DEFORM", "WARP", "WAVE",
}  # fmt: skip


def place(obj):
    """How many modifiers come before the simulation."""
    for k, modifier in enumerate(obj.modifiers):
        if modifier.type not in DEFORM or modifier.name == MODIFIER:
            return k
    return len(obj.modifiers)


@contextlib.contextmanager
def hidden(objects):
    """Objects as they go into the simulation: without what comes after it."""
    off = []
    for obj in objects:
        for modifier in list(obj.modifiers)[place(obj):]:
            if modifier.show_viewport:
                modifier.show_viewport = False
                off.append(modifier)
    try:
        yield
    finally:
        for modifier in off:
            modifier.show_viewport = True


def localise(path, matrices, scale, origin):
    """Turns a PC2 file from metres about an origin to an object's own coordinates, frame by frame."""
    head = np.fromfile(path, "<i4", 5, offset=12)
    vertices, frames = int(head[1]), int(head[4])
    points = np.memmap(path, "<f4", "r+", 32, (frames, vertices, 3))
    for k in range(frames):
        try:
            m = np.linalg.inv(matrices[min(k, len(matrices) - 1)])
        except np.linalg.LinAlgError:
            raise ValueError("%s: the object has no size at the %d-th frame" % (os.path.basename(path), k + 1)) from None
        points[k] = ((points[k] + origin) / scale) @ m[:3, :3].T + m[:3, 3]
    points.flush()
    return vertices, frames


def origin_of(folder):
    """What the origin of the meshes of a folder's run is in the scene, in metres: zero unless that is far away."""
    with open(os.path.join(folder, "run", "run.json"), encoding="utf-8") as file:
        return np.array(json.load(file).get("origin", [0, 0, 0]), float)


def read_triangles(path):
    """Positions and triangles of a binary PLY that percale has written."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    rows, columns, section = {}, [], ""
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[0] == "element":
            section = words[1]
            rows[section] = int(words[2])
        elif words[0] == "property" and section == "vertex":
            columns.append((words[2], {"float": "<f4", "double": "<f8", "uchar": "u1", "int": "<i4"}[words[1]]))
    vertices = np.frombuffer(data, columns, rows["vertex"], end)
    lists = np.dtype([("n", "u1"), ("v", "<i4", 3)])
    triangles = np.frombuffer(data, lists, rows["face"], end + vertices.nbytes)
    return np.column_stack([vertices[c] for c in "xyz"]).astype(float), triangles["v"]


def attach(obj, path, first):
    """Plays a PC2 file on an object from a frame on."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is None:
        modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
        obj.modifiers.move(len(obj.modifiers) - 1, place(obj))
    modifier.cache_format = "PC2"
    try:
        modifier.filepath = bpy.path.relpath(path) if bpy.data.filepath else path
    except ValueError:
        # On another drive of Windows.
        modifier.filepath = path
    modifier.deform_mode = "OVERWRITE"
    modifier.interpolation = "LINEAR"
    modifier.play_mode = "SCENE"
    modifier.frame_start = first
    modifier.frame_scale = 1.0
    modifier.forward_axis = "POS_Y"
    modifier.up_axis = "POS_Z"
    return modifier


def load(folder):
    """Brings the exported caches of a folder to their objects; gives how many frames there are."""
    with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
        plan = json.load(file)
    origin = origin_of(folder)
    frames, missing = 0, []
    for blender, name, role in plan["objects"]:
        path = os.path.join(folder, "cache", name + ("-embedded" if role == "BODY" else "") + ".pc2")
        obj = bpy.data.objects.get(blender)
        if obj is None:
            missing.append(blender)
            continue
        matrices = np.load(os.path.join(folder, "meshes", name + ".matrices.npy"))
        vertices, frames = localise(path, matrices, plan["scale"], origin)
        if vertices != len(obj.data.vertices):
            raise ValueError("%s has %d vertices, its cache %d" % (blender, len(obj.data.vertices), vertices))
        attach(obj, path, plan["first"])
    if missing:
        raise ValueError("no object '%s', which was simulated; is it renamed?" % "', '".join(missing))
    return frames


def clear(objects):
    """Takes the results off."""
    for obj in objects:
        modifier = obj.modifiers.get(MODIFIER)
        if modifier:
            obj.modifiers.remove(modifier)
