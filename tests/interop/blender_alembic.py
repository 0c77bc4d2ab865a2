"""Random scenes written to Alembic by Blender and read by percale: `blender_alembic.py PERCALE [COUNT [SEED]]`, in an environment
with bpy.

Scenes have parents, constraints, animated transforms, shape keys, armatures, modifiers, instances, hidden objects and options of the
exporter. Each file is run as one obstacle. Points in the run's files must be those of Blender's evaluated meshes, vertex by vertex
within 1e-5 m (and 1e-5 of their distance), and triangles must lie in Blender's polygons and face as they do, in every frame, or
percale must say something of the file: a difference in silence is a failure. Then a grid of rates and first frames: frame k of the
shot is frame k of Blender.

Left out, for Blender's files do not have what it shows (its own import has it as percale):
- text: no geometry is written; surfaces crash the exporter;
- transforms with a shear: the exporter writes a place, a turn and a scale each, so children of uneven scales that are not theirs to
  have, by constraints, inverses of parents or `flatten`, are elsewhere;
- visibility that is animated for the viewport: some objects have samples of the first frame alone;
- parents that are vertices, and selected objects below others that are not: a transform is another's, or lost;
- copies of a collection under `flatten`: they have one name, and one is written. With `use_instancing` the exporter loses instances
  whose source is written after them, which it says: those may be absent here.
Where points are elsewhere and Blender's own import has them where percale does, the exporter is at fault, which is counted apart.
Samples beside the frames of the shot are not compared."""
import collections
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import traceback

import bpy
import numpy as np
from mathutils import Vector

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from record import read_ply, read_run  # noqa: E402

FRAMES = 4
# Words of warnings after which points are still Blender's, of what is shown.
HARMLESS = ["it stands still from there", "nothing moves in it", "crosses itself", "stay where they are until", "Is it meant?",
            "the chart (UV) is left out", "they take no part in anything", "left out, for hidden", "left out, for empty",
            "left out, for no meshes", "they appear or vanish", "it has no points where it is hidden"]
# Frames a second and Blender's divisor, with what a scene of percale has.
RATES = [(24, 1.0, "24"), (25, 1.0, "25"), (30, 1.0, "30"), (60, 1.0, "60"), (24, 1.001, '"24000/1001"'), (24, 1.001, "23.976")]
TURN = {"z": np.eye(3), "y": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])}


