# SPDX-License-Identifier: MIT
"""Brings the rig of an imported file into the panels."""
import json

import numpy

from . import names, rig, schema


def read(gltf, blender_scene):
    """Reads the rig of a file whose nodes the importer has made. `gltf` is the importer."""
    extension = (gltf.data.extensions or {}).get("PELT_deformers")
    if extension is None:
        return
    panel = blender_scene.pelt
    if extension.get("version") != 1:
        panel.summary = f"PELT_deformers version {extension.get('version')} is unknown: its rig was not read"
        return
    sentence = schema.wrong_rig(extension["rig"])
    if sentence:
        panel.summary = f"the rig of the file was not read: {sentence}"
        return
    meshes, joints = _names(gltf)

    def visit(kind, name):
        return (joints if kind == "joint" else meshes).get(name, name)

    put(panel, schema.each_name_of_rig(extension["rig"], visit, (*schema.MESHES, "joint")), blender_scene)


def put(panel, read_rig, blender_scene):
    """Writes a rig, whose meshes are named by objects, into the panel, after its layers."""
    objects = {thing.name: thing for thing in blender_scene.objects}
    read_rig = schema.without_defaults_of_rig(read_rig)
    for layer in read_rig["layers"]:
        rig.fill_item(panel.layers.add(), layer, objects)
    rest = json.loads(panel.rest) if panel.rest else {}
    for key, value in read_rig.items():
        if key in ("format", "layers"):
            continue
        if isinstance(value, list) and isinstance(rest.get(key), list):
            rest[key] += value
        else:
            rest[key] = value
    panel.rest = json.dumps(rest) if rest else ""


def _names(gltf):
    """({name of a mesh in the file: object}, {name of a joint: bone or object})."""
    shown = {
        vnode.mesh_node_idx: vnode.blender_object.name
        for vnode in gltf.vnodes.values()
        if getattr(vnode, "mesh_node_idx", None) is not None and _object_of(vnode) is not None
    }
    joints = {}
    for key, vnode in gltf.vnodes.items():
        if isinstance(key, int):
            name = gltf.data.nodes[key].name or f"node_{key}"
            bone = getattr(vnode, "blender_bone_name", None)
            thing = _object_of(vnode)
            joints.setdefault(name, bone or (thing.name if thing is not None else name))
    roots = names.roots_of(gltf.data.scenes, gltf.data.scene)
    in_file = names.mesh_nodes(gltf.data.nodes, gltf.data.meshes, roots)
    return {name: shown.get(number, name) for number, name in in_file}, joints


def _object_of(vnode):
    return getattr(vnode, "blender_object", None)  # bones and the importer's own root have none


def attributes_of(read_rig):
    """Names of the vertex attributes that a rig's masks and regions read, without their components."""
    named = set()

    def visit(kind, name):
        named.add(name.split(".")[0])
        return name

    schema.each_name_of_rig(read_rig, visit, ("attribute",))
    return named


def read_attributes(gltf, mesh, blender_mesh):
    """Gives a mesh the attributes that the file's rig reads; the importer of 3.4 leaves them out."""
    extension = (gltf.data.extensions or {}).get("PELT_deformers")
    if extension is None or schema.wrong_rig(extension.get("rig")):
        return
    from io_scene_gltf2.io.imp.gltf2_io_binary import BinaryData

    for name in attributes_of(extension["rig"]):
        if not name.startswith("_") or name[1:] in blender_mesh.attributes:
            continue
        parts = []
        for primitive in mesh.primitives:
            count = gltf.data.accessors[primitive.attributes["POSITION"]].count
            used = numpy.arange(count)
            if primitive.indices is not None:  # the importer leaves out vertices that no triangle uses
                used = numpy.unique(BinaryData.decode_accessor(gltf, primitive.indices))
            if name in primitive.attributes:
                parts.append(BinaryData.decode_accessor(gltf, primitive.attributes[name])[used])
            else:
                parts.append(None)
        widths = {part.shape[1] for part in parts if part is not None}
        if len(widths) != 1 or not widths <= {1, 3}:
            continue
        width = widths.pop()
        if any(part is None for part in parts) or sum(len(part) for part in parts) != len(blender_mesh.vertices):
            continue  # vertices were merged, or a part of the mesh lacks it
        added = blender_mesh.attributes.new(name[1:], "FLOAT" if width == 1 else "FLOAT_VECTOR", "POINT")
        added.data.foreach_set(
            "value" if width == 1 else "vector", numpy.concatenate(parts).astype(numpy.float32).ravel()
        )
