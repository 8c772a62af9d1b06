# SPDX-License-Identifier: MIT
"""Shared characters, imported into Blender: Preserve Volume, and baked bendy bones of their limbs; every vertex."""
import os

import addon
import bpy
import cage_cases
import compare
import fixtures
import numpy

CHARACTERS = (
    "CesiumMan.glb",
    "Fox.glb",
    "RiggedSimple.gltf",
    "mannequiny-0.3.0.glb",
    "robot.glb",
    "lumberjack.glb",
    "luke/luke_animated.gltf",
)

# Its clip scales joints unevenly: Blender scales the skin apart from its dual quaternions, and Pelt does not.
SCALED = {"lumberjack.glb": 0.02}


def folder():
    return os.path.join(os.environ["PELT_SHARED"], "assets/characters")


def bring(name, bones="BLENDER"):
    """Imports a character, and returns its skinned meshes and armature, with its longest action."""
    fixtures.clear()
    addon.enable()
    bpy.ops.import_scene.gltf(filepath=os.path.join(folder(), name), bone_heuristic=bones)
    armature = next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE")
    skins = [thing for thing in bpy.context.scene.objects if thing.type == "MESH" and thing.find_armature() == armature]
    for thing in list(bpy.context.scene.objects):
        if thing.type == "MESH" and thing not in skins:
            bpy.data.objects.remove(thing)
    action = max(bpy.data.actions, key=lambda action: action.frame_range[1])
    for track in list(armature.animation_data.nla_tracks):
        armature.animation_data.nla_tracks.remove(track)
    for other in list(bpy.data.actions):
        if other != action:
            bpy.data.actions.remove(other)
    armature.animation_data.action = action
    action.name = "clip"
    # The exporter samples whole frames from the first key on, and shifts them if that lies between two.
    action.use_frame_range = True
    action.frame_start, action.frame_end = int(action.frame_range[0]), int(action.frame_range[1])
    return armature, skins, action


def frames_of(action):
    first, last = (int(frame) for frame in action.frame_range)
    return list(range(first, min(last, first + 40) + 1))


def compare_all(name, skins, action, bendy, drivers=(), smooth=True):
    frames = frames_of(action)
    of_blender = compare.blender_frames(skins, frames)
    for skin in skins:
        for modifier in skin.modifiers:
            modifier.show_viewport = modifier.show_viewport and (smooth or modifier.type != "CORRECTIVE_SMOOTH")
    file = addon.export(name, bendy=bendy)
    of_pelt = compare.pelt_frames(file, "clip", list(range(0, frames[-1] + 1)), drivers)
    of_pelt = {mesh: (points[frames[0] :], numbers) for mesh, (points, numbers) in of_pelt.items()}
    found = numpy.concatenate([compare.distances(of_blender[mesh], of_pelt[mesh]).ravel() for mesh in of_pelt])
    found /= max(compare.size(points) for points in of_blender.values())
    print(
        f"PRINT {name}: root of the mean square {(found ** 2).mean() ** 0.5:.2e}, 99 of 100 within "
        f"{numpy.percentile(found, 99):.2e}, all within {found.max():.2e}"
    )
    return found


def moved_by(character, preserve):
    armature, skins, action = bring(character)
    for thing in skins:
        for modifier in thing.modifiers:
            modifier.use_deform_preserve_volume = preserve
    name = os.path.basename(character).split(".")[0]
    return name, compare_all(f"{name}_{'dq' if preserve else 'lb'}.glb", skins, action, "CURVES").max()


def linear_blend():
    for character in CHARACTERS:
        name, worst = moved_by(character, False)
        addon.figure(f"linear_blend {name}", worst, 1e-4)


def preserve_volume():
    for character in CHARACTERS:
        name, worst = moved_by(character, True)
        addon.figure(f"preserve_volume {name}", worst, SCALED.get(character, 1e-4))


def baked_bendy_bones():
    for character in CHARACTERS:
        armature, skins, action = bring(character)
        for bone in armature.data.bones:
            if bone.children:
                bone.bbone_segments = 6
        name = os.path.basename(character).split(".")[0]
        addon.figure(f"joints {name}", compare_all(f"{name}_joints.glb", skins, action, "JOINTS").max(), 1e-4)


def connect(armature):
    """Makes bendy bones of the chains of an armature: of bones whose tail is the head of another one."""
    fixtures.edit_bones(armature)
    chained = set()
    for bone in armature.data.edit_bones:
        above = bone.parent
        if above is not None and (bone.head - above.tail).length < 1e-3 * above.length:
            bone.use_connect = True
            chained |= {bone.name, above.name}
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in chained:
        armature.data.bones[name].bbone_segments = 8
    return chained


def bendy_curves():
    """Bendy bones as a curve skeleton, of which the clips of characters ask more than 15 degrees a joint."""
    for character, limit in (("CesiumMan.glb", 0.025), ("Fox.glb", 0.025), ("mannequiny-0.3.0.glb", 0.015)):
        armature, skins, action = bring(character, "FORTUNE")
        chained = connect(armature)
        name = os.path.basename(character).split(".")[0]
        print(f"PRINT {name}: {len(chained)} bendy bones of {len(armature.data.bones)}")
        found = compare_all(f"{name}_curves.glb", skins, action, "CURVES")
        addon.figure(f"curves {name}, 99 of 100", numpy.percentile(found, 99), limit)


