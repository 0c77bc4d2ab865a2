"""What a run recorded."""

import json
import os

import numpy as np


def read_ply(path, names=False):
    """Rows of the vertices of a binary PLY, and the faces' bytes; with `names` the columns' names and the rows."""
    with open(path, "rb") as file:
        data = file.read()
    end = data.index(b"end_header\n") + 11
    columns, count, vertices = [], 0, False
    for line in data[:end].decode().splitlines():
        words = line.split()
        if words[0] == "element":
            vertices = words[1] == "vertex"
            count = int(words[2]) if vertices else count
        elif words[0] == "property" and vertices:
            columns.append(words[2])
    size = 4 * len(columns) * count
    rows = np.frombuffer(data[end:end + size], "<f4").reshape(count, -1)
    return (columns, rows) if names else (rows, data[end + size:])


def read_run(run):
    """The run's manifest."""
    with open(os.path.join(run, "run.json")) as file:
        return json.load(file)
