"""Simulates objects of a .blend file from the command line, and saves it with the result.

    blender -b cloth.blend --python blender/simulate.py -- [options]
    python blender/simulate.py cloth.blend [options]                  with the module bpy

SIGTERM, SIGINT and SIGUSR1 end the run after the step in hand; what is done is saved.
Exit codes: 0 done, 1 not, 75 stopped by a signal: --resume goes on.
"""

import argparse
import os
import signal
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy  # noqa: E402
import percale  # noqa: E402

STOPPED = 75


def arguments():
    inside = "--" in sys.argv
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    if not inside:
        parser.add_argument("blend", help="the .blend file")
    parser.add_argument("--program", help="the percale program; found by itself if absent")
    parser.add_argument("--folder", help="where scene, run and caches go; that of the file if absent")
    parser.add_argument("--objects", help="names, with commas; those selected in the file if absent")
    resume = "go on where the run in the folder stopped, with its scene as it was; begin if there is none"
    parser.add_argument("--resume", action="store_true", help=resume)
    parser.add_argument("--save", help="where to save; over the file if absent")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if inside else sys.argv[1:])


def main():
    told = arguments()
    if hasattr(told, "blend"):
        bpy.ops.wm.open_mainfile(filepath=os.path.abspath(told.blend))
    if not hasattr(bpy.types.Scene, "percale"):
        percale.register()
    # Those of the add-on that is registered: this one, or one that is installed.
    operators = sys.modules[bpy.types.PERCALE_OT_simulate.__module__]
    own = bpy.context.scene.percale
    if told.program:
        operators.program.chosen = told.program
    own.folder = os.path.abspath(told.folder) if told.folder else own.folder
    if told.objects:
        names = told.objects.split(",")
        missing = [name for name in names if name not in bpy.context.view_layer.objects]
        if missing:
            raise RuntimeError("no object " + ", ".join(missing))
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj.name in names)

    def stop(*_):
        if operators.current:
            operators.current.stop()
        elif operators.latest is None:
            # Nothing is simulated yet.
            os._exit(STOPPED)

    for name in ("SIGTERM", "SIGINT", "SIGUSR1"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)
    folder = os.path.abspath(bpy.path.abspath(own.folder))
    begun = all(os.path.exists(os.path.join(folder, part)) for part in ("plan.json", os.path.join("run", "run.json")))
    bpy.ops.percale.simulate(resume=told.resume and begun)
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(told.save or bpy.data.filepath))
    return STOPPED if operators.latest.stopped else 0


if __name__ == "__main__":
    try:
        code = main()
    except RuntimeError as fault:
        # What an operator reports as an error.
        print(str(fault).strip(), file=sys.stderr)
        code = 1
    if not bpy.app.binary_path:
        # As a module, Blender may crash or hang in taking itself down (seen in 4.2 and 4.5), after all is done.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    if code:
        sys.exit(code)
