# SPDX-License-Identifier: MIT
"""The archive of the add-on, installed into Blender as users do it, without Pelt's tree."""
import os
import subprocess
import sys

import addon
import bpy
import fixtures

SAMPLE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/blender"))


def archive_installs_and_exports():
    archive = os.path.join(addon.work(), "pelt_deformers.zip")
    subprocess.run(["python3", os.path.join(SAMPLE, "package.py"), archive], check=True)
    sys.path[:] = [path for path in sys.path if os.path.realpath(path) != SAMPLE]
    bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
    bpy.ops.preferences.addon_enable(module="pelt_deformers")
    import pelt_deformers

    addon.expect(not pelt_deformers.__file__.startswith(SAMPLE), f"the installed one: {pelt_deformers.__file__}")
    from pelt_deformers import schema

    addon.expect(
        os.path.dirname(os.path.realpath(schema.__file__)) in os.path.realpath(schema.PLACES[0]), "its own schema"
    )
    addon.expect("surface_ffd" in schema.deformers(), "which it reads")
    for thing in list(bpy.context.scene.objects):
        bpy.data.objects.remove(thing)
    armature = fixtures.chain(2)
    fixtures.tube(armature, length=2, blend=0.4)
    bpy.ops.pelt.export(filepath=os.path.join(addon.work(), "installed.glb"))
    addon.expect(bpy.context.scene.pelt.summary.startswith("bound 1"), bpy.context.scene.pelt.summary)
    bpy.ops.preferences.addon_disable(module="pelt_deformers")
    addon.expect(not hasattr(bpy.context.scene, "pelt"), "and leaves nothing behind")


addon.run([archive_installs_and_exports])
