# SPDX-License-Identifier: MIT
"""Layers of a rig from what moves a mesh in Blender: its modifiers and the bendy bones of its armature.

A layer is a dictionary, as in a rig file. Objects name the meshes; session.py replaces these by names of the file.
"""
import math

from . import bendy, scene

EASE_LIMIT = 10.0
ROLL_LIMIT = 3600.0
GROUP, NOT_GROUP = "vertex_group:", "not vertex_group:"  # masks by groups, which the export turns into attributes


class Derived:
    """The layers of one mesh, and what could not be carried."""

    def __init__(self):
        self.layers = []
        self.lost = []  # sentences
        self.followed = []  # driving objects


def layers_of(thing, choice):
    """Derives the layers of a mesh. `choice` is the panel's for bendy bones, which need no layer as joints."""
    derived = Derived()
    _of_armature(thing, bendy.bakes(choice, scene.armature_of(thing)), derived)
    for modifier in scene.active(thing, *scene.CARRIED):
        _of_driver(thing, modifier, derived)
    _drop_hidden(derived)
    return derived


def _of_armature(thing, bake, derived):
    modifier = scene.armature_modifier(thing)
    if modifier is None or not modifier.show_viewport:
        return
    kind = "dual_quaternion" if modifier.use_deform_preserve_volume else "linear_blend"
    base = {"target": thing.name, "deformer": kind}
    painted = scene.painted_bones(thing, modifier.object)
    bending = [bone for bone in scene.bendy_bones(modifier.object) if bone.name in painted]
    if bake or not bending:
        derived.layers.append(base)
        return
    bend = {
        "target": thing.name,
        "deformer": "curve_skeleton",
        "parameters": curve_parameters(modifier.object, _moving(thing, painted)),
    }
    if len(bending) < len(painted):
        if kind == "dual_quaternion":
            base["deformer"] = "linear_blend"
            derived.lost.append(
                f"'{thing.name}' has Preserve Volume and bendy bones: its other bones use "
                "linear blend, which can be mixed with bendy bones"
            )
        derived.layers.append(base)
        bend["mask"] = {"joints": [bone.name for bone in bending]}
    derived.layers.append(bend)


def _moving(thing, painted):
    """The names of the bones that a mesh has weights of. Bind would note others, which are on no curve."""
    names = {group: name for name, group in painted.items()}
    return {
        names[member.group]
        for vertex in thing.data.vertices
        for member in vertex.groups
        if member.group in names and member.weight > 1e-3
    }


def curve_parameters(armature, moving):
    """Parameters of a curve skeleton that bends as the armature's bendy bones do."""
    bones, joints = [], []
    for bone in armature.data.bones:
        if bone.name not in moving:
            continue
        if bone.bbone_segments > 1:
            entry = {"joint": bone.name, "bendy": bendy_of(armature.pose.bones[bone.name])}
            ends = [child.name for child in connected(bone) if child.name in moving]
            bones += [{**entry, "to": end} for end in ends] or [entry]
        else:
            bones.append({"joint": bone.name, "bendy": {"segments": 1}})
        above = bone.parent
        if above is not None and above.name in moving and bone.use_connect:
            if bone.bbone_segments > 1 or above.bbone_segments > 1:
                joints.append({"joint": bone.name, "twist_after": _twist_after(bone)})
    parameters = {"bulge": {"volume": 0}, "bones": bones}
    if joints:
        parameters["joints"] = joints
    return parameters


def connected(bone):
    """The bones that Blender bends a bone towards."""
    return [child for child in bone.children if child.use_connect]


def _twist_after(bone):
    """Blender twists a bendy bone towards the next bone, but away from its parent only if that has one segment."""
    return 0 if bone.parent.bbone_segments > 1 else 1


