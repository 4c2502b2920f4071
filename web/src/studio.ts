// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Draws one cell of the picture: shadow maps, passes, their mean.

import * as THREE from 'three';
import type { Camera, Cell, Scene } from './scene';
import { addFragment, blurFragment, groundFragment, screenVertex, showFragment } from './shaders';

/// What has to be drawn for one frame. `surfaces` receive light, `casters` are the same for shadow maps and `depths` for
/// what is in front. `lines` lie on them, `over` is drawn above everything.
export interface Stage {
  depths: THREE.Scene;
  surfaces: THREE.Scene;
  casters: THREE.Scene;
  lines: THREE.Scene;
  over: THREE.Scene;
}

/// Lights of one kind that a pass may have: positions of the key light, or directions of the sky. The shadow maps of each
/// kind are tiles of one texture, two in a row.
const mostLights = 4;
const times = <T>(make: () => T) => Array.from({ length: mostLights }, make);

/// Uniforms that all materials share; one object, so that a change reaches all of them.
export const shared = {
  keyMatrix: { value: times(() => new THREE.Matrix4()) },
  skyMatrix: { value: times(() => new THREE.Matrix4()) },
  keyDepth: { value: null as THREE.Texture | null },
  skyDepth: { value: null as THREE.Texture | null },
  keyDirection: { value: times(() => new THREE.Vector3()) },
  skyDirection: { value: times(() => new THREE.Vector3()) },
  skyWeight: { value: times(() => 1) },
  shadowBias: { value: 0.003 },
  normalOffset: { value: 0.003 },
  passShare: { value: 0 },
  viewport: { value: new THREE.Vector2(1, 1) },
  firstDepth: { value: null as THREE.Texture | null },
};

const shadowSize = 768;
const groundSize = 192;

/// How the lights of a picture are spread over its passes. Every pass draws the character once, with several lights of
/// each kind: most of the work is in the drawing. What is translucent is thinned out from pass to pass and would look
/// grainy with few of them, so such scenes get twice the passes.
export function planPasses({ samples, skeleton, wire, materials, overlays, frames }: Scene) {
  const thin = skeleton || wire || overlays.length > 0 || frames.some((frame) => frame.overlays.length > 0);
  const grainy = thin || materials.some((material) => material.alpha === 'blend');
  const share = samples < (grainy ? 16 : 4) ? 1 : grainy ? 2 : mostLights; // Of the samples, in one pass.
  // The key is small, so that few of its positions tell its shadow; the sky is wide.
  return { keys: Math.min(share, 2), skies: Math.min(share, 3), passes: Math.ceil(samples / share) };
}

/// What the shaders of lit surfaces are compiled for.
export function lightDefines(scene: Scene) {
  const { keys, skies } = planPasses(scene);
  return { KEYS: keys, SKIES: skies };
}

/// The next number of the additive recurrence with these ratios: even in two dimensions for any count of points.
const even = (i: number): [number, number] => [(0.5 + i * 0.7548776662466927) % 1, (0.5 + i * 0.5698402909980532) % 1];

/// Turns a direction from the studio's axes to the scene's.
type Turn = (direction: THREE.Vector3) => THREE.Vector3;

/// The studio turns with the camera's heading, so that every view is lit alike. For close-ups it also tilts with the
/// camera: the underside of an arm is lit as well as its top.
function turnOf({ camera, closeUp }: Cell): Turn {
  if (!closeUp) {
    const heading = Math.atan2(camera.back[0], camera.back[2]);
    return (v) => v.applyAxisAngle(new THREE.Vector3(0, 1, 0), heading);
  }
  const axis = (v: [number, number, number]) => new THREE.Vector3(...v);
  const basis = new THREE.Matrix4().makeBasis(axis(camera.right), axis(camera.up), axis(camera.back));
  return (v) => v.applyMatrix4(basis);
}

/// One position on the key light, a round soft box, up to the left of the camera.
function keyOf(light: number, turn: Turn): THREE.Vector3 {
  const [a, b] = even(light);
  const radius = 0.2 * Math.sqrt(a);
  const middle = new THREE.Vector3(-0.56, 0.98, 0.78).normalize();
  const side = new THREE.Vector3(0, 1, 0).cross(middle).normalize();
  const upward = middle.clone().cross(side);
  const key = middle.clone().addScaledVector(side, radius * Math.cos(2 * Math.PI * b));
  return turn(key.addScaledVector(upward, radius * Math.sin(2 * Math.PI * b)).normalize());
}

