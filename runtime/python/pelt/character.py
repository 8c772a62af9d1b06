# SPDX-License-Identifier: MIT
"""Characters, which a game loads. They never change; threads may read one concurrently."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _library
from ._library import Error, Handle, Owner, decode, encode, library, view

Floats = npt.NDArray[np.float32]

#: A joint's transform relative to its parent: quaternion x, y, z, w; translation, metres; scale along its axes.
TRANSFORM = np.dtype([("rotation", "<f4", 4), ("translation", "<f4", 3), ("scale", "<f4", 3)])

_CONTROL_KINDS = {0: "morph_target", 1: "twist", 2: "expression", 3: "clock"}


@dataclass(frozen=True)
class Joint:
    """A joint of the skeleton. `inverse_bind` maps model space at bind to joint space; None if no mesh uses it."""

    name: str
    parent: int | None
    rest: np.ndarray
    inverse_bind: Floats | None


@dataclass(frozen=True)
class Mesh:
    """A skin, or a control mesh.

    The arrays are views of the character's memory. `triangles`, `uvs` and `rest_positions` are in packed order;
    `source_vertex` has the number of each vertex in the model.
    """

    name: str
    control: bool
    first_vertex: int
    vertex_count: int
    triangles: npt.NDArray[np.uint32]
    uvs: Floats | None
    rest_positions: Floats
    source_vertex: npt.NDArray[np.uint32]

    @property
    def model_triangles(self) -> npt.NDArray[np.uint32]:
        """A copy of the triangles with the model's vertex numbers, as Evaluator.deform() returns vertices."""
        return self.source_vertex[self.triangles]


@dataclass(frozen=True)
class SkinPoint:
    """A point on a triangle of a skin: `barycentric` are the shares of its corners."""

    mesh: int
    triangle: int
    barycentric: tuple[float, float, float]

    @staticmethod
    def of(point: Any) -> SkinPoint:
        return SkinPoint(point.mesh, point.triangle, tuple(point.barycentric))


@dataclass(frozen=True)
class Clip:
    name: str
    duration: float


@dataclass(frozen=True)
class Control:
    """A number that the caller sets: "morph_target", "twist", "expression" or "clock"."""

    name: str
    kind: str
    input: int
    rest: float


@dataclass(frozen=True)
class Stream:
    """A control mesh whose vertex positions the caller supplies."""

    name: str
    mesh: int
    vertex_count: int
    first_input: int


@dataclass(frozen=True)
class Pose:
    """The joints and inputs that move a character in one frame.

    `joints`: a 4 x 4 matrix per joint, joint to model space, metres: `joints[j] @ [x, y, z, 1]`. `inputs`: all other
    inputs: weights of morph targets, twists, streamed vertices.
    """

    joints: Floats
    inputs: Floats


def new_joints(count: int) -> tuple[Floats, Floats]:
    """Returns matrices, and the same memory in the library's layout, column by column."""
    memory = np.empty((count, 4, 4), np.float32)
    return memory.transpose(0, 2, 1), memory


def numbers(values: npt.ArrayLike, name: str) -> np.ndarray:
    """Returns numbers as an array that the library only reads; converts them if necessary."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise Error(f"{name} are not an array: {error}") from None
    if array.dtype.kind not in "fiu":
        raise Error(f"{name} are of the type {array.dtype}, and must be numbers")
    return array


def vector(values: npt.ArrayLike, name: str) -> Floats:
    """Returns three numbers in the library's layout."""
    array = np.ascontiguousarray(numbers(values, name), np.float32)
    if array.shape != (3,):
        raise Error(f"{name} has the shape {array.shape}, and must have (3,)")
    return array


def joint_memory(joints: npt.ArrayLike) -> Floats:
    """Returns matrices in the library's layout; without a copy if they have it, as those of Character.pose() do."""
    array = numbers(joints, "joints")
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise Error(f"joints have the shape {array.shape}, and must have (joints, 4, 4)")
    return np.ascontiguousarray(array.transpose(0, 2, 1), np.float32)


