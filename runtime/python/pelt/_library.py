# SPDX-License-Identifier: MIT
"""The C API through ctypes: loads both libraries, checks their versions, and turns their errors into Error."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import weakref
from collections.abc import Callable
from ctypes import POINTER, Structure, c_char_p, c_double, c_float, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

ABI = 3  # PELT_ABI_VERSION
BINDER_ABI = 2  # PELT_BINDER_ABI_VERSION

NONE = 0xFFFFFFFF  # PELT_NONE


class Error(Exception):
    """An error of Pelt, in one sentence.

    `result` is the library's PELT_ERROR_... number, or 0 if this package found the error.
    """

    def __init__(self, message: str, result: int = 0) -> None:
        super().__init__(message)
        self.result = result


class Sized(Structure):
    """A struct of the library that begins with its size. Subclasses have the names of pelt.h."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(struct_size=ctypes.sizeof(self), **fields)


def _fields(kind: Any, names: str) -> list[tuple[str, Any]]:
    """Returns fields of one type."""
    return [(name, kind) for name in names.split()]


class pelt_character_info(Sized):
    _fields_ = [
        *_fields(c_uint32, "struct_size joint_count mesh_count clip_count stream_count control_count"),
        *_fields(c_uint32, "input_count vertex_count"),
        ("size", c_float),
        *_fields(c_float * 3, "least greatest"),
        ("coarsest_level", c_uint32),
        ("name", c_char_p),
        *_fields(c_uint32, "material_count reserved"),
    ]


class pelt_joint_info(Sized):
    _fields_ = [
        *_fields(c_uint32, "struct_size parent"),
        ("name", c_char_p),
        ("rest", c_float * 10),
        ("inverse_bind", c_void_p),
    ]


class pelt_mesh_info(Sized):
    _fields_ = [
        *_fields(c_uint32, "struct_size control vertex_count triangle_count"),
        ("name", c_char_p),
        *_fields(c_void_p, "triangles uvs source_vertex rest_positions"),
        *_fields(c_uint32, "first_vertex part_count"),
        ("parts", c_void_p),
    ]


class pelt_material_info(Sized):
    _fields_ = [*_fields(c_uint32, "struct_size reserved"), ("name", c_char_p), ("base_color", c_float * 4)]


class pelt_clip_info(Sized):
    _fields_ = [("struct_size", c_uint32), ("duration", c_float), ("name", c_char_p)]


class pelt_stream_info(Sized):
    _fields_ = _fields(c_uint32, "struct_size mesh vertex_count first_input")


class pelt_control_info(Sized):
    _fields_ = [*_fields(c_uint32, "struct_size kind input"), ("rest", c_float), ("name", c_char_p)]


class pelt_evaluator_options(Sized):
    _fields_ = [
        *_fields(c_uint32, "struct_size normal_mode no_normals no_tangents no_morphs same_everywhere"),
        *_fields(c_void_p, "for_ranges for_ranges_user"),
    ]


class pelt_evaluated(Sized):
    _fields_ = [*_fields(c_uint32, "struct_size vertex_count"), *_fields(c_void_p, "positions normals tangents")]


class pelt_vertex_array(Structure):
    _fields_ = [("values", c_void_p), *_fields(c_uint32, "stride reserved")]


class pelt_vertex_arrays(Sized):
    _fields_ = [
        *_fields(c_uint32, "struct_size vertex_count"),
        *_fields(pelt_vertex_array, "positions normals tangents"),
    ]


Progress = ctypes.CFUNCTYPE(None, c_void_p, c_double, c_char_p)
Write = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class pelt_binder_bind_options(Sized):
    _fields_ = [
        *_fields(c_uint32, "struct_size threads"),
        *_fields(c_char_p, "rig rig_text preset deformer driver weights_of"),
        *_fields(c_uint32, "check keep_vertex_order any_file paint"),
        ("user", c_void_p),
        ("progress", Progress),
        ("stop", POINTER(c_uint32)),
    ]


class pelt_binder_quality_options(Sized):
    _fields_ = [
        *_fields(c_uint32, "struct_size deformer_count"),
        ("deformers", POINTER(c_char_p)),
        *_fields(c_char_p, "rig rig_text"),
        *_fields(c_uint32, "poses frames clips no_fallback"),
        ("user", c_void_p),
        ("progress", Progress),
        *_fields(c_uint32, "any_file reserved"),
        ("stop", POINTER(c_uint32)),
    ]