/// One direction of the sky, of a spiral over the half sphere, in an order that has nothing to do with the key's.
function skyOf(light: number, count: number, turn: Turn): { direction: THREE.Vector3; weight: number } {
  const turned = (light * 7) % count;
  const y = (turned + 0.5) / count;
  const angle = turned * 2.399963229728653;
  const flat = Math.sqrt(1 - y * y);
  const sky = new THREE.Vector3(flat * Math.cos(angle), y, flat * Math.sin(angle));
  const weight = 0.7 + 0.45 * y + 0.25 * sky.z;
  return { direction: turn(sky), weight };
}

let renderer: THREE.WebGLRenderer | null = null;

/// One for all pictures of the page: a browser has few of them.
function sharedRenderer(): THREE.WebGLRenderer {
  const canvas = document.createElement('canvas');
  renderer ??= new THREE.WebGLRenderer({ canvas, antialias: false, depth: false });
  return renderer;
}

export class Studio {
  private readonly renderer: THREE.WebGLRenderer;
  private readonly plan: ReturnType<typeof planPasses>;
  private readonly keyTarget: THREE.WebGLRenderTarget;
  private readonly skyTarget: THREE.WebGLRenderTarget;
  private readonly screen = new THREE.Scene();
  private readonly screenCamera = new THREE.Camera();
  private readonly screenMesh: THREE.Mesh;
  private readonly add: THREE.ShaderMaterial;
  private readonly addGround: THREE.ShaderMaterial;
  private readonly blur: THREE.ShaderMaterial;
  private readonly show: THREE.ShaderMaterial;
  private readonly shadowCenter = new THREE.Vector3();
  private shadowRadius = 1;
  private shadowDepth = 1;

