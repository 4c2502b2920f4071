// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The studio. Everything that comes from a file is shown as text: Preact makes text nodes of it.

import { useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { App } from './app';
import { followFocus, onKey, keyMap } from './keys';
import { Outliner } from './panels/outliner';
import { Panel } from './panels/panel';
import { Plots } from './panels/plot';
import { Timeline } from './panels/timeline';
import * as store from './store';
import './studio.css';

let app: App | null = null;

function chooseFiles(as: 'open' | 'clips' | 'other' = 'open') {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.addEventListener('change', () => void app?.openFiles([...(input.files ?? [])], as));
  input.click();
}

function TopBar() {
  const undo = store.history.value;
  const can = (step: number) => undo.labels[undo.cursor + step] !== undefined;
  return (
    <header class="bar">
      <b class="brand">Sinew</b>
      <button onClick={() => chooseFiles()} title="Open a character: GLB, VRM, FBX, OBJ, PLY, …">Open…</button>
      <span class="name" title={store.input.value}>{store.isSample.value ? 'Sample' : store.input.value}</span>
      <nav class="modes" role="tablist">
        {store.modes.map(([mode, title, key]) => (
          <button role="tab" aria-selected={store.mode.value === mode} title={`${title} (${key})`} onClick={() => app?.setMode(mode)}>{title}</button>
        ))}
      </nav>
      <span class="space" />
      <button class="icon" disabled={undo.cursor === 0} title={undo.cursor > 0 ? `Undo ${undo.labels[undo.cursor]} (Ctrl-Z)` : 'Nothing to undo'} onClick={() => void app?.run('undo')}>↶</button>
      <button class="icon" disabled={!can(1)} title={can(1) ? `Redo ${undo.labels[undo.cursor + 1]} (Ctrl-Shift-Z)` : 'Nothing to redo'} onClick={() => void app?.run('redo')}>↷</button>
      <button class="icon" title="Light or dark" onClick={() => (store.theme.value = store.theme.value === 'dark' ? 'light' : 'dark')}>◐</button>
      <button class="icon" title="Keys (?)" onClick={() => (store.help.value = !store.help.value)}>?</button>
    </header>
  );
}

/// What takes time. The clock runs here, so that it also moves while a task has nothing to report.
function Work({ label, fraction }: { label: string; fraction: number }) {
  const begin = useRef(performance.now());
  const now = useSignal(begin.current);
  useEffect(() => {
    const timer = window.setInterval(() => (now.value = performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="note job">
      <span title={label}>{label}</span>
      <progress max={1} value={fraction} aria-label={label} />
      <span class="figure">{Math.round(100 * fraction)} % · {((now.value - begin.current) / 1000).toFixed(1)} s</span>
      <button title="Esc" onClick={() => app?.cancel()}>Cancel</button>
    </div>
  );
}

function Notices() {
  const job = store.job.value;
  return (
    <div class="notices" aria-live="polite">
      {!store.connected.value && <div class="note bad">The program does not answer. Start <code>sinew studio</code> again; this page connects by itself.</div>}
      {!store.editor.value && store.connected.value && (
        <div class="note">Another tab edits this character. <button onClick={() => app?.link.tell('take_over')}>Take over</button></div>
      )}
      {store.error.value && (
        <div class="note bad" role="alert"><span>{store.error.value}</span><button class="icon" title="Close" onClick={() => (store.error.value = '')}>×</button></div>
      )}
      {store.earlier.value > 0 && store.editor.value && (
        <div class="note"><span>Earlier work on this file was kept: {store.earlier.value} {store.earlier.value === 1 ? 'step' : 'steps'}.</span><button onClick={() => void app?.run('restore')}>Restore</button><button onClick={() => void app?.run('forget')}>Discard</button></div>
      )}
      {store.carried.value && (
        <div class="note"><span>This file was made in the studio from {store.carried.value.name} by {store.carried.value.steps} steps. {store.carried.value.open ? '' : `Open ${store.carried.value.name} to go on with them.`}</span>{store.carried.value.open && <button onClick={() => void app?.run('open', store.carried.value!.open)}>Go on with {store.carried.value.name}</button>}<button class="icon" title="Close" onClick={() => (store.carried.value = null)}>×</button></div>
      )}
      {store.notice.value && (
        <div class="note"><span>{store.notice.value}</span><button class="icon" title="Close" onClick={() => (store.notice.value = '')}>×</button></div>
      )}
      {store.sending.value && <Work label={`sending ${store.sending.value.name}`} fraction={store.sending.value.fraction} />}
      {job && <Work label={`${job.label}${job.stage ? `: ${job.stage}` : ''}`} fraction={job.fraction} />}
    </div>
  );
}

function ViewBar() {
  const toggle = (signal: { value: boolean }, text: string, key: string) => (
    <button aria-pressed={signal.value} title={key} onClick={() => (signal.value = !signal.value)}>{text}</button>
  );
  return (
    <div class="viewbar">
      {toggle(store.showBones, 'Bones', 'Show the skeleton (S)')}
      {toggle(store.axes, 'Axes', 'Show the axes of the joints: x red, y green, z blue (A)')}
      {toggle(store.xray, 'X-ray', 'See through the skin (X)')}
      {toggle(store.wire, 'Wire', 'Show the edges (E)')}
      <button title="Look at everything (Home)" onClick={() => app?.view.frameAll()}>All</button>
      <button title="Front (1)" onClick={() => app?.view.view([0, 0, 1])}>Front</button>
      <button title="Left side (3)" onClick={() => app?.view.view([1, 0, 0])}>Side</button>
      <button title="Top (7)" onClick={() => app?.view.view([0, 1, 0.001])}>Top</button>
    </div>
  );
}

/// The colours of the shader.
function categoryColor(i: number): string {
  const hue = (i * 0.61803398875) % 1;
  const rgb = [0, 4, 2].map((shift) => Math.min(1, Math.max(0, Math.abs(((hue * 6 + shift) % 6) - 3) - 1)));
  const light = 0.75 + 0.3 * ((i * 0.38196601125) % 1);
  return `rgb(${rgb.map((value) => Math.round(255 * Math.min(1, (0.225 + 0.55 * value) * light))).join()})`;
}

function Legend() {
  const { field, scene, chosen } = store;
  if (store.mode.value === 'compare' && store.methods.value[1] && store.compareView.value === 'difference' && store.other.value?.same_vertices !== false)
    return <div class="legend"><b>difference</b><span class="ramp distance" /><span>0</span><span>{(20 * (app?.size ?? 1)).toFixed(0)} mm</span></div>;
  if (!field.value) return null;
  const joint = scene.value?.joints[chosen.value];
  if (field.value === 'joint')
    return (
      <div class="legend">
        <b>{joint ? joint.name : 'Click the skin or a joint'}</b>
        <span class="ramp" />
        <span>0 · .25 · .5 · .75 · 1</span>
        {joint && <span>{joint.vertices.toLocaleString('en')} vertices</span>}
        <span class="none">▨ no weights</span>
      </div>
    );
  if (field.value === 'confidence') return <div class="legend"><b>confidence</b><span class="ramp" /><span>0 · .25 · .5 · .75 · 1</span><span class="none">▨ no weights</span></div>;
  if (field.value === 'origin')
    return <div class="legend tall"><b>computed by</b>{scene.value?.origins.map((origin, i) => <span><i style={{ background: categoryColor(i) }} /> {origin}</span>)}</div>;
  return <div class="legend"><b>{field.value === 'influences' ? 'joints that move a vertex' : 'strongest joint'}</b>{field.value === 'influences' && <><span class="ramp" /><span>1</span><span>8</span></>}<span class="none">▨ no weights</span></div>;
}

function Figures() {
  const { updates, drawn, micros } = store.statistics.value;
  const info = store.scene.value;
  return (
    <div class="figures">
      {info && `${info.vertices.toLocaleString('en')} vertices · ${info.joints.length} joints · `}
      {updates.toFixed(0)} frames/s · {drawn.toFixed(0)} drawn/s · {(micros / 1000).toFixed(2)} ms
    </div>
  );
}

function Stage() {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current || app) return;
    try {
      app = new App(place.current);
      window.sinewStudio = { app, store };
      followFocus();
      window.addEventListener('keydown', (event) => onKey(app!, event));
    } catch (problem) {
      store.error.value = `This browser cannot draw: it needs WebGL 2. ${problem instanceof Error ? problem.message : ''}`;
    }
  }, []);
  return (
    <main class="stage">
      <div class="canvas" ref={place} />
      <canvas class="loupe" width="168" height="168" hidden aria-hidden="true" />
      <ViewBar />
      <Legend />
      <Figures />
      {store.hovered.value && <div class="hover" aria-live="polite">{store.hovered.value}</div>}
      {store.mode.value === 'compare' && store.methods.value[1] && store.compareView.value === 'wipe' && (
        <input class="wipe" type="range" min="0" max="1" step="any" value={app?.view.wipe ?? 0.5} aria-label="Before and after"
          onInput={(event) => { app!.view.wipe = Number(event.currentTarget.value); app!.view.touch(true); }} />
      )}
      <Notices />
    </main>
  );
}

function Help() {
  if (!store.help.value) return null;
  return (
    <div class="help" role="dialog" aria-label="Keys" onClick={() => (store.help.value = false)}>
      <div class="sheet">
        <h2>Keys</h2>
        <dl>{keyMap.map(([key, what]) => <><dt><kbd>{key}</kbd></dt><dd>{what}</dd></>)}</dl>
        <p>Drag: orbit. Right drag: pan. Wheel: zoom.</p>
      </div>
    </div>
  );
}

function CommandLine() {
  const text = store.command.value;
  const copied = useSignal('');
  return (
    <footer class="command">
      <code title={text}>$ {text}</code>
      <button title="Copy the command" onClick={() => { void navigator.clipboard?.writeText(text); copied.value = text; }}>{copied.value === text ? 'Copied' : 'Copy'}</button>
    </footer>
  );
}

function Page() {
  return (
    <div class="page">
      <TopBar />
      <Outliner app={() => app} />
      <Stage />
      <Panel app={() => app} choose={chooseFiles} />
      <Plots app={() => app} />
      <Timeline app={() => app} add={() => chooseFiles('clips')} />
      <CommandLine />
      <Help />
    </div>
  );
}

const light = window.matchMedia('(prefers-color-scheme: light)');
store.theme.value = light.matches ? 'light' : 'dark';
light.addEventListener('change', () => (store.theme.value = light.matches ? 'light' : 'dark'));
if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) store.playing.value = false;
render(<Page />, document.getElementById('app')!);
