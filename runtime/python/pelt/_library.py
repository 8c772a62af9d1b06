# SPDX-License-Identifier: MIT
"""The C API through ctypes: loads both libraries, checks their versions, and turns their errors into Error."""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import weakref
from collections.abc import Callable
from ctypes import c_char_p, c_double, c_size_t, c_void_p
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from ._header import Header

NONE = 0xFFFFFFFF  # PELT_NONE


class Error(Exception):
    """An error of Pelt, in one sentence.

    `result` is the library's PELT_ERROR_... number, or 0 if this package found the error.
    """

    def __init__(self, message: str, result: int = 0) -> None:
        super().__init__(message)
        self.result = result


#: Functions that the library calls: keep a reference for as long as it may.
Progress = ctypes.CFUNCTYPE(None, c_void_p, c_double, c_char_p)
Write = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class Library:
    """A library whose functions raise Error: `library.call(name, arguments...)`."""

    def __init__(self, file: str, prefix: str, header: Header) -> None:
        try:
            functions = ctypes.CDLL(file)
        except OSError as error:
            raise Error(f"{file}: cannot be loaded: {error}") from None
        self.file = file
        self.new = header.new
        self.functions: dict[str, Any] = {}
        for name, (result, arguments) in header.functions.items():
            try:
                function = getattr(functions, name)
            except AttributeError:
                raise Error(f"{file}: the library has no {name}: it is older, or not Pelt's") from None
            function.restype, function.argtypes = result, arguments
            self.functions[name] = function
            if name == f"{prefix}_abi_version" and function() != header.abi:
                raise Error(f"{file}: the library has ABI {function()}; this package needs ABI {header.abi}")
        self.version = os.fsdecode(self.functions[f"{prefix}_version_string"]())
        self._last_error = self.functions[f"{prefix}_last_error"]

    def call(self, name: str, *arguments: Any) -> None:
        result = self.functions[name](*arguments)
        if result != 0:
            raise Error(self._last_error().decode(errors="replace"), result)

    def make(self, name: str, destroy: str, *arguments: Any) -> Handle:
        """Calls a function whose last parameter receives a handle."""
        made = c_void_p()
        self.call(name, *arguments, ctypes.byref(made))
        return Handle(made, self.functions[destroy])


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
    header = Header("pelt.h")
    return Library(os.environ.get("PELT_LIBRARY") or _file(__file__, "libpelt.so", header.abi), "pelt", header)


@functools.lru_cache(maxsize=None)
def _load_binder() -> Library:
    header = Header("pelt_binder.h")
    return Library(_file(_load().file, "libpelt_binder.so", header.abi), "pelt_binder", header)


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
