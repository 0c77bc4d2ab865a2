"""Whether any frame of a run has triangles that cross, by ipctk: python intersections.py RUN. Needs ipctk."""

import os
import sys

import ipctk
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from record import read_ply, read_run  # noqa: E402


def main():
    run = sys.argv[1]
    manifest = read_run(run)
    bad = []
    for frame in range(1, manifest["frames_done"] + 1):
        x, faces, count = [], [], 0
        for entry in manifest["objects"]:
            rows, lists = read_ply(os.path.join(run, entry["files"].replace("####", "%04d" % frame)))
            triangles = np.frombuffer(lists, np.dtype([("n", "u1"), ("v", "<i4", 3)]))["v"]
            x.append(rows[:, :3].astype(float))
            faces.append(triangles + count)
            count += len(rows)
        x, faces = np.concatenate(x), np.concatenate(faces)
        mesh = ipctk.CollisionMesh(x, ipctk.edges(faces), faces)
        if ipctk.has_intersections(mesh, x):
            bad.append(frame)
    print("%d frames by ipctk: %s" % (manifest["frames_done"], "crossings at %s" % bad if bad else "no crossings"))
    sys.exit(1 if bad else 0)


main()
