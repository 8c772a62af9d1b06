// SPDX-License-Identifier: MIT
// What the tests of samples/web share. Environment: PELT, the native program; PELT_WASM, pelt.wasm; PELT_SHARED, a
// folder of characters; CI: nothing may be skipped.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const folder = mkdtempSync(`${tmpdir()}/pelt_web_`);
process.on('exit', () => rmSync(folder, { recursive: true }));

export const program = process.env.PELT ?? `${root}build/release/bin/pelt`;
export const wasm = process.env.PELT_WASM ?? `${root}build/wasm/bin/pelt.wasm`;

// Runs `pelt`, in the source folder.
export const pelt = (...options) => execFileSync(program, options, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });

// Binds a model once; returns the file's path.
export function bound(model, name, ...options) {
  const file = `${folder}/${name}`;
  if (!existsSync(file)) pelt('bind', model, '-o', file, ...options);
  return file;
}

// Returns the skins that `pelt deform` makes of a file, one array of positions for each frame.
export function deformed(file, ...options) {
  const cache = `${folder}/deformed.pc2`;
  pelt('deform', file, '--backend', 'cpu', '-o', cache, ...options);
  const bytes = readFileSync(cache);
  const [points, samples] = [bytes.readInt32LE(16), bytes.readInt32LE(28)];
  return Array.from({ length: samples }, (_, i) =>
    new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32 + 12 * points * i, bytes.byteOffset + 32 + 12 * points * (i + 1))));
}

// Returns an instance's skins in the same order.
export function skins(instance) {
  const shown = instance.character.meshes.filter((mesh) => !mesh.control);
  const all = new Float32Array(3 * shown.reduce((sum, mesh) => sum + mesh.vertexCount, 0));
  let at = 0;
  for (const mesh of shown) {
    instance.toModelOrder(mesh, instance.positions, all.subarray(at, at + 3 * mesh.vertexCount));
    at += 3 * mesh.vertexCount;
  }
  return all;
}

export function farthest(a, b) {
  if (a.length !== b.length) return Infinity;
  let most = 0;
  for (let i = 0; i < a.length; ++i) {
    const distance = Math.abs(a[i] - b[i]);
    if (!(distance <= most)) most = distance;
  }
  return most;
}
