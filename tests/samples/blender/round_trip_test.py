# SPDX-License-Identifier: MIT
"""Export, import, export: the rig is the same, and so is what Pelt makes of it; a rig file of everything, too."""
import json
import os
import struct

import addon
import bendy_cases
import bpy
import cage_cases
import compare
import fixtures
import numpy
import shape_cases

FRAMES = list(range(0, 25, 6))

EVERYTHING = {
    "format": "pelt-rig 1",
    "name": "everything",
    "check": "none",
    "groups": [
        {"name": "low", "region": {"box": {"min": [-1, -1, -1], "max": [1, 1, 1], "falloff": 0.5}}},
        {"name": "some", "mesh": "skin", "vertices": [1, [5, 9]], "values": [0.5, 1, 1, 1, 1, 0.25]},
    ],
    "muscles": [
        {
            "name": "biceps",
            "from": {"joint": "bone_0", "offset": [0, 0.5, 0.1]},
            "to": {"joint": "bone_1", "offset": [0, 0.5, 0.1]},
            "radius": 0.05,
        }
    ],
    "layers": [
        {"target": "*", "deformer": "dual_quaternion", "mask": {"value": 1}},
        {
            "target": "skin",
            "deformer": "surface_ffd",
            "wires": 2.5,
            "mask": {"value": 0.75, "group": "low", "joints": ["bone_1"]},
            "parameters": {
                "local": 3.25,
                "elements": 12,
                "cut_error": 0.01,
                "mode": "basic",
                "raise_elements": False,
                "driver": {
                    "mesh": "cage",
                    "estimate_frames": True,
                    "spread": 2,
                    "refine": [{"region": {"sphere": {"center": [0, 1, 0], "radius": 0.25}}, "levels": 2}],
                },
            },
        },
        {
            "target": "cage",
            "deformer": "curve_skeleton",
            "parameters": {
                "automatic": False,
                "bulge": {"volume": 0.5, "across": 0.25},
                "curves": [{"name": "all", "joints": ["bone_0", "bone_1"], "control_offsets": [[1, 0, 0.5, 0]]}],
                "joints": [{"joint": "bone_1", "float": [[0, 0.25], [90, 0.5]], "twist_after": 0.25}],
            },
        },
    ],
}


def rigs_of(file):
    from pelt_deformers import glb, rig, schema

    return schema.without_defaults_of_rig(rig.without_empty(glb.File(file).rig()))


def renamed(rig, before, after):
    """A rig of the file `before` with the names that the importer and Blender gave its meshes in the file `after`."""
    from pelt_deformers import glb, schema

    names = dict(zip(_skins(glb.File(before)), _skins(glb.File(after))))
    return schema.each_name_of_rig(rig, lambda kind, name: names.get(name, name), schema.MESHES)


def _skins(content):
    return [name for name, _ in sorted(content.mesh_nodes())]


def again(file, name, bind=True):
    """Imports a file into an empty scene and exports it again."""
    fixtures.clear()
    addon.enable()
    bpy.ops.import_scene.gltf(filepath=file, bone_heuristic="BLENDER")
    return addon.export(name, bind=bind)


def deformed(file, drivers):
    return {name: points for name, (points, _) in compare.pelt_frames(file, "bend", FRAMES, drivers).items()}


def what_blender_has():
    cases = (
        bendy_cases.default_handles,
        bendy_cases.one_bendy_bone,
        bendy_cases.preserve_volume,
        cage_cases.surface_deform_group_inverted,
        cage_cases.surface_deform_shape_key,
        cage_cases.mesh_deform,
        shape_cases.driven_key_from_30,
    )
    for case in cases:
        case()
        first = addon.export(f"first_{case.__name__}.glb")
        second = again(first, f"second_{case.__name__}.glb")
        third = again(second, f"third_{case.__name__}.glb")
        before, after, later = (
            renamed(rigs_of(first), first, third),
            renamed(rigs_of(second), second, third),
            rigs_of(third),
        )
        addon.expect(
            before == after == later,
            (
                f"{case.__name__}: the rig is the same\n    {json.dumps(before)[:150]}\n    {json.dumps(after)[:150]}"
                if before != after
                else f"{case.__name__}: the rig is the same"
            ),
        )
        drivers = ("cage",) if "deform" in case.__name__ else ()
        here, there = deformed(first, drivers), deformed(second, drivers)
        worst = max(numpy.abs(a - b).max() for a, b in zip(here.values(), there.values()))
        addon.figure(f"round trip {case.__name__}", worst / compare.size(here["skin"]), 1e-5)


