// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The picture: camera, surfaces, bones, marks. It draws only when something has changed.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Bones } from './bones';
import { Gizmo } from './gizmo';
import { Ground } from './ground';
import { pickTriangle, type Hit } from './pick';
import { drawPanes, sidePanes, wipePanes } from './panes';
import { Skin, type Look } from './skin';
import type { SceneInfo } from '../studio/store';
import type { Head } from '../studio/link';

export type Compare = 'off' | 'side' | 'wipe';

/// Whether the browser draws with the processor. Smooth edges then cost more than they show.
function drawsWithoutCard(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

export class Viewport {
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  readonly gizmo = new Gizmo();
  readonly ground = new Ground();
  skins: (Skin | null)[] = [null, null];
  bones: Bones | null = null;
  info: SceneInfo | null = null;
  chosen = -1;
  compare: Compare = 'off';
  wipe = 0.5;
  group: ReadonlySet<number> = new Set();
  readonly moved = new Map<number, THREE.Vector3>(); // Joints where a drag puts them.
  drawn = 0;
  loupe: THREE.Vector2 | null = null; // What is magnified, in pixels of the canvas.
  private own: { info: SceneInfo; head: Head; buffer: ArrayBuffer } | null = null;
  private other: { info: SceneInfo; head: Head; buffer: ArrayBuffer } | null = null;
  private readonly scene = new THREE.Scene();
  private readonly mark: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;
  private readonly outline: THREE.LineLoop<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly ring: THREE.LineLoop<THREE.BufferGeometry, THREE.LineBasicMaterial>;
  private readonly software: boolean;
  private width = 1;
  private height = 1;
  private glass: HTMLCanvasElement | null = null;
  private dirty = true;
  private dark = true;
  private scale = 1;
  private cost = 16;
  private lastDraw = 0;
  private moving = false;
  private settle = 0;
  private framed = false; // Everything is looked at, from where nobody has moved the camera.

  constructor(readonly element: HTMLElement, private readonly changed: () => void) {
    this.software = drawsWithoutCard();
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.software, powerPreference: 'high-performance' });
    this.renderer.autoClear = false;
    element.append(this.renderer.domElement);
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute('aria-label', 'The character');
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('start', () => (this.framed = false));
    this.controls.addEventListener('change', () => this.touch(true));
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x707880, 2.2), this.ground.group, this.gizmo.group);
    this.mark = new THREE.Mesh(new THREE.RingGeometry(0.93, 1, 64), new THREE.MeshBasicMaterial({ color: 0xff3d7f, depthTest: false, transparent: true, opacity: 0.9, side: THREE.DoubleSide }));
    this.mark.renderOrder = 15;
    this.mark.visible = false;
    const line = (color: number) => {
      const made = new THREE.LineLoop(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color, depthTest: false, transparent: true }));
      made.renderOrder = 16;
      made.frustumCulled = false;
      made.visible = false;
      return made;
    };
    this.outline = line(0x35d0ba);
    this.ring = line(0xffffff);
    this.scene.add(this.mark, this.outline, this.ring);
    new ResizeObserver(() => this.resize()).observe(element);
    this.resize();
  }

  /// Something has to be drawn again. `moving`: soon again, so that speed matters more than edges.
  touch(moving = false) {
    this.dirty = true;
    if (moving) {
      this.moving = true;
      clearTimeout(this.settle);
      this.settle = window.setTimeout(() => {
        this.moving = false;
        this.dirty = true;
      }, 250);
    }
  }

  /// Something changed that is not drawn yet, or drawn without edges.
  get waits(): boolean {
    return this.dirty || this.moving;
  }

  setTheme(dark: boolean) {
    this.dark = dark;
    if (this.info) this.ground.fit(new THREE.Vector3(...this.info.box[0]), new THREE.Vector3(...this.info.box[1]), new THREE.Vector3(...this.info.forward), dark);
    this.touch();
  }

  private resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    // Asking the page for its sizes while a picture is drawn makes it lay itself out each time.
    this.width = width;
    this.height = height;
    this.renderer.setSize(width, height);
    this.touch();
  }

  /// A new surface. `fresh`: another character, so that the camera looks at it.
  setSurface(info: SceneInfo, head: Head, buffer: ArrayBuffer, fresh: boolean) {
    for (const skin of this.skins) {
      if (!skin) continue;
      this.scene.remove(skin.mesh);
      skin.dispose();
    }
    if (this.bones) {
      this.scene.remove(this.bones.group);
      this.bones.dispose();
    }
    this.info = info;
    this.skins = [new Skin(info, head, buffer), null];
    this.own = { info, head, buffer };
    this.scene.add(this.skins[0]!.mesh);
    this.makeSecond();
    const [lower, upper] = info.box.map((corner) => new THREE.Vector3(...corner));
    const size = lower.distanceTo(upper);
    this.bones = new Bones(info.joints, size);
    this.bones.group.visible = false;
    this.scene.add(this.bones.group);
    this.moved.clear();
    this.gizmo.group.visible = false;
    if (fresh) {
      this.ground.fit(lower, upper, new THREE.Vector3(...info.forward), this.dark);
      this.frameAll();
    }
    this.touch();
  }

  /// Another file on the second side.
  setOther(info: SceneInfo, head: Head, buffer: ArrayBuffer) {
    this.other = { info, head, buffer };
    this.makeSecond();
  }

  /// Returns whether there was one.
  dropOther(): boolean {
    if (!this.other) return false;
    this.other = null;
    this.makeSecond();
    return true;
  }

  private makeSecond() {
    const old = this.skins[1];
    if (old) {
      this.scene.remove(old.mesh);
      old.dispose();
    }
    const of = this.other ?? this.own;
    this.skins[1] = of && new Skin(of.info, of.head, of.buffer);
    if (this.skins[1]) this.scene.add(this.skins[1].mesh);
    this.touch();
  }

  frame(head: Head, buffer: ArrayBuffer) {
    this.skins[head.slot]?.frame(head, buffer);
    this.touch(true);
  }

  field(buffer: ArrayBuffer) {
    this.skins[0]?.field(buffer);
    this.touch();
  }

  look(look: Look, bones: boolean, axes: boolean) {
    for (const skin of this.skins) skin?.look(look);
    this.bones?.show(bones, axes);
    this.touch();
  }

  /// Hides vertices of the character, and bones of its joints.
  hide(shown: Uint8Array | null, joints: ReadonlySet<number>) {
    this.skins[0]?.show(shown);
    this.skins[1]?.show(this.other ? null : shown);
    this.bones?.hide(joints);
    this.touch();
  }

  frameAll() {
    if (!this.info) return;
    const [lower, upper] = this.info.box.map((corner) => new THREE.Vector3(...corner));
    if (this.other && this.compare !== 'off') {
      lower.min(new THREE.Vector3(...this.other.info.box[0]));
      upper.max(new THREE.Vector3(...this.other.info.box[1]));
    }
    const middle = lower.clone().add(upper).multiplyScalar(0.5);
    // From the side of the face, a little from its left.
    const forward = new THREE.Vector3(...this.info.forward).setY(0);
    if (forward.lengthSq() < 1e-6) forward.set(0, 0, 1);
    const left = new THREE.Vector3(0, 1, 0).cross(forward.normalize());
    const direction = forward.addScaledVector(left, 0.5).add(new THREE.Vector3(0, 0.16, 0)).normalize();
    this.aim(middle, this.reach(lower, upper, middle, direction), direction);
    this.framed = true;
  }

  /// One picture or two. What was all in view stays so.
  setCompare(compare: Compare) {
    if (compare === this.compare) return;
    this.compare = compare;
    if (this.framed) this.frameAll();
  }

  /// The radius of a ball that is as large on the screen as a box, seen from a direction.
  private reach(lower: THREE.Vector3, upper: THREE.Vector3, middle: THREE.Vector3, direction: THREE.Vector3): number {
    const right = new THREE.Vector3(0, 1, 0).cross(direction).normalize();
    const up = direction.clone().cross(right);
    const aspect = Math.max(0.2, (this.width * this.aspectShare) / Math.max(1, this.height));
    let most = 0;
    for (let i = 0; i < 8; ++i) {
      const corner = new THREE.Vector3(i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y, i & 4 ? upper.z : lower.z).sub(middle);
      // What is nearer to the eye looks larger.
      const nearer = 0.27 * Math.max(0, corner.dot(direction));
      most = Math.max(most, Math.abs(corner.dot(up)) + nearer, Math.abs(corner.dot(right)) / aspect + nearer);
    }
    return most > 0 ? most : 1;
  }

  /// Looks at a place from the direction of now, or another one.
  aim(middle: THREE.Vector3, radius: number, direction?: THREE.Vector3) {
    this.framed = false;
    const towards = (direction ?? this.camera.position.clone().sub(this.controls.target)).normalize();
    const distance = (1.08 * radius) / Math.sin((this.camera.fov * Math.PI) / 360);
    const size = this.info ? new THREE.Vector3(...this.info.box[0]).distanceTo(new THREE.Vector3(...this.info.box[1])) : radius;
    this.camera.near = Math.max(distance / 500, 1e-5);
    this.camera.far = distance + 30 * size;
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(towards, distance);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.touch();
  }

  view(direction: [number, number, number]) {
    this.framed = false;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(new THREE.Vector3(...direction).normalize(), distance);
    this.controls.update();
    this.touch();
  }

  markAt(place?: [number, number, number], radius = 0.1) {
    this.mark.visible = place !== undefined;
    if (place) {
      this.mark.position.set(...place);
      this.mark.scale.setScalar(radius);
    }
    this.touch();
  }

  setOutline(points: [number, number, number][]) {
    this.outline.visible = points.length > 2;
    this.outline.geometry.dispose();
    this.outline.geometry = new THREE.BufferGeometry().setFromPoints(points.map((p) => new THREE.Vector3(...p)));
    this.touch();
  }

  setBrush(hit: Hit | null, radius: number) {
    this.ring.visible = hit !== null;
    if (hit) {
      const points = Array.from({ length: 48 }, (_, i) => {
        const angle = (2 * Math.PI * i) / 48;
        return new THREE.Vector3(Math.cos(angle), Math.sin(angle), 0).multiplyScalar(radius).applyQuaternion(this.camera.quaternion).add(hit.point);
      });
      this.ring.geometry.dispose();
      this.ring.geometry = new THREE.BufferGeometry().setFromPoints(points);
    }
    this.touch();
  }

  /// A point of the page's pixels, in the canvas.
  local(event: { clientX: number; clientY: number }): THREE.Vector2 {
    const box = this.renderer.domElement.getBoundingClientRect();
    return new THREE.Vector2(event.clientX - box.left, event.clientY - box.top);
  }

  private get aspectShare(): number {
    return this.compare === 'side' ? 0.5 : 1;
  }

  project = (p: THREE.Vector3): THREE.Vector2 => {
    const v = p.clone().project(this.camera);
    const width = this.width * this.aspectShare;
    return new THREE.Vector2(((v.x + 1) / 2) * width, ((1 - v.y) / 2) * this.height);
  };

  ray(at: THREE.Vector2): THREE.Ray {
    const width = this.width * this.aspectShare;
    const x = at.x % width;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * x) / width - 1, 1 - (2 * at.y) / this.height), this.camera);
    return caster.ray;
  }

  pickSkin(at: THREE.Vector2, hidden: ReadonlySet<number>): Hit | null {
    const skin = this.skins[0];
    if (!skin || !this.info) return null;
    const { groups } = this.info;
    const visible = (corner: number) => skin.shows(corner) && (hidden.size === 0 || !groups.some((g, i) => hidden.has(i) && corner >= g.start && corner < g.start + g.count));
    return pickTriangle(this.ray(at), skin.positions, skin.triangles, visible);
  }

  pickJoint(at: THREE.Vector2, within = 12): number {
    let best = within;
    let found = -1;
    this.bones?.places.forEach((place, i) => {
      if (!this.bones!.shown(i)) return;
      const p = this.project(place);
      const distance = Math.hypot(p.x - at.x, p.y - at.y);
      if (distance < best) {
        best = distance;
        found = i;
      }
    });
    return found;
  }

  /// The way the bone of a joint points, in the frame that is shown.
  boneOf(joint: number): THREE.Vector3 {
    const places = this.bones!.places;
    const joints = this.info!.joints;
    const child = joints.findIndex((j, i) => j.parent === joint && j.deforming && places[i].distanceTo(places[joint]) > 1e-9);
    if (child >= 0) return places[child].clone().sub(places[joint]);
    const parent = joints[joint].parent;
    return parent >= 0 ? places[joint].clone().sub(places[parent]) : new THREE.Vector3(0, 1, 0);
  }

  placeGizmo(show: boolean) {
    const skin = this.skins[0];
    if (!show || this.chosen < 0 || !skin || skin.joints.length < 12 * (this.chosen + 1)) {
      this.gizmo.group.visible = false;
      return;
    }
    this.gizmo.place(skin.joints, this.chosen, this.boneOf(this.chosen), this.camera, this.height);
  }

  /// Draws at once, with all pixels: what is read from the canvas is gone after the next picture of the screen.
  drawNow() {
    this.moving = false;
    this.dirty = true;
    this.tick(this.gizmo.group.visible);
  }

  /// Called for each picture of the screen.
  tick(showGizmo: boolean) {
    if (!this.dirty) return;
    this.dirty = false;
    const now = performance.now();
    if (this.moving && this.lastDraw > 0) {
      const interval = now - this.lastDraw;
      if (interval < 500) this.cost += 0.1 * (interval - this.cost);
      // Without a graphics card: fewer pixels while it moves, all of them when it stands.
      const wanted = this.cost > 42 ? Math.max(0.5, this.scale - 0.125) : this.cost < 24 ? Math.min(1, this.scale + 0.125) : this.scale;
      if (wanted !== this.scale) {
        this.scale = wanted;
        this.cost = 32;
      }
    }
    this.lastDraw = now;
    const ratio = (this.moving ? this.scale : 1) * Math.min(window.devicePixelRatio, 2);
    if (Math.abs(this.renderer.getPixelRatio() - ratio) > 1e-3) this.renderer.setPixelRatio(ratio);
    const brief = this.software && this.moving;
    const pixel = (2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.controls.target)) / (this.height * ratio);
    for (const skin of this.skins) {
      skin?.drawBacks(!brief);
      skin?.limit(brief ? 40000 : 0, pixel);
    }
    const skin = this.skins[0];
    if (this.bones && skin && skin.joints.length > 0) this.bones.update(skin.joints, this.chosen, this.group, this.camera.position, this.moved);
    this.placeGizmo(showGizmo);
    if (this.mark.visible) this.mark.quaternion.copy(this.camera.quaternion);
    this.draw();
    this.magnify();
    ++this.drawn;
    this.changed();
  }

  /// Shows what is under the pointer four times as large, while a joint is dragged.
  private magnify() {
    if (!this.loupe && !this.glass) return;
    const glass = (this.glass ??= this.element.parentElement?.querySelector<HTMLCanvasElement>('.loupe') ?? null);
    if (!glass) return;
    glass.hidden = this.loupe === null;
    const context = glass.getContext('2d');
    if (!this.loupe || !context) return;
    const source = this.renderer.domElement;
    const scale = source.width / Math.max(1, this.width);
    const side = (glass.width / 4) * scale;
    context.imageSmoothingEnabled = true;
    context.clearRect(0, 0, glass.width, glass.height);
    context.drawImage(source, this.loupe.x * scale - side / 2, this.loupe.y * scale - side / 2, side, side, 0, 0, glass.width, glass.height);
    context.strokeStyle = '#fff9';
    context.beginPath();
    context.moveTo(glass.width / 2, glass.height / 2 - 9);
    context.lineTo(glass.width / 2, glass.height / 2 + 9);
    context.moveTo(glass.width / 2 - 9, glass.height / 2);
    context.lineTo(glass.width / 2 + 9, glass.height / 2);
    context.stroke();
  }

  private draw() {
    this.renderer.setClearColor(this.dark ? 0x1b1f25 : 0xe9ecef);
    const [a, b] = this.skins;
    const panes = this.compare === 'off' || !b ? sidePanes(1, this.width) : this.compare === 'side' ? sidePanes(2, this.width) : wipePanes(this.wipe, this.width);
    drawPanes(this.renderer, this.camera, this.height, panes, (pane) => {
      if (a) a.mesh.visible = pane === 0 && a.joints !== undefined && a.positions.length > 0;
      if (b) b.mesh.visible = pane === 1;
      return this.scene;
    });
  }
}
