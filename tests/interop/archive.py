"""What percale takes from USD files beside Pixar's own library: `archive.py PERCALE`, in an environment with usd-core.

A figure with bones, blend shapes and transforms is written anew (tests/data/archive/figure_usd.py) and run as an obstacle: its
meshes must be Pixar's world-space points within 1e-5 m in every frame. A file of 200 frames of 100,489 vertices must be checked
within 1 GB of memory."""
import csv
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np
from pxr import Usd, UsdGeom, Vt

from record import read_ply

percale = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
work = tempfile.mkdtemp(prefix="percale-archive-")
SHEET = "v 9 0 3\nv 9.1 0 3\nv 9 0.1 3\nf 1 2 3\n"


def ply(path):
    """Positions of a mesh file of a run."""
    columns, rows = read_ply(path, names=True)
    return rows[:, [columns.index(axis) for axis in "xyz"]].astype(float)


def scene(name, head, obstacle):
    path = os.path.join(work, name + ".toml")
    open(os.path.join(work, "sheet.obj"), "w").write(SHEET)
    open(path, "w").write(f'{head}[[cloth]]\nname = "sheet"\nmesh = "sheet.obj"\n[[obstacle]]\nname = "hero"\n{obstacle}'
                          "[preview]\nenabled = false\n")
    return path


subprocess.run([sys.executable, os.path.join(here, "../data/archive/figure_usd.py")], cwd=work, check=True)
expected = {}
for row in csv.DictReader(open(os.path.join(work, "figure.csv"))):
    expected.setdefault(int(row["code"]), []).append([float(row[axis]) for axis in "xyz"])
head = '[scene]\nup = "z"\n[time]\nfps = 24\nstart_frame = 1001\nframes = 12\nstep = "10 ms"\npreroll = 3\n'
for file in ["figure.usdc", "figure.usdz", "figure_baked.usda"]:
    out = os.path.join(work, file + "-run")
    run = scene("figure", head, f'cache = {{ mesh = "{file}" }}\nobject = "/World/Hero"\n')
    subprocess.run([percale, "run", run, "--out", out, "--progress", "none"], check=True)
    worst = 0.0
    for code, points in expected.items():
        found = ply(os.path.join(out, "meshes/hero", f"hero.{code}.ply"))
        worst = max(worst, np.abs(found - np.array(points)).max())
    assert worst < 1e-5, f"{file}: {worst} m"
    print(f"archive: {file}: {len(expected)} frames, at most {worst:.1e} m from Pixar's points")

side, frames = 317, 200
stage = Usd.Stage.CreateNew(os.path.join(work, "large.usdc"))
UsdGeom.SetStageUpAxis(stage, "Y")
UsdGeom.SetStageMetersPerUnit(stage, 1.0)
stage.SetTimeCodesPerSecond(24)
mesh = UsdGeom.Mesh.Define(stage, "/Large")
place = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), -1).reshape(-1, 2) * 0.01
cell = np.arange((side - 1) ** 2)
corner = cell // (side - 1) * side + cell % (side - 1)
quads = np.stack([corner, corner + 1, corner + side + 1, corner + side], 1).ravel().astype(np.int32)
mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(cell), 4, np.int32)))
mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(quads))
for frame in range(1, frames + 1):
    points = np.zeros((side * side, 3), np.float32)
    points[:, 0], points[:, 2] = place[:, 0], place[:, 1]
    points[:, 1] = np.sin(place[:, 0] * 5 + frame * 0.1) * 0.05 - 9
    mesh.GetPointsAttr().Set(Vt.Vec3fArray.FromNumpy(points), frame)
stage.GetRootLayer().Save()
large = scene("large", f"[time]\nfps = 24\nframes = {frames}\n", 'cache = { mesh = "large.usdc" }\n')
before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
subprocess.run([percale, "check", large], check=True)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert most > before, "another process took more memory"
assert most < 1_000_000, f"{most} kB"
print(f"archive: {frames} frames of {side * side} vertices take {most / 1024:.0f} MB")
