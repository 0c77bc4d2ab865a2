"""How an object moves from frame to frame: it stands, it moves as a whole, or its shape changes."""

import math

import numpy as np

from . import mesh


def turn_of(rotation):
    """Axis times angle of a rotation matrix, the angle up to pi."""
    cosine = max(-1.0, min(1.0, (np.trace(rotation) - 1) / 2))
    skew = np.array([
        rotation[2, 1] - rotation[1, 2],
        rotation[0, 2] - rotation[2, 0],
        rotation[1, 0] - rotation[0, 1],
    ]) / 2
    sine = np.linalg.norm(skew)
    angle = math.atan2(sine, cosine)
    if sine > 1e-6:
        return skew * (angle / sine)
    if cosine > 0:
        return skew
    # Half a turn: the axis is the largest column of R + 1.
    columns = rotation + np.eye(3)
    axis = columns[:, np.argmax(np.linalg.norm(columns, axis=0))]
    return axis / np.linalg.norm(axis) * math.pi


def rotation_of(turn):
    """Rotation matrix of axis times angle."""
    angle = np.linalg.norm(turn)
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = turn / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def nearest(turn, before):
    """The same rotation as `turn`, by the axis times angle that is nearest to `before`: whole turns are added."""
    angle = np.linalg.norm(turn)
    if angle < 1e-12:
        size = np.linalg.norm(before)
        whole = round(size / (2 * math.pi)) * 2 * math.pi
        return before / size * whole if size > 1e-12 else turn
    axis = turn / angle
    whole = round((before @ axis - angle) / (2 * math.pi))
    return turn + axis * (2 * math.pi * whole)


class Pose:
    """A rigid displacement from the start: turn about the start's origin, then shift [m]."""

    def __init__(self, turn, shift):
        self.turn, self.shift = turn, shift


def poses(matrices, scale, reach):
    """The poses of an object with these matrices, where each is the first one moved rigidly; else none.

    Between frames percale turns evenly in axis times angle. Where this leaves the even turn from pose to pose by more than a
    point cache would, at the distance `reach` [m] from the origin, there is none either."""
    start = matrices[0]
    try:
        back = np.linalg.inv(start[:3, :3])
    except np.linalg.LinAlgError:
        return None
    out, before, last = [], np.zeros(3), np.eye(3)
    for matrix in matrices:
        rotation = matrix[:3, :3] @ back
        if np.abs(rotation.T @ rotation - np.eye(3)).max() > 2e-5 or np.linalg.det(rotation) < 0:
            return None
        turn = nearest(turn_of(rotation), before)
        step = turn_of(rotation @ last.T)
        middle = rotation_of(step / 2) @ last
        off = np.linalg.norm(turn_of(rotation_of((turn + before) / 2) @ middle.T))
        if off * reach > reach * (1 - math.cos(np.linalg.norm(step) / 2)) + 1e-6:
            return None
        out.append(Pose(turn, (matrix[:3, 3] - start[:3, 3]) * scale))
        before, last = turn, rotation
    return out


def stand(track):
    """None of the poses is elsewhere than the start."""
    return all(np.abs(p.turn).max() < 1e-7 and np.abs(p.shift).max() < 1e-8 for p in track)


def vector(x):
    return "[%s]" % ", ".join("%.9g" % v for v in x)


def keyframes(track, origin, fps):
    """Poses as a list of keyframes in TOML, about the start's origin [m]. Of poses that stay the same the ends are kept."""
    lines = []
    same = [np.allclose(a.turn, b.turn, 0, 1e-9) and np.allclose(a.shift, b.shift, 0, 1e-9)
            for a, b in zip(track, track[1:])]  # fmt: skip
    for k, pose in enumerate(track):
        if 0 < k < len(track) - 1 and same[k - 1] and same[k]:
            continue
        angle = np.linalg.norm(pose.turn)
        turn = ""
        if angle > 0:
            turn = ", rotate = { axis = %s, angle = %.12g }" % (vector(pose.turn / angle), angle)
        time = "%.12g" % (k / fps)
        lines.append("  { time = %s, translate = %s%s, origin = %s }," % (time, vector(pose.shift), turn, vector(origin)))
    return ["keyframes = ["] + lines + ["]"]


class Track:
    """A mesh over the frames. A point cache is begun at the first frame at which its shape is not that of the start."""

    def __init__(self, path, scale):
        self.path, self.scale = path, scale
        self.matrices, self.first, self.cache = [], None, None

    def add(self, x, matrix):
        """The next frame: positions in the object's own coordinates, and its matrix."""
        if self.first is None:
            self.first = x
            self.near = 1e-6 * max(1e-9, float(np.abs(x).max(initial=0.0)))
        self.matrices.append(matrix)
        if self.cache is None and np.abs(x - self.first).max(initial=0.0) > self.near:
            self.begin(self.matrices[:-1])
        if self.cache:
            self.cache.add(mesh.world(x, matrix, self.scale))

    def begin(self, matrices):
        self.cache = mesh.PointCache(self.path, len(self.first))
        for matrix in matrices:
            self.cache.add(mesh.world(self.first, matrix, self.scale))

    def start(self):
        """Positions at the first frame [m]."""
        return mesh.world(self.first, self.matrices[0], self.scale)

    def finish(self):
        """The poses, or none where there is a point cache."""
        track = None
        if self.cache is None:
            origin = self.matrices[0][:3, 3] * self.scale
            reach = float(np.linalg.norm(self.start() - origin, axis=1).max(initial=0.0))
            track = poses(self.matrices, self.scale, reach)
            if track is None:
                self.begin(self.matrices)
        self.close()
        return track

    def close(self):
        if self.cache:
            self.cache.close()
