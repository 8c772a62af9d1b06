// SPDX-License-Identifier: MIT
// Characters in Node.js: positions of `pelt deform`, flat memory, errors.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { Character, PeltError, useWasm } from '../../../samples/web/pelt.js';
import { makeBar } from './bar.mjs';
import { bound, deformed, farthest, folder, root, skins, wasm } from './support.mjs';

useWasm(pathToFileURL(wasm));

const load = (file) => Character.load(pathToFileURL(file));

// Asserts that all clips move a character as `pelt deform` does. Chosen: at most so many frames of a clip.
async function assertSame(t, file, frames = 6) {
  const character = await load(file);
  const instance = character.instance();
  let most = 0;
  for (const { name, duration } of character.clips.slice(0, 4)) {
    instance.teleport();
    const last = Math.min(Math.floor(duration * 12 + 1e-4), frames);
    const native = deformed(file, '--clip', name, '--fps', '12', '--frames', `0:${last}`);
    native.forEach((expected, frame) => {
      instance.pose(name, frame / 12).deform();
      most = Math.max(most, farthest(skins(instance), expected) / character.size);
    });
  }
  const times = Array.from({ length: 30 }, (_, i) => {
    const started = performance.now();
    if (character.clips.length > 0) instance.pose(0, i / 30);
    instance.deform();
    return performance.now() - started;
  }).sort((a, b) => a - b);
  t.diagnostic(`${file.split('/').pop()}: ${most.toExponential(1)} of the size; ${character.vertexCount} vertices, ${times[15].toFixed(2)} ms`);
  assert.ok(most <= 1e-6, `${file}: ${most}`);
}

for (const deformer of ['linear-blend', 'dual-quaternion', 'surface-ffd', 'curve-skeleton', 'mos', 'hierarchical-bspline']) {
  test(`positions of pelt deform by ${deformer}`, async (t) => {
    await assertSame(t, bound('builtin:biped', `${deformer}.pelt`, '--deformer', deformer, '--no-check'));
  });
}

for (const model of ['arm', 'limb', 'tail']) {
  test(`positions of pelt deform for builtin:${model}`, async (t) => {
    await assertSame(t, bound(`builtin:${model}`, `${model}.pelt`));
  });
}

test('positions of pelt deform for a muscled arm', async (t) => {
  await assertSame(t, bound('builtin:arm', 'muscles.pelt', '--rig', 'samples/rigs/arm_muscles.json'));
});

test('positions of pelt deform for morph targets that a clip keys', async (t) => {
  writeFileSync(`${folder}/bar_model.glb`, makeBar());
  await assertSame(t, bound(`${folder}/bar_model.glb`, 'bar.pelt', '--deformer', 'surface-ffd', '--no-check'));
});

test('a streamed cloth follows its cache', async () => {
  const cache = readFileSync(`${root}samples/garments/cloth_cage.pc2`);
  const file = bound('samples/garments/cloth.glb', 'cloth.pelt', '--rig', 'samples/garments/cloth.json');
  const instance = (await load(file)).instance();
  const [stream] = instance.character.streams;
  const size = 12 * stream.vertexCount;
  const [expected] = deformed(file, '--cache', 'samples/garments/cloth_cage.pc2', '--fps', '24', '--frames', '24:24');
  const rate = cache.readFloatLE(24);
  const at = 32 + size * (24 - cache.readFloatLE(20)) / rate;
  instance.setStream(stream.mesh, new Float32Array(cache.buffer.slice(cache.byteOffset + at, cache.byteOffset + at + size))).deform();
  assert.ok(farthest(skins(instance), expected) <= 1e-6 * instance.character.size);
});

test('ears swing as by pelt deform', async () => {
  execFileSync('python3', [`${root}samples/rigs/surfaces.py`, 'head', `${folder}/head.glb`, folder]);
  const file = bound(`${folder}/head.glb`, 'ears.pelt', '--rig', `${folder}/head_ears.json`);
  const native = deformed(file, '--clip', 'turn', '--fps', '60', '--frames', '0:40');
  const character = await load(file);
  const [moving, still] = [character.instance(), character.instance()];
  let swing = 0;
  native.forEach((expected, frame) => {
    moving.pose('turn', frame / 60).advance(frame === 0 ? 0 : 1 / 60).deform();
    still.pose('turn', frame / 60).deform();
    assert.ok(farthest(skins(moving), expected) <= 1e-5 * character.size, `frame ${frame}: ${farthest(skins(moving), expected)}`);
    swing = Math.max(swing, farthest(skins(moving), skins(still)) / character.size);
  });
  assert.ok(swing > 1e-3, `the ears swing by ${swing}`);
});

