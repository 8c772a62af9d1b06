# SPDX-License-Identifier: MIT
"""One export: what it changes in the scene, what it collects, and how it restores the scene."""
import contextlib
import copy

import bpy

from . import bake_bones, bendy, checks, derive, drivers, fit, import_rig, names, preview, rig, scene, schema, versions
from .glb import VERTEX_ATTRIBUTE

_current = None
rig_written = False  # whether the last export wrote a rig
learning = None  # if `pelt learn` follows: fit.Fit of meshes that modifiers change at rest; it learns all else
wrapped = False  # the add-on's operator calls the exporter, and binds itself


class ExportError(RuntimeError):
    """Why there is no file: a sentence for the user."""


def current():
    return _current


def begin(settings):
    """Checks and prepares the scene. If it cannot be exported, restores it and raises ExportError."""
    global _current
    end()
    session = Session(settings)
    try:
        session.prepare()
    except BaseException:
        session.stack.close()
        raise
    _current = session
    return session


def end():
    """Restores the scene to its state before the export; does nothing without an export."""
    global _current
    session, _current = _current, None
    if session is not None:
        session.stack.close()
    return session


class Session:
    def __init__(self, settings):
        self.settings = settings
        self.panel = bpy.context.scene.pelt
        self.stack = contextlib.ExitStack()
        self.made = rig.SceneRig()
        self.errors = []
        self.written = None  # the rig as the file has it
        self.object_nodes = []  # (node of the file, object)
        self.joint_nodes = []  # (node of the file, armature, bone's name)

    def prepare(self):
        preview.remove()  # it is not part of the file
        exported = scene.Exported(self.settings)
        findings = checks.check(self.panel, exported, learning is not None)
        checks.show(self.panel, findings)
        errors = [finding for finding in findings if finding.level == "ERROR"]
        if errors:
            more = f" ({len(errors) - 1} more: see the Pelt panel of the scene)" if len(errors) > 1 else ""
            raise ExportError(f"Pelt: {errors[0].text}{more}")
        self.made = rig.of_scene(self.panel, exported, sample=learning is None)
        if not self.made.moves_anything():
            return
        if self.settings.get("gltf_apply"):
            self._mute(exported)
        self._add_masks()
        if self.panel.vertex_numbers:
            self._number_vertices(exported)
        versions.need_settings(
            self.settings,
            bool(import_rig.attributes_of(self.made.rig)) or self.panel.vertex_numbers,
            rig.has_lines(self.made.rig, exported),
        )
        self._free_lattices(exported)
        for name, keys in self.made.driven.items():
            drivers.leave_out(bpy.data.objects[name], keys, self.stack)
        for thing in exported.meshes if learning is not None else ():
            drivers.remove(thing, self.made.driven.get(thing.name, []), self.stack)
        for fitted in self.made.fits + (learning or []):
            fit.add_shapes(fitted, self.stack)
        for armature in exported.armatures:
            if bendy.bakes(self.panel.bendy, armature):
                skins = [thing for thing in exported.meshes if scene.armature_of(thing) == armature]
                bake_bones.bake(armature, skins, self.settings, self.stack)

    def _mute(self, exported):
        for thing in exported.meshes:
            for modifier in thing.modifiers:
                if modifier.type in scene.CARRIED and modifier.show_viewport:
                    modifier.show_viewport = False
                    self.stack.callback(_show, thing.name, modifier.name)
        bpy.context.view_layer.update()

    def _free_lattices(self, exported):
        """The exporter fails if an object other than a mesh has an armature (glTF-Blender-IO#2271)."""
        for thing in exported.objects:
            for modifier in thing.modifiers:
                if thing.type != "MESH" and modifier.type == "ARMATURE" and modifier.object is not None:
                    self.stack.callback(_set_armature, thing.name, modifier.name, modifier.object.name)
                    modifier.object = None

    def _add_masks(self):
        for thing, attribute, group, inverted in self.made.masks:
            self._add_attribute(thing, attribute, derive.group_values(thing, group, inverted))

    def _number_vertices(self, exported):
        done = set()
        for thing in exported.meshes:
            if thing.data.name not in done:
                done.add(thing.data.name)
                self._add_attribute(thing, VERTEX_ATTRIBUTE[1:], range(len(thing.data.vertices)))

    def _add_attribute(self, thing, name, values):
        data = thing.data
        if name in data.attributes:
            data.attributes.remove(data.attributes[name])
        added = data.attributes.new(name, "FLOAT", "POINT")
        added.data.foreach_set("value", [float(value) for value in values])
        self.stack.callback(_remove_attribute, data, name)

    # Hooks of the exporter.

    def note_object(self, node, thing):
        self.object_nodes.append((node, thing))

    def note_joint(self, node, pose_bone):
        self.joint_nodes.append((node, pose_bone.id_data, pose_bone.name))

    def write(self, plan, extension):
        """Puts the rig into the file's extensions. `extension` is the exporter's class of that name."""
        if not self.made.moves_anything():
            return
        self.written = rig.without_empty(self._named(plan))
        sentence = schema.wrong_rig(self.written)
        if sentence:
            raise ExportError(f"Pelt: the rig is wrong: {sentence}")
        if plan.extensions is None:
            plan.extensions = {}
        plan.extensions["PELT_deformers"] = extension(
            name="PELT_deformers", extension={"version": 1, "rig": copy.deepcopy(self.written)}, required=False
        )

    def _named(self, plan):
        """The rig with names of the file instead of names of objects."""
        roots = names.roots_of(plan.scenes, plan.scene)
        of_nodes = dict(names.mesh_nodes(plan.nodes, plan.meshes, roots))
        numbers = {id(node): number for number, node in enumerate(plan.nodes)}
        files = {}
        for node, thing in self.object_nodes:
            number = numbers.get(id(node))
            if number in of_nodes:
                files.setdefault(thing.name, of_nodes[number])
        repeated = names.repeated_nodes(plan.nodes, roots)
        muscles = {muscle["name"] for muscle in self.made.rig.get("muscles", [])}

        def visit(kind, name):
            if kind == "joint":
                if name in repeated:
                    raise ExportError(
                        f"Pelt: several bones or objects are called '{name}', which the rig names: rename one"
                    )
                return name
            if name == "*" or name in muscles or name in files:
                return files.get(name, name)
            raise ExportError(f"Pelt: the rig names the mesh '{name}', which is not exported")

        return schema.each_name_of_rig(self.made.rig, visit, (*schema.MESHES, "joint"))


def _show(thing, modifier):
    thing = bpy.data.objects.get(thing)
    if thing is not None and modifier in thing.modifiers:
        thing.modifiers[modifier].show_viewport = True


def _set_armature(thing, modifier, armature):
    bpy.data.objects[thing].modifiers[modifier].object = bpy.data.objects[armature]


def _remove_attribute(data, name):
    if name in data.attributes:
        data.attributes.remove(data.attributes[name])
