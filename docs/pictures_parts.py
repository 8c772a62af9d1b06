#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Files that docs/pictures.sh draws pictures from or rigs on the pages name, and no command of Pelt writes:
#   scene OUT.gltf            one model of several OBJ meshes; its lines on standard input are below
#   wave CAGE.obj CAGE.pc2    a closed tube round the built-in limb, and a point cache that bends it into a wave
#   sheet DIR                 a flat sheet, sheet.obj, and rigs of a surface over it: Forsey's figures 2a to 2f and 9
#   cloth CAGE.obj CAGE.pc2 COARSE.obj CYLINDER.obj   the cage in the last sample of the cache, and the cylinder below it
#   sleeve ARM.obj            an open tube round the left arm of the built-in biped
#   pose MODEL.glb OUT.glb J:A:D...  the model with one clip "pose", of a second, in which every joint J turns by D
#                             degrees about the axis A of model space, x, y or z
#   joints MODEL.glb X Y A S  the skeleton as operations of ImageMagick's -draw; X Y: pixel of (0, 0, 0), S: pixels a
#                             metre, A: the axis of model space that points to the right, x or z
import array
import base64
import json
import math
import struct
import sys

# Linear: that of the built-in characters, a paler one, and those of a figure and of what it wears.
TONES = [[0.66, 0.42, 0.30, 1], [0.80, 0.70, 0.58, 1], [0.30, 0.30, 0.32, 1], [0.60, 0.10, 0.06, 1]]


def read_obj(file):
    """Reads positions, normals and triangles of an OBJ as `pelt deform` writes it: normals are numbered as vertices."""
    rows = {"v": [], "vn": [], "f": []}
    with open(file) as lines:
        for line in lines:
            key, *words = line.split()
            if key in rows:
                rows[key].append([int(word.split("/")[0]) - 1 if key == "f" else float(word) for word in words])
    return rows["v"], rows["vn"], rows["f"]


def tone(triangle, rest, square, sectors):
    """Returns 0 or 1, the tone of the check on which the middle of a triangle of the skin at rest lies."""
    x, y, z = (sum(rest[vertex][axis] for vertex in triangle) / 3 for axis in range(3))
    across = math.atan2(z, y) / math.tau * sectors if sectors else z / square
    return (math.floor(x / square) + math.floor(across)) % 2


