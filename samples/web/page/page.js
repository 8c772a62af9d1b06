// SPDX-License-Identifier: MIT
// The page: one scene drawn twice, left of a line with the meshes that three.js moves by linear blend, right of it with
// those that Pelt moves.
import * as three from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { Character } from 'pelt';
import { PeltModel } from 'pelt/three';

const element = (id) => document.getElementById(id);
const [view, split, clips, play, time, figures, said, loaded, stop, deformer] =
  ['view', 'split', 'clip', 'play', 'time', 'figures', 'said', 'loaded', 'stop', 'deformer'].map(element);
const still = matchMedia('(prefers-reduced-motion: reduce)').matches;

const scene = new three.Scene();
const camera = new three.PerspectiveCamera(32, 1, 0.05, 50);
let renderer;
let orbit;
let detail = 1;  // part of the pixels of a line that are drawn

function makeScene() {
  renderer = new three.WebGLRenderer({ canvas: view, antialias: true });
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = three.PCFShadowMap;
  renderer.toneMapping = three.NeutralToneMapping;
  renderer.setScissorTest(true);
  const ground = new three.Color('#eceae6');
  renderer.setClearColor(ground);
  scene.add(new three.HemisphereLight('#f6f8ff', '#b7a593', 1.9));
  const sun = new three.DirectionalLight('#fff1e0', 2.5);
  sun.position.set(1.5, 3.6, 2.2);
  sun.castShadow = true;
  sun.shadow.mapSize.set(1024, 1024);
  sun.shadow.radius = 4;
  sun.shadow.bias = -0.0004;
  sun.shadow.normalBias = 0.01;
  Object.assign(sun.shadow.camera, { left: -1.5, right: 1.5, top: 2.2, bottom: -1, near: 0.5, far: 9 });
  scene.add(sun);
  const rim = new three.DirectionalLight('#dfe9ff', 1.2);
  rim.position.set(-2, 2, -2.5);
  scene.add(rim);
  const floor = new three.Mesh(new three.CircleGeometry(2.2, 48), new three.ShadowMaterial({ opacity: 0.16 }));
  floor.rotation.x = -Math.PI / 2;
  floor.receiveShadow = true;
  scene.add(floor);
  orbit = new OrbitControls(camera, view);
  orbit.enableDamping = !still;
  orbit.enablePan = false;
  orbit.minDistance = 0.5;
  orbit.maxDistance = 8;
  orbit.maxPolarAngle = 1.62;
}

// Puts the character into the view, whatever its shape.
function frame({ min, max }) {
  const [width, height] = [innerWidth, innerHeight];
  const size = Math.max(max.y - min.y, 0.8 * Math.max(max.x - min.x, max.z - min.z) * height / width);
  const distance = 0.66 * size / Math.tan(camera.fov * Math.PI / 360);
  orbit.target.set((min.x + max.x) / 2, (min.y + max.y) / 2 - 0.05 * size, (min.z + max.z) / 2);
  camera.position.set(0.28, 0.1, 1).normalize().multiplyScalar(distance).add(orbit.target);
  orbit.update();
}

function resize() {
  if (!renderer) return;
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
  renderer.setPixelRatio(detail * Math.min(devicePixelRatio, 2));
  renderer.setSize(innerWidth, innerHeight, false);
  dirty = true;
}

// ---- the line ----

let at = 0.5;

function moveLine(to) {
  at = Math.min(Math.max(to, 0), 1);
  split.style.setProperty('--at', `${100 * at}%`);
  split.setAttribute('aria-valuenow', String(Math.round(100 * at)));
  dirty = true;
}

split.addEventListener('pointerdown', (event) => {
  split.setPointerCapture(event.pointerId);
  split.focus({ preventScroll: true });
});
split.addEventListener('pointermove', (event) => {
  if (split.hasPointerCapture(event.pointerId)) moveLine(event.clientX / innerWidth);
});
split.addEventListener('keydown', (event) => {
  const step = { ArrowLeft: -0.02, ArrowDown: -0.02, ArrowRight: 0.02, ArrowUp: 0.02, PageDown: -0.1, PageUp: 0.1 }[event.key];
  const to = { Home: 0, End: 1 }[event.key] ?? (step && at + step);
  if (to === undefined) return;
  moveLine(to);
  event.preventDefault();
});

// ---- the character ----

