// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// What the program writes into the page.

export interface Check {
  id: string;
  verdict: 'PASS' | 'CHECK' | 'FAIL';
  title: string;
  value_text: string;
  limit_text: string;
  where: string;
  text: string;
  mend?: string;
  advice?: string;
  place?: [number, number, number];
  radius?: number;
  pose?: { joint: string; axis: [number, number, number]; degrees: number };
}

export interface JointFigures {
  name: string;
  thinnest?: (number | null)[]; // Of the section at rest, by frame.
  volume?: (number | null)[]; // Around the joint, of that at rest, by frame.
}

/// Figures over one clip, by frame. A character without clips has only the reason why there are none.
export interface Measures {
  reason?: string;
  clip: string;
  clip_number: number;
  duration_s: number;
  rows: { text: string; value: string; joint: string; time_s: number }[];
  times: number[];
  thinnest: (number | null)[];
  volume: (number | null)[];
  joints: JointFigures[];
}

export interface Model {
  name: string;
  verdict: string;
  facts: [string, string][];
  checks: Check[];
  measures: Measures;
  glb: string; // Base64.
}

export interface ReportData {
  title: string;
  models: Model[];
  run: object; // The report of the run that wrote the page.
}

export function readData(): ReportData {
  return JSON.parse(document.getElementById('data')!.textContent!) as ReportData;
}

export function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
