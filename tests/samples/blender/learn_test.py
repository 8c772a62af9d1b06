# SPDX-License-Identifier: MIT
"""Learn as It Looks Here: caches of the modifier stack over the joints' ranges, actions and simulations."""
import json
import math
import os

import addon
import bpy
import compare
import digest
import fixtures
import numpy
import shape_cases


ERRORS = {"rms": 0, "most": 0}
CERTIFICATE = {"base": ERRORS, "fitted": ERRORS, "held_out": None, "contradictions": [], "regions": []}
CERTIFICATE.update(dict.fromkeys(("poses", "shapes", "bytes", "base_bytes"), 1))


def cached(name, learn_from, poses=25):
    """Runs the operator without `pelt learn`; returns the file, and {clip: (first frame, step, points)}."""
    addon.enable()
    from pelt_deformers import glb, program

    found, steps = {}, program.steps

    def caught(*arguments):
        for at in (i for i, argument in enumerate(arguments) if argument == "--cache"):
            with open(arguments[at + 1], "rb") as file:
                start, step = numpy.frombuffer(file.read(28)[20:], "<f4")
            found[os.path.basename(arguments[at + 3])] = start, step, glb.read_cache(arguments[at + 1]).copy()
        yield 0.5
        open(arguments[-1], "wb").close()
        return json.dumps(CERTIFICATE)

    program.steps = caught
    panel = bpy.context.scene.pelt
    panel.learn_from, panel.learn_poses = learn_from, poses
    file = os.path.join(addon.work(), name)
    try:
        bpy.ops.pelt.learn(filepath=file + ".pelt")
    finally:
        program.steps = steps
    return file + ".glb", found


def limb():
    """A bend with a driven key and Corrective Smooth; the file splits vertices at materials, and reorders them."""
    armature, skin = shape_cases.driven_key()
    for name in ("red", "blue"):
        skin.data.materials.append(bpy.data.materials.new(name))
    for face in list(skin.data.polygons)[::2]:
        face.material_index = 1
    smooth = skin.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
    smooth.factor, smooth.iterations = 0.5, 20
    armature.location = (0.3, -0.2, 0.1)
    armature.rotation_euler = (0.2, 0.1, 0.5)
    return armature, skin, smooth


def off(file, caches):
    """How far `pelt deform` is from caches, in parts of the size."""
    most = 0.0
    for clip, (start, step, points) in caches.items():
        frames = range(int(start), int(start) + int(step) * (len(points) - 1) + 1)
        of_pelt = compare.pelt_frames(file, clip, frames)["skin"][0][:: int(step)]
        most = max(most, numpy.linalg.norm(of_pelt - points, axis=2).max() / compare.size(points))
    return most


def caches_have_the_files_frames_order_and_space():
    for learn_from in ("ACTIONS", "RANGES"):
        armature, skin, smooth = limb()
        key = skin.data.shape_keys.key_blocks["biceps"]
        smooth.show_viewport, key.mute = False, True
        file, caches = cached("plain", learn_from)
        if learn_from == "ACTIONS":
            addon.figure("a cache without the modifier", off(file, caches), 1e-5)
        smooth.show_viewport, key.mute = True, False
        file, caches = cached("smooth", learn_from)
        if learn_from == "ACTIONS":
            addon.expect(off(file, caches) > 0.01, f"with it, they differ by {off(file, caches):.3f}")
        addon.expect(sum(len(points) for _, _, points in caches.values()) == 25, f"frames of {list(caches)}")