let shown;  // { gltf, pelt, mixer, action, turned: joints and their rotations at rest }
let playing = !still;
let dirty = true;
const spent = [];  // the last times of Pelt, milliseconds

function setPlaying(on) {
  if (on && shown && !shown.action && clips.value) setClip(clips.value);
  playing = on;
  play.textContent = on ? 'Pause' : 'Play';
  play.setAttribute('aria-pressed', String(on));
  if (!on && detail < 1) {
    detail = 1;
    resize();
  }
}

// Ends the clip, and the pose of a place.
function rest() {
  shown.mixer.stopAllAction();
  shown.action = undefined;
  for (const [joint, rotation] of shown.turned) joint.quaternion.copy(rotation);
  shown.turned = [];
}

function setClip(name) {
  rest();
  shown.action = shown.mixer.clipAction(three.AnimationClip.findByName(shown.gltf.animations, name));
  shown.action.play();
  time.max = String(shown.action.getClip().duration);
  dirty = true;
}

let wanted = 0;  // the number of the last call of show()

// Shows a character of this page, or a dropped file with its character.
async function show(name, own) {
  const call = ++wanted;
  endWorker();
  waitFor('Loading the character');
  try {
    if (!renderer) makeScene();
    const file = own ? name : `${name}.glb`;
    const bytes = own?.file ?? await download(file, (share) => { loaded.value = share; });
    if (own && !own.bound) own.bound = await bindInWorker(own, (share, what) => waitFor(`Binding ${name}: ${what}`, share));
    const character = await Character.load(own?.bound.bytes ?? bytes, { name: file });
    const gltf = await new GLTFLoader().parseAsync(bytes, '');
    if (call !== wanted) return;
    if (shown) {
      shown.pelt.dispose();
      shown.gltf.scene.parent.removeFromParent();
      shown.gltf.scene.traverse((object) => object.geometry?.dispose());
    }
    gltf.scene.traverse((object) => {
      if (!object.isMesh) return;
      object.castShadow = object.receiveShadow = true;
      Object.assign(object.material, { roughness: 0.7, shadowSide: three.FrontSide });
    });
    const stand = new three.Group().add(gltf.scene);
    scene.add(stand);
    const pelt = new PeltModel(gltf, character);
    shown = { gltf, pelt, mixer: new three.AnimationMixer(gltf.scene), turned: [] };
    const box = new three.Box3();
    pelt.update(0);
    scene.updateMatrixWorld();
    for (const mesh of pelt.meshes) box.union(mesh.geometry.boundingBox.clone().applyMatrix4(mesh.matrixWorld));
    if (own) {
      // Any unit, any place: stands on the floor of this scene, as large as its own characters.
      const [size, middle] = [box.getSize(new three.Vector3()), box.getCenter(new three.Vector3())];
      stand.scale.setScalar(1.8 / Math.max(size.x, size.y, size.z, 1e-9));
      stand.position.set(-middle.x, -box.min.y, -middle.z).multiply(stand.scale);
      stand.updateMatrixWorld();
      box.applyMatrix4(stand.matrixWorld);
    }
    const kept = clips.value;
    const names = gltf.animations.map((clip) => clip.name);
    clips.replaceChildren(...names.map((clip) => new Option(clip)));
    clips.value = [kept, 'flex'].find((clip) => names.includes(clip)) ?? names[0] ?? '';
    clips.disabled = play.disabled = time.disabled = names.length === 0;
    if (names.length > 0) setClip(clips.value);
    resize();
    frame(box);
    spent.length = 0;
    shown.own = own;
    report(own, name);
    document.body.dataset.state = 'shown';
  } catch (error) {
    if (call !== wanted) return;
    console.error(error);
    said.textContent = renderer ? error.message : 'This browser does not draw in three dimensions (WebGL 2).';
    document.body.dataset.state = 'error';
  }
}

function waitFor(what, share = 0) {
  document.body.dataset.state = 'loading';
  said.textContent = what;
  loaded.value = share;
}

// ---- a character of the user's ----

let worker;

function endWorker() {
  worker?.terminate();
  stop.hidden = true;
}

