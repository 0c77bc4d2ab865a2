"""Random USD stages read by percale and by Pixar's library: `usd_stages.py PERCALE [COUNT [SEED]]`, in an environment with
usd-core.

Stages have transforms, layers with offsets, variants, instances, visibility, clips, splines, skeletons, blend shapes and point
instancers. Each is run as one obstacle. Points in the run's files must be Pixar's within 1e-5 m (and 1e-6 of their distance) in
every frame, or percale must say something of the file: a difference in silence is a failure."""
import collections
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

import numpy as np
from pxr import Gf, Sdf, Ts, Usd, UsdGeom, UsdSkel, Vt

from record import read_ply, read_run

FRAMES = 4
# Words of warnings after which points are still Pixar's.
HARMLESS = ["it stands still from there", "time codes a second", "hidden, guide or proxy", "nothing moves in it",
            "stay where they are until", "crosses itself"]


class Maker:
    """A stage from a seed."""

    def __init__(self, seed, folder):
        self.rng = random.Random(seed)
        self.folder = folder
        self.used = set()
        self.path = os.path.join(folder, "stage" + self.pick([".usda", ".usdc"]))
        self.stage = Usd.Stage.CreateNew(self.path)
        self.rate = self.pick([24, 24, 24, 25, 30, 48, 60])
        self.fps = self.rate if self.chance(0.85) else self.pick([24, 25, 30])
        self.first = self.pick([1, 1, 101, 1001, 86400])
        self.start = self.first if self.fps == self.rate else round(self.first * self.fps / self.rate)
        self.stage.SetTimeCodesPerSecond(self.rate)
        if self.chance(0.7):
            self.stage.SetFramesPerSecond(self.pick([self.rate, self.rate, 24]))
        if self.chance(0.7):
            self.stage.SetStartTimeCode(self.first)
            self.stage.SetEndTimeCode(self.first + FRAMES - 1)
        self.metres = self.pick([1.0, 0.01, 0.1, 0.0254])
        UsdGeom.SetStageMetersPerUnit(self.stage, self.metres)
        self.up = self.pick(["Y", "Z"])
        UsdGeom.SetStageUpAxis(self.stage, self.up)
        self.count = 0

    # Dice.

    def pick(self, values):
        return self.rng.choice(values)

    def chance(self, p):
        return self.rng.random() < p

    def real(self, most):
        return self.rng.uniform(-most, most)

    def vector(self, most, kind=Gf.Vec3d):
        return kind(self.real(most), self.real(most), self.real(most))

    def codes(self):
        """Time codes of samples: in the shot, before, after and between frames."""
        place = lambda: self.first + self.pick([0, 1, 2, 3, 4, -1, -3, 0.5, 1.25, 2.75, 5])
        return sorted({place() for _ in range(self.rng.randint(1, 4))})

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def set(self, attribute, make, moving=0.4, whole=False):
        """Gives an attribute a default, samples or both; a sample may have no value but where all are `whole`."""
        if self.chance(moving):
            for code in self.codes():
                attribute.Set(make(), code)
            if not whole and self.chance(0.04):
                self.used.add("block")
                own = attribute.GetAttr() if isinstance(attribute, UsdGeom.XformOp) else attribute
                # Between frames: at one, rounding of its time would decide.
                own.Set(Sdf.ValueBlock(), self.pick(self.codes()) + 0.1)
            if self.chance(0.5):
                attribute.Set(make())
        else:
            attribute.Set(make())

    # Transforms.

    def transform(self, prim, moving=0.4):
        """Adds a stack of operations."""
        form = UsdGeom.Xformable(prim)
        if form.GetOrderedXformOps():
            return
        size = 1 / self.metres
        if self.chance(0.25):
            self.used.add("matrix")
            self.set(form.AddTransformOp(), lambda: self.matrix(size), moving)
        else:
            kinds = self.rng.sample(["translate", "rotate", "scale", "orient", "pivot", "rotateX"], self.rng.randint(0, 3))
            for kind in kinds:
                self.operation(form, kind, size, moving)
        if self.chance(0.06):
            self.used.add("reset")
            form.SetResetXformStack(True)

    def operation(self, form, kind, size, moving):
        if kind == "translate":
            op = form.AddTranslateOp(self.pick([UsdGeom.XformOp.PrecisionDouble, UsdGeom.XformOp.PrecisionFloat]))
            kind = Gf.Vec3d if op.GetPrecision() == UsdGeom.XformOp.PrecisionDouble else Gf.Vec3f
            self.set(op, lambda: self.vector(size, kind), moving)
        elif kind == "rotate":
            add = self.pick([form.AddRotateXYZOp, form.AddRotateZYXOp, form.AddRotateYXZOp, form.AddRotateZXYOp])
            self.set(add(), lambda: self.vector(90, Gf.Vec3f), moving)
        elif kind == "rotateX":
            op = self.pick([form.AddRotateXOp, form.AddRotateYOp, form.AddRotateZOp])()
            if self.chance(0.03):
                self.used.add("spline")
                self.spline(op.GetAttr())
            else:
                self.set(op, lambda: self.real(120), moving)
        elif kind == "scale":
            make = lambda: Gf.Vec3f(*[self.pick([1, -1]) * self.rng.uniform(0.5, 2) for _ in range(3)])
            self.set(form.AddScaleOp(), make, moving * 0.5)
        elif kind == "orient":
            # In single precision Pixar's library interpolates small turns to 1e-5 only.
            make = lambda: Gf.Quatd(Gf.Rotation(self.vector(1) + Gf.Vec3d(1.5, 0, 0), self.real(120)).GetQuat())
            self.set(form.AddOrientOp(UsdGeom.XformOp.PrecisionDouble), make, moving)
        else:
            self.used.add("pivot")
            pivot = form.AddTranslateOp(opSuffix="pivot")
            pivot.Set(self.vector(size))
            self.set(form.AddRotateXYZOp(opSuffix="tilt"), lambda: self.vector(60, Gf.Vec3f), moving)
            form.AddTranslateOp(opSuffix="pivot", isInverseOp=True)

    def matrix(self, size):
        turn = Gf.Matrix4d().SetRotate(Gf.Rotation(self.vector(1) + Gf.Vec3d(1.5, 0, 0), self.real(90)))
        scale = Gf.Matrix4d().SetScale(Gf.Vec3d(*[self.rng.uniform(0.5, 2) for _ in range(3)]))
        return scale * turn * Gf.Matrix4d().SetTranslate(self.vector(size))

    def spline(self, attribute):
        spline = Ts.Spline("float")
        for k in range(2):
            knot = Ts.Knot(typeName="float", time=self.first + 2 * k, value=self.real(90))
            spline.SetKnot(knot)
        attribute.SetSpline(spline)

    # Meshes.

    def box(self):
        """Points and faces of a box of random shape, in units of the stage."""
        size = self.rng.uniform(0.05, 0.3) / self.metres
        jitter = lambda: self.real(0.2) * size
        points = [Gf.Vec3f(x * size + jitter(), y * size + jitter(), z * size + jitter())
                  for z in (0, 1) for y in (0, 1) for x in (0, 1)]
        quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        if self.chance(0.4):
            quads = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
        return points, quads

    def mesh(self, path):
        points, faces = self.box()
        mesh = UsdGeom.Mesh.Define(self.stage, path)
        mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
        mesh.CreateFaceVertexIndicesAttr([v for face in faces for v in face])
        if self.chance(0.3):
            mesh.CreateOrientationAttr("leftHanded")
        if self.chance(0.5):
            mesh.CreateSubdivisionSchemeAttr("none")
        attribute = mesh.CreatePointsAttr()
        again = lambda: Vt.Vec3fArray([p + self.vector(0.05 / self.metres, Gf.Vec3f) for p in points])
        self.set(attribute, again, 0.3, whole=True)
        self.transform(mesh)
        self.look(mesh, 0.1)
        return mesh, points

    def look(self, prim, share):
        """Hides a prim, in some frames or in all, or gives it a purpose."""
        if self.chance(share):
            self.used.add("visibility")
            attribute = UsdGeom.Imageable(prim).CreateVisibilityAttr()
            if self.chance(0.4):
                attribute.Set(self.pick(["invisible", "inherited"]))
            else:
                for code in self.codes():
                    attribute.Set(self.pick(["invisible", "inherited"]), code)
        if self.chance(share * 0.4):
            self.used.add("purpose")
            UsdGeom.Imageable(prim).CreatePurposeAttr(self.pick(["default", "render", "proxy", "guide"]))

    # Structures.

    def group(self, path, depth):
        prim = UsdGeom.Xform.Define(self.stage, path)
        self.transform(prim)
        self.look(prim, 0.06)
        for _ in range(self.rng.randint(1, 2)):
            self.child(path, depth)
        if self.chance(0.05):
            self.used.add("inactive")
            prim.GetPrim().SetActive(False)

    def child(self, path, depth):
        makers = [self.plain] * 4 + [self.skinned] * 2 + [self.instances] * 2
        if depth < 3:
            makers += [lambda p: self.group(f"{p}/{self.name('Group')}", depth + 1)] * 4
        if depth == 1:
            makers += [self.referred] * 4 + [self.variant, self.clipped, self.placed]
        self.pick(makers)(path)

    def plain(self, path):
        self.mesh(f"{path}/{self.name('Mesh')}")

    def layer(self):
        """A layer of its own with a group at /Asset, written by another maker of the same kind."""
        name = f"{self.name('asset')}{self.pick(['.usda', '.usdc'])}"
        stage = Usd.Stage.CreateNew(os.path.join(self.folder, name))
        rate = self.pick([self.rate, self.rate, 24, 48])
        if self.chance(0.8):
            stage.SetTimeCodesPerSecond(rate)
        if rate != self.rate:
            self.used.add("layer rate")
        own, self.stage = self.stage, stage
        self.group("/Asset", 2)
        stage.SetDefaultPrim(stage.GetPrimAtPath("/Asset"))
        self.stage = own
        stage.GetRootLayer().Save()
        return name

    def offset(self):
        if self.chance(0.4):
            self.used.add("offset")
            return Sdf.LayerOffset(self.pick([0, 1, -2, 0.5]), self.pick([1, 1, 2, 0.5]))
        return Sdf.LayerOffset()

    def referred(self, path):
        kind = self.pick(["reference", "payload", "inherit", "specialize", "internal"])
        self.used.add(kind)
        prim = UsdGeom.Xform.Define(self.stage, f"{path}/{self.name('Copy')}").GetPrim()
        if kind in ("reference", "payload"):
            layer = self.layer()
            add = prim.GetReferences().AddReference if kind == "reference" else prim.GetPayloads().AddPayload
            if kind == "reference":
                add(layer, layerOffset=self.offset())
            else:
                prim.GetPayloads().AddPayload(Sdf.Payload(layer, Sdf.Path(), self.offset()))
        else:
            base = f"/{self.name('Class')}"
            self.group(base, 2)
            self.stage.GetPrimAtPath(base).SetSpecifier(Sdf.SpecifierClass)
            if kind == "inherit":
                prim.GetInherits().AddInherit(base)
            elif kind == "specialize":
                prim.GetSpecializes().AddSpecialize(base)
            else:
                prim.GetReferences().AddInternalReference(base, self.offset())
        if self.chance(0.4):
            self.used.add("instance")
            prim.SetInstanceable(True)
        if self.chance(0.6):
            self.transform(prim)
        meshes = [p for p in Usd.PrimRange(prim) if p.IsA(UsdGeom.Mesh)]
        if meshes and not prim.IsInstance() and self.chance(0.3):
            self.used.add("over")
            over = UsdGeom.Mesh(self.pick(meshes)).GetPointsAttr()
            count = len(over.Get(self.first) or over.Get() or [])
            if count:
                over.Set(Vt.Vec3fArray([self.vector(0.2 / self.metres, Gf.Vec3f) for _ in range(count)]))

    def variant(self, path):
        self.used.add("variant")
        prim = UsdGeom.Xform.Define(self.stage, f"{path}/{self.name('Variants')}").GetPrim()
        variants = prim.GetVariantSets().AddVariantSet("look")
        for name in ["a", "b"]:
            variants.AddVariant(name)
            variants.SetVariantSelection(name)
            with variants.GetVariantEditContext():
                self.plain(str(prim.GetPath()))
        variants.SetVariantSelection(self.pick(["a", "b"]))

    def clipped(self, path):
        self.used.add("clips")
        prim = UsdGeom.Xform.Define(self.stage, f"{path}/{self.name('Clips')}").GetPrim()
        points, faces = self.box()
        assets = []
        manifest = Usd.Stage.CreateNew(os.path.join(self.folder, f"{self.name('manifest')}.usda"))
        UsdGeom.Mesh.Define(manifest, "/Clip/Mesh").CreatePointsAttr()
        manifest.GetRootLayer().Save()
        for _ in range(2):
            name = f"{self.name('clip')}.usda"
            stage = Usd.Stage.CreateNew(os.path.join(self.folder, name))
            attribute = UsdGeom.Mesh.Define(stage, "/Clip/Mesh").CreatePointsAttr()
            for code in self.rng.sample([0, 1, 2, 3], self.rng.randint(1, 4)):
                attribute.Set(Vt.Vec3fArray([p + self.vector(0.05 / self.metres, Gf.Vec3f) for p in points]), code)
            stage.GetRootLayer().Save()
            assets.append(Sdf.AssetPath("./" + name))
        mesh = UsdGeom.Mesh.Define(self.stage, f"{prim.GetPath()}/Mesh")
        mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
        mesh.CreateFaceVertexIndicesAttr([v for face in faces for v in face])
        clips = Usd.ClipsAPI(prim)
        clips.SetClipAssetPaths(assets)
        clips.SetClipPrimPath("/Clip")
        clips.SetClipManifestAssetPath(Sdf.AssetPath("./" + os.path.basename(manifest.GetRootLayer().identifier)))
        cut = self.pick([1, 2])
        clips.SetClipActive([(self.first, 0), (self.first + cut, 1)])
        times = self.pick([[(self.first, 0), (self.first + 3, 3)],
                           [(self.first, 0), (self.first + cut, cut), (self.first + cut, 0), (self.first + cut + 3, 3)],
                           [(self.first, 3), (self.first + 3, 0)], [(self.first, 0), (self.first + 4, 2)]])
        clips.SetClipTimes(times)
        if self.chance(0.2):
            clips.SetInterpolateMissingClipValues(True)

    def placed(self, path):
        """A point instancer."""
        self.used.add("instancer")
        instancer = UsdGeom.PointInstancer.Define(self.stage, f"{path}/{self.name('Set')}")
        holder = f"{instancer.GetPath()}/Prototypes"
        UsdGeom.Scope.Define(self.stage, holder)
        kinds = self.rng.randint(1, 2)
        for _ in range(kinds):
            mesh, _ = self.mesh(f"{holder}/{self.name('Mesh')}")
            instancer.CreatePrototypesRel().AddTarget(mesh.GetPath())
        count = self.rng.randint(1, 4)
        instancer.CreateProtoIndicesAttr([self.rng.randrange(kinds) for _ in range(count)])
        size = 2 / self.metres
        places = lambda: Vt.Vec3fArray([self.vector(size, Gf.Vec3f) for _ in range(count)])
        self.set(instancer.CreatePositionsAttr(), places, whole=True)
        # Pixar's library interpolates halves as halves, so that samples have floats.
        turn = lambda: Gf.Quatf(Gf.Rotation(self.vector(1) + Gf.Vec3d(1.5, 0, 0), self.real(120)).GetQuat())
        if self.chance(0.6):
            self.set(instancer.CreateOrientationsfAttr(), lambda: Vt.QuatfArray([turn() for _ in range(count)]), whole=True)
        if self.chance(0.5):
            grow = lambda: Gf.Vec3f(*[self.rng.uniform(0.5, 2) for _ in range(3)])
            self.set(instancer.CreateScalesAttr(), lambda: Vt.Vec3fArray([grow() for _ in range(count)]), whole=True)
        if self.chance(0.2):
            instancer.CreateIdsAttr(Vt.Int64Array([7 * k for k in range(count)]))
            instancer.DeactivateId(0)
        if self.chance(0.2):
            self.used.add("invisible ids")
            instancer.CreateInvisibleIdsAttr(Vt.Int64Array([0]))
        if self.chance(0.15):
            self.used.add("velocities")
            instancer.CreateVelocitiesAttr(Vt.Vec3fArray([self.vector(size, Gf.Vec3f) for _ in range(count)]))
        self.transform(instancer)

    def instances(self, path):
        """Two instances of one group."""
        self.used.add("instance")
        base = f"/{self.name('Class')}"
        self.group(base, 2)
        self.stage.GetPrimAtPath(base).SetSpecifier(Sdf.SpecifierClass)
        for _ in range(2):
            prim = UsdGeom.Xform.Define(self.stage, f"{path}/{self.name('Instance')}").GetPrim()
            prim.GetReferences().AddInternalReference(base)
            prim.SetInstanceable(True)

    def skinned(self, path):
        """A mesh on a chain of two or three joints."""
        self.used.add("skeleton")
        root = f"{path}/{self.name('Rig')}"
        if self.chance(0.9):
            UsdSkel.Root.Define(self.stage, root)
        else:
            self.used.add("no SkelRoot")
            UsdGeom.Xform.Define(self.stage, root)
        self.transform(self.stage.GetPrimAtPath(root))
        skeleton = UsdSkel.Skeleton.Define(self.stage, f"{root}/Skeleton")
        if self.chance(0.4):
            self.transform(skeleton)
        joints = ["a", "a/b", "a/b/c"][:self.rng.randint(2, 3)]
        size = 0.1 / self.metres
        rest = [Gf.Matrix4d().SetTranslate(self.vector(size)) for _ in joints]
        bind = [rest[0]]
        for own in rest[1:]:
            bind.append(own * bind[-1])
        skeleton.CreateJointsAttr(joints)
        skeleton.CreateRestTransformsAttr(rest)
        skeleton.CreateBindTransformsAttr(bind)
        mesh, points = self.mesh(f"{root}/{self.name('Skin')}")
        binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
        above = self.pick([mesh.GetPrim(), mesh.GetPrim(), self.stage.GetPrimAtPath(root)])
        UsdSkel.BindingAPI.Apply(above).CreateSkeletonRel().SetTargets([skeleton.GetPath()])
        if self.chance(0.5):
            shift = Gf.Matrix4d().SetTranslate(self.vector(size))
            binding.CreateGeomBindTransformAttr(self.matrix(size) if self.chance(0.5) else shift)
        dual = self.chance(0.2)
        if dual:
            self.used.add("dual quaternions")
            binding.GetPrim().CreateAttribute("primvars:skel:skinningMethod", Sdf.ValueTypeNames.Token).Set("dualQuaternion")
        order = joints
        if self.chance(0.2):
            self.used.add("own joint order")
            order = list(reversed(joints))
            binding.CreateJointsAttr(order)
        if self.chance(0.15):
            self.used.add("rigid skin")
            binding.CreateJointIndicesPrimvar(True, 1).Set(Vt.IntArray([self.rng.randrange(len(order))]))
            binding.CreateJointWeightsPrimvar(True, 1).Set(Vt.FloatArray([1.0]))
        else:
            indices, weights = [], []
            for _ in points:
                pair = self.rng.sample(range(len(order)), 2)
                share = self.rng.random()
                indices += pair
                weights += [share, 1 - share]
                # Weights of dual quaternions that do not sum to one have no meaning.
                if not dual and self.chance(0.01):
                    weights[-1] *= 0.5
            binding.CreateJointIndicesPrimvar(False, 2).Set(Vt.IntArray(indices))
            binding.CreateJointWeightsPrimvar(False, 2).Set(Vt.FloatArray(weights))
        self.animation(root, skeleton, joints, mesh, binding, points)

    def animation(self, root, skeleton, joints, mesh, binding, points):
        if self.chance(0.1):
            return
        motion = UsdSkel.Animation.Define(self.stage, f"{root}/{self.name('Motion')}")
        moved = joints if self.chance(0.7) else joints[:-1]
        motion.CreateJointsAttr(moved)
        size = 0.1 / self.metres
        turn = lambda: Gf.Quatf(Gf.Rotation(self.vector(1) + Gf.Vec3d(1.5, 0, 0), self.real(90)).GetQuat())
        self.set(motion.CreateTranslationsAttr(), lambda: Vt.Vec3fArray([self.vector(size, Gf.Vec3f) for _ in moved]))
        self.set(motion.CreateRotationsAttr(), lambda: Vt.QuatfArray([turn() for _ in moved]), 0.8)
        grow = lambda: Gf.Vec3h(*[self.rng.uniform(0.8, 1.25) for _ in range(3)])
        motion.CreateScalesAttr(Vt.Vec3hArray([grow() for _ in moved]))
        above = self.pick([skeleton.GetPrim(), skeleton.GetPrim(), self.stage.GetPrimAtPath(root)])
        UsdSkel.BindingAPI.Apply(above).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
        if self.chance(0.4):
            self.shapes(motion, mesh, binding, points)

    def shapes(self, motion, mesh, binding, points):
        self.used.add("blend shapes")
        names = ["one", "two"][:self.rng.randint(1, 2)]
        targets = []
        for name in names:
            shape = UsdSkel.BlendShape.Define(self.stage, mesh.GetPath().AppendChild(name))
            some = sorted(self.rng.sample(range(len(points)), self.rng.randint(1, len(points))))
            sparse = self.chance(0.6)
            count = len(some) if sparse else len(points)
            offsets = lambda: Vt.Vec3fArray([self.vector(0.05 / self.metres, Gf.Vec3f) for _ in range(count)])
            shape.CreateOffsetsAttr(offsets())
            if sparse:
                shape.CreatePointIndicesAttr(some)
            for k in range(self.rng.randint(0, 2)):
                self.used.add("inbetweens")
                between = shape.CreateInbetween(f"part{k}")
                between.SetWeight(self.pick([0.25, 0.5, 0.75, -0.5, 1.5]) + 0.01 * k)
                between.SetOffsets(offsets())
            targets.append(shape.GetPath())
        binding.CreateBlendShapesAttr(names)
        binding.CreateBlendShapeTargetsRel().SetTargets(targets)
        order = names if self.chance(0.7) else list(reversed(names)) + ["other"]
        motion.CreateBlendShapesAttr(order)
        self.set(motion.CreateBlendShapeWeightsAttr(), lambda: Vt.FloatArray([self.rng.uniform(-0.3, 1.3) for _ in order]), 0.8)

    def make(self):
        for _ in range(self.rng.randint(1, 2)):
            self.group(f"/{self.name('World')}", 1)
        if self.chance(0.2):
            self.used.add("sublayer")
            layer = self.layer()
            self.stage.GetRootLayer().subLayerPaths.append(layer)
            self.stage.GetRootLayer().subLayerOffsets[0] = self.offset()
        self.stage.GetRootLayer().Save()
        return self


