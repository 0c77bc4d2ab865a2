"""Writes walker.usdc with usd-core and numpy (`pip install usd-core numpy`), own work, CC0: a figure of one closed skin on
twenty-six joints, y up, metres, 30 time codes a second, facing +z, with the torso of `mannequin.ply`, so that patterns for
the mannequin fit it.

At 881 to 960 it stands as it was bound, arms a little out, for sewing; until 990 it lowers its arms, and it stands until
1000. At 1001 to 1060 it walks four steps forwards. A foot on the ground does not slide."""
import math
import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt
from figure import NONE, X, Y, Z, bind, borders, cone, mesh, shift, smin, smooth, surface, turn

# Shapes, as distances to their surfaces [m]. Those of the torso are those of tools/make_meshes/meshes/mannequin.rs.

SHOULDER, ELBOW = np.array([0.172, 1.368, -0.012]), np.array([0.345, 1.125, -0.005])
FOREARM = np.array([0.545, -0.825, 0.15]) / np.linalg.norm([0.545, -0.825, 0.15])
WRIST = ELBOW + 0.245 * FOREARM
HIP, KNEE, ANKLE = np.array([0.091, 0.850, -0.010]), np.array([0.103, 0.470, 0.002]), np.array([0.108, 0.080, -0.022])
TORSO = np.array([(0.740, 0.140, 0.092, -0.012), (0.800, 0.156, 0.104, -0.014), (0.870, 0.162, 0.110, -0.014), (0.950, 0.148, 0.102, -0.008),
                  (1.050, 0.121, 0.088, 0.000), (1.130, 0.128, 0.094, 0.002), (1.220, 0.144, 0.103, 0.002), (1.300, 0.146, 0.100, -0.004),
                  (1.370, 0.130, 0.080, -0.012), (1.440, 0.080, 0.055, -0.020)])


def ellipsoid(p, centre, radii, frame=np.eye(3)):
    q = (p - centre) @ np.array(frame).T / radii
    rho = np.linalg.norm(q, axis=-1)
    slope = np.linalg.norm(q / radii, axis=-1)
    return rho * (rho - 1) / np.maximum(slope, 1e-9)


def sections(y):
    """Half width, half depth and shift at heights: Catmull-Rom through the cross-sections."""
    h, values = TORSO[:, 0], TORSO[:, 1:]
    slopes = np.gradient(values, h, axis=0)
    y = np.clip(y, h[0], h[-1])
    i = np.clip(np.searchsorted(h, y, side="right") - 1, 0, len(h) - 2)
    d = (h[i + 1] - h[i])[..., None]
    t = ((y - h[i]) / (h[i + 1] - h[i]))[..., None]
    return ((2 * t**3 - 3 * t**2 + 1) * values[i] + (t**3 - 2 * t**2 + t) * d * slopes[i] + (3 * t**2 - 2 * t**3) * values[i + 1]
            + (t**3 - t**2) * d * slopes[i + 1])


def torso(p):
    width, depth, forward = np.moveaxis(sections(p[..., 1]), -1, 0)
    x, z = p[..., 0] / width, (p[..., 2] - forward) / depth
    rho = np.hypot(x, z)
    tube = rho * (rho - 1) / np.maximum(np.hypot(x / width, z / depth), 1e-9)
    lower = -smin(-tube, -(np.abs(p[..., 1] - 1.08) - 0.32), 0.05)
    yoke = cone(p, (0.02, 1.410, -0.018), SHOULDER, 0.058, 0.040)
    breast = ellipsoid(p, (0.066, 1.215, 0.070), (0.058, 0.060, 0.050))
    seat = ellipsoid(p, (0.072, 0.850, -0.058), (0.076, 0.090, 0.066))
    return smin(smin(smin(lower, yoke, 0.05), breast, 0.05), seat, 0.06)


def head(p):
    neck = cone(p, (0, 1.380, -0.022), (0, 1.520, 0.004), 0.056, 0.049)
    skull = ellipsoid(p, (0, 1.608, 0.012), (0.073, 0.097, 0.090))
    jaw = ellipsoid(p, (0, 1.545, 0.042), (0.045, 0.045, 0.048))
    nose = cone(p, (0, 1.600, 0.098), (0, 1.572, 0.112), 0.008, 0.012)
    return smin(smin(neck, smin(skull, jaw, 0.05), 0.035), nose, 0.02)


