# SPDX-License-Identifier: MIT
"""Learns how skins look here, with all their modifiers: caches them over poses and calls `pelt learn`.

Poses are frames of the clips, or joints that turn within their ranges: one at a time and in pairs, and joints that
deform no common vertex together. Cloth and soft bodies are simulated from the first frame of each clip. In the
joints' ranges they start from rest in each pose and are cached once they have settled, so that no pose depends on
another.
"""
import contextlib
import itertools
import json
import math
import os
import random
import tempfile

import bpy
import numpy
from mathutils import Euler, Matrix, Quaternion

from . import bake_bones, bendy, derive, fit, glb, preview, program, rig, scene, session
from .session import ExportError

GROUPS = 4  # sequences of poses in the joints' ranges: pelt holds out whole sequences
LEAST, UNKNOWN = 20.0, 60.0  # degrees that a joint without limits turns either way, at least: with clips, without
SETTLE = 30  # frames of a simulation per pose, half of them moving
# The file must have every frame as Blender shows it, and joints at rest.
OPTIONS = {
    "export_animations": True,
    "export_apply": False,
    "export_current_frame": False,
    "export_force_sampling": True,
    "export_frame_range": False,
    "export_frame_step": 1,
    "export_nla_strips": True,
    "export_reset_pose_bones": True,
    "export_skins": True,
    "export_yup": True,
}


def learn(panel, file, options):
    """Exports the scene next to `file` as .glb, caches its skins, and writes what pelt learns of them to `file`.

    `options` are those of the exporter. Returns the lines that pelt prints. Raises ExportError, ProgramError.
    """
    options = {**options, **OPTIONS}
    if not program.path():
        raise program.ProgramError("pelt was not found: set its path in the add-on's preferences")
    settings = scene.settings_of(options)
    armature, things = _subject(panel, scene.Exported(settings))
    with contextlib.ExitStack() as stack:
        stack.callback(bpy.context.scene.frame_set, bpy.context.scene.frame_current)
        stack.enter_context(scene.kept_pose(armature))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        poses = clips = None
        if panel.learn_from == "RANGES":
            poses = _poses(panel, armature, things, settings)
        else:
            clips = _clips(armature, settings, panel.learn_poses)
        content = glb.File(_export(panel, os.path.splitext(file)[0] + ".glb", options))
        skins = preview.skins(content)
        missing = [name for name, thing, numbers in skins if thing is None or numbers is None]
        if missing:
            raise ExportError(f"Pelt: the mesh '{missing[0]}' of the file is not in the scene")
        if poses is not None:
            arguments = cache_poses(armature, poses, content, skins, folder)
        else:
            arguments = cache_clips(armature, clips, skins, folder)
        arguments += ["--fps", str(bpy.context.scene.render.fps), "--within", f"{panel.learn_within:g}mm"]
        printed = program.run("learn", panel.file, *arguments, "-o", file)
    panel.character = file
    return [line for line in printed.splitlines() if line.strip()]


def _subject(panel, exported):
    """The armature and the skins to learn."""
    moving = {scene.armature_of(thing) for thing in exported.meshes} - {None}
    if len(moving) != 1:
        raise ExportError(
            f"Pelt: {len(moving)} armatures move the exported meshes, and it learns those of one: select it and its"
            " meshes, and export Selected Objects"
        )
    cages = rig.of_scene(panel, exported, sample=False).drivers
    things = [thing for thing in exported.meshes if thing not in cages]
    for cage in cages:
        if derive.follow_of(cage) == "streamed":
            raise ExportError(f"Pelt: the cage '{cage.name}' is simulated: hide the modifiers that follow it, to export without")
    for thing in things:
        modifier = reshaping(thing)
        if modifier is not None:
            raise ExportError(
                f"Pelt: the modifier '{modifier.name}' of '{thing.name}' changes the number of vertices, which cannot be"
                " learnt: apply it, or hide it in the viewport"
            )
    for thing, modifier in simulations():
        if modifier.point_cache.is_baked:
            raise ExportError(f"Pelt: '{modifier.name}' of '{thing.name}' is baked: delete the bake, to simulate anew")
    return moving.pop(), things


def reshaping(thing):
    """The first modifier that changes the number of vertices of a mesh, or None."""
    hidden = []
    try:
        for modifier in [*reversed(thing.modifiers), None]:
            seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
            if modifier is None or len(seen.data.vertices) == len(thing.data.vertices):
                return hidden[-1] if hidden else None
            if modifier.show_viewport:
                hidden.append(modifier)
                modifier.show_viewport = False
    finally:
        for modifier in hidden:
            modifier.show_viewport = True


