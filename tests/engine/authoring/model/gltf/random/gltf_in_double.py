# SPDX-License-Identifier: MIT
"""Poses the meshes of a glTF file in double precision, as the specification of glTF defines it. Shares no code with
Pelt, and only the file with the program that wrote it."""
import base64
import json
import os
import struct
import urllib.parse

import numpy as np

TYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
ROUNDING = 2.0**-24  # relative error of an operation in single precision
OF_SIZE = 1e-5  # error of positions, of the size of their mesh
FAR = 256  # sizes of the largest mesh: Pelt rounds meshes no farther from each other in one rest pose
NOTHING = 1e-6  # Pelt's scale instead of 0, which keeps a rotation
# Pelt stores weights in 16 bits, normals in two numbers of 16, and in morph targets positions in 16 and normals in 10.
WEIGHT_STEP, OFFSET_STEP, NORMAL_STEP, NORMAL_OFFSET_STEP = 1 / 65535, 3**0.5 / 65534, 1e-4, 3**0.5 / 511
MOST_OF_NORMALS = 0.1  # larger limits of normals mean nothing
HIDDEN = 2e-3  # scale below which the side of a surface is not seen


class Scene:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        is_glb = data[:4] == b"glTF"
        length = struct.unpack_from("<I", data, 12)[0]
        self.gltf, self.decoded = json.loads(data[20 : 20 + length] if is_glb else data), {}
        self.data = [data[28 + length :] if "uri" not in b else read(path, b["uri"]) for b in self.gltf["buffers"]]
        self.nodes = self.gltf["nodes"]
        children = {c for n in self.nodes for c in n.get("children", [])}
        self.order = [(i, None) for i in range(len(self.nodes)) if i not in children]  # node and parent
        for i, _ in self.order:
            self.order += [(c, i) for c in self.nodes[i].get("children", [])]
        roots = [i for i, _ in self.order if i not in children]
        shown, pending = [], sorted(self.gltf.get("scenes", [{"nodes": roots}])[self.gltf.get("scene", 0)]["nodes"])
        while pending:  # depth first
            shown.append(pending.pop(0))
            pending[:0] = self.nodes[shown[-1]].get("children", [])
        self.meshes = [i for i in shown if "mesh" in self.nodes[i]]
        # An importer may bring meshes to the rest pose of any joint, which spreads errors of offsets and normals.
        frames = [*self.worlds({})[0].values()], *[self.binds(skin) for skin in self.gltf.get("skins", []) * 2]
        conditions = [np.linalg.cond(np.array(f)[:, :3, :3]) for f in frames]
        self.spread = np.prod([max(c[c < 1e6], default=1) for c in conditions])
        # Four roundings of three coordinates, for the mesh that is farthest if nothing is hidden.
        lengths = [np.linalg.norm(n.get("translation", n.get("matrix", [0] * 16)[-4:-1])) for n in self.nodes]
        self.rounded = 12 * ROUNDING * min(sum(lengths), FAR * self.reach({}))
        # Skins that share joints are bound in one pose, which may take six bits of the largest.
        hidden = min(scale for scale, _, _ in self.worlds({})[1].values()) < 1 / 64
        self.rounded += 64 * ROUNDING * self.reach({}) * (hidden and len(self.gltf.get("skins", [])) > 1)

    def elements(self, entry, kind, width, count):
        if "bufferView" not in entry:
            return np.zeros((count, width))
        view, item = self.gltf["bufferViews"][entry["bufferView"]], np.dtype(kind)
        strides = (view.get("byteStride", width * item.itemsize), item.itemsize)
        offset = view.get("byteOffset", 0) + entry.get("byteOffset", 0)
        return np.ndarray((count, width), item, self.data[view["buffer"]], offset, strides)

    def accessor(self, index):
        if index not in self.decoded:
            a = self.gltf["accessors"][index]
            kind, width = TYPES[a["componentType"]], WIDTHS[a["type"]]
            values = self.elements(a, kind, width, a["count"]).astype(float)
            if "sparse" in a:
                count, at, over = (a["sparse"][key] for key in ("count", "indices", "values"))
                at = self.elements(at, TYPES[at["componentType"]], 1, count)[:, 0]
                values[at] = self.elements(over, kind, width, count)
            self.decoded[index] = np.maximum(values / np.iinfo(kind).max, -1) if a.get("normalized") else values
        return self.decoded[index]

    def binds(self, skin):
        if "inverseBindMatrices" not in skin:
            return np.tile(np.eye(4), (len(skin["joints"]), 1, 1))
        return self.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)

    def worlds(self, keyed):
        """Returns each node's matrix; and its scale, its distance if no translations cancelled, and its depth."""
        world, reach = {}, {}
        for i, parent in self.order:
            node, local, value, size = self.nodes[i], np.eye(4), {}, {}
            if "matrix" in node:
                local = np.array(node["matrix"], float).reshape(4, 4).T
                size = {"scale": np.linalg.norm(local[:3, :3], 2), "translation": np.linalg.norm(local[:3, 3])}
            else:
                for path, default in (("translation", [0, 0, 0]), ("rotation", [0, 0, 0, 1]), ("scale", [1, 1, 1])):
                    rest = np.array(node.get(path, default), float)
                    value[path], terms = keyed.get((i, path), (rest, np.abs(rest)))
                    size[path] = terms.max() if path == "scale" else np.linalg.norm(terms)
                local[:3, :3], local[:3, 3] = rotation(value["rotation"]) * value["scale"], value["translation"]
            scale, distance, depth = (1, 0, 0) if parent is None else reach[parent]
            world[i] = local if parent is None else world[parent] @ local
            reach[i] = scale * size["scale"], distance + scale * size["translation"], depth + 1
        return world, reach

    def pose(self, animation, time):
        """Returns for each of `meshes` a row per vertex: position, its limit, normal, its limit, texture coordinates;
        nan for those that are missing or not to compare."""
        keyed, result = {}, []
        for channel in [] if animation is None else self.gltf["animations"][animation]["channels"]:
            sampler = self.gltf["animations"][animation]["samplers"][channel["sampler"]]
            times, keys = self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])
            path = channel["target"]["path"]
            keyed[channel["target"]["node"], path] = sample(times, keys, sampler.get("interpolation", "LINEAR"), time, path)
        pose = keyed, *self.worlds(keyed)
        for i in self.meshes:
            primitives = self.gltf["meshes"][self.nodes[i]["mesh"]]["primitives"]
            # Those of the same vertices only once.
            different = {json.dumps([p["attributes"], p.get("targets")], sort_keys=True): p for p in reversed(primitives)}
            parts = [p for p in primitives if any(p is d for d in different.values())]
            result.append(np.concatenate([self.primitive(i, p, *pose) for p in parts]))
        sizes = [np.linalg.norm(np.ptp(rows[:, :3], axis=0)) for rows in result]
        hidden = any(path == "scale" and np.min(np.abs(value)) < NOTHING for (_, path), (value, _) in keyed.items())
        for rows, size in zip(result, sizes):
            rows[:, 3] += OF_SIZE * size + self.rounded + 2 * hidden * NOTHING * self.reach(keyed)
        return result

    def reach(self, keyed):
        """Returns a bound of how far vertices are from the joints that move them, if none is hidden."""
        points = [p["attributes"]["POSITION"] for mesh in self.gltf["meshes"] for p in mesh["primitives"]]
        point = max(np.linalg.norm(self.accessor(p), axis=1).max() for p in points)
        binds = [np.linalg.norm(b) for skin in self.gltf.get("skins", []) for b in self.binds(skin)]
        scales = [s for values in ({}, keyed) for s, _, _ in self.worlds(values)[1].values()]
        return max(binds, default=1) * max(scales) * max(point, 1)

    def primitive(self, i, primitive, keyed, world, reach):
        node, mesh, attributes = self.nodes[i], self.gltf["meshes"][self.nodes[i]["mesh"]], primitive["attributes"]
        points = self.accessor(attributes["POSITION"])
        normals = unit(self.accessor(attributes["NORMAL"])) if "NORMAL" in attributes else points * np.nan
        uvs = self.accessor(attributes["TEXCOORD_0"]) if "TEXCOORD_0" in attributes else points[:, :2] * np.nan
        lengths, offset_step, normal_step = np.linalg.norm(points, axis=1), 0, NORMAL_STEP
        weights = keyed.get((i, "weights"), [node.get("weights", mesh.get("weights", []))])[0]
        for t, (target, weight) in enumerate(zip(primitive.get("targets", []), weights)):
            if "POSITION" in target:
                offsets = weight * self.accessor(target["POSITION"])
                points, lengths = points + offsets, lengths + np.linalg.norm(offsets, axis=1)
                all_offsets = [self.accessor(p["targets"][t]["POSITION"]) for p in mesh["primitives"]]
                longest = max(np.linalg.norm(offsets, axis=1).max() for offsets in all_offsets)
                offset_step += abs(weight) * longest * OFFSET_STEP
            if "NORMAL" in target:
                normals = normals + weight * self.accessor(target["NORMAL"])
                normal_step += abs(weight) * NORMAL_OFFSET_STEP

        joints, binds = [i], np.eye(4)[None]
        index, shares, weighted = np.zeros((len(points), 1), int), np.ones((len(points), 1)), np.ones(len(points), bool)
        if "skin" in node:
            joints, binds = self.gltf["skins"][node["skin"]]["joints"], self.binds(self.gltf["skins"][node["skin"]])
            sets = range(sum(name.startswith("JOINTS_") for name in attributes))
            index = np.hstack([self.accessor(attributes[f"JOINTS_{s}"]) for s in sets]).astype(int)
            shares = np.hstack([self.accessor(attributes[f"WEIGHTS_{s}"]) for s in sets])
            weighted = shares.sum(1) > 0  # others follow what an importer chooses
            shares = np.where(weighted[:, None], shares, 1) / np.where(weighted, shares.sum(1), shares.shape[1])[:, None]
        # Every vertex v by every influence k, and what rounded weights add.
        matrices = (np.array([world[j] for j in joints]) @ binds)[index]
        moved = np.einsum("vkij,vj->vki", matrices[..., :3, :3], points) + matrices[..., :3, 3]
        posed, frames = np.einsum("vk,vki->vi", shares, moved), np.einsum("vk,vkij->vij", shares, matrices)[:, :3, :3]
        steps = (shares > 0) * WEIGHT_STEP * ("skin" in node)
        off = (steps * np.linalg.norm(moved - posed[:, None], axis=2)).sum(1)
        turned_off = (steps * np.linalg.norm(matrices[..., :3, :3] - frames[:, None], axis=(2, 3))).sum(1)

        # Four roundings for each product of matrices and for each of the two sums.
        scale, distance, depth = np.array([reach[j] for j in joints]).T[:, index]
        bind_scale, bind_distance = np.linalg.norm(binds[:, :3, :3], 2, (1, 2)), np.linalg.norm(binds[:, :3, 3], axis=1)
        distance += scale * (bind_scale[index] * lengths[:, None] + bind_distance[index])
        roundings = shares * 4 * (depth + 4) * ROUNDING
        stretch = np.linalg.svd(frames, compute_uv=False) + 1e-30
        limit = (roundings * distance).sum(1) + off + self.spread * stretch[:, 0] * offset_step
        normal_limit = self.spread * stretch[:, 0] / stretch[:, 2] * normal_step / np.linalg.norm(normals, axis=1)
        normal_limit += (turned_off + (roundings * scale * bind_scale[index]).sum(1)) / stretch[:, 2]
        # A blend that mirrors unlike its influences has no outside.
        side = side_of(frames)[:, None]
        sides = np.where(shares > 0, side_of(matrices[..., :3, :3]), side)
        normal_limit *= 1.25  # of first order
        seen = (sides == side).all(1) & (side != 0)[:, 0] & (normal_limit < MOST_OF_NORMALS) & (stretch[:, 0] > HIDDEN)
        seen, limit = seen & weighted, np.where(weighted, limit, np.nan)
        turned = np.full(points.shape, np.nan)
        turned[seen] = unit(np.einsum("vji,vj->vi", np.linalg.inv(frames[seen]), normals[seen]))
        return np.column_stack([posed, limit, turned, np.where(seen, normal_limit, np.nan), uvs])


