// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Connects the program, the picture and what the panels show.

import { effect, untracked } from '@preact/signals';
import * as THREE from 'three';
import { Viewport } from '../view/viewport';
import type { Look } from '../view/skin';
import { Link, kinds, type Answer, type Head } from './link';
import { picked, Tools } from './tools';
import { Transfer } from './transfer';
import * as store from './store';

const modelFiles = (name: string) => store.welcome.value?.endings.some((ending) => name.toLowerCase().endsWith(ending)) ?? false;

export class App {
  readonly link: Link;
  readonly view: Viewport;
  readonly tools: Tools;
  readonly transfer: Transfer;
  private answered = 0; // The latest request for a frame that was answered. The program answers the newest and forgets older ones.
  private sequence = 0;
  private last = performance.now();
  private next = 0; // The timer of the next request.
  private wanted = true; // A frame is wanted although nothing plays.
  private waiting: { info: store.SceneInfo; fresh: boolean } | null = null;
  private lastInput = '';
  private lastShown = ''; // Of colours, for the command line.
  private updates = 0;
  private measured = performance.now();
  private gauged = 0;
  private gauging = false;
  private lastClip = -1;
  private resumes = false; // An item of the list stopped the clip, not a person.
  private markedPose = false; // The mark is at a place of the pose that is shown.
  private micros = 0;
  readonly frames: string[] = []; // For tests: hashes of frames.
  readonly totals = { updates: 0, drawn: 0, micros: 0 }; // For measuring, since the page was opened.

  constructor(element: HTMLElement) {
    this.view = new Viewport(element, () => undefined);
    this.link = new Link({
      message: (message) => this.message(message),
      binary: (head, buffer) => this.binary(head, buffer),
      connected: (yes) => {
        store.connected.value = yes;
        this.answered = this.sequence;
        if (!yes) store.job.value = null;
      },
    });
    this.tools = new Tools(this);
    this.transfer = new Transfer(this.link);
    effect(() => {
      this.view.setTheme(store.theme.value === 'dark');
      document.documentElement.dataset.theme = store.theme.value;
    });
    effect(() => this.applyLook());
    effect(() => this.applyHidden());
    effect(() => {
      const field = store.field.value;
      const joint = store.chosen.value;
      const generation = store.scene.value?.generation;
      if (!field || !generation || (field === 'joint' && joint < 0)) return;
      this.link?.tell('field', { field, joint: Math.max(0, joint) });
      const show = field === 'joint' ? `weights:${store.scene.peek()?.joints[joint]?.name}` : field === 'segments' ? 'segments' : '';
      if (show && show !== this.lastShown) this.tellCommand('colors', { show });
      this.lastShown = show;
    });
    effect(() => {
      const compares = store.mode.value === 'compare' && store.methods.value[1] !== '';
      const view = store.compareView.value;
      this.view.setCompare(!compares || this.difference ? 'off' : view === 'difference' ? 'side' : view);
      this.want();
    });
    effect(() => {
      if (!store.posed.value && this.markedPose) this.view.markAt();
    });
    effect(() => {
      store.clipChange.value;
      store.plot.value = null;
      this.want();
    });
    requestAnimationFrame(() => this.tick());
    window.addEventListener('dragover', (event) => event.preventDefault());
    window.addEventListener('drop', (event) => {
      event.preventDefault();
      // What is dropped on the time line is a clip, whatever else is in the file; on the panel of Compare it is the other side.
      const on = (place: string) => event.target instanceof Element && event.target.closest(place) !== null;
      void this.openFiles([...(event.dataTransfer?.files ?? [])], on('.timeline') ? 'clips' : on('.compare') ? 'other' : 'open');
    });
  }

  /// Whether the difference is shown: vertex by vertex, so that both must have as many.
  private get difference(): boolean {
    return store.mode.value === 'compare' && store.methods.value[1] !== '' && store.compareView.value === 'difference' && store.other.value?.same_vertices !== false;
  }