def arm(p):
    upper = cone(p, SHOULDER, ELBOW, 0.047, 0.037)
    middle = ELBOW + 0.08 * FOREARM
    lower = np.minimum(cone(p, ELBOW, middle, 0.036, 0.038), cone(p, middle, WRIST, 0.038, 0.025))
    forward = np.array(Z) - FOREARM[2] * FOREARM
    forward /= np.linalg.norm(forward)
    frame = np.stack([FOREARM, forward, np.cross(FOREARM, forward)])
    palm = ellipsoid(p, WRIST + 0.085 * FOREARM, (0.092, 0.042, 0.021), frame)
    thumb = cone(p, WRIST + 0.03 * FOREARM + 0.022 * forward, WRIST + 0.085 * FOREARM + 0.055 * forward, 0.017, 0.013)
    return smin(np.minimum(upper, lower), smin(palm, thumb, 0.02), 0.03)


def leg(p):
    calf = (0.106, 0.350, -0.014)
    thigh = cone(p, HIP - np.array([0, 0.02, 0]), KNEE, 0.084, 0.052)
    shin = np.minimum(cone(p, KNEE, calf, 0.049, 0.050), cone(p, calf, ANKLE, 0.050, 0.036))
    foot = cone(p, (0.108, 0.036, -0.040), (0.120, 0.026, 0.130), 0.036, 0.033)
    whole = smin(np.minimum(thigh, shin), foot, 0.045)
    # The sole is flat, at y = 0.
    return -smin(-whole, p[..., 1], 0.012)


def body(p):
    q = np.stack([np.abs(p[..., 0]), p[..., 1], p[..., 2]], -1)
    return smin(smin(smin(torso(q), head(q), 0.05), leg(q), 0.05), arm(q), 0.03)


# Bones. A joint that turns by half of the next one keeps the skin from folding.

TREE = {"hips": ((0, 0.93, 0), None), "spine": ((0, 1.06, 0), "hips"), "chest": ((0, 1.22, 0), "spine"), "neck": ((0, 1.43, -0.015), "chest"),
        "head": ((0, 1.53, 0), "neck")}
for side, sign in [("left", 1), ("right", -1)]:
    for part, place, above in [("arm_half", SHOULDER, "chest"), ("arm", SHOULDER, "chest"), ("forearm_half", ELBOW, "arm"), ("forearm", ELBOW, "arm"),
                               ("hand", WRIST, "forearm"), ("thigh_half", HIP, "hips"), ("thigh", HIP, "hips"), ("shin_half", KNEE, "thigh"),
                               ("shin", KNEE, "thigh"), ("foot", ANKLE, "shin")]:
        full = above if above in ("chest", "hips") else f"{above}_{side}"
        TREE[f"{part}_{side}"] = ((sign * place[0], place[1], place[2]), full)
NAMES = list(TREE)
INDEX = {name: k for k, name in enumerate(NAMES)}
LEGS = (np.linalg.norm(KNEE - HIP), np.linalg.norm(ANKLE - KNEE))


def path(joint):
    above = TREE[joint][1]
    return joint if above is None else path(above) + "/" + joint


def weights(p):
    q = np.stack([np.abs(p[:, 0]), p[:, 1], p[:, 2]], 1)
    y = q[:, 1]
    w = np.zeros((len(p), len(NAMES)))
    upper = (ELBOW - SHOULDER) / np.linalg.norm(ELBOW - SHOULDER)
    along = (q - SHOULDER) @ upper
    # Inside of the chest nothing belongs to the arm.
    arms = smooth(-0.03, 0.08, along + 0.35 * (q[:, 0] - SHOULDER[0])) * smooth(0.12, 0.17, q[:, 0])
    # Below the armpit, what is nearer to the arm.
    near = smooth(-0.03, 0.03, np.minimum(torso(q), leg(q)) - arm(q))
    arms = near + (arms - near) * smooth(1.20, 1.32, y)
    elbow, wrist = smooth(-0.05, 0.05, (q - ELBOW) @ upper), smooth(-0.02, 0.03, (q - WRIST) @ FOREARM)
    low = smooth(-0.11, 0.07, HIP[1] - y + 0.15 * (q[:, 0] - 0.09)) * (1 - arms)
    trunk = (1 - arms) ** 2 * (1 - low) ** 2
    spine, chest, neck, top = smooth(0.96, 1.14, y), smooth(1.10, 1.30, y), smooth(1.40, 1.47, y), smooth(1.50, 1.56, y)
    w[:, INDEX["hips"]] = trunk * (1 - spine)
    w[:, INDEX["spine"]] = trunk * spine * (1 - chest)
    w[:, INDEX["chest"]] = trunk * spine * chest * (1 - neck)
    w[:, INDEX["neck"]] = trunk * spine * chest * neck * (1 - top)
    w[:, INDEX["head"]] = trunk * spine * chest * neck * top
    knee, foot = smooth(-0.07, 0.07, KNEE[1] - y), smooth(-0.03, 0.03, ANKLE[1] - y)
    for side, share in [("left", smooth(-0.012, 0.012, p[:, 0])), ("right", smooth(-0.012, 0.012, -p[:, 0]))]:
        w[:, INDEX["arm_half_" + side]] = share * 2 * arms * (1 - arms)
        w[:, INDEX["arm_" + side]] = share * arms**2 * (1 - elbow) ** 2
        w[:, INDEX["forearm_half_" + side]] = share * arms**2 * 2 * elbow * (1 - elbow)
        w[:, INDEX["forearm_" + side]] = share * arms**2 * elbow**2 * (1 - wrist)
        w[:, INDEX["hand_" + side]] = share * arms**2 * elbow**2 * wrist
        w[:, INDEX["thigh_half_" + side]] = share * 2 * low * (1 - low) * (1 - arms) ** 2
        w[:, INDEX["thigh_" + side]] = share * low**2 * (1 - knee) ** 2 * (1 - arms) ** 2
        w[:, INDEX["shin_half_" + side]] = share * low**2 * 2 * knee * (1 - knee)
        w[:, INDEX["shin_" + side]] = share * low**2 * knee**2 * (1 - foot)
        w[:, INDEX["foot_" + side]] = share * low**2 * knee**2 * foot
    return w / w.sum(1, keepdims=True)


