// SPDX-License-Identifier: MIT
// three.js and the page of ./run web, in headless Chromium: positions, pixels, keys.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'node:test';
import { Browser, program, programs, serve } from './browser.mjs';
import { makeBar } from './bar.mjs';
import { bound, deformed, farthest, folder, pelt, root } from './support.mjs';

const site = `${root}build/web/site`;
const missing = program === undefined && `${programs[0]} is not installed: package group browser`;
if (missing && process.env.CI) throw new Error(missing);
const options = { skip: missing, timeout: 150_000 };

// A page that can import, and does nothing.
const blank = readFileSync(`${root}samples/web/page/hello.html`, 'utf8').split('<script type="module">')[0];
let broken = () => undefined;
let server;
let browser;
test.before(async () => {
  if (missing) return;
  server = await serve((path) => broken(path) ?? (path === '/blank.html' ? Buffer.from(blank) : undefined), site, folder, `${root}tests/samples/web`);
  browser = await Browser.start();
});

// Opens a page, which runs until the test ends: another would slow it down.
async function open(t, path, options) {
  const page = await browser.open(server.address + path, options);
  t.after(() => page.close());
  return page;
}

test.after(async () => {
  await browser?.close();
  server?.close();
});

// Shows a character of a file at a moment in three.js; returns positions of its skins in the model's order, and more.
const takeOver = async (file, clip, seconds) => {
  const [three, { GLTFLoader }, { Character }, { PeltModel }] =
    await Promise.all(['three', 'three/addons/loaders/GLTFLoader.js', 'pelt', 'pelt/three'].map((name) => import(name)));
  const gltf = await new GLTFLoader().loadAsync(file);
  const character = await Character.load(file);
  const scene = new three.Scene().add(gltf.scene);
  gltf.scene.position.set(3, 2, 1);  // the scene may stand anywhere
  const pelt = new PeltModel(gltf, character);
  const mixer = new three.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[character.clips.findIndex(({ name }) => name === clip)]).play();
  mixer.setTime(seconds);
  pelt.update();
  const positions = [];
  for (const mesh of character.meshes) if (!mesh.control) positions.push(...pelt.instance.toModelOrder(mesh, pelt.instance.positions));
  // A ray at the middle of a triangle.
  const mesh = pelt.meshes.at(-1);
  const corner = (k) => mesh.localToWorld(new three.Vector3().fromBufferAttribute(mesh.geometry.attributes.position, mesh.geometry.index?.getX(k) ?? k));
  const [a, b, c] = [0, 1, 2].map(corner);
  const normal = new three.Triangle(a, b, c).getNormal(new three.Vector3());
  const middle = new three.Vector3().add(a).add(b).add(c).divideScalar(3);
  const ray = new three.Raycaster(middle.clone().addScaledVector(normal, 1e-3), normal.clone().negate(), 0, 0.1);
  const hits = ray.intersectObject(scene, true);
  mesh.source.visible = false;
  mesh.source.castShadow = true;
  pelt.update();
  const followed = !mesh.visible && mesh.castShadow;
  const shown = pelt.meshes.map((each) => [each.layers.mask, each.source.layers.mask]);
  pelt.dispose();
  const left = [];
  scene.traverse((object) => { if (object.isMesh) left.push(object.layers.mask); });
  return { positions, size: character.size, count: pelt.meshes.length, hit: hits[0]?.object === mesh, followed, shown, left };
};

const onPage = async (page, ...values) => page.evaluate(`(${takeOver})(${values.map((value) => JSON.stringify(value)).join()})`);

async function assertTakenOver(t, page, file, clip, moments, count) {
  for (const seconds of moments) {
    const found = await onPage(page, file, clip, seconds);
    const [expected] = deformed(`${file === 'biped.glb' ? site : folder}/${file}`, '--clip', clip, '--time', String(seconds));
    const off = farthest(found.positions, expected) / found.size;
    t.diagnostic(`${file} at ${seconds} s: ${off.toExponential(1)} of the size`);
    assert.ok(off <= 1e-5, `${file} at ${seconds} s: ${off}`);
    assert.equal(found.count, count);
    assert.ok(found.hit && found.followed);
    assert.ok(found.shown.every(([mesh, source]) => mesh === 1 && source === 0));
    assert.deepEqual(found.left, Array(count).fill(1), 'dispose shows the sources again');
  }
}

test('three.js moves what pelt deform moves', options, async (t) => {
  writeFileSync(`${folder}/bar_model.glb`, makeBar());
  bound(`${folder}/bar_model.glb`, 'bar.glb', '--deformer', 'surface-ffd', '--no-check');
  const page = await open(t, '/blank.html');
  await assertTakenOver(t, page, 'bar.glb', 'bend', [0, 0.5, 0.8], 4);
  await assertTakenOver(t, page, 'biped.glb', 'flex', [0.5, 1.3], 7);
  assert.deepEqual(page.errors, []);
});