  private applyLook() {
    const difference = this.difference;
    const kind = difference ? 4 : { '': 0, joint: 1, segments: 2, influences: 3, confidence: 5, origin: 2 }[store.field.value];
    const size = store.scene.value ? new THREE.Vector3(...store.scene.value.box[0]).distanceTo(new THREE.Vector3(...store.scene.value.box[1])) : 1;
    const look: Look = {
      field: kind as Look['field'],
      range: difference ? 20 * size : 7,
      xray: store.xray.value,
      wire: store.wire.value,
      hidden: store.hiddenMaterials.value,
    };
    this.view.chosen = store.chosen.value;
    this.view.group = store.mode.value === 'joints' ? store.group.value : new Set();
    this.view.look(look, store.showBones.value || store.mode.value === 'joints' || store.mode.value === 'pose', store.axes.value);
  }

  /// What is hidden, and what alone is shown.
  private applyHidden() {
    const info = store.scene.value;
    const only = store.only.value;
    const parts = store.hiddenParts.value;
    let shown: Uint8Array | null = null;
    if (info && (parts.size > 0 || only)) {
      shown = only ? only.shown.slice() : new Uint8Array(info.vertices).fill(1);
      for (const p of parts) shown.fill(0, info.parts[p].first, info.parts[p].first + info.parts[p].vertices);
    }
    this.view.hide(shown, store.hiddenJoints.value);
  }

  /// Shows one piece alone, or everything again.
  async isolate(piece: string) {
    if (store.only.value?.piece === piece) {
      store.only.value = null;
      return;
    }
    try {
      const answer = await this.link.ask('ask', { what: 'piece', of: piece });
      store.only.value = { piece, shown: Uint8Array.from(atob(answer.vertices as string), (c) => c.charCodeAt(0)) };
    } catch (problem) {
      store.error.value = problem instanceof Error ? problem.message : String(problem);
    }
  }

  /// The chosen clip as commands name it.
  get clipWord(): string {
    const clip = store.posed.value ? undefined : store.scene.value?.clips[store.clip.value];
    return !clip ? '' : clip.builtin ? `builtin:${clip.name}` : clip.name;
  }

  /// Shows the command line of something that the page does alone.
  tellCommand(what: string, details: Record<string, unknown> = {}) {
    untracked(() => this.link?.tell('command', { what, clip: this.clipWord, method: store.methods.value[0], ...details }));
  }

  /// Shows the character by a deformer.
  showMethod(slot: 0 | 1, method: string, other: Record<string, unknown> = {}) {
    return this.run('show', { slot, method, clip: this.clipWord, ...other });
  }

  want() {
    this.wanted = true;
  }

  private tick() {
    const now = performance.now();
    this.pull();
    const drawn = this.view.drawn;
    this.view.tick(store.mode.peek() === 'pose' && store.posed.peek());
    this.totals.drawn += this.view.drawn - drawn;
    if (now - this.gauged > 300) this.gauge(now);
    if (now - this.measured > 1000) {
      const seconds = (now - this.measured) / 1000;
      store.statistics.value = { updates: this.updates / seconds, drawn: this.view.drawn / seconds, micros: this.updates ? this.micros / this.updates : 0 };
      this.updates = this.micros = this.view.drawn = 0;
      this.measured = now;
    }
    requestAnimationFrame(() => this.tick());
  }

  /// Moves the clock, and asks for the frame of now. Also between two pictures of the screen, up to sixty times a second:
  /// what is drawn next is then as new as can be, however long drawing takes.
  private pull() {
    const now = performance.now();
    const step = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    const plays = store.playing.value && !this.still;
    if (plays && store.duration.value > 0) store.time.value = (store.time.peek() + step * store.speed.value) % store.duration.value;
    if (this.sequence - this.answered < 2 && store.scene.peek() && this.link.ready && (plays || this.wanted)) this.request();
    clearTimeout(this.next);
    if (plays) this.next = window.setTimeout(() => this.pull(), 16);
  }

