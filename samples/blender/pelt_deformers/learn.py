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

from . import bake_bones, bendy, checks, derive, fit, glb, preview, program, scene, session
from .session import ExportError

GROUPS = 4  # sequences of poses in the joints' ranges: pelt holds out whole sequences
LEAST, UNKNOWN = 20.0, 60.0  # degrees that a joint without limits turns either way, at least: with clips, without
LISTED = 6  # regions and contradictions in the panel
SETTLE = 30  # frames of a simulation per pose, half of them moving
# The file must have every frame as Blender shows it, and joints at rest.
ON = "animations", "force_sampling", "nla_strips", "reset_pose_bones", "skins", "yup"
OFF = "apply", "current_frame", "frame_range"
OPTIONS = {"export_format": "GLB", "export_frame_step": 1, **{f"export_{name}": name in ON for name in ON + OFF}}


def steps(panel, file, options):
    """Exports the scene next to `file` as .glb, caches its skins, and writes what pelt learns of them to `file`.

    A generator: yields the finished share, 0 to 1, and what follows; returns the certificate as findings. `options` are
    those of the exporter. If it is closed, or raises ExportError or ProgramError, no file is written, and the scene is
    as it was.
    """
    yield 0.0, "exporting"
    program.found()
    preview.remove()
    options = {**options, **OPTIONS}
    settings = scene.settings_of(options)
    armature, things = _subject(panel, scene.Exported(settings))
    with contextlib.ExitStack() as stack:
        stack.enter_context(scene.kept_keys(things))
        stack.enter_context(scene.kept_pose(armature))  # after the frame, which sets what is keyed
        stack.enter_context(_kept_frame())
        stack.enter_context(scene.kept_pose(armature))  # before, for simulations
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        targets = os.path.splitext(file)[0] + ".glb", file
        if os.path.exists(targets[0]) and glb.File(targets[0]).rig() is None:
            raise ExportError(f"Pelt: '{targets[0]}' was not exported by Pelt: choose another name")
        beside = stack.enter_context(tempfile.TemporaryDirectory(prefix=".pelt", dir=os.path.dirname(file) or os.curdir))
        model, character = (os.path.join(beside, os.path.basename(path)) for path in targets)
        others = [m for thing in things for m in thing.modifiers if m.type not in ("ARMATURE", *scene.CARRIED)]
        shaped, notes = _at_rest(armature, things, others), []
        with scene.without(others):  # the file lacks them, and frames take less time
            if panel.learn_from == "RANGES":
                cache, poses = _cache_poses, _poses(panel, armature, things, settings)
                notes = limits_elsewhere(armature)
            else:
                cache, poses = _cache_clips, _clips(armature, settings, panel.learn_poses)
            content = _export(panel, model, options, shaped)
        skins = preview.skins(content)
        _check_names(armature, content, skins)
        caches = []  # arguments
        yield from _part(0.1, 0.6, "caching poses", cache(armature, poses, content, skins, folder, caches))
        caches += ["--fps", str(bpy.context.scene.render.fps), "--within", f"{panel.learn_within:g}mm"]
        learning = program.steps("learn", model, *caches, "--json", "-o", character)
        printed = yield from _part(0.6, 1.0, "learning", learning)
        for made, target in zip((character, model), reversed(targets)):
            os.replace(made, target)
        panel.file, panel.character = targets
    return notes + certificate(json.loads(printed), armature)


def _part(start, end, what, parts):
    """Runs a generator of shares, a part of the whole; returns its value."""
    with contextlib.closing(parts):
        while True:
            try:
                share = next(parts)
            except StopIteration as done:
                return done.value
            yield start + (end - start) * share, what