const shared = process.env.PELT_SHARED;
const given = shared ? ['characters', 'ordinary'].flatMap((name) => readdirSync(`${shared}/assets/${name}`)
  .filter((file) => file.endsWith('.glb')).map((file) => `${shared}/assets/${name}/${file}`)) : [];
test('positions of pelt deform for shared characters', { skip: !shared && !process.env.CI && 'PELT_SHARED is not set' },
  async (t) => {
    assert.ok(given.length > 0);
    for (const model of given) {
      const name = model.split('/').pop().replace('.glb', '.pelt');
      await assertSame(t, bound(model, name, '--deformer', 'surface-ffd', '--no-check'), 2);
    }
  });

test('a .glb carries the same character', async () => {
  const [glb, pelt] = [bound('builtin:limb', 'limb.glb'), bound('builtin:limb', 'limb.pelt')];
  const [a, b] = [(await load(glb)).instance(), (await load(pelt)).instance()];
  a.pose(0, 0.5).deform();
  b.pose(0, 0.5).deform();
  assert.deepEqual(a.positions, b.positions);
  const edited = readFileSync(glb);
  edited[edited.indexOf('"translation":[') + 15] ^= 1;
  await assert.rejects(Character.load(edited, { name: 'hero.glb' }), (error) =>
    error instanceof PeltError && /hero\.glb: .*bind/.test(error.message));
  await assert.rejects(load(`${root}samples/garments/cloth.glb`), { code: 'unsupported', message: /cloth\.glb: has no character/ });
});

test('normals and tangents are unit, matrices and controls are poses', async () => {
  const instance = (await load(bound('builtin:limb', 'limb.pelt'))).instance({ tangents: true });
  const { positions, normals } = instance.pose(0, 0.7).deform();
  const skin = instance.character.mesh('limb');
  for (let i = 3 * skin.firstVertex; i < 3 * (skin.firstVertex + skin.vertexCount); i += 3) {
    assert.ok(Math.abs(Math.hypot(normals[i], normals[i + 1], normals[i + 2]) - 1) < 1e-5);
  }
  assert.equal(instance.tangents.length, 4 * instance.character.vertexCount);
  const before = positions.slice();
  const matrices = instance.joints.slice();
  instance.rest().deform();
  assert.notDeepEqual(instance.positions, before);
  instance.poseMatrices(matrices).deform();
  assert.deepEqual(instance.positions, before);
});

test('ten thousand frames take no memory', async () => {
  const character = await load(bound('builtin:limb', 'limb.pelt'));
  const instance = character.instance();
  const { duration } = character.clips[0];
  let buffer;
  for (let frame = 0; frame < 10_000; ++frame) {
    instance.pose(0, (frame / 60) % duration).deform();
    if (frame === 0) ({ buffer } = instance.positions);
  }
  assert.equal(instance.positions.buffer, buffer, 'the memory grew');
  const kept = character.instance();
  for (let i = 0; i < 1000; ++i) character.instance().dispose();
  const { length } = new Uint8Array(kept.positions.buffer);
  for (let i = 0; i < 1000; ++i) character.instance().dispose();
  assert.equal(kept.positions.buffer.byteLength, length, 'instances leak');
});

test('misuse throws with a code and a sentence', async () => {
  const character = await load(bound('builtin:limb', 'limb.pelt'));
  const instance = character.instance();
  assert.throws(() => instance.pose('wlak', 0), { code: 'not_found', message: /no clip 'wlak'; there are: / });
  assert.throws(() => instance.pose(0, NaN), { code: 'invalid_argument' });
  assert.throws(() => instance.poseMatrices([1]), { code: 'invalid_argument', message: /got 1 / });
  assert.throws(() => instance.setControl('smile', 1), { code: 'not_found' });
  instance.joints[3 * 4] = Infinity;
  assert.throws(() => instance.deform(), { code: 'invalid_argument', message: /joint '.+' is not finite/ });
  instance.rest().deform();
  instance.dispose();
  assert.throws(() => instance.deform(), { code: 'invalid_argument', message: /disposed/ });
  await assert.rejects(load('/nowhere/hero.pelt'), { code: 'read_failed', message: /hero\.pelt/ });
  await assert.rejects(Character.load(new Uint8Array(3), { name: 'x.pelt' }), { code: 'invalid_file', message: /^x\.pelt/ });
});

test('pelt.wasm takes at most 250 kB', async (t) => {
  const { gzipSync } = await import('node:zlib');
  const { length } = gzipSync(readFileSync(wasm), { level: 9 });
  t.diagnostic(`${length} bytes`);
  assert.ok(length <= 250_000);
  assert.ok(existsSync(`${root}samples/web/package.json`));
});
