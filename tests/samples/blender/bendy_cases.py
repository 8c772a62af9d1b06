# SPDX-License-Identifier: MIT
"""Limbs of bendy bones, a case for everything that Blender lets a bendy bone say."""
import math

import bpy
import fixtures

BONES = 4


def limb(bend=15.0, segments=16, blend=0.4, keys=None):
    """Four connected bendy bones, one unit long each, and a tube on them; every joint bends by `bend` degrees."""
    armature, skin = fixtures.limb(BONES, blend=blend)
    for bone in armature.data.bones:
        bone.bbone_segments = segments
    fixtures.clip(armature, "bend", keys or {f"bone_{i}": (bend, 0, 0) for i in range(1, BONES)})
    return armature, skin


def _eased(ease):
    armature, skin = limb()
    for bone in armature.data.bones:
        bone.bbone_easein = bone.bbone_easeout = ease
    return armature, skin


default_handles = fixtures.case("default_handles", limb)
bends_of_30 = fixtures.case("bends_of_30", limb, 30)
bends_of_60 = fixtures.case("bends_of_60", limb, 60)
twist_of_90 = fixtures.case("twist_of_90", limb, keys={"bone_3": (0, 90, 0)})
ease_half = fixtures.case("ease_half", _eased, 0.5)
ease_two = fixtures.case("ease_two", _eased, 2)


def roll_of_60():
    armature, skin = limb()
    armature.pose.bones["bone_1"].bbone_rollout = math.radians(60)
    armature.pose.bones["bone_2"].bbone_rollin = math.radians(60)
    return armature, skin


def scaled():
    armature, skin = limb()
    armature.pose.bones["bone_1"].bbone_scaleout = (0.7, 1, 0.7)
    armature.pose.bones["bone_2"].bbone_scalein = (0.7, 1, 0.7)
    return armature, skin


def keyed_and_still():
    armature, skin = scaled()
    for name, key in (("bone_1", "bbone_scaleout"), ("bone_2", "bbone_scalein"), ("bone_2", "bbone_rollin")):
        for frame in (0, 24):
            armature.pose.bones[name].keyframe_insert(key, frame=frame)
    return armature, skin


def bowed_at_rest():
    armature, skin = limb()
    for bone in armature.data.bones:
        bone.bbone_curveinx = bone.bbone_curveoutx = 0.1
    return armature, skin


def bowed_in_pose():
    armature, skin = limb()
    for pose in armature.pose.bones:
        pose.bbone_curveinx = pose.bbone_curveoutx = 0.1
    return armature, skin


def preserve_volume():
    armature, skin = limb()
    skin.modifiers[0].use_deform_preserve_volume = True
    return armature, skin


def one_bendy_bone():
    armature, skin = limb()
    for name in ("bone_0", "bone_2", "bone_3"):
        armature.data.bones[name].bbone_segments = 1
    return armature, skin


def not_connected():
    armature, skin = limb()
    fixtures.edit_bones(armature)
    for bone in armature.data.edit_bones:
        bone.use_connect = False
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature, skin


def _with_handles(kind):
    """One long bendy bone between two bones that are its custom handles, as face and spine rigs have them."""
    fixtures.clear()
    armature = fixtures.chain(1, length=3.0)
    fixtures.edit_bones(armature)
    for name, low, high in (("start", -1.0, 0.0), ("end", 3.0, 4.0)):
        bone = armature.data.edit_bones.new(name)
        bone.head, bone.tail = (0, 0, low), (0, 0, high)
        bone.use_deform = False
    armature.data.edit_bones["end"].parent = armature.data.edit_bones["bone_0"]
    bpy.ops.object.mode_set(mode="OBJECT")
    bone = armature.data.bones["bone_0"]
    bone.bbone_segments = 16
    bone.bbone_handle_type_start = bone.bbone_handle_type_end = kind
    bone.bbone_custom_handle_start = armature.data.bones["start"]
    bone.bbone_custom_handle_end = armature.data.bones["end"]
    for pose in armature.pose.bones:
        pose.rotation_mode = "XYZ"
    skin = fixtures.tube(None, length=3.0)
    group = skin.vertex_groups.new(name="bone_0")
    group.add(range(len(skin.data.vertices)), 1.0, "REPLACE")
    skin.parent = armature
    skin.modifiers.new("armature", "ARMATURE").object = armature
    fixtures.clip(armature, "bend", {"start": (15, 0, 0), "end": (-15, 0, 0)})
    return armature, skin


automatic_handles_of_others = fixtures.case("automatic_handles_of_others", _with_handles, "AUTO")
absolute_handles = fixtures.case("absolute_handles", _with_handles, "ABSOLUTE")
tangent_handles = fixtures.case("tangent_handles", _with_handles, "TANGENT")


def relative_handles():
    armature, skin = _with_handles("RELATIVE")
    action = armature.animation_data.action
    for frame, x in ((0, 0.0), (24, 0.3)):
        armature.pose.bones["start"].location = (x, 0, 0)
        armature.pose.bones["start"].keyframe_insert("location", frame=frame)
    assert armature.animation_data.action == action
    return armature, skin


def handles_that_scale_and_ease():
    armature, skin = _with_handles("TANGENT")
    bone = armature.data.bones["bone_0"]
    bone.bbone_handle_use_scale_start = (True, False, True)
    bone.bbone_handle_use_ease_start = True
    for frame, scale in ((0, 1.0), (24, 1.5)):
        armature.pose.bones["start"].scale = (scale, scale, scale)
        armature.pose.bones["start"].keyframe_insert("scale", frame=frame)
    return armature, skin


def animated_values():
    armature, skin = limb()
    pose = armature.pose.bones["bone_1"]
    for frame, share in ((0, 0.0), (24, 1.0)):
        pose.bbone_rollout = math.radians(60) * share
        pose.bbone_curveoutx = 0.1 * share
        pose.bbone_scaleout = (1 - 0.3 * share, 1, 1 - 0.3 * share)
        for name in ("bbone_rollout", "bbone_curveoutx", "bbone_scaleout"):
            pose.keyframe_insert(name, frame=frame)
    return armature, skin