// Binds a file without holding up the page. The promise of a worker that is ended stays open, and is forgotten.
function bindInWorker({ file, name, options }, tell) {
  worker = new Worker('worker.js', { type: 'module' });
  stop.hidden = false;
  return new Promise((done, refuse) => {
    worker.onmessage = ({ data: { bound, error, fraction, what } }) => {
      if (what !== undefined) return tell(fraction, what);
      endWorker();
      return bound ? done(bound) : refuse(new Error(error));
    };
    worker.onerror = (event) => {
      endWorker();
      refuse(new Error(event.message ?? 'the worker does not start'));
    };
    worker.postMessage({ file, name, options });
  });
}

// Reads a file that the user gave, and shows it.
async function open(file) {
  waitFor(`Reading ${file.name}`);
  element('own').textContent = file.name;
  for (const choice of document.querySelectorAll('[name="character"]')) choice.checked = false;
  deformer.value = '';
  mine = { file: await file.arrayBuffer(), name: file.name, options: {} };
  show(file.name, mine);
}

let mine;

// Binds again as the controls say.
function bindAgain() {
  const byFfd = deformer.value === '' || deformer.value === 'surface-ffd';
  const spread = Number(element('spread').value);
  const rig = { format: 'pelt-rig 1', layers: [{ target: '*', deformer: 'surface_ffd', parameters: { driver: { spread } } }] };
  mine = { ...mine, bound: undefined, options: byFfd && mine.spread ? { rig } : { deformer: deformer.value } };
  show(mine.name, mine);
}

const inWords = ({ kind, value, count, joint }) => {
  const what = {
    crease: `${count} creased edges, up to ${value.toFixed(0)}°`,
    inverted: `${count} triangles inside out`,
    stretch: `stretched ${value.toFixed(1)} times`,
    strain: `rigid skin strained by ${(100 * value).toFixed(0)}%`,
  }[kind] ?? `far from linear blend`;
  return joint ? `${what} at ${joint}` : what;
};

// Tells how the character was bound, and lists the worst places; hidden for those of the page.
function report(own, name) {
  element('bound').hidden = !own;
  element('hint').hidden = Boolean(own);
  element('file').classList.toggle('shown', Boolean(own));
  if (!own) return;
  const { meshes, check, notes } = own.bound.report;
  element('named').textContent = name;
  const moved = meshes.find((mesh) => mesh.deformer !== 'linear_blend' && !mesh.deformer.startsWith('driver'));
  const sentences = notes.filter((note) => /was chosen|moves nothing|^weights/.test(note));
  if (!moved) sentences.push('moved by linear blend alone');
  if (check?.fallback >= 0.001) sentences.push(`${(100 * check.fallback).toFixed(1)}% of the skin falls back to linear blend`);
  if (shown.gltf.animations.length === 0) sentences.push('the file has no clips, so it stands still');
  element('summary').textContent = sentences.map((said) => `${said[0].toUpperCase()}${said.slice(1)}.`).join(' ');
  element('spreads').hidden = !(moved?.deformer ?? '').startsWith('surface_ffd');
  element('radii').textContent = own.spread ? `${Number(element('spread').value)} radii` : 'auto';
  element('places').replaceChildren(...[...(check?.defects ?? []), ...(check?.shapes ?? [])].slice(0, 6).map((place) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = inWords(place);
    button.addEventListener('click', () => goTo(place));
    const item = document.createElement('li');
    item.append(button);
    return item;
  }));
}

// Turns joints from rest, about axes of model space; those below follow.
function turn(turns) {
  setPlaying(false);
  rest();
  const { pelt, gltf } = shown;
  gltf.scene.updateWorldMatrix(true, true);
  const around = new three.Quaternion();
  const posed = turns.map(({ joint: name, axis, degrees }) => {
    const joint = pelt.joints[pelt.character.joints.findIndex((each) => each.name === name)];
    const about = new three.Quaternion().setFromAxisAngle(new three.Vector3(...axis), degrees * Math.PI / 180);
    joint.parent.getWorldQuaternion(around);
    return [joint, around.clone().invert().multiply(about).multiply(around).multiply(joint.quaternion)];
  });
  shown.turned = posed.map(([joint]) => [joint, joint.quaternion.clone()]);
  for (const [joint, rotation] of posed) joint.quaternion.copy(rotation);
  pelt.instance.teleport();
}

