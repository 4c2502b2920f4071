// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

import { signal } from '@preact/signals';
import type { App } from '../app';
import * as store from '../store';
import { brushOn, picked } from '../tools';
import { Controls, type Values } from './controls';
import type { Props } from './panel';

const binder = signal('auto');
const binderOptions = signal<Values>({});

const fields: [store.Field, string, string][] = [
  ['joint', 'Joint', 'Weights of the chosen joint'],
  ['segments', 'Segments', 'The strongest joint of each vertex'],
  ['influences', 'Influences', 'How many joints move a vertex'],
  ['confidence', 'Confidence', 'How sure weights and joints are; dark is doubtful'],
  ['origin', 'Origin', 'Which method computed the weights'],
];

/// Weights of the vertices that were clicked, as numbers.
function Rows({ app }: { app: () => App | null }) {
  const rows = store.rowTable.value;
  if (rows.length === 0) return <p class="quiet">Click the skin: its vertex and its strongest joint are chosen. Shift adds vertices.</p>;
  return (
    <div class="card">
      <h3>{rows.length === 1 ? `Vertex ${rows[0].vertex}` : `${rows.length} vertices`}</h3>
      <div class="rows">
        <table>
          {rows.map(({ vertex, row, painted }) => (
            <tr class={painted ? 'painted' : ''} title={painted ? 'Painted' : 'As computed'}>
              {rows.length > 1 && <td>{vertex}{painted ? ' ✎' : ''}</td>}
              <td>{row.length === 0 ? <span class="none">no weights</span> : row.map(([joint, weight]) => <div><span>{joint}</span> <b>{weight.toFixed(3)}</b></div>)}</td>
            </tr>
          ))}
        </table>
      </div>
      <div class="row">
        <button disabled={!rows.some((row) => row.painted)} title={rows.some((row) => row.painted) ? 'The computed weights come back' : 'Nothing is painted here'}
          onClick={() => void app()?.reset(rows.filter((row) => row.painted).map((row) => row.vertex))}>Reset to automatic</button>
        <button onClick={() => { store.selected.value = []; void app()?.loadRows(); }}>Clear</button>
      </div>
    </div>
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
      <div class="row">
        <label class="check" title="The same on the other side of the body, for the joint opposite"><input type="checkbox" checked={store.mirror.value} onChange={(event) => (store.mirror.value = event.currentTarget.checked)} /> Mirror (M)</label>
        <label class="check" title="On: other joints give way. Off: they keep their weights until Normalise"><input type="checkbox" checked={store.normalize.value} onChange={(event) => (store.normalize.value = event.currentTarget.checked)} /> Normalise</label>
      </div>
      {settings.mode === 'replace' && <label class="slide"><span>value</span><input type="range" min="0" max="1" step="any" value={settings.value} onInput={(event) => set({ value: Number(event.currentTarget.value) })} /><i>{settings.value.toFixed(2)}</i></label>}
    </div>
  );
}

export function Weights(props: Props) {
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
        {fields.map(([kind, text, title]) => (
          <button aria-pressed={store.field.value === kind} title={title} disabled={(kind === 'confidence' && !info.has_confidence) || (kind === 'origin' && info.origins.length === 0)} onClick={() => (store.field.value = kind)}>{text}</button>
        ))}
      </div>
      <Brush {...props} />
      <div class="row">
        <button onClick={() => edit({ smooth: 2 })}>Smooth</button>
        <button onClick={() => edit({ prune: 0.02 })}>Prune</button>
        <button onClick={() => edit({ max_influences: 4 })}>Cap 4</button>
        <button onClick={() => edit({ mirror: 'left-to-right' })}>Mirror L→R</button>
        <button onClick={() => edit({ repair: true })}>Repair</button>
        {!store.normalize.value && <button title="Rows sum to 1 again" onClick={() => edit({ prune: 0 })}>Normalise</button>}
      </div>
      {store.locked.value.size > 0 && <p class="quiet">Locked: {[...store.locked.value].join(', ')}</p>}
      <Rows app={app} />
      {vertex && vertex.shell >= 0 && info.shells > 1 && name && (
        <div class="row">
          <button aria-pressed={store.only.value?.piece === `shell:${vertex.shell}`} title="Show it alone (Shift-H)" onClick={() => void app()?.isolate(`shell:${vertex.shell}`)}>Only piece {vertex.shell}</button>
          {vertex.material && <button aria-pressed={store.only.value?.piece === `material:${vertex.material}`} title="Show it alone" onClick={() => void app()?.isolate(`material:${vertex.material}`)}>Only {vertex.material}</button>}
          <button title="The connected piece moves rigidly with the joint" onClick={() => void app()?.step({ do: 'piece', what: `shell:${vertex.shell}`, joint: name })}>Piece {vertex.shell} follows {name}</button>
          {vertex.material && <button title="Everything of this material moves rigidly with the joint" onClick={() => void app()?.step({ do: 'piece', what: `material:${vertex.material}`, joint: name })}>{vertex.material} follows {name}</button>}
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
      <p class="quiet">{method?.takes_pins ? 'Painted weights are boundary values: the weights around them fit them.' : 'Painted weights are put back after it.'} Pieces keep their joints.</p>
      {info.paint !== '' && <p class="quiet paint">{info.paint === 'solved' ? `The last weights were computed with ${info.painted.toLocaleString('en')} painted vertices as boundary values.` : `The last method takes no painted weights: those of ${info.painted.toLocaleString('en')} vertices were put back after it.`}</p>}
    </>
  );
}

