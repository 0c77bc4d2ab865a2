"""From the objects that take part to a scene of percale: meshes, pins, maps, animation, and the TOML file.

Coordinates are those of Blender's world, z up, in metres."""

import json
import os
import re
import shutil
from fractions import Fraction

import bpy
import numpy as np

from . import cache, mesh, motion
from .mesh import Refused

SHAPES = {"MESH", "CURVE", "SURFACE", "FONT"}

# A weight from which on a pin is no spring, and one below which there is none: what is left of a brush.
WHOLE, LEAST = 0.995, 0.001


def name_of(name, taken):
    """A name that percale takes, and no other object has, on a disk without capitals either."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:50] or "object"
    taken = {t.lower() for t in taken}
    one, number = plain, 2
    while one.lower() in taken:
        one, number = "%s_%d" % (plain, number), number + 1
    return one


def number(x):
    """As Blender shows it: its properties are single precision."""
    return float("%.7g" % x)


def text(x):
    return json.dumps(x, ensure_ascii=False)


def rate(render):
    """Frames per second, exact."""
    return Fraction(render.fps) / Fraction("%.7g" % render.fps_base)


class Thing:
    """An object on its way to percale."""

    def __init__(self, obj, name, role):
        self.obj, self.name, self.role = obj, name, role
        self.simulated = role != "OBSTACLE"
        self.lines = ["[[%s]]" % role.lower(), "name = %s" % text(name)]
        self.channels, self.track, self.springs = [], None, None
        if not self.simulated:
            return
        if obj.type != "MESH":
            raise Refused("%s is no mesh: convert it, or make it an obstacle" % obj.name, obj)
        if not len(obj.data.polygons):
            raise Refused("%s has no faces" % obj.name, obj)
        if obj.percale.pin:
            pinned = mesh.weights(obj, obj.percale.pin)
            held = pinned >= (LEAST if obj.percale.pin_stiffness > 0 else WHOLE)
            self.pinned = np.flatnonzero(held)
            self.springs = pinned[self.pinned]

    def begin(self, folder, scale):
        self.folder, self.scale = folder, scale
        self.track = motion.Track(os.path.join(folder, "meshes", self.name + ".pc2"), scale)
        # Of what is simulated the pinned vertices are followed.
        self.pins = None
        if self.springs is not None and len(self.springs):
            self.pins = motion.Track(os.path.join(folder, "pins", self.name + ".pc2"), scale)
        self.matrices = []

    def sample(self, graph, frame):
        """Takes the object as it is at the scene's frame, the `frame`-th from 1."""
        evaluated = self.obj.evaluated_get(graph)
        matrix = np.array(evaluated.matrix_world)
        self.matrices.append(matrix)
        if self.simulated and frame > 1 and self.pins is None:
            return
        shape = evaluated.to_mesh()
        try:
            x = mesh.local(shape)
            if frame == 1:
                if not len(shape.polygons):
                    raise Refused("%s has no faces at the first frame" % self.obj.name, self.obj)
                self.count, self.faces, self.uv = len(x), mesh.faces(shape), mesh.chart(shape)
                if self.simulated and len(x) != len(self.obj.data.vertices):
                    raise Refused("%s: a modifier changes the vertices; apply it first" % self.obj.name, self.obj)
            elif len(x) != self.count:
                raise Refused(
                    "%s has %d vertices at frame %d and %d at the first; an obstacle keeps its vertices"
                    % (self.obj.name, len(x), bpy.context.scene.frame_current, self.count), self.obj,
                )  # fmt: skip
        finally:
            evaluated.to_mesh_clear()
        if not np.isfinite(x).all() or not np.isfinite(matrix).all():
            raise Refused("%s has a coordinate that is no finite number" % self.obj.name, self.obj)
        if not self.simulated or frame == 1:
            self.track.add(x, matrix)
        if self.pins:
            self.pins.add(x[self.pinned], matrix)

    def close(self):
        for track in (self.track, self.pins):
            if track:
                track.close()

    def finish(self, fps):
        """Writes what is known after the last frame, and its lines of the scene."""
        file = "meshes/%s.ply" % self.name
        if self.role == "OBSTACLE":
            self.obstacle(file, fps)
        else:
            np.save(os.path.join(self.folder, "meshes", self.name + ".matrices.npy"), np.array(self.matrices))
            self.lines.append('mesh = "%s"' % file)
            self.cloth(fps) if self.role == "CLOTH" else self.body(fps)
        totals, corners = self.faces
        if np.linalg.det(self.matrices[0][:3, :3]) < 0:
            # Mirrored: Blender turns the faces over.
            order = mesh.turned(totals)
            corners = corners[order]
            self.uv = None if self.uv is None else self.uv[order]
        mesh.write_ply(os.path.join(self.folder, file), self.track.start(), totals, corners, self.channels, self.uv)
        self.close()

    def obstacle(self, file, fps):
        own = self.obj.percale
        self.uv = None
        self.lines.append("friction = %r" % number(own.friction))
        if own.thickness > 0:
            self.lines.append("thickness = %r" % number(own.thickness))
        poses = self.track.finish()
        if poses is None:
            self.lines.append('cache = { mesh = "%s", points = "meshes/%s.pc2" }' % (file, self.name))
            return
        self.lines.append('mesh = "%s"' % file)
        if not motion.stand(poses):
            self.lines += motion.keyframes(poses, self.matrices[0][:3, 3] * self.scale, fps)

    def body(self, fps):
        own = self.obj.percale
        self.uv = None
        if own.material:
            self.lines.append("material = %s" % text(own.material))
        for key in ("thickness", "resolution"):
            if getattr(own, key) > 0:
                self.lines.append("%s = %r" % (key, number(getattr(own, key))))
        if self.pins:
            self.pin(fps)

    def cloth(self, fps):
        own = self.obj.percale
        fabric = self.fabric()
        if fabric:
            self.lines.append("material = %s" % text(fabric))
        for key in ("thickness", "density", "weld", "air_drag"):
            if getattr(own, key) > 0:
                self.lines.append("%s = %r" % (key, number(getattr(own, key))))
        if own.limit > 0:
            self.lines.append("strain_limit = %r" % number(own.limit / 100))
        if not own.self_contact:
            self.lines.append("self_contact = false")
        if own.flat:
            self.lines.append('rest_angles = "flat"')
        if own.rest == "UV":
            if self.uv is None:
                text_of = "%s rests at its UV map, and has none: unwrap it, or let it rest at the mesh"
                raise Refused(text_of % self.obj.name, self.obj)
            self.uv = self.uv * number(own.uv_size)
            self.lines.append('rest = "chart"')
        for of, group in (("stretch", own.stretch), ("bend", own.bend), ("thickness", own.thick), ("mass", own.mass)):
            if group:
                self.channels.append((of + "_map", mesh.weights(self.obj, group)))
                self.lines += ["", "[[cloth.map]]", 'of = "%s"' % of, 'channel = "%s_map"' % of]
        if self.pins:
            self.pin(fps)

    def fabric(self):
        """The name of its fabric."""
        own = self.obj.percale
        return self.name + "-fabric" if own.own else own.material

    def material(self):
        """The table of numbers of its own."""
        own = self.obj.percale
        if self.role != "CLOTH" or not own.own:
            return []
        return [
            "[[material]]",
            "name = %s" % text(self.fabric()),
            "base = %s" % text(own.material or "cotton"),
            "young = %r" % number(own.young),
            'rigidity = "%r uN m"' % number(own.rigidity),
            "friction = %r" % number(own.own_friction),
        ]

    def pin(self, fps):
        """Whole weights are pins, others soft handles with a stiffness in proportion; both go where the animation has them.

        A body has other vertices than its mesh: of each that is pinned the nearest one is."""
        poses = self.pins.finish()
        steps = np.where(self.springs >= WHOLE, 1000, np.round(1000 * self.springs)).astype(int)
        start, how, paths = self.track.start(), [], None
        if poses is None:
            paths = np.fromfile(self.pins.path, "<f4", offset=32).reshape(-1, len(self.pinned), 3)
        elif not motion.stand(poses):
            how = motion.keyframes(poses, self.matrices[0][:3, 3] * self.scale, fps)
        section = self.role.lower()
        for step in sorted(set(steps)):
            some = np.flatnonzero(steps == step)
            head = ["", "[[%s.pin]]" % section]
            if step < 1000:
                stiffness = number(self.obj.percale.pin_stiffness * step / 1000)
                head = ["", "[[%s.handle]]" % section, "stiffness = %r" % stiffness]
            if poses is not None and section == "cloth":
                self.lines += head + ["vertices = %r" % self.pinned[some].tolist()] + how
                continue
            for k in some:
                vertex = self.pinned[k]
                which = "nearest = %s" % motion.vector(start[vertex]) if section == "body" else "vertices = [%d]" % vertex
                self.lines += head + [which] + (how if paths is None else [self.path(vertex, paths[:, k], fps)])

    def path(self, vertex, points, fps):
        """Writes where a vertex goes, and gives the line that says so."""
        file = "pins/%s.%d.csv" % (self.name, vertex)
        rows = ["%.9g,%.9g,%.9g,%.9g" % (frame / fps, *p) for frame, p in enumerate(points)]
        with open(os.path.join(self.folder, file), "w") as out:
            out.write("\n".join(["t,x,y,z"] + rows) + "\n")
        return 'path = "%s"' % file

    def chosen(self, group, name):
        """Lines that choose the vertices of a group with weights above a half; all of them without a group."""
        if not group:
            return ["all = true"]
        self.channels.append((name, (mesh.weights(self.obj, group) > 0.5).astype(float)))
        return ["group = %s" % text(name)]


