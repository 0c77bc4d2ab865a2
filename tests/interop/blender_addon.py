"""The add-on, in Blender without a window: python blender_addon.py PERCALE. Needs bpy.

A sheet with a turned and scaled object, pins along an animation, weights and a modifier after it, over a moving box; a ball
as a soft body. Where Blender has the vertices at a frame is where percale recorded them, to 1e-5."""

import os
import shutil
import subprocess
import sys
import tempfile
import time

import bpy
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ADDON = os.path.join(HERE, "..", "..", "blender")
sys.path[:0] = [HERE, ADDON]

import percale  # noqa: E402
from percale import job, program, write  # noqa: E402
from record import read_ply, read_run  # noqa: E402

FIRST, LAST, FPS = 11, 18, 24


def scene(path, folder):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    world = bpy.context.scene
    world.frame_start, world.frame_end, world.render.fps = FIRST, LAST, FPS
    world.unit_settings.scale_length = 0.5
    program.chosen = path
    world.percale.folder, world.percale.step = folder, 0.004

    bpy.ops.mesh.primitive_grid_add(x_subdivisions=20, y_subdivisions=20, size=2)
    sheet = bpy.context.object
    sheet.name = "My sheet"
    sheet.location, sheet.rotation_euler, sheet.scale = (0.3, -0.2, 2.0), (0.1, 0.05, 0.7), (1.0, 1.0, 1.0)
    sheet.percale.role, sheet.percale.material = "CLOTH", "silk"
    sheet.percale.pin, sheet.percale.stretch, sheet.percale.pin_stiffness = "Hem", "soft", 0.0
    hem, soft = sheet.vertex_groups.new(name="Hem"), sheet.vertex_groups.new(name="soft")
    for v in sheet.data.vertices:
        hem.add([v.index], 1.0 if v.co.y > 0.99 else 0.25, "REPLACE")
        soft.add([v.index], 0.5 + 0.25 * v.co.x, "REPLACE")
    for frame, x in ((FIRST, 0.3), (LAST, 0.5)):
        sheet.location.x = x
        sheet.keyframe_insert("location", frame=frame)
    sheet.modifiers.new("smooth", "SUBSURF").levels = 1

    bpy.ops.mesh.primitive_cube_add(size=1)
    box = bpy.context.object
    box.name = "box"
    for frame, z in ((FIRST, 0.0), (LAST, 0.3)):
        box.location.z = z
        box.keyframe_insert("location", frame=frame)
    box.rotation_euler.z = 0.4

    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.4, location=(3, 0, 1))
    ball = bpy.context.object
    ball.name = "ball"
    ball.percale.role, ball.percale.resolution = "BODY", 0.06
    bpy.ops.object.select_all(action="SELECT")
    return sheet, box, ball


def world_positions(obj):
    """Where Blender has the simulated vertices [m]: without the modifiers after the cache."""
    off = [m for m in obj.modifiers if m.type == "SUBSURF"]
    for m in off:
        m.show_viewport = False
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = np.array(evaluated.matrix_world)
    x = np.array([v.co for v in evaluated.data.vertices]) @ matrix[:3, :3].T + matrix[:3, 3]
    for m in off:
        m.show_viewport = True
    return x * bpy.context.scene.unit_settings.scale_length


def check(what, error, most):
    print("%-44s %.3g" % (what, error))
    if not error <= most:
        raise AssertionError("%s: %g, at most %g" % (what, error, most))


