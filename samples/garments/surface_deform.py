# SPDX-License-Identifier: MIT
# Moves a skin by Blender's Surface Deform modifier, for comparison (docs/garments.md):
#   blender -b --python surface_deform.py -- SKIN.obj CAGE.obj CAGE.pc2 OUT.pc2
# The skin is bound to the cage as the files have it, and then follows each frame of the cache.
import array
import struct
import sys

import bpy


def read_obj(file):
    vertices, faces = [], []
    with open(file) as lines:
        for line in lines:
            key, *words = line.split() or [""]
            if key == "v":
                vertices.append([float(word) for word in words[:3]])
            elif key == "f":
                faces.append([int(word.split("/")[0]) - 1 for word in words])
    mesh = bpy.data.meshes.new(file)
    mesh.from_pydata(vertices, [], faces)
    mesh.update()
    thing = bpy.data.objects.new(file, mesh)
    bpy.context.scene.collection.objects.link(thing)
    return thing


skin_file, cage_file, cache_file, out_file = sys.argv[sys.argv.index("--") + 1:]
skin, cage = read_obj(skin_file), read_obj(cage_file)
modifier = skin.modifiers.new("wrap", "SURFACE_DEFORM")
modifier.target = cage
bpy.context.view_layer.objects.active = skin
bpy.context.view_layer.update()
with bpy.context.temp_override(object=skin, active_object=skin):
    bpy.ops.object.surfacedeform_bind(modifier="wrap")
if not modifier.is_bound:
    sys.exit("Blender does not bind this skin to this cage")
with open(cache_file, "rb") as file:
    _, _, points, _, _, frames = struct.unpack("<12siiffi", file.read(32))
    numbers = array.array("f", file.read())
with open(out_file, "wb") as file:
    file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(skin.data.vertices), 0.0, 1.0, frames))
    for frame in range(frames):
        cage.data.vertices.foreach_set("co", numbers[3 * points * frame:3 * points * (frame + 1)])
        cage.data.update()
        graph = bpy.context.evaluated_depsgraph_get()
        graph.update()
        moved = array.array("f", [0.0]) * (3 * len(skin.data.vertices))
        skin.evaluated_get(graph).data.vertices.foreach_get("co", moved)
        file.write(moved.tobytes())
