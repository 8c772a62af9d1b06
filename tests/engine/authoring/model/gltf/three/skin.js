// SPDX-License-Identifier: MIT
// node skin.js OUT FILE...: poses each glTF file with three.js and writes the positions of its vertices.
//
//   OUT/<i>.json   for file i: { error } if three.js cannot read it, else
//                  { meshes: [{ vertices, sets, unweighted: [vertex...] }], samples: [{ clip, time }] }
//                  meshes: of the nodes of the default scene, depth first from the roots in order of index; the
//                  primitives of a mesh one after the other; primitives with the same attributes only once
//   OUT/<i>.f32    positions in the space of the scene, floats: sample by sample, mesh by mesh, vertex by vertex
import fs from 'node:fs';
import path from 'node:path';

globalThis.self = globalThis;
globalThis.document = {};
const THREE = await import('three');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');

// The loader normalises only WEIGHTS_0, in place; we want the values of the file first.
const normalizeSkinWeights = THREE.SkinnedMesh.prototype.normalizeSkinWeights;
THREE.SkinnedMesh.prototype.normalizeSkinWeights = () => {};
THREE.Cache.enabled = true;

const kFractions = [0, 0.21, 0.5, 0.77, 1];
const kTriangles = 4;

// Reads the JSON of a file, puts its buffers in the loader's cache, and removes everything with an image.
function open(file) {
  const bytes = fs.readFileSync(file);
  let json = bytes;
  let binary = null;
  if (bytes.toString('latin1', 0, 4) === 'glTF') {
    const length = bytes.readUInt32LE(12);
    json = bytes.subarray(20, 20 + length);
    if (bytes.length > 28 + length) binary = bytes.subarray(28 + length);
  }
  const document = JSON.parse(json.toString('utf8'));
  (document.buffers ?? []).forEach((buffer, i) => {
    let data = binary;
    if (buffer.uri?.startsWith('data:')) data = Buffer.from(buffer.uri.slice(buffer.uri.indexOf(',') + 1), 'base64');
    else if (buffer.uri) data = fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(buffer.uri)));
    buffer.uri = `${file}#${i}`;
    const copy = new Uint8Array(data).buffer;
    THREE.Cache.add(buffer.uri, copy);
  });
  for (const key of ['images', 'textures', 'samplers', 'materials']) delete document[key];
  for (const mesh of document.meshes ?? []) {
    for (const primitive of mesh.primitives) {
      delete primitive.material;
      delete primitive.extensions;
    }
  }
  return document;
}

// Returns nodes depth first, as a list.
function walk(document, roots) {
  const order = [];
  const pending = [...roots].reverse();
  while (pending.length > 0) {
    const node = pending.pop();
    order.push(node);
    pending.push(...(document.nodes[node].children ?? []).slice().reverse());
  }
  return order;
}

const childrenOf = (document) => new Set(document.nodes.flatMap((node) => node.children ?? []));

// Returns the three.js meshes of a node, one for each primitive that has vertices of its own.
async function primitivesOf(gltf, document, node) {
  const object = await gltf.parser.getDependency('node', node);
  const isPrimitive = (child) => child.isMesh && !('nodes' in (gltf.parser.associations.get(child) ?? {}));
  const meshes = object.isMesh ? [object] : object.children.filter(isPrimitive);
  const seen = new Set();
  return document.meshes[document.nodes[node].mesh].primitives
    .map((primitive, i) => ({ primitive, mesh: meshes[i] }))
    .filter(({ primitive }) => {
      const attributes = JSON.stringify(Object.entries(primitive.attributes).sort());
      const keep = (primitive.mode ?? kTriangles) >= kTriangles && !seen.has(attributes);
      seen.add(attributes);
      return keep;
    })
    .map(({ mesh }) => mesh);
}

// Returns the number of sets JOINTS_n of a geometry, and its weights as the file has them.
function weightsOf(mesh) {
  const attributes = mesh.geometry.attributes;
  const sets = [];
  if (mesh.isSkinnedMesh && attributes.skinIndex) {
    sets.push({ joints: attributes.skinIndex, weights: attributes.skinWeight });
  }
  while (attributes[`joints_${sets.length}`]) {
    sets.push({ joints: attributes[`joints_${sets.length}`], weights: attributes[`weights_${sets.length}`] });
  }
  return sets;
}

const total = ({ weights }, v) => weights.getX(v) + weights.getY(v) + weights.getZ(v) + weights.getW(v);