def scene(out):
    """Writes a glTF model. A line on standard input is FILE X Y, a mesh and where it stands, in metres; FILE X Y TONE,
    the same in another of TONES than the first; or FILE X Y REST SQUARE SECTORS: with checks, SQUARE metres long along
    x and SECTORS of them about the x axis, or if that is 0, along z, painted on the mesh of the file REST."""
    data = bytearray()
    gltf = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [],
            "materials": [{"pbrMetallicRoughness": {"baseColorFactor": color}} for color in TONES],
            "accessors": [], "bufferViews": []}

    def accessor(values, code, component, kind, **more):
        gltf["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": 4 * len(values)})
        data.extend(array.array(code, values).tobytes())
        gltf["accessors"].append({"bufferView": len(gltf["bufferViews"]) - 1, "componentType": component, "type": kind,
                                  "count": len(values) // {"SCALAR": 1, "VEC3": 3}[kind], **more})
        return len(gltf["accessors"]) - 1

    for line in sys.stdin:
        file, x, y, *checks = line.split()
        positions, normals, triangles = read_obj(file)
        parts = [[] for _ in TONES]
        parts[int(checks[0]) if len(checks) == 1 else 0] = triangles
        if len(checks) > 1:
            rest = read_obj(checks[0])[0]
            tones = [tone(triangle, rest, float(checks[1]), int(checks[2])) for triangle in triangles]
            parts[:2] = [[t for t, own in zip(triangles, tones) if own == part] for part in (0, 1)]
        box = {"min": [min(p) for p in zip(*positions)], "max": [max(p) for p in zip(*positions)]}
        attributes = {"POSITION": accessor([c for p in positions for c in p], "f", 5126, "VEC3", **box),
                      "NORMAL": accessor([c for n in normals for c in n], "f", 5126, "VEC3")}
        gltf["meshes"].append({"primitives": [
            {"attributes": attributes, "material": part,
             "indices": accessor([v for triangle in parts[part] for v in triangle], "I", 5125, "SCALAR")}
            for part in range(len(TONES)) if parts[part]]})
        mesh = len(gltf["meshes"]) - 1
        gltf["nodes"].append({"name": f"figure_{mesh}", "mesh": mesh, "translation": [float(x), float(y), 0]})
        gltf["scenes"][0]["nodes"].append(mesh)
    gltf["buffers"] = [{"byteLength": len(data),
                        "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]
    with open(out, "w") as file:
        json.dump(gltf, file)


def wave(cage, cache):
    """Writes a tube of 14 x 8 quads, closed by triangles, and a cache of 49 samples, 24 per second."""
    along, around, length, radius = 14, 8, 8.5, 1.25
    rest = [(-0.25, 0.0, 0.0)]
    for ring in range(along + 1):
        for k in range(around):
            angle = math.tau * k / around
            rest.append((-0.25 + length * ring / along, radius * math.cos(angle), radius * math.sin(angle)))
    rest.append((length - 0.25, 0.0, 0.0))
    with open(cage, "w") as file:
        for point in rest:
            print("v", *point, file=file)
        for k in range(around):
            after = (k + 1) % around
            print("f", 1, 2 + after, 2 + k, file=file)
            for ring in range(along):
                low, high = 2 + around * ring, 2 + around * (ring + 1)
                print("f", low + k, low + after, high + after, high + k, file=file)
            print("f", len(rest), 2 + around * along + k, 2 + around * along + after, file=file)
    samples = 49
    with open(cache, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(rest), 0.0, 1.0, samples))
        for sample in range(samples):
            height = 0.75 * math.sin(math.pi / 2 * sample / 24)
            for x, y, z in rest:
                phase = math.tau * x / 8
                slope = height * math.tau / 8 * math.cos(phase)
                across = math.hypot(1, slope)  # the section stands across the wave
                file.write(struct.pack("<3f", x - y * slope / across, y / across + height * math.sin(phase), z))


def sheet(folder):
    """A flat sheet of 1 m, sheet.obj, and rigs whose surface has 6 x 6 spans and is edited on several levels, as in
    Forsey's figures: 2a to 2f, and 9, whose offsets do not turn."""
    n = 144
    with open(f"{folder}/sheet.obj", "w") as file:
        for k in range((n + 1) ** 2):
            print(f"v {k % (n + 1) / n - 0.5} 0 {k // (n + 1) / n - 0.5}\nvn 0 1 0", file=file)
            if k % (n + 1) and k > n:
                print("f", k - n - 1, k, k + 1, "\nf", k - n - 1, k + 1, k - n, file=file)

    def moves(level, height, *places):
        """Moves the vertices next to places (z, x)."""
        across = 6 * 2**level + 3
        numbers = [sum(round((c + 0.5) * (across - 3) + 1) * f for c, f in zip(place, (across, 1))) for place in places]
        return level, [[number, 0, height, 0] if level == 0 else [number, 0, 0, height] for number in numbers]

    def ring(radius, count):
        return [(radius * math.sin(math.tau * k / count), radius * math.cos(math.tau * k / count)) for k in range(count)]

    first = [moves(1, 0.12, (0, 0)), moves(2, 0.14, *ring(0.2, 6))]
    broad, finer = moves(0, 0.8, (0, -1 / 6)), moves(1, 0.3, (0.3, 0.3), (0.22, 0.3))
    finest = moves(3, 0.08, *ring(0.08, 5))
    steps = {"2a": first, "2b": [*first, broad], "2c": [*first, broad, finer], "2d": [*first, broad, finer, finest],
             "2e": [*first, finer, finest], "2f": [*first, finest], "9": [*first, broad]}
    control = [[(j - 1) / 6 - 0.5, 0, (i - 1) / 6 - 0.5] for i in range(9) for j in range(9)]
    for name, edits in steps.items():
        levels = [{"moves": []} for _ in range(4)]
        for level, moved in edits:
            levels[level]["moves"] += moved
        if name == "9":
            for level in levels[1:]:
                level["moves"] = [[number, x, z, y] for number, x, y, z in level["moves"]]
                level["attach"] = [{"plain": True, "vertices": [move[0] for move in level["moves"]]}]
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump({"format": "pelt-rig 1", "layers": [{"target": "*", "deformer": "hierarchical_bspline",
                       "parameters": {"shape": [9, 9], "control": control, "levels": levels}}]}, file)
def write_obj(out, positions, triangles):
    """Writes an OBJ that read_obj() reads, with smooth normals."""
    normals = [[0, 0, 0] for _ in positions]
    for triangle in triangles:
        p, q, r = (positions[v] for v in triangle)
        u, w = [b - a for a, b in zip(p, q)], [b - a for a, b in zip(p, r)]
        for vertex in triangle:
            for axis in range(3):
                normals[vertex][axis] += u[axis - 2] * w[axis - 1] - u[axis - 1] * w[axis - 2]
    with open(out, "w") as file:
        for position, normal in zip(positions, normals):
            length = math.hypot(*normal)
            print("v", *position, "\nvn", *(value / length for value in normal), file=file)
        for triangle in triangles:
            print("f", *(v + 1 for v in triangle), file=file)


def cloth(cage, cache, coarse, cylinder):
    """Writes the cage as it is in the last sample of the cache, and a cylinder along x, a little thinner than its own
    of radius 0.5."""
    with open(cache, "rb") as file:
        data = file.read()
    count = struct.unpack_from("<12siiffi", data)[2]
    last = struct.unpack(f"<{3 * count}f", data[-12 * count:])
    with open(cage) as file:
        quads = [[int(word) - 1 for word in line.split()[1:]] for line in file if line.startswith("f ")]
    write_obj(coarse, [last[3 * v:3 * v + 3] for v in range(count)],
              [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    around = 48
    angles = [math.tau * k / around for k in range(around)]
    points = [(x, 0.48 * math.cos(angle), 0.48 * math.sin(angle)) for x in (-1.05, 1.05, -1.05, 1.05) for angle in angles]
    sides, ends = [], []
    for k in range(around):
        after = (k + 1) % around
        sides += [(k, after, around + k), (after, around + after, around + k)]
        ends += [(2 * around, 2 * around + after, 2 * around + k), (3 * around, 3 * around + k, 3 * around + after)]
    write_obj(cylinder, points, sides + [t for t in ends if len(set(t)) == 3])


def sleeve(out):
    """Writes 11 rings of 12 vertices, 6 cm from an axis that runs 58 cm down the arm from 2 cm above the shoulder."""
    rings, around, length, radius, slope = 11, 12, 0.58, 0.06, math.sqrt(0.5)
    with open(out, "w") as file:
        for ring in range(rings):
            along = slope * length * ring / (rings - 1)
            for k in range(around):
                angle = math.tau * k / around
                side = slope * radius * math.sin(angle)
                x, y, z = 0.166 + along + side, 1.439 - along + side, -0.025 + radius * math.cos(angle)
                print("v", f"{x:.5f} {y:.5f} {z:.5f}", file=file)
        for ring in range(rings - 1):
            for k in range(around):
                low, high, after = 1 + around * ring, 1 + around * (ring + 1), (k + 1) % around
                print("f", low + k, high + k, high + after, low + after, file=file)


def pose(model, out, *turns):
    """Writes a glTF binary file with a clip of two keys, at rest and with joints turned, in place of its own clips."""
    with open(model, "rb") as file:
        file.seek(12)
        gltf = json.loads(file.read(struct.unpack("<II", file.read(8))[0]))
        data = bytearray(file.read(struct.unpack("<II", file.read(8))[0]))
    nodes = gltf["nodes"]
    above = {child: number for number, node in enumerate(nodes) for child in node.get("children", [])}

    def product(a, b):
        (ax, ay, az, aw), (bx, by, bz, bw) = a, b
        return (aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz)

    def rest(number):
        return tuple(nodes[number].get("rotation", (0, 0, 0, 1)))

    def to_model(number):
        return product(to_model(above[number]), rest(number)) if number in above else rest(number)

    def accessor(values, kind, **more):
        gltf["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": 4 * len(values)})
        data.extend(array.array("f", values).tobytes())
        gltf["accessors"].append({"bufferView": len(gltf["bufferViews"]) - 1, "componentType": 5126, "count": 2,
                                  "type": kind, **more})
        return len(gltf["accessors"]) - 1

    data.extend(bytes(-len(data) % 4))
    time = accessor([0, 1], "SCALAR", min=[0], max=[1])
    clip = {"name": "pose", "channels": [], "samplers": []}
    for turn in turns:
        name, axis, degrees = turn.split(":")
        number = next(n for n, node in enumerate(nodes) if node.get("name") == name)
        half = math.radians(float(degrees)) / 2
        x, y, z, w = to_model(number)
        by = tuple(math.sin(half) * (letter == axis) for letter in "xyz") + (math.cos(half),)
        turned = product(rest(number), product((-x, -y, -z, w), product(by, (x, y, z, w))))
        clip["samplers"].append({"input": time, "output": accessor([*rest(number), *turned], "VEC4")})
        clip["channels"].append({"sampler": len(clip["samplers"]) - 1, "target": {"node": number, "path": "rotation"}})
    gltf["animations"] = [clip]
    gltf["buffers"][0]["byteLength"] = len(data)
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    with open(out, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data)


def joints(model, left, top, axis, scale):
    """Prints lines for the bones, in blue, and dots: green for the root, orange for the ends of limbs, else red."""
    with open(model, "rb") as file:
        file.seek(12)
        nodes = json.loads(file.read(struct.unpack("<II", file.read(8))[0]))["nodes"]
    bones, dots = [], []

    def pixel(p):
        across = p["xyz".index(axis)]
        return float(left) + float(scale) * across, float(top) - float(scale) * p[1]

    def descend(number, above):
        node = nodes[number]
        p = [a + b for a, b in zip(above or (0, 0, 0), node["translation"])]
        x, y = pixel(p)
        if above:
            bones.append("line {:.1f},{:.1f} {:.1f},{:.1f}".format(*pixel(above), x, y))
        color, size = ("green", 6) if not above else ("#d00", 4) if "children" in node else ("#f80", 5)
        dots.append(f"fill {color} circle {x:.1f},{y:.1f} {x + size:.1f},{y:.1f}")
        for child in node.get("children", []):
            descend(child, p)

    descend(next(number for number, node in enumerate(nodes) if node["name"] == "root"), None)
    print("stroke #13c stroke-width 3", *bones, "stroke none", *dots)


if __name__ == "__main__":
    makers = {"scene": scene, "wave": wave, "cloth": cloth, "sheet": sheet, "sleeve": sleeve, "pose": pose, "joints": joints}
    makers[sys.argv[1]](*sys.argv[2:])
