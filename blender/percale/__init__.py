"""percale in Blender: the selection becomes a scene, percale runs in the background, and the result comes back as a cache
on the same objects. See README.md beside this folder."""

bl_info = {
    "name": "percale",
    "author": "The percale authors",
    "version": (0, 1, 0),
    "blender": (4, 2, 0),
    "location": "3D View > Sidebar > percale",
    "description": "Simulate cloth and soft bodies with percale",
    "category": "Physics",
}

from . import operators, panel, settings

PARTS = (settings, operators, panel)


def register():
    for part in PARTS:
        part.register()


def unregister():
    for part in reversed(PARTS):
        part.unregister()