def expected(maker, stage):
    """Points of all shown meshes at each frame in metres with z as maker.up, or None where the frame shows none; and whether
    all meshes are shown in the same frames."""
    frames = []
    skins = UsdSkel.Cache()
    again = True
    stage.SetEditTarget(stage.GetSessionLayer())
    while again:
        again = False
        for prim in stage.Traverse():
            if prim.IsInstance():
                prim.SetInstanceable(False)
                again = True
    inside = set()
    bound = {}
    for prim in stage.Traverse():
        if prim.IsA(UsdGeom.PointInstancer):
            inside.update(str(p.GetPath()) for p in Usd.PrimRange(prim) if p != prim)
        if prim.IsA(UsdSkel.Root):
            root = UsdSkel.Root(prim)
            skins.Populate(root, Usd.PrimDefaultPredicate)
            for own in skins.ComputeSkelBindings(root, Usd.PrimDefaultPredicate):
                for target in own.GetSkinningTargets():
                    bound[str(target.GetPrim().GetPath())] = (own.GetSkeleton(), target)
    for k in range(FRAMES):
        code = (maker.start + k) * maker.rate / maker.fps
        found = {}
        for prim in stage.Traverse():
            path = str(prim.GetPath())
            if path in inside:
                continue
            if prim.IsA(UsdGeom.PointInstancer):
                seen = UsdGeom.Imageable(prim).ComputeVisibility(code) != "invisible"
                for k, (points, own) in enumerate(placed(stage, UsdGeom.PointInstancer(prim), code)):
                    found[f"{path}/{k}"] = (points, seen and own)
            image = UsdGeom.Imageable(prim)
            if prim.IsA(UsdGeom.Mesh) and image.ComputePurpose() not in ("guide", "proxy"):
                found[path] = (world(stage, prim, code, bound, skins), image.ComputeVisibility(code) != "invisible")
        frames.append(found)
    # A mesh that no frame shows is left out.
    kept = [path for path in frames[0] if any(path in found and found[path][1] for found in frames)]
    if any(path not in found or found[path][0] is None for found in frames for path in kept):
        return None, False
    alike = all(len({found[path][1] for path in kept}) <= 1 for found in frames)
    here = [[found[path][0] for path in kept] if any(found[path][1] for path in kept) else None for found in frames]
    return [np.concatenate(own) * maker.metres if own else None for own in here], alike


