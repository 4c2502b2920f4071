// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Draws one cell of the picture: shadow maps, passes, their mean.

import * as THREE from 'three';
import type { Camera, Cell, Scene } from './scene';
import { addFragment, blurFragment, groundFragment, screenVertex, showFragment } from './shaders';

/// What has to be drawn for one frame. `surfaces` receive light and cast shadows, `lines` lie on them, `over` is drawn
/// above everything.
export interface Stage {
  surfaces: THREE.Scene;
  casters: THREE.Scene;
  lines: THREE.Scene;
  over: THREE.Scene;
}

/// Uniforms that all materials share; one object, so that a change reaches all of them.
export const shared = {
  keyMatrix: { value: new THREE.Matrix4() },
  skyMatrix: { value: new THREE.Matrix4() },
  keyDepth: { value: null as THREE.Texture | null },
  skyDepth: { value: null as THREE.Texture | null },
  keyDirection: { value: new THREE.Vector3() },
  skyDirection: { value: new THREE.Vector3() },
  skyWeight: { value: 1 },
  shadowBias: { value: 0.003 },
  normalOffset: { value: 0.003 },
  passShare: { value: 0 },
  viewport: { value: new THREE.Vector2(1, 1) },
};

const shadowSize = 1024;
const groundSize = 384;

/// The next number of the additive recurrence with these ratios: even in two dimensions for any count of points.
const even = (i: number): [number, number] => [(0.5 + i * 0.7548776662466927) % 1, (0.5 + i * 0.5698402909980532) % 1];

interface Lights {
  key: THREE.Vector3;
  sky: THREE.Vector3;
  weight: number;
}

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

/// Directions of the lights of one pass.
function lightsOf(pass: number, count: number, turn: Turn): Lights {
  const [a, b] = even(pass);
  // The key is a round soft box, up to the left of the camera.
  const radius = 0.2 * Math.sqrt(a);
  const middle = new THREE.Vector3(-0.56, 0.98, 0.78).normalize();
  const side = new THREE.Vector3(0, 1, 0).cross(middle).normalize();
  const upward = middle.clone().cross(side);
  const key = middle.clone().addScaledVector(side, radius * Math.cos(2 * Math.PI * b));
  key.addScaledVector(upward, radius * Math.sin(2 * Math.PI * b)).normalize();
  // The sky: one direction of a spiral over the half sphere, in an order that has nothing to do with the key's.
  const turned = (pass * 7) % count;
  const y = (turned + 0.5) / count;
  const angle = turned * 2.399963229728653;
  const flat = Math.sqrt(1 - y * y);
  const sky = new THREE.Vector3(flat * Math.cos(angle), y, flat * Math.sin(angle));
  const weight = 0.7 + 0.45 * y + 0.25 * sky.z;
  return { key: turn(key), sky: turn(sky), weight };
}

