# SPDX-License-Identifier: MIT
"""Skins that follow cages by Surface Deform and Mesh Deform."""
import math

import bpy
import fixtures


def bind(thing, modifier):
    """Presses Bind at frame 0."""
    bpy.context.scene.frame_set(0)
    bpy.context.view_layer.update()
    operator = (
        bpy.ops.object.surfacedeform_bind if modifier.type == "SURFACE_DEFORM" else bpy.ops.object.meshdeform_bind
    )
    with bpy.context.temp_override(object=thing, active_object=thing):
        operator(modifier=modifier.name)
    if not modifier.is_bound:
        raise RuntimeError(f"Blender does not bind '{thing.name}'")


def tube_in_a_cage(preserve=False, skinned=True):
    """A tube that follows a coarse cage of 14 rings, which two bones bend by 60 degrees."""
    fixtures.clear()
    armature = fixtures.chain(2, length=2.0)
    cage = fixtures.tube(armature, length=4.0, radius=0.3, rings=15, sides=8, blend=1.2, bone_length=2.0, name="cage")
    cage.modifiers["armature"].use_deform_preserve_volume = preserve
    skin = fixtures.tube(None, length=4.0, radius=0.2, rings=61, sides=24, name="skin")
    if skinned:
        fixtures.paint(skin, armature, 2.0, 1.2)
    fixtures.clip(armature, "bend", {"bone_1": (60, 0, 0)})
    return armature, cage, skin


def surface(skin, cage, falloff=4.0, strength=1.0, group=""):
    modifier = skin.modifiers.new("surface", "SURFACE_DEFORM")
    modifier.target, modifier.falloff, modifier.strength, modifier.vertex_group = cage, falloff, strength, group
    bind(skin, modifier)
    return modifier


def _surface_deform(preserve=False, skinned=False, **options):
    armature, cage, skin = tube_in_a_cage(preserve, skinned)
    surface(skin, cage, **options)
    return skin, cage


surface_deform = fixtures.case("surface_deform", _surface_deform)
surface_deform_preserve_volume = fixtures.case("surface_deform_preserve_volume", _surface_deform, preserve=True)
surface_deform_falloff_8 = fixtures.case("surface_deform_falloff_8", _surface_deform, falloff=8.0)
surface_deform_strength_half = fixtures.case(
    "surface_deform_strength_half", _surface_deform, skinned=True, strength=0.5
)


def surface_deform_group():
    armature, cage, skin = tube_in_a_cage()
    group = skin.vertex_groups.new(name="soft")
    for vertex in skin.data.vertices:
        group.add([vertex.index], min(max(vertex.co.z / 2 - 0.5, 0), 1), "REPLACE")
    surface(skin, cage, group="soft")
    return skin, cage


def surface_deform_group_inverted():
    skin, cage = surface_deform_group()
    skin.modifiers["surface"].invert_vertex_group = True
    return skin, cage


def surface_deform_shape_key():
    """The cage has a shape key that the clip moves, and no bones."""
    fixtures.clear()
    cage = fixtures.tube(None, length=4.0, radius=0.3, rings=15, sides=8, name="cage")
    skin = fixtures.tube(None, length=4.0, radius=0.2, rings=61, sides=24, name="skin")
    cage.shape_key_add(name="Basis")
    key = cage.shape_key_add(name="wave")
    for vertex, moved in zip(cage.data.vertices, key.data):
        moved.co = vertex.co.copy()
        moved.co.x += 0.4 * math.sin(math.pi * vertex.co.z / 4)
    surface(skin, cage)
    keys = cage.data.shape_keys
    for frame, value in ((0, 0.0), (24, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    fixtures.linear(keys.animation_data.action).name = "bend"
    return skin, cage


def mesh_deform():
    armature, cage, skin = tube_in_a_cage(skinned=False)
    modifier = skin.modifiers.new("mesh", "MESH_DEFORM")
    modifier.object, modifier.precision = cage, 5
    bind(skin, modifier)
    return skin, cage


def surface_deform_simulated():
    """The cage waves by a modifier that no file has: the driver is streamed."""
    fixtures.clear()
    cage = fixtures.tube(None, length=4.0, radius=0.3, rings=31, sides=12, name="cage")
    skin = fixtures.tube(None, length=4.0, radius=0.2, rings=61, sides=24, name="skin")
    surface(skin, cage)
    wave = cage.modifiers.new("wave", "WAVE")
    wave.use_normal, wave.use_x, wave.use_y = False, True, False
    wave.height, wave.width, wave.narrowness, wave.speed, wave.time_offset = 0.3, 1.5, 1.5, 0.1, -24
    bpy.context.scene.frame_end = 24
    return skin, cage


CASES = (
    surface_deform,
    surface_deform_preserve_volume,
    surface_deform_falloff_8,
    surface_deform_strength_half,
    surface_deform_group,
    surface_deform_group_inverted,
    surface_deform_shape_key,
    mesh_deform,
)
