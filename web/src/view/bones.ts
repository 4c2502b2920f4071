// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The skeleton, drawn through the skin: an octahedron for each bone, a dot for each joint.

import * as THREE from 'three';
import type { Joint } from '../studio/store';

const plain = new THREE.Color(0xe8a33c);
const idle = new THREE.Color(0x7b8694);
const picked = new THREE.Color(0xff5a36);
const doubtful = new THREE.Color(0xff3d7f);

function octahedron(): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  const w = 0.09;
  const corners = [[0, 0, 0], [w, 0.16, 0], [0, 0.16, w], [-w, 0.16, 0], [0, 0.16, -w], [0, 1, 0]];
  const faces = [0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 5, 2, 1, 5, 3, 2, 5, 4, 3, 5, 1, 4];
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(faces.flatMap((i) => corners[i])), 3));
  geometry.computeVertexNormals();
  return geometry;
}

export class Bones {
  readonly group = new THREE.Group();
  readonly places: THREE.Vector3[] = [];
  private readonly bones: THREE.InstancedMesh;
  private readonly dots: THREE.InstancedMesh;
  private readonly ends: [number, number][] = [];

  constructor(private readonly joints: Joint[], private readonly size: number) {
    joints.forEach((joint, i) => {
      this.places.push(new THREE.Vector3());
      if (joint.parent >= 0 && joints[joint.parent].deforming && joint.deforming) this.ends.push([joint.parent, i]);
    });
    const material = () => new THREE.MeshLambertMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
    this.bones = new THREE.InstancedMesh(octahedron(), material(), Math.max(1, this.ends.length));
    this.dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 10, 6), material(), Math.max(1, joints.length));
    this.bones.count = this.ends.length;
    this.dots.count = joints.length;
    this.bones.renderOrder = 10;
    this.dots.renderOrder = 11;
    this.bones.frustumCulled = this.dots.frustumCulled = false;
    this.group.add(this.bones, this.dots);
  }

  shown(joint: number): boolean {
    return this.joints[joint].deforming;
  }

  update(matrices: Float32Array, chosen: number, eye: THREE.Vector3, moved: { joint: number; place: THREE.Vector3 } | null) {
    const up = new THREE.Vector3(0, 1, 0);
    const q = new THREE.Quaternion();
    const m = new THREE.Matrix4();
    this.places.forEach((place, i) => place.set(matrices[12 * i + 3], matrices[12 * i + 7], matrices[12 * i + 11]));
    if (moved) this.places[moved.joint].copy(moved.place);
    if (!this.group.visible) return;
    this.ends.forEach(([from, to], i) => {
      const along = this.places[to].clone().sub(this.places[from]);
      const length = along.length();
      q.setFromUnitVectors(up, along.normalize());
      const width = Math.min(length, 0.1 * this.size);
      m.compose(this.places[from], q, new THREE.Vector3(width, length, width));
      this.bones.setMatrixAt(i, m);
      this.bones.setColorAt(i, from === chosen ? picked : plain);
    });
    this.joints.forEach((joint, i) => {
      const radius = joint.deforming ? (i === chosen ? 0.0062 : 0.0038) * this.places[i].distanceTo(eye) * 0.55 : 0;
      m.makeScale(radius, radius, radius).setPosition(this.places[i]);
      this.dots.setMatrixAt(i, m);
      const unsure = joint.confidence !== undefined && joint.confidence < 0.8;
      this.dots.setColorAt(i, i === chosen ? picked : unsure ? doubtful : joint.vertices > 0 ? plain : idle);
    });
    for (const mesh of [this.bones, this.dots]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  dispose() {
    this.bones.dispose();
    this.dots.dispose();
  }
}
