// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

import type { App } from '../app';
import * as store from '../store';

function Scrubber({ app }: { app: () => App | null }) {
  const length = store.duration.value;
  return (
    <input class="scrubber" type="range" min="0" max={length || 1} step="any" value={store.time.value} disabled={length === 0 || store.mode.value === 'joints'} aria-label="Time"
      onInput={(event) => {
        store.playing.value = false;
        store.posed.value = false;
        store.time.value = Number(event.currentTarget.value);
        app()?.want();
      }} />
  );
}

function Clock() {
  return <span class="figure clock">{store.duration.value > 0 ? `${store.time.value.toFixed(2)} / ${store.duration.value.toFixed(2)} s` : ''}</span>;
}

function ClipSettings() {
  const change = store.clipChange.value;
  const set = (part: Partial<typeof change>) => (store.clipChange.value = { ...change, ...part });
  const changed = change.mirror || change.in_place || change.arm_space !== 0;
  return (
    <details class="popup">
      <summary title="Mirror, in place, arm space">{changed ? 'Clip *' : 'Clip'}</summary>
      <div>
        <label class="check"><input type="checkbox" checked={change.mirror} onChange={(event) => set({ mirror: event.currentTarget.checked })} /> Mirror</label>
        <label class="check"><input type="checkbox" checked={change.in_place} onChange={(event) => set({ in_place: event.currentTarget.checked })} /> In place</label>
        <label class="slide"><span>arm space</span><input type="range" min="-30" max="45" step="1" value={change.arm_space} onInput={(event) => set({ arm_space: Number(event.currentTarget.value) })} /><i>{change.arm_space}°</i></label>
        <label class="slide"><span>speed</span><input type="range" min="0.1" max="2" step="0.1" value={store.speed.value} onInput={(event) => (store.speed.value = Number(event.currentTarget.value))} /><i>{store.speed.value.toFixed(1)}×</i></label>
        <KeepClip changed={changed} />
      </div>
    </details>
  );
}

function KeepClip({ changed }: { changed: boolean }) {
  const clip = store.scene.value?.clips[store.clip.value];
  return (
    <button disabled={!clip || store.isSample.value || (!changed && !clip?.builtin)} title="Adds the clip, as it plays, to the file"
      onClick={() => clip && void window.sinewStudio?.app.keepClip(clip.name)}>Keep in the file</button>
  );
}

export function Timeline({ app, add }: { app: () => App | null; add: () => void }) {
  const info = store.scene.value;
  const clips = info?.clips ?? [];
  const joints = store.mode.value === 'joints';
  const deformers = store.welcome.value?.deformers ?? [];
  const method = deformers.find((m) => m.id === store.methods.value[0]);
  return (
    <section class="timeline">
      <button class="play" title={joints ? 'Joints are moved in the bind pose' : store.plays.value ? 'Pause (Space)' : 'Play (Space)'} aria-label={store.plays.value ? 'Pause' : 'Play'} disabled={clips.length === 0 || joints}
        onClick={() => app()?.togglePlay()}>{store.plays.value ? '❚❚' : '▶'}</button>
      <select aria-label="Clip" title={clips[store.clip.value]?.name ?? 'Rest pose'} value={store.clip.value} disabled={clips.length === 0} onChange={(event) => app()?.pick(Number(event.currentTarget.value))}>
        <option value={-1}>Rest pose</option>
        {clips.some((clip) => !clip.builtin) && <optgroup label="In the file">{clips.map((clip, i) => !clip.builtin && <option value={i}>{clip.name}</option>)}</optgroup>}
        <optgroup label="Built in">{clips.map((clip, i) => clip.builtin && <option value={i}>{clip.name}</option>)}</optgroup>
      </select>
      <Scrubber app={app} />
      <Clock />
      <ClipSettings />
      <button disabled={!info?.joints.length} title={info?.joints.length ? 'Add clips of a BVH, FBX, GLB or VRMA file; or drop it here' : 'Rig first'} onClick={add}>+ Clips</button>
      <button disabled={clips.length === 0 || store.clip.value < 0} aria-pressed={store.showPlot.value} title="Section and volume over the clip" onClick={() => (store.showPlot.value ? (store.showPlot.value = false) : app()?.askPlot())}>Plot</button>
      <label title={method?.when}>Deformer
        <select value={store.methods.value[0]} disabled={!info?.joints.length} onChange={(event) => void app()?.showMethod(0, event.currentTarget.value)}>
          {deformers.map((m) => <option value={m.id} title={m.when}>{m.name}</option>)}
        </select>
      </label>
    </section>
  );
}
