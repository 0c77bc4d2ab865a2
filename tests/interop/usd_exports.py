"""What Pixar's library makes of USD exports: python usd_exports.py RUN EXPORTS. Needs usd-core; not beside bpy.

Metadata, every object's points, velocities, texture coordinates and fields at the first, middle and last frame against the
record of the run, and the library's own validators."""

import os
import sys

import numpy as np
from pxr import Usd, UsdGeom, UsdShade, UsdValidation

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from record import read_ply, read_run  # noqa: E402

faults = []


def same(what, got, wanted):
    got = None if got is None else np.array(got)
    if got is None or got.shape != wanted.shape or not np.array_equal(got, wanted):
        faults.append(what)


def look(run, manifest, path):
    stage = Usd.Stage.Open(path)
    last = manifest["frames_done"]
    head = (
        UsdGeom.GetStageMetersPerUnit(stage),
        stage.GetStartTimeCode(),
        stage.GetEndTimeCode(),
        stage.GetTimeCodesPerSecond(),
        stage.GetFramesPerSecond(),
    )
    if head != (1.0, 1.0, last, manifest["fps"], manifest["fps"]) or UsdGeom.GetStageUpAxis(stage) != "Y":
        faults.append("%s: head %s" % (path, head))
    root = stage.GetDefaultPrim()
    for entry in manifest["objects"]:
        mesh = UsdGeom.Mesh(root.GetChild(entry["name"].replace("-", "_")))
        moving = "####" in entry["files"]
        if mesh.GetSubdivisionSchemeAttr().Get() != "none":
            faults.append("%s: subdivision" % entry["name"])
        material, _ = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()
        if not material or material.GetPrim().GetName() != mesh.GetPrim().GetName():
            faults.append("%s: bound to %s" % (entry["name"], material))
        shader, _, _ = material.ComputeSurfaceSource()
        shade = [shader.GetInput(name).Get() for name in ("diffuseColor", "metallic")]
        if shade != [mesh.GetDisplayColorAttr().Get()[0], 0.0]:
            faults.append("%s: colours %s" % (entry["name"], shade))
        for frame in (1, (1 + last) // 2, last):
            file = os.path.join(run, entry["files"].replace("####", "%04d" % frame))
            names, rows = read_ply(file, names=True)
            _, lists = read_ply(file)
            triangles = np.frombuffer(lists, np.dtype([("n", "u1"), ("v", "<i4", 3)]))["v"]
            kept = np.arange(len(rows)) if entry["kind"] != "body" else np.unique(triangles)
            of = {n: rows[kept, k] for k, n in enumerate(names)}
            what = "%s %s frame %d " % (os.path.basename(path), entry["name"], frame)
            x = np.column_stack([of.pop(n) for n in "xyz"])
            same(what + "points", mesh.GetPointsAttr().Get(frame), x)
            same(what + "velocities", mesh.GetVelocitiesAttr().Get(frame), np.column_stack([of.pop("v" + n) for n in "xyz"]))
            same(what + "extent", mesh.GetExtentAttr().Get(frame), np.array([x.min(axis=0), x.max(axis=0)]))
            same(what + "corners", mesh.GetFaceVertexIndicesAttr().Get(frame), np.searchsorted(kept, triangles).ravel())
            primvars = UsdGeom.PrimvarsAPI(mesh)
            if "s" in of:
                st = primvars.GetPrimvar("st")
                same(what + "st", st.Get(frame), np.column_stack([of.pop("s"), of.pop("t")]))
            for name, values in of.items():
                primvar = primvars.GetPrimvar(name)
                same(what + name, primvar.Get(frame), values)
                if primvar.GetInterpolation() != "vertex":
                    faults.append(what + name + " is of " + primvar.GetInterpolation())
            if primvars.GetPrimvar("material_id").GetInterpolation() != "uniform":
                faults.append(what + "material_id")
            if not moving and mesh.GetPointsAttr().ValueMightBeTimeVarying():
                faults.append(what + "stands still")
    context = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())
    for error in context.Validate(stage):
        if error.GetType() == UsdValidation.ValidationErrorType.Error:
            faults.append("%s: %s" % (path, error.GetMessage()))


def main():
    run, exports = sys.argv[1:3]
    for ending in ("usdc", "usda"):
        look(run, read_run(run), os.path.join(exports, "scene." + ending))
    print("exports in USD %s: %s" % (".".join(map(str, Usd.GetVersion())), "; ".join(faults) or "all well"))
    sys.exit(1 if faults else 0)


main()
