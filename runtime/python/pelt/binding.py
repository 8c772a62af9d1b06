# SPDX-License-Identifier: MIT
"""Binds and learns models, and measures deformers on them, like `pelt bind`, `pelt learn` and `pelt quality`."""

from __future__ import annotations

import ctypes
import json
import os
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from . import _library
from ._library import Error, Handle, binder, encode
from .character import Character, load

Path = str | os.PathLike[str]
#: The path of a rig file, its text, or its JSON.
Rig = str | os.PathLike[str] | Mapping[str, Any]

_POSES = {"any": 0, "clips": 1, "samples": 2}


class Bound(NamedTuple):
    """A character, and the report of bind: the JSON of `pelt bind --json` (docs/cli.md)."""

    character: Character
    report: dict[str, Any]


def _call(function: str, model: Path, options: Any, progress: Callable[[float, str], None] | None) -> Handle:
    """Calls a function of the library on another thread, while this one calls `progress` and handles Ctrl-C.

    An exception of `progress`, or KeyboardInterrupt, stops the call, and is raised after the call has ended.
    """
    told: queue.SimpleQueue[tuple[float, str] | None] = queue.SimpleQueue()
    made: list[Handle] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            made.append(binder().make(function, "pelt_binder_output_destroy", encode(model), ctypes.byref(options)))
        except BaseException as raised:  # noqa: B902: raised again in the waiting thread
            failed.append(raised)
        told.put(None)

    stop = ctypes.c_uint32(0)
    options.stop = ctypes.addressof(stop)
    tell = _library.Progress(lambda _user, fraction, what: told.put((fraction, what.decode(errors="replace"))))
    if progress is not None:
        options.progress = ctypes.cast(tell, ctypes.c_void_p)
    thread = threading.Thread(target=work, name=function, daemon=True)
    try:
        thread.start()
        while True:
            try:
                step = told.get(timeout=0.05)  # Windows handles Ctrl-C only between waits
            except queue.Empty:
                continue
            if step is None:
                break
            if progress is not None:
                progress(*step)
    except BaseException as raised:
        stop.value = 1
        if thread.ident is not None:
            thread.join()
        if failed:
            raise raised from failed[0]
        raise
    thread.join()
    if failed:
        raise failed[0]
    return made[0]


def _name(given: Path | None) -> bytes | None:
    return None if given is None else encode(given)


def _rig(rig: Rig | None) -> dict[str, bytes | None]:
    """Returns the option `rig` or `rig_text`."""
    if rig is None:
        return {}
    if isinstance(rig, Mapping):
        return {"rig_text": json.dumps(rig).encode()}
    if isinstance(rig, str) and rig.lstrip().startswith("{"):
        return {"rig_text": encode(rig)}
    return {"rig": encode(rig)}


def _report(output: Handle) -> Any:
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    binder().call("pelt_binder_get_report", output.pointer, ctypes.byref(text), ctypes.byref(size))
    return json.loads(ctypes.string_at(text, size.value))


def _bound(model: Path, options: Any, progress: Callable[[float, str], None] | None) -> Bound:
    output = _call("pelt_binder_bind", model, options, progress)
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    binder().call("pelt_binder_get_character", output.pointer, ctypes.byref(data), ctypes.byref(size))
    memory = memoryview((ctypes.c_char * size.value).from_address(data.value or 0))
    return Bound(load(memory, os.fsdecode(model)), _report(output))