def round_trip(path, folder):
    sheet, box, ball = scene(path, folder)
    start = {}
    bpy.context.scene.frame_set(FIRST)
    for obj in (sheet, ball):
        start[obj.name] = world_positions(obj)
    assert bpy.ops.percale.simulate() == {"FINISHED"}
    assert [m.name for m in sheet.modifiers] == ["percale", "smooth"]
    meshes = os.path.join(folder, "run", "meshes")
    hem = [v.index for v in sheet.data.vertices if v.co.y > 0.99]
    moved = 0.0
    for frame in (FIRST, (FIRST + LAST) // 2, LAST):
        bpy.context.scene.frame_set(frame)
        x, _ = read_ply(os.path.join(meshes, "My_sheet", "My_sheet.%04d.ply" % frame))
        here = world_positions(sheet)
        check("sheet, frame %d: Blender and record [m]" % frame, np.abs(here - x[:, :3]).max(), 1e-5)
        # What is pinned goes where the object's animation has it.
        matrix = np.array(sheet.matrix_world)
        rest = np.array([sheet.data.vertices[v].co for v in hem]) @ matrix[:3, :3].T + matrix[:3, 3]
        check("  its hem and its animation", np.abs(here[hem] - 0.5 * rest).max(), 1e-5)
        moved = np.abs(here - start[sheet.name]).max()
        b, _ = read_ply(os.path.join(meshes, "box", "box.%04d.ply" % frame))
        evaluated = box.evaluated_get(bpy.context.evaluated_depsgraph_get())
        corners = np.array([evaluated.matrix_world @ v.co for v in evaluated.data.vertices]) * 0.5
        check("  the box and its animation", np.abs(b[:, :3] - corners).max(), 1e-5)
        if frame == FIRST:
            check("  the sheet at the start", np.abs(here - start[sheet.name]).max(), 1e-5)
            check("  the ball at the start", np.abs(world_positions(ball) - start[ball.name]).max(), 1e-5)
    assert moved > 0.1, "the sheet falls"
    # The ball falls freely, all of it alike.
    fall = world_positions(ball) - start[ball.name]
    t = (LAST - FIRST) / FPS
    gravity = bpy.context.scene.gravity.z * 0.5
    check("the ball's fall against g t^2 / 2 [m]", np.abs(fall[:, 2] - gravity * t * t / 2).max(), 1e-3)
    check("  and how far it is alike", np.ptp(fall[:, 2]), 1e-4)
    text = open(os.path.join(folder, "scene.toml")).read()
    assert 'channel = "stretch_map"' in text and "start_frame = %d" % FIRST in text
    # Both move as a whole: keyframes, and no point cache.
    assert text.count("keyframes = [") == 2 and not [f for f in os.listdir(os.path.join(folder, "meshes")) if f.endswith("pc2")]
    names, rows = read_ply(os.path.join(folder, "meshes", "My_sheet.ply"), names=True)
    column = rows[:, names.index("stretch_map")]
    wanted = [0.5 + 0.25 * v.co.x for v in sheet.data.vertices]
    check("weights of the map", np.abs(column - wanted).max(), 1e-6)
    # Again over the result gives the same; then it comes off.
    bpy.context.scene.frame_set(LAST)
    before = world_positions(sheet)
    assert bpy.ops.percale.simulate() == {"FINISHED"}
    bpy.context.scene.frame_set(LAST)
    check("the same a second time", np.abs(world_positions(sheet) - before).max(), 1e-6)
    bpy.ops.percale.clear()
    assert [m.name for m in sheet.modifiers] == ["smooth"]


def faults(path, folder):
    def told(call):
        try:
            call()
        except RuntimeError as fault:
            return str(fault)
        raise AssertionError("no fault")

    sheet, box, ball = scene(path, folder)
    sheet.percale.role = ball.percale.role = "OBSTACLE"
    assert "nothing to simulate" in told(bpy.ops.percale.simulate)
    sheet.percale.role, sheet.percale.pin = "CLOTH", "none"
    assert "no vertex group 'none'" in told(bpy.ops.percale.simulate)
    sheet.percale.pin, sheet.percale.material = "", "sylk"
    assert "My sheet: material: no material is named 'sylk'" in told(bpy.ops.percale.simulate)
    assert "percale" not in sheet.modifiers
    program.chosen = "no-such-program"
    assert "no-such-program" in told(bpy.ops.percale.simulate)


def background(path, folder):
    """The result so far comes back while percale runs; a run that is stopped keeps it."""
    sheet, _, _ = scene(path, folder)
    bpy.context.scene.frame_end = FIRST + 999
    bpy.context.scene.percale.step = 0.0005
    write.write(bpy.context, folder)
    run = job.Job(path, folder)
    try:
        seen = set()
        while run.poll() and run.done < 4:
            seen.add(run.done)
            time.sleep(0.005)
        assert bpy.ops.percale.load() == {"FINISHED"}
        assert run.poll(), run.fault
        assert len(seen) > 1, "progress is told as it is made"
        bpy.context.scene.frame_set(FIRST + 3)
        x, _ = read_ply(os.path.join(folder, "run", "meshes", "My_sheet", "My_sheet.%04d.ply" % (FIRST + 3)))
        check("loaded while it runs", np.abs(world_positions(sheet) - x[:, :3]).max(), 1e-5)
    finally:
        run.stop()
        run.wait()
    assert not run.fault, run.told
    assert read_run(os.path.join(folder, "run"))["status"] == "stopped"


def farm(command, path, folder):
    """A signal ends the run with 75 and what is done is saved; --resume goes on, to the same end as in one go."""
    sheet, _, _ = scene(path, folder)
    bpy.context.scene.frame_end = FIRST + 19
    bpy.context.scene.percale.step = 0.0005
    file, saved = command[2], command[command.index("--save") + 1]
    bpy.ops.wm.save_as_mainfile(filepath=file)
    last = os.path.join(folder, "run", "meshes", "My_sheet", "My_sheet.%04d.ply")
    shutil.rmtree(os.path.join(folder, "run"))
    run = subprocess.Popen(command + ["--resume"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while not os.path.exists(last % (FIRST + 3)):
        assert run.poll() is None, run.communicate()[0]
        time.sleep(0.01)
    run.terminate()
    said = run.communicate(timeout=60)[0]
    assert run.returncode == 75, said
    record = read_run(os.path.join(folder, "run"))
    assert record["status"] == "stopped" and 4 <= record["frames_done"] < 20
    bpy.ops.wm.open_mainfile(filepath=saved)
    bpy.context.scene.frame_set(FIRST + 3)
    x, _ = read_ply(last % (FIRST + 3))
    check("stopped by a signal and saved", np.abs(world_positions(bpy.data.objects["My sheet"]) - x[:, :3]).max(), 1e-5)
    for state in ("goes on", "is over"):
        done = subprocess.run(command + ["--resume"], capture_output=True, text=True)
        assert done.returncode == 0 and "20 of 20 frames" in done.stdout, (state, done.stdout + done.stderr)
    resumed = open(last % (FIRST + 19), "rb").read()
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert open(last % (FIRST + 19), "rb").read() == resumed, "the same as in one go"


def command_line(path, folder):
    """As a program of its own, with the result in the saved file."""
    sheet, _, _ = scene(path, folder)
    bpy.context.scene.frame_end = FIRST + 2
    file, saved = os.path.join(folder, "in.blend"), os.path.join(folder, "out.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    command = [sys.executable, os.path.join(ADDON, "simulate.py"), file, "--program", path, "--save", saved, "--objects", "My sheet,box"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    bpy.ops.wm.open_mainfile(filepath=saved)
    bpy.context.scene.frame_set(FIRST + 2)
    x, _ = read_ply(os.path.join(folder, "run", "meshes", "My_sheet", "My_sheet.%04d.ply" % (FIRST + 2)))
    check("saved by the command line", np.abs(world_positions(bpy.data.objects["My sheet"]) - x[:, :3]).max(), 1e-5)
    farm(command, path, folder)
    done = subprocess.run(command[:-1] + ["nothing"], capture_output=True, text=True)
    assert done.returncode == 1 and "no object nothing" in done.stderr, done.stderr


def main(tests):
    """Runs tests, each in a folder of its own, and ends the process."""
    code = 1
    try:
        percale.register()
        path = os.path.abspath(sys.argv[1])
        for test in tests:
            folder = tempfile.mkdtemp(prefix="percale-addon-")
            try:
                test(path, folder)
            finally:
                shutil.rmtree(folder)
        names = ", ".join(test.__name__ for test in tests)
        print("add-on: all well in Blender %s: %s" % (bpy.app.version_string, names))
        code = 0
    except Exception:
        import traceback

        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Blender's own end can be slow


if __name__ == "__main__":
    main([round_trip, faults, background, command_line])
