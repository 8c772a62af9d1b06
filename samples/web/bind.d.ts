// SPDX-License-Identifier: MIT
export interface BindOptions {
  /** Of the file, in errors and in the report; by default that of the source. */
  name?: string;
  /** Such as 'curve-skeleton'; by default Pelt chooses. */
  deformer?: string;
  /** A rig file (docs/rig.md) as an object, instead of a deformer. It names no files. */
  rig?: object;
  /** Receives the finished part of the work, 0 to 1, and what is done now. */
  progress?: (fraction: number, what: string) => void;
}

export interface Bound {
  /** A .pelt file, which `Character.load` reads. */
  bytes: Uint8Array;
  /** The output of `pelt bind --json` (docs/cli.md). */
  report: any;
}

/**
 * Binds a model, .glb or .gltf with its buffers inside, like `pelt bind`. It works for seconds without giving way: call
 * it in a worker, and end the worker to stop it. Throws PeltError.
 */
export function bind(source: string | URL | BufferSource | Blob, options?: BindOptions): Promise<Bound>;
