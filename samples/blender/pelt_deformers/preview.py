# SPDX-License-Identifier: MIT
"""Pelt's skin next to Blender's: a copy of each mesh that plays a point cache of `pelt deform`."""
import json
import os

import bpy
import numpy

from . import glb, program, scene

COLLECTION = "Pelt preview"


def show(file, folder, clip=None, character=None):
    """Makes the preview of a file exported from this scene, or of the `character` learnt from it. Returns the objects.

    The copies have the vertices of the meshes in Blender's order, and stand next to them along x.
    """
    content = glb.File(file)
    named = program.clips(file)
    clip = clip or (named[0][0] if named else "")
    fps = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    seconds = dict(named).get(clip, 0.0)
    caches = _stream(content, folder)
    last = bpy.context.scene.frame_end if caches else int(round(seconds * fps))
    skinned = skins(content)
    points = program.deformed(character or file, clip, 0, last, fps, caches)
    remove()
    collection = bpy.data.collections.new(COLLECTION)
    bpy.context.scene.collection.children.link(collection)
    width = max((thing.dimensions.x for _, thing, _ in skinned), default=1.0)
    copies, first = [], 0
    for name, thing, numbers in skinned:
        count = len(numbers) if numbers is not None else _vertices(content, name)
        if thing is not None and numbers is not None:
            copies.append(_copy(thing, numbers, points[:, first : first + count], folder, collection, 1.5 * width))
        first += count
    return copies


def _stream(content, folder):
    """[(mesh, .pc2)] of streamed drivers, as Blender moves them from frame 0 on."""
    nodes, caches = dict(content.mesh_nodes()), {}
    for layer in (content.rig() or {"layers": []})["layers"]:
        driver = layer.get("parameters", {}).get("driver", {})
        name = driver.get("mesh", "")
        if driver.get("follow") != "streamed" or name in caches or name not in nodes:
            continue
        thing = bpy.context.scene.objects.get(nodes[name].get("name", name))
        numbers = content.blender_vertices(nodes[name])
        if thing is not None and numbers is not None:
            caches[name] = os.path.join(folder, bpy.path.clean_name(name) + ".stream.pc2")
            glb.write_cache(caches[name], *evaluated([(name, thing, numbers)], range(bpy.context.scene.frame_end + 1)))
    return list(caches.items())


def evaluated(skinned, frames):
    """Returns frames x vertices x 3 of each of skins(), as Blender moves it, in the file's order: metres, y up."""
    before, points = bpy.context.scene.frame_current, []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        points.append(seen(skinned))
    bpy.context.scene.frame_set(before)
    return [numpy.array(of_skin) for of_skin in zip(*points)]


def seen(skinned):
    """Returns vertices x 3 of each of skins() as Blender shows it now."""
    graph, points = bpy.context.evaluated_depsgraph_get(), []
    for _, thing, numbers in skinned:
        now = thing.evaluated_get(graph)
        world = numpy.array(now.matrix_world)
        at = scene.positions(now.data.vertices)[numbers] @ world[:3, :3].T + world[:3, 3]
        points.append(at[:, [0, 2, 1]] * (1, 1, -1))
    return points


def remove():
    """Takes the last preview out of the scene."""
    collection = bpy.data.collections.get(COLLECTION)
    if collection is None:
        return
    for thing in list(collection.objects):
        data = thing.data
        bpy.data.objects.remove(thing)
        if data.users == 0:
            bpy.data.meshes.remove(data)
    bpy.data.collections.remove(collection)


def skins(content):
    """[(mesh, its object, the Blender vertex of each of its vertices)] of all meshes that are not drivers."""
    driving = set()
    for layer in (content.rig() or {"layers": []})["layers"]:
        driving.add(layer.get("parameters", {}).get("driver", {}).get("mesh", ""))
        driving |= {layer.get("parameters", {}).get(key, "") for key in ("cage", "mesh")}
    return [
        (name, bpy.context.scene.objects.get(node.get("name", name)), content.blender_vertices(node))
        for name, node in content.mesh_nodes()
        if name not in driving
    ]


def _vertices(content, name):
    node = dict(content.mesh_nodes())[name]
    return sum(
        content.json["accessors"][primitive["attributes"]["POSITION"]]["count"]
        for primitive in content.json["meshes"][node["mesh"]]["primitives"]
    )


def to_blender_order(numbers, points, vertices):
    """Returns frames x vertices x 3 in Blender's order and axes. A vertex without triangles is not in a file: NaN."""
    ordered = numpy.full((points.shape[0], vertices, 3), numpy.nan, numpy.float32)
    ordered[:, numbers] = points[:, :, [0, 2, 1]] * numpy.array((1, -1, 1), numpy.float32)
    return ordered


def _copy(thing, numbers, points, folder, collection, aside):
    data = thing.data.copy()
    ordered = to_blender_order(numbers, points, len(data.vertices))
    missing = numpy.isnan(ordered[0, :, 0])
    ordered[:, missing] = scene.positions(data.vertices)[missing]
    cache = os.path.join(folder, bpy.path.clean_name(thing.name) + ".pelt.pc2")
    glb.write_cache(cache, ordered)
    copy = bpy.data.objects.new(thing.name + " by Pelt", data)
    if data.shape_keys:
        copy.shape_key_clear()
    copy.location = (aside, 0, 0)
    collection.objects.link(copy)
    modifier = copy.modifiers.new("Pelt", "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = cache
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    modifier.frame_start = 0
    return copy


def places(report, content):
    """[(sentence, object, Blender's vertices)] of the worst locations of a report."""
    found, nodes = [], dict(content.mesh_nodes())
    for worst in (report.get("check") or {"defects": []})["defects"]:
        numbers = content.blender_vertices(nodes[worst["mesh"]]) if worst["mesh"] in nodes else None
        vertices = [int(numbers[worst["vertex"]])] if numbers is not None else []
        sentence = f"{worst['joint'] or worst['mesh']}, {worst['pose']}: {worst['kind']} {worst['value']:.2f}"
        if worst['fallback'] > 0:
            sentence += f", there {100 * worst['fallback']:.0f}% linear blend"
        name = nodes[worst["mesh"]].get("name", worst["mesh"]) if worst["mesh"] in nodes else worst["mesh"]
        found.append((sentence, bpy.context.scene.objects.get(name), vertices))
    return found


def bind(panel, file):
    """Binds an exported file, and puts its notes and worst locations into the panel. Returns whether it is bound."""
    try:
        report = program.bind(file)
    except program.ProgramError as error:
        panel.summary = f"exported with its rig, but not bound: {error}"
        return False
    content = glb.File(file)
    for note in report.get("notes", []):
        _add(panel, "INFO", note, None, [])
    for sentence, thing, vertices in places(report, content):
        _add(panel, "INFO", sentence, thing, vertices)
    checked = report.get("check")
    left = f", {100 * checked['fallback']:.1f}% of the skin falls back to linear blend" if checked else ""
    panel.summary = f"bound {len(report['meshes'])} meshes in {report['seconds']:.2f} s{left}"
    return True


def _add(panel, level, text, thing, vertices):
    item = panel.findings.add()
    item.level, item.text, item.object, item.vertices = level, text, thing, json.dumps(vertices)