def simulations():
    """[(object, modifier)] that remember earlier frames."""
    return [(thing, modifier) for thing in bpy.context.scene.objects for modifier in scene.active(thing, "CLOTH", "SOFT_BODY")]


def _export(panel, file, options):
    bind, numbers = panel.bind, panel.vertex_numbers
    panel.bind, panel.vertex_numbers, session.learning = False, True, True
    try:
        bpy.ops.pelt.export(filepath=file, options=json.dumps(options))
    finally:
        panel.bind, panel.vertex_numbers, session.learning = bind, numbers, False
    return file


# Poses in the joints' ranges.


def _poses(panel, armature, things, settings):
    if bendy.bakes(panel.bendy, armature):
        raise ExportError(f"Pelt: '{armature.name}' has bendy bones that become plain joints: learn from Actions")
    turns = ranges(armature, things, settings)
    if not turns:
        raise ExportError(f"Pelt: no bone of '{armature.name}' that moves the meshes may turn")
    return sampled(turns, _neighbours(armature, things), armature.data.bones, panel.learn_poses)


def ranges(armature, things, settings):
    """{(bone, axis): (least, most)} degrees that bones which move these meshes turn from rest.

    Limits of constraints and of inverse kinematics count, then clips.
    """
    clips, measured = fit.turns_of_clips(armature, settings)
    painted = sorted({bone for thing in things for bone in scene.painted_bones(thing, armature)})
    found = {}
    for bone, axis in itertools.product(painted, range(3)):
        low, high = _range(armature.pose.bones[bone], axis, measured, LEAST if clips else UNKNOWN)
        if high - low > fit.LEAST_TURN:
            found[bone, axis] = (low, high)
    return found


def _range(pose, axis, measured, least):
    name = "xyz"[axis]
    if pose.lock_rotation[axis] or getattr(pose, f"lock_ik_{name}"):
        return 0.0, 0.0
    for limit in pose.constraints:
        if limit.type == "LIMIT_ROTATION" and not limit.mute and getattr(limit, f"use_limit_{name}"):
            return math.degrees(getattr(limit, f"min_{name}")), math.degrees(getattr(limit, f"max_{name}"))
    if getattr(pose, f"use_ik_limit_{name}"):
        return math.degrees(getattr(pose, f"ik_min_{name}")), math.degrees(getattr(pose, f"ik_max_{name}"))
    low, high = measured.get((pose.name, axis), (0.0, 0.0))
    return min(low, -least), max(high, least)


def _neighbours(armature, things):
    """{bone: the bones that deform a vertex together with it, and itself}"""
    found = {}
    for thing in things:
        names = {group: name for name, group in scene.painted_bones(thing, armature).items()}
        together = {
            frozenset(names[member.group] for member in vertex.groups if member.weight > 1e-3 and member.group in names)
            for vertex in thing.data.vertices
        }
        for bones in together:
            for bone in bones:
                found.setdefault(bone, set()).update(bones)
    return found


def sampled(turns, neighbours, bones, count):
    """Returns `count` poses {bone: turn}: rest; bones about one axis, by halves of its range; then pairs about all.

    `turns` are ranges(). A pair is a bone and the one above. The same input gives the same poses.
    """
    chance, poses = random.Random(1), [{}]
    names = sorted({bone for bone, _ in turns})
    singles = [(bone, {axis: end * part}) for (bone, axis), span in turns.items() for end in span for part in (0.5, 1)]
    chance.shuffle(singles)
    while singles and len(poses) < count / 2:
        pose, left = {}, []
        for bone, degrees in singles:
            if neighbours.get(bone, {bone}) & pose.keys():
                left.append((bone, degrees))
            else:
                pose[bone] = _turn(degrees)
        poses.append(pose)
        singles = left
    while len(poses) < count:
        pose = {}
        for bone in chance.sample(names, len(names)):
            above = bones[bone].parent
            pair = [bone, above.name] if above is not None and above.name in names else [bone]
            if not any(neighbours.get(one, {one}) & pose.keys() for one in pair):
                for one in pair:
                    spans = {axis: turns[one, axis] for axis in range(3) if (one, axis) in turns}
                    pose[one] = _turn({axis: chance.uniform(*span) for axis, span in spans.items()})
        poses.append(pose)
    return poses[:count]


def _turn(degrees):
    """A quaternion from {axis: degrees}."""
    return Euler([math.radians(degrees.get(axis, 0.0)) for axis in range(3)]).to_quaternion()


