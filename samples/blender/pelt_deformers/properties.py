# SPDX-License-Identifier: MIT
"""The state of the panels, in the scene: the rig's layers, export options, findings of the last check and bind."""
import json

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from . import schema


def _described(self):
    layer = _layer_of(self)
    return schema.leaves(layer.deformer).get(self.path, {}) if layer else {}


def _layer_of(parameter):
    for layer in parameter.id_data.pelt.layers:
        if any(parameter == other for other in layer.parameters):
            return layer
    return None


def _get_number(self):
    value = json.loads(self.value)
    return value if isinstance(value, (int, float)) else 0


def _set_number(self, value):
    value = float(f"{value:.7g}")
    span = schema.number_range(_described(self))
    if span is not None:
        value = min(max(value, span[0]), span[1])
        if span[2] == "integer":
            value = int(value)
    self.value = json.dumps(value)


def _get_whole(self):
    return int(_get_number(self))


def _get_switch(self):
    return json.loads(self.value) is True


def _set_switch(self, value):
    self.value = json.dumps(bool(value))


_words = {}


def _choices(self, context):
    words = schema.choices(_described(self)) or [""]
    _words[self.path] = [(word, word, "", i) for i, word in enumerate(words)]  # Blender keeps no reference to them
    return _words[self.path]


def _get_choice(self):
    words = schema.choices(_described(self))
    value = json.loads(self.value)
    return words.index(value) if value in words else 0


def _set_choice(self, value):
    self.value = json.dumps(schema.choices(_described(self))[value])


def _get_text(self):
    value = json.loads(self.value)
    return value if isinstance(value, str) else self.value


def _set_text(self, value):
    """A number if one is allowed, as instead of 'auto'; else the text."""
    if schema.number_range(_described(self)) is not None:
        try:
            return _set_number(self, float(value))
        except ValueError:
            pass
    self.value = json.dumps(value)


class PeltParameter(bpy.types.PropertyGroup):
    """A key of a layer, as parameters.local or mask.value, and its value as JSON text."""

    path: StringProperty()
    value: StringProperty(name="Value", description="As in a rig file: JSON")
    number: FloatProperty(get=_get_number, set=_set_number, precision=4)
    whole: IntProperty(get=_get_whole, set=_set_number)
    switch: BoolProperty(get=_get_switch, set=_set_switch)
    choice: EnumProperty(items=_choices, get=_get_choice, set=_set_choice)
    text: StringProperty(get=_get_text, set=_set_text)


_deformers = []


def _deformer_items(self, context):
    if not _deformers:
        for i, name in enumerate(schema.deformers()):
            about = schema.schema()["$defs"][name]["description"]
            _deformers.append((name, name.replace("_", " ").capitalize(), about, i))
    return _deformers


class PeltLayer(bpy.types.PropertyGroup):
    """A deformer over an object, or over all meshes."""

    object: PointerProperty(type=bpy.types.Object)
    target: StringProperty()
    deformer: EnumProperty(name="Deformer", items=_deformer_items)
    parameters: CollectionProperty(type=PeltParameter)


class PeltFinding(bpy.types.PropertyGroup):
    level: StringProperty()
    text: StringProperty()
    object: PointerProperty(type=bpy.types.Object)
    bones: StringProperty(default="[]")
    vertices: StringProperty(default="[]")


class PeltScene(bpy.types.PropertyGroup):
    enabled: BoolProperty(
        name="Pelt", default=True, description="Write the rig into glTF files, as the extension PELT_deformers"
    )
    bendy: EnumProperty(
        name="Bendy Bones",
        items=(
            (
                "AUTO",
                "As it fits",
                "A curve skeleton; plain joints for armatures with features that it does not follow: handles other "
                "than Automatic, curve offsets of the pose, animated values, bones that are not connected",
            ),
            (
                "CURVES",
                "As curve skeleton",
                "Pelt bends the limb along a curve, at any bend, with the existing joints",
            ),
            (
                "JOINTS",
                "As plain joints",
                "The file has a joint per segment and exact weights, and looks right in any engine",
            ),
        ),
    )
    bind: BoolProperty(
        name="Bind", default=True, description="Let pelt bind the exported file and add the character to it"
    )
    vertex_numbers: BoolProperty(
        name="Vertex Numbers",
        default=True,
        description="Write the attribute _PELT_VERTEX, by which reports and previews find Blender's vertices",
    )
    learn_from: EnumProperty(
        name="Poses",
        items=(
            ("RANGES", "Joint ranges", "Each joint turns within its limits or as far as clips turn it, some together"),
            ("ACTIONS", "Actions", "Frames of the clips that the export makes: all if there are fewer"),
        ),
    )
    learn_poses: IntProperty(name="Number", default=200, min=8, max=512, description="How many poses to learn")
    learn_within: FloatProperty(name="Within, mm", default=1, min=0.001, description="The error that pelt aims at")
    layers: CollectionProperty(type=PeltLayer)
    rest: StringProperty(description="The rig without its layers, as JSON")
    findings: CollectionProperty(type=PeltFinding)
    summary: StringProperty()
    file: StringProperty(subtype="FILE_PATH", description="The file that was exported last")
    character: StringProperty(subtype="FILE_PATH", description="The character that was learnt from it, if any")


CLASSES = (PeltParameter, PeltLayer, PeltFinding, PeltScene)


_register, _unregister = bpy.utils.register_classes_factory(CLASSES)


def register():
    _register()
    bpy.types.Scene.pelt = PointerProperty(type=PeltScene)


def unregister():
    del bpy.types.Scene.pelt
    _unregister()
