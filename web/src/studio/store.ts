// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// What the panels show. Frames, pointer and camera do not pass through here.

import { signal, computed } from '@preact/signals';
import type { App } from './app';

export interface OptionInfo {
  name: string;
  sentence: string;
  unit: string;
  type: string;
  optional: boolean;
  value: unknown;
  min?: number;
  max?: number;
  choices?: string[];
}

export interface Method {
  id: string;
  name: string;
  when: string;
  options: OptionInfo[];
  takes_pins?: boolean; // Of binders: painted weights can be boundary values.
}

export interface Welcome {
  version: string;
  editor: boolean;
  files: string[];
  endings: string[];
  deformers: Method[];
  binders: Method[];
  templates: string[];
  presets: string[];
  exports: string[]; // Formats of exported characters.
  report: boolean;
  grades: Grade[];
  rig: OptionInfo[];
  clips: OptionInfo[];
}

/// What `sinew check` finds of a listed file.
export interface Grade {
  file: number;
  state: 'waiting' | 'checking' | 'graded' | 'bare' | 'unreadable';
  verdict: '' | 'PASS' | 'CHECK' | 'FAIL';
  text: string;
  done: number;
  of: number;
}

export interface Joint {
  name: string;
  parent: number;
  deforming: boolean;
  role: string;
  vertices: number;
  mirror: number;
  driven: boolean;
  limited: boolean;
  confidence?: number;
  origin?: string;
  hint?: string;
}

export interface Material {
  name: string;
  color: [number, number, number, number];
  emissive: [number, number, number];
  alpha: 'opaque' | 'mask' | 'blend';
  cutoff: number;
  doubleSided: boolean;
  map: number;
  emissiveMap: number;
}

export interface SceneInfo {
  generation: number;
  name: string;
  vertices: number;
  faces: number;
  corners: number;
  box: [[number, number, number], [number, number, number]];
  colors: boolean;
  groups: { start: number; count: number; solid: boolean }[]; // solid: no backs are seen from outside.
  materials: (Material | null)[];
  images: (string | null)[];
  parts: { name: string; first: number; vertices: number; faces: number }[];
  places: Place[];
  shells: number;
  joints: Joint[];
  clips: { name: string; builtin: boolean; duration?: number }[];
  forward: [number, number, number];
  origins: string[];
  has_confidence: boolean;
  fitting: string;
  rigged: boolean;
  has_weights: boolean;
  template: string;
  fits: boolean;
  confidence: number;
  movable: boolean;
  changed: boolean;
  paint: '' | 'solved' | 'put_back'; // What the last binding did with painted weights.
  painted: number;
}

/// Where a joint of the body plan belongs; joints name it as their `hint`.
export interface Place {
  name: string;
  parent: number;
  at: [number, number, number];
  text: string;
}

/// Another file that the character is compared with, or an earlier step.
export interface Other {
  name: string;
  earlier: boolean;
  scene: SceneInfo;
  images: (number | null)[];
  same_skeleton: boolean;
  same_vertices: boolean;
  by_role: boolean; // Joints follow by their roles, not their names.
  matched: number; // Joints that follow others, …
  deforming: number; // … of so many.
}

/// Item of the attention list. It is seen in a pose, or in a clip at a time.
export interface Item {
  id: string;
  score: number;
  title: string;
  text: string;
  tool: string;
  joint: number;
  place?: [number, number, number];
  radius?: number;
  pose?: { kind: string; joint: number; axis: [number, number, number]; angle: number };
  clip?: string;
  time?: number;
}

export interface CheckRow {
  id: string;
  title: string;
  verdict: 'PASS' | 'CHECK' | 'FAIL';
  value: string;
  where: string;
  text: string;
}

export interface Job {
  label: string;
  stage: string;
  fraction: number;
  seconds: number;
}

export type Mode = 'review' | 'pose' | 'joints' | 'weights' | 'compare' | 'deliver';
export const modes: [Mode, string, string][] = [
  ['review', 'Review', 'R'],
  ['pose', 'Pose', 'P'],
  ['joints', 'Joints', 'J'],
  ['weights', 'Weights', 'W'],
  ['compare', 'Compare', 'C'],
  ['deliver', 'Deliver', 'D'],
];

