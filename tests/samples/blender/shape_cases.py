# SPDX-License-Identifier: MIT
"""Skins with shape keys, keyed and driven, and with Corrective Smooth."""
import math

import bpy
import fixtures


def skin_with_key(name, bend=90, sideways=0):
    """A tube on two bones with a shape key that swells its middle."""
    armature, skin = fixtures.limb(2, 2.0, rings=41, blend=0.8)
    skin.shape_key_add(name="Basis")
    key = skin.shape_key_add(name=name)
    for vertex, moved in zip(skin.data.vertices, key.data):
        swell = 1 + 0.6 * math.exp(-((vertex.co.z - 1.4) ** 2) / 0.1)
        moved.co = (vertex.co.x * swell, vertex.co.y * swell, vertex.co.z)
    fixtures.clip(armature, "bend", {"bone_1": (bend, sideways, 0)})
    return armature, skin, key


def drive(armature, key, expression):
    """Lets the turn of bone_1 drive a shape key."""
    return fixtures.driven_by_turn(key, "value", armature, "bone_1", expression)


def key_in_a_clip():
    armature, skin, key = skin_with_key("swell", bend=60)
    keys = skin.data.shape_keys
    for frame, value in ((0, 0.0), (12, 1.0), (24, 0.3)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    fixtures.linear(keys.animation_data.action)
    # One track of one name for both: so the exporter makes one clip of them.
    for owner in (armature, keys):
        fixtures.track(owner, "bend")
    return armature, skin


def _driven_key(expression, **options):
    armature, skin, key = skin_with_key("biceps", **options)
    drive(armature, key, expression)
    return armature, skin


driven_key = fixtures.case("driven_key", _driven_key, "turn / 1.5707963")
driven_key_from_30 = fixtures.case("driven_key_from_30", _driven_key, "(turn - 0.5235988) / 1.0471976", bend=120)
driven_key_turned_aside = fixtures.case("driven_key_turned_aside", _driven_key, "turn / 1.5707963", sideways=40)


def driven_key_by_curve():
    """The driver's own curve maps the angle: 0 up to 45 degrees, 1 from 90 on."""
    armature, skin, key = skin_with_key("biceps", bend=120)
    curve = drive(armature, key, "turn")
    for modifier in list(curve.modifiers):
        curve.modifiers.remove(modifier)
    for at, value in ((0, 0), (math.radians(45), 0), (math.radians(90), 1), (math.radians(180), 1)):
        point = curve.keyframe_points.insert(at, value)
        point.interpolation = "LINEAR"
    return armature, skin


def driven_by_property():
    """The driver reads a property: no corrective, but clips have it, and games a control."""
    armature, skin, key = skin_with_key("smile")
    armature["smile"] = 0.0
    curve = key.driver_add("value")
    variable = curve.driver.variables.new()
    variable.name = "smile"
    variable.targets[0].id, variable.targets[0].data_path = armature, '["smile"]'
    curve.driver.expression = "smile"
    for frame, value in ((0, 0.0), (24, 1.0)):
        armature["smile"] = value
        armature.keyframe_insert('["smile"]', frame=frame)
    fixtures.linear(armature.animation_data.action)
    return armature, skin


def corrective_smooth(factor=0.5, iterations=20):
    armature, skin = fixtures.limb(2, 2.0, radius=0.3, rings=41, blend=0.3)
    modifier = skin.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
    modifier.factor, modifier.iterations = factor, iterations
    fixtures.clip(armature, "bend", {"bone_1": (90, 0, 0)})
    return armature, skin


def corrective_smooth_two_joints():
    """Three bones, both joints turning about two axes at once."""
    armature, skin = fixtures.limb(3, 2.0, radius=0.3, rings=61, blend=0.3)
    modifier = skin.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
    modifier.factor, modifier.iterations = 0.5, 10
    fixtures.clip(armature, "bend", {"bone_1": (60, 0, 40), "bone_2": (-70, 30, 0)})
    return armature, skin


def corrective_smooth_preserve_volume():
    armature, skin = corrective_smooth()
    skin.modifiers["armature"].use_deform_preserve_volume = True
    return armature, skin


def lattice_on_a_bone():
    """A lattice whose upper half hangs on the second bone, which bends by 60 degrees; it bulges at rest already."""
    armature, skin = fixtures.limb(2, 2.0, radius=0.3, rings=41, blend=0.4)
    data = bpy.data.lattices.new("lattice")
    data.points_u, data.points_v, data.points_w = 2, 2, 5
    lattice = bpy.data.objects.new("lattice", data)
    bpy.context.scene.collection.objects.link(lattice)
    lattice.location, lattice.scale = (0, 0, 2), (1, 1, 4.2)
    lattice.parent = armature
    for name, points in (("bone_0", range(0, 10)), ("bone_1", range(10, 20))):
        lattice.vertex_groups.new(name=name).add(list(points), 1.0, "REPLACE")
    lattice.modifiers.new("armature", "ARMATURE").object = armature
    for point in data.points[8:12]:
        point.co_deform = (point.co.x * 1.3, point.co.y * 1.3, point.co.z)
    skin.modifiers.clear()
    skin.modifiers.new("armature", "ARMATURE").object = armature
    skin.modifiers.new("lattice", "LATTICE").object = lattice
    skin.modifiers["lattice"].strength = 0.3
    fixtures.clip(armature, "bend", {"bone_1": (60, 0, 0)})
    return armature, skin


KEYS = (key_in_a_clip, driven_key, driven_key_from_30, driven_key_by_curve, driven_key_turned_aside, driven_by_property)
assert bpy
