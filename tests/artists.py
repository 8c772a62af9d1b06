# SPDX-License-Identifier: MIT
"""How often made weights agree with artists: takes the painting of characters away and lets `pelt bind` paint them.

    tests/artists.py build/release/bin/pelt $PELT_SHARED/assets/characters

For each .glb and .gltf below the folders whose skins are painted, prints the share of vertices whose strongest joint of
the artist is the strongest made one, and that for which it is among the two strongest.
"""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

FORMATS = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}


def read(path: Path) -> tuple[dict[str, Any], list[bytes]]:
    data = path.read_bytes()
    if data[:4] != b"glTF":
        document = json.loads(data)
        buffers = [
            base64.b64decode(uri.split(",")[1]) if uri.startswith("data:") else (path.parent / uri).read_bytes()
            for uri in (buffer["uri"] for buffer in document["buffers"])
        ]
        return document, buffers
    size = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20 : 20 + size]), [data[28 + size :]]


def values(document: dict[str, Any], buffers: list[bytes], index: int) -> np.ndarray:
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    width = int(accessor["type"][3:])
    kind = np.dtype(FORMATS[accessor["componentType"]])
    first = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride = view.get("byteStride", width * kind.itemsize)
    buffer = buffers[view["buffer"]]
    return np.ndarray((accessor["count"], width), kind, buffer, first, (stride, kind.itemsize))


def rows(document: dict[str, Any], buffers: list[bytes]) -> dict[tuple[int, int], tuple[np.ndarray, np.ndarray]]:
    """Returns the nodes of joints and the weights of each vertex, the strongest first, by node and primitive."""
    found = {}
    for n, node in enumerate(document["nodes"]):
        if "skin" not in node or "mesh" not in node:
            continue
        joints_of = np.array(document["skins"][node["skin"]]["joints"])
        for p, primitive in enumerate(document["meshes"][node["mesh"]]["primitives"]):
            names = primitive["attributes"]
            sets = [k for k in range(8) if f"JOINTS_{k}" in names]
            if not sets:
                continue
            joints = np.hstack([values(document, buffers, names[f"JOINTS_{k}"]) for k in sets])
            weights = np.hstack([values(document, buffers, names[f"WEIGHTS_{k}"]).astype(float) for k in sets])
            order = np.argsort(-weights, axis=1, kind="stable")
            joints = joints_of[np.minimum(np.take_along_axis(joints, order, 1), len(joints_of) - 1)]
            found[n, p] = joints, np.take_along_axis(weights, order, 1)
    return found


def measure(pelt: str, path: Path, folder: Path) -> str | None:
    document, buffers = read(path)
    artist = rows(document, buffers)
    bends = [weights.shape[1] > 1 and (weights[:, 1] > 0).any() for _, weights in artist.values()]
    if not any(bends):
        return None
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            for name in [key for key in primitive["attributes"] if key.startswith(("JOINTS_", "WEIGHTS_"))]:
                del primitive["attributes"][name]
    for buffer, data in zip(document["buffers"], buffers):
        buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    stripped = folder / "stripped.gltf"
    stripped.write_text(json.dumps(document))
    start = time.monotonic()
    run = subprocess.run(
        [pelt, "bind", str(stripped), "--deformer", "linear-blend", "--no-check", "-o", str(folder / "made.glb")],
        capture_output=True,
        text=True,
    )
    if run.returncode != 0:
        return f"| {path.stem} | {run.stderr.strip()} | | | |"
    seconds = time.monotonic() - start
    made = rows(*read(folder / "made.glb"))
    count = first = among = 0
    for key, (joints, weights) in artist.items():
        painted = weights[:, 0] > 0
        ours, shares = made.get(key, (np.full_like(joints, -1), np.ones(joints.shape)))
        wanted = joints[painted, 0]
        count += len(wanted)
        first += (ours[painted, 0] == wanted).sum()
        among += ((ours[painted, :2] == wanted[:, None]) & (shares[painted, :2] > 0)).any(1).sum()
    joints_all = len({joint for skin in document["skins"] for joint in skin["joints"]})
    return f"| {path.stem} | {count:,} | {joints_all} | {first / count:.0%} | {among / count:.0%} | {seconds:.1f} s |"


def main() -> None:
    pelt, *folders = sys.argv[1:]
    print("| | vertices | joints | strongest | among two | bind |\n|---|--:|--:|--:|--:|--:|")
    for place in folders:
        for path in sorted(Path(place).rglob("*.gl*")):
            with tempfile.TemporaryDirectory() as folder:
                line = measure(pelt, path, Path(folder))
            if line:
                print(line, flush=True)


if __name__ == "__main__":
    main()
