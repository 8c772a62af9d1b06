# SPDX-License-Identifier: MIT
"""The operators of the panels' buttons."""
import json
import os
import re
import textwrap
import time
import traceback

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from . import checks, derive, import_rig, learn, preview, program, rig, scene, schema, session


def export_options(options_text=""):
    """The exporter's options: those that it keeps in the scene, and those in `options_text`, JSON."""
    known = bpy.ops.export_scene.gltf.get_rna_type().properties.keys()
    remembered = bpy.context.scene.get("glTF2ExportSettings")
    options = {key: value for key, value in (remembered.to_dict() if remembered else {}).items() if key in known}
    options.update(json.loads(options_text) if options_text else {})
    return options


class PELT_OT_export(bpy.types.Operator, ExportHelper):
    """Check, export as glTF with the rig, and bind: one click"""

    bl_idname = "pelt.export"
    bl_label = "Export with Pelt"

    filename_ext = ".glb"
    filter_glob: StringProperty(default="*.glb;*.gltf", options={"HIDDEN"})
    options: StringProperty(options={"HIDDEN", "SKIP_SAVE"}, description="Options of the exporter, as JSON")

    def draw(self, context):
        draw_export(context.scene.pelt, self.layout)

    def execute(self, context):
        if not self.filepath.lower().endswith((".glb", ".gltf")):
            self.filepath += ".glb"
        panel = context.scene.pelt
        frame = context.scene.frame_current
        options = export_options(self.options)
        if self.filepath.lower().endswith(".gltf"):
            options.setdefault("export_format", "GLTF_SEPARATE")
        enabled = panel.enabled
        panel.enabled = True
        session.rig_written = False
        session.wrapped = True
        unfinished = self.filepath + ".unfinished" + os.path.splitext(self.filepath)[1]
        try:
            # The exporter writes to a neighbouring file, so that the old file stays if anything fails.
            target = self.filepath if options.get("export_format") == "GLTF_SEPARATE" else unfinished
            bpy.ops.export_scene.gltf(**{**options, "filepath": target})
            if not session.rig_written:
                raise session.ExportError("Pelt: bones or a cage move none of the exported meshes")
            if target != self.filepath:
                os.replace(target, self.filepath)
        except RuntimeError as error:
            self.report({"ERROR"}, _sentence(error))
            return {"CANCELLED"}
        finally:
            session.end()
            session.wrapped = False
            panel.enabled = enabled
            if os.path.exists(unfinished):
                os.remove(unfinished)
            if context.scene.frame_current != frame:
                context.scene.frame_set(frame)
        panel.file, panel.character = self.filepath, ""
        return self._bind(panel)

    def _bind(self, panel):
        if not panel.bind or not self.filepath.lower().endswith(".glb"):
            panel.summary = "exported with its rig; the program that loads it binds it"
        elif not program.path():
            panel.summary = "exported with its rig; pelt was not found, so the game's build has to bind it"
            self.report({"INFO"}, panel.summary)
        elif not preview.bind(panel, self.filepath):
            self.report({"ERROR"}, panel.summary)
        return {"FINISHED"}


LEARNING = ("learn_from", "learn_poses", "learn_within")  # the panel's options


