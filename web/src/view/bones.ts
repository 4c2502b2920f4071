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
  private readonly axes: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly ends: [number, number][] = [];
  private readonly hidden = new Set<number>();

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
    const lines = new THREE.BufferGeometry();
    lines.setAttribute('position', new THREE.BufferAttribute(new Float32Array(18 * joints.length), 3).setUsage(THREE.DynamicDrawUsage));
    const colors = [0xf0524f, 0x6cc24a, 0x4a90f0].flatMap((color) => { const { r, g, b } = new THREE.Color(color); return [r, g, b, r, g, b]; });
    lines.setAttribute('color', new THREE.BufferAttribute(new Float32Array(joints.flatMap(() => colors)), 3));
    this.axes = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
    this.axes.renderOrder = 12;
    this.axes.frustumCulled = false;
    this.axes.visible = false;
    this.group.add(this.bones, this.dots, this.axes);
  }

  shown(joint: number): boolean {
    return this.joints[joint].deforming && !this.hidden.has(joint);
  }

  /// Bones of these joints are not drawn.
  hide(joints: ReadonlySet<number>) {
    this.hidden.clear();
    for (const joint of joints) this.hidden.add(joint);
  }

  /// What is drawn; picking needs the bones.
  show(bones: boolean, axes: boolean) {
    this.bones.visible = this.dots.visible = bones;
    this.axes.visible = axes;
    this.group.visible = bones || axes;
  }

  get drawn(): boolean {
    return this.bones.visible && this.group.visible;
  }

  /// The x, y and z axes of each joint: red, green and blue.
  private placeAxes(matrices: Float32Array, eye: THREE.Vector3) {
    const position = this.axes.geometry.attributes.position as THREE.BufferAttribute;
    this.places.forEach((place, i) => {
      // Those of fingers are as short as their bones.
      const parent = this.joints[i].parent;
      const bone = parent >= 0 ? place.distanceTo(this.places[parent]) : 0;
      const most = 0.035 * place.distanceTo(eye);
      const length = !this.shown(i) ? 0 : bone > 0.05 * most ? Math.min(most, 0.7 * bone) : most;
      for (let k = 0; k < 3; ++k) {
        const along = new THREE.Vector3(matrices[12 * i + k], matrices[12 * i + 4 + k], matrices[12 * i + 8 + k]).setLength(length);
        position.setXYZ(6 * i + 2 * k, place.x, place.y, place.z);
        position.setXYZ(6 * i + 2 * k + 1, place.x + along.x, place.y + along.y, place.z + along.z);
      }
    });
    position.needsUpdate = true;
  }

  /// `chosen` and `group` are marked; joints of `moved` are where a drag puts them.
  update(matrices: Float32Array, chosen: number, group: ReadonlySet<number>, eye: THREE.Vector3, moved: ReadonlyMap<number, THREE.Vector3>) {
    const up = new THREE.Vector3(0, 1, 0);
    const q = new THREE.Quaternion();
    const m = new THREE.Matrix4();
    this.places.forEach((place, i) => place.set(matrices[12 * i + 3], matrices[12 * i + 7], matrices[12 * i + 11]));
    for (const [joint, place] of moved) this.places[joint].copy(place);
    if (!this.group.visible) return;
    this.ends.forEach(([from, to], i) => {
      const along = this.places[to].clone().sub(this.places[from]);
      const length = along.length();
      q.setFromUnitVectors(up, along.normalize());
      const width = this.shown(from) && this.shown(to) ? Math.min(length, 0.1 * this.size) : 0;
      m.compose(this.places[from], q, new THREE.Vector3(width, width > 0 ? length : 0, width));
      this.bones.setMatrixAt(i, m);
      this.bones.setColorAt(i, from === chosen || group.has(from) ? picked : plain);
    });
    this.joints.forEach((joint, i) => {
      const marked = i === chosen || group.has(i);
      const radius = this.shown(i) ? (marked ? 0.0062 : 0.0038) * this.places[i].distanceTo(eye) * 0.55 : 0;
      m.makeScale(radius, radius, radius).setPosition(this.places[i]);
      this.dots.setMatrixAt(i, m);
      const unsure = joint.confidence !== undefined && joint.confidence < 0.8;
      this.dots.setColorAt(i, marked ? picked : unsure ? doubtful : joint.vertices > 0 ? plain : idle);
    });
    if (this.axes.visible) this.placeAxes(matrices, eye);
    for (const mesh of [this.bones, this.dots]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  dispose() {
    this.bones.dispose();
    this.dots.dispose();
    this.axes.geometry.dispose();
  }
}
