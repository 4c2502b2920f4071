// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The ground: a grid of metres, a soft shadow, the way the character faces, and a person's height to compare with.

import * as THREE from 'three';

function discTexture(): THREE.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d')!;
  const gradient = context.createRadialGradient(32, 32, 2, 32, 32, 32);
  gradient.addColorStop(0, 'rgba(0,0,0,0.42)');
  gradient.addColorStop(0.5, 'rgba(0,0,0,0.16)');
  gradient.addColorStop(1, 'rgba(0,0,0,0)');
  context.fillStyle = gradient;
  context.fillRect(0, 0, 64, 64);
  return new THREE.CanvasTexture(canvas);
}

export class Ground {
  readonly group = new THREE.Group();
  private readonly shadow: THREE.Mesh;
  private readonly lines: THREE.LineSegments<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private readonly arrow: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly ruler: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>;

  constructor() {
    this.shadow = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.MeshBasicMaterial({ map: discTexture(), transparent: true, depthWrite: false }));
    this.shadow.rotation.x = -Math.PI / 2;
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader: 'out vec2 place; void main() { place = position.xz; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
      // Lines fade out, so that the ground has no edge.
      fragmentShader: 'precision highp float; uniform vec3 ink; uniform vec3 middle; in vec2 place; out vec4 result; void main() { result = vec4(ink, 0.6 * max(0.0, 1.0 - distance(place, middle.xy) / middle.z)); }',
      uniforms: { ink: { value: new THREE.Color() }, middle: { value: new THREE.Vector3() } },
      transparent: true,
      depthWrite: false,
    }));
    const shape = new THREE.BufferGeometry();
    shape.setAttribute('position', new THREE.BufferAttribute(new Float32Array([-0.5, 0, 0, 0.5, 0, 0, 0, 0, 1]), 3));
    this.arrow = new THREE.Mesh(shape, new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.6, side: THREE.DoubleSide }));
    this.ruler = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.7 }));
    this.group.add(this.lines, this.shadow, this.arrow, this.ruler);
    this.group.traverse((node) => {
      node.frustumCulled = false;
      node.renderOrder = -5;
    });
  }

  fit(lower: THREE.Vector3, upper: THREE.Vector3, facing: THREE.Vector3, dark: boolean) {
    const size = upper.clone().sub(lower).length();
    const step = size < 0.4 ? 0.1 : size < 30 ? 1 : 10 ** Math.round(Math.log10(size / 4));
    const count = Math.max(4, Math.min(20, Math.ceil((2 * size) / step)));
    const middle = [Math.round((lower.x + upper.x) / 2 / step) * step, lower.y, Math.round((lower.z + upper.z) / 2 / step) * step];
    const points: number[] = [];
    const reach = count * step;
    for (let i = -count; i <= count; ++i) {
      points.push(middle[0] + i * step, middle[1], middle[2] - reach, middle[0] + i * step, middle[1], middle[2] + reach);
      points.push(middle[0] - reach, middle[1], middle[2] + i * step, middle[0] + reach, middle[1], middle[2] + i * step);
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(points), 3));
    const { ink, middle: place } = this.lines.material.uniforms;
    // The shader writes what a screen shows.
    (ink.value as THREE.Color).set(dark ? 0x55606d : 0x8a95a1).convertLinearToSRGB();
    (place.value as THREE.Vector3).set(middle[0], middle[2], reach);
    this.shadow.position.set((lower.x + upper.x) / 2, lower.y + 1e-3 * size, (lower.z + upper.z) / 2);
    this.shadow.scale.set(0.75 * Math.max(upper.x - lower.x, 0.3 * size), 1.6 * Math.max(upper.z - lower.z, 0.3 * size), 1);
    const heading = Math.atan2(facing.x, facing.z);
    const front = Math.abs(Math.sin(heading)) * 0.5 * (upper.x - lower.x) + Math.abs(Math.cos(heading)) * 0.5 * (upper.z - lower.z) + 0.1 * size;
    this.arrow.position.set((lower.x + upper.x) / 2 + front * Math.sin(heading), lower.y + 2e-3 * size, (lower.z + upper.z) / 2 + front * Math.cos(heading));
    this.arrow.rotation.y = heading;
    this.arrow.scale.setScalar(0.07 * size);
    this.arrow.material.color.set(dark ? 0x8894a3 : 0x6b7682);
    // A person's height, where that is a measure at all.
    const show = size > 0.4 && size < 30;
    this.ruler.visible = show;
    const x = upper.x + 0.12 * size;
    const z = (lower.z + upper.z) / 2;
    const marks: number[] = [x, lower.y, z, x, lower.y + 1.8, z];
    for (let h = 0; h <= 1.801; h += 0.2) marks.push(x, lower.y + h, z, x + (h % 1 < 0.01 || h > 1.79 ? 0.06 : 0.03), lower.y + h, z);
    this.ruler.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(marks), 3));
    this.ruler.material.color.set(dark ? 0x8894a3 : 0x6b7682);
  }
}
