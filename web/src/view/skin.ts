// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// One surface of the studio: arrays of the program become attributes without a copy.

import * as THREE from 'three';
import { coarsen } from './coarse';
import type { Material, SceneInfo } from '../studio/store';
import { headBytes, type Head } from '../studio/link';

const vertexShader = `
in vec4 tint;
in float field;
out vec3 vNormal;
out vec3 vView;
out vec2 vUv;
out vec4 vTint;
out float vField;
flat out float vCategory;
void main() {
  vec4 view = modelViewMatrix * vec4(position, 1.0);
  vNormal = normalMatrix * normal;
  vView = -view.xyz;
  vUv = uv;
  vTint = tint;
  vField = field;
  vCategory = field;
  gl_Position = projectionMatrix * view;
}`;

// Colours of a share: cividis (Nuñez, Anderton, Renslow 2018), which reads the same with and without colour vision, as
// a polynomial of ours fitted to its ends and middle.
const fragmentShader = `
precision highp float;
uniform vec4 color;
uniform vec3 emissive;
uniform float cutoff;
uniform float opacity;
uniform float range;
uniform sampler2D map;
uniform sampler2D emissiveMap;
in vec3 vNormal;
in vec3 vView;
in vec2 vUv;
in vec4 vTint;
in float vField;
flat in float vCategory;
out vec4 result;
vec3 cividis(float t) {
  vec3 a = vec3(0.0, 0.135, 0.305), b = vec3(0.34, 0.36, 0.42), c = vec3(0.60, 0.58, 0.47), d = vec3(1.0, 0.915, 0.27);
  float s = 3.0 * clamp(t, 0.0, 1.0);
  return s < 1.0 ? mix(a, b, s) : s < 2.0 ? mix(b, c, s - 1.0) : mix(c, d, s - 2.0);
}
vec3 category(float i) {
  float hue = fract(i * 0.61803398875);
  vec3 rgb = clamp(abs(mod(hue * 6.0 + vec3(0.0, 4.0, 2.0), 6.0) - 3.0) - 1.0, 0.0, 1.0);
  return mix(vec3(0.5), rgb, 0.55) * (0.75 + 0.3 * fract(i * 0.38196601125));
}
float isolines(float t) {
  float width = 1.2 * fwidth(t), line = 0.0;
  for (int i = 0; i < 5; ++i) {
    float at = i == 0 ? 0.1 : i == 1 ? 0.25 : i == 2 ? 0.5 : i == 3 ? 0.75 : 0.9;
    line = max(line, 1.0 - smoothstep(0.4 * width, width, abs(t - at)));
  }
  return line;
}
void main() {
  vec3 n = normalize(vNormal) * (gl_FrontFacing ? 1.0 : -1.0);
  vec3 v = normalize(vView);
  vec4 base = color * vTint;
#ifdef MAP
  base *= texture(map, vUv);
#endif
#ifdef MASK
  if (base.a < cutoff) discard;
#endif
  float key = max(dot(n, normalize(vec3(0.45, 0.75, 0.6))), 0.0);
  float fill = max(dot(n, normalize(vec3(-0.8, 0.15, 0.35))), 0.0);
  float sky = 0.5 + 0.5 * n.y;
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
  vec3 light = mix(vec3(0.20, 0.19, 0.20), vec3(0.42, 0.45, 0.50), sky) + 0.72 * key * vec3(1.0, 0.97, 0.92) + 0.16 * fill * vec3(0.75, 0.85, 1.0);
  vec3 glow = emissive;
#ifdef EMISSIVE_MAP
  glow *= texture(emissiveMap, vUv).rgb;
#endif
  vec3 shown = base.rgb * light + 0.10 * rim * vec3(0.8, 0.9, 1.0) + glow;
  shown = pow(shown, vec3(1.0 / 2.2));
#ifdef FIELD
  float shade = 0.75 + 0.25 * key;
  vec3 flat_color = cividis(vField);
  #if FIELD == 1
    if (vField <= 0.0005) flat_color = vec3(0.36, 0.38, 0.41);
    flat_color = mix(flat_color, vec3(0.02), 0.55 * isolines(vField));
  #elif FIELD == 2
    flat_color = category(floor(vCategory + 0.5));
  #elif FIELD == 3
    flat_color = cividis((floor(vCategory + 0.5) - 1.0) / range);
  #elif FIELD == 5
    flat_color = cividis(vField);
  #else
    float t = clamp(vField / range, 0.0, 1.0);
    flat_color = t < 0.5 ? mix(vec3(0.16, 0.33, 0.62), vec3(0.93), 2.0 * t) : mix(vec3(0.93), vec3(0.90, 0.45, 0.05), 2.0 * t - 1.0);
  #endif
  if (vField < -0.5) flat_color = fract((gl_FragCoord.x + gl_FragCoord.y) / 12.0) < 0.5 ? vec3(1.0, 0.0, 0.85) : vec3(0.25, 0.0, 0.22);
  shown = flat_color * shade;
#endif
  result = vec4(shown, base.a * opacity);
}`;