# Motion: where the feet step and the hips go in between; thighs and shins follow.

STEP, FIRST, LENGTH, LIFT = 0.50, 0.10, 0.62, 0.075
DT = 1 / 240


def foot_track(side, t):
    """Forward place, height above the ground and pitch [degrees] of an ankle."""
    z, stepping = 0.0, None
    for k in range(5):
        begin, end = FIRST + k * STEP, FIRST + (k + 1) * STEP - 0.06
        if ("right", "left")[k % 2] != side or t < begin:
            continue
        to = (k + 0.5) * LENGTH
        if t >= end:
            z = to
        else:
            stepping = (z, to, (t - begin) / (end - begin))
    if stepping is None:
        return z, 0.0, 0.0
    a, b, s = stepping
    ease = s * s * (3 - 2 * s)
    lift = LIFT * math.sin(math.pi * s) ** 1.5
    # Heel first up, toes first down: pitch is positive with the toes down.
    pitch = 26 * math.sin(math.pi * min(1, s / 0.55)) ** 2 * (s < 0.55) - 16 * math.sin(math.pi * max(0, (s - 0.5) / 0.5)) * (s > 0.5)
    # Toes are 14 cm in front of the ankle.
    return a + (b - a) * ease, lift + 0.14 * math.sin(math.radians(max(pitch, 0))), pitch


def tracks():
    times = np.arange(-0.6, 2.8, DT)
    feet = {side: np.array([foot_track(side, t) for t in times]) for side in ("left", "right")}
    z = blurred(0.5 * (feet["left"][:, 0] + feet["right"][:, 0]), 0.14)
    # The lower of what both legs reach; knees stay a little bent.
    reach = 0.992 * sum(LEGS)
    heights = [ANKLE[1] + f[:, 1] + np.sqrt(np.maximum(reach**2 - (f[:, 0] + ANKLE[2] - z - HIP[2]) ** 2, 0.2)) for f in feet.values()]
    y = blurred(np.minimum(*heights), 0.05) - 0.004
    return times, feet, z, np.minimum(y, HIP[1])


def blurred(f, sigma):
    n = int(4 * sigma / DT)
    kernel = np.exp(-0.5 * (np.arange(-n, n + 1) * DT / sigma) ** 2)
    return np.convolve(np.pad(f, n, mode="edge"), kernel / kernel.sum(), "valid")


TRACKS = tracks()


def bend(hip, ankle):
    """Turns of thigh and shin about x [degrees] such that a leg reaches from hip to ankle (height, forward)."""
    a, b = LEGS
    d = ankle - hip
    c = min(np.linalg.norm(d), 0.9995 * (a + b))
    knee = math.pi - math.acos((a * a + b * b - c * c) / (2 * a * b))
    inner = math.acos((a * a + c * c - b * b) / (2 * a * c))
    swing = math.atan2(d[1], -d[0]) + inner
    # As bound, thigh and shin lean a little.
    thigh0, shin0 = math.atan2(KNEE[2] - HIP[2], HIP[1] - KNEE[1]), math.atan2(ANKLE[2] - KNEE[2], KNEE[1] - ANKLE[1])
    thigh = -(swing - thigh0)
    shin = -(swing - knee - shin0) - thigh
    return math.degrees(thigh), math.degrees(shin)


