"""percale in Blender: the selection or a collection becomes a scene, percale runs in the background, and the result comes back
as a cache on the same objects. See README.md beside this folder."""

from . import operators, panel, settings

PARTS = (settings, operators, panel)


def register():
    for part in PARTS:
        part.register()


def unregister():
    for part in reversed(PARTS):
        part.unregister()
