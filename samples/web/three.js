// SPDX-License-Identifier: MIT
// Shows characters with three.js. three.d.ts describes every function.
import { Box3, BufferAttribute, BufferGeometry, DynamicDrawUsage, Matrix4, Mesh, Sphere } from 'three';
import { PeltError } from './pelt.js';

const fail = (message) => {
  throw new PeltError('invalid_argument', message);
};

// Returns the scene's nodes of a glTF file in the order in which the character names them: by depth, parents first.
function nodesInOrder(json) {
  const nodes = json.nodes ?? [];
  const children = new Set(nodes.flatMap((node) => node.children ?? []));
  const roots = json.scenes?.[json.scene ?? 0]?.nodes ?? nodes.map((_, i) => i).filter((i) => !children.has(i));
  const order = [];
  const visit = (i) => {
    order.push(i);
    (nodes[i].children ?? []).forEach(visit);
  };
  roots.forEach(visit);
  return order;
}

// Makes names unique: "arm", "arm#2".
function claim(claimed, name) {
  let unique = name;
  for (let uses = 2; claimed.has(unique); ++uses) unique = `${name}#${uses}`;
  claimed.add(unique);
  return unique;
}

// Returns the index of the first vertex of each primitive, and how many there are. Primitives with the same data are
// parts of one set of vertices.
function verticesOf(primitives, accessors) {
  const known = new Map();
  let count = 0;
  const first = primitives.map(({ attributes, targets = [] }) => {
    const key = JSON.stringify([attributes, ...targets].map((set) => Object.entries(set).sort()));
    if (!known.has(key)) {
      known.set(key, count);
      count += accessors[attributes.POSITION]?.count ?? 0;
    }
    return known.get(key);
  });
  return { first, count };
}

// Finds the objects of a scene by the names that a character gives to nodes of the file.
class SceneNodes {
  constructor({ scene, parser: { json, associations } }) {
    const objects = [];  // of each node
    scene.traverse((object) => {
      const { nodes } = associations.get(object) ?? {};
      if (nodes !== undefined) objects[nodes] ??= object;
    });
    this.joints = new Map();
    this.meshes = new Map();  // { sources: the meshes of primitives, first: their first vertices, count }
    const [jointNames, meshNames] = [new Set(), new Set()];
    for (const i of nodesInOrder(json)) {
      const { name, mesh } = json.nodes[i];
      this.joints.set(claim(jointNames, name || `node_${i}`), objects[i]);
      if (mesh === undefined) continue;
      const { first, count } = verticesOf(json.meshes[mesh].primitives, json.accessors);
      const parts = [objects[i], ...(objects[i]?.children ?? [])].filter((object) => object?.isMesh &&
        associations.get(object)?.meshes === mesh && (associations.get(object).nodes ?? i) === i);
      this.meshes.set(claim(meshNames, name || json.meshes[mesh].name || `mesh_${mesh}`), {
        sources: parts, first: parts.map((object) => first[associations.get(object).primitives ?? 0]), count,
      });
    }
  }
}

export class PeltMesh extends Mesh {
  constructor(source, positions, normals, tangents) {
    const geometry = new BufferGeometry();
    for (const [name, attribute] of Object.entries(source.geometry.attributes)) {
      if (!/^(position|normal|tangent|skin)/.test(name)) geometry.setAttribute(name, attribute);
    }
    geometry.setIndex(source.geometry.index);
    for (const group of source.geometry.groups) geometry.addGroup(group.start, group.count, group.materialIndex);
    const add = (name, values, width) => {
      if (values) geometry.setAttribute(name, new BufferAttribute(values, width).setUsage(DynamicDrawUsage));
    };
    add('position', positions, 3);
    add('normal', normals, 3);
    if (source.geometry.attributes.tangent) add('tangent', tangents, 4);
    geometry.boundingBox = new Box3();
    geometry.boundingSphere = new Sphere();
    super(geometry, source.material);
    this.name = source.name;
    this.source = source;
    this.mask = source.layers.mask;
  }

