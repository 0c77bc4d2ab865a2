"""Writes figure.usdc with usd-core and numpy (`pip install usd-core numpy`), own work, CC0: a figure of one closed skin on
bones, y up, metres, 30 time codes a second, facing +z, its shirt and its trousers, both cut to it as it is bound, arms out.

At 961 to 1000 it goes from where it was bound, arms out, to standing; at 1001 to 1100 it does two jumping jacks, a small
one and a full one; at 1961 to 2000 it stands up again, and at 2001 to 2100 it squats twice. Trousers are skinned as well,
for pins at waist and ankles."""
import math
import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel, Vt


# Shapes, as distances to their surfaces [m].

def smin(a, b, k):
    h = np.maximum(k - np.abs(a - b), 0) / k
    return np.minimum(a, b) - h * h * k / 4


def cone(p, a, b, ra, rb):
    a, b = np.array(a), np.array(b)
    t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(p - a - t[..., None] * (b - a), axis=-1) - ra - t * (rb - ra)


# Height, half width of the line inside, radius.
TORSO = np.array([(0.84, 0.06, 0.080), (0.90, 0.072, 0.098), (0.96, 0.075, 0.104), (1.05, 0.058, 0.098), (1.12, 0.050, 0.094), (1.25, 0.062, 0.100),
                  (1.33, 0.072, 0.101), (1.40, 0.085, 0.089), (1.45, 0.070, 0.066), (1.50, 0.03, 0.055)])


def torso(p, more):
    """`more`: how much wider it is by height."""
    y = p[..., 1]
    wide = np.interp(y, TORSO[:, 0], TORSO[:, 1])
    deep = np.interp(y, TORSO[:, 0], TORSO[:, 2]) + more(y)
    around = np.hypot(np.maximum(np.abs(p[..., 0]) - wide, 0), p[..., 2]) - deep
    return -smin(-around, -np.maximum(0.85 - y, y - 1.47), 0.04)


def one_sided(p):
    return np.stack([np.abs(p[..., 0]), p[..., 1], p[..., 2]], -1)


def body(p):
    q = one_sided(p)
    arm = cone(q, (0.16, 1.41, 0), (0.42, 1.41, 0), 0.058, 0.046)
    arm = smin(arm, cone(q, (0.42, 1.41, 0), (0.66, 1.41, 0), 0.046, 0.033), 0.02)
    arm = smin(arm, cone(q, (0.69, 1.41, 0), (0.78, 1.41, 0), 0.036, 0.030), 0.03)
    leg = cone(q, (0.092, 0.90, 0), (0.150, 0.52, 0), 0.090, 0.060)
    leg = smin(leg, cone(q, (0.150, 0.52, 0), (0.210, 0.10, 0), 0.060, 0.042), 0.04)
    leg = smin(leg, cone(q, (0.213, 0.060, -0.02), (0.225, 0.050, 0.13), 0.046, 0.038), 0.07)
    head = smin(cone(p, (0, 1.44, 0), (0, 1.60, 0.01), 0.055, 0.050), cone(p, (0, 1.63, 0.015), (0, 1.68, 0.01), 0.082, 0.086), 0.03)
    return smin(smin(smin(torso(p, lambda y: 0 * y), arm, 0.06), leg, 0.05), head, 0.05)


def shirt_shape(p):
    q = one_sided(p)
    sleeve = cone(q, (0.15, 1.40, 0), (0.46, 1.40, 0), 0.082, 0.078)
    wide = torso(p, lambda y: np.interp(y, [0.88, 1.15, 1.30, 1.42], [0.050, 0.046, 0.034, 0.014]))
    wide = np.where(p[..., 1] < 0.93, np.hypot(np.maximum(np.abs(p[..., 0]) - 0.075, 0), p[..., 2]) - 0.154, wide)
    return np.minimum(smin(wide, sleeve, 0.07), body(p) - 0.013)


def trousers_shape(p):
    q = one_sided(p)
    leg = cone(q, (0.092, 0.90, 0), (0.150, 0.52, 0), 0.104, 0.085)
    leg = smin(leg, cone(q, (0.150, 0.52, 0), (0.210, 0.10, 0), 0.085, 0.075), 0.02)
    return np.minimum(smin(torso(p, lambda y: 0 * y + 0.011), leg, 0.04), body(p) - 0.011)


