"""What the buttons do. Without a window everything is done when the call returns; with one, percale runs in the background and a
timer looks at it."""

import os

import bpy
from bpy.app.handlers import persistent
from bpy.props import BoolProperty, FloatVectorProperty, IntProperty, StringProperty
from bpy.types import Operator

from . import cache, faults, job, program, write
from .mesh import Refused

EXPECTED = (Refused, RuntimeError, ValueError, KeyError, OSError)

# The run at work, the name of its scene, and the last one that was waited for.
current, of_scene, latest = None, "", None


def places(context):
    """The program and the folder."""
    path = program.find()
    program.version(path)
    own = context.scene.percale
    if own.folder.startswith("//") and not bpy.data.filepath:
        raise Refused("save the file first, or name a folder that does not begin with //")
    folder = os.path.abspath(bpy.path.abspath(own.folder))
    os.makedirs(folder, exist_ok=True)
    return path, folder


def tell(scene, told):
    """Faults and warnings into the panel."""
    shown = scene.percale.faults
    shown.clear()
    for one in sorted(told, key=lambda t: t.warning):
        entry = shown.add()
        entry.text, entry.warning, entry.line = one.text, one.warning, one.line
        for name in one.objects:
            obj = bpy.data.objects.get(name)
            if obj:
                entry.objects.add().obj = obj
        if one.near:
            entry.placed = True
            entry.near = [x / scene.unit_settings.scale_length for x in one.near]


def fault_of(error):
    """A fault of what was raised."""
    obj = getattr(error, "obj", None)
    words = str(error) if not isinstance(error, KeyError) else "plan.json has no %s: simulate again" % error
    return faults.Told(words, objects=[obj.name] if obj else [])


def refuse(operator, context, error):
    tell(context.scene, [fault_of(error)])
    operator.report({"ERROR"}, fault_of(error).text)
    return {"CANCELLED"}


def redraw():
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


def begin(context, resume=False, check=False):
    """Writes the scene and starts percale."""
    path, folder = places(context)
    if resume:
        job.plan_of(folder)
    else:
        manager = context.window_manager
        manager.progress_begin(0, write.span(context.scene)[1])
        try:
            write.write(context, folder, manager.progress_update)
        finally:
            manager.progress_end()
    return job.Job(path, folder, context.scene.percale.threads, resume, check)


def finish(run, scene):
    """Brings back what a run that is over has made; gives what to report: kind and text."""
    told, frames = run.told, 0
    try:
        # A run that was over before it was resumed tells of no frame.
        if not run.check and (run.done or (run.resume and not run.fault)):
            job.export(run.path, run.folder)
            frames = cache.load(run.folder)
    except EXPECTED as error:
        told = told + [fault_of(error)]
    if scene:
        tell(scene, told)
        show_crossing(run, scene)
    wrong = [t for t in told if not t.warning]
    if wrong:
        of = [(t.objects[0] + ": " if t.objects else "") + t.text for t in wrong]
        return "ERROR", "\n".join(of)
    if run.check:
        return "INFO", "no faults"
    return "INFO", "%d of %d frames simulated" % (frames, run.count)


CROSSING = "percale crossing"


def show_crossing(run, scene):
    """Where a start or a frame was refused, the triangles that cross become an object."""
    old = bpy.data.objects.get(CROSSING)
    if old:
        bpy.data.meshes.remove(old.data)
    path = os.path.join(run.folder, "run", "crossing.ply")
    if run.check or not run.fault or not os.path.exists(path) or os.path.getmtime(path) < run.started:
        return
    points, triangles = cache.read_triangles(path)
    shape = bpy.data.meshes.new(CROSSING)
    shape.from_pydata(((points + faults.origin(run.told)) / run.plan["scale"]).tolist(), [], triangles.tolist())
    obj = bpy.data.objects.new(CROSSING, shape)
    obj.percale.role, obj.hide_render, obj.show_in_front, obj.color = "IGNORE", True, True, (1, 0, 0, 1)
    scene.collection.objects.link(obj)
    entry = scene.percale.faults.add()
    entry.text, entry.warning = "the triangles that cross are in the object '%s'" % CROSSING, True
    entry.objects.add().obj = obj


def tick():
    """Looks at the run in the background; gives the seconds until the next look, or none."""
    global current
    if current is None:
        return None
    if current.poll():
        redraw()
        return 0.5
    run, current = current, None
    finish(run, bpy.data.scenes.get(of_scene))
    redraw()
    return None


def halt():
    """Stops the run at work, if any, without bringing anything back."""
    global current
    if current:
        current.stop()
        current = None
    if bpy.app.timers.is_registered(tick):
        bpy.app.timers.unregister(tick)


@persistent
def left(*_):
    halt()


def windowed(context):
    """There is a window, so that the call need not wait."""
    return not bpy.app.background and context.window is not None


