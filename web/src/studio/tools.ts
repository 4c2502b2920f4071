// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// What the pointer does on the picture, by mode: choose, rotate, pull, move a joint, paint.

import { signal } from '@preact/signals';
import * as THREE from 'three';
import { Turn, type Handle } from '../view/gizmo';
import type { App } from './app';
import * as store from './store';

type Edit = Record<string, unknown>;
const triple = (v: THREE.Vector3): [number, number, number] => [v.x, v.y, v.z];

export class Tools {
  edit: Edit | null = null; // Of the pose, while the pointer is down.
  private turn: { handle: Handle; turn: Turn } | null = null;
  private pull: { plane: THREE.Plane; root: boolean; start: THREE.Vector3 } | null = null;
  /// `starts`: where the joint was, and those that move with it.
  private joint: { joint: number; asked: boolean; next: THREE.Ray | null; free: THREE.Plane; starts: Map<number, THREE.Vector3> } | null = null;
  private painting = false;
  private dabAt: THREE.Vector2 | null = null;
  private down: { at: THREE.Vector2; time: number } | null = null;

  constructor(private readonly app: App) {
    const canvas = app.view.renderer.domElement;
    // Before the camera's own listeners, which must not see what a tool takes.
    canvas.addEventListener('pointerdown', (event) => this.press(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event), { capture: true });
    canvas.addEventListener('pointerup', (event) => this.release(event), { capture: true });
    canvas.addEventListener('pointerleave', () => app.view.setBrush(null, 0));
  }

  private get view() {
    return this.app.view;
  }

  private take(event: PointerEvent) {
    event.stopImmediatePropagation();
    event.preventDefault();
    (event.target as Element).setPointerCapture(event.pointerId);
    this.view.controls.enabled = false;
  }

  private press(event: PointerEvent) {
    const at = this.view.local(event);
    this.down = { at, time: performance.now() };
    if (event.button !== 0) return;
    const mode = store.mode.value;
    if (mode === 'pose' && store.posed.value && this.pressGizmo(at)) this.take(event);
    else if (mode === 'joints' && store.scene.value?.movable && !store.adding.value && !event.shiftKey && this.pressJoint(at)) this.take(event);
    else if (mode === 'weights' && brushOn.value && this.pressBrush(at, event)) this.take(event);
  }

