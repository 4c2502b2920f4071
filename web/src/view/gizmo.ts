// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Rings that rotate a joint, a ring that twists it, and a handle that pulls it (inverse kinematics). Rings are picked
/// on the screen, within 8 pixels. A ring that is seen from its edge follows the pointer along its tangent.

import * as THREE from 'three';
import { segmentDistance } from './pick';

export type Handle = 'x' | 'y' | 'z' | 'twist' | 'pull';
const handles: Handle[] = ['x', 'y', 'z', 'twist'];
const colors: Record<Handle, number> = { x: 0xf0524f, y: 0x6cc24a, z: 0x4a90f0, twist: 0xf5c542, pull: 0xffffff };
const pieces = 64;
const reach = 8;

export class Gizmo {
  readonly group = new THREE.Group();
  hot: Handle | null = null;
  private readonly rings = new Map<Handle, THREE.LineLoop<THREE.BufferGeometry, THREE.LineBasicMaterial>>();
  private readonly pull: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly axes = new Map<Handle, THREE.Vector3>();
  private readonly centre = new THREE.Vector3();
  private radius = 1;

  constructor() {
    for (const handle of handles) {
      const points = new Float32Array(3 * pieces);
      for (let i = 0; i < pieces; ++i) {
        points[3 * i] = Math.cos((2 * Math.PI * i) / pieces);
        points[3 * i + 1] = Math.sin((2 * Math.PI * i) / pieces);
      }
      const geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(points, 3));
      const ring = new THREE.LineLoop(geometry, new THREE.LineBasicMaterial({ color: colors[handle], depthTest: false, transparent: true }));
      ring.renderOrder = 20;
      ring.frustumCulled = false;
      this.rings.set(handle, ring);
      this.group.add(ring);
    }
    this.pull = new THREE.Mesh(new THREE.OctahedronGeometry(1), new THREE.MeshBasicMaterial({ color: colors.pull, depthTest: false, transparent: true }));
    this.pull.renderOrder = 21;
    this.pull.frustumCulled = false;
    this.group.add(this.pull);
    this.group.visible = false;
  }

  /// Puts it on a joint: rows of its matrix, and where its bone points.
  place(matrix: Float32Array, joint: number, bone: THREE.Vector3, camera: THREE.PerspectiveCamera, height: number) {
    const at = 12 * joint;
    this.centre.set(matrix[at + 3], matrix[at + 7], matrix[at + 11]);
    const distance = this.centre.distanceTo(camera.position);
    this.radius = (70 / height) * 2 * distance * Math.tan((camera.fov * Math.PI) / 360);
    (['x', 'y', 'z'] as const).forEach((handle, k) => {
      this.axes.set(handle, new THREE.Vector3(matrix[at + k], matrix[at + 4 + k], matrix[at + 8 + k]).normalize());
    });
    this.axes.set('twist', bone.clone().normalize());
    for (const [handle, ring] of this.rings) {
      ring.position.copy(this.centre);
      ring.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.axes.get(handle)!);
      ring.scale.setScalar(this.radius * (handle === 'twist' ? 1.28 : 1));
      ring.material.opacity = this.hot === null ? 0.85 : this.hot === handle ? 1 : 0.25;
    }
    this.pull.position.copy(this.centre);
    this.pull.scale.setScalar(0.09 * this.radius);
    this.pull.material.opacity = this.hot === null || this.hot === 'pull' ? 0.95 : 0.3;
    this.group.updateMatrixWorld(true);
    this.group.visible = true;
  }

  axis(handle: Handle): THREE.Vector3 {
    return this.axes.get(handle)!.clone();
  }

  get middle(): THREE.Vector3 {
    return this.centre.clone();
  }

  pick(x: number, y: number, project: (p: THREE.Vector3) => THREE.Vector2): Handle | null {
    if (!this.group.visible) return null;
    const middle = project(this.centre);
    if (Math.hypot(middle.x - x, middle.y - y) < reach) return 'pull';
    let best = reach;
    let found: Handle | null = null;
    for (const [handle, ring] of this.rings) {
      let last: THREE.Vector2 | null = null;
      for (let i = 0; i <= pieces; ++i) {
        const angle = (2 * Math.PI * i) / pieces;
        const at = project(new THREE.Vector3(Math.cos(angle), Math.sin(angle), 0).applyMatrix4(ring.matrixWorld));
        if (last) {
          const distance = segmentDistance(x, y, last.x, last.y, at.x, at.y);
          if (distance < best) {
            best = distance;
            found = handle;
          }
        }
        last = at;
      }
    }
    return found;
  }
}

/// Sums what a pointer does on a ring; any number of turns.
export class Turn {
  angle = 0;
  private readonly facing: number;
  private readonly tangent: THREE.Vector2 | null;
  private readonly pixelsPerRadian: number;
  private last: THREE.Vector2;

  constructor(readonly axis: THREE.Vector3, middle: THREE.Vector3, start: THREE.Vector2, eye: THREE.Vector3, project: (p: THREE.Vector3) => THREE.Vector2) {
    const towards = eye.clone().sub(middle).normalize();
    this.facing = axis.dot(towards);
    this.last = start.clone();
    this.middle = project(middle);
    const side = new THREE.Vector3().crossVectors(axis, towards).normalize();
    const tip = project(middle.clone().addScaledVector(side, 0.1));
    this.tangent = Math.abs(this.facing) < Math.sin((15 * Math.PI) / 180) ? tip.sub(this.middle).normalize() : null;
    this.pixelsPerRadian = 70;
  }

  private readonly middle: THREE.Vector2;

  move(to: THREE.Vector2): number {
    if (this.tangent) {
      // The near side of the ring moves along the tangent.
      this.angle += (to.clone().sub(this.last).dot(this.tangent) / this.pixelsPerRadian);
    } else {
      const before = Math.atan2(this.last.y - this.middle.y, this.last.x - this.middle.x);
      const after = Math.atan2(to.y - this.middle.y, to.x - this.middle.x);
      let step = after - before;
      if (step > Math.PI) step -= 2 * Math.PI;
      if (step < -Math.PI) step += 2 * Math.PI;
      // Angles on the screen grow clockwise.
      this.angle -= Math.sign(this.facing) * step;
    }
    this.last.copy(to);
    return this.angle;
  }
}
