// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The page that `sinew report` writes: characters side by side, their clips and their checks. Everything that comes
/// from a file is shown as text, never as HTML.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { drawPanes, sidePanes, wipePanes } from '../view/panes';
import { Character } from './character';
import { readData, type Check, type Model, type ReportData } from './data';
import { FigurePlot } from './plot';
import { View } from './view';

function make<K extends keyof HTMLElementTagNameMap>(kind: K, name = '', text = ''): HTMLElementTagNameMap[K] {
  const element = document.createElement(kind);
  if (name) element.className = name;
  if (text) element.textContent = text;
  return element;
}

/// The report of the run as JSON, closed at first. The link has the text itself, so that it works without a server.
function runSection(data: ReportData): HTMLElement {
  const section = make('details', 'run');
  const save = make('a', '', 'Save as JSON');
  const text = `${JSON.stringify(data.run, null, 2)}\n`;
  save.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  save.download = 'report.json';
  section.append(make('summary', '', 'Report of the run as JSON'), save, make('pre', '', text));
  return section;
}

class Report {
  private readonly data = readData();
  private readonly camera = new THREE.PerspectiveCamera(30, 1, 0.001, 1000);
  private readonly views: View[] = [];
  private readonly renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  private readonly stage = make('div', 'stage');
  private readonly wipe = make('input', 'wipe');
  private readonly split = make('div', 'split');
  private wiping = false;
  private readonly panel = make('div', 'panel');
  private readonly plotPlace = make('div');
  private plot: FigurePlot | null = null;
  private readonly clip = make('select');
  private readonly slider = make('input');
  private readonly play = make('button', '', 'Play');
  private readonly time = make('span', 'time');
  private controls!: OrbitControls;
  private playing = false;
  private seconds = 0;
  private last = performance.now();

  async start() {
    document.title = this.data.title;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.stage.append(this.renderer.domElement);
    document.body.append(make('h1', '', this.data.title), this.stage, this.bar(), this.plotPlace, this.panel, runSection(this.data));
    for (const model of this.data.models) await this.add(model);
    this.controls = new OrbitControls(this.camera, this.stage);
    this.controls.addEventListener('change', () => this.draw());
    this.frameAll();
    this.fillClips();
    this.addPlot();
    window.addEventListener('resize', () => this.draw());
    window.addEventListener('keydown', (event) => this.key(event));
    requestAnimationFrame(() => this.tick());
    this.draw();
    document.body.dataset.ready = String(this.views.reduce((sum, view) => sum + (view.character?.triangles() ?? 0), 0));
  }

  private async add(model: Model) {
    const cell = make('div', 'cell');
    cell.append(make('div', 'name', model.name));
    this.stage.append(cell);
    const view = new View();
    view.set(await Character.load(model));
    this.views.push(view);
    this.panel.append(this.describe(model, view));
  }

  private bar(): HTMLElement {
    const bar = make('div', 'bar');
    const toggle = (text: string) => {
      const label = make('label');
      const box = make('input');
      box.type = 'checkbox';
      label.append(box, document.createTextNode(text));
      return { label, box };
    };
    const skeleton = toggle(' skeleton');
    const wire = toggle(' wire');
    const change = () => {
      for (const view of this.views) view.character?.show(skeleton.box.checked, wire.box.checked);
      this.draw();
    };
    skeleton.box.addEventListener('change', change);
    wire.box.addEventListener('change', change);
    this.slider.type = 'range';
    this.slider.min = '0';
    this.slider.max = '1';
    this.slider.step = 'any';
    this.slider.value = '0';
    this.slider.addEventListener('input', () => this.seek(Number(this.slider.value)));
    this.play.addEventListener('click', () => this.toggle());
    this.clip.addEventListener('change', () => this.seek(0));
    bar.append(this.clip, this.play, this.slider, this.time, skeleton.label, wire.label);
    if (this.data.models.length === 2) {
      const wiping = toggle(' before and after');
      wiping.box.addEventListener('change', () => this.showWipe(wiping.box.checked));
      bar.append(wiping.label);
      this.addWipe();
    }
    return bar;
  }