# Meshes: surface nets, then smoothed along the surface.

def surface(shape, low, high, h, rounds=12):
    """The lattice is shifted until no edge has more than two faces."""
    for k in range(8):
        x, faces = net(shape, np.array(low) - 0.13 * k * h, high, h)
        if edges(faces)[1].max() == 2:
            return relax(shape, x, faces, rounds, h)
    raise ValueError("edges of more than two faces")


def net(shape, low, high, h):
    axes = [np.arange(a, b + h, h) for a, b in zip(low, high)]
    p = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    f = shape(p)
    n = np.array(f.shape) - 1
    inside = f < 0
    corner = [inside[i:i + n[0], j:j + n[1], k:k + n[2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    mixed = np.any(corner, 0) & ~np.all(corner, 0)
    number = np.full(mixed.shape, -1)
    number[mixed] = np.arange(mixed.sum())
    x = np.array(low) + (np.argwhere(mixed) + 0.5) * h
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        here = np.moveaxis(inside, axis, 0)
        for cell in np.argwhere(np.moveaxis(here[:-1] != here[1:], 0, axis)):
            if cell[u] == 0 or cell[v] == 0 or cell[u] > n[u] - 1 or cell[v] > n[v] - 1:
                continue
            quad = []
            for du, dv in [(-1, -1), (0, -1), (0, 0), (-1, 0)]:
                c = cell.copy()
                c[u] += du
                c[v] += dv
                quad.append(number[tuple(c)])
            faces.append(quad if inside[tuple(cell)] else quad[::-1])
    return x, np.array(faces)


def edges(faces):
    """Edges, and of how many faces each is."""
    a, b = faces.ravel(), np.roll(faces, -1, 1).ravel()
    return np.unique(np.sort(np.stack([a, b], 1), 1), axis=0, return_counts=True)


def gradient(shape, x, e=1e-4):
    g = np.stack([shape(x + e * d) - shape(x - e * d) for d in np.eye(3)], -1) / (2 * e)
    return g


def relax(shape, x, faces, rounds, h, fixed=None):
    pairs = edges(faces)[0]
    count = np.bincount(pairs.ravel(), minlength=len(x))
    for k in range(rounds + 1):
        for _ in range(3):
            g = gradient(shape, x)
            x = x - np.clip(shape(x) / np.maximum((g * g).sum(1), 0.2), -h, h)[:, None] * g
        if k == rounds:
            break
        mean = np.zeros_like(x)
        np.add.at(mean, pairs[:, 0], x[pairs[:, 1]])
        np.add.at(mean, pairs[:, 1], x[pairs[:, 0]])
        to = 0.5 * (mean / count[:, None] - x)
        if fixed is not None:
            to[fixed] = 0
        g = g / np.linalg.norm(g, axis=1)[:, None]
        x = x + to - (to * g).sum(1)[:, None] * g
    return x, faces


def cut(shape, x, faces, keep, snap, h):
    """The faces of which all corners are kept; their borders are brought to where `snap` has them."""
    faces = faces[keep(x)[faces].all(1)]
    used = np.unique(faces)
    number = np.full(len(x), -1)
    number[used] = np.arange(len(used))
    x, faces = x[used], number[faces]
    pairs = borders(faces)
    edge = np.unique(pairs)
    for _ in range(10):
        mean, count = np.zeros_like(x), np.zeros(len(x))
        for a, b in [(0, 1), (1, 0)]:
            np.add.at(mean, pairs[:, a], x[pairs[:, b]])
            np.add.at(count, pairs[:, a], 1)
        x[edge] = 0.5 * x[edge] + 0.5 * mean[edge] / count[edge, None]
        for _ in range(3):
            x[edge] = snap(x[edge])
            g = gradient(shape, x[edge])
            x[edge] -= (shape(x[edge]) / np.maximum((g * g).sum(1), 0.2))[:, None] * g
    return relax(shape, x, faces, 12, h, edge) + (edge,)


def borders(faces):
    pairs, times = edges(faces)
    return pairs[times == 1]


SLEEVE, HEM, NECK, WAIST, ANKLE = 0.40, 0.885, 0.092, 1.03, 0.115


def shirt():
    size = 0.0165
    x, faces = surface(shirt_shape, (-0.52, 0.78, -0.23), (0.52, 1.62, 0.23), size)

    def kept(x):
        neck = (x[:, 1] > 1.55) | (x[:, 1] > 1.36) & (np.hypot(x[:, 0], x[:, 2]) < NECK)
        return (np.abs(x[:, 0]) < SLEEVE) & (x[:, 1] > HEM) & ~neck

    def snap(x):
        x = x.copy()
        sleeve, hem = np.abs(x[:, 0]) > 0.3, x[:, 1] < 1.1
        neck = ~sleeve & ~hem
        x[sleeve, 0] = np.sign(x[sleeve, 0]) * SLEEVE
        x[hem, 1] = HEM
        x[neck] *= np.stack([NECK / np.hypot(x[neck, 0], x[neck, 2]), np.ones(neck.sum()), NECK / np.hypot(x[neck, 0], x[neck, 2])], 1)
        return x

    return cut(shirt_shape, x, faces, kept, snap, size)


def trousers():
    size = 0.0165
    x, faces = surface(trousers_shape, (-0.36, 0.0, -0.2), (0.36, 1.14, 0.22), size)

    def snap(x):
        x = x.copy()
        x[:, 1] = np.where(x[:, 1] > 0.6, WAIST, ANKLE)
        return x

    return cut(trousers_shape, x, faces, lambda x: (x[:, 1] > ANKLE) & (x[:, 1] < WAIST), snap, size)


# Bones. A joint that turns by half of the next one keeps the skin from folding.

TREE = {"hips": ((0, 0.95, 0), None), "spine": ((0, 1.08, 0), "hips"), "chest": ((0, 1.25, 0), "spine")}
for side, sign in [("left", 1), ("right", -1)]:
    for part, place, above in [("arm_half", (0.18, 1.41, 0), "chest"), ("arm", (0.18, 1.41, 0), "chest"), ("thigh_half", (0.092, 0.90, 0), "hips"),
                               ("thigh", (0.092, 0.90, 0), "hips"), ("shin_half", (0.150, 0.52, 0), "thigh"), ("shin", (0.150, 0.52, 0), "thigh"),
                               ("foot", (0.210, 0.10, 0), "shin")]:
        full = above if above in ("chest", "hips") else f"{above}_{side}"
        TREE[f"{part}_{side}"] = ((sign * place[0], place[1], place[2]), full)


def path(joint):
    above = TREE[joint][1]
    return joint if above is None else path(above) + "/" + joint


NAMES = list(TREE)
INDEX = {name: k for k, name in enumerate(NAMES)}


def smooth(a, b, z):
    t = np.clip((z - a) / (b - a), 0, 1)
    return t * t * (3 - 2 * t)


def weights(p):
    x, y = p[:, 0], p[:, 1]
    w = np.zeros((len(p), len(NAMES)))
    arm = smooth(-0.07, 0.07, np.abs(x) - 0.18 + 0.9 * np.minimum(y - 1.39, 0)) * (y > 1.1)
    leg = smooth(-0.13, 0.11, 0.90 - y) * (y < 1.1)
    trunk = (1 - arm) ** 2 * (1 - leg) ** 2
    spine, chest = smooth(0.98, 1.16, y), smooth(1.16, 1.36, y)
    w[:, INDEX["hips"]] = trunk * (1 - spine)
    w[:, INDEX["spine"]] = trunk * spine * (1 - chest)
    w[:, INDEX["chest"]] = trunk * spine * chest
    knee, foot = smooth(-0.08, 0.08, 0.52 - y), smooth(-0.03, 0.03, 0.09 - y)
    for side, share in [("left", smooth(-0.02, 0.02, x)), ("right", smooth(-0.02, 0.02, -x))]:
        w[:, INDEX["arm_half_" + side]] = share * 2 * arm * (1 - arm)
        w[:, INDEX["arm_" + side]] = share * arm**2
        w[:, INDEX["thigh_half_" + side]] = share * 2 * leg * (1 - leg)
        w[:, INDEX["thigh_" + side]] = share * leg**2 * (1 - knee) ** 2
        w[:, INDEX["shin_half_" + side]] = share * leg**2 * 2 * knee * (1 - knee)
        w[:, INDEX["shin_" + side]] = share * leg**2 * knee**2 * (1 - foot)
        w[:, INDEX["foot_" + side]] = share * leg**2 * knee**2 * foot
    return w


# Motion.

def turn(axis, degrees):
    return Gf.Rotation(Gf.Vec3d(*axis), degrees).GetQuat()


NONE = Gf.Quatd(1)
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
DOWN, UP, TOGETHER, APART = -60, 55, -4.5, 15


def standing(arms=DOWN, legs=TOGETHER):
    return {"arm": turn(Z, arms), "thigh": turn(Z, legs), "shin": NONE, "foot": turn(Z, -legs), "lean": 0.0, "hop": 0.0}


def jack(t):
    """Two jumping jacks, from 0.9 s to 2.9 s, the first a small one."""
    if not 0.9 < t < 2.9:
        return standing()
    phase = (t - 0.9) % 1.0
    size = 0.2 if t < 1.9 else 1
    far = size * (0.5 - 0.5 * math.cos(2 * math.pi * phase))
    pose = standing(DOWN + (UP - DOWN) * far, TOGETHER + (APART - TOGETHER) * far)
    pose["hop"] = 0.04 * size * math.sin(2 * math.pi * phase) ** 2
    return pose


def squat(t):
    """Two squats, from 0.3 s to 2.3 s."""
    deep = 0.5 - 0.5 * math.cos(2 * math.pi * (t - 0.3)) if 0.3 < t < 2.3 else 0.0
    thigh, shin = 46 * deep, 36 * deep
    pose = standing()
    pose["arm"] = Gf.Slerp(float(deep), turn(Z, DOWN), turn(Y, -75) * turn(Z, -10))
    pose["thigh"] = turn(X, -thigh) * turn(Z, TOGETHER)
    pose["shin"] = turn(X, thigh + shin)
    pose["foot"] = turn(Z, -TOGETHER) * turn(X, -shin)
    pose["lean"] = 18 * deep
    return pose


def lead(t):
    """From arms out, as bound, to standing: from -1.3 s to -0.5 s."""
    far = float(smooth(-1.3, -0.5, t))
    return standing(DOWN * far, TOGETHER * far)


def joint_turns(pose):
    out = {"hips": turn(X, 0.2 * pose["lean"]), "spine": turn(X, 0.5 * pose["lean"]), "chest": turn(X, 0.3 * pose["lean"])}
    for side in ("left", "right"):
        for part in ("arm", "thigh", "shin", "foot"):
            q = pose[part]
            if side == "right":
                r, i = q.GetReal(), q.GetImaginary()
                q = Gf.Quatd(r, Gf.Vec3d(i[0], -i[1], -i[2]))
            if part == "thigh":
                # Legs do not lean with the hips.
                q = turn(X, -0.2 * pose["lean"]) * q
            out[f"{part}_{side}"] = q
            if part != "foot":
                out[f"{part}_half_{side}"] = Gf.Slerp(0.5, NONE, q)
    return out


def matrix(q):
    return np.array(Gf.Matrix3d(q)).T


def place(turns, joint):
    """Rotation and position of a joint, hips where they were bound."""
    here, above = TREE[joint]
    if above is None:
        return matrix(turns[joint]), np.array(here, float)
    r, x = place(turns, above)
    return r @ matrix(turns[joint]), x + r @ (np.array(here) - np.array(TREE[above][0]))


def hips_at(pose, turns):
    """Such that the feet stay on the ground, and as far in front as they were bound."""
    _, foot = place(turns, "foot_left")
    bound = np.array(TREE["hips"][0])
    return bound + [0, 0.10 - foot[1] + pose["hop"], -foot[2]]


SHOTS = [(1001, jack), (2001, squat)]


def samples():
    for first, motion in SHOTS:
        for k in range(-40, 100):
            t = k / 30
            pose = lead(t) if k < 0 else motion(t)
            turns = joint_turns(pose)
            yield first + k, turns, hips_at(pose, turns)


def skin(p, w, turns, hips):
    out = np.zeros_like(p)
    for k, name in enumerate(NAMES):
        r, x = place(turns, name)
        x = x + hips - np.array(TREE["hips"][0])
        out += w[:, k, None] * ((p - np.array(TREE[name][0])) @ r.T + x)
    return out


# File.

def mesh(stage, path, points, faces):
    prim = UsdGeom.Mesh.Define(stage, path)
    prim.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(points.astype(np.float32)))
    prim.CreateFaceVertexCountsAttr(Vt.IntArray([4] * len(faces)))
    prim.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.ravel().astype(np.int32)))
    prim.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    return prim


