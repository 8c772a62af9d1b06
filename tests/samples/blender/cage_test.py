# SPDX-License-Identifier: MIT
"""Surface Deform and Mesh Deform as surface FFD: every vertex against Blender's, and against not following at all."""
import addon
import bpy
import cage_cases
import compare
import numpy

FRAMES = list(range(0, 25))


# Largest distance, in parts of the size. docs/blender.md has the results.
LIMITS = {"mesh_deform": 0.012}


def cages():
    for case in cage_cases.CASES:
        skin, _ = case()
        file = addon.export(f"{case.__name__}.glb")
        off = compare.off(skin, file, drivers=("cage",))
        print(f"PRINT {case.__name__}: root of the mean square {numpy.sqrt((off**2).mean()):.4f} of the size")
        addon.figure(case.__name__, off.max(), LIMITS.get(case.__name__, 0.009))


def simulated():
    skin, cage = cage_cases.surface_deform_simulated()
    of_blender = compare.blender_frames([skin], FRAMES)["skin"]
    addon.export("simulated.glb")
    from pelt_deformers import glb

    driver = glb.File(bpy.context.scene.pelt.file).rig()["layers"][0]["parameters"]["driver"]
    addon.expect(driver["follow"] == "streamed", "the driver is streamed")
    bpy.ops.pelt.preview()
    copy = bpy.data.objects["skin by Pelt"]
    of_pelt = compare.blender_frames([copy], FRAMES)[copy.name] - numpy.array((copy.location.x, 0, 0))
    distances = numpy.linalg.norm(of_pelt - of_blender, axis=2) / compare.size(of_blender)
    moved = numpy.linalg.norm(of_blender - of_blender[:1], axis=2).max() / compare.size(of_blender)
    print(
        f"PRINT simulated: max {distances.max():.4f}, root of the mean square"
        f" {numpy.sqrt((distances ** 2).mean()):.4f} of the size; Blender moves it by {moved:.3f}"
    )
    addon.figure("surface_deform_simulated", distances.max(), 0.03)


addon.run([cages, simulated])