const clay: Material = {
  name: '',
  color: [0.617, 0.445, 0.332, 1],
  emissive: [0, 0, 0],
  alpha: 'opaque',
  cutoff: 0.5,
  doubleSided: true,
  map: -1,
  emissiveMap: -1,
};

/// A material that says nothing about colours.
function isPlain({ color: [r, g, b, a], emissive, map, alpha }: Material): boolean {
  return map < 0 && alpha === 'opaque' && r === g && g === b && r >= 0.5 && a === 1 && emissive.every((e) => e === 0);
}

export type FieldKind = 0 | 1 | 2 | 3 | 4 | 5; // none, share, category, count, distance, confidence

export interface Look {
  field: FieldKind;
  range: number;
  xray: boolean;
  wire: boolean;
  hidden: ReadonlySet<number>;
}

/// A mesh whose positions come frame by frame.
export class Skin {
  readonly mesh: THREE.Mesh;
  readonly triangles: Uint32Array;
  readonly sources: Uint32Array;
  positions: Float32Array;
  joints: Float32Array = new Float32Array(0);
  private readonly geometry = new THREE.BufferGeometry();
  private readonly materials: THREE.ShaderMaterial[];
  private readonly empty = new THREE.Texture();
  private readonly solid: boolean[];
  private placed = false; // A frame has come.
  private whole = true; // Nothing is hidden or seen through.
  private readonly fine: THREE.BufferAttribute;
  private shown: Uint8Array | null = null; // Per vertex of the mesh; null for all.
  private partial: { index: THREE.BufferAttribute; groups: { start: number; count: number }[] } | null = null;
  private coarse: { index: THREE.BufferAttribute; groups: { start: number; count: number }[]; cell: number } | null = null;

  constructor(private readonly info: SceneInfo, head: Head, buffer: ArrayBuffer) {
    const n = head.vertices;
    let at = headBytes;
    const take = <T>(make: (offset: number) => T, bytes: number) => {
      const result = make(at);
      at += bytes;
      return result;
    };
    this.triangles = take((o) => new Uint32Array(buffer, o, head.flags), 4 * head.flags);
    this.sources = take((o) => new Uint32Array(buffer, o, n), 4 * n);
    const uvs = take((o) => new Float32Array(buffer, o, 2 * n), 8 * n);
    const tints = take((o) => new Uint8Array(buffer, o, 4 * n), 4 * n);
    this.positions = new Float32Array(3 * n);
    this.fine = new THREE.BufferAttribute(this.triangles, 1);
    this.geometry.setIndex(this.fine);
    this.geometry.setAttribute('position', new THREE.BufferAttribute(this.positions, 3).setUsage(THREE.StreamDrawUsage));
    this.geometry.setAttribute('normal', new THREE.BufferAttribute(new Int8Array(4 * n), 4, true).setUsage(THREE.StreamDrawUsage));
    this.geometry.setAttribute('uv', new THREE.BufferAttribute(uvs, 2));
    this.geometry.setAttribute('tint', new THREE.BufferAttribute(tints, 4, true));
    this.geometry.setAttribute('field', new THREE.BufferAttribute(new Float32Array(n), 1));
    this.setGroups(info.groups);
    const opaque = info.materials.every((material) => material === null || material.alpha === 'opaque');
    this.solid = info.groups.map((group) => opaque && group.solid);
    const bare: Material = { ...clay, color: info.colors ? [1, 1, 1, 1] : clay.color };
    // A file whose pictures are missing says nothing about colours where its materials are plain.
    const pictures = info.materials.some((material) => material !== null && material.map >= 0);
    this.materials = info.materials.map((material) => this.make(material === null || (!pictures && isPlain(material)) ? bare : material));
    this.mesh = new THREE.Mesh(this.geometry, this.materials);
    this.mesh.frustumCulled = false;
    this.mesh.visible = false;
  }

  private setGroups(groups: { start: number; count: number }[]) {
    this.geometry.clearGroups();
    groups.forEach((group, i) => this.geometry.addGroup(group.start, group.count, i));
  }

  /// Draws about this many triangles if there are more and nobody sees it: `pixel` is the size of one at the character.
  /// 0 draws all.
  limit(triangles: number, pixel: number) {
    const { info } = this;
    if (triangles > 0 && this.triangles.length > 3.6 * triangles && !this.coarse && this.placed) {
      const { normal, uv } = this.geometry.attributes;
      const { triangles: index, groups, cell } = coarsen(this.positions, normal.array as Int8Array, uv.array as Float32Array, this.triangles, info.groups, triangles);
      this.coarse = { index: new THREE.BufferAttribute(index, 1), groups, cell };
    }
    const use = triangles > 0 && this.coarse !== null && this.coarse.cell < 3 * pixel;
    const wanted = this.partial ?? (use ? this.coarse! : { index: this.fine, groups: info.groups });
    if (this.geometry.index === wanted.index) return;
    this.geometry.setIndex(wanted.index);
    this.setGroups(wanted.groups);
  }