  /// The slider between the first character, on its left, and the second.
  private addWipe() {
    this.wipe.type = 'range';
    this.wipe.min = '0';
    this.wipe.max = '1';
    this.wipe.step = 'any';
    this.wipe.value = '0.5';
    this.wipe.setAttribute('aria-label', 'Before and after');
    this.wipe.addEventListener('input', () => this.draw());
    this.wipe.addEventListener('pointerdown', (event) => event.stopPropagation()); // Does not turn the camera.
    this.stage.append(this.split, this.wipe);
    this.showWipe(false);
  }

  private showWipe(on: boolean) {
    this.wiping = on;
    this.wipe.hidden = this.split.hidden = !on;
    this.stage.classList.toggle('wiping', on);
    this.draw();
  }

  private fillClips() {
    const names = new Set(this.views.flatMap((view) => view.character?.clips.map((clip) => clip.name) ?? []));
    this.clip.append(new Option('rest pose', ''));
    for (const name of names) this.clip.append(new Option(name, name));
  }

  private describe(model: Model, view: View): HTMLElement {
    const section = make('section');
    const head = make('h2', '', `${model.name} `);
    head.append(make('span', `verdict ${model.verdict}`, model.verdict));
    const facts = make('dl');
    for (const [name, value] of model.facts) facts.append(make('dt', '', name), make('dd', '', value));
    const list = make('ul', 'checks');
    for (const check of model.checks) list.append(this.row(check, view));
    section.append(head, facts, this.measures(model), list);
    return section;
  }

  /// The worst figures over a clip. A click on a line shows its frame.
  private measures(model: Model): HTMLElement {
    const { reason, clip, rows, times } = model.measures;
    if (reason) return make('p', 'measures', `Not measured: ${reason}`);
    const table = make('table', 'measures');
    table.append(make('caption', '', `Worst of ${times.length} frames of ${clip}, by linear blend skinning, against the bound shape`));
    for (const { text, value, joint, time_s } of rows) {
      const row = table.insertRow();
      const button = make('button', 'check', `${time_s.toFixed(2)} s`);
      button.addEventListener('click', () => this.showTime(model, time_s));
      row.append(make('th', '', text), make('td', 'number', value), make('td', '', joint), make('td', 'number'));
      row.lastElementChild!.append(button);
    }
    return table;
  }

  /// The name on the page of the clip in which a model was measured.
  private measuredClip(model: Model): string | undefined {
    const clips = this.views[this.data.models.indexOf(model)]?.character?.clips ?? [];
    return (clips.find((one) => one.name === model.measures.clip) ?? clips[model.measures.clip_number])?.name;
  }

  private showTime(model: Model, seconds: number) {
    const clip = this.measuredClip(model);
    if (clip === undefined) return;
    this.stop();
    this.clip.value = clip;
    this.seconds = seconds;
    this.pose(0);
  }

  private addPlot() {
    const measured = this.data.models.filter((model) => !model.measures.reason);
    if (measured.length === 0) return;
    this.plot = new FigurePlot(measured, (time) => this.showTime(measured[0], time));
    this.plotPlace.append(this.plot.element);
    this.plot.draw();
    this.plot.move(null);
  }

  /// The marker of the plot stands at the time shown, while a clip is shown that was measured.
  private movePlot(seconds: number) {
    const shown = this.data.models.some((model) => !model.measures.reason && this.clip.value !== '' && this.measuredClip(model) === this.clip.value);
    this.plot?.move(shown ? seconds : null);
  }

  private row(check: Check, view: View): HTMLElement {
    const item = make('li', check.verdict);
    const button = make('button', 'check');
    button.append(make('b', '', check.verdict), make('span', '', ` ${check.id}: ${check.value_text} `), make('i', '', check.limit_text));
    button.addEventListener('click', () => this.showFault(check, view));
    item.append(button, make('p', '', `${check.where ? `${check.where}: ` : ''}${check.text}`));
    if (check.mend) item.append(make('code', '', check.mend));
    else if (check.advice) item.append(make('p', '', check.advice));
    return item;
  }

