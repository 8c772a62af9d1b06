#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the model of asked.md: 5,000 triangles on as many joints, 12 influences per vertex, 300 morph targets.

usage: asked.py OUT.gltf
"""

import base64
import json
import struct
import sys

COUNT = 5000  # joints
SETS = 3  # of four influences

corners = [(j % 100 + x, j // 100 + y, 0) for j in range(COUNT) for x, y in ((0, 0), (1, 0), (0, 1))]
views = [b"".join(struct.pack("3f", *corner) for corner in corners)]
views.append(struct.pack("4f", *[1 / (4 * SETS)] * 4) * 3 * COUNT)
for first in range(0, 4 * SETS, 4):
    views.append(b"".join(struct.pack("4H", *((j + first + k) % COUNT for k in range(4))) * 3 for j in range(COUNT)))
accessors = [{"componentType": 5126, "type": "VEC3", "min": [0, 0, 0], "max": [100, 50, 0]}]
accessors += [{"componentType": 5126, "type": "VEC4"}] + [{"componentType": 5123, "type": "VEC4"}] * SETS
attributes = {"POSITION": 0}
for s in range(SETS):
    attributes.update({f"JOINTS_{s}": 2 + s, f"WEIGHTS_{s}": 1})
data = b"".join(views)
model = {
    "asset": {"version": "2.0"},
    "scene": 0,
    "scenes": [{"nodes": list(range(COUNT + 1))}],
    "nodes": [{"translation": corners[3 * j]} for j in range(COUNT)] + [{"mesh": 0, "skin": 0}],
    "skins": [{"joints": list(range(COUNT))}],
    "meshes": [{"primitives": [{"attributes": attributes, "targets": [{"POSITION": 0}] * 300}]}],
    "accessors": [{"bufferView": i, "count": 3 * COUNT, **accessor} for i, accessor in enumerate(accessors)],
    "bufferViews": [
        {"buffer": 0, "byteOffset": sum(map(len, views[:i])), "byteLength": len(view)} for i, view in enumerate(views)
    ],
    "buffers": [
        {"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}
    ],
}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(model, file)
