# SPDX-License-Identifier: MIT
"""The panels: of the scene, of objects, of bones, of the glTF export dialog, and the preferences."""
import json

import bpy
from bpy.props import StringProperty

from . import bendy, derive, operators, program, schema, versions

ICONS = {"ERROR": "ERROR", "WARNING": "INFO", "INFO": "DOT"}


class PeltPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    program: StringProperty(
        name="pelt", subtype="FILE_PATH", description="The pelt command line, which binds; default: the one in PATH"
    )

    def draw(self, context):
        self.layout.prop(self, "program")
        found = program.path()
        self.layout.label(
            text=found or "not found: exports have their rig, and the game's build has to bind",
            icon="CHECKMARK" if found else "INFO",
        )


class PELT_PT_scene(bpy.types.Panel):
    bl_label = "Pelt"
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "scene"

    def draw(self, context):
        panel, layout = context.scene.pelt, self.layout
        layout.operator("pelt.export", icon="EXPORT")
        row = layout.row(align=True)
        row.operator("pelt.check", icon="CHECKMARK")
        row.operator("pelt.preview", icon="HIDE_OFF")
        row.operator("pelt.preview", text="", icon="X").hide = True
        layout.prop(panel, "bendy")
        layout.prop(panel, "bind")
        layout.prop(panel, "vertex_numbers")
        layout.operator("pelt.read_rig", icon="FILE")
        layout.operator("pelt.learn", icon="ARMATURE_DATA")
        for name in operators.LEARNING:
            layout.prop(panel, name)
        if panel.summary:
            layout.label(text=panel.summary)
        for i, item in enumerate(panel.findings):
            row = layout.row()
            operators.draw_sentence(
                row.column(align=True), item.text, ICONS.get(item.level, "DOT"), context.region.width - 60
            )
            if item.object is not None:
                row.operator("pelt.select", text="", icon="RESTRICT_SELECT_OFF").index = i


class PELT_PT_object(bpy.types.Panel):
    bl_label = "Pelt"
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "object"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def draw(self, context):
        panel, layout, thing = context.scene.pelt, self.layout, context.object
        shown = [(i, item) for i, item in enumerate(panel.layers) if item.object == thing]
        if not shown:
            for layer in derive.layers_of(thing, panel.bendy).layers:
                layout.label(text=f"From modifiers: {layer['deformer'].replace('_', ' ')}", icon="MODIFIER")
        row = layout.row(align=True)
        row.operator("pelt.from_modifiers", icon="MODIFIER")
        row.operator("pelt.add_layer", icon="ADD")
        for i, item in shown:
            self._draw_layer(layout.box(), i, item)

    @staticmethod
    def _draw_layer(box, i, item):
        row = box.row()
        row.prop(item, "deformer", text="")
        row.operator("pelt.remove_layer", text="", icon="X").index = i
        described = schema.leaves(item.deformer)
        for j, parameter in enumerate(item.parameters):
            about = described.get(parameter.path)
            row = box.row()
            row.alert = about is None or schema.wrong(json.loads(parameter.value), about, "") is not None
            row.label(text=parameter.path.replace("parameters.", ""))
            row.prop(parameter, _kind(parameter, about or {}), text="")
            operator = row.operator("pelt.remove_parameter", text="", icon="X")
            operator.layer, operator.index = i, j
        box.operator_menu_enum("pelt.add_parameter", "path", icon="ADD").index = i


def _kind(parameter, about):
    """Which of a parameter's properties shows it, by its value or by the schema."""
    value = json.loads(parameter.value)
    if isinstance(value, bool):
        return "switch"
    if isinstance(value, (int, float)):
        span = schema.number_range(about)
        return "whole" if span and span[2] == "integer" else "number"
    if isinstance(value, str):
        return "choice" if value in schema.choices(about) and schema.number_range(about) is None else "text"
    return "value"


class PELT_PT_bone(bpy.types.Panel):
    bl_label = "Pelt"
    bl_space_type, bl_region_type, bl_context = "PROPERTIES", "WINDOW", "bone"

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "ARMATURE" and context.active_bone is not None

    def draw(self, context):
        layout, panel = self.layout, context.scene.pelt
        pose = context.object.pose.bones.get(context.active_bone.name) if context.object.mode != "EDIT" else None
        if pose is None or pose.bone.bbone_segments < 2:
            layout.label(text="Does not bend: one segment")
            return
        layout.prop(panel, "bendy")
        if bendy.bakes(panel.bendy, context.object):
            layout.label(text=f"{pose.bone.bbone_segments + 1} joints, exact weights")
            return
        for key, value in derive.bendy_of(pose).items():
            layout.label(text=f"{key.replace('_', ' ')}: {_short(value)}")
        for what, names in bendy.unfollowed(context.object):
            if pose.name in names:
                text = f"Not followed: {what.rstrip(',')}"
                operators.draw_sentence(layout.column(align=True), text, "INFO", context.region.width - 40)


def _short(value):
    return ", ".join(f"{part:.3g}" for part in value) if isinstance(value, list) else f"{value:.3g}"


class PELT_PT_gltf(bpy.types.Panel):
    """The part of the glTF export dialog that the exporter asks for when the dialog opens."""

    bl_label = "Pelt"
    bl_space_type, bl_region_type = "FILE_BROWSER", "TOOL_PROPS"
    bl_parent_id = versions.EXPORT_PANEL_PARENT

    @classmethod
    def poll(cls, context):
        operator = context.space_data.active_operator
        return operator is not None and operator.bl_idname == "EXPORT_SCENE_OT_gltf"

    def draw_header(self, context):
        self.layout.prop(context.scene.pelt, "enabled", text="")

    def draw(self, context):
        self.layout.active = context.scene.pelt.enabled
        operators.draw_export(context.scene.pelt, self.layout)

    @staticmethod
    def draw_in(context, layout):
        """For versions that pass a layout: 4.2 on. Not run."""
        header, body = layout.panel("PELT_gltf", default_closed=True)
        header.prop(context.scene.pelt, "enabled")
        if body is not None:
            operators.draw_export(context.scene.pelt, body)


def register_panel():
    """The exporter of 3.4 to 4.1 calls this when its dialog opens, and calls the result when the dialog closes."""
    try:
        bpy.utils.register_class(PELT_PT_gltf)
    except ValueError:
        pass  # already registered
    return unregister_panel


def unregister_panel():
    try:
        bpy.utils.unregister_class(PELT_PT_gltf)
    except RuntimeError:
        pass


def draw_menu(self, context):
    self.layout.operator(operators.PELT_OT_export.bl_idname, text="glTF with Pelt (.glb)")


_register, _unregister = bpy.utils.register_classes_factory(
    (PeltPreferences, PELT_PT_scene, PELT_PT_object, PELT_PT_bone)
)


def register():
    _register()
    bpy.types.TOPBAR_MT_file_export.append(draw_menu)
    versions.register_export_panel(PELT_PT_gltf, __package__)


def unregister():
    versions.unregister_export_panel(__package__)
    bpy.types.TOPBAR_MT_file_export.remove(draw_menu)
    _unregister()
