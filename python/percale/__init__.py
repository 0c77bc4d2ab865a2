"""percale, an offline cloth simulator: scenes are loaded and stepped frame by frame.

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

from ._percale import Fault, Scene, SceneError, Simulation, SimulationError, __version__

__all__ = ["Fault", "Scene", "SceneError", "Simulation", "SimulationError", "__version__", "load"]


def load(file, set=()):
    """Reads a scene file.

    `set` has overrides as `--set` has them: texts such as "time.step=0.5 ms", or a dict from keys to values. A value that is
    text is read as `--set` reads it: as TOML, else as it is.

    Raises SceneError with all faults that are found without reading meshes; those of meshes are found by Simulation.
    """
    if isinstance(set, str):
        raise TypeError(f"set is the text {set!r}; give a list of texts or a dict")
    if hasattr(set, "items"):
        set = [f"{key}={_toml(value)}" for key, value in set.items()]
    return Scene(file, list(set))


def _toml(value):
    # Numbers and arrays of NumPy become Python's.
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_quoted(item) for item in value) + "]"
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"{value!r} is a {type(value).__name__}; give text, a number, True or False, or a list of these")


def _quoted(value):
    if not isinstance(value, str):
        return _toml(value)
    escape = {'"': '\\"', "\\": "\\\\"}
    text = "".join(escape.get(c, c if c.isprintable() else f"\\U{ord(c):08x}") for c in value)
    return f'"{text}"'
