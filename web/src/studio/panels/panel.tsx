// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

import { signal } from '@preact/signals';
import type { App } from '../app';
import * as store from '../store';
import { brushOn, picked } from '../tools';
import { Controls, type Values } from './controls';

interface Props {
  app: () => App | null;
  choose: () => void;
}

const binder = signal('auto');
const binderOptions = signal<Values>({});
const template = signal('auto');
const preset = signal('plain');

function Drop({ choose }: Props) {
  return (
    <div class="drop">
      <b>Drop a mesh anywhere</b>
      <p>It is rigged at once and walks within seconds. Files with a rig open as they are.</p>
      <p class="quiet">GLB · glTF · VRM · FBX · OBJ · PLY · IQM · …</p>
      <button class="main" onClick={choose}>Choose a file</button>
    </div>
  );
}

const toolMode: Record<string, [store.Mode, string]> = {
  joints: ['joints', 'Move the joint'],
  weights: ['weights', 'Mend the weights'],
  pieces: ['weights', 'Choose its joint'],
  deformer: ['compare', 'Compare deformers'],
};

function Review(props: Props) {
  const { app } = props;
  const info = store.scene.value;
  const items = store.items.value;
  if (!info) return <Drop {...props} />;
  return (
    <>
      {store.isSample.value && <Drop {...props} />}
      {info.rigged && (
        <div class="card">
          <h3>Body</h3>
          <p>{info.fits ? <>Rigged as <b>{info.template}</b>, confidence {Math.round(100 * info.confidence)} %.</> : 'No body plan fits: the skeleton is a generic one.'} It must face the arrow, and its limbs must have joints where they bend.</p>
          <div class="row">
            <button onClick={() => app()?.setMode('joints')}>Something is wrong</button>
          </div>
        </div>
      )}
      {!info.rigged && !store.isSample.value && info.joints.length > 0 && (
        <div class="card">
          <h3>The file has a rig</h3>
          <p>It is shown as it is.</p>
          <div class="row">
            <button onClick={() => void app()?.step({ do: 'bind', options: {} })}>New weights</button>
            <button onClick={() => void app()?.step({ do: 'rig', options: { replace: true } })}>Replace the rig</button>
          </div>
        </div>
      )}
      <h3>Look at {store.verdict.value && items && <span class={`verdict ${store.verdict.value}`}>{store.verdict.value}</span>}</h3>
      {items === null ? (
        <p class="quiet">{info.joints.length ? 'Checking…' : 'There is no skeleton to check.'}</p>
      ) : items.length === 0 ? (
        <p>Nothing doubtful. <button onClick={() => app()?.setMode('deliver')}>Deliver</button></p>
      ) : (
        <ol class="items">
          {items.map((item, i) => (
            <li class={store.item.value === i ? 'chosen' : ''}>
              <button class="item" onClick={() => void app()?.show(i)}>
                <span class="score" title="Doubt times harm, 0 to 100">{Math.round(item.score)}</span>
                <span><b>{item.title}</b><br />{item.text}</span>
              </button>
              {store.item.value === i && toolMode[item.tool] && (
                <button class="main" onClick={() => app()?.setMode(toolMode[item.tool][0])}>{toolMode[item.tool][1]}</button>
              )}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function PosePanel({ app }: Props) {
  const info = store.scene.value;
  const joint = info?.joints[store.chosen.value];
  const entry = joint ? (store.pose.value.joints as Record<string, any> | undefined)?.[joint.name] : undefined;
  if (!info?.joints.length) return <p>There is no skeleton to pose.</p>;
  const changed = Object.keys((store.pose.value.joints as object | undefined) ?? {}).length;
  return (
    <>
      <p class="quiet">Click a joint. Rings rotate it, the yellow ring twists it without bounds, the white handle pulls it.</p>
      {joint && (
        <div class="card">
          <h3>{joint.name}</h3>
          <p>twist {(entry?.twist_deg ?? 0).toFixed(1)}° · {joint.vertices.toLocaleString('en')} vertices</p>
          <div class="row">
            <button onClick={() => void app()?.run('pose', { edit: { kind: 'twist', joint: store.chosen.value, angle: Math.PI / 2 } })}>Twist 90°</button>
            <button disabled={!entry} onClick={() => void app()?.run('pose', { edit: { kind: 'reset', joint: store.chosen.value } })}>Reset joint</button>
          </div>
        </div>
      )}
      <h3>Pose</h3>
      <div class="row">
        <button aria-pressed={store.posed.value} onClick={() => { store.posed.value = !store.posed.value; if (!store.posed.value) store.clip.value = -1; app()?.want(); }}>{store.posed.value ? 'Pose' : 'Rest'}</button>
        <button disabled={!changed} onClick={() => void app()?.run('pose', { edit: { kind: 'reset' } })}>Reset all</button>
        <button disabled={!changed} onClick={() => void app()?.run('export', { format: 'pose' })}>Save pose</button>
      </div>
      <p class="quiet">{changed} {changed === 1 ? 'joint is' : 'joints are'} posed. Drop a pose file to load it. <code>sinew deform --pose</code> gives the same vertices.</p>
    </>
  );
}

function Joints({ app }: Props) {
  const info = store.scene.value;
  const joint = info?.joints[store.chosen.value];
  const words = store.welcome.value;
  return (
    <>
      {info?.movable ? (
        <p class="quiet">Drag a joint. It snaps to the middle of the limb; Ctrl moves it freely. Letting go makes a hint, and the character is rigged again.</p>
      ) : (
        <p>{info?.rigged ? 'The preset changed the rest pose. Choose another preset to move joints.' : 'These joints are those of the file. Replace the rig to move joints.'}</p>
      )}
      {joint && (
        <div class="card">
          <h3>{joint.name}</h3>
          <p>{joint.origin ? `Located by ${joint.origin}, confidence ${Math.round(100 * (joint.confidence ?? 1))} %.` : 'As in the file.'}</p>
          {joint.hint === '' && <p class="quiet">It belongs to no body plan and cannot be moved.</p>}
        </div>
      )}
      <label class="check"><input type="checkbox" checked={store.mirror.value} onChange={(event) => (store.mirror.value = event.currentTarget.checked)} /> Mirror (M)</label>
      <label class="check"><input type="checkbox" checked={store.whole.value} onChange={(event) => (store.whole.value = event.currentTarget.checked)} /> Snap to the whole limb, not its front part</label>
      <h3>Rig again</h3>
      <div class="controls">
        <label><span>body plan</span><select value={template.value} onChange={(event) => (template.value = event.currentTarget.value)}>{words?.templates.map((word) => <option>{word}</option>)}</select></label>
        <label><span>preset</span><select value={preset.value} onChange={(event) => (preset.value = event.currentTarget.value)}>{words?.presets.map((word) => <option>{word}</option>)}</select></label>
      </div>
      <button class="main" disabled={store.isSample.value} title={store.isSample.value ? 'Open a character first' : ''}
        onClick={() => void app()?.step({ do: 'rig', options: { template: template.value, preset: preset.value, demo_clip: ['auto'], replace: true } })}>Rig again</button>
    </>
  );
}

const radii = (app: App | null) => Math.max(0.001, 0.2 * (app?.size ?? 1));

function Brush({ app }: Props) {
  const settings = store.brush.value;
  const set = (change: Partial<typeof settings>) => (store.brush.value = { ...settings, ...change });
  return (
    <div class="card">
      <label class="check"><input type="checkbox" checked={brushOn.value} onChange={(event) => (brushOn.value = event.currentTarget.checked)} /> <b>Brush (B)</b></label>
      <div class="row segmented">
        {['add', 'subtract', 'smooth', 'replace'].map((word) => <button aria-pressed={settings.mode === word} onClick={() => set({ mode: word })}>{word}</button>)}
      </div>
      <label class="slide"><span>radius</span><input type="range" min={0.003 * (app()?.size ?? 1)} max={radii(app())} step="any" value={settings.radius} onInput={(event) => set({ radius: Number(event.currentTarget.value) })} /><i>{(100 * settings.radius).toFixed(1)} cm</i></label>
      <label class="slide"><span>strength</span><input type="range" min="0.02" max="1" step="any" value={settings.strength} onInput={(event) => set({ strength: Number(event.currentTarget.value) })} /><i>{settings.strength.toFixed(2)}</i></label>
      {settings.mode === 'replace' && <label class="slide"><span>value</span><input type="range" min="0" max="1" step="any" value={settings.value} onInput={(event) => set({ value: Number(event.currentTarget.value) })} /><i>{settings.value.toFixed(2)}</i></label>}
    </div>
  );
}

function Weights(props: Props) {
  const { app } = props;
  const info = store.scene.value;
  if (!info?.has_weights) return <p>There are no weights. {info?.joints.length ? <button onClick={() => void app()?.step({ do: 'bind', options: {} })}>Compute weights</button> : 'Rig first.'}</p>;
  const methods = store.welcome.value?.binders ?? [];
  const method = methods.find((m) => m.id === binder.value);
  const edit = (options: Record<string, unknown>) => void app()?.step({ do: 'weights', options: { ...options, ...(store.locked.value.size ? { lock: [...store.locked.value] } : {}) } });
  const vertex = picked.value;
  const name = store.jointName.value;
  return (
    <>
      <div class="row segmented">
        {([['joint', 'Joint'], ['segments', 'Segments'], ['influences', 'Influences']] as const).map(([kind, text]) => (
          <button aria-pressed={store.field.value === kind} onClick={() => (store.field.value = kind)}>{text}</button>
        ))}
      </div>
      <Brush {...props} />
      <div class="row">
        <button onClick={() => edit({ smooth: 2 })}>Smooth</button>
        <button onClick={() => edit({ prune: 0.02 })}>Prune</button>
        <button onClick={() => edit({ max_influences: 4 })}>Cap 4</button>
        <button onClick={() => edit({ mirror: 'left-to-right' })}>Mirror L→R</button>
        <button onClick={() => edit({ repair: true })}>Repair</button>
      </div>
      {store.locked.value.size > 0 && <p class="quiet">Locked: {[...store.locked.value].join(', ')}</p>}
      {vertex && (
        <div class="card">
          <h3>Vertex {vertex.vertex}</h3>
          <table>{vertex.row.map(([joint, weight]) => <tr><td>{joint}</td><td>{weight.toFixed(3)}</td></tr>)}</table>
          {vertex.shell >= 0 && info.shells > 1 && name && (
            <button title="The connected piece moves rigidly with the joint" onClick={() => void app()?.step({ do: 'piece', what: `shell:${vertex.shell}`, joint: name })}>Piece {vertex.shell} follows {name}</button>
          )}
        </div>
      )}
      <h3>New weights</h3>
      <div class="controls">
        <label title={method?.when}><span>method</span>
          <select value={binder.value} onChange={(event) => { binder.value = event.currentTarget.value; binderOptions.value = {}; }}>
            {methods.map((m) => <option value={m.id} title={m.when}>{m.name}</option>)}
          </select>
        </label>
      </div>
      {method && method.options.length > 0 && (
        <details><summary>Options</summary><Controls options={method.options} values={binderOptions.value} change={(values) => (binderOptions.value = values)} /></details>
      )}
      <button class="main" onClick={() => void app()?.step({ do: 'bind', options: { method: binder.value, ...(Object.keys(binderOptions.value).length ? { [binder.value]: binderOptions.value } : {}) } })}>Compute</button>
      <p class="quiet">Painted weights and pieces are kept.</p>
    </>
  );
}

function Compare({ app }: Props) {
  const deformers = store.welcome.value?.deformers ?? [];
  const pick = (slot: 0 | 1) => (
    <select value={store.methods.value[slot]} onChange={(event) => void app()?.run('show', { slot, method: event.currentTarget.value })}>
      {slot === 1 && <option value="">–</option>}
      {deformers.map((m) => <option value={m.id} title={m.when}>{m.name}</option>)}
    </select>
  );
  const when = (slot: 0 | 1) => deformers.find((m) => m.id === store.methods.value[slot])?.when;
  return (
    <>
      <div class="controls">
        <label><span>A (left)</span>{pick(0)}</label>
        <p class="quiet">{when(0)}</p>
        <label><span>B (right)</span>{pick(1)}</label>
        <p class="quiet">{when(1) ?? 'Choose a second deformer.'}</p>
      </div>
      <div class="row segmented">
        {(['side', 'wipe', 'difference'] as const).map((word) => <button aria-pressed={store.compareView.value === word} onClick={() => (store.compareView.value = word)}>{word}</button>)}
      </div>
      <h3>Checks {store.verdict.value && <span class={`verdict ${store.verdict.value}`}>{store.verdict.value}</span>}</h3>
      <Checks app={app} />
    </>
  );
}

function Checks({ app }: { app: () => App | null }) {
  const rows = store.rows.value;
  const items = store.items.value ?? [];
  return (
    <ul class="checks">
      {rows.map((row) => {
        const item = items.findIndex((candidate) => candidate.id === row.id);
        return (
          <li class={row.verdict}>
            <button class="item" disabled={item < 0} title={row.text} onClick={() => void app()?.show(item)}><b>{row.verdict}</b> {row.title} <i>{row.value}</i></button>
          </li>
        );
      })}
      {store.items.value === null && <li class="quiet">Checking…</li>}
    </ul>
  );
}

function Deliver({ app }: Props) {
  const info = store.scene.value;
  const fails = store.rows.value.filter((row) => row.verdict === 'FAIL').length;
  return (
    <>
      <p>{info?.joints.length ? (fails ? <b class="bad">{fails} checks fail. The export is possible.</b> : store.items.value ? 'The checks find nothing that fails.' : 'Checking…') : 'The character has no skeleton.'}</p>
      <button class="main" onClick={() => void app()?.run('export', { format: 'glb' })}>Export GLB</button>
      <div class="row">
        <button onClick={() => void app()?.run('export', { format: 'vrm' })}>VRM</button>
        <button onClick={() => app()?.picture()}>PNG</button>
        {store.welcome.value?.report && <button onClick={() => void app()?.run('export', { format: 'report' })}>Report</button>}
        <button title="Ctrl-S" disabled={store.isSample.value} onClick={() => void app()?.run('export', { format: 'recipe' })}>Recipe</button>
      </div>
      <p class="quiet">The recipe repeats everything without a browser, with the same bytes: <code>sinew rig MESH --session NAME.sinew.json</code></p>
      <h3>Clips in the file</h3>
      <div class="row">
        {info?.clips.map((clip) => clip.builtin && <button onClick={() => void app()?.step({ do: 'clip', name: clip.name })}>+ {clip.name}</button>)}
      </div>
      <h3>Steps</h3>
      <ol class="steps">
        {store.history.value.labels.map((label, i) => (
          <li class={i === store.history.value.cursor ? 'chosen' : i > store.history.value.cursor ? 'off' : ''}>
            <button class="item" onClick={() => void app()?.run('goto', { cursor: i })}>{label}</button>
          </li>
        ))}
      </ol>
    </>
  );
}

export function Panel(props: Props) {
  const mode = store.mode.value;
  return (
    <aside class="panel">
      {mode === 'review' && <Review {...props} />}
      {mode === 'pose' && <PosePanel {...props} />}
      {mode === 'joints' && <Joints {...props} />}
      {mode === 'weights' && <Weights {...props} />}
      {mode === 'compare' && <Compare {...props} />}
      {mode === 'deliver' && <Deliver {...props} />}
    </aside>
  );
}