def cache_poses(armature, poses, content, skins, folder):
    """Caches poses {bone: turn} in GROUPS sequences. Returns the arguments of `pelt learn`."""
    rest = {node["name"]: node.get("rotation", (0, 0, 0, 1)) for node in content.json["nodes"]}
    arguments, moving, first = [], simulations(), bpy.context.scene.frame_current
    with scene.playing(armature, None), _simulating(moving, first, first + SETTLE):
        for i in range(min(GROUPS, len(poses))):
            written, points = [], []
            for pose in poses[i::GROUPS]:
                _settle(armature, pose, moving, first)
                written.append(_in_file(armature, rest))
                points.append(preview.seen([thing for _, thing, _ in skins]))
            file = os.path.join(folder, f"{i}.json")
            with open(file, "w", encoding="utf-8") as text:
                json.dump(written, text)
            arguments += _write(os.path.join(folder, f"{i}.pc2"), zip(*points), skins, range(len(written)), file)
    return arguments


def _settle(armature, pose, moving, first):
    """Poses the bones; simulations start from rest and follow."""
    _outdate(moving)
    for step in range(0 if moving else SETTLE, SETTLE + 1):
        _rest(armature)
        for bone, turn in pose.items():
            part = Quaternion().slerp(turn, min(2 * step / SETTLE, 1))
            armature.pose.bones[bone].matrix_basis = part.to_matrix().to_4x4()
        bpy.context.scene.frame_set(first + step if moving else first)


def _in_file(armature, rest):
    """{joint: its rotation in its parent, x, y, z, w} as constraints leave it; `rest`: as in the file."""
    matrices = {pose.name: pose.matrix for pose in armature.pose.bones}
    found = {}
    for pose in armature.pose.bones:
        place, turn, size = scene.basis(pose, matrices).decompose()
        if pose.name not in rest:
            continue
        if place.length > 1e-3 * max(armature.dimensions) or max(abs(side - 1) for side in size) > 1e-3:
            raise ExportError(f"Pelt: '{pose.name}' is moved or scaled in the joints' ranges: learn from Actions")
        x, y, z, w = rest[pose.name]
        w, x, y, z = Quaternion((w, x, y, z)) @ turn
        found[pose.name] = [x, y, z, w]
    return found


# Clips.


def _clips(armature, settings, most):
    """[(clip, action, frames)] of the clips that the export makes: every frame, or every nth of more than `most`."""
    clips = [(name, action, scene.frames_of(action)) for name, action in bake_bones.exported_clips(armature, settings)]
    if not clips:
        raise ExportError(f"Pelt: '{armature.name}' has no action to learn from: learn from Joint Ranges")
    step = math.ceil(sum(len(frames) for _, _, frames in clips) / most)
    return [(name, action, frames[::step]) for name, action, frames in clips]


def cache_clips(armature, clips, skins, folder):
    """Caches frames of clips. Returns the arguments of `pelt learn`."""
    arguments, moving = [], simulations()
    for i, (name, action, frames) in enumerate(clips):
        _rest(armature)
        with scene.playing(armature, action), _simulating(moving, frames[0], frames[-1]):
            points = preview.evaluated([thing for _, thing, _ in skins], frames, every=bool(moving))
        arguments += _write(os.path.join(folder, f"{i}.pc2"), points, skins, frames, name)
    return arguments


# Both.


def _write(path, points, skins, frames, poses):
    """Writes a cache in the file's order. `points`: frames x vertices x 3 of each skin, in Blender's order."""
    ordered = [numpy.array(of_skin)[:, numbers] for of_skin, (_, _, numbers) in zip(points, skins)]
    glb.write_cache(path, numpy.concatenate(ordered, axis=1), frames.start, frames.step)
    return ["--cache", path, "--poses", poses]


def _rest(armature):
    """As the exporter does before each clip: bones that it does not key stay at rest."""
    for pose in armature.pose.bones:
        pose.matrix_basis = Matrix.Identity(4)


@contextlib.contextmanager
def _simulating(moving, first, last):
    """A context in which simulations run from one frame to another, anew."""
    spans = [(modifier.point_cache.frame_start, modifier.point_cache.frame_end) for _, modifier in moving]
    for _, modifier in moving:
        modifier.point_cache.frame_start, modifier.point_cache.frame_end = first, last
    _outdate(moving)
    try:
        yield
    finally:
        for (_, modifier), (start, end) in zip(moving, spans):
            modifier.point_cache.frame_start, modifier.point_cache.frame_end = start, end
        _outdate(moving)


def _outdate(moving):
    """Makes simulations forget their frames, as edits of an object do."""
    for thing, _ in moving:
        thing.update_tag(refresh={"DATA"})
