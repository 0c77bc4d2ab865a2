"""The library of materials, as `percale materials` tells it."""

import os
import re
import subprocess

from . import program
from .mesh import Refused

KINDS = ("material", "solid", "pair", "permeability")

_tables, _pages, _unknown = {}, {}, {}


def said(path, *arguments):
    done = subprocess.run(
        [path, "materials", *arguments], capture_output=True, encoding="utf-8", timeout=20, **program.quiet()
    )
    if done.returncode != 0:
        raise Refused(done.stderr.strip() or "%s materials ended with code %d" % (path, done.returncode))
    return done.stdout


def parse(text):
    """{kind: {name: columns}} of the table: material, solid, pair, permeability."""
    out, kind = {head: {} for head in KINDS}, None
    for line in text.splitlines():
        head = re.match(r"(\w+) {2,}", line)
        if head and head.group(1) in KINDS and not out[head.group(1)]:
            kind = head.group(1)
            continue
        row = re.match(r"(\S+)\s+(\S.*)$", line)
        if not row or kind is None or line.startswith((" ", "*")):
            continue
        out[kind][row.group(1)] = re.split(r"\s{2,}", row.group(2).strip())
    return out


def table(path):
    key = (path, os.path.getmtime(path))
    if key not in _tables:
        _tables[key] = parse(said(path))
    return _tables[key]


def names(kind):
    """Names of one kind; none where the program is not found."""
    try:
        return list(table(program.find())[kind])
    except (Refused, OSError, subprocess.TimeoutExpired):
        return []


def page(path, name):
    """All of one material: (key, value) each."""
    key = (path, os.path.getmtime(path), name)
    if key not in _pages:
        lines = said(path, name).splitlines()[1:]
        _pages[key] = [tuple(re.split(r"\s{2,}", line.strip(), maxsplit=1)) for line in lines if line.strip()]
    return [pair for pair in _pages[key] if len(pair) == 2]


def scaled(text, factor, unit):
    """`0.143 kg/m2` in another unit; as it is where it begins with no number."""
    found = re.match(r"[-+]?[0-9.]+(e[-+]?\d+)?", text)
    return "%.4g %s" % (float(found.group()) * factor, unit) if found else text


def unknown(path, kind, name):
    """What the program says of a name that the library does not have: with a suggestion."""
    key = (path, os.path.getmtime(path), kind, name)
    if key not in _unknown:
        try:
            said(path, name)
            _unknown[key] = "'%s' is in the library, but is no %s" % (name, kind)
        except Refused as fault:
            _unknown[key] = str(fault)
    return _unknown[key]


def numbers(kind, name):
    """What the panel shows of a material: (label, text) each. Raises Refused with what percale says of an unknown one."""
    path = program.find()
    row = table(path)[kind].get(name)
    if row is None:
        raise Refused(unknown(path, kind, name))
    own = dict(page(path, name))
    if kind == "material":
        return [
            ("Area density", scaled(own["density"], 1e3, "g/m2")),
            ("Thickness", scaled(own["thickness"], 1e3, "mm")),
            ("Stretch", row[1] + " N/m"),
            ("Bending", row[2] + " uN m"),
            ("Damping", scaled(own["damping"], 1e3, "ms")),
            ("Friction", own["friction_static"] + ", sliding " + own["friction_dynamic"]),
            ("Numbers", own["kind"]),
            ("", own["description"]),
        ]
    if kind == "solid":
        return [
            ("Density", own["density"]),
            ("Young's modulus", scaled(own["young"], 1e-3, "kPa")),
            ("Poisson's ratio", own["poisson"]),
            ("Damping", scaled(own["damping"], 1e3, "ms")),
            ("Friction", own["friction_static"] + ", sliding " + own["friction_dynamic"]),
            ("Numbers", own["kind"]),
            ("", own["description"]),
        ]
    return [(key.capitalize(), value) for key, value in own.items() if key != "source"]
