// SPDX-License-Identifier: MIT
import type { Mesh, Object3D } from 'three';
import type { GLTF } from 'three/examples/jsm/loaders/GLTFLoader.js';
import type { Character, Instance, InstanceOptions } from './pelt.js';

/**
 * Shows what a SkinnedMesh or Mesh of a glTF scene shows, moved by Pelt. Its vertices are in the space of the scene's
 * root, to which it is added; material, shadows and visibility follow the source, which stays for its children, morph
 * target influences and animation, and is on no layer.
 */
export class PeltMesh extends Mesh {
  readonly source: Mesh;
}

/** All meshes of a character in a scene that GLTFLoader made of the file from which it was bound. */
export class PeltModel {
  constructor(gltf: GLTF, character: Character, options?: InstanceOptions);
  readonly character: Character;
  readonly instance: Instance;
  readonly meshes: readonly PeltMesh[];
  /** The scene's nodes of the character's joints, in its order. */
  readonly joints: readonly Object3D[];

  /** True: the scene shows the sources, moved by three.js, instead. */
  linearBlend: boolean;

  /**
   * Takes joints and morph target influences from the scene and moves the vertices: once per frame, after the
   * AnimationMixer. `seconds`: since the last frame, for secondary action.
   */
  update(seconds?: number): void;

  /** Shows the sources, and removes what was added. */
  dispose(): void;
}