class Maker:
    """A scene from a seed."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.used = set()
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.scene = bpy.context.scene
        self.fps, base, self.rate = self.pick(RATES[:1] * 3 + RATES)
        self.scene.render.fps, self.scene.render.fps_base = self.fps, base
        self.scene_base = base
        self.start = self.pick([1, 1, 101, 1001, 86400])
        self.scene.frame_start, self.scene.frame_end = self.start, self.start + FRAMES - 1
        self.scene.unit_settings.scale_length = self.pick([1.0, 1.0, 0.01])
        self.up = self.pick(["y", "z"])
        self.mode = self.pick(["RENDER", "VIEWPORT"])
        self.flatten = self.feature("flatten", 0.2)
        # Instances that Blender says it could not write.
        self.lost = 0
        # Whether curves are in the file as such.
        self.curves = False
        # Objects by name with the frames that show them; absent if all do.
        self.shown = {}
        self.count = 0

    # Dice.

    def pick(self, values):
        return self.rng.choice(values)

    def chance(self, p):
        return self.rng.random() < p

    def real(self, most):
        return self.rng.uniform(-most, most)

    def vector(self, most):
        return Vector((self.real(most), self.real(most), self.real(most)))

    def name(self, kind):
        self.count += 1
        return self.pick([f"{kind}{self.count}", f"{kind} {self.count}", f"{kind}.{self.count:03}"])

    def feature(self, name, share):
        """Whether the scene has a feature here, which is noted."""
        here = self.chance(share)
        if here:
            self.used.add(name)
        return here

    def keys(self, owner, path, make, set_by=None, **more):
        """Animates a property."""
        for frame in sorted({self.start + self.pick([0, 1, 2, 3, -1, -3, 5]) for _ in range(self.rng.randint(2, 4))}):
            (set_by or setattr)(owner, path, make())
            owner.keyframe_insert(path, frame=frame, **more)

    # Objects.

    def put(self, name, data, parent, **more):
        thing = bpy.data.objects.new(name, data)
        self.scene.collection.objects.link(thing)
        self.place(thing, parent, **more)
        return thing

    def place(self, thing, parent, moving=0.45, free=True, bends=True):
        """Moves an object. The exporter writes each transform relative to its parent as a place, a turn and a scale, without
        shear, so there must be none."""
        thing.rotation_mode = self.pick(["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "QUATERNION", "AXIS_ANGLE"])
        path = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(thing.rotation_mode,
                                                                                             "rotation_euler")
        turn = {"rotation_quaternion": lambda: [self.real(1) + 1.2] + list(self.vector(1)),
                "rotation_axis_angle": lambda: [self.real(3)] + list(self.vector(1) + Vector((1.5, 0, 0))),
                "rotation_euler": lambda: self.vector(3)}[path]
        straight = all(even(o) for o in above(parent))
        constrained = free and straight and self.feature("constraint", 0.08)
        uneven = bends and self.chance(0.5) and (straight or not self.flatten) and not constrained
        if uneven:
            self.used.add("uneven scale")
        thing["uneven"] = uneven
        sign = self.pick([1, 1, 1, -1])

        def grow():
            size = self.rng.uniform(0.5, 1.6)
            rest = [self.rng.uniform(0.5, 1.6) if uneven else size for _ in range(2)]
            return [sign * size] + rest

        for path, make, share in [("location", lambda: self.vector(0.8), 0.7), (path, turn, 0.6), ("scale", grow, 0.4)]:
            if self.chance(share):
                setattr(thing, path, make())
                if self.feature(f"moving {path}", moving):
                    self.keys(thing, path, make)
        if self.feature("delta", 0.08):
            thing.delta_location, thing.delta_rotation_euler = self.vector(0.3), self.vector(1)
        if parent:
            thing.parent = parent
            if self.chance(0.4) and even(parent):
                thing.matrix_parent_inverse = parent.matrix_basis.inverted_safe()
            if parent.type == "ARMATURE" and self.feature("parent is a bone", 0.3):
                thing.parent_type, thing.parent_bone = "BONE", "b1"
        targets = [o for o in self.scene.objects if o.type in ("EMPTY", "MESH") and o != thing and thing not in above(o)]
        targets = [o for o in targets if all(even(own) for own in above(o))]
        if constrained and targets:
            kind = self.pick(["COPY_LOCATION", "COPY_ROTATION", "TRACK_TO", "CHILD_OF", "COPY_TRANSFORMS"])
            thing.constraints.new(kind).target = self.pick(targets)

    def shape(self):
        """Points and faces: a box, a grid, or a prism on a polygon that is not convex."""
        size = self.rng.uniform(0.05, 0.3)
        jitter = lambda p: Vector(p) * size + self.vector(0.1 * size)
        kind = self.pick(["box", "box", "grid", "prism"])
        if kind == "box":
            points = [jitter((x, y, z)) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
            faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        elif kind == "grid":
            n = self.rng.randint(2, 5)
            points = [jitter((x, y, 0)) for y in range(n) for x in range(n)]
            faces = [(k, k + 1, k + n + 1, k + n) for k in range(n * (n - 1)) if k % n < n - 1]
        else:
            self.used.add("polygons")
            n = self.rng.randint(5, 9)
            reach = [self.rng.uniform(0.3, 1.0) for _ in range(n)]
            ring = [(r * math.cos(2 * math.pi * k / n), r * math.sin(2 * math.pi * k / n)) for k, r in enumerate(reach)]
            points = [Vector((x, y, z)) * size for z in (0, 1) for x, y in ring]
            faces = [tuple(reversed(range(n))), tuple(range(n, 2 * n))]
            faces += [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
        if self.chance(0.3):
            faces = [part for f in faces for part in ([f] if len(f) != 4 else [(f[0], f[1], f[2]), (f[0], f[2], f[3])])]
        return points, faces

    def mesh(self):
        points, faces = self.shape()
        edges = []
        if self.feature("loose", 0.1):
            edges = [(len(points), len(points) + 1)]
            points += [self.vector(0.3) for _ in range(self.pick([2, 3]))]
        mesh = bpy.data.meshes.new(self.name("Mesh"))
        mesh.from_pydata(points, edges, faces)
        for k in range(self.rng.randint(0, 2)):
            layer = mesh.uv_layers.new(name=f"Map{k}")
            for loop in layer.data:
                loop.uv = (self.rng.random(), self.rng.random())
        if self.feature("materials", 0.3):
            for _ in range(2):
                mesh.materials.append(bpy.data.materials.new(self.name("Look")))
            for face in mesh.polygons:
                face.material_index = self.rng.randrange(2)
        return mesh

    def thing(self, parent):
        thing = self.put(self.name("Thing"), self.mesh(), parent)
        if self.feature("shape keys", 0.2):
            self.shapes(thing)
        if self.feature("armature", 0.12):
            self.bones(thing)
        if self.chance(0.4):
            self.modifiers(thing)
        self.hide(thing)
        return thing

    def shapes(self, thing):
        thing.shape_key_add(name="Basis")
        for k in range(self.rng.randint(1, 2)):
            key = thing.shape_key_add(name=f"Key{k}")
            key.slider_min, key.slider_max = -1, 2
            for point in key.data:
                point.co += self.vector(0.05)
            self.keys(key, "value", lambda: self.rng.uniform(-0.5, 1.5))

    def bones(self, thing):
        rig = self.put(self.name("Rig"), bpy.data.armatures.new(self.name("Rig")), thing.parent)
        bpy.context.view_layer.objects.active = rig
        bpy.ops.object.mode_set(mode="EDIT")
        for k in range(2):
            bone = rig.data.edit_bones.new(f"b{k}")
            bone.head, bone.tail = Vector((0, 0, 0.15 * k)), Vector((0, 0, 0.15 * k + 0.15))
        rig.data.edit_bones["b1"].parent = rig.data.edit_bones["b0"]
        bpy.ops.object.mode_set(mode="OBJECT")
        for k in range(2):
            group = thing.vertex_groups.new(name=f"b{k}")
            for vertex in range(len(thing.data.vertices)):
                group.add([vertex], self.rng.random(), "REPLACE")
        skin = thing.modifiers.new("Armature", "ARMATURE")
        skin.object, skin.use_deform_preserve_volume = rig, self.chance(0.3)
        for bone in rig.pose.bones:
            bone.rotation_mode = "XYZ"
            self.keys(bone, "rotation_euler", lambda: self.vector(1))
        if self.chance(0.4) and (even(rig) or not self.flatten):
            self.thing(rig)

    def modifiers(self, thing):
        for kind in self.rng.sample(["WAVE", "SIMPLE_DEFORM", "MIRROR", "ARRAY", "SUBSURF", "SOLIDIFY", "CAST"],
                                    self.rng.randint(1, 2)):
            self.used.add(kind.lower())
            own = thing.modifiers.new(kind, kind)
            if kind == "WAVE":
                own.height, own.width, own.time_offset = 0.05, 0.2, self.start - 20
            elif kind == "SIMPLE_DEFORM":
                own.deform_method, own.deform_axis = self.pick(["TWIST", "BEND", "TAPER", "STRETCH"]), self.pick("XYZ")
                self.keys(own, "factor", lambda: self.real(0.6), lambda o, p, v: setattr(o, p, v))
            elif kind == "MIRROR":
                own.use_axis[self.rng.randrange(3)] = True
                own.use_mirror_merge = False
            elif kind == "ARRAY":
                own.count = self.rng.randint(2, 3)
            elif kind == "SUBSURF":
                own.levels, own.render_levels = self.pick([(1, 2), (1, 1), (0, 1), (2, 1)])
                own.subdivision_type = self.pick(["CATMULL_CLARK", "SIMPLE"])
            elif kind == "SOLIDIFY":
                own.thickness = 0.02
            elif kind == "CAST":
                self.keys(own, "factor", lambda: self.real(0.6))
            if self.feature("modifier of one mode", 0.1):
                own.show_viewport, own.show_render = self.pick([(True, False), (False, True)])

    def hide(self, thing):
        """Hides an object in some frames or in all."""
        if not self.feature("hidden", 0.1):
            return
        own, other = ("hide_render", "hide_viewport") if self.mode == "RENDER" else ("hide_viewport", "hide_render")
        if self.chance(0.4) or self.mode == "VIEWPORT":
            setattr(thing, own, self.chance(0.6))
            self.shown[thing.name] = [not getattr(thing, own)] * FRAMES
        else:
            self.used.add("animated visibility")
            frames = [self.start + k for k in range(FRAMES)]
            values = [self.chance(0.5) for _ in frames]
            for frame, hidden in zip(frames, values):
                setattr(thing, own, hidden)
                thing.keyframe_insert(own, frame=frame)
            self.shown[thing.name] = [not hidden for hidden in values]
        if self.chance(0.3):
            setattr(thing, other, True)

    def copies(self, parent):
        """A collection that empties show, or an object that shows another at its vertices."""
        straight = all(even(own) for own in above(parent))
        kind = self.pick(["collection", "linked"] + ["vertices", "faces"] * straight)
        self.used.add(f"instances: {kind}")
        if kind == "linked":
            source = self.thing(parent)
            for _ in range(2):
                twin = source.copy()
                twin.animation_data_clear()
                twin.scale, twin.hide_render, twin.hide_viewport = (1, 1, 1), False, False
                self.scene.collection.objects.link(twin)
                self.place(twin, parent, free=False)
        elif kind == "collection":
            group = bpy.data.collections.new(self.name("Set"))
            inner = None
            for _ in range(self.rng.randint(1, 2)):
                inner = self.put(self.name("Part"), self.mesh(), inner if self.chance(0.5) else None, free=False,
                                 bends=not self.flatten)
                self.scene.collection.objects.unlink(inner)
                group.objects.link(inner)
            group.instance_offset = self.vector(0.2)
            for _ in range(1 if self.flatten else self.rng.randint(1, 3)):
                empty = self.put(self.name("Copy"), None, parent, bends=not self.flatten)
                empty.instance_type, empty.instance_collection = "COLLECTION", group
                if self.feature("hidden copies", 0.15):
                    setattr(empty, "hide_render" if self.mode == "RENDER" else "hide_viewport", True)
                    self.shown[empty.name] = [False] * FRAMES
        else:
            source = self.put(self.name("Holder"), self.mesh(), parent, bends=False)
            source.instance_type = kind.upper() if kind == "faces" else "VERTS"
            self.put(self.name("Part"), self.mesh(), None, free=False, bends=False).parent = source

    def curve(self, parent):
        kind = self.pick(["CURVE", "CURVE", "META"])
        self.used.add(kind.lower())
        if kind == "META":
            # Balls whose names differ by a number alone are one surface, at one of them.
            data = bpy.data.metaballs.new(self.name("Meta"))
            data.resolution = data.render_resolution = 0.4
            data.elements.new().radius = 0.5
        else:
            data = bpy.data.curves.new(self.name("Curve"), kind)
            spline = data.splines.new("POLY")
            spline.points.add(3)
            data.dimensions, data.bevel_depth = "3D", self.pick([0.0, 0.03])
            for point in spline.points:
                point.co = list(self.vector(0.4)) + [1]
        self.put(f"{self.name(kind)}_{'abcdefghijklmnopqrst'[self.count % 20]}{self.count}x", data, parent)

    def branch(self, parent, depth):
        for _ in range(self.rng.randint(1, 2)):
            makers = [self.thing] * 5 + [self.copies, self.curve]
            own = self.pick(makers)(parent)
            if depth < 3 and self.chance(0.5):
                below = own if own and self.chance(0.5) else self.put(self.name("Empty"), None, parent)
                if even(below) or not self.flatten:
                    self.branch(below, depth + 1)

    def make(self, path):
        for _ in range(self.rng.randint(1, 2)):
            self.branch(None, 1)
        self.options(path)
        return self

    def options(self, path):
        samples, (opens, closes) = self.pick([(1, (0, 1)), (1, (0, 1)), (2, (0, 1)), (3, (0, 0.5)), (2, (-0.25, 0.25))])
        other = samples if opens < 0 else self.pick([1, samples])
        said = dict(xsamples=samples, gsamples=other, sh_open=opens, sh_close=closes, flatten=self.flatten,
                    apply_subdiv=self.chance(0.5), subdiv_schema=self.chance(0.2), curves_as_mesh=self.chance(0.6),
                    use_instancing=self.chance(0.6), global_scale=self.pick([1.0, 1.0, 0.01, 2.5]),
                    triangulate=self.chance(0.08), face_sets=self.chance(0.4), uvs=self.chance(0.8), packuv=self.chance(0.5),
                    normals=self.chance(0.7), export_hair=False, export_particles=False, evaluation_mode=self.mode)
        if self.feature("selected", 0.08):
            said["selected"] = True
            for thing in self.scene.objects:
                thing.select_set(self.chance(0.7))
            for thing in [thing for thing in self.scene.objects if thing.select_get()]:
                while thing := thing.parent:
                    thing.select_set(True)
        self.used.update(f"{key}={value}" for key, value in said.items() if key in
                         ("subdiv_schema", "triangulate", "use_instancing", "apply_subdiv") and value)
        self.said = said
        bpy.ops.wm.alembic_export(filepath=path, start=self.start, end=self.start + FRAMES - 1, as_background_job=False, **said)


def even(thing):
    """Whether the scale of an object is the same along all axes."""
    return not thing.get("uneven")


def above(thing):
    """An object, its parents, and the objects that it depends on by constraints."""
    if not thing:
        return set()
    more = [thing.parent] + [constraint.target for constraint in thing.constraints]
    return {thing}.union(*(above(own) for own in more))


def settle(maker):
    """Gives the scene the state that the export's mode of evaluation has, with all objects shown."""
    own = {"RENDER": "hide_render", "VIEWPORT": "hide_viewport"}[maker.mode]
    for thing in bpy.data.objects:
        if thing.animation_data and thing.animation_data.action:
            for path in ["hide_render", "hide_viewport"]:
                for frame in range(maker.start, maker.start + FRAMES):
                    try:
                        thing.keyframe_delete(path, frame=frame)
                    except RuntimeError:
                        pass
        thing.hide_render = thing.hide_viewport = False
        for modifier in thing.modifiers:
            modifier.show_viewport = modifier.show_render if own == "hide_render" else modifier.show_viewport
            if modifier.type == "SUBSURF" and own == "hide_render":
                modifier.levels = modifier.render_levels
        if not maker.said["apply_subdiv"]:
            # The exporter writes the cage of a last subdivision.
            last = [m for m in thing.modifiers if m.show_viewport][-1:]
            if last and last[0].type == "SUBSURF" and last[0].subdivision_type == "CATMULL_CLARK":
                last[0].show_viewport = False


