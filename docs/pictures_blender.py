# SPDX-License-Identifier: MIT
"""Makes the pictures of docs/blender_limb.md, blender_cage.md, blender_face.md and learn.md, inside Blender, by Cycles:

    blender --background --factory-startup --python-exit-code 1 --python docs/pictures_blender.py -- FOLDER PICTURE

with PICTURE limb, cage, face or learn.

Each shows Blender's skin and what `pelt` (environment: PELT_PROGRAM) makes of the exported file.
"""
import math
import os
import sys

sys.path[:0] = [
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", *rest)
    for rest in (("tests", "samples", "blender"), ("samples", "blender"))
]
import addon
import bendy_cases
import bmesh
import bpy
import cage_cases
import face_case
import fixtures
import numpy
from mathutils import Vector

SKIN, PELT, CAGE = (0.75, 0.55, 0.45, 1), (0.45, 0.6, 0.75, 1), (0.1, 0.1, 0.1, 1)


def material(name, colour):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = colour
    shader.inputs["Roughness"].default_value = 0.55
    return made


def dye(thing, made):
    thing.data.materials.clear()
    thing.data.materials.append(made)


def draw(path, centre, width, height, size, look=(0, -1, 0)):
    """Draws what is there, by an orthographic camera that looks at `centre`; width and height in units."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.seed, scene.cycles.use_denoising = 96, 1, False
    scene.cycles.max_bounces = 3
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = *size, 100
    scene.view_settings.view_transform = "Standard"
    world = bpy.data.worlds.new("world")
    world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.9, 0.9, 0.9, 1)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.4
    scene.world = world
    scene.render.film_transparent = True
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle = 2.2, 0.3
    sun.rotation_euler = (math.radians(50), math.radians(15), math.radians(-35))
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", max(width, height * size[0] / size[1])
    away = -Vector(look).normalized()
    camera.location = Vector(centre) + 40 * away
    camera.rotation_euler = Vector(look).to_track_quat("-Z", "Y").to_euler()
    for thing in (sun, camera):
        scene.collection.objects.link(thing)
    scene.camera = camera
    scene.render.filepath = path
    scene.render.image_settings.color_mode = "RGBA"
    bpy.ops.render.render(write_still=True)


def still(thing, frame, made, at):
    """Returns a mesh as it is in a frame, dyed and moved, which is not in the scene yet."""
    bpy.context.scene.frame_set(frame)
    seen = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    copy = bpy.data.objects.new(thing.name + " still", bpy.data.meshes.new_from_object(seen))
    copy.matrix_world = thing.matrix_world
    copy.location = at
    dye(copy, made)
    return copy


def preview(folder, name, **options):
    """Exports, lets pelt deform, and returns the copy of a mesh that plays it."""
    addon.export(f"{name}.glb", **options)
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    bpy.ops.pelt.preview(folder=os.path.join(folder, name))
    return next(iter(bpy.data.collections["Pelt preview"].objects))


def cut_lips(thing, rest):
    """Leaves out the skin between the lips: the faces there of the mesh `rest`, which numbers its vertices alike."""
    inside = {v.index for v in rest.vertices if v.co.y < 0 and abs(v.co.x) < 0.26 and abs(v.co.z + 0.43) < 0.018}
    made = bmesh.new()
    made.from_mesh(thing.data)
    between = [face for face in made.faces if all(vertex.index in inside for vertex in face.verts)]
    bmesh.ops.delete(made, geom=between, context="FACES")
    made.to_mesh(thing.data)
    return thing


def show(stills):
    """Leaves these alone in the scene."""
    for thing in list(bpy.context.scene.objects):
        bpy.data.objects.remove(thing)
    for thing in stills:
        bpy.context.scene.collection.objects.link(thing)


def limb(folder):
    """Bones bent by 30 degrees a joint: without segments; bendy in Blender; as a curve skeleton; baked as joints, by
    linear blend."""
    armature, skin = bendy_cases.limb(30, segments=16)
    colour, pelt_colour = material("skin", SKIN), material("pelt", PELT)
    stills = [still(skin, 24, colour, (0, 3.6, 0))]
    stills.append(still(preview(folder, "limb_curves"), 24, pelt_colour, (0, 7.2, 0)))
    stills.append(still(preview(folder, "limb_joints", bendy="JOINTS"), 24, pelt_colour, (0, 10.8, 0)))
    for bone in armature.data.bones:
        bone.bbone_segments = 1
    stills.append(still(skin, 24, colour, (0, 0, 0)))
    show(stills)
    draw(os.path.join(folder, "blender_limb.png"), (0, 4.2, 1.45), 14.4, 3.6, (1600, 400), (-1, 0, 0))


def cage(folder):
    """Surface Deform in Blender with its cage, and what Pelt makes of it."""
    skin, around = cage_cases.surface_deform()
    colour, pelt_colour, wire = material("skin", SKIN), material("pelt", PELT), material("cage", CAGE)
    stills = [still(skin, 24, colour, (0, 0, 0)), still(preview(folder, "cage"), 24, pelt_colour, (0, 3.6, 0))]
    stills += [still(around, 24, wire, (0, at, 0)) for at in (0, 3.6)]
    show(stills)
    for thing in stills[2:]:
        thing.modifiers.new("wire", "WIREFRAME").thickness = 0.012
    draw(os.path.join(folder, "blender_cage.png"), (0, 0.75, 1.75), 6.8, 4.0, (1200, 700), (-1, 0, 0))


def face(folder):
    """A face at rest and with its jaw open in a smile in Blender, and the same by Pelt."""
    armature, skin = face_case.face(smooth=True)
    colour, pelt_colour = material("skin", SKIN), material("pelt", PELT)
    stills = [
        still(skin, 0, colour, (-2.1, 0, 0)),
        still(skin, 24, colour, (0, 0, 0)),
        still(preview(folder, "face"), 24, pelt_colour, (2.1, 0, 0)),
    ]
    for thing in stills:
        cut_lips(thing, skin.data)
    show(stills)
    draw(os.path.join(folder, "blender_face.png"), (0, 0, -0.1), 6.4, 2.7, (1200, 520), (0.0, 1, -0.05))


def bulging_biped(file):
    """Imports the built-in biped; its left arm, by Corrective Smooth and a biceps that the elbow's bend drives."""
    fixtures.clear()
    addon.enable()
    bpy.ops.import_scene.gltf(filepath=file, bone_heuristic="BLENDER")
    skin = bpy.data.objects["body"]
    armature = skin.find_armature()
    for thing in list(bpy.context.scene.objects):
        if thing not in (skin, armature):
            bpy.data.objects.remove(thing)
    joined = bmesh.new()
    joined.from_mesh(skin.data)
    bmesh.ops.remove_doubles(joined, verts=joined.verts, dist=1e-5)
    joined.to_mesh(skin.data)
    smooth = skin.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
    smooth.factor, smooth.iterations = 0.5, 20
    upper, lower = (armature.data.bones[f"left_{name}"] for name in ("upper_arm", "forearm"))
    to_skin = skin.matrix_world.inverted() @ armature.matrix_world
    biceps = to_skin @ upper.head_local.lerp(lower.head_local, 0.55)
    skin.shape_key_add(name="Basis")
    key = skin.shape_key_add(name="biceps")
    for vertex, moved in zip(skin.data.vertices, key.data):
        moved.co += 0.02 * math.exp(-((vertex.co - biceps).length_squared) / 0.07**2) * vertex.normal
    curve = key.driver_add("value")
    turn = curve.driver.variables.new()
    turn.name, turn.type = "turn", "ROTATION_DIFF"
    for target, bone in zip(turn.targets, (upper, lower)):
        target.id, target.bone_target = armature, bone.name
    rest = upper.matrix_local.to_quaternion().rotation_difference(lower.matrix_local.to_quaternion()).angle
    curve.driver.expression = f"min(abs(turn - {rest:.4f}) / 1.7, 1)"
    for pose in armature.pose.bones:
        pose.lock_rotation = 3 * (pose.name not in ("left_shoulder", upper.name, lower.name, "left_hand"),)
    return skin


