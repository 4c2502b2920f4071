// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// One character: its meshes, skeleton and clips, and poses of single joints.

import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { bytesOf, type Check, type Model } from './data';

export class Character {
  readonly clips: THREE.AnimationClip[];
  readonly box = new THREE.Box3();
  private readonly mixer: THREE.AnimationMixer;
  private readonly skeleton: THREE.SkeletonHelper;
  private readonly rest = new Map<THREE.Object3D, THREE.Matrix4>();
  private action: THREE.AnimationAction | null = null;

  private constructor(
    readonly root: THREE.Group,
    clips: THREE.AnimationClip[],
  ) {
    this.clips = clips;
    this.mixer = new THREE.AnimationMixer(root);
    this.skeleton = new THREE.SkeletonHelper(root);
    this.skeleton.visible = false;
    const material = this.skeleton.material as THREE.LineBasicMaterial;
    material.depthTest = false;
    root.traverse((node) => {
      node.frustumCulled = false;
      this.rest.set(node, node.matrix.clone());
    });
    root.updateMatrixWorld(true);
    this.box.setFromObject(root, true);
  }

  static async load(model: Model): Promise<Character> {
    const loader = new GLTFLoader();
    loader.setMeshoptDecoder(MeshoptDecoder);
    const gltf = await loader.parseAsync(bytesOf(model.glb), '');
    gltf.scene.traverse((node) => {
      node.updateMatrix();
      if (node instanceof THREE.Mesh) node.castShadow = node.receiveShadow = true;
    });
    return new Character(gltf.scene, gltf.animations);
  }

  addTo(scene: THREE.Scene) {
    scene.add(this.root, this.skeleton);
  }

  triangles(): number {
    let count = 0;
    this.root.traverse((node) => {
      if (!(node instanceof THREE.Mesh)) return;
      const geometry = node.geometry as THREE.BufferGeometry;
      count += (geometry.index?.count ?? geometry.attributes.position.count) / 3;
    });
    return count;
  }

  show(skeleton: boolean, wire: boolean) {
    this.skeleton.visible = skeleton;
    this.root.traverse((node) => {
      if (!(node instanceof THREE.Mesh)) return;
      for (const material of Array.isArray(node.material) ? node.material : [node.material]) {
        if ('wireframe' in material) material.wireframe = wire;
        material.transparent = material.transparent || skeleton;
        material.opacity = skeleton ? 0.55 : 1;
        material.needsUpdate = true;
      }
    });
  }

  /// The rest pose.
  reset() {
    this.action?.stop();
    this.action = null;
    for (const [node, matrix] of this.rest) matrix.decompose(node.position, node.quaternion, node.scale);
    this.root.updateMatrixWorld(true);
  }

  /// A clip by its number at a time; returns its duration.
  playAt(clip: number, time: number): number {
    const wanted = this.clips[clip];
    if (!wanted) return 0;
    if (this.action?.getClip() !== wanted) {
      this.reset();
      this.action = this.mixer.clipAction(wanted);
      this.action.play();
    }
    this.mixer.setTime(wanted.duration > 0 ? time % wanted.duration : 0);
    this.root.updateMatrixWorld(true);
    return wanted.duration;
  }

  /// Turns one joint in model space, as the check that found a fault did.
  turn(pose: NonNullable<Check['pose']>) {
    this.reset();
    const joint = this.root.getObjectByName(THREE.PropertyBinding.sanitizeNodeName(pose.joint));
    if (!joint?.parent) return;
    const parent = joint.parent.getWorldQuaternion(new THREE.Quaternion());
    const axis = new THREE.Vector3(...pose.axis).applyQuaternion(parent.clone().invert()).normalize();
    joint.quaternion.premultiply(new THREE.Quaternion().setFromAxisAngle(axis, (pose.degrees * Math.PI) / 180));
    this.root.updateMatrixWorld(true);
  }
}