  /// What is on its way that changes what is drawn, apart from a clip that plays or a drag; empty if nothing is.
  get awaits(): string {
    if (this.link.asked > (this.gauging ? 1 : 0)) return 'an answer';
    if (this.view.info?.generation !== store.scene.value?.generation) return 'a surface';
    const moves = (store.playing.value && !this.still) || this.tools.edit !== null;
    if (!moves && (this.wanted || this.sequence > this.answered)) return 'a frame';
    return !moves && this.view.waits ? 'a picture' : '';
  }

  /// Poses and joints stand still; everything else moves.
  private get still(): boolean {
    return store.posed.value || store.mode.value === 'joints' || store.clip.value < 0;
  }

  private request() {
    this.wanted = false;
    const bind = store.mode.value === 'joints';
    const body: Record<string, unknown> = {
      seq: ++this.sequence,
      clip: bind ? -1 : store.clip.value,
      time: store.time.value,
      posed: store.posed.value && !bind,
      compare: store.mode.value === 'compare' && store.methods.value[1] !== '',
    };
    Object.assign(body, store.clipChange.value);
    if (body.posed && this.tools.edit) body.edit = this.tools.edit;
    this.link.tell('draw', body);
  }

  private binary(head: Head, buffer: ArrayBuffer) {
    if (head.kind === kinds.surface && head.slot === 1) {
      const other = store.other.value;
      if (!other || head.generation !== other.scene.generation) return;
      this.view.setOther(other.scene, head, buffer);
      this.applyLook();
      this.applyHidden();
      void this.loadPictures(other.scene, other.images, 1);
      this.want();
      return;
    }
    if (head.kind === kinds.surface) {
      const info = store.scene.value;
      if (!info || head.generation !== info.generation) return;
      this.view.setSurface(info, head, buffer, this.waiting?.fresh ?? true);
      this.applyLook();
      this.applyHidden();
      void this.loadPictures(info, store.images.value, 0);
      if (store.other.value) void this.loadPictures(store.other.value.scene, store.other.value.images, 1);
      this.answered = this.sequence;
      this.want();
      return;
    }
    if (head.kind === kinds.frame && head.slot === 0) this.answered = Math.max(this.answered, head.sequence);
    const shown = head.kind === kinds.frame && head.slot === 1 && store.other.value ? store.other.value.scene : store.scene.value;
    if (head.generation !== shown?.generation) return;
    if (head.kind === kinds.frame) {
      if (head.slot === 0) {
        ++this.updates;
        this.micros += head.micros;
        ++this.totals.updates;
        this.totals.micros += head.micros;
        if (this.frames.length < 4000) this.frames.push(String(buffer.byteLength > 200 ? new Uint32Array(buffer, 32 + 12 * Math.floor(head.vertices / 2), 3).join(',') : ''));
      }
      this.view.frame(head, buffer);
      if (this.tools.edit) this.want();
    } else if (head.kind === kinds.field) this.view.field(buffer);
  }

  private async loadPictures(info: store.SceneInfo, images: (number | null)[], slot: 0 | 1) {
    const skins = this.view.skins;
    const shown = slot === 1 ? [skins[1]] : store.other.value ? [skins[0]] : skins;
    const made = new Map<number, Promise<ImageBitmap>>();
    const wanted = info.materials.flatMap((material, i) => material ? ([['map', i, material.map], ['emissiveMap', i, material.emissiveMap]] as const) : []);
    await Promise.all(
      wanted.map(async ([kind, i, image]) => {
        const id = image >= 0 ? images[image] : null;
        if (id === null || id === undefined) return;
        try {
          if (!made.has(id)) made.set(id, this.link.blob(id).then((blob) => createImageBitmap(blob, { colorSpaceConversion: 'none' })));
          const picture = await made.get(id)!;
          for (const skin of shown) skin?.setMap(i, kind, picture);
          this.view.touch();
        } catch {
          // A new character may have come meanwhile, whose pictures are others.
          if (skins === this.view.skins) store.notice.value = `The picture '${info.images[image] ?? ''}' cannot be shown.`;
        }
      }),
    );
  }

