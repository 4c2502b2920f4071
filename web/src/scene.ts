// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// The scene as the program hands it over: one JSON value, whose large arrays are numbers of base64 texts in a second
/// list. Lengths are in units of the character's size, its middle at the origin.

/// Number of a text in the buffers of a picture.
export type Buffer = number;

export interface Material {
  color: [number, number, number, number];
  metallic: number;
  roughness: number;
  emissive: [number, number, number];
  alpha: 'opaque' | 'mask' | 'blend';
  cutoff: number;
  doubleSided: boolean;
  clay: boolean;
  map: number;
  normalMap: number;
  emissiveMap: number;
}

export interface Surface {
  vertices: number;
  triangles: Buffer; // u32
  uvs: Buffer | null; // f32 × 2
  colors: Buffer | null; // f32 × 4, linear
  edges: Buffer | null; // u32 × 2
  groups: { material: number; start: number; count: number }[];
}

export interface Legend {
  title: string;
  low: string;
  high: string;
}

export interface Frame {
  surface: number | null;
  positions: Buffer | null; // f32 × 3
  normals: Buffer | null; // i16 × 3, of unit length 32767
  field: Buffer | null; // f32, shown as colours
  legend: Legend | null; // Of a field that other frames do not have.
  overlays: Overlay[];
  bones: Buffer; // f32 × 6, head and tail
  boneKinds: Buffer; // u8: 0 thin, 1 solid, 2 chosen
  joints: Buffer; // f32 × 3
  jointKinds: Buffer; // u8, the same
}

export interface Camera {
  eye: [number, number, number];
  right: [number, number, number];
  up: [number, number, number];
  back: [number, number, number];
  tanY: number;
  near: number;
  far: number;
}

export interface Cell {
  rect: [number, number, number, number]; // x, y, width, height in pixels, from the top left
  frame: number;
  title: string;
  camera: Camera;
  closeUp: { center: [number, number, number]; radius: number } | null; // What a close-up shows.
}

export interface Overlay {
  color: [number, number, number, number];
  points: Buffer;
  lines: Buffer;
  triangles: Buffer;
  labels: { at: [number, number, number]; text: string }[];
}

export interface Scene {
  size: [number, number];
  samples: number;
  animated: boolean; // Each cell is a picture of its own.
  type: string; // Of the pictures.
  background: string; // "studio", "transparent" or "#rrggbb"
  skin: boolean;
  wire: boolean;
  skeleton: boolean;
  ground: number;
  radius: number;
  legend: Legend | null; // Of a field that all frames have.
  images: { name: string; element: string }[];
  materials: Material[];
  surfaces: Surface[];
  frames: Frame[];
  cells: Cell[];
  overlays: Overlay[];
}

/// A picture to draw: the scene and its buffers.
export interface Task {
  scene: Scene;
  buffers: string[];
}

declare global {
  interface Window {
    sinewTasks: Task[];
  }
}

let current: string[] = [];

/// Sets the buffers of the scene that is drawn next.
export function useBuffers(buffers: string[]) {
  current = buffers;
}

function bytes(buffer: Buffer): Uint8Array {
  const text = atob(current[buffer] ?? '');
  const result = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) result[i] = text.charCodeAt(i);
  return result;
}

export const floats = (buffer: Buffer) => new Float32Array(bytes(buffer).buffer);
export const shorts = (buffer: Buffer) => new Int16Array(bytes(buffer).buffer);
export const words = (buffer: Buffer) => new Uint32Array(bytes(buffer).buffer);
export const octets = (buffer: Buffer) => bytes(buffer);