def read(path, uri):
    if uri.startswith("data:"):
        return base64.b64decode(uri.split(",", 1)[1])
    with open(os.path.join(os.path.dirname(path), urllib.parse.unquote(uri)), "rb") as file:
        return file.read()


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def side_of(matrices):
    """Returns 1, -1 for matrices that mirror, or 0 for flat ones."""
    determinants = np.linalg.det(matrices / (np.linalg.norm(matrices, axis=(-2, -1), keepdims=True) + 1e-30))
    return np.sign(determinants) * (np.abs(determinants) > 1e-6)


def rotation(q):
    x, y, z, w = unit(q)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def sample(times, keys, interpolation, time, path):
    """Returns the value at a time (glTF 2.0, appendix C), of rotations up to their length; and its absolute terms."""
    keys = keys.reshape(len(times), 3 if interpolation == "CUBICSPLINE" else 1, -1)
    values, k = keys[:, keys.shape[1] // 2], np.searchsorted(times, time, "right") - 1
    if k < 0 or k == len(times) - 1 or interpolation == "STEP":
        return values[max(k, 0)], np.abs(values[max(k, 0)])
    start, end, duration = values[k], values[k + 1], times[k + 1] - times[k]
    u = (time - times[k]) / duration
    terms = [(1 - u) * start, u * end]
    if interpolation == "CUBICSPLINE":
        terms = [(2 * u**3 - 3 * u**2 + 1) * start, duration * (u**3 - 2 * u**2 + u) * keys[k, 2]]
        terms += [(3 * u**2 - 2 * u**3) * end, duration * (u**3 - u**2) * keys[k + 1, 0]]
    elif path == "rotation":
        start, end = unit(start), unit(end) * (1 if start @ end >= 0 else -1)
        angle = np.arccos(min(start @ end, 1))
        terms = [np.sin((1 - u) * angle) * start, np.sin(u * angle) * end] if angle > 1e-6 else terms
    return sum(terms), sum(map(np.abs, terms))
