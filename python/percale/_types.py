"""Types of what simulations tell."""

from __future__ import annotations

from typing import TypedDict

import numpy
import numpy.typing


class Contacts(TypedDict):
    """Contacts of a step: four vertices each, a vertex and the corners of a triangle, or the ends of two edges."""

    objects: numpy.typing.NDArray[numpy.int32]
    """(contacts, 4): object of each vertex, by its place in `objects`."""
    vertices: numpy.typing.NDArray[numpy.int32]
    """(contacts, 4): vertices in file order of their objects."""
    weights: numpy.typing.NDArray[numpy.float64]
    """(contacts, 4): weights in the vector between the closest points, positive on the side that the normal pushes."""
    normals: numpy.typing.NDArray[numpy.float64]
    """(contacts, 3): unit normals."""
    gaps: numpy.typing.NDArray[numpy.float64]
    """(contacts,): distance less the thickness [m]."""
    forces: numpy.typing.NDArray[numpy.float64]
    """(contacts,): force along the normal [N]."""
