"""The panels in the 3D view's sidebar."""

import subprocess
import time

import bpy
from bpy.types import Panel, UIList

from . import library, operators, program
from .mesh import Refused

_found = (0.0, "", None)


def state_of_program():
    """The version and path, or the fault; looked at anew every two seconds at most, for panels are drawn often."""
    global _found
    now, key = time.monotonic(), (program.chosen, program.preference())
    if _found[2] is None or now - _found[0] > 2 or _found[1] != key:
        try:
            path = program.find()
            _found = (now, key, (True, "%s, %s" % (program.version(path), path)))
        except (Refused, OSError) as fault:
            _found = (now, key, (False, str(fault)))
    return _found[2]


def wrapped(layout, text, width=44, icon="NONE"):
    """A text in lines; Blender has no labels of several lines."""
    column = layout.column(align=True)
    line = ""
    for word in text.split():
        while len(word) > width:
            if line:
                column.label(text=line, icon=icon)
                line, icon = "", "BLANK1" if icon != "NONE" else icon
            column.label(text=word[:width], icon=icon)
            word, icon = word[width:], "BLANK1" if icon != "NONE" else icon
        if line and len(line) + 1 + len(word) > width:
            column.label(text=line, icon=icon)
            line, icon = "", "BLANK1" if icon != "NONE" else icon
        line = line + " " + word if line else word
    if line:
        column.label(text=line, icon=icon)


def draw_program(layout):
    well, text = state_of_program()
    wrapped(layout, text, icon="CHECKMARK" if well else "ERROR")


class Sidebar:
    bl_category = "percale"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"


class PERCALE_PT_panel(Sidebar, Panel):
    bl_idname = "PERCALE_PT_panel"
    bl_label = "percale"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        draw_program(layout)
        own = context.scene.percale
        for name in ("collection", "obstacles", "folder"):
            layout.prop(own, name)
        run = operators.current
        if run is None:
            layout.operator("percale.simulate", icon="PLAY").resume = False
            row = layout.row(align=True)
            row.operator("percale.check")
            row.operator("percale.simulate", text="Resume").resume = True
            row = layout.row(align=True)
            row.operator("percale.load")
            row.operator("percale.clear")
        else:
            layout.progress(factor=run.done / max(1, run.count), text=run.status())
            row = layout.row(align=True)
            row.operator("percale.stop", icon="CANCEL")
            row.operator("percale.load")
        for fault in own.faults:
            box = layout.box()
            for one in fault.objects:
                if one.obj:
                    button = box.operator("percale.show", text=one.obj.name, icon="RESTRICT_SELECT_OFF")
                    button.name, button.placed, button.near = one.obj.name, fault.placed, fault.near
            if fault.line:
                box.label(text="%s, line %d" % (own.text, fault.line), icon="TEXT")
            wrapped(box, fault.text, icon="INFO" if fault.warning else "ERROR")


OF_ROLE = {
    "OBSTACLE": ("friction", "thickness"),
    "CLOTH": ("material", "thickness", "density"),
    "BODY": ("material", "thickness", "resolution"),
    "IGNORE": (),
}


class Child(Sidebar):
    bl_parent_id = "PERCALE_PT_panel"


class OfSimulated(Child):
    bl_options = {"DEFAULT_CLOSED"}
    roles = {"CLOTH"}

    @classmethod
    def poll(cls, context):
        obj = context.object
        return obj is not None and obj.type == "MESH" and obj.percale.role in cls.roles


class PERCALE_PT_object(Child, Panel):
    bl_label = "Object"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type in {"MESH", "CURVE", "SURFACE", "FONT"}

    def draw(self, context):
        layout, obj = self.layout, context.object
        layout.use_property_split = True
        own = obj.percale
        layout.label(text=obj.name, icon="OBJECT_DATA")
        layout.prop(own, "role")
        for name in OF_ROLE[own.role]:
            layout.prop(own, name)
        if own.role in {"CLOTH", "BODY"}:
            kind, usual = ("solid", "sponge") if own.role == "BODY" else ("material", "cotton")
            draw_numbers(layout, kind, own.material or usual)
        if own.role == "CLOTH":
            layout.prop(own, "own")
            if own.own:
                for name in ("young", "rigidity", "own_friction"):
                    layout.prop(own, name)