  private showFault(check: Check, view: View) {
    this.stop();
    this.clip.value = '';
    for (const other of this.views) {
      other.character?.reset();
      other.markAt(undefined, 0);
    }
    this.movePlot(0);
    if (check.pose) view.character?.turn(check.pose);
    const radius = check.radius ?? 0.05;
    view.markAt(check.place, radius);
    if (check.place) {
      const target = new THREE.Vector3(...check.place);
      const direction = this.camera.position.clone().sub(this.controls.target).normalize();
      this.controls.target.copy(target);
      this.camera.position.copy(target).addScaledVector(direction, 10 * radius);
      this.controls.update();
    } else this.frameAll();
    this.draw();
  }

  private frameAll() {
    const box = new THREE.Box3();
    for (const view of this.views) if (view.character) box.union(view.character.box);
    if (box.isEmpty()) return;
    const size = box.getSize(new THREE.Vector3()).length();
    const middle = box.getCenter(new THREE.Vector3());
    this.camera.near = size / 1000;
    this.camera.far = size * 100;
    this.camera.position.copy(middle).add(new THREE.Vector3(0.8, 0.35, 1).normalize().multiplyScalar(2.1 * size));
    this.controls.target.copy(middle);
    this.controls.update();
  }

  private key(event: KeyboardEvent) {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    if (event.key === ' ') this.toggle();
    else if (event.key === 'Home') this.frameAll();
    else return;
    event.preventDefault();
    this.draw();
  }

  private toggle() {
    if (this.playing) this.stop();
    else {
      if (!this.clip.value && this.clip.options.length > 1) this.clip.selectedIndex = 1;
      this.playing = this.clip.value !== '';
      this.play.textContent = this.playing ? 'Pause' : 'Play';
    }
  }

  private stop() {
    this.playing = false;
    this.play.textContent = 'Play';
  }

  private seek(share: number) {
    let longest = 0;
    for (const view of this.views) {
      const at = view.character?.clips.findIndex((clip) => clip.name === this.clip.value) ?? -1;
      if (at < 0) view.character?.reset();
      else longest = Math.max(longest, view.character!.clips[at].duration);
    }
    this.seconds = share * longest;
    this.pose(longest);
  }

  private pose(longest: number) {
    for (const view of this.views) {
      view.markAt(undefined, 0);
      const at = view.character?.clips.findIndex((clip) => clip.name === this.clip.value) ?? -1;
      if (at >= 0) longest = Math.max(longest, view.character!.playAt(at, this.seconds));
    }
    this.slider.value = String(longest > 0 ? (this.seconds % longest) / longest : 0);
    this.time.textContent = longest > 0 ? `${(this.seconds % longest).toFixed(2)} s` : '';
    this.movePlot(longest > 0 ? this.seconds % longest : 0);
    this.draw();
  }

  private tick() {
    const now = performance.now();
    if (this.playing) {
      this.seconds += (now - this.last) / 1000;
      this.pose(0);
    }
    this.last = now;
    requestAnimationFrame(() => this.tick());
  }

  private draw() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (width === 0 || height === 0 || this.views.length === 0) return;
    const size = this.renderer.getSize(new THREE.Vector2());
    if (size.x !== width || size.y !== height) this.renderer.setSize(width, height);
    this.renderer.setClearColor(window.matchMedia('(prefers-color-scheme: dark)').matches ? 0x23272c : 0xeef0f2);
    const share = Number(this.wipe.value);
    this.split.style.left = `${100 * share}%`;
    const panes = this.wiping ? wipePanes(share, width) : sidePanes(this.views.length, width);
    drawPanes(this.renderer, this.camera, height, panes, (pane) => this.views[pane].scene);
  }
}

window.addEventListener('load', () => {
  new Report().start().catch((error: unknown) => {
    document.body.append(make('p', 'error', error instanceof Error ? error.message : String(error)));
    document.body.dataset.ready = 'failed';
  });
});
