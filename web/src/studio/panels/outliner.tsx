// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
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

/// Each joint is followed by all that is below it. Files and rigs may store them otherwise, such as fingers behind feet.
function treeOrder(joints: store.Joint[]): number[] {
  const below = new Map<number, number[]>();
  joints.forEach((joint, i) => below.set(joint.parent, [...(below.get(joint.parent) ?? []), i]));
  const order: number[] = [];
  const rest = [...(below.get(-1) ?? [])].reverse();
  for (let i = rest.pop(); i !== undefined; i = rest.pop()) {
    order.push(i);
    rest.push(...[...(below.get(i) ?? [])].reverse());
  }
  return order;
}

/// Everything but one is hidden; everything is shown again if that is so.
function others(hidden: ReadonlySet<number>, count: number, one: number): ReadonlySet<number> {
  const rest = new Set(Array.from({ length: count }, (_, i) => i).filter((i) => i !== one));
  return hidden.size === rest.size && !hidden.has(one) ? new Set() : rest;
}

/// A joint and all below it.
function chainOf(joints: store.Joint[], from: number): Set<number> {
  const chain = new Set([from]);
  joints.forEach((joint, i) => chain.has(joint.parent) && chain.add(i));
  return chain;
}

function hiddenChain(joints: store.Joint[], hidden: ReadonlySet<number>, from: number): ReadonlySet<number> {
  const next = new Set(hidden);
  for (const i of chainOf(joints, from))
    if (hidden.has(from)) next.delete(i);
    else next.add(i);
  return next;
}

function otherChains(joints: store.Joint[], hidden: ReadonlySet<number>, from: number): ReadonlySet<number> {
  const chain = chainOf(joints, from);
  const rest = new Set(joints.map((_, i) => i).filter((i) => !chain.has(i)));
  return hidden.size === rest.size && [...rest].every((i) => hidden.has(i)) ? new Set() : rest;
}

interface RowProps {
  name: string;
  off: boolean;
  count?: number;
  chosen?: boolean;
  idle?: boolean;
  indent?: number;
  reachable?: boolean; // By Tab. A tree has one such row; arrows go through the others.
  locked: boolean;
  lockTitle: string;
  choose?: (event: MouseEvent) => void;
  focus?: () => void;
  hide: () => void;
  only?: () => void;
  lock?: () => void;
  children?: ComponentChildren;
}

/// Fonts seldom have it.
function Lock({ shut }: { shut: boolean }) {
  return (
    <svg viewBox="0 0 12 12" width="11" height="11" aria-hidden="true">
      <path d={shut ? 'M3.5 6V3.5a2.5 2.5 0 0 1 5 0V6' : 'M3.5 6V3a2.5 2.5 0 0 1 5 0'} fill="none" stroke="currentColor" stroke-width="1.3" />
      <rect x="2" y="6" width="8" height="5.2" rx="1" fill="currentColor" />
    </svg>
  );
}

function Row({ name, off, count, chosen, idle, indent, reachable, locked, lockTitle, choose, focus, hide, only, lock, children }: RowProps) {
  const row = useRef<HTMLLIElement>(null);
  // What is clicked on the skin is seen in the list.
  useEffect(() => { if (chosen) row.current?.scrollIntoView({ block: 'nearest' }); }, [chosen]);
  const stop = reachable === false ? -1 : undefined;
  return (
    <li ref={row} class={`${chosen ? 'chosen' : ''} ${idle ? 'idle' : ''} ${off ? 'off' : ''}`} style={indent === undefined ? undefined : { paddingLeft: `${indent}px` }}>
      {choose ? <button class="label" title={name} tabIndex={stop} aria-current={chosen} onClick={choose} onDblClick={focus}>{name}</button> : <span class="label" title={name}>{name}</span>}
      {children}
      {count !== undefined && <i>{count.toLocaleString('en')}</i>}
      {locked && <span class="state" title="Locked"><Lock shut /></span>}
      <span class="tools">
        {lock && <button class="icon tool" tabIndex={stop} title={lockTitle} aria-label={`Lock ${name}`} aria-pressed={locked} onClick={lock}><Lock shut={locked} /></button>}
        <button class="icon tool" tabIndex={stop} title="Hide or show" aria-label={`Hide ${name}`} aria-pressed={off} onClick={hide}>{off ? '◌' : '◉'}</button>
        {only && <button class="icon tool" tabIndex={stop} title="Only this one" aria-label={`Only ${name}`} onClick={only}>◎</button>}
      </span>
    </li>
  );
}