def placed(stage, instancer, code):
    """Points of each mesh that an instancer places."""
    targets = instancer.GetPrototypesRel().GetForwardedTargets()
    indices = instancer.GetProtoIndicesAttr().Get(code)
    if UsdGeom.Imageable(instancer).ComputePurpose() in ("guide", "proxy"):
        return
    transforms = instancer.ComputeInstanceTransformsAtTime(code, code, UsdGeom.PointInstancer.IncludeProtoXform,
                                                           UsdGeom.PointInstancer.IgnoreMask)
    mask = instancer.ComputeMaskAtTime(code) or [True] * len(indices)
    above = UsdGeom.XformCache(code).GetLocalToWorldTransform(instancer.GetPrim())
    for k, kind in enumerate(indices):
        if k >= len(transforms) or not mask[k]:
            continue
        prim = stage.GetPrimAtPath(targets[kind])
        points = UsdGeom.Mesh(prim).GetPointsAttr().Get(code)
        own = UsdGeom.Imageable(prim)
        if points is None or own.ComputePurpose() in ("guide", "proxy"):
            continue
        yield moved(points, transforms[k] * above), own.GetVisibilityAttr().Get(code) != "invisible"


def moved(points, matrix):
    rows = np.array(points, float).reshape(-1, 3)
    matrix = np.array(matrix)
    return rows @ matrix[:3, :3] + matrix[3, :3]


