"""Writes figure.usdc, figure_baked.usda and figure.csv with usd-core: a capsule that bends by bones, below an animated
transform in centimetres, z up, at time codes 1001 to 1012; beside it a card that is instanced twice, once mirrored. The CSV
has the world-space points that Pixar's own skinning gives [m], a row for each time code and vertex."""
import math
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, UsdUtils, Vt

FIRST, COUNT, AROUND, UP = 1001, 12, 8, 7


def capsule():
    points = [(10 * math.cos(2 * math.pi * i / AROUND), 10 * math.sin(2 * math.pi * i / AROUND), 80 * j / (UP - 1))
              for j in range(UP) for i in range(AROUND)]
    faces = [(j * AROUND + i, j * AROUND + (i + 1) % AROUND, (j + 1) * AROUND + (i + 1) % AROUND, (j + 1) * AROUND + i)
             for j in range(UP - 1) for i in range(AROUND)]
    return points, faces


def shift(z):
    return Gf.Matrix4d().SetTranslate(Gf.Vec3d(0, 0, z))


def figure(stage):
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    stage.SetTimeCodesPerSecond(24)
    stage.SetStartTimeCode(FIRST)
    stage.SetEndTimeCode(FIRST + COUNT - 1)
    world = UsdGeom.Xform.Define(stage, "/World")
    stage.SetDefaultPrim(world.GetPrim())
    world.AddTranslateOp().Set(Gf.Vec3d(5, 0, 20))
    above = UsdGeom.Xform.Define(stage, "/World/Hero")
    moved, turned, scaled = above.AddTranslateOp(), above.AddRotateXYZOp(), above.AddScaleOp()
    scaled.Set(Gf.Vec3f(1, 1, 1.25))
    for k in range(COUNT):
        moved.Set(Gf.Vec3d(2 * k, 5 * math.sin(0.3 * k), 0), FIRST + k)
        turned.Set(Gf.Vec3f(3 * k, -k, 5 * k), FIRST + k)
    UsdSkel.Root.Define(stage, "/World/Hero/Rig")
    points, faces = capsule()
    body = UsdGeom.Mesh.Define(stage, "/World/Hero/Rig/Body")
    body.CreatePointsAttr(points)
    body.CreateFaceVertexCountsAttr([4] * len(faces))
    body.CreateFaceVertexIndicesAttr([v for face in faces for v in face])
    body.AddTranslateOp().Set(Gf.Vec3d(1, 2, 3))
    primvars = UsdGeom.PrimvarsAPI(body)
    chart = primvars.CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying)
    chart.Set([(v % AROUND / AROUND, v // AROUND / UP) for face in faces for v in face])
    primvars.CreatePrimvar("stiff", Sdf.ValueTypeNames.FloatArray, UsdGeom.Tokens.vertex).Set([p[2] / 80 for p in points])
    UsdGeom.Subset.CreateGeomSubset(body, "hem", "face", Vt.IntArray(range(AROUND)))
    bones(stage, body, points)
    card = UsdGeom.Mesh.Define(stage, "/Class/Card")
    stage.GetPrimAtPath("/Class").SetSpecifier(Sdf.SpecifierClass)
    card.CreatePointsAttr([(0, 0, 0), (10, 0, 0), (10, 10, 0), (0, 10, 0)])
    card.CreateFaceVertexCountsAttr([4])
    card.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
    for k in range(2):
        copy = UsdGeom.Xform.Define(stage, f"/World/Card{k}")
        copy.GetPrim().GetReferences().AddInternalReference("/Class")
        copy.GetPrim().SetInstanceable(True)
        copy.AddTranslateOp().Set(Gf.Vec3d(100 + 30 * k, 0, 0))
        if k:
            copy.AddScaleOp().Set(Gf.Vec3f(-1, 1, 1))
    hidden = UsdGeom.Mesh.Define(stage, "/World/Hidden")
    hidden.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (1, 1, 0)])
    hidden.CreateFaceVertexCountsAttr([3])
    hidden.CreateFaceVertexIndicesAttr([0, 1, 2])
    hidden.CreateVisibilityAttr("invisible")


def bones(stage, body, points):
    skeleton = UsdSkel.Skeleton.Define(stage, "/World/Hero/Rig/Skeleton")
    skeleton.CreateJointsAttr(["hip", "hip/knee", "hip/knee/foot"])
    skeleton.CreateBindTransformsAttr([shift(0), shift(30), shift(60)])
    skeleton.CreateRestTransformsAttr([shift(0), shift(30), shift(30)])
    # The foot is in no animation: it keeps its rest transform.
    motion = UsdSkel.Animation.Define(stage, "/World/Hero/Rig/Motion")
    motion.CreateJointsAttr(["hip", "hip/knee"])
    motion.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * 2))
    motion.CreateTranslationsAttr().Set(Vt.Vec3fArray([Gf.Vec3f(0, 0, 0), Gf.Vec3f(0, 0, 30)]))
    motion.CreateBlendShapesAttr(["belly"])
    turns, weights = motion.CreateRotationsAttr(), motion.CreateBlendShapeWeightsAttr()
    for k in [0, 4, 11]:
        both = [Gf.Rotation(Gf.Vec3d(1, 0, 0.2), 5.0 * k), Gf.Rotation(Gf.Vec3d(0, 1, 0), 9.0 * k)]
        turns.Set(Vt.QuatfArray([Gf.Quatf(turn.GetQuat()) for turn in both]), FIRST + k)
        weights.Set(Vt.FloatArray([k / 11]), FIRST + k)
    belly = UsdSkel.BlendShape.Define(stage, "/World/Hero/Rig/Body/belly")
    belly.CreateOffsetsAttr([Gf.Vec3f(0.3 * p[0], 0.3 * p[1], 0) for p in points[16:32]])
    belly.CreatePointIndicesAttr(list(range(16, 32)))
    half = belly.CreateInbetween("half")
    half.SetWeight(0.5)
    half.SetOffsets([Gf.Vec3f(0.3 * p[0], 0, 1) for p in points[16:32]])
    binding = UsdSkel.BindingAPI.Apply(body.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateBlendShapesAttr(["belly"])
    binding.CreateBlendShapeTargetsRel().SetTargets([belly.GetPath()])
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    joints, weights = [], []
    for p in points:
        place = p[2] / 40
        low = min(int(place), 1)
        joints += [low, low + 1]
        weights += [1 - place + low, place - low]
    binding.CreateJointIndicesPrimvar(False, 2).Set(Vt.IntArray(joints))
    binding.CreateJointWeightsPrimvar(False, 2).Set(Vt.FloatArray(weights))
    binding.CreateGeomBindTransformAttr(shift(2))


stage = Usd.Stage.CreateNew("figure.usdc")
figure(stage)
stage.GetRootLayer().Save()
UsdUtils.CreateNewUsdzPackage("figure.usdc", "figure.usdz")
UsdSkel.BakeSkinning(stage.Traverse(), Gf.Interval(FIRST, FIRST + COUNT - 1))
stage.GetRootLayer().Export("figure_baked.usda")
baked = Usd.Stage.Open("figure_baked.usda")
body = UsdGeom.Mesh(baked.GetPrimAtPath("/World/Hero/Rig/Body"))
with open("figure.csv", "w") as out:
    out.write("code,x,y,z\n")
    for code in range(FIRST, FIRST + COUNT):
        place = UsdGeom.XformCache(code).GetLocalToWorldTransform(body.GetPrim())
        for point in body.GetPointsAttr().Get(code):
            x, y, z = 0.01 * place.Transform(Gf.Vec3d(point))
            out.write(f"{code},{x:.8f},{y:.8f},{z:.8f}\n")