def pose(t):
    """Turns of all joints, and the place of the hips, `t` seconds after the first frame of the shot."""
    times, feet, z, y = TRACKS
    at = lambda f: np.interp(t, times, f)
    down = float(smooth(-1.35, -0.35, t))
    going = float(smooth(0.1, 0.7, t))
    phase = math.pi * (t - FIRST) / STEP
    # The right leg swings first, and the left arm with it.
    sway = going * math.sin(phase - math.pi / 2)
    out = {"hips": turn(Y, 4 * sway), "spine": turn(Y, -3 * sway) * turn(X, 1.5 * going), "chest": turn(Y, -5 * sway) * turn(X, 1.5 * going),
           "neck": turn(Y, 2 * sway), "head": turn(Y, 2 * sway) * turn(X, -2 * going)}
    hips = np.array([0.012 * going * math.cos(phase - math.pi / 2), at(y) - HIP[1], at(z)])
    hinge = np.cross(FOREARM, Z)
    for side, sign in [("left", 1), ("right", -1)]:
        swing = sign * sway
        arm = turn(X, 20 * swing) * turn(Z, -23 * down)
        forearm = turn(hinge / np.linalg.norm(hinge), (8 + 9 * going * (1 - swing)) * down)
        ankle = np.array([ANKLE[1] + at(feet[side][:, 1]), at(feet[side][:, 0]) + ANKLE[2]])
        thigh, shin = bend(np.array([HIP[1] + hips[1], HIP[2] + hips[2]]), ankle) if t > -0.3 else (0.0, 0.0)
        pitch = at(feet[side][:, 2])
        # Legs do not turn with the hips.
        own = {"arm": arm, "forearm": forearm, "hand": NONE, "thigh": turn(Y, -4 * sway * sign) * turn(X, thigh), "shin": turn(X, shin),
               "foot": turn(X, pitch - thigh - shin)}
        for part, q in own.items():
            if side == "right":
                r, i = q.GetReal(), q.GetImaginary()
                q = Gf.Quatd(r, Gf.Vec3d(i[0], -i[1], -i[2]))
            out[f"{part}_{side}"] = q
            if part in ("arm", "forearm", "thigh", "shin"):
                out[f"{part}_half_{side}"] = Gf.Slerp(0.5, NONE, q)
    return out, np.array(TREE["hips"][0]) + hips


FIRST_CODE, SHOT, LAST_CODE = 881, 1001, 1060


def main():
    stage = Usd.Stage.CreateNew("walker.usdc")
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1)
    stage.SetTimeCodesPerSecond(30)
    stage.SetFramesPerSecond(30)
    stage.SetStartTimeCode(FIRST_CODE)
    stage.SetEndTimeCode(LAST_CODE)
    stage.SetDefaultPrim(UsdSkel.Root.Define(stage, "/Walker").GetPrim())
    skeleton = UsdSkel.Skeleton.Define(stage, "/Walker/Skeleton")
    skeleton.CreateJointsAttr([path(name) for name in NAMES])
    skeleton.CreateBindTransformsAttr([shift(TREE[name][0]) for name in NAMES])
    below = {n: np.array(TREE[n][0]) - (np.array(TREE[TREE[n][1]][0]) if TREE[n][1] else 0) for n in NAMES}
    skeleton.CreateRestTransformsAttr([shift(below[name]) for name in NAMES])
    motion = UsdSkel.Animation.Define(stage, "/Walker/Motion")
    motion.CreateJointsAttr([path(name) for name in NAMES])
    motion.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * len(NAMES)))
    places, rotations = motion.CreateTranslationsAttr(), motion.CreateRotationsAttr()
    for code in [FIRST_CODE] + list(range(SHOT - 42, LAST_CODE + 1)):
        turns, hips = pose((code - SHOT) / 30)
        rotations.Set(Vt.QuatfArray([Gf.Quatf(turns[name]) for name in NAMES]), code)
        places.Set(Vt.Vec3fArray([Gf.Vec3f(*[float(c) for c in (hips if name == "hips" else below[name])]) for name in NAMES]), code)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([motion.GetPath()])
    x, faces = surface(body, (-0.66, -0.06, -0.26), (0.66, 1.78, 0.28), 0.015)
    assert len(borders(faces)) == 0
    bind(mesh(stage, "/Walker/Body", x, faces), skeleton, weights(x))
    print("body", len(x), "vertices")
    stage.GetRootLayer().Save()


if __name__ == "__main__":
    main()