def a_rig_of_everything():
    cage_cases.tube_in_a_cage()
    addon.enable()
    file = os.path.join(addon.work(), "everything.json")
    with open(file, "w", encoding="utf-8") as text:
        json.dump(EVERYTHING, text)
    bpy.ops.pelt.read_rig(filepath=file)
    first = addon.export("everything.glb", bind=False)
    from pelt_deformers import schema

    addon.expect(
        rigs_of(first) == schema.without_defaults_of_rig(EVERYTHING), "a rig file goes through the panels unchanged"
    )
    second = again(first, "everything_again.glb", bind=False)
    # The importer renames objects whose names exist in Blender's file: none here.
    addon.expect(rigs_of(second)["layers"] == rigs_of(first)["layers"], "and through an import")


def names_that_blender_changes():
    """Importing next to objects of the same names: the rig names the new ones."""
    cage_cases.surface_deform()
    first = addon.export("named.glb", bind=False)
    bpy.ops.import_scene.gltf(filepath=first, bone_heuristic="BLENDER")
    layers = bpy.context.scene.pelt.layers
    addon.expect([layer.object.name for layer in layers] == ["skin.001"], f"{[layer.object.name for layer in layers]}")
    mesh = next(json.loads(item.value) for item in layers[0].parameters if item.path == "parameters.driver.mesh")
    addon.expect(mesh == "cage.001", f"its cage is '{mesh}'")


def _rewrite(path, content):
    """Puts other JSON into a .glb, whose binary chunk stays."""
    with open(path, "rb") as file:
        before = file.read()
    length = struct.unpack_from("<I", before, 12)[0]
    text = json.dumps(content, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    rest = before[20 + length :]
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text) + len(rest), len(text), b"JSON") + text + rest)


def meshes_of_one_name():
    """The second mesh of a name is name#2 in a rig, for pelt and for the import."""
    armature, _ = fixtures.limb(2, blend=0.4)
    fixtures.tube(armature, length=2, radius=0.3, rings=13, blend=0.4, name="thick")
    file = addon.export("one_name.glb", bind=False)
    from pelt_deformers import glb, program

    content = glb.File(file).json
    for node in content["nodes"]:
        if node.get("name") == "thick":
            node["name"] = "skin"
    layers = [{"target": name, "deformer": "dual_quaternion"} for name in ("skin", "skin#2")]
    content["extensions"]["PELT_deformers"]["rig"]["layers"] = layers
    _rewrite(file, content)
    named = [(name, content["meshes"][node["mesh"]]["name"]) for name, node in glb.File(file).mesh_nodes()]
    addon.expect(named == [("skin", "skin"), ("skin#2", "thick")], f"names of meshes: {named}")
    bound = [mesh["mesh"] for mesh in program.bind(file)["meshes"]]
    addon.expect(bound == [name for name, _ in named], f"pelt calls them so: {bound}")
    fixtures.clear()
    addon.enable()
    bpy.ops.import_scene.gltf(filepath=file, bone_heuristic="BLENDER")
    meshes = [layer.object.data.name for layer in bpy.context.scene.pelt.layers]
    addon.expect(meshes == ["skin", "thick"], f"the imported rig speaks of {meshes}")


def panels_write_what_they_show():
    cage_cases.surface_deform_group()
    addon.enable()
    skin = bpy.data.objects["skin"]
    bpy.context.view_layer.objects.active = skin
    bpy.ops.pelt.from_modifiers()
    panel = bpy.context.scene.pelt
    addon.expect([layer.deformer for layer in panel.layers] == ["linear_blend", "surface_ffd"], "the modifiers' layers")
    bpy.ops.pelt.add_parameter(index=1, path="parameters.elements")
    bpy.ops.pelt.add_parameter(index=1, path="parameters.local")
    bpy.ops.pelt.add_parameter(index=1, path="parameters.mode")
    items = {item.path: item for item in panel.layers[1].parameters}
    addon.expect(
        items["parameters.elements"].value == '"auto"' and items["parameters.mode"].value == '"extended"',
        "what is added has its default",
    )
    items["parameters.local"].number = -3
    addon.expect(json.loads(items["parameters.local"].value) == 0, "a number keeps to its range")
    items["parameters.local"].number = 5.5
    items["parameters.elements"].text = "all"
    addon.expect(items["parameters.elements"].value == '"all"', "a word where a number may stand, too")
    items["parameters.elements"].text = "30"
    items["parameters.mode"].choice = "basic"
    file = addon.export("panels.glb", bind=False)
    layer = rigs_of(file)["layers"][1]
    addon.expect(
        layer["parameters"]["local"] == 5.5
        and layer["parameters"]["elements"] == 30
        and layer["parameters"]["mode"] == "basic",
        f"{layer}",
    )
    addon.expect(layer["mask"] == {"attribute": "_PELT_MASK_0"}, "the group is the mask")
    items["parameters.local"].value = '"far"'
    addon.expect("'skin'" in addon.refused("wrong.glb"), "a wrong value is refused")


addon.run(
    [what_blender_has, a_rig_of_everything, names_that_blender_changes, meshes_of_one_name, panels_write_what_they_show]
)
