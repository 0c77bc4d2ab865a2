"""Writes dancer.usdc with usd-core (`pip install usd-core`), own work, CC0: a dancer of one piece who turns and sways on the
bones of a spine, in centimetres, z up, at time codes 1001 to 1048, 24 a second; around her a skirt of quads whose waist
is skinned to her hips, in her bind pose; both below a transform that turns."""
import math
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, Vt

FIRST, COUNT = 1001, 48
# Heights and half widths, to the side and to the front [cm].
BODY = [(2, 4, 4), (10, 9, 7), (30, 9, 8), (50, 11, 10), (70, 14, 12), (85, 16, 13), (95, 16.5, 13), (103, 14, 11), (110, 12.5, 9.5),
        (120, 14, 10), (132, 16, 11), (142, 15, 9), (148, 8, 7), (153, 5.5, 5.5), (158, 7, 8), (165, 8, 9), (171, 6.5, 7), (174, 3, 3)]
AROUND = 28
WAIST, HEM = 107.0, 52.0
COLUMNS, ROWS = 72, 26
JOINTS = ["hips", "hips/spine", "hips/spine/chest"]
HEIGHTS = [96.0, 110.0, 130.0]


def ring(z, wide, deep, count, shift=0.0):
    return [(wide * math.cos(2 * math.pi * (i + shift) / count), deep * math.sin(2 * math.pi * (i + shift) / count), z)
            for i in range(count)]


def body():
    points = [p for z, wide, deep in BODY for p in ring(z, wide, deep, AROUND)]
    rows = len(BODY)
    faces = [[j * AROUND + i, j * AROUND + (i + 1) % AROUND, (j + 1) * AROUND + (i + 1) % AROUND, (j + 1) * AROUND + i]
             for j in range(rows - 1) for i in range(AROUND)]
    faces.append(list(reversed(range(AROUND))))
    faces.append([(rows - 1) * AROUND + i for i in range(AROUND)])
    return points, faces


def skirt():
    """A cone that is wider than the hips; its waist 1.2 cm off the body."""
    points, chart = [], []
    for j in range(ROWS):
        share = j / (ROWS - 1)
        z = WAIST - (WAIST - HEM) * share
        wide, deep = 14.4 + 18 * share, 11.6 + 18 * share
        points += ring(z, wide, deep, COLUMNS)
    faces = [[j * COLUMNS + i, (j + 1) * COLUMNS + i, (j + 1) * COLUMNS + (i + 1) % COLUMNS, j * COLUMNS + (i + 1) % COLUMNS]
             for j in range(ROWS - 1) for i in range(COLUMNS)]
    slant = math.hypot(WAIST - HEM, 18)
    for j in range(ROWS - 1):
        for i in range(COLUMNS):
            for jj, ii in [(j, i), (j + 1, i), (j + 1, i + 1), (j, i + 1)]:
                chart.append((ii / COLUMNS * 1.5, 0.01 * slant * jj / (ROWS - 1)))
    return points, faces, chart


def shift(z):
    return Gf.Matrix4d().SetTranslate(Gf.Vec3d(0, 0, z))


def mesh(stage, path, points, faces):
    prim = UsdGeom.Mesh.Define(stage, path)
    prim.CreatePointsAttr(points)
    prim.CreateFaceVertexCountsAttr([len(face) for face in faces])
    prim.CreateFaceVertexIndicesAttr([v for face in faces for v in face])
    prim.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    return prim


def bind(prim, skeleton, weights):
    binding = UsdSkel.BindingAPI.Apply(prim.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    joints = [k for _ in weights for k in range(3)]
    binding.CreateJointIndicesPrimvar(False, 3).Set(Vt.IntArray(joints))
    binding.CreateJointWeightsPrimvar(False, 3).Set(Vt.FloatArray([w for row in weights for w in row]))


def smooth(a, b, z):
    t = min(max((z - a) / (b - a), 0), 1)
    return t * t * (3 - 2 * t)


def weights(points):
    """Hips below, spine between, chest above."""
    rows = []
    for p in points:
        spine, chest = smooth(98, 116, p[2]), smooth(116, 136, p[2])
        rows.append((1 - spine, spine * (1 - chest), spine * chest))
    return rows


stage = Usd.Stage.CreateNew("dancer.usdc")
UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
UsdGeom.SetStageMetersPerUnit(stage, 0.01)
stage.SetTimeCodesPerSecond(24)
stage.SetFramesPerSecond(24)
stage.SetStartTimeCode(FIRST)
stage.SetEndTimeCode(FIRST + COUNT - 1)
top = UsdGeom.Xform.Define(stage, "/Dancer")
stage.SetDefaultPrim(top.GetPrim())
turn = top.AddRotateZOp()
UsdSkel.Root.Define(stage, "/Dancer/Rig")
skeleton = UsdSkel.Skeleton.Define(stage, "/Dancer/Rig/Skeleton")
skeleton.CreateJointsAttr(JOINTS)
skeleton.CreateBindTransformsAttr([shift(z) for z in HEIGHTS])
skeleton.CreateRestTransformsAttr([shift(z - below) for z, below in zip(HEIGHTS, [0] + HEIGHTS)])
motion = UsdSkel.Animation.Define(stage, "/Dancer/Rig/Motion")
motion.CreateJointsAttr(JOINTS)
motion.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * 3))
places, turns = motion.CreateTranslationsAttr(), motion.CreateRotationsAttr()
for k in range(COUNT):
    t = k / 24
    # She begins at rest, and turns a full turn in the second second.
    gone = smooth(0.0, 0.6, t)
    turn.Set(380 * smooth(0.2, 1.9, t), FIRST + k)
    sway = gone * math.sin(2 * math.pi * 1.1 * t)
    both = [Gf.Rotation(Gf.Vec3d(0, 1, 0), 9 * sway), Gf.Rotation(Gf.Vec3d(0, 1, 0), -11 * sway),
            Gf.Rotation(Gf.Vec3d(0, 0, 1), 14 * gone * math.sin(2 * math.pi * 0.8 * t))]
    turns.Set(Vt.QuatfArray([Gf.Quatf(r.GetQuat()) for r in both]), FIRST + k)
    hips = Gf.Vec3f(5 * sway, 0, HEIGHTS[0] - 2 * gone * abs(math.sin(2 * math.pi * 1.1 * t)))
    places.Set(Vt.Vec3fArray([hips, Gf.Vec3f(0, 0, 14), Gf.Vec3f(0, 0, 20)]), FIRST + k)
UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
points, faces = body()
bind(mesh(stage, "/Dancer/Rig/Body", points, faces), skeleton, weights(points))
points, faces, chart = skirt()
cloth = mesh(stage, "/Dancer/Rig/Skirt", points, faces)
bind(cloth, skeleton, [(1, 0, 0)] * len(points))
UsdGeom.PrimvarsAPI(cloth).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying).Set(chart)
UsdGeom.Subset.CreateGeomSubset(cloth, "waist", "face", Vt.IntArray(range(COLUMNS)))
stage.GetRootLayer().Save()
