# SPDX-License-Identifier: MIT
"""Bendy bones as plain joints: during an export a bone of n segments becomes n + 1 joints.

Blender moves a vertex at rest point p of bone b, at the fraction y in [0, 1] of the straight bone, by

    P_b ((1 - f) D_i + f D_(i+1)) B_b^-1 p,    i + f = n y,    D_i = S_i R_i^-1

B_b is the bone at rest, P_b posed; S_i, R_i are the joints between its segments, posed and at rest, in the bone's
space. Joints at B_b R_i at rest and at P_b S_i in poses, with the weights w (1 - f) and w f, therefore move the
vertex by linear blend as Blender does. R_i' is R_i without its scale, and a posed joint is P_b D_i R_i'.
"""

import bpy
from mathutils import Matrix

from . import scene, versions

LINEAR = 1  # interpolation of a key


def joint_name(bone, joint):
    return f"{bone}:bend_{joint}"


def bake(armature, skins, settings, stack):
    """Turns an armature's bendy bones into plain joints; `stack` undoes it."""
    bones = {bone.name: bone.bbone_segments for bone in scene.bendy_bones(armature)}
    frame = bpy.context.scene.frame_current
    stack.callback(bpy.context.scene.frame_set, frame)
    rest = {name: _rest_joints(armature, name, count) for name, count in bones.items()}
    weights = [(thing, _weights(thing, armature, bones)) for thing in skins]
    now = _sample(armature, rest)
    merged = versions.merges_clips(settings)
    clips = [(name, _sample_clip(armature, action, rest)) for name, action in exported_clips(armature, settings)]
    bpy.context.scene.frame_set(frame)
    _swap_armature(armature, rest, stack)
    for thing, of_thing in weights:
        _swap_mesh(thing, of_thing, stack)
    _swap_animation(armature, clips, merged, stack)
    _pose(armature, now)
    versions.set_clips(settings, merged)


def exported_clips(armature, settings):
    """[(name, action)] of the clips that the exporter makes of an armature."""
    found = scene.clips(armature, settings)
    if versions.merges_clips(settings):
        return [pair for pair in found if pair[1] == armature.animation_data.action]
    armatures = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]
    if versions.takes_all_actions(settings) and len(armatures) == 1:
        taken = {action for _, action in found}
        for action in bpy.data.actions:
            curves = versions.fcurves(action)
            if action not in taken and any(curve.data_path.startswith("pose.bones[") for curve in curves):
                found.append((action.name, action))
    return found


def _rest_joints(armature, name, count):
    pose = _evaluated(armature).pose.bones[name]
    return [pose.bbone_segment_matrix(i, rest=True).copy() for i in range(count + 1)]


def _evaluated(armature):
    return armature.evaluated_get(bpy.context.evaluated_depsgraph_get())


def _unscaled(matrix):
    place, turn, _ = matrix.decompose()
    return Matrix.Translation(place) @ turn.to_matrix().to_4x4()


def _sample(armature, rest):
    """{bone or joint: its matrix in the armature's space} in the current pose."""
    seen = _evaluated(armature)
    matrices = {}
    for pose in seen.pose.bones:
        matrices[pose.name] = pose.matrix.copy()
        for i, joint in enumerate(rest.get(pose.name, [])):
            bent = pose.bbone_segment_matrix(i, rest=False) @ joint.inverted_safe()
            matrices[joint_name(pose.name, i)] = pose.matrix @ bent @ _unscaled(joint)
    return matrices


def _sample_clip(armature, action, rest):
    """[(frame, matrices)] of every whole frame of an action."""
    frames = []
    with scene.playing(armature, action):
        for frame in scene.frames_of(action):
            bpy.context.scene.frame_set(frame)
            frames.append((frame, _sample(armature, rest)))
    return frames


def _weights(thing, armature, bones):
    """{group: [(vertex, weight)]} of the joints, for the groups of bendy bones."""
    to_armature = armature.matrix_world.inverted_safe() @ thing.matrix_world
    numbers = {group.index: group.name for group in thing.vertex_groups if group.name in bones}
    to_bone = {name: armature.data.bones[name].matrix_local.inverted_safe() @ to_armature for name in bones}
    found = {joint_name(name, i): [] for name in numbers.values() for i in range(bones[name] + 1)}
    for vertex in thing.data.vertices:
        for member in vertex.groups:
            name = numbers.get(member.group)
            if name is None or member.weight <= 0:
                continue
            point = to_bone[name] @ vertex.co
            pose = armature.pose.bones[name]
            index, blend = versions.segment_of(pose, point, point.y / pose.bone.length)
            for joint, share in ((index, 1 - blend), (index + 1, blend)):
                if share > 0:
                    found[joint_name(name, joint)].append((vertex.index, member.weight * share))
    return found