def bind(
    model: Path,
    *,
    rig: Rig | None = None,
    preset: str | None = None,
    deformer: str | None = None,
    driver: Path | None = None,
    weights_of: Path | None = None,
    paint: bool = False,
    fallback: bool = True,
    check: bool = True,
    keep_vertex_order: bool = False,
    any_file: bool = False,
    threads: int = 0,
    progress: Callable[[float, str], None] | None = None,
) -> Bound:
    """Binds a model, a file or one such as "builtin:biped", like `pelt bind` with the options of these names.

    `rig`: a rig file, its text, or its JSON; set at most one of `rig`, `preset` and `deformer`. `fallback` and `check`:
    False is --no-fallback and --no-check. `any_file`: models and rigs may name files outside of their folders.
    `progress` gets the finished fraction, 0 to 1, and the name of the current step; an exception of it, or Ctrl-C,
    stops the bind.
    """
    if threads < 0:
        raise Error(f"threads is {threads}, and must be 0 or more")
    options = binder().new(
        "pelt_binder_bind_options",
        threads=threads,
        preset=_name(preset),
        deformer=_name(deformer),
        driver=_name(driver),
        weights_of=_name(weights_of),
        paint=int(paint),
        check=2 if not check else 1 if not fallback else 0,
        keep_vertex_order=int(keep_vertex_order),
        any_file=int(any_file),
        **_rig(rig),
    )
    return _bound(model, options, progress)


def learn(
    model: Path,
    caches: Sequence[tuple[Path, Path]],
    *,
    within: float = 0,
    budget: int = 0,
    fps: float = 24,
    rig: Rig | None = None,
    deformer: str | None = None,
    threads: int = 0,
    progress: Callable[[float, str], None] | None = None,
) -> Bound:
    """Binds a model and learns how its skins move, like `pelt learn` (docs/learn.md); the report is the certificate.

    `caches`: pairs of a PC2 file and the clip, or JSON file of poses, that it shows. `within`: the error to reach,
    metres; 0: 1/2000 of the size. `budget`: most bytes to add; 0: as `pelt learn`. The others are as in `bind`.
    """
    if threads < 0:
        raise Error(f"threads is {threads}, and must be 0 or more")
    if not 0 <= budget < 2**32:
        raise Error(f"budget is {budget}, and must be from 0 to {2**32 - 1}")
    if not caches:
        raise Error("there is no cache to learn from")
    names = [(ctypes.c_char_p * len(caches))(*map(encode, given)) for given in zip(*caches)]
    options = binder().new(
        "pelt_binder_bind_options",
        threads=threads,
        deformer=_name(deformer),
        cache_count=len(caches),
        budget=budget,
        caches=ctypes.cast(names[0], ctypes.c_void_p),
        poses=ctypes.cast(names[1], ctypes.c_void_p),
        fps=fps,
        within=within,
        **_rig(rig),
    )
    return _bound(model, options, progress)


def quality(
    model: Path,
    *,
    deformers: Sequence[str] = (),
    rig: Rig | None = None,
    poses: str = "any",
    frames: int = 6,
    clips: int = 10,
    fallback: bool = True,
    any_file: bool = False,
    progress: Callable[[float, str], None] | None = None,
) -> list[dict[str, Any]]:
    """Moves a model with deformers, and a rig, and compares them with linear blend (docs/quality.md).

    Returns the JSON of `pelt quality --model --json`, a row for each. `poses`: "clips", "samples", or "any".
    `any_file`, `progress`: as in bind().
    """
    if poses not in _POSES:
        raise Error(f"unknown poses '{poses}'; allowed: {', '.join(_POSES)}")
    if frames < 1 or clips < 1:
        raise Error(f"frames is {frames}, and clips is {clips}: both must be 1 or more")
    names = [encode(name) for name in ([deformers] if isinstance(deformers, str) else deformers)]
    array = (ctypes.c_char_p * len(names))(*names)
    options = binder().new(
        "pelt_binder_quality_options",
        deformer_count=len(names),
        deformers=ctypes.addressof(array),
        poses=_POSES[poses],
        frames=frames,
        clips=clips,
        no_fallback=int(not fallback),
        any_file=int(any_file),
        **_rig(rig),
    )
    output = _call("pelt_binder_quality", model, options, progress)
    rows: list[dict[str, Any]] = _report(output)
    return rows