def the_scene_is_put_back():
    """Also values that the action would set in this frame, and if it is cancelled: then no file is written."""
    armature, skin, _ = limb()
    skin.shape_key_add(name="fat").value = 0.4
    bpy.context.scene.frame_set(7, subframe=0.5)
    armature.pose.bones["bone_1"].rotation_euler = (0.3, 0.2, 0.1)
    bpy.context.view_layer.update()
    addon.enable()
    from pelt_deformers import learn

    panel, before = bpy.context.scene.pelt, digest.of_file()
    panel.file = "exported.glb"
    for learn_from in ("RANGES", "ACTIONS"):
        panel.learn_from, panel.learn_poses = learn_from, 25
        for what in ("caching poses", "learning"):
            running = learn.steps(panel, os.path.join(addon.work(), "cancelled.pelt"), {})
            while next(running)[1] != what:
                pass
            running.close()
            changed = digest.differences(before, digest.of_file())
            addon.expect(not changed, f"cancelled while {what}, the scene is as it was {changed[:3]}")
        cached("whole", learn_from)
        changed = digest.differences(before, digest.of_file())
        addon.expect(not changed, f"and after it is learnt {changed[:3]}")
    addon.expect(bpy.context.scene.frame_subframe == 0.5, "also the part of a frame")
    addon.expect(not [name for name in os.listdir(addon.work()) if "cancelled" in name], "no file")
    addon.expect(panel.file.endswith("whole.glb"), "the panel names the file that was learnt")


def a_learnt_skin_plays_as_it_looks():
    """The joints' ranges are learnt; the clip is new to the learnt skin."""
    armature, skin, _ = limb()
    addon.enable()
    from pelt_deformers import glb, program

    panel, file = bpy.context.scene.pelt, os.path.join(addon.work(), "learnt")
    panel.learn_from, panel.learn_poses, panel.learn_within = "RANGES", 40, 2
    armature.pose.bones["bone_0"].lock_rotation = (True, True, True)
    armature.pose.bones["bone_1"].lock_rotation = (False, True, True)
    bpy.ops.pelt.learn(filepath=file + ".pelt")
    said = {item.text: item for item in panel.findings}
    addon.expect(any(text.startswith("unseen poses: average ") for text in said), f"the certificate: {list(said)}")
    region = next(item for text, item in said.items() if text.startswith("bone_1: "))
    addon.expect((region.object, region.bones) == (armature, '["bone_1"]'), "the button selects a region's bone")
    numbers = glb.File(file + ".glb").blender_vertices(dict(glb.File(file + ".glb").mesh_nodes())["skin"])
    of_blender = compare.blender_frames([skin], range(25))["skin"][:, numbers]
    off = [
        numpy.linalg.norm(program.deformed(file + end, "bend", 0, 24, 24) - of_blender, axis=2).max()
        for end in (".glb", ".pelt")
    ]
    addon.figure(f"learnt, of {1000 * off[0]:.1f} mm of the base", 1000 * off[1], 2, " mm")


def shape_keys_play_in_the_clips_that_have_them():
    armature, _ = shape_cases.key_in_a_clip()
    fixtures.clip(armature, "turn", {"bone_1": (0, 50, 0)})
    fixtures.track(armature, "turn")
    file, caches = cached("keyed", "ACTIONS")
    addon.figure("a cache with a keyed shape", off(file, caches), 1e-5)


def joints_turn_within_their_limits():
    armature, skin, _ = limb()
    from pelt_deformers import learn, scene

    limit = armature.pose.bones["bone_0"].constraints.new("LIMIT_ROTATION")
    limit.owner_space, limit.use_limit_x, limit.min_x, limit.max_x = "LOCAL", True, math.radians(-10), math.radians(50)
    armature.pose.bones["bone_0"].lock_rotation = (False, True, True)
    turns = learn.ranges(armature, [skin], scene.settings_of({}))
    rounded = {key: tuple(round(degrees) for degrees in span) for key, span in turns.items()}
    expected = {("bone_0", 0): (-10, 50), ("bone_1", 0): (-20, 90), ("bone_1", 1): (-20, 20), ("bone_1", 2): (-20, 20)}
    addon.expect(rounded == expected, f"ranges: {rounded}")
    limit.owner_space = "WORLD"
    far = learn.ranges(armature, [skin], scene.settings_of({}))["bone_0", 0]
    addon.expect(round(far[1]) == 20, f"those of limits in world space are left: {far}")
    addon.expect([note.bones for note in learn.limits_elsewhere(armature)] == [["bone_0"]], "with a note")
    poses = learn.sampled(turns, {}, armature.data.bones, 50)
    again = learn.sampled(turns, {}, armature.data.bones, 50)
    addon.expect(len(poses) == 50 and poses == again, "50 poses, the same each time")
    both = {"bone_0", "bone_1"}
    apart = learn.sampled(turns, {"bone_0": both, "bone_1": both}, armature.data.bones, 50)
    addon.expect([len(pose) for pose in apart[:25]] == [0] + 24 * [1], "one joint at a time, if they share a vertex")
    addon.expect({len(pose) for pose in apart[25:]} == {1, 2}, "then pairs")


