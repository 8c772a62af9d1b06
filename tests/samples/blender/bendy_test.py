# SPDX-License-Identifier: MIT
"""Bendy bones, case by case: as a curve skeleton, and baked as plain joints; every vertex against Blender's."""
import addon
import bendy_cases
import bpy
import compare
import fixtures

# Tolerance of the curve skeleton, in bone lengths.
CURVES = {
    bendy_cases.default_handles: 0.004,
    bendy_cases.bends_of_30: 0.008,
    bendy_cases.bends_of_60: 0.018,
    bendy_cases.twist_of_90: 0.012,
    bendy_cases.ease_half: 0.008,
    bendy_cases.ease_two: 0.035,
    bendy_cases.roll_of_60: 0.008,
    bendy_cases.scaled: 0.004,
    bendy_cases.keyed_and_still: 0.004,
    bendy_cases.bowed_at_rest: 0.006,
    bendy_cases.preserve_volume: 0.004,
    bendy_cases.one_bendy_bone: 0.018,
    bendy_cases.automatic_handles_of_others: 1e-5,
}
NOT_FOLLOWED = {  # the add-on reports it, and falls back to joints
    bendy_cases.not_connected: 0.02,
    bendy_cases.bowed_in_pose: 0.1,
    bendy_cases.absolute_handles: 0.05,
    bendy_cases.tangent_handles: 0.08,
    bendy_cases.handles_that_scale_and_ease: 0.12,
    bendy_cases.animated_values: 0.2,
    bendy_cases.relative_handles: 0.25,
}


def measure(case, bendy, name, limit):
    """Exports a case, and holds its vertices to a limit in parts of its size."""
    _, skin = case()
    file = addon.export(f"{case.__name__}.glb", bendy=bendy)
    addon.figure(f"{name} {case.__name__}", compare.off(skin, file).max(), limit)


def as_curve_skeleton():
    for case, limit in (CURVES | NOT_FOLLOWED).items():
        armature, skin = case()
        lengths = compare.size(compare.blender_frames([skin], [0])["skin"]) / armature.data.bones["bone_0"].length
        measure(case, "CURVES", "curves", limit / lengths)


def as_joints():
    for case in CURVES | NOT_FOLLOWED:
        measure(case, "JOINTS", "joints", 1e-4)


def as_it_fits():
    """By default a curve skeleton if it follows, and otherwise joints."""
    for case in (bendy_cases.default_handles, bendy_cases.scaled, bendy_cases.keyed_and_still, *NOT_FOLLOWED):
        measure(case, "AUTO", "as it fits", 1e-4 if case in NOT_FOLLOWED else 0.002)
        said = [item.text for item in bpy.context.scene.pelt.findings if "become plain joints" in item.text]
        addon.expect(bool(said) == (case in NOT_FOLLOWED), f"{case.__name__}: {said}")


def clips_of(file):
    from pelt_deformers import glb

    return sorted(animation["name"] for animation in glb.File(file).json["animations"])


def joints_of_many_clips():
    """An active action, a track, an unused action, constraints and drivers: the same clips as without baking."""
    armature, skin = bendy_cases.limb(30)
    bend = armature.animation_data.action
    fixtures.clip(armature, "twist", {"bone_1": (0, 60, 0), "bone_3": (20, 80, 0)})
    twist = armature.animation_data.action
    fixtures.clip(armature, "loose", {"bone_2": (45, 0, 0)})
    loose = armature.animation_data.action
    loose.use_fake_user = True
    fixtures.track(armature, "turned", twist).mute = True
    armature.animation_data.action = bend
    copied = armature.pose.bones["bone_3"].constraints.new("COPY_ROTATION")
    copied.target, copied.subtarget, copied.influence = armature, "bone_2", 0.5
    copied.owner_space = copied.target_space = "LOCAL"
    fixtures.driven_by_turn(armature.pose.bones["bone_1"], "bbone_curveinx", armature, "bone_2", "turn / 4")
    plain = addon.export("clips_plain.glb", bind=False)
    baked = addon.export("clips_baked.glb", bendy="JOINTS")
    addon.expect(clips_of(baked) == clips_of(plain) == ["bend", "loose", "turned"], f"{clips_of(baked)}")
    bpy.context.scene.frame_set(24)  # bones that a clip does not key stand as the one before has left them
    for name, action in (("bend", bend), ("turned", twist), ("loose", loose)):
        armature.animation_data.action = action
        addon.figure(f"joints of clip {name}", compare.off(skin, baked, name).max(), 1e-4)
    armature.animation_data.action = bend
    merged = addon.export("clips_merged.glb", bendy="JOINTS", export_nla_strips=False)
    addon.expect(clips_of(merged) == ["Animation"], f"{clips_of(merged)}")
    addon.figure("joints of the merged clip", compare.off(skin, merged, "Animation").max(), 1e-4)


addon.run([as_curve_skeleton, as_joints, as_it_fits, joints_of_many_clips])