def _swap_armature(armature, rest, stack):
    """Gives an armature a copy of its bones in which joints replace the bendy bones."""
    original, name = armature.data, armature.data.name
    poses = {pose.name: (pose.rotation_mode, pose.matrix_basis.copy()) for pose in armature.pose.bones}
    muted = [
        (pose.name, constraint.name)
        for pose in armature.pose.bones
        for constraint in pose.constraints
        if not constraint.mute
    ]
    lengths = {bone.name: bone.length for bone in original.bones}
    at_rest = {bone.name: bone.matrix_local.copy() for bone in original.bones}
    copied = original.copy()
    selected = [thing for thing in bpy.context.view_layer.objects if thing.select_get()]
    active = bpy.context.view_layer.objects.active
    hidden = armature.hide_get(), armature.hide_viewport
    stack.callback(_restore_armature, armature.name, original.name, copied, poses, muted)
    original.name = name + ".bendy"
    copied.name = name
    stack.callback(_rename, original, copied, name)
    armature.data = copied
    armature.hide_set(False)
    armature.hide_viewport = False
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in copied.edit_bones:
        bone.use_connect = False
        bone.bbone_segments = 1
        bone.use_inherit_rotation, bone.use_local_location, bone.inherit_scale = True, True, "FULL"
    for owner, joints in rest.items():
        for i, joint in enumerate(joints):
            bone = copied.edit_bones.new(joint_name(owner, i))
            bone.head, bone.tail = (0, 0, 0), (0, lengths[owner] / len(joints), 0)
            bone.matrix = at_rest[owner] @ _unscaled(joint)
            bone.parent = copied.edit_bones[owner]
            bone.use_deform = True
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.hide_viewport = hidden[1]
    armature.hide_set(hidden[0])
    bpy.context.view_layer.objects.active = active
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing in selected)
    for bone, constraint in muted:
        armature.pose.bones[bone].constraints[constraint].mute = True
    for pose in armature.pose.bones:
        pose.rotation_mode = "QUATERNION"


def _restore_armature(armature, original, copied, poses, muted):
    armature = bpy.data.objects[armature]
    armature.data = bpy.data.armatures[original]
    bpy.data.armatures.remove(copied)
    for bone, constraint in muted:
        armature.pose.bones[bone].constraints[constraint].mute = False
    for name, (mode, basis) in poses.items():
        pose = armature.pose.bones[name]
        pose.rotation_mode = mode
        pose.matrix_basis = basis


def _rename(original, copied, name):
    copied.name = name + ".baked"
    original.name = name


def _swap_mesh(thing, weights, stack):
    """Gives a mesh a copy that is painted to the joints instead of the bendy bones."""
    scene.copy_data(thing, stack)
    for owner in {group.split(":bend_")[0] for group in weights}:
        thing.vertex_groups.remove(thing.vertex_groups[owner])
    for group, members in weights.items():
        added = thing.vertex_groups.new(name=group)
        for vertex, weight in members:
            added.add([vertex], weight, "REPLACE")


def _swap_animation(armature, clips, merged, stack):
    """Replaces an armature's actions and tracks by sampled clips."""
    animation = armature.animation_data
    if animation is None:
        return
    before = animation.action
    strips = [
        (i, j) for i, track in enumerate(animation.nla_tracks) for j, strip in enumerate(track.strips) if not strip.mute
    ]
    drivers = [
        (curve.data_path, curve.array_index)
        for curve in animation.drivers
        if curve.data_path.startswith("pose.bones[") and not curve.mute
    ]
    made = []
    stack.callback(_restore_animation, armature.name, before, strips, drivers, len(animation.nla_tracks), made)
    for track, strip in strips:
        animation.nla_tracks[track].strips[strip].mute = True
    for curve in animation.drivers:
        curve.mute = curve.mute or (curve.data_path, curve.array_index) in drivers
    animation.action = None
    for name, frames in clips:
        action = bpy.data.actions.new(name)
        made.append(action)
        _key(action, armature, frames)
        if merged:
            animation.action = action
            continue
        track = animation.nla_tracks.new()
        track.name = name
        track.strips.new(name, int(frames[0][0]), action)
        track.mute = True


def _restore_animation(armature, before, strips, drivers, tracks, made):
    animation = bpy.data.objects[armature].animation_data
    animation.action = None
    while len(animation.nla_tracks) > tracks:  # the new ones are the last; several may have one name
        animation.nla_tracks.remove(animation.nla_tracks[len(animation.nla_tracks) - 1])
    for action in made:
        bpy.data.actions.remove(action)
    for track, strip in strips:
        animation.nla_tracks[track].strips[strip].mute = False
    for curve in animation.drivers:
        if (curve.data_path, curve.array_index) in drivers:
            curve.mute = False
    animation.action = before


def _key(action, armature, frames):
    """Keys every bone in every frame."""
    make = versions.curve_maker(action, armature)
    for pose in armature.pose.bones:
        tracks = _tracks(pose, frames)
        path = f'pose.bones["{bpy.utils.escape_identifier(pose.name)}"].'
        for name, parts in tracks.items():
            for i, values in enumerate(parts):
                curve = make(path + name, i, pose.name)
                curve.keyframe_points.add(len(frames))
                flat = [number for (frame, _), value in zip(frames, values) for number in (frame, value)]
                curve.keyframe_points.foreach_set("co", flat)
                curve.keyframe_points.foreach_set("interpolation", [LINEAR] * len(frames))
                curve.update()


def _tracks(pose, frames):
    location, rotation, scale = [[], [], []], [[], [], [], []], [[], [], []]
    last = None
    for _, matrices in frames:
        place, turn, size = scene.basis(pose, matrices).decompose()
        if last is not None and last.dot(turn) < 0:
            turn.negate()
        last = turn
        for parts, values in ((location, place), (rotation, turn), (scale, size)):
            for part, value in zip(parts, values):
                part.append(value)
    return {"location": location, "rotation_quaternion": rotation, "scale": scale}


def _pose(armature, matrices):
    for pose in armature.pose.bones:
        pose.matrix_basis = scene.basis(pose, matrices)
    bpy.context.view_layer.update()
