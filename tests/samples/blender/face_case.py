# SPDX-License-Identifier: MIT
"""A face made by script: a jaw, shape keys for a smile and for cheeks, and a shape that the jaw drives."""
import math

import bpy
import fixtures
import mathutils


def _hill(value, width):
    return math.exp(-((value / width) ** 2))


def _shape(x, y, z):
    """A point of the unit sphere becomes one of a head that looks along -y."""
    front = max(-y, 0.0) ** 0.5
    side = abs(x)
    px, py, pz = 0.78 * x, 0.95 * y, 1.12 * z
    out = 0.26 * _hill(x, 0.13) * _hill(z + 0.06, 0.14) + 0.12 * _hill(x, 0.09) * _hill(z - 0.08, 0.16)
    out += 0.07 * _hill(side - 0.33, 0.25) * _hill(z - 0.34, 0.09) - 0.13 * _hill(side - 0.36, 0.15) * _hill(
        z - 0.17, 0.11
    )
    out += 0.07 * _hill(x, 0.24) * (_hill(z + 0.36, 0.05) + _hill(z + 0.5, 0.055)) - 0.07 * _hill(x, 0.27) * _hill(
        z + 0.43, 0.025
    )
    out += 0.13 * _hill(x, 0.24) * _hill(z + 0.74, 0.14)
    out += 0.05 * _hill(side - 0.5, 0.16) * _hill(z + 0.12, 0.16)
    return px * (1 - 0.16 * _hill(z + 0.8, 0.5)), py - out * front, pz


def _step(value, low, high):
    t = min(max((value - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


def face(smooth=False):
    """Frames 0 to 24: the jaw opens by 15 degrees, the mouth smiles, the cheeks fill."""
    fixtures.clear()
    data = bpy.data.armatures.new("rig")
    armature = bpy.data.objects.new("rig", data)
    bpy.context.scene.collection.objects.link(armature)
    fixtures.edit_bones(armature)
    head = data.edit_bones.new("head")
    head.head, head.tail = (0, 0.3, -1.2), (0, 0.3, 0.6)
    jaw = data.edit_bones.new("jaw")
    jaw.head, jaw.tail, jaw.parent = (0, 0.05, -0.2), (0, -0.8, -0.85), head
    bpy.ops.object.mode_set(mode="OBJECT")
    for pose in armature.pose.bones:
        pose.rotation_mode = "XYZ"
    rings, sides = 140, 180
    vertices, faces = [], []
    for i in range(rings + 1):
        up = math.pi * i / rings - math.pi / 2
        for j in range(sides):
            turn = 2 * math.pi * j / sides - math.pi / 2
            vertices.append(_shape(math.cos(up) * math.cos(turn), math.cos(up) * math.sin(turn), math.sin(up)))
    for i in range(rings):
        for j in range(sides):
            a, b = i * sides + j, i * sides + (j + 1) % sides
            faces.append((a, b, b + sides, a + sides))
    skin = fixtures.mesh("face", vertices, faces)
    weights = {"head": [], "jaw": []}
    for vertex in skin.data.vertices:
        x, y, z = vertex.co
        jawed = (1 - _step(z, -0.56, -0.4)) * (1 - 0.9 * _step(abs(x), 0.22, 0.62)) * _step(-y, -0.3, 0.5)
        weights["jaw"].append(jawed)
        weights["head"].append(1 - jawed)
    for name, values in weights.items():
        group = skin.vertex_groups.new(name=name)
        for i, value in enumerate(values):
            if value > 0:
                group.add([i], value, "REPLACE")
    skin.parent = armature
    skin.modifiers.new("armature", "ARMATURE").object = armature
    if smooth:
        modifier = skin.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
        modifier.iterations = 10
    _keys(armature, skin)
    return armature, skin


def _keys(armature, skin):
    skin.shape_key_add(name="Basis")
    shapes = {
        "smile": lambda x, y, z: _scaled(
            (math.copysign(0.09, x), 0.06, 0.10),
            _hill(abs(x) - 0.26, 0.12) * _hill(z + 0.44, 0.13) * _step(-y, 0.2, 0.5),
        ),
        "cheeks": lambda x, y, z: _scaled(
            (math.copysign(0.12, x), -0.12, 0.0),
            _hill(abs(x) - 0.42, 0.16) * _hill(z + 0.25, 0.2) * _step(-y, 0.1, 0.4),
        ),
        "jaw_open": lambda x, y, z: _scaled(
            (math.copysign(-0.06, x), -0.05, 0.0),
            _hill(abs(x) - 0.4, 0.15) * _hill(z + 0.55, 0.2) * _step(-y, 0.0, 0.4),
        ),
    }
    for name, move in shapes.items():
        key = skin.shape_key_add(name=name)
        for vertex, moved in zip(skin.data.vertices, key.data):
            moved.co = vertex.co + mathutils.Vector(move(*vertex.co))
    keys = skin.data.shape_keys
    for name, end in (("smile", 0.55), ("cheeks", 0.35)):
        for frame, value in ((0, 0.0), (24, end)):
            keys.key_blocks[name].value = value
            keys.key_blocks[name].keyframe_insert("value", frame=frame)
    fixtures.linear(keys.animation_data.action)
    fixtures.driven_by_turn(keys.key_blocks["jaw_open"], "value", armature, "jaw", "turn / 0.2618")
    fixtures.clip(armature, "talk", {"jaw": (15, 0, 0)})
    for owner in (armature, keys):
        fixtures.track(owner, "talk")


def _scaled(vector, by):
    return [part * by for part in vector]
