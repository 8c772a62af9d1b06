# SPDX-License-Identifier: MIT
"""Callbacks of the glTF exporter and importer.

Before 5.1 the exporter prints exceptions of hooks and goes on, so that a file would lack its rig. They are kept here
and raised again in after_export(), which stops it before it writes the file.
"""
import functools

import bpy

from . import import_rig, preview, program, session


def before_export(settings):
    """The exporter calls this first. An exception ends the export, and no file is written."""
    if not bpy.context.scene.pelt.enabled:
        session.end()
        return
    session.begin(settings)
    if not bpy.app.background:
        bpy.app.timers.register(_end_later, first_interval=0.1)  # in case the exporter fails between both callbacks


def _end_later():
    session.end()


def after_export(settings):
    """The exporter calls this before it writes the file."""
    ended = session.end()
    if ended is None:
        return
    if ended.errors:
        raise ended.errors[0]
    if ended.made.moves_anything() and ended.written is None:
        raise session.ExportError("Pelt: the exporter did not ask for the rig, so no file is written")
    session.rig_written = ended.written is not None
    path = settings["gltf_filepath"]
    if ended.written is not None and ended.panel.bind and not session.wrapped and path.lower().endswith(".glb"):
        bpy.app.timers.register(functools.partial(bind_later, path), first_interval=0.5)  # the file is not written yet


def bind_later(path):
    """Binds the file that the exporter's own dialog has written. The add-on's operator does not need it."""
    panel = bpy.context.scene.pelt
    panel.file, panel.character = path, ""
    if program.path():
        preview.bind(panel, path)


class glTF2ExportUserExtension:
    """The exporter makes one of these per export."""

    def __init__(self):
        from io_scene_gltf2.io.com.gltf2_io_extensions import Extension

        self.extension = Extension
        self.is_critical = True  # 5.1 on: exceptions end the export. Not run.

    def gather_node_hook(self, node, thing, settings):
        _guard(lambda now: now.note_object(node, thing))

    def gather_joint_hook(self, node, bone, settings):
        _guard(lambda now: now.note_joint(node, bone))

    def gather_gltf_extensions_hook(self, plan, settings):
        _guard(lambda now: now.write(plan, self.extension))


def _guard(action):
    now = session.current()
    if now is None:
        return
    try:
        action(now)
    except Exception as error:  # the exporter would print it and write a file without a rig
        now.errors.append(error)


class glTF2ImportUserExtension:
    """The importer makes one of these per import."""

    def gather_import_mesh_after_hook(self, mesh, blender_mesh, gltf):
        import_rig.read_attributes(gltf, mesh, blender_mesh)

    def gather_import_scene_after_nodes_hook(self, scene, blender_scene, gltf):
        try:
            import_rig.read(gltf, blender_scene)
        except Exception as error:  # the importer would only print it
            blender_scene.pelt.summary = f"the rig of the file was not read: {error}"
            raise