_HANDLE_OUT = POINTER(c_void_p)
# Arguments of the functions that return a pelt_result.
_FUNCTIONS: dict[str, list[Any]] = {
    "pelt_character_load": [c_char_p, _HANDLE_OUT],
    "pelt_character_load_memory": [c_void_p, c_size_t, c_char_p, _HANDLE_OUT],
    "pelt_character_save": [c_void_p, c_char_p],
    "pelt_character_save_memory": [c_void_p, c_void_p, Write],
    "pelt_character_at_level": [c_void_p, c_uint32, _HANDLE_OUT],
    "pelt_character_get_info": [c_void_p, POINTER(pelt_character_info)],
    "pelt_character_get_joint": [c_void_p, c_uint32, POINTER(pelt_joint_info)],
    "pelt_character_get_mesh": [c_void_p, c_uint32, POINTER(pelt_mesh_info)],
    "pelt_character_get_material": [c_void_p, c_uint32, POINTER(pelt_material_info)],
    "pelt_character_get_clip": [c_void_p, c_uint32, POINTER(pelt_clip_info)],
    "pelt_character_get_stream": [c_void_p, c_uint32, POINTER(pelt_stream_info)],
    "pelt_character_get_control": [c_void_p, c_uint32, POINTER(pelt_control_info)],
    "pelt_character_find_joint": [c_void_p, c_char_p, POINTER(c_uint32)],
    "pelt_character_find_clip": [c_void_p, c_char_p, POINTER(c_uint32)],
    "pelt_character_find_stream": [c_void_p, c_char_p, POINTER(c_uint32)],
    "pelt_character_find_control": [c_void_p, c_char_p, POINTER(c_uint32)],
    "pelt_character_rest_pose": [c_void_p, c_void_p, c_uint32],
    "pelt_character_sample_clip": [c_void_p, c_uint32, c_float, c_void_p, c_uint32],
    "pelt_character_rest_transforms": [c_void_p, c_void_p, c_uint32],
    "pelt_character_sample_transforms": [c_void_p, c_uint32, c_float, c_void_p, c_uint32],
    "pelt_character_place_joints": [c_void_p, c_void_p, c_void_p, c_uint32],
    "pelt_character_rest_inputs": [c_void_p, c_void_p, c_uint32],
    "pelt_character_sample_inputs": [c_void_p, c_uint32, c_float, c_void_p, c_uint32],
    "pelt_evaluator_create": [c_void_p, POINTER(pelt_evaluator_options), _HANDLE_OUT],
    "pelt_evaluator_pose": [c_void_p, c_void_p, c_uint32],
    "pelt_evaluator_inputs": [c_void_p, c_void_p, c_uint32],
    "pelt_evaluator_stream": [c_void_p, c_uint32, c_void_p, c_uint32],
    "pelt_evaluator_control": [c_void_p, c_uint32, c_float],
    "pelt_evaluator_detail": [c_void_p, c_uint32],
    "pelt_evaluator_advance": [c_void_p, c_float],
    "pelt_evaluator_teleport": [c_void_p],
    "pelt_evaluator_evaluate": [c_void_p],
    "pelt_evaluator_get_evaluated": [c_void_p, POINTER(pelt_evaluated)],
    "pelt_evaluator_get_vertices": [c_void_p, c_uint32, c_uint32, POINTER(pelt_vertex_arrays)],
}
_DESTROY = ["pelt_character_destroy", "pelt_evaluator_destroy"]
_BINDER_FUNCTIONS: dict[str, list[Any]] = {
    "pelt_binder_bind": [c_char_p, POINTER(pelt_binder_bind_options), _HANDLE_OUT],
    "pelt_binder_quality": [c_char_p, POINTER(pelt_binder_quality_options), _HANDLE_OUT],
    "pelt_binder_get_character": [c_void_p, POINTER(c_void_p), POINTER(c_size_t)],
    "pelt_binder_get_report": [c_void_p, POINTER(c_void_p), POINTER(c_size_t)],
}
_BINDER_DESTROY = ["pelt_binder_output_destroy"]