def a_simulation_settles_from_rest_in_each_pose():
    fixtures.clear()
    armature = fixtures.chain(2)
    skin = fixtures.tube(armature, length=2, rings=9, sides=8, blend=0.4)
    fixtures.clip(armature, "bend", {"bone_1": (60, 0, 0)})
    cloth = skin.modifiers.new("cloth", "CLOTH")
    skin.vertex_groups.new(name="pin").add(range(64, 72), 1.0, "REPLACE")
    cloth.settings.vertex_group_mass = "pin"
    found = {}
    for name in ("cloth", "again", "armature"):
        cloth.show_viewport = name != "armature"
        file, caches = cached(name, "RANGES", 9)
        found[name] = numpy.concatenate([points for _, _, points in caches.values()])
    addon.expect((found["cloth"] == found["again"]).all(), "cached again, it is the same")
    away = numpy.linalg.norm(found["cloth"] - found["armature"], axis=2)
    from pelt_deformers import glb

    pinned = glb.File(file).blender_vertices(dict(glb.File(file).mesh_nodes())["skin"]) >= 64
    addon.figure("pins follow the joints in every pose, off", away[:, pinned].max(), 1e-5)
    addon.expect(away.max() > 0.1, f"other vertices fall by up to {away.max():.3f}")
    skin.modifiers.new("wave", "DISPLACE").strength = 0.3
    file, caches = cached("rest", "RANGES", 9)
    at_rest = compare.pelt_frames(file, "bend", [0])["skin"][0] - caches["0.json"][2][:1]
    addon.figure("at rest, the file is off", numpy.abs(at_rest).max(), 1e-5)
    cloth.show_viewport = True
    file, caches = cached("cloth", "ACTIONS", 8)
    ((start, step, points),) = caches.values()
    addon.expect((start, step, len(points)) == (0, 4, 7), f"every fourth of 25 frames: {start}, {step}, {len(points)}")
    for frame in range(9):
        bpy.context.scene.frame_set(frame)
    before = compare.blender_frames([skin], [8])["skin"]
    addon.expect(numpy.abs(before - compare.blender_frames([skin], [8])["skin"]).max() == 0, "it has come to a frame")
    cached("back", "RANGES", 8)
    addon.figure("back in that frame, off", numpy.abs(before - compare.blender_frames([skin], [8])["skin"]).max(), 1e-6)
    moved = numpy.linalg.norm(points[-1] - points[0], axis=1).max()
    addon.expect(moved > 0.1, f"the clip moves it by {moved:.3f}")


def what_cannot_be_learnt_is_said():
    _, skin, smooth = limb()
    skin.modifiers.new("finer", "SUBSURF")
    for name, learn_from, sentence in (
        ("finer", "RANGES", "the modifier 'finer' of 'skin' cannot be learnt: it changes the number of vertices"),
        (None, "ACTIONS", "has no action to learn from"),
        (None, "RANGES", "no armature moves an exported mesh"),
    ):
        if name is None:
            skin.modifiers.remove(skin.modifiers[-1])
            bpy.data.actions.remove(bpy.data.actions[0]) if learn_from == "ACTIONS" else skin.modifiers.clear()
        try:
            cached("refused", learn_from)
            raise AssertionError(f"not refused: {sentence}")
        except RuntimeError as error:
            addon.expect(sentence in str(error), f"{error}")
    addon.expect(not os.path.exists(os.path.join(addon.work(), "refused.glb")), "nothing is written")


addon.run(
    [
        caches_have_the_files_frames_order_and_space,
        the_scene_is_put_back,
        a_learnt_skin_plays_as_it_looks,
        shape_keys_play_in_the_clips_that_have_them,
        joints_turn_within_their_limits,
        a_simulation_settles_from_rest_in_each_pose,
        what_cannot_be_learnt_is_said,
    ]
)
