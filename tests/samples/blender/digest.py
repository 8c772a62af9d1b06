# SPDX-License-Identifier: MIT
"""Everything of a Blender file that an export could have changed, to be compared before and after."""
import bpy


def of_file():
    found = {
        "frame": bpy.context.scene.frame_current,
        "active": getattr(bpy.context.view_layer.objects.active, "name", None),
        "selected": sorted(thing.name for thing in bpy.context.view_layer.objects if thing.select_get()),
        "meshes": {mesh.name: _mesh(mesh) for mesh in bpy.data.meshes},
        "armatures": {armature.name: _armature(armature) for armature in bpy.data.armatures},
        "actions": {action.name: _action(action) for action in bpy.data.actions},
        "objects": {thing.name: _object(thing) for thing in bpy.data.objects},
        "collections": sorted(collection.name for collection in bpy.data.collections),
    }
    return found


def differences(before, after, place=""):
    """Sentences on the differences."""
    if isinstance(before, dict) and isinstance(after, dict):
        found = []
        for key in list(before) + [key for key in after if key not in before]:
            found += differences(before.get(key), after.get(key), f"{place}/{key}")
        return found
    return [] if before == after else [f"{place}: {str(before)[:120]} became {str(after)[:120]}"]


def _mesh(mesh):
    keys = mesh.shape_keys
    return {
        "vertices": [tuple(vertex.co) for vertex in mesh.vertices],
        "weights": [[(member.group, round(member.weight, 6)) for member in vertex.groups] for vertex in mesh.vertices],
        "attributes": sorted(attribute.name for attribute in mesh.attributes),
        "keys": [(key.name, key.value, key.mute) for key in keys.key_blocks] if keys else None,
    }


def _armature(armature):
    return {
        bone.name: (_numbers(bone.matrix_local), bone.bbone_segments, bone.use_connect, bone.use_deform)
        for bone in armature.bones
    }


def _action(action):
    return [(curve.data_path, curve.array_index, len(curve.keyframe_points)) for curve in action.fcurves]


def _object(thing):
    found = {
        "data": getattr(thing.data, "name", None),
        "parent": getattr(thing.parent, "name", None),
        "matrix": _numbers(thing.matrix_world),
        "hidden": (thing.hide_get(), thing.hide_viewport, thing.hide_render),
        "modifiers": [(modifier.name, modifier.type, modifier.show_viewport) for modifier in thing.modifiers],
        "groups": [group.name for group in thing.vertex_groups],
    }
    animation = thing.animation_data
    if animation is not None:
        found["action"] = getattr(animation.action, "name", None)
        found["tracks"] = [
            (track.name, track.mute, [(strip.name, strip.mute) for strip in track.strips])
            for track in animation.nla_tracks
        ]
        found["drivers"] = [(curve.data_path, curve.mute) for curve in animation.drivers]
        found["nla"] = animation.use_nla
    if thing.pose is not None:
        found["pose"] = {
            pose.name: (
                pose.rotation_mode,
                _numbers([pose.location, pose.rotation_quaternion, pose.rotation_euler, pose.scale]),
                pose.bbone_rollout,
                [(constraint.name, constraint.mute) for constraint in pose.constraints],
            )
            for pose in thing.pose.bones
        }
    return found


def _numbers(matrix):
    return [round(number, 5) + 0.0 for row in matrix for number in row]