  private message(message: Answer) {
    switch (message.t) {
      case 'welcome':
        store.welcome.value = message as unknown as store.Welcome;
        store.editor.value = message.editor as boolean;
        store.grades.value = message.grades as store.Grade[];
        break;
      case 'grade': {
        const grade = message.grade as store.Grade;
        store.grades.value = store.grades.value.map((known) => (known.file === grade.file ? grade : { ...known, done: grade.done }));
        break;
      }
      case 'role':
        store.editor.value = message.editor as boolean;
        break;
      case 'state':
        this.state(message);
        break;
      case 'history':
        this.setHistory(message);
        break;
      case 'shown': {
        const methods: [string, string] = [...store.methods.value];
        methods[message.slot as 0 | 1] = message.method as string;
        store.methods.value = methods;
        if ((message.findings as string[]).length) store.notice.value = (message.findings as string[]).join(' ');
        this.want();
        break;
      }
      case 'other':
        store.other.value = message.other as store.Other | null;
        if (!store.other.value && this.view.dropOther() && store.scene.value) {
          this.applyLook();
          this.applyHidden();
          void this.loadPictures(store.scene.value, store.images.value, 0);
        }
        this.want();
        break;
      case 'attention':
        if (message.generation !== store.scene.value?.generation) break;
        store.items.value = message.items as store.Item[];
        store.rows.value = message.rows as store.CheckRow[];
        store.verdict.value = message.verdict as string;
        break;
      case 'job':
        store.job.value = message.done ? null : (message as unknown as store.Job);
        break;
      case 'download':
        this.transfer.download(message.blob as number, message.name as string);
        if ((message.findings as string[]).length) store.notice.value = (message.findings as string[]).join(' ');
        break;
      case 'view':
        store.locked.value = new Set(message.locked as string[]);
        break;
      case 'earlier':
        store.earlier.value = message.steps as number;
        break;
      case 'carried':
        store.carried.value = { name: message.name as string, steps: message.steps as number, ...(message.open ? { open: message.open as Record<string, unknown> } : {}) };
        break;
      case 'play':
        this.choose(message.clip as number);
        store.playing.value = true;
        break;
      case 'plot':
        if (message.generation === store.scene.value?.generation) store.plot.value = message as unknown as store.Plot;
        break;
      case 'command':
        store.command.value = message.text as string;
        break;
      case 'no_frame':
        this.answered = Math.max(this.answered, message.seq as number);
        break;
      case 'error':
        store.error.value = message.text as string;
        break;
    }
  }

  private setHistory(message: Answer) {
    store.history.value = { labels: message.labels as string[], cursor: message.cursor as number };
    store.command.value = message.command as string;
    store.pose.value = message.pose as Record<string, unknown>;
    this.want();
  }