def world(stage, prim, code, bound, skins):
    points = UsdGeom.Mesh(prim).GetPointsAttr().Get(code)
    if points is None:
        return None
    cache = UsdGeom.XformCache(code)
    if str(prim.GetPath()) not in bound:
        return moved(points, cache.GetLocalToWorldTransform(prim))
    skeleton, target = bound[str(prim.GetPath())]
    query = skins.GetSkelQuery(skeleton)
    motion = query.GetAnimQuery()
    points = Vt.Vec3fArray(points)
    if motion and target.HasBlendShapes():
        weights = motion.ComputeBlendShapeWeights(code)
        mapper = target.GetBlendShapeMapper()
        own = mapper.Remap(weights) if mapper else weights
        shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(prim))
        computed = shapes.ComputeSubShapeWeights(own)
        indices, offsets = shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets()
        shapes.ComputeDeformedPoints(*computed, indices, offsets, points)
    if not target.HasJointInfluences():
        return moved(points, cache.GetLocalToWorldTransform(prim))
    transforms = query.ComputeSkinningTransforms(code)
    above = cache.GetLocalToWorldTransform(skeleton.GetPrim())
    if target.IsRigidlyDeformed():
        return moved(points, np.array(target.ComputeSkinnedTransform(transforms, code)) @ np.array(above))
    target.ComputeSkinnedPoints(transforms, points, code)
    return moved(points, above)