def draw_numbers(layout, kind, name):
    box = layout.box()
    try:
        for label, text in library.numbers(kind, name):
            if not label:
                wrapped(box, text)
                continue
            split = box.split(factor=0.4)
            split.label(text=label)
            split.label(text=text)
    except (Refused, OSError, KeyError, subprocess.TimeoutExpired) as fault:
        wrapped(box, str(fault), icon="QUESTION")


class PERCALE_PT_pins(OfSimulated, Panel):
    bl_label = "Pins and weights"
    roles = {"CLOTH", "BODY"}

    def draw(self, context):
        layout, obj = self.layout, context.object
        layout.use_property_split = True
        own = obj.percale
        layout.prop_search(own, "pin", obj, "vertex_groups")
        if own.pin:
            layout.prop(own, "pin_stiffness")
        for name in ("stretch", "bend", "thick", "mass") if own.role == "CLOTH" else ():
            layout.prop_search(own, name, obj, "vertex_groups")


class PERCALE_PT_shape(OfSimulated, Panel):
    bl_label = "Shape and air"

    def draw(self, context):
        layout, own = self.layout, context.object.percale
        layout.use_property_split = True
        layout.prop(own, "rest")
        if own.rest == "UV":
            layout.prop(own, "uv_size")
        for name in ("flat", "limit", "weld", "self_contact", "air_drag", "balloon"):
            layout.prop(own, name)
        if own.balloon != "NONE":
            layout.prop(own, "volume" if own.balloon == "VOLUME" else "pressure")
            layout.prop(own, "duration")
            layout.prop(own, "leak")


class PERCALE_UL_pairs(UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flt_flag=0):
        names = [o.name if o else "?" for o in (item.first, item.second)]
        kind = item.bl_rna.properties["kind"].enum_items[item.kind].name
        layout.label(text="%s: %s, %s" % (kind, *names))


class PERCALE_PT_pairs(Child, Panel):
    bl_label = "Pairs"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, own = self.layout, context.scene.percale
        layout.use_property_split = True
        layout.template_list("PERCALE_UL_pairs", "", own, "pairs", own, "pair", rows=3)
        row = layout.row(align=True)
        row.operator("percale.pair_add", icon="ADD")
        row.operator("percale.pair_remove", icon="REMOVE").index = own.pair
        if not 0 <= own.pair < len(own.pairs):
            return
        one = own.pairs[own.pair]
        for name in ("kind", "first", "second"):
            layout.prop(one, name)
        if one.kind == "FRICTION":
            layout.prop(one, "measured")
            if not one.measured:
                layout.prop(one, "static")
                layout.prop(one, "dynamic")
            return
        groups = one.first if one.first and one.first.type == "MESH" else None
        if one.kind == "GLUE":
            if groups:
                layout.prop_search(one, "group", groups, "vertex_groups")
            layout.prop(one, "stiffness")
            return
        layout.prop(one, "leak")
        layout.prop(one, "closed")
        if groups:
            layout.prop_search(one, "vent", groups, "vertex_groups")
        if one.vent:
            layout.prop(one, "vent_pressure")
            layout.prop(one, "vent_period")


class PERCALE_PT_wind(Child, Panel):
    bl_label = "Wind"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context):
        self.layout.prop(context.scene.percale, "wind", text="")

    def draw(self, context):
        layout, own = self.layout, context.scene.percale
        layout.use_property_split = True
        layout.active = own.wind
        names = ["wind_speed", "wind_object"] + ([] if own.wind_object else ["wind_direction"])
        names += ["gust"] + (["gust_period", "wind_seed"] if own.gust > 0 else [])
        names += ["wind_range"] + (["wind_from", "wind_until"] if own.wind_range else [])
        for name in names:
            layout.prop(own, name)


class PERCALE_PT_more(Child, Panel):
    bl_label = "More"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, own = self.layout, context.scene.percale
        layout.use_property_split = True
        layout.prop(own, "own_range")
        for name in (("first", "last") if own.own_range else ()) + ("step", "threads", "start", "distance"):
            layout.prop(own, name)
        layout.prop_search(own, "text", bpy.data, "texts")


CLASSES = (
    PERCALE_UL_pairs,
    PERCALE_PT_panel,
    PERCALE_PT_object,
    PERCALE_PT_pins,
    PERCALE_PT_shape,
    PERCALE_PT_pairs,
    PERCALE_PT_wind,
    PERCALE_PT_more,
)


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister():
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
