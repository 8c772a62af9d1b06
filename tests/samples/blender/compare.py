# SPDX-License-Identifier: MIT
"""Compares every vertex of `pelt deform` with the mesh that Blender evaluates, frame by frame."""
import os
import subprocess
import sys

import bpy
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/blender"))
from pelt_deformers import glb

PELT = os.environ.get("PELT_PROGRAM", "pelt")


def blender_frames(things, frames):
    """Returns {name: frames x vertices x 3} in the space of the file: metres, y up."""
    points = {thing.name: [] for thing in things}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in things:
            seen = thing.evaluated_get(graph)
            at = numpy.empty(3 * len(seen.data.vertices), numpy.float32)
            seen.data.vertices.foreach_get("co", at)
            world = numpy.array(seen.matrix_world, numpy.float64)
            at = at.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
            points[thing.name].append(at[:, [0, 2, 1]] * (1, 1, -1))
    return {name: numpy.array(at) for name, at in points.items()}


def pelt_frames(path, clip, frames, drivers=(), *options):
    """Returns {name: (frames x vertices x 3, the Blender vertex of each)} of what `pelt deform` writes."""
    cache = os.path.splitext(path)[0] + ".pc2"
    command = [
        PELT,
        "deform",
        path,
        "--backend",
        "cpu",
        "--clip",
        clip,
        "-o",
        cache,
        "--frames",
        f"{frames[0]}:{frames[-1]}",
        "--fps",
        str(bpy.context.scene.render.fps),
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    points, file, first, found = glb.read_cache(cache), glb.File(path), 0, {}
    for name, node in file.mesh_nodes():
        if name in drivers:
            continue
        numbers = file.blender_vertices(node)
        found[name] = points[:, first : first + len(numbers)], numbers
        first += len(numbers)
    if first != points.shape[1]:
        raise RuntimeError(f"{cache} has {points.shape[1]} points, the meshes {first}")
    return found


def distances(of_blender, of_pelt):
    """Returns frames x vertices: how far each vertex of Pelt's is from Blender's."""
    points, numbers = of_pelt
    return numpy.linalg.norm(points - of_blender[:, numbers], axis=2)


def size(points):
    """The diagonal of the box of the first frame."""
    return float(numpy.linalg.norm(points[0].max(axis=0) - points[0].min(axis=0)))