def in_a_cage(character, kind):
    """A character's meshes follow a cage that is made of them: merged, remeshed evenly, and painted as they are."""
    armature, skins, action = bring(character)
    for thing in bpy.context.view_layer.objects:
        thing.select_set(False)
    bpy.context.scene.frame_set(0)
    copies = []
    for skin in skins:
        copy = skin.copy()
        copy.data = skin.data.copy()
        bpy.context.scene.collection.objects.link(copy)
        copies.append(copy)
    with bpy.context.temp_override(active_object=copies[0], selected_editable_objects=copies):
        bpy.ops.object.join()
    cage = copies[0]
    cage.name = "cage"
    armature.data.pose_position = "REST"
    bpy.context.view_layer.update()
    extent = max(cage.dimensions)
    source = cage.copy()
    source.data = cage.data.copy()
    bpy.context.scene.collection.objects.link(source)
    cage.vertex_groups.clear()
    cage.modifiers.clear()
    for name, values in (
        ("REMESH", {"mode": "VOXEL", "voxel_size": extent / cage.matrix_world.median_scale / 60}),
        ("DISPLACE", {"strength": 0.012 * extent / cage.matrix_world.median_scale, "mid_level": 0}),
        ("TRIANGULATE", {}),
    ):
        modifier = cage.modifiers.new(name, name)
        for key, value in values.items():
            setattr(modifier, key, value)
    groups = [group.name for group in source.vertex_groups]
    for name in groups:
        cage.vertex_groups.new(name=name)
    with bpy.context.temp_override(object=cage, active_object=cage, selected_objects=[cage]):
        for name in ("REMESH", "DISPLACE", "TRIANGULATE"):
            bpy.ops.object.modifier_apply(modifier=name)
        for name in groups:
            if name not in cage.vertex_groups:
                cage.vertex_groups.new(name=name)
        transfer = cage.modifiers.new("weights", "DATA_TRANSFER")
        transfer.object, transfer.use_vert_data, transfer.data_types_verts = source, True, {"VGROUP_WEIGHTS"}
        transfer.vert_mapping = "POLYINTERP_NEAREST"
        bpy.ops.object.modifier_apply(modifier="weights")
    bpy.data.objects.remove(source)
    cage.modifiers.new("armature", "ARMATURE").object = armature
    bpy.context.view_layer.update()
    for skin in skins:
        skin.modifiers.clear()
        skin.vertex_groups.clear()
        modifier = skin.modifiers.new("cage", kind)
        if kind == "SURFACE_DEFORM":
            modifier.target = cage
        else:
            modifier.object, modifier.precision = cage, 6
        cage_cases.bind(skin, modifier)
    armature.data.pose_position = "POSE"
    return skins, cage, action


def cages():
    # Mesh Deform does not move vertices outside of its cage: thin parts that the remesh lost.
    for character, kind, limit in (
        ("CesiumMan.glb", "SURFACE_DEFORM", 0.01),
        ("CesiumMan.glb", "MESH_DEFORM", 0.01),
        ("Fox.glb", "SURFACE_DEFORM", 0.01),
        ("Fox.glb", "MESH_DEFORM", 0.03),
        ("mannequiny-0.3.0.glb", "SURFACE_DEFORM", 0.04),
    ):
        skins, cage, action = in_a_cage(character, kind)
        name = f"{os.path.basename(character).split('.')[0]}_{kind.lower()}"
        found = compare_all(f"{name}.glb", skins, action, "CURVES", ("cage",))
        addon.figure(f"{name}, 99 of 100", numpy.percentile(found, 99), limit)


def corrective_smooth():
    """Compares characters of many joints, of which the shapes that matter most are kept, with no correction too."""
    for character, limit in (("CesiumMan.glb", 0.02), ("Fox.glb", 0.03)):
        armature, skins, action = bring(character)
        for skin in skins:
            weld(skin)
            modifier = skin.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
            modifier.factor, modifier.iterations = 0.5, 5
        name = os.path.basename(character).split(".")[0]
        found = compare_all(f"{name}_smooth.glb", skins, action, "CURVES")
        plain = compare_all(f"{name}_smooth_plain.glb", skins, action, "CURVES", (), False)
        addon.figure(f"corrective_smooth {name}", found.max(), limit)
        addon.expect((found**2).mean() < (plain**2).mean(), "nearer than without")


def weld(skin):
    """Merges coincident vertices, so that a modifier smooths over the seams of a file."""
    with bpy.context.temp_override(active_object=skin, object=skin, selected_objects=[skin]):
        bpy.context.view_layer.objects.active = skin
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.remove_doubles(threshold=1e-5)
        bpy.ops.object.mode_set(mode="OBJECT")


addon.run([linear_blend, preserve_volume, baked_bendy_bones, bendy_curves, cages, corrective_smooth])