  constructor(private readonly scene: Scene) {
    this.renderer = sharedRenderer();
    if (!this.renderer.getContext().getExtension('EXT_float_blend')) throw new Error('it cannot add floating-point pictures');
    this.renderer.getContext().getExtension('EXT_color_buffer_float');
    this.renderer.debug.onShaderError = (gl, program, vertex, fragment) => {
      const logs = [gl.getProgramInfoLog(program), gl.getShaderInfoLog(vertex), gl.getShaderInfoLog(fragment)];
      throw new Error(`a shader does not compile: ${logs.filter(Boolean).join(' ')}`);
    };
    this.renderer.autoClear = false;
    this.renderer.setClearColor(0, 0);
    this.renderer.toneMapping = THREE.NoToneMapping;
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.plan = planPasses(scene);
    this.keyTarget = shadowTarget(this.plan.keys);
    this.skyTarget = shadowTarget(this.plan.skies);
    shared.keyDepth.value = this.keyTarget.depthTexture;
    shared.skyDepth.value = this.skyTarget.depthTexture;
    const screenMaterial = (fragmentShader: string, uniforms: Record<string, THREE.IUniform>) =>
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3, vertexShader: screenVertex, fragmentShader, depthTest: false, depthWrite: false, uniforms,
      });
    const place = { ground: { value: scene.ground }, reach: { value: scene.radius * 3.2 } };
    this.add = screenMaterial(addFragment, { frame: { value: null }, share: { value: 1 } });
    this.addGround = screenMaterial(groundFragment, { ...shared, ...place, share: this.add.uniforms.share, groundLight: { value: 1 } });
    this.addGround.defines = lightDefines(scene);
    for (const sum of [this.add, this.addGround]) {
      sum.blending = THREE.CustomBlending;
      sum.blendSrc = sum.blendDst = sum.blendSrcAlpha = sum.blendDstAlpha = THREE.OneFactor;
    }
    this.blur = screenMaterial(blurFragment, { source: { value: null }, spread: { value: new THREE.Vector2() } });
    this.show = screenMaterial(showFragment, {
      ...place, sumColor: { value: null }, sharpShadow: { value: null }, softShadow: { value: null }, aspect: { value: 1 },
      backgroundTop: { value: new THREE.Vector3() }, backgroundLow: { value: new THREE.Vector3() }, backgroundAlpha: { value: 1 },
      part: { value: new THREE.Vector4() }, eye: { value: new THREE.Vector3() }, toWorld: { value: new THREE.Matrix4() },
    });
    this.blur.blending = this.show.blending = THREE.NoBlending;
    this.setBackground(scene.background);
    const triangle = new THREE.BufferGeometry();
    triangle.setAttribute('position', new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3));
    this.screenMesh = new THREE.Mesh(triangle, this.add);
    this.screenMesh.frustumCulled = false;
    this.screen.add(this.screenMesh);
  }

  /// Frees what the studio keeps on the graphics card. The renderer stays for the next picture.
  dispose() {
    for (const shadow of [this.keyTarget, this.skyTarget]) {
      shadow.depthTexture?.dispose();
      shadow.dispose();
    }
    for (const material of [this.add, this.addGround, this.blur, this.show]) material.dispose();
    this.screenMesh.geometry.dispose();
  }

  get anisotropy() {
    return this.renderer.capabilities.getMaxAnisotropy();
  }

  /// The finished pixels, eight bits per channel, bottom row first.
  draw(stage: Stage, cell: Cell): Uint8Array {
    const { camera, rect, closeUp } = cell;
    const [left, top, width, height] = rect;
    const [wholeWidth, wholeHeight] = this.scene.size;
    const eye = new THREE.PerspectiveCamera();
    const frame = target(width, height, THREE.HalfFloatType, true);
    const first = depthTarget(width, height);
    shared.firstDepth.value = first.depthTexture;
    const sum = target(width, height, THREE.FloatType);
    const ground = target(groundSize, groundSize, THREE.FloatType);
    const turn = turnOf(cell);
    this.aimShadows(closeUp);
    const { keys, skies, passes } = this.plan;
    this.addGround.uniforms.groundLight.value = groundLight(keys * passes, skies * passes, turn);
    this.add.uniforms.share.value = 1 / passes;
    this.add.uniforms.frame.value = frame.texture;
    shared.viewport.value.set(width, height);
    for (const cleared of [sum, ground]) {
      this.renderer.setRenderTarget(cleared);
      this.renderer.clear();
    }
    place(eye, camera, width, height, [0.5, 0.5]);
    for (const bounded of [frame, first, sum]) limit(bounded, extent(stage, eye, width, height));
    for (let pass = 0; pass < passes; ++pass) {
      place(eye, camera, width, height, passes > 1 ? even(pass + 1) : [0.5, 0.5]);
      this.light(stage, pass, turn);
      shared.passShare.value = (pass * 0.6180339887498949) % 1;
      this.pass(stage, eye, first, frame, pass);
      this.fill(this.add, sum);
      if (!closeUp) this.fill(this.addGround, ground);
      this.renderer.getContext().finish();
    }
    const sharp = this.blurred(ground, 0.012);
    const soft = this.blurred(ground, 0.07);
    const shown = target(width, height, THREE.UnsignedByteType);
    const uniforms = this.show.uniforms;
    place(eye, camera, width, height, [0.5, 0.5]);
    uniforms.eye.value.copy(eye.position);
    uniforms.toWorld.value.multiplyMatrices(eye.projectionMatrix, eye.matrixWorldInverse).invert();
    uniforms.sumColor.value = sum.texture;
    uniforms.sharpShadow.value = sharp.texture;
    uniforms.softShadow.value = soft.texture;
    uniforms.aspect.value = wholeWidth / wholeHeight;
    uniforms.part.value.set(left / wholeWidth, 1 - (top + height) / wholeHeight, width / wholeWidth, height / wholeHeight);
    this.fill(this.show, shown);
    const pixels = new Uint8Array(width * height * 4);
    this.renderer.readRenderTargetPixels(shown, 0, 0, width, height, pixels);
    if (this.renderer.getContext().isContextLost()) throw new Error('the graphics context was lost; the picture may be too large');
    first.depthTexture?.dispose();
    for (const done of [frame, first, sum, ground, sharp, soft, shown]) done.dispose();
    return pixels;
  }

  /// A blurred copy; `spread` is a share of its side.
  private blurred(source: THREE.WebGLRenderTarget, spread: number): THREE.WebGLRenderTarget {
    const half = target(groundSize, groundSize, THREE.HalfFloatType, false, THREE.LinearFilter);
    const whole = target(groundSize, groundSize, THREE.HalfFloatType, false, THREE.LinearFilter);
    for (const [from, to, x, y] of [[source, half, spread, 0], [half, whole, 0, spread]] as const) {
      this.blur.uniforms.source.value = from.texture;
      this.blur.uniforms.spread.value.set(x, y);
      this.fill(this.blur, to);
    }
    half.dispose();
    return whole;
  }

  /// One pass into `frame`; `first` gets the depth of what is in front.
  private pass(stage: Stage, eye: THREE.PerspectiveCamera, first: THREE.WebGLRenderTarget, frame: THREE.WebGLRenderTarget, pass: number) {
    this.renderer.setRenderTarget(first);
    this.renderer.clear();
    this.renderer.render(stage.depths, eye);
    this.renderer.setRenderTarget(frame);
    this.renderer.clear();
    // Under a skeleton the skin is there in three of five passes: nothing of its inside shows through.
    if (!this.scene.skeleton || (pass * 3) % 5 < 3) {
      this.renderer.render(stage.surfaces, eye);
      this.renderer.render(stage.lines, eye);
    }
    this.renderer.clearDepth();
    this.renderer.render(stage.over, eye);
  }

  private light(stage: Stage, pass: number, turn: Turn) {
    const { keys, skies, passes } = this.plan;
    for (const target of [this.keyTarget, this.skyTarget]) {
      limit(target, new THREE.Vector4(0, 0, target.width, target.height));
      this.renderer.setRenderTarget(target);
      this.renderer.clear();
    }
    for (let i = 0; i < keys; ++i) {
      const direction = shared.keyDirection.value[i].copy(keyOf(pass * keys + i, turn));
      this.shadow(stage, direction, this.keyTarget, i, shared.keyMatrix.value[i]);
    }
    for (let i = 0; i < skies; ++i) {
      const { direction, weight } = skyOf(pass * skies + i, skies * passes, turn);
      shared.skyDirection.value[i].copy(direction);
      shared.skyWeight.value[i] = weight;
      this.shadow(stage, direction, this.skyTarget, i, shared.skyMatrix.value[i]);
    }
  }

  /// Shadow maps hold the whole character, or with more detail what is near a close-up.
  private aimShadows(closeUp: Cell['closeUp']) {
    const whole = this.scene.radius * 1.02;
    this.shadowRadius = closeUp ? Math.min(whole, 2.5 * closeUp.radius) : whole;
    this.shadowCenter.fromArray(closeUp ? closeUp.center : [0, 0, 0]);
    this.shadowDepth = closeUp ? whole + this.shadowCenter.length() : whole;
    const detail = this.shadowRadius / whole;
    shared.shadowBias.value = 0.0014 * detail;
    shared.normalOffset.value = this.scene.radius * 0.0052 * detail;
  }

  /// Draws the shadow map of one light into its tile.
  private shadow(stage: Stage, direction: THREE.Vector3, target: THREE.WebGLRenderTarget, tile: number, matrix: THREE.Matrix4) {
    const r = this.shadowRadius;
    const sun = new THREE.OrthographicCamera(-r, r, r, -r, 0, 2 * this.shadowDepth);
    sun.position.copy(this.shadowCenter).addScaledVector(direction, this.shadowDepth);
    sun.up.set(0, Math.abs(direction.y) > 0.99 ? 0 : 1, Math.abs(direction.y) > 0.99 ? 1 : 0);
    sun.lookAt(this.shadowCenter);
    sun.updateMatrixWorld();
    target.viewport.set((tile % 2) * shadowSize, Math.floor(tile / 2) * shadowSize, shadowSize, shadowSize);
    limit(target, target.viewport);
    this.renderer.setRenderTarget(target);
    this.renderer.render(stage.casters, sun);
    matrix.multiplyMatrices(sun.projectionMatrix, sun.matrixWorldInverse);
  }

  private fill(material: THREE.ShaderMaterial, target: THREE.WebGLRenderTarget) {
    this.screenMesh.material = material;
    this.renderer.setRenderTarget(target);
    this.renderer.render(this.screen, this.screenCamera);
  }

  private setBackground(name: string) {
    const { backgroundTop, backgroundLow, backgroundAlpha } = this.show.uniforms;
    const set = (uniform: THREE.IUniform, text: string) => {
      const c = new THREE.Color(text);
      uniform.value.set(c.r, c.g, c.b);
    };
    backgroundAlpha.value = name === 'transparent' ? 0 : 1;
    set(backgroundTop, name.startsWith('#') ? name : '#f4f5f6');
    set(backgroundLow, name.startsWith('#') ? name : '#d9dde1');
  }
}