def expected(maker):
    """Points and polygons of each mesh at each frame, by a key, in metres with z up; and the frames that show it."""
    settle(maker)
    frames = []
    for k in range(FRAMES):
        maker.scene.frame_set(maker.start + k)
        graph = bpy.context.evaluated_depsgraph_get()
        found = {}
        for here in graph.object_instances:
            thing = here.object
            if thing.original.type not in ("MESH", "META", "CURVE") or not (here.is_instance or here.show_self):
                continue
            mine = here.parent.original if here.is_instance else thing.original
            if maker.said.get("selected") and not mine.select_get():
                continue
            if thing.original.type == "CURVE" and not maker.said["curves_as_mesh"]:
                maker.curves = True
                continue
            mesh = thing.to_mesh()
            if not mesh or not len(mesh.polygons):
                continue
            points = np.empty(3 * len(mesh.vertices))
            mesh.vertices.foreach_get("co", points)
            m = np.array(here.matrix_world)
            world = (points.reshape(-1, 3) @ m[:3, :3].T + m[:3, 3]) * maker.said["global_scale"]
            key = (thing.original.name, here.is_instance and here.parent.original.name, tuple(here.persistent_id))
            faces = [tuple(face.vertices) for face in mesh.polygons]
            seen = all(maker.shown.get(name, [True] * FRAMES)[k] for name in key[:2])
            found[key] = (world, faces, np.linalg.det(m[:3, :3]) < 0, seen)
            thing.to_mesh_clear()
        frames.append(found)
    return frames


