// SPDX-License-Identifier: MIT
// Loads characters and moves them, in browsers and Node.js. pelt.d.ts describes every function. Each character has its
// own WebAssembly memory: a file can harm none but its own, and memory is returned with the Character.
import { characterOf } from './glb.js';

// In the order of pelt::ErrorCode.
const codes = ['invalid_argument', 'not_found', 'read_failed', 'write_failed', 'invalid_file', 'unsupported',
  'device_failed', 'stopped', 'out_of_memory'];

export class PeltError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'PeltError';
    this.code = code;
  }
}

const fail = (code, message) => {
  throw new PeltError(code, message);
};

const utf8 = new TextEncoder();

async function fetchBytes(url) {
  try {
    if (url.protocol === 'file:') return await (await import('node:fs/promises')).readFile(url);
    const response = await fetch(url);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    return fail('read_failed', `${url}: the server answers ${response.status} ${response.statusText}`.trimEnd());
  } catch (error) {
    if (error instanceof PeltError) throw error;
    return fail('read_failed', `${url}: cannot be read: ${error.message}`);
  }
}

const toUrl = (address) => new URL(address, globalThis.location?.href ?? import.meta.url);

let wasm = new URL('pelt.wasm', import.meta.url);
let module;  // the promise of a WebAssembly.Module

export function useWasm(source) {
  wasm = source;
  module = undefined;
}

async function compile() {
  if (wasm instanceof WebAssembly.Module) return wasm;
  const bytes = wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm) ? wasm : await fetchBytes(toUrl(wasm));
  return WebAssembly.compile(bytes);
}

// An instance of pelt.wasm.
class Machine {
  static async make() {
    module ??= compile();
    try {
      return new Machine(await module);
    } catch (error) {
      module = undefined;  // the next call tries again
      if (error instanceof PeltError) throw error;
      return fail('unsupported', `pelt.wasm does not start here: ${error.message}`);
    }
  }

  constructor(compiled) {
    const refuse = () => 52;  // ENOSYS: there are no files
    const { exports } = new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: new Proxy({}, { get: () => refuse }) });
    this.exports = exports;
    this.memory = exports.memory;
    this.call('_initialize');
  }

  // Calls an exported function. After a trap the memory is not used again.
  call(name, ...numbers) {
    if (this.trap) fail('internal', `an earlier call failed: ${this.trap}`);
    try {
      return this.exports[name](...numbers);
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
      this.trap = error.message;
      const refused = codes[this.exports.pelt_error_code()] === 'out_of_memory';
      return fail(refused ? 'out_of_memory' : 'internal', refused ? 'out of memory' : `${name}: ${error.message}`);
    }
  }

  // The same; throws the error if the function returns 0.
  need(name, ...numbers) {
    const result = this.call(name, ...numbers);
    if (result === 0) fail(codes[this.call('pelt_error_code')], this.text(this.call('pelt_last_error')));
    return result;
  }

  text(address) {
    const bytes = new Uint8Array(this.memory.buffer, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  // Calls the body with the address of a copy of the bytes, which ends with a zero.
  with(bytes, body) {
    const address = this.call('pelt_allocate', bytes.length + 1);
    const copy = new Uint8Array(this.memory.buffer, address, bytes.length + 1);
    copy.set(bytes);
    copy[bytes.length] = 0;
    try {
      return body(address);
    } finally {
      if (!this.trap) this.call('pelt_free', address);
    }
  }

  array(Type, address, length) {
    return new Type(this.memory.buffer, address, length);
  }
}

let spare;  // a machine without a character, since its file was refused

const inner = Symbol('inner');

export class Character {
  static async load(source, { name } = {}) {
    if (typeof Blob === 'function' && source instanceof Blob) {
      return Character.#read(new Uint8Array(await source.arrayBuffer()), name ?? source.name ?? 'memory');
    }
    if (source instanceof ArrayBuffer) return Character.#read(new Uint8Array(source), name ?? 'memory');
    if (ArrayBuffer.isView(source)) {
      return Character.#read(new Uint8Array(source.buffer, source.byteOffset, source.byteLength), name ?? 'memory');
    }
    const url = toUrl(source);
    return Character.#read(await fetchBytes(url), name ?? decodeURI(url.pathname.split('/').pop()));
  }

  static async #read(file, name) {
    const machine = spare ?? await Machine.make();
    spare = undefined;
    try {
      const hash = (bytes) => BigInt.asUintN(64, machine.with(bytes, (at) => machine.call('pelt_hash', at, bytes.length)));
      const bytes = characterOf(file, name, hash, fail);
      return new Character(machine, machine.with(utf8.encode(name), (source) =>
        machine.with(bytes, (at) => machine.need('pelt_character_load_memory', at, bytes.length, source))));
    } catch (error) {
      if (!machine.trap) spare = machine;
      if (error instanceof PeltError) throw error;
      return fail('invalid_file', `${name}: ${error.message}`);
    }
  }

  constructor(machine, address) {
    this[inner] = { machine, address };
    Object.assign(this, JSON.parse(machine.text(machine.call('pelt_character_describe', address))));
    for (const mesh of this.meshes) {
      mesh.triangles = machine.array(Uint32Array, mesh.triangles, 3 * mesh.triangleCount).slice();
      mesh.sourceVertex = machine.array(Uint32Array, mesh.sourceVertex, mesh.vertexCount).slice();
      mesh.uvs = mesh.uvs && machine.array(Float32Array, mesh.uvs, 2 * mesh.vertexCount).slice();
    }
  }

  mesh(name) {
    return this.meshes[indexOf(this.meshes, 'mesh', name)];
  }

  instance(options) {
    return new Instance(this, options);
  }
}