  // Takes over what the user or an AnimationMixer changed on the source, and the vertices.
  refresh() {
    const { source, geometry } = this;
    this.visible = true;
    for (let node = source; node !== null && this.visible; node = node.parent) this.visible = node.visible;
    for (const name of ['material', 'castShadow', 'receiveShadow', 'renderOrder', 'customDepthMaterial',
      'customDistanceMaterial']) {
      if (this[name] !== source[name]) this[name] = source[name];
    }
    for (const name of ['position', 'normal', 'tangent']) {
      if (geometry.attributes[name]) geometry.attributes[name].needsUpdate = true;
    }
    const { array } = geometry.attributes.position;
    const { min, max } = geometry.boundingBox.makeEmpty();
    for (let i = 0; i < array.length; i += 3) {
      const x = array[i];
      const y = array[i + 1];
      const z = array[i + 2];
      if (x < min.x) min.x = x;
      if (x > max.x) max.x = x;
      if (y < min.y) min.y = y;
      if (y > max.y) max.y = y;
      if (z < min.z) min.z = z;
      if (z > max.z) max.z = z;
    }
    geometry.boundingBox.getBoundingSphere(geometry.boundingSphere);
  }
}

export class PeltModel {
  #root;
  #skins;
  #inverse = new Matrix4();
  #matrix = new Matrix4();

  constructor(gltf, character, options = {}) {
    const scene = new SceneNodes(gltf);
    this.#root = gltf.scene;
    this.character = character;
    this.joints = character.joints.map(({ name }) => scene.joints.get(name) ??
      fail(`${character.name}: the scene has no node '${name}': was another file bound?`));
    const skins = character.meshes.filter((mesh) => !mesh.control).map((mesh) => {
      const found = scene.meshes.get(mesh.name);
      if (found?.count === mesh.vertexCount) return { mesh, ...found };
      return fail(`${character.name}: mesh '${mesh.name}' has ${mesh.vertexCount} vertices, and ${found?.count ?? 'none'} in the scene`);
    });
    const tangents = skins.some(({ sources }) => sources.some((source) => source.geometry.attributes.tangent));
    this.instance = character.instance({ tangents, ...options });
    this.#skins = skins.map((skin) => this.#add(skin));
    this.meshes = this.#skins.flatMap((skin) => skin.meshes);
    this.linearBlend = false;
    this.update();
  }

  // Makes the meshes of a skin, whose arrays are parts of its arrays in the model's order.
  #add(skin) {
    const made = { ...skin, arrays: {} };
    for (const [name, width] of [['positions', 3], ['normals', 3], ['tangents', 4]]) {
      if (this.instance[name]) made.arrays[name] = new Float32Array(width * skin.count);
    }
    const part = (name, first, count) => {
      const width = made.arrays[name]?.length / skin.count;
      return made.arrays[name]?.subarray(width * first, width * (first + count));
    };
    made.meshes = skin.sources.map((source, i) => {
      const { count } = source.geometry.attributes.position;
      const mesh = new PeltMesh(source, ...['positions', 'normals', 'tangents'].map((name) => part(name, skin.first[i], count)));
      this.#root.add(mesh);
      return mesh;
    });
    // The controls that the influences of the sources set.
    made.morphs = this.character.controls.filter(({ kind, mesh }) => kind === 'morph' && mesh === skin.mesh.name);
    return made;
  }

  get linearBlend() {
    return this.shown === 'linear blend';
  }

  set linearBlend(linear) {
    this.shown = linear ? 'linear blend' : 'pelt';
    for (const { source, layers, mask } of this.meshes) {
      source.layers.mask = linear ? mask : 0;
      layers.mask = linear ? 0 : mask;
    }
  }

  update(seconds = 0) {
    const { instance } = this;
    this.#root.updateWorldMatrix(true, true);
    this.#inverse.copy(this.#root.matrixWorld).invert();
    const { joints, inputs } = instance;
    this.joints.forEach((joint, j) => {
      this.#matrix.multiplyMatrices(this.#inverse, joint.matrixWorld).toArray(joints, 16 * j);
    });
    for (const { morphs, sources } of this.#skins) {
      const weights = sources[0]?.morphTargetInfluences ?? [];
      for (const { input, target } of morphs) inputs[input] = weights[target] ?? inputs[input];
    }
    instance.advance(seconds);
    const vertices = instance.deform();
    for (const { mesh, arrays, meshes } of this.#skins) {
      for (const name of Object.keys(arrays)) instance.toModelOrder(mesh, vertices[name], arrays[name]);
      for (const each of meshes) each.refresh();
    }
  }

  dispose() {
    for (const mesh of this.meshes) {
      mesh.source.layers.mask = mesh.mask;
      mesh.removeFromParent();
      mesh.geometry.dispose();
    }
    this.instance.dispose();
  }
}