class Library:
    """A library whose functions raise Error: `library.call(name, arguments...)`."""

    def __init__(self, file: str, prefix: str, abi: int, functions: dict[str, list[Any]], destroy: list[str]) -> None:
        try:
            self._functions = ctypes.CDLL(file)
        except OSError as error:
            raise Error(f"{file}: cannot be loaded: {error}") from None
        self.file = file
        self._last_error = self._function(f"{prefix}_last_error", [], c_char_p)
        found = int(self._function(f"{prefix}_abi_version", [], c_uint32)())
        if found != abi:
            raise Error(f"{file}: the library has ABI {found}; this package needs ABI {abi}")
        self.version = os.fsdecode(self._function(f"{prefix}_version_string", [], c_char_p)())
        self._calls = {name: self._function(name, arguments, c_int32) for name, arguments in functions.items()}
        self.destroy = {name: self._function(name, [c_void_p], None) for name in destroy}

    def _function(self, name: str, arguments: list[Any], result: Any) -> Any:
        try:
            function = getattr(self._functions, name)
        except AttributeError:
            raise Error(f"{self.file}: the library has no {name}: it is older, or not Pelt's") from None
        function.argtypes = arguments
        function.restype = result
        return function

    def call(self, name: str, *arguments: Any) -> None:
        result = self._calls[name](*arguments)
        if result != 0:
            raise Error(self._last_error().decode(errors="replace"), result)

    def make(self, name: str, destroy: str, *arguments: Any) -> Handle:
        """Calls a function whose last parameter receives a handle."""
        made = c_void_p()
        self.call(name, *arguments, ctypes.byref(made))
        return Handle(made, self.destroy[destroy])


class Handle:
    """Owns a handle of the library: destroys it with the last reference to this object."""

    def __init__(self, pointer: c_void_p, destroy: Callable[[c_void_p], None]) -> None:
        self.pointer = pointer
        # Not at exit: the process frees the memory anyway, and a thread may still use it.
        weakref.finalize(self, destroy, pointer).atexit = False


Owned = TypeVar("Owned", bound="Owner")


class Owner:
    """An object of the library. close(), or the end of `with`, releases its handle."""

    _what = ""  # its name in errors
    _handle: Handle | None

    def close(self) -> None:
        raise NotImplementedError

    @property
    def closed(self) -> bool:
        return self._handle is None

    @property
    def handle(self) -> Handle:
        """The library's handle; raises Error if this is closed."""
        if self._handle is None:
            raise Error(f"the {self._what} is closed")
        return self._handle

    def __enter__(self: Owned) -> Owned:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Memory:
    """Memory of the library for numpy.asarray(). The array keeps this object alive, which keeps the handle alive."""

    def __init__(self, owner: Handle, address: int, shape: tuple[int, ...], kind: str) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "typestr": kind}


def view(owner: Handle, address: int | None, shape: tuple[int, ...], kind: str = "<f4") -> np.ndarray:
    """Returns memory of the library as a read-only array, without a copy."""
    if not address:
        return np.empty(shape, np.dtype(kind)) if 0 in shape else np.zeros(shape, np.dtype(kind))
    return np.asarray(Memory(owner, address, shape, kind))


def encode(text: str | os.PathLike[str]) -> bytes:
    name = os.fsencode(text)
    if b"\0" in name:
        raise Error(f"{text!r} contains a null character")
    return name


def decode(text: bytes | None) -> str:
    return (text or b"").decode(errors="replace")


_lock = threading.RLock()


def _file(beside: str, name: str, abi: int) -> str:
    """Returns the library in the folder of `beside`, or else a name for the system to search."""
    if os.sep in beside:
        for candidate in (Path(beside).parent / name, Path(beside).parent / f"{name}.{abi}"):
            if candidate.exists():
                return str(candidate)
    return f"{name}.{abi}"


@functools.lru_cache(maxsize=None)
def _load() -> Library:
    file = os.environ.get("PELT_LIBRARY") or _file(__file__, "libpelt.so", ABI)
    return Library(file, "pelt", ABI, _FUNCTIONS, _DESTROY)


@functools.lru_cache(maxsize=None)
def _load_binder() -> Library:
    file = _file(_load().file, "libpelt_binder.so", BINDER_ABI)
    return Library(file, "pelt_binder", BINDER_ABI, _BINDER_FUNCTIONS, _BINDER_DESTROY)


def library() -> Library:
    """Returns libpelt.so: from the environment variable PELT_LIBRARY, from this package, or the system's."""
    with _lock:
        return _load()


def binder() -> Library:
    """Returns libpelt_binder.so: from the folder of libpelt.so, or the system's."""
    with _lock:
        return _load_binder()


def version() -> str:
    """Returns the version of the loaded library, for example "0.1.0"."""
    return library().version


def library_path() -> str:
    """Returns the file of the loaded library, or only its name if the system found it."""
    return library().file
