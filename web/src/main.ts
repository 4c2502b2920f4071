// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Draws the scene as soon as the page and its pictures are loaded, and leaves nothing in the page but the result: the
/// program reads it from the page's text.

import { drawCaptions } from './captions';
import type { Scene } from './scene';
import { makeStage } from './stage';
import { Studio } from './studio';
import { Materials, Skin } from './surface';

function draw(scene: Scene, warnings: string[]): string {
  const [width, height] = scene.size;
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('there is no canvas of this size');
  const studio = new Studio(scene);
  const materials = new Materials(scene, studio.anisotropy, (text) => {
    if (!warnings.includes(text)) warnings.push(text);
  });
  const skins = scene.surfaces.map((surface) => new Skin(surface, materials));
  for (const cell of scene.cells) {
    const [x, y, w, h] = cell.rect;
    const frame = scene.frames[cell.frame];
    const stage = makeStage(scene, frame, frame.surface === null ? null : skins[frame.surface], h / 1000);
    const pixels = studio.draw(stage, cell);
    const image = context.createImageData(w, h);
    for (let row = 0; row < h; ++row) image.data.set(pixels.subarray((h - 1 - row) * w * 4, (h - row) * w * 4), row * w * 4);
    context.putImageData(image, x, y);
  }
  drawCaptions(context, scene);
  return canvas.toDataURL('image/png');
}

function finish(result: object) {
  const html = document.documentElement;
  html.replaceChildren();
  html.textContent = `sinew-result ${JSON.stringify(result)} sinew-end`;
}

window.addEventListener('load', () => {
  const warnings: string[] = [];
  try {
    const picture = draw(window.sinewScene, warnings);
    finish({ picture, warnings });
  } catch (error) {
    finish({ error: error instanceof Error ? error.message : String(error), warnings });
  }
});
