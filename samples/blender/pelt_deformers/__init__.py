# SPDX-License-Identifier: MIT
"""Pelt for Blender: exports what moves a skin in Blender as the glTF extension PELT_deformers."""
bl_info = {
    "name": "Pelt deformers",
    "author": "The authors of Pelt",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Export > glTF with Pelt, and panels of scene, object and bone",
    "description": "Exports rigs with dual quaternions, bendy bones, cages and correctives as glTF PELT_deformers",
    "category": "Import-Export",
}

try:
    import bpy
except ImportError:  # glb.py and schema.py also run without Blender
    bpy = None

if bpy is not None:
    from . import operators, panels, properties, session, versions
    from .hooks import after_export as glTF2_post_export_callback
    from .hooks import before_export as glTF2_pre_export_callback
    from .hooks import glTF2ExportUserExtension, glTF2ImportUserExtension
    from .panels import register_panel


def register():
    versions.mend_numpy()
    properties.register()
    operators.register()
    panels.register()


def unregister():
    session.end()
    panels.unregister()
    operators.unregister()
    properties.unregister()
