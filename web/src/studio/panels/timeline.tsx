// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

import type { App } from '../app';
import * as store from '../store';

function Scrubber({ app }: { app: () => App | null }) {
  const length = store.duration.value;
  return (
    <input class="scrubber" type="range" min="0" max={length || 1} step="any" value={store.time.value} disabled={length === 0} aria-label="Time"
      onInput={(event) => {
        store.playing.value = false;
        store.posed.value = false;
        store.time.value = Number(event.currentTarget.value);
        app()?.want();
      }} />
  );
}

function Clock() {
  return <span class="figure clock">{store.time.value.toFixed(2)} / {store.duration.value.toFixed(2)} s</span>;
}

export function Timeline({ app }: { app: () => App | null }) {
  const info = store.scene.value;
  const clips = info?.clips ?? [];
  const deformers = store.welcome.value?.deformers ?? [];
  const method = deformers.find((m) => m.id === store.methods.value[0]);
  return (
    <section class="timeline">
      <button class="play" title="Play or pause (Space)" aria-pressed={store.playing.value} disabled={clips.length === 0}
        onClick={() => {
          store.playing.value = !store.playing.value || store.posed.value;
          store.posed.value = false;
        }}>{store.playing.value && !store.posed.value ? '❚❚' : '▶'}</button>
      <select aria-label="Clip" value={store.clip.value} disabled={clips.length === 0} onChange={(event) => app()?.choose(Number(event.currentTarget.value))}>
        <option value={-1}>Rest pose</option>
        {clips.some((clip) => !clip.builtin) && <optgroup label="In the file">{clips.map((clip, i) => !clip.builtin && <option value={i}>{clip.name}</option>)}</optgroup>}
        <optgroup label="Built in">{clips.map((clip, i) => clip.builtin && <option value={i}>{clip.name}</option>)}</optgroup>
      </select>
      <Scrubber app={app} />
      <Clock />
      <label>Speed <input type="range" min="0.1" max="2" step="0.1" value={store.speed.value} onInput={(event) => (store.speed.value = Number(event.currentTarget.value))} /><span class="figure">{store.speed.value.toFixed(1)}×</span></label>
      <label title={method?.when}>Deformer
        <select value={store.methods.value[0]} disabled={!info?.joints.length} onChange={(event) => void app()?.run('show', { slot: 0, method: event.currentTarget.value })}>
          {deformers.map((m) => <option value={m.id} title={m.when}>{m.name}</option>)}
        </select>
      </label>
    </section>
  );
}
