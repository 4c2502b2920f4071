// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The character's skin: geometry of a frame, materials, textures.

import * as THREE from 'three';
import { floats, shorts, words, type Frame, type Material, type Scene, type Surface } from './scene';
import { depthFragment, plainDepthFragment, plainDepthVertex, surfaceFragment, surfaceVertex } from './shaders';
import { lightDefines, shared, type Stage } from './studio';

/// The materials of the scene, made once for all surfaces.
export class Materials {
  readonly plain: THREE.ShaderMaterial[];
  readonly field: THREE.ShaderMaterial[];
  readonly shadows: THREE.ShaderMaterial[];
  readonly depths: THREE.ShaderMaterial[];
  private readonly textures: Textures;

  constructor(scene: Scene, anisotropy: number, warn: (text: string) => void) {
    const textures = new Textures(scene, anisotropy, warn);
    const all = (make: (material: Material, i: number) => THREE.ShaderMaterial) => scene.materials.map(make);
    const lights = lightDefines(scene);
    this.plain = all((material, i) => surfaceMaterial(material, i, textures, false, lights));
    this.field = all((material, i) => surfaceMaterial(material, i, textures, true, lights));
    this.shadows = all((material, i) => depthMaterial(material, i, textures, THREE.DoubleSide));
    this.depths = all((material, i) => depthMaterial(material, i, textures, sideOf(material)));
    this.textures = textures;
  }

  dispose() {
    this.textures.dispose();
    for (const material of [...this.plain, ...this.field, ...this.shadows, ...this.depths]) material.dispose();
  }
}

/// What the frames of one surface have in common, decoded once.
export class Skin {
  readonly edges: Uint32Array | null;
  private readonly geometry = new THREE.BufferGeometry();

  constructor(private readonly surface: Surface, private readonly materials: Materials) {
    this.edges = surface.edges === null ? null : words(surface.edges);
    this.geometry.setIndex(new THREE.BufferAttribute(words(surface.triangles), 1));
    this.geometry.setAttribute('uv', surface.uvs === null ? this.constant(2, 0) : new THREE.BufferAttribute(floats(surface.uvs), 2));
    this.geometry.setAttribute('tint', surface.colors === null ? this.constant(4, 1) : new THREE.BufferAttribute(floats(surface.colors), 4));
    surface.groups.forEach((group) => this.geometry.addGroup(group.start, group.count, group.material));
  }

  /// Loads a frame and adds the meshes that draw it.
  show(frame: Frame, { depths, surfaces, casters }: Stage) {
    if (frame.positions === null || frame.normals === null) return;
    this.geometry.setAttribute('position', new THREE.BufferAttribute(floats(frame.positions), 3));
    this.geometry.setAttribute('normal', new THREE.BufferAttribute(shorts(frame.normals), 3, true));
    this.geometry.setAttribute('field', frame.field === null ? this.constant(1, 0) : new THREE.BufferAttribute(floats(frame.field), 1));
    const shown = frame.field === null ? this.materials.plain : this.materials.field;
    for (const [scene, materials] of [[depths, this.materials.depths], [surfaces, shown], [casters, this.materials.shadows]] as const) {
      const mesh = new THREE.Mesh(this.geometry, materials);
      mesh.frustumCulled = false;
      scene.add(mesh);
    }
  }

  dispose() {
    this.geometry.dispose();
  }

  private constant(width: number, value: number) {
    return new THREE.BufferAttribute(new Float32Array(width * this.surface.vertices).fill(value), width);
  }
}

class Textures {
  private readonly made = new Map<string, THREE.Texture | null>();

  constructor(private readonly scene: Scene, private readonly anisotropy: number, private readonly warn: (text: string) => void) {}

  get(image: number, color: boolean): THREE.Texture | null {
    if (image < 0) return null;
    const key = `${image} ${color}`;
    if (!this.made.has(key)) this.made.set(key, this.make(image, color));
    return this.made.get(key) ?? null;
  }

  dispose() {
    for (const texture of this.made.values()) texture?.dispose();
  }

  private make(image: number, color: boolean): THREE.Texture | null {
    const { name, element } = this.scene.images[image];
    const picture = document.getElementById(element) as HTMLImageElement | null;
    if (!picture || !picture.complete || picture.naturalWidth === 0) {
      const text = `The picture '${name}' cannot be decoded and is left out.`;
      this.warn(text);
      return null;
    }
    const texture = new THREE.Texture(picture);
    texture.flipY = false;
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.colorSpace = color ? THREE.SRGBColorSpace : THREE.NoColorSpace;
    texture.anisotropy = Math.min(2, this.anisotropy); // The passes look at it from several places, too.
    texture.needsUpdate = true;
    return texture;
  }
}

function parameters(material: Material, index: number, textures: Textures) {
  const map = textures.get(material.map, true);
  const defines: Record<string, number> = {};
  if (map) defines.MAP = 1;
  if (material.alpha === 'mask') defines.MASK = 1;
  if (material.alpha === 'blend') defines.BLEND = 1;
  if (material.clay) defines.CLAY = 1;
  const uniforms: Record<string, THREE.IUniform> = {
    color: { value: new THREE.Vector4(...material.color) },
    cutoff: { value: material.cutoff },
    salt: { value: index },
    map: { value: map },
    passShare: shared.passShare,
  };
  return { defines, uniforms };
}

function surfaceMaterial(material: Material, index: number, textures: Textures, field: boolean, lights: Record<string, number>): THREE.ShaderMaterial {
  const { defines, uniforms } = parameters(material, index, textures);
  const normalMap = textures.get(material.normalMap, false);
  const emissiveMap = textures.get(material.emissiveMap, true);
  if (normalMap) defines.NORMAL_MAP = 1;
  if (emissiveMap) defines.EMISSIVE_MAP = 1;
  if (field) defines.FIELD = 1;
  Object.assign(defines, lights);
  return new THREE.ShaderMaterial({
    glslVersion: THREE.GLSL3,
    vertexShader: surfaceVertex,
    fragmentShader: surfaceFragment,
    defines,
    side: sideOf(material),
    uniforms: {
      ...shared,
      ...uniforms,
      metallic: { value: material.metallic },
      roughness: { value: material.roughness },
      emissive: { value: new THREE.Vector3(...material.emissive) },
      normalMap: { value: normalMap },
      emissiveMap: { value: emissiveMap },
    },
  });
}

const sideOf = (material: Material) => (material.doubleSided || material.clay ? THREE.DoubleSide : THREE.FrontSide);

function depthMaterial(material: Material, index: number, textures: Textures, side: THREE.Side): THREE.ShaderMaterial {
  const plain = material.alpha === 'opaque';
  return new THREE.ShaderMaterial({
    glslVersion: THREE.GLSL3,
    vertexShader: plain ? plainDepthVertex : surfaceVertex,
    fragmentShader: plain ? plainDepthFragment : depthFragment,
    side,
    ...(plain ? {} : parameters(material, index, textures)),
  });
}
