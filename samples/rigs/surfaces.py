#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Makes surfaces for docs/hierarchical_bspline.md:
#   elbow ARM.obj DIR   four rigs for builtin:arm, elbow_1.json to elbow_4.json; ARM.obj: pelt deform builtin:arm
#   head OUT.glb DIR    a head with jaws, teeth and ears, its skin the surface itself, and the rigs head_jaw.json,
#                       head_teeth.json and head_ears.json
#   knuckle OUT.glb DIR, knee OUT.glb DIR    a limb with folds over a hinge, its skin the surface itself, and its rig,
#                                            knuckle.json or knee.json
import array
import json
import math
import struct
import sys


def plus(a, b, factor=1.0):
    return [x + factor * y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def unit(a):
    length = math.sqrt(sum(x * x for x in a))
    return [x / length for x in a]


def smooth(x):
    x = min(max(x, 0.0), 1.0)
    return x * x * (3 - 2 * x)


# ---------------------------------------------------------------------------------------------------------------- rigs


def numbers(across, places):
    """Numbers control vertices (i, j) of a grid closed along v, as ranges."""
    ranges = []
    for number in sorted({i * across + j % across for i, j in places}):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def offsets_of(across, offsets):
    return [[i * across + j % across] + [round(x, 5) for x in o] for (i, j), o in offsets.items()]


def write_rig(path, target, rows, levels, **more):
    """Writes a rig of one layer: one list per line."""
    parameters = {"shape": [len(rows), len(rows[0])], "closed_v": True, **more,
                  "control": [[round(x, 5) + 0.0 for x in p] for row in rows for p in row], "levels": levels}
    rig = {"format": "pelt-rig 1", "check": "none",
           "layers": [{"target": target, "deformer": "hierarchical_bspline", "parameters": parameters}]}

    def lines(value, indent):
        flat = json.dumps(value)
        if len(flat) + indent <= 118 or not isinstance(value, (dict, list)):
            return flat
        inner = " " * (indent + 2)
        if isinstance(value, dict):
            items = [f"{json.dumps(key)}: {lines(item, indent + 2)}" for key, item in value.items()]
            return "{\n" + ",\n".join(inner + item for item in items) + "\n" + " " * indent + "}"
        items, line = [], ""
        for text in (lines(item, indent + 2) for item in value):
            if line and ("\n" in line + text or len(inner + line + text) > 116):
                items.append(line)
                line = ""
            line = f"{line}, {text}" if line else text
        return "[\n" + ",\n".join(inner + item for item in items + [line]) + "\n" + " " * indent + "]"

    with open(path, "w") as file:
        file.write(lines(rig, 0) + "\n")


def around(x, height, width, across):
    """A ring of control vertices whose closed cubic goes through an ellipse across x."""
    grow = 6 / (4 + 2 * math.cos(math.tau / across))
    return [[x, grow * height * math.cos(math.tau * j / across), grow * width * math.sin(math.tau * j / across)]
            for j in range(across)]


def elbow(arm, folder):
    rings, across, first, last = 14, 8, -0.059, 0.74
    step = (last - first) / (rings - 3)
    with open(arm) as file:
        points = [[float(x) for x in line.split()[1:]] for line in file if line.startswith("v ")]
    halves = {}
    for x, y, z in points:
        half = halves.setdefault(round(x, 5), [0.0, 0.0])
        half[:] = max(half[0], abs(y)), max(half[1], abs(z))
    places = sorted(halves)[1:-1]

    def section(x):
        x = min(max(x, places[0]), places[-1])
        k = max(i for i in range(len(places) - 1) if places[i] <= x)
        t = (x - places[k]) / (places[k + 1] - places[k])
        return [a + t * (b - a) for a, b in zip(halves[places[k]], halves[places[k + 1]])]

    wanted = [section(first + (i - 1) * step) for i in range(rings)]
    halves_of = [list(w) for w in wanted]
    for _ in range(40):  # makes the cubic along the arm pass through the sections
        for i in range(1, rings - 1):
            for d in range(2):
                halves_of[i][d] += wanted[i][d] - (halves_of[i - 1][d] + 4 * halves_of[i][d] + halves_of[i + 1][d]) / 6
        halves_of[0] = plus(halves_of[1], plus(halves_of[1], halves_of[2], -1))
        halves_of[-1] = plus(halves_of[-2], plus(halves_of[-2], halves_of[-3], -1))
    rows = [around(first + (i - 1) * step, max(h, 0.002), max(w, 0.002), across) for i, (h, w) in enumerate(halves_of)]

    # Vertex (i, j) of the base lies at (2 i - 1, 2 j - 1) of level 1. Ring 6 is at the elbow; vertex 0 of a ring is
    # inside of the bend, 4 outside.
    base = [{"joint": "shoulder", "vertices": [[0, 6 * across - 1]]},
            {"joint": "elbow", "vertices": [[6 * across, rings * across - 1]]}]

    def upper(*runs):
        return [{"joint": "shoulder", "vertices": [[i * 2 * across + a, i * 2 * across + b] for i, a, b in runs]}]

    five = upper((11, 5, 9))
    all_round = upper((10, 4, 10), (11, 4, 10), (12, 6, 8))
    tip = {6: 0.6, 7: 1, 8: 0.6}
    inside = {13: 0.5, 14: 0.9, 15: 1, 0: 0.9, 1: 0.5}
    shape = {}
    for ring, part, along, out in ((12, tip, -0.017, 0), (11, tip, 0.005, 0.009), (10, tip, 0, -0.007),
                                   (9, tip, 0, -0.003), (14, tip, 0, 0.003), (7, inside, 0, 0.010),
                                   (8, inside, 0, 0.013), (9, inside, 0, 0.010), (14, inside, 0, 0.006),
                                   (15, inside, 0, 0.008)):
        for j, share in part.items():
            shape[(ring, j)] = (along * share, 0, -out * share)  # the normal of this surface points inside
    keys = [{"angle": {"joint": "elbow", "axis": [0, 0, 1]}, "keys": [{"at": 110, "offsets": offsets_of(16, shape)}]}]
    write_rig(f"{folder}/elbow_1.json", "skin", rows, [{"attach": base}], frames_per_span=8)
    write_rig(f"{folder}/elbow_2.json", "skin", rows, [{"attach": base}, {"attach": five}], frames_per_span=4)
    write_rig(f"{folder}/elbow_3.json", "skin", rows, [{"attach": base}, {"attach": all_round}], frames_per_span=4)
    write_rig(f"{folder}/elbow_4.json", "skin", rows, [{"attach": base}, {"attach": all_round, "keys": keys}],
              frames_per_span=4)


# ------------------------------------------------------------------------------------------------------------- surface


class Grid:
    """A refinement level of a surface: open along u, closed along v."""

    def __init__(self, rows):
        self.rows, self.shape = rows, (len(rows), len(rows[0]))

    def spans(self):
        return self.shape[0] - 3, self.shape[1]

    def basis(self, t, d):
        count, spans = self.shape[d], self.spans()[d]
        t = t % count if d == 1 else min(max(t, 0.0), spans)
        span = min(int(t), spans - 1)
        f, g = t - span, 1 - t + span
        weights = [g**3 / 6, (3 * f**3 - 6 * f * f + 4) / 6, (3 * g**3 - 6 * g * g + 4) / 6, f**3 / 6]
        slopes = [-g * g / 2, (3 * f - 4) * f / 2, (4 - 3 * g) * g / 2, f * f / 2]
        return [(span + k) % count for k in range(4)], weights, slopes

    def at(self, u, v):
        """The point and both tangents."""
        (across, wu, du), (along, wv, dv) = self.basis(u, 0), self.basis(v, 1)
        result = [0.0] * 3, [0.0] * 3, [0.0] * 3
        for k in range(4):
            for m in range(4):
                control = self.rows[across[k]][along[m]]
                for sums, weight in zip(result, (wu[k] * wv[m], du[k] * wv[m], wu[k] * dv[m])):
                    for d in range(3):
                        sums[d] += weight * control[d]
        return result

    def frame(self, u, v):
        point, along_u, along_v = self.at(u, v)
        first, normal = unit(along_u), unit(cross(along_u, along_v))
        return point, first, cross(normal, first), normal

    def overlaid(self, offsets):
        """The next level, with offsets {(i, j): (x, y, z)} in the frames of this one."""

        def line(c, closed):
            n = len(c)
            refined = []
            for i in range(2 * n if closed else 2 * n - 3):
                a, b, e = c[i // 2], c[(i // 2 + 1) % n], c[(i // 2 + 2) % n]
                refined.append([x / 8 + y * 3 / 4 + z / 8 if i % 2 else (x + y) / 2 for x, y, z in zip(a, b, e)])
            return refined

        columns = [line([row[j] for row in self.rows], False) for j in range(self.shape[1])]
        result = Grid([line([column[i] for column in columns], True) for i in range(len(columns[0]))])
        for (i, j), offset in offsets.items():
            for amount, axis in zip(offset, self.frame((i - 1) / 2, (j - 1) / 2)[1:]):
                j %= result.shape[1]
                result.rows[i][j] = plus(result.rows[i][j], axis, amount)
        return result


# ---------------------------------------------------------------------------------------------------------------- head

ACROSS = 12
EAR = (0.6, 0.87, 1)  # length of the ears at their edges, next to the middle, and in the middle


def signed_power(x, exponent):
    return 0.0 if abs(x) < 1e-9 else math.copysign(abs(x) ** exponent, x)


def section(z, y, width, up, down, lean=0.0):
    """A ring across the neck or the skull. Rings go from the left side down, to the right and over the top."""
    ring = []
    for j in range(ACROSS):
        c, s = math.cos(math.tau * j / ACROSS), -math.sin(math.tau * j / ACROSS)
        ring.append([width * c, y + (up if s > 0 else down) * s, z + lean * s])
    return ring


def lip(width, front, back, gap, y):
    """A ring along both jaws, each a U in a plane."""
    ring = []
    for j in range(ACROSS):
        c, s = math.cos(math.tau * j / ACROSS), -math.sin(math.tau * j / ACROSS)
        ring.append([width * signed_power(c, 0.75), y + gap * signed_power(s, 0.6),
                     back + (front - back) * abs(signed_power(s, 0.8))])
    return ring


def head_base():
    skull = section(0, 0.02, 0.125, 0.12, 0.085)
    lips = lip(0.085, 0.40, 0.10, 0.030, -0.035)
    snout = []
    for j in range(ACROSS):
        c, s = math.cos(math.tau * j / ACROSS), -math.sin(math.tau * j / ACROSS)
        snout.append([0.115 * signed_power(c, 0.75), -0.03 + (0.105 if s > 0 else 0.085) * s,
                      0.10 + 0.30 * abs(signed_power(s, 0.8))])
    rows = [section(-0.62, -0.16, 0.10, 0.10, 0.10, -0.05), section(-0.50, -0.12, 0.10, 0.10, 0.10, -0.045),
            section(-0.38, -0.075, 0.10, 0.10, 0.10, -0.04), section(-0.26, -0.03, 0.10, 0.10, 0.10, -0.03),
            section(-0.14, 0.005, 0.11, 0.115, 0.09, -0.015), skull]
    for t in (0.2, 0.4, 0.6, 0.8):
        rows.append([[(1 - t) ** 2 * x + 2 * t * (1 - t) * y + t * t * z for x, y, z in zip(*points)]
                     for points in zip(skull, snout, lips)])
    rows += [lips, lip(0.070, 0.385, 0.115, 0.017, -0.035), lip(0.060, 0.33, 0.11, 0.016, -0.035),
             lip(0.05, 0.25, 0.09, 0.016, -0.035), lip(0.04, 0.16, 0.06, 0.016, -0.03),
             lip(0.03, 0.08, 0.03, 0.014, -0.02), lip(0.02, 0.02, 0, 0.012, -0.01)]
    return rows


def head_details():
    """Offsets of levels 1 and 2, and the vertices of level 2 that form the ears."""
    brows, details, ears = {}, {}, []
    for side in (-1, 1):
        for ring, height in ((11, 0.020), (12, 0.030), (13, 0.020)):
            brows[(ring, 17 + side * 2)] = (0, 0, height)
        details[(31, 33 + side * 4)] = (0, 0, -0.02)  # a nostril
        for ring, part in ((12, EAR[0]), (13, EAR[1]), (14, EAR[2]), (15, EAR[1]), (16, EAR[0])):
            for j in (6, 7):
                ears.append((ring, 33 + side * j))
                details[ears[-1]] = (-0.13 * part, -0.02 * side * part, 0.24 * part)
    for ring in range(5, 34, 2):
        details[(ring, 9)] = (-0.02, 0, 0.06 if 9 <= ring <= 25 else 0.045)  # the fringe under throat and chin
    return brows, details, ears


class Skin:
    """Vertices with their points on the surface, and triangles by material."""

    def __init__(self, grid):
        self.grid = grid
        self.positions, self.normals, self.places, self.parts = [], [], [], [[], [], []]

    def vertex(self, position, normal, place):
        self.positions.append(position)
        self.normals.append(unit(normal))
        self.places.append([x / spans for x, spans in zip(place, self.grid.spans())])
        return len(self.positions) - 1

    def strip(self, part, before, after, closed):
        for k in range(len(before) - (0 if closed else 1)):
            n = (k + 1) % len(before)
            self.parts[part] += [[before[k], after[k], after[n]], [before[k], after[n], before[n]]]

    def surface(self, per_span):
        spans = self.grid.spans()
        before = None
        for a in range(spans[0] * per_span + 1):
            row = []
            for b in range(spans[1] * per_span + 1):
                point, along_u, along_v = self.grid.at(a / per_span, b / per_span)
                row.append(self.vertex(point, cross(along_u, along_v), (a / per_span, b / per_span)))
            if before:
                self.strip(0, before, row, False)
            before = row

    def turned(self, part, place, center, axis, profile, sides):
        """A body of revolution about the y axis (axis: 1 or -1), at one surface point, so that it moves as one."""
        before = None
        for height, radius, slope in profile:
            row = []
            for k in range(sides):
                c, s = math.cos(math.tau * k / sides), axis * math.sin(math.tau * k / sides)
                position = plus(center, [radius * c, axis * height, radius * s])
                row.append(self.vertex(position, [c, axis * slope, s], place))
            if before:
                self.strip(part, before, row, True)
            before = row


def head_skin(grid):
    skin = Skin(grid)
    skin.surface(3)
    teeth = [(8 + (t - 3) * 1.9, 1) for t in range(7)] + [(32 + (t - 4.5) * 1.95, -1) for t in range(10)]
    for v, axis in teeth:
        place = (37.4, v)
        profile = [(0.034 * height, 0.0085 * radius, 0.35)
                   for height, radius in ((-0.3, 1), (0.25, 0.9), (0.6, 0.6), (0.85, 0.3), (1, 0.02))]
        skin.turned(1, place, grid.at(*place)[0], axis, profile, 10)
    for side in (-1, 1):
        place = (23.6, 32 + side * 6.7)
        point, _, _, normal = grid.frame(*place)
        profile = [(-0.021 * math.cos(t), 0.021 * math.sin(t), -math.cos(t) / max(math.sin(t), 0.01))
                   for t in (math.pi * (k + 0.1) / 12.2 for k in range(13))]
        skin.turned(2, place, plus(point, normal, -0.004), 1, profile, 20)
    return skin, [v for v, axis in teeth if axis > 0]


# Name, parent, origin.
HEAD_JOINTS = [("neck", None, [0, -0.16, -0.6]), ("head", 0, [0, 0, -0.13]), ("jaw", 1, [0, -0.03, 0.03])]


def head_clips():
    """Name, joint, axis, times, degrees."""
    opening = [k / 24 for k in range(25)]
    turning = [k / 48 for k in range(145)]
    return [("open", 2, [1, 0, 0], opening, [27 * smooth(t) for t in opening]),
            ("turn", 1, [0, 1, 0], turning,
             [50 * smooth((t - 0.25) / 0.35) - 100 * smooth((t - 1) / 0.35) for t in turning])]


def head_weights(position):
    head = smooth((position[2] + 0.30) / 0.25)
    lower = smooth((-0.03 - position[1]) / 0.04 + 0.3) * smooth(position[2] / 0.12)
    return [1 - head, head * (1 - lower), head * lower]


def write_model(skin, path, joints, clips, weights_of, colors):
    data = bytearray()
    gltf = {"asset": {"version": "2.0"}, "scene": 0, "bufferViews": [], "accessors": [], "animations": [],
            "materials": [{"name": name, "pbrMetallicRoughness": {"baseColorFactor": color + [1]}}
                          for name, color in colors.items()]}

    def accessor(rows, code, kind, **more):
        values = array.array(code, [x for row in rows for x in row])
        gltf["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(values) * values.itemsize})
        data.extend(values.tobytes())
        gltf["accessors"].append({"bufferView": len(gltf["bufferViews"]) - 1, "type": kind, "count": len(rows),
                                  "componentType": {"f": 5126, "I": 5125, "H": 5123}[code], **more})
        return len(gltf["accessors"]) - 1

    weights = [(weights_of(position) + [0, 0])[:4] for position in skin.positions]
    box = {"min": [min(c) for c in zip(*skin.positions)], "max": [max(c) for c in zip(*skin.positions)]}
    attributes = {"POSITION": accessor(skin.positions, "f", "VEC3", **box),
                  "NORMAL": accessor(skin.normals, "f", "VEC3"), "TEXCOORD_0": accessor(skin.places, "f", "VEC2"),
                  "JOINTS_0": accessor([list(range(len(joints))) + [0] * (4 - len(joints))] * len(weights), "H", "VEC4"),
                  "WEIGHTS_0": accessor(weights, "f", "VEC4")}
    corners = [accessor([[v] for triangle in triangles for v in triangle], "I", "SCALAR")
               for triangles in skin.parts[:len(colors)]]
    gltf["meshes"] = [{"primitives": [{"attributes": attributes, "material": part, "indices": indices}
                                      for part, indices in enumerate(corners)]}]
    gltf["nodes"] = []
    for joint, (name, parent, origin) in enumerate(joints):
        above = [0, 0, 0] if parent is None else joints[parent][2]
        gltf["nodes"].append({"name": name, "translation": plus(origin, above, -1)})
        if parent is not None:
            gltf["nodes"][parent].setdefault("children", []).append(joint)
    gltf["nodes"].append({"name": "skin", "mesh": 0, "skin": 0})
    gltf["scenes"] = [{"nodes": [0, len(joints)]}]
    inverses = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1] for _, _, (x, y, z) in joints]
    gltf["skins"] = [{"joints": list(range(len(joints))), "inverseBindMatrices": accessor(inverses, "f", "MAT4")}]
    for name, joint, axis, times, degrees in clips:
        turns = [[x * math.sin(math.radians(d) / 2) for x in axis] + [math.cos(math.radians(d) / 2)] for d in degrees]
        sampler = {"input": accessor([[t] for t in times], "f", "SCALAR", min=[times[0]], max=[times[-1]]),
                   "output": accessor(turns, "f", "VEC4")}
        gltf["animations"].append({"name": name, "samplers": [sampler], "channels": [
            {"sampler": 0, "target": {"node": joint, "path": "rotation"}}]})
    gltf["buffers"] = [{"byteLength": len(data)}]
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A) + text)
        file.write(struct.pack("<II", len(data), 0x004E4942) + data)


