// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Lines, dots and solids: wire, bones, joints and what overlays bring.

import * as THREE from 'three';
import { dotFragment, dotVertex, lineFragment, lineVertex, solidFragment, solidVertex } from './shaders';
import { shared } from './studio';

export type Rgba = [number, number, number, number];

/// Lines from pairs of points, `width` pixels wide. `lift` draws them nearer to the eye by that share of the distance.
export function lines(heads: Float32Array, tails: Float32Array, color: Rgba, width: number, lift = 0): THREE.Object3D {
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0], 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  geometry.setAttribute('head', new THREE.InstancedBufferAttribute(heads, 3));
  geometry.setAttribute('tail', new THREE.InstancedBufferAttribute(tails, 3));
  geometry.instanceCount = heads.length / 3;
  return whole(new THREE.Mesh(geometry, material(lineVertex, lineFragment, {
    color: { value: new THREE.Vector4(...color) }, width: { value: width }, lift: { value: lift }, viewport: shared.viewport,
  })));
}

/// The two ends of lines given as xyz xyz.
export function split(pairs: Float32Array): [Float32Array, Float32Array] {
  const heads = new Float32Array(pairs.length / 2);
  const tails = new Float32Array(pairs.length / 2);
  for (let i = 0; i < heads.length; ++i) {
    const at = Math.floor(i / 3) * 6 + (i % 3);
    heads[i] = pairs[at];
    tails[i] = pairs[at + 3];
  }
  return [heads, tails];
}

/// Round dots; colour and radius in pixels per point.
export function dots(positions: Float32Array, colors: Rgba[], radii: number[]): THREE.Object3D {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute('tint', new THREE.Float32BufferAttribute(colors.flat(), 4));
  geometry.setAttribute('radius', new THREE.Float32BufferAttribute(radii, 1));
  return whole(new THREE.Points(geometry, material(dotVertex, dotFragment, {})));
}

/// Triangles, flat and lit from the eye; nine numbers and one colour each.
export function solids(positions: Float32Array, colors: Rgba[]): THREE.Object3D {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
  const tint = new Float32Array((positions.length / 3) * 4);
  colors.forEach((color, i) => {
    for (let k = 0; k < 3; ++k) tint.set(color, (i * 3 + k) * 4);
  });
  geometry.setAttribute('tint', new THREE.BufferAttribute(tint, 4));
  return whole(new THREE.Mesh(geometry, material(solidVertex, solidFragment, {})));
}

/// A bone as an octahedron: a point at the joint, widest at a fifth of the way, a point at the child.
export function octahedron(head: THREE.Vector3, tail: THREE.Vector3, widest: number, out: number[]): number {
  const along = tail.clone().sub(head);
  const length = along.length();
  along.normalize();
  const helper = Math.abs(along.y) < 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(0, 0, 1);
  const radius = Math.min(0.085 * length, widest);
  const side = helper.cross(along).normalize();
  const other = along.clone().cross(side);
  const ring = [0, 1, 2, 3].map((k) => head.clone().addScaledVector(along, Math.min(0.2 * length, 2.5 * widest))
    .addScaledVector(side, radius * Math.cos((k * Math.PI) / 2)).addScaledVector(other, radius * Math.sin((k * Math.PI) / 2)));
  for (let k = 0; k < 4; ++k) {
    const a = ring[k];
    const b = ring[(k + 1) % 4];
    for (const p of [head, b, a, tail, a, b]) out.push(p.x, p.y, p.z);
  }
  return 8;
}

function material(vertexShader: string, fragmentShader: string, uniforms: Record<string, THREE.IUniform>) {
  return new THREE.ShaderMaterial({
    glslVersion: THREE.GLSL3, vertexShader, fragmentShader, side: THREE.DoubleSide, uniforms: { ...uniforms, passShare: shared.passShare },
  });
}

function whole<T extends THREE.Object3D>(object: T): T {
  object.frustumCulled = false;
  return object;
}