def learn(folder):
    """The biped's left arm in a clip that was not learnt, a picture each: linear blend, its errors, what was learnt,
    its errors, and Blender. Grey: 0 mm, yellow: 5, red: 10."""
    skin = bulging_biped(os.path.join(folder, "biped.glb"))
    panel, file = bpy.context.scene.pelt, os.path.join(folder, "learnt")
    panel.learn_from, panel.learn_poses = "RANGES", 120
    bpy.ops.pelt.learn(filepath=file + ".pelt")
    print("\n".join(finding.text for finding in panel.findings))
    colour, pelt_colour, heat = material("skin", SKIN), material("pelt", PELT), material("heat", SKIN)
    layer = heat.node_tree.nodes.new("ShaderNodeVertexColor")
    layer.layer_name = "error"
    heat.node_tree.links.new(layer.outputs["Color"], heat.node_tree.nodes["Principled BSDF"].inputs["Base Color"])
    from pelt_deformers import scene

    frame, stills, armature = 46, [], skin.find_armature()
    with scene.playing(armature, dict(scene.clips(armature, {}))["flex"]):
        truth = still(skin, frame, colour, (0, 0, 0))
    shall = [truth.matrix_world @ vertex.co for vertex in truth.data.vertices]
    for panel.character in "", file + ".pelt":
        bpy.ops.pelt.preview(folder=folder, clip="flex")
        (copy,) = bpy.data.collections["Pelt preview"].objects
        for made in pelt_colour, heat:
            stills.append(still(copy, frame, made, (0, 0, 0)))
        data = stills[-1].data
        off = numpy.array([(vertex.co - to).length for vertex, to in zip(data.vertices, shall)])
        reds, greens, blues = (0.25, 0.9, 0.7), (0.3, 0.7, 0.02), (0.4, 0.05, 0.02)
        ramp = [numpy.interp(off, (0, 0.005, 0.01), ends) for ends in (reds, greens, blues, (1, 1, 1))]
        layer = data.color_attributes.new("error", "FLOAT_COLOR", "POINT")
        layer.data.foreach_set("color", numpy.stack(ramp, 1).ravel())
    for i, thing in enumerate((*stills, truth)):
        show([thing])
        draw(os.path.join(folder, f"{i}.png"), (0.34, 0, 1.48), 0.5, 0.5, (300, 300), (-0.3, 1, 0))


if __name__ == "__main__":
    {"limb": limb, "cage": cage, "face": face, "learn": learn}[addon.arguments()[1]](addon.arguments()[0])