def head(model, folder):
    rows = head_base()
    brows, details, ears = head_details()
    skin, lower_teeth = head_skin(Grid(rows).overlaid(brows).overlaid(details))
    write_model(skin, model, HEAD_JOINTS, head_clips(), head_weights,
                {"hide": [0.20, 0.36, 0.22], "tooth": [0.85, 0.80, 0.65], "eye": [0.02, 0.02, 0.02]})

    def rings(first, last, places=range(ACROSS)):
        return {(i, j) for i in range(first, last + 1) for j in places}

    jaw, neck, throat = rings(7, 13, (2, 3, 4)), rings(0, 2), rings(3, 3)
    others = rings(0, len(rows) - 1) - jaw - neck - throat
    base = {"attach": [{"joint": "neck", "vertices": numbers(ACROSS, neck)},
                       {"joint": "head", "segment": 2, "segments": 3, "vertices": numbers(ACROSS, throat)},
                       {"joint": "head", "vertices": numbers(ACROSS, others)},
                       {"joint": "jaw", "vertices": numbers(ACROSS, jaw)}]}
    # The jaw's edge at the teeth, from outside over the lip to inside.
    teeth = {(i, round(v / 2) + 1) for v in lower_teeth for i in range(17, 23)}
    # Shorter rods are softer than those of the tip, by as much as makes the ear swing in one piece.
    swing = [{"rigidity": round(0.02 * part**2, 5), "mass": 0.01, "damping": 0.05, "damping_into": 0.05,
              "vertices": numbers(4 * ACROSS, {place for place in ears if abs(details[place][2] - 0.24 * part) < 1e-9})}
             for part in EAR]

    def write(name, locked, secondary):
        levels = [base, {"offsets": offsets_of(2 * ACROSS, brows)}, {"offsets": offsets_of(4 * ACROSS, details)}]
        if locked:
            levels[1]["attach"] = [{"joint": "jaw", "vertices": numbers(2 * ACROSS, teeth)}]
        if secondary:
            levels[2]["secondary"] = swing
        write_rig(f"{folder}/{name}.json", "skin", rows, levels, mapping="texture_coordinates")

    write("head_jaw", False, False)
    write("head_teeth", True, False)
    write("head_ears", True, True)


