"""What percale says is wrong, and the objects that it is about."""

import re

PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<rest>.*)$")
KEY = re.compile(r"^(?P<key>[a-z_]+(\[\d+\])?(\.[A-Za-z_0-9]+(\[\d+\])?)*): (?P<rest>.*)$")
STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\S+Z (?P<level>info|warning|error) (?P<rest>.*)$")


NEAR = re.compile(r"\((-?[\d.]+(?:e-?\d+)?), (-?[\d.]+(?:e-?\d+)?), (-?[\d.]+(?:e-?\d+)?)\)(?: m\b|;|,|:| on )")

# What a fault says about keys, in the words of the panel.
WORDS = [
    ('give contact.start = "untangle"', "set Crossing start to Untangle, in More"),
    (re.compile(r'weld = ("[^"]+") in the \[\[cloth\]\] joins them'), r"Weld of \1, in Shape and air, joins them"),
    ("give contact.distance", "change Contact distance, in More"),
    ("`percale materials` lists them", "the field lists them"),
    ("run again with --resume to go on", "Resume goes on"),
]

# Sections that are of pairs or of the scene, as the panel has them.
SECTIONS = {
    "friction": "Friction", "glue": "Glue", "air_layer": "Air layer", "balloon": "Balloon", "material": "Own numbers",
    "wind": "Wind",
}  # fmt: skip


class Told:
    """A fault or a warning: its text, key, the objects that it is about (Blender's names), where it is [m] or none, and the
    line of the text block with more tables, or 0."""

    def __init__(self, text, warning=False, key="", objects=(), near=None, line=0):
        self.text, self.warning, self.key = text, warning, key
        self.objects, self.near, self.line = list(objects), near, line

    def __repr__(self):
        return "Told(%r, %r, %r, %r, %r, %r)" % (
            self.text, self.warning, self.key, self.objects, self.near, self.line
        )  # fmt: skip


def of_key(key, plan):
    """Blender's names of the objects whose table a key is in, such as cloth[2].mesh: one, or both of a pair."""
    found = re.match(r"([a-z_]+)\[(\d+)\]", key)
    tables = plan.get("tables", {}).get(found.group(1), []) if found else []
    return list(tables[int(found.group(2))]) if found and int(found.group(2)) < len(tables) else []


def of_text(text, plan):
    """Blender's names of the objects that a text names, or whose files it names, in this order."""
    out = []
    for blender, name in plan.get("names", []):
        plain = re.escape(name)
        found = re.search(r"'%s'|\"%s\"|(meshes|pins)[/\\]%s\.(ply|pc2|\d+\.csv)" % (plain, plain, plain), text)
        if found:
            out.append((found.start(), blender))
    return [blender for _, blender in sorted(out)]


def plain(text, plan):
    """The text with Blender's names in place of percale's, and the panel's words in place of keys."""
    for blender, name in plan.get("names", []):
        text = re.sub(r"^meshes[/\\]%s\.(ply|pc2): " % re.escape(name), "", text)
        if blender != name:
            text = text.replace("'%s'" % name, "'%s'" % blender)
    for key, word in WORDS:
        text = text.replace(key, word) if isinstance(key, str) else key.sub(word, text)
    return text


def split(line, plan):
    """The text of a line without its place, whether it warns, and the line of the text block; none of what is no fault."""
    warning = line.startswith("warning: ")
    text, at = line[len("warning: "):] if warning else line, 0
    stamp = STAMP.match(text)
    if stamp:
        if stamp.group("level") == "info":
            return None
        warning, text = stamp.group("level") == "warning", stamp.group("rest")
    place = PLACE.match(text)
    if place and place.group("file").endswith("scene.toml"):
        text, at = place.group("rest"), max(0, int(place.group("line")) - plan.get("more", 1 << 30))
    elif place:
        text = "%s, line %s: %s" % (place.group("file"), place.group("line"), place.group("rest"))
    if not text or re.fullmatch(r"\d+ faults", text) or "crossing.ply: " in text:
        return None
    return text, warning, at


def read(log, plan):
    """Faults and warnings among the lines of percale's standard error; `plan` is what the scene was written by."""
    out = []
    for line in log.splitlines():
        parts = split(line.strip(), plan)
        if parts is None:
            continue
        text, warning, at = parts
        keyed = KEY.match(text)
        key = keyed.group("key") if keyed else ""
        objects = of_key(key, plan) if not at else []
        objects += [name for name in of_text(text, plan) if name not in objects]
        if keyed and not at:
            # The object stands beside it: of the key what is inside of its table.
            section, inside = re.match(r"([a-z_]+)(?:\[\d+\])?\.?(.*)$", key).groups()
            if objects or section in SECTIONS:
                head = [SECTIONS[section]] if section in SECTIONS else []
                text = ": ".join(head + ([inside] if inside else []) + [keyed.group("rest")])
        near = NEAR.search(text)
        near = tuple(float(x) for x in near.groups()) if near else None
        told = Told(plain(text, plan), warning, key, objects, near, at)
        if (told.text, told.objects) not in [(t.text, t.objects) for t in out]:
            out.append(told)
    return out


def origin(told):
    """The point that a run far away is solved about [m], by its warning; the meshes of a refused start have no other word of it."""
    for one in told:
        found = re.search(r"far from the origin: .* about \[([^\]]+)\] m", one.text)
        if found:
            return [float(x) for x in found.group(1).split(",")]
    return [0.0, 0.0, 0.0]