export class Studio {
  private readonly renderer: THREE.WebGLRenderer;
  private readonly keyTarget = Studio.shadowTarget();
  private readonly skyTarget = Studio.shadowTarget();
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
    const canvas = document.createElement('canvas');
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: false, depth: false });
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
    shared.keyDepth.value = this.keyTarget.depthTexture;
    shared.skyDepth.value = this.skyTarget.depthTexture;
    const screenMaterial = (fragmentShader: string, uniforms: Record<string, THREE.IUniform>) =>
      new THREE.ShaderMaterial({
        glslVersion: THREE.GLSL3, vertexShader: screenVertex, fragmentShader, depthTest: false, depthWrite: false, uniforms,
      });
    const place = { ground: { value: scene.ground }, reach: { value: scene.radius * 3.2 } };
    this.add = screenMaterial(addFragment, { frame: { value: null }, share: { value: 1 } });
    this.addGround = screenMaterial(groundFragment, { ...shared, ...place, share: this.add.uniforms.share, groundLight: { value: 1 } });
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
    const sum = target(width, height, THREE.FloatType);
    const ground = target(groundSize, groundSize, THREE.FloatType);
    const turn = turnOf(cell);
    this.aimShadows(closeUp);
    const count = this.scene.samples;
    this.addGround.uniforms.groundLight.value = groundLight(count, turn);
    this.add.uniforms.share.value = 1 / count;
    this.add.uniforms.frame.value = frame.texture;
    shared.viewport.value.set(width, height);
    for (const cleared of [sum, ground]) {
      this.renderer.setRenderTarget(cleared);
      this.renderer.clear();
    }
    for (let pass = 0; pass < count; ++pass) {
      place(eye, camera, width, height, count > 1 ? even(pass + 1) : [0.5, 0.5]);
      this.light(stage, lightsOf(pass, count, turn));
      shared.passShare.value = (pass * 0.6180339887498949) % 1;
      this.pass(stage, eye, frame, pass);
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
    for (const done of [frame, sum, ground, sharp, soft, shown]) done.dispose();
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

  /// One pass into `frame`.
  private pass(stage: Stage, eye: THREE.PerspectiveCamera, frame: THREE.WebGLRenderTarget, pass: number) {
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

  private light(stage: Stage, { key, sky, weight }: Lights) {
    shared.keyDirection.value.copy(key);
    shared.skyDirection.value.copy(sky);
    shared.skyWeight.value = weight;
    this.shadow(stage, key, this.keyTarget, shared.keyMatrix.value);
    this.shadow(stage, sky, this.skyTarget, shared.skyMatrix.value);
  }

  /// Shadow maps hold the whole character, or with more detail what is near a close-up.
  private aimShadows(closeUp: Cell['closeUp']) {
    const whole = this.scene.radius * 1.02;
    this.shadowRadius = closeUp ? Math.min(whole, 2.5 * closeUp.radius) : whole;
    this.shadowCenter.fromArray(closeUp ? closeUp.center : [0, 0, 0]);
    this.shadowDepth = closeUp ? whole + this.shadowCenter.length() : whole;
    const detail = this.shadowRadius / whole;
    shared.shadowBias.value = 0.0012 * detail;
    shared.normalOffset.value = this.scene.radius * 0.0045 * detail;
  }

  private shadow(stage: Stage, direction: THREE.Vector3, target: THREE.WebGLRenderTarget, matrix: THREE.Matrix4) {
    const r = this.shadowRadius;
    const sun = new THREE.OrthographicCamera(-r, r, r, -r, 0, 2 * this.shadowDepth);
    sun.position.copy(this.shadowCenter).addScaledVector(direction, this.shadowDepth);
    sun.up.set(0, Math.abs(direction.y) > 0.99 ? 0 : 1, Math.abs(direction.y) > 0.99 ? 1 : 0);
    sun.lookAt(this.shadowCenter);
    sun.updateMatrixWorld();
    this.renderer.setRenderTarget(target);
    this.renderer.clear();
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

  private static shadowTarget() {
    const shadow = target(shadowSize, shadowSize, THREE.UnsignedByteType, true);
    shadow.depthTexture = new THREE.DepthTexture(shadowSize, shadowSize, THREE.FloatType);
    shadow.depthTexture.magFilter = shadow.depthTexture.minFilter = THREE.NearestFilter;
    return shadow;
  }
}

function target(width: number, height: number, type: THREE.TextureDataType, depthBuffer = false, filter: THREE.MagnificationTextureFilter = THREE.NearestFilter) {
  return new THREE.WebGLRenderTarget(width, height, { type, depthBuffer, magFilter: filter, minFilter: filter });
}

/// Light on open ground, the mean over the passes.
function groundLight(count: number, turn: Turn): number {
  let sum = 0;
  for (let pass = 0; pass < count; ++pass) {
    const { key, sky, weight } = lightsOf(pass, count, turn);
    sum += key.y * 0.75 + weight * 1.25 * sky.y;
  }
  return sum / count;
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