/// A texture with a tile for each light.
function shadowTarget(lights: number) {
  return depthTarget(shadowSize * Math.min(lights, 2), shadowSize * Math.ceil(lights / 2));
}

/// A target of which only the depth is of use: its colours are as small as they can be.
function depthTarget(width: number, height: number) {
  const made = new THREE.WebGLRenderTarget(width, height, { format: THREE.RedFormat, type: THREE.UnsignedByteType });
  made.depthTexture = new THREE.DepthTexture(width, height, THREE.FloatType);
  for (const texture of [made.texture, made.depthTexture]) texture.magFilter = texture.minFilter = THREE.NearestFilter;
  return made;
}

/// Confines drawing and clearing to a part of the target.
function limit(target: THREE.WebGLRenderTarget, part: THREE.Vector4) {
  target.scissorTest = true;
  target.scissor.copy(part);
}

/// The part of the picture that the surfaces of a stage can touch, in pixels. Marks have a size on the screen and are
/// few: with them it is the whole picture.
function extent(stage: Stage, eye: THREE.PerspectiveCamera, width: number, height: number): THREE.Vector4 {
  const whole = new THREE.Vector4(0, 0, width, height);
  if (stage.lines.children.length + stage.over.children.length > 0) return whole;
  const toScreen = new THREE.Matrix4().multiplyMatrices(eye.projectionMatrix, eye.matrixWorldInverse);
  const box = new THREE.Box2();
  const point = new THREE.Vector4();
  for (const mesh of stage.surfaces.children as THREE.Mesh[]) {
    const positions = mesh.geometry.getAttribute('position');
    for (let i = 0; i < positions.count; ++i) {
      point.set(positions.getX(i), positions.getY(i), positions.getZ(i), 1).applyMatrix4(toScreen);
      if (point.w <= 0) return whole;
      box.expandByPoint(new THREE.Vector2((0.5 + (0.5 * point.x) / point.w) * width, (0.5 + (0.5 * point.y) / point.w) * height));
    }
  }
  if (box.isEmpty()) return whole;
  const left = Math.max(0, Math.floor(box.min.x) - 2);
  const low = Math.max(0, Math.floor(box.min.y) - 2);
  const right = Math.min(width, Math.ceil(box.max.x) + 2);
  const top = Math.min(height, Math.ceil(box.max.y) + 2);
  return right > left && top > low ? new THREE.Vector4(left, low, right - left, top - low) : whole;
}

