"""How far and where to motion is blurred: python blender_blur.py PERCALE. Needs bpy; Cycles draws.

A square of 0.2 m flies at 2 m/s, or at the same speed the other way; the shutter is open for a whole frame of 1/24 s, so
that the picture is 2/24 m wider than the square. Velocities are in units per second in USD and Alembic alike."""

import os
import subprocess
import sys
import tempfile

import bpy
import numpy as np

FPS, SIDE, SPEED, WIDTH = 24, 0.2, 2.0, 300
FRAME = 3

SCENE = """
[scene]
up = "z"
gravity = [0, 0, 0]
[time]
fps = %d
frames = 5
[[cloth]]
name = "square"
mesh = "square.obj"
velocity = [%g, 0, 0]
"""

SQUARE = "v 0 -0.1 0\nv 0.2 -0.1 0\nv 0.2 0.1 0\nv 0 0.1 0\nf 1 2 3\nf 1 3 4\n"


def picture(path, blur, folder):
    """Brightness of each column, of one metre about the square's place at the frame."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = FPS
    if path.endswith("abc"):
        bpy.ops.wm.alembic_import(filepath=path, as_background_job=False)
    else:
        bpy.ops.wm.usd_import(filepath=path)
    square = [o for o in bpy.data.objects if o.type == "MESH"][0]
    light = bpy.data.materials.new("light")
    light.use_nodes = True
    nodes = light.node_tree.nodes
    nodes.clear()
    glow, out = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeOutputMaterial")
    light.node_tree.links.new(glow.outputs[0], out.inputs[0])
    square.data.materials.clear()
    square.data.materials.append(light)
    scene.frame_set(FRAME)
    centre = np.mean([square.matrix_world @ v.co for v in square.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices], axis=0)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", 1.0
    camera.location = (centre[0], centre[1], 5.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 64
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = blur, 1.0
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = WIDTH, 20, 100
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.filepath = os.path.join(folder, "blur.exr")
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    pixels = np.array(image.pixels).reshape(20, WIDTH, -1)[..., :3].mean(axis=(0, 2))
    bpy.data.images.remove(image)
    return pixels


def lit(columns):
    found = np.flatnonzero(columns > 0.004)
    return len(found) / WIDTH


def main():
    program = os.path.abspath(sys.argv[1])
    faults = []
    with tempfile.TemporaryDirectory(prefix="percale-blur-") as folder:
        with open(os.path.join(folder, "square.obj"), "w") as out:
            out.write(SQUARE)
        for speed in (SPEED, -SPEED):
            with open(os.path.join(folder, "scene.toml"), "w") as out:
                out.write(SCENE % (FPS, speed))
            run = ["run", "scene.toml", "--out", "run", "--no-preview", "--progress", "none"]
            subprocess.run([program] + run, cwd=folder, check=True)
            for ending in ("usdc", "abc"):
                path = os.path.join(folder, "square." + ending)
                subprocess.run([program, "export", "run", "--format", ending, "--out", path], cwd=folder, check=True)
                still, blurred = (lit(picture(path, blur, folder)) for blur in (False, True))
                wanted = SIDE + abs(speed) / FPS
                print("%s at %+g m/s: %.4f m still, %.4f m blurred, %.4f m expected" % (ending, speed, still, blurred, wanted))
                if abs(still - SIDE) > 2 / WIDTH or abs(blurred - wanted) > 3 / WIDTH:
                    faults.append("%s at %+g m/s" % (ending, speed))
    print("motion blur in Blender %s: %s" % (bpy.app.version_string, "; ".join(faults) or "all well"))
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        code = main()
    except Exception:
        import traceback

        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Blender's own end can be slow
