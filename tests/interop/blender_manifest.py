"""The add-on's manifest by the schema of extensions of Blender 4.2 and newer, and the archive: python blender_manifest.py.

Needs Python 3.11. Where the module bpy is there too, Blender's own validation looks at it, builds the archive and installs it."""

import copy
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
ADDON = os.path.join(ROOT, "blender", "percale")

TAGS = {
    "3D View", "Add Curve", "Add Mesh", "Animation", "Bake", "Camera", "Compositing", "Development", "Game Engine",
    "Geometry Nodes", "Grease Pencil", "Import-Export", "Lighting", "Material", "Mesh", "Modeling", "Node", "Object",
    "Paint", "Physics", "Pipeline", "Render", "Rigging", "Scene", "Sculpt", "Sequencer", "System", "Text Editor",
    "Tracking", "User Interface", "UV",
}  # fmt: skip
LICENSES = {"MIT", "Apache-2.0", "GPL-3.0-or-later", "GPL-2.0-or-later", "BSD-3-Clause", "CC0-1.0"}
REQUIRED = {
    "schema_version": str, "id": str, "version": str, "name": str, "tagline": str, "maintainer": str, "type": str,
    "blender_version_min": str, "license": list,
}  # fmt: skip
OPTIONAL = {
    "tags": list, "permissions": dict, "build": dict, "website": str, "copyright": list, "blender_version_max": str,
    "platforms": list, "wheels": list,
}  # fmt: skip
PERMISSIONS = {"files", "network", "clipboard", "camera", "microphone"}


def terse(text):
    """A line of at most 64 characters that does not end with punctuation."""
    return 0 < len(text) <= 64 and "\n" not in text and text == text.strip() and bool(re.search(r"[\w)\]}]$", text))


def faults(manifest):
    """What is wrong with a manifest, in sentences."""
    out = ["%s is missing" % key for key in REQUIRED if key not in manifest]
    kinds = {**REQUIRED, **OPTIONAL}
    for key, value in manifest.items():
        if key not in kinds:
            out.append("%s is no key of a manifest" % key)
        elif not isinstance(value, kinds[key]):
            out.append("%s is a %s" % (key, type(value).__name__))
    if out:
        return out

    def wrong(well, text):
        if not well:
            out.append(text)

    wrong(manifest["schema_version"] == "1.0.0", "schema_version is 1.0.0")
    wrong(re.fullmatch(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*", manifest["id"]), "id is a Python name")
    wrong(re.fullmatch(r"\d+\.\d+\.\d+([-+][0-9A-Za-z.+-]+)?", manifest["version"]), "version is semantic")
    wrong(terse(manifest["tagline"]), "tagline has at most 64 characters and no punctuation at its end")
    wrong(manifest["name"].strip() and manifest["maintainer"].strip(), "name and maintainer are not empty")
    wrong(manifest["type"] == "add-on", "type is add-on")
    least = manifest["blender_version_min"]
    wrong(
        re.fullmatch(r"\d+\.\d+\.\d+", least) and tuple(map(int, least.split("."))) >= (4, 2, 0),
        "blender_version_min has three numbers, 4.2.0 or newer",
    )
    wrong(manifest["license"], "license has an entry")
    for one in manifest["license"]:
        wrong(one.startswith("SPDX:") and one[5:] in LICENSES, "license '%s' is SPDX: and an identifier" % one)
    for one in manifest.get("tags", []):
        wrong(one in TAGS, "'%s' is a tag of extensions.blender.org" % one)
    for key, reason in manifest.get("permissions", {}).items():
        wrong(key in PERMISSIONS, "%s is a permission" % key)
        wrong(isinstance(reason, str) and terse(reason), "the reason of %s is a line of at most 64 characters" % key)
    return out


def read(folder):
    with open(os.path.join(folder, "blender_manifest.toml"), "rb") as file:
        return tomllib.load(file)


def ours():
    manifest = read(ADDON)
    assert faults(manifest) == [], faults(manifest)
    with open(os.path.join(ROOT, "Cargo.toml"), "rb") as file:
        package = tomllib.load(file)["workspace"]["package"]
    assert manifest["version"] == package["version"], "the add-on has the version of the program"
    assert set(package["license"].split(" OR ")) == {one[5:] for one in manifest["license"]}
    # It starts a program and writes files, and does nothing else that a permission is needed for.
    assert set(manifest["permissions"]) == {"files"}


def refused():
    """Each of these is told, so that the check cannot pass everything."""
    changes = [
        ("schema_version", "2.0.0"), ("id", "per cale"), ("id", "per__cale"), ("version", "0.1"), ("tagline", "x" * 65),
        ("tagline", "Cloth."), ("maintainer", " "), ("type", "addon"), ("blender_version_min", "4.1.0"),
        ("blender_version_min", "4.2"), ("license", []), ("license", ["MIT"]), ("license", ["SPDX:Free"]),
        ("tags", ["Cloth"]), ("permissions", {"disk": "Writes"}), ("permissions", {"files": "Writes scenes."}),
        ("category", "Physics"), ("tags", "Physics"),
    ]  # fmt: skip
    for key, value in changes:
        manifest = copy.deepcopy(read(ADDON))
        manifest[key] = value
        assert len(faults(manifest)) >= 1, "%s = %r is taken" % (key, value)
    for key in REQUIRED:
        manifest = read(ADDON)
        del manifest[key]
        assert faults(manifest) == ["%s is missing" % key]


INSTALL = """
import sys, bpy
bpy.ops.extensions.package_install_files(filepath=sys.argv[1], repo="user_default", enable_on_install=True)
addon = bpy.context.preferences.addons["bl_ext.user_default.percale"]
addon.preferences.program = "/nowhere/percale"
from bl_ext.user_default.percale import program
assert program.preference() == "/nowhere/percale"
try:
    program.find()
    raise SystemExit("a program that is not there is found")
except program.Refused as fault:
    assert "/nowhere/percale" in str(fault), fault
assert "simulate" in dir(bpy.ops.percale) and bpy.context.scene.percale.step > 0
print("installed")
sys.stdout.flush()
import os
os._exit(0)
"""


def blender():
    """Blender's own validation and build, and the archive installed in a Blender without any settings."""
    spec = importlib.util.find_spec("bpy")
    if spec is None:
        print("manifest: no module bpy, so Blender's own validation is left out")
        return
    home = os.path.dirname(spec.origin)
    versions = [v for v in os.listdir(home) if re.fullmatch(r"\d+\.\d+", v)]
    tool = os.path.join(home, versions[0], "scripts", "addons_core", "bl_pkg", "cli", "blender_ext.py")
    with tempfile.TemporaryDirectory(prefix="percale-extension-") as folder:
        environment = dict(os.environ, BLENDER_USER_RESOURCES=os.path.join(folder, "user"))
        for command in (["validate", ADDON], ["build", "--source-dir", ADDON, "--output-dir", folder]):
            done = subprocess.run([sys.executable, tool] + command, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
        archive = os.path.join(folder, "percale-%s.zip" % read(ADDON)["version"])
        with zipfile.ZipFile(archive) as held:
            names = set(held.namelist())
        wanted = {name for name in os.listdir(ADDON) if name.endswith((".py", ".toml"))}
        assert names == wanted, names ^ wanted
        done = subprocess.run([sys.executable, "-c", INSTALL, archive], capture_output=True, text=True, env=environment)
        assert done.returncode == 0 and "installed" in done.stdout, done.stdout + done.stderr
    print("manifest: validated, built and installed by Blender", versions[0])


if __name__ == "__main__":
    ours()
    refused()
    blender()
    print("manifest: all well")
