// SPDX-License-Identifier: MIT
// A small glTF model that is difficult to take over: a bar of two primitives, which share vertices, and of another with
// its own; morph targets; a cap that follows a joint; nodes of one name, without a name, and above the skeleton with
// turn and scale; a skinned node with a transform that does not count.

const rows = 13;
const length = 1.2;

function bar(offset) {
  const [positions, normals, joints, weights, targets, indices] = [[], [], [], [], [[], []], []];
  for (let row = 0; row < rows; ++row) {
    const y = length * row / (rows - 1);
    const bend = Math.min(Math.max((y - 0.4) / 0.4, 0), 1);
    for (let side = 0; side < 8; ++side) {
      const [x, z] = [Math.cos(side * Math.PI / 4), Math.sin(side * Math.PI / 4)];
      positions.push(offset + 0.1 * x, y, 0.1 * z);
      normals.push(x, 0, z);
      joints.push(0, 1, 0, 0);
      weights.push(1 - bend, bend, 0, 0);
      targets[0].push(0.05 * x * bend, 0, 0.05 * z * bend);
      targets[1].push(0, 0.1 * bend, 0);
      if (row === 0) continue;
      const [a, b] = [8 * row + side, 8 * row + (side + 1) % 8];
      indices.push(a, b, a - 8, b, b - 8, a - 8);
    }
  }
  return { positions, normals, joints, weights, targets, indices };
}

export function makeBar() {
  const gltf = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 4] }],
    nodes: [
      { name: 'top.part', children: [1], translation: [0.3, -0.2, 0.1], rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2], scale: [1.5, 1.5, 1.5] },
      { name: 'arm', children: [2] },
      { name: 'arm', translation: [0, 0.6, 0], children: [3] },
      { mesh: 1, translation: [0, 0.62, 0] },
      { name: 'bar', mesh: 0, skin: 0, translation: [5, 5, 5], children: [5] },
      { name: 'beside' },
    ],
    meshes: [], accessors: [], bufferViews: [], skins: [],
    animations: [{ name: 'bend', samplers: [], channels: [] }],
  };
  const parts = [];
  let size = 0;
  const add = (numbers, type, Type = Float32Array) => {
    const values = Type.from(numbers);
    const bytes = Buffer.concat([Buffer.from(values.buffer), Buffer.alloc(-values.byteLength & 3)]);
    parts.push(bytes);
    gltf.bufferViews.push({ buffer: 0, byteOffset: size, byteLength: values.byteLength });
    size += bytes.length;
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    const bounds = {};
    for (const [name, best] of [['min', Math.min], ['max', Math.max]]) {
      bounds[name] = Array.from({ length: width }, (_, c) => best(...values.filter((_, i) => i % width === c)));
    }
    const componentType = { Float32Array: 5126, Uint16Array: 5123, Uint8Array: 5121 }[Type.name];
    return gltf.accessors.push({ bufferView: gltf.bufferViews.length - 1, componentType, count: values.length / width, type, ...bounds }) - 1;
  };
  const attributesOf = ({ positions, normals, joints, weights }) => ({
    POSITION: add(positions, 'VEC3'), NORMAL: add(normals, 'VEC3'), JOINTS_0: add(joints, 'VEC4', Uint8Array), WEIGHTS_0: add(weights, 'VEC4'),
  });
  const targetsOf = ({ targets }) => targets.map((offsets) => ({ POSITION: add(offsets, 'VEC3') }));
  const [first, second] = [bar(0), bar(0.5)];
  const half = first.indices.length / 2;
  const shared = { attributes: attributesOf(first), targets: targetsOf(first) };
  gltf.meshes.push({ weights: [0, 0], primitives: [
    { ...shared, indices: add(first.indices.slice(0, half), 'SCALAR', Uint16Array) },
    { attributes: attributesOf(second), targets: targetsOf(second), indices: add(second.indices, 'SCALAR', Uint16Array) },
    { ...shared, indices: add(first.indices.slice(half), 'SCALAR', Uint16Array) },
  ] });
  gltf.meshes.push({ primitives: [{
    attributes: { POSITION: add([-0.1, 0, -0.1, 0.1, 0, -0.1, 0, 0.1, 0.1], 'VEC3'), NORMAL: add([0, 1, 0, 0, 1, 0, 0, 1, 0], 'VEC3') },
    indices: add([0, 1, 2], 'SCALAR', Uint16Array),
  }] });
  const inverse = (y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1];
  gltf.skins.push({ joints: [1, 2], inverseBindMatrices: add([...inverse(0), ...inverse(-0.6)], 'MAT4') });
  const times = add([0, 0.5, 1], 'SCALAR');
  const animate = (node, path, values, type) => {
    const [{ samplers, channels }] = gltf.animations;
    channels.push({ sampler: samplers.push({ input: times, output: add(values, type) }) - 1, target: { node, path } });
  };
  const turn = (angle) => [0, 0, Math.sin(angle / 2), Math.cos(angle / 2)];
  animate(2, 'rotation', [...turn(0), ...turn(1.1), ...turn(2)], 'VEC4');
  animate(0, 'translation', [0.3, -0.2, 0.1, 0.4, -0.2, 0.1, 0.4, 0, 0.1], 'VEC3');
  animate(4, 'weights', [0, 0, 1, 0.25, 0.5, 1], 'SCALAR');
  gltf.buffers = [{ byteLength: size }];
  const text = Buffer.from(JSON.stringify(gltf));
  const json = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const word = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer);
  return Buffer.concat([word(0x46546c67, 2, 28 + json.length + size, json.length, 0x4e4f534a), json, word(size, 0x004e4942), ...parts]);
}
