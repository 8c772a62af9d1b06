# SPDX-License-Identifier: MIT
"""In a window: all panels are drawn, and the exporter's own dialog exports, and pelt binds what it wrote.

Run by window.sh, in two parts: `make` writes a file of Blender in the background, the other opens it in a window.
"""
import os

import addon
import bendy_cases
import bpy
import cage_cases
import fixtures

drawn = set()


def make():
    skin, cage = cage_cases.surface_deform_group()
    bones = fixtures.chain(2, name="bendy")
    for bone in bones.data.bones:
        bone.bbone_segments = 8
        bone.bbone_handle_type_start = bone.bbone_handle_type_end = "TANGENT"
        bone.name = "bendy_" + bone.name
    bones.location = (2, 0, 0)
    limb = fixtures.tube(None, length=2, name="limb")
    limb.location = (2, 0, 0)
    for i in range(2):
        limb.vertex_groups.new(name=f"bendy_bone_{i}").add(
            [vertex.index for vertex in limb.data.vertices if (vertex.co.z > 1) == bool(i)], 1.0, "REPLACE"
        )
    limb.parent = bones
    limb.matrix_parent_inverse = bones.matrix_world.inverted()
    limb.modifiers.new("armature", "ARMATURE").object = bones
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(addon.work(), "window.blend"))
    assert bendy_cases and skin and cage
    print("MADE")


def watch():
    """Notes which panels are drawn to their end: Blender prints what a panel raises, and goes on."""
    from pelt_deformers import panels

    for kind in (panels.PELT_PT_scene, panels.PELT_PT_object, panels.PELT_PT_bone, panels.PELT_PT_gltf):
        registered = kind.is_registered
        if registered:
            bpy.utils.unregister_class(kind)
        kind.draw = _noting(kind, kind.draw)
        if registered:
            bpy.utils.register_class(kind)


def _noting(kind, kept):
    def draw(self, context):
        kept(self, context)
        drawn.add(kind.__name__)

    return draw


def area(kind):
    return next(area for area in bpy.context.window_manager.windows[0].screen.areas if area.type == kind)


def show(name):
    """Saves a picture of the screen in the folder PELT_PICTURES, if it is set."""
    folder = os.environ.get("PELT_PICTURES")
    if folder:
        os.system(f"import -window root '{os.path.join(folder, name)}.png'")


def fold_others():
    """Leaves only Pelt's panels in pictures."""
    if os.environ.get("PELT_PICTURES"):
        for name in dir(bpy.types):
            kind = getattr(bpy.types, name, None)
            if (
                name.startswith(("OBJECT_PT_", "SCENE_PT_", "BONE_PT_", "RIGIDBODY_PT", "PHYSICS_PT"))
                and "context" not in name
            ):
                if getattr(kind, "bl_space_type", "") == "PROPERTIES" and kind.is_registered:
                    bpy.utils.unregister_class(kind)


def confirm(press=bpy.ops.file.execute):
    """Presses a button of the file browser, which has a window of its own."""
    window = bpy.context.window_manager.windows[-1]
    browser = next(area for area in window.screen.areas if area.type == "FILE_BROWSER")
    with bpy.context.temp_override(window=window, area=browser):
        press()


def steps():
    """A generator: what stands between two yields is one step, and Blender draws in between."""
    panel = bpy.context.scene.pelt
    properties = area("PROPERTIES").spaces[0]
    skin = bpy.data.objects["skin"]
    bpy.context.view_layer.objects.active = skin
    properties.context = "OBJECT"
    yield
    yield
    addon.expect("PELT_PT_object" in drawn, "the panel of an object that has no layers")
    show("from_modifiers")
    drawn.clear()
    bpy.ops.pelt.from_modifiers()
    for path in (
        "parameters.elements",
        "parameters.local",
        "parameters.mode",
        "parameters.exclude",
        "parameters.exact_normals",
    ):
        bpy.ops.pelt.add_parameter(index=1, path=path)
    area("PROPERTIES").tag_redraw()
    yield
    yield
    addon.expect("PELT_PT_object" in drawn, "and of one that has")
    show("object")
    bpy.ops.pelt.check()
    properties.context = "SCENE"
    yield
    yield
    addon.expect("PELT_PT_scene" in drawn, f"the panel of the scene: {panel.summary}")
    armature = bpy.data.objects["bendy"]
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing == armature)
    bpy.context.view_layer.objects.active = armature
    armature.data.bones.active = armature.data.bones[0]
    yield
    properties.context = "BONE"
    yield
    yield
    addon.expect("PELT_PT_bone" in drawn, "the panel of a bone")
    show("bone")
    # In the dialog the panel lies in another one, which is closed; here it is drawn at once.
    from pelt_deformers import panels

    panels.PELT_PT_gltf.bl_parent_id = "FILE_PT_operator"
    file = os.path.join(addon.work(), "window.glb")
    window = bpy.context.window_manager.windows[0]
    with bpy.context.temp_override(window=window, area=area("VIEW_3D")):
        bpy.ops.export_scene.gltf("INVOKE_DEFAULT", filepath=file)
    yield
    yield
    addon.expect("PELT_PT_gltf" in drawn, "the panel of the exporter's dialog")
    show("dialog")
    confirm()
    yield
    addon.expect(os.path.exists(file), "the dialog exports")
    for _ in range(20):
        yield
        if panel.summary.startswith("bound"):
            break
    from pelt_deformers import glb

    addon.expect("character" in glb.File(file).json["extensions"]["PELT_deformers"], f"and pelt binds: {panel.summary}")
    yield from learning(window, panel)


def learning(window, panel):
    """Learn as It Looks Here works in the window, step by step; Esc ends it."""
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing.name in ("rig", "cage", "skin"))
    for end, panel.learn_poses in ("closed", 512), ("cancelled", 512), ("learnt", 60):
        with bpy.context.temp_override(window=window, area=area("VIEW_3D")):
            file = os.path.join(addon.work(), f"{end}.pelt")
            bpy.ops.pelt.learn("INVOKE_DEFAULT", filepath=file, options='{"use_selection": true}')
        yield
        yield
        if end == "closed":
            confirm(bpy.ops.file.cancel)
            yield
            continue
        confirm()
        yield
        if end == "cancelled":
            window.event_simulate(type="ESC", value="PRESS")
            window.event_simulate(type="ESC", value="RELEASE")
        for _ in range(100):
            yield
            if end in panel.summary:
                break
        addon.expect(end in panel.summary, f"learning in the window: {panel.summary}")
        addon.expect(os.path.exists(file) == (end == "learnt"), "its file")
    area("PROPERTIES").spaces[0].context = "SCENE"
    yield
    yield
    show("learnt")


def run():
    addon.enable()
    bpy.context.preferences.view.show_splash = False
    watch()
    fold_others()
    running = steps()

    def step():
        try:
            next(running)
            return 0.3
        except StopIteration:
            print("ALL PASSED", flush=True)
        except BaseException as error:
            print(f"FAILED: {error}", flush=True)
        bpy.ops.wm.quit_blender()
        return None

    bpy.app.timers.register(step, first_interval=1)


if addon.arguments()[1:] == ["make"]:
    make()
else:
    run()
