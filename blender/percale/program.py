"""The percale program: where it is, and its version.

It is looked for in this order: what the caller names, the add-on's preference, the PATH, where pip puts programs, and the
usual folders."""

import os
import shutil
import site
import subprocess
import sys
import sysconfig

import bpy

from .mesh import Refused

NAME = "percale"
INSTALL = (
    "install it with pip or cargo, as its README tells, or choose the program in Preferences > Add-ons > percale > Program"
)

# Named from outside, as by --program of simulate.py; goes before the preference.
chosen = None

_versions = {}


def preference():
    """The path of the add-on's preferences; empty where the add-on runs without any."""
    addon = bpy.context.preferences.addons.get(__package__)
    return bpy.path.abspath(addon.preferences.program).strip() if addon and addon.preferences else ""


def folders_of_pip():
    """Where pip puts programs: of the Python that runs this, and of the user."""
    out = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    user = "nt_user" if os.name == "nt" else "osx_framework_user" if sys.platform == "darwin" else "posix_user"
    if user in sysconfig.get_scheme_names():
        out.append(sysconfig.get_path("scripts", user))
    out.append(os.path.join(site.getuserbase(), "Scripts" if os.name == "nt" else "bin"))
    return out


def usual_folders():
    home = os.path.expanduser("~")
    out = [os.path.join(os.environ.get("CARGO_HOME") or os.path.join(home, ".cargo"), "bin")]
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        programs = os.environ.get("PROGRAMFILES") or r"C:\Program Files"
        return out + [os.path.join(base, "Programs", NAME), os.path.join(programs, NAME)]
    return out + [os.path.join(home, ".local", "bin"), "/usr/local/bin", "/opt/homebrew/bin", "/opt/%s/bin" % NAME]


def at(path):
    """The program at a path: a file, a folder that holds it, or a name on the PATH; none if there is none."""
    if os.path.isdir(path):
        path = os.path.join(path, NAME)
    found = shutil.which(path)
    return os.path.abspath(found) if found else None


def find():
    """The program's path. Raises Refused with where it was looked for and how to install it."""
    for named, by in ((chosen, "--program"), (preference(), "Preferences > Add-ons > percale > Program")):
        if named:
            found = at(named)
            if found is None:
                raise Refused("%s names '%s', where no program is; %s" % (by, named, INSTALL))
            return found
    found = shutil.which(NAME)
    if found:
        return os.path.abspath(found)
    folders = list(dict.fromkeys(f for f in folders_of_pip() + usual_folders() if f))
    for folder in folders:
        found = shutil.which(NAME, path=folder)
        if found:
            return os.path.abspath(found)
    raise Refused("the program percale is not on the PATH and not in %s; %s" % (", ".join(folders), INSTALL))


def version(path):
    """What the program says of its version, such as "percale 0.1.0". Raises Refused where it is no percale."""
    key = (path, os.path.getmtime(path))
    if key not in _versions:
        try:
            done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, **quiet())
            said = done.stdout.strip()
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise Refused("%s does not run: %s" % (path, fault)) from fault
        if done.returncode != 0 or not said.startswith(NAME + " "):
            raise Refused("%s is not percale: to --version it says '%s'" % (path, said[:80]))
        _versions[key] = said
    return _versions[key]


def quiet():
    """Arguments of subprocess so that no console window opens on Windows."""
    return {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {}
