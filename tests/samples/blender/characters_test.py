# SPDX-License-Identifier: MIT
"""Given characters, brought into Blender: Preserve Volume, and baked bendy bones of their limbs; every vertex."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import addon  # noqa: E402
import bpy  # noqa: E402
import compare  # noqa: E402
import fixtures  # noqa: E402

CHARACTERS = ("CesiumMan.glb", "Fox.glb", "RiggedSimple.gltf", "mannequiny-0.3.0.glb", "robot.glb", "lumberjack.glb",
              "luke/luke_animated.gltf")

# Their clips scale joints: Blender scales the skin beside its dual quaternions, which Pelt's do not.
SCALED = {"lumberjack.glb": 0.02, "luke/luke_animated.gltf": 0.02}


def folder():
    return os.path.join(os.environ["PELT_SHARED"], "assets/characters")


def bring(name):
    """Imports a character, and returns its skinned meshes and armature, with its longest action."""
    fixtures.clear()
    addon.enable()
    bpy.ops.import_scene.gltf(filepath=os.path.join(folder(), name), bone_heuristic="BLENDER")
    armature = next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")
    skins = [thing for thing in bpy.context.scene.objects if thing.type == "MESH" and thing.find_armature() == armature]
    for thing in list(bpy.context.scene.objects):
        if thing.type == "MESH" and thing not in skins:
            bpy.data.objects.remove(thing)
    action = max(bpy.data.actions, key=lambda action: action.frame_range[1])
    for track in list(armature.animation_data.nla_tracks):
        armature.animation_data.nla_tracks.remove(track)
    for other in list(bpy.data.actions):
        if other != action:
            bpy.data.actions.remove(other)
    armature.animation_data.action = action
    action.name = "clip"
    # The exporter samples whole frames from the first key on and shifts them where that lies between two.
    action.use_frame_range = True
    action.frame_start, action.frame_end = int(action.frame_range[0]), int(action.frame_range[1])
    return armature, skins, action


def frames_of(action):
    first, last = (int(frame) for frame in action.frame_range)
    return list(range(first, min(last, first + 40) + 1))


def compare_all(name, skins, action, bendy, clean=True):
    frames = frames_of(action)
    of_blender = compare.blender_frames(skins, frames)
    file = addon.export(name, bendy=bendy)
    of_pelt = compare.pelt_frames(file, "clip", list(range(0, frames[-1] + 1)))
    of_pelt = {mesh: (points[frames[0]:], numbers) for mesh, (points, numbers) in of_pelt.items()}
    worst = max(compare.distances(of_blender[mesh], of_pelt[mesh]).max() for mesh in of_pelt)
    extent = max(compare.size(points) for points in of_blender.values())
    return worst / extent


def moved_by(character, preserve):
    armature, skins, action = bring(character)
    for thing in skins:
        for modifier in thing.modifiers:
            modifier.use_deform_preserve_volume = preserve
    name = os.path.basename(character).split(".")[0]
    return name, compare_all(f"{name}_{'dq' if preserve else 'lb'}.glb", skins, action, "CURVES")


def linear_blend():
    for character in CHARACTERS:
        name, worst = moved_by(character, False)
        addon.figure(f"linear_blend {name}", worst, 1e-4)


def preserve_volume():
    for character in CHARACTERS:
        name, worst = moved_by(character, True)
        addon.figure(f"preserve_volume {name}", worst, SCALED.get(character, 1e-4))


def baked_bendy_bones():
    for character in CHARACTERS:
        armature, skins, action = bring(character)
        for bone in armature.data.bones:
            if bone.children:
                bone.bbone_segments = 6
        name = os.path.basename(character).split(".")[0]
        addon.figure(f"joints {name}", compare_all(f"{name}_joints.glb", skins, action, "JOINTS"), 1e-4)


addon.run([linear_blend, preserve_volume, baked_bendy_bones])
