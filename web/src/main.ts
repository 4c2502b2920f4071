// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Draws all scenes, one after the other, as soon as the page and its pictures are loaded, and leaves nothing in the page
/// but the results: the program reads them from the page's text.

import { drawCaptions } from './captions';
import { useBuffers, type Cell, type Scene, type Task } from './scene';
import { makeStage } from './stage';
import { Studio } from './studio';
import { Materials, Skin } from './surface';

/// How much a WebP picture may lose: nothing that is seen.
const quality = 0.9;

function draw(scene: Scene, warnings: string[]): string[] {
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
  const drawCell = (cell: Cell) => {
    const [x, y, w, h] = cell.rect;
    const frame = scene.frames[cell.frame];
    const stage = makeStage(scene, frame, frame.surface === null ? null : skins[frame.surface], h / 1000);
    const pixels = studio.draw(stage, cell);
    const image = context.createImageData(w, h);
    for (let row = 0; row < h; ++row) image.data.set(pixels.subarray((h - 1 - row) * w * 4, (h - row) * w * 4), row * w * 4);
    context.putImageData(image, x, y);
  };
  const pictures = (scene.animated ? scene.cells.map((cell) => [cell]) : [scene.cells]).map((cells) => {
    cells.forEach(drawCell);
    drawCaptions(context, scene, cells);
    return canvas.toDataURL(scene.type, quality);
  });
  studio.dispose();
  materials.dispose();
  skins.forEach((skin) => skin.dispose());
  return pictures;
}

function run({ scene, buffers }: Task): object {
  const warnings: string[] = [];
  try {
    useBuffers(buffers);
    return { pictures: draw(scene, warnings), warnings };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), warnings };
  }
}

window.addEventListener('load', () => {
  const results = window.sinewTasks.map(run);
  const html = document.documentElement;
  html.replaceChildren();
  html.textContent = `sinew-result ${JSON.stringify(results)} sinew-end`;
});
