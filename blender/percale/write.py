"""From the selection to a scene of percale: meshes, pins, maps, animation, and the TOML file.

Coordinates are those of Blender's world, z up, in metres."""

import json
import os
import re
import shutil

import bpy
import numpy as np

from . import cache


class Refused(Exception):
    """What the user has to put right, in a sentence."""


def name_of(name, taken):
    """A name that percale takes, and no other object has."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:56] or "object"
    one, number = plain, 2
    while one in taken:
        one, number = "%s_%d" % (plain, number), number + 1
    return one


def number(x):
    """As Blender shows it: its properties are single precision."""
    return float("%.7g" % x)


def world(obj, mesh, scale):
    """Positions of a mesh's vertices in the world [m]."""
    x = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", x)
    m = np.array(obj.matrix_world)
    return (x.reshape(-1, 3) @ m[:3, :3].T + m[:3, 3]) * scale


def faces(mesh):
    """Number of corners of each face, and the vertices of all corners."""
    totals = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", totals)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return totals, corners


def weights(obj, group):
    """Weight of each vertex in a group, by name."""
    found = obj.vertex_groups.get(group)
    if found is None:
        raise Refused("%s has no vertex group '%s'" % (obj.name, group))
    out = np.zeros(len(obj.data.vertices))
    for v in obj.data.vertices:
        for g in v.groups:
            if g.group == found.index:
                out[v.index] = g.weight
    return out


def write_ply(path, x, totals, corners, channels=()):
    """Binary PLY with values per vertex, (name, values) each."""
    if len(totals) and totals.max() > 255:
        raise Refused("%s: a face of %d corners; the most is 255" % (path, totals.max()))
    head = ["ply", "format binary_little_endian 1.0", "element vertex %d" % len(x)]
    head += ["property float %s" % n for n in ["x", "y", "z"] + [name for name, _ in channels]]
    head += ["element face %d" % len(totals), "property list uchar int vertex_indices", "end_header", ""]
    rows = np.column_stack([x] + [values for _, values in channels]).astype("<f4")
    lists = np.empty(len(totals) + 4 * len(corners), np.uint8)
    starts = np.arange(len(totals)) + 4 * (np.cumsum(totals) - totals)
    number = np.ones(len(lists), bool)
    number[starts] = False
    lists[starts] = totals
    lists[number] = corners.astype("<i4").view(np.uint8)
    with open(path, "wb") as file:
        file.write("\n".join(head).encode())
        file.write(rows.tobytes())
        file.write(lists.tobytes())


