# SPDX-License-Identifier: MIT
"""Moves a character on the CPU, with the same palettes and blend as on the GPU."""

from __future__ import annotations

import ctypes
import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._library import NONE, Error, Owner, library, view
from .character import Character, Floats, Pose, SkinPoint, joint_memory, numbers, vector

_ORDERS = {"character": 0, "model": 1}
_DETAILS = {"full": 0, "linear_blend": 1}


def _array(array: np.ndarray | None, columns: int, count: int, name: str) -> tuple[int, int]:
    """Returns address and stride of a caller's array that the library writes to; 0, 0 for None."""
    if array is None:
        return 0, 0
    if not isinstance(array, np.ndarray):
        raise Error(f"{name} is a {type(array).__name__}, and must be a NumPy array")
    if array.dtype != np.dtype("<f4"):
        raise Error(f"{name} has the type {array.dtype}, and must have float32")
    if array.ndim != 2 or array.shape[1] != columns:
        raise Error(f"{name} has the shape {array.shape}, and must have ({count}, {columns})")
    if array.shape[0] != count:
        raise Error(f"{name} has {array.shape[0]} vertices, and must have {count}")
    if not array.flags.writeable:
        raise Error(f"{name} cannot be written to")
    stride = array.strides[0] if count > 1 else 4 * columns
    if array.strides[1] != 4 or stride < 4 * columns or stride % 4 != 0 or stride >= 2**32:
        raise Error(
            f"{name} has the strides {array.strides}, and the {columns} numbers of a vertex must be contiguous"
        )
    if not array.flags.aligned:
        raise Error(f"{name} is not aligned")
    return array.ctypes.data, stride


def _part(place: tuple[int, int], first: int) -> Any:
    address, stride = place
    return library().new("pelt_vertex_array", values=address + first * stride if address else None, stride=stride)


@dataclass(frozen=True)
class SkinHit:
    """The result of a query: the point of the skin, its posed position and how far away it is, metres."""

    point: SkinPoint
    position: Floats
    distance: float


