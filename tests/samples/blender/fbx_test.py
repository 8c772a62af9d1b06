# SPDX-License-Identifier: MIT
"""FBX to .glb: a file that Blender writes itself, with a skin, two clips, a morph target, and the result."""
import os
import subprocess

import addon
import bpy
import compare
import fixtures
import numpy

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/blender/fbx_to_glb.py")
FRAMES = list(range(0, 25, 4))


def convert(source, target):
    options = ("--background", "--factory-startup", "--python-exit-code", "1", "--python", SCRIPT, "--")
    return subprocess.run([bpy.app.binary_path, *options, source, target], capture_output=True, text=True)


def make():
    armature, skin = fixtures.limb(3, blend=0.6)
    skin.shape_key_add(name="Basis")
    key = skin.shape_key_add(name="swell")
    for vertex, moved in zip(skin.data.vertices, key.data):
        moved.co = (vertex.co.x * 1.5, vertex.co.y * 1.5, vertex.co.z)
    actions = [
        fixtures.clip(armature, "bend", {"bone_1": (60, 0, 0)}),
        fixtures.clip(armature, "twist", {"bone_2": (0, 90, 0)}),
    ]
    armature.animation_data.action = None
    for action in actions:
        fixtures.track(armature, action.name, action).mute = action.name == "twist"
    return armature, skin, actions


def skins_clips_and_names_are_kept():
    armature, skin, actions = make()
    source, target = os.path.join(addon.work(), "limb.fbx"), os.path.join(addon.work(), "limb.glb")
    bpy.ops.export_scene.fbx(
        filepath=source,
        add_leaf_bones=True,
        bake_anim=True,
        bake_anim_use_nla_strips=False,
        bake_anim_use_all_actions=True,
        bake_anim_simplify_factor=0,
    )
    done = convert(source, target)
    addon.expect(done.returncode == 0, (done.stdout + done.stderr).strip().splitlines()[-3:])
    print("\n".join(line for line in done.stdout.splitlines() if line.startswith("fbx_to_glb")))
    from pelt_deformers import glb

    content = glb.File(target).json
    addon.expect(
        sorted(animation["name"] for animation in content["animations"]) == ["bend", "twist"], "both clips, by name"
    )
    addon.expect(
        [mesh["extras"]["targetNames"] for mesh in content["meshes"]] == [["swell"]], "the morph target, by name"
    )
    joints = {content["nodes"][joint]["name"] for joint in content["skins"][0]["joints"]}
    addon.expect(joints == {"bone_0", "bone_1", "bone_2"}, f"the joints, without end bones: {sorted(joints)}")
    for clip, action in (("bend", actions[0]), ("twist", actions[1])):
        armature.animation_data.action = action
        of_blender = compare.blender_frames([skin], FRAMES)["skin"]
        points = deformed(target, f"{clip}.pc2", "--clip", clip, "--frames", "0:24", "--fps", "24")[::4]
        # The file has no vertex numbers: the nearest vertex at rest, of which there is one.
        rest = numpy.array([vertex.co for vertex in skin.data.vertices])[:, [0, 2, 1]] * (1, 1, -1)
        at_rest = deformed(target, "rest.pc2")[0]
        numbers = numpy.array([numpy.argmin(((rest - point) ** 2).sum(axis=1)) for point in at_rest])
        addon.figure(
            f"fbx {clip}", compare.distances(of_blender, (points, numbers)).max() / compare.size(of_blender), 1e-4
        )


def deformed(path, name, *options):
    """The points that `pelt deform` writes of a file by linear blend: frames x points x 3."""
    from pelt_deformers import glb, program

    cache = os.path.join(addon.work(), name)
    program.run("deform", path, "--deformer", "linear-blend", "--backend", "cpu", *options, "-o", cache)
    return glb.read_cache(cache)


def a_broken_file_fails():
    source, target = os.path.join(addon.work(), "broken.fbx"), os.path.join(addon.work(), "broken.glb")
    with open(source, "wb") as file:
        file.write(b"Kaydara FBX Binary  \0\x1a\0 and nothing more")
    done = convert(source, target)
    addon.expect(done.returncode != 0 and not os.path.exists(target), f"exit code {done.returncode}, and no file")


addon.run([skins_clips_and_names_are_kept, a_broken_file_fails])