// Returns the index of a thing with that name, or that index.
function indexOf(things, what, name) {
  const index = typeof name === 'number' ? name : things.findIndex((thing) => thing.name === name);
  if (things[index] !== undefined) return index;
  return fail('not_found', `there is no ${what} '${name}'; there are: ${things.map((thing) => thing.name).join(', ')}`);
}

// Copies numbers to an array of the same length.
function copy(numbers, to, what) {
  if (numbers.length !== to.length) fail('invalid_argument', `got ${numbers.length} ${what}, expected ${to.length}`);
  to.set(numbers);
}

export class Instance {
  #of;
  #address;
  #at;  // addresses of arrays
  #arrays;  // views of the memory, which are made again after it has grown

  constructor(character, { normals = true, tangents = false, sameEverywhere = false } = {}) {
    this.character = character;
    this.#of = character[inner].machine;
    this.#address = this.#of.call('pelt_evaluator_create', character[inner].address, normals, tangents, sameEverywhere);
    this.#at = ['joints', 'inputs', 'positions', 'normals', 'tangents'].map((name) =>
      this.#of.call(`pelt_evaluator_${name}`, this.#address));
  }

  get #views() {
    if (this.#arrays?.positions.buffer === this.#of.memory.buffer) return this.#arrays;
    const { joints, inputCount, vertexCount } = this.character;
    const lengths = [16 * joints.length, inputCount, 3 * vertexCount, 3 * vertexCount, 4 * vertexCount];
    const [atJoints, atInputs, positions, normals, tangents] = this.#at.map((at, i) =>
      at === 0 && i > 2 ? undefined : this.#of.array(Float32Array, at, lengths[i]));
    return this.#arrays = { joints: atJoints, inputs: atInputs, positions, normals, tangents };
  }

  get joints() { return this.#views.joints; }
  get inputs() { return this.#views.inputs; }
  get positions() { return this.#views.positions; }
  get normals() { return this.#views.normals; }
  get tangents() { return this.#views.tangents; }

  rest() {
    this.#call('rest');
    return this;
  }

  pose(clip, seconds) {
    if (!Number.isFinite(seconds)) fail('invalid_argument', 'the time is not finite');
    this.#call('sample_clip', indexOf(this.character.clips, 'clip', clip), seconds);
    return this;
  }

  poseMatrices(matrices) {
    copy(matrices, this.joints, 'numbers of joint matrices');
    return this;
  }

  setControl(control, value) {
    const { controls } = this.character;
    this.inputs[controls[indexOf(controls, 'control', control)].input] = value;
    return this;
  }

  setStream(mesh, positions) {
    const stream = this.character.streams.find((streamed) => streamed.mesh === mesh) ??
      fail('not_found', `there is no streamed mesh '${mesh}'`);
    copy(positions, this.inputs.subarray(stream.firstInput, stream.firstInput + 3 * stream.vertexCount), 'coordinates');
    return this;
  }

  advance(seconds) {
    this.#call('advance', seconds);
    return this;
  }

  teleport() {
    this.#call('teleport');
    return this;
  }

  deform({ linearBlend = false } = {}) {
    this.#of.need('pelt_evaluator_evaluate', this.#living(), linearBlend);
    return this.#views;
  }

  toModelOrder(mesh, values, to = new Float32Array(values.length / this.character.vertexCount * mesh.vertexCount)) {
    const width = values.length / this.character.vertexCount;
    const { sourceVertex, firstVertex } = mesh;
    for (let i = 0, from = firstVertex * width; i < sourceVertex.length; ++i, from += width) {
      const at = sourceVertex[i] * width;
      to[at] = values[from];
      to[at + 1] = values[from + 1];
      to[at + 2] = values[from + 2];
      if (width === 4) to[at + 3] = values[from + 3];
    }
    return to;
  }

  dispose() {
    this.#call('destroy');
    this.#address = 0;
  }

  #living() {
    return this.#address || fail('invalid_argument', 'the instance is disposed of');
  }

  #call(name, ...numbers) {
    return this.#of.call(`pelt_evaluator_${name}`, this.#living(), ...numbers);
  }
}
