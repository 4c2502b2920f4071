// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

import { signal } from '@preact/signals';
import type { App } from '../app';
import * as store from '../store';
import { Controls, type Values } from './controls';
import { Measures } from './measures';
import { Weights } from './weights';

export interface Props {
  app: () => App | null;
  choose: (as?: 'open' | 'clips' | 'other') => void;
}

const rigValues = signal<Values>({});
const format = signal('glb');
/// What a person chooses by looking; the rest is for the command line.
const rigNames = ['template', 'preset', 'rest', 'fingers', 'extras', 'without', 'symmetry', 'orientation', 'max_influences', 'unit', 'up', 'forward'];

function Drop({ choose }: Props) {
  return (
    <div class="drop">
      <b>Drop a mesh anywhere</b>
      <p>It is rigged at once and walks within seconds. Files with a rig open as they are.</p>
      <p class="quiet">GLB · glTF · VRM · FBX · OBJ · PLY · IQM · …</p>
      <button class="main" onClick={() => choose()}>Choose a file</button>
    </div>
  );
}

/// What mends an item: where, and what the button says. Joints of files cannot be moved, and some items have none.
function remedy(item: store.Item): [store.Mode, string] | undefined {
  if (item.tool === 'joints') return ['joints', store.scene.value?.movable ? (item.joint >= 0 ? 'Move the joint' : 'Look at the joints') : 'Replace the rig'];
  const tools: Record<string, [store.Mode, string]> = {
    placement: ['joints', 'Choose axes and unit'],
    weights: ['weights', 'Mend the weights'],
    pieces: ['weights', 'Choose its joint'],
    deformer: ['compare', 'Compare deformers'],
  };
  return tools[item.tool];
}

function Remedy({ item, app, choose }: Props & { item: store.Item }) {
  if (item.tool === 'files')
    return (
      <>
        <p class="quiet">Choose or drop the file together with the files that it names.</p>
        <button class="main" onClick={() => choose()}>Choose all files…</button>
      </>
    );
  const [mode, title] = remedy(item) ?? [];
  return mode ? <button class="main" onClick={() => app()?.setMode(mode)}>{title}</button> : null;
}

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
      <Measures />
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
              {store.item.value === i && <Remedy item={item} {...props} />}
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
  const changed = store.posedJoints.value;
  return (
    <>
      <p class="quiet">Click a joint. Rings rotate it, the yellow ring twists it without bounds, the white handle pulls it.</p>
      {joint && (
        <div class="card">
          <h3>{joint.name}</h3>
          <p>twist {(entry?.twist_deg ?? 0).toFixed(1)}° · {joint.vertices.toLocaleString('en')} vertices{joint.limited ? ' · has limits, which pulling keeps' : ''}</p>
          <div class="row">
            <button onClick={() => void app()?.run('pose', { edit: { kind: 'twist', joint: store.chosen.value, angle: Math.PI / 2 } })}>Twist 90°</button>
            <button disabled={!entry} onClick={() => void app()?.run('pose', { edit: { kind: 'reset', joint: store.chosen.value } })}>Reset joint</button>
          </div>
        </div>
      )}
      <Measures />
      <h3>Pose</h3>
      <div class="row">
        <button title="Arms to the sides" onClick={() => void app()?.standardPose('t')}>T</button>
        <button title="Arms 45° down" onClick={() => void app()?.standardPose('a')}>A</button>
        <button title="All joints through their range" onClick={() => app()?.playNamed('exercise')}>Exercise</button>
      </div>
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
        <p class="quiet">Drag a joint. It snaps to the middle of the limb; Ctrl moves it freely. Shift-click selects several, which move together. Letting go makes a hint, and the character is rigged again.</p>
      ) : (
        <p>{info?.rigged ? 'The preset changed the rest pose. Choose another preset to move joints.' : 'These joints are those of the file. Replace the rig to move joints.'}</p>
      )}
      {joint && (
        <div class="card">
          <h3>{joint.name}</h3>
          <p>{joint.origin ? `Located by ${joint.origin}, confidence ${Math.round(100 * (joint.confidence ?? 1))} %.` : 'As in the file.'}</p>
          {joint.hint === '' && <p class="quiet">It belongs to no body plan and cannot be moved.</p>}
          <Place joint={joint} />
        </div>
      )}
      {store.group.value.size > 1 && <p class="quiet">{store.group.value.size} joints are selected and move together.</p>}
      <label class="check"><input type="checkbox" checked={store.mirror.value} onChange={(event) => (store.mirror.value = event.currentTarget.checked)} /> Mirror (M)</label>
      <label class="check"><input type="checkbox" checked={store.children.value} onChange={(event) => (store.children.value = event.currentTarget.checked)} /> With the joints below it</label>
      <label class="check"><input type="checkbox" checked={store.whole.value} onChange={(event) => (store.whole.value = event.currentTarget.checked)} /> Snap to the whole limb, not its front part</label>
      {joint && info && (
        <>
          <h3>Chain</h3>
          <div class="row">
            <button disabled={store.isSample.value} title="The joint and all below it; their weights go to the joint above" onClick={() => void app()?.deleteChain()}>Delete from {joint.name}</button>
            <button disabled={store.isSample.value} aria-pressed={store.adding.value} title="Then click the skin: the joint is put in the middle of the limb, and weights are computed" onClick={() => (store.adding.value = !store.adding.value)}>Add a joint below</button>
          </div>
        </>
      )}
      <h3>Rig again</h3>
      <Controls options={(words?.rig ?? []).filter((option) => rigNames.includes(option.name))} values={rigValues.value} change={(values) => (rigValues.value = values)} />
      <button class="main" disabled={store.isSample.value} title={store.isSample.value ? 'Open a character first' : ''}
        onClick={() => void app()?.step({ do: 'rig', options: { ...rigValues.value, demo_clip: ['auto'], replace: true } })}>Rig again</button>
    </>
  );
}

