# SPDX-License-Identifier: MIT
"""Runs the command line `pelt`, from the path in the preferences or the environment."""
import json
import os
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
    program = path()
    if not program:
        raise ProgramError("there is no pelt at the path in the add-on's preferences")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        kind = NoDevice if done.returncode == NO_DEVICE else ProgramError
        raise kind(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"pelt {arguments[0]} failed")
    return done.stdout


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