test('the time of a frame, next to three.js on the processor', options, async (t) => {
  const page = await open(t, '/blank.html');
  const times = await page.evaluate(`(async () => {
    const [three, { GLTFLoader }, { Character }, { PeltModel }] =
      await Promise.all(['three', 'three/addons/loaders/GLTFLoader.js', 'pelt', 'pelt/three'].map((name) => import(name)));
    const pelt = new PeltModel(await new GLTFLoader().loadAsync('biped.glb'), await Character.load('biped.glb'));
    const { source, source: { geometry: { attributes: { position } } } } = pelt.meshes[0];
    const point = new three.Vector3();
    const bySource = () => { for (let i = 0; i < position.count; ++i) source.applyBoneTransform(i, point.fromBufferAttribute(position, i)); };
    return [() => pelt.update(), bySource].map((move) => Array.from({ length: 15 }, () => {
      const started = performance.now();
      move();
      return performance.now() - started;
    }).sort((a, b) => a - b)[7]);
  })()`);
  t.diagnostic(`PeltModel.update ${times[0].toFixed(1)} ms; positions by applyBoneTransform ${times[1].toFixed(1)} ms`);
  assert.ok(times[0] > 0 && times[1] > 0);
});

test('the shortest page draws', options, async (t) => {
  const page = await open(t, '/hello.html');
  await page.until("document.querySelector('canvas')");
  // Reads the pixels of a frame before it is shown, since none is kept after that.
  const covered = await page.evaluate(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const context = new OffscreenCanvas(innerWidth, innerHeight).getContext('2d');
    context.drawImage(document.querySelector('canvas'), 0, 0);
    const { data } = context.getImageData(0, 0, innerWidth, innerHeight);
    done(data.filter((value, i) => i % 4 === 0 && value > 40).length);
  })))`);
  assert.ok(covered > 5000, `the character covers ${covered} pixels`);
  assert.deepEqual(page.errors, []);
});

test('another file than the scene is an error', options, async (t) => {
  bound('builtin:limb', 'limb.pelt');
  const page = await open(t, '/blank.html');
  const message = await page.evaluate(`(async () => {
    const [{ GLTFLoader }, { Character }, { PeltModel }] = await Promise.all(['three/addons/loaders/GLTFLoader.js', 'pelt', 'pelt/three'].map((n) => import(n)));
    try { new PeltModel(await new GLTFLoader().loadAsync('biped.glb'), await Character.load('limb.pelt')); }
    catch (error) { return error.name + ' ' + error.code + ' ' + error.message; }
  })()`);
  assert.match(message, /^PeltError invalid_argument .*: the scene has no node '/);
});

// Returns how many pixels of two pictures differ, left and right of a line and above the controls.
const compare = async (pictures, at) => {
  const [a, b] = await Promise.all(pictures.map(async (picture) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  const differ = [0, 0];
  for (let y = 90; y < 0.85 * a.height; ++y) {
    for (let x = 0; x < a.width; ++x) {
      if (Math.abs(x - at) < 40) continue;  // the handle
      const i = 4 * (y * a.width + x);
      if (Math.max(...[0, 1, 2].map((c) => Math.abs(a.data[i + c] - b.data[i + c]))) > 12) ++differ[x < at ? 0 : 1];
    }
  }
  return differ;
};

const shown = "document.body.dataset.state === 'shown'";
const split = "Number(document.getElementById('split').getAttribute('aria-valuenow'))";

test('the page shows linear blend left of the line and Pelt right of it', options, async (t) => {
  const page = await open(t, '/');
  await page.until(shown);
  await page.evaluate("(() => { const time = document.getElementById('time'); time.value = 1.3; time.dispatchEvent(new Event('input')); })()");
  const pictureAt = async (key) => {
    await page.evaluate("document.getElementById('split').focus()");
    await page.key(key);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    return (await page.picture()).toString('base64');
  };
  const [pelt, linear] = [await pictureAt('Home'), await pictureAt('End')];
  assert.equal(await page.evaluate(split), 100);
  await page.drag([999, 300], [500, 300]);
  assert.equal(await page.evaluate(split), 50);
  const both = await pictureAt('F2');
  const compared = async (a, b) => page.evaluate(`(${compare})(${JSON.stringify([a, b])}, 500)`);
  const [left, right] = await compared(pelt, linear);
  t.diagnostic(`linear blend and Pelt differ in ${left} and ${right} pixels`);
  assert.ok(left > 500 && right > 500, 'both sides of the body bend');
  assert.deepEqual([(await compared(both, linear))[0], (await compared(both, pelt))[1]], [0, 0]);
  const crossed = [(await compared(both, pelt))[0], (await compared(both, linear))[1]];
  assert.deepEqual(crossed, [left, right]);
  assert.deepEqual(page.errors, []);
});

test('the page is used by keys', options, async (t) => {
  const page = await open(t, '/');
  await page.until(shown);
  const pressed = "document.getElementById('play').getAttribute('aria-pressed')";
  assert.equal(await page.evaluate(pressed), 'true');
  await page.key(' ', 'Space');
  assert.equal(await page.evaluate(pressed), 'false');
  await page.evaluate("document.getElementById('split').focus()");
  await page.key('ArrowLeft');
  assert.equal(await page.evaluate(split), 48);
  await page.key('PageUp');
  assert.equal(await page.evaluate(split), 58);
  await page.evaluate("document.querySelector('[name=character]').focus()");
  await page.key('ArrowRight');
  await page.until("document.body.dataset.state === 'loading' || document.querySelector('[value=dressed]').checked");
  await page.until(shown);
  assert.equal(await page.evaluate("document.querySelector('[name=character]:checked').value"), 'dressed');
  assert.deepEqual(page.errors, []);
});

test('the page fits a phone', options, async (t) => {
  const page = await open(t, '/', { width: 360, height: 740, scale: 2, mobile: true });
  await page.until(shown);
  const outside = await page.evaluate(`[...document.querySelectorAll('header, footer, footer *, .grip, .side')].filter((e) => {
    const box = e.getBoundingClientRect();
    return box.width > 0 && e.tagName !== 'LEGEND' && e.tagName !== 'OPTION' && (box.left < 0 || box.right > innerWidth || box.bottom > innerHeight);
  }).map((e) => e.tagName + e.className)`);
  assert.deepEqual(outside, []);
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
});

// Drops a file on the page.
const drop = (page, file) => page.evaluate(`(async () => {
  const data = new DataTransfer();
  data.items.add(new File([await (await fetch('/${file}')).arrayBuffer()], '${file}'));
  dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
})()`);
const settled = "document.body.dataset.state !== 'loading'";
const text = (id) => `document.getElementById('${id}').textContent`;

test('a dropped file is bound, and bound again as the controls say', options, async (t) => {
  writeFileSync(`${folder}/bar_model.glb`, makeBar());
  const page = await open(t, '/');
  await page.until(shown);
  await drop(page, 'bar_model.glb');
  await page.until(settled);
  assert.equal(await page.evaluate("document.body.dataset.state + document.getElementById('bound').hidden"), 'shownfalse');
  assert.equal(await page.evaluate(text('named')), 'bar_model.glb');
  assert.match(await page.evaluate(text('summary')), /Surface-ffd was chosen/);
  const places = await page.evaluate("[...document.querySelectorAll('#places button')].map((place) => place.click()).length");
  const { check } = JSON.parse(pelt('bind', `${folder}/bar_model.glb`, '-o', `${folder}/bar_model.pelt`, '--json'));
  const poses = [...check.defects, ...check.shapes].slice(0, places);
  assert.ok(poses.some(({ turns }) => turns.length > 0) && poses.some(({ turns }) => turns.length === 0));
  assert.equal(await page.evaluate("document.getElementById('play').getAttribute('aria-pressed')"), 'false');
  for (const [control, value] of [['deformer', 'curve-skeleton'], ['deformer', 'surface-ffd'], ['spread', '2']]) {
    await page.evaluate(`(() => { const control = document.getElementById('${control}'); control.value = '${value}'; control.dispatchEvent(new Event('change')); })()`);
    await page.until(settled);
    assert.equal(await page.evaluate('document.body.dataset.state'), 'shown', value);
    assert.equal(await page.evaluate("document.getElementById('spreads').hidden"), value === 'curve-skeleton');
  }
  assert.equal(await page.evaluate(text('radii')), '2 radii');
  assert.deepEqual(page.errors, []);
});

test('binding is stopped, and a dropped file that is broken ends in a sentence', options, async (t) => {
  const page = await open(t, '/');
  await page.until(shown);
  await drop(page, 'biped.glb');
  await page.until("!document.getElementById('stop').hidden");
  await page.evaluate("document.getElementById('stop').click()");
  await page.until(shown);
  assert.ok(await page.evaluate("document.getElementById('bound').hidden"));
  assert.deepEqual(page.errors, []);
  writeFileSync(`${folder}/half.glb`, makeBar().subarray(0, 500));
  await drop(page, 'half.glb');
  await page.until("document.body.dataset.state === 'error'");
  assert.match(await page.evaluate(text('said')), /^half\.glb: /);
});

test('a broken file ends in a sentence, and the page goes on', options, async (t) => {
  const whole = readFileSync(`${site}/biped.glb`);
  const damaged = Buffer.from(whole);
  damaged[damaged.length - 1000] ^= 1;
  broken = (path) => (path === '/biped.glb' ? damaged : undefined);
  const page = await open(t, '/');
  await page.until("document.body.dataset.state === 'error'");
  assert.match(await page.evaluate("document.getElementById('said').textContent"), /^biped\.glb: /);
  broken = () => undefined;
  await page.evaluate("document.getElementById('again').click()");
  await page.until(shown);
});
