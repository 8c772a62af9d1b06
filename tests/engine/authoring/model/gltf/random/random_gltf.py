# SPDX-License-Identifier: MIT
"""random_gltf.py FOLDER FIRST COUNT: writes COUNT random .glb files, of the seeds from FIRST on; files.json with their
kinds, poses and meshes; and expected.f64, the rows of gltf_in_double.Scene.pose of pose after pose.
random_gltf.py FOLDER FILE...: writes the same of these files."""
import json
import struct
import sys

import numpy as np

sys.dont_write_bytecode = True
from gltf_in_double import TYPES, WIDTHS, Scene, rotation, unit

# Some files have these, in shares of all. All may have hierarchies, skins that share joints, rigid nodes, meshes shown
# twice, clips of all interpolations, and all modes of primitives and types of indices, joints, weights and keys.
KINDS = {
    "matrices": 0.3,
    "sheared": 0.15,  # matrices that are no product of translation, rotation and scale
    "stretched": 0.3,  # scales that differ by axis
    "mirrored": 0.2,
    "hidden": 0.15,  # scales of 0 on one or all axes in the rest pose, which clips take back
    "tiny": 0.15,  # a scale of 0.001 to 0.00001, likewise
    "far": 0.15,  # a node 1 to 300 km away, likewise
    "other rest": 0.2,  # a rest pose that is not the bind pose
    "flipped": 0.15,  # clips that key scales of the other sign, and 0
    "unlike binds": 0.15,  # inverse bind matrices of one skin with scales from 0.01 to 100
    "own spaces": 0.3,  # skins bound in centimetres, or turned
    **{"morphs": 0.4, "quantised": 0.3, "strided": 0.4, "sparse": 0.4, "sparse alone": 0.2, "scenes": 0.2},
}
SMALL, UNSIGNED, WHOLE, FLOAT = [("i1", 1), ("<i2", 1)], [("u1", 1), ("<u2", 1)], [("i1", 0), ("<i2", 0)], [("<f4", 0)]
INDICES = [("u1", 0), ("<u2", 0), ("<u4", 0)]