  private state(message: Answer) {
    const info = message.scene as store.SceneInfo;
    const before = store.scene.value;
    const fresh = this.lastInput !== message.input || !before || JSON.stringify(before.box) !== JSON.stringify(info.box);
    const rigged = before !== null && before.joints.length === 0 && info.joints.length > 0;
    this.lastInput = message.input as string;
    this.waiting = { info, fresh };
    store.images.value = message.images as (number | null)[];
    const name = before?.joints[store.chosen.value]?.name;
    store.scene.value = info;
    store.input.value = message.input as string;
    store.isSample.value = message.sample as boolean;
    store.file.value = message.file as number;
    store.methods.value = message.methods as [string, string];
    store.recipe.value = message.recipe as Record<string, unknown>[];
    store.items.value = null;
    store.verdict.value = '';
    store.item.value = -1;
    store.measures.value = [];
    store.plot.value = null;
    store.earlier.value = message.earlier as number;
    void this.loadRows();
    this.view.markAt();
    if (fresh) {
      store.chosen.value = -1;
      store.carried.value = null;
      store.selected.value = [];
      store.clipChange.value = { mirror: false, in_place: false, arm_space: 0 };
      store.posed.value = false;
      if (this.resumes) store.playing.value = true;
      this.resumes = false;
      store.field.value = '';
      store.hiddenMaterials.value = new Set();
      store.hiddenParts.value = new Set();
      store.hiddenJoints.value = new Set();
      store.only.value = null;
      picked.value = null;
      store.fixed.value = new Set();
      store.locked.value = new Set();
      store.notice.value = '';
      // A fortieth of the size: 5 cm for a person.
      store.brush.value = { ...store.brush.value, radius: 0.025 * this.size };
      if (!store.isSample.value && store.mode.value !== 'review') store.mode.value = 'review';
    } else if (name !== undefined) store.chosen.value = info.joints.findIndex((joint) => joint.name === name);
    if (JSON.stringify(before?.joints.map((joint) => joint.name)) !== JSON.stringify(info.joints.map((joint) => joint.name))) {
      store.group.value = new Set();
      store.hiddenJoints.value = new Set();
    }
    if (store.only.value && store.only.value.shown.length !== info.vertices) store.only.value = null;
    const playing = before?.clips[store.clip.value]?.name;
    const same = info.clips.findIndex((clip) => clip.name === playing);
    if (fresh || rigged || (same < 0 && store.clip.value >= 0)) this.choose(this.firstClip(info));
    else if (same >= 0 && same !== store.clip.value) this.choose(same);
    this.setHistory(message.history as Answer);
  }

  private firstClip(info: store.SceneInfo): number {
    const fitting = info.clips.findIndex((clip) => clip.builtin && clip.name === info.fitting);
    // Many files hold their bind pose as a clip of one frame, which shows nothing.
    const own = info.clips.findIndex((clip) => !clip.builtin && (clip.duration ?? 1) > 0.1);
    return own >= 0 && !info.rigged && !store.isSample.value ? own : fitting;
  }

  /// A clip that a person chooses.
  pick(clip: number) {
    this.choose(clip);
    this.tellCommand('clip');
  }

  choose(clip: number, time = 0) {
    if (clip >= 0) this.lastClip = clip;
    store.clip.value = clip;
    store.posed.value = false;
    store.duration.value = 0;
    store.time.value = time;
    this.view.markAt();
    this.want();
    if (clip < 0) return;
    this.link.ask('ask', { what: 'clip', clip }).then(
      (answer) => {
        if (store.clip.value !== clip) return;
        store.duration.value = answer.duration as number;
        store.time.value = time;
        this.want();
      },
      () => undefined,
    );
  }

  async run(t: string, body: Record<string, unknown> = {}): Promise<boolean> {
    store.error.value = '';
    try {
      await this.link.ask(t, body);
      return true;
    } catch (problem) {
      store.error.value = problem instanceof Error ? problem.message : String(problem);
      return false;
    }
  }

  step(step: Record<string, unknown>): Promise<boolean> {
    return this.run('do', { step });
  }

