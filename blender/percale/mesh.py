"""Meshes out: positions in metres, PLY files, point caches (PC2), vertex groups."""

import os

import numpy as np


class Refused(Exception):
    """What the user has to put right, in a sentence; `obj` is the object that it is about, if any."""

    def __init__(self, text, obj=None):
        super().__init__(text)
        self.obj = obj


def local(mesh):
    """Positions of a mesh's vertices in the object's own coordinates."""
    x = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", x)
    return x.reshape(-1, 3).astype(float)


def world(x, matrix, scale):
    """The same in the world [m]."""
    return (x @ matrix[:3, :3].T + matrix[:3, 3]) * scale


def faces(mesh):
    """Number of corners of each face, and the vertices of all corners."""
    totals = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", totals)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return totals, corners


def chart(mesh):
    """The active UV map at all corners of faces; none without one."""
    layer = mesh.uv_layers.active
    if layer is None or not len(mesh.loops):
        return None
    uv = np.empty(2 * len(mesh.loops), np.float32)
    layer.data.foreach_get("uv", uv)
    return uv.reshape(-1, 2).astype(float)


def weights(obj, group):
    """Weight of each vertex in a group, by name."""
    found = obj.vertex_groups.get(group)
    if found is None:
        there = ", ".join("'%s'" % g.name for g in obj.vertex_groups) or "none"
        raise Refused("%s has no vertex group '%s'; it has %s" % (obj.name, group, there), obj)
    out = np.zeros(len(obj.data.vertices))
    for v in obj.data.vertices:
        for g in v.groups:
            if g.group == found.index:
                out[v.index] = g.weight
    return out


def turned(totals):
    """Which corner comes where once each face goes the other way around."""
    ends = np.cumsum(totals)
    begins = ends - totals
    return np.repeat(begins + ends - 1, totals) - np.arange(int(totals.sum()))


def words(parts):
    """Bytes of the lists of faces, one after the other: of each part the count of its numbers, then these as 32 bits.

    A part is (counts, numbers): how many each face has, and those of all faces."""
    faces = len(parts[0][0])
    sizes = [1 + 4 * counts for counts, _ in parts]
    whole = np.sum(sizes, axis=0) if faces else np.zeros(0, int)
    begin = np.cumsum(whole) - whole
    out = np.empty(int(whole.sum()), np.uint8)
    for (counts, numbers), size in zip(parts, sizes):
        out[begin] = counts
        first = np.repeat(begin + 1 - 4 * (np.cumsum(counts) - counts), 4 * counts)
        out[first + np.arange(4 * len(numbers))] = numbers.view(np.uint8)
        begin = begin + size
    return out.tobytes()


def write_ply(path, x, totals, corners, channels=(), uv=None):
    """Binary PLY with values per vertex, (name, values) each, and a chart at the corners of faces."""
    most = 255 if uv is None else 127
    if len(totals) and totals.max() > most:
        name = os.path.basename(path)
        raise Refused("%s: a face of %d corners; the most is %d: triangulate it" % (name, totals.max(), most))
    head = ["ply", "format binary_little_endian 1.0", "element vertex %d" % len(x)]
    head += ["property float %s" % n for n in ["x", "y", "z"] + [name for name, _ in channels]]
    head += ["element face %d" % len(totals), "property list uchar int vertex_indices"]
    head += ["property list uchar float texcoord"] if uv is not None else []
    head += ["end_header", ""]
    rows = np.column_stack([x] + [values for _, values in channels]).astype("<f4")
    parts = [(totals.astype(int), np.ascontiguousarray(corners, "<i4"))]
    if uv is not None:
        parts.append((2 * totals.astype(int), np.ascontiguousarray(uv.reshape(-1), "<f4")))
    with open(path, "wb") as file:
        file.write("\n".join(head).encode())
        file.write(rows.tobytes())
        file.write(words(parts))


class PointCache:
    """A PC2 file that grows by a frame at a time."""

    def __init__(self, path, vertices):
        self.vertices, self.frames = vertices, 0
        self.file = open(path, "wb")
        self.head()

    def head(self):
        self.file.seek(0)
        self.file.write(b"POINTCACHE2\0" + np.array([1, self.vertices], "<i4").tobytes())
        self.file.write(np.array([0, 1], "<f4").tobytes() + np.array([self.frames], "<i4").tobytes())

    def add(self, x):
        self.file.write(np.ascontiguousarray(x, "<f4").tobytes())
        self.frames += 1

    def close(self):
        if not self.file.closed:
            self.head()
            self.file.close()