def judge(percale, seed):
    """The verdict of a seed, with a word of why, what the scene has, and its folder; from a process of its own, for Blender may
    crash."""
    folder = tempfile.mkdtemp(prefix=f"percale-alembic-{seed}-")
    heard, tell = os.pipe()
    child = os.fork()
    if not child:
        for stream in [1, 2]:
            os.dup2(os.open(os.path.join(folder, "blender.log"), os.O_CREAT | os.O_WRONLY | os.O_APPEND), stream)
        os.write(tell, json.dumps(judged(percale, seed, folder)).encode())
        os._exit(0)
    os.close(tell)
    with os.fdopen(heard, "rb") as pipe:
        answer = pipe.read()
    if os.waitpid(child, 0)[1] or not answer:
        return "Blender crashed", "", [], folder
    return json.loads(answer)


def judged(percale, seed, folder):
    try:
        maker = Maker(seed).make(os.path.join(folder, "scene.abc"))
        with open(os.path.join(folder, "blender.log")) as log:
            maker.lost = log.read().count("as instance")
        done, said = run(percale, folder, maker.rate, maker.start, maker.up)
        verdict = compare(done, said, expected(maker), os.path.join(folder, "out"), maker)
        used = sorted(maker.used)
        if verdict[0] == "wrong" and " m at " in verdict[1] and imported_alike(maker, folder):
            verdict = "exported otherwise", verdict[1]
    except Exception:
        verdict, used = ("wrong", f"no scene: {traceback.format_exc()[-600:]}"), []
    if verdict[0] != "wrong":
        shutil.rmtree(folder)
    return *verdict, used, folder


