# SPDX-License-Identifier: MIT
"""Learns how skins look here, with all their modifiers: caches them over poses and calls `pelt learn`.

Poses are frames of the clips, or bones turned within their ranges: one at a time and in pairs, and bones that deform no
common vertex together. Cloth and soft bodies are simulated from the first frame of each clip; in the ranges they start
from rest in each pose and are cached once they have settled, so that no pose depends on another.
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

from . import bake_bones, bendy, derive, fit, glb, preview, program, scene, session
from .session import ExportError

GROUPS = 4  # sequences of poses in the joints' ranges: pelt holds out whole sequences
LEAST, UNKNOWN = 20.0, 60.0  # degrees that a joint without limits turns either way, at least: with clips, without
SETTLE = 30  # frames of a simulation per pose, half of them moving
# The file must have every frame as Blender shows it, and joints at rest.
ON = "animations", "force_sampling", "nla_strips", "reset_pose_bones", "skins", "yup"
OFF = "apply", "current_frame", "frame_range"
OPTIONS = {"export_format": "GLB", "export_frame_step": 1, **{f"export_{name}": name in ON for name in ON + OFF}}


def learn(panel, file, options):
    """Exports the scene next to `file` as .glb, caches its skins, and writes what pelt learns of them to `file`.

    `options` are those of the exporter. Returns the lines that pelt prints. Raises ExportError, ProgramError.
    """
    if not program.path():
        raise program.ProgramError("pelt was not found: set its path in the add-on's preferences")
    preview.remove()
    options = {**options, **OPTIONS}
    settings = scene.settings_of(options)
    armature, things = _subject(panel, scene.Exported(settings))
    with contextlib.ExitStack() as stack:
        stack.callback(bpy.context.scene.frame_set, bpy.context.scene.frame_current)
        stack.enter_context(scene.kept_pose(armature))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        others = [m for thing in things for m in thing.modifiers if m.type not in ("ARMATURE", *scene.CARRIED)]
        shaped = _at_rest(armature, things, others)
        with scene.without(others):  # the file lacks them, and frames take less time
            if panel.learn_from == "RANGES":
                cache, poses = _cache_poses, _poses(panel, armature, things, settings)
            else:
                cache, poses = _cache_clips, _clips(armature, settings, panel.learn_poses)
            content = _export(panel, os.path.splitext(file)[0] + ".glb", options, shaped)
        skins = preview.skins(content)
        _check_names(armature, content, skins)
        arguments = []
        for i, (points, frames, name) in enumerate(cache(armature, poses, content, skins, folder)):
            path = os.path.join(folder, f"{i}.pc2")
            glb.write_cache(path, points, frames.start, frames.step)
            arguments += ["--cache", path, "--poses", name]
        arguments += ["--fps", str(bpy.context.scene.render.fps), "--within", f"{panel.learn_within:g}mm"]
        printed = program.run("learn", panel.file, *arguments, "-o", file)
    panel.character = file
    return [line for line in printed.splitlines() if line.strip()]


def _subject(panel, exported):
    """The armature and the skins to learn."""
    moving = {scene.armature_of(thing) for thing in exported.meshes} - {None}
    if not moving:
        raise ExportError("Pelt: no armature moves an exported mesh: select the character, or export all")
    if len(moving) > 1:
        raise ExportError(f"Pelt: {len(moving)} armatures move the exported meshes: export one at a time")
    for thing in exported.meshes:
        if not thing.visible_get():
            raise ExportError(f"Pelt: '{thing.name}' is hidden, so it does not move: show it, or do not export it")
    cages = [cage for thing in exported.meshes for cage in derive.layers_of(thing, panel.bendy).followed]
    things = [thing for thing in exported.meshes if thing not in cages]
    wrong = [(thing, _reshaping(thing), "changes the number of vertices: apply or hide it") for thing in things]
    wrong += [(*pair, "is baked: delete the bake") for pair in _simulations() if pair[1].point_cache.is_baked]
    for thing, modifier, why in wrong:
        if modifier is not None:
            raise ExportError(f"Pelt: the modifier '{modifier.name}' of '{thing.name}' cannot be learnt: it {why}")
    return moving.pop(), things


def _check_names(armature, content, skins):
    """Raises an error if a skin of the file is no mesh here, or a bone shares its name with another node."""
    for name, thing, numbers in skins:
        if thing is None or thing.type != "MESH" or numbers is None:
            raise ExportError(f"Pelt: '{name}' is no mesh of this scene: leave it out of the export")
    names = [node.get("name") for node in content.json["nodes"]]
    for bone in armature.pose.bones.keys():
        if names.count(bone) > 1:
            raise ExportError(f"Pelt: a bone and another object are called '{bone}': rename one")


def _reshaping(thing):
    """The first modifier that changes the number of vertices of a mesh, or None."""
    found = None
    with contextlib.ExitStack() as stack:
        for modifier in [modifier for modifier in reversed(thing.modifiers) if modifier.show_viewport]:
            if len(_points(thing)) != len(thing.data.vertices):
                stack.enter_context(scene.without([modifier]))
                found = modifier
    return found


def _at_rest(armature, things, modifiers):
    """A fit.Fit for each mesh that modifiers change at rest, as the file shall have it."""
    moving, first, made = _simulations(), bpy.context.scene.frame_current, [fit.Fit(thing) for thing in things]
    with scene.playing(armature, None), _simulating(moving, first, first + SETTLE):
        _settle(armature, {}, moving, first)
        for one in made:
            one.rest = _points(one.thing)
    with scene.playing(armature, None), scene.without(modifiers):
        _settle(armature, {}, [], first)
        for one in made:
            one.rest = one.rest - _points(one.thing)
    return [one for one in made if numpy.abs(one.rest).max() > fit.LEAST_OFFSET * max(one.thing.dimensions)]


def _points(thing):
    return scene.positions(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices)


def _export(panel, file, options, shaped):
    before = panel.bind, panel.vertex_numbers, None
    panel.bind, panel.vertex_numbers, session.learning = False, True, shaped
    try:
        bpy.ops.pelt.export(filepath=file, options=json.dumps(options))
    finally:
        panel.bind, panel.vertex_numbers, session.learning = before
    return glb.File(file)


def _poses(panel, armature, things, settings):
    turns = ranges(armature, things, settings)
    if bendy.bakes(panel.bendy, armature) or not turns:
        raise ExportError(f"Pelt: bones of '{armature.name}' become plain joints, or none turns: learn from Actions")
    together = {}
    for thing in things:
        names = {group: name for name, group in scene.painted_bones(thing, armature).items()}
        for vertex in thing.data.vertices:
            bones = [names[m.group] for m in vertex.groups if m.weight > 1e-3 and m.group in names]
            for bone in bones:
                together.setdefault(bone, set()).update(bones)
    return sampled(turns, together, armature.data.bones, panel.learn_poses)


def ranges(armature, things, settings):
    """{(bone, axis): (least, most)}, degrees: how far bones that move these meshes turn by limits, else by clips."""
    clips, measured = fit.turns_of_clips(armature, settings)
    painted = sorted({bone for thing in things for bone in scene.painted_bones(thing, armature)})
    found = {}
    for bone, axis in itertools.product(painted, range(3)):
        low, high = measured.get((bone, axis), (0.0, 0.0))
        least = LEAST if clips else UNKNOWN
        found[bone, axis] = _limits(armature.pose.bones[bone], axis) or (min(low, -least), max(high, least))
    return {key: span for key, span in found.items() if span[1] - span[0] > fit.LEAST_TURN}


def _limits(pose, axis):
    name = "xyz"[axis]
    if pose.lock_rotation[axis] or getattr(pose, f"lock_ik_{name}"):
        return 0.0, 0.0
    constraints = [limit for limit in pose.constraints if limit.type == "LIMIT_ROTATION" and not limit.mute]
    for limit, kind in (*((limit, "") for limit in constraints), (pose, "ik_")):
        if getattr(limit, f"use_{kind}limit_{name}"):
            return tuple(math.degrees(getattr(limit, f"{kind}{end}_{name}")) for end in ("min", "max"))
    return None


def sampled(turns, together, bones, count):
    """Returns `count` poses {bone: turn}: rest; bones about one axis, by thirds of its range; then pairs about all.

    `turns` are ranges(). `together`: {bone: bones that deform a vertex with it, and itself}. A pair is a bone and the
    one above. The same input gives the same poses.
    """
    chance, poses = random.Random(1), [{}]
    names = sorted({bone for bone, _ in turns})
    parts = 1 / 3, 2 / 3, 1
    singles = [(bone, {axis: end * part}) for (bone, axis), span in turns.items() for end in span for part in parts]
    chance.shuffle(singles)
    while singles and len(poses) < count / 2:
        pose = {}
        for single in list(singles):
            if not together.get(single[0], {single[0]}) & pose.keys():
                pose[single[0]] = _turn(single[1])
                singles.remove(single)
        poses.append(pose)
    while len(poses) < count:
        pose = {}
        for bone in chance.sample(names, len(names)):
            above = bones[bone].parent
            pair = [bone, above.name] if above is not None and above.name in names else [bone]
            if not any(together.get(one, {one}) & pose.keys() for one in pair):
                for one in pair:
                    spans = {axis: turns[one, axis] for axis in range(3) if (one, axis) in turns}
                    pose[one] = _turn({axis: chance.uniform(*span) for axis, span in spans.items()})
        poses.append(pose)
    return poses[:count]


def _turn(degrees):
    """A quaternion from {axis: degrees}."""
    return Euler([math.radians(degrees.get(axis, 0.0)) for axis in range(3)]).to_quaternion()


def _cache_poses(armature, poses, content, skins, folder):
    """Yields (frames x points x 3 in the file's order, their frames, the file of their poses) of GROUPS sequences."""
    rest = {node["name"]: node.get("rotation", (0, 0, 0, 1)) for node in content.json["nodes"]}
    moving, first = _simulations(), bpy.context.scene.frame_current
    with _playing(armature, None, "", content, skins), _simulating(moving, first, first + SETTLE):
        for i in range(min(GROUPS, len(poses))):
            written, points = [], []
            for pose in poses[i::GROUPS]:
                _settle(armature, pose, moving, first)
                written.append(_in_file(armature, rest))
                points.append(numpy.concatenate(preview.seen(skins)))
            file = os.path.join(folder, f"{i}.json")
            with open(file, "w", encoding="utf-8") as text:
                json.dump(written, text)
            yield points, range(len(written)), file


def _settle(armature, pose, moving, first):
    """Poses the bones; simulations start from rest and follow."""
    _forget(moving)
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
    for pose in (pose for pose in armature.pose.bones if pose.name in rest):
        place, turn, size = scene.basis(pose, matrices).decompose()
        if place.length > 1e-3 * max(armature.dimensions) or max(abs(side - 1) for side in size) > 1e-3:
            raise ExportError(f"Pelt: '{pose.name}' is moved or scaled in the joints' ranges: learn from Actions")
        x, y, z, w = rest[pose.name]
        w, x, y, z = Quaternion((w, x, y, z)) @ turn
        found[pose.name] = [x, y, z, w]
    return found


def _clips(armature, settings, most):
    """[(name, action, frames)] of the clips that the export makes: every frame, or every nth of more than `most`."""
    clips = [(name, action, scene.frames_of(action)) for name, action in bake_bones.exported_clips(armature, settings)]
    if not clips:
        raise ExportError(f"Pelt: '{armature.name}' has no action to learn from: learn from Joint Ranges")
    step = math.ceil(sum(len(frames) for _, _, frames in clips) / most)
    return [(name, action, frames[::step]) for name, action, frames in clips]


def _cache_clips(armature, clips, content, skins, folder):
    """Yields (frames x points x 3 in the file's order, their frames, name) of clips."""
    moving = _simulations()
    for name, action, frames in clips:
        _rest(armature)
        with _playing(armature, action, name, content, skins), _simulating(moving, frames[0], frames[-1]):
            yield numpy.concatenate(preview.evaluated(skins, frames, every=bool(moving)), axis=1), frames, name


@contextlib.contextmanager
def _playing(armature, action, name, content, skins):
    """A context in which a clip of the file moves bones and, if a track has its name, shape keys: else they rest."""
    nodes = dict(content.mesh_nodes())
    with contextlib.ExitStack() as stack:
        stack.enter_context(scene.playing(armature, action))
        for mesh, thing, _ in skins:
            keys, about = thing.data.shape_keys, content.json["meshes"][nodes[mesh]["mesh"]]
            targets = about.get("extras", {}).get("targetNames", [])
            moved = keys and dict(scene.clips(keys, {})).get(name)
            if keys:
                stack.enter_context(scene.playing(keys, moved))
            for key, weight in [] if moved else zip(targets, about.get("weights", [])):
                keys.key_blocks[key].value = weight
        yield


def _rest(armature):
    """As the exporter does before each clip: bones that it does not key stay at rest."""
    for pose in armature.pose.bones:
        pose.matrix_basis = Matrix.Identity(4)


def _simulations():
    """[(object, modifier)] that remember earlier frames."""
    things = bpy.context.scene.objects
    return [(thing, modifier) for thing in things for modifier in scene.active(thing, "CLOTH", "SOFT_BODY")]


@contextlib.contextmanager
def _simulating(moving, first, last):
    """A context in which simulations run again, from one frame to another."""
    caches = [modifier.point_cache for _, modifier in moving]
    spans = [(cache.frame_start, cache.frame_end) for cache in caches]
    try:
        for cache in caches:
            cache.frame_start, cache.frame_end = first, last
        _forget(moving)
        yield
    finally:
        for cache, span in zip(caches, spans):
            cache.frame_start, cache.frame_end = span
        _forget(moving)


def _forget(moving):
    """Makes simulations forget their frames, as edits of an object do."""
    for thing, _ in moving:
        thing.update_tag(refresh={"DATA"})