def parts(context):
    """The objects that take part, with their roles."""
    own = context.scene.percale
    wanted = [(o, o.percale.role) for o in (own.collection.all_objects if own.collection else context.selected_objects)]
    there = {o for o, _ in wanted}
    wanted += [(o, "OBSTACLE") for o in (own.obstacles.all_objects if own.obstacles else []) if o not in there]
    out = []
    for obj, role in wanted:
        if role == "IGNORE" or obj.percale.role == "IGNORE":
            continue
        if obj.type == "EMPTY" and obj.instance_type == "COLLECTION" and obj.instance_collection:
            how = "make it real (Object > Apply > Make Instances Real)"
            raise Refused("%s is an instance of a collection: %s" % (obj.name, how), obj)
        if obj.type not in SHAPES:
            continue
        if not obj.visible_get(view_layer=context.view_layer):
            raise Refused("%s is hidden, and Blender does not animate it then: show it, or leave it out" % obj.name, obj)
        if obj.mode == "EDIT":
            raise Refused("%s is being edited: leave edit mode" % obj.name, obj)
        out.append((obj, role))
    if not any(role != "OBSTACLE" for _, role in out):
        what = "object of the collection '%s'" % own.collection.name if own.collection else "selected object"
        raise Refused("nothing to simulate: no %s is cloth or body" % what)
    return out


