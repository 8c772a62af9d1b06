# SPDX-License-Identifier: MIT
"""Shape keys with drivers: those that follow the turn of one bone about one of its axes become key poses.

The driver's expression is not read. The bone is turned, and Blender reports the key's value: so
curves, limits and functions of the driver count, and nothing of the file is run that Blender would not run.
"""
import math

import bpy

from . import scene

AXES = {"ROT_X": (0, (1, 0, 0)), "ROT_Y": (1, (0, 1, 0)), "ROT_Z": (2, (0, 0, 1))}
STEP = 5  # degrees between samples
TOLERANCE = 0.02  # how much a key's value may differ from what Blender computes


class Reading:
    """The driver of a shape key as a rig has it: bone, axis and poses, or why it cannot be carried."""

    def __init__(self, key):
        self.key = key
        self.bone = ""
        self.axis = (0, 0, 0)
        self.poses = []
        self.why = ""

    def key_poses(self):
        return {"angles": [{"joint": self.bone, "axis": list(self.axis)}], "poses": self.poses}


def driven_keys(thing):
    """[(shape key, F-curve of its driver)] of a mesh's visible keys."""
    keys = getattr(thing.data, "shape_keys", None)
    if keys is None or keys.animation_data is None:
        return []
    found = []
    for curve in keys.animation_data.drivers:
        for key in keys.key_blocks:
            if curve.data_path == f'key_blocks["{bpy.utils.escape_identifier(key.name)}"].value' and not key.mute:
                found.append((key, curve))
    return found


def read_all(thing, armature):
    """Reads every driver of a mesh's shape keys."""
    return [_read(thing, key, curve.driver, armature) for key, curve in driven_keys(thing)]


def _read(thing, key, driver, armature):
    reading = Reading(key.name)
    turns = [
        variable
        for variable in driver.variables
        if variable.type == "TRANSFORMS" and variable.targets[0].transform_type in AXES
    ]
    if len(driver.variables) != 1 or len(turns) != 1:
        reading.why = "its driver reads something other than the turn of one bone"
        return reading
    target = turns[0].targets[0]
    if armature is None or target.id != armature or target.bone_target not in armature.data.bones:
        reading.why = "its driver reads no bone of the mesh's armature"
        return reading
    if target.transform_space != "LOCAL_SPACE":
        reading.why = "its driver reads the bone in a space other than its own"
        return reading
    index, reading.axis = AXES[target.transform_type]
    reading.bone = target.bone_target
    values = _sample(thing, key, armature, reading.bone, index)
    reading.poses, reading.why = poses_of(values, key.name)
    return reading


def _sample(thing, key, armature, bone, index):
    """[(degrees, value)] of a key while one bone turns from -175 to 175 degrees and all others rest."""
    pose = armature.pose.bones[bone]
    before = pose.rotation_mode, pose.matrix_basis.copy()
    values = []
    with scene.playing(armature, None):
        pose.rotation_mode = "XYZ"
        pose.location, pose.scale = (0, 0, 0), (1, 1, 1)
        for degrees in range(-175, 176, STEP):
            turn = [0.0, 0.0, 0.0]
            turn[index] = math.radians(degrees)
            pose.rotation_euler = turn
            graph = bpy.context.evaluated_depsgraph_get()
            graph.update()
            seen = thing.evaluated_get(graph)
            values.append((degrees, seen.data.shape_keys.key_blocks[key.name].value))
        pose.rotation_mode, pose.matrix_basis = before
    bpy.context.view_layer.update()
    return values


def poses_of(values, name):
    """Key poses with linear interpolation, from samples [(degrees, value)]; or ([], why there are none)."""
    at_rest = dict(values)[0]
    if abs(at_rest) > TOLERANCE:
        return [], f"it has the value {at_rest:.2f} at rest"
    poses = []
    for side in (-1, 1):
        ramp = [
            (abs(degrees), value)
            for degrees, value in sorted(values, key=lambda pair: abs(pair[0]))
            if degrees * side >= 0
        ]
        if max(abs(value) for _, value in ramp) <= TOLERANCE:
            continue
        rising = [(degrees, value) for degrees, value in ramp if 0.05 < value < 0.95]
        if len(rising) >= 2:
            (low, a), (high, b) = rising[0], rising[-1]
            slope = (b - a) / (high - low)
        else:
            slope = 0
        if slope <= 0:
            return [], "it does not rise in a straight line from 0 to 1 as the bone turns"
        start, end = low - a / slope, low + (1 - a) / slope
        start = 0.0 if start < 0.5 else start
        if end > 180 or any(
            abs(value - min(max((degrees - start) / (end - start), 0), 1)) > TOLERANCE for degrees, value in ramp
        ):
            return [], "it does not rise in a straight line from 0 to 1 as the bone turns"
        if start:
            poses.append({"degrees": [round(side * start, 3)], "offsets": []})
        poses.append({"degrees": [round(side * end, 3)], "morph_target": name})
    return poses, "" if poses else "its driver never moves it"


def leave_out(thing, keys, stack):
    """Removes the drivers of carried keys from the export.

    The exporter would sample them into clips, or drop either if a clip moves other keys of the mesh.
    """
    copied = scene.copy_data(thing, stack)
    for key, curve in driven_keys(thing):
        if key.name in keys:
            copied.shape_keys.animation_data.drivers.remove(curve)
            key.value = 0.0


def remove(thing, carried, stack):
    """Removes the keys whose drivers read only bones, without those that are carried, from the export."""
    keys = [key.name for key, curve in driven_keys(thing) if key.name not in carried and _reads_bones(curve.driver)]
    copied = scene.copy_data(thing, stack) if keys else None
    for key in keys:
        thing.shape_key_remove(copied.shape_keys.key_blocks[key])


def _reads_bones(driver):
    targets = [target for variable in driver.variables for target in variable.targets]
    return targets and all(t.bone_target or t.data_path.startswith("pose.bones[") for t in targets)


def is_keyed(thing):
    """Whether an action or a track moves shape keys of a mesh."""
    keys = thing.data.shape_keys
    animation = keys.animation_data if keys is not None else None
    return animation is not None and (animation.action is not None or len(animation.nla_tracks) > 0)


def correctives(things, armature_of=scene.armature_of):
    """({name of a mesh: its key pose sets, one per key}, [(mesh, key, why it is not carried)])."""
    sets, lost = {}, []
    for thing in things:
        for reading in read_all(thing, armature_of(thing)):
            if reading.why:
                lost.append((thing, reading.key, reading.why))
            else:
                sets.setdefault(thing.name, []).append(reading.key_poses())
    return sets, lost
