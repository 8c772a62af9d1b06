# SPDX-License-Identifier: MIT
"""Shape keys and their drivers as morph targets and correctives, Corrective Smooth as surface FFD: every vertex."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import addon
import bpy
import compare
import face_case
import numpy
import shape_cases

FRAMES = list(range(0, 25))


def keys():
    for case in shape_cases.KEYS:
        _, skin = case()
        of_blender = compare.blender_frames([skin], FRAMES)["skin"]
        file = addon.export(f"{case.__name__}.glb")
        of_pelt = compare.pelt_frames(file, "bend", FRAMES)["skin"]
        distances = compare.distances(of_blender, of_pelt) / compare.size(of_blender)
        from pelt_deformers import glb

        rig = glb.File(file).rig()
        print(f"PRINT {case.__name__}: {json.dumps(rig.get('correctives'))}")
        addon.expect(
            bool(rig.get("correctives")) == case.__name__.startswith("driven_key"),
            "drivers of bones become correctives",
        )
        addon.figure(case.__name__, distances.max(), 1e-4)


def what_cannot_be_carried_is_said():
    shape_cases.driven_by_property()
    addon.enable()
    bpy.ops.pelt.check()
    said = [item.text for item in bpy.context.scene.pelt.findings]
    addon.expect(any("control 'skin/smile'" in text for text in said), f"{said}")
    armature, skin, key = shape_cases.skin_with_key("square")
    shape_cases.drive(armature, skin, key, "turn * turn")
    addon.enable()
    bpy.ops.pelt.check()
    said = [item.text for item in bpy.context.scene.pelt.findings]
    addon.expect(any("does not rise in a straight line" in text for text in said), f"{said}")


def fitted():
    for case, limit in FITTED:
        armature, skin = case()
        of_blender = compare.blender_frames([skin], FRAMES)["skin"]
        file = addon.export(f"{case.__name__}.glb")
        size = compare.size(of_blender)
        found = {"fitted": compare.pelt_frames(file, "bend", FRAMES)["skin"]}
        for deformer in ("linear-blend", "surface-ffd"):
            found[deformer] = compare.pelt_frames(file, "bend", FRAMES, (), "--deformer", deformer)["skin"]
        worst = {name: compare.distances(of_blender, points) / size for name, points in found.items()}
        for name, distances in worst.items():
            print(
                f"PRINT {case.__name__} {name}: max {distances.max():.4f}, root of the mean square "
                f"{numpy.sqrt((distances ** 2).mean()):.5f} of the size"
            )
        from pelt_deformers import glb

        print(f"PRINT {case.__name__}: {sum(len(c['poses']) for c in glb.File(file).rig()['correctives'])} shapes")
        addon.figure(case.__name__, worst["fitted"].max(), limit)
        addon.expect(worst["fitted"].max() < worst["linear-blend"].max() / 2, "far nearer than linear blend")
        addon.expect(skin.data.shape_keys is None and "fitted" not in skin.data.name, "the mesh is as it was")


def face():
    """A face with everything: jaw, keyed shapes, a driven one, and Corrective Smooth, which acts on the shapes, too."""
    for smooth, limit in ((False, 1e-4), (True, 0.03)):
        _, skin = face_case.face(smooth)
        of_blender = compare.blender_frames([skin], FRAMES)["face"]
        distances = compare.distances(of_blender, compare.pelt_frames(addon.export("face.glb"), "talk", FRAMES)["face"])
        size = compare.size(of_blender)
        print(
            f"PRINT face, {'with' if smooth else 'without'} Corrective Smooth: root of the mean square "
            f"{numpy.sqrt((distances ** 2).mean()) / size:.2e}"
        )
        addon.figure(f"face {'smooth' if smooth else ''}", distances.max() / size, limit)


FITTED = (
    (shape_cases.corrective_smooth, 0.01),
    (shape_cases.corrective_smooth_two_joints, 0.02),
    (shape_cases.corrective_smooth_preserve_volume, 0.01),
    (shape_cases.lattice_on_a_bone, 0.02),
)

addon.run([keys, what_cannot_be_carried_is_said, fitted, face])