def permeability(of, leak):
    if not leak.strip():
        raise Refused("%s: no permeability; a name of the library, such as poplin, or a speed, such as 120 mm/s" % of)
    return "permeability = %s" % text(leak.strip())


def pair(one, things):
    """Lines of what acts between two objects, and the section."""
    kind = one.bl_rna.properties["kind"].enum_items[one.kind].name
    if one.first is None or one.second is None:
        raise Refused("%s: choose both objects of the pair" % kind, one.first or one.second)
    both = []
    for obj in (one.first, one.second):
        found = [t for t in things if t.obj == obj]
        if not found:
            raise Refused("%s: %s takes no part" % (kind, obj.name), obj)
        both.append(found[0])
    first, second = both
    if one.kind == "FRICTION":
        lines = ["[[friction]]", "between = [%s, %s]" % (text(first.name), text(second.name))]
        if one.measured:
            return "friction", lines + ["pair = %s" % text(one.measured)]
        return "friction", lines + ["static = %r" % number(one.static), "dynamic = %r" % number(one.dynamic)]
    if first.role != "CLOTH":
        raise Refused("%s: %s is no cloth; the first of the pair is one" % (kind, first.obj.name), first.obj)
    index = len(first.channels)
    lines = ["cloth = %s" % text(first.name), "body = %s" % text(second.name)]
    if one.kind == "GLUE":
        if second.role != "BODY":
            raise Refused("Glue: %s is no body; a cloth is glued to a body" % second.obj.name, second.obj)
        lines += first.chosen(one.group, "glue_%d" % index)
        return "glue", ["[[glue]]"] + lines + ['stiffness = "%r N/cm3"' % number(one.stiffness)]
    if first is second:
        raise Refused("Air layer: %s lies over itself; the second is what is below it" % first.obj.name, first.obj)
    lines = ["[[air_layer]]"] + lines + [permeability("Air layer of " + first.obj.name, one.leak)]
    if one.closed:
        lines.append('border = "closed"')
    if one.vent:
        lines += ["", "[[air_layer.vent]]"] + first.chosen(one.vent, "vent_%d" % index)
        lines.append("pressure = %r" % number(one.vent_pressure))
        if one.vent_period > 0:
            lines.append("period = %r" % number(one.vent_period))
    return "air_layer", lines