  /// Draws only triangles whose vertices are marked, by the numbers of the mesh. Null draws all.
  show(shown: Uint8Array | null) {
    this.shown = shown;
    this.partial = null;
    if (!shown) return;
    const left: number[] = [];
    const groups = this.info.groups.map((group) => {
      const start = left.length;
      for (let t = group.start; t < group.start + group.count; t += 3)
        if (this.shows(t)) left.push(this.triangles[t], this.triangles[t + 1], this.triangles[t + 2]);
      return { start, count: left.length - start };
    });
    this.partial = { index: new THREE.BufferAttribute(new Uint32Array(left), 1), groups };
  }

  /// Whether the triangle with this first corner is drawn.
  shows(corner: number): boolean {
    const { shown, triangles, sources } = this;
    return !shown || (shown[sources[triangles[corner]]] > 0 && shown[sources[triangles[corner + 1]]] > 0 && shown[sources[triangles[corner + 2]]] > 0);
  }

  private make(material: Material): THREE.ShaderMaterial {
    const defines: Record<string, number> = {};
    if (material.alpha === 'mask') defines.MASK = 1;
    const made = new THREE.ShaderMaterial({
      glslVersion: THREE.GLSL3,
      vertexShader,
      fragmentShader,
      defines,
      side: THREE.DoubleSide,
      transparent: material.alpha === 'blend',
      uniforms: {
        color: { value: new THREE.Vector4(...material.color) },
        emissive: { value: new THREE.Vector3(...material.emissive) },
        cutoff: { value: material.cutoff },
        opacity: { value: 1 },
        range: { value: 1 },
        map: { value: this.empty },
        emissiveMap: { value: this.empty },
      },
    });
    made.userData.blend = material.alpha === 'blend';
    return made;
  }

  /// A picture arrived.
  setMap(index: number, kind: 'map' | 'emissiveMap', picture: ImageBitmap) {
    const material = this.materials[index];
    const texture = new THREE.Texture(picture);
    texture.flipY = false;
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.anisotropy = 2;
    texture.needsUpdate = true;
    (material.uniforms[kind].value as THREE.Texture).dispose();
    material.uniforms[kind].value = texture;
    material.defines[kind === 'map' ? 'MAP' : 'EMISSIVE_MAP'] = 1;
    material.needsUpdate = true;
  }

  frame(head: Head, buffer: ArrayBuffer) {
    const n = head.vertices;
    this.positions = new Float32Array(buffer, headBytes, 3 * n);
    const position = this.geometry.attributes.position as THREE.BufferAttribute;
    position.array = this.positions;
    position.needsUpdate = true;
    const normal = this.geometry.attributes.normal as THREE.BufferAttribute;
    normal.array = new Int8Array(buffer, headBytes + 12 * n, 4 * n);
    normal.needsUpdate = true;
    this.joints = new Float32Array(buffer, headBytes + 16 * n, 12 * head.joints);
    this.mesh.visible = true;
    this.placed = true;
  }

  field(buffer: ArrayBuffer) {
    const attribute = this.geometry.attributes.field as THREE.BufferAttribute;
    attribute.array = new Float32Array(buffer, headBytes);
    attribute.needsUpdate = true;
  }

  /// Whether backs of faces that nobody sees from outside are drawn. They are needed where skin has passed through skin.
  drawBacks(yes: boolean) {
    this.materials.forEach((material, i) => (material.side = yes || !this.solid[i] || !this.whole ? THREE.DoubleSide : THREE.FrontSide));
  }

  look({ field, range, xray, wire, hidden }: Look) {
    this.whole = !xray && !wire && hidden.size === 0 && this.partial === null;
    this.materials.forEach((material, i) => {
      material.visible = !hidden.has(i);
      material.wireframe = wire;
      material.uniforms.opacity.value = xray ? 0.38 : 1;
      material.uniforms.range.value = range;
      material.transparent = xray || material.userData.blend === true;
      material.depthWrite = !xray;
      if ((material.defines.FIELD ?? 0) !== field) {
        if (field === 0) delete material.defines.FIELD;
        else material.defines.FIELD = field;
        material.needsUpdate = true;
      }
    });
  }

  dispose() {
    this.geometry.dispose();
    for (const material of this.materials) {
      for (const kind of ['map', 'emissiveMap']) (material.uniforms[kind].value as THREE.Texture).dispose();
      material.dispose();
    }
  }
}
