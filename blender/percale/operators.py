"""What the buttons do. Without a window everything is done when the call returns."""

import os
import shutil

import bpy
from bpy.types import Operator

from . import cache, job, write


def places(context):
    """The program and the folder."""
    own = context.scene.percale
    program = shutil.which(bpy.path.abspath(own.program)) or shutil.which(own.program)
    if program is None:
        raise write.Refused("the program '%s' is not there; name it in the panel" % own.program)
    if own.folder.startswith("//") and not bpy.data.filepath:
        raise write.Refused("save the file first, or name a folder that does not begin with //")
    folder = os.path.abspath(bpy.path.abspath(own.folder))
    os.makedirs(folder, exist_ok=True)
    return os.path.abspath(program), folder


class PERCALE_OT_simulate(Operator):
    bl_idname = "percale.simulate"
    bl_label = "Simulate"
    bl_description = "Simulate the selected objects with percale and bring the result back to them"

    job = None

    @classmethod
    def poll(cls, context):
        return PERCALE_OT_simulate.job is None

    def start(self, context):
        program, folder = places(context)
        write.write(context, context.selected_objects, folder)
        return job.Job(program, folder, context.scene.percale.threads)

    def execute(self, context):
        """In one go."""
        try:
            run = self.start(context)
            run.wait()
            return self.finish(run)
        except (write.Refused, OSError) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}

    def finish(self, run):
        if run.fault:
            self.report({"ERROR"}, run.fault)
        if run.frame == 0:
            return {"CANCELLED"}
        try:
            job.export(run.program, run.folder)
            frames = cache.load(run.folder)
        except (RuntimeError, ValueError, OSError) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        self.report({"INFO"}, "%d frames simulated" % frames)
        return {"CANCELLED"} if run.fault else {"FINISHED"}

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            PERCALE_OT_simulate.job = self.start(context)
        except (write.Refused, OSError) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        manager = context.window_manager
        manager.progress_begin(0, context.scene.frame_end - context.scene.frame_start + 1)
        self.timer = manager.event_timer_add(0.5, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        run = PERCALE_OT_simulate.job
        if event.type == "ESC":
            run.stop()
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        context.window_manager.progress_update(run.frame)
        count = context.scene.frame_end - context.scene.frame_start + 1
        context.workspace.status_text_set("percale: frame %d of %d; Esc stops" % (run.frame, count))
        if run.poll():
            return {"PASS_THROUGH"}
        PERCALE_OT_simulate.job = None
        context.window_manager.progress_end()
        context.window_manager.event_timer_remove(self.timer)
        context.workspace.status_text_set(None)
        return self.finish(run)


class PERCALE_OT_load(Operator):
    bl_idname = "percale.load"
    bl_label = "Load"
    bl_description = "Bring what has been simulated so far to its objects, also while percale runs"

    def execute(self, context):
        try:
            program, folder = places(context)
            job.export(program, folder)
            self.report({"INFO"}, "%d frames" % cache.load(folder))
        except (write.Refused, RuntimeError, ValueError, OSError) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        return {"FINISHED"}


class PERCALE_OT_clear(Operator):
    bl_idname = "percale.clear"
    bl_label = "Clear"
    bl_description = "Take the result off the selected objects"

    def execute(self, context):
        cache.clear(context.selected_objects)
        return {"FINISHED"}


CLASSES = (PERCALE_OT_simulate, PERCALE_OT_load, PERCALE_OT_clear)


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister():
    if PERCALE_OT_simulate.job:
        PERCALE_OT_simulate.job.stop()
        PERCALE_OT_simulate.job = None
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
