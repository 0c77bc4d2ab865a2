"""Simulates objects of a .blend file from the command line, and saves it with the result.

    blender -b cloth.blend --python blender/simulate.py -- [options]
    python blender/simulate.py cloth.blend [options]                  with the module bpy

Exit codes: 0 done, 1 not.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import bpy  # noqa: E402
import percale  # noqa: E402


def arguments():
    inside = "--" in sys.argv
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    if not inside:
        parser.add_argument("blend", help="the .blend file")
    parser.add_argument("--program", help="the percale program; found by itself if absent")
    parser.add_argument("--folder", help="where scene, run and caches go; that of the file if absent")
    parser.add_argument("--objects", help="names, with commas; those selected in the file if absent")
    parser.add_argument("--save", help="where to save; over the file if absent")
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if inside else sys.argv[1:])


def main():
    told = arguments()
    if hasattr(told, "blend"):
        bpy.ops.wm.open_mainfile(filepath=os.path.abspath(told.blend))
    if not hasattr(bpy.types.Scene, "percale"):
        percale.register()
    own = bpy.context.scene.percale
    if told.program:
        percale.operators.program.chosen = os.path.abspath(told.program)
    own.folder = os.path.abspath(told.folder) if told.folder else own.folder
    if told.objects:
        names = told.objects.split(",")
        missing = [name for name in names if name not in bpy.context.view_layer.objects]
        if missing:
            raise RuntimeError("no object " + ", ".join(missing))
        for obj in bpy.context.view_layer.objects:
            obj.select_set(obj.name in names)
    bpy.ops.percale.simulate()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(told.save or bpy.data.filepath))


if __name__ == "__main__":
    code = 0
    try:
        main()
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
