# SPDX-License-Identifier: MIT
"""Bendy bones, case by case: as a curve skeleton, and baked as plain joints; every vertex against Blender's."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import addon  # noqa: E402
import bendy_cases  # noqa: E402
import compare  # noqa: E402

FRAMES = list(range(0, 25))

# What the curve skeleton may be off, in bone lengths; docs/blender.md has the figures. Where it is large the add-on says so.
CURVES = {
    "default_handles": 0.05,
}


def as_curve_skeleton():
    for case in bendy_cases.CASES:
        _, skin = case()
        of_blender = compare.blender_frames([skin], FRAMES)
        file = addon.export(f"curves_{case.__name__}.glb")
        of_pelt = compare.pelt_frames(file, "bend", FRAMES)
        distances = compare.distances(of_blender["skin"], of_pelt["skin"])
        addon.figure(f"curves {case.__name__}", distances.max(), CURVES.get(case.__name__, 9), " bone lengths")


def as_joints():
    for case in bendy_cases.CASES:
        _, skin = case()
        of_blender = compare.blender_frames([skin], FRAMES)
        file = addon.export(f"joints_{case.__name__}.glb", bendy="JOINTS")
        of_pelt = compare.pelt_frames(file, "bend", FRAMES)
        distances = compare.distances(of_blender["skin"], of_pelt["skin"])
        addon.figure(f"joints {case.__name__}", distances.max() / compare.size(of_blender["skin"]), 1e-4)


addon.run([as_curve_skeleton, as_joints])
