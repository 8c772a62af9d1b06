# SPDX-License-Identifier: MIT
"""Bind after export, its report, and the preview next to Blender's own skin."""
import json
import os

import addon
import bpy
import cage_cases
import compare
import fixtures
import numpy


def preview_plays_what_pelt_deforms():
    armature, skin = fixtures.limb(3, blend=0.6)
    fixtures.box("loose", (0, 0, 0), (1, 1, 1))  # a mesh that nothing moves stands between others
    second = fixtures.tube(armature, length=3, radius=0.3, rings=13, blend=0.6, name="second")
    second.modifiers["armature"].use_deform_preserve_volume = True
    # Flat shading splits the vertices of the file.
    for face in skin.data.polygons:
        face.use_smooth = False
    skin.location = (0, 1, 0)
    fixtures.clip(armature, "bend", {"bone_1": (90, 40, 0), "bone_2": (0, 100, 30)})
    addon.export("preview.glb")
    bpy.ops.pelt.preview()
    copies = {thing.name: thing for thing in bpy.data.collections["Pelt preview"].objects}
    addon.expect(sorted(copies) == ["loose by Pelt", "second by Pelt", "skin by Pelt"], f"copies: {sorted(copies)}")
    for thing in (skin, second):
        copy = copies[f"{thing.name} by Pelt"]
        frames = [0, 7, 24]
        points = compare.blender_frames([thing, copy], frames)
        aside = numpy.array((copy.location.x, 0, 0))
        off = numpy.linalg.norm(points[copy.name] - aside - points[thing.name], axis=2).max()
        addon.figure(f"preview {thing.name}", off / compare.size(points[thing.name]), 1e-5)
        addon.expect(copy.location.x > 0, "the copy stands beside the mesh")
    bpy.ops.pelt.preview(hide=True)
    addon.expect("Pelt preview" not in bpy.data.collections, "the preview goes")


def the_cpu_deforms_where_no_device_does():
    armature, _ = fixtures.limb(2, blend=0.4)
    fixtures.clip(armature, "bend", {"bone_1": (60, 0, 0)})
    file = addon.export("device.glb")
    from pelt_deformers import program

    tries, run = [], program.run

    def counted(*arguments):
        tries.append(arguments)
        return run(*arguments)

    program.run = counted
    selected = os.environ.get("PELT_DEVICE")
    try:
        os.environ["PELT_DEVICE"] = "of no such name"
        frames = program.deformed(file, "bend", 0, 3, 24)
        on_cpu = ["cpu" in arguments for arguments in tries]
        addon.expect(len(frames) == 4 and on_cpu == [False, True], f"without a device the CPU deforms: {on_cpu}")
        os.environ.pop("PELT_DEVICE")
        tries.clear()
        try:
            program.deformed(file, "device", 0, 3, 24)
            raise AssertionError("a clip that is not there was deformed")
        except program.ProgramError as error:
            addon.expect("there is no clip 'device'" in str(error) and len(tries) == 1, f"one try: {error}")
    finally:
        program.run = run
        os.environ.pop("PELT_DEVICE", None)
        if selected is not None:
            os.environ["PELT_DEVICE"] = selected


def preview_of_a_cage():
    skin, cage = cage_cases.surface_deform()
    addon.export("preview_cage.glb")
    bpy.ops.pelt.preview()
    copies = [thing.name for thing in bpy.data.collections["Pelt preview"].objects]
    addon.expect(copies == ["skin by Pelt"], "cages have no copy")


def the_report_names_places():
    skin, cage = cage_cases.surface_deform()
    fixtures.clip(bpy.data.objects["rig"], "hard", {"bone_1": (150, 0, 0)})
    addon.export("report.glb")
    panel = bpy.context.scene.pelt
    addon.expect(panel.summary.startswith("bound "), panel.summary)
    places = [(i, item) for i, item in enumerate(panel.findings) if json.loads(item.vertices) and item.level == "INFO"]
    addon.expect(bool(places), f"{len(places)} places: {places[0][1].text}")
    i, item = places[0]
    bpy.ops.pelt.select(index=i)
    selected = [vertex.index for vertex in item.object.data.vertices if vertex.select]
    addon.expect(selected == json.loads(item.vertices), f"its vertex {selected} of '{item.object.name}' is selected")
    from pelt_deformers import glb

    content = glb.File(panel.file)
    numbers = content.blender_vertices(dict(content.mesh_nodes())["skin"])
    addon.expect(
        set(numbers) == set(range(len(skin.data.vertices))), "every vertex of the mesh is in the file by its number"
    )


def the_exporters_dialog_binds_afterwards():
    armature, _ = fixtures.limb(2, blend=0.4)
    addon.enable()
    from pelt_deformers import glb, hooks

    file = os.path.join(addon.work(), "dialog.glb")
    bpy.ops.export_scene.gltf(filepath=file)
    addon.expect("character" not in glb.File(file).json["extensions"]["PELT_deformers"], "the dialog writes the rig")
    hooks.bind_later(file)  # what the timer calls; there are no timers without a window
    addon.expect("character" in glb.File(file).json["extensions"]["PELT_deformers"], "and pelt binds it afterwards")


def bones_on_no_curve_do_not_stop_the_bind():
    armature, _ = fixtures.limb(3, blend=0.4)
    fixtures.edit_bones(armature)
    loose = armature.data.edit_bones.new("loose")
    loose.head, loose.tail = (5, 0, 0), (5, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    addon.enable()
    file = os.path.join(addon.work(), "loose.json")
    bones = [{"joint": name, "bendy": {"segments": 8, "ease_in": 1}} for name in ("bone_1", "loose")]
    rig = {"format": "pelt-rig 1", "layers": [{"deformer": "curve_skeleton", "parameters": {"bones": bones}}]}
    with open(file, "w", encoding="utf-8") as text:
        json.dump(rig, text)
    bpy.ops.pelt.read_rig(filepath=file)
    exported = addon.export("loose.glb")
    panel = bpy.context.scene.pelt
    said = [item.text for item in panel.findings if "'loose'" in item.text]
    addon.expect(panel.summary.startswith("bound") and len(said) == 1, f"{panel.summary}: {said}")
    from pelt_deformers import glb

    kept = [bone["joint"] for bone in glb.File(exported).rig()["layers"][0]["parameters"]["bones"]]
    addon.expect(kept == ["bone_1", "loose"], f"the rig stays as it is: {kept}")


addon.run(
    [
        preview_plays_what_pelt_deforms,
        the_cpu_deforms_where_no_device_does,
        preview_of_a_cage,
        the_report_names_places,
        the_exporters_dialog_binds_afterwards,
        bones_on_no_curve_do_not_stop_the_bind,
    ]
)
