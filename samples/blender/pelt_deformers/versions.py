# SPDX-License-Identifier: MIT
"""All differences between versions of Blender and its glTF exporter.

Tested with Blender 3.4. All other branches are written from the exporter's source and Blender's documentation. They
have not been run, and are marked so.
"""
import math
import sys

import bpy

EXPORT_PANEL_PARENT = "GLTF_PT_export_user_extensions"


def segment_of(pose_bone, point, place):
    """Returns the segment of a point and the blend to the next. `place`: its fraction of the rest bone.

    `point` is in the space of the bone at rest.
    """
    if hasattr(pose_bone, "bbone_segment_index"):  # 4.0 on: curved mapping too. Not run.
        return pose_bone.bbone_segment_index(point)
    count = pose_bone.bone.bbone_segments
    at = min(max(place, 0.0), 1.0) * count
    index = min(int(math.floor(at)), count - 1)
    return index, min(max(at - index, 0.0), 1.0)


def mapping_is_curved(bone):
    """Whether vertices are mapped to a bendy bone along its curve, as from 4.0 on. Not run from 4.0 on."""
    return getattr(bone, "bbone_mapping_mode", "STRAIGHT") == "CURVED"


def set_clips(settings, merged):
    """Makes the exporter write only the clips of the NLA tracks or, if merged, those of the active actions."""
    settings["gltf_export_anim_single_armature"] = False  # 3.4
    if "gltf_animation_mode" in settings:  # 3.6 on. Not run.
        settings["gltf_animation_mode"] = "ACTIVE_ACTIONS" if merged else "NLA_TRACKS"


def takes_all_actions(settings):
    """Whether all actions of a sole armature become clips, not just its active one and its tracks."""
    if "gltf_animation_mode" in settings:  # 3.6 on. Not run.
        return settings["gltf_animation_mode"] == "ACTIONS"
    return settings.get("gltf_export_anim_single_armature", True)


def merges_clips(settings):
    """Whether the active actions become one clip."""
    if "gltf_animation_mode" in settings:  # 3.6 on. Not run.
        return settings["gltf_animation_mode"] == "ACTIVE_ACTIONS"
    return not settings.get("gltf_nla_strips", True)


def need_settings(settings, attributes, lines):
    """Sets what a rig needs of the exporter: all influences, attributes for masks and vertex numbers, drawn lines."""
    settings["gltf_all_vertex_influences"] = True  # 3.4 to 5.3
    if attributes:
        settings["gltf_attributes"] = True
    if lines:  # the exporter makes meshes of curves, but leaves out their edges
        settings["gltf_loose_edges"] = True


def register_export_panel(panel, module):
    """Adds the panel to the export dialog, if this version does not call register_panel() for it."""
    exporter = sys.modules.get("io_scene_gltf2")
    drawn = getattr(exporter, "exporter_extension_layout_draw", None)
    if drawn is not None:  # 4.2 on. Not run.
        drawn[module] = panel.draw_in


def unregister_export_panel(module):
    exporter = sys.modules.get("io_scene_gltf2")
    drawn = getattr(exporter, "exporter_extension_layout_draw", None)
    if drawn is not None:  # 4.2 on. Not run.
        drawn.pop(module, None)


def fcurves(action, owner=None):
    """The curves of an action; from 4.4 on those in the slots of an owner, or of all slots. Not run from 4.4 on."""
    if bpy.app.version < (4, 4, 0):
        return list(action.fcurves)
    slots = {slot.handle for slot in action.slots if owner is None or owner in slot.users()}
    bags = [bag for layer in action.layers for strip in layer.strips for bag in strip.channelbags]
    return [curve for bag in bags if bag.slot_handle in slots for curve in bag.fcurves]


def curve_maker(action, owner):
    """Returns make(path, index, group), which adds a curve to a new action; from 4.4 on in a slot of its owner.

    `owner` is an object. Not run from 4.4 on.
    """
    if bpy.app.version < (4, 4, 0):
        return lambda path, index, group: action.fcurves.new(path, index=index, action_group=group)
    slot = action.slots.new(id_type="OBJECT", name=owner.name)
    strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
    curves = strip.channelbag(slot, ensure=True).fcurves
    return lambda path, index, group: curves.new(path, index=index, group_name=group)


def mend_numpy():
    """The glTF importer of 3.4 uses numpy.bool, which numpy 1.24 of Debian 12 lacks: imports fail without it."""
    import numpy

    if bpy.app.version < (3, 5, 0) and "bool" not in numpy.__dict__:
        numpy.bool = bool
