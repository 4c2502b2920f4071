// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Sinew authors

/// Puts together what is drawn for one frame of the scene.

import * as THREE from 'three';
import { dots, lines, octahedron, solids, split, type Rgba } from './marks';
import { floats, octets, type Frame, type Overlay, type Scene } from './scene';
import type { Stage } from './studio';
import type { Skin } from './surface';

const boneColors: Rgba[] = [[0.16, 0.18, 0.22, 0.55], [0.93, 0.62, 0.16, 1], [0.85, 0.09, 0.07, 1]];
const jointColors: Rgba[] = [[0.35, 0.38, 0.44, 0.8], [0.99, 0.86, 0.52, 1], [1, 0.3, 0.22, 1]];
const wireColor: Rgba = [0.018, 0.024, 0.035, 0.62];

/// `scale`: pixels for each of a picture a thousand pixels high.
export function makeStage(scene: Scene, frame: Frame, skin: Skin | null, scale: number): Stage {
  const stage: Stage = {
    depths: new THREE.Scene(), surfaces: new THREE.Scene(), casters: new THREE.Scene(), lines: new THREE.Scene(), over: new THREE.Scene(),
  };
  if (scene.skin) skin?.show(frame, stage);
  if (scene.wire && skin?.edges && frame.positions !== null) addWire(stage, floats(frame.positions), skin.edges, scale);
  if (scene.skeleton) addSkeleton(scene, stage, frame, scale);
  [...scene.overlays, ...frame.overlays].forEach((overlay) => addOverlay(stage, overlay, scale));
  return stage;
}

function addWire(stage: Stage, positions: Float32Array, edges: Uint32Array, scale: number) {
  const heads = new Float32Array((edges.length / 2) * 3);
  const tails = new Float32Array(heads.length);
  for (let i = 0; i < edges.length / 2; ++i)
    for (let k = 0; k < 3; ++k) {
      heads[3 * i + k] = positions[3 * edges[2 * i] + k];
      tails[3 * i + k] = positions[3 * edges[2 * i + 1] + k];
    }
  stage.lines.add(lines(heads, tails, wireColor, Math.max(0.9, 1.15 * scale), 0.0012));
}

function addSkeleton(scene: Scene, stage: Stage, frame: Frame, scale: number) {
  const kinds = octets(frame.boneKinds);
  const [heads, tails] = split(floats(frame.bones));
  const thin: number[] = [];
  const corners: number[] = [];
  const colors: Rgba[] = [];
  kinds.forEach((kind, i) => {
    if (kind === 0) {
      thin.push(i);
      return;
    }
    const head = new THREE.Vector3().fromArray(heads, 3 * i);
    const tail = new THREE.Vector3().fromArray(tails, 3 * i);
    const count = octahedron(head, tail, 0.022 * scene.radius, corners);
    for (let k = 0; k < count; ++k) colors.push(boneColors[kind]);
  });
  const pick = (from: Float32Array) => new Float32Array(thin.flatMap((i) => [...from.subarray(3 * i, 3 * i + 3)]));
  if (thin.length) stage.over.add(lines(pick(heads), pick(tails), boneColors[0], Math.max(1, 1.6 * scale)));
  if (corners.length) stage.over.add(solids(new Float32Array(corners), colors));
  const jointKinds = [...octets(frame.jointKinds)];
  const order = jointKinds.map((_, i) => i).sort((a, b) => jointKinds[a] - jointKinds[b] || a - b);
  const all = floats(frame.joints);
  const positions = new Float32Array(order.flatMap((i) => [...all.subarray(3 * i, 3 * i + 3)]));
  const radii = order.map((i) => Math.max(1.2, [2.6, 4.2, 7][jointKinds[i]] * scale));
  if (positions.length) stage.over.add(dots(positions, order.map((i) => jointColors[jointKinds[i]]), radii));
}

function addOverlay(stage: Stage, overlay: Overlay, scale: number) {
  const triangles = floats(overlay.triangles);
  if (triangles.length) stage.over.add(solids(triangles, Array.from({ length: triangles.length / 9 }, () => overlay.color)));
  const [heads, tails] = split(floats(overlay.lines));
  if (heads.length) stage.over.add(lines(heads, tails, overlay.color, Math.max(1, 2 * scale)));
  const points = floats(overlay.points);
  const count = points.length / 3;
  if (count) stage.over.add(dots(points, Array.from({ length: count }, () => overlay.color), Array(count).fill(Math.max(1.2, 4.5 * scale))));
}