  async openFiles(files: File[], as: 'open' | 'clips' | 'other' = 'open') {
    if (files.length === 0) return;
    const recipe = files.find((file) => file.name.endsWith('.sinew.json'));
    const main = recipe ?? files.find((file) => modelFiles(file.name)) ?? files[0];
    if (!(await this.transfer.send(files, () => this.run('drop')))) return;
    if (as === 'other') await this.compareWith({ name: main.name });
    else if (main.name.endsWith('.sinew.json')) await this.run('load_recipe', { name: main.name });
    else if (main.name.endsWith('.json')) {
      try {
        const pose = JSON.parse(await main.text()) as unknown;
        if (await this.run('pose', { pose })) this.showPose();
      } catch {
        store.error.value = `${main.name} is neither a pose nor a recipe.`;
      }
    } else if (as === 'clips' || /\.(bvh|vrma)$/i.test(main.name)) {
      for (const file of files.filter((candidate) => modelFiles(candidate.name))) if (!(await this.run('add_clips', { name: file.name }))) return;
    } else await this.run('open', { name: main.name });
  }

  /// Ends what runs or is sent.
  cancel() {
    this.transfer.cancel();
    this.link.tell('cancel');
  }

  /// Shows a file beside the character: one of the list, one that was uploaded, or an earlier step.
  compareWith(file: { file: number } | { name: string } | { step: number }) {
    return this.showMethod(1, store.methods.value[1] || store.methods.value[0], file);
  }

  showPose() {
    store.posed.value = true;
    if (store.mode.value !== 'pose') store.mode.value = 'pose';
    this.want();
  }

  /// What is measured of the joint in view, a few times a second.
  private gauge(now: number) {
    const useful = store.chosen.value >= 0 && ['review', 'pose', 'compare'].includes(store.mode.value);
    if (this.gauging || !this.link.ready || !store.scene.value?.has_weights || !useful) return;
    this.gauged = now;
    this.gauging = true;
    this.link.ask('ask', { what: 'measure', joint: store.chosen.value }).then(
      (answer) => {
        this.gauging = false;
        store.measures.value = answer.ready ? (answer.measures as store.Measure[]) : [];
      },
      () => (this.gauging = false),
    );
  }

  askPlot() {
    const clip = store.clip.value;
    if (clip < 0) return;
    store.showPlot.value = true;
    store.plot.value = null;
    this.tellCommand('plot');
    void this.run('plot', { clip, joint: store.chosen.value, ...store.clipChange.value });
  }

  /// The rows of the vertices that are selected.
  async loadRows() {
    const vertices = store.selected.value;
    if (vertices.length === 0) {
      store.rowTable.value = [];
      return;
    }
    try {
      const answer = await this.link.ask('ask', { what: 'rows', vertices });
      store.rowTable.value = answer.rows as store.Row[];
    } catch {
      store.rowTable.value = [];
    }
  }

  /// Painted weights of vertices give way to the computed ones.
  reset(vertices: number[]) {
    const bytes = new Uint8Array(new Uint32Array(vertices).buffer);
    let text = '';
    for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
    return this.step({ do: 'reset', vertices: btoa(text) });
  }

  picture() {
    this.view.drawNow();
    this.view.renderer.domElement.toBlob((blob) => blob && this.transfer.save(blob, `${store.input.value || 'studio'}.png`));
    this.tellCommand('picture', { time: store.time.value });
  }

  /// A mode changes the tool and the panel. A pose stays as long as something is posed, so that it can be painted and
  /// compared; otherwise the clip goes on.
  setMode(mode: store.Mode) {
    store.mode.value = mode;
    store.posed.value = mode === 'pose' || (store.posed.value && store.posedJoints.value > 0);
    if (mode === 'compare') this.tellCommand('check');
    if (mode === 'weights' && store.field.value === '') store.field.value = 'joint';
    if (mode !== 'weights') store.field.value = '';
    if (mode === 'weights' && store.chosen.value < 0 && store.deforming.value.length) store.chosen.value = store.deforming.value[0];
    this.view.setBrush(null, 0);
    this.view.setOutline([]);
    this.want();
  }