def bendy_of(pose):
    """The bendy-bone values of a bone as in a rig: in degrees, without defaults except those of eases.

    Blender adds the eases and rolls of bone and pose; those of the pose move the skin, those of the bone are at rest.
    Curve offsets of the bone bow it at rest; those of the pose have no counterpart. Eases only count at connections:
    at other ends Blender leads a bone on straight.
    """
    bone = pose.bone
    values = {"segments": bone.bbone_segments}
    if bone.parent is not None and bone.use_connect:
        values["ease_in"] = _clamp(bone.bbone_easein + pose.bbone_easein, 0, EASE_LIMIT)
    if connected(bone):
        values["ease_out"] = _clamp(bone.bbone_easeout + pose.bbone_easeout, 0, EASE_LIMIT)
    for key, radians in (("roll_in", pose.bbone_rollin), ("roll_out", pose.bbone_rollout)):
        if abs(radians) > 1e-6:
            values[key] = _clamp(math.degrees(radians), -ROLL_LIMIT, ROLL_LIMIT)
    for key, offset in (
        ("curve_in", (bone.bbone_curveinx, bone.bbone_curveinz)),
        ("curve_out", (bone.bbone_curveoutx, bone.bbone_curveoutz)),
    ):
        if any(abs(part) > 1e-7 for part in offset):
            values[key] = list(offset)
    for key, scale in (("scale_in", pose.bbone_scalein), ("scale_out", pose.bbone_scaleout)):
        if any(abs(part - 1) > 1e-6 for part in scale):
            values[key] = [_clamp(part, 0.001, 1000) for part in scale]
    return values


def driver_of(modifier):
    """The object that a Surface Deform or Mesh Deform modifier follows, or None."""
    return modifier.target if modifier.type == "SURFACE_DEFORM" else modifier.object


def _of_driver(thing, modifier, derived):
    cage = driver_of(modifier)
    if cage is None or cage.type != "MESH":
        return
    driver = {"mesh": cage.name}
    follow = follow_of(cage)
    if follow != "dual_quaternion":
        driver["follow"] = follow
    if modifier.type == "SURFACE_DEFORM" and follow != "streamed":
        driver["estimate_frames"] = True  # as in Blender, only the cage's surface counts, not how its bones turn
    parameters = {"driver": driver}
    if modifier.type == "SURFACE_DEFORM" and abs(modifier.falloff - 4) > 1e-6:
        parameters["local"] = modifier.falloff
    layer = {"target": thing.name, "deformer": "surface_ffd", "parameters": parameters}
    mask = _mask(thing, modifier)
    if mask:
        layer["mask"] = mask
    derived.layers.append(layer)
    derived.followed.append(cage)


def follow_of(cage):
    """The method that poses a cage by its weights, or "streamed": it is posed frame by frame."""
    if scene.active(cage, *scene.SIMULATED):
        return "streamed"
    modifier = scene.armature_modifier(cage)
    if modifier is not None and not modifier.use_deform_preserve_volume:
        return "linear_blend"
    return "dual_quaternion"


def _mask(thing, modifier):
    mask = {}
    strength = getattr(modifier, "strength", 1.0)
    if strength < 1:
        mask["value"] = max(strength, 0.0)
    if modifier.vertex_group and modifier.vertex_group in thing.vertex_groups:
        mask["attribute"] = (NOT_GROUP if modifier.invert_vertex_group else GROUP) + modifier.vertex_group
    return mask


def _drop_hidden(derived):
    """Leaves out layers below one whose mask is 1 everywhere: they are invisible, and may not mix with it.

    Linear blend replaces dual quaternion below a partial mask, since only linear blend can be mixed.
    """
    for i in range(len(derived.layers) - 1, 0, -1):
        if not derived.layers[i].get("mask"):
            del derived.layers[:i]
            break
    if len(derived.layers) > 1 and derived.layers[0]["deformer"] == "dual_quaternion":
        derived.layers[0]["deformer"] = "linear_blend"
        derived.lost.append(
            f"Preserve Volume of '{derived.layers[0]['target']}' cannot be mixed with what its other "
            "modifiers do in part: linear blend replaces it there"
        )


def group_of(attribute):
    """(vertex group, whether it is inverted) that a mask's attribute stands for, or None."""
    for before in (NOT_GROUP, GROUP):
        if attribute.startswith(before):
            return attribute[len(before) :], before == NOT_GROUP
    return None


def group_values(thing, name, inverted):
    """The weights of a vertex group, one per vertex of the mesh."""
    group = thing.vertex_groups[name].index
    values = [0.0] * len(thing.data.vertices)
    for vertex in thing.data.vertices:
        for member in vertex.groups:
            if member.group == group:
                values[vertex.index] = member.weight
    return [1 - value for value in values] if inverted else values


def _clamp(value, low, high):
    return min(max(value, low), high)
