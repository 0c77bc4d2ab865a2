"""The panel in the 3D view's sidebar."""

import bpy
from bpy.types import Panel

OF_ROLE = {
    "OBSTACLE": ("friction", "thickness"),
    "CLOTH": ("material", "thickness"),
    "BODY": ("material", "thickness", "resolution"),
}


class PERCALE_PT_panel(Panel):
    bl_idname = "PERCALE_PT_panel"
    bl_label = "percale"
    bl_category = "percale"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        obj = context.object
        if obj and obj.type == "MESH":
            own = obj.percale
            box = layout.box()
            box.label(text=obj.name, icon="OBJECT_DATA")
            box.prop(own, "role")
            for name in OF_ROLE[own.role]:
                box.prop(own, name)
            if own.role == "CLOTH":
                for name in ("pin", "stretch", "bend", "mass"):
                    box.prop_search(own, name, obj, "vertex_groups", text=name.capitalize())
        own = context.scene.percale
        for name in ("program", "folder", "step", "threads"):
            layout.prop(own, name)
        layout.prop_search(own, "text", bpy.data, "texts")
        layout.operator("percale.simulate", icon="PLAY")
        row = layout.row()
        row.operator("percale.load")
        row.operator("percale.clear")


def register():
    bpy.utils.register_class(PERCALE_PT_panel)


def unregister():
    bpy.utils.unregister_class(PERCALE_PT_panel)
