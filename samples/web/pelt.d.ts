// SPDX-License-Identifier: MIT
/** The codes of pelt.h; `internal`: a bug in Pelt. */
export type PeltCode = 'invalid_argument' | 'not_found' | 'read_failed' | 'write_failed' | 'invalid_file' | 'unsupported'
  | 'device_failed' | 'stopped' | 'out_of_memory' | 'internal';

/** Every error of this package: a code for programs, and one sentence that names the file and the location. */
export class PeltError extends Error {
  readonly code: PeltCode;
}

/** Sets where a WebAssembly file is that does not lie beside pelt.js. Call it before the first use. */
export function useWasm(source: string | URL | BufferSource | WebAssembly.Module, name?: 'pelt.wasm' | 'pelt_bind.wasm'): void;

export interface Joint {
  readonly name: string;
  /** Index in `joints`; -1: a root. */
  readonly parent: number;
}

export interface Clip {
  readonly name: string;
  /** Seconds. */
  readonly duration: number;
}

/** A number that the caller sets for each pose. */
export interface Control {
  readonly kind: 'morph' | 'twist' | 'expression' | 'clock';
  /** "mesh/target", "twist/joint", or that of the expression. */
  readonly name: string;
  /** For a morph target: its mesh and its index there. */
  readonly mesh: string;
  readonly target: number;
  readonly rest: number;
  /** Index in `Instance.inputs`. */
  readonly input: number;
}

/** A control mesh whose points the caller sets for each pose, for example from a simulation. */
export interface Stream {
  readonly mesh: string;
  readonly vertexCount: number;
  readonly firstInput: number;
}

export interface Material {
  readonly name: string;
  /** Linear. */
  readonly baseColor: readonly [number, number, number, number];
}

/** Arrays are in the character's order. */
export interface CharacterMesh {
  readonly name: string;
  /** As in the bind report, for people. */
  readonly deformer: string;
  /** True: moves other meshes, and is not drawn. */
  readonly control: boolean;
  /** Index of its first vertex in the arrays of an `Instance`. */
  readonly firstVertex: number;
  readonly vertexCount: number;
  readonly triangleCount: number;
  /** Three indices of its vertices per triangle. */
  readonly triangles: Uint32Array;
  /** The model's vertex, per vertex. */
  readonly sourceVertex: Uint32Array;
  /** Two numbers per vertex. */
  readonly uvs?: Float32Array;
  readonly parts: readonly { firstTriangle: number, triangleCount: number, material: number }[];
}

export interface InstanceOptions {
  /** Default: true. */
  normals?: boolean;
  /** Default: false. */
  tangents?: boolean;
  /** The same bits on every processor, without vector instructions; slower. Default: false. */
  sameEverywhere?: boolean;
}

/** Views of Pelt's memory in the character's order, metres, model space; valid until the next call that makes something. */
export interface Vertices {
  readonly positions: Float32Array;
  /** 0 for control meshes, as tangents. */
  readonly normals?: Float32Array;
  readonly tangents?: Float32Array;
}

/** What a `.pelt` file holds; immutable. */
export class Character {
  private constructor();
  /**
   * Loads a `.pelt`, or a `.glb` that carries a character. An address is relative to the page. `name`: the name of the
   * file in errors.
   */
  static load(source: string | URL | ArrayBuffer | ArrayBufferView | Blob, options?: { name?: string }): Promise<Character>;

  readonly name: string;
  /** The diagonal of the skin's box at bind, metres. */
  readonly size: number;
  readonly vertexCount: number;
  readonly inputCount: number;
  /** True if `deform` can move it by linear blend. */
  readonly hasLinearBlend: boolean;
  readonly joints: readonly Joint[];
  readonly clips: readonly Clip[];
  readonly controls: readonly Control[];
  readonly streams: readonly Stream[];
  readonly materials: readonly Material[];
  readonly meshes: readonly CharacterMesh[];

  mesh(name: string | number): CharacterMesh;
  /** Makes a copy that has a pose of its own. */
  instance(options?: InstanceOptions): Instance;
}

/** One moving copy of a character. Its arrays are views: get them again after a call that makes something. */
export class Instance {
  private constructor();
  readonly character: Character;

  /** The next pose: a matrix of 16 numbers by columns per joint, model space. */
  readonly joints: Float32Array;
  readonly inputs: Float32Array;
  readonly positions: Float32Array;
  readonly normals?: Float32Array;
  readonly tangents?: Float32Array;

  /** Set joints and controls of the next pose. */
  rest(): this;
  pose(clip: string | number, seconds: number): this;
  /** Set parts of the next pose. */
  poseMatrices(matrices: ArrayLike<number>): this;
  setControl(control: string | number, value: number): this;
  setStream(mesh: string, positions: ArrayLike<number>): this;

  /** Advances the time of secondary action: once per frame, before `deform`. */
  advance(seconds: number): this;
  /** Restarts secondary action at rest, for a pose that does not continue the one before. */
  teleport(): this;

  /** Moves all vertices to the next pose. */
  deform(options?: { linearBlend?: boolean }): Vertices;

  /** Copies a mesh's part of positions, normals or tangents to the order of the model that was bound. */
  toModelOrder(mesh: CharacterMesh, values: Float32Array, to?: Float32Array): Float32Array;

  /** Returns its memory. A character's memory returns by itself, with all of its instances. */
  dispose(): void;
}