/// Up and down go through the rows of the tree.
function walkTree(event: KeyboardEvent) {
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
  const labels = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('button.label')];
  const row = (event.target as HTMLElement).closest('li')?.querySelector<HTMLElement>('button.label');
  const next = row ? labels[labels.indexOf(row) + (event.key === 'ArrowDown' ? 1 : -1)] : undefined;
  next?.focus();
  next?.click();
  event.preventDefault();
}

export function Outliner({ app }: { app: () => App | null }) {
  const info = store.scene.value;
  const word = store.search.value.toLowerCase();
  const match = (name: string) => name.toLowerCase().includes(word);
  if (!info) return <aside class="outliner"><Files app={app} /></aside>;
  const depth = depths(info.joints);
  const order = treeOrder(info.joints).filter((i) => match(info.joints[i].name) && (info.joints[i].deforming || word !== ''));
  const reached = order.includes(store.chosen.value) ? store.chosen.value : order[0];
  return (
    <aside class="outliner">
      <Files app={app} />
      <input type="search" placeholder="Search" aria-label="Search" value={store.search.value} onInput={(event) => (store.search.value = event.currentTarget.value)} />
      <h3>Meshes <i>{info.parts.length}</i></h3>
      <ul>
        {info.parts.map((part, i) => match(part.name) && (
          <Row name={part.name || 'mesh'} off={store.hiddenParts.value.has(i)} count={part.vertices}
            hide={() => (store.hiddenParts.value = toggled(store.hiddenParts.value, i))}
            only={info.parts.length > 1 ? () => (store.hiddenParts.value = others(store.hiddenParts.value, info.parts.length, i)) : undefined}
            locked={store.fixed.value.has(part.name)} lock={() => (store.fixed.value = toggled(store.fixed.value, part.name))} lockTitle="The brush leaves it alone" />
        ))}
      </ul>
      {info.materials.length > 1 && (
        <>
          <h3>Materials <i>{info.materials.length}</i></h3>
          <ul>
            {info.materials.map((material, i) => match(material?.name ?? 'clay') && (
              <Row name={material?.name || 'material'} off={store.hiddenMaterials.value.has(i)}
                hide={() => (store.hiddenMaterials.value = toggled(store.hiddenMaterials.value, i))}
                only={() => (store.hiddenMaterials.value = others(store.hiddenMaterials.value, info.materials.length, i))}
                locked={store.fixed.value.has(`material:${material?.name}`)} lock={material?.name ? () => (store.fixed.value = toggled(store.fixed.value, `material:${material.name}`)) : undefined} lockTitle="The brush leaves it alone" />
            ))}
          </ul>
        </>
      )}
      {store.only.value && <p class="quiet">Only {store.only.value.piece.replace('shell:', 'piece ')} is shown. <button onClick={() => (store.only.value = null)}>Show all</button></p>}
      <h3>Joints <i>{info.joints.filter((joint) => joint.deforming).length}</i></h3>
      <ul class="tree" onKeyDown={walkTree}>
        {order.map((i) => {
          const joint = info.joints[i];
          const unsure = joint.confidence !== undefined && joint.confidence < 0.8;
          return (
            <Row name={joint.name} off={store.hiddenJoints.value.has(i)} chosen={store.chosen.value === i || store.group.value.has(i)} idle={!joint.vertices} indent={4 + 7 * Math.min(10, depth[i])} reachable={i === reached}
              choose={(event) => {
                if (event.shiftKey && store.mode.value === 'joints') store.group.value = toggled(new Set([...store.group.value, ...(store.group.value.size === 0 && store.chosen.value >= 0 ? [store.chosen.value] : [])]), i);
                else store.group.value = new Set();
                store.chosen.value = i;
                app()?.want();
              }}
              focus={() => app()?.focus()}
              hide={() => (store.hiddenJoints.value = hiddenChain(info.joints, store.hiddenJoints.value, i))}
              only={() => (store.hiddenJoints.value = otherChains(info.joints, store.hiddenJoints.value, i))}
              locked={store.locked.value.has(joint.name)} lock={() => (store.locked.value = toggled(store.locked.value, joint.name))} lockTitle="Its weights stay as they are (L)">
              {unsure && <b class="doubt" title={`Position unsure: ${joint.origin}`}>{Math.round(100 * joint.confidence!)} %</b>}
            </Row>
          );
        })}
      </ul>
      {info.joints.length === 0 && <p class="quiet">No skeleton yet.</p>}
    </aside>
  );
}