def balloon(thing):
    """Lines of the air inside of a cloth; none without any."""
    own = thing.obj.percale
    if thing.role != "CLOTH" or own.balloon == "NONE":
        return []
    lines = ["[[balloon]]", "cloth = %s" % text(thing.name), "duration = %r" % number(own.duration)]
    if own.balloon == "VOLUME":
        lines.append("volume = %r" % number(own.volume))
    else:
        lines.append("pressure = %r" % number(own.pressure))
    return lines + ([permeability(thing.obj.name, own.leak)] if own.leak.strip() else [])


def wind(own, axis, first, fps):
    """Lines of the wind; `axis` is that of the object that it blows along, if any."""
    if not own.wind:
        return []
    along = np.array(own.wind_direction, float) if axis is None else axis
    size = np.linalg.norm(along)
    if not size > 0:
        raise Refused("Wind: the direction has no length")
    velocity = [number(own.wind_speed * x) + 0.0 for x in along / size]
    lines = ["[wind]", "velocity = %r" % velocity]
    if own.gust > 0:
        lines += ["gust = %r" % number(own.gust), "gust_period = %r" % number(own.gust_period)]
        lines.append("seed = %d" % own.wind_seed)
    if own.wind_range:
        if own.wind_until <= max(own.wind_from, first):
            raise Refused("Wind: it blows from frame %d until %d" % (own.wind_from, own.wind_until))
        lines.append("from = %.12g" % max(0.0, (own.wind_from - first) / fps))
        lines.append("until = %.12g" % ((own.wind_until - first) / fps))
    return lines


def contact(own):
    lines = ["distance = %r" % number(own.distance)] if abs(own.distance - 0.001) > 1e-9 else []
    lines += ['start = "%s"' % own.start] if own.start != "error" else []
    return ["", "[contact]"] + lines if lines else []


def span(scene):
    """The first frame, and how many there are: those of the scene, or the add-on's own."""
    own = scene.percale
    first, last = (own.first, own.last) if own.own_range else (scene.frame_start, scene.frame_end)
    if first < 0:
        raise Refused("the scene begins at frame %d; a shot begins at frame 0 or later" % first)
    if last < first:
        raise Refused("the last frame, %d, is before the first, %d" % (last, first))
    return first, last - first + 1