def ply(path):
    """Positions of a mesh file of a run."""
    columns, rows = read_ply(path, names=True)
    return rows[:, [columns.index(axis) for axis in "xyz"]].astype(float)


def distance(a, b):
    """Largest distance of a point of one set to the nearest of the other, either way."""
    apart = np.linalg.norm(a[:, None] - b[None], axis=2)
    return max(apart.min(0).max(), apart.min(1).max())


def judge(percale, seed):
    """The verdict of a seed, with a word of why, and what the stage has."""
    try:
        return judged(percale, seed)
    except Exception as error:
        return seed, "wrong", f"no stage: {traceback.format_exc()[-400:]}", [], ""


def judged(percale, seed):
    folder = tempfile.mkdtemp(prefix=f"percale-stage-{seed}-")
    maker = Maker(seed, folder).make()
    path = os.path.join(folder, "scene.toml")
    open(os.path.join(folder, "sheet.obj"), "w").write("v 60 0 3\nv 60.1 0 3\nv 60 0.1 3\nf 1 2 3\n")
    open(path, "w").write(
        f'[scene]\nup = "{maker.up.lower()}"\n[time]\nfps = {maker.fps}\nstart_frame = {maker.start}\nframes = {FRAMES}\n'
        'step = "10 ms"\n[[cloth]]\nname = "sheet"\nmesh = "sheet.obj"\n[[obstacle]]\nname = "hero"\n'
        f'cache = {{ mesh = "{os.path.basename(maker.path)}" }}\n[preview]\nenabled = false\n')
    out = os.path.join(folder, "out")
    done = subprocess.run([percale, "run", path, "--out", out, "--progress", "none"], capture_output=True, text=True)
    said = [line for line in done.stderr.splitlines() if os.path.basename(maker.path) in line or "cache" in line]
    said = [line for line in said if not any(words in line for words in HARMLESS)]
    right, alike = expected(maker, Usd.Stage.Open(maker.path))
    verdict = compare(done, said, right, alike, out, maker)
    if verdict[0] != "wrong":
        shutil.rmtree(folder)
    return seed, *verdict, sorted(maker.used), folder


