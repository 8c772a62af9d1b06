// SPDX-License-Identifier: MIT
// Binding in Node.js: the characters of `pelt bind`, progress, errors.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { bind } from '../../../samples/web/bind.js';
import { Character, useWasm } from '../../../samples/web/pelt.js';
import { makeBar } from './bar.mjs';
import { bound, folder, root, wasm } from './support.mjs';

useWasm(pathToFileURL(wasm));
useWasm(pathToFileURL(wasm.replace('pelt.wasm', 'pelt_bind.wasm')), 'pelt_bind.wasm');
writeFileSync(`${folder}/bar_model.glb`, makeBar());
const bar = readFileSync(`${folder}/bar_model.glb`);

// Asserts that a model's character has the bytes of the native one, although C libraries round differently.
async function assertSame(model, ...options) {
  const { bytes } = await bind(pathToFileURL(model), ...options);
  const native = bound(model, `${model.split('/').pop()}${options[0]?.deformer}.pelt`, ...options.flatMap(({ deformer }) => ['--deformer', deformer]));
  assert.ok(readFileSync(native).equals(bytes), `${model} ${options[0]?.deformer ?? ''}`);
}

test('a bound model has the bytes of pelt bind', async () => {
  await assertSame(`${folder}/bar_model.glb`);
  await assertSame(`${root}engine/authoring/model/builtin/biped.glb`);
});

test('by every deformer', async () => {
  for (const deformer of ['linear-blend', 'dual-quaternion', 'curve-skeleton', 'mos', 'hierarchical-bspline']) {
    await assertSame(`${folder}/bar_model.glb`, { deformer });
  }
});

const shared = process.env.PELT_SHARED;
test('so have shared characters', { skip: !shared && !process.env.CI && 'PELT_SHARED is not set' }, async () => {
  for (const group of ['characters', 'ordinary']) {
    const models = readdirSync(`${shared}/assets/${group}`).filter((file) => file.endsWith('.glb'));
    assert.ok(models.length > 0);
    for (const model of models) await assertSame(`${shared}/assets/${group}/${model}`);
  }
});

test('progress rises to the end, and the report is that of pelt bind', async () => {
  const steps = [];
  const { report } = await bind(bar, { name: 'bar.glb', progress: (fraction, what) => steps.push([fraction, what]) });
  assert.ok(steps.length > 3 && steps.every(([fraction, what], i) => what !== '' && fraction >= (steps[i - 1]?.[0] ?? 0) && fraction <= 1));
  assert.equal(report.model, 'bar.glb');
  assert.ok(report.meshes.some((mesh) => mesh.deformer.startsWith('surface_ffd')) && report.check.poses > 0);
});

test('a deformer or a rig is what binds', async () => {
  const deformers = async (options) => (await Character.load((await bind(bar, options)).bytes)).meshes.map((mesh) => mesh.deformer);
  assert.ok((await deformers({ deformer: 'curve-skeleton' })).some((name) => name.startsWith('curve_skeleton')));
  const rig = { format: 'pelt-rig 1', layers: [{ target: '*', deformer: 'dual_quaternion' }] };
  assert.ok((await deformers({ rig })).some((name) => name.startsWith('dual_quaternion')));
  await assert.rejects(bind(bar, { rig: { format: 'pelt-rig 1', layers: 3 } }), { code: 'invalid_file', message: /^rig: \/layers/ });
  await assert.rejects(bind(bar, { deformer: 'linear-bland' }), { code: 'not_found', message: /linear-bland/ });
});

test('broken models end in an error with their name', async () => {
  await assert.rejects(bind(bar.subarray(0, bar.length / 2), { name: 'half.glb' }), { code: 'invalid_file', message: /^half\.glb: / });
  await assert.rejects(bind(Buffer.from('{"asset":'), { name: 'cut.gltf' }), { code: 'invalid_file', message: /^cut\.gltf: .*JSON/ });
});
