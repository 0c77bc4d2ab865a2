"""Scenes from dicts: TOML text, and the arrays that it names."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Mapping, Tuple

import numpy

Arrays = Dict[str, Dict[str, Any]]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_MESH = ("points", "triangles", "faces", "tets", "uv", "groups", "channels")


def written(values: Mapping[str, Any]) -> Tuple[str, Arrays]:
    """The scene as TOML, and its meshes by the names that stand for them in it: the paths of their keys."""
    meshes: Arrays = {}
    lines: List[str] = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{_key(key)}]", *_table(value, key, meshes)]
        elif _tables(value):
            for k, one in enumerate(value):
                lines += ["", f"[[{_key(key)}]]", *_table(one, f"{key}[{k}]", meshes)]
        else:
            raise TypeError(f"{key}: a {type(value).__name__}; give a dict, or a list of dicts")
    return "\n".join(lines).strip() + "\n", meshes


def _tables(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(one, Mapping) for one in value)


def _samples(value: Any) -> bool:
    """Whether a value is positions of vertices by sample."""
    try:
        return numpy.ndim(value) == 3
    except ValueError:
        # Lists of different lengths.
        return False


def _table(table: Mapping[str, Any], path: str, meshes: Arrays) -> List[str]:
    # A key whose value is None is as if it were left out.
    there = {key: value for key, value in table.items() if value is not None}
    return [f"{_key(key)} = {_value(value, f'{path}.{key}', meshes)}" for key, value in there.items()]


def _value(value: Any, path: str, meshes: Arrays) -> str:
    key = path.rpartition(".")[2]
    if key == "mesh" and isinstance(value, Mapping):
        meshes[path] = _mesh(value, path)
        return quoted(f"memory:{path}")
    if key == "points" and _samples(value):
        meshes[path] = {"samples": _floats(value, path)}
        return quoted(f"memory:{path}")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_table(value, path, meshes)) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(one, f"{path}[{k}]", meshes) for k, one in enumerate(value)) + "]"
    # Numbers and arrays of NumPy become Python's.
    if hasattr(value, "tolist"):
        return _value(value.tolist(), path, meshes)
    return scalar(value, path)


def scalar(value: Any, path: str = "") -> str:
    """Text, a number or a truth value as TOML."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    place = f"{path}: " if path else ""
    raise TypeError(f"{place}{value!r} is a {type(value).__name__}; give text, a number, True or False, or a list of these")


def quoted(text: str) -> str:
    """Text as TOML."""
    escape = {'"': '\\"', "\\": "\\\\"}
    return '"' + "".join(escape.get(c, c if c.isprintable() else f"\\U{ord(c):08x}") for c in text) + '"'


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the key {key!r} is a {type(key).__name__}; keys are text")
    return key if _BARE.fullmatch(key) else quoted(key)


def _mesh(mesh: Mapping[str, Any], path: str) -> Dict[str, Any]:
    """Arrays of a mesh as the reader of scenes takes them."""
    unknown = [key for key in mesh if key not in _MESH]
    if unknown:
        raise ValueError(f"{path}: unknown {', '.join(map(repr, unknown))}; a mesh has {', '.join(_MESH)}")
    if mesh.get("points") is None:
        raise ValueError(f"{path}.points: missing; give an array (n, 3)")
    points = _floats(mesh["points"], f"{path}.points")
    made = {"points": points, "groups": _groups(mesh.get("groups") or {}, len(points), f"{path}.groups")}
    kinds = [key for key in ("triangles", "faces", "tets") if mesh.get(key) is not None]
    if len(kinds) != 1:
        raise ValueError(f"{path}: give one of 'triangles', 'faces', 'tets', not {' and '.join(map(repr, kinds)) or 'none'}")
    (kind,) = kinds
    if kind == "tets":
        extra = [key for key in ("uv", "channels") if mesh.get(key) is not None]
        if extra:
            raise ValueError(f"{path}.{extra[0]}: goes with triangles; leave it out")
        made["tets"] = _indices(mesh["tets"], f"{path}.tets", 4)
        return made
    faces = mesh[kind]
    if kind == "triangles" or isinstance(faces, numpy.ndarray) and faces.ndim == 2:
        table = _indices(faces, f"{path}.{kind}", 3 if kind == "triangles" else faces.shape[-1])
        made["corners"], counts = table.ravel(), numpy.full(len(table), table.shape[1])
    else:
        rows = [_indices(face, f"{path}.faces[{k}]") for k, face in enumerate(faces)]
        made["corners"] = numpy.concatenate(rows or [numpy.zeros(0, numpy.uint32)])
        counts = numpy.array([len(row) for row in rows])
    made["ends"] = numpy.cumsum(counts, dtype=numpy.uint64)
    channels = mesh.get("channels") or {}
    made["channels"] = {name: _floats(values, f"{path}.channels.{name}") for name, values in channels.items()}
    if mesh.get("uv") is not None:
        uv = _floats(mesh["uv"], f"{path}.uv")
        # (n, 2) at vertices; (triangles, 3, 2), or (corners, 2) where these are not as many, at corners.
        corners = uv.ndim == 3 or len(uv) != len(points) and len(uv) == len(made["corners"])
        made["corner_uv" if corners else "uv"] = uv.reshape(-1, uv.shape[-1]) if uv.ndim == 3 else uv
    return made


def _floats(values: Any, path: str) -> Any:
    try:
        return numpy.asarray(values, dtype=numpy.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: no array of numbers: {error}") from None


def _indices(values: Any, path: str, columns: int = 0) -> Any:
    array = numpy.asarray(values)
    if array.size == 0:
        array = array.astype(numpy.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{path}: vertices are whole numbers, not {array.dtype}")
    wanted = f"(n, {columns})" if columns else "(n,)"
    if array.ndim != (2 if columns else 1) or columns and array.shape[1] != columns:
        raise ValueError(f"{path}: the shape is {array.shape}, expected {wanted}")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < 2**32:
        raise ValueError(f"{path}: vertices are counted from 0; there is {int(array.min())} to {int(array.max())}")
    return array.astype(numpy.uint32)


def _groups(groups: Mapping[str, Any], count: int, path: str) -> Dict[str, Any]:
    """Vertices of each group, given as indices or as truth values."""
    made: Dict[str, Any] = {}
    for name, members in groups.items():
        array = numpy.asarray(members)
        if array.dtype == numpy.bool_:
            if array.shape != (count,):
                raise ValueError(f"{path}.{name}: the shape is {array.shape}, expected ({count},)")
            array = numpy.flatnonzero(array)
        made[name] = _indices(array, f"{path}.{name}")
    return made
