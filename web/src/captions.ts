// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Words on the picture: titles of cells, labels of overlays, the scale of a field.

import type { Cell, Legend, Scene } from './scene';

type Context = CanvasRenderingContext2D;

const ink = 'rgba(38, 43, 51, 0.92)';
const font = (px: number, weight = 500) => `${weight} ${px}px "DejaVu Sans", "Liberation Sans", Arial, sans-serif`;

export function drawCaptions(context: Context, scene: Scene, cells: Cell[]) {
  for (const cell of cells) {
    drawLabels(context, scene, cell);
    if (cell.closeUp) drawBand(context, scene, cell);
    drawTitle(context, cell);
    const legend = scene.frames[cell.frame].legend;
    if (legend) drawLegend(context, cell.rect, legend, true);
  }
  if (scene.legend) drawLegend(context, [0, 0, ...scene.size], scene.legend);
}

const titleSize = ([, , width, height]: Cell['rect']) => Math.round(Math.min(height * 0.042, width * 0.055, 26));

/// Close-ups fill their cells: a light band lies under the title, and light lines keep cells apart.
function drawBand(context: Context, scene: Scene, { rect, title }: Cell) {
  const [x, y, width, height] = rect;
  const px = titleSize(rect);
  const line = Math.max(2, Math.round(scene.size[0] / 400));
  context.fillStyle = '#ffffff';
  if (x > 0) context.fillRect(x - line / 2, y, line, height);
  if (y > 0) context.fillRect(x, y - line / 2, width, line);
  context.fillStyle = 'rgba(255, 255, 255, 0.8)';
  if (title && px >= 6) context.fillRect(x, y + height - 2.1 * px, width, 2.1 * px);
}

function drawTitle(context: Context, { rect, title, closeUp }: Cell) {
  if (!title) return;
  const [x, y, width, height] = rect;
  const px = titleSize(rect);
  if (px < 6) return;
  context.font = font(px);
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  context.fillStyle = ink;
  context.fillText(title, x + width / 2, y + height - Math.round(px * (closeUp ? 0.7 : 0.9)), width * 0.94);
}

function drawLabels(context: Context, scene: Scene, { rect: [x, y, width, height], camera, frame }: Cell) {
  const px = Math.max(8, Math.round(Math.min(width, height) * 0.018));
  context.font = font(px);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = Math.max(2, px * 0.28);
  const dot = (a: number[], b: number[]) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  for (const { at, text } of [...scene.overlays, ...scene.frames[frame].overlays].flatMap((overlay) => overlay.labels)) {
    const d = at.map((value, i) => value - camera.eye[i]);
    const depth = -dot(d, camera.back) * camera.tanY;
    if (depth <= 0) continue;
    const u = x + width / 2 + ((dot(d, camera.right) / depth) * height) / 2;
    const v = y + height / 2 - ((dot(d, camera.up) / depth) * height) / 2;
    if (u < x || u > x + width || v < y || v > y + height) continue;
    context.strokeStyle = 'rgba(255, 255, 255, 0.85)';
    context.strokeText(text, u + px * 0.6, v);
    context.fillStyle = ink;
    context.fillText(text, u + px * 0.6, v);
  }
}

/// Stops of the ramp in shaders.ts, as a screen shows them.
const stops = ['#3b4e9c', '#1f9bcd', '#3fc281', '#f8dd3f', '#ee3b30'];

/// `backed`: on a light box, which keeps it readable over skin.
function drawLegend(context: Context, [x, y, width, height]: Cell['rect'], legend: Legend, backed = false) {
  const px = Math.round(backed ? Math.min(height * 0.03, width * 0.035, 20) : Math.min(height * 0.022, width * 0.028, 22));
  if (px < 6) return;
  const length = px * 11;
  const left = x + Math.round(px * 1.4);
  const top = y + Math.round(px * 3);
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.font = font(px, 600);
  if (backed) {
    const wide = Math.max(length, Math.min(context.measureText(legend.title).width, width - 2 * (left - x)));
    context.fillStyle = 'rgba(255, 255, 255, 0.8)';
    context.fillRect(left - px * 0.8, top - px * 2, wide + px * 1.6, px * 4.4);
  }
  context.fillStyle = ink;
  context.fillText(legend.title, left, top - px * 0.7, width - 2 * (left - x));
  const gradient = context.createLinearGradient(left, 0, left + length, 0);
  stops.forEach((color, i) => gradient.addColorStop(i / (stops.length - 1), color));
  context.fillStyle = gradient;
  context.beginPath();
  context.roundRect(left, top, length, px * 0.7, px * 0.35);
  context.fill();
  context.fillStyle = ink;
  context.font = font(Math.round(px * 0.8));
  context.textBaseline = 'top';
  context.fillText(legend.low, left, top + px);
  context.textAlign = 'right';
  context.fillText(legend.high, left + length, top + px);
}