// SkinnedMesh.getVertexPosition reads only one set. Computes the same sum over all sets, with three.js's bones and
// inverses.
function blendAllSets(mesh, sets, v, target) {
  const rest = new THREE.Vector3().fromBufferAttribute(mesh.geometry.attributes.position, v);
  const sum = sets.reduce((whole, set) => whole + total(set, v), 0);
  target.set(0, 0, 0);
  for (const { joints, weights } of sets) {
    for (let c = 0; c < 4; ++c) {
      const weight = weights.getComponent(v, c) / sum;
      if (weight === 0) continue;
      const joint = joints.getComponent(v, c);
      const moved = rest.clone().applyMatrix4(mesh.skeleton.boneInverses[joint]);
      target.addScaledVector(moved.applyMatrix4(mesh.skeleton.bones[joint].matrixWorld), weight);
    }
  }
}

// three.js uses rotation keys as they are: those of SimpleSkin, (0, 0, 0.707, 0.707), are 2e-4 short of unit length and
// would shrink the joint. glTF requires unit quaternions, so Pelt normalises them; normalise them here too, so that
// everything else can be compared. (Both normalise cubic splines when sampling.)
function normalizeRotationKeys(clip) {
  for (const track of clip.tracks) {
    if (track.ValueTypeName !== 'quaternion') continue;
    if (track.createInterpolant.isInterpolantFactoryMethodGLTFCubicSpline) continue;
    track.values = track.values.slice();
    const q = new THREE.Quaternion();
    for (let i = 0; i < track.values.length; i += 4) q.fromArray(track.values, i).normalize().toArray(track.values, i);
  }
}

async function skin(file, out) {
  const document = open(file);
  const loader = new GLTFLoader();
  const gltf = await new Promise((resolve, reject) => loader.parse(JSON.stringify(document), '', resolve, reject));
  const scene = gltf.scene;

  const children = childrenOf(document);
  const roots = document.nodes.map((_, i) => i).filter((i) => !children.has(i));
  const shown = new Set(walk(document, document.scenes ? document.scenes[document.scene ?? 0].nodes : roots));
  const meshes = [];
  for (const node of walk(document, roots)) {
    if (document.nodes[node].mesh === undefined || !shown.has(node)) continue;
    const primitives = await primitivesOf(gltf, document, node);
    const countOf = (mesh) => mesh.geometry.attributes.position.count;
    meshes.push(primitives.map((mesh) => ({ mesh, sets: weightsOf(mesh), count: countOf(mesh) })));
  }

  const description = { meshes: [], samples: [] };
  for (const primitives of meshes) {
    const unweighted = [];
    let first = 0;
    for (const { mesh, sets, count } of primitives) {
      for (let v = 0; v < count && mesh.isSkinnedMesh; ++v) {
        if (sets.reduce((whole, set) => whole + total(set, v), 0) === 0) unweighted.push(first + v);
      }
      if (sets.length === 1) normalizeSkinWeights.call(mesh);
      first += count;
    }
    const most = Math.max(...primitives.map(({ sets }) => sets.length));
    description.meshes.push({ vertices: first, sets: most, unweighted });
  }

  const stream = fs.openSync(`${out}.f32`, 'w');
  const point = new THREE.Vector3();
  const write = (clip, time) => {
    scene.updateMatrixWorld(true);
    description.samples.push({ clip, time });
    for (const primitives of meshes) {
      for (const { mesh, sets, count } of primitives) {
        const positions = new Float32Array(3 * count);
        for (let v = 0; v < count; ++v) {
          if (sets.length > 1) {
            blendAllSets(mesh, sets, v, point);
          } else {
            // In the space of the mesh's node, also if the mesh is skinned.
            mesh.getVertexPosition(v, point);
            point.applyMatrix4(mesh.matrixWorld);
          }
          point.toArray(positions, 3 * v);
        }
        fs.writeSync(stream, positions);
      }
    }
  };

  write(null, 0);
  const mixer = new THREE.AnimationMixer(scene);
  gltf.animations.forEach((clip, i) => {
    normalizeRotationKeys(clip);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce, 1);
    action.clampWhenFinished = true;
    for (const fraction of kFractions) {
      const time = Math.fround(fraction * clip.duration);
      action.reset().play();
      action.time = time;
      mixer.update(0);
      write(i, time);
    }
    mixer.stopAllAction();
  });
  fs.closeSync(stream);
  return description;
}

const [out, ...files] = process.argv.slice(2);
fs.mkdirSync(out, { recursive: true });
for (const [i, file] of files.entries()) {
  const target = path.join(out, String(i));
  let description;
  try {
    description = await skin(file, target);
  } catch (error) {
    description = { error: String(error) };
  }
  fs.writeFileSync(`${target}.json`, JSON.stringify(description));
}
