# SPDX-License-Identifier: MIT
"""Moves a character on the CPU, by the same palettes and the same blend as the GPU does."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _library
from ._library import Error, Owner, library, view
from .character import Character, Floats, Pose, joint_memory, numbers

_ORDERS = {"character": 0, "model": 1}
_DETAILS = {"full": 0, "linear_blend": 1}


def _array(array: np.ndarray | None, columns: int, count: int, name: str) -> tuple[int, int]:
    """Returns address and stride of an array of the caller's that the library writes to; 0, 0 for none."""
    if array is None:
        return 0, 0
    if not isinstance(array, np.ndarray):
        raise Error(f"{name} is a {type(array).__name__}, and must be a NumPy array")
    if array.dtype != np.dtype("<f4"):
        raise Error(f"{name} is of the type {array.dtype}, and must be of float32")
    if array.ndim != 2 or array.shape[1] != columns:
        raise Error(f"{name} has the shape {array.shape}, and must have ({count}, {columns})")
    if array.shape[0] != count:
        raise Error(f"{name} has {array.shape[0]} vertices, and there are {count}")
    if not array.flags.writeable:
        raise Error(f"{name} cannot be written to")
    stride = array.strides[0] if count > 1 else 4 * columns
    if array.strides[1] != 4 or stride < 4 * columns or stride % 4 != 0 or stride >= 2**32:
        raise Error(
            f"{name} has the strides {array.strides}, and the {columns} numbers of a vertex must lie side by side"
        )
    if not array.flags.aligned:
        raise Error(f"{name} is not aligned")
    return array.ctypes.data, stride


def _part(place: tuple[int, int], first: int) -> _library.pelt_vertex_array:
    address, stride = place
    return _library.pelt_vertex_array(address + first * stride if address else None, stride, 0)


