# SPDX-License-Identifier: MIT
"""Preserve Volume and bendy bones: exported, bound and deformed, every vertex against Blender's."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import addon
import compare
import fixtures

FRAMES = list(range(0, 25))


def measure(file, clip, things, frames=FRAMES, drivers=()):
    """{name: frames x vertices of distances} of Pelt's skins from Blender's."""
    of_blender = compare.blender_frames(things, frames)
    of_pelt = compare.pelt_frames(file, clip, frames, drivers)
    return {name: compare.distances(of_blender[name], of_pelt[name]) for name in of_pelt}, of_blender


def preserve_volume():
    fixtures.clear()
    armature = fixtures.chain(3)
    skin = fixtures.tube(armature, length=3, blend=0.6)
    skin.modifiers[0].use_deform_preserve_volume = True
    fixtures.clip(armature, "bend", {"bone_1": (90, 40, 0), "bone_2": (0, 120, 30)})
    file = addon.export("preserve_volume.glb")
    distances, of_blender = measure(file, "bend", [skin])
    addon.figure("preserve_volume", distances["skin"].max() / compare.size(of_blender["skin"]), 1e-4)


def linear_blend():
    fixtures.clear()
    armature = fixtures.chain(3)
    skin = fixtures.tube(armature, length=3, blend=0.6)
    fixtures.clip(armature, "bend", {"bone_1": (90, 40, 0), "bone_2": (0, 120, 30)})
    file = addon.export("linear_blend.glb")
    distances, of_blender = measure(file, "bend", [skin])
    addon.figure("linear_blend", distances["skin"].max() / compare.size(of_blender["skin"]), 1e-5)


def all_influences():
    """A vertex that seven bones move keeps them all, also where the exporter would cut to four."""
    fixtures.clear()
    armature = fixtures.chain(7)
    skin = fixtures.tube(armature, length=7, rings=71, blend=1)
    for group in skin.vertex_groups:
        group.add(range(16 * 30, 16 * 41), 0.1 + 0.02 * group.index, "REPLACE")
    fixtures.clip(armature, "bend", {f"bone_{i}": (15, 0, 5 * i) for i in range(1, 7)})
    file = addon.export("influences.glb", export_all_influences=False)
    from pelt_deformers import glb

    attributes = glb.File(file).json["meshes"][0]["primitives"][0]["attributes"]
    addon.expect("JOINTS_1" in attributes, f"{sorted(attributes)}")
    distances, of_blender = measure(file, "bend", [skin])
    addon.figure("seven influences", distances["skin"].max() / compare.size(of_blender["skin"]), 1e-5)


addon.run([preserve_volume, linear_blend, all_influences])
