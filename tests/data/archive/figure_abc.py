"""Writes figure_blender.abc and figure_blender.csv with Blender (bpy): a tube that an armature bends, its parent an empty that
moves and turns, frames 1 to 10 at 24 Hz. The CSV has the evaluated world-space points, z up [m], a row for each frame and
vertex."""
import math
import bpy
from mathutils import Vector

FRAMES, AROUND, UP = 10, 8, 5
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, FRAMES
points = [(0.1 * math.cos(2 * math.pi * i / AROUND), 0.1 * math.sin(2 * math.pi * i / AROUND), 0.25 * j)
          for j in range(UP) for i in range(AROUND)]
faces = [(j * AROUND + i, j * AROUND + (i + 1) % AROUND, (j + 1) * AROUND + (i + 1) % AROUND, (j + 1) * AROUND + i)
         for j in range(UP - 1) for i in range(AROUND)]
mesh = bpy.data.meshes.new("Tube")
mesh.from_pydata(points, [], faces)
chart = mesh.uv_layers.new(name="UVMap")
for loop in mesh.loops:
    chart.data[loop.index].uv = (loop.vertex_index % AROUND / AROUND, loop.vertex_index // AROUND / UP)
tube = bpy.data.objects.new("Tube", mesh)
parent = bpy.data.objects.new("Parent", None)
rig = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
for thing in [tube, parent, rig]:
    scene.collection.objects.link(thing)
rig.parent = parent
tube.parent = rig
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
for k in range(2):
    bone = rig.data.edit_bones.new(f"b{k}")
    bone.head, bone.tail = Vector((0, 0, 0.5 * k)), Vector((0, 0, 0.5 * k + 0.5))
rig.data.edit_bones["b1"].parent = rig.data.edit_bones["b0"]
bpy.ops.object.mode_set(mode="POSE")
for k in range(2):
    group = tube.vertex_groups.new(name=f"b{k}")
    for v, p in enumerate(points):
        share = min(max((p[2] - 0.25) / 0.5, 0), 1)
        group.add([v], share if k else 1 - share, "REPLACE")
tube.modifiers.new("Armature", "ARMATURE").object = rig
bone = rig.pose.bones["b1"]
bone.rotation_mode = "XYZ"
for frame in range(1, FRAMES + 1):
    bone.rotation_euler = (0.1 * (frame - 1), 0, 0.05 * frame)
    bone.keyframe_insert("rotation_euler", frame=frame)
    parent.location = (0.02 * frame, 0.1, 0.01 * frame * frame)
    parent.rotation_euler = (0.05 * frame, 0, -0.1 * frame)
    parent.keyframe_insert("location", frame=frame)
    parent.keyframe_insert("rotation_euler", frame=frame)
bpy.ops.object.mode_set(mode="OBJECT")
with open("figure_blender.csv", "w") as out:
    out.write("frame,x,y,z\n")
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        own = tube.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for vertex in own.data.vertices:
            x, y, z = own.matrix_world @ vertex.co
            out.write(f"{frame},{x:.8f},{y:.8f},{z:.8f}\n")
bpy.ops.wm.alembic_export(filepath="figure_blender.abc", start=1, end=FRAMES, uvs=True)
bpy.ops.wm.usd_export(filepath="figure_blender.usdc", export_animation=True, export_armatures=False)