def imported_alike(maker, folder):
    """Whether Blender, too, reads its file otherwise than it shows the scene: as percale, in every frame."""
    origin = np.array(read_run(os.path.join(folder, "out")).get("origin") or [0, 0, 0])
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = maker.fps, maker.scene_base
    bpy.ops.wm.alembic_import(filepath=os.path.join(folder, "scene.abc"), as_background_job=False)
    for frame in range(maker.start, maker.start + FRAMES):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        shown = [own.evaluated_get(graph) for own in bpy.data.objects if own.type == "MESH"]
        theirs = np.array([own.matrix_world @ v.co for own in shown for v in own.data.vertices]) @ TURN[maker.up].T
        path = os.path.join(folder, "out/meshes/hero", f"hero.{frame:04}.ply")
        columns, rows = read_ply(path if os.path.exists(path) else os.path.join(folder, "out/meshes/hero/hero.ply"), names=True)
        ours = rows[:, [columns.index(axis) for axis in "xyz"]].astype(float) + origin
        apart = [np.linalg.norm(theirs - point, axis=1).min() / (1 + np.abs(point).max()) for point in ours]
        if not len(theirs) or max(apart) > 1e-5:
            return False
    return True


def run(percale, folder, rate, start, up, more=""):
    """Runs the file as an obstacle; the end of the program and what it says of the file."""
    path = os.path.join(folder, "scene.toml")
    with open(os.path.join(folder, "sheet.obj"), "w") as file:
        file.write("v 60 0 3\nv 60.1 0 3\nv 60 0.1 3\nf 1 2 3\n")
    with open(path, "w") as file:
        file.write(f'[scene]\nup = "{up}"\n[time]\nfps = {rate}\nstart_frame = {start}\nframes = {FRAMES}\nstep = "10 ms"\n'
                   '[[cloth]]\nname = "sheet"\nmesh = "sheet.obj"\n[[obstacle]]\nname = "hero"\n'
                   f'cache = {{ mesh = "scene.abc"{more} }}\n[preview]\nenabled = false\n')
    out = os.path.join(folder, "out")
    done = subprocess.run([percale, "run", path, "--out", out, "--progress", "none"], capture_output=True, text=True)
    return done, [line for line in done.stderr.splitlines() if "scene.abc" in line or "cache" in line]


