# SPDX-License-Identifier: MIT
"""Enables the add-on, and what tests of it share: arguments, exports, checks that can fail."""
import json
import os
import sys

import bpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../../samples/blender")]


def arguments():
    """The arguments after `--`."""
    return sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []


def work():
    """The folder that the test may write to."""
    folder = arguments()[0]
    os.makedirs(folder, exist_ok=True)
    return folder


def enable():
    """Enables the add-on in this Blender, with the `pelt` that the environment names."""
    if bpy.context.preferences.addons.get("pelt_deformers") is None:
        bpy.ops.preferences.addon_enable(module="pelt_deformers")
    if bpy.context.preferences.addons.get("pelt_deformers") is None:
        raise RuntimeError("Blender does not enable the add-on")


def export(name, bind=True, bendy="CURVES", **options):
    """Exports the scene by the add-on's operator and returns the file."""
    enable()
    panel = bpy.context.scene.pelt
    panel.bind, panel.bendy = bind, bendy
    file = os.path.join(work(), name)
    bpy.ops.pelt.export(filepath=file, options=json.dumps(options))
    return file


def refused(name="refused.glb", **options):
    """Runs an export that must be refused, and returns its error."""
    if os.path.exists(os.path.join(work(), name)):
        os.remove(os.path.join(work(), name))
    try:
        file = export(name, bind=False, **options)
    except RuntimeError as error:
        if os.path.exists(os.path.join(work(), name)):
            raise AssertionError(f"{name} was written all the same")
        return str(error)
    raise AssertionError(f"{file} was not refused")


def said(**options):
    """The sentences of a check of the scene."""
    enable()
    bpy.ops.pelt.check(**options)
    return [item.text for item in bpy.context.scene.pelt.findings]


def expect(true, sentence):
    if not true:
        raise AssertionError(sentence)
    print(f"  ok: {sentence}", flush=True)


def figure(name, value, limit, unit=""):
    """Prints a figure and fails above its limit."""
    print(f"FIGURE {name}: {value:.3g}{unit} (of {limit:g})")
    if not value <= limit:
        raise AssertionError(f"{name}: {value} is more than {limit}")


def run(tests):
    """Runs the functions of a test, or only those that further arguments name."""
    chosen = arguments()[1:]
    for test in tests:
        if chosen and test.__name__ not in chosen:
            continue
        print(f"TEST {test.__name__}")
        test()
    print("ALL PASSED")
