# SPDX-License-Identifier: MIT
"""How the bendy bones of an armature are exported: as a curve skeleton or as plain joints."""
from . import scene, versions

CURVES = ("bbone_curveinx", "bbone_curveinz", "bbone_curveoutx", "bbone_curveoutz")


def bakes(choice, armature):
    """Whether an armature's bendy bones are baked as joints, by the panel's choice: AUTO, CURVES or JOINTS."""
    if armature is None or not scene.bendy_bones(armature):
        return False
    return choice == "JOINTS" or (choice == "AUTO" and bool(unfollowed(armature)))


def unfollowed(armature):
    """[(what the curve skeleton does not follow, bones that have it)] of an armature's bendy bones."""
    bones = scene.bendy_bones(armature)
    keyed = _keyed(armature)
    found = (
        (
            "handles of other types than Automatic",
            lambda bone: (bone.bbone_handle_type_start, bone.bbone_handle_type_end) != ("AUTO", "AUTO"),
        ),
        (
            "no connection to the parent, so that Blender keeps the bone straight there,",
            lambda bone: bone.parent is not None and not bone.use_connect and bone.bbone_handle_type_start == "AUTO",
        ),
        (
            "curve offsets of the pose",
            lambda bone: any(abs(getattr(armature.pose.bones[bone.name], name)) > 1e-6 for name in CURVES),
        ),
        ("vertices that are mapped along the curve", versions.mapping_is_curved),
        ("animated bendy-bone values, of which those of this frame are taken,", lambda bone: bone.name in keyed),
    )
    named = [(what, [bone.name for bone in bones if has(bone)]) for what, has in found]
    return [(what, names) for what, names in named if names]


def _keyed(armature):
    """Bones whose bendy-bone values have drivers, or keys that differ from the current value."""
    animation = armature.animation_data
    if animation is None:
        return set()
    curves = []
    actions = [animation.action] if animation.action else []
    actions += [strip.action for track in animation.nla_tracks for strip in track.strips if strip.action]
    for action in actions:
        curves += versions.fcurves(action, armature)
    curves = [*animation.drivers, *(curve for curve in curves if not _stands(curve, armature))]
    return {
        bone.name
        for bone in armature.data.bones
        for curve in curves
        if curve.data_path.startswith(f'pose.bones["{bone.name}"].bbone_')
    }


def _stands(curve, armature):
    """Whether a curve of keys always has the current value of its property."""
    if ".bbone_" not in curve.data_path or curve.modifiers or not curve.keyframe_points:
        return False
    try:
        value = armature.path_resolve(curve.data_path)
    except ValueError:
        return False  # its bone does not exist
    value = value[curve.array_index] if hasattr(value, "__len__") else value
    points = [end[1] for key in curve.keyframe_points for end in (key.co, key.handle_left, key.handle_right)]
    return all(abs(point - value) < 1e-6 for point in points)