export const connected = signal(false);
export const welcome = signal<Welcome | null>(null);
export const editor = signal(true);
export const scene = signal<SceneInfo | null>(null);
export const input = signal('');
export const isSample = signal(true);
/// The number of the open file in the list; −1 for the sample and for files that were dropped.
export const file = signal(-1);
export const grades = signal<Grade[]>([]);
export const images = signal<(number | null)[]>([]);
export const history = signal<{ labels: string[]; cursor: number }>({ labels: [], cursor: 0 });
/// The command line of what was done last.
export const command = signal('sinew studio');
export const pose = signal<Record<string, any>>({});
export const recipe = signal<Record<string, any>[]>([]);
export const job = signal<Job | null>(null);
/// A file on its way to the program.
export const sending = signal<{ name: string; fraction: number } | null>(null);
export const error = signal('');
export const notice = signal('');
export const items = signal<Item[] | null>(null);
export const rows = signal<CheckRow[]>([]);
export const verdict = signal('');

export const mode = signal<Mode>('review');
export const chosen = signal(-1); // A joint.
export const hovered = signal('');
export const item = signal(-1);
export const locked = signal<ReadonlySet<string>>(new Set());
export const hiddenMaterials = signal<ReadonlySet<number>>(new Set());
export const hiddenParts = signal<ReadonlySet<number>>(new Set());
/// Joints whose bones are not shown.
export const hiddenJoints = signal<ReadonlySet<number>>(new Set());
/// The one piece that is shown, per vertex; null for all.
export const only = signal<{ piece: string; shown: Uint8Array } | null>(null);
/// Meshes and materials that the brush leaves alone, as the program names them.
export const fixed = signal<ReadonlySet<string>>(new Set());
export const search = signal('');

export const clip = signal(-1);
export const duration = signal(0);
export const time = signal(0);
export const playing = signal(true);
export const speed = signal(1);
export const posed = signal(false);

export const methods = signal<[string, string]>(['lbs', '']);
export const other = signal<Other | null>(null);
export const compareView = signal<'side' | 'wipe' | 'difference'>('side');
export const showBones = signal(false);
export const axes = signal(false);
export const xray = signal(false);
export const wire = signal(false);
export type Field = '' | 'joint' | 'influences' | 'segments' | 'confidence' | 'origin';
export const field = signal<Field>('');
export const theme = signal<'dark' | 'light'>('dark');
export const help = signal(false);
/// How the clip is changed while it plays, and in the export.
export const clipChange = signal({ mirror: false, in_place: false, arm_space: 0 });

export interface Measure {
  thinnest: number;
  joint_volume: number;
  volume: number;
}
export const measures = signal<Measure[]>([]);

export interface Plot {
  clip: number;
  joint: number;
  times: number[];
  series: { method: string; thinnest: number[]; volume: number[] }[];
}
export const plot = signal<Plot | null>(null);
export const showPlot = signal(false);

/// Steps of earlier work on this file, which can be restored.
export const earlier = signal(0);
/// The mesh that an exported file was made from.
export const carried = signal<{ name: string; steps: number; open?: Record<string, unknown> } | null>(null);

export interface Row {
  vertex: number;
  row: [string, number][];
  painted: boolean;
}
export const selected = signal<number[]>([]);
export const rowTable = signal<Row[]>([]);

export const statistics = signal({ updates: 0, drawn: 0, micros: 0 });

export const mirror = signal(true);
export const whole = signal(false);
/// Joints that move together, and whether those below come along.
export const group = signal<ReadonlySet<number>>(new Set());
export const children = signal(false);
export const brush = signal({ mode: 'add', radius: 0.05, strength: 0.4, value: 1 });
export const normalize = signal(true);
/// The next click on the skin adds a joint below the chosen one.
export const adding = signal(false);
export const recipeInside = signal(false);

export const jointName = computed(() => scene.value?.joints[chosen.value]?.name ?? '');

/// How many joints the pose moves.
export const posedJoints = computed(() => Object.keys((pose.value.joints as object | undefined) ?? {}).length);
/// A clip is seen to play: poses and joints stand still.
export const plays = computed(() => playing.value && !posed.value && mode.value !== 'joints' && clip.value >= 0);

export const deforming = computed(() => {
  const joints = scene.value?.joints ?? [];
  return joints.map((_, i) => i).filter((i) => joints[i].deforming);
});

declare global {
  interface Window {
    sinewStudio?: { app: App; store: unknown };
  }
}