// Shows the pose of a place, from near.
function goTo({ pose, turns, mesh: name, vertex }) {
  const [, clip, seconds] = /^(.*) at ([\d.]+) s$/.exec(pose) ?? [];
  if (shown.gltf.animations.some((each) => each.name === clip)) {
    clips.value = clip;
    setClip(clip);
    seek(Number(seconds));
  } else {
    turn(turns);
  }
  const { pelt } = shown;
  pelt.update(0);
  const mesh = pelt.character.mesh(name);
  const at = 3 * (mesh.firstVertex + mesh.sourceVertex.indexOf(vertex));
  const { positions, normals } = pelt.instance;
  const { matrixWorld } = shown.gltf.scene;
  const point = new three.Vector3().fromArray(positions, at).applyMatrix4(matrixWorld);
  const away = new three.Vector3().fromArray(normals, at).transformDirection(matrixWorld).setY(0.2).normalize();
  orbit.target.copy(point);
  camera.position.copy(point).addScaledVector(away, 1.3);
  orbit.update();
  dirty = true;
}

async function download(file, tell) {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: the server answers ${response.status}`);
  const size = Number(response.headers.get('content-length'));
  const parts = [];
  let length = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    tell(size > 0 ? Math.min(length / size, 1) : 0);
  }
  return new Blob(parts).arrayBuffer();
}

let last = 0;
let late = 0;  // frames in a row that took long

// Draws fewer pixels of what moves if they take long: on old phones, and without a graphics processor.
function keepPace(milliseconds) {
  late = milliseconds > 45 ? late + 1 : 0;
  if (late < 4 || detail < 0.5) return;
  late = 0;
  detail *= 0.7;
  resize();
}

function draw(now) {
  requestAnimationFrame(draw);
  const milliseconds = now - last;
  const seconds = Math.min(milliseconds / 1000, 0.1);
  last = now;
  if (document.body.dataset.state !== 'shown') return;
  const { pelt, mixer, action } = shown;
  if (orbit.update()) dirty = true;
  if (playing && action) {
    keepPace(milliseconds);
    mixer.update(seconds);
    time.value = String(action.time);
  } else if (!dirty) {
    return;
  }
  const started = performance.now();
  pelt.update(playing ? seconds : 0);
  spent.push(performance.now() - started);
  const [width, height] = [innerWidth, innerHeight];
  const x = Math.round(at * width);
  for (const [linear, left, right] of [[true, 0, x], [false, x, width]]) {
    if (right <= left) continue;
    pelt.linearBlend = linear;
    renderer.setScissor(left, 0, right - left, height);
    renderer.render(scene, camera);
  }
  dirty = false;
  if (spent.length === 9) {
    const typical = spent.splice(0).sort((a, b) => a - b)[4];
    const vertices = pelt.character.meshes.reduce((sum, mesh) => sum + (mesh.control ? 0 : mesh.vertexCount), 0);
    figures.textContent = `${vertices.toLocaleString('en')} vertices, ${typical.toFixed(1)} ms per frame`;
  }
}

clips.addEventListener('change', () => setClip(clips.value));
play.addEventListener('click', () => setPlaying(!playing));
function seek(seconds) {
  setPlaying(false);
  if (!shown.action) setClip(clips.value);
  time.value = String(seconds);
  shown.action.time = seconds;
  shown.mixer.update(0);
  shown.pelt.instance.teleport();
  dirty = true;
}

time.addEventListener('input', () => seek(Number(time.value)));
addEventListener('keydown', (event) => {
  if (event.key === ' ' && (event.target === document.body || event.target === split)) {
    setPlaying(!playing);
    event.preventDefault();
  }
});
for (const choice of document.querySelectorAll('[name="character"]')) {
  choice.addEventListener('change', () => show(choice.value));
}
function showChosen() {
  show(document.querySelector('[name="character"]:checked')?.value ?? 'biped');
}
element('again').addEventListener('click', showChosen);
stop.addEventListener('click', () => {
  document.querySelector('[value="biped"]').checked = true;
  showChosen();
});
element('file').addEventListener('change', ({ target }) => {
  if (target.files.length > 0) open(target.files[0]);
  target.value = '';
});
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length > 0) open(event.dataTransfer.files[0]);
});
deformer.addEventListener('change', bindAgain);
element('spread').addEventListener('change', () => {
  mine.spread = true;
  bindAgain();
});
element('save').addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([shown.own.bound.bytes]));
  link.download = shown.own.name.replace(/\.[^.]*$/, '.pelt');
  link.click();
  URL.revokeObjectURL(link.href);
});
addEventListener('resize', resize);

setPlaying(playing);
show('biped');
requestAnimationFrame(draw);