/// Where a joint of the body plan belongs: the plan as a small figure, with the joint marked.
function Place({ joint }: { joint: store.Joint }) {
  const places = store.scene.value?.places ?? [];
  const place = places.find((candidate) => candidate.name === joint.hint);
  if (!place) return null;
  const reach = (k: number) => Math.max(...places.map((p) => p.at[k])) - Math.min(...places.map((p) => p.at[k]));
  // Long animals are drawn from their left side, others from the front.
  const across = reach(2) > 1.2 * reach(0) ? 2 : 0;
  const flip = across === 2 ? -1 : 1;
  const xy = (p: store.Place): [number, number] => [flip * p.at[across], -p.at[1]];
  const xs = places.map((p) => xy(p)[0]), ys = places.map((p) => xy(p)[1]);
  const size = Math.max(reach(across), reach(1)) || 1;
  const box = [Math.min(...xs) - 0.1 * size, Math.min(...ys) - 0.1 * size, reach(across) + 0.2 * size, reach(1) + 0.2 * size];
  const bone = (p: store.Place, i: number, kind: string, width: number) => {
    if (p.parent < 0) return null;
    const [x1, y1] = xy(places[p.parent]), [x2, y2] = xy(p);
    return <line key={`${kind}${i}`} class={kind} x1={x1} y1={y1} x2={x2} y2={y2} stroke-width={width * size} />;
  };
  return (
    <figure class="place">
      <svg viewBox={box.join(' ')} role="img" aria-label={`Where ${joint.name} belongs`}>
        {places.map((p, i) => bone(p, i, 'flesh', /Index|Middle|Ring|Little|Thumb|Eye|Jaw/.test(p.name) ? 0.015 : 0.06))}
        {places.map((p, i) => bone(p, i, 'bone', 0.008))}
        <circle class="here" cx={xy(place)[0]} cy={xy(place)[1]} r={0.03 * size} />
      </svg>
      <figcaption>{place.text}</figcaption>
    </figure>
  );
}

/// What the second side is: this character, an earlier step, a file of the list, or any other.
function OtherFile({ app, choose }: Props) {
  const files = store.welcome.value?.files ?? [];
  const other = store.other.value;
  const method = store.methods.value[1];
  const listed = other && !other.earlier ? files.indexOf(other.name) : -1;
  const now = !other ? 'this' : listed >= 0 ? String(listed) : 'other';
  const take = (word: string) => {
    if (word === 'this') void app()?.showMethod(1, method);
    else if (word === 'choose') choose('other');
    else if (word.startsWith('step:')) void app()?.compareWith({ step: Number(word.slice(5)) });
    else if (word !== 'other') void app()?.compareWith({ file: Number(word) });
  };
  return (
    <>
      <label><span>B is</span>
        <select aria-label="File on the right" value={now} onChange={(event) => { const word = event.currentTarget.value; if (word === 'choose') event.currentTarget.value = now; take(word); }}>
          <option value="this">this character</option>
          {other && listed < 0 && <option value="other">{other.earlier ? `before: ${other.name}` : other.name}</option>}
          {store.history.value.labels.length > 1 && (
            <optgroup label="It after an earlier step">
              {store.history.value.labels.map((label, i) => i !== store.history.value.cursor && <option value={`step:${i}`}>{label}</option>)}
            </optgroup>
          )}
          {files.length > 1 && <optgroup label="Files">{files.map((name, i) => <option value={String(i)}>{name}</option>)}</optgroup>}
          <option value="choose">a file…</option>
        </select>
      </label>
      {other ? (
        <p class="quiet">{other.scene.joints.length === 0 ? 'It has no skeleton, and stands still.' : other.same_skeleton ? 'It has the same skeleton.' : `${other.matched} of ${other.deforming} joints follow those of the same ${other.by_role ? 'role' : 'name'}; the others are at rest.`}</p>
      ) : (
        <p class="quiet">Drop a file here to compare with it.</p>
      )}
    </>
  );
}

