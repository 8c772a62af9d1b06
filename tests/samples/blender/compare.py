# SPDX-License-Identifier: MIT
"""Compares every vertex of `pelt deform` with the mesh that Blender evaluates, frame by frame."""
import os
import sys

import bpy
import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../samples/blender"))
from pelt_deformers import glb, preview, program


def blender_frames(things, frames):
    """Returns {name: frames x vertices x 3} in the space of the file: metres, y up."""
    every = [(thing.name, thing, slice(None)) for thing in things]
    return dict(zip((thing.name for thing in things), preview.evaluated(every, frames)))


def pelt_frames(path, clip, frames, drivers=(), *options):
    """Returns {name: (frames x vertices x 3, the Blender vertex of each)} of what `pelt deform` writes."""
    cache = os.path.splitext(path)[0] + ".pc2"
    times = ("--frames", f"{frames[0]}:{frames[-1]}", "--fps", str(bpy.context.scene.render.fps))
    program.run("deform", path, "--backend", "cpu", "--clip", clip, *times, *options, "-o", cache)
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


def off(thing, file, clip="bend", frames=range(25), drivers=(), options=()):
    """How far Pelt's vertices of a mesh are from Blender's in a clip, in parts of its size: frames x vertices."""
    of_blender = blender_frames([thing], frames)[thing.name]
    return distances(of_blender, pelt_frames(file, clip, frames, drivers, *options)[thing.name]) / size(of_blender)


def size(points):
    """The diagonal of the box of the first frame."""
    return float(numpy.linalg.norm(points[0].max(axis=0) - points[0].min(axis=0)))