  /// Shows an item of the attention list: its place, its pose.
  async show(index: number) {
    const item = store.items.value?.[index];
    if (!item) return;
    store.item.value = index;
    if (item.joint >= 0) store.chosen.value = item.joint;
    if (item.clip !== undefined) return this.showClip(item.clip, item.time ?? 0);
    if (item.pose) {
      if (await this.run('pose', { edit: item.pose, from_rest: true })) store.posed.value = true;
    } else if (item.place) this.choose(-1); // Seen in the bind pose.
    this.markedPose = item.pose !== undefined;
    // What is everywhere is seen from where everything is seen, and needs no mark.
    const place = item.place && 3 * (item.radius ?? 0) < 0.5 * this.size ? item.place : undefined;
    this.view.markAt(place, item.radius);
    if (place) this.view.aim(new THREE.Vector3(...place), 3 * item.radius!);
    else this.view.frameAll();
    this.want();
  }

  /// Stops a clip of the file at a time, and looks at the chosen joint.
  private async showClip(name: string, time: number) {
    const clip = store.scene.value?.clips.findIndex((candidate) => !candidate.builtin && candidate.name === name) ?? -1;
    if (clip < 0) return;
    this.resumes ||= store.playing.value;
    store.playing.value = false;
    this.choose(clip, time);
    const end = performance.now() + 5000;
    do await new Promise((done) => setTimeout(done, 30));
    while (this.awaits !== '' && performance.now() < end);
    if (store.clip.value === clip && store.time.value === time) this.focus();
  }

  /// Plays or pauses. A pose gives way to the clip.
  togglePlay() {
    if (store.mode.value === 'joints' || !store.scene.value?.clips.length) return;
    this.resumes = false;
    store.playing.value = !store.playing.value || store.posed.value || store.clip.value < 0;
    store.posed.value = false;
    if (store.clip.value < 0 && store.playing.value) this.choose(store.scene.value.clips[this.lastClip] ? this.lastClip : this.firstClip(store.scene.value));
    this.want();
  }

  async standardPose(pose: 't' | 'a') {
    if (await this.run('pose', { edit: { kind: 'standard', pose, joint: 0 } })) this.showPose();
  }

  playNamed(name: string) {
    const clip = store.scene.value?.clips.findIndex((candidate) => candidate.name === name) ?? -1;
    if (clip < 0) return;
    this.pick(clip);
    store.playing.value = true;
  }

  /// Adds the clip as it plays.
  keepClip(name: string) {
    const { mirror, in_place, arm_space } = store.clipChange.value;
    const options = { ...(mirror ? { mirror } : {}), ...(in_place ? { in_place } : {}), ...(arm_space !== 0 ? { arm_space } : {}) };
    store.clipChange.value = { mirror: false, in_place: false, arm_space: 0 };
    return this.step({ do: 'clip', name, ...(Object.keys(options).length ? { options } : {}) });
  }

  exportFile(format: string) {
    if (format === 'recipe' && store.isSample.value) return Promise.resolve(false);
    return this.run('export', { format, recipe: store.recipeInside.value, locked: [...store.locked.value] });
  }

  /// Removes the chosen joint and all below it.
  deleteChain() {
    const joints = store.scene.value?.joints ?? [];
    const gone = new Set([store.chosen.value]);
    joints.forEach((joint, i) => gone.has(joint.parent) && gone.add(i));
    return this.step({ do: 'skeleton', options: { remove: [...gone].map((i) => joints[i].name) } });
  }

  nextJoint(step: number) {
    const joints = store.deforming.value;
    if (joints.length === 0) return;
    const at = joints.indexOf(store.chosen.value);
    store.chosen.value = joints[(at + step + joints.length) % joints.length];
  }

  focus() {
    const places = this.view.bones?.places;
    const place = store.chosen.value >= 0 ? places?.[store.chosen.value] : undefined;
    if (place) this.view.aim(place.clone(), 0.12 * this.size);
    else this.view.frameAll();
  }

  get size(): number {
    const info = store.scene.value;
    return info ? new THREE.Vector3(...info.box[0]).distanceTo(new THREE.Vector3(...info.box[1])) : 1;
  }
}
