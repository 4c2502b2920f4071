// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

import type { App } from '../app';
import * as store from '../store';
import { Files } from './files';

function toggled<T>(set: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(value)) next.add(value);
  return next;
}

function depths(joints: store.Joint[]): number[] {
  const depth: number[] = [];
  joints.forEach((joint, i) => depth.push(joint.parent < 0 ? 0 : depth[joint.parent] + (joints[joint.parent].deforming || joints[i].deforming ? 1 : 0)));
  return depth;
}

export function Outliner({ app }: { app: () => App | null }) {
  const info = store.scene.value;
  const word = store.search.value.toLowerCase();
  const match = (name: string) => name.toLowerCase().includes(word);
  if (!info) return <aside class="outliner"><Files app={app} /></aside>;
  const depth = depths(info.joints);
  return (
    <aside class="outliner">
      <Files app={app} />
      <input type="search" placeholder="Search" aria-label="Search" value={store.search.value} onInput={(event) => (store.search.value = event.currentTarget.value)} />
      <h3>Meshes <i>{info.parts.length}</i></h3>
      <ul>
        {info.parts.filter((part) => match(part.name)).map((part) => (
          <li><span class="label">{part.name || 'mesh'}</span><i>{part.vertices.toLocaleString('en')}</i></li>
        ))}
      </ul>
      {info.materials.length > 1 && (
        <>
          <h3>Materials <i>{info.materials.length}</i></h3>
          <ul>
            {info.materials.map((material, i) => match(material?.name ?? 'clay') && (
              <li class={store.hiddenMaterials.value.has(i) ? 'off' : ''}>
                <span class="label">{material?.name || 'material'}</span>
                <button class="icon" title="Hide or show" aria-pressed={!store.hiddenMaterials.value.has(i)} onClick={() => (store.hiddenMaterials.value = toggled(store.hiddenMaterials.value, i))}>◉</button>
                <button class="icon" title="Only this one" onClick={() => (store.hiddenMaterials.value = store.hiddenMaterials.value.size ? new Set() : new Set(info.materials.map((_, k) => k).filter((k) => k !== i)))}>◎</button>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Joints <i>{info.joints.filter((joint) => joint.deforming).length}</i></h3>
      <ul class="tree">
        {info.joints.map((joint, i) => {
          if (!match(joint.name) || (!joint.deforming && !word)) return null;
          const unsure = joint.confidence !== undefined && joint.confidence < 0.8;
          return (
            <li class={`${store.chosen.value === i ? 'chosen' : ''} ${joint.vertices ? '' : 'idle'}`} style={{ paddingLeft: `${4 + 7 * Math.min(10, depth[i])}px` }}>
              <button class="label" onClick={() => { store.chosen.value = i; app()?.want(); }} onDblClick={() => app()?.focus()}>{joint.name}</button>
              {unsure && <b class="doubt" title={`Position unsure: ${joint.origin}`}>{Math.round(100 * joint.confidence!)} %</b>}
              {store.locked.value.has(joint.name) && <span title="Locked">🔒</span>}
            </li>
          );
        })}
      </ul>
      {info.joints.length === 0 && <p class="quiet">No skeleton yet.</p>}
    </aside>
  );
}