def compare(done, said, frames, out, maker):
    if done.returncode not in (0, 2):
        return "wrong", f"exit {done.returncode}: {done.stderr[-300:]}"
    kept = [key for key in frames[0] if any(key in found and found[key][3] for found in frames)]
    if done.returncode == 2:
        return ("refused" if kept else "nothing shown"), done.stderr.strip().splitlines()[-1]
    more = [line for line in said if not any(words in line for words in HARMLESS)]
    if any(set(found) != set(frames[0]) for found in frames):
        return ("told" if more else "wrong"), "instances change"
    why = differ(frames, kept, out, maker)
    if why:
        return ("told" if more else "wrong"), f"{why}: {' '.join(more)}"
    alike = all(len({found[key][3] for key in kept}) == 1 for found in frames)
    for so, words in [(not alike, "they appear or vanish"), (maker.curves, "left out, for no meshes")]:
        if so and not any(words in line for line in said):
            return "wrong", f"'{words}' is not told"
    return "equal", ""


def differ(frames, kept, out, maker):
    """What a run has otherwise than Blender. Meshes of one obstacle are there from the first frame that shows any to the last."""
    origin = np.array(read_run(out).get("origin") or [0, 0, 0])
    shown = [k for k, found in enumerate(frames) if any(found[key][3] for key in kept)]
    all_points, meshes = [], []
    for k, found in enumerate(frames):
        path = os.path.join(out, "meshes/hero", f"hero.{maker.start + k:04}.ply")
        path = path if os.path.exists(path) else os.path.join(out, "meshes/hero/hero.ply")
        here = shown[0] <= k <= shown[-1]
        if os.path.exists(path) != here:
            return f"{'not ' if here else ''}shown in frame {k}"
        if here:
            (columns, rows), (_, faces) = read_ply(path, names=True), read_ply(path)
            all_points.append(rows[:, [columns.index(axis) for axis in "xyz"]].astype(float) + origin)
            meshes.append({key: found[key][0] @ TURN[maker.up].T for key in kept})
    count = sum(map(len, meshes[0].values()))
    if len(all_points[0]) != count and not (maker.lost and len(all_points[0]) < count):
        return f"{len(all_points[0])} of {count} points"
    inner = frames[shown[0]:shown[-1] + 1]
    apart = lambda key, at: max(off(points[at:at + len(own[key])], own[key]) for points, own, found in
                                zip(all_points, meshes, inner) if found[key][3])
    left, order, at = list(kept), [], 0
    while left and at < len(all_points[0]):
        key = min(left, key=lambda key: apart(key, at))
        left.remove(key)
        order.append(key)
        if apart(key, at) > 1e-5:
            return f"{apart(key, at):.1e} m at {key}"
        at += len(meshes[0][key])
    if any(not key[1] for key in left):
        return f"{left} is not there"
    return faced(faces, [inner[0][key] for key in order])