class Thing:
    """An object on its way to percale."""

    def __init__(self, obj, name):
        self.obj, self.name, self.role = obj, name, obj.percale.role
        self.simulated = self.role != "OBSTACLE"
        self.lines = ["[[%s]]" % self.role.lower(), "name = %s" % json.dumps(name)]
        self.matrices, self.first, self.moves, self.paths = [], None, False, []
        self.pinned = None
        if self.role == "CLOTH" and obj.percale.pin:
            self.pinned = np.flatnonzero(weights(obj, obj.percale.pin) > 0.5)

    def sample(self, graph, folder, frame, scale):
        """Takes the object as it is at the scene's frame, the `frame`-th from 1."""
        evaluated = self.obj.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        try:
            x = world(evaluated, mesh, scale)
            if frame == 1:
                self.first, self.faces = x, faces(mesh)
                if self.simulated and len(x) != len(self.obj.data.vertices):
                    raise Refused("%s: a modifier before the cache changes the vertices" % self.obj.name)
            elif len(x) != len(self.first):
                raise Refused("%s: %d vertices, %d at the first frame" % (self.obj.name, len(x), len(self.first)))
            self.matrices.append(np.array(evaluated.matrix_world))
            moves = np.abs(x - self.first).max(initial=0.0) > 1e-7
            if self.pinned is not None:
                self.paths.append(x[self.pinned])
                self.moves |= bool(np.abs(self.paths[-1] - self.paths[0]).max(initial=0.0) > 1e-7)
            if not self.simulated:
                self.moves |= bool(moves)
                write_ply(os.path.join(folder, "meshes", "%s.%04d.ply" % (self.name, frame)), x, *self.faces)
        finally:
            evaluated.to_mesh_clear()

    def finish(self, folder, count, fps):
        """Writes what is known after the last frame, and its lines of the scene."""
        own = self.obj.percale
        meshes = os.path.join(folder, "meshes")
        if self.role == "OBSTACLE":
            self.lines.append("friction = %r" % number(own.friction))
            if own.thickness > 0:
                self.lines.append("thickness = %r" % number(own.thickness))
            if self.moves:
                files = "meshes/%s.####.ply" % self.name
                self.lines.append(
                    'sequence = { files = "%s", first = 1, last = %d, fps = %r }' % (files, count, fps)
                )
            else:
                os.replace(os.path.join(meshes, self.name + ".0001.ply"), os.path.join(meshes, self.name + ".ply"))
                for frame in range(2, count + 1):
                    os.remove(os.path.join(meshes, "%s.%04d.ply" % (self.name, frame)))
                self.lines.append('mesh = "meshes/%s.ply"' % self.name)
            return
        np.save(os.path.join(meshes, self.name + ".matrices.npy"), np.array(self.matrices))
        self.lines.append('mesh = "meshes/%s.ply"' % self.name)
        if own.material:
            self.lines.append("material = %s" % json.dumps(own.material))
        if own.thickness > 0:
            self.lines.append("thickness = %r" % number(own.thickness))
        if self.role == "BODY":
            if own.resolution > 0:
                self.lines.append("resolution = %r" % number(own.resolution))
            write_ply(os.path.join(meshes, self.name + ".ply"), self.first, *self.faces)
            return
        channels = []
        for of in ("stretch", "bend", "mass"):
            group = getattr(own, of)
            if group:
                channels.append((of + "_map", weights(self.obj, group)))
                self.lines += ["", "[[cloth.map]]", 'of = "%s"' % of, 'channel = "%s_map"' % of]
        if self.pinned is not None and len(self.pinned):
            if self.moves:
                self.pin_along_paths(folder, fps)
            else:
                channels.append(("pin", np.isin(np.arange(len(self.first)), self.pinned).astype(float)))
                self.lines += ["", "[[cloth.pin]]", 'group = "pin"']
        write_ply(os.path.join(meshes, self.name + ".ply"), self.first, *self.faces, channels)

    def pin_along_paths(self, folder, fps):
        """A pin a vertex: each goes where the animation has it."""
        paths = np.array(self.paths)
        os.makedirs(os.path.join(folder, "pins"), exist_ok=True)
        for k, vertex in enumerate(self.pinned):
            file = "pins/%s.%d.csv" % (self.name, vertex)
            with open(os.path.join(folder, file), "w") as out:
                out.write("t,x,y,z\n")
                for frame, p in enumerate(paths[:, k]):
                    out.write("%.9g,%.9g,%.9g,%.9g\n" % (frame / fps, *p))
            self.lines += ["", "[[cloth.pin]]", "vertices = [%d]" % vertex, 'path = "%s"' % file]


def write(context, objects, folder):
    """Writes a scene of objects into a folder; gives the names of simulated objects: Blender's and percale's.

    Raises Refused with what is wrong."""
    scene = context.scene
    scale = scene.unit_settings.scale_length
    fps = scene.render.fps / scene.render.fps_base
    things = []
    for obj in objects:
        if obj.type == "MESH":
            things.append(Thing(obj, name_of(obj.name, [t.name for t in things])))
    if not any(t.simulated for t in things):
        raise Refused("nothing to simulate: no selected mesh object is cloth or body")
    for part in ("meshes", "pins"):
        shutil.rmtree(os.path.join(folder, part), ignore_errors=True)
    os.makedirs(os.path.join(folder, "meshes"))
    now = scene.frame_current
    count = scene.frame_end - scene.frame_start + 1
    with cache.hidden([t.obj for t in things if t.simulated]):
        for frame in range(1, count + 1):
            scene.frame_set(scene.frame_start + frame - 1)
            graph = context.evaluated_depsgraph_get()
            for thing in things:
                thing.sample(graph, folder, frame, scale)
    scene.frame_set(now)
    for thing in things:
        thing.finish(folder, count, fps)
    gravity = [number(g * scale) if scene.use_gravity else 0.0 for g in scene.gravity]
    lines = [
        "[scene]",
        "name = %s" % json.dumps(name_of(scene.name, [])),
        'up = "z"',
        "gravity = %r" % gravity,
        "",
        "[time]",
        "fps = %r" % fps,
        "frames = %d" % count,
        "step = %r" % number(scene.percale.step),
    ]
    for thing in things:
        lines += [""] + thing.lines
    more = bpy.data.texts.get(scene.percale.text)
    if scene.percale.text and more is None:
        raise Refused("there is no text block '%s'" % scene.percale.text)
    if more:
        lines += ["", more.as_string()]
    with open(os.path.join(folder, "scene.toml"), "w") as out:
        out.write("\n".join(lines) + "\n")
    plan = {
        "objects": [[t.obj.name, t.name, t.role] for t in things if t.simulated],
        "first": scene.frame_start,
        "scale": scale,
    }
    with open(os.path.join(folder, "plan.json"), "w") as out:
        json.dump(plan, out, indent=1)
    return plan