def sampled(context, things, told):
    """Takes all things at all frames; gives the direction of the wind's object."""
    scene, axis = context.scene, None
    first, count = span(scene)
    now, sub = scene.frame_current, scene.frame_subframe
    try:
        with cache.hidden([t.obj for t in things if t.simulated]):
            for frame in range(1, count + 1):
                scene.frame_set(first + frame - 1)
                graph = context.evaluated_depsgraph_get()
                if frame == 1 and scene.percale.wind_object:
                    axis = np.array(scene.percale.wind_object.evaluated_get(graph).matrix_world)[:3, 2]
                for thing in things:
                    thing.sample(graph, frame)
                told(frame)
    finally:
        scene.frame_set(now, subframe=sub)
        for thing in things:
            thing.close()
    return axis


def write(context, folder, told=lambda frame: None):
    """Writes the scene of what takes part into a folder; gives the plan: what percale's names and tables are of.

    `told` is called with each frame that is taken. Raises Refused with what is wrong."""
    scene, own = context.scene, context.scene.percale
    scale, fps = scene.unit_settings.scale_length, rate(scene.render)
    first, count = span(scene)
    more = bpy.data.texts.get(own.text)
    if own.text and more is None:
        raise Refused("there is no text block '%s'" % own.text)
    things = []
    for obj, role in parts(context):
        things.append(Thing(obj, name_of(obj.name, [t.name for t in things]), role))
    if own.wind and not any(t.role == "CLOTH" and t.obj.percale.air_drag > 0 for t in things):
        raise Refused("Wind: no cloth takes any; raise the air drag of one")
    tables = {"friction": [], "glue": [], "air_layer": []}
    ends = []
    for one in own.pairs:
        section, lines = pair(one, things)
        tables[section].append([one.first.name, one.second.name])
        ends += [""] + lines
    for part in ("meshes", "pins"):
        shutil.rmtree(os.path.join(folder, part), ignore_errors=True)
        os.makedirs(os.path.join(folder, part))
    for thing in things:
        thing.begin(folder, scale)
    axis = sampled(context, things, told)
    for thing in things:
        thing.finish(float(fps))
    gravity = [number(g * scale) if scene.use_gravity else 0.0 for g in scene.gravity]
    lines = [
        "[scene]",
        "name = %s" % text(name_of(scene.name, [])),
        'up = "z"',
        "gravity = %r" % gravity,
        "",
        "[time]",
        "fps = %s" % (fps if fps.denominator == 1 else '"%s"' % fps),
        "frames = %d" % count,
        "start_frame = %d" % first,
        "step = %r" % number(own.step),
    ]
    lines += contact(own)
    for section, of in [("material", Thing.material), ("", lambda thing: thing.lines), ("balloon", balloon)]:
        for thing in things:
            table = of(thing)
            if table:
                lines += [""] + table
                tables.setdefault(section or thing.role.lower(), []).append([thing.obj.name])
    lines += ends
    blow = wind(own, axis, first, float(fps))
    lines += [""] + blow if blow else []
    lines = "\n".join(lines).split("\n")
    plan = {
        "objects": [[t.obj.name, t.name, t.role] for t in things if t.simulated],
        "names": [[t.obj.name, t.name] for t in things],
        "tables": tables,
        "first": first,
        "count": count,
        "scale": scale,
        "more": len(lines) + 1,
    }
    if more:
        lines += ["", more.as_string()]
    with open(os.path.join(folder, "scene.toml"), "w", encoding="utf-8", newline="\n") as out:
        out.write("\n".join(lines) + "\n")
    with open(os.path.join(folder, "plan.json"), "w", encoding="utf-8") as out:
        json.dump(plan, out, indent=1)
    return plan