def certificate(learnt, armature):
    """Findings that tell an artist how well a character was learnt, each with the bone that it is about."""

    def of(errors):
        return f"average {1000 * errors['rms']:.2f}, most {1000 * errors['most']:.1f} mm"

    unseen, found = learnt["held_out"], checks.Findings()
    if unseen:
        found.info(f"unseen poses: {of(unseen)}")
    found.info(f"the {learnt['poses']} poses: {of(learnt['fitted'])}")
    found.info(f"without the shapes: {of(learnt['base'])}")
    share = learnt["bytes"] / learnt["base_bytes"]
    found.info(f"{learnt['shapes']} shapes, {1e-6 * learnt['bytes']:.1f} MB, {share:.2f} times the base")
    for pair in learnt["contradictions"][:LISTED]:
        bone, poses = pair["joint"], " and ".join(pair["poses"])
        text = f"{bone}: no pose explains {1000 * pair['distance']:.1f} mm, by which {poses} differ"
        found.warning(text, armature, [bone])
    for region in learnt["regions"][:LISTED]:
        errors = region["held_out" if unseen else "fitted"]
        found.info(f"{region['joint']}: {of(errors)}", armature, [region["joint"].split(":bend_")[0]])
    return found


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
    before = panel.bind, panel.vertex_numbers, None, panel.file, panel.character, panel.summary
    panel.bind, panel.vertex_numbers, session.learning = False, True, shaped
    try:
        bpy.ops.pelt.export(filepath=file, options=json.dumps(options))
    finally:
        panel.bind, panel.vertex_numbers, session.learning, panel.file, panel.character, panel.summary = before
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
    constraints = [limit for limit in _limit_rotations(pose) if limit.owner_space == "LOCAL"]
    for limit, kind in (*((limit, "") for limit in constraints), (pose, "ik_")):
        if getattr(limit, f"use_{kind}limit_{name}"):
            return tuple(math.degrees(getattr(limit, f"{kind}{end}_{name}")) for end in ("min", "max"))
    return None


def _limit_rotations(pose):
    return [limit for limit in pose.constraints if limit.type == "LIMIT_ROTATION" and not limit.mute]


def limits_elsewhere(armature):
    """Findings on limits of which the ranges are not made, since they are not in the bones' own axes."""
    found = checks.Findings()
    for pose in armature.pose.bones:
        if pose.bone.use_deform and any(limit.owner_space != "LOCAL" for limit in _limit_rotations(pose)):
            text = "Limit Rotation is not in Local Space, so that its range is not read, but poses keep to it"
            found.info(f"{pose.name}: {text}", armature, [pose.name])
    return found


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


def _cache_poses(armature, poses, content, skins, folder, caches):
    """Writes the points of poses in GROUPS sequences, and their files' arguments to `caches`; yields what is done."""
    rest = {node["name"]: node.get("rotation", (0, 0, 0, 1)) for node in content.json["nodes"]}
    moving, first, done = _simulations(), bpy.context.scene.frame_current, 0
    with _playing(armature, None, "", content, skins), _simulating(moving, first, first + SETTLE):
        for i in range(min(GROUPS, len(poses))):
            written, points = [], []
            for pose in poses[i::GROUPS]:
                _settle(armature, pose, moving, first)
                written.append(_in_file(armature, rest))
                points.append(numpy.concatenate(preview.seen(skins)))
                done += 1
                yield done / len(poses)
            file = os.path.join(folder, f"{i}.json")
            with open(file, "w", encoding="utf-8") as text:
                json.dump(written, text)
            _write(points, range(len(written)), file, folder, caches)


def _write(points, frames, poses, folder, caches):
    name = bpy.path.clean_name(os.path.splitext(os.path.basename(poses))[0])
    path = os.path.join(folder, f"{name}_{len(caches) // 4}.pc2")
    glb.write_cache(path, points, frames.start, frames.step)
    caches += ["--cache", path, "--poses", poses]


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


def _cache_clips(armature, clips, content, skins, folder, caches):
    """The same of clips. Simulations need the frames in between."""
    moving, done, all_frames = _simulations(), 0, sum(len(frames) for _, _, frames in clips)
    for name, action, frames in clips:
        _rest(armature)
        points = []
        with _playing(armature, action, name, content, skins), _simulating(moving, frames[0], frames[-1]):
            for frame in range(frames[0], frames[-1] + 1) if moving else frames:
                bpy.context.scene.frame_set(frame)
                if frame in frames:
                    points.append(numpy.concatenate(preview.seen(skins)))
                    done += 1
                yield done / all_frames
        _write(points, frames, name, folder, caches)


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


@contextlib.contextmanager
def _kept_frame():
    """A context after which the scene is in the frame of before; simulations that had come to it do so again."""
    now, first = bpy.context.scene, min((m.point_cache.frame_start for _, m in _simulations()), default=0)
    frame, part = now.frame_current, now.frame_subframe
    ran = any(m.point_cache.info and not m.point_cache.is_outdated for _, m in _simulations())
    try:
        yield
    finally:
        for before in range(first, frame) if ran else ():
            now.frame_set(before)
        now.frame_set(frame, subframe=part)


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
        bpy.context.view_layer.update()  # forgets before the frame changes


def _forget(moving):
    """Makes simulations forget their frames, as edits of an object do."""
    for thing, _ in moving:
        thing.update_tag(refresh={"DATA"})