class Character(Owner):
    """A character, from load(), bind() or from_bytes().

    Its arrays are views of its memory, and keep that memory alive. Close it with close() or `with`, or let Python's
    garbage collection do so.
    """

    _what = "character"

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._info = library().new("pelt_character_info")
        self._call("pelt_character_get_info", ctypes.byref(self._info))
        self._joints: tuple[Joint, ...] | None = None
        self._meshes: tuple[Mesh, ...] | None = None

    def close(self) -> None:
        """Releases the character. Using it afterwards is an error; views of it, and evaluators, stay valid."""
        self._handle = self._joints = self._meshes = None

    def __repr__(self) -> str:
        if self._handle is None:
            return "<pelt.Character, closed>"
        info = self._info
        return f"<pelt.Character '{decode(info.name)}': {info.vertex_count} vertices, {info.joint_count} joints>"

    @property
    def _known(self) -> Any:
        _ = self.handle  # raises Error if the character is closed
        return self._info

    def _call(self, name: str, *arguments: Any) -> None:
        handle = self.handle
        library().call(name, handle.pointer, *arguments)

    def _read(self, what: str, index: int) -> Any:
        """Returns the library's struct about one joint, mesh, clip, control or stream."""
        info = library().new(f"pelt_{what}_info")
        self._call(f"pelt_character_get_{what}", index, ctypes.byref(info))
        return info

    # ---------------------------------------------------------------------------------------------------- what is in it

    @property
    def name(self) -> str:
        return decode(self._known.name)

    @property
    def size(self) -> float:
        """The diagonal of the skin's box at bind, metres."""
        return float(self._known.size)

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The least and the greatest corner of the skin's box at bind, metres."""
        return np.array(self._known.least, np.float32), np.array(self._known.greatest, np.float32)

    @property
    def vertex_count(self) -> int:
        """The number of vertices of all meshes, including control meshes."""
        return int(self._known.vertex_count)

    @property
    def input_count(self) -> int:
        return int(self._known.input_count)

    @property
    def coarsest_level(self) -> int:
        """The number of the coarsest level of detail; 0: the only one."""
        return int(self._known.coarsest_level)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The skeleton; parents come before their children."""
        handle = self.handle
        if self._joints is None:
            self._joints = tuple(self._joint(handle, j) for j in range(self._info.joint_count))
        return self._joints

    def _joint(self, handle: Handle, index: int) -> Joint:
        info = self._read("joint", index)
        inverse = view(handle, info.inverse_bind, (4, 4)).T if info.inverse_bind else None
        return Joint(
            name=decode(info.name),
            parent=None if info.parent == _library.NONE else int(info.parent),
            rest=np.frombuffer(bytes(info.rest), TRANSFORM)[0],
            inverse_bind=inverse,
        )

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        """All meshes: skins and control meshes."""
        handle = self.handle
        if self._meshes is None:
            self._meshes = tuple(self._mesh(handle, m) for m in range(self._info.mesh_count))
        return self._meshes

    def _mesh(self, handle: Handle, index: int) -> Mesh:
        info = self._read("mesh", index)
        count = int(info.vertex_count)
        return Mesh(
            name=decode(info.name),
            control=info.control != 0,
            first_vertex=int(info.first_vertex),
            vertex_count=count,
            triangles=view(handle, info.triangles, (int(info.triangle_count), 3), "<u4"),
            uvs=view(handle, info.uvs, (count, 2)) if info.uvs else None,
            rest_positions=view(handle, info.rest_positions, (count, 3)),
            source_vertex=view(handle, info.source_vertex, (count,), "<u4"),
        )

    @property
    def skins(self) -> tuple[Mesh, ...]:
        """The meshes that are drawn."""
        return tuple(mesh for mesh in self.meshes if not mesh.control)

    def _read_all(self, what: str, count: int) -> list[Any]:
        return [self._read(what, index) for index in range(count)]

    @property
    def clips(self) -> tuple[Clip, ...]:
        infos = self._read_all("clip", self._known.clip_count)
        return tuple(Clip(decode(info.name), float(info.duration)) for info in infos)

    @property
    def controls(self) -> tuple[Control, ...]:
        infos = self._read_all("control", self._known.control_count)
        return tuple(
            Control(decode(info.name), _CONTROL_KINDS.get(info.kind, "other"), int(info.input), float(info.rest))
            for info in infos
        )

    @property
    def streams(self) -> tuple[Stream, ...]:
        infos = self._read_all("stream", self._known.stream_count)
        return tuple(
            Stream(self.meshes[info.mesh].name, int(info.mesh), int(info.vertex_count), int(info.first_input))
            for info in infos
        )

    @property
    def anchors(self) -> tuple[str, ...]:
        """The names of the anchors, whose frames Evaluator.frame returns."""
        return tuple(decode(info.name) for info in self._read_all("anchor", self._known.anchor_count))

    def _find(self, what: str, name: str) -> int:
        found = ctypes.c_uint32()
        self._call(f"pelt_character_find_{what}", encode(name), ctypes.byref(found))
        return found.value

    def joint_index(self, name: str) -> int:
        return self._find("joint", name)

    def clip_index(self, name: str) -> int:
        return self._find("clip", name)

    def control_index(self, name: str) -> int:
        return self._find("control", name)

    def anchor_index(self, name: str) -> int:
        return self._find("anchor", name)

    def stream_index(self, name: str) -> int:
        return self._find("stream", name)

    def mesh_index(self, name: str) -> int:
        for index, mesh in enumerate(self.meshes):
            if mesh.name == name:
                return index
        raise Error(f"no mesh is called '{name}'", 2)

    def nearest_point(self, position: npt.ArrayLike) -> SkinPoint:
        """Returns the point of the skin nearest to a position in model space at bind, metres, for Evaluator.frame()."""
        point = library().new("pelt_skin_point")
        self._call("pelt_character_nearest_point", vector(position, "position").ctypes.data, ctypes.byref(point))
        return SkinPoint.of(point)

    # ------------------------------------------------------------------------------------------------------------ poses

    def pose(self, clip: str | int | None = None, time: float = 0.0) -> Pose:
        """Returns the rest pose, or a clip's pose at a time, seconds, clamped to its first and last key."""
        count, inputs = self._known.joint_count, np.empty(self.input_count, np.float32)
        joints, memory = new_joints(count)
        if clip is None:
            self._call("pelt_character_rest_pose", memory.ctypes.data, count)
            self._call("pelt_character_rest_inputs", inputs.ctypes.data, len(inputs))
        else:
            index = self.clip_index(clip) if isinstance(clip, str) else clip
            self._call("pelt_character_sample_clip", index, time, memory.ctypes.data, count)
            self._call("pelt_character_sample_inputs", index, time, inputs.ctypes.data, len(inputs))
        return Pose(joints, inputs)

    def transforms(self, clip: str | int | None = None, time: float = 0.0) -> np.ndarray:
        """Returns the same as transforms relative to the parents: an array of TRANSFORM that `place()` accepts."""
        made = np.empty(self._known.joint_count, TRANSFORM)
        if clip is None:
            self._call("pelt_character_rest_transforms", made.ctypes.data, len(made))
        else:
            index = self.clip_index(clip) if isinstance(clip, str) else clip
            self._call("pelt_character_sample_transforms", index, time, made.ctypes.data, len(made))
        return made

    def place(self, transforms: np.ndarray) -> Floats:
        """Returns the joint matrices of transforms relative to the parents; turns the helper joints."""
        if getattr(transforms, "dtype", None) != TRANSFORM or transforms.ndim != 1:
            raise Error("transforms must be an array of pelt.TRANSFORM, as Character.transforms() returns it")
        joints, memory = new_joints(len(transforms))
        given = np.ascontiguousarray(transforms)
        self._call("pelt_character_place_joints", given.ctypes.data, memory.ctypes.data, len(given))
        return joints

    # ------------------------------------------------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a .pelt file."""
        self._call("pelt_character_save", encode(path))

    def to_bytes(self) -> bytes:
        """Returns the bytes of a .pelt file."""
        parts: list[bytes] = []

        @_library.Write
        def write(_user: int | None, data: int, size: int) -> None:
            parts.append(ctypes.string_at(data, size))

        self._call("pelt_character_save_memory", None, write)
        return parts[0]

    def at_level(self, level: int) -> Character:
        """Returns the character with its skins at a level of detail, 0 to coarsest_level."""
        if level < 0:
            raise Error(f"level is {level}, and must be 0 or more")
        handle = self.handle  # keeps it alive if another thread closes this
        return Character(library().make("pelt_character_at_level", "pelt_character_destroy", handle.pointer, level))


def load(source: str | os.PathLike[str] | bytes | bytearray | memoryview, name: str | None = None) -> Character:
    """Loads a .pelt file, a .glb that contains a character, or the bytes of one, which errors call `name`."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        try:
            data = np.frombuffer(source, np.uint8) if len(source) else np.zeros(1, np.uint8)
        except (BufferError, ValueError) as error:
            raise Error(f"{name or 'memory'}: {error}") from None
        size = data.size if len(source) else 0
        shown = encode(name) if name is not None else None
        return Character(
            library().make("pelt_character_load_memory", "pelt_character_destroy", data.ctypes.data, size, shown)
        )
    if not isinstance(source, (str, os.PathLike)):
        raise Error(f"source is a {type(source).__name__}, and must be a path or bytes")
    return Character(library().make("pelt_character_load", "pelt_character_destroy", encode(source)))