def compare(done, said, right, alike, out, maker):
    if done.returncode not in (0, 2):
        return "wrong", f"exit {done.returncode}: {said[-1:]}"
    if done.returncode == 2:
        if right is not None and all(frame is None for frame in right):
            return "nothing shown", ""
        return "refused", done.stderr.strip().splitlines()[-1]
    if right is None or not alike:
        return ("told" if said else "wrong"), "shown at different times"
    worst = 0.0
    origin = np.array(read_run(out).get("origin") or [0, 0, 0])
    for k, points in enumerate(right):
        file = os.path.join(out, "meshes/hero", f"hero.{maker.start + k:04}.ply")
        file = file if os.path.exists(file) else os.path.join(out, "meshes/hero/hero.ply")
        found = ply(file) + origin if os.path.exists(file) else np.zeros((0, 3))
        if points is None:
            if len(found):
                return ("told" if said else "wrong"), f"shown in frame {k}"
            continue
        if len(found) != len(points):
            return ("told" if said else "wrong"), f"{len(found)} of {len(points)} points: {' '.join(said)}"
        worst = max(worst, distance(found, points) / (1 + np.abs(points).max()))
    if worst > 1e-5:
        return ("told" if said else "wrong"), f"{worst:.1e} m: {' '.join(said)}"
    return "equal", ""