class RandomFile:
    def __init__(self, seed):
        self.random = np.random.RandomState(seed)  # whose numbers no version of NumPy changes
        self.kinds = [kind for kind, share in KINDS.items() if self.random.rand() < share]
        self.data, self.gltf = bytearray(), {"asset": {"version": "2.0"}}
        self.shown, self.world, self.targets = {}, {}, {}
        if "quantised" in self.kinds:
            self.gltf["extensionsUsed"] = self.gltf["extensionsRequired"] = ["KHR_mesh_quantization"]
        self.add_nodes(self.random.randint(2, 10))
        skins = [self.add_skin() for _ in range(self.random.randint(3))]
        self.add_meshes([self.add_mesh(self.one(None, *skins)) for _ in range(self.random.randint(1, 4))])
        for _ in range(self.random.randint(4)):
            self.add_animation(f"clip {len(self.gltf.get('animations', []))}")

    def has(self, kind, share=0.5):
        return kind in self.kinds and self.random.rand() < share

    def one(self, *choices):
        return choices[self.random.randint(len(choices))]

    def add(self, array, thing):
        self.gltf.setdefault(array, []).append(thing)
        return len(self.gltf[array]) - 1

    def view(self, data, **more):
        self.data += bytes(-len(self.data) % 4)
        self.data += data
        at = len(self.data) - len(data)
        return self.add("bufferViews", {"buffer": 0, "byteOffset": at, "byteLength": len(data), **more})

    def accessor(self, values, form=FLOAT[0], attribute=False, may_be_zero=False):
        """Adds values. form: the components' type, and whether they are normalised."""
        kind, normalized = form
        values = np.array(values, float).reshape(len(values), -1)
        if kind != "<f4":
            limits = np.iinfo(kind)
            values = np.round(values * (limits.max if normalized else 1)).clip(limits.min, limits.max)
        values = values.astype(kind)
        (count, width), base = values.shape, values.copy()
        components, types = {k: t for t, k in TYPES.items()}, {w: t for t, w in WIDTHS.items()}
        entry = {"count": count, "type": types[width], "componentType": components[kind], "normalized": normalized == 1}
        alone = may_be_zero and self.has("sparse alone", 0.3)
        if alone or self.has("sparse", 0.3):
            at = np.sort(self.random.permutation(count)[: self.random.randint(1, count + 1)])
            index = self.one(*INDICES)[0]
            indices = {"bufferView": self.view(at.astype(index).tobytes()), "componentType": components[index]}
            over = {"bufferView": self.view(values[at].tobytes())}
            entry["sparse"] = {"count": len(at), "indices": indices, "values": over}
            base[at] = 1
            values[[i for i in range(count) if alone and i not in at]] = 0
        if not alone:
            offset, row = 4 * self.random.randint(3) if self.has("strided") else 0, width * base.itemsize
            block = self.random.randint(255, size=(count, row + -row % 4 + offset if attribute else row)).astype("u1")
            block[:, :row] = base.view("u1").reshape(count, row)
            more = {"byteStride": block.shape[1]} if attribute else {}
            entry.update(byteOffset=offset, bufferView=self.view(bytes(offset) + block.tobytes(), **more))
        if kind == "<f4" and width < 4:
            entry.update(min=values.min(0).tolist(), max=values.max(0).tolist())
        return self.add("accessors", entry)

    def turn(self):
        return unit(self.random.randn(4))

    def add_nodes(self, count):
        """Adds trees. `shown` has the parts of nodes without a matrix in the bind pose; clips key values near them."""
        self.gltf["nodes"] = [{"name": f"node {i}"} for i in range(count)]
        order, tiny, far, roots = self.random.permutation(count).tolist(), *self.random.randint(count, size=2), []
        for n, i in enumerate(order):
            node, turn, move, local = self.gltf["nodes"][i], self.turn(), self.random.randn(3), np.eye(4)
            scale = np.exp(0.3 * self.random.randn(3 if self.has("stretched") else 1)) * np.ones(3)
            scale *= self.random.choice([-1, 1], 3) if self.has("mirrored", 0.3) else 1
            local[:3, :3], local[:3, 3] = rotation(turn) * scale, move
            if self.has("matrices", 0.3):
                local[0, 1] += 0.5 * self.has("sheared")
                node["matrix"] = local.T.ravel().tolist()
            else:
                self.shown[i] = {"translation": move, "rotation": turn, "scale": scale}
                if self.has("other rest"):
                    move, turn = move + self.random.randn(3), self.turn()
                if self.has("hidden", 0.3):
                    scale = scale * self.one([0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0])
                scale = scale * (10.0 ** -self.random.randint(3, 6) if self.has("tiny", i == tiny) else 1)
                move = move + (self.turn()[:3] * 10 ** self.random.uniform(3, 5.5) if self.has("far", i == far) else 0)
                node.update(translation=move.tolist(), rotation=turn.tolist(), scale=scale.tolist())
            parent = order[self.random.randint(n)] if n and self.random.rand() < 0.9 else None
            self.world[i] = local if parent is None else self.world[parent] @ local
            (roots if parent is None else self.gltf["nodes"][parent].setdefault("children", [])).append(i)
        self.gltf["scenes"] = [{"nodes": roots}]

    def add_skin(self):
        """Returns a skin's index, its number of joints and the size of its meshes."""
        joints = self.random.permutation(len(self.world))[: self.random.randint(1, 6)].tolist()
        skin, space, size = {"joints": joints}, np.eye(4), self.one(100, 10, 1) if self.has("own spaces") else 1
        space[:3, :3] = rotation(self.turn() if "own spaces" in self.kinds else [0, 0, 0, 1]) / size
        if self.random.rand() < 0.9:
            binds = np.array([np.linalg.inv(self.world[j]) @ space for j in joints])
            binds[:, :3] *= 10 ** self.random.uniform(-2, 2, (len(joints), 1, 1)) if "unlike binds" in self.kinds else 1
            skin["inverseBindMatrices"] = self.accessor(binds.transpose(0, 2, 1))
        return self.add("skins", skin), len(joints), size

    def add_mesh(self, skin):
        """Returns a mesh's index, the skin of its weights or none, and its number of morph targets."""
        targets = self.random.randint(1, 4) if "morphs" in self.kinds else 0
        mesh = {"primitives": [self.primitive(skin, targets) for _ in range(self.random.randint(1, 3))]}
        if targets and self.random.rand() < 0.5:
            mesh["weights"] = self.random.rand(targets).tolist()
        return self.add("meshes", mesh), skin, targets

    def primitive(self, skin, targets):
        count, quantised = self.random.randint(3, 40), "quantised" in self.kinds
        form = self.one(*FLOAT, *(SMALL + UNSIGNED + WHOLE) * quantised)
        size = 0.4 * skin[2] if skin and form in FLOAT else 100 if form in WHOLE else 0.4
        attributes = {"POSITION": self.accessor(size * self.random.randn(count, 3), form, True, True)}
        if self.random.rand() < 0.8:
            normals = unit(self.random.randn(count, 3))
            attributes["NORMAL"] = self.accessor(normals, self.one(*FLOAT, *SMALL * quantised), True)
        if self.random.rand() < 0.5:
            uv_form = self.one(*FLOAT, *UNSIGNED, *(SMALL + WHOLE) * quantised)
            attributes["TEXCOORD_0"] = self.accessor(self.random.uniform(-1, 1, (count, 2)), uv_form, True, True)
        for s in range(self.random.randint(1, 3) if skin else 0):
            weights = self.random.rand(count, 4) * (self.random.rand(count, 4) < 0.7) + [0.01, 0, 0, 0]
            weights, joints = weights / weights.sum(1, keepdims=True), self.random.randint(skin[1], size=(count, 4))
            attributes[f"WEIGHTS_{s}"] = self.accessor(weights, self.one(*FLOAT, *UNSIGNED), True)
            attributes[f"JOINTS_{s}"] = self.accessor(joints, self.one(*INDICES[:2]), True)
        primitive = {"attributes": attributes, "mode": self.one(0, 1, 4, 4, 4, 5, 6)}
        if self.random.rand() < 0.8:
            corners = self.random.randint(count, size=3 * self.random.randint(1, 30))
            primitive["indices"] = self.accessor(corners, self.one(*INDICES))
        for _ in range(targets):
            offsets, normals = self.random.randn(2, count, 3)
            offset_form = form if form in SMALL + WHOLE else FLOAT[0]
            target = {"POSITION": self.accessor(0.3 * size * offsets, offset_form, True, True)}
            if "NORMAL" in attributes and self.random.rand() < 0.6:
                target["NORMAL"] = self.accessor(0.2 * normals, attribute=True, may_be_zero=True)
            primitive.setdefault("targets", []).append(target)
        return primitive

    def add_meshes(self, meshes):
        """Lets nodes show every mesh, and one again: with the skin of its weights, or rigidly."""
        nodes, scenes = self.gltf["nodes"], self.gltf["scenes"]
        for mesh, skin, targets in meshes + [self.one(*meshes)]:
            i = self.random.randint(len(self.world))
            if "mesh" in nodes[i]:
                i = self.add("nodes", {"name": f"node {len(nodes)}"})
                scenes[0]["nodes"].append(i)
            nodes[i]["mesh"], self.targets[i] = mesh, targets
            if skin and self.random.rand() < 0.9:
                nodes[i]["skin"] = skin[0]
            if targets and self.random.rand() < 0.3:
                nodes[i]["weights"] = self.random.rand(targets).tolist()
        if "scenes" in self.kinds:
            self.gltf["scene"] = 1
            scenes.insert(0, {"nodes": [self.add("nodes", {"mesh": 0}), scenes[0]["nodes"][0]]})

    def add_animation(self, name):
        animation, nodes = {"name": name, "samplers": [], "channels": []}, self.gltf["nodes"]
        paths = [(i, path) for i, parts in self.shown.items() for path in parts]
        for i, path in paths + [(i, "weights") for i, targets in self.targets.items() if targets]:
            is_shown = path in ("rotation", "weights") or np.allclose(nodes[i][path], self.shown[i][path])
            if is_shown and self.random.rand() < 0.5:
                continue
            values, form = self.keys(i, path, self.random.randint(1, 5))
            interpolation, times = self.one("STEP", "LINEAR", "CUBICSPLINE"), self.random.uniform(0.1, 1, len(values))
            if interpolation == "CUBICSPLINE":
                before, after = 0.2 * self.random.randn(2, *values.shape)
                values = np.stack([before, values, after], 1).reshape(-1, values.shape[1])
            elif path == "rotation":
                values *= self.random.choice([-1, 1], (len(values), 1))  # means the same
            values = values.reshape(-1, 1) if path == "weights" else values
            output = self.accessor(values, form, may_be_zero=path in ("translation", "weights"))
            sampler = {"input": self.accessor(np.cumsum(times)), "output": output, "interpolation": interpolation}
            animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": i, "path": path}})
            animation["samplers"].append(sampler)
        if animation["channels"]:
            self.add("animations", animation)

    def keys(self, i, path, count):
        if path == "weights":
            return self.random.rand(count, self.targets[i]), self.one(*FLOAT, *SMALL, *UNSIGNED)
        values = [self.shown[i][path]]
        if path == "rotation":
            while len(values) < count:  # less than half a turn from key to key
                values.append(unit(values[-1] + 0.9 * self.random.rand() * self.turn()))
            return np.array(values), self.one(*FLOAT * 2, *SMALL)
        if path == "translation":
            return values + 0.5 * self.random.randn(count, 3), FLOAT[0]
        signs = self.random.randint(-1, 2, (count, 3)) if self.has("flipped", 0.3) else 1
        return values * np.exp(0.1 * self.random.randn(count, 1)) * signs, FLOAT[0]

    def write(self, path):
        self.data += bytes(-len(self.data) % 4)
        self.gltf["buffers"] = [{"byteLength": len(self.data)}]
        text = json.dumps(self.gltf).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(self.data), len(text), 0x4E4F534A))
            file.write(text + struct.pack("<II", len(self.data), 0x004E4942) + self.data)


