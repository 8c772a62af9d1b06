# SPDX-License-Identifier: MIT
"""Reads the parts of a .glb or .gltf file that the add-on needs: JSON, meshes in Pelt's order, vertex numbers."""
import base64
import json
import os
import struct
from urllib.parse import unquote

import numpy

from . import names

VERTEX_ATTRIBUTE = "_PELT_VERTEX"  # the Blender vertex that a vertex of the file comes from
COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


class File:
    """A glTF file with its buffers. Sparse accessors and compressed buffer views are not read."""

    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        binary = b""
        if content[:4] == b"glTF":
            length = struct.unpack_from("<I", content, 12)[0]
            self.json = json.loads(content[20 : 20 + length])
            binary = content[20 + length + 8 :]
        else:
            self.json = json.loads(content)
        self.buffers = [_read_buffer(path, buffer, binary) for buffer in self.json.get("buffers", [])]

    def accessor(self, number):
        """Returns an array with a row per element."""
        accessor = self.json["accessors"][number]
        view = self.json["bufferViews"][accessor["bufferView"]]
        kind = numpy.dtype(COMPONENTS[accessor["componentType"]])
        width = WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * width)
        rows = numpy.ndarray(
            (accessor["count"], width), kind, self.buffers[view["buffer"]], start, (stride, kind.itemsize)
        )
        return rows.copy()

    def mesh_nodes(self):
        """Returns (name, node) of every node that shows a mesh in the default scene, in Pelt's order and names."""
        nodes, roots = self.json.get("nodes", []), names.roots_of(self.json.get("scenes"), self.json.get("scene"))
        return [(name, nodes[number]) for number, name in names.mesh_nodes(nodes, self.json.get("meshes", []), roots)]

    def blender_vertices(self, node):
        """Returns the Blender vertex that each vertex of a mesh node comes from, or None."""
        numbers = []
        for primitive in self.json["meshes"][node["mesh"]]["primitives"]:
            if VERTEX_ATTRIBUTE not in primitive["attributes"]:
                return None
            numbers.append(self.accessor(primitive["attributes"][VERTEX_ATTRIBUTE])[:, 0])
        return numpy.rint(numpy.concatenate(numbers)).astype(numpy.int64)

    def rig(self):
        """Returns the rig that the file carries, or None."""
        return self.json.get("extensions", {}).get("PELT_deformers", {}).get("rig")


def _read_buffer(path, buffer, binary):
    uri = buffer.get("uri")
    if uri is None:
        return binary
    if uri.startswith("data:"):
        return base64.b64decode(uri.split(",", 1)[1])
    with open(os.path.join(os.path.dirname(path), unquote(uri)), "rb") as file:
        return file.read()


def read_cache(path):
    """Returns the points of a .pc2 file: frames x points x 3."""
    with open(path, "rb") as file:
        _, _, points, _, _, frames = struct.unpack("<12siiffi", file.read(32))
        return numpy.frombuffer(file.read(), "<f4").reshape(frames, points, 3)


def write_cache(path, frames, start=0.0, step=1.0):
    """Writes frames x points x 3 as a .pc2 file, the first one as frame `start`, each `step` after the one before."""
    frames = numpy.ascontiguousarray(frames, "<f4")
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], start, step, frames.shape[0]))
        file.write(frames.tobytes())