def reason(why):
    """The kind of a message: without places and numbers."""
    why = re.sub(r"^.*?(<[^>]*>|cache|cache.mesh|USD|\\.usd[ac]): ", "", why)
    return re.sub(r"-?[0-9][0-9.e+-]*", "#", why)[:60].strip()


def main():
    percale = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10**9)
    print(f"stages: seeds {seed} to {seed + count - 1}", flush=True)
    totals, wrong, features = collections.Counter(), [], collections.Counter()
    reasons = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for own, verdict, why, used, folder in pool.map(judge, [percale] * count, range(seed, seed + count), chunksize=4):
            totals[verdict] += 1
            features.update(used)
            if verdict == "wrong":
                wrong.append(own)
                print(f"stages: seed {own}: {why}; {', '.join(used)}; {folder}", flush=True)
            elif verdict in ("refused", "told"):
                reasons[reason(why)] += 1
    print("stages:", ", ".join(f"{n} {verdict}" for verdict, n in sorted(totals.items())))
    print("stages: not taken, or told:", "; ".join(f"{n} {why}" for why, n in reasons.most_common()))
    print("stages: with", ", ".join(f"{name} {n}" for name, n in features.most_common()))
    assert not wrong, f"{len(wrong)} of {count} stages differ in silence"


if __name__ == "__main__":
    main()
