// SPDX-License-Identifier: MIT
// Dresses the built-in biped: node dress.mjs BIPED.glb DRESSED.glb. Shirt and trousers are parts of its skin, smoothed,
// moved outwards and cut where a function of the vertex is 0; the skin beneath is left out.
import { readFileSync, writeFileSync } from 'node:fs';

const file = readFileSync(process.argv[2]);
const jsonLength = file.readUInt32LE(12);
const gltf = JSON.parse(file.subarray(20, 20 + jsonLength).toString());
const binary = file.subarray(28 + jsonLength);
const types = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const widths = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

const { accessors, bufferViews } = gltf;

function read(index) {
  const { bufferView, byteOffset = 0, componentType, count, type } = accessors[index];
  const Type = types[componentType];
  const at = (bufferViews[bufferView].byteOffset ?? 0) + byteOffset;
  const length = count * widths[type] * Type.BYTES_PER_ELEMENT;
  return new Type(binary.buffer.slice(binary.byteOffset + at, binary.byteOffset + at + length));
}

const node = gltf.nodes.find(({ name }) => name === 'body');
const { attributes, indices } = gltf.meshes[node.mesh].primitives[0];
const skin = gltf.skins[node.skin];
const [positions, normals, joints, weights] = ['POSITION', 'NORMAL', 'JOINTS_0', 'WEIGHTS_0'].map((name) => read(attributes[name]));
const triangles = read(indices);
const count = positions.length / 3;
const names = skin.joints.map((joint) => gltf.nodes[joint].name);
const inverse = read(skin.inverseBindMatrices);
// The position of a joint at bind, of a matrix that turns and moves.
const origin = (name) => {
  const m = inverse.subarray(16 * names.indexOf(name), 16 * names.indexOf(name) + 16);
  return [0, 1, 2].map((r) => -(m[4 * r] * m[12] + m[4 * r + 1] * m[13] + m[4 * r + 2] * m[14]));
};
const minus = (a, b) => a.map((x, i) => x - b[i]);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const at = (array, i) => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];

// Returns how much of a vertex joints with these names move.
const share = (i, pattern) => [0, 1, 2, 3].reduce((sum, k) =>
  sum + (pattern.test(names[joints[4 * i + k]]) ? weights[4 * i + k] : 0), 0);
// Returns metres from a plane through the bone from `a` to `b`, at a part of its length, towards `a`.
const before = (p, a, b, part) => {
  const bone = minus(origin(b), origin(a));
  const length = Math.hypot(...bone);
  return part * length - dot(minus(p, origin(a)), bone) / length;
};

const neckline = (p) => 1.478 - p[1] + 0.55 * Math.max(p[2], 0) - 0.9 * p[2];
const garments = {
  shirt: {
    color: [0.12, 0.22, 0.34, 1], offset: 0.011,
    cover: (p, i) => {
      const arm = share(i, /upper_arm|forearm|hand|thumb|index|middle|ring|pinky/);
      const side = p[0] > 0 ? 'left' : 'right';
      if (arm > 0.5) return before(p, `${side}_upper_arm`, `${side}_forearm`, 0.62);
      if (share(i, /head|jaw|lid|eye/) > 0.5) return -1;
      return Math.min(p[1] - 0.9, neckline(p));
    },
  },
  trousers: {
    color: [0.3, 0.28, 0.25, 1], offset: 0.008,
    cover: (p, i) => {
      if (share(i, /hand|arm|thumb|index|middle|ring|pinky/) > 0.5) return -1;
      return Math.min(1.0 - p[1], p[1] - 0.14);
    },
  },
};

// Neighbours of each vertex, by position, so that seams stay closed.
const neighbours = Array.from({ length: count }, () => new Set());
for (let t = 0; t < triangles.length; t += 3) {
  for (let k = 0; k < 3; ++k) {
    neighbours[triangles[t + k]].add(triangles[t + (k + 1) % 3]).add(triangles[t + (k + 2) % 3]);
  }
}

const chunks = [];
gltf.accessors = [];
gltf.bufferViews = [];
let size = 0;
function add(values, type, bounds) {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const padding = Buffer.alloc(-bytes.length & 3);
  gltf.bufferViews.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
  const componentType = Number(Object.keys(types).find((key) => types[key] === values.constructor));
  chunks.push(bytes, padding);
  size += bytes.length + padding.length;
  return gltf.accessors.push({
    bufferView: gltf.bufferViews.length - 1, componentType, count: values.length / widths[type], type, ...bounds,
  }) - 1;
}

// Makes a primitive of triangles of the body, whose vertices have these points and directions.
const four = (array, sources) => array.constructor.from(sources.flatMap((i) => [...array.subarray(4 * i, 4 * i + 4)]));
function part(faces, points, directions, material) {
  const sources = [...new Set(faces)];
  const index = new Map(sources.map((source, i) => [source, i]));
  const cloth = new Float32Array(sources.flatMap((i) => at(points, i)));
  const along = [0, 1, 2].map((c) => sources.map((_, i) => cloth[3 * i + c]));
  const bounds = { min: along.map((all) => Math.min(...all)), max: along.map((all) => Math.max(...all)) };
  return {
    attributes: {
      POSITION: add(cloth, 'VEC3', bounds), NORMAL: add(new Float32Array(sources.flatMap((i) => at(directions, i))), 'VEC3'),
      JOINTS_0: add(four(joints, sources), 'VEC4'), WEIGHTS_0: add(four(weights, sources), 'VEC4'),
    },
    indices: add(Uint16Array.from(faces, (i) => index.get(i)), 'SCALAR'), material,
  };
}