class Evaluator(Owner):
    """One posed copy of a character. At first it is in the rest pose.

    Calls from several threads take turns. Close it by close() or `with`, or leave that to Python.
    """

    _what = "evaluator"

    def __init__(
        self,
        character: Character,
        *,
        normals: bool = True,
        tangents: bool = True,
        recomputed_normals: bool = False,
        morphs: bool = True,
        same_everywhere: bool = False,
    ) -> None:
        """Takes all memory.

        `recomputed_normals`: from the posed triangles. `same_everywhere`: the same bits on every processor, slower.
        """
        if not isinstance(character, Character):
            raise Error(f"an evaluator is made of a pelt.Character, and this is a {type(character).__name__}")
        options = _library.pelt_evaluator_options(
            normal_mode=int(recomputed_normals),
            no_normals=int(not normals),
            no_tangents=int(not tangents),
            no_morphs=int(not morphs),
            same_everywhere=int(same_everywhere),
        )
        self._lock = threading.RLock()
        handle = character.handle  # kept until the call is over, whoever closes the character meanwhile
        self._handle = library().make(
            "pelt_evaluator_create", "pelt_evaluator_destroy", handle.pointer, ctypes.byref(options)
        )
        self._meshes = character.meshes
        self._names = {
            "control": {control.name: c for c, control in enumerate(character.controls)},
            "stream": {stream.name: s for s, stream in enumerate(character.streams)},
            "mesh": {mesh.name: m for m, mesh in enumerate(self._meshes)},
        }
        self._skins = [m for m, mesh in enumerate(self._meshes) if not mesh.control]

    def close(self) -> None:
        """Gives the evaluator back. Using it is an error from now on; views of it stay."""
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
            raise Error(f"{what} is {name}")
        return name

    # ---------------------------------------------------------------------------------------------- what it is given

    def pose(self, joints: npt.ArrayLike | Pose) -> None:
        """Sets the joint matrices, joint to model space, shape (joints, 4, 4); of a Pose also the inputs."""
        with self._lock:
            if isinstance(joints, Pose):
                self.set_inputs(joints.inputs)
                joints = joints.joints
            memory = joint_memory(joints)
            self._call("pelt_evaluator_pose", memory.ctypes.data, len(memory))

    def set_inputs(self, values: npt.ArrayLike) -> None:
        """Sets all inputs at once, as Pose.inputs has them."""
        array = np.ascontiguousarray(numbers(values, "inputs"), np.float32)
        if array.ndim != 1:
            raise Error(f"inputs have the shape {array.shape}, and must be a list of numbers")
        self._call("pelt_evaluator_inputs", array.ctypes.data, len(array))

    def set_control(self, control: str | int, value: float) -> None:
        """Sets a weight of a morph target, a twist in radians, or an expression."""
        self._call("pelt_evaluator_control", self._index("control", control), value)

    def set_stream(self, stream: str | int, positions: npt.ArrayLike) -> None:
        """Sets the vertices of a streamed control mesh, model space, metres, shape (vertices, 3)."""
        array = np.ascontiguousarray(numbers(positions, "positions"), np.float32)
        if array.ndim != 2 or array.shape[1] != 3:
            raise Error(f"positions have the shape {array.shape}, and must have (vertices, 3)")
        self._call("pelt_evaluator_stream", self._index("stream", stream), array.ctypes.data, len(array))

    def set_detail(self, detail: str) -> None:
        """Moves by the deformers, "full", or by the model's own weights, "linear_blend", if all skins have some."""
        if detail not in _DETAILS:
            raise Error(f"there is no detail '{detail}'; there are: {', '.join(_DETAILS)}")
        self._call("pelt_evaluator_detail", _DETAILS[detail])

    def advance(self, seconds: float) -> None:
        """Adds to the time of secondary action, once a frame."""
        self._call("pelt_evaluator_advance", seconds)

    def teleport(self) -> None:
        """Has secondary action start at rest in the next evaluation."""
        self._call("pelt_evaluator_teleport")

    # ------------------------------------------------------------------------------------------------ what it gives

    def evaluate(self) -> None:
        """Moves all meshes; positions, normals and tangents have the result."""
        self._call("pelt_evaluator_evaluate")

    def _evaluated(self, name: str, columns: int) -> Floats:
        info = _library.pelt_evaluated()
        with self._lock:
            handle = self.handle
            self._call("pelt_evaluator_get_evaluated", ctypes.byref(info))
        address = getattr(info, name)
        if address is None and info.vertex_count != 0:
            raise Error(f"the evaluator was made without {name}")
        return view(handle, address, (int(info.vertex_count), columns))

    @property
    def positions(self) -> Floats:
        """The vertices of all meshes in the character's order: a view, which each evaluation changes."""
        return self._evaluated("positions", 3)

    @property
    def normals(self) -> Floats:
        return self._evaluated("normals", 3)

    @property
    def tangents(self) -> Floats:
        """x, y, z and the handedness."""
        return self._evaluated("tangents", 4)

    def vertices(
        self,
        out: np.ndarray | None = None,
        *,
        normals: np.ndarray | None = None,
        tangents: np.ndarray | None = None,
        mesh: str | int | None = None,
        order: str = "model",
    ) -> Floats:
        """Writes what was evaluated last into float32 arrays of the caller's, and returns that of the positions.

        Without `mesh` they are those of all skins, one after the other. `order`: "model", in which the model has them,
        or "character", in which Mesh.triangles counts them. The arrays may be parts of larger ones, such as columns of
        a vertex buffer, as long as the numbers of a vertex lie side by side. Without `out` a new array is made.
        """
        if order not in _ORDERS:
            raise Error(f"there is no order '{order}'; there are: {', '.join(_ORDERS)}")
        meshes = self._skins if mesh is None else [self._index("mesh", mesh)]
        if mesh is not None and meshes[0] >= len(self._meshes):
            raise Error(f"mesh {meshes[0]} of {len(self._meshes)}")
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
                arrays = _library.pelt_vertex_arrays(
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
        """Sets the pose if one is given, lets `seconds` pass, evaluates, and gives vertices() all else."""
        with self._lock:
            if joints is not None:
                self.pose(joints)
            self.advance(seconds)
            self.evaluate()
            return self.vertices(out, normals=normals, tangents=tangents, mesh=mesh, order=order)