class PELT_OT_learn(bpy.types.Operator, ExportHelper):
    """Let pelt learn how the skins look here, with all their modifiers, over many poses"""

    bl_idname = "pelt.learn"
    bl_label = "Learn as It Looks Here"

    filename_ext = ".pelt"
    filter_glob: StringProperty(default="*.pelt", options={"HIDDEN"})
    options: StringProperty(options={"HIDDEN", "SKIP_SAVE"}, description="Options of the exporter, as JSON")

    def draw(self, context):
        for name in LEARNING:
            self.layout.prop(context.scene.pelt, name)

    def invoke(self, context, event):
        self.in_window = True
        return super().invoke(context, event)

    def execute(self, context):
        if not self.filepath.lower().endswith(".pelt"):
            self.filepath += ".pelt"
        path = bpy.path.abspath(self.filepath)
        self.steps = learn.steps(context.scene.pelt, path, export_options(self.options))
        if not getattr(self, "in_window", False):
            return self.work(context, float("inf"))
        manager = context.window_manager
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        manager.progress_begin(0, 100)
        self.timer = manager.event_timer_add(0.01, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.cancel(context)
            context.scene.pelt.summary = "learning was cancelled"
            return {"CANCELLED"}
        return self.work(context, 0.2) if event.type == "TIMER" else {"RUNNING_MODAL"}

    def cancel(self, context):
        if not hasattr(self, "timer"):  # the file browser was closed
            return
        try:
            self.steps.close()
        finally:
            self.end(context)

    def work(self, context, seconds):
        """Works for so long."""
        panel, start = context.scene.pelt, time.monotonic()
        try:
            while time.monotonic() - start < seconds:
                share, what = next(self.steps)
                context.window_manager.progress_update(100 * share)
                if context.workspace is not None:
                    context.workspace.status_text_set(f"Pelt: {what}, {100 * share:.0f}%. Esc cancels")
            return {"RUNNING_MODAL"}
        except StopIteration as done:
            checks.show(panel, done.value)
            panel.summary = f"learnt {os.path.basename(self.filepath)}; how far it is from this scene:"
            self.report({"INFO"}, "\n".join(finding.text for finding in done.value))
            result = {"FINISHED"}
        except Exception as error:  # or the timer would go on
            if not isinstance(error, (RuntimeError, OSError)):
                traceback.print_exc()
            panel.summary = f"nothing was learnt: {_sentence(error)}"
            self.report({"ERROR"}, panel.summary)
            result = {"CANCELLED"}
        self.end(context)
        return result

    def end(self, context):
        if getattr(self, "in_window", False):
            context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        if context.workspace is not None:
            context.workspace.status_text_set(None)


def _sentence(error):
    """The message of an error that came through an operator, without its traceback."""
    found = re.findall(r"^(?:[\w.]+Error|Error): (?!Python:)(.+)$", str(error), re.MULTILINE)
    return found[-1] if found else str(error).strip()


class PELT_OT_check(bpy.types.Operator):
    """Look for anything that the export would lose or change"""

    bl_idname = "pelt.check"
    bl_label = "Check"
    options: StringProperty(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, context):
        panel = context.scene.pelt
        exported = scene.Exported(scene.settings_of(export_options(self.options)))
        findings = checks.check(panel, exported)
        if not any(finding.level == "ERROR" for finding in findings):
            made = rig.of_scene(panel, exported, sample=False)
            findings += [checks.Finding("WARNING", sentence, thing) for thing, sentence in made.lost]
        checks.show(panel, findings)
        errors = len([finding for finding in findings if finding.level == "ERROR"])
        warnings = len([finding for finding in findings if finding.level == "WARNING"])
        panel.summary = f"errors: {errors}, warnings: {warnings}" if findings else "no problems found"
        return {"FINISHED"}


class PELT_OT_select(bpy.types.Operator):
    """Select what this sentence is about"""

    bl_idname = "pelt.select"
    bl_options = {"UNDO"}
    bl_label = "Select"
    index: IntProperty()

    def execute(self, context):
        item = context.scene.pelt.findings[self.index]
        thing = item.object
        if thing is None:
            return {"CANCELLED"}
        if context.object is not None and context.object.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        for other in context.view_layer.objects:
            other.select_set(other == thing)
        context.view_layer.objects.active = thing
        bones, vertices = json.loads(item.bones), set(json.loads(item.vertices))
        if thing.type == "ARMATURE":
            for bone in thing.data.bones:
                bone.select = bone.name in bones
            for bone in [bone for bone in bones if bone in thing.data.bones][:1]:
                thing.data.bones.active = thing.data.bones[bone]
        if thing.type == "MESH" and vertices:
            for part in (thing.data.polygons, thing.data.edges):
                part.foreach_set("select", [False] * len(part))
            thing.data.vertices.foreach_set("select", [i in vertices for i in range(len(thing.data.vertices))])
        return {"FINISHED"}


class PELT_OT_from_modifiers(bpy.types.Operator):
    """Copy the layers that the modifiers stand for into the panel, to edit them there"""

    bl_idname = "pelt.from_modifiers"
    bl_options = {"UNDO"}
    bl_label = "From Modifiers"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def execute(self, context):
        panel = context.scene.pelt
        _remove_layers(panel, context.object)
        objects = {thing.name: thing for thing in context.scene.objects}
        for layer in derive.layers_of(context.object, panel.bendy).layers:
            rig.fill_item(panel.layers.add(), layer, objects)
        return {"FINISHED"}


def _remove_layers(panel, thing):
    for i in reversed(range(len(panel.layers))):
        if panel.layers[i].object == thing:
            panel.layers.remove(i)


class PELT_OT_add_layer(bpy.types.Operator):
    """Add a layer over this object; the panel's layers replace those of its modifiers"""

    bl_idname = "pelt.add_layer"
    bl_options = {"UNDO"}
    bl_label = "Add Layer"

    def execute(self, context):
        item = context.scene.pelt.layers.add()
        item.object = context.object
        item.target = context.object.name
        return {"FINISHED"}


class PELT_OT_remove_layer(bpy.types.Operator):
    """Remove this layer"""

    bl_idname = "pelt.remove_layer"
    bl_options = {"UNDO"}
    bl_label = "Remove Layer"
    index: IntProperty()

    def execute(self, context):
        context.scene.pelt.layers.remove(self.index)
        return {"FINISHED"}


_paths = []


def _path_items(self, context):
    layer = context.scene.pelt.layers[self.index]
    there = {parameter.path for parameter in layer.parameters}
    _paths[:] = [
        (path, path.replace("parameters.", ""), described.get("description", ""))
        for path, described in schema.leaves(layer.deformer).items()
        if path not in there
    ]
    return _paths


class PELT_OT_add_parameter(bpy.types.Operator):
    """Set a value of this layer; all others have their defaults"""

    bl_idname = "pelt.add_parameter"
    bl_options = {"UNDO"}
    bl_label = "Add Value"
    bl_property = "path"
    index: IntProperty()
    path: EnumProperty(name="Key", items=_path_items)

    def invoke(self, context, event):
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        path = self.path  # an entry of a list that changes as values are added
        layer = context.scene.pelt.layers[self.index]
        described = schema.leaves(layer.deformer)[path]
        parameter = layer.parameters.add()
        parameter.path = path
        parameter.value = json.dumps(described.get("default", (schema.choices(described) or [0])[0]))
        return {"FINISHED"}


class PELT_OT_remove_parameter(bpy.types.Operator):
    """Go back to the default"""

    bl_idname = "pelt.remove_parameter"
    bl_options = {"UNDO"}
    bl_label = "Default"
    layer: IntProperty()
    index: IntProperty()

    def execute(self, context):
        context.scene.pelt.layers[self.layer].parameters.remove(self.index)
        return {"FINISHED"}


class PELT_OT_preview(bpy.types.Operator):
    """Show the last export, moved by Pelt, next to the meshes"""

    bl_idname = "pelt.preview"
    bl_options = {"UNDO"}
    bl_label = "Preview"
    clip: StringProperty(description="The clip; default: the first")
    folder: StringProperty(
        subtype="DIR_PATH", description="The folder for point caches; default: that of the exported file"
    )
    hide: BoolProperty(default=False)

    @classmethod
    def poll(cls, context):
        return bool(context.scene.pelt.file)

    def execute(self, context):
        if self.hide:
            preview.remove()
            return {"FINISHED"}
        file = bpy.path.abspath(context.scene.pelt.file)
        try:
            folder = self.folder or os.path.dirname(file)
            copies = preview.show(file, folder, self.clip, context.scene.pelt.character)
        except (program.ProgramError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not copies:
            self.report(
                {"ERROR"}, "the file has no mesh of the scene with vertex numbers: export with Vertex Numbers on"
            )
            return {"CANCELLED"}
        return {"FINISHED"}


class PELT_OT_read_rig(bpy.types.Operator):
    """Read a rig file (.json) into the panels"""

    bl_idname = "pelt.read_rig"
    bl_options = {"UNDO"}
    bl_label = "Read Rig"
    filepath: StringProperty(subtype="FILE_PATH")
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        read = None
        try:
            with open(self.filepath, encoding="utf-8") as file:
                read = json.load(file)
            sentence = schema.wrong_rig(read)
        except OSError as error:
            sentence = f"cannot be read: {error.strerror}"
        except ValueError as error:
            sentence = f"is not JSON: {error}"
        if sentence:
            self.report({"ERROR"}, f"{os.path.basename(self.filepath)}: {sentence}")
            return {"CANCELLED"}
        import_rig.put(context.scene.pelt, read, context.scene)
        return {"FINISHED"}


def draw_sentence(column, sentence, icon, width):
    """Draws a sentence in lines that fit a width in pixels."""
    letters = max(int(width / (7 * bpy.context.preferences.system.ui_scale)), 20)
    for i, line in enumerate(textwrap.wrap(sentence, letters)):
        column.label(text=line, icon=icon if i == 0 else "BLANK1")


def draw_export(panel, layout):
    """Draws the Pelt part of the export dialogs."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    layout.prop(panel, "bendy")
    layout.prop(panel, "bind")
    layout.prop(panel, "vertex_numbers")
    if panel.bind and not program.path():
        layout.label(text="pelt not found: the game's build has to bind", icon="INFO")
    layout.operator("pelt.check", icon="CHECKMARK")
    for item in panel.findings[:6]:
        if item.level != "INFO":
            draw_sentence(
                layout.column(align=True),
                item.text,
                "ERROR" if item.level == "ERROR" else "INFO",
                bpy.context.region.width - 20,
            )


CLASSES = (
    PELT_OT_export,
    PELT_OT_learn,
    PELT_OT_check,
    PELT_OT_select,
    PELT_OT_from_modifiers,
    PELT_OT_add_layer,
    PELT_OT_remove_layer,
    PELT_OT_add_parameter,
    PELT_OT_remove_parameter,
    PELT_OT_preview,
    PELT_OT_read_rig,
)


register, unregister = bpy.utils.register_classes_factory(CLASSES)
