# SPDX-License-Identifier: MIT
"""Bendy bones, case by case: as a curve skeleton, and baked as plain joints; every vertex against Blender's."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import addon
import bendy_cases
import compare

FRAMES = list(range(0, 25))

# What the curve skeleton may be off, in bone lengths. Where that is much the add-on says so and offers joints.
CURVES = {
    "default_handles": 0.05,
    "twist_of_90": 0.02,
    "ease_half": 0.05,
    "roll_of_60": 0.05,
    "scaled": 0.05,
    "bowed_at_rest": 0.05,
    "preserve_volume": 0.05,
    "not_connected": 0.05,
    "automatic_handles_of_others": 1e-5,
    "bends_of_30": 0.07,
    "ease_two": 0.07,
    "one_bendy_bone": 0.07,
    "bowed_in_pose": 0.1,
    "bends_of_60": 0.13,
    "absolute_handles": 0.05,
    "tangent_handles": 0.08,
    "handles_that_scale_and_ease": 0.12,
    "animated_values": 0.2,
    "relative_handles": 0.25,
}


def as_curve_skeleton():
    for case in bendy_cases.CASES:
        armature, skin = case()
        length = armature.data.bones["bone_0"].length
        of_blender = compare.blender_frames([skin], FRAMES)
        file = addon.export(f"curves_{case.__name__}.glb")
        of_pelt = compare.pelt_frames(file, "bend", FRAMES)
        distances = compare.distances(of_blender["skin"], of_pelt["skin"])
        addon.figure(f"curves {case.__name__}", distances.max() / length, CURVES[case.__name__], " bone lengths")


def as_joints():
    for case in bendy_cases.CASES:
        _, skin = case()
        of_blender = compare.blender_frames([skin], FRAMES)
        file = addon.export(f"joints_{case.__name__}.glb", bendy="JOINTS")
        of_pelt = compare.pelt_frames(file, "bend", FRAMES)
        distances = compare.distances(of_blender["skin"], of_pelt["skin"])
        addon.figure(f"joints {case.__name__}", distances.max() / compare.size(of_blender["skin"]), 1e-4)


addon.run([as_curve_skeleton, as_joints])
