# SPDX-License-Identifier: MIT
"""Characters that the tests make by script."""
import math

import bpy


def case(name, make, *arguments, **options):
    """A case of that name: a function that makes it."""

    def made():
        return make(*arguments, **options)

    made.__name__ = name
    return made


def clear():
    """Leaves an empty scene at 24 frames a second."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 24


def chain(bones=4, length=1.0, name="rig", joined=True):
    """An armature along +z whose bones are called bone_0, bone_1 and so on."""
    data = bpy.data.armatures.new(name)
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    edit_bones(thing)
    above = None
    for i in range(bones):
        bone = data.edit_bones.new(f"bone_{i}")
        bone.head, bone.tail = (0, 0, i * length), (0, 0, (i + 1) * length)
        bone.parent, bone.use_connect = above, joined and above is not None
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in thing.pose.bones:
        bone.rotation_mode = "XYZ"
    return thing


def limb(bones=2, length=1.0, **options):
    """An empty scene with a chain and a tube on it; returns both. `options`: of tube()."""
    clear()
    armature = chain(bones, length)
    return armature, tube(armature, length=bones * length, bone_length=length, **options)


def edit_bones(thing):
    """Opens an armature for editing."""
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")


def tube(armature=None, length=4.0, radius=0.2, rings=41, sides=16, blend=0.0, name="skin", bone_length=1.0):
    """A closed tube along +z. With an armature it is painted to its bones, passing from bone to bone over `blend`."""
    vertices, faces = [], []
    for ring in range(rings):
        for side in range(sides):
            turn = 2 * math.pi * side / sides
            vertices.append((radius * math.cos(turn), radius * math.sin(turn), length * ring / (rings - 1)))
    for ring in range(rings - 1):
        for side in range(sides):
            at, beside = ring * sides + side, ring * sides + (side + 1) % sides
            faces.append((at, beside, beside + sides, at + sides))
    faces.append(tuple(reversed(range(sides))))
    faces.append(tuple(range((rings - 1) * sides, rings * sides)))
    thing = mesh(name, vertices, faces)
    if armature is not None:
        paint(thing, armature, bone_length, blend)
    return thing


def mesh(name, vertices, faces):
    data = bpy.data.meshes.new(name)
    data.from_pydata(vertices, [], faces)
    data.update()
    for face in data.polygons:
        face.use_smooth = True
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def paint(thing, armature, bone_length, blend):
    """Paints a mesh to a chain and lets the chain move it."""
    bones = [bone.name for bone in armature.data.bones]
    groups = [thing.vertex_groups.new(name=bone) for bone in bones]
    for vertex in thing.data.vertices:
        for i, weight in enumerate(along_chain(vertex.co.z / bone_length, len(bones), blend / bone_length)):
            if weight > 0:
                groups[i].add([vertex.index], weight, "REPLACE")
    thing.parent = armature
    thing.modifiers.new("armature", "ARMATURE").object = armature


def along_chain(place, bones, blend):
    """Weights of the bones at a position in bone lengths, linear over `blend` about every joint."""
    weights = [0.0] * bones
    joint = min(max(round(place), 1), bones - 1) if bones > 1 else 0
    if bones == 1:
        return [1.0]
    share = min(max(0.5 + (place - joint) / blend, 0), 1) if blend > 0 else float(place > joint)
    if abs(place - joint) > 0.5:
        weights[min(max(int(place), 0), bones - 1)] = 1.0
        return weights
    weights[joint - 1], weights[joint] = 1 - share, share
    return weights


def clip(armature, name, keys, end=24):
    """Keys Euler angles, degrees, from rest at frame 0 to `keys` = {bone: (x, y, z)} at frame `end`."""
    armature.animation_data_create().action = action = bpy.data.actions.new(name)
    for bone, angles in keys.items():
        pose = armature.pose.bones[bone]
        for frame, share in ((0, 0.0), (end, 1.0)):
            pose.rotation_euler = [math.radians(angle) * share for angle in angles]
            pose.keyframe_insert("rotation_euler", frame=frame)
    return linear(action)


def linear(action):
    """Makes all keys of an action linear."""
    for curve in action.fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    return action


def track(owner, name, action=None):
    """Puts an action, or the one that plays, on a track of its own."""
    animation = owner.animation_data
    if action is None:
        action, animation.action = animation.action, None
    made = animation.nla_tracks.new()
    made.name = name
    made.strips.new(name, 0, action)
    return made


def driven_by_turn(thing, value, armature, bone, expression):
    """Lets the turn of a bone about x drive a value of something; returns the driver's curve."""
    curve = thing.driver_add(value)
    variable = curve.driver.variables.new()
    variable.name, variable.type = "turn", "TRANSFORMS"
    target = variable.targets[0]
    target.id, target.bone_target = armature, bone
    target.transform_type, target.transform_space = "ROT_X", "LOCAL_SPACE"
    curve.driver.expression = expression
    return curve


def box(name, low, high, parts=(1, 1, 1)):
    """A closed box of quads, with `parts` along each axis."""
    numbers, vertices, faces = {}, [], []

    def vertex(i, j, k):
        if (i, j, k) not in numbers:
            numbers[i, j, k] = len(vertices)
            at = (i / parts[0], j / parts[1], k / parts[2])
            vertices.append(tuple(a + (b - a) * t for a, b, t in zip(low, high, at)))
        return numbers[i, j, k]

    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, parts[axis]):
            for a in range(parts[u]):
                for b in range(parts[v]):
                    corners = []
                    for du, dv in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        at = [0, 0, 0]
                        at[axis], at[u], at[v] = side, a + du, b + dv
                        corners.append(vertex(*at))
                    faces.append(tuple(corners if side else reversed(corners)))
    return mesh(name, vertices, faces)