def go(operator, context, **how):
    """Starts percale in the background, or without a window does all of it."""
    global current, latest, of_scene
    try:
        run = begin(context, **how)
    except EXPECTED as error:
        return refuse(operator, context, error)
    context.scene.percale.faults.clear()
    if windowed(context):
        current, of_scene = run, context.scene.name
        bpy.app.timers.register(tick, first_interval=0.2)
        return {"FINISHED"}
    # Where a signal can stop it.
    current = run
    try:
        run.wait()
    finally:
        current, latest = None, run
    kind, text = finish(run, context.scene)
    operator.report({kind}, text)
    return {"CANCELLED"} if kind == "ERROR" else {"FINISHED"}


class PERCALE_OT_simulate(Operator):
    bl_idname = "percale.simulate"
    bl_label = "Simulate"
    bl_description = "Simulate what takes part with percale and bring the result back to it"

    resume: BoolProperty(name="Resume", description="Go on where the run stopped, with the scene as it was written then")

    @classmethod
    def poll(cls, context):
        return current is None

    def execute(self, context):
        return go(self, context, resume=self.resume)


class PERCALE_OT_check(Operator):
    bl_idname = "percale.check"
    bl_label = "Check"
    bl_description = "Write the scene and tell its faults; simulates nothing"

    @classmethod
    def poll(cls, context):
        return current is None

    def execute(self, context):
        return go(self, context, check=True)


class PERCALE_OT_stop(Operator):
    bl_idname = "percale.stop"
    bl_label = "Stop"
    bl_description = "End after the step in hand; what is simulated stays and comes back"

    @classmethod
    def poll(cls, context):
        return current is not None

    def execute(self, context):
        current.stop()
        return {"FINISHED"}


class PERCALE_OT_load(Operator):
    bl_idname = "percale.load"
    bl_label = "Load"
    bl_description = "Bring what has been simulated so far to its objects, also while percale runs"

    def execute(self, context):
        try:
            path, folder = places(context)
            if not os.path.exists(os.path.join(folder, "plan.json")):
                raise Refused("%s holds no run: simulate first, or name another folder" % folder)
            job.export(path, folder)
            self.report({"INFO"}, "%d frames" % cache.load(folder))
        except EXPECTED as error:
            return refuse(self, context, error)
        return {"FINISHED"}


class PERCALE_OT_clear(Operator):
    bl_idname = "percale.clear"
    bl_label = "Clear"
    bl_description = "Take the result off the selected objects"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        cache.clear(context.selected_objects)
        return {"FINISHED"}


class PERCALE_OT_show(Operator):
    bl_idname = "percale.show"
    bl_label = "Select"
    bl_description = "Select the object that is named, and put the 3D cursor where the fault is"
    bl_options = {"REGISTER", "UNDO"}

    name: StringProperty()
    placed: BoolProperty()
    near: FloatVectorProperty()

    def execute(self, context):
        obj = context.view_layer.objects.get(self.name)
        if obj is None:
            self.report({"ERROR"}, "no object '%s' in this view layer" % self.name)
            return {"CANCELLED"}
        for other in list(context.view_layer.objects):
            other.select_set(False)
        obj.hide_set(False)
        obj.select_set(True)
        context.view_layer.objects.active = obj
        if self.placed:
            context.scene.cursor.location = self.near
        return {"FINISHED"}


class PERCALE_OT_pair_add(Operator):
    bl_idname = "percale.pair_add"
    bl_label = "Add pair"
    bl_description = "Add what acts between two objects; of two that are selected the active one is the first"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        own = context.scene.percale
        one = own.pairs.add()
        own.pair = len(own.pairs) - 1
        others = [o for o in context.selected_objects if o != context.object]
        one.first, one.second = context.object, others[0] if others else None
        return {"FINISHED"}


class PERCALE_OT_pair_remove(Operator):
    bl_idname = "percale.pair_remove"
    bl_label = "Remove pair"
    bl_options = {"REGISTER", "UNDO"}

    index: IntProperty()

    def execute(self, context):
        own = context.scene.percale
        if not 0 <= self.index < len(own.pairs):
            self.report({"ERROR"}, "there is no pair %d" % self.index)
            return {"CANCELLED"}
        own.pairs.remove(self.index)
        own.pair = max(0, min(own.pair, len(own.pairs) - 1))
        return {"FINISHED"}


CLASSES = (
    PERCALE_OT_simulate,
    PERCALE_OT_check,
    PERCALE_OT_stop,
    PERCALE_OT_load,
    PERCALE_OT_clear,
    PERCALE_OT_show,
    PERCALE_OT_pair_add,
    PERCALE_OT_pair_remove,
)


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.app.handlers.load_pre.append(left)


def unregister():
    halt()
    bpy.app.handlers.load_pre.remove(left)
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
