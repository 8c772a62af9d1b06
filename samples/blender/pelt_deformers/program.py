# SPDX-License-Identifier: MIT
"""Runs the command line `pelt`, from the path in the preferences or the environment."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile

import bpy

from . import glb


NO_DEVICE = 3  # exit code of `pelt`


class ProgramError(RuntimeError):
    """The error message of the command line, one sentence."""


class NoDevice(ProgramError):
    """There is no usable Vulkan device."""


def path():
    """The path of `pelt`, or an empty text."""
    addon = bpy.context.preferences.addons.get(__package__)
    said = bpy.path.abspath(addon.preferences.program) if addon and addon.preferences.program else ""
    said = said or os.environ.get("PELT_PROGRAM", "")
    if said:
        return said if os.path.isfile(said) and os.access(said, os.X_OK) else ""
    return shutil.which("pelt") or ""


def run(*arguments):
    """Runs `pelt` and returns what it printed."""
    done = subprocess.run([found(), *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return _printed(done.returncode, arguments[0], done.stdout, done.stderr)


def steps(*arguments):
    """Runs `pelt` with --progress; yields the finished share, 0 to 1; returns what it printed. If closed, ends it."""
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("output", "errors")]
        with open(names[0], "w") as output, open(names[1], "w") as errors:
            command = [found(), *arguments, "--progress"]
            program = subprocess.Popen(command, stdout=output, stderr=errors, stdin=subprocess.DEVNULL)
        try:
            while program.poll() is None:
                yield max((float(share) / 100 for share in re.findall(r"(?m)^(\d+)% ", _text(names[1]))), default=0.0)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    program.wait(0.1)
        finally:
            if program.poll() is None:
                program.terminate()
                program.wait()
        return _printed(program.returncode, arguments[0], *map(_text, names))


def _text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def found():
    """The path of `pelt`; raises ProgramError without one."""
    program = path()
    if not program:
        raise ProgramError("pelt was not found: set its path in the add-on's preferences")
    return program


def _printed(code, command, output, errors):
    if code:
        kind = NoDevice if code == NO_DEVICE else ProgramError
        lines = [line for line in errors.strip().splitlines() if not re.match(r"\d+% ", line)]
        raise kind(lines[-1] if lines else f"pelt {command} ended with {code}")
    return output


def bind(file):
    """Binds a .glb by the rig in it, puts the character into it, and returns the report."""
    return json.loads(run("bind", file, "-o", file, "--json"))


def clips(file):
    """[(name, seconds)] of the clips of a file."""
    return [(clip["name"], clip["duration"]) for clip in json.loads(run("info", file, "--json"))["clips"]]


def deformed(file, clip, first, last, fps, caches=()):
    """Returns frames x points x 3 of a file's skins, in metres with y up, in a clip or, without one, at rest.

    `caches` are (mesh, .pc2) pairs of streamed drivers.
    """
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "deformed.pc2")
        options = ["--frames", f"{first}:{last}", "--fps", f"{fps:g}"] if clip or caches else ["--time", "0"]
        if clip:
            options += ["--clip", clip]
        for mesh, points in caches:
            options += ["--cache", f"{mesh}={points}"]
        try:
            run("deform", file, *options, "-o", cache)
        except NoDevice:
            run("deform", file, *options, "--backend", "cpu", "-o", cache)  # gives the same result
        return glb.read_cache(cache).copy()
