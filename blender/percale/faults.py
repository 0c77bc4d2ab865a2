"""What percale says is wrong, and the objects that it is about."""

import re

PLACE = re.compile(r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<rest>.*)$")
KEY = re.compile(r"^(?P<key>[a-z_]+(\[\d+\])?(\.[A-Za-z_0-9]+(\[\d+\])?)*): (?P<rest>.*)$")
STAMP = re.compile(r"^\d{4}-\d\d-\d\dT\S+Z (?P<level>info|warning|error) (?P<rest>.*)$")


class Told:
    """A fault or a warning: its text, key, object (Blender's name, or empty), and the line of the text block of more tables, or 0."""

    def __init__(self, text, warning=False, key="", obj="", line=0):
        self.text, self.warning, self.key, self.obj, self.line = text, warning, key, obj, line

    def __repr__(self):
        return "Told(%r, %r, %r, %r, %r)" % (self.text, self.warning, self.key, self.obj, self.line)


def of_key(key, plan):
    """Blender's name of the object whose table a key is in, such as cloth[2].mesh; empty if there is none."""
    found = re.match(r"([a-z_]+)\[(\d+)\]", key)
    tables = plan.get("tables", {}).get(found.group(1), []) if found else []
    return tables[int(found.group(2))] if found and int(found.group(2)) < len(tables) else ""


def of_text(text, plan):
    """Blender's name of the first object that a text names or whose mesh file it names; empty if there is none."""
    best = (len(text), "")
    for blender, name in plan.get("names", []):
        plain = re.escape(name)
        for pattern in (r"'%s'" % plain, r'"%s"' % plain, r"(meshes|pins)[/\\]%s\.(ply|pc2|\d+\.csv)" % plain):
            found = re.search(pattern, text)
            if found and found.start() < best[0]:
                best = (found.start(), blender)
    return best[1]


def renamed(text, plan):
    """The text with Blender's names in quotes in place of percale's."""
    for blender, name in plan.get("names", []):
        if blender != name:
            text = text.replace("'%s'" % name, "'%s'" % blender)
    return text


def read(log, plan):
    """Faults and warnings among the lines of percale's standard error; `plan` is what the scene was written by."""
    out = []
    for line in log.splitlines():
        line = line.strip()
        warning = line.startswith("warning: ")
        rest = line[len("warning: "):] if warning else line
        stamp = STAMP.match(rest)
        if stamp:
            if stamp.group("level") == "info":
                continue
            warning, rest = stamp.group("level") == "warning", stamp.group("rest")
        place, key, at = PLACE.match(rest), "", 0
        if place:
            rest = place.group("rest")
            if place.group("file").endswith("scene.toml"):
                at = max(0, int(place.group("line")) - plan.get("more", 1 << 30))
            else:
                rest = "%s, line %s: %s" % (place.group("file"), place.group("line"), rest)
        keyed = KEY.match(rest)
        if keyed:
            key = keyed.group("key")
        if not rest or re.fullmatch(r"\d+ faults", rest):
            continue
        obj = (of_key(key, plan) if not at else "") or of_text(rest, plan)
        if keyed and obj:
            # The object stands beside it: of the key only what is inside of its table.
            rest = re.sub(r"^[a-z_]+\[\d+\]\.?", "", key)
            rest = (rest + ": " if rest else "") + keyed.group("rest")
        told = Told(renamed(rest, plan), warning, key, obj, at)
        if (told.text, told.obj) not in [(t.text, t.obj) for t in out]:
            out.append(told)
    return out