def bind(prim, skeleton, w):
    count = int((w > 1e-4).sum(1).max())
    joints = np.argsort(-w, 1, kind="stable")[:, :count]
    values = np.round(np.take_along_axis(w, joints, 1), 3)
    values /= values.sum(1, keepdims=True)
    joints[values == 0] = 0
    binding = UsdSkel.BindingAPI.Apply(prim.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateJointIndicesPrimvar(False, count).Set(Vt.IntArray.FromNumpy(joints.ravel().astype(np.int32)))
    binding.CreateJointWeightsPrimvar(False, count).Set(Vt.FloatArray.FromNumpy(values.ravel().astype(np.float32)))


def shift(p):
    return Gf.Matrix4d().SetTranslate(Gf.Vec3d(*[float(c) for c in p]))


def main():
    stage = Usd.Stage.CreateNew("figure.usdc")
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    stage.SetTimeCodesPerSecond(30)
    stage.SetFramesPerSecond(30)
    stage.SetStartTimeCode(961)
    stage.SetEndTimeCode(2100)
    stage.SetDefaultPrim(UsdSkel.Root.Define(stage, "/Figure").GetPrim())
    skeleton = UsdSkel.Skeleton.Define(stage, "/Figure/Skeleton")
    skeleton.CreateJointsAttr([path(name) for name in NAMES])
    skeleton.CreateBindTransformsAttr([shift(TREE[name][0]) for name in NAMES])
    below = {n: np.array(TREE[n][0]) - (np.array(TREE[TREE[n][1]][0]) if TREE[n][1] else 0) for n in NAMES}
    skeleton.CreateRestTransformsAttr([shift(below[name]) for name in NAMES])
    motion = UsdSkel.Animation.Define(stage, "/Figure/Motion")
    motion.CreateJointsAttr([path(name) for name in NAMES])
    motion.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * len(NAMES)))
    places, rotations = motion.CreateTranslationsAttr(), motion.CreateRotationsAttr()
    for code, turns, hips in samples():
        rotations.Set(Vt.QuatfArray([Gf.Quatf(turns[name]) for name in NAMES]), code)
        places.Set(Vt.Vec3fArray([Gf.Vec3f(*[float(c) for c in (hips if name == "hips" else below[name])]) for name in NAMES]), code)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    x, faces = surface(body, (-0.86, -0.05, -0.2), (0.86, 1.84, 0.24), 0.0225)
    assert len(borders(faces)) == 0
    bind(mesh(stage, "/Figure/Body", x, faces), skeleton, weights(x))
    print("body", len(x), "vertices")
    x, faces, edge = shirt()
    mesh(stage, "/Figure/Shirt", x, faces)
    print("shirt", len(x), "vertices", len(faces), "quads")
    x, faces, edge = trousers()
    prim = mesh(stage, "/Figure/Trousers", x, faces)
    bind(prim, skeleton, weights(x))
    print("trousers", len(x), "vertices", len(faces), "quads")
    for name, some in [("waist", x[:, 1] > 0.6), ("ankles", x[:, 1] < 0.6)]:
        border = np.zeros(len(x), bool)
        border[edge] = True
        at = np.flatnonzero((border & some)[faces].any(1))
        UsdGeom.Subset.CreateGeomSubset(prim, name, "face", Vt.IntArray.FromNumpy(at.astype(np.int32)))
    stage.GetRootLayer().Save()


if __name__ == "__main__":
    main()