  private pressGizmo(at: THREE.Vector2): boolean {
    const handle = this.view.gizmo.pick(at.x, at.y, this.view.project);
    if (!handle) return false;
    const middle = this.view.gizmo.middle;
    if (handle === 'pull') {
      const normal = this.view.camera.getWorldDirection(new THREE.Vector3());
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, middle);
      const joints = store.scene.value!.joints;
      const parent = joints[store.chosen.value].parent;
      this.pull = { plane, root: parent < 0 || !joints[parent].deforming, start: middle };
    } else {
      const axis = this.view.gizmo.axis(handle);
      this.turn = { handle, turn: new Turn(axis, middle, at, this.view.camera.position, this.view.project) };
    }
    this.view.gizmo.hot = handle;
    return true;
  }

  private pressJoint(at: THREE.Vector2): boolean {
    const joint = this.view.pickJoint(at);
    if (joint < 0) return false;
    store.chosen.value = joint;
    if (!store.scene.value!.joints[joint].hint) {
      store.notice.value = 'This joint belongs to no body plan, so its position follows from the mesh alone.';
      return true;
    }
    const normal = this.view.camera.getWorldDirection(new THREE.Vector3());
    const free = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, this.view.bones!.places[joint]);
    const starts = new Map(this.joined(joint).map((j) => [j, this.view.bones!.places[j].clone()]));
    this.joint = { joint, asked: false, next: null, free, starts };
    return true;
  }

  /// The joints that move with one: the selected ones if it is among them, and those below if that is wanted. Only joints
  /// of the body plan can be moved.
  private joined(joint: number): number[] {
    const joints = store.scene.value!.joints;
    if (!store.group.value.has(joint)) store.group.value = new Set();
    const all = new Set([joint, ...store.group.value]);
    if (store.children.value) joints.forEach((candidate, i) => all.has(candidate.parent) && all.add(i));
    return [...all].filter((i) => joints[i].hint);
  }

  private moveJoints(place: THREE.Vector3) {
    const { joint, starts } = this.joint!;
    const offset = place.clone().sub(starts.get(joint)!);
    for (const [j, start] of starts) this.view.moved.set(j, start.clone().add(offset));
  }

  private pressBrush(at: THREE.Vector2, event: PointerEvent): boolean {
    const hit = this.view.pickSkin(at, store.hiddenMaterials.value);
    if (!hit || store.chosen.value < 0) return false;
    const settings = store.brush.value;
    const mode = event.shiftKey ? 'smooth' : event.ctrlKey ? 'subtract' : settings.mode;
    this.painting = true;
    this.app.link.tell('stroke', {
      phase: 'begin', mode, joint: store.chosen.value, radius: settings.radius, strength: settings.strength, value: settings.value, lock: [...store.locked.value],
      mirror: store.mirror.value, normalize: store.normalize.value, fixed: [...store.fixed.value],
    });
    this.dab(at);
    return true;
  }

  private dab(at: THREE.Vector2) {
    const hit = this.view.pickSkin(at, store.hiddenMaterials.value);
    this.view.setBrush(hit, store.brush.value.radius);
    if (!hit) return;
    if (this.dabAt && this.dabAt.distanceTo(at) < 3) return;
    this.dabAt = at.clone();
    this.app.link.tell('stroke', { phase: 'dab', vertex: this.view.skins[0]!.sources[hit.vertex] });
  }

  private move(event: PointerEvent) {
    const at = this.view.local(event);
    if (this.turn) {
      const angle = this.turn.turn.move(at);
      const joint = store.chosen.value;
      this.edit = this.turn.handle === 'twist' ? { kind: 'twist', joint, angle } : { kind: 'turn', joint, axis: triple(this.turn.turn.axis), angle };
      store.hovered.value = `${store.jointName.value} ${((angle * 180) / Math.PI).toFixed(0)}°`;
      this.app.want();
    } else if (this.pull) {
      const target = this.view.ray(at).intersectPlane(this.pull.plane, new THREE.Vector3());
      if (!target) return;
      const joint = store.chosen.value;
      this.edit = this.pull.root ? { kind: 'move', joint, offset: triple(target.sub(this.pull.start)) } : { kind: 'ik', joint, target: triple(target) };
      this.app.want();
    } else if (this.joint) {
      this.dragJoint(at, event.ctrlKey);
      this.view.loupe = at;
    } else if (this.painting) {
      this.dab(at);
    } else if (event.buttons === 0) {
      this.hover(at);
      return;
    } else return;
    event.stopImmediatePropagation();
  }

  private hover(at: THREE.Vector2) {
    const mode = store.mode.value;
    if (mode === 'pose' && store.posed.value) {
      const hot = this.view.gizmo.pick(at.x, at.y, this.view.project);
      if (hot !== this.view.gizmo.hot) {
        this.view.gizmo.hot = hot;
        this.view.touch();
      }
    } else if (mode === 'weights' && brushOn.value) this.view.setBrush(this.view.pickSkin(at, store.hiddenMaterials.value), store.brush.value.radius);
  }

  /// Asks the program for the middle of the limb; one question at a time, the latest next.
  private dragJoint(at: THREE.Vector2, free: boolean) {
    const drag = this.joint!;
    const ray = this.view.ray(at);
    if (free) {
      const place = ray.intersectPlane(drag.free, new THREE.Vector3());
      if (place) this.moveJoints(place);
      drag.next = null;
      this.view.touch(true);
      return;
    }
    drag.next = ray;
    if (!drag.asked) this.askSnap();
  }

  private askSnap() {
    const drag = this.joint;
    if (!drag?.next) return;
    const ray = drag.next;
    drag.next = null;
    drag.asked = true;
    const body = { what: 'snap', origin: triple(ray.origin), direction: triple(ray.direction), joint: drag.joint, whole: store.whole.value };
    this.app.link.ask('ask', body).then(
      (answer) => {
        drag.asked = false;
        if (this.joint !== drag) return;
        if (answer.hit) {
          this.moveJoints(new THREE.Vector3(...(answer.point as [number, number, number])));
          this.view.setOutline(answer.outline as [number, number, number][]);
          store.hovered.value = `radius ${(100 * (answer.radius as number)).toFixed(1)} cm`;
        } else store.hovered.value = 'outside';
        this.view.touch(true);
        this.askSnap();
      },
      () => (drag.asked = false),
    );
  }

  private release(event: PointerEvent) {
    const at = this.view.local(event);
    const click = this.down && this.down.at.distanceTo(at) < 4 && performance.now() - this.down.time < 600;
    const took = this.turn ?? this.pull ?? this.joint ?? this.painting;
    if (this.edit) void this.commitPose(this.edit);
    if (this.joint && this.view.moved.size > 0) void this.commitJoint();
    if (this.painting) this.app.link.tell('stroke', { phase: 'end' });
    this.turn = this.pull = this.joint = null;
    this.painting = false;
    this.dabAt = null;
    this.view.loupe = null;
    this.view.gizmo.hot = null;
    this.view.controls.enabled = true;
    store.hovered.value = '';
    if (took) event.stopImmediatePropagation();
    else if (click && event.button === 0) void this.click(at, event.shiftKey);
  }

  private async commitPose(edit: Edit) {
    await this.app.run('pose', { edit });
    this.edit = null;
    this.app.want();
  }

  private async commitJoint() {
    const moves = [...this.view.moved].map(([joint, place]) => ({ joint, place: triple(place) }));
    await this.app.run('move_joints', { moves, mirror: store.mirror.value });
    this.view.moved.clear();
    this.view.setOutline([]);
    this.app.want();
  }

  /// Puts a joint below the chosen one, in the middle of the limb.
  private async addJoint(at: THREE.Vector2) {
    const info = store.scene.value!;
    const parent = info.joints[store.chosen.value];
    const ray = this.view.ray(at);
    const answer = await this.app.link.ask('ask', { what: 'snap', origin: triple(ray.origin), direction: triple(ray.direction), whole: store.whole.value });
    if (!answer.hit) {
      store.notice.value = 'Click the skin where the joint belongs.';
      return;
    }
    store.adding.value = false;
    const names = new Set(info.joints.map((joint) => joint.name));
    let number = 1;
    while (names.has(`${parent.name}_added${number}`)) ++number;
    await this.app.step({ do: 'skeleton', options: { add: { [`${parent.name}_added${number}@${parent.name}`]: answer.point } } });
  }

  private async click(at: THREE.Vector2, adds: boolean) {
    const info = store.scene.value;
    if (!info) return;
    if (store.mode.value === 'joints' && store.adding.value && store.chosen.value >= 0) return this.addJoint(at);
    const joint = this.view.bones?.drawn ? this.view.pickJoint(at, 14) : -1;
    if (joint >= 0) {
      if (adds && store.mode.value === 'joints') {
        const group = new Set(store.group.value.size > 0 || store.chosen.value < 0 ? store.group.value : [store.chosen.value]);
        if (!group.delete(joint)) group.add(joint);
        store.group.value = group;
      } else store.group.value = new Set();
      store.chosen.value = joint;
      return;
    }
    const hit = this.view.pickSkin(at, store.hiddenMaterials.value);
    if (!hit) {
      if (store.mode.value !== 'weights') store.chosen.value = -1;
      store.group.value = new Set();
      return;
    }
    const vertex = this.view.skins[0]!.sources[hit.vertex];
    try {
      const answer = await this.app.link.ask('ask', { what: 'vertex', vertex });
      const group = info.groups.findIndex((g) => 3 * hit.triangle >= g.start && 3 * hit.triangle < g.start + g.count);
      const part = info.parts.findIndex((p) => vertex >= p.first && vertex < p.first + p.vertices);
      picked.value = { vertex, part, row: answer.row as [string, number][], shell: answer.shell as number, material: info.materials[group]?.name ?? '' };
      const others = adds ? store.selected.value.filter((other) => other !== vertex) : [];
      store.selected.value = [...others, vertex];
      void this.app.loadRows();
      const name = picked.value.row[0]?.[0];
      if (name !== undefined) store.chosen.value = info.joints.findIndex((j) => j.name === name);
    } catch {
      // The character has changed meanwhile.
    }
  }

  cancel() {
    if (this.painting) this.app.link.tell('stroke', { phase: 'drop', joint: store.chosen.value });
    this.turn = this.pull = this.joint = null;
    this.painting = false;
    this.edit = null;
    store.adding.value = false;
    this.view.loupe = null;
    this.view.moved.clear();
    this.view.setOutline([]);
    this.view.controls.enabled = true;
    this.app.want();
  }
}

export const brushOn = signal(false);
export const picked = signal<{ vertex: number; part: number; row: [string, number][]; shell: number; material: string } | null>(null);