def off(found, right):
    """Largest distance of points in parts of their distance."""
    if len(found) != len(right):
        return math.inf
    return (np.linalg.norm(found - right, axis=1) / (1 + np.abs(right).max(axis=1))).max()


def faced(faces, meshes):
    """Whether triangles lie in polygons of meshes, as many as there should be, and face as these do."""
    triangles = np.frombuffer(faces, np.dtype([("n", "u1"), ("v", "<i4", 3)]))["v"]
    polygons, at = collections.defaultdict(list), 0
    count = 0
    for points, own, mirrored, _ in meshes:
        for face in own:
            around = [at + v for v in (reversed(face) if mirrored else face)]
            count += len(face) - 2
            for k, v in enumerate(around):
                polygons[v].append(around[k:] + around[:k])
        at += len(points)
    if count != len(triangles):
        return f"{len(triangles)} of {count} triangles"
    for a, b, c in triangles.tolist():
        if not any(b in face and c in face and face.index(b) < face.index(c) for face in polygons[a]):
            return f"triangle {a} {b} {c} is in no polygon"
    return ""


def grid(percale):
    """Frame k of a shot is frame k of Blender's at all rates and first frames."""
    for fps, base, rates in [(24, 1.001, ["23.976", '"24000/1001"']), (24, 1, ["24"]), (25, 1, ["25"]),
                             (30, 1.001, ["29.97", '"30000/1001"']), (30, 1, ["30"]), (48, 1, ["48"]), (60, 1, ["60"])]:
        for start in [1, 101, 1001, 86400]:
            bpy.ops.wm.read_factory_settings(use_empty=True)
            scene = bpy.context.scene
            scene.render.fps, scene.render.fps_base = fps, base
            mesh = bpy.data.meshes.new("Box")
            mesh.from_pydata([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)], [], [(0, 1, 2)])
            box = bpy.data.objects.new("Box", mesh)
            scene.collection.objects.link(box)
            places = {}
            for k in range(FRAMES):
                box.location = places[start + k] = (0.1 * k, 0.03 * k * k, 0)
                box.keyframe_insert("location", frame=start + k)
            folder = tempfile.mkdtemp(prefix="percale-alembic-grid-")
            bpy.ops.wm.alembic_export(filepath=os.path.join(folder, "scene.abc"), start=start, end=start + FRAMES - 1,
                                      as_background_job=False)
            other = 31.25
            for rate, more in [(rate, "") for rate in rates] + [(other, f", fps = {other}")]:
                shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
                done, said = run(percale, folder, rate, start, "z", more)
                assert done.returncode == 0 and not said, f"grid: {fps}/{base} from {start} at {rate}: {done.stderr}"
                for frame, place in places.items():
                    path = os.path.join(folder, f"out/meshes/hero/hero.{frame:04}.ply")
                    columns, rows = read_ply(path, names=True)
                    found = rows[0, [columns.index(axis) for axis in "xyz"]]
                    off = np.abs(found - np.array(place)).max()
                    assert off < 1e-5, f"grid: {fps}/{base} from {start} at {rate}: {off} m in frame {frame}"
            shutil.rmtree(os.path.join(folder, "out"))
            _, said = run(percale, folder, other, start, "z", ", start = 0")
            wanted = f"has {round(fps / base, 6) if base == 1 else round(fps / np.float32(base), 6)} samples a second"
            assert any(f"give cache.fps = {other}" in line for line in said), f"grid: {fps}/{base} from {start}: {said}"
            shutil.rmtree(folder)
    print("alembic: 7 rates by 4 first frames: frame k of the shot is Blender's")


def main():
    percale = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10**9)
    print(f"alembic: Blender {bpy.app.version_string}, seeds {seed} to {seed + count - 1}", flush=True)
    totals, wrong, features, reasons = (collections.Counter() for _ in range(4))
    for own in range(seed, seed + count):
        verdict, why, used, folder = judge(percale, own)
        totals[verdict] += 1
        features.update(used)
        if verdict == "wrong" or count == 1:
            wrong.update([own] if verdict == "wrong" else [])
            print(f"alembic: seed {own}: {verdict}: {why}; {', '.join(used)}; {folder}", flush=True)
        elif verdict != "equal":
            reasons[f"{verdict} {why.split(': ')[0] if verdict == 'told' else why}"[:160]] += 1
    print("alembic:", ", ".join(f"{n} {verdict}" for verdict, n in sorted(totals.items())))
    print("alembic: not taken, or told:", "; ".join(f"{n} {why}" for why, n in reasons.most_common()))
    print("alembic: with", ", ".join(f"{name} {n}" for name, n in features.most_common()))
    if count > 1:
        grid(percale)
    assert not wrong, f"{len(wrong)} of {count} files differ in silence"


if __name__ == "__main__":
    try:
        main()
        code = 0
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Blender's own end can be slow
