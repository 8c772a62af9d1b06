# SPDX-License-Identifier: MIT
"""The add-on's errors and their words; that nothing is written then; that the scene is always restored."""
import json
import os

import addon
import bpy
import digest
import face_case
import fixtures
import shape_cases


def limb(blend=0.4):
    armature, skin = fixtures.limb(2, rings=21, blend=blend)
    fixtures.clip(armature, "bend", {"bone_1": (90, 0, 0)})
    return armature, skin


def says(sentence, *words, **options):
    said = addon.refused(**options)
    addon.expect(all(word in said for word in words), f"{sentence}: {said.strip()}")


def errors_stop_the_export():
    armature, skin = limb()
    skin.modifiers["armature"].object = None
    says("no armature", "'armature' of 'skin' names no armature")

    armature, skin = limb()
    skin.modifiers["armature"].use_bone_envelopes = True
    says("envelopes", "bone envelopes", "'skin'")

    armature, skin = limb()
    skin.vertex_groups.new(name="some")
    skin.modifiers["armature"].vertex_group = "some"
    says("masked armature", "masked by the vertex group 'some'")

    armature, skin = limb()
    other = fixtures.chain(1, name="other")
    skin.modifiers.new("second", "ARMATURE").object = other
    says("two armatures", "several Armature modifiers")

    armature, skin = limb()
    armature.data.bones["bone_1"].use_deform = False
    says("a bone that does not deform", "'bone_1'", "does not deform")

    armature, skin = limb()
    skin.vertex_groups.clear()
    says("nothing painted", "no vertex of 'skin' is painted")

    armature, skin = limb()
    skin.select_set(True)
    armature.select_set(False)
    says("an armature that is not exported", "the armature 'rig'", "which is not exported", use_selection=True)

    armature, skin = limb()
    skin.modifiers.new("cage", "SURFACE_DEFORM")
    says("no target", "Surface Deform of 'skin' has no target")

    armature, skin = limb()
    cage = fixtures.box("cage", (-1, -1, -1), (1, 1, 3))
    skin.modifiers.new("cage", "SURFACE_DEFORM").target = cage
    cage.hide_render = True
    says("a hidden cage", "'cage'", "which is not exported", use_renderable=True)

    armature, skin = limb()
    cage = fixtures.box("cage", (-1, -1, -1), (1, 1, 3))
    modifier = skin.modifiers.new("cage", "SURFACE_DEFORM")
    modifier.target, modifier.strength = cage, 1.5
    says("too strong", "strength 1.5")

    armature, skin = limb()
    lattice = bpy.data.objects.new("lattice", bpy.data.lattices.new("lattice"))
    bpy.context.scene.collection.objects.link(lattice)
    lattice.keyframe_insert("location", frame=0)
    skin.modifiers.new("lattice", "LATTICE").object = lattice
    says("a lattice that moves by itself", "moved by a lattice", "something other than bones", "mesh cage")

    armature, skin = limb()
    skin.shape_key_add(name="Basis")
    skin.shape_key_add(name="fat")
    says("shape keys that would go", "shape keys", "Apply Modifiers", export_apply=True)

    armature, skin = limb()
    armature.data.bones["bone_0"].bbone_segments = 8
    armature.data.bones["bone_0"].name = "skin"
    says("a bone called like a mesh", "'skin'", "cannot tell them apart")

    fixtures.clear()
    fixtures.box("box", (0, 0, 0), (1, 1, 1))
    says("nothing that moves", "none of the exported meshes")


def warnings_name_the_culprit():
    armature, skin = limb()
    skin.vertex_groups["bone_1"].remove([20 * 16, 7 * 16])
    skin.vertex_groups["bone_0"].remove([7 * 16])
    armature.data.bones["bone_1"].bbone_segments = 8
    armature.data.bones["bone_1"].bbone_handle_type_start = "TANGENT"
    addon.enable()
    bpy.ops.pelt.check()
    findings = {item.text: item for item in bpy.context.scene.pelt.findings}
    bare = next(item for text, item in findings.items() if "painted to no bone" in text)
    addon.expect(bare.level == "WARNING" and json.loads(bare.vertices), f"{bare.text}: {bare.vertices}")
    handles = next(item for text, item in findings.items() if "handles of other types" in text)
    index = list(findings).index(bare.text)
    bpy.ops.pelt.select(index=index)
    selected = [vertex.index for vertex in skin.data.vertices if vertex.select]
    addon.expect(selected == json.loads(bare.vertices), f"the button selects the vertices {selected}")
    bpy.ops.pelt.select(index=list(findings).index(handles.text))
    addon.expect(bpy.context.object == armature and armature.data.bones["bone_1"].select, "the button selects the bone")


