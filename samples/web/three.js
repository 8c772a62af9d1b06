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

// Finds objects by the names that the character gives to nodes of the file.
class SceneNodes {
  constructor(gltf) {
    const { json, associations } = gltf.parser;
    const objects = [];  // of each node
    const primitives = new Map();  // node -> its meshes in order
    gltf.scene.traverse((object) => {
      const { nodes, primitives: primitive } = associations.get(object) ?? {};
      if (nodes !== undefined) objects[nodes] ??= object;
      if (object.isMesh && primitive !== undefined) {
        const node = nodes ?? associations.get(object.parent)?.nodes;
        if (!primitives.has(node)) primitives.set(node, []);
        primitives.get(node)[primitive] = object;
      }
    });
    this.joints = new Map();
    this.meshes = new Map();
    const [jointNames, meshNames] = [new Set(), new Set()];
    for (const i of nodesInOrder(json)) {
      const node = json.nodes[i];
      this.joints.set(claim(jointNames, node.name || `node_${i}`), objects[i]);
      if (node.mesh === undefined) continue;
      const name = claim(meshNames, node.name || json.meshes[node.mesh].name || `mesh_${node.mesh}`);
      this.meshes.set(name, (primitives.get(i) ?? []).filter((mesh) => mesh !== undefined));
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
      const [x, y, z] = [array[i], array[i + 1], array[i + 2]];
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
  #joints;
  #skins = [];  // { mesh, sources, meshes, positions, normals, tangents }
  #inverse = new Matrix4();
  #matrix = new Matrix4();

  constructor(gltf, character, options = {}) {
    const scene = new SceneNodes(gltf);
    this.#root = gltf.scene;
    this.character = character;
    this.#joints = character.joints.map(({ name }) => scene.joints.get(name) ??
      fail(`${character.name}: the scene has no node '${name}': was another file bound?`));
    const shown = character.meshes.filter((mesh) => !mesh.control);
    const hasTangents = shown.some(({ name }) => scene.meshes.get(name)?.some((mesh) => mesh.geometry.attributes.tangent));
    this.instance = character.instance({ tangents: hasTangents, ...options });
    for (const mesh of shown) this.#add(mesh, scene.meshes.get(mesh.name) ?? []);
    this.meshes = this.#skins.flatMap((skin) => skin.meshes);
    this.linearBlend = false;
    this.update();
  }

  #add(mesh, sources) {
    const counts = sources.map((source) => source.geometry.attributes.position.count);
    const count = counts.reduce((sum, each) => sum + each, 0);
    if (count !== mesh.vertexCount) {
      fail(`${this.character.name}: mesh '${mesh.name}' has ${mesh.vertexCount} vertices, and ${count} in the scene`);
    }
    const skin = { mesh, sources };
    const { positions, normals, tangents } = this.instance;
    for (const [name, values, width] of [['positions', positions, 3], ['normals', normals, 3], ['tangents', tangents, 4]]) {
      if (values) skin[name] = new Float32Array(width * count);
    }
    let first = 0;
    skin.meshes = sources.map((source, i) => {
      const part = (values, width) => values?.subarray(width * first, width * (first + counts[i]));
      const made = new PeltMesh(source, part(skin.positions, 3), part(skin.normals, 3), part(skin.tangents, 4));
      first += counts[i];
      this.#root.add(made);
      return made;
    });
    // Controls of morph targets that this mesh's influences set.
    skin.morphs = this.character.controls.filter(({ kind, mesh: of }) => kind === 'morph' && of === mesh.name);
    this.#skins.push(skin);
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
    this.#joints.forEach((joint, j) => {
      this.#matrix.multiplyMatrices(this.#inverse, joint.matrixWorld).toArray(joints, 16 * j);
    });
    for (const { morphs, sources } of this.#skins) {
      for (const { input, target } of morphs) inputs[input] = sources[0].morphTargetInfluences?.[target] ?? inputs[input];
    }
    instance.advance(seconds);
    const vertices = instance.deform();
    for (const skin of this.#skins) {
      for (const name of ['positions', 'normals', 'tangents']) {
        if (skin[name]) instance.toModelOrder(skin.mesh, vertices[name], skin[name]);
      }
      for (const mesh of skin.meshes) mesh.refresh();
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
