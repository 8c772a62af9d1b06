// SPDX-License-Identifier: MIT
// What webgpu_test.mjs runs in the page: moves a character by the kernels of kernels.wgsl and by pelt.wasm.
import { Character } from 'pelt';

// Reads of a .pelt file (docs/pelt_file.md) what the kernels read. Indices are in words.
function parts(words) {
  const found = { PASS: [], MESH: [] };
  let at;
  const next = () => words[at++];
  const text = () => { const length = next(); at += Math.ceil(length / 4); };
  const array = (width) => {
    const count = next();
    if (count > 0) at = Math.ceil(at / 16) * 16;
    at += width * count;
    return at - width * count;
  };
  const optional = (read) => { if (next()) read(); };
  const read = {
    PASS: () => {
      const [kernel, , firstEntry, count] = [next(), next(), next(), next()];
      return { kernel, firstEntry, count, records: array(1) };
    },
    MESH: () => {
      text();
      text();
      const [, mode, , firstVertex, firstEntry] = [next(), next(), next(), next(), next()];
      optional(next);
      optional(next);
      next();
      optional(() => { at += 2; });
      optional(() => { at += 3; array(1); array(2); array(1); });
      const count = words[at];
      return { mode, firstVertex, firstEntry, count, points: array(3), directions: array(2), slices: array(1), influences: array(1) };
    },
  };
  for (let line = 8; line < 8 + 6 * words[6]; line += 6) {
    const type = String.fromCharCode(...new Uint8Array(words.buffer, 4 * line, 4));
    at = words[line + 2] / 4;
    if (read[type]) found[type].push(read[type]());
  }
  return found;
}

// Returns a device, or why there is none.
async function deviceOf() {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return { missing: navigator.gpu ? 'navigator.gpu has no adapter' : 'there is no navigator.gpu' };
  const { vendor, architecture } = adapter.info;
  return { device: await adapter.requestDevice(), name: `${vendor} ${architecture}` };
}

export async function missing() {
  const { missing: why, name } = await deviceOf();
  return { why, name };
}

// Moves a character at a moment of a clip, one joint stretched; returns how far the kernels are off pelt.wasm: positions
// over the size, normals in degrees.
export async function compare(file, clip, seconds, joint, stretch) {
  const bytes = await (await fetch(file)).arrayBuffer();
  const words = new Uint32Array(bytes);
  const { PASS, MESH } = parts(words);
  const character = await Character.load(bytes);
  const instance = character.instance().pose(clip, seconds);
  const index = character.joints.findIndex(({ name }) => name === joint);
  for (let i = 0; i < 12; ++i) instance.joints[16 * index + i] *= stretch[Math.floor(i / 4)];

  const { device } = await deviceOf();
  device.pushErrorScope('validation');
  const buffer = (usage, data, size = data.byteLength) => {
    const made = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC });
    if (data) device.queue.writeBuffer(made, 0, data);
    return made;
  };
  const { STORAGE, UNIFORM, MAP_READ, COPY_DST } = GPUBufferUsage;
  const count = character.vertexCount;
  const frames = Float32Array.from({ length: 12 * character.joints.length }, (_, i) =>
    instance.joints[16 * Math.floor(i / 12) + 4 * (i % 4) + Math.floor(i % 12 / 4)]);
  const entries = Math.max(...PASS.map((pass) => pass.firstEntry + (pass.kernel + 1) * pass.count));
  const buffers = [undefined, buffer(STORAGE, words), buffer(STORAGE, frames), buffer(STORAGE, undefined, 48 * entries),
    buffer(STORAGE, undefined, 12 * count), buffer(STORAGE, undefined, 4 * count)];
  const module = device.createShaderModule({ code: await (await fetch('kernels.wgsl')).text() });
  const pipelines = new Map();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const dispatch = (entryPoint, dual, constants, bindings, groups) => {
    const key = `${entryPoint} ${dual}`;
    if (!pipelines.has(key)) {
      pipelines.set(key, device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint, constants: { dual } } }));
    }
    pass.setPipeline(pipelines.get(key));
    const all = [buffer(UNIFORM, Uint32Array.from([...constants, 0])), ...buffers.slice(1)];
    pass.setBindGroup(0, device.createBindGroup({ layout: pipelines.get(key).getBindGroupLayout(0),
      entries: bindings.map((binding) => ({ binding, resource: { buffer: all[binding] } })) }));
    pass.dispatchWorkgroups(groups);
  };
  for (const { kernel, firstEntry, count: records, records: first } of PASS) {
    dispatch('pose', kernel, [records, first, firstEntry, 0, 0, 0, 0], [0, 1, 2, 3], Math.ceil(records / 64));
  }
  for (const { mode, firstVertex, firstEntry, count: vertices, points, directions, slices, influences } of MESH) {
    dispatch('blend', mode, [vertices, points, directions, slices, influences, firstEntry, firstVertex], [0, 1, 3, 4, 5], Math.ceil(vertices / 128));
  }
  pass.end();
  const read = buffers.slice(4).map((from) => {
    const to = device.createBuffer({ size: from.size, usage: MAP_READ | COPY_DST });
    encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
    return to;
  });
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) throw new Error(error.message);
  await Promise.all(read.map((each) => each.mapAsync(GPUMapMode.READ)));
  const positions = new Float32Array(read[0].getMappedRange());
  const packed = new Int16Array(read[1].getMappedRange());

  const expected = instance.deform();
  let [off, degrees] = [0, 0];
  for (let i = 0; i < 3 * count; ++i) off = Math.max(off, Math.abs(positions[i] - expected.positions[i]));
  for (let i = 0; i < count; ++i) {
    const [x, y] = [packed[2 * i] / 32767, packed[2 * i + 1] / 32767];
    const z = 1 - Math.abs(x) - Math.abs(y);
    const fold = Math.max(-z, 0);
    const n = [x + (x < 0 ? fold : -fold), y + (y < 0 ? fold : -fold), z];
    const m = expected.normals.subarray(3 * i, 3 * i + 3);
    const cross = Math.hypot(n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2], n[0] * m[1] - n[1] * m[0]);
    degrees = Math.max(degrees, Math.atan2(cross, n[0] * m[0] + n[1] * m[1] + n[2] * m[2]) * 180 / Math.PI);
  }
  device.destroy();
  return { off: off / character.size, degrees, kernels: PASS.map(({ kernel }) => kernel), modes: MESH.map(({ mode }) => mode) };
}
