"""percale, an offline cloth simulator: scenes are loaded or made from arrays, and stepped frame by frame.

    import percale

    scene = percale.load("scenes/drape.toml", set={"time.step": "2 ms"})
    simulation = percale.Simulation(scene)
    points = simulation.positions("sheet")        # (vertices, 3), float32, file order, metres
    while not simulation.done:
        simulation.step()
        print(simulation.frame, simulation.time, points[:, 1].min())

Arrays. `positions` and `velocities` give views, not copies. Each object has one buffer for positions and one for velocities,
made with the simulation. The solver keeps its vertices in another order and in double precision; `step` gathers them into the
buffers, in file order and rounded to float32: the bits that `percale run` writes into the PLY file of that frame. A view is
valid as long as Python holds it, also after its simulation is gone, and always shows the frame of the last `step`: what is
to be kept of a frame is copied (`points.copy()`). A thread that reads a view while another one steps may see two frames
mixed. Views cannot be written to. `triangles` never changes.

Nothing is written to disk: no meshes, pictures, probes, statistics, checkpoints. `time.frame_limit` does not act, and what
a run warns of at a frame is not told. Frames get the exact test of a run.

Other threads of Python go on during `step`, but a simulation that is asked meanwhile refuses with RuntimeError. Ctrl-C ends
`step` after the step in hand; another `step` then goes on to the same frame, with the same bits.
"""

from __future__ import annotations

import os
from typing import Any, Iterable, List, Mapping, Union

from . import _scene
from ._percale import Fault, Scene, SceneError, Simulation, SimulationError, __version__, scene_of
from ._types import Contacts

__all__ = ["Contacts", "Fault", "Scene", "SceneError", "Simulation", "SimulationError", "__version__", "from_dict", "load"]

Overrides = Union[Mapping[str, Any], Iterable[str]]


def load(file: Union[str, "os.PathLike[str]"], set: Overrides = ()) -> Scene:
    """Reads a scene file.

    `set` has overrides as `--set` has them: texts such as "time.step=0.5 ms", or a dict from keys to values. A value that is
    text is read as `--set` reads it: as TOML, else as it is.

    Raises SceneError with all faults that are found without reading meshes; those of meshes are found by Simulation.
    """
    return Scene(file, _overrides(set))


def from_dict(values: Mapping[str, Any], folder: Union[str, "os.PathLike[str]"] = ".", set: Overrides = ()) -> Scene:
    """Makes a scene from the keys and values of a scene file, with arrays in place of mesh files.

    Tables are dicts, lists of tables lists of dicts; a value None is as if its key were left out. `mesh` is a file relative to
    `folder`, or a dict of arrays, which are read as float64 and count as those of a file do:

    - `points`: (n, 3), metres
    - `triangles`: (m, 3), `faces`: (m, k), or a list of polygons, or `tets`: (m, 4), for a body; vertices counted from 0
    - `uv`: (n, 2) at vertices, or (m, 3, 2) at the corners of triangles
    - `groups`: a dict of names to vertices, or to n truth values
    - `channels`: a dict of names to n numbers

    In a `cache`, `points` may be an array (samples, n, 3). The frames are those of the same scene in a file, bit for bit, with
    a PLY file of `double` coordinates; arrays of float32 are those of a file of `float`.

    Raises SceneError as `load` does: `fault.key` says where, line and column are None. Raises ValueError for arrays of a
    wrong shape.
    """
    text, meshes = _scene.written(values)
    return scene_of(text, folder, meshes, _overrides(set))


def _overrides(set: Overrides) -> List[str]:
    if isinstance(set, str):
        raise TypeError(f"set is the text {set!r}; give a list of texts or a dict")
    if isinstance(set, Mapping):
        return [f"{key}={_override(value)}" for key, value in set.items()]
    return list(set)


def _override(value: Any) -> str:
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_scene.quoted(one) if isinstance(one, str) else _override(one) for one in value) + "]"
    return _scene.scalar(value)
