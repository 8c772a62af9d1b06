# SPDX-License-Identifier: MIT
"""Brings the rig of an imported file into the panels."""
import json

from . import rig, schema


def read(gltf, blender_scene):
    """Reads the rig of a file that the importer has made nodes of. `gltf` is the importer."""
    extension = (gltf.data.extensions or {}).get("PELT_deformers")
    if extension is None:
        return
    panel = blender_scene.pelt
    if extension.get("version") != 1:
        panel.summary = f"PELT_deformers of version {extension.get('version')} is not known: its rig was not read"
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
    """Writes a rig, whose meshes are named by objects, into the panel, after what is there."""
    objects = {thing.name: thing for thing in blender_scene.objects}
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
    shown = {vnode.mesh_node_idx: vnode.blender_object.name for vnode in gltf.vnodes.values()
             if getattr(vnode, "mesh_node_idx", None) is not None and vnode.blender_object is not None}
    joints = {}
    for key, vnode in gltf.vnodes.items():
        if isinstance(key, int):
            name = gltf.data.nodes[key].name or f"node_{key}"
            bone = getattr(vnode, "blender_bone_name", None)
            thing = vnode.blender_object.name if vnode.blender_object is not None else name
            joints.setdefault(name, bone or thing)
    meshes, taken = {}, {}
    scenes = gltf.data.scenes or []
    waiting = list(reversed(scenes[gltf.data.scene or 0].nodes or [])) if scenes else []
    while waiting:
        number = waiting.pop()
        node = gltf.data.nodes[number]
        waiting.extend(reversed(node.children or []))
        if node.mesh is None:
            continue
        name = node.name or gltf.data.meshes[node.mesh].name or f"mesh_{node.mesh}"
        taken[name] = taken.get(name, 0) + 1
        name = name if taken[name] == 1 else f"{name}#{taken[name]}"
        meshes[name] = shown.get(number, name)
    return meshes, joints