function target(width: number, height: number, type: THREE.TextureDataType, depthBuffer = false, filter: THREE.MagnificationTextureFilter = THREE.NearestFilter) {
  return new THREE.WebGLRenderTarget(width, height, { type, depthBuffer, magFilter: filter, minFilter: filter });
}

/// Light on open ground, the mean over the lights.
function groundLight(keys: number, skies: number, turn: Turn): number {
  let sum = 0;
  for (let light = 0; light < keys; ++light) sum += (keyOf(light, turn).y * 0.75) / keys;
  for (let light = 0; light < skies; ++light) {
    const { direction, weight } = skyOf(light, skies, turn);
    sum += (weight * 1.25 * direction.y) / skies;
  }
  return sum;
}

/// Puts a camera where the scene says, moved by a part of a pixel (0.5 is the middle).
function place(eye: THREE.PerspectiveCamera, camera: Camera, width: number, height: number, jitter: [number, number]) {
  const top = camera.near * camera.tanY;
  const right = (top * width) / height;
  const dx = ((jitter[0] - 0.5) * 2 * right) / width;
  const dy = ((jitter[1] - 0.5) * 2 * top) / height;
  eye.projectionMatrix.makePerspective(-right + dx, right + dx, top + dy, -top + dy, camera.near, camera.far);
  eye.projectionMatrixInverse.copy(eye.projectionMatrix).invert();
  const axis = (v: [number, number, number]) => new THREE.Vector3(...v);
  eye.matrixWorld.makeBasis(axis(camera.right), axis(camera.up), axis(camera.back)).setPosition(axis(camera.eye));
  eye.matrixAutoUpdate = eye.matrixWorldAutoUpdate = false;
  eye.matrixWorldInverse.copy(eye.matrixWorld).invert();
  eye.position.copy(axis(camera.eye));
}
