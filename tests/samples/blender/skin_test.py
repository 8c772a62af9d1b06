# SPDX-License-Identifier: MIT
"""Preserve Volume and bendy bones: exported, bound and deformed, every vertex against Blender's."""
import json
import os
import subprocess

import bpy
from mathutils import Vector

import addon
import compare
import fixtures


def moved_by_weights():
    """Linear blend, and dual quaternions if the skin has Preserve Volume."""
    for preserve, limit in ((False, 1e-5), (True, 1e-4)):
        armature, skin = fixtures.limb(3, blend=0.6)
        skin.modifiers[0].use_deform_preserve_volume = preserve
        fixtures.clip(armature, "bend", {"bone_1": (90, 40, 0), "bone_2": (0, 120, 30)})
        off = compare.off(skin, addon.export(f"volume_{preserve}.glb"))
        addon.figure(f"moved by weights, Preserve Volume {preserve}", off.max(), limit)


def all_influences():
    """A vertex that seven bones move keeps them all, even if the exporter would cut to four."""
    armature, skin = fixtures.limb(7, rings=71, blend=1)
    for group in skin.vertex_groups:
        group.add(range(16 * 30, 16 * 41), 0.1 + 0.02 * group.index, "REPLACE")
    fixtures.clip(armature, "bend", {f"bone_{i}": (15, 0, 5 * i) for i in range(1, 7)})
    file = addon.export("influences.glb", export_all_influences=False)
    from pelt_deformers import glb

    attributes = glb.File(file).json["meshes"][0]["primitives"][0]["attributes"]
    addon.expect("JOINTS_1" in attributes, f"{sorted(attributes)}")
    addon.figure("seven influences", compare.off(skin, file).max(), 1e-5)


def anchors_at_vertices():
    """Empties on one and on three vertices become anchors of the rest pose, whatever the pose."""
    armature, skin = fixtures.limb(3, blend=0.6)
    fixtures.clip(armature, "bend", {"bone_1": (90, 40, 0)})
    bpy.context.scene.frame_set(24)
    for name, kind, vertices in (("button", "VERTEX", [300]), ("badge", "VERTEX_3", [300, 301, 317])):
        empty = bpy.data.objects.new(name, None)
        bpy.context.collection.objects.link(empty)
        empty.parent, empty.parent_type = skin, kind
        empty.parent_vertices = vertices + [0] * (3 - len(vertices))
    file = addon.export("anchors.glb")
    from pelt_deformers import glb

    anchors = {anchor["name"]: anchor for anchor in glb.File(file).json["extensions"]["PELT_deformers"]["rig"]["anchors"]}
    off = 0
    for name, vertices in (("button", [300]), ("badge", [300, 301, 317])):
        x, y, z = sum((skin.matrix_world @ skin.data.vertices[v].co for v in vertices), Vector()) / len(vertices)
        off = max(off, (Vector(anchors[name]["near"]) - Vector((x, z, -y))).length)
    addon.figure("anchors at vertices", off, 1e-6)
    character, pelt = file[:-3] + "pelt", os.environ["PELT_PROGRAM"]
    subprocess.run([pelt, "bind", file, "-o", character], capture_output=True, check=True)
    listed = subprocess.run([pelt, "info", character, "--json"], capture_output=True, text=True, check=True)
    addon.expect(json.loads(listed.stdout)["anchors"] == list(anchors), listed.stdout)


def drawn_curves():
    """A curve on the armature is in the file as lines, at its position, and a layer's curve follows it."""
    armature, skin = fixtures.limb(3)
    data = bpy.data.curves.new("drawn", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(2)
    for point, co in zip(spline.points, ((0, 0, 0), (0, 0.1, 1.2), (0, 0, 3))):
        point.co = (*co, 1)
    drawn = bpy.data.objects.new("drawn", data)
    bpy.context.collection.objects.link(drawn)
    drawn.parent, drawn.location = armature, (0.05, 0, 0)
    addon.enable()
    item = bpy.context.scene.pelt.layers.add()
    item.object, item.deformer = skin, "curve_skeleton"
    parameter, characters = item.parameters.add(), []
    parameter.path = "parameters.curves"
    for line in ({}, {"line": "drawn"}):
        bones = [f"bone_{i}" for i in range(3)]
        parameter.value = json.dumps([{"name": "limb", "joints": bones, **line}])
        file = addon.export("drawn.glb", bind=False)
        character = file[:-3] + "pelt"
        subprocess.run([os.environ["PELT_PROGRAM"], "bind", file, "-o", character], check=True)
        characters.append(open(character, "rb").read())
    addon.expect(characters[0] != characters[1], "the curve follows the drawn one")
    from pelt_deformers import glb

    read = glb.File(file)
    node = dict(read.mesh_nodes())["drawn"]
    (lines,) = read.json["meshes"][node["mesh"]]["primitives"]
    addon.expect(lines["mode"] == 1, f"{lines}")
    points = read.accessor(lines["attributes"]["POSITION"]) + node["translation"]
    wanted = [(x + 0.05, z, -y) for x, y, z, _ in (point.co for point in spline.points)]
    addon.figure("points of a drawn curve", abs(points - wanted).max(), 1e-6)


addon.run([moved_by_weights, all_influences, anchors_at_vertices, drawn_curves])