function Compare({ app, choose }: Props) {
  const deformers = store.welcome.value?.deformers ?? [];
  const pick = (slot: 0 | 1) => (
    <select value={store.methods.value[slot]} onChange={(event) => void app()?.showMethod(slot, event.currentTarget.value, slot === 1 && store.other.value && event.currentTarget.value ? { other: true } : {})}>
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
        <p class="quiet">{when(1) ?? 'Choose a second deformer, or a file.'}</p>
        <OtherFile app={app} choose={choose} />
      </div>
      <div class="row segmented">
        {(['side', 'wipe', 'difference'] as const).map((word) => <button aria-pressed={store.compareView.value === word} disabled={word === 'difference' && store.other.value?.same_vertices === false} title={word === 'difference' && store.other.value?.same_vertices === false ? 'The files have different numbers of vertices' : ''} onClick={() => (store.compareView.value = word)}>{word}</button>)}
      </div>
      <Measures />
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
  const holds = ['glb', 'vrm'].includes(format.value);
  const applied = store.recipe.value.map((step) => step.options?.preset as string | undefined).filter((preset) => preset !== undefined).at(-1);
  return (
    <>
      <p>{info?.joints.length ? (fails ? <b class="bad">{fails} {fails === 1 ? 'check fails' : 'checks fail'}. The export is possible.</b> : store.items.value ? 'The checks find nothing that fails.' : 'Checking…') : 'The character has no skeleton.'}</p>
      <div class="controls">
        <label title="Names, hierarchy and axes of the joints for a target program; the character looks and moves as before"><span>preset</span>
          <select value="" disabled={!info?.joints.length || store.isSample.value} onChange={(event) => { const preset = event.currentTarget.value; event.currentTarget.value = ''; if (preset) void app()?.step({ do: 'skeleton', options: { preset } }); }}>
            <option value="">{applied ?? 'as it is'}</option>
            {store.welcome.value?.presets.map((word) => <option value={word}>{word}</option>)}
          </select>
        </label>
        <label><span>format</span>
          <select aria-label="Format" value={format.value} onChange={(event) => (format.value = event.currentTarget.value)}>
            {store.welcome.value?.exports.map((word) => <option value={word}>{word}</option>)}
          </select>
        </label>
      </div>
      <button class="main" onClick={() => void app()?.exportFile(format.value)}>Export {format.value.toUpperCase()}</button>
      <label class="check" title={holds ? '' : 'Only GLB and VRM files hold a recipe'}><input type="checkbox" checked={store.recipeInside.value} disabled={store.isSample.value || !holds} onChange={(event) => (store.recipeInside.value = event.currentTarget.checked)} /> With the recipe inside</label>
      <div class="row">
        <button onClick={() => app()?.picture()}>PNG</button>
        {store.welcome.value?.report && <button onClick={() => void app()?.exportFile('report')}>Report</button>}
        <button title="Ctrl-S" disabled={store.isSample.value} onClick={() => void app()?.exportFile('recipe')}>Recipe</button>
      </div>
      <p class="quiet">The recipe repeats everything without a browser, with the same bytes: <code>sinew rig MESH --session NAME.sinew.json</code></p>
      <h3>Clips in the file</h3>
      <div class="row">
        {info?.clips.filter((clip, i, all) => clip.builtin && all.findIndex((other) => other.name === clip.name) === i).map((clip) => <button onClick={() => void app()?.step({ do: 'clip', name: clip.name })}>+ {clip.name}</button>)}
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
    <aside class={`panel ${mode}`}>
      {mode === 'review' && <Review {...props} />}
      {mode === 'pose' && <PosePanel {...props} />}
      {mode === 'joints' && <Joints {...props} />}
      {mode === 'weights' && <Weights {...props} />}
      {mode === 'compare' && <Compare {...props} />}
      {mode === 'deliver' && <Deliver {...props} />}
    </aside>
  );
}
