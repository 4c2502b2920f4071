// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Several pictures by one camera in one canvas: side by side, or one before and one after a wipe.

import * as THREE from 'three';

/// A column of the canvas, in pixels, and the columns that the camera's whole picture would cover.
export interface Pane {
  left: number;
  width: number;
  viewLeft: number;
  viewWidth: number;
}

export function sidePanes(count: number, width: number): Pane[] {
  const each = width / count;
  return Array.from({ length: count }, (_, i) => ({ left: i * each, width: each, viewLeft: i * each, viewWidth: each }));
}

export function wipePanes(share: number, width: number): Pane[] {
  const at = Math.round(share * width);
  return [
    { left: 0, width: at, viewLeft: 0, viewWidth: width },
    { left: at, width: width - at, viewLeft: 0, viewWidth: width },
  ];
}

/// `sceneOf` is called before a pane is drawn, and may show and hide what it likes.
export function drawPanes(renderer: THREE.WebGLRenderer, camera: THREE.PerspectiveCamera, height: number, panes: Pane[], sceneOf: (pane: number) => THREE.Scene) {
  renderer.setScissorTest(false);
  renderer.clear();
  renderer.setScissorTest(true);
  panes.forEach(({ left, width, viewLeft, viewWidth }, i) => {
    const scene = sceneOf(i);
    camera.aspect = viewWidth / height;
    camera.updateProjectionMatrix();
    renderer.setViewport(viewLeft, 0, viewWidth, height);
    renderer.setScissor(left, 0, width, height);
    renderer.render(scene, camera);
  });
}