def shape_keys_that_the_exporter_changes():
    armature, skin = limb()
    skin.shape_key_add(name="Basis")
    skin.shape_key_add(name="fat").vertex_group = "bone_1"
    skin.data.shape_keys.use_relative = False
    said = addon.said()
    addon.expect(any("'fat' of 'skin' is masked" in text for text in said), f"{said}")
    addon.expect(any("are absolute" in text for text in said), "and absolute ones")


def scaled_joints_below_preserve_volume():
    armature, skin = limb()
    skin.modifiers["armature"].use_deform_preserve_volume = True
    for frame, scale in ((0, 1.0), (24, 1.5)):
        armature.pose.bones["bone_1"].scale = (scale, 1, 1)
        armature.pose.bones["bone_1"].keyframe_insert("scale", frame=frame)
    said = addon.said()
    addon.expect(any("clips scale bone 'bone_1'" in text for text in said), f"{said}")


def scene_is_restored():
    for bendy in ("CURVES", "JOINTS"):
        for fails in (False, True):
            armature, skin = limb()
            armature.data.bones["bone_1"].bbone_segments = 8
            armature.data.bones["bone_0"].bbone_segments = 8
            constraint = armature.pose.bones["bone_1"].constraints.new("LIMIT_ROTATION")
            addon.expect(not constraint.mute, "a constraint acts")
            track = armature.animation_data.nla_tracks.new()
            track.name = "wave"
            track.strips.new("wave", 0, bpy.data.actions["bend"].copy())
            skin.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
            cage = fixtures.box("cage", (-1, -1, -1), (1, 1, 3))
            skin.vertex_groups.new(name="mask").add(range(100), 0.5, "REPLACE")
            surface = skin.modifiers.new("surface", "SURFACE_DEFORM")
            surface.target, surface.vertex_group = cage, "mask"
            bpy.context.scene.frame_set(7)
            bpy.context.view_layer.objects.active = cage
            before = digest.of_file()
            if fails:
                _with_failing_exporter(lambda: addon.refused("failed.glb", bendy=bendy, export_apply=True))
            else:
                addon.export("restored.glb", bind=False, bendy=bendy, export_apply=True)
            changed = digest.differences(before, digest.of_file())
            addon.expect(
                not changed, f"{bendy}, {'failing' if fails else 'whole'}: the scene is as it was {changed[:3]}"
            )


def sampling_leaves_no_trace():
    """Corrective Smooth, a lattice and drivers are sampled by turning bones, and become shape keys while exporting."""
    for case in (lambda: face_case.face(smooth=True), shape_cases.lattice_on_a_bone, shape_cases.driven_key_from_30):
        case()
        addon.enable()
        bpy.context.scene.frame_set(9)
        before = digest.of_file()
        addon.export("sampled.glb", bind=False)
        changed = digest.differences(before, digest.of_file())
        addon.expect(not changed, f"the scene is as it was {changed[:3]}")
        _with_failing_exporter(lambda: addon.refused("sampled_not.glb"))
        changed = digest.differences(before, digest.of_file())
        addon.expect(not changed, f"also where the exporter fails {changed[:3]}")


def _with_failing_exporter(action):
    """Lets the exporter fail in the middle of its work."""
    from io_scene_gltf2.blender.exp import gltf2_blender_export
    from io_scene_gltf2.blender.exp.gltf2_blender_gltf2_exporter import GlTF2Exporter

    kept = GlTF2Exporter.add_scene

    def fail(self, *arguments, **named):
        raise ValueError("the exporter failed")

    GlTF2Exporter.add_scene = fail
    try:
        action()
    finally:
        GlTF2Exporter.add_scene = kept
    assert gltf2_blender_export