class Evaluator(Owner):
    """One posed copy of a character, initially in the rest pose.

    Calls from several threads run one at a time. Close it with close() or `with`, or leave that to garbage collection.
    """

    _what = "evaluator"

    def __init__(
        self,
        character: Character,
        *,
        normals: bool = True,
        tangents: bool = True,
        morphs: bool = True,
        same_everywhere: bool = False,
        tension: bool = False,
    ) -> None:
        """Takes all memory.

        `same_everywhere`: slower, but the same bits on every processor.
        """
        if not isinstance(character, Character):
            raise Error(f"character is a {type(character).__name__}, and must be a pelt.Character")
        options = library().new(
            "pelt_evaluator_options",
            no_normals=int(not normals),
            no_tangents=int(not tangents),
            no_morphs=int(not morphs),
            same_everywhere=int(same_everywhere),
            tension=int(tension),
        )
        self._lock = threading.RLock()
        handle = character.handle  # keeps it alive if another thread closes the character
        self._handle = library().make(
            "pelt_evaluator_create", "pelt_evaluator_destroy", handle.pointer, ctypes.byref(options)
        )
        self._meshes = character.meshes
        self._names = {
            "control": {control.name: c for c, control in enumerate(character.controls)},
            "stream": {stream.name: s for s, stream in enumerate(character.streams)},
            "mesh": {mesh.name: m for m, mesh in enumerate(self._meshes)},
            "anchor": {anchor: a for a, anchor in enumerate(character.anchors)},
        }
        self._skins = [m for m, mesh in enumerate(self._meshes) if not mesh.control]

    def close(self) -> None:
        """Releases the evaluator. Using it afterwards is an error; views of it stay valid."""
        with self._lock:
            self._handle = None

    def _call(self, name: str, *arguments: Any) -> None:
        with self._lock:
            library().call(name, self.handle.pointer, *arguments)

    def _index(self, what: str, name: str | int) -> int:
        if isinstance(name, str):
            if name not in self._names[what]:
                raise Error(f"no {what} is called '{name}'", 2)
            return self._names[what][name]
        if name < 0:
            raise Error(f"{what} is {name}, and must be 0 or more")
        return name

    # ------------------------------------------------------------------------------------------------------------ input

    def pose(self, joints: npt.ArrayLike | Pose) -> None:
        """Sets the joint matrices, joint to model space, shape (joints, 4, 4). A Pose also sets the inputs."""
        with self._lock:
            if isinstance(joints, Pose):
                self.set_inputs(joints.inputs)
                joints = joints.joints
            memory = joint_memory(joints)
            self._call("pelt_evaluator_pose", memory.ctypes.data, len(memory))

    def set_inputs(self, values: npt.ArrayLike) -> None:
        """Sets all inputs at once, in the layout of Pose.inputs."""
        array = np.ascontiguousarray(numbers(values, "inputs"), np.float32)
        if array.ndim != 1:
            raise Error(f"inputs have the shape {array.shape}, and must be a list of numbers")
        self._call("pelt_evaluator_inputs", array.ctypes.data, len(array))

    def set_control(self, control: str | int, value: float) -> None:
        """Sets the weight of a morph target, a twist in radians, or an expression."""
        self._call("pelt_evaluator_control", self._index("control", control), value)

    def set_stream(self, stream: str | int, positions: npt.ArrayLike) -> None:
        """Sets the vertices of a streamed control mesh, model space, metres, shape (vertices, 3)."""
        array = np.ascontiguousarray(numbers(positions, "positions"), np.float32)
        if array.ndim != 2 or array.shape[1] != 3:
            raise Error(f"positions have the shape {array.shape}, and must have (vertices, 3)")
        self._call("pelt_evaluator_stream", self._index("stream", stream), array.ctypes.data, len(array))

    def set_detail(self, detail: str) -> None:
        """Selects the deformers, "full", or "linear_blend" with the model's weights, if all skins have some."""
        if detail not in _DETAILS:
            raise Error(f"unknown detail '{detail}'; allowed: {', '.join(_DETAILS)}")
        self._call("pelt_evaluator_detail", _DETAILS[detail])

    def advance(self, seconds: float) -> None:
        """Advances the clock of secondary action; call it once per frame."""
        self._call("pelt_evaluator_advance", seconds)

    def teleport(self) -> None:
        """Starts secondary action at rest in the next evaluation."""
        self._call("pelt_evaluator_teleport")

    # ----------------------------------------------------------------------------------------------------------- output

    def evaluate(self) -> None:
        """Moves all meshes; the properties positions, normals and tangents return the result."""
        self._call("pelt_evaluator_evaluate")

    def evaluate_controls(self) -> None:
        """Evaluates without moving the skins: enough for frame(), ray() and nearest()."""
        self._call("pelt_evaluator_evaluate_controls")

    def frame(
        self,
        point: SkinPoint | None = None,
        *,
        mesh: str | int = 0,
        vertex: int | None = None,
        anchor: str | int | None = None,
    ) -> Floats:
        """The frame of a point, of a vertex of a mesh in packed order, or of an anchor, in the last evaluated pose.

        Shape: (3, 4). Its columns are tangent, bitangent, normal and position in model space. It moves three vertices
        at most.
        """
        if (point is not None) + (vertex is not None) + (anchor is not None) != 1:
            raise Error("a frame is that of a point, of a vertex or of an anchor")
        rows = np.empty((3, 4), np.float32)
        if anchor is not None:
            self._call("pelt_evaluator_get_anchor", self._index("anchor", anchor), rows.ctypes.data)
            return rows
        if point is None:
            given = library().new("pelt_skin_point", mesh=self._index("mesh", mesh), triangle=NONE, vertex=vertex)
        else:
            given = library().new("pelt_skin_point", mesh=point.mesh, triangle=point.triangle)
            given.barycentric[:] = point.barycentric
        self._call("pelt_evaluator_get_frame", ctypes.byref(given), rows.ctypes.data)
        return rows

    def _find(self, name: str, *arguments: Any) -> SkinHit | None:
        hit = library().new("pelt_skin_hit")
        self._call(name, *arguments, ctypes.byref(hit))
        if not hit.found:
            return None
        return SkinHit(SkinPoint.of(hit.point), np.array(hit.position, np.float32), hit.distance)

    def ray(self, origin: npt.ArrayLike, direction: npt.ArrayLike, longest: float = math.inf) -> SkinHit | None:
        """The first point of the skin on a ray in the last evaluated pose, or None. It moves few vertices."""
        start, along = vector(origin, "origin"), vector(direction, "direction")
        return self._find("pelt_evaluator_find_on_ray", start.ctypes.data, along.ctypes.data, longest)

    def nearest(self, position: npt.ArrayLike, farthest: float = math.inf) -> SkinHit | None:
        """The point of the skin nearest to a position in the last evaluated pose, or None."""
        return self._find("pelt_evaluator_find_nearest", vector(position, "position").ctypes.data, farthest)

    def _evaluated(self, name: str, columns: int, kind: str = "<f4") -> npt.NDArray[Any]:
        info = library().new("pelt_evaluated")
        with self._lock:
            handle = self.handle
            self._call("pelt_evaluator_get_evaluated", ctypes.byref(info))
        address = getattr(info, name)
        if address is None and info.vertex_count != 0:
            raise Error(f"the evaluator was made without {name}")
        return view(handle, address, (int(info.vertex_count), columns), kind)

    @property
    def positions(self) -> Floats:
        """The vertices of all meshes in packed order: a view, which each evaluation overwrites."""
        return self._evaluated("positions", 3)

    @property
    def normals(self) -> Floats:
        """Control meshes have 0, also as tangents."""
        return self._evaluated("normals", 3)

    @property
    def tangents(self) -> Floats:
        """x, y, z and handedness."""
        return self._evaluated("tangents", 4)

    @property
    def tension(self) -> npt.NDArray[np.int8]:
        """127 log2(length / rest length) along tangent and bitangent, clamped; of all meshes in packed order."""
        return self._evaluated("tension", 2, "|i1")

    def vertices(
        self,
        out: np.ndarray | None = None,
        *,
        normals: np.ndarray | None = None,
        tangents: np.ndarray | None = None,
        mesh: str | int | None = None,
        order: str = "model",
    ) -> Floats:
        """Writes the last evaluated vertices to float32 arrays of the caller's, and returns that of the positions.

        Without `mesh` it writes all skins, one by one. `order`: "model", as in the bound model, or "character",
        the packed order of Mesh.triangles. The arrays may be parts of larger ones, such as columns of a vertex buffer,
        if the numbers of a vertex are contiguous. Without `out` a new array is made.
        """
        if order not in _ORDERS:
            raise Error(f"unknown order '{order}'; allowed: {', '.join(_ORDERS)}")
        meshes = self._skins if mesh is None else [self._index("mesh", mesh)]
        if mesh is not None and meshes[0] >= len(self._meshes):
            raise Error(f"mesh {meshes[0]} does not exist: there are {len(self._meshes)}")
        count = sum(self._meshes[m].vertex_count for m in meshes)
        if out is None:
            out = np.empty((count, 3), np.float32)
        places = (
            _array(out, 3, count, "out"),
            _array(normals, 3, count, "normals"),
            _array(tangents, 4, count, "tangents"),
        )
        first = 0
        with self._lock:
            for m in meshes:
                arrays = library().new(
                    "pelt_vertex_arrays",
                    vertex_count=self._meshes[m].vertex_count,
                    positions=_part(places[0], first),
                    normals=_part(places[1], first),
                    tangents=_part(places[2], first),
                )
                self._call("pelt_evaluator_get_vertices", m, _ORDERS[order], ctypes.byref(arrays))
                first += self._meshes[m].vertex_count
        return out

    def deform(
        self,
        joints: npt.ArrayLike | Pose | None = None,
        out: np.ndarray | None = None,
        *,
        seconds: float = 0.0,
        normals: np.ndarray | None = None,
        tangents: np.ndarray | None = None,
        mesh: str | int | None = None,
        order: str = "model",
    ) -> Floats:
        """Sets the pose if there is one, advances by `seconds`, evaluates, and returns vertices() with all else."""
        with self._lock:
            if joints is not None:
                self.pose(joints)
            self.advance(seconds)
            self.evaluate()
            return self.vertices(out, normals=normals, tangents=tangents, mesh=mesh, order=order)