def describe(path, poses, expected):
    """Writes the rows of a file's poses. Returns its poses, by names of clips, and the sizes of its meshes."""
    scene, sizes = Scene(path), []
    for pose in poses:
        rows = scene.pose(*pose)
        sizes = [len(r) for r in rows]
        expected.write(np.concatenate(rows).tobytes())
    clips = scene.gltf.get("animations", [])
    names = [[None if c is None else clips[c].get("name", f"clip_{c}"), seconds] for c, seconds in poses]
    return {"path": path, "poses": names, "meshes": sizes}


def random_file(folder, seed, expected):
    made, path, poses = RandomFile(seed), f"{folder}/{seed}.glb", [(None, 0)]
    made.write(path)
    for clip in range(len(made.gltf.get("animations", []))):  # at a time among its keys, and past them
        poses += [(clip, float(np.float32(made.random.uniform(0, 2.5)))), (clip, 9)]
    return {"seed": seed, "kinds": made.kinds, **describe(path, poses, expected)}


def given_file(path, expected):
    scene, poses = Scene(path), [(None, 0)]
    for c, clip in enumerate(scene.gltf.get("animations", [])[:4]):
        duration = max(scene.accessor(sampler["input"])[-1, 0] for sampler in clip["samplers"])
        poses += [(c, float(np.float32(share * duration))) for share in (0.31, 0.77)]
    return {"seed": path, "kinds": [], **describe(path, poses, expected)}


def main(folder, *what):
    with open(folder + "/expected.f64", "wb") as expected:
        if what[0].isdigit():
            seeds = range(int(what[0]), int(what[0]) + int(what[1]))
            files = [random_file(folder, seed, expected) for seed in seeds]
        else:
            files = [given_file(path, expected) for path in what]
    with open(folder + "/files.json", "w") as file:
        json.dump(files, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
