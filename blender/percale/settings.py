"""What the user sets: of each object, and of the scene."""

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import PropertyGroup

ROLES = [
    ("OBSTACLE", "Obstacle", "What cloth touches; its animation is taken along"),
    ("CLOTH", "Cloth", "Simulated cloth"),
    ("BODY", "Body", "Simulated soft body: a closed surface, filled with tetrahedra"),
]


def group(doc):
    return StringProperty(name="Vertex group", description=doc)


class PercaleObject(PropertyGroup):
    role: EnumProperty(name="Role", items=ROLES, default="OBSTACLE")
    material: StringProperty(
        name="Material", description="A material of percale's library (`percale materials`); a default if empty"
    )
    thickness: FloatProperty(
        name="Thickness", description="In metres; that of the material if 0", min=0.0, max=1.0, precision=4
    )
    friction: FloatProperty(name="Friction", description="Of an obstacle", min=0.0, max=10.0, default=0.3)
    resolution: FloatProperty(
        name="Resolution", description="Edge of a body's tetrahedra in metres; chosen if 0", min=0.0, precision=4
    )
    pin: group("Vertices with a weight above a half stay where the object's animation has them")
    stretch: group("Weights scale the in-plane stiffness")
    bend: group("Weights scale the bending stiffness")
    mass: group("Weights scale the mass per area")


class PercaleScene(PropertyGroup):
    program: StringProperty(name="Program", description="The percale program", default="percale", subtype="FILE_PATH")
    folder: StringProperty(
        name="Folder", description="Where scene, run and caches go", default="//percale", subtype="DIR_PATH"
    )
    step: FloatProperty(
        name="Step", description="Largest time step in seconds", min=1e-5, max=0.1, default=0.002, precision=5
    )
    threads: IntProperty(name="Threads", description="As many as the machine has if 0", min=0, max=1024)
    text: StringProperty(
        name="More", description="Name of a text block with further tables of the scene, such as [[air_layer]]"
    )


def register():
    bpy.utils.register_class(PercaleObject)
    bpy.utils.register_class(PercaleScene)
    bpy.types.Object.percale = PointerProperty(type=PercaleObject)
    bpy.types.Scene.percale = PointerProperty(type=PercaleScene)


def unregister():
    del bpy.types.Scene.percale
    del bpy.types.Object.percale
    bpy.utils.unregister_class(PercaleScene)
    bpy.utils.unregister_class(PercaleObject)
