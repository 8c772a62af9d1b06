// SPDX-License-Identifier: MIT
// Loads characters and moves them, in browsers and Node.js. pelt.d.ts describes every function. Each character has its
// own WebAssembly memory: a file can harm none but its own, and memory is returned with the Character.
import { characterOf } from './glb.js';
import { Machine, PeltError, fail, readSource, utf8 } from './machine.js';

export { PeltError, useWasm } from './machine.js';

let spare;  // a machine without a character, since its file was refused

const inner = Symbol('inner');

export class Character {
  static async load(source, options) {
    const { bytes, name } = await readSource(source, options);
    return Character.#read(bytes, name);
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
