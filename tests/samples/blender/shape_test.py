# SPDX-License-Identifier: MIT
"""Shape keys and their drivers as morph targets and correctives, Corrective Smooth as surface FFD: every vertex."""
import json

import addon
import compare
import face_case
import numpy
import shape_cases


def keys():
    from pelt_deformers import glb

    for case in shape_cases.KEYS:
        _, skin = case()
        file = addon.export(f"{case.__name__}.glb")
        correctives = glb.File(file).rig().get("correctives")
        print(f"PRINT {case.__name__}: {json.dumps(correctives)}")
        addon.expect(bool(correctives) == case.__name__.startswith("driven_key"), "drivers of bones become correctives")
        addon.figure(case.__name__, compare.off(skin, file).max(), 1e-4)


def what_cannot_be_carried_is_said():
    shape_cases.driven_by_property()
    said = addon.said()
    addon.expect(any("control 'skin/smile'" in text for text in said), f"{said}")
    armature, skin, key = shape_cases.skin_with_key("square")
    shape_cases.drive(armature, key, "turn * turn")
    said = addon.said()
    addon.expect(any("does not rise in a straight line" in text for text in said), f"{said}")


def fitted():
    from pelt_deformers import glb

    for case, limit in FITTED:
        _, skin = case()
        file = addon.export(f"{case.__name__}.glb")
        off = {"fitted": compare.off(skin, file)}
        for deformer in ("linear-blend", "surface-ffd"):
            off[deformer] = compare.off(skin, file, options=("--deformer", deformer))
        for name, found in off.items():
            rms = numpy.sqrt((found**2).mean())
            print(f"PRINT {case.__name__} {name}: max {found.max():.4f}, root of the mean square {rms:.5f} of the size")
        print(f"PRINT {case.__name__}: {sum(len(c['poses']) for c in glb.File(file).rig()['correctives'])} shapes")
        addon.figure(case.__name__, off["fitted"].max(), limit)
        addon.expect(off["fitted"].max() < off["linear-blend"].max() / 2, "far nearer than linear blend")
        addon.expect(skin.data.shape_keys is None and "fitted" not in skin.data.name, "the mesh is as it was")


def face():
    """A face with everything: jaw, keyed shapes, a driven one, and Corrective Smooth, which acts on the shapes, too."""
    for smooth, limit in ((False, 1e-4), (True, 0.03)):
        _, skin = face_case.face(smooth)
        off = compare.off(skin, addon.export("face.glb"), "talk")
        what = f"face, {'with' if smooth else 'without'} Corrective Smooth"
        print(f"PRINT {what}: root of the mean square {numpy.sqrt((off**2).mean()):.2e}")
        addon.figure(what, off.max(), limit)


FITTED = (
    (shape_cases.corrective_smooth, 0.01),
    (shape_cases.corrective_smooth_two_joints, 0.02),
    (shape_cases.corrective_smooth_preserve_volume, 0.01),
    (shape_cases.lattice_on_a_bone, 0.02),
)

addon.run([keys, what_cannot_be_carried_is_said, fitted, face])