def hooks_that_fail_stop_the_export():
    limb()
    addon.enable()
    from pelt_deformers import session

    kept = session.Session.write

    def fail(self, plan, extension):
        raise ValueError("a rig that cannot be written")

    session.Session.write = fail
    file = os.path.join(addon.work(), "never.glb")
    try:
        said = ""
        try:
            bpy.ops.export_scene.gltf(filepath=file)
        except RuntimeError as error:
            said = str(error)
        addon.expect("a rig that cannot be written" in said, "the exporter's own dialog stops, too")
        addon.expect(not os.path.exists(file), "no file without its rig")
        addon.expect("a rig that cannot be written" in addon.refused("never.glb"), "so does the add-on's operator")
    finally:
        session.Session.write = kept


def a_refused_export_leaves_the_file_that_is_there():
    _, skin = limb()
    file = addon.export("kept.glb", bind=False)
    with open(file, "rb") as there:
        before = there.read()
    skin.modifiers["armature"].object = None
    try:
        addon.export("kept.glb", bind=False)
        raise AssertionError("it was not refused")
    except RuntimeError:
        pass
    with open(file, "rb") as there:
        addon.expect(there.read() == before, "the file of before is as it was")
    addon.expect(os.listdir(addon.work()).count("kept.glb.unfinished.glb") == 0, "nothing lies beside it")


def rigs_that_cannot_be_read():
    limb()
    addon.enable()
    layers = bpy.context.scene.pelt.layers
    for name, content, sentence in (
        ("missing.json", None, "missing.json: cannot be read: No such file or directory"),
        ("folder.json", "folder", "folder.json: cannot be read: Is a directory"),
        ("broken.json", b'{ "format": ', "broken.json: is not JSON: Expecting value: line 1 column 13"),
        ("binary.json", b"\xff\xfe\x00", "binary.json: is not JSON: 'utf-8' codec can't decode byte 0xff"),
        ("number.json", b"3", "number.json: 3 is not of type object"),
        ("empty.json", b"{}", "empty.json: 'format' is missing"),
    ):
        file = os.path.join(addon.work(), name)
        if content == "folder":
            os.makedirs(file)
        elif content is not None:
            with open(file, "wb") as there:
                there.write(content)
        try:
            bpy.ops.pelt.read_rig(filepath=file)
            raise AssertionError(f"{name} was read")
        except RuntimeError as error:
            said = str(error).strip()
        addon.expect(said.startswith(f"Error: {sentence}") and "Traceback" not in said, said)
        addon.expect(len(layers) == 0, "the panels are as they were")


def the_exporters_own_dialog_writes_the_rig():
    limb()
    addon.enable()
    file = os.path.join(addon.work(), "dialog.gltf")
    bpy.ops.export_scene.gltf(filepath=file, export_format="GLTF_EMBEDDED")
    with open(file, encoding="utf-8") as text:
        content = json.load(text)
    addon.expect(
        content["extensionsUsed"] == ["PELT_deformers"] and "extensionsRequired" not in content,
        "the extension is used and not required",
    )
    addon.expect(
        content["extensions"]["PELT_deformers"]["rig"]["layers"] == [{"target": "*", "deformer": "linear_blend"}],
        "the rig is that of the modifiers",
    )


def without_pelt_the_rig_is_written():
    limb()
    kept = os.environ.pop("PELT_PROGRAM")
    path = os.environ["PATH"]
    os.environ["PATH"] = ""
    try:
        file = addon.export("unbound.glb")
    finally:
        os.environ["PELT_PROGRAM"] = kept
        os.environ["PATH"] = path
    from pelt_deformers import glb

    extension = glb.File(file).json["extensions"]["PELT_deformers"]
    addon.expect("rig" in extension and "character" not in extension, "rig and no character")
    addon.expect("game's build has to bind it" in bpy.context.scene.pelt.summary, bpy.context.scene.pelt.summary)
    bound = glb.File(addon.export("bound.glb")).json["extensions"]["PELT_deformers"]
    addon.expect("character" in bound, f"with pelt: {bpy.context.scene.pelt.summary}")


addon.run(
    [
        errors_stop_the_export,
        warnings_name_the_culprit,
        shape_keys_that_the_exporter_changes,
        scaled_joints_below_preserve_volume,
        scene_is_restored,
        sampling_leaves_no_trace,
        hooks_that_fail_stop_the_export,
        a_refused_export_leaves_the_file_that_is_there,
        rigs_that_cannot_be_read,
        the_exporters_own_dialog_writes_the_rig,
        without_pelt_the_rig_is_written,
    ]
)