# --------------------------------------------------------------------------------------------------------------- hinge


def hinge(name, length, radii, folds, crease, model, folder):
    """A limb along z that bends by 90 degrees towards -y. `radii`: at equal steps. `folds`: their height, outside of the
    bend; `crease`: the depth of that inside, and how much deeper a key makes it."""
    rings, middle, step = 16, 8, length / 13
    rows = []
    for i in range(rings):
        at = min(max((i - 1) / 13, 0), 1) * (len(radii) - 1)
        k = min(int(at), len(radii) - 2)
        radius = radii[k] + (at - k) * (radii[k + 1] - radii[k])
        rows.append(section((i - middle) * step, 0, radius, radius, radius))
    # Vertex (i, j) of the base lies at (4 i - 3, 4 j - 3) of level 2. Column 9 is outside of the bend, 3 inside.
    at, outside, inside = 4 * middle - 3, 4 * 9 - 3, 4 * 3 - 3
    offsets = {(at + i, outside + j): (0, 0, folds * (1 if i % 4 == 0 else -0.6) * (1 - abs(j) / 6))
               for i in range(-8, 9, 2) for j in range(-5, 6)}
    creases = {(at + i, inside + j): (1 - abs(i) / 3) * (1 - abs(j) / 6) for i in range(-2, 3) for j in range(-5, 6)}
    offsets |= {place: (0, 0, -crease[0] * part) for place, part in creases.items()}
    skin = Skin(Grid(rows).overlaid({}).overlaid(offsets))
    skin.surface(2)
    times = [k / 24 for k in range(25)]
    write_model(skin, model, [("upper", None, [0, 0, rows[0][0][2]]), ("lower", 0, [0, 0, 0])],
                [("bend", 1, [1, 0, 0], times, [90 * smooth(t) for t in times])],
                lambda p: [1 - smooth(p[2] / step / 2 + 0.5), smooth(p[2] / step / 2 + 0.5)], {"skin": [0.75, 0.5, 0.4]})

    def ring(first, last):
        return numbers(ACROSS, {(i, j) for i in range(first, last + 1) for j in range(ACROSS)})

    # Three sub-segments as long as the rings that follow them.
    base = [{"joint": "upper", "vertices": ring(0, middle - 2)}, {"joint": "lower", "vertices": ring(middle + 2, rings - 1)}]
    base[1:1] = [{"joint": "lower", "segment": k + 2, "segments": 3, "length": round(3 * step, 5),
                  "vertices": ring(middle + k, middle + k)} for k in (-1, 0, 1)]
    deeper = {place: (0, 0, -crease[1] * part) for place, part in creases.items()}
    keys = [{"angle": {"joint": "lower", "axis": [1, 0, 0]}, "keys": [{"at": 90, "offsets": offsets_of(4 * ACROSS, deeper)}]}]
    write_rig(f"{folder}/{name}.json", "skin", rows,
              [{"attach": base}, {}, {"offsets": offsets_of(4 * ACROSS, offsets), "keys": keys}],
              mapping="texture_coordinates")


def knuckle(model, folder):
    hinge("knuckle", 0.08, [0.0085, 0.009, 0.0105, 0.0095, 0.0085, 0.008, 0.004], 0.0007, (0.0008, 0.0006), model, folder)


def knee(model, folder):
    hinge("knee", 0.8, [0.085, 0.08, 0.07, 0.06, 0.06, 0.055, 0.04], 0.003, (0.006, 0.006), model, folder)


if __name__ == "__main__":
    makers = {"elbow": elbow, "head": head, "knuckle": knuckle, "knee": knee}
    if len(sys.argv) < 2 or sys.argv[1] not in makers:
        sys.exit(f"usage: {sys.argv[0]} {{{'|'.join(makers)}}} FILE...; the top of this file lists the files")
    makers[sys.argv[1]](*sys.argv[2:])