const hidden = new Uint8Array(count);
for (const [name, { color, offset, cover }] of Object.entries(garments)) {
  const inside = Float32Array.from({ length: count }, (_, i) => cover(at(positions, i), i));
  let points = positions.slice();
  // Vertices beyond the edge move onto it, as far as they have neighbours within.
  const kept = new Uint8Array(count);
  for (let i = 0; i < count; ++i) {
    const within = [...neighbours[i]].filter((n) => inside[n] > 0);
    kept[i] = inside[i] > 0 || within.length > 0 ? 1 : 0;
    if (inside[i] > 0.035) hidden[i] = 1;
    if (inside[i] > 0 || within.length === 0) continue;
    for (let c = 0; c < 3; ++c) {
      points[3 * i + c] = within.reduce((sum, n) => {
        const part = inside[n] / (inside[n] - Math.max(inside[i], -0.05));
        return sum + positions[3 * n + c] + part * (positions[3 * i + c] - positions[3 * n + c]);
      }, 0) / within.length;
    }
  }
  const rest = points.slice();
  for (let round = 0; round < 40; ++round) {
    const next = points.slice();
    for (let i = 0; i < count; ++i) {
      if (!kept[i]) continue;
      const around = [...neighbours[i]].filter((n) => kept[n]);
      const edge = inside[i] <= 0;
      for (let c = 0; c < 3; ++c) {
        const ring = edge ? around.filter((n) => inside[n] <= 0) : around;
        if (ring.length === 0) continue;
        const mean = ring.reduce((sum, n) => sum + points[3 * n + c], 0) / ring.length;
        next[3 * i + c] += 0.5 * (mean - points[3 * i + c]);
      }
      const normal = at(normals, i);
      const out = dot(minus(at(next, i), at(rest, i)), normal);
      if (out < offset) for (let c = 0; c < 3; ++c) next[3 * i + c] += (offset - out) * normal[c];
    }
    points = next;
  }
  const faces = [];
  const directions = new Float32Array(points.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [...triangles.subarray(t, t + 3)];
    if (!corners.some((i) => inside[i] > 0)) continue;
    faces.push(...corners);
    const [a, b, c] = corners.map((i) => at(points, i));
    const [u, v] = [minus(b, a), minus(c, a)];
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    for (const i of corners) for (let d = 0; d < 3; ++d) directions[3 * i + d] += normal[d];
  }
  for (let i = 0; i < directions.length; i += 3) {
    const length = Math.hypot(directions[i], directions[i + 1], directions[i + 2]) || 1;
    for (let d = 0; d < 3; ++d) directions[i + d] /= length;
  }
  gltf.materials.push({ name, doubleSided: true, pbrMetallicRoughness: { baseColorFactor: color, metallicFactor: 0 } });
  const primitives = [part(faces, points, directions, gltf.materials.length - 1)];
  gltf.scenes[0].nodes.push(gltf.nodes.push({ name, mesh: gltf.meshes.push({ name, primitives }) - 1, skin: node.skin }) - 1);
}

const seen = [];
for (let t = 0; t < triangles.length; t += 3) {
  const corners = triangles.subarray(t, t + 3);
  if (!corners.every((i) => hidden[i])) seen.push(...corners);
}
gltf.meshes[node.mesh].primitives = [part(seen, positions, normals, gltf.meshes[node.mesh].primitives[0].material)];
// Everything else stays.
const copies = new Map();
function copy(index) {
  if (!copies.has(index)) copies.set(index, add(read(index), accessors[index].type, { min: accessors[index].min, max: accessors[index].max }));
  return copies.get(index);
}
for (const { name, primitives } of gltf.meshes) {
  if (!name.endsWith('eye')) continue;
  for (const primitive of primitives) {
    for (const key of Object.keys(primitive.attributes)) primitive.attributes[key] = copy(primitive.attributes[key]);
    primitive.indices = copy(primitive.indices);
  }
}
skin.inverseBindMatrices = copy(skin.inverseBindMatrices);
for (const sampler of gltf.animations.flatMap(({ samplers }) => samplers)) {
  sampler.input = copy(sampler.input);
  sampler.output = copy(sampler.output);
}
gltf.buffers[0].byteLength = size;
const text = Buffer.from(JSON.stringify(gltf));
const json = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
const head = Buffer.alloc(20);
[0x46546c67, 2, 28 + json.length + size, json.length, 0x4e4f534a].forEach((word, i) => head.writeUInt32LE(word, 4 * i));
const chunk = Buffer.alloc(8);
[size, 0x004e4942].forEach((word, i) => chunk.writeUInt32LE(word, 4 * i));
writeFileSync(process.argv[3], Buffer.concat([head, json, chunk, ...chunks]));
