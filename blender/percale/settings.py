"""What the user sets: of each object, of the scene, and of the add-on."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import AddonPreferences, PropertyGroup

from . import library

ROLES = [
    ("OBSTACLE", "Obstacle", "What cloth touches; its animation is taken along"),
    ("CLOTH", "Cloth", "Simulated cloth"),
    ("BODY", "Body", "Simulated soft body: a closed surface, filled with tetrahedra"),
    ("IGNORE", "Left out", "Takes no part"),
]

RESTS = [
    ("MESH", "Mesh", "It rests at the lengths of the mesh at the first frame"),
    ("UV", "UV map", "It rests at the lengths of its active UV map: the pattern that it was cut to"),
]

BALLOONS = [
    ("NONE", "None", "No air inside"),
    ("VOLUME", "Volume", "Air is let in until the volume is so many times that at the start, then the valve is shut"),
    ("PRESSURE", "Pressure", "It is inflated to a pressure, which is held"),
]

KINDS = [
    ("FRICTION", "Friction", "Friction between the two, in place of their own; the same object twice is friction on itself"),
    ("GLUE", "Glue", "The first, a cloth, is glued to the second, a body"),
    ("AIR", "Air layer", "Air between the first, a cloth, and the second below it"),
]

STARTS = [
    ("error", "Refuse", "The run does not begin where meshes cross; what crosses is told and shown"),
    ("untangle", "Untangle", "Cloth is taken out of what it lies in by a little"),
    ("ignore", "Ignore", "What crosses is left out of contact until it is first apart"),
]


def searched(kind):
    """Names of the library, for a field that is searched as it is typed into."""

    def search(self, context, text):
        return library.names(kind(self) if callable(kind) else kind)

    return {"search": search, "search_options": {"SUGGESTION"}}


def group(name, doc):
    return StringProperty(name=name, description=doc)


def simulated(self, obj):
    return obj.type == "MESH" and obj.percale.role in {"CLOTH", "BODY"}


def shaped(self, obj):
    return obj.type in {"MESH", "CURVE", "SURFACE", "FONT"}


class PercaleObject(PropertyGroup):
    role: EnumProperty(name="Role", items=ROLES, default="OBSTACLE")
    material: StringProperty(
        name="Fabric",
        description="A fabric, or a solid of a body, of percale's library; cotton or sponge if empty",
        **searched(lambda self: "solid" if self.role == "BODY" else "material"),
    )
    thickness: FloatProperty(
        name="Thickness", description="In metres; that of the fabric if 0", min=0.0, max=1.0, precision=5
    )
    density: FloatProperty(
        name="Area density", description="In kg/m2; that of the fabric if 0", min=0.0, max=100.0, precision=3
    )
    own: BoolProperty(name="Own numbers", description="Stretch, bending and friction in place of the fabric's")
    young: FloatProperty(
        name="Stretch", description="Young's modulus times thickness, in N/m", min=0.01, max=1e7, default=400.0
    )
    rigidity: FloatProperty(
        name="Bending", description="Bending rigidity per width, in uN m", min=0.0, max=1e9, default=8.0
    )
    own_friction: FloatProperty(
        name="Friction", description="Coefficient, at rest and sliding", min=0.0, max=10.0, default=0.3
    )
    friction: FloatProperty(name="Friction", description="Of an obstacle", min=0.0, max=10.0, default=0.3)
    resolution: FloatProperty(
        name="Resolution", description="Edge of a body's tetrahedra in metres; chosen if 0", min=0.0, precision=4
    )
    rest: EnumProperty(name="Rest shape", items=RESTS, default="MESH")
    uv_size: FloatProperty(
        name="UV size", description="Metres for the whole width of the UV map, 0 to 1", min=1e-6, default=1.0, precision=3
    )
    flat: BoolProperty(name="Rest flat", description="It bends back to flat, not to the angles of the mesh")
    limit: FloatProperty(
        name="Strain limit", description="Most that an edge gets longer, in per cent; no bound if 0", min=0.0, max=1000.0
    )
    weld: FloatProperty(
        name="Weld", description="Joins borders that are so near, as the two sides of a seam, in metres; not if 0",
        min=0.0, max=0.1, precision=5,
    )  # fmt: skip
    self_contact: BoolProperty(name="Self contact", description="It touches itself", default=True)
    air_drag: FloatProperty(
        name="Air drag", description="How much of the wind it takes along its normal, in N s/m3", min=0.0, default=1.0
    )
    pin: group(
        "Pins", "Weight 1 holds a vertex where the object's animation has it; less is a spring, by weight times pin stiffness"
    )
    pin_stiffness: FloatProperty(
        name="Pin stiffness", description="Of a vertex with weights near 1, in N/m; weights below 1 do not hold if 0",
        min=0.0, max=1e6, default=1.0,
    )  # fmt: skip
    stretch: group("Stretch", "Weights scale the in-plane stiffness")
    bend: group("Bending", "Weights scale the bending stiffness")
    thick: group("Thickness", "Weights scale the thickness")
    mass: group("Mass", "Weights scale the mass per area")
    balloon: EnumProperty(name="Balloon", items=BALLOONS, default="NONE")
    volume: FloatProperty(name="Volume", description="Times that at the start", min=1.0, max=10000.0, default=2.0)
    pressure: FloatProperty(name="Pressure", description="Above the atmosphere, in Pa", min=0.0, max=1e7, default=500.0)
    duration: FloatProperty(
        name="Duration", description="Time in which it is reached, in seconds", min=0.001, max=10000.0, default=1.0
    )
    leak: StringProperty(
        name="Permeability",
        description="How easily air goes through it: a name of the library, or a speed at 200 Pa as 120 mm/s; sealed if empty",
        **searched("permeability"),
    )


class PercalePair(PropertyGroup):
    kind: EnumProperty(name="Kind", items=KINDS, default="FRICTION")
    first: PointerProperty(name="First", type=bpy.types.Object, poll=shaped)
    second: PointerProperty(name="Second", type=bpy.types.Object, poll=shaped)
    measured: StringProperty(
        name="Measured", description="A pair of the library; the coefficients if empty", **searched("pair")
    )
    static: FloatProperty(name="Static", description="Coefficient that holds", min=0.0, max=10.0, default=0.5)
    dynamic: FloatProperty(name="Sliding", description="Coefficient while sliding", min=0.0, max=10.0, default=0.4)
    group: group("Glued", "Vertex group of the cloth that is glued, weights above a half; all of it if empty")
    stiffness: FloatProperty(
        name="Stiffness", description="Of the film of glue, in N/cm3", min=1e-6, max=1e6, default=10.0
    )
    leak: StringProperty(
        name="Permeability",
        description="How easily air goes through the cloth: a name of the library, or a speed at 200 Pa as 120 mm/s",
        default="poplin",
        **searched("permeability"),
    )
    closed: BoolProperty(name="Closed border", description="The border of the cloth is sewn to what is below")
    vent: group("Vent", "Vertex group through which air is blown in or drawn out, weights above a half; none if empty")
    vent_pressure: FloatProperty(
        name="Vent pressure", description="Above the atmosphere, in Pa; below zero draws out", min=-1e5, max=1e6, default=40.0
    )
    vent_period: FloatProperty(
        name="Vent period", description="It blows in blows so long, in seconds; all the time if 0", min=0.0, max=1e6
    )


class PercaleName(PropertyGroup):
    obj: PointerProperty(type=bpy.types.Object)


class PercaleFault(PropertyGroup):
    text: StringProperty()
    warning: BoolProperty()
    objects: CollectionProperty(type=PercaleName)
    placed: BoolProperty()
    near: FloatVectorProperty()
    line: IntProperty()


class PercaleScene(PropertyGroup):
    folder: StringProperty(
        name="Folder", description="Where scene, run and caches go", default="//percale", subtype="DIR_PATH"
    )
    collection: PointerProperty(
        name="Objects", type=bpy.types.Collection, description="What takes part; the selected objects if empty"
    )
    obstacles: PointerProperty(
        name="Obstacles", type=bpy.types.Collection,
        description="Obstacles besides: all objects of the collection and of those inside of it",
    )  # fmt: skip
    own_range: BoolProperty(
        name="Own frames", description="Frames of its own, such as some before the shot in which cloth comes to rest"
    )
    first: IntProperty(name="First frame", min=0, default=1)
    last: IntProperty(name="Last frame", min=0, default=250)
    step: FloatProperty(
        name="Step", description="Largest time step in seconds", min=1e-5, max=0.1, default=0.002, precision=5
    )
    threads: IntProperty(name="Threads", description="As many as the machine has if 0", min=0, max=1024)
    start: EnumProperty(name="Crossing start", items=STARTS, default="error")
    distance: FloatProperty(
        name="Contact distance", description="Surfaces nearer than this beyond their thickness repel each other, in metres",
        min=2e-5, max=0.1, default=0.001, precision=5,
    )  # fmt: skip
    text: StringProperty(
        name="More", description="Name of a text block with further tables of the scene, such as [[tether]]"
    )
    wind: BoolProperty(name="Wind", description="Wind blows")
    wind_speed: FloatProperty(name="Speed", description="Mean speed in m/s", min=0.0, max=1000.0, default=3.0)
    wind_object: PointerProperty(
        name="Along", type=bpy.types.Object,
        description="It blows along this object's Z axis at the first frame, as a force field does; else along the direction",
    )  # fmt: skip
    wind_direction: FloatVectorProperty(name="Direction", subtype="DIRECTION", default=(1.0, 0.0, 0.0))
    gust: FloatProperty(name="Gusts", description="Amplitude of the gusts in m/s", min=0.0, max=1000.0)
    gust_period: FloatProperty(
        name="Gust period", description="Time scale of the gusts in seconds", min=0.001, max=10000.0, default=1.0
    )
    wind_seed: IntProperty(name="Seed", description="Which gusts", min=0)
    wind_range: BoolProperty(name="From and until", description="It blows between two frames alone")
    wind_from: IntProperty(name="From frame", default=1)
    wind_until: IntProperty(name="Until frame", default=250)
    pairs: CollectionProperty(type=PercalePair)
    pair: IntProperty(name="Pair")
    faults: CollectionProperty(type=PercaleFault)


class PercalePreferences(AddonPreferences):
    bl_idname = __package__

    program: StringProperty(
        name="Program", description="The percale program; found by itself if empty", subtype="FILE_PATH"
    )

    def draw(self, context):
        from . import panel

        self.layout.prop(self, "program")
        panel.draw_program(self.layout)


CLASSES = (PercaleObject, PercalePair, PercaleName, PercaleFault, PercaleScene, PercalePreferences)


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Object.percale = PointerProperty(type=PercaleObject)
    bpy.types.Scene.percale = PointerProperty(type=PercaleScene)


def unregister():
    del bpy.types.Scene.percale
    del bpy.types.Object.percale
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
